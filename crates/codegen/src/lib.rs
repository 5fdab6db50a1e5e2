//! Source code in other languages from a program.
//!
//! Absent by design: mechanics, algebra, files, compilers. A [`Library`] says which functions to write; a
//! [`Target`] says in which language; [`emit`] gives the files as plain values. What the
//! functions compute is the interpreter's meaning of the program, to rounding in the last digits of library
//! functions.
//!
//! ```
//! use cardan_codegen::{Library, Target, emit};
//! use cardan_program::{Label, Math, ProgramBuilder, Unary};
//!
//! let mut b = ProgramBuilder::new("hypotenuse", ["main"], Math::Strict);
//! let stage = b.stage("main").unwrap();
//! let [x, y] = ["x", "y"].map(|name| b.input(Label::new(name, "m", "a side"), stage));
//! let (x2, y2) = (b.powi(x, 2), b.powi(y, 2));
//! let sum = b.add(x2, y2);
//! let root = b.unary(Unary::Sqrt, sum);
//! b.output(Label::new("r", "m", "the long side"), stage, root);
//! let program = b.finish().unwrap();
//!
//! let files = emit(&program, &Library::whole(&program), Target::C).unwrap();
//! let source = String::from_utf8_lossy(files[1].bytes()).into_owned();
//! assert!(source.contains("y[0] = sqrt(x_2*x_2 + y_2*y_2); // r [m]: the long side"));
//! ```
//!
//! To add a language: a line in `writer::statement_syntax`, a folder in `languages` with a writer that implements `Language` (expressions) and `Statements` (bodies), a
//! text with its helper functions, a template of a main file; a line in [`Target`]; a driver in
//! `tests/languages.rs` and a build in `tests/simulation.rs`; its compiler in `tests/packages`.
//!
//! In reading order:
//! - [`library`]: what to write; [`target`]: in which languages; `externals`: functions that the user of the code provides;
//! - `plan`: what is computed, named and kept, the same in every language; `order`: which statement comes first;
//! - `names`: what things are called; `writer`: the parts of a file, in terms of a language;
//! - `languages`: C and C++, Fortran, FORTRAN 77, MATLAB, Python, Rust, WebAssembly;
//! - [`simulation`]: complete programs; [`source`]: the files.

mod externals;
pub mod library;
mod order;
mod plan;

mod names;

mod languages;
mod writer;

pub mod simulation;
pub mod source;
pub mod target;

pub use crate::externals::Provided;
pub use crate::library::{Argument, EmitError, FunctionSpec, Library, Passing, Results};
pub use crate::plan::{Interface, Work, interface};
pub use crate::simulation::{
    Correction, Events, Memory, Method, Parameter, Simulation, Start, State, Watched, emit_simulation,
};
pub use crate::source::{Contents, SourceFile};
pub use crate::target::{Target, emit};
