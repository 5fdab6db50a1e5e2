//! What friction holds in a single state, for questions that are asked of a state and not of a motion.
//!
//! ```text
//! [stuck]      ẏ = f⁻ + Σ α_i d_i with α as where a motion begins here (`switching::filippov`)
//! ```

use cardan_program::{Host, Program};
use cardan_solve::Failure;

use crate::nonsmooth::{Compiled, Modes, Shown};
use cardan_compile::Plan;
use cardan_jit::EngineKind;

/// A state at which something sticks.
#[derive(Clone, PartialEq, Debug)]
pub struct Hold {
    /// What sticks, as equations: `der(x) = 0`.
    pub surfaces: Vec<String>,
    /// Time derivatives of the states. [stuck]
    pub rates: Vec<f64>,
    /// The outputs of the model.
    pub outputs: Vec<f64>,
}

/// A surface that a motion reaches within this time is one that it is on, in the measure of `switching::holding`.
const SPAN: f64 = 1.0;

impl Hold {
    /// What sticks at a state of a simulation program whose other inputs are given; nothing where nothing does.
    pub fn at(
        (program, plan, host): (&Program, &Plan, &Host),
        inputs: &[f64],
        t: f64,
        state: &[f64],
    ) -> Result<Option<Hold>, Failure> {
        let Some(compiled) = Compiled::new(program, plan, EngineKind::Native, host) else { return Ok(None) };
        let mut modes = Modes::new(&compiled, plan, inputs, (t, SPAN, SPAN))?;
        modes.may_slide(Shown::default());
        let mut y = state.to_vec();
        modes.enter(t, t, &mut y)?;
        let surfaces = modes.sticking();
        let mut outputs = vec![0.0; program.outputs().len()];
        if surfaces.is_empty() || !modes.report(t, &y, &mut outputs)? {
            return Ok(None);
        }
        let mut rates = vec![0.0; plan.states.len()];
        modes.rates(t, &y, &mut rates)?;
        let outputs = plan.outputs.iter().map(|(_, place)| outputs[*place]).collect();
        Ok(Some(Hold { surfaces, rates, outputs }))
    }
}
