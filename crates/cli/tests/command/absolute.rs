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
