//! Execution engine of a program: machine code, a compiled library, or the interpreter that defines
//! its meaning.

use crate::{Backend, Instructions, Loaded, MachineCode};
use cardan_program::{EvalError, Execute, Host, Interpreter, Program, Stages, Unbound};

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineKind {
    /// Machine code where this machine allows it.
    #[default]
    Native,
    /// Machine code of the instructions that every processor of this architecture has, whatever else this one has.
    Baseline,
    /// The interpreter.
    Interpreter,
}

/// A program ready to run. Copies share the code and have memories of their own.
#[derive(Clone, Debug)]
pub struct Engine(Inner);

#[derive(Clone, Debug)]
enum Inner {
    Machine(MachineCode),
    Loaded(Loaded),
    Interpreter(Interpreter),
}

impl Engine {
    /// Prepares a program that calls no functions of the host.
    pub fn new(program: &Program, kind: EngineKind) -> Result<Engine, Unbound> {
        Engine::with_host(program, kind, &Host::new())
    }

    /// Prepares a program whose external functions are looked up in `host`.
    pub fn with_host(program: &Program, kind: EngineKind, host: &Host) -> Result<Engine, Unbound> {
        Ok(Engine(match kind {
            EngineKind::Native => Inner::Machine(MachineCode::with_host(program, host)?),
            EngineKind::Baseline => {
                Inner::Machine(MachineCode::with_instructions(program, host, Instructions::Baseline)?)
            }
            EngineKind::Interpreter => Inner::Interpreter(Interpreter::with_host(program, host)?),
        }))
    }

    /// A program in a library.
    pub fn loaded(library: Loaded) -> Engine {
        Engine(Inner::Loaded(library))
    }

    /// Machine code, compiled C or interpreter: what it came to.
    pub fn name(&self) -> &'static str {
        match &self.0 {
            Inner::Machine(m) if m.backend() == Backend::Native => "machine code",
            Inner::Loaded(_) => "compiled C",
            _ => "interpreter",
        }
    }

    /// Bytes of machine code.
    pub fn code_size(&self) -> usize {
        match &self.0 {
            Inner::Machine(m) => m.code_size(),
            Inner::Loaded(_) | Inner::Interpreter(_) => 0,
        }
    }
}

impl Execute for Engine {
    fn run(&mut self, stages: Stages, inputs: &[f64], outputs: &mut [f64]) -> Result<(), EvalError> {
        match &mut self.0 {
            Inner::Machine(m) => m.run(stages, inputs, outputs),
            Inner::Loaded(l) => l.run(stages, inputs, outputs),
            Inner::Interpreter(i) => i.run(stages, inputs, outputs),
        }
    }
    fn n_inputs(&self) -> usize {
        match &self.0 {
            Inner::Machine(m) => m.n_inputs(),
            Inner::Loaded(l) => l.n_inputs(),
            Inner::Interpreter(i) => i.n_inputs(),
        }
    }
    fn n_outputs(&self) -> usize {
        match &self.0 {
            Inner::Machine(m) => m.n_outputs(),
            Inner::Loaded(l) => l.n_outputs(),
            Inner::Interpreter(i) => i.n_outputs(),
        }
    }
}
