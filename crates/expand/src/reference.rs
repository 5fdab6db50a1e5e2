//! The reference of the standard library, made from its own text.
//!
//! The description after the name of a definition is its title, the comment lines directly above it say what it is, and its declarations
//! list parameters, ports and what it tells. Lines after `# Example:` that are indented once more are an example.

use cardan_syntax::{
    Declaration, Expr, ExprKind, Name, Port, PortKind, Statement, StatementKind, Text, UnitText, parse,
    print_expression,
};

use crate::library::{PACKAGES, Package};

/// What a definition of the library is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A function of numbers.
    Function,
    /// An element or block.
    Subsystem,
    /// A subsystem of ports alone, which says what fits into a slot.
    Interface,
}

/// A parameter, a port or a state of a definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// Its name, with its index.
    pub name: String,
    /// What passes through a port; the default of a parameter; empty if there is nothing to say.
    pub form: String,
    /// Its unit; empty if it takes any.
    pub unit: String,
    /// What it is, in words.
    pub description: String,
}

/// The page of a definition.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Its path: `std.motor`.
    pub path: String,
    /// The text in which it stands, `signals`.
    pub family: String,
    /// What it is.
    pub kind: EntryKind,
    /// What it is in a few words.
    pub title: String,
    /// What it is in full, line by line.
    pub text: Vec<String>,
    /// A model that uses it.
    pub example: String,
    /// Its ports, or the arguments of a function.
    pub ports: Vec<Item>,
    /// Its parameters and structural constants.
    pub parameters: Vec<Item>,
    /// Its states and variables that have a description.
    pub tells: Vec<Item>,
    /// Its text.
    pub source: String,
}

/// Every definition of the library, in the order of its texts.
pub fn entries() -> Vec<Entry> {
    PACKAGES.iter().flat_map(entries_of).collect()
}

fn entries_of(package: &Package) -> Vec<Entry> {
    let mut entries = vec![];
    for (file, text) in package.texts {
        let mut sources = cardan_base::Sources::new();
        let (tree, _) = parse(sources.add(*file, *text), text);
        let family = file.rsplit('/').next().and_then(|f| f.split('.').next()).unwrap_or(file);
        for statement in &tree.statements {
            entries.extend(entry(package.name, family, statement, text));
        }
    }
    entries
}

fn entry(package: &str, family: &str, statement: &Statement, text: &str) -> Option<Entry> {
    let (name, title, kind) = match &statement.kind {
        StatementKind::Function(f) => (&f.name, &f.description, EntryKind::Function),
        StatementKind::Subsystem(block) => {
            // Ports, and constants that say how many.
            let is_port =
                |s: &Statement| matches!(s.kind, StatementKind::Port(_) | StatementKind::Constant(_));
            let kind = match block.content.iter().all(is_port) {
                true => EntryKind::Interface,
                false => EntryKind::Subsystem,
            };
            (&block.name, &block.description, kind)
        }
        _ => return None,
    };
    let start = statement.span.start as usize;
    let (above, example) = comment_above(text.get(..start)?);
    let mut entry = Entry {
        path: format!("{package}.{}", name.text),
        family: family.to_owned(),
        kind,
        title: words(title),
        text: above,
        example,
        ports: vec![],
        parameters: vec![],
        tells: vec![],
        source: text.get(start..statement.span.end as usize)?.to_owned(),
    };
    match &statement.kind {
        StatementKind::Function(f) => {
            for input in &f.inputs {
                let unit = unit_text(input.unit.as_ref());
                let name = input.name.text.clone();
                entry.ports.push(Item { name, form: String::new(), unit, description: String::new() });
            }
        }
        StatementKind::Subsystem(block) => entry.list(&block.content),
        _ => {}
    }
    Some(entry)
}

impl Entry {
    fn list(&mut self, content: &[Statement]) {
        for statement in content {
            match &statement.kind {
                StatementKind::Port(port) => self.ports.extend(port_items(port)),
                StatementKind::Parameter(list) => self.parameters.extend(together(list)),
                StatementKind::Constant(list) => {
                    let described = |d: &&Declaration| d.description.is_some();
                    self.parameters.extend(list.iter().filter(described).map(declared));
                }
                StatementKind::Variable(list) | StatementKind::Discrete(list) => self.tell(list.iter()),
                StatementKind::State(list) => self.tell(list.iter().map(|s| &s.declaration)),
                StatementKind::For(repeated) => self.list(&repeated.content),
                StatementKind::If(branches) => {
                    branches.arms.iter().for_each(|(_, content)| self.list(content));
                    self.list(&branches.otherwise);
                }
                _ => {}
            }
        }
    }

    fn tell<'s>(&mut self, list: impl Iterator<Item = &'s Declaration>) {
        let described = list.filter(|d| d.description.is_some());
        self.tells.extend(described.map(|d| Item { form: String::new(), ..declared(d) }));
    }
}

fn port_items(port: &Port) -> Vec<Item> {
    let (word, unit) = match &port.kind {
        PortKind::Frame => ("frame", None),
        PortKind::Point => ("point", None),
        PortKind::In(unit) => ("in", unit.as_ref()),
        PortKind::Out(unit) => ("out", unit.as_ref()),
    };
    let form = match &port.default {
        Some(e) => format!("{word} = {}", print_expression(e)),
        None => word.to_owned(),
    };
    let item = |name: &Name| Item {
        name: indexed(name),
        form: form.clone(),
        unit: unit_text(unit),
        description: words(&port.description),
    };
    port.names.iter().map(item).collect()
}

/// Declarations of one statement: a description also serves those before it that have none.
fn together(list: &[Declaration]) -> Vec<Item> {
    let mut items: Vec<Item> = list.iter().map(declared).collect();
    for k in (1..items.len()).rev() {
        if items[k - 1].description.is_empty() {
            items[k - 1].description = items[k].description.clone();
        }
    }
    items
}

fn declared(d: &Declaration) -> Item {
    let written = match d.value.as_ref().map(|e| &e.kind) {
        Some(ExprKind::Quantity { unit, .. }) => Some(unit),
        _ => None,
    };
    Item {
        name: indexed(&d.name),
        form: d.value.as_ref().map(print_expression).unwrap_or_default(),
        unit: unit_text(d.unit.as_ref().or(written)),
        description: words(&d.description),
    }
}

fn indexed(name: &Name) -> String {
    let index: Vec<String> = name.index.iter().map(|e: &Expr| print_expression(e)).collect();
    if index.is_empty() { name.text.clone() } else { format!("{}[{}]", name.text, index.join(", ")) }
}

fn unit_text(unit: Option<&UnitText>) -> String {
    unit.map_or(String::new(), |u| u.text.clone())
}

fn words(text: &Option<Text>) -> String {
    text.as_ref().map_or(String::new(), |t| t.text.clone())
}

/// The comment lines that end a text, and the example among them.
fn comment_above(before: &str) -> (Vec<String>, String) {
    let lines: Vec<&str> = before.lines().collect();
    let first = lines.iter().rposition(|line| !line.starts_with('#')).map_or(0, |k| k + 1);
    let (mut text, mut example, mut inside) = (vec![], String::new(), false);
    for line in &lines[first..] {
        let line = line.strip_prefix("# ").unwrap_or(line.trim_start_matches('#'));
        match line.strip_prefix("  ").filter(|_| inside) {
            Some(line) => example += &format!("{line}\n"),
            None if line == "Example:" => inside = true,
            None => text.push(line.to_owned()),
        }
    }
    (text, example)
}
