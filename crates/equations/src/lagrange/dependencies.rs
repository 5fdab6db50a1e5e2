//! What velocities depend on: Turner's lists Θ. Partials that are not on them vanish and are never formed.
//!
//! The lists of quasi-rates are the partials themselves ([`velocities`](super::velocities)): each frame hands on those of its parent
//! and adds its own. The lists here are those of the coordinates, by the speeds that change them: coordinates in the
//! poses of the joints between the base and the body, as far as the velocity contains them. Speeds and quasi-rates are their own places
//! in the rows, which is what Turner's lists Ω are for.

use std::collections::BTreeSet;

use cardan_expr::{Derivation, Expr};
use cardan_model::Model;

use super::Moving;
use super::velocities::V3;

/// Coordinates by their places in the model.
pub(crate) type Coordinates = BTreeSet<usize>;

/// The speeds whose coordinates change a body's velocity while the quasi-rates are held.
pub(crate) struct Lists {
    pub w_places: Vec<usize>,
    pub v_places: Vec<usize>,
}

/// The speeds that change each coordinate: q̇_i = Σ W_ir u_r + X_i.
pub(crate) struct Movers {
    /// Per coordinate.
    pub by: Vec<Vec<(usize, Expr)>>,
}

impl Movers {
    pub fn of(model: &Model) -> Movers {
        let pool = model.space.pool();
        let mut by_speed: Vec<Derivation> =
            model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
        let mut row = |rate: Expr| -> Vec<(usize, Expr)> {
            if let Some(r) = model.speeds.iter().position(|(_, u)| u.symbol == rate) {
                return vec![(r, pool.one())];
            }
            let all = by_speed.iter_mut().enumerate().map(|(r, d)| (r, pool.define(d.apply(pool, rate))));
            all.filter(|(_, e)| !pool.is_zero(*e)).collect()
        };
        Movers { by: model.coordinates.iter().map(|(_, q)| row(q.rate)).collect() }
    }

    /// The derivation along the motion of each speed: δq_i = W_ir for these coordinates.
    pub fn directions(&self, model: &Model, coordinates: &Coordinates) -> Vec<Derivation> {
        let pool = model.space.pool();
        let mut all = vec![Derivation::new(); model.speeds.len()];
        for (i, (_, q)) in model.coordinates.iter().enumerate().filter(|(i, _)| coordinates.contains(i)) {
            let Some(symbol) = pool.as_symbol(q.symbol) else { continue };
            self.by[i].iter().for_each(|(r, w)| all[*r].set(symbol, *w));
        }
        all
    }

    /// The speeds that change some of these coordinates.
    pub fn speeds(&self, coordinates: &Coordinates) -> Vec<usize> {
        let all: BTreeSet<usize> = coordinates.iter().flat_map(|i| &self.by[*i]).map(|(r, _)| *r).collect();
        all.into_iter().collect()
    }
}

/// The coordinates that expressions contain.
pub(crate) fn contained(model: &Model, of: impl IntoIterator<Item = Expr>) -> Coordinates {
    let parts = model.space.pool().reachable(of);
    let is_there =
        |(_, (_, q)): &(usize, (_, &cardan_model::Coordinate))| parts.binary_search(&q.symbol).is_ok();
    model.coordinates.iter().enumerate().filter(is_there).map(|(i, _)| i).collect()
}

impl Lists {
    /// Of a velocity, from the coordinates between the base and the body.
    pub fn of(model: &Model, movers: &Movers, outboard: &Coordinates, w: V3, v: V3) -> Lists {
        let places = |x: V3| {
            let there: Coordinates = contained(model, x).intersection(outboard).copied().collect();
            movers.speeds(&there)
        };
        Lists { w_places: places(w), v_places: places(v) }
    }
}

/// Partials that were formed, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Partials {
    /// Those that do not vanish.
    pub formed: usize,
    /// All.
    pub full: usize,
}

/// Partials of the velocities ω and v of all bodies; each vector counts once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PartialCounts {
    /// By rates.
    pub rates: Partials,
    /// By coordinates.
    pub coordinates: Partials,
    /// By a rate and a coordinate.
    pub mixed: Partials,
}

impl PartialCounts {
    /// Of first order: by rates and by coordinates.
    pub fn first_order(&self) -> Partials {
        Partials {
            formed: self.rates.formed + self.coordinates.formed,
            full: self.rates.full + self.coordinates.full,
        }
    }
}

pub(crate) fn counts(model: &Model, bodies: &[Moving<'_>], movers: &Movers) -> PartialCounts {
    let n = model.speeds.len();
    let vectors = 2 * bodies.len();
    let mut found = PartialCounts {
        rates: Partials { formed: 0, full: vectors * n },
        coordinates: Partials { formed: 0, full: vectors * n },
        mixed: Partials { formed: 0, full: vectors * n * n },
    };
    for body in bodies {
        found.rates.formed += body.w_by.len() + body.v_by.len();
        found.coordinates.formed += body.lists.w_places.len() + body.lists.v_places.len();
        for (_, partial) in body.w_by.iter().chain(&body.v_by) {
            found.mixed.formed += movers.speeds(&contained(model, *partial)).len();
        }
    }
    found
}
