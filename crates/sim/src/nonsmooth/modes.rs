//! The sides during a motion: kept while the integrator steps, changed where it has located their ends.

use std::sync::OnceLock;

use cardan_base::Id;
use cardan_program::{Execute, Host, InputId, OutputId, Program};
use cardan_solve::{Failure, Matrix};

use crate::events::zeno::Chatter;
use crate::nonsmooth::friction_disc::DiscState;
use crate::nonsmooth::mode_output::Shown;
use crate::nonsmooth::mode_program::Frozen;
use crate::nonsmooth::sliding::Surface;
use crate::nonsmooth::sliding_interval::Slide;
use crate::nonsmooth::switch::{Kind, passable};
use cardan_compile::Plan;
use cardan_compile::jacobian::{ExactJacobian, JacobianWay};
use cardan_jit::{Engine, EngineKind};

/// Frozen programs ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) frozen: Frozen,
    motion: Engine,
    watch: Engine,
    /// Made when a stiff motion first asks for it.
    jacobian: OnceLock<Option<ExactJacobian>>,
    /// Made when a motion first meets the end of a side: the gradient of the numbers, and all results with sides told.
    pub(crate) gradient: OnceLock<Option<ExactJacobian>>,
    pub(crate) report: OnceLock<Option<Engine>>,
    pub(crate) kind: EngineKind,
    pub(crate) host: Host,
}

impl Compiled {
    /// Nothing where nothing in the motion switches with the state.
    pub fn new(program: &Program, plan: &Plan, kind: EngineKind, host: &Host) -> Option<Compiled> {
        let frozen = Frozen::of(program, plan)?;
        Some(Compiled {
            motion: Engine::with_host(&frozen.motion, kind, host).ok()?,
            watch: Engine::with_host(&frozen.watch, kind, host).ok()?,
            frozen,
            jacobian: OnceLock::new(),
            gradient: OnceLock::new(),
            report: OnceLock::new(),
            kind,
            host: host.clone(),
        })
    }

    /// How the Jacobian was found; nothing if no motion so far has asked for it.
    pub fn jacobian_way(&self) -> Option<JacobianWay> {
        let made = self.jacobian.get()?;
        Some(made.as_ref().map_or(JacobianWay::Differences, |exact| exact.way))
    }

    /// The derivative of the frozen program; nothing where a function of the host has none.
    pub fn jacobian(&self, plan: &Plan) -> Option<&ExactJacobian> {
        let make = || {
            let program = &self.frozen.motion;
            let rates: Vec<OutputId> = program.outputs().ids().collect();
            let states: Vec<InputId> = plan.states.iter().map(|s| InputId::from_index(s.input)).collect();
            ExactJacobian::of_program(program, &rates, &states, true, (self.kind, &self.host))
        };
        self.jacobian.get_or_init(make).as_ref()
    }
}

/// What came of the switches of a motion.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Crossings {
    /// How many times one or more switched, each located.
    pub located: usize,
    /// Stretches of time on which the motion stayed on a surface.
    pub slides: Vec<Slide>,
    /// What was said of switches that went to and fro without end, and from when on they were no longer located.
    pub given_up: Vec<(String, f64)>,
}

/// What a motion remembers of its switches at a pause; the sides follow from the state.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ModeMemory {
    /// Switches that follow the state.
    pub free: Vec<bool>,
    /// The first switch of each surface that holds the motion, and since when it does.
    pub surfaces: Vec<(usize, f64)>,
    /// The discs of friction, as numbers.
    pub discs: Vec<Vec<f64>>,
}

/// The sides of the switches, and the engines that depend on them.
pub(crate) struct Modes<'a> {
    pub(crate) compiled: &'a Compiled,
    pub(crate) plan: &'a Plan,
    motion: Engine,
    watch: Engine,
    jacobian: Option<(&'a ExactJacobian, Engine, Vec<f64>)>,
    pub(crate) gradient: Option<(&'a ExactJacobian, Engine, Vec<f64>)>,
    /// Those of the simulation program, then the sides.
    pub(crate) inputs: Vec<f64>,
    pub(crate) rates: Vec<f64>,
    /// Numbers of the switches, then arguments of smooth tables, as last computed.
    pub(crate) numbers: Vec<f64>,
    pub(crate) sides: Vec<f64>,
    /// Switches that follow the state.
    pub(crate) free: Vec<bool>,
    /// What is added to each margin, so that none is negative where the motion starts anew.
    offsets: Vec<f64>,
    /// The switches that have changed their side since the integrator last looked.
    pub(crate) changed: Vec<usize>,
    /// Whether surfaces may hold the motion; those that do, and how far their weights are from letting go.
    pub(crate) may_slide: bool,
    pub(crate) surfaces: Vec<Surface>,
    pub(crate) weight_margins: Vec<f64>,
    /// Velocities along which friction acts.
    pub(super) discs: Vec<DiscState>,
    /// Whether speeds beside rest are looked at, where friction along a velocity has its direction.
    pub(super) is_beside_rest: bool,
    /// v·a of each, as last computed.
    pub(super) disc_numbers: Vec<f64>,
    /// Switches whose surface was just left, and how far beyond it rounding may be.
    pub(crate) just_left: Vec<(usize, f64)>,
    /// Where the sides are shown, and whether they are taken from there.
    pub(crate) shown: Option<Shown>,
    pub(crate) follows: bool,
    /// The side where each was before.
    before: Vec<f64>,
    chatter: Chatter,
    /// The time of the whole motion.
    pub(crate) span: f64,
    pub crossings: Crossings,
}

pub(crate) fn failed(error: cardan_program::EvalError) -> Failure {
    Failure::recoverable(error.to_string())
}

impl<'a> Modes<'a> {
    /// With the parameters among `inputs` of the simulation program; runs the setup.
    /// The motion begins `from` a time, is to last a `span`, and has so much time between two rows.
    pub fn new(
        compiled: &'a Compiled,
        plan: &'a Plan,
        inputs: &[f64],
        (from, span, row): (f64, f64, f64),
    ) -> Result<Self, Failure> {
        let (mut motion, mut watch) = (compiled.motion.clone(), compiled.watch.clone());
        let n = compiled.frozen.switches.len();
        let mut all = vec![0.0; motion.n_inputs()];
        all[..inputs.len()].copy_from_slice(inputs);
        compiled.frozen.discs.iter().for_each(|d| all[d.input] = 1.0);
        let (mut rates, mut numbers) = (vec![0.0; motion.n_outputs()], vec![0.0; watch.n_outputs()]);
        motion.run(plan.setup, &all, &mut rates).map_err(failed)?;
        watch.run(plan.setup, &all, &mut numbers).map_err(failed)?;
        let floors = &numbers[numbers.len() - compiled.frozen.discs.len()..];
        let discs = floors.iter().map(|floor| DiscState::above(*floor)).collect();
        Ok(Modes {
            compiled,
            plan,
            motion,
            watch,
            jacobian: None,
            inputs: all,
            rates,
            numbers,
            sides: vec![f64::NAN; n],
            free: vec![false; n],
            offsets: vec![0.0; n],
            changed: vec![],
            may_slide: false,
            gradient: None,
            surfaces: vec![],
            weight_margins: vec![],
            discs,
            is_beside_rest: false,
            disc_numbers: vec![],
            just_left: vec![],
            shown: None,
            follows: false,
            before: vec![f64::NAN; n],
            chatter: Chatter::new(from, span, row),
            span: span.abs(),
            crossings: Crossings::default(),
        })
    }

    /// What is remembered from one stretch of a motion to the next.
    pub fn memory(&self) -> ModeMemory {
        ModeMemory {
            free: self.free.clone(),
            surfaces: self.surfaces.iter().map(|s| (s.leader(), s.since)).collect(),
            discs: self.discs.iter().map(DiscState::numbers).collect(),
        }
    }

    /// Goes on where a motion of the same model was; surfaces that held it may hold it again.
    pub fn recall(&mut self, memory: &ModeMemory) {
        if memory.free.len() != self.free.len() || memory.discs.len() != self.discs.len() {
            return;
        }
        self.free.copy_from_slice(&memory.free);
        let known = memory.surfaces.iter().filter(|(k, _)| *k < self.sides.len());
        self.surfaces = known.map(|(k, since)| Surface::led_by(*k, *since)).collect();
        self.discs = memory.discs.iter().map(|numbers| DiscState::of_numbers(numbers)).collect();
    }

    /// Lets surfaces hold the motion, and shows the sides here.
    pub fn may_slide(&mut self, shown: Shown) {
        (self.may_slide, self.shown) = (true, Some(shown));
    }

    /// Takes the sides from a motion that shows them here.
    pub fn follow_shown(&mut self, shown: Shown) {
        (self.follows, self.shown) = (true, Some(shown));
    }

    /// How many switches there are.
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    /// How many margins the integrator watches: of switches, then of velocities along which friction acts.
    pub fn n_events(&self) -> usize {
        self.sides.len() + self.discs.len()
    }

    /// Whether some are located still.
    pub fn watches(&self) -> bool {
        self.free.contains(&false) || self.watches_discs()
    }

    /// Whether there are smooth tables.
    pub fn has_stretches(&self) -> bool {
        !self.compiled.frozen.stretches.is_empty()
    }

    /// Gives the discrete states their values from now on.
    pub fn hold(&mut self, discretes: &[f64]) {
        for ((_, input), value) in self.plan.discretes.iter().zip(discretes) {
            self.inputs[*input] = *value;
        }
    }

    pub(crate) fn place(&mut self, t: f64, y: &[f64]) {
        self.inputs[self.plan.time.index()] = t;
        for (slot, value) in self.plan.states.iter().zip(y) {
            self.inputs[slot.input] = *value;
        }
    }

    pub(crate) fn set(&mut self, k: usize, side: f64) {
        let switch = &self.compiled.frozen.switches[k];
        self.sides[k] = side;
        switch.kind.tell(side, &mut self.inputs[switch.input..switch.input + switch.kind.n_inputs()]);
    }

    /// The numbers at the state that is placed.
    fn look(&mut self) -> Result<(), Failure> {
        if self.is_sliding() { self.look_sliding() } else { self.look_plainly() }
    }

    /// The numbers with the sides that were told.
    pub(crate) fn look_plainly(&mut self) -> Result<(), Failure> {
        self.watch.run(self.plan.motion, &self.inputs, &mut self.numbers).map_err(failed)
    }

    fn margin(&self, k: usize) -> f64 {
        if let Some(margin) = self.weight_margin(k) {
            return margin;
        }
        self.compiled.frozen.switches[k].kind.margin(self.sides[k], self.numbers[k])
    }

    /// Lets switches follow the state that is placed. The side of one may decide the number of another, so they are looked at until
    /// nothing changes.
    pub(crate) fn follow(&mut self, which: &dyn Fn(usize) -> bool) -> Result<(), Failure> {
        for _ in 0..=self.len() {
            self.look()?;
            let mut settled = true;
            for k in (0..self.len()).filter(|k| which(*k)) {
                let side = self.compiled.frozen.switches[k].kind.side(self.numbers[k]);
                if !self.numbers[k].is_nan() && side != self.sides[k] {
                    self.set(k, side);
                    settled = false;
                }
            }
            if settled {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn follow_free(&mut self) -> Result<(), Failure> {
        if self.free.contains(&true) {
            let free = self.free.clone();
            self.follow(&|k| free[k])?;
        }
        Ok(())
    }

    /// Counts margins so that none is negative here.
    fn count_from_here(&mut self) {
        for k in 0..self.len() {
            let margin = self.margin(k);
            self.offsets[k] = if margin <= 0.0 { 2.0 * margin.abs() + f64::MIN_POSITIVE } else { 0.0 };
        }
        for (k, rounding) in std::mem::take(&mut self.just_left) {
            self.offsets[k] = self.offsets[k].max(rounding);
        }
    }

    /// A motion begins `at` an instant, and is looked at a time `t` just behind it: all sides follow the state, and surfaces may hold it.
    pub fn enter(&mut self, at: f64, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        self.place(t, y);
        let before = std::mem::take(&mut self.surfaces);
        self.follow(&|_| true)?;
        match self.begin_sliding(at, before.clone()) {
            // A velocity that is exactly zero has no direction: what friction holds is decided first.
            Err(failure) if failure.recoverable && self.hold_resting(at, t, y)? => {
                self.follow(&|_| true)?;
                self.begin_sliding(at, before)?;
            }
            done => done?,
        }
        self.settle_discs(at, t, y)?;
        self.project(t, y)?;
        self.look()?;
        self.count_from_here();
        self.changed.clear();
        self.show();
        Ok(())
    }

    /// The margins, which the integrator watches. [inside]
    pub fn margins(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        self.changed.clear();
        self.place(t, y);
        self.look()?;
        let (sides, discs) = g.split_at_mut(self.sides.len());
        for (k, g) in sides.iter_mut().enumerate() {
            let margin = self.margin(k) + self.offsets[k];
            *g = if self.free[k] || margin.is_nan() { 1.0 } else { margin };
        }
        self.disc_margins(discs)
    }

    /// The integrator has located the end of a side, and stands just behind it.
    pub fn cross(&mut self, k: usize, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if self.changed.is_empty() {
            self.crossings.located += 1;
        }
        if let Some(disc) = k.checked_sub(self.len()) {
            self.cross_disc(disc, t, y)?;
            self.look()?;
            self.count_from_here();
            self.show();
            return Ok(());
        }
        if self.changed.contains(&k) {
            return Ok(());
        }
        self.place(t, y);
        self.look()?;
        let before = self.sides[k];
        if self.surfaces.iter().any(|s| s.has(k)) {
            self.leave_surface(k, t)?;
        } else {
            self.set(k, self.compiled.frozen.switches[k].kind.beyond(before, self.numbers[k]));
            self.changed.push(k);
            self.settle()?;
            self.meet_surface(k, t)?;
        }
        self.project(t, y)?;
        self.settle()?;
        self.show();
        if !self.is_sliding() {
            self.watch_chatter(k, t, before);
        }
        Ok(())
    }

    /// Where a change of side has made others jump, they change too.
    fn settle(&mut self) -> Result<(), Failure> {
        for _ in 0..=self.len() {
            let before = self.numbers.clone();
            self.look()?;
            let mut settled = true;
            for k in 0..self.len() {
                let number = self.numbers[k];
                // One whose end was located stays beyond it, whatever rounding says, unless its number has jumped.
                // An angle jumps by changing its own side.
                let kind = &self.compiled.frozen.switches[k].kind;
                let jumped = *kind != Kind::Angle && number.to_bits() != before[k].to_bits();
                let (margin, side) = (self.margin(k), kind.side(number));
                // What has jumped to the very end of its side, as whole numbers do, may belong to the other one.
                let is_left = margin < 0.0 && (jumped || !self.changed.contains(&k));
                if is_left || (jumped && margin == 0.0 && side != self.sides[k]) {
                    self.set(k, side);
                    self.changed.push(k);
                    settled = false;
                }
            }
            if settled {
                break;
            }
        }
        self.count_from_here();
        Ok(())
    }

    /// Notes a switch that has gone back to where it was before; those that do so without end are no longer located. [to-and-fro]
    fn watch_chatter(&mut self, k: usize, t: f64, left: f64) {
        if self.sides[k] != std::mem::replace(&mut self.before[k], left) {
            return;
        }
        let words = |k: usize| self.compiled.frozen.switches[k].words.clone();
        let Some(verdict) = self.chatter.note(t, k, &words) else { return };
        let endless: Vec<usize> = self.chatter.recent().iter().map(|(k, _)| *k).collect();
        endless.iter().for_each(|k| self.free[*k] = true);
        self.chatter.forget(&|k| endless.contains(&k));
        self.crossings.given_up.push((verdict, t));
    }

    /// The derivatives of the states, then the powers.
    pub fn rates(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        self.place(t, y);
        self.follow_free()?;
        self.follow_discs()?;
        if self.is_held() {
            return self.rates_held(dy);
        }
        if self.is_sliding() {
            return self.rates_sliding(dy);
        }
        let mut run = self.run();
        if run.is_err() || self.rates.iter().any(|r| !r.is_finite()) {
            // [undefined]
            let sides = self.sides.clone();
            if self.follow(&|_| true).is_ok() && self.sides != sides {
                run = self.run();
            }
            (0..sides.len()).for_each(|k| self.set(k, sides[k]));
        }
        run?;
        dy.iter_mut().zip(&self.rates).for_each(|(d, rate)| *d = *rate);
        Ok(())
    }

    /// Rates with the sides that are told, at the state that is placed.
    pub(crate) fn run(&mut self) -> Result<(), Failure> {
        self.run_plainly()?;
        if !self.discs.is_empty() && self.rates.iter().any(|r| !r.is_finite()) {
            self.run_through_rest()?;
        }
        Ok(())
    }

    pub(super) fn run_plainly(&mut self) -> Result<(), Failure> {
        self.motion.run(self.plan.motion, &self.inputs, &mut self.rates).map_err(failed)
    }

    /// Their exact Jacobian; `false` where there is none.
    pub fn jacobian(&mut self, t: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        self.place(t, y);
        self.follow_free()?;
        if self.jacobian.is_none() {
            let Some(exact) = self.compiled.jacobian(self.plan) else { return Ok(false) };
            let mut engine = exact.engine.clone();
            let mut outputs = vec![0.0; engine.n_outputs()];
            engine.run(self.plan.setup, &self.inputs, &mut outputs).map_err(failed)?;
            self.jacobian = Some((exact, engine, outputs));
        }
        let Some((exact, engine, outputs)) = &mut self.jacobian else { return Ok(false) };
        engine.run(self.plan.motion, &self.inputs, outputs).map_err(failed)?;
        j.clear();
        for (k, (row, column)) in exact.pattern.iter().enumerate() {
            j[(*row, *column)] = outputs[exact.first + k];
        }
        Ok(true)
    }

    /// The part of the way that passes over no piece of a smooth table. [stretch]
    pub fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Failure> {
        let n = self.n_events();
        self.place(from.0, from.1);
        self.look()?;
        let before = self.numbers[n..].to_vec();
        self.place(to.0, to.1);
        self.look()?;
        let stretches = self.compiled.frozen.stretches.iter().zip(before.iter().zip(&self.numbers[n..]));
        Ok(stretches.map(|(knots, (a, b))| passable(knots, *a, *b)).fold(1.0, f64::min))
    }
}
