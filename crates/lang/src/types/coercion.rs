//! Values of the kind that a place needs: numbers, vectors, points, frames, constants.

use cardan_base::{Diagnostic, Span};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_model::Parameter;
use cardan_syntax as syntax;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::types::value::{Arrow, Scalar, Value};

impl<'t> Resolver<'t> {
    /// Evaluates a number of the given dimension.
    pub fn scalar(
        &mut self,
        e: &syntax::Expr,
        dimension: Dimension,
        what: &str,
        env: &Env<'t>,
    ) -> Option<Expr> {
        self.want(e, dimension, env);
        let value = self.evaluate(e, env);
        self.wanted = None;
        match value? {
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
        self.want(e, dimension, env);
        let value = self.evaluate(e, env);
        self.wanted = None;
        let arrow = self.as_arrow(value?, e.span, env)?;
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
                    let ground = self.space().frame(self.space().newtonian()).name.clone();
                    let help = if text.starts_with('(') {
                        format!("say in which frame: `{ground}{text}`")
                    } else {
                        format!("use the vector itself, or say in which frame: `{ground}(1, 0, 0)`")
                    };
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
            let text = self.text(span);
            let comma = text
                .as_bytes()
                .windows(3)
                .any(|w| w[0].is_ascii_digit() && w[1] == b',' && w[2].is_ascii_digit() && parts.len() > n);
            let help = match comma {
                true => "a point separates decimals: `0.5`; components are separated by commas",
                false => "write as many values in brackets, separated by commas",
            };
            self.error(codes::KIND, message, span, help);
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

    /// Says that another kind of value is needed.
    pub fn wrong_kind(&mut self, found: &Value, span: Span, needed: &str) {
        let d = Diagnostic::error(codes::KIND, format!("this is {}, and {needed} is needed", found.kind()));
        let d = d.at(span, "");
        let text = self.text(span);
        let ground = self.ground();
        let help = match (found, needed) {
            (Value::Scalar(_), "a vector") => {
                // A sum is one factor only in brackets.
                let is_sum = [" + ", " - "].iter().any(|sign| text.contains(sign)) && !text.starts_with('(');
                let text = if is_sum { format!("({text})") } else { text };
                format!("multiply it by a direction: `{text} * {ground}.z`")
            }
            (Value::Vector(_), "a number") => {
                format!("take a component: `dot({text}, {ground}.x)`, or its size: `mag({text})`")
            }
            (Value::Frame(_), "a vector") => format!("name a direction of it: `{text}.x`"),
            (Value::Point(_), "a vector") => format!("write `position({ground}.o, {text})`"),
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

    /// Evaluates a place. A body stands for its origin; tuples and vectors are components from the origin of the
    /// frame of the place.
    pub fn point(&mut self, e: &syntax::Expr, env: &Env<'t>, name: &str) -> Option<Point> {
        match self.evaluate(e, env)? {
            Value::Point(point) => Some(point),
            Value::Frame(frame) => Some(self.space().origin(frame)),
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
        let pool = self.pool();
        let of_input = |p: &Parameter| pool.as_symbol(p.symbol).is_some_and(|s| pool.contains(expr, s));
        let input = self.builder.model().inputs().find(|(_, p)| of_input(p)).map(|(_, p)| p.quantity.clone());
        let d = match input {
            Some(q) => {
                let d = d.because(format!("`{}` is an input, which may change at every instant", q.name));
                d.hint(format!("declare it as `parameter {} = 1 [{}]`", q.name, q.dimension))
            }
            None => {
                let d = d.because("it depends on time, on the configuration or on a velocity");
                d.hint("use numbers and parameters only")
            }
        };
        self.report(d);
        None
    }
}
