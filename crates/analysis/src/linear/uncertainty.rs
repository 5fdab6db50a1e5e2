//! Uncertainty of the entries of a linearisation: what rounding makes of them.
//!
//! ```text
//! [perturbed]      |A(p + δp, y + δy) - A(p, y)|        δp, δy: roundings of the parameters and of the state, in several patterns
//! [products]  ε |f_y| |Z|                          roundings of the sums that make up A
//! [terms]     ε max_j |a_ij| d_j / d_i             what may have cancelled in a row, D⁻¹ A D balanced
//! [second-order-rounding]    ε² max |a_ij|                        products of two roundings
//! [column]    |a_ij| ≤ ε/4 max_k |a_ik| for all i  no departure along j is told from none
//! ```
//!
//! An entry that is zero in every pattern is a zero of the structure, and has no uncertainty. An
//! entry below its uncertainty is not told from zero.

use cardan_solve::Matrix;
use cardan_solve::spectrum::balance;

use crate::linear::linearize::{part, product};
use crate::linear::tangent_space::{Tangent, tangent};
use crate::numeric_model::Study;

/// Patterns of signs of the roundings.
const PATTERNS: usize = 4;
/// Roundings in other patterns are larger than those seen.
const SAFETY: f64 = 8.0;
/// A difference above this part of the largest entry is a switch that has changed its side, not
/// rounding.
const SWITCHED: f64 = 1e-9;

/// What roundings were seen to do at one value of a parameter, for values near it. [perturbed]
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Seen {
    /// The independent states.
    pub independent: Vec<usize>,
    /// The largest differences.
    differences: Matrix,
    /// |f_y| |Z|, whose roundings they were.
    products: Matrix,
}

impl Seen {
    /// What is to be expected where the products are others.
    fn at(&self, products: &Matrix) -> Matrix {
        let mut out = self.differences.clone();
        let sizes = products.as_slice().iter().zip(self.products.as_slice());
        for (x, (here, there)) in out.as_mut_slice().iter_mut().zip(sizes) {
            *x *= if *there > 0.0 { (here / there).max(1.0) } else { 1.0 };
        }
        out
    }
}

/// |f_y| |Z| in the independent rows.
fn products(tangent: &Tangent, f_y: &Matrix) -> Matrix {
    let absolute = |m: &Matrix| {
        let mut m = m.clone();
        m.as_mut_slice().iter_mut().for_each(|x| *x = x.abs());
        m
    };
    let columns: Vec<usize> = (0..tangent.independent.len()).collect();
    part(&product(&absolute(f_y), &absolute(&tangent.basis)), &tangent.independent, &columns)
}

/// What roundings are seen to do at a state. [perturbed]
pub(crate) fn seen(
    study: &mut Study,
    (t, y): (f64, &[f64]),
    tangent_here: &Tangent,
    (f_y, a): (&Matrix, &Matrix),
) -> Seen {
    let n = a.n_rows();
    let places = &tangent_here.independent;
    let all: Vec<usize> = (0..y.len()).collect();
    let mut seen = Matrix::zeros(n, n);
    let limit = SWITCHED * largest(a);
    // In the second half zeros of the state are rounded too. What is exactly zero is a zero of the
    // structure, and stays certain.
    for pattern in 0..2 * PATTERNS {
        let Ok(local) = study.local_with_rounding(t, y, pattern, pattern >= PATTERNS) else { continue };
        let Ok(there) = tangent(study, &local, places) else { continue };
        if there.independent != *places {
            continue;
        }
        let moved = product(&part(&local.field, &all, &all), &there.basis);
        for j in 0..n {
            for (i, place) in places.iter().enumerate() {
                let difference = (moved[(*place, j)] - a[(i, j)]).abs();
                let is_seen = pattern < PATTERNS || a[(i, j)] != 0.0;
                if is_seen && difference <= limit {
                    seen[(i, j)] = f64::max(seen[(i, j)], difference);
                }
            }
        }
    }
    Seen { independent: places.clone(), differences: seen, products: products(tangent_here, f_y) }
}

/// The uncertainty of A = P f_y Z at a state.
pub(crate) fn uncertainty(seen: &Seen, tangent_here: &Tangent, (f_y, a): (&Matrix, &Matrix)) -> Matrix {
    let n = a.n_rows();
    let columns: Vec<usize> = (0..n).collect();
    let products = products(tangent_here, f_y);
    let seen = seen.at(&products);
    let second = f64::EPSILON * f64::EPSILON * largest(a);
    let bound = |i: usize, j: usize, terms: f64| match a[(i, j)] == 0.0 && seen[(i, j)] == 0.0 {
        true => 0.0,
        false => SAFETY * (seen[(i, j)] + f64::EPSILON * products[(i, j)].max(terms) + second),
    };
    // What is not told from zero has no say in the scales.
    let mut told = a.clone();
    for (i, j) in columns.iter().flat_map(|j| columns.iter().map(move |i| (*i, *j))) {
        if a[(i, j)].abs() <= bound(i, j, 0.0) {
            told[(i, j)] = 0.0;
        }
    }
    let d = balance(&told);
    let mut out = Matrix::zeros(n, n);
    for i in 0..n {
        let row = (0..n).map(|j| (told[(i, j)] * d[j] / d[i]).abs()).fold(0.0, f64::max);
        (0..n).for_each(|j| out[(i, j)] = bound(i, j, row * d[i] / d[j]));
    }
    // A column as a whole below the rounding of the rows. [column]
    let rows: Vec<f64> = (0..n).map(|i| (0..n).map(|j| a[(i, j)].abs()).fold(0.0, f64::max)).collect();
    for j in 0..n {
        if (0..n).all(|i| a[(i, j)].abs() <= 0.25 * f64::EPSILON * rows[i]) {
            (0..n).for_each(|i| out[(i, j)] = out[(i, j)].max(a[(i, j)].abs()));
        }
    }
    out
}

fn largest(a: &Matrix) -> f64 {
    a.as_slice().iter().fold(0.0, |m: f64, x| x.abs().max(m))
}
