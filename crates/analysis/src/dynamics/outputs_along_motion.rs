//! Outputs of a model in a motion that is given, with actuators that bring it about: accelerations are the given ones, and
//! constraints carry what the actuators leave to them.
//!
//! ```text
//! [carried]    Gᵀ (λ - λ₀) = M (u̇ - u̇₀) - B τ      u̇₀, λ₀: the motion without actuators; the shortest λ where rows repeat one another
//! ```
//!
//! Actuators work along speeds and name no place, so what they do counts as part of what the joints of those speeds do, as the effort
//! of a drive does.

use std::ops::Range;

use cardan_base::Id;
use cardan_compile::Choice;
use cardan_lower::{expressions_program, given_motion_program};
use cardan_program::{Host, Label};
use cardan_solve::Matrix;
use cardan_solve::linear::least_norm;

use crate::AnalysisError;
use crate::numeric_model::{Evaluator, RANK_TOLERANCE, Study};

/// The outputs of a model as functions of state, accelerations and multipliers.
#[derive(Clone, Debug)]
pub struct GivenMotion {
    outputs: Evaluator,
    accelerations: Range<usize>,
    multipliers: Range<usize>,
    /// The multipliers of the motion without actuators; nothing for a tree.
    free: Option<Evaluator>,
    /// The place among the multipliers of each row of the constraints that says something.
    rows: Vec<Option<usize>>,
}

impl GivenMotion {
    /// Prepares the outputs of a model whose equations have been derived.
    pub fn of(choice: &Choice) -> Result<GivenMotion, AnalysisError> {
        GivenMotion::with_host(choice, &Host::new())
    }

    /// The same with external functions from `host`.
    pub fn with_host(choice: &Choice, host: &Host) -> Result<GivenMotion, AnalysisError> {
        let (model, equations) = (&choice.model, &choice.equations);
        let made = given_motion_program(model, &equations.reactions)?;
        let places: Vec<(usize, usize)> = model
            .constraints
            .iter()
            .flat_map(|(id, c)| (0..c.multipliers.len()).map(move |row| (id.index(), row)))
            .collect();
        let symbols = model.constraints.iter().flat_map(|(_, c)| c.multipliers.iter().copied());
        let solved: cardan_base::Map<_, _> = equations.solved(model).into_iter().collect();
        let zero = model.space.pool().zero();
        let free = symbols
            .map(|s| (Label::named("multiplier"), solved.get(&s).copied().unwrap_or(zero)))
            .collect::<Vec<_>>();
        let free = match free.is_empty() {
            true => None,
            false => Some(Evaluator::new(&expressions_program(model, "multipliers", free)?.program, host)?),
        };
        let rows = equations.constraints.rows.iter().chain(&equations.constraints.repeated);
        let mut rows: Vec<(usize, usize)> = rows.map(|r| (r.constraint.index(), r.row)).collect();
        // The surface has its rows in the order of the model, whichever of them were kept.
        rows.sort_unstable();
        let rows = rows.iter().map(|row| places.iter().position(|place| place == row)).collect();
        Ok(GivenMotion {
            outputs: Evaluator::new(&made.outputs.program, host)?,
            accelerations: made.outputs.accelerations,
            multipliers: made.multipliers,
            free,
            rows,
        })
    }

    /// The outputs at the state `y` with the accelerations u̇, where `forces` act along the speeds at the places `actuated`.
    pub fn outputs(
        &mut self,
        study: &mut Study,
        t: f64,
        y: &[f64],
        accelerations: &[f64],
        actuated: &[usize],
        forces: &[f64],
    ) -> Result<Vec<f64>, AnalysisError> {
        let mut inputs = study.placed(t, y);
        let mut multipliers = vec![0.0; self.multipliers.len()];
        if let Some(free) = &mut self.free {
            multipliers.copy_from_slice(free.run(&inputs)?);
            let (n_q, n_u, _) = study.sizes();
            let rates = study.rates(t, y)?;
            let extra: Vec<f64> = (0..n_u).map(|k| accelerations[k] - rates[n_q + k]).collect();
            let mut carried = vec![0.0; n_u];
            study.mass(t, y)?.multiply(&extra, &mut carried);
            actuated.iter().zip(forces).for_each(|(k, force)| carried[*k] -= force);
            let velocities = study.local(t, y)?.velocities;
            let mut transposed = Matrix::zeros(n_u, velocities.n_rows());
            for i in 0..velocities.n_rows() {
                (0..n_u).for_each(|k| transposed[(k, i)] = velocities[(i, n_q + k)]);
            }
            let more = least_norm(&transposed, &carried, RANK_TOLERANCE)?.x; // [carried]
            for (place, more) in self.rows.iter().zip(more) {
                if let Some(place) = place {
                    multipliers[*place] += more;
                }
            }
        }
        inputs.resize(self.multipliers.end, 0.0);
        inputs[self.accelerations.clone()].copy_from_slice(accelerations);
        inputs[self.multipliers.clone()].copy_from_slice(&multipliers);
        Ok(self.outputs.run(&inputs)?.to_vec())
    }
}
