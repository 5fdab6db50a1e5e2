//! Motion with jumps: events, sampled blocks, discrete states.
//!
//! Between two instants at which something happens the discrete states are numbers like parameters, and the motion is
//! integrated as always. At an instant the blocks that are due happen one after the other, each changing the state at once.
//!
//! ```text
//! [instant]    1  blocks `every` that are due, in the order of the text
//!              2  the first `when` of the text whose condition has become true; again, until there is none
//!              3  the row of results of this instant, if one is wanted
//! [energy]     W_events = Σ (T + V)⁺ - (T + V)⁻
//! ```
//!
//! Where the next instant is known (a sample, a comparison of the clock with discrete states) the integration ends exactly there.
//! Comparisons that depend on the motion are located as roots on the dense output.
//!
//! - `event_time`: which times are one instant, and the beats of sampled blocks;
//! - `time_events`: comparisons of the clock alone;
//! - [`conditions`]: which conditions hold, and what blocks change; `reset`: what follows of it in a mechanism
//!   with constraints; [`impulse`]: speeds that drives change at once;
//! - [`hybrid_system`]: what is asked of equations of motion;
//! - `zero_crossings`: the mechanism with its comparisons as event functions;
//! - [`event_loop`]: from instant to instant; `zeno`: instants without end;
//! - [`event_log`]: what is remembered of it.

pub mod conditions;
pub mod event_log;
pub mod event_loop;
pub(crate) mod event_time;
pub mod hybrid_system;
pub mod impulse;
pub(crate) mod reset;
pub(crate) mod time_events;
pub(crate) mod zeno;
pub(crate) mod zero_crossings;

pub use crate::events::conditions::Logic;
pub use crate::events::event_log::{Happening, Happenings};
pub(crate) use crate::events::event_loop::add;
pub use crate::events::event_loop::{Followed, drive};
pub use crate::events::hybrid_system::HybridSystem;
