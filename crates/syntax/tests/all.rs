//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

mod expressions;
mod pages;
mod printed;
mod recovery;
mod robust;
mod samples;
