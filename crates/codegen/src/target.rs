//! The languages.

use cardan_program::Program;

use crate::c;
use crate::library::{EmitError, Library};
use crate::rust;
use crate::source::SourceFile;

/// A language to write in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// Rust without the standard library.
    Rust,
    /// C99.
    C,
    /// C++17.
    Cpp,
}

impl Target {
    /// All targets with the names by which people choose them.
    pub const ALL: [(Target, &'static str); 3] =
        [(Target::Rust, "rust"), (Target::C, "c"), (Target::Cpp, "cpp")];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(t, _)| *t == self).map_or("", |(_, name)| name)
    }

    /// The target of this name.
    pub fn named(name: &str) -> Option<Target> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(t, _)| *t)
    }
}

/// Writes a library of functions.
pub fn emit(program: &Program, library: &Library, target: Target) -> Result<Vec<SourceFile>, EmitError> {
    match target {
        Target::Rust => rust::library(program, library),
        Target::C => c::library(program, library),
        Target::Cpp => c::library_cpp(program, library),
    }
}
