//! No trailing blanks, a newline at the end, no tabs in Rust.

use super::repository::{File, Finding, Repository};

/// Files whose every byte we write by hand. Snapshots and tables may need their blanks.
const EXTENSIONS: [&str; 13] =
    ["rs", "toml", "md", "mbs", "sh", "py", "js", "mjs", "css", "html", "json", "yml", "yaml"];

/// Lines with invisible faults.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    let written = |f: &&File| {
        let name = f.path.rsplit('/').next().unwrap_or("");
        !f.is_foreign() && (!name.contains('.') || EXTENSIONS.iter().any(|e| f.has_extension(e)))
    };
    for file in repository.files.iter().filter(written) {
        for (i, line) in file.text.split('\n').enumerate() {
            if line.ends_with(char::is_whitespace) {
                findings.push(Finding::at(&file.path, i + 1, "trailing blanks", "remove them"));
            }
            if file.has_extension("rs") && line.contains('\t') {
                findings.push(Finding::at(&file.path, i + 1, "a tab", "use blanks, or \\t in a string"));
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            findings.push(Finding::in_file(&file.path, "no newline at the end", "add one"));
        }
        if file.text.ends_with("\n\n") {
            findings.push(Finding::in_file(&file.path, "empty lines at the end", "remove them"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_faults_are_found() {
        let files = [
            ("a.rs", "fn f() {} \n\tg();\n"),
            ("b.md", "x"),
            ("c.md", "x\n\n"),
            ("d.md", "x\r\n"),
            ("test", "x \n"),
            ("good.rs", "fn f() {}\n"),
            ("empty.md", ""),
            ("shot.snap", "x \n"),
        ];
        let found: Vec<String> = check(&Repository::of(&files)).iter().map(|f| f.to_string()).collect();
        let expected = ["a.rs:1: tr", "a.rs:2: a tab", "b.md: no", "c.md: empty", "d.md:1: tr", "test:1: tr"];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
