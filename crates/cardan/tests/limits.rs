//! Stops of joints and rotor inertias: closed forms.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn run(text: &str, method: Method, formalism: Option<Formalism>) -> Trajectory {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let options = Options { formalism, ..Options::default() };
    let compiled = compile_model(&model, options).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings { method, ..Settings::of(&model, &ParameterValues::of(&model)).unwrap() };
    let run = compiled.simulation.run(&settings, &mut ()).unwrap();
    assert!(run.ending == Ending::Finished && run.warnings.is_empty(), "{:?} {:?}", run.reason, run.warnings);
    run
}

fn last(run: &Trajectory, name: &str) -> f64 {
    *run.series(name).unwrap_or_else(|| panic!("no column `{name}`")).last().unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} is not {expected}");
}

/// m = 2 at 3 m/s comes from 0.3 m before a stop, stays there for a while, and goes back.
///
/// ```text
/// x = (v/w) exp(-d t) sin(w t)   with d = c/2m, w² = k/m - d²;   it leaves where ẍ = 0: tan(w t) = 2 d w / (d² - w²)
/// ```
#[test]
fn a_block_bounces_off_its_stop_as_in_closed_form() {
    let (m, k, v): (f64, f64, f64) = (2.0, 800.0, 3.0);
    for c in [0.0, 8.0, 30.0] {
        let d = c / (2.0 * m);
        let w = (k / m - d * d).sqrt();
        let leaves = (2.0 * d * w).atan2(d * d - w * w) / w;
        let decay = (-d * leaves).exp() * v / w;
        let x = decay * (w * leaves).sin();
        let back = decay * (w * (w * leaves).cos() - d * (w * leaves).sin());
        let expected = x + back * (1.0 - 0.1 - leaves);
        let damping = if c > 0.0 { format!("; damping = {c} [N*s/m]") } else { String::new() };
        for (sign, end) in [(1.0, "upper = 0.3 [m]"), (-1.0, "lower = -30 [cm]")] {
            let text = format!(
                "particle p on N by translate(x = x) {{ mass = {m} [kg] }}
                 stop wall on x {{ {end}; stiffness = {k} [N/m]{damping} }}
                 output wall.effort
                 start {{ der(x) = {} [m/s] }}
                 simulate {{ to = 1 [s] }}",
                sign * v
            );
            for method in [Method::Auto, Method::Dop853, Method::Radau5, Method::Bdf] {
                let run = run(&text, method, None);
                let what = format!("{method} {c} {end}");
                let tolerance = if method == Method::Bdf { 1e-6 } else { 1e-8 };
                close(sign * last(&run, "x") - 0.3, expected, tolerance, &what);
                close(last(&run, "wall.effort"), 0.0, 0.0, &what);
                assert!(run.series("wall.effort").unwrap().iter().all(|f| sign * f <= 0.0), "{what} pulls");
                assert!(run.crossings + run.switches.len() > 0, "{what}");
            }
        }
    }
}

/// Between two springs nothing is lost, however often it is caught.
#[test]
fn energy_is_kept_between_two_stops_of_a_joint_with_limits() {
    let run = run(
        "body wheel on N by revolute(z, q = phi, limit = -20 [deg] .. 30 [deg]) { mass = 1 [kg]; inertia.zz = 0.5 [kg*m^2] }
         stop buffer on phi { stiffness = 300 [N*m/rad] }
         start { der(phi) = 4 [rad/s] }
         simulate { to = 20 [s] }",
        Method::Auto,
        None,
    );
    assert!(run.audit.relative() < 1e-9, "{}", run.audit.relative());
    assert!(run.crossings + run.switches.len() > 40);
}

/// ```text
/// (I + J) q̈ = -m g l sin q,   and what the pin does to the rod about its axis is the -J q̈ of the rotor
/// ```
#[test]
fn a_rotor_is_inertia_about_its_axis_alone() {
    let rod = |armature: &str, moment: f64| {
        format!(
            "gravity = -9.81 [m/s^2] * N.z
             body rod on N by revolute(y, q = q{armature}) {{ mass = 2 [kg]; inertia = (0.1, {moment}, 0.1) [kg*m^2]; center = (0, 0, -0.5) [m] }}
             start {{ q = 60 [deg]; der(q) = 1 [rad/s] }}
             output turn = dot(rod.torque, rod.y), rotor = 0.3 * 9.81 [N*m] * sin(q) / (0.5 + 0.1 + 0.3)
             simulate {{ to = 3 [s]; every = 0.1 [s] }}"
        )
    };
    let plain = run(&rod("", 0.4), Method::Dop853, None);
    for formalism in Formalism::ALL {
        let geared = run(&rod(", armature = 0.3 [kg*m^2]", 0.1), Method::Dop853, Some(formalism));
        for name in ["q", "der(q)"] {
            for (a, b) in plain.series(name).unwrap().iter().zip(geared.series(name).unwrap()) {
                close(*a, b, 1e-9, name);
            }
        }
        for (a, b) in geared.series("turn").unwrap().iter().zip(geared.series("rotor").unwrap()) {
            close(*a, b, 1e-9, "torque of the pin");
        }
        assert!(geared.audit.relative() < 1e-9);
    }
}

/// One value for each freedom: speeds in the body, a screw, translations as masses.
#[test]
fn rotors_of_several_freedoms_agree_between_formalisms() {
    let block = "{ mass = 2 [kg]; inertia = (0.1, 0.2, 0.3) [kg*m^2]; center = (0.1, -0.2, 0.3) [m] }";
    for joint in [
        "spherical(armature = (0.1, 0.2, 0.3) [kg*m^2])",
        "spherical(rotate = zxz, speeds = rates, q = (qa, qb, qc), armature = 0.2 [kg*m^2])",
        "screw(z, lead = 20 [cm], armature = 0.2 [kg*m^2])",
        "cylindrical(x, armature = (3 [kg], 0.2 [kg*m^2]))",
        "translate(x = x, y = y, armature = 2 [kg]) rotate(z = psi)",
        "free(rotate = xyz, armature = (1 [kg], 2 [kg], 3 [kg], 0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2]))",
    ] {
        let start = if joint.contains("zxz") { "start { qb = 1 [rad] }" } else { "" };
        let text = format!(
            "gravity = -9.81 [m/s^2] * N.z\nbody a on N by {joint} {block}
             body arm on a by revolute((1, 2, 2), q = bend, armature = 0.05 [kg*m^2]) at (0, 0.3, 0) [m] {block}
             {start}\nsimulate {{ to = 0.5 [s] }}"
        );
        // Articulated bodies do not take screws, whose two rates depend on one another.
        let some = Formalism::ALL
            .into_iter()
            .filter(|f| *f != Formalism::Articulated || !joint.starts_with("screw"));
        let runs: Vec<Trajectory> = some.map(|f| run(&text, Method::Dop853, Some(f))).collect();
        for other in &runs {
            close(last(other, "bend"), last(&runs[0], "bend"), 1e-9, joint);
            assert!(other.audit.relative() < 1e-9, "{joint}: {}", other.audit.relative());
        }
    }
}
