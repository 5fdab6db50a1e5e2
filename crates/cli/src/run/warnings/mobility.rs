//! Mechanisms whose constraints leave no motion: allowed, and seldom meant.

use cardan::sim::Trajectory;
use cardan::{Compiled, model::Model};

/// A sentence for a mechanism with coordinates that has no degree of freedom and stands still in every sample.
pub fn told(compiled: &Compiled, trajectory: &Trajectory) -> Option<String> {
    let found = compiled.choice.loops.as_ref().filter(|found| found.mobility == 0)?;
    let model: &Model = compiled.model();
    let first = trajectory.rows.iter().next()?;
    let still = |place: usize| trajectory.rows.iter().all(|row| (row[place] - first[place]).abs() < STILL);
    if model.coordinates.is_empty() || found.loops.rows.is_empty() {
        return None;
    }
    (1..=model.coordinates.len()).all(still).then(|| {
        "nothing can move: the constraints leave no degree of freedom; the axes of the joints of a plane loop \
         must be parallel"
            .to_owned()
    })
}

/// Coordinates that differ by less do not move, in their SI units.
const STILL: f64 = 1e-9;
