//! One function per language: all cases written, compiled with all warnings, run, and compared with the interpreter.

use cardan_codegen::{Target, Work, emit};

use super::cases::Case;
use super::drivers::{Syntax, compare, number, statements};
use super::toolchains::compiler;
use super::tools::{available, folder, numbers, python, run, write};

/// Writes all libraries into a folder of their own.
fn write_all(set: &str, target: Target, cases: &[Case]) -> std::path::PathBuf {
    let path = folder(&format!("{set}-{}", target.name()));
    for case in cases {
        write(&path, &emit(&case.program, &case.library, target).unwrap());
    }
    path
}

pub const C: Syntax = Syntax {
    number: |x| number(x, "NAN", "INFINITY"),
    constant: |name, list| {
        let list = if list.is_empty() { "0.0".to_owned() } else { list.join(", ") };
        format!("const double {name}[] = {{{list}}};\n")
    },
    variable: |name, n| format!("double {name}[{}];\n", n.max(1)),
    call: |call| format!("{}_{}({});\n", call.library, call.function, call.all()),
    show: |name, n| format!("show({name}, {n});\n"),
    block: ("{\n", "}\n"),
};

/// Writes, compiles and runs; compares with what is expected.
pub fn check_c99(set: &str, cases: &[Case]) {
    if !available("gcc", "gcc") {
        return;
    }
    let path = write_all(set, Target::C, cases);
    let mut text = String::from("#include <math.h>\n#include <stdio.h>\n");
    for case in cases {
        text += &format!("#include \"{}.h\"\n", case.library.name);
    }
    text += "double product(double a, double b) { return a*b + a; }\n";
    text += "double product_0(double a, double b) { (void)a; return b + 1.0; }\n";
    text += "double product_1(double a, double b) { (void)b; return a; }\n";
    text += "static void show(const double *y, int n)\n{\n    for (int i = 0; i < n; ++i) printf(\"%.17g\\n\", y[i]);\n}\n";
    text += &format!("int main(void)\n{{\n{}return 0;\n}}\n", statements(cases, &C));
    std::fs::write(path.join("main.c"), text).unwrap();
    let sources: Vec<String> = cases.iter().map(|c| format!("{}.c", c.library.name)).collect();
    let mut command = [compiler(Target::C), &[effort(cases)]].concat();
    command.extend(["-o", "main", "main.c"]);
    command.extend(sources.iter().map(String::as_str));
    command.push("-lm");
    run(&path, &command);
    compare(Target::C, cases, &numbers(&run(&path, &["./main"])));
}

pub const RUST: Syntax = Syntax {
    number: |x| number(x, "f64::NAN", "f64::INFINITY"),
    constant: |name, list| format!("let {name} = [{}];\n", list.join(", ")),
    variable: |name, n| format!("let mut {name} = [0.0; {n}];\n"),
    call: |call| {
        let argument = |a: &String| if a.starts_with('x') { format!("&{a}") } else { a.clone() };
        let mut all: Vec<String> = call.arguments.iter().map(argument).collect();
        match call.work {
            Work::Absent => {}
            Work::Read => all.push("&w".into()),
            Work::Written => all.push("&mut w".into()),
        }
        all.extend(call.results.iter().map(|r| format!("&mut {r}")));
        format!("call!({}::{}, {});\n", call.library, call.function, all.join(", "))
    },
    show: |name, _| format!("show(&{name});\n"),
    block: ("{\n", "}\n"),
};

/// Writes, compiles and runs; compares with what is expected.
pub fn check_rust(set: &str, cases: &[Case]) {
    if !available("rustc", "rustc") {
        return;
    }
    let path = write_all(set, Target::Rust, cases);
    let mut library = String::from("#![no_std]\n#![forbid(unsafe_code)]\n");
    for case in cases {
        library += &format!("pub mod {};\n", case.library.name);
    }
    std::fs::write(path.join("generated.rs"), library).unwrap();
    let mut text = String::from("#![allow(unused_mut)]\nuse generated::*;\nfn show(y: &[f64]) {\n");
    text += "    for v in y { println!(\"{v:e}\"); }\n}\n";
    for case in cases {
        let contents = std::fs::read_to_string(path.join(format!("{}.rs", case.library.name))).unwrap();
        if !contents.contains("trait External") {
            continue;
        }
        text += &format!("impl {}::External for Host {{\n", case.library.name);
        for (name, value) in [("product", "a * b + a"), ("product_0", "b + 1.0"), ("product_1", "a")] {
            if contents.contains(&format!("fn {name}(&self")) {
                text += &format!(
                    "    #[allow(unused_variables)]\n    fn {name}(&self, a: f64, b: f64) -> f64 {{ {value} }}\n"
                );
            }
        }
        text += "}\n";
    }
    text += "#[allow(dead_code)]\nstruct Host;\n";
    let body = statements(cases, &RUST);
    text += "fn main() {\n";
    for line in body.lines() {
        let line = match line.strip_prefix("call!(") {
            None => line.to_owned(),
            Some(rest) => {
                let (name, arguments) = rest.split_once(", ").unwrap();
                let (module, function) = name.split_once("::").unwrap();
                let contents = std::fs::read_to_string(path.join(format!("{module}.rs"))).unwrap();
                let takes_host = contents.contains(&format!("pub fn {function}(external:"));
                format!("{name}({}{arguments}", if takes_host { "&Host, " } else { "" })
            }
        };
        text += &line;
        text.push('\n');
    }
    text += "}\n";
    std::fs::write(path.join("main.rs"), text).unwrap();
    let level = if effort(cases) == "-O0" { "opt-level=0" } else { "opt-level=2" };
    let strict = [compiler(Target::Rust), &["-C", level]].concat();
    run(&path, &[&strict[..], &["--crate-type", "lib", "generated.rs"]].concat());
    run(&path, &[&strict[..], &["--extern", "generated=libgenerated.rlib", "main.rs"]].concat());
    compare(Target::Rust, cases, &numbers(&run(&path, &["./main"])));
}

pub const CPP: Syntax =
    Syntax { call: |call| format!("{}::{}({});\n", call.library, call.function, call.all()), ..C };

/// Writes, compiles and runs; compares with what is expected.
pub fn check_cpp17(set: &str, cases: &[Case]) {
    if !available("g++", "g++") {
        return;
    }
    let path = write_all(set, Target::Cpp, cases);
    let mut text = String::from("#include <cmath>\n#include <cstdio>\n");
    for case in cases {
        text += &format!("#include \"{}.hpp\"\n", case.library.name);
    }
    text += "extern \"C\" double product(double a, double b) { return a*b + a; }\n";
    text += "extern \"C\" double product_0(double, double b) { return b + 1.0; }\n";
    text += "extern \"C\" double product_1(double a, double) { return a; }\n";
    text += "static void show(const double *y, int n)\n{\n    for (int i = 0; i < n; ++i) std::printf(\"%.17g\\n\", y[i]);\n}\n";
    text += &format!("int main()\n{{\n{}}}\n", statements(cases, &CPP));
    std::fs::write(path.join("main.cpp"), text).unwrap();
    let sources: Vec<String> = cases.iter().map(|c| format!("{}.cpp", c.library.name)).collect();
    let mut command = [compiler(Target::Cpp), &[effort(cases)]].concat();
    command.extend(["-o", "main", "main.cpp"]);
    command.extend(sources.iter().map(String::as_str));
    run(&path, &command);
    compare(Target::Cpp, cases, &numbers(&run(&path, &["./main"])));
}

pub const FORTRAN: Syntax = Syntax {
    number: |x| match x {
        x if x.is_nan() => "nan".into(),
        x if x.is_infinite() => {
            if x > 0.0 {
                "inf".into()
            } else {
                "-inf".into()
            }
        }
        x => format!("{x:?}_dp"),
    },
    constant: |name, list| format!("{name}(:{}) = [real(dp) :: {}]\n", list.len(), list.join(", &\n")),
    variable: |_, _| String::new(),
    call: |call| format!("call {}_{}({})\n", call.library, call.function, call.all()),
    show: |name, n| format!("call show({name}, {n})\n"),
    block: ("", ""),
};

/// Writes, compiles and runs; compares with what is expected.
pub fn check_fortran_2008(set: &str, cases: &[Case]) {
    if !available("gfortran", "gfortran") {
        return;
    }
    let path = write_all(set, Target::Fortran, cases);
    let mut text = String::new();
    for (name, value) in [
        ("product_function", "a*b + a"),
        ("product_0", "b + 1.0_dp + 0.0_dp*a"),
        ("product_1", "a + 0.0_dp*b"),
    ] {
        text += &format!(
            "pure function {name}(a, b) result(y)\nuse, intrinsic :: iso_fortran_env, only: dp => real64\nimplicit none\n"
        );
        text += &format!("real(dp), intent(in) :: a, b\nreal(dp) :: y\ny = {value}\nend function {name}\n");
    }
    text = text.replace(" + 0.0_dp*a", "\nif (a > 1e300_dp) y = b + 1.0_dp");
    text = text.replace(" + 0.0_dp*b", "\nif (b > 1e300_dp) y = a");
    text += "program main\nuse, intrinsic :: iso_fortran_env, only: dp => real64\nuse, intrinsic :: ieee_arithmetic\n";
    for case in cases {
        let name = &case.library.name;
        let list: Vec<String> =
            case.library.functions.iter().map(|f| format!("{name}_{0} => {0}", f.name)).collect();
        text += &format!("use {name}, only: {}\n", list.join(", &\n"));
    }
    text += "implicit none\nreal(dp) :: w(9999), nan, inf\n";
    text += &fortran_arrays(cases);
    text += "nan = ieee_value(1.0_dp, ieee_quiet_nan)\ninf = ieee_value(1.0_dp, ieee_positive_inf)\n";
    text += &statements(cases, &FORTRAN);
    text += "contains\nsubroutine show(y, n)\nreal(dp), intent(in) :: y(:)\ninteger, intent(in) :: n\ninteger :: i\n";
    text += "do i = 1, n\nprint '(es26.17e3)', y(i)\nend do\nend subroutine show\nend program main\n";
    std::fs::write(path.join("main.f90"), text).unwrap();
    let sources: Vec<String> = cases.iter().map(|c| format!("{}.f90", c.library.name)).collect();
    let strict = [compiler(Target::Fortran), &[effort(cases), "-c"]].concat();
    let mut command = strict;
    command.extend(sources.iter().map(String::as_str));
    run(&path, &command);
    let objects: Vec<String> = cases.iter().map(|c| format!("{}.o", c.library.name)).collect();
    let mut command = vec!["gfortran", "-std=f2008", "-o", "main", "main.f90"];
    command.extend(objects.iter().map(String::as_str));
    run(&path, &command);
    compare(Target::Fortran, cases, &numbers(&run(&path, &["./main"])));
}

/// Writes, compiles and runs; compares with what is expected.
pub fn check_fortran_77(set: &str, cases: &[Case]) {
    if !available("gfortran", "gfortran") {
        return;
    }
    let path = write_all(set, Target::Fortran77, cases);
    let mut text = String::new();
    for (name, value) in [("product", "a*b + a"), ("product_0", "b + 1.0d0"), ("product_1", "a")] {
        text += &format!(
            "double precision function {name}(a, b)\ndouble precision a, b\n{name} = {value}\nend\n"
        );
    }
    text += "program main\nuse, intrinsic :: iso_fortran_env, only: dp => real64\nuse, intrinsic :: ieee_arithmetic\n";
    text += "implicit none\nreal(dp) :: w(9999), nan, inf\n";
    text += &fortran_arrays(cases);
    text += "nan = ieee_value(1.0_dp, ieee_quiet_nan)\ninf = ieee_value(1.0_dp, ieee_positive_inf)\n";
    text += &statements(cases, &FORTRAN);
    text += "contains\nsubroutine show(y, n)\nreal(dp), intent(in) :: y(:)\ninteger, intent(in) :: n\ninteger :: i\n";
    text += "do i = 1, n\nprint '(es26.17e3)', y(i)\nend do\nend subroutine show\nend program main\n";
    std::fs::write(path.join("main.f90"), text).unwrap();
    let sources: Vec<String> = cases.iter().map(|c| format!("{}.f", c.library.name)).collect();
    for source in &sources {
        let text = std::fs::read_to_string(path.join(source)).unwrap();
        let wide = text.lines().find(|l| !l.starts_with('C') && l.chars().count() > 72);
        assert_eq!(wide, None, "{source} has a line beyond column 72");
    }
    let strict = [compiler(Target::Fortran77), &[effort(cases), "-c"]].concat();
    let mut command = strict;
    command.extend(sources.iter().map(String::as_str));
    run(&path, &command);
    let objects: Vec<String> = cases.iter().map(|c| format!("{}.o", c.library.name)).collect();
    let mut command = vec!["gfortran", "-o", "main", "main.f90"];
    command.extend(objects.iter().map(String::as_str));
    run(&path, &command);
    compare(Target::Fortran77, cases, &numbers(&run(&path, &["./main"])));
}

pub const PYTHON: Syntax = Syntax {
    number: |x| number(x, "math.nan", "math.inf"),
    constant: |name, list| format!("{name} = [{}]\n", list.join(", ")),
    variable: |name, n| format!("{name} = [0.0]*{n}\n"),
    call: |call| {
        let work = (call.work != Work::Absent).then_some("w".to_owned());
        let all: Vec<String> = call.arguments.iter().cloned().chain(work).collect();
        let (library, function) = (call.library, call.function);
        format!("{} = call({library}.{function}, {})\n", call.results.join(", "), all.join(", "))
    },
    show: |name, _| format!("show({name})\n"),
    block: ("", ""),
};

/// Writes, compiles and runs; compares with what is expected.
pub fn check_python_numpy(set: &str, cases: &[Case]) {
    if !available(python(), "python3-numpy") {
        return;
    }
    let path = write_all(set, Target::Python, cases);
    let mut text = String::from("import inspect\nimport math\n");
    for case in cases {
        text += &format!("import {}\n", case.library.name);
    }
    text += "\n\nclass Host:\n    product = staticmethod(lambda a, b: a*b + a)\n";
    text +=
        "    product_0 = staticmethod(lambda a, b: b + 1.0)\n    product_1 = staticmethod(lambda a, b: a)\n";
    text += "\n\ndef call(f, *args):\n    first = next(iter(inspect.signature(f).parameters), None)\n";
    text += "    return f(Host, *args) if first == 'external' else f(*args)\n";
    text += "\n\ndef show(y):\n    for v in y:\n        print(repr(float(v)))\n\n\n";
    text += &statements(cases, &PYTHON);
    std::fs::write(path.join("main.py"), text).unwrap();
    let out = run(&path, &[python(), "-B", "-W", "error", "main.py"]);
    compare(Target::Python, cases, &numbers(&out));
}

pub const MATLAB: Syntax = Syntax {
    number: |x| number(x, "NaN", "Inf"),
    constant: |name, list| format!("{name} = [{}];\n", list.join(", ")),
    variable: |name, n| format!("{name} = zeros({n}, 1);\n"),
    call: |call| {
        let work = (call.work != Work::Absent).then_some("w".to_owned());
        let all: Vec<String> = call.arguments.iter().cloned().chain(work).collect();
        let written = (call.work == Work::Written).then_some("w".to_owned());
        let left: Vec<String> = written.into_iter().chain(call.results.iter().cloned()).collect();
        format!("[{}] = {}_{}({});\n", left.join(", "), call.library, call.function, all.join(", "))
    },
    show: |name, n| if n == 0 { String::new() } else { format!("printf('%.17g\\n', {name});\n") },
    block: ("", ""),
};

/// Writes, compiles and runs; compares with what is expected.
pub fn check_matlab_octave(set: &str, cases: &[Case]) {
    if !available("octave-cli", "octave") {
        return;
    }
    let path = write_all(set, Target::Matlab, cases);
    for (name, value) in [("product", "a*b + a"), ("product_0", "b + 1"), ("product_1", "a")] {
        let text = format!("function y = {name}(a, b)\n    y = {value};\nend\n");
        std::fs::write(path.join(format!("{name}.m")), text).unwrap();
    }
    std::fs::write(path.join("main.m"), format!("1;\n{}", statements(cases, &MATLAB))).unwrap();
    let out = run(&path, &["octave-cli", "--no-gui", "--no-init-file", "--quiet", "main.m"]);
    compare(Target::Matlab, cases, &numbers(&out));
}

pub const JAVASCRIPT: Syntax = Syntax {
    number: |x| number(x, "NaN", "Infinity"),
    constant: |name, list| format!("const {name} = [{}];\n", list.join(", ")),
    variable: |name, n| format!("const {name} = new Array({n}).fill(0);\n"),
    call: |call| {
        let work = if call.work == Work::Absent { "null" } else { "w" };
        let (arguments, results) = (call.arguments.join(", "), call.results.join(", "));
        format!("call('{}', '{}', [{arguments}], {work}, [{results}]);\n", call.library, call.function)
    },
    show: |name, _| format!("{name}.forEach(v => console.log(String(v)));\n"),
    block: ("{\n", "}\n"),
};

/// Puts arrays into a module's memory, calls, and takes results out.
const RUNNER: &str = "
import { readFileSync } from 'node:fs';
const env = { product: (a, b) => a*b + a, product_0: (a, b) => b + 1, product_1: (a, b) => a };
const modules = {};
function load(name) {
    if (!modules[name]) {
        const module = new WebAssembly.Module(readFileSync(name + '.wasm'));
        modules[name] = new WebAssembly.Instance(module, { env });
    }
    return modules[name];
}
function call(library, name, inputs, w, results) {
    const { exports } = load(library);
    const numbers = new Float64Array(exports.memory.buffer);
    let free = exports.free.value/8;
    const put = list => {
        const at = free;
        numbers.set(list, at);
        free += list.length;
        return 8*at;
    };
    const all = inputs.map(x => typeof x === 'number' ? x : put(x));
    const placed = (w === null ? results : [w, ...results]).map(list => [list, put(list)]);
    exports[name](...all, ...placed.map(p => p[1]));
    for (const [list, at] of placed) list.forEach((_, i) => { list[i] = numbers[at/8 + i]; });
}
";

/// Writes, compiles and runs; compares with what is expected.
pub fn check_webassembly(set: &str, cases: &[Case]) {
    if !available("node", "nodejs") {
        return;
    }
    let path = write_all(set, Target::Wasm, cases);
    std::fs::write(path.join("main.mjs"), format!("{RUNNER}{}", statements(cases, &JAVASCRIPT))).unwrap();
    compare(Target::Wasm, cases, &numbers(&run(&path, &["node", "main.mjs"])));
}

/// Declares the arrays that calls of any case use; the same names serve all cases.
fn fortran_arrays(cases: &[Case]) -> String {
    let all = || cases.iter().flat_map(|c| &c.library.functions);
    let functions = cases.iter().map(|c| c.library.functions.len()).max().unwrap_or(0);
    let vectors = all().map(|f| f.arguments.len().max(f.results.len())).max().unwrap_or(0);
    let inputs = all().flat_map(|f| &f.arguments).map(|a| a.inputs.len()).max().unwrap_or(0);
    let outputs = all().flat_map(|f| &f.results).map(|r| r.outputs.len()).max().unwrap_or(0);
    let size = inputs.max(outputs).max(1);
    let mut text = String::new();
    for k in 0..functions {
        for j in 0..vectors {
            text += &format!("real(dp) :: x{k}_{j}({size})\n");
            text += &format!("real(dp) :: y{k}_{j}({size})\n");
        }
    }
    text
}

/// Compilers take minutes over thousands of operations in one function if they may; such programs are not optimised.
fn effort(cases: &[Case]) -> &'static str {
    if cases.iter().any(|c| c.program.values().len() > 3000) { "-O0" } else { "-O1" }
}
