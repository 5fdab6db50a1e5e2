//! Eigenvalues while a parameter varies: the root locus.
//!
//! Branches are followed from one value to the next by the assignment of nearest neighbours, the closest pair first.

use crate::AnalysisError;
use crate::equilibrium::{EquilibriumOptions, equilibrium};
use crate::linear::ignorable_coordinates::turned;
use crate::linear::linearize::{LinearOptions, linearize};
use crate::linear::modes::Complex;
use crate::linear::stability::{Stability, roots};
use crate::numeric_model::Study;

/// Eigenvalues at one value of the parameter, in the order of the branches.
#[derive(Clone, PartialEq, Debug)]
pub struct LocusPoint {
    /// The parameter.
    pub value: f64,
    /// One per branch.
    pub eigenvalues: Vec<Complex>,
    /// What they say.
    pub stability: Stability,
}

/// About which state a locus is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The start that the model gives for each value.
    Start,
    /// The equilibrium for each value.
    Equilibrium,
}

/// The root locus over a parameter, without what nothing feels.
pub fn root_locus(
    study: &mut Study,
    parameter: &str,
    values: &[f64],
    about: About,
    t: f64,
    keep: &[String],
) -> Result<Vec<LocusPoint>, AnalysisError> {
    let mut points: Vec<LocusPoint> = vec![];
    for value in values {
        study.set(parameter, *value)?;
        let y = match about {
            About::Start => study.start(t)?,
            About::Equilibrium => {
                let found = equilibrium(study, t, &EquilibriumOptions::default())?;
                if !found.balanced {
                    let message = format!("no equilibrium was found for `{parameter}` = {value}");
                    return Err(AnalysisError::Evaluation(message));
                }
                found.state
            }
        };
        let options = LinearOptions { keep: keep.to_vec() };
        let linear = linearize(study, t, &y, &options)?;
        let turned = turned(&linear);
        let found: Vec<Complex> = roots(&turned)?.into_iter().map(|r| r.value).collect();
        let stability = Stability::of(&found, turned.unfelt.len());
        let eigenvalues = match points.last() {
            Some(before) if before.eigenvalues.len() == found.len() => follow(&before.eigenvalues, &found),
            _ => sorted(found),
        };
        points.push(LocusPoint { value: *value, eigenvalues, stability });
    }
    Ok(points)
}

fn sorted(mut z: Vec<Complex>) -> Vec<Complex> {
    z.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    z
}

/// The new eigenvalues in the order of the old ones.
fn follow(before: &[Complex], found: &[Complex]) -> Vec<Complex> {
    let n = before.len();
    let mut pairs: Vec<(f64, usize, usize)> = vec![];
    for (i, a) in before.iter().enumerate() {
        pairs.extend(found.iter().enumerate().map(|(j, b)| ((a.0 - b.0).hypot(a.1 - b.1), i, j)));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut place: Vec<Option<usize>> = vec![None; n];
    let mut taken = vec![false; n];
    for (_, i, j) in pairs {
        if place[i].is_none() && !taken[j] {
            place[i] = Some(j);
            taken[j] = true;
        }
    }
    place.into_iter().flatten().map(|j| found[j]).collect()
}
