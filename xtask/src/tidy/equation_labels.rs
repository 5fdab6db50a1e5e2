//! Equation labels are words, defined once per crate, and a cited label exists.
//!
//! A label is defined in a `text` block of a doc comment or of a `theory.md`, as `[inertia-torque]   formula`; a line of
//! code cites it at its end as `// [inertia-torque]`. Only labels with a hyphen are looked up, so that a unit such as
//! `// [kg]` may stand there too.

use std::collections::BTreeMap;

use super::repository::{File, Finding, Repository};

/// Labels defined twice in a crate, and citations of labels that its crate does not define.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut defined: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let in_crates = || {
        let sources = |f: &&File| f.has_extension("rs") || f.path.ends_with("/theory.md");
        repository.files.iter().filter(sources).filter_map(|f| Some((f.crate_name()?, f)))
    };
    for (name, file) in in_crates() {
        for (line, label) in definitions(file) {
            let place = format!("{}:{line}", file.path);
            if let Some(first) = defined.get(&(name, label)) {
                let message = format!("the equation [{label}] is already defined at {first}");
                findings.push(Finding::at(
                    &file.path,
                    line,
                    message,
                    "give it another label, or refer to that one",
                ));
            } else {
                defined.insert((name, label), place);
            }
        }
    }
    for (name, file) in in_crates().filter(|(_, f)| f.has_extension("rs")) {
        for (line, label) in citations(file) {
            if !defined.contains_key(&(name, label)) {
                let message = format!("no equation of this crate has the label [{label}]");
                findings.push(Finding::at(
                    &file.path,
                    line,
                    message,
                    "write the equation above the function",
                ));
            }
        }
    }
    findings
}

/// `[label]` at the beginning of a line, and what follows it.
fn leading_label(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.strip_prefix('[')?.split_once(']')?;
    let is_label = label.starts_with(|c: char| c.is_ascii_lowercase())
        && label.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_label.then_some((label, rest))
}

/// The labels that a file defines, with their lines.
fn definitions(file: &File) -> Vec<(usize, &str)> {
    let is_rust = file.has_extension("rs");
    let mut found = Vec::new();
    let mut in_block = false;
    for (i, line) in file.text.lines().enumerate() {
        let line = line.trim_start();
        let prose = if is_rust { line.strip_prefix("//!").or(line.strip_prefix("///")) } else { Some(line) };
        let Some(prose) = prose else {
            in_block = false;
            continue;
        };
        let prose = prose.trim_start();
        if let Some(info) = prose.strip_prefix("```") {
            in_block = !in_block && info.trim() == "text";
        } else if in_block
            && let Some((label, rest)) = leading_label(prose)
            && rest.starts_with("  ")
        {
            found.push((i + 1, label));
        }
    }
    found
}

/// The labels with a hyphen that lines of code cite at their ends.
fn citations(file: &File) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (i, line) in file.text.lines().enumerate() {
        if let Some((code, comment)) = line.rsplit_once("// ")
            && let Some((label, rest)) = leading_label(comment)
            && label.contains('-')
            && rest.trim().is_empty()
            && !code.trim().is_empty()
        {
            found.push((i + 1, label));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEORY: &str =
        "//! ```text\n//! [force-sum]   F = m a\n//! [other]  x\n//! ```\n//! [not-here]  y\n";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        check(&Repository::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn labels_may_repeat_in_another_crate() {
        let code = "let f = m * a; // [force-sum]\nlet k = 3.0; // [kg]\n";
        let files =
            [("crates/a/src/x.rs", THEORY), ("crates/b/src/x.rs", THEORY), ("crates/a/src/y.rs", code)];
        assert_eq!(findings(&files), Vec::<String>::new());
    }

    #[test]
    fn labels_repeated_in_one_crate_are_found() {
        let page = "```text\n[force-sum]   F = m a\n```\n";
        let found = findings(&[("crates/a/src/x.rs", THEORY), ("crates/a/src/kane/theory.md", page)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("[force-sum] is already defined at crates/a/src/x.rs:2"), "{found:?}");
    }

    #[test]
    fn citations_of_nothing_are_found() {
        let found = findings(&[("crates/a/src/y.rs", "let f = m * a; // [not-here]\n// [a-note] alone\n")]);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
