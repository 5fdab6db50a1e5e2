//! Numbers with the name of a body, a point or a load: the native text has one name for one thing.

use cardan_base::{Diagnostic, Span};

use crate::autosim::codes;
use crate::autosim::scene::{Item, Role, Scene, native};

/// Says which symbols have such a name, once each.
pub(in crate::autosim) fn report(scene: &mut Scene) {
    let mut things: Vec<(&str, String, Option<Span>)> = vec![("the ground", "N".into(), None)];
    for (item, span) in &scene.items {
        match item {
            Item::Body(b) => things.push(("a body", b.name.clone(), Some(*span))),
            Item::Point { name, .. } => things.push(("a point", name.clone(), Some(*span))),
            Item::Load { name, is_force: true, .. } => things.push(("a force", name.clone(), Some(*span))),
            Item::Load { name, .. } => things.push(("a moment", name.clone(), Some(*span))),
            _ => {}
        }
    }
    let mut found = vec![];
    for (name, symbol) in scene.symbols.iter().filter(|(_, s)| matches!(s.role, Role::Parameter)) {
        let spelt = native(name);
        let Some((what, _, place)) = things.iter().find(|(_, thing, _)| *thing == spelt) else { continue };
        let lower = name.to_lowercase();
        let message = format!("`{lower}` is {what}, and a number of the same name is wanted here");
        let d = Diagnostic::error(codes::DUPLICATE, message).at(symbol.span, "a number");
        let d = if let Some(place) = place { d.also(*place, *what) } else { d };
        let d = if symbol.description.is_empty() { d } else { d.because(symbol.description.clone()) };
        let is_free = |n: &String| !scene.symbols.contains_key(n) && !scene.declared.contains_key(n);
        let other = (2..).map(|k| format!("{name}{k}")).find(is_free).unwrap_or_default();
        found
            .push(d.hint(format!("choose another name for one of them, such as `{}`", other.to_lowercase())));
    }
    found.into_iter().for_each(|d| scene.findings.push(d));
}
