//! Ends of tables at which a motion ended: beyond its last point a table says nothing about slopes, and a point that follows it has nowhere to go.

use cardan::assembly::ParameterValues;
use cardan::expr::{Expr, Function, Node};
use cardan::model::{LoadKind, Model, Table};
use cardan::sim::Trajectory;

use crate::analyze::number;

/// An argument this near to an end, as a part of the range, is there.
const NEAR: f64 = 1e-6;

/// What the end of a failed motion has to do with the end of a table: the table, the value and the range.
pub fn explain(model: &Model, trajectory: &Trajectory) -> Option<String> {
    let pool = model.space.pool();
    let last: Vec<f64> = trajectory.rows.iter().next_back()?.to_vec();
    let known = ParameterValues::of(model);
    let states = model.coordinates.iter().map(|(_, q)| q.symbol);
    let states: Vec<Expr> = [model.space.time()]
        .into_iter()
        .chain(states)
        .chain(model.speeds.iter().map(|(_, u)| u.symbol))
        .chain(model.states.iter().map(|(_, s)| s.symbol))
        .collect();
    let value = |e: Expr| {
        pool.evaluate(e, &|s| {
            let place = states.iter().position(|x| pool.as_symbol(*x) == Some(s));
            match place.and_then(|k| last.get(k)) {
                Some(x) => *x,
                None => known.evaluate(model, pool.symbol_expr(s)),
            }
        })
    };
    looked_up(model).into_iter().find_map(|(table, arguments)| {
        let axes: [&[f64]; 2] = [&table.x, &table.y];
        arguments.into_iter().zip(axes).find_map(|(argument, axis)| {
            let (low, high) = (*axis.first()?, *axis.last()?);
            let x = value(argument);
            let near = NEAR * (high - low);
            let end = if x >= high - near {
                "after"
            } else if x <= low + near {
                "before"
            } else {
                return None;
            };
            Some(format!(
                "the table `{}` is known from {} to {} in SI units and was asked at {}: nothing is known {end} its end",
                table.name,
                number(low),
                number(high),
                number(x),
            ))
        })
    })
}

/// Every table that loads, constraints and states look values up in, with its arguments; those that repeat themselves have no ends.
fn looked_up(model: &Model) -> Vec<(&Table, Vec<Expr>)> {
    let pool = model.space.pool();
    let mut roots: Vec<Expr> = vec![];
    for (_, constraint) in model.constraints.iter() {
        roots.extend(constraint.rows.iter().flat_map(|r| r.position.into_iter().chain([r.velocity])));
    }
    for (_, load) in model.loads.iter() {
        let (LoadKind::Force { vector, .. } | LoadKind::Torque { vector, .. }) = &load.kind;
        roots.extend(vector.terms().iter().map(|(_, c)| *c));
    }
    roots.extend(model.states.iter().map(|(_, s)| s.rate));
    let has_floor = |a: &Expr| {
        pool.reachable([*a]).iter().any(|p| matches!(pool.node(*p), Node::Call(Function::Floor, _)))
    };
    let mut found: Vec<(&Table, Vec<Expr>)> = vec![];
    for e in pool.reachable(roots) {
        if let Node::Call(Function::Table(id, _), arguments) = pool.node(e)
            && !arguments.iter().any(has_floor)
        {
            found.push((&model.tables[id], arguments.to_vec()));
        }
    }
    found.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    found
}

#[cfg(test)]
mod tests {
    use cardan::prelude::*;

    use super::explain;

    fn end_of(text: &str) -> Option<String> {
        let run = run("a.mbs", text).expect("a motion");
        explain(run.compiled.model(), &run.trajectory)
    }

    const TRACK: &str = "gravity = -9.81 [m/s^2] * N.z
table cx(s [m]) [m] = spline { 0: 0, 1: 1, 2: 2, 3: 3 }
table cz(s [m]) [m] = spline { 0: 1, 1: 0.5, 2: 0.2, 3: 0 }
particle p on N by translate(x = x, y = y, z = z) { mass = 1 [kg] }
joint w = on_curve(N.o, p.o, x = cx, y = 0 [m], z = cz, q = s)
start { s = 0.1 [m] }
";

    #[test]
    fn a_point_at_the_end_of_its_curve_is_told() {
        let told = end_of(&format!("{TRACK}simulate {{ to = 5 [s] }}"));
        let told = told.expect("the end of a table");
        assert!(
            told.contains("`cx`") && told.contains("from 0 to 3") && told.contains("after its end"),
            "{told}"
        );
    }

    #[test]
    fn a_point_on_its_curve_is_not_at_an_end() {
        assert_eq!(end_of(&format!("{TRACK}simulate {{ to = 0.5 [s] }}")), None);
    }
}
