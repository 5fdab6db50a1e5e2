//! Pages of runs, modes and sweeps: what a reader sees first.

use serde_json::Value;

use crate::folder::{Folder, MODELS};

/// The data that the scripts of a page read.
fn data(page: &str) -> Value {
    let (_, after) = page.split_once(" id=\"data\">").expect("a page has data");
    let (text, _) = after.split_once("</script>").expect("the data end");
    serde_json::from_str(text).expect("the data are JSON")
}

#[test]
fn results_come_first_and_facts_are_folded() {
    let folder = Folder::new("first-page");
    folder.cardan(&["new", "swing"], 0);
    folder.cardan(&["run", "swing.mbs", "-q"], 0);
    let page = folder.read("results/swing/report.html");
    let results = "<dl id=\"results\" class=\"summary\"><div><dt>at the end</dt><dd>t = 10 s</dd></div><div><dt>tip.x</dt>";
    assert!(page.contains(results));
    assert!(page.contains("<dl id=\"summary\" class=\"summary facts\" hidden><div><dt>structure</dt>"));
    let rod = &data(&page)["scene"]["bodies"][0];
    assert_eq!(rod["facts"][1], serde_json::json!(["mass", "2 kg"]));
    assert_eq!(rod["shapes"][0]["solid"]["length"], 1.0, "the rod is drawn to its tip");
    assert_eq!(data(&page)["scene"]["traces"][0]["name"], "rod.tip");
}

#[test]
fn modes_are_listed_to_choose_from() {
    let folder = Folder::new("modes-page");
    let model = format!("{MODELS}/double-pendulum.mbs");
    folder.cardan(&["modes", &model, "-q"], 0);
    let page = folder.read("results/double_pendulum/modes.html");
    let data = data(&page);
    let chapters = data["chapters"]["chapters"].as_array().expect("a list of modes");
    assert_eq!(chapters.len(), 4);
    for pair in chapters.windows(2) {
        assert!(pair[0]["to"].as_f64() < pair[1]["from"].as_f64(), "modes do not overlap in time");
    }
    let title = chapters[0]["title"].as_str().expect("a title");
    assert!(title.starts_with("Mode 3: ") && !title.contains('`'), "{title}");
    assert!(page.contains("data-tab=\"energy\" type=\"button\" hidden"), "no tab leads to nothing");
}

#[test]
fn a_sweep_has_its_results_per_motion() {
    let folder = Folder::new("sweep-page");
    folder.cardan(&["new", "swing"], 0);
    let words =
        ["sweep", "swing.mbs", "--vary", "L=1,2", "--vary", "m=1,2,3", "--to", "1", "-q", "--out", "out"];
    folder.cardan(&words, 0);
    let data = data(&folder.read("out/report.html"));
    let names = |key: &str| -> Vec<String> {
        let all = data[key].as_array().expect("a list").iter();
        all.map(|q| q["name"].as_str().unwrap_or_default().to_string()).collect()
    };
    assert_eq!(names("varied"), ["L", "m"]);
    assert_eq!(names("quantities"), ["tip.x", "tip.y", "tip.z", "angle"]);
    // Six numbers of eight bytes are 64 letters in base64.
    assert_eq!(data["quantities"][0]["end"]["f64"].as_str().map(str::len), Some(64));
}
