//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

#[path = "../../codegen/tests/common/mod.rs"]
mod common;

mod endless;
mod hybrid;
mod instants;
mod joint_space;
mod jumps;
mod models;
mod programs;
mod reactions;
mod sliding;
