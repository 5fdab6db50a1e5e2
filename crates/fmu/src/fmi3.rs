//! The functions of FMI 3.0: Model Exchange and Co-Simulation.
//!
//! Those that do what version 2 does call its functions. The names, types and numbers are those of the standard's
//! headers `fmi3PlatformTypes.h` and `fmi3FunctionTypes.h`.

#![allow(non_snake_case, reason = "the standard gives the names")]
#![allow(missing_docs, reason = "the standard documents the functions")]
#![allow(clippy::missing_safety_doc, reason = "all functions have the contract of the standard")]

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::fmi2::{self, Component, call};
use crate::foreign::{DISCARD, ERROR, OK, folder, for_caller, text};

type Logger = Option<unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char)>;

fn logger(logger: Logger, environment: *mut c_void) -> Box<dyn Fn(&str)> {
    Box::new(move |message| {
        let Some(logger) = logger else { return };
        let (category, message) = (for_caller("logStatusError"), for_caller(message));
        // SAFETY: logger and environment are the caller's, and the texts end with zero.
        unsafe { logger(environment, ERROR, category.as_ptr(), message.as_ptr()) };
    })
}

/// A number of the caller gets a value, if there is one.
unsafe fn put<T>(place: *mut T, value: T) {
    // SAFETY: by the contract of FMI the pointer is null or a number of the caller.
    if let Some(place) = unsafe { place.as_mut() } {
        *place = value;
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> *const c_char {
    c"3.0".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    _c: *mut c_void,
    _on: bool,
    _n: usize,
    _categories: *const *const c_char,
) -> c_int {
    OK
}

unsafe fn make(resources: *const c_char, environment: *mut c_void, log: Logger) -> *mut c_void {
    // SAFETY: the text is null or ends with zero, by the contract of FMI.
    let path = unsafe { text(resources) }.ok_or_else(|| "the path of the resources is missing".to_owned());
    Component::make(path.map(|p| folder(&p)), logger(log, environment))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateModelExchange(
    _name: *const c_char,
    _token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    log: Logger,
) -> *mut c_void {
    // SAFETY: the contract of FMI.
    unsafe { make(resources, environment, log) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    _name: *const c_char,
    _token: *const c_char,
    resources: *const c_char,
    _visible: bool,
    _logging: bool,
    _event_mode_used: bool,
    _early_return_allowed: bool,
    _intermediate: *const c_uint,
    _n_intermediate: usize,
    environment: *mut c_void,
    log: Logger,
    _intermediate_update: *const c_void,
) -> *mut c_void {
    // SAFETY: the contract of FMI.
    unsafe { make(resources, environment, log) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateScheduledExecution(
    _name: *const c_char,
    _token: *const c_char,
    _resources: *const c_char,
    _visible: bool,
    _logging: bool,
    environment: *mut c_void,
    log: Logger,
    _clock_update: *const c_void,
    _lock: *const c_void,
    _unlock: *const c_void,
) -> *mut c_void {
    logger(log, environment)("this unit has no scheduled execution");
    std::ptr::null_mut()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    c: *mut c_void,
    _tolerance_defined: bool,
    _tolerance: f64,
    start: f64,
    _stop_defined: bool,
    _stop: f64,
) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |component| component.instance.start_at(start)) }
}

/// Calls that mean what those of version 2 mean.
macro_rules! as_before {
    ($($name:ident = $before:ident($($argument:ident: $kind:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(c: *mut c_void $(, $argument: $kind)*) -> c_int {
            // SAFETY: the contract of FMI, which is that of version 2.
            unsafe { fmi2::$before(c $(, $argument)*) }
        }
    )*};
}

as_before! {
    fmi3ExitInitializationMode = fmi2ExitInitializationMode();
    fmi3EnterEventMode = fmi2EnterEventMode();
    fmi3Terminate = fmi2Terminate();
    fmi3Reset = fmi2Reset();
    fmi3GetFMUState = fmi2GetFMUstate(state: *mut *mut c_void);
    fmi3SetFMUState = fmi2SetFMUstate(state: *mut c_void);
    fmi3FreeFMUState = fmi2FreeFMUstate(state: *mut *mut c_void);
    fmi3SerializedFMUStateSize = fmi2SerializedFMUstateSize(state: *mut c_void, size: *mut usize);
    fmi3SerializeFMUState = fmi2SerializeFMUstate(state: *mut c_void, bytes: *mut u8, size: usize);
    fmi3DeserializeFMUState = fmi2DeSerializeFMUstate(bytes: *const u8, size: usize, state: *mut *mut c_void);
    fmi3EnterContinuousTimeMode = fmi2EnterContinuousTimeMode();
    fmi3SetTime = fmi2SetTime(t: f64);
    fmi3SetContinuousStates = fmi2SetContinuousStates(states: *const f64, n: usize);
    fmi3GetContinuousStateDerivatives = fmi2GetDerivatives(place: *mut f64, n: usize);
    fmi3GetEventIndicators = fmi2GetEventIndicators(place: *mut f64, n: usize);
    fmi3GetContinuousStates = fmi2GetContinuousStates(place: *mut f64, n: usize);
    fmi3GetNominalsOfContinuousStates = fmi2GetNominalsOfContinuousStates(place: *mut f64, n: usize);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(c: *mut c_void) {
    // SAFETY: the contract of FMI, which is that of version 2.
    unsafe { fmi2::fmi2FreeInstance(c) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFloat64(
    c: *mut c_void,
    references: *const c_uint,
    n: usize,
    values: *mut f64,
    _n_values: usize,
) -> c_int {
    // SAFETY: all variables are scalars, so that there are as many values as references.
    unsafe { fmi2::fmi2GetReal(c, references, n, values) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFloat64(
    c: *mut c_void,
    references: *const c_uint,
    n: usize,
    values: *const f64,
    _n_values: usize,
) -> c_int {
    // SAFETY: all variables are scalars, so that there are as many values as references.
    unsafe { fmi2::fmi2SetReal(c, references, n, values) }
}

/// Calls about what a unit of cardan does not have: right only where nothing is asked for.
macro_rules! absent {
    ($($name:ident(n $(, $argument:ident: $kind:ty)*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            c: *mut c_void,
            _references: *const c_uint,
            n: usize
            $(, $argument: $kind)*
        ) -> c_int {
            let none = |_: &mut Component| match n {
                0 => Ok(()),
                _ => Err(concat!(stringify!($name), ": all variables of this unit are of 64 bits").to_owned()),
            };
            // SAFETY: the contract of FMI.
            unsafe { call(c, none) }
        }
    )*};
}

absent! {
    fmi3GetFloat32(n, _values: *mut f32, _m: usize);
    fmi3SetFloat32(n, _values: *const f32, _m: usize);
    fmi3GetInt8(n, _values: *mut i8, _m: usize);
    fmi3SetInt8(n, _values: *const i8, _m: usize);
    fmi3GetUInt8(n, _values: *mut u8, _m: usize);
    fmi3SetUInt8(n, _values: *const u8, _m: usize);
    fmi3GetInt16(n, _values: *mut i16, _m: usize);
    fmi3SetInt16(n, _values: *const i16, _m: usize);
    fmi3GetUInt16(n, _values: *mut u16, _m: usize);
    fmi3SetUInt16(n, _values: *const u16, _m: usize);
    fmi3GetInt32(n, _values: *mut i32, _m: usize);
    fmi3SetInt32(n, _values: *const i32, _m: usize);
    fmi3GetUInt32(n, _values: *mut u32, _m: usize);
    fmi3SetUInt32(n, _values: *const u32, _m: usize);
    fmi3GetInt64(n, _values: *mut i64, _m: usize);
    fmi3SetInt64(n, _values: *const i64, _m: usize);
    fmi3GetUInt64(n, _values: *mut u64, _m: usize);
    fmi3SetUInt64(n, _values: *const u64, _m: usize);
    fmi3GetBoolean(n, _values: *mut bool, _m: usize);
    fmi3SetBoolean(n, _values: *const bool, _m: usize);
    fmi3GetString(n, _values: *mut *const c_char, _m: usize);
    fmi3SetString(n, _values: *const *const c_char, _m: usize);
    fmi3GetBinary(n, _sizes: *mut usize, _values: *mut *const u8, _m: usize);
    fmi3SetBinary(n, _sizes: *const usize, _values: *const *const u8, _m: usize);
    fmi3GetClock(n, _values: *mut bool);
    fmi3SetClock(n, _values: *const bool);
    fmi3GetIntervalDecimal(n, _intervals: *mut f64, _qualifiers: *mut c_int);
    fmi3GetIntervalFraction(n, _counters: *mut u64, _resolutions: *mut u64, _qualifiers: *mut c_int);
    fmi3GetShiftDecimal(n, _shifts: *mut f64);
    fmi3GetShiftFraction(n, _counters: *mut u64, _resolutions: *mut u64);
    fmi3SetIntervalDecimal(n, _intervals: *const f64);
    fmi3SetIntervalFraction(n, _counters: *const u64, _resolutions: *const u64);
    fmi3SetShiftDecimal(n, _shifts: *const f64);
    fmi3SetShiftFraction(n, _counters: *const u64, _resolutions: *const u64);
    fmi3GetOutputDerivatives(n, _orders: *const i32, _values: *mut f64, _m: usize);
}

/// Calls that a unit without this ability refuses.
macro_rules! refused {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(c: *mut c_void $(, $argument: $kind)*) -> c_int {
            // SAFETY: the contract of FMI.
            unsafe { call(c, |_| Err(concat!(stringify!($name), " is not provided by this unit").to_owned())) }
        }
    )*};
}

refused! {
    fmi3GetNumberOfVariableDependencies(_reference: c_uint, _n: *mut usize);
    fmi3GetVariableDependencies(
        _dependent: c_uint, _elements: *mut usize, _independents: *mut c_uint,
        _their_elements: *mut usize, _kinds: *mut c_int, _n: usize
    );
    fmi3GetAdjointDerivative(
        _unknowns: *const c_uint, _n_unknowns: usize, _knowns: *const c_uint, _n_knowns: usize,
        _seed: *const f64, _n_seed: usize, _result: *mut f64, _n_result: usize
    );
    fmi3EnterConfigurationMode();
    fmi3ExitConfigurationMode();
    fmi3ActivateModelPartition(_clock: c_uint, _t: f64);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EvaluateDiscreteStates(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3UpdateDiscreteStates(
    c: *mut c_void,
    needed: *mut bool,
    terminate: *mut bool,
    nominals: *mut bool,
    values: *mut bool,
    next_defined: *mut bool,
    next: *mut f64,
) -> c_int {
    let update = |component: &mut Component| {
        let settled = component.instance.happen()?;
        component.is_over |= settled.is_over;
        // SAFETY: the numbers are the caller's, by the contract of FMI.
        unsafe {
            put(needed, false);
            put(terminate, settled.is_over);
            put(nominals, false);
            put(values, settled.moved);
            put(next_defined, settled.next.is_some());
            put(next, settled.next.unwrap_or(0.0));
        }
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, update) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetDirectionalDerivative(
    c: *mut c_void,
    unknown: *const c_uint,
    n_unknown: usize,
    known: *const c_uint,
    n_known: usize,
    seed: *const f64,
    _n_seed: usize,
    result: *mut f64,
    _n_result: usize,
) -> c_int {
    // SAFETY: all variables are scalars, so that the arrays have the lengths of the references.
    unsafe { fmi2::fmi2GetDirectionalDerivative(c, unknown, n_unknown, known, n_known, seed, result) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3CompletedIntegratorStep(
    c: *mut c_void,
    _no_set_state: bool,
    enter_event_mode: *mut bool,
    terminate: *mut bool,
) -> c_int {
    let completed = |component: &mut Component| {
        let needed = component.instance.has_drifted()?;
        // SAFETY: the numbers are the caller's, by the contract of FMI.
        unsafe {
            put(enter_event_mode, needed);
            put(terminate, false);
        }
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, completed) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfEventIndicators(c: *mut c_void, n: *mut usize) -> c_int {
    let count = |component: &mut Component| {
        // SAFETY: the number is the caller's.
        unsafe { put(n, component.instance.n_indicators()) };
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, count) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetNumberOfContinuousStates(c: *mut c_void, n: *mut usize) -> c_int {
    let count = |component: &mut Component| {
        // SAFETY: the number is the caller's.
        unsafe { put(n, component.instance.n_states()) };
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, count) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterStepMode(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    c: *mut c_void,
    t: f64,
    h: f64,
    _no_set_state: bool,
    event_needed: *mut bool,
    terminate: *mut bool,
    early_return: *mut bool,
    last: *mut f64,
) -> c_int {
    // SAFETY: the contract of FMI; a motion that has ended is told by `terminate`, not by the status.
    unsafe {
        let status = fmi2::fmi2DoStep(c, t, h, 0);
        let (mut over, mut reached) = (false, t + h);
        call(c, |component| {
            (over, reached) = (component.is_over, component.instance.time());
            Ok(())
        });
        put(event_needed, false);
        put(terminate, over);
        // A motion that is over has not reached the end of the step.
        put(early_return, over && reached < t + h);
        put(last, reached);
        if status == DISCARD { OK } else { status }
    }
}
