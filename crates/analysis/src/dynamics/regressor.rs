//! The regressor: generalised forces as a linear function of chosen parameters, where they are one.
//!
//! ```text
//! [regressor]   τ(q, u, u̇, π) = Y(q, u, u̇) π + τ₀(q, u, u̇),     Y = ∂τ/∂π
//! ```
//!
//! Inverse dynamics is linear in masses, first moments and moments of inertia about the origin of a body, and in the
//! coefficients of linear loads (W. Khalil, E. Dombre, Modeling, Identification and Control of Robots, ch. 12). It is not in a mass
//! and the place of its centre together. Y is the exact derivative; that it does not change with π is tried at other values of all
//! chosen parameters, at states and accelerations of their own, before it is believed.

use cardan_compile::Choice;
use cardan_equations::{Formalism, inverse};
use cardan_lower::inverse_program;
use cardan_solve::Matrix;

use crate::derivatives::Slopes;
use crate::numeric_model::Evaluator;
use crate::{AnalysisError, Study};

/// Inverse dynamics as a linear function of parameters.
#[derive(Clone, Debug)]
pub struct Regressor {
    names: Vec<String>,
    slopes: Slopes,
    inverse: Evaluator,
    /// Where the parameters are among the inputs, and where the accelerations.
    places: Vec<usize>,
    accelerations: std::ops::Range<usize>,
}

/// Trials of linearity, and the relative change of Y that counts as rounding.
const TRIALS: usize = 3;
const ROUNDING: f64 = 1e-9;

impl Regressor {
    /// The regressor of parameters by name; an error where the forces are not linear in them.
    pub fn of(choice: &Choice, study: &Study, names: &[String]) -> Result<Regressor, AnalysisError> {
        let model = choice.model.clone();
        let made = inverse_program(&model, &inverse(&model, Formalism::Recursive)?)?;
        let place = |name: &String| {
            let slots = made.inputs.parameters.iter();
            let mut found = slots.filter(|s| model.parameters[s.id].quantity.name == *name).map(|s| s.input);
            found
                .next()
                .map(cardan_base::Id::index)
                .ok_or_else(|| AnalysisError::Evaluation(format!("`{name}` is not an independent parameter")))
        };
        let places: Vec<usize> = names.iter().map(place).collect::<Result<_, _>>()?;
        let outputs: Vec<usize> = (0..model.speeds.len()).collect();
        let mut regressor = Regressor {
            names: names.to_vec(),
            slopes: Slopes::new(&made.program, &outputs, &places, study.host())?,
            inverse: Evaluator::new(&made.program, study.host())?,
            accelerations: made.accelerations,
            places,
        };
        regressor.try_linearity(study)?;
        Ok(regressor)
    }

    fn inputs(&self, study: &Study, (t, y): (f64, &[f64]), accelerations: &[f64]) -> Vec<f64> {
        let mut inputs = study.placed(t, y);
        inputs.resize(self.accelerations.end.max(inputs.len()), 0.0);
        inputs[self.accelerations.clone()].copy_from_slice(accelerations);
        inputs
    }

    fn try_linearity(&mut self, study: &Study) -> Result<(), AnalysisError> {
        let (q, u, s) = study.sizes();
        // Numbers without a pattern, the same for everyone.
        let number = |k: usize| (1.0 + 12.9898 * k as f64).sin();
        for trial in 1..=TRIALS {
            let state: Vec<f64> = (0..q + u + s).map(|k| number(trial * 1000 + k)).collect();
            let accelerations: Vec<f64> = (0..u).map(|k| number(trial * 2000 + k)).collect();
            let mut inputs = self.inputs(study, (0.1, &state), &accelerations);
            let here = self.slopes.run(&inputs)?;
            for (k, place) in self.places.iter().enumerate() {
                let size = inputs[*place].abs().max(1.0);
                inputs[*place] += size * (1.0 + 0.5 * number(trial * 3000 + k));
            }
            let there = self.slopes.run(&inputs)?;
            for (j, name) in self.names.iter().enumerate() {
                let size = here.column(j).iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let pairs = here.column(j).iter().zip(there.column(j));
                let change = pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                if change.is_nan() || change > ROUNDING * size.max(1e-6) {
                    let message = format!("the forces are not linear in `{name}` and the others together");
                    return Err(AnalysisError::Evaluation(message));
                }
            }
        }
        Ok(())
    }

    /// Y, and τ₀ at the present values of everything else. [regressor]
    pub fn at(
        &mut self,
        study: &Study,
        at: (f64, &[f64]),
        accelerations: &[f64],
    ) -> Result<(Matrix, Vec<f64>), AnalysisError> {
        let inputs = self.inputs(study, at, accelerations);
        let slopes = self.slopes.run(&inputs)?;
        let mut rest = self.inverse.run(&inputs)?.to_vec();
        for (j, place) in self.places.iter().enumerate() {
            rest.iter_mut().zip(slopes.column(j)).for_each(|(force, y)| *force -= y * inputs[*place]);
        }
        Ok((slopes, rest))
    }
}
