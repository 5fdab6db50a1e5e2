//! Joints: chains of steps, the freedoms that they give, and what closes loops.
//!
//! - `joint_kind`, `joint`, `dof`: joints of the tree; `speeds`, `symbolic_solve`: rates of coordinates from speeds;
//! - `closing`: joints that close loops, as constraint rows between two markers.

pub mod closing;
pub mod dof;
pub mod joint;
pub mod joint_kind;
pub mod speeds;
pub mod symbolic_solve;
