//! A row of the table of a complete program: the columns of a run, in the units in which a run shows them.
//!
//! ```text
//! [balance]  B = T + V - W - J - I      kinetic and potential energies, works of loads and drives, work of events, of impulses
//! [gain]     J ← J + (T + V) after a block - (T + V) before
//! ```
//!
//! B stays as it is; the last column shows how much it differs from its first value.

use cardan_codegen::Memory;
use cardan_compile::Plan;
use cardan_program::{InputId, Label, OutputId, Program, ValueId};
use cardan_sim::{ColumnKind, columns};

use crate::error::Error;
use crate::functions::{setup, time};
use crate::link::Composer;

/// What the columns are made of.
pub(crate) struct Row<'r> {
    pub plan: &'r Plan,
    /// The outputs of the program of motion.
    pub values: &'r [ValueId],
    /// Works since the start.
    pub works: &'r [(ValueId, InputId)],
    /// The work of events since the start; nothing where they do none.
    pub gained: Option<(ValueId, InputId)>,
    /// What impulses have brought since the start, if no drive alone bears it.
    pub impulses: Option<(ValueId, InputId)>,
}

impl Row<'_> {
    /// The columns after the time.
    pub fn write(&self, composer: &mut Composer) -> Vec<OutputId> {
        let plan = self.plan;
        let state = composer.states.iter().chain(&composer.discretes);
        let mut all: Vec<ValueId> = state.map(|i| composer.builder.input_value(*i)).collect();
        all.extend(plan.outputs.iter().map(|(_, k)| self.values[*k]));
        all.extend(self.energies());
        let works = self.works.iter().chain(&self.gained).map(|(value, _)| *value);
        all.extend(works.clone());
        let mut balance = self.energy(composer, self.values);
        for work in works.chain(self.impulses.map(|(value, _)| value)) {
            balance = composer.builder.sub(balance, work); // [balance]
        }
        all.push(balance);
        let mut outputs = vec![];
        for (column, value) in columns(plan).iter().filter(|c| c.kind != ColumnKind::Time).zip(all) {
            let label = Label::new(&column.name, &column.unit, &column.description);
            let value = if column.scale == 1.0 {
                value
            } else {
                let scale = composer.builder.constant(column.scale);
                composer.builder.mul(value, scale)
            };
            outputs.push(composer.output(label, value, time()));
        }
        outputs
    }

    /// What remembers the work of events; the state and the discrete states after a block stand `instead` of those before. [gain]
    pub fn gain(
        &self,
        composer: &mut Composer,
        motion: &Program,
        instead: &[(usize, ValueId)],
    ) -> Result<Option<Memory>, Error> {
        let Some((gained, input)) = self.gained else { return Ok(None) };
        let after = composer.add_with(motion, instead, &[], "motion")?;
        let before = self.energy(composer, self.values);
        let after = self.energy(composer, &after);
        let more = composer.builder.sub(after, before);
        let sum = composer.builder.add(gained, more);
        let zero = composer.builder.constant(0.0);
        let label = |name: &str| Label::new(name, "J", "work of events since the start");
        Ok(Some(Memory {
            input,
            start: composer.output(label("start of events.work"), zero, setup()),
            new: composer.output(label("new events.work"), sum, time()),
        }))
    }

    fn energies(&self) -> impl Iterator<Item = ValueId> {
        let places = [self.plan.kinetic, self.plan.gravity].into_iter();
        places.chain(self.plan.potentials.iter().map(|(_, k)| *k)).map(|k| self.values[k])
    }

    /// Kinetic and potential energy, given the outputs of the program of motion.
    pub fn energy(&self, composer: &mut Composer, values: &[ValueId]) -> ValueId {
        let mut sum = composer.builder.add(values[self.plan.kinetic], values[self.plan.gravity]);
        for (_, k) in &self.plan.potentials {
            sum = composer.builder.add(sum, values[*k]);
        }
        sum
    }
}
