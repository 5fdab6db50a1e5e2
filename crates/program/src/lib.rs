//! The numeric program: straight-line values with a text form, a verifier and an interpreter.
//!
//! Absent by design: loops, branches, mechanics, algebra. Names are labels only. A program has one meaning,
//! the interpreter's; machine code and generated sources must repeat it bit for bit.
//!
//! In reading order:
//! - [`op`]: one operation; [`program`]: all of them, in stages; [`verify`](mod@verify): what must hold;
//! - [`builder`]: making a program, with sharing and folding, or from other programs;
//! - [`table`]: functions given by points; [`linear`]: dense systems; [`math`]: elementary functions;
//! - [`semantics`], [`execute`], [`interpreter`]: running it;
//! - [`text`]: printing and parsing; [`count`](mod@count): operation counts; [`cost_model`](mod@cost_model): what they cost;
//! - [`switching`]: where it is not smooth;
//! - [`passes`]: making it smaller and faster; [`derive`](mod@derive): exact derivatives; `differences`: those of functions of the host;
//! - [`testing`]: random programs for the tests of every engine.

pub mod cost_model;
pub mod semantics;

pub mod op;
pub mod program;
pub mod verify;

pub mod builder;

pub mod linear;
pub mod math;
pub mod table;

mod differences;
pub mod execute;
pub mod interpreter;

pub mod count;
pub mod text;

pub mod derive;
pub mod passes;
pub mod switching;

pub mod testing;

pub use crate::builder::{Math, ProgramBuilder};
pub use crate::count::{Counts, count, count_operations, count_values};
pub use crate::execute::{EvalError, Execute, Host, HostFunction, Unbound};
pub use crate::interpreter::Interpreter;
pub use crate::op::{
    Binary, Compare, Constant, CurveId, FunctionId, InputId, Logic, Op, OutputId, Solve, StageId, SurfaceId,
    Type, Unary, ValueId,
};
pub use crate::program::{Function, Input, Label, Output, Program, Stage, Stages};
pub use crate::switching::{Levels, SwitchingFunction, SwitchingProgram, switching_functions};
pub use crate::table::{Beyond, Curve, Kind, Surface, TableError};
pub use crate::text::{ParseError, parse};
pub use crate::verify::{VerifyError, verify};
