//! Work against precision: what each method and each form of the constraints costs on Andrews' squeezing mechanism.
//!
//! ```text
//! cargo bench -p cardan --bench work_precision
//! ```
//!
//! Error: the largest of the seven angles at 0.03 s against values in quadruple precision (`tests/benchmarks/squeezer.json`).

#![allow(clippy::print_stdout, reason = "a table is the purpose")]

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;
use cardan::solve::Method;

/// The angles at 0.03 s.
const KNOWN: [(&str, f64); 7] = [
    ("beta", 15.810771195153707),
    ("theta", -15.756371058411839),
    ("gamma", 0.0408222401196458),
    ("phi", -0.5347301163420796),
    ("delta", 0.524409965879954),
    ("omega", 0.5347301163420796),
    ("epsilon", 1.048080741041938),
];

fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/squeezer.mbs");
    let text = std::fs::read_to_string(path).expect("a model of the library");
    let model = resolve(parse("squeezer.mbs", &text)).into_model().expect("a good model");
    let compiled = compile_model(&model, Options::default())
        .and_then(|c| c.for_constraints(ConstraintForm::Stabilised))
        .expect("it compiles");
    let ways = [
        (Method::Dopri5, ConstraintForm::Projected),
        (Method::Dop853, ConstraintForm::Projected),
        (Method::Radau5, ConstraintForm::Projected),
        (Method::Bdf, ConstraintForm::Projected),
        (Method::Radau5, ConstraintForm::Stabilised),
        (Method::Bdf, ConstraintForm::Stabilised),
    ];
    println!(
        "method  constraints  rtol     error    steps  rejected  evaluations  Jacobians  factorisations    ms"
    );
    for (method, constraints) in ways {
        for digits in [4, 6, 8, 10, 12] {
            let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
            let rtol = 10f64.powi(-digits);
            let settings = Settings { method, constraints, rtol, atol: rtol, every: Some(0.03), ..settings };
            let clock = std::time::Instant::now();
            let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
            let time = 1e3 * clock.elapsed().as_secs_f64();
            let error = |(name, known): &(&str, f64)| (run.last(name).unwrap_or(f64::NAN) - known).abs();
            let error = KNOWN.iter().map(error).fold(0.0, f64::max);
            let s = run.statistics;
            println!(
                "{:7} {:12} 1e-{digits:02}  {error:9.1e}  {:6}  {:8}  {:11}  {:9}  {:14}  {time:6.1}",
                method.to_string(),
                constraints.name(),
                s.accepted,
                s.rejected,
                s.evaluations,
                s.jacobians,
                s.factorisations,
            );
            if run.reached < 0.03 {
                println!("        {}", run.reason);
            }
        }
    }
}
