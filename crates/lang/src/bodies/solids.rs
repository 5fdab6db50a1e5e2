//! Moments of inertia of homogeneous solids about the axes of the body through the mass centre.
//!
//! ```text
//! [sphere]     2/5 m r²                                     all axes
//! [box]        m (b² + c²)/12, m (a² + c²)/12, m (a² + b²)/12   edges a, b, c along x, y, z
//! [cylinder]   m (3 r² + h²)/12, the same, m r²/2           axis along z
//! [rod]        m L²/12, the same, 0                         thin, along z
//! ```
//!
//! Any handbook has them, e.g. Wittenburg, Dynamics of Multibody Systems, ch. 3.

use cardan_expr::{Expr, Rational};
use cardan_syntax::{self as syntax, ExprKind};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};

/// Solids with the form of their calls.
pub const SOLIDS: &[(&str, usize, &str)] = &[
    ("box", 4, "box(m, a, b, c)"),
    ("cylinder", 3, "cylinder(m, r, h)"),
    ("rod", 2, "rod(m, L)"),
    ("sphere", 2, "sphere(m, r)"),
];

impl<'t> Resolver<'t> {
    /// The principal moments of a solid, where an expression is one: `sphere(m, r)`. A function of the text goes first.
    pub fn solid(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Option<[Expr; 3]>> {
        let ExprKind::Call(call) = &e.kind else { return None };
        let name = call.function.as_name()?;
        let (kind, n, form) = SOLIDS.iter().find(|(kind, _, _)| *kind == name.text)?;
        if self.names.find(env.scope.unwrap_or(self.root), kind).is_some() {
            return None;
        }
        if call.arguments.len() != *n || call.arguments.iter().any(|a| a.name.is_some()) {
            let message = format!("the inertia of a {kind} needs its mass and its size");
            self.error(codes::ARGUMENT, message, call.span, format!("write `inertia = {form}`"));
            return Some(None);
        }
        Some(self.moments(kind, &call.arguments, env))
    }

    fn moments(&mut self, kind: &str, arguments: &'t [syntax::Argument], env: &Env<'t>) -> Option<[Expr; 3]> {
        let mut values = vec![];
        for (k, argument) in arguments.iter().enumerate() {
            let (dimension, what) = match k {
                0 => (Dimension::MASS, "this mass"),
                _ => (Dimension::LENGTH, "this size"),
            };
            let value = self.scalar(&argument.value, dimension, what, env)?;
            values.push(self.constant(value, argument.value.span, "the size of a body")?);
        }
        let pool = self.pool();
        let m = values[0];
        let part = |n: i64, d: i64, sum: Expr| pool.scale(Rational::Small(n, d), pool.mul(m, sum));
        let square = |k: usize| pool.powi(values[k], 2);
        Some(match kind {
            "sphere" => [part(2, 5, square(1)); 3],
            "box" => {
                let [a, b, c] = [1, 2, 3].map(square);
                [(b, c), (a, c), (a, b)].map(|(x, y)| part(1, 12, pool.add(x, y)))
            }
            "cylinder" => {
                let across = part(1, 12, pool.add(pool.scale(Rational::int(3), square(1)), square(2)));
                [across, across, part(1, 2, square(1))]
            }
            _ => [part(1, 12, square(1)), part(1, 12, square(1)), pool.zero()],
        })
    }
}
