//! Programs that answer one question about a model: inverse dynamics, the mass matrix, any expressions.

use cardan_expr::Expr;
use cardan_model::Model;
use cardan_program::{Label, Program};
use cardan_units::Dimension;

use crate::inputs::{InputLayout, add_inputs, label};
use crate::{Effort, LowerError, Phase, Request, lower};

/// A program about a model and where its inputs are.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// The inputs that it shares with a simulation program.
    pub inputs: InputLayout,
    /// Where the accelerations u̇ are in the input vector; empty if they are none.
    pub accelerations: std::ops::Range<usize>,
}

/// The program of inverse dynamics: parameters, t, q, u, s and u̇ give the generalised forces τ = M u̇ - f that
/// motors in place of the speeds would have to add. `inverse` has one expression per speed.
pub fn inverse_program(model: &Model, inverse: &[Expr]) -> Result<ModelProgram, LowerError> {
    let force =
        |name: &str| Label::new(format!("tau({name})"), "", format!("generalised force along {name}"));
    let named = model.speeds.iter().zip(inverse).map(|((_, u), e)| (force(&u.quantity.name), *e));
    expressions_program(model, &format!("inverse dynamics of {}", model.name), named)
}

/// The program of the mass matrix (its lower triangle, row by row), then of the right-hand side of M u̇ = f if it is given.
pub fn mass_program(
    model: &Model,
    mass: &[Vec<Expr>],
    forcing: Option<&[Expr]>,
) -> Result<ModelProgram, LowerError> {
    let (mut request, inputs, accelerations) =
        with_accelerations(model, &format!("mass matrix of {}", model.name));
    for (r, row) in mass.iter().enumerate() {
        for (s, e) in row.iter().enumerate().take(r + 1) {
            request.output(Label::named(format!("M({},{})", r + 1, s + 1)), *e, Phase::Setup);
        }
    }
    for (r, e) in forcing.unwrap_or_default().iter().enumerate() {
        request.output(Label::named(format!("f({})", r + 1)), *e, Phase::Setup);
    }
    Ok(ModelProgram { program: lower(&request)?, inputs, accelerations })
}

/// The program of some entries of a mass matrix, in their order, with less effort than for a program that runs at every step. Most
/// entries are zero where bodies are many.
pub fn mass_entries_program(
    model: &Model,
    mass: &[Vec<Expr>],
    entries: &[(usize, usize)],
) -> Result<ModelProgram, LowerError> {
    let (mut request, inputs, accelerations) =
        with_accelerations(model, &format!("mass matrix of {}", model.name));
    request.effort = Effort::Plain;
    for (r, s) in entries {
        request.output(Label::named(format!("M({},{})", r + 1, s + 1)), mass[*r][*s], Phase::Setup);
    }
    Ok(ModelProgram { program: lower(&request)?, inputs, accelerations })
}

/// The outputs of a model in a motion that is given: u̇ and the multipliers of all constraint rows are inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenMotionProgram {
    /// The outputs with the inputs that all programs share and u̇.
    pub outputs: ModelProgram,
    /// Where the multipliers are in the input vector, by constraint and row.
    pub multipliers: std::ops::Range<usize>,
}

/// The program of a model's outputs in a given motion. `reactions` are what the unknowns of the joints' reactions are, in terms of
/// u̇ and multipliers.
pub fn given_motion_program(
    model: &Model,
    reactions: &[(Expr, Expr)],
) -> Result<GivenMotionProgram, LowerError> {
    let name = format!("outputs of {} in a given motion", model.name);
    let (mut request, inputs, accelerations) = with_accelerations(model, &name);
    for (_, c) in model.constraints.iter() {
        for (row, symbol) in c.multipliers.iter().enumerate() {
            request.input(*symbol, Label::named(format!("lambda({}, {})", c.name, row + 1)), Phase::Motion);
        }
    }
    let multipliers = accelerations.end..request.inputs.len();
    request.effort = Effort::Little;
    request.given.extend(reactions.iter().copied());
    for output in &model.outputs {
        request.output(label(&output.quantity), output.value, Phase::Setup);
    }
    let outputs = ModelProgram { program: lower(&request)?, inputs, accelerations };
    Ok(GivenMotionProgram { outputs, multipliers })
}

/// The program of any expressions of parameters, t, q, u, s, u̇ and of unknowns that follow u̇ in the input vector.
pub fn measured_program(
    model: &Model,
    name: &str,
    unknowns: &[Expr],
    named: impl IntoIterator<Item = (Label, Expr)>,
) -> Result<GivenMotionProgram, LowerError> {
    let (mut request, inputs, accelerations) = with_accelerations(model, name);
    for (k, symbol) in unknowns.iter().enumerate() {
        request.input(*symbol, Label::named(format!("unknown({})", k + 1)), Phase::Motion);
    }
    let multipliers = accelerations.end..request.inputs.len();
    request.effort = Effort::Little;
    for (label, e) in named {
        request.output(label, e, Phase::Setup);
    }
    let outputs = ModelProgram { program: lower(&request)?, inputs, accelerations };
    Ok(GivenMotionProgram { outputs, multipliers })
}

/// The program of any expressions of parameters, t, q, u, s and u̇.
pub fn expressions_program(
    model: &Model,
    name: &str,
    named: impl IntoIterator<Item = (Label, Expr)>,
) -> Result<ModelProgram, LowerError> {
    unknowns_program(model, name, &[], named)
}

/// The program of any expressions of parameters, t, q, u, s, u̇ and of unknowns that are `given` in terms of these.
pub fn unknowns_program(
    model: &Model,
    name: &str,
    given: &[(Expr, Expr)],
    named: impl IntoIterator<Item = (Label, Expr)>,
) -> Result<ModelProgram, LowerError> {
    let (mut request, inputs, accelerations) = with_accelerations(model, name);
    request.given.extend(given.iter().copied());
    for (label, e) in named {
        request.output(label, e, Phase::Setup);
    }
    Ok(ModelProgram { program: lower(&request)?, inputs, accelerations })
}

/// A request with the inputs that all programs share and u̇.
fn with_accelerations<'m>(
    model: &'m Model,
    name: &str,
) -> (Request<'m>, InputLayout, std::ops::Range<usize>) {
    let mut request = Request::new(name, model.space.pool(), &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    let first = request.inputs.len();
    for (_, u) in model.speeds.iter() {
        let mut label = label(&u.quantity);
        label.unit = (u.quantity.dimension / Dimension::TIME).to_string();
        label.name = format!("der({})", u.quantity.name);
        request.input(u.rate, label, Phase::Motion);
    }
    let accelerations = first..request.inputs.len();
    (request, inputs, accelerations)
}
