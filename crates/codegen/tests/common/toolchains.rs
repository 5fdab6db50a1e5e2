//! How each language is compiled and run, with all warnings on and none allowed; and the function of the host that tests call.

use std::path::Path;

use cardan_codegen::Target;

use super::tools::{available, python, run};

/// The languages of complete programs.
pub const LANGUAGES: [Target; 7] = [
    Target::C,
    Target::Cpp,
    Target::Rust,
    Target::Fortran,
    Target::Fortran77,
    Target::Python,
    Target::Matlab,
];

/// The compiler with its warnings, as errors; nothing for languages that are interpreted.
pub fn compiler(target: Target) -> &'static [&'static str] {
    match target {
        Target::C => {
            &["gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"]
        }
        Target::Cpp => {
            &["g++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"]
        }
        Target::Rust => &["rustc", "--edition", "2021", "-D", "warnings"],
        Target::Fortran => &["gfortran", "-std=f2008", "-Wall", "-Wextra", "-pedantic", "-Werror"],
        Target::Fortran77 => &["gfortran", "-std=legacy", "-ffixed-form", "-Wall", "-Wextra", "-Werror"],
        _ => &[],
    }
}

/// Whether the tools of a language are there; if not, the test fails and names the package.
pub fn ready(target: Target) -> bool {
    let (program, package) = match target {
        Target::C => ("gcc", "gcc"),
        Target::Cpp => ("g++", "g++"),
        Target::Rust => ("rustc", "rustc"),
        Target::Fortran | Target::Fortran77 => ("gfortran", "gfortran"),
        Target::Python => (python(), "python3-numpy"),
        Target::Matlab => ("octave-cli", "octave"),
        Target::Wasm => ("node", "nodejs"),
    };
    available(program, package)
}

/// Builds a complete program whose library has this name, with a further source file if there is one; the command that runs it.
pub fn built(target: Target, folder: &Path, name: &str, further: Option<&str>) -> Vec<String> {
    let ending = match target {
        Target::C => "c",
        Target::Cpp => "cpp",
        Target::Rust => "rs",
        Target::Fortran => "f90",
        Target::Fortran77 => "f",
        Target::Python => "py",
        Target::Matlab | Target::Wasm => "m",
    };
    let (library, main) = (format!("{name}.{ending}"), format!("{name}_main.{ending}"));
    let strict = compiler(target);
    match target {
        Target::Python => return words(&[python(), "-B", "-W", "error", &main]),
        Target::Matlab | Target::Wasm => {
            return words(&["octave-cli", "--no-gui", "--no-init-file", "--quiet", &main]);
        }
        Target::Rust => {
            run(folder, &[strict, &["-C", "opt-level=1", "-o", "main", &main]].concat());
        }
        _ => {
            // The function of the host has the name of an intrinsic one on purpose.
            let strict = match further {
                Some(_) if target == Target::Fortran77 => &[strict, &["-Wno-intrinsic-shadow"]].concat(),
                _ => strict,
            };
            let files: Vec<&str> = [library.as_str(), &main].into_iter().chain(further).collect();
            run(folder, &[strict, &["-O1", "-o", "main"], &files, &["-lm"]].concat());
        }
    }
    words(&["./main"])
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|w| (*w).to_owned()).collect()
}

/// The function `product(a, b) = a b + a` as a host of complete programs provides it: name of the file, text.
pub fn host_file(target: Target, library: &str) -> (&'static str, String) {
    match target {
        Target::C => (
            "product.c",
            "double product(double a, double b);\ndouble product(double a, double b) { return a*b + a; }\n".into(),
        ),
        Target::Cpp => (
            "product.cpp",
            "extern \"C\" double product(double a, double b);\nextern \"C\" double product(double a, double b) { return a*b + a; }\n".into(),
        ),
        Target::Rust => (
            "external.rs",
            format!("pub struct Functions;\nimpl crate::{library}::External for Functions {{\n    fn product(&self, a: f64, b: f64) -> f64 {{\n        a * b + a\n    }}\n}}\n"),
        ),
        Target::Fortran => (
            "external.f90",
            "pure function product_function(a, b) result(y)\n    double precision, intent(in) :: a, b\n    double precision :: y\n    y = a*b + a\nend function\n".into(),
        ),
        Target::Fortran77 => (
            "external.f",
            "      DOUBLE PRECISION FUNCTION PRODUCT(A, B)\n      DOUBLE PRECISION A, B\n      PRODUCT = A*B + A\n      END\n".into(),
        ),
        Target::Python => ("external.py", "def product(a, b):\n    return a*b + a\n".into()),
        Target::Matlab | Target::Wasm => {
            ("product.m", "function y = product(a, b)\n    y = a*b + a;\nend\n".into())
        }
    }
}

/// Runs a program that was built.
pub fn run_built(folder: &Path, command: &[String]) {
    run(folder, &command.iter().map(String::as_str).collect::<Vec<_>>());
}
