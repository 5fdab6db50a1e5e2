//! Compiled code with its own memory.

use std::panic::resume_unwind;
use std::sync::Arc;

use cardan_base::Id;
use cardan_program::execute::check_run;
use cardan_program::{EvalError, Host, Program, Stages, Unbound, ValueId};

use super::calls::{Context, Entry, Surroundings};
use super::translate::translate;
use crate::memory::Code;
use crate::numbers::Numbers;

/// The instruction set of this machine.
#[cfg(target_arch = "aarch64")]
type Own = super::neon::Neon;
#[cfg(target_arch = "x86_64")]
type Own = super::sse::Sse;

/// What all copies of an engine share.
#[derive(Debug)]
struct Compiled {
    code: Code,
    entries: Vec<usize>,
    n_inputs: usize,
    n_outputs: usize,
    lanes: usize,
    surroundings: Surroundings,
}

/// Machine code that is ready to run. Copies share the code and have memories of their own.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    compiled: Arc<Compiled>,
    memory: Numbers,
}

impl Machine {
    /// Compiles all stages for so many lanes. `None` if there is no code for that number, or the system refuses executable memory.
    pub(crate) fn compile(program: &Program, host: &Host, lanes: usize) -> Result<Option<Machine>, Unbound> {
        if !matches!(lanes, 1 | 2) {
            return Ok(None);
        }
        let functions = host.resolve(program)?;
        let translation = translate::<Own>(program, lanes);
        let Ok(code) = Code::seal(&translation.code) else {
            return Ok(None);
        };
        let (curves, surfaces) = (program.curves().clone(), program.surfaces().clone());
        let compiled = Compiled {
            code,
            entries: translation.entries,
            n_inputs: program.inputs().len(),
            n_outputs: program.outputs().len(),
            lanes,
            surroundings: Surroundings { sites: translation.sites, curves, surfaces, functions },
        };
        Ok(Some(Machine { compiled: Arc::new(compiled), memory: translation.layout.memory(lanes) }))
    }

    /// The machine code, and where the function of each stage begins in it.
    pub(crate) fn code(&self) -> (&[u8], &[usize]) {
        (self.compiled.code.bytes(), &self.compiled.entries)
    }

    /// Length of the input vector for one lane.
    pub(crate) fn n_inputs(&self) -> usize {
        self.compiled.n_inputs
    }

    /// Length of the output vector for one lane.
    pub(crate) fn n_outputs(&self) -> usize {
        self.compiled.n_outputs
    }

    /// Runs stages on vectors in which the lanes of each number stand side by side.
    pub(crate) fn run(
        &mut self,
        stages: Stages,
        inputs: &[f64],
        outputs: &mut [f64],
    ) -> Result<(), EvalError> {
        let compiled = &*self.compiled;
        let lanes = compiled.lanes;
        let expected = (compiled.n_inputs, compiled.n_outputs);
        let found = (inputs.len() / lanes, outputs.len() / lanes);
        check_run(compiled.entries.len(), stages, expected, found)?;
        let memory = self.memory.as_mut_slice().as_mut_ptr();
        let mut context = Context::new(lanes, &compiled.surroundings);
        for entry in &compiled.entries[stages.first.index()..=stages.last.index()] {
            // SAFETY: the offset is the start of a function that `translate` emitted with this signature, in pages
            // that are sealed and live as long as `compiled`.
            let entry: Entry = unsafe { std::mem::transmute(compiled.code.at(*entry)) };
            // SAFETY: the code reads and writes only places that its layout planned, all inside `memory`; it reads
            // inputs and writes outputs by indices below `n_inputs` and `n_outputs`, the checked lengths; it calls the
            // context's function with this context, sites of its surroundings and parts of `memory` that do not
            // overlap, none of which anybody else uses meanwhile.
            unsafe { entry(memory, outputs.as_mut_ptr(), &raw mut context, inputs.as_ptr()) };
        }
        if let Some(panic) = context.panic {
            resume_unwind(panic);
        }
        match context.not_finite {
            Some(index) => Err(EvalError::NotFinite { solve: ValueId::from_index(index as usize) }),
            None => Ok(()),
        }
    }
}
