//! Formalisms that are given up early would not have won: for every model of the library the one taken is the cheapest of all that apply. Which one
//! answers first changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::compile::formalism_selection::{motion_counts, not_worth_it};
use cardan::prelude::*;

/// Six axes, the second to fourth parallel, no two of the wrist's meeting, masses and inertias as parameters: much of what Kane's equations are written
/// with is common here, so that they may start far behind.
fn offset_wrist() -> String {
    let (level, tilted) = ("", ", orient = (0, 90 [deg], 0)");
    let joints = [
        ("z", level, "0, 0, 0.089", 0.0),
        ("y", tilted, "0, 0.136, 0", 0.28),
        ("y", level, "0, -0.12, 0.425", 0.25),
        ("y", tilted, "0, 0, 0.392", 0.0),
        ("z", level, "0, 0.093, 0", 0.0),
        ("y", level, "0, 0, 0.095", 0.0),
    ];
    let mut text = "model offset_wrist\nparameter g = 9.81 [m/s^2]\ngravity = -g * N.z\n".to_string();
    let mut parent = "N".to_string();
    for (k, (axis, orient, at, center)) in joints.into_iter().enumerate() {
        text += &format!(
            "parameter m{k} = 2 [kg], x{k} = 0.1 [kg*m^2], y{k} = 0.1 [kg*m^2], z{k} = 0.2 [kg*m^2], c{k} = {center} [m]\n\
             body B{k} on {parent} by revolute({axis}, q = q{k}{orient}) at ({at}) [m] {{\n  \
             mass = m{k}; inertia = (x{k}, y{k}, z{k}){}\n}}\n",
            if center > 0.0 { format!("; center = (0, 0, c{k})") } else { String::new() }
        );
        parent = format!("B{k}");
    }
    text
}

#[test]
fn what_is_given_up_would_not_have_won() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "mbs"))
        .collect();
    files.sort();
    let text = |file: &PathBuf| {
        (file.file_stem().unwrap().to_string_lossy().into_owned(), fs::read_to_string(file).unwrap())
    };
    let library = files.iter().map(text);
    let (mut compared, mut given_up) = (0, 0);
    for (name, text) in library.chain([("offset wrist".to_string(), offset_wrist())]) {
        let Ok(model) = resolve(parse(&name, &text)).into_model() else {
            continue;
        };
        let Ok(taken) = cardan::derive(&model, None) else { continue };
        let reasons = taken.considered.iter().filter_map(|c| c.result.as_ref().err());
        let early: usize = reasons.filter(|r| r.starts_with("stopped at")).count();
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

/// The program of the corrections is made from a copy of the model, whichever formalism is slower to answer and whoever has time meanwhile.
#[test]
fn programs_do_not_depend_on_timing() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/whipple-bicycle.mbs");
    let text = fs::read_to_string(file).unwrap();
    let model = resolve(parse("whipple-bicycle", &text)).into_model().unwrap();
    // A derivation adds to the pool of its model, so each has a model of its own.
    let programs = |model: Model| {
        let choice = cardan::derive(&model, None).unwrap();
        let corrections = choice.loops.and_then(|l| l.correction).unwrap();
        (choice.lowered.program, corrections.program)
    };
    let first = programs(model.clone());
    // Several at once keep one another waiting.
    std::thread::scope(|scope| {
        let again = || {
            let models: Vec<Model> = (0..12).map(|_| model.clone()).collect();
            scope.spawn(move || models.into_iter().map(programs).collect::<Vec<_>>())
        };
        for thread in [again(), again(), again()] {
            assert!(thread.join().unwrap().iter().all(|p| *p == first));
        }
    });
}
