//! Random response of models against closed forms.

use std::f64::consts::{PI, TAU};

use crate::common;

use cardan_analysis::{
    Comfort, FrequencyRange, LinearOptions, LinearSystem, RandomExcitation, RandomOptions, Stationary, Study,
    linearize, random_response,
};
use cardan_control::comfort::Weighting;
use cardan_control::controllability::minimal_realisation;
use cardan_control::matrix::of_rows;
use cardan_control::power_spectrum::{PowerSpectrum, Road, RoadClass};
use cardan_control::random_response::covariance;

fn system(study: &mut Study) -> LinearSystem {
    let y = study.start(0.0).unwrap();
    let linear = linearize(study, 0.0, &y, &LinearOptions::default()).unwrap();
    LinearSystem::of(study, &linear, &[]).unwrap()
}

fn answers(system: &LinearSystem, excitation: RandomExcitation, options: RandomOptions) -> Vec<Stationary> {
    let found = random_response(&system.system, &excitation, &options).unwrap();
    found.outputs.into_iter().map(Result::unwrap).collect()
}

fn one(spectrum: PowerSpectrum) -> RandomExcitation {
    RandomExcitation { spectra: vec![spectrum], delays: None }
}

/// σ² = π S₀/(2 ζ ω³) with S₀ two-sided per rad/s, and ω/2π crossings per second (Crandall & Mark,
/// Random Vibration in Mechanical Systems, 2.2).
#[test]
fn an_oscillator_under_white_noise() {
    let text = "
        parameter w = 0 [N]
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force all on p.o from N = (w - 100 [N/m] * x - 1 [N*s/m] * der(x)) * N.x
        output x, rate = der(x)
    ";
    let mut study = common::study(text, &["w"]);
    let (s0, omega, zeta) = (0.002, 10.0_f64, 0.05);
    let options = RandomOptions { duration: Some(600.0), ..RandomOptions::default() };
    let found = answers(&system(&mut study), one(PowerSpectrum::white_two_sided(s0)), options);
    let variance = PI * s0 / (2.0 * zeta * omega.powi(3));
    for (s, known) in found.iter().zip([variance, omega * omega * variance]) {
        assert!((s.rms_by_lyapunov.unwrap().powi(2) / known - 1.0).abs() < 1e-12);
        assert!((s.rms.unwrap().powi(2) / known - 1.0).abs() < 1e-8, "{s:?}");
    }
    assert!((found[0].crossing_rate.unwrap() - omega / TAU).abs() < 1e-8);
    // Of the speed, the peaks are those of an acceleration that has no variance.
    assert_eq!((found[1].crossing_rate, found[1].peak_rate), (None, None));
    let c = (2.0 * (600.0 * omega / TAU).ln()).sqrt();
    assert!((found[0].peak_factor.unwrap() - (c + 0.5772156649 / c)).abs() < 1e-6);
}

const QUARTER_CAR: &str = "
parameter ms = 250 [kg], mu = 35 [kg], ks = 16000 [N/m], cs = 1000 [N*s/m], kt = 160000 [N/m]
particle sprung on N by translate(z = zs) { mass = ms }
particle wheel on N by translate(z = zu) { mass = mu }
force strut on sprung.o from wheel = (-ks * (zs - zu) - cs * (der(zs) - der(zu))) * N.z
force tyre on wheel.o from N = -kt * (zu - zr) * N.z
output acc = der(der(zs)), rattle = zs - zu, load = kt * (zu - zr)
";

/// Hać, J. Sound Vib. 100 (1985) 343, re-derived by Lyapunov's equation; road of class B at 20 m/s.
#[test]
fn a_quarter_car_has_the_closed_variances() {
    let text = format!("parameter zr = 0 [m]\n{QUARTER_CAR}\noutput height = zs");
    let mut study = common::study(&text, &["zr"]);
    let system = system(&mut study);
    let road = Road::of_class(RoadClass::B, 20.0);
    let comfort = vec![(0, Comfort::Iso2631(Weighting::Wk))];
    let options = RandomOptions { comfort, ..RandomOptions::default() };
    let found = answers(&system, one(PowerSpectrum::Road(road)), options);
    let (ms, mu, ks, cs, kt) = (250.0_f64, 35.0_f64, 16000.0_f64, 1000.0_f64, 160000.0_f64);
    let (q, m) = (road.velocity_intensity(), ms + mu);
    let acceleration = q * (cs * cs * kt + ks * ks * m) / (2.0 * cs * ms * ms);
    let rattle = q * m / (2.0 * cs);
    let tyre = q
        * (cs * cs * kt * m * m + ks * ks * m * m * m - 2.0 * ks * kt * ms * mu * m + kt * kt * ms * ms * mu)
        / (2.0 * cs * kt * kt * ms * ms);
    assert!((acceleration - 0.470880878854).abs() < 1e-11 && (rattle - 3.60043168552e-05).abs() < 1e-15);
    assert!((tyre - 4.90749703197e-06).abs() < 1e-16);
    for (s, known) in found.iter().zip([acceleration, rattle, kt * kt * tyre]) {
        assert!((s.rms_by_lyapunov.unwrap().powi(2) / known - 1.0).abs() < 1e-10, "{:?}", s.rms_by_lyapunov);
        assert!((s.rms.unwrap().powi(2) / known - 1.0).abs() < 1e-8, "{:?}", s.rms);
    }
    // The height of the body follows the road, which has no bound.
    assert_eq!((found[3].rms, found[3].rms_by_lyapunov), (None, None));
    // The weighted acceleration by integration, and by the filter in series and Lyapunov's equation,
    // with the road as a state that white noise moves.
    let text = format!("parameter w = 0 [m/s]\nstate zr = 0 [m]\nder(zr) = w\n{QUARTER_CAR}");
    let mut study = common::study(&text, &["w"]);
    let driven = self::system(&mut study);
    let seen = minimal_realisation(&driven.system.channel(0, 0).unwrap()).unwrap();
    let weighted = seen.series(&Weighting::Wk.filter().unwrap()).unwrap();
    let variance = covariance(&weighted, &of_rows(&[&[q]])).unwrap().outputs[(0, 0)];
    assert!((found[0].comfort.unwrap().powi(2) / variance - 1.0).abs() < 1e-7, "{:?}", found[0].comfort);
    // The same model with white noise at its input has the same variances.
    let again = answers(&driven, one(PowerSpectrum::white_of_intensity(q)), RandomOptions::default());
    assert!((again[0].rms_by_lyapunov.unwrap().powi(2) / acceleration - 1.0).abs() < 1e-10);
}

/// A car of two axles: the rear one meets the road of the front one later. Lyapunov's equation with
/// delays and the integral over the frequency agree.
#[test]
fn two_axles_meet_the_same_road() {
    let text = "
        parameter front = 0 [m], rear = 0 [m]
        body car on N by translate(z = z) rotate(y = pitch, small) { mass = 1000 [kg]; inertia = (0, 1500, 0) [kg*m^2] }
        variable a = z - 1.2 [m] * pitch - front, b = z + 1.4 [m] * pitch - rear
        variable p = der(z) - 1.2 [m] * der(pitch), r = der(z) + 1.4 [m] * der(pitch)
        force lift on car.o from N = (-20000 [N/m] * a - 2000 [N*s/m] * p - 20000 [N/m] * b - 2000 [N*s/m] * r) * N.z
        torque turn on car from N = (1.2 [m] * (20000 [N/m] * a + 2000 [N*s/m] * p) - 1.4 [m] * (20000 [N/m] * b + 2000 [N*s/m] * r)) * N.y
        output a, b, pitching = pitch
    ";
    let mut study = common::study(text, &["front", "rear"]);
    let system = system(&mut study);
    let road = PowerSpectrum::Road(Road::of_class(RoadClass::C, 20.0));
    let excitation =
        RandomExcitation { spectra: vec![road.clone(), road], delays: Some(vec![0.0, 2.6 / 20.0]) };
    let range = FrequencyRange { points: 50, ..FrequencyRange::default() };
    let found = answers(&system, excitation.clone(), RandomOptions { range, ..RandomOptions::default() });
    for s in &found[..2] {
        let (by_frequency, by_lyapunov) = (s.rms.unwrap(), s.rms_by_lyapunov.unwrap());
        assert!((by_frequency / by_lyapunov - 1.0).abs() < 1e-6, "{by_frequency} {by_lyapunov}");
    }
    // The pitch is what the axles do not share: finite, by the integral alone.
    assert!(found[2].rms.unwrap() > 1e-3 && found[2].rms_by_lyapunov.is_none());
    // Independent roads carry more pitch than one road with a delay.
    let apart = random_response(
        &system.system,
        &RandomExcitation { delays: None, ..excitation },
        &RandomOptions::default(),
    );
    assert!(apart.unwrap().outputs[2].as_ref().unwrap().rms.is_none());
}
