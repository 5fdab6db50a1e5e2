//! All integration tests of this crate, in one binary: one module per subject.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod common;

mod attachments;
mod classics;
mod impact_laws;
mod locked_joints;
mod mixed_friction;
mod reaction_laws;
mod rigid_contacts;
mod runs;
mod wheelset;
