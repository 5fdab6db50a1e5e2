//! Definitions: a model, an imported text or a subsystem, with the names that its statements declare.
//!
//! The table of names is made once for each definition and shared by all its instances. A name that is declared
//! in a loop, `rod[k]`, stands there once with the number of its indices; which elements exist is known when the
//! loop is expanded.

use cardan_base::{Map, Span};
use cardan_syntax::{
    Call, Declaration, Expr, ExprKind, Name, Port, PortKind, Statement, StatementKind, UnitText,
};

/// What a definition is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefinitionKind {
    /// The text that is compiled.
    Model,
    /// A text that is imported.
    Library,
    /// A subsystem, which may have many instances.
    Subsystem,
}

/// What a name of a definition stands for, as far as expansion needs to know.
#[derive(Clone, Copy, Debug)]
pub enum SymbolKind<'t> {
    /// A structural constant.
    Constant(&'t Declaration),
    /// A parameter.
    Parameter(&'t Declaration),
    /// An input, variable, state or speed.
    Quantity(&'t Declaration),
    /// A body or frame.
    Body,
    /// A point that stands outside the braces of a body.
    Point,
    /// A coordinate or speed that a joint names.
    Coordinate,
    /// A function, table or procedure.
    Function,
    /// An element, a load, a joint, a constraint.
    Part,
    /// An instance of a subsystem, or a slot.
    Instance,
    /// A port, by its number.
    Port(usize),
    /// A subsystem, by the number of its definition.
    Subsystem(usize),
}

/// A name of a definition.
#[derive(Clone, Copy, Debug)]
pub struct Symbol<'t> {
    /// What it stands for.
    pub kind: SymbolKind<'t>,
    /// Where it is declared first.
    pub span: Span,
    /// Number of its indices.
    pub rank: usize,
}

/// What passes through a port.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Flow<'t> {
    /// A frame.
    Frame,
    /// A point.
    Point,
    /// A signal that comes in.
    In(Option<&'t UnitText>),
    /// A signal that goes out.
    Out(Option<&'t UnitText>),
}

/// A port of a definition.
#[derive(Clone, Copy, Debug)]
pub struct PortSymbol<'t> {
    /// Its name, with the size of an array.
    pub name: &'t Name,
    /// What passes through.
    pub flow: Flow<'t>,
    /// The statement that declares it.
    pub statement: &'t Port,
}

/// A definition.
pub struct Definition<'t> {
    /// What it is.
    pub kind: DefinitionKind,
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub span: Option<Span>,
    /// Its statements.
    pub statements: Vec<&'t Statement>,
    /// Its names.
    pub symbols: Map<&'t str, Symbol<'t>>,
    /// Whether a name is a path, as in a flat text.
    pub dotted: bool,
    /// Its ports.
    pub ports: Vec<PortSymbol<'t>>,
    /// The definition around it.
    pub parent: Option<usize>,
}

/// Two declarations of one name of which one is an instance, a port or a subsystem.
pub struct Clash<'t> {
    /// The second declaration.
    pub second: &'t Name,
    /// The first.
    pub first: Span,
}

impl<'t> Definition<'t> {
    /// An empty definition.
    pub fn new(kind: DefinitionKind, name: &str, span: Option<Span>, parent: Option<usize>) -> Self {
        Definition {
            kind,
            name: name.to_owned(),
            span,
            statements: vec![],
            symbols: Map::default(),
            dotted: false,
            ports: vec![],
            parent,
        }
    }

    /// Enters the names of some statements.
    pub fn declare(&mut self, statements: &[&'t Statement], clashes: &mut Vec<Clash<'t>>) {
        for statement in statements {
            self.declare_one(statement, clashes);
        }
    }

    fn declare_one(&mut self, statement: &'t Statement, clashes: &mut Vec<Clash<'t>>) {
        let mut enter = |name: &'t Name, kind| self.enter(name, kind, clashes);
        match &statement.kind {
            StatementKind::Parameter(list) => {
                list.iter().for_each(|d| enter(&d.name, SymbolKind::Parameter(d)))
            }
            StatementKind::Constant(list) => {
                list.iter().for_each(|d| enter(&d.name, SymbolKind::Constant(d)))
            }
            StatementKind::Input(list)
            | StatementKind::Variable(list)
            | StatementKind::Discrete(list)
            | StatementKind::Speed(list) => list.iter().for_each(|d| enter(&d.name, SymbolKind::Quantity(d))),
            StatementKind::State(list) => {
                list.iter().for_each(|s| enter(&s.declaration.name, SymbolKind::Quantity(&s.declaration)))
            }
            StatementKind::Function(f) => enter(&f.name, SymbolKind::Function),
            StatementKind::External(f) => enter(&f.name, SymbolKind::Function),
            StatementKind::Table(t) => enter(&t.name, SymbolKind::Function),
            StatementKind::Procedure(p) => enter(&p.name, SymbolKind::Function),
            StatementKind::Body(body) => {
                enter(&body.name, SymbolKind::Body);
                self.coordinates(&body.joints, clashes);
            }
            StatementKind::Point(p) => enter(&p.name, SymbolKind::Point),
            StatementKind::Joint(joint) => {
                enter(&joint.name, SymbolKind::Part);
                self.coordinates(std::slice::from_ref(&joint.form), clashes);
            }
            StatementKind::Link(link) => {
                enter(&link.name, SymbolKind::Part);
                self.coordinates(&link.joints, clashes);
            }
            StatementKind::Constraint(c) => {
                c.name.iter().for_each(|name| enter(name, SymbolKind::Part));
            }
            StatementKind::Load(load) => enter(&load.name, SymbolKind::Part),
            StatementKind::Element(element) => enter(&element.name, SymbolKind::Part),
            StatementKind::Instance(instance) => {
                enter(&instance.name, SymbolKind::Instance);
                instance.content.iter().for_each(|s| self.declare_one(s, clashes));
            }
            StatementKind::Slot(slot) => {
                enter(&slot.name, SymbolKind::Instance);
                slot.content.iter().for_each(|s| self.declare_one(s, clashes));
            }
            StatementKind::Connection(connection) => self.coordinates(&connection.joints, clashes),
            StatementKind::Port(port) => {
                for name in &port.names {
                    let flow = match &port.kind {
                        PortKind::Frame => Flow::Frame,
                        PortKind::Point => Flow::Point,
                        PortKind::In(unit) => Flow::In(unit.as_ref()),
                        PortKind::Out(unit) => Flow::Out(unit.as_ref()),
                    };
                    self.enter(name, SymbolKind::Port(self.ports.len()), clashes);
                    self.ports.push(PortSymbol { name, flow, statement: port });
                }
            }
            StatementKind::For(repeated) => {
                repeated.content.iter().for_each(|s| self.declare_one(s, clashes));
            }
            StatementKind::If(branches) => {
                let arms = branches.arms.iter().flat_map(|(_, content)| content);
                arms.chain(&branches.otherwise).for_each(|s| self.declare_one(s, clashes));
            }
            _ => {}
        }
    }

    /// Enters the coordinates and speeds that joints name.
    fn coordinates(&mut self, calls: &'t [Call], clashes: &mut Vec<Clash<'t>>) {
        for call in calls {
            for name in named_coordinates(call) {
                self.enter_path(name, clashes);
            }
        }
    }

    fn enter_path(&mut self, e: &'t Expr, clashes: &mut Vec<Clash<'t>>) {
        let ExprKind::Name(path) = &e.kind else { return };
        match path.segments.as_slice() {
            [only] => self.enter_as(&only.name, only.index.len(), SymbolKind::Coordinate, clashes),
            _ => self.dotted = true,
        }
    }

    pub(crate) fn enter(&mut self, name: &'t Name, kind: SymbolKind<'t>, clashes: &mut Vec<Clash<'t>>) {
        self.enter_as(name, name.index.len(), kind, clashes);
    }

    fn enter_as(&mut self, name: &'t Name, rank: usize, kind: SymbolKind<'t>, clashes: &mut Vec<Clash<'t>>) {
        self.dotted |= name.text.contains('.');
        if let Some(old) = self.symbols.get(name.text.as_str()) {
            let structural = |k: &SymbolKind<'_>| matches!(k, SymbolKind::Port(_) | SymbolKind::Subsystem(_));
            let instance = |k: &SymbolKind<'_>| matches!(k, SymbolKind::Instance);
            let kinds = [&old.kind, &kind];
            let differ = instance(kinds[0]) != instance(kinds[1]);
            if kinds.iter().any(|k| structural(k)) || differ || old.rank != rank {
                clashes.push(Clash { second: name, first: old.span });
            }
            return;
        }
        self.symbols.insert(&name.text, Symbol { kind, span: name.span, rank });
    }
}

/// The names that a joint gives to its coordinates and speeds.
pub fn named_coordinates(call: &Call) -> Vec<&Expr> {
    let steps = call.function.is("translate") || call.function.is("rotate");
    let mut names = vec![];
    for argument in &call.arguments {
        let Some(name) = &argument.name else { continue };
        match name.text.as_str() {
            "q" | "speed" => names.extend(entries(&argument.value)),
            "x" | "y" | "z" if steps => names.push(&argument.value),
            _ => {}
        }
    }
    names
}

/// The entries of a tuple, or the expression itself.
pub fn entries(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Tuple(parts) => parts.iter().collect(),
        _ => vec![e],
    }
}
