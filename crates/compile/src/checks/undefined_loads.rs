//! Which load is infinite or undefined where a motion starts, and which part of it.
//!
//! Every part of the load is computed from the values that the start gives; the first that is not finite, although all that it is made
//! of is, is the cause. Loops may close a little beside these values, and what comes from tables and other programs is not known here: where
//! nothing is found, nothing is said.

use cardan_base::{Code, Diagnostic, Map};
use cardan_expr::{Expr, Function, Node, SymbolId};
use cardan_model::{Element, ElementKind, Load, LoadKind, Model, Quantity};
use cardan_units::Dimension;

use cardan_assembly::parameter_values::ParameterValues;

/// A load that is infinite or undefined at the start.
pub const UNDEFINED: Code = Code("K011");

/// The first load that is not finite at the start, with the coordinates and speeds of a state that closes the loops, if there is one.
pub fn undefined_load(model: &Model, closed: Option<&[f64]>) -> Option<Diagnostic> {
    let start = start(model, closed);
    let pool = model.space.pool();
    let value = |s: SymbolId| start.get(&s).copied().unwrap_or(f64::NAN);
    for (_, load) in model.loads.iter() {
        let (LoadKind::Force { vector, .. } | LoadKind::Torque { vector, .. }) = &load.kind;
        let components: Vec<Expr> = vector.terms().iter().map(|(_, c)| *c).collect();
        // A side of a choice that is not taken may have no value.
        if pool.evaluate_all(&components, &value).iter().all(|x| x.is_finite()) {
            continue;
        }
        let parts = pool.reachable(components);
        let values = pool.evaluate_all(&parts, &value);
        let cause = parts.iter().zip(&values).find(|(_, v)| !v.is_finite()).map(|(e, _)| *e);
        let known = |e: &Expr| {
            !matches!(
                pool.node(*e),
                Node::Symbol(_)
                    | Node::Call(Function::Table(..) | Function::External(_) | Function::Solve(..), _)
            )
        };
        if let Some(cause) = cause.filter(known) {
            return Some(say(model, load, cause, &start));
        }
    }
    None
}

/// Values of parameters, coordinates, speeds, states and the time as the model gives them.
fn start(model: &Model, closed: Option<&[f64]>) -> Map<SymbolId, f64> {
    let pool = model.space.pool();
    let parameters = ParameterValues::of(model);
    let mut start: Map<SymbolId, f64> = Map::default();
    let mut put = |symbol: Expr, value: f64| {
        if let Some(s) = pool.as_symbol(symbol) {
            start.insert(s, value);
        }
    };
    put(model.space.time(), 0.0);
    model.parameters.iter().for_each(|(_, p)| put(p.symbol, parameters.evaluate(model, p.symbol)));
    model.coordinates.iter().for_each(|(_, q)| put(q.symbol, parameters.evaluate(model, q.start)));
    model.speeds.iter().for_each(|(_, u)| put(u.symbol, parameters.evaluate(model, u.start)));
    model.states.iter().for_each(|(_, s)| put(s.symbol, parameters.evaluate(model, s.start)));
    let moving =
        model.coordinates.iter().map(|(_, q)| q.symbol).chain(model.speeds.iter().map(|(_, u)| u.symbol));
    moving.zip(closed.unwrap_or(&[])).for_each(|(symbol, value)| put(symbol, *value));
    model.hybrid.discretes.iter().for_each(|(_, d)| put(d.symbol, parameters.evaluate(model, d.start)));
    start
}

fn say(model: &Model, load: &Load, cause: Expr, start: &Map<SymbolId, f64>) -> Diagnostic {
    let pool = model.space.pool();
    let noun = if matches!(load.kind, LoadKind::Force { .. }) { "force" } else { "torque" };
    let message = format!("the {noun} `{}` is not a finite number at the start", load.name);
    let d = Diagnostic::error(UNDEFINED, message);
    let along = |e: &Element| {
        let kinds = [ElementKind::Spring, ElementKind::Damper, ElementKind::SpringDamper];
        kinds.contains(&e.kind) && e.loads.iter().any(|(_, id)| model.loads[*id].name == load.name)
    };
    if let Some((_, element)) = model.elements.iter().find(|(_, e)| along(e)) {
        let d = match load.span {
            Some(span) => d.at(span, "its ends coincide there, so it has no direction"),
            None => d.because("its ends coincide there, so it has no direction"),
        };
        let q = model.coordinates.iter().find(|(_, q)| q.quantity.dimension == Dimension::LENGTH);
        let q = q.or(model.coordinates.iter().next());
        let place = q.map_or("q = …".to_owned(), |(_, q)| {
            format!("{} = 0.1 [{}]", q.quantity.name, q.quantity.dimension)
        });
        return d.hint(format!("start with the ends of `{}` apart: `start {{ {place} }}`", element.name));
    }
    let d = match load.span {
        Some(span) => d.at(span, format!("`{}` has no value there", pool.text(cause))),
        None => d.because(format!("`{}` has no value there", pool.text(cause))),
    };
    let coordinates = model.coordinates.iter().map(|(_, q)| (&q.quantity, q.symbol));
    let speeds = model.speeds.iter().map(|(_, u)| (&u.quantity, u.symbol));
    let parts = pool.reachable([cause]);
    let moving: Vec<(&Quantity, f64)> = coordinates
        .chain(speeds)
        .filter(|(_, symbol)| parts.binary_search(symbol).is_ok())
        .filter_map(|(q, symbol)| Some((q, *start.get(&pool.as_symbol(symbol)?)?)))
        .collect();
    let at: Vec<String> =
        moving.iter().map(|(q, value)| format!("`{}` = {value} {}", q.name, q.dimension)).collect();
    let d = if at.is_empty() { d } else { d.because(format!("the motion starts with {}", at.join(", "))) };
    let name = moving.first().map_or("q", |(q, _)| q.name.as_str());
    d.hint(format!("start elsewhere, `start {{ {name} = … }}`, or write a law that holds there too: `if {name} > 0 then … else 0`"))
}
