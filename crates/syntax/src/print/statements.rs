//! Statements as text.

use std::fmt::Write;

use super::{Printer, Rank};
use crate::expression::{Call, Expr, Name, Path, Text, UnitText};
use crate::tree::*;

impl Printer {
    pub(super) fn content(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
            self.text("\n");
        }
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Model(block) => self.block("model", block),
            StatementKind::Subsystem(block) => self.block("subsystem", block),
            StatementKind::Import(import) => {
                self.text("import ");
                if !import.names.is_empty() {
                    self.list(&import.names, Self::name);
                    self.text(" from ");
                }
                self.quoted(&import.file.text);
                self.braces(&import.settings);
            }
            StatementKind::StrictUnits => self.text("strict units"),
            StatementKind::Gravity(value) => self.set("gravity", value),
            StatementKind::Newtonian(name) => self.worded("newtonian ", name),
            StatementKind::Parameter(items) => self.declarations("parameter ", items),
            StatementKind::Input(items) => self.declarations("input ", items),
            StatementKind::Constant(items) => self.declarations("constant ", items),
            StatementKind::Variable(items) => self.declarations("variable ", items),
            StatementKind::Discrete(items) => self.declarations("discrete ", items),
            StatementKind::Speed(items) => self.declarations("speed ", items),
            StatementKind::Local(items) => self.declarations("local ", items),
            StatementKind::State(states) => {
                self.text("state ");
                self.list(states, |p, state| {
                    p.declaration(&state.declaration);
                    if let Some(rate) = &state.derivative {
                        p.text(" { der = ");
                        p.expr(rate, Rank::Lowest);
                        p.text(" }");
                    }
                });
            }
            StatementKind::Function(f) => {
                self.worded("function ", &f.name);
                self.inputs(&f.inputs);
                self.maybe_unit(&f.unit);
                self.set("", &f.value);
                self.description(&f.description);
            }
            StatementKind::External(f) => {
                self.worded("external function ", &f.name);
                self.inputs(&f.inputs);
                self.maybe_unit(&f.unit);
                self.description(&f.description);
            }
            StatementKind::Table(table) => self.table(table),
            StatementKind::Body(body) => self.body(body),
            StatementKind::Point(point) => {
                self.worded("point ", &point.name);
                if let Some(on) = &point.on {
                    self.text(" on ");
                    self.path(on);
                }
                self.text(if point.fixed { " at " } else { " = " });
                self.expr(&point.value, Rank::Lowest);
                self.description(&point.description);
            }
            StatementKind::Shape(shape) => {
                self.text("shape ");
                if let Some(name) = &shape.name {
                    self.name(name);
                    self.text(" = ");
                }
                self.call(&shape.form);
            }
            StatementKind::Joint(joint) => {
                self.worded("joint ", &joint.name);
                self.text(" = ");
                self.call(&joint.form);
                self.description(&joint.description);
            }
            StatementKind::Link(link) => {
                self.worded("joint ", &link.name);
                self.phrase(" between ", &link.first);
                self.phrase(" and ", &link.second);
                self.joints(&link.joints);
                self.description(&link.description);
            }
            StatementKind::Constraint(constraint) => {
                self.text("constraint ");
                if let Some(name) = &constraint.name {
                    self.name(name);
                    self.text(" = ");
                }
                self.expr(&constraint.relation, Rank::Lowest);
                self.description(&constraint.description);
            }
            StatementKind::Load(load) => {
                self.worded(if load.kind == LoadKind::Force { "force " } else { "torque " }, &load.name);
                self.phrase(" on ", &load.on);
                if let Some(from) = &load.from {
                    self.phrase(" from ", from);
                }
                self.set("", &load.value);
                if let Some(energy) = &load.energy {
                    self.set(" { energy", energy);
                    self.text(" }");
                }
                self.description(&load.description);
            }
            StatementKind::Element(element) => {
                let _ = write!(self.out, "{} ", element.kind);
                self.named(&element.name, &element.description);
                match &element.ends {
                    Ends::Between(first, second) => {
                        self.phrase(" between ", first);
                        self.phrase(" and ", second);
                    }
                    Ends::On { on, from } => {
                        self.phrase(" on ", on);
                        if let Some(from) = from {
                            self.phrase(" from ", from);
                        }
                    }
                }
                if let Some(value) = &element.value {
                    self.set("", value);
                }
                self.braces(&element.content);
            }
            StatementKind::Instance(instance) => {
                let _ = write!(self.out, "{} ", instance.kind);
                self.named(&instance.name, &instance.description);
                match &instance.origin {
                    Some(origin) => {
                        self.text(" = ");
                        self.call(origin);
                    }
                    None => {
                        self.text("(");
                        self.arguments(&instance.arguments);
                        self.text(")");
                    }
                }
                self.braces(&instance.content);
            }
            StatementKind::Port(port) => {
                self.text("port ");
                self.list(&port.names, Self::name);
                match &port.kind {
                    PortKind::Frame => self.text(": frame"),
                    PortKind::Point => self.text(": point"),
                    PortKind::In(unit) => {
                        self.text(": in");
                        self.maybe_unit(unit);
                    }
                    PortKind::Out(unit) => {
                        self.text(": out");
                        self.maybe_unit(unit);
                    }
                }
                if let Some(default) = &port.default {
                    self.text(" = ");
                    self.expr(default, Rank::Lowest);
                }
                self.description(&port.description);
            }
            StatementKind::Slot(slot) => {
                let _ = write!(self.out, "slot {}: {}", slot.name, slot.interface);
                if let Some(default) = &slot.default {
                    self.text(" = ");
                    self.call(default);
                }
                self.braces(&slot.content);
                self.description(&slot.description);
            }
            StatementKind::Connection(connection) => {
                self.path(&connection.port);
                self.phrase(" -> ", &connection.to);
                self.joints(&connection.joints);
                if let Some(at) = &connection.at {
                    self.text(" at ");
                    self.expr(at, Rank::Lowest);
                }
            }
            StatementKind::Cut(paths) => self.paths("cut ", paths),
            StatementKind::Lock(paths) => self.paths("lock ", paths),
            StatementKind::Release(paths) => self.paths("release ", paths),
            StatementKind::Attach(a) => {
                self.text("attach ");
                self.path(&a.body);
                self.text(" to ");
                self.path(&a.to);
                if let Some(at) = &a.at {
                    self.text(" at ");
                    self.expr(at, Rank::Lowest);
                }
            }
            StatementKind::Detach(d) => {
                self.text("detach ");
                self.path(&d.body);
                if let Some(from) = &d.from {
                    self.text(" from ");
                    self.path(from);
                }
            }
            StatementKind::Small(paths) => self.paths("small ", paths),
            StatementKind::Start(content) => {
                self.text("start");
                self.braces(content);
            }
            StatementKind::Output(outputs) => {
                self.text("output ");
                self.list(outputs, |p, output| {
                    if let Some(name) = &output.name {
                        p.name(name);
                        p.text(" = ");
                    }
                    p.shown(&output.value, &output.display, &output.description);
                });
            }
            StatementKind::Show(list) => {
                self.text("show ");
                self.list(list, |p, shown| p.shown(&shown.target, &shown.display, &shown.description));
            }
            StatementKind::Experiment(experiment) => {
                let _ = write!(self.out, "{}", experiment.kind);
                if let Some(name) = &experiment.name {
                    let _ = write!(self.out, " {name}");
                }
                self.description(&experiment.description);
                self.required_braces(&experiment.content);
            }
            _ => self.action(&statement.kind),
        }
    }

    /// Statements that happen in order, and settings.
    fn action(&mut self, kind: &StatementKind) {
        match kind {
            StatementKind::When(when) => {
                self.text("when ");
                self.expr(&when.condition, Rank::Lowest);
                self.description(&when.description);
                self.required_braces(&when.content);
            }
            StatementKind::Every(every) => {
                self.text("every ");
                self.expr(&every.period, Rank::Or);
                if let Some(offset) = &every.offset {
                    self.text(" from ");
                    self.expr(offset, Rank::Or);
                }
                self.description(&every.description);
                self.required_braces(&every.content);
            }
            StatementKind::If(branches) => {
                for (k, (condition, content)) in branches.arms.iter().enumerate() {
                    self.text(if k == 0 { "if " } else { " else if " });
                    self.expr(condition, Rank::Lowest);
                    self.required_braces(content);
                }
                if !branches.otherwise.is_empty() {
                    self.text(" else");
                    self.required_braces(&branches.otherwise);
                }
            }
            StatementKind::For(repeated) => {
                let _ = write!(self.out, "for {} in ", repeated.name);
                self.expr(&repeated.range, Rank::Lowest);
                self.required_braces(&repeated.content);
            }
            StatementKind::Return(values) => {
                self.text("return ");
                self.list(values, |p, e| p.expr(e, Rank::Lowest));
            }
            StatementKind::Procedure(procedure) => {
                self.worded("procedure ", &procedure.name);
                self.inputs(&procedure.inputs);
                self.text(" -> ");
                self.inputs(&procedure.results);
                self.description(&procedure.description);
                self.required_braces(&procedure.content);
            }
            StatementKind::Several(several) => {
                self.text("(");
                self.list(&several.targets, Self::path);
                self.text(") := ");
                self.expr(&several.value, Rank::Lowest);
            }
            StatementKind::Assign(assign) => {
                self.path(&assign.target);
                self.set("", &assign.value);
            }
            StatementKind::Update(update) => {
                self.text(if update.overwrites { "overwrite " } else { "" });
                self.text(if update.is_rate { "der(" } else { "" });
                self.path(&update.target);
                self.text(if update.is_rate { ") := " } else { " := " });
                self.expr(&update.value, Rank::Lowest);
            }
            StatementKind::Stop(stop) => {
                self.text("stop");
                self.description(&stop.reason);
            }
            StatementKind::Guess { left, right } => {
                self.expr(left, Rank::Lowest);
                self.text(" ~ ");
                self.expr(right, Rank::Lowest);
            }
            StatementKind::Equation { left, right } => {
                self.expr(left, Rank::Lowest);
                self.set("", right);
            }
            _ => {}
        }
    }

    fn block(&mut self, word: &str, block: &Block) {
        let _ = write!(self.out, "{word} {}", block.name);
        self.description(&block.description);
        self.required_braces(&block.content);
    }

    fn body(&mut self, body: &Body) {
        self.text(match body.kind {
            BodyKind::Body => "body ",
            BodyKind::Frame => "frame ",
            BodyKind::Particle => "particle ",
        });
        self.named(&body.name, &body.description);
        if let Some(parent) = &body.parent {
            self.phrase(" on ", parent);
        }
        self.joints(&body.joints);
        if let Some(at) = &body.at {
            self.text(" at ");
            self.expr(at, Rank::Lowest);
        }
        self.braces(&body.content);
    }

    fn table(&mut self, table: &Table) {
        self.worded("table ", &table.name);
        self.inputs(&table.inputs);
        self.maybe_unit(&table.unit);
        if let Some(data) = &table.data {
            let _ = write!(self.out, " = {}({}", table.method, data.path);
            for (name, column) in [("x", &data.x), ("y", &data.y), ("z", &data.z)] {
                if let Some(column) = column {
                    let _ = write!(self.out, ", {name} = {column}");
                }
            }
            self.text(")");
            return self.description(&table.description);
        }
        let _ = writeln!(self.out, " = {} {{", table.method);
        if let (Some(second), false) = (table.inputs.get(1), table.columns.is_empty()) {
            let _ = write!(self.out, "{}: ", second.name);
            self.row(&table.columns);
        }
        for row in &table.rows {
            self.expr(&row.at, Rank::Or);
            self.text(": ");
            self.row(&row.values);
        }
        self.text("}");
        self.description(&table.description);
    }

    fn row(&mut self, values: &[Expr]) {
        match values {
            [one] => self.expr(one, Rank::Or),
            many => {
                self.text("(");
                self.list(many, |p, e| p.expr(e, Rank::Lowest));
                self.text(")");
            }
        }
        self.text("\n");
    }

    fn braces(&mut self, content: &[Statement]) {
        if !content.is_empty() {
            self.required_braces(content);
        }
    }

    fn required_braces(&mut self, content: &[Statement]) {
        if content.is_empty() {
            return self.text(" { }");
        }
        self.text(" {\n");
        self.content(content);
        self.text("}");
    }

    fn worded(&mut self, word: &str, name: &Name) {
        self.text(word);
        self.name(name);
    }

    fn named(&mut self, name: &Name, description: &Option<Text>) {
        self.name(name);
        self.description(description);
    }

    fn set(&mut self, target: &str, value: &Expr) {
        let _ = write!(self.out, "{target} = ");
        self.expr(value, Rank::Lowest);
    }

    /// An operand, in which `and` and `or` stand in brackets.
    fn phrase(&mut self, before: &str, e: &Expr) {
        self.text(before);
        self.expr(e, Rank::Compare);
    }

    fn paths(&mut self, word: &str, paths: &[Path]) {
        self.text(word);
        self.list(paths, Self::path);
    }

    fn joints(&mut self, calls: &[Call]) {
        for (k, call) in calls.iter().enumerate() {
            self.text(if k == 0 { " by " } else { " " });
            self.call(call);
        }
    }

    fn inputs(&mut self, inputs: &[Input]) {
        self.text("(");
        self.list(inputs, |p, input| {
            p.name(&input.name);
            p.maybe_unit(&input.unit);
        });
        self.text(")");
    }

    fn maybe_unit(&mut self, unit: &Option<UnitText>) {
        if let Some(unit) = unit {
            self.unit(unit);
        }
    }

    fn declarations(&mut self, word: &str, items: &[Declaration]) {
        self.text(word);
        self.list(items, Self::declaration);
    }

    fn declaration(&mut self, item: &Declaration) {
        self.name(&item.name);
        self.maybe_unit(&item.unit);
        if let Some(value) = &item.value {
            self.set("", value);
        }
        if let Some(range) = &item.range {
            self.text(" in ");
            self.expr(range, Rank::Lowest);
        }
        self.description(&item.description);
    }

    fn shown(&mut self, value: &Expr, display: &Option<UnitText>, description: &Option<Text>) {
        self.expr(value, Rank::Lowest);
        if let Some(unit) = display {
            self.text(" in");
            self.unit(unit);
        }
        self.description(description);
    }
}
