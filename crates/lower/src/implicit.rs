//! The parts of equations in implicit form as numbers.

use std::ops::Range;

use cardan_equations::ImplicitForm;
use cardan_expr::Expr;
use cardan_model::Model;
use cardan_program::{Label, Program};

use crate::inputs::{InputLayout, add_inputs};
use crate::{LowerError, Phase, Request, lower};

/// The parts of an [`ImplicitForm`], as positions in the output vector.
#[derive(Clone, PartialEq, Debug)]
pub struct ImplicitProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// Its inputs: those of the simulation program.
    pub inputs: InputLayout,
    /// The decay rate of constraint errors, as a position in the input vector: the last one.
    pub decay_rate: usize,
    /// The lower triangle of M by rows.
    pub mass: Range<usize>,
    /// f.
    pub forcing: Range<usize>,
    /// Per row of G the columns that are not zero: speed and output.
    pub jacobian: Vec<Vec<(usize, usize)>>,
    /// γ.
    pub gamma: Range<usize>,
    /// Baumgarte's terms.
    pub stabilisation: Range<usize>,
    /// v.
    pub velocities: Range<usize>,
    /// Per row g; nothing for a nonholonomic row.
    pub positions: Vec<Option<usize>>,
    /// Per coordinate the entries of W that are not zero: speed and output.
    pub rates: Vec<Vec<(usize, usize)>>,
}

/// The program of an implicit form.
pub fn implicit_program(model: &Model, form: &ImplicitForm) -> Result<ImplicitProgram, LowerError> {
    let mut request =
        Request::new(format!("implicit equations of {}", model.name), model.space.pool(), &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    let decay_rate = request.input(form.decay_rate, Label::named("decay rate"), Phase::Time);
    let mut ask = |what: &str, list: &[Expr], phase: Phase| {
        let first = request.outputs.len();
        for (k, e) in list.iter().enumerate() {
            request.output(Label::named(format!("{what}{}", k + 1)), *e, phase);
        }
        first..request.outputs.len()
    };
    let mass = ask("m", &form.mass, Phase::Position);
    let forcing = ask("f", &form.forcing, Phase::Motion);
    let gamma = ask("gamma", &form.gamma, Phase::Motion);
    let stabilisation = ask("stabilisation", &form.stabilisation, Phase::Motion);
    let velocities = ask("v", &form.velocities, Phase::Motion);
    let mut sparse = |what: &str, entries: &Vec<(usize, Expr)>| -> Vec<(usize, usize)> {
        let (speeds, list): (Vec<usize>, Vec<Expr>) = entries.iter().copied().unzip();
        speeds.into_iter().zip(ask(what, &list, Phase::Position)).collect()
    };
    let jacobian = form.jacobian.iter().map(|row| sparse("g", row)).collect();
    let rates = form.rates.iter().map(|row| sparse("w", row)).collect();
    let positions = form
        .positions
        .iter()
        .map(|g| g.map(|g| request.output(Label::named("g"), g, Phase::Position)))
        .collect();
    let program = lower(&request)?;
    Ok(ImplicitProgram {
        program,
        inputs,
        decay_rate,
        mass,
        forcing,
        jacobian,
        gamma,
        stabilisation,
        velocities,
        positions,
        rates,
    })
}
