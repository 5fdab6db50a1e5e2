//! Every instruction against the words that GNU as 2.40 makes of its text.

use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::scalar_isa::isa::{Arithmetic, Bits, Isa, Relation, Signs, Simple};
use crate::scalar_isa::neon::Neon;

const PLUS: Signs = Signs { minus_product: false, minus_addend: false };
const MINUS_PRODUCT: Signs = Signs { minus_product: true, minus_addend: false };
const MINUS_ADDEND: Signs = Signs { minus_product: false, minus_addend: true };
const MINUS_BOTH: Signs = Signs { minus_product: true, minus_addend: true };

fn d(number: u8) -> Register {
    Register(number)
}

/// Lanes, what is asked for, the assembler's text, its words.
type Row = (usize, fn(&mut Neon), &'static str, &'static [u32]);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (1, |isa| isa.arithmetic(Arithmetic::Add, d(3), d(17), d(29)), "fadd d3, d17, d29", &[0x1E7D_2A23]),
    (1, |isa| isa.arithmetic(Arithmetic::Sub, d(3), d(17), d(29)), "fsub d3, d17, d29", &[0x1E7D_3A23]),
    (1, |isa| isa.arithmetic(Arithmetic::Mul, d(3), d(17), d(29)), "fmul d3, d17, d29", &[0x1E7D_0A23]),
    (1, |isa| isa.arithmetic(Arithmetic::Div, d(3), d(17), d(29)), "fdiv d3, d17, d29", &[0x1E7D_1A23]),
    (1, |isa| isa.arithmetic(Arithmetic::Min, d(3), d(17), d(29)), "fcmgt d31, d29, d17; bsl v31.16b, v17.16b, v29.16b; mov v3.16b, v31.16b", &[0x7EF1_E7BF, 0x6E7D_1E3F, 0x4EBF_1FE3]),
    (1, |isa| isa.arithmetic(Arithmetic::Max, d(3), d(17), d(29)), "fcmgt d31, d17, d29; bsl v31.16b, v17.16b, v29.16b; mov v3.16b, v31.16b", &[0x7EFD_E63F, 0x6E7D_1E3F, 0x4EBF_1FE3]),
    (1, |isa| isa.simple(Simple::Neg, d(30), d(9)), "fneg d30, d9", &[0x1E61_413E]),
    (1, |isa| isa.simple(Simple::Abs, d(30), d(9)), "fabs d30, d9", &[0x1E60_C13E]),
    (1, |isa| isa.simple(Simple::Sqrt, d(30), d(9)), "fsqrt d30, d9", &[0x1E61_C13E]),
    (1, |isa| isa.simple(Simple::Floor, d(30), d(9)), "frintm d30, d9", &[0x1E65_413E]),
    (1, |isa| isa.fused(PLUS, d(1), d(2), d(19), d(28)), "fmadd d1, d2, d19, d28", &[0x1F53_7041]),
    (1, |isa| isa.fused(MINUS_PRODUCT, d(1), d(2), d(19), d(28)), "fmsub d1, d2, d19, d28", &[0x1F53_F041]),
    (1, |isa| isa.fused(MINUS_ADDEND, d(1), d(2), d(19), d(28)), "fnmsub d1, d2, d19, d28", &[0x1F73_F041]),
    (1, |isa| isa.fused(MINUS_BOTH, d(1), d(2), d(19), d(28)), "fnmadd d1, d2, d19, d28", &[0x1F73_7041]),
    (1, |isa| isa.compare(Relation::Lt, d(4), d(5), d(16)), "fcmgt d4, d16, d5", &[0x7EE5_E604]),
    (1, |isa| isa.compare(Relation::Le, d(4), d(5), d(16)), "fcmge d4, d16, d5", &[0x7E65_E604]),
    (1, |isa| isa.compare(Relation::Eq, d(4), d(5), d(16)), "fcmeq d4, d5, d16", &[0x5E70_E4A4]),
    (1, |isa| isa.compare(Relation::Ne, d(4), d(5), d(16)), "fcmeq d4, d5, d16; mvn v4.16b, v4.16b", &[0x5E70_E4A4, 0x6E20_5884]),
    (1, |isa| isa.shift_left(d(6), d(21), 62), "shl d6, d21, 62", &[0x5F7E_56A6]),
    (1, |isa| isa.add_integers(d(6), d(21), d(7)), "add d6, d21, d7", &[0x5EE7_86A6]),
    (1, |isa| isa.is_odd(d(6), d(21)), "shl d6, d21, 63; sshr d6, d6, 63", &[0x5F7F_56A6, 0x5F41_04C6]),
    (1, |isa| isa.load(d(25), Memory::Work(5)), "ldr d25, [x19, 40]", &[0xFD40_1679]),
    (1, |isa| isa.load(d(25), Memory::Input(4095)), "ldr d25, [x22, 32760]", &[0xFD7F_FED9]),
    (1, |isa| isa.load(d(25), Memory::Work(4096)), "mov x16, 4096; ldr d25, [x19, x16, lsl 3]", &[0xD282_0010, 0xFC70_7A79]),
    (1, |isa| isa.load(d(25), Memory::Work(0x1_2345)), "movz x16, 0x2345; movk x16, 1, lsl 16; ldr d25, [x19, x16, lsl 3]", &[0xD284_68B0, 0xF2A0_0030, 0xFC70_7A79]),
    (1, |isa| isa.store(Memory::Output(7), d(26)), "str d26, [x20, 56]", &[0xFD00_1E9A]),
    (1, |isa| isa.store(Memory::Work(5000), d(26)), "mov x16, 5000; str d26, [x19, x16, lsl 3]", &[0xD282_7110, 0xFC30_7A7A]),
    (1, |isa| isa.call_out(3, 9, 0x1_0000), "mov x0, x21; mov x1, 3; add x2, x19, 72; movz x16, 0; movk x16, 1, lsl 16; add x3, x19, x16, lsl 3; ldr x16, [x21]; blr x16", &[0xAA15_03E0, 0xD280_0061, 0x9101_2262, 0xD280_0010, 0xF2A0_0030, 0x8B10_0E63, 0xF940_02B0, 0xD63F_0200]),
    (1, |isa| { let jump = isa.jump_unless_below(d(1), d(30)); isa.copy(d(0), d(2)); isa.land(jump) }, "fcmp d1, d30; b.pl 1f; mov v0.16b, v2.16b; 1:", &[0x1E7E_2020, 0x5400_0045, 0x4EA2_1C40]),
    (2, |isa| isa.arithmetic(Arithmetic::Add, d(3), d(17), d(29)), "fadd v3.2d, v17.2d, v29.2d", &[0x4E7D_D623]),
    (2, |isa| isa.arithmetic(Arithmetic::Sub, d(3), d(17), d(29)), "fsub v3.2d, v17.2d, v29.2d", &[0x4EFD_D623]),
    (2, |isa| isa.arithmetic(Arithmetic::Mul, d(3), d(17), d(29)), "fmul v3.2d, v17.2d, v29.2d", &[0x6E7D_DE23]),
    (2, |isa| isa.arithmetic(Arithmetic::Div, d(3), d(17), d(29)), "fdiv v3.2d, v17.2d, v29.2d", &[0x6E7D_FE23]),
    (2, |isa| isa.arithmetic(Arithmetic::Min, d(3), d(17), d(29)), "fcmgt v31.2d, v29.2d, v17.2d; bsl v31.16b, v17.16b, v29.16b; mov v3.16b, v31.16b", &[0x6EF1_E7BF, 0x6E7D_1E3F, 0x4EBF_1FE3]),
    (2, |isa| isa.arithmetic(Arithmetic::Max, d(3), d(17), d(29)), "fcmgt v31.2d, v17.2d, v29.2d; bsl v31.16b, v17.16b, v29.16b; mov v3.16b, v31.16b", &[0x6EFD_E63F, 0x6E7D_1E3F, 0x4EBF_1FE3]),
    (2, |isa| isa.simple(Simple::Neg, d(30), d(9)), "fneg v30.2d, v9.2d", &[0x6EE0_F93E]),
    (2, |isa| isa.simple(Simple::Abs, d(30), d(9)), "fabs v30.2d, v9.2d", &[0x4EE0_F93E]),
    (2, |isa| isa.simple(Simple::Sqrt, d(30), d(9)), "fsqrt v30.2d, v9.2d", &[0x6EE1_F93E]),
    (2, |isa| isa.simple(Simple::Floor, d(30), d(9)), "frintm v30.2d, v9.2d", &[0x4E61_993E]),
    (2, |isa| isa.fused(PLUS, d(1), d(2), d(19), d(28)), "mov v1.16b, v28.16b; fmla v1.2d, v2.2d, v19.2d", &[0x4EBC_1F81, 0x4E73_CC41]),
    (2, |isa| isa.fused(MINUS_PRODUCT, d(1), d(2), d(19), d(28)), "mov v1.16b, v28.16b; fmls v1.2d, v2.2d, v19.2d", &[0x4EBC_1F81, 0x4EF3_CC41]),
    (2, |isa| isa.fused(MINUS_ADDEND, d(1), d(2), d(19), d(28)), "fneg v1.2d, v28.2d; fmla v1.2d, v2.2d, v19.2d", &[0x6EE0_FB81, 0x4E73_CC41]),
    (2, |isa| isa.fused(MINUS_BOTH, d(1), d(2), d(19), d(28)), "fneg v1.2d, v28.2d; fmls v1.2d, v2.2d, v19.2d", &[0x6EE0_FB81, 0x4EF3_CC41]),
    (2, |isa| isa.fused(PLUS, d(1), d(2), d(19), d(1)), "fmla v1.2d, v2.2d, v19.2d", &[0x4E73_CC41]),
    (2, |isa| isa.fused(PLUS, d(2), d(2), d(19), d(28)), "mov v31.16b, v28.16b; fmla v31.2d, v2.2d, v19.2d; mov v2.16b, v31.16b", &[0x4EBC_1F9F, 0x4E73_CC5F, 0x4EBF_1FE2]),
    (2, |isa| isa.compare(Relation::Lt, d(4), d(5), d(16)), "fcmgt v4.2d, v16.2d, v5.2d", &[0x6EE5_E604]),
    (2, |isa| isa.compare(Relation::Le, d(4), d(5), d(16)), "fcmge v4.2d, v16.2d, v5.2d", &[0x6E65_E604]),
    (2, |isa| isa.compare(Relation::Eq, d(4), d(5), d(16)), "fcmeq v4.2d, v5.2d, v16.2d", &[0x4E70_E4A4]),
    (2, |isa| isa.compare(Relation::Ne, d(4), d(5), d(16)), "fcmeq v4.2d, v5.2d, v16.2d; mvn v4.16b, v4.16b", &[0x4E70_E4A4, 0x6E20_5884]),
    (2, |isa| isa.shift_left(d(6), d(21), 62), "shl v6.2d, v21.2d, 62", &[0x4F7E_56A6]),
    (2, |isa| isa.add_integers(d(6), d(21), d(7)), "add v6.2d, v21.2d, v7.2d", &[0x4EE7_86A6]),
    (2, |isa| isa.is_odd(d(6), d(21)), "shl v6.2d, v21.2d, 63; sshr v6.2d, v6.2d, 63", &[0x4F7F_56A6, 0x4F41_04C6]),
    (2, |isa| isa.load(d(25), Memory::Work(5)), "ldr q25, [x19, 80]", &[0x3DC0_1679]),
    (2, |isa| isa.load(d(25), Memory::Input(4095)), "ldr q25, [x22, 65520]", &[0x3DFF_FED9]),
    (2, |isa| isa.load(d(25), Memory::Work(4096)), "mov x16, 4096; ldr q25, [x19, x16, lsl 4]", &[0xD282_0010, 0x3CF0_7A79]),
    (2, |isa| isa.load(d(25), Memory::Work(0x1_2345)), "movz x16, 0x2345; movk x16, 1, lsl 16; ldr q25, [x19, x16, lsl 4]", &[0xD284_68B0, 0xF2A0_0030, 0x3CF0_7A79]),
    (2, |isa| isa.store(Memory::Output(7), d(26)), "str q26, [x20, 112]", &[0x3D80_1E9A]),
    (2, |isa| isa.store(Memory::Work(5000), d(26)), "mov x16, 5000; str q26, [x19, x16, lsl 4]", &[0xD282_7110, 0x3CB0_7A7A]),
    (2, |isa| isa.call_out(3, 9, 0x1_0000), "mov x0, x21; mov x1, 3; add x2, x19, 144; movz x16, 0; movk x16, 1, lsl 16; add x3, x19, x16, lsl 4; ldr x16, [x21]; blr x16", &[0xAA15_03E0, 0xD280_0061, 0x9102_4262, 0xD280_0010, 0xF2A0_0030, 0x8B10_1263, 0xF940_02B0, 0xD63F_0200]),
    (2, |isa| { let jump = isa.jump_unless_below(d(1), d(30)); isa.copy(d(0), d(2)); isa.land(jump) }, "fcmgt v31.2d, v30.2d, v1.2d; uminv s31, v31.4s; fmov w16, s31; cbz w16, 1f; mov v0.16b, v2.16b; 1:", &[0x6EE1_E7DF, 0x6EB1_ABFF, 0x1E26_03F0, 0x3400_0050, 0x4EA2_1C40]),
    (1, |isa| isa.bits(Bits::And, d(8), d(15), d(24)), "and v8.16b, v15.16b, v24.16b", &[0x4E38_1DE8]),
    (1, |isa| isa.bits(Bits::Or, d(8), d(15), d(24)), "orr v8.16b, v15.16b, v24.16b", &[0x4EB8_1DE8]),
    (1, |isa| isa.bits(Bits::Xor, d(8), d(15), d(24)), "eor v8.16b, v15.16b, v24.16b", &[0x6E38_1DE8]),
    (1, |isa| isa.not(d(8), d(15)), "mvn v8.16b, v15.16b", &[0x6E20_59E8]),
    (1, |isa| isa.copy(d(8), d(15)), "mov v8.16b, v15.16b", &[0x4EAF_1DE8]),
    (1, |isa| isa.copy(d(8), d(8)), "", &[]),
    (1, |isa| isa.blend(d(1), d(2), d(3), d(4)), "mov v1.16b, v2.16b; bsl v1.16b, v3.16b, v4.16b", &[0x4EA2_1C41, 0x6E64_1C61]),
    (1, |isa| isa.blend(d(2), d(2), d(3), d(4)), "bsl v2.16b, v3.16b, v4.16b", &[0x6E64_1C62]),
    (1, |isa| isa.blend(d(3), d(2), d(3), d(4)), "bif v3.16b, v4.16b, v2.16b", &[0x6EE2_1C83]),
    (1, |isa| isa.blend(d(4), d(2), d(3), d(4)), "bit v4.16b, v3.16b, v2.16b", &[0x6EA2_1C64]),
    (1, |isa| isa.enter(), "stp x29, x30, [sp, -112]!; mov x29, sp; stp x19, x20, [sp, 16]; stp x21, x22, [sp, 32]; stp d8, d9, [sp, 48]; stp d10, d11, [sp, 64]; stp d12, d13, [sp, 80]; stp d14, d15, [sp, 96]; mov x19, x0; mov x20, x1; mov x21, x2; mov x22, x3", &[0xA9B9_7BFD, 0x9100_03FD, 0xA901_53F3, 0xA902_5BF5, 0x6D03_27E8, 0x6D04_2FEA, 0x6D05_37EC, 0x6D06_3FEE, 0xAA00_03F3, 0xAA01_03F4, 0xAA02_03F5, 0xAA03_03F6]),
    (1, |isa| isa.leave(), "ldp d8, d9, [sp, 48]; ldp d10, d11, [sp, 64]; ldp d12, d13, [sp, 80]; ldp d14, d15, [sp, 96]; ldp x21, x22, [sp, 32]; ldp x19, x20, [sp, 16]; ldp x29, x30, [sp], 112; ret", &[0x6D43_27E8, 0x6D44_2FEA, 0x6D45_37EC, 0x6D46_3FEE, 0xA942_5BF5, 0xA941_53F3, 0xA8C7_7BFD, 0xD65F_03C0]),
    (1, |isa| { isa.return_from_routine(); isa.call_routine(0) }, "1: ret; bl 1b", &[0xD65F_03C0, 0x97FF_FFFF]),
    (1, |isa| isa.begin_calls(), "str x30, [sp, -16]!", &[0xF81F_0FFE]),
    (1, |isa| isa.end_calls(), "ldr x30, [sp], 16; ret", &[0xF841_07FE, 0xD65F_03C0]),
    (2, |isa| isa.join(d(7), d(18)), "zip1 v7.2d, v7.2d, v18.2d", &[0x4ED2_38E7]),
];

#[test]
fn instructions_are_those_of_the_assembler() {
    for (lanes, emit, text, expected) in TABLE {
        let mut isa = Neon::new(*lanes);
        emit(&mut isa);
        let hexadecimal = |words: &[u32]| words.iter().map(|w| format!("{w:08x} ")).collect::<String>();
        assert_eq!(hexadecimal(&isa.words), hexadecimal(expected), "{text}");
    }
}
