//! Driven mechanisms: positions, velocities and accelerations that follow from prescribed motions alone.
//!
//! ```text
//! [predict]     q ← q + q̇ h + q̈ h²/2         then closed at the new time
//! [velocity]    G u = -b,   [acceleration]   G u̇ = -γ      both determined: as many rows as speeds
//! ```
//!
//! Where positions do not follow from the drives, because constraints hold velocities only, and where there are auxiliary states, the motion is
//! integrated instead (`driven_integration`). Where the prediction is not near the closed position, the step is halved, so that the branch on which the mechanism was
//! assembled is followed. A position where velocities are no longer determined is singular; where no position closes the
//! loops any more, the mechanism locks. The last position that closes, the dead point, is one where no speeds follow the drives:
//!
//! ```text
//! [dead]        σ_n < DEAD σ_1  and  wᵀ b ≠ 0      of G with rows and columns of length one at the start; w is what it does not reach
//! ```
//!
//! Rounding decides whether it is closed, and speeds of any size can be computed there, so it does not count as reached. Where
//! wᵀ b = 0, as in a parallelogram in line, several motions meet, and the mechanism goes on.

use cardan_sim::Frames;
use cardan_solve::Matrix;
use cardan_solve::linear::least_norm;

use crate::AnalysisError;
use crate::kinematics::driven_integration::{follow, needs_integration};
use crate::linear::tangent_space::tangent;
use crate::numeric_model::Study;

/// A driven mechanism at one time.
#[derive(Clone, PartialEq, Debug)]
pub struct DrivenSample {
    /// When.
    pub time: f64,
    /// y.
    pub state: Vec<f64>,
    /// u̇.
    pub accelerations: Vec<f64>,
    /// Outputs of the model.
    pub outputs: Vec<f64>,
    /// Generalised forces of the drives, in the order asked for.
    pub forces: Vec<f64>,
    /// The smallest singular value of the constraints' Jacobian as a fraction of the largest: zero where the position is singular.
    pub margin: f64,
}

/// A driven motion.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DrivenMotion {
    /// One per time, as far as the motion could be followed.
    pub samples: Vec<DrivenSample>,
    /// For the animation.
    pub frames: Frames,
    /// Where the motion passed close to a singular position: time and margin.
    pub singular: Vec<(f64, f64)>,
    /// Why the motion ended early, in words.
    pub stopped: Option<String>,
}

/// Margins below this are worth a word.
const NEARLY_SINGULAR: f64 = 1e-4;
/// Constraints that stay open by more than this are not closed, in SI units.
const OPEN: f64 = 1e-9;
/// A closed position farther from the prediction than this is another branch.
const JUMP: f64 = 0.1;
const MAX_HALVINGS: usize = 12;
/// Singular values below this part of the largest do not determine speeds: a loop closed to `OPEN` is this near to a dead point.
const DEAD: f64 = 1e-5;
/// Drives that ask for more than this part of themselves beyond what the mechanism can do lock it.
const BEYOND: f64 = 1e-3;

/// Follows the motion that the constraints of the model determine through `times`. `drives` are places of constraints whose forces
/// are wanted.
pub fn kinematics(study: &mut Study, times: &[f64], drives: &[usize]) -> Result<DrivenMotion, AnalysisError> {
    let mut motion = DrivenMotion::default();
    let Some(first) = times.first() else { return Ok(motion) };
    let mut y = study.start(*first)?;
    refuse_freedom(study, *first, &y)?;
    let usual = Usual::of(&directions(study, *first, &y)?);
    let integrated = needs_integration(study, *first, &y)?;
    let mut now = *first;
    for t in times {
        if *t != now {
            let next =
                if integrated { follow(study, now, *t, &y) } else { advance(study, &usual, now, *t, &y) };
            match next {
                Ok(next) => (y, now) = (next, *t),
                Err(reason) => {
                    motion.stopped = Some(reason);
                    break;
                }
            }
        }
        let margin = margin(study, now, &y)?;
        let rates = match study.rates(now, &y) {
            Ok(rates) if rates.iter().all(|x| x.is_finite()) => rates,
            _ => {
                motion.singular.push((now, margin));
                motion.stopped = Some(format!(
                    "the position at t = {now:.6} s is singular: the drives do not determine accelerations"
                ));
                break;
            }
        };
        let (n_q, n_u, _) = study.sizes();
        if margin < NEARLY_SINGULAR {
            motion.singular.push((now, margin));
        }
        study.picture(now, &y, &mut motion.frames)?;
        motion.samples.push(DrivenSample {
            time: now,
            outputs: study.outputs(now, &y)?,
            forces: study.holding_forces(now, &y, drives)?,
            accelerations: rates[n_q..n_q + n_u].to_vec(),
            state: y.clone(),
            margin,
        });
    }
    Ok(motion)
}

/// Every speed must be determined.
fn refuse_freedom(study: &mut Study, t: f64, y: &[f64]) -> Result<(), AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let local = study.local(t, y)?;
    let free: Vec<String> = tangent(study, &local, &[])?
        .independent
        .iter()
        .filter(|k| (n_q..n_q + n_u).contains(*k))
        .map(|k| format!("`{}`", study.state(*k).0.name))
        .collect();
    match free.len() {
        0 => Ok(()),
        n => Err(AnalysisError::Question(format!(
            "the motion is not determined: {n} more must be prescribed, such as that of {}",
            free.join(", ")
        ))),
    }
}

/// From one time to another in steps that stay on the branch.
fn advance(study: &mut Study, usual: &Usual, from: f64, to: f64, y: &[f64]) -> Result<Vec<f64>, String> {
    let (n_q, n_u, _) = study.sizes();
    let (mut now, mut y) = (from, y.to_vec());
    let mut h = to - from;
    let mut halvings = 0;
    while now != to {
        let next = if (to - now).abs() <= h.abs() * 1.000_001 { to } else { now + h };
        let step = next - now;
        let rates = study.rates(now, &y).ok().filter(|r| r.iter().all(|x| x.is_finite()));
        let mut trial = y.clone();
        if let Some(rates) = rates {
            (0..n_q).for_each(|k| trial[k] += rates[k] * step); // [predict]
            (0..n_u).for_each(|k| trial[n_q + k] += rates[n_q + k] * step);
        }
        let predicted = trial.clone();
        let mut left = study.close(next, &mut trial).unwrap_or(f64::INFINITY);
        if left <= OPEN && is_dead(study, usual, next, &trial).unwrap_or(true) {
            left = f64::INFINITY;
        }
        let jump = (0..n_q).map(|k| (trial[k] - predicted[k]).abs()).fold(0.0, f64::max);
        if left <= OPEN && jump <= JUMP {
            (now, y) = (next, trial);
            continue;
        }
        halvings += 1;
        if halvings > MAX_HALVINGS {
            return Err(if left <= OPEN {
                format!(
                    "the mechanism jumps to another branch at t = {now:.6} s: it passes a singular position there"
                )
            } else {
                format!("the loops cannot be closed beyond t = {now:.6} s: the mechanism locks there")
            });
        }
        h = step / 2.0;
    }
    Ok(y)
}

/// The smallest of the singular values that matter, relative to the largest.
fn margin(study: &mut Study, t: f64, y: &[f64]) -> Result<f64, AnalysisError> {
    let (_, n_u, _) = study.sizes();
    let g = directions(study, t, y)?;
    let found = least_norm(&g, &vec![0.0; g.n_rows()], 0.0)?;
    let of = |k: usize| found.singular_values.get(k).copied().unwrap_or(0.0);
    Ok(if n_u == 0 { 1.0 } else { of(n_u - 1) / of(0).max(1e-300) })
}

/// The lengths of G's rows and columns at an ordinary position: what makes lengths and angles, large and small mechanisms alike.
struct Usual {
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Usual {
    fn of(g: &Matrix) -> Usual {
        let length = |sum: f64| if sum > 0.0 { sum.sqrt() } else { 1.0 };
        let (m, n) = (g.n_rows(), g.n_cols());
        let columns: Vec<f64> = (0..n).map(|k| length((0..m).map(|i| g[(i, k)].powi(2)).sum())).collect();
        let row = |i: usize| length((0..n).map(|k| (g[(i, k)] / columns[k]).powi(2)).sum());
        Usual { rows: (0..m).map(row).collect(), columns }
    }
}

/// Whether no speeds of the mechanism follow the drives. [dead]
fn is_dead(study: &mut Study, usual: &Usual, t: f64, y: &[f64]) -> Result<bool, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let mut g = directions(study, t, y)?;
    let mut at_rest = y.to_vec();
    at_rest[n_q..n_q + n_u].fill(0.0);
    let mut b = study.residuals(t, &at_rest)?.velocities;
    for (i, row) in usual.rows.iter().enumerate() {
        b[i] /= row;
        usual.columns.iter().enumerate().for_each(|(k, column)| g[(i, k)] /= row * column);
    }
    let found = least_norm(&g, &b, DEAD)?;
    if found.rank >= n_u {
        return Ok(false);
    }
    let largest = |v: &mut dyn Iterator<Item = f64>| v.fold(0.0, |m: f64, x| m.max(x.abs()));
    let beyond = |i: usize| b[i] - (0..n_u).map(|k| g[(i, k)] * found.x[k]).sum::<f64>();
    Ok(largest(&mut (0..b.len()).map(beyond)) > BEYOND * largest(&mut b.iter().copied()))
}

/// G.
fn directions(study: &mut Study, t: f64, y: &[f64]) -> Result<Matrix, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let local = study.local(t, y)?;
    let mut g = Matrix::zeros(local.velocities.n_rows(), n_u);
    for j in 0..n_u {
        g.column_mut(j).copy_from_slice(local.velocities.column(n_q + j));
    }
    Ok(g)
}
