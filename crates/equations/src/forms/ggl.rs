//! Constrained equations as differential and algebraic ones, stabilised as Gear, Gupta and Leimkuhler do.
//!
//! ```text
//! [stabilised-q]   q̇ = W (u + G^T μ) + X        μ, zero in every exact motion, keeps positions on g = 0
//! [stabilised-u]   u̇ = a,   ṡ = …,   Ẇ = P
//! [newton-law]     0 = M a - f - G^T λ
//! [closed]         0 = v(q, u, t),   0 = g(q, t)
//! [settled]        a, λ from the rows differentiated to accelerations; μ = 0
//! ```
//!
//! The unknowns a, λ, μ have index 2: the velocity rows determine λ after one differentiation, the position rows μ. Nothing here is solved for,
//! so the residual takes a few products per speed. Gear, Leimkuhler & Gupta, Automatic integration of Euler-Lagrange
//! equations with constraints, J. Comput. Appl. Math. 12 (1985).

use cardan_expr::{Derivation, Expr, Kind};
use cardan_model::Model;

use crate::constrained::multipliers::{Augmented, powers};
use crate::equations::Equations;
use crate::forms::residual_form::ResidualForm;
use crate::forms::variables::{StateVariable, VariableKind};

/// The index of accelerations and multipliers.
const INDEX: u8 = 2;

/// The form; nothing for a tree.
pub fn ggl_form(model: &Model, equations: &Equations) -> Option<ResidualForm> {
    let (Some(mass), Some(forcing), Some(Augmented { multipliers, u_dot, .. })) =
        (&equations.mass, &equations.forcing, &equations.augmented)
    else {
        return None;
    };
    let pool = model.space.pool();
    let rows = &equations.constraints.rows;
    let unknown = |name: String| pool.symbol(name, Kind::Unknown);
    let a: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    let lambda: Vec<Expr> = (1..=rows.len()).map(|r| unknown(format!("lambda{r}"))).collect();
    let holonomic: Vec<usize> = (0..rows.len()).filter(|r| rows[*r].position.is_some()).collect();
    let mu: Vec<Expr> = holonomic.iter().map(|r| unknown(format!("mu{}", r + 1))).collect();

    // G^T x for the rows `which`.
    let transposed = |which: &[usize], x: &[Expr]| -> Vec<Expr> {
        let mut terms = vec![vec![]; a.len()];
        for (r, x) in which.iter().zip(x) {
            rows[*r].jacobian.iter().for_each(|(k, g)| terms[*k].push(pool.mul(*g, *x)));
        }
        terms.into_iter().map(|t| pool.define(pool.sum(t))).collect()
    };
    let shift = transposed(&holonomic, &mu);
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut out: Vec<Expr> = vec![];
    for ((_, q), rate) in model.coordinates.iter().zip(&equations.q_dot) {
        let moved = by_speed.iter_mut().zip(&shift).map(|(d, s)| pool.mul(d.apply(pool, q.rate), *s));
        let moved = pool.sum(moved.collect::<Vec<_>>());
        out.push(pool.add(*rate, moved)); // [stabilised-q]
    }
    out.extend(&a); // [stabilised-u]
    out.extend(&equations.s_dot);
    out.extend(equations.energy.powers.iter().map(|(_, p)| *p));
    // The work of drives follows from the unknown multipliers.
    let drives = powers(model, &equations.constraints, &lambda);
    out.extend(drives.iter().map(|(_, p)| *p));
    let all: Vec<usize> = (0..rows.len()).collect();
    for ((row, f), reaction) in mass.iter().zip(forcing).zip(transposed(&all, &lambda)) {
        let inertia = pool.sum(row.iter().zip(&a).map(|(m, a)| pool.mul(*m, *a)).collect::<Vec<_>>());
        out.push(pool.sub(inertia, pool.add(*f, reaction))); // [newton-law]
    }
    out.extend(rows.iter().map(|r| r.velocity)); // [closed]
    out.extend(rows.iter().filter_map(|r| r.position));

    let works = equations.energy.powers.iter().map(|(load, _)| VariableKind::LoadWork(*load));
    let works = works.chain(drives.iter().map(|(drive, _)| VariableKind::DriveWork(*drive)));
    let mut variables = equations.states.clone();
    variables.extend(works.map(|work| StateVariable::differential(work, None)));
    let accelerations = model.speeds.ids().map(VariableKind::Acceleration).zip(&a);
    let multiplier = all.iter().copied().map(VariableKind::Multiplier).zip(&lambda);
    let positions = holonomic.into_iter().map(VariableKind::PositionMultiplier).zip(&mu);
    let unknowns = accelerations.chain(multiplier).chain(positions);
    variables.extend(unknowns.map(|(variable, symbol)| StateVariable::algebraic(variable, *symbol, INDEX)));
    let consistent = u_dot.iter().chain(multipliers).copied().collect(); // [settled]
    Some(ResidualForm { variables, rows: out, consistent })
}
