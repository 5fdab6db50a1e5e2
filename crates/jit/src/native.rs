//! Machine code of whichever kind this processor runs best.
//!
//! On x86-64 with AVX and FMA it comes from `translate`, elsewhere on x86-64 and on AArch64 from `scalar_isa`. On other architectures there
//! is none.

use cardan_program::{EvalError, Host, Program, Stages, Unbound};

use crate::engine::Packing;

#[cfg(target_arch = "x86_64")]
use crate::code_context::Surroundings;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::machine::Machine;
use crate::scalar_isa;
#[cfg(target_arch = "x86_64")]
use crate::x86::width::Width;

/// Which instructions may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Instructions {
    /// All that this processor has.
    #[default]
    All,
    /// Those that every processor of the architecture has: SSE2 on x86-64, NEON on AArch64.
    Baseline,
}

/// How many states one instruction treats at most; 1 if there is no vector code.
pub(crate) fn lanes() -> usize {
    #[cfg(target_arch = "x86_64")]
    if let Some(width) = Width::OF_LANES.into_iter().find(|width| width.is_supported()) {
        return width.lanes();
    }
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 2 } else { 1 }
}

/// Machine code that is ready to run. Copies share the code and have memories of their own.
#[derive(Clone, Debug)]
pub(crate) enum Native {
    #[cfg(target_arch = "x86_64")]
    Wide(Machine<Surroundings>),
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Plain(Machine<scalar_isa::Outside>),
}

/// Asks the machine code, of whatever kind.
macro_rules! ask {
    ($native:expr, $machine:ident => $answer:expr) => {
        match $native {
            #[cfg(target_arch = "x86_64")]
            Native::Wide($machine) => $answer,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Native::Plain($machine) => $answer,
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            _ => unreachable!("there is no machine code on this architecture"),
        }
    };
}

impl Native {
    /// Compiles all stages for so many lanes. `None` if there are no instructions for that number, or the system refuses executable
    /// memory.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "there is no choice"))]
    pub(crate) fn compile(
        program: &Program,
        host: &Host,
        lanes: usize,
        instructions: Instructions,
        packing: Packing,
    ) -> Result<Option<Native>, Unbound> {
        #[cfg(target_arch = "x86_64")]
        if instructions == Instructions::All {
            let width = if lanes == 1 { Some(Width::Scalar) } else { Width::of(lanes) };
            if let Some(width) = width
                && let Some(machine) = Machine::<Surroundings>::compile(program, host, width, packing)?
            {
                return Ok(Some(Native::Wide(machine)));
            }
        }
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        return Ok(Machine::<scalar_isa::Outside>::compile(program, host, lanes)?.map(Native::Plain));
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        Ok(None)
    }

    /// The machine code, and where the function of each stage begins in it.
    pub(crate) fn code(&self) -> (&[u8], &[usize]) {
        ask!(self, machine => machine.code())
    }

    /// Length of the input vector for one lane.
    pub(crate) fn n_inputs(&self) -> usize {
        ask!(self, machine => machine.n_inputs())
    }

    /// Length of the output vector for one lane.
    pub(crate) fn n_outputs(&self) -> usize {
        ask!(self, machine => machine.n_outputs())
    }

    /// Runs stages on vectors in which the lanes of each number stand side by side.
    #[inline]
    pub(crate) fn run(
        &mut self,
        stages: Stages,
        inputs: &[f64],
        outputs: &mut [f64],
    ) -> Result<(), EvalError> {
        ask!(self, machine => machine.run(stages, inputs, outputs))
    }
}
