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
