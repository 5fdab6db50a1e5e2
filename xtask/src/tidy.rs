//! What no compiler checks: layers, sizes, honesty of tests and papers.
//!
//! Each check is one function in a file of its own, from the [`Repository`] to a list of [`Finding`]s. A check
//! sees texts only, so its tests are small strings. To add one: write the file, add a line to [`CHECKS`].

mod crate_table;
mod equation_labels;
mod error_pages;
mod file_mentions;
mod file_sizes;
mod folder_sizes;
mod forbidden_words;
mod layers;
mod links;
mod model_changes;
mod model_mentions;
mod module_names;
mod reading_lists;
mod repository;
mod rust_text;
mod type_names;
mod unsafe_code;
mod vacuous_tests;
mod whitespace;

use std::process::ExitCode;

use repository::{Finding, Repository};

type Check = fn(&Repository) -> Vec<Finding>;

const CHECKS: &[(&str, Check)] = &[
    ("layers", layers::check),
    ("crate table", crate_table::check),
    ("file sizes", file_sizes::check),
    ("folder sizes", folder_sizes::check),
    ("unsafe code", unsafe_code::check),
    ("error pages", error_pages::check),
    ("forbidden words", forbidden_words::check),
    ("vacuous tests", vacuous_tests::check),
    ("equation labels", equation_labels::check),
    ("model changes", model_changes::check),
    ("model mentions", model_mentions::check),
    ("module names", module_names::check),
    ("type names", type_names::check),
    ("reading lists", reading_lists::check),
    ("links", links::check),
    ("file mentions", file_mentions::check),
    ("whitespace", whitespace::check),
];

/// Runs every check and prints what it finds.
pub fn run() -> ExitCode {
    let repository = match Repository::load() {
        Ok(repository) => repository,
        Err(message) => {
            eprintln!("tidy: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut n_findings = 0;
    for (name, check) in CHECKS {
        for finding in check(&repository) {
            n_findings += 1;
            eprintln!("tidy [{name}] {finding}");
        }
    }
    println!("tidy: {} files, {} checks, {n_findings} findings", repository.files.len(), CHECKS.len());
    if n_findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
