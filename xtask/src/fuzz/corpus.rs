//! The inputs that are mutated: the model library, the templates, the robots, the ADAMS data sets, and those within the tests of the importers.

use std::fs;
use std::path::Path;

/// The format of an input, by the ending of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Model,
    Autosim,
    Urdf,
    Mjcf,
    Adams,
}

impl Kind {
    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Kind::Model => "mbs",
            Kind::Autosim => "lsp",
            Kind::Urdf => "urdf",
            Kind::Mjcf => "xml",
            Kind::Adams => "adm",
        }
    }
}

/// An input as it stands in the repository.
pub struct Seed {
    pub kind: Kind,
    pub bytes: Vec<u8>,
}

/// All inputs.
pub struct Corpus {
    pub texts: Vec<Seed>,
    pub robots: Vec<Seed>,
    pub data_sets: Vec<Seed>,
}

/// Where they are.
const FOLDERS: [&str; 5] =
    ["models", "crates/cli/templates", "tests/robots", "tests/adams", "crates/cli/tests/command/texts"];
/// Tests with robots in them.
const TESTS: [&str; 2] = ["crates/import/tests/urdf.rs", "crates/import/tests/mjcf.rs"];

impl Corpus {
    /// Reads the repository that the program is run in.
    pub fn load() -> Result<Corpus, String> {
        let mut corpus = Corpus { texts: vec![], robots: vec![], data_sets: vec![] };
        for folder in FOLDERS {
            let entries = fs::read_dir(folder).map_err(|e| format!("{folder}: {e}"))?;
            let mut paths: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
            paths.sort();
            for path in paths {
                let kind = match path.extension().and_then(|e| e.to_str()) {
                    Some("mbs") => Kind::Model,
                    Some("lsp") => Kind::Autosim,
                    Some("urdf") => Kind::Urdf,
                    Some("xml") => Kind::Mjcf,
                    Some("adm") => Kind::Adams,
                    _ => continue,
                };
                corpus.add(kind, fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?);
            }
        }
        for test in TESTS {
            let text = fs::read_to_string(Path::new(test)).map_err(|e| format!("{test}: {e}"))?;
            for (kind, begin, end) in
                [(Kind::Urdf, "<robot", "</robot>"), (Kind::Mjcf, "<mujoco", "</mujoco>")]
            {
                within(&text, begin, end).into_iter().for_each(|part| corpus.add(kind, part.into()));
            }
        }
        match corpus.texts.is_empty() || corpus.robots.is_empty() || corpus.data_sets.is_empty() {
            true => Err("there is nothing to mutate here".into()),
            false => Ok(corpus),
        }
    }

    fn add(&mut self, kind: Kind, bytes: Vec<u8>) {
        let list = match kind {
            Kind::Model | Kind::Autosim => &mut self.texts,
            Kind::Urdf | Kind::Mjcf => &mut self.robots,
            Kind::Adams => &mut self.data_sets,
        };
        list.push(Seed { kind, bytes });
    }
}

/// The parts of a text from `begin` to the next `end`.
fn within<'t>(text: &'t str, begin: &str, end: &str) -> Vec<&'t str> {
    let mut parts = vec![];
    let mut rest = text;
    while let Some(from) = rest.find(begin) {
        rest = &rest[from..];
        let Some(to) = rest.find(end) else { break };
        let (part, after) = rest.split_at(to + end.len());
        parts.push(part);
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn parts_end_at_the_next_end() {
        assert_eq!(within("a <r>1</r> b <r>2</r> <r>3", "<r>", "</r>"), ["<r>1</r>", "<r>2</r>"]);
    }
}
