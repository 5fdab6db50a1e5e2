//! The languages.

use cardan_program::Program;

use crate::languages::{c, fortran, fortran77, matlab, python, rust, wasm};
use crate::library::{EmitError, Library};
use crate::source::SourceFile;

/// A language to write in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// Rust without the standard library, dependencies or `unsafe`.
    Rust,
    /// C99.
    C,
    /// C++17.
    Cpp,
    /// Fortran 2008 in free form.
    Fortran,
    /// Fortran 77 in fixed form.
    Fortran77,
    /// Python with NumPy.
    Python,
    /// MATLAB or Octave function files.
    Matlab,
    /// A WebAssembly module.
    Wasm,
}

impl Target {
    /// All targets with the names by which people choose them.
    pub const ALL: [(Target, &'static str); 8] = [
        (Target::Rust, "rust"),
        (Target::C, "c"),
        (Target::Cpp, "cpp"),
        (Target::Fortran, "fortran"),
        (Target::Fortran77, "fortran77"),
        (Target::Python, "python"),
        (Target::Matlab, "matlab"),
        (Target::Wasm, "wasm"),
    ];

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
        Target::Fortran => fortran::library(program, library),
        Target::Fortran77 => fortran77::library(program, library),
        Target::Python => python::library(program, library),
        Target::Matlab => matlab::library(program, library),
        Target::Wasm => wasm::library(program, library),
    }
}
