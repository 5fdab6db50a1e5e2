//! The programs that others run.
//!
//! - `simulation`: derivatives of the state; `implicit`, `residual`, `minimal`: other forms of the equations;
//! - `constraint_programs`: closure and correction; `hybrid`, `impact`: events; `analysis_programs`: what analyses ask for.

pub mod analysis_programs;
pub mod constraint_programs;
pub mod hybrid;
pub mod impact;
pub mod implicit;
pub mod minimal;
pub mod residual;
pub mod simulation;
