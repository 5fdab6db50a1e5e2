//! AUTOSIM's strings compute with numbers: what they become in the native language has the same values, in SI units.

use crate::common;

use cardan_base::Sources;
use cardan_import::autosim::translate;
use cardan_lang::compile_text;
use common::{State, accelerations, assert_close};

/// The acceleration of a body of 1 kg under the force of a string at t = 0.7, q = (0.3, 0.4), u = (-0.2, 0.5), and the codes of what is said.
fn acceleration(magnitude: &str, more: &str) -> (f64, Vec<&'static str>) {
    let text = format!(
        "(add-body a :translate (1 2) :mass 1 :inertia-matrix 1)
         (add-line-force f :direction [n1] :point1 a0 :magnitude \"{magnitude}\")
         (set-defaults f0 5 k 3 w 4 stopt 1) {more}"
    );
    let mut sources = Sources::new();
    let file = sources.add("example.lsp", &text);
    let (native, said) = translate(file, "example", &mut sources, &mut |_| None);
    let native = native.unwrap_or_else(|| panic!("{magnitude}: {said:?}"));
    let compiled = compile_text("example.mbs", &native.text);
    let model = compiled.model.unwrap_or_else(|| panic!("{:?}\n{}", compiled.diagnostics, native.text));
    let mut state = State::start(&model).time(&model, 0.7);
    for (name, value) in [("q1", 0.3), ("q2", 0.4), ("u1", -0.2), ("u2", 0.5)] {
        state = state.set(&model, name, value);
    }
    // Not every string uses all symbols that get values.
    let said = said.iter().map(|d| d.code.0).filter(|code| *code != "A010");
    (accelerations(&model, &state)[0], said.collect())
}

#[test]
fn strings_have_the_values_of_their_numbers() {
    let (f0, k, w, t, q1, q2, u1) = (5.0f64, 3.0f64, 4.0f64, 0.7f64, 0.3f64, 0.4f64, -0.2f64);
    // Numbers in products take units without a word.
    for (text, value) in [
        ("f0*sin(2*t)", f0 * (2.0 * t).sin()),
        ("2*sin(3.0*q(1))", 2.0 * (3.0 * q1).sin()),
        ("f0*tanh(10*u(1))", f0 * (10.0 * u1).tanh()),
        ("f0*exp(-2*t)", f0 * (-2.0 * t).exp()),
        ("2*max(q(1), 0.1)", 0.6),
        ("f0*min(1, 2)", f0),
        ("3*q(1)*q(2)", 3.0 * q1 * q2),
        ("2*q(1) - 3*u(1)", 2.0 * q1 - 3.0 * u1),
        ("sqrt(2)", 2f64.sqrt()),
        ("f0*sin(w*t)", f0 * (w * t).sin()),
        ("-k*q(1)**3 + 2*sin(2*t)", -k * q1.powi(3) + 2.0 * (2.0 * t).sin()),
    ] {
        let (a, said) = acceleration(text, "");
        assert_close(&[a], &[value], 1e-13, text);
        assert_eq!(said, [""; 0], "{text}");
    }
    // Where no number stands, one is put in front, which is said.
    for (text, value) in [
        ("exp(-t)", (-t).exp()),
        ("f0*exp(-t)", f0 * (-t).exp()),
        ("sin(w*t)", (w * t).sin()),
        ("q(1)*q(2)", q1 * q2),
        ("-q(1)", -q1),
        ("-(q(1) + u(1)**2)", -(q1 + u1 * u1)),
        ("-k*q(1)**3 + sin(2*t)", -k * q1.powi(3) + (2.0 * t).sin()),
        ("f0 + q(1) - t", f0 + q1 - t),
        ("q(1)**1.5", q1.powf(1.5)),
        ("2**q(1)", 2f64.powf(q1)),
        ("q(1)/q(2)", q1 / q2),
        ("abs(u(1))", u1.abs()),
        ("atan2(q(1), t)", q1.atan2(t)),
        ("k*sqrt(q(1)*t)", k * (q1 * t).sqrt()),
        ("ln(t)/q(2)", t.ln() / q2),
    ] {
        let (a, said) = acceleration(text, "");
        assert_close(&[a], &[value], 1e-13, text);
        assert!(said.iter().all(|c| *c == "A011"), "{text}: {said:?}");
    }
}

/// A symbol with a unit of its own counts in the unit of the system: 3 mm are 0.003.
#[test]
fn symbols_with_units_count_in_the_unit_of_the_system() {
    let (a, _) = acceleration("exp(-k) + k*q(1)", "(set-units k \"mm\")");
    assert_close(&[a], &[(-0.003f64).exp() + 0.003 * 0.3], 1e-13, "mm");
    let (a, _) = acceleration("sin(k)", "(set-units k \"deg\")");
    assert_close(&[a], &[3f64.to_radians().sin()], 1e-13, "deg");
}
