//! Structural constants: the exact values that decide how many parts there are.
//!
//! Ranges of loops, indices, sizes of arrays and conditions on structure are computed here from literals,
//! counting numbers of loops and declared constants, with units checked. Numbers are fractions times a power of
//! pi, which is what degrees need; whatever else an expression contains is not structural.

use std::cmp::Ordering;

use cardan_expr::Rational;
use cardan_syntax::{ChainOp, CompareOp, Expr, ExprKind, Path, UnaryOp};
use cardan_units::{Dimension, Unit};

/// The largest number of digits that a structural value may have is that of numbers of this size.
const LARGEST: f64 = 1e30;

/// A structural value.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// A number `value · pi^pi` of a dimension.
    Number {
        /// The fraction.
        value: Rational,
        /// The power of pi.
        pi: i8,
        /// Its dimension.
        dimension: Dimension,
    },
    /// True or false.
    Truth(bool),
}

impl Constant {
    /// A plain number.
    pub fn int(n: i64) -> Self {
        Constant::Number { value: Rational::int(n), pi: 0, dimension: Dimension::ONE }
    }
    /// The whole number that it is.
    pub fn to_int(&self) -> Option<i64> {
        match self {
            Constant::Number { value, pi: 0, dimension } if dimension.is_dimensionless() => value.to_int(),
            _ => None,
        }
    }
}

/// Why an expression is not structural.
#[derive(Clone, PartialEq, Debug)]
pub enum NotConstant {
    /// This part of it varies or is not known.
    Varies(cardan_base::Span),
    /// Its parts do not fit together.
    Undefined(cardan_base::Span),
}

/// Evaluates an expression; `name` gives the value of a dotted name.
pub fn evaluate(
    e: &Expr,
    name: &mut dyn FnMut(&Path) -> Result<Constant, NotConstant>,
) -> Result<Constant, NotConstant> {
    let undefined = || NotConstant::Undefined(e.span);
    let varies = || NotConstant::Varies(e.span);
    match &e.kind {
        ExprKind::Number(digits) => {
            let value = Rational::from_decimal(digits).ok_or_else(undefined)?;
            Ok(Constant::Number { value, pi: 0, dimension: Dimension::ONE })
        }
        ExprKind::Name(path) if path.is("pi") => {
            Ok(Constant::Number { value: Rational::int(1), pi: 1, dimension: Dimension::ONE })
        }
        ExprKind::Name(path) => name(path),
        ExprKind::Quantity { value, unit } => {
            let unit = Unit::parse(&unit.text).map_err(|_| undefined())?;
            let scale = unit.scale();
            let part = |n: i128| Rational::from_decimal(&n.to_string()).ok_or_else(undefined);
            let factor =
                part(scale.numerator())?.mul(&part(scale.denominator())?.recip().ok_or_else(undefined)?);
            let pi = scale.pi();
            let unit = Constant::Number { value: factor, pi, dimension: unit.dimension() };
            multiply(evaluate(value, name)?, unit, false).ok_or_else(undefined)
        }
        ExprKind::Unary { op, operand } => match (op, evaluate(operand, name)?) {
            (UnaryOp::Not, Constant::Truth(b)) => Ok(Constant::Truth(!b)),
            (UnaryOp::Plus, value @ Constant::Number { .. }) => Ok(value),
            (UnaryOp::Minus, Constant::Number { value, pi, dimension }) => {
                Ok(Constant::Number { value: value.neg(), pi, dimension })
            }
            _ => Err(undefined()),
        },
        ExprKind::Chain { first, rest } => {
            let mut sum = evaluate(first, name)?;
            for (op, operand) in rest {
                // The second of two conditions may have no meaning where the first decides.
                match (op, &sum) {
                    (ChainOp::And, Constant::Truth(false)) | (ChainOp::Or, Constant::Truth(true)) => continue,
                    _ => {}
                }
                let next = evaluate(operand, name)?;
                sum = match (op, sum, next) {
                    (ChainOp::And, Constant::Truth(a), Constant::Truth(b)) => Some(Constant::Truth(a && b)),
                    (ChainOp::Or, Constant::Truth(a), Constant::Truth(b)) => Some(Constant::Truth(a || b)),
                    (ChainOp::Add, a, b) => add(a, b, false),
                    (ChainOp::Subtract, a, b) => add(a, b, true),
                    (ChainOp::Multiply, a, b) => multiply(a, b, false),
                    (ChainOp::Divide, a, b) => multiply(a, b, true),
                    _ => None,
                }
                .ok_or_else(undefined)?;
            }
            Ok(sum)
        }
        ExprKind::Power { base, exponent } => {
            let n = evaluate(exponent, name)?.to_int().filter(|n| n.abs() <= 64).ok_or_else(undefined)?;
            let Constant::Number { value, pi, dimension } = evaluate(base, name)? else {
                return Err(undefined());
            };
            let value = value.powi(n).filter(sensible).ok_or_else(undefined)?;
            let small = i8::try_from(n).map_err(|_| undefined())?;
            let pi = pi.checked_mul(small).ok_or_else(undefined)?;
            Ok(Constant::Number { value, pi, dimension: dimension.powi(small.into()) })
        }
        ExprKind::Compare { op, left, right } => {
            let (a, b) = (evaluate(left, name)?, evaluate(right, name)?);
            compare(*op, &a, &b).map(Constant::Truth).ok_or_else(undefined)
        }
        ExprKind::If { arms, otherwise } => {
            for (condition, value) in arms {
                match evaluate(condition, name)? {
                    Constant::Truth(true) => return evaluate(value, name),
                    Constant::Truth(false) => {}
                    Constant::Number { .. } => return Err(undefined()),
                }
            }
            evaluate(otherwise, name)
        }
        ExprKind::Call(call) => {
            let mut values = vec![];
            for argument in call.positional() {
                values.push(evaluate(argument, name)?);
            }
            function(call.function.as_name().map_or("", |n| n.text.as_str()), &values).ok_or_else(varies)
        }
        _ => Err(varies()),
    }
}

/// Functions of whole numbers.
fn function(name: &str, values: &[Constant]) -> Option<Constant> {
    let numbers: Option<Vec<i64>> = values.iter().map(Constant::to_int).collect();
    let numbers = numbers?;
    let n = match (name, numbers.as_slice()) {
        ("abs", [n]) => n.checked_abs()?,
        ("sign", [n]) => n.signum(),
        ("min", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| a.min(*b)),
        ("max", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| a.max(*b)),
        ("mod", [a, b]) => a.checked_rem_euclid(*b)?,
        _ => return None,
    };
    Some(Constant::int(n))
}

fn sensible(value: &Rational) -> bool {
    let size = value.to_f64().abs();
    size <= LARGEST && (value.is_zero() || size >= 1.0 / LARGEST)
}

fn is_zero(c: &Constant) -> bool {
    matches!(c, Constant::Number { value, .. } if value.is_zero())
}

fn add(a: Constant, b: Constant, minus: bool) -> Option<Constant> {
    let negative = |c: Constant| match c {
        Constant::Number { value, pi, dimension } => Constant::Number { value: value.neg(), pi, dimension },
        truth => truth,
    };
    let b = if minus { negative(b) } else { b };
    match (a, b) {
        (a, b) if is_zero(&a) && matches!(b, Constant::Number { .. }) => Some(b),
        (a, b) if is_zero(&b) && matches!(a, Constant::Number { .. }) => Some(a),
        (
            Constant::Number { value: x, pi, dimension },
            Constant::Number { value: y, pi: other, dimension: d },
        ) if pi == other && dimension.compatible(&d) => {
            Some(Constant::Number { value: x.add(&y), pi, dimension })
        }
        _ => None,
    }
}

fn multiply(a: Constant, b: Constant, divide: bool) -> Option<Constant> {
    match (a, b) {
        (
            Constant::Number { value: x, pi, dimension },
            Constant::Number { value: y, pi: other, dimension: d },
        ) => {
            let (y, other, d) = match divide {
                true => (y.recip()?, other.checked_neg()?, d.recip()),
                false => (y, other, d),
            };
            let value = Some(x.mul(&y)).filter(sensible)?;
            Some(Constant::Number { value, pi: pi.checked_add(other)?, dimension: dimension * d })
        }
        _ => None,
    }
}

fn compare(op: CompareOp, a: &Constant, b: &Constant) -> Option<bool> {
    let (
        Constant::Number { value: x, pi, dimension },
        Constant::Number { value: y, pi: other, dimension: d },
    ) = (a, b)
    else {
        return None;
    };
    if !dimension.compatible(d) && !x.is_zero() && !y.is_zero() {
        return None;
    }
    let order = match pi == other || x.is_zero() || y.is_zero() {
        true => x.cmp(y),
        false => {
            let number = |v: &Rational, pi: i8| v.to_f64() * std::f64::consts::PI.powi(pi.into());
            number(x, *pi).partial_cmp(&number(y, *other))?
        }
    };
    Some(match op {
        CompareOp::Less => order == Ordering::Less,
        CompareOp::LessEqual => order != Ordering::Greater,
        CompareOp::Greater => order == Ordering::Greater,
        CompareOp::GreaterEqual => order != Ordering::Less,
        CompareOp::Equal => order == Ordering::Equal,
        CompareOp::NotEqual => order != Ordering::Equal,
    })
}
