//! Warnings about a motion: contact, limits, tables.

pub(crate) mod contact;
pub(crate) mod limits;
pub(crate) mod tables;
