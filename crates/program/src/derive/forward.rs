//! Forward accumulation: every value carries its derivatives, sorted by column.
//!
//! A linear system A X = B is differentiated implicitly, all columns with one elimination:
//!
//! ```text
//! [solve-forward]    A (∂X/∂p) = ∂B/∂p − (∂A/∂p) X
//! ```

use cardan_base::{Id, Map};

use super::{Derivation, DeriveError, Entry};
use crate::op::{Binary, Compare, Op, Solve, ValueId};

/// Derivatives of one value: (column, derivative), sorted by column.
type Gradient = Vec<(u32, ValueId)>;

pub(super) fn derive(state: &mut Derivation<'_>) -> Result<Vec<Entry>, DeriveError> {
    let mut gradients: Vec<Gradient> = Vec::with_capacity(state.program.values.len());
    // For each solution, one block of derivatives per column of its support; `Extract` picks from it.
    let mut blocks: Map<ValueId, Vec<ValueId>> = Map::default();
    for value in state.program.values.ids() {
        let gradient = if state.question.is_active(value) {
            state.gradient(value, &gradients, &mut blocks)?
        } else {
            Vec::new()
        };
        gradients.push(gradient);
    }
    let rows = state.question.rows.iter().enumerate();
    let entries = rows.flat_map(|(row, value)| {
        gradients[value.index()].iter().map(move |(column, d)| (row, *column as usize, *d))
    });
    Ok(entries.collect())
}

impl Derivation<'_> {
    fn gradient(
        &mut self,
        value: ValueId,
        gradients: &[Gradient],
        blocks: &mut Map<ValueId, Vec<ValueId>>,
    ) -> Result<Gradient, DeriveError> {
        let program = self.program;
        let new = |v: &ValueId| self.map[v.index()];
        match &program.values[value] {
            Op::Input(i) => {
                let one = self.builder.constant(1.0);
                Ok(self.question.column[i.index()].map(|c| (c, one)).into_iter().collect())
            }
            Op::Select(c, a, b) => {
                let condition = new(c);
                Ok(self.choose(condition, &gradients[a.index()], &gradients[b.index()]))
            }
            Op::Binary(op @ (Binary::Min | Binary::Max), a, b) => {
                let (x, y) = if *op == Binary::Min { (new(a), new(b)) } else { (new(b), new(a)) };
                let condition = self.builder.compare(Compare::Lt, x, y);
                Ok(self.choose(condition, &gradients[a.index()], &gradients[b.index()]))
            }
            Op::Solve(system) => {
                let block = self.solve(value, system, gradients);
                blocks.insert(value, block);
                Ok(Vec::new())
            }
            Op::Extract { solve, index } => {
                let (Some(block), Op::Solve(system)) = (blocks.get(solve), &program.values[*solve]) else {
                    return Ok(Vec::new());
                };
                let columns = &self.question.support[solve.index()];
                let entry = |k: usize| block[k * system.rhs.len() + *index as usize];
                Ok(columns.iter().enumerate().map(|(k, c)| (*c, entry(k))).collect())
            }
            _ => {
                let mut sum = Vec::new();
                for (operand, partial) in self.partials(value)? {
                    sum = self.add_scaled(sum, partial, &gradients[operand.index()]);
                }
                Ok(sum)
            }
        }
    }

    /// sum + partial · gradient, merged by column.
    fn add_scaled(&mut self, sum: Gradient, partial: ValueId, gradient: &[(u32, ValueId)]) -> Gradient {
        let mut result = Vec::with_capacity(sum.len() + gradient.len());
        let mut left = sum.into_iter().peekable();
        for (column, d) in gradient {
            result.extend(std::iter::from_fn(|| left.next_if(|(c, _)| c < column)));
            let term = self.builder.mul(partial, *d);
            let total = match left.next_if(|(c, _)| c == column) {
                Some((_, before)) => self.builder.add(before, term),
                None => term,
            };
            result.push((*column, total));
        }
        result.extend(left);
        result
    }

    /// The gradient of whichever operand is chosen.
    fn choose(&mut self, condition: ValueId, a: &[(u32, ValueId)], b: &[(u32, ValueId)]) -> Gradient {
        let zero = self.builder.constant(0.0);
        let mut columns: Vec<u32> = a.iter().chain(b).map(|(c, _)| *c).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut result = Vec::with_capacity(columns.len());
        for column in columns {
            let (x, y) = (find(a, column).unwrap_or(zero), find(b, column).unwrap_or(zero));
            result.push((column, self.builder.select(condition, x, y)));
        }
        result
    }

    /// The derivatives of a solution, block after block for the columns of its support. [solve-forward]
    fn solve(&mut self, value: ValueId, system: &Solve, gradients: &[Gradient]) -> Vec<ValueId> {
        let n = system.n as usize;
        let b = &mut self.builder;
        let solution = self.map[value.index()];
        let zero = b.constant(0.0);
        let mut rhs = Vec::new();
        for column in &self.question.support[value.index()] {
            for (k, entry) in system.rhs.iter().enumerate() {
                let (row, first) = (k % n, k - k % n);
                let mut sum = find(&gradients[entry.index()], *column).unwrap_or(zero);
                for j in 0..n {
                    let coefficient = system.matrix[row * n + j];
                    if let Some(d) = find(&gradients[coefficient.index()], *column) {
                        let x = b.op(Op::Extract { solve: solution, index: (first + j) as u32 });
                        let term = b.mul(d, x);
                        sum = if sum == zero { b.neg(term) } else { b.sub(sum, term) };
                    }
                }
                rhs.push(sum);
            }
        }
        let matrix: Vec<ValueId> = system.matrix.iter().map(|v| self.map[v.index()]).collect();
        self.builder.solve(system.n, &matrix, &rhs)
    }
}

fn find(gradient: &[(u32, ValueId)], column: u32) -> Option<ValueId> {
    gradient.binary_search_by_key(&column, |(c, _)| *c).ok().map(|i| gradient[i].1)
}
