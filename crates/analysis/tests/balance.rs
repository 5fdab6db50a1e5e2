//! Periodic motions by harmonic balance, with Floquet's multipliers.

use crate::common;

use cardan_analysis::{HarmonicOptions, PeriodicOrbit, SineDrive, harmonic_balance};
use cardan_control::Complex;

const ZETA: f64 = 0.05;
const ALPHA: f64 = 0.4;
const PUSH: f64 = 0.3;

fn branch(text: &str, range: [f64; 2], points: usize, harmonics: usize) -> Vec<PeriodicOrbit> {
    let mut study = common::study(text, &["a", "w", "b"]);
    let drive = SineDrive { amplitude: "a".into(), rate: "w".into(), angle: "b".into() };
    let y = study.start(0.0).unwrap();
    let options = HarmonicOptions { harmonics, ..HarmonicOptions::default() };
    let range = range.map(|w| w / std::f64::consts::TAU);
    harmonic_balance(&mut study, &drive, PUSH, (&y, range, points), &options).unwrap()
}

fn duffing() -> String {
    format!(
        "input a [N], w [rad/s], b [rad]
         gravity = 0
         particle p on N by translate(x = x) {{ mass = 1 [kg] }}
         force spring on p.o from N = (a * sin(w * t + b) - 1 [N/m] * x - {ALPHA} [N/m^3] * x^3 - {} [N*s/m] * der(x)) * N.x
         output place = x",
        2.0 * ZETA
    )
}

/// With one harmonic the balance of Duffing's oscillator is algebra: ((1 - ω² + 3/4 α A²)² + (2 ζ
/// ω)²) A² = f² (Nayfeh & Mook, Nonlinear Oscillations, 4.1). The branch goes through both turning
/// points.
#[test]
fn one_harmonic_of_duffing_is_algebra() {
    let orbits = branch(&duffing(), [0.4, 2.5], 60, 1);
    for orbit in &orbits {
        let omega = std::f64::consts::TAU * orbit.frequency;
        let size = PUSH * orbit.response[0].norm();
        let stiff = 1.0 - omega * omega + 0.75 * ALPHA * size * size;
        let pushed = size * stiff.hypot(2.0 * ZETA * omega);
        assert!((pushed / PUSH - 1.0).abs() < 1e-9, "{omega}: {pushed}");
    }
    let turns = orbits
        .windows(3)
        .filter(|o| (o[1].frequency - o[0].frequency).signum() != (o[2].frequency - o[1].frequency).signum());
    assert_eq!(turns.count(), 2, "a hardening spring bends the peak over");
}

/// The motion between the turning points is unstable, the others are stable; the product of the
/// multipliers is exp(-2 ζ T), whatever the motion (Liouville).
#[test]
fn the_middle_of_three_motions_is_unstable() {
    let orbits = branch(&duffing(), [0.4, 2.5], 60, 7);
    let mut unstable = 0;
    for pair in orbits.windows(2) {
        let (before, orbit) = (&pair[0], &pair[1]);
        let product: Complex = orbit.multipliers.iter().fold(Complex::new(1.0, 0.0), |p, m| p * m);
        let known = (-2.0 * ZETA / orbit.frequency).exp();
        assert!((product.re / known - 1.0).abs() < 1e-8 && product.im.abs() < 1e-8, "{product} {known}");
        let forward = orbit.frequency > before.frequency;
        // Beside a turning point a step may straddle it.
        let beside = (orbit.multipliers[0].norm() - 1.0).abs() < 0.15;
        assert!(beside || orbit.is_stable() == forward, "{} {:?}", orbit.frequency, orbit.multipliers);
        unstable += usize::from(!orbit.is_stable());
        assert!(orbit.distortion[0] < 0.2);
    }
    assert!(unstable > 5, "{unstable} of {}", orbits.len());
    let last = &orbits[orbits.len() - 1];
    assert!((std::f64::consts::TAU * last.frequency - 2.5).abs() < 1e-12);
}

/// Departures of a linear system fall by exp(λ T), whatever drives it; its response is G(iω).
#[test]
fn a_linear_system_has_the_multipliers_of_its_eigenvalues() {
    let text = "
        input a [N], w [rad/s], b [rad]
        gravity = 0
        particle p on N by translate(x = x) { mass = 2 [kg] }
        force spring on p.o from N = (a * sin(w * t + b) - 18 [N/m] * x - 0.8 [N*s/m] * der(x)) * N.x
        output place = x
    ";
    for orbit in branch(text, [1.0, 6.0], 12, 3) {
        let omega = std::f64::consts::TAU * orbit.frequency;
        let known = Complex::new(1.0, 0.0) / Complex::new(18.0 - 2.0 * omega * omega, 0.8 * omega);
        assert!((orbit.response[0] - known).norm() < 1e-9 * known.norm(), "{omega}");
        let root = Complex::new(-0.2, (9.0_f64 - 0.04).sqrt());
        let fall = (root / orbit.frequency).exp();
        let near = orbit.multipliers.iter().map(|m| (m - fall).norm()).fold(f64::INFINITY, f64::min);
        assert!(near < 1e-10, "{:?} {fall}", orbit.multipliers);
    }
}

/// Mathieu's equation, whose rest is a periodic motion: multipliers by harmonic balance and by the
/// classical method of Runge and Kutta with many steps.
#[test]
fn the_rest_of_mathieus_equation_loses_its_stability() {
    let text = "
        input a [N], w [rad/s], b [rad]
        gravity = 0
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force spring on p.o from N = (-(1 [N/m] + a / (1 [m]) * sin(w * t + b)) * x - 0.02 [N*s/m] * der(x)) * N.x
        output place = x
    ";
    let orbits = branch(text, [1.6, 2.6], 8, 3);
    let mut kinds = [0, 0];
    for orbit in &orbits {
        let omega = std::f64::consts::TAU * orbit.frequency;
        let field = |t: f64, y: [f64; 2]| [y[1], -(1.0 + PUSH * (omega * t).sin()) * y[0] - 0.02 * y[1]];
        let along = |mut y: [f64; 2]| {
            let steps = 4000;
            let h = 1.0 / orbit.frequency / f64::from(steps);
            for k in 0..steps {
                let t = f64::from(k) * h;
                let add = |y: [f64; 2], s: f64, d: [f64; 2]| [y[0] + s * d[0], y[1] + s * d[1]];
                let k1 = field(t, y);
                let k2 = field(t + h / 2.0, add(y, h / 2.0, k1));
                let k3 = field(t + h / 2.0, add(y, h / 2.0, k2));
                let k4 = field(t + h, add(y, h, k3));
                for i in 0..2 {
                    y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
                }
            }
            y
        };
        let (first, second) = (along([1.0, 0.0]), along([0.0, 1.0]));
        let trace = first[0] + second[1];
        let found: Complex = orbit.multipliers.iter().sum();
        assert!((found.re - trace).abs() < 1e-7 && found.im.abs() < 1e-9, "{omega}: {found} {trace}");
        kinds[usize::from(orbit.is_stable())] += 1;
    }
    assert!(kinds[0] > 0 && kinds[1] > 0, "{kinds:?}");
}
