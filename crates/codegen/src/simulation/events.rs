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
//!
//! A switch on which a motion may be held is a block too: it remembers its side and whether it holds, and is watched for where that ends. The main file
//! knows no difference; that the state is to be corrected after it pulls it onto the surface.
//!
//! A main file also notes the instants at which blocks happen. Those that will never end (of a ball that bounces ever lower, of a relay without hysteresis)
//! end the program, which names the last block; so does a run, by the same measures (`cardan_sim::events::zeno`):
//!
//! ```text
//! [still]      100 instants within 1e-9 of the whole time
//! [faster]     500 instants, then 500 in less time but more than half of it, and so on eight times or more; the last a quarter of the first and
//!              less than max(time between two lines, whole time / 1000)
//! ```

use cardan_program::{InputId, OutputId};

use crate::library::{Argument, Results};

/// What happens at instants.
#[derive(Clone, PartialEq, Debug)]
pub struct Events {
    /// What only events change: first the discrete states of the model, whose first values a parameter file may set.
    pub memory: Vec<Memory>,
    /// How many of these are discrete states.
    pub n_discretes: usize,
    /// The comparisons that are decided by the motion.
    pub watched: Vec<Watched>,
    /// The next time at which something is known to happen.
    pub next: OutputId,
    /// The state after the block that is due, in the order of the states.
    pub states: Vec<OutputId>,
    /// 0 if no block is due, else 4 k for the block `k` of `blocks`, counted from one; 1 more if the state needs to be corrected after it, 2 more if the
    /// constraints do not allow what it assigns.
    pub due: OutputId,
    /// The names of all blocks.
    pub blocks: Vec<String>,
    /// Whether constraints may not allow what a block assigns.
    pub may_refuse: bool,
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
                "Computes what changes its sign when a comparison switches, and the next known instant.",
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
