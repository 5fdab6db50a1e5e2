//! Words that do not belong in the repository: unfinished work, trackers, machines, registries.
//!
//! The project speaks of itself alone. This file has to spell the words, so it is the one that is not searched.

use super::repository::{Finding, Repository};

const THIS_FILE: &str = "xtask/src/tidy/forbidden_words.rs";

/// How a word is recognised.
enum Shape {
    /// Exactly so, as a whole word.
    Word,
    /// In any case, anywhere.
    Phrase,
    /// In any case, followed by a digit.
    Numbered,
    /// The beginning of an absolute path.
    Path,
}

struct Rule {
    text: &'static str,
    shape: Shape,
    remedy: &'static str,
}

const FINISH: &str = "finish it, or leave it out";
const TRACKER: &str = "say what the matter is";
const MACHINE: &str = "use a path relative to the repository";
const REGISTRY: &str = "name the package; tools know where to find it";
const SELF: &str = "speak of the project alone";

#[rustfmt::skip]
const RULES: &[Rule] = &[
    Rule { text: "TODO",         shape: Shape::Word,     remedy: FINISH },
    Rule { text: "FIXME",        shape: Shape::Word,     remedy: FINISH },
    Rule { text: "XXX",          shape: Shape::Word,     remedy: FINISH },
    Rule { text: "issue #",      shape: Shape::Phrase,   remedy: TRACKER },
    Rule { text: "issue-",       shape: Shape::Numbered, remedy: TRACKER },
    Rule { text: "issue ",       shape: Shape::Numbered, remedy: TRACKER },
    Rule { text: "/work/",       shape: Shape::Path,     remedy: MACHINE },
    Rule { text: "/root/",       shape: Shape::Path,     remedy: MACHINE },
    Rule { text: "/home/",       shape: Shape::Path,     remedy: MACHINE },
    Rule { text: "crates.io",    shape: Shape::Phrase,   remedy: REGISTRY },
    Rule { text: "pypi.org",     shape: Shape::Phrase,   remedy: REGISTRY },
    Rule { text: "npmjs",        shape: Shape::Phrase,   remedy: REGISTRY },
    Rule { text: "//docs.rs",    shape: Shape::Phrase,   remedy: REGISTRY },
    Rule { text: "docs.rs/",     shape: Shape::Phrase,   remedy: REGISTRY },
    Rule { text: "helper agent", shape: Shape::Phrase,   remedy: SELF },
    Rule { text: "subagent",     shape: Shape::Phrase,   remedy: SELF },
];

/// Lines with forbidden words.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in repository.files.iter().filter(|f| f.path != THIS_FILE && !f.is_foreign()) {
        for (i, line) in file.text.lines().enumerate() {
            if line.starts_with("repository =") {
                continue;
            }
            for rule in RULES.iter().filter(|rule| rule.matches(line)) {
                let message = format!("`{}`", rule.text.trim());
                findings.push(Finding::at(&file.path, i + 1, message, rule.remedy));
            }
        }
    }
    findings
}

impl Rule {
    fn matches(&self, line: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let holds = |line: &str, accept: &dyn Fn(Option<char>, Option<char>) -> bool| {
            line.match_indices(self.text).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + self.text.len()..].chars().next();
                accept(before, after)
            })
        };
        match self.shape {
            Shape::Word => {
                holds(line, &|before, after| !before.is_some_and(is_word) && !after.is_some_and(is_word))
            }
            Shape::Phrase => holds(&line.to_ascii_lowercase(), &|_, _| true),
            Shape::Numbered => holds(&line.to_ascii_lowercase(), &|before, after| {
                !before.is_some_and(is_word) && after.is_some_and(|c| c.is_ascii_digit())
            }),
            Shape::Path => holds(line, &|before, _| {
                !before.is_some_and(|c| is_word(c) || matches!(c, '.' | '-' | '~' | '}' | ')' | '*' | '>'))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(line: &str) -> bool {
        !check(&Repository::of(&[("a.md", line)])).is_empty()
    }

    #[test]
    fn forbidden_lines_are_found() {
        let lines = [
            "// TODO: later",
            "FIXME",
            "see Issue #12",
            "tests/issue-12.md",
            "as issue 7 says",
            "cd /work/main",
            "\"/home/me\" and /home/me/x",
            "https://crates.io/x",
            "[![badge](https://docs.rs/x)]",
            "from pypi.org",
            "a subagent",
        ];
        for line in lines {
            assert!(is_refused(line), "{line}");
        }
    }

    #[test]
    fn innocent_lines_pass() {
        let lines = [
            "MASTODON todo!() LXXX",
            "the tissue 3, to issue a warning",
            "reissue-3",
            "frame/work/energy, ../work/x, https://example.org/home/page",
            "xtask/src/docs.rs",
            "repository = \"https://crates.io\"",
        ];
        for line in lines {
            assert!(!is_refused(line), "{line}");
        }
    }

    #[test]
    fn foreign_files_are_left_alone() {
        let lock = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        assert!(check(&Repository::of(&[("Cargo.lock", lock)])).is_empty());
    }
}
