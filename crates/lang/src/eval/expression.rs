//! Evaluation of expressions: numbers stay exact, dimensions are checked at every step.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Function, Rational};
use cardan_kinematics::Vector;
use cardan_syntax::{self as syntax, ChainOp, ExprKind, UnaryOp};
use cardan_units::{Dimension, Exponent};

use crate::context::{Env, Resolver};
use crate::types::angle_units;
use crate::types::value::{Arrow, Scalar, Value};
use crate::{codes, resource_limits};

impl<'t> Resolver<'t> {
    /// The value of an expression; nothing if a finding says why.
    pub fn evaluate(&mut self, e: &syntax::Expr, env: &Env<'t>) -> Option<Value> {
        self.step(e.span)?;
        if self.nesting >= resource_limits::NESTING {
            let help = "name parts of the expressions as variables";
            self.error(codes::TOO_LARGE, "expressions and functions are nested too deeply", e.span, help);
            return None;
        }
        self.nesting += 1;
        let value = self.evaluate_form(e, env);
        self.nesting -= 1;
        value
    }

    fn evaluate_form(&mut self, e: &syntax::Expr, env: &Env<'t>) -> Option<Value> {
        match &e.kind {
            ExprKind::Number(text) => self.number(text, e.span),
            ExprKind::Text(text) => Some(Value::Text(text.clone())),
            ExprKind::Name(path) => self.path(path, env),
            ExprKind::Call(call) => self.call(call, env),
            ExprKind::Tuple(parts) => {
                self.bounded(parts.len(), e.span)?;
                let values: Vec<_> =
                    parts.iter().map(|p| self.evaluate(p, env).map(|v| (v, p.span))).collect();
                Some(Value::Tuple(values.into_iter().collect::<Option<_>>()?))
            }
            ExprKind::Quantity { value, unit } => {
                let value = self.evaluate(value, env);
                let unit = self.unit(unit);
                let (value, unit) = (value?, unit?);
                let factor = self.factor(unit.scale());
                let value = self.with_unit(value, factor, unit.dimension(), e.span)?;
                Some(match value {
                    Value::Scalar(s) => Value::Scalar(s.written_in(Some(&unit))),
                    other => other,
                })
            }
            ExprKind::Unary { op, operand } => {
                let value = self.evaluate(operand, env)?;
                self.unary(*op, value, operand.span)
            }
            ExprKind::Chain { first, rest } => self.chain(first, rest, e.span, env),
            ExprKind::Power { base, exponent } => {
                let (base_value, exponent_value) = (self.evaluate(base, env), self.evaluate(exponent, env));
                match (base_value?, exponent_value?) {
                    (Value::Scalar(b), Value::Scalar(x)) => {
                        self.power(&b, &x, base.span, exponent.span, e.span)
                    }
                    (Value::Scalar(_), other) => {
                        self.wrong_kind(&other, exponent.span, "a number");
                        None
                    }
                    (other, _) => {
                        self.wrong_kind(&other, base.span, "a number");
                        None
                    }
                }
            }
            ExprKind::Compare { op, left, right } => {
                let (a, b) = (self.evaluate(left, env), self.evaluate(right, env));
                let a = self.need_scalar(a?, left.span)?;
                let b = self.need_scalar(b?, right.span)?;
                self.agree(&[(a.clone(), left.span), (b.clone(), right.span)], "compared")?;
                Some(Value::Boolean(self.compare(*op, a.expr, b.expr)))
            }
            ExprKind::If { arms, otherwise } => self.choose(arms, otherwise, e.span, env),
            ExprKind::Range { .. } => {
                self.error(codes::KIND, "a range has no value", e.span, "write one value");
                None
            }
            ExprKind::Part { of, name } => self.part(of, name, env),
            ExprKind::Sum { .. } => {
                self.not_flat(e.span);
                None
            }
            ExprKind::Missing => None,
        }
    }

    pub fn bounded(&mut self, n: usize, span: Span) -> Option<()> {
        if n <= resource_limits::TERMS {
            return Some(());
        }
        let message = format!("this has {n} parts; {} are allowed", resource_limits::TERMS);
        self.error(codes::TOO_LARGE, message, span, "name parts of it as variables, or use a table");
        None
    }

    fn number(&mut self, text: &str, span: Span) -> Option<Value> {
        // A number that is exact here and none in binary would become infinite, or vanish, without
        // a word.
        let in_binary = |r: &Rational| r.to_f64().is_finite() && (r.to_f64() != 0.0 || r.is_zero());
        match Rational::from_decimal(text).filter(in_binary) {
            Some(r) => Some(self.bare(self.pool().number(r))),
            None => {
                self.error(
                    codes::TOO_LARGE,
                    "this number is too long, too large or too small",
                    span,
                    "write a number between 1e-300 and 1e300",
                );
                None
            }
        }
    }

    fn bare(&self, expr: Expr) -> Value {
        Value::Scalar(Scalar::new(expr, Dimension::ONE, true))
    }

    /// A value times a unit.
    fn with_unit(&mut self, value: Value, factor: Expr, dimension: Dimension, span: Span) -> Option<Value> {
        let times = |r: &Self, e: Expr| r.pool().mul(factor, e);
        match value {
            Value::Scalar(s) => Some(Value::quantity(times(self, s.expr), s.dimension * dimension)),
            Value::Vector(a) => Some(Value::Vector(Arrow {
                vector: a.vector.scale(self.pool(), factor),
                dimension: a.dimension * dimension,
                bare: false,
                frame: a.frame,
            })),
            Value::Tuple(parts) => {
                let with = |r: &mut Self, (v, place): (Value, Span)| {
                    Some((r.with_unit(v, factor, dimension, place)?, place))
                };
                let parts: Option<Vec<_>> = parts.into_iter().map(|p| with(self, p)).collect();
                Some(Value::Tuple(parts?))
            }
            other => {
                self.wrong_kind(&other, span, "a number");
                None
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, value: Value, span: Span) -> Option<Value> {
        match (op, value) {
            (UnaryOp::Not, Value::Boolean(b)) => Some(Value::Boolean(self.pool().call(Function::Not, &[b]))),
            (UnaryOp::Not, other) => {
                self.wrong_kind(&other, span, "true or false");
                None
            }
            (UnaryOp::Plus, value @ (Value::Scalar(_) | Value::Vector(_) | Value::Tuple(_))) => Some(value),
            (UnaryOp::Minus, Value::Scalar(s)) => {
                Some(Value::Scalar(Scalar { expr: self.pool().neg(s.expr), ..s }))
            }
            (UnaryOp::Minus, Value::Vector(a)) => {
                Some(Value::Vector(Arrow { vector: a.vector.neg(self.pool()), ..a }))
            }
            (UnaryOp::Minus, Value::Tuple(parts)) => {
                let negate = |r: &mut Self, (v, place): (Value, Span)| Some((r.unary(op, v, place)?, place));
                let parts: Option<Vec<_>> = parts.into_iter().map(|p| negate(self, p)).collect();
                Some(Value::Tuple(parts?))
            }
            (_, other) => {
                self.wrong_kind(&other, span, "a number");
                None
            }
        }
    }

    pub fn need_scalar(&mut self, value: Value, span: Span) -> Option<Scalar> {
        match value {
            Value::Scalar(s) => Some(s),
            other => {
                self.wrong_kind(&other, span, "a number");
                None
            }
        }
    }

    /// `a + b - c`, `a * b / c`, `a and b`: all operators of one rank.
    fn chain(
        &mut self,
        first: &syntax::Expr,
        rest: &[(ChainOp, syntax::Expr)],
        span: Span,
        env: &Env<'t>,
    ) -> Option<Value> {
        self.bounded(rest.len() + 1, span)?;
        let mut values = vec![self.evaluate(first, env).map(|v| (ChainOp::Add, v, first.span))];
        values.extend(rest.iter().map(|(op, e)| self.evaluate(e, env).map(|v| (*op, v, e.span))));
        let values: Vec<(ChainOp, Value, Span)> = values.into_iter().collect::<Option<_>>()?;
        self.unit_of_divisor(first, rest, span);
        match rest.first().map(|(op, _)| *op) {
            Some(ChainOp::Multiply | ChainOp::Divide) => self.multiply(values, span, env),
            Some(ChainOp::And | ChainOp::Or) => self.logic(values),
            _ => self.add(values, env),
        }
    }

    /// Warns of `1/2 [m]`, which is one divided by two metres.
    fn unit_of_divisor(&mut self, first: &syntax::Expr, rest: &[(ChainOp, syntax::Expr)], span: Span) {
        let [(ChainOp::Divide, divisor)] = rest else { return };
        let (ExprKind::Number(a), ExprKind::Quantity { value, unit }) = (&first.kind, &divisor.kind) else {
            return;
        };
        let ExprKind::Number(b) = &value.kind else { return };
        if self.text(divisor.span).starts_with('(') || self.text(span).starts_with('(') {
            return;
        }
        let d = Diagnostic::warning(codes::DIVISOR_UNIT, "this unit belongs to the divisor alone");
        let d = d.at(span, format!("{a} divided by {b} [{}]", unit.text));
        self.report(d.hint(format!("write `({a}/{b}) [{0}]` or `{a}/({b} [{0}])`", unit.text)));
    }

    fn add(&mut self, values: Vec<(ChainOp, Value, Span)>, env: &Env<'t>) -> Option<Value> {
        if values.iter().all(|(_, v, _)| matches!(v, Value::Scalar(_))) {
            let mut terms = vec![];
            let mut scalars = vec![];
            for (op, value, span) in values {
                let s = self.need_scalar(value, span)?;
                terms.push(if op == ChainOp::Subtract { self.pool().neg(s.expr) } else { s.expr });
                scalars.push((s, span));
            }
            let (dimension, bare) = self.agree(&scalars, "added")?;
            let expr = self.pool().sum(terms);
            let expr = self.sound(expr, scalars.first().map(|(_, s)| *s)?)?;
            let written = angle_units::of_sum(&scalars);
            return Some(Value::Scalar(Scalar { expr, dimension, bare, written }));
        }
        if let Some(columns) = columns(&values) {
            let sums = columns.into_iter().map(|(column, span)| Some((self.add(column, env)?, span)));
            return Some(Value::Tuple(sums.collect::<Option<_>>()?));
        }
        let arm = values.iter().map(|(_, _, span)| self.text(*span)).find(|t| t.starts_with("position("));
        let mut vector = Vector::ZERO;
        let mut parts = vec![];
        for (op, value, span) in values {
            if matches!(value, Value::Scalar(ref s) if !(s.bare && self.pool().is_zero(s.expr))) {
                let d = Diagnostic::error(codes::KIND, "a number and a vector cannot be added")
                    .at(span, "this is a number");
                let direction = match &arm {
                    Some(arm) => format!("dir({arm})"),
                    None => format!("{}.z", self.ground()),
                };
                let help = format!("multiply it by a direction: `{} * {direction}`", self.text(span));
                self.report(d.hint(help));
                return None;
            }
            let arrow = self.as_arrow(value, span, env)?;
            let pool = self.pool();
            vector = match op {
                ChainOp::Subtract => vector.sub(pool, &arrow.vector),
                _ => vector.add(pool, &arrow.vector),
            };
            parts.push((arrow.dimension, arrow.bare, arrow.vector.is_zero(), span));
        }
        let (dimension, bare) = self.agree_on(&parts, "added")?;
        Some(Value::Vector(Arrow { vector, dimension, bare, frame: None }))
    }

    fn multiply(&mut self, values: Vec<(ChainOp, Value, Span)>, span: Span, env: &Env<'t>) -> Option<Value> {
        let mut product = self.pool().one();
        let mut dimension = Dimension::ONE;
        let mut bare = true;
        let mut factors = angle_units::Factors::default();
        let mut dimensions = vec![];
        let mut direction: Option<(Value, Span)> = None;
        for (op, value, place) in values {
            match value {
                Value::Scalar(s) => {
                    let divides = op == ChainOp::Divide;
                    let pool = self.pool();
                    product = if divides { pool.div(product, s.expr) } else { pool.mul(product, s.expr) };
                    dimension = if divides { dimension / s.dimension } else { dimension * s.dimension };
                    bare &= s.bare;
                    dimensions.push(s.dimension);
                    self.add_factor(&mut factors, &s, divides);
                    if self.pool().is_undefined(product) {
                        let text = self.text(place);
                        let message = format!("`{text}` is zero, and this divides by it");
                        self.error(codes::UNDEFINED, message, place, "divide by something that is not zero");
                        return None;
                    }
                    product = self.sound(product, span)?;
                }
                value @ (Value::Vector(_) | Value::Tuple(_)) if op != ChainOp::Divide => {
                    if let Some((_, other)) = &direction {
                        let (a, b) = (self.text(*other), self.text(place));
                        let d = Diagnostic::error(codes::KIND, "a vector times a vector has two meanings");
                        let d = d.at(place, "a vector").also(*other, "a vector");
                        self.report(d.hint(format!("write `dot({a}, {b})` or `cross({a}, {b})`")));
                        return None;
                    }
                    direction = Some((value, place));
                }
                other => {
                    self.wrong_kind(&other, place, "a number");
                    return None;
                }
            }
        }
        let dimension = angle_units::without_idle_angle(dimension, &dimensions);
        Some(match direction {
            None => Value::Scalar(Scalar { expr: product, dimension, bare, written: factors.product() }),
            Some((Value::Tuple(parts), _)) => {
                let scaled = parts.into_iter().map(|(value, place)| {
                    let s = self.need_scalar(value, place)?;
                    let (expr, bare) = (self.pool().mul(product, s.expr), s.bare && bare);
                    Some((Value::Scalar(Scalar::new(expr, s.dimension * dimension, bare)), place))
                });
                Value::Tuple(scaled.collect::<Option<_>>()?)
            }
            Some((value, place)) => {
                let a = self.as_arrow(value, place, env)?;
                Value::Vector(Arrow {
                    vector: a.vector.scale(self.pool(), product),
                    dimension: a.dimension * dimension,
                    bare: a.bare && bare,
                    frame: None,
                })
            }
        })
    }

    /// The number, unless it is undefined or has grown beyond all bounds.
    pub fn sound(&mut self, expr: Expr, span: Span) -> Option<Expr> {
        if self.pool().is_undefined(expr) {
            self.error(
                codes::UNDEFINED,
                "this divides by zero",
                span,
                "divide by something that is not zero",
            );
            return None;
        }
        let long = self.pool().as_number(expr).is_some_and(|r| resource_limits::too_long(&r));
        if long || self.pool().small_order(expr).abs() > 10_000 {
            self.too_large(span);
            return None;
        }
        Some(expr)
    }

    fn too_large(&mut self, span: Span) {
        let help = "use numbers of a reasonable size";
        self.error(codes::TOO_LARGE, "this number is too large", span, help);
    }

    fn power(
        &mut self,
        base: &Scalar,
        exponent: &Scalar,
        base_span: Span,
        exponent_span: Span,
        span: Span,
    ) -> Option<Value> {
        if !exponent.dimension.is_dimensionless() {
            let d = Diagnostic::error(codes::DIMENSION, "an exponent has no dimension");
            let d = d.at(exponent_span, format!("[{}]", exponent.dimension));
            self.report(d.hint("divide it by a quantity of its kind"));
            return None;
        }
        let bare = base.bare && exponent.bare;
        let Some(number) = self.pool().as_number(exponent.expr) else {
            if !base.dimension.is_dimensionless() {
                let message = "the exponent of a quantity with a dimension must be a number";
                let d = Diagnostic::error(codes::EXPONENT, message).at(exponent_span, "not a number");
                let d = d.also(base_span, format!("[{}]", base.dimension));
                self.report(d.hint("divide the base by a quantity of its kind"));
                return None;
            }
            let expr = self.pool().call(Function::Pow, &[base.expr, exponent.expr]);
            return Some(Value::Scalar(Scalar::new(expr, Dimension::ONE, bare)));
        };
        let small = match &number {
            Rational::Small(n, d)
                if n.abs() <= resource_limits::EXPONENT && *d <= resource_limits::EXPONENT =>
            {
                Exponent::new(*n, *d)
            }
            _ => None,
        };
        let Some(power) = small else {
            let message = format!("exponents go up to {}", resource_limits::EXPONENT);
            self.error(
                codes::TOO_LARGE,
                message,
                exponent_span,
                "write `exp(...)` if exponential growth is meant",
            );
            return None;
        };
        let expr = self.pool().pow(base.expr, number.clone());
        let expr = self.sound(expr, span)?;
        // The algebra leaves a power of a number as it is where it would be too long.
        let is_number = |e: Expr| self.pool().as_number(e).is_some();
        if number.is_int() && is_number(base.expr) && !is_number(expr) {
            self.too_large(span);
            return None;
        }
        let dimension = if base.bare { Dimension::ONE } else { base.dimension.pow(power) };
        let written = angle_units::of_power(base, &number, &dimension);
        Some(Value::Scalar(Scalar { expr, dimension, bare, written }))
    }
}

/// A term of a sum with its sign and place.
type Signed = (ChainOp, Value, Span);

/// The sums that a sum of tuples of one length consists of, component by component; nothing if not all are tuples.
fn columns(values: &[Signed]) -> Option<Vec<(Vec<Signed>, Span)>> {
    let tuples: Option<Vec<_>> = values
        .iter()
        .map(|(op, value, _)| match value {
            Value::Tuple(parts) => Some((*op, parts)),
            _ => None,
        })
        .collect();
    let tuples = tuples?;
    let n = tuples.first().map_or(0, |(_, parts)| parts.len());
    if tuples.iter().any(|(_, parts)| parts.len() != n) {
        return None;
    }
    let column = |k: usize| tuples.iter().map(|(op, parts)| (*op, parts[k].0.clone(), parts[k].1)).collect();
    Some((0..n).map(|k| (column(k), tuples[0].1[k].1)).collect())
}
