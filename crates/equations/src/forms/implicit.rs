//! The matrices of constrained equations, unsolved.
//!
//! ```text
//! [parts]       M, f, G, γ, v, g      of  M u̇ = f + G^T λ,  G u̇ + γ = 0,  v(q, u, t) = 0,  g(q, t) = 0
//! [rates]       W                      of  q̇ = W u + X
//! [baumgarte]   2 α v + α² g           added to γ where drift is pulled back instead of projected
//! ```
//!
//! Coordinate partitioning takes them at run time. Baumgarte, Comput. Methods Appl. Mech. Eng. 1 (1972), with
//! critical damping: β = α.

use cardan_expr::{Derivation, Expr, Kind, Rational};
use cardan_model::Model;

use crate::equations::Equations;

/// The parts of constrained equations. Expressions belong to the model's pool.
#[derive(Clone, PartialEq, Debug)]
pub struct ImplicitForm {
    /// The lower triangle of M by rows.
    pub mass: Vec<Expr>,
    /// f.
    pub forcing: Vec<Expr>,
    /// Per row of G the columns that are not zero.
    pub jacobian: Vec<Vec<(usize, Expr)>>,
    /// γ.
    pub gamma: Vec<Expr>,
    /// v.
    pub velocities: Vec<Expr>,
    /// Per row g; nothing for a nonholonomic row.
    pub positions: Vec<Option<Expr>>,
    /// Per coordinate the entries of W that are not zero.
    pub rates: Vec<Vec<(usize, Expr)>>,
    /// α of [baumgarte].
    pub decay_rate: Expr,
    /// Baumgarte's terms. [baumgarte]
    pub stabilisation: Vec<Expr>,
}

/// The form; nothing for a tree.
pub fn implicit_form(model: &Model, equations: &Equations) -> Option<ImplicitForm> {
    let (Some(mass), Some(forcing), Some(_)) = (&equations.mass, &equations.forcing, &equations.augmented)
    else {
        return None;
    };
    let pool = model.space.pool();
    let rows = &equations.constraints.rows;
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut rates = vec![];
    for (_, q) in model.coordinates.iter() {
        let row = by_speed.iter_mut().enumerate().map(|(k, d)| (k, d.apply(pool, q.rate)));
        rates.push(row.filter(|(_, e)| !pool.is_zero(*e)).collect());
    }
    let alpha = pool.symbol("decay rate of constraint errors", Kind::Parameter);
    let pull = |velocity: Expr, position: Option<Expr>| {
        let damping = pool.mul(pool.scale(Rational::int(2), alpha), velocity);
        position.map_or(damping, |g| pool.add(damping, pool.mul(pool.powi(alpha, 2), g)))
    };
    Some(ImplicitForm {
        mass: mass.iter().enumerate().flat_map(|(i, row)| row[..=i].to_vec()).collect(),
        forcing: forcing.clone(),
        jacobian: rows.iter().map(|r| r.jacobian.clone()).collect(),
        gamma: rows.iter().map(|r| r.gamma).collect(),
        velocities: rows.iter().map(|r| r.velocity).collect(),
        positions: rows.iter().map(|r| r.position).collect(),
        rates,
        decay_rate: alpha,
        stabilisation: rows.iter().map(|r| pull(r.velocity, r.position)).collect(),
    })
}
