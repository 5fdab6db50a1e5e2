//! What time stepping over contacts took, and how well the laws of contact hold.

use std::fmt;

/// Statistics of time stepping over contacts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ContactReport {
    /// Time steps.
    pub steps: u64,
    /// The most contact points of a step.
    pub points: usize,
    /// Sweeps over all contacts.
    pub sweeps: u64,
    /// Steps whose impulses were found all at once, by Newton's method.
    pub together: u64,
    /// Steps whose sweeps ended before velocities settled.
    pub unsettled: u64,
    /// The largest change of a velocity in the last sweep of such a step, m/s.
    pub change: f64,
    /// How far a contact was at most from its laws, non-penetration and Coulomb's, m/s.
    pub residual: f64,
    /// The deepest overlap, m.
    pub depth: f64,
    /// The largest departure of the momentum from the impulses of loads and ground, N·s; of systems without joints.
    pub momentum: f64,
}

impl fmt::Display for ContactReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_step = self.sweeps as f64 / self.steps.max(1) as f64;
        write!(
            f,
            "up to {} contact points, {per_step:.1} sweeps per step, laws of contact to {:.1e} m/s, overlaps up to {:.1e} m, \
             momentum balanced to {:.1e} N*s",
            self.points, self.residual, self.depth, self.momentum
        )
    }
}
