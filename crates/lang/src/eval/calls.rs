//! Calls: components in a frame, functions and tables of the text.
//!
//! A function is unfolded where it is called. If its head has units, its letters are read as plain numbers in those
//! units where that is consistent (`673*t - 508`), else as quantities (`k*x + c*v`).

use cardan_base::{Diagnostic, Diagnostics, Id, Span, nearest};
use cardan_expr::{Function, Kind};
use cardan_kinematics::FrameId;
use cardan_syntax::{self as syntax, Call};
use cardan_units::{Dimension, Unit};

use crate::context::{Env, Reading, Resolver};
use crate::eval::functions::{BUILTINS, names};
use crate::eval::periodic;
use crate::names::scope::{ItemId, ItemKind, ScopeId, Status};
use crate::types::synonyms;
use crate::types::value::{Arrow, Scalar, Value};
use crate::{codes, resource_limits};

/// The arguments of a call, evaluated: those by position, and the one called `in`.
pub struct Given {
    /// By position, with their places.
    pub values: Vec<(Value, Span)>,
    /// `in = FRAME`
    pub within: Option<FrameId>,
}

impl<'t> Resolver<'t> {
    /// The value of a call.
    pub fn call(&mut self, call: &Call, env: &Env<'t>) -> Option<Value> {
        let scope = env.scope.unwrap_or(self.root);
        let local = call.function.as_name().and_then(|n| env.locals.iter().find(|(l, _)| *l == n.text));
        if local.is_none()
            && let Some((item, n)) = self.names.find_path(scope, &call.function)
            && n == call.function.segments.len()
        {
            match self.names.items[item].kind {
                ItemKind::Function(f) => return self.unfold(item, f, call, env),
                ItemKind::Table(t) => return self.look_up(item, t, call, env),
                ItemKind::External(e) => return self.call_external(item, e, call, env),
                ItemKind::Procedure(p) => return self.perform(item, p, call, env),
                _ => {}
            }
            if let Value::Frame(frame) = self.item_value(item, call.function.span)? {
                return self.frame_components(frame, call, env);
            }
        }
        let Some(name) = call.function.as_name() else {
            self.no_function(call, scope);
            return None;
        };
        let Some((name, counts, form)) = BUILTINS.iter().find(|(n, _, _)| *n == name.text) else {
            self.n_unknown += 1;
            let is_function = |n: &&str| {
                let kind = self.names.find(scope, n).map(|i| self.names.items[i].kind);
                matches!(
                    kind,
                    Some(
                        ItemKind::Function(_)
                            | ItemKind::Procedure(_)
                            | ItemKind::External(_)
                            | ItemKind::Table(_)
                    )
                )
            };
            let known = if self.n_unknown > Diagnostics::LIMIT { vec![] } else { self.names.names(scope) };
            let functions: Vec<&str> = known.into_iter().filter(is_function).chain(names()).collect();
            let message = format!("there is no function called `{}`", name.text);
            let near = nearest(&name.text, functions.iter().copied());
            let help = match (synonyms::function(&name.text), near) {
                (Some(instead), _) => instead.to_owned(),
                (None, Some(near)) => format!("write `{near}`"),
                (None, None) => format!("declare it: `function {}(x) = x^2`", name.text),
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

    /// A dotted name that is called and is no function: `np.sin(x)`, `math.pi(…)`.
    fn no_function(&mut self, call: &Call, scope: ScopeId) {
        let known = call.function.segments.first().and_then(|s| self.names.find(scope, &s.name.text));
        let last = call.function.segments.last().map_or("", |s| s.name.text.as_str());
        let path = self.text(call.function.span);
        let owner = path.rsplit_once('.').map_or("", |(owner, _)| owner).to_owned();
        let arguments = self.argument_text(call);
        let method = synonyms::part_of_body(last).unwrap_or(last);
        let message = match known {
            None => format!("`{}` is not a function", self.text(call.function.span)),
            Some(_) => "this is not a function".to_owned(),
        };
        let help = match names().contains(&method) {
            _ if known.is_some() && matches!(last, "diff" | "dt" | "derivative" | "rate") => {
                format!("a rate is written `der({owner})`")
            }
            true if known.is_some() && arguments.is_empty() => {
                format!("functions take their arguments in brackets: `{method}({owner})`")
            }
            true if known.is_some() => {
                format!("functions take their arguments in brackets: `{method}({owner}, {arguments})`")
            }
            true => format!("functions have no prefix: `{last}({arguments})`"),
            false => "write a function, or a frame with three components".to_owned(),
        };
        self.error(codes::KIND, message, call.function.span, help);
    }

    /// The arguments of a call as written.
    fn argument_text(&self, call: &Call) -> String {
        let texts: Vec<String> = call.arguments.iter().map(|a| self.text(a.value.span)).collect();
        texts.join(", ")
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
        let values = self.arguments_of(&f.inputs, &form, call, env)?;
        if env.depth >= resource_limits::CALL_DEPTH {
            self.error(
                codes::TOO_LARGE,
                "functions call one another too deeply",
                call.span,
                "use fewer functions",
            );
            return None;
        }
        self.called.insert(item);
        self.unfold_with(item, f, values, env)
    }

    /// The arguments of a call, as many as there are letters and of their dimensions.
    pub fn arguments_of(
        &mut self,
        inputs: &[syntax::Input],
        form: &str,
        call: &Call,
        env: &Env<'t>,
    ) -> Option<Vec<Value>> {
        let given = self.arguments(call, form, env)?;
        if given.values.len() != inputs.len() {
            let name = form.split('(').next().unwrap_or(form);
            let (n, m) = (inputs.len(), given.values.len());
            let message = format!("`{name}` has {n} arguments, and {m} are given");
            self.error(codes::ARGUMENT, message, call.span, format!("write `{form}`"));
            return None;
        }
        let mut values = vec![];
        for ((value, span), input) in given.values.into_iter().zip(inputs) {
            values.push(match &input.unit {
                None => value,
                Some(unit) => {
                    let place = unit.span;
                    let unit = self.unit(unit)?;
                    if let Value::Scalar(s) = &value {
                        self.cycles_in_unit(s, span, &unit, place);
                    }
                    self.in_dimension(value, span, &unit)?
                }
            });
        }
        Some(values)
    }

    /// A function with these values, brought to the dimensions of its head, for its letters.
    /// A function with its arguments in place.
    pub fn unfold_with(
        &mut self,
        item: ItemId,
        f: &'t syntax::Function,
        values: Vec<Value>,
        env: &Env<'t>,
    ) -> Option<Value> {
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
        let scope = self.names.items[item].scope;
        let read = |r: &mut Self, reading: Reading| {
            let mut locals = vec![];
            for ((input, value), unit) in f.inputs.iter().zip(&values).zip(&units) {
                let value = match (reading, unit, value) {
                    (Reading::Numbers, Some(unit), Value::Scalar(s)) => {
                        let expr = r.pool().div(s.expr, r.factor(unit.scale()));
                        r.letter_in(Value::quantity(expr, Dimension::ONE), input, unit)
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

    /// Looks at a function that nothing calls: its names, and its dimensions if its head gives them all.
    pub fn check_function(&mut self, item: ItemId) {
        let ItemKind::Function(f) = self.names.items[item].kind else { return };
        if self.called.contains(&item) || matches!(self.names.items[item].status, Status::Failed) {
            return;
        }
        let letter = |r: &Self, input: &syntax::Input| {
            let unit = input.unit.as_ref().and_then(|u| Unit::parse(&u.text).ok());
            let expr = r.pool().symbol(&input.name.text, Kind::State);
            Value::quantity(expr, unit.map_or(Dimension::ONE, |u| u.dimension()))
        };
        let values: Vec<Value> = f.inputs.iter().map(|i| letter(self, i)).collect();
        let (_, findings) = self.quietly(|r| r.unfold_with(item, f, values, &Env::default()));
        let complete = f.unit.is_some() && f.inputs.iter().all(|i| i.unit.is_some());
        for finding in findings {
            if complete || finding.code == codes::UNKNOWN_NAME || finding.code.0.starts_with('U') {
                self.report(finding);
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
        let quantity = Scalar::new(s.expr, unit.dimension(), false);
        Some(Value::Scalar(quantity.written_in(Some(unit))))
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
        self.look_up_with(item, table, given.values)
    }

    /// A value out of a table at these arguments.
    pub fn look_up_with(
        &mut self,
        item: ItemId,
        table: &'t syntax::Table,
        values: Vec<(Value, Span)>,
    ) -> Option<Value> {
        let Status::Done(Value::Scalar(known)) = self.names.items[item].status.clone() else { return None };
        let mut arguments = vec![];
        for ((value, span), input) in values.into_iter().zip(&table.inputs) {
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
            if table.method.text == periodic::METHOD
                && let Some(x) = arguments.pop()
            {
                arguments.push(self.wrapped(table, x, &unit)?);
            }
        }
        // The status of a table holds an example of its value: its dimension, and its number in the algebra.
        let index = self
            .pool()
            .as_number(known.expr)
            .and_then(|r| r.to_int())
            .and_then(|n| usize::try_from(n).ok())?;
        let id = Id::from_index(index);
        let expr = self.pool().call(Function::Table(id, [0, 0]), &arguments);
        Some(Value::quantity(expr, known.dimension))
    }
}
