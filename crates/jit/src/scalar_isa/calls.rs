//! What has no instruction: elementary functions, tables, linear systems, functions of the host.
//!
//! All of it goes through one function. The code passes the context, the number of the call's [`Site`], and
//! the addresses of rows of numbers for arguments and results; the site says what to do with them. A call
//! overwrites all floating-point registers, so values that are used again are stored before it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cardan_program::{Binary, CurveId, FunctionId, SurfaceId, Unary, linear, math, semantics};

use crate::code_context::{Status, Surroundings};

/// What a call asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Site {
    /// Two rows of results: sine and cosine.
    SinCos,
    /// In scalar code: two arguments, then two sines and two cosines.
    SinCosOfTwo,
    Unary(Unary),
    Binary(Binary),
    /// a b + c rounded once, for processors that cannot.
    Fused,
    Lookup1 {
        table: CurveId,
        order: u8,
    },
    Lookup2 {
        table: SurfaceId,
        dx: u8,
        dy: u8,
    },
    Host {
        function: FunctionId,
        n: usize,
    },
    /// The matrix is the arguments and destroyed; the columns become the results.
    Solve {
        n: usize,
        length: usize,
        value: u32,
    },
}

/// What calls of the code ask for, and what they need for it.
#[derive(Debug)]
pub(crate) struct Outside {
    pub(crate) sites: Vec<Site>,
    pub(crate) surroundings: Surroundings,
}

/// What the code is given besides numbers, and what a run leaves behind.
#[repr(C)]
pub(crate) struct Context<'a> {
    /// The function that the code calls. It stands first: there the code finds it.
    call_out: CallOut,
    outside: &'a Outside,
    pub(crate) status: Status,
}

/// Defines what depends on the calling convention: System V on x86-64 whatever the operating system, so that
/// the emitted code is the same everywhere; on AArch64 the only one.
macro_rules! by_convention {
    ($convention:literal) => {
        /// The function of one stage: memory, outputs, context, inputs.
        pub(crate) type Entry = unsafe extern $convention fn(*mut f64, *mut f64, *mut Context<'_>, *const f64);
        /// The function that does what a site says.
        type CallOut = unsafe extern $convention fn(*mut Context<'_>, u32, *mut f64, *mut f64);

        /// Does what a site says.
        ///
        /// # Safety
        /// The context is one that [`Context::new`] made for code with so many lanes, and the site is one of
        /// its surroundings. `args` and `out` point to as many rows as the site needs; they do not overlap
        /// and nobody else uses them or the context meanwhile.
        unsafe extern $convention fn call_out<const LANES: usize>(
            context: *mut Context<'_>,
            site: u32,
            args: *mut f64,
            out: *mut f64,
        ) {
            // SAFETY: the caller's promise.
            unsafe { perform::<LANES>(&mut *context, site, args.cast(), out.cast()) }
        }
    };
}
#[cfg(target_arch = "x86_64")]
by_convention!("sysv64");
#[cfg(target_arch = "aarch64")]
by_convention!("C");

impl<'a> Context<'a> {
    /// The context of a run with one or two lanes.
    pub(crate) fn new(lanes: usize, outside: &'a Outside) -> Self {
        let call_out: CallOut = if lanes == 1 { call_out::<1> } else { call_out::<2> };
        Context { call_out, outside, status: Status::default() }
    }
}

/// Does what a site says.
///
/// # Safety
/// `args` and `out` point to as many rows as the site needs; they do not overlap and nobody else uses them
/// meanwhile.
unsafe fn perform<const LANES: usize>(
    context: &mut Context<'_>,
    site: u32,
    args: *mut [f64; LANES],
    out: *mut [f64; LANES],
) {
    let Outside { sites, surroundings } = context.outside;
    let site = sites[site as usize];
    // SAFETY: these are the numbers of rows that the translator lays out for the site; the rest is the caller's promise.
    let (args, out) = unsafe {
        (
            std::slice::from_raw_parts_mut(args, site.n_arguments()),
            std::slice::from_raw_parts_mut(out, site.n_results()),
        )
    };
    match site {
        Site::Solve { n, value, .. } => {
            if !solve(n, args, out) {
                context.status.not_finite.get_or_insert(value);
            }
        }
        Site::SinCos => {
            for lane in 0..LANES {
                (out[0][lane], out[1][lane]) = math::sincos(args[0][lane]);
            }
        }
        Site::SinCosOfTwo => {
            for lane in 0..LANES {
                for k in 0..2 {
                    (out[k][lane], out[k + 2][lane]) = math::sincos(args[k][lane]);
                }
            }
        }
        _ => {
            for lane in 0..LANES {
                let x = |k: usize| args[k][lane];
                out[0][lane] = match site {
                    Site::Unary(op) => semantics::unary(op, x(0)),
                    Site::Binary(op) => semantics::binary(op, x(0), x(1)),
                    Site::Fused => x(0).mul_add(x(1), x(2)),
                    Site::Lookup1 { table, order } => surroundings.curves[table].eval(x(0), order),
                    Site::Lookup2 { table, dx, dy } => surroundings.surfaces[table].eval(x(0), x(1), dx, dy),
                    Site::Host { function, n } => {
                        let arguments: Vec<f64> = (0..n).map(x).collect();
                        let function = &surroundings.functions[function];
                        catch_unwind(AssertUnwindSafe(|| function(&arguments))).unwrap_or_else(|panic| {
                            context.status.panic.get_or_insert(panic);
                            f64::NAN
                        })
                    }
                    Site::Solve { .. } | Site::SinCos | Site::SinCosOfTwo => {
                        unreachable!("these are done above")
                    }
                };
            }
        }
    }
}

/// Solves a linear system per lane; whether all numbers were finite.
fn solve<const LANES: usize>(n: usize, matrix: &mut [[f64; LANES]], columns: &mut [[f64; LANES]]) -> bool {
    if LANES == 1 {
        return linear::solve(n, matrix.as_flattened_mut(), columns.as_flattened_mut());
    }
    let mut finite = true;
    for lane in 0..LANES {
        let mut a: Vec<f64> = matrix.iter().map(|row| row[lane]).collect();
        let mut x: Vec<f64> = columns.iter().map(|row| row[lane]).collect();
        finite &= linear::solve(n, &mut a, &mut x);
        columns.iter_mut().zip(x).for_each(|(row, x)| row[lane] = x);
    }
    finite
}

impl Site {
    /// Rows that it reads.
    fn n_arguments(self) -> usize {
        match self {
            Site::SinCos | Site::Unary(_) | Site::Lookup1 { .. } => 1,
            Site::SinCosOfTwo | Site::Binary(_) | Site::Lookup2 { .. } => 2,
            Site::Fused => 3,
            Site::Host { n, .. } => n,
            Site::Solve { n, .. } => n * n,
        }
    }
    /// Rows that it writes.
    fn n_results(self) -> usize {
        match self {
            Site::SinCos => 2,
            Site::SinCosOfTwo => 4,
            Site::Solve { length, .. } => length,
            _ => 1,
        }
    }
}
