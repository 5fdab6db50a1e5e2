//! The standard library: definitions in model text that are part of the program.
//!
//! `std.NAME` is known everywhere; `import NAME from "std"` makes the bare name known. A new element is text in
//! `std/` and needs no Rust.

/// How the library is imported.
pub const NAME: &str = "std";

/// The text of the library.
pub const TEXT: &str = include_str!("../std/elements.mbs");
