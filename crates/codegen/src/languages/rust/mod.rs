//! Rust without the standard library, without dependencies, without `unsafe`.
//!
//! Elementary functions are written into the file. Functions of the host become the methods of a trait.

mod simulation;
mod words;

pub(crate) use crate::languages::rust::simulation::simulation;

use cardan_base::Id;
use cardan_program::{Beyond, Binary, Op, Program, Unary};

use crate::externals::{called, described};
use crate::languages::kernels;
use crate::library::{EmitError, Library, Passing};
use crate::plan::{FunctionPlan, Plan};
use crate::source::SourceFile;
use crate::writer::body::{Parts, Statements, body, capitalized, unused};
use crate::writer::expression::{Apply, Language, Level, Text, call, digits};
use crate::writer::file_writer::{Continuation, Page};
use crate::writer::header::header;
use crate::writer::helpers::{Helper, chosen, helpers, tables, unary_functions};
use crate::writer::layout::{BLANK, deeper, filled, plain};
use crate::writer::name_table::{Customs, Vocabulary};
use crate::writer::statement_syntax;

const HELPERS: &str = include_str!("helpers.rs.txt");

/// The library as a Rust module.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    let rust = Rust::new(&plan);
    Ok(vec![SourceFile::text(format!("{}.rs", rust.words.library), rust.file())])
}

/// Writer of Rust.
pub(crate) struct Rust<'a> {
    plan: &'a Plan<'a>,
    words: Vocabulary,
}

/// The kernels that a plan needs, by name.
pub(crate) fn needed_kernels(plan: &Plan) -> Vec<&'static str> {
    let mut needed: Vec<&str> = unary_functions(plan).iter().map(|op| op.name()).collect();
    if plan.any(|op| matches!(op, Op::Binary(Binary::Atan2, ..))) {
        needed.push("atan2");
    }
    if plan.any(|op| matches!(op, Op::Binary(Binary::Pow, ..))) {
        needed.push("pow");
    }
    if helpers(plan).contains(&Helper::Fma) {
        needed.push("fma");
    }
    kernels::closure(&needed)
}

impl<'a> Rust<'a> {
    pub fn new(plan: &'a Plan<'a>) -> Self {
        let customs =
            Customs { reserved: &words::RESERVED, functions: &[], case_matters: true, prefix: false };
        Rust { plan, words: Vocabulary::new(plan, &customs) }
    }

    /// The module.
    pub fn file(&self) -> String {
        let mut page = Page::new(Continuation::Plain, "//");
        page.comment(0, &header(self.plan, &self.words, 0));
        page.gap();
        page.lines("#![allow(non_snake_case, unused_assignments, clippy::all)]");
        page.gap();
        if self.plan.n_work > 0 {
            page.lines(&format!("/// Length of the array {}.", self.words.work));
            page.lines(&format!("pub const N_WORK: usize = {};", self.plan.n_work));
            page.gap();
        }
        self.external(&mut page);
        for function in &self.plan.functions {
            self.function(&mut page, function);
        }
        self.data(&mut page);
        let needed = helpers(self.plan);
        let text = chosen(HELPERS, "//=", |name| needed.iter().any(|h| h.name() == name));
        if !text.is_empty() {
            page.lines(text.trim_end());
            page.gap();
        }
        let parts = needed_kernels(self.plan);
        let text = chosen(kernels::FUNCTIONS, "//=", |name| parts.contains(&name));
        page.lines(text.replace("\n\n\n", "\n\n").trim_end());
        page.finish().trim_end().to_owned() + "\n"
    }

    fn calls_host(&self, function: &FunctionPlan) -> bool {
        function.live.iter().any(|v| matches!(self.plan.program.values()[*v], Op::Call { .. }))
    }

    fn external(&self, page: &mut Page) {
        let list = called(self.plan);
        if list.is_empty() {
            return;
        }
        page.lines("/// Functions that the user of this file provides.");
        page.lines("pub trait External {");
        for (id, _) in list {
            let name = &self.words.external[id.index()];
            let args = &self.words.external_arguments[id.index()];
            let args: String = args.iter().map(|argument| format!(", {argument}: f64")).collect();
            for line in filled(&described(self.plan, &self.words, id), 91) {
                page.lines(format!("    /// {}", escaped(&line)).trim_end());
            }
            page.lines(&format!("    fn {name}(&self{args}) -> f64;"));
        }
        page.lines("}");
        page.gap();
    }

    fn function(&self, page: &mut Page, function: &FunctionPlan) {
        for line in filled(&plain(&capitalized(&self.plan.spec(function).doc)), 95) {
            page.lines(format!("/// {}", escaped(&line)).trim_end());
        }
        let spec = self.plan.spec(function);
        let idle = unused(self.plan, &self.words, function);
        let mut parts = Vec::new();
        if self.calls_host(function) {
            parts.push("external: &impl External".to_owned());
        }
        let own = |name: &String| if idle.contains(&name) { format!("_{name}") } else { name.clone() };
        for (name, argument) in self.words.arguments[function.index].iter().zip(&spec.arguments) {
            parts.push(match argument.passing {
                Passing::Scalar => format!("{}: f64", own(name)),
                Passing::Array => format!("{}: &[f64; {}]", own(name), argument.inputs.len()),
            });
        }
        if function.writes_work() {
            parts.push(format!("{}: &mut [f64; N_WORK]", self.words.work));
        } else if function.takes_work {
            parts.push(format!("{}: &[f64; N_WORK]", own(&self.words.work)));
        }
        for (name, results) in self.words.results[function.index].iter().zip(&spec.results) {
            parts.push(format!("{}: &mut [f64; {}]", own(name), results.outputs.len()));
        }
        let name = &self.words.functions[function.index];
        let text = format!("pub fn {name}({})", parts.join(&deeper(&format!(",{BLANK}"))));
        page.statement(0, "", &text, " {");
        body(self, page, function);
        page.lines("}");
        page.gap();
    }

    fn data(&self, page: &mut Page) {
        for table in tables(self.plan, &self.words.curves, &self.words.surfaces) {
            let parts: &[(&str, &[f64])] = if table.second.is_empty() {
                &[("KNOTS", &table.first), ("CUBICS", &table.coefficients)]
            } else {
                &[("X", &table.first), ("Y", &table.second), ("PATCHES", &table.coefficients)]
            };
            for (suffix, numbers) in parts {
                let name = constant(&table.name, suffix);
                let head = format!("static {name}: [f64; {}] = [", numbers.len());
                let list: Vec<String> = numbers.iter().map(|x| digits(*x)).collect();
                page.statement(0, &head, &list.join(&format!(",{BLANK}")), "];");
            }
            page.gap();
        }
    }
}

/// The name of a table's array.
fn constant(table: &str, suffix: &str) -> String {
    format!("{}_{suffix}", table.to_uppercase())
}

/// Brackets in comments are not links.
fn escaped(text: &str) -> String {
    text.replace('[', "\\[").replace(']', "\\]").replace('<', "\\<")
}

impl Language for Rust<'_> {
    fn number(&self, value: f64) -> String {
        if value.is_nan() {
            "f64::NAN".into()
        } else if value.is_infinite() {
            "f64::INFINITY".into()
        } else {
            digits(value)
        }
    }

    fn truth(&self, value: bool) -> String {
        value.to_string()
    }

    fn apply(&self, what: Apply, args: &[Text]) -> Text {
        let clamp = |beyond: Beyond| Text::atom((beyond == Beyond::Clamp).to_string());
        match what {
            Apply::Unary(Unary::Abs) => call("f64::abs", args),
            Apply::Unary(Unary::Sign) => call("sign_of", args),
            Apply::Unary(op) => call(op.name(), args),
            Apply::Min => call("minimum", args),
            Apply::Max => call("maximum", args),
            Apply::Atan2 => call("atan2", args),
            Apply::Pow => call("pow", args),
            Apply::Fma => call("fused", args),
            Apply::Powi(n) => call("whole_power", &[args[0].clone(), Text::atom(n.to_string())]),
            Apply::Select(_) => {
                let [condition, yes, no] = [0, 1, 2].map(|k| deeper(&args[k].text));
                let text = format!("if {condition}{BLANK}{{ {yes}{BLANK}}} else {{ {no}{BLANK}}}");
                Text::new(text, Level::Loose)
            }
            Apply::Curve(id, order) => {
                let (curve, name) = (&self.plan.program.curves()[id], &self.words.curves[id.index()]);
                let knots = Text::atom(format!("&{}", constant(name, "KNOTS")));
                let cubics = Text::atom(format!("&{}", constant(name, "CUBICS")));
                let order = Text::atom(order.to_string());
                call("look_up", &[knots, cubics, clamp(curve.beyond()), args[0].clone(), order])
            }
            Apply::Surface(id, dx, dy) => {
                let (surface, name) = (&self.plan.program.surfaces()[id], &self.words.surfaces[id.index()]);
                let grid = Text::atom(format!("(&{}, &{})", constant(name, "X"), constant(name, "Y")));
                let patches = Text::atom(format!("&{}", constant(name, "PATCHES")));
                let order = Text::atom(format!("({dx}, {dy})"));
                let (x, y) = (args[0].clone(), args[1].clone());
                call("look_up_2", &[grid, patches, clamp(surface.beyond()), x, y, order])
            }
            Apply::Call(id) => call(&format!("external.{}", self.words.external[id.index()]), args),
        }
    }

    fn statements(&self) -> &dyn Statements {
        self
    }
}

impl Statements for Rust<'_> {
    fn parts(&self) -> Parts<'_> {
        (self.plan, &self.words, &statement_syntax::RUST)
    }
    fn as_real(&self, truth: Text) -> Text {
        Text::new(format!("if {} {{ 1.0 }} else {{ 0.0 }}", truth.text), Level::Loose)
    }
    fn declare_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        page.lines(&format!("    let mut {matrix} = [0.0; {}];", n * n));
        page.lines(&format!("    let mut {solution} = [0.0; {n_entries}];"));
    }
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, _: usize, solution: &str) {
        page.lines(&format!("    solve_linear({n}, &mut {matrix}, &mut {solution});"));
    }
}
