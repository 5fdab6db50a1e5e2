//! The body of a function, in the same order in every language: what it reads, what it computes stage by
//! stage, what it keeps, what it delivers.

use cardan_base::Id;
use cardan_program::{Label, Op, Type, ValueId};

use crate::plan::{FunctionPlan, Kept, Plan, Source};
use crate::writer::expression::{Language, Level, Text, definition, operand, unit_suffix};
use crate::writer::file_writer::Page;
use crate::writer::layout::plain;
use crate::writer::name_table::Vocabulary;
use crate::writer::statement_syntax::{Element, StatementSyntax};
use crate::writer::unpack::Unpacking;

/// What a writer works with: what to write, how things are called, how statements look.
pub(crate) type Parts<'a> = (&'a Plan<'a>, &'a Vocabulary, &'static StatementSyntax);

/// How a language writes the statements of a body.
pub(crate) trait Statements: Language {
    fn parts(&self) -> Parts<'_>;
    fn plan(&self) -> &Plan<'_> {
        self.parts().0
    }
    fn words(&self) -> &Vocabulary {
        self.parts().1
    }
    /// How statements look.
    fn manners(&self) -> &'static StatementSyntax {
        self.parts().2
    }
    /// What stands before the expression that defines a local value.
    fn local(&self, ty: Type, name: &str) -> String {
        let (real, truth) = self.manners().define;
        format!("{}{name} = ", if ty == Type::Bool { truth } else { real })
    }
    /// Element of an array, counted from 0.
    fn element(&self, array: &str, index: usize) -> String {
        match self.manners().element {
            Element::Brackets => format!("{array}[{index}]"),
            Element::Parentheses => format!("{array}({})", index + 1),
        }
    }
    /// What begins a comment.
    fn comment_sign(&self) -> &'static str {
        self.manners().comment
    }
    /// What ends a statement.
    fn end(&self) -> &'static str {
        self.manners().end
    }
    /// A truth value as 1 or 0.
    fn as_real(&self, truth: Text) -> Text;
    /// A kept number as a truth value.
    fn as_truth(&self, number: &str) -> Text {
        Text::new(format!("{number} {}", self.manners().holds), Level::Compare)
    }
    /// Declares the matrix and the right-hand sides of a linear system.
    fn declare_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str);
    /// Solves it.
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str);
    /// The name of a local value where it is defined; a language without local names overrides it.
    fn value_name(&self, value: ValueId) -> String {
        self.words().values.get(&value).cloned().unwrap_or_default()
    }
    /// The matrix of a linear system.
    fn matrix_name(&self, value: ValueId) -> String {
        format!("{}_a", self.value_name(value))
    }
    /// Whether inputs and kept values get local names of their own.
    fn unpacks(&self) -> bool {
        true
    }
    /// Columns before a statement.
    fn indent(&self) -> usize {
        self.manners().indent
    }
}

/// Where a function finds an input, as text.
pub(crate) fn input_place(language: &dyn Statements, function: &FunctionPlan, source: Source) -> String {
    let words = language.words();
    match source {
        Source::Work(place) => language.element(&words.work, place),
        Source::Argument { argument, index } => {
            let name = &words.arguments[function.index][argument];
            match language.plan().spec(function).arguments[argument].passing {
                crate::library::Passing::Scalar => name.clone(),
                crate::library::Passing::Array => language.element(name, index),
            }
        }
    }
}

/// A named value or an input by its local name.
pub(crate) fn local_name(language: &dyn Statements, value: ValueId) -> Text {
    match &language.plan().program.values()[value] {
        Op::Input(i) => Text::atom(&language.words().inputs[i.index()]),
        _ => Text::atom(language.value_name(value)),
    }
}

/// One entry of a solution, here or in the work array.
pub(crate) fn solution_entry(
    language: &dyn Statements,
    function: &FunctionPlan,
    solve: ValueId,
    index: u32,
) -> Text {
    match function.loads.iter().find(|(v, _)| *v == solve) {
        Some((_, place)) => Text::atom(language.element(&language.words().work, place + index as usize)),
        None => Text::atom(language.element(&language.value_name(solve), index as usize)),
    }
}

/// Names and types of local values, for languages that declare them first.
pub(crate) fn locals(language: &dyn Statements, function: &FunctionPlan) -> Vec<(Type, String)> {
    let (plan, words) = (language.plan(), language.words());
    let mut list = Vec::new();
    for (input, source) in &function.inputs {
        let name = &words.inputs[input.index()];
        if *name != input_place(language, function, *source) {
            list.push((Type::Real, name.clone()));
        }
    }
    for value in function.loads.iter().map(|(v, _)| v).chain(&function.values) {
        let ty = plan.types[value.index()];
        if !matches!(ty, Type::Block(_)) {
            list.push((ty, language.value_name(*value)));
        }
    }
    list
}

/// Linear systems that a function solves: matrix, its size, solution, number of its entries.
pub(crate) fn systems(
    language: &dyn Statements,
    function: &FunctionPlan,
) -> Vec<(String, usize, String, usize)> {
    let system = |value: &ValueId| match &language.plan().program.values()[*value] {
        Op::Solve(s) => {
            let n = s.n as usize;
            Some((language.matrix_name(*value), n * n, language.value_name(*value), s.rhs.len()))
        }
        _ => None,
    };
    function.values.iter().filter_map(system).collect()
}

/// Names of parameters that the body neither reads nor writes.
pub(crate) fn unused<'a>(plan: &Plan, words: &'a Vocabulary, function: &FunctionPlan) -> Vec<&'a String> {
    let spec = plan.spec(function);
    let arguments = words.arguments[function.index].iter().enumerate();
    let idle = arguments.filter(|(k, _)| !function.reads_argument(*k)).map(|(_, name)| name);
    let results = words.results[function.index].iter().zip(&spec.results);
    let work = function.takes_work && !function.reads_work() && !function.writes_work();
    let idle = idle.chain(work.then_some(&words.work));
    idle.chain(results.filter(|(_, r)| r.outputs.is_empty()).map(|(name, _)| name)).collect()
}

/// Writes the statements of a function.
pub(crate) fn body(language: &dyn Statements, page: &mut Page, function: &FunctionPlan) {
    let plan = language.plan();
    let mut unpacking = Unpacking::new(language, function);
    unpacking.begin(language, page);
    let stages: Vec<&str> = function.stages.iter().map(|s| plan.program.stages()[*s].name.as_str()).collect();
    if let Some((last, others)) = stages.split_last() {
        page.gap();
        let title = match others {
            [] => format!("Stage {last}."),
            _ => format!(
                "Stages {} and {last}: what the longest chain of operations waits for comes first.",
                others.join(", ")
            ),
        };
        page.comment(language.indent(), &title);
    }
    for value in &function.values {
        unpacking.before(language, page, *value);
        define(language, page, function, *value);
    }
    unpacking.rest(language, page);
    keep(language, page, function);
    deliver(language, page, function);
}

/// A remark behind a statement if it fits, else before it.
pub(crate) fn write_with_remark(
    language: &dyn Statements,
    page: &mut Page,
    head: &str,
    text: &str,
    tail: &str,
) {
    let end = language.end();
    let remark = tail[end.len()..].trim();
    let width = language.indent() + head.chars().count() + text.chars().count() + tail.chars().count();
    if width <= 100 {
        page.statement(language.indent(), head, text, tail);
    } else {
        page.comment(
            language.indent(),
            remark.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '['),
        );
        page.statement(language.indent(), head, text, end);
    }
}

/// Unit and description behind a statement.
pub(crate) fn remark(language: &dyn Statements, label: &Label) -> String {
    let text = plain(&format!("{} {}", unit_suffix(&label.unit), label.description));
    if text.is_empty() { String::new() } else { format!(" {} {text}", language.comment_sign()) }
}

fn define(language: &dyn Statements, page: &mut Page, function: &FunctionPlan, value: ValueId) {
    let plan = language.plan();
    let name = language.value_name(value);
    if let Op::Solve(system) = &plan.program.values()[value] {
        let matrix = language.matrix_name(value);
        let (n, n_entries) = (system.n as usize, system.rhs.len());
        language.declare_system(page, n, &matrix, n_entries, &name);
        for (array, entries) in [(&matrix, &system.matrix), (&name, &system.rhs)] {
            for (k, entry) in entries.iter().enumerate() {
                let text = operand(plan, function, language, *entry).text;
                let head = format!("{} = ", language.element(array, k));
                page.statement(language.indent(), &head, &text, language.end());
            }
        }
        language.solve_system(page, n, &matrix, n_entries, &name);
        return;
    }
    let text = definition(plan, function, language, value).text;
    let head = language.local(plan.types[value.index()], &name);
    page.statement(language.indent(), &head, &text, language.end());
}

fn keep(language: &dyn Statements, page: &mut Page, function: &FunctionPlan) {
    if function.stores.is_empty() {
        return;
    }
    let (plan, words) = (language.plan(), language.words());
    page.gap();
    page.comment(language.indent(), "What later functions need.");
    for (kept, place) in &function.stores {
        match kept {
            Kept::Input(input) => {
                let source = function.inputs.iter().find(|(i, _)| i == input).map(|(_, s)| *s);
                let text = match source {
                    Some(source) if !language.unpacks() => input_place(language, function, source),
                    _ => words.inputs[input.index()].clone(),
                };
                let head = format!("{} = ", language.element(&words.work, *place));
                page.statement(language.indent(), &head, &text, language.end());
            }
            Kept::Value(value) => {
                let n = if let Type::Block(n) = plan.types[value.index()] { n } else { 0 };
                for k in 0..n {
                    let head = format!("{} = ", language.element(&words.work, place + k as usize));
                    let text = language.entry(function, *value, k).text;
                    page.statement(language.indent(), &head, &text, language.end());
                }
                if n == 0 {
                    let head = format!("{} = ", language.element(&words.work, *place));
                    page.statement(
                        language.indent(),
                        &head,
                        &real(language, function, *value),
                        language.end(),
                    );
                }
            }
        }
    }
}

fn deliver(language: &dyn Statements, page: &mut Page, function: &FunctionPlan) {
    let (plan, words) = (language.plan(), language.words());
    for (group, results) in plan.spec(function).results.iter().enumerate() {
        if results.outputs.is_empty() {
            continue;
        }
        page.gap();
        if !results.doc.is_empty() {
            page.comment(language.indent(), &capitalized(&results.doc));
        }
        for (k, output) in results.outputs.iter().enumerate() {
            let output = &plan.program.outputs()[*output];
            let array = &words.results[function.index][group];
            let head = format!("{} = ", language.element(array, k));
            let text = real(language, function, output.value);
            let tail = format!("{} {} {}", language.end(), language.comment_sign(), about(&output.label));
            let width = language.indent() + head.len() + text.chars().count() + tail.chars().count();
            if width <= 90 && language.unpacks() {
                page.statement(language.indent(), &head, &text, &tail);
            } else {
                let about = tail[language.end().len()..].trim();
                page.comment(language.indent(), about.trim_start_matches(language.comment_sign()).trim());
                page.statement(language.indent(), &head, &text, language.end());
            }
        }
    }
}

/// Name, unit and description.
fn about(label: &Label) -> String {
    let colon = if label.description.trim().is_empty() { "" } else { ": " };
    plain(&format!("{}{}{colon}{}", label.name, unit_suffix(&label.unit), label.description))
}

/// A value as a number.
fn real(language: &dyn Statements, function: &FunctionPlan, value: ValueId) -> String {
    let plan = language.plan();
    let text = operand(plan, function, language, value);
    match plan.types[value.index()] {
        Type::Bool => language.as_real(text).text,
        _ => text.text,
    }
}

/// The sentence with a capital and a full stop.
pub(crate) fn capitalized(text: &str) -> String {
    let text = text.trim();
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let stop = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{}{}{stop}", first.to_uppercase(), chars.as_str())
}
