//! Evaluation of expressions: numbers stay exact, dimensions are checked at every step.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Function, Rational};
use cardan_kinematics::Vector;
use cardan_syntax::{self as syntax, ChainOp, CompareOp, ExprKind, UnaryOp};
use cardan_units::{Dimension, Exponent};

use crate::resolver::{Env, Resolver};
use crate::scope::{ItemKind, Status};
use crate::value::{Arrow, Scalar, Value};
use crate::{codes, limits};

impl<'t> Resolver<'t> {
    /// The value of an expression; nothing if a finding says why.
    pub fn evaluate(&mut self, e: &syntax::Expr, env: &Env<'t>) -> Option<Value> {
        self.step(e.span)?;
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
                self.with_unit(value, factor, unit.dimension(), e.span)
            }
            ExprKind::Unary { op, operand } => {
                let value = self.evaluate(operand, env)?;
                self.unary(*op, value, operand.span, env)
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
            ExprKind::Missing => None,
        }
    }

    fn bounded(&mut self, n: usize, span: Span) -> Option<()> {
        if n <= limits::TERMS {
            return Some(());
        }
        let message = format!("this has {n} parts; {} are allowed", limits::TERMS);
        self.error(codes::TOO_LARGE, message, span, "name parts of it as variables, or use a table");
        None
    }

    fn number(&mut self, text: &str, span: Span) -> Option<Value> {
        match Rational::from_decimal(text) {
            Some(r) => Some(self.bare(self.pool().number(r))),
            None => {
                self.error(
                    codes::TOO_LARGE,
                    "this number is too long or too large",
                    span,
                    "write a number between 1e-300 and 1e300",
                );
                None
            }
        }
    }

    fn bare(&self, expr: Expr) -> Value {
        Value::Scalar(Scalar { expr, dimension: Dimension::ONE, bare: true })
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

    fn unary(&mut self, op: UnaryOp, value: Value, span: Span, env: &Env<'t>) -> Option<Value> {
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
                let negate =
                    |r: &mut Self, (v, place): (Value, Span)| Some((r.unary(op, v, place, env)?, place));
                let parts: Option<Vec<_>> = parts.into_iter().map(|p| negate(self, p)).collect();
                Some(Value::Tuple(parts?))
            }
            (_, other) => {
                self.wrong_kind(&other, span, "a number");
                None
            }
        }
    }

    fn need_scalar(&mut self, value: Value, span: Span) -> Option<Scalar> {
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
        match rest.first().map(|(op, _)| *op) {
            Some(ChainOp::Multiply | ChainOp::Divide) => self.multiply(values, span, env),
            Some(ChainOp::And | ChainOp::Or) => self.logic(values),
            _ => self.add(values, env),
        }
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
            return Some(Value::Scalar(Scalar { expr, dimension, bare }));
        }
        let mut vector = Vector::ZERO;
        let mut parts = vec![];
        for (op, value, span) in values {
            if matches!(value, Value::Scalar(ref s) if !(s.bare && self.pool().is_zero(s.expr))) {
                let d = Diagnostic::error(codes::KIND, "a number and a vector cannot be added")
                    .at(span, "this is a number");
                let text = self.text(span);
                self.report(d.hint(format!("multiply it by a direction: `{text} * N.z`")));
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
        let mut direction: Option<(Arrow, Span)> = None;
        for (op, value, place) in values {
            match value {
                Value::Scalar(s) => {
                    let divides = op == ChainOp::Divide;
                    let pool = self.pool();
                    product = if divides { pool.div(product, s.expr) } else { pool.mul(product, s.expr) };
                    dimension = if divides { dimension / s.dimension } else { dimension * s.dimension };
                    bare &= s.bare;
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
                    direction = Some((self.as_arrow(value, place, env)?, place));
                }
                other => {
                    self.wrong_kind(&other, place, "a number");
                    return None;
                }
            }
        }
        Some(match direction {
            None => Value::Scalar(Scalar { expr: product, dimension, bare }),
            Some((a, _)) => Value::Vector(Arrow {
                vector: a.vector.scale(self.pool(), product),
                dimension: a.dimension * dimension,
                bare: a.bare && bare,
                frame: None,
            }),
        })
    }

    fn logic(&mut self, values: Vec<(ChainOp, Value, Span)>) -> Option<Value> {
        let mut result: Option<Expr> = None;
        for (op, value, span) in values {
            let Value::Boolean(b) = value else {
                self.wrong_kind(&value, span, "true or false");
                return None;
            };
            let function = if op == ChainOp::Or { Function::Or } else { Function::And };
            result = Some(result.map_or(b, |a| self.pool().call(function, &[a, b])));
        }
        result.map(Value::Boolean)
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
        let long = self.pool().as_number(expr).is_some_and(|r| limits::too_long(&r));
        if long || self.pool().small_order(expr).abs() > 10_000 {
            self.error(
                codes::TOO_LARGE,
                "this number is too large",
                span,
                "use numbers of a reasonable size",
            );
            return None;
        }
        Some(expr)
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
            return Some(Value::Scalar(Scalar { expr, dimension: Dimension::ONE, bare }));
        };
        let small = match number {
            Rational::Small(n, d) if n.abs() <= limits::EXPONENT && d <= limits::EXPONENT => {
                Exponent::new(n, d)
            }
            _ => None,
        };
        let Some(power) = small else {
            let message = format!("exponents go up to {}", limits::EXPONENT);
            self.error(
                codes::TOO_LARGE,
                message,
                exponent_span,
                "write `exp(...)` if exponential growth is meant",
            );
            return None;
        };
        let expr = self.pool().pow(base.expr, number);
        let expr = self.sound(expr, span)?;
        let dimension = if base.bare { Dimension::ONE } else { base.dimension.pow(power) };
        Some(Value::Scalar(Scalar { expr, dimension, bare }))
    }

    fn compare(&self, op: CompareOp, a: Expr, b: Expr) -> Expr {
        let pool = self.pool();
        match op {
            CompareOp::Less => pool.call(Function::Less, &[a, b]),
            CompareOp::LessEqual => pool.call(Function::LessEqual, &[a, b]),
            CompareOp::Greater => pool.call(Function::Less, &[b, a]),
            CompareOp::GreaterEqual => pool.call(Function::LessEqual, &[b, a]),
            CompareOp::Equal => pool.call(Function::Equal, &[a, b]),
            CompareOp::NotEqual => {
                let equal = pool.call(Function::Equal, &[a, b]);
                pool.call(Function::Not, &[equal])
            }
        }
    }

    fn choose(
        &mut self,
        arms: &[(syntax::Expr, syntax::Expr)],
        otherwise: &syntax::Expr,
        span: Span,
        env: &Env<'t>,
    ) -> Option<Value> {
        self.bounded(arms.len(), span)?;
        let mut conditions = vec![];
        let mut values = vec![];
        for (condition, value) in arms {
            let (c, v) = (self.evaluate(condition, env), self.evaluate(value, env));
            match c {
                Some(Value::Boolean(c)) => conditions.push(Some(c)),
                Some(other) => {
                    self.wrong_kind(&other, condition.span, "true or false");
                    conditions.push(None);
                }
                None => conditions.push(None),
            }
            values.push(v.map(|v| (v, value.span)));
        }
        values.push(self.evaluate(otherwise, env).map(|v| (v, otherwise.span)));
        let conditions: Vec<Expr> = conditions.into_iter().collect::<Option<_>>()?;
        let values: Vec<(Value, Span)> = values.into_iter().collect::<Option<_>>()?;
        if values.iter().all(|(v, _)| matches!(v, Value::Boolean(_))) {
            let booleans: Vec<Expr> = values
                .iter()
                .filter_map(|(v, _)| if let Value::Boolean(b) = v { Some(*b) } else { None })
                .collect();
            return Some(Value::Boolean(self.select(&conditions, &booleans)));
        }
        if values.iter().all(|(v, _)| matches!(v, Value::Scalar(_))) {
            let mut scalars = vec![];
            for (value, place) in values {
                scalars.push((self.need_scalar(value, place)?, place));
            }
            let (dimension, bare) = self.agree(&scalars, "alternatives")?;
            let exprs: Vec<Expr> = scalars.iter().map(|(s, _)| s.expr).collect();
            return Some(Value::Scalar(Scalar { expr: self.select(&conditions, &exprs), dimension, bare }));
        }
        let mut arrows = vec![];
        for (value, place) in values {
            arrows.push((self.as_arrow(value, place, env)?, place));
        }
        let parts: Vec<_> =
            arrows.iter().map(|(a, s)| (a.dimension, a.bare, a.vector.is_zero(), *s)).collect();
        let (dimension, bare) = self.agree_on(&parts, "alternatives")?;
        let pool = self.pool();
        let mut units: Vec<_> =
            arrows.iter().flat_map(|(a, _)| a.vector.terms().iter().map(|(u, _)| *u)).collect();
        units.sort_unstable();
        units.dedup();
        let coefficient =
            |a: &Arrow, u| a.vector.terms().iter().find(|(v, _)| *v == u).map_or(pool.zero(), |(_, c)| *c);
        let terms: Vec<_> = units
            .into_iter()
            .map(|u| {
                (
                    u,
                    self.select(
                        &conditions,
                        &arrows.iter().map(|(a, _)| coefficient(a, u)).collect::<Vec<_>>(),
                    ),
                )
            })
            .collect();
        let vector = Vector::new(pool, terms);
        Some(Value::Vector(Arrow { vector, dimension, bare, frame: None }))
    }

    /// The value of the first condition that holds; there is one value more than conditions.
    fn select(&self, conditions: &[Expr], values: &[Expr]) -> Expr {
        let pool = self.pool();
        let last = values.last().copied().unwrap_or(pool.zero());
        let pairs = conditions.iter().zip(values).rev();
        pairs.fold(last, |rest, (c, v)| pool.call(Function::Select, &[*c, *v, rest]))
    }

    /// The value of a dotted name.
    pub fn path(&mut self, path: &syntax::Path, env: &Env<'t>) -> Option<Value> {
        if let Some(segment) = path.segments.iter().find(|s| !s.index.is_empty()) {
            self.error(
                codes::UNSUPPORTED,
                "indices are not supported yet",
                segment.name.span,
                "give each part a name of its own",
            );
            return None;
        }
        let scope = env.scope.unwrap_or(self.root);
        let first = path.segments.first()?;
        let local = env.locals.iter().rev().find(|(n, _)| *n == first.name.text).map(|(_, v)| v.clone());
        let (mut value, n, mut body) = match local {
            Some(value) => (value, 1, None),
            None => {
                let Some((item, n)) = self.names.find_path(scope, path) else {
                    self.unknown(scope, path, "", crate::functions::NAMES);
                    return None;
                };
                (self.item_value(item, path.span)?, n, self.names.body_of(item))
            }
        };
        for segment in &path.segments[n..] {
            value = self.member(value, body, &segment.name)?;
            body = None;
        }
        Some(value)
    }

    /// What an item stands for, once it is known.
    pub fn item_value(&mut self, item: crate::scope::ItemId, span: Span) -> Option<Value> {
        let entry = &self.names.items[item];
        match (&entry.status, entry.kind) {
            (Status::Done(value), _) => Some(value.clone()),
            (Status::Failed, _) => None,
            (Status::Pending, ItemKind::Function(_) | ItemKind::Table(_)) => {
                let (name, noun) = (entry.name.clone(), crate::scope::noun(&entry.kind));
                self.error(
                    codes::KIND,
                    format!("`{name}` is {noun} and needs its arguments"),
                    span,
                    format!("write `{name}(t)`"),
                );
                None
            }
            (Status::Pending, ItemKind::Other(noun)) => {
                let name = entry.name.clone();
                self.error(
                    codes::KIND,
                    format!("`{name}` is {noun} and has no value"),
                    span,
                    "define what is meant as a variable",
                );
                None
            }
            (Status::Pending, ItemKind::JointSpeed(..) | ItemKind::Speed(_) | ItemKind::Variable(_)) => {
                self.too_early(span);
                None
            }
            (Status::Pending, kind) => {
                let (name, noun) = (entry.name.clone(), crate::scope::noun(&kind));
                self.error(
                    codes::TOO_EARLY,
                    format!("`{name}` ({noun}) is not known yet here"),
                    span,
                    "use parameters here",
                );
                None
            }
        }
    }

    /// Says that velocities cannot be used here.
    pub fn too_early(&mut self, span: Span) {
        let d = Diagnostic::error(codes::TOO_EARLY, "velocities are not known yet here").at(span, "");
        let d = d.because("bodies are placed first; then speeds are defined; then velocities follow");
        self.report(d.hint("use parameters, coordinates and time"));
    }
}
