//! MATLAB and Octave: one file per function, each complete in itself.

mod simulation;

pub(crate) use crate::languages::matlab::simulation::simulation;

use cardan_base::Id;
use cardan_program::{Compare, Op, Program, Unary};

use crate::library::{EmitError, Library};
use crate::plan::{FunctionPlan, Plan};
use crate::source::SourceFile;
use crate::writer::body::{Parts, Statements, body, capitalized};
use crate::writer::expression::{Apply, Language, Level, Text, call, digits, infix};
use crate::writer::file_writer::{Continuation, Page};
use crate::writer::header::header;
use crate::writer::helpers::{mentioned, tables};
use crate::writer::layout::{BLANK, deeper};
use crate::writer::lookup::{Around, look_up, look_up_2};
use crate::writer::name_table::{Customs, Vocabulary};
use crate::writer::statement_syntax;

const HELPERS: &str = include_str!("helpers.m.txt");

#[rustfmt::skip]
const RESERVED: [&str; 63] = [
    "break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for", "function", "global", "if",
    "otherwise", "parfor", "persistent", "return", "spmd", "switch", "try", "while", "do", "until", "endif",
    "endfunction", "endwhile", "unwind_protect", "abs", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "exp", "log", "floor", "mod", "max", "numel", "zeros", "reshape", "isnan", "isinf", "NaN",
    "Inf", "pi", "i", "j", "eps", "e", "true", "false", "size", "double", "isempty", "ans", "high_half", "choose",
];

/// The library as function files.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    Ok(Matlab::new(&plan).files())
}

/// Writer of MATLAB.
pub(crate) struct Matlab<'a> {
    plan: &'a Plan<'a>,
    words: Vocabulary,
}

impl<'a> Matlab<'a> {
    pub fn new(plan: &'a Plan<'a>) -> Self {
        let helpers = HELPERS.lines().filter_map(|l| l.strip_prefix("%=")).map(str::trim);
        let reserved: Vec<&str> = RESERVED.into_iter().chain(helpers).collect();
        let customs = Customs { reserved: &reserved, functions: &[], case_matters: true, prefix: true };
        Matlab { plan, words: Vocabulary::new(plan, &customs) }
    }

    fn page() -> Page {
        Page::new(Continuation::Points, "%")
    }

    /// One file per function.
    pub fn files(&self) -> Vec<SourceFile> {
        let file = |function: &FunctionPlan| {
            let name = &self.words.functions[function.index];
            SourceFile::text(format!("{name}.m"), self.file(function))
        };
        self.plan.functions.iter().map(file).collect()
    }

    fn file(&self, function: &FunctionPlan) -> String {
        let spec = self.plan.spec(function);
        let mut page = Self::page();
        let name = &self.words.functions[function.index];
        let comma = deeper(&format!(",{BLANK}"));
        let mut arguments = self.words.arguments[function.index].clone();
        if function.takes_work {
            arguments.push(self.words.work.clone());
        }
        let mut results = Vec::new();
        if function.writes_work() {
            results.push(self.words.work.clone());
        }
        results.extend(self.words.results[function.index].iter().cloned());
        let left = match results.len() {
            0 => String::new(),
            1 => format!("{} = ", results[0]),
            _ => format!("[{}] = ", results.join(&comma)),
        };
        page.statement(0, "function ", &format!("{left}{name}({})", arguments.join(&comma)), "");
        page.comment(0, &capitalized(&spec.doc));
        page.comment(0, "\n");
        page.comment(0, &header(self.plan, &self.words, 1));
        if self.plan.n_work > 0 {
            let (work, n) = (&self.words.work, self.plan.n_work);
            page.comment(0, &format!("\nBefore the first call, {work} = zeros({n}, 1)."));
        }
        page.gap();
        for (name, r) in self.words.results[function.index].iter().zip(&spec.results) {
            page.lines(&format!("    {name} = zeros({}, 1);", r.outputs.len()));
        }
        page.gap();
        body(self, &mut page, function);
        page.lines("end");
        page.gap();
        self.data(&mut page, function);
        let text = page.finish();
        let helpers = mentioned(&text, HELPERS, "%=");
        (text + &helpers).trim_end().to_owned() + "\n"
    }

    /// One local function per table that the function reads.
    fn data(&self, page: &mut Page, function: &FunctionPlan) {
        let values = self.plan.program.values();
        for table in tables(self.plan, &self.words.curves, &self.words.surfaces) {
            let reads = function.live.iter().any(|v| match &values[*v] {
                Op::Lookup1 { table: id, .. } => self.words.curves[id.index()] == table.name,
                Op::Lookup2 { table: id, .. } => self.words.surfaces[id.index()] == table.name,
                _ => false,
            });
            if !reads {
                continue;
            }
            let parts: &[(&str, &[f64])] = if table.second.is_empty() {
                &[("knots", &table.first), ("cubics", &table.coefficients)]
            } else {
                &[("x", &table.first), ("y", &table.second), ("patches", &table.coefficients)]
            };
            for (suffix, numbers) in parts {
                page.lines(&format!("function y = {}_{suffix}()", table.name));
                page.lines("    persistent numbers");
                page.lines("    if isempty(numbers)");
                let list: Vec<String> = numbers.iter().map(|x| digits(*x)).collect();
                page.statement(8, "numbers = [", &list.join(&format!(",{BLANK}")), "];");
                page.lines("    end\n    y = numbers;\nend");
                page.gap();
            }
        }
    }
}

/// What stands around the names of tables.
const AROUND: Around = Around { before: "", after: "()" };

impl Language for Matlab<'_> {
    fn number(&self, value: f64) -> String {
        if value.is_nan() {
            "NaN".into()
        } else if value.is_infinite() {
            "Inf".into()
        } else {
            digits(value)
        }
    }

    fn truth(&self, value: bool) -> String {
        value.to_string()
    }

    fn apply(&self, what: Apply, args: &[Text]) -> Text {
        match what {
            Apply::Unary(op) => match op {
                Unary::Sign => call("sign_of", args),
                Unary::Sqrt => call("real_sqrt", args),
                Unary::Ln => call("real_log", args),
                Unary::Asin => call("real_asin", args),
                Unary::Acos => call("real_acos", args),
                op => call(op.name(), args),
            },
            Apply::Min => call("minimum", args),
            Apply::Max => call("maximum", args),
            Apply::Atan2 => call("atan2", args),
            Apply::Pow => call("real_power", args),
            Apply::Fma => call("fused", args),
            Apply::Powi(n) => call("whole_power", &[args[0].clone(), Text::atom(n.to_string())]),
            Apply::Select(_) => call("choose", args),
            Apply::Curve(id, order) => look_up(self, AROUND, id, order, &args[0]),
            Apply::Surface(id, dx, dy) => look_up_2(self, AROUND, id, [dx, dy], args),
            Apply::Call(id) => call(&self.words.external[id.index()], args),
        }
    }

    fn compare(&self, op: Compare, a: &Text, b: &Text) -> Text {
        let sign = match op {
            Compare::Lt => "<",
            Compare::Le => "<=",
            Compare::Eq => "==",
            Compare::Ne => "~=",
        };
        infix(a.above(Level::Compare), sign, b.above(Level::Compare), Level::Compare)
    }

    fn not(&self, a: &Text) -> Text {
        Text::atom(format!("~{}", a.at_least(Level::Atom)))
    }

    fn statements(&self) -> &dyn Statements {
        self
    }
}

impl Statements for Matlab<'_> {
    fn parts(&self) -> Parts<'_> {
        (self.plan, &self.words, &statement_syntax::MATLAB)
    }
    fn as_real(&self, truth: Text) -> Text {
        call("double", &[truth])
    }
    fn declare_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        page.lines(&format!("    {matrix} = zeros({}, 1);\n    {solution} = zeros({n_entries}, 1);", n * n));
    }
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, _: usize, solution: &str) {
        page.lines(&format!("    {solution} = solve_linear({n}, {matrix}, {solution});"));
    }
}
