//! Which rows of the equations of motion differ between formalisms.
//!
//! Accelerations tell that equations differ, not where: M⁻¹ spreads a wrong row over all of them. The rows themselves do, at the
//! accelerations a that the equations under test have:
//!
//! ```text
//! [lack]     τ = M a - f                       by each formalism; G^T λ in a loop, so not zero
//! [at-odds]  |τ_r - τ'_r| > limit · max(|τ_r|, |f_r|, |f'_r|, LEAST · the largest of all rows)
//! ```
//!
//! With one row changed, and nothing else, that row alone is at odds; an entry of M belongs to two.

use cardan_base::Id;
use cardan_compile::Choice;
use cardan_equations::{Formalism, inverse};
use cardan_expr::Expr;
use cardan_lower::inverse_program;
use cardan_model::{Model, SpeedId};

use super::{FORMALISMS, State};
use crate::AnalysisError;
use crate::numeric_model::{Evaluator, Study};

/// [at-odds] Rows in which next to nothing acts are compared with the largest.
const LEAST: f64 = 1e-6;
/// So many rows are named.
const NAMED: usize = 4;

/// The rows of one formalism as a program.
struct Rows {
    evaluator: Evaluator,
    /// Where accelerations are among the inputs.
    places: std::ops::Range<usize>,
}

impl Rows {
    fn new(model: &Model, lacks: &[Expr], study: &Study) -> Result<Rows, AnalysisError> {
        let made = inverse_program(model, lacks)?;
        Ok(Rows { evaluator: Evaluator::new(&made.program, study.host())?, places: made.accelerations })
    }

    /// τ at these accelerations. [lack]
    fn at(&mut self, inputs: &[f64], accelerations: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let mut all = inputs.to_vec();
        all.resize(all.len().max(self.places.end), 0.0);
        all[self.places.clone()].copy_from_slice(accelerations);
        Ok(self.evaluator.run(&all)?.to_vec())
    }
}

/// A sentence part that names the rows in which other formalisms differ from the equations of a choice, the worst first; empty if rows do
/// not tell. [at-odds]
pub(super) fn at_odds(
    model: &Model,
    choice: &Choice,
    study: &mut Study,
    states: &[State],
) -> Result<String, AnalysisError> {
    let n = choice.model.speeds.len();
    let mut own = match choice.equations.lacks(&choice.model) {
        Some(lacks) => Some(Rows::new(&choice.model, &lacks, study)?),
        None => None,
    };
    let mut worst = vec![0.0f64; n];
    // Articulated bodies form no rows.
    let others = [Formalism::Kane, Formalism::Recursive, Formalism::Lagrange];
    for other in others.into_iter().filter(|f| *f != choice.equations.formalism) {
        let copy = model.clone();
        let Ok(lacks) = inverse(&copy, other) else { continue };
        let mut rows = Rows::new(&copy, &lacks, study)?;
        for state in states {
            study.hold_discretes(&state.discretes);
            let first = study.rates(state.t, &state.y)?;
            let n_q = choice.model.coordinates.len();
            let (a, rest) = (&first[n_q..n_q + n], vec![0.0; n]);
            let inputs = study.placed(state.t, &state.y);
            let (theirs, force) = (rows.at(&inputs, a)?, rows.at(&inputs, &rest)?);
            let (ours, own_force) = match &mut own {
                Some(own) => (own.at(&inputs, a)?, own.at(&inputs, &rest)?),
                None => (vec![0.0; n], force.clone()),
            };
            let size = |r: usize| theirs[r].abs().max(force[r].abs()).max(own_force[r].abs());
            let largest = (0..n).map(size).fold(0.0, f64::max);
            for r in 0..n {
                let part = (theirs[r] - ours[r]).abs() / size(r).max(LEAST * largest).max(f64::MIN_POSITIVE);
                worst[r] = worst[r].max(part);
            }
        }
    }
    let mut found: Vec<usize> = (0..n).filter(|r| worst[*r] > FORMALISMS.doubtful).collect();
    found.sort_by(|a, b| worst[*b].total_cmp(&worst[*a]));
    let name = |r: &usize| format!("`{}`", choice.model.speeds[SpeedId::from_index(*r)].quantity.name);
    let mut names: Vec<String> = found.iter().take(NAMED).map(name).collect();
    Ok(match (found.len(), names.pop()) {
        (_, None) => String::new(),
        (1, Some(only)) => format!("; the equation of {only} differs"),
        (k, Some(last)) if k <= NAMED => format!("; the equations of {} and {last} differ", names.join(", ")),
        (k, Some(last)) => {
            let more = k - NAMED;
            format!("; the equations of {}, {last} and {more} more differ", names.join(", "))
        }
    })
}
