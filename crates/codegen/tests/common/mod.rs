//! Shared by the tests of generated code; not every test uses all of it.

#![allow(dead_code)]

pub mod cases;
pub mod drivers;
pub mod languages;
pub mod toolchains;
pub mod tools;
