//! No folder of sources has more files than a reader can survey.

use std::collections::BTreeMap;

use super::repository::{Finding, Repository};

const LIMIT: usize = 14;

/// Folders that are still to be divided.
const EXCEPTIONS: &[&str] = &[];

/// Folders of crates with more Rust files than the limit, and exceptions that are no longer needed.
pub fn check(repository: &Repository) -> Vec<Finding> {
    with_exceptions(repository, EXCEPTIONS)
}

fn with_exceptions(repository: &Repository, exceptions: &[&str]) -> Vec<Finding> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for file in repository.rust().filter(|f| f.path.starts_with("crates/") && f.path.contains("/src/")) {
        if let Some((folder, _)) = file.path.rsplit_once('/') {
            *sizes.entry(folder).or_default() += 1;
        }
    }
    let large: Vec<(&str, usize)> = sizes.into_iter().filter(|(_, n)| *n > LIMIT).collect();
    let mut findings = Vec::new();
    for (folder, n) in large.iter().filter(|(folder, _)| !exceptions.contains(folder)) {
        let remedy = "group them in folders named by the subject's own divisions";
        findings.push(Finding::in_file(folder, format!("{n} files, over {LIMIT}"), remedy));
    }
    for folder in exceptions.iter().filter(|e| !large.iter().any(|(folder, _)| folder == *e)) {
        let remedy = "remove it from the list in folder_sizes.rs";
        findings.push(Finding::in_file(folder, "it needs no exception from the limit of files", remedy));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowded_folders_are_found() {
        let names: Vec<String> = (0..=LIMIT).map(|k| format!("crates/x/src/wide/f{k}.rs")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), "")).collect();
        files.extend([("crates/x/src/lib.rs", ""), ("crates/x/src/wide/data.txt", "")]);
        let found = with_exceptions(&Repository::of(&files), &[]);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("crates/x/src/wide: 15 files"));
        assert!(with_exceptions(&Repository::of(&files[1..]), &[]).is_empty());
        assert!(with_exceptions(&Repository::of(&files), &["crates/x/src/wide"]).is_empty());
        assert_eq!(with_exceptions(&Repository::of(&files[1..]), &["crates/x/src/wide"]).len(), 1);
    }
}
