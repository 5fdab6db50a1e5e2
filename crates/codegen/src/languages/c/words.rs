//! Words that generated C and C++ must not use as names.

#[rustfmt::skip]
pub(super) const C: [&str; 87] = [
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
    "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed",
    "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
    "bool", "true", "false", "main", "NAN", "INFINITY", "NULL", "errno",
    "fabs", "floor", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp",
    "log", "pow", "fma", "gamma", "j0", "j1", "jn", "y0", "y1", "yn", "index", "abs", "div", "signal", "time",
    "exit", "printf", "malloc", "free", "linux", "unix",
    "sign_of", "minimum", "maximum", "whole_power", "find_interval", "cubic", "look_up", "look_up_2",
    "solve_linear", "complex",
];

#[rustfmt::skip]
pub(super) const CPP: [&str; 65] = [
    "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "catch", "char16_t", "char32_t", "class",
    "compl", "constexpr", "const_cast", "decltype", "delete", "dynamic_cast", "explicit", "export", "friend",
    "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private",
    "protected", "public", "reinterpret_cast", "requires", "static_assert", "static_cast", "std", "template",
    "this", "thread_local", "throw", "try", "typeid", "typename", "using", "virtual", "wchar_t", "xor", "xor_eq",
    "concept", "co_await", "co_return", "co_yield", "consteval", "constinit", "import", "module", "char8_t",
    "final", "override", "n_work", "size_t", "ptrdiff_t", "string",
];
