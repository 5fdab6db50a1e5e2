//! The constraint rows of a model as a numeric system: names, residuals, Jacobian, initial values.

use std::fmt;

use cardan_base::{Id, Set};
use cardan_equations::constrained::rows;
use cardan_equations::{ConstraintRow, ConstraintRows};
use cardan_expr::{Depends, Expr};
use cardan_jit::{Engine, EngineKind};
use cardan_lower::{LowerError, closure_program};
use cardan_model::{ConstraintId, Given, Model, Quantity};

use crate::assemble::{Assembled, Begin, Loops, RowName, assemble};
use crate::assembly_error::AssemblyError;
use crate::gimbal_lock;
use crate::parameter_values::ParameterValues;
use crate::rank::identities::take_identities;
use crate::rank::redundancy::{Mobility, through};
use crate::rank::roundoff_rows::{forgive, reach};

/// Why the constraints of a model give no closed position.
#[derive(Clone, PartialEq, Debug)]
pub enum ConstraintError {
    /// A constraint that nothing can satisfy, and what it demands.
    Contradiction(String, String),
    /// The loops cannot be closed.
    Assembly(AssemblyError),
    /// The constraints could not be made into a program.
    Lower(LowerError),
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConstraintError::Contradiction(name, what) => {
                write!(f, "nothing can satisfy `{name}`: no motion changes its {what}, and it is not zero")
            }
            ConstraintError::Assembly(error) => error.fmt(f),
            ConstraintError::Lower(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConstraintError {}

/// The constraints of a model as a program with an engine and its inputs at the default parameters.
pub struct Rows {
    /// The symbolic rows.
    pub rows: ConstraintRows,
    /// Names, initial values and program of the rows.
    pub loops: Loops,
    /// The program, ready to run.
    pub engine: Engine,
    /// Its inputs.
    pub inputs: Vec<f64>,
}

/// The rows of a model; nothing for a tree.
pub fn rows_of(model: &Model) -> Result<Option<Rows>, ConstraintError> {
    if model.constraints.is_empty() {
        return Ok(None);
    }
    let mut rows = rows::rows(model);
    let values = ParameterValues::of(model);
    forgive(model, &values, &mut rows);
    let rates = take_identities(model, &values, &mut rows);
    let name = |constraint: ConstraintId, row: usize| row_name(model, constraint, row);
    if let Some((constraint, row)) = rows.contradictory.first() {
        let RowName { constraint, what, .. } = name(*constraint, *row);
        return Err(ConstraintError::Contradiction(constraint, what));
    }
    let closure = closure_program(model, &rows).map_err(ConstraintError::Lower)?;
    // Where a drive says how a coordinate moves, its start follows. Where it moves several together, values given for their starts yield.
    let is_drive = |r: &&ConstraintRow| model.constraints[r.constraint].kind.is_motion();
    let (mut driven, mut together): (Set<usize>, Set<usize>) = Default::default();
    for row in rows.rows.iter().filter(is_drive) {
        let found = if row.jacobian.len() == 1 { &mut driven } else { &mut together };
        found.extend(row.jacobian.iter().map(|(k, _)| *k));
    }
    let own_speed = |rate: Expr| model.speeds.iter().position(|(_, u)| u.symbol == rate);
    let begin = |quantity: &Quantity, given: Given, speed: Option<usize>| Begin {
        name: quantity.name.clone(),
        unit: quantity.dimension.to_string(),
        given: if speed.is_some_and(|k| driven.contains(&k)) { Given::Nothing } else { given },
        yields: speed.is_some_and(|k| together.contains(&k)),
        own_speed: speed,
    };
    let coordinates = model.coordinates.iter();
    let speeds = model.speeds.iter().enumerate();
    let reaches = rows.rows.iter().map(|r| reach(model, &values, &model.constraints[r.constraint]));
    let loops = Loops {
        rates,
        reach: reaches.collect(),
        rows: rows.rows.iter().map(|r| name(r.constraint, r.row)).collect(),
        coordinates: coordinates.map(|(_, q)| begin(&q.quantity, q.given, own_speed(q.rate))).collect(),
        speeds: speeds.map(|(k, (_, u))| begin(&u.quantity, u.given, Some(k))).collect(),
        unit_quadruples: model.unit_quadruples.iter().map(|q| q.map(Id::index)).collect(),
        turns: gimbal_lock::turns(model),
        closure,
    };
    let engine = Engine::new(&loops.closure.program, EngineKind::Interpreter)
        .map_err(|e| ConstraintError::Assembly(AssemblyError::Evaluation(e.to_string())))?;
    // A parameter without a value is taken as one: rank is a matter of structure.
    let mut inputs = vec![0.0; loops.closure.program.inputs().len()];
    loops.closure.inputs.parameters.iter().for_each(|p| inputs[p.input.index()] = p.default.unwrap_or(1.0));
    Ok(Some(Rows { rows, loops, engine, inputs }))
}

/// The rows of a model and what assembly says of them at the default parameters.
pub fn constraints_at_start(
    model: &Model,
) -> Result<Option<(ConstraintRows, Loops, Assembled)>, ConstraintError> {
    let Some(Rows { rows, loops, engine, inputs }) = rows_of(model)? else { return Ok(None) };
    let assembled = assemble(&loops, &engine, &inputs).map_err(ConstraintError::Assembly)?;
    Ok(Some((rows, loops, assembled)))
}

/// The start of a model with its loops closed, at the default parameters; nothing for a tree.
pub fn assembled(model: &Model) -> Result<Option<Assembled>, ConstraintError> {
    Ok(constraints_at_start(&model.clone())?.map(|(_, _, assembled)| assembled))
}

/// How freely a model with loops moves, counted and true; nothing for a tree.
pub fn mobility(model: &Model) -> Result<Option<Mobility>, ConstraintError> {
    let model = &model.clone();
    let Some((rows, loops, assembled)) = constraints_at_start(model)? else { return Ok(None) };
    let implied: Vec<RowName> = rows.implied.iter().map(|(c, r)| row_name(model, *c, *r)).collect();
    let repeated = implied.iter().chain(assembled.redundant.iter().map(|k| &loops.rows[*k]));
    let freedom = model.speeds.len().saturating_sub(assembled.independent.len());
    Ok(Some(Mobility::of(model, repeated, freedom)))
}

/// A row in words.
pub fn row_name(model: &Model, constraint: ConstraintId, row: usize) -> RowName {
    let c = &model.constraints[constraint];
    let r = &c.rows[row];
    let pool = model.space.pool();
    RowName {
        constraint: c.name.clone(),
        what: r.what.clone(),
        unit: r.dimension.to_string(),
        through: through(model, &c.name),
        drives: pool.depends(r.position.unwrap_or(r.velocity)).intersects(Depends::TIME),
        of_rates: r.position.is_none(),
    }
}
