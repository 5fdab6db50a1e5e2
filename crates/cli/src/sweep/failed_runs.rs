//! Motions of a sweep that did not reach the end: how many, and why the first of them did not.

use std::fmt;

use cardan::sim::{Ensemble, Settings};
use cardan::sweep::SweepPlan;
use serde_json::{Value, json};

use crate::sweep::table::{Table, number};

/// The motions that were lost.
pub struct Lost {
    /// How many.
    pub count: usize,
    /// The first of them.
    member: usize,
    /// What varied and its value there, in SI units.
    values: Vec<(String, f64)>,
    /// Why that one ended.
    reason: String,
}

impl Lost {
    /// Looks for lost motions; the first is followed once more, for its reason.
    pub fn among(table: &Table, ensemble: &Ensemble, plan: &SweepPlan, settings: &Settings) -> Option<Lost> {
        let mut lost = (0..table.endings.len()).filter(|k| !table.endings[*k].is_complete());
        let member = lost.next()?;
        let count = 1 + lost.count();
        let values = plan.member(member);
        let reason = ensemble.why_lost(&values, settings).unwrap_or_else(|| "it was interrupted".into());
        Some(Lost { count, member, values: table.named(&values), reason })
    }

    /// With stable keys.
    pub fn for_programs(&self) -> Value {
        let values: serde_json::Map<String, Value> =
            self.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({ "member": self.member, "values": values, "reason": self.reason })
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> =
            self.values.iter().map(|(name, value)| format!("{name} = {}", number(*value))).collect();
        write!(f, "the first, with {}: {}", values.join(", "), self.reason)
    }
}
