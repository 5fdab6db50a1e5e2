//! The HMMWV of the library at rest and in its ride modes, against `tests/benchmarks/linear/hmmwv.json`; and what its equations take, in
//! the tables that Turner's paper announces for it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common;

use cardan_analysis::{EquilibriumOptions, LinearOptions, Modes, Study, equilibrium, linearize, modes};
use cardan_compile::choose;
use cardan_equations::lagrange::partial_counts;
use cardan_equations::ldl::operations::solver_counts;
use cardan_equations::{Formalism, unsolved};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn known() -> Value {
    let file = root().join("tests/benchmarks/linear/hmmwv.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

fn text() -> String {
    fs::read_to_string(root().join("models/hmmwv.mbs")).unwrap()
}

/// The text with one part changed, which must be there.
fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the model has no `{from}`");
    text.replace(from, to)
}

/// The vehicle of the reference: seven freedoms.
fn ride() -> String {
    let free = "free(rotate = zyx, q = (x, y, z, yaw, pitch, roll))";
    let text = with(&text(), free, "translate(z = z) rotate(x = roll) rotate(y = pitch)");
    let text = with(&text, "x = 0; y = 0; yaw = 0; ", "");
    let text = with(&text, "\n  chassis.u1 = v\n", "\n");
    let text = with(&text, "; der(spin) = v / (R0 - 19 [mm])", "");
    let text = with(&text, "chassis.u1", "0 [m/s]");
    let text = with(&text, "\"forward speed at the start\"", "\"unused\"");
    with(&with(&text, "parameter v = ", "parameter _v = "), "by revolute(y, q = spin)", "by fixed")
}

fn at_rest(text: &str, changes: &[(&str, f64)]) -> (Study, Vec<f64>) {
    let mut study = common::study(text, &[]);
    for (name, value) in [("steer", 0.0), ("c_slip", 0.0), ("c_alpha", 0.0)].iter().chain(changes) {
        study.set(name, *value).unwrap();
    }
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(found.balanced, "{found:?}");
    (study, found.state)
}

fn ride_modes(changes: &[(&str, f64)]) -> Modes {
    let (mut study, state) = at_rest(&ride(), changes);
    let linear = linearize(&mut study, 0.0, &state, &LinearOptions::default()).unwrap();
    modes(&study, &linear).unwrap()
}

/// To the digits that are given: half a unit of the last one.
fn close(found: f64, known: f64, unit: f64, what: &str) {
    assert!((found - known).abs() <= 0.5000001 * unit, "{what}: {found} against {known}");
}

/// Height, pitch and wheel loads of the whole model, 14 degrees of freedom.
#[test]
fn it_stands_as_published() {
    let known = known();
    let number = |path: &str| known.pointer(path).and_then(Value::as_f64).unwrap();
    let (mut study, state) = at_rest(&text(), &[("v", 0.0)]);
    close(state[study.place("z").unwrap()], number("/height"), 1e-9, "height");
    close(state[study.place("pitch").unwrap()], number("/pitch"), 1e-8, "pitch");
    let names: Vec<String> = study.output_names().into_iter().map(|n| n.name).collect();
    let outputs = study.outputs(0.0, &state).unwrap();
    for (corner, path) in
        [("front_left", "front"), ("front_right", "front"), ("rear_left", "rear"), ("rear_right", "rear")]
    {
        let place = |what: &str| names.iter().position(|n| *n == format!("{corner}.{what}")).unwrap();
        close(outputs[place("fz")], number(&format!("/loads/{path}")), 1e-4, corner);
        close(outputs[place("shock.length")], number(&format!("/spring_lengths/{path}")), 1e-8, corner);
    }
}

#[test]
fn it_rides_as_published() {
    let known = known();
    let list = |name: &str| known[name].as_array().unwrap().clone();
    let dampers = ["front_left.c", "front_right.c", "rear_left.c", "rear_right.c", "c_tyre"];
    let found = ride_modes(&dampers.map(|name| (name, 0.0)));
    let frequencies = list("undamped_frequencies");
    assert_eq!(found.modes.len(), frequencies.len());
    for (mode, known) in found.modes.iter().zip(&frequencies) {
        let known = known.as_f64().unwrap();
        // Five digits behind a two-digit number are four.
        close(mode.frequency, known, if known < 10.0 { 1e-5 } else { 1e-4 }, &mode.words);
    }
    let found = ride_modes(&[]);
    let eigenvalues = list("damped_eigenvalues");
    assert_eq!(found.modes.len(), eigenvalues.len());
    for known in &eigenvalues {
        let part = |k: usize| known[k].as_f64().unwrap();
        let size = part(0).hypot(part(1));
        let near = |m: &&cardan_analysis::Mode| {
            (m.eigenvalue.0 - part(0)).hypot(m.eigenvalue.1 - part(1)) < 1e-5 * size
        };
        assert!(found.modes.iter().any(|m| near(&m)), "{known}: {:?}", found.modes);
    }
}

/// Turner's tables: the sparse solution takes at most 0.35 of the dense one, and at most 0.3 of the partials are formed.
#[test]
fn it_takes_what_the_paper_promises() {
    let model = common::model(&text());
    let choice = choose(&model, None).unwrap();
    for formalism in [Formalism::Kane, Formalism::Recursive, Formalism::Lagrange] {
        let own = choice.model.clone();
        let rows = unsolved(&own, formalism, choice.equations.constraints.clone()).unwrap();
        let found = solver_counts(&own, &rows);
        assert_eq!((found.speeds, found.rows), (34, 20));
        let (sparse, dense) = (found.sparse.total() as f64, found.dense.total() as f64);
        assert!(sparse < 0.35 * dense, "{}: {sparse} of {dense}", formalism.name());
        assert!(found.dense.total() < found.lu.total());
    }
    let partials = partial_counts(&model).unwrap().first_order();
    assert!(partials.formed as f64 <= 0.3 * partials.full as f64, "{partials:?}");
}
