//! The weightings of ISO 2631-1 and Sperling's index.

use crate::samples::{follow, quarter_car};
use cardan_control::FrequencyResponse;
use cardan_control::comfort::{
    Direction, Weighting, sperling_index, sperling_index_of_mean_square, sperling_weight,
};
use cardan_control::discretisation::Sampling;
use cardan_control::matrix::of_rows;
use cardan_control::noise_realisation::realisation;
use cardan_control::power_spectrum::{PowerSpectrum, Road, RoadClass};
use cardan_control::random_response::{Excitation, RandomResponse, covariance};
use std::f64::consts::TAU;

/// Frequency in Hz, then Wk, Wd, Wf, Wc, We, Wj by the formula of the standard at exact third
/// octaves.
const FACTORS: [(f64, [f64; 6]); 9] = [
    (0.1, [0.0312100546, 0.0624154955, 0.695090873, 0.0623806267, 0.0625240796, 0.0309892597]),
    (0.199526231497, [0.120688614, 0.242016733, 0.992792692, 0.241491011, 0.243517978, 0.119903336]),
    (1.0, [0.482473354, 1.01101679, 0.0235202793, 0.990990528, 0.879764714, 0.484399969]),
    (1.99526231497, [0.530753027, 0.891289352, 0.00156575314, 1.01166013, 0.512722564, 0.48190124]),
    (3.98107170553, [0.964783886, 0.514310327, 9.8858394e-05, 1.02388681, 0.254345579, 0.625148814]),
    (7.94328234724, [1.03735273, 0.254969072, 6.233054e-06, 0.894084456, 0.126348408, 1.01598951]),
    (15.8489319246, [0.774282189, 0.126613472, 3.93185845e-07, 0.516581858, 0.0631354989, 1.01864551]),
    (31.6227766017, [0.40311454, 0.0629914936, 2.48067833e-08, 0.25494022, 0.0314733771, 1.00045372]),
    (79.4328234724, [0.133874201, 0.0212973608, 6.23106958e-10, 0.0853783443, 0.0106474669, 0.846478326]),
];

/// Factors that the standard prints for nominal frequencies (ISO 2631-1:1997, table 3).
const PRINTED_WK: [(f64, f64); 9] = [
    (1.0, 0.482),
    (2.0, 0.531),
    (4.0, 0.967),
    (5.0, 1.039),
    (6.3, 1.054),
    (8.0, 1.036),
    (16.0, 0.768),
    (31.5, 0.405),
    (80.0, 0.132),
];

#[test]
fn factors_are_those_of_the_formula() {
    for (f, factors) in FACTORS {
        for (weighting, expected) in Weighting::ALL.into_iter().zip(factors) {
            let decibel = 20.0 * (weighting.factor(f) / expected).log10();
            assert!(decibel.abs() < 1e-6, "{weighting:?} at {f}: {decibel} dB");
        }
    }
    for (f, printed) in PRINTED_WK {
        assert!((Weighting::Wk.factor(f) - printed).abs() < 1e-3, "{f}: {}", Weighting::Wk.factor(f));
    }
}

#[test]
fn the_filter_in_state_space_has_the_weighting_as_response() {
    for weighting in Weighting::ALL {
        let response = FrequencyResponse::new(&weighting.filter().unwrap()).unwrap();
        for f in [0.05, 0.3, 1.0, 4.0, 20.0, 90.0] {
            let (g, h) = (response.at(TAU * f).unwrap()[(0, 0)], weighting.response(f));
            assert!((g - h).norm() < 1e-9 * h.norm().max(1e-6), "{weighting:?} at {f}: {g} and {h}");
        }
    }
}

#[test]
fn comfort_of_the_quarter_car_by_two_ways() {
    let q = Road::of_class(RoadClass::B, 20.0).velocity_intensity();
    let car = quarter_car().channel(0, 0).unwrap();
    let weighted = car.series(&Weighting::Wk.filter().unwrap()).unwrap();
    let by_filter = covariance(&weighted, &of_rows(&[&[q]])).unwrap().outputs[(0, 0)];
    let white = Excitation { spectrum: PowerSpectrum::white_of_intensity(q), delay: 0.0 };
    let random = RandomResponse::new(&car, vec![white], of_rows(&[&[1.0]])).unwrap();
    let by_integral = random.weighted_moment(0, 0, 1e-10, |f| Weighting::Wk.factor(f).powi(2)).unwrap();
    assert!((by_filter / by_integral - 1.0).abs() < 1e-8, "{by_filter} and {by_integral}");
    // Less than the unweighted 0.686 m/s², since the body moves at 1.2 Hz where Wk is 0.5.
    assert!(by_filter.sqrt() < 0.6862 && by_filter.sqrt() > 0.3, "{}", by_filter.sqrt());
}

#[test]
fn sperling_index_of_harmonics_and_of_a_density() {
    // At 1 Hz: B² = 0.588² (1.911 + 0.0625)/((0.723)² + (1.5262)²).
    let expected = 0.588 * ((1.911 + 0.0625) / (0.723_f64.powi(2) + 1.5262_f64.powi(2))).sqrt();
    assert!((sperling_weight(Direction::Vertical, 1.0) - expected).abs() < 1e-14);
    let ratio = sperling_weight(Direction::Lateral, 3.0) / sperling_weight(Direction::Vertical, 3.0);
    assert!((ratio - 0.737 / 0.588).abs() < 1e-14);
    // A harmonic of amplitude a has the mean square a²/2, so both spellings agree.
    let a = 0.3;
    let harmonic = sperling_index(Direction::Vertical, &[(1.0, a)]);
    let mean_square = 0.5 * a * a * expected * expected;
    assert!((harmonic - sperling_index_of_mean_square(mean_square)).abs() < 1e-13);
    assert!((harmonic - (30.0 * expected).powf(2.0 / 6.67)).abs() < 1e-13);
}

/// The weighted acceleration of the quarter car, filtered in time: of a periodic road the second period is steady, and its mean
/// square is the sum over the lines of the spectrum. Steps of 0.5 ms leave 1e-4.
#[test]
fn comfort_of_the_quarter_car_by_a_filter_in_time() {
    let (step, n) = (5e-4, 1 << 17);
    let spectrum = PowerSpectrum::white_of_intensity(Road::of_class(RoadClass::B, 20.0).velocity_intensity());
    let period = realisation(&spectrum, step, n, 11).unwrap();
    let road: Vec<f64> = period.iter().chain(&period).copied().collect();
    let car = quarter_car().channel(0, 0).unwrap();
    let column = |system: &cardan_control::StateSpace, sampling: Sampling, input: &[f64]| -> Vec<f64> {
        let mut values = vec![];
        follow(&system.discretise(step, sampling).unwrap(), input, |y| values.push(y[0]));
        values
    };
    let acceleration = column(&car, Sampling::ZeroOrderHold, &road);
    let weighted = column(&Weighting::Wk.filter().unwrap(), Sampling::Tustin, &acceleration);
    let mean_square = weighted[n..].iter().map(|a| a * a).sum::<f64>() / n as f64;
    let width = 1.0 / (n as f64 * step);
    let response = FrequencyResponse::new(&car).unwrap();
    let line = |k: usize| {
        let f = k as f64 * width;
        let gain = response.at(TAU * f).unwrap()[(0, 0)].norm() * Weighting::Wk.factor(f);
        spectrum.at(f) * gain * gain * width
    };
    let known: f64 = (1..n / 2).map(line).sum();
    assert!(((mean_square / known).sqrt() - 1.0).abs() < 1e-3, "{mean_square} and {known}");
}
