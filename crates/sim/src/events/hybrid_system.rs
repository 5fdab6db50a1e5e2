//! What the loop of events asks of equations of motion, whatever their coordinates are.
//!
//! Conditions and blocks are written in the coordinates, speeds and states of the model. Equations in these
//! read them off their state; equations in others measure them.

use std::borrow::Cow;

use cardan_solve::{Failure, System};

use crate::events::Logic;
use crate::rhs::Mechanism;

/// Equations of motion that events interrupt.
pub trait HybridSystem: System {
    /// What the program of events reads in a state: [q; u; s], then the unknowns that it is given.
    fn measured<'y>(&mut self, t: f64, y: &'y [f64]) -> Result<Cow<'y, [f64]>, Failure>;

    /// Kinetic and potential energy at a state.
    fn energy(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure>;

    /// Lets a block happen: discrete states and `y` are those after it, and the constraints hold.
    fn jump(&mut self, logic: &mut Logic<'_>, event: usize, t: f64, y: &mut [f64]) -> Result<(), Failure>;
}

impl HybridSystem for Mechanism<'_> {
    fn measured<'y>(&mut self, _t: f64, y: &'y [f64]) -> Result<Cow<'y, [f64]>, Failure> {
        Ok(Cow::Borrowed(y))
    }

    fn energy(&mut self, t: f64, y: &[f64]) -> Result<f64, Failure> {
        Mechanism::energy(self, t, y)
    }

    fn jump(&mut self, logic: &mut Logic<'_>, event: usize, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        let n = logic.n_coordinates();
        let from = y[..n].to_vec();
        let moved = logic.happen(event, t, y)?;
        let stays = from == y[..n];
        self.hold(logic.discretes());
        if moved {
            let place = y[..n].to_vec();
            self.moved(t, t, y)?;
            self.project(t, y)?;
            // A rounding of the position must not undo a condition that nothing else has changed.
            if stays {
                y[..n].copy_from_slice(&place);
            }
        }
        Ok(())
    }
}
