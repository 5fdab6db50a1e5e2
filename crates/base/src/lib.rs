//! What every other crate stands on: typed ids, source spans, diagnostics.
//!
//! Absent by design: mechanics, algebra, files. Nothing here reads, prints or knows the time.
//!
//! - [`id`]: typed indices and the arenas that they index;
//! - [`source`]: texts and the spans that point into them;
//! - [`diagnostic`]: what went wrong, where, why, and what to type instead;
//! - [`render`]: a diagnostic as text for a terminal; `window`: its long lines cut;
//! - [`nearest`]: the known name that a misspelt one probably meant.

pub mod diagnostic;
pub mod id;
pub mod nearest;
pub mod render;
pub mod source;
mod window;

pub use diagnostic::{Code, Diagnostic, Diagnostics, Label, Severity};
pub use id::{Arena, Id};
pub use nearest::nearest;
pub use render::render;
pub use source::{FileId, Sources, Span};

/// The fixed hash itself.
pub use rustc_hash::FxHasher;

/// A hash map with a fixed hash: the same program iterates the same way on every run.
pub type Map<K, V> = rustc_hash::FxHashMap<K, V>;
/// A hash set with a fixed hash.
pub type Set<K> = rustc_hash::FxHashSet<K>;
