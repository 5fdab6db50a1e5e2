//! Shared by the tests of generated code.

pub mod cases;
pub mod drivers;
pub mod tools;
