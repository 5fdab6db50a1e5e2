//! What a text reads beside itself: imported texts, tables, meshes, tyre files, within limits.

pub(crate) mod data;
pub(crate) mod experiment;
pub mod imports;
pub(crate) mod mesh;
pub(crate) mod tyre_file;
