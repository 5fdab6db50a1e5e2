//! Slots: parts whose behaviour is chosen by default, by the maker of the instance, or for the run.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_syntax::{Argument, Expr, ExprKind, Slot};

use crate::codes;
use crate::definition::Flow;
use crate::instances::Filling;
use crate::plan::Expander;
use crate::scope::Place;

impl<'t> Expander<'t, '_> {
    pub(crate) fn slot(&mut self, slot: &'t Slot, span: Span, place: &Place) {
        let Some(path) = self.flat_name(&slot.name, place) else { return };
        self.slots.insert(path.clone());
        let owner = self.scopes[place.scope].given.iter().find(|g| g.name == slot.name.text).cloned();
        let set = self.set_by_experiment(&path);
        let chosen = self.chosen(&path).or(set);
        let filling = match (chosen, owner, &slot.default) {
            (Some(e), ..) => self.filling(e, &Place::new(0)),
            (None, Some(g), _) => self.filling(g.value, &g.place),
            (None, None, Some(call)) => self.called(&call.function, &call.arguments, place),
            (None, None, None) => {
                let at = self.span(slot.name.span, place.scope);
                let d = Diagnostic::error(codes::SLOT, format!("nothing stands in the slot `{path}`"));
                let d = d.at(at, "");
                let d = match self.scopes[place.scope].span {
                    Some(maker) => d.also(maker, "made here"),
                    None => d,
                };
                return self.report(d.hint(format!("choose something: `--use {path}=NAME`")));
            }
        };
        let Some((filling, from)) = filling else {
            let at = self.span(slot.name.span, place.scope);
            let d = Diagnostic::error(codes::SLOT, format!("this cannot stand in the slot `{path}`"));
            return self.report(d.at(at, "").hint("name a subsystem: `fiala(stiffness = 50 [kN/rad])`"));
        };
        let kind = &filling.kind;
        let definition = self.subsystem(kind, &from).or_else(|| self.subsystem(kind, place));
        let Some(definition) = definition else { return self.unknown_kind(kind, &from) };
        let Some(interface) = self.subsystem(&slot.interface, place) else {
            return self.unknown_kind(&slot.interface, place);
        };
        if !self.fits(definition, interface, &path, slot, place) {
            return;
        }
        let Some(given) = self.given(definition, filling.arguments, &slot.content, place) else { return };
        let Some(scope) = self.open(definition, path, given, slot.name.span, place) else { return };
        self.wire(scope, &slot.content, &[], span, place);
        self.fill(scope, span);
    }

    /// What is chosen for a slot for the run: by its path, else by a path that begins with `*`.
    fn chosen(&self, path: &str) -> Option<&'t Expr> {
        let fits = |name: &&(String, String)| covers(&name.0, path);
        let named = self.settings.fillings.iter().filter(|(name, _)| name == path);
        let (name, _) = named.chain(self.settings.fillings.iter().filter(fits)).next()?;
        self.overrides.get(&format!("use {name}"))
    }

    /// What a call or a bare name puts into a slot, and where it is read.
    pub(crate) fn filling(&self, e: &'t Expr, place: &Place) -> Option<(Filling<'t>, Place)> {
        match &e.kind {
            ExprKind::Name(path) => self.called(path, &[], place),
            ExprKind::Call(call) => self.called(&call.function, &call.arguments, place),
            _ => None,
        }
    }

    pub(crate) fn called(
        &self,
        function: &'t cardan_syntax::Path,
        arguments: &'t [Argument],
        place: &Place,
    ) -> Option<(Filling<'t>, Place)> {
        if function.segments.iter().any(|s| !s.index.is_empty()) {
            return None;
        }
        let kind = function.joined();
        let arguments = arguments.iter().map(|a| (a, place.clone())).collect();
        Some((Filling { kind, arguments }, place.clone()))
    }

    /// Whether a subsystem has the ports that an interface asks for.
    pub(crate) fn fits(
        &mut self,
        definition: usize,
        interface: usize,
        path: &str,
        slot: &'t Slot,
        place: &Place,
    ) -> bool {
        let alike = |a: &Flow<'_>, b: &Flow<'_>| std::mem::discriminant(a) == std::mem::discriminant(b);
        let (filling, asked) = (&self.definitions[definition], &self.definitions[interface]);
        let missing = asked.ports.iter().find(|p| {
            let has = |q: &&crate::definition::PortSymbol<'_>| q.name.text == p.name.text;
            !filling.ports.iter().find(has).is_some_and(|q| alike(&q.flow, &p.flow))
        });
        let Some(missing) = missing else { return true };
        let message = format!("`{}` does not fit into the slot `{path}`", filling.name);
        let d = Diagnostic::error(codes::SLOT, message).at(self.span(slot.name.span, place.scope), "");
        let d = d.also(missing.name.span, format!("`{}` asks for this port", asked.name));
        let d = match filling.span {
            Some(span) => d.also(span, "which is missing here, or of another kind"),
            None => d,
        };
        let help = format!("add the port `{}` to `{}`", missing.name.text, filling.name);
        self.report(d.hint(help));
        false
    }

    /// Whether every slot that is filled for the run exists.
    pub fn check_fillings(&mut self) {
        for (path, _) in &self.settings.fillings {
            if self.slots.iter().any(|slot| covers(path, slot)) {
                continue;
            }
            let mut known: Vec<&str> = self.slots.iter().map(String::as_str).collect();
            known.sort_unstable();
            let d = Diagnostic::error(codes::SLOT, format!("there is no slot `{path}`"));
            let span = self.overrides.get(&format!("use {path}")).map(|e| e.span);
            let d = match span {
                Some(span) => d.at(span, "chosen for it"),
                None => d,
            };
            let d = match nearest(path, known.iter().copied()) {
                Some(near) => d.hint(format!("write `--use {near}=NAME`")),
                None if known.is_empty() => d.hint("remove `--use`; this model has no slots"),
                None => d.hint(format!("slots are {}", known.join(", "))),
            };
            self.diagnostics.push(d);
        }
    }
}

/// Whether a path given for the run means a slot: `front.left.tyre`, or `*.tyre` for all tyres.
fn covers(given: &str, slot: &str) -> bool {
    match given.strip_prefix("*.") {
        Some(end) => slot == end || slot.strip_suffix(end).is_some_and(|start| start.ends_with('.')),
        None => given == slot,
    }
}
