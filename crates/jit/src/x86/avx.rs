//! Code of x86-64 with AVX and FMA, ready to run.

use cardan_base::Id;
use cardan_program::{EvalError, Host, Program, Stages, Unbound};

use crate::code_context::{Status, Surroundings};
use crate::engine::Packing;
use crate::machine::Machine;
use crate::x86::translate::translate;
use crate::x86::width::Width;

/// The function of a stage and those after it: memory, outputs, status, inputs, how many more.
type Entry = unsafe extern "sysv64" fn(*mut f64, *mut f64, *mut Status, *const f64, usize);

impl Machine<Surroundings> {
    /// Compiles all stages. `None` if the processor lacks instructions or the system refuses executable
    /// memory.
    pub(crate) fn compile(
        program: &Program,
        host: &Host,
        width: Width,
        packing: Packing,
    ) -> Result<Option<Self>, Unbound> {
        if !width.is_supported() {
            return Ok(None);
        }
        let surroundings = Surroundings::new(program, host)?;
        let made = translate(program, &surroundings, width, packing);
        Ok(Machine::seal(program, width.lanes(), &made.code, made.entries, &made.layout, surroundings))
    }

    /// Runs stages on vectors in which the lanes of each number stand side by side.
    #[inline]
    pub(crate) fn run(
        &mut self,
        stages: Stages,
        inputs: &[f64],
        outputs: &mut [f64],
    ) -> Result<(), EvalError> {
        let compiled = &*self.compiled;
        compiled.check(stages, inputs, outputs)?;
        let memory = self.memory.as_mut_ptr();
        let mut status = Status::default();
        let (first, last) = (stages.first.index(), stages.last.index());
        // SAFETY: the offset is the start of a function that `translate` emitted with this signature, in pages that are sealed and live as long
        // as `compiled`.
        let entry: Entry = unsafe { std::mem::transmute(compiled.code.at(compiled.entries[first])) };
        // SAFETY: no more stages run than there are; the code reads and writes only places that its layout planned, all inside `memory`; it
        // reads inputs and writes outputs by indices below `n_inputs` and `n_outputs`, the checked lengths; it calls shims with addresses
        // of tables and functions owned by `compiled`, of parts of `memory`, and of `status`, which nobody else uses meanwhile.
        unsafe { entry(memory, outputs.as_mut_ptr(), &raw mut status, inputs.as_ptr(), last - first) };
        status.outcome()
    }
}

#[cfg(all(test, unix))]
pub(crate) mod tests {
    use super::*;
    use cardan_program::testing::{Flavour, Shape, host, random_inputs, random_program};
    use std::arch::asm;

    /// Fills the registers that a function must preserve, calls the entry, and returns what they hold
    /// afterwards, with the change of the stack pointer.
    pub(crate) fn call_and_observe<S>(
        entry: usize,
        memory: *mut f64,
        outputs: *mut f64,
        status: *mut S,
        inputs: *const f64,
    ) -> ([u64; 5], u64) {
        let mut seen = [0u64; 5];
        let shift: u64;
        // SAFETY: the entry follows the System V convention and is given what it expects; the block saves rbx
        // and rbp, which may not be named as operands, aligns the stack, and declares everything else that it
        // changes.
        unsafe {
            asm!(
                "push rbx", "push rbp", "push r8",
                "mov r15, rsp",
                "and rsp, -16",
                "push r15", "push r15",
                "mov rbx, 0x1111", "mov rbp, 0x2222", "mov r12, 0x3333", "mov r13, 0x4444", "mov r14, 0x5555",
                "xor r8d, r8d",
                "mov r15, rsp",
                "call rax",
                "sub r15, rsp",
                "mov rdx, r15",
                "pop r15", "pop r15",
                "mov rsp, r15",
                "pop rax",
                "mov [rax], rbx", "mov [rax + 8], rbp",
                "mov [rax + 16], r12", "mov [rax + 24], r13", "mov [rax + 32], r14",
                "pop rbp", "pop rbx",
                inout("rax") entry => _,
                inout("rdi") memory => _,
                inout("rsi") outputs => _,
                inout("rdx") status => shift,
                inout("rcx") inputs => _,
                inout("r8") seen.as_mut_ptr() => _,
                out("r12") _, out("r13") _, out("r14") _, out("r15") _,
                clobber_abi("sysv64"),
            );
        }
        (seen, shift)
    }

    #[test]
    fn registers_that_must_be_preserved_are() {
        let shape =
            Shape { flavour: Flavour::Everything, n_values: 300, n_inputs: 8, n_outputs: 20, n_stages: 3 };
        for seed in 0..100 {
            let program = random_program(seed, &shape);
            let width = [Width::Scalar, Width::Two, Width::Four, Width::Eight][seed as usize % 4];
            let Some(mut machine) =
                Machine::<Surroundings>::compile(&program, &host(), width, Packing::Always).unwrap()
            else {
                continue;
            };
            let mut inputs = random_inputs(seed, &program, true);
            inputs.resize(inputs.len() * width.lanes(), 1.5);
            let mut outputs = vec![0.0; 20 * width.lanes()];
            let mut status = Status::default();
            for entry in &machine.compiled.entries {
                let address = machine.compiled.code.at(*entry) as usize;
                let (memory, outputs) = (machine.memory.as_mut_slice().as_mut_ptr(), outputs.as_mut_ptr());
                let (seen, shift) =
                    call_and_observe(address, memory, outputs, &raw mut status, inputs.as_ptr());
                assert_eq!((seen, shift), ([0x1111, 0x2222, 0x3333, 0x4444, 0x5555], 0));
            }
        }
    }
}
