//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

mod beyond;
mod corners;
mod driven;
mod dyads;
mod free;
mod given;
mod joint_space;
mod linear;
mod statics;
mod verdicts;
mod whipple;
