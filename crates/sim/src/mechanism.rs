//! The program as the right-hand side that an integrator asks for.
//!
//! ```text
//! [state]      y = (q, u, s, W)      coordinates, speeds, auxiliary states, works of non-conservative loads
//! [rate]       ẏ = (q̇, u̇, ṡ, P)      from one run of the program's stages `time` to `motion`
//! [norm]       e ← e / |e|           Euler parameters after each step
//! [limit]      ẏ = (ẏ(t + ε) + ẏ(t - ε)) / 2    in a singular position, where ẏ is 0/0
//! [onto]       q ← q + δq, u ← u + δu    until the residuals of the constraints are at rounding level
//! ```

use cardan_base::Id;
use cardan_lower::{CorrectionProgram, Phase};
use cardan_program::{Execute, Stages};
use cardan_solve::{Crossing, Failure, Matrix, Reaction, Segment, System};

use crate::Engine;
use crate::assembly::RowName;
use crate::impulse::Impulses;
use crate::jacobian::ExactJacobian;
use crate::open::short;
use crate::plan::{Plan, stages};
use crate::singular::{Passage, Regularity};
use crate::switching::{Crossings, Modes};

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

/// What pulls a state back onto its constraints.
pub(crate) struct Corrector<'a> {
    program: &'a CorrectionProgram,
    engine: Engine,
    outputs: Vec<f64>,
    /// What limits are multiplied by.
    size: f64,
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

    fn largest(&self, range: &std::ops::Range<usize>) -> f64 {
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
        for _ in 0..2 {
            self.run(Phase::Time, Phase::Motion, inputs)?;
            for (k, (input, output)) in u.clone().zip(program.speeds.clone()).enumerate() {
                y[n + k] += self.outputs[output];
                inputs[input] = y[n + k];
            }
        }
        self.note(inputs)
    }

    /// Notes the residuals of a state.
    fn note(&mut self, inputs: &[f64]) -> Result<(), Failure> {
        self.run(Phase::Time, Phase::Motion, inputs)?;
        self.left.0 = self.left.0.max(self.largest(&self.program.positions));
        self.left.1 = self.left.1.max(self.largest(&self.program.velocities));
        Ok(())
    }
}

const MAX_CORRECTIONS: usize = 8;
/// Residuals below this are rounding, in SI units, in a mechanism of usual size.
const ROUNDING: f64 = 1e-16;
/// A step that opens a loop by more than this was too long, or the constraint has jumped.
const LEAP: f64 = 1e-3;
/// The same where a step may have gone across a switch.
const LEAP_ACROSS: f64 = 0.1;
/// A step that leaves more than this is too long.
const STILL_CLOSED: f64 = 1e-8;

/// Where the exact Jacobian comes from. Most motions never ask for it, so it is made when it is first asked for.
pub(crate) enum Jacobian<'a> {
    /// Nowhere: the integrator takes finite differences.
    Absent,
    /// From here, on demand.
    Source(&'a dyn Fn() -> Option<&'a ExactJacobian>),
    /// Ready, with the memory of its own engine.
    Ready(&'a ExactJacobian, Box<(Engine, Vec<f64>)>),
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

    /// Pulls a state onto its constraints. [onto]
    pub fn onto(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
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
        let slides = self.slide(t, y)?;
        Ok(scaled || slides || self.corrector.is_some())
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
        self.modes.as_ref().is_some_and(|m| m.is_sliding())
    }

    /// Whether a side has been left before this state, so that the motion does not come here.
    pub fn is_beyond_switch(&mut self, t: f64, y: &[f64]) -> Result<bool, Failure> {
        let Some(modes) = &mut self.modes else { return Ok(false) };
        let mut margins = vec![0.0; modes.len()];
        modes.margins(t, y, &mut margins)?;
        Ok(margins.iter().any(|m| *m < 0.0))
    }

    /// Pulls a state onto the surfaces on which it slides; whether there are any.
    pub fn slide(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.modes.as_mut().map_or(Ok(false), |m| m.project(t, y))
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

    /// Takes rates as a limit in this state from now on. [limit]
    pub fn fork_at(&mut self, t: f64, y: &[f64]) {
        self.fork = Some((t, y[..self.plan.states.len()].to_vec()));
    }

    fn is_fork(&self, t: f64, y: &[f64]) -> bool {
        self.fork.as_ref().is_some_and(|(at, place)| *at == t && place[..] == y[..place.len()])
    }
}

/// How far from a singular position its accelerations are looked at, in radians or metres.
const BESIDE: f64 = 1e-4;
/// Accelerations before and after it that differ by more than this part of themselves have no limit in common.
const SAME: f64 = 0.1;

impl Mechanism<'_> {
    /// Rates in a singular position: the mean of those a little before and after it on the same motion, if they agree; else none are
    /// finite. [limit]
    fn limit(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        let found = self.beside(t, y, dy, self.plan.motion)?;
        let rates = self.plan.states.iter().map(|s| s.derivative);
        let rates: Vec<usize> = rates.chain(self.plan.powers.iter().map(|(_, p)| *p)).collect();
        let mean = found.and_then(|[before, after]| {
            let size = rates.iter().fold(0.0, |m: f64, k| m.max(before[*k].abs()).max(after[*k].abs()));
            let agree = rates.iter().all(|k| (before[*k] - after[*k]).abs() <= SAME * (1.0 + size));
            agree.then(|| rates.iter().map(|k| 0.5 * (before[*k] + after[*k])).collect::<Vec<f64>>())
        });
        match mean {
            Some(mean) => dy.copy_from_slice(&mean),
            None => dy[self.plan.n_coordinates..].fill(f64::NAN),
        }
        Ok(())
    }

    /// All outputs of some stages a little before and after a state that moves at these rates, on the constraints; nothing at rest.
    fn beside(
        &mut self,
        t: f64,
        y: &[f64],
        rates: &[f64],
        stages: Stages,
    ) -> Result<Option<[Vec<f64>; 2]>, Failure> {
        let n = self.plan.n_coordinates;
        let fastest = rates[..n].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if !(fastest > 0.0 && fastest.is_finite()) {
            return Ok(None);
        }
        let mut found = [vec![], vec![]];
        for (outputs, step) in found.iter_mut().zip([-BESIDE / fastest, BESIDE / fastest]) {
            let mut place = y.to_vec();
            (0..n).for_each(|k| place[k] += step * rates[k]);
            let left = self.left_open();
            self.project(t + step, &mut place)?;
            if let (Some(corrector), Some(left)) = (&mut self.corrector, left) {
                corrector.left = left;
            }
            self.place(t + step, &place);
            let run = self.engine.run(stages, &self.inputs, &mut self.outputs);
            run.map_err(|e| Failure::recoverable(e.to_string()))?;
            outputs.clone_from(&self.outputs);
        }
        self.place(t, y);
        Ok(Some(found))
    }
}

/// A copy of an engine that has run its setup, and its outputs.
fn set_up(plan: &Plan, engine: &Engine, inputs: &[f64]) -> Result<(Engine, Vec<f64>), Failure> {
    let mut engine = engine.clone();
    let mut outputs = vec![0.0; engine.n_outputs()];
    engine.run(plan.setup, inputs, &mut outputs).map_err(|e| Failure::fatal(e.to_string()))?;
    Ok((engine, outputs))
}

impl System for Mechanism<'_> {
    fn dim(&self) -> usize {
        self.plan.states.len() + self.plan.powers.len()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        if let Some(modes) = &mut self.modes {
            return modes.rates(t, y, dy);
        }
        self.place(t, y);
        let run = self.engine.run(self.plan.motion, &self.inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        let rates = self.plan.states.iter().map(|s| s.derivative);
        let powers = self.plan.powers.iter().map(|(_, p)| *p);
        for (slot, output) in dy.iter_mut().zip(rates.chain(powers)) {
            *slot = self.outputs[output]; // [rate]
        }
        if self.is_fork(t, y) || self.corrector.is_some() && dy.iter().any(|d| !d.is_finite()) {
            self.limit(t, y, dy)?;
        }
        Ok(())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        // On a surface weights depend on the state, too: differences see that.
        if self.is_sliding() {
            return Ok(false);
        }
        // Where the derivative of the frozen program has no value, that of the structure may have one.
        if let Some(modes) = &mut self.modes
            && modes.jacobian(t, y, j)?
            && j.as_slice().iter().all(|x| x.is_finite())
        {
            return Ok(true);
        }
        if let Jacobian::Source(source) = self.jacobian {
            self.jacobian = match source() {
                Some(exact) => {
                    Jacobian::Ready(exact, Box::new(set_up(self.plan, &exact.engine, &self.inputs)?))
                }
                None => Jacobian::Absent,
            };
        }
        self.place(t, y);
        let Jacobian::Ready(exact, memory) = &mut self.jacobian else { return Ok(false) };
        let (engine, outputs) = memory.as_mut();
        let run = engine.run(self.plan.motion, &self.inputs, outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))?;
        j.clear();
        for (k, (row, column)) in exact.pattern.iter().enumerate() {
            j[(*row, *column)] = outputs[exact.first + k];
        }
        // At an edge, such as that of the size of a vector that vanishes, differences see a slope where the derivative has no value.
        Ok(j.as_slice().iter().all(|x| x.is_finite()))
    }

    fn has_margin(&self) -> bool {
        self.regularity.is_some()
    }

    fn margin(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        let n = self.plan.states.len();
        self.regularity.as_mut().map_or(Ok(f64::INFINITY), |r| r.margin(t, &y[..n]))
    }

    fn mark(&mut self) {
        self.regularity.iter_mut().for_each(Regularity::mark);
    }

    fn passed(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let n = self.plan.states.len();
        self.regularity.as_mut().map_or(Ok(()), |r| r.passed(t, &y[..n]))
    }

    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if self.corrector.is_none() || self.struck.is_infinite() {
            return self.onto(t, y);
        }
        let before = y.to_vec();
        let moved = self.onto(t, y)?;
        self.note_impulse(t, &before, y)?;
        Ok(moved)
    }

    fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if self.corrector.is_none() || self.struck.is_infinite() {
            return self.onto(t, y);
        }
        let before = y.to_vec();
        let moved = self.onto(t, y)?;
        // A sample at the instant of an impulse that is still to come shows the speeds before it.
        if self.is_struck(&before, y) {
            y.copy_from_slice(&before);
        }
        Ok(moved)
    }

    fn project_hit(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.meet(t, y)
    }

    fn enter(&mut self, segment: Segment, y: &mut [f64]) -> Result<(), Failure> {
        // Inside the stretch, as evaluations will be.
        let inside = 8.0 * f64::EPSILON * segment.from.abs().max(segment.to.abs());
        let inside = inside.min(0.25 * (segment.to - segment.from).abs());
        let t = segment.from + inside.copysign(segment.to - segment.from);
        if let Some(modes) = &mut self.modes {
            modes.enter(t, y)?;
        }
        // A motion begins on its constraints.
        if std::mem::replace(&mut self.begun, true) { self.strike(t, y) } else { Ok(()) }
    }

    fn n_events(&self) -> usize {
        self.modes.as_ref().map_or(0, |m| m.len())
    }

    fn watches(&self) -> bool {
        self.modes.as_ref().is_some_and(|m| m.watches())
    }

    fn crossing(&self, _event: usize) -> Crossing {
        Crossing::Down
    }

    fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        self.modes.as_mut().map_or(Ok(()), |m| m.margins(t, y, g))
    }

    fn react(&mut self, event: usize, _rising: bool, t: f64, y: &mut [f64]) -> Result<Reaction, Failure> {
        self.modes.as_mut().map_or(Ok(()), |m| m.cross(event, t, y))?;
        self.strike(t, y)?;
        Ok(Reaction::Restart)
    }

    fn has_stretches(&self) -> bool {
        self.modes.as_ref().is_some_and(|m| m.has_stretches())
    }

    fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Failure> {
        self.modes.as_mut().map_or(Ok(1.0), |m| m.passable(from, to))
    }
}

/// Switches and margins of a mechanism, for systems that hold it as `mechanism` and watch for nothing else.
macro_rules! watched_by_mechanism {
    () => {
        fn has_margin(&self) -> bool {
            self.mechanism.has_margin()
        }
        fn margin(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
            self.mechanism.margin(t, y)
        }
        fn mark(&mut self) {
            self.mechanism.mark();
        }
        fn passed(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
            self.mechanism.passed(t, y)
        }
        fn enter(&mut self, segment: cardan_solve::Segment, y: &mut [f64]) -> Result<(), Failure> {
            self.mechanism.enter(segment, y)
        }
        fn n_events(&self) -> usize {
            self.mechanism.n_events()
        }
        fn watches(&self) -> bool {
            self.mechanism.watches()
        }
        fn crossing(&self, event: usize) -> cardan_solve::Crossing {
            self.mechanism.crossing(event)
        }
        fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
            self.mechanism.events(t, y, g)
        }
        fn react(
            &mut self,
            event: usize,
            rising: bool,
            t: f64,
            y: &mut [f64],
        ) -> Result<cardan_solve::Reaction, Failure> {
            self.mechanism.react(event, rising, t, y)
        }
        fn has_stretches(&self) -> bool {
            self.mechanism.has_stretches()
        }
        fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Failure> {
            self.mechanism.passable(from, to)
        }
    };
}
pub(crate) use watched_by_mechanism;

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
    use super::*;

    #[test]
    fn euler_parameters_come_back_to_unit_norm() {
        let mut y = [9.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(normalise(&mut y, &[1, 2, 3, 4]).unwrap(), 2.0);
        assert_eq!(y, [9.0, 0.5, 0.5, 0.5, 0.5]);
        assert!(normalise(&mut [0.0; 4], &[0, 1, 2, 3]).is_err());
    }
}
