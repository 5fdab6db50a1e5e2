//! The comment that opens every file: what it is, how it is called, what stands where, what it costs.

use cardan_base::Id;
use cardan_program::{Counts, Label};

use crate::externals;
use crate::library::Passing;
use crate::plan::{FunctionPlan, Plan};
use crate::writer::expression::unit_suffix;
use crate::writer::layout::plain;
use crate::writer::name_table::Vocabulary;

/// The lines of the header. `first` is the index of the first element of an array.
pub(crate) fn header(plan: &Plan, words: &Vocabulary, first: usize) -> String {
    let (program, library) = (plan.program, plan.library);
    let mut text = format!("{}\n\n", plain(&library.name));
    text += &format!("Model {}", plain(program.name()));
    if !library.version.is_empty() {
        text += &format!(", version {}", plain(&library.version));
    }
    text += &format!("; written by cardan {}.\n", env!("CARGO_PKG_VERSION"));
    if !library.doc.trim().is_empty() {
        text += &format!("\n{}\n", library.doc.trim());
    }
    text += "\nFunctions, in the order in which they are called:\n";
    for (i, f) in library.functions.iter().enumerate() {
        text += &format!("  {}: {}\n", words.functions[i], plain(&f.doc));
    }
    text += &externals::section(plan, words);
    if plan.n_work > 0 {
        let (work, n) = (&words.work, plan.n_work);
        text += &format!(
            "\nArray {work} ({n} number{}) carries intermediate results between them.\n",
            if n == 1 { "" } else { "s" }
        );
    }
    text += &arrays(plan, words, first);
    if plan.any(|op| matches!(op, cardan_program::Op::Solve(_))) {
        text += "\nA linear system without a unique solution makes its unknowns NaN.\n";
    }
    text += "\nOperations:\n";
    text += &operations(plan, words);
    text
}

/// Every distinct array with its contents. What one function delivers and another takes stands once, as the latter sees it.
fn arrays(plan: &Plan, words: &Vocabulary, first: usize) -> String {
    let program = plan.program;
    let mut text = String::new();
    let mut seen = Vec::new();
    let names = |labels: &[&Label]| -> Vec<String> { labels.iter().map(|l| l.name.clone()).collect() };
    let mut taken = Vec::new();
    for (i, f) in plan.library.functions.iter().enumerate() {
        for (name, argument) in words.arguments[i].iter().zip(&f.arguments) {
            let labels: Vec<&Label> = argument.inputs.iter().map(|i| &program.inputs()[*i].label).collect();
            taken.push((name.clone(), names(&labels)));
        }
    }
    for (i, f) in plan.library.functions.iter().enumerate() {
        for (name, argument) in words.arguments[i].iter().zip(&f.arguments) {
            let key = ("takes", name.clone(), argument.inputs.iter().map(|i| i.index()).collect::<Vec<_>>());
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let labels: Vec<&Label> = argument.inputs.iter().map(|i| &program.inputs()[*i].label).collect();
            text += &array(name, &argument.doc, &labels, argument.passing, first);
        }
        for (name, results) in words.results[i].iter().zip(&f.results) {
            let key =
                ("delivers", name.clone(), results.outputs.iter().map(|o| o.index()).collect::<Vec<_>>());
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let labels: Vec<&Label> = results.outputs.iter().map(|o| &program.outputs()[*o].label).collect();
            if taken.contains(&(name.clone(), names(&labels))) {
                continue;
            }
            text += &array(name, &results.doc, &labels, Passing::Array, first);
        }
    }
    text
}

fn array(name: &str, doc: &str, labels: &[&Label], passing: Passing, first: usize) -> String {
    let colon = if doc.is_empty() { "" } else { ": " };
    let mut text = match passing {
        Passing::Scalar => format!("\nNumber {name}{colon}{doc}\n"),
        Passing::Array => format!("\nArray {name}{colon}{doc}\n"),
    };
    for (k, label) in labels.iter().enumerate() {
        let index = match passing {
            Passing::Scalar => String::new(),
            Passing::Array => format!("{} ", k + first),
        };
        let about = plain(&format!("{}{} {}", label.name, unit_suffix(&label.unit), label.description));
        let line = format!("  {index}{about}");
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn operations(plan: &Plan, words: &Vocabulary) -> String {
    let line =
        |f: &FunctionPlan| format!("  {}: {}\n", words.functions[f.index], spelled(plan.operations(f)));
    plan.functions.iter().map(line).collect()
}

/// A count in words; kinds that do not occur are left out.
fn spelled(c: Counts) -> String {
    let kinds = [
        (c.mul, "mul"),
        (c.add, "add"),
        (c.div, "div"),
        (c.sqrt, "sqrt"),
        (c.trig, "trig"),
        (c.compare, "compare"),
        (c.other, "other"),
    ];
    let parts: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}")).collect();
    if parts.is_empty() { "none".into() } else { parts.join(" + ") }
}
