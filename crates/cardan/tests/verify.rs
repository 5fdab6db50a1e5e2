//! Every model of the library put to the test, and motions that must not pass it.

use std::fs;
use std::path::Path;

use cardan::analysis::verify::POINTS;
use cardan::analysis::{Check, Finding, Study, verify};
use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan_testkit::{Loops, TreeOptions, random_mechanism, random_tree};

fn verified(name: &str, text: &str, change: impl FnOnce(&mut Settings)) -> Vec<Check> {
    let model = resolve(parse(name, text)).into_model().expect("a right text");
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    change(&mut settings);
    let Compiled { choice, simulation, .. } = compile_model(&model, Options::default()).expect("it compiles");
    let mut study = Study::of(&choice, &[]).expect("it can be asked");
    verify(&model, &choice, &simulation, &mut study, (&settings, POINTS), &mut |_| ())
        .expect("it can be verified")
}

fn finding(checks: &[Check], name: &str) -> Finding {
    checks.iter().find(|c| c.name == name).map_or(Finding::Idle, |c| c.finding)
}

#[test]
fn every_model_of_the_library_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut models, mut by_formalisms, mut from_places, mut by_differences) = (0, 0, 0, 0);
    for entry in fs::read_dir(folder).expect("the library") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "mbs") {
            continue;
        }
        let name = path.display().to_string();
        let checks = verified(&name, &fs::read_to_string(&path).expect("readable"), |_| ());
        for check in &checks {
            assert!(matches!(check.finding, Finding::Holds | Finding::Idle), "{name}: {check:?}");
        }
        for always in ["machine code", "integrators"] {
            assert_eq!(finding(&checks, always), Finding::Holds, "{name}: {always}");
        }
        models += 1;
        by_formalisms += usize::from(finding(&checks, "formalisms") == Finding::Holds);
        from_places += usize::from(finding(&checks, "virtual power") == Finding::Holds);
        by_differences += usize::from(finding(&checks, "derivatives") == Finding::Holds);
    }
    // Formalisms: all but the one with small quantities. Places: of those, all that drives do not determine, and so differences.
    assert_eq!((models, by_formalisms, from_places, by_differences), (26, 25, 21, 22));
}

/// Bodies that stand still against gravity and preloaded springs, held by closing joints: what
/// moves is what tolerances leave.
#[test]
fn what_stands_still_holds() {
    let slide = "joint j = prismatic(seat.o, pend.P, axis = z)";
    let weld = "joint j = fixed(seat.o, pend.P)";
    let bar = "spring s between pend.o and N(0, 0, 3) [m] { stiffness = 1e4 [N/m]; length = 0.5 [m] }";
    for held in [slide.to_string(), weld.to_string(), format!("{weld}\n{bar}")] {
        let text = format!(
            "model still\ngravity = -9.80665 [m/s^2] * N.z\n\
             frame seat on N by fixed(rotate = xyz, angles = (-90, 0, 0) [deg]) at (1, 2, 3) [m]\n\
             body pend on seat by free at (2, 0, 0) [m] {{ mass = 1 [kg]; inertia = (0.04, 0.1, 0.1) [kg*m^2]; point P = (-2, 0, 0) [m] }}\n\
             {held}\nsimulate {{ to = 5 [s], every = 0.05 [s] }}\n"
        );
        for check in verified("still.mbs", &text, |_| ()) {
            assert!(matches!(check.finding, Finding::Holds | Finding::Idle), "{held}: {check:?}");
        }
    }
}

const SWING: &str = "
    gravity = -9.81 [m/s^2] * N.z
    body rod on N by rotate(y = q) { mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -1) [m] }
    start { q = 120 [deg] }
    simulate { to = 10 [s] }
";

#[test]
fn coarse_steps_are_found_out() {
    let checks = verified("swing", SWING, |_| ());
    assert_eq!(finding(&checks, "energy"), Finding::Holds);
    let checks = verified("swing", SWING, |s| (s.method, s.step) = (Method::Rk4, Some(0.2)));
    assert_eq!(finding(&checks, "energy"), Finding::Fails, "{checks:?}");
    assert_eq!(finding(&checks, "integrators"), Finding::Doubtful, "{checks:?}");
    // What is true of single states stays true.
    assert_eq!(finding(&checks, "virtual power"), Finding::Holds, "{checks:?}");
}

/// Two angles that are nearly chaotic: digits get lost, and the line says from when on.
#[test]
fn a_chaotic_motion_is_called_so() {
    let text = format!(
        "{SWING}
        body arm on rod by rotate(y = p) at (0, 0, -2) [m] {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -1) [m] }}"
    );
    let checks = verified("chaos", &text, |s| s.to = 60.0);
    assert_eq!(finding(&checks, "integrators"), Finding::Doubtful, "{checks:?}");
    assert_eq!(finding(&checks, "energy"), Finding::Holds, "{checks:?}");
}

/// A motion that cannot go on to its end is no motion to trust.
#[test]
fn a_motion_that_breaks_off_fails() {
    let text = "
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force grows on p.cm = 1 [N/m^2] * x^2 * N.x
        start { x = 10 [m] }
        simulate { to = 10 [s] }
    ";
    let checks = verified("blows up", text, |_| ());
    assert_eq!(finding(&checks, "integrators"), Finding::Fails, "{checks:?}");
}

/// A push that all methods step over, as long as samples are apart.
#[test]
fn a_load_that_was_stepped_over_is_found() {
    let text = "
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force push on p.cm = 100 [N] * exp(-((t - 5 [s]) / (10 [ms]))^2) * N.x
        simulate { to = 10 [s] }
    ";
    let checks = verified("push", text, |_| ());
    assert_eq!(finding(&checks, "integrators"), Finding::Doubtful, "{checks:?}");
    let checks = verified("push", text, |s| s.max_step = Some(0.01));
    assert_eq!(finding(&checks, "integrators"), Finding::Holds, "{checks:?}");
}

/// Joints that are driven at a constant rate, unsteadily, along a line, and speeds of one's own that drift with time: all formalisms know them.
#[test]
fn formalisms_agree_behind_drives() {
    let body = "mass = 2 [kg]; inertia = (0.35, 0.37, 0.32, -0.035, -0.006, -0.1) [kg*m^2]; center = (0.08, 0.16, -0.26) [m]";
    let own =
        "body a on N by rotate(z = r) { BODY }\nbody b on a by rotate(x = q) at (0.2, 0.1, 0.3) [m] { BODY }
        speed w = der(r) - 3 [rad/s^2] * t\nspeed v = der(q)";
    for joints in [
        "body b on N by revolute((0.6, 0, 0.8), motion = 2.4 [rad/s] * t) revolute(y, q = q) { BODY }",
        "body b on N by revolute((0.6, 0, 0.8), motion = 0.4 [rad] * sin(5 [rad/s] * t)) revolute(y, q = q) { BODY }",
        "body a on N by rotate(z = r) { BODY }
         body b on a by translate(x, motion = 0.2 [m] * cos(4 [rad/s] * t)) rotate(y = q) at (0.2, 0.1, 0.3) [m] { BODY }",
        own,
    ] {
        let text = format!(
            "gravity = -9.81 [m/s^2] * N.z\n{}\nstart {{ q = 0.3 [rad]; der(q) = 1 [rad/s] }}\nsimulate {{ to = 1 [s] }}",
            joints.replace("BODY", body)
        );
        let checks = verified("driven", &text, |_| ());
        for name in ["formalisms", "virtual power"] {
            assert_eq!(finding(&checks, name), Finding::Holds, "{joints}: {checks:?}");
        }
        let compared = &checks[0].compared;
        assert!(Formalism::ALL.iter().all(|f| compared.contains(f.name())), "{joints}: {compared}");
    }
}

/// Random trees and random loops: Newton's law from places alone is a derivation that no formalism takes part in.
#[test]
fn newtons_law_holds_in_random_systems() {
    let tree = |seed| TreeOptions { bodies: 3 + seed as usize % 4, loads: true, user_speeds: seed % 3 == 0 };
    let trees = (0..60).map(|seed| random_tree(seed, tree(seed)));
    let loops = [Loops::Planar, Loops::Spatial];
    let loops = loops.into_iter().flat_map(|kind| (0..60).map(move |seed| random_mechanism(seed, kind)));
    let mut held = [0, 0];
    for (k, model) in trees.chain(loops).enumerate() {
        // Some cannot be put together, and some begin in a singular position.
        let Ok(Compiled { choice, simulation, .. }) = compile_model(&model, Options::default()) else {
            continue;
        };
        let Ok(mut study) = Study::of(&choice, &[]) else { continue };
        let settings = Settings { to: 0.2, every: Some(0.02), ..Settings::default() };
        let Ok(checks) = verify(&model, &choice, &simulation, &mut study, (&settings, POINTS), &mut |_| ())
        else {
            continue;
        };
        // A motion that ends on the way ends where nothing is sure.
        if finding(&checks, "integrators") == Finding::Fails {
            continue;
        }
        for (name, count) in ["formalisms", "virtual power"].into_iter().zip(&mut held) {
            let found = finding(&checks, name);
            assert!(matches!(found, Finding::Holds | Finding::Idle), "system {k}: {checks:?}");
            *count += usize::from(found == Finding::Holds);
        }
    }
    assert!(held.iter().all(|n| *n > 120), "{held:?} of 180");
}

/// A rotor that a gear drives turns far more than any coordinate: differences must follow it.
#[test]
fn rotors_behind_gears_hold() {
    for ratio in [1, 10, 60, 300] {
        let text = format!(
            "model rotor\ngravity = 0\n\
             body arm on N by revolute(z, q = phi) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}\n\
             body wheel on N by revolute(z, motion = {ratio}*phi) {{ mass = 0.1 [kg]; \
             inertia = (1, 1, 1) [g*m^2] }}\n\
             torque drive on arm from N = 1 [N*m] * N.z\nsimulate {{ to = 1 [s] }}\n"
        );
        let checks = verified("rotor", &text, |_| ());
        assert_eq!(finding(&checks, "virtual power"), Finding::Holds, "ratio {ratio}: {checks:?}");
    }
}
