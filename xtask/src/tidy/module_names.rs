//! Names of modules are terms of the glossary or ordinary words.

use std::collections::BTreeSet;

use super::repository::{Finding, Repository};

const GLOSSARY: &str = "docs/glossary.md";
const ORDINARY: &str = include_str!("ordinary_words.txt");

/// Modules whose name has a word that is neither in the glossary nor ordinary.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let glossary = repository.files.iter().find(|f| f.path == GLOSSARY);
    let mut known: BTreeSet<String> = ORDINARY.split_whitespace().map(str::to_string).collect();
    known.extend(glossary.into_iter().flat_map(|f| terms(&f.text)));
    let mut findings = Vec::new();
    for file in repository.rust().filter(|f| f.path.starts_with("crates/") && f.path.contains("/src/")) {
        let Some((_, inside)) = file.path.split_once("/src/") else { continue };
        let Some(name) = inside.trim_end_matches(".rs").rsplit('/').find(|n| *n != "mod") else { continue };
        for word in name.split('_').filter(|w| !is_known(w, &known)) {
            let problem = format!("`{word}` in the name of the module is no term of the field");
            let remedy = "take the textbook's word, or explain the term in docs/glossary.md";
            findings.push(Finding::at(&file.path, 1, &problem, remedy));
        }
    }
    findings
}

/// Words of the first column of the glossary's tables.
fn terms(glossary: &str) -> Vec<String> {
    let cells = glossary.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let words = cells.flat_map(|cell| cell.split([' ', ',']).filter(|w| !w.is_empty()));
    words.map(str::to_lowercase).collect()
}

/// Whether a word or its singular is known.
fn is_known(word: &str, known: &BTreeSet<String>) -> bool {
    let y = word.strip_suffix("ies").map(|w| format!("{w}y"));
    let singular = [word.strip_suffix('s'), word.strip_suffix("es")].into_iter().flatten();
    known.contains(word)
        || singular.into_iter().any(|w| known.contains(w))
        || y.is_some_and(|w| known.contains(&w))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_words_are_found() {
        let glossary = "| term | meaning |\n| --- | --- |\n| gimbal lock | a lost axis |\n";
        let found = check(&Repository::of(&[
            (GLOSSARY, glossary),
            ("crates/x/src/gimbal_locks.rs", ""),
            ("crates/x/src/table/mod.rs", ""),
            ("crates/x/src/whatnot.rs", ""),
        ]));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("crates/x/src/whatnot.rs"));
    }
}
