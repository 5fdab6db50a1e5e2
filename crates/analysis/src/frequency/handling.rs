//! Handling of a vehicle: how yaw rate, lateral acceleration, sideslip and wheel loads answer to the steering angle, over the
//! speed, by the linear equations about straight running, a steady motion near the start without steering (`statics::trim`).
//!
//! ```text
//! [slow-gain]   G(0) = (4 Re G(iω/2) − Re G(iω))/3 + O(ω⁴)            yaw and place integrate, so that A is singular
//! [understeer]  δ = L r/v + K a_y,  a_y = v r    ⇒    v/G_r = L + K v²
//! [speeds]      v_ch = √(L/K) of a car that understeers,  v_cr = √(−L/K) of one that oversteers
//! [rollover]    a* = Σ F / Σ (−dF/da_y) over the inner wheels: where the last of them would lift
//! ```
//!
//! G_r is the gain of the yaw rate by the steering angle. With several speeds wheelbase L and gradient K are those of the straight
//! line nearest to [understeer]; a given wheelbase leaves K alone. Sources: Gillespie, Fundamentals of Vehicle Dynamics (1992),
//! ch. 6; ISO 4138; ISO 7401.

use std::f64::consts::TAU;

use cardan_control::{Complex, FrequencyResponse};

use crate::AnalysisError;
use crate::frequency::state_space::LinearSystem;
use crate::linear::linearize::{LinearOptions, linearize};
use crate::numeric_model::Study;
use crate::statics::trim::trim;

/// What is asked. The study has one input: the steering angle that is asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HandlingQuestion {
    /// The parameter that is the speed of straight running.
    pub speed: String,
    /// Its values, ascending.
    pub speeds: Vec<f64>,
    /// The angle of the front wheels as an output or state; the input itself if nothing.
    pub angle: Option<String>,
    /// The yaw rate, as an output or state.
    pub yaw_rate: String,
    /// The lateral acceleration; speed times yaw rate if nothing.
    pub lateral: Option<String>,
    /// The sideslip angle.
    pub sideslip: Option<String>,
    /// The loads of all wheels.
    pub loads: Vec<String>,
    /// The time of the state, since a robot may steer by the clock.
    pub time: f64,
    /// The wheelbase, if it is known.
    pub wheelbase: Option<f64>,
    /// Frequencies in Hz of the responses.
    pub frequencies: Vec<f64>,
}

/// The answer at one speed. Gains are per steering angle.
#[derive(Clone, PartialEq, Debug)]
pub struct HandlingPoint {
    /// Speed.
    pub speed: f64,
    /// Whether the vehicle runs straight on steadily; else all is about its start, which slows down for instance.
    pub is_steady: bool,
    /// Yaw rate, in 1/s.
    pub yaw_gain: f64,
    /// Lateral acceleration, in m/s².
    pub lateral_gain: f64,
    /// Sideslip angle, where it is asked for.
    pub sideslip_gain: Option<f64>,
    /// K at this speed, with the wheelbase of all of them. [understeer]
    pub understeer: f64,
    /// Frequency in Hz and ratio to the steady gain of the largest yaw rate; at the lowest frequency where it only falls.
    pub resonance: (f64, f64),
    /// Lateral acceleration at which all inner wheels would have lifted, and at which the first one would. [rollover]
    pub rollover: Option<(f64, f64)>,
    /// Gain and phase in rad of the yaw rate at each frequency.
    pub yaw: Vec<(f64, f64)>,
    /// The same of the lateral acceleration.
    pub lateral: Vec<(f64, f64)>,
}

/// The answers at all speeds.
#[derive(Clone, PartialEq, Debug)]
pub struct Handling {
    /// One per speed.
    pub points: Vec<HandlingPoint>,
    /// L, given or found. [understeer]
    pub wheelbase: f64,
    /// K, in rad s²/m.
    pub understeer: f64,
}

impl Handling {
    /// The speed at which the yaw rate per angle is largest, of a vehicle that understeers. [speeds]
    pub fn characteristic_speed(&self) -> Option<f64> {
        (self.understeer > 0.0).then(|| (self.wheelbase / self.understeer).sqrt())
    }

    /// The speed at which a vehicle that oversteers becomes unstable. [speeds]
    pub fn critical_speed(&self) -> Option<f64> {
        (self.understeer < 0.0).then(|| (-self.wheelbase / self.understeer).sqrt())
    }

    /// The answer to a question.
    pub fn of(study: &mut Study, question: &HandlingQuestion) -> Result<Handling, AnalysisError> {
        let n = question.speeds.len();
        let is_ascending = question.speeds.windows(2).all(|w| w[0] < w[1]);
        if n == 0 || question.speeds[0] <= 0.0 || !is_ascending {
            return Err(AnalysisError::Question("speeds of running are positive and grow".into()));
        }
        if n == 1 && question.wheelbase.is_none() {
            return Err(AnalysisError::Question(
                "one speed does not tell the wheelbase from the understeer gradient; give more, or the wheelbase".into(),
            ));
        }
        let mut points = vec![];
        for v in &question.speeds {
            points.push(point(study, question, *v)?);
        }
        let (wheelbase, understeer) = line(&points, question.wheelbase);
        for p in &mut points {
            p.understeer = (p.speed / p.yaw_gain - wheelbase) / (p.speed * p.speed);
        }
        Ok(Handling { points, wheelbase, understeer })
    }
}

/// ω in rad/s of [slow-gain]: slow beside what a vehicle does.
const SLOW: f64 = 0.02;

/// L and K of the line v/G = L + K v² by least squares. [understeer]
fn line(points: &[HandlingPoint], wheelbase: Option<f64>) -> (f64, f64) {
    let xy: Vec<(f64, f64)> = points.iter().map(|p| (p.speed * p.speed, p.speed / p.yaw_gain)).collect();
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| xy.iter().map(f).sum::<f64>();
    if let Some(l) = wheelbase {
        return (l, sum(&|(x, y)| x * (y - l)) / sum(&|(x, _)| x * x));
    }
    let n = xy.len() as f64;
    let (mx, my) = (sum(&|p| p.0) / n, sum(&|p| p.1) / n);
    let k = sum(&|(x, y)| (x - mx) * (y - my)) / sum(&|(x, _)| (x - mx) * (x - mx));
    (my - k * mx, k)
}

fn point(study: &mut Study, question: &HandlingQuestion, v: f64) -> Result<HandlingPoint, AnalysisError> {
    study.set(&question.speed, v)?;
    let steering: Vec<String> = study.input_names().into_iter().map(|n| n.name).collect();
    let straight = |study: &mut Study| steering.iter().try_for_each(|name| study.set(name, 0.0));
    straight(study)?;
    let start = study.start(question.time)?;
    let found = trim(study, question.time, &[]).ok().filter(|found| found.balanced);
    let is_steady = found.is_some();
    let y = found.map_or(start, |found| found.state);
    straight(study)?;
    let linear = linearize(study, question.time, &y, &LinearOptions::default())?;
    if linear.inputs.len() != 1 {
        return Err(AnalysisError::Question("handling is asked of one steering angle".into()));
    }
    let mut names = vec![question.yaw_rate.clone()];
    names.extend([&question.lateral, &question.sideslip, &question.angle].into_iter().flatten().cloned());
    names.extend(question.loads.iter().cloned());
    let place = |name: &Option<String>| name.as_ref().and_then(|n| names.iter().position(|k| k == n));
    let (lateral, sideslip, angle) =
        (place(&question.lateral), place(&question.sideslip), place(&question.angle));
    let first_load = names.len() - question.loads.len();
    let system = LinearSystem::of(study, &linear, &names)?;
    let response = FrequencyResponse::new(&system.system)?;
    // Everything per angle of the wheels.
    let at = |w: f64| -> Result<Vec<Complex>, AnalysisError> {
        let g = response.at(w)?;
        let per = angle.map_or(Complex::new(1.0, 0.0), |k| g[(k, 0)]);
        Ok((0..names.len()).map(|k| g[(k, 0)] / per).collect())
    };
    let (slow, slower) = (at(SLOW)?, at(SLOW / 2.0)?);
    let steady: Vec<f64> = slow.iter().zip(&slower).map(|(a, b)| (4.0 * b.re - a.re) / 3.0).collect(); // [slow-gain]
    let yaw_gain = steady[0];
    if !yaw_gain.is_finite() || yaw_gain == 0.0 {
        return Err(AnalysisError::Question(format!(
            "the yaw rate `{}` does not answer to the steering; a robot that begins later needs a later time",
            question.yaw_rate
        )));
    }
    let lateral_gain = lateral.map_or(v * yaw_gain, |k| steady[k]);
    let outputs = study.outputs(question.time, &y)?;
    let known = study.output_names();
    let load = |name: &String| known.iter().position(|o| o.name == *name).map(|k| outputs[k]);
    let loads: Option<Vec<f64>> = question.loads.iter().map(load).collect();
    let rollover = loads.and_then(|loads| {
        let per = steady[first_load..].iter().map(|g| g / lateral_gain);
        rollover(&loads.into_iter().zip(per).collect::<Vec<_>>())
    });
    let (mut yaw, mut side): (Vec<Complex>, Vec<Complex>) = (vec![], vec![]);
    for f in &question.frequencies {
        let g = at(TAU * f)?;
        yaw.push(g[0]);
        side.push(lateral.map_or(g[0] * v, |k| g[k]));
    }
    let ratio = yaw.iter().map(|g| g.norm() / yaw_gain.abs());
    let peak = question
        .frequencies
        .iter()
        .copied()
        .zip(ratio)
        .fold((0.0, 0.0), |m: (f64, f64), p| if p.1 > m.1 { p } else { m });
    Ok(HandlingPoint {
        speed: v,
        is_steady,
        yaw_gain,
        lateral_gain,
        sideslip_gain: sideslip.map(|k| steady[k]),
        understeer: 0.0,
        resonance: peak,
        rollover,
        yaw: polar(&yaw),
        lateral: polar(&side),
    })
}

/// Lateral accelerations at which all inner wheels and at which the first one would have lifted, from loads at rest and their change per
/// acceleration. [rollover]
fn rollover(wheels: &[(f64, f64)]) -> Option<(f64, f64)> {
    let inner = || wheels.iter().filter(|(_, per)| *per < 0.0);
    let (load, change) = inner().fold((0.0, 0.0), |(l, c), (load, per)| (l + load, c - per));
    let first = inner().map(|(load, per)| load / -per).fold(f64::INFINITY, f64::min);
    (change > 0.0).then_some((load / change, first))
}

/// Gain and phase, without jumps of the phase.
fn polar(values: &[Complex]) -> Vec<(f64, f64)> {
    let mut before: Option<f64> = None;
    let mut turn = |g: &Complex| {
        let raw = g.arg();
        let phase = before.map_or(raw, |p| raw + TAU * ((p - raw) / TAU).round());
        before = Some(phase);
        (g.norm(), phase)
    };
    values.iter().map(&mut turn).collect()
}
