//! What pulls a state back onto its constraints after a step.
//!
//! ```text
//! [onto]       q ← q + δq, u ← u + δu    until the residuals of the constraints are at rounding level
//! ```

use cardan_lower::{CorrectionProgram, Phase};
use cardan_program::Execute;
use cardan_solve::Failure;

use cardan_jit::Engine;
use cardan_lower::stages;

/// What pulls a state back onto its constraints.
pub(crate) struct Corrector<'a> {
    program: &'a CorrectionProgram,
    engine: Engine,
    outputs: Vec<f64>,
    /// What limits are multiplied by.
    pub size: f64,
    /// Largest residuals of position and velocity that were left after a step.
    pub left: (f64, f64),
}

impl<'a> Corrector<'a> {
    /// Runs the setup with the parameters among `inputs`.
    pub fn new(program: &'a CorrectionProgram, engine: &Engine, inputs: &[f64]) -> Result<Self, Failure> {
        let mut engine = engine.clone();
        let mut outputs = vec![0.0; engine.n_outputs()];
        let setup = stages(&program.program, Phase::Setup, Phase::Setup);
        engine.run(setup, inputs, &mut outputs).map_err(|e| Failure::fatal(e.to_string()))?;
        Ok(Corrector { program, engine, outputs, size: 1.0, left: (0.0, 0.0) })
    }

    fn run(&mut self, first: Phase, last: Phase, inputs: &[f64]) -> Result<(), Failure> {
        let range = stages(&self.program.program, first, last);
        let run = self.engine.run(range, inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))
    }

    pub fn largest(&self, range: &std::ops::Range<usize>) -> f64 {
        self.outputs[range.clone()]
            .iter()
            .fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
    }

    /// Newton's method in the metric of the mass matrix: two or three corrections. [onto] A state farther off than `limit` is left alone.
    pub fn apply(&mut self, inputs: &mut [f64], y: &mut [f64], limit: f64) -> Result<(), Failure> {
        let program = self.program;
        let (q, u) = (program.inputs.coordinates.clone(), program.inputs.speeds.clone());
        let n = q.len();
        let mut gap = f64::INFINITY;
        // Whether the program has seen the positions as they are now.
        let mut seen = false;
        for _ in 0..MAX_CORRECTIONS {
            self.run(Phase::Time, Phase::Position, inputs)?;
            let now = self.largest(&program.positions);
            if !now.is_finite() {
                return Err(Failure::recoverable("the constraints have no finite residual"));
            }
            if gap.is_infinite() && now > limit * self.size {
                return Err(Failure::recoverable(format!("a loop opens by {now:.1e}")));
            }
            // Rounding: no correction makes it smaller.
            if now <= ROUNDING * self.size || now >= 0.5 * gap {
                gap = gap.min(now);
                seen = true;
                break;
            }
            gap = now;
            for (k, (input, output)) in q.clone().zip(program.coordinates.clone()).enumerate() {
                y[k] += self.outputs[output];
                inputs[input] = y[k];
            }
        }
        if gap > STILL_CLOSED * self.size {
            return Err(Failure::recoverable(format!("a loop opens by {gap:.1e}")));
        }
        // The first run after the last change of positions computes what depends on them; later ones see other speeds alone.
        let mut first = if seen { Phase::Motion } else { Phase::Time };
        for _ in 0..2 {
            self.run(first, Phase::Motion, inputs)?;
            first = Phase::Motion;
            for (k, (input, output)) in u.clone().zip(program.speeds.clone()).enumerate() {
                y[n + k] += self.outputs[output];
                inputs[input] = y[n + k];
            }
        }
        self.note_from(first, inputs)
    }

    /// Notes the residuals of a state.
    pub fn note(&mut self, inputs: &[f64]) -> Result<(), Failure> {
        self.note_from(Phase::Time, inputs)
    }

    fn note_from(&mut self, first: Phase, inputs: &[f64]) -> Result<(), Failure> {
        self.run(first, Phase::Motion, inputs)?;
        self.left.0 = self.left.0.max(self.largest(&self.program.positions));
        self.left.1 = self.left.1.max(self.largest(&self.program.velocities));
        Ok(())
    }
}

const MAX_CORRECTIONS: usize = 8;
/// Residuals below this are rounding, in SI units, in a mechanism of usual size.
const ROUNDING: f64 = 1e-16;
/// A step that leaves more than this is too long.
const STILL_CLOSED: f64 = 1e-8;
