//! What machine code refers to besides numbers, and what a run leaves behind.

use std::any::Any;
use std::panic::resume_unwind;

use cardan_base::{Arena, Id};
use cardan_program::{
    Curve, CurveId, EvalError, FunctionId, Host, HostFunction, Program, Surface, SurfaceId, Unbound, ValueId,
};

/// Tables and functions. Each stays at its address as long as the arenas live, wherever these are moved: code may refer to it.
pub(crate) struct Surroundings {
    pub(crate) curves: Arena<CurveId, Curve>,
    pub(crate) surfaces: Arena<SurfaceId, Surface>,
    pub(crate) functions: Arena<FunctionId, HostFunction>,
}

impl Surroundings {
    /// Those of a program.
    pub(crate) fn new(program: &Program, host: &Host) -> Result<Surroundings, Unbound> {
        let functions = host.resolve(program)?;
        Ok(Surroundings { curves: program.curves().clone(), surfaces: program.surfaces().clone(), functions })
    }
}

impl std::fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings").finish_non_exhaustive()
    }
}

/// What a run leaves behind besides numbers.
#[derive(Default)]
pub(crate) struct Status {
    /// Index of the first system with numbers that are not finite.
    pub(crate) not_finite: Option<u32>,
    /// A panic of a host function, to be continued when the machine code has returned.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

impl Status {
    /// How the run ended. Continues a panic.
    #[inline]
    pub(crate) fn outcome(self) -> Result<(), EvalError> {
        match self {
            Status { not_finite: None, panic: None } => Ok(()),
            failed => failed.failure(),
        }
    }

    #[cold]
    fn failure(self) -> Result<(), EvalError> {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
        match self.not_finite {
            Some(index) => Err(EvalError::NotFinite { solve: ValueId::from_index(index as usize) }),
            None => Ok(()),
        }
    }
}
