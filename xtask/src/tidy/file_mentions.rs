//! Pages name files that exist, and there is a recipe for each kind of addition.

use super::repository::{Finding, Repository};

/// Additions with a checklist of their own.
const RECIPES: [&str; 8] = [
    "add-a-joint",
    "add-an-element",
    "add-a-formalism",
    "add-a-form",
    "add-an-analysis",
    "add-a-target-language",
    "add-an-importer",
    "add-a-diagnostic",
];
const FOLDER: &str = "docs/recipes";

/// Files of crates that a page mentions and that are not there; recipes that are missing or name no file.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in repository.markdown().filter(|f| !f.is_foreign()) {
        for (k, line) in page.text.lines().enumerate() {
            for path in paths(line).filter(|path| !exists(repository, path)) {
                let message = format!("there is no {path}");
                findings.push(Finding::at(&page.path, k + 1, message, "name the file that is meant"));
            }
        }
    }
    for recipe in RECIPES {
        let path = format!("{FOLDER}/{recipe}.md");
        let page = repository.file(&path);
        if page.is_none_or(|page| page.text.lines().flat_map(paths).next().is_none()) {
            let message = "the recipe is missing, or names no file of a crate";
            findings.push(Finding::in_file(&path, message, "write which files such a change touches"));
        }
    }
    findings
}

/// Paths in code that begin with `crates/`. A path with a placeholder in capitals is an example.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split('`').skip(1).step_by(2);
    let words = code.flat_map(|c| c.split([' ', ',', '(', ')', ':'])).filter(|w| w.starts_with("crates/"));
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-".contains(c);
    words.filter(move |w| w.chars().all(plain)).map(|w| w.trim_end_matches(['/', '.']))
}

fn exists(repository: &Repository, path: &str) -> bool {
    let below = format!("{path}/");
    repository.files.iter().any(|f| f.path == path || f.path.starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_there_are_found() {
        let recipes: Vec<String> = RECIPES.iter().map(|r| format!("{FOLDER}/{r}.md")).collect();
        let mut files: Vec<(&str, &str)> =
            recipes.iter().map(|path| (path.as_str(), "See `crates/x/src/a.rs`.\n")).collect();
        files.push(("crates/x/src/a.rs", ""));
        assert!(check(&Repository::of(&files)).is_empty());
        files.push(("docs/p.md", "`crates/x/src`, `crates/x/src/b.rs: f`, `crates/x/src/NAME.rs`\n"));
        let found = check(&Repository::of(&files));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].to_string().contains("crates/x/src/b.rs"));
        assert_eq!(check(&Repository::of(&files[1..])).len(), 2);
    }
}
