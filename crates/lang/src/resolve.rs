//! From tree to model, in the order of the analyst's notebook.
//!
//! Names, then parameters and states, then bodies and points (parents first, whatever the order of the text), then
//! speeds, then everything that uses velocities, then what is left to say.

use cardan_base::{Diagnostic, Diagnostics, Map, Sources};
use cardan_model::{Builder, Model};
use cardan_syntax::{Block, Statement, StatementKind, Tree};

use crate::codes;
use crate::resolver::{Phase, Resolver};
use crate::scope::{ItemId, ItemKind, Scopes};

/// The model that a tree describes, if there are no errors, and the findings. `incomplete` says that statements are
/// missing from the tree because they could not be read.
pub fn resolve(tree: &Tree, sources: &Sources, incomplete: bool) -> (Option<Model>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let (block, statements) = content(tree, &mut diagnostics);
    let name = match block {
        Some(block) => block.name.text.clone(),
        None => stem(sources.get(tree.file).map_or("", |s| s.name.as_str())),
    };
    let newtonian = statements.iter().find_map(|s| match &s.kind {
        StatementKind::Newtonian(name) => Some(name),
        _ => None,
    });
    let mut builder = Builder::new(name, newtonian.map_or("N", |n| n.text.as_str()));
    if let Some(text) = block.and_then(|b| b.description.as_ref()) {
        builder.describe(text.text.clone());
    }
    let mut names = Scopes::default();
    let root = names.open(None, None);
    let mut resolver = Resolver {
        sources,
        builder,
        names,
        root,
        plans: vec![],
        built: vec![],
        diagnostics,
        phase: Phase::Structure,
        strict: statements.iter().any(|s| s.kind == StatementKind::StrictUnits),
        bare: None,
        steps: 0,
        readings: Map::default(),
        state_rates: Map::default(),
        state_equations: Map::default(),
        state_starts: Map::default(),
        state_ids: Map::default(),
        motions: Map::default(),
        output_names: Map::default(),
        incomplete,
    };
    for (name, kind) in [
        (newtonian.map_or("N", |n| n.text.as_str()), ItemKind::Newtonian),
        ("t", ItemKind::Time),
        ("pi", ItemKind::Pi),
    ] {
        let item = resolver.names.add(kind, root, name, None);
        resolver.names.scopes[root].entries.insert(name.to_owned(), item);
    }
    resolver.run(&statements);
    let Resolver { builder, diagnostics, .. } = resolver;
    let model = (!diagnostics.has_errors()).then(|| builder.finish());
    (model, diagnostics)
}

/// The name of a file without folder and ending.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    if stem.is_empty() { "model".to_owned() } else { stem.to_owned() }
}

/// The model block, if there is one, and all statements that belong to the model.
fn content<'t>(tree: &'t Tree, diagnostics: &mut Diagnostics) -> (Option<&'t Block>, Vec<&'t Statement>) {
    let mut block: Option<&'t Block> = None;
    let mut statements = vec![];
    for statement in &tree.statements {
        match &statement.kind {
            StatementKind::Model(found) => match block {
                None => {
                    block = Some(found);
                    statements.extend(&found.content);
                }
                Some(first) => {
                    let d = Diagnostic::error(codes::SEVERAL_MODELS, "this text has more than one model");
                    let d = d.at(found.name.span, "second").also(first.name.span, "first");
                    diagnostics.push(d.hint("write each model in a text of its own"));
                }
            },
            _ => statements.push(statement),
        }
    }
    (block, statements)
}

impl<'t> Resolver<'t> {
    fn run(&mut self, statements: &[&'t Statement]) {
        let contents = self.collect(statements);
        let of_kind = |r: &Self, test: fn(&ItemKind<'t>) -> bool| -> Vec<ItemId> {
            contents.items.iter().copied().filter(|i| test(&r.names.items[*i].kind)).collect()
        };
        let builtin: Vec<ItemId> = self.names.items.ids().take(3).collect();
        self.settle(builtin);
        let fixed = of_kind(self, |k| {
            matches!(k, ItemKind::Parameter(_) | ItemKind::Constant(_) | ItemKind::Table(_))
        });
        self.settle(fixed);
        let states = of_kind(self, |k| matches!(k, ItemKind::State(_)));
        self.settle(states);
        let structure =
            of_kind(self, |k| matches!(k, ItemKind::Body(_) | ItemKind::BodyData(_) | ItemKind::Point(..)));
        self.settle(structure);
        self.gravity(&contents.gravity);
        self.fix_speeds(&contents.items);
        self.settle(contents.items.iter().copied());
        let motion: Vec<ItemId> = self.names.items.ids().collect();
        self.settle(motion);
        self.publish_variables(&contents.items);
        for (load, span) in &contents.loads {
            self.load(load, *span);
        }
        for (element, span) in &contents.elements {
            self.element(element, *span);
        }
        for output in &contents.outputs {
            self.output(output);
        }
        for start in &contents.starts {
            self.start(start);
        }
        for (experiment, span) in &contents.experiments {
            self.experiment(experiment, *span);
        }
        self.last_words();
    }

    /// What is worth knowing about a model without errors.
    fn last_words(&mut self) {
        if let Some((span, unit, n)) = self.bare.take() {
            let d = Diagnostic::note(codes::BARE, "a number without a unit is taken in SI units");
            let d = d.at(span, format!("taken as [{unit}]"));
            let d = if n > 1 { d.because(format!("so are {} more in this text", n - 1)) } else { d };
            let text = self.text(span);
            self.report(d.hint(format!("write `{text} [{unit}]`")));
        }
        let parameters = &self.builder.model().parameters;
        let open: Vec<_> = parameters.iter().filter(|(_, p)| p.default.is_none()).map(|(_, p)| p).collect();
        let Some(first) = open.first() else { return };
        let names: Vec<&str> = open.iter().map(|p| p.quantity.name.as_str()).collect();
        let message = match names.as_slice() {
            [one] => format!("the parameter {one} has no value yet"),
            _ => format!("{} parameters have no value yet", names.len()),
        };
        let d = Diagnostic::note(codes::NO_VALUE, message);
        let d = first.quantity.span.map_or(d.clone(), |span| d.at(span, ""));
        let d = if names.len() > 1 { d.because(names.join(", ")) } else { d };
        let d = d.because("equations can be derived without values; a run needs them");
        let unit = first.quantity.dimension.to_string();
        let help = format!("write `parameter {} = 1 [{unit}]`, or set it for the run", names[0]);
        self.report(d.hint(help));
    }
}
