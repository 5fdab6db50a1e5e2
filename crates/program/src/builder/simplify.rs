//! What the builder knows about an operation before it becomes a value: constants folded, trivial identities
//! applied, operands of commutative operations put in one order.
//!
//! Identities of strict mode change no bit (all NaNs counting as one). x + 0 is not among them: −0 + 0 is +0.

use crate::builder::{Math, ProgramBuilder};
use crate::math;
use crate::op::{Binary, Compare, Constant, Logic, Op, Unary, ValueId};
use crate::semantics;

impl ProgramBuilder {
    /// The number behind a value, if it is a constant.
    pub fn as_constant(&self, value: ValueId) -> Option<f64> {
        match self.operation(value) {
            Op::Const(c) => Some(c.value()),
            _ => None,
        }
    }

    fn as_truth(&self, value: ValueId) -> Option<bool> {
        match self.operation(value) {
            Op::Truth(b) => Some(*b),
            _ => None,
        }
    }

    /// The argument of a negation.
    fn as_neg(&self, value: ValueId) -> Option<ValueId> {
        match self.operation(value) {
            Op::Unary(Unary::Neg, x) => Some(*x),
            _ => None,
        }
    }

    /// An existing or simpler value that equals `op`, or else `op` in canonical form.
    pub(crate) fn simplify(&mut self, op: Op) -> Result<ValueId, Op> {
        match op {
            Op::Unary(u, x) => self.simplify_unary(u, x),
            Op::Binary(b, x, y) => self.simplify_binary(b, x, y),
            Op::Fma(a, b, c) => self.simplify_fma(a, b, c),
            Op::Powi(x, n) => match (n, self.as_constant(x)) {
                (0, _) => Ok(self.constant(1.0)),
                (1, _) => Ok(x),
                (_, Some(c)) => Ok(self.constant(math::powi(c, n))),
                (2, _) => Ok(self.mul(x, x)),
                _ => Err(Op::Powi(x, n)),
            },
            Op::Compare(c, a, b) => match (self.as_constant(a), self.as_constant(b)) {
                (Some(x), Some(y)) => Ok(self.truth(semantics::compare(c, x, y))),
                _ if matches!(c, Compare::Eq | Compare::Ne) => Err(Op::Compare(c, a.min(b), a.max(b))),
                _ => Err(Op::Compare(c, a, b)),
            },
            Op::Logic(l, a, b) => self.simplify_logic(l, a, b),
            Op::Not(a) => match (self.as_truth(a), self.operation(a)) {
                (Some(t), _) => Ok(self.truth(!t)),
                (_, Op::Not(inner)) => Ok(*inner),
                _ => Err(Op::Not(a)),
            },
            Op::Select(c, a, b) => match (self.as_truth(c), self.operation(c)) {
                (Some(t), _) => Ok(if t { a } else { b }),
                _ if a == b => Ok(a),
                (_, Op::Not(inner)) => Err(Op::Select(*inner, b, a)),
                _ => Err(Op::Select(c, a, b)),
            },
            op => Err(op),
        }
    }

    fn simplify_unary(&mut self, op: Unary, x: ValueId) -> Result<ValueId, Op> {
        if let Some(c) = self.as_constant(x) {
            return Ok(self.constant(semantics::unary(op, c)));
        }
        match (op, self.operation(x)) {
            (Unary::Neg, Op::Unary(Unary::Neg, inner)) => Ok(*inner),
            (Unary::Neg, Op::Binary(Binary::Sub, a, b)) if self.math == Math::Finite => {
                let (a, b) = (*a, *b);
                Ok(self.sub(b, a))
            }
            (Unary::Abs | Unary::Cos, Op::Unary(Unary::Neg, inner)) => {
                let inner = *inner;
                Ok(self.unary(op, inner))
            }
            (Unary::Abs, Op::Unary(Unary::Abs, _)) => Ok(x),
            (Unary::Sin, Op::Unary(Unary::Neg, inner)) => {
                let sine = Op::Unary(Unary::Sin, *inner);
                let sine = self.op(sine);
                Ok(self.neg(sine))
            }
            _ => Err(Op::Unary(op, x)),
        }
    }

    fn simplify_binary(&mut self, op: Binary, a: ValueId, b: ValueId) -> Result<ValueId, Op> {
        let (x, y) = (self.as_constant(a), self.as_constant(b));
        if let (Some(x), Some(y)) = (x, y) {
            return Ok(self.constant(semantics::binary(op, x, y)));
        }
        let finite = self.math == Math::Finite;
        let (minus_a, minus_b) = (self.as_neg(a), self.as_neg(b));
        match op {
            Binary::Add => match (x, y) {
                (_, Some(zero)) if zero == 0.0 && (finite || zero.is_sign_negative()) => Ok(a),
                (Some(zero), _) if zero == 0.0 && (finite || zero.is_sign_negative()) => Ok(b),
                _ => match (minus_a, minus_b) {
                    (_, Some(b)) => Ok(self.sub(a, b)),
                    (Some(a), _) => Ok(self.sub(b, a)),
                    _ => Err(Op::Binary(op, a.min(b), a.max(b))),
                },
            },
            Binary::Sub => match (x, y) {
                (_, Some(zero)) if zero == 0.0 && (finite || zero.is_sign_positive()) => Ok(a),
                (Some(zero), _) if zero == 0.0 && (finite || zero.is_sign_negative()) => Ok(self.neg(b)),
                _ if a == b && finite => Ok(self.constant(0.0)),
                _ => match minus_b {
                    Some(b) => Ok(self.add(a, b)),
                    None => Err(Op::Binary(op, a, b)),
                },
            },
            Binary::Mul => self.simplify_product(a, b, x, y, minus_a, minus_b),
            Binary::Div => match (x, y) {
                (_, Some(1.0)) => Ok(a),
                (_, Some(-1.0)) => Ok(self.neg(a)),
                (Some(0.0), _) if finite => Ok(self.constant(0.0)),
                _ => match (minus_a, minus_b) {
                    (Some(a), Some(b)) => Ok(self.div(a, b)),
                    (Some(a), None) => {
                        let quotient = self.div(a, b);
                        Ok(self.neg(quotient))
                    }
                    _ => Err(Op::Binary(op, a, b)),
                },
            },
            Binary::Min | Binary::Max if a == b => Ok(a),
            _ => Err(Op::Binary(op, a, b)),
        }
    }

    fn simplify_product(
        &mut self,
        a: ValueId,
        b: ValueId,
        x: Option<f64>,
        y: Option<f64>,
        minus_a: Option<ValueId>,
        minus_b: Option<ValueId>,
    ) -> Result<ValueId, Op> {
        match (x, y) {
            (_, Some(1.0)) => return Ok(a),
            (Some(1.0), _) => return Ok(b),
            (_, Some(-1.0)) => return Ok(self.neg(a)),
            (Some(-1.0), _) => return Ok(self.neg(b)),
            (Some(0.0), _) | (_, Some(0.0)) if self.math == Math::Finite => return Ok(self.constant(0.0)),
            _ => {}
        }
        match (minus_a, minus_b) {
            (Some(a), Some(b)) => Ok(self.mul(a, b)),
            (Some(inner), None) | (None, Some(inner)) => {
                let (other, constant) = if minus_a.is_some() { (b, y) } else { (a, x) };
                if let Some(c) = constant {
                    let minus = self.constant(-c);
                    return Ok(self.mul(inner, minus));
                }
                let product = self.mul(inner, other);
                Ok(self.neg(product))
            }
            (None, None) => Err(Op::Binary(Binary::Mul, a.min(b), a.max(b))),
        }
    }

    fn simplify_fma(&mut self, a: ValueId, b: ValueId, c: ValueId) -> Result<ValueId, Op> {
        match (self.as_constant(a), self.as_constant(b), self.as_constant(c)) {
            (Some(x), Some(y), Some(z)) => Ok(self.op(Op::Const(Constant::new(x.mul_add(y, z))))),
            (Some(1.0), _, _) => Ok(self.add(b, c)),
            (_, Some(1.0), _) => Ok(self.add(a, c)),
            _ => Err(Op::Fma(a.min(b), a.max(b), c)),
        }
    }

    fn simplify_logic(&mut self, op: Logic, a: ValueId, b: ValueId) -> Result<ValueId, Op> {
        let neutral = op == Logic::And;
        match (self.as_truth(a), self.as_truth(b)) {
            (Some(t), _) => Ok(if t == neutral { b } else { a }),
            (_, Some(t)) => Ok(if t == neutral { a } else { b }),
            _ if a == b => Ok(a),
            _ => Err(Op::Logic(op, a.min(b), a.max(b))),
        }
    }
}
