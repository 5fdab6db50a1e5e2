//! Joints with a shape or a ratio: gears, belts, racks, threads, angles; wheels and curves are in `contact_pairs`.
//!
//! They are written like the joints that close loops, `joint NAME = KIND(…)`. Gears and their kin couple coordinates, which are named
//! themselves or by the body that has no other.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Depends, Expr};
use cardan_kinematics::{FrameId, Point};
use cardan_model::ConstraintKind;
use cardan_model::closing::Marker;
use cardan_model::constraint::Constraint;
use cardan_model::coupling::combination;
use cardan_model::pairs::{at_angle, screw};
use cardan_syntax as syntax;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::joints::plan::word_of;
use crate::names::scope::Status;
use crate::types::value::{Scalar, Value};

/// A kind of joint with its named arguments and an example.
pub struct Pair {
    pub kind: ConstraintKind,
    named: &'static [&'static str],
    pub example: &'static str,
}

/// Every kind.
#[rustfmt::skip]
pub const PAIRS: &[Pair] = &[
    Pair { kind: ConstraintKind::Angle,    named: &["axis", "second", "angle"],          example: "angle(A.P, B.Q, axis = z, angle = 60 [deg])" },
    Pair { kind: ConstraintKind::Screw,    named: &["axis", "second", "lead"],           example: "screw(A.P, B.Q, axis = z, lead = 5 [mm])" },
    Pair { kind: ConstraintKind::OnCurve, named: &["axis", "radius", "roller", "face", "x", "y", "z", "q"], example: "on_curve(cam.o, tip.o, axis = z, radius = profile)" },
    Pair { kind: ConstraintKind::Gear,     named: &["ratio", "offset"],                  example: "gear(wheel, pinion, ratio = -1/3)" },
    Pair { kind: ConstraintKind::Belt,     named: &["radii", "offset", "crossed"],       example: "belt(pulley, shaft, radii = (60, 20) [mm])" },
    Pair { kind: ConstraintKind::Rack,     named: &["radius", "offset"],                 example: "rack(bar, pinion, radius = 20 [mm])" },
    Pair { kind: ConstraintKind::Coupler,  named: &["factors", "value"],                 example: "coupler(left, right, cage, factors = (1, 1, -2))" },
    Pair { kind: ConstraintKind::Rolling,  named: &["radius", "axis", "tyre", "normal", "surface", "road", "q"], example: "rolling(wheel.o, N.o, axis = y, radius = 0.3 [m])" },
];

/// What a joint that bears forces and torques tells: what it does to its first body, and to its second.
pub const REACTIONS: &[&str] = &["force", "torque", "counterforce", "countertorque"];

/// What a joint tells about itself: what it does to its first body or coordinate, and to its second body.
pub fn signals(kind: Option<ConstraintKind>) -> &'static [&'static str] {
    match kind {
        Some(kind) if kind.is_coupling() => &["effort"],
        Some(ConstraintKind::Rolling | ConstraintKind::OnCurve) => {
            &["force", "counterforce", "press", "point"]
        }
        Some(ConstraintKind::Distance) => &["force", "counterforce", "effort", "power"],
        Some(ConstraintKind::Angle) => &["torque", "countertorque"],
        _ => REACTIONS,
    }
}

/// The arguments of one joint, sorted.
pub(crate) struct Given<'t> {
    pub pair: &'static Pair,
    pub span: Span,
    plain: Vec<&'t syntax::Expr>,
    named: Vec<(&'static str, &'t syntax::Expr)>,
}

impl<'t> Given<'t> {
    pub fn get(&self, name: &str) -> Option<&'t syntax::Expr> {
        self.named.iter().find(|(n, _)| *n == name).map(|(_, e)| *e)
    }
}

/// A coordinate as an argument: its value, and the frame on which its body sits if a body was named.
struct Coupled {
    scalar: Scalar,
    carrier: Option<FrameId>,
}

impl<'t> Resolver<'t> {
    /// The constraint of a joint with a shape or a ratio, and the point that it tells.
    pub fn pair(
        &mut self,
        pair: &'static Pair,
        joint: &'t syntax::Joint,
        name: &str,
        span: Span,
    ) -> Option<(Constraint, Option<Point>)> {
        let given = self.sorted(pair, joint)?;
        let contact = self.contact_of(&given, joint)?;
        match pair.kind {
            ConstraintKind::Rolling => self.rolling_joint(&given, &contact, name, span),
            ConstraintKind::OnCurve => self.curve_joint(&given, &contact, name, span),
            ConstraintKind::Angle | ConstraintKind::Screw => {
                self.surface_joint(&given, name, span).map(|c| (c, None))
            }
            _ => self.coupling_joint(&given, name, span).map(|c| (c, None)),
        }
    }

    pub(crate) fn refuse_pair(&mut self, pair: &Pair, span: Span, message: impl Into<String>) {
        let help = format!("write it like `{}`", pair.example);
        let d = Diagnostic::error(codes::ARGUMENT, message).at(span, "");
        self.report(d.because(format!("`{}` takes {}", pair.kind, pair.named.join(", "))).hint(help));
    }

    fn sorted(&mut self, pair: &'static Pair, joint: &'t syntax::Joint) -> Option<Given<'t>> {
        let mut given = Given { pair, span: joint.form.span, plain: vec![], named: vec![] };
        for argument in &joint.form.arguments {
            let slot = match argument.name.as_ref().map(|n| n.text.as_str()) {
                None if pair.named.contains(&"crossed") && word_of(&argument.value) == Some("crossed") => {
                    "crossed"
                }
                None => {
                    given.plain.push(&argument.value);
                    continue;
                }
                Some(name) => name,
            };
            match pair.named.iter().find(|n| **n == slot) {
                Some(n) if given.get(n).is_none() => given.named.push((n, &argument.value)),
                Some(n) => {
                    self.refuse_pair(pair, argument.value.span, format!("`{n}` is given twice"));
                    return None;
                }
                None => {
                    let message = format!("`{}` has no argument `{slot}`", pair.kind);
                    self.refuse_pair(pair, argument.value.span, message);
                    return None;
                }
            }
        }
        let enough = if pair.kind == ConstraintKind::Coupler {
            given.plain.len() >= 2
        } else {
            given.plain.len() == 2
        };
        if !enough {
            let what = match pair.kind {
                ConstraintKind::Coupler => "a coupler joins two coordinates or more",
                ConstraintKind::Gear | ConstraintKind::Belt | ConstraintKind::Rack => {
                    "it joins two bodies or coordinates"
                }
                _ => "it lies between two points",
            };
            self.refuse_pair(pair, given.span, what);
            return None;
        }
        Some(given)
    }

    pub(crate) fn required(&mut self, given: &Given<'t>, name: &str) -> Option<&'t syntax::Expr> {
        let found = given.get(name);
        if found.is_none() {
            self.refuse_pair(given.pair, given.span, format!("`{}` needs its {name}", given.pair.kind));
        }
        found
    }

    /// A fixed number among the arguments.
    pub(crate) fn fixed(&mut self, e: &'t syntax::Expr, dimension: Dimension, what: &str) -> Option<Expr> {
        let value = self.scalar(e, dimension, &format!("this {what}"), &Env::default())?;
        self.constant(value, e.span, &format!("the {what} of a joint"))
    }

    /// A point; a body stands for its origin.
    pub fn place(&mut self, e: &'t syntax::Expr) -> Option<Point> {
        let point = match self.evaluate(e, &Env::default())? {
            Value::Frame(frame) => self.space().origin(frame),
            _ => self.point(e, &Env::default(), "")?,
        };
        Some(self.named_point(point, e))
    }

    pub(crate) fn two_places(&mut self, given: &Given<'t>) -> Option<(Point, Point)> {
        let (p, q) = (self.place(given.plain[0]), self.place(given.plain[1]));
        let (p, q) = (p?, q?);
        self.on_two_bodies(&p, &q, given.span)?;
        Some((p, q))
    }

    fn surface_joint(&mut self, given: &Given<'t>, name: &str, span: Span) -> Option<Constraint> {
        let (p, q) = self.two_places(given)?;
        let axis = self.required(given, "axis")?;
        let first = self.body_axis(axis, p.frame)?;
        let a = Marker { point: p, axes: self.triad(first) };
        let second = self.body_axis(given.get("second").unwrap_or(axis), q.frame)?;
        let b = Marker { point: q, axes: self.triad(second) };
        if given.pair.kind == ConstraintKind::Angle {
            let e = self.required(given, "angle")?;
            let angle = self.fixed(e, Dimension::ANGLE, "angle")?;
            self.between_directions(e, angle)?;
            return Some(at_angle(self.space(), name, &a, &b, angle, Some(span)));
        }
        let e = self.required(given, "lead")?;
        let lead = self.lead(e, "this lead", &Env::default())?;
        let lead = self.constant(lead, e.span, "the lead of a joint")?;
        if self.pool().is_zero(lead) {
            let help = "write `revolute` if nothing advances";
            self.error(codes::UNDEFINED, "a thread has a lead", e.span, help);
            return None;
        }
        Some(screw(self.space(), name, &a, &b, lead, Some(span)))
    }

    /// A coordinate, any position that is a number, or a body with a single coordinate.
    fn coupled(&mut self, e: &'t syntax::Expr) -> Option<Coupled> {
        match self.evaluate(e, &Env::default())? {
            Value::Scalar(scalar) => {
                let depends = self.pool().depends(scalar.expr);
                if depends.intersects(Depends::SPEEDS | Depends::STATES | Depends::UNKNOWNS)
                    || !depends.intersects(Depends::COORDINATES)
                {
                    let (message, help) = match self.is_locked(scalar.expr) {
                        true => {
                            ("this coordinate is locked", "take it out of `lock`, or leave this joint out")
                        }
                        false => ("this is not a position that moves", "name a coordinate, such as `arm.q`"),
                    };
                    self.error(codes::KIND, message, e.span, help);
                    return None;
                }
                Some(Coupled { scalar, carrier: None })
            }
            Value::Frame(frame) => {
                let found = self.only_coordinate(frame);
                if found.is_none() {
                    let (message, help) = match self.is_held(frame) {
                        true => ("this body is locked", "take it out of `lock`, or leave this joint out"),
                        false => (
                            "this body does not have one coordinate",
                            "name the coordinate itself, such as `arm.q1`",
                        ),
                    };
                    self.error(codes::KIND, message, e.span, help);
                }
                found
            }
            other => {
                self.wrong_kind(&other, e.span, "a coordinate, or a body that has one");
                None
            }
        }
    }

    fn is_locked(&self, e: Expr) -> bool {
        let parameters = &self.builder.model().parameters;
        let is_it =
            |c: &BuiltCoordinate| matches!(c, BuiltCoordinate::Locked(id) if parameters[*id].symbol == e);
        self.built.iter().flatten().any(is_it)
    }

    /// Whether every coordinate of a body is locked, and there is one.
    fn is_held(&self, frame: FrameId) -> bool {
        let is_locked = |c: &BuiltCoordinate| matches!(c, BuiltCoordinate::Locked(_));
        self.body_of(frame).is_some_and(|b| !self.built[b].is_empty() && self.built[b].iter().all(is_locked))
    }

    /// The place of a body among the names.
    fn body_of(&self, frame: FrameId) -> Option<usize> {
        let is_it = |f: &Status| matches!(f, Status::Done(Value::Frame(found)) if *found == frame);
        self.names.bodies.iter().position(|b| is_it(&self.names.items[b.frame].status))
    }

    fn only_coordinate(&self, frame: FrameId) -> Option<Coupled> {
        let b = self.body_of(frame)?;
        let [BuiltCoordinate::Free(id)] = self.built[b][..] else { return None };
        let model = self.builder.model();
        let joint = model.body_in(frame).and_then(|id| model.bodies[id].joint)?;
        let coordinate = &model.coordinates[id];
        let scalar = Scalar::new(coordinate.symbol, coordinate.quantity.dimension, false);
        Some(Coupled { scalar, carrier: Some(model.joints[joint].parent) })
    }

    /// The value that `motion` drives.
    pub fn driven(&mut self, e: &'t syntax::Expr) -> Option<Scalar> {
        self.coupled(e).map(|c| c.scalar)
    }

    fn coupling_joint(&mut self, given: &Given<'t>, name: &str, span: Span) -> Option<Constraint> {
        let found: Vec<Option<Coupled>> = given.plain.iter().map(|e| self.coupled(e)).collect();
        let found: Vec<Coupled> = found.into_iter().collect::<Option<_>>()?;
        let twice = |(k, c): (usize, &Coupled)| found[..k].iter().any(|b| b.scalar.expr == c.scalar.expr);
        if let Some(k) = found.iter().enumerate().position(twice) {
            let message = "this coordinate would be joined with itself";
            let help = "name two that are to move together; to hold one still write `lock q`";
            self.error(codes::ARGUMENT, message, given.plain[k].span, help);
            return None;
        }
        if given.pair.kind != ConstraintKind::Coupler
            && let (Some(a), Some(b)) = (found[0].carrier, found[1].carrier)
            && a != b
        {
            let message = "these two turn or slide on different bodies";
            let d = Diagnostic::error(codes::ARGUMENT, message).at(given.span, "");
            let d = d.because("their coordinates are measured from different carriers");
            self.report(
                d.hint("name the coordinates that keep the ratio, or write a `coupler` of all that do"),
            );
            return None;
        }
        let pool_one = self.pool().one();
        let minus = |r: &Self, e: Expr| r.pool().neg(e);
        let factors: Vec<Scalar> = match given.pair.kind {
            ConstraintKind::Gear => {
                let e = self.required(given, "ratio")?;
                let ratio = self.any_scalar(e, &Env::default())?;
                let expr = self.constant(ratio.expr, e.span, "the ratio of a gear")?;
                self.not_zero(e, expr, "a gear of ratio zero holds its first part still")?;
                vec![plain(pool_one), Scalar { expr: minus(self, expr), bare: false, ..ratio }]
            }
            ConstraintKind::Rack => {
                let e = self.required(given, "radius")?;
                let radius = self.fixed(e, Dimension::LENGTH, "radius")?;
                self.not_zero(e, radius, "a pinion without a radius holds its rack still")?;
                vec![plain(pool_one), length(minus(self, radius))]
            }
            ConstraintKind::Belt => {
                let e = self.required(given, "radii")?;
                let radii = self.several(e, 2)?;
                for r in &radii {
                    self.expect(r, e, Dimension::LENGTH, "these radii", &Env::default())?;
                    self.above_zero(e, r.expr, "a pulley has a radius", "give two radii above zero")?;
                }
                let other = radii[1].expr;
                let other = if given.get("crossed").is_some() { other } else { minus(self, other) };
                vec![length(radii[0].expr), length(other)]
            }
            _ => {
                let e = self.required(given, "factors")?;
                let factors = self.several(e, found.len())?;
                if factors.iter().all(|f| self.value_now(f.expr, 0) == Some(0.0)) {
                    let help = "give a factor for each coordinate, such as `factors = (1, -2)`";
                    self.error(codes::UNDEFINED, "these factors couple nothing", e.span, help);
                    return None;
                }
                factors
            }
        };
        let mut terms = vec![];
        let mut parts = vec![];
        for ((coupled, factor), e) in found.iter().zip(&factors).zip(&given.plain) {
            let expr = self.pool().mul(factor.expr, coupled.scalar.expr);
            let dimension = factor.dimension * coupled.scalar.dimension;
            parts.push((Scalar::new(expr, dimension, false), e.span));
            terms.push((factor.expr, coupled.scalar.expr));
        }
        let (dimension, _) = self.agree(&parts, "coupled")?;
        let value = match given.get("offset").or(given.get("value")) {
            Some(e) => {
                let value = self.scalar(e, dimension, "this value", &Env::default())?;
                self.in_time_alone(value, e.span, "a prescribed motion")?
            }
            None => self.pool().zero(),
        };
        let texts: Vec<String> = given.plain.iter().map(|e| self.text(e.span)).collect();
        let what = (dimension, format!("ratio of {}", texts.join(" and ")));
        Some(combination(self.space(), (name, given.pair.kind), &terms, value, what, Some(span)))
    }

    /// Refuses a value that depends on more than time.
    pub fn in_time_alone(&mut self, value: Expr, span: Span, what: &str) -> Option<Expr> {
        let moving = Depends::COORDINATES | Depends::SPEEDS | Depends::STATES | Depends::UNKNOWNS;
        if self.pool().depends_on(value, moving) {
            let message = format!("{what} depends on time only");
            self.error(codes::VARIES, message, span, "use time and parameters");
            return None;
        }
        Some(value)
    }

    /// So many fixed numbers in brackets.
    fn several(&mut self, e: &'t syntax::Expr, n: usize) -> Option<Vec<Scalar>> {
        let value = self.evaluate(e, &Env::default())?;
        let parts = match value {
            Value::Tuple(parts) if parts.len() == n => parts,
            _ => {
                let message = format!("{n} numbers in brackets are needed here");
                self.error(codes::ARGUMENT, message, e.span, "give one number for each of what is joined");
                return None;
            }
        };
        let mut out = vec![];
        for (value, span) in parts {
            let s = self.need_scalar(value, span)?;
            self.constant(s.expr, span, "a factor")?;
            out.push(s);
        }
        Some(out)
    }
}

fn plain(expr: Expr) -> Scalar {
    Scalar::new(expr, Dimension::ONE, false)
}

fn length(expr: Expr) -> Scalar {
    Scalar::new(expr, Dimension::LENGTH, false)
}
