//! The built-in functions: elementary functions, vector algebra, kinematics.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Derivation, Expr, Function, Rational};
use cardan_kinematics::{FrameId, Point};
use cardan_syntax::Call;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Phase, Resolver};
use crate::eval::calls::Given;
use crate::eval::introspection;
use crate::resource_limits;
use crate::types::angle_units;
use crate::types::value::{Arrow, Scalar, Value};

/// The built-in functions: name, arguments, how it is written.
#[rustfmt::skip]
pub const BUILTINS: &[(&str, std::ops::RangeInclusive<usize>, &str)] = &[
    ("sin", 1..=1, "sin(x)"), ("cos", 1..=1, "cos(x)"), ("tan", 1..=1, "tan(x)"),
    ("asin", 1..=1, "asin(x)"), ("acos", 1..=1, "acos(x)"), ("atan", 1..=1, "atan(x)"), ("atan2", 2..=2, "atan2(y, x)"),
    ("sinh", 1..=1, "sinh(x)"), ("cosh", 1..=1, "cosh(x)"), ("tanh", 1..=1, "tanh(x)"),
    ("exp", 1..=1, "exp(x)"), ("ln", 1..=1, "ln(x)"), ("log10", 1..=1, "log10(x)"), ("sqrt", 1..=1, "sqrt(x)"),
    ("abs", 1..=1, "abs(x)"), ("sign", 1..=1, "sign(x)"), ("floor", 1..=1, "floor(x)"), ("mod", 2..=2, "mod(x, y)"),
    ("min", 2..=99, "min(x, y)"), ("max", 2..=99, "max(x, y)"),
    ("dot", 2..=2, "dot(u, v)"), ("cross", 2..=2, "cross(u, v)"), ("mag", 1..=1, "mag(v)"),
    ("dir", 1..=1, "dir(v)"), ("unit", 1..=1, "unit(v)"), ("angle", 2..=3, "angle(u, v, about)"), ("unwrapped_angle", 3..=3, "unwrapped_angle(u, v, about)"),
    ("components", 1..=2, "components(v, in = B)"),
    ("position", 1..=2, "position(P, Q)"), ("velocity", 1..=2, "velocity(P, in = B)"),
    ("acceleration", 1..=1, "acceleration(P)"), ("omega", 1..=2, "omega(B, in = A)"), ("alpha", 1..=1, "alpha(B)"),
    ("der", 1..=2, "der(x, in = B)"), ("partial", 2..=2, "partial(x, y)"),
    ("dot_plane", 2..=2, "dot_plane(v, n)"), ("nominal", 1..=1, "nominal(x)"), ("constant_part", 1..=1, "constant_part(x)"),
    ("gcf", 2..=2, "gcf(x, y)"), ("is_constant", 1..=1, "is_constant(x)"),
    ("zero", 1..=1, "zero(x)"), ("si", 1..=1, "si(x)"),
];

/// The names of the built-in functions.
pub fn names() -> Vec<&'static str> {
    BUILTINS.iter().map(|(name, _, _)| *name).collect()
}

impl<'t> Resolver<'t> {
    fn plain(&mut self, value: Value, span: Span) -> Option<Scalar> {
        let Value::Scalar(s) = value else {
            self.wrong_kind(&value, span, "a number");
            return None;
        };
        if !s.dimension.is_dimensionless() {
            let d = Diagnostic::error(codes::DIMENSION, "this argument has a dimension");
            let d = d.at(span, format!("[{}], expected a plain number or an angle", s.dimension));
            let text = self.text(span);
            self.report(d.hint(match s.dimension {
                d if d.compatible(&Dimension::TIME) && text.contains("pi") => {
                    format!("multiply it by a frequency: `{text}*1 [1/s]`")
                }
                d if d.compatible(&Dimension::TIME) => {
                    format!("multiply it by an angular velocity: `2 [rad/s]*{text}`")
                }
                d if d.compatible(&Dimension::FREQUENCY) => format!("multiply it by a time: `{text}*t`"),
                d => format!("divide it by a quantity of its kind: `{text}/(1 [{d}])`"),
            }));
            return None;
        }
        Some(s)
    }

    /// An argument that must be a number.
    pub fn number_argument(&mut self, given: &(Value, Span)) -> Option<Scalar> {
        match &given.0 {
            Value::Scalar(s) => Some(s.clone()),
            other => {
                self.wrong_kind(&other.clone(), given.1, "a number");
                None
            }
        }
    }

    fn point_argument(&mut self, given: &(Value, Span)) -> Option<Point> {
        match &given.0 {
            Value::Point(p) => Some(p.clone()),
            Value::Frame(frame) => Some(self.space().origin(*frame)),
            Value::Vector(Arrow { vector, frame: Some(frame), dimension, bare })
                if *bare || dimension.compatible(&Dimension::LENGTH) =>
            {
                if *bare {
                    self.adopt(given.1, &Dimension::LENGTH)?;
                }
                let coordinates = self.space().components(vector, *frame);
                Some(Point { name: self.text(given.1), frame: *frame, coordinates })
            }
            other => {
                self.wrong_kind(&other.clone(), given.1, "a point");
                None
            }
        }
    }

    fn frame_argument(&mut self, given: &(Value, Span)) -> Option<FrameId> {
        match &given.0 {
            Value::Frame(f) => Some(*f),
            other => {
                self.wrong_kind(&other.clone(), given.1, "a body or frame");
                None
            }
        }
    }

    /// Whether velocities may be asked for.
    fn moving(&mut self, span: Span) -> Option<()> {
        let body_fixed = self.plans.iter().any(|p| p.speeds.iter().any(|s| s.rate_of.is_none()));
        if self.phase == Phase::Motion || (self.phase == Phase::Speeds && !body_fixed) {
            return Some(());
        }
        self.too_early(span);
        None
    }

    /// The value of a built-in function whose arguments are as many as it needs.
    pub fn builtin(&mut self, name: &str, given: Given, call: &Call, env: &Env<'t>) -> Option<Value> {
        let Given { values, within } = given;
        let second = values.get(1);
        match name {
            "abs" | "sign" | "sqrt" | "min" | "max" | "mod" | "atan2" => self.algebraic(name, values),
            "dot" | "cross" | "mag" | "dir" | "unit" | "angle" | "unwrapped_angle" | "components"
            | "dot_plane" => {
                let value = self.vectorial(name, values, within, env)?;
                if let (Value::Scalar(s), "angle", 3) = (&value, name, call.arguments.len()) {
                    self.principal.push((s.expr, call.span));
                }
                Some(value)
            }
            "position" => {
                let first = self.point_argument(&values[0])?;
                let (from, to) = match second {
                    Some(second) => (first, self.point_argument(second)?),
                    None => (self.space().origin(self.space().newtonian()), first),
                };
                Some(Value::vector(self.space().position(&from, &to), Dimension::LENGTH))
            }
            "velocity" | "acceleration" => {
                self.moving(call.span)?;
                let p = self.point_argument(&values[0])?;
                let within = match second {
                    Some(second) => Some(self.frame_argument(second)?),
                    None => within,
                };
                if name == "acceleration" {
                    return Some(Value::vector(self.space().acceleration(&p), Dimension::ACCELERATION));
                }
                let v = match within {
                    Some(frame) => self.space().velocity_in(&p, frame),
                    None => self.space().velocity(&p),
                };
                Some(Value::vector(v, Dimension::VELOCITY))
            }
            "omega" | "alpha" => {
                self.moving(call.span)?;
                let frame = self.frame_argument(&values[0])?;
                let within = match second {
                    Some(second) => Some(self.frame_argument(second)?),
                    None => within,
                };
                if name == "alpha" {
                    return Some(Value::vector(self.space().alpha(frame), Dimension::ANGULAR_ACCELERATION));
                }
                let w = match within {
                    Some(reference) => self.space().w_in(frame, reference),
                    None => self.space().w(frame),
                };
                Some(Value::vector(w, Dimension::ANGULAR_VELOCITY))
            }
            "der" => {
                self.derivable(values.first()?)?;
                self.rate(values, within, call.span)
            }
            "partial" => self.partial(values),
            _ if introspection::NAMES.contains(&name) => self.look_at(name, &values),
            _ => {
                let (value, span) = values.into_iter().next()?;
                let s = self.plain(value, span)?;
                if matches!(name, "sin" | "cos" | "tan") {
                    self.bare_turn(
                        &s,
                        span,
                        format!("`{name}` takes radians, and this is {}", self.text(span)),
                    );
                    self.turns_of_argument(name, &s, span);
                }
                Some(self.elementary(name, &s))
            }
        }
    }

    fn elementary(&self, name: &str, s: &Scalar) -> Value {
        let pool = self.pool();
        let (function, dimension) = match name {
            "log10" => {
                let ten = pool.call(Function::Ln, &[pool.int(10)]);
                let expr = pool.div(pool.call(Function::Ln, &[s.expr]), ten);
                return Value::Scalar(Scalar::new(expr, Dimension::ONE, s.bare));
            }
            "asin" => (Function::Asin, Dimension::ANGLE),
            "acos" => (Function::Acos, Dimension::ANGLE),
            "atan" => (Function::Atan, Dimension::ANGLE),
            // Every other name of the table is a function of the algebra.
            other => (Function::named(other).map_or(Function::Abs, |(f, _)| f), Dimension::ONE),
        };
        Value::Scalar(Scalar::new(pool.call(function, &[s.expr]), dimension, s.bare))
    }

    fn algebraic(&mut self, name: &str, values: Vec<(Value, Span)>) -> Option<Value> {
        let mut scalars = vec![];
        for given in &values {
            scalars.push((self.number_argument(given)?, given.1));
        }
        let (dimension, bare) = self.agree(&scalars, "compared")?;
        let pool = self.pool();
        let x: Vec<Expr> = scalars.iter().map(|(s, _)| s.expr).collect();
        let fold = |f: Function| x[1..].iter().fold(x[0], |a, b| pool.call(f, &[a, *b]));
        let (expr, dimension) = match name {
            "abs" => (pool.call(Function::Abs, &x), dimension),
            "sign" => (pool.call(Function::Sign, &x), Dimension::ONE),
            "sqrt" => (pool.sqrt(x[0]), dimension.sqrt()),
            "min" => (fold(Function::Min), dimension),
            "max" => (fold(Function::Max), dimension),
            "mod" => {
                let turns = pool.call(Function::Floor, &[pool.div(x[0], x[1])]);
                (pool.sub(x[0], pool.mul(x[1], turns)), dimension)
            }
            _ => (pool.call(Function::Atan2, &x), Dimension::ANGLE),
        };
        let written = match name {
            "sqrt" => angle_units::of_power(&scalars[0].0, &Rational::Small(1, 2), &dimension),
            _ => angle_units::Written::Nothing,
        };
        Some(Value::Scalar(Scalar { expr, dimension, bare, written }))
    }

    fn vectorial(
        &mut self,
        name: &str,
        values: Vec<(Value, Span)>,
        within: Option<FrameId>,
        env: &Env<'t>,
    ) -> Option<Value> {
        let mut arrows = vec![];
        let mut frame = within;
        for (k, (value, span)) in values.into_iter().enumerate() {
            match value {
                Value::Frame(f) if name == "components" && k == 1 => frame = Some(f),
                value => arrows.push((self.as_arrow(value, span, env)?, span)),
            }
        }
        let (a, span) = arrows.first()?.clone();
        let vanishes = a.vector.is_zero() && matches!(name, "dir" | "unit");
        if vanishes {
            self.error(
                codes::UNDEFINED,
                "the zero vector has no direction",
                span,
                "use a vector that is not zero",
            );
            return None;
        }
        let b = arrows.get(1).map(|(b, _)| b.clone());
        if let ("unwrapped_angle", Some(b), Some((n, _))) = (name, &b, arrows.get(2)) {
            let n = n.vector.clone();
            return Some(Value::quantity(self.unwrapped_angle(&a.vector, &b.vector, &n), Dimension::ANGLE));
        }
        let space = self.space();
        Some(match (name, b) {
            ("dot", Some(b)) if a.vector == b.vector => {
                Value::quantity(space.square(&a.vector), a.dimension * b.dimension)
            }
            ("dot", Some(b)) => Value::quantity(space.dot(&a.vector, &b.vector), a.dimension * b.dimension),
            ("cross", Some(b)) => Value::vector(space.cross(&a.vector, &b.vector), a.dimension * b.dimension),
            ("angle", Some(b)) => {
                let about = arrows.get(2).map(|(n, _)| &n.vector);
                Value::quantity(space.angle(&a.vector, &b.vector, about), Dimension::ANGLE)
            }
            ("dot_plane", Some(n)) => Value::vector(space.dot_plane(&a.vector, &n.vector), a.dimension),
            ("mag", _) => Value::quantity(space.magnitude(&a.vector), a.dimension),
            ("components", _) => {
                let frame = frame.unwrap_or(space.newtonian());
                let parts = space.components(&a.vector, frame);
                Value::Tuple(parts.into_iter().map(|e| (Value::quantity(e, a.dimension), span)).collect())
            }
            _ => Value::vector(space.direction(&a.vector), Dimension::ONE),
        })
    }

    /// `der(x)`: the time derivative of a number, or of a vector in a frame.
    fn rate(&mut self, values: Vec<(Value, Span)>, within: Option<FrameId>, span: Span) -> Option<Value> {
        let within = match values.get(1) {
            Some(second) => Some(self.frame_argument(second)?),
            None => within,
        };
        let (value, place) = values.into_iter().next()?;
        match value {
            Value::Scalar(s) => {
                if self.phase == Phase::Structure && !self.pool().depends(s.expr).is_constant() {
                    self.too_early(span);
                    return None;
                }
                Some(Value::quantity(self.space().dt(s.expr), s.dimension / Dimension::TIME))
            }
            Value::Vector(a) => {
                self.moving(span)?;
                let rate = match within {
                    Some(frame) => self.space().dt_vector_in(&a.vector, frame),
                    None => self.space().dt_vector(&a.vector),
                };
                Some(Value::vector(rate, a.dimension / Dimension::TIME))
            }
            other => {
                self.wrong_kind(&other, place, "a number");
                None
            }
        }
    }

    /// Refuses to differentiate what is too large.
    fn derivable(&mut self, (value, span): &(Value, Span)) -> Option<()> {
        let parts: Vec<Expr> = match value {
            Value::Scalar(s) => vec![s.expr],
            Value::Vector(a) => a.vector.terms().iter().map(|(_, e)| *e).collect(),
            _ => return Some(()),
        };
        if self.pool().reachable(parts).len() <= resource_limits::DERIVED {
            return Some(());
        }
        let help =
            "give `der` and `partial` a shorter expression: not a derivative of a derivative of a derivative";
        self.error(codes::TOO_LARGE, "this expression is too large to be differentiated", *span, help);
        None
    }

    fn partial(&mut self, values: Vec<(Value, Span)>) -> Option<Value> {
        self.derivable(&values[0])?;
        let by = self.number_argument(&values[1])?;
        if self.pool().as_symbol(by.expr).is_none() || self.pool().definition(by.expr).is_some() {
            let help = "differentiate by a coordinate, a speed, a state, a parameter or time";
            self.error(codes::KIND, "this is not a single letter", values[1].1, help);
            return None;
        }
        let pool = self.pool();
        let mut derivation = Derivation::partial(pool, by.expr);
        match &values[0].0 {
            Value::Scalar(s) => {
                Some(Value::quantity(derivation.apply(pool, s.expr), s.dimension / by.dimension))
            }
            Value::Vector(a) => Some(Value::vector(
                self.space().partial(&a.vector, &mut derivation),
                a.dimension / by.dimension,
            )),
            other => {
                let other = other.clone();
                self.wrong_kind(&other, values[0].1, "a number");
                None
            }
        }
    }
}
