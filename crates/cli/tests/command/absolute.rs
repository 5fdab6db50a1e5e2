//! Absolute coordinates on request, by choice, and where they do not apply.

use serde_json::Value;

use super::folder::{Folder, MODELS};

fn summary(folder: &Folder) -> Value {
    serde_json::from_str(&folder.read("out/summary.json")).unwrap()
}

#[test]
fn a_request_gives_the_same_motion_and_names_redundant_rows() {
    let folder = Folder::new("absolute-four-bar");
    let file = format!("{MODELS}/four-bar.mbs");
    let run = |options: &[&str]| {
        let said = folder.cardan(&[&["run", &file, "--to", "0.5", "--out", "out"], options].concat(), 0);
        (said.out, summary(&folder))
    };
    let (_, tree) = run(&[]);
    let (said, absolute) = run(&["--formalism", "absolute"]);
    assert!(said.contains("absolute: asked for"), "{said}");
    assert!(said.contains("repeats others: pin: translation along z of"), "{said}");
    assert_eq!(absolute["formalism"], "absolute");
    for name in ["phi", "psi", "theta", "der(phi)"] {
        let [a, b] = [&tree, &absolute].map(|s| s["final"][name]["value"].as_f64().unwrap());
        assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{name}: {a} and {b}");
    }
    assert!(folder.read("out/report.html").contains("absolute"));
}

#[test]
fn many_loops_are_followed_in_absolute_coordinates() {
    let folder = Folder::new("absolute-chain");
    let file = format!("{MODELS}/four-bar-chain.mbs");
    let options = ["--set", "n=40", "--to", "0.1", "--out", "out"];
    let said = folder.cardan(&[&["run", &file][..], &options].concat(), 0);
    assert!(said.out.contains("40 joints close loops"), "{}", said.out);
    let found = summary(&folder);
    assert_eq!((&found["formalism"], &found["energy"]["verdict"]), (&"absolute".into(), &"holds".into()));
}

#[test]
fn what_does_not_apply_is_named() {
    let folder = Folder::new("absolute-refused");
    let file = format!("{MODELS}/wheel-in-bowl.mbs");
    let said = folder.cardan(&["run", &file, "--formalism", "absolute", "--out", "out"], 1);
    assert!(said.err.contains("absolute coordinates do not apply"), "{}", said.err);
}

#[test]
fn a_tower_is_compressed_by_its_weight_and_sways() {
    let folder = Folder::new("absolute-truss");
    let file = format!("{MODELS}/large/truss.mbs");
    let ask =
        |words: &[&str]| folder.cardan(&[words, &[&file, "--set", "n=45", "--out", "out"]].concat(), 0).out;
    let said = ask(&["equilibrium"]);
    assert!(said.contains("absolute: 180 bodies"), "{said}");
    let found: Value = serde_json::from_str(&folder.read("out/equilibrium.json")).unwrap();
    assert_eq!(found["balanced"], true);
    ask(&["modes", "--count", "3"]);
    let found: Value = serde_json::from_str(&folder.read("out/modes.json")).unwrap();
    let frequencies: Vec<f64> =
        found["modes"].as_array().unwrap().iter().map(|m| m["frequency"].as_f64().unwrap()).collect();
    assert_eq!(frequencies.len(), 3);
    assert!(frequencies[0] > 0.1 && frequencies.is_sorted(), "{frequencies:?}");
    assert!(folder.read("out/modes.html").contains("Mode 1"));
}

#[test]
fn the_motion_is_put_to_the_test_against_the_tree() {
    let folder = Folder::new("absolute-verify");
    let file = format!("{MODELS}/four-bar.mbs");
    let words = ["verify", &file, "--formalism", "absolute", "--to", "0.2", "--out", "out"];
    let said = folder.cardan(&words, 0).out;
    assert!(said.contains("with that of the tree"), "{said}");
    let refused = folder.cardan(&["linearize", &file, "--formalism", "absolute", "--out", "out"], 2).err;
    assert!(refused.contains("absolute coordinates answer `run`"), "{refused}");
}

/// A robot of the literature as an ADAMS data set moves as its text does (Multibody Systems Handbook, 1990).
#[test]
fn a_data_set_of_the_robot_moves() {
    let folder = Folder::new("absolute-adams");
    let file = format!("{MODELS}/../tests/adams/robot.adm");
    let ends = ["recursive", "absolute"].map(|formalism| {
        let words = ["run", &file, "--formalism", formalism, "--to", "2", "--every", "0.5", "--out", "out"];
        folder.cardan(&words, 0);
        summary(&folder)
    });
    let [a, b] = ends.each_ref().map(|s| s["final"].as_object().unwrap());
    for (name, value) in a.iter().filter(|(name, _)| !name.starts_with("energy") && !name.starts_with("work"))
    {
        let [x, y] = [value, &b[name]].map(|v| v["value"].as_f64().unwrap());
        assert!((x - y).abs() < 1e-6 * (1.0 + x.abs()), "{name}: {x} and {y}");
    }
}
