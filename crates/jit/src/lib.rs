//! Machine code from a program.
//!
//! Absent by design: models, equations, optimisation. A [`Program`](cardan_program::Program) comes in, an
//! engine comes out that repeats the interpreter bit for bit. This is the only crate with `unsafe` code; each
//! block says why it is sound.
//!
//! In reading order:
//! - [`engine`]: what users see; falls back to `tape`, the portable engine, where no machine code can be
//!   made;
//! - [`batch`]: the same for two, four or eight states at once;
//! - [`foreign`]: functions of shared libraries, for the host; [`loaded`]: whole programs in them;
//! - `native`: machine code of whichever kind the processor runs best; `machine`: compiled code with its memory; `surroundings`: what it refers to;
//! - `plain`: that of AArch64 and of x86-64 without AVX; what follows is of x86-64 with AVX and FMA unless `plain` shares it;
//! - `layout`: where constants, inputs and values live in an engine's memory; `numbers`: that memory;
//! - `instructions`: the operations of a stage, prepared; `registers` decides what stays in a register, `homes` knows where every value is; `turns`: sines and cosines that
//!   come before everything else; `outputs`: when results are delivered;
//! - `wide`: entering the code; `translate`, `fused`, `calls`: operations of one stage to instructions;
//! - `packs`: operations that are alike, for vector instructions within one evaluation; `order` of steps when some are packed; `vectors`: where their numbers are; `pack_code`: packs to instructions, `packed`: those to bytes;
//! - `sincos`: sine and cosine as a routine of our own inside the code; `early`: four of them at once in scalar code;
//! - `width`: how many lanes; `assembler`: instructions to bytes, `evex` those of eight lanes and of 32 registers, `windows`: base registers that make them short; `shims`: what the code calls; `memory`: pages that can be executed.

#![allow(
    unsafe_code,
    reason = "machine code must be entered and must call back, and so must foreign functions"
)]

pub mod batch;
pub mod engine;
pub mod foreign;
pub mod loaded;
mod native;
mod tape;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod homes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod instructions;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod layout;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod machine;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod memory;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod numbers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod outputs;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod plain;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod registers;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod surroundings;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod turns;

#[cfg(target_arch = "x86_64")]
mod assembler;
#[cfg(target_arch = "x86_64")]
mod calls;
#[cfg(target_arch = "x86_64")]
mod early;
#[cfg(target_arch = "x86_64")]
mod evex;
#[cfg(target_arch = "x86_64")]
mod fused;
#[cfg(target_arch = "x86_64")]
mod order;
#[cfg(target_arch = "x86_64")]
mod pack_code;
#[cfg(target_arch = "x86_64")]
mod packed;
#[cfg(target_arch = "x86_64")]
mod packs;
#[cfg(target_arch = "x86_64")]
mod shims;
#[cfg(target_arch = "x86_64")]
mod sincos;
#[cfg(target_arch = "x86_64")]
mod translate;
#[cfg(target_arch = "x86_64")]
mod vectors;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod width;
#[cfg(target_arch = "x86_64")]
mod windows;

pub use batch::{Batch, lanes};
pub use engine::{Backend, Engine, Packing};
pub use loaded::Loaded;
pub use native::Instructions;
