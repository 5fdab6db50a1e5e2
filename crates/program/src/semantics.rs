//! The numeric meaning of each elementary operation: one function per arity, used by interpreter and constant
//! folding.

use crate::math;
use crate::op::{Binary, Compare, Logic, Unary};

/// An operation of one real.
#[inline]
pub fn unary(op: Unary, x: f64) -> f64 {
    match op {
        Unary::Neg => -x,
        Unary::Abs => x.abs(),
        Unary::Sign => math::sign(x),
        Unary::Floor => x.floor(),
        Unary::Sqrt => x.sqrt(),
        Unary::Sin => math::sin(x),
        Unary::Cos => math::cos(x),
        Unary::Tan => math::tan(x),
        Unary::Asin => math::asin(x),
        Unary::Acos => math::acos(x),
        Unary::Atan => math::atan(x),
        Unary::Sinh => math::sinh(x),
        Unary::Cosh => math::cosh(x),
        Unary::Tanh => math::tanh(x),
        Unary::Exp => math::exp(x),
        Unary::Ln => math::ln(x),
    }
}

/// An operation of two reals.
#[inline]
pub fn binary(op: Binary, a: f64, b: f64) -> f64 {
    match op {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Min => math::min(a, b),
        Binary::Max => math::max(a, b),
        Binary::Atan2 => math::atan2(a, b),
        Binary::Pow => math::pow(a, b),
    }
}

/// A comparison.
#[inline]
pub fn compare(op: Compare, a: f64, b: f64) -> bool {
    match op {
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Eq => a == b,
        Compare::Ne => a != b,
    }
}

/// A combination of truth values.
#[inline]
pub fn logic(op: Logic, a: bool, b: bool) -> bool {
    match op {
        Logic::And => a && b,
        Logic::Or => a || b,
    }
}
