//! Experiment files: a text that imports a model as a whole and changes what it asks of it, not its structure.
//!
//! ```text
//! import "car.mbs" { k = 3 [N/m]; n = 5; front.left.tyre = fiala }
//! start { x = 1 [m] }
//! simulate { to = 2 [s] }
//! ```
//!
//! The braces set parameters, constants and slots by path, as `--set` and `--use` do for one run, which come before
//! them. Gravity and start values of the experiment take the place of those of the model.

use cardan_base::{Diagnostic, Map, Set, nearest};
use cardan_syntax::{Declaration, Expr, ExprKind, Statement, StatementKind, print_expression};

use crate::codes;
use crate::imports::Module;
use crate::plan::Expander;
use crate::scope::Place;

/// The quantity that a start value is given for, as text.
fn start_of(statement: &Statement) -> Option<String> {
    match &statement.kind {
        StatementKind::Assign(a) => Some(a.target.to_string()),
        StatementKind::Guess { left, .. } | StatementKind::Equation { left, .. } => {
            Some(print_expression(left))
        }
        _ => None,
    }
}

/// The statements of a text, those of its model included.
fn within(statements: &[Statement]) -> Vec<&Statement> {
    let mut all = vec![];
    for statement in statements {
        match &statement.kind {
            StatementKind::Model(block) => all.extend(&block.content),
            _ => all.push(statement),
        }
    }
    all
}

/// Removes from imported models the gravity and the start values that the importing text gives itself.
pub(crate) fn replace_starts(modules: &mut [Module]) {
    let Some((root, imported)) = modules.split_first_mut() else { return };
    let own = within(&root.tree.statements);
    let has_gravity = own.iter().any(|s| matches!(s.kind, StatementKind::Gravity(_)));
    let starts = own.iter().filter_map(|s| match &s.kind {
        StatementKind::Start(content) => Some(content),
        _ => None,
    });
    let given: Set<String> = starts.flatten().filter_map(start_of).collect();
    for link in root.links.iter().filter(|l| l.names.is_empty()) {
        let Some(module) = link.module.checked_sub(1).and_then(|k| imported.get_mut(k)) else { continue };
        for statement in &mut module.tree.statements {
            let StatementKind::Model(block) = &mut statement.kind else { continue };
            block.content.retain(|s| !(has_gravity && matches!(s.kind, StatementKind::Gravity(_))));
            for statement in &mut block.content {
                if let StatementKind::Start(content) = &mut statement.kind {
                    content.retain(|s| start_of(s).is_none_or(|name| !given.contains(&name)));
                }
            }
        }
    }
}

/// Keeps of several start values of one quantity that of the outermost text: a model knows better than the definition
/// of a part where the part begins. `starts` are places of start blocks with the number of instances around them.
pub(crate) fn keep_outermost_starts(statements: &mut Vec<Statement>, starts: &[(usize, usize)]) {
    let mut outermost: Map<String, usize> = Map::default();
    let content = |s: &Statement| match &s.kind {
        StatementKind::Start(content) => content.iter().filter_map(start_of).collect(),
        _ => vec![],
    };
    for (k, nesting) in starts {
        for name in content(&statements[*k]) {
            let least = outermost.entry(name).or_insert(*nesting);
            *least = (*least).min(*nesting);
        }
    }
    for (k, nesting) in starts {
        if let StatementKind::Start(content) = &mut statements[*k].kind {
            let is_kept = |s: &Statement| start_of(s).is_none_or(|name| outermost[&name] >= *nesting);
            content.retain(is_kept);
        }
    }
    statements.retain(|s| !matches!(&s.kind, StatementKind::Start(content) if content.is_empty()));
}

impl<'t> Expander<'t, '_> {
    /// Notes what the experiment sets of the model that it imports.
    pub(crate) fn read_experiment(&mut self) {
        let Some(root) = self.modules.first() else { return };
        for link in root.links.iter().filter(|l| !l.settings.is_empty()) {
            if !link.names.is_empty() || !self.modules[link.module].has_model() {
                let d = Diagnostic::error(codes::ARGUMENT, "only a model that is imported as a whole is set");
                let d = d.at(link.span, "");
                self.report(d.hint("write `import \"model.mbs\" { k = 3 [N/m] }`"));
                continue;
            }
            for statement in &link.settings {
                let StatementKind::Assign(a) = &statement.kind else {
                    let d = Diagnostic::error(codes::MISPLACED, "this does not belong into an import");
                    let d = d.at(statement.span, "");
                    self.report(d.hint("set parameters, constants and slots: `k = 3 [N/m]`"));
                    continue;
                };
                let Some(path) = self.flat_path(&a.target, &Place::new(0)) else { continue };
                if let Some((_, first)) = self.experiment.insert(path.clone(), (&a.value, a.target.span)) {
                    let d = Diagnostic::error(codes::CLASH, format!("`{path}` is set twice"));
                    let d = d.at(a.target.span, "here again").also(first, "first here");
                    self.report(d.hint("remove one of them"));
                }
            }
        }
    }

    /// What the experiment sets a parameter, a constant or a slot to.
    pub(crate) fn set_by_experiment(&mut self, path: &str) -> Option<&'t Expr> {
        let (value, _) = *self.experiment.get(path)?;
        self.set_paths.insert(path.to_owned());
        Some(value)
    }

    /// Declarations of the model with the values that the experiment sets.
    pub(crate) fn set_declarations(&mut self, mut list: Vec<Declaration>) -> Vec<Declaration> {
        for d in &mut list {
            let Some(e) = self.set_by_experiment(&d.name.text) else { continue };
            let written = d.value.take().and_then(|e| match e.kind {
                ExprKind::Quantity { unit, .. } => Some(unit),
                _ => None,
            });
            d.unit = d.unit.take().or(written);
            d.value = Some(self.expr(e, &Place::new(0)));
        }
        list
    }

    /// Whether everything that the experiment sets is there.
    pub(crate) fn check_experiment(&mut self) {
        let mut open: Vec<_> = self.experiment.iter().filter(|(p, _)| !self.set_paths.contains(*p)).collect();
        open.sort_by_key(|(path, _)| *path);
        let open: Vec<_> = open.into_iter().map(|(path, (_, span))| (path.clone(), *span)).collect();
        for (path, span) in open.into_iter().filter(|_| !self.incomplete) {
            let message = format!("the imported model has no parameter, constant or slot `{path}`");
            let d = Diagnostic::error(codes::ARGUMENT, message).at(span, "");
            let known = self.declared.keys().chain(&self.slots).map(String::as_str);
            let d = match nearest(&path, known) {
                Some(near) => d.hint(format!("write `{near}`")),
                None => d.hint("`cardan show` lists the parameters of a model"),
            };
            self.diagnostics.push(d);
        }
    }
}
