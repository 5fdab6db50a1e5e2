//! Checks of dimension, and dimensions in words.

use cardan_base::{Diagnostic, Span};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_syntax::{self as syntax, ChainOp, ExprKind};
use cardan_units::{Dimension, probably_meant};

use crate::codes;
use crate::resolver::{Env, Resolver};
use crate::value::{Arrow, Scalar, Value};

/// Dimensions that have a name.
#[rustfmt::skip]
const NOUNS: &[(Dimension, &str)] = &[
    (Dimension::LENGTH, "a length"), (Dimension::MASS, "a mass"), (Dimension::TIME, "a time"),
    (Dimension::ANGLE, "an angle"), (Dimension::ONE, "a plain number"),
    (Dimension::VELOCITY, "a velocity"), (Dimension::ACCELERATION, "an acceleration"),
    (Dimension::ANGULAR_VELOCITY, "an angular velocity"), (Dimension::ANGULAR_ACCELERATION, "an angular acceleration"),
    (Dimension::FREQUENCY, "a frequency"), (Dimension::FORCE, "a force"), (Dimension::TORQUE, "a torque"),
    (Dimension::ENERGY, "an energy"), (Dimension::POWER, "a power"), (Dimension::INERTIA, "a moment of inertia"),
    (Dimension::STIFFNESS, "a stiffness"), (Dimension::DAMPING, "a damping constant"),
    (Dimension::ANGULAR_STIFFNESS, "a torsional stiffness"), (Dimension::ANGULAR_DAMPING, "a torsional damping constant"),
    (Dimension::MOMENTUM, "a momentum"), (Dimension::ANGULAR_MOMENTUM, "an angular momentum"),
    (Dimension::AREA, "an area"), (Dimension::VOLUME, "a volume"), (Dimension::PRESSURE, "a pressure"),
    (Dimension::CURRENT, "a current"), (Dimension::TEMPERATURE, "a temperature"),
];

/// A dimension in words.
pub fn noun(dimension: &Dimension) -> Option<&'static str> {
    let exact = NOUNS.iter().find(|(d, _)| d == dimension);
    exact.or_else(|| NOUNS.iter().find(|(d, _)| d.compatible(dimension))).map(|(_, noun)| *noun)
}

impl<'t> Resolver<'t> {
    /// Remembers that a bare number took its unit from its place; refuses it under `strict units`.
    pub fn adopt(&mut self, span: Span, dimension: &Dimension) -> Option<()> {
        let unit = dimension.to_string();
        if self.strict {
            let text = self.text(span);
            let d = Diagnostic::error(codes::BARE, "this number has no unit");
            let d = d.at(span, format!("expected [{unit}]")).because("the text says `strict units`");
            self.report(d.hint(format!("write `{text} [{unit}]`")));
            return None;
        }
        match &mut self.bare {
            Some((_, _, n)) => *n += 1,
            None => self.bare = Some((span, unit, 1)),
        }
        Some(())
    }

    /// The number, if it has the dimension. `what` begins the message: "this torque".
    pub fn expect(
        &mut self,
        s: &Scalar,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Expr> {
        if s.bare && !s.dimension.compatible(&dimension) {
            if !self.pool().is_zero(s.expr) {
                self.adopt(e.span, &dimension)?;
            }
            return Some(s.expr);
        }
        if s.dimension.compatible(&dimension) {
            return Some(s.expr);
        }
        self.wrong_dimension(&s.dimension, e, dimension, what, env);
        None
    }

    /// The vector, if it has the dimension.
    pub fn expect_arrow(
        &mut self,
        a: &Arrow,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Vector> {
        if a.dimension.compatible(&dimension) || a.vector.is_zero() {
            return Some(a.vector.clone());
        }
        if a.bare {
            self.adopt(e.span, &dimension)?;
            return Some(a.vector.clone());
        }
        self.wrong_dimension(&a.dimension, e, dimension, what, env);
        None
    }

    fn wrong_dimension(
        &mut self,
        found: &Dimension,
        e: &syntax::Expr,
        expected: Dimension,
        what: &str,
        env: &Env<'t>,
    ) {
        let message = match noun(found) {
            Some(noun) if noun == "a plain number" => format!("{what} has no dimension"),
            Some(noun) => format!("{what} has the dimension of {noun}"),
            None => format!("{what} has the wrong dimension"),
        };
        let d = Diagnostic::error(codes::DIMENSION, message);
        let d = d.at(e.span, format!("[{found}], expected [{expected}]"));
        let help = self.dimension_help(found, e, &expected, env);
        self.report(d.hint(help));
    }

    /// A factor whose removal mends the dimension, a unit that was meant, or what is missing.
    fn dimension_help(
        &mut self,
        found: &Dimension,
        e: &syntax::Expr,
        expected: &Dimension,
        env: &Env<'t>,
    ) -> String {
        if let ExprKind::Quantity { unit, .. } = &e.kind {
            if let Some(meant) = probably_meant(&unit.text, expected) {
                return format!("write `[{meant}]`");
            }
        }
        if let ExprKind::Chain { rest, .. } = &e.kind {
            for (op, operand) in rest.iter().take(20) {
                let (value, _) = self.quietly(|r| r.evaluate(operand, env));
                let Some(Value::Scalar(s)) = value else { continue };
                let without = match op {
                    ChainOp::Multiply => *found / s.dimension,
                    ChainOp::Divide => *found * s.dimension,
                    _ => continue,
                };
                if without.compatible(expected) && !s.dimension.is_dimensionless() {
                    let text = self.text(operand.span);
                    let made = noun(found).map_or(format!("[{found}]"), str::to_owned);
                    let how = if *op == ChainOp::Divide { "dividing" } else { "multiplying" };
                    return format!(
                        "{text} is [{}]; {how} by it makes {made}. Remove `{} {text}`",
                        s.dimension,
                        op.symbol()
                    );
                }
            }
        }
        let missing = *expected / *found;
        if found.is_dimensionless() {
            let text = self.text(e.span);
            return match e.kind {
                ExprKind::Name(_) => {
                    format!("give it its unit where it is declared: `{text} = 1 [{expected}]`")
                }
                _ => format!("a factor in [{expected}] is missing"),
            };
        }
        format!("a factor in [{missing}] is missing, or a factor too many")
    }

    /// Evaluates a number of the given dimension.
    pub fn scalar(
        &mut self,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Expr> {
        match self.evaluate(e, env)? {
            Value::Scalar(s) => self.expect(&s, e, dimension, what, env),
            other => {
                self.wrong_kind(&other, e.span, "a number");
                None
            }
        }
    }

    /// Evaluates a number of any dimension.
    pub fn any_scalar(&mut self, e: &syntax::Expr, env: &Env<'t>) -> Option<Scalar> {
        match self.evaluate(e, env)? {
            Value::Scalar(s) => Some(s),
            other => {
                self.wrong_kind(&other, e.span, "a number");
                None
            }
        }
    }

    /// Evaluates a vector of the given dimension.
    pub fn vector(
        &mut self,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Vector> {
        let value = self.evaluate(e, env)?;
        let arrow = self.as_arrow(value, e.span, env)?;
        self.expect_arrow(&arrow, e, dimension, what, env)
    }

    /// A value as a vector: tuples are components in the frame of the place.
    pub fn as_arrow(&mut self, value: Value, span: Span, env: &Env<'t>) -> Option<Arrow> {
        match value {
            Value::Vector(arrow) => Some(arrow),
            Value::Scalar(s) if s.bare && self.pool().is_zero(s.expr) => {
                Some(Arrow { vector: Vector::ZERO, dimension: Dimension::ONE, bare: true, frame: None })
            }
            Value::Tuple(parts) => {
                let (components, dimension, bare) = self.components(parts, 3, span)?;
                let Some(frame) = env.frame else {
                    let text = self.text(span);
                    let help = format!(
                        "say in which frame: `{}{text}`",
                        self.space().frame(self.space().newtonian()).name
                    );
                    self.error(codes::FRAME, "the frame of these components is not known here", span, help);
                    return None;
                };
                let vector = self.space().vector(frame, [components[0], components[1], components[2]]);
                Some(Arrow { vector, dimension, bare, frame: Some(frame) })
            }
            other => {
                self.wrong_kind(&other, span, "a vector");
                None
            }
        }
    }

    /// Entries of a tuple as numbers of one dimension.
    pub fn components(
        &mut self,
        parts: Vec<(Value, Span)>,
        n: usize,
        span: Span,
    ) -> Option<(Vec<Expr>, Dimension, bool)> {
        if parts.len() != n {
            let message = format!("{n} components are needed, and {} are given", parts.len());
            self.error(codes::KIND, message, span, "write as many values in brackets, separated by commas");
            return None;
        }
        let mut scalars = vec![];
        for (value, place) in parts {
            match value {
                Value::Scalar(s) => scalars.push((s, place)),
                other => {
                    self.wrong_kind(&other, place, "a number");
                    return None;
                }
            }
        }
        let (dimension, bare) = self.agree(&scalars, "components of one vector")?;
        Some((scalars.into_iter().map(|(s, _)| s.expr).collect(), dimension, bare))
    }

    /// The common dimension of numbers that are added, compared or chosen between.
    pub fn agree(&mut self, scalars: &[(Scalar, Span)], what: &str) -> Option<(Dimension, bool)> {
        let places: Vec<_> = scalars
            .iter()
            .map(|(s, span)| (s.dimension, s.bare, self.pool().is_zero(s.expr), *span))
            .collect();
        self.agree_on(&places, what)
    }

    /// As [`agree`](Self::agree), from dimension, bareness, vanishing and place of each.
    pub fn agree_on(
        &mut self,
        parts: &[(Dimension, bool, bool, Span)],
        what: &str,
    ) -> Option<(Dimension, bool)> {
        let Some((first, _, _, first_span)) = parts
            .iter()
            .find(|(_, bare, zero, _)| !bare && !zero)
            .or_else(|| parts.iter().find(|(_, bare, _, _)| !bare))
        else {
            return Some((Dimension::ONE, true));
        };
        let mut dimension = *first;
        for (d, bare, zero, span) in parts {
            if d.compatible(&dimension) {
                dimension = dimension.join(*d).unwrap_or(dimension);
            } else if *bare {
                if !zero {
                    self.adopt(*span, &dimension)?;
                }
            } else {
                let message = match (noun(first), noun(d)) {
                    (Some(a), Some(b)) => format!("{a} and {b} cannot be {what}"),
                    _ => format!("quantities of different dimension cannot be {what}"),
                };
                let diagnostic =
                    Diagnostic::error(codes::MIXED_DIMENSIONS, message).at(*span, format!("[{d}]"));
                let diagnostic = diagnostic.also(*first_span, format!("[{first}]"));
                let help = format!("a factor in [{}] is missing in one of them", *first / *d);
                self.report(diagnostic.hint(help));
                return None;
            }
        }
        Some((dimension, false))
    }

    /// Says that another kind of value is needed.
    pub fn wrong_kind(&mut self, found: &Value, span: Span, needed: &str) {
        let d = Diagnostic::error(codes::KIND, format!("this is {}, and {needed} is needed", found.kind()));
        let d = d.at(span, "");
        let text = self.text(span);
        let help = match (found, needed) {
            (Value::Scalar(_), "a vector") => format!("multiply it by a direction: `{text} * N.z`"),
            (Value::Vector(_), "a number") => {
                format!("take a component: `dot({text}, N.x)`, or its size: `mag({text})`")
            }
            (Value::Frame(_), "a point") => format!("name a point of it: `{text}.cm` or `{text}.o`"),
            (Value::Frame(_), "a vector") => format!("name a direction of it: `{text}.x`"),
            (Value::Point(_), "a vector") => format!("write `position(N.o, {text})`"),
            (Value::Vector(_), "a point") => "write it as components of a frame: `B(1, 0, 0) [m]`".to_owned(),
            (Value::Point(p), "a body or frame") => {
                let frame = self.space().frame(p.frame).name.clone();
                format!("write `{frame}`")
            }
            (Value::Tuple(_), "a number") => "write one value".to_owned(),
            (_, "true or false") => "write a comparison, such as `x > 0 [m]`".to_owned(),
            _ => format!("write {needed}"),
        };
        self.report(d.hint(help));
    }

    /// Evaluates a place. Tuples and vectors are components from the origin of the frame of the place.
    pub fn point(&mut self, e: &syntax::Expr, env: &Env<'t>, name: &str) -> Option<Point> {
        match self.evaluate(e, env)? {
            Value::Point(point) => Some(point),
            value @ (Value::Tuple(_) | Value::Vector(_)) => {
                let arrow = self.as_arrow(value, e.span, env)?;
                let vector = self.expect_arrow(&arrow, e, Dimension::LENGTH, "this place", env)?;
                let Some(frame) = arrow.frame.or(env.frame) else {
                    self.wrong_kind(&Value::Vector(arrow), e.span, "a point");
                    return None;
                };
                let coordinates = self.space().components(&vector, frame);
                Some(Point { name: name.to_owned(), frame, coordinates })
            }
            other => {
                self.wrong_kind(&other, e.span, "a point");
                None
            }
        }
    }

    /// Evaluates a body or frame.
    pub fn frame(&mut self, e: &syntax::Expr, env: &Env<'t>) -> Option<FrameId> {
        match self.evaluate(e, env)? {
            Value::Frame(frame) => Some(frame),
            other => {
                self.wrong_kind(&other, e.span, "a body or frame");
                None
            }
        }
    }

    /// Refuses a value that is not fixed during a motion.
    pub fn constant(&mut self, expr: Expr, span: Span, what: &str) -> Option<Expr> {
        if self.pool().depends(expr).is_constant() {
            return Some(expr);
        }
        let d = Diagnostic::error(codes::VARIES, format!("{what} must not vary")).at(span, "");
        let d = d.because("it depends on time, on the configuration or on a velocity");
        self.report(d.hint("use numbers and parameters only"));
        None
    }

    /// Refuses a value that contains accelerations.
    pub fn without_accelerations(&mut self, exprs: &[Expr], span: Span, what: &str) -> Option<()> {
        let unknowns = cardan_expr::Depends::UNKNOWNS;
        if !exprs.iter().any(|e| self.pool().depends_on(*e, unknowns)) {
            return Some(());
        }
        let d = Diagnostic::error(codes::VARIES, format!("{what} depends on an acceleration")).at(span, "");
        let d = d.because("accelerations follow from the loads, so a load cannot be computed from them");
        self.report(d.hint("use positions, velocities, states and time"));
        None
    }
}
