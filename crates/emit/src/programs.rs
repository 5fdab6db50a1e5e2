//! The programs that answer the questions, each lowered on its own.

use cardan_base::Id;
use cardan_compile::Choice;
use cardan_compile::formalism_selection::not_worth_it;
use cardan_equations::{ConstraintRow, Formalism, inverse, mass_matrix};
use cardan_expr::Expr;
use cardan_lower::{
    self as lower, LowerError, ModelProgram, SimulationProgram as Lowered, counts_per_step,
    expressions_program, inverse_program, mass_program, simulation_program_with, unknowns_program,
};
use cardan_model::{Model, RowAction};
use cardan_program::{Label, Program};
use cardan_units::Dimension;

use crate::error::Error;

/// Derivatives and outputs, without what only pictures need; powers stand beside the derivatives where works are integrated.
pub(crate) fn motion(choice: &Choice, works: bool) -> Result<Lowered, Error> {
    let bare = lower::SimulationOptions { works, pictures: false, ..lower::SimulationOptions::default() };
    Ok(simulation_program_with(&choice.model, &choice.equations, &bare)?)
}

/// The lower triangle of the mass matrix, by the formalism that makes it cheapest.
pub(crate) fn mass(model: &Model) -> Result<ModelProgram, Error> {
    cheapest(model, &|m, formalism| {
        let matrix = mass_matrix(m, formalism).map_err(|f| f.message(m))?;
        Ok(mass_program(m, &matrix, None))
    })
}

/// Inverse dynamics, by the formalism that makes it cheapest.
pub(crate) fn inverse_dynamics(model: &Model) -> Result<ModelProgram, Error> {
    cheapest(model, &|m, formalism| {
        let forces = inverse(m, formalism).map_err(|f| f.message(m))?;
        Ok(inverse_program(m, &forces))
    })
}

/// How a formalism answers, or why it does not apply.
type Answer<'a> = &'a dyn Fn(&Model, Formalism) -> Result<Result<ModelProgram, LowerError>, String>;

/// Each formalism works on a copy of the model, so that none borrows intermediate results of another.
fn cheapest(model: &Model, answer: Answer<'_>) -> Result<ModelProgram, Error> {
    let mut best: Option<(u64, ModelProgram)> = None;
    let mut reason = String::new();
    for formalism in [Formalism::Recursive, Formalism::Kane] {
        if formalism == Formalism::Kane && best.is_some() && not_worth_it(model, formalism, true).is_some() {
            continue;
        }
        match answer(&model.clone(), formalism) {
            Err(message) => reason = message,
            Ok(program) => {
                let program = program?;
                let total = counts_per_step(&program.program).total();
                if best.as_ref().is_none_or(|(least, _)| total < *least) {
                    best = Some((total, program));
                }
            }
        }
    }
    best.map(|(_, program)| program).ok_or(Error::Equations(reason))
}

/// Residuals of the constraints, and which of the outputs are what.
pub(crate) struct Residuals {
    pub part: ModelProgram,
    pub n_positions: usize,
    pub n_velocities: usize,
}

/// All rows that say something or repeat what others say, in the order of the model.
fn rows(choice: &Choice) -> Vec<&ConstraintRow> {
    let constraints = &choice.equations.constraints;
    let mut rows: Vec<&ConstraintRow> = constraints.rows.iter().chain(&constraints.repeated).collect();
    rows.sort_by_key(|r| (r.constraint, r.row));
    rows
}

/// Position residuals, velocity residuals, then the entries of G that are not zero, row by row.
pub(crate) fn residuals(choice: &Choice) -> Result<Residuals, Error> {
    let model = &choice.model;
    let rows = rows(choice);
    if rows.is_empty() {
        return Err(Error::NoConstraints("residuals"));
    }
    let mut named: Vec<(Label, Expr)> = Vec::new();
    let about = |r: &ConstraintRow| {
        let c = &model.constraints[r.constraint];
        let row = &c.rows[r.row];
        (format!("{}.{}", c.name, r.row + 1), row.what.clone(), row.dimension)
    };
    for r in &rows {
        if let Some(g) = r.position {
            let (name, what, dimension) = about(r);
            named.push((Label::new(format!("gap({name})"), dimension.to_string(), what), g));
        }
    }
    let n_positions = named.len();
    for r in &rows {
        let (name, what, dimension) = about(r);
        let dimension = if r.position.is_some() { dimension / Dimension::TIME } else { dimension };
        named.push((Label::new(format!("rate({name})"), dimension.to_string(), what), r.velocity));
    }
    let n_velocities = named.len() - n_positions;
    for (k, r) in rows.iter().enumerate() {
        for (column, e) in &r.jacobian {
            let speed = &model.speeds[cardan_model::SpeedId::from_index(*column)].quantity.name;
            let what = format!("d rate({}) / d {speed}", about(r).0);
            named.push((Label::new(format!("G({},{})", k + 1, column + 1), "", what), *e));
        }
    }
    let part = expressions_program(model, &format!("residuals of {}", model.name), named)?;
    Ok(Residuals { part, n_positions, n_velocities })
}

/// The multipliers: one force or torque per row, first of the rows of the residuals, then of those that hold by themselves. Where
/// joints repeat one another they share what they bear, each as little as possible.
pub(crate) fn reactions(choice: &Choice) -> Result<ModelProgram, Error> {
    let (model, equations) = (&choice.model, &choice.equations);
    let rows = rows(choice);
    if rows.is_empty() || equations.augmented.is_none() {
        return Err(Error::NoConstraints("reactions"));
    }
    let shared = equations.shared(model).map_err(|failure| Error::Equations(failure.message(model)))?;
    let mut named = Vec::new();
    let said = rows.iter().map(|r| (r.constraint, r.row));
    for (constraint, row) in said.chain(equations.constraints.implied.iter().copied()) {
        let c = &model.constraints[constraint];
        let Some((_, value)) = shared.iter().find(|(place, _)| *place == (constraint, row)) else { continue };
        let unit = match &c.rows[row].action {
            Some(RowAction::Force(_) | RowAction::Wrench(..)) => "N",
            Some(RowAction::Torque(_)) => "N*m",
            None => "",
        };
        let name = format!("reaction({}.{})", c.name, row + 1);
        named.push((Label::new(name, unit, format!("against {}", c.rows[row].what)), *value));
    }
    Ok(unknowns_program(model, &format!("reactions of {}", model.name), &beside_rates(choice), named)?)
}

/// The unknowns of the equations of motion with their values, accelerations apart: those are inputs.
fn beside_rates(choice: &Choice) -> Vec<(Expr, Expr)> {
    let (model, equations) = (&choice.model, &choice.equations);
    let rates: Vec<_> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    equations.solved(model).into_iter().filter(|(s, _)| !rates.contains(s)).collect()
}

/// What the joints of the tree that the model was [asked about](cardan_model::Model::ask_for_joint_reactions) do to their bodies: a force at the origin of the body's frame
/// and a torque each, with components in the ground's axes. Accelerations are inputs. Nothing if none was asked about.
pub(crate) fn joints(choice: &Choice) -> Result<Option<ModelProgram>, Error> {
    let model = &choice.model;
    if model.reactions.is_empty() {
        return Ok(None);
    }
    let space = &model.space;
    let mut named = Vec::new();
    for reaction in &model.reactions {
        let (force, torque) = reaction.vectors(space);
        let name = &model.joints[reaction.joint].name;
        for (vector, what, unit) in [(force, "force", "N"), (torque, "torque", "N*m")] {
            let components = space.components(&vector, space.newtonian());
            for (axis, value) in ["x", "y", "z"].into_iter().zip(components) {
                let description = format!("{what} of the joint of {name} on it, along {axis} of the ground");
                named.push((Label::new(format!("{name}.{what}.{axis}"), unit, description), value));
            }
        }
    }
    let name = format!("reactions of the joints of {}", model.name);
    Ok(Some(unknowns_program(model, &name, &beside_rates(choice), named)?))
}

/// The discrete states at the start.
pub(crate) fn discrete_start(model: &Model) -> Result<ModelProgram, Error> {
    let named = model.hybrid.discretes.iter().map(|(_, d)| {
        let q = &d.quantity;
        (Label::new(format!("start of {}", q.name), q.dimension.to_string(), &q.description), d.start)
    });
    Ok(expressions_program(model, &format!("discrete states of {}", model.name), named.collect::<Vec<_>>())?)
}

/// The output labels of a program.
pub(crate) fn labels(program: &Program) -> Vec<Label> {
    program.outputs().iter().map(|(_, o)| o.label.clone()).collect()
}
