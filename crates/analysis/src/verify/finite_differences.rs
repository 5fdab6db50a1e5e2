//! Exact Jacobians of the rates against differences of the rates themselves.
//!
//! ```text
//! [directional]   (∂ẏ/∂y) z  =  d/dh ẏ(y(h)),    y(h) on the constraints with y'(0) = z
//! ```
//!
//! for a basis of the directions z in which the constraints let the state go: beside them the rates need not be smooth, as rows that repeat
//! others contradict them there. Entries are compared where the differences converge: beside a kink of a law of force they
//! need not, and nothing is said there.

use crate::AnalysisError;
use crate::linear::tangent_space::tangent;
use crate::numeric_model::{Local, Study};
use crate::verify::richardson::{Estimate, first};
use crate::verify::{Check, Limits, State, idle};

const LIMITS: Limits = Limits { doubtful: 1e-5, wrong: 1e-3 };
/// Differences that are less sure than this tell nothing.
const UNSURE: f64 = 1e-4;
/// So many times the estimated error of a difference may be its error.
const SAFETY: f64 = 10.0;
/// An entry is small if it matters less than this part of its row.
const SMALL: f64 = 1e-3;
/// A rate is nothing if it is less than this part of the largest of its kind.
const STILL: f64 = 1e-6;
/// Differences are taken once more this near, lest a wide view overlook what is narrow.
const NARROW: f64 = 1e-2;

/// How much the slope jumps at the place itself, where central differences give the mean of both sides and look sure.
///
/// ```text
/// [kink]   (f(h) - 2 f(0) + f(-h)) / h  =  jump of f' + h f'' + …
/// ```
fn kinks(beside: &mut dyn FnMut(f64) -> Vec<f64>, here: &[f64], reach: f64) -> Vec<f64> {
    let mut jumps = |h: f64| -> Vec<f64> {
        let (forward, back) = (beside(h), beside(-h));
        let around = forward.iter().zip(&back).zip(here);
        around.map(|((a, b), m)| ((a - m) - (m - b)).abs() / h).collect()
    };
    let (wide, narrow) = (jumps(NARROW * reach), jumps(0.01 * NARROW * reach));
    // What is smooth vanishes with h.
    wide.iter().zip(&narrow).map(|(w, n)| if *n < 0.1 * w { 0.0 } else { *n }).collect()
}

/// How many entries were compared, how many could not be, and the largest difference.
#[derive(Default)]
struct Tally {
    judged: usize,
    unsure: usize,
    worst: f64,
}

pub fn check(study: &mut Study, states: &[State]) -> Result<Check, AnalysisError> {
    const NAME: &str = "derivatives";
    let mut tally = Tally::default();
    for state in states {
        study.hold_discretes(&state.discretes);
        // In a singular position there are no derivatives.
        if let Ok(local) = study.local(state.t, &state.y) {
            compare(study, state, &local, &mut tally)?;
        }
    }
    let Tally { judged, unsure, worst } = tally;
    if judged == 0 {
        return Ok(idle(NAME, "differences converge nowhere on this motion"));
    }
    let left_out = match unsure {
        0 => String::new(),
        some => format!(", {some} more without a limit"),
    };
    let compared = format!("{judged} entries of exact Jacobians against differences{left_out}");
    Ok(LIMITS.judge(NAME, compared, worst))
}

/// [directional] at one state.
fn compare(study: &mut Study, state: &State, local: &Local, tally: &mut Tally) -> Result<(), AnalysisError> {
    let State { t, y, .. } = state;
    let n = y.len();
    let rates = study.rates(*t, y)?;
    let Ok(free) = tangent(study, local, &[]) else { return Ok(()) };
    let exact: Vec<Vec<f64>> = (0..free.independent.len())
        .map(|j| {
            let mut along = vec![0.0; n];
            for (k, z) in free.basis.column(j).iter().enumerate().filter(|(_, z)| **z != 0.0) {
                along.iter_mut().enumerate().for_each(|(i, sum)| *sum += local.field[(i, k)] * z);
            }
            along
        })
        .collect();
    let reach = |j: usize| {
        let largest = free.basis.column(j).iter().fold(1.0f64, |m, z| m.max(z.abs()));
        0.1 * y[free.independent[j]].abs().max(1.0) / largest
    };
    let reach: Vec<f64> = (0..exact.len()).map(reach).collect();
    let size = |i: usize| exact.iter().zip(&reach).fold(rates[i].abs(), |m, (e, r)| m.max(e[i].abs() * r));
    let mut sizes: Vec<f64> = (0..n).map(size).collect();
    // What does not move at all is rounding beside its like.
    let (n_q, n_u, _) = study.sizes();
    for alike in [0..n_q, n_q..n_q + n_u, n_q + n_u..n] {
        let largest = sizes[alike.clone()].iter().copied().fold(0.0, f64::max);
        sizes[alike].iter_mut().for_each(|s| *s = s.max(STILL * largest));
    }
    for (j, exact) in exact.iter().enumerate() {
        let mut beside = |h: f64| {
            let mut y: Vec<f64> = y.iter().zip(free.basis.column(j)).map(|(y, z)| y + h * z).collect();
            let closed = study.close(*t, &mut y);
            closed.and_then(|_| study.rates(*t, &y)).unwrap_or_else(|_| vec![f64::NAN; n])
        };
        let kinks = kinks(&mut beside, &rates, reach[j]);
        let (wide, narrow) = (first(&mut beside, reach[j]), first(&mut beside, NARROW * reach[j]));
        for i in 0..n {
            let (a, b) = (wide[i], narrow[i]);
            let scale = exact[i].abs().max(b.value.abs()).max(SMALL * sizes[i] / reach[j]);
            let sure = |e: &Estimate| e.error <= UNSURE * scale;
            let apart = (a.value - b.value).abs() > UNSURE * scale;
            if scale > 0.0 && (kinks[i] > UNSURE * scale || !sure(&b) || (sure(&a) && apart)) {
                tally.unsure += 1;
                continue;
            }
            tally.judged += 1;
            let best = if sure(&a) && a.error < b.error { a } else { b };
            let excess = (exact[i] - best.value).abs() - SAFETY * best.error;
            if excess > 0.0 {
                tally.worst = tally.worst.max(excess / scale);
            }
        }
    }
    Ok(())
}
