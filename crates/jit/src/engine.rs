//! The engine that runs a program as fast as this machine can.

use cardan_program::{EvalError, Execute, Host, Program, Stages, Unbound};

use crate::native::{Instructions, Native};
use crate::portable::Tape;

/// How a program is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Machine code.
    Native,
    /// Operations sorted into runs of one kind, on any machine.
    Portable,
}

/// Whether operations that are alike share instructions within one evaluation. Results are the same to the last bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Never.
    Never,
    /// In stages where much of the work is alike.
    WhereItPays,
    /// Wherever it can be: for comparisons.
    Always,
}

/// A program ready to run. Copies are cheap: they share the code and have memories of their own, one for each
/// thread.
#[derive(Clone, Debug)]
pub struct MachineCode {
    inner: Inner,
}

#[derive(Clone, Debug)]
enum Inner {
    Native(Native),
    Portable(Tape),
}

impl MachineCode {
    /// Compiles a program that calls no host functions.
    pub fn compile(program: &Program) -> Result<MachineCode, Unbound> {
        MachineCode::with_host(program, &Host::new())
    }

    /// Compiles a program whose host functions are looked up in `host`.
    ///
    /// Machine code needs an x86-64 or AArch64 processor and a system that grants executable memory; otherwise
    /// the engine is the portable one.
    pub fn with_host(program: &Program, host: &Host) -> Result<MachineCode, Unbound> {
        MachineCode::with_instructions(program, host, Instructions::All)
    }

    /// The same with a choice of instructions.
    pub fn with_instructions(
        program: &Program,
        host: &Host,
        instructions: Instructions,
    ) -> Result<MachineCode, Unbound> {
        MachineCode::by(program, host, instructions, Packing::WhereItPays)
    }

    /// The same with a say in what is packed into vector instructions, which needs AVX-512.
    pub fn with_packing(program: &Program, host: &Host, packing: Packing) -> Result<MachineCode, Unbound> {
        MachineCode::by(program, host, Instructions::All, packing)
    }

    fn by(
        program: &Program,
        host: &Host,
        instructions: Instructions,
        packing: Packing,
    ) -> Result<MachineCode, Unbound> {
        match Native::compile(program, host, 1, instructions, packing)? {
            Some(native) => Ok(MachineCode { inner: Inner::Native(native) }),
            None => MachineCode::portable(program, host),
        }
    }

    /// The engine for machines without machine code of ours.
    pub fn portable(program: &Program, host: &Host) -> Result<MachineCode, Unbound> {
        Ok(MachineCode { inner: Inner::Portable(Tape::new(program, host)?) })
    }

    /// How the program is run.
    pub fn backend(&self) -> Backend {
        match &self.inner {
            Inner::Native(_) => Backend::Native,
            Inner::Portable(_) => Backend::Portable,
        }
    }

    /// Bytes of machine code; zero if there is none.
    pub fn code_size(&self) -> usize {
        self.code().0.len()
    }

    /// The machine code, and where the function of each stage begins in it, for disassemblers; both are empty
    /// if there is none.
    pub fn code(&self) -> (&[u8], &[usize]) {
        match &self.inner {
            Inner::Native(machine) => machine.code(),
            Inner::Portable(_) => (&[], &[]),
        }
    }
}

impl Execute for MachineCode {
    fn run(&mut self, stages: Stages, inputs: &[f64], outputs: &mut [f64]) -> Result<(), EvalError> {
        match &mut self.inner {
            Inner::Native(machine) => machine.run(stages, inputs, outputs),
            Inner::Portable(tape) => tape.run(stages, inputs, outputs),
        }
    }
    fn n_inputs(&self) -> usize {
        match &self.inner {
            Inner::Native(machine) => machine.n_inputs(),
            Inner::Portable(tape) => tape.n_inputs(),
        }
    }
    fn n_outputs(&self) -> usize {
        match &self.inner {
            Inner::Native(machine) => machine.n_outputs(),
            Inner::Portable(tape) => tape.n_outputs(),
        }
    }
}
