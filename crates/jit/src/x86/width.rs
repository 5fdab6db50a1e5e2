//! How many numbers an instruction treats at once, and what follows from it.

use crate::x86::assembler::{PREFIX_66, PREFIX_F2};

/// How many numbers an instruction treats at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Width {
    /// One.
    Scalar,
    /// Two, in 128-bit registers: for processors with AVX and FMA but without AVX2.
    Two,
    /// Four, in 256-bit registers.
    Four,
    /// Eight, in 512-bit registers, of which there are 32.
    Eight,
}

impl Width {
    /// The widths of several lanes, the widest first.
    pub(crate) const OF_LANES: [Width; 3] = [Width::Eight, Width::Four, Width::Two];

    /// The width of so many lanes.
    pub(crate) fn of(lanes: usize) -> Option<Width> {
        Width::OF_LANES.into_iter().find(|width| width.lanes() == lanes)
    }

    /// How many.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Width::Scalar => 1,
            Width::Two => 2,
            Width::Four => 4,
            Width::Eight => 8,
        }
    }

    /// Whether this processor has the instructions. Vectors of two need no more than scalars; those of four need AVX2 for whole
    /// numbers, which sine and cosine contain; those of eight need AVX-512 with its operations on bits and masks (DQ).
    pub(crate) fn is_supported(self) -> bool {
        let scalar = is_x86_feature_detected!("avx") && is_x86_feature_detected!("fma");
        scalar
            && match self {
                Width::Scalar | Width::Two => true,
                Width::Four => is_x86_feature_detected!("avx2"),
                Width::Eight => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq"),
            }
    }

    /// Registers that hold values; one more, the last, is for the moment.
    pub(crate) fn n_allocatable(self) -> u8 {
        if self == Width::Eight { 31 } else { 15 }
    }

    /// `rbx` points this far into the memory, so that short displacements, which count bytes or with eight lanes places, reach as
    /// much of it as they can.
    pub(crate) fn bias(self) -> i32 {
        if self == Width::Eight { 128 * 64 } else { 128 }
    }

    /// Mandatory prefix of arithmetic and moves.
    pub(crate) fn prefix(self) -> u8 {
        if self == Width::Scalar { PREFIX_F2 } else { PREFIX_66 }
    }

    /// Vector length bit of the VEX prefix.
    pub(crate) fn length(self) -> u8 {
        u8::from(self == Width::Four)
    }
}
