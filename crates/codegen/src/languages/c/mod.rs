//! C99: a header and a source file; only `<math.h>` is needed.

mod simulation;
mod words;

pub(crate) use crate::languages::c::simulation::simulation;

use cardan_base::Id;
use cardan_program::{Beyond, Program, Unary};

use crate::externals::{called, described};
use crate::library::{EmitError, Library, Passing};
use crate::plan::{FunctionPlan, Plan};
use crate::source::SourceFile;
use crate::writer::body::{Parts, Statements, body, capitalized, unused};
use crate::writer::expression::{Apply, Language, Level, Text, call, digits};
use crate::writer::file_writer::{Continuation, Page};
use crate::writer::header::header;
use crate::writer::helpers::{chosen, helpers, tables};
use crate::writer::layout::{BLANK, deeper};
use crate::writer::name_table::{Customs, Vocabulary};
use crate::writer::statement_syntax;

/// Helper functions shared with C++.
const HELPERS: &str = include_str!("helpers.c");

/// Which of the two languages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    C99,
    Cpp17,
}

/// Writer of C and C++.
pub(crate) struct C<'a> {
    plan: &'a Plan<'a>,
    words: Vocabulary,
    flavour: Flavour,
}

/// The library as C99.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    Ok(C::new(&plan, Flavour::C99).files())
}

/// The library as C++17.
pub(crate) fn library_cpp(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    Ok(C::new(&plan, Flavour::Cpp17).files())
}

impl<'a> C<'a> {
    pub fn new(plan: &'a Plan<'a>, flavour: Flavour) -> Self {
        let mut reserved = words::C.to_vec();
        if flavour == Flavour::Cpp17 {
            reserved.extend(words::CPP);
        }
        let prefix = flavour == Flavour::C99;
        let words = Vocabulary::new(
            plan,
            &Customs { reserved: &reserved, functions: &[], case_matters: true, prefix },
        );
        C { plan, words, flavour }
    }

    fn extension(&self) -> (&'static str, &'static str) {
        match self.flavour {
            Flavour::C99 => ("h", "c"),
            Flavour::Cpp17 => ("hpp", "cpp"),
        }
    }

    fn page() -> Page {
        Page::new(Continuation::Plain, "//")
    }

    /// Header and source.
    pub fn files(&self) -> Vec<SourceFile> {
        let name = &self.words.library;
        let (header, source) = self.extension();
        vec![
            SourceFile::text(format!("{name}.{header}"), self.declarations()),
            SourceFile::text(format!("{name}.{source}"), self.definitions()),
        ]
    }

    fn declarations(&self) -> String {
        let mut page = Self::page();
        page.comment(0, &header(self.plan, &self.words, 0));
        page.gap();
        let guard = format!("{}_{}", self.words.library, self.extension().0).to_uppercase();
        page.lines(&format!("#ifndef {guard}\n#define {guard}"));
        page.gap();
        if self.plan.n_work > 0 {
            page.comment(0, &format!("Length of the array {}.", self.words.work));
            match self.flavour {
                Flavour::C99 => {
                    page.lines(&format!(
                        "#define {}_N_WORK {}",
                        self.words.library.to_uppercase(),
                        self.plan.n_work
                    ));
                }
                Flavour::Cpp17 => {
                    page.lines(&format!("namespace {} {{", self.words.library));
                    page.lines(&format!("constexpr int n_work = {};", self.plan.n_work));
                    page.lines("}");
                }
            }
            page.gap();
        }
        match self.flavour {
            Flavour::C99 => {
                page.lines("#ifdef __cplusplus\nextern \"C\" {\n#endif");
                page.gap();
                self.external(&mut page);
            }
            Flavour::Cpp17 => {
                self.external(&mut page);
                page.lines(&format!("namespace {} {{", self.words.library));
                page.gap();
            }
        }
        for function in &self.plan.functions {
            page.comment(0, &capitalized(&self.plan.spec(function).doc));
            page.statement(0, "", &self.signature(function), ";");
            page.gap();
        }
        match self.flavour {
            Flavour::C99 => page.lines("#ifdef __cplusplus\n}\n#endif"),
            Flavour::Cpp17 => page.lines("}"),
        }
        page.gap();
        page.lines("#endif");
        page.finish()
    }

    fn external(&self, page: &mut Page) {
        let list = called(self.plan);
        if !list.is_empty() {
            page.comment(0, "Functions that the user of this file provides.");
        }
        for (id, _) in list {
            page.comment(0, &described(self.plan, &self.words, id));
            let names = &self.words.external_arguments[id.index()];
            let args: Vec<String> = names.iter().map(|name| format!("double {name}")).collect();
            let args = if args.is_empty() { "void".into() } else { args.join(&format!(",{BLANK}")) };
            let linkage = if self.flavour == Flavour::Cpp17 { "extern \"C\" " } else { "" };
            page.statement(
                0,
                "",
                &format!("{linkage}double {}({args})", self.words.external[id.index()]),
                ";",
            );
        }
        page.gap();
    }

    fn signature(&self, function: &FunctionPlan) -> String {
        let spec = self.plan.spec(function);
        let mut parts = Vec::new();
        let array = |constant: &str, name: &str, n: usize| match n {
            0 => format!("{constant}double *{name}"),
            n => format!("{constant}double {name}[{n}]"),
        };
        for (name, argument) in self.words.arguments[function.index].iter().zip(&spec.arguments) {
            parts.push(match argument.passing {
                Passing::Scalar => format!("double {name}"),
                Passing::Array => array("const ", name, argument.inputs.len()),
            });
        }
        if function.writes_work() {
            parts.push(array("", &self.words.work, self.plan.n_work));
        } else if function.takes_work {
            parts.push(array("const ", &self.words.work, self.plan.n_work));
        }
        for (name, results) in self.words.results[function.index].iter().zip(&spec.results) {
            parts.push(array("", name, results.outputs.len()));
        }
        if parts.is_empty() {
            parts.push("void".into());
        }
        format!(
            "void {}({})",
            self.words.functions[function.index],
            parts.join(&deeper(&format!(",{BLANK}")))
        )
    }

    fn definitions(&self) -> String {
        let mut page = Self::page();
        let (header, _) = self.extension();
        page.comment(0, &format!("{0}: see {0}.{header}.", self.words.library));
        page.gap();
        page.lines(&format!("#include \"{}.{header}\"", self.words.library));
        page.gap();
        page.lines(if self.flavour == Flavour::C99 { "#include <math.h>" } else { "#include <cmath>" });
        page.gap();
        let private = self.private();
        if !private.is_empty() {
            match self.flavour {
                Flavour::C99 => page.lines(private.trim_end()),
                Flavour::Cpp17 => page.lines(&format!("namespace {{\n\n{}\n\n}}", private.trim_end())),
            }
            page.gap();
        }
        for function in &self.plan.functions {
            self.function(&mut page, function);
        }
        page.finish().trim_end().to_owned() + "\n"
    }

    /// Tables and helpers, visible in the source file only.
    fn private(&self) -> String {
        let mut page = Self::page();
        for table in tables(self.plan, &self.words.curves, &self.words.surfaces) {
            let parts: &[(&str, &[f64])] = if table.second.is_empty() {
                &[("knots", &table.first), ("cubics", &table.coefficients)]
            } else {
                &[("x", &table.first), ("y", &table.second), ("patches", &table.coefficients)]
            };
            for (suffix, numbers) in parts {
                let head = format!("static const double {}_{suffix}[{}] = {{", table.name, numbers.len());
                let list: Vec<String> = numbers.iter().map(|x| digits(*x)).collect();
                page.statement(0, &head, &list.join(&format!(",{BLANK}")), "};");
            }
            page.gap();
        }
        let needed = helpers(self.plan);
        page.lines(&chosen(HELPERS, "///", |name| needed.iter().any(|h| h.name() == name)));
        let text = page.finish().trim().to_owned();
        match self.flavour {
            Flavour::C99 => text,
            Flavour::Cpp17 => text.replace("fabs(", "std::fabs(").replace("static ", ""),
        }
    }

    fn function(&self, page: &mut Page, function: &FunctionPlan) {
        let qualified = match self.flavour {
            Flavour::C99 => self.signature(function),
            Flavour::Cpp17 => {
                self.signature(function).replacen("void ", &format!("void {}::", self.words.library), 1)
            }
        };
        page.comment(0, &capitalized(&self.plan.spec(function).doc));
        page.statement(0, "", &qualified, "");
        page.lines("{");
        for name in unused(self.plan, &self.words, function) {
            page.lines(&format!("    (void){name};"));
        }
        body(self, page, function);
        page.lines("}");
        page.gap();
    }

    fn math(&self, name: &str) -> String {
        if self.flavour == Flavour::C99 { name.into() } else { format!("std::{name}") }
    }
}

impl Language for C<'_> {
    fn number(&self, value: f64) -> String {
        if value.is_nan() {
            "NAN".into()
        } else if value.is_infinite() {
            "INFINITY".into()
        } else {
            digits(value)
        }
    }

    fn truth(&self, value: bool) -> String {
        match self.flavour {
            Flavour::C99 => u8::from(value).to_string(),
            Flavour::Cpp17 => value.to_string(),
        }
    }

    fn apply(&self, what: Apply, args: &[Text]) -> Text {
        match what {
            Apply::Unary(Unary::Sign) => call("sign_of", args),
            Apply::Unary(op) => call(&self.math(function_name(op)), args),
            Apply::Min => call("minimum", args),
            Apply::Max => call("maximum", args),
            Apply::Atan2 => call(&self.math("atan2"), args),
            Apply::Pow => call(&self.math("pow"), args),
            Apply::Fma => call(&self.math("fma"), args),
            Apply::Powi(n) => call("whole_power", &[args[0].clone(), Text::atom(format!("{n}L"))]),
            Apply::Select(_) => {
                let [condition, yes, no] = [0, 1, 2].map(|k| args[k].above(Level::Or));
                Text::new(format!("{condition}{BLANK}? {yes}{BLANK}: {no}"), Level::Loose)
            }
            Apply::Curve(id, order) => {
                let (curve, name) = (&self.plan.program.curves()[id], &self.words.curves[id.index()]);
                let clamp = u8::from(curve.beyond() == Beyond::Clamp);
                let table = [
                    format!("{name}_knots"),
                    curve.knots().len().to_string(),
                    format!("{name}_cubics"),
                    clamp.to_string(),
                ];
                let mut all: Vec<Text> = table.into_iter().map(Text::atom).collect();
                all.push(args[0].clone());
                all.push(Text::atom(order.to_string()));
                call("look_up", &all)
            }
            Apply::Surface(id, dx, dy) => {
                let (surface, name) = (&self.plan.program.surfaces()[id], &self.words.surfaces[id.index()]);
                let clamp = u8::from(surface.beyond() == Beyond::Clamp);
                let table = [
                    format!("{name}_x"),
                    surface.x().len().to_string(),
                    format!("{name}_y"),
                    surface.y().len().to_string(),
                    format!("{name}_patches"),
                    clamp.to_string(),
                ];
                let mut all: Vec<Text> = table.into_iter().map(Text::atom).collect();
                all.extend_from_slice(args);
                all.extend([dx, dy].map(|d| Text::atom(d.to_string())));
                call("look_up_2", &all)
            }
            Apply::Call(id) => call(&self.words.external[id.index()], args),
        }
    }

    fn statements(&self) -> &dyn Statements {
        self
    }
}

impl Statements for C<'_> {
    fn parts(&self) -> Parts<'_> {
        let manners =
            if self.flavour == Flavour::C99 { &statement_syntax::C99 } else { &statement_syntax::CPP17 };
        (self.plan, &self.words, manners)
    }
    fn as_real(&self, truth: Text) -> Text {
        Text::new(format!("{} ? 1.0 : 0.0", truth.above(Level::Or)), Level::Loose)
    }
    fn declare_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        page.lines(&format!("    double {matrix}[{}], {solution}[{n_entries}];", n * n));
    }
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        page.lines(&format!("    solve_linear({n}, {matrix}, {n_entries}, {solution});"));
    }
}

/// The name in `<math.h>`.
fn function_name(op: Unary) -> &'static str {
    match op {
        Unary::Abs => "fabs",
        Unary::Ln => "log",
        op => op.name(),
    }
}
