//! Random response against closed forms.

use crate::samples::{follow, quarter_car, single};
use cardan_control::discretisation::Sampling;
use cardan_control::matrix::of_rows;
use cardan_control::noise_realisation::{delayed_realisation, realisation, welch};
use cardan_control::power_spectrum::{PowerSpectrum, Road, RoadClass, Track, TrackClass};
use cardan_control::random_response::{
    Covariance, Excitation, RandomResponse, covariance, crossing_rate, delayed_covariance, peak_factor,
};
use cardan_control::{Complex, ControlError, FrequencyResponse, Matrix, StateSpace};
use std::f64::consts::{PI, TAU};

fn oscillator(w: f64, zeta: f64) -> StateSpace {
    let a = of_rows(&[&[0.0, 1.0], &[-w * w, -2.0 * zeta * w]]);
    let c = of_rows(&[&[1.0, 0.0], &[0.0, 1.0]]);
    StateSpace::new(a, of_rows(&[&[0.0], &[1.0]]), c, Matrix::zeros(2, 1)).unwrap()
}

fn excited(system: &StateSpace, spectrum: PowerSpectrum) -> RandomResponse {
    RandomResponse::new(system, vec![Excitation { spectrum, delay: 0.0 }], of_rows(&[&[1.0]])).unwrap()
}

#[test]
fn oscillator_under_white_noise() {
    // σ² = π S₀/(2 ζ ω³) and ω² times that for the speed.
    let (w, zeta, s0) = (10.0, 0.05, 0.002);
    let system = oscillator(w, zeta);
    let expected = PI * s0 / (2.0 * zeta * w * w * w);
    let Covariance { outputs, .. } = covariance(&system, &of_rows(&[&[TAU * s0]])).unwrap();
    assert!((outputs[(0, 0)] / expected - 1.0).abs() < 1e-13);
    assert!((outputs[(1, 1)] / (expected * w * w) - 1.0).abs() < 1e-13);
    assert!((crossing_rate(outputs[(0, 0)], outputs[(1, 1)]) - w / TAU).abs() < 1e-12);
    let random = excited(&system, PowerSpectrum::white_two_sided(s0));
    assert!((random.moment(0, 0, 1e-11).unwrap() / expected - 1.0).abs() < 1e-10);
    assert!((random.crossing_rate(0, 1e-11).unwrap() - w / TAU).abs() < 1e-9);
}

#[test]
fn oscillator_behind_a_shape_filter() {
    // f' = −a f + w of intensity 1; the variance 6/130000 of x is Lyapunov's closed form.
    let filter = single(&[&[-5.0]], &[1.0], &[1.0]);
    let whole = filter.series(&oscillator(10.0, 0.05)).unwrap();
    let found = covariance(&whole, &of_rows(&[&[1.0]])).unwrap();
    assert!((found.states[(0, 0)] - 0.1).abs() < 1e-14);
    // σ² = q (a + 2 ζ ω)/(4 a ζ ω³ (ω² + a² + 2 ζ ω a)).
    let expected = (5.0 + 1.0) / (4.0 * 5.0 * 0.05 * 1000.0 * (100.0 + 25.0 + 5.0));
    assert!((found.outputs[(0, 0)] / expected - 1.0).abs() < 1e-12, "{}", found.outputs[(0, 0)]);
    let integral = excited(&whole, PowerSpectrum::white_of_intensity(1.0)).moment(0, 0, 1e-11).unwrap();
    assert!((integral / expected - 1.0).abs() < 1e-10);
}

#[test]
fn quarter_car_variances_have_their_closed_forms() {
    let (ms, mu, ks, cs, kt) = (250.0_f64, 35.0_f64, 16000.0_f64, 1000.0_f64, 160000.0_f64);
    let road = Road::of_class(RoadClass::B, 20.0);
    let q = road.velocity_intensity();
    assert!((q - 0.000_252_661_872_668).abs() < 1e-15);
    // Hać, J. Sound Vib. 100 (1985) 343; here with M = ms + mu.
    let m = ms + mu;
    let acceleration = q * (cs * cs * kt + ks * ks * m) / (2.0 * cs * ms * ms);
    let travel = q * m / (2.0 * cs);
    let tyre = q
        * (cs * cs * kt * m * m + ks * ks * m.powi(3) - 2.0 * ks * kt * ms * mu * m + kt * kt * ms * ms * mu)
        / (2.0 * cs * kt * kt * ms * ms);
    let car = quarter_car();
    let found = covariance(&car, &of_rows(&[&[q]])).unwrap().outputs;
    let random = excited(&car, PowerSpectrum::white_of_intensity(q));
    for (k, expected) in [acceleration, travel, tyre].into_iter().enumerate() {
        assert!((found[(k, k)] / expected - 1.0).abs() < 1e-12, "{k}: {}", found[(k, k)] / expected - 1.0);
        let integral = random.moment(k, 0, 1e-11).unwrap();
        assert!((integral / found[(k, k)] - 1.0).abs() < 1e-9, "{k}: {}", integral / found[(k, k)] - 1.0);
    }
    assert!((acceleration.sqrt() - 0.686_207_606_234).abs() < 1e-12);
}

#[test]
fn a_delayed_second_axle_is_one_source() {
    // Two equal paths with a delay: |1 + exp(−iωτ)|² = 4 cos²(ωτ/2).
    let lag = of_rows(&[&[-3.0]]);
    let system =
        StateSpace::new(lag, of_rows(&[&[1.0, 1.0]]), of_rows(&[&[1.0]]), Matrix::zeros(1, 2)).unwrap();
    let channel = |delay: f64| Excitation { spectrum: PowerSpectrum::White(2.0), delay };
    let full = of_rows(&[&[1.0, 1.0], &[1.0, 1.0]]);
    let random = RandomResponse::new(&system, vec![channel(0.0), channel(0.4)], full).unwrap();
    let f = 0.7;
    let path = 2.0 / (9.0 + (TAU * f).powi(2));
    assert!(
        (random.spectrum(0, f).unwrap() / (path * 4.0 * (PI * f * 0.4).cos().powi(2)) - 1.0).abs() < 1e-12
    );
    // The variance is 2 q/(2 a) (1 + exp(−a τ)) with the intensity q = 1.
    let expected = (1.0 + (-1.2_f64).exp()) / 3.0;
    let exact = delayed_covariance(&system, 1.0, &[0.0, 0.4]).unwrap().outputs[(0, 0)];
    assert!((exact / expected - 1.0).abs() < 1e-13);
    assert!((random.moment(0, 0, 1e-3).unwrap() / expected - 1.0).abs() < 1e-3);
    let apart =
        RandomResponse::new(&system, vec![channel(0.0), channel(0.4)], of_rows(&[&[1.0, 0.0], &[0.0, 1.0]]));
    assert!((apart.unwrap().moment(0, 0, 1e-10).unwrap() - 1.0 / 3.0).abs() < 1e-9);
}

#[test]
fn infinite_and_unstable_responses_are_refused() {
    let one = of_rows(&[&[1.0]]);
    let direct = StateSpace::new(of_rows(&[&[-1.0]]), one.clone(), one.clone(), one.clone()).unwrap();
    assert_eq!(covariance(&direct, &one).unwrap_err(), ControlError::InfiniteVariance);
    let unstable = single(&[&[1.0]], &[1.0], &[1.0]);
    assert_eq!(covariance(&unstable, &one).unwrap_err(), ControlError::Unstable { value: 1.0 });
    let undamped = oscillator(1.0, 0.0);
    let white = vec![Excitation { spectrum: PowerSpectrum::White(1.0), delay: 0.0 }];
    assert!(matches!(RandomResponse::new(&undamped, white, one), Err(ControlError::Unstable { .. })));
}

#[test]
fn tables_are_straight_between_their_points_in_logarithms() {
    let table = PowerSpectrum::table(vec![(1.0, 4.0), (10.0, 0.04)]).unwrap();
    assert!((table.at(2.0) - 1.0).abs() < 1e-14);
    assert_eq!((table.at(0.5), table.at(1.0), table.at(11.0)), (0.0, 4.0, 0.0));
    assert!(PowerSpectrum::table(vec![(2.0, 1.0), (1.0, 1.0)]).is_err());
    // ∫ 4/f² from 1 to 10 behind a path without dynamics to speak of.
    let fast = single(&[&[-1e9]], &[1e9], &[1.0]);
    assert!((excited(&fast, table).moment(0, 0, 1e-10).unwrap() - 3.6).abs() < 1e-8);
}

#[test]
fn peak_factor_grows_with_time() {
    // c = √(2 ln 1000): 3.717 + 0.5772/3.717.
    let c = (2.0 * 1000.0_f64.ln()).sqrt();
    let g = peak_factor(2.0, 500.0).unwrap();
    assert!((g - (c + 0.577_215_664_901_532_9 / c)).abs() < 1e-14);
    assert!(peak_factor(2.0, 0.1).is_err());
}

#[test]
fn a_realisation_has_its_spectrum() {
    let spectrum = PowerSpectrum::table(vec![(1.0, 0.5), (20.0, 0.005)]).unwrap();
    let (step, n) = (0.01, 1 << 16);
    let x = realisation(&spectrum, step, n, 42).unwrap();
    assert_eq!(x, realisation(&spectrum, step, n, 42).unwrap());
    assert!(x != realisation(&spectrum, step, n, 43).unwrap());
    // Parseval: the mean square is Σ G(k Δf) Δf, close to ∫ 0.5 f^slope df.
    let slope = (0.005_f64 / 0.5).ln() / 20.0_f64.ln();
    let integral = 0.5 * (20.0_f64.powf(slope + 1.0) - 1.0) / (slope + 1.0);
    let mean_square = x.iter().map(|x| x * x).sum::<f64>() / n as f64;
    assert!((mean_square / integral - 1.0).abs() < 1e-3, "{mean_square} and {integral}");
    // 127 segments, half of them independent: a standard error of about 10 %; the mean over the
    // band less.
    let estimate = welch(&x, step, 1024).unwrap();
    let ratios: Vec<f64> =
        estimate.iter().filter(|(f, _)| (2.0..15.0).contains(f)).map(|(f, g)| g / spectrum.at(*f)).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
    assert!(welch(&x[..100], step, 1024).is_err() && realisation(&spectrum, step, 1000, 1).is_err());
}

#[test]
fn a_road_filter_has_the_spectrum_of_its_road_above_the_cutoff() {
    let road = Road::of_class(RoadClass::C, 25.0);
    let filter = FrequencyResponse::new(&road.shape_filter(1e-4).unwrap()).unwrap();
    let h: Complex = filter.at(TAU * 3.0).unwrap()[(0, 0)];
    let density = 2.0 * road.velocity_intensity() * h.norm_sqr();
    assert!((density / road.height(3.0) - 1.0).abs() < 1e-6);
    assert_eq!(RoadClass::A.roughness(), 16e-6);
    assert_eq!(RoadClass::H.roughness(), 16e-6 * 16384.0);
}

#[test]
fn delayed_axles_by_two_ways() {
    // A half car without pitch: both axles act on one body, the density falls with f⁻⁴.
    let a = of_rows(&[&[0.0, 1.0], &[-60.0, -3.0]]);
    let b = of_rows(&[&[0.0, 0.0], &[1.0, 0.7]]);
    let system = StateSpace::new(a, b, of_rows(&[&[1.0, 0.0]]), Matrix::zeros(1, 2)).unwrap();
    let channel = |delay: f64| Excitation { spectrum: PowerSpectrum::white_of_intensity(0.3), delay };
    let full = of_rows(&[&[1.0, 1.0], &[1.0, 1.0]]);
    for (front, rear) in [(0.0, 0.13), (0.2, 0.05), (0.0, 0.0)] {
        let random = RandomResponse::new(&system, vec![channel(front), channel(rear)], full.clone()).unwrap();
        let integral = random.moment(0, 0, 1e-9).unwrap();
        let exact = delayed_covariance(&system, 0.3, &[front, rear]).unwrap().outputs[(0, 0)];
        assert!((integral / exact - 1.0).abs() < 1e-8, "{front}, {rear}: {}", integral / exact - 1.0);
    }
}

/// 10,000 s of the quarter car on a seeded road, in time: the mean squares stay within three standard errors of the closed
/// variances. The mean of y² over the time T has the variance 2/T ∫ R(τ)² dτ for a Gaussian y (Bendat & Piersol, Random Data,
/// 8.3.2), and ∫ R² dτ = ½ ∫ G² df over one-sided densities.
#[test]
fn a_long_drive_has_the_variances_within_its_statistical_error() {
    let q = Road::of_class(RoadClass::B, 20.0).velocity_intensity();
    let (car, step, n) = (quarter_car(), 10_000.0 / (1 << 22) as f64, 1 << 22);
    let spectrum = PowerSpectrum::white_of_intensity(q);
    let road = realisation(&spectrum, step, n, 7).unwrap();
    let mut sums = [0.0; 3];
    follow(&car.discretise(step, Sampling::ZeroOrderHold).unwrap(), &road, |y| {
        sums.iter_mut().zip(y).for_each(|(sum, y)| *sum += y * y);
    });
    let known = covariance(&car, &of_rows(&[&[q]])).unwrap().outputs;
    let random = excited(&car, spectrum);
    for k in 0..3 {
        let mean_square = sums[k] / n as f64;
        let squares: f64 =
            (1..8000).map(|f| random.spectrum(k, 0.01 * f as f64).unwrap().powi(2) * 0.01).sum();
        let error = (squares / (n as f64 * step)).sqrt() / known[(k, k)];
        let found = mean_square / known[(k, k)] - 1.0;
        assert!(error > 0.002 && error < 0.02, "{k}: {error}");
        assert!(found.abs() < 3.0 * error, "{k}: {found} with a standard error of {error}");
    }
}

/// Tracks by ERRI B 176: the density behind the shape filter is that of the formula, and the
/// variance that of ∫ S dΩ = π A Ω_c/(2 Ω_r (Ω_r + Ω_c)), by both ways.
#[test]
fn a_track_has_its_variance_behind_its_filter() {
    let track = Track { amplitude: TrackClass::VerticalLow.amplitude(), speed: 40.0 };
    let filter = track.shape_filter().unwrap();
    let response = FrequencyResponse::new(&filter).unwrap();
    for f in [0.01, 0.1, 1.0, 5.0, 50.0] {
        let gain = response.at(TAU * f).unwrap()[(0, 0)].norm_sqr();
        assert!((gain / track.density(f) - 1.0).abs() < 1e-12, "{f}");
    }
    let white = covariance(&filter, &of_rows(&[&[0.5]])).unwrap().outputs[(0, 0)];
    assert!((white / track.variance() - 1.0).abs() < 1e-12, "{white} {}", track.variance());
    let unit = StateSpace::gain(of_rows(&[&[1.0]])).unwrap();
    let found = excited(&unit, PowerSpectrum::Track(track)).moment(0, 0, 1e-11).unwrap();
    assert!((found / track.variance() - 1.0).abs() < 1e-9, "{found} {}", track.variance());
}

/// A delayed realisation is the same signal later.
#[test]
fn a_realisation_can_be_delayed() {
    let spectrum = PowerSpectrum::table(vec![(0.5, 1.0), (5.0, 0.1)]).unwrap();
    let (step, n) = (0.01, 1024);
    let first = realisation(&spectrum, step, n, 7).unwrap();
    let later = delayed_realisation(&spectrum, step, n, (7, 3.0 * step)).unwrap();
    for k in 0..n {
        assert!((later[(k + 3) % n] - first[k]).abs() < 1e-12, "{k}");
    }
}
