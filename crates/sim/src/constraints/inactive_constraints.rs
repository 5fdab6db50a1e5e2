//! Constraints that say nothing at the values with which the equations were derived, and may say something at others: `c (q1 - q2)` with c = 0.

use cardan_program::{Host, Unbound};

use cardan_assembly::assemble::{Loops, assemble};
use cardan_assembly::assembly_error::AssemblyError;
use cardan_compile::formalism_selection::ChosenLoops;
use cardan_jit::{Engine, EngineKind};

/// The rows of a model none of which was kept.
#[derive(Clone, Debug)]
pub(crate) struct Silent {
    loops: Loops,
    assembly: Engine,
    dropped: Vec<usize>,
}

impl Silent {
    /// Nothing if some row was kept, or if all hold by algebra, whatever the values.
    pub fn of(found: Option<&ChosenLoops>, host: &Host) -> Result<Option<Silent>, Unbound> {
        let Some(found) = found.filter(|f| f.correction.is_none() && !f.dropped.is_empty()) else {
            return Ok(None);
        };
        let assembly = Engine::with_host(&found.loops.closure.program, EngineKind::Interpreter, host)?;
        Ok(Some(Silent { loops: found.loops.clone(), assembly, dropped: found.dropped.clone() }))
    }

    /// What they say with these values, in words; nothing if they still say nothing.
    pub fn breaks(&self, inputs: &[f64], from: f64) -> Result<Option<String>, AssemblyError> {
        let mut inputs = inputs.to_vec();
        self.loops.set_time(&mut inputs, from);
        Ok(assemble(&self.loops, &self.assembly, &inputs)?.unforeseen(&self.loops, &self.dropped))
    }
}
