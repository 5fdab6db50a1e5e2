//! Joints that close loops, rods, and constraints written as equations.
//!
//! `joint NAME = revolute(P, Q, axis = z)` joins a point of one body to a point of another. An axis word means that axis
//! of each of the two bodies; `second` gives the axis of the second body where it differs. A constraint on positions
//! is differentiated; one that holds velocities must be linear in them.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_expr::{Depends, Expr, Pool};
use cardan_kinematics::{Axis, FrameId, Matrix3, Point, Sequence, Vector, rotation};
use cardan_model::ConstraintKind;
use cardan_model::closing::{Closing, Marker, close, distance};
use cardan_model::constraint::{Constraint, Row};
use cardan_model::speeds::linear_parts;
use cardan_syntax::{self as syntax, CompareOp, ExprKind, UnaryOp};
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::higher_pairs::PAIRS;
use crate::joints::plan::word_of;
use crate::types::synonyms;
use crate::types::value::{Arrow, Value};

/// What a joint tells about itself, by name.
pub type Told = Vec<(&'static str, Value)>;

/// Every kind of joint that stands alone.
pub fn closing_kinds() -> impl Iterator<Item = &'static str> {
    let closing = Closing::ALL.into_iter().map(ConstraintKind::Closing).chain([ConstraintKind::Distance]);
    closing.chain(PAIRS.iter().map(|p| p.kind)).map(ConstraintKind::name)
}

/// What a joint does to its first body, and to its second: the opposite at the same point.
pub fn both_sides(pool: &Pool, force: &Vector, torque: &Vector) -> Told {
    let opposite = |v: &Vector| v.scale(pool, pool.int(-1));
    vec![
        ("force", Value::vector(force.clone(), Dimension::FORCE)),
        ("torque", Value::vector(torque.clone(), Dimension::TORQUE)),
        ("counterforce", Value::vector(opposite(force), Dimension::FORCE)),
        ("countertorque", Value::vector(opposite(torque), Dimension::TORQUE)),
    ]
}

impl<'t> Resolver<'t> {
    /// `joint NAME = KIND(P, Q, axis = z)`: adds its constraint, and tells its signals.
    pub fn closing_joint(&mut self, joint: &'t syntax::Joint, span: Span) -> Option<Told> {
        let kind = joint.form.function.as_name().map_or("", |n| n.text.as_str());
        let name = format!("{}{}", self.names.scopes[self.root].prefix, joint.name.text);
        let (mut constraint, contact, length) = match PAIRS.iter().find(|p| p.kind.name() == kind) {
            Some(pair) => {
                let (constraint, contact) = self.pair(pair, joint, &name, span)?;
                (constraint, contact, None)
            }
            None => {
                let (constraint, length) = self.closing_between(joint, kind, &name, span)?;
                (constraint, None, length)
            }
        };
        constraint.description = joint.description.as_ref().map_or(String::new(), |t| t.text.clone());
        let id = self.builder.add_constraint(constraint);
        let constraint = &self.builder.model().constraints[id];
        let (force, torque) = constraint.reaction(self.space());
        let mut told = both_sides(self.pool(), &force, &torque);
        if let Some(row) = constraint.rows.first() {
            let (effort, dimension) = self.effort(constraint, row.dimension);
            told.push(("effort", Value::quantity(effort, dimension)));
            let rate = length.map(|length| self.space().dt(length));
            told.extend(
                rate.map(|r| ("power", Value::quantity(self.pool().mul(effort, r), Dimension::POWER))),
            );
        }
        told.extend(constraint.press(self.space()).map(|e| ("press", Value::quantity(e, Dimension::FORCE))));
        told.extend(contact.map(|point| ("point", Value::Point(point))));
        Some(told)
    }

    /// The constraint of a joint between two points, and the length of a rod.
    fn closing_between(
        &mut self,
        joint: &'t syntax::Joint,
        kind: &str,
        name: &str,
        span: Span,
    ) -> Option<(Constraint, Option<Expr>)> {
        let known = ConstraintKind::named(kind);
        let known = known.filter(|k| matches!(k, ConstraintKind::Closing(_) | ConstraintKind::Distance));
        let Some(known) = known else {
            let names: Vec<&str> = closing_kinds().collect();
            let foreign = synonyms::joint(kind).filter(|own| names.contains(own));
            let help = match foreign.or_else(|| nearest(kind, names.iter().copied())) {
                Some(near) => format!("write `{near}`"),
                None => format!("joints between two points are {}", names.join(", ")),
            };
            let message = format!("there is no joint called `{kind}` between two points");
            self.error(codes::UNKNOWN_WORD, message, joint.form.function.span, help);
            return None;
        };
        let kind = known;
        let closing = match kind {
            ConstraintKind::Closing(closing) => Some(closing),
            _ => None,
        };
        let mut points: Vec<&'t syntax::Expr> = vec![];
        let (mut axis, mut second, mut length, mut angles) = (None, None, None, None);
        for argument in &joint.form.arguments {
            let slot = match argument.name.as_ref().map(|n| n.text.as_str()) {
                None if points.len() < 2 => {
                    points.push(&argument.value);
                    continue;
                }
                None | Some("axis") if closing.is_some() && axis.is_none() => &mut axis,
                Some("second") if closing.is_some() => &mut second,
                Some("angles") if closing == Some(Closing::Fixed) => &mut angles,
                None | Some("length") if closing.is_none() && length.is_none() => &mut length,
                _ => {
                    self.closing_help(kind, argument.value.span, "this argument does not fit");
                    return None;
                }
            };
            *slot = Some(&argument.value);
        }
        let &[first_point, second_point] = points.as_slice() else {
            self.closing_help(kind, joint.form.span, "a joint that closes a loop lies between two points");
            return None;
        };
        let env = Env::default();
        let (p, q) = (self.point(first_point, &env, ""), self.point(second_point, &env, ""));
        let (p, q) = (self.named_point(p?, first_point), self.named_point(q?, second_point));
        self.on_two_bodies(&p, &q, joint.form.span)?;
        match (closing, length) {
            (None, Some(e)) => {
                let value = self.scalar(e, Dimension::LENGTH, "this length", &env)?;
                let value = self.in_time_alone(value, e.span, "the length of a rod")?;
                let help = "write `spherical` if the points coincide";
                self.above_zero(e, value, "a rod has a length", help)?;
                Some((distance(self.space(), name, &p, &q, value, Some(span)), Some(value)))
            }
            (None, None) => {
                self.closing_help(kind, joint.form.span, "`distance` needs its length");
                None
            }
            (Some(closing), _) => {
                let free_of_axes = matches!(closing, Closing::Fixed | Closing::Spherical);
                let (a, b) = match (axis, free_of_axes) {
                    (None, true) => {
                        let mut a = Marker::plain(self.space(), p);
                        if let Some(e) = angles {
                            a.axes = self.fixed_turn(Sequence([Axis::X, Axis::Y, Axis::Z]), e, &env)?;
                        }
                        (a, Marker::plain(self.space(), q))
                    }
                    (None, false) => {
                        self.closing_help(kind, joint.form.span, &format!("`{kind}` needs its axis"));
                        return None;
                    }
                    (Some(axis), _) => self.markers(closing, p, q, axis, second)?,
                };
                Some((close(self.space(), name, closing, &a, &b, Some(span)), None))
            }
        }
    }

    /// Refuses two points of one body.
    pub fn on_two_bodies(&mut self, p: &Point, q: &Point, span: Span) -> Option<()> {
        if p.frame != q.frame {
            return Some(());
        }
        let body = self.space().frame(p.frame).name.clone();
        let message = format!("this joint ties `{body}` to itself");
        let d = Diagnostic::error(codes::OWN_JOINT, message).at(span, "");
        let d = d.because(format!(
            "`{}` and `{}` are points of one body, which cannot move apart",
            p.name, q.name
        ));
        self.report(d.hint(format!("name a point of another body, or `{}.o` for the ground", self.ground())));
        None
    }

    fn closing_help(&mut self, kind: ConstraintKind, span: Span, message: &str) {
        let help = match kind {
            ConstraintKind::Distance => "write it like `distance(A.P, B.Q, length = 0.5 [m])`".to_owned(),
            ConstraintKind::Closing(Closing::Universal) => {
                "write it like `universal(A.P, B.Q, axis = z, second = x)`".to_owned()
            }
            ConstraintKind::Closing(Closing::Spherical) => "write it like `spherical(A.P, B.Q)`".to_owned(),
            ConstraintKind::Closing(Closing::Fixed) => {
                "write it like `fixed(A.P, B.Q)` or `fixed(A.P, B.Q, angles = (0, 0, 90) [deg])`".to_owned()
            }
            _ => format!("write it like `{kind}(A.P, B.Q, axis = z)`"),
        };
        self.error(codes::ARGUMENT, message, span, help);
    }

    pub fn named_point(&self, p: Point, e: &syntax::Expr) -> Point {
        if p.name.is_empty() { Point { name: self.text(e.span), ..p } } else { p }
    }

    fn markers(
        &mut self,
        closing: Closing,
        p: Point,
        q: Point,
        axis: &'t syntax::Expr,
        second: Option<&'t syntax::Expr>,
    ) -> Option<(Marker, Marker)> {
        let other = second.unwrap_or(axis);
        let (a, b) = (self.body_axis(axis, p.frame), self.body_axis(other, q.frame));
        let (a, b) = (self.triad(a?), self.triad(b?));
        // The axis of the second body of a universal joint is its marker's x.
        let [x, y, z] = b;
        let b = if closing == Closing::Universal { [z, x, y] } else { [x, y, z] };
        Some((Marker { point: p, axes: a }, Marker { point: q, axes: b }))
    }

    /// An axis word, components or a vector as a unit vector of a body.
    pub fn body_axis(&mut self, e: &'t syntax::Expr, frame: FrameId) -> Option<[Expr; 3]> {
        let (inner, negative) = match &e.kind {
            ExprKind::Unary { op: UnaryOp::Minus, operand } => (&**operand, true),
            _ => (e, false),
        };
        let word = word_of(inner).unwrap_or("");
        if let (Some(axis), 1) = (word.chars().next().and_then(Axis::named), word.len()) {
            let unit = rotation::identity(self.pool())[axis.index()];
            return Some(if negative { unit.map(|c| self.pool().neg(c)) } else { unit });
        }
        let env = Env { frame: Some(frame), ..Env::default() };
        let value = self.evaluate(e, &env)?;
        let arrow = self.as_arrow(value, e.span, &env)?;
        let components = self.space().components(&arrow.vector, frame);
        for c in components {
            self.constant(c, e.span, "an axis in its body")?;
        }
        let square = rotation::inner(self.pool(), components, components);
        if self.pool().is_zero(square) {
            self.error(
                codes::AXIS,
                "this axis has no length",
                e.span,
                "give a direction, such as `(1, 1, 0)`",
            );
            return None;
        }
        let size = self.pool().sqrt(square);
        Some(components.map(|c| self.pool().div(c, size)))
    }

    /// Right-handed axes of which the third is given.
    pub fn triad(&self, d: [Expr; 3]) -> Matrix3 {
        triad(self.pool(), d)
    }

    /// `constraint NAME = EXPR`, `constraint a == b`: adds it, and tells its multiplier if there is one.
    pub fn constraint(&mut self, name: &str, constraint: &'t syntax::Constraint, span: Span) -> Option<Told> {
        let e = &constraint.relation;
        let env = Env::default();
        let (left, right) = match &e.kind {
            ExprKind::Compare { op: CompareOp::Equal, left, right } => (&**left, Some(&**right)),
            ExprKind::Compare { op: CompareOp::GreaterEqual, left, right } => {
                return self.one_sided(name, (left, right), span);
            }
            ExprKind::Compare { op: CompareOp::LessEqual, left, right } => {
                return self.one_sided(name, (right, left), span);
            }
            ExprKind::Compare { .. } => {
                self.error(
                    codes::KIND,
                    "a constraint is an equality, or an inequality with `>=` or `<=`",
                    e.span,
                    "write `==`, `>=` or `<=` between its sides",
                );
                return None;
            }
            _ => (e, None),
        };
        let values = (self.evaluate(left, &env), right.map(|r| self.evaluate(r, &env)));
        let difference = match values {
            (Some(a), None) => self.constrained(a, left.span)?,
            (Some(a), Some(Some(b))) => {
                self.sides(a, b, left.span, right.map_or(e.span, |r| r.span), &env)?
            }
            _ => return None,
        };
        let text = self.text(e.span);
        let mut rows = vec![];
        for (what, expr, dimension) in difference {
            rows.push(self.row(expr, dimension, format!("{text}{what}"), e.span)?);
        }
        let mut built = Constraint::new(name, ConstraintKind::Equation, rows, Some(span));
        built.description = constraint.description.as_ref().map_or(String::new(), |t| t.text.clone());
        let id = self.builder.add_constraint(built);
        let built = &self.builder.model().constraints[id];
        let [row] = &built.rows[..] else { return Some(vec![]) };
        // Its multiplier times the rate of the row is a power.
        let rate = if row.position.is_some() { row.dimension / Dimension::TIME } else { row.dimension };
        let dimension = (Dimension::POWER / rate).without_angle();
        let multiplier = built.multipliers.iter().map(|e| ("multiplier", Value::quantity(*e, dimension)));
        let always = ("closed", Value::quantity(self.pool().one(), Dimension::ONE));
        Some(multiplier.chain([always]).collect())
    }

    /// `constraint a >= b`: a constraint that acts where the first side would become the smaller one.
    fn one_sided(
        &mut self,
        name: &str,
        (greater, less): (&'t syntax::Expr, &'t syntax::Expr),
        span: Span,
    ) -> Option<Told> {
        let env = Env::default();
        let values = (self.evaluate(greater, &env), self.evaluate(less, &env));
        let (Some(Value::Scalar(a)), Some(Value::Scalar(b))) = values else {
            if let (Some(a), Some(b)) = values {
                let (wrong, place) = if matches!(a, Value::Scalar(_)) { (b, less) } else { (a, greater) };
                self.wrong_kind(&wrong, place.span, "a number");
            }
            return None;
        };
        let (dimension, _) = self.agree(&[(a.clone(), greater.span), (b.clone(), less.span)], "compared")?;
        let gap = self.pool().sub(a.expr, b.expr);
        let row = self.row(gap, dimension, String::new(), span)?;
        if row.position.is_none() {
            let help = "write it for a position, or give the velocity as a load";
            self.error(codes::KIND, "an inequality holds positions", span, help);
            return None;
        }
        let (effort, acts) = self.inequality(name, gap, span)?;
        let dimension = (Dimension::POWER / (row.dimension / Dimension::TIME)).without_angle();
        Some(vec![
            ("multiplier", Value::quantity(effort, dimension)),
            ("closed", Value::quantity(acts, Dimension::ONE)),
        ])
    }

    /// What must vanish, number by number, with words for each.
    fn constrained(&mut self, value: Value, span: Span) -> Option<Vec<(&'static str, Expr, Dimension)>> {
        match value {
            Value::Scalar(s) => Some(vec![("", s.expr, s.dimension)]),
            Value::Vector(Arrow { vector, dimension, .. }) => {
                let newtonian = self.space().newtonian();
                let components = self.space().components(&vector, newtonian);
                let named = [" along x", " along y", " along z"].into_iter().zip(components);
                let rows: Vec<_> = named.map(|(what, c)| (what, c, dimension)).collect();
                Some(rows.into_iter().filter(|(_, c, _)| !self.pool().is_zero(*c)).collect())
            }
            other => {
                self.wrong_kind(&other, span, "a number or a vector");
                None
            }
        }
    }

    fn sides(
        &mut self,
        a: Value,
        b: Value,
        a_span: Span,
        b_span: Span,
        env: &Env<'t>,
    ) -> Option<Vec<(&'static str, Expr, Dimension)>> {
        if let (Value::Scalar(x), Value::Scalar(y)) = (&a, &b) {
            let (dimension, _) = self.agree(&[(x.clone(), a_span), (y.clone(), b_span)], "equated")?;
            return Some(vec![("", self.pool().sub(x.expr, y.expr), dimension)]);
        }
        let (x, y) = (self.as_arrow(a, a_span, env)?, self.as_arrow(b, b_span, env)?);
        let parts = [
            (x.dimension, x.bare, x.vector.is_zero(), a_span),
            (y.dimension, y.bare, y.vector.is_zero(), b_span),
        ];
        let (dimension, _) = self.agree_on(&parts, "equated")?;
        let difference = x.vector.sub(self.pool(), &y.vector);
        self.constrained(Value::vector(difference, dimension), a_span)
    }

    fn row(&mut self, expr: Expr, dimension: Dimension, what: String, span: Span) -> Option<Row> {
        // A polynomial of angles is a number; only an angle itself is shown as one.
        let plain = dimension.is_dimensionless() && dimension != Dimension::ANGLE;
        let dimension = if plain { Dimension::ONE } else { dimension };
        let depends = self.pool().depends(expr);
        if depends.intersects(Depends::UNKNOWNS) || depends.intersects(Depends::STATES) {
            let message = "a constraint holds positions, velocities and time only";
            self.error(codes::VARIES, message, span, "leave accelerations and states out of it");
            return None;
        }
        if depends.intersects(Depends::SPEEDS) {
            let speeds: Vec<Expr> = self.builder.model().speeds.iter().map(|(_, s)| s.symbol).collect();
            if linear_parts(self.pool(), expr, &speeds).is_none() {
                let message = "this constraint is not linear in the velocities";
                let d = Diagnostic::error(codes::NOT_LINEAR, message).at(span, "");
                let d = d.because("ideal constraint forces are known only for sums of velocities times factors of position and time");
                self.report(
                    d.hint("write a component of a velocity, such as `dot(velocity(P), B.x)`, not its size"),
                );
                return None;
            }
            return Some(Row { position: None, velocity: expr, dimension, what, action: None });
        }
        if !depends.intersects(Depends::COORDINATES) {
            let message = "this constraint holds nothing that moves";
            self.error(codes::KIND, message, span, "write an equation between positions or velocities");
            return None;
        }
        let velocity = self.space().dt(expr);
        Some(Row { position: Some(expr), velocity, dimension, what, action: None })
    }
}

/// Axes of which the third is a direction.
pub(crate) fn triad(pool: &Pool, d: [Expr; 3]) -> Matrix3 {
    let unit = rotation::identity(pool);
    let is_unit = |k: usize| (0..3).all(|i| i == k || pool.is_zero(d[i]));
    if let Some(k) = (0..3).find(|k| is_unit(*k)) {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        return if d[k] == pool.one() { [unit[i], unit[j], d] } else { [unit[j], unit[i], d] };
    }
    // A direction with two or three components is parallel to none of the axes.
    let k = (0..3).find(|k| pool.is_zero(d[*k])).unwrap_or(0);
    let x = rotation::cross(pool, unit[k], d);
    let size = pool.sqrt(rotation::inner(pool, x, x));
    let x = x.map(|c| pool.div(c, size));
    [x, rotation::cross(pool, d, x), d]
}
