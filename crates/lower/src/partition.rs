//! The parts of constrained equations as numbers: what coordinate partitioning needs at run time.
//!
//! ```text
//! [parts]    M, f, G, γ, v, g      of  M u̇ = f + G^T λ,  G u̇ + γ = 0,  v(q, u, t) = 0,  g(q, t) = 0
//! [rates]    W                      of  q̇ = W u + X
//! ```

use std::ops::Range;

use cardan_equations::{ConstraintRow, Equations};
use cardan_expr::{Derivation, Expr};
use cardan_model::Model;
use cardan_program::{Label, Program};

use crate::inputs::{InputLayout, add_inputs};
use crate::{LowerError, Phase, Request, lower};

/// The parts, as positions in the output vector.
#[derive(Clone, PartialEq, Debug)]
pub struct PartitionProgram {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// Its inputs: those of the simulation program.
    pub inputs: InputLayout,
    /// The lower triangle of M by rows.
    pub mass: Range<usize>,
    /// f.
    pub forcing: Range<usize>,
    /// Per row of G the columns that are not zero: speed and output.
    pub jacobian: Vec<Vec<(usize, usize)>>,
    /// γ.
    pub gamma: Range<usize>,
    /// v.
    pub velocities: Range<usize>,
    /// Per row g; nothing for a nonholonomic row.
    pub positions: Vec<Option<usize>>,
    /// Per coordinate the entries of W that are not zero: speed and output.
    pub rates: Vec<Vec<(usize, usize)>>,
}

/// The program; nothing for a tree.
pub fn partition_program(
    model: &Model,
    equations: &Equations,
) -> Result<Option<PartitionProgram>, LowerError> {
    let (Some(mass), Some(forcing), Some(_)) = (&equations.mass, &equations.forcing, &equations.augmented)
    else {
        return Ok(None);
    };
    let pool = model.space.pool();
    let rows = &equations.constraints.rows;
    let mut request = Request::new(format!("parts of {}", model.name), pool, &model.tables);
    let inputs = add_inputs(&mut request, model, &[]);
    let mut ask = |what: &str, list: Vec<Expr>, phase: Phase| {
        let first = request.outputs.len();
        for (k, e) in list.into_iter().enumerate() {
            request.output(Label::named(format!("{what}{}", k + 1)), e, phase);
        }
        first..request.outputs.len()
    };
    let triangle = mass.iter().enumerate().flat_map(|(i, row)| row[..=i].to_vec()).collect();
    let mass = ask("m", triangle, Phase::Position);
    let forcing = ask("f", forcing.clone(), Phase::Motion);
    let gamma = ask("gamma", rows.iter().map(|r| r.gamma).collect(), Phase::Motion);
    let velocities = ask("v", rows.iter().map(|r| r.velocity).collect(), Phase::Motion);
    let mut sparse = |what: &str, entries: Vec<(usize, Expr)>| -> Vec<(usize, usize)> {
        let (speeds, list): (Vec<usize>, Vec<Expr>) = entries.into_iter().unzip();
        speeds.into_iter().zip(ask(what, list, Phase::Position)).collect()
    };
    let jacobian = rows.iter().map(|r: &ConstraintRow| sparse("g", r.jacobian.clone())).collect();
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    let mut rates = vec![];
    for (_, q) in model.coordinates.iter() {
        let row = by_speed.iter_mut().enumerate().map(|(k, d)| (k, d.apply(pool, q.rate)));
        rates.push(sparse("w", row.filter(|(_, e)| !pool.is_zero(*e)).collect()));
    }
    let positions = rows
        .iter()
        .map(|r| r.position.map(|g| request.output(Label::named("g"), g, Phase::Position)))
        .collect();
    let program = lower(&request)?;
    Ok(Some(PartitionProgram {
        program,
        inputs,
        mass,
        forcing,
        jacobian,
        gamma,
        velocities,
        positions,
        rates,
    }))
}
