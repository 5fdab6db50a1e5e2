//! The partial derivative of each operation with respect to each operand: the table of rules.

use cardan_base::Id;

use super::{Derivation, DeriveError};
use crate::builder::ProgramBuilder;
use crate::op::{Binary, Op, Unary, ValueId};

impl Derivation<'_> {
    /// (operand, ∂value/∂operand) for each operand on which the inputs asked for have influence. Operations
    /// that choose (`select`, `min`, `max`) or yield blocks are treated by the directions themselves.
    pub(super) fn partials(&mut self, value: ValueId) -> Result<Vec<(ValueId, ValueId)>, DeriveError> {
        let program = self.program;
        let active = |v: ValueId| self.question.is_active(v);
        let new = |v: ValueId| self.map[v.index()];
        let (f, bounded) = (new(value), self.bounded_roots);
        let b = &mut self.builder;
        let mut list = Vec::new();
        match &program.values[value] {
            Op::Unary(Unary::Sqrt, x) if active(*x) && bounded => {
                let (half, least) = (b.constant(0.5), b.constant(LEAST_ROOT));
                let root = b.binary(Binary::Max, f, least);
                list.push((*x, b.div(half, root)));
            }
            Op::Unary(op, x) if active(*x) => list.push((*x, unary(b, *op, new(*x), f))),
            Op::Binary(op, x, y) => {
                if active(*x) {
                    list.push((*x, binary_first(b, *op, new(*x), new(*y))));
                }
                if active(*y) {
                    list.push((*y, binary_second(b, *op, new(*x), new(*y), f)));
                }
            }
            Op::Fma(x, y, z) => {
                let one = b.constant(1.0);
                let all = [(*x, new(*y)), (*y, new(*x)), (*z, one)];
                list.extend(all.into_iter().filter(|(v, _)| active(*v)));
            }
            Op::Powi(x, n) if active(*x) => {
                let exponent = b.constant(f64::from(*n));
                let power = match n.checked_sub(1) {
                    Some(less) => b.powi(new(*x), less),
                    None => b.div(f, new(*x)),
                };
                list.push((*x, b.mul(exponent, power)));
            }
            Op::Lookup1 { table, x, order } if active(*x) => {
                list.push((*x, b.lookup1(*table, new(*x), order.saturating_add(1))));
            }
            Op::Lookup2 { table, x, y, dx, dy } => {
                if active(*x) {
                    list.push((*x, b.lookup2(*table, new(*x), new(*y), dx.saturating_add(1), *dy)));
                }
                if active(*y) {
                    list.push((*y, b.lookup2(*table, new(*x), new(*y), *dx, dy.saturating_add(1))));
                }
            }
            Op::Call { function, args } => {
                let declared = &program.functions[*function];
                let arguments: Vec<ValueId> = args.iter().map(|v| new(*v)).collect();
                for (argument, x) in args.iter().enumerate().filter(|(_, v)| active(**v)) {
                    let derivative = declared.derivatives[argument].ok_or_else(|| {
                        DeriveError::NoDerivative { function: declared.name.clone(), argument }
                    })?;
                    list.push((*x, b.call(derivative, &arguments)));
                }
            }
            _ => {}
        }
        Ok(list)
    }
}

/// Roots below this are zero: that of the smallest normal number is larger.
const LEAST_ROOT: f64 = 1e-160;

/// ∂f/∂x for f = op(x).
fn unary(b: &mut ProgramBuilder, op: Unary, x: ValueId, f: ValueId) -> ValueId {
    let one = b.constant(1.0);
    match op {
        Unary::Neg => b.constant(-1.0),
        Unary::Abs => b.unary(Unary::Sign, x),
        Unary::Sign | Unary::Floor => b.constant(0.0),
        Unary::Sqrt => {
            let half = b.constant(0.5);
            b.div(half, f)
        }
        Unary::Sin => b.unary(Unary::Cos, x),
        Unary::Cos => {
            let sine = b.unary(Unary::Sin, x);
            b.neg(sine)
        }
        Unary::Tan => {
            let square = b.mul(f, f);
            b.add(one, square)
        }
        Unary::Asin | Unary::Acos => {
            let square = b.mul(x, x);
            let rest = b.sub(one, square);
            let root = b.unary(Unary::Sqrt, rest);
            let slope = b.div(one, root);
            if op == Unary::Asin { slope } else { b.neg(slope) }
        }
        Unary::Atan => {
            let square = b.mul(x, x);
            let sum = b.add(one, square);
            b.div(one, sum)
        }
        Unary::Sinh => b.unary(Unary::Cosh, x),
        Unary::Cosh => b.unary(Unary::Sinh, x),
        Unary::Tanh => {
            let square = b.mul(f, f);
            b.sub(one, square)
        }
        Unary::Exp => f,
        Unary::Ln => b.div(one, x),
    }
}

/// ∂f/∂x for f = op(x, y).
fn binary_first(b: &mut ProgramBuilder, op: Binary, x: ValueId, y: ValueId) -> ValueId {
    let one = b.constant(1.0);
    match op {
        Binary::Add | Binary::Sub | Binary::Min | Binary::Max => one,
        Binary::Mul => y,
        Binary::Div => b.div(one, y),
        Binary::Atan2 => {
            let square = square_sum(b, x, y);
            b.div(y, square)
        }
        Binary::Pow => {
            let less = b.sub(y, one);
            let power = b.binary(Binary::Pow, x, less);
            b.mul(y, power)
        }
    }
}

/// ∂f/∂y for f = op(x, y).
fn binary_second(b: &mut ProgramBuilder, op: Binary, x: ValueId, y: ValueId, f: ValueId) -> ValueId {
    let one = b.constant(1.0);
    match op {
        Binary::Add | Binary::Min | Binary::Max => one,
        Binary::Sub => b.constant(-1.0),
        Binary::Mul => x,
        Binary::Div => {
            let reciprocal = b.div(one, y);
            let ratio = b.mul(f, reciprocal);
            b.neg(ratio)
        }
        Binary::Atan2 => {
            let square = square_sum(b, x, y);
            let ratio = b.div(x, square);
            b.neg(ratio)
        }
        Binary::Pow => {
            let logarithm = b.unary(Unary::Ln, x);
            b.mul(f, logarithm)
        }
    }
}

fn square_sum(b: &mut ProgramBuilder, x: ValueId, y: ValueId) -> ValueId {
    let (xx, yy) = (b.mul(x, x), b.mul(y, y));
    b.add(xx, yy)
}
