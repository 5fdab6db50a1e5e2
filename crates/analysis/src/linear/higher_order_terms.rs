//! What linear equations leave out, and whether that matters.
//!
//! ```text
//! [flat]       ∂f/∂x_j = 0 in a state and not beside it: x_j is felt, but not to first order
//! [further]    ∂f beside the state is not ∂f in it: there are terms beyond the linear ones
//! [potential]  loads are declared with potentials, or ∂Q/∂q is symmetric and ∂Q/∂u = 0 where nothing moves, in the state and beside it
//! [minimum]    all loads have potentials, C₁ = 0, and only what nothing feels has eigenvalues of zero
//! ```
//!
//! Eigenvalues with negative or positive real parts decide about small departures whatever is left out (Lyapunov). On the axis they decide
//! where nothing is left out, or where the potential energy has a minimum (Lagrange and Dirichlet). At a kink they decide nothing.

use crate::linear::linearize::{Linearization, Point, part};
use crate::linear::modes::Complex;
use crate::linear::stability::Stability;
use crate::linear::tangent_space::tangent;
use crate::numeric_model::Study;

/// How far the places beside a state are, in radians, metres and their rates.
const ASIDE: [f64; 2] = [0.1, -0.023];
/// Slopes below this part of the largest of their row are rounding.
const ROUNDING: f64 = 1e-7;

/// The places among x of ignorable coordinates that are felt beside the state. [flat]
pub(crate) fn flat(study: &mut Study, linear: &Linearization) -> Vec<usize> {
    let is_felt = |j: &usize| ASIDE.iter().any(|far| is_felt_at(study, linear, *j, *far));
    linear.ignorable.iter().copied().filter(is_felt).collect()
}

/// Whether something feels a coordinate at this distance from the state. Where nothing can be evaluated, nothing is known.
fn is_felt_at(study: &mut Study, linear: &Linearization, j: usize, far: f64) -> bool {
    let Some(place) = displaced(study, linear, &|k| if k == j { far } else { 0.0 }) else { return false };
    let Ok(local) = study.local(linear.time, &place) else { return false };
    let places: Vec<usize> = linear.independent.iter().map(|x| x.place).collect();
    let Ok(there) = tangent(study, &local, &places) else { return false };
    if there.independent != places {
        return false;
    }
    let all: Vec<usize> = (0..study.n_states()).collect();
    let mut slopes = vec![0.0; all.len()];
    part(&local.field, &all, &all).multiply(there.basis.column(j), &mut slopes);
    let scale = |i: usize| (0..places.len()).fold(1e-6, |m: f64, k| linear.a[(i, k)].abs().max(m));
    let mut outside = (0..places.len()).filter(|i| !linear.ignorable.contains(i));
    outside.any(|i| slopes[places[i]].abs() > ROUNDING * scale(i))
}

/// Whether derivatives of rates change with the state. [further]
pub(crate) fn is_nonlinear(study: &mut Study, linear: &Linearization) -> bool {
    let Ok(here) = study.local(linear.time, &linear.state) else { return true };
    let Some(place) = displaced(study, linear, &|k| ASIDE[0] * (1.0 + k as f64 * 2.399_963).sin()) else {
        return true;
    };
    let Ok(there) = study.local(linear.time, &place) else { return true };
    let all: Vec<usize> = (0..study.n_states()).collect();
    let (here, there) = (part(&here.field, &all, &all), part(&there.field, &all, &all));
    all.iter().any(|i| {
        let scale = all.iter().fold(0.0, |m: f64, k| here[(*i, *k)].abs().max(m));
        all.iter().any(|j| (here[(*i, *j)] - there[(*i, *j)]).abs() > ROUNDING * scale)
    })
}

/// Whether loads have a potential. [potential] Of the second kind only where coordinates are free and have their own speeds.
pub(crate) fn has_potential(study: &mut Study, linear: &Linearization) -> bool {
    let (n_q, n_u, n_s) = study.sizes();
    let own = study.coordinate_of_speed().iter().enumerate().all(|(k, q)| *q == Some(k));
    if study.is_conservative() || n_s > 0 || n_q != n_u || !own || study.n_position_rows() > 0 {
        return study.is_conservative();
    }
    let shares =
        |far: f64| move |k: usize| if k < n_q { far * (1.0 + k as f64 * 2.399_963).sin() } else { 0.0 };
    std::iter::once(0.0).chain(ASIDE).all(|far| {
        let Some(mut place) = displaced(study, linear, &shares(far)) else { return false };
        place[n_q..].fill(0.0);
        let Ok(local) = study.local(linear.time, &place) else { return false };
        let Ok((_, slope)) = study.loads(linear.time, &place, &local) else { return false };
        let limit = ROUNDING * largest(slope.as_slice());
        let mut pairs = (0..n_u).flat_map(|i| (0..n_u).map(move |j| (i, j)));
        pairs.all(|(i, j)| {
            (slope[(i, j)] - slope[(j, i)]).abs() <= limit && slope[(i, n_q + j)].abs() <= limit
        })
    })
}

/// Whether the linear equations decide what becomes of departures. [minimum]
pub(crate) fn decides(
    linear: &Linearization,
    n_unfelt: usize,
    eigenvalues: &[Complex],
    stability: Stability,
) -> bool {
    match stability {
        _ if !linear.kinks.is_empty() => false,
        Stability::Unstable => true,
        _ if !linear.flat.is_empty() => false,
        Stability::Asymptotic => true,
        _ if !linear.is_nonlinear => true,
        _ => {
            let n_zero = eigenvalues.iter().filter(|z| **z == (0.0, 0.0)).count();
            let second = &linear.second_order;
            let stillness = largest(second.damping.as_slice())
                <= ROUNDING * largest(second.stiffness.as_slice()).max(largest(second.mass.as_slice()));
            linear.point == Point::Equilibrium && linear.conserves && stillness && n_zero <= n_unfelt
        }
    }
}

/// A state beside that of a linearisation, back on the constraints.
fn displaced(study: &mut Study, linear: &Linearization, by: &dyn Fn(usize) -> f64) -> Option<Vec<f64>> {
    let x: Vec<f64> = (0..linear.independent.len()).map(by).collect();
    let mut shift = vec![0.0; linear.state.len()];
    linear.basis.multiply(&x, &mut shift);
    let mut place: Vec<f64> = linear.state.iter().zip(shift).map(|(y, d)| y + d).collect();
    study.close(linear.time, &mut place).ok()?;
    Some(place)
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m: f64, x| x.abs().max(m))
}
