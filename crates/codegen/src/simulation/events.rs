//! What a complete program has to know of events. Their logic (which conditions hold, which block is due, what it changes) is
//! part of the program that is written; a main file only asks, and keeps the memory.
//!
//! ```text
//! d        memory (what only events change), then 1 or 0 for each watched comparison: whether it holds
//! watch    (t, x, d) → g      a number per watched comparison, negative where it holds; then the next known instant
//! happen   (t, x, d) → e      the state and the memory after the block that is due; then whether there was one
//! ```
//!
//! A main file integrates to the next known instant, or to where the sign of a number disagrees with `d`, whichever comes first;
//! there it lets blocks happen until none is due. A comparison whose number a block has not changed keeps what is known of it,
//! so that rounding at the very root cannot make an event happen twice.

use cardan_program::{InputId, OutputId};

use crate::library::{Argument, Results};

/// What happens at instants.
#[derive(Clone, PartialEq, Debug)]
pub struct Events {
    /// What only events change.
    pub memory: Vec<Memory>,
    /// The comparisons that are decided by the motion.
    pub watched: Vec<Watched>,
    /// The next time at which something is known to happen.
    pub next: OutputId,
    /// The state after the block that is due, in the order of the states.
    pub states: Vec<OutputId>,
    /// 0 if no block is due, 1 if one is, 2 if it changes the state, 3 + k if the constraints do not allow what the block `k` of `refusable` assigns.
    pub due: OutputId,
    /// The names of all blocks if the constraints may not allow what one assigns; else nothing.
    pub refusable: Vec<String>,
}

/// A number that only events change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Memory {
    /// The number as an input.
    pub input: InputId,
    /// Its first value, an output of the setup.
    pub start: OutputId,
    /// Its value after the block that is due.
    pub new: OutputId,
}

/// A comparison that is decided by the motion.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Watched {
    /// 1 where it is known to hold, else 0.
    pub holds: InputId,
    /// Negative where it holds, never zero.
    pub number: OutputId,
}

impl Events {
    pub(crate) fn argument(&self) -> Argument {
        let memory = self.memory.iter().map(|m| m.input);
        let inputs = memory.chain(self.watched.iter().map(|w| w.holds)).collect();
        Argument::array("d", inputs, "what events change, then which watched comparisons hold")
    }

    /// Names, descriptions and results of the functions, in the order in which they are called.
    pub(crate) fn functions(&self) -> [(&'static str, &'static str, Results); 2] {
        let numbers = self.watched.iter().map(|w| w.number).chain([self.next]).collect();
        let memory = self.memory.iter().map(|m| m.new);
        let after = self.states.iter().copied().chain(memory).chain([self.due]).collect();
        [
            (
                "watch",
                "Computes what changes its sign when a comparison switches, and the next instant that is known.",
                Results::new("g", numbers, "negative where a comparison holds; then the next instant"),
            ),
            (
                "happen",
                "Computes what the first block that is due now changes.",
                Results::new(
                    "e",
                    after,
                    "the state and what events change, as they are then; then whether a block is due",
                ),
            ),
        ]
    }
}
