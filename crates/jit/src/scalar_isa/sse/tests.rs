//! Every instruction against the bytes that GNU as 2.40 makes of its text.

use crate::allocation::registers::Register;
use crate::allocation::value_locations::Memory;
use crate::scalar_isa::isa::{Arithmetic, Bits, Isa, Relation, Simple};
use crate::scalar_isa::sse::Sse;

fn d(number: u8) -> Register {
    Register(number)
}

/// Lanes, what is asked for, the assembler's text, its bytes.
type Row = (usize, fn(&mut Sse), &'static str, &'static str);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    (1, |isa| isa.arithmetic(Arithmetic::Add, d(3), d(3), d(12)), "addsd xmm3, xmm12", "f2 41 0f 58 dc"),
    (1, |isa| isa.arithmetic(Arithmetic::Add, d(9), d(1), d(2)), "movapd xmm9, xmm1; addsd xmm9, xmm2", "66 44 0f 28 c9 f2 44 0f 58 ca"),
    (1, |isa| isa.arithmetic(Arithmetic::Sub, d(3), d(3), d(12)), "subsd xmm3, xmm12", "f2 41 0f 5c dc"),
    (1, |isa| isa.arithmetic(Arithmetic::Sub, d(9), d(1), d(2)), "movapd xmm9, xmm1; subsd xmm9, xmm2", "66 44 0f 28 c9 f2 44 0f 5c ca"),
    (1, |isa| isa.arithmetic(Arithmetic::Mul, d(3), d(3), d(12)), "mulsd xmm3, xmm12", "f2 41 0f 59 dc"),
    (1, |isa| isa.arithmetic(Arithmetic::Mul, d(9), d(1), d(2)), "movapd xmm9, xmm1; mulsd xmm9, xmm2", "66 44 0f 28 c9 f2 44 0f 59 ca"),
    (1, |isa| isa.arithmetic(Arithmetic::Div, d(3), d(3), d(12)), "divsd xmm3, xmm12", "f2 41 0f 5e dc"),
    (1, |isa| isa.arithmetic(Arithmetic::Div, d(9), d(1), d(2)), "movapd xmm9, xmm1; divsd xmm9, xmm2", "66 44 0f 28 c9 f2 44 0f 5e ca"),
    (1, |isa| isa.arithmetic(Arithmetic::Min, d(3), d(3), d(12)), "minsd xmm3, xmm12", "f2 41 0f 5d dc"),
    (1, |isa| isa.arithmetic(Arithmetic::Min, d(9), d(1), d(2)), "movapd xmm9, xmm1; minsd xmm9, xmm2", "66 44 0f 28 c9 f2 44 0f 5d ca"),
    (1, |isa| isa.arithmetic(Arithmetic::Max, d(3), d(3), d(12)), "maxsd xmm3, xmm12", "f2 41 0f 5f dc"),
    (1, |isa| isa.arithmetic(Arithmetic::Max, d(9), d(1), d(2)), "movapd xmm9, xmm1; maxsd xmm9, xmm2", "66 44 0f 28 c9 f2 44 0f 5f ca"),
    (1, |isa| isa.arithmetic(Arithmetic::Add, d(4), d(5), d(4)), "addsd xmm4, xmm5", "f2 0f 58 e5"),
    (1, |isa| isa.arithmetic(Arithmetic::Sub, d(4), d(5), d(4)), "movapd xmm15, xmm4; movapd xmm4, xmm5; subsd xmm4, xmm15", "66 44 0f 28 fc 66 0f 28 e5 f2 41 0f 5c e7"),
    (1, |isa| isa.simple(Simple::Sqrt, d(10), d(2)), "sqrtsd xmm10, xmm2", "f2 44 0f 51 d2"),
    (1, |isa| isa.compare(Relation::Lt, d(1), d(1), d(8)), "cmpltsd xmm1, xmm8", "f2 41 0f c2 c8 01"),
    (1, |isa| isa.compare(Relation::Le, d(1), d(1), d(8)), "cmplesd xmm1, xmm8", "f2 41 0f c2 c8 02"),
    (1, |isa| isa.compare(Relation::Eq, d(1), d(1), d(8)), "cmpeqsd xmm1, xmm8", "f2 41 0f c2 c8 00"),
    (1, |isa| isa.compare(Relation::Ne, d(1), d(1), d(8)), "cmpneqsd xmm1, xmm8", "f2 41 0f c2 c8 04"),
    (1, |isa| isa.load(d(11), Memory::Work(2)), "movsd xmm11, [rbx + -112]", "f2 44 0f 10 5b 90"),
    (1, |isa| isa.load(d(1), Memory::Work(1000)), "movsd xmm1, [rbx + 7872]", "f2 0f 10 8b c0 1e 00 00"),
    (1, |isa| isa.load(d(1), Memory::Input(3)), "movsd xmm1, [rbp + 24]", "f2 0f 10 4d 18"),
    (1, |isa| isa.store(Memory::Output(3), d(1)), "movsd [r13 + 24], xmm1", "f2 41 0f 11 4d 18"),
    (1, |isa| isa.store(Memory::Output(100), d(9)), "movsd [r13 + 800], xmm9", "f2 45 0f 11 8d 20 03 00 00"),
    (1, |isa| isa.call_out(3, 900, 500), "mov rdi, r14; mov esi, 3; lea rdx, [rbx + 7072]; lea rcx, [rbx + 3872]; call [r14]", "4c 89 f7 be 03 00 00 00 48 8d 93 a0 1b 00 00 48 8d 8b 20 0f 00 00 41 ff 16"),
    (1, |isa| { let jump = isa.jump_unless_below(d(1), d(14)); isa.copy(d(0), d(2)); isa.land(jump) }, "ucomisd xmm14, xmm1; .byte 0x0f, 0x86; .long 4; movapd xmm0, xmm2", "66 44 0f 2e f1 0f 86 04 00 00 00 66 0f 28 c2"),
    (2, |isa| isa.arithmetic(Arithmetic::Add, d(3), d(3), d(12)), "addpd xmm3, xmm12", "66 41 0f 58 dc"),
    (2, |isa| isa.arithmetic(Arithmetic::Add, d(9), d(1), d(2)), "movapd xmm9, xmm1; addpd xmm9, xmm2", "66 44 0f 28 c9 66 44 0f 58 ca"),
    (2, |isa| isa.arithmetic(Arithmetic::Sub, d(3), d(3), d(12)), "subpd xmm3, xmm12", "66 41 0f 5c dc"),
    (2, |isa| isa.arithmetic(Arithmetic::Sub, d(9), d(1), d(2)), "movapd xmm9, xmm1; subpd xmm9, xmm2", "66 44 0f 28 c9 66 44 0f 5c ca"),
    (2, |isa| isa.arithmetic(Arithmetic::Mul, d(3), d(3), d(12)), "mulpd xmm3, xmm12", "66 41 0f 59 dc"),
    (2, |isa| isa.arithmetic(Arithmetic::Mul, d(9), d(1), d(2)), "movapd xmm9, xmm1; mulpd xmm9, xmm2", "66 44 0f 28 c9 66 44 0f 59 ca"),
    (2, |isa| isa.arithmetic(Arithmetic::Div, d(3), d(3), d(12)), "divpd xmm3, xmm12", "66 41 0f 5e dc"),
    (2, |isa| isa.arithmetic(Arithmetic::Div, d(9), d(1), d(2)), "movapd xmm9, xmm1; divpd xmm9, xmm2", "66 44 0f 28 c9 66 44 0f 5e ca"),
    (2, |isa| isa.arithmetic(Arithmetic::Min, d(3), d(3), d(12)), "minpd xmm3, xmm12", "66 41 0f 5d dc"),
    (2, |isa| isa.arithmetic(Arithmetic::Min, d(9), d(1), d(2)), "movapd xmm9, xmm1; minpd xmm9, xmm2", "66 44 0f 28 c9 66 44 0f 5d ca"),
    (2, |isa| isa.arithmetic(Arithmetic::Max, d(3), d(3), d(12)), "maxpd xmm3, xmm12", "66 41 0f 5f dc"),
    (2, |isa| isa.arithmetic(Arithmetic::Max, d(9), d(1), d(2)), "movapd xmm9, xmm1; maxpd xmm9, xmm2", "66 44 0f 28 c9 66 44 0f 5f ca"),
    (2, |isa| isa.arithmetic(Arithmetic::Add, d(4), d(5), d(4)), "addpd xmm4, xmm5", "66 0f 58 e5"),
    (2, |isa| isa.arithmetic(Arithmetic::Sub, d(4), d(5), d(4)), "movapd xmm15, xmm4; movapd xmm4, xmm5; subpd xmm4, xmm15", "66 44 0f 28 fc 66 0f 28 e5 66 41 0f 5c e7"),
    (2, |isa| isa.simple(Simple::Sqrt, d(10), d(2)), "sqrtpd xmm10, xmm2", "66 44 0f 51 d2"),
    (2, |isa| isa.compare(Relation::Lt, d(1), d(1), d(8)), "cmpltpd xmm1, xmm8", "66 41 0f c2 c8 01"),
    (2, |isa| isa.compare(Relation::Le, d(1), d(1), d(8)), "cmplepd xmm1, xmm8", "66 41 0f c2 c8 02"),
    (2, |isa| isa.compare(Relation::Eq, d(1), d(1), d(8)), "cmpeqpd xmm1, xmm8", "66 41 0f c2 c8 00"),
    (2, |isa| isa.compare(Relation::Ne, d(1), d(1), d(8)), "cmpneqpd xmm1, xmm8", "66 41 0f c2 c8 04"),
    (2, |isa| isa.load(d(11), Memory::Work(2)), "movupd xmm11, [rbx + -96]", "66 44 0f 10 5b a0"),
    (2, |isa| isa.load(d(1), Memory::Work(1000)), "movupd xmm1, [rbx + 15872]", "66 0f 10 8b 00 3e 00 00"),
    (2, |isa| isa.load(d(1), Memory::Input(3)), "movupd xmm1, [rbp + 48]", "66 0f 10 4d 30"),
    (2, |isa| isa.store(Memory::Output(3), d(1)), "movupd [r13 + 48], xmm1", "66 41 0f 11 4d 30"),
    (2, |isa| isa.store(Memory::Output(100), d(9)), "movupd [r13 + 1600], xmm9", "66 45 0f 11 8d 40 06 00 00"),
    (2, |isa| isa.call_out(3, 900, 500), "mov rdi, r14; mov esi, 3; lea rdx, [rbx + 14272]; lea rcx, [rbx + 7872]; call [r14]", "4c 89 f7 be 03 00 00 00 48 8d 93 c0 37 00 00 48 8d 8b c0 1e 00 00 41 ff 16"),
    (2, |isa| { let jump = isa.jump_unless_below(d(1), d(14)); isa.copy(d(0), d(2)); isa.land(jump) }, "movapd xmm15, xmm1; cmpltpd xmm15, xmm14; movmskpd eax, xmm15; cmp eax, 3; .byte 0x0f, 0x85; .long 4; movapd xmm0, xmm2", "66 44 0f 28 f9 66 45 0f c2 fe 01 66 41 0f 50 c7 83 f8 03 0f 85 04 00 00 00 66 0f 28 c2"),
    (1, |isa| isa.simple(Simple::Neg, d(3), d(12)), "pcmpeqd xmm15, xmm15; psllq xmm15, 63; movapd xmm3, xmm12; xorpd xmm3, xmm15", "66 45 0f 76 ff 66 41 0f 73 f7 3f 66 41 0f 28 dc 66 41 0f 57 df"),
    (1, |isa| isa.simple(Simple::Abs, d(3), d(3)), "pcmpeqd xmm15, xmm15; psrlq xmm15, 1; andpd xmm3, xmm15", "66 45 0f 76 ff 66 41 0f 73 d7 01 66 41 0f 54 df"),
    (1, |isa| isa.bits(Bits::And, d(8), d(1), d(8)), "andpd xmm8, xmm1", "66 44 0f 54 c1"),
    (1, |isa| isa.bits(Bits::Or, d(8), d(1), d(8)), "orpd xmm8, xmm1", "66 44 0f 56 c1"),
    (1, |isa| isa.bits(Bits::Xor, d(8), d(1), d(8)), "xorpd xmm8, xmm1", "66 44 0f 57 c1"),
    (1, |isa| isa.not(d(8), d(8)), "pcmpeqd xmm15, xmm15; xorpd xmm8, xmm15", "66 45 0f 76 ff 66 45 0f 57 c7"),
    (1, |isa| isa.blend(d(1), d(2), d(3), d(4)), "movapd xmm15, xmm2; andnpd xmm15, xmm4; movapd xmm1, xmm2; andpd xmm1, xmm3; orpd xmm1, xmm15", "66 44 0f 28 fa 66 44 0f 55 fc 66 0f 28 ca 66 0f 54 cb 66 41 0f 56 cf"),
    (1, |isa| isa.blend(d(4), d(2), d(3), d(4)), "movapd xmm15, xmm2; andnpd xmm15, xmm4; movapd xmm4, xmm2; andpd xmm4, xmm3; orpd xmm4, xmm15", "66 44 0f 28 fa 66 44 0f 55 fc 66 0f 28 e2 66 0f 54 e3 66 41 0f 56 e7"),
    (1, |isa| isa.shift_left(d(6), d(7), 62), "movapd xmm6, xmm7; psllq xmm6, 62", "66 0f 28 f7 66 0f 73 f6 3e"),
    (1, |isa| isa.add_integers(d(6), d(6), d(9)), "paddq xmm6, xmm9", "66 41 0f d4 f1"),
    (1, |isa| isa.is_odd(d(6), d(7)), "movapd xmm15, xmm7; psllq xmm15, 63; psrlq xmm15, 63; pxor xmm6, xmm6; psubq xmm6, xmm15", "66 44 0f 28 ff 66 41 0f 73 f7 3f 66 41 0f 73 d7 3f 66 0f ef f6 66 41 0f fb f7"),
    (1, |isa| isa.enter(), "push rbx; push rbp; push r13; push r14; sub rsp, 8; .byte 0x48,0x8d,0x9f; .long 128; mov r13, rsi; mov r14, rdx; mov rbp, rcx", "53 55 41 55 41 56 48 83 ec 08 48 8d 9f 80 00 00 00 49 89 f5 49 89 d6 48 89 cd"),
    (1, |isa| isa.leave(), "add rsp, 8; pop r14; pop r13; pop rbp; pop rbx; ret", "48 83 c4 08 41 5e 41 5d 5d 5b c3"),
    (1, |isa| { isa.return_from_routine(); isa.call_routine(0) }, "1: ret; call 1b", "c3 e8 fa ff ff ff"),
    (1, |isa| isa.begin_calls(), "sub rsp, 8", "48 83 ec 08"),
    (1, |isa| isa.end_calls(), "add rsp, 8; ret", "48 83 c4 08 c3"),
    (2, |isa| isa.join(d(7), d(9)), "unpcklpd xmm7, xmm9", "66 41 0f 14 f9"),
];

#[test]
fn instructions_are_those_of_the_assembler() {
    for (lanes, emit, text, expected) in TABLE {
        let mut isa = Sse::new(*lanes);
        emit(&mut isa);
        let hexadecimal: Vec<String> = isa.code.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hexadecimal.join(" "), *expected, "{text}");
    }
}
