//! No two crates publish types of the same name.

use std::collections::{BTreeMap, BTreeSet};

use super::repository::{Finding, Repository};

/// Crates whose types carry the name of what they describe: nodes of the syntax tree.
const MIRRORS: &[&str] = &["syntax"];

/// Names that two crates still share.
const EXCEPTIONS: &[&str] = &[
    "Complex",
    "Curve",
    "Energy",
    "Error",
    "Failure",
    "Function",
    "Kind",
    "Label",
    "Loops",
    "Matrix",
    "Method",
    "Motion",
    "Options",
    "Output",
    "Parameter",
    "Point",
    "Pose",
    "Reaction",
    "Request",
    "Results",
    "Segment",
    "Shape",
    "Simulation",
    "State",
    "System",
    "Table",
    "Target",
    "Verdict",
];

/// Types that two crates publish at their root under one name, and exceptions that are no longer needed.
pub fn check(repository: &Repository) -> Vec<Finding> {
    with_exceptions(repository, EXCEPTIONS)
}

fn with_exceptions(repository: &Repository, exceptions: &[&str]) -> Vec<Finding> {
    let mut homes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in repository.rust().filter(|f| f.path.ends_with("/src/lib.rs")) {
        let Some(home) = file.crate_name().filter(|name| !MIRRORS.contains(name)) else { continue };
        for name in published(&file.text) {
            homes.entry(name).or_default().insert(home);
        }
    }
    homes.retain(|_, crates| crates.len() > 1);
    let mut findings = Vec::new();
    for (name, crates) in homes.iter().filter(|(name, _)| !exceptions.contains(name)) {
        let crates: Vec<&str> = crates.iter().copied().collect();
        let message = format!("`{name}` is published by {}", crates.join(" and "));
        let path = format!("crates/{}/src/lib.rs", crates[crates.len() - 1]);
        findings.push(Finding::in_file(&path, message, "give one of them a qualified name"));
    }
    for name in exceptions.iter().filter(|name| !homes.contains_key(**name)) {
        let message = format!("`{name}` needs no exception: one crate alone publishes it");
        findings.push(Finding::in_file("xtask/src/tidy/type_names.rs", message, "remove it from the list"));
    }
    findings
}

/// Names of types that a crate re-exports from its modules.
fn published(text: &str) -> Vec<&str> {
    let uses = text.match_indices("\npub use crate::").filter_map(|(at, _)| text[at + 1..].split(';').next());
    let words = uses.flat_map(|statement| statement.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    words.filter(|w| w.starts_with(|c: char| c.is_uppercase()) && w.chars().any(char::is_lowercase)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_names_are_found() {
        let repository = Repository::of(&[
            ("crates/a/src/lib.rs", "//! A.\npub use crate::x::{Body, MAX, f};\n"),
            ("crates/b/src/lib.rs", "//! B.\npub use crate::y::Body;\n"),
            ("crates/syntax/src/lib.rs", "//! S.\npub use crate::tree::Body;\n"),
        ]);
        let found = with_exceptions(&repository, &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().contains("`Body` is published by a and b"), "{}", found[0]);
        assert!(with_exceptions(&repository, &["Body"]).is_empty());
        assert_eq!(with_exceptions(&repository, &["Body", "Joint"]).len(), 1);
    }
}
