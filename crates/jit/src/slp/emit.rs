//! Packs to instructions, between the steps that stay scalar.
//!
//! Packs live in registers of their own and give way to memory like scalars, the one that is used last first. An operand that is gathered is a row of
//! memory; what has not been stored there when it was computed (inputs, lanes of other packs) is copied before the first use.

use cardan_base::Id;
use cardan_program::ValueId;

use crate::allocation::value_locations::{Memory, NO_PLACE};
use crate::instructions::NEVER;
use crate::slp::encode::{FIRST, Length, Operand};
use crate::slp::find::{Kind, LANES, Lanes, Origin};
use crate::x86::assembler::{Arithmetic, Bits, FusedForm, Source, Xmm};
use crate::x86::order::Item;
use crate::x86::translate::Translator;
use crate::x86::vectors::N_REGISTERS;

const SCRATCH: Xmm = Xmm(FIRST + N_REGISTERS);

/// An operand of a pack.
struct Read {
    source: Operand,
    origin: Origin,
    next_use: u32,
}

impl Read {
    fn is_in_register(&self) -> bool {
        matches!(self.source, Operand::Register(_))
    }

    fn is_broadcast(&self) -> bool {
        matches!(self.source, Operand::Broadcast(_))
    }

    /// Its register, if nobody reads it again.
    fn given_up(&self) -> Option<Xmm> {
        match self.source {
            Operand::Register(register) if self.next_use == NEVER => Some(register),
            _ => None,
        }
    }
}

/// When each operand of each pack of a stage is used next, and its result first, by positions among items.
pub(crate) struct NextUses {
    of: Vec<(u32, [u32; 3])>,
}

impl Translator<'_> {
    /// Next uses of packs, for items in this order.
    pub(crate) fn next_uses(&self, items: &[Item]) -> NextUses {
        let packs = &self.vectors.packs;
        let mut last = vec![NEVER; packs.packs.len()];
        let mut of = vec![(NEVER, [NEVER; 3]); items.len()];
        for (position, item) in items.iter().enumerate().rev() {
            let Item::Pack(pack) = item else { continue };
            of[position].0 = last[*pack as usize];
            let origins: Vec<Origin> =
                packs.packs[*pack as usize].operands.iter().map(|o| packs.origin(o)).collect();
            for (k, origin) in origins.iter().enumerate() {
                if let Origin::Pack(read) = origin {
                    of[position].1[k] = last[*read as usize];
                }
            }
            for origin in origins {
                if let Origin::Pack(read) = origin {
                    last[read as usize] = position as u32;
                }
            }
        }
        NextUses { of }
    }

    /// One pack.
    pub(crate) fn pack(&mut self, pack: u32, position: usize, uses: &NextUses) {
        let own = &self.vectors.packs.packs[pack as usize];
        let (kind, length, operands) = (own.kind, Length::of(own.n_lanes()), own.operands.clone());
        let (result_use, next_uses) = uses.of[position];
        let origins: Vec<Origin> = operands.iter().map(|o| self.vectors.packs.origin(o)).collect();
        for (origin, next_use) in origins.iter().zip(next_uses) {
            if let Origin::Pack(read) = origin
                && let Some(register) = self.vectors.registers.of(key(*read))
            {
                self.vectors.registers.touch(register, next_use);
            }
        }
        let read: Vec<Read> = operands
            .iter()
            .zip(&origins)
            .zip(next_uses)
            .map(|((lanes, origin), next_use)| Read {
                source: self.vector_source(lanes, *origin),
                origin: *origin,
                next_use,
            })
            .collect();
        let d = match (kind, &read[..]) {
            (Kind::Fused { minus_product, minus_addend }, [a, b, c]) => {
                self.fused_pack(length, (minus_product, minus_addend), a, b, c)
            }
            (Kind::Arithmetic(op), [a, b]) => {
                let commutes = matches!(op, Arithmetic::Add | Arithmetic::Mul);
                let swap = commutes && !a.is_in_register() && (b.is_in_register() || a.is_broadcast());
                let (a, b) = if swap { (b, a) } else { (a, b) };
                let first = self.vector_in_register(length, a);
                let d = self.vector_result();
                self.asm.packed_arithmetic(op, length, d, first, b.source);
                d
            }
            (_, all) => {
                let x = self.vector_in_register(length, &all[0]);
                let d = self.vector_result();
                let sign = Operand::Broadcast(Memory::Work(self.homes.layout.patterns.sign_bit));
                self.asm.packed_bits(Bits::Xor, length, d, x, sign);
                d
            }
        };
        self.vectors.registers.clear(index_of(d));
        self.define_pack(pack, d, length, result_use);
        self.vectors.registers.unlock();
        self.vectors.registers.drop_dead();
        for (origin, next_use) in origins.iter().zip(next_uses) {
            if let Origin::Pack(read) = origin
                && next_use == NEVER
                && self.vectors.is_spilled[*read as usize]
            {
                self.vectors.is_spilled[*read as usize] = false;
                self.vectors.free_rows.push(self.vectors.row[*read as usize]);
            }
        }
    }

    /// ±a b ± c. The addend is overwritten unless only a factor may be.
    fn fused_pack(&mut self, length: Length, signs: (bool, bool), a: &Read, b: &Read, c: &Read) -> Xmm {
        let factor = if c.given_up().is_some() { None } else { a.given_up().or(b.given_up()) };
        let Some(d) = factor else {
            let (a, b) = if a.is_in_register() || b.is_broadcast() { (a, b) } else { (b, a) };
            let first = self.vector_in_register(length, a);
            let d = c.given_up().unwrap_or_else(|| {
                let d = self.vector_free();
                self.asm.packed_load(length, d, c.source);
                d
            });
            self.asm.packed_fused(FusedForm::F231, signs, length, d, first, b.source);
            return d;
        };
        let other = if a.given_up() == Some(d) { b } else { a };
        match (other.source, c.source) {
            (Operand::Row(_) | Operand::Broadcast(_), Operand::Register(addend)) => {
                self.asm.packed_fused(FusedForm::F132, signs, length, d, addend, other.source);
            }
            _ => {
                let other = self.vector_in_register(length, other);
                self.asm.packed_fused(FusedForm::F213, signs, length, d, other, c.source);
            }
        }
        d
    }

    /// Where an operand is now; numbers are gathered if they must be.
    fn vector_source(&mut self, lanes: &Lanes, origin: Origin) -> Operand {
        match origin {
            Origin::Same(value) => Operand::Broadcast(self.homes.memory(value)),
            Origin::Pack(read) => match self.vectors.registers.of(key(read)) {
                Some(register) => Operand::Register(register_of(register)),
                None => Operand::Row(Memory::Work(self.vectors.row[read as usize])),
            },
            Origin::Scattered => {
                let gathered = &self.vectors.gathered[lanes];
                let (place, filled) = (gathered.place, gathered.filled);
                for (lane, value) in lanes.iter().enumerate().filter(|(lane, _)| !filled[*lane]) {
                    let Some(value) = *value else { continue };
                    let register = match self.source(value) {
                        Source::Register(register) => register,
                        Source::Memory(memory) => {
                            self.asm.load(self.scratch, memory);
                            self.scratch
                        }
                    };
                    self.asm.store(Memory::Work(place + lane as u32), register);
                }
                if let Some(gathered) = self.vectors.gathered.get_mut(lanes) {
                    gathered.filled = [true; LANES];
                }
                Operand::Row(Memory::Work(place))
            }
        }
    }

    /// Stores a scalar wherever packs gather it.
    pub(crate) fn bring_home(&mut self, value: ValueId, register: Xmm) {
        let Some(homes) = self.vectors.homes.remove(&value) else { return };
        for (lanes, lane) in homes {
            if let Some(gathered) = self.vectors.gathered.get_mut(&lanes) {
                gathered.filled[lane] = true;
                let place = gathered.place + lane as u32;
                self.asm.store(Memory::Work(place), register);
            }
        }
    }

    /// An operand in a register; one that is used again stays there.
    fn vector_in_register(&mut self, length: Length, operand: &Read) -> Xmm {
        match (operand.source, operand.origin) {
            (Operand::Register(register), _) => register,
            (source, Origin::Pack(read)) if operand.next_use != NEVER => {
                let register = self.vector_free();
                // All lanes, for whoever reads more of them later.
                let whole = Length::of(self.vectors.packs.packs[read as usize].n_lanes());
                self.asm.packed_load(whole, register, source);
                self.vectors.registers.put(index_of(register), key(read), operand.next_use);
                register
            }
            (source, _) => {
                self.asm.packed_load(length, SCRATCH, source);
                SCRATCH
            }
        }
    }

    /// An empty register, locked.
    fn vector_free(&mut self) -> Xmm {
        let index = self.vectors.registers.free().unwrap_or_else(|| {
            let index = self.vectors.registers.victim();
            self.evict_pack(index);
            index
        });
        self.vectors.registers.lock(index);
        register_of(index)
    }

    fn vector_result(&mut self) -> Xmm {
        self.vectors.registers.drop_dead();
        self.vector_free()
    }

    fn evict_pack(&mut self, index: Xmm) {
        let Some((held, next_use)) = self.vectors.registers.held(index) else { return };
        let pack = held.index();
        if next_use != NEVER && self.vectors.row[pack] == NO_PLACE {
            let row = match self.vectors.free_rows.pop() {
                Some(row) => row,
                None => self.homes.layout.allocate_row(LANES as u32),
            };
            self.vectors.row[pack] = row;
            self.vectors.is_spilled[pack] = true;
            let length = Length::of(self.vectors.packs.packs[pack].n_lanes());
            self.asm.packed_store(length, Memory::Work(row), register_of(index));
        }
        self.vectors.registers.clear(index);
    }

    /// Empties all registers of packs, before calls.
    pub(crate) fn evict_packs(&mut self) {
        for r in 0..N_REGISTERS {
            self.evict_pack(Xmm(r));
        }
        self.vectors.mask = None;
    }

    /// The result of a pack is in a register: remember it, store it where others need it, deliver it.
    fn define_pack(&mut self, pack: u32, d: Xmm, length: Length, next_use: u32) {
        let results = self.vectors.packs.packs[pack as usize].results;
        if self.vectors.is_stored[pack as usize] {
            let row = self.homes.layout.allocate_row(LANES as u32);
            self.vectors.row[pack as usize] = row;
            self.asm.packed_store(length, Memory::Work(row), d);
            for (lane, value) in (0..).zip(&results) {
                value.iter().for_each(|v| self.homes.set_place(*v, row + lane));
            }
        }
        self.deliver_pack(&results, length, d);
        self.vectors.registers.put(index_of(d), key(pack), next_use);
    }

    /// Delivers the lanes that are outputs of this stage: those side by side at once.
    fn deliver_pack(&mut self, results: &Lanes, length: Length, d: Xmm) {
        // Lanes by the output at which lane 0 would stand.
        let mut rows: Vec<(usize, u8)> = vec![];
        for (lane, value) in results.iter().enumerate() {
            let Some(value) = *value else { continue };
            let stage = self.program.stage_of(value);
            for output in self.outputs.of(self.program, value, stage) {
                let start = (output.index() + LANES).wrapping_sub(lane);
                match rows.iter_mut().find(|(other, _)| *other == start) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => rows.push((start, 1 << lane)),
                }
            }
        }
        for (start, lanes) in rows {
            let full = if length == Length::Four { 0x0F } else { 0xFF };
            match u32::try_from(start).ok().and_then(|s| s.checked_sub(LANES as u32)) {
                Some(first) if lanes == full => self.asm.packed_store(length, Memory::Output(first), d),
                Some(first) => {
                    if self.vectors.mask != Some(lanes) {
                        self.asm.select_lanes(lanes);
                        self.vectors.mask = Some(lanes);
                    }
                    self.asm.packed_store_some(length, Memory::Output(first), d);
                }
                None => {
                    // Before the first output: lanes that are no outputs would stand outside, which a mask allows but an address does not.
                    self.asm.select_lanes(lanes);
                    self.vectors.mask = Some(lanes);
                    let skipped = (LANES - start) as u32;
                    self.asm.packed_store_before(length, skipped, d);
                }
            }
        }
    }
}

/// How registers name a pack.
fn key(pack: u32) -> ValueId {
    ValueId::from_index(pack as usize)
}

/// The register behind an index of [`Registers`].
fn register_of(index: Xmm) -> Xmm {
    Xmm(FIRST + index.0)
}

fn index_of(register: Xmm) -> Xmm {
    Xmm(register.0 - FIRST)
}
