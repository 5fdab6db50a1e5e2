//! The shapes of expressions.

use std::sync::Arc;

use cardan_base::define_id;

use crate::{Rational, SymbolId};

define_id!(Expr, "e", "An expression of a pool. Equal expressions have equal ids.");
define_id!(TableId, "table", "A table of data that an expression looks values up in.");
define_id!(ExternalId, "external", "A function that is written elsewhere.");

/// A function of one or more arguments. Comparisons and logic give 1 for true and 0 for false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names are the functions'")]
pub enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    /// `atan2(y, x)`
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Ln,
    /// `pow(x, y)` with an exponent that is not a number.
    Pow,
    Abs,
    /// -1, 0 or 1
    Sign,
    Min,
    Max,
    Floor,
    /// `less(a, b)`: a < b
    Less,
    /// `less_equal(a, b)`: a <= b
    LessEqual,
    /// `equal(a, b)`: a == b
    Equal,
    And,
    Or,
    Not,
    /// `select(condition, a, b)`: a where the condition holds, else b
    Select,
    /// Look-up in a table of one or two arguments, differentiated so many times by each.
    Table(TableId, [u8; 2]),
    /// A function that is written elsewhere; it has no derivative here.
    External(ExternalId),
    /// One unknown of the linear system A x = b with a symmetric matrix: its number of unknowns and which one. The
    /// arguments are the lower triangle of A row by row, then b.
    Solve(u16, u16),
}

impl Function {
    /// The functions that have a name in text.
    pub const NAMED: [(&'static str, Function, usize); 25] = [
        ("sin", Function::Sin, 1),
        ("cos", Function::Cos, 1),
        ("tan", Function::Tan, 1),
        ("asin", Function::Asin, 1),
        ("acos", Function::Acos, 1),
        ("atan", Function::Atan, 1),
        ("atan2", Function::Atan2, 2),
        ("sinh", Function::Sinh, 1),
        ("cosh", Function::Cosh, 1),
        ("tanh", Function::Tanh, 1),
        ("exp", Function::Exp, 1),
        ("ln", Function::Ln, 1),
        ("pow", Function::Pow, 2),
        ("abs", Function::Abs, 1),
        ("sign", Function::Sign, 1),
        ("min", Function::Min, 2),
        ("max", Function::Max, 2),
        ("floor", Function::Floor, 1),
        ("less", Function::Less, 2),
        ("less_equal", Function::LessEqual, 2),
        ("equal", Function::Equal, 2),
        ("and", Function::And, 2),
        ("or", Function::Or, 2),
        ("not", Function::Not, 1),
        ("select", Function::Select, 3),
    ];

    /// The name in text.
    pub fn name(self) -> &'static str {
        match self {
            Function::Table(..) => "table",
            Function::External(_) => "external",
            Function::Solve(..) => "solve",
            _ => Self::NAMED.iter().find(|(_, f, _)| *f == self).map_or("", |(name, _, _)| name),
        }
    }
    /// A table for any of its derivatives; any other function as it is.
    pub(crate) fn undifferentiated(self) -> Function {
        match self {
            Function::Table(id, _) => Function::Table(id, [0, 0]),
            other => other,
        }
    }
    /// The function with this name, and its number of arguments.
    pub fn named(name: &str) -> Option<(Function, usize)> {
        Self::NAMED.iter().find(|(n, _, _)| *n == name).map(|(_, f, arity)| (*f, *arity))
    }
}

/// One node of the graph. Copies share their parts, since pools are copied as a whole.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// An exact number.
    Number(Rational),
    /// A letter.
    Symbol(SymbolId),
    /// `coefficient × Π base^exponent`; factors are sorted, bases are neither numbers nor products
    /// (but for a fractional power of a number), exponents are not zero.
    Product(Rational, Arc<[(Expr, Rational)]>),
    /// `Σ coefficient × monomial`; sorted; monomials are not sums or numbers except one; the first
    /// coefficient is positive.
    Sum(Arc<[(Rational, Expr)]>),
    /// A function of its arguments.
    Call(Function, Arc<[Expr]>),
    /// The result of a division by zero; whatever contains it is undefined too.
    Undefined,
}
