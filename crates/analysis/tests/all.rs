//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

mod balance;
mod beyond;
mod corners;
mod driven;
mod dyads;
mod excitation;
mod free;
mod frequency;
mod given;
mod handbook;
mod hmmwv;
mod joint_space;
mod linear;
mod loci;
mod planted;
mod random;
mod series;
mod statics;
mod trims;
mod verdicts;
mod whipple;
