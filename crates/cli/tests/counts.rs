//! Operation counts of every model in the library: a change that makes the equations dearer is seen in review.
//!
//! The snapshot is `tests/counts.txt`; `BLESS=1` writes it anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One line per formalism and question: multiplications, additions, divisions, functions per evaluation.
fn lines(model: &Path) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_cardan"))
        .args(["count", "--json"])
        .arg(model)
        .output()
        .expect("runs");
    assert!(output.status.success(), "{}: {}", model.display(), String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let name = model.file_stem().expect("a name").to_string_lossy().into_owned();
    let counts = found["counts"].as_array().expect("a list");
    let line = |c: &Value| {
        let e = c["stages"].get("evaluation")?;
        let n = |key: &str| e[key].as_u64().expect("a number");
        let (question, formalism) = (c["question"].as_str()?, c["formalism"].as_str()?);
        let functions = n("trig") + n("sqrt") + n("other");
        Some(format!(
            "{name:18} {question:17} {formalism:12} {:5} mul {:5} add {:3} div {functions:3} fun",
            n("mul"),
            n("add"),
            n("div")
        ))
    };
    counts.iter().filter_map(line).collect()
}

#[test]
fn counts_are_those_of_the_snapshot() {
    let mut models: Vec<PathBuf> = fs::read_dir(root().join("models"))
        .expect("the library")
        .map(|e| e.expect("readable").path())
        .filter(|p| p.extension().is_some_and(|e| e == "mbs"))
        .collect();
    models.sort();
    let text: String = models.iter().flat_map(|m| lines(m)).map(|l| l + "\n").collect();
    let snapshot = root().join("tests/counts.txt");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&snapshot, &text).expect("writable");
    }
    let expected = fs::read_to_string(&snapshot).expect("tests/counts.txt; BLESS=1 writes it");
    let gone = expected.lines().filter(|l| !text.lines().any(|t| t == *l)).map(|l| format!("- {l}\n"));
    let new = text.lines().filter(|l| !expected.lines().any(|t| t == *l)).map(|l| format!("+ {l}\n"));
    let changes: String = gone.chain(new).collect();
    assert!(changes.is_empty(), "BLESS=1 accepts the new counts:\n{changes}");
}

/// Claims about published counts, each with its source.
#[test]
fn counts_stay_below_published_ones() {
    let find = |model: &str, question: &str, formalism: &str| -> [u64; 3] {
        let all = lines(&root().join("models").join(model));
        let line = all.iter().find(|l| l.contains(question) && l.contains(formalism)).expect("counted");
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|w| w.parse().ok()).collect();
        [numbers[0], numbers[1], numbers[2]]
    };
    // SYM, Multibody Systems Handbook, Table 2 of its chapter: the optimised inertia matrix of the robot, 23 and 11.
    let [mul, add, div] = find("handbook-robot.mbs", "mass matrix", "recursive");
    assert!(mul <= 23 && add <= 11 && div == 0, "{mul} {add} {div}");
    // SYM's customised inverse dynamics, 71 and 52; ours includes the drives (4 and 9).
    let [mul, add, div] = find("handbook-robot.mbs", "inverse dynamics", "recursive");
    assert!(mul <= 71 + 4 && add <= 52 + 9 && div == 0, "{mul} {add} {div}");
    // Robotran's COMAN, headers of its generated files: 142 and 600 flops per joint for inverse dynamics and for mass
    // matrix with bias. Ours is another robot, of 37 degrees of freedom.
    let [mul, add, _] = find("humanoid.mbs", "inverse dynamics", "recursive");
    assert!(mul + add <= 37 * 142, "{mul} {add}");
    // The bias is inverse dynamics without accelerations, and costs no more.
    let bias = mul + add;
    let [mul, add, _] = find("humanoid.mbs", "mass matrix", "recursive");
    assert!(mul + add + bias <= 37 * 600, "{mul} {add} {bias}");
}
