//! What subsystems are made of: definitions, their instances, slots and ports, the hierarchy they form.

pub(crate) mod composite_joints;
pub(crate) mod connection_check;
pub(crate) mod definition;
pub mod hierarchy;
pub(crate) mod instances;
pub(crate) mod ports;
pub(crate) mod slots;
