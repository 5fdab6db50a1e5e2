//! Closed loops: assembly, mobility, what is left open, what cannot be closed.

use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn library(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    fs::read_to_string(path).expect("a model of the library")
}

fn compiled(text: &str) -> Result<(Model, Compiled), String> {
    let model = resolve(parse("loops.mbs", text)).into_model().map_err(|e| e.to_string())?;
    let compiled = compile_model(&model, Options::default()).map_err(|e| e.to_string())?;
    Ok((model, compiled))
}

fn motion(text: &str, to: f64) -> Trajectory {
    let (model, compiled) = compiled(text).unwrap_or_else(|e| panic!("{e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    settings.to = to;
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"))
}

/// Rows across the plane hold by themselves; the others leave one degree of freedom.
#[test]
fn planar_loops_cost_planar_equations() {
    for (name, rows, implied) in [("four-bar.mbs", 2, 3), ("squeezer.mbs", 6, 9), ("door.mbs", 0, 10)] {
        let (_, compiled) = compiled(&library(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let loops = compiled.choice.loops.expect("a model with loops");
        assert_eq!((loops.loops.rows.len(), loops.implied.len()), (rows, implied), "{name}");
        assert_eq!(loops.mobility, 1, "{name}");
        assert!(loops.redundant.is_empty(), "{name}");
    }
}

#[test]
fn a_motion_stays_on_its_constraints() {
    for (name, to) in [("four-bar.mbs", 2.0), ("squeezer.mbs", 0.03)] {
        let (position, velocity) = motion(&library(name), to).left_open.expect("a model with loops");
        // Rounding: bars of up to 0.4 m, angles of up to 50 rad, rates of up to 1,400 rad/s.
        assert!(position < 1e-14 && velocity < 1e-12, "{name}: {position:e} {velocity:e}");
    }
}

/// Only the crank is given; it stays where it was put, even where all bars lie in one line.
#[test]
fn what_is_given_is_kept() {
    for angle in ["0", "60 [deg]", "200 [deg]"] {
        let text = library("four-bar.mbs").replace("phi = 60 [deg]", &format!("phi = {angle}"));
        let run = motion(&text, 0.01);
        let expected: f64 = match angle {
            "0" => 0.0,
            "60 [deg]" => 60f64.to_radians(),
            _ => 200f64.to_radians(),
        };
        let phi = run.series("phi").expect("a coordinate")[0];
        assert!((phi - expected).abs() < 1e-14, "{angle}: {phi}");
        let rate = run.series("der(phi)").expect("a speed")[0];
        assert!((rate - 20.0).abs() < 1e-9, "{angle}: {rate}");
    }
}

#[test]
fn a_loop_that_cannot_close_is_named_with_its_gap() {
    let text = library("four-bar.mbs").replace("g = 0.3 [m]", "g = 2 [m]");
    let error = compiled(&text).map(|_| ()).expect_err("bars of 0.7 m do not span 2 m");
    assert!(error.contains("`pin`") && error.contains("open by"), "{error}");
}

/// Two more hinges that are not in line with the first: they repeat it in some directions and contradict it in none.
#[test]
fn repeated_rows_are_found_by_rank() {
    let text = "
model twin
gravity = -9.81 [m/s^2] * N.y
body a on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }
body b on N by revolute(z, q = r) at (0, 1, 0) [m] { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0.5, 0, 0) [m]; point e = (1, 0, 0) [m] }
body c on a by revolute(z, q = s) at a.e { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0.5, 0) [m]; point e = (0, 1, 0) [m] }
joint once = revolute(c.e, b.e, axis = z)
joint twice = spherical(c.e, b.e)
start { p = 30 [deg] }
simulate { to = 1 [s] }
";
    let (_, compiled) = compiled(text).unwrap_or_else(|e| panic!("{e}"));
    let loops = compiled.choice.loops.expect("a model with loops");
    assert_eq!(loops.mobility, 1);
    assert_eq!(loops.redundant.len(), 2, "{:?}", loops.redundant);
    assert!(loops.redundant.iter().all(|r| r.constraint == "twice"));
    let run = motion(text, 1.0);
    assert!(run.audit.relative() < 1e-9, "{}", run.audit);
}

/// Posts go round and round; whenever they lie flat, all bars are in one line. The beams stay level: the motion keeps its branch.
#[test]
fn flat_positions_are_passed_on_the_branch() {
    let text = library("four-bar-chain.mbs");
    for form in ["projected", "partitioned"] {
        let text = text.replace("to = 10 [s]", &format!("to = 10 [s], constraints = {form}"));
        let (model, compiled) = compiled(&text).unwrap_or_else(|e| panic!("{e}"));
        let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        let compiled = compiled.for_constraints(settings.constraints).unwrap_or_else(|e| panic!("{e}"));
        let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(run.ending, Ending::Finished, "{form}: {}", run.reason);
        assert!(run.audit.relative() < 1e-6, "{form}: {}", run.audit);
        for name in ["tilt[1]", "tilt[2]"] {
            let worst = run.series(name).expect("an output").iter().fold(0.0f64, |m, x| m.max(x.abs()));
            assert!(worst < 1e-6, "{form}: {name} departs by {worst}");
        }
        // Which step ends near a flat position is chance; what is said of it is not.
        for passage in &run.passages {
            assert_eq!(passage.constraints, ["pin[1]", "pin[2]"], "{form}: {passage}");
            let (times, angles) = (run.times(), run.series("a[0]").expect("a coordinate").to_vec());
            let near = times
                .iter()
                .zip(angles)
                .min_by(|a, b| (a.0 - passage.t).abs().total_cmp(&(b.0 - passage.t).abs()));
            let flat = near.map_or(1.0, |(_, a)| a.sin().abs());
            assert!(flat < 0.1, "{form}: {passage}, where the posts stand at {flat}");
        }
        let turns = run.series("a[0]").expect("a coordinate").last().copied().unwrap_or(0.0);
        assert!(turns < -25.0, "{form}: the posts turn {turns} rad only");
    }
}

/// A pin at the end of an arm, at a place that the arm can reach: along the arm its rate vanishes in every closed position, and yet it
/// is a condition on the angle.
#[test]
fn a_pin_along_the_arm_is_no_contradiction() {
    let arm = |x: f64, z: f64| {
        format!(
            "model pinned
body a on N by revolute(y, q = q) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point e = (0, 0, -1) [m] }}
joint j = spherical(a.e, N({x}, 0, {z}) [m])
simulate {{ to = 1 [s] }}
"
        )
    };
    let run = motion(&arm(0.6, -0.8), 1.0);
    let angle = run.series("q").expect("a coordinate").to_vec();
    assert!(angle.iter().all(|q| (q + 0.6f64.asin()).abs() < 1e-12), "{angle:?}");
    let Err(reason) = compiled(&arm(0.6, -0.9)) else { panic!("the arm is too short") };
    assert!(reason.to_string().contains("cannot be closed"), "{reason}");
}
