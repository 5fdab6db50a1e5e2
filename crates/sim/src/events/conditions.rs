//! Which conditions hold, and what blocks change.
//!
//! A comparison has a number `g` and holds where `g` is negative. Whether it holds is remembered, and changes only for a
//! reason: the integrator has seen the root, the clock has passed it, or a block has changed its number. So a rounding
//! error at the very root cannot make an event happen twice. Comparisons of the clock alone are not watched: when each switches next is
//! known ([`Timed`]).

use cardan_base::Id;
use cardan_lower::{EventPlace, EventProgram, Happens, Holds, Phase, Watch};
use cardan_model::Target;
use cardan_program::{Execute, Stages};
use cardan_solve::Failure;

use crate::events::event_time::{Beat, are_one};
use crate::events::reset::Jump;
use crate::events::time_events::Timed;
use cardan_jit::Engine;
use cardan_lower::stages;

/// No sampled block happens more often than this in one motion.
const MAX_SAMPLES_OF_BLOCK: f64 = 1e7;

/// What a motion remembers of its conditions and blocks from one instant to the next.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ConditionMemory {
    /// Per comparison its number, or for a clock its switching time.
    pub numbers: Vec<f64>,
    /// Per comparison whether it holds.
    pub holds: Vec<bool>,
    /// Per event whether its condition held.
    pub held: Vec<bool>,
    /// Per sampled block the number of the next sample.
    pub samples: Vec<f64>,
    /// The discrete states.
    pub discretes: Vec<f64>,
}

/// The conditions and blocks of a model at work.
pub struct Logic<'a> {
    pub(crate) program: &'a EventProgram,
    engine: Engine,
    pub(crate) inputs: Vec<f64>,
    pub(crate) outputs: Vec<f64>,
    motion: Stages,
    report: Stages,
    /// The comparisons that the integrator watches.
    pub(crate) roots: Vec<usize>,
    /// Per comparison its number, or for a clock its switching time, as last computed.
    numbers: Vec<f64>,
    /// Per comparison whether it holds.
    holds: Vec<bool>,
    /// Per event whether its condition held when it was last looked at.
    held: Vec<bool>,
    /// Comparisons of functions of the clock.
    timed: Vec<Timed>,
    /// Sampled blocks.
    beats: Vec<Beat>,
    /// The time at the start.
    from: f64,
    /// Why the last block ends the run, if it does.
    pub(super) stop: Option<&'a str>,
    /// What the last block has really assigned, with the values.
    assigned: Vec<(Target, f64)>,
}

impl<'a> Logic<'a> {
    /// With the parameters among `inputs`; the discrete states get their start.
    pub fn new(
        program: &'a EventProgram,
        engine: &Engine,
        mut inputs: Vec<f64>,
        from: f64,
    ) -> Result<Self, Failure> {
        let mut engine = engine.clone();
        inputs.resize(program.program.inputs().len(), 0.0);
        let mut outputs = vec![0.0; engine.n_outputs()];
        let setup = stages(&program.program, Phase::Setup, Phase::Setup);
        engine.run(setup, &inputs, &mut outputs).map_err(|e| Failure::fatal(e.to_string()))?;
        for (input, output) in program.inputs.discretes.clone().zip(program.start.clone()) {
            inputs[input] = outputs[output];
        }
        let mut beats = vec![];
        for (k, event) in program.events.iter().enumerate() {
            let Happens::Every { period, offset } = event.happens else { continue };
            let (period, offset) = (outputs[period], outputs[offset]);
            if !(period > 0.0 && period.is_finite() && offset.is_finite()) {
                let name = &event.name;
                return Err(Failure::fatal(format!(
                    "the period of `{name}` is {period} s from {offset} s on"
                )));
            }
            beats.push(Beat::new(k, period, offset, from));
        }
        let timed = Timed::all(program);
        let root = |(k, c): (usize, &cardan_lower::Comparison)| {
            let watched = matches!(c.watch, Watch::Root(_)) && !timed.iter().any(|t| t.comparison == k);
            watched.then_some(k)
        };
        Ok(Logic {
            motion: stages(&program.program, Phase::Time, Phase::Motion),
            report: stages(&program.program, Phase::Time, Phase::Report),
            roots: program.comparisons.iter().enumerate().filter_map(root).collect(),
            numbers: vec![f64::NAN; program.comparisons.len()],
            holds: vec![false; program.comparisons.len()],
            held: vec![false; program.events.len()],
            timed,
            beats,
            from,
            stop: None,
            assigned: vec![],
            program,
            engine,
            inputs,
            outputs,
        })
    }

    /// What is remembered of the conditions and blocks.
    pub(crate) fn memory(&self) -> ConditionMemory {
        ConditionMemory {
            numbers: self.numbers.clone(),
            holds: self.holds.clone(),
            held: self.held.clone(),
            samples: self.beats.iter().map(Beat::count).collect(),
            discretes: self.discretes().to_vec(),
        }
    }

    /// Goes on where a motion of the same model was.
    pub(crate) fn recall(&mut self, memory: &ConditionMemory) {
        self.numbers.copy_from_slice(&memory.numbers);
        self.holds.copy_from_slice(&memory.holds);
        self.held.copy_from_slice(&memory.held);
        self.beats.iter_mut().zip(&memory.samples).for_each(|(beat, k)| beat.resume(*k));
        self.inputs[self.program.inputs.discretes.clone()].copy_from_slice(&memory.discretes);
    }

    /// The motion goes on until this time.
    pub fn until(&mut self, to: f64) {
        self.timed.iter_mut().for_each(|timed| timed.to = to);
    }

    /// Refuses sampled blocks that happen too often until this time.
    pub fn check_samples(&self, to: f64) -> Result<(), Failure> {
        let too_many = self.beats.iter().find(|beat| beat.left(to) > MAX_SAMPLES_OF_BLOCK);
        too_many.map_or(Ok(()), |beat| {
            Err(Failure::fatal(format!(
                "`{}` happens {:.1e} times until t = {to} s, and a motion has at most {MAX_SAMPLES_OF_BLOCK:e}; \
                 give it a longer period, or the motion an earlier end",
                self.name(beat.event),
                beat.left(to),
            )))
        })
    }

    /// How many coordinates the state begins with.
    pub fn n_coordinates(&self) -> usize {
        self.program.inputs.coordinates.len()
    }

    /// The discrete states.
    pub fn discretes(&self) -> &[f64] {
        &self.inputs[self.program.inputs.discretes.clone()]
    }
    /// The name of an event.
    pub fn name(&self, event: usize) -> &str {
        &self.program.events[event].name
    }

    fn run(&mut self, stages: Stages, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.inputs[self.program.inputs.time.index()] = t;
        let read = self.program.inputs.state().chain(self.program.given.clone());
        for (input, value) in read.zip(y) {
            self.inputs[input] = *value;
        }
        let run = self.engine.run(stages, &self.inputs, &mut self.outputs);
        run.map_err(|e| Failure::recoverable(e.to_string()))
    }

    /// Everything that is computed in a state.
    pub(crate) fn compute(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.run(self.report, t, y)
    }

    /// How many numbers the integrator watches: those of comparisons, then those that vanish at kinks of them.
    pub fn n_watched(&self) -> usize {
        self.roots.len() + self.program.kinks.len()
    }

    /// The numbers that the integrator watches; zero counts to the side that its comparison says.
    pub fn root_numbers(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        self.run(self.motion, t, y)?;
        for (place, k) in g.iter_mut().zip(&self.roots) {
            let comparison = &self.program.comparisons[*k];
            let Watch::Root(output) = comparison.watch else { continue };
            *place = match (self.outputs[output], comparison.holds) {
                (0.0, Holds::Negative | Holds::Zero) => f64::MIN_POSITIVE,
                (0.0, Holds::NotPositive) => -f64::MIN_POSITIVE,
                (g, _) => g,
            };
        }
        for (place, kink) in g[self.roots.len()..].iter_mut().zip(&self.program.kinks) {
            *place = self.outputs[*kink];
        }
        Ok(())
    }

    /// The integrator has seen the root of this watched comparison; at a kink nothing happens. Whether an event is due now.
    pub fn crossed(&mut self, root: usize, rising: bool) -> bool {
        let Some(comparison) = self.roots.get(root) else { return false };
        self.holds[*comparison] = !rising;
        let mut due = false;
        for (k, event) in self.program.events.iter().enumerate() {
            if let Happens::When(condition) = &event.happens {
                let holds = condition.holds(&self.holds);
                due |= holds && !self.held[k];
                self.held[k] &= holds;
            }
        }
        due
    }

    /// Looks at all comparisons; those whose number has not changed since keep what is known of them.
    pub fn look(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        self.run(self.motion, t, y)?;
        for timed in &mut self.timed {
            self.holds[timed.comparison] = timed.look(self.program, &self.inputs, t);
        }
        for (k, comparison) in self.program.comparisons.iter().enumerate() {
            if self.timed.iter().any(|timed| timed.comparison == k) {
                continue;
            }
            match comparison.watch {
                Watch::Clock { at, after } => {
                    self.numbers[k] = self.outputs[at];
                    let at = self.outputs[at];
                    self.holds[k] = (t >= at || are_one(t, at, self.from)) == after;
                }
                Watch::Root(output) | Watch::Held(output) => {
                    let g = self.outputs[output];
                    if g.to_bits() != self.numbers[k].to_bits() {
                        self.numbers[k] = g;
                        self.holds[k] = match comparison.holds {
                            Holds::Negative => g < 0.0,
                            Holds::NotPositive => g <= 0.0,
                            Holds::Zero => g == 0.0,
                        };
                    }
                }
            }
        }
        Ok(())
    }

    /// As [`look`](Self::look) where the integrator has stopped: what it has seen itself stays.
    pub fn look_after(&mut self, t: f64, y: &[f64], seen: &[usize]) -> Result<(), Failure> {
        let before: Vec<bool> = seen.iter().map(|root| self.holds[self.roots[*root]]).collect();
        self.look(t, y)?;
        for (root, holds) in seen.iter().zip(before) {
            let k = self.roots[*root];
            self.holds[k] = holds;
            // Comparisons of the same number change together: of a gap, and of the coordinate that it is.
            let g = self.numbers[k];
            for j in self.roots.iter().copied().filter(|_| g != 0.0) {
                if self.numbers[j].to_bits() == g.to_bits() {
                    self.holds[j] = holds;
                }
            }
        }
        Ok(())
    }

    /// The first event of the text whose condition has become true.
    pub fn next_event(&mut self) -> Option<usize> {
        let mut first = None;
        for (k, event) in self.program.events.iter().enumerate() {
            let Happens::When(condition) = &event.happens else { continue };
            let holds = condition.holds(&self.holds);
            if holds && !self.held[k] && first.is_none() {
                first = Some(k);
            }
            self.held[k] &= holds;
        }
        if let Some(k) = first {
            self.held[k] = true;
        }
        first
    }

    /// The sampled blocks that are due at a time, in the order of the text; they will be due again a period later.
    pub fn due(&mut self, t: f64) -> Vec<usize> {
        let mut due = vec![];
        for beat in &mut self.beats {
            let at = beat.at();
            if at <= t || are_one(at, t, self.from) {
                due.push(beat.event);
                beat.advance();
            }
        }
        due
    }

    /// The next time at which something is known to happen or to switch.
    pub fn next_time(&self, t: f64) -> f64 {
        let samples = self.beats.iter().map(Beat::at);
        let clocks = self.program.comparisons.iter().zip(&self.numbers);
        let clocks = clocks.filter(|(c, _)| matches!(c.watch, Watch::Clock { .. })).map(|(_, at)| *at);
        let later = |at: &f64| *at > t && !are_one(*at, t, self.from);
        let timed = self.timed.iter().map(|timed| timed.next);
        samples.chain(clocks).chain(timed).filter(later).fold(f64::INFINITY, f64::min)
    }

    /// Coordinates and speeds that the last block has assigned, with their values; known where blocks have marks.
    pub fn assigned(&self) -> &[(Target, f64)] {
        &self.assigned
    }

    /// Lets a block happen: new discrete states here, new states in `y`, what constraints make of them included. Whether `y` has changed.
    pub fn happen(&mut self, event: usize, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        self.compute(t, y)?;
        let program = self.program;
        let place = &program.events[event];
        let first = program.inputs.coordinates.start;
        let jump = program.impact.as_ref().map(|impact| Jump::begin(self, impact, event));
        let before = y.to_vec();
        let ends = |(output, _): &&(usize, String)| self.outputs[*output] != 0.0;
        let stop = place.stops.iter().find(ends).map(|(_, reason)| reason.as_str());
        self.assigned = assigned(&self.outputs, place);
        for (target, output) in &place.assignments {
            let value = self.outputs[*output];
            let (input, name) = match target {
                Target::Discrete(id) => (program.inputs.discretes.start + id.index(), "a discrete state"),
                Target::Coordinate(id) => (program.inputs.coordinates.start + id.index(), "a coordinate"),
                Target::Speed(id) | Target::Overwrite(id) | Target::Struck(id) => {
                    (program.inputs.speeds.start + id.index(), "a speed")
                }
                Target::State(id) => (program.inputs.states.start + id.index(), "a state"),
            };
            if !value.is_finite() {
                let label = &program.program.inputs()[cardan_program::InputId::from_index(input)].label.name;
                let name = match target {
                    // W of [lock] and [impact] vanishes.
                    Target::Struck(_) => {
                        return Err(Failure::fatal(format!(
                            "`{}` takes an impulse without bound: the mechanism is at a dead point, where nothing along this joint can \
                             stop it; lock another joint, or this one a little earlier or later",
                            place.name
                        )));
                    }
                    _ => name,
                };
                let message = format!("`{}` makes `{label}`, {name}, {value}", place.name);
                return Err(Failure::fatal(message));
            }
            self.inputs[input] = value;
            match target {
                Target::Discrete(_) => {}
                Target::Speed(_) if jump.is_some() => {}
                _ => y[input - first] = value,
            }
        }
        if let Some(Err(refused)) = jump.map(|jump| jump.end(self, t, y)) {
            // What was reached is the state before.
            y.copy_from_slice(&before);
            return Err(refused);
        }
        self.stop = stop;
        Ok(before.iter().zip(y).any(|(a, b)| a.to_bits() != b.to_bits()))
    }
}

/// What a block really assigns, by its marks in the state before it.
fn assigned(outputs: &[f64], place: &EventPlace) -> Vec<(Target, f64)> {
    let is_marked = |(_, mark): &&(Target, usize)| outputs[*mark] != 0.0;
    let value = |(target, _): &(Target, usize)| {
        let found = place.assignments.iter().find(|(t, _)| t == target);
        found.map(|(_, output)| (*target, outputs[*output]))
    };
    place.marks.iter().filter(is_marked).filter_map(value).collect()
}
