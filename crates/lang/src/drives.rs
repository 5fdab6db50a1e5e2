//! Prescribed motions: `motion NAME on q = EXPR` makes a coordinate follow a function of time, and tells what that takes.
//!
//! ```text
//! [effort]   the force of a slide or the torque of a pin that a motor in place of q must bring
//! [power]    effort times the rate of EXPR
//! ```
//!
//! The coordinate stays part of the model and a rheonomic constraint drives it. `revolute(z, motion = EXPR)` is cheaper, removes the
//! coordinate, and tells nothing.

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_model::constraint::Constraint;
use cardan_model::coupling::combination;
use cardan_syntax::{self as syntax, Ends};
use cardan_units::Dimension;

use crate::codes;
use crate::resolver::{Env, Resolver};
use crate::value::Value;

/// What a motion tells about itself.
pub const SIGNALS: &[&str] = &["effort", "power"];

impl<'t> Resolver<'t> {
    /// `motion NAME on q = EXPR`
    pub fn motion(&mut self, element: &'t syntax::Element, span: Span) -> Option<Vec<(&'static str, Value)>> {
        let example = "write it like `motion motor on crank.q = 20 [rad/s] * t`";
        let (Ends::On { on, from: None }, Some(e)) = (&element.ends, &element.value) else {
            let message = "a motion needs a coordinate and its course in time";
            self.error(codes::ARGUMENT, message, element.name.span, example);
            return None;
        };
        if let Some(statement) = element.content.first() {
            self.error(codes::MISPLACED, "a motion has no properties", statement.span, example);
            return None;
        }
        let driven = self.driven(on)?;
        let value = self.scalar(e, driven.dimension, "this motion", &Env::default())?;
        let value = self.in_time_alone(value, e.span)?;
        let name = format!("{}{}", self.names.scopes[self.root].prefix, element.name.text);
        let what = (driven.dimension, format!("motion of {}", self.text(on.span)));
        let terms = [(self.pool().one(), driven.expr)];
        let mut constraint = combination(self.space(), (&name, "motion"), &terms, value, what, Some(span));
        constraint.description = element.description.as_ref().map_or(String::new(), |t| t.text.clone());
        let id = self.builder.add_constraint(constraint);
        let effort = self.effort(&self.builder.model().constraints[id], driven.dimension);
        let power = self.pool().mul(effort.0, self.space().dt(value));
        Some(vec![
            ("effort", Value::quantity(effort.0, effort.1)),
            ("power", Value::quantity(power, Dimension::POWER)),
        ])
    }

    /// The effort on the first coordinate of a coupling whose dimension this is.
    pub fn effort(&self, constraint: &Constraint, dimension: Dimension) -> (Expr, Dimension) {
        let multiplier = constraint.multipliers.first().copied().unwrap_or(self.pool().zero());
        (multiplier, (Dimension::ENERGY / dimension).without_angle())
    }
}
