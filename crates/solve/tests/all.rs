//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

mod algebraic;
mod classics;
mod convergence;
mod driver;
mod passing;
mod pendulums;
mod samples;
mod spectrum;
mod stiff;
