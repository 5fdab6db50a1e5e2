//! Main programs that call generated functions and print their results, one number per line.

use cardan_codegen::{Interface, Passing, Target, Work, interface};

use super::cases::Case;

/// How a language writes a call of each function in turn.
pub struct Syntax {
    /// A number.
    pub number: fn(f64) -> String,
    /// A statement that makes a constant array: name, numbers.
    pub constant: fn(&str, &[String]) -> String,
    /// A statement that makes a writable array: name, length.
    pub variable: fn(&str, usize) -> String,
    /// A call.
    pub call: fn(&Call) -> String,
    /// Prints an array of results: name, length.
    pub show: fn(&str, usize) -> String,
    /// Around each run.
    pub block: (&'static str, &'static str),
}

/// One call of a generated function.
pub struct Call<'a> {
    pub library: &'a str,
    pub function: &'a str,
    pub arguments: &'a [String],
    pub work: Work,
    pub results: &'a [String],
}

impl Call<'_> {
    /// Arguments, work array and results in the order of most languages.
    pub fn all(&self) -> String {
        let work = (self.work != Work::Absent).then_some("w".to_owned());
        self.arguments
            .iter()
            .cloned()
            .chain(work)
            .chain(self.results.iter().cloned())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The statements that run every case with all of its inputs.
pub fn statements(cases: &[Case], syntax: &Syntax) -> String {
    let mut text = String::new();
    for case in cases {
        let face = interface(&case.program, &case.library).unwrap();
        for inputs in &case.inputs {
            text += syntax.block.0;
            text += &one_run(case, &face, inputs, syntax);
            text += syntax.block.1;
        }
    }
    text
}

fn one_run(case: &Case, face: &Interface, inputs: &[f64], syntax: &Syntax) -> String {
    use cardan_base::Id;
    let mut text = String::new();
    if face.n_work > 0 {
        text += &(syntax.variable)("w", face.n_work);
    }
    for (k, f) in case.library.functions.iter().enumerate() {
        let mut arguments = Vec::new();
        for (j, a) in f.arguments.iter().enumerate() {
            let list: Vec<String> = a.inputs.iter().map(|i| (syntax.number)(inputs[i.index()])).collect();
            if a.passing == Passing::Scalar {
                arguments.push(list[0].clone());
            } else {
                let name = format!("x{k}_{j}");
                text += &(syntax.constant)(&name, &list);
                arguments.push(name);
            }
        }
        let mut results = Vec::new();
        for (j, r) in f.results.iter().enumerate() {
            let name = format!("y{k}_{j}");
            text += &(syntax.variable)(&name, r.outputs.len());
            results.push(name);
        }
        text += &(syntax.call)(&Call {
            library: &case.library.name,
            function: &f.name,
            arguments: &arguments,
            work: face.functions[k],
            results: &results,
        });
        for (name, r) in results.iter().zip(&f.results) {
            text += &(syntax.show)(name, r.outputs.len());
        }
    }
    text
}

/// Compares what a program printed with what is expected.
pub fn compare(target: Target, cases: &[Case], found: &[f64]) {
    let mut found = found.iter();
    let (mut n_compared, mut n) = (0, 0);
    for case in cases {
        for (inputs, expected) in case.inputs.iter().zip(&case.expected) {
            for (k, e) in expected.iter().enumerate() {
                let y = found.next().copied().unwrap_or_else(|| panic!("{target:?}: too few numbers"));
                n += 1;
                n_compared += usize::from(e.tolerance < f64::INFINITY);
                let name = &case.library.name;
                assert!(e.admits(y), "{target:?} {name} result {k} of {inputs:?}: {y:e}, should be {e:?}");
            }
        }
    }
    assert!(found.next().is_none(), "{target:?}: too many numbers");
    assert!(3 * n_compared > 2 * n, "{target:?}: only {n_compared} of {n} numbers could be compared");
}

/// A number in C and its relatives; `nan` and `inf` are the words for the others.
pub fn number(x: f64, nan: &str, inf: &str) -> String {
    if x.is_nan() {
        nan.into()
    } else if x.is_infinite() {
        if x > 0.0 { inf.into() } else { format!("-{inf}") }
    } else {
        format!("{x:?}")
    }
}
