//! The border: pointers, strings and panics.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// The states of a call, with the same numbers in both versions.
pub const OK: i32 = 0;
/// The call has failed, and the instance is as before.
pub const DISCARD: i32 = 2;
/// The call has failed.
pub const ERROR: i32 = 3;

/// Runs a function that may panic; the message of a panic becomes an error.
pub fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(format!("an invariant of cardan does not hold: {text}"))
    })
}

/// A text of the caller; nothing for a null pointer or other letters than UTF-8.
///
/// # Safety
/// `text` is null or ends with a zero byte.
pub unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, and zero-terminated by the contract of FMI.
    unsafe { CStr::from_ptr(text) }.to_str().ok().map(str::to_owned)
}

/// Numbers of the caller.
///
/// # Safety
/// `first` points to `n` numbers, or `n` is zero.
pub unsafe fn slice<'a, T>(first: *const T, n: usize) -> &'a [T] {
    if n == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: not null, and `n` numbers long by the contract of FMI.
    unsafe { std::slice::from_raw_parts(first, n) }
}

/// Room of the caller for numbers.
///
/// # Safety
/// `first` points to room for `n` numbers that nothing else uses, or `n` is zero.
pub unsafe fn room<'a, T>(first: *mut T, n: usize) -> &'a mut [T] {
    if n == 0 || first.is_null() {
        return &mut [];
    }
    // SAFETY: not null, `n` numbers long and used by nobody else by the contract of FMI.
    unsafe { std::slice::from_raw_parts_mut(first, n) }
}

/// A text for the caller, without bytes that would end it or that a formatter would read.
pub fn for_caller(text: &str) -> CString {
    let plain: Vec<u8> = text.replace('%', "percent").bytes().filter(|b| *b != 0).collect();
    CString::new(plain).unwrap_or_default()
}

/// The folder that a URI of the scheme `file` or a plain path names.
pub fn folder(location: &str) -> PathBuf {
    let Some(rest) = location.strip_prefix("file:") else { return PathBuf::from(location) };
    let path = rest.strip_prefix("//").map_or(rest, |after| match after.find('/') {
        // The host before the path is empty or this machine.
        Some(k) => &after[k..],
        None => after,
    });
    let mut bytes = vec![];
    let mut letters = path.bytes();
    while let Some(b) = letters.next() {
        let digits = [letters.clone().next(), letters.clone().nth(1)].map(|d| d.map(char::from));
        match (b, digits.map(|d| d.and_then(|d| d.to_digit(16)))) {
            (b'%', [Some(high), Some(low)]) => {
                bytes.push(u8::try_from(16 * high + low).unwrap_or(b'%'));
                letters.nth(1);
            }
            (b, _) => bytes.push(b),
        }
    }
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_found_by_uri_and_by_path() {
        assert_eq!(folder("file:///tmp/a%20b/resources"), PathBuf::from("/tmp/a b/resources"));
        assert_eq!(folder("file:/tmp/r"), PathBuf::from("/tmp/r"));
        assert_eq!(folder("file://localhost/tmp/100%"), PathBuf::from("/tmp/100%"));
        assert_eq!(folder("/tmp/r"), PathBuf::from("/tmp/r"));
    }

    #[test]
    fn a_panic_is_an_error() {
        assert!(guarded::<()>(|| panic!("no such thing")).unwrap_err().contains("no such thing"));
    }
}
