//! What switches with the state: comparisons, `abs`, `sign`, `min`, `max`, `floor`, `atan2`, pieces of tables.
//!
//! A force that acts between x = 5 m and x = 5.1 m is invisible to an integrator whose steps are a metre long. So each such operation
//! on which the derivative of the state depends is frozen on the side where it is: the integrator sees smooth
//! equations only, beyond the switch too, looks after each step whether a side was left, ends the step where it was, and starts
//! anew on the other side.
//!
//! ```text
//! [number]     w = a - b for a < b, min(a, b), max(a, b);   w = x for |x|, sign x, floor x, table(x)
//! [inside]     m(w) > 0 on the side that is frozen, < 0 beyond: an event where it falls through zero
//! [frozen]     the comparison ← its truth,  |x| ← ± x,  sign x ← ± 1,  min(a, b) ← a or b,  floor x ← n,  linear table(x) ← c₀ + c₁ (x - x₀)
//! [turned]     atan2(y, x) ← s π/2 + atan2(-s x + (1 - s²) y, s y + (1 - s²) x),  s = 0 in the middle, ± 1 near its jump
//! [undefined]  where frozen equations have no value (√x beyond x = 0), the sides follow the state
//! [to-and-fro] a switch that goes to and fro without end all the same follows the state from then on: error control alone judges it
//! [bent]       of a smooth table, c₀ + … + c₃ (x - x₀)³ is frozen where a derivative is needed that bends or jumps at its knots: the second of a cam's radius
//! [stretch]    other smooth tables are not frozen; steps are so short that they look into every piece of them
//! ```
//!
//! Where both sides of a switch point back to it, the motion stays where they meet, and nothing switches any more: see `sliding`.
//!
//! After a switch the state may still be before it by rounding, or by what the constraints pull it back: then the margin is counted from there, so
//! that nothing switches twice.
//!
//! - `side`: one switch: its sides and its margin;
//! - `frozen`: the program with frozen sides;
//! - `words`: an operation as people write it; `rest`: whether it is a speed;
//! - `filippov`: which of several surfaces hold a motion, and with which weights;
//! - `modes`: the sides during a motion; `holding`, `sliding`: motion on surfaces;
//! - `friction_disc`: friction along the direction of a velocity, which sticks and slides in the plane and in space;
//! - `shown`: results, whose rows show what holds from their instant on;
//! - `told`: other programs of the same mechanism, which are told the sides.

pub(crate) mod active_set;
mod friction_disc;
pub(crate) mod mode_coupling;
pub(crate) mod mode_output;
pub(crate) mod mode_program;
pub(crate) mod print;
pub mod sliding_interval;
pub mod static_friction;
pub(crate) mod switch;
pub(crate) mod velocity_test;

mod filippov;
mod modes;
mod sliding;

pub(crate) use crate::nonsmooth::mode_coupling::{Telling, Told};
pub(crate) use crate::nonsmooth::mode_output::Shown;
pub(crate) use crate::nonsmooth::mode_program::{SmoothRoots, switches_at_all};
pub(crate) use crate::nonsmooth::modes::{Compiled, Crossings, ModeMemory, Modes};
pub use crate::nonsmooth::print::words as switch_words;
