//! Words that generated Fortran should not use as names: nothing is reserved, but much would mislead.

#[rustfmt::skip]
pub(super) const RESERVED: [&str; 90] = [
    "dp", "n_work", "unused", "real64", "ieee_value", "ieee_quiet_nan", "ieee_positive_inf", "ieee_is_nan",
    "iso_fortran_env", "ieee_arithmetic", "abs", "aint", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "exp", "log", "merge", "size", "max", "min", "mod", "shiftr",
    "opaque", "equal", "floor_of", "sign_of", "minimum", "maximum", "whole_power", "high_half", "fused",
    "find_interval", "cubic", "look_up", "look_up_2", "solve_linear",
    "if", "then", "else", "end", "endif", "do", "enddo", "while", "call", "return", "stop", "subroutine", "function",
    "module", "program", "contains", "use", "only", "implicit", "none", "private", "public", "real", "integer",
    "logical", "character", "complex", "type", "class", "interface", "import", "intent", "in", "out", "inout",
    "result", "data", "save", "parameter", "associate", "select", "case", "default", "where", "forall",
];

/// Intrinsic functions; compilers warn of functions with these names.
#[rustfmt::skip]
pub(super) const INTRINSICS: [&str; 72] = [
    "product", "sum", "dot_product", "matmul", "transpose", "gamma", "log_gamma", "erf", "erfc", "hypot", "norm2",
    "sign", "floor", "ceiling", "int", "nint", "anint", "modulo", "dim", "scale", "exponent", "fraction", "nearest",
    "spacing", "precision", "range", "epsilon", "huge", "tiny", "digits", "radix", "kind", "index", "len", "trim",
    "adjustl", "adjustr", "scan", "verify", "repeat", "char", "ichar", "achar", "iachar", "any", "all", "count",
    "maxval", "minval", "maxloc", "minloc", "pack", "unpack", "spread", "reshape", "shape", "rank", "lbound", "ubound",
    "cshift", "eoshift", "null", "transfer", "log10", "asinh", "acosh", "atanh", "conjg", "aimag", "cmplx", "dble",
    "present",
];
