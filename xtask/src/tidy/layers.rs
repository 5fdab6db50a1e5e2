//! A crate depends only on crates of lower layers.
//!
//! The layer is `package.metadata.cardan.layer`. Layer 0 may use `cardan-base`; layers 11 and 12 see the published
//! library, the mock-up units and the viewer and nothing behind them. What only tests need is free.

use super::repository::{Finding, Package, Repository};

const SHELL_LAYER: u64 = 11;
const SHELL_MAY_SEE: [&str; 3] = ["cardan", "cardan-fmu", "cardan-viewer"];

/// Every crate has a layer, and every dependency goes down.
pub fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in repository.packages.iter().filter(|p| p.crate_name().is_some()) {
        let Some(layer) = package.layer else {
            let remedy = "add `[package.metadata.cardan]` with `layer = N` as in ARCHITECTURE.md";
            findings.push(Finding::in_file(&package.manifest(), "the crate has no layer", remedy));
            continue;
        };
        for name in &package.dependencies {
            if let Some(dependency) = repository.packages.iter().find(|p| p.name == *name)
                && let Some((message, remedy)) = objection(package, layer, dependency)
            {
                findings.push(Finding::in_file(&package.manifest(), message, remedy));
            }
        }
    }
    findings
}

fn objection(package: &Package, layer: u64, dependency: &Package) -> Option<(String, String)> {
    let (name, other) = (&package.name, &dependency.name);
    if layer >= SHELL_LAYER {
        let message = format!("`{name}` is a shell and sees `{other}`");
        let remedy = format!("reach it through {}", SHELL_MAY_SEE.map(|n| format!("`{n}`")).join(" or "));
        return (!SHELL_MAY_SEE.contains(&other.as_str())).then_some((message, remedy));
    }
    let below = dependency.layer.is_some_and(|d| d < layer);
    if below || layer == 0 && other == "cardan-base" {
        return None;
    }
    let its_layer = dependency.layer.map_or("no layer".to_owned(), |d| format!("layer {d}"));
    let message = format!("`{name}` (layer {layer}) depends on `{other}` ({its_layer})");
    Some((message, "depend on lower layers only, or move what is shared down".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, layer: Option<u64>, dependencies: &[&str]) -> Package {
        let folder = match name {
            "xtask" => "xtask".to_owned(),
            _ => format!("crates/{}", name.trim_start_matches("cardan-")),
        };
        let dependencies = dependencies.iter().map(|d| (*d).to_owned()).collect();
        Package { name: name.to_owned(), folder, layer, dependencies }
    }

    fn findings(subject: Package) -> Vec<String> {
        let mut packages = vec![
            package("cardan-base", Some(0), &[]),
            package("cardan-expr", Some(1), &["cardan-base"]),
            package("cardan-solve", Some(1), &[]),
            package("cardan", Some(8), &["cardan-expr", "cardan-solve"]),
            package("cardan-viewer", Some(11), &[]),
            package("xtask", None, &["cardan-base"]),
        ];
        packages.push(subject);
        check(&Repository { packages, ..Repository::default() }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn downward_dependencies_pass() {
        assert!(findings(package("cardan-units", Some(0), &["cardan-base"])).is_empty());
        assert!(findings(package("cardan-sim", Some(6), &["cardan-expr", "cardan-solve"])).is_empty());
        assert!(findings(package("cardan-cli", Some(11), &["cardan", "cardan-viewer"])).is_empty());
    }

    #[test]
    fn sideways_and_upward_dependencies_are_refused() {
        assert_eq!(
            findings(package("cardan-syntax", Some(1), &["cardan-expr"])),
            ["crates/syntax/Cargo.toml: `cardan-syntax` (layer 1) depends on `cardan-expr` (layer 1); \
              depend on lower layers only, or move what is shared down"]
        );
        assert_eq!(findings(package("cardan-model", Some(3), &["cardan"])).len(), 1);
        assert_eq!(findings(package("cardan-units", Some(0), &["cardan-expr"])).len(), 1);
        assert_eq!(findings(package("cardan-model", Some(3), &["xtask"])).len(), 1);
    }

    #[test]
    fn shells_see_only_the_front() {
        let found = findings(package("cardan-cli", Some(11), &["cardan", "cardan-expr"]));
        assert!(found.len() == 1 && found[0].contains("`cardan-cli` is a shell and sees `cardan-expr`"));
    }

    #[test]
    fn a_crate_without_layer_is_refused() {
        assert_eq!(findings(package("cardan-new", None, &[])).len(), 1);
    }
}
