//! From tree to model, in the order of the analyst's notebook.
//!
//! Names, then parameters and states, then bodies and points (parents first, whatever the order of the text), then
//! speeds, then everything that uses velocities, then what is left to say.

use cardan_base::{Diagnostic, Diagnostics, Severity, Sources};
use cardan_model::{Builder, Event, Model};
use cardan_syntax::{Block, Name, Statement, StatementKind, Tree};
use cardan_units::Dimension;

use crate::codes;
use crate::context::Resolver;
use crate::joints::{contact_coordinates, prescribed_motion};
use crate::names::scope::{ItemId, ItemKind};
use crate::topology::joint_graph;

/// The model that a tree describes, if there are no errors, and the findings. `incomplete` says that statements are
/// missing from the tree because they could not be read.
pub fn resolve(tree: &Tree, sources: &Sources, incomplete: bool) -> (Option<Model>, Diagnostics) {
    resolve_as(tree, sources, incomplete, false)
}

/// The same; `is_whole` takes nothing as small.
pub fn resolve_as(
    tree: &Tree,
    sources: &Sources,
    incomplete: bool,
    is_whole: bool,
) -> (Option<Model>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let (block, statements) = content(tree, &mut diagnostics);
    let name = match block {
        Some(block) => block.name.text.clone(),
        None => stem(sources.get(tree.file).map_or("", |s| s.name.as_str())),
    };
    let grounds: Vec<&Name> = statements.iter().filter_map(|s| newtonian_name(s)).collect();
    for again in grounds.iter().skip(1) {
        let d = Diagnostic::error(codes::DUPLICATE, "the ground is named twice").at(again.span, "here again");
        diagnostics.push(d.also(grounds[0].span, "first here").hint("remove one of them"));
    }
    let ground = grounds.first().map_or("N", |n| n.text.as_str());
    let mut about_graph = Diagnostics::new();
    let graph = joint_graph::span(&statements, ground, incomplete, &mut about_graph);
    let incomplete = incomplete || about_graph.has_errors();
    diagnostics.append(about_graph);
    let statements = graph.statements(&statements);
    let contacts = contact_coordinates::frames(&statements, ground);
    let mut builder = Builder::new(name, ground);
    if let Some(text) = block.and_then(|b| b.description.as_ref()) {
        builder.describe(text.text.clone());
    }
    let mut resolver = Resolver::new(sources, builder);
    resolver.strict = statements.iter().any(|s| s.kind == StatementKind::StrictUnits);
    resolver.mounts = Some(&graph.mounts);
    resolver.contacts = Some(&contacts);
    resolver.incomplete = incomplete;
    resolver.is_whole = is_whole;
    resolver.diagnostics = diagnostics;
    resolver.run(&statements);
    let Resolver { builder, mut diagnostics, .. } = resolver;
    if diagnostics.has_errors() {
        return (None, by_place(diagnostics).with_instances(sources));
    }
    let model = builder.finish();
    if let Err(reason) = &model {
        let d = Diagnostic::error(codes::UNDEFINED, format!("the model is not complete: {reason}"));
        diagnostics.push(d.hint("remove the last statement that was added, and add it in parts"));
    }
    (model.ok(), by_place(diagnostics).with_instances(sources))
}

/// The findings in the order of the text, those about the whole of it last.
fn by_place(findings: Diagnostics) -> Diagnostics {
    if findings.n_suppressed() > 0 {
        return findings;
    }
    let mut items: Vec<Diagnostic> = findings.into_iter().collect();
    items.sort_by_key(|d| (d.severity == Severity::Note, d.span()));
    let mut sorted = Diagnostics::new();
    items.into_iter().for_each(|d| sorted.push(d));
    sorted
}

fn newtonian_name(statement: &Statement) -> Option<&Name> {
    match &statement.kind {
        StatementKind::Newtonian(name) => Some(name),
        _ => None,
    }
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
        if self.is_whole {
            self.plans.iter_mut().flat_map(|plan| &mut plan.degrees).for_each(|degree| degree.small = 0);
            self.small_items.clear();
        }
        let of_kind = |r: &Self, test: fn(&ItemKind<'t>) -> bool| -> Vec<ItemId> {
            contents.items.iter().copied().filter(|i| test(&r.names.items[*i].kind)).collect()
        };
        let closes = of_kind(self, |k| matches!(k, ItemKind::ClosingJoint(..) | ItemKind::Constraint(..)));
        if !closes.is_empty() || self.names.elements.iter().any(|e| prescribed_motion::drives(e.tree)) {
            self.builder.expect_constraints();
        }
        self.find_locks(&contents.events);
        let mut fixed = of_kind(self, |k| {
            matches!(k, ItemKind::Parameter(_) | ItemKind::Constant(_) | ItemKind::Table(_))
        });
        // What begins with the zero of a signal waits until velocities are known.
        fixed.retain(|item| !self.begins_like_a_signal(*item));
        self.settle(fixed);
        let mut states =
            of_kind(self, |k| matches!(k, ItemKind::Input(_) | ItemKind::State(_) | ItemKind::Discrete(_)));
        states.retain(|item| !self.begins_like_a_signal(*item));
        self.settle(states);
        let structure =
            of_kind(self, |k| matches!(k, ItemKind::Body(_) | ItemKind::BodyData(_) | ItemKind::Point(..)));
        self.settle(structure);
        self.gravity(&contents.gravity);
        self.fix_speeds(&contents.items);
        self.joint_limits();
        self.armatures();
        self.drive_kinked();
        self.settle(contents.items.iter().copied());
        let motion: Vec<ItemId> = self.names.items.ids().collect();
        self.settle(motion);
        self.publish_variables(&contents.items);
        let written: Vec<Event> = contents.events.iter().filter_map(|event| self.event(event)).collect();
        let (before, behind): (Vec<Event>, Vec<Event>) =
            written.into_iter().partition(|event| self.asks_for_meeting(event));
        let of_elements = std::mem::take(&mut self.events_of_elements);
        for event in before.into_iter().chain(of_elements).chain(behind) {
            self.builder.add_event(event);
        }
        for output in &contents.outputs {
            self.output(output);
        }
        for shown in &contents.shown {
            self.show(shown);
        }
        for start in &contents.starts {
            self.start(start);
        }
        for (experiment, span) in &contents.experiments {
            self.experiment(experiment, *span);
        }
        for item in &contents.items {
            self.check_function(*item);
            self.check_procedure(*item);
        }
        self.check_constraints();
        self.check_overlaps();
        self.check_driven_starts();
        self.check_limits();
        self.check_principal_values();
        self.check_contact_shapes();
        if !self.incomplete && !self.diagnostics.has_errors() && !contents.experiments.is_empty() {
            self.check_unused();
            self.check_omissions(!contents.gravity.is_empty());
        }
        self.last_words();
    }

    /// What is worth knowing about a model without errors.
    fn last_words(&mut self) {
        if self.incomplete {
            return;
        }
        if let Some((span, unit, n)) = self.bare.take() {
            let d = Diagnostic::note(codes::BARE, "a number without a unit is taken in SI units");
            let d = d.at(span, format!("taken as [{unit}]"));
            let d = match n {
                1 => d,
                2 => d.because("so is one more in this text"),
                _ => d.because(format!("so are {} more in this text", n - 1)),
            };
            let text = self.text_with_unit(span, &unit);
            self.report(d.hint(format!("write `{text}`")));
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
        let d = d.because(
            "equations can be derived without values; a run needs the values of those that they contain",
        );
        let unit = first.quantity.dimension.to_string();
        let item = self.names.find(self.root, names[0]).map(|i| self.names.items[i].kind);
        let help = match (item, first.quantity.span.map(|span| self.text(span))) {
            (Some(ItemKind::DefaultParameter(d)), Some(body)) if d == Dimension::INERTIA => format!(
                "write `inertia = (1, 1, 1) [kg*m^2]` into the braces of `{body}`, or `particle` instead of `body`"
            ),
            (Some(ItemKind::DefaultParameter(_)), Some(body)) => {
                format!("write `mass = 1 [kg]` into the braces of `{body}`")
            }
            _ => format!("write `parameter {} = 1 [{unit}]`, or set it for the run", names[0]),
        };
        self.report(d.hint(help));
    }
}
