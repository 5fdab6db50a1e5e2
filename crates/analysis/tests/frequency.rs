//! Frequency response of models against published plants.

use std::f64::consts::{PI, TAU};

use crate::common;

use cardan_analysis::{FrequencyRange, LinearOptions, LinearSystem, Response, Study, linearize};
use cardan_control::{Complex, FrequencyResponse};

fn system(study: &mut Study, outputs: &[&str]) -> LinearSystem {
    let y = study.start(0.0).unwrap();
    let linear = linearize(study, 0.0, &y, &LinearOptions::default()).unwrap();
    let outputs: Vec<String> = outputs.iter().map(|s| s.to_string()).collect();
    LinearSystem::of(study, &linear, &outputs).unwrap()
}

fn same_set(found: &[Complex], known: &[(f64, f64)], tolerance: f64) {
    assert_eq!(found.len(), known.len(), "{found:?}");
    for (re, im) in known {
        let apart = found.iter().map(|z| (z.re - re).hypot(z.im - im)).fold(f64::INFINITY, f64::min);
        assert!(apart < tolerance, "{re} + {im}i is missed by {apart:e} in {found:?}");
    }
}

/// Gain in dB and phase in degrees at angular frequencies.
fn bode(system: &LinearSystem, known: &[(f64, f64, f64)]) {
    let response = FrequencyResponse::new(&system.system).unwrap();
    for (w, decibel, degrees) in known {
        let g = response.at(*w).unwrap()[(0, 0)];
        assert!((20.0 * g.norm().log10() - decibel).abs() < 2e-8, "gain at {w}: {}", 20.0 * g.norm().log10());
        let phase = g.arg() * 180.0 / PI;
        assert!(
            (phase - degrees).rem_euclid(360.0).min((degrees - phase).rem_euclid(360.0)) < 2e-7,
            "{phase}"
        );
    }
}

/// Control Tutorials for MATLAB and Simulink, inverted pendulum: M = 0.5 kg, m = 0.2 kg,
/// b = 0.1 N s/m, I = 0.006 kg m², l = 0.3 m, g = 9.8 m/s²; the printed poles are 0, -0.1428,
/// -5.6041, 5.5651. More digits and the Bode values: python-control 0.10.2 on the printed matrices.
const PENDULUM: &str = "
parameter F = 0 [N]
gravity = -9.8 [m/s^2] * N.z
body cart on N by translate(x = x) { mass = 0.5 [kg]; inertia = (0, 0, 0) [kg*m^2] }
body pole on cart by rotate(y = theta) {
  mass = 0.2 [kg]; inertia = (0, 0.006, 0) [kg*m^2]; center = (0, 0, 0.3) [m]
}
force push on cart.o from N = (F - 0.1 [N*s/m] * der(x)) * N.x
output phi = -theta
";

#[test]
fn the_inverted_pendulum_of_the_control_tutorials() {
    let mut study = common::study(PENDULUM, &["F"]);
    let system = system(&mut study, &[]);
    let poles = [(-5.60409412555, 0.0), (-0.142831635695, 0.0), (0.0, 0.0), (5.56510757943, 0.0)];
    let found = Response::of(&system.system, &FrequencyRange::default()).unwrap();
    same_set(&found.poles, &poles, 1e-10);
    // The place of the cart is not seen in the angle: one pole and one zero at the origin cancel.
    let channel = &found.channels[0];
    same_set(&channel.transfer.as_ref().unwrap().poles, &[poles[0], poles[1], poles[3]], 1e-10);
    same_set(&channel.transfer.as_ref().unwrap().zeros, &[(0.0, 0.0)], 1e-12);
    assert_eq!(channel.static_gain, 0.0);
    let known = [
        (0.1, -21.55967901, -124.9896668),
        (0.5, -17.13806489, -164.0217793),
        (1.0, -17.08988257, -171.8019312),
        (2.0, -17.79830889, -175.7881465),
        (5.0, -21.8448251, -178.1649377),
        (10.0, -29.2072195, -179.0114183),
        (50.0, -54.91497759, -179.7922026),
    ];
    bode(&system, &known);
}

/// Wie & Bernstein, J. Guidance 15 (1992) 1057, with a damper: m = 1 kg, k = 1 N/m, c = 0.02 N s/m.
const TWO_MASSES: &str = "
parameter u = 0 [N], k = 1 [N/m], c = 0.02 [N*s/m]
particle first on N by translate(x = x1) { mass = 1 [kg] }
particle second on N by translate(x = x2) { mass = 1 [kg] }
force coil on second.o from first = (-k * (x2 - x1) - c * (der(x2) - der(x1))) * N.x
force drive on first.o from N = u * N.x
";

#[test]
fn two_masses_and_a_spring_collocated_and_not() {
    let mut study = common::study(TWO_MASSES, &["u"]);
    let range = FrequencyRange::default();
    let near = system(&mut study, &["x1"]);
    let found = Response::of(&near.system, &range).unwrap();
    let pair = (1.0_f64 - 1e-4).sqrt();
    same_set(&found.channels[0].transfer.as_ref().unwrap().zeros, &[(-0.01, pair), (-0.01, -pair)], 1e-10);
    bode(&near, &[(0.1, 33.93564254, -179.9994183), (1.0, -33.98634325, -92.29061004)]);
    let far = system(&mut study, &["x2"]);
    let found = Response::of(&far.system, &range).unwrap();
    same_set(&found.channels[0].transfer.as_ref().unwrap().zeros, &[(-50.0, 0.0)], 1e-8);
    assert_eq!(found.channels[0].static_gain, f64::INFINITY);
    bode(
        &far,
        &[
            (0.5, 7.180305921, 179.9181583),
            (2.0, -18.06179974, 4.581220085),
            (50.0, -132.9003517, 45.04587331),
        ],
    );
    // A resonance of half width 0.02 1/s is seen although the grid is coarse, and the phase has no jumps.
    let coarse = Response::of(&far.system, &FrequencyRange { points: 5, ..range }).unwrap();
    let w = (2.0_f64 - 4e-4).sqrt();
    let seen = coarse.frequencies.iter().map(|f| (TAU * f - w).abs()).fold(f64::INFINITY, f64::min);
    assert!(seen < 1e-9, "{seen:e}");
    let phases: Vec<f64> = found.polar(&found.channels[0]).iter().map(|p| p.1).collect();
    assert!(phases.windows(2).all(|p| (p[1] - p[0]).abs() < 1.0));
}

/// A loop with a closed form: 4/(s (s + 1)(s + 2)) has the gain margin 1.5 at √2 rad/s.
#[test]
fn margins_of_a_servo_have_their_closed_form() {
    let text = "
        parameter u = 0
        state a = 0, b = 0, c = 0
        der(a) = 4 [1/s] * u - a * 2 [1/s]
        der(b) = a * 1 [1/s] - b * 1 [1/s]
        der(c) = b * 1 [1/s]
        output y = c
    ";
    let mut study = common::study(text, &["u"]);
    let found = Response::of(&system(&mut study, &[]).system, &FrequencyRange::default()).unwrap();
    let gain = found.channels[0].margins.gain_margin().unwrap();
    assert!((gain.value - 1.5).abs() < 1e-12 && (gain.frequency - 2.0_f64.sqrt()).abs() < 1e-10);
    // |L| = 1: w² (w² + 1)(w² + 4) = 16, and the phase there by arctangents.
    let phase = found.channels[0].margins.phase_margin().unwrap();
    let w = phase.frequency;
    assert!((w * w * (w * w + 1.0) * (w * w + 4.0) - 16.0).abs() < 1e-10);
    assert!((phase.value - (PI / 2.0 - w.atan() - (w / 2.0).atan())).abs() < 1e-10);
}

/// A pendulum of Cartesian coordinates on a rod: constraints leave one degree of freedom, and
/// x over F is 1/(m (g/L − ω²) + i c ω).
#[test]
fn a_constrained_system_responds_as_its_minimal_form() {
    let text = "
        parameter F = 0 [N]
        gravity = -9.81 [m/s^2] * N.z
        particle bob on N by translate(x = x, z = z) { mass = 2 [kg] }
        constraint rod = mag(position(N.o, bob.o)) - 0.7 [m]
        force push on bob.o from N = (F - 0.3 [N*s/m] * der(x)) * N.x
        start { x = 0; z = -0.7 [m] }
    ";
    let mut study = common::study(text, &["F"]);
    let system = system(&mut study, &["x", "z"]);
    assert_eq!(system.system.n_states(), 2);
    let response = FrequencyResponse::new(&system.system).unwrap();
    for w in [0.1, 1.0, 3.7, 20.0] {
        let known = Complex::new(1.0, 0.0) / Complex::new(2.0 * (9.81 / 0.7 - w * w), 0.3 * w);
        let g = response.at(w).unwrap();
        assert!((g[(0, 0)] - known).norm() < 1e-12 * known.norm(), "{w}: {} {known}", g[(0, 0)]);
        assert!(g[(1, 0)].norm() < 1e-12);
    }
}

/// Every output sees the inputs through one spring and damper: the transfer matrix has rank one, and the only zero is that of
/// the path, -k/c; all other roots of the Rosenbrock matrix are roots at every s.
#[test]
fn a_single_path_has_its_own_zero_only() {
    let text = "
        gravity = 0
        input f1 [N], f2 [N]
        particle p0 on N by translate(x = x0) { mass = 2.135 [kg] }
        particle p1 on N by translate(x = x1) { mass = 1.797 [kg] }
        particle p2 on N by translate(x = x2) { mass = 1.742 [kg] }
        particle p3 on N by translate(x = x3) { mass = 3.267 [kg] }
        particle p4 on N by translate(x = x4) { mass = 3.668 [kg] }
        particle p5 on N by translate(x = x5) { mass = 1.121 [kg] }
        force a on p0.o from N = (-132.293 [N/m] * x0 - 1.035 [N*s/m] * der(x0)) * N.x
        force b on p1.o from p0 = (-193.558 [N/m] * (x1 - x0) - 2.776 [N*s/m] * (der(x1) - der(x0))) * N.x
        force c on p2.o from p1 = (-128.995 [N/m] * (x2 - x1) - 2.308 [N*s/m] * (der(x2) - der(x1))) * N.x
        force d on p3.o from p2 = (-105.455 [N/m] * (x3 - x2) - 2.513 [N*s/m] * (der(x3) - der(x2))) * N.x
        force e on p4.o from p3 = (-92.434 [N/m] * (x4 - x3) - 1.149 [N*s/m] * (der(x4) - der(x3))) * N.x
        force f on p5.o from p4 = (-59.19 [N/m] * (x5 - x4) - 0.834 [N*s/m] * (der(x5) - der(x4))) * N.x
        force g on p5.o from p2 = (-47.532 [N/m] * (x5 - x2) - 0.429 [N*s/m] * (der(x5) - der(x2))) * N.x
        force push1 on p1.o from N = f1 * N.x
        force push2 on p0.o from N = f2 * N.x
        output y1 = der(x2), y2 = x3
    ";
    let system = system(&mut common::study(text, &[]), &["y1", "y2"]);
    let found = cardan_control::transfer_function::zeros(&system.system).unwrap();
    same_set(&found, &[(-128.995 / 2.308, 0.0)], 1e-9 * 56.0);
}
