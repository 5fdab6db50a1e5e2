//! Jumps: an event gives some coordinates and speeds their values, and the rest follows.
//!
//! Forces that act for no time give the assigned speeds their values. They act along these speeds and nowhere else, so what happens to the
//! others is the least change in the metric of the masses that leaves the constraints satisfied:
//!
//! ```text
//! [jump]       min ½ (u⁺ - u)^T M (u⁺ - u)    with   G u⁺ + b = 0   and   u⁺_a = v_a  for each assigned speed a
//! [rows]       C = (G; m_a e_a),   C M^-1 C^T x = (-(G u + b); m_a (v_a - u_a)),   u⁺ = u + M^-1 C^T x
//! [marks]      m_a = 1 where the event assigns speed a, else 0: one system serves all events
//! [closing]    δq = W M^-1 C^T x with rows (G; m_a W_a), demands (-g; 0): the loops close, and assigned coordinates stay
//! [tree]       without constraints (M (u⁺ - u))_f = 0: the momenta conjugate to speeds that are not assigned stay
//! [overwrite]  u_a is v_a before the jump already: no impulse, and constraints alone change other speeds
//! [unmet]      |u⁺_a - v_a| beyond rounding: the constraints cannot have these speeds
//! ```
//!
//! Nothing of this depends on where loops are cut: M measures energy, C says what is demanded. A row that depends on those before it
//! has no say in the solution, constraints come first, and so a demand that contradicts them is left unmet and found by [unmet].
//! Pfeiffer, Glocker: Multibody Dynamics with Unilateral Contacts, chapter 8, has the same principle with unilateral rows.

use cardan_base::Id;
use cardan_expr::{Derivation, Expr, Function, Kind, Pool};
use cardan_model::{CoordinateId, Law, Model, SpeedId, Target};

use crate::Failure;
use crate::constrained::mass_augmentation;
use crate::constrained::multipliers::{Compliance, displace};
use crate::constrained::rows::ConstraintRow;
use crate::equations::{Equations, Formalism, mass_matrix};
use crate::ldl::{self, Ldl};

/// A demanded speed is met if it differs by less than one part in so many of what it was and is to be, …
const MET: i64 = 1_000_000_000;
/// … or one part in so many of all speeds.
const ROUNDING: i64 = 1_000_000_000_000;

/// A coordinate that some event assigns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AssignedCoordinate {
    /// Which one.
    pub id: CoordinateId,
    /// A symbol: 1 in an event that assigns it, else 0. [marks]
    pub mark: Expr,
}

/// A speed that some event assigns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AssignedSpeed {
    /// Which one.
    pub id: SpeedId,
    /// A symbol: 1 in an event that assigns it, else 0. [marks]
    pub mark: Expr,
    /// A symbol: the value it gets.
    pub value: Expr,
    /// Positive where the constraints cannot have the value. [unmet]
    pub unmet: Expr,
}

/// What events do to a mechanism with constraints.
#[derive(Clone, PartialEq, Debug)]
pub struct Impact {
    /// The coordinates that events assign; empty if no row holds positions.
    pub coordinates: Vec<AssignedCoordinate>,
    /// The speeds that events assign.
    pub speeds: Vec<AssignedSpeed>,
    /// What vanishes where the loops are closed.
    pub gaps: Vec<Expr>,
    /// Change of each coordinate that closes the loops; empty if no coordinate is assigned. [closing]
    pub position: Vec<Expr>,
    /// Change of each speed. [jump]
    pub velocity: Vec<Expr>,
}

/// What the events of a model do to it; nothing if no event moves anything, and nothing for a tree in which an impulse along
/// an assigned speed changes no other speed.
pub fn impact(model: &Model, equations: &Equations) -> Result<Option<Impact>, Failure> {
    let constraints = &equations.constraints;
    let assigned = |wanted: &dyn Fn(&Target) -> Option<usize>| -> Vec<usize> {
        let targets = model.hybrid.events.iter().flat_map(|(_, e)| e.assignments.iter());
        let mut found: Vec<usize> = targets.filter_map(|(t, _)| wanted(t)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let mut q = assigned(&|t| if let Target::Coordinate(id) = t { Some(id.index()) } else { None });
    let u = assigned(&|t| match t {
        Target::Speed(id) | Target::Overwrite(id) => Some(id.index()),
        _ => None,
    });
    if q.is_empty() && u.is_empty() {
        return Ok(None);
    }
    let pool = model.space.pool();
    let n = model.speeds.len();
    let factors = match (&equations.mass, &equations.forcing) {
        (Some(mass), Some(forcing)) if !constraints.rows.is_empty() => {
            mass_augmentation::factor(model, mass, forcing, &constraints.rows, constraints.all_lend)?.factors
        }
        _ => {
            let struck = assigned(&|t| if let Target::Speed(id) = t { Some(id.index()) } else { None });
            match tree_factors(model, equations, &struck)? {
                Some(factors) => factors,
                None => return Ok(None),
            }
        }
    };
    let holonomic: Vec<ConstraintRow> =
        constraints.rows.iter().filter(|r| r.position.is_some()).cloned().collect();
    let gaps: Vec<Expr> = holonomic.iter().filter_map(|r| r.position).collect();
    if gaps.is_empty() {
        q.clear();
    }
    let mark = |name: &str| pool.symbol(format!("mark of {name}"), Kind::State);

    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut rows = holonomic.clone();
    let mut coordinates = vec![];
    for k in q {
        let id = CoordinateId::from_index(k);
        let coordinate = &model.coordinates[id];
        let mark = mark(&coordinate.quantity.name);
        let column = |(j, d): (usize, &mut Derivation)| {
            let w = d.apply(pool, coordinate.rate);
            (!pool.is_zero(w)).then(|| (j, pool.define(pool.mul(mark, w))))
        };
        let jacobian = by_speed.iter_mut().enumerate().filter_map(column).collect();
        rows.push(demand(pool, jacobian));
        coordinates.push(AssignedCoordinate { id, mark });
    }
    let mut position = vec![];
    if !coordinates.is_empty() {
        let compliance = Compliance::new(pool, &factors, n, &rows);
        let mut demands: Vec<Expr> = gaps.iter().map(|g| pool.define(pool.neg(*g))).collect();
        demands.resize(rows.len(), pool.zero());
        let all: Vec<usize> = (0..rows.len()).collect();
        position = displace(model, &compliance.moved(&all, &compliance.unknowns(&all, &demands)));
    }

    let mut rows = constraints.rows.clone();
    let mut demands: Vec<Expr> = rows.iter().map(|r| pool.define(pool.neg(r.velocity))).collect();
    let mut speeds = vec![];
    let alone = rows.is_empty() && u.len() == 1 && held(model).is_empty();
    for k in u {
        let id = SpeedId::from_index(k);
        let speed = &model.speeds[id];
        let mark = mark(&speed.quantity.name);
        let value = pool.symbol(format!("assigned {}", speed.quantity.name), Kind::State);
        // A single row always counts, and its demand is zero where no event assigns.
        let weight = if alone { pool.one() } else { mark };
        rows.push(demand(pool, vec![(k, weight)]));
        demands.push(pool.define(pool.mul(mark, pool.sub(value, speed.symbol))));
        speeds.push(AssignedSpeed { id, mark, value, unmet: pool.zero() });
    }
    for (row, lack) in held(model) {
        rows.push(row);
        demands.push(lack);
    }
    let compliance = Compliance::new(pool, &factors, n, &rows);
    let all: Vec<usize> = (0..rows.len()).collect();
    let velocity = compliance.moved(&all, &compliance.unknowns(&all, &demands));
    let size = |e: Expr| pool.call(Function::Abs, &[e]);
    let part = |n: i64, e: Expr| pool.div(e, pool.int(n));
    let everything =
        pool.define(pool.sum(model.speeds.iter().map(|(_, u)| size(u.symbol)).collect::<Vec<_>>()));
    for speed in &mut speeds {
        let before = model.speeds[speed.id].symbol;
        let lack = pool.sub(pool.add(before, velocity[speed.id.index()]), speed.value);
        let near = part(MET, pool.add(size(before), size(speed.value)));
        let least = part(1000 * ROUNDING, pool.one());
        let allowed = pool.sum([near, part(ROUNDING, everything), least]);
        speed.unmet = pool.sub(pool.mul(speed.mark, size(lack)), allowed);
    }
    Ok(Some(Impact { coordinates, speeds, gaps, position, velocity }))
}

/// The factors of the mass matrix of a tree; nothing where no assigned speed is coupled to another. [tree]
fn tree_factors(model: &Model, equations: &Equations, assigned: &[usize]) -> Result<Option<Ldl>, Failure> {
    if assigned.is_empty() || model.speeds.len() == 1 {
        return Ok(None);
    }
    let pool = model.space.pool();
    let formed;
    let mass = match &equations.mass {
        Some(mass) => mass,
        None => {
            formed = mass_matrix(model, Formalism::Recursive)?;
            &formed
        }
    };
    let holds = !held(model).is_empty();
    let coupled = |a: &usize| mass[*a].iter().enumerate().any(|(b, e)| b != *a && !pool.is_zero(*e));
    if !holds && !assigned.iter().any(coupled) {
        return Ok(None);
    }
    ldl::factor(pool, mass).map(Some)
}

/// Rows of joints that are locked, whose rates an impulse leaves as they are, and their demands. Only where something locks them.
fn held(model: &Model) -> Vec<(ConstraintRow, Expr)> {
    let pool = model.space.pool();
    let mut by: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.rate)).collect();
    let mut found = vec![];
    for law in &model.laws {
        let Law::Holds { active, lack, one_sided: false, .. } = law.law else { continue };
        let column = |(j, d): (usize, &mut Derivation)| {
            let g = d.apply(pool, lack);
            (!pool.is_zero(g)).then(|| (j, pool.define(pool.mul(active, g))))
        };
        found.push((demand(pool, by.iter_mut().enumerate().filter_map(column).collect()), pool.zero()));
    }
    found
}

/// A row that an event adds; only its columns count.
fn demand(pool: &Pool, jacobian: Vec<(usize, Expr)>) -> ConstraintRow {
    ConstraintRow {
        constraint: Id::from_index(0),
        row: 0,
        position: None,
        velocity: pool.zero(),
        gamma: pool.zero(),
        jacobian,
    }
}
