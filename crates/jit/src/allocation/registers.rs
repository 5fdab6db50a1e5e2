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
    /// One bit for each register: those that never hold a value, are locked, hold something, hold what is not used again.
    reserved: u32,
    locked: u32,
    full: u32,
    dead: u32,
    register_of: Vec<u8>,
}

impl Registers {
    /// So many empty registers, for a program of this many values.
    pub(crate) fn new(n: u8, n_values: usize) -> Self {
        let reserved = u32::MAX.checked_shl(u32::from(n)).unwrap_or(0);
        Registers {
            held: vec![None; n as usize],
            reserved,
            locked: reserved,
            full: 0,
            dead: 0,
            register_of: vec![NOWHERE; n_values],
        }
    }

    /// The same, but one of them never holds a value.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn without(n: u8, unused: Register, n_values: usize) -> Self {
        let mut registers = Registers::new(n, n_values);
        registers.reserved |= 1 << unused.0;
        registers.locked = registers.reserved;
        registers
    }

    /// How many there are.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn len(&self) -> u8 {
        self.held.len() as u8
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
        self.full |= 1 << register.0;
        self.note(register, next_use);
        self.register_of[value.index()] = register.0;
    }

    fn note(&mut self, register: Register, next_use: u32) {
        self.dead = self.dead & !(1 << register.0) | u32::from(next_use == NEVER) << register.0;
    }

    /// Forgets what a register holds.
    pub(crate) fn clear(&mut self, register: Register) {
        if let Some((value, _)) = self.held[register.0 as usize].take() {
            self.register_of[value.index()] = NOWHERE;
        }
        self.full &= !(1 << register.0);
        self.dead &= !(1 << register.0);
    }

    /// Notes when the value in a register is used next, and keeps it there until [`unlock`](Self::unlock).
    pub(crate) fn touch(&mut self, register: Register, next_use: u32) {
        if let Some(entry) = &mut self.held[register.0 as usize] {
            entry.1 = next_use;
            self.note(register, next_use);
        }
        self.lock(register);
    }

    /// Keeps a register from being taken.
    pub(crate) fn lock(&mut self, register: Register) {
        self.locked |= 1 << register.0;
    }

    /// Releases all locks.
    pub(crate) fn unlock(&mut self) {
        self.locked = self.reserved;
    }

    /// Empties registers whose values are not used again.
    pub(crate) fn drop_dead(&mut self) {
        while self.dead != 0 {
            let r = self.dead.trailing_zeros() as u8;
            self.clear(Register(r));
            self.locked &= !(1 << r);
        }
    }

    /// An empty register.
    pub(crate) fn free(&self) -> Option<Register> {
        let empty = !(self.full | self.locked);
        (empty != 0).then(|| Register(empty.trailing_zeros() as u8))
    }

    /// Of the registers not locked whose value may go, the one whose value is used last.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn farthest(&self, may_go: impl Fn(ValueId, u32) -> bool) -> Option<Register> {
        let candidates = (0..self.held.len() as u8).filter(|r| self.locked & 1 << r == 0);
        let held = candidates.filter_map(|r| Some((r, self.held[r as usize]?)));
        let allowed = held.filter(|(_, (value, next_use))| may_go(*value, *next_use));
        allowed.max_by_key(|(_, (_, next_use))| *next_use).map(|(r, _)| Register(r))
    }

    /// The register to empty: of those not locked, the one whose value is used last.
    pub(crate) fn victim(&self) -> Register {
        let candidates = (0..self.held.len() as u8).filter(|r| self.locked & 1 << r == 0);
        let farthest =
            candidates.max_by_key(|r| self.held[*r as usize].map_or(NEVER, |(_, next_use)| next_use));
        Register(farthest.expect("an operation locks fewer registers than there are"))
    }
}
