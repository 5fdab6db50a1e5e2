//! From a short text about bodies, joints, forces and questions to equations of motion, machine code, motion and answers.
//!
//! ```text
//!        parse          resolve          derive, lower            compile                run
//!  text ───────▶ Tree ───────────▶ Model ─────────────▶ Program ───────────▶ Simulation ─────▶ Trajectory
//!       syntax          lang       equations, lower               sim, jit              sim, solve
//! ```
//!
//! Each arrow is a function here; each noun is a plain value that can be looked at on the way. Two calls do it all:
//!
//! ```
//! let text = "
//!     model pendulum
//!     gravity = -9.81 [m/s^2] * N.z
//!     body rod on N by rotate(y = q) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -1) [m] }
//!     start { q = 90 [deg] }
//!     simulate { to = 2 [s] }
//! ";
//! let run = cardan::run("pendulum.mbs", text)?;
//! assert!(run.trajectory.audit.relative() < 1e-9);
//! # Ok::<(), cardan::Error>(())
//! ```
//!
//! What is compiled runs again with other values, and a text that is wrong says where:
//!
//! ```
//! use cardan::prelude::*;
//!
//! let text = "
//!     parameter k = 4 [N/m], m = 1 [kg]
//!     particle block on N by translate(x = x) { mass = m }
//!     force coil on block.cm = -k * x * N.x
//!     start { x = 1 [m] }
//! ";
//! let mut compiled = compile("oscillator.mbs", text)?;
//! let settings = Settings { to: 3.0, ..Settings::default() };
//! for (k, frequency) in [(4.0, 2.0f64), (9.0, 3.0)] {
//!     compiled.simulation.set("k", k)?;
//!     let motion = compiled.simulation.run(&settings, &mut ())?;
//!     assert!((motion.last("x").unwrap() - (3.0 * frequency).cos()).abs() < 1e-9);
//! }
//!
//! let wrong = compile("oscillator.mbs", &text.replace("[N/m]", "[N]")).unwrap_err();
//! assert!(wrong.to_string().contains("oscillator.mbs:4:"));
//! # Ok::<(), cardan::Error>(())
//! ```
//!
//! Absent by design: logic of its own. The crates behind it are its modules ([`model`], [`equations`], [`sim`], …); the
//! page ARCHITECTURE.md of the repository says what each holds.
//!
//! - [`stages`]: the functions; `pipeline`: the same as methods of a model; `compiled`: a model ready to
//!   run; `results`: columns by name;
//! - [`builder`]: models built in a program;
//! - [`foreign`]: robots of other formats as models; [`translation`]: AUTOSIM's language and ADAMS data sets;
//! - [`error`]: what can go wrong, by whose fault;
//! - [`prelude`]: the names that most programs need.

pub use cardan_absolute as absolute;
pub use cardan_analysis as analysis;
pub use cardan_assembly as assembly;
pub use cardan_base as base;
pub use cardan_codegen as codegen;
pub use cardan_compile as compile;
pub use cardan_control as control;
pub use cardan_document as document;
pub use cardan_emit as emit;
pub use cardan_equations as equations;
pub use cardan_expand as expand;
pub use cardan_expr as expr;
pub use cardan_import as import;
pub use cardan_jit as jit;
pub use cardan_kinematics as kinematics;
pub use cardan_lang as lang;
pub use cardan_lower as lower;
pub use cardan_model as model;
pub use cardan_program as program;
pub use cardan_sim as sim;
pub use cardan_solve as solve;
pub use cardan_sweep as sweep;
pub use cardan_syntax as syntax;
pub use cardan_topology as topology;
pub use cardan_units as units;

pub mod builder;
mod compiled;
pub mod error;
pub mod foreign;
mod pipeline;
mod results;
pub mod stages;
pub mod translation;

pub use crate::compiled::Compiled;
pub use crate::error::Error;
pub use crate::foreign::import_text;
pub use crate::pipeline::ModelPipeline;
pub use crate::results::Results;
pub use crate::stages::{
    Options, Parsed, Resolved, Run, compile, compile_keeping, compile_model, compile_with, derive,
    expand_with, parse, quantity, resolve, resolve_whole, run, start_at_equilibrium, starts_at_equilibrium,
    study,
};
pub use crate::translation::{resolve_adams, resolve_autosim};

/// The names that most programs need: `use cardan::prelude::*;`
pub mod prelude {
    pub use crate::{
        Compiled, Error, ModelPipeline, Options, Resolved, Results, Run, compile, compile_model, parse,
        resolve, run,
    };
    pub use cardan_base::{Diagnostics, Sources};
    pub use cardan_equations::{Equations, Formalism};
    pub use cardan_model::Model;
    pub use cardan_program::Host;
    pub use cardan_sim::{Ending, Settings, Simulation, Trajectory};
    pub use cardan_solve::Method;
}
