//! Four states at once: the engine for ensembles, sweeps and samples.
//!
//! Each place of the engine's memory holds four numbers, one per lane, and one instruction treats them all.
//! Every lane repeats the interpreter bit for bit.

use cardan_program::{EvalError, Execute, Host, Program, Stages, Unbound};

use crate::engine::Backend;
use crate::tape::Tape;
#[cfg(target_arch = "x86_64")]
use crate::{assembler::Width, machine::Machine};

/// How many states are treated at once.
pub const LANES: usize = 4;

/// A program ready to run on [`LANES`] states at once. Copies share the code and have memories of their own.
#[derive(Clone, Debug)]
pub struct Batch {
    inner: Inner,
}

#[derive(Clone, Debug)]
enum Inner {
    #[cfg(target_arch = "x86_64")]
    Native(Machine),
    Portable(Box<[Tape; LANES]>),
}

impl Batch {
    /// Compiles a program that calls no host functions.
    pub fn compile(program: &Program) -> Result<Batch, Unbound> {
        Batch::with_host(program, &Host::new())
    }

    /// Compiles a program whose host functions are looked up in `host`. Without AVX2 and FMA each lane runs
    /// on the portable engine.
    pub fn with_host(program: &Program, host: &Host) -> Result<Batch, Unbound> {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = Machine::compile(program, host, Width::Four)? {
            return Ok(Batch { inner: Inner::Native(machine) });
        }
        let tape = Tape::new(program, host)?;
        Ok(Batch { inner: Inner::Portable(Box::new(std::array::from_fn(|_| tape.clone()))) })
    }

    /// How the program is run.
    pub fn backend(&self) -> Backend {
        match &self.inner {
            #[cfg(target_arch = "x86_64")]
            Inner::Native(_) => Backend::Native,
            Inner::Portable(_) => Backend::Portable,
        }
    }

    /// The machine code, and where the function of each stage begins in it; both are empty if there is none.
    pub fn code(&self) -> (&[u8], &[usize]) {
        match &self.inner {
            #[cfg(target_arch = "x86_64")]
            Inner::Native(machine) => machine.code(),
            Inner::Portable(_) => (&[], &[]),
        }
    }

    /// Length of the input vector.
    pub fn n_inputs(&self) -> usize {
        match &self.inner {
            #[cfg(target_arch = "x86_64")]
            Inner::Native(machine) => machine.n_inputs(),
            Inner::Portable(lanes) => lanes[0].n_inputs(),
        }
    }

    /// Length of the output vector.
    pub fn n_outputs(&self) -> usize {
        match &self.inner {
            #[cfg(target_arch = "x86_64")]
            Inner::Native(machine) => machine.n_outputs(),
            Inner::Portable(lanes) => lanes[0].n_outputs(),
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
            #[cfg(target_arch = "x86_64")]
            Inner::Native(machine) => machine.run(stages, inputs.as_flattened(), outputs.as_flattened_mut()),
            Inner::Portable(lanes) => {
                let mut result = Ok(());
                for (lane, tape) in lanes.iter_mut().enumerate() {
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
