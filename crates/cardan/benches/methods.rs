//! Methods of integration over tolerances: what `auto` costs beside each method, on beams and on
//! models of the library.
//!
//! ```text
//! cargo bench -p cardan --bench methods
//! ```
//!
//! Times are of whole runs, the derivation of a Jacobian included: each run has a simulation of its
//! own.

#![allow(clippy::print_stdout, reason = "a table is the purpose")]

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::solve::Method;

const METHODS: [Method; 5] = [Method::Auto, Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf];
/// A run that takes more steps is not worth waiting for.
const MAX_STEPS: u64 = 200_000;

fn main() {
    println!("model               rtol   method   steps  rejected  evaluations  factorisations      ms");
    for (stiffness, damping) in [(400.0, 0.4), (20.0, 0.002), (2.0, 0.0005)] {
        table(&format!("beam {stiffness} {damping}"), &beam(40, stiffness, damping));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the library").filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "mbs")) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        table(&name, &std::fs::read_to_string(path).expect("a model of the library"));
    }
}

fn table(name: &str, text: &str) {
    let model = resolve(parse("bench.mbs", text)).into_model().expect("a good model");
    for digits in [3, 5, 7, 10] {
        for method in METHODS {
            let compiled = compile_model(&model, Options::default()).expect("it compiles");
            let Ok(settings) = Settings::of(&model, &ParameterValues::of(&model)) else { return };
            let settings = Settings { method, rtol: 10f64.powi(-digits), max_steps: MAX_STEPS, ..settings };
            let clock = std::time::Instant::now();
            let Ok(run) = compiled.simulation.run(&settings, &mut ()) else { continue };
            let time = 1e3 * clock.elapsed().as_secs_f64();
            let s = run.statistics;
            println!(
                "{name:18}  1e-{digits:02}  {:7} {:6}  {:8}  {:11}  {:14}  {time:7.1}{}",
                method.to_string(),
                s.accepted,
                s.rejected,
                s.evaluations,
                s.factorisations,
                if run.reached < settings.to { "  unfinished" } else { "" },
            );
        }
    }
}

/// A cantilever of 1 m and 1 kg made of `n` links with torsion springs and dampers.
fn beam(n: usize, stiffness: f64, damping: f64) -> String {
    let (length, mass) = (1.0 / n as f64, 1.0 / n as f64);
    let inertia = mass * length * length / 12.0;
    let mut text = String::from("model beam\ngravity = -9.81 [m/s^2]*N.z\n");
    for k in 1..=n {
        let (on, before) = match k {
            1 => ("N".to_string(), "N".to_string()),
            k => (format!("l{}.tip", k - 1), format!("l{}", k - 1)),
        };
        text += &format!(
            "body l{k} on {on} by revolute(y, q = q{k}) {{ mass = {mass} [kg]; inertia = (0, {inertia}, {inertia}) [kg*m^2]; center = ({}, 0, 0) [m]; point tip = ({length}, 0, 0) [m] }}\n\
             torsion_spring_damper d{k} between l{k} and {before} {{ stiffness = {stiffness} [N*m/rad]; damping = {damping} [N*m*s/rad]; rest = 0 [rad] }}\n",
            length / 2.0
        );
    }
    text + "simulate { to = 1 [s], every = 0.01 [s] }\n"
}
