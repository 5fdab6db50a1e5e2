//! Calls: components in a frame, functions and tables of the text, and the built-in functions.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_expr::{Derivation, Expr, Function, Rational};
use cardan_kinematics::{FrameId, Point};
use cardan_syntax::{self as syntax, Call};
use cardan_units::{Dimension, Unit};

use crate::resolver::{Env, Phase, Reading, Resolver};
use crate::scope::{ItemId, ItemKind, Status};
use crate::value::{Arrow, Scalar, Value};
use crate::{codes, limits};

/// The built-in functions: name, arguments, how it is written.
#[rustfmt::skip]
const BUILTINS: &[(&str, std::ops::RangeInclusive<usize>, &str)] = &[
    ("sin", 1..=1, "sin(x)"), ("cos", 1..=1, "cos(x)"), ("tan", 1..=1, "tan(x)"),
    ("asin", 1..=1, "asin(x)"), ("acos", 1..=1, "acos(x)"), ("atan", 1..=1, "atan(x)"), ("atan2", 2..=2, "atan2(y, x)"),
    ("sinh", 1..=1, "sinh(x)"), ("cosh", 1..=1, "cosh(x)"), ("tanh", 1..=1, "tanh(x)"),
    ("exp", 1..=1, "exp(x)"), ("ln", 1..=1, "ln(x)"), ("log10", 1..=1, "log10(x)"), ("sqrt", 1..=1, "sqrt(x)"),
    ("abs", 1..=1, "abs(x)"), ("sign", 1..=1, "sign(x)"), ("floor", 1..=1, "floor(x)"), ("mod", 2..=2, "mod(x, y)"),
    ("min", 2..=99, "min(x, y)"), ("max", 2..=99, "max(x, y)"),
    ("dot", 2..=2, "dot(u, v)"), ("cross", 2..=2, "cross(u, v)"), ("mag", 1..=1, "mag(v)"),
    ("dir", 1..=1, "dir(v)"), ("unit", 1..=1, "unit(v)"), ("angle", 2..=3, "angle(u, v, about)"),
    ("components", 1..=2, "components(v, in = B)"),
    ("position", 1..=2, "position(P, Q)"), ("velocity", 1..=2, "velocity(P, in = B)"),
    ("acceleration", 1..=1, "acceleration(P)"), ("omega", 1..=2, "omega(B, in = A)"), ("alpha", 1..=1, "alpha(B)"),
    ("der", 1..=2, "der(x)"), ("partial", 2..=2, "partial(x, y)"),
];

/// The names of the built-in functions.
#[rustfmt::skip]
pub const NAMES: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "ln", "log10", "sqrt", "abs",
    "sign", "floor", "mod", "min", "max", "dot", "cross", "mag", "dir", "unit", "angle", "components", "position",
    "velocity", "acceleration", "omega", "alpha", "der", "partial",
];

/// The arguments of a call, evaluated: those by position, and the one called `in`.
struct Given {
    values: Vec<(Value, Span)>,
    within: Option<FrameId>,
}

impl<'t> Resolver<'t> {
    /// The value of a call.
    pub fn call(&mut self, call: &Call, env: &Env<'t>) -> Option<Value> {
        let scope = env.scope.unwrap_or(self.root);
        let local = call.function.as_name().and_then(|n| env.locals.iter().find(|(l, _)| *l == n.text));
        if local.is_none() {
            if let Some((item, n)) = self.names.find_path(scope, &call.function) {
                if n == call.function.segments.len() {
                    match self.names.items[item].kind {
                        ItemKind::Function(f) => return self.unfold(item, f, call, env),
                        ItemKind::Table(t) => return self.look_up(item, t, call, env),
                        _ => {}
                    }
                    if let Value::Frame(frame) = self.item_value(item, call.function.span)? {
                        return self.frame_components(frame, call, env);
                    }
                }
            }
        }
        let Some(name) = call.function.as_name() else {
            self.error(
                codes::KIND,
                "this is not a function",
                call.function.span,
                "write a function, or a frame with three components",
            );
            return None;
        };
        let Some((name, counts, form)) = BUILTINS.iter().find(|(n, _, _)| *n == name.text) else {
            let functions: Vec<&str> = self
                .names
                .names(scope)
                .into_iter()
                .filter(|n| {
                    self.names.find(scope, n).is_some_and(|i| {
                        matches!(self.names.items[i].kind, ItemKind::Function(_) | ItemKind::Table(_))
                    })
                })
                .chain(NAMES.iter().copied())
                .collect();
            let message = format!("there is no function called `{}`", name.text);
            let help = match nearest(&name.text, functions) {
                Some(near) => format!("write `{near}`"),
                None => format!("declare it: `function {}(x) = x^2`", name.text),
            };
            if !self.incomplete {
                self.error(codes::UNKNOWN_NAME, message, name.span, help);
            }
            return None;
        };
        let given = self.arguments(call, form, env)?;
        if !counts.contains(&given.values.len()) {
            let message = format!("`{name}` has {} arguments here", given.values.len());
            self.error(codes::ARGUMENT, message, call.span, format!("write `{form}`"));
            return None;
        }
        let value = self.builtin(name, given, call, env)?;
        if let Value::Scalar(s) = &value {
            self.sound(s.expr, call.span)?;
        }
        Some(value)
    }

    fn arguments(&mut self, call: &Call, form: &str, env: &Env<'t>) -> Option<Given> {
        let mut values = vec![];
        let mut within = None;
        let mut failed = false;
        for argument in &call.arguments {
            match &argument.name {
                None => match self.evaluate(&argument.value, env) {
                    Some(value) => values.push((value, argument.value.span)),
                    None => failed = true,
                },
                Some(name) if name.text == "in" && form.contains("in =") => {
                    match self.frame(&argument.value, env) {
                        Some(frame) => within = Some(frame),
                        None => failed = true,
                    }
                }
                Some(name) => {
                    let message = format!("there is no argument `{}` here", name.text);
                    self.error(codes::ARGUMENT, message, name.span, format!("write `{form}`"));
                    failed = true;
                }
            }
        }
        (!failed).then_some(Given { values, within })
    }

    /// `B(1, 2, 3)`
    fn frame_components(&mut self, frame: FrameId, call: &Call, env: &Env<'t>) -> Option<Value> {
        let given = self.arguments(call, "N(1, 0, 0)", env)?;
        let (c, dimension, bare) = self.components(given.values, 3, call.span)?;
        let vector = self.space().vector(frame, [c[0], c[1], c[2]]);
        Some(Value::Vector(Arrow { vector, dimension, bare, frame: Some(frame) }))
    }

    /// A function of the text with its letters replaced.
    fn unfold(&mut self, item: ItemId, f: &'t syntax::Function, call: &Call, env: &Env<'t>) -> Option<Value> {
        let form = format!(
            "{}({})",
            f.name.text,
            f.inputs.iter().map(|i| i.name.text.as_str()).collect::<Vec<_>>().join(", ")
        );
        if matches!(self.names.items[item].status, Status::Failed) {
            return None;
        }
        let given = self.arguments(call, &form, env)?;
        if given.values.len() != f.inputs.len() {
            let message = format!(
                "`{}` has {} arguments, and {} are given",
                f.name.text,
                f.inputs.len(),
                given.values.len()
            );
            self.error(codes::ARGUMENT, message, call.span, format!("write `{form}`"));
            return None;
        }
        if env.depth >= limits::CALL_DEPTH {
            self.error(
                codes::TOO_LARGE,
                "functions call one another too deeply",
                call.span,
                "use fewer functions",
            );
            return None;
        }
        let mut units = vec![];
        for input in &f.inputs {
            units.push(match &input.unit {
                None => None,
                Some(unit) => Some(self.unit(unit)?),
            });
        }
        let result_unit = match &f.unit {
            None => None,
            Some(unit) => Some(self.unit(unit)?),
        };
        let mut values = vec![];
        for ((value, span), unit) in given.values.into_iter().zip(&units) {
            values.push(match unit {
                None => value,
                Some(unit) => self.in_dimension(value, span, unit)?,
            });
        }
        let scope = self.names.items[item].scope;
        let read = |r: &mut Self, reading: Reading| {
            let mut locals = vec![];
            for ((input, value), unit) in f.inputs.iter().zip(&values).zip(&units) {
                let value = match (reading, unit, value) {
                    (Reading::Numbers, Some(unit), Value::Scalar(s)) => {
                        let expr = r.pool().div(s.expr, r.factor(unit.scale()));
                        Value::quantity(expr, Dimension::ONE)
                    }
                    (_, _, value) => value.clone(),
                };
                locals.push((input.name.text.as_str(), value));
            }
            let inner = Env { scope: Some(scope), frame: env.frame, locals, depth: env.depth + 1 };
            let value = r.evaluate(&f.value, &inner)?;
            r.with_result_unit(value, reading, result_unit.as_ref(), f, &inner)
        };
        let has_units = result_unit.is_some() || units.iter().any(Option::is_some);
        match (has_units, self.readings.get(&item).copied()) {
            (false, _) => read(self, Reading::Quantities),
            (true, Some(reading)) => read(self, reading),
            (true, None) => {
                for reading in [Reading::Numbers, Reading::Quantities] {
                    let (value, findings) = self.quietly(|r| read(r, reading));
                    if value.is_some() && !findings.has_errors() {
                        self.readings.insert(item, reading);
                        return read(self, reading);
                    }
                }
                self.readings.insert(item, Reading::Quantities);
                read(self, Reading::Quantities)
            }
        }
    }

    fn in_dimension(&mut self, value: Value, span: Span, unit: &Unit) -> Option<Value> {
        let Value::Scalar(s) = value else {
            self.wrong_kind(&value, span, "a number");
            return None;
        };
        if s.bare && !unit.dimension().is_dimensionless() {
            if !self.pool().is_zero(s.expr) {
                self.adopt(span, &unit.dimension())?;
            }
        } else if !s.dimension.compatible(&unit.dimension()) {
            let d = Diagnostic::error(codes::DIMENSION, "this argument has the wrong dimension");
            let d = d.at(span, format!("[{}], expected [{}]", s.dimension, unit.dimension()));
            self.report(d.hint(format!("give a value in [{}]", unit.text())));
            return None;
        }
        Some(Value::quantity(s.expr, unit.dimension()))
    }

    fn with_result_unit(
        &mut self,
        value: Value,
        reading: Reading,
        unit: Option<&Unit>,
        f: &syntax::Function,
        env: &Env<'t>,
    ) -> Option<Value> {
        let Some(unit) = unit else { return Some(value) };
        let Value::Scalar(s) = value else {
            return Some(value);
        };
        if reading == Reading::Numbers {
            let plain = Scalar { bare: false, ..s };
            let expr = self.expect(&plain, &f.value, Dimension::ONE, "the value of this function", env)?;
            return Some(Value::quantity(self.pool().mul(self.factor(unit.scale()), expr), unit.dimension()));
        }
        let expr = self.expect(&s, &f.value, unit.dimension(), "the value of this function", env)?;
        Some(Value::quantity(expr, unit.dimension()))
    }

    /// A value out of a table.
    fn look_up(
        &mut self,
        item: ItemId,
        table: &'t syntax::Table,
        call: &Call,
        env: &Env<'t>,
    ) -> Option<Value> {
        let form = format!(
            "{}({})",
            table.name.text,
            table.inputs.iter().map(|i| i.name.text.as_str()).collect::<Vec<_>>().join(", ")
        );
        let Status::Done(Value::Scalar(known)) = self.names.items[item].status.clone() else { return None };
        let given = self.arguments(call, &form, env)?;
        if given.values.len() != table.inputs.len() {
            let message = format!(
                "`{}` has {} arguments, and {} are given",
                table.name.text,
                table.inputs.len(),
                given.values.len()
            );
            self.error(codes::ARGUMENT, message, call.span, format!("write `{form}`"));
            return None;
        }
        let mut arguments = vec![];
        for ((value, span), input) in given.values.into_iter().zip(&table.inputs) {
            let unit = match &input.unit {
                Some(unit) => self.unit(unit)?,
                None => Unit::si(Dimension::ONE),
            };
            match value {
                Value::Scalar(s) if input.unit.is_none() && !s.dimension.is_dimensionless() => {
                    self.adopt(input.name.span, &s.dimension)?;
                    arguments.push(s.expr);
                }
                value => match self.in_dimension(value, span, &unit)? {
                    Value::Scalar(s) => arguments.push(s.expr),
                    _ => return None,
                },
            }
        }
        // The status of a table holds an example of its value: its dimension, and its number in the algebra.
        let index = self
            .pool()
            .as_number(known.expr)
            .and_then(|r| r.to_int())
            .and_then(|n| usize::try_from(n).ok())?;
        let id = cardan_base::Id::from_index(index);
        let expr = self.pool().call(Function::Table(id, [0, 0]), &arguments);
        Some(Value::quantity(expr, known.dimension))
    }

    /// A part of a value: `B.x`, `B.cm`, `P.x`.
    pub fn member(&mut self, value: Value, body: Option<usize>, name: &syntax::Name) -> Option<Value> {
        let axis = ["x", "y", "z"].iter().position(|a| *a == name.text);
        let newtonian = self.space().newtonian();
        match (&value, axis, name.text.as_str()) {
            (Value::Frame(frame), Some(k), _) => {
                return Some(Value::vector(self.space().axis(*frame, k), Dimension::ONE));
            }
            (Value::Frame(frame), None, "o") => return Some(Value::Point(self.space().origin(*frame))),
            (Value::Frame(_), None, "cm" | "mass") if body.is_some() => {
                let data = self.names.bodies[body?].data;
                let Status::Done(center) = self.names.items[data].status.clone() else { return None };
                return match (center, name.text.as_str()) {
                    (center @ Value::Point(_), "cm") => Some(center),
                    (Value::Point(p), _) => {
                        let id = self.builder.model().body_in(p.frame)?;
                        Some(Value::quantity(self.builder.model().bodies[id].mass, Dimension::MASS))
                    }
                    _ => None,
                };
            }
            (Value::Point(p), Some(k), _) => {
                let position = self.space().position(&self.space().origin(newtonian), p);
                let expr = self.space().components(&position, newtonian)[k];
                return Some(Value::quantity(expr, Dimension::LENGTH));
            }
            (Value::Vector(a), Some(k), _) => {
                let expr = self.space().components(&a.vector, newtonian)[k];
                return Some(Value::Scalar(Scalar { expr, dimension: a.dimension, bare: a.bare }));
            }
            _ => {}
        }
        let mut known: Vec<&str> = match &value {
            Value::Frame(_) => vec!["x", "y", "z", "o"],
            Value::Point(_) | Value::Vector(_) => vec!["x", "y", "z"],
            _ => vec![],
        };
        if let Some(b) = body {
            known.extend(["cm", "mass"]);
            known.extend(self.names.scopes[self.names.bodies[b].inner].entries.keys().map(String::as_str));
        }
        let message = format!("{} has nothing called `{}`", value.kind(), name.text);
        let d = Diagnostic::error(codes::UNKNOWN_NAME, message).at(name.span, "");
        let d = match nearest(&name.text, known.iter().copied()) {
            Some(near) => d.hint(format!("write `{near}`")),
            None if known.is_empty() => d.hint("remove it"),
            None => d.hint(format!("there is {}", known.join(", "))),
        };
        if !self.incomplete {
            self.report(d);
        }
        None
    }

    fn plain(&mut self, value: Value, span: Span) -> Option<Scalar> {
        let Value::Scalar(s) = value else {
            self.wrong_kind(&value, span, "a number");
            return None;
        };
        if !s.dimension.is_dimensionless() {
            let d = Diagnostic::error(codes::DIMENSION, "this argument has a dimension");
            let d = d.at(span, format!("[{}], expected a plain number or an angle", s.dimension));
            self.report(d.hint("divide it by a quantity of its kind"));
            return None;
        }
        Some(s)
    }

    fn number_argument(&mut self, given: &(Value, Span)) -> Option<Scalar> {
        match &given.0 {
            Value::Scalar(s) => Some(s.clone()),
            other => {
                self.wrong_kind(&other.clone(), given.1, "a number");
                None
            }
        }
    }

    fn point_argument(&mut self, given: &(Value, Span), env: &Env<'t>) -> Option<Point> {
        match &given.0 {
            Value::Point(p) => Some(p.clone()),
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
                let _ = env;
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

    fn builtin(&mut self, name: &str, given: Given, call: &Call, env: &Env<'t>) -> Option<Value> {
        let Given { values, within } = given;
        let second = values.get(1);
        match name {
            "abs" | "sign" | "sqrt" | "min" | "max" | "mod" | "atan2" => self.algebraic(name, values),
            "dot" | "cross" | "mag" | "dir" | "unit" | "angle" | "components" => {
                self.vectorial(name, values, within, env)
            }
            "position" => {
                let first = self.point_argument(&values[0], env)?;
                let (from, to) = match second {
                    Some(second) => (first, self.point_argument(second, env)?),
                    None => (self.space().origin(self.space().newtonian()), first),
                };
                Some(Value::vector(self.space().position(&from, &to), Dimension::LENGTH))
            }
            "velocity" | "acceleration" => {
                self.moving(call.span)?;
                let p = self.point_argument(&values[0], env)?;
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
            "der" => self.rate(values, within, call.span),
            "partial" => self.partial(values),
            _ => {
                let (value, span) = values.into_iter().next()?;
                let s = self.plain(value, span)?;
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
                return Value::Scalar(Scalar { expr, dimension: Dimension::ONE, bare: s.bare });
            }
            "asin" => (Function::Asin, Dimension::ANGLE),
            "acos" => (Function::Acos, Dimension::ANGLE),
            "atan" => (Function::Atan, Dimension::ANGLE),
            // Every other name of the table is a function of the algebra.
            other => (Function::named(other).map_or(Function::Abs, |(f, _)| f), Dimension::ONE),
        };
        Value::Scalar(Scalar { expr: pool.call(function, &[s.expr]), dimension, bare: s.bare })
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
        Some(Value::Scalar(Scalar { expr, dimension, bare }))
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
        let space = self.space();
        Some(match (name, b) {
            ("dot", Some(b)) => Value::quantity(space.dot(&a.vector, &b.vector), a.dimension * b.dimension),
            ("cross", Some(b)) => Value::vector(space.cross(&a.vector, &b.vector), a.dimension * b.dimension),
            ("angle", Some(b)) => {
                let about = arrows.get(2).map(|(n, _)| &n.vector);
                Value::quantity(space.angle(&a.vector, &b.vector, about), Dimension::ANGLE)
            }
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

    fn partial(&mut self, values: Vec<(Value, Span)>) -> Option<Value> {
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

    /// An exact whole number.
    pub fn whole(&self, n: usize) -> Expr {
        self.pool().number(Rational::int(i64::try_from(n).unwrap_or(i64::MAX)))
    }
}
