//! Formalisms that are given up early would not have won: for every model of the library the one taken is the cheapest of all that apply.

use std::fs;
use std::path::Path;

use cardan::prelude::*;
use cardan::sim::choice::{motion_counts, not_worth_it};

#[test]
fn what_is_given_up_would_not_have_won() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "mbs"))
        .collect();
    files.sort();
    let (mut compared, mut given_up) = (0, 0);
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let Ok(model) = resolve(parse(&name, &fs::read_to_string(&file).unwrap())).into_model() else {
            continue;
        };
        let Ok(taken) = cardan::derive(&model, None) else { continue };
        let reasons = taken.considered.iter().filter_map(|c| c.result.as_ref().err());
        let early: usize = reasons.filter(|r| r.starts_with("given up")).count();
        given_up += early;
        if early == 0 {
            continue;
        }
        let apply = Formalism::ALL.into_iter().filter(|f| not_worth_it(&model, *f, true).is_none());
        let totals =
            apply.filter_map(|f| Some(motion_counts(&cardan::derive(&model, Some(f)).ok()?.lowered).total()));
        let least = totals.min().unwrap();
        let own = motion_counts(&taken.lowered).total();
        assert!(
            own <= least,
            "{name}: {own} operations by {}, {least} by another",
            taken.equations.formalism.name()
        );
        compared += 1;
    }
    assert!(compared >= 6 && given_up >= 8, "{compared} models, {given_up} given up");
}
