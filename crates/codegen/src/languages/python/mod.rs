//! Python with NumPy. Every number may be an array of the same shape: one element per case.

mod simulation;

pub(crate) use crate::languages::python::simulation::simulation;

use cardan_base::Id;
use cardan_program::{Logic, Op, Program, Unary};

use crate::externals::called;
use crate::library::{EmitError, Library, Passing};
use crate::plan::{FunctionPlan, Plan};
use crate::source::SourceFile;
use crate::writer::body::{Parts, Statements, body, capitalized};
use crate::writer::expression::{Apply, Language, Text, call, digits};
use crate::writer::file_writer::{Continuation, Page};
use crate::writer::header::header;
use crate::writer::helpers::{mentioned, tables};
use crate::writer::layout::{BLANK, deeper, plain};
use crate::writer::lookup::{Around, look_up, look_up_2};
use crate::writer::name_table::{Customs, Vocabulary};
use crate::writer::statement_syntax;

const HELPERS: &str = include_str!("helpers.py.txt");

#[rustfmt::skip]
const RESERVED: [&str; 58] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "type", "np", "abs",
    "len", "range", "float", "list", "print", "open", "external", "N_WORK", "main", "math", "sys", "numpy", "self",
    "object", "super", "max", "min", "sum",
];

/// The library as a Python module.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    let python = Python::new(&plan);
    Ok(vec![SourceFile::text(format!("{}.py", python.words.library), python.file())])
}

/// Writer of Python.
pub(crate) struct Python<'a> {
    plan: &'a Plan<'a>,
    words: Vocabulary,
}

impl<'a> Python<'a> {
    pub fn new(plan: &'a Plan<'a>) -> Self {
        let customs = Customs { reserved: &RESERVED, functions: &[], case_matters: true, prefix: false };
        Python { plan, words: Vocabulary::new(plan, &customs) }
    }

    fn page() -> Page {
        Page::new(Continuation::Parentheses, "#")
    }

    /// The module.
    pub fn file(&self) -> String {
        let mut page = Self::page();
        page.comment(0, &header(self.plan, &self.words, 0));
        if !called(self.plan).is_empty() {
            let manner =
                "Functions that call them take an object `external` of which they are methods, or a module.";
            page.comment(0, &format!("\n{manner}"));
        }
        page.gap();
        if self.plan.any(|op| matches!(op, Op::Unary(Unary::Sin | Unary::Cos | Unary::Tan, _))) {
            page.lines("import math");
            page.gap();
        }
        page.lines("import numpy as np");
        page.gap();
        if self.plan.n_work > 0 {
            page.comment(0, &format!("Length of the list {}.", self.words.work));
            page.lines(&format!("N_WORK = {}", self.plan.n_work));
            page.gap();
        }
        for table in tables(self.plan, &self.words.curves, &self.words.surfaces) {
            let parts: &[(&str, &[f64])] = if table.second.is_empty() {
                &[("knots", &table.first), ("cubics", &table.coefficients)]
            } else {
                &[("x", &table.first), ("y", &table.second), ("patches", &table.coefficients)]
            };
            for (suffix, numbers) in parts {
                let list: Vec<String> = numbers.iter().map(|x| digits(*x)).collect();
                let list = list.join(&format!(",{BLANK}"));
                page.statement(
                    0,
                    &format!("_{}_{suffix} = ", table.name),
                    &format!("np.array([{list}])"),
                    "",
                );
            }
        }
        page.gap();
        for function in &self.plan.functions {
            self.function(&mut page, function);
        }
        let text = page.finish();
        let helpers =
            mentioned(&text, HELPERS, "#=").replace("\n\ndef ", "\n\n\ndef ").replace("\n\n\n\n", "\n\n\n");
        format!("{}\n\n\n{helpers}", text.trim_end()).trim_end().to_owned() + "\n"
    }

    fn function(&self, page: &mut Page, function: &FunctionPlan) {
        let spec = self.plan.spec(function);
        let calls_host =
            function.live.iter().any(|v| matches!(self.plan.program.values()[*v], Op::Call { .. }));
        let mut names: Vec<String> = Vec::new();
        if calls_host {
            names.push("external".into());
        }
        names.extend(self.words.arguments[function.index].iter().cloned());
        if function.takes_work {
            names.push(self.words.work.clone());
        }
        page.lines("");
        page.lines("@np.errstate(all=\"ignore\")");
        let comma = deeper(&format!(",{BLANK}"));
        let name = &self.words.functions[function.index];
        let text = format!("def {name}({})", names.join(&comma));
        let mut head = Page::new(Continuation::Plain, "#");
        head.statement(0, "", &text, ":");
        page.lines(head.finish().trim_end());
        let results = self.words.results[function.index].join(", ");
        let doc = plain(&capitalized(&spec.doc)).replace('\\', "/").replace('"', "'");
        page.lines(&format!("    \"\"\"{doc}\"\"\""));
        for (k, (name, argument)) in
            self.words.arguments[function.index].iter().zip(&spec.arguments).enumerate()
        {
            if !function.reads_argument(k) {
                continue;
            }
            page.lines(&match argument.passing {
                Passing::Scalar => format!("    {name} = np.asarray({name}, dtype=float)[()]"),
                Passing::Array => format!("    {name} = np.asarray({name}, dtype=float)"),
            });
        }
        for (name, r) in self.words.results[function.index].iter().zip(&spec.results) {
            page.lines(&format!("    {name} = [0.0]*{}", r.outputs.len()));
        }
        page.gap();
        body(self, page, function);
        if !results.is_empty() {
            let packed: Vec<String> = self.words.results[function.index]
                .iter()
                .map(|r| format!("np.array(np.broadcast_arrays(*{r}), dtype=float)"))
                .collect();
            page.statement(4, "return ", &packed.join(&format!(",{BLANK}")), "");
        } else if spec.results.is_empty() && function.stores.is_empty() {
            page.lines("    return None");
        }
        page.gap();
    }
}

/// What stands around the names of tables.
const AROUND: Around = Around { before: "_", after: "" };

impl Language for Python<'_> {
    fn number(&self, value: f64) -> String {
        if value.is_nan() {
            "np.nan".into()
        } else if value.is_infinite() {
            "np.inf".into()
        } else {
            digits(value)
        }
    }

    fn truth(&self, value: bool) -> String {
        if value { "True".into() } else { "False".into() }
    }

    fn opaque(&self, number: Text) -> Text {
        call("np.float64", &[number])
    }

    fn apply(&self, what: Apply, args: &[Text]) -> Text {
        match what {
            Apply::Unary(op) => match op {
                Unary::Abs => call("abs", args),
                Unary::Sign => call("_sign_of", args),
                Unary::Sin | Unary::Cos | Unary::Tan => call(&format!("_{}", op.name()), args),
                Unary::Asin => call("np.arcsin", args),
                Unary::Acos => call("np.arccos", args),
                Unary::Atan => call("np.arctan", args),
                Unary::Ln => call("np.log", args),
                op => call(&format!("np.{}", op.name()), args),
            },
            Apply::Min => call("_minimum", args),
            Apply::Max => call("_maximum", args),
            Apply::Atan2 => call("np.arctan2", args),
            Apply::Pow => call("np.power", args),
            Apply::Fma => call("_fused", args),
            Apply::Powi(n) => call("_whole_power", &[args[0].clone(), Text::atom(n.to_string())]),
            Apply::Select(_) => call("_select", args),
            Apply::Curve(id, order) => look_up(self, AROUND, id, order, &args[0]),
            Apply::Surface(id, dx, dy) => look_up_2(self, AROUND, id, [dx, dy], args),
            Apply::Call(id) => call(&format!("external.{}", self.words.external[id.index()]), args),
        }
    }

    fn logic(&self, op: Logic, a: &Text, b: &Text) -> Text {
        let name = if op == Logic::And { "np.logical_and" } else { "np.logical_or" };
        call(name, &[a.clone(), b.clone()])
    }

    fn not(&self, a: &Text) -> Text {
        call("np.logical_not", std::slice::from_ref(a))
    }

    fn statements(&self) -> &dyn Statements {
        self
    }
}

impl Statements for Python<'_> {
    fn parts(&self) -> Parts<'_> {
        (self.plan, &self.words, &statement_syntax::PYTHON)
    }
    fn as_real(&self, truth: Text) -> Text {
        call("_select", &[truth, Text::atom("1.0"), Text::atom("0.0")])
    }
    fn declare_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        page.lines(&format!("    {matrix} = [0.0]*{}\n    {solution} = [0.0]*{n_entries}", n * n));
    }
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, _: usize, solution: &str) {
        page.lines(&format!("    {solution} = _solve_linear({n}, {matrix}, {solution})"));
    }
}
