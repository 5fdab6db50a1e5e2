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
        let pages = pages.make_exec()?;
        instructions::refresh(&pages)?;
        Ok(Code { pages, size: bytes.len() })
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

/// Processors whose caches of instructions see what is written as data.
#[cfg(target_arch = "x86_64")]
mod instructions {
    pub(super) fn refresh(_: &[u8]) -> std::io::Result<()> {
        Ok(())
    }
}

/// AArch64, where caches of instructions and data do not know of one another (Arm Architecture Reference Manual, sec. B2.4.4).
#[cfg(all(target_arch = "aarch64", any(target_os = "linux", target_os = "android")))]
mod instructions {
    use std::arch::asm;
    use std::ffi::{c_int, c_long};

    unsafe extern "C" {
        fn syscall(number: c_long, ...) -> c_long;
    }

    /// `membarrier`, and its commands that make every thread of this process forget what it has fetched.
    const MEMBARRIER: c_long = 283;
    const REGISTER_SYNC_CORE: c_int = 1 << 6;
    const SYNC_CORE: c_int = 1 << 5;

    /// Makes the bytes visible as instructions, to this thread and to all others of the process.
    pub(super) fn refresh(bytes: &[u8]) -> std::io::Result<()> {
        let lines: u64;
        // SAFETY: reads the sizes of cache lines, which the system lets every process do.
        unsafe { asm!("mrs {}, ctr_el0", out(reg) lines, options(nomem, nostack, preserves_flags)) };
        let (data, code) = (4usize << (lines >> 16 & 15), 4usize << (lines & 15));
        let (start, end) = (bytes.as_ptr() as usize, bytes.as_ptr() as usize + bytes.len());
        for line in (start & !(data - 1)..end).step_by(data) {
            // SAFETY: cleaning the cache changes no byte; the line holds some of `bytes`, so it may be read.
            unsafe { asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: a barrier.
        unsafe { asm!("dsb ish", options(nostack, preserves_flags)) };
        for line in (start & !(code - 1)..end).step_by(code) {
            // SAFETY: what is dropped from the cache is fetched again.
            unsafe { asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
        }
        // SAFETY: barriers; the second makes this thread fetch anew.
        unsafe { asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
        // SAFETY: these commands take no addresses. A system that does not know them switches threads often enough
        // with the same effect, so the answer does not matter.
        unsafe {
            syscall(MEMBARRIER, REGISTER_SYNC_CORE, 0 as c_int, 0 as c_int);
            syscall(MEMBARRIER, SYNC_CORE, 0 as c_int, 0 as c_int);
        }
        Ok(())
    }
}

/// AArch64 of Apple: the system library knows how.
#[cfg(all(target_arch = "aarch64", target_vendor = "apple"))]
mod instructions {
    use std::ffi::c_void;

    unsafe extern "C" {
        fn sys_icache_invalidate(start: *mut c_void, length: usize);
    }

    pub(super) fn refresh(bytes: &[u8]) -> std::io::Result<()> {
        // SAFETY: the bytes are mapped, and the function changes none.
        unsafe { sys_icache_invalidate(bytes.as_ptr().cast_mut().cast(), bytes.len()) };
        Ok(())
    }
}

/// AArch64 of other systems, where nothing is known of it: no machine code.
#[cfg(all(
    target_arch = "aarch64",
    not(any(target_os = "linux", target_os = "android", target_vendor = "apple"))
))]
mod instructions {
    pub(super) fn refresh(_: &[u8]) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
