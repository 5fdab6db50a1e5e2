//! What tests of several crates share: a seeded source of numbers and random mechanical systems.
//!
//! - [`random`]: the numbers; [`tree`]: trees of bodies; [`mechanism`]: mechanisms with closed loops.

pub mod mechanism;
pub mod random;
pub mod tree;

pub use mechanism::{Loops, random_light_mechanism, random_mechanism};
pub use random::Random;
pub use tree::{TreeOptions, random_arm, random_tree};
