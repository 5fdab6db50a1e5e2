//! Speeds that change at once: a drive whose rate jumps, a follower that comes to a kink of its curve.
//!
//! ```text
//! [impulse]    M (u⁺ - u⁻) = Gᵀ λ̂,  G u⁺ + b⁺ = 0      the projection of the speeds in the metric of the mass matrix
//! [brought]    ΔE = Σ λ̂_i (ḟ_i⁻ + ḟ_i⁺) / 2            what drives bring; with none of them, what an impact takes away
//! ```
//!
//! Forces that switch are finite, and give no impulse: dry friction that holds a joint lets it go, so the speeds are projected without what surfaces
//! hold. Which of them hold the motion behind the instant is decided there.
//!
//! Positions cannot change at once: a constraint that is open behind such an instant ends the motion.
//!
//! Between such instants a projection corrects no more than errors of integration, and its work is nobody's.

use std::cell::RefCell;
use std::rc::Rc;

use cardan_solve::{Failure, System};

use crate::rhs::Mechanism;
use cardan_assembly::assembly_error::short;
use cardan_base::without_noise;

/// A change of speeds below this part of them is an error of integration, however small the tolerance.
const STRUCK: f64 = 1e-6;
/// An impulse changes speeds by more than so many times the relative tolerance.
const BEYOND_TOLERANCE: f64 = 1e3;
/// A constraint that is open by more than this behind an instant has jumped there, in SI units: before it, it was closed.
const LEAPT: f64 = 1e-5;

/// An instant and a row this close together are one, as parts of the time.
const AT_ONCE: f64 = 1e-10;

/// From which part of the speeds on a change of them is an impulse.
pub fn struck(rtol: f64) -> f64 {
    STRUCK.max(BEYOND_TOLERANCE * rtol)
}

/// When impulses brought how much energy: times in order, each with all that was brought until then. The motion notes, the rows read.
#[derive(Clone, Default, Debug)]
pub(crate) struct Impulses(Rc<RefCell<Vec<(f64, f64)>>>);

impl Impulses {
    /// What has been brought until a time.
    pub fn until(&self, t: f64) -> f64 {
        // A row at the instant itself shows the speeds after it.
        let until = t + AT_ONCE * t.abs().max(1.0);
        let noted = self.0.borrow();
        let n = noted.partition_point(|(at, _)| *at <= until);
        n.checked_sub(1).map_or(0.0, |last| noted[last].1)
    }
    /// Forgets what was tried from a time on: the motion goes on from there.
    fn go_on_from(&self, t: f64) {
        let mut noted = self.0.borrow_mut();
        while noted.last().is_some_and(|(at, _)| *at >= t) {
            noted.pop();
        }
    }
    fn note(&self, t: f64, energy: f64) {
        let mut noted = self.0.borrow_mut();
        let before = noted.last().map_or(0.0, |(_, all)| *all);
        noted.push((t, before + energy));
    }
}

impl Mechanism<'_> {
    /// The state at a time `t` just behind an instant `at` which rates may have jumped: speeds follow, and the energy that this takes is noted.
    pub(crate) fn strike(&mut self, at: f64, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        if !self.is_corrected() {
            return Ok(());
        }
        self.leaps(t, y)?;
        let before = y.to_vec();
        self.close(t, y)?;
        if self.change(&before, y) <= STRUCK {
            y.copy_from_slice(&before);
            return Ok(());
        }
        self.moved(at, t, y)?;
        self.slide(t, y)?;
        self.note_impulse(t, &before, y)
    }

    /// The state at a located switch: what is open there has jumped. Speeds follow.
    pub(crate) fn meet(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if !self.is_corrected() {
            return self.project(t, y);
        }
        self.leaps(t, y)?;
        let before = y.to_vec();
        self.close(t, y)?;
        if self.is_struck(&before, y) {
            self.moved(t, t, y)?;
        }
        self.slide(t, y)?;
        self.note_impulse(t, &before, y)?;
        Ok(true)
    }

    /// Refuses a position that jumps.
    fn leaps(&mut self, t: f64, y: &[f64]) -> Result<(), Failure> {
        let limit = LEAPT.max(self.struck);
        let Some((row, gap)) = self.widest_gap(t, y)?.filter(|(_, gap)| *gap > limit) else { return Ok(()) };
        let unit = if row.unit == "1" { String::new() } else { format!(" {}", row.unit) };
        Err(Failure::fatal(format!(
            "`{}` jumps by {}{unit} at t = {} s ({}), and no motion can follow a position that jumps",
            row.constraint,
            short(gap),
            without_noise(t),
            row.what
        )))
    }

    /// The largest change of a speed, as a part of the fastest one.
    fn change(&self, before: &[f64], after: &[f64]) -> f64 {
        let plan = self.plan();
        let speeds = plan.n_coordinates..plan.n_coordinates + plan.n_speeds;
        let (before, after) = (&before[speeds.clone()], &after[speeds]);
        let fastest = before.iter().chain(after).fold(0.0, |m: f64, u| m.max(u.abs()));
        let change = before.iter().zip(after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        if change == 0.0 { 0.0 } else { change / fastest }
    }

    /// Whether constraints would change the speeds of a state at once.
    pub(crate) fn would_strike(&mut self, t: f64, y: &[f64]) -> bool {
        let mut after = y.to_vec();
        self.is_corrected() && self.onto(t, &mut after).is_ok() && self.change(y, &after) > STRUCK
    }

    /// Whether a projection was an impulse.
    pub(crate) fn is_struck(&self, before: &[f64], after: &[f64]) -> bool {
        self.change(before, after) > self.struck
    }

    /// Notes the energy that a projection has brought, if it was an impulse.
    pub(crate) fn note_impulse(&mut self, t: f64, before: &[f64], y: &mut [f64]) -> Result<(), Failure> {
        self.impulses.go_on_from(t);
        if !self.is_struck(before, y) {
            return Ok(());
        }
        let plan = self.plan();
        let brought = self.energy(t, y)? - self.energy(t, before)?; // [brought]
        // The works of drives come last; where there are several, nothing tells how they share it. Unknowns without derivative come behind.
        let n = y.len().min(plan.states.len() + plan.powers.len());
        match (plan.n_drives, y[..n].last_mut()) {
            (1, Some(work)) => *work += brought,
            _ => self.impulses.note(t, brought),
        }
        Ok(())
    }
}
