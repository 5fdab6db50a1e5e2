//! Stability verdicts: textbook words, from the same eigenvalues as the rows, with error bounds
//! instead of thresholds.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{LinearOptions, Modes, Stability, linearize, modes};

fn modes_of(text: &str) -> Modes {
    let mut study = common::study(text, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    modes(&study, &linear).unwrap()
}

/// A top-heavy body beside a stiff oscillator, stiffer and stiffer: it falls whatever stands beside
/// it.
#[test]
fn a_stiff_neighbour_does_not_hide_a_slow_divergence() {
    for stiffness in ["1e2", "1e6", "1e10", "1e14"] {
        let found = modes_of(&format!(
            "model v\ngravity = -9.81 [m/s^2]*N.y\n\
             particle stiff on N by translate(x = x) {{ mass = 1 [g] }}\n\
             spring k between stiff.o and N(1,0,0) [m] {{ stiffness = {stiffness} [N/m]; length = 1 [m] }}\n\
             body pend on N by revolute(z, q = th) {{ mass = 1 [kg]; inertia = (0,0,1) [kg*m^2]; center = (0,0.01,0) [m] }}\n"
        ));
        assert_eq!(found.stability, Stability::Unstable, "{}", found.verdict);
        let known = (9.81_f64 * 0.01 / (1.0 + 0.0001)).sqrt();
        assert!(found.modes.iter().any(|m| (m.eigenvalue.0 - known).abs() < 1e-12), "{:?}", found.modes);
        assert_eq!(found.verdict, "unstable (eigenvalue at 0.313)");
    }
}

/// A wheelset on stiff creep forces: the slow pair grows at every speed, though its real part is a
/// millionth of the largest eigenvalue. Of the quartic, Re λ = 0 at V = 0 and ∝ V² below the other
/// roots.
#[test]
fn a_slowly_growing_pair_is_unstable() {
    for speed in ["0.25", "1", "4", "10"] {
        let found = modes_of(&format!(
            "model wheelset\nparameter V = {speed} [m/s]\n\
             body w on N by translate(y = y) rotate(z = psi) {{ mass = 1200 [kg]; inertia = (1,1,700) [kg*m^2] }}\n\
             force lat on w.o = -2e7 [N]*(der(y)/V - psi)*N.y\n\
             torque yaw on w = -2e7 [N]*((0.75 [m])^2*der(psi)/V + 0.75 [m]*0.05*y/(0.46 [m]))*N.z\n"
        ));
        let grows: Vec<_> = found.modes.iter().filter(|m| m.eigenvalue.0 > 0.0).collect();
        assert!(grows.len() == 1 && grows[0].words.contains("growing"), "{:?}", found.modes);
        assert_eq!(found.stability, Stability::Unstable, "{}", found.verdict);
        assert!(found.verdict.starts_with("unstable (pair at "), "{}", found.verdict);
    }
}

/// ẍ = 2.12e-10 x beside a decay of 1e3 1/s that pushes it: λ = +1.456e-5.
#[test]
fn a_small_real_eigenvalue_is_not_rounded_to_zero() {
    let found = modes_of(
        "model slow\nparticle a on N by translate(x = x) { mass = 1 [kg] }\n\
         particle b on N by translate(z = z) { mass = 1 [kg] }\n\
         force f on a.o = (2.119936e-10 [N/m]*x + 5 [N/m]*z) * N.x\n\
         force g on b.o = (-1e6 [N/m]*z - 2e3 [N*s/m]*der(z)) * N.z\n",
    );
    assert!(found.modes.iter().any(|m| (m.eigenvalue.0 - 1.456e-5).abs() < 1e-14), "{:?}", found.modes);
    assert_eq!(found.verdict, "unstable (eigenvalue at 1.46e-5)");
}

#[test]
fn verdicts_are_those_of_the_textbooks() {
    let oscillator = |force: &str| {
        modes_of(&format!(
            "model m\nparticle a on N by translate(x = x) {{ mass = 1 [kg] }}\nforce f on a.o = ({force}) * N.x\n"
        ))
    };
    assert_eq!(oscillator("-1.69 [N/m]*x").verdict, "marginally stable (pair at ±1.30i)");
    assert_eq!(oscillator("-4 [N/m]*x - 1 [N*s/m]*der(x)").verdict, "asymptotically stable");
    // Damping of a billionth is damping.
    assert_eq!(oscillator("-4 [N/m]*x - 4e-9 [N*s/m]*der(x)").verdict, "asymptotically stable");
    assert_eq!(oscillator("4 [N/m]*x").verdict, "unstable (eigenvalue at 2.00)");
    assert_eq!(
        oscillator("-2 [N*s/m]*der(x)").verdict,
        "asymptotically stable in der(x); ignorable coordinates: x"
    );
    let cart = modes_of(
        "model cart\ngravity = -9.81 [m/s^2]*N.z\nparticle cart on N by translate(x = x) { mass = 1 [kg] }\n\
         body rod on cart by revolute(y, q = phi) { mass = 1 [kg]; inertia = (0, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }\n\
         torsion_damper d between rod and cart { damping = 0.1 [N*m*s/rad] }\n",
    );
    assert_eq!(cart.verdict, "asymptotically stable in phi; ignorable coordinates: x");
    // The heading of a boat stays where it was put: the course follows it, so it is felt, and neutral.
    let boat = modes_of(
        "model boat\nbody b on N by planar(z, q = (x, y, psi)) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\n\
         torque d on b = -2 [N*m*s/rad]*der(psi)*N.z\nforce side on b.o = -3 [N*s/m]*dot(velocity(b.o), b.y)*b.y\n\
         start { der(x) = 5 [m/s] }\n",
    );
    let neutral = "which are marginally stable (eigenvalue at 0); ignorable coordinates: x, y";
    assert_eq!(boat.verdict, format!("not decided by the linear equations, {neutral}"));
}

/// The benchmark bicycle between its weave and capsize speeds (Meijaard, Papadopoulos, Ruina &
/// Schwab 2007).
#[test]
fn a_bicycle_is_asymptotically_stable_in_lean_and_steer() {
    let model = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/whipple-bicycle.mbs");
    let text = std::fs::read_to_string(model).unwrap().replace("push = 0.5", "push = 0");
    for (speed, verdict) in [
        ("4.6", "asymptotically stable in lean and steer; ignorable coordinates: x, y, "),
        ("4", "unstable (pair at "),
        ("6.5", "unstable (eigenvalue at "),
    ] {
        let found = modes_of(&text.replace("v = 4.6", &format!("v = {speed}")));
        assert!(found.verdict.starts_with(verdict) && found.verdict.contains("yaw"), "{}", found.verdict);
    }
}

/// c |v| v has the derivative 0 at rest.
#[test]
fn quadratic_drag_at_rest_has_a_derivative() {
    for drag in ["mag(velocity(p.cm)) * velocity(p.cm)", "mag(velocity(p.cm))^2 * velocity(p.cm) / (1 [m/s])"]
    {
        let found = modes_of(&format!(
            "model drag\nparticle p on N by translate(x = x, z = z) {{ mass = 1 [kg] }}\n\
             force pull on p.o = -50 [N/m]*(x*N.x + 2*z*N.z)\nforce air on p.cm = -0.5 [N*s^2/m^2] * {drag}\n"
        ));
        assert_eq!(found.verdict, "marginally stable (pairs at ±7.07i, ±10.0i)");
        assert!(found.kinks.is_empty(), "{:?}", found.kinks);
    }
}

/// Coulomb friction written as c |v|: a corner that the program knows, and a slope that no one
/// knows.
#[test]
fn a_magnitude_alone_is_a_kink_at_zero() {
    let found = modes_of(
        "model m\nparticle p on N by translate(x = x, z = z) { mass = 1 [kg] }\n\
         force pull on p.o = -50 [N/m]*(x*N.x + 2*z*N.z)\n\
         force air on p.cm = -0.5 [N*s/m] * mag(velocity(p.cm)) * N.x\n",
    );
    assert!(!found.kinks.is_empty() && !found.decided);
}

/// A long damped chain that hangs between two points: large, badly scaled, and smooth.
#[test]
fn a_smooth_chain_has_no_kinks() {
    let n = 8;
    let mut text =
        String::from("model chain\nparameter L = 0.1 [m], m = 0.05 [kg]\ngravity = -9.81 [m/s^2]*N.z\n");
    for k in 1..=n {
        let on = if k == 1 { "N".into() } else { format!("l{}.tip", k - 1) };
        let before = if k == 1 { "N".into() } else { format!("l{}", k - 1) };
        text += &format!(
            "body l{k} on {on} by revolute(y, q = q{k}) {{ mass = m; inertia = (0, m*L^2/12, m*L^2/12); center = (L/2, 0, 0); point tip = (L, 0, 0) }}\n\
             torsion_damper d{k} between l{k} and {before} {{ damping = 1e-3 [N*m*s/rad] }}\n"
        );
    }
    text += &format!("joint end = revolute(l{n}.tip, N(0.7*{n}*L, 0, 0), axis = y)\nstart {{ q1 ~ 60 [deg]");
    (2..=n).for_each(|k| text += &format!("; q{k} ~ {} [deg]", -120.0 / n as f64));
    text += " }\n";
    let mut study = common::study(&text, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    assert!(linear.kinks.is_empty(), "{:?}", linear.kinks);
}
