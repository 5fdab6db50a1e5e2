//! The standard library against closed forms and published values: the sections of `tests/std/*.md`.
//!
//! A section `## std.NAME` has models, each followed by what is expected of it: `OUTPUT < 1e-9` bounds the size of an output in every row,
//! `OUTPUT at 2 = 4.4 +- 1e-9` gives its value at a time in seconds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cardan::assembly::ParameterValues;
use cardan::expand::reference::{EntryKind, entries};
use cardan::prelude::*;

/// One model of a section with its expectations.
struct Case {
    place: String,
    names: Vec<String>,
    model: String,
    expected: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/std");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut cases = vec![];
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let (mut names, mut model, mut fence) = (vec![], String::new(), "");
        let mut expected = vec![];
        for (k, line) in text.lines().enumerate() {
            match (fence, line) {
                ("", line) if line.starts_with("## ") => {
                    names = line[3..].split(", ").map(str::to_owned).collect();
                }
                ("", "```mbs") => (fence, model) = ("mbs", String::new()),
                ("", "```expect") => (fence, expected) = ("expect", vec![]),
                ("mbs", "```") => fence = "",
                ("expect", "```") => {
                    fence = "";
                    let place = format!("{stem}.md:{}: {}", k + 1, names.join(", "));
                    let expected = std::mem::take(&mut expected);
                    cases.push(Case { place, names: names.clone(), model: model.clone(), expected });
                }
                ("mbs", line) => model += &format!("{line}\n"),
                ("expect", line) => expected.push(line.to_owned()),
                _ => {}
            }
        }
    }
    cases
}

fn run(place: &str, text: &str) -> Trajectory {
    let resolved = resolve(parse("case.mbs", text));
    let model = resolved.into_model().unwrap_or_else(|e| panic!("{place}: {e}"));
    let settings =
        Settings::of(&model, &ParameterValues::of(&model)).unwrap_or_else(|e| panic!("{place}: {e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{place}: {e}"));
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{place}: {e}"))
}

fn check(case: &Case) -> Vec<String> {
    let place = &case.place;
    let trajectory = run(place, &case.model);
    let series =
        |name: &str| trajectory.series(name).unwrap_or_else(|| panic!("{place}: no result `{name}`"));
    assert!(!case.expected.is_empty(), "{place} expects nothing");
    let mut failed = vec![];
    for line in &case.expected {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |k: usize| words[k].parse::<f64>().unwrap_or_else(|e| panic!("{place}: `{line}`: {e}"));
        match words.as_slice() {
            [name, "<", _] => {
                let size =
                    series(name).iter().fold(0.0, |m: f64, y| if y.is_nan() { *y } else { m.max(y.abs()) });
                let holds = size < number(2);
                if !holds {
                    failed.push(format!("{place}: {name} reaches {size:e}, allowed is {:e}", number(2)));
                }
            }
            [name, "at", _, "=", _, "+-", _] => {
                let at = trajectory.times().iter().position(|t| (t - number(2)).abs() < 1e-9);
                let at = at.unwrap_or_else(|| panic!("{place}: no row at {}", words[2]));
                let value = series(name)[at];
                let holds = (value - number(4)).abs() <= number(6);
                if !holds {
                    failed.push(format!("{place}: {name} at {} s is {value:.12}, expected {line}", words[2]));
                }
            }
            _ => panic!("{place}: `{line}` is no expectation"),
        }
    }
    failed
}

#[test]
fn elements_of_the_library_obey_their_laws() {
    let only = std::env::var("CARDAN_CASE").ok();
    let chosen = |c: &&Case| only.as_ref().is_none_or(|only| c.place.contains(only.as_str()));
    let failed: Vec<String> = cases().iter().filter(chosen).flat_map(check).collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_element_of_the_library_has_a_page_an_example_and_a_test() {
    let tested: BTreeSet<String> = cases().into_iter().flat_map(|c| c.names).collect();
    let all = entries();
    assert!(all.len() > 30);
    for entry in &all {
        let path = &entry.path;
        assert!(!entry.title.is_empty(), "{path} has no title");
        for item in entry.ports.iter().chain(&entry.parameters) {
            let said = entry.kind == EntryKind::Function || !item.description.is_empty();
            assert!(said, "{path}: `{}` is not described", item.name);
        }
        if entry.kind == EntryKind::Interface {
            continue;
        }
        assert!(tested.contains(path), "{path} has no section in tests/std");
        assert!(!entry.example.is_empty(), "{path} has no example");
        let text = format!("model example\n{}simulate {{ to = 0.1 [s] }}\n", entry.example);
        let resolved = resolve(parse("example.mbs", &text));
        resolved.into_model().unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    for name in tested {
        assert!(all.iter().any(|e| e.path == name), "there is no {name} in the library");
    }
}
