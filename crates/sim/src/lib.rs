//! A program driven by an integrator: from equations to trajectories.
//!
//! ```text
//! Model ─choose▶ Choice ─Plan::of▶ Plan ─Simulation::new▶ Simulation ─run▶ Trajectory
//!       kane? recursive? articulated?        machine code              rows, poses, energy audit
//! ```
//!
//! Absent by design: derivations (expressions are evaluated here, never changed), text, files, clocks, printing. Numbers are in
//! SI units; the unit in which people want to see them stands beside each column.
//!
//! In reading order:
//!
//! - [`choice`]: the formalism by counted operations;
//! - [`redundancy`]: which loops repeat constraints, in mechanical words;
//! - [`values`]: numbers for parameters and starts, by name;
//! - [`plausible`]: masses and inertias that no matter can have;
//! - [`settings`]: the interval, the samples, the method;
//! - [`plan`]: where things are in the program's inputs and outputs;
//! - [`engine`]: machine code or interpreter;
//! - [`mod@breakpoints`]: the times at which functions of time switch;
//! - `jacobian`, `mechanism`: the program as a right-hand side with exact Jacobian and projection;
//! - `singular`: positions in which constraints repeat one another; `partition`: independent coordinates; `stabilised`: closed loops as differential and algebraic equations;
//! - [`audit`]: the energy balance;
//! - `smallness`: small angles that did not stay small;
//! - [`recorder`]: states to rows of results;
//! - [`hybrid`]: events, sampled blocks, discrete states;
//! - [`trajectory`]: what is left behind;
//! - [`simulation`]: the run;
//! - [`mod@vary`], [`ensemble`]: many runs that differ in parameters and starts.

pub mod assembly;
pub mod choice;
pub mod plausible;
pub mod redundancy;
pub mod values;

pub mod settings;

pub mod breakpoints;
pub mod engine;
pub mod plan;

mod jacobian;
mod mechanism;
mod partition;
mod singular;
mod stabilised;

pub mod audit;
pub mod ensemble;
pub mod hybrid;
pub mod recorder;
pub mod simulation;
mod smallness;
pub mod trajectory;
pub mod vary;

pub use assembly::{Assembled, AssemblyError, Loops, RowName, assemble};
pub use audit::{Audit, Closure, Verdict};
pub use choice::{Choice, ChoiceError, ChosenLoops, Considered, choose};
pub use engine::{Engine, EngineKind};
pub use ensemble::{Ensemble, Followed, Member};
pub use hybrid::{Happening, Happenings};
pub use plan::Plan;
pub use plausible::implausible;
pub use recorder::Observer;
pub use redundancy::{Mobility, Repetition};
pub use settings::{ConstraintForm, Settings, SettingsError};
pub use simulation::{Simulation, StartError};
pub use singular::Passage;
pub use trajectory::{Column, ColumnKind, Ending, Frames, LoadTrack, Pose, Rows, Trajectory};
pub use values::{ParameterValues, SetError, set_value};
pub use vary::{Varied, vary};
