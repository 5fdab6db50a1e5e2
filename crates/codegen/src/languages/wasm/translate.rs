//! From the kernels' subset of Rust to WebAssembly, in one pass.
//!
//! WebAssembly is a stack machine, so recursive descent can write instructions as it reads: operands first,
//! then the operator. Types are `f64`, `u64` and `bool`. Logical operators evaluate both sides. The texts are
//! ours, so anything unexpected is a mistake of ours: it yields code that the tests' engine refuses.

use std::collections::BTreeMap;

use super::binary::{F64, Function, I32, I64, Signature, op, signed, unsigned};

/// The functions of a text by name, with their signatures and bodies.
pub(super) struct Source<'a> {
    functions: Vec<(&'a str, Signature, Vec<&'a str>)>,
}

impl<'a> Source<'a> {
    /// Splits a text into functions.
    pub fn new(text: &'a str) -> Self {
        let tokens = tokens(text);
        let mut functions = Vec::new();
        let mut i = 0;
        while i < tokens.len() {
            let start = i;
            let mut depth = 0;
            loop {
                match tokens.get(i) {
                    Some(&"{") => depth += 1,
                    Some(&"}") => depth -= 1,
                    Some(_) => {}
                    None => break,
                }
                i += 1;
                if depth == 0 && tokens.get(i - 1) == Some(&"}") {
                    break;
                }
            }
            let body = tokens[start..i].to_vec();
            let name = body.get(1).copied().unwrap_or("");
            functions.push((name, signature(&body), body));
        }
        Source { functions }
    }

    /// Names in order.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.functions.iter().map(|(name, ..)| *name)
    }

    /// All functions translated; the first has the index `first`.
    pub fn translate(&self, first: u32) -> Vec<Function> {
        let mut known = BTreeMap::new();
        for (k, (name, signature, _)) in self.functions.iter().enumerate() {
            known.insert(*name, (first + k as u32, signature.clone()));
        }
        self.functions.iter().map(|(_, s, body)| Translator::new(s, body, &known).function(s)).collect()
    }
}

fn value_type(word: &str) -> u8 {
    if word == "u64" { I64 } else { F64 }
}

fn signature(tokens: &[&str]) -> Signature {
    let mut parameters = Vec::new();
    let mut i = 3;
    while i + 2 < tokens.len() && tokens[i] != "->" && tokens[i] != "{" {
        if tokens[i] == ":" {
            parameters.push(value_type(tokens[i + 1]));
        }
        i += 1;
    }
    Signature { parameters, results: vec![value_type(tokens.get(i + 1).copied().unwrap_or("f64"))] }
}

/// Words, numbers and signs; comments are left out.
fn tokens(text: &str) -> Vec<&str> {
    const PAIRS: [&str; 10] = ["->", "::", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>"];
    let mut list = Vec::new();
    for line in text.lines() {
        let mut rest = line.split("//").next().unwrap_or("").trim_start();
        while let Some(c) = rest.chars().next() {
            let n = if c.is_ascii_digit() {
                number_length(rest)
            } else if c.is_alphabetic() || c == '_' {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            } else if PAIRS.iter().any(|p| rest.starts_with(p)) {
                2
            } else {
                c.len_utf8()
            };
            list.push(&rest[..n]);
            rest = rest[n..].trim_start();
        }
    }
    list
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut n = 1;
    while n < bytes.len() {
        let exponent_sign =
            matches!(bytes[n], b'-' | b'+') && bytes[n - 1] == b'e' && !text.starts_with("0x");
        if !(bytes[n].is_ascii_alphanumeric() || bytes[n] == b'.' || exponent_sign) {
            break;
        }
        n += 1;
    }
    n
}

struct Translator<'a> {
    tokens: &'a [&'a str],
    at: usize,
    known: &'a BTreeMap<&'a str, (u32, Signature)>,
    /// Variables in scope order, with their types; the last of a name counts.
    variables: Vec<(&'a str, u8)>,
    n_parameters: usize,
    code: Vec<u8>,
}

impl<'a> Translator<'a> {
    fn new(
        signature: &Signature,
        tokens: &'a [&'a str],
        known: &'a BTreeMap<&'a str, (u32, Signature)>,
    ) -> Self {
        let names = tokens.windows(2).take_while(|w| w[0] != "->").filter(|w| w[1] == ":").map(|w| w[0]);
        let variables: Vec<(&str, u8)> = names.zip(signature.parameters.iter().copied()).collect();
        let at = tokens.iter().position(|t| *t == "{").unwrap_or(0);
        Translator { tokens, at, known, n_parameters: variables.len(), variables, code: Vec::new() }
    }

    fn function(mut self, signature: &Signature) -> Function {
        self.block();
        let locals = self.variables[self.n_parameters..].iter().map(|(_, ty)| *ty).collect();
        Function { signature: signature.clone(), locals, code: self.code }
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }
    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }
    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn variable(&self, name: &str) -> (usize, u8) {
        let index = self.variables.iter().rposition(|(n, _)| *n == name).unwrap_or(0);
        (index, self.variables.get(index).map_or(F64, |(_, ty)| *ty))
    }

    /// `{ statements }`, or with a final expression whose value stays on the stack.
    fn block(&mut self) {
        self.accept("{");
        while !self.accept("}") && self.at < self.tokens.len() {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.peek() {
            "let" => {
                self.next();
                self.accept("mut");
                let name = self.next();
                self.accept("=");
                let ty = self.expression(0);
                self.variables.push((name, ty));
                self.code.push(op::LOCAL_SET);
                unsigned(&mut self.code, self.variables.len() as u64 - 1);
                self.accept(";");
            }
            "return" => {
                self.next();
                self.expression(0);
                self.code.push(op::RETURN);
                self.accept(";");
            }
            "if" => {
                self.next();
                self.expression(0);
                self.code.extend([op::IF, op::EMPTY]);
                self.block();
                if self.accept("else") {
                    self.code.push(op::ELSE);
                    self.block();
                }
                self.code.push(op::END);
            }
            "while" => {
                self.next();
                self.code.extend([op::BLOCK, op::EMPTY, op::LOOP, op::EMPTY]);
                self.expression(0);
                self.code.extend([op::I32_EQZ, op::BR_IF, 1]);
                self.block();
                self.code.extend([op::BR, 0, op::END, op::END]);
            }
            "store" => {
                self.next();
                self.accept("(");
                self.expression(0);
                self.code.push(op::I32_WRAP_I64);
                self.accept(",");
                self.expression(0);
                self.accept(")");
                self.accept(";");
                self.code.extend([op::F64_STORE, 3, 0]);
            }
            name if self.tokens.get(self.at + 1) == Some(&"=") => {
                self.at += 2;
                let (index, _) = self.variable(name);
                self.expression(0);
                self.code.push(op::LOCAL_SET);
                unsigned(&mut self.code, index as u64);
                self.accept(";");
            }
            _ => {
                self.expression(0);
            }
        }
    }

    /// An expression of operators at least as strong as given; returns its type.
    fn expression(&mut self, weakest: u8) -> u8 {
        let mut ty = self.cast();
        loop {
            let sign = self.peek();
            let strength = match sign {
                "||" => 1,
                "&&" => 2,
                "==" | "!=" | "<" | "<=" | ">" | ">=" => 3,
                "|" => 4,
                "^" => 5,
                "&" => 6,
                "<<" | ">>" => 7,
                "+" | "-" => 8,
                "*" | "/" => 9,
                _ => return ty,
            };
            if strength <= weakest {
                return ty;
            }
            self.next();
            self.expression(strength);
            self.code.push(instruction(sign, ty));
            if strength <= 3 {
                ty = I32;
            }
        }
    }

    /// A unary expression, followed by any number of `as type`.
    fn cast(&mut self) -> u8 {
        let mut ty = self.unary();
        while self.accept("as") {
            let target = value_type(self.next());
            match (ty, target) {
                (F64, I64) => self.code.extend(op::I64_TRUNC_SAT_F64_U),
                (I64, F64) => self.code.push(op::F64_CONVERT_I64_U),
                _ => {}
            }
            ty = target;
        }
        ty
    }

    fn unary(&mut self) -> u8 {
        if self.accept("-") {
            let ty = self.unary();
            self.code.push(op::F64_NEG);
            ty
        } else if self.accept("!") {
            self.unary();
            self.code.push(op::I32_EQZ);
            I32
        } else {
            let mut ty = self.primary();
            while self.accept(".") {
                self.at += 3; // to_bits ( )
                self.code.push(op::I64_REINTERPRET_F64);
                ty = I64;
            }
            ty
        }
    }

    fn primary(&mut self) -> u8 {
        let token = self.next();
        if token == "(" {
            let ty = self.expression(0);
            self.accept(")");
            return ty;
        }
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(token);
        }
        if token == "f64" {
            self.accept("::");
            let name = self.next();
            return self.associated(name);
        }
        if self.peek() == "(" {
            return self.call(token);
        }
        let (index, ty) = self.variable(token);
        self.code.push(op::LOCAL_GET);
        unsigned(&mut self.code, index as u64);
        ty
    }

    fn number(&mut self, token: &str) -> u8 {
        let hexadecimal = token.strip_prefix("0x");
        if hexadecimal.is_none() && token.contains(['.', 'e']) {
            self.constant(token.parse().unwrap_or(f64::NAN));
            return F64;
        }
        let value = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16).unwrap_or(0),
            None => token.parse().unwrap_or(0),
        };
        self.code.push(op::I64_CONST);
        signed(&mut self.code, value as i64);
        I64
    }

    fn constant(&mut self, value: f64) {
        self.code.push(op::F64_CONST);
        self.code.extend(value.to_le_bytes());
    }

    fn associated(&mut self, name: &str) -> u8 {
        match name {
            "NAN" => self.constant(f64::NAN),
            "INFINITY" => self.constant(f64::INFINITY),
            _ => {
                self.accept("(");
                self.expression(0);
                self.accept(")");
                self.code.push(if name == "abs" { op::F64_ABS } else { op::F64_REINTERPRET_I64 });
            }
        }
        F64
    }

    fn call(&mut self, name: &str) -> u8 {
        self.accept("(");
        while !self.accept(")") && self.at < self.tokens.len() {
            self.expression(0);
            self.accept(",");
        }
        match name {
            "floor" => self.code.push(op::F64_FLOOR),
            "sqrt" => self.code.push(op::F64_SQRT),
            "load" => self.code.extend([op::I32_WRAP_I64, op::F64_LOAD, 3, 0]),
            name => {
                let (index, signature) = match self.known.get(name) {
                    Some((index, signature)) => (*index, signature.clone()),
                    None => (u32::MAX, Signature { parameters: Vec::new(), results: vec![F64] }),
                };
                self.code.push(op::CALL);
                unsigned(&mut self.code, u64::from(index));
                return signature.results[0];
            }
        }
        F64
    }
}

/// The instruction of a binary operator on operands of a type.
fn instruction(sign: &str, ty: u8) -> u8 {
    match (sign, ty) {
        ("||", _) => op::I32_OR,
        ("&&", _) => op::I32_AND,
        ("==", I32) => op::I32_EQ,
        ("!=", I32) => op::I32_NE,
        ("==", I64) => op::I64_EQ,
        ("!=", I64) => op::I64_NE,
        ("<", I64) => op::I64_LT_U,
        (">", I64) => op::I64_GT_U,
        ("<=", I64) => op::I64_LE_U,
        (">=", I64) => op::I64_GE_U,
        ("==", _) => op::F64_EQ,
        ("!=", _) => op::F64_NE,
        ("<", _) => op::F64_LT,
        (">", _) => op::F64_GT,
        ("<=", _) => op::F64_LE,
        (">=", _) => op::F64_GE,
        ("+", I64) => op::I64_ADD,
        ("-", I64) => op::I64_SUB,
        ("*", I64) => op::I64_MUL,
        ("&", _) => op::I64_AND,
        ("|", _) => op::I64_OR,
        ("^", _) => op::I64_XOR,
        ("<<", _) => op::I64_SHL,
        (">>", _) => op::I64_SHR_U,
        ("+", _) => op::F64_ADD,
        ("-", _) => op::F64_SUB,
        ("*", _) => op::F64_MUL,
        _ => op::F64_DIV,
    }
}
