//! Sampled controllers of a model under questions about one state.

use cardan::analysis::{Kept, LinearOptions, SampledModel, SampledSystem};
use serde_json::{Value, json};

use crate::analyze::frequency::response::list;
use crate::analyze::{Asked, Chosen, number};
use crate::exit::Problem;
use crate::terminal::Terminal;

impl Asked {
    /// The model with its sampled blocks; nothing where there are none.
    fn sampled_model(&self) -> Result<Option<SampledModel>, Problem> {
        SampledModel::of(&self.compiled.choice, &self.study).map_err(Problem::failed)
    }

    /// The state in which the mechanism rests and its sampled blocks change nothing, if there are such
    /// blocks and one is found; nothing where `y` is one. Its discrete states are held from then on.
    pub(in crate::analyze) fn settled(&mut self, t: f64, y: &[f64]) -> Option<Chosen> {
        let mut model = self.sampled_model().ok()??;
        let (y, discretes) = model.settle(t, y).ok()?;
        self.study.hold_discretes(&discretes);
        Some(Chosen { t, y, instead: true })
    }

    /// Whether there are sampled blocks.
    pub(in crate::analyze) fn has_sampled_blocks(&self) -> bool {
        matches!(self.sampled_model(), Ok(Some(_)))
    }

    /// Whether sampled blocks would change at a state what the motion feels.
    pub(in crate::analyze) fn is_unsettled(&self, t: f64, y: &[f64]) -> bool {
        let Ok(Some(mut model)) = self.sampled_model() else { return false };
        model.is_settled(t, y).is_ok_and(|settled| !settled)
    }

    /// The linear system with its sampled blocks, between the inputs of the question and the outputs
    /// named.
    pub fn sampled_system(
        &self,
        (t, y): (f64, &[f64]),
        options: &LinearOptions,
        outputs: &[String],
    ) -> Result<Option<SampledSystem>, Problem> {
        let Some(mut model) = self.sampled_model()? else { return Ok(None) };
        model.system(t, y, (options, outputs, Kept::Seen)).map(Some).map_err(Problem::failed)
    }

    /// The poles of the closed loop with its sampled blocks about a state, for programs and in lines for
    /// people; nothing where there are no such blocks.
    pub fn sampled_poles(&self, t: f64, y: &[f64]) -> Result<Option<(Value, String)>, Problem> {
        let Some(mut model) = self.sampled_model()? else { return Ok(None) };
        let options = LinearOptions::default();
        let found = model.system(t, y, (&options, &[], Kept::Felt)).map_err(Problem::failed)?;
        if found.system.flow().n_states() == 0 {
            return Ok(None);
        }
        let (z, s, verdict) = found.stability().map_err(Problem::failed)?;
        let numbers =
            |list: &[cardan::control::Complex]| list.iter().map(|z| json!([z.re, z.im])).collect::<Vec<_>>();
        let facts = json!({
            "blocks": found.blocks,
            "period": found.system.period(),
            "multipliers": numbers(&z),
            "poles": numbers(&s),
            "stability": verdict.name(),
        });
        let mut lines =
            format!("  with sampled blocks, every {} s: {}\n", number(found.system.period()), verdict.name());
        lines += &format!("    z = {}\n", list(&z));
        lines += &format!("    s = ln z / T = {} [1/s]\n", list(&s));
        Ok(Some((facts, lines)))
    }

    /// Warns that sampled blocks do nothing in what follows, if there are any.
    pub fn warn_of_frozen_blocks(&self, terminal: &Terminal) {
        let Ok(Some(model)) = self.sampled_model() else { return };
        let names: Vec<String> = model.block_names().iter().map(|n| format!("`{n}`")).collect();
        terminal.warning(&format!(
            "the sampled blocks {} do nothing here: what they assign is held, and their loop is open. \
             `cardan modes` and `cardan response` have the loop with its samples",
            names.join(", ")
        ));
    }
}
