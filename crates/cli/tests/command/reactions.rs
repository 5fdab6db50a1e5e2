//! What a run says of reactions that the motion leaves open, and of singular positions.

use serde_json::Value;

use super::folder::{Folder, MODELS};

/// Runs a model of the library: what is said, the summary, and the page.
fn run(model: &str, options: &[&str]) -> (String, Value, String) {
    let folder = Folder::new(&format!("reactions-{model}"));
    let file = format!("{MODELS}/{model}.mbs");
    let said = folder.cardan(&[&["run", &file, "--out", "out"], options].concat(), 0);
    let summary = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    (said.out, summary, folder.read("out/report.html"))
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
    assert!(line.contains("the equations of pin[1], pin[2] repeat one another for an instant"), "{line}");
    let found = &summary["singular_positions"][0];
    assert!(found["t"].as_f64().is_some() && found["constraints"][0] == "pin[1]", "{found}");
}
