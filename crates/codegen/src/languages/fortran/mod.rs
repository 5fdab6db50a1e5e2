//! Fortran 2008: one module in free form.

mod simulation;
mod words;

pub(crate) use crate::languages::fortran::simulation::simulation;

use cardan_base::Id;
use cardan_program::{Compare, Logic, Program, Type, Unary};

use crate::externals::{called, described};
use crate::library::{EmitError, Library, Passing};
use crate::plan::{FunctionPlan, Plan};
use crate::source::SourceFile;
use crate::writer::body::{Parts, Statements, body, capitalized, locals, systems, unused};
use crate::writer::expression::{Apply, Language, Level, Text, call, digits, infix};
use crate::writer::file_writer::{Continuation, Page};
use crate::writer::header::header;
use crate::writer::helpers::{mentioned, tables};
use crate::writer::layout::{BLANK, deeper};
use crate::writer::lookup::{Around, look_up, look_up_2};
use crate::writer::name_table::{Customs, Vocabulary};
use crate::writer::statement_syntax;

const HELPERS: &str = include_str!("helpers.f90");

/// The library as a Fortran module.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    let fortran = Fortran::new(&plan);
    Ok(vec![SourceFile::text(format!("{}.f90", fortran.words.library), fortran.file())])
}

/// Writer of Fortran.
pub(crate) struct Fortran<'a> {
    plan: &'a Plan<'a>,
    words: Vocabulary,
}

impl<'a> Fortran<'a> {
    pub fn new(plan: &'a Plan<'a>) -> Self {
        let customs = Customs {
            reserved: &words::RESERVED,
            functions: &words::INTRINSICS,
            case_matters: false,
            prefix: false,
        };
        Fortran { plan, words: Vocabulary::new(plan, &customs) }
    }

    fn page() -> Page {
        Page::new(Continuation::Ampersand, "!")
    }

    /// The module.
    pub fn file(&self) -> String {
        let mut functions = Self::page();
        for function in &self.plan.functions {
            self.function(&mut functions, function);
        }
        let functions = functions.finish();
        let helpers = mentioned(&functions, HELPERS, "!=");
        let code = functions + &helpers;

        let mut page = Self::page();
        page.comment(0, &header(self.plan, &self.words, 1));
        page.gap();
        let name = &self.words.library;
        page.lines(&format!("module {name}"));
        page.lines("    use, intrinsic :: iso_fortran_env, only: dp => real64");
        let ieee: Vec<&str> = ["ieee_value", "ieee_quiet_nan", "ieee_positive_inf", "ieee_is_nan"]
            .into_iter()
            .filter(|word| code.contains(word))
            .collect();
        if !ieee.is_empty() {
            page.lines(&format!("    use, intrinsic :: ieee_arithmetic, only: {}", ieee.join(", ")));
        }
        page.lines("    implicit none\n    private");
        let list = self.words.functions.join(&format!(",{BLANK}"));
        page.statement(4, "public :: ", &list, "");
        page.gap();
        if self.plan.n_work > 0 {
            page.comment(4, &format!("Length of the array {}.", self.words.work));
            page.lines(&format!("    integer, parameter, public :: n_work = {}", self.plan.n_work));
            page.gap();
        }
        self.external(&mut page);
        self.data(&mut page);
        page.lines("contains");
        page.gap();
        page.lines(code.trim_end());
        page.gap();
        page.lines(&format!("end module {name}"));
        page.finish()
    }

    fn external(&self, page: &mut Page) {
        let list = called(self.plan);
        if list.is_empty() {
            return;
        }
        page.comment(4, "Functions that the user of this file provides.");
        page.lines("    interface");
        for (id, _) in list {
            let name = &self.words.external[id.index()];
            let args = &self.words.external_arguments[id.index()];
            page.comment(8, &described(self.plan, &self.words, id));
            let comma = format!(",{BLANK}");
            page.statement(8, "pure function ", &format!("{name}({})", args.join(&comma)), " result(y)");
            page.lines("            import :: dp");
            if !args.is_empty() {
                page.statement(12, "real(dp), intent(in) :: ", &args.join(&comma), "");
            }
            page.lines("            real(dp) :: y");
            page.lines(&format!("        end function {name}"));
        }
        page.lines("    end interface");
        page.gap();
    }

    fn data(&self, page: &mut Page) {
        for table in tables(self.plan, &self.words.curves, &self.words.surfaces) {
            let parts: &[(&str, &[f64])] = if table.second.is_empty() {
                &[("knots", &table.first), ("cubics", &table.coefficients)]
            } else {
                &[("x", &table.first), ("y", &table.second), ("patches", &table.coefficients)]
            };
            for (suffix, numbers) in parts {
                let name = format!("{}_{suffix}", table.name);
                page.lines(&format!("    real(dp), save :: {name}({})", numbers.len()));
                for (k, chunk) in numbers.chunks(100).enumerate() {
                    let list: Vec<String> = chunk.iter().map(|x| format!("{}_dp", digits(*x))).collect();
                    let (first, last) = (100 * k + 1, 100 * k + chunk.len());
                    let head = format!("data {name}({first}:{last}) /");
                    page.statement(4, &head, &list.join(&format!(",{BLANK}")), "/");
                }
            }
            page.gap();
        }
    }

    fn function(&self, page: &mut Page, function: &FunctionPlan) {
        let spec = self.plan.spec(function);
        let name = &self.words.functions[function.index];
        page.comment(4, &capitalized(&spec.doc));
        let mut names = Vec::new();
        let mut declarations = Vec::new();
        for (name, argument) in self.words.arguments[function.index].iter().zip(&spec.arguments) {
            names.push(name.clone());
            declarations.push(match argument.passing {
                Passing::Scalar => format!("real(dp), intent(in) :: {name}"),
                Passing::Array => format!("real(dp), intent(in) :: {name}({})", argument.inputs.len()),
            });
        }
        if function.takes_work {
            let intent = if function.writes_work() { "inout" } else { "in" };
            names.push(self.words.work.clone());
            declarations.push(format!("real(dp), intent({intent}) :: {}(n_work)", self.words.work));
        }
        for (name, results) in self.words.results[function.index].iter().zip(&spec.results) {
            names.push(name.clone());
            let intent = if results.outputs.is_empty() { "inout" } else { "out" };
            declarations.push(format!("real(dp), intent({intent}) :: {name}({})", results.outputs.len()));
        }
        let comma = deeper(&format!(",{BLANK}"));
        page.statement(4, "subroutine ", &format!("{name}({})", names.join(&comma)), "");
        for declaration in declarations {
            page.lines(&format!("        {declaration}"));
        }
        let locals = locals(self, function);
        for (ty, keyword) in [(Type::Real, "real(dp)"), (Type::Bool, "logical")] {
            let list: Vec<String> = locals.iter().filter(|(t, _)| *t == ty).map(|(_, n)| n.clone()).collect();
            for chunk in list.chunks(200) {
                page.statement(8, &format!("{keyword} :: "), &chunk.join(&format!(",{BLANK}")), "");
            }
        }
        for (matrix, n, solution, m) in systems(self, function) {
            page.lines(&format!("        real(dp) :: {matrix}({n}), {solution}({m})"));
        }
        page.gap();
        for idle in unused(self.plan, &self.words, function) {
            page.lines(&format!("        associate (unused => {idle})\n        end associate"));
        }
        body(self, page, function);
        page.lines(&format!("    end subroutine {name}"));
        page.gap();
    }
}

/// What stands around the names of tables.
const AROUND: Around = Around { before: "", after: "" };

impl Language for Fortran<'_> {
    fn number(&self, value: f64) -> String {
        if value.is_nan() {
            "ieee_value(1.0_dp, ieee_quiet_nan)".into()
        } else if value.is_infinite() {
            "ieee_value(1.0_dp, ieee_positive_inf)".into()
        } else {
            format!("{}_dp", digits(value))
        }
    }

    fn truth(&self, value: bool) -> String {
        if value { ".true.".into() } else { ".false.".into() }
    }

    fn opaque(&self, number: Text) -> Text {
        call("opaque", &[number])
    }

    fn apply(&self, what: Apply, args: &[Text]) -> Text {
        match what {
            Apply::Unary(Unary::Sign) => call("sign_of", args),
            Apply::Unary(Unary::Floor) => call("floor_of", args),
            Apply::Unary(Unary::Ln) => call("log", args),
            Apply::Unary(op) => call(op.name(), args),
            Apply::Min => call("minimum", args),
            Apply::Max => call("maximum", args),
            Apply::Atan2 => call("atan2", args),
            Apply::Pow => {
                let (a, b) = (args[0].at_least(Level::Atom), args[1].at_least(Level::Atom));
                Text::new(format!("{a}**{b}"), Level::Product)
            }
            Apply::Fma => call("fused", args),
            Apply::Powi(n) => call("whole_power", &[args[0].clone(), Text::atom(n.to_string())]),
            Apply::Select(_) => call("merge", &[args[1].clone(), args[2].clone(), args[0].clone()]),
            Apply::Curve(id, order) => look_up(self, AROUND, id, order, &args[0]),
            Apply::Surface(id, dx, dy) => look_up_2(self, AROUND, id, [dx, dy], args),
            Apply::Call(id) => call(&self.words.external[id.index()], args),
        }
    }

    fn compare(&self, op: Compare, a: &Text, b: &Text) -> Text {
        let sign = match op {
            Compare::Lt => "<",
            Compare::Le => "<=",
            Compare::Eq => return call("equal", &[a.clone(), b.clone()]),
            Compare::Ne => {
                let same = call("equal", &[a.clone(), b.clone()]);
                return Text::new(format!(".not. {}", same.text), Level::Not);
            }
        };
        infix(a.above(Level::Compare), sign, b.above(Level::Compare), Level::Compare)
    }

    fn logic(&self, op: Logic, a: &Text, b: &Text) -> Text {
        match op {
            Logic::And => infix(a.at_least(Level::And), ".and.", b.above(Level::And), Level::And),
            Logic::Or => infix(a.at_least(Level::Or), ".or.", b.above(Level::Or), Level::Or),
        }
    }

    fn not(&self, a: &Text) -> Text {
        Text::new(format!(".not. {}", a.above(Level::Not)), Level::Not)
    }

    fn statements(&self) -> &dyn Statements {
        self
    }
}

impl Statements for Fortran<'_> {
    fn parts(&self) -> Parts<'_> {
        (self.plan, &self.words, &statement_syntax::FORTRAN)
    }
    fn as_real(&self, truth: Text) -> Text {
        call("merge", &[Text::atom("1.0_dp"), Text::atom("0.0_dp"), truth])
    }
    fn declare_system(&self, _: &mut Page, _: usize, _: &str, _: usize, _: &str) {}
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        page.lines(&format!("        call solve_linear({n}, {matrix}, {n_entries}, {solution})"));
    }
}
