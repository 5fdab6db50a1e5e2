//! Regulators, filters, pole placement, Gramians, reduction.

use crate::samples::{Numbers, assert_same_set, cart_pendulum, three_lags};
use cardan_control::controllability::{
    balanced_reduction, controllability_gramian, controllable_rank, hankel_values, observable_rank,
};
use cardan_control::frequency_response::{logarithmic_grid, principal_gains};
use cardan_control::linear_quadratic::{compensator, kalman, lqr, observer};
use cardan_control::matrix::{diagonal, eigenvalues, identity, of_rows, scaled};
use cardan_control::pole_placement::{place_observer_poles, place_poles};
use cardan_control::{Complex, ControlError, FrequencyResponse, Matrix, StateSpace};

#[test]
fn regulator_of_the_cart_pendulum() {
    let system = cart_pendulum();
    let found = lqr(&system, &diagonal(&[1.0, 0.0, 1.0, 0.0]), &identity(1), None).unwrap();
    assert!(found.residual < 1e-13, "{}", found.residual);
    assert!(found.poles.iter().all(|z| z.re < 0.0));
    // The tutorial prints K = (−1.0000, −1.6567, 18.6854, 3.4594).
    let printed = [-1.0, -1.6567, 18.6854, 3.4594];
    for (j, expected) in printed.into_iter().enumerate() {
        assert!((found.gain[(0, j)] - expected).abs() < 5e-5, "{j}: {}", found.gain[(0, j)]);
    }
}

#[test]
fn kalman_filter_and_compensator_separate() {
    let plant = cart_pendulum();
    // Both positions are measured.
    let c = of_rows(&[&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0]]);
    let system = StateSpace::new(plant.a, plant.b, c, Matrix::zeros(2, 1)).unwrap();
    let regulator = lqr(&system, &diagonal(&[1.0, 0.0, 1.0, 0.0]), &identity(1), None).unwrap();
    let filter = kalman(&system, &identity(4), &scaled(&identity(2), 0.01)).unwrap();
    let compensator = compensator(&system, &regulator.gain, &filter.gain).unwrap();
    let closed = system.feedback(&compensator).unwrap();
    let both: Vec<Complex> = regulator.poles.iter().chain(&filter.poles).copied().collect();
    assert_same_set(&closed.eigenvalues().unwrap(), &both, 1e-8);
    assert!(filter.residual < 1e-13);
    let observer = observer(&system, &filter.gain).unwrap();
    assert_eq!((observer.n_inputs(), observer.n_outputs()), (3, 4));
    assert_same_set(&observer.eigenvalues().unwrap(), &filter.poles, 1e-12);
}

#[test]
fn the_scalar_kalman_filter_has_its_closed_form() {
    // a = −1, q = 3, r = 1: p² + 2 p − 3 = 0, p = 1.
    let one = identity(1);
    let system = StateSpace::new(of_rows(&[&[-1.0]]), one.clone(), one.clone(), Matrix::zeros(1, 1)).unwrap();
    let filter = kalman(&system, &of_rows(&[&[3.0]]), &one).unwrap();
    assert!((filter.covariance[(0, 0)] - 1.0).abs() < 1e-14 && (filter.gain[(0, 0)] - 1.0).abs() < 1e-14);
}

#[test]
fn poles_are_placed_with_one_input() {
    let system = cart_pendulum();
    let wanted =
        [Complex::new(-2.0, 3.0), Complex::new(-2.0, -3.0), Complex::new(-4.0, 0.0), Complex::new(-5.0, 0.0)];
    let k = place_poles(&system.a, &system.b, &wanted).unwrap();
    assert_same_set(&eigenvalues(&(&system.a - &(&system.b * &k))).unwrap(), &wanted, 1e-10);
    // Observability of the angle alone is incomplete, so the observer is refused with the rank.
    let refused = place_observer_poles(&system.a, &system.c, &wanted).unwrap_err();
    assert_eq!(refused, ControlError::NotControllable { rank: 3, n_states: 4 });
    let unpaired =
        [Complex::new(-2.0, 3.0), Complex::new(-1.0, 0.0), Complex::new(-4.0, 0.0), Complex::new(-5.0, 0.0)];
    assert!(matches!(place_poles(&system.a, &system.b, &unpaired), Err(ControlError::Value { .. })));
}

#[test]
fn poles_are_placed_with_several_inputs() {
    let mut numbers = Numbers(31);
    for (n, m) in [(3, 2), (5, 2), (6, 3), (8, 4), (4, 4)] {
        let (a, b) = (numbers.matrix(n, n), numbers.matrix(n, m));
        let mut wanted: Vec<Complex> = (0..n).map(|i| Complex::new(-1.0 - 0.5 * i as f64, 0.0)).collect();
        (wanted[0], wanted[1]) = (Complex::new(-1.0, 2.0), Complex::new(-1.0, -2.0));
        let k = place_poles(&a, &b, &wanted).unwrap();
        assert_same_set(&eigenvalues(&(&a - &(&b * &k))).unwrap(), &wanted, 1e-9);
    }
}

#[test]
fn ranks_of_the_cart_pendulum() {
    let system = cart_pendulum();
    assert_eq!(controllable_rank(&system).unwrap(), 4);
    // The angle does not show where the cart is.
    assert_eq!(observable_rank(&system).unwrap(), 3);
    let unstable = controllability_gramian(&system).unwrap_err();
    assert!(matches!(unstable, ControlError::Unstable { value } if (value - 5.565_107_579_43).abs() < 1e-10));
}

#[test]
fn hankel_values_of_one_lag() {
    // b²/(2 a) c²/(2 a): σ = |b c|/(2 a).
    let lag = crate::samples::single(&[&[-4.0]], &[2.0], &[3.0]);
    assert!((hankel_values(&lag).unwrap()[0] - 0.75).abs() < 1e-15);
}

#[test]
fn balanced_reduction_stays_within_its_bound() {
    let mut numbers = Numbers(37);
    let system = numbers.system(10, 2, 2);
    for n in [9, 6, 3] {
        let reduced = balanced_reduction(&system, n).unwrap();
        assert_eq!(reduced.system.n_states(), n);
        let negative = StateSpace {
            c: scaled(&reduced.system.c, -1.0),
            d: scaled(&reduced.system.d, -1.0),
            ..reduced.system.clone()
        };
        let error = FrequencyResponse::new(&system.parallel(&negative).unwrap()).unwrap();
        let gains = principal_gains(&error.over(&logarithmic_grid(1e-3, 1e3, 200)).unwrap()).unwrap();
        let worst = gains.iter().map(|g| g[0]).fold(0.0, f64::max);
        assert!(worst <= reduced.error_bound * (1.0 + 1e-9), "{n}: {worst} over {}", reduced.error_bound);
        assert!(worst > 0.0);
    }
    let values = hankel_values(&three_lags(1.0)).unwrap();
    let cut = balanced_reduction(&three_lags(1.0), 2).unwrap();
    assert!((cut.error_bound - 2.0 * values[2]).abs() < 1e-15);
}
