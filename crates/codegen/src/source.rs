//! What comes out: files.

/// A generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Name, relative to the folder of the library.
    pub name: String,
    /// Contents.
    pub contents: Contents,
}

/// Text or bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Source code.
    Text(String),
    /// A binary module.
    Bytes(Vec<u8>),
}

impl SourceFile {
    /// A text file.
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        SourceFile { name: name.into(), contents: Contents::Text(text.into()) }
    }
    /// The contents as bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.contents {
            Contents::Text(text) => text.as_bytes(),
            Contents::Bytes(bytes) => bytes,
        }
    }
}
