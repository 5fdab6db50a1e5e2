//! What a run says of reactions that the motion leaves open, and of singular positions.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Runs a model of the library: what is said, the summary, and the page.
fn run(model: &str, options: &[&str]) -> (String, Value, String) {
    let name = format!("reactions-{model}-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let file = format!("{ROOT}/models/{model}.mbs");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cardan"));
    let output = command.args(["run", &file, "--out"]).arg(&folder).args(options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (summary, page) = (serde_json::from_str(&read("summary.json")).unwrap(), read("report.html"));
    std::fs::remove_dir_all(&folder).unwrap();
    (String::from_utf8(output.stdout).unwrap(), summary, page)
}

#[test]
fn shared_reactions_are_marked_in_text_summary_and_page() {
    let (said, summary, page) = run("door", &["--reactions"]);
    let line = said.lines().find(|l| l.contains("top_hinge.force")).unwrap();
    assert!(line.ends_with("not unique; least norm"), "{line}");
    let wall = said.lines().find(|l| l.contains("wall.force")).unwrap();
    assert!(!wall.contains("not unique"), "{wall}");
    let marked: Vec<&str> =
        summary["not_unique"].as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect();
    assert!(marked.contains(&"leaf.force.z") && marked.contains(&"middle_hinge.torque.y"), "{marked:?}");
    assert!(!marked.contains(&"leaf.torque.z"), "hinges bear nothing about their axis: {marked:?}");
    let peaks = summary["reactions"].as_array().unwrap();
    let unique =
        |name: &str| peaks.iter().find(|p| p["reaction"] == name).unwrap()["unique"].as_bool().unwrap();
    assert!(!unique("leaf.force") && unique("wall.force"));
    assert!(page.contains("leaf.force (not unique; least norm)"), "the plot says so");
}

#[test]
fn unique_reactions_are_not_marked() {
    let (said, summary, page) = run("flat-cam", &["--reactions"]);
    assert!(!said.contains("not unique") && !page.contains("not unique"));
    assert_eq!(summary["not_unique"].as_array().map(Vec::len), Some(0));
}

#[test]
fn singular_positions_are_told_in_mechanical_words() {
    let (said, summary, _) = run("four-bar-chain", &[]);
    let line = said.lines().find(|l| l.contains("singular position passed")).unwrap();
    assert!(line.contains("the equations of pin1, pin2 repeat one another for an instant"), "{line}");
    let found = &summary["singular_positions"][0];
    assert!(found["t"].as_f64().is_some() && found["constraints"][0] == "pin1", "{found}");
}
