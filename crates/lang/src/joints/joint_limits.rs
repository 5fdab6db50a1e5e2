//! Limits of coordinates, watched by whoever runs the model, and stops that push back there.
//!
//! `limit NAME on q { lower = …; upper = … }`, or `limit = a .. b` in the joint, changes no motion. `stop NAME on q { stiffness = …; damping = … }`
//! is a spring and a damper beyond the ends, its own or those of the joint's limits. It pushes and never pulls:
//!
//! ```text
//! [stop]      x = q - upper > 0:   Q = -max(0, k x + c q̇)
//!             x = lower - q > 0:   Q = +max(0, k x - c q̇)       else Q = 0
//! [parted]    max(0, k x + c v) = k x + max(-k x, c v): the spring keeps V = k x²/2, the damper takes the rest
//! ```

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Function};
use cardan_model::{CoordinateId, ElementKind, Given as Start, Limit, Load, LoadId, Stop};
use cardan_syntax::{self as syntax, Ends, ExprKind};
use cardan_units::Dimension;

use crate::checks::constraint_check::short;
use crate::codes;
use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::statements::elements::{Property, Told};
use crate::types::value::Value;

/// What a stop tells about itself: the force or torque by which it pushes along the coordinate.
pub const SIGNALS: &[&str] = &["effort"];

/// The properties of limits of an angle.
pub const LIMIT: &[Property] = &[
    ("lower", Dimension::ANGLE, false),
    ("upper", Dimension::ANGLE, false),
    ("speed", Dimension::ANGULAR_VELOCITY, false),
    ("effort", Dimension::TORQUE, false),
];
/// The properties of limits of a length.
const SLIDING_LIMIT: &[Property] = &[
    ("lower", Dimension::LENGTH, false),
    ("upper", Dimension::LENGTH, false),
    ("speed", Dimension::VELOCITY, false),
    ("effort", Dimension::FORCE, false),
];
/// The properties of a stop of an angle.
pub const STOP: &[Property] = &[
    ("lower", Dimension::ANGLE, false),
    ("upper", Dimension::ANGLE, false),
    ("stiffness", Dimension::ANGULAR_STIFFNESS, true),
    ("damping", Dimension::ANGULAR_DAMPING, false),
];
/// The properties of a stop of a length.
const SLIDING_STOP: &[Property] = &[
    ("lower", Dimension::LENGTH, false),
    ("upper", Dimension::LENGTH, false),
    ("stiffness", Dimension::STIFFNESS, true),
    ("damping", Dimension::DAMPING, false),
];

impl<'t> Resolver<'t> {
    /// The limits that stand in joints of bodies.
    pub fn joint_limits(&mut self) {
        for b in 0..self.plans.len() {
            for k in 0..self.plans[b].degrees.len() {
                let _ = self.joint_limit(b, k);
            }
        }
    }

    fn joint_limit(&mut self, b: usize, k: usize) -> Option<()> {
        let e = self.plans[b].degrees[k].limit?;
        let ExprKind::Range { low, high } = &e.kind else { return None };
        let scope = self.names.items[self.names.bodies[b].frame].scope;
        self.settle_expression(e, scope);
        let env = Env { scope: Some(scope), ..Env::default() };
        let dimension = self.plans[b].degrees[k].dimension;
        self.both_have_units(low, high, &env)?;
        let lower = self.scalar(low, dimension, "the lower limit", &env)?;
        let lower = self.constant(lower, low.span, "a limit");
        let upper = self.scalar(high, dimension, "the upper limit", &env)?;
        let upper = self.constant(upper, high.span, "a limit");
        let (lower, upper) = (Some(lower?), Some(upper?));
        // What is held or follows a motion is where it is meant to be.
        let BuiltCoordinate::Free(coordinate) = *self.built[b].get(k)? else { return None };
        let span = Some(e.span);
        self.add_limit(Limit { coordinate, lower, upper, speed: None, effort: None, stop: None, span })
    }

    /// Refuses `-10 .. 120 [deg]`, whose first end would be in radians.
    fn both_have_units(
        &mut self,
        low: &'t syntax::Expr,
        high: &'t syntax::Expr,
        env: &Env<'t>,
    ) -> Option<()> {
        let ((low_value, high_value), _) = self.quietly(|r| (r.evaluate(low, env), r.evaluate(high, env)));
        let (Some(Value::Scalar(a)), Some(Value::Scalar(b))) = (low_value, high_value) else {
            return Some(());
        };
        if !a.bare || b.bare || self.pool().is_zero(a.expr) {
            return Some(());
        }
        let unit = match &high.kind {
            ExprKind::Quantity { unit, .. } => unit.text.clone(),
            _ => b.dimension.to_string(),
        };
        let d = Diagnostic::error(codes::LIMIT, "one end of these limits has a unit and the other has none");
        let d = d.at(low.span, "without a unit").also(high.span, "with a unit");
        let text = self.text_with_unit(low.span, &unit);
        self.report(d.hint(format!("write `{text}`")));
        None
    }

    /// `limit NAME on q { … }` or `stop NAME on q { … }`
    pub fn bounds(&mut self, element: &'t syntax::Element, kind: ElementKind, span: Span) -> Option<Told> {
        let is_stop = kind == ElementKind::Stop;
        let example = match is_stop {
            true => "write it like `stop bump on arm.q { upper = 90 [deg]; stiffness = 1e4 [N*m/rad] }`",
            false => "write it like `limit reach on arm.q { lower = -10 [deg]; upper = 120 [deg] }`",
        };
        let (Ends::On { on, from: None }, None) = (&element.ends, &element.value) else {
            let message = format!("a {} stands on one coordinate", element.kind.text);
            self.error(codes::ARGUMENT, message, element.name.span, example);
            return None;
        };
        let position = self.driven(on)?;
        let model = self.builder.model();
        let found = model.coordinates.iter().find(|(_, c)| c.symbol == position.expr);
        let Some((coordinate, dimension)) = found.map(|(id, c)| (id, c.quantity.dimension)) else {
            self.error(
                codes::KIND,
                "this is not a coordinate",
                on.span,
                "name a coordinate, such as `arm.q`",
            );
            return None;
        };
        let properties = match (dimension, is_stop) {
            (Dimension::ANGLE, false) => LIMIT,
            (Dimension::ANGLE, true) => STOP,
            (Dimension::LENGTH, false) => SLIDING_LIMIT,
            (Dimension::LENGTH, true) => SLIDING_STOP,
            _ => {
                let help = "take angles instead of Euler parameters: write `rotate = xyz` in the joint";
                let message = "only an angle or a length has limits";
                self.error(codes::KIND, message, on.span, help);
                return None;
            }
        };
        let given = self.properties(element, properties)?;
        let mut values = vec![];
        for (name, ..) in properties {
            let value = match given.get(name) {
                Some(e) => {
                    let value = self.property(&given, name)?;
                    Some(self.constant(value, e.span, &format!("this {name}"))?)
                }
                None => None,
            };
            values.push(value);
        }
        let [lower, upper, third, fourth] = values[..] else { return None };
        if let Some(e) = given.get("lower").filter(|_| upper.is_some()) {
            self.both_have_units(e, given.get("upper")?, &Env::default())?;
        }
        let mut limit =
            Limit { coordinate, lower, upper, speed: third, effort: fourth, stop: None, span: Some(span) };
        if !is_stop {
            if values.iter().all(Option::is_none) {
                self.error(codes::ARGUMENT, "these limits limit nothing", element.name.span, example);
                return None;
            }
            self.add_limit(limit)?;
            return Some(vec![]);
        }
        (limit.speed, limit.effort) = (None, None);
        let own = limit.lower.is_some() || limit.upper.is_some();
        if !own {
            let limits = &self.builder.model().limits;
            let of_joint = limits.iter().find(|l| l.coordinate == coordinate && l.stop.is_none());
            let Some(known) = of_joint.filter(|l| l.lower.is_some() || l.upper.is_some()) else {
                let message = "this stop stands nowhere";
                let d = Diagnostic::error(codes::ARGUMENT, message).at(element.name.span, "");
                let d = d.because("it has neither `lower` nor `upper`, and the coordinate has no limits");
                self.report(d.hint(example));
                return None;
            };
            (limit.lower, limit.upper) = (known.lower, known.upper);
        }
        let zero = self.pool().zero();
        let (k, c) = (third.unwrap_or(zero), fourth.unwrap_or(zero));
        let (effort, loads) = self.stop_loads(element, &limit, k, c, span)?;
        let stop = Stop {
            name: format!("{}{}", self.names.scopes[self.root].prefix, element.name.text),
            description: element.description.as_ref().map_or(String::new(), |t| t.text.clone()),
            stiffness: k,
            damping: c,
            loads,
        };
        if own {
            limit.stop = Some(stop);
            self.add_limit(limit)?;
        } else {
            self.builder.stop_at_limits(coordinate, stop);
        }
        let dimension = (Dimension::ENERGY / dimension).without_angle();
        Some(vec![("effort", Value::quantity(effort, dimension))])
    }

    /// The loads of a stop and its whole effort.
    fn stop_loads(
        &mut self,
        element: &'t syntax::Element,
        limit: &Limit,
        k: Expr,
        c: Expr,
        span: Span,
    ) -> Option<(Expr, Vec<LoadId>)> {
        let model = self.builder.model();
        let coordinate = &model.coordinates[limit.coordinate];
        let (q, rate) = (coordinate.symbol, coordinate.rate);
        let Some(freedom) = model.freedom_of(limit.coordinate) else {
            let message = "no stop can push along this coordinate";
            let d = Diagnostic::error(codes::ARGUMENT, message).at(element.name.span, "");
            let d = d.because("its joint has speeds in the body's axes, which mix the coordinates");
            self.report(d.hint("write `rotate = xyz, speeds = rates` in the joint"));
            return None;
        };
        let pool = self.pool();
        let zero = pool.zero();
        let mut beyond = zero;
        let mut damped = zero;
        for (end, sign) in [(limit.lower, -1), (limit.upper, 1)] {
            let Some(end) = end else { continue };
            let outward = |e: Expr| if sign > 0 { e } else { pool.neg(e) };
            let past = pool.call(Function::Less, &if sign > 0 { [end, q] } else { [q, end] });
            let x = pool.sub(q, end);
            beyond = pool.call(Function::Select, &[past, x, beyond]);
            let floor = pool.neg(pool.mul(k, outward(x)));
            let push = pool.call(Function::Max, &[floor, pool.mul(c, outward(rate))]); // [parted]
            damped = pool.call(Function::Select, &[past, outward(push), damped]);
        }
        let spring = pool.neg(pool.mul(k, beyond));
        let mut parts = vec![(".spring", spring, Some(self.half_square(k, beyond)))];
        if !pool.is_zero(c) {
            parts.push((".damper", pool.neg(damped), None));
        }
        let effort = pool.sum(parts.iter().map(|(_, e, _)| *e).collect::<Vec<_>>()); // [stop]
        let mut loads = vec![];
        for (part, effort, potential) in parts {
            let kind = self.builder.model().effort_along(freedom, effort)?;
            loads.push(self.builder.add_load(Load {
                name: format!("{}{}{part}", self.names.scopes[self.root].prefix, element.name.text),
                description: element.description.as_ref().map_or(String::new(), |t| t.text.clone()),
                kind,
                conservative: potential.is_some(),
                potential,
                span: Some(span),
            }));
        }
        Some((effort, loads))
    }

    /// Adds limits whose ends are in order.
    fn add_limit(&mut self, limit: Limit) -> Option<()> {
        let now = |e: Option<Expr>| e.and_then(|e| self.value_now(e, 0));
        if let (Some(lower), Some(upper), Some(span)) = (now(limit.lower), now(limit.upper), limit.span)
            && lower >= upper
        {
            let name = &self.builder.model().coordinates[limit.coordinate].quantity.name;
            let message = format!("the limits of `{name}` leave it no room");
            let unit = self.shown_unit(limit.coordinate);
            let d = Diagnostic::error(codes::LIMIT, message).at(span, "");
            let d = d.because(format!(
                "the lower end is {} {unit}, the upper end is {} {unit}",
                self.shown(limit.coordinate, lower),
                self.shown(limit.coordinate, upper)
            ));
            self.report(d.hint("write the smaller value first"));
            return None;
        }
        self.builder.add_limit(limit);
        Some(())
    }

    /// Reports coordinates that start outside their limits.
    pub fn check_limits(&mut self) {
        let model = self.builder.model();
        let mut found = vec![];
        for limit in &model.limits {
            let coordinate = &model.coordinates[limit.coordinate];
            // A loop may put what nobody gave where its limits allow it.
            if coordinate.given == Start::Nothing && !model.constraints.is_empty() {
                continue;
            }
            let Some(start) = self.value_now(coordinate.start, 0) else { continue };
            let slack = 1e-9 * (1.0 + start.abs());
            let ends = [("below", limit.lower, -1.0), ("above", limit.upper, 1.0)];
            let passed = ends.into_iter().find_map(|(side, end, sign)| {
                let end = self.value_now(end?, 0)?;
                (sign * (start - end) > slack).then_some((side, end))
            });
            if let (Some((side, end)), Some(span)) = (passed, limit.span) {
                found.push((limit.coordinate, start, side, end, span));
            }
        }
        for (coordinate, start, side, end, span) in found {
            let name = self.builder.model().coordinates[coordinate].quantity.name.clone();
            let unit = self.shown_unit(coordinate);
            let (start, end) = (self.shown(coordinate, start), self.shown(coordinate, end));
            let message = format!("`{name}` starts {side} its limits");
            let d = Diagnostic::warning(codes::LIMIT, message).at(span, "");
            let d = d.because(format!("it starts at {start} {unit}, and its limit is {end} {unit}"));
            self.report(d.hint(format!("write `start {{ {name} = {end} [{unit}] }}`, or wider limits")));
        }
    }

    fn shown_unit(&self, coordinate: CoordinateId) -> String {
        let dimension = self.builder.model().coordinates[coordinate].quantity.dimension;
        if dimension == Dimension::ANGLE { "deg".to_owned() } else { dimension.to_string() }
    }

    fn shown(&self, coordinate: CoordinateId, value: f64) -> String {
        let dimension = self.builder.model().coordinates[coordinate].quantity.dimension;
        short(if dimension == Dimension::ANGLE { value.to_degrees() } else { value })
    }
}
