//! A unit of others as a sampled block: Co-Simulation of FMI 2.0 through the functions of its library.
//!
//! Opening a unit runs foreign code. Nothing here is called but for a file that the user names on the command line.

use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};

use crate::archive::unpack;

/// A variable of a unit: its name and its value reference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Port {
    /// The name.
    pub name: String,
    reference: c_uint,
}

/// What a description tells of a unit.
#[derive(Clone, PartialEq, Debug)]
pub struct Described {
    identifier: String,
    token: String,
    /// What it reads.
    pub inputs: Vec<Port>,
    /// What it gives.
    pub outputs: Vec<Port>,
    /// The step that it wants, in seconds.
    pub step: Option<f64>,
}

/// What `modelDescription.xml` says; only real inputs and outputs count.
pub fn described(xml: &str) -> Result<Described, String> {
    let document = roxmltree::Document::parse(xml).map_err(|e| format!("modelDescription.xml: {e}"))?;
    let root = document.root_element();
    let version = root.attribute("fmiVersion").unwrap_or_default();
    if !version.starts_with("2.") {
        return Err(format!("the unit is of FMI {version}; units of FMI 2.0 can be coupled"));
    }
    let kind = root.children().find(|n| n.has_tag_name("CoSimulation"));
    let identifier = kind.and_then(|k| k.attribute("modelIdentifier"));
    let identifier = identifier.ok_or_else(|| "the unit has no Co-Simulation".to_owned())?;
    let port = |causality: &str| -> Vec<Port> {
        let variables = root.descendants().filter(|n| n.has_tag_name("ScalarVariable"));
        let real = variables.filter(|v| v.children().any(|c| c.has_tag_name("Real")));
        let wanted = real.filter(|v| v.attribute("causality") == Some(causality));
        let port = |v: roxmltree::Node<'_, '_>| {
            let reference = v.attribute("valueReference")?.parse().ok()?;
            Some(Port { name: v.attribute("name")?.to_owned(), reference })
        };
        wanted.filter_map(port).collect()
    };
    let experiment = root.children().find(|n| n.has_tag_name("DefaultExperiment"));
    let step = experiment.and_then(|e| e.attribute("stepSize")).and_then(|s| s.parse().ok());
    Ok(Described {
        identifier: identifier.to_owned(),
        token: root.attribute("guid").unwrap_or_default().to_owned(),
        inputs: port("input"),
        outputs: port("output"),
        step: step.filter(|s: &f64| s.is_finite() && *s > 0.0),
    })
}

/// `fmi2CallbackFunctions`.
#[repr(C)]
struct Callbacks {
    logger: unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char),
    allocate: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    step_finished: *const c_void,
    environment: *mut c_void,
}

// SAFETY: it holds functions and null pointers, and is never written.
unsafe impl Sync for Callbacks {}

unsafe extern "C" {
    fn calloc(n: usize, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
    #[cfg(unix)]
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    #[cfg(unix)]
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// What a unit says is not repeated; failures are told by their status. C allows a function to be called with more arguments than
/// it reads.
unsafe extern "C" fn quiet(_: *mut c_void, _: *const c_char, _: c_int, _: *const c_char, _: *const c_char) {}

static CALLBACKS: Callbacks = Callbacks {
    logger: quiet,
    allocate: calloc,
    free,
    step_finished: std::ptr::null(),
    environment: std::ptr::null_mut(),
};

type Instantiate = unsafe extern "C" fn(
    *const c_char,
    c_int,
    *const c_char,
    *const c_char,
    *const Callbacks,
    c_int,
    c_int,
) -> *mut c_void;
type Plain = unsafe extern "C" fn(*mut c_void) -> c_int;
type Setup = unsafe extern "C" fn(*mut c_void, c_int, f64, f64, c_int, f64) -> c_int;
type Set = unsafe extern "C" fn(*mut c_void, *const c_uint, usize, *const f64) -> c_int;
type Get = unsafe extern "C" fn(*mut c_void, *const c_uint, usize, *mut f64) -> c_int;
type Step = unsafe extern "C" fn(*mut c_void, f64, f64, c_int) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void);

/// A unit at work.
pub struct Controller {
    /// What its description tells.
    pub described: Described,
    instance: *mut c_void,
    set: Set,
    get: Get,
    step: Step,
    free: Free,
    t: f64,
}

impl Drop for Controller {
    fn drop(&mut self) {
        // SAFETY: the instance is the unit's own and is not used afterwards.
        unsafe { (self.free)(self.instance) }
    }
}

/// Warnings are no failures.
fn done(status: c_int, what: &str) -> Result<(), String> {
    if status <= 1 { Ok(()) } else { Err(format!("the unit refuses to {what} (status {status})")) }
}

impl Controller {
    /// Opens the unit in a file, unpacked into a folder that outlives it, and begins at a time.
    pub fn open(file: &[u8], folder: &Path, from: f64) -> Result<Controller, String> {
        for (name, bytes) in unpack(file)? {
            let place = folder.join(&name);
            let made = place.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| std::fs::write(&place, bytes)).map_err(|e| format!("{name}: {e}"))?;
        }
        let xml = std::fs::read_to_string(folder.join("modelDescription.xml"));
        let described = described(&xml.map_err(|e| format!("modelDescription.xml: {e}"))?)?;
        let library = library(folder, &described.identifier)?;
        let words = |text: &str| CString::new(text).map_err(|_| "a text with a zero byte".to_owned());
        let resources = format!("file://{}", folder.join("resources").display());
        let (name, token, resources) = (words("controller")?, words(&described.token)?, words(&resources)?);
        // SAFETY: the addresses are those of functions that the standard gives these types; the texts end with zero and outlive the
        // call, and the callbacks live as long as the process.
        unsafe {
            let make: Instantiate = function(library, "fmi2Instantiate")?;
            let setup: Setup = function(library, "fmi2SetupExperiment")?;
            let enter: Plain = function(library, "fmi2EnterInitializationMode")?;
            let exit: Plain = function(library, "fmi2ExitInitializationMode")?;
            const CO_SIMULATION: c_int = 1;
            let instance =
                make(name.as_ptr(), CO_SIMULATION, token.as_ptr(), resources.as_ptr(), &CALLBACKS, 0, 0);
            if instance.is_null() {
                return Err("the unit makes no instance".to_owned());
            }
            let controller = Controller {
                described,
                instance,
                set: function(library, "fmi2SetReal")?,
                get: function(library, "fmi2GetReal")?,
                step: function(library, "fmi2DoStep")?,
                free: function(library, "fmi2FreeInstance")?,
                t: from,
            };
            done(setup(instance, 0, 0.0, from, 0, 0.0), "set up the experiment")?;
            done(enter(instance), "be initialised")?;
            done(exit(instance), "be initialised")?;
            Ok(controller)
        }
    }

    /// Gives the inputs their values and follows the unit to a time.
    pub fn advance(&mut self, inputs: &[f64], to: f64) -> Result<(), String> {
        let references: Vec<c_uint> = self.described.inputs.iter().map(|p| p.reference).collect();
        if references.len() != inputs.len() {
            return Err(format!("{} inputs are given for {}", inputs.len(), references.len()));
        }
        // SAFETY: the instance is alive, and both arrays have the length that is told.
        unsafe {
            done(
                (self.set)(self.instance, references.as_ptr(), inputs.len(), inputs.as_ptr()),
                "take its inputs",
            )?;
            if to > self.t {
                done((self.step)(self.instance, self.t, to - self.t, 1), &format!("step to t = {to} s"))?;
            }
        }
        self.t = self.t.max(to);
        Ok(())
    }

    /// The outputs now.
    pub fn outputs(&mut self) -> Result<Vec<f64>, String> {
        let references: Vec<c_uint> = self.described.outputs.iter().map(|p| p.reference).collect();
        let mut values = vec![0.0; references.len()];
        // SAFETY: the instance is alive, and both arrays have the length that is told.
        let status =
            unsafe { (self.get)(self.instance, references.as_ptr(), values.len(), values.as_mut_ptr()) };
        done(status, "give its outputs")?;
        match values.iter().position(|x| !x.is_finite()) {
            None => Ok(values),
            Some(k) => Err(format!("the unit gives `{}` as {}", self.described.outputs[k].name, values[k])),
        }
    }
}

/// The library of this system, opened; it stays open as long as the process lives.
#[cfg(unix)]
fn library(folder: &Path, identifier: &str) -> Result<*mut c_void, String> {
    use std::os::unix::ffi::OsStrExt;
    /// Resolve everything at once, so that a missing symbol is found here.
    const RTLD_NOW: c_int = 2;
    let system = match (cfg!(target_os = "macos"), cfg!(target_arch = "x86_64")) {
        (true, _) => ("darwin64", "dylib"),
        (false, true) => ("linux64", "so"),
        (false, false) => ("aarch64-linux", "so"),
    };
    let path: PathBuf = folder.join("binaries").join(system.0).join(format!("{identifier}.{}", system.1));
    if !path.is_file() {
        return Err(format!("the unit has no library for {}", system.0));
    }
    let file = CString::new(path.as_os_str().as_bytes()).map_err(|_| "a path with a zero byte".to_owned())?;
    // SAFETY: the path ends with zero; the user has asked for this code to be run.
    let library = unsafe { dlopen(file.as_ptr(), RTLD_NOW) };
    if library.is_null() { Err(format!("{} cannot be loaded", path.display())) } else { Ok(library) }
}

/// Units are opened on Unix only.
#[cfg(not(unix))]
fn library(_folder: &Path, _identifier: &str) -> Result<*mut c_void, String> {
    Err("units of others cannot be opened on this system".to_owned())
}

/// A function of a library.
///
/// # Safety
/// `F` is the type that the standard gives the function.
#[cfg(unix)]
unsafe fn function<F: Copy>(library: *mut c_void, name: &str) -> Result<F, String> {
    let symbol = CString::new(name).map_err(|e| e.to_string())?;
    // SAFETY: the library is open, and the name ends with zero.
    let address = unsafe { dlsym(library, symbol.as_ptr()) };
    if address.is_null() || size_of::<F>() != size_of::<*mut c_void>() {
        return Err(format!("the library of the unit has no function `{name}`"));
    }
    // SAFETY: a pointer to a function has the size of an address, and the caller vouches for its type.
    Ok(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&address) })
}

/// Units are opened on Unix only.
#[cfg(not(unix))]
unsafe fn function<F: Copy>(_library: *mut c_void, name: &str) -> Result<F, String> {
    Err(format!("there is no function `{name}` on this system"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_tells_ports_and_step() {
        let xml = r#"<fmiModelDescription fmiVersion="2.0" guid="{x}">
            <CoSimulation modelIdentifier="pd"/><DefaultExperiment stepSize="0.01"/>
            <ModelVariables>
              <ScalarVariable name="x" valueReference="3" causality="input"><Real/></ScalarVariable>
              <ScalarVariable name="n" valueReference="4" causality="input"><Integer/></ScalarVariable>
              <ScalarVariable name="F" valueReference="7" causality="output"><Real/></ScalarVariable>
            </ModelVariables></fmiModelDescription>"#;
        let found = described(xml).unwrap();
        assert_eq!(found.inputs, [Port { name: "x".into(), reference: 3 }]);
        assert_eq!(found.outputs, [Port { name: "F".into(), reference: 7 }]);
        assert_eq!((found.step, found.identifier.as_str()), (Some(0.01), "pd"));
        assert!(described(&xml.replace("2.0", "1.0")).unwrap_err().contains("FMI 1.0"));
        assert!(described("<a>").is_err());
    }
}
