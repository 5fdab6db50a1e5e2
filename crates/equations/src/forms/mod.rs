//! Forms of the equations of motion: the same motion, posed in several ways.
//!
//! ```text
//! explicit    ẏ = f(t, y)                                     y = (q, u, s); Equations itself
//! implicit    M u̇ = f + Gᵀ λ,  G u̇ + γ = 0,  q̇ = W u + X      for external solvers, partitioning, Baumgarte
//! residual    B ẏ = F(t, y), B diagonal, ones and zeros        Gear-Gupta-Leimkuhler
//! linear      M δu̇ + P δu + Q δq = H δp + Gᵀ δλ             about a nominal motion, for documents
//! minimal     ẏ = f(t, y) in independent states                 MinimalForm of minimal_form
//! ```
//!
//! - `variables`: states and unknowns with their roles; `implicit`: the matrices, with Baumgarte's terms;
//! - `linear`: the matrices of small departures;
//! - `residual_form`: rows and their sparsity; `ggl`: the stabilised equations of Gear, Gupta and Leimkuhler.

pub mod ggl;
pub mod implicit;
pub mod linear;
pub mod residual_form;
pub mod variables;

pub use crate::forms::ggl::ggl_form;
pub use crate::forms::implicit::{ImplicitForm, implicit_form};
pub use crate::forms::linear::{LinearForm, SymbolicSplit, linear_form};
pub use crate::forms::residual_form::ResidualForm;
pub use crate::forms::variables::{StateRole, StateVariable, VariableKind, states};
