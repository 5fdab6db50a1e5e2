//! What machine code calls: elementary functions, tables, linear systems, functions of the host.
//!
//! All follow the System V convention on every operating system, so that the emitted code is the same
//! everywhere.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cardan_program::{Binary, Curve, HostFunction, Surface, Unary, linear, math, semantics};

use crate::code_context::Status;

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
                        semantics::unary(Unary::$op, x)
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
                        semantics::binary(Binary::$op, a, b)
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

/// The address of a function that is made for every number of lanes.
macro_rules! for_width {
    ($name:ident($($argument:tt),*), $width:expr) => {
        match $width {
            Width::Scalar => runtime_calls::$name::<1> as unsafe extern "sysv64" fn($($argument),*) as usize,
            Width::Two => runtime_calls::$name::<2> as unsafe extern "sysv64" fn($($argument),*) as usize,
            Width::Four => runtime_calls::$name::<4> as unsafe extern "sysv64" fn($($argument),*) as usize,
            Width::Eight => runtime_calls::$name::<8> as unsafe extern "sysv64" fn($($argument),*) as usize,
        }
    };
}
pub(crate) use for_width;

/// Sine and cosine of several numbers: reads the first row, writes both.
///
/// # Safety
/// `rows` points to two rows that nobody else uses meanwhile.
pub(crate) unsafe extern "sysv64" fn sincos_lanes<const LANES: usize>(rows: *mut [[f64; LANES]; 2]) {
    // SAFETY: the caller's promise.
    let rows = unsafe { &mut *rows };
    for lane in 0..LANES {
        (rows[0][lane], rows[1][lane]) = math::sincos(rows[0][lane]);
    }
}

/// An operation of one real on several numbers.
///
/// # Safety
/// `args` and `out` point to different rows that nobody else uses meanwhile.
pub(crate) unsafe extern "sysv64" fn unary_lanes<const LANES: usize>(
    function: extern "sysv64" fn(f64) -> f64,
    args: *const [f64; LANES],
    out: *mut [f64; LANES],
) {
    // SAFETY: the caller's promise.
    let (args, out) = unsafe { (&*args, &mut *out) };
    *out = args.map(|x| function(x));
}

/// An operation of two reals on several pairs.
///
/// # Safety
/// `args` points to two rows, `out` to another, and nobody else uses them meanwhile.
pub(crate) unsafe extern "sysv64" fn binary_lanes<const LANES: usize>(
    function: extern "sysv64" fn(f64, f64) -> f64,
    args: *const [[f64; LANES]; 2],
    out: *mut [f64; LANES],
) {
    // SAFETY: the caller's promise.
    let ([a, b], out) = unsafe { (&*args, &mut *out) };
    *out = std::array::from_fn(|lane| function(a[lane], b[lane]));
}

/// Looks up a table of one argument once per lane.
///
/// # Safety
/// `table` points to a curve; `args` and `out` to different rows that nobody else uses meanwhile.
pub(crate) unsafe extern "sysv64" fn lookup1_lanes<const LANES: usize>(
    table: *const Curve,
    order: u32,
    args: *const [f64; LANES],
    out: *mut [f64; LANES],
) {
    // SAFETY: the caller's promise.
    let (table, args, out) = unsafe { (&*table, &*args, &mut *out) };
    *out = args.map(|x| table.eval(x, order as u8));
}

/// Looks up a table of two arguments once per lane.
///
/// # Safety
/// `table` points to a surface; `args` to two rows, `out` to another, and nobody else uses them meanwhile.
pub(crate) unsafe extern "sysv64" fn lookup2_lanes<const LANES: usize>(
    table: *const Surface,
    dx: u32,
    dy: u32,
    args: *const [[f64; LANES]; 2],
    out: *mut [f64; LANES],
) {
    // SAFETY: the caller's promise.
    let (table, [x, y], out) = unsafe { (&*table, &*args, &mut *out) };
    *out = std::array::from_fn(|lane| table.eval(x[lane], y[lane], dx as u8, dy as u8));
}

/// Calls a function of the host once per lane. A panic is kept in the status; the result is then NaN.
///
/// # Safety
/// `function` points to a function; `args` to `n` rows, `out` to another row, `status` to a status, and
/// nobody else uses these meanwhile.
pub(crate) unsafe extern "sysv64" fn call<const LANES: usize>(
    function: *const HostFunction,
    args: *const [f64; LANES],
    n: usize,
    status: *mut Status,
    out: *mut [f64; LANES],
) {
    // SAFETY: the caller's promise.
    let (function, args, status, out) =
        unsafe { (&*function, std::slice::from_raw_parts(args, n), &mut *status, &mut *out) };
    for lane in 0..LANES {
        let arguments: Vec<f64> = args.iter().map(|row| row[lane]).collect();
        out[lane] = match catch_unwind(AssertUnwindSafe(|| function(&arguments))) {
            Ok(result) => result,
            Err(panic) => {
                status.panic.get_or_insert(panic);
                f64::NAN
            }
        };
    }
}

/// Solves a linear system per lane: `matrix` is destroyed, `columns` becomes the solution.
///
/// # Safety
/// `matrix` points to n² rows, `columns` to `length` others, `status` to a status, and nobody else uses any
/// of them meanwhile.
pub(crate) unsafe extern "sysv64" fn solve<const LANES: usize>(
    n: usize,
    matrix: *mut [f64; LANES],
    columns: *mut [f64; LANES],
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
    let mut not_finite = false;
    if LANES == 1 {
        not_finite = !linear::solve(n, matrix.as_flattened_mut(), columns.as_flattened_mut());
    } else {
        for lane in 0..LANES {
            let mut a: Vec<f64> = matrix.iter().map(|row| row[lane]).collect();
            let mut x: Vec<f64> = columns.iter().map(|row| row[lane]).collect();
            not_finite |= !linear::solve(n, &mut a, &mut x);
            columns.iter_mut().zip(x).for_each(|(row, x)| row[lane] = x);
        }
    }
    if not_finite {
        status.not_finite.get_or_insert(value);
    }
}
