//! Words that generated Rust must not use as names.

#[rustfmt::skip]
pub(super) const RESERVED: [&str; 102] = [
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
    "Self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while", "abstract",
    "become", "box", "do", "final", "macro", "override", "priv", "try", "typeof", "unsized", "virtual", "yield",
    "union", "f64", "f32", "u64", "usize", "i32", "bool", "u8", "Some", "None", "Ok", "Err", "Option", "Result",
    "External", "external", "N_WORK", "main", "core", "std",
    "sign_of", "minimum", "maximum", "whole_power", "find_interval", "cubic", "look_up", "look_up_2",
    "solve_linear", "floor", "sqrt", "two_over_pi", "digits_of_two_over_pi", "reduced", "circular", "sin", "cos",
    "tan", "atan", "atan2", "asin", "acos", "exp", "ln", "pow", "sinh", "cosh", "tanh", "fused", "high_half",
];
