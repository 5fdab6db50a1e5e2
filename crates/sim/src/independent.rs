//! Which coordinates are independent where loops close in closed form.
//!
//! ```text
//! [score]    the smallest margin of any dyad while one independent angle after the other makes a whole turn
//! ```
//!
//! The crank of a four-bar can turn round, its rocker cannot: seen from the rocker there are dead points, and the crank is the better
//! choice. Of coordinates that cannot turn round the one is taken whose margin at the start is largest.

use cardan_base::{Id, Map};
use cardan_equations::closed::{Closed, candidates};
use cardan_expr::{Expr, SymbolId};
use cardan_lower::{ClosedProgram, Phase, closed_program};
use cardan_model::{CoordinateId, Model};
use cardan_program::{Counts, count};

use crate::choice::{Choice, ChoiceError, motion_counts};
use crate::plan::stages;
use crate::values::ParameterValues;

/// Places at which a turn is looked at.
const PLACES: usize = 24;

/// The closed form of the loops of a mechanism.
#[derive(Clone, PartialEq, Debug)]
pub struct ClosedForm {
    /// Its programs.
    pub program: ClosedProgram,
    /// The names of the independent coordinates.
    pub independent: Vec<String>,
    /// Operations of one evaluation.
    pub counts: Counts,
    /// Those of the form with multipliers that was chosen.
    pub projected: Counts,
}

impl ClosedForm {
    /// Whether an evaluation takes fewer operations than with multipliers.
    pub fn is_cheaper(&self) -> bool {
        self.counts.total() < self.projected.total()
    }
}

/// The closed form of a mechanism all of whose loops close by dyads; nothing for others.
pub fn closed_form(choice: &Choice) -> Result<Option<ClosedForm>, ChoiceError> {
    let model = &choice.model;
    let Some(loops) = &choice.loops else { return Ok(None) };
    let found = candidates(model, &choice.equations.constraints);
    let Some(best) = best(model, found, &loops.start) else { return Ok(None) };
    let independent =
        best.independent.iter().map(|q| model.coordinates[CoordinateId::from_index(*q)].quantity.name.clone());
    let independent = independent.collect();
    let Some(Ok(equations)) = best.equations(model, &choice.equations) else { return Ok(None) };
    let program = closed_program(model, equations).map_err(ChoiceError::Lower)?;
    let counts = count(&program.motion, stages(&program.motion, Phase::Time, Phase::Motion));
    Ok(Some(ClosedForm { program, independent, counts, projected: motion_counts(&choice.lowered) }))
}

/// The shortest of the candidates whose margins are good all the way round; else the one with the best score, the first of equals.
fn best(model: &Model, candidates: Vec<Closed>, start: &[f64]) -> Option<Closed> {
    let pool = model.space.pool();
    let scores: Vec<(f64, f64)> = candidates.iter().map(|c| score(model, c, start)).collect();
    let good = (0..scores.len()).filter(|k| scores[*k].0 > GOOD);
    let length = |k: &usize| pool.reachable(candidates[*k].coordinates.iter().copied()).len();
    let better = |best: usize, k: usize| {
        let ((turn, now), (best_turn, best_now)) = (scores[k], scores[best]);
        let is_better = turn > best_turn + ALIKE || (turn > best_turn - ALIKE && now > best_now + ALIKE);
        if is_better { k } else { best }
    };
    let taken = good.min_by_key(length).or_else(|| (0..scores.len()).reduce(better))?;
    candidates.into_iter().nth(taken)
}

/// A margin that is good enough all the way round.
const GOOD: f64 = 0.2;
/// Margins nearer to one another than this are alike.
const ALIKE: f64 = 1e-6;

/// The smallest margins during a turn and at the start. [score]
fn score(model: &Model, closed: &Closed, start: &[f64]) -> (f64, f64) {
    let pool = model.space.pool();
    let parameters = ParameterValues::of(model);
    let mut known: Map<SymbolId, f64> = Map::default();
    let learn = |known: &mut Map<SymbolId, f64>, symbol: Expr, value: f64| {
        known.extend(pool.as_symbol(symbol).map(|s| (s, value)));
    };
    for (_, p) in model.parameters.iter() {
        let value = parameters.evaluate(model, p.symbol);
        learn(&mut known, p.symbol, if value.is_finite() { value } else { 1.0 });
    }
    model.coordinates.iter().for_each(|(id, q)| learn(&mut known, q.symbol, start[id.index()]));
    let sides = evaluate(pool, &closed.sides, &known);
    for (branch, side) in closed.branches.iter().zip(&sides) {
        learn(&mut known, *branch, side.signum());
    }
    for (anchor, q) in closed.anchors.iter().zip(&closed.dependent) {
        learn(&mut known, *anchor, start[*q]);
    }
    // A margin that is no number is that of a place that cannot be reached.
    let least = |known: &Map<SymbolId, f64>| {
        let margins = evaluate(pool, &closed.margins, known);
        margins.iter().map(|m| if *m > 0.0 { m.sqrt() } else { 0.0 }).fold(f64::INFINITY, f64::min)
    };
    let now = least(&known);
    let mut turn = now;
    for q in &closed.independent {
        let coordinate = &model.coordinates[CoordinateId::from_index(*q)];
        if !coordinate.quantity.dimension.is_dimensionless() {
            return (0.0, now);
        }
        for place in 1..PLACES {
            let angle = start[*q] + std::f64::consts::TAU * place as f64 / PLACES as f64;
            learn(&mut known, coordinate.symbol, angle);
            turn = turn.min(least(&known));
        }
        learn(&mut known, coordinate.symbol, start[*q]);
    }
    (turn, now)
}

fn evaluate(pool: &cardan_expr::Pool, list: &[Expr], known: &Map<SymbolId, f64>) -> Vec<f64> {
    pool.evaluate_all(list, &|s| known.get(&s).copied().unwrap_or(0.0))
}
