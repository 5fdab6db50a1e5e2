//! The numeric program: straight-line values with a text form, a verifier and an interpreter.
//!
//! Absent by design: loops, branches, mechanics, algebra. Names are labels only. A program has one meaning,
//! the interpreter's; machine code and generated sources must repeat it bit for bit.
//!
//! In reading order:
//! - [`op`]: one operation; [`program`]: all of them, in stages; [`verify`](mod@verify): what must hold;
//! - [`builder`]: making a program, with sharing and folding (`simplify`), or from other programs (`splice`);
//! - [`table`]: functions given by points; [`linear`]: dense systems; [`math`]: elementary functions;
//! - [`meaning`], [`execute`], [`interpreter`]: running it;
//! - [`text`]: printing and parsing; [`count`](mod@count): operation counts; [`price`](mod@price): what they cost;
//! - [`passes`]: making it smaller and faster; [`derive`](mod@derive): exact derivatives; `differences`: those of functions of the host;
//! - [`testing`]: random programs for the tests of every engine.

pub mod op;
pub mod program;
pub mod verify;

pub mod builder;
mod simplify;
mod splice;

pub mod linear;
pub mod math;
pub mod table;

mod differences;
pub mod execute;
pub mod interpreter;
pub mod meaning;

pub mod count;
pub mod price;
pub mod text;

pub mod derive;
pub mod passes;

pub mod testing;

pub use builder::{Math, ProgramBuilder};
pub use count::{Counts, count, count_operations, count_values};
pub use execute::{EvalError, Execute, Host, HostFunction, Unbound};
pub use interpreter::Interpreter;
pub use op::{
    Binary, Compare, Constant, CurveId, FunctionId, InputId, Logic, Op, OutputId, Solve, StageId, SurfaceId,
    Type, Unary, ValueId,
};
pub use program::{Function, Input, Label, Output, Program, Stage, Stages};
pub use table::{Beyond, Curve, Kind, Surface, TableError};
pub use text::{ParseError, parse};
pub use verify::{VerifyError, verify};
