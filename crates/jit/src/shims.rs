//! What machine code calls: elementary functions, tables, linear systems, functions of the host.
//!
//! All follow the System V convention on every operating system, so that the emitted code is the same everywhere.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cardan_program::{Binary, Curve, HostFunction, Surface, Unary, linear, math, meaning};

/// What a run leaves behind besides numbers.
#[derive(Default)]
pub(crate) struct Status {
    /// Index of the first singular system.
    pub(crate) singular: Option<u32>,
    /// A panic of a host function, to be continued when the machine code has returned.
    pub(crate) panic: Option<Box<dyn Any + Send>>,
}

/// Sine and cosine, as returned in xmm0 and xmm1.
#[repr(C)]
pub(crate) struct SinCos(f64, f64);

pub(crate) extern "sysv64" fn sincos(x: f64) -> SinCos {
    let (sine, cosine) = math::sincos(x);
    SinCos(sine, cosine)
}

macro_rules! unary_shims {
    ($($op:ident),*) => {
        /// The address of the function behind an operation of one real.
        pub(crate) fn unary(op: Unary) -> usize {
            match op {
                $(Unary::$op => {
                    extern "sysv64" fn shim(x: f64) -> f64 {
                        meaning::unary(Unary::$op, x)
                    }
                    shim as extern "sysv64" fn(f64) -> f64 as usize
                })*
            }
        }
    };
}
unary_shims!(Neg, Abs, Sign, Floor, Sqrt, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Exp, Ln);

macro_rules! binary_shims {
    ($($op:ident),*) => {
        /// The address of the function behind an operation of two reals.
        pub(crate) fn binary(op: Binary) -> usize {
            match op {
                $(Binary::$op => {
                    extern "sysv64" fn shim(a: f64, b: f64) -> f64 {
                        meaning::binary(Binary::$op, a, b)
                    }
                    shim as extern "sysv64" fn(f64, f64) -> f64 as usize
                })*
            }
        }
    };
}
binary_shims!(Add, Sub, Mul, Div, Min, Max, Atan2, Pow);

/// Looks up a table of one argument.
///
/// # Safety
/// `table` points to a curve that outlives the call.
pub(crate) unsafe extern "sysv64" fn lookup1(table: *const Curve, order: u32, x: f64) -> f64 {
    // SAFETY: the caller's promise.
    let table = unsafe { &*table };
    table.eval(x, order as u8)
}

/// Looks up a table of two arguments.
///
/// # Safety
/// `table` points to a surface that outlives the call.
pub(crate) unsafe extern "sysv64" fn lookup2(table: *const Surface, dx: u32, dy: u32, x: f64, y: f64) -> f64 {
    // SAFETY: the caller's promise.
    let table = unsafe { &*table };
    table.eval(x, y, dx as u8, dy as u8)
}

/// Calls a function of the host. A panic is kept in the status; the result is then NaN.
///
/// # Safety
/// `function` and `status` point to live objects, `status` to one that nobody else uses meanwhile; `args` to `n` numbers.
pub(crate) unsafe extern "sysv64" fn call(
    function: *const HostFunction,
    args: *const f64,
    n: usize,
    status: *mut Status,
) -> f64 {
    // SAFETY: the caller's promise.
    let (function, args, status) = unsafe { (&*function, std::slice::from_raw_parts(args, n), &mut *status) };
    match catch_unwind(AssertUnwindSafe(|| function(args))) {
        Ok(result) => result,
        Err(panic) => {
            status.panic.get_or_insert(panic);
            f64::NAN
        }
    }
}

/// Solves a linear system in place.
///
/// # Safety
/// `matrix` points to n² numbers, `columns` to `length` others, `status` to a status, and nobody else uses any of them
/// meanwhile.
pub(crate) unsafe extern "sysv64" fn solve(
    n: usize,
    matrix: *mut f64,
    columns: *mut f64,
    length: usize,
    status: *mut Status,
    value: u32,
) {
    // SAFETY: the caller's promise.
    let (matrix, columns, status) = unsafe {
        (
            std::slice::from_raw_parts_mut(matrix, n * n),
            std::slice::from_raw_parts_mut(columns, length),
            &mut *status,
        )
    };
    if !linear::solve(n, matrix, columns) {
        status.singular.get_or_insert(value);
    }
}
