//! The formats in which a document is written.
//!
//! - `latex` with `latex_unicode`, `html`, `rtf` with `rtf_math`; `figure`: the topology as a picture.

pub mod figure;
pub mod html;
pub mod latex;
pub mod latex_unicode;
pub mod rtf;
pub(crate) mod rtf_math;
