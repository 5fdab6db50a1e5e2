//! Values that are given to symbols which nothing uses: most often another symbol was meant.

use std::collections::BTreeSet;

use cardan_base::{Diagnostic, Span, nearest};

use crate::autosim::codes;
use crate::autosim::reader::infix::{Expr, Term};
use crate::autosim::scene::{Role, Scene};

/// Warns of values without use. `expressions` are those of all statements, `routines` the texts that may use symbols as well.
pub(in crate::autosim) fn report(scene: &mut Scene, expressions: &[Expr], routines: &[(String, Span)]) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let starts = scene.coordinates.iter().flat_map(|c| c.of.iter().filter_map(|a| a.start.as_ref()));
    let defaults = scene.symbols.values().filter_map(|s| s.default.as_ref());
    let all = expressions.iter().chain(starts).chain(defaults).chain(scene.settings.values());
    all.for_each(|e| mention(e, &mut used));
    let given = scene.subroutines.iter().flat_map(|(_, arguments, _)| arguments);
    used.extend(given.map(|name| name.to_uppercase()));
    for (text, _) in routines {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        used.extend(words.map(str::to_uppercase));
    }
    let idle = scene.symbols.iter().filter(|(name, s)| {
        s.default.is_some() && matches!(s.role, Role::Parameter) && !used.contains(*name)
    });
    let mut found = vec![];
    let computed = |role: &Role| matches!(role, Role::Variable | Role::Rate(_));
    for (name, symbol) in scene.symbols.iter().filter(|(_, s)| s.default.is_some() && computed(&s.role)) {
        let message = format!("`{}` has an equation, and its value here is not used", name.to_lowercase());
        let d = Diagnostic::warning(codes::LEFT_OUT, message).at(symbol.span, "no effect");
        found.push(d.hint("remove the value, or the equation"));
    }
    for (name, symbol) in idle {
        let lower = name.to_lowercase();
        let d =
            Diagnostic::warning(codes::LEFT_OUT, format!("nothing uses `{lower}`, which gets a value here"))
                .at(symbol.span, "no effect");
        let without = |n: &&String| {
            scene.symbols.get(*n).is_none_or(|s| s.default.is_none() && matches!(s.role, Role::Parameter))
        };
        found.push(match nearest(name, used.iter().filter(without).map(String::as_str)) {
            Some(near) => d.hint(format!("write `{}`", near.to_lowercase())),
            None => d.hint("remove it, or use it in a force or an equation"),
        });
    }
    found.into_iter().for_each(|d| scene.findings.push(d));
}

/// The symbols of an expression, in capitals.
fn mention(e: &Expr, used: &mut BTreeSet<String>) {
    match &e.term {
        Term::Name(name) => {
            used.insert(name.clone());
        }
        Term::Call(name, arguments) => {
            used.insert(name.clone());
            arguments.iter().for_each(|a| mention(a, used));
        }
        Term::Minus(e) => mention(e, used),
        Term::Sum(es) | Term::Product(es) => es.iter().for_each(|(_, e)| mention(e, used)),
        Term::Power(a, b) => [a, b].into_iter().for_each(|e| mention(e, used)),
        Term::List(es) => es.iter().for_each(|e| mention(e, used)),
        Term::Number(_) | Term::Direction(_) => {}
    }
}
