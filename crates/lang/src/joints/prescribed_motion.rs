//! Prescribed motions: `motion NAME on q = EXPR` makes a coordinate follow a function of time, and tells what that takes.
//!
//! ```text
//! [effort]   the force of a slide or the torque of a pin that a motor in place of q must bring
//! [power]    effort times the rate of EXPR
//! ```
//!
//! `motion NAME on mag(position(P, Q)) = EXPR` is a cylinder or a winch between two points: its force acts on their bodies, along the line
//! between them, and is no part of what other joints bear.
//!
//! The coordinate stays part of the model and a rheonomic constraint drives it. `revolute(z, motion = EXPR)` is cheaper, removes the
//! coordinate, and tells nothing.

use cardan_base::{Diagnostic, Span, without_noise};
use cardan_expr::{Expr, SymbolId};
use cardan_kinematics::Point;
use cardan_model::closing::distance;
use cardan_model::constraint::Constraint;
use cardan_model::coupling::combination;
use cardan_model::{ConstraintKind, Drive, Element, ElementEnds, ElementKind, PropertyValue};
use cardan_syntax::{self as syntax, Ends, ExprKind};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::loop_joints::both_sides;
use crate::statements::elements::element_description;
use crate::types::value::Value;

/// A start value that differs by more than this part from where a motion begins is another one.
const APART: f64 = 1e-6;

/// What a motion tells about itself.
pub const SIGNALS: &[&str] = &["effort", "power"];

/// What a motion tells about itself: that of a distance also the forces on its two bodies.
pub fn signals(element: &syntax::Element) -> &'static [&'static str] {
    match &element.ends {
        Ends::On { on, .. } if points_apart(on).is_some() => &["effort", "power", "force", "counterforce"],
        _ => SIGNALS,
    }
}

/// The arguments of a call of this function, none of them named.
fn arguments<'e>(e: &'e syntax::Expr, name: &str) -> Option<Vec<&'e syntax::Expr>> {
    let ExprKind::Call(call) = &e.kind else { return None };
    let is_it = call.function.as_name().is_some_and(|n| n.text == name);
    let plain = call.arguments.iter().all(|a| a.name.is_none());
    (is_it && plain).then(|| call.arguments.iter().map(|a| &a.value).collect())
}

/// The points of `mag(position(P, Q))`; of `mag(position(Q))` the second alone.
fn points_apart(e: &syntax::Expr) -> Option<(Option<&syntax::Expr>, &syntax::Expr)> {
    let [inner] = arguments(e, "mag")?[..] else { return None };
    match arguments(inner, "position")?[..] {
        [q] => Some((None, q)),
        [p, q] => Some((Some(p), q)),
        _ => None,
    }
}

/// Whether an element makes something follow a function of time.
pub(crate) fn drives(element: &cardan_syntax::Element) -> bool {
    ElementKind::named(&element.kind.text) == Some(ElementKind::Motion)
}

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
        let value = self.in_time_alone(value, e.span, "a prescribed motion")?;
        let name = format!("{}{}", self.names.scopes[self.root].prefix, element.name.text);
        let what = (driven.dimension, format!("motion of {}", self.text(on.span)));
        let apart = match points_apart(on).filter(|_| !self.pool().is_zero(value)) {
            Some(points) => self.moved_apart(points, &name, value, &what.1, span),
            None => None,
        };
        let mut constraint = match apart {
            Some(constraint) => constraint,
            None => {
                let terms = [(self.pool().one(), driven.expr)];
                combination(
                    self.space(),
                    (&name, ConstraintKind::Drive(Drive::Motion)),
                    &terms,
                    value,
                    what,
                    Some(span),
                )
            }
        };
        constraint.description = element_description(element);
        let ends = match &constraint.markers {
            Some(markers) => ElementEnds::Distance(markers[0].point.clone(), markers[1].point.clone()),
            None => ElementEnds::Position(driven.expr, driven.dimension),
        };
        let id = self.builder.add_constraint(constraint);
        let made = Element::new(name, ElementKind::Motion, ends, Some(span));
        let made = made.with_scalar("motion", driven.dimension, value);
        let description = element_description(element);
        self.builder.add_element(Element { description, constraint: Some(id), ..made });
        let effort = self.effort(&self.builder.model().constraints[id], driven.dimension);
        let power = self.pool().mul(effort.0, self.space().dt(value));
        let (force, torque) = self.builder.model().constraints[id].reaction(self.space());
        let mut told = both_sides(self.pool(), &force, &torque);
        told.push(("effort", Value::quantity(effort.0, effort.1)));
        told.push(("power", Value::quantity(power, Dimension::POWER)));
        Some(told)
    }

    /// The motion of two points towards or from each other; nothing unless each is fixed in a body of its own.
    fn moved_apart(
        &mut self,
        (p, q): (Option<&'t syntax::Expr>, &'t syntax::Expr),
        name: &str,
        length: Expr,
        what: &str,
        span: Span,
    ) -> Option<Constraint> {
        let env = Env::default();
        let from = match p {
            Some(e) => self.point(e, &env, "").map(|point| self.named_point(point, e))?,
            None => self.space().origin(self.space().newtonian()),
        };
        let to = self.point(q, &env, "").map(|point| self.named_point(point, q))?;
        let fixed = |point: &Point| point.coordinates.iter().all(|c| self.pool().is_constant(*c));
        if from.frame == to.frame || !fixed(&from) || !fixed(&to) {
            return None;
        }
        let mut constraint = distance(self.space(), name, &from, &to, length, Some(span));
        constraint.kind = ConstraintKind::Drive(Drive::Motion);
        constraint.rows.iter_mut().for_each(|row| what.clone_into(&mut row.what));
        Some(constraint)
    }

    /// The effort on the first coordinate of a coupling whose dimension this is.
    pub fn effort(&self, constraint: &Constraint, dimension: Dimension) -> (Expr, Dimension) {
        let multiplier = constraint.multipliers.first().copied().unwrap_or(self.pool().zero());
        (multiplier, (Dimension::ENERGY / dimension).without_angle())
    }

    /// Warns of given start values that a motion of the same coordinate does not begin with: the motion decides.
    pub fn check_driven_starts(&mut self) {
        let known = self.values_at_start();
        let look = |s: SymbolId| known.get(&s).copied().unwrap_or(f64::NAN);
        let (model, pool) = (self.builder.model(), self.pool());
        // A motion that begins at another time may have these values there.
        if model.experiments.iter().any(|e| e.get("from").is_some()) {
            return;
        }
        let mut found = vec![];
        for (_, motion) in model.elements.iter().filter(|(_, e)| e.kind == ElementKind::Motion) {
            let ElementEnds::Position(driven, _) = motion.ends else { continue };
            let Some(PropertyValue::Scalar(law)) = motion.properties.first().map(|p| &p.value) else {
                continue;
            };
            for (id, span) in &self.given_starts {
                let q = &model.coordinates[*id];
                let (begins, given) = (pool.evaluate(*law, &look), pool.evaluate(q.start, &look));
                if q.symbol == driven && (begins - given).abs() > APART * (1.0 + begins.abs()) {
                    found.push((
                        motion.name.clone(),
                        q.quantity.name.clone(),
                        begins,
                        given,
                        *span,
                        motion.span,
                    ));
                }
            }
        }
        for (motion, coordinate, begins, given, span, place) in found {
            let (begins, given) = (without_noise(begins), without_noise(given));
            let message = format!("`{motion}` puts `{coordinate}` at {begins} at t = 0, not at {given}");
            let d = Diagnostic::warning(codes::START, message).at(span, "this start value has no effect");
            let d = match place {
                Some(place) => d.also(place, "this decides, in SI units"),
                None => d,
            };
            self.report(d.hint(format!(
                "remove `{coordinate}` from `start`, or add its value to the motion: `motion {motion} on {coordinate} = 0.5 [rad] + …`"
            )));
        }
    }
}
