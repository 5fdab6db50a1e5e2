//! Results on surfaces, and at the instants between two ways of going on.
//!
//! A row shows what holds from its instant on. It is often asked for before the motion has gone on from there: at the start, where a load switches
//! by the clock, after a block has changed the state. So what the motion shows is taken where it fits the state, and decided anew where it does not:
//!
//! ```text
//! [fits]       σ_i = 0 and 0 ≤ α_i ≤ 1 on all surfaces that are shown
//! [anew]       otherwise, or where another switch is at its end, as where a motion begins: by [side]
//! ```
//!
//! A block that a load has just set moving has speed zero still. Its friction is that of the side to which it goes, not that of sign(0), so the sides
//! are told there too.

use std::cell::RefCell;
use std::rc::Rc;

use cardan_program::Execute;
use cardan_solve::Failure;

use crate::nonsmooth::active_set::SPENT;
use crate::nonsmooth::modes::{Modes, failed};
use crate::nonsmooth::sliding::{Member, Surface, weighted};
use crate::nonsmooth::switch::Kind;

/// The sides of all switches, and the surfaces on which a motion slides, for whoever shows its results.
pub(crate) type Shown = Rc<RefCell<(Vec<f64>, Vec<Surface>)>>;

impl Modes<'_> {
    /// Lets whoever shows results know how the motion goes on.
    pub(crate) fn show(&self) {
        if let Some(shown) = &self.shown {
            *shown.borrow_mut() = (self.sides.clone(), self.surfaces.clone());
        }
    }

    /// All results at a state whose sides are to be told: what sides tell as numbers is weighted, so that what follows from it is right too; results of
    /// sides that are told as truths are weighted themselves. `false` where the state itself says all.
    pub fn report(&mut self, t: f64, y: &[f64], outputs: &mut [f64]) -> Result<bool, Failure> {
        self.place(t, y);
        if self.report_discs(t, outputs)? {
            return Ok(true);
        }
        if !self.is_told(t)? || self.compiled.report().is_none() {
            return Ok(false);
        }
        self.report_told(outputs)?;
        Ok(true)
    }

    /// Whether sides are to be told at the state that is placed.
    pub(super) fn is_told(&mut self, t: f64) -> Result<bool, Failure> {
        if self.follows { self.goes_on(t) } else { Ok(self.is_sliding()) }
    }

    /// All results at the state that is placed, with the sides and the surfaces that are told.
    pub(super) fn report_told(&mut self, outputs: &mut [f64]) -> Result<(), Failure> {
        let Some(engine) = self.compiled.report() else { return Ok(()) };
        let alpha = if self.is_sliding() { self.sliding_blend()?.1 } else { vec![] };
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
            m.held.is_none() && matches!(switches[m.switch].kind, Kind::Sign | Kind::Factor | Kind::Whole)
        };
        let is_truth = |m: &&Member| m.held.is_none() && !is_number(m);
        for (surface, alpha) in surfaces.iter().zip(&alpha) {
            for member in surface.members.iter().filter(is_number) {
                self.set(member.switch, member.below + alpha * (member.above - member.below));
            }
        }
        let base = run(self)?;
        let mut changes = vec![];
        for surface in &surfaces {
            let truths: Vec<&Member> = surface.members.iter().filter(is_truth).collect();
            truths.iter().for_each(|m| self.set(m.switch, m.above));
            let found = if truths.is_empty() { base.clone() } else { run(self)? };
            truths.iter().for_each(|m| self.set(m.switch, m.below));
            changes.push(found.iter().zip(&base).map(|(a, b)| a - b).collect());
        }
        weighted(&base, &changes, &alpha, outputs);
        surfaces.iter().for_each(|s| self.tell_held(s, 0.0));
        Ok(())
    }

    /// How the motion goes on from the state that is placed; whether sides are to be told for that. [fits], [anew]
    fn goes_on(&mut self, t: f64) -> Result<bool, Failure> {
        let Some(shown) = &self.shown else { return Ok(false) };
        let (sides, surfaces) = shown.borrow().clone();
        let fits = !surfaces.is_empty() && self.fits(&sides, &surfaces)?;
        if fits && !(0..self.len()).any(|k| self.is_at_end(k) && !surfaces.iter().any(|s| s.has(k))) {
            return Ok(true);
        }
        self.surfaces.clear();
        if let Err(failure) = self.follow(&|_| true) {
            return if surfaces.is_empty() { Ok(false) } else { Err(failure) };
        }
        let by_state = self.sides.clone();
        let found = self.surfaces_here(t, &surfaces)?;
        let kept = self.hold_on(found)?;
        self.changed.clear();
        let same =
            kept.len() == surfaces.len() && kept.iter().all(|k| surfaces.iter().any(|s| s.has(k.leader())));
        if fits && same {
            // What the motion has shared between surfaces in one of several ways stays so.
            self.take(&sides, &surfaces);
            return Ok(true);
        }
        self.surfaces = kept;
        let differ = self.sides.iter().zip(&by_state).any(|(a, b)| a.to_bits() != b.to_bits());
        Ok(self.is_sliding() || differ)
    }

    /// Takes sides and surfaces; whether they fit the state that is placed, whose numbers are left. [fits]
    fn fits(&mut self, sides: &[f64], surfaces: &[Surface]) -> Result<bool, Failure> {
        self.take(sides, surfaces);
        match self.look_sliding() {
            Err(failure) if failure.recoverable => return Ok(false),
            done => done?,
        }
        let (blend, _) = self.sliding_blend()?;
        let on = |i: usize| self.is_on(blend.sigma[i], blend.on.a[(i, i)]);
        Ok((0..surfaces.len()).all(|i| on(i) && self.weight_margins[i] >= -SPENT))
    }

    fn take(&mut self, sides: &[f64], surfaces: &[Surface]) {
        sides.iter().enumerate().for_each(|(k, side)| self.set(k, *side));
        self.surfaces = surfaces.to_vec();
    }
}
