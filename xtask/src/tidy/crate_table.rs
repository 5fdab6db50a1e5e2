//! The crate table of ARCHITECTURE.md lists exactly the crates, with their layers.
//!
//! A row is ``| 1 | `expr` | … |``: layer, folder below `crates/`, anything.

use std::collections::BTreeMap;

use super::repository::{Finding, Repository};

const PAGE: &str = "ARCHITECTURE.md";

/// Every crate has one row with its layer, and every row has its crate.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let Some(page) = repository.file(PAGE) else {
        return vec![Finding::in_file(
            PAGE,
            "the page is missing",
            "write it: diagram, crate table, invariants",
        )];
    };
    let layers: BTreeMap<&str, Option<u64>> =
        repository.packages.iter().filter_map(|p| Some((p.crate_name()?, p.layer))).collect();
    let mut findings = Vec::new();
    let mut listed: Vec<&str> = Vec::new();
    for (line, (layer, name)) in rows(&page.text) {
        match layers.get(name) {
            None => findings.push(Finding::at(
                PAGE,
                line,
                format!("the table lists `{name}`, but there is no such crate"),
                "remove the row",
            )),
            Some(Some(actual)) if *actual != layer => findings.push(Finding::at(
                PAGE,
                line,
                format!("the table puts `{name}` in layer {layer}, its Cargo.toml in layer {actual}"),
                "make them agree",
            )),
            Some(_) if listed.contains(&name) => {
                findings.push(Finding::at(PAGE, line, format!("`{name}` is listed twice"), "remove one row"));
            }
            Some(_) => {}
        }
        listed.push(name);
    }
    for name in layers.keys().filter(|name| !listed.contains(name)) {
        let message = format!("the table does not list the crate `{name}`");
        findings.push(Finding::in_file(PAGE, message, "add a row with its layer"));
    }
    findings
}

/// The rows with their lines: layer and crate.
fn rows(text: &str) -> impl Iterator<Item = (usize, (u64, &str))> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let layer = cells.next()?.parse().ok()?;
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((i + 1, (layer, name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::Package;

    fn findings(page: &str) -> Vec<String> {
        let mut repository = Repository::of(&[(PAGE, page)]);
        for (name, layer) in [("base", 0), ("expr", 1)] {
            let folder = format!("crates/{name}");
            let package = Package { name: name.into(), folder, layer: Some(layer), dependencies: vec![] };
            repository.packages.push(package);
        }
        check(&repository).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_true_table_passes() {
        assert!(
            findings("| layer | crate |\n| --- | --- |\n| 0 | `base` | ids |\n| 1 | `expr` | algebra |\n")
                .is_empty()
        );
    }

    #[test]
    fn lies_are_found() {
        let found =
            findings("| 0 | `base` | ids |\n| 2 | `expr` | algebra |\n| 3 | `ghost` | |\n| 0 | `base` | |\n");
        assert_eq!(found.len(), 3);
        assert!(found[0].contains("layer 2, its Cargo.toml in layer 1"));
        assert!(found[1].contains("`ghost`"));
        assert!(found[2].contains("listed twice"));
        assert!(findings("| 0 | `base` | ids |\n")[0].contains("does not list the crate `expr`"));
    }

    #[test]
    fn a_missing_page_is_found() {
        assert_eq!(check(&Repository::default()).len(), 1);
    }
}
