//! The program of equations in residual form.

use std::ops::Range;

use cardan_equations::ResidualForm;
use cardan_model::Model;
use cardan_program::{Label, Program};

use crate::inputs::{InputLayout, add_inputs};
use crate::{LowerError, Phase, Request, lower};

/// The rows of B ẏ = F(t, y), and where they are in the vectors of their program.
#[derive(Clone, PartialEq, Debug)]
pub struct ResidualProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// The inputs that it shares with a simulation program.
    pub inputs: InputLayout,
    /// The algebraic variables, as positions in the input vector.
    pub unknowns: Range<usize>,
    /// The index of each algebraic variable.
    pub indices: Vec<u8>,
    /// The rows: derivatives of the differential variables, then residuals.
    pub equations: Range<usize>,
    /// The values of the algebraic variables that belong to a state, in the stage `report`; those beyond are zero.
    pub settled: Range<usize>,
}

/// The program of a residual form.
pub fn residual_program(model: &Model, form: &ResidualForm) -> Result<ResidualProgram, LowerError> {
    let name = format!("residual equations of {}", model.name);
    let mut request = Request::new(name, model.space.pool(), &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    let first = request.inputs.len();
    for variable in form.algebraic() {
        if let Some(symbol) = variable.symbol {
            request.input(symbol, Label::named(variable.name(model)), Phase::Motion);
        }
    }
    let unknowns = first..request.inputs.len();
    for (k, e) in form.rows.iter().enumerate() {
        request.output(Label::named(format!("f{}", k + 1)), *e, Phase::Motion);
    }
    let equations = 0..form.rows.len();
    for (k, e) in form.consistent.iter().enumerate() {
        request.output(Label::named(format!("settled{}", k + 1)), *e, Phase::Report);
    }
    let settled = equations.end..request.outputs.len();
    let indices = form.algebraic().iter().filter_map(|v| v.role.index()).collect();
    Ok(ResidualProgram { program: lower(&request)?, inputs, unknowns, indices, equations, settled })
}
