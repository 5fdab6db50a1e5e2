//! Code of register machines, ready to run.

use cardan_base::Id;
use cardan_program::{EvalError, Host, Program, Stages, Unbound};

use crate::code_context::Surroundings;
use crate::machine::Machine;
use crate::scalar_isa::calls::{Context, Entry, Outside};
use crate::scalar_isa::translate::translate;

/// The instruction set of this machine.
#[cfg(target_arch = "aarch64")]
type Own = crate::scalar_isa::neon::Neon;
#[cfg(target_arch = "x86_64")]
type Own = crate::scalar_isa::sse::Sse;

impl Machine<Outside> {
    /// Compiles all stages for so many lanes. `None` if there is no code for that number, or the system refuses executable memory.
    pub(crate) fn compile(program: &Program, host: &Host, lanes: usize) -> Result<Option<Self>, Unbound> {
        if !matches!(lanes, 1 | 2) {
            return Ok(None);
        }
        let surroundings = Surroundings::new(program, host)?;
        let made = translate::<Own>(program, lanes);
        let outside = Outside { sites: made.sites, surroundings };
        Ok(Machine::seal(program, lanes, &made.code, made.entries, &made.layout, outside))
    }

    /// Runs stages on vectors in which the lanes of each number stand side by side.
    pub(crate) fn run(
        &mut self,
        stages: Stages,
        inputs: &[f64],
        outputs: &mut [f64],
    ) -> Result<(), EvalError> {
        let compiled = &*self.compiled;
        compiled.check(stages, inputs, outputs)?;
        let memory = self.memory.as_mut_ptr();
        let mut context = Context::new(compiled.lanes, &compiled.surroundings);
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
        context.status.outcome()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::x86::avx::tests::call_and_observe;
    use cardan_program::testing::{Flavour, Shape, host, random_inputs, random_program};

    /// Fills the registers that a function must preserve with their numbers, calls the entry, and returns what they hold
    /// afterwards, with the change of the stack pointer.
    #[cfg(target_arch = "aarch64")]
    fn call_and_observe<S>(
        entry: usize,
        memory: *mut f64,
        outputs: *mut f64,
        context: *mut S,
        inputs: *const f64,
    ) -> ([u64; 18], u64) {
        let mut seen = [0u64; 19];
        // SAFETY: the entry follows the procedure call standard and is given what it expects; the block saves and restores what
        // must be preserved and declares everything else that it changes.
        unsafe {
            std::arch::asm!(
                "stp x19, x20, [sp, -160]!",
                "stp x21, x22, [sp, 16]", "stp x23, x24, [sp, 32]",
                "stp x25, x26, [sp, 48]", "stp x27, x28, [sp, 64]",
                "stp d8, d9, [sp, 80]", "stp d10, d11, [sp, 96]",
                "stp d12, d13, [sp, 112]", "stp d14, d15, [sp, 128]",
                "mov x9, sp",
                "stp x5, x9, [sp, 144]",
                "mov x19, 19", "mov x20, 20", "mov x21, 21", "mov x22, 22", "mov x23, 23",
                "mov x24, 24", "mov x25, 25", "mov x26, 26", "mov x27, 27", "mov x28, 28",
                "mov x9, 8", "fmov d8, x9", "mov x9, 9", "fmov d9, x9", "mov x9, 10", "fmov d10, x9",
                "mov x9, 11", "fmov d11, x9", "mov x9, 12", "fmov d12, x9", "mov x9, 13", "fmov d13, x9",
                "mov x9, 14", "fmov d14, x9", "mov x9, 15", "fmov d15, x9",
                "blr x4",
                "ldp x5, x9, [sp, 144]",
                "mov x10, sp", "sub x9, x9, x10", "str x9, [x5, 144]",
                "stp d8, d9, [x5]", "stp d10, d11, [x5, 16]", "stp d12, d13, [x5, 32]", "stp d14, d15, [x5, 48]",
                "stp x19, x20, [x5, 64]", "stp x21, x22, [x5, 80]", "stp x23, x24, [x5, 96]",
                "stp x25, x26, [x5, 112]", "stp x27, x28, [x5, 128]",
                "ldp d14, d15, [sp, 128]", "ldp d12, d13, [sp, 112]",
                "ldp d10, d11, [sp, 96]", "ldp d8, d9, [sp, 80]",
                "ldp x27, x28, [sp, 64]", "ldp x25, x26, [sp, 48]",
                "ldp x23, x24, [sp, 32]", "ldp x21, x22, [sp, 16]",
                "ldp x19, x20, [sp], 160",
                inout("x0") memory => _,
                inout("x1") outputs => _,
                inout("x2") context => _,
                inout("x3") inputs => _,
                inout("x4") entry => _,
                inout("x5") seen.as_mut_ptr() => _,
                clobber_abi("C"),
            );
        }
        let mut registers = [0; 18];
        registers.copy_from_slice(&seen[..18]);
        (registers, seen[18])
    }

    #[test]
    fn registers_that_must_be_preserved_are() {
        #[cfg(target_arch = "x86_64")]
        let expected = [0x1111, 0x2222, 0x3333, 0x4444, 0x5555];
        #[cfg(target_arch = "aarch64")]
        let expected: [u64; 18] = std::array::from_fn(|k| if k < 8 { k as u64 + 8 } else { k as u64 + 11 });
        let shape =
            Shape { flavour: Flavour::Everything, n_values: 300, n_inputs: 8, n_outputs: 20, n_stages: 3 };
        for seed in 0..100 {
            let program = random_program(seed, &shape);
            let lanes = 1 + seed as usize % 2;
            let mut machine =
                Machine::<Outside>::compile(&program, &host(), lanes).unwrap().expect("executable memory");
            let mut inputs = random_inputs(seed, &program, true);
            inputs.resize(inputs.len() * lanes, 1.5);
            let mut outputs = vec![0.0; 20 * lanes];
            let compiled = &machine.compiled;
            let mut context = Context::new(lanes, &compiled.surroundings);
            for entry in &compiled.entries {
                let address = compiled.code.at(*entry) as usize;
                let (memory, outputs) = (machine.memory.as_mut_slice().as_mut_ptr(), outputs.as_mut_ptr());
                let seen = call_and_observe(address, memory, outputs, &raw mut context, inputs.as_ptr());
                assert_eq!(seen, (expected, 0));
            }
        }
    }
}
