//! Simulation: a compiled model driven by an integrator, with events and nonsmooth modes.
//!
//! ```text
//! Choice ─Simulation::of▶ Simulation ─run▶ Trajectory (rows, poses, energy balance)
//! compile                 sim, solve
//! ```
//!
//! Absent by design: derivations, text, files, clocks, printing. Numbers are in SI units; the unit in
//! which people want to see them stands beside each column.
//!
//! In reading order:
//!
//! - [`settings`]: interval, samples, method; `settings_check`: settings of a text;
//! - [`simulation`]: a run from start to end;
//! - `rhs`: the program as a right-hand side with exact Jacobian and projection;
//! - `constraints`: forms in which constraints hold; `monitors`: singularities, redundancy;
//! - [`mod@breakpoints`]: switching times of functions of time; [`events`]: events, sampled blocks,
//!   discrete states, impulses; `nonsmooth`: switches of the state, sliding, static friction;
//! - [`record`]: rows, columns, energy balance, trajectory;
//! - [`diagnostics`]: messages about a mechanism, with places in its text; `loop_check`: loops that
//!   are too long to close;
//! - [`ensemble`]: many runs in vector lanes; [`stepper`]: many copies that advance together.

pub(crate) mod constraints;
pub mod diagnostics;
pub mod events;
pub(crate) mod loop_check;
pub(crate) mod monitors;
pub(crate) mod nonsmooth;
pub mod record;
pub(crate) mod rhs;
pub(crate) mod settings_check;

pub mod settings;

pub mod breakpoints;

pub mod ensemble;
pub mod simulation;
pub mod stepper;

pub use crate::constraints::dead_point_switching::Handover;
pub use crate::diagnostics::{diagnose, diagnose_parting, diagnose_start, examine, examine_matter};
pub use crate::ensemble::{Ensemble, Followed, Member};
pub use crate::events::{Happening, Happenings};
pub use crate::monitors::redundancy_loss::Parting;
pub use crate::monitors::singularity::Passage;
pub use crate::nonsmooth::sliding_interval::Slide;
pub use crate::nonsmooth::static_friction::Hold;
pub use crate::nonsmooth::switch_words;
pub use crate::record::energy_balance::{Audit, Verdict};
pub use crate::record::recorder::{Observer, columns};
pub use crate::record::trajectory::{
    Beginning, Column, ColumnKind, Ending, Frames, LoadTrack, Pose, Rows, Trajectory,
};
pub use crate::settings::{ConstraintForm, Settings, SettingsError};
pub use crate::settings_check::examine_settings;
pub use crate::simulation::{Session, SessionError, Settled, Simulation, StartError};
pub use crate::stepper::Stepper;
