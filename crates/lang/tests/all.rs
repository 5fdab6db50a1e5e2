//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod beginnings;
mod hints;
mod meaning;
mod model_graph;
mod pages;
mod rates;
mod robust;
mod samples;
mod show;
mod turns;
