//! Bodies: mass, what it can be, and looks.

pub mod body;
pub mod mass_bounds;
pub mod shape;
