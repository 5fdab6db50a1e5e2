//! The binary format of WebAssembly 1.0, as far as we write it.

/// Value types.
pub(super) const F64: u8 = 0x7C;
pub(super) const I64: u8 = 0x7E;
pub(super) const I32: u8 = 0x7F;

/// Instructions that we use, by their names in the text format.
#[allow(missing_docs)]
pub(super) mod op {
    pub const BLOCK: u8 = 0x02;
    pub const LOOP: u8 = 0x03;
    pub const IF: u8 = 0x04;
    pub const ELSE: u8 = 0x05;
    pub const END: u8 = 0x0B;
    pub const BR: u8 = 0x0C;
    pub const BR_IF: u8 = 0x0D;
    pub const RETURN: u8 = 0x0F;
    pub const CALL: u8 = 0x10;
    pub const DROP: u8 = 0x1A;
    pub const SELECT: u8 = 0x1B;
    pub const LOCAL_GET: u8 = 0x20;
    pub const LOCAL_SET: u8 = 0x21;
    pub const F64_LOAD: u8 = 0x2B;
    pub const F64_STORE: u8 = 0x39;
    pub const I32_CONST: u8 = 0x41;
    pub const I64_CONST: u8 = 0x42;
    pub const F64_CONST: u8 = 0x44;
    pub const I32_EQZ: u8 = 0x45;
    pub const I32_EQ: u8 = 0x46;
    pub const I32_NE: u8 = 0x47;
    pub const I64_EQ: u8 = 0x51;
    pub const I64_NE: u8 = 0x52;
    pub const I64_LT_U: u8 = 0x54;
    pub const I64_GT_U: u8 = 0x56;
    pub const I64_LE_U: u8 = 0x58;
    pub const I64_GE_U: u8 = 0x5A;
    pub const F64_EQ: u8 = 0x61;
    pub const F64_NE: u8 = 0x62;
    pub const F64_LT: u8 = 0x63;
    pub const F64_GT: u8 = 0x64;
    pub const F64_LE: u8 = 0x65;
    pub const F64_GE: u8 = 0x66;
    pub const I32_AND: u8 = 0x71;
    pub const I32_OR: u8 = 0x72;
    pub const I64_ADD: u8 = 0x7C;
    pub const I64_SUB: u8 = 0x7D;
    pub const I64_MUL: u8 = 0x7E;
    pub const I64_AND: u8 = 0x83;
    pub const I64_OR: u8 = 0x84;
    pub const I64_XOR: u8 = 0x85;
    pub const I64_SHL: u8 = 0x86;
    pub const I64_SHR_U: u8 = 0x88;
    pub const F64_ABS: u8 = 0x99;
    pub const F64_NEG: u8 = 0x9A;
    pub const F64_FLOOR: u8 = 0x9C;
    pub const F64_SQRT: u8 = 0x9F;
    pub const F64_ADD: u8 = 0xA0;
    pub const F64_SUB: u8 = 0xA1;
    pub const F64_MUL: u8 = 0xA2;
    pub const F64_DIV: u8 = 0xA3;
    pub const I32_WRAP_I64: u8 = 0xA7;
    pub const F64_CONVERT_I32_S: u8 = 0xB7;
    pub const F64_CONVERT_I64_U: u8 = 0xBA;
    pub const I64_REINTERPRET_F64: u8 = 0xBD;
    pub const F64_REINTERPRET_I64: u8 = 0xBF;
    /// i64.trunc_sat_f64_u, two bytes.
    pub const I64_TRUNC_SAT_F64_U: [u8; 2] = [0xFC, 0x07];
    /// A block without a result.
    pub const EMPTY: u8 = 0x40;
}

/// Appends an unsigned number in LEB128.
pub(super) fn unsigned(code: &mut Vec<u8>, mut value: u64) {
    loop {
        let byte = (value & 0x7F) as u8;
        value >>= 7;
        if value == 0 {
            code.push(byte);
            return;
        }
        code.push(byte | 0x80);
    }
}

/// Appends a signed number in LEB128.
pub(super) fn signed(code: &mut Vec<u8>, mut value: i64) {
    loop {
        let byte = (value & 0x7F) as u8;
        value >>= 7;
        if (value == 0 && byte & 0x40 == 0) || (value == -1 && byte & 0x40 != 0) {
            code.push(byte);
            return;
        }
        code.push(byte | 0x80);
    }
}

/// Appends a text with its length.
pub(super) fn text(code: &mut Vec<u8>, value: &str) {
    unsigned(code, value.len() as u64);
    code.extend_from_slice(value.as_bytes());
}

/// Parameters and results of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Signature {
    pub parameters: Vec<u8>,
    pub results: Vec<u8>,
}

/// A function with its code.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub signature: Signature,
    /// Types of locals beyond the parameters.
    pub locals: Vec<u8>,
    /// Instructions without the final end.
    pub code: Vec<u8>,
}

/// A module in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    /// Functions of the host, from the module `env`.
    pub imports: Vec<(String, Signature)>,
    pub functions: Vec<Function>,
    /// Exported functions: name and index, imports counted first.
    pub exports: Vec<(String, u32)>,
    /// Contents of memory from address 0 on.
    pub data: Vec<u8>,
    /// First byte of memory that the module does not use.
    pub free: u32,
    /// Text of a custom section.
    pub about: String,
}

const PAGE: u32 = 65536;

impl Module {
    /// The bytes of the module.
    pub fn bytes(&self) -> Vec<u8> {
        let mut types: Vec<&Signature> = Vec::new();
        let all = self.imports.iter().map(|(_, s)| s).chain(self.functions.iter().map(|f| &f.signature));
        for signature in all {
            if !types.contains(&signature) {
                types.push(signature);
            }
        }
        let type_of = |s: &Signature| types.iter().position(|t| *t == s).unwrap_or(0) as u64;
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let mut about = Vec::new();
        text(&mut about, "about");
        about.extend_from_slice(self.about.as_bytes());
        section(&mut module, 0, &about);
        list(&mut module, 1, &types, |out, s| {
            out.push(0x60);
            for part in [&s.parameters, &s.results] {
                unsigned(out, part.len() as u64);
                out.extend_from_slice(part);
            }
        });
        list(&mut module, 2, &self.imports, |out, (name, s)| {
            text(out, "env");
            text(out, name);
            out.push(0);
            unsigned(out, type_of(s));
        });
        list(&mut module, 3, &self.functions, |out, f| unsigned(out, type_of(&f.signature)));
        let mut memory = vec![1, 0];
        unsigned(&mut memory, u64::from(self.free / PAGE + 2));
        section(&mut module, 5, &memory);
        let mut global = vec![1, I32, 0, op::I32_CONST];
        signed(&mut global, i64::from(self.free));
        global.push(op::END);
        section(&mut module, 6, &global);
        let mut exports = Vec::new();
        unsigned(&mut exports, self.exports.len() as u64 + 2);
        for (name, kind) in [("memory", 2), ("free", 3)] {
            text(&mut exports, name);
            exports.extend([kind, 0]);
        }
        for (name, index) in &self.exports {
            text(&mut exports, name);
            exports.push(0);
            unsigned(&mut exports, u64::from(*index));
        }
        section(&mut module, 7, &exports);
        list(&mut module, 10, &self.functions, |out, f| {
            let mut body = Vec::new();
            let mut runs: Vec<(u64, u8)> = Vec::new();
            for ty in &f.locals {
                match runs.last_mut() {
                    Some((n, t)) if t == ty => *n += 1,
                    _ => runs.push((1, *ty)),
                }
            }
            unsigned(&mut body, runs.len() as u64);
            for (n, ty) in runs {
                unsigned(&mut body, n);
                body.push(ty);
            }
            body.extend_from_slice(&f.code);
            body.push(op::END);
            unsigned(out, body.len() as u64);
            out.extend(body);
        });
        if !self.data.is_empty() {
            let mut data = vec![1, 0, op::I32_CONST, 0, op::END];
            unsigned(&mut data, self.data.len() as u64);
            data.extend_from_slice(&self.data);
            section(&mut module, 11, &data);
        }
        module
    }
}

fn section(module: &mut Vec<u8>, id: u8, contents: &[u8]) {
    module.push(id);
    unsigned(module, contents.len() as u64);
    module.extend_from_slice(contents);
}

fn list<T>(module: &mut Vec<u8>, id: u8, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    let mut contents = Vec::new();
    unsigned(&mut contents, items.len() as u64);
    for item in items {
        write(&mut contents, item);
    }
    section(module, id, &contents);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_variable_length() {
        let unsigned = |v| {
            let mut code = Vec::new();
            unsigned(&mut code, v);
            code
        };
        let signed = |v| {
            let mut code = Vec::new();
            signed(&mut code, v);
            code
        };
        assert_eq!(unsigned(624485), [0xE5, 0x8E, 0x26]);
        assert_eq!(
            (signed(-123456), signed(63), signed(64)),
            (vec![0xC0, 0xBB, 0x78], vec![0x3F], vec![0xC0, 0])
        );
    }
}
