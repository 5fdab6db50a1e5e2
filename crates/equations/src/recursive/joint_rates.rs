//! Natural rates in terms of speeds.
//!
//! ```text
//! [natural]         η = W u + X,   η̇ = W u̇ + Ẇ u + Ẋ
//! [natural-force]   τ_u = W^T τ_η,   M_u = W^T M_η W
//! ```

use cardan_base::Id;
use cardan_expr::{Derivation, Expr};
use cardan_kinematics::RateId;
use cardan_model::Model;

use crate::kane::time_derivation;

pub(crate) struct Rates {
    /// `w[k]`: the speeds that rate k depends on, with coefficients.
    pub(crate) w: Vec<Vec<(usize, Expr)>>,
    /// η̇ for u̇ = 0.
    pub(crate) drift: Vec<Expr>,
}

impl Rates {
    pub fn of(model: &Model) -> Rates {
        let pool = model.space.pool();
        let mut by_speed: Vec<Derivation> =
            model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
        let speed_of = |e: Expr| model.speeds.iter().position(|(_, u)| u.symbol == e);
        let mut at_rest = time_derivation(model);
        let mut w = vec![];
        let mut drift = vec![];
        for k in 0..model.space.n_rates() {
            let value = model.space.rate(RateId::from_index(k));
            if let Some(r) = speed_of(value) {
                w.push(vec![(r, pool.one())]);
                drift.push(pool.zero());
                continue;
            }
            let row = by_speed.iter_mut().enumerate().map(|(r, d)| (r, pool.define(d.apply(pool, value))));
            w.push(row.filter(|(_, e)| !pool.is_zero(*e)).collect());
            drift.push(pool.define(at_rest.apply(pool, value)));
        }
        Rates { w, drift }
    }

    /// η̇ for given u̇. [natural]
    pub fn accelerations(&self, model: &Model, u_dot: &[Expr]) -> Vec<Expr> {
        let pool = model.space.pool();
        let natural = self.w.iter().zip(&self.drift).map(|(row, drift)| {
            let terms = row.iter().map(|(r, c)| pool.mul(*c, u_dot[*r])).chain([*drift]);
            pool.define(pool.sum(terms.collect::<Vec<_>>()))
        });
        natural.collect()
    }

    /// [natural-force]
    pub fn to_speeds(&self, model: &Model, natural: Vec<Expr>) -> Vec<Expr> {
        let pool = model.space.pool();
        let mut terms = vec![vec![]; model.speeds.len()];
        for (row, force) in self.w.iter().zip(natural) {
            for (r, c) in row {
                terms[*r].push(pool.mul(*c, force));
            }
        }
        terms.into_iter().map(|t| pool.define(pool.sum(t))).collect()
    }

    /// W^T M W. [natural-force]
    pub fn reduce(&self, model: &Model, natural: Vec<Vec<Expr>>) -> Vec<Vec<Expr>> {
        let pool = model.space.pool();
        let n = model.speeds.len();
        let mut terms = vec![vec![vec![]; n]; n];
        for (i, row) in natural.iter().enumerate() {
            for (j, m) in row.iter().enumerate() {
                if pool.is_zero(*m) {
                    continue;
                }
                for (r, a) in &self.w[i] {
                    for (s, b) in &self.w[j] {
                        terms[*r][*s].push(pool.product([*a, *b, *m]));
                    }
                }
            }
        }
        let mut M = vec![vec![pool.zero(); n]; n];
        for r in 0..n {
            for s in 0..=r {
                M[r][s] = pool.define(pool.sum(std::mem::take(&mut terms[r][s])));
                M[s][r] = M[r][s];
            }
        }
        M
    }

    /// For each rate the speed that it is but for a drift, or nothing if it is prescribed; nothing at all if a rate is anything else.
    pub fn speed_of_each(&self, model: &Model) -> Option<Vec<Option<usize>>> {
        let pool = model.space.pool();
        let speed = |row: &Vec<(usize, Expr)>| match row[..] {
            [] => Some(None),
            [(r, c)] if c == pool.one() => Some(Some(r)),
            _ => None,
        };
        let found: Option<Vec<Option<usize>>> = self.w.iter().map(speed).collect();
        let all = found?;
        let mut used: Vec<usize> = all.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let each_once = used.len() == all.iter().flatten().count() && used.len() == model.speeds.len();
        each_once.then_some(all)
    }
}
