//! Motion on surfaces: where both sides of a switch point back to it, the motion stays on it. [slide]
//!
//! A relay that switches by the sign of s = v + 2 x pushes the state onto s = 0 from both sides; dry friction brings a block to rest and holds it. To
//! switch ever faster is what a program does; the mechanism slides on the surface, with a force between those of both sides. `filippov` says which
//! surfaces hold the motion and with which weights. While it slides,
//!
//! ```text
//! [slide]      ẏ = f⁻ + Σ α_i d_i with α so that σ̇ = 0;   all other numbers and results are weighted alike
//! [leave]      an event where α_i leaves 0 … 1: the motion goes on above or below
//! [back]       y ← y - Σ δ_i d_i,  A δ = σ    after each step: along the force that switches, so that constraints stay as they are
//! [exact]      a surface on which one state has a given value is kept exactly: a block at rest has speed zero
//! ```
//!
//! [slide] is linear in the weights where switches act independently of one another. Where they do not, the motion is not held, and goes to and fro as before.
//! Switches whose numbers have parallel gradients and vanish together are one surface: `v > 0`, `v < 0` and `sign(v)`.

use cardan_base::Id;
use cardan_program::derive::{self, jacobian_with};
use cardan_program::{Execute, InputId, Math, OutputId, passes};
use cardan_solve::linear::Lu;
use cardan_solve::{Failure, Matrix};

use super::filippov::{Goes, Rates};
use super::modes::{Compiled, Modes, failed};
use super::side::Kind;
use crate::Engine;
use crate::jacobian::{ExactJacobian, JacobianWay};
use crate::slide::Slide;

/// Gradients whose directions differ by less are parallel.
const PARALLEL: f64 = 1e-9;
/// Two numbers that vanish together differ by less than so many times, in the measure of their gradients.
const TOGETHER: f64 = 16.0;
/// A motion that reaches a surface in this part of the whole time is on it.
const ON_SURFACE: f64 = 1e-12;
/// Switches that act together change rates by the sum of what each changes alone, but for this part.
const ADDITIVE: f64 = 1e-9;
/// Corrections of a state onto its surfaces.
const MAX_CORRECTIONS: usize = 4;

/// A switch of a surface: its sides where σ < 0 and where σ > 0.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Member {
    switch: usize,
    below: f64,
    above: f64,
}

/// Switches that change together; σ is the number of the first, from its level.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Surface {
    members: Vec<Member>,
    level: f64,
    /// Since when the motion slides on it.
    since: f64,
}

impl Surface {
    fn leader(&self) -> usize {
        self.members[0].switch
    }
    pub fn has(&self, switch: usize) -> bool {
        self.members.iter().any(|m| m.switch == switch)
    }
}

/// A state on its surfaces: what each side would do.
struct Blend {
    /// Rates and numbers with all switches below, and what each surface changes.
    rates: (Vec<f64>, Vec<Vec<f64>>),
    numbers: (Vec<f64>, Vec<Vec<f64>>),
    /// ∇σ by the states, then ∂σ/∂t.
    gradients: Vec<Vec<f64>>,
    sigma: Vec<f64>,
    on: Rates,
}

impl Blend {
    fn weights(&self) -> Result<Vec<f64>, Failure> {
        let sliding = vec![Goes::Slides; self.sigma.len()];
        self.on.weights(&sliding).ok_or_else(|| Failure::recoverable("nothing tells how a surface holds the motion"))
    }
}

/// a + Σ α_i d_i.
fn weighted(base: &[f64], changes: &[Vec<f64>], alpha: &[f64], out: &mut [f64]) {
    for (k, place) in out.iter_mut().enumerate().take(base.len()) {
        *place = base[k] + changes.iter().zip(alpha).map(|(d, a)| a * d[k]).sum::<f64>();
    }
}

/// The only state on which σ depends, if it is one: then it has a given value. [exact]
fn only_state(gradient: &[f64]) -> Option<usize> {
    let states = &gradient[..gradient.len() - 1];
    let mut there = states.iter().enumerate().filter(|(_, g)| **g != 0.0).map(|(k, _)| k);
    let first = there.next()?;
    there.next().is_none().then_some(first)
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Compiled {
    /// The derivative of the numbers of the switches by states and time; nothing where a function of the host has none.
    pub(super) fn gradient(&self, states: &[InputId], time: InputId) -> Option<&ExactJacobian> {
        let make = || {
            let program = &self.frozen.watch;
            let numbers: Vec<OutputId> = program.outputs().ids().take(self.frozen.switches.len()).collect();
            let inputs: Vec<InputId> = states.iter().copied().chain([time]).collect();
            let options = derive::Options { math: Math::Finite, ..derive::Options::default() };
            let found = jacobian_with(program, &numbers, &inputs, options).ok()?;
            let options = passes::Options { math: Math::Finite, fuse: false };
            let engine = Engine::with_host(&passes::optimize(&found.program, options), self.kind, &self.host);
            Some(ExactJacobian {
                engine: engine.ok()?,
                pattern: found.pattern,
                first: found.first.index(),
                way: JacobianWay::Program,
            })
        };
        self.gradient.get_or_init(make).as_ref()
    }

    /// All results of the simulation program, with sides told.
    pub(super) fn report(&self) -> Option<&Engine> {
        let make = || Engine::with_host(&self.frozen.report, self.kind, &self.host).ok();
        self.report.get_or_init(make).as_ref()
    }
}

impl Modes<'_> {
    /// Whether the motion slides on a surface.
    pub fn is_sliding(&self) -> bool {
        !self.surfaces.is_empty()
    }

    /// The gradients of the numbers at the state that is placed, by states and time; nothing where they are not known.
    fn gradients(&mut self) -> Result<Option<Vec<Vec<f64>>>, Failure> {
        if self.gradient.is_none() {
            let states: Vec<InputId> = self.plan.states.iter().map(|s| InputId::from_index(s.input)).collect();
            let Some(exact) = self.compiled.gradient(&states, self.plan.time) else { return Ok(None) };
            let mut engine = exact.engine.clone();
            let mut outputs = vec![0.0; engine.n_outputs()];
            engine.run(self.plan.setup, &self.inputs, &mut outputs).map_err(failed)?;
            self.gradient = Some((exact, engine, outputs));
        }
        let Some((exact, engine, outputs)) = &mut self.gradient else { return Ok(None) };
        engine.run(self.plan.motion, &self.inputs, outputs).map_err(failed)?;
        let mut rows = vec![vec![0.0; self.plan.states.len() + 1]; self.sides.len()];
        for (k, (row, column)) in exact.pattern.iter().enumerate() {
            rows[*row][*column] = outputs[exact.first + k];
        }
        Ok(rows.iter().flatten().all(|g| g.is_finite()).then_some(rows))
    }

    /// The sides of a switch around the place where its number is, and that place; nothing where it has no two sides.
    fn around(&self, k: usize) -> Option<(f64, f64, f64)> {
        let w = self.numbers[k];
        match &self.compiled.frozen.switches[k].kind {
            Kind::Below { .. } => Some((1.0, 0.0, 0.0)),
            Kind::Factor | Kind::Sign => Some((-1.0, 1.0, 0.0)),
            // It holds for an instant only, which is no side.
            Kind::Zero { opposite } => {
                let side = f64::from(u8::from(*opposite));
                Some((side, side, 0.0))
            }
            Kind::Whole => Some((w.round() - 1.0, w.round(), w.round())),
            Kind::Pieces { knots, .. } => {
                let near = |a: &usize, b: &usize| (knots[*a] - w).abs().total_cmp(&(knots[*b] - w).abs());
                let knot = (0..knots.len()).min_by(near)?;
                Some((knot as f64, knot as f64 + 1.0, knots[knot]))
            }
            Kind::Angle | Kind::Knots { .. } => None,
        }
    }

    /// The surface of a switch that is at its end, with all switches that end together with it.
    fn surface_of(&self, k: usize, gradients: &[Vec<f64>], t: f64) -> Option<Surface> {
        let (below, above, level) = self.around(k)?;
        let (size, sigma) = (norm(&gradients[k]), self.numbers[k] - level);
        if size == 0.0 || self.free[k] {
            return None;
        }
        let mut surface = Surface { members: vec![Member { switch: k, below, above }], level, since: t };
        for j in (0..self.len()).filter(|j| *j != k && !self.free[*j]) {
            let Some((below, above, level)) = self.around(j) else { continue };
            let (other, along) = (norm(&gradients[j]), dot(&gradients[j], &gradients[k]));
            let parallel = other > 0.0 && along.abs() >= (1.0 - PARALLEL) * other * size;
            let together = (self.numbers[j] - level).abs() * size <= TOGETHER * sigma.abs() * other;
            if parallel && together && !self.is_member(j) {
                let (below, above) = if along > 0.0 { (below, above) } else { (above, below) };
                surface.members.push(Member { switch: j, below, above });
            }
        }
        Some(surface)
    }

    fn is_member(&self, k: usize) -> bool {
        self.surfaces.iter().any(|s| s.has(k))
    }

    fn tell(&mut self, surface: &Surface, is_above: bool) {
        for member in &surface.members {
            self.set(member.switch, if is_above { member.above } else { member.below });
        }
    }

    /// Both sides of all surfaces at the state that is placed; the sides are left below.
    fn blend(&mut self, surfaces: &[Surface]) -> Result<Blend, Failure> {
        surfaces.iter().for_each(|s| self.tell(s, false));
        self.run()?;
        self.look_plainly()?;
        let (rates, numbers) = (self.rates.clone(), self.numbers.clone());
        let unknown = || Failure::recoverable("a surface has no gradient here");
        let all = self.gradients()?.ok_or_else(unknown)?;
        let gradients: Vec<Vec<f64>> = surfaces.iter().map(|s| all[s.leader()].clone()).collect();
        let (mut changes, mut shifts) = (vec![], vec![]);
        for surface in surfaces {
            self.tell(surface, true);
            self.run()?;
            self.look_plainly()?;
            self.tell(surface, false);
            changes.push(self.rates.iter().zip(&rates).map(|(a, b)| a - b).collect::<Vec<f64>>());
            shifts.push(self.numbers.iter().zip(&numbers).map(|(a, b)| a - b).collect::<Vec<f64>>());
        }
        if rates.iter().chain(changes.iter().flatten()).any(|x| !x.is_finite()) {
            return Err(Failure::recoverable("rates beside a surface are not finite"));
        }
        let (n, n_states) = (surfaces.len(), self.plan.states.len());
        let mut a = Matrix::zeros(n, n);
        for (i, gradient) in gradients.iter().enumerate() {
            changes.iter().enumerate().for_each(|(j, d)| a[(i, j)] = dot(&gradient[..n_states], d));
        }
        let b = gradients.iter().map(|g| g[n_states] + dot(&g[..n_states], &rates)).collect();
        let sigma = surfaces.iter().map(|s| numbers[s.leader()] - s.level).collect();
        self.numbers.copy_from_slice(&numbers);
        Ok(Blend { rates: (rates, changes), numbers: (numbers, shifts), gradients, sigma, on: Rates { a, b } })
    }

    /// The same for the surfaces on which the motion slides, with its weights.
    fn sliding_blend(&mut self) -> Result<(Blend, Vec<f64>), Failure> {
        let surfaces = std::mem::take(&mut self.surfaces);
        let found = self.blend(&surfaces);
        self.surfaces = surfaces;
        let blend = found?;
        let alpha = blend.weights()?;
        Ok((blend, alpha))
    }

    /// Numbers on the surfaces, at the state that is placed.
    pub(super) fn look_sliding(&mut self) -> Result<(), Failure> {
        let (blend, alpha) = self.sliding_blend()?;
        weighted(&blend.numbers.0, &blend.numbers.1, &alpha, &mut self.numbers);
        self.alpha = alpha;
        Ok(())
    }

    /// Rates on the surfaces, at the state that is placed. [slide], [exact]
    pub(super) fn rates_sliding(&mut self, dy: &mut [f64]) -> Result<(), Failure> {
        let (blend, alpha) = self.sliding_blend()?;
        weighted(&blend.rates.0, &blend.rates.1, &alpha, dy);
        for gradient in &blend.gradients {
            if let Some(k) = only_state(gradient) {
                dy[k] = -gradient[gradient.len() - 1] / gradient[k];
            }
        }
        Ok(())
    }

    /// How far the weight of a surface is from its bounds; nothing for a switch that leads none. [leave]
    pub(super) fn weight_margin(&self, k: usize) -> Option<f64> {
        let place = self.surfaces.iter().position(|s| s.has(k))?;
        let leads = self.surfaces[place].leader() == k;
        Some(if leads { self.alpha[place].min(1.0 - self.alpha[place]) } else { 1.0 })
    }

    /// Pulls a state onto its surfaces. [back]
    pub fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if !self.is_sliding() {
            return Ok(false);
        }
        for _ in 0..MAX_CORRECTIONS {
            self.place(t, y);
            let (blend, _) = self.sliding_blend()?;
            if blend.sigma.iter().all(|s| *s == 0.0) {
                break;
            }
            let mut delta = blend.sigma.clone();
            let factors = Lu::new(&blend.on.a);
            factors.ok_or_else(|| Failure::recoverable("surfaces do not hold the motion"))?.solve(&mut delta);
            let exact: Vec<(usize, f64)> = blend
                .gradients
                .iter()
                .zip(&blend.sigma)
                .filter_map(|(g, s)| only_state(g).map(|k| (k, y[k] - s / g[k])))
                .collect();
            for (d, delta) in blend.rates.1.iter().zip(&delta) {
                y.iter_mut().zip(d).for_each(|(y, d)| *y -= delta * d);
            }
            exact.into_iter().for_each(|(k, value)| y[k] = value);
        }
        self.place(t, y);
        Ok(true)
    }

    /// A motion begins at the state that is placed: surfaces on which it is may hold it, those that did and others.
    pub(super) fn begin_sliding(&mut self, t: f64, before: Vec<Surface>) -> Result<(), Failure> {
        let at_end = |m: &Self, k: usize| m.around(k).is_some_and(|(.., level)| m.numbers[k] == level);
        let starts: Vec<usize> = (0..self.len()).filter(|k| at_end(self, *k)).collect();
        if !self.may_slide || starts.is_empty() && before.is_empty() {
            before.iter().for_each(|s| self.note(s, t));
            return Ok(());
        }
        let gradients = self.gradients()?;
        let mut found: Vec<Surface> = vec![];
        if let Some(gradients) = gradients {
            let ended = before.iter().map(|s| (s.leader(), Some(s)));
            for (k, old) in ended.chain(starts.into_iter().map(|k| (k, None))) {
                if found.iter().any(|s| s.has(k)) {
                    continue;
                }
                if let Some(surface) = self.surface_of(k, &gradients, old.map_or(t, |s| s.since)) {
                    found.push(surface);
                }
            }
        }
        let kept = self.hold_on(found)?;
        let ended = |s: &&Surface| !kept.iter().any(|k| k.has(s.leader()));
        before.iter().filter(ended).for_each(|s| self.note(s, t));
        self.surfaces = kept;
        Ok(())
    }

    /// Those of some surfaces on which the motion stays; switches of the others are told where it goes on.
    fn hold_on(&mut self, mut surfaces: Vec<Surface>) -> Result<Vec<Surface>, Failure> {
        let sides = self.sides.clone();
        let restore = |m: &mut Self, s: &Surface| s.members.iter().for_each(|x| m.set(x.switch, sides[x.switch]));
        loop {
            if surfaces.is_empty() {
                return Ok(surfaces);
            }
            let blend = self.blend(&surfaces)?;
            let far = ON_SURFACE * self.span;
            let holds = |i: usize| {
                blend.on.attracts(i) && blend.sigma[i].abs() <= far * blend.on.a[(i, i)].abs()
            };
            let Some(i) = (0..surfaces.len()).find(|i| !holds(*i)) else {
                if !self.acts_by_sum(&surfaces, &blend)? {
                    surfaces.iter().for_each(|s| restore(self, s));
                    return Ok(vec![]);
                }
                let Some(goes) = blend.on.resolve() else {
                    surfaces.iter().for_each(|s| restore(self, s));
                    return Ok(vec![]);
                };
                let mut kept = vec![];
                for (surface, goes) in surfaces.into_iter().zip(goes) {
                    match goes {
                        Goes::Slides => kept.push(surface),
                        goes => {
                            self.tell(&surface, goes == Goes::Above);
                            self.changed.extend(surface.members.iter().map(|m| m.switch));
                        }
                    }
                }
                return Ok(kept);
            };
            let surface = surfaces.remove(i);
            restore(self, &surface);
        }
    }

    /// Whether surfaces act together as the sum of what each does alone.
    fn acts_by_sum(&mut self, surfaces: &[Surface], blend: &Blend) -> Result<bool, Failure> {
        if surfaces.len() < 2 {
            return Ok(true);
        }
        surfaces.iter().for_each(|s| self.tell(s, true));
        self.run()?;
        surfaces.iter().for_each(|s| self.tell(s, false));
        let mut sum = vec![0.0; self.rates.len()];
        weighted(&blend.rates.0, &blend.rates.1, &vec![1.0; surfaces.len()], &mut sum);
        let size = |k: usize| {
            blend.rates.0[k].abs() + blend.rates.1.iter().map(|d| d[k].abs()).sum::<f64>() + f64::MIN_POSITIVE
        };
        Ok((0..sum.len()).all(|k| (self.rates[k] - sum[k]).abs() <= ADDITIVE * size(k)))
    }

    /// The integrator stands at the end of a side: the motion slides on from here, or not. The switch has changed its side already.
    pub(super) fn meet_surface(&mut self, k: usize, t: f64) -> Result<(), Failure> {
        if !self.may_slide {
            return Ok(());
        }
        let before = std::mem::take(&mut self.surfaces);
        let mut all = before.clone();
        if let Some(gradients) = self.gradients()?
            && let Some(surface) = self.surface_of(k, &gradients, t)
        {
            all.push(surface);
        }
        self.surfaces = match self.hold_on(all) {
            Ok(kept) => kept,
            Err(failure) if failure.recoverable => vec![],
            Err(failure) => return Err(failure),
        };
        let surfaces = self.surfaces.clone();
        let ended = |s: &&Surface| !surfaces.iter().any(|k| k.has(s.leader()));
        before.iter().filter(ended).for_each(|s| self.note(s, t));
        self.changed.extend(surfaces.iter().flat_map(|s| &s.members).map(|m| m.switch));
        Ok(())
    }

    /// The weight of a surface has left its bounds: the motion goes on beside it, and may leave others. [leave]
    pub(super) fn leave_surface(&mut self, k: usize, t: f64) -> Result<(), Failure> {
        let Some(place) = self.surfaces.iter().position(|s| s.leader() == k) else { return Ok(()) };
        let (blend, alpha) = self.sliding_blend()?;
        let surface = self.surfaces.remove(place);
        self.note(&surface, t);
        self.tell(&surface, alpha[place] > 0.5);
        self.changed.extend(surface.members.iter().map(|m| m.switch));
        self.just_left.push((k, 64.0 * f64::EPSILON * blend.on.a[(place, place)].abs() * self.span.max(t.abs())));
        let before = std::mem::take(&mut self.surfaces);
        self.surfaces = self.hold_on(before.clone())?;
        let kept = self.surfaces.clone();
        let ended = |s: &&Surface| !kept.iter().any(|k| k.has(s.leader()));
        before.iter().filter(ended).for_each(|s| self.note(s, t));
        Ok(())
    }

    /// Remembers a stretch of sliding that has ended.
    fn note(&mut self, surface: &Surface, t: f64) {
        let switch = &self.compiled.frozen.switches[surface.leader()];
        let slide = Slide {
            surface: switch.surface.words(surface.level),
            sticks: switch.surface.sticks,
            from: surface.since,
            to: t,
        };
        // A stretch that a new start has cut in two is one.
        match self.crossings.slides.iter_mut().rev().find(|s| s.surface == slide.surface) {
            Some(last) if slide.from == last.to => last.to = t,
            _ if slide.to > slide.from => self.crossings.slides.push(slide),
            _ => {}
        }
    }

    /// Ends all stretches where the motion ends.
    pub fn finish(&mut self, t: f64) {
        let surfaces = std::mem::take(&mut self.surfaces);
        surfaces.iter().for_each(|s| self.note(s, t));
        self.crossings.slides.sort_by(|a, b| a.from.total_cmp(&b.from));
    }

    /// All results at a state on surfaces: what sides tell as numbers is weighted, so that what follows from it is right too; results of sides that
    /// are told as truths are weighted themselves.
    pub fn report(&mut self, t: f64, y: &[f64], outputs: &mut [f64]) -> Result<bool, Failure> {
        if let Some(shown) = &self.shown
            && self.follows
        {
            let (sides, surfaces) = shown.borrow().clone();
            self.surfaces = surfaces;
            if self.surfaces.is_empty() {
                return Ok(false);
            }
            sides.iter().enumerate().for_each(|(k, side)| self.set(k, *side));
        }
        let Some(engine) = self.compiled.report().filter(|_| self.is_sliding()) else { return Ok(false) };
        self.place(t, y);
        let (_, alpha) = self.sliding_blend()?;
        let mut engine = engine.clone();
        let surfaces = self.surfaces.clone();
        let mut run = |m: &Self| -> Result<Vec<f64>, Failure> {
            let mut found = vec![0.0; outputs.len()];
            engine.run(m.plan.setup, &m.inputs, &mut found).map_err(failed)?;
            engine.run(m.plan.report, &m.inputs, &mut found).map_err(failed)?;
            Ok(found)
        };
        let switches = &self.compiled.frozen.switches;
        let is_number = |m: &&Member| {
            matches!(switches[m.switch].kind, Kind::Sign | Kind::Factor | Kind::Whole)
        };
        for (surface, alpha) in surfaces.iter().zip(&alpha) {
            for member in surface.members.iter().filter(is_number) {
                self.set(member.switch, member.below + alpha * (member.above - member.below));
            }
        }
        let base = run(self)?;
        let mut changes = vec![];
        for surface in &surfaces {
            let truths: Vec<&Member> = surface.members.iter().filter(|m| !is_number(m)).collect();
            truths.iter().for_each(|m| self.set(m.switch, m.above));
            let found = if truths.is_empty() { base.clone() } else { run(self)? };
            truths.iter().for_each(|m| self.set(m.switch, m.below));
            changes.push(found.iter().zip(&base).map(|(a, b)| a - b).collect());
        }
        weighted(&base, &changes, &alpha, outputs);
        surfaces.iter().for_each(|s| self.tell(s, false));
        Ok(true)
    }

    /// Lets whoever shows results know how the motion goes on.
    pub(super) fn show(&self) {
        if let Some(shown) = &self.shown {
            *shown.borrow_mut() = (self.sides.clone(), self.surfaces.clone());
        }
    }
}
