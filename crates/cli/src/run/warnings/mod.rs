//! Warnings about a motion: contact, limits, mobility, tables.

pub(crate) mod contact;
pub(crate) mod limits;
pub(crate) mod mobility;
pub(crate) mod tables;
