//! The Jacobian of the state's derivative from the structure of a tree, instead of from its program.

use cardan_base::Id;
use cardan_equations::{Slopes, slopes};
use cardan_expr::{Derivation, Expr};
use cardan_model::Model;
use cardan_program::derive::{Direction, Jacobian};
use cardan_program::{Label, OutputId};

use crate::inputs::{InputLayout, add_inputs};
use crate::{LowerError, Phase, Request, lower};

/// ∂(d/dt [q; u; s]) / ∂[q; u; s], only the entries that can be different from zero, and where the inputs are: those of a
/// simulation program. Rows of `more` expressions of the model follow those of the state. With `forces`, columns follow for forces along
/// the speeds.
pub fn structured_jacobian(
    model: &Model,
    more: &[Expr],
    forces: bool,
) -> Result<(Jacobian, InputLayout), LowerError> {
    let model = &model.clone();
    let found = slopes(model).map_err(|f| LowerError::NoStructure(f.message(model)))?;
    let mut request = Request::new(format!("{} derivatives", model.name), model.space.pool(), &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    request.given.extend(model.speeds.iter().zip(&found.u_dot).map(|((_, u), e)| (u.rate, *e)));
    let mut pattern = vec![];
    for (row, column, e) in entries(model, &found, more, forces) {
        request.output(Label::named(format!("J({},{})", row + 1, column + 1)), e, Phase::Motion);
        pattern.push((row, column));
    }
    let program = lower(&request)?;
    Ok((Jacobian { program, pattern, first: OutputId::from_index(0), direction: Direction::Forward }, inputs))
}

/// Row, column and value of what is not zero, by rows.
fn entries(model: &Model, found: &Slopes, more: &[Expr], forces: bool) -> Vec<(usize, usize, Expr)> {
    let pool = model.space.pool();
    let joined = |r: usize| -> Vec<Expr> {
        let states = [&found.by_coordinate[r], &found.by_speed[r], &found.by_state[r]];
        states.into_iter().chain(forces.then_some(&found.by_force[r])).flatten().copied().collect()
    };
    let middle: Vec<Vec<Expr>> = (0..model.speeds.len()).map(joined).collect();
    let states = model.coordinates.iter().map(|(_, q)| q.symbol);
    let states = states.chain(model.speeds.iter().map(|(_, u)| u.symbol));
    let states: Vec<Expr> = states.chain(model.states.iter().map(|(_, s)| s.symbol)).collect();
    let n_forces = if forces { model.speeds.len() } else { 0 };
    // An auxiliary state may follow accelerations, which vary with the column, too.
    let mut columns: Vec<Derivation> = (0..states.len() + n_forces)
        .map(|c| {
            let mut by = states.get(c).map_or_else(Derivation::new, |x| Derivation::partial(pool, *x));
            for ((_, u), row) in model.speeds.iter().zip(&middle) {
                pool.as_symbol(u.rate).into_iter().for_each(|symbol| by.set(symbol, row[c]));
            }
            by
        })
        .collect();
    let mut whole = |e: Expr| -> Vec<Expr> { columns.iter_mut().map(|by| by.apply(pool, e)).collect() };
    let upper: Vec<Vec<Expr>> = model.coordinates.iter().map(|(_, q)| q.rate).map(&mut whole).collect();
    let lower = model.states.iter().map(|(_, s)| s.rate).chain(more.iter().copied());
    let lower: Vec<Vec<Expr>> = lower.map(whole).collect();
    let rows = upper.into_iter().chain(middle).chain(lower).enumerate();
    rows.flat_map(|(r, row)| row.into_iter().enumerate().map(move |(c, e)| (r, c, e)))
        .filter(|(.., e)| !pool.is_zero(*e))
        .collect()
}
