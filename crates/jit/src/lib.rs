//! Machine code from a program.
//!
//! Absent by design: models, equations, optimisation. A [`Program`](cardan_program::Program) comes in, an
//! engine comes out that repeats the interpreter bit for bit. This is the only crate with `unsafe` code; each
//! block says why it is sound.
//!
//! In reading order:
//! - [`engine`]: what users see; falls back to `portable`, the portable engine, where no machine code can be
//!   made;
//! - [`execution`]: the choice between machine code, a compiled library and the interpreter;
//! - [`batch`]: the same for two, four or eight states at once;
//! - [`foreign`]: functions of shared libraries, for the host; [`loaded`]: whole programs in them;
//! - `native`: machine code of whichever kind the processor runs best; `machine`: compiled code with its memory; `code_context`: what it refers to;
//! - `allocation`: registers and memory of the values; `memory`: pages that can be executed;
//! - `instructions`: the operations of a stage, prepared; `hoisted_sincos`: sines and cosines that come before everything else; `outputs`: when results are delivered;
//! - `slp`: operations that are alike share vector instructions within one evaluation;
//! - `x86`: machine code of x86-64 with AVX and FMA; `scalar_isa`: that of AArch64 and of x86-64 without AVX.

#![allow(
    unsafe_code,
    reason = "machine code must be entered and must call back, and so must foreign functions"
)]

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod allocation;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod code_context;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod hoisted_sincos;
pub(crate) mod portable;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod scalar_isa;
pub(crate) mod slp;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

pub mod batch;
pub mod engine;
pub mod execution;
pub mod foreign;
pub mod loaded;
mod native;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod instructions;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod machine;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod memory;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod outputs;

pub use crate::batch::{Batch, Vectors, lanes};
pub use crate::engine::{Backend, MachineCode, Packing};
pub use crate::execution::{Engine, EngineKind};
pub use crate::loaded::Loaded;
pub use crate::native::Instructions;
