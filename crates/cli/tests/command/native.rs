//! Runs with the program as compiled C, against those of the other engines.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::folder::{Folder, MODELS};

/// A folder with a cache of compiled programs of its own.
struct Cached(Folder);

impl Cached {
    fn new(name: &str) -> Self {
        Cached(Folder::new(&format!("native-{name}")))
    }
    fn command(&self, model: &str, words: &[&str]) -> Command {
        let file = format!("{MODELS}/{model}.mbs");
        let mut command = self.0.command(&[&["run", &file], words, &["--json"]].concat());
        command.env("XDG_CACHE_HOME", self.0.0.join("cache"));
        command
    }
    fn run(&self, model: &str, words: &[&str]) -> Value {
        said(self.command(model, words))
    }
    /// Names of kept libraries, with what tells whether they were made anew.
    fn kept(&self) -> Vec<(PathBuf, std::time::SystemTime)> {
        let Ok(entries) = std::fs::read_dir(self.0.0.join("cache/cardan/native")) else { return vec![] };
        let mut kept: Vec<_> = entries
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "so"))
            .map(|p| (p.clone(), std::fs::metadata(&p).unwrap().modified().unwrap()))
            .collect();
        kept.sort();
        kept
    }
}

fn said(mut command: Command) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn finals(said: &Value) -> Vec<(String, f64)> {
    let all = said["final"].as_object().unwrap();
    all.iter().map(|(name, x)| (name.clone(), x["value"].as_f64().unwrap_or(f64::NAN))).collect()
}

fn agree(native: &Value, other: &Value, tolerance: f64) {
    let (a, b) = (finals(native), finals(other));
    assert!(a.len() == b.len() && !a.is_empty());
    for ((name, x), (_, y)) in a.iter().zip(&b) {
        assert!((x - y).abs() <= tolerance * y.abs().max(1.0), "{name}: {x} against {y}");
    }
}

/// A tree, Euler parameters, a closed loop with systems to solve, a drive with switches: fixed steps, so that rounding is all that differs.
#[test]
fn compiled_c_agrees_with_the_interpreter() {
    let folder = Cached::new("agrees");
    for model in ["double-pendulum", "heavy-top", "four-bar", "handbook-robot"] {
        let steps = ["--to", "0.3", "--method", "rk4", "--step", "1e-3", "--quiet"];
        let native = folder.run(model, &[&steps[..], &["--engine", "native"]].concat());
        assert_eq!(native["engine"], "compiled C", "{model}: {:?}", native["warnings"]);
        let interpreted = folder.run(model, &[&steps[..], &["--engine", "interpreter"]].concat());
        assert_eq!(interpreted["engine"], "interpreter");
        agree(&native, &interpreted, 1e-10);
        assert_eq!(native["statistics"]["accepted"], interpreted["statistics"]["accepted"]);
    }
}

#[test]
fn what_was_compiled_is_kept_and_told_apart() {
    let folder = Cached::new("kept");
    let words = ["--to", "0.1", "--engine", "native"];
    let first = folder.run("pendulum", &words);
    let kept = folder.kept();
    assert_eq!(kept.len(), 1);
    let again = folder.run("pendulum", &words);
    assert_eq!(folder.kept(), kept, "nothing was compiled again");
    assert_eq!(finals(&again), finals(&first));
    // A value of a parameter is an input; another program is another library.
    folder.run("pendulum", &[&words[..], &["--set", "L=0.9"]].concat());
    folder.run("double-pendulum", &words);
    assert_eq!(folder.kept().len(), 2);
    // A record that does not fit its library is not believed.
    std::fs::write(kept[0].0.with_extension("txt"), "something else").unwrap();
    folder.run("pendulum", &words);
    assert_ne!(folder.kept(), kept, "it was compiled again");
}

/// Without a compiler the run is that of every day, and says why.
#[test]
fn without_a_compiler_machine_code_runs() {
    let folder = Cached::new("without");
    let words = ["--to", "0.5", "--engine", "native"];
    let mut command = folder.command("double-pendulum", &words);
    command.env("PATH", "");
    let alone = said(command);
    let usual = folder.run("double-pendulum", &["--to", "0.5"]);
    assert_eq!(alone["engine"], usual["engine"]);
    assert_eq!(finals(&alone), finals(&usual));
    let warning = alone["warnings"].to_string();
    assert!(
        warning.contains("instead of compiled C") && warning.contains("`cc` cannot be started"),
        "{warning}"
    );
    assert!(folder.kept().is_empty());
}
