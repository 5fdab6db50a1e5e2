//! All integration tests of this crate, in one binary: one module per subject.

mod common;

mod arrays;
mod composite_joints;
mod images;
mod imports;
mod instances;
mod messages;
mod pages;
mod robust;
mod size;
mod slots;
