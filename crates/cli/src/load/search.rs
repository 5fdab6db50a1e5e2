//! Where imported texts are found: below the folder of the model, and below the folders of the search path.
//!
//! Nothing is read elsewhere. A path that climbs (`..`) or begins at the root is refused before anything is
//! opened, and a symbolic link that leads out is refused by the place to which it leads.

use std::cmp::Ordering;
use std::fs;
use std::path::{Component, Path, PathBuf};

use cardan::expand::{Found, Refusal};

use crate::files;

/// The environment variable that names folders of the search path.
const VARIABLE: &str = "CARDAN_PATH";

/// The folders in which imports are looked for.
pub struct Search {
    /// Each as it is shown, and its place on disk.
    roots: Vec<(PathBuf, PathBuf)>,
}

impl Search {
    /// The folder of a model, then the folders of the command line, then those of the environment.
    pub fn new(model: &Path, folders: &[PathBuf]) -> Self {
        let own = model.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let named = std::env::var_os(VARIABLE).map(|v| std::env::split_paths(&v).collect::<Vec<_>>());
        let all = std::iter::once(own.to_owned()).chain(folders.to_vec()).chain(named.unwrap_or_default());
        let roots = all.filter_map(|shown| Some((shown.clone(), shown.canonicalize().ok()?))).collect();
        Search { roots }
    }

    /// The text of an import that stands in `from`.
    pub fn read(&self, wanted: &str, from: &str) -> Result<Found, Refusal> {
        let path = Path::new(wanted);
        if !path.components().all(|c| matches!(c, Component::Normal(_))) || wanted.contains('\\') {
            return Err(Refusal::Outside);
        }
        let beside = Path::new(from).parent().and_then(|p| p.canonicalize().ok());
        let beside = beside.filter(|p| self.roots.iter().any(|(_, root)| p.starts_with(root)));
        let mut outside = false;
        for base in beside.iter().chain(self.roots.iter().map(|(_, root)| root)) {
            let Ok(place) = versioned(base, path).canonicalize() else { continue };
            let Some((shown, root)) = self.roots.iter().find(|(_, root)| place.starts_with(root)) else {
                outside = true;
                continue;
            };
            let inside = place.strip_prefix(root).unwrap_or(&place);
            let name = if shown == Path::new(".") { inside.to_owned() } else { shown.join(inside) };
            let text = files::read(&place).map_err(|problem| Refusal::Unreadable(problem.message))?;
            return Ok(Found { name: name.to_string_lossy().into_owned(), text });
        }
        Err(if outside { Refusal::Outside } else { Refusal::Missing })
    }
}

/// The path below a folder in which `name@1` stands for the newest `name@1.x` that is there.
fn versioned(base: &Path, path: &Path) -> PathBuf {
    let mut place = base.to_owned();
    for component in path.components() {
        let name = component.as_os_str().to_string_lossy().into_owned();
        let exact = place.join(&name);
        place = match name.split_once('@') {
            Some((package, version)) if !exact.exists() => newest(&place, package, version).unwrap_or(exact),
            _ => exact,
        };
    }
    place
}

fn newest(folder: &Path, package: &str, version: &str) -> Option<PathBuf> {
    let prefix = format!("{package}@{version}.");
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let fitting = entries.filter(|e| e.file_name().to_string_lossy().starts_with(&prefix));
    fitting
        .max_by(|a, b| by_version(&a.file_name().to_string_lossy(), &b.file_name().to_string_lossy()))
        .map(|e| e.path())
}

/// Versions are compared number by number: 1.10 is newer than 1.9.
fn by_version(a: &str, b: &str) -> Ordering {
    let numbers = |name: &str| -> Vec<u64> {
        let version = name.rsplit('@').next().unwrap_or("");
        version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    numbers(a).cmp(&numbers(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_number_by_number() {
        assert_eq!(by_version("a@1.10", "a@1.9"), Ordering::Greater);
        assert_eq!(by_version("a@1.9", "a@1.9.1"), Ordering::Less);
    }
}
