//! Machine code for processors whose instructions work on registers alone: AArch64, and x86-64 without AVX.
//!
//! One translator serves both. It brings operands to registers, asks an instruction set ([`crate::scalar_isa::isa::Isa`]) for
//! the operation, and knows nothing of bytes. An instruction set makes the same bytes on any machine: they
//! contain no addresses, for what the code needs from outside it finds through the [`crate::scalar_isa::calls::Context`] that it
//! is given. One state takes scalar instructions, two states take vectors of two.
//!
//! In reading order:
//! - `machine`: compiled code to be run;
//! - `translate`, `operations`: stages and their operations to instructions;
//! - `calls`: what has no instruction, by one call for all;
//! - `fused`: what a processor without fused multiply-add does instead;
//! - `sincos`, `pairs`: sine and cosine inside the code, for two arguments at once where that is possible;
//! - `isa`: what an instruction set must offer; `neon`: AArch64; `sse`: x86-64 as it was in 2003.

mod calls;
mod fused;
mod isa;
mod machine;
mod operations;
mod pairs;
mod sincos;
mod translate;

#[cfg(any(target_arch = "aarch64", test))]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse;

pub(crate) use crate::scalar_isa::calls::Outside;
