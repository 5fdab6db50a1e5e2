//! Equations of motion from a model, by several formalisms.
//!
//! Every formalism returns the same [`Equations`], so that they can be compared term by term.
//!
//! Absent by design: floats, but for the choice of pivots; text, programs.
//!
//! Reading order: [`system`], then the formalisms [`kane`] and [`recursive`], which share [`loads`] and
//! [`energy`]; `collected` gathers what is alike in the speeds; [`ldl`] solves for the accelerations, [`augmented`] under the rows of [`constraints`], with inertia [`lent`] where bodies have none, after [`elimination`] of what a safe `pivot` gives; [`small`] drops what
//! is negligible in a row of the equations; [`reactions`] are what joints do to their bodies, and [`sharing`] how they share it
//! where they repeat one another; [`dyads`] are the loops of a driven linkage that close in closed form, and [`closed`] the equations of minimal size
//! that they allow; [`impact`] is what events do to a mechanism with constraints; [`unsolved`](mod@unsolved) equations are for who solves them by other means.

#![allow(non_snake_case, reason = "monogram notation: R_AB, w_AB, p_PQ carry their frames in capitals")]

pub mod augmented;
pub mod closed;
mod collected;
pub mod constraints;
pub mod dyads;
pub mod elimination;
pub mod energy;
pub mod impact;
pub mod kane;
pub mod ldl;
pub mod lent;
pub mod loads;
mod pivot;
pub mod reactions;
pub mod recursive;
pub mod sharing;
pub mod small;
pub mod system;
pub mod unsolved;

pub use augmented::{Augmented, Corrections};
pub use constraints::{ConstraintRow, ConstraintRows};
pub use impact::{AssignedCoordinate, AssignedSpeed, Impact, impact};
pub use recursive::slopes::{SlopeSystems, Slopes};
pub use sharing::{Openness, Place, openness};
pub use system::{
    Energy, Equations, Failure, Formalism, Motion, derive, derive_motion, derive_unreduced, derive_with,
    inverse, mass_matrix, slope_systems, slopes,
};
pub use unsolved::{Unsolved, unsolved};
