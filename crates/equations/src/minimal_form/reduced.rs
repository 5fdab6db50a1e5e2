//! Speeds and accelerations that follow from the independent ones, one dyad after the other.
//!
//! ```text
//! [plane]        g = P - Q in the plane of the dyad,   ġ = G u + b,   g̈ = G u̇ + γ
//! [block]        G_d u_d = -(G_k u_k + b)        k known before: u = T u_i + β;   with γ for b and u̇ for u: u̇ = T u̇_i + δ
//! [free]      T^T M T u̇_i = T^T (f - M δ)
//! [multiplier]   G_d^T λ = (M u̇ - f)_d - (later rows)^T λ       in the reverse order
//! ```

use cardan_base::{Id, Map};
use cardan_expr::{Derivation, Expr, Pool};
use cardan_model::{CoordinateId, Model};

use crate::constrained::rows::ConstraintRows;
use crate::kane::time_derivation;
use crate::minimal_form::dyads::Step;
use crate::{Failure, ldl};

/// Rows that determine as many speeds.
pub(crate) struct Block {
    pub rows: Vec<usize>,
    pub speeds: Vec<usize>,
}

/// A row that a speed must satisfy: the columns of G that are not zero, b, γ. [plane]
struct Row {
    jacobian: Vec<(usize, Expr)>,
    rest: Expr,
    gamma: Expr,
}

/// The inverse of a matrix with one or two rows.
fn inverse(pool: &Pool, a: &[Vec<Expr>]) -> Option<Vec<Vec<Expr>>> {
    match a {
        [row] => Some(vec![vec![pool.define(pool.powi(row[0], -1))]]),
        [x, y] => {
            let area = pool.sub(pool.mul(x[0], y[1]), pool.mul(x[1], y[0]));
            let over = pool.define(pool.powi(pool.define(area), -1));
            let part = |e: Expr| pool.define(pool.mul(e, over));
            Some(vec![vec![part(y[1]), part(pool.neg(x[1]))], vec![part(pool.neg(y[0])), part(x[0])]])
        }
        _ => None,
    }
}

/// The rows of a step. The points of a dyad are compared in its plane, where the arms are known already: axes that turn with a body,
/// along which its joint may measure, would have to be turned back.
fn rows(model: &Model, constraints: &ConstraintRows, step: &Step) -> Vec<Row> {
    let pool = model.space.pool();
    let mut in_time = time_derivation(model);
    let rates: Vec<Expr> = match step {
        Step::Drive(..) => {
            let own = constraints.rows.iter().filter(|r| r.constraint == step.constraint());
            own.map(|r| r.velocity).collect()
        }
        Step::Dyad(dyad) => {
            let [p, q] = dyad.points;
            (0..2).map(|k| pool.define(in_time.apply(pool, pool.sub(p[k], q[k])))).collect()
        }
    };
    let zero = pool.zero();
    let at_rest: Map<_, _> =
        model.speeds.iter().filter_map(|(_, u)| Some((pool.as_symbol(u.symbol)?, zero))).collect();
    let row = |rate: Expr| {
        let by = |u: Expr| pool.define(Derivation::partial(pool, u).apply(pool, rate));
        let columns = model.speeds.iter().map(|(_, u)| by(u.symbol)).enumerate();
        Row {
            jacobian: columns.filter(|(_, e)| !pool.is_zero(*e)).collect(),
            rest: pool.substitute(rate, &at_rest, &mut Map::default()),
            gamma: pool.define(in_time.apply(pool, rate)),
        }
    };
    rates.into_iter().map(row).collect()
}

/// Speeds in terms of the independent ones.
pub(crate) struct Speeds {
    pub independent: Vec<usize>,
    pub blocks: Vec<Block>,
    /// T, a row per speed.
    transform: Vec<Vec<Expr>>,
    /// β.
    rest: Vec<Expr>,
    /// δ.
    drift: Vec<Expr>,
}

/// Nothing where a coordinate has no speed of its own. [block]
pub(crate) fn speeds(model: &Model, constraints: &ConstraintRows, steps: &[Step]) -> Option<Speeds> {
    let pool = model.space.pool();
    let own = |q: usize| {
        let rate = model.coordinates[CoordinateId::from_index(q)].rate;
        model.speeds.iter().position(|(_, u)| u.symbol == rate)
    };
    let groups: Option<Vec<Vec<usize>>> =
        steps.iter().map(|s| s.coordinates().into_iter().map(own).collect()).collect();
    let groups = groups?;
    let n = model.speeds.len();
    let independent: Vec<usize> = (0..n).filter(|k| !groups.iter().flatten().any(|d| d == k)).collect();
    let zero = pool.zero();
    let mut found = Speeds {
        transform: vec![vec![zero; independent.len()]; n],
        rest: vec![zero; n],
        drift: vec![zero; n],
        blocks: vec![],
        independent,
    };
    for (i, k) in found.independent.iter().enumerate() {
        found.transform[*k][i] = pool.one();
    }
    for (step, speeds) in steps.iter().zip(groups) {
        let held = constraints.rows.iter().enumerate().filter(|(_, r)| r.constraint == step.constraint());
        let held: Vec<usize> = held.map(|(k, _)| k).collect();
        let rows = rows(model, constraints, step);
        if rows.len() != speeds.len() || held.len() != speeds.len() {
            return None;
        }
        let column =
            |row: &Row, k: usize| row.jacobian.iter().find(|(l, _)| *l == k).map_or(zero, |(_, e)| *e);
        let own: Vec<Vec<Expr>> =
            rows.iter().map(|r| speeds.iter().map(|k| column(r, *k)).collect()).collect();
        let inverse = inverse(pool, &own)?;
        // What the rows demand of the speeds of this step: a column of T, or β, or δ.
        let solve = |constant: &dyn Fn(&Row) -> Expr, known: &dyn Fn(usize) -> Expr| -> Vec<Expr> {
            let right = rows.iter().map(|row| {
                let others = row.jacobian.iter().filter(|(k, _)| !speeds.contains(k));
                let terms = others.map(|(k, e)| pool.mul(*e, known(*k))).chain([constant(row)]);
                pool.define(pool.neg(pool.sum(terms.collect::<Vec<_>>())))
            });
            let right: Vec<Expr> = right.collect();
            let times =
                |row: &Vec<Expr>| row.iter().zip(&right).map(|(a, b)| pool.mul(*a, *b)).collect::<Vec<_>>();
            inverse.iter().map(|row| pool.define(pool.sum(times(row)))).collect()
        };
        let columns: Vec<Vec<Expr>> =
            (0..found.independent.len()).map(|i| solve(&|_| zero, &|k| found.transform[k][i])).collect();
        let rest = solve(&|row| row.rest, &|k| found.rest[k]);
        let drift = solve(&|row| row.gamma, &|k| found.drift[k]);
        for (place, k) in speeds.iter().enumerate() {
            found.transform[*k] = columns.iter().map(|c| c[place]).collect();
            (found.rest[*k], found.drift[*k]) = (rest[place], drift[place]);
        }
        found.blocks.push(Block { rows: held, speeds });
    }
    Some(found)
}

fn entry(pool: &Pool, constraints: &ConstraintRows, row: usize, speed: usize) -> Expr {
    let columns = &constraints.rows[row].jacobian;
    columns.iter().find(|(k, _)| *k == speed).map_or(pool.zero(), |(_, e)| *e)
}

impl Speeds {
    /// A speed in terms of the independent ones and of all coordinates.
    pub fn speed(&self, model: &Model, k: usize) -> Expr {
        let pool = model.space.pool();
        let symbols: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.symbol).collect();
        let terms = self.independent.iter().zip(&self.transform[k]).map(|(i, e)| pool.mul(*e, symbols[*i]));
        pool.add(pool.sum(terms.collect::<Vec<_>>()), self.rest[k])
    }
}

/// What Newton's law says.
pub(crate) struct Solved {
    pub u_dot: Vec<Expr>,
    pub multipliers: Vec<Expr>,
}

/// [free], [multiplier]
pub(crate) fn solve(
    pool: &Pool,
    mass: &[Vec<Expr>],
    forcing: &[Expr],
    constraints: &ConstraintRows,
    found: &Speeds,
) -> Result<Solved, Failure> {
    let (n, n_i) = (forcing.len(), found.independent.len());
    let sum = |terms: Vec<Expr>| pool.define(pool.sum(terms));
    let times = |row: &[Expr], x: &dyn Fn(usize) -> Expr| -> Vec<Expr> {
        row.iter().enumerate().map(|(k, m)| pool.mul(*m, x(k))).collect()
    };
    let onto = |i: usize, of: &dyn Fn(usize) -> Expr| {
        sum((0..n).map(|k| pool.mul(found.transform[k][i], of(k))).collect())
    };
    let mt: Vec<Vec<Expr>> = mass
        .iter()
        .map(|row| (0..n_i).map(|i| sum(times(row, &|k| found.transform[k][i]))).collect())
        .collect();
    let rest: Vec<Expr> = mass
        .iter()
        .zip(forcing)
        .map(|(row, f)| pool.define(pool.sub(*f, pool.sum(times(row, &|k| found.drift[k])))))
        .collect();
    let mut reduced = vec![vec![pool.zero(); n_i]; n_i];
    for i in 0..n_i {
        for j in 0..=i {
            reduced[i][j] = onto(i, &|k| mt[k][j]);
            reduced[j][i] = reduced[i][j];
        }
    }
    let right: Vec<Expr> = (0..n_i).map(|i| onto(i, &|k| rest[k])).collect();
    let factors = ldl::factor(pool, &reduced).map_err(|failure| match failure {
        Failure::NoInertia(u) => Failure::NoInertia(Id::from_index(found.independent[u.index()])),
        other => other,
    })?;
    let free = factors.solve(pool, &right);
    let u_dot: Vec<Expr> = (0..n)
        .map(|k| {
            let terms = found.transform[k].iter().zip(&free).map(|(t, a)| pool.mul(*t, *a));
            sum(terms.chain([found.drift[k]]).collect())
        })
        .collect();
    let mut multipliers = vec![pool.zero(); constraints.rows.len()];
    for (b, block) in found.blocks.iter().enumerate().rev() {
        let later: Vec<usize> = found.blocks[b + 1..].iter().flat_map(|l| l.rows.clone()).collect();
        let lack = |d: usize| {
            let inertia = times(&mass[d], &|k| u_dot[k]);
            let held =
                later.iter().map(|r| pool.neg(pool.mul(entry(pool, constraints, *r, d), multipliers[*r])));
            sum(inertia.into_iter().chain(held).chain([pool.neg(forcing[d])]).collect())
        };
        let lacks: Vec<Expr> = block.speeds.iter().map(|d| lack(*d)).collect();
        // G_d^T, a row per speed.
        let row = |d: &usize| block.rows.iter().map(|r| entry(pool, constraints, *r, *d)).collect();
        let transposed: Vec<Vec<Expr>> = block.speeds.iter().map(row).collect();
        let solution = inverse(pool, &transposed).unwrap_or_default();
        let times = |row: &Vec<Expr>| lacks.iter().zip(row).map(|(x, a)| pool.mul(*x, *a)).collect();
        let solved: Vec<Expr> = solution.iter().map(|row| sum(times(row))).collect();
        block.rows.iter().zip(solved).for_each(|(r, l)| multipliers[*r] = l);
    }
    Ok(Solved { u_dot, multipliers })
}
