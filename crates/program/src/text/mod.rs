//! The text form: what prints also parses.
//!
//! ```text
//! program "pendulum"
//! stages setup motion
//! input i0 setup "L" "m" "length"
//! input i1 motion "q" "rad" ""
//! curve curve0 "lift" spline clamp (0.0 1.0) (1.0 2.5)
//! surface surface0 "map" linear extend x(0.0 1.0) y(0.0 1.0) z(0.0 1.0 2.0 3.0)
//! function f0 "tyre" 2 (f1 -)
//! stage setup
//!   v0 = input i0
//!   v1 = const 9.81
//!   v2 = div v1 v0
//! stage motion
//!   v3 = input i1
//!   v4 = sin v3
//!   v5 = mul v2 v4
//! output o0 motion v5 "acceleration" "rad/s^2" ""
//! ```
//!
//! One statement per line; `;` begins a comment. Texts are quoted, with `\"`, `\\`, `\n` for the three
//! awkward characters. Numbers are printed with the fewest digits that identify them.

mod parse;
mod print;

pub use crate::text::parse::{ParseError, parse};
