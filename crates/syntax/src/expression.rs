//! Expressions as they were written.
//!
//! Chains of operators of one rank (`a + b - c`) and chains of conditions (`if … else if …`) are kept
//! flat, so the depth of an expression is the depth of its brackets, which the parser bounds: any
//! recursive reader of this tree is safe on any text. Numbers keep their literal digits, because the
//! algebra that follows is exact.

use std::fmt;

use cardan_base::Span;

/// A word that names something.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    /// The word; in a flat tree the whole path of the thing, `front.left.wheel` or `rod[3]`.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// The index of a declared element, `rod[k]`, or the size of an array; empty in a flat tree.
    pub index: Vec<Expr>,
}

/// A string, without its quotes and escapes.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// The characters between the quotes.
    pub text: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// What stands between the brackets of a unit, not yet understood: `N*m/rad`.
#[derive(Clone, PartialEq, Debug)]
pub struct UnitText {
    /// The text between the brackets, trimmed.
    pub text: String,
    /// The place of exactly that text, so offsets inside the text can be added to its start.
    pub span: Span,
}

/// One part of a dotted name, with the index that may follow it.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// The name.
    pub name: Name,
    /// The index in brackets, empty if there is none: `links[3]`.
    pub index: Vec<Expr>,
}

/// A dotted name: `hand.cm`, `links[3].P`.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// The parts between the dots, at least one.
    pub segments: Vec<Segment>,
    /// From the first part to the last.
    pub span: Span,
}

impl Name {
    /// A name without an index.
    pub fn new(text: impl Into<String>, span: Span) -> Self {
        Name { text: text.into(), span, index: Vec::new() }
    }
}

impl Path {
    /// The path of one name.
    pub fn of(name: Name) -> Self {
        let span = name.span;
        Path { segments: vec![Segment { name, index: Vec::new() }], span }
    }
    /// The only name, if this is one plain name without dots and indices.
    pub fn as_name(&self) -> Option<&Name> {
        match self.segments.as_slice() {
            [only] if only.index.is_empty() => Some(&only.name),
            _ => None,
        }
    }
    /// The whole path as one name, as the kind of an element or instance is.
    pub fn joined(&self) -> Name {
        Name::new(self.to_string(), self.span)
    }
    /// Whether this is the one plain name `word`.
    pub fn is(&self, word: &str) -> bool {
        self.as_name().is_some_and(|name| name.text == word)
    }
}

/// One argument of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// The name before `=`, if the argument is given by name.
    pub name: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// `f(x, y = 2)`; a joint without arguments may lack the brackets.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What is called: a function, a joint, a shape, or a frame that is given components.
    pub function: Path,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
    /// From the name to the closing bracket.
    pub span: Span,
}

/// An expression and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, grouping brackets included.
    pub span: Span,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A number as it was written: `2.194e-6`.
    Number(String),
    /// A string.
    Text(String),
    /// A dotted name.
    Name(Path),
    /// A call, or components in a frame: `B(1, 2, 3)`.
    Call(Call),
    /// Two or more values in brackets: `(a, b, c)`.
    Tuple(Vec<Expr>),
    /// A value with a unit: `2000 [N*m/rad]`, `(1, 2, 3) [m]`.
    Quantity {
        /// The value.
        value: Box<Expr>,
        /// Its unit.
        unit: UnitText,
    },
    /// A sign or `not`.
    Unary {
        /// Which one.
        op: UnaryOp,
        /// What it applies to.
        operand: Box<Expr>,
    },
    /// `first op a op b …` from the left to the right, all operators of one rank.
    Chain {
        /// The leftmost operand.
        first: Box<Expr>,
        /// The operators with their right operands, at least one.
        rest: Vec<(ChainOp, Expr)>,
    },
    /// `base ^ exponent`.
    Power {
        /// The base.
        base: Box<Expr>,
        /// The exponent.
        exponent: Box<Expr>,
    },
    /// `left < right` and its kin.
    Compare {
        /// Which relation.
        op: CompareOp,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `if c then a else if d then b else e`.
    If {
        /// Conditions with their values, at least one.
        arms: Vec<(Expr, Expr)>,
        /// The value if no condition holds.
        otherwise: Box<Expr>,
    },
    /// `low .. high`.
    Range {
        /// The lower end.
        low: Box<Expr>,
        /// The upper end.
        high: Box<Expr>,
    },
    /// `sum(k in 1 .. n: rod[k].energy)`: one term for each value of a number that counts.
    Sum {
        /// The name of the number that counts.
        name: Name,
        /// Its first and last value, always an [`ExprKind::Range`] or missing.
        range: Box<Expr>,
        /// The term.
        term: Box<Expr>,
    },
    /// `command(t).clock`: one of several results.
    Part {
        /// What has parts, a call.
        of: Box<Expr>,
        /// Which part.
        name: Name,
    },
    /// Nothing that could be read; a diagnostic says why.
    Missing,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-a`
    Minus,
    /// `+a`
    Plus,
    /// `not a`
    Not,
}

/// Operators that are read from the left to the right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChainOp {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a and b`
    And,
    /// `a or b`
    Or,
}

/// Relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompareOp {
    /// `a < b`
    Less,
    /// `a <= b`
    LessEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterEqual,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
}

impl Call {
    /// The arguments given by position.
    pub fn positional(&self) -> impl Iterator<Item = &Expr> {
        self.arguments.iter().filter(|a| a.name.is_none()).map(|a| &a.value)
    }
    /// The value of the argument called `name`.
    pub fn named(&self, name: &str) -> Option<&Expr> {
        self.arguments.iter().find(|a| a.name.as_ref().is_some_and(|n| n.text == name)).map(|a| &a.value)
    }
}

impl Expr {
    /// The dotted name, if this is one.
    pub fn as_path(&self) -> Option<&Path> {
        match &self.kind {
            ExprKind::Name(path) => Some(path),
            _ => None,
        }
    }
    /// The plain name, if this is one without dots and indices.
    pub fn as_name(&self) -> Option<&Name> {
        self.as_path().and_then(Path::as_name)
    }
}

impl UnaryOp {
    /// The sign or word as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
            UnaryOp::Not => "not ",
        }
    }
}

impl ChainOp {
    /// The sign or word as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            ChainOp::Add => "+",
            ChainOp::Subtract => "-",
            ChainOp::Multiply => "*",
            ChainOp::Divide => "/",
            ChainOp::And => "and",
            ChainOp::Or => "or",
        }
    }
}

impl CompareOp {
    /// The sign as it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Less => "<",
            CompareOp::LessEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterEqual => ">=",
            CompareOp::Equal => "==",
            CompareOp::NotEqual => "!=",
        }
    }
}

impl fmt::Display for UnitText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.text)
    }
}
