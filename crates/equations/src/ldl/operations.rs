//! Operations of a solution by sparse LDLᵀ, against dense solutions of the same system.
//!
//! ```text
//! [sparse]   row k with c entries left: 1 quotient, c products for l; c (c+1)/2 products, and as many sums less the fill;
//!            forwards and backwards c products and c sums each, 1 product with 1/d
//! [dense]    the same with every entry there
//! [lu]       n (n-1)/2 quotients, n (n-1) (2n-1)/6 products and sums;  n² products and n (n-1) sums for one right-hand side
//! ```
//!
//! Every entry counts as a variable here, so that one rule holds for all; the program also saves what depends on parameters alone.

use cardan_expr::{Expr, Pool};
use cardan_model::Model;

use super::order::{Entry, Pattern};
use super::saddle_point;
use crate::constrained::rows::ConstraintRow;
use crate::residual::Unsolved;

/// Operations of a factorisation and one solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Operations {
    /// Products.
    pub mul: usize,
    /// Sums and differences.
    pub add: usize,
    /// Quotients.
    pub div: usize,
}

impl Operations {
    /// All of them.
    pub fn total(&self) -> usize {
        self.mul + self.add + self.div
    }
}

/// A system M u̇ = f, or [M Gᵀ; G 0] under constraints, and what its solution takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SolverCounts {
    /// Unknown accelerations.
    pub speeds: usize,
    /// Unknown multipliers.
    pub rows: usize,
    /// Entries of the lower triangle that are not zero.
    pub entries: usize,
    /// Entries that elimination adds.
    pub fill: usize,
    /// In the order of least operations.
    pub sparse: Operations,
    /// The same without looking at zeros.
    pub dense: Operations,
    /// Gauss without symmetry.
    pub lu: Operations,
}

/// Counts the solution of unsolved equations.
pub fn solver_counts(model: &Model, equations: &Unsolved) -> SolverCounts {
    let pool = model.space.pool();
    let rows: Vec<ConstraintRow> =
        equations.constraints.rows.iter().filter(|r| !r.jacobian.is_empty()).cloned().collect();
    let matrix = saddle_point::matrix(pool, &equations.mass, &rows);
    of_matrix(pool, &matrix, equations.mass.len())
}

fn of_matrix(pool: &Pool, matrix: &[Vec<Expr>], speeds: usize) -> SolverCounts {
    let size = matrix.len();
    let pattern = Pattern::of(pool, matrix);
    let order = pattern.cheapest_order(|k| k >= speeds).rows;
    let is_there: Vec<Vec<bool>> =
        pattern.0.iter().map(|row| row.iter().map(|e| *e != Entry::Zero).collect()).collect();
    let entries = (0..size).map(|i| is_there[i][..=i].iter().filter(|e| **e).count()).sum();
    let (sparse, fill) = eliminate(is_there, &order);
    let all: Vec<usize> = (0..size).collect();
    let (dense, _) = eliminate(vec![vec![true; size]; size], &all);
    let products = size * size.saturating_sub(1) * (2 * size).saturating_sub(1) / 6;
    let pairs = size * size.saturating_sub(1);
    let lu = Operations { mul: products + size * size, add: products + pairs, div: pairs / 2 };
    SolverCounts { speeds, rows: size - speeds, entries, fill, sparse, dense, lu }
}

/// [sparse]; and how many entries are filled in.
fn eliminate(mut m: Vec<Vec<bool>>, order: &[usize]) -> (Operations, usize) {
    let (mut found, mut fill) = (Operations::default(), 0);
    for (place, k) in order.iter().enumerate() {
        let coupled: Vec<usize> = order[place + 1..].iter().copied().filter(|i| m[*k][*i]).collect();
        let c = coupled.len();
        found.div += 1;
        found.mul += c + 2 * c + 1;
        found.add += 2 * c;
        for (a, i) in coupled.iter().enumerate() {
            for j in &coupled[..=a] {
                found.mul += 1;
                let is_new = !m[*i][*j];
                found.add += usize::from(!is_new);
                fill += usize::from(is_new);
                (m[*i][*j], m[*j][*i]) = (true, true);
            }
        }
    }
    (found, fill)
}
