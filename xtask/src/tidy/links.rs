//! Links between pages lead somewhere.

use super::repository::{Finding, Repository};

/// Relative links in Markdown to files or folders that are not there.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in repository.markdown().filter(|f| !f.is_foreign()) {
        for (line, target) in targets(&page.text) {
            let Some(path) = resolve(&page.path, target) else {
                continue;
            };
            let below = format!("{path}/");
            let exists = path.is_empty()
                || repository.pictures.contains(&path)
                || repository.files.iter().any(|f| f.path == path || f.path.starts_with(&below));
            if !exists {
                let message = format!("the link to {target} leads nowhere");
                findings.push(Finding::at(
                    &page.path,
                    line,
                    message,
                    "correct the path, relative to the page",
                ));
            }
        }
    }
    findings
}

/// The targets of links outside code, with their lines.
fn targets(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let is_code = line[..at].matches('`').count() % 2 == 1;
            if let Some((target, _)) = line[at + 2..].split_once(')')
                && !is_code
            {
                found.push((i + 1, target));
            }
        }
    }
    found
}

/// The path from the root that a link on a page means; nothing if it leads outside, or to a place on the page.
fn resolve(page: &str, target: &str) -> Option<String> {
    let target = target.split(['#', ' ']).next().unwrap_or("");
    if target.is_empty() || target.contains(':') {
        return None;
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed() {
        let page = "[a](style.md) [b](../README.md#top) [c](recipes/) [d](https://example.org) [e](#here)\n\
                    `[f](code.md)` [g](gone.md)\n```\n[h](block.md)\n```\n";
        let files =
            [("README.md", ""), ("docs/a.md", page), ("docs/style.md", ""), ("docs/recipes/joint.md", "")];
        let found = check(&Repository::of(&files));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].to_string().starts_with("docs/a.md:2: the link to gone.md"));
        let pictured = Repository { pictures: vec!["docs/gone.md".into()], ..Repository::of(&files) };
        assert!(check(&pictured).is_empty());
    }
}
