//! Every diagnostic code is defined once and has a page that shows it.
//!
//! A code is a letter and three digits, defined as `Code("M012")` in a crate outside tests. Its page is
//! `docs/errors/M012.md`, with a fenced block that shows the rendered diagnostic (it contains `[M012]`) and one with
//! the text that causes it.

use std::collections::BTreeMap;

use super::repository::{File, Finding, Repository};
use super::rust_text::{code_only, line_of, word_positions};

const FOLDER: &str = "docs/errors/";

/// Codes without page, pages without code, codes defined twice, pages without blocks.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    for file in repository.rust().filter(|f| f.crate_name().is_some() && !f.path.contains("/tests/")) {
        for (code, line) in codes(file) {
            let place = format!("{}:{line}", file.path);
            if !is_code(&code) {
                let message = format!("`{code}` is not a diagnostic code");
                findings.push(Finding::at(&file.path, line, message, "use a letter and three digits"));
            } else if let Some(first) = defined.get(&code) {
                let message = format!("the code {code} is already defined at {first}");
                findings.push(Finding::at(
                    &file.path,
                    line,
                    message,
                    "define it once as a constant and use that",
                ));
            } else {
                let page = format!("{FOLDER}{code}.md");
                if repository.file(&page).is_none() {
                    let message = format!("the code {code} has no page");
                    findings.push(Finding::at(&file.path, line, message, format!("write {page}")));
                }
                defined.insert(code, place);
            }
        }
    }
    for page in repository.markdown() {
        let Some(code) = page.path.strip_prefix(FOLDER).and_then(|p| p.strip_suffix(".md")) else {
            continue;
        };
        if !is_code(code) {
            continue;
        }
        if !defined.contains_key(code) {
            let remedy = "remove the page, or define the code";
            findings.push(Finding::in_file(&page.path, format!("no crate defines the code {code}"), remedy));
        }
        let mark = format!("[{code}]");
        let (rendered, examples): (Vec<_>, Vec<_>) =
            fenced_blocks(&page.text).into_iter().partition(|b| b.contains(&mark));
        if rendered.is_empty() {
            let remedy = format!("add a fenced block with the message as printed, `error{mark}: …`");
            findings.push(Finding::in_file(&page.path, "the page shows no rendered diagnostic", remedy));
        }
        if examples.is_empty() {
            let remedy = "add a fenced block with the text that causes it";
            findings.push(Finding::in_file(&page.path, "the page shows no example", remedy));
        }
    }
    findings
}

fn is_code(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase())
        && text.len() == 4
        && chars.all(|c| c.is_ascii_digit())
}

/// The codes that a file defines before its tests, with their lines.
fn codes(file: &File) -> Vec<(String, usize)> {
    let code = code_only(&file.text);
    let end = code.find("#[cfg(test)]").unwrap_or(code.len());
    word_positions(&code[..end], "Code")
        .filter_map(|at| {
            let open = at + "Code(\"".len();
            code[at..].starts_with("Code(\"").then_some(())?;
            let length = file.text[open..].find('"')?;
            Some((file.text[open..open + length].to_owned(), line_of(&code, at)))
        })
        .collect()
}

/// The insides of the fenced blocks.
fn fenced_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            match block.take() {
                Some(done) => blocks.push(done),
                None => block = Some(String::new()),
            }
        } else if let Some(block) = &mut block {
            block.push_str(line);
            block.push('\n');
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# M001\n\n```mbs\nmodel x\n```\n\n```text\nerror[M001]: no bodies\n```\n";

    fn findings(files: &[(&str, &str)]) -> Vec<String> {
        check(&Repository::of(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_code_with_its_page_passes() {
        let code = "const A: Code = Code(\"M001\"); // Code(\"M009\")\n#[cfg(test)]\nconst B: Code = Code(\"X000\");\n";
        let found = findings(&[
            ("crates/lang/src/codes.rs", code),
            ("crates/lang/tests/a.rs", "Code(\"M001\")"),
            ("docs/errors/M001.md", PAGE),
            ("docs/errors/README.md", "all codes"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn gaps_are_found() {
        let found = findings(&[
            ("crates/lang/src/a.rs", "const A: Code = Code(\"M001\");\nconst B: Code = Code(\"M002\");\n"),
            ("crates/lang/src/b.rs", "f(Code(\"M001\")); f(Code(\"oops\")); ExitCode(\"no\")"),
            ("docs/errors/M001.md", PAGE),
            ("docs/errors/M003.md", "# M003\n"),
        ]);
        let expected = [
            "crates/lang/src/a.rs:2: the code M002 has no page",
            "crates/lang/src/b.rs:1: the code M001 is already defined at crates/lang/src/a.rs:1",
            "crates/lang/src/b.rs:1: `oops` is not a diagnostic code",
            "docs/errors/M003.md: no crate defines the code M003",
            "docs/errors/M003.md: the page shows no rendered diagnostic",
            "docs/errors/M003.md: the page shows no example",
        ];
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }
}
