//! A finished model is changed by its own crate only: other stages get a changed copy back.

use super::repository::{Finding, Repository};
use super::rust_text::{code_only, line_of};

const HOME: &str = "crates/model/";

/// Functions outside `model` that take a model to change it in place.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_source = |path: &str| path.starts_with("crates/") && path.contains("/src/");
    for file in repository.rust().filter(|f| is_source(&f.path) && !f.path.starts_with(HOME)) {
        let code = code_only(&file.text);
        for (at, found) in code.match_indices("&mut Model") {
            let next = code[at + found.len()..].chars().next();
            if !next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                let remedy = "take the model by value and return it";
                findings.push(Finding::at(
                    &file.path,
                    line_of(&code, at),
                    "a model changed in place",
                    remedy,
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_changed_in_place_are_found() {
        let text = "// &mut Model\nfn a(m: &mut ModelBuilder) {}\nfn b(m: &mut Model) {}\n";
        let files =
            [("crates/sim/src/a.rs", text), ("crates/model/src/a.rs", text), ("crates/sim/tests/a.rs", text)];
        let found = check(&Repository::of(&files));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("crates/sim/src/a.rs:3:"));
    }
}
