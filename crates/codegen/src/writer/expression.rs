//! Expressions as text: operators with as few parentheses as the order of evaluation allows.
//!
//! Every language here agrees on the order of strength: disjunction, conjunction, comparison, sums, products.
//! A sign counts as a sum, so that no two operators ever meet, as Fortran demands. Sums and products are
//! evaluated in the program's order: `a + (b + c)` keeps its parentheses.

use cardan_base::Id;
use cardan_program::{Binary, Compare, CurveId, FunctionId, Logic, Op, SurfaceId, Type, Unary, ValueId};

use crate::plan::{FunctionPlan, Plan};
use crate::writer::body::{Statements, local_name, solution_entry};
use crate::writer::helpers::is_long_power;
use crate::writer::layout::{BLANK, SEAM, deeper};

/// How strongly the outermost operator of a text binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// Must be put into parentheses wherever it is an operand.
    Loose,
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Atom,
}

/// A piece of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub text: String,
    pub level: Level,
}

impl Text {
    pub fn atom(text: impl Into<String>) -> Self {
        Text { text: text.into(), level: Level::Atom }
    }
    pub fn new(text: impl Into<String>, level: Level) -> Self {
        Text { text: text.into(), level }
    }
    /// As an operand where only texts of at least this level may stand.
    pub fn at_least(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", deeper(&self.text)) }
    }
    /// As an operand where only texts above this level may stand.
    pub fn above(&self, level: Level) -> String {
        if self.level > level { self.text.clone() } else { format!("({})", deeper(&self.text)) }
    }
}

/// What is written as a function, or in a way of its own, in each language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Apply {
    Unary(Unary),
    Min,
    Max,
    Atan2,
    Pow,
    Fma,
    Powi(i32),
    /// Condition, value if true, value if false.
    Select(Type),
    Curve(CurveId, u8),
    Surface(SurfaceId, u8, u8),
    Call(FunctionId),
}

/// How a language writes expressions.
pub(crate) trait Language {
    /// A number that is not negative; infinity and NaN included.
    fn number(&self, value: f64) -> String;
    /// A truth value.
    fn truth(&self, value: bool) -> String;
    /// A function or another form of the language's own.
    fn apply(&self, what: Apply, args: &[Text]) -> Text;
    /// A named value or an input.
    fn named(&self, _: &FunctionPlan, value: ValueId) -> Text {
        local_name(self.statements(), value)
    }
    /// One entry of a solution.
    fn entry(&self, function: &FunctionPlan, solve: ValueId, index: u32) -> Text {
        solution_entry(self.statements(), function, solve, index)
    }
    /// This language, for statements.
    fn statements(&self) -> &dyn Statements;
    /// A number that the compiler of the language must not compute with.
    fn opaque(&self, number: Text) -> Text {
        number
    }
    /// A comparison.
    fn compare(&self, op: Compare, a: &Text, b: &Text) -> Text {
        let sign = match op {
            Compare::Lt => "<",
            Compare::Le => "<=",
            Compare::Eq => "==",
            Compare::Ne => "!=",
        };
        infix(a.above(Level::Compare), sign, b.above(Level::Compare), Level::Compare)
    }
    /// A combination of truth values.
    fn logic(&self, op: Logic, a: &Text, b: &Text) -> Text {
        // A conjunction inside a disjunction gets parentheses: compilers warn without them.
        match op {
            Logic::And => infix(a.at_least(Level::And), "&&", b.above(Level::And), Level::And),
            Logic::Or => {
                let side = |t: &Text| if t.level == Level::Or { t.text.clone() } else { t.above(Level::And) };
                infix(side(a), "||", b.above(Level::And), Level::Or)
            }
        }
    }
    /// The opposite of a truth value.
    fn not(&self, a: &Text) -> Text {
        Text::atom(format!("!{}", a.at_least(Level::Atom)))
    }
}

/// Two operands with blanks around the operator.
pub(crate) fn infix(a: String, operator: &str, b: String, level: Level) -> Text {
    Text::new(format!("{a}{BLANK}{operator} {b}"), level)
}

/// A function call.
pub(crate) fn call(name: &str, args: &[Text]) -> Text {
    // Lines end between arguments rather than inside them.
    let args: Vec<String> = args.iter().map(|a| deeper(&deeper(&a.text))).collect();
    let comma = deeper(&format!(",{BLANK}"));
    let open = deeper(&deeper(&SEAM.to_string()));
    Text::atom(format!("{name}({open}{})", args.join(&comma)))
}

/// A number with its sign.
pub(crate) fn number(language: &dyn Language, value: f64) -> Text {
    if value.is_sign_negative() && !value.is_nan() {
        Text::new(format!("-{}", language.number(-value)), Level::Sum)
    } else {
        Text::atom(language.number(value))
    }
}

/// The shortest digits that identify a finite number; always with a point or an exponent.
pub(crate) fn digits(value: f64) -> String {
    format!("{value:?}")
}

/// The expression of a value as a reader of it sees it: its name if it has one.
pub(crate) fn operand(plan: &Plan, function: &FunctionPlan, language: &dyn Language, value: ValueId) -> Text {
    if function.named.contains(&value) {
        language.named(function, value)
    } else {
        definition(plan, function, language, value)
    }
}

/// The expression that computes a value.
pub(crate) fn definition(
    plan: &Plan,
    function: &FunctionPlan,
    language: &dyn Language,
    value: ValueId,
) -> Text {
    let op = &plan.program.values()[value];
    let constant = |v: ValueId| matches!(plan.program.values()[v], Op::Const(_));
    let all_constant = op.operands().iter().all(|v| constant(*v));
    let get = |v: &ValueId| {
        let text = operand(plan, function, language, *v);
        if all_constant { language.opaque(text) } else { text }
    };
    match op {
        Op::Const(c) => number(language, c.value()),
        Op::Truth(b) => Text::atom(language.truth(*b)),
        Op::Input(_) | Op::Solve(_) => language.named(function, value),
        Op::Unary(Unary::Neg, a) => {
            let a = get(a);
            Text::new(format!("-{}", a.at_least(Level::Product)), Level::Sum)
        }
        Op::Unary(op, a) => language.apply(Apply::Unary(*op), &[get(a)]),
        Op::Binary(Binary::Add, a, b) if let Some(opposite) = negated(plan, function, language, *b) => {
            difference(&get(a), &opposite)
        }
        Op::Binary(Binary::Mul, a, b) => {
            let (left, right) = (get(a), get(b));
            if constant(*b) && !constant(*a) && left.level > Level::Product {
                product(&right, "*", &left)
            } else {
                product(&left, "*", &right)
            }
        }
        Op::Binary(op, a, b) => binary(language, *op, &get(a), &get(b)),
        Op::Fma(a, b, c) => language.apply(Apply::Fma, &[get(a), get(b), get(c)]),
        Op::Powi(a, n) => {
            let base = get(a);
            match n {
                _ if is_long_power(plan.program, op) => language.apply(Apply::Powi(*n), &[base]),
                2 => product(&base, "*", &base),
                _ => product(&base, "*", &product(&base, "*", &base)),
            }
        }
        Op::Compare(op, a, b) => language.compare(*op, &get(a), &get(b)),
        Op::Logic(op, a, b) => language.logic(*op, &get(a), &get(b)),
        Op::Not(a) => language.not(&get(a)),
        Op::Select(c, a, b) => {
            let ty = plan.types[a.index()];
            language.apply(Apply::Select(ty), &[get(c), get(a), get(b)])
        }
        Op::Lookup1 { table, x, order } => language.apply(Apply::Curve(*table, *order), &[get(x)]),
        Op::Lookup2 { table, x, y, dx, dy } => {
            language.apply(Apply::Surface(*table, *dx, *dy), &[get(x), get(y)])
        }
        Op::Call { function: f, args } => {
            let args: Vec<Text> = args.iter().map(get).collect();
            language.apply(Apply::Call(*f), &args)
        }
        Op::Extract { solve, index } => language.entry(function, *solve, *index),
    }
}

fn binary(language: &dyn Language, op: Binary, a: &Text, b: &Text) -> Text {
    match op {
        Binary::Add => infix(a.at_least(Level::Sum), "+", b.above(Level::Sum), Level::Sum),
        Binary::Sub => difference(a, b),
        Binary::Mul => product(a, "*", b),
        Binary::Div => product(a, "/", b),
        Binary::Min => language.apply(Apply::Min, &[a.clone(), b.clone()]),
        Binary::Max => language.apply(Apply::Max, &[a.clone(), b.clone()]),
        Binary::Atan2 => language.apply(Apply::Atan2, &[a.clone(), b.clone()]),
        Binary::Pow => language.apply(Apply::Pow, &[a.clone(), b.clone()]),
    }
}

fn difference(a: &Text, b: &Text) -> Text {
    infix(a.at_least(Level::Sum), "-", b.above(Level::Sum), Level::Sum)
}

/// The operand of a sign that is written where it is read, or the size of a negative number: a + (−b) is
/// a − b, exactly.
fn negated(plan: &Plan, function: &FunctionPlan, language: &dyn Language, value: ValueId) -> Option<Text> {
    match &plan.program.values()[value] {
        Op::Const(c) if c.value() < 0.0 => Some(number(language, -c.value())),
        Op::Unary(Unary::Neg, a) if !function.named.contains(&value) => {
            Some(operand(plan, function, language, *a))
        }
        _ => None,
    }
}

fn product(a: &Text, sign: &str, b: &Text) -> Text {
    let (a, b) = (a.at_least(Level::Product), b.above(Level::Product));
    Text::new(format!("{a}{}{sign}{b}", deeper(&SEAM.to_string())), Level::Product)
}

/// A unit in brackets for comments; nothing for a pure number.
pub(crate) fn unit_suffix(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" [{unit}]") }
}
