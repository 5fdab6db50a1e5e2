//! Equations of minimal size where every loop closes by dyads: what depends on the independent coordinates follows from them in
//! closed form.
//!
//! ```text
//! [positions]       q_d = F(q_i, t)              one dyad after the other, on the branch that the mechanism is on
//! [speeds]          u_d = T u_i + β              one system of two equations per dyad
//! [accelerations]   T^T M T u̇_i = T^T (f - M δ),   u̇ = T u̇_i + δ
//! ```
//!
//! Sines and cosines of dependent angles are ratios of lengths of the linkage, so they cost no trigonometric function; the angle itself
//! is computed where a force law asks for it, as the angle nearest to an anchor, which follows the motion over any number of turns.
//! Wittenburg, Dynamics of Multibody Systems, 2nd ed. 2008, ch. 5.
//!
//! Kept because it takes 0.77 of the steps of projection over the sixteen comparisons of
//! `tests/costs.txt`; an evaluation of the squeezer takes 435 operations instead of 519, one of the
//! four-bar 138 instead of 127.
//!
//! In reading order: [`rotors`] rewrites expressions, `forms` closes dyads, `reduced` has speeds and accelerations.

pub mod dyads;

mod forms;
mod reduced;
pub mod rotors;

use cardan_base::Id;
use cardan_expr::{Expr, Kind};
use cardan_model::{ConstraintId, CoordinateId, Model};

use crate::constrained::rows::{ConstraintRow, ConstraintRows};
use crate::constrained::{multipliers, reaction_sharing};
use crate::minimal_form::dyads::{Step, sequence};
use crate::{Energy, Equations, Failure};

use crate::minimal_form::forms::Form;
use crate::minimal_form::rotors::Rotors;

/// No more sets of independent coordinates than this are looked at.
const MOST_SETS: usize = 200;

/// Positions in closed form from some coordinates.
#[derive(Clone, Debug)]
pub struct Closed {
    /// The steps that determine the other coordinates.
    steps: Vec<Step>,
    /// The coordinates that determine the others.
    pub independent: Vec<usize>,
    /// The coordinates that follow, in the order of the steps.
    pub dependent: Vec<usize>,
    /// Per dependent coordinate a symbol: a value near which an angle is meant.
    pub anchors: Vec<Expr>,
    /// Per dependent coordinate its closed form. [positions]
    pub coordinates: Vec<Expr>,
    /// The constraints that are closed by dyads.
    pub dyads: Vec<ConstraintId>,
    /// Per dyad a symbol: 1 or -1, the branch on which it is.
    pub branches: Vec<Expr>,
    /// Per dyad the square of its margin, the sine of the angle between the directions in which its joints move the pin: zero at a dead
    /// point.
    pub margins: Vec<Expr>,
    /// Per dyad two vectors in its plane, from all coordinates: see [`margin`].
    pub sides: Vec<[[Expr; 2]; 2]>,
    /// How expressions of all coordinates become expressions of the independent ones.
    rotors: Rotors,
}

/// Equations of minimal size.
#[derive(Clone, Debug)]
pub struct ClosedEquations {
    /// The positions.
    pub closed: Closed,
    /// The speeds that determine the others.
    pub independent_speeds: Vec<usize>,
    /// The speeds that follow.
    pub dependent_speeds: Vec<usize>,
    /// Per dependent speed its closed form. [speeds]
    pub speeds: Vec<Expr>,
    /// The equations of motion in terms of all coordinates and speeds, which [`ClosedEquations::rewrite`] replaces. [accelerations]
    pub equations: Equations,
}

/// The explicit form in independent states. Expressions contain these, anchors and branches alone.
#[derive(Clone, PartialEq, Debug)]
pub struct MinimalForm {
    /// The independent states, as places among all states.
    pub independent: Vec<usize>,
    /// The dependent ones, coordinates first.
    pub dependent: Vec<usize>,
    /// What the unknowns of the model are.
    pub solved: Vec<(Expr, Expr)>,
    /// The derivatives of the independent states.
    pub rates: Vec<Expr>,
    /// The powers of loads, then those of drives.
    pub powers: Vec<Expr>,
    /// The squares of the margins of the dyads.
    pub margins: Vec<Expr>,
    /// The dependent coordinates and speeds.
    pub dependent_values: Vec<Expr>,
}

/// The sets of coordinates from which all loops of a model close by dyads.
pub fn sets(model: &Model, rows: &ConstraintRows) -> Vec<Vec<usize>> {
    let n = model.coordinates.len();
    let is_small = model.coordinates.iter().any(|(_, q)| model.space.pool().small_order(q.symbol) > 0);
    // Pins have two rows in their plane, drives one.
    let pins = |r: &ConstraintRow| rows.rows.iter().filter(|o| o.constraint == r.constraint).count() <= 2;
    let plain = rows.rows.iter().all(|r| r.position.is_some() && pins(r)) && !is_small;
    let Some(free) = n.checked_sub(rows.rows.len()).filter(|free| *free > 0 && plain) else {
        return vec![];
    };
    let closes = |set: &Vec<usize>| {
        let known: Vec<bool> = (0..n).map(|q| set.contains(&q)).collect();
        sequence(model, rows, &known).is_some()
    };
    subsets(n, free).take(MOST_SETS).filter(closes).collect()
}

/// The subsets of `0..n` with `k` elements, in order.
fn subsets(n: usize, k: usize) -> impl Iterator<Item = Vec<usize>> {
    let next = move |set: &Vec<usize>| {
        let place = (0..k).rev().find(|i| set[*i] < n - k + i)?;
        let first = set[place] + 1;
        let mut set = set[..place].to_vec();
        set.extend((first..).take(k - place));
        Some(set)
    };
    std::iter::successors((k <= n).then(|| (0..k).collect()), next)
}

/// The closed form of all other coordinates; nothing where dyads do not close all loops.
///
/// A pool prefers what it already knows; for the cheapest form take a model of its own (a clone) for each set.
pub fn positions(model: &Model, rows: &ConstraintRows, independent: &[usize]) -> Option<Closed> {
    let pool = model.space.pool();
    let known: Vec<bool> = (0..model.coordinates.len()).map(|q| independent.contains(&q)).collect();
    let steps = sequence(model, rows, &known)?;
    let closes = |s: &Step| matches!(s, Step::Dyad(_));
    if !steps.iter().any(closes) {
        return None;
    }
    let mut closed = Closed {
        steps: vec![],
        independent: independent.to_vec(),
        dependent: vec![],
        anchors: vec![],
        coordinates: vec![],
        dyads: vec![],
        branches: vec![],
        margins: vec![],
        sides: vec![],
        rotors: Rotors::default(),
    };
    for step in &steps {
        match step {
            Step::Drive(q, residual, slope, _) => {
                let at_zero = pool.nominal(*residual, &[pool.as_symbol(symbol(model, *q))?]);
                let form = pool.neg(pool.div(closed.rotors.rewrite(pool, at_zero), *slope));
                closed.learn(model, *q, pool.symbol("anchor", Kind::State), form)?;
            }
            Step::Dyad(dyad) => {
                let branch = pool.symbol(format!("branch{}", closed.branches.len() + 1), Kind::State);
                let Form { margin, side, joints } = forms::close(model, &mut closed.rotors, dyad, branch)?;
                for (leg, joint) in dyad.legs.iter().zip(joints) {
                    let name = &model.coordinates[CoordinateId::from_index(leg.coordinate)].quantity.name;
                    let anchor = pool.symbol(format!("{name} before"), Kind::State);
                    let form =
                        joint.coordinate(pool, &mut closed.rotors, symbol(model, leg.coordinate), anchor)?;
                    closed.learn(model, leg.coordinate, anchor, form)?;
                }
                closed.dyads.push(dyad.constraint);
                closed.branches.push(branch);
                closed.margins.push(margin);
                closed.sides.push(side);
            }
        }
    }
    // Nothing may be left that no step has used.
    let used = |id: ConstraintId| steps.iter().any(|s| s.constraint() == id);
    let whole = rows.rows.iter().all(|r| used(r.constraint)) && rows.rows.len() == closed.dependent.len();
    closed.steps = steps;
    whole.then_some(closed)
}

/// The margin of a dyad with the sign of its branch: the sine of the angle between two vectors.
pub fn margin([a, b]: [[f64; 2]; 2]) -> f64 {
    (a[0] * b[1] - a[1] * b[0]) / (a[0].hypot(a[1]) * b[0].hypot(b[1]))
}

fn symbol(model: &Model, coordinate: usize) -> Expr {
    model.coordinates[CoordinateId::from_index(coordinate)].symbol
}

impl Closed {
    fn learn(&mut self, model: &Model, coordinate: usize, anchor: Expr, form: Expr) -> Option<()> {
        let pool = model.space.pool();
        let form = pool.define(form);
        self.rotors.replace(pool.as_symbol(symbol(model, coordinate))?, form);
        self.dependent.push(coordinate);
        self.anchors.push(anchor);
        self.coordinates.push(form);
        Some(())
    }

    /// Equations of motion from the mass matrix and forces of others; nothing where the coordinates have no speeds of their own.
    pub fn equations(mut self, model: &Model, whole: &Equations) -> Option<Result<ClosedEquations, Failure>> {
        let pool = model.space.pool();
        let (mass, forcing) = (whole.mass.as_ref()?, whole.forcing.as_ref()?);
        let found = reduced::speeds(model, &whole.constraints, &self.steps)?;
        let solved = match reduced::solve(pool, mass, forcing, &whole.constraints, &found) {
            Ok(solved) => solved,
            Err(failure) => return Some(Err(failure)),
        };
        let drives = multipliers::powers(model, &whole.constraints, &solved.multipliers);
        let carried = match reaction_sharing::shared_if_asked(model, &whole.constraints, &solved.multipliers)
        {
            Ok(carried) => carried,
            Err(failure) => return Some(Err(failure)),
        };
        let dependent_speeds: Vec<usize> = found.blocks.iter().flat_map(|b| b.speeds.clone()).collect();
        let mut speeds = vec![];
        for k in &dependent_speeds {
            let form = pool.define(self.rotors.rewrite(pool, found.speed(model, *k)));
            speeds.push(form);
        }
        for (k, form) in dependent_speeds.iter().zip(&speeds) {
            let speed = model.speeds.iter().nth(*k)?.1.symbol;
            self.rotors.replace(pool.as_symbol(speed)?, *form);
        }
        Some(Ok(ClosedEquations {
            independent_speeds: found.independent,
            dependent_speeds,
            speeds,
            equations: Equations {
                u_dot: solved.u_dot,
                carried,
                energy: Energy { drives, ..whole.energy.clone() },
                ..whole.clone()
            },
            closed: self,
        }))
    }
}

impl ClosedEquations {
    /// The equations as derivatives of the independent states.
    pub fn minimal_form(&mut self, model: &Model) -> MinimalForm {
        let n_q = self.equations.q_dot.len();
        let n_u = self.equations.u_dot.len();
        let states = self.equations.states.len();
        let speeds = self.independent_speeds.iter().map(|k| n_q + k);
        let independent = self.closed.independent.iter().copied().chain(speeds).chain(n_q + n_u..states);
        let independent: Vec<usize> = independent.collect();
        let dependent_speeds = self.dependent_speeds.iter().map(|k| n_q + k);
        let dependent = self.closed.dependent.iter().copied().chain(dependent_speeds).collect();
        let solved = self.equations.solved(model);
        let solved = solved.into_iter().map(|(symbol, e)| (symbol, self.rewrite(model, e))).collect();
        let rates: Vec<Expr> = self.equations.rates().collect();
        let rates = independent.iter().map(|k| self.rewrite(model, rates[*k])).collect();
        let energy = &self.equations.energy;
        let powers = energy.powers.iter().map(|(_, p)| *p).chain(energy.drives.iter().map(|(_, p)| *p));
        let powers: Vec<Expr> = powers.collect();
        let powers = powers.into_iter().map(|p| self.rewrite(model, p)).collect();
        let margins = self.closed.margins.clone();
        let margins = margins.into_iter().map(|m| self.rewrite(model, m)).collect();
        let dependent_values = self.closed.coordinates.iter().chain(&self.speeds).copied().collect();
        MinimalForm { independent, dependent, solved, rates, powers, margins, dependent_values }
    }

    /// An expression of all coordinates and speeds in terms of the independent ones.
    pub fn rewrite(&mut self, model: &Model, e: Expr) -> Expr {
        self.closed.rotors.rewrite(model.space.pool(), e)
    }
}
