//! Reverse accumulation: for each output, the adjoint (its derivative with respect to a value) of every value
//! it depends on.
//!
//! A linear system A X = B passes adjoints on through the transposed system:
//!
//! ```text
//! [solve-reverse]    Aᵀ B̄ = X̄,        Ā = −B̄ Xᵀ
//! ```
//!
//! A choice hands `select(c, v̄, 0)` to its operands. Such a guarded adjoint is scaled inside the guard, so
//! that a branch not taken contributes zero even where its own slope is infinite.

use cardan_base::{Id, Map};

use super::{Derivation, DeriveError, Entry};
use crate::op::{Binary, Compare, Op, Solve, ValueId};

pub(super) fn derive(state: &mut Derivation<'_>) -> Result<Vec<Entry>, DeriveError> {
    let mut entries = Vec::new();
    let mut adjoints = Adjoints { of: vec![None; state.program.values.len()], blocks: Map::default() };
    for (row, value) in state.question.rows.iter().copied().enumerate() {
        if !state.question.is_active(value) {
            continue;
        }
        let mut columns: Vec<Option<ValueId>> = vec![None; state.question.n_columns];
        adjoints.of[value.index()] = Some(state.builder.constant(1.0));
        for index in (0..=value.index()).rev() {
            state.pass_on(ValueId::from_index(index), &mut adjoints, &mut columns)?;
        }
        let found = columns.into_iter().enumerate();
        entries.extend(found.filter_map(|(column, d)| d.map(|d| (row, column, d))));
    }
    Ok(entries)
}

struct Adjoints {
    of: Vec<Option<ValueId>>,
    /// For a solution, the adjoints of its entries.
    blocks: Map<ValueId, Vec<Option<ValueId>>>,
}

impl Derivation<'_> {
    /// Takes the adjoint of a value and adds its share to those of the operands.
    fn pass_on(
        &mut self,
        value: ValueId,
        adjoints: &mut Adjoints,
        columns: &mut [Option<ValueId>],
    ) -> Result<(), DeriveError> {
        let program = self.program;
        if let (Op::Solve(system), Some(block)) = (&program.values[value], adjoints.blocks.remove(&value)) {
            self.pass_through_solve(value, system, &block, adjoints);
            return Ok(());
        }
        let Some(adjoint) = adjoints.of[value.index()].take() else {
            return Ok(());
        };
        let new = |v: ValueId| self.map[v.index()];
        match program.values[value] {
            Op::Input(i) => {
                if let Some(column) = self.question.column[i.index()] {
                    self.accumulate(&mut columns[column as usize], adjoint);
                }
            }
            Op::Select(c, a, b) => {
                let condition = new(c);
                self.pass_to_branches(condition, a, b, adjoint, adjoints);
            }
            Op::Binary(op @ (Binary::Min | Binary::Max), a, b) => {
                let (x, y) = if op == Binary::Min { (new(a), new(b)) } else { (new(b), new(a)) };
                let condition = self.builder.compare(Compare::Lt, x, y);
                self.pass_to_branches(condition, a, b, adjoint, adjoints);
            }
            Op::Extract { solve, index } => {
                if let Op::Solve(system) = &program.values[solve] {
                    let block = adjoints.blocks.entry(solve).or_insert_with(|| vec![None; system.rhs.len()]);
                    self.accumulate(&mut block[index as usize], adjoint);
                }
            }
            _ => {
                for (operand, partial) in self.partials(value)? {
                    let share = self.scale(adjoint, partial);
                    self.accumulate(&mut adjoints.of[operand.index()], share);
                }
            }
        }
        Ok(())
    }

    fn accumulate(&mut self, place: &mut Option<ValueId>, share: ValueId) {
        *place = Some(match *place {
            Some(before) => self.builder.add(before, share),
            None => share,
        });
    }

    fn pass_to_branches(
        &mut self,
        condition: ValueId,
        a: ValueId,
        b: ValueId,
        adjoint: ValueId,
        adjoints: &mut Adjoints,
    ) {
        let zero = self.builder.constant(0.0);
        let (guard, inner) = self.guard(adjoint);
        let opposite = self.builder.not(condition);
        for (branch, condition) in [(a, condition), (b, opposite)] {
            if self.question.is_active(branch) {
                let guard = guard.map_or(condition, |g| self.builder.and(g, condition));
                let share = self.builder.select(guard, inner, zero);
                self.accumulate(&mut adjoints.of[branch.index()], share);
            }
        }
    }

    /// The condition under which an adjoint is not zero, if there is one, and what it then is.
    fn guard(&mut self, adjoint: ValueId) -> (Option<ValueId>, ValueId) {
        if let Op::Select(c, a, b) = *self.builder.operation(adjoint) {
            if self.builder.as_constant(b) == Some(0.0) {
                return (Some(c), a);
            }
            if self.builder.as_constant(a) == Some(0.0) {
                return (Some(self.builder.not(c)), b);
            }
        }
        (None, adjoint)
    }

    /// adjoint · partial, inside the adjoint's guard.
    fn scale(&mut self, adjoint: ValueId, partial: ValueId) -> ValueId {
        let (guard, inner) = self.guard(adjoint);
        let product = self.builder.mul(inner, partial);
        match guard {
            Some(guard) => {
                let zero = self.builder.constant(0.0);
                self.builder.select(guard, product, zero)
            }
            None => product,
        }
    }

    /// [solve-reverse]
    fn pass_through_solve(
        &mut self,
        value: ValueId,
        system: &Solve,
        block: &[Option<ValueId>],
        adjoints: &mut Adjoints,
    ) {
        let n = system.n as usize;
        let solution = self.map[value.index()];
        let zero = self.builder.constant(0.0);
        let used = (0..block.len() / n).filter(|j| block[j * n..(j + 1) * n].iter().any(Option::is_some));
        let used: Vec<usize> = used.collect();
        let at = |row: usize, column: usize| self.map[system.matrix[row * n + column].index()];
        let transposed: Vec<ValueId> = (0..n * n).map(|k| at(k % n, k / n)).collect();
        let columns = used.iter().flat_map(|j| &block[j * n..(j + 1) * n]);
        let right: Vec<ValueId> = columns.map(|x| x.unwrap_or(zero)).collect();
        let rhs_adjoints = self.builder.solve(system.n, &transposed, &right);
        for (k, j) in used.iter().enumerate() {
            for i in 0..n {
                let share = rhs_adjoints[k * n + i];
                let entry = system.rhs[j * n + i];
                if self.question.is_active(entry) {
                    self.accumulate(&mut adjoints.of[entry.index()], share);
                }
                for column in 0..n {
                    let coefficient = system.matrix[i * n + column];
                    if self.question.is_active(coefficient) {
                        let index = (j * n + column) as u32;
                        let x = self.builder.op(Op::Extract { solve: solution, index });
                        let product = self.builder.mul(share, x);
                        let product = self.builder.neg(product);
                        self.accumulate(&mut adjoints.of[coefficient.index()], product);
                    }
                }
            }
        }
    }
}
