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
//! - [`assembly`]: positions and velocities that meet the constraints; `closing`: Newton's method; [`open`]: what stays open and why;
//! - [`branches`]: the positions in which the same loops close otherwise; `elbow`: what they look like; `continuum`: those that are one, because something still moves between them;
//! - [`fork`]: starts from which it goes on in more than one way; `kept`: which of the rows that repeat one another stay;
//! - [`choice`]: the formalism by the price of its operations; `race`: those that are compared, `bids`: where they meet, `errand`: what those given up do for the others;
//! - [`redundancy`]: which loops repeat constraints, in mechanical words; `rounding`: rows that say something of the size of the last digit;
//! - [`values`]: numbers for parameters and starts, by name;
//! - [`drawn`]: numbers along curves and over surfaces;
//! - [`plausible`]: masses and inertias that no matter can have;
//! - `resistance`: whether mass resists every motion that constraints admit;
//! - `undecided`: speeds that the start leaves open although they move;
//! - `undefined`: loads that are not finite at the start;
//! - [`findings`]: all that is wrong with a mechanism, with the place in its text;
//! - [`settings`]: the interval, the samples, the method; `asked`: what is wrong with those of a text;
//! - [`plan`]: where things are in the program's inputs and outputs;
//! - [`engine`]: machine code or interpreter;
//! - [`mod@breakpoints`]: the times at which functions of time switch; `switching`: what switches with the state;
//! - `corrector`: back onto the constraints; `jacobian`, `mechanism`: the program as a right-hand side with exact Jacobian and projection;
//! - `aimless`: constraints without a direction; `silent`: those that say nothing until a value changes; `singular`: positions in which constraints repeat one another; `parting`: constraints that repeat others at the start only; `partition`: independent coordinates; `stabilised`: closed loops as differential and algebraic equations;
//! - [`independent`]: coordinates that determine the others in closed form; `closed`: the motion of these; `handover`: near dead points;
//! - [`audit`]: the energy balance;
//! - `smallness`: small angles and lengths that did not stay small;
//! - [`recorder`], `follower`: states to rows of results; `corner`: rows where rates jump; [`slide`]: motions that switches hold; [`hold`]: single states;
//! - `chatter`: events and switches that will never end;
//! - `impulse`: speeds that change at once; [`hybrid`]: events, sampled blocks, discrete states;
//! - [`lock`]: turns one after the other that lose an axis;
//! - [`trajectory`]: what is left behind;
//! - [`simulation`]: the run;
//! - [`mod@vary`], [`ensemble`]: many runs that differ in parameters and starts.

pub mod aimless;
mod assembly;
mod bids;
pub mod branches;
pub mod choice;
mod closing;
mod continuum;
pub mod drawn;
mod elbow;
mod errand;
pub mod findings;
pub mod fork;
mod kept;
pub mod lock;
pub mod open;
pub mod plausible;
mod race;
pub mod redundancy;
mod resistance;
mod rounding;
mod undecided;
mod undefined;
pub mod values;

mod asked;
pub mod settings;

pub mod breakpoints;
pub mod engine;
pub mod plan;

mod closed;
mod corner;
mod corrector;
mod follower;
mod handover;
pub mod hold;
pub mod impulse;
mod independent;
mod jacobian;
mod mechanism;
mod parting;
mod partition;
mod silent;
mod singular;
mod stabilised;
mod switching;

pub mod audit;
mod chatter;
pub mod ensemble;
pub mod hybrid;
pub mod recorder;
pub mod simulation;
pub mod slide;
mod smallness;
pub mod trajectory;
pub mod vary;

pub use asked::examine_settings;
pub use assembly::{Assembled, Begin, How, Loops, Placed, RowName, assemble};
pub use audit::{Audit, Closure, Verdict};
pub use branches::{Branch, Branches, branches};
pub use choice::{Choice, ChoiceError, ChosenLoops, Considered, assembled, choose, choose_keeping};
pub use engine::{Engine, EngineKind};
pub use ensemble::{Ensemble, Followed, Member};
pub use findings::{diagnose, diagnose_parting, diagnose_start, examine, examine_matter};
pub use fork::{Fork, Way};
pub use handover::Handover;
pub use hold::Hold;
pub use hybrid::{Happening, Happenings};
pub use independent::{ClosedForm, closed_form};
pub use jacobian::JacobianWay;
pub use open::{AssemblyError, Fight, OpenLoop};
pub use parting::Parting;
pub use plan::Plan;
pub use plausible::{Doubt, implausible};
pub use recorder::{Observer, columns};
pub use redundancy::{Mobility, Repetition};
pub use settings::{ConstraintForm, Settings, SettingsError};
pub use simulation::{Simulation, StartError};
pub use singular::Passage;
pub use slide::Slide;
pub use switching::switch_words;
pub use trajectory::{Beginning, Column, ColumnKind, Ending, Frames, LoadTrack, Pose, Rows, Trajectory};
pub use values::{ParameterValues, SetError, guess_value, set_value};
pub use vary::{Varied, vary};
