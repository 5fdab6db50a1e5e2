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
//! - `scalar_isa`: that of AArch64 and of x86-64 without AVX; what follows is of x86-64 with AVX and FMA unless `scalar_isa` shares it;
//! - `layout`: where constants, inputs and values live in an engine's memory; `work_memory`: that memory;
//! - `instructions`: the operations of a stage, prepared; `registers` decides what stays in a register, `value_locations` knows where every value is; `hoisted_sincos`: sines and cosines that
//!   come before everything else; `outputs`: when results are delivered;
//! - `avx`: entering the code; `translate`, `fused`, `calls`: operations of one stage to instructions;
//! - `slp`: operations that are alike share vector instructions within one evaluation; `order` of steps when some are packed; `vectors`: where their numbers are;
//! - `sincos`: sine and cosine as a routine of our own inside the code; `sincos4`: four of them at once in scalar code;
//! - `width`: how many lanes; `assembler`: instructions to bytes, `evex` those of eight lanes and of 32 registers, `base_registers`: base registers that make them short; `runtime_calls`: what the code calls; `memory`: pages that can be executed.

#![allow(
    unsafe_code,
    reason = "machine code must be entered and must call back, and so must foreign functions"
)]

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx;
#[cfg(target_arch = "x86_64")]
pub(crate) mod base_registers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod code_context;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod hoisted_sincos;
pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod runtime_calls;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod scalar_isa;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sincos4;
pub(crate) mod slp;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod value_locations;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod work_memory;

pub mod batch;
pub mod engine;
pub mod execution;
pub mod foreign;
pub mod loaded;
mod native;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod instructions;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod layout;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod machine;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod memory;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod outputs;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;

#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod calls;
#[cfg(target_arch = "x86_64")]
mod evex;
#[cfg(target_arch = "x86_64")]
mod fused;
#[cfg(target_arch = "x86_64")]
mod order;
#[cfg(target_arch = "x86_64")]
mod sincos;
#[cfg(target_arch = "x86_64")]
mod translate;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[cfg(target_arch = "x86_64")]
mod width;

pub use crate::batch::{Batch, lanes};
pub use crate::engine::{Backend, MachineCode, Packing};
pub use crate::execution::{Engine, EngineKind};
pub use crate::loaded::Loaded;
pub use crate::native::Instructions;
