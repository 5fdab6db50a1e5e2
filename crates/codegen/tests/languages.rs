//! Every language: random programs and a pendulum, written, compiled with all warnings, run, and compared with
//! the interpreter.

mod common;

use cardan_codegen::{Target, emit};
use common::cases::{Case, pendulum_case, random_cases};
use common::drivers::{Syntax, compare, number, statements};
use common::tools::{available, folder, numbers, run, write};

fn cases() -> Vec<Case> {
    let mut cases = random_cases();
    cases.push(pendulum_case());
    cases
}

/// Writes all libraries into a folder of their own.
fn write_all(target: Target, cases: &[Case]) -> std::path::PathBuf {
    let path = folder(target.name());
    for case in cases {
        write(&path, &emit(&case.program, &case.library, target).unwrap());
    }
    path
}

const C: Syntax = Syntax {
    number: |x| number(x, "NAN", "INFINITY"),
    constant: |name, list| format!("const double {name}[] = {{{}}};\n", list.join(", ")),
    variable: |name, n| format!("double {name}[{}];\n", n.max(1)),
    call: |library, f, arguments, work, results| {
        let mut all = arguments.to_vec();
        all.extend(work.map(|_| "w".to_owned()));
        all.extend_from_slice(results);
        format!("{library}_{f}({});\n", all.join(", "))
    },
    show: |name, n| format!("show({name}, {n});\n"),
    block: ("{\n", "}\n"),
};

#[test]
fn c99() {
    if !available("gcc", "gcc") {
        return;
    }
    let cases = cases();
    let path = write_all(Target::C, &cases);
    let mut text = String::from("#include <math.h>\n#include <stdio.h>\n");
    for case in &cases {
        text += &format!("#include \"{}.h\"\n", case.library.name);
    }
    text += "double product(double a, double b) { return a*b + a; }\n";
    text += "double product_0(double a, double b) { (void)a; return b + 1.0; }\n";
    text += "double product_1(double a, double b) { (void)b; return a; }\n";
    text += "static void show(const double *y, int n)\n{\n    for (int i = 0; i < n; ++i) printf(\"%.17g\\n\", y[i]);\n}\n";
    text += &format!("int main(void)\n{{\n{}return 0;\n}}\n", statements(&cases, &C));
    std::fs::write(path.join("main.c"), text).unwrap();
    let sources: Vec<String> = cases.iter().map(|c| format!("{}.c", c.library.name)).collect();
    let mut command =
        vec!["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"];
    command.extend(["-o", "main", "main.c"]);
    command.extend(sources.iter().map(String::as_str));
    command.push("-lm");
    run(&path, &command);
    compare(Target::C, &cases, &numbers(&run(&path, &["./main"])));
}

const RUST: Syntax = Syntax {
    number: |x| number(x, "f64::NAN", "f64::INFINITY"),
    constant: |name, list| format!("let {name} = [{}];\n", list.join(", ")),
    variable: |name, n| format!("let mut {name} = [0.0; {n}];\n"),
    call: |library, f, arguments, work, results| {
        let mut all: Vec<String> =
            arguments.iter().map(|a| if a.starts_with('x') { format!("&{a}") } else { a.clone() }).collect();
        all.extend(work.map(|w| format!("&{w}")));
        all.extend(results.iter().map(|r| format!("&mut {r}")));
        format!("call!({library}::{f}, {});\n", all.join(", "))
    },
    show: |name, _| format!("show(&{name});\n"),
    block: ("{\n", "}\n"),
};

#[test]
fn rust() {
    if !available("rustc", "rustc") {
        return;
    }
    let cases = cases();
    let path = write_all(Target::Rust, &cases);
    let mut library = String::from("#![no_std]\n#![forbid(unsafe_code)]\n");
    for case in &cases {
        library += &format!("pub mod {};\n", case.library.name);
    }
    std::fs::write(path.join("generated.rs"), library).unwrap();
    let mut text = String::from("#![allow(unused_mut)]\nuse generated::*;\nfn show(y: &[f64]) {\n");
    text += "    for v in y { println!(\"{v:e}\"); }\n}\n";
    for case in &cases {
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
    text += "struct Host;\n";
    let body = statements(&cases, &RUST);
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
    let strict = ["rustc", "--edition", "2021", "-O", "-D", "warnings"];
    run(&path, &[&strict[..], &["--crate-type", "lib", "generated.rs"]].concat());
    run(&path, &[&strict[..], &["--extern", "generated=libgenerated.rlib", "main.rs"]].concat());
    compare(Target::Rust, &cases, &numbers(&run(&path, &["./main"])));
}
