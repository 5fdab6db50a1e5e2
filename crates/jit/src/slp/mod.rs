//! Superword-level parallelism: operations that are alike share vector instructions.
//!
//! - `find`: packs of operations; `emit`: packs to instructions; `encode`: instructions to bytes.

#[cfg(target_arch = "x86_64")]
pub(crate) mod emit;
#[cfg(target_arch = "x86_64")]
pub(crate) mod encode;
#[cfg(target_arch = "x86_64")]
pub(crate) mod find;
