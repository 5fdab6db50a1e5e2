//! Compiled code with its own memory, whichever translator made it.

use std::sync::Arc;

use cardan_base::Id;
use cardan_program::execute::check_run;
use cardan_program::{EvalError, Program, Stages};

use crate::allocation::layout::Layout;
use crate::allocation::work_memory::Numbers;
use crate::memory::Code;

/// What all copies of an engine share.
#[derive(Debug)]
pub(crate) struct Compiled<S> {
    pub(crate) code: Code,
    /// Where the function of each stage begins.
    pub(crate) entries: Vec<usize>,
    n_inputs: usize,
    n_outputs: usize,
    /// Lengths of the vectors with all lanes.
    lengths: (usize, usize),
    pub(crate) lanes: usize,
    /// What the code refers to; never moved or changed.
    pub(crate) surroundings: S,
}

/// Machine code that is ready to run, with surroundings of some kind. Copies share the code and have memories of their own.
#[derive(Debug)]
pub(crate) struct Machine<S> {
    pub(crate) compiled: Arc<Compiled<S>>,
    pub(crate) memory: Numbers,
}

impl<S> Clone for Machine<S> {
    fn clone(&self) -> Self {
        Machine { compiled: self.compiled.clone(), memory: self.memory.clone() }
    }
}

impl<S> Machine<S> {
    /// Seals code for so many lanes. `None` if the system refuses executable memory.
    pub(crate) fn seal(
        program: &Program,
        lanes: usize,
        code: &[u8],
        entries: Vec<usize>,
        layout: &Layout,
        surroundings: S,
    ) -> Option<Machine<S>> {
        let code = Code::seal(code).ok()?;
        let (n_inputs, n_outputs) = (program.inputs().len(), program.outputs().len());
        let lengths = (n_inputs * lanes, n_outputs * lanes);
        let compiled = Compiled { code, entries, n_inputs, n_outputs, lengths, lanes, surroundings };
        Some(Machine { compiled: Arc::new(compiled), memory: layout.memory(lanes) })
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
}

impl<S> Compiled<S> {
    /// Whether these stages can be run on these vectors, in which the lanes of each number stand side by side.
    #[inline]
    pub(crate) fn check(&self, stages: Stages, inputs: &[f64], outputs: &[f64]) -> Result<(), EvalError> {
        let stages_fit = stages.first <= stages.last && stages.last.index() < self.entries.len();
        if stages_fit && (inputs.len(), outputs.len()) == self.lengths {
            return Ok(());
        }
        self.refuse(stages, inputs.len(), outputs.len())
    }

    /// What does not fit.
    #[cold]
    fn refuse(&self, stages: Stages, n_inputs: usize, n_outputs: usize) -> Result<(), EvalError> {
        let expected = (self.n_inputs, self.n_outputs);
        let found = (n_inputs.div_ceil(self.lanes), n_outputs.div_ceil(self.lanes));
        check_run(self.entries.len(), stages, expected, found)?;
        // Lanes are missing from the last number.
        Err(EvalError::WrongInputs { expected: expected.0, found: found.0 })
    }
}
