//! The opening words of a crate name each of its modules, so that a stranger finds the room.

use super::repository::{Finding, Repository};

/// Modules that `lib.rs` declares and does not speak of.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust().filter(|f| f.path.ends_with("/src/lib.rs")) {
        let opening: Vec<&str> = file.text.lines().take_while(|line| line.starts_with("//!")).collect();
        for (k, line) in file.text.lines().enumerate() {
            if let Some(module) = declared(line)
                && !opening.iter().any(|words| names(words, module))
            {
                let problem = format!("the module `{module}` is not in the reading order");
                findings.push(Finding::at(
                    &file.path,
                    k + 1,
                    &problem,
                    "say what it holds in the opening words",
                ));
            }
        }
    }
    findings
}

/// The module that a line declares, not the one that it writes out in place.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").or(line.strip_prefix("pub(crate) ")).unwrap_or(line);
    line.strip_prefix("mod ")?.strip_suffix(';')
}

/// Whether a line names a module: in code, as a link or not.
fn names(line: &str, module: &str) -> bool {
    line.split('`').skip(1).step_by(2).any(|code| code.trim_start_matches("mod@") == module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_without_a_word_are_found() {
        let text = "//! - [`a`]: one; `b`, [`mod@c`]: more than d.\n\npub mod a;\nmod b;\npub(crate) mod c;\nmod d;\nmod e {}\n";
        let found = check(&Repository::of(&[("crates/x/src/lib.rs", text), ("crates/x/src/y.rs", text)]));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("crates/x/src/lib.rs:6:"));
    }
}
