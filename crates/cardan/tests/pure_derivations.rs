//! Deriving from a model leaves it as it was: a second derivation gives the same program, bit by bit.

use std::fs;
use std::path::Path;

use cardan::prelude::*;

fn library(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.mbs"));
    let text = fs::read_to_string(&path).expect("a model of the library");
    resolve(parse(name, &text)).into_model().expect("models are right")
}

fn program(model: &Model, formalism: Option<Formalism>) -> String {
    cardan::derive(model, formalism).expect("equations").lowered.program.to_string()
}

#[test]
fn what_was_derived_before_does_not_show_in_a_program() {
    for name in ["double-pendulum", "four-bar", "squeezer", "handbook-robot", "door", "stewart-platform"] {
        let model = library(name);
        let first = program(&model, None);
        let recursive = program(&model, Some(Formalism::Recursive));
        let kane = program(&model, Some(Formalism::Kane));
        assert_eq!(program(&model, Some(Formalism::Recursive)), recursive, "{name}, recursive after kane");
        assert_eq!(program(&model, Some(Formalism::Kane)), kane, "{name}, kane after recursive");
        assert_eq!(program(&model, None), first, "{name}, the choice after both");
        assert_eq!(program(&library(name), None), first, "{name}, read again");
    }
}
