//! Loads and the elements that exert them.
//!
//! - `load`: forces and torques; `element_kind`, `element`: springs and their kin; `reaction`: what joints do to bodies.
//! - `reaction_law`: loads that depend on reactions.

pub mod element;
pub mod element_kind;
pub mod load;
pub mod reaction;
pub mod reaction_law;
