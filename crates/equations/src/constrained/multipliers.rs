//! Accelerations under constraints, with multipliers.
//!
//! ```text
//! [kkt]          M u̇ = f + G^T λ,   G u̇ + γ = 0
//! [compliance]   A λ = -(γ + G u̇_free),   A = G M^-1 G^T,   u̇_free = M^-1 f
//! [released]     u̇ = u̇_free + M^-1 G^T λ
//! [correction]   δ = M^-1 G^T x,  A x = -g    moves a position (or, with v for g, a velocity) onto the constraints by the
//!                shortest way in the metric of the mass matrix
//! [drive]        P = λ·G u = -λ·b        power of the rows v = G u + b, which is zero unless b is there: a motion given in time
//! ```
//!
//! M is factored symbolically along the tree, where every pivot is safe; A is solved at run time, where rows that depend on others have no say.
//! With many rows [kkt] is factored as a whole: see [`saddle_point`].

use cardan_base::Map;
use cardan_expr::{Derivation, Expr, Function, Pool};
use cardan_model::{ConstraintId, Model};

use crate::constrained::rows::{ConstraintRow, ConstraintRows};
use crate::ldl::{Ldl, saddle_point};

/// What constraints do to the equations of motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Augmented {
    /// One per row. [compliance]
    pub multipliers: Vec<Expr>,
    /// One per speed. [released]
    pub u_dot: Vec<Expr>,
    /// The factors of M, with what rows lend.
    pub(crate) factors: Ldl,
    /// Those of [kkt] as a whole, where that is cheaper.
    pub(crate) whole: Option<Ldl>,
}

/// What moves a state onto its constraints. [correction]
#[derive(Clone, PartialEq, Debug)]
pub struct Corrections {
    /// Change of each coordinate that removes position errors of holonomic rows.
    pub position: Vec<Expr>,
    /// Change of each speed that removes velocity errors.
    pub velocity: Vec<Expr>,
}

/// Constraints solved with all speeds.
pub(crate) fn solve(model: &Model, system: System, constraints: &ConstraintRows) -> Augmented {
    let pool = model.space.pool();
    let solved = multipliers_and_accelerations(pool, &system, &constraints.rows);
    let Solved { multipliers, u_dot, whole } = solved;
    Augmented { multipliers, u_dot, factors: system.factors, whole }
}

/// M u̇ = f with the factors of M, all with what rows lend.
pub(crate) struct System {
    pub mass: Vec<Vec<Expr>>,
    pub factors: Ldl,
    pub forcing: Vec<Expr>,
}

/// M^-1 G^T of some rows and what follows from it.
pub(crate) struct Compliance<'a> {
    pool: &'a Pool,
    rows: &'a [ConstraintRow],
    /// Column r: M^-1 g_r.
    columns: Vec<Vec<Expr>>,
    n: usize,
}

impl<'a> Compliance<'a> {
    pub fn new(pool: &'a Pool, mass: &Ldl, n: usize, rows: &'a [ConstraintRow]) -> Self {
        let column = |row: &ConstraintRow| {
            let mut g = vec![pool.zero(); n];
            row.jacobian.iter().for_each(|(k, e)| g[*k] = *e);
            mass.solve(pool, &g)
        };
        Compliance { pool, rows, columns: rows.iter().map(column).collect(), n }
    }
    /// g_r · x
    fn along(&self, row: usize, x: &[Expr]) -> Expr {
        let terms = self.rows[row].jacobian.iter().map(|(k, e)| self.pool.mul(*e, x[*k]));
        self.pool.sum(terms.collect::<Vec<_>>())
    }
    /// Σ M^-1 g_r x_r
    pub fn moved(&self, which: &[usize], x: &[Expr]) -> Vec<Expr> {
        let pool = self.pool;
        let by = |k: usize| {
            let terms = which.iter().zip(x).map(|(r, l)| pool.mul(self.columns[*r][k], *l));
            pool.sum(terms.collect::<Vec<_>>())
        };
        (0..self.n).map(by).collect()
    }
    /// The unknowns of the compliance system of some rows.
    pub fn unknowns(&self, which: &[usize], demand: &[Expr]) -> Vec<Expr> {
        let pool = self.pool;
        let mut arguments = vec![];
        for (k, i) in which.iter().enumerate() {
            arguments.extend(which[..=k].iter().map(|j| pool.define(self.along(*i, &self.columns[*j]))));
        }
        arguments.extend(demand);
        if let ([_], [a, b]) = (which, &arguments[..]) {
            return vec![pool.define(pool.div(*b, *a))];
        }
        let n = which.len() as u16;
        (0..n).map(|k| pool.define(pool.call(Function::Solve(n, k), &arguments))).collect()
    }
}

/// What [kkt] gives, and its factors where it was factored as a whole.
pub(crate) struct Solved {
    pub multipliers: Vec<Expr>,
    pub u_dot: Vec<Expr>,
    pub whole: Option<Ldl>,
}

/// The factors of [kkt] as a whole, if that is cheaper than [compliance].
pub(crate) fn whole(pool: &Pool, system: &System, rows: &[ConstraintRow]) -> Option<Ldl> {
    let System { mass, factors, .. } = system;
    let whole = saddle_point::matrix(pool, mass, rows);
    let order = saddle_point::is_cheaper(pool, &whole, mass.len(), &factors.0, rows)?;
    Some(saddle_point::factor(pool, &whole, mass.len(), &order))
}

/// [compliance] and [released], or both at once where that is cheaper.
pub(crate) fn multipliers_and_accelerations(pool: &Pool, system: &System, rows: &[ConstraintRow]) -> Solved {
    let System { factors: mass, forcing, .. } = system;
    if let Some(whole) = whole(pool, system, rows) {
        let (multipliers, u_dot) = saddle_point::solve(pool, &whole, forcing, rows);
        return Solved { multipliers, u_dot, whole: Some(whole) };
    }
    let free = mass.solve(pool, forcing);
    if rows.is_empty() {
        return Solved { multipliers: vec![], u_dot: free, whole: None };
    }
    let compliance = Compliance::new(pool, mass, forcing.len(), rows);
    let lack = |i: usize| pool.define(pool.neg(pool.add(rows[i].gamma, compliance.along(i, &free))));
    let all: Vec<usize> = (0..rows.len()).collect();
    let multipliers = compliance.unknowns(&all, &all.iter().map(|i| lack(*i)).collect::<Vec<_>>());
    let moved = compliance.moved(&all, &multipliers);
    let u_dot = moved.iter().zip(&free).map(|(a, b)| pool.define(pool.add(*a, *b))).collect();
    Solved { multipliers, u_dot, whole: None }
}

impl Augmented {
    /// Changes of coordinates and of speeds. [correction]
    pub fn corrections(&self, model: &Model, constraints: &ConstraintRows) -> Corrections {
        let pool = model.space.pool();
        let rows = &constraints.rows;
        let rates: Vec<Expr> = rows.iter().map(|r| pool.define(pool.neg(r.velocity))).collect();
        let all: Vec<usize> = (0..rows.len()).collect();
        let holonomic: Vec<usize> = all.iter().copied().filter(|r| rows[*r].position.is_some()).collect();
        let gaps = holonomic.iter().filter_map(|r| rows[*r].position);
        let gaps: Vec<Expr> = gaps.map(|g| pool.define(pool.neg(g))).collect();
        // One factorisation serves both where every row has a position.
        if let Some(whole) = self.whole.as_ref().filter(|_| gaps.len() == rows.len()) {
            let n = model.speeds.len();
            let moved = |demand: Vec<Expr>| {
                let right: Vec<Expr> = (0..n).map(|_| pool.zero()).chain(demand).collect();
                whole.solve(pool, &right)[..n].to_vec()
            };
            return Corrections { position: displace(model, &moved(gaps)), velocity: moved(rates) };
        }
        let compliance = Compliance::new(pool, &self.factors, model.speeds.len(), rows);
        let shift = compliance.moved(&holonomic, &compliance.unknowns(&holonomic, &gaps));
        let velocity = compliance.moved(&all, &compliance.unknowns(&all, &rates));
        Corrections { position: displace(model, &shift), velocity }
    }
}

/// A displacement along the speeds as changes of the coordinates: δq = W δ, with q̇ = W u + X.
pub(crate) fn displace(model: &Model, shift: &[Expr]) -> Vec<Expr> {
    let pool = model.space.pool();
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut change = |rate: Expr| {
        let terms = by_speed.iter_mut().zip(shift).map(|(d, s)| pool.mul(d.apply(pool, rate), *s));
        pool.sum(terms.collect::<Vec<_>>())
    };
    model.coordinates.iter().map(|(_, q)| change(q.rate)).collect()
}

/// The power that constraints bring in, from the multipliers of their rows, solved or unknown. [drive]
pub fn powers(
    model: &Model,
    constraints: &ConstraintRows,
    multipliers: &[Expr],
) -> Vec<(ConstraintId, Expr)> {
    let pool = model.space.pool();
    let at_rest: Map<_, _> =
        model.speeds.iter().filter_map(|(_, u)| Some((pool.as_symbol(u.symbol)?, pool.zero()))).collect();
    let mut known = Map::default();
    let mut powers: Vec<(ConstraintId, Vec<Expr>)> = vec![];
    for (row, multiplier) in constraints.rows.iter().zip(multipliers) {
        let b = pool.substitute(row.velocity, &at_rest, &mut known);
        if pool.is_zero(b) {
            continue;
        }
        let power = pool.neg(pool.mul(*multiplier, b));
        match powers.last_mut().filter(|(c, _)| *c == row.constraint) {
            Some((_, parts)) => parts.push(power),
            None => powers.push((row.constraint, vec![power])),
        }
    }
    powers.into_iter().map(|(c, parts)| (c, pool.sum(parts))).collect()
}
