//! What every other crate stands on: typed ids, source spans, diagnostics.
//!
//! Absent by design: mechanics, algebra, files. Nothing here reads, prints or knows the time.
//!
//! - [`id`]: typed indices and the arenas that they index;
//! - [`source`]: texts and the spans that point into them;
//! - [`diagnostic`]: what went wrong, where, why, and what to type instead;
//! - [`render`]: a diagnostic as text for a terminal; `window`: its long lines cut;
//! - [`display_rounding`]: rounding of numbers that people read;
//! - [`spelling`]: the known name that a misspelt one probably meant.

pub mod spelling;

pub mod diagnostic;
pub mod display_rounding;
pub mod id;
pub mod render;
pub mod source;
mod window;

pub use crate::diagnostic::{Code, Diagnostic, Diagnostics, Label, Severity};
pub use crate::display_rounding::without_noise;
pub use crate::id::{Arena, Id};
pub use crate::render::render;
pub use crate::source::{FileId, InstanceOrigin, Sources, Span};
pub use crate::spelling::nearest;

/// The fixed hash itself.
pub use rustc_hash::FxHasher;

/// A hash map with a fixed hash: the same program iterates the same way on every run.
pub type Map<K, V> = rustc_hash::FxHashMap<K, V>;
/// A hash set with a fixed hash.
pub type Set<K> = rustc_hash::FxHashSet<K>;
