//! Friction along the direction of a velocity: bodies stick and slide in the plane as they do along a line.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn run(text: &str) -> Trajectory {
    let model = resolve(parse("disc.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

fn last(motion: &Trajectory, name: &str) -> f64 {
    motion.last(name).unwrap_or_else(|| panic!("no {name}"))
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

fn reaches_the_end(motion: &Trajectory) {
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    assert!(motion.statistics.accepted < 20_000, "{} steps", motion.statistics.accepted);
    assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
}

const PUCK: &str = "parameter m = 0.2 [kg], mu = 0.3, g = 9.81 [m/s^2]
body puck on N by planar(z, q = (x, y, psi)) { mass = m; inertia = (1e-4, 1e-4, 2e-4) [kg*m^2] }
force friction on puck.o = -mu*m*g*dir(velocity(puck.o))
";

/// A puck slides v₀²/(2 μ g) along a straight line and rests there.
#[test]
fn a_puck_comes_to_rest_where_the_closed_form_says() {
    let motion = run(&format!(
        "{PUCK}start {{ der(x) = 2 [m/s]; der(y) = 1 [m/s]; der(psi) = 3 [rad/s] }}
         simulate {{ to = 2 [s] }}"
    ));
    reaches_the_end(&motion);
    let way = 5.0 / (2.0 * 0.3 * 9.81);
    close(last(&motion, "x"), way * 2.0 / 5f64.sqrt(), 1e-7);
    close(last(&motion, "y"), way / 5f64.sqrt(), 1e-7);
    close(last(&motion, "der(x)"), 0.0, 1e-12);
    close(last(&motion, "der(y)"), 0.0, 1e-12);
    close(last(&motion, "psi"), 6.0, 1e-7);
    assert!(motion.slides.iter().any(|s| s.sticks && s.to == 2.0), "{:?}", motion.slides);
}

/// At rest the friction is what holds, up to its bound; beyond, the puck moves along the pull.
#[test]
fn a_puck_at_rest_is_held_until_the_pull_exceeds_the_friction() {
    let motion = run(&format!(
        "{PUCK}force pull on puck.o = (0.5886 [N] + 0.4 [N/s]*(t - 1 [s]))*(0.6*N.x + 0.8*N.y)
         simulate {{ to = 2 [s], every = 0.1 [s] }}"
    ));
    reaches_the_end(&motion);
    // m v̇ = 0.4 (t - 1) from t = 1 s on: a way of 0.4/(6 m) after one second.
    close(last(&motion, "x"), 0.6 * 0.4 / 1.2, 1e-6);
    close(last(&motion, "y"), 0.8 * 0.4 / 1.2, 1e-6);
    let x = motion.series("x").expect("x");
    assert_eq!(x[9], 0.0);
}

/// On a slope below the friction angle a puck that is thrown across turns downhill and stops; the limit of a regularised law.
#[test]
fn a_puck_on_a_slope_is_the_limit_of_regularised_laws() {
    let slope = |law: &str| {
        run(&format!(
            "parameter m = 0.2 [kg], g = 9.81 [m/s^2]
             body puck on N by translate(x = x, y = y) {{ mass = m; inertia = (0, 0, 0) [kg*m^2] }}
             force friction on puck.o = {law}
             force weight on puck.o = 0.25*m*g*N.x
             start {{ der(x) = 0 [m/s]; der(y) = 1 [m/s] }}
             simulate {{ to = 1.5 [s], method = auto, rtol = 1e-9 }}"
        ))
    };
    let exact = slope("-0.4*m*g*dir(velocity(puck.o))");
    reaches_the_end(&exact);
    let mut gaps = vec![];
    for v in ["1e-3", "1e-4"] {
        let smooth = slope(&format!(
            "-0.4*m*g*velocity(puck.o)/sqrt(dot(velocity(puck.o), velocity(puck.o)) + ({v} [m/s])^2)"
        ));
        let gap = |name: &str| (last(&exact, name) - last(&smooth, name)).abs();
        gaps.push(gap("x") + gap("y"));
    }
    assert!(gaps[0] < 3e-3 && gaps[1] < 0.2 * gaps[0], "{gaps:?}");
    close(last(&exact, "der(x)").hypot(last(&exact, "der(y)")), 0.0, 1e-12);
}

/// A kick sets a puck that sticks moving, and it stops again.
#[test]
fn a_kick_moves_what_sticks() {
    let motion = run(&format!(
        "{PUCK}when t >= 0.5 [s] {{ puck.u1 := 0.6 [m/s]; puck.u2 := -0.8 [m/s] }}
         simulate {{ to = 2 [s] }}"
    ));
    reaches_the_end(&motion);
    let way = 1.0 / (2.0 * 0.3 * 9.81);
    close(last(&motion, "x"), 0.6 * way, 1e-7);
    close(last(&motion, "y"), -0.8 * way, 1e-7);
}

/// In space as in the plane, and along a line as with `sign`.
#[test]
fn one_law_in_one_two_and_three_dimensions() {
    for (joint, start) in [
        ("translate(x = x)", "der(x) = 1 [m/s]"),
        ("translate(x = x, y = y)", "der(x) = 1 [m/s]"),
        ("translate(x = x, y = y, z = z)", "der(x) = 1 [m/s]"),
    ] {
        let motion = run(&format!(
            "body b on N by {joint} {{ mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2] }}
             force f on b.o = -3 [N]*dir(velocity(b.o)) + 1 [N]*cos(2 [rad/s]*t)*N.x
             start {{ {start} }}
             simulate {{ to = 3 [s], rtol = 1e-11, atol = 1e-12 }}"
        ));
        reaches_the_end(&motion);
        let line = run(&format!(
            "body b on N by translate(x = x) {{ mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2] }}
             force f on b.o = (-3 [N]*sign(der(x)) + 1 [N]*cos(2 [rad/s]*t))*N.x
             start {{ {start} }}
             simulate {{ to = 3 [s], rtol = 1e-11, atol = 1e-12 }}"
        ));
        close(last(&motion, "x"), last(&line, "x"), 1e-8);
    }
}
