//! Allocation of registers and memory.
//!
//! - `layout`: where constants, inputs and values live in an engine's memory; `work_memory`: that memory;
//! - `registers`: the values that stay in a register; `value_locations`: where every value is.

pub(crate) mod layout;
pub(crate) mod registers;
pub(crate) mod value_locations;
pub(crate) mod work_memory;
