//! M⁻¹ on the program, from the factors of M = Lᵀ D L.
//!
//! With Z = L⁻ᵀ, whose entry (k, c) is zero unless row k is c or one of its ancestors,
//!
//! ```text
//! [inverse-row]        X_kc = Z_kc / d_k - Σ l_ki X_ic          over the ancestors i of k
//! [inverse-front]      Z_kc = -Σ l_ik Z_ic, Z_cc = 1            over the descendants i of k
//! ```
//!
//! Of two entries that are equal by symmetry, few rows need only one: then the first term of [inverse-row] is zero but on the diagonal.
//! Many rows are worth vectors. There, neighbours along a row follow the same operations: rows that follow one another in a chain are a
//! block of columns, in which the first term of a sum stays even if it is zero. Only where all of a block descends from a row does the row take its
//! entries from the transposed place.

use std::collections::BTreeMap;

use cardan_expr::Expr;
use cardan_program::ValueId;

use crate::jacobian_columns::Solver;

/// From so many rows on blocks are worth their zeros.
pub(crate) const BLOCKS_FROM: usize = 24;
/// Most columns of a block: as many as an instruction of any engine treats.
const WIDEST: usize = 8;

impl<V: Fn(Expr) -> Option<ValueId>> Solver<'_, V> {
    /// Row, column and value of what is not zero, by rows. Every entry is computed once: the one whose row is eliminated first follows the rows above.
    pub(crate) fn inverse(&mut self, n: usize) -> Vec<(usize, usize, ValueId)> {
        let mut x = vec![vec![None; n]; n];
        let mut done: Vec<usize> = vec![];
        for step in self.found.factors.iter().rev() {
            let k = step.row;
            for j in done.iter().copied().chain([k]) {
                let mut sum = if j == k { (self.value)(step.d_inverse) } else { None };
                for (i, l) in &step.l {
                    let l = (self.value)(*l).map(|l| self.b.neg(l));
                    sum = self.add(sum, l, x[*i][j]); // [inverse-row]
                }
                (x[k][j], x[j][k]) = (sum, sum);
            }
            done.push(k);
        }
        let all = (0..n).flat_map(|r| (0..n).map(move |c| (r, c)));
        all.filter_map(|(r, c)| Some((r, c, x[r][c]?))).collect()
    }

    /// The same by blocks of columns, the neighbours of each by the same operations.
    pub(crate) fn inverse_by_blocks(&mut self, n: usize) -> Vec<(usize, usize, ValueId)> {
        let found = self.found;
        let mut step_of = vec![None; n];
        found.factors.iter().enumerate().for_each(|(k, step)| step_of[step.row] = Some(k));
        // Going backwards, ancestors come first.
        let mut is_above = vec![vec![false; n]; n];
        for step in found.factors.iter().rev() {
            for (i, _) in &step.l {
                let above = is_above[*i].clone();
                is_above[step.row].iter_mut().zip(above).for_each(|(own, further)| *own |= further);
                is_above[step.row][*i] = true;
            }
        }
        let block = blocks(&is_above);
        let first = self.first_terms(&step_of, &is_above, &block);
        let mut filling = Filling { step_of, is_above, block, first, x: BTreeMap::new() };
        let block_of = filling.block.clone();
        let columns: Vec<usize> = (0..n).collect();
        let mut all = vec![];
        for block in columns.chunk_by(|a, b| block_of[*a] == block_of[*b]) {
            // What is eliminated first follows everything else.
            for step in &found.factors {
                let row = block.iter().map(|c| (step.row, *c));
                all.extend(row.filter_map(|(k, c)| Some((k, c, self.entry(&mut filling, k, c)?))));
            }
        }
        all
    }

    /// Z_kc / d_k of the blocks on the diagonal, with their zeros.
    fn first_terms(
        &mut self,
        step_of: &[Option<usize>],
        is_above: &[Vec<bool>],
        block: &[usize],
    ) -> BTreeMap<(usize, usize), ValueId> {
        let (n, found) = (block.len(), self.found);
        let mut first = BTreeMap::new();
        for c in 0..n {
            // What is above all of the block does not lead back into it.
            let own = (0..n).filter(|k| block[*k] == block[c]);
            let top = own.min_by_key(|k| is_above[*k].iter().filter(|a| **a).count()).unwrap_or(c);
            let mut z: Vec<Option<ValueId>> = vec![None; n];
            for step in &found.factors {
                if step.row != c && !is_above[c][step.row] {
                    continue;
                }
                for (i, l) in step.l.iter().filter(|(i, _)| !is_above[top][*i]) {
                    let l = (self.value)(*l).map(|l| self.b.neg(l));
                    z[*i] = if step.row == c { l } else { self.add(z[*i], l, z[step.row]) }; // [inverse-front]
                }
            }
            for k in (0..n).filter(|k| block[*k] == block[c]) {
                let d = step_of[k].and_then(|step| (self.value)(self.found.factors[step].d_inverse));
                let term = if k == c { d } else { self.add(None, d, z[k]) };
                let term = term.unwrap_or_else(|| self.b.constant(0.0));
                first.insert((k, c), term);
            }
        }
        first
    }

    fn entry(&mut self, filling: &mut Filling, k: usize, c: usize) -> Option<ValueId> {
        let is_within = filling.block[k] == filling.block[c];
        // [inverse-row] has a first term here; the transposed place has none.
        if !is_within && filling.is_above[c][k] {
            return self.entry(filling, c, k);
        }
        if let Some(known) = filling.x.get(&(k, c)) {
            return *known;
        }
        let mut sum = filling.first.get(&(k, c)).copied();
        let found = self.found;
        for (i, l) in filling.step_of[k].into_iter().flat_map(|step| &found.factors[step].l) {
            let above = self.entry(filling, *i, c);
            let l = (self.value)(*l).map(|l| self.b.neg(l));
            sum = self.add(sum, l, above); // [inverse-row]
        }
        filling.x.insert((k, c), sum);
        sum
    }
}

/// The matrix while it is filled.
struct Filling {
    /// By row: which elimination is its own.
    step_of: Vec<Option<usize>>,
    /// By row: which others are its ancestors.
    is_above: Vec<Vec<bool>>,
    block: Vec<usize>,
    first: BTreeMap<(usize, usize), ValueId>,
    x: BTreeMap<(usize, usize), Option<ValueId>>,
}

/// For each row its block: neighbours of which one is an ancestor of the other.
fn blocks(is_above: &[Vec<bool>]) -> Vec<usize> {
    let mut block = vec![0];
    let mut size = 1;
    for row in 1..is_above.len() {
        let is_chain = is_above[row][row - 1] || is_above[row - 1][row];
        let goes_on = size < WIDEST && is_chain;
        size = if goes_on { size + 1 } else { 1 };
        block.push(block[row - 1] + usize::from(!goes_on));
    }
    block
}
