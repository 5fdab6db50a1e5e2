//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod design;
mod equations;
mod randomness;
mod references;
mod responses;
mod sampled;
mod samples;
mod weightings;
