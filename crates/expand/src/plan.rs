//! The plan of an expansion: which instances and elements there are.
//!
//! Definitions are walked from the model downwards; loops and conditions are decided, every instance gets its
//! scope and every declared name its flat name. No expression is rewritten yet, so declarations may stand in any
//! order.

use cardan_base::{Diagnostic, Diagnostics, Map, Set, Sources, Span, nearest};
use cardan_syntax::{Branches, Call, Expr, ExprKind, For, Instance, Name, Statement, StatementKind};

use crate::constants::Constant;
use crate::definition::{Definition, DefinitionKind, SymbolKind, named_coordinates};
use crate::images::is_image;
use crate::imports::Module;
use crate::mirror::Signs;
use crate::scope::{Drive, Piece, Place, Scope, Waiting};
use crate::{Settings, codes, limits};

/// A name of the flat tree.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// Where it is declared.
    pub span: Span,
    /// Whether it is a point.
    pub point: bool,
}

/// The state of an expansion.
pub struct Expander<'t, 's> {
    /// The name of the inertial frame.
    pub(crate) ground: &'t str,
    pub modules: &'t [Module],
    pub settings: &'t Settings,
    pub overrides: &'t Map<String, Expr>,
    pub sources: &'s mut Sources,
    pub diagnostics: Diagnostics,
    pub definitions: Vec<Definition<'t>>,
    pub scopes: Vec<Scope<'t>>,
    /// Instances by path.
    pub instances: Map<String, usize>,
    pub declared: Map<String, Declared>,
    pub pieces: Vec<Piece<'t>>,
    pub waiting: Vec<Waiting<'t>>,
    /// Connections by instance and port, an element of which may be named.
    pub drives: Map<(usize, String), Drive<'t>>,
    /// Values of structural constants that are being found.
    pub(crate) evaluating: Set<(usize, &'t str)>,
    pub(crate) values: Map<(usize, &'t str), Constant>,
    /// Settings of constants that were used.
    pub taken: Vec<String>,
    /// Names of imported texts that something uses, and those that are written.
    pub(crate) wanted: Vec<String>,
    pub(crate) depth: usize,
    /// Paths of all slots.
    pub(crate) slots: Set<String>,
    /// Whether a text could not be read.
    pub(crate) incomplete: bool,
    /// Parts of imported texts.
    pub(crate) library: Vec<Piece<'t>>,
    /// Whether the limit of statements is reached.
    pub(crate) full: bool,
    /// Repetitions so far, with those that leave nothing behind.
    rounds: usize,
    /// What the experiment sets, by path, and which of it was used.
    pub(crate) experiment: Map<String, (&'t Expr, Span)>,
    pub(crate) set_paths: Set<String>,
}

impl<'t, 's> Expander<'t, 's> {
    pub fn new(
        modules: &'t [Module],
        settings: &'t Settings,
        overrides: &'t Map<String, Expr>,
        sources: &'s mut Sources,
    ) -> Self {
        Expander {
            ground: "N",
            modules,
            settings,
            overrides,
            sources,
            diagnostics: Diagnostics::new(),
            definitions: vec![],
            scopes: vec![],
            instances: Map::default(),
            declared: Map::default(),
            pieces: vec![],
            waiting: vec![],
            drives: Map::default(),
            evaluating: Set::default(),
            values: Map::default(),
            taken: vec![],
            wanted: vec![],
            depth: 0,
            slots: Set::default(),
            incomplete: false,
            library: vec![],
            full: false,
            rounds: 0,
            experiment: Map::default(),
            set_paths: Set::default(),
        }
    }

    pub fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    /// A place of the text as seen from a scope: an instance has a file of its own.
    pub fn span(&self, span: Span, scope: usize) -> Span {
        match self.scopes.get(scope).and_then(|s| s.file) {
            Some(file) => Span { file, ..span },
            None => span,
        }
    }

    /// Defines every text and subsystem, and expands the model.
    pub fn plan(&mut self) {
        for k in 0..self.modules.len() {
            let kind = if k == 0 { DefinitionKind::Model } else { DefinitionKind::Library };
            self.definitions.push(Definition::new(kind, &self.modules[k].stem, None, None));
            let prefix = if k == 0 { String::new() } else { format!("{}.", self.modules[k].stem) };
            self.scopes.push(Scope {
                definition: k,
                prefix,
                outer: None,
                lexical: None,
                given: vec![],
                file: None,
                span: None,
                signs: Signs::NONE,
                image_of: None,
            });
        }
        for k in 0..self.modules.len() {
            let mut statements = top(&self.modules[k].tree.statements);
            if k == 0 {
                statements.extend(self.imported_models());
            }
            self.define(k, statements);
        }
        let named = self.definitions[0].statements.iter().find_map(|s| match &s.kind {
            StatementKind::Newtonian(name) => Some(name.text.as_str()),
            _ => None,
        });
        self.ground = named.unwrap_or("N");
        self.check_imports();
        self.read_experiment();
        for k in (0..self.modules.len()).rev() {
            let statements = self.definitions[k].statements.clone();
            self.block(&statements, &Place::new(k));
            // Parts of libraries are written when something uses them.
            if k > 0 {
                self.library.append(&mut self.pieces);
            }
        }
        self.connect_all();
    }

    /// The statements of models that the model imports as a whole, their questions left out.
    pub(crate) fn imported_models(&self) -> Vec<&'t Statement> {
        let modules = self.modules;
        let mut statements = vec![];
        for link in modules[0].links.iter().filter(|l| l.names.is_empty()) {
            for statement in &modules[link.module].tree.statements {
                if let StatementKind::Model(block) = &statement.kind {
                    let question = |s: &&Statement| matches!(s.kind, StatementKind::Experiment(_));
                    statements.extend(block.content.iter().filter(|s| !question(s)));
                }
            }
        }
        statements
    }

    /// Fills a definition and those inside it.
    pub(crate) fn define(&mut self, id: usize, statements: Vec<&'t Statement>) {
        let mut clashes = vec![];
        let mut inner = vec![];
        for statement in &statements {
            if let StatementKind::Subsystem(block) = &statement.kind {
                let child = self.definitions.len();
                let kind = DefinitionKind::Subsystem;
                let name = &block.name.text;
                self.definitions.push(Definition::new(kind, name, Some(block.name.span), Some(id)));
                self.definitions[id].enter(&block.name, SymbolKind::Subsystem(child), &mut clashes);
                inner.push((child, block.content.iter().collect::<Vec<_>>()));
            }
        }
        self.definitions[id].declare(&statements, &mut clashes);
        self.definitions[id].statements = statements;
        for clash in clashes {
            let message = format!("`{}` is defined twice", clash.second.text);
            let d = Diagnostic::error(codes::CLASH, message).at(clash.second.span, "here again");
            self.report(d.also(clash.first, "first here").hint("give one of them another name"));
        }
        for (child, content) in inner {
            self.define(child, content);
        }
    }

    /// Whether the texts define what is imported from them.
    pub(crate) fn check_imports(&mut self) {
        for module in self.modules {
            for link in &module.links {
                for name in &link.names {
                    let symbols = &self.definitions[link.module].symbols;
                    if symbols.contains_key(name.text.as_str()) {
                        continue;
                    }
                    let file = &self.modules[link.module].name;
                    let message = format!("`{file}` does not define `{}`", name.text);
                    let d = Diagnostic::error(codes::NOT_EXPORTED, message).at(name.span, "");
                    let near = nearest(&name.text, symbols.keys().copied());
                    let d = match near {
                        Some(near) => d.hint(format!("write `{near}`")),
                        None => d.hint("name something that stands at the top of that text"),
                    };
                    self.diagnostics.push(d);
                }
            }
        }
    }

    /// Walks statements of a definition.
    pub(crate) fn block(&mut self, statements: &[&'t Statement], place: &Place) {
        let mut images: Vec<(&'t Instance, Span)> = vec![];
        for statement in statements {
            if self.full {
                return;
            }
            match &statement.kind {
                StatementKind::Instance(instance) if is_image(instance) => {
                    images.push((instance, statement.span));
                }
                _ => self.statement(statement, place),
            }
        }
        // An image may stand before what it shows.
        while !images.is_empty() {
            let before = images.len();
            let waiting = std::mem::take(&mut images);
            let last = waiting.clone();
            for (instance, span) in waiting {
                if !self.image(instance, span, place, false) {
                    images.push((instance, span));
                }
            }
            if images.len() == before {
                for (instance, span) in last {
                    self.image(instance, span, place, true);
                }
                return;
            }
        }
    }

    pub(crate) fn statement(&mut self, statement: &'t Statement, place: &Place) {
        let in_subsystem =
            self.definitions[self.scopes[place.scope].definition].kind == DefinitionKind::Subsystem;
        match &statement.kind {
            StatementKind::Port(_) if !in_subsystem => {
                let d = Diagnostic::error(codes::MISPLACED, "a port belongs to a subsystem");
                self.report(d.at(statement.span, "").hint("write it into `subsystem NAME { … }`"));
            }
            StatementKind::Subsystem(_) | StatementKind::Import(_) | StatementKind::Port(_) => {}
            StatementKind::For(repeated) => self.repeat(repeated, place),
            StatementKind::If(branches) => self.decide(branches, place),
            StatementKind::Instance(instance) => self.instance(instance, statement.span, place),
            StatementKind::Slot(slot) => self.slot(slot, statement.span, place),
            StatementKind::Element(element)
                if self.subsystem(&element.kind, place).is_some()
                    && !self.is_own_word(&element.kind, place) =>
            {
                self.element(element, statement.span, place);
            }
            StatementKind::Link(link) if self.composite(&link.joints, place).is_some() => {
                if let Some(call) = self.composite(&link.joints, place) {
                    self.composite_link(link, call, statement.span, place);
                }
            }
            StatementKind::Joint(joint)
                if self.composite(std::slice::from_ref(&joint.form), place).is_some() =>
            {
                self.composite_form(joint, statement.span, place);
            }
            StatementKind::Connection(connection) => self.waiting.push(Waiting {
                connection,
                span: statement.span,
                place: place.clone(),
                instance: None,
            }),
            StatementKind::Assign(assign) if self.own_output(&assign.target, place).is_some() => {
                self.outgoing(statement, place);
            }
            StatementKind::Experiment(_)
            | StatementKind::Gravity(_)
            | StatementKind::Newtonian(_)
            | StatementKind::StrictUnits
            | StatementKind::Model(_)
                if in_subsystem =>
            {
                let span = self.span(statement.span, place.scope);
                let message = "this statement is about the whole model, not about one part of it";
                let d = Diagnostic::error(codes::MISPLACED, message).at(span, "");
                self.report(d.hint("write it into the model"));
            }
            _ => {
                if let StatementKind::Body(body) = &statement.kind
                    && let Some(call) = self.composite(&body.joints, place)
                {
                    self.composite_body(body, call, statement.span, place);
                }
                self.declare_all(statement, place);
                self.piece(Piece::Statement { statement, place: place.clone() }, statement.span);
            }
        }
    }

    pub(crate) fn piece(&mut self, piece: Piece<'t>, span: Span) {
        if self.pieces.len() < limits::STATEMENTS {
            return self.pieces.push(piece);
        }
        if !self.full {
            self.full = true;
            let message = format!("this model has more than {} parts", limits::STATEMENTS);
            let d = Diagnostic::error(codes::TOO_LARGE, message).at(span, "expanded up to here");
            self.report(d.hint("repeat fewer times"));
        }
    }

    pub(crate) fn repeat(&mut self, repeated: &'t For, place: &Place) {
        let Some((low, high)) = self.range(&repeated.range, place) else { return };
        let content: Vec<&'t Statement> = repeated.content.iter().collect();
        for k in low..=high {
            if self.full || self.is_endless(repeated, place) {
                return;
            }
            self.block(&content, &place.counting(&repeated.name.text, k));
        }
    }

    /// Counts a repetition; says so and is true where there are too many. Repetitions within repetitions without a part in them
    /// would go on for long, and no part would be counted.
    pub(crate) fn is_endless(&mut self, repeated: &For, place: &Place) -> bool {
        self.rounds += 1;
        if self.rounds > limits::ROUNDS && !self.full {
            self.full = true;
            let message = format!("this model repeats more than {} times in all", limits::ROUNDS);
            let span = self.span(repeated.range.span, place.scope);
            let d = Diagnostic::error(codes::TOO_LARGE, message).at(span, "expanded up to here");
            self.report(d.hint("repeat fewer times, or close the braces of the repetitions before this one"));
        }
        self.full
    }

    /// The first and last value of a range of whole numbers.
    pub fn range(&mut self, range: &Expr, place: &Place) -> Option<(i64, i64)> {
        let ExprKind::Range { low, high } = &range.kind else { return None };
        let (low, high) = (self.whole(low, place)?, self.whole(high, place)?);
        if high.saturating_sub(low) >= limits::REPETITIONS {
            let message = format!("this repeats more than {} times", limits::REPETITIONS);
            let span = self.span(range.span, place.scope);
            let d = Diagnostic::error(codes::TOO_LARGE, message).at(span, "");
            self.report(d.hint("repeat fewer times"));
            return None;
        }
        Some((low, high))
    }

    pub(crate) fn decide(&mut self, branches: &'t Branches, place: &Place) {
        for (condition, content) in &branches.arms {
            match self.truth(condition, place) {
                None => return,
                Some(false) => {}
                Some(true) => {
                    let content: Vec<&'t Statement> = content.iter().collect();
                    return self.block(&content, place);
                }
            }
        }
        let otherwise: Vec<&'t Statement> = branches.otherwise.iter().collect();
        self.block(&otherwise, place);
    }

    /// Enters the flat names of a statement.
    pub(crate) fn declare_all(&mut self, statement: &'t Statement, place: &Place) {
        let mut names: Vec<&'t Name> = vec![];
        let mut calls: &'t [Call] = &[];
        let mut point = false;
        match &statement.kind {
            StatementKind::Parameter(list)
            | StatementKind::Input(list)
            | StatementKind::Constant(list)
            | StatementKind::Variable(list)
            | StatementKind::Discrete(list)
            | StatementKind::Speed(list) => names.extend(list.iter().map(|d| &d.name)),
            StatementKind::State(list) => names.extend(list.iter().map(|s| &s.declaration.name)),
            StatementKind::Function(f) => names.push(&f.name),
            StatementKind::External(f) => names.push(&f.name),
            StatementKind::Table(t) => names.push(&t.name),
            StatementKind::Procedure(p) => names.push(&p.name),
            StatementKind::Point(p) => {
                names.push(&p.name);
                point = true;
            }
            StatementKind::Body(body) => {
                names.push(&body.name);
                calls = &body.joints;
            }
            StatementKind::Joint(joint) => {
                names.push(&joint.name);
                calls = std::slice::from_ref(&joint.form);
            }
            StatementKind::Link(link) => {
                names.push(&link.name);
                calls = &link.joints;
            }
            StatementKind::Constraint(c) => names.extend(&c.name),
            StatementKind::Load(load) => names.push(&load.name),
            StatementKind::Element(element) => names.push(&element.name),
            _ => {}
        }
        for name in names {
            if let Some(flat) = self.flat_name(name, place) {
                self.enter(flat, name.span, point, place);
            }
        }
        self.declare_coordinates(calls, place);
    }

    pub(crate) fn declare_coordinates(&mut self, calls: &'t [Call], place: &Place) {
        for e in calls.iter().flat_map(named_coordinates) {
            let ExprKind::Name(path) = &e.kind else { continue };
            if let Some(flat) = self.flat_path(path, place) {
                self.enter(flat, e.span, false, place);
            }
        }
    }

    /// Enters one flat name. A name that a loop declares again and again needs an index.
    pub(crate) fn enter(&mut self, flat: String, span: Span, point: bool, place: &Place) {
        let span = self.span(span, place.scope);
        if let Some(old) = self.declared.get(&flat) {
            if old.span == span && place.counts.is_some() {
                let count = place.counts.as_ref().map_or("k", |c| c.name.as_str());
                let message = format!("the loop declares `{flat}` again and again");
                let d = Diagnostic::error(codes::CLASH, message).at(span, "the same name each time");
                self.report(d.hint(format!("write `{}[{count}]`", last_part(&flat))));
            }
            return;
        }
        self.declared.insert(flat, Declared { span, point });
    }

    /// The flat name of a declared name.
    pub fn flat_name(&mut self, name: &Name, place: &Place) -> Option<String> {
        let index = self.indices(&name.index, place)?;
        Some(format!("{}{}{index}", self.scopes[place.scope].prefix, name.text))
    }
}

/// The statements of a text, those of its models included.
fn top(statements: &[Statement]) -> Vec<&Statement> {
    let mut all = vec![];
    for statement in statements {
        match &statement.kind {
            StatementKind::Model(block) => all.extend(&block.content),
            _ => all.push(statement),
        }
    }
    all
}

/// The last part of a path, without its index.
pub fn last_part(path: &str) -> &str {
    let last = path.rsplit('.').next().unwrap_or(path);
    last.split('[').next().unwrap_or(last)
}
