//! Machine code of x86-64 with AVX and FMA.
//!
//! - `avx`: entering the code; `translate`, `fused`, `calls`: operations of one stage to instructions;
//! - `order` of steps when some are packed; `vectors`: where their numbers are; `width`: how many lanes;
//! - `sincos`: sine and cosine as a routine inside the code; `sincos4`: four of them at once in scalar code;
//! - `assembler`: instructions to bytes; `evex`: those of eight lanes and of 32 registers; `base_registers`: base registers that make them short;
//! - `runtime_calls`: functions that the code calls.

pub(crate) mod assembler;
pub(crate) mod avx;
pub(crate) mod base_registers;
pub(crate) mod calls;
pub(crate) mod evex;
pub(crate) mod fused;
pub(crate) mod order;
pub(crate) mod runtime_calls;
pub(crate) mod sincos;
pub(crate) mod sincos4;
pub(crate) mod translate;
pub(crate) mod vectors;
pub(crate) mod width;
