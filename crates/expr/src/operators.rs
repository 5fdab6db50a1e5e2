//! Expressions with operators, so that derivations read like the page they come from.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::{Expr, Pool, Rational};

/// An expression together with its pool: `m * l.powi(2) * u - g * q.sin()`.
#[derive(Clone, Copy)]
pub struct Ex<'p> {
    pool: &'p Pool,
    /// The expression.
    pub id: Expr,
}

impl Pool {
    /// The expression with operators.
    pub fn ex(&self, id: Expr) -> Ex<'_> {
        Ex { pool: self, id }
    }
}

impl<'p> Ex<'p> {
    /// Sine.
    pub fn sin(self) -> Ex<'p> {
        self.pool.ex(self.pool.sin(self.id))
    }
    /// Cosine.
    pub fn cos(self) -> Ex<'p> {
        self.pool.ex(self.pool.cos(self.id))
    }
    /// Square root.
    pub fn sqrt(self) -> Ex<'p> {
        self.pool.ex(self.pool.sqrt(self.id))
    }
    /// Integer power.
    pub fn powi(self, n: i64) -> Ex<'p> {
        self.pool.ex(self.pool.powi(self.id, n))
    }
    /// The expression under a name of its own: see [`Pool::define`].
    pub fn define(self) -> Ex<'p> {
        self.pool.ex(self.pool.define(self.id))
    }
    /// Whether the expression is the number zero.
    pub fn is_zero(self) -> bool {
        self.pool.is_zero(self.id)
    }
    /// The pool.
    pub fn pool(self) -> &'p Pool {
        self.pool
    }
}

impl std::fmt::Debug for Ex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.pool.text(self.id))
    }
}

impl PartialEq for Ex<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<'p> Add for Ex<'p> {
    type Output = Ex<'p>;
    fn add(self, other: Ex<'p>) -> Ex<'p> {
        self.pool.ex(self.pool.add(self.id, other.id))
    }
}

impl AddAssign for Ex<'_> {
    fn add_assign(&mut self, other: Self) {
        self.id = self.pool.add(self.id, other.id);
    }
}

impl<'p> Sub for Ex<'p> {
    type Output = Ex<'p>;
    fn sub(self, other: Ex<'p>) -> Ex<'p> {
        self.pool.ex(self.pool.sub(self.id, other.id))
    }
}

impl<'p> Mul for Ex<'p> {
    type Output = Ex<'p>;
    fn mul(self, other: Ex<'p>) -> Ex<'p> {
        self.pool.ex(self.pool.mul(self.id, other.id))
    }
}

impl<'p> Mul<Ex<'p>> for i64 {
    type Output = Ex<'p>;
    fn mul(self, other: Ex<'p>) -> Ex<'p> {
        other.pool.ex(other.pool.scale(Rational::int(self), other.id))
    }
}

impl<'p> Div for Ex<'p> {
    type Output = Ex<'p>;
    fn div(self, other: Ex<'p>) -> Ex<'p> {
        self.pool.ex(self.pool.div(self.id, other.id))
    }
}

impl<'p> Neg for Ex<'p> {
    type Output = Ex<'p>;
    fn neg(self) -> Ex<'p> {
        self.pool.ex(self.pool.neg(self.id))
    }
}
