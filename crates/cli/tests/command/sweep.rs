//! Sweeps through the command: results against single runs, resumption after being killed, messages.

use std::process::Stdio;
use std::time::Duration;

use super::folder::Folder;

const PENDULUM: &str = "
model pendulum
parameter L = 1 [m], m = 2 [kg]
gravity = -9.81 [m/s^2] * N.z
body rod on N by rotate(y = q) { mass = m; inertia = (0 [kg*m^2], m*L^2/12, 0 [kg*m^2]); center = (0, 0, -L/2) }
start { q = 60 [deg] }
output height = dot(position(N.o, rod.cm), N.z)
simulate { to = 2 [s] }
";

/// Each motion of a list is the run with the same values set.
#[test]
fn a_sweep_is_many_runs() {
    let folder = Folder::with("sweep-runs", "pendulum.mbs", PENDULUM);
    let words = [
        "sweep",
        "pendulum.mbs",
        "--vary",
        "L=0.5,1.5[m],2",
        "--vary",
        "q=30,45,120 [deg]",
        "--design",
        "list",
    ];
    let said = folder.json(&[&words[..], &["--out", "out"]].concat(), 0);
    assert_eq!((&said["members"], &said["computed"], &said["failed"]), (&3.into(), &3.into(), &0.into()));
    let mut ends = vec![];
    for (l, q) in [("0.5", "30 [deg]"), ("1.5", "45 [deg]"), ("2", "120 [deg]")] {
        let set = [format!("L={l}"), format!("q={q}")];
        let words = ["run", "pendulum.mbs", "--json", "--set", &set[0], "--set", &set[1]];
        ends.push(folder.cardan(&words, 0).json()["final"]["height"]["value"].as_f64().unwrap());
    }
    let found = &said["quantities"]["height"]["end"];
    let mean = ends.iter().sum::<f64>() / 3.0;
    assert!((found["mean"].as_f64().unwrap() - mean).abs() < 1e-8, "{found} against {ends:?}");
    let least = ends.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((found["least"].as_f64().unwrap() - least).abs() < 1e-8, "{found} against {ends:?}");
    let page = folder.read("out/report.html");
    assert!(page.contains("\"varied\":[{\"name\":\"L\",") && page.contains("What matters"), "{page}");
    assert!(folder.bytes("out/results.parquet").ends_with(b"PAR1"));
}

/// The period of small swings rises with the root of the length, so a longer rod is further from its turning point: the closed
/// form of a linear pendulum, sampled by a Latin hypercube.
#[test]
fn small_swings_obey_the_linear_law() {
    let folder = Folder::with("sweep-law", "pendulum.mbs", PENDULUM);
    let words = [
        "sweep",
        "pendulum.mbs",
        "--vary",
        "L=1..1.2",
        "--samples",
        "50",
        "--set",
        "q=0.001",
        "--to",
        "0.5",
        "--json",
    ];
    let said = folder.cardan(&words, 0).json();
    // ω² = (m g L/2) / (m L²/3)
    let angle = |l: f64| 1e-3 * ((1.5 * 9.81 / l).sqrt() * 0.5).cos();
    let found = &said["quantities"]["q"]["end"];
    let (least, greatest) = (found["least"].as_f64().unwrap(), found["greatest"].as_f64().unwrap());
    assert!(least >= angle(1.0) - 1e-9 && greatest <= angle(1.2) + 1e-9, "{found}");
    assert!(greatest - least > 0.9 * (angle(1.2) - angle(1.0)), "{found}");
    assert!((said["quantities"]["q"]["influence"]["L"].as_f64().unwrap() - 1.0).abs() < 1e-12);
}

/// Killed at random times, twenty times, a sweep ends with exactly what an undisturbed one has; nothing is computed twice.
///
/// Every fourth kill comes at a random time after the start of the process, when a journal is being opened or read; the others
/// when the journal has grown by a random number of bytes, so that slow machines are killed as often as fast ones.
#[cfg(unix)]
#[test]
fn killed_sweeps_go_on() {
    const MEMBERS: u64 = 4000;
    const KILLS: u64 = 20;
    let folder = Folder::with("sweep-killed", "pendulum.mbs", PENDULUM);
    let samples = MEMBERS.to_string();
    let sweep = |out: &'static str| {
        let base = ["sweep", "pendulum.mbs", "--vary", "L=normal(1 [m], 5 [cm])", "--vary", "q=0..3"];
        let rest = ["--samples", &samples, "--method", "rk4", "--step", "1e-4", "--json", "--out", out];
        [&base[..], &rest[..]].concat().iter().map(|w| w.to_string()).collect::<Vec<_>>()
    };
    let run = |out: &'static str| {
        let words = sweep(out);
        folder.cardan(&words.iter().map(String::as_str).collect::<Vec<_>>(), 0).json()
    };
    assert_eq!(run("whole")["computed"], MEMBERS);
    let size = |out: &str| std::fs::metadata(folder.0.join(out).join("sweep.journal")).map_or(0, |m| m.len());
    let total = size("whole");
    let mut seed = 17u64;
    // Uniform between 0 and 1.
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    let mut sizes = vec![];
    for kill in 0..KILLS {
        let words = sweep("parts");
        let mut command = folder.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if kill % 4 == 3 {
            std::thread::sleep(Duration::from_secs_f64(0.04 * random()));
        } else {
            let enough = size("parts") + (random() * total as f64 / 60.0) as u64;
            while size("parts") < enough && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(Duration::from_secs_f64(0.002 * random()));
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before kill {kill}: {sizes:?} of {total}");
        child.kill().unwrap();
        child.wait().unwrap();
        sizes.push(size("parts"));
    }
    // A record that was cut off is removed before others are added.
    assert!(sizes.windows(2).all(|w| w[1] + 400 >= w[0]), "journals only grow: {sizes:?}");
    assert!(
        sizes.iter().filter(|s| **s > total / 100).count() > 10,
        "kills come when motions are known: {sizes:?}"
    );
    let computed = run("parts")["computed"].as_u64().unwrap();
    assert!(0 < computed && computed < MEMBERS, "{computed}");
    assert_eq!(folder.bytes("parts/results.parquet"), folder.bytes("whole/results.parquet"));
    // One record per motion and no more: the journal is as long as that of the undisturbed sweep.
    assert_eq!(size("parts"), total);
    assert_eq!(run("parts")["computed"], 0);
}

#[test]
fn what_cannot_vary_is_said() {
    let folder = Folder::with("sweep-messages", "pendulum.mbs", PENDULUM);
    let try_it = |words: &[&str], code: i32, message: &str| {
        let err = folder.cardan(&[&["sweep", "pendulum.mbs"], words].concat(), code).err;
        assert!(err.contains(message), "{words:?}: {err}");
    };
    try_it(&["--vary", "length=1..2:3"], 1, "no parameter, coordinate, speed or state `length`");
    try_it(&["--vary", "L=1..2"], 2, "how many values `L` takes in a grid is not said");
    try_it(&["--vary", "L=1..2[s]:3"], 1, "expected [m]");
    try_it(&["--vary", "L"], 2, "does not say what varies how");
    try_it(&["--vary", "L=gamma(1, 2)", "--samples", "5"], 2, "is no distribution");
    try_it(&["--vary", "L=1,2", "--vary", "m=1,2,3", "--design", "list"], 2, "another number of values");
    try_it(&["--vary", "L=1,2", "--design", "random"], 2, "--samples");
    try_it(&["--vary", "L=1..2:3", "--samples", "5"], 2, "remove `:3`, or --samples");
    try_it(&["--vary", "L=1,2", "--step", "0.01"], 2, "add --method rk4");
    let err = folder.cardan(&["run", "pendulum.mbs", "--step", "0.01", "--method", "dopri5"], 2).err;
    assert!(err.contains("`dopri5` chooses its own"), "{err}");
    try_it(&["--vary", "L=1,2", "--vary", "L=1,2"], 2, "varies twice");
    folder.cardan(&["sweep", "pendulum.mbs", "--vary", "L=1,2", "--quiet"], 0);
    try_it(&["--vary", "L=1,2,3"], 1, "belongs to another sweep");
    folder.cardan(&["sweep", "pendulum.mbs", "--vary", "L=1,2,3", "--fresh", "--quiet"], 0);
}

#[test]
fn why_motions_are_lost_is_said() {
    let folder = Folder::with("sweep-lost", "pendulum.mbs", PENDULUM);
    let text = "model rod
parameter L = 1 [m]
particle a on N by translate(x = x, y = y) { mass = 1 [kg] }
joint rod = distance(a.o, N.o, length = L)
start { x = 1 [m] }
simulate { to = 0.1 [s] }
";
    folder.write("rod.mbs", text);
    let err = folder.cardan(&["sweep", "rod.mbs", "--vary", "L=0.5,0.7", "--json"], 3).err;
    assert!(err.contains("2 motions of 2") && err.contains("the first, with L = 0.500000"), "{err}");
    let said = folder.cardan(&["sweep", "rod.mbs", "--vary", "L=0.5,1", "--fresh", "--json"], 0);
    let (facts, err) = (said.json(), said.err);
    assert!(err.contains("1 motion of 2"), "{err}");
    assert_eq!((facts["ok"].as_bool(), facts["first_failure"]["member"].as_u64()), (Some(true), Some(0)));
    assert!(facts["first_failure"]["reason"].as_str().unwrap().len() > 10, "{facts}");
}

/// An output that is not a number in some motions: its statistics say of how many motions they are.
#[test]
fn motions_without_a_number_are_counted() {
    let text = "model root\nparameter a = 1 [m], b = 0\nparticle p on N by translate(x = x) { mass = 1 [kg] }\n\
                output x_again = x\noutput r = sqrt(b)\nstart { x = a }\nsimulate { to = 0.1 [s] }\n";
    let folder = Folder::with("sweep-gaps", "root.mbs", text);
    let sweep = |values: &str| {
        let said = folder.cardan(&["sweep", "root.mbs", "--vary", values, "--fresh", "--out", "out"], 0);
        (said.out, said.err, String::from_utf8(folder.bytes("out/report.html")).unwrap())
    };
    let (out, err, page) = sweep("b=-1,0,1,4,9");
    assert!(err.contains("r: 4 of 5 motions"), "{err}");
    assert!(out.contains("4 of 5") && out.contains("5 of 5"), "{out}");
    assert!(page.contains("<td>4 of 5</td>") && page.contains("r: 4 of 5 motions"), "{page}");
    let (out, err, _) = sweep("b=-1,-2");
    assert!(out.contains("0 of 2") && err.contains("r: 0 of 2 motions"), "{out}{err}");
    // Nothing is said where nothing is missing.
    let (out, err, page) = sweep("b=1,2");
    assert!(!out.contains(" of 2") && !err.contains(" of 2") && !page.contains(" of 2"), "{out}{err}");
}

/// A sweep that would run nothing, or only one end of a range, is refused; values that no matter has are named; what events count is shown.
#[test]
fn a_sweep_says_what_it_leaves_out() {
    let text = "model osc\nparameter m = 1 [kg], k = 10 [N/m]\nparticle p on N by translate(x = x) { mass = m }\n\
                spring s between p.cm and N.o { stiffness = k }\ndiscrete passes = 0\nwhen x < 0 [m] { passes := passes + 1 }\n\
                start { x = 1 [m] }\nsimulate { to = 1 [s] }\n";
    let folder = Folder::with("sweep-doubts", "osc.mbs", text);
    let said = folder.cardan(&["sweep", "osc.mbs", "--vary", "k=2..18", "--samples", "0"], 2).err;
    assert!(said.contains("at least one sample"), "{said}");
    let said = folder.cardan(&["sweep", "osc.mbs", "--vary", "k=2..18:1"], 2).err;
    assert!(said.contains("`k`: a range of one level"), "{said}");
    let swept = folder.cardan(&["sweep", "osc.mbs", "--vary", "m=0.5,1,-1", "--out", "out"], 0);
    assert!(
        swept.err.contains("the mass of `p` is negative") && swept.err.contains("m = -1"),
        "{}",
        swept.err
    );
    assert!(swept.out.contains("passes"), "{}", swept.out);
    let fine = folder.cardan(&["sweep", "osc.mbs", "--vary", "m=0.5,1", "--out", "fine"], 0);
    assert!(!fine.err.contains("negative"), "{}", fine.err);
}
