//! Programs about constraints: what assembly needs, and what keeps a motion on its constraints.

use std::ops::Range;

use cardan_equations::{ConstraintRow, ConstraintRows, Equations};
use cardan_expr::{Depends, Derivation};
use cardan_model::Model;
use cardan_program::{Label, Program};

use crate::inputs::{InputLayout, add_inputs};
use crate::{Effort, LowerError, Phase, Request, lower};

/// Residuals and Jacobians of constraint rows, as positions in the output vector.
#[derive(Clone, PartialEq, Debug)]
pub struct ClosureProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// Its inputs.
    pub inputs: InputLayout,
    /// The state at the start.
    pub start: Range<usize>,
    /// Per row the position residual; nothing for a nonholonomic row.
    pub positions: Vec<Option<usize>>,
    /// Per row the velocity residual.
    pub velocities: Vec<usize>,
    /// Per row the columns of G that are not zero: speed and output.
    pub jacobian: Vec<Vec<(usize, usize)>>,
    /// Per coordinate the speeds that change it, with the outputs of its row of W.
    pub rates: Vec<Vec<(usize, usize)>>,
    /// Joints with cosines that are positive where they are put together rightly, and may be negative where their rows hold as well.
    pub facing: Vec<(String, usize)>,
}

/// The program by which constraints are assembled and their rank is found.
pub fn closure_program(model: &Model, rows: &ConstraintRows) -> Result<ClosureProgram, LowerError> {
    let pool = model.space.pool();
    let mut request = Request::new(format!("closure of {}", model.name), pool, &model.tables);
    request.effort = Effort::Plain;
    let inputs = add_inputs(&mut request, model, &[]);
    let starts = model.coordinates.iter().map(|(_, q)| q.start);
    let starts = starts.chain(model.speeds.iter().map(|(_, u)| u.start));
    let starts: Vec<_> = starts.chain(model.states.iter().map(|(_, s)| s.start)).collect();
    let first = request.outputs.len();
    for start in starts {
        request.output(Label::named("start"), start, Phase::Setup);
    }
    let start = first..request.outputs.len();
    let name = |r: &ConstraintRow| format!("{}.{}", model.constraints[r.constraint].name, r.row + 1);
    let positions = rows
        .rows
        .iter()
        .map(|r| r.position.map(|g| request.output(Label::named(name(r)), g, Phase::Position)))
        .collect();
    let velocities =
        rows.rows.iter().map(|r| request.output(Label::named(name(r)), r.velocity, Phase::Motion)).collect();
    let mut jacobian = vec![];
    for r in &rows.rows {
        let columns = r.jacobian.iter();
        jacobian.push(
            columns.map(|(k, e)| (*k, request.output(Label::named(name(r)), *e, Phase::Position))).collect(),
        );
    }
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut rates = vec![];
    for (_, q) in model.coordinates.iter() {
        let mut row = vec![];
        for (k, d) in by_speed.iter_mut().enumerate() {
            let w = d.apply(pool, q.rate);
            if !pool.is_zero(w) {
                row.push((k, request.output(Label::named(&q.quantity.name), w, Phase::Position)));
            }
        }
        rates.push(row);
    }
    let mut facing = vec![];
    for (_, constraint) in model.constraints.iter() {
        let turning = constraint.facing(&model.space).into_iter();
        for cosine in turning.filter(|e| pool.depends(*e).intersects(Depends::COORDINATES)) {
            let output = request.output(Label::named("facing"), cosine, Phase::Position);
            facing.push((constraint.name.clone(), output));
        }
    }
    let program = lower(&request)?;
    Ok(ClosureProgram { program, inputs, start, positions, velocities, jacobian, rates, facing })
}

/// Corrections that pull a state back onto its constraints, as positions in the output vector.
#[derive(Clone, PartialEq, Debug)]
pub struct CorrectionProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// Its inputs: those of the simulation program.
    pub inputs: InputLayout,
    /// Position residuals of the holonomic rows.
    pub positions: Range<usize>,
    /// Changes of the coordinates.
    pub coordinates: Range<usize>,
    /// Velocity residuals.
    pub velocities: Range<usize>,
    /// Changes of the speeds.
    pub speeds: Range<usize>,
}

/// The program of the corrections; nothing for a tree.
pub fn correction_program(
    model: &Model,
    equations: &Equations,
) -> Result<Option<CorrectionProgram>, LowerError> {
    let Some(augmented) = &equations.augmented else { return Ok(None) };
    let corrections = augmented.corrections(model, &equations.constraints);
    let mut request =
        Request::new(format!("corrections of {}", model.name), model.space.pool(), &model.tables);
    // Once or twice per step, against a dozen evaluations of the motion.
    request.effort = Effort::Little;
    let inputs = add_inputs(&mut request, model, &[]);
    let mut ask = |list: Vec<cardan_expr::Expr>, what: &str, phase: Phase| {
        let first = request.outputs.len();
        for (k, e) in list.into_iter().enumerate() {
            request.output(Label::named(format!("{what}{}", k + 1)), e, phase);
        }
        first..request.outputs.len()
    };
    let rows = &equations.constraints.rows;
    let positions = ask(rows.iter().filter_map(|r| r.position).collect(), "g", Phase::Position);
    let coordinates = ask(corrections.position, "dq", Phase::Position);
    let velocities = ask(rows.iter().map(|r| r.velocity).collect(), "v", Phase::Motion);
    let speeds = ask(corrections.velocity, "du", Phase::Motion);
    let program = lower(&request)?;
    Ok(Some(CorrectionProgram { program, inputs, positions, coordinates, velocities, speeds }))
}
