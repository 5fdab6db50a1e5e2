//! What was declared small is watched: a warning says how much may have been neglected.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

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

/// In a loop the rate of a small angle is the derivative of that angle: positions and rates are shortened alike, and every form of the constraints follows
/// the same equations.
#[test]
fn rates_in_a_loop_are_those_of_its_small_angles() {
    let text = "model bars
        gravity = -9.81 [m/s^2] * N.y
        body crank on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0.02, 0, 0) [m] }
        body coupler on N by translate(x = x, y = y) rotate(z = b) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point pin = (1, 0, 0) [m] }
        body rocker on N by revolute(z, q = c) at (1, -1, 0) [m] { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point pin = (0, 1, 0) [m] }
        joint p1 = revolute(crank.pin, coupler.o, axis = z)
        joint p2 = revolute(coupler.pin, rocker.pin, axis = z)
        small b, c
        start { a = 60 [deg]; der(a) = 5 [rad/s] }
        simulate { to = 0.5 [s], every = 0.001 [s] }";
    let model = resolve(parse("bars.mbs", text)).into_model().expect("the model is right");
    let mut ends = vec![];
    for form in [ConstraintForm::Projected, ConstraintForm::Partitioned, ConstraintForm::Stabilised] {
        let compiled = compile_model(&model, Options::default()).expect("it compiles");
        let compiled = compiled.for_constraints(form).expect("the form applies");
        let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        settings.constraints = form;
        let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
        let column = |name: &str| run.columns.iter().position(|c| c.name == name).expect("a column");
        let (b, rate, a) = (column("b"), column("der(b)"), column("a"));
        let rows: Vec<&[f64]> = run.rows.iter().collect();
        for w in rows.windows(3) {
            let difference = (w[2][b] - w[0][b]) / (w[2][0] - w[0][0]);
            assert!((difference - w[1][rate]).abs() < 1e-5, "{form:?}: {difference} {}", w[1][rate]);
        }
        ends.push(rows[rows.len() - 1][a]);
    }
    assert!(ends.iter().all(|e| (e - ends[0]).abs() < 1e-6), "{ends:?}");
}
