//! The programs of a mechanism whose loops close in closed form.
//!
//! ```text
//! motion     d/dt of the independent states and the powers of loads, with the squares of the margins of the dyads
//! settle     the dependent coordinates and speeds, then the same squares
//! sides      per dyad two vectors that tell its margin and its branch, from all coordinates
//! ```
//!
//! Their inputs are those of the simulation program. In place of a dependent coordinate they take a value near which it is meant; the
//! dependent speeds are not looked at. The branches follow after the others.

use std::ops::Range;

use cardan_equations::minimal_form::ClosedEquations;
use cardan_expr::{Expr, Kind};
use cardan_model::{ConstraintId, Model};
use cardan_program::{Label, Program};

use crate::inputs::{InputLayout, add_inputs};
use crate::{Effort, LowerError, Phase, Request, lower};

/// The programs and where everything is in their vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct ClosedProgram {
    /// Derivatives, powers, squares of margins.
    pub motion: Program,
    /// Dependent coordinates and speeds, squares of margins.
    pub settle: Program,
    /// Per dyad the two vectors of its margin; its inputs are those of the simulation program alone.
    pub sides: Program,
    /// The inputs that they share with a simulation program.
    pub inputs: InputLayout,
    /// The branches, as positions in the input vector.
    pub branches: Range<usize>,
    /// The independent states, as places among all states.
    pub independent: Vec<usize>,
    /// The states that `settle` gives, as places among all states.
    pub dependent: Vec<usize>,
    /// How many of the dependent states are coordinates: they come first.
    pub n_dependent_coordinates: usize,
    /// Outputs of `motion`: the derivatives of the independent states.
    pub derivatives: Range<usize>,
    /// Outputs of `motion`: the powers, as in the simulation program.
    pub powers: Range<usize>,
    /// Outputs of `motion`: the squares of the margins.
    pub margins: Range<usize>,
    /// Per dyad the constraint that it closes.
    pub dyads: Vec<ConstraintId>,
}

/// The programs of equations in closed form.
pub fn closed_program(model: &Model, mut found: ClosedEquations) -> Result<ClosedProgram, LowerError> {
    let form = found.minimal_form(model);
    let closed = &found.closed;
    let mut request = asked(model, "motion", &found);
    request.given.extend(form.solved.iter().copied());
    let ask = |request: &mut Request<'_>, what: &str, list: &[Expr]| {
        let first = request.outputs.len();
        for (k, e) in list.iter().enumerate() {
            request.output(Label::named(format!("{what}{}", k + 1)), *e, Phase::Motion);
        }
        first..request.outputs.len()
    };
    let derivatives = ask(&mut request, "rate", &form.rates);
    let powers = ask(&mut request, "power", &form.powers);
    let margins = ask(&mut request, "margin", &form.margins);
    let motion = lower(&request)?;

    let mut request = asked(model, "dependent states", &found);
    request.effort = Effort::Little;
    ask(&mut request, "dependent", &form.dependent_values);
    ask(&mut request, "margin", &closed.margins);
    let settle = lower(&request)?;

    let mut request = Request::new(format!("branches of {}", model.name), model.space.pool(), &model.tables);
    request.effort = Effort::Plain;
    let inputs = add_inputs(&mut request, model, &[]);
    let first = request.inputs.len();
    for part in closed.sides.iter().flatten().flatten() {
        request.output(Label::named("side"), *part, Phase::Position);
    }
    let sides = lower(&request)?;
    Ok(ClosedProgram {
        motion,
        settle,
        sides,
        inputs,
        branches: first..first + closed.branches.len(),
        independent: form.independent,
        n_dependent_coordinates: closed.dependent.len(),
        dependent: form.dependent,
        derivatives,
        powers,
        margins,
        dyads: closed.dyads.clone(),
    })
}

/// A request with the inputs of these programs.
fn asked<'m>(model: &'m Model, what: &str, found: &ClosedEquations) -> Request<'m> {
    let pool = model.space.pool();
    let mut request = Request::new(format!("{what} of {}", model.name), pool, &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    // A pool may know what does not depend on a symbol in a form that contains it: any value will do there.
    let mut stands = |place: usize, symbol: Expr| {
        let input = &mut request.inputs[place];
        request.given.insert(input.0, symbol);
        (input.0, input.2) = (symbol, Phase::Time);
    };
    for (k, anchor) in found.closed.dependent.iter().zip(&found.closed.anchors) {
        stands(inputs.coordinates.start + k, *anchor);
    }
    for k in &found.dependent_speeds {
        stands(inputs.speeds.start + k, pool.symbol("not looked at", Kind::State));
    }
    for (k, branch) in found.closed.branches.iter().enumerate() {
        request.input(*branch, Label::named(format!("branch{}", k + 1)), Phase::Time);
    }
    request
}
