//! Cholesky factors of a sparse symmetric matrix of 6 × 6 blocks, one row and column for each part.
//!
//! ```text
//! [degree]     the part with the fewest neighbours is eliminated next; its neighbours become neighbours of each other
//! [column]     L_jj L_jjᵀ = A_jj,    L_ij = A_ij L_jj⁻ᵀ,    A_ik ← A_ik - L_ij L_kjᵀ
//! ```

use std::collections::BTreeSet;

use crate::parts::GROUND;
use crate::template::FREEDOMS;

/// Six rows of six numbers.
pub(super) type Block = [[f64; FREEDOMS]; FREEDOMS];

/// The lower triangle, by columns in the order of elimination.
#[derive(Debug)]
pub(super) struct SparseCholesky {
    /// Where each part stands in the order, and which part stands at each place.
    place: Vec<usize>,
    order: Vec<usize>,
    diagonal: Vec<Block>,
    /// Places below the diagonal, ascending, with their blocks.
    below: Vec<Vec<(usize, Block)>>,
}

const ZERO: Block = [[0.0; FREEDOMS]; FREEDOMS];

impl SparseCholesky {
    /// The pattern of parts that touch; nothing where a factorisation would multiply more than so many pairs of blocks.
    pub fn new(n: usize, pairs: &[[usize; 2]], most: usize) -> Option<SparseCholesky> {
        let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for [a, b] in pairs.iter().filter(|p| !p.contains(&GROUND)) {
            near[*a].insert(*b);
            near[*b].insert(*a);
        }
        // [degree]
        let mut queue: BTreeSet<(usize, usize)> =
            near.iter().enumerate().map(|(k, s)| (s.len(), k)).collect();
        let mut order = Vec::with_capacity(n);
        let mut reached: Vec<Vec<usize>> = Vec::with_capacity(n);
        let mut work = 0;
        while let Some((degree, part)) = queue.pop_first() {
            work += degree * degree;
            if work > most {
                return None;
            }
            let neighbours: Vec<usize> = std::mem::take(&mut near[part]).into_iter().collect();
            for &a in &neighbours {
                queue.remove(&(near[a].len(), a));
                near[a].remove(&part);
                near[a].extend(neighbours.iter().filter(|b| **b != a));
                queue.insert((near[a].len(), a));
            }
            order.push(part);
            reached.push(neighbours);
        }
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, part)| place[*part] = k);
        let below = reached.into_iter().map(|list| {
            let mut rows: Vec<usize> = list.into_iter().map(|part| place[part]).collect();
            rows.sort_unstable();
            rows.into_iter().map(|i| (i, ZERO)).collect()
        });
        Some(SparseCholesky { below: below.collect(), place, diagonal: vec![ZERO; n], order })
    }

    /// Whether the block of two parts stands in the lower triangle.
    pub fn is_below(&self, row: usize, column: usize) -> bool {
        self.place[row] >= self.place[column]
    }

    pub fn clear(&mut self) {
        self.diagonal.fill(ZERO);
        self.below.iter_mut().flatten().for_each(|(_, b)| *b = ZERO);
    }

    /// Adds to a block of the lower triangle.
    pub fn add(&mut self, row: usize, column: usize, block: &Block) {
        let (i, j) = (self.place[row], self.place[column]);
        let to = entry(&mut self.diagonal, &mut self.below, i, j);
        for (to, from) in to.iter_mut().flatten().zip(block.iter().flatten()) {
            *to += from;
        }
    }

    /// [column]; false where the matrix is not positive definite.
    pub fn factorise(&mut self) -> bool {
        for j in 0..self.diagonal.len() {
            if !cholesky(&mut self.diagonal[j]) {
                return false;
            }
            let l = self.diagonal[j];
            let mut column = std::mem::take(&mut self.below[j]);
            for (_, block) in &mut column {
                block.iter_mut().for_each(|row| forward(&l, row));
            }
            for (a, (k, right)) in column.iter().enumerate() {
                for (i, left) in &column[a..] {
                    let to = entry(&mut self.diagonal, &mut self.below, *i, *k);
                    for (to, left) in to.iter_mut().zip(left) {
                        for (to, right) in to.iter_mut().zip(right) {
                            *to -= left.iter().zip(right).map(|(a, b)| a * b).sum::<f64>();
                        }
                    }
                }
            }
            self.below[j] = column;
        }
        true
    }

    /// Solves for a right-hand side of six numbers for each part.
    pub fn solve(&self, x: &mut [f64]) {
        let mut z: Vec<[f64; FREEDOMS]> =
            self.order.iter().map(|part| std::array::from_fn(|i| x[FREEDOMS * part + i])).collect();
        for j in 0..z.len() {
            forward(&self.diagonal[j], &mut z[j]);
            let own = z[j];
            for (i, block) in &self.below[j] {
                for (to, row) in z[*i].iter_mut().zip(block) {
                    *to -= row.iter().zip(&own).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        for j in (0..z.len()).rev() {
            let mut own = z[j];
            for (i, block) in &self.below[j] {
                for (row, other) in block.iter().zip(&z[*i]) {
                    own.iter_mut().zip(row).for_each(|(to, a)| *to -= a * other);
                }
            }
            backward(&self.diagonal[j], &mut own);
            z[j] = own;
        }
        for (part, z) in self.order.iter().zip(&z) {
            x[FREEDOMS * part..][..FREEDOMS].copy_from_slice(z);
        }
    }
}

/// The block at a row and a column, both in the order of elimination.
fn entry<'a>(
    diagonal: &'a mut [Block],
    below: &'a mut [Vec<(usize, Block)>],
    i: usize,
    j: usize,
) -> &'a mut Block {
    if i == j {
        return &mut diagonal[i];
    }
    let column = &mut below[j];
    let at = column.partition_point(|(row, _)| *row < i);
    &mut column[at].1
}

/// L in the lower triangle; false where there is none.
fn cholesky(a: &mut Block) -> bool {
    for j in 0..FREEDOMS {
        let mut pivot = a[j][j];
        (0..j).for_each(|k| pivot -= a[j][k] * a[j][k]);
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let pivot = pivot.sqrt();
        a[j][j] = pivot;
        for i in j + 1..FREEDOMS {
            let mut x = a[i][j];
            (0..j).for_each(|k| x -= a[i][k] * a[j][k]);
            a[i][j] = x / pivot;
        }
    }
    true
}

/// L x = b
fn forward(l: &Block, x: &mut [f64; FREEDOMS]) {
    for i in 0..FREEDOMS {
        let known: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / l[i][i];
    }
}

/// Lᵀ x = b
fn backward(l: &Block, x: &mut [f64; FREEDOMS]) {
    for i in (0..FREEDOMS).rev() {
        let known: f64 = (i + 1..FREEDOMS).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / l[i][i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cardan_testkit::Random;

    /// A random positive definite matrix on a random graph with loops gives back the solution that it was multiplied by.
    #[test]
    fn factors_solve_what_the_matrix_multiplied() {
        let mut random = Random::new(5);
        let n = 12;
        let mut pairs: Vec<[usize; 2]> = (1..n).map(|k| [k - 1, k]).collect();
        pairs.extend([[0, 7], [3, 9], [2, 11], [4, GROUND]]);
        let mut matrix = SparseCholesky::new(n, &pairs, 10_000).expect("small");
        let want: Vec<f64> = (0..FREEDOMS * n).map(|_| random.between(-1.0, 1.0)).collect();
        let mut x = vec![0.0; FREEDOMS * n];
        let mut add = |matrix: &mut SparseCholesky, row: usize, column: usize, block: &Block| {
            matrix.add(row, column, block);
            for i in 0..FREEDOMS {
                for j in 0..FREEDOMS {
                    x[FREEDOMS * row + i] += block[i][j] * want[FREEDOMS * column + j];
                    if row != column {
                        x[FREEDOMS * column + j] += block[i][j] * want[FREEDOMS * row + i];
                    }
                }
            }
        };
        for k in 0..n {
            let mut block = ZERO;
            (0..FREEDOMS).for_each(|i| block[i][i] = 40.0);
            add(&mut matrix, k, k, &block);
        }
        for [a, b] in pairs.iter().filter(|p| !p.contains(&GROUND)) {
            let block: Block = std::array::from_fn(|_| std::array::from_fn(|_| random.between(-1.0, 1.0)));
            let (row, column) = if matrix.is_below(*a, *b) { (*a, *b) } else { (*b, *a) };
            add(&mut matrix, row, column, &block);
        }
        assert!(matrix.factorise());
        matrix.solve(&mut x);
        let error = x.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 1e-13, "{error}");
        assert!(SparseCholesky::new(n, &pairs, 3).is_none());
    }
}
