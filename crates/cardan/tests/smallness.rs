//! What was declared small is watched: a warning says how much may have been neglected.

use cardan::prelude::*;

fn warnings(degrees: f64) -> Vec<String> {
    let text = format!(
        "model pendulum
        gravity = -9.81 [m/s^2] * N.z
        body rod on N by revolute(y, q = phi, small) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -1) [m] }}
        start {{ phi = {degrees} [deg] }}
        simulate {{ to = 1 [s] }}"
    );
    run("pendulum.mbs", &text).expect("a pendulum").trajectory.warnings
}

#[test]
fn a_small_angle_that_grows_is_told() {
    let found: Vec<String> = warnings(24.0).into_iter().filter(|w| w.contains("declared small")).collect();
    assert_eq!(found, ["`phi`, declared small, reached 0.42 rad at t = 0 s: neglected terms may be 9 %"]);
}

/// The limit is one hundredth, at 8.1 degrees.
#[test]
fn a_small_angle_that_stays_small_is_not_told() {
    assert!(!warnings(8.0).iter().any(|w| w.contains("declared small")));
    assert!(warnings(8.2).iter().any(|w| w.contains("declared small")));
}

/// A shift is small against the lengths of the mechanism: here the pendulum's metre.
#[test]
fn a_small_shift_that_grows_is_told() {
    let told = |speed: f64| -> Vec<String> {
        let text = format!(
            "model cart
            body cart on N by prismatic(x, q = x, small) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
            body rod on cart by revolute(y, q = phi, small) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -1) [m] }}
            start {{ der(x) = {speed} [m/s] }}
            simulate {{ to = 1 [s] }}"
        );
        let found = run("cart.mbs", &text).expect("a cart").trajectory.warnings;
        found.into_iter().filter(|w| w.contains("declared small")).collect()
    };
    assert_eq!(told(0.009), Vec::<String>::new());
    assert_eq!(
        told(0.25),
        ["`x`, declared small, reached 0.25 m in a mechanism of 1 m at t = 1 s: neglected terms may be 25 %"]
    );
}

/// The first of four small Euler parameters is near one and stays so.
#[test]
fn small_euler_parameters_are_judged_by_their_angles() {
    let told = |speed: f64| -> Vec<String> {
        let text = format!(
            "model ball
            body b on N by spherical(small, speed = (p, q, r)) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
            start {{ p = {speed} [rad/s] }}
            simulate {{ to = 1 [s] }}"
        );
        let found = run("ball.mbs", &text).expect("a ball").trajectory.warnings;
        found.into_iter().filter(|w| w.contains("declared small")).collect()
    };
    assert_eq!(told(0.1), Vec::<String>::new());
    assert!(told(0.3)[0].contains("reached 0.30 rad at t = 1 s"), "{:?}", told(0.3));
}
