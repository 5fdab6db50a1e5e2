//! From text to motion: stiff motions, switching functions of time, and every model of the library.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn motion(text: &str, change: impl FnOnce(&mut Settings), options: Options) -> Trajectory {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    change(&mut settings);
    let compiled = compile_model(&model, options).unwrap_or_else(|e| panic!("{e}"));
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"))
}

/// A slider on a rod, held by a spring and damper with time constants of a microsecond and a second.
const STIFF: &str = "
model stiff
gravity = -9.81 [m/s^2] * N.z
body rod on N by rotate(y = q) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.01) [kg*m^2]; center = (0, 0, -1) [m] }
particle slider on rod by translate(z = s) at (0, 0, -1) [m] { mass = 0.01 [kg] }
force stop on slider.o from rod = (-1e4 [N/m] * s - 1e4 [N*s/m] * der(s)) * rod.z
start { q = 60 [deg] }
simulate { to = 1 [s] }
";

#[test]
fn a_stiff_motion_is_noticed_and_followed_with_exact_jacobians() {
    let auto = motion(STIFF, |_| {}, Options::default());
    assert_eq!(auto.switches.len(), 1, "{:?}", auto.switches);
    assert_eq!(auto.switches[0].to, Method::Radau5);
    assert!(auto.statistics.jacobians > 0 && auto.statistics.accepted < 1000, "{:?}", auto.statistics);
    assert_eq!(auto.audit.verdict(), Verdict::Holds, "{}", auto.audit);
    // The same by an explicit method, which stability holds to tiny steps.
    let explicit = motion(STIFF, |s| s.method = Method::Dop853, Options::default());
    assert!(explicit.statistics.accepted > 20 * auto.statistics.accepted);
    assert!(explicit.warnings.iter().any(|w| w.contains("stiff")), "{:?}", explicit.warnings);
    for name in ["q", "der(q)", "s", "work.stop"] {
        let (a, b) = (auto.last(name).unwrap(), explicit.last(name).unwrap());
        assert!((a - b).abs() < 1e-8, "{name}: {a} against {b}");
    }
}

/// A mass of 1 kg pushed by a square wave of 1 N and period 0.4 s and by a table of steps: velocity and work in closed form.
const SWITCHED: &str = "
model switched
parameter T = 0.4 [s]
table F(t [s]) [N] = steps { 0: 0, 0.7: 3, 1.1: -1 }
particle b on N by translate(x = x) { mass = 1 [kg] }
force wave on b.o from N = (1 [N] - 2 [N] * (floor(2*t/T) - 2*floor(t/T))) * N.x
force table on b.o from N = F(t) * N.x
simulate { to = 1.5 [s] }
";

#[test]
fn functions_of_time_are_integrated_exactly_across_their_switches() {
    let motion = motion(SWITCHED, |_| {}, Options::default());
    let expected = [0.2, 0.4, 0.6, 0.7, 0.8, 1.0, 1.1, 1.2, 1.4];
    assert_eq!(motion.breakpoints.len(), expected.len(), "{:?}", motion.breakpoints);
    for (found, exact) in motion.breakpoints.iter().zip(expected) {
        assert!((found - exact).abs() < 1e-15, "{found} is not {exact}");
    }
    // Wave: seven half periods and a half leave +1 N for 0.2 s less 0.1 s; table: 3 N for 0.4 s, -1 N for 0.4 s.
    let v = motion.last("der(x)").unwrap();
    assert!((v - (0.1 + 1.2 - 0.4)).abs() < 1e-13, "{v}");
    let work: f64 = ["work.wave", "work.table"].iter().map(|n| motion.last(n).unwrap()).sum();
    assert!((work - 0.5 * v * v).abs() < 1e-13, "{work}");
    assert_eq!(motion.statistics.rejected, 0);
}

fn library() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut models: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "mbs"))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    models.sort();
    assert!(!models.is_empty());
    models
}

#[test]
fn every_model_of_the_library_runs_and_balances_its_energy() {
    for (name, text) in library() {
        let run = run(&name, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(run.trajectory.ending, Ending::Finished, "{name}: {}", run.trajectory.reason);
        let audit = &run.trajectory.audit;
        assert!(matches!(audit.verdict(), Verdict::Holds | Verdict::Open), "{name}: {audit}");
    }
}

/// The formalisms lead to the same motion; small quantities excepted, where each drops what it may.
#[test]
fn every_formalism_moves_the_models_alike() {
    for (name, text) in library() {
        let model = resolve(parse(&name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"));
        if text.contains("small") {
            continue;
        }
        // Long chains are chaotic: what differs in the last digit soon differs in all.
        let share = if model.speeds.len() > 10 { 0.01 } else { 0.2 };
        let by = |formalism| {
            let options = Options { formalism: Some(formalism), ..Options::default() };
            motion(&text, |s| s.to = s.from + share * (s.to - s.from), options)
        };
        let reference = by(Formalism::Kane);
        // Articulated bodies are for trees.
        let others = [Formalism::Recursive, Formalism::Lagrange, Formalism::Articulated];
        for formalism in others.into_iter().take(if model.constraints.is_empty() { 3 } else { 2 }) {
            let other = by(formalism);
            for (k, column) in reference.columns.iter().enumerate() {
                let values = reference.rows.column(k);
                let mut scale = values.iter().fold(1.0f64, |m, v| m.max(v.abs()));
                if column.name == "energy.residual" {
                    scale = scale.max(reference.audit.scale());
                }
                for (a, b) in values.iter().zip(other.rows.column(k)) {
                    let what = format!("{name}, {}, {}", formalism.name(), column.name);
                    assert!((a - b).abs() < 1e-7 * scale, "{what}: {a} against {b}");
                }
            }
        }
    }
}
