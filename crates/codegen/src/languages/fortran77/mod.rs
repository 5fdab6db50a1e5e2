//! Fortran 77 in fixed form, as AUTOSIM wrote it: intermediate values stand in an array Z, statements end in
//! column 72, and every name begins with the library's.

mod simulation;

pub(crate) use crate::languages::fortran77::simulation::simulation;

use cardan_base::Id;
use cardan_program::{Beyond, Compare, Logic, Op, Program, Type, Unary, ValueId};

use crate::library::{EmitError, Library, Passing};
use crate::plan::{FunctionPlan, Plan};
use crate::source::SourceFile;
use crate::writer::body::{Parts, Statements, body, capitalized, input_place, systems, unused};
use crate::writer::expression::{Apply, Language, Level, Text, call, digits, infix};
use crate::writer::file_writer::{Continuation, Page};
use crate::writer::header::header;
use crate::writer::helpers::{TableData, mentioned, tables};
use crate::writer::layout::{BLANK, deeper};
use crate::writer::name_table::{Customs, Vocabulary};
use crate::writer::statement_syntax;

const HELPERS: &str = include_str!("helpers.f");

/// Longest beginning of the names of helpers, so that their lines fit.
const PREFIX: usize = 10;

#[rustfmt::skip]
const RESERVED: [&str; 36] = [
    "z", "lz", "abs", "aint", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
    "exp", "log", "max", "min", "mod", "if", "then", "else", "end", "do", "call", "return", "stop", "subroutine",
    "function", "program", "real", "integer", "logical", "data", "external",
];

/// The library as Fortran 77.
pub(crate) fn library(program: &Program, library: &Library) -> Result<Vec<SourceFile>, EmitError> {
    let plan = Plan::new(program, library)?;
    let fortran = Fortran77::new(&plan);
    let name = fortran.words.library.to_lowercase();
    Ok(vec![SourceFile::text(format!("{name}.f"), fortran.file())])
}

/// Writer of Fortran 77.
pub(crate) struct Fortran77<'a> {
    plan: &'a Plan<'a>,
    words: Vocabulary,
    prefix: String,
}

impl<'a> Fortran77<'a> {
    pub fn new(plan: &'a Plan<'a>) -> Self {
        let customs = Customs { reserved: &RESERVED, functions: &[], case_matters: false, prefix: true };
        let mut words = Vocabulary::new(plan, &customs);
        let lists = [&mut words.functions, &mut words.inputs, &mut words.curves, &mut words.surfaces];
        for name in lists.into_iter().flatten().chain(&mut words.external) {
            *name = name.to_uppercase();
        }
        for name in words.arguments.iter_mut().chain(&mut words.results).flatten() {
            *name = name.to_uppercase();
        }
        words.work = words.work.to_uppercase();
        words.library = words.library.to_uppercase();
        let prefix = format!("{}_", shortened(&words.library));
        for name in words.curves.iter_mut().chain(&mut words.surfaces) {
            *name = format!("{prefix}{name}");
        }
        Fortran77 { plan, words, prefix }
    }

    fn page() -> Page {
        Page::new(Continuation::SixthColumn, "C    ")
    }

    fn helper(&self, name: &str, args: &[Text]) -> Text {
        call(&format!("{}{name}", self.prefix), args)
    }

    /// The file.
    pub fn file(&self) -> String {
        let mut page = Self::page();
        page.comment(0, &header(self.plan, &self.words, 1));
        page.gap();
        for function in &self.plan.functions {
            self.function(&mut page, function);
        }
        for table in tables(self.plan, &self.words.curves, &self.words.surfaces) {
            self.table(&mut page, &table);
        }
        let text = page.finish();
        let helpers = mentioned(&text, &HELPERS.replace('@', &self.prefix), "C=");
        (text + &helpers).trim_end().to_owned() + "\n"
    }

    fn function(&self, page: &mut Page, function: &FunctionPlan) {
        let spec = self.plan.spec(function);
        let mut statements = Self::page();
        body(self, &mut statements, function);
        let statements = statements.finish();

        page.comment(0, &capitalized(&spec.doc));
        let mut names = Vec::new();
        let mut arrays = Vec::new();
        for (name, argument) in self.words.arguments[function.index].iter().zip(&spec.arguments) {
            names.push(name.clone());
            arrays.push(match argument.passing {
                Passing::Scalar => name.clone(),
                Passing::Array => format!("{name}(*)"),
            });
        }
        if function.takes_work {
            names.push(self.words.work.clone());
            arrays.push(format!("{}(*)", self.words.work));
        }
        for name in &self.words.results[function.index] {
            names.push(name.clone());
            arrays.push(format!("{name}(*)"));
        }
        let comma = deeper(&format!(",{BLANK}"));
        let name = &self.words.functions[function.index];
        page.statement(6, "SUBROUTINE ", &format!("{name}({})", names.join(&comma)), "");
        page.lines("      IMPLICIT NONE");
        for list in arrays.chunks(40) {
            page.statement(6, "DOUBLE PRECISION ", &list.join(&comma), "");
        }
        self.locals(page, function);
        self.declare_called(page, &statements);
        for idle in unused(self.plan, &self.words, function) {
            let array = arrays.iter().any(|a| *a == format!("{idle}(*)"));
            let element = if array { format!("{idle}(1)") } else { idle.clone() };
            page.lines(&format!("      IF (.FALSE.) {element} = 0.0D0"));
        }
        page.gap();
        page.lines(statements.trim_end());
        page.lines("      END");
        page.gap();
    }

    fn locals(&self, page: &mut Page, function: &FunctionPlan) {
        for (ty, keyword, array) in [(Type::Real, "DOUBLE PRECISION", "Z"), (Type::Bool, "LOGICAL", "LZ")] {
            let numbers = function
                .values
                .iter()
                .filter(|v| self.plan.types[v.index()] == ty)
                .map(|v| self.plan.numbers[v]);
            if let Some(last) = numbers.max() {
                page.lines(&format!("      {keyword} {array}({last})"));
                // Compilers warn of larger ones on the stack.
                if last > 8000 {
                    page.lines(&format!("      SAVE {array}"));
                }
            }
        }
        for (matrix, n, solution, m) in systems(self, function) {
            page.lines(&format!("      DOUBLE PRECISION {matrix}({n}), {solution}({m})"));
        }
    }

    /// Types of the functions that the statements call.
    fn declare_called(&self, page: &mut Page, statements: &str) {
        let helpers = HELPERS.replace('@', &self.prefix);
        let called = |name: &str| statements.contains(&format!("{name}("));
        for line in helpers.lines() {
            let Some((ty, rest)) = line.trim().split_once(" FUNCTION ") else { continue };
            let name = rest.split('(').next().unwrap_or(rest);
            if called(name) {
                page.lines(&format!("      {ty} {name}"));
            }
        }
        let tables = self.words.curves.iter().chain(&self.words.surfaces);
        for name in tables.chain(&self.words.external).filter(|name| called(name)) {
            page.lines(&format!("      DOUBLE PRECISION {name}"));
        }
        for name in self.words.external.iter().filter(|name| called(name)) {
            page.lines(&format!("      EXTERNAL {name}"));
        }
    }

    /// A function with the numbers of one table.
    fn table(&self, page: &mut Page, table: &TableData) {
        let (name, prefix) = (&table.name, &self.prefix);
        let beyond = |b: Beyond| self.truth(b == Beyond::Clamp);
        let is_curve = table.second.is_empty();
        page.comment(0, &format!("Table {name}."));
        let arguments = if is_curve { "X, K" } else { "X, Y, KX, KY" };
        page.statement(6, "DOUBLE PRECISION FUNCTION ", &format!("{name}({arguments})"), "");
        page.lines("      IMPLICIT NONE");
        page.lines(if is_curve { "      DOUBLE PRECISION X" } else { "      DOUBLE PRECISION X, Y" });
        page.lines(if is_curve { "      INTEGER K, I" } else { "      INTEGER KX, KY, I" });
        let arrays: &[(&str, &[f64])] = if is_curve {
            &[("A", &table.first), ("C", &table.coefficients)]
        } else {
            &[("A", &table.first), ("B", &table.second), ("C", &table.coefficients)]
        };
        let look = if is_curve { "LOOK1" } else { "LOOK2" };
        page.lines(&format!("      DOUBLE PRECISION {prefix}{look}"));
        for (array, numbers) in arrays {
            page.lines(&format!("      DOUBLE PRECISION {array}({})", numbers.len()));
        }
        page.lines("      SAVE");
        for (array, numbers) in arrays {
            for (k, chunk) in numbers.chunks(20).enumerate() {
                let list: Vec<String> = chunk.iter().map(|x| double(*x)).collect();
                let head = format!("DATA ({array}(I), I = {}, {}) /", 20 * k + 1, 20 * k + chunk.len());
                page.statement(6, &head, &format!("{BLANK}{}", list.join(&format!(",{BLANK}"))), "/");
            }
        }
        let n = table.first.len();
        let text = if is_curve {
            let curves = self.plan.program.curves().iter();
            let clamp =
                curves.zip(&self.words.curves).find(|(_, w)| *w == name).map(|((_, c), _)| c.beyond());
            format!(
                "({n},{BLANK}A,{BLANK}C,{BLANK}{},{BLANK}X,{BLANK}K)",
                beyond(clamp.unwrap_or(Beyond::Clamp))
            )
        } else {
            let surfaces = self.plan.program.surfaces().iter();
            let clamp =
                surfaces.zip(&self.words.surfaces).find(|(_, w)| *w == name).map(|((_, s), _)| s.beyond());
            let m = table.second.len();
            let clamp = beyond(clamp.unwrap_or(Beyond::Clamp));
            format!(
                "({n},{BLANK}A,{BLANK}{m},{BLANK}B,{BLANK}C,{BLANK}{clamp},{BLANK}X,{BLANK}Y,{BLANK}KX,{BLANK}KY)"
            )
        };
        page.statement(6, &format!("{name} = "), &format!("{prefix}{look}{text}"), "");
        page.lines("      END");
        page.gap();
    }
}

/// A number of double precision.
fn double(value: f64) -> String {
    let text = digits(value);
    if text.contains('e') { text.replace('e', "D") } else { format!("{text}D0") }
}

impl Language for Fortran77<'_> {
    fn number(&self, value: f64) -> String {
        if value.is_nan() {
            format!("{}NAN(0.0D0)", self.prefix)
        } else if value.is_infinite() {
            format!("{}INF(0.0D0)", self.prefix)
        } else {
            double(value)
        }
    }

    fn truth(&self, value: bool) -> String {
        if value { ".TRUE.".into() } else { ".FALSE.".into() }
    }

    fn opaque(&self, number: Text) -> Text {
        self.helper("OPAQUE", &[number])
    }

    fn apply(&self, what: Apply, args: &[Text]) -> Text {
        let whole = |n: u8| Text::atom(n.to_string());
        match what {
            Apply::Unary(Unary::Sign) => self.helper("SIGN", args),
            Apply::Unary(Unary::Floor) => self.helper("FLOOR", args),
            Apply::Unary(Unary::Ln) => call("LOG", args),
            Apply::Unary(op) => call(&op.name().to_uppercase(), args),
            Apply::Min => self.helper("MIN", args),
            Apply::Max => self.helper("MAX", args),
            Apply::Atan2 => call("ATAN2", args),
            Apply::Pow => {
                let (a, b) = (args[0].at_least(Level::Atom), args[1].at_least(Level::Atom));
                Text::new(format!("{a}**{b}"), Level::Product)
            }
            Apply::Fma => self.helper("FUSED", args),
            Apply::Powi(n) => self.helper("POWER", &[args[0].clone(), Text::atom(n.to_string())]),
            Apply::Select(Type::Bool) => self.helper("WHICH", args),
            Apply::Select(_) => self.helper("IF", args),
            Apply::Curve(id, order) => call(&self.words.curves[id.index()], &[args[0].clone(), whole(order)]),
            Apply::Surface(id, dx, dy) => {
                let all = [args[0].clone(), args[1].clone(), whole(dx), whole(dy)];
                call(&self.words.surfaces[id.index()], &all)
            }
            Apply::Call(id) => call(&self.words.external[id.index()], args),
        }
    }

    fn compare(&self, op: Compare, a: &Text, b: &Text) -> Text {
        let sign = match op {
            Compare::Lt => ".LT.",
            Compare::Le => ".LE.",
            Compare::Eq => return self.helper("EQUAL", &[a.clone(), b.clone()]),
            Compare::Ne => {
                let same = self.helper("EQUAL", &[a.clone(), b.clone()]);
                return Text::new(format!(".NOT. {}", same.text), Level::Not);
            }
        };
        infix(a.above(Level::Compare), sign, b.above(Level::Compare), Level::Compare)
    }

    fn logic(&self, op: Logic, a: &Text, b: &Text) -> Text {
        // An operator need not evaluate both sides, and compilers warn where a function call may be skipped.
        let calls = |text: &Text| {
            let mentions = |name: &String| text.text.contains(&format!("{name}("));
            text.text.contains(&self.prefix) || self.words.external.iter().any(mentions)
        };
        match op {
            Logic::And if calls(a) || calls(b) => self.helper("BOTH", &[a.clone(), b.clone()]),
            Logic::Or if calls(a) || calls(b) => self.helper("EITHER", &[a.clone(), b.clone()]),
            Logic::And => infix(a.at_least(Level::And), ".AND.", b.above(Level::And), Level::And),
            Logic::Or => infix(a.at_least(Level::Or), ".OR.", b.above(Level::Or), Level::Or),
        }
    }

    fn not(&self, a: &Text) -> Text {
        Text::new(format!(".NOT. {}", a.above(Level::Not)), Level::Not)
    }

    fn named(&self, function: &FunctionPlan, value: ValueId) -> Text {
        if let Op::Input(i) = &self.plan.program.values()[value] {
            let source = function.inputs.iter().find(|(input, _)| input == i).map(|(_, source)| *source);
            return Text::atom(source.map_or(String::new(), |s| input_place(self, function, s)));
        }
        match function.loads.iter().find(|(v, _)| *v == value) {
            Some((_, place)) => {
                let element = self.element(&self.words.work, *place);
                if self.plan.types[value.index()] == Type::Bool {
                    self.as_truth(&element)
                } else {
                    Text::atom(element)
                }
            }
            None => Text::atom(self.value_name(value)),
        }
    }

    fn statements(&self) -> &dyn Statements {
        self
    }
}

impl Statements for Fortran77<'_> {
    fn parts(&self) -> Parts<'_> {
        (self.plan, &self.words, &statement_syntax::FORTRAN77)
    }
    fn as_real(&self, truth: Text) -> Text {
        self.helper("IF", &[truth, Text::atom("1.0D0"), Text::atom("0.0D0")])
    }
    fn declare_system(&self, _: &mut Page, _: usize, _: &str, _: usize, _: &str) {}
    fn solve_system(&self, page: &mut Page, n: usize, matrix: &str, n_entries: usize, solution: &str) {
        let text = format!("SOLVE({n},{BLANK}{matrix},{BLANK}{n_entries},{BLANK}{solution})");
        page.statement(6, &format!("CALL {}", self.prefix), &text, "");
    }
    fn value_name(&self, value: ValueId) -> String {
        let number = self.plan.numbers.get(&value).copied().unwrap_or(0);
        match self.plan.types[value.index()] {
            Type::Real => format!("Z({number})"),
            Type::Bool => format!("LZ({number})"),
            Type::Block(_) => format!("S{number}"),
        }
    }
    fn matrix_name(&self, value: ValueId) -> String {
        format!("{}A", self.value_name(value))
    }
    fn unpacks(&self) -> bool {
        false
    }
}

/// A name of at most [`PREFIX`] letters; two long names that begin alike are told apart by a number made of their letters.
fn shortened(name: &str) -> String {
    if name.len() <= PREFIX {
        return name.to_owned();
    }
    let number = name.bytes().fold(7u32, |n, b| n.wrapping_mul(31).wrapping_add(u32::from(b))) % 1000;
    format!("{}{number:03}", name.chars().take(PREFIX - 3).collect::<String>())
}
