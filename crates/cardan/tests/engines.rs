//! Machine code means what the interpreter means: every model of the library, to the last bit.

use std::fs;
use std::path::Path;

use cardan::prelude::*;
use cardan::sim::{EngineKind, ParameterValues};

#[test]
fn machine_code_equals_the_interpreter_on_every_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut n_models = 0;
    for entry in fs::read_dir(folder).expect("the library") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "mbs") {
            continue;
        }
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).expect("readable");
        let model = resolve(parse(&name, &text)).into_model().expect("models are right");
        let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        settings.to = settings.from + 0.05 * (settings.to - settings.from);
        settings.every = Some((settings.to - settings.from) / 7.0);
        let rows = |engine: EngineKind| {
            let compiled =
                compile_model(&model, Options { engine, ..Options::default() }).expect("models compile");
            let motion = compiled.simulation.run(&settings, &mut ()).expect("a good start");
            motion.rows.iter().map(|row| row.iter().map(|x| x.to_bits()).collect()).collect::<Vec<Vec<u64>>>()
        };
        assert_eq!(rows(EngineKind::Native), rows(EngineKind::Interpreter), "{name}");
        n_models += 1;
    }
    assert!(n_models >= 8, "{n_models} models");
}
