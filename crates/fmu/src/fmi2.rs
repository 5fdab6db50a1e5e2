//! The functions of FMI 2.0.4: Model Exchange and Co-Simulation.
//!
//! Every function checks its instance, catches panics, and tells failures to the logger of the caller. The names,
//! types and numbers are those of the standard's headers `fmi2TypesPlatform.h` and `fmi2FunctionTypes.h`.

#![allow(non_snake_case, reason = "the standard gives the names")]
#![allow(missing_docs, reason = "the standard documents the functions")]
#![allow(clippy::missing_safety_doc, reason = "all functions have the contract of the standard")]

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;

use crate::foreign::{DISCARD, ERROR, OK, folder, for_caller, guarded, room, slice, text};
use crate::instance::{Instance, Snapshot};

type Logger = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);

/// `fmi2CallbackFunctions`: the first and the last member are used.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Callbacks {
    logger: Option<Logger>,
    allocate: *const c_void,
    free: *const c_void,
    step_finished: *const c_void,
    environment: *mut c_void,
}

/// `fmi2EventInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EventInfo {
    new_discrete_states_needed: c_int,
    terminate_simulation: c_int,
    nominals_changed: c_int,
    values_changed: c_int,
    next_event_time_defined: c_int,
    next_event_time: f64,
}

/// What a caller holds by a pointer, in both versions of the standard.
pub(crate) struct Component {
    /// The logger of the caller.
    pub tell: Box<dyn Fn(&str)>,
    pub instance: Instance,
    fresh: Instance,
    /// A block of the model has ended the motion.
    pub is_over: bool,
}

impl Component {
    /// A component of the model among these resources, as a pointer; null if there is none.
    pub fn make(resources: Result<PathBuf, String>, tell: Box<dyn Fn(&str)>) -> *mut c_void {
        match guarded(|| Instance::load(&resources?)) {
            Ok(instance) => {
                let component = Component { tell, fresh: instance.clone(), instance, is_over: false };
                Box::into_raw(Box::new(component)).cast()
            }
            Err(message) => {
                tell(&message);
                std::ptr::null_mut()
            }
        }
    }
}

/// The logger of a caller, for texts.
fn logger(callbacks: Option<Callbacks>, name: CString) -> Box<dyn Fn(&str)> {
    Box::new(move |message| {
        let Some(Callbacks { logger: Some(logger), environment, .. }) = callbacks else { return };
        let (category, message) = (for_caller("logStatusError"), for_caller(message));
        // SAFETY: logger and environment are the caller's, the texts end with zero and hold no format.
        unsafe { logger(environment, name.as_ptr(), ERROR, category.as_ptr(), message.as_ptr()) };
    })
}

/// Runs a call on a component; its status.
///
/// # Safety
/// `c` is null or was given by `fmi2Instantiate` and not freed, and no other call on it is under way.
pub(crate) unsafe fn call(c: *mut c_void, run: impl FnOnce(&mut Component) -> Result<(), String>) -> c_int {
    // SAFETY: by the contract of FMI the pointer is the one that `fmi2Instantiate` made of a box.
    let Some(component) = (unsafe { c.cast::<Component>().as_mut() }) else { return ERROR };
    match guarded(|| run(component)) {
        Ok(()) => OK,
        Err(message) => {
            (component.tell)(&message);
            ERROR
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> *const c_char {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> *const c_char {
    c"2.0".as_ptr()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    _c: *mut c_void,
    _on: c_int,
    _n: usize,
    _categories: *const *const c_char,
) -> c_int {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: *const c_char,
    _kind: c_int,
    _guid: *const c_char,
    resources: *const c_char,
    callbacks: *const Callbacks,
    _visible: c_int,
    _logging: c_int,
) -> *mut c_void {
    // SAFETY: texts and callbacks are null or those of the caller, by the contract of FMI.
    let (name, resources, callbacks) = unsafe { (text(name), text(resources), callbacks.as_ref().copied()) };
    let name = for_caller(&name.unwrap_or_default());
    let resources = resources.ok_or_else(|| "the location of the resources is missing".to_owned());
    Component::make(resources.map(|r| folder(&r)), logger(callbacks, name))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(c: *mut c_void) {
    if !c.is_null() {
        // SAFETY: the pointer came from a box in `fmi2Instantiate`, and nobody uses it afterwards.
        drop(unsafe { Box::from_raw(c.cast::<Component>()) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    c: *mut c_void,
    _tolerance_defined: c_int,
    _tolerance: f64,
    start: f64,
    _stop_defined: c_int,
    _stop: f64,
) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |component| component.instance.start_at(start)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterInitializationMode(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2ExitInitializationMode(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |component| component.instance.begin()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Terminate(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Reset(c: *mut c_void) -> c_int {
    let reset = |component: &mut Component| {
        let fresh = component.fresh.clone();
        component.instance.reset(&fresh);
        component.is_over = false;
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, reset) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetReal(
    c: *mut c_void,
    references: *const c_uint,
    n: usize,
    values: *mut f64,
) -> c_int {
    // SAFETY: both arrays have `n` entries, by the contract of FMI.
    let (references, values) = unsafe { (slice(references, n), room(values, n)) };
    let get = |component: &mut Component| {
        for (reference, value) in references.iter().zip(values) {
            *value = component.instance.get(*reference)?;
        }
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, get) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetReal(
    c: *mut c_void,
    references: *const c_uint,
    n: usize,
    values: *const f64,
) -> c_int {
    // SAFETY: both arrays have `n` entries, by the contract of FMI.
    let (references, values) = unsafe { (slice(references, n), slice(values, n)) };
    let set = |component: &mut Component| {
        references.iter().zip(values).try_for_each(|(r, value)| component.instance.set(*r, *value))
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, set) }
}

/// Variables of other types than real: a unit of cardan has none, so that only empty lists are right.
macro_rules! no_variables {
    ($($name:ident($value:ty);)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            c: *mut c_void,
            _references: *const c_uint,
            n: usize,
            _values: $value,
        ) -> c_int {
            let none = |_: &mut Component| match n {
                0 => Ok(()),
                _ => Err("all variables of this unit are real".to_owned()),
            };
            // SAFETY: the contract of FMI.
            unsafe { call(c, none) }
        }
    )*};
}

no_variables! {
    fmi2GetInteger(*mut c_int);
    fmi2GetBoolean(*mut c_int);
    fmi2GetString(*mut *const c_char);
    fmi2SetInteger(*const c_int);
    fmi2SetBoolean(*const c_int);
    fmi2SetString(*const *const c_char);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetFMUstate(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    let take = |component: &mut Component| {
        // SAFETY: `state` points to the pointer of the caller, by the contract of FMI.
        let Some(place) = (unsafe { state.as_mut() }) else { return Err("no room for the state".to_owned()) };
        let snapshot = component.instance.snapshot();
        // SAFETY: the pointer is null or came from a box here.
        match unsafe { place.cast::<Snapshot>().as_mut() } {
            Some(old) => *old = snapshot,
            None => *place = Box::into_raw(Box::new(snapshot)).cast(),
        }
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, take) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetFMUstate(c: *mut c_void, state: *mut c_void) -> c_int {
    let give = |component: &mut Component| {
        // SAFETY: the pointer is null or came from `fmi2GetFMUstate`.
        let snapshot = unsafe { state.cast::<Snapshot>().as_ref() };
        component.instance.restore(snapshot.ok_or_else(|| "there is no state".to_owned())?);
        component.is_over = false;
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, give) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeFMUstate(c: *mut c_void, state: *mut *mut c_void) -> c_int {
    let free = |_: &mut Component| {
        // SAFETY: `state` points to null or to a pointer of `fmi2GetFMUstate`, which nobody uses afterwards.
        unsafe {
            if let Some(place) = state.as_mut()
                && !place.is_null()
            {
                drop(Box::from_raw(place.cast::<Snapshot>()));
                *place = std::ptr::null_mut();
            }
        }
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, free) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializedFMUstateSize(
    c: *mut c_void,
    state: *mut c_void,
    size: *mut usize,
) -> c_int {
    let measure = |_: &mut Component| {
        // SAFETY: the state came from `fmi2GetFMUstate`, and `size` is a number of the caller.
        let (snapshot, size) = unsafe { (state.cast::<Snapshot>().as_ref(), size.as_mut()) };
        let (Some(snapshot), Some(size)) = (snapshot, size) else {
            return Err("there is no state".to_owned());
        };
        *size = Instance::save(snapshot).len();
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, measure) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SerializeFMUstate(
    c: *mut c_void,
    state: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> c_int {
    let save = |_: &mut Component| {
        // SAFETY: the state came from `fmi2GetFMUstate`, and the caller has room for `size` bytes.
        let (snapshot, room) = unsafe { (state.cast::<Snapshot>().as_ref(), room(bytes, size)) };
        let saved = Instance::save(snapshot.ok_or_else(|| "there is no state".to_owned())?);
        let place = room.get_mut(..saved.len()).ok_or_else(|| "there is too little room".to_owned())?;
        place.copy_from_slice(&saved);
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, save) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DeSerializeFMUstate(
    c: *mut c_void,
    bytes: *const u8,
    size: usize,
    state: *mut *mut c_void,
) -> c_int {
    let read = |component: &mut Component| {
        // SAFETY: the caller gives `size` bytes and a pointer for the state.
        let (bytes, place) = unsafe { (slice(bytes, size), state.as_mut()) };
        let place = place.ok_or_else(|| "no room for the state".to_owned())?;
        *place = Box::into_raw(Box::new(component.instance.read(bytes)?)).cast();
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, read) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDirectionalDerivative(
    c: *mut c_void,
    unknown: *const c_uint,
    n_unknown: usize,
    known: *const c_uint,
    n_known: usize,
    seed: *const f64,
    result: *mut f64,
) -> c_int {
    // SAFETY: the arrays have these lengths, by the contract of FMI.
    let (unknown, known, seed, result) = unsafe {
        (slice(unknown, n_unknown), slice(known, n_known), slice(seed, n_known), room(result, n_unknown))
    };
    let derive = |component: &mut Component| {
        result.copy_from_slice(&component.instance.directional(unknown, known, seed)?);
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, derive) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterEventMode(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2NewDiscreteStates(c: *mut c_void, info: *mut EventInfo) -> c_int {
    let settle = |component: &mut Component| {
        // SAFETY: `info` is a structure of the caller.
        let info = unsafe { info.as_mut() }.ok_or_else(|| "no room for the event".to_owned())?;
        let settled = component.instance.happen()?;
        component.is_over |= settled.is_over;
        *info = EventInfo {
            new_discrete_states_needed: 0,
            terminate_simulation: c_int::from(settled.is_over),
            nominals_changed: 0,
            values_changed: c_int::from(settled.moved),
            next_event_time_defined: c_int::from(settled.next.is_some()),
            next_event_time: settled.next.unwrap_or(0.0),
        };
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, settle) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2EnterContinuousTimeMode(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CompletedIntegratorStep(
    c: *mut c_void,
    _no_set_state: c_int,
    enter_event_mode: *mut c_int,
    terminate: *mut c_int,
) -> c_int {
    let completed = |component: &mut Component| {
        let needed = component.instance.has_drifted()?;
        // SAFETY: both are numbers of the caller or null.
        unsafe {
            if let Some(enter) = enter_event_mode.as_mut() {
                *enter = c_int::from(needed);
            }
            if let Some(terminate) = terminate.as_mut() {
                *terminate = 0;
            }
        }
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, completed) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetTime(c: *mut c_void, t: f64) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |component| component.instance.place(t, None)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetContinuousStates(c: *mut c_void, states: *const f64, n: usize) -> c_int {
    // SAFETY: the array has `n` entries, by the contract of FMI.
    let states = unsafe { slice(states, n) };
    // SAFETY: the contract of FMI.
    unsafe { call(c, |component| component.instance.place(component.instance.time(), Some(states))) }
}

/// Delivers numbers of the instance, which must be as many as the caller expects.
unsafe fn deliver(
    c: *mut c_void,
    place: *mut f64,
    n: usize,
    list: impl FnOnce(&mut Instance) -> Result<Vec<f64>, String>,
) -> c_int {
    // SAFETY: the array has `n` entries, by the contract of FMI.
    let place = unsafe { room(place, n) };
    let copy = |component: &mut Component| {
        let list = list(&mut component.instance)?;
        if list.len() != place.len() {
            return Err(format!("{} numbers are asked for, and there are {}", place.len(), list.len()));
        }
        place.copy_from_slice(&list);
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, copy) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetDerivatives(c: *mut c_void, place: *mut f64, n: usize) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { deliver(c, place, n, |instance| Ok(instance.derivatives()?.to_vec())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetEventIndicators(c: *mut c_void, place: *mut f64, n: usize) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { deliver(c, place, n, Instance::indicators) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetContinuousStates(c: *mut c_void, place: *mut f64, n: usize) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { deliver(c, place, n, |instance| Ok(instance.states()?.to_vec())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetNominalsOfContinuousStates(
    c: *mut c_void,
    place: *mut f64,
    n: usize,
) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { deliver(c, place, n, |instance| Ok(vec![1.0; instance.n_states()])) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetRealInputDerivatives(
    c: *mut c_void,
    _references: *const c_uint,
    n: usize,
    _orders: *const c_int,
    _values: *const f64,
) -> c_int {
    let refuse = |_: &mut Component| match n {
        0 => Ok(()),
        _ => Err("inputs hold their values during a step".to_owned()),
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, refuse) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealOutputDerivatives(
    c: *mut c_void,
    _references: *const c_uint,
    n: usize,
    _orders: *const c_int,
    _values: *mut f64,
) -> c_int {
    let refuse = |_: &mut Component| match n {
        0 => Ok(()),
        _ => Err("derivatives of outputs are not known".to_owned()),
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, refuse) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(c: *mut c_void, t: f64, h: f64, _no_set_state: c_int) -> c_int {
    let mut is_over = false;
    let step = |component: &mut Component| {
        component.is_over = !component.instance.advance(t + h)?;
        is_over = component.is_over;
        Ok(())
    };
    // SAFETY: the contract of FMI.
    match unsafe { call(c, step) } {
        OK if is_over => DISCARD,
        status => status,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2CancelStep(c: *mut c_void) -> c_int {
    // SAFETY: the contract of FMI.
    unsafe { call(c, |_| Err("steps are not asynchronous".to_owned())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStatus(_c: *mut c_void, _kind: c_int, _value: *mut c_int) -> c_int {
    DISCARD
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetRealStatus(c: *mut c_void, kind: c_int, value: *mut f64) -> c_int {
    const LAST_SUCCESSFUL_TIME: c_int = 2;
    let last = |component: &mut Component| {
        // SAFETY: `value` is a number of the caller or null.
        let value = unsafe { value.as_mut() }.filter(|_| kind == LAST_SUCCESSFUL_TIME);
        *value.ok_or_else(|| "this status is not known".to_owned())? = component.instance.time();
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, last) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetIntegerStatus(_c: *mut c_void, _kind: c_int, _value: *mut c_int) -> c_int {
    DISCARD
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetBooleanStatus(c: *mut c_void, kind: c_int, value: *mut c_int) -> c_int {
    const TERMINATED: c_int = 3;
    let over = |component: &mut Component| {
        // SAFETY: `value` is a number of the caller or null.
        let value = unsafe { value.as_mut() }.filter(|_| kind == TERMINATED);
        *value.ok_or_else(|| "this status is not known".to_owned())? = c_int::from(component.is_over);
        Ok(())
    };
    // SAFETY: the contract of FMI.
    unsafe { call(c, over) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetStringStatus(
    _c: *mut c_void,
    _kind: c_int,
    _value: *mut *const c_char,
) -> c_int {
    DISCARD
}
