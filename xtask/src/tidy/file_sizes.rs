//! No Rust file is longer than a sitting.

use super::repository::{Finding, Repository};

const LIMIT: usize = 800;

/// Longer files, each with its reason. Tables and generated code only.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Rust files over the limit, and exceptions that are no longer needed.
pub fn check(repository: &Repository) -> Vec<Finding> {
    with_exceptions(repository, EXCEPTIONS)
}

fn with_exceptions(repository: &Repository, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let long: Vec<_> = repository.rust().filter(|f| f.text.lines().count() > LIMIT).collect();
    for file in long.iter().filter(|f| !exceptions.iter().any(|(path, _)| *path == f.path)) {
        let message = format!("{} lines, over {LIMIT}", file.text.lines().count());
        findings.push(Finding::in_file(&file.path, message, "split it: one concept per file"));
    }
    for (path, reason) in exceptions.iter().filter(|(path, _)| !long.iter().any(|f| f.path == *path)) {
        let message = format!("it needs no exception from the limit of lines ({reason})");
        findings.push(Finding::in_file(path, message, "remove it from the list in file_sizes.rs"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_rust_files_are_found() {
        let long = "\n".repeat(LIMIT + 1);
        let repository = Repository::of(&[("a.rs", &long), ("b.rs", "fn f() {}\n"), ("c.md", &long)]);
        let found = with_exceptions(&repository, &[]);
        assert!(found.len() == 1 && found[0].to_string().starts_with("a.rs: 801 lines"));
        assert!(with_exceptions(&repository, &[("a.rs", "a table")]).is_empty());
    }

    #[test]
    fn needless_exceptions_are_found() {
        let repository = Repository::of(&[("b.rs", "fn f() {}\n")]);
        assert_eq!(with_exceptions(&repository, &[("b.rs", "a table")]).len(), 1);
    }
}
