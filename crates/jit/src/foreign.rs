//! Functions of a shared library, called as a C function of numbers: `double f(double, double, …)`.
//!
//! A library is opened only when somebody asks for it by its path; nothing in a program or a model can. Opening it runs its own
//! start-up code, so whoever asks must trust it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use cardan_program::HostFunction;

/// Why a function cannot be had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignError(String);

impl fmt::Display for ForeignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ForeignError {}

/// Functions of more arguments than this cannot be called.
pub const MAX_ARGUMENTS: usize = 8;

#[cfg(unix)]
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *mut c_char;
}

/// Resolve everything at once, so that a missing symbol is found here and not in the middle of a motion.
#[cfg(unix)]
const RTLD_NOW: c_int = 2;

/// The address of a function in a library that stays open as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address(pub(crate) *mut c_void);

// SAFETY: the address is that of code, which is never written; the functions must be pure, as those of every host.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// The function `name` with `arity` arguments of the library at `path`. It must be pure, as every function of a host, and really
/// have this number of arguments, all `double`, and a `double` as its value: C tells nobody.
#[cfg(unix)]
pub fn load(path: &Path, name: &str, arity: usize) -> Result<HostFunction, ForeignError> {
    if arity > MAX_ARGUMENTS {
        return Err(ForeignError(format!("`{name}` has {arity} arguments; {MAX_ARGUMENTS} are possible")));
    }
    let address = find(path, name)?;
    Ok(Arc::new(move |x: &[f64]| call(address, x)))
}

/// The address of the function `name` of the library at `path`.
#[cfg(unix)]
pub(crate) fn find(path: &Path, name: &str) -> Result<Address, ForeignError> {
    use std::os::unix::ffi::OsStrExt;
    let unusable = |_| ForeignError("a name with a zero byte names nothing".to_owned());
    let file = CString::new(path.as_os_str().as_bytes()).map_err(unusable)?;
    let symbol = CString::new(name).map_err(unusable)?;
    // SAFETY: `file` and `symbol` are strings with a zero at the end that outlive the calls. The library is never closed.
    let address = unsafe {
        let library = dlopen(file.as_ptr(), RTLD_NOW);
        if library.is_null() {
            return Err(ForeignError(last_error()));
        }
        dlsym(library, symbol.as_ptr())
    };
    if address.is_null() {
        return Err(ForeignError(format!("{} has no function `{name}`", path.display())));
    }
    Ok(Address(address))
}

/// Libraries are opened on Unix only.
#[cfg(not(unix))]
pub fn load(path: &Path, _name: &str, _arity: usize) -> Result<HostFunction, ForeignError> {
    find(path, "").map(|_| Arc::new(|_: &[f64]| f64::NAN) as HostFunction)
}

/// Libraries are opened on Unix only.
#[cfg(not(unix))]
pub(crate) fn find(path: &Path, _name: &str) -> Result<Address, ForeignError> {
    Err(ForeignError(format!("{} cannot be opened: this system is not supported", path.display())))
}

#[cfg(unix)]
fn last_error() -> String {
    // SAFETY: dlerror gives null or a string with a zero at the end that is valid until the next call.
    unsafe {
        let text = dlerror();
        if text.is_null() {
            "the library cannot be opened".into()
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

/// Calls a C function of as many numbers as there are in `x`; NaN for more than [`MAX_ARGUMENTS`].
fn call(Address(at): Address, x: &[f64]) -> f64 {
    macro_rules! call {
        ($($k:literal),*) => {{
            // SAFETY: `at` is the address of a function that its owner has declared with this many `double` arguments and a
            // `double` result (`load`), which is what the C calling convention of this type passes.
            let function: extern "C" fn($(call!(@type $k)),*) -> f64 = unsafe { std::mem::transmute(at) };
            function($(x[$k]),*)
        }};
        (@type $k:literal) => { f64 };
    }
    match x.len() {
        0 => call!(),
        1 => call!(0),
        2 => call!(0, 1),
        3 => call!(0, 1, 2),
        4 => call!(0, 1, 2, 3),
        5 => call!(0, 1, 2, 3, 4),
        6 => call!(0, 1, 2, 3, 4, 5),
        7 => call!(0, 1, 2, 3, 4, 5, 6),
        8 => call!(0, 1, 2, 3, 4, 5, 6, 7),
        _ => f64::NAN,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_mathematical_library_are_called() {
        let library = Path::new("libm.so.6");
        let hypot = load(library, "hypot", 2).expect("every C library has it");
        assert_eq!(hypot(&[3.0, 4.0]), 5.0);
        let fma = load(library, "fma", 3).expect("every C library has it");
        assert_eq!(fma(&[2.0, 3.0, 4.0]), 10.0);
    }

    #[test]
    fn what_is_not_there_is_said() {
        let text = |r: Result<HostFunction, ForeignError>| r.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(text(load(Path::new("no/such/library.so"), "f", 1)).contains("no/such/library.so"));
        assert!(text(load(Path::new("libm.so.6"), "no_such_function", 1)).contains("no_such_function"));
        assert!(text(load(Path::new("libm.so.6"), "fma", 9)).contains('9'));
    }
}
