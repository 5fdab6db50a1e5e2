//! Constraints that agree at the start and part later, starts in singular positions, and every form of the constraints by every
//! method on every model with loops.

use std::path::{Path, PathBuf};

use cardan::assembly::{ParameterValues, Way};
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, StartError};
use cardan::solve::Method;

fn prepared(text: &str, form: ConstraintForm) -> (Compiled, Settings) {
    let model = resolve(parse("watched.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let compiled = compile_model(&model, Options::default())
        .and_then(|c| c.for_constraints(form))
        .unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (compiled, Settings { constraints: form, ..settings })
}

const FORMS: [ConstraintForm; 4] = [
    ConstraintForm::Projected,
    ConstraintForm::Stabilised,
    ConstraintForm::Partitioned,
    ConstraintForm::Baumgarte,
];

/// A parabola and the circle that osculates it: y = x²/2 and y = x²/2 + x⁴/8 + … have x = 0 in common, and nothing else.
const OSCULATING: &str = "
particle a on N by translate(x = x, y = y) { mass = 1 [kg] }
constraint parabola = y - 0.5 [1/m] * x^2
constraint circle = (x^2 + y^2) / (2 [m]) - y
start { x = 0 [m]; der(x) = 1 [m/s] }
simulate { to = 1 [s] }
";

/// sin t = t - t³/6 + …
const DRIVES: &str = "
particle a on N by translate(x = x, y = y) { mass = 1 [kg] }
constraint wave = x - 1 [m] * sin(t / (1 [s]))
constraint line = x - 1 [m/s] * t
simulate { to = 1 [s] }
";

const MOTORS: &str = "
body a on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
body b on N by revolute(z, q = r) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
joint g = gear(a, b, ratio = 1)
motion m1 on p = if t < 0.5 [s] then t / (1 [s]) else 0.5 + 2 * (t / (1 [s]) - 0.5)
motion m2 on r = t / (1 [s])
simulate { to = 1 [s] }
";

/// A motion ends where constraints part that agreed at the start, whatever the form, and says which and by how much.
#[test]
fn constraints_that_part_end_the_motion() {
    // The gap passes a millionth where x⁴/8 or t³/6 does; a step may go a little further.
    for (text, names, after, before) in [
        (OSCULATING, ["parabola", "circle"], 5e-3, 0.2),
        (DRIVES, ["wave", "line"], 1e-3, 0.2),
        (MOTORS, ["m1", "m2"], 0.5, 0.6),
    ] {
        for form in FORMS {
            let (compiled, settings) = prepared(text, form);
            let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
            let way = format!("{names:?} {}", form.name());
            assert_eq!(run.ending, Ending::Failed, "{way}: {}", run.reason);
            let parting = run.parting.as_ref().unwrap_or_else(|| panic!("{way}: {}", run.reason));
            assert!(parting.t >= after && parting.t < before, "{way}: {}", run.reason);
            assert!(names.contains(&parting.row.constraint.as_str()), "{way}: {}", run.reason);
            assert!(parting.others.iter().any(|o| names.contains(&o.as_str())), "{way}: {}", run.reason);
            assert!(run.reason.contains("parts from"), "{}", run.reason);
        }
    }
}

/// Constraints that repeat others ever after are no hindrance: two motors of one law, and a row that is a multiple of another.
#[test]
fn constraints_that_agree_ever_after_go_on() {
    let text =
        MOTORS.replace("if t < 0.5 [s] then t / (1 [s]) else 0.5 + 2 * (t / (1 [s]) - 0.5)", "t / (1 [s])");
    for form in FORMS {
        let (compiled, settings) = prepared(&text, form);
        let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
        assert!(run.parting.is_none() && run.ending == Ending::Finished, "{}: {}", form.name(), run.reason);
    }
}

/// From 1 s on the second constraint holds z, which nothing has moved until then: with it kept, the motion goes on, and a force on z
/// finds it held. The first motion ends.
#[test]
fn a_constraint_that_begins_to_say_something_can_be_kept() {
    let text = "
particle a on N by translate(x = x, y = y, z = z) { mass = 1 [kg] }
constraint ring = (x^2 + y^2) / (2 [m]) - 0.5 [m]
constraint later = (x^2 + y^2) / (2 [m]) - 0.5 [m] + max(0 [s], t - 1 [s]) * z / (1 [s])
force pull on a.cm = (if t < 1 [s] then 0 [N] else 1 [N]) * N.z
start { x = 1 [m]; der(y) = 2 [m/s] }
simulate { to = 2 [s] }
";
    let (compiled, settings) = prepared(text, ConstraintForm::Projected);
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    let parting = run.parting.as_ref().unwrap_or_else(|| panic!("{}", run.reason));
    assert_eq!((parting.row.constraint.as_str(), parting.t > 1.0), ("later", true), "{parting}");
    let model = resolve(parse("watched.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let kept = cardan::compile_keeping(&model, Options::default(), Host::new(), &[parting.place]);
    let run = kept.unwrap_or_else(|e| panic!("{e}")).simulation.run(&settings, &mut ());
    let run = run.unwrap_or_else(|e| panic!("{e}"));
    assert!(run.parting.is_none() && run.ending == Ending::Finished, "{}", run.reason);
    // Nothing pulls along the ring: the angle is 2 rad/s · 2 s.
    assert!((run.last("x").expect("a coordinate") - 4.0_f64.cos()).abs() < 1e-7, "{:?}", run.last("x"));
    assert!(run.last("z").expect("a coordinate").abs() < 1e-6, "{:?}", run.last("z"));
}

fn parallelogram(start: &str) -> String {
    format!(
        "
gravity = -9.81 [m/s^2] * N.y
body a on N by revolute(z, q = p) {{ mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }}
body b on a by revolute(z, q = r) at a.e {{ mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (1, 0, 0) [m]; point e = (2, 0, 0) [m] }}
body c on N by revolute(z, q = s) at (2, 0, 0) [m] {{ mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }}
joint pin = revolute(b.e, c.e, axis = z)
{start}
simulate {{ to = 1 [s], every = 0.01 [s] }}
"
    )
}

fn fork(text: &str) -> cardan::assembly::Fork {
    let (compiled, settings) = prepared(text, ConstraintForm::Projected);
    match compiled.simulation.run(&settings, &mut ()) {
        Err(StartError::Fork(fork)) => *fork,
        Err(other) => panic!("{other}"),
        Ok(run) => panic!("it moves: {}", run.reason),
    }
}

/// All bars in one line: at rest, or with the speed of one bar alone, nothing says whether it goes on parallel or crossed.
#[test]
fn a_parallelogram_drawn_flat_is_a_fork() {
    for (start, way) in [
        ("", Way::AtRest),
        ("start { p = 0 }", Way::AtRest),
        ("start { p = 0; der(p) = -1 [rad/s] }", Way::Mixed),
        ("start { p = 0; der(p) = -1 [rad/s]; der(s) = -0.5 [rad/s] }", Way::Mixed),
        // Closed from open: Newton's method ends beside the position by the root of what is left open.
        ("start { p = 0; r ~ 0.3; s ~ 0.2; der(p) = -1 [rad/s] }", Way::Mixed),
    ] {
        let found = fork(&parallelogram(start));
        assert_eq!((found.way, found.motions), (way, (1, 2)), "{start}: {found}");
        assert_eq!(found.constraints, ["pin"], "{start}");
        assert_eq!(found.through, ["a", "b", "c"], "{start}");
        assert_eq!(found.free.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), ["p", "r", "s"], "{start}");
        assert_eq!(found.beside().as_deref(), Some("start { p = 1 [deg] }"), "{start}");
    }
    // What is advised moves.
    let (compiled, settings) = prepared(&parallelogram("start { p = 1 [deg] }"), ConstraintForm::Projected);
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
}

/// Speeds that belong to a parallelogram tell the way: it stays one. Its coupler stays level, so it is a pendulum of
/// J = 2 (0.1 + 0.25) + 1 = 1.7 kg m² with m g l = 2 · 0.5 g + g = 2 g: J p̈ = -2 g cos p.
#[test]
fn speeds_at_a_fork_tell_the_way() {
    let (compiled, settings) = prepared(
        &parallelogram("start { p = 0; der(p) = -1 [rad/s]; der(s) = -1 [rad/s] }"),
        ConstraintForm::Projected,
    );
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
    let series = |name: &str| run.series(name).unwrap_or_else(|| panic!("no `{name}`"));
    let (p, r, s, u) = (series("p"), series("r"), series("s"), series("der(p)"));
    for k in 0..p.len() {
        assert!((p[k] + r[k]).abs() < 1e-7 && (p[k] - s[k]).abs() < 1e-7, "{k}: {} {} {}", p[k], r[k], s[k]);
        let energy = 0.5 * 1.7 * (u[k] * u[k] - 1.0) + 2.0 * 9.81 * p[k].sin();
        assert!(energy.abs() < 1e-6, "{k}: {energy:e}");
    }
    let acceleration = -2.0 * 9.81 / 1.7;
    assert!(
        (run.beginning.accelerations[0] - acceleration).abs() < 1e-5,
        "{:?}",
        run.beginning.accelerations
    );
}

/// Let go in one line, a parallelogram swings to the other side and comes to rest in one line again: the motion ends by the name of the position, and does not
/// leap to and fro there without end.
#[test]
fn a_motion_that_comes_to_rest_in_a_fork_ends_there() {
    let crank = "mass = 1 [kg]; inertia = (0, 0, 0.02) [kg*m^2]; center = (0, -0.25, 0) [m]; point e = (0, -0.5, 0) [m]";
    let text = format!(
        "gravity = -9.81 [m/s^2] * N.y\nbody a on N by revolute(z, q = p) {{ {crank} }}
body c on N by revolute(z, q = s) at (1, 0, 0) [m] {{ {crank} }}
body b on a by revolute(z, q = r) at a.e {{ mass = 2 [kg]; inertia = (0, 0, 0.5) [kg*m^2]; center = (0.5, 0.1, 0) [m]; point e = (1, 0, 0) [m] }}
joint pin = revolute(b.e, c.e, axis = z)\nstart {{ p = 90 [deg]; s = 90 [deg] }}\nsimulate {{ to = 2 [s], every = 0.02 [s], rtol = 1e-10, atol = 1e-12 }}\n"
    );
    let (compiled, settings) = prepared(&text, ConstraintForm::Projected);
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(run.ending, Ending::Failed, "{}", run.reason);
    assert!(run.reason.contains("could not be carried across this singular position"), "{}", run.reason);
    assert!(run.statistics.accepted < 10_000, "{:?}", run.statistics);
}

/// A slider-crank with equal bars, folded at 90°: the slider moves with the crank, or the bars turn together above it.
#[test]
fn a_folded_slider_crank_goes_the_way_that_its_speeds_tell() {
    let text = |speeds: &str| {
        format!(
            "
body a on N by revolute(z, q = p) {{ mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }}
body b on a by revolute(z, q = r) at a.e {{ mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }}
body c on N by prismatic(x, q = s) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
joint j = revolute(b.e, c.o, axis = z)
start {{ p = 90 [deg]; der(p) = 3 [rad/s]; r ~ 180 [deg]; {speeds} }}
simulate {{ to = 0.2 [s] }}
"
        )
    };
    let found = fork(&text("der(s) = -3 [m/s]"));
    assert_eq!((found.way, found.motions), (Way::Mixed, (1, 2)), "{found}");
    // Where nothing is said of the others, they keep still as far as they can.
    for (speeds, slides) in [("", false), ("der(r) = 0 [rad/s]", false), ("der(s) = -6 [m/s]", true)] {
        let (compiled, settings) = prepared(&text(speeds), ConstraintForm::Projected);
        let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{speeds}: {e}"));
        assert_eq!(run.ending, Ending::Finished, "{speeds}: {}", run.reason);
        let (p, s) = (run.last("p").expect("a coordinate"), run.last("s").expect("a coordinate"));
        let expected = if slides { 2.0 * p.cos() } else { 0.0 };
        assert!((s - expected).abs() < 1e-6, "{speeds}: {s} {expected}");
        assert!(run.audit.relative() < 1e-6, "{speeds}: {}", run.audit);
    }
}

fn models_with_loops() -> Vec<(String, Model)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the models are there")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text =
            std::fs::read_to_string(&path).ok().filter(|_| path.extension().is_some_and(|e| e == "mbs"))?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        let model = resolve(parse(&name, &text)).into_model().ok()?;
        let has_events = !model.hybrid.discretes.is_empty();
        (!model.constraints.is_empty() && !has_events).then_some((name, model))
    };
    paths.into_iter().filter_map(read).collect()
}

/// Models whose motion is too sensitive, or goes through singular positions, to be compared across forms over their whole time.
const APART: &[&str] = &["four-bar-chain.mbs"];

/// No form and no method panics or loses its way: all reach the end of a short motion, and arrive at the same place.
#[test]
fn every_form_by_every_method_arrives_at_the_same_place() {
    let mut compared = 0;
    for (name, model) in models_with_loops() {
        let (Ok(settings), false) =
            (Settings::of(&model, &ParameterValues::of(&model)), APART.contains(&&*name))
        else {
            continue;
        };
        let mut compiled =
            compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        for form in [ConstraintForm::Stabilised, ConstraintForm::Partitioned] {
            compiled = compiled.for_constraints(form).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let to = settings.from + 0.05 * (settings.to - settings.from);
        let settings = Settings { to, every: Some(to - settings.from), rtol: 1e-9, atol: 1e-11, ..settings };
        let n = compiled.simulation.plan().states.len();
        let run = |method: Method, constraints: ConstraintForm, rtol: f64| {
            let settings = Settings { method, constraints, rtol, ..settings.clone() };
            let way = format!("{name} {method} {}", constraints.name());
            let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{way}: {e}"));
            assert_eq!(run.ending, Ending::Finished, "{way}: {}", run.reason);
            (way, run.rows.iter().next_back().expect("a sample")[1..=n].to_vec())
        };
        let (_, reference) = run(Method::Dop853, ConstraintForm::Projected, 1e-12);
        for method in [Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf] {
            for form in [ConstraintForm::Projected, ConstraintForm::Partitioned, ConstraintForm::Stabilised] {
                if form == ConstraintForm::Stabilised && !matches!(method, Method::Radau5 | Method::Bdf) {
                    continue;
                }
                let (way, there) = run(method, form, 1e-9);
                for (k, (x, expected)) in there.iter().zip(&reference).enumerate() {
                    let off = (x - expected).abs() / (1.0 + expected.abs());
                    assert!(off < 1e-4, "{way}, state {k}: {x} against {expected}");
                }
                compared += 1;
            }
        }
    }
    assert!(compared >= 100, "{compared}");
}
