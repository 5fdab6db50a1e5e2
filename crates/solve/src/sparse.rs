//! Sparse symmetric systems: one analysis of the pattern, many factorisations.
//!
//! ```text
//! [ldl]         P A Pᵀ = L D Lᵀ              row by row (Davis, Direct Methods for Sparse Linear Systems, ch. 4)
//! [dependent]   d_k ≤ ε a_kk                 row k repeats rows before it: it is left out, x_k = 0
//! ```
//!
//! [`SparseLu`] is for matrices that are neither symmetric nor definite; its order and pivots are those of the library.
//!
//! The order of `[ldl]` is that of least degree on the graph of blocks, so that a chain, a tree and a planar
//! lattice fill in next to nothing.

use std::collections::BTreeSet;

use faer::MatMut;
use faer::linalg::solvers::Solve as _;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

/// The order in which the nodes of a graph are eliminated: least degree first, ties by index.
pub fn minimum_degree(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbours.len();
    let mut adjacent: Vec<Vec<usize>> = neighbours
        .iter()
        .enumerate()
        .map(|(i, list)| {
            let mut list: Vec<usize> = list.iter().copied().filter(|j| *j != i).collect();
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    let mut queue: BTreeSet<(usize, usize)> = (0..n).map(|i| (adjacent[i].len(), i)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some((_, v)) = queue.pop_first() {
        order.push(v);
        let clique = std::mem::take(&mut adjacent[v]);
        for u in &clique {
            queue.remove(&(adjacent[*u].len(), *u));
            let mut merged = Vec::with_capacity(adjacent[*u].len() + clique.len());
            let (mut a, mut b) = (adjacent[*u].iter().peekable(), clique.iter().peekable());
            loop {
                let next = match (a.peek(), b.peek()) {
                    (None, None) => break,
                    (Some(_), None) => a.next(),
                    (None, Some(_)) => b.next(),
                    (Some(x), Some(y)) if x < y => a.next(),
                    (Some(x), Some(y)) if x > y => b.next(),
                    _ => {
                        b.next();
                        a.next()
                    }
                };
                merged.extend(next.copied().filter(|w| *w != v && w != u));
            }
            queue.insert((merged.len(), *u));
            adjacent[*u] = merged;
        }
    }
    order
}

/// A symmetric matrix of a fixed pattern with its factors. [ldl]
#[derive(Clone, Debug)]
pub struct SparseLdl {
    /// Position of a row in the order of elimination.
    place: Vec<usize>,
    /// Columns of the upper triangle in that order.
    starts: Vec<usize>,
    rows: Vec<usize>,
    l_starts: Vec<usize>,
    l_rows: Vec<usize>,
    l_values: Vec<f64>,
    /// Rows of L in the order in which they are eliminated: columns, and the places of their values.
    row_starts: Vec<usize>,
    row_columns: Vec<(usize, usize)>,
    d: Vec<f64>,
    /// Work space.
    y: Vec<f64>,
    turned: Vec<f64>,
}

impl SparseLdl {
    /// Analyses a pattern: entries (i, j) of either triangle, each pair at most once, in the given order of elimination.
    /// The second value says where the value of each entry goes; the diagonal is part of the pattern in any case.
    pub fn new(n: usize, entries: &[(usize, usize)], order: &[usize]) -> (SparseLdl, Vec<usize>) {
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, i)| place[*i] = k);
        let mut keyed: Vec<(usize, usize, usize)> = entries
            .iter()
            .enumerate()
            .map(|(slot, (i, j))| {
                let (a, b) = (place[*i], place[*j]);
                (a.max(b), a.min(b), slot)
            })
            .collect();
        keyed.sort_unstable();
        let mut starts = vec![0; n + 1];
        let mut rows = Vec::with_capacity(keyed.len());
        let mut slots = vec![0; entries.len()];
        for (column, row, slot) in keyed {
            slots[slot] = rows.len();
            rows.push(row);
            starts[column + 1] = rows.len();
        }
        for k in 0..n {
            starts[k + 1] = starts[k + 1].max(starts[k]);
        }
        let none = usize::MAX;
        let (mut parent, mut flags, mut counts) = (vec![none; n], vec![none; n], vec![0usize; n]);
        for k in 0..n {
            flags[k] = k;
            for row in &rows[starts[k]..starts[k + 1]] {
                let mut i = *row;
                while i < k && flags[i] != k {
                    if parent[i] == none {
                        parent[i] = k;
                    }
                    counts[i] += 1;
                    flags[i] = k;
                    i = parent[i];
                }
            }
        }
        let mut l_starts = vec![0; n + 1];
        for k in 0..n {
            l_starts[k + 1] = l_starts[k] + counts[k];
        }
        let (l_rows, row_starts, row_columns) = rows_of_factor(n, (&starts, &rows), &parent, &l_starts);
        let ldl = SparseLdl {
            place,
            starts,
            rows,
            l_values: vec![0.0; l_rows.len()],
            l_rows,
            l_starts,
            row_starts,
            row_columns,
            d: vec![0.0; n],
            y: vec![0.0; n],
            turned: vec![0.0; n],
        };
        (ldl, slots)
    }

    /// The number of values of the pattern.
    pub fn n_values(&self) -> usize {
        self.rows.len()
    }

    /// The number of values in the factor.
    pub fn n_filled(&self) -> usize {
        self.l_rows.len()
    }

    /// Factorises the matrix with these values. Rows that `skip` names are left out, and so are rows that repeat
    /// others to within `least`; the latter are told. [dependent]
    pub fn factorise(&mut self, values: &[f64], skip: &[bool], least: f64) -> Vec<usize> {
        let n = self.place.len();
        let mut skipped = vec![false; n];
        for (row, k) in self.place.iter().enumerate() {
            skipped[*k] = skip.get(row).copied().unwrap_or(false);
        }
        let mut dependent = vec![];
        for k in 0..n {
            for p in self.starts[k]..self.starts[k + 1] {
                self.y[self.rows[p]] += values[p];
            }
            let diagonal = self.y[k];
            let mut pivot = diagonal;
            self.y[k] = 0.0;
            for (i, end) in &self.row_columns[self.row_starts[k]..self.row_starts[k + 1]] {
                let y = std::mem::take(&mut self.y[*i]);
                let first = self.l_starts[*i];
                for (row, value) in self.l_rows[first..*end].iter().zip(&self.l_values[first..*end]) {
                    self.y[*row] -= value * y;
                }
                let l = y / self.d[*i];
                pivot -= l * y;
                self.l_values[*end] = l;
            }
            if skipped[k] {
                self.d[k] = f64::INFINITY;
            } else if pivot <= least * diagonal || !pivot.is_finite() {
                self.d[k] = f64::INFINITY;
                dependent.push(k);
            } else {
                self.d[k] = pivot;
            }
        }
        if dependent.is_empty() {
            return dependent;
        }
        let mut rows: Vec<usize> =
            (0..n).filter(|row| dependent.binary_search(&self.place[*row]).is_ok()).collect();
        rows.sort_unstable();
        rows
    }

    /// Replaces `b` by the solution; zero in rows that were left out.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = b.len();
        let x = &mut self.turned;
        for (row, k) in self.place.iter().enumerate() {
            x[*k] = b[row];
        }
        for j in 0..n {
            if self.d[j].is_infinite() {
                x[j] = 0.0;
                continue;
            }
            let v = x[j];
            for p in self.l_starts[j]..self.l_starts[j + 1] {
                x[self.l_rows[p]] -= self.l_values[p] * v;
            }
        }
        for j in (0..n).rev() {
            let mut v = x[j] / self.d[j];
            for p in self.l_starts[j]..self.l_starts[j + 1] {
                v -= self.l_values[p] * x[self.l_rows[p]];
            }
            x[j] = if self.d[j].is_infinite() { 0.0 } else { v };
        }
        for (row, k) in self.place.iter().enumerate() {
            b[row] = x[*k];
        }
    }
}

/// Rows of the columns of L; where the rows of L begin; their columns in an order in which each comes after those that it needs, with the
/// places of their values.
type FactorRows = (Vec<usize>, Vec<usize>, Vec<(usize, usize)>);

/// The rows of the factor, by the elimination tree.
fn rows_of_factor(
    n: usize,
    (starts, rows): (&[usize], &[usize]),
    parent: &[usize],
    l_starts: &[usize],
) -> FactorRows {
    let (mut flags, mut stack) = (vec![usize::MAX; n], vec![0; n]);
    let mut next = l_starts.to_vec();
    let mut l_rows = vec![0; l_starts[n]];
    let (mut row_starts, mut columns) = (vec![0; n + 1], Vec::with_capacity(l_starts[n]));
    for k in 0..n {
        let mut top = n;
        flags[k] = k;
        for row in &rows[starts[k]..starts[k + 1]] {
            let (mut i, mut length) = (*row, 0);
            while i < k && flags[i] != k {
                stack[length] = i;
                length += 1;
                flags[i] = k;
                i = parent[i];
            }
            while length > 0 {
                top -= 1;
                length -= 1;
                stack[top] = stack[length];
            }
        }
        for i in &stack[top..n] {
            l_rows[next[*i]] = k;
            columns.push((*i, next[*i]));
            next[*i] += 1;
        }
        row_starts[k + 1] = columns.len();
    }
    (l_rows, row_starts, columns)
}

/// A square matrix of a fixed pattern, factorised with pivots: P A Q = L U.
#[derive(Clone, Debug)]
pub struct SparseLu {
    n: usize,
    starts: Vec<usize>,
    rows: Vec<usize>,
    symbolic: SymbolicLu<usize>,
    factors: Option<Lu<usize, f64>>,
}

impl SparseLu {
    /// Analyses a pattern: entries (i, j), each as often as one likes. The second value says where the value of each entry is
    /// added; nothing where memory does not suffice.
    pub fn new(n: usize, entries: &[(usize, usize)]) -> Option<(SparseLu, Vec<usize>)> {
        let mut keyed: Vec<(usize, usize, usize)> =
            entries.iter().enumerate().map(|(k, (i, j))| (*j, *i, k)).collect();
        keyed.sort_unstable();
        let (mut starts, mut rows) = (vec![0; n + 1], Vec::with_capacity(keyed.len()));
        let mut slots = vec![0; entries.len()];
        let mut last = None;
        for (j, i, k) in keyed {
            if last != Some((j, i)) {
                rows.push(i);
                last = Some((j, i));
            }
            slots[k] = rows.len() - 1;
            starts[j + 1] = rows.len();
        }
        for j in 0..n {
            starts[j + 1] = starts[j + 1].max(starts[j]);
        }
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
        let symbolic = SymbolicLu::try_new(pattern).ok()?;
        Some((SparseLu { n, starts, rows, symbolic, factors: None }, slots))
    }

    /// The number of values of the pattern.
    pub fn n_values(&self) -> usize {
        self.rows.len()
    }

    /// Factorises the matrix with these values; `false` if it is singular.
    pub fn factorise(&mut self, values: &[f64]) -> bool {
        let pattern = SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.starts, None, &self.rows);
        let matrix = SparseColMatRef::new(pattern, values);
        self.factors = Lu::try_new_with_symbolic(self.symbolic.clone(), matrix).ok();
        self.factors.is_some()
    }

    /// Replaces `b` by the solution; `false` if there are no factors or a number is not finite.
    pub fn solve(&self, b: &mut [f64]) -> bool {
        let Some(factors) = &self.factors else { return false };
        factors.solve_in_place(MatMut::from_column_major_slice_mut(b, self.n, 1));
        b.iter().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference on a ring of n, plus one on the diagonal.
    fn ring(n: usize) -> (Vec<(usize, usize)>, Vec<f64>) {
        let mut entries: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
        entries.extend((0..n).map(|i| (i, (i + 1) % n)));
        let values = (0..2 * n).map(|k| if k < n { 3.0 } else { -1.0 }).collect();
        (entries, values)
    }

    #[test]
    fn a_ring_is_solved_with_little_fill() {
        let n = 200;
        let (entries, values) = ring(n);
        let mut neighbours = vec![vec![]; n];
        for (i, j) in &entries {
            neighbours[*i].push(*j);
            neighbours[*j].push(*i);
        }
        let order = minimum_degree(&neighbours);
        let (mut ldl, slots) = SparseLdl::new(n, &entries, &order);
        let mut placed = vec![0.0; ldl.n_values()];
        slots.iter().zip(&values).for_each(|(slot, v)| placed[*slot] += v);
        assert!(ldl.factorise(&placed, &[], 0.0).is_empty());
        assert!(ldl.n_filled() < 3 * n);
        let x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut b: Vec<f64> = (0..n).map(|i| 3.0 * x[i] - x[(i + 1) % n] - x[(i + n - 1) % n]).collect();
        ldl.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13));
    }

    #[test]
    fn a_general_matrix_is_solved_again_with_other_values() {
        // Zeros on the diagonal need pivots.
        let entries = [(0, 1), (1, 0), (1, 1), (2, 2), (0, 2), (0, 1)];
        let (mut lu, slots) = SparseLu::new(3, &entries).expect("a pattern");
        for factor in [1.0, 2.0] {
            let mut values = vec![0.0; lu.n_values()];
            for (slot, v) in slots.iter().zip([1.0, 3.0, -1.0, 2.0, 4.0, 1.0]) {
                values[*slot] += factor * v;
            }
            assert!(lu.factorise(&values));
            // A (1, 2, 3) = (2·2 + 4·3, 3 - 2, 6)
            let mut b = [16.0 * factor, factor, 6.0 * factor];
            assert!(lu.solve(&mut b));
            assert!(b.iter().zip([1.0, 2.0, 3.0]).all(|(x, y)| (x - y).abs() < 1e-13), "{b:?}");
        }
    }

    #[test]
    fn a_row_that_repeats_another_is_left_out() {
        // Rows 0 and 2 are the same.
        let entries = [(0, 0), (1, 1), (2, 2), (2, 0), (1, 0), (2, 1)];
        let (mut ldl, slots) = SparseLdl::new(3, &entries, &[0, 1, 2]);
        let mut placed = vec![0.0; 6];
        for (slot, v) in slots.iter().zip([2.0, 3.0, 2.0, 2.0, 1.0, 1.0]) {
            placed[*slot] = v;
        }
        assert_eq!(ldl.factorise(&placed, &[], 1e-10), [2]);
        let mut b = [4.0, 7.0, 4.0];
        ldl.solve(&mut b);
        assert!((b[0] - 1.0).abs() < 1e-14 && (b[1] - 2.0).abs() < 1e-14 && b[2] == 0.0);
    }
}
