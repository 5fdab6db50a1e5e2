//! Lagrange's equations with quasi-coordinates for the base (Turner, "Symbolic Equation of Motion and Linear Algebra
//! Models for High-Speed Ground Vehicle Simulations"; the numbers in parentheses are his equations).
//!
//! ```text
//! [energy]      T = Σ_B (ω·h + v·p) / 2,   h = J ω,  p = m v        components in the body's own axes   (38, 39)
//! [rate]        T_,η = Σ ω_,η·h + v_,η·p                                                                (41)
//! [place]       T_,r = Σ ω_,r·h + v_,r·p                     ,r along δq = W_r, η held                  (40)
//! [momentum]    d/dt T_,η = Σ ω̇_,η·h + v̇_,η·p + ω_,η·ḣ + v_,η·ṗ                                         (42, 43)
//! [mass]        M_ηζ = Σ ω_,η·J ω_,ζ + m v_,η·v_,ζ                                                      (44 to 46)
//! [force]       Q_η = Σ F·v_,η + N·ω_,η                                                                 (47)
//! [base]        E_ω = d/dt T_,ω + ω × T_,ω + v × T_,v,   E_v = d/dt T_,v + ω × T_,v                     (11, 17)
//! [lagrange-row]  Σ_η A_ηr (E_η - Q_η) - T_,r = 0              η = A u + B                                (34)
//! ```
//!
//! The velocities are functions of coordinates and of quasi-rates η: the six components of the base's velocity, and
//! the natural rates of the joints outboard of it. T does not depend on where the base is or how it is turned, so
//! that no partial by a coordinate of the base is formed. E_η is d/dt T_,η; the terms of [base] are added for the base and for every joint
//! whose rates are components in the moving body, with the velocity relative to its parent. Where speeds are the analyst's own, A says how
//! the quasi-rates follow from them; the speeds themselves are never differentiated by a coordinate.
//!
//! h and p get names, so that products of velocities are never multiplied out. The lists Θ of quasi-rates and
//! coordinates on which each velocity depends come first ([`dependencies`]); a partial that vanishes is never formed.
//!
//! Masses that vary are not differentiated: p is the momentum of what moves with the body, as in Newton's law of the other formalisms.

pub(crate) mod dependencies;
pub(crate) mod quasi_rates;
pub(crate) mod velocities;

use cardan_base::{Id, Map};
use cardan_expr::{Derivation, Expr, Pool};
use cardan_kinematics::rotation::{cross, inner};
use cardan_model::{Body, Model};

use crate::Failure;
use crate::applied_forces::{Action, actions};
use crate::equations::Dynamics;
use crate::kane::time_derivation;
use dependencies::{Lists, Movers};
pub use dependencies::{PartialCounts, Partials};
use quasi_rates::QuasiRates;
use velocities::{V3, Velocities, define, sub};

pub(crate) fn derive(model: &Model) -> Result<Dynamics, Failure> {
    let (mass, forcing) = mass_and_forcing(model)?;
    Ok(Dynamics::Implicit { mass, forcing })
}

/// How many partials of the bodies' velocities the derivation forms, against all there are.
pub fn partial_counts(model: &Model) -> Result<PartialCounts, Failure> {
    let model = &model.clone();
    refuse_small(model)?;
    let velocities = Velocities::of(model);
    let movers = Movers::of(model);
    let bodies = of_bodies(model, &velocities, &movers);
    Ok(dependencies::counts(model, &bodies, &movers))
}

/// A partial of an energy needs terms of second order, and those of what is declared small are gone by then.
fn refuse_small(model: &Model) -> Result<(), Failure> {
    if crate::small::any_small(model) { Err(Failure::SmallInEnergy) } else { Ok(()) }
}

/// A body that has mass, with its velocity and what that depends on.
pub(crate) struct Moving<'a> {
    body: &'a Body,
    /// Of the frame, in its own axes.
    w: V3,
    /// Of the mass centre, in the axes of the frame.
    v: V3,
    /// Partials by quasi-rates: those that do not vanish.
    w_by: Vec<(usize, V3)>,
    v_by: Vec<(usize, V3)>,
    /// Gravity in the axes of the frame.
    g: V3,
    lists: Lists,
}

fn of_bodies<'a>(model: &'a Model, velocities: &Velocities, movers: &Movers) -> Vec<Moving<'a>> {
    let pool = model.space.pool();
    let with_mass = model.bodies.iter().map(|(_, b)| b).filter(|b| !b.is_massless(&model.space));
    let moving = with_mass.map(|body| {
        let frame = &velocities.frames[body.frame.index()];
        let (v, v_by) = frame.at(pool, body.center);
        let lists = Lists::of(model, movers, &frame.outboard, frame.w, v);
        Moving { body, w: frame.w, v, w_by: frame.w_by.clone(), v_by, g: frame.g, lists }
    });
    moving.collect()
}

/// M and f.
pub(crate) fn mass_and_forcing(model: &Model) -> Result<(Vec<Vec<Expr>>, Vec<Expr>), Failure> {
    refuse_small(model)?;
    let pool = model.space.pool();
    let n = model.speeds.len();
    let mut at_rest = time_derivation(model);
    let velocities = Velocities::of(model);
    let quasi = &velocities.quasi;
    let movers = Movers::of(model);
    let mut along = movers.directions(model, &velocities.outboard);
    let mut sums = Sums::new(quasi.len(), n);
    for moving in of_bodies(model, &velocities, &movers) {
        add_body(pool, &moving, quasi, (&mut at_rest, &mut along), &mut sums);
    }
    add_loads(model, &velocities, &mut sums)?;
    let mut rows = sums.rows;
    let total = |terms: &[Expr]| pool.define(pool.sum(terms.to_vec()));
    // [base]
    for group in &quasi.groups {
        let momenta = |of: [usize; 3]| of.map(|j| total(&sums.momentum[j]));
        let turn = |v: V3, of: [usize; 3], onto: [usize; 3], bias: &mut [Vec<Expr>]| {
            let moment = cross(pool, v, momenta(of));
            (0..3).for_each(|i| bias[onto[i]].push(moment[i]));
        };
        turn(group.w, group.turning, group.turning, &mut sums.bias);
        if let Some(sliding) = group.sliding {
            turn(group.v, sliding, group.turning, &mut sums.bias);
            turn(group.w, sliding, sliding, &mut sums.bias);
        }
    }
    // [lagrange-row]
    for (j, bias) in sums.bias.iter().enumerate().filter(|(_, terms)| !terms.is_empty()) {
        let bias = if quasi.own_speed(pool, j).is_some() { pool.sum(bias.clone()) } else { total(bias) };
        for (r, a) in &quasi.speeds[j] {
            rows[*r].push(pool.neg(pool.mul(*a, bias)));
        }
    }
    let mut mass = vec![vec![vec![]; n]; n];
    for ((i, j), terms) in sums.mass {
        let shared = if [i, j].iter().all(|k| quasi.own_speed(pool, *k).is_some()) {
            pool.sum(terms)
        } else {
            pool.define(pool.sum(terms))
        };
        for (r, a) in &quasi.speeds[i] {
            for (s, b) in &quasi.speeds[j] {
                let entry = pool.product([*a, *b, shared]);
                mass[*r][*s].push(entry);
                if i != j {
                    mass[*s][*r].push(entry);
                }
            }
        }
    }
    add_rotors(model, &mut at_rest, &mut mass, &mut rows);
    let mut M = vec![vec![pool.zero(); n]; n];
    for r in 0..n {
        for s in 0..=r {
            M[r][s] = pool.define(pool.sum(std::mem::take(&mut mass[r][s])));
            M[s][r] = M[r][s];
        }
    }
    let f = rows.into_iter().map(|terms| pool.define(pool.sum(terms))).collect();
    Ok((M, f))
}

/// Terms to be added up.
struct Sums {
    /// d/dt T_,η - Q_η with u̇ = 0.
    bias: Vec<Vec<Expr>>,
    /// T_,η where something turns it.
    momentum: Vec<Vec<Expr>>,
    /// The lower triangle of M.
    mass: std::collections::BTreeMap<(usize, usize), Vec<Expr>>,
    /// f, speed by speed: what does not come through quasi-rates.
    rows: Vec<Vec<Expr>>,
}

impl Sums {
    fn new(n_rates: usize, n: usize) -> Sums {
        Sums {
            bias: vec![vec![]; n_rates],
            momentum: vec![vec![]; n_rates],
            mass: std::collections::BTreeMap::new(),
            rows: vec![vec![]; n],
        }
    }
}

/// What a body adds. Where a quasi-rate is a speed, ω̇_,η - ω_,r is taken together: many of their terms are alike.
fn add_body(
    pool: &Pool,
    moving: &Moving<'_>,
    quasi: &QuasiRates,
    (at_rest, along): (&mut Derivation, &mut [Derivation]),
    sums: &mut Sums,
) {
    let Moving { body, w, v, w_by, v_by, g, lists } = moving;
    let inertia = |x: V3| define(pool, cardan_kinematics::rotation::apply(pool, &body.inertia, x));
    let scaled = |x: V3| define(pool, x.map(|e| pool.mul(body.mass, e)));
    let rate = |d: &mut Derivation, x: V3| x.map(|e| d.apply(pool, e));
    let (h, p) = (inertia(*w), scaled(*v)); // [energy]
    let h_dot = inertia(rate(at_rest, *w));
    let v_dot = rate(at_rest, *v);
    let p_dot = scaled(sub(pool, v_dot, *g)); // less the weight
    // [place]
    let mut places: [Map<usize, V3>; 2] = [Map::default(), Map::default()];
    let moved = [(&lists.w_places, w, w_by), (&lists.v_places, v, v_by)];
    for (place, (speeds, velocity, by)) in places.iter_mut().zip(moved) {
        for r in speeds {
            let change = rate(&mut along[*r], *velocity);
            place.insert(*r, quasi.held(pool, &mut along[*r], change, by));
        }
    }
    let momenta = [h, p];
    // [rate], [momentum]
    for (part, by) in [w_by, v_by].into_iter().enumerate() {
        for (j, partial) in by {
            let inertial = [h_dot, p_dot][part];
            let mut change = rate(at_rest, *partial);
            if let Some(r) = quasi.own_speed(pool, *j)
                && let Some(place) = places[part].remove(&r)
            {
                change = difference(pool, change, place);
            }
            sums.bias[*j].push(inner(pool, change, momenta[part]));
            sums.bias[*j].push(inner(pool, *partial, inertial));
            if quasi.is_turned[*j] {
                sums.momentum[*j].push(inner(pool, *partial, momenta[part]));
            }
        }
    }
    for (place, momentum) in places.iter().zip(momenta) {
        let mut left: Vec<(&usize, &V3)> = place.iter().collect();
        left.sort_unstable_by_key(|(r, _)| **r);
        left.into_iter().for_each(|(r, change)| sums.rows[*r].push(inner(pool, *change, momentum)));
    }
    // [mass]
    for (by, is_turn) in [(w_by, true), (v_by, false)] {
        for (a, (i, partial)) in by.iter().enumerate() {
            let momentum = if is_turn { inertia(*partial) } else { scaled(*partial) };
            for (j, other) in &by[..=a] {
                let term = inner(pool, momentum, *other);
                if !pool.is_zero(term) {
                    sums.mass.entry((*i.max(j), *i.min(j))).or_default().push(term);
                }
            }
        }
    }
}

/// a - b without what is in both under names of its own.
fn difference(pool: &Pool, a: V3, b: V3) -> V3 {
    let open = |e: Expr| pool.definition(e).unwrap_or(e);
    std::array::from_fn(|i| pool.sub(open(a[i]), open(b[i])))
}

/// [force], with the partials that the energies have.
fn add_loads(model: &Model, velocities: &Velocities, sums: &mut Sums) -> Result<(), Failure> {
    let space = &model.space;
    let pool = space.pool();
    for action in actions(model)? {
        let (frame, force, moment) = match &action {
            Action::Force { frame, force, arm, .. } => {
                let f = define(pool, space.components(force, *frame));
                let arm = define(pool, space.components(arm, *frame));
                (*frame, Some(f), Some(define(pool, cross(pool, arm, f))))
            }
            Action::Torque { frame, torque, .. } => {
                (*frame, None, Some(define(pool, space.components(torque, *frame))))
            }
        };
        let at = &velocities.frames[frame.index()];
        for (by, load) in [(&at.v_by, force), (&at.w_by, moment)] {
            let Some(load) = load else { continue };
            for (j, partial) in by {
                sums.bias[*j].push(pool.neg(inner(pool, load, *partial)));
            }
        }
    }
    Ok(())
}

/// T += J η² / 2 of a natural rate that moves nothing else: M_rs += J η_r η_s,  f_r -= J η_r η̇.
fn add_rotors(model: &Model, at_rest: &mut Derivation, mass: &mut [Vec<Vec<Expr>>], rows: &mut [Vec<Expr>]) {
    let pool = model.space.pool();
    for rotor in &model.rotors {
        let rate = model.space.rate(rotor.rate);
        let drift = at_rest.apply(pool, rate);
        let by = |(r, (_, u)): (usize, (_, &cardan_model::Speed))| {
            (r, pool.define(Derivation::partial(pool, u.symbol).apply(pool, rate)))
        };
        let partials: Vec<(usize, Expr)> =
            model.speeds.iter().enumerate().map(by).filter(|(_, e)| !pool.is_zero(*e)).collect();
        for (r, a) in &partials {
            for (s, b) in &partials {
                mass[*r][*s].push(pool.product([rotor.inertia, *a, *b]));
            }
            rows[*r].push(pool.neg(pool.product([rotor.inertia, *a, drift])));
        }
    }
}
