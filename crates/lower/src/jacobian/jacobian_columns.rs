//! The Jacobian of the state's derivative with its linear systems solved column by column, all columns by the same operations in the
//! same order, so that an engine can treat several at once.
//!
//! Factors and right-hand sides are lowered like any expressions, everything shared that can be. The solutions follow on the
//! program itself: nothing there is factored, reordered or given another sign for one column and not for its neighbour.
//!
//! ```text
//! [columns-forwards]    y_i -= l_i y_k                   in the order of elimination
//! [columns-back]        x_k = -y_k/d_k + Σ c_i x_i       from the last row to the first
//! ```

use std::collections::BTreeMap;

use cardan_base::{Id, Map};
use cardan_equations::{SlopeSystems, slope_systems};
use cardan_expr::{Derivation, Expr};
use cardan_model::Model;
use cardan_program::derive::{Direction, Jacobian};
use cardan_program::{InputId, Label, Math, OutputId, ProgramBuilder, ValueId, passes};

use crate::inputs::{InputLayout, add_inputs};
use crate::mass_inverse;
use crate::{LowerError, Phase, Request, lower};

/// ∂(d/dt [q; u]) / ∂[q; u] of a model without auxiliary states, only the entries that can be different from zero, and where the inputs
/// are. With `forces`, columns follow for forces along the speeds.
pub fn columnwise_jacobian(model: &Model, forces: bool) -> Result<(Jacobian, InputLayout), LowerError> {
    with_blocks(model, forces, mass_inverse::BLOCKS_FROM)
}

/// The same with M^-1 by blocks from so many rows on.
fn with_blocks(
    model: &Model,
    forces: bool,
    blocks_from: usize,
) -> Result<(Jacobian, InputLayout), LowerError> {
    if !model.states.is_empty() {
        return Err(LowerError::NoStructure("auxiliary states have rows of their own".into()));
    }
    let found = slope_systems(model).map_err(|f| LowerError::NoStructure(f.message(model)))?;
    let mut request = Request::new(format!("{} derivatives", model.name), model.space.pool(), &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    request.given.extend(model.speeds.iter().zip(&found.u_dot).map(|((_, u), e)| (u.rate, *e)));
    let upper = rates(model, found.tau.len());
    let mut places: Map<Expr, usize> = Map::default();
    for e in parts(&found).chain(upper.values().copied()) {
        places.entry(e).or_insert_with(|| request.output(Label::named("part"), e, Phase::Motion));
    }
    let program = lower(&request)?;

    let n = model.speeds.len();
    let by_blocks = forces && n >= blocks_from;
    // Zeros of blocks are there for their neighbours, and must stay.
    let math = if by_blocks { Math::Strict } else { Math::Finite };
    let mut b = ProgramBuilder::like(&program, math);
    let own: Vec<ValueId> =
        (0..program.inputs().len()).map(|i| b.input_value(InputId::from_index(i))).collect();
    let values = b.splice(&program, &own).ok_or_else(|| LowerError::NoStructure("inputs differ".into()))?;
    let mut entries: Vec<((usize, usize), ValueId)> =
        upper.iter().map(|(place, e)| (*place, values[places[e]])).collect();
    let pool = model.space.pool();
    let mut solver =
        Solver { b: &mut b, found: &found, value: |e: Expr| (!pool.is_zero(e)).then(|| values[places[&e]]) };
    let n_q = model.coordinates.len();
    for group in groups(&found, |e| pool.is_zero(e)) {
        let solved: Vec<_> = group.iter().map(|column| solver.column(*column)).collect();
        for row in 0..n {
            let along = group.iter().zip(&solved).filter_map(|(c, x)| Some(((n_q + row, *c), x[row]?)));
            entries.extend(along);
        }
    }
    if forces {
        let first = found.tau.len();
        let entry = |(r, c, x): (usize, usize, ValueId)| ((n_q + r, first + c), x);
        if by_blocks {
            entries.extend(solver.inverse_by_blocks(n).into_iter().map(entry));
        } else {
            entries.extend(solver.inverse(n).into_iter().map(entry));
        }
    }
    // What coordinates alone determine is delivered with them.
    let position = b.stage(Phase::Position.name()).unwrap_or(Id::from_index(0));
    let mut pattern = vec![];
    for ((row, column), value) in entries {
        b.output(Label::named(format!("J({},{})", row + 1, column + 1)), position, value);
        pattern.push((row, column));
    }
    let program = passes::schedule(&passes::remove_dead(&b.finish().map_err(LowerError::Unsound)?));
    Ok((Jacobian { program, pattern, first: OutputId::from_index(0), direction: Direction::Forward }, inputs))
}

/// Columns that are solved by the same operations, at most as many together as an instruction of any engine treats.
fn groups(found: &SlopeSystems, is_zero: impl Fn(Expr) -> bool) -> Vec<Vec<usize>> {
    const MOST: usize = 8;
    let mut alike: BTreeMap<(Vec<bool>, Vec<bool>), Vec<usize>> = BTreeMap::new();
    for (column, (tau, known)) in found.tau.iter().zip(&found.known).enumerate() {
        let [tau, known] = [tau, known].map(|es| es.iter().map(|e| !is_zero(*e)).collect());
        alike.entry((tau, known)).or_default().push(column);
    }
    let mut all: Vec<Vec<usize>> = vec![];
    for columns in alike.into_values() {
        let n_groups = columns.len().div_ceil(MOST);
        all.extend(columns.chunks(columns.len().div_ceil(n_groups)).map(<[usize]>::to_vec));
    }
    all.sort();
    all
}

/// Derivatives of q̇ that are not zero.
fn rates(model: &Model, n_columns: usize) -> BTreeMap<(usize, usize), Expr> {
    let pool = model.space.pool();
    let states = model.coordinates.iter().map(|(_, q)| q.symbol);
    let states = states.chain(model.speeds.iter().map(|(_, u)| u.symbol)).take(n_columns);
    let mut all = BTreeMap::new();
    for (column, symbol) in states.enumerate() {
        let mut by = Derivation::partial(pool, symbol);
        for (row, (_, q)) in model.coordinates.iter().enumerate() {
            let e = by.apply(pool, q.rate);
            if !pool.is_zero(e) {
                all.insert((row, column), e);
            }
        }
    }
    all
}

/// Everything that the solutions are made from.
fn parts(found: &SlopeSystems) -> impl Iterator<Item = Expr> {
    let factors = found.factors.iter().flat_map(|s| s.l.iter().map(|(_, l)| *l).chain([s.d_inverse]));
    let back = found.back.iter().flatten().flat_map(|terms| terms.iter().map(|(_, c)| *c));
    factors
        .chain(back)
        .chain(found.tau.iter().flatten().copied())
        .chain(found.known.iter().flatten().copied())
}

/// Solves column by column; `None` stands for zero.
pub(crate) struct Solver<'a, V> {
    pub(crate) b: &'a mut ProgramBuilder,
    pub(crate) found: &'a SlopeSystems,
    pub(crate) value: V,
}

impl<V: Fn(Expr) -> Option<ValueId>> Solver<'_, V> {
    /// x + c y.
    pub(crate) fn add(
        &mut self,
        x: Option<ValueId>,
        c: Option<ValueId>,
        y: Option<ValueId>,
    ) -> Option<ValueId> {
        let (Some(c), Some(y)) = (c, y) else { return x };
        let product = self.b.mul(c, y);
        Some(x.map_or(product, |x| self.b.add(x, product)))
    }

    fn column(&mut self, column: usize) -> Vec<Option<ValueId>> {
        let found = self.found;
        let mut x: Vec<Option<ValueId>> = found.tau[column].iter().map(|e| (self.value)(*e)).collect();
        for step in &found.factors {
            for (i, l) in &step.l {
                let l = (self.value)(*l).map(|l| self.b.neg(l));
                x[*i] = self.add(x[*i], l, x[step.row]); // [columns-forwards]
            }
        }
        for (step, terms) in found.factors.iter().rev().zip(&found.back[column]) {
            let d = (self.value)(step.d_inverse).map(|d| self.b.neg(d));
            let mut sum = self.add(None, d, x[step.row]);
            for (i, c) in terms.iter() {
                sum = self.add(sum, (self.value)(*c), x[*i]); // [columns-back]
            }
            x[step.row] = sum;
        }
        for (x, e) in x.iter_mut().zip(&found.known[column]) {
            *x = match (*x, (self.value)(*e)) {
                (Some(x), Some(known)) => Some(self.b.add(x, known)),
                (x, known) => x.or(known),
            };
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use crate::jacobian_columns::*;
    use cardan_program::{Execute, Interpreter};
    use cardan_testkit::{Random, TreeOptions, random_tree};

    fn by_place(jacobian: &Jacobian, inputs: &[f64]) -> BTreeMap<(usize, usize), f64> {
        let program = &jacobian.program;
        let mut outputs = vec![f64::NAN; program.outputs().len()];
        let mut interpreter = Interpreter::new(program).expect("no functions of the host");
        interpreter.run(program.all_stages(), inputs, &mut outputs).expect("the state is regular");
        jacobian.pattern.iter().copied().zip(outputs).collect()
    }

    #[test]
    fn blocks_of_columns_give_the_inverse_of_single_entries() {
        let mut n_checked = 0;
        for seed in 0..60 {
            let options =
                TreeOptions { bodies: 1 + seed as usize % 7, loads: false, user_speeds: seed % 3 == 0 };
            let model = random_tree(seed, options);
            let Ok((blocks, layout)) = with_blocks(&model.clone(), true, 1) else { continue };
            let (single, _) =
                with_blocks(&model.clone(), true, usize::MAX).expect("the structure is the same");
            let mut random = Random::new(seed);
            let mut inputs = layout.defaults(single.program.inputs().len());
            inputs[layout.coordinates.start..layout.states.end].fill_with(|| random.between(-1.0, 1.0));
            let [blocks, single] = [blocks, single].map(|j| by_place(&j, &inputs));
            let scale = single.values().fold(1.0f64, |m, x| m.max(x.abs()));
            for place in blocks.keys().chain(single.keys()) {
                let [x, y] = [&blocks, &single].map(|all| all.get(place).copied().unwrap_or(0.0));
                assert!((x - y).abs() <= 1e-11 * scale, "seed {seed}, {place:?}: {x} instead of {y}");
            }
            n_checked += usize::from(model.speeds.len() > 1);
        }
        assert!(n_checked >= 20, "{n_checked} of the random trees have the structure");
    }
}
