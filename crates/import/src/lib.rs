//! Robots and mechanisms of other formats, as models.
//!
//! [`urdf`] reads the Unified Robot Description Format, [`mjcf`] reads MuJoCo's; [`autosim`] turns AUTOSIM's language and
//! [`adams`] ADAMS data sets into the native language. Each takes a text that is already in
//! [`Sources`](cardan_base::Sources) and gives a model only if there are no errors, and always all findings with
//! their places. Numbers are read as the exact decimals that they are; directions, quaternions and
//! quarter turns become exact rotations.
//!
//! Absent by design: files (an included file comes through the caller's closure), meshes, guesses that are not
//! reported, panics on any text.
//!
//! Reading order: [`options`], [`codes`], `findings`, `xml` (text to elements), `attributes`, `number`, `orientation`, `inertia`,
//! `assembly` and `friction` (what both robot formats build with), [`urdf`], [`mjcf`]; [`native`] (text with its origin), [`autosim`],
//! [`adams`].

#![allow(non_snake_case, reason = "monogram notation: R_AB carries its frames in capitals")]

pub mod adams;
mod assembly;
mod attributes;
pub mod autosim;
pub mod codes;
mod findings;
mod friction;
mod inertia;
pub mod mjcf;
pub mod native;
mod number;
pub mod options;
mod orientation;
pub mod urdf;
mod xml;

use cardan_base::{Diagnostics, FileId, Sources};
use cardan_model::Model;

pub use crate::mjcf::import as import_mjcf;
pub use crate::options::{Format, ImportOptions};
pub use crate::urdf::import as import_urdf;

/// A model from a text in whatever format its outermost element tells; URDF if it tells none. Included files come through
/// `read`, by the paths written, and are added to the sources.
pub fn import(
    file: FileId,
    sources: &mut Sources,
    read: &mut mjcf::Reader<'_>,
    options: &ImportOptions,
) -> (Option<Model>, Diagnostics) {
    match sources.get(file).and_then(|s| Format::of(&s.text)) {
        Some(Format::Mjcf) => import_mjcf(file, sources, read, options),
        Some(Format::Urdf) | None => import_urdf(file, sources, options),
    }
}
