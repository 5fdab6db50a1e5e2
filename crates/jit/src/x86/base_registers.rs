//! Base registers that follow the code through the memory.
//!
//! Code that does not fit into the first cache of instructions runs as fast as its bytes arrive: about eleven a cycle on current server processors,
//! whatever the instructions do. A displacement of one byte instead of four saves more of them than anything else. With AVX-512's prefix such a
//! displacement counts numbers, not bytes, so that it reaches the 256 places around its base register, a window. Eight registers
//! that nothing else needs between calls stand in windows; one that was used least lately moves to a window that has been missed a few times.
//!
//! Straight-line code makes this simple: where a register stands is known at every instruction. Whoever begins a stage or
//! calls a function forgets all of them.

/// Registers that stand in windows: rcx, rdx, rsi, rdi, r8, r9, r10, r11.
pub(crate) const REGISTERS: [u8; 8] = [1, 2, 6, 7, 8, 9, 10, 11];
/// Places of a window.
pub(crate) const SIZE: u32 = 256;
/// So many long displacements are taken before a register moves.
const PATIENCE: u32 = 3;
const NOWHERE: u32 = u32::MAX;

/// Where the registers stand.
#[derive(Debug)]
pub(crate) struct Windows {
    is_on: bool,
    /// By register: the window, and when it was used last.
    stands: [(u32, u32); REGISTERS.len()],
    clock: u32,
    /// By window: how often it was missed since a register left it.
    missed: Vec<u32>,
}

/// How to reach a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// From this register, which stands in the window of the place.
    From(u8),
    /// From this register after it has moved to the window.
    Moved(u8),
    /// By a long displacement.
    Long,
}

impl Windows {
    /// No register stands anywhere, and none will before [`begin`](Self::begin).
    pub(crate) fn new() -> Windows {
        Windows { is_on: false, stands: [(NOWHERE, 0); REGISTERS.len()], clock: 0, missed: vec![] }
    }

    /// From here on registers may move.
    pub(crate) fn begin(&mut self) {
        self.is_on = true;
        self.forget();
    }

    /// The registers have been overwritten.
    pub(crate) fn forget(&mut self) {
        self.stands = [(NOWHERE, 0); REGISTERS.len()];
        self.missed.clear();
    }

    /// How to reach a place of a window.
    pub(crate) fn reach(&mut self, window: u32) -> Reach {
        if !self.is_on {
            return Reach::Long;
        }
        self.clock += 1;
        if let Some(k) = self.stands.iter().position(|(w, _)| *w == window) {
            self.stands[k].1 = self.clock;
            return Reach::From(REGISTERS[k]);
        }
        let index = window as usize;
        if self.missed.len() <= index {
            self.missed.resize(index + 1, 0);
        }
        self.missed[index] += 1;
        if self.missed[index] < PATIENCE {
            return Reach::Long;
        }
        self.missed[index] = 0;
        let oldest = (0..REGISTERS.len()).min_by_key(|k| self.stands[*k].1).unwrap_or(0);
        self.stands[oldest] = (window, self.clock);
        Reach::Moved(REGISTERS[oldest])
    }
}

#[cfg(test)]
mod tests {
    use crate::x86::base_registers::*;

    #[test]
    fn a_register_moves_where_places_are_wanted_and_leaves_what_was_wanted_least_lately() {
        let mut windows = Windows::new();
        assert_eq!(windows.reach(5), Reach::Long);
        windows.begin();
        for window in 0..8 {
            assert_eq!(windows.reach(window), Reach::Long);
            assert_eq!(windows.reach(window), Reach::Long);
            assert_eq!(windows.reach(window), Reach::Moved(REGISTERS[window as usize]));
        }
        assert_eq!(windows.reach(0), Reach::From(REGISTERS[0]));
        for _ in 1..PATIENCE {
            assert_eq!(windows.reach(9), Reach::Long);
        }
        assert_eq!(windows.reach(9), Reach::Moved(REGISTERS[1]));
        assert_eq!(windows.reach(1), Reach::Long);
        windows.forget();
        assert_eq!(windows.reach(0), Reach::Long);
    }
}
