//! Questions about inputs and outputs as people and programs ask them: blocks, files, pages, closed loops.

use serde_json::Value;

use super::folder::{Folder, MODELS};

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

const DRIVE: &str = "
model drive
parameter u = 0 [N], k = 1 [N/m]
particle first on N by translate(x = x1) { mass = 1 [kg] }
particle second on N by translate(x = x2) { mass = 1 [kg] }
force coil on second.o from first = (-k * (x2 - x1) - 0.02 [N*s/m] * (der(x2) - der(x1))) * N.x
force push on first.o from N = (u - 0.1 [N/m] * x1 - 0.1 [N*s/m] * der(x1)) * N.x
output near = x1, far = x2
response { input = u, output = \"near, far\", from = 1 [rad/s], to = 10 [Hz], points = 50 }
root_locus { k = 1 .. 4 [N/m]; points = 7 }
stability { k = -1 .. 4 [N/m]; u = 0 .. 1 [N]; points = 6 }
random_response { input = u, spectrum = \"white:0.01\", output = far }
simulate { to = 1 [s] }
";

#[test]
fn blocks_give_the_defaults_of_the_verbs() {
    let folder = Folder::with("frequency-drive", "drive.mbs", DRIVE);
    let response = folder.json(&["response", "drive.mbs"], 0);
    let frequencies = response["frequencies"].as_array().unwrap();
    assert!((number(&frequencies[0]) * std::f64::consts::TAU - 1.0).abs() < 1e-12, "rad/s are converted");
    assert_eq!(response["channels"].as_array().unwrap().len(), 2);
    // At rest under u = 1 N both stand at 1/0.1 m.
    assert!((number(&response["channels"][1]["static_gain"]) - 10.0).abs() < 1e-9);
    for name in
        ["response.html", "response.csv", "bode-gain.svg", "bode-phase.svg", "nyquist.svg", "nichols.svg"]
    {
        assert!(folder.0.join("results/drive").join(name).exists(), "{name}");
    }
    let page = folder.read("results/drive/response.html");
    assert!(page.contains("Nyquist") && page.contains("data:image/svg+xml") && !page.contains("<script"));
    let locus = folder.json(&["root_locus", "drive.mbs"], 0);
    assert_eq!(locus["values"].as_array().unwrap().len(), 7);
    assert_eq!(locus["values"][6], 4.0);
    let map = folder.json(&["stability", "drive.mbs"], 0);
    assert_eq!(map["stability"][0][0], "unstable");
    assert_eq!(map["stability"][5][5], "asymptotically stable");
    let random = folder.json(&["random_response", "drive.mbs"], 0);
    let (a, b) = (number(&random["outputs"][0]["rms"]), number(&random["outputs"][0]["rms_by_lyapunov"]));
    assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
}

#[test]
fn what_makes_no_sense_is_refused_with_a_hint() {
    let folder = Folder::with("frequency-wrong", "drive.mbs", DRIVE);
    for (words, code, said) in [
        (
            &["response", "drive.mbs", "--output", "nowhere"][..],
            1,
            "the model has no output or state `nowhere`",
        ),
        (&["response", "drive.mbs", "--from", "1 [m]"], 2, "is a frequency in [Hz]"),
        (&["response", "drive.mbs", "--delay", "1,2"], 2, "2 delays are given for 1 inputs"),
        (&["random_response", "drive.mbs", "--spectrum", "pink"], 1, "pink"),
        (&["random_response", "drive.mbs", "--spectrum", "iso8608"], 2, "a road needs a speed"),
        (&["random_response", "drive.mbs", "--comfort", "far=Wx"], 2, "there is no weighting `Wx`"),
        (&["root_locus", "drive.mbs", "--over", "k=1"], 2, "is no range"),
        (&["stability", "drive.mbs", "--over", "k=1..2:3"], 2, "2 parameters go through a range"),
        (&["lqr", "drive.mbs", "--input", "u"], 3, "the input `u` has no size"),
        (&["pole_placement", "drive.mbs", "--input", "u", "--poles=-1,x"], 2, "`x` is no pole"),
        (&["trim", "drive.mbs", "--want", "nothing=1"], 1, "nothing"),
        (&["run", "drive.mbs", "--start", "anywhere"], 2, "a motion does not start at `anywhere`"),
    ] {
        let found = folder.cardan(words, code);
        assert!(found.err.contains(said), "{words:?}: {}", found.err);
    }
}

/// The cart-pole of the library stands up from 20 degrees under its regulator, with and without an
/// observer, and the poles of a placement are those that were asked for.
#[test]
fn a_designed_loop_closes_in_the_nonlinear_motion() {
    let folder = Folder::new("frequency-loop");
    let model = format!("{MODELS}/cart-pole.mbs");
    let design = folder.json(&["lqr", &model, "--out", "lqr"], 0);
    assert!(number(&design["riccati_residual"]) < 1e-12, "{design}");
    assert_eq!((&design["controllable"], &design["observable"]), (&Value::from(4), &Value::from(4)));
    let run = |text: &str, to: &str| {
        folder.cardan(&["run", text, "--to", to, "--quiet", "--out", "motion"], 0);
        let table = folder.read("motion/results.csv");
        let heads: Vec<String> = table.lines().next().unwrap().split(',').map(str::to_string).collect();
        let last: Vec<f64> = table.lines().last().unwrap().split(',').map(|c| c.parse().unwrap()).collect();
        let place = |name: &str| heads.iter().position(|h| h.starts_with(name)).unwrap();
        (last[place("x")], last[place("theta")])
    };
    let open = run(&model, "2");
    assert!(open.1.abs() > 0.5, "nothing holds the pole: {open:?}");
    let closed = run("lqr/closed_loop.mbs", "12");
    assert!(closed.0.abs() < 1e-3 && closed.1.abs() < 1e-4, "{closed:?}");
    folder.json(&["lqr", &model, "--observer", "--out", "lqg"], 0);
    let start =
        ["run", "lqg/closed_loop.mbs", "--set", "theta=2[deg]", "--to", "12", "--quiet", "--out", "motion"];
    folder.cardan(&start, 0);
    let last = folder.read("motion/results.csv").lines().last().unwrap().to_string();
    let cells: Vec<f64> = last.split(',').map(|c| c.parse().unwrap()).collect();
    assert!(cells[1].abs() < 1e-2 && cells[2].abs() < 1e-2, "{last}");
    let placed = folder.json(&["pole_placement", &model, "--out", "placed"], 0);
    let mut poles: Vec<(f64, f64)> = placed["feedback"]["poles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|z| (number(&z[0]), number(&z[1])))
        .collect();
    poles.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    for (found, known) in poles.iter().zip([(-8.0, 0.0), (-6.0, 0.0), (-3.0, -2.0), (-3.0, 2.0)]) {
        assert!((found.0 - known.0).hypot(found.1 - known.1) < 1e-9, "{poles:?}");
    }
}

const HANGING: &str = "
model hanging
parameter k = 100 [N/m], c = 2 [N*s/m], F = 0 [N]
gravity = -9.81 [m/s^2] * N.z
particle bob on N by translate(z = z) { mass = 2 [kg] }
force coil on bob.o from N = (F - k * z - c * der(z)) * N.z
output pull = k * z
simulate { to = 1 [s], start = equilibrium }
simulate falling { to = 1 [s], every = 0.5 [s] }
sensitivity { input = k, to = 2 [s] }
trim { input = F, z = 1 [m] }
equilibrium { F = 0 .. 10 [N]; points = 6 }
";

#[test]
fn motions_start_at_rest_go_on_and_are_trimmed() {
    let folder = Folder::with("frequency-hanging", "hanging.mbs", HANGING);
    let last = |folder: &Folder, column: usize| -> f64 {
        let table = folder.read("results/hanging/results.csv");
        table.lines().last().unwrap().split(',').nth(column).unwrap().parse().unwrap()
    };
    let rest = -2.0 * 9.81 / 100.0;
    folder.cardan(&["run", "hanging.mbs", "--quiet"], 0);
    assert!((last(&folder, 1) - rest).abs() < 1e-10);
    folder.cardan(&["run", "hanging.mbs", "--start", "given", "--quiet"], 0);
    assert!((last(&folder, 1) - rest).abs() > 1e-3);
    // Half a second, and on from there, is the same as a whole one.
    let falling = ["run", "hanging.mbs", "--experiment", "falling", "--quiet"];
    folder.cardan(&falling, 0);
    let whole = last(&folder, 1);
    folder.cardan(&[&falling[..], &["--to", "0.5"]].concat(), 0);
    folder.write("half.json", &folder.read("results/hanging/restart.json"));
    folder.cardan(&[&falling[..], &["--restart", "half.json", "--to", "1"]].concat(), 0);
    assert!((last(&folder, 0) - 1.0).abs() < 1e-12 && (last(&folder, 1) - whole).abs() < 1e-9);
    // F = k z + m g holds the bob at 1 m.
    let trimmed = folder.json(&["trim", "hanging.mbs"], 0);
    assert!((number(&trimmed["inputs"]["F"]) - (100.0 + 2.0 * 9.81)).abs() < 1e-7, "{trimmed}");
    let series = folder.json(&["equilibrium", "hanging.mbs"], 0);
    let end = series["points"].as_array().unwrap().last().unwrap()["values"].clone();
    assert!((number(&end[0]) - 10.0).abs() < 1e-9 && (number(&end[1]) - (rest + 0.1)).abs() < 1e-9, "{end}");
    let derivatives = folder.json(&["sensitivity", "hanging.mbs"], 0);
    assert_eq!(number(&derivatives["by"]["k"]["z"][0]), 0.0);
    assert_eq!(derivatives["time"].as_array().unwrap().len(), 101);
    let found = folder.cardan(&["sweep", "hanging.mbs", "--vary", "k=90..110:2"], 1);
    assert!(found.err.contains("not at an equilibrium"), "{}", found.err);
}
