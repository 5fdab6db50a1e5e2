//! Elementary functions as source text, for languages that have none: `no_std` Rust and WebAssembly.
//!
//! `functions.rs` is ordinary Rust, compiled and tested here, pasted into generated Rust, and translated to
//! WebAssembly. It keeps to a subset that the translator understands: functions of `f64` and `u64`, `let`,
//! assignment, `if`, `while`, `return`, arithmetic.
//!
//! Errors are a few units in the last place; of `pow`, which takes the way over logarithm and exponential,
//! 3 × 10⁻¹³ at worst.

/// The text, in parts that begin with `//= name`.
pub(crate) const FUNCTIONS: &str = include_str!("functions.rs");

/// What each part calls.
const CALLS: [(&str, &[&str]); 12] = [
    ("sin", &["trigonometry"]),
    ("cos", &["trigonometry"]),
    ("tan", &["trigonometry"]),
    ("atan2", &["atan"]),
    ("asin", &["atan2", "sqrt"]),
    ("acos", &["atan2", "sqrt"]),
    ("pow", &["exp", "ln", "floor"]),
    ("sinh", &["exp"]),
    ("cosh", &["exp"]),
    ("tanh", &["sinh", "cosh", "exp"]),
    ("floor", &[]),
    ("sqrt", &[]),
];

/// The parts that are needed, with all that they call.
pub(crate) fn closure(needed: &[&str]) -> Vec<&'static str> {
    let names: Vec<&'static str> =
        FUNCTIONS.lines().filter_map(|l| l.strip_prefix("//= ")).map(str::trim).collect();
    let mut taken: Vec<bool> = names.iter().map(|n| needed.contains(n)).collect();
    // A part is written after what it calls or before; three rounds reach everything.
    for _ in 0..3 {
        for (caller, callees) in CALLS {
            if names.iter().position(|n| *n == caller).is_some_and(|i| taken[i]) {
                for (name, flag) in names.iter().zip(&mut taken) {
                    *flag |= callees.contains(name);
                }
            }
        }
    }
    names.into_iter().zip(taken).filter(|(_, t)| *t).map(|(n, _)| n).collect()
}

#[cfg(test)]
mod tests;
