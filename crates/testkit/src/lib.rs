//! What tests of several crates share: a seeded source of numbers and random mechanical systems.
//!
//! - [`random`]: the numbers; [`tree`]: trees of bodies; [`mechanism`]: mechanisms with closed loops.

pub mod mechanism;
pub mod random;
pub mod tree;

pub use crate::mechanism::{Loops, random_light_mechanism, random_mechanism};
pub use crate::random::Random;
pub use crate::tree::{TreeOptions, random_arm, random_tree};
