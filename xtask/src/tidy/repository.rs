//! What the checks see: the text files that git knows or would add, and the packages of the workspace.

use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A text file.
pub struct File {
    /// Relative to the root, with `/` between the parts.
    pub path: String,
    pub text: String,
}

impl File {
    /// Whether the name ends in `.extension`.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.path.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'))
    }
    /// The folder name below `crates/`.
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }
    /// Whether other people wrote it, or a tool did.
    pub fn is_foreign(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or("");
        let locks = ["Cargo.lock", "package-lock.json", "uv.lock"];
        locks.contains(&name)
            || name.starts_with("LICENSE")
            || name.starts_with("vendor.")
            || self.path.contains("/assets/licenses/")
    }
}

/// A package of the workspace.
pub struct Package {
    pub name: String,
    /// The folder of its manifest, relative to the root.
    pub folder: String,
    /// `package.metadata.cardan.layer`.
    pub layer: Option<u64>,
    /// Names of the packages of this workspace that it needs to build, tests apart.
    pub dependencies: Vec<String>,
}

impl Package {
    /// The folder name below `crates/`.
    pub fn crate_name(&self) -> Option<&str> {
        self.folder.strip_prefix("crates/")
    }
    /// Its manifest, relative to the root.
    pub fn manifest(&self) -> String {
        format!("{}/Cargo.toml", self.folder)
    }
}

/// Everything that a check may look at.
#[derive(Default)]
pub struct Repository {
    pub files: Vec<File>,
    /// Paths of files that are no text: pictures.
    pub pictures: Vec<String>,
    pub packages: Vec<Package>,
}

/// Something to mend.
#[derive(PartialEq, Eq, Debug)]
pub struct Finding {
    path: String,
    line: Option<usize>,
    message: String,
    remedy: String,
}

impl Finding {
    /// A finding about a whole file.
    pub fn in_file(path: &str, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { path: path.to_owned(), line: None, message: message.into(), remedy: remedy.into() }
    }
    /// A finding about a line, counted from 1.
    pub fn at(path: &str, line: usize, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { line: Some(line), ..Finding::in_file(path, message, remedy) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}; {}", self.message, self.remedy)
    }
}

impl Repository {
    /// Reads the repository around the current folder.
    pub fn load() -> Result<Self, String> {
        let root = output(Command::new("git").args(["rev-parse", "--show-toplevel"]))?;
        let root = Path::new(root.trim_end());
        let known = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = output(Command::new("git").args(known).current_dir(root))?;
        let (mut files, mut pictures) = (Vec::new(), Vec::new());
        for path in listed.split('\0').filter(|p| !p.is_empty()) {
            // A file that git knows may have been removed, and a picture is no text.
            match std::fs::read_to_string(root.join(path)) {
                Ok(text) if !text.contains('\0') => files.push(File { path: path.to_owned(), text }),
                _ if root.join(path).is_file() => pictures.push(path.to_owned()),
                _ => {}
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));

        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let metadata = output(
            Command::new(cargo)
                .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
                .current_dir(root),
        )?;
        let metadata: Value = serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
        Ok(Repository { files, pictures, packages: packages(&metadata) })
    }

    /// The Rust files.
    pub fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|f| f.has_extension("rs"))
    }
    /// The Markdown files.
    pub fn markdown(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|f| f.has_extension("md"))
    }
    /// The file at a path.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|f| f.path == path)
    }
    /// A repository of the given files, for tests.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        Repository { files: files.iter().map(file).collect(), ..Repository::default() }
    }
}

fn output(command: &mut Command) -> Result<String, String> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{shown} does not start: {e}"))?;
    if !output.status.success() {
        return Err(format!("{shown} failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("{shown}: {e}"))
}

/// The packages in what `cargo metadata` prints.
fn packages(metadata: &Value) -> Vec<Package> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let root = text(metadata, "workspace_root");
    let all = list(metadata, "packages");
    let names: Vec<String> = all.iter().map(|p| text(p, "name")).collect();
    all.iter()
        .map(|package| {
            let manifest = text(package, "manifest_path");
            let folder = manifest.strip_prefix(&root).unwrap_or(&manifest).replace('\\', "/");
            let folder = folder.trim_start_matches('/').trim_end_matches("/Cargo.toml").to_owned();
            let builds = |d: &&Value| d["kind"].as_str() != Some("dev");
            let dependencies = list(package, "dependencies");
            let dependencies = dependencies.iter().filter(builds).map(|d| text(d, "name"));
            Package {
                name: text(package, "name"),
                folder,
                layer: package["metadata"]["cardan"]["layer"].as_u64(),
                dependencies: dependencies.filter(|d| names.contains(d)).collect(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_read() {
        let metadata = serde_json::json!({
            "workspace_root": "/w",
            "packages": [
                {"name": "cardan-base", "manifest_path": "/w/crates/base/Cargo.toml", "metadata": {"cardan": {"layer": 0}},
                 "dependencies": []},
                {"name": "xtask", "manifest_path": "/w/xtask/Cargo.toml", "metadata": null, "dependencies": [
                    {"name": "cardan-base", "kind": null}, {"name": "serde_json", "kind": null}]},
                {"name": "cardan-expr", "manifest_path": "/w/crates/expr/Cargo.toml", "metadata": {"cardan": {"layer": 1}},
                 "dependencies": [{"name": "cardan-base", "kind": "dev"}]},
            ],
        });
        let packages = packages(&metadata);
        let shown: Vec<_> = packages
            .iter()
            .map(|p| (p.folder.as_str(), p.crate_name(), p.layer, p.dependencies.len()))
            .collect();
        let expected = [
            ("crates/base", Some("base"), Some(0), 0),
            ("xtask", None, None, 1),
            ("crates/expr", Some("expr"), Some(1), 0),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn this_repository_is_found() {
        let repository = Repository::load().expect("git and cargo answer");
        assert!(repository.file("Cargo.toml").is_some());
        assert!(repository.packages.iter().any(|p| p.crate_name() == Some("base")));
    }

    #[test]
    fn a_finding_names_its_place() {
        let finding = Finding::at("a.rs", 3, "it squeaks", "oil it");
        assert_eq!(finding.to_string(), "a.rs:3: it squeaks; oil it");
    }
}
