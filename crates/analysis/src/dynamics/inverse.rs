//! Inverse dynamics: the forces of chosen actuators that bring a given motion about, in trees and in closed loops.
//!
//! ```text
//! [free]        M u̇₀ = f + Gᵀ λ₀,   G u̇₀ = -γ             the motion without actuators
//! [wanted]      Zᵀ B τ = Zᵀ M (u̇ - u̇₀)                     Z spans the admissible velocities, so Zᵀ Gᵀ = 0
//! ```
//!
//! τ is unique with as many actuators as there are motions left, the shortest with more; with fewer, what cannot be brought about
//! is reported.

use cardan_solve::linear::least_norm;

use crate::AnalysisError;
use crate::linear::linearize::{part, product};
use crate::linear::tangent_space::tangent;
use crate::numeric_model::Study;

/// Forces at one time.
#[derive(Clone, PartialEq, Debug)]
pub struct ActuatorForces {
    /// One per actuator.
    pub forces: Vec<f64>,
    /// The largest generalised force that the actuators cannot provide.
    pub left: f64,
}

/// The forces along the speeds at places `actuated` among the speeds that give the accelerations u̇ at the state `y`.
pub fn inverse(
    study: &mut Study,
    t: f64,
    y: &[f64],
    accelerations: &[f64],
    actuated: &[usize],
) -> Result<ActuatorForces, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let rates = study.rates(t, y)?;
    let extra: Vec<f64> = (0..n_u).map(|k| accelerations[k] - rates[n_q + k]).collect();
    let mut needed = vec![0.0; n_u];
    study.mass(t, y)?.multiply(&extra, &mut needed);
    let local = study.local(t, y)?;
    let tangent = tangent(study, &local, &[])?;
    let columns: Vec<usize> = (0..tangent.independent.len())
        .filter(|j| (n_q..n_q + n_u).contains(&tangent.independent[*j]))
        .collect();
    let rows: Vec<usize> = (n_q..n_q + n_u).collect();
    let z = part(&tangent.basis, &rows, &columns);
    let mut wanted = vec![0.0; columns.len()];
    z.multiply_transposed(&needed, &mut wanted); // [wanted]
    let mut transposed = cardan_solve::Matrix::zeros(columns.len(), n_u);
    for i in 0..n_u {
        (0..columns.len()).for_each(|j| transposed[(j, i)] = z[(i, j)]);
    }
    let every: Vec<usize> = (0..columns.len()).collect();
    let acting = part(&transposed, &every, actuated);
    let forces = least_norm(&acting, &wanted, 1e-10)?.x;
    let mut column = cardan_solve::Matrix::zeros(actuated.len(), 1);
    column.column_mut(0).copy_from_slice(&forces);
    let given = product(&acting, &column);
    let left = wanted.iter().zip(given.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    Ok(ActuatorForces { forces, left })
}

/// The place among the speeds of the one that changes this coordinate, or of the speed of this name.
pub fn actuator(study: &Study, name: &str) -> Result<usize, AnalysisError> {
    let (n_q, n_u, _) = study.sizes();
    let place = study.place(name)?;
    if (n_q..n_q + n_u).contains(&place) {
        return Ok(place - n_q);
    }
    let found = study.coordinate_of_speed().iter().position(|q| *q == Some(place));
    found.ok_or_else(|| {
        AnalysisError::Question(format!("no single speed changes `{name}`; name a speed to be actuated"))
    })
}

/// Accelerations from speeds at evenly or unevenly spaced times: the derivative of the parabola through three neighbours.
pub fn differences(times: &[f64], values: &[f64]) -> Vec<f64> {
    let n = times.len().min(values.len());
    if n < 2 {
        return vec![0.0; n];
    }
    if n == 2 {
        return vec![(values[1] - values[0]) / (times[1] - times[0]); 2];
    }
    // Newton's form through five points where there are as many, fewer near the ends of short tables.
    let width = n.min(5);
    let slope = |k: usize| {
        let first = k.saturating_sub(width / 2).min(n - width);
        let (x, mut d) = (&times[first..first + width], values[first..first + width].to_vec());
        for level in 1..width {
            for i in (level..width).rev() {
                d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - level]);
            }
        }
        // Horner's scheme with its derivative.
        let (mut value, mut slope) = (d[width - 1], 0.0);
        for i in (0..width - 1).rev() {
            slope = slope * (times[k] - x[i]) + value;
            value = value * (times[k] - x[i]) + d[i];
        }
        slope
    };
    (0..n).map(slope).collect()
}

/// A second difference that exceeds those beside it so many times is no smooth curve.
const CORNER: f64 = 8.0;
/// Differences of slopes below this part of all slopes are rounding.
const ROUNDING: f64 = 1e-9;

/// The places at which a new smooth piece of a recorded curve begins: where its slope jumps, as that of a speed does
/// when a force jumps.
///
/// With slopes s_k between neighbours and D_k = s_k - s_{k-1}, a smooth curve has D_k = O(h). A jump of the slope
/// between the samples m and m + 1 makes D_m and D_{m+1} large, one at the sample m makes D_m large alone;
/// D_{m-2} and D_{m+3} do not see it.
pub fn corners(times: &[f64], values: &[f64]) -> Vec<usize> {
    let n = times.len().min(values.len());
    if n < 6 {
        return vec![];
    }
    let slopes: Vec<f64> = (1..n).map(|k| (values[k] - values[k - 1]) / (times[k] - times[k - 1])).collect();
    let largest = slopes.iter().fold(0.0f64, |m, s| m.max(s.abs()));
    let bend = |k: usize| if (1..n - 1).contains(&k) { (slopes[k] - slopes[k - 1]).abs() } else { 0.0 };
    let is_large = |k: usize| {
        let beside = [k.checked_sub(2), k.checked_sub(3), Some(k + 2), Some(k + 3)];
        let beside = beside.into_iter().flatten().filter(|j| (1..n - 1).contains(j));
        let usual = beside.map(bend).fold(0.0, f64::max);
        bend(k) > CORNER * usual + ROUNDING * largest
    };
    let mut starts = vec![];
    let mut k = 1;
    while k < n - 1 {
        if !is_large(k) {
            k += 1;
            continue;
        }
        let pair = k + 1 < n - 1 && is_large(k + 1);
        starts.push(if pair { k + 1 } else { k });
        k += if pair { 2 } else { 1 };
    }
    starts
}

/// The derivative of [`differences`] where something jumps at the places `starts`, in order: no parabola goes across. What is alone between two jumps goes on
/// straight to what follows, as between two samples of a controller.
pub fn differences_in_pieces(times: &[f64], values: &[f64], starts: &[usize]) -> Vec<f64> {
    let n = times.len().min(values.len());
    let mut slopes = vec![];
    let ends = starts.iter().copied().chain([n]);
    for end in ends {
        let first = slopes.len();
        match end.min(n).saturating_sub(first) {
            0 => {}
            1 if end < n => slopes.push((values[end] - values[first]) / (times[end] - times[first])),
            1 if first > 0 => {
                slopes.push((values[first] - values[first - 1]) / (times[first] - times[first - 1]));
            }
            _ => slopes.extend(differences(&times[first..end], &values[first..end])),
        }
    }
    slopes
}
