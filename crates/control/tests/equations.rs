//! Schur's form, Lyapunov's and Riccati's equations.

use crate::samples::{Numbers, assert_same_set};
use cardan_control::lyapunov::{discrete_lyapunov, discrete_lyapunov_residual, lyapunov, lyapunov_residual};
use cardan_control::matrix::{complex, eigenvalues, identity, norm, of_rows, scaled};
use cardan_control::matrix_exponential::matrix_exponential;
use cardan_control::riccati::Quadratic;
use cardan_control::schur::Schur;
use cardan_control::{ControlError, Matrix};

#[test]
fn schur_form_is_a_similarity_with_the_chosen_eigenvalues_first() {
    let mut numbers = Numbers(7);
    for n in [1, 2, 3, 5, 12, 40] {
        let a = numbers.matrix(n, n);
        let mut s = Schur::new(&a).unwrap();
        let count = s.order(|z| z.re < 0.0);
        let values = s.eigenvalues();
        assert!(values[..count].iter().all(|z| z.re < 0.0) && values[count..].iter().all(|z| z.re >= 0.0));
        let back = &(&s.u * &s.t) * s.u.adjoint();
        let error = (&back - &complex(&a)).norm_l2();
        assert!(error < 1e-14 * n as f64 * norm(&a), "{n}: {error}");
        let unit = (&(s.u.adjoint() * &s.u) - &complex(&identity(n))).norm_l2();
        assert!(unit < 1e-14 * n as f64, "{n}: {unit}");
        for j in 0..n {
            assert!((j + 1..n).all(|i| s.t[(i, j)].norm() == 0.0));
        }
        assert_same_set(&values, &eigenvalues(&a).unwrap(), 1e-11 * n as f64);
    }
}

#[test]
fn schur_form_of_special_matrices() {
    for a in [
        Matrix::zeros(3, 3),
        identity(4),
        of_rows(&[&[0.0, 1.0], &[0.0, 0.0]]),
        // A cyclic permutation, on which the unshifted iteration stands still.
        of_rows(&[
            &[0.0, 0.0, 0.0, 1.0],
            &[1.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.0],
        ]),
    ] {
        let s = Schur::new(&a).unwrap();
        let back = &(&s.u * &s.t) * s.u.adjoint();
        assert!((&back - &complex(&a)).norm_l2() < 1e-14);
    }
    assert_eq!(Schur::new(&of_rows(&[&[f64::NAN]])).unwrap_err(), ControlError::NotFinite);
}

#[test]
fn lyapunov_residuals_are_rounding() {
    let mut numbers = Numbers(11);
    for n in [1, 2, 4, 9, 25] {
        let a = numbers.stable(n);
        let b = numbers.matrix(n, n);
        let q = &b * b.transpose();
        let x = lyapunov(&a, &q).unwrap();
        let left = norm(&lyapunov_residual(&a, &x, &q)) / (norm(&q) + 2.0 * norm(&a) * norm(&x));
        assert!(left < 1e-15, "continuous {n}: {left}");
        let a = scaled(&a, 0.9 / norm(&a));
        let x = discrete_lyapunov(&a, &q).unwrap();
        let left = norm(&discrete_lyapunov_residual(&a, &x, &q)) / (norm(&q) + 2.0 * norm(&x));
        assert!(left < 1e-15, "discrete {n}: {left}");
    }
}

#[test]
fn singular_lyapunov_equations_are_refused() {
    let oscillator = of_rows(&[&[0.0, 1.0], &[-1.0, 0.0]]);
    let singular = ControlError::Singular { what: "the Lyapunov equation" };
    assert_eq!(lyapunov(&oscillator, &identity(2)).unwrap_err(), singular);
    assert_eq!(discrete_lyapunov(&identity(2), &identity(2)).unwrap_err(), singular);
    assert!(matches!(lyapunov(&oscillator, &identity(3)), Err(ControlError::Size { .. })));
}

#[test]
fn riccati_of_the_double_integrator_has_its_closed_form() {
    // Q = 1, R = 1: X = [√3 1; 1 √3], K = (1, √3).
    let problem = Quadratic::new(
        &of_rows(&[&[0.0, 1.0], &[0.0, 0.0]]),
        &of_rows(&[&[0.0], &[1.0]]),
        &identity(2),
        &identity(1),
    );
    let found = problem.unwrap().continuous().unwrap();
    let root = 3.0_f64.sqrt();
    let expected = of_rows(&[&[root, 1.0], &[1.0, root]]);
    assert!(norm(&(&found.x - &expected)) < 1e-14);
    assert!((found.gain[(0, 0)] - 1.0).abs() < 1e-14 && (found.gain[(0, 1)] - root).abs() < 1e-14);
    // The scalar discrete equation a² x − x − a² x² b²/(r + b² x) + q = 0 with a = b = q = r = 1.
    let one = identity(1);
    let golden = Quadratic::new(&one, &one, &one, &one).unwrap().discrete().unwrap();
    assert!((golden.x[(0, 0)] - 0.5 * (1.0 + 5.0_f64.sqrt())).abs() < 1e-14);
}

#[test]
fn riccati_residuals_are_rounding() {
    let mut numbers = Numbers(5);
    for (n, m) in [(1, 1), (2, 1), (4, 2), (8, 3), (20, 4), (30, 2)] {
        let (a, b) = (scaled(&numbers.matrix(n, n), 3.0), numbers.matrix(n, m));
        let (c, s) = (numbers.matrix(n, n), scaled(&numbers.matrix(n, m), 0.05));
        let q = &(c.transpose() * &c) + &identity(n);
        let problem = Quadratic::new(&a, &b, &q, &identity(m)).unwrap().with_cross_term(&s).unwrap();
        let found = problem.continuous().unwrap();
        assert!(found.residual < 1e-13, "continuous {n}: {}", found.residual);
        let poles = eigenvalues(&(&a - &(&b * &found.gain))).unwrap();
        assert!(poles.iter().all(|z| z.re < 0.0));
        // A spectral radius of about 1.2: with few inputs X grows with its power of n/m.
        let a = scaled(&a, 0.4 / (n as f64 / 3.0).sqrt());
        let problem = Quadratic::new(&a, &b, &q, &identity(m)).unwrap().with_cross_term(&s).unwrap();
        let found = problem.discrete().unwrap();
        assert!(found.residual < 1e-12, "discrete {n}: {}", found.residual);
        let poles = eigenvalues(&(&a - &(&b * &found.gain))).unwrap();
        assert!(poles.iter().all(|z| z.norm() < 1.0));
    }
}

#[test]
fn discrete_riccati_allows_a_singular_system_matrix() {
    let a = of_rows(&[&[0.0, 1.0], &[0.0, 0.0]]);
    let problem = Quadratic::new(&a, &of_rows(&[&[0.0], &[1.0]]), &identity(2), &identity(1)).unwrap();
    // A delay chain: the free motion ends after two steps and any input only costs, so X = diag(1,
    // 2).
    let found = problem.discrete().unwrap();
    assert!(norm(&(&found.x - &of_rows(&[&[1.0, 0.0], &[0.0, 2.0]]))) < 1e-14);
}

#[test]
fn modes_that_no_input_reaches_are_refused() {
    let a = of_rows(&[&[1.0, 0.0], &[0.0, -1.0]]);
    let b = of_rows(&[&[0.0], &[1.0]]);
    let problem = Quadratic::new(&a, &b, &identity(2), &identity(1)).unwrap();
    assert_eq!(problem.continuous().unwrap_err(), ControlError::NotStabilisable);
    let a = of_rows(&[&[2.0, 0.0], &[0.0, 0.5]]);
    let problem = Quadratic::new(&a, &b, &identity(2), &identity(1)).unwrap();
    assert_eq!(problem.discrete().unwrap_err(), ControlError::NotStabilisable);
    let singular = Quadratic::new(&a, &b, &identity(2), &Matrix::zeros(1, 1)).unwrap();
    assert!(matches!(singular.continuous(), Err(ControlError::Singular { .. })));
}

#[test]
fn exponential_of_a_rotation_and_of_a_large_matrix() {
    for angle in [0.3, 3.0, 200.0] {
        let e = matrix_exponential(&of_rows(&[&[0.0, -angle], &[angle, 0.0]])).unwrap();
        assert!((e[(0, 0)] - angle.cos()).abs() < 1e-13 * angle.max(1.0), "{angle}");
        assert!((e[(1, 0)] - angle.sin()).abs() < 1e-13 * angle.max(1.0), "{angle}");
    }
    let nilpotent = matrix_exponential(&of_rows(&[&[0.0, 7.0], &[0.0, 0.0]])).unwrap();
    assert!((nilpotent[(0, 1)] - 7.0).abs() < 1e-14);
    assert!(matrix_exponential(&of_rows(&[&[1e4]])).is_err());
}
