//! Motion on surfaces: where both sides of a switch point back to it, the motion stays on it. [slide]
//!
//! A relay that switches by the sign of s = v + 2 x pushes the state onto s = 0 from both sides; dry friction brings a block to rest and holds it. To
//! switch ever faster is what a program does; the mechanism slides on the surface, with a force between those of both sides. `filippov` says which
//! surfaces hold the motion and with which weights. While it slides,
//!
//! ```text
//! [slide]      ẏ = f⁻ + Σ α_i d_i with α so that σ̇ = 0;   all other numbers and results are weighted alike
//! [let-go]     an event where α_i leaves 0 … 1: the motion goes on above or below
//! [back]       y ← y - Σ δ_i d_i,  A δ = σ    after each step: along the force that switches, so that constraints stay as they are
//! [borne]      a surface that the weights of others keep is left alone, its own weight at a bound; all that are held are resolved again where one of those weights ends
//! [exact]      a surface on which one state has a given value is kept exactly: a block at rest has speed zero
//! ```
//!
//! [slide] is linear in the weights where switches act independently of one another. Where they do not, as friction by a reaction
//! that depends on the friction, a sign between -1 and 1 is told instead of a mixture of both sides:
//!
//! ```text
//! [sign]       σ̇(s) = 0 with signs s = -1 + 2 α by Newton's method; rates and numbers are those of these signs
//! [static]     where a law asks whether the speed is zero, it is on the surface and not beside it: a level of friction at rest
//! ```
//!
//! Where a switch that is no sign acts on others, the motion is not held, and goes to and fro as before.
//! Switches whose numbers have parallel gradients and vanish together are one surface: `v > 0`, `v < 0` and `sign(v)`.

use cardan_base::Id;
use cardan_program::{Execute, InputId, OutputId};
use cardan_solve::{Failure, Matrix};

use crate::nonsmooth::filippov::{Goes, Rates};
use crate::nonsmooth::modes::{Compiled, Modes, failed};
use cardan_compile::jacobian::ExactJacobian;
use cardan_jit::Engine;

/// A surface on which the motion rests because others hold it there is left where its rate is more than this part of what makes it up.
const RESTING: f64 = 1e-6;
/// Steps towards the weights of surfaces that act on one another, how far these are taken beyond their bounds, over which part of
/// them slopes are taken, and when they are found. [sign]
const MAX_REFINEMENTS: usize = 12;
const WITHIN: f64 = 0.5;
const REACH: f64 = 1e-4;
const REFINED: f64 = 1e-14;
/// Corrections of a state onto its surfaces.
const MAX_CORRECTIONS: usize = 4;

/// A switch of a surface: its sides where σ < 0 and where σ > 0.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Member {
    pub switch: usize,
    pub below: f64,
    pub above: f64,
    /// The side while the surface holds the motion, where it is another. [static]
    pub held: Option<f64>,
}

/// Switches that change together; σ is the number of the first, from its level.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Surface {
    pub(crate) members: Vec<Member>,
    pub(crate) level: f64,
    /// Whether its own weight holds it there, or those of others. [vertex]
    pub(crate) goes: Goes,
    /// Since when the motion slides on it.
    pub(crate) since: f64,
    /// Whether signs are told instead of mixing sides. [sign]
    pub(crate) signed: bool,
}

impl Surface {
    /// A surface of which only its first switch is known: one that held a motion before.
    pub(crate) fn led_by(switch: usize, since: f64) -> Surface {
        let members = vec![Member { switch, below: 0.0, above: 1.0, held: None }];
        Surface { members, level: f64::NAN, goes: Goes::Slides, since, signed: false }
    }
    pub(crate) fn leader(&self) -> usize {
        self.members[0].switch
    }
    pub fn has(&self, switch: usize) -> bool {
        self.members.iter().any(|m| m.switch == switch)
    }
}

/// A state on its surfaces: what each side would do.
pub(crate) struct Blend {
    /// Rates and numbers with all switches below, and what each surface changes.
    pub rates: (Vec<f64>, Vec<Vec<f64>>),
    numbers: (Vec<f64>, Vec<Vec<f64>>),
    /// ∇σ by the states, then ∂σ/∂t.
    gradients: Vec<Vec<f64>>,
    pub sigma: Vec<f64>,
    pub on: Rates,
}

impl Blend {
    pub fn weights(&self, surfaces: &[Surface]) -> Result<Vec<f64>, Failure> {
        let goes: Vec<Goes> = surfaces.iter().map(|s| s.goes).collect();
        self.on.weights(&goes).ok_or_else(|| {
            Failure::recoverable("what holds the motion, dry friction or a relay, is not determined here")
        })
    }
}

/// a + Σ α_i d_i.
pub(crate) fn weighted(base: &[f64], changes: &[Vec<f64>], alpha: &[f64], out: &mut [f64]) {
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

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Compiled {
    /// The derivative of the numbers of the switches by states and time; nothing where a function of the host has none.
    pub(crate) fn gradient(&self, states: &[InputId], time: InputId) -> Option<&ExactJacobian> {
        let make = || {
            let program = &self.frozen.watch;
            let watched = self.frozen.switches.len() + self.frozen.discs.len();
            let numbers: Vec<OutputId> = program.outputs().ids().take(watched).collect();
            let inputs: Vec<InputId> = states.iter().copied().chain([time]).collect();
            ExactJacobian::of_program(program, &numbers, &inputs, false, (self.kind, &self.host))
        };
        self.gradient.get_or_init(make).as_ref()
    }

    /// All results of the simulation program, with sides told.
    pub(crate) fn report(&self) -> Option<&Engine> {
        let make = || Engine::with_host(&self.frozen.report, self.kind, &self.host).ok();
        self.report.get_or_init(make).as_ref()
    }
}

impl Modes<'_> {
    /// Whether the motion slides on a surface.
    pub fn is_sliding(&self) -> bool {
        !self.surfaces.is_empty()
    }

    /// Computes the gradients of the numbers at the state that is placed, by states and time; `false` where they are not known.
    pub(crate) fn run_gradient(&mut self) -> Result<bool, Failure> {
        if self.gradient.is_none() {
            let states: Vec<InputId> =
                self.plan.states.iter().map(|s| InputId::from_index(s.input)).collect();
            let Some(exact) = self.compiled.gradient(&states, self.plan.time) else { return Ok(false) };
            let mut engine = exact.engine.clone();
            let mut outputs = vec![0.0; engine.n_outputs()];
            engine.run(self.plan.setup, &self.inputs, &mut outputs).map_err(failed)?;
            self.gradient = Some((exact, engine, outputs));
        }
        let Some((_, engine, outputs)) = &mut self.gradient else { return Ok(false) };
        engine.run(self.plan.motion, &self.inputs, outputs).map_err(failed)?;
        Ok(true)
    }

    /// The gradients as rows.
    pub(crate) fn gradients(&mut self) -> Result<Option<Vec<Vec<f64>>>, Failure> {
        if !self.run_gradient()? {
            return Ok(None);
        }
        let n = self.n_events();
        let Some((exact, _, outputs)) = &self.gradient else { return Ok(None) };
        let mut rows = vec![vec![0.0; self.plan.states.len() + 1]; n];
        for (k, (row, column)) in exact.pattern.iter().enumerate() {
            rows[*row][*column] = outputs[exact.first + k];
        }
        Ok(rows.iter().flatten().all(|g| g.is_finite()).then_some(rows))
    }

    /// The motion goes on beside a surface.
    pub(crate) fn tell(&mut self, surface: &Surface, is_above: bool) {
        for member in &surface.members {
            self.set(member.switch, if is_above { member.above } else { member.below });
        }
    }

    /// The motion is held on a surface, with so much of what is above it. [static]
    pub(crate) fn tell_held(&mut self, surface: &Surface, alpha: f64) {
        for member in &surface.members {
            let between = member.below + alpha * (member.above - member.below);
            self.set(member.switch, member.held.unwrap_or(between));
        }
    }

    /// Both sides of all surfaces at the state that is placed; the sides are left below.
    pub(crate) fn blend(&mut self, surfaces: &[Surface]) -> Result<Blend, Failure> {
        self.blend_about(surfaces, &vec![0.0; surfaces.len()], 1.0)
    }

    /// What surfaces change per unit of weight, from weights on and over a `reach` of them: exact over all of it where they act by
    /// sums, and near to these weights otherwise. The sides are left below.
    fn blend_about(&mut self, surfaces: &[Surface], from: &[f64], reach: f64) -> Result<Blend, Failure> {
        let friction = self.held_friction(surfaces)?;
        surfaces.iter().zip(from).for_each(|(s, alpha)| self.tell_held(s, *alpha));
        self.run_told(friction.as_ref())?;
        self.look_plainly()?;
        let (mut rates, mut numbers) = (self.rates.clone(), self.numbers.clone());
        let Some(all) = self.gradients()? else {
            return Err(self.unresolved(surfaces, "what switches there has no gradient"));
        };
        let gradients: Vec<Vec<f64>> = surfaces.iter().map(|s| all[s.leader()].clone()).collect();
        let (mut changes, mut shifts) = (vec![], vec![]);
        for (surface, alpha) in surfaces.iter().zip(from) {
            self.tell_held(surface, alpha + reach);
            self.run_told(friction.as_ref())?;
            self.look_plainly()?;
            self.tell_held(surface, *alpha);
            let slope = |(a, b): (&f64, &f64)| (a - b) / reach;
            changes.push(self.rates.iter().zip(&rates).map(slope).collect::<Vec<f64>>());
            shifts.push(self.numbers.iter().zip(&numbers).map(slope).collect::<Vec<f64>>());
        }
        // Where the weights are zero.
        let back: Vec<f64> = from.iter().map(|alpha| -alpha).collect();
        for (base, changes) in [(&mut rates, &changes), (&mut numbers, &shifts)] {
            let there = base.clone();
            weighted(&there, changes, &back, base);
        }
        surfaces.iter().for_each(|s| self.tell_held(s, 0.0));
        if rates.iter().chain(changes.iter().flatten()).any(|x| !x.is_finite()) {
            return Err(self.unresolved(surfaces, "the rates beside it are not finite"));
        }
        let (n, n_states) = (surfaces.len(), self.plan.states.len());
        let mut a = Matrix::zeros(n, n);
        for (i, gradient) in gradients.iter().enumerate() {
            changes.iter().enumerate().for_each(|(j, d)| a[(i, j)] = dot(&gradient[..n_states], d));
        }
        let b = gradients.iter().map(|g| g[n_states] + dot(&g[..n_states], &rates)).collect();
        let sigma = surfaces.iter().map(|s| numbers[s.leader()] - s.level).collect();
        self.numbers.copy_from_slice(&numbers);
        Ok(Blend {
            rates: (rates, changes),
            numbers: (numbers, shifts),
            gradients,
            sigma,
            on: Rates { a, b },
        })
    }

    /// The same for the surfaces on which the motion slides, with its weights.
    pub(crate) fn sliding_blend(&mut self) -> Result<(Blend, Vec<f64>), Failure> {
        let surfaces = std::mem::take(&mut self.surfaces);
        let mut found = self.blend(&surfaces).and_then(|blend| self.refined(&surfaces, blend));
        if found.as_ref().is_err_and(|failure| failure.recoverable) {
            // Beyond the end of another side, which is not located yet. [undefined]
            let sides = self.sides.clone();
            let beside = |k: usize| !surfaces.iter().any(|s| s.has(k));
            if self.follow(&beside).is_ok() && self.sides != sides {
                found = self.blend(&surfaces).and_then(|blend| self.refined(&surfaces, blend));
            }
            (0..sides.len()).for_each(|k| self.set(k, sides[k]));
        }
        self.surfaces = surfaces;
        found
    }

    /// Why surfaces on which a motion is cannot be told to hold it or not.
    fn unresolved(&self, surfaces: &[Surface], why: &str) -> Failure {
        let words = |s: &Surface| self.compiled.frozen.switches[s.leader()].surface.words(s.level);
        let names: Vec<String> = surfaces.iter().map(|s| format!("`{}`", words(s))).collect();
        Failure::recoverable(format!(
            "nothing tells whether the motion stays where {}: {why}; where friction acts, give it the direction in which the bodies \
             slide (`tangent = …`)",
            names.join(", ")
        ))
    }

    /// The weights of surfaces, and what they change near to these. [sign]
    pub(crate) fn refined(
        &mut self,
        surfaces: &[Surface],
        mut blend: Blend,
    ) -> Result<(Blend, Vec<f64>), Failure> {
        let mut alpha = blend.weights(surfaces)?;
        if !surfaces.iter().any(|s| s.signed) {
            return Ok((blend, alpha));
        }
        for _ in 0..MAX_REFINEMENTS {
            let near: Vec<f64> = alpha.iter().map(|a| a.clamp(-WITHIN, 1.0 + WITHIN)).collect();
            blend = self.blend_about(surfaces, &near, REACH)?;
            let next = blend.weights(surfaces)?;
            let change = next.iter().zip(&alpha).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            alpha = next;
            if change <= REFINED {
                break;
            }
        }
        Ok((blend, alpha))
    }

    /// Numbers on the surfaces, at the state that is placed.
    pub(crate) fn look_sliding(&mut self) -> Result<(), Failure> {
        let (blend, alpha) = self.sliding_blend()?;
        weighted(&blend.numbers.0, &blend.numbers.1, &alpha, &mut self.numbers);
        let margin = |i: usize, surface: &Surface| match surface.goes {
            Goes::Rests { above } => {
                let away = blend.on.surface_rate(i, &alpha) * if above { 1.0 } else { -1.0 };
                RESTING - away / blend.on.scale(i).max(f64::MIN_POSITIVE)
            }
            _ => alpha[i].min(1.0 - alpha[i]),
        };
        self.weight_margins = self.surfaces.iter().enumerate().map(|(i, s)| margin(i, s)).collect();
        Ok(())
    }

    /// Rates on the surfaces, at the state that is placed. [slide], [exact]
    pub(crate) fn rates_sliding(&mut self, dy: &mut [f64]) -> Result<(), Failure> {
        let (blend, alpha) = self.sliding_blend()?;
        weighted(&blend.rates.0, &blend.rates.1, &alpha, dy);
        for gradient in &blend.gradients {
            if let Some(k) = only_state(gradient) {
                dy[k] = -gradient[gradient.len() - 1] / gradient[k];
            }
        }
        Ok(())
    }

    /// How far the weight of a surface is from its bounds; nothing for a switch that leads none. [let-go]
    pub(crate) fn weight_margin(&self, k: usize) -> Option<f64> {
        let place = self.surfaces.iter().position(|s| s.has(k))?;
        let leads = self.surfaces[place].leader() == k;
        Some(if leads { self.weight_margins[place] } else { 1.0 })
    }

    /// Pulls a state onto its surfaces. [back]
    pub fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let held = self.project_discs(t, y)?;
        if !self.is_sliding() {
            return Ok(held);
        }
        for _ in 0..MAX_CORRECTIONS {
            self.place(t, y);
            let (blend, _) = self.sliding_blend()?;
            if blend.sigma.iter().all(|s| *s == 0.0) {
                break;
            }
            let slides = |i: &usize| self.surfaces[*i].goes == Goes::Slides && !blend.on.is_powerless(*i);
            let sliding: Vec<usize> = (0..self.surfaces.len()).filter(slides).collect();
            let sigma: Vec<f64> = sliding.iter().map(|i| blend.sigma[*i]).collect();
            let delta = blend.on.hold(&sliding, &sigma);
            let delta = delta.ok_or_else(|| Failure::recoverable("surfaces do not hold the motion"))?;
            let exact: Vec<(usize, f64)> = blend
                .gradients
                .iter()
                .zip(&blend.sigma)
                .filter_map(|(g, s)| only_state(g).map(|k| (k, y[k] - s / g[k])))
                .collect();
            for (d, delta) in sliding.iter().map(|i| &blend.rates.1[*i]).zip(&delta) {
                y.iter_mut().zip(d).for_each(|(y, d)| *y -= delta * d);
            }
            exact.into_iter().for_each(|(k, value)| y[k] = value);
        }
        self.place(t, y);
        Ok(true)
    }
}
