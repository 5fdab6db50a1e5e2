//! Results survive kills, full disks and other processes: afterwards they are wholly the earlier ones or wholly the new ones.
//!
//! The cases come from a seed. `CARDAN_KILLS` and `CARDAN_PAIRS` ask for more of them, `CARDAN_SEED` for others.

#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::folder::{Folder, Said};

/// A number from the environment.
fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Uniform between 0 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// A model of which each result says from which text it comes: by its title, and in the table by an output.
fn model(title: &str, mark: u32) -> String {
    format!(
        "model twin \"{title}\"\nparameter   m = {mark} [kg], mark = {mark}\ngravity = -9.81 [m/s^2]*N.z\n\
         body a on N by rotate(y = q) {{ mass = m; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, -1) [m] }}\n\
         body b on a by rotate(y = p) at (0, 0, -2) [m] {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, -1) [m] }}\n\
         output tag = mark\nstart {{ q = 2 [rad] }}\nsimulate {{ to = 20 [s], every = 5 [ms] }}\n"
    )
}

/// The earlier text, or that of the command which is disturbed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old,
    New,
}

impl Which {
    fn file(self) -> &'static str {
        if self == Which::Old { "old.mbs" } else { "new.mbs" }
    }
    fn mark(self) -> &'static str {
        if self == Which::Old { "1.0" } else { "2.0" }
    }
    fn title(self) -> &'static str {
        if self == Which::Old { "the earlier one" } else { "the later one" }
    }
}

fn texts(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("old.mbs", &model(Which::Old.title(), 1));
    folder.write("new.mbs", &model(Which::New.title(), 2));
    folder
}

/// Which text all results of a run come from; they must agree, and be complete.
fn run_of(folder: &Folder, out: &str) -> Which {
    let [csv, summary, page] =
        ["results.csv", "summary.json", "report.html"].map(|name| folder.read(&format!("{out}/{name}")));
    let facts: Value = serde_json::from_str(&summary).unwrap_or_else(|e| panic!("{e}: {summary}"));
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let tag = head.iter().position(|h| h.starts_with("tag")).unwrap_or_else(|| panic!("{head:?}"));
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let which = if rows[0][tag] == Which::Old.mark() { Which::Old } else { Which::New };
    assert!(rows.iter().all(|r| r.len() == head.len() && r[tag] == which.mark()), "rows of two runs");
    assert!(csv.ends_with('\n'));
    assert_eq!(facts["samples"], rows.len(), "the summary is that of another table");
    assert_eq!(facts["description"], which.title(), "the summary is that of another run");
    assert!(
        page.contains(which.title()) && page.trim_end().ends_with("</html>"),
        "the page is that of another run"
    );
    which
}

/// How a command is disturbed.
#[derive(Clone, Copy, Debug)]
enum Disturbance {
    Signal(&'static str),
    /// No file may become larger than so many blocks of 512 bytes: writing fails as it does on a full disk.
    Full(u64),
}

fn start(folder: &Folder, words: &[&str], blocks: Option<u64>) -> Child {
    let mut command = match blocks {
        None => folder.command(words),
        Some(blocks) => {
            let mut command = Command::new("sh");
            let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            command.args(["-c", &limited, env!("CARGO_BIN_EXE_cardan")]).args(words).current_dir(&folder.0);
            command
        }
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Runs a command that is disturbed at some part of the time that it takes.
fn disturb(folder: &Folder, words: &[&str], how: Disturbance, after: Duration) {
    match how {
        Disturbance::Full(blocks) => drop(start(folder, words, Some(blocks)).wait_with_output().unwrap()),
        Disturbance::Signal(signal) => {
            let child = start(folder, words, None);
            std::thread::sleep(after);
            // It may have ended by itself.
            let _ =
                Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
            drop(child.wait_with_output().unwrap());
        }
    }
}

/// Waits until nobody is at work in a folder: a commit that has begun is finished by a process of its own.
fn settle(lock: &std::path::Path) {
    let Ok(file) = std::fs::File::open(lock) else { return };
    let begin = Instant::now();
    while file.try_lock().is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20), "a process stays in the folder");
        std::thread::sleep(Duration::from_millis(2));
    }
}

const KINDS: [&str; 4] = ["run", "sweep", "emit", "fmt"];

fn words(kind: &str, which: Which) -> Vec<&'static str> {
    match kind {
        "run" => vec!["run", which.file(), "--out", "run", "--quiet"],
        "sweep" if which == Which::Old => {
            vec!["sweep", "old.mbs", "--vary", "q=1,2,3", "--to", "2", "--out", "sweep", "--quiet", "--fresh"]
        }
        "sweep" => vec![
            "sweep",
            "new.mbs",
            "--vary",
            "q=1..2:40",
            "--to",
            "2",
            "--out",
            "sweep",
            "--quiet",
            "--fresh",
        ],
        "emit" => vec!["emit", which.file(), "--target", "c", "--program", "--out", "emit"],
        _ => vec!["fmt", "text.mbs"],
    }
}

/// The bytes of results that are the same each time.
fn bytes(folder: &Folder, kind: &str) -> Vec<Vec<u8>> {
    match kind {
        "sweep" => ["results.parquet", "summary.json", "report.html"]
            .map(|f| folder.bytes(&format!("sweep/{f}")))
            .into(),
        "emit" => {
            let mut names: Vec<_> =
                std::fs::read_dir(folder.0.join("emit")).unwrap().map(|e| e.unwrap()).collect();
            names.retain(|e| e.file_name().to_string_lossy().starts_with("twin"));
            names.sort_by_key(std::fs::DirEntry::file_name);
            names.iter().map(|e| std::fs::read(e.path()).unwrap()).collect()
        }
        _ => vec![folder.bytes("text.mbs")],
    }
}

#[test]
fn kills_leave_the_earlier_results_or_the_new_ones() {
    let n = asked("CARDAN_KILLS", 24);
    let mut random = Random(asked("CARDAN_SEED", 3));
    let folder = texts("durable-kills");
    // How long each command takes, and what it leaves.
    let mut times = vec![];
    let mut known = vec![];
    for kind in KINDS {
        folder.write("text.mbs", &model(Which::Old.title(), 1));
        let mut left = vec![];
        for which in [Which::New, Which::Old] {
            let begin = Instant::now();
            if kind != "fmt" || which == Which::New {
                folder.cardan(&words(kind, which), 0);
            } else {
                folder.write("text.mbs", &model(Which::Old.title(), 1));
            }
            if which == Which::New {
                times.push(begin.elapsed());
            }
            left.push(if kind == "run" { vec![] } else { bytes(&folder, kind) });
        }
        known.push(left);
    }
    let (mut old, mut new, mut finished) = (0, 0, 0);
    for case in 0..n as usize {
        let k = case % KINDS.len();
        let kind = KINDS[k];
        let how = match case / KINDS.len() % 4 {
            0 => Disturbance::Signal("-KILL"),
            1 => Disturbance::Signal("-TERM"),
            2 => Disturbance::Signal("-INT"),
            _ => Disturbance::Full((random.next() * 900.0) as u64),
        };
        // More often early than late: a command that has ended cannot be disturbed.
        let after = times[k].mul_f64(1.1 * random.next().powi(2));
        disturb(&folder, &words(kind, Which::New), how, after);
        if kind != "fmt" {
            settle(&folder.0.join(kind).join(".cardan/lock"));
        }
        // A commit that was cut off is finished by the next command in the folder.
        if kind != "fmt" && folder.0.join(kind).join(".cardan/whole").is_dir() {
            let finish = ["linearize", "new.mbs", "--out", kind, "--quiet"];
            folder.cardan(&finish, 0);
            finished += 1;
        }
        let which = match kind {
            "run" => run_of(&folder, "run"),
            _ => {
                let found = bytes(&folder, kind);
                let place = known[k].iter().position(|left| *left == found);
                match place.unwrap_or_else(|| panic!("case {case}, {kind}, {how:?}: neither old nor new")) {
                    0 => Which::New,
                    _ => Which::Old,
                }
            }
        };
        match which {
            Which::Old => old += 1,
            Which::New => {
                new += 1;
                match kind {
                    "fmt" => folder.write("text.mbs", &model(Which::Old.title(), 1)),
                    _ => drop(folder.cardan(&words(kind, Which::Old), 0)),
                }
            }
        }
    }
    assert!(old > 0, "{old} old, {new} new");
    assert_eq!(finished, 0, "no kill of the command alone ends a commit");
    println!(
        "{n} disturbances: {old} left the earlier results, {new} the new ones, {finished} of these after the next command"
    );
}

#[test]
fn of_two_runs_in_one_folder_one_says_that_the_other_is_at_work() {
    let mut random = Random(asked("CARDAN_SEED", 3));
    let folder = texts("durable-pairs");
    let mut refused = 0;
    let n = asked("CARDAN_PAIRS", 8);
    for pair in 0..n {
        let first = start(&folder, &["run", "old.mbs", "--out", "out"], None);
        std::thread::sleep(Duration::from_secs_f64(0.05 * random.next()));
        let second = start(&folder, &["run", "new.mbs", "--out", "out"], None);
        let ids = [first.id(), second.id()];
        let said = [first, second].map(|child| Said::new(child.wait_with_output().unwrap()));
        let winner = run_of(&folder, "out");
        for (k, (said, which)) in said.iter().zip([Which::Old, Which::New]).enumerate() {
            match said.code {
                0 => {}
                3 => {
                    refused += 1;
                    assert!(winner != which, "{pair}: {}", said.err);
                    assert!(said.err.contains("another command is at work in out: "), "{pair}: {}", said.err);
                    let who = format!("process {}", ids[1 - k]);
                    assert!(
                        said.err.contains(&who) || said.err.contains("another process"),
                        "{pair}: {}",
                        said.err
                    );
                }
                code => panic!("{pair}: {code} {}", said.err),
            }
        }
        assert!(said.iter().any(|s| s.code == 0), "{pair}: somebody wins");
        assert!(!folder.0.join("out/.cardan").exists());
    }
    assert!(refused > 0);
    println!("{n} pairs, {refused} refused");
}

/// Where nothing can be written, nothing is changed, and it is said.
#[test]
fn a_full_disk_is_said_and_leaves_the_earlier_results() {
    let folder = texts("durable-full");
    folder.cardan(&["run", "old.mbs", "--out", "out", "--quiet"], 0);
    for blocks in [0, 1, 100, 400] {
        let child = start(&folder, &["run", "new.mbs", "--out", "out", "--quiet"], Some(blocks));
        let said = Said::new(child.wait_with_output().unwrap());
        assert_eq!((said.code, run_of(&folder, "out")), (3, Which::Old), "{blocks}: {}", said.err);
        assert!(said.err.contains("could not be written"), "{blocks}: {}", said.err);
    }
    assert!(!folder.0.join("out/.cardan").exists());
}
