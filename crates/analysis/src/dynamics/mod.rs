//! Forces of drives and actuators along a given motion, and what parameters change in one.
//!
//! - `drive`: coordinates that are held or driven; `drive_removal`: drives that actuators replace;
//! - `inverse`: inverse dynamics; `joint_space`: poses, Jacobians, mass, bias and Coriolis terms;
//! - `varied_states`: Coriolis matrices and Jacobians of points at many states; `regressor`: forces as a linear function of parameters;
//! - `outputs_along_motion`: outputs along a given motion;
//! - `sensitivity`: derivatives of a motion by parameters;
//! - `state_function`: functions of the state at one or many states.

pub mod drive;
pub mod drive_removal;
pub mod inverse;
pub mod joint_space;
pub mod outputs_along_motion;
pub mod regressor;
pub mod sensitivity;
pub mod state_function;
pub mod varied_states;
