//! The guarded right-hand side: every evaluation is counted, checked to be finite, and made on the right side of
//! a breakpoint.
//!
//! Between two breakpoints a < b the function f is smooth, but at a and b themselves a comparison such as `t < b`
//! already answers for the neighbour. Stage times are therefore moved into [a + d, b − d] with
//!
//! ```text
//! [nudge]   d = 8 ε max(|a|, |b|)
//! ```
//!
//! which changes f by d ∂f/∂t, below rounding for every f that is smooth on the scale of its segment, and leaves room
//! for the rounding of an expression such as `1000*t < 500` inside the right-hand side.

use crate::jacobian::forward_difference;
use crate::linear::Matrix;
use crate::outcome::{Coarser, Stats};
use crate::system::{Failure, Role, Segment, System};

/// States below this magnitude are moved by finite differences as if they had it.
const SMALL_STATE: f64 = 1e-3;

/// Why an evaluation gave nothing to continue with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trouble {
    /// The system said so.
    Failed { t: f64, failure: Failure },
    /// A component is infinite or undefined.
    NonFinite { t: f64, component: usize },
}

impl Trouble {
    /// Whether a shorter step may avoid it.
    pub(crate) fn recoverable(&self) -> bool {
        match self {
            Trouble::Failed { failure, .. } => failure.recoverable,
            Trouble::NonFinite { .. } => true,
        }
    }
}

/// A system with its statistics and its window of time.
pub(crate) struct Evaluator<'a> {
    pub(crate) system: &'a mut dyn System,
    pub(crate) stats: Stats,
    /// Where a tolerance below rounding was first asked for.
    pub(crate) coarser: Option<Coarser>,
    /// 0 for a differential component, the index of an algebraic one.
    pub(crate) indices: Vec<u8>,
    earliest: f64,
    latest: f64,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(system: &'a mut dyn System) -> Self {
        let index = |i| match system.role(i) {
            Role::Differential => 0,
            Role::Algebraic { index } => index.clamp(1, 3),
        };
        let indices = (0..system.dim()).map(index).collect();
        let (earliest, latest) = (f64::NEG_INFINITY, f64::INFINITY);
        Evaluator { system, stats: Stats::default(), coarser: None, indices, earliest, latest }
    }

    /// Enters a segment; evaluations keep off those of its ends that are breakpoints.
    pub(crate) fn enter(
        &mut self,
        segment: Segment,
        y: &mut [f64],
        from_is_break: bool,
        to_is_break: bool,
    ) -> Result<(), Trouble> {
        let forward = segment.from <= segment.to;
        let (a, b) = if forward { (segment.from, segment.to) } else { (segment.to, segment.from) };
        let (a_is_break, b_is_break) =
            if forward { (from_is_break, to_is_break) } else { (to_is_break, from_is_break) };
        let nudge = (8.0 * f64::EPSILON * a.abs().max(b.abs())).min(0.25 * (b - a)); // [nudge]
        self.earliest = if a_is_break { a + nudge } else { f64::NEG_INFINITY };
        self.latest = if b_is_break { b - nudge } else { f64::INFINITY };
        self.system.enter(segment, y).map_err(|failure| Trouble::Failed { t: segment.from, failure })
    }

    /// Whether the derivative of component `i` appears in the equations.
    pub(crate) fn is_differential(&self, i: usize) -> bool {
        self.indices[i] == 0
    }

    /// Whether some component has no derivative in the equations.
    pub(crate) fn has_algebraic(&self) -> bool {
        self.indices.iter().any(|index| *index > 0)
    }

    /// Gives algebraic components the values that belong to the differential ones.
    pub(crate) fn settle(&mut self, t: f64, y: &mut [f64]) -> Result<(), Trouble> {
        if !self.has_algebraic() {
            return Ok(());
        }
        let t = self.inside(t);
        self.system.settle(t, y).map_err(|failure| Trouble::Failed { t, failure })
    }

    fn inside(&self, t: f64) -> f64 {
        t.max(self.earliest).min(self.latest)
    }

    /// f(t, y) into `dy`.
    pub(crate) fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Trouble> {
        self.stats.evaluations += 1;
        let t = self.inside(t);
        self.system.derivative(t, y, dy).map_err(|failure| Trouble::Failed { t, failure })?;
        match dy.iter().position(|d| !d.is_finite()) {
            Some(component) => Err(Trouble::NonFinite { t, component }),
            None => Ok(()),
        }
    }

    /// ∂f/∂y into `j`, exact or by differences from `f0` = f(t, y), evaluated if it is not given.
    pub(crate) fn jacobian(
        &mut self,
        t: f64,
        y: &[f64],
        f0: Option<&[f64]>,
        j: &mut Matrix,
    ) -> Result<(), Trouble> {
        self.stats.jacobians += 1;
        let t = self.inside(t);
        let failed = |failure| Trouble::Failed { t, failure };
        if !self.system.jacobian(t, y, j).map_err(failed)? {
            let mut evaluated = Vec::new();
            let f0 = match f0 {
                Some(f0) => f0,
                None => {
                    evaluated.resize(y.len(), 0.0);
                    self.derivative(t, y, &mut evaluated)?;
                    &evaluated
                }
            };
            let mut evaluations = 0;
            let system = &mut *self.system;
            let answer = forward_difference(
                &mut |y, dy| {
                    evaluations += 1;
                    system.derivative(t, y, dy)
                },
                y,
                f0,
                &vec![SMALL_STATE; y.len()],
                j,
            );
            self.stats.evaluations += evaluations;
            answer.map_err(failed)?;
        }
        match j.as_slice().iter().position(|a| !a.is_finite()) {
            Some(k) => Err(Trouble::NonFinite { t, component: k % j.n_rows().max(1) }),
            None => Ok(()),
        }
    }

    /// Pulls `y` onto the invariants.
    pub(crate) fn project(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Trouble> {
        let t = self.inside(t);
        let moved = self.system.project(t, y).map_err(|failure| Trouble::Failed { t, failure })?;
        self.stats.projections += u64::from(moved);
        Ok(moved)
    }

    /// The same at a located event.
    pub(crate) fn project_hit(&mut self, t: f64, y: &mut [f64]) -> Result<bool, Trouble> {
        let t = self.inside(t);
        let moved = self.system.project_hit(t, y).map_err(|failure| Trouble::Failed { t, failure })?;
        self.stats.projections += u64::from(moved);
        Ok(moved)
    }

    /// The same for a state that is no part of the motion.
    pub(crate) fn project_unseen(&mut self, t: f64, y: &mut [f64]) -> Result<(), Trouble> {
        let t = self.inside(t);
        self.system.project_sample(t, y).map(|_| ()).map_err(|failure| Trouble::Failed { t, failure })
    }

    /// Pulls a sample onto the invariants.
    pub(crate) fn project_sample(&mut self, t: f64, y: &mut [f64]) -> Result<(), Trouble> {
        let t = self.inside(t);
        let moved = self.system.project_sample(t, y).map_err(|failure| Trouble::Failed { t, failure })?;
        self.stats.projections += u64::from(moved);
        Ok(())
    }

    /// How far it is to where f is not determined; nothing where that cannot be told.
    pub(crate) fn margin(&mut self, t: f64, y: &[f64]) -> Option<f64> {
        let t = self.inside(t);
        self.system.margin(t, y).ok().filter(|m| m.is_finite())
    }

    /// The part of a way that a step may go.
    pub(crate) fn passable(&mut self, from: (f64, &[f64]), to: (f64, &[f64])) -> Result<f64, Trouble> {
        let (from, to) = ((self.inside(from.0), from.1), (self.inside(to.0), to.1));
        self.system.passable(from, to).map_err(|failure| Trouble::Failed { t: from.0, failure })
    }

    /// The event functions.
    pub(crate) fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Trouble> {
        self.stats.event_evaluations += 1;
        self.system.events(t, y, g).map_err(|failure| Trouble::Failed { t, failure })
    }
}
