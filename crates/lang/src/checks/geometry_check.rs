//! Sizes that no part can have: a wheel without a radius, an angle between directions beyond half a turn. They are judged at the values that
//! the text gives to parameters; a size without a value is not judged.

use cardan_expr::Expr;
use cardan_syntax as syntax;

use crate::checks::constraint_check::short;
use crate::codes;
use crate::context::Resolver;

/// An angle this near to none or to half a turn is one of them, in radians.
const STRAIGHT: f64 = 1e-9;

impl<'t> Resolver<'t> {
    /// Refuses a length that is not above zero: `a wheel has a radius`.
    pub(crate) fn above_zero(
        &mut self,
        e: &'t syntax::Expr,
        value: Expr,
        sentence: &str,
        help: &str,
    ) -> Option<()> {
        let Some(x) = self.value_now(value, 0).filter(|x| *x <= 0.0) else { return Some(()) };
        let message = format!("{sentence}, and this is {} m", short(x));
        self.error(codes::UNDEFINED, message, e.span, help);
        None
    }

    /// Refuses a factor of zero, which would hold the other part still.
    pub(crate) fn not_zero(&mut self, e: &'t syntax::Expr, value: Expr, sentence: &str) -> Option<()> {
        let Some(_) = self.value_now(value, 0).filter(|x| *x == 0.0) else { return Some(()) };
        self.error(codes::UNDEFINED, sentence, e.span, "to hold a coordinate still write `lock q`");
        None
    }

    /// Refuses an angle between two directions that is none, half a turn, or beyond.
    pub(crate) fn between_directions(&mut self, e: &'t syntax::Expr, angle: Expr) -> Option<()> {
        let Some(x) = self.value_now(angle, 0) else { return Some(()) };
        let half = std::f64::consts::PI;
        if (STRAIGHT..=half - STRAIGHT).contains(&x) {
            return Some(());
        }
        let straight = x.abs() < STRAIGHT || (x - half).abs() < STRAIGHT;
        let (message, help) = match straight {
            true => ("directions at this angle are parallel", "write `parallel(A.P, B.Q, axis = z)`"),
            false => {
                ("two directions are at most half a turn apart", "give an angle between 0 and 180 [deg]")
            }
        };
        self.error(codes::UNDEFINED, message, e.span, help);
        None
    }
}
