//! Frequency responses, poles, zeros, margins, connections, sampling.

use crate::samples::{Numbers, assert_same_set, cart_pendulum, quarter_car, single, three_lags, two_masses};
use cardan_control::controllability::minimal_realisation;
use cardan_control::discretisation::Sampling;
use cardan_control::frequency_response::{logarithmic_grid, principal_gains};
use cardan_control::margins::margins;
use cardan_control::matrix::{complex, eigenvalues, identity, of_rows, solve_complex};
use cardan_control::matrix_exponential::matrix_exponential;
use cardan_control::transfer_function::{TransferFunction, polynomial, zeros};
use cardan_control::{Clock, Complex, ComplexMatrix, ControlError, FrequencyResponse, Matrix, StateSpace};
use std::f64::consts::PI;

/// C (s E − A)⁻¹ B + D by an elimination of the full matrix.
fn direct(system: &StateSpace, s: Complex) -> ComplexMatrix {
    let n = system.n_states();
    let e = system.e.clone().unwrap_or_else(|| identity(n));
    let pencil = ComplexMatrix::from_fn(n, n, |i, j| s * e[(i, j)] - Complex::new(system.a[(i, j)], 0.0));
    let x = solve_complex(&pencil, &complex(&system.b), "the pencil").unwrap();
    &(&complex(&system.c) * &x) + &complex(&system.d)
}

#[test]
fn hessenberg_response_equals_full_elimination() {
    let mut numbers = Numbers(3);
    for k in 0..60 {
        let (n, m, p) = (1 + k % 13, 1 + k % 3, 1 + k % 2);
        let mut system = numbers.system(n, m, p);
        if k % 4 == 1 {
            // A singular descriptor matrix: the last row is an algebraic equation.
            let e = Matrix::from_fn(n, n, |i, j| if i == j && (i + 1 < n || n == 1) { 1.0 } else { 0.0 });
            system = system.with_descriptor(e).unwrap();
        }
        let response = FrequencyResponse::new(&system).unwrap();
        for w in logarithmic_grid(1e-2, 1e2, 9) {
            let (g, h) = (response.at(w).unwrap(), direct(&system, Complex::new(0.0, w)));
            let error = (&g - &h).norm_l2() / h.norm_l2();
            assert!(error < 1e-11, "system {k} at {w}: {error}");
        }
    }
}

#[test]
fn published_plants_have_their_published_responses() {
    // (ω, dB, degrees), computed with python-control 0.10.2.
    let cases = [
        (cart_pendulum(), 1.0, -17.08988257, -171.8019312),
        (cart_pendulum(), 10.0, -29.2072195, -179.0114183),
        (two_masses(0), 0.1, 33.93564254, -179.9994183),
        (two_masses(0), 1.0, -33.98634325, -92.29061004),
        (two_masses(1), 2.0, -18.06179974, 4.581220085),
        (two_masses(1), 50.0, -132.9003517, 45.04587331),
    ];
    for (system, w, decibel, degrees) in cases {
        let g = FrequencyResponse::new(&system).unwrap().at(w).unwrap()[(0, 0)];
        assert!((20.0 * g.norm().log10() - decibel).abs() < 1e-7, "{w}: {}", 20.0 * g.norm().log10());
        assert!((g.arg().to_degrees() - degrees).abs() < 1e-6, "{w}: {}", g.arg().to_degrees());
    }
}

#[test]
fn a_pole_on_the_axis_is_named() {
    let response = FrequencyResponse::new(&single(&[&[0.0]], &[1.0], &[1.0])).unwrap();
    assert_eq!(response.at(0.0).unwrap_err(), ControlError::PoleOnAxis { frequency: 0.0 });
}

#[test]
fn principal_gains_are_singular_values() {
    let system = StateSpace::gain(of_rows(&[&[3.0, 0.0], &[0.0, -4.0]])).unwrap();
    let gains = principal_gains(&FrequencyResponse::new(&system).unwrap().over(&[1.0]).unwrap()).unwrap();
    assert!((gains[0][0] - 4.0).abs() < 1e-15 && (gains[0][1] - 3.0).abs() < 1e-15);
}

#[test]
fn zeros_without_the_infinite_ones() {
    let real = |x: f64| Complex::new(x, 0.0);
    let pair = |re: f64, im: f64| [Complex::new(re, im), Complex::new(re, -im)];
    assert_same_set(&zeros(&three_lags(5.0)).unwrap(), &[], 0.0);
    assert_same_set(&zeros(&two_masses(0)).unwrap(), &pair(-0.01, 0.999_949_998_75), 1e-11);
    assert_same_set(&zeros(&two_masses(1)).unwrap(), &[real(-50.0)], 1e-9);
    assert_same_set(&zeros(&cart_pendulum()).unwrap(), &[real(0.0), real(0.0)], 1e-7);
    // A random square system with a direct path: the eigenvalues of A − B D⁻¹ C.
    let mut numbers = Numbers(17);
    let system = numbers.system(6, 2, 2);
    let (a, b) = (complex(&system.a), complex(&system.b));
    let inner = solve_complex(&complex(&system.d), &complex(&system.c), "D").unwrap();
    let closed = cardan_control::matrix::real_part(&(&a - &(&b * &inner)));
    assert_same_set(&zeros(&system).unwrap(), &eigenvalues(&closed).unwrap(), 1e-9);
}

#[test]
fn transfer_functions_of_the_plants() {
    let tf = TransferFunction::of_channel(&cart_pendulum(), 0, 0).unwrap();
    // The zero at the origin and the pole there cancel: G = 4.5455 s/(s³ + …).
    let real = |x: f64| Complex::new(x, 0.0);
    let poles = [real(-5.604_094_125_55), real(-0.142_831_635_695), real(5.565_107_579_43)];
    assert_same_set(&tf.poles, &poles, 1e-10);
    assert_same_set(&tf.zeros, &[real(0.0)], 1e-10);
    assert!((tf.gain - 4.545_454_545_454_545).abs() < 1e-11);
    let lags = TransferFunction::of_channel(&three_lags(5.0), 0, 0).unwrap();
    for (found, expected) in lags.denominator().iter().zip([1.0, 6.0, 11.0, 6.0]) {
        assert!((found - expected).abs() < 1e-12);
    }
    assert!((lags.numerator()[0] - 5.0).abs() < 1e-12 && lags.numerator().len() == 1);
    assert_eq!(polynomial(&[Complex::new(1.0, 2.0), Complex::new(1.0, -2.0)]), [1.0, -2.0, 5.0]);
}

/// A motor with gear and inductance under PID control: three infinite zeros, eigenvalues over three decades.
///
/// ```text
/// G(0) = 1,  zeros: (kp Tf + kd) s² + (kp + ki Tf) s + ki = 0
/// ```
#[test]
fn infinite_zeros_of_a_controlled_motor_are_left_out() {
    let (kp, ki, kd, lag) = (60.0, 80.0, 6.0, 1e-3);
    for (inductance, inertia) in [(1e-3, 0.2), (2e-2, 0.2), (1e-4, 0.02), (1e-3, 5.0)] {
        let (gear, constant, resistance) = (60.0, 0.05, 1.0);
        // States: angle, speed, current, integral of the error, error behind the lag.
        let voltage = [-kp - kd / lag, 0.0, 0.0, ki, -kd / lag];
        let mut current: Vec<f64> = voltage.iter().map(|x| x / inductance).collect();
        current[1] -= gear * constant / inductance;
        current[2] -= resistance / inductance;
        let a = of_rows(&[
            &[0.0, 1.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, gear * constant / inertia, 0.0, 0.0],
            &current,
            &[-1.0, 0.0, 0.0, 0.0, 0.0],
            &[-1.0 / lag, 0.0, 0.0, 0.0, -1.0 / lag],
        ]);
        let b = of_rows(&[&[0.0], &[0.0], &[(kp + kd / lag) / inductance], &[1.0], &[1.0 / lag]]);
        let c = of_rows(&[&[1.0, 0.0, 0.0, 0.0, 0.0]]);
        let system = StateSpace::new(a, b, c, of_rows(&[&[0.0]])).unwrap();
        let tf = TransferFunction::of_channel(&system, 0, 0).unwrap();
        let (p, q, r): (f64, f64, f64) = (kp * lag + kd, kp + ki * lag, ki);
        let root = (q * q - 4.0 * p * r).sqrt();
        let expected = [(-q - root) / (2.0 * p), (-q + root) / (2.0 * p)].map(|x| Complex::new(x, 0.0));
        assert_same_set(&tf.zeros, &expected, 1e-8);
        let zero = Complex::new(0.0, 0.0);
        assert!((tf.at(zero) - direct(&system, zero)[(0, 0)]).norm() < 1e-8, "{}", tf.at(zero));
        assert!((tf.at(zero).re - 1.0).abs() < 1e-8, "{}", tf.at(zero));
    }
}

#[test]
fn minimal_realisation_keeps_the_response() {
    let mut numbers = Numbers(23);
    let small = numbers.system(4, 2, 2);
    // Three states that no output shows and two that no input reaches, mixed by a rotation.
    let n = 9;
    let mut a = Matrix::from_fn(n, n, |i, j| if i < 4 && j < 4 { small.a[(i, j)] } else { 0.0 });
    let extra = numbers.matrix(n, n);
    for i in 4..n {
        a[(i, i)] = -1.0 - i as f64;
    }
    for i in 4..7 {
        (0..4).for_each(|j| a[(i, j)] = extra[(i, j)]);
    }
    for j in 7..9 {
        (0..4).for_each(|i| a[(i, j)] = extra[(i, j)]);
    }
    let b = Matrix::from_fn(n, 2, |i, j| match i {
        0..4 => small.b[(i, j)],
        4..7 => extra[(i, j)],
        _ => 0.0,
    });
    let c = Matrix::from_fn(2, n, |i, j| match j {
        0..4 => small.c[(i, j)],
        7..9 => extra[(i, j)],
        _ => 0.0,
    });
    let skew = numbers.matrix(n, n);
    let q = matrix_exponential(&(&skew - skew.transpose())).unwrap();
    let (a, b, c) = (&(q.transpose() * &a) * &q, q.transpose() * &b, &c * &q);
    let large = StateSpace::new(a, b, c, small.d.clone()).unwrap();
    let minimal = minimal_realisation(&large).unwrap();
    assert_eq!(minimal.n_states(), 4);
    let error = &direct(&minimal, Complex::new(0.3, 1.0)) - &direct(&small, Complex::new(0.3, 1.0));
    assert!(error.norm_l2() < 1e-12, "{}", error.norm_l2());
}

#[test]
fn margins_of_three_lags_have_closed_forms() {
    // k/((s+1)(s+2)(s+3)): phase −180° at √11, |L| = k/60 there.
    let found = margins(&three_lags(20.0)).unwrap();
    let gain = found.gain_margin().unwrap();
    assert!((gain.frequency - 11.0_f64.sqrt()).abs() < 1e-10 && (gain.value - 3.0).abs() < 1e-10);
    // The gain crossover solves (1 + x)(4 + x)(9 + x) = 400 in x = ω².
    let phase = found.phase_margin().unwrap();
    let x = phase.frequency.powi(2);
    assert!(((1.0 + x) * (4.0 + x) * (9.0 + x) - 400.0).abs() < 1e-9);
    let w = phase.frequency;
    let expected = PI - w.atan() - (w / 2.0).atan() - (w / 3.0).atan();
    assert!((phase.value - expected).abs() < 1e-12);
    let delay = found.delay_margin().unwrap();
    assert!((delay.value - expected / w).abs() < 1e-12);
    // The modulus margin against a fine grid.
    let response = FrequencyResponse::new(&three_lags(20.0)).unwrap();
    let distance = |w: &f64| (response.at(*w).unwrap()[(0, 0)] + 1.0).norm();
    let scanned = logarithmic_grid(1.0, 10.0, 20_001).iter().map(distance).fold(9.0, f64::min);
    assert!((found.modulus.value - scanned).abs() < 1e-8 && found.modulus.value <= scanned);
}

#[test]
fn margins_with_a_delay() {
    // 2 exp(−s τ)/(s + 1): |L| = 1 at √3; at the delay margin (π − atan √3)/√3 the phase margin is
    // gone.
    let lag = single(&[&[-1.0]], &[1.0], &[2.0]);
    let undelayed = margins(&lag).unwrap();
    let expected = (PI - 3.0_f64.sqrt().atan()) / 3.0_f64.sqrt();
    assert!((undelayed.delay_margin().unwrap().value - expected).abs() < 1e-12);
    assert!(undelayed.gain.is_empty());
    let delayed = margins(&lag.clone().with_delays(&[expected]).unwrap()).unwrap();
    assert!(delayed.phase_margin().unwrap().value.abs() < 1e-9);
    let critical = delayed.gain.iter().map(|m| (m.value - 1.0).abs()).fold(9.0, f64::min);
    assert!(critical < 1e-9);
    assert!(delayed.modulus.value < 1e-9);
    assert!(lag.with_delays(&[-1.0]).is_err());
}

#[test]
fn connections_multiply_add_and_close() {
    let mut numbers = Numbers(29);
    let (g, h) = (numbers.system(5, 2, 3), numbers.system(4, 3, 2));
    let s = Complex::new(0.2, 1.7);
    let (g_s, h_s) = (direct(&g, s), direct(&h, s));
    let series = direct(&g.series(&h).unwrap(), s);
    assert!((&series - &(&h_s * &g_s)).norm_l2() < 1e-12);
    let sum = direct(&g.parallel(&g).unwrap(), s);
    assert!((&sum - &(&g_s + &g_s)).norm_l2() < 1e-12);
    let loop_s = &complex(&identity(3)) + &(&g_s * &h_s);
    let closed = solve_complex(&loop_s, &g_s, "the loop").unwrap();
    assert!((&direct(&g.feedback(&h).unwrap(), s) - &closed).norm_l2() < 1e-11);
    assert!(matches!(g.series(&g), Err(ControlError::Size { .. })));
    let unit = StateSpace::gain(of_rows(&[&[1.0]])).unwrap();
    let minus = StateSpace::gain(of_rows(&[&[-1.0]])).unwrap();
    assert!(matches!(unit.feedback(&minus), Err(ControlError::Singular { .. })));
}

#[test]
fn sampled_systems_follow_the_continuous_ones() {
    // A held input on 1/(s + 2): x(k+1) = exp(−2 h) x + (1 − exp(−2 h))/2 u.
    let lag = single(&[&[-2.0]], &[1.0], &[1.0]);
    let held = lag.discretise(0.1, Sampling::ZeroOrderHold).unwrap();
    assert!((held.a[(0, 0)] - (-0.2_f64).exp()).abs() < 1e-15);
    assert!((held.b[(0, 0)] - 0.5 * (1.0 - (-0.2_f64).exp())).abs() < 1e-15);
    // Tustin's rule maps (2/h) tan(ω h/2) to ω.
    let system = two_masses(0);
    let tustin = system.discretise(0.05, Sampling::Tustin).unwrap();
    assert_eq!(tustin.clock, Clock::Sampled(0.05));
    let (c, d) = (FrequencyResponse::new(&system).unwrap(), FrequencyResponse::new(&tustin).unwrap());
    for w in [0.3, 1.1, 5.0] {
        let warped = 40.0 * (w * 0.025_f64).tan();
        let (g, h) = (c.at(warped).unwrap()[(0, 0)], d.at(w).unwrap()[(0, 0)]);
        assert!((g - h).norm() < 1e-11 * g.norm(), "{w}");
    }
    assert!(system.discretise(0.0, Sampling::Tustin).is_err());
}

#[test]
fn zeros_of_the_quarter_car_are_those_of_its_numerators() {
    let car = quarter_car();
    let real = |x: f64| Complex::new(x, 0.0);
    // Road speed to body acceleration: s (c s + k) k_t over the characteristic polynomial.
    let body = TransferFunction::of_channel(&car, 0, 0).unwrap();
    assert_same_set(&body.zeros, &[real(0.0), real(-16.0)], 1e-9);
    assert!((body.gain / (1000.0 * 160000.0 / (250.0 * 35.0)) - 1.0).abs() < 1e-11, "{}", body.gain);
    // Road speed to spring travel: −s k_t/m_u over it.
    let spring = TransferFunction::of_channel(&car, 0, 1).unwrap();
    assert_same_set(&spring.zeros, &[real(0.0)], 1e-9);
    assert!((spring.gain / (-160000.0 / 35.0) - 1.0).abs() < 1e-11, "{}", spring.gain);
    // Stiffer by 10⁶, as a steel structure against its mass.
    let stiff = single(
        &[&[0.0, 1.0, 0.0, 0.0], &[-2e8, -2.0, 1e8, 1.0], &[0.0, 0.0, 0.0, 1.0], &[1e8, 1.0, -1e8, -1.0]],
        &[0.0, 1.0, 0.0, 0.0],
        &[0.0, 0.0, 1.0, 0.0],
    );
    assert_same_set(&zeros(&stiff).unwrap(), &[real(-1e8)], 1.0);
}
