//! Models with loops against closed forms: a Geneva drive, a flat-faced follower, slider-cranks in the plane and in space.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, SQRT_2, TAU};
use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

/// The motion of a model of the library, with more outputs.
fn run(name: &str, more: &str) -> Trajectory {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let text = fs::read_to_string(path).expect("a model of the library") + more;
    let model = resolve(parse(name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(run.warnings.is_empty() && run.ending == Ending::Finished, "{:?}", run.warnings);
    run
}

fn series(run: &Trajectory, name: &str) -> Vec<f64> {
    run.series(name).unwrap_or_else(|| panic!("no column `{name}`")).to_vec()
}

/// A column is what is expected of other columns, sample by sample, within a part of its largest value.
fn follows<const N: usize>(
    run: &Trajectory,
    name: &str,
    of: [&str; N],
    tolerance: f64,
    expected: impl Fn([f64; N]) -> f64,
) {
    let of = of.map(|n| series(run, n));
    let found = series(run, name);
    let scale = found.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for (k, x) in found.iter().enumerate() {
        let e = expected(std::array::from_fn(|i| of[i][k]));
        let off = (x - e).abs() / scale;
        assert!(off <= tolerance, "{name} at sample {k}: {x}, expected {e}, off by {off:e} of {scale}");
    }
}

/// The crank from the line of centres, and which turn it is.
fn off_centre(theta: f64) -> (f64, f64) {
    let turn = ((theta + TAU / 2.0) / TAU).floor();
    (theta - TAU * turn, turn)
}

/// Speed of the wheel by that of the crank: the derivative of tan β = sin α / (√2 - cos α).
fn ratio(alpha: f64) -> f64 {
    if alpha.abs() >= FRAC_PI_4 {
        0.0
    } else {
        (SQRT_2 * alpha.cos() - 1.0) / (3.0 - 2.0 * SQRT_2 * alpha.cos())
    }
}

#[test]
fn a_geneva_wheel_turns_by_a_quarter_and_rests() {
    let run = run("geneva.mbs", "");
    let (theta, beta) = (series(&run, "theta"), series(&run, "beta"));
    let (beside, engaged) = (series(&run, "beside"), series(&run, "engaged"));
    let (mut n_engaged, mut n_resting) = (0, 0);
    for k in 0..theta.len() {
        let (alpha, turn) = off_centre(theta[k]);
        if alpha.abs() < FRAC_PI_4 {
            // The pin is on the middle line of a slot: geometry, not the formula of the text.
            assert!(engaged[k] == 1.0 && beside[k].abs() < 1e-12, "{k}: {}", beside[k]);
            n_engaged += 1;
        } else {
            let rest = -(turn * FRAC_PI_2 + FRAC_PI_4.copysign(alpha));
            assert!(engaged[k] == 0.0 && (beta[k] - rest).abs() < 1e-12, "{k}: {} {rest}", beta[k]);
            n_resting += 1;
        }
    }
    assert!(n_engaged > 200 && n_resting > 800, "{n_engaged} {n_resting}");
    follows(&run, "ratio", ["theta"], 1e-10, |[theta]| ratio(off_centre(theta).0));
    // The drive coasts: 1/2 (J1 + J2 i²) ω² is kept.
    follows(&run, "der(theta)", ["theta"], 1e-9, |[theta]| {
        20.0 * (2e-3 / (2e-3 + 2e-4 * ratio(off_centre(theta).0).powi(2))).sqrt()
    });
    assert!(run.audit.relative() < 1e-9, "{}", run.audit);
}

/// At constant speed ω of the crank, α its angle from the line of centres and λ = 1/√2 the crank over the distance of the centres:
///
/// ```text
/// tan β = λ sin α / (1 - λ cos α),    β'' = λ (λ² - 1) sin α / (1 - 2 λ cos α + λ²)²
/// ```
///
/// so the largest speed is λ/(1 - λ) = 2.414 ω, and the acceleration begins with ω² and is largest, 5.41 ω², at 11.5°.
#[test]
fn a_geneva_wheel_quickens_as_its_closed_form_says() {
    let driven = "motion motor on theta = -90 [deg] + start_speed * t\noutput quickening = der(der(beta)) / der(theta)^2\n";
    let run = run("geneva.mbs", driven);
    let (theta, quick, speed) = (series(&run, "theta"), series(&run, "quickening"), series(&run, "ratio"));
    let fastest = speed.iter().fold(0.0_f64, |m, x| m.max(*x));
    assert!((fastest - 1.0 / (SQRT_2 - 1.0)).abs() < 1e-3, "{fastest}");
    let ratio = SQRT_2.recip();
    let mut largest = 0.0_f64;
    for (theta, found) in theta.iter().zip(&quick).filter(|(_, found)| **found != 0.0) {
        let (sin, cos) = off_centre(*theta).0.sin_cos();
        let known = ratio * (1.0 - ratio * ratio) * sin / (1.0 - 2.0 * ratio * cos + ratio * ratio).powi(2);
        assert!((found.abs() - known.abs()).abs() < 1e-9, "{found} {known} at {theta}");
        largest = largest.max(known.abs());
    }
    assert!((largest - 5.41).abs() < 0.01, "{largest}");
    let entry = (0..quick.len()).find(|k| quick[*k] != 0.0).expect("the pin enters");
    assert!((quick[entry].abs() - 1.0).abs() < 0.1, "{}", quick[entry]);
}

#[test]
fn a_flat_follower_moves_in_harmonics() {
    let run = run("flat-cam.mbs", "output rise = der(der(h))\n");
    let (r, e, w) = (0.03, 0.012, 60.0_f64);
    follows(&run, "h", ["t"], 1e-12, |[t]| r - e * (w * t).cos());
    follows(&run, "der(h)", ["t"], 1e-12, |[t]| e * w * (w * t).sin());
    follows(&run, "rise", ["t"], 1e-12, |[t]| e * w * w * (w * t).cos());
    let touch = |t: f64| 0.3 * (9.81 + e * w * w * (w * t).cos()) + 3000.0 * (r - e * (w * t).cos() + 0.005);
    follows(&run, "touch", ["t"], 1e-12, |[t]| touch(t));
    follows(&run, "tilt", ["t"], 1e-12, |[t]| -touch(t) * e * (w * t).sin());
    // The motor bears the contact and the weight of the disc, both beside the shaft by e sin θ.
    follows(&run, "torque", ["t"], 1e-11, |[t]| (touch(t) + 0.5 * 9.81) * e * (w * t).sin());
    assert!(series(&run, "touch").iter().all(|f| *f > 0.0), "the face stays on the cam");
    assert!(run.audit.relative() < 1e-9, "{}", run.audit);
}

/// Reactions of the slider-crank from its accelerations by hand: Newton for the piston, Euler for the rod about the crank pin.
#[test]
fn a_slider_crank_bears_what_the_textbook_says() {
    let more = "output pin = rod.force, bearing = crank.force, gudgeon_x = gudgeon.force.x, speeding = der(der(psi))\n";
    let run = run("slider-crank.mbs", more);
    let (r, l, w) = (0.05_f64, 0.15_f64, 100.0_f64);
    // sin χ = -λ sin φ, the rod's angle in the room; its rates by differentiation.
    let rod = move |t: f64| {
        let (s, c) = (w * t).sin_cos();
        let sine = -r / l * s;
        let cosine = (1.0 - sine * sine).sqrt();
        let rate = -r / l * w * c / cosine;
        let second = (r / l * w * w * s + rate * rate * sine) / cosine;
        (sine, cosine, rate, second)
    };
    let piston = move |t: f64| {
        let (sine, cosine, rate, second) = rod(t);
        0.8 * (-r * w * w * (w * t).cos() - l * (second * sine + rate * rate * cosine))
    };
    // The rod pushes the piston: on the rod's eye -F.
    follows(&run, "gudgeon_x", ["t"], 1e-10, |[t]| -piston(t));
    let centre = move |t: f64| {
        let ((s, c), (sine, cosine, rate, second)) = ((w * t).sin_cos(), rod(t));
        let d = l / 3.0;
        let ax = -r * w * w * c - d * (second * sine + rate * rate * cosine);
        let ay = -r * w * w * s + d * (second * cosine - rate * rate * sine);
        (ax, ay)
    };
    // Euler about the crank pin: I α + d × m a = l × F, solved for the side force.
    let side = move |t: f64| {
        let ((sine, cosine, _, second), (ax, ay)) = (rod(t), centre(t));
        let d = l / 3.0;
        let moment = 1.8e-3 * second + 0.6 * d * (cosine * ay - sine * ax);
        (moment - l * sine * piston(t)) / (l * cosine)
    };
    follows(&run, "side", ["t"], 1e-10, |[t]| side(t));
    follows(&run, "pin.x", ["t"], 1e-10, |[t]| 0.6 * centre(t).0 + piston(t));
    follows(&run, "pin.y", ["t"], 1e-10, |[t]| 0.6 * centre(t).1 - side(t));
    follows(&run, "bearing.x", ["t"], 1e-10, |[t]| {
        0.6 * centre(t).0 + piston(t) - 1.2 * r / 4.0 * w * w * (w * t).cos()
    });
}

/// l² = (b - r sin θ)² + (h + r cos θ)² + s², differentiated twice, along five seconds.
#[test]
fn a_rod_in_space_drives_its_slider() {
    let run = run(
        "spatial-slider-crank.mbs",
        "output quickening = der(der(s)), turning = der(der(theta)), angle = omega(rod)\n",
    );
    let (r, l, b, h) = (0.08_f64, 0.3_f64, 0.1_f64, 0.12_f64);
    // f = l² - s² and its derivatives by θ: r² + b² + h² + 2 r (h cos θ - b sin θ).
    let f = move |x: f64| {
        let (s, c) = x.sin_cos();
        let f = r * r + b * b + h * h + 2.0 * r * (h * c - b * s);
        (f, -2.0 * r * (h * s + b * c), -2.0 * r * (h * c - b * s))
    };
    let slide = move |x: f64| (l * l - f(x).0).sqrt();
    follows(&run, "s", ["theta"], 1e-12, |[x]| slide(x));
    follows(&run, "der(s)", ["theta", "der(theta)"], 1e-10, |[x, u]| -f(x).1 * u / (2.0 * slide(x)));
    follows(&run, "quickening", ["theta", "der(theta)", "turning"], 1e-10, |[x, u, a]| {
        let v = -f(x).1 * u / (2.0 * slide(x));
        -(f(x).2 * u * u + f(x).1 * a + 2.0 * v * v) / (2.0 * slide(x))
    });
    // The universal joint's cross turns about z, then y: the end of the rod is where the crank's is.
    follows(&run, "psi", ["theta"], 1e-11, |[x]| (r * x.sin() - b).atan2(slide(x)));
    follows(&run, "chi", ["theta"], 1e-11, |[x]| ((h + r * x.cos()) / l).asin());
    assert!(run.audit.relative() < 1e-9, "{}", run.audit);
}
