//! Every language: random programs and a pendulum, written, compiled with all warnings, run, and compared with
//! the interpreter.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use cardan_codegen::{Target, Work, emit};
use common::cases::{Case, awkward_case, pendulum_case, random_cases};
use common::drivers::compare;
use common::languages::{self, PYTHON};
use common::tools::{available, folder, numbers, python, run, write};

fn cases() -> Vec<Case> {
    let mut cases = random_cases();
    cases.push(pendulum_case());
    cases.push(awkward_case());
    cases
}

#[test]
fn c99() {
    languages::check_c99("random", &cases());
}

#[test]
fn rust() {
    languages::check_rust("random", &cases());
}

#[test]
fn cpp17() {
    languages::check_cpp17("random", &cases());
}

#[test]
fn fortran_2008() {
    languages::check_fortran_2008("random", &cases());
}

#[test]
fn fortran_77() {
    languages::check_fortran_77("random", &cases());
}

#[test]
fn python_numpy() {
    languages::check_python_numpy("random", &cases());
}

#[test]
fn matlab_octave() {
    languages::check_matlab_octave("random", &cases());
}

#[test]
fn webassembly() {
    languages::check_webassembly("random", &cases());
}

/// All inputs of a case at once, as arrays: lane by lane the results are those of single calls.
#[test]
fn python_with_arrays() {
    use cardan_base::Id;
    use cardan_codegen::{Passing, interface};
    if !available(python(), "python3-numpy") {
        return;
    }
    let cases = cases();
    let path = folder("python-arrays");
    let mut text = String::from("import inspect\nimport math\nimport numpy as np\n");
    text += "class Host:\n    product = staticmethod(lambda a, b: a*b + a)\n";
    text +=
        "    product_0 = staticmethod(lambda a, b: b + 1.0)\n    product_1 = staticmethod(lambda a, b: a)\n";
    text += "def call(f, *args):\n    first = next(iter(inspect.signature(f).parameters), None)\n";
    text += "    return f(Host, *args) if first == 'external' else f(*args)\n";
    for case in &cases {
        write(&path, &emit(&case.program, &case.library, Target::Python).unwrap());
        let face = interface(&case.program, &case.library).unwrap();
        let name = &case.library.name;
        let row = |x: &Vec<f64>| x.iter().map(|v| (PYTHON.number)(*v)).collect::<Vec<_>>().join(", ");
        let rows: Vec<String> = case.inputs.iter().map(|x| format!("[{}]", row(x))).collect();
        text += &format!(
            "import {name}\nX = np.array([{}]).T\nw = [0.0]*{}\nall = []\n",
            rows.join(", "),
            face.n_work
        );
        for (f, work) in case.library.functions.iter().zip(&face.functions) {
            let mut arguments: Vec<String> = Vec::new();
            for a in &f.arguments {
                let list: Vec<String> = a.inputs.iter().map(|i| i.index().to_string()).collect();
                arguments.push(match a.passing {
                    Passing::Scalar => format!("X[{}]", list[0]),
                    Passing::Array => format!("X[[{}]]", list.join(", ")),
                });
            }
            arguments.extend((*work != Work::Absent).then_some("w".to_owned()));
            text += &format!("y = call({name}.{}, {})\n", f.name, arguments.join(", "));
            text += "all += [np.broadcast_to(v, X.shape[1:]) for v in y]\n";
        }
        text += "for lane in np.array(all).T:\n    for v in lane:\n        print(repr(float(v)))\n";
    }
    std::fs::write(path.join("main.py"), text).unwrap();
    let out = run(&path, &[python(), "-B", "-W", "error", "main.py"]);
    compare(Target::Python, &cases, &numbers(&out));
}
