//! Comparisons of functions of the clock: `mod(t, T) > width`, `sin(w*t) > level`, `floor(t/T) > n`.
//!
//! They depend on time, parameters and discrete states. So when they switch next is known as soon as the discrete states are, and no search along the motion can
//! miss it, however short they hold.

use cardan_base::Id;
use cardan_lower::{EventProgram, Holds, Watch};
use cardan_program::OutputId;

use crate::breakpoints::clock::{Cone, rounding};

/// A comparison of a function of the clock.
pub(crate) struct Timed {
    /// Its number.
    pub comparison: usize,
    holds: Holds,
    cone: Cone,
    /// When it switches next.
    pub next: f64,
    /// Switches after this time are not looked for.
    pub to: f64,
    /// The time at which it was last looked at.
    at: f64,
}

impl Timed {
    /// Those of a program.
    pub fn all(program: &EventProgram) -> Vec<Timed> {
        let mut list = vec![];
        for (k, comparison) in program.comparisons.iter().enumerate() {
            let Watch::Root(output) = comparison.watch else { continue };
            let value = program.program.outputs()[OutputId::from_index(output)].value;
            let Some(cone) = Cone::of(&program.program, (value, None), program.inputs.time) else { continue };
            let (state, given) = (program.inputs.state(), &program.given);
            let moves = |i: usize| state.contains(&i) || given.contains(&i);
            if cone.inputs().iter().any(|i| moves(i.index())) {
                continue;
            }
            let (next, to) = (f64::INFINITY, f64::NEG_INFINITY);
            list.push(Timed { comparison: k, holds: comparison.holds, cone, next, to, at: f64::NAN });
        }
        list
    }

    /// Whether it holds now; from then on `next` is right.
    pub fn look(&mut self, program: &EventProgram, inputs: &[f64], t: f64) -> bool {
        let seen = !self.at.is_nan();
        let changed = self.cone.give(&|i| inputs[i.index()]);
        let soon = if self.to > t { t + rounding(t, self.to) } else { t };
        let reached = self.next <= soon;
        // A switch belongs to this instant though it may be a rounding later.
        let latest = if reached { self.next } else { self.at };
        self.at = if latest <= soon { latest.max(t) } else { t };
        let holds = self.holds;
        if changed || reached || !seen {
            // Equality holds between two sides, which are to be told apart.
            let cell = |g: f64| match holds {
                Holds::Zero => f64::from(u8::from(g >= 0.0) + u8::from(g > 0.0)),
                _ => f64::from(u8::from(!truth(holds, g))),
            };
            self.next = f64::INFINITY;
            if self.to > self.at {
                let next = self.cone.next(&program.program, &cell, self.at, self.to);
                (self.at, self.next) = (next.since, next.at.unwrap_or(f64::INFINITY));
            }
        }
        truth(holds, self.cone.at(&program.program, self.at))
    }
}

fn truth(holds: Holds, g: f64) -> bool {
    match holds {
        Holds::Negative => g < 0.0,
        Holds::NotPositive => g <= 0.0,
        Holds::Zero => g == 0.0,
    }
}
