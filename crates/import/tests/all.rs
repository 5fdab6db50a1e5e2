//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

mod adams;
mod autosim;
mod bounds;
mod friction;
mod mjcf;
mod mutations;
mod numbers;
mod pages;
mod slips;
mod urdf;
mod written;
