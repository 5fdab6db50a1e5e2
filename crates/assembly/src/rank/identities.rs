//! Rows that hold identically on the branch of the start.
//!
//! ```text
//! [still]      |v| ≤ ε s   at places beside the start and for any speeds,  s what v would be if nothing in it cancelled
//! [identity]   v = 0 as a function on a branch of its roots, for all values of parameters or for those given
//! ```
//!
//! A disc that is described by its point of contact touches the ground whatever it does: with the tilt θ its height is
//! r cos θ and ought to be r √(1 - sin² θ). Such a row is no equation, and what rounding leaves of it must not
//! hold a motion. [still] tells on which branch the start is; [identity] decides, in finite fields.

use cardan_base::{Id, Map};
use cardan_equations::{ConstraintRow, ConstraintRows};
use cardan_expr::{Expr, Node, Pool, SymbolId};
use cardan_model::Model;

use crate::newton::beside;
use crate::parameter_values::ParameterValues;

/// What cancellation leaves of something, as a part of it, if it is rounding. [still]
const STILL: f64 = 1e-9;
/// Rates above this, in SI units, are not looked at further, for speeds of the order of one.
const MAY_BE_STILL: f64 = 1e-6;
/// How many places beside the start are looked at.
const PLACES: usize = 3;

/// Moves rows that hold identically to the implied ones, and says which of those that are left hold at the values of the parameters.
pub fn take_identities(model: &Model, values: &ParameterValues, rows: &mut ConstraintRows) -> Vec<Rate> {
    let places: Vec<Map<SymbolId, f64>> = (1..=PLACES).map(|k| place(model, values, k)).collect();
    let mut at_values = None;
    let mut void = vec![];
    // One evaluation of all of them leaves few to be looked at.
    let pool = model.space.pool();
    let velocities: Vec<Expr> = rows.rows.iter().map(|r| r.velocity).collect();
    let at = |s: SymbolId| places[0].get(&s).copied().unwrap_or(f64::NAN);
    let rates = pool.evaluate_all(&velocities, &at);
    for (row, rate) in std::mem::take(&mut rows.rows).into_iter().zip(rates) {
        let may_be = rate.abs() <= MAY_BE_STILL;
        let found = may_be.then(|| identity(model, &places, &row, &mut at_values)).flatten();
        if found == Some(Identity::Everywhere) {
            rows.implied.push((row.constraint, row.row));
        } else {
            void.push(match found {
                Some(Identity::Rate) => Rate::Vanishes,
                Some(_) => Rate::VanishesHere,
                None => Rate::Varies,
            });
            rows.rows.push(row);
        }
    }
    void
}

/// Rate of a residual as a function of the motion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rate {
    /// Some motion changes the residual.
    Varies,
    /// No motion changes it, whatever the values of the parameters.
    Vanishes,
    /// No motion changes it at the values that the parameters have.
    VanishesHere,
}

/// For which values a row holds by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Identity {
    /// For all.
    Everywhere,
    /// Its residual is a number that no motion changes, for all.
    Rate,
    /// For those that the parameters have.
    Here,
}

fn identity(
    model: &Model,
    places: &[Map<SymbolId, f64>],
    row: &ConstraintRow,
    at_values: &mut Option<AtValues>,
) -> Option<Identity> {
    let pool = model.space.pool();
    if row.jacobian.is_empty() || !places.iter().all(|place| is_still(pool, row.velocity, place)) {
        return None;
    }
    let gaps: Vec<f64> =
        row.position.map_or(vec![], |g| places.iter().map(|place| value(pool, g, place)).collect());
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    let most = gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // A rate that is zero only where the row holds is no rate of what changes elsewhere.
    if most - least > STILL * (1.0 + most.abs()) {
        return None;
    }
    let all = [Some(row.velocity), row.position];
    if all.iter().flatten().all(|e| pool.vanishes_on_a_branch(*e)) {
        let holds = row.position.is_none_or(|g| places.iter().all(|place| is_still(pool, g, place)));
        return Some(if holds { Identity::Everywhere } else { Identity::Rate });
    }
    if pool.vanishes_on_a_branch(row.velocity) {
        return Some(Identity::Rate);
    }
    let at_values = at_values.get_or_insert_with(|| AtValues::of(model));
    at_values.vanishes(row.velocity).then_some(Identity::Here)
}

/// Expressions with numbers for parameters, in a pool of their own.
struct AtValues {
    pool: Pool,
    numbers: Map<SymbolId, Expr>,
    known: Map<Expr, Expr>,
}

impl AtValues {
    fn of(model: &Model) -> AtValues {
        let pool = model.space.pool().clone();
        let mut numbers: Map<SymbolId, Expr> = Map::default();
        // Parameters are expressions of those before them, or of those behind: as many rounds as there are parameters.
        for _ in 0..model.parameters.len() {
            let before = numbers.len();
            for (_, p) in model.parameters.iter() {
                let (Some(symbol), Some(default)) = (pool.as_symbol(p.symbol), p.default) else { continue };
                let number = pool.substitute(default, &numbers, &mut Map::default());
                if pool.depends(number).is_constant() && is_free_of_parameters(&pool, model, number) {
                    numbers.insert(symbol, number);
                }
            }
            if numbers.len() == before {
                break;
            }
        }
        AtValues { pool, numbers, known: Map::default() }
    }
    fn vanishes(&mut self, e: Expr) -> bool {
        let replaced = self.pool.substitute(e, &self.numbers, &mut self.known);
        self.pool.vanishes_on_a_branch(replaced)
    }
}

fn is_free_of_parameters(pool: &Pool, model: &Model, e: Expr) -> bool {
    let parts = pool.reachable([e]);
    model.parameters.iter().all(|(_, p)| parts.binary_search(&p.symbol).is_err())
}

/// Values of all symbols at a place beside the start, at arbitrary speeds.
fn place(model: &Model, values: &ParameterValues, attempt: usize) -> Map<SymbolId, f64> {
    let pool = model.space.pool();
    let mut found: Map<SymbolId, f64> = Map::default();
    let mut learn = |symbol: Expr, value: f64| found.extend(pool.as_symbol(symbol).map(|s| (s, value)));
    let finite = |x: f64, otherwise: f64| if x.is_finite() { x } else { otherwise };
    for (_, p) in model.parameters.iter() {
        learn(p.symbol, finite(values.evaluate(model, p.symbol), 1.0));
    }
    for (id, q) in model.coordinates.iter() {
        learn(q.symbol, finite(values.evaluate(model, q.start), 0.0) + beside(id.index(), attempt));
    }
    let n = model.coordinates.len();
    for (id, u) in model.speeds.iter() {
        learn(u.symbol, 1.0 + beside(n + id.index(), attempt + PLACES));
    }
    for (_, s) in model.states.iter() {
        learn(s.symbol, finite(values.evaluate(model, s.start), 0.0));
    }
    learn(model.space.time(), 0.1 * attempt as f64);
    found
}

fn value(pool: &Pool, e: Expr, place: &Map<SymbolId, f64>) -> f64 {
    pool.evaluate(e, &|s| place.get(&s).copied().unwrap_or(f64::NAN))
}

/// Whether an expression is small beside what it would be if nothing in it cancelled. [still]
fn is_still(pool: &Pool, e: Expr, place: &Map<SymbolId, f64>) -> bool {
    let parts = pool.reachable([e]);
    let values = pool.evaluate_all(&parts, &|s| place.get(&s).copied().unwrap_or(f64::NAN));
    let mut sizes: Map<Expr, (f64, f64)> = Map::default();
    for (part, value) in parts.iter().zip(&values) {
        let of = |x: &Expr| sizes.get(x).copied().unwrap_or((f64::NAN, f64::NAN));
        let size = match (pool.node(*part), pool.definition(*part)) {
            (_, Some(definition)) => of(&definition).1,
            (Node::Sum(terms), _) => terms.iter().map(|(c, m)| c.to_f64().abs() * of(m).1).sum(),
            (Node::Product(c, factors), _) => factors.iter().fold(c.to_f64().abs(), |s, (base, n)| {
                let (value, size) = of(base);
                s * if n.is_negative() { value.abs() } else { size }.powf(n.to_f64())
            }),
            _ => value.abs(),
        };
        sizes.insert(*part, (value.abs(), size));
    }
    sizes.get(&e).is_some_and(|(value, size)| *value <= STILL * size)
}
