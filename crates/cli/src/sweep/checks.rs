//! Values of a sweep that no matter can have: looked for in the motions in which something that varies is least or greatest.

use cardan::compile::Varied;
use cardan::model::Model;
use cardan::sim::examine_matter;
use cardan::sweep::SweepPlan;

use crate::sweep::table::number;

/// One sentence for each thing that is wrong, with the values of the first motion in which it was seen.
pub fn doubts(model: &Model, varied: &[Varied], plan: &SweepPlan) -> Vec<String> {
    let mut told: Vec<(String, String)> = vec![];
    for member in extremes(varied.len(), plan) {
        let values = plan.member(member);
        let mut model = model.clone();
        for (v, value) in varied.iter().zip(&values) {
            if model.set_value(&v.parameter, *value, None).is_err() {
                return vec![];
            }
        }
        for finding in &examine_matter(&model) {
            // The number itself differs from motion to motion.
            let kind = finding.message.split(':').next().unwrap_or_default().to_string();
            if told.iter().all(|(known, _)| *known != kind) {
                let with: Vec<String> =
                    varied.iter().zip(&values).map(|(v, x)| format!("{} = {}", v.name, number(*x))).collect();
                told.push((kind, format!("{} (with {})", finding.message, with.join(", "))));
            }
        }
    }
    told.into_iter().map(|(_, sentence)| sentence).collect()
}

/// The motions in which one of the varied values is least or greatest, each once.
fn extremes(n_axes: usize, plan: &SweepPlan) -> Vec<usize> {
    let mut found: Vec<usize> = vec![];
    for axis in 0..n_axes {
        let value = |k: &usize| plan.member(*k)[axis];
        let by_value = |a: &usize, b: &usize| value(a).total_cmp(&value(b));
        found.extend((0..plan.len()).min_by(by_value));
        found.extend((0..plan.len()).max_by(by_value));
    }
    found.sort_unstable();
    found.dedup();
    found
}
