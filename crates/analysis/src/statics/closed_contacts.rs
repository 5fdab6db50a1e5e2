//! Contacts that are closed where a question begins.
//!
//! A motion finds out by itself which contacts hold it. A question about one state has no motion, so it looks at the start:
//!
//! ```text
//! [touches]    g ≤ ε and |ġ| ≤ ε:  the contact is taken as closed, a constraint that holds
//! [pulls]      of those whose force is negative the one that pulls most is opened, until all press
//! ```

use std::ops::Range;

use cardan_compile::Choice;
use cardan_lower::expressions_program;
use cardan_model::Law;
use cardan_program::{Host, Label};

use crate::AnalysisError;
use crate::numeric_model::Evaluator;

/// Gaps and rates below this are none, in SI units.
const TOUCHES: f64 = 1e-9;
/// A force that is this part of the largest one does not pull.
const ROUNDING: f64 = 1e-9;

/// The rigid contacts and inequalities of a model.
#[derive(Clone, Debug)]
pub(crate) struct ClosedContacts {
    /// Per contact its gap, the rate of it, and its force.
    numbers: Evaluator,
    /// Names, and places among the discrete states.
    contacts: Vec<(String, usize)>,
}

impl ClosedContacts {
    /// Nothing for a model without them.
    pub fn of(choice: &Choice, host: &Host) -> Result<Option<Self>, AnalysisError> {
        let model = &choice.model;
        let (mut named, mut contacts) = (vec![], vec![]);
        for law in &model.laws {
            let Law::Holds { active, gap: Some(gap), one_sided: true, .. } = law.law else { continue };
            let place = model.hybrid.discretes.iter().position(|(_, d)| d.symbol == active);
            let effort = choice.equations.laws.efforts.iter().find(|(symbol, _)| *symbol == law.symbol);
            let (Some(place), Some((_, effort))) = (place, effort) else { continue };
            let rate = model.space.dt(gap);
            named.extend([("gap", gap), ("rate", rate), ("force", *effort)]);
            contacts.push((law.load.clone(), place));
        }
        if contacts.is_empty() {
            return Ok(None);
        }
        let named = named.into_iter().map(|(name, e)| (Label::named(name), e));
        let made = expressions_program(model, "contacts", named)?;
        Ok(Some(ClosedContacts { numbers: Evaluator::new(&made.program, host)?, contacts }))
    }

    /// Closes those that touch and press at the state among the inputs; their names.
    pub fn close(
        &mut self,
        inputs: &mut [f64],
        discretes: Range<usize>,
    ) -> Result<Vec<String>, AnalysisError> {
        let at = |k: usize| discretes.start + k;
        let found = self.numbers.run(inputs)?.to_vec();
        let touches = |i: usize| found[3 * i] <= TOUCHES && found[3 * i + 1].abs() <= TOUCHES;
        let mut closed: Vec<usize> = (0..self.contacts.len()).filter(|i| touches(*i)).collect();
        for i in &closed {
            inputs[at(self.contacts[*i].1)] = 1.0;
        }
        while !closed.is_empty() {
            let found = self.numbers.run(inputs)?.to_vec();
            let force = |i: &usize| found[3 * i + 2];
            let most = closed.iter().map(|i| force(i).abs()).fold(0.0, f64::max);
            let least = closed.iter().copied().min_by(|a, b| force(a).total_cmp(&force(b)));
            let Some(pulls) = least.filter(|i| force(i) < -ROUNDING * most) else { break };
            closed.retain(|i| *i != pulls);
            inputs[at(self.contacts[pulls].1)] = 0.0;
        }
        Ok(closed.into_iter().map(|i| self.contacts[i].0.clone()).collect())
    }
}
