//! Forces of drives and actuators along a given motion.
//!
//! - `drive`: coordinates that are held or driven; `drive_removal`: drives that actuators replace;
//! - `inverse`: inverse dynamics; `joint_space`: poses, Jacobians, mass, bias and Coriolis terms;
//!   `outputs_along_motion`: outputs along a given motion.

pub mod drive;
pub mod drive_removal;
pub mod inverse;
pub mod joint_space;
pub mod outputs_along_motion;
