//! The exact Jacobian of the state's derivative.

pub(crate) mod jacobian_columns;
pub(crate) mod mass_inverse;
pub mod structural_jacobian;

use cardan_base::Id;
use cardan_program::derive::{self, DeriveError, Jacobian};
use cardan_program::{InputId, Math, OutputId, passes};

use crate::SimulationProgram;

/// ∂(d/dt [q; u; s]) / ∂[q; u; s], only the entries that can be different from zero.
pub fn state_jacobian(simulation: &SimulationProgram) -> Result<Jacobian, DeriveError> {
    jacobian(simulation, &simulation.layout.inputs.state_inputs())
}

/// ∂(d/dt [q; u; s]) / ∂ of any inputs: parameters for sensitivities, time for implicit methods.
pub fn jacobian(
    simulation: &SimulationProgram,
    with_respect_to: &[InputId],
) -> Result<Jacobian, DeriveError> {
    let rates: Vec<OutputId> = simulation.layout.derivatives.clone().map(OutputId::from_index).collect();
    let options = derive::Options { math: Math::Finite, ..derive::Options::default() };
    let jacobian = derive::jacobian_with(&simulation.program, &rates, with_respect_to, options)?;
    let options = passes::Options { math: Math::Finite, fuse: false };
    Ok(Jacobian { program: passes::optimize(&jacobian.program, options), ..jacobian })
}
