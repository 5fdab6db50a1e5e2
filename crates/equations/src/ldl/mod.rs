//! Symbolic sparse LDLᵀ: of the mass matrix here, of mass matrix and constraints together in [`saddle_point`].
//!
//! ```text
//! [ldl]         M = L D L^T in the order of elimination,   L unit triangular
//! [eliminate]   d = M_kk,  l_i = M_ki / d,  M_ij -= l_i M_kj      for the rows i, j not yet eliminated
//! ```
//!
//! M is positive definite, so every order is safe. With speeds numbered parents first, elimination from the leaves to the
//! root makes no fill (Featherstone, "Efficient factorization of the joint-space inertia matrix for branched kinematic
//! trees", 2005); where the mass matrix has more zeros or constants than the tree tells, another order may be cheaper. At
//! each step the row is taken whose elimination costs least, ties going to the leaves ([`order`](mod@order)). Zero operations are never emitted, and
//! what depends on parameters only costs nothing here because it is computed once. [`operations`] compares with dense solutions.

pub mod operations;
pub(crate) mod order;
pub(crate) mod saddle_point;

use std::collections::BTreeMap;
use std::rc::Rc;

use cardan_base::{Id, Map};
use cardan_expr::{Expr, Pool};
use cardan_model::SpeedId;

use crate::Failure;
use order::{Pattern, Rule};

/// The elimination of one row of a symmetric matrix. [eliminate]
#[derive(Clone, PartialEq, Debug)]
pub struct Elimination {
    /// The row.
    pub row: usize,
    /// 1/d
    pub d_inverse: Expr,
    /// The rows changed by it, with their multipliers.
    pub l: Vec<(usize, Expr)>,
}

/// The factors of a symmetric matrix.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ldl(pub Vec<Elimination>);

/// [ldl]
pub(crate) fn factor(pool: &Pool, mass: &[Vec<Expr>]) -> Result<Ldl, Failure> {
    let (steps, zeros) = eliminate(pool, mass);
    match zeros.first() {
        Some(at) => Err(Failure::NoInertia(SpeedId::from_index(steps[*at].row))),
        None => Ok(Ldl(steps)),
    }
}

/// A motion x with M x = 0, speed by speed.
pub(crate) type Massless = Vec<Expr>;

/// The factors, or the motions that nothing resists. With a zero pivot its row is zero in what is left of a matrix that is nowhere
/// negative, so it is passed over, and
///
/// ```text
/// [ldl-null]   L^T x = e_k   for a pivot d_k = 0
/// ```
pub(crate) fn factor_or_massless(pool: &Pool, mass: &[Vec<Expr>]) -> Result<Ldl, Vec<Massless>> {
    let (steps, zeros) = eliminate(pool, mass);
    if zeros.is_empty() {
        return Ok(Ldl(steps));
    }
    let motion = |at: usize| {
        let mut x = vec![pool.zero(); mass.len()];
        x[steps[at].row] = pool.one();
        for step in steps[..at].iter().rev() {
            let terms = step.l.iter().map(|(i, l)| pool.neg(pool.mul(*l, x[*i])));
            x[step.row] = pool.define(pool.sum(terms.collect::<Vec<_>>()));
        }
        x
    };
    Err(zeros.into_iter().map(motion).collect())
}

/// The steps of the elimination, and the places among them whose pivots vanish identically.
fn eliminate(pool: &Pool, mass: &[Vec<Expr>]) -> (Vec<Elimination>, Vec<usize>) {
    let n = mass.len();
    let mut m: Vec<Vec<Expr>> = mass.to_vec();
    let mut left: Vec<usize> = (0..n).collect();
    let (mut steps, mut zeros) = (vec![], vec![]);
    for k in Pattern::of(pool, mass).order(Rule::Operations, |_| false).rows {
        left.retain(|i| *i != k);
        if pool.is_zero(m[k][k]) {
            zeros.push(steps.len());
            steps.push(Elimination { row: k, d_inverse: pool.zero(), l: vec![] });
            continue;
        }
        let d_inverse = pool.define(pool.powi(m[k][k], -1));
        let coupled: Vec<usize> = left.iter().copied().filter(|i| !pool.is_zero(m[k][*i])).collect();
        let l: Vec<(usize, Expr)> =
            coupled.iter().map(|i| (*i, pool.define(pool.mul(m[k][*i], d_inverse)))).collect();
        for (a, (i, l_i)) in l.iter().enumerate() {
            for j in &coupled[..=a] {
                m[*i][*j] = pool.define(pool.sub(m[*i][*j], pool.mul(*l_i, m[k][*j]))); // [eliminate]
                m[*j][*i] = m[*i][*j];
            }
        }
        steps.push(Elimination { row: k, d_inverse, l });
    }
    (steps, zeros)
}

impl Ldl {
    /// x with M x = b.
    pub fn solve(&self, pool: &Pool, b: &[Expr]) -> Vec<Expr> {
        let mut x = self.forwards(pool, b);
        for step in self.0.iter().rev() {
            let known = step.l.iter().map(|(i, l)| pool.neg(pool.mul(*l, x[*i])));
            let own = pool.mul(x[step.row], step.d_inverse);
            x[step.row] = pool.define(pool.sum(known.chain([own]).collect::<Vec<_>>()));
        }
        x
    }

    fn forwards(&self, pool: &Pool, b: &[Expr]) -> Vec<Expr> {
        let mut x = b.to_vec();
        for step in &self.0 {
            for (i, l) in &step.l {
                x[*i] = pool.define(pool.sub(x[*i], pool.mul(*l, x[step.row])));
            }
        }
        x
    }

    /// All x with M x = b, for many b with few entries.
    ///
    /// Going backwards, a row without an entry of its own follows the rows above it. In a tree those between it and the branch that leads
    /// to the entries have none either, so it follows what lies above the branch alone, by coefficients that many b share:
    ///
    /// ```text
    /// [ldl-follow]   x_k = Σ g_kj x_j   over rows j with entries,   g_kj = -l_j - Σ l_i g_ij   over rows i without
    /// ```
    pub fn solve_all(&self, pool: &Pool, all: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
        let mut follow = self.follow();
        let solve = |b: &Vec<Expr>| {
            let mut x = self.forwards(pool, b);
            let empty: Vec<bool> = x.iter().map(|e| pool.is_zero(*e)).collect();
            for (step, taken) in self.0.iter().rev().zip(self.backwards(pool, &empty, &mut follow)) {
                let known = taken.iter().map(|(i, c)| pool.mul(*c, x[*i]));
                let own = pool.mul(x[step.row], step.d_inverse);
                x[step.row] = pool.define(pool.sum(known.chain([own]).collect::<Vec<_>>()));
            }
            x
        };
        all.iter().map(solve).collect()
    }

    fn follow(&self) -> Follow {
        let mut follow = Follow { above: vec![vec![]; self.0.len()], known: Map::default() };
        for step in self.0.iter().rev() {
            let mut above: Vec<usize> = step.l.iter().map(|(i, _)| *i).collect();
            above.extend(step.l.iter().flat_map(|(i, _)| &follow.above[*i]).copied());
            above.sort_unstable();
            above.dedup();
            follow.above[step.row] = above;
        }
        follow
    }

    /// For each row, from the last eliminated to the first, which rows are added to it and how often, if those marked have no entry after
    /// going forwards.
    fn backwards(&self, pool: &Pool, empty: &[bool], follow: &mut Follow) -> Vec<Terms> {
        let mut own: Vec<Terms> = vec![Rc::from([]); empty.len()];
        let mut all = vec![];
        for step in self.0.iter().rev() {
            let k = step.row;
            let mut taken: Terms = step.l.iter().map(|(i, l)| (*i, pool.neg(*l))).collect();
            if empty[k] {
                let without: Vec<usize> = follow.above[k].iter().copied().filter(|i| empty[*i]).collect();
                own[k] = follow.coefficients(pool, (k, without), step, empty, &own);
                if own[k].len() < taken.len() {
                    taken = own[k].clone();
                }
            }
            all.push(taken);
        }
        all
    }

    /// What going backwards takes for columns with entries in these rows, each in its own order of rows: see [`backwards`](Self::backwards).
    pub fn ways_back(&self, pool: &Pool, columns: &[Vec<bool>]) -> Vec<Vec<Terms>> {
        let mut follow = self.follow();
        let back = |entries: &Vec<bool>| {
            let mut empty: Vec<bool> = entries.iter().map(|has| !has).collect();
            for step in &self.0 {
                if !empty[step.row] {
                    step.l.iter().for_each(|(i, _)| empty[*i] = false);
                }
            }
            self.backwards(pool, &empty, &mut follow)
        };
        columns.iter().map(back).collect()
    }

    /// M^-1, from the last row eliminated to the first. Of a row that is eliminated before another, the other's column sees nothing
    /// but the rows that they share:
    ///
    /// ```text
    /// [ldl-inverse]   X_kj = -Σ l_i X_ij   for j eliminated after k,     X_kk = 1/d - Σ l_i X_ik
    /// ```
    pub fn inverse(&self, pool: &Pool, n: usize) -> Vec<Vec<Expr>> {
        let mut x = vec![vec![pool.zero(); n]; n];
        let mut done: Vec<usize> = vec![];
        for step in self.0.iter().rev() {
            let k = step.row;
            let along = |x: &[Vec<Expr>], j: usize| -> Vec<Expr> {
                step.l.iter().map(|(i, l)| pool.neg(pool.mul(*l, x[*i][j]))).collect()
            };
            for j in &done {
                x[k][*j] = pool.define(pool.sum(along(&x, *j)));
                x[*j][k] = x[k][*j];
            }
            let mut own = along(&x, k);
            own.push(step.d_inverse);
            x[k][k] = pool.define(pool.sum(own));
            done.push(k);
        }
        x
    }
}

/// Rows and coefficients, shared by those who follow them.
pub type Terms = Rc<[(usize, Expr)]>;

/// What rows without entries follow.
struct Follow {
    /// The rows that each row follows, directly or not.
    above: Vec<Vec<usize>>,
    /// By the row and those above it that have no entries either.
    known: Map<(usize, Vec<usize>), Terms>,
}

impl Follow {
    /// [ldl-follow]
    fn coefficients(
        &mut self,
        pool: &Pool,
        key: (usize, Vec<usize>),
        step: &Elimination,
        empty: &[bool],
        own: &[Terms],
    ) -> Terms {
        let make = || {
            let mut terms: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
            for (i, l) in &step.l {
                if empty[*i] {
                    own[*i].iter().for_each(|(j, g)| terms.entry(*j).or_default().push(pool.mul(*l, *g)));
                } else {
                    terms.entry(*i).or_default().push(*l);
                }
            }
            let named = terms.into_iter().map(|(j, t)| (j, pool.define(pool.neg(pool.sum(t)))));
            named.filter(|(_, g)| !pool.is_zero(*g)).collect()
        };
        self.known.entry(key).or_insert_with(make).clone()
    }
}
