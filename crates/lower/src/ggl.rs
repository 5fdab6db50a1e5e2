//! The program of a constrained mechanism as differential and algebraic equations, stabilised as Gear, Gupta and Leimkuhler do.
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

use std::ops::Range;

use cardan_equations::constrained::multipliers::powers;
use cardan_equations::{Augmented, Equations};
use cardan_expr::{Derivation, Expr, Kind};
use cardan_model::Model;
use cardan_program::{Label, Program};

use crate::inputs::{InputLayout, add_inputs};
use crate::{LowerError, Phase, Request, lower};

/// The right-hand side of B ẏ = f(t, y), y = (q, u, s, W, a, λ, μ), and where it is in the vectors of its program.
#[derive(Clone, PartialEq, Debug)]
pub struct StabilisedProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// The inputs that it shares with a simulation program.
    pub inputs: InputLayout,
    /// a, λ, μ, as positions in the input vector.
    pub unknowns: Range<usize>,
    /// Derivatives of q, u, s and W, then residuals of Newton's law, of velocities and of positions.
    pub equations: Range<usize>,
    /// The values of a and λ that belong to a state, in the stage `report`.
    pub settled: Range<usize>,
}

/// The program; nothing for a tree.
pub fn stabilised_program(
    model: &Model,
    equations: &Equations,
) -> Result<Option<StabilisedProgram>, LowerError> {
    let (Some(mass), Some(forcing), Some(Augmented { multipliers, u_dot, .. })) =
        (&equations.mass, &equations.forcing, &equations.augmented)
    else {
        return Ok(None);
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
    let mut outputs: Vec<Expr> = vec![];
    for ((_, q), rate) in model.coordinates.iter().zip(&equations.q_dot) {
        let moved = by_speed.iter_mut().zip(&shift).map(|(d, s)| pool.mul(d.apply(pool, q.rate), *s));
        let moved = pool.sum(moved.collect::<Vec<_>>());
        outputs.push(pool.add(*rate, moved)); // [stabilised-q]
    }
    outputs.extend(&a); // [stabilised-u]
    outputs.extend(&equations.s_dot);
    outputs.extend(equations.energy.powers.iter().map(|(_, p)| *p));
    // The work of drives follows from the unknown multipliers.
    outputs.extend(powers(model, &equations.constraints, &lambda).into_iter().map(|(_, p)| p));
    let all: Vec<usize> = (0..rows.len()).collect();
    for ((row, f), reaction) in mass.iter().zip(forcing).zip(transposed(&all, &lambda)) {
        let inertia = pool.sum(row.iter().zip(&a).map(|(m, a)| pool.mul(*m, *a)).collect::<Vec<_>>());
        outputs.push(pool.sub(inertia, pool.add(*f, reaction))); // [newton-law]
    }
    outputs.extend(rows.iter().map(|r| r.velocity)); // [closed]
    outputs.extend(rows.iter().filter_map(|r| r.position));

    let name = format!("stabilised equations of {}", model.name);
    let mut request = Request::new(name, pool, &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    let first = request.inputs.len();
    for (what, list) in [("a", &a), ("lambda", &lambda), ("mu", &mu)] {
        for (k, symbol) in list.iter().enumerate() {
            request.input(*symbol, Label::named(format!("{what}{}", k + 1)), Phase::Motion);
        }
    }
    let unknowns = first..request.inputs.len();
    for (k, e) in outputs.iter().enumerate() {
        request.output(Label::named(format!("f{}", k + 1)), *e, Phase::Motion);
    }
    let equations = 0..outputs.len();
    for (k, e) in u_dot.iter().chain(multipliers).enumerate() {
        request.output(Label::named(format!("settled{}", k + 1)), *e, Phase::Report); // [settled]
    }
    let settled = equations.end..request.outputs.len();
    Ok(Some(StabilisedProgram { program: lower(&request)?, inputs, unknowns, equations, settled }))
}
