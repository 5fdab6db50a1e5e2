//! User-defined speeds, variables, outputs and start values.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Depends, Expr};
use cardan_model::builder::SpeedError;
use cardan_model::{Given, Output, Quantity, SpeedId, Variable};
use cardan_syntax::{self as syntax, ExprKind, StatementKind};
use cardan_units::{Dimension, Unit};

use crate::codes;
use crate::context::{BuiltCoordinate, Env, Phase, Resolver};
use crate::names::scope::{ItemId, ItemKind, Status};
use crate::types::value::Value;

impl<'t> Resolver<'t> {
    /// `speed u = …`: ends the structure.
    pub fn fix_speeds(&mut self, items: &[ItemId]) {
        self.phase = Phase::Speeds;
        let mut user = vec![];
        let mut sources: Vec<(ItemId, Dimension, Span)> = vec![];
        for item in items {
            let ItemKind::Speed(d) = self.names.items[*item].kind else { continue };
            let Some(e) = &d.value else {
                self.error(
                    codes::SPEEDS,
                    format!("the speed `{}` has no definition", d.name.text),
                    d.name.span,
                    format!("write `speed {} = der(q)`", d.name.text),
                );
                continue;
            };
            self.settle_expression(e, self.names.items[*item].scope);
            let Some(s) = self.any_scalar(e, &Env::default()) else { continue };
            let unit = match &d.unit {
                Some(unit) => self.unit(unit),
                None => None,
            };
            let quantity =
                self.quantity(*item, s.dimension, unit.as_ref().map(Unit::text), d.description.as_ref());
            user.push((quantity, s.expr));
            sources.push((*item, s.dimension, e.span));
        }
        // Rates of coordinates still stand for themselves in what was evaluated for the speeds.
        for item in self.names.items.ids() {
            let entry = &self.names.items[item];
            let stale = match (&entry.status, entry.kind) {
                (Status::Done(Value::Scalar(s)), ItemKind::Variable(_)) => {
                    self.pool().depends_on(s.expr, Depends::UNKNOWNS)
                }
                (Status::Done(Value::Vector(a)), ItemKind::Variable(_)) => {
                    a.vector.terms().iter().any(|(_, c)| self.pool().depends_on(*c, Depends::UNKNOWNS))
                }
                _ => false,
            };
            if stale {
                self.names.items[item].status = Status::Pending;
            }
        }
        let names: Vec<String> = user.iter().map(|(q, _)| q.name.clone()).collect();
        let result = self.builder.fix_speeds(user);
        self.phase = Phase::Motion;
        let (message, places) = match result {
            Ok(()) => {
                for ((item, dimension, _), name) in sources.iter().zip(names) {
                    let speeds = &self.builder.model().speeds;
                    let symbol = speeds.iter().find(|(_, s)| s.quantity.name == name).map(|(_, s)| s.symbol);
                    self.names.items[*item].status = match symbol {
                        Some(symbol) => Status::Done(Value::quantity(symbol, *dimension)),
                        None => Status::Failed,
                    };
                }
                return;
            }
            Err(SpeedError::NotLinear(k)) => {
                ("this speed is not linear in the rates of the coordinates", vec![k])
            }
            Err(SpeedError::Singular(which)) if which.len() == 1 => {
                ("this speed does not determine the rate of any coordinate", which)
            }
            Err(SpeedError::Singular(which)) => {
                ("these speeds do not determine the rates of the coordinates", which)
            }
        };
        for (item, _, _) in &sources {
            self.names.items[*item].status = Status::Failed;
        }
        let mut d = Diagnostic::error(codes::SPEEDS, message);
        let several = places.len() > 1;
        for (k, (_, _, span)) in places.iter().filter_map(|k| sources.get(*k)).enumerate() {
            d = if k == 0 { d.at(*span, "") } else { d.also(*span, "this one") };
        }
        if let Some(last) = d.labels.last_mut().filter(|_| several) {
            last.text = "follows from the others".into();
        }
        self.report(d.hint(
            "write each speed as a sum of factors times `der(q)`, each coordinate in at least one of them",
        ));
    }

    /// The variables, once known, become part of the model.
    pub fn publish_variables(&mut self, items: &[ItemId]) {
        for item in items {
            let ItemKind::Variable(d) = self.names.items[*item].kind else { continue };
            let Status::Done(value) = self.names.items[*item].status.clone() else { continue };
            let unit = d.value.as_ref().and_then(|e| match &e.kind {
                ExprKind::Quantity { unit, .. } => Some(unit.text.clone()),
                _ => None,
            });
            for (suffix, value, dimension) in self.scalars_of(&value) {
                let mut quantity = self.quantity(*item, dimension, unit.as_deref(), d.description.as_ref());
                quantity.name.push_str(suffix);
                self.builder.add_variable(Variable { quantity, value });
            }
        }
    }

    /// A value as numbers: vectors and points by their components in the ground's axes.
    fn scalars_of(&self, value: &Value) -> Vec<(&'static str, Expr, Dimension)> {
        let suffixes = [".x", ".y", ".z"];
        let newtonian = self.space().newtonian();
        let triple = |components: [Expr; 3], dimension: Dimension| {
            suffixes.into_iter().zip(components).map(|(s, c)| (s, c, dimension)).collect()
        };
        match value {
            Value::Scalar(s) => vec![("", s.expr, s.dimension)],
            Value::Boolean(b) => vec![("", *b, Dimension::ONE)],
            Value::Vector(a) => triple(self.space().components(&a.vector, newtonian), a.dimension),
            Value::Point(p) => {
                let position = self.space().position(&self.space().origin(newtonian), p);
                triple(self.space().components(&position, newtonian), Dimension::LENGTH)
            }
            Value::Tuple(parts) => {
                let scalars = parts.iter().zip(suffixes).filter_map(|((v, _), suffix)| match v {
                    Value::Scalar(s) => Some((suffix, s.expr, s.dimension)),
                    _ => None,
                });
                if parts.len() == 3 { scalars.collect() } else { vec![] }
            }
            Value::Frame(_) | Value::Text(_) => vec![],
        }
    }

    /// `output v = EXPR in [km/h]`
    pub fn output(&mut self, output: &'t syntax::Output) -> Option<()> {
        self.settle_expression(&output.value, self.root);
        let name = match &output.name {
            Some(name) => name.text.clone(),
            None => self.text(output.value.span),
        };
        let span = output.name.as_ref().map_or(output.value.span, |n| n.span);
        if let Some(first) = self.output_names.get(&name) {
            let d = Diagnostic::error(codes::DUPLICATE, format!("there are two outputs called `{name}`"));
            let d = d.at(span, "here again").also(*first, "first here");
            self.report(d.hint("give one of them another name: `output other = …`"));
            return None;
        }
        self.output_names.insert(name.clone(), span);
        let value = self.evaluate(&output.value, &Env::default())?;
        let scalars = self.scalars_of(&value);
        if scalars.is_empty() {
            self.wrong_kind(&value, output.value.span, "a number or a vector");
            return None;
        }
        let unit = match &output.display {
            Some(text) => {
                let found = scalars.first().map_or(Dimension::ONE, |(_, _, d)| *d);
                let unit = self.unit_to_show(text, found, output.value.span)?;
                if let Value::Scalar(s) = &value {
                    self.cycles_in_unit(s, output.value.span, &unit, text.span);
                }
                Some(unit.text().to_owned())
            }
            None => None,
        };
        for (suffix, value, dimension) in scalars {
            let mut quantity =
                Quantity::new(format!("{}{name}{suffix}", self.names.scopes[self.root].prefix), dimension);
            quantity.span = Some(span);
            quantity.display_unit.clone_from(&unit);
            quantity.description = output.description.as_ref().map_or(String::new(), |t| t.text.clone());
            self.builder.add_output(Output { quantity, value });
        }
        Some(())
    }

    /// `start { … }`
    pub fn start(&mut self, statement: &'t syntax::Statement) {
        let StatementKind::Start(content) = &statement.kind else { return };
        for statement in content {
            match &statement.kind {
                StatementKind::Assign(a) => {
                    self.start_of(&a.target, &a.value, false, Given::Exactly);
                }
                StatementKind::Equation { left, right } => self.start_at(left, right, Given::Exactly),
                StatementKind::Guess { left, right } => self.start_at(left, right, Given::Approximately),
                _ => self.no_start(statement.span, "this is not a start value"),
            }
        }
    }

    /// A start value for a name or for `der(name)`.
    fn start_at(&mut self, left: &'t syntax::Expr, right: &'t syntax::Expr, given: Given) {
        let target = match &left.kind {
            ExprKind::Name(path) => Some((path, false)),
            ExprKind::Call(call) if call.function.is("der") && call.arguments.len() == 1 => {
                match &call.arguments[0].value.kind {
                    ExprKind::Name(path) => Some((path, true)),
                    _ => None,
                }
            }
            _ => None,
        };
        match target {
            Some((path, rate)) => {
                self.start_of(path, right, rate, given);
            }
            None => match &left.kind {
                ExprKind::Call(call) if !call.function.is("der") => {
                    let (name, value) = (self.text(call.function.span), self.text(right.span));
                    let help = format!("values in `start` are those of the beginning: `{name} = {value}`");
                    self.error(codes::START, "a start value has no argument", left.span, help);
                }
                _ => self.no_start(left.span, "this has no start value"),
            },
        }
    }

    /// The names of the speeds of the model that an expression holds.
    pub fn speeds_in(&self, e: Expr) -> Vec<String> {
        let (pool, speeds) = (self.pool(), &self.builder.model().speeds);
        let holds = |symbol: Expr| pool.as_symbol(symbol).is_some_and(|s| pool.contains(e, s));
        speeds.iter().filter(|(_, u)| holds(u.symbol)).map(|(_, u)| u.quantity.name.clone()).collect()
    }

    /// Whether `speed` statements define speeds.
    fn has_own_speeds(&self) -> bool {
        self.names.items.iter().any(|(_, item)| matches!(item.kind, ItemKind::Speed(_)))
    }

    fn no_start(&mut self, span: Span, message: &str) {
        self.error(
            codes::START,
            message,
            span,
            "write a coordinate, a speed, a state or `der(q)` of a coordinate, then `=` and its value, or `~` and a guess",
        );
    }

    /// Refuses the start value of a body: it is that of a coordinate of its joint.
    fn no_start_of(&mut self, item: ItemId, span: Span, e: &'t syntax::Expr) {
        let message = "this has no start value";
        let named = self.names.body_of(item).map(|b| {
            let own = &self.names.bodies[b].tree.name.text;
            let degrees = self.plans[b].degrees.iter().enumerate();
            let alone = self.plans[b].degrees.len() == 1;
            let name = |(k, d): (usize, &crate::joints::plan::Degree<'_>)| match d.name {
                Some(name) => name.text.clone(),
                None if alone => format!("{own}.q"),
                None => format!("{own}.q{}", k + 1),
            };
            degrees.map(name).collect::<Vec<_>>()
        });
        match named.as_deref() {
            Some([one]) => {
                let help =
                    format!("a body starts where its coordinate does: `{one} = {}`", self.text(e.span));
                self.error(codes::START, message, span, help);
            }
            Some([first, rest @ ..]) => {
                let others = rest.iter().map(|n| format!(", `{n}`")).collect::<String>();
                let help = format!("a body starts where its coordinates do: `{first}`{others}");
                self.error(codes::START, message, span, help);
            }
            _ => self.no_start(span, message),
        }
    }

    /// Refuses a second start value of the same coordinate, speed or state.
    fn starts_once(&mut self, begins: Option<Expr>, span: Span, rate: bool) -> Option<()> {
        let Some(first) = begins.and_then(|e| self.started.insert(e, span)) else { return Some(()) };
        let name = if rate { format!("der({})", self.text(span)) } else { self.text(span) };
        let d = Diagnostic::error(codes::DUPLICATE, format!("`{name}` is given two start values"));
        self.report(d.at(span, "here again").also(first, "first here").hint("remove one of them"));
        None
    }

    /// `arm.locked = 1`, `floor.closed = 1`: whether a lock or a contact holds at the start.
    fn start_held(&mut self, symbol: Expr, path: &'t syntax::Path, e: &'t syntax::Expr) -> Option<()> {
        self.starts_once(Some(symbol), path.span, false)?;
        self.settle_expression(e, self.root);
        let value = self.scalar(e, Dimension::ONE, "this start value", &Env::default())?;
        let value = self.constant(value, e.span, "a start value")?;
        let pool = self.pool();
        if pool.as_number(value).is_some_and(|n| !n.is_zero() && !n.is_one()) {
            let message = format!("`{}` is 1 or 0", self.text(path.span));
            self.error(codes::START, message, e.span, "write 1 where it holds at the start, else 0");
            return None;
        }
        let found = self.builder.model().hybrid.discretes.iter().find(|(_, d)| d.symbol == symbol)?.0;
        self.builder.start_discrete(found, value);
        Some(())
    }

    fn start_of(
        &mut self,
        path: &'t syntax::Path,
        e: &'t syntax::Expr,
        rate: bool,
        given: Given,
    ) -> Option<()> {
        let found = self.names.find_path(self.root, path).filter(|(_, n)| *n == path.segments.len());
        let Some((item, _)) = found else {
            if path.segments.last().is_some_and(|s| s.name.text == "locked")
                && let Some(Value::Scalar(s)) = self.path(path, &Env::default())
            {
                return self.start_held(s.expr, path, e);
            }
            let known = self.names.find(self.root, path.segments.first().map_or("", |s| &s.name.text));
            match known {
                None => {
                    let coordinates = self.builder.model().coordinates.iter();
                    let names: Vec<String> =
                        coordinates.take(5).map(|(_, q)| format!("`{}`", q.quantity.name)).collect();
                    let help = match names.is_empty() {
                        true => "name a coordinate, a speed or a state".to_owned(),
                        false => format!("name a coordinate, a speed or a state: {}", names.join(", ")),
                    };
                    self.unknown(self.root, path, &help, &[]);
                }
                Some(_) => {
                    // The body exists; its members are listed by the usual complaint.
                    self.path(path, &Env::default());
                }
            }
            return None;
        };
        self.settle([item]);
        self.settle_expression(e, self.root);
        let kind = self.names.items[item].kind;
        let Status::Done(Value::Scalar(target)) = self.names.items[item].status.clone() else {
            if matches!(self.names.items[item].status, Status::Done(_)) {
                self.no_start_of(item, path.span, e);
            }
            return None;
        };
        if let ItemKind::Signal(_) = kind
            && !rate
            && self.builder.model().hybrid.discretes.iter().any(|(_, d)| d.symbol == target.expr)
        {
            return self.start_held(target.expr, path, e);
        }
        let dimension = if rate { target.dimension / Dimension::TIME } else { target.dimension };
        let begins = match (kind, rate) {
            (ItemKind::Coordinate(b, k), true) => match *self.built[b].get(k)? {
                BuiltCoordinate::Free(id) => Some(self.builder.model().coordinates[id].rate),
                _ => None,
            },
            _ => Some(target.expr),
        };
        self.starts_once(begins, path.span, rate)?;
        let value = self.scalar(e, dimension, "this start value", &Env::default())?;
        let value = self.constant(value, e.span, "a start value")?;
        let speed = |r: &Self, expr: Expr| {
            let speeds = &r.builder.model().speeds;
            speeds.iter().find(|(_, s)| s.symbol == expr).map(|(id, _)| id)
        };
        let start_speed = |r: &mut Self, id: SpeedId| match given {
            Given::Approximately => r.builder.guess_speed(id, value),
            _ => r.builder.start_speed(id, value),
        };
        match (kind, rate) {
            (ItemKind::Coordinate(b, k), false) => match *self.built[b].get(k)? {
                BuiltCoordinate::Free(id) if given == Given::Approximately => {
                    self.builder.guess_coordinate(id, value)
                }
                BuiltCoordinate::Free(id) => {
                    self.given_starts.push((id, path.span));
                    self.builder.start_coordinate(id, value);
                }
                BuiltCoordinate::Locked(id) => self.builder.set_default(id, value),
                BuiltCoordinate::Prescribed(_) => {
                    self.no_start(path.span, "this coordinate follows a prescribed motion")
                }
            },
            (ItemKind::Coordinate(b, k), true) => match *self.built[b].get(k)? {
                BuiltCoordinate::Free(id) => {
                    let rate = self.builder.model().coordinates[id].rate;
                    match speed(self, rate) {
                        Some(id) => start_speed(self, id),
                        None => {
                            let d = Diagnostic::error(
                                codes::START,
                                "the rate of this coordinate is not a speed of the model",
                            );
                            let names = self.speeds_in(rate).join("`, `");
                            let d =
                                d.at(path.span, "").because(format!("it follows from the speeds `{names}`"));
                            let instead = match self.has_own_speeds() {
                                true => "leave the `speed` statements out",
                                false => "write `speeds = rates` in the joint",
                            };
                            self.report(d.hint(format!("give the start values of `{names}`, or {instead}")));
                        }
                    }
                }
                _ => self.no_start(path.span, "this coordinate does not move freely"),
            },
            (ItemKind::JointSpeed(..) | ItemKind::Speed(_), false) => match speed(self, target.expr) {
                Some(id) => start_speed(self, id),
                None => {
                    let names = self.speeds_in(target.expr).join("`, `");
                    let d = Diagnostic::error(codes::START, "this speed follows from others");
                    let d = d
                        .at(path.span, "")
                        .because(format!("the speeds of the model take its place: `{names}`"));
                    self.report(d.hint(format!("give the start values of `{names}`")));
                }
            },
            (ItemKind::State(_) | ItemKind::Discrete(_), false) if given == Given::Approximately => {
                self.no_start(path.span, "a state starts at a value, not near one")
            }
            // The value was taken when the state was made.
            (ItemKind::State(_) | ItemKind::Discrete(_), false) => {}
            _ => self.no_start(path.span, "this has no start value"),
        }
        Some(())
    }
}
