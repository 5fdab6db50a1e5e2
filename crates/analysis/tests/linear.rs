//! Linear equations against closed forms and against differences of the motion on its constraints.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{LinearOptions, Linearization, Point, Study, linearize, modes};

fn at_start(study: &mut Study) -> Linearization {
    let y = study.start(0.0).unwrap();
    linearize(study, 0.0, &y, &LinearOptions::default()).unwrap()
}

const CART_POLE: &str = "
model cart_pole
parameter M = 2 [kg], m = 0.5 [kg], L = 0.7 [m], F = 0 [N]
gravity = -9.81 [m/s^2] * N.z
body cart on N by translate(x = x) { mass = M; inertia = (0, 0, 0) [kg*m^2] }
body pole on cart by rotate(y = theta) { mass = m; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, L) }
force push on cart.o from N = F * N.x
output tip = x + L * sin(theta)
output load = F / M
";

/// Of a tree in ordinary coordinates they are A and B, at any state.
#[test]
fn derivatives_of_the_rates_are_the_matrices_of_a_tree() {
    let mut study = common::study(CART_POLE, &["F"]);
    let y = [0.1, 0.4, -0.3, 0.7];
    let (by_states, by_inputs) = study.rate_derivatives(0.0, &y).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    assert_eq!((by_inputs.n_rows(), by_inputs.n_cols()), (4, 1));
    for i in 0..4 {
        assert!((by_inputs[(i, 0)] - linear.b[(i, 0)]).abs() < 1e-13);
        (0..4).for_each(|j| assert!((by_states[(i, j)] - linear.a[(i, j)]).abs() < 1e-12));
    }
    assert!(by_states[(3, 1)].abs() > 1.0);
}

/// ẍ = (F - m g θ)/M, θ̈ = ((M + m) g θ - F)/(M L) for a pole that stands on a cart.
#[test]
fn a_cart_pole_has_the_matrices_of_the_textbook() {
    let mut study = common::study(CART_POLE, &["F"]);
    let linear = at_start(&mut study);
    let (big, m, l, g) = (2.0, 0.5, 0.7, 9.81);
    let names: Vec<&str> = linear.independent.iter().map(|i| i.named.name.as_str()).collect();
    assert_eq!(names, ["x", "theta", "der(x)", "der(theta)"]);
    assert_eq!(linear.unfelt().iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["x"]);
    assert_eq!(linear.point, Point::Equilibrium);
    let mut known = [[0.0; 4]; 4];
    (known[0][2], known[1][3]) = (1.0, 1.0);
    known[2][1] = -m * g / big;
    known[3][1] = (big + m) * g / (big * l);
    for i in 0..4 {
        for j in 0..4 {
            assert!((linear.a[(i, j)] - known[i][j]).abs() < 1e-13, "A{i}{j} is {}", linear.a[(i, j)]);
        }
    }
    for (i, b) in [0.0, 0.0, 1.0 / big, -1.0 / (big * l)].into_iter().enumerate() {
        assert!((linear.b[(i, 0)] - b).abs() < 1e-14);
    }
    for (j, c) in [1.0, l, 0.0, 0.0].into_iter().enumerate() {
        assert!((linear.c[(0, j)] - c).abs() < 1e-14 && linear.c[(1, j)] == 0.0);
    }
    assert!(linear.d[(0, 0)] == 0.0 && (linear.d[(1, 0)] - 0.5).abs() < 1e-15);
    let second = &linear.second_order;
    let forms =
        [(second.mass[(0, 0)], big + m), (second.mass[(0, 1)], m * l), (second.mass[(1, 1)], m * l * l)];
    forms.iter().for_each(|(found, known)| assert!((found - known).abs() < 1e-13));
    assert!((second.stiffness[(1, 0)] + m * g * l).abs() < 1e-13 && second.stiffness[(0, 0)].abs() < 1e-13);
    assert!((second.forcing[(0, 0)] - 1.0).abs() < 1e-13 && second.forcing[(1, 0)].abs() < 1e-13);
}

/// Two equal masses on two equal strings: ω² = g/L (2 ± √2), and the shapes 1 : ±√2 (absolute angles).
#[test]
fn a_double_pendulum_has_two_modes() {
    let text = "
        model two
        gravity = -9.81 [m/s^2] * N.z
        particle a on N by revolute(y, q = alpha) { mass = 3 [kg]; center = (0, 0, -0.4) [m] }
        particle b on a by revolute(y, q = beta) at (0, 0, -0.4) [m] { mass = 3 [kg]; center = (0, 0, -0.4) [m] }
    ";
    let mut study = common::study(text, &[]);
    let linear = at_start(&mut study);
    let found = modes(&study, &linear).unwrap();
    assert_eq!(found.modes.len(), 2);
    for (mode, sign) in found.modes.iter().zip([-1.0, 1.0]) {
        let square: f64 = 9.81 / 0.4 * (2.0 + sign * f64::sqrt(2.0));
        let hertz = square.sqrt() / std::f64::consts::TAU;
        assert!((mode.frequency - hertz).abs() < 1e-12 && mode.damping.abs() < 1e-12, "{mode:?}");
        assert!(mode.words.contains("undamped"), "{}", mode.words);
        // β is relative: its share is (∓√2 - 1) of α.
        let ratio = mode.shape[1].0 / mode.shape[0].0;
        assert!((ratio - (-sign * f64::sqrt(2.0) - 1.0)).abs() < 1e-10);
        assert!(mode.shape.iter().take(2).all(|z| z.1.abs() < 1e-10));
    }
}

/// ζ = d / (2 √(k m)), ω = √(k/m).
#[test]
fn a_damped_mass_is_named_in_words() {
    let text = "
        model car
        body m on N by translate(x = s) { mass = 4 [kg]; inertia = (0, 0, 0) [kg*m^2] }
        force spring on m.o from N = (-100 [N/m] * s - 4 [N*s/m] * der(s)) * N.x
    ";
    let mut study = common::study(text, &[]);
    let linear = at_start(&mut study);
    let found = modes(&study, &linear).unwrap();
    let mode = &found.modes[0];
    assert!((mode.frequency * std::f64::consts::TAU - 5.0).abs() < 1e-13);
    assert!((mode.damping - 0.1).abs() < 1e-14 && (mode.time_constant - 2.0).abs() < 1e-13);
    assert_eq!(mode.words, "0.796 Hz, damped 10.0 %, mostly `s`");
    assert_eq!(found.stability, cardan_analysis::Stability::Asymptotic);
}

/// A (x₊ - x₋) = f(y₊) - f(y₋) for pairs of neighbours on the constraints.
fn agrees_with_differences(text: &str, tolerance: f64) {
    let mut study = common::study(text, &[]);
    let y = study.start(0.3).unwrap();
    let linear = linearize(&mut study, 0.3, &y, &LinearOptions::default()).unwrap();
    let n = linear.independent.len();
    assert!(n > 0);
    for j in 0..n {
        let beside = |study: &mut Study, by: f64| {
            let mut near: Vec<f64> = y.iter().zip(linear.basis.column(j)).map(|(y, z)| y + by * z).collect();
            let left = study.close(0.3, &mut near).unwrap();
            assert!(left < 1e-12, "{left:e}");
            let rates = study.rates(0.3, &near).unwrap();
            (near, rates)
        };
        let ((up, f_up), (down, f_down)) = (beside(&mut study, 1e-5), beside(&mut study, -1e-5));
        let dx: Vec<f64> = linear.independent.iter().map(|i| up[i.place] - down[i.place]).collect();
        let mut predicted = vec![0.0; n];
        linear.a.multiply(&dx, &mut predicted);
        let scale = linear.a.as_slice().iter().fold(1.0, |m: f64, a| a.abs().max(m));
        for (i, independent) in linear.independent.iter().enumerate() {
            let seen = (f_up[independent.place] - f_down[independent.place]) / 2e-5;
            let said = predicted[i] / 2e-5;
            assert!(
                (seen - said).abs() < tolerance * scale,
                "{}: {seen} is not {said}",
                independent.named.name
            );
        }
    }
}

#[test]
fn loops_in_motion_agree_with_differences() {
    agrees_with_differences(include_str!("../../../models/four-bar.mbs"), 1e-7);
}

#[test]
fn repeated_constraints_agree_with_differences() {
    agrees_with_differences(include_str!("../../../models/door.mbs"), 1e-7);
}

#[test]
fn euler_parameters_agree_with_differences() {
    agrees_with_differences(include_str!("../../../models/heavy-top.mbs"), 1e-7);
}

#[test]
fn rolling_on_a_curve_agrees_with_differences() {
    let turning =
        common::BICYCLE.replace("der(x) = v }", "der(x) = v; phi = 0.2; delta = 0.15; der(phi) = 0.3 }");
    agrees_with_differences(&turning, 1e-6);
}

/// A driven pendulum: constraints that depend on time and on an input.
#[test]
fn an_input_may_move_a_constraint() {
    let text = "
        model pushed
        parameter a = 0.2 [m]
        body cart on N by translate(x = x) { mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2] }
        body other on N by translate(x = z) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2] }
        force spring on cart.o from N = -50 [N/m] * x * N.x
        constraint apart = z - x - a
        output place = z
    ";
    let mut study = common::study(text, &["a"]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions { keep: vec!["x".into()] }).unwrap();
    assert_eq!(linear.independent[0].named.name, "x");
    // x is kept, so z follows the input at once and nothing accelerates x.
    assert!(linear.b[(0, 0)].abs() < 1e-14 && linear.b[(1, 0)].abs() < 1e-12);
    assert!((linear.d[(0, 0)] - 1.0).abs() < 1e-14 && (linear.a[(1, 0)] + 50.0 / 3.0).abs() < 1e-12);
    let unknown = linearize(&mut study, 0.0, &y, &LinearOptions { keep: vec!["y".into()] }).unwrap_err();
    assert!(unknown.to_string().starts_with("the model has no coordinate, speed or state `y`"));
}

/// Two masses of a chain between springs, shaken along the chain: the effective masses are (Σ m φ)²/(Σ m φ²), and sum up to all
/// mass; across the chain nothing moves.
#[test]
fn effective_masses_of_a_chain_sum_up_to_its_mass() {
    let text = "
        gravity = 0
        particle a on N by translate(x = x1) { mass = 2 [kg] }
        particle b on N by translate(x = x2) { mass = 1 [kg] }
        force left on a.o from N = -800 [N/m] * x1 * N.x
        force middle on b.o from a = -800 [N/m] * (x2 - x1) * N.x
    ";
    let choice = common::choice(text, &[]);
    let mut study = Study::of(&choice, &[]).unwrap();
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    let modes = modes(&study, &linear).unwrap();
    let found = cardan_analysis::effective_masses(&choice, &mut study, &linear, &modes).unwrap();
    assert_eq!(found.len(), 2);
    // x2/x1 = 2 - ω²/400 with ω² = 800 (1 ∓ 1/√2).
    for (mass, sign) in found.iter().zip([1.0, -1.0]) {
        let ratio = sign * 2.0_f64.sqrt();
        let known = (2.0 + ratio).powi(2) / (2.0 + ratio * ratio);
        assert!((mass.mass[0] - known).abs() < 1e-12, "{mass:?} {known}");
        assert!(mass.mass[1].abs() < 1e-20 && mass.mass[2].abs() < 1e-20, "{mass:?}");
    }
    let total: f64 = found.iter().map(|m| m.mass[0]).sum();
    assert!((total - 3.0).abs() < 1e-12, "{total}");
}
