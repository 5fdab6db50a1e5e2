//! The values of named things: parameters, constants, variables, states, tables, points.

use cardan_base::{Diagnostic, Id};
use cardan_expr::{Depends, Expr};
use cardan_kinematics::Point;
use cardan_model::{Interpolation, InvalidTable, Quantity, Table};
use cardan_syntax::{self as syntax, Declaration, Name, Text};
use cardan_units::{Dimension, Unit};

use crate::context::{BuiltCoordinate, Env, Phase, Resolver};
use crate::eval::periodic;
use crate::names::scope::{ItemId, ItemKind, Status};
use crate::types::value::{Scalar, Value};
use crate::{codes, resource_limits};

impl<'t> Resolver<'t> {
    /// Evaluates an item whose needs are known.
    pub fn evaluate_item(&mut self, item: ItemId) {
        let status = match self.names.items[item].kind {
            ItemKind::Function(_) | ItemKind::Procedure(_) | ItemKind::Speed(_) => return,
            ItemKind::External(e) => {
                self.external(item, e);
                return;
            }
            ItemKind::JointSpeed(..)
            | ItemKind::StateRate(_)
            | ItemKind::Load(..)
            | ItemKind::Element(_)
            | ItemKind::ClosingJoint(..)
            | ItemKind::Held(_)
            | ItemKind::Constraint(..)
            | ItemKind::Signal(..)
                if self.phase != Phase::Motion =>
            {
                return;
            }
            ItemKind::Element(index) => {
                self.element(item, index);
                return;
            }
            ItemKind::ClosingJoint(joint, span) => {
                let told = self.closing_joint(joint, span);
                return self.tell(item, told);
            }
            ItemKind::Held(b) => {
                let told = self.holding(b);
                return self.tell(item, told);
            }
            ItemKind::Constraint(constraint, span) => {
                let name = self.names.items[item].name.clone();
                let told = self.constraint(&name, constraint, span);
                return self.tell(item, told);
            }
            kind => self.item(item, kind).map_or(Status::Failed, Status::Done),
        };
        self.names.items[item].status = status;
    }

    /// Gives the signals of an element, joint or constraint their values; nothing if it could not be built.
    pub fn tell(&mut self, item: ItemId, told: Option<Vec<(&'static str, Value)>>) {
        self.names.items[item].status = if told.is_some() { Status::Built } else { Status::Failed };
        let Some(inner) = self.names.inside(item) else { return };
        let signals: Vec<(String, ItemId)> =
            self.names.scopes[inner].entries.iter().map(|(n, i)| (n.clone(), *i)).collect();
        for (name, signal) in signals {
            if !matches!(self.names.items[signal].kind, ItemKind::Signal(_)) {
                continue;
            }
            let value = told.iter().flatten().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
            self.names.items[signal].status = value.map_or(Status::Failed, Status::Done);
        }
    }

    fn item(&mut self, item: ItemId, kind: ItemKind<'t>) -> Option<Value> {
        let scope = self.names.items[item].scope;
        let env = Env { scope: Some(scope), ..Env::default() };
        match kind {
            ItemKind::Newtonian => Some(Value::Frame(self.space().newtonian())),
            ItemKind::Time => Some(Value::quantity(self.space().time(), Dimension::TIME)),
            ItemKind::Pi => Some(Value::Scalar(Scalar::new(self.pool().pi(), Dimension::ONE, true))),
            ItemKind::Parameter(d) => self.parameter(item, d, &env),
            ItemKind::Input(d) => self.input(item, d, &env),
            ItemKind::Constant(d) => self.constant_item(d, &env),
            ItemKind::Variable(d) => self.variable(d, &env),
            ItemKind::State(s) => self.state(item, &s.declaration, &env),
            ItemKind::Discrete(d) => self.discrete(item, d, &env),
            ItemKind::StateRate(state) => self.state_rate(state, &env),
            ItemKind::Table(t) => self.table(t, &env),
            ItemKind::Body(b) => self.body_frame(b),
            ItemKind::BodyData(b) => self.body_data(b),
            ItemKind::Coordinate(b, k) => {
                let dimension = self.plans[b].degrees[k].dimension;
                let expr = match *self.built[b].get(k)? {
                    BuiltCoordinate::Free(id) => self.builder.model().coordinates[id].symbol,
                    BuiltCoordinate::Locked(id) => self.builder.model().parameters[id].symbol,
                    BuiltCoordinate::Prescribed(motion) => motion,
                };
                Some(Value::quantity(expr, dimension))
            }
            ItemKind::JointSpeed(b, k) => self.joint_speed(b, k),
            ItemKind::Point(p, body) => self.point_item(item, p, body),
            ItemKind::DefaultParameter(dimension) => {
                let quantity = self.quantity(item, dimension, None, None);
                let id = self.builder.add_parameter(quantity, None);
                Some(Value::quantity(self.builder.model().parameters[id].symbol, dimension))
            }
            ItemKind::Load(load, span) => self.load(load, span),
            // A signal gets its value from its element, a speed from the definition of all speeds.
            ItemKind::Function(_)
            | ItemKind::Procedure(_)
            | ItemKind::External(_)
            | ItemKind::Speed(_)
            | ItemKind::Element(_)
            | ItemKind::ClosingJoint(..)
            | ItemKind::Held(_)
            | ItemKind::Constraint(..)
            | ItemKind::Signal(..) => None,
        }
    }

    /// What results say about an item.
    pub fn quantity(
        &self,
        item: ItemId,
        dimension: Dimension,
        unit: Option<&str>,
        description: Option<&Text>,
    ) -> Quantity {
        let entry = &self.names.items[item];
        let mut quantity = Quantity::new(entry.name.clone(), dimension);
        quantity.span = entry.span;
        quantity.description = description.map_or(String::new(), |t| t.text.clone());
        quantity.display_unit = unit.map(str::to_owned);
        quantity
    }

    /// The declared value in SI, with its dimension and the unit that was written.
    fn declared(&mut self, d: &Declaration, env: &Env<'t>) -> Option<(Option<Value>, Option<Unit>)> {
        let unit = match &d.unit {
            Some(unit) => Some(self.unit(unit)?),
            None => None,
        };
        let Some(e) = &d.value else { return Some((None, unit)) };
        let value = self.evaluate(e, env)?;
        let value = match (value, &unit) {
            (Value::Scalar(s), Some(unit)) if s.bare => {
                Value::quantity(self.pool().mul(self.factor(unit.scale()), s.expr), unit.dimension())
            }
            (Value::Scalar(s), Some(unit)) => {
                self.cycles_in_unit(&s, e.span, unit, d.unit.as_ref().map_or(d.name.span, |u| u.span));
                let expr = self.expect(&s, e, unit.dimension(), "this value", env)?;
                Value::quantity(expr, unit.dimension())
            }
            (Value::Scalar(s), None) => Value::Scalar(Scalar { bare: false, ..s }),
            (value, _) => value,
        };
        let written = match &e.kind {
            syntax::ExprKind::Quantity { unit, .. } => Unit::parse(&unit.text).ok(),
            _ => None,
        };
        let value = match value {
            Value::Scalar(s) => Value::Scalar(s.written_in(unit.as_ref())),
            other => other,
        };
        Some((Some(value), unit.or(written)))
    }

    fn parameter(&mut self, item: ItemId, d: &'t Declaration, env: &Env<'t>) -> Option<Value> {
        let (value, unit) = self.declared(d, env)?;
        let (default, dimension, written) = match value {
            None => {
                let dimension = unit.as_ref().map_or(Dimension::ONE, Unit::dimension);
                let plain = Scalar::new(self.pool().zero(), dimension, false);
                (None, dimension, plain.written_in(unit.as_ref()).written)
            }
            Some(Value::Scalar(s)) => {
                let place = d.value.as_ref().map_or(d.name.span, |e| e.span);
                (Some(self.constant(s.expr, place, "the value of a parameter")?), s.dimension, s.written)
            }
            Some(other) => {
                let place = d.value.as_ref().map_or(d.name.span, |e| e.span);
                self.wrong_kind(&other, place, "a number");
                return None;
            }
        };
        let range = self.range(d, dimension, env)?;
        let quantity = self.quantity(item, dimension, unit.as_ref().map(Unit::text), d.description.as_ref());
        let small = u8::from(self.small_items.contains(&item));
        let id = self.builder.add_small_parameter(quantity, default, small);
        if let Some(range) = range {
            self.builder.set_range(id, range);
        }
        let expr = self.builder.model().parameters[id].symbol;
        Some(Value::Scalar(Scalar { expr, dimension, bare: false, written }))
    }

    /// The values between which a quantity is meant to lie, if it says so.
    fn range(
        &mut self,
        d: &'t Declaration,
        dimension: Dimension,
        env: &Env<'t>,
    ) -> Option<Option<[Expr; 2]>> {
        let Some(syntax::Expr { kind: syntax::ExprKind::Range { low, high }, .. }) = &d.range else {
            return Some(None);
        };
        // `-10 .. 10 [N]`: one unit serves both ends.
        let a = match (plain_number(low), &high.kind) {
            (true, syntax::ExprKind::Quantity { unit, .. }) => {
                let unit = self.unit(unit)?;
                let number = self.any_scalar(low, env)?.expr;
                let low = self.pool().mul(self.factor(unit.scale()), number);
                unit.dimension().compatible(&dimension).then_some(low)
            }
            _ => None,
        };
        let a = match a {
            Some(a) => a,
            None => self.scalar(low, dimension, "the lower end", env)?,
        };
        let b = self.scalar(high, dimension, "the upper end", env)?;
        let a = self.constant(a, low.span, "the lower end of a range")?;
        Some(Some([a, self.constant(b, high.span, "the upper end of a range")?]))
    }

    fn input(&mut self, item: ItemId, d: &'t Declaration, env: &Env<'t>) -> Option<Value> {
        let (value, unit) = self.declared(d, env)?;
        let place = d.value.as_ref().map_or(d.name.span, |e| e.span);
        let default = match value {
            None => {
                let dimension = unit.as_ref().map_or(Dimension::ONE, Unit::dimension);
                Scalar::new(self.pool().zero(), dimension, false).written_in(unit.as_ref())
            }
            Some(Value::Scalar(s)) => s,
            Some(other) => {
                self.wrong_kind(&other, place, "a number");
                return None;
            }
        };
        let depends = self.pool().depends(default.expr);
        let of_time =
            depends.contains(Depends::TIME) && (Depends::TIME | Depends::PARAMETERS).contains(depends);
        if depends != Depends::NOTHING && !of_time {
            let message = "the value of an input is a number or a function of time";
            let d = Diagnostic::error(codes::VARIES, message).at(place, "");
            let d =
                d.because("an input is given from outside at every instant; this is its value until then");
            self.report(d.hint("use numbers, or add the other quantities where the input acts"));
            return None;
        }
        let range = self.range(d, default.dimension, env)?;
        let unit = unit.as_ref().map(Unit::text);
        let quantity = self.quantity(item, default.dimension, unit, d.description.as_ref());
        let id = self.builder.add_input(quantity, default.expr);
        if let Some(range) = range {
            self.builder.set_range(id, range);
        }
        let expr = self.builder.model().parameters[id].symbol;
        Some(Value::Scalar(Scalar { expr, bare: false, ..default }))
    }

    fn constant_item(&mut self, d: &'t Declaration, env: &Env<'t>) -> Option<Value> {
        let (value, _) = self.declared(d, env)?;
        let Some(value) = value else {
            self.no_value(&d.name, "constant");
            return None;
        };
        if let Value::Scalar(s) = &value {
            let place = d.value.as_ref().map_or(d.name.span, |e| e.span);
            self.constant(s.expr, place, "a constant")?;
        }
        Some(value)
    }

    fn no_value(&mut self, name: &Name, what: &str) {
        let message = format!("the {what} `{}` has no value", name.text);
        self.error(codes::KIND, message, name.span, format!("write `{what} {} = …`", name.text));
    }

    fn variable(&mut self, d: &'t Declaration, env: &Env<'t>) -> Option<Value> {
        let (value, _) = self.declared(d, env)?;
        if value.is_none() {
            self.no_value(&d.name, "variable");
        }
        value
    }

    fn state(&mut self, item: ItemId, d: &'t Declaration, env: &Env<'t>) -> Option<Value> {
        let (start, dimension, unit) = self.start_value(item, d, env, "the start value of a state")?;
        let quantity = self.quantity(item, dimension, unit.as_ref().map(Unit::text), d.description.as_ref());
        let small = u8::from(self.small_items.contains(&item));
        let id = self.builder.add_small_state(quantity, start, small);
        self.state_ids.insert(item, id);
        let quantity = Scalar::new(self.builder.model().states[id].symbol, dimension, false);
        Some(Value::Scalar(quantity.written_in(unit.as_ref())))
    }

    /// The declared start of a state, or the one that `start { … }` gives, with the unit that was written.
    pub fn start_value(
        &mut self,
        item: ItemId,
        d: &'t Declaration,
        env: &Env<'t>,
        what: &str,
    ) -> Option<(Expr, Dimension, Option<Unit>)> {
        let (value, unit) = self.declared(d, env)?;
        let (start, dimension) = match value {
            None => (self.pool().zero(), unit.as_ref().map_or(Dimension::ONE, Unit::dimension)),
            Some(Value::Scalar(s)) => {
                let place = d.value.as_ref().map_or(d.name.span, |e| e.span);
                (self.constant(s.expr, place, what)?, s.dimension)
            }
            Some(other) => {
                self.wrong_kind(&other, d.name.span, "a number");
                return None;
            }
        };
        let start = match self.state_starts.get(&item).copied() {
            Some(e) => {
                let value = self.scalar(e, dimension, "this start value", env)?;
                self.constant(value, e.span, what)?
            }
            None => start,
        };
        Some((start, dimension, unit))
    }

    fn state_rate(&mut self, state: ItemId, env: &Env<'t>) -> Option<Value> {
        let Status::Done(Value::Scalar(s)) = self.names.items[state].status.clone() else { return None };
        let Some(e) = self.rate_expression(state) else {
            let entry = &self.names.items[state];
            let (name, span) = (entry.name.clone(), entry.span);
            let d = Diagnostic::error(codes::STATE, format!("the state `{name}` has no equation"));
            let d = span.map_or(d.clone(), |span| d.at(span, ""));
            self.report(d.hint(format!("write `der({name}) = …`")));
            return None;
        };
        let dimension = s.dimension / Dimension::TIME;
        self.state_has_no_unit(state, e, dimension, env)?;
        let rate = self.scalar(e, dimension, "this rate", env)?;
        let id = *self.state_ids.get(&state)?;
        self.builder.set_state_rate(id, rate);
        Some(Value::quantity(rate, dimension))
    }

    /// Refuses a state whose start is a plain number and whose rate has a dimension: the state lacks its unit, not the rate.
    fn state_has_no_unit(
        &mut self,
        state: ItemId,
        e: &'t syntax::Expr,
        dimension: Dimension,
        env: &Env<'t>,
    ) -> Option<()> {
        let ItemKind::State(s) = self.names.items[state].kind else { return Some(()) };
        let has_unit = |e: &syntax::Expr| !matches!(e.kind, syntax::ExprKind::Number(_));
        if s.declaration.unit.is_some() || s.declaration.value.as_ref().is_some_and(has_unit) {
            return Some(());
        }
        let (rate, _) = self.quietly(|r| r.evaluate(e, env));
        let Some(Value::Scalar(rate)) = rate else { return Some(()) };
        if rate.bare || rate.dimension.compatible(&dimension) {
            return Some(());
        }
        let (name, start) = (&s.declaration.name, s.declaration.value.as_ref());
        let start = start.map_or("0".to_owned(), |e| self.text(e.span));
        let unit = rate.dimension * Dimension::TIME;
        let message =
            format!("the state `{}` has no unit, and its rate is in [{}]", name.text, rate.dimension);
        let d = Diagnostic::error(codes::DIMENSION, message);
        let d =
            d.at(name.span, format!("[1], expected [{unit}]")).also(e.span, format!("[{}]", rate.dimension));
        self.report(d.hint(format!("write `state {} = {start} [{unit}]`", name.text)));
        None
    }

    fn joint_speed(&mut self, b: usize, k: usize) -> Option<Value> {
        let dimension = self.plans[b].speeds[k].dimension;
        let expr = match self.plans[b].speeds[k].rate_of {
            Some(degree) => match *self.built[b].get(degree)? {
                BuiltCoordinate::Free(id) => self.builder.model().coordinates[id].rate,
                BuiltCoordinate::Locked(_) => self.pool().zero(),
                BuiltCoordinate::Prescribed(motion) => self.space().dt(motion),
            },
            None => {
                let name = self.speed_name(b, k);
                let speeds = &self.builder.model().speeds;
                speeds.iter().find(|(_, s)| s.quantity.name == name)?.1.symbol
            }
        };
        Some(Value::quantity(expr, dimension))
    }

    fn point_item(&mut self, item: ItemId, p: &'t syntax::Point, body: Option<usize>) -> Option<Value> {
        let scope = self.names.items[item].scope;
        let frame = match (body, &p.on) {
            (Some(b), _) => match self.names.items[self.names.bodies[b].frame].status.clone() {
                Status::Done(Value::Frame(frame)) => frame,
                _ => return None,
            },
            (None, Some(path)) => match self.path(path, &Env { scope: Some(scope), ..Env::default() })? {
                Value::Frame(frame) => frame,
                other => {
                    self.wrong_kind(&other, path.span, "a body or frame");
                    return None;
                }
            },
            (None, None) => self.space().newtonian(),
        };
        let env = Env { scope: Some(scope), frame: Some(frame), ..Env::default() };
        let name = self.names.items[item].name.clone();
        let point = match self.point(&p.value, &env, &name)? {
            place if p.fixed => {
                let coordinates = self.fixed_place(&place, frame);
                for c in coordinates {
                    self.constant(c, p.value.span, "a fixed place")?;
                }
                Point { name: name.clone(), frame, coordinates }
            }
            point if point.frame == frame => Point { name: name.clone(), ..point },
            other => {
                let offset = self.space().position(&self.space().origin(frame), &other);
                Point { name: name.clone(), frame, coordinates: self.space().components(&offset, frame) }
            }
        };
        let moves = Depends::SPEEDS | Depends::UNKNOWNS;
        if point.coordinates.iter().any(|c| self.pool().depends_on(*c, moves)) {
            self.too_early(p.value.span);
            return None;
        }
        self.builder.space_mut().add_point(name, frame, point.coordinates);
        Some(Value::Point(point))
    }

    /// A table. Its value is its number in the model, with the dimension of what it gives.
    fn table(&mut self, t: &'t syntax::Table, env: &Env<'t>) -> Option<Value> {
        // Numbers that could not be read from their file were refused before.
        if t.data.is_some() {
            return None;
        }
        let n = t.rows.iter().map(|r| r.values.len() + 1).sum::<usize>() + t.columns.len();
        if n > resource_limits::TABLE {
            let message = format!("this table has {n} numbers; {} are allowed", resource_limits::TABLE);
            self.error(codes::TOO_LARGE, message, t.name.span, "use fewer points");
            return None;
        }
        let unit_of = |r: &mut Self, unit: &Option<syntax::UnitText>| match unit {
            Some(unit) => r.unit(unit),
            None => Some(Unit::si(Dimension::ONE)),
        };
        let x_unit = unit_of(self, &t.inputs.first()?.unit)?;
        let y_unit = match t.inputs.get(1) {
            Some(input) => unit_of(self, &input.unit)?,
            None => Unit::si(Dimension::ONE),
        };
        let unit = unit_of(self, &t.unit)?;
        let numbers = |r: &mut Self, list: &mut dyn Iterator<Item = &'t syntax::Expr>, unit: &Unit| {
            list.map(|e| r.table_number(e, unit, env)).collect::<Option<Vec<f64>>>()
        };
        let x = numbers(self, &mut t.rows.iter().map(|r| &r.at), &x_unit)?;
        let y = numbers(self, &mut t.columns.iter(), &y_unit)?;
        let by_row = numbers(self, &mut t.rows.iter().flat_map(|r| &r.values), &unit)?;
        let columns = y.len().max(1);
        let transposed = (0..columns).flat_map(|j| (0..x.len()).map(move |i| i * columns + j));
        let values = transposed.filter_map(|k| by_row.get(k).copied()).collect();
        let interpolation = match t.method.text.as_str() {
            "steps" => Interpolation::Steps,
            "monotone" => Interpolation::Monotone,
            "spline" | periodic::METHOD => Interpolation::Spline,
            _ => Interpolation::Linear,
        };
        let is_increasing = x.is_sorted_by(|a, b| a < b);
        let name = format!("{}{}", self.names.scopes[env.scope.unwrap_or(self.root)].prefix, t.name.text);
        let inputs = t.inputs.iter().map(|i| i.name.text.clone());
        let table = Table {
            name,
            description: t.description.as_ref().map_or(String::new(), |d| d.text.clone()),
            arguments: inputs.zip([x_unit.dimension(), y_unit.dimension()]).collect(),
            dimension: unit.dimension(),
            interpolation,
            x,
            y,
            values,
        };
        match table.validate() {
            Ok(mut table) => {
                if t.method.text == periodic::METHOD {
                    (table.x, table.values) = self.repeated(t, &table.x, &table.values)?;
                }
                let id = self.builder.add_table(table);
                let number = i64::try_from(id.index()).unwrap_or(i64::MAX);
                Some(Value::quantity(self.pool().int(number), unit.dimension()))
            }
            Err(error) => {
                let row = match error {
                    InvalidTable::NotIncreasing(i) if is_increasing => t.columns.get(i).map(|e| e.span),
                    InvalidTable::NotIncreasing(i) => t.rows.get(i).map(|r| r.at.span),
                    _ => None,
                };
                let help = "give at least two points, arguments in increasing order";
                self.error(codes::TABLE, error.to_string(), row.unwrap_or(t.name.span), help);
                None
            }
        }
    }

    fn table_number(&mut self, e: &syntax::Expr, unit: &Unit, env: &Env<'t>) -> Option<f64> {
        self.table_expression(e, unit, env).map(|expr| self.number_of(expr))
    }

    /// A number of a table, exactly, in SI units.
    pub fn table_expression(&mut self, e: &syntax::Expr, unit: &Unit, env: &Env<'t>) -> Option<Expr> {
        let s = self.any_scalar(e, env)?;
        let expr = match s.bare {
            true => self.pool().mul(self.factor(unit.scale()), s.expr),
            false => self.expect(&s, e, unit.dimension(), "this number", env)?,
        };
        if self.pool().depends(expr) != Depends::NOTHING {
            let d = Diagnostic::error(codes::VARIES, "the numbers of a table must not vary").at(e.span, "");
            self.report(d.hint("use numbers and constants only"));
            return None;
        }
        Some(expr)
    }

    /// The value of an expression without letters.
    pub fn number_of(&self, expr: Expr) -> f64 {
        let pi = self.pool().as_symbol(self.pool().pi());
        self.pool().evaluate(expr, &|s| if Some(s) == pi { std::f64::consts::PI } else { f64::NAN })
    }
}

/// Whether an expression is a number without a unit, or its negative.
fn plain_number(e: &syntax::Expr) -> bool {
    match &e.kind {
        syntax::ExprKind::Number(_) => true,
        syntax::ExprKind::Unary { operand, .. } => plain_number(operand),
        _ => false,
    }
}
