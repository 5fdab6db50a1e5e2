//! One system of irregular numbers and one resonant loop against values of SciPy 1.17.

use crate::samples::assert_same_set;
use cardan_control::controllability::hankel_values;
use cardan_control::linear_quadratic::lqr;
use cardan_control::lyapunov::lyapunov;
use cardan_control::margins::margins;
use cardan_control::matrix::{diagonal, eigenvalues, identity, of_rows, scaled};
use cardan_control::random_response::{Excitation, RandomResponse};
use cardan_control::transfer_function::zeros;
use cardan_control::{Clock, Complex, ControlError, FrequencyResponse, Matrix, StateSpace};

fn irregular() -> StateSpace {
    let x = |i: usize| i as f64;
    let a = Matrix::from_fn(6, 6, |i, j| 2.0 * (1.0 + x(i * i * j) + 3.0 * x(j) + x(i)).sin());
    let b = Matrix::from_fn(6, 2, |i, j| (2.0 + x(i * i) + 5.0 * x(i * j)).cos());
    let c = Matrix::from_fn(2, 6, |i, j| (3.0 + 2.0 * x(i * j) + x(j * j)).sin());
    StateSpace::new(a, b, c, Matrix::zeros(2, 2)).unwrap()
}

fn complex(values: &[(f64, f64)]) -> Vec<Complex> {
    values.iter().map(|(re, im)| Complex::new(*re, *im)).collect()
}

fn trace(a: &Matrix) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

#[test]
fn regulators_equal_those_of_scipy() {
    let system = irregular();
    let (q, r) = (diagonal(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), diagonal(&[1.0, 2.0]));
    let found = lqr(&system, &q, &r, None).unwrap();
    assert!((trace(&found.cost) - 71.973103071211).abs() < 1e-10);
    let gain = [
        2.5502394644762982,
        -2.521156343940642,
        2.0403003810936298,
        -9.603585561965236,
        2.806768387043018,
        -13.399478404365247,
    ];
    for (j, expected) in gain.into_iter().enumerate() {
        assert!((found.gain[(0, j)] - expected).abs() < 1e-11, "{j}: {}", found.gain[(0, j)] - expected);
    }
    let poles = [
        (-4.513927136488742, 0.0),
        (-3.3993769204727062, 0.0),
        (-2.463489566226875, 0.0),
        (-1.7022717199935653, -2.656452713482665),
        (-1.7022717199935653, 2.656452713482665),
        (-1.5322284172579757, 0.0),
    ];
    assert_same_set(&found.poles, &complex(&poles), 1e-10);
    let sampled = StateSpace { a: scaled(&system.a, 0.5), clock: Clock::Sampled(1.0), ..system };
    let found = lqr(&sampled, &q, &r, None).unwrap();
    assert!((trace(&found.cost) / 324.1086475910271 - 1.0).abs() < 1e-12);
    let poles = [
        (-0.3114927956482789, -0.06521606298040003),
        (-0.3114927956482789, 0.06521606298040003),
        (-0.12503197925248621, -0.40630393204862564),
        (-0.12503197925248621, 0.40630393204862564),
        (0.21792750233433736, 0.0),
        (0.3544023313189458, 0.0),
    ];
    assert_same_set(&found.poles, &complex(&poles), 1e-10);
}

#[test]
fn zeros_and_hankel_values_equal_those_of_scipy() {
    let system = irregular();
    let expected = [
        (-3.3828024118369875, 0.0),
        (-0.4977505902821063, 0.0),
        (3.9241185289957556, 1.2732558343107558),
        (3.924118528995756, -1.2732558343107558),
    ];
    assert_same_set(&zeros(&system).unwrap(), &complex(&expected), 1e-11);
    let stable = StateSpace { a: &system.a - &scaled(&identity(6), 5.0), ..system };
    let p = lyapunov(&stable.a, &(&stable.b * stable.b.transpose())).unwrap();
    assert!((trace(&p) - 1.0983791460449381).abs() < 1e-12);
    let expected = [
        0.3556547206469609,
        0.1450137959933631,
        0.054357099632726065,
        0.023522315905278174,
        0.0017287809824006338,
        6.267711931783625e-05,
    ];
    for (found, expected) in hankel_values(&stable).unwrap().into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} and {expected}");
    }
}

#[test]
fn every_crossover_of_a_resonant_loop_is_found() {
    // (40 s² + 8 s + 400)/((s² + 0.2 s + 25)(s + 1)(s² + 0.4 s + 9)) touches the gain 1 near 2.2
    // rad/s.
    let mut a = Matrix::from_fn(5, 5, |i, j| if j == i + 1 { 1.0 } else { 0.0 });
    for (j, c) in [225.0, 236.8, 45.88, 34.68, 1.6].into_iter().enumerate() {
        a[(4, j)] = -c;
    }
    let b = of_rows(&[&[0.0], &[0.0], &[0.0], &[0.0], &[1.0]]);
    let c = of_rows(&[&[400.0, 8.0, 40.0, 0.0, 0.0]]);
    let found = margins(&StateSpace::new(a, b, c, Matrix::zeros(1, 1)).unwrap()).unwrap();
    let phase = [
        (2.1809706381989717, 1.8593967248400483),
        (2.252786944637546, 1.8315078626352688),
        (2.9137321844529165, 1.0762009201479161),
        (4.110970730116031, 1.7948735750187474),
        (5.619466386659601, -1.1782841892327347),
    ];
    assert_eq!(found.phase.len(), phase.len(), "{:?}", found.phase);
    for (margin, (w, angle)) in found.phase.iter().zip(phase) {
        assert!((margin.frequency - w).abs() < 1e-10 && (margin.value - angle).abs() < 1e-10, "{margin:?}");
    }
    assert_eq!(found.gain.len(), 1, "{:?}", found.gain);
    assert!((found.gain[0].frequency - 5.025989374793802).abs() < 1e-10);
    assert!((found.gain_reduction_margin().unwrap().value - 0.1425229523324722).abs() < 1e-11);
    assert!(found.gain_margin().is_none());
    assert!((found.modulus.value - 0.6959165325110521).abs() < 1e-12);
    assert!((found.modulus.frequency - 3.038916770250986).abs() < 1e-6);
}

#[test]
fn systems_without_states_or_inputs_have_answers() {
    let gain = StateSpace::gain(of_rows(&[&[0.5]])).unwrap();
    let response = FrequencyResponse::new(&gain).unwrap().at(3.0).unwrap()[(0, 0)];
    assert_eq!((response.re, response.im), (0.5, 0.0));
    let found = margins(&gain).unwrap();
    assert!(found.gain.is_empty() && found.phase.is_empty());
    assert_eq!(found.modulus.value, 1.5);
    assert!(zeros(&gain).unwrap().is_empty() && hankel_values(&gain).unwrap().is_empty());
    let none = cardan_control::pole_placement::place_poles(&Matrix::zeros(0, 0), &Matrix::zeros(0, 1), &[]);
    assert_eq!(none.unwrap().nrows(), 1);
    // A system without outputs: its zeros are the eigenvalues that no input moves.
    let mute = StateSpace::new(
        of_rows(&[&[-1.0, 0.0], &[0.0, -2.0]]),
        of_rows(&[&[1.0], &[0.0]]),
        Matrix::zeros(0, 2),
        Matrix::zeros(0, 1),
    );
    assert_same_set(&zeros(&mute.unwrap()).unwrap(), &complex(&[(-2.0, 0.0)]), 1e-14);
    assert!(matches!(eigenvalues(&of_rows(&[&[1.0, 2.0]])), Err(ControlError::Size { .. })));
}

#[test]
fn divergent_integrals_and_unknown_outputs_are_refused() {
    let one = of_rows(&[&[1.0]]);
    let direct = StateSpace::new(of_rows(&[&[-1.0]]), one.clone(), one.clone(), one.clone()).unwrap();
    let spectrum = cardan_control::power_spectrum::PowerSpectrum::White(1.0);
    let random = RandomResponse::new(&direct, vec![Excitation { spectrum, delay: 0.0 }], one).unwrap();
    assert!(matches!(random.moment(0, 0, 1e-6), Err(ControlError::NoConvergence { .. })));
    assert!(matches!(random.spectrum(1, 1.0), Err(ControlError::Size { .. })));
}
