//! One operation: what a value is computed from.
//!
//! Every value is real or truth-valued, except the result of [`Op::Solve`], a block of reals that only
//! [`Op::Extract`] may read. The exact meaning of each operation is the interpreter's; what is decided by
//! definition rather than by IEEE 754 stands beside the variant.

use cardan_base::define_id;

define_id!(ValueId, "v", "A value: the result of one operation.");
define_id!(InputId, "i", "A number that the caller provides; its position in the flat input vector.");
define_id!(OutputId, "o", "A number that the program delivers; its position in the flat output vector.");
define_id!(StageId, "stage", "A stage: a group of values that are computed together.");
define_id!(CurveId, "curve", "A table of one argument.");
define_id!(SurfaceId, "surface", "A table of two arguments.");
define_id!(FunctionId, "f", "A function that the host provides.");

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// A double-precision number.
    Real,
    /// True or false.
    Bool,
    /// This many numbers, to be read one by one with [`Op::Extract`].
    Block(u32),
}

/// A number, compared and hashed by its bits. All NaNs are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Constant(u64);

impl Constant {
    /// The constant of this value.
    pub fn new(value: f64) -> Self {
        Constant(if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() })
    }
    /// The number.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl std::fmt::Debug for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.value())
    }
}

/// Operations of one real argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unary {
    /// −x.
    Neg,
    /// |x|.
    Abs,
    /// 1 for x > 0, −1 for x < 0, otherwise x itself (zero keeps its sign, NaN stays).
    Sign,
    /// Greatest whole number not above x.
    Floor,
    /// Square root, correctly rounded.
    Sqrt,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Inverse sine, in [−π/2, π/2].
    Asin,
    /// Inverse cosine, in [0, π].
    Acos,
    /// Inverse tangent, in [−π/2, π/2].
    Atan,
    /// Hyperbolic sine.
    Sinh,
    /// Hyperbolic cosine.
    Cosh,
    /// Hyperbolic tangent.
    Tanh,
    /// Exponential.
    Exp,
    /// Natural logarithm.
    Ln,
}

impl Unary {
    /// All of them, with their names in the text form.
    pub const ALL: [(Unary, &'static str); 16] = [
        (Unary::Neg, "neg"),
        (Unary::Abs, "abs"),
        (Unary::Sign, "sign"),
        (Unary::Floor, "floor"),
        (Unary::Sqrt, "sqrt"),
        (Unary::Sin, "sin"),
        (Unary::Cos, "cos"),
        (Unary::Tan, "tan"),
        (Unary::Asin, "asin"),
        (Unary::Acos, "acos"),
        (Unary::Atan, "atan"),
        (Unary::Sinh, "sinh"),
        (Unary::Cosh, "cosh"),
        (Unary::Tanh, "tanh"),
        (Unary::Exp, "exp"),
        (Unary::Ln, "ln"),
    ];
}

/// Operations of two real arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    /// a + b.
    Add,
    /// a − b.
    Sub,
    /// a · b.
    Mul,
    /// a / b.
    Div,
    /// a if a < b, otherwise b (so b when either is NaN).
    Min,
    /// a if a > b, otherwise b (so b when either is NaN).
    Max,
    /// Angle of the point (x = b, y = a), in [−π, π].
    Atan2,
    /// a to the real power b.
    Pow,
}

impl Binary {
    /// All of them, with their names in the text form.
    pub const ALL: [(Binary, &'static str); 8] = [
        (Binary::Add, "add"),
        (Binary::Sub, "sub"),
        (Binary::Mul, "mul"),
        (Binary::Div, "div"),
        (Binary::Min, "min"),
        (Binary::Max, "max"),
        (Binary::Atan2, "atan2"),
        (Binary::Pow, "pow"),
    ];
    /// Whether the operands may be exchanged without changing the result.
    pub fn is_commutative(self) -> bool {
        matches!(self, Binary::Add | Binary::Mul)
    }
}

/// Comparisons of two reals. `a > b` is written `b < a`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Compare {
    /// a < b; false for NaN.
    Lt,
    /// a ≤ b; false for NaN.
    Le,
    /// a = b; false for NaN.
    Eq,
    /// a ≠ b; true for NaN.
    Ne,
}

impl Compare {
    /// All of them, with their names in the text form.
    pub const ALL: [(Compare, &'static str); 4] =
        [(Compare::Lt, "lt"), (Compare::Le, "le"), (Compare::Eq, "eq"), (Compare::Ne, "ne")];
}

/// Operations of two truth values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Logic {
    /// Both.
    And,
    /// At least one.
    Or,
}

impl Logic {
    /// All of them, with their names in the text form.
    pub const ALL: [(Logic, &'static str); 2] = [(Logic::And, "and"), (Logic::Or, "or")];
}

/// The linear system A X = B; A is n × n by rows, symmetric and positive semidefinite, B has one or more columns.
/// Unknowns of rows that depend on others are zero: see [`crate::linear`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Solve {
    /// Number of equations n.
    pub n: u32,
    /// The n² entries of A, row by row.
    pub matrix: Box<[ValueId]>,
    /// The entries of B, column by column; a multiple of n.
    pub rhs: Box<[ValueId]>,
}

/// What a value is computed from.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A fixed number.
    Const(Constant),
    /// A fixed truth value.
    Truth(bool),
    /// A number that the caller provides.
    Input(InputId),
    /// An operation of one real.
    Unary(Unary, ValueId),
    /// An operation of two reals.
    Binary(Binary, ValueId, ValueId),
    /// a · b + c, rounded once.
    Fma(ValueId, ValueId, ValueId),
    /// A whole power by repeated squaring from the lowest bit; a negative one is the reciprocal of the
    /// positive.
    Powi(ValueId, i32),
    /// A comparison of two reals.
    Compare(Compare, ValueId, ValueId),
    /// A combination of two truth values.
    Logic(Logic, ValueId, ValueId),
    /// The opposite truth value.
    Not(ValueId),
    /// The second if the first is true, otherwise the third; all three have been computed.
    Select(ValueId, ValueId, ValueId),
    /// A table of one argument, or its derivative of the given order.
    Lookup1 {
        /// The table.
        table: CurveId,
        /// The argument.
        x: ValueId,
        /// Order of the derivative; 0 is the value itself.
        order: u8,
    },
    /// A table of two arguments, or a partial derivative.
    Lookup2 {
        /// The table.
        table: SurfaceId,
        /// First argument.
        x: ValueId,
        /// Second argument.
        y: ValueId,
        /// Order of the derivative with respect to `x`.
        dx: u8,
        /// Order of the derivative with respect to `y`.
        dy: u8,
    },
    /// A function that the host provides; one real result.
    Call {
        /// The function.
        function: FunctionId,
        /// Its arguments.
        args: Box<[ValueId]>,
    },
    /// The solution of a dense linear system, by elimination with partial pivoting.
    Solve(Box<Solve>),
    /// One entry of a solution; entries are numbered column by column.
    Extract {
        /// The solution.
        solve: ValueId,
        /// Which entry.
        index: u32,
    },
}

impl Op {
    /// Calls `f` with each operand in order.
    pub fn for_each_operand(&self, mut f: impl FnMut(ValueId)) {
        match self {
            Op::Const(_) | Op::Truth(_) | Op::Input(_) => {}
            Op::Unary(_, a) | Op::Powi(a, _) | Op::Not(a) => f(*a),
            Op::Lookup1 { x, .. } => f(*x),
            Op::Extract { solve, .. } => f(*solve),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::Logic(_, a, b) => {
                f(*a);
                f(*b);
            }
            Op::Lookup2 { x, y, .. } => {
                f(*x);
                f(*y);
            }
            Op::Fma(a, b, c) | Op::Select(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Op::Call { args, .. } => args.iter().for_each(|a| f(*a)),
            Op::Solve(s) => s.matrix.iter().chain(&s.rhs).for_each(|a| f(*a)),
        }
    }

    /// The same operation on other operands.
    #[must_use]
    pub fn map_operands(&self, mut f: impl FnMut(ValueId) -> ValueId) -> Op {
        match self {
            Op::Const(_) | Op::Truth(_) | Op::Input(_) => self.clone(),
            Op::Unary(u, a) => Op::Unary(*u, f(*a)),
            Op::Powi(a, n) => Op::Powi(f(*a), *n),
            Op::Not(a) => Op::Not(f(*a)),
            Op::Binary(o, a, b) => Op::Binary(*o, f(*a), f(*b)),
            Op::Compare(o, a, b) => Op::Compare(*o, f(*a), f(*b)),
            Op::Logic(o, a, b) => Op::Logic(*o, f(*a), f(*b)),
            Op::Fma(a, b, c) => Op::Fma(f(*a), f(*b), f(*c)),
            Op::Select(c, a, b) => Op::Select(f(*c), f(*a), f(*b)),
            Op::Lookup1 { table, x, order } => Op::Lookup1 { table: *table, x: f(*x), order: *order },
            Op::Lookup2 { table, x, y, dx, dy } => {
                Op::Lookup2 { table: *table, x: f(*x), y: f(*y), dx: *dx, dy: *dy }
            }
            Op::Call { function, args } => {
                Op::Call { function: *function, args: args.iter().map(|a| f(*a)).collect() }
            }
            Op::Solve(s) => Op::Solve(Box::new(Solve {
                n: s.n,
                matrix: s.matrix.iter().map(|a| f(*a)).collect(),
                rhs: s.rhs.iter().map(|a| f(*a)).collect(),
            })),
            Op::Extract { solve, index } => Op::Extract { solve: f(*solve), index: *index },
        }
    }

    /// The operands as a list.
    pub fn operands(&self) -> Vec<ValueId> {
        let mut list = Vec::new();
        self.for_each_operand(|v| list.push(v));
        list
    }

    /// Whether the value needs no computation: a constant or an input.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Op::Const(_) | Op::Truth(_) | Op::Input(_))
    }
}
