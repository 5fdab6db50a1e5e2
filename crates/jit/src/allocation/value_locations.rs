//! Where the values of a program are while its stages are translated: in a register, in memory, or in both.
//!
//! Every translator of scalar operations asks here and emits what it is told. A register that is wanted while none is free is taken from
//! the value whose next use lies farthest ahead; if memory does not have that value yet, the answer says where it is to be stored.
//! A place in memory that a value gave way to is free again after the last use of the value.

use cardan_base::Id;
use cardan_program::{Op, Program, StageId, ValueId};

use crate::allocation::layout::Layout;
use crate::allocation::registers::{Register, Registers};
use crate::instructions::{NEVER, Operand};

/// A place in memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Memory {
    /// A number in the engine's memory.
    Work(u32),
    /// A number in the input vector; unlike the others it may stand at the very end of what can be read.
    Input(u32),
    /// A number in the output vector.
    Output(u32),
}

/// "In no place of the memory."
pub(crate) const NO_PLACE: u32 = u32::MAX;
/// Marks the place of an input, which is in the caller's vector and not in the engine's memory.
const INPUT: u32 = 1 << 31;

/// Where values are.
#[derive(Debug)]
pub(crate) struct Homes {
    pub(crate) registers: Registers,
    pub(crate) layout: Layout,
    /// Where each value is in memory, if it is.
    place: Vec<u32>,
    /// Whether the place belongs to this value alone until its last use in the stage.
    spilled: Vec<bool>,
}

impl Homes {
    /// Empty registers, and no values yet.
    pub(crate) fn new(layout: Layout, registers: Registers, n_values: usize) -> Homes {
        Homes { registers, layout, place: vec![NO_PLACE; n_values], spilled: vec![false; n_values] }
    }

    /// Constants and inputs of a stage wait in memory: constants in the engine's, inputs in the caller's.
    pub(crate) fn place_leaves(&mut self, program: &Program, stage: StageId) {
        for value in program.stage_values(stage).map(ValueId::from_index) {
            self.place[value.index()] = match &program.values()[value] {
                Op::Const(c) => self.layout.constant(c.value().to_bits()),
                Op::Truth(t) => self.layout.truth(*t),
                Op::Input(i) => INPUT | i.index() as u32,
                _ => continue,
            };
        }
    }

    /// Whether memory has a value.
    pub(crate) fn is_placed(&self, value: ValueId) -> bool {
        self.place[value.index()] != NO_PLACE
    }

    /// A value is stored at a place of the engine's memory, by whoever says so.
    pub(crate) fn set_place(&mut self, value: ValueId, place: u32) {
        self.place[value.index()] = place;
    }

    /// An entry of a solution is where the solution is.
    pub(crate) fn set_place_of_entry(&mut self, value: ValueId, solution: ValueId, index: u32) {
        self.place[value.index()] = self.place[solution.index()] + index;
    }

    /// Where a value is in memory.
    pub(crate) fn memory(&self, value: ValueId) -> Memory {
        match self.place[value.index()] {
            place if place & INPUT != 0 => Memory::Input(place & !INPUT),
            place => Memory::Work(place),
        }
    }

    /// A place that a value keeps, to be stored at.
    pub(crate) fn keep(&mut self, value: ValueId) -> Memory {
        let place = self.layout.allocate_block(1);
        self.place[value.index()] = place;
        Memory::Work(place)
    }

    /// Begins a step: its operands stay where they are until it is finished.
    pub(crate) fn begin_step(&mut self, operands: &[Operand]) {
        for operand in operands {
            if let Some(register) = self.registers.of(operand.value) {
                self.registers.touch(register, operand.next_use);
            }
        }
    }

    /// Ends a step: gives back what its operands need no longer.
    pub(crate) fn finish_step(&mut self, operands: &[Operand]) {
        self.registers.unlock();
        self.registers.drop_dead();
        for operand in operands {
            let k = operand.value.index();
            if operand.next_use == NEVER && self.spilled[k] {
                self.spilled[k] = false;
                self.layout.release(self.place[k]);
            }
        }
    }

    /// An empty register, locked, and where to store what is in it before it is overwritten.
    #[must_use = "what the register holds may have to be stored"]
    pub(crate) fn allocate(&mut self) -> (Register, Option<Memory>) {
        let (register, store) = match self.registers.free() {
            Some(register) => (register, None),
            None => {
                let register = self.registers.victim();
                (register, self.evict(register))
            }
        };
        self.registers.lock(register);
        (register, store)
    }

    /// A register, emptied and locked, that can be had without a store for what is used next at this step: none if all others are used sooner.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn spare(&mut self, next_use: u32) -> Option<Register> {
        let register = self.registers.free().or_else(|| {
            self.registers.farthest(|value, use_of_other| use_of_other > next_use && self.is_placed(value))
        })?;
        self.registers.clear(register);
        self.registers.lock(register);
        Some(register)
    }

    /// Empties a register. A value that is used again is to be stored unless memory has it already; the answer says where.
    #[must_use = "what the register holds may have to be stored"]
    pub(crate) fn evict(&mut self, register: Register) -> Option<Memory> {
        let (value, next_use) = self.registers.held(register)?;
        self.registers.clear(register);
        if next_use == NEVER || self.is_placed(value) {
            return None;
        }
        let place = self.layout.allocate();
        self.place[value.index()] = place;
        self.spilled[value.index()] = true;
        Some(Memory::Work(place))
    }
}

#[cfg(test)]
mod tests {
    use crate::allocation::value_locations::*;
    use cardan_program::{Label, Math, ProgramBuilder};

    fn program() -> Program {
        let mut b = ProgramBuilder::new("homes", ["main"], Math::Finite);
        let stage = b.stage("main").unwrap();
        let x = b.input(Label::named("x"), stage);
        let y = b.input(Label::named("y"), stage);
        let (sum, product) = (b.add(x, y), b.mul(x, y));
        let quotient = b.div(sum, product);
        b.output(Label::named("q"), stage, quotient);
        b.finish().unwrap()
    }

    fn computed(program: &Program) -> Vec<ValueId> {
        program.values().iter().filter(|(_, op)| !op.is_leaf()).map(|(id, _)| id).collect()
    }

    #[test]
    fn the_value_that_is_used_last_gives_way_and_is_stored_once() {
        let program = program();
        let mut homes = Homes::new(
            Layout::new(&program),
            Registers::new(2, program.values().len()),
            program.values().len(),
        );
        homes.place_leaves(&program, program.stages().ids().next().unwrap());
        let values = computed(&program);
        for (value, next_use) in [(values[0], 9), (values[1], 5)] {
            let (register, store) = homes.allocate();
            assert_eq!(store, None);
            homes.registers.put(register, value, next_use);
            homes.finish_step(&[]);
        }
        let (register, store) = homes.allocate();
        let Some(Memory::Work(place)) = store else { panic!("the first value is stored") };
        assert_eq!(homes.memory(values[0]), Memory::Work(place));
        assert_eq!(homes.registers.of(values[0]), None);
        // Brought back, it gives way again without a store.
        homes.registers.put(register, values[0], 9);
        homes.finish_step(&[]);
        assert_eq!(homes.evict(register), None);
        // After its last use the place is another's.
        homes.finish_step(&[Operand { value: values[0], next_use: NEVER }]);
        let other = homes.registers.of(values[1]).unwrap();
        assert_eq!(homes.evict(other), Some(Memory::Work(place)));
    }

    #[test]
    fn leaves_are_in_memory_and_never_stored() {
        let program = program();
        let mut homes = Homes::new(
            Layout::new(&program),
            Registers::new(1, program.values().len()),
            program.values().len(),
        );
        homes.place_leaves(&program, program.stages().ids().next().unwrap());
        for (value, op) in program.values().iter() {
            assert_eq!(homes.is_placed(value), op.is_leaf());
            if let Op::Input(i) = op {
                assert_eq!(homes.memory(value), Memory::Input(i.index() as u32));
                let (register, _) = homes.allocate();
                homes.registers.put(register, value, 3);
                homes.registers.unlock();
                assert_eq!(homes.evict(register), None);
            }
        }
    }
}
