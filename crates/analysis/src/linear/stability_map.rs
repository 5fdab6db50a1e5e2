//! Stability in the plane of two parameters.
//!
//! Each cell of a grid has the verdict of its middle. Between neighbours of which one is unstable
//! the boundary is the root of the spectral abscissa, found by secants on the edge.

use crate::AnalysisError;
use crate::linear::root_locus::{LocusPoint, LocusQuestion, sample};
use crate::linear::stability::Stability;
use crate::numeric_model::Study;

/// Verdicts over two parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct StabilityMap {
    /// The values of the first parameter.
    pub first: Vec<f64>,
    /// The values of the second parameter.
    pub second: Vec<f64>,
    /// The verdict, by the first parameter and then by the second; nothing where the question has
    /// no answer.
    pub verdicts: Vec<Vec<Option<Stability>>>,
    /// The largest real part beside persistent zeros, in 1/s.
    pub abscissa: Vec<Vec<f64>>,
    /// Points of the boundary of the unstable region.
    pub boundary: Vec<(f64, f64)>,
}

/// The map over the values of the parameter of `question` and of a second one.
pub fn stability_map(
    study: &mut Study,
    question: &LocusQuestion,
    first: &[f64],
    (name, second): (&str, &[f64]),
) -> Result<StabilityMap, AnalysisError> {
    let mut at = |a: f64, b: f64| -> Result<LocusPoint, AnalysisError> {
        study.set(name, b)?;
        sample(study, question, a)
    };
    let mut points: Vec<Vec<Option<LocusPoint>>> = vec![];
    for a in first {
        points.push(second.iter().map(|b| at(*a, *b).ok()).collect());
    }
    if points.iter().flatten().all(Option::is_none) {
        // Why, is said of the first.
        at(first[0], second[0])?;
    }
    let mut boundary = vec![];
    let mut edge = |p: &Option<LocusPoint>, q: &Option<LocusPoint>, place: &dyn Fn(f64) -> (f64, f64)| {
        let (Some(p), Some(q)) = (p, q) else { return };
        if (p.stability == Stability::Unstable) == (q.stability == Stability::Unstable) {
            return;
        }
        let n_zeros = p.n_zeros().min(q.n_zeros());
        let along = |s: f64| at(place(s).0, place(s).1).ok().map(|x| x.abscissa(n_zeros));
        let ends = (p.abscissa(n_zeros), q.abscissa(n_zeros));
        boundary.extend(root(along, ends).map(place));
    };
    for i in 0..first.len() {
        for j in 0..second.len() {
            if i + 1 < first.len() {
                let place = |s: f64| (first[i] + s * (first[i + 1] - first[i]), second[j]);
                edge(&points[i][j], &points[i + 1][j], &place);
            }
            if j + 1 < second.len() {
                let place = |s: f64| (first[i], second[j] + s * (second[j + 1] - second[j]));
                edge(&points[i][j], &points[i][j + 1], &place);
            }
        }
    }
    let n_zeros = points.iter().flatten().flatten().map(LocusPoint::n_zeros).min().unwrap_or(0);
    let verdicts = points.iter().map(|row| row.iter().map(|p| p.as_ref().map(|p| p.stability)).collect());
    let abscissa = |p: &Option<LocusPoint>| p.as_ref().map_or(f64::NAN, |p| p.abscissa(n_zeros));
    Ok(StabilityMap {
        first: first.to_vec(),
        second: second.to_vec(),
        verdicts: verdicts.collect(),
        abscissa: points.iter().map(|row| row.iter().map(abscissa).collect()).collect(),
        boundary,
    })
}

/// The root of f in 0 to 1 from its values at the ends, by secants that keep it between them.
fn root(mut f: impl FnMut(f64) -> Option<f64>, (mut low, mut high): (f64, f64)) -> Option<f64> {
    if low * high > 0.0 {
        return Some(0.5);
    }
    let (mut a, mut b) = (0.0, 1.0);
    let mut side = 0;
    for _ in 0..30 {
        let x = if high == low { 0.5 * (a + b) } else { (a * high - b * low) / (high - low) };
        let y = f(x)?;
        if y == 0.0 || b - a < 1e-9 || y.abs() < 1e-13 {
            return Some(x);
        }
        // An end that stays for the second time is halved (Illinois).
        if y * high > 0.0 {
            (b, high) = (x, y);
            low *= if side == -1 { 0.5 } else { 1.0 };
            side = -1;
        } else {
            (a, low) = (x, y);
            high *= if side == 1 { 0.5 } else { 1.0 };
            side = 1;
        }
    }
    Some(0.5 * (a + b))
}
