//! A constant turn given by two of its axes.
//!
//! `axes(z = V, x = W)`: the first axis points along V, the second one as nearly along W as it can (Sayers 1991, Eq. 8):
//!
//! ```text
//! [axes]   b_k = V/|V|,   b_i = (W - (W·b_k) b_k)/|…|,   the third completes a right-handed triad
//! ```

use cardan_expr::Expr;
use cardan_kinematics::{Axis, Matrix3, rotation};
use cardan_syntax::{self as syntax, Call, ExprKind};

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::plan::{AxisPlan, word_of};

const EXAMPLE: &str = "write `axes(z = (0, 1, 1), x = N.x)`";

/// The call of `axes` that an expression is.
pub fn axes_call(e: &syntax::Expr) -> Option<&Call> {
    match &e.kind {
        ExprKind::Call(call) if call.function.as_name().is_some_and(|n| n.text == "axes") => Some(call),
        _ => None,
    }
}

impl<'t> Resolver<'t> {
    /// The turn with these axes. `turned` says whether the parent's axes are out of reach already.
    pub fn fixed_axes(&mut self, call: &'t Call, turned: bool, env: &Env<'t>) -> Option<Matrix3> {
        let mut given: Vec<(usize, [Expr; 3])> = vec![];
        for argument in &call.arguments {
            let name =
                argument.name.as_ref().and_then(|n| n.text.chars().next().filter(|_| n.text.len() == 1));
            let Some(axis) =
                name.and_then(Axis::named).filter(|a| given.iter().all(|(k, _)| *k != a.index()))
            else {
                let message = "axes are given by two of x, y, z";
                self.error(codes::ARGUMENT, message, argument.value.span, EXAMPLE);
                return None;
            };
            let letter = word_of(&argument.value).filter(|w| w.len() == 1).and_then(|w| w.chars().next());
            let plan = match letter.and_then(Axis::named) {
                Some(axis) => AxisPlan::Axis(axis, false),
                None => AxisPlan::Direction(&argument.value),
            };
            given.push((axis.index(), self.direction(&plan, turned, env)?));
        }
        let &[(k, b_k), (i, towards)] = given.as_slice() else {
            self.error(codes::ARGUMENT, "axes are given by two of x, y, z", call.span, EXAMPLE);
            return None;
        };
        let pool = self.pool();
        let along = rotation::inner(pool, towards, b_k);
        let b_i = if pool.is_zero(along) {
            towards
        } else {
            let across = [0, 1, 2].map(|n| pool.sub(towards[n], pool.mul(along, b_k[n])));
            // Of unit vectors, |W - (W·b) b|² = 1 - (W·b)².
            let square = pool.sub(pool.one(), pool.powi(along, 2));
            if pool.is_zero(square) {
                let message = "these axes are parallel";
                self.error(codes::AXIS, message, call.span, "give two directions that are not parallel");
                return None;
            }
            let size = pool.sqrt(square);
            across.map(|c| pool.div(c, size)) // [axes]
        };
        let third = rotation::cross(pool, b_k, b_i);
        let right_handed = (k + 1) % 3 == i;
        let mut R = rotation::identity(pool);
        (R[k], R[i]) = (b_k, b_i);
        R[3 - k - i] = if right_handed { third } else { third.map(|c| pool.neg(c)) };
        Some(R)
    }
}
