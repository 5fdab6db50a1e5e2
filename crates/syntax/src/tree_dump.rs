//! The tree as text: one line for each statement, two spaces for each level, every operator in
//! brackets. It shows what was understood, so `-a^2` reads `(-(a^2))`.
//!
//! Nothing but places is left out: two trees with equal outlines say the same.

use std::fmt::{self, Display, Formatter, Write};

use crate::expression::{Argument, Call, Expr, ExprKind, Name, Path, Text, UnitText};
use crate::tree::*;

impl Display for Tree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        content(f, &self.statements, 0)
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        statement(f, self, 0)
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.index.is_empty() { Ok(()) } else { write!(f, "[{}]", listed(&self.index)) }
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.segments.iter().enumerate() {
            let dot = if i == 0 { "" } else { "." };
            write!(f, "{dot}{}", segment.name)?;
            if !segment.index.is_empty() {
                write!(f, "[{}]", listed(&segment.index))?;
            }
        }
        Ok(())
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        quoted(f, &self.text)
    }
}

impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} = {}", self.value),
            None => self.value.fmt(f),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.function, listed(&self.arguments))
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Number(digits) => f.write_str(digits),
            ExprKind::Text(text) => quoted(f, text),
            ExprKind::Name(path) => path.fmt(f),
            ExprKind::Call(call) => call.fmt(f),
            ExprKind::Tuple(items) => write!(f, "({})", listed(items)),
            ExprKind::Quantity { value, unit } => match value.kind {
                ExprKind::Number(_) | ExprKind::Call(_) | ExprKind::Tuple(_) => write!(f, "{value} {unit}"),
                _ => write!(f, "({value}) {unit}"),
            },
            ExprKind::Unary { op, operand } => write!(f, "({}{operand})", op.symbol()),
            ExprKind::Chain { first, rest } => {
                write!(f, "({first}")?;
                for (op, operand) in rest {
                    write!(f, " {} {operand}", op.symbol())?;
                }
                f.write_char(')')
            }
            ExprKind::Power { base, exponent } => write!(f, "({base}^{exponent})"),
            ExprKind::Compare { op, left, right } => write!(f, "({left} {} {right})", op.symbol()),
            ExprKind::If { arms, otherwise } => {
                f.write_char('(')?;
                for (condition, value) in arms {
                    write!(f, "if {condition} then {value} else ")?;
                }
                write!(f, "{otherwise})")
            }
            ExprKind::Range { low, high } => write!(f, "{low} .. {high}"),
            ExprKind::Sum { name, range, term } => write!(f, "sum({name} in {range}: {term})"),
            ExprKind::Part { of, name } => write!(f, "{of}.{name}"),
            ExprKind::Missing => f.write_char('?'),
        }
    }
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn listed<T: Display>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// Writes ` before item after` if there is an item.
fn maybe<T: Display>(f: &mut Formatter<'_>, before: &str, item: &Option<T>) -> fmt::Result {
    match item {
        Some(item) => write!(f, " {before}{item}"),
        None => Ok(()),
    }
}

fn content(f: &mut Formatter<'_>, statements: &[Statement], level: usize) -> fmt::Result {
    for item in statements {
        statement(f, item, level)?;
    }
    Ok(())
}

fn declaration(f: &mut Formatter<'_>, word: &str, item: &Declaration) -> fmt::Result {
    write!(f, "{word} {}", item.name)?;
    maybe(f, "", &item.unit)?;
    maybe(f, "= ", &item.value)?;
    maybe(f, "in ", &item.range)?;
    maybe(f, "", &item.description)
}

fn declarations(f: &mut Formatter<'_>, word: &str, items: &[Declaration], level: usize) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        separate(f, i, level)?;
        declaration(f, word, item)?;
    }
    Ok(())
}

/// Begins a line of its own for every entry of a list but the first.
fn separate(f: &mut Formatter<'_>, entry: usize, level: usize) -> fmt::Result {
    if entry > 0 { write!(f, "\n{:1$}", "", 2 * level) } else { Ok(()) }
}

fn head(f: &mut Formatter<'_>, word: &str, name: &Name, description: &Option<Text>) -> fmt::Result {
    write!(f, "{word} {name}")?;
    maybe(f, "", description)
}

fn inputs(f: &mut Formatter<'_>, inputs: &[Input], unit: &Option<UnitText>) -> fmt::Result {
    f.write_char('(')?;
    for (i, input) in inputs.iter().enumerate() {
        write!(f, "{}{}", if i == 0 { "" } else { ", " }, input.name)?;
        maybe(f, "", &input.unit)?;
    }
    f.write_char(')')?;
    maybe(f, "", unit)
}

fn ends(f: &mut Formatter<'_>, ends: &Ends) -> fmt::Result {
    match ends {
        Ends::Between(first, second) => write!(f, " between {first} and {second}"),
        Ends::On { on, from } => {
            write!(f, " on {on}")?;
            maybe(f, "from ", from)
        }
    }
}

/// One statement with its content, at a level of indentation, closed by a newline.
fn statement(f: &mut Formatter<'_>, statement: &Statement, level: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * level)?;
    let inner: &[Statement] = match &statement.kind {
        StatementKind::Model(block) => {
            head(f, "model", &block.name, &block.description)?;
            &block.content
        }
        StatementKind::Subsystem(block) => {
            head(f, "subsystem", &block.name, &block.description)?;
            &block.content
        }
        StatementKind::Body(body) => {
            let word = match body.kind {
                BodyKind::Body => "body",
                BodyKind::Frame => "frame",
                BodyKind::Particle => "particle",
            };
            head(f, word, &body.name, &body.description)?;
            maybe(f, "on ", &body.parent)?;
            if !body.joints.is_empty() {
                let joints: Vec<String> = body.joints.iter().map(Call::to_string).collect();
                write!(f, " by {}", joints.join(" "))?;
            }
            maybe(f, "at ", &body.at)?;
            &body.content
        }
        StatementKind::Import(import) => {
            match import.names.is_empty() {
                true => write!(f, "import {}", import.file)?,
                false => write!(f, "import {} from {}", listed(&import.names), import.file)?,
            }
            &import.settings
        }
        StatementKind::Element(element) => {
            head(f, &element.kind.text, &element.name, &element.description)?;
            ends(f, &element.ends)?;
            maybe(f, "= ", &element.value)?;
            &element.content
        }
        StatementKind::Instance(instance) => {
            head(f, &instance.kind.text, &instance.name, &instance.description)?;
            write!(f, "({})", listed(&instance.arguments))?;
            maybe(f, "= ", &instance.origin)?;
            &instance.content
        }
        StatementKind::Slot(slot) => {
            write!(f, "slot {}: {}", slot.name, slot.interface)?;
            maybe(f, "= ", &slot.default)?;
            maybe(f, "", &slot.description)?;
            &slot.content
        }
        StatementKind::Experiment(experiment) => {
            write!(f, "{}", experiment.kind)?;
            maybe(f, "", &experiment.name)?;
            maybe(f, "", &experiment.description)?;
            &experiment.content
        }
        StatementKind::Start(content) => {
            f.write_str("start")?;
            content
        }
        StatementKind::When(when) => {
            write!(f, "when {}", when.condition)?;
            maybe(f, "", &when.description)?;
            &when.content
        }
        StatementKind::Every(every) => {
            write!(f, "every {}", every.period)?;
            maybe(f, "from ", &every.offset)?;
            maybe(f, "", &every.description)?;
            &every.content
        }
        StatementKind::For(repeated) => {
            write!(f, "for {} in {}", repeated.name, repeated.range)?;
            &repeated.content
        }
        StatementKind::Procedure(procedure) => {
            write!(f, "procedure {}", procedure.name)?;
            inputs(f, &procedure.inputs, &None)?;
            f.write_str(" -> ")?;
            inputs(f, &procedure.results, &None)?;
            maybe(f, "", &procedure.description)?;
            &procedure.content
        }
        StatementKind::If(branches) => {
            for (k, (condition, inner)) in branches.arms.iter().enumerate() {
                let word = if k == 0 { "if" } else { "else if" };
                separate(f, k, level)?;
                writeln!(f, "{word} {condition}")?;
                content(f, inner, level + 1)?;
            }
            write!(f, "{:1$}else", "", 2 * level)?;
            &branches.otherwise
        }
        other => {
            line(f, other, level)?;
            &[]
        }
    };
    f.write_char('\n')?;
    content(f, inner, level + 1)
}

/// A statement without content of its own.
fn line(f: &mut Formatter<'_>, kind: &StatementKind, level: usize) -> fmt::Result {
    match kind {
        StatementKind::StrictUnits => f.write_str("strict units"),
        StatementKind::Gravity(value) => write!(f, "gravity = {value}"),
        StatementKind::Newtonian(name) => write!(f, "newtonian {name}"),
        StatementKind::Parameter(items) => declarations(f, "parameter", items, level),
        StatementKind::Input(items) => declarations(f, "input", items, level),
        StatementKind::Constant(items) => declarations(f, "constant", items, level),
        StatementKind::Variable(items) => declarations(f, "variable", items, level),
        StatementKind::Discrete(items) => declarations(f, "discrete", items, level),
        StatementKind::Speed(items) => declarations(f, "speed", items, level),
        StatementKind::State(states) => {
            for (i, state) in states.iter().enumerate() {
                separate(f, i, level)?;
                declaration(f, "state", &state.declaration)?;
                maybe(f, "der = ", &state.derivative)?;
            }
            Ok(())
        }
        StatementKind::Function(function) => {
            write!(f, "function {}", function.name)?;
            inputs(f, &function.inputs, &function.unit)?;
            write!(f, " = {}", function.value)?;
            maybe(f, "", &function.description)
        }
        StatementKind::Table(table) => table_lines(f, table, level),
        StatementKind::Point(point) => {
            write!(f, "point {}", point.name)?;
            maybe(f, "on ", &point.on)?;
            write!(f, " {} {}", if point.fixed { "at" } else { "=" }, point.value)?;
            maybe(f, "", &point.description)
        }
        StatementKind::Shape(shape) => {
            f.write_str("shape")?;
            maybe(f, "", &shape.name)?;
            write!(f, " = {}", shape.form)
        }
        StatementKind::Joint(joint) => {
            write!(f, "joint {} = {}", joint.name, joint.form)?;
            maybe(f, "", &joint.description)
        }
        StatementKind::Link(link) => {
            write!(f, "joint {} between {} and {} by", link.name, link.first, link.second)?;
            link.joints.iter().try_for_each(|call| write!(f, " {call}"))?;
            maybe(f, "", &link.description)
        }
        StatementKind::Constraint(constraint) => {
            f.write_str("constraint")?;
            maybe(f, "", &constraint.name)?;
            write!(f, " = {}", constraint.relation)?;
            maybe(f, "", &constraint.description)
        }
        StatementKind::Load(load) => {
            let word = if load.kind == LoadKind::Force { "force" } else { "torque" };
            write!(f, "{word} {} on {}", load.name, load.on)?;
            maybe(f, "from ", &load.from)?;
            write!(f, " = {}", load.value)?;
            maybe(f, "energy = ", &load.energy)?;
            maybe(f, "", &load.description)
        }
        StatementKind::Port(port) => {
            write!(f, "port {}: ", listed(&port.names))?;
            match &port.kind {
                PortKind::Frame => f.write_str("frame")?,
                PortKind::Point => f.write_str("point")?,
                PortKind::In(unit) => {
                    f.write_str("in")?;
                    maybe(f, "", unit)?;
                }
                PortKind::Out(unit) => {
                    f.write_str("out")?;
                    maybe(f, "", unit)?;
                }
            }
            maybe(f, "= ", &port.default)?;
            maybe(f, "", &port.description)
        }
        StatementKind::Connection(connection) => {
            write!(f, "{} -> {}", connection.port, connection.to)?;
            if !connection.joints.is_empty() {
                let joints: Vec<String> = connection.joints.iter().map(Call::to_string).collect();
                write!(f, " by {}", joints.join(" "))?;
            }
            maybe(f, "at ", &connection.at)
        }
        StatementKind::Cut(paths) => write!(f, "cut {}", listed(paths)),
        StatementKind::Lock(paths) => write!(f, "lock {}", listed(paths)),
        StatementKind::Release(paths) => write!(f, "release {}", listed(paths)),
        StatementKind::Attach(a) => {
            write!(f, "attach {} to {}", a.body, a.to)?;
            maybe(f, "at ", &a.at)
        }
        StatementKind::Detach(d) => {
            write!(f, "detach {}", d.body)?;
            maybe(f, "from ", &d.from)
        }
        StatementKind::Small(paths) => write!(f, "small {}", listed(paths)),
        StatementKind::Output(outputs) => {
            for (i, output) in outputs.iter().enumerate() {
                separate(f, i, level)?;
                f.write_str("output")?;
                maybe(f, "", &output.name)?;
                write!(f, " = {}", output.value)?;
                maybe(f, "in ", &output.display)?;
                maybe(f, "", &output.description)?;
            }
            Ok(())
        }
        StatementKind::Show(list) => {
            for (i, shown) in list.iter().enumerate() {
                separate(f, i, level)?;
                write!(f, "show {}", shown.target)?;
                maybe(f, "in ", &shown.display)?;
                maybe(f, "", &shown.description)?;
            }
            Ok(())
        }
        StatementKind::Assign(assign) => write!(f, "{} = {}", assign.target, assign.value),
        StatementKind::Update(update) => {
            f.write_str(if update.overwrites { "overwrite " } else { "" })?;
            match update.is_rate {
                true => write!(f, "der({}) := {}", update.target, update.value),
                false => write!(f, "{} := {}", update.target, update.value),
            }
        }
        StatementKind::Stop(stop) => {
            f.write_str("stop")?;
            maybe(f, "", &stop.reason)
        }
        StatementKind::Several(several) => write!(f, "({}) := {}", listed(&several.targets), several.value),
        StatementKind::Local(items) => declarations(f, "local", items, level),
        StatementKind::Return(values) => write!(f, "return {}", listed(values)),
        StatementKind::External(external) => {
            write!(f, "external function {}", external.name)?;
            inputs(f, &external.inputs, &external.unit)?;
            maybe(f, "", &external.description)
        }
        StatementKind::Equation { left, right } => write!(f, "{left} = {right}"),
        StatementKind::Guess { left, right } => write!(f, "{left} ~ {right}"),
        StatementKind::Model(_)
        | StatementKind::Subsystem(_)
        | StatementKind::Body(_)
        | StatementKind::Element(_)
        | StatementKind::Instance(_)
        | StatementKind::Slot(_)
        | StatementKind::Experiment(_)
        | StatementKind::Start(_)
        | StatementKind::When(_)
        | StatementKind::Every(_)
        | StatementKind::If(_)
        | StatementKind::For(_)
        | StatementKind::Procedure(_)
        | StatementKind::Import(_) => Ok(()),
    }
}

fn table_lines(f: &mut Formatter<'_>, table: &Table, level: usize) -> fmt::Result {
    write!(f, "table {}", table.name)?;
    inputs(f, &table.inputs, &table.unit)?;
    write!(f, " = {}", table.method)?;
    if let Some(data) = &table.data {
        write!(f, "({}", data.path)?;
        for (name, column) in [("x", &data.x), ("y", &data.y), ("z", &data.z)] {
            maybe(f, &format!("{name} = "), column)?;
        }
        f.write_str(")")?;
    }
    maybe(f, "", &table.description)?;
    if let (Some(second), false) = (table.inputs.get(1), table.columns.is_empty()) {
        write!(f, "\n{:2$}{}", "", second.name, 2 * level + 2)?;
        write!(f, ": {}", listed(&table.columns))?;
    }
    for row in &table.rows {
        write!(f, "\n{:1$}", "", 2 * level + 2)?;
        write!(f, "{}: {}", row.at, listed(&row.values))?;
    }
    Ok(())
}
