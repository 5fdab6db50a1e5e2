//! Pages that can be executed: written first, then sealed. At no time are they both writable and executable.

use std::io;

use memmap2::{Mmap, MmapMut};

/// Sealed machine code.
#[derive(Debug)]
pub(crate) struct Code {
    pages: Mmap,
    size: usize,
}

impl Code {
    /// Copies the code to fresh pages and makes them executable.
    pub(crate) fn seal(bytes: &[u8]) -> io::Result<Code> {
        let mut pages = MmapMut::map_anon(bytes.len().max(1))?;
        pages[..bytes.len()].copy_from_slice(bytes);
        Ok(Code { pages: pages.make_exec()?, size: bytes.len() })
    }
    /// Bytes of code.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
    /// The code itself.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.pages[..self.size]
    }
    /// The address of the code at an offset.
    pub(crate) fn at(&self, offset: usize) -> *const u8 {
        self.pages[offset..].as_ptr()
    }
}
