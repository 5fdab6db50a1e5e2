//! Constraint rows in the form the solution needs.
//!
//! ```text
//! [row-velocity]       v(q, u, t) = G u + b = 0
//! [row-acceleration]   dv/dt = G u̇ + γ = 0,   γ the rate with u̇ = 0
//! ```
//!
//! A row whose rate vanishes identically says nothing: it is left out and reported, because another row or the tree itself
//! already guarantees it (all the rows across the plane of a planar loop, for instance).
//!
//! Rates are written for motions on the constraints and leave out what is a multiple of the other rows there. Such a rate may vanish
//! although the row is a condition on the position: a pin at the end of an arm that turns about a fixed axis, along the arm. The row
//! then gets the whole rate dg/dt, so that assembly can work on it; in the closed position its rank shows that it repeats the others.

use cardan_expr::{Derivation, Expr};
use cardan_model::{ConstraintId, Model};

use crate::kane::time_derivation;

/// One scalar constraint that says something.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstraintRow {
    /// The constraint it belongs to.
    pub constraint: ConstraintId,
    /// Which of its rows.
    pub row: usize,
    /// What vanishes in every admissible position; nothing for a nonholonomic row.
    pub position: Option<Expr>,
    /// What vanishes in every admissible motion. [row-velocity]
    pub velocity: Expr,
    /// The columns of G that are not zero.
    pub jacobian: Vec<(usize, Expr)>,
    /// [row-acceleration]
    pub gamma: Expr,
}

/// All constraints of a model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ConstraintRows {
    /// Rows that say something.
    pub rows: Vec<ConstraintRow>,
    /// Rows that repeat those above: they share in the reactions and in nothing else.
    pub repeated: Vec<ConstraintRow>,
    /// Rows that hold identically: constraint and row.
    pub implied: Vec<(ConstraintId, usize)>,
    /// Rows that can never hold: constraint and row. Nothing moves them and they are not zero.
    pub contradictory: Vec<(ConstraintId, usize)>,
    /// Whether every row lends inertia: some body has none at the values of its parameters, which the algebra does not see.
    pub all_lend: bool,
}

/// Sums in rows of constraints drop this order of what is small, and beyond.
const FINER: u8 = 3;

/// The constraint rows of a model.
pub fn rows(model: &Model) -> ConstraintRows {
    let pool = model.space.pool();
    // Rows hold one order of what is small more than equations do, and so does all that is made
    // of them: else speeds that follow from others would not be those of the positions.
    if !model.constraints.is_empty() && pool.has_small_symbols() {
        pool.set_smallness_threshold(FINER);
    }
    let mut at_rest = time_derivation(model);
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut out = ConstraintRows::default();
    for (constraint, c) in model.constraints.iter() {
        for (row, r) in c.rows.iter().enumerate() {
            let mut velocity = pool.define(r.velocity);
            if let Some(g) = r.position.filter(|_| pool.is_zero(velocity)) {
                velocity = pool.define(at_rest.apply(pool, g));
            }
            if pool.is_zero(velocity) {
                match r.position {
                    Some(g) if pool.is_zero(g) => out.implied.push((constraint, row)),
                    Some(g) if pool.as_number(g).is_some() => out.contradictory.push((constraint, row)),
                    // Whether it holds is a matter of parameters: it is looked at wherever a start is assembled.
                    Some(_) => {
                        let (position, gamma) = (r.position, pool.zero());
                        out.rows.push(ConstraintRow {
                            constraint,
                            row,
                            position,
                            velocity,
                            jacobian: vec![],
                            gamma,
                        });
                    }
                    None => out.implied.push((constraint, row)),
                }
                continue;
            }
            let jacobian =
                by_speed.iter_mut().enumerate().map(|(k, d)| (k, pool.define(d.apply(pool, velocity))));
            let jacobian: Vec<(usize, Expr)> = jacobian.filter(|(_, e)| !pool.is_zero(*e)).collect();
            let gamma = pool.define(at_rest.apply(pool, velocity));
            out.rows.push(ConstraintRow { constraint, row, position: r.position, velocity, jacobian, gamma });
        }
    }
    out
}
