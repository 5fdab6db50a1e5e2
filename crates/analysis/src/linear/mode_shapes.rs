//! The motion of a mode, exaggerated, for the eye.
//!
//! ```text
//! [oscillating]   q = q₀ + a Re φ e^{i ω t}              two periods, without growth or decay
//! [creeping]      q = q₀ + a φ e^{-t/T}   or   e^{(t - t₁)/T}    four time constants
//! ```
//!
//! Ignorable coordinates stay where they are, so that a bicycle weaves on the spot, unless nothing else moves. Loops are closed at each
//! picture.

use cardan_sim::Frames;

use crate::AnalysisError;
use crate::linear::linearize::Linearization;
use crate::linear::modes::Mode;
use crate::numeric_model::Study;

/// Pictures per mode.
const PICTURES: usize = 121;
/// The largest angle, in radians.
const ANGLE: f64 = 0.3;
/// The largest displacement, as a part of the size of the system.
const PART: f64 = 0.12;

/// Pictures of a mode over its own time.
pub fn mode_motion(study: &mut Study, linear: &Linearization, mode: &Mode) -> Result<Frames, AnalysisError> {
    let (n_q, ..) = study.sizes();
    let (re, im) = mode.eigenvalue;
    let amplitude = amplitude(study, linear, mode)?;
    let oscillates = mode.damped_frequency > 0.0;
    let span = match (oscillates, re) {
        (true, _) => 2.0 / mode.damped_frequency,
        (false, re) if mode.time_constant.is_finite() => 4.0 / re.abs(),
        _ => 2.0,
    };
    let moved = moved(linear, mode, n_q);
    let mut frames = Frames::default();
    for k in 0..PICTURES {
        let t = span * k as f64 / (PICTURES - 1) as f64;
        let (c, s) = match (oscillates, mode.time_constant) {
            (true, _) => ((im * t).cos(), (im * t).sin()),
            (false, time) if time.is_infinite() => ((std::f64::consts::TAU * t / span).sin(), 0.0),
            (false, time) if time > 0.0 => ((re * t).exp(), 0.0),
            (false, _) => ((re * (t - span)).exp(), 0.0),
        };
        let mut y = linear.state.clone();
        for i in &moved {
            let (a, b) = mode.shape[*i];
            y[*i] += amplitude * (a * c - b * s);
        }
        study.close(linear.time, &mut y)?;
        study.picture(linear.time, &y, &mut frames)?;
    }
    let last = frames.times.len();
    frames.times = (0..last).map(|k| span * k as f64 / (PICTURES - 1) as f64).collect();
    Ok(frames)
}

/// The coordinates that are shown to move.
fn moved(linear: &Linearization, mode: &Mode, n_q: usize) -> Vec<usize> {
    let ignorable: Vec<usize> = linear.ignorable.iter().map(|k| linear.independent[*k].place).collect();
    let felt: Vec<usize> = (0..n_q).filter(|k| !ignorable.contains(k)).collect();
    let size = |k: &usize| mode.shape[*k].0.hypot(mode.shape[*k].1);
    if felt.iter().any(|k| size(k) > 1e-9) { felt } else { (0..n_q).collect() }
}

/// So that neither angles nor displacements are too large for the eye.
fn amplitude(study: &mut Study, linear: &Linearization, mode: &Mode) -> Result<f64, AnalysisError> {
    let (n_q, ..) = study.sizes();
    let extent = extent(study, linear)?;
    let mut amplitude = f64::INFINITY;
    let limit = |study: &Study, k: usize| if study.state(k).0.unit == "m" { PART * extent } else { ANGLE };
    for k in moved(linear, mode, n_q) {
        let size = mode.shape[k].0.hypot(mode.shape[k].1);
        if size > 1e-9 {
            amplitude = amplitude.min(limit(study, k) / size);
        }
    }
    Ok(if amplitude.is_finite() { amplitude } else { 0.0 })
}

/// The largest distance between origins of bodies and the ground's, at least a little.
fn extent(study: &mut Study, linear: &Linearization) -> Result<f64, AnalysisError> {
    let mut frames = Frames::default();
    study.picture(linear.time, &linear.state, &mut frames)?;
    let places: Vec<[f64; 3]> = frames.bodies.iter().filter_map(|b| b.first()).map(|p| p.position).collect();
    let mut largest: f64 = 0.0;
    for (k, a) in places.iter().enumerate() {
        for b in places[..k].iter().chain([&[0.0; 3]]) {
            largest = largest.max((0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt());
        }
    }
    Ok(if largest > 1e-6 { largest } else { 1.0 })
}
