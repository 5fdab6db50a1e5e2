//! Several states at once: the engine for ensembles, sweeps and samples.
//!
//! Each place of the engine's memory holds as many numbers as there are lanes, and one instruction treats them all: eight with
//! AVX-512, four with AVX2, two with any other x86-64 processor and with NEON. [`lanes`] says what this processor does best. Of
//! other widths, and on other architectures, the portable engine runs lane after lane. Every lane repeats the interpreter bit for
//! bit, whatever the width.

use cardan_program::{EvalError, Execute, Host, Program, Stages, Unbound};

use crate::engine::{Backend, Packing};
use crate::native::{self, Instructions, Native};
use crate::portable::Tape;

/// How many states one instruction treats at most on this machine: 8, 4 or 2; 1 if there is no vector code.
pub fn lanes() -> usize {
    native::lanes()
}

/// A program ready to run on `LANES` states at once. Copies share the code and have memories of their own.
#[derive(Clone, Debug)]
pub struct Batch<const LANES: usize> {
    inner: Inner,
}

#[derive(Clone, Debug)]
enum Inner {
    Native(Native),
    /// One for each lane.
    Portable(Vec<Tape>),
}

/// A batch whose number of lanes is known when it runs.
#[derive(Clone, Debug)]
pub enum Vectors {
    /// Two lanes.
    Two(Batch<2>),
    /// Four lanes.
    Four(Batch<4>),
    /// Eight lanes.
    Eight(Batch<8>),
}

impl Vectors {
    /// A program for 8, 4 or 2 states at a time; nothing for other numbers, or if a function is missing in `host`.
    pub fn new(program: &Program, host: &Host, lanes: usize) -> Option<Vectors> {
        match lanes {
            2 => Batch::with_host(program, host).ok().map(Vectors::Two),
            4 => Batch::with_host(program, host).ok().map(Vectors::Four),
            8 => Batch::with_host(program, host).ok().map(Vectors::Eight),
            _ => None,
        }
    }

    /// How many states run at a time.
    pub fn lanes(&self) -> usize {
        match self {
            Vectors::Two(_) => 2,
            Vectors::Four(_) => 4,
            Vectors::Eight(_) => 8,
        }
    }
}

impl<const LANES: usize> Batch<LANES> {
    /// Compiles a program that calls no host functions.
    pub fn compile(program: &Program) -> Result<Self, Unbound> {
        Batch::with_host(program, &Host::new())
    }

    /// Compiles a program whose host functions are looked up in `host`. If this processor has no instructions for so many lanes,
    /// each runs on the portable engine.
    pub fn with_host(program: &Program, host: &Host) -> Result<Self, Unbound> {
        Batch::with_instructions(program, host, Instructions::All)
    }

    /// The same with a choice of instructions.
    pub fn with_instructions(
        program: &Program,
        host: &Host,
        instructions: Instructions,
    ) -> Result<Self, Unbound> {
        // One lane is an engine's affair.
        if LANES > 1
            && let Some(native) = Native::compile(program, host, LANES, instructions, Packing::Never)?
        {
            return Ok(Batch { inner: Inner::Native(native) });
        }
        let tape = Tape::new(program, host)?;
        Ok(Batch { inner: Inner::Portable(vec![tape; LANES]) })
    }

    /// How the program is run.
    pub fn backend(&self) -> Backend {
        match &self.inner {
            Inner::Native(_) => Backend::Native,
            Inner::Portable(_) => Backend::Portable,
        }
    }

    /// The machine code, and where the function of each stage begins in it; both are empty if there is none.
    pub fn code(&self) -> (&[u8], &[usize]) {
        match &self.inner {
            Inner::Native(machine) => machine.code(),
            Inner::Portable(_) => (&[], &[]),
        }
    }

    /// Length of the input vector.
    pub fn n_inputs(&self) -> usize {
        match &self.inner {
            Inner::Native(machine) => machine.n_inputs(),
            Inner::Portable(tapes) => tapes.first().map_or(0, Tape::n_inputs),
        }
    }

    /// Length of the output vector.
    pub fn n_outputs(&self) -> usize {
        match &self.inner {
            Inner::Native(machine) => machine.n_outputs(),
            Inner::Portable(tapes) => tapes.first().map_or(0, Tape::n_outputs),
        }
    }

    /// Runs a range of stages on all lanes; `inputs[k][lane]` is input `k` of that lane. As with
    /// [`Execute::run`], a system with numbers that are not finite in any lane makes that lane's unknowns NaN and is reported at the
    /// end.
    pub fn run(
        &mut self,
        stages: Stages,
        inputs: &[[f64; LANES]],
        outputs: &mut [[f64; LANES]],
    ) -> Result<(), EvalError> {
        match &mut self.inner {
            Inner::Native(machine) => machine.run(stages, inputs.as_flattened(), outputs.as_flattened_mut()),
            Inner::Portable(tapes) => {
                let mut result = Ok(());
                for (lane, tape) in tapes.iter_mut().enumerate() {
                    let own_inputs: Vec<f64> = inputs.iter().map(|row| row[lane]).collect();
                    let mut own_outputs: Vec<f64> = outputs.iter().map(|row| row[lane]).collect();
                    result = result.and(tape.run(stages, &own_inputs, &mut own_outputs));
                    outputs.iter_mut().zip(own_outputs).for_each(|(row, x)| row[lane] = x);
                }
                result
            }
        }
    }
}
