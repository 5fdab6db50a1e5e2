//! What every engine can do: run stages of a program on numbers.

use std::fmt;
use std::sync::Arc;

use cardan_base::{Arena, Id, Map};

use crate::op::{FunctionId, ValueId};
use crate::program::{Function, Program, Stages};

/// An engine for one program. It owns the memory that lives between stages.
pub trait Execute {
    /// Runs a contiguous range of stages, in order. `inputs` and `outputs` are the program's full flat
    /// vectors; only outputs of stages in the range are written.
    ///
    /// A system with numbers that are not finite makes its unknowns NaN; the run goes on to the end, so that all outputs are
    /// defined, and then reports the first such system.
    fn run(&mut self, stages: Stages, inputs: &[f64], outputs: &mut [f64]) -> Result<(), EvalError>;
    /// Length of the input vector.
    fn n_inputs(&self) -> usize;
    /// Length of the output vector.
    fn n_outputs(&self) -> usize;
}

/// Why a run failed.
#[derive(Clone, PartialEq, Debug)]
pub enum EvalError {
    /// The input vector has the wrong length.
    WrongInputs {
        /// Length expected.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// The output vector has the wrong length.
    WrongOutputs {
        /// Length expected.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// The range names a stage that the program does not have, or runs backwards.
    NoSuchStages(Stages),
    /// A linear system has no unique solution.
    NotFinite {
        /// The `Solve` in question.
        solve: ValueId,
    },
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::WrongInputs { expected, found } => {
                write!(f, "the program takes {expected} inputs, but was given {found}")
            }
            EvalError::WrongOutputs { expected, found } => {
                write!(f, "the program delivers {expected} outputs, but was given room for {found}")
            }
            EvalError::NoSuchStages(stages) => {
                write!(f, "the program has no stages {:?} to {:?}", stages.first, stages.last)
            }
            EvalError::NotFinite { solve } => {
                write!(f, "the linear system {solve:?} contains numbers that are not finite")
            }
        }
    }
}

impl std::error::Error for EvalError {}

/// Refuses vectors and stage ranges that do not fit the program.
pub fn check_run(
    n_stages: usize,
    stages: Stages,
    expected: (usize, usize),
    found: (usize, usize),
) -> Result<(), EvalError> {
    if stages.first > stages.last || stages.last.index() >= n_stages {
        Err(EvalError::NoSuchStages(stages))
    } else if expected.0 != found.0 {
        Err(EvalError::WrongInputs { expected: expected.0, found: found.0 })
    } else if expected.1 != found.1 {
        Err(EvalError::WrongOutputs { expected: expected.1, found: found.1 })
    } else {
        Ok(())
    }
}

/// A function of the host.
pub type HostFunction = Arc<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// The functions that a host provides, by name.
#[derive(Clone, Default)]
pub struct Host {
    functions: Map<String, HostFunction>,
}

impl Host {
    /// No functions.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds or replaces a function. It must be pure: equal arguments, equal results.
    pub fn bind(
        &mut self,
        name: impl Into<String>,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) {
        self.functions.insert(name.into(), Arc::new(function));
    }
    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<&HostFunction> {
        self.functions.get(name)
    }
    /// The functions that a program needs, in the order of its declarations.
    pub fn resolve(&self, program: &Program) -> Result<Arena<FunctionId, HostFunction>, Unbound> {
        let find = |f: &Function| self.get(&f.name).cloned().ok_or_else(|| Unbound { name: f.name.clone() });
        program.functions().iter().map(|(_, f)| find(f)).collect::<Result<Vec<_>, _>>().map(Arena::from_iter)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&String> = self.functions.keys().collect();
        names.sort();
        f.debug_set().entries(names).finish()
    }
}

/// A function that the program calls and the host does not provide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unbound {
    /// Its name.
    pub name: String,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the function `{}` is not provided", self.name)
    }
}

impl std::error::Error for Unbound {}
