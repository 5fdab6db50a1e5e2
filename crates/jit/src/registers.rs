//! Which value is in which register.
//!
//! When a register is wanted and none is free, the value whose next use lies farthest ahead gives way (Belady
//! 1966), which for straight-line code is the best choice as long as all values cost the same to bring back.
//! Values never change, so a value that already has a place in memory is dropped without a store.

use cardan_base::Id;
use cardan_program::ValueId;

use crate::instructions::NEVER;

const NOWHERE: u8 = u8::MAX;

/// A floating-point register, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Register(pub(crate) u8);

/// The contents of the registers.
#[derive(Debug)]
pub(crate) struct Registers {
    held: Vec<Option<(ValueId, u32)>>,
    locked: u32,
    register_of: Vec<u8>,
}

impl Registers {
    /// So many empty registers, for a program of this many values.
    pub(crate) fn new(n: u8, n_values: usize) -> Self {
        Registers { held: vec![None; n as usize], locked: 0, register_of: vec![NOWHERE; n_values] }
    }

    /// All registers.
    fn all(&self) -> std::ops::Range<u8> {
        0..self.held.len() as u8
    }

    /// The register of a value.
    pub(crate) fn of(&self, value: ValueId) -> Option<Register> {
        let r = self.register_of[value.index()];
        (r != NOWHERE).then_some(Register(r))
    }

    /// What a register holds, and its next use.
    pub(crate) fn held(&self, register: Register) -> Option<(ValueId, u32)> {
        self.held[register.0 as usize]
    }

    /// Puts a value into a register, which must be empty.
    pub(crate) fn put(&mut self, register: Register, value: ValueId, next_use: u32) {
        self.held[register.0 as usize] = Some((value, next_use));
        self.register_of[value.index()] = register.0;
    }

    /// Forgets what a register holds.
    pub(crate) fn clear(&mut self, register: Register) {
        if let Some((value, _)) = self.held[register.0 as usize].take() {
            self.register_of[value.index()] = NOWHERE;
        }
    }

    /// Notes when the value in a register is used next, and keeps it there until [`unlock`](Self::unlock).
    pub(crate) fn touch(&mut self, register: Register, next_use: u32) {
        if let Some(entry) = &mut self.held[register.0 as usize] {
            entry.1 = next_use;
        }
        self.lock(register);
    }

    /// Keeps a register from being taken.
    pub(crate) fn lock(&mut self, register: Register) {
        self.locked |= 1 << register.0;
    }

    /// Releases all locks.
    pub(crate) fn unlock(&mut self) {
        self.locked = 0;
    }

    /// Empties registers whose values are not used again.
    pub(crate) fn drop_dead(&mut self) {
        for r in self.all() {
            if self.held[r as usize].is_some_and(|(_, next_use)| next_use == NEVER) {
                self.clear(Register(r));
                self.locked &= !(1 << r);
            }
        }
    }

    /// An empty register.
    pub(crate) fn free(&self) -> Option<Register> {
        let empty = |r: &u8| self.held[*r as usize].is_none() && self.locked & 1 << r == 0;
        self.all().find(empty).map(Register)
    }

    /// The register to empty: of those not locked, the one whose value is used last.
    pub(crate) fn victim(&self) -> Register {
        let candidates = self.all().filter(|r| self.locked & 1 << r == 0);
        let farthest =
            candidates.max_by_key(|r| self.held[*r as usize].map_or(NEVER, |(_, next_use)| next_use));
        Register(farthest.expect("an operation locks fewer registers than there are"))
    }
}
