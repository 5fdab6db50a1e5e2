//! The energy audit: where the energy is, who put it there, and what is left unexplained.
//!
//! ```text
//! [residual]   r(t) = T(t) + V(t) - W(t) - T(0) - V(0)
//! [scale]      max T + (max V - min V) + max |W|
//! [exchange]   Σ_k Σ_V |∂V/∂q_k| ℓ                the energy that loads with potentials could exchange on the way ℓ: a radian, or the size of the mechanism
//! ```
//!
//! with kinetic energy T, potential energy V of gravity and of conservative loads, and the work W of all other loads,
//! integrated along with the motion. Where hardly anything moves, the residual is what tolerances
//! leave: positions to rtol ℓ, hence energies to rtol of what could be exchanged. Potential energy
//! has no natural zero, hence its range and not its size. A wrong equation of motion, a wrong load
//! and a careless integrator all show here, whatever the model.

use std::fmt;

use cardan_base::without_noise;
use cardan_compile::layout::Closure;

/// The energy balance at one time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Balance {
    /// Of all bodies.
    pub kinetic: f64,
    /// Of gravity and of all loads that have one.
    pub potential: f64,
    /// Of all other loads since the start.
    pub work: f64,
}

/// What an audit found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The energy is accounted for.
    Holds,
    /// The residual is small but not negligible: tighter tolerances may help.
    Doubtful,
    /// Energy appears or vanishes.
    Fails,
    /// There is no exact balance to judge by; see [`Closure`].
    Open,
}

/// A residual above this part of the energy that moved is not negligible.
pub const DOUBTFUL: f64 = 1e-6;
/// A residual below this part of all energy is rounding.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// A balance of small quantities that misses more than this fraction of what moved is no evidence.
const TELLING: f64 = 0.1;
/// A residual above this part of the energy that moved is wrong.
pub const WRONG: f64 = 1e-3;

/// The audit of a whole motion.
#[derive(Clone, PartialEq, Debug)]
pub struct Audit {
    /// Whether the balance closes.
    pub closure: Closure,
    first: Option<Balance>,
    kinetic: f64,
    potential: (f64, f64),
    work: f64,
    worst: f64,
    worst_at: f64,
    /// What tolerances leave open. [exchange]
    allowance: f64,
}

impl Audit {
    /// An audit without samples.
    pub fn new(closure: Closure) -> Self {
        Audit {
            closure,
            first: None,
            kinetic: 0.0,
            potential: (f64::INFINITY, f64::NEG_INFINITY),
            work: 0.0,
            worst: 0.0,
            worst_at: 0.0,
            allowance: 0.0,
        }
    }

    /// Lets the residual be this part of the energy that could be exchanged. [exchange]
    pub fn allow(&mut self, part: f64, exchange: f64) {
        if exchange.is_finite() {
            self.allowance = part * exchange;
        }
    }

    /// Takes a sample in, and gives its residual. [residual]
    pub fn add(&mut self, t: f64, now: Balance) -> f64 {
        let first = *self.first.get_or_insert(now);
        self.kinetic = self.kinetic.max(now.kinetic.abs());
        self.potential = (self.potential.0.min(now.potential), self.potential.1.max(now.potential));
        self.work = self.work.max(now.work.abs());
        let residual =
            (now.kinetic - first.kinetic) + (now.potential - first.potential) - (now.work - first.work);
        let size = if residual.is_nan() { f64::INFINITY } else { residual.abs() };
        if size > self.worst {
            (self.worst, self.worst_at) = (size, t);
        }
        residual
    }

    /// The energy that moved, in joules. [scale]
    pub fn scale(&self) -> f64 {
        let swing = if self.first.is_some() { self.potential.1 - self.potential.0 } else { 0.0 };
        self.kinetic + swing + self.work
    }

    /// The largest residual in joules, and when.
    pub fn worst(&self) -> (f64, f64) {
        (self.worst, self.worst_at)
    }

    /// The largest residual as a part of the energy that moved; zero where nothing is missing but the rounding of energies that
    /// are much larger than what moved, as in a mechanism at rest.
    pub fn relative(&self) -> f64 {
        let size = self.kinetic + self.work + self.potential.0.abs().max(self.potential.1.abs());
        let part = self.worst / self.scale();
        let excused = self.worst <= (ROUNDING * size).max(self.allowance);
        if self.worst == 0.0 || (excused && (part.is_nan() || part > DOUBTFUL)) {
            0.0
        } else if self.worst.is_finite() {
            part
        } else {
            f64::INFINITY
        }
    }

    /// The judgement.
    pub fn verdict(&self) -> Verdict {
        let relative = self.relative();
        if self.closure != Closure::Closed || self.first.is_none() {
            Verdict::Open
        } else if relative <= DOUBTFUL {
            Verdict::Holds
        } else if relative <= WRONG {
            Verdict::Doubtful
        } else {
            Verdict::Fails
        }
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (worst, at) = self.worst();
        let relative = self.relative();
        let scale = self.scale();
        let digits = format!("{scale:.3e}");
        let plain = digits.parse::<f64>().ok().filter(|x| (1e-3..1e6).contains(x));
        let moved = plain.map_or(digits, |x| x.to_string());
        let at = without_noise(at);
        let numbers = format!("{worst:.2e} J of {moved} J that moved, {relative:.1e}, at t = {at} s");
        match self.verdict() {
            Verdict::Holds if worst == 0.0 => write!(f, "the energy balance holds exactly"),
            Verdict::Holds => write!(f, "the energy balance holds: residual {numbers}"),
            Verdict::Doubtful => write!(f, "the energy balance is doubtful: residual {numbers}"),
            Verdict::Fails => write!(f, "the energy balance fails: residual {numbers}"),
            Verdict::Open if self.closure == Closure::Small && relative > TELLING => {
                write!(
                    f,
                    "the energy balance tells nothing here: quantities are declared small, and energies of second order in them are left out; compare with a run without `small`"
                )
            }
            Verdict::Open if self.closure == Closure::Small => {
                write!(
                    f,
                    "the energy balance is approximate, as quantities are declared small: residual {numbers}"
                )
            }
            Verdict::Open if self.closure == Closure::Stepped => {
                write!(f, "the energy balance is of first order in the time step: residual {numbers}")
            }
            Verdict::Open => {
                write!(
                    f,
                    "the energy balance is open: a motion or field that is prescribed in time does work"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::record::energy_balance::*;

    #[test]
    fn small_quantities_may_leave_the_balance_without_evidence() {
        for (lost, says) in [(0.01, "is approximate"), (0.9, "tells nothing here")] {
            let mut audit = Audit::new(Closure::Small);
            for k in 0..=10 {
                let kinetic = f64::from(k);
                audit.add(f64::from(k), Balance { kinetic, potential: -(1.0 - lost) * kinetic, work: 0.0 });
            }
            assert!(audit.to_string().contains(says), "{audit}");
        }
    }

    #[test]
    fn a_fall_with_drag_balances() {
        let mut audit = Audit::new(Closure::Closed);
        for k in 0..=10 {
            let t = f64::from(k) / 10.0;
            let (potential, work) = (1e3 - 5.0 * t, -2.0 * t);
            let residual = audit.add(t, Balance { kinetic: 3.0 * t, potential, work });
            assert!(residual.abs() < 1e-12);
        }
        assert!((audit.scale() - 10.0).abs() < 1e-12);
        assert_eq!(audit.verdict(), Verdict::Holds);
    }

    /// At rest nothing moves but what tolerances leave; a motion that is no rounding is judged as
    /// ever.
    #[test]
    fn at_rest_tolerances_leave_a_part_of_what_could_be_exchanged() {
        for (lost, verdict) in [(1e-12, Verdict::Holds), (1e-6, Verdict::Fails)] {
            let mut audit = Audit::new(Closure::Closed);
            audit.add(0.0, Balance { potential: 29.4, ..Balance::default() });
            audit.add(1.0, Balance { potential: 29.4 + lost, ..Balance::default() });
            assert_eq!(audit.verdict(), Verdict::Fails);
            audit.allow(1e-10, 40.0);
            assert_eq!(audit.verdict(), verdict);
        }
    }

    #[test]
    fn energy_from_nowhere_is_seen_with_its_time() {
        let mut audit = Audit::new(Closure::Closed);
        audit.add(0.0, Balance { kinetic: 1.0, ..Balance::default() });
        audit.add(1.0, Balance { kinetic: 1.1, ..Balance::default() });
        audit.add(2.0, Balance { kinetic: 1.0, ..Balance::default() });
        assert_eq!(audit.verdict(), Verdict::Fails);
        assert_eq!(audit.worst_at, 1.0);
        assert!((audit.relative() - 0.1 / 1.1).abs() < 1e-12);
        let mut undefined = Audit::new(Closure::Closed);
        undefined.add(0.0, Balance::default());
        undefined.add(1.0, Balance { kinetic: f64::NAN, ..Balance::default() });
        assert_eq!(undefined.verdict(), Verdict::Fails);
    }

    #[test]
    fn an_open_balance_is_not_judged() {
        let mut audit = Audit::new(Closure::Driven);
        audit.add(0.0, Balance::default());
        audit.add(1.0, Balance { kinetic: 1.0, ..Balance::default() });
        assert_eq!(audit.verdict(), Verdict::Open);
    }
}
