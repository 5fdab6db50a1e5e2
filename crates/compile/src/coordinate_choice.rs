//! Which coordinates are independent where loops close in closed form.
//!
//! ```text
//! [score]    the smallest margin of any dyad while one independent angle after the other makes a whole turn
//! [step]     a step of order eight: twelve evaluations; in closed form the dependent states and a look at the residuals; with multipliers a
//!            projection and an evaluation after it
//! ```
//!
//! The crank of a four-bar can turn round, its rocker cannot: seen from the rocker there are dead points, and the crank is the better
//! choice. Of coordinates that cannot turn round the one is taken whose margin at the start is largest.

use cardan_base::{Id, Map};
use cardan_equations::minimal_form::{Closed, ClosedEquations, margin, positions, sets};
use cardan_expr::{Expr, SymbolId};
use cardan_lower::{ClosedProgram, Phase, closed_program};
use cardan_model::{CoordinateId, Model};
use cardan_program::{Counts, Program, count};

use crate::formalism_selection::{Choice, ChoiceError, motion_counts};
use cardan_assembly::parameter_values::ParameterValues;
use cardan_lower::stages;

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
    /// Operations of a step in closed form and of one with multipliers and projection. [step]
    pub steps: [u64; 2],
    /// The smallest margin of any dyad while the independent angles turn; zero where one cannot. [score]
    pub margin: f64,
}

impl ClosedForm {
    /// Whether a step takes fewer operations than with multipliers.
    pub fn is_cheaper(&self) -> bool {
        self.steps[0] < self.steps[1]
    }
    /// Whether a motion is better followed in closed form: cheaper, and no dead point interrupts it.
    pub fn is_better(&self) -> bool {
        self.is_cheaper() && self.margin > GOOD
    }
}

/// The closed form of a mechanism all of whose loops close by dyads; nothing for others.
pub fn closed_form(choice: &Choice) -> Result<Option<ClosedForm>, ChoiceError> {
    let Some(loops) = &choice.loops else { return Ok(None) };
    let Some(correction) = &loops.correction else { return Ok(None) };
    let Some((margin, model, found)) = best(choice, &loops.start) else { return Ok(None) };
    let name = |q: &usize| model.coordinates[CoordinateId::from_index(*q)].quantity.name.clone();
    let independent = found.closed.independent.iter().map(name).collect();
    let program = closed_program(&model, found).map_err(ChoiceError::Lower)?;
    let operations = |p: &Program, last: Phase| count(p, stages(p, Phase::Time, last)).total();
    let counts = count(&program.motion, stages(&program.motion, Phase::Time, Phase::Motion));
    let projection = operations(&correction.program, Phase::Motion);
    let closed = STAGES * counts.total() + operations(&program.settle, Phase::Motion) + projection;
    let projected = (STAGES + 1) * motion_counts(&choice.lowered).total()
        + 2 * operations(&correction.program, Phase::Position)
        + 3 * projection;
    Ok(Some(ClosedForm { program, independent, counts, steps: [closed, projected], margin }))
}

/// The shortest of the candidates whose margins are good all the way round; else the one with the best score, the first of equals.
fn best(choice: &Choice, start: &[f64]) -> Option<(f64, Model, ClosedEquations)> {
    let rows = &choice.equations.constraints;
    let mut candidates: Vec<((f64, f64), Model, Closed)> = vec![];
    for set in sets(&choice.model, rows) {
        let model = choice.model.clone();
        let Some(closed) = positions(&model, rows, &set) else { continue };
        candidates.push((score(&model, &closed, start), model, closed));
    }
    let better = |best: usize, k: usize| {
        let ((turn, now), (best_turn, best_now)) = (candidates[k].0, candidates[best].0);
        let is_better = turn > best_turn + ALIKE || (turn > best_turn - ALIKE && now > best_now + ALIKE);
        if is_better { k } else { best }
    };
    let first = (0..candidates.len()).reduce(better)?;
    let good = candidates.into_iter().enumerate().filter(|(k, (score, ..))| score.0 > GOOD || *k == first);
    let mut best: Option<(usize, (f64, Model, ClosedEquations))> = None;
    for (_, ((turn, _), model, closed)) in good.take(MOST_COMPARED) {
        let Some(Ok(mut found)) = closed.equations(&model, &choice.equations) else { continue };
        let rates: Vec<Expr> = found.independent_speeds.iter().map(|k| found.equations.u_dot[*k]).collect();
        let rates: Vec<Expr> = rates.into_iter().map(|e| found.rewrite(&model, e)).collect();
        let length = model.space.pool().reachable(rates).len();
        // The count of parts is a rough measure: the first, nearest to the ground, wins unless another is shorter by a fifth.
        if best.as_ref().is_none_or(|(least, _)| 5 * length < 4 * *least) {
            best = Some((length, (turn, model, found)));
        }
    }
    best.map(|(_, found)| found)
}

/// Evaluations of a step of order eight.
const STAGES: u64 = 12;
/// No more candidates than this are compared by their length.
const MOST_COMPARED: usize = 4;
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
    let sides: Vec<Expr> = closed.sides.iter().flatten().flatten().copied().collect();
    let sides = evaluate(pool, &sides, &known);
    let sides = sides.chunks_exact(4).map(|v| margin([[v[0], v[1]], [v[2], v[3]]]));
    for (branch, side) in closed.branches.iter().zip(sides) {
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
