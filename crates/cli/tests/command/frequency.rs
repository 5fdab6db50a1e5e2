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
    let closed = run("lqr/closed_loop_lqr.mbs", "12");
    assert!(closed.0.abs() < 1e-3 && closed.1.abs() < 1e-4, "{closed:?}");
    folder.json(&["lqr", &model, "--observer", "--out", "lqg"], 0);
    let start = [
        "run",
        "lqg/closed_loop_lqr.mbs",
        "--set",
        "theta=2[deg]",
        "--to",
        "12",
        "--quiet",
        "--out",
        "motion",
    ];
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
    // Each motion of a sweep starts at the rest of its own stiffness, and stays there.
    folder.cardan(&["sweep", "hanging.mbs", "--vary", "k=90..110:3", "--quiet", "--out", "sweep"], 0);
    let all: Value = serde_json::from_str(&folder.read("sweep/summary.json")).unwrap();
    let of = |name: &str, what: &str, which: &str| number(&all["quantities"][name][what][which]);
    for what in ["least", "end", "greatest"] {
        assert!((of("z", what, "least") + 2.0 * 9.81 / 90.0).abs() < 1e-9, "{all}");
        assert!((of("z", what, "greatest") + 2.0 * 9.81 / 110.0).abs() < 1e-9, "{all}");
        assert!(of("der(z)", what, "greatest").abs() < 1e-9, "{all}");
    }
}

/// A regulator for the six-axis arm of the library with a torque in every joint.
#[test]
fn an_arm_with_six_torques_has_its_regulator() {
    let folder = Folder::new("frequency-arm");
    let mut text = std::fs::read_to_string(format!("{MODELS}/six-axis-arm.mbs")).unwrap();
    let drives = ["shoulder N z", "upper_arm shoulder y", "forearm upper_arm y", "wrist1 forearm y"];
    let drives = drives.into_iter().chain(["wrist2 wrist1 z", "wrist3 wrist2 y"]);
    let mut sizes = String::new();
    for (k, words) in (1..).zip(drives) {
        let [body, base, axis] = words.split(' ').collect::<Vec<_>>()[..] else { panic!("{words}") };
        text += &format!("input T{k} [N*m]\ntorque drive{k} on {body} from {base} = T{k} * {body}.{axis}\n");
        sizes += &format!("T{k} = 10 [N*m]; q{k} = 1 [deg]\n");
    }
    text += &format!("lqr {{\nat = equilibrium, output = \"q1, q2, q3, q4, q5, q6\"\n{sizes}}}\n");
    folder.write("arm.mbs", &text);
    let design = folder.json(&["lqr", "arm.mbs", "--out", "designed"], 0);
    assert!(number(&design["riccati_residual"]) < 1e-12, "{design}");
    assert_eq!((&design["controllable"], &design["observable"]), (&Value::from(12), &Value::from(12)));
    let poles = design["feedback"]["poles"].as_array().unwrap();
    assert!(poles.len() == 12 && poles.iter().all(|z| number(&z[0]) < -1.0), "{poles:?}");
    // The closed loop of the text has the poles of the design.
    let modes =
        folder.json(&["modes", "designed/closed_loop_lqr.mbs", "--at", "equilibrium", "--out", "closed"], 0);
    for mode in modes["modes"].as_array().unwrap() {
        let z = &mode["eigenvalue"];
        let away = |p: &Value| (number(&p[0]) - number(&z[0])).hypot(number(&p[1]) - number(&z[1]));
        let nearest = poles.iter().map(away).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-6 * number(&z[0]).hypot(number(&z[1])), "{z} {poles:?}");
    }
}

/// The loop of a regulator opened at its input has the poles of the plant, |1 + L| ≥ 1 and so 60° of phase margin (Kalman,
/// J. Basic Eng. 86 (1964) 51; Safonov & Athans, IEEE Trans. Autom. Control 22 (1977) 173). Held over steps, its poles are e^(h s).
#[test]
fn a_loop_is_opened_at_a_signal() {
    let folder = Folder::new("frequency-open");
    folder.json(&["lqr", &format!("{MODELS}/cart-pole.mbs"), "--out", "lqr"], 0);
    let ask = |more: &[&str]| {
        let words = ["response", "lqr/closed_loop_lqr.mbs", "--at", "equilibrium", "--open", "F"];
        folder.json(&[&words[..], more].concat(), 0)
    };
    let real = |answer: &Value| {
        let mut found: Vec<f64> = answer["poles"].as_array().unwrap().iter().map(|z| number(&z[0])).collect();
        found.sort_by(f64::total_cmp);
        found
    };
    let open = ask(&[]);
    let plant = [-5.604_094_125_555, -0.142_831_635_695, 0.0, 5.565_107_579_431];
    for (found, known) in real(&open).iter().zip(plant) {
        assert!((found - known).abs() < 1e-8, "{open}");
    }
    let channel = &open["channels"][0];
    assert!(number(&channel["modulus_margin"]["value"]) > 1.0 - 1e-9, "{channel}");
    for margin in channel["phase_margins"].as_array().unwrap() {
        assert!(number(&margin["value"]).abs() > std::f64::consts::FRAC_PI_3 - 1e-9, "{margin}");
    }
    let sampled = ask(&["--sample", "10ms"]);
    for (found, known) in real(&sampled).iter().zip(plant) {
        assert!((found - (0.01 * known).exp()).abs() < 1e-9, "{sampled}");
    }
    // A stable system is reduced within its bound.
    let words =
        ["response", "lqr/closed_loop_lqr.mbs", "--at", "equilibrium", "--output", "theta", "--points", "60"];
    let whole = folder.json(&words, 0);
    assert_eq!((&whole["controllable"], &whole["observable"]), (&Value::from(4), &Value::from(4)));
    let hankel: Vec<f64> = whole["hankel_values"].as_array().unwrap().iter().map(number).collect();
    let small = folder.json(&[&words[..], &["--reduce", "3", "--from", "0.01", "--to", "10"]].concat(), 0);
    let same = folder.json(&[&words[..], &["--from", "0.01", "--to", "10", "--reduce", "4"]].concat(), 0);
    assert_eq!((small["A"].as_array().unwrap().len(), same["A"].as_array().unwrap().len()), (3, 4));
    let at = |answer: &Value, f: f64| {
        let all = answer["frequencies"].as_array().unwrap();
        let k = all.iter().position(|x| (number(x) / f - 1.0).abs() < 1e-9).unwrap();
        number(&answer["channels"][0]["gain"][k])
    };
    for k in [0, 20, 40, 59] {
        let f = 0.01 * 1000.0_f64.powf(f64::from(k) / 59.0);
        assert!((at(&small, f) - at(&same, f)).abs() < 2.0 * hankel[3] * (1.0 + 1e-6), "{f} {hankel:?}");
    }
    // A delay turns the phase of the loop by ω T and nothing else.
    let delayed = ask(&["--delay", "20ms"]);
    let phase = |answer: &Value, k: usize| number(&answer["channels"][0]["phase"][k]);
    let f = number(&open["frequencies"][200]);
    let turned = phase(&delayed, 200) - phase(&open, 200) + std::f64::consts::TAU * f * 0.02;
    let turns = turned / std::f64::consts::TAU;
    assert!((turns - turns.round()).abs() < 1e-9, "{turned}");
    let refused = folder.cardan(&["response", "lqr/closed_loop_lqr.mbs", "--open", "nothing"], 1);
    assert!(refused.err.contains("cannot be opened at `nothing`"), "{}", refused.err);
}

/// Stepped sines: a linear model has its linear response; Duffing's oscillator that of its first harmonic,
/// ((1 - ω² + 3/4 α A²)² + (2 ζ ω)²) A² = f² (Nayfeh & Mook, Nonlinear Oscillations, 4.1), to the size of the third.
#[test]
fn a_sine_is_stepped_through_the_nonlinear_model() {
    let folder = Folder::with("frequency-stepped", "drive.mbs", DRIVE);
    let grid = ["--from", "0.1", "--to", "0.4", "--points", "4"];
    let words = ["response", "drive.mbs", "--input", "u", "--output", "near,far", "--stepped", "1 [N]"];
    let answer = folder.json(&[&words[..], &grid[..]].concat(), 0);
    let at = |f: f64, channel: usize| {
        let all = answer["frequencies"].as_array().unwrap();
        let k = all.iter().position(|x| (number(x) - f).abs() < 1e-12).unwrap();
        let c = &answer["channels"][channel];
        (number(&c["gain"][k]), number(&c["phase"][k]))
    };
    for point in answer["stepped"].as_array().unwrap() {
        assert_eq!(point["steady"], true, "{point}");
        for j in 0..2 {
            let found = &point["outputs"][j];
            let (gain, phase) = at(number(&point["frequency"]), j);
            assert!((number(&found["gain"]) / gain - 1.0).abs() < 1e-3, "{found} {gain}");
            assert!((number(&found["phase"]) - phase).abs() < 1e-3, "{found} {phase}");
            assert!(number(&found["distortion"]) < 1e-3, "{found}");
        }
    }
    let (alpha, zeta, push) = (0.3, 0.1, 0.5);
    folder.write(
        "duffing.mbs",
        "model duffing\ngravity = 0\ninput f [N]\nparticle p on N by translate(x = x) { mass = 1 [kg] }\n\
         force spring on p.o from N = (f - 1 [N/m] * x - 0.3 [N/m^3] * x^3 - 0.2 [N*s/m] * der(x)) * N.x\noutput y = x\n",
    );
    let words =
        ["response", "duffing.mbs", "--stepped", "0.5", "--from", "0.05", "--to", "0.15", "--points", "3"];
    let answer = folder.json(&words, 0);
    for point in answer["stepped"].as_array().unwrap() {
        let omega = std::f64::consts::TAU * number(&point["frequency"]);
        let size = push * number(&point["outputs"][0]["gain"]);
        let stiff: f64 = 1.0 - omega * omega + 0.75 * alpha * size * size;
        let pushed = size * stiff.hypot(2.0 * zeta * omega);
        let distortion = number(&point["outputs"][0]["distortion"]);
        assert!((pushed / push - 1.0).abs() < 3.0 * distortion + 1e-3, "{point} {pushed}");
        assert!(distortion > 1e-4, "{point}");
    }
}

/// The seven-body mechanism of the Multibody Systems Handbook with a torque instead of its motor: poles of feedback and
/// observer are those of the closed loop in the nonlinear text, exactly.
#[test]
fn a_mechanism_is_controlled_by_its_observer() {
    let folder = Folder::new("frequency-mechanism");
    let text = std::fs::read_to_string(format!("{MODELS}/squeezer.mbs")).unwrap();
    let motor = "torque motor on K1 from N = 0.033 [N*m] * N.z";
    let text = text.replace(motor, "input drive [N*m]\ntorque motor on K1 from N = drive * N.z");
    folder.write("mechanism.mbs", &text);
    let words =
        ["pole_placement", "mechanism.mbs", "--at", "equilibrium", "--output", "beta", "--poles=-200±200i"];
    folder.json(&[&words[..], &["--observer=-600,-700", "--out", "placed"]].concat(), 0);
    let modes = folder.json(
        &["modes", "placed/closed_loop_pole_placement.mbs", "--at", "equilibrium", "--out", "closed"],
        0,
    );
    let modes = modes["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 3, "{modes:?}");
    for (mode, known) in modes.iter().zip([(-200.0, 200.0), (-600.0, 0.0), (-700.0, 0.0)]) {
        let z = &mode["eigenvalue"];
        let away = (number(&z[0]) - known.0).hypot(number(&z[1]).abs() - known.1);
        assert!(away < 1e-7 * 700.0, "{z} {known:?}");
    }
}

/// A table that is shaken: the response to a parameter that moves a constraint has the forces of
/// its rates, x/p = -m s²/(m s² + c s + k), and so has one to the acceleration of the table.
#[test]
fn a_base_that_moves_acts_with_its_rates() {
    let text = "model shaker\ngravity = 0\nparameter base = 0.1 [m]\n\
         particle table on N by translate(x = xb) { mass = 3 [kg] }\n\
         particle load on table by translate(x = x) { mass = 2 [kg] }\n\
         force spring on load.o from table = (-100 [N/m] * x - 1 [N*s/m] * der(x)) * N.x\n\
         DRIVE\noutput stretch = x, felt = der(der(x)) + der(der(xb))\n";
    for drive in ["constraint drive = xb - base", "motion drive on xb = base"] {
        let folder = Folder::with("frequency-base", "shaker.mbs", &text.replace("DRIVE", drive));
        let words =
            ["response", "shaker.mbs", "--from", "1", "--to", "3", "--points", "5", "--set", "base=0.2"];
        let check = |more: &[&str], order: i32| {
            let answer = folder.json(&[&words[..], more].concat(), 0);
            let channel = &answer["channels"][0];
            for (k, f) in answer["frequencies"].as_array().unwrap().iter().enumerate() {
                let w = std::f64::consts::TAU * number(f);
                let known = 2.0 * w.powi(order) / (100.0 - 2.0 * w * w).hypot(w);
                assert!((number(&channel["gain"][k]) / known - 1.0).abs() < 1e-9, "{w} {channel}");
            }
        };
        check(&["--input", "base", "--output", "stretch"], 2);
        check(&["--input", "der(base)", "--output", "stretch"], 1);
        check(&["--input", "der(der(base))"], 0);
        let refused = folder.cardan(&[&words[..], &["--input", "base"]].concat(), 1);
        assert!(refused.err.contains("der(der(base))"), "{}", refused.err);
        let refused = folder.cardan(&["lqr", "shaker.mbs", "--input", "base", "--output", "stretch"], 1);
        assert!(refused.err.contains("feedback acts by loads"), "{}", refused.err);
    }
}

/// Duffing's oscillator by harmonic balance: the motions at both ends are stable, and some between
/// are not.
#[test]
fn periodic_motions_are_balanced() {
    let folder = Folder::with(
        "frequency-balance",
        "duffing.mbs",
        "model duffing\ngravity = 0\ninput f [N]\nparticle p on N by translate(x = x) { mass = 1 [kg] }\n\
         force spring on p.o from N = (f - 1 [N/m] * x - 0.4 [N/m^3] * x^3 - 0.1 [N*s/m] * der(x)) * N.x\noutput y = x\n",
    );
    let words = ["response", "duffing.mbs", "--balance", "0.3 [N]", "--harmonics", "5"];
    let words = [&words[..], &["--from", "0.07", "--to", "0.4", "--points", "40"]].concat();
    let answer = folder.json(&words, 0);
    let orbits = answer["balanced"].as_array().unwrap();
    let stable = |k: usize| orbits[k]["stable"] == true;
    assert!(stable(0) && stable(orbits.len() - 1) && (0..orbits.len()).any(|k| !stable(k)), "{orbits:?}");
    assert!((number(&orbits[orbits.len() - 1]["frequency"]) - 0.4).abs() < 1e-9);
    assert!(
        folder.read("results/duffing/balanced.csv").starts_with("frequency [Hz],largest multiplier,stable,")
    );
}

/// A realisation of white noise moves an oscillator as much as it should within the statistical
/// error; the same seed gives the same, and the table of the excitation is one that `run` reads.
#[test]
fn noise_is_realised_and_estimated_back() {
    let folder = Folder::with(
        "frequency-noise",
        "shaken.mbs",
        "model shaken\ngravity = 0\ninput f [N]\nparticle p on N by translate(x = x) { mass = 1 [kg] }\n\
         force spring on p.o from N = (f - 100 [N/m] * x - 2 [N*s/m] * der(x)) * N.x\noutput y = x\nsimulate { to = 1 [s] }\n",
    );
    let words = ["random_response", "shaken.mbs", "--spectrum", "white:0.01", "--simulate", "40 [s]"];
    let words = [&words[..], &["--step", "10ms", "--seed", "3"]].concat();
    let answer = folder.json(&words, 0);
    let (linear, found) =
        (number(&answer["outputs"][0]["rms"]), number(&answer["simulated"]["outputs"][0]["rms"]));
    // About ζ ω T = 41 independent values: a standard error of 1/√(4 · 41) of the rms, or 8 %.
    assert!((found / linear - 1.0).abs() < 0.25, "{found} {linear}");
    let density = answer["simulated"]["outputs"][0]["density"].as_array().unwrap();
    let area: f64 = density
        .windows(2)
        .map(|w| (number(&w[1][0]) - number(&w[0][0])) * 0.5 * (number(&w[0][1]) + number(&w[1][1])))
        .sum();
    assert!((area.sqrt() / found - 1.0).abs() < 0.1, "{area} {found}");
    let again = folder.json(&words, 0);
    assert_eq!(answer["simulated"], again["simulated"]);
    folder.cardan(
        &["run", "shaken.mbs", "--input", "f=results/shaken/excitation.csv", "--quiet", "--out", "ran"],
        0,
    );
    let track = ["random_response", "shaken.mbs", "--spectrum", "erri_b176", "--speed", "40m/s"];
    let track = folder.json(&track, 0);
    let (a, b) = (number(&track["outputs"][0]["rms"]), number(&track["outputs"][0]["rms_by_lyapunov"]));
    assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
}

/// M, D, G, K, N stand in documents and among the numbers; the descriptor form is written on
/// demand.
#[test]
fn linear_matrices_are_written_as_numbers_and_expressions() {
    let folder = Folder::with(
        "frequency-matrices",
        "rotor.mbs",
        "model rotor\ngravity = 0\nparameter m = 3 [kg], k = 50 [N/m], n = 7 [N/m], c = 2 [N*s/m]\n\
         particle p on N by translate(x = x, y = y) { mass = m }\n\
         force all on p.o from N = (-k * x - n * y - c * der(x)) * N.x + (-k * y + n * x) * N.y\n",
    );
    let answer = folder.json(&["linearize", "rotor.mbs", "--descriptor"], 0);
    let split = &answer["second_order"]["split"];
    for (name, i, j, known) in
        [("N", 0, 1, 7.0), ("N", 1, 0, -7.0), ("D", 0, 0, 2.0), ("D", 1, 1, 0.0), ("G", 0, 1, 0.0)]
    {
        assert!((number(&split[name][i][j]) - known).abs() < 1e-12, "{name} {split}");
    }
    assert_eq!(answer["descriptor"]["E"].as_array().unwrap().len(), 4);
    folder.cardan(&["document", "rotor.mbs", "--linear", "-o", "rotor.tex"], 0);
    let text = folder.read("rotor.tex");
    assert!(text.contains("Linear equations"));
    for entry in ["M_{1,1}", "D_{1,1}", "K_{1,1}", "N_{2,1}"] {
        assert!(text.contains(entry), "{entry}");
    }
    assert!(!text.contains("G_{2,1}"), "no gyroscopic terms");
    folder.cardan(&["document", "rotor.mbs", "-o", "plain.tex"], 0);
    assert!(!folder.read("plain.tex").contains("Linear equations"));
}

/// A carriage on a spring under a sampled PD law, with gravity that the law bears; `f` disturbs it.
const DIGITAL: &str = "
model digital
gravity = -9.81 [m/s^2] * N.z
parameter kp = 20 [N/m], kd = 6 [N*s/m]
input f [N] = 0
particle cart on N by translate(z = x) { mass = 1 [kg] }
discrete u = 0 [N], runs = 0
variable command = u
every 50 [ms] \"law\" { u := -kp*x - kd*cart.u; runs := runs + 1 }
force drive on cart.o from N = (command + f) * N.z
output place = x
";

/// z² + (d T + p T²/2 − 2) z + 1 − d T + p T²/2 = 0 for m = 1 kg, by hand.
#[test]
fn a_sampled_controller_counts_by_its_discrete_equivalent() {
    let folder = Folder::with("frequency-digital", "digital.mbs", DIGITAL);
    let response =
        folder.json(&["response", "digital.mbs", "--from", "0.1", "--to", "9", "--points", "5"], 0);
    let (p, d, step) = (20.0_f64, 6.0, 0.05);
    let sum = 2.0 - d * step - p * step * step / 2.0;
    let product = 1.0 - d * step + p * step * step / 2.0;
    let root = (product - sum * sum / 4.0).sqrt();
    let z = response["sampled"]["multipliers"].as_array().unwrap();
    for (re, im) in [(0.0, 0.0), (sum / 2.0, root), (sum / 2.0, -root)] {
        let apart = |z: &Value| (number(&z[0]) - re).hypot(number(&z[1]) - im);
        assert!(z.iter().map(apart).fold(f64::INFINITY, f64::min) < 1e-10, "{z:?}");
    }
    assert_eq!(z.len(), 3, "the counter is not felt");
    assert_eq!(response["sampled"]["stability"], "asymptotically stable");
    // At rest x = f/kp.
    let channel = &response["channels"][0];
    assert!((number(&channel["static_gain"]) - 0.05).abs() < 1e-10, "{channel}");
    // Modes tell the same, about the rest in which the law bears the weight.
    let modes = folder.json(&["modes", "digital.mbs"], 0);
    assert_eq!(modes["sampled"]["stability"], "asymptotically stable");
    let slow = modes["sampled"]["poles"].as_array().unwrap().iter().map(|s| number(&s[0]));
    let slow = slow.fold(f64::NEG_INFINITY, f64::max);
    assert!((slow - product.sqrt().ln() / step).abs() < 1e-8, "{slow}");
    let said = folder.cardan(&["root_locus", "digital.mbs", "--over", "kp=10..20:2"], 0).err;
    assert!(said.contains("the sampled blocks `law` do nothing here"), "{said}");

    // The loop opened at the held command: the margins of L(z) = (p + d (z − 1)/T ...) by its formula.
    let open = folder.json(&["response", "digital.mbs", "--open", "command"], 0);
    let margin = &open["channels"][0]["phase_margins"][0];
    let w = number(&margin["frequency"]) * std::f64::consts::TAU;
    // L = [p T²/2 (z + 1) + d T (z − 1)]/(z − 1)².
    let (c, s) = ((w * step).cos(), (w * step).sin());
    let above = (p * step * step / 2.0 * (c + 1.0) + d * step * (c - 1.0))
        .hypot((p * step * step / 2.0 + d * step) * s);
    let below = (c - 1.0).powi(2) + s * s;
    assert!((above / below - 1.0).abs() < 1e-6, "|L| = {}", above / below);
}

/// What the nonlinear model does under a sine of commensurate period, by Fourier projection.
#[test]
fn the_response_with_samples_is_what_the_motion_does() {
    let folder = Folder::with("frequency-digital-motion", "digital.mbs", DIGITAL);
    // 10 samples per period: 2 Hz.
    let response = folder.json(&["response", "digital.mbs", "--from", "2", "--to", "4", "--points", "2"], 0);
    let at = response["frequencies"].as_array().unwrap().iter().position(|f| (number(f) - 2.0).abs() < 1e-12);
    let at = at.unwrap();
    let channel = &response["channels"][0];
    let (gain, phase) = (number(&channel["gain"][at]), number(&channel["phase"][at]));
    let moved = DIGITAL.replace("input f [N] = 0", "variable f = 1 [N] * sin(4*pi * 1 [rad/s] * t)");
    folder.write("moved.mbs", &moved);
    // A period of 0.5 s after 40 s, 40 steps of Simpson's rule in each sample interval.
    let words =
        ["run", "moved.mbs", "--to", "40.5", "--every", "0.00125", "--rtol", "1e-11", "--atol", "1e-13"];
    folder.cardan(&words, 0);
    let table = folder.read("results/digital/results.csv");
    let mut lines = table.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = heads.iter().position(|h| h.starts_with("place")).unwrap();
    let rows: Vec<(f64, f64)> = lines
        .map(|l| l.split(',').map(|x| x.parse::<f64>().unwrap()).collect::<Vec<_>>())
        .map(|r| (r[0], r[column]))
        .filter(|r| r.0 > 40.0 - 1e-9)
        .collect();
    assert_eq!(rows.len(), 401);
    let (mut re, mut im) = (0.0, 0.0);
    for (k, (t, x)) in rows.iter().enumerate() {
        let weight = if k == 0 || k == 400 {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let angle = 4.0 * std::f64::consts::PI * t;
        re += weight * x * angle.cos() * 0.00125 / 3.0 / 0.25;
        im += weight * x * angle.sin() * 0.00125 / 3.0 / 0.25;
    }
    // x = gain sin(ωt + phase) = gain cos(phase) sin + gain sin(phase) cos.
    let (known_sin, known_cos) = (gain * phase.cos(), gain * phase.sin());
    let apart = (im - known_sin).hypot(re - known_cos) / gain;
    assert!(apart < 1e-6, "{apart:e}: ({im}, {re}) and ({known_sin}, {known_cos})");
}

/// A pendulum that starts aside: every question about small departures takes the equilibrium near the
/// start where nothing is said, and says so; `--at start` is the start as it is. ω² = g/l hanging.
#[test]
fn one_rule_says_which_state_is_meant() {
    let text = "
model aside
gravity = -9.81 [m/s^2] * N.z
parameter l = 1 [m]
input f [N] = 0
body rod on N by revolute(y, q = phi) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -l) }
force push on rod.cm from N = f * N.x
output angle = phi
start { phi = 0.4 [rad] }
";
    let folder = Folder::with("frequency-aside", "aside.mbs", text);
    let questions: [&[&str]; 5] = [
        &["linearize", "aside.mbs"],
        &["modes", "aside.mbs"],
        &["response", "aside.mbs"],
        &["root_locus", "aside.mbs", "--over", "l=1..2:3"],
        &["stability", "aside.mbs", "--over", "l=1..2:2", "--over", "f=0..1:2"],
    ];
    for question in questions {
        let said = folder.cardan(question, 0);
        assert!(said.err.contains("`--at start` insists"), "{question:?}: {}", said.err);
        assert!(said.out.contains("about the equilibrium"), "{question:?}: {}", said.out);
        let insisted = folder.cardan(&[question, &["--at", "start"]].concat(), 0);
        assert!(!insisted.err.contains("insists"), "{question:?}: {}", insisted.err);
    }
    let near = |found: f64, known: f64| assert!((found / known - 1.0).abs() < 1e-9, "{found} {known}");
    let linear = folder.json(questions[0], 0);
    near(-number(&linear["A"][1][0]), 9.81);
    assert_eq!(linear["instead"], true);
    let insisted = folder.json(&["linearize", "aside.mbs", "--at", "start"], 0);
    near(-number(&insisted["A"][1][0]), 9.81 * 0.4_f64.cos());
    let locus = folder.json(questions[3], 0);
    near(number(&locus["eigenvalues"][0][0][1]).abs(), 9.81_f64.sqrt());
}

/// Poles of sampled systems stand under a heading of their own, and the two at z = 1 are no pair.
#[test]
fn poles_in_z_are_not_per_second() {
    let folder = Folder::with("frequency-z", "digital.mbs", DIGITAL);
    let said = folder.cardan(&["response", "digital.mbs", "--open", "command", "--delay", "20ms"], 0).out;
    assert!(said.contains("poles in z") && !said.contains("poles [1/s]"), "{said}");
    assert!(said.contains("0, 1, 1") && !said.contains('±'), "{said}");
    // L = [p 1ᵀ…] of the held input that is late by f: (B₀ + B₁/z) of the double integrator.
    let open = folder.json(&["response", "digital.mbs", "--open", "command", "--delay", "20ms"], 0);
    let channel = &open["channels"][0];
    let (p, d, h, f) = (20.0_f64, 6.0, 0.05, 0.02);
    let (b0, b1) = ([(h - f) * (h - f) / 2.0, h - f], [f * (h - f / 2.0), f]);
    let frequencies = open["frequencies"].as_array().unwrap();
    for (k, frequency) in frequencies.iter().enumerate().step_by(40) {
        let angle = number(frequency) * std::f64::consts::TAU * h;
        // |L|² with z on the unit circle: numerator p x + d v over (z − 1)².
        let (re, im) = (angle.cos(), angle.sin());
        let times = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
        let push = |k: usize| (b0[k] + b1[k] * re, -b1[k] * im);
        let (x, v) = (push(0), push(1));
        let less = (re - 1.0, im);
        let stepped = times(x, less);
        let x = (stepped.0 + h * v.0, stepped.1 + h * v.1);
        let v = times(v, less);
        let above = (p * x.0 + d * v.0).hypot(p * x.1 + d * v.1);
        let known = above / (less.0 * less.0 + less.1 * less.1);
        let found = number(&channel["gain"][k]);
        assert!((found / known - 1.0).abs() < 1e-8, "at {frequency} Hz: {found} {known}");
    }
}
