//! Formalisms that are given up early would not have won: for every model of the library the one taken is the cheapest of all that apply.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::prelude::*;
use cardan::sim::choice::{motion_counts, not_worth_it};

/// Six axes, the second to fourth parallel, no two of the wrist's meeting: as written Kane's equations are far behind, in the end they win.
const OFFSET_WRIST: &str = "
model offset_wrist
gravity = -9.81 [m/s^2] * N.z
body shoulder on N by revolute(z, q = q1) at (0, 0, 0.089) [m] {
  mass = 3.7 [kg]; inertia = (0.0103, 0.0103, 0.0067) [kg*m^2]
}
body upper on shoulder by revolute(y, q = q2) at (0, 0.136, 0) [m] {
  mass = 8.4 [kg]; inertia = (0.227, 0.227, 0.0151) [kg*m^2]; center = (0, 0, 0.28) [m]
}
body fore on upper by revolute(y, q = q3) at (0, -0.12, 0.425) [m] {
  mass = 2.3 [kg]; inertia = (0.0494, 0.0494, 0.0041) [kg*m^2]; center = (0, 0, 0.25) [m]
}
body wrist1 on fore by revolute(y, q = q4) at (0, 0, 0.392) [m] {
  mass = 1.2 [kg]; inertia = (0.1112, 0.1112, 0.2194) [kg*m^2]
}
body wrist2 on wrist1 by revolute(z, q = q5) at (0, 0.093, 0) [m] {
  mass = 1.2 [kg]; inertia = (0.1112, 0.1112, 0.2194) [kg*m^2]
}
body wrist3 on wrist2 by revolute(y, q = q6) at (0, 0, 0.095) [m] {
  mass = 0.19 [kg]; inertia = (0.0171, 0.0171, 0.0338) [kg*m^2]
}
";

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
    for (name, text) in library.chain([("offset wrist".to_string(), OFFSET_WRIST.to_string())]) {
        let Ok(model) = resolve(parse(&name, &text)).into_model() else {
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
