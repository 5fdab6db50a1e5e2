//! `unsafe` lives where machine code is made or foreign code is met, and nowhere else.

use super::repository::{Finding, Repository};
use super::rust_text::{code_only, line_of, word_positions};

const HOMES: [&str; 2] = ["crates/jit/", "crates/fmu/"];

/// The keyword outside its room.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.rust().filter(|f| !HOMES.iter().any(|home| f.path.starts_with(home))) {
        let code = code_only(&file.text);
        for at in word_positions(&code, "unsafe") {
            let remedy = format!("keep it under {}", HOMES.join(" or "));
            findings.push(Finding::at(&file.path, line_of(&code, at), "unsafe code", remedy));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyword_is_found_in_code_only() {
        let text = "// unsafe\n#![deny(unsafe_code)]\nlet s = \"unsafe\";\nunsafe { f() }\n";
        let found = check(&Repository::of(&[("crates/sim/src/a.rs", text), ("crates/jit/src/a.rs", text)]));
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("crates/sim/src/a.rs:4:"));
    }
}
