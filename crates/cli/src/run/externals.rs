//! `--bind f=FILE`: functions that are written elsewhere, from a shared library or from C.
//!
//! Foreign code runs only because the command line names it; a model text cannot.

use std::fs::DirBuilder;
use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use cardan::jit::foreign;
use cardan::model::Model;
use cardan::prelude::Host;

use crate::exit::Problem;
use crate::files;

/// The functions that the command line binds; each must be declared in the model, and each declared one bound.
pub fn host(model: &Model, bindings: &[String]) -> Result<Host, Problem> {
    let mut host = Host::new();
    for binding in bindings {
        let Some((name, file)) = binding.split_once('=') else {
            return Err(Problem::usage(format!("`{binding}` binds nothing"))
                .hint("write --bind NAME=FILE, such as --bind drag=drag.c or --bind drag=libdrag.so"));
        };
        let declared = model.hybrid.externals.iter().find(|(_, e)| e.name == name);
        let Some((_, external)) = declared else {
            return Err(Problem::usage(format!("the model has no external function `{name}`"))
                .hint(format!("declare it: `external function {name}(x [m]) [N]`")));
        };
        if host.get(name).is_some() {
            return Err(Problem::usage(format!("`{name}` is bound twice"))
                .hint(format!("leave one out: {file} would take the place of the one before")));
        }
        let path = Path::new(file);
        files::protect(path);
        // A compiled library is loaded and needs no file any more.
        let workshop = Workshop::new()?;
        let library = match path.extension().and_then(|e| e.to_str()) {
            Some("c") => workshop.compile(path)?,
            _ => absolute(path)?,
        };
        let unread = |e: std::io::Error| Problem::wrong(format!("{file} cannot be read: {e}"));
        files::note_input(&std::fs::read(&library).map_err(unread)?);
        let function = foreign::load(&library, name, external.arity()).map_err(|error| {
            // What was compiled is a file of its own; what is meant is its source.
            let said = error.to_string().replace(&*library.to_string_lossy(), file);
            let missing = said.ends_with(&format!("has no function `{name}`"));
            let problem = Problem::wrong(said);
            if !missing {
                return problem;
            }
            let arguments: Vec<String> =
                external.arguments.iter().map(|(argument, _)| format!("double {argument}")).collect();
            problem.hint(format!("the function wanted is `double {name}({})`", arguments.join(", ")))
        })?;
        host.bind(name, move |x| function(x));
    }
    let missing = model.hybrid.externals.iter().find(|(_, e)| host.get(&e.name).is_none());
    match missing {
        None => Ok(host),
        Some((_, e)) => Err(Problem::wrong(format!("the external function `{}` is not bound", e.name))
            .hint(format!("give its source or library: --bind {0}={0}.c", e.name))),
    }
}

/// A path that the system does not look for in its own folders.
fn absolute(path: &Path) -> Result<PathBuf, Problem> {
    path.canonicalize().map_err(|e| Problem::wrong(format!("{} cannot be opened: {e}", path.display())))
}

/// A folder with a name that nobody can foresee and that only its owner can use; removed with all that it holds.
pub(crate) struct Workshop(PathBuf);

impl Workshop {
    pub(crate) fn new() -> Result<Workshop, Problem> {
        let failed = |e: &std::io::Error| {
            Problem::failed(format!("{} cannot be written: {e}", std::env::temp_dir().display()))
        };
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        for _ in 0..100 {
            // The keys of a map are random for each map.
            let random = RandomState::new().hash_one(std::process::id());
            let path = std::env::temp_dir().join(format!("cardan-{random:016x}"));
            match builder.create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|()| Workshop(path)).map_err(|e| failed(&e)),
            }
        }
        Err(failed(&ErrorKind::AlreadyExists.into()))
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Compiles a C file to a library.
    fn compile(&self, source: &Path) -> Result<PathBuf, Problem> {
        let library = self.0.join("library.so");
        let output = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-o"])
            .arg(&library)
            .arg(absolute(source)?)
            .arg("-lm")
            .output()
            .map_err(|e| Problem::failed(format!("the C compiler `cc` cannot be started: {e}")))?;
        if output.status.success() {
            return Ok(library);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Problem::wrong(format!("{} does not compile:\n{}", source.display(), said.trim_end())))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
