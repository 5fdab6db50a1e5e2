//! Models with events and with functions from elsewhere: what is written of them as functions.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use cardan_codegen::{Target, emit};
use cardan_compile::{Choice, choose};
use cardan_emit::{Fix, Functions, Question, Request, functions};
use common::cases::Case;
use common::languages;

/// A relay that holds a cart near its place, and a force that is written elsewhere.
const TEXT: &str = "model relay \"A cart on a relay\"
parameter k = 20 [N/m], first = 0.5
external function product(v [m/s], x [m]) [N]
particle cart on N by translate(x = x) { mass = 2 [kg] }
discrete side = 2 * first, hits = 0
when x > 0.1 [m] and side > 0 { side := -1; hits := hits + 1 }
when x < -0.1 [m] and side < 0 { side := 1; hits := hits + 1 }
force drive on cart.cm = (side * 3 [N] - k * x + product(cart.u, x)) * N.x
output pushed = side * 3 [N]
start { x = 0.02 [m] }
simulate { to = 2 [s] }";

fn choice(text: &str) -> Choice {
    choose(&cardan_lang::compile_text("relay", text).model.unwrap(), None).unwrap()
}

fn written() -> Functions {
    let questions =
        vec![Question::Derivatives, Question::Outputs, Question::Mass, Question::Forcing, Question::Inverse];
    functions(&choice(TEXT), &Request { questions, by: vec![], fix: Fix::Nothing }).unwrap()
}

#[test]
fn discrete_states_are_arguments_and_start_in_setup() {
    let functions = written();
    let of = |name: &str| functions.library.functions.iter().find(|f| f.name == name).unwrap();
    for name in ["derivatives", "outputs", "mass_matrix", "forcing", "inverse_dynamics"] {
        let names: Vec<&str> = of(name).arguments.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(&names[..3], ["t", "x", "d"], "{name}");
        assert_eq!(of(name).arguments[2].inputs.len(), 2, "{name}");
    }
    let starts: Vec<(&str, usize)> =
        of("setup").results.iter().map(|r| (r.name.as_str(), r.outputs.len())).collect();
    assert_eq!(starts, [("start", 2), ("d_start", 2)]);
    assert!(functions.library.doc.contains("discrete states are arguments"), "{}", functions.library.doc);
}

/// The prototype stands in the file, the caller provides the function, and the numbers are those of the interpreter.
#[test]
fn c_calls_what_is_written_elsewhere() {
    let functions = written();
    let files = emit(&functions.program, &functions.library, Target::C).unwrap();
    let all: String = files.iter().map(|f| String::from_utf8_lossy(f.bytes()).into_owned()).collect();
    assert!(all.contains("double product(double v, double x);"), "{all}");
    // k, first, t, x, u, side, hits, and the acceleration.
    let points = vec![
        vec![20.0, 0.5, 0.0, 0.02, 0.0, 1.0, 0.0, 0.3],
        vec![10.0, 0.7, 1.0, -0.07, 0.4, -1.0, 3.0, -0.2],
    ];
    let case = Case::new(functions.program, functions.library, points);
    languages::check_c99("hybrid", &[case]);
}
