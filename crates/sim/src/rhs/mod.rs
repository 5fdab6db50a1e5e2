//! The program as the right-hand side that an integrator asks for.
//!
//! ```text
//! [state]      y = (q, u, s, W)      coordinates, speeds, auxiliary states, works of non-conservative loads
//! [rate]       ẏ = (q̇, u̇, ṡ, P)      from one run of the program's stages `time` to `motion`
//! [norm]       e ← e / |e|           Euler parameters after each step
//! ```
//!
//! - `motion`: what integrators ask for; `limit`: rates in a singular position.

pub(crate) mod singular_limit;
pub(crate) mod system;

pub(crate) use crate::rhs::system::watched_by_mechanism;

use cardan_base::Id;
use cardan_program::Execute;
use cardan_solve::{Failure, Method};

use crate::constraints::projection::Corrector;
use crate::events::impulse::Impulses;
use crate::monitors::singularity::{Passage, Regularity};
use crate::nonsmooth::{Crossings, Modes};
use cardan_assembly::assemble::RowName;
use cardan_assembly::assembly_error::short;
use cardan_compile::jacobian::ExactJacobian;
use cardan_compile::layout::Plan;
use cardan_jit::Engine;

/// A mechanism in motion.
pub(crate) struct Mechanism<'a> {
    plan: &'a Plan,
    engine: Engine,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    jacobian: Jacobian<'a>,
    corrector: Option<Corrector<'a>>,
    regularity: Option<Regularity<'a>>,
    /// A state in which rates are taken as a limit: a start in a singular position. [limit]
    fork: Option<(f64, Vec<f64>)>,
    /// The sides of what switches with the state.
    modes: Option<Box<Modes<'a>>>,
    /// Largest departure of Euler parameters from unit norm.
    pub norm_drift: f64,
    /// Whether the motion has begun.
    begun: bool,
    /// Whether another form of the equations keeps the constraints, which may leave them open a little.
    pub drifts: bool,
    /// A change of speeds by a projection of more than this part of them is an impulse.
    pub struck: f64,
    /// When impulses of constraints have brought how much energy, as far as no drive is charged with it.
    pub impulses: Impulses,
}

/// A step that opens a loop by more than this was too long, or the constraint has jumped.
const LEAP: f64 = 1e-3;
/// The same where a step may have gone across a switch.
const LEAP_ACROSS: f64 = 0.1;

/// Where the exact Jacobian comes from. Most motions never ask for it, so it is made when it is first asked for.
pub(crate) enum Jacobian<'a> {
    /// Nowhere: the integrator takes finite differences.
    Absent,
    /// From here, on demand.
    Source(&'a dyn Fn() -> Option<&'a ExactJacobian>),
    /// From here, once differences have taken so many more evaluations.
    Later(&'a dyn Fn() -> Option<&'a ExactJacobian>, usize),
    /// Ready, with the memory of its own engine.
    Ready(&'a ExactJacobian, Box<(Engine, Vec<f64>)>),
}

/// Deriving and compiling an exact Jacobian takes about as long as so many evaluations, of small and of large models.
const DERIVATION: usize = 50_000;

impl<'a> Jacobian<'a> {
    /// The exact one for a method that was asked for. A method that was chosen to save time gets it where differences would cost more than
    /// its derivation; how often is counted, not timed, and does not depend on other motions of the model.
    pub fn from(source: &'a dyn Fn() -> Option<&'a ExactJacobian>, method: Method) -> Jacobian<'a> {
        match method {
            Method::Auto => Jacobian::Later(source, DERIVATION),
            _ => Jacobian::Source(source),
        }
    }
}

impl<'a> Mechanism<'a> {
    /// With the parameters among `inputs`; runs the setup.
    pub fn new(
        plan: &'a Plan,
        engine: &Engine,
        inputs: Vec<f64>,
        jacobian: Jacobian<'a>,
    ) -> Result<Self, Failure> {
        let (engine, outputs) = set_up(plan, engine, &inputs)?;
        Ok(Mechanism {
            plan,
            engine,
            inputs,
            outputs,
            jacobian,
            corrector: None,
            regularity: None,
            fork: None,
            modes: None,
            norm_drift: 0.0,
            begun: false,
            drifts: false,
            struck: f64::INFINITY,
            impulses: Impulses::default(),
        })
    }

    /// What its program computes.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }

    /// The constraint that is open the most, and by how much; nothing without constraints, or where a form lets them drift.
    pub fn widest_gap(&mut self, t: f64, y: &[f64]) -> Result<Option<(RowName, f64)>, Failure> {
        let n = self.plan.states.len();
        match &mut self.regularity {
            Some(regularity) if !self.drifts => regularity.widest(t, &y[..n]).map(Some),
            _ => Ok(None),
        }
    }

    /// Pulls a state onto its constraints, and onto the surfaces on which it slides. [onto]
    pub fn onto(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let closed = self.close(t, y)?;
        Ok(self.slide(t, y)? || closed)
    }

    /// Pulls a state onto its constraints, whatever surfaces hold it.
    pub fn close(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let scaled = self.scale_quadruples(y)?;
        if self.corrector.is_some() {
            self.place(t, y);
        }
        // A step may go across a switch before that is located.
        let limit = match &self.modes {
            _ if self.drifts => f64::INFINITY,
            Some(_) => LEAP_ACROSS,
            None => LEAP.max(self.struck),
        };
        let Mechanism { corrector, inputs, .. } = self;
        if let Some(corrector) = corrector
            && let Err(failure) = corrector.apply(inputs, y, limit)
        {
            return Err(self.named(t, y, failure, limit));
        }
        Ok(scaled || self.corrector.is_some())
    }

    /// A failure of a projection, with the constraint that is open.
    fn named(&mut self, t: f64, y: &[f64], failure: Failure, limit: f64) -> Failure {
        let n = self.plan.states.len();
        match self.regularity.as_mut().map(|r| r.widest(t, &y[..n])) {
            Some(Ok((row, gap))) => {
                let unit = if row.unit == "1" { String::new() } else { format!(" {}", row.unit) };
                let leaps = if gap > limit { ", and no motion can follow a position that jumps" } else { "" };
                let message =
                    format!("`{}` opens by {}{unit} ({}){leaps}", row.constraint, short(gap), row.what);
                Failure { message, ..failure }
            }
            _ => failure,
        }
    }

    /// Whether constraints are kept by projection.
    pub fn is_corrected(&self) -> bool {
        self.corrector.is_some()
    }

    /// Keeps the motion on its constraints.
    pub fn correct_by(&mut self, corrector: Corrector<'a>, regularity: Regularity<'a>) {
        self.corrector = Some(corrector);
        self.regularity = Some(regularity);
    }

    /// Freezes what switches with the state, and lets the integrator locate it.
    pub fn freeze(&mut self, modes: Modes<'a>) {
        self.modes = Some(Box::new(modes));
    }

    /// What switches with the state.
    pub fn modes(&mut self) -> Option<&mut Modes<'a>> {
        self.modes.as_deref_mut()
    }

    /// Whether the motion stays where sides of a switch meet.
    pub fn is_sliding(&self) -> bool {
        self.modes.as_ref().is_some_and(|m| m.is_sliding() || m.is_held())
    }

    /// Whether a side has been left before this state, so that the motion does not come here.
    pub fn is_beyond_switch(&mut self, t: f64, y: &[f64]) -> Result<bool, Failure> {
        let Some(modes) = &mut self.modes else { return Ok(false) };
        let mut margins = vec![0.0; modes.n_events()];
        modes.margins(t, y, &mut margins)?;
        Ok(margins.iter().any(|m| *m < 0.0))
    }

    /// Pulls a state onto the surfaces on which it slides; whether there are any.
    pub fn slide(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.modes.as_mut().map_or(Ok(false), |m| m.project(t, y))
    }

    /// An event or an impulse `at` an instant has moved the state, looked at a time `t`, perhaps off a surface on which it slid.
    pub fn moved(&mut self, at: f64, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.modes.as_mut().map_or(Ok(()), |m| m.moved(at, t, y))
    }

    /// What came of the switches of a motion that ended at a time.
    pub fn crossings(&mut self, t: f64) -> Crossings {
        let Some(modes) = &mut self.modes else { return Crossings::default() };
        modes.finish(t);
        std::mem::take(&mut modes.crossings)
    }

    /// Looks at the size of the mechanism in an assembled state.
    pub fn measure(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.take_as_regular(t, y)?;
        let size = self.size();
        self.corrector.iter_mut().for_each(|c| c.size = size);
        Ok(())
    }

    /// What limits for lengths are multiplied by.
    pub fn size(&self) -> f64 {
        self.regularity.as_ref().map_or(1.0, Regularity::size)
    }

    /// Euler parameters to unit norm; whether there are any. [norm]
    pub fn scale_quadruples(&mut self, y: &mut [f64]) -> Result<bool, Failure> {
        for quadruple in &self.plan.unit_quadruples {
            let norm = normalise(y, quadruple)?;
            self.norm_drift = self.norm_drift.max((norm - 1.0).abs());
        }
        Ok(!self.plan.unit_quadruples.is_empty())
    }

    /// Residuals of position and velocity that another way of closing the loops left after a step.
    pub fn note_residuals(&mut self, left: (f64, f64)) {
        if let Some(corrector) = &mut self.corrector {
            corrector.left = (corrector.left.0.max(left.0), corrector.left.1.max(left.1));
        }
    }

    /// Takes a position as an ordinary one.
    pub fn take_as_regular(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let n = self.plan.states.len();
        self.regularity.as_mut().map_or(Ok(()), |r| r.start(t, &y[..n]))
    }

    /// The singular positions that the motion went through.
    pub fn passages(&mut self) -> Vec<Passage> {
        self.regularity.as_mut().map(|r| std::mem::take(&mut r.met)).unwrap_or_default()
    }

    /// The singular position that keeps a motion from going on in this state, if it is one.
    pub fn blamed(&mut self, t: f64, y: &[f64]) -> Option<Passage> {
        let n = self.plan.states.len();
        self.regularity.as_mut().and_then(|r| r.blamed(t, &y[..n]))
    }

    /// Largest residuals of position and velocity that were left after a step; nothing for a tree.
    pub fn left_open(&self) -> Option<(f64, f64)> {
        self.corrector.as_ref().map(|c| c.left)
    }

    /// The states at the start, works excluded.
    pub fn start(&self) -> Vec<f64> {
        self.plan.states.iter().map(|s| self.outputs[s.start]).collect()
    }

    fn place(&mut self, t: f64, y: &[f64]) {
        self.inputs[self.plan.time.index()] = t;
        for (slot, value) in self.plan.states.iter().zip(y) {
            self.inputs[slot.input] = *value;
        }
    }

    /// Gives an input that is no state its value from now on.
    pub fn give(&mut self, input: usize, value: f64) {
        self.inputs[input] = value;
    }

    /// What the last run gave.
    pub fn outputs(&self) -> &[f64] {
        &self.outputs
    }

    /// Looks how far a state that was closed otherwise leaves the loops open.
    pub fn note_open(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.place(t, y);
        let Mechanism { corrector, inputs, .. } = self;
        corrector.as_mut().map_or(Ok(()), |c| c.note(inputs))
    }

    /// Gives the discrete states their values from now on.
    pub fn hold(&mut self, discretes: &[f64]) {
        for ((_, input), value) in self.plan.discretes.iter().zip(discretes) {
            self.inputs[*input] = *value;
        }
        if let Some(modes) = &mut self.modes {
            modes.hold(discretes);
        }
    }

    /// Kinetic and potential energy at a state.
    pub fn energy(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        let plan = self.plan;
        let out = self.report(t, y)?;
        Ok(out[plan.kinetic] + out[plan.gravity] + plan.potentials.iter().map(|(_, p)| out[*p]).sum::<f64>())
    }

    /// The derivatives of the speeds at a state, as results show them.
    pub fn accelerations(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>, Failure> {
        let plan = self.plan;
        let speeds = &plan.states[plan.n_coordinates..plan.n_coordinates + plan.n_speeds];
        let out = self.report(t, y)?;
        Ok(speeds.iter().map(|s| out[s.derivative]).collect())
    }

    /// The sizes of all energies at a state, whatever their signs; zero where they are not finite.
    pub fn stored(&mut self, t: f64, y: &[f64]) -> f64 {
        let plan = self.plan;
        let energies =
            [plan.kinetic, plan.gravity].into_iter().chain(plan.potentials.iter().map(|(_, p)| *p));
        let size = self.report(t, y).map_or(0.0, |out| energies.map(|k| out[k].abs()).sum::<f64>());
        if size.is_finite() { size } else { 0.0 }
    }

    /// All outputs of the program at a state.
    pub fn report(&mut self, t: f64, y: &[f64]) -> Result<&[f64], Failure> {
        if let Some(modes) = &mut self.modes
            && modes.report(t, y, &mut self.outputs)?
        {
            return Ok(&self.outputs);
        }
        self.place(t, y);
        let run = self.engine.run(self.plan.report, &self.inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        if self.is_fork(t, y) {
            let rates: Vec<f64> = self.plan.states.iter().map(|s| self.outputs[s.derivative]).collect();
            if let Some([before, after]) = self.beside(t, y, &rates, self.plan.report)? {
                self.outputs = before.iter().zip(after).map(|(a, b)| 0.5 * (a + b)).collect();
            }
        }
        Ok(&self.outputs)
    }
}

/// A copy of an engine that has run its setup, and its outputs.
fn set_up(plan: &Plan, engine: &Engine, inputs: &[f64]) -> Result<(Engine, Vec<f64>), Failure> {
    let mut engine = engine.clone();
    let mut outputs = vec![0.0; engine.n_outputs()];
    engine.run(plan.setup, inputs, &mut outputs).map_err(|e| Failure::fatal(e.to_string()))?;
    Ok((engine, outputs))
}

/// Scales four numbers to unit norm and gives the norm they had. [norm]
pub(crate) fn normalise(y: &mut [f64], quadruple: &[usize; 4]) -> Result<f64, Failure> {
    let norm = quadruple.iter().map(|k| y[*k] * y[*k]).sum::<f64>().sqrt();
    if !(norm > 0.0 && norm.is_finite()) {
        return Err(Failure::recoverable("Euler parameters that all vanish describe no orientation"));
    }
    quadruple.iter().for_each(|k| y[*k] /= norm);
    Ok(norm)
}

#[cfg(test)]
mod tests {
    use crate::rhs::*;

    #[test]
    fn euler_parameters_come_back_to_unit_norm() {
        let mut y = [9.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(normalise(&mut y, &[1, 2, 3, 4]).unwrap(), 2.0);
        assert_eq!(y, [9.0, 0.5, 0.5, 0.5, 0.5]);
        assert!(normalise(&mut [0.0; 4], &[0, 1, 2, 3]).is_err());
    }
}
