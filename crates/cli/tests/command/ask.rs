//! Questions as people and programs ask them: files, JSON, exit codes.

use serde_json::Value;

use super::folder::{Folder, MODELS};

const SWING: &str = "
model swing
parameter drive = 3 [N*m], k = 0 [N*m]
gravity = -9.81 [m/s^2] * N.z
body rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
torque motor on rod from N = (drive - k * q) * N.y
simulate { to = 1 [s], every = 0.005 [s] }
";

/// A pendulum under a constant torque hangs where sin q = τ / (m g l), and swings with ω² = m g l cos q / (I + m l²).
#[test]
fn a_pendulum_answers_every_question() {
    let folder = Folder::with("ask-swing", "swing.mbs", SWING);
    let rest = folder.json(&["equilibrium", "swing.mbs"], 0);
    let q = (3.0_f64 / 9.81).asin();
    assert!((rest["state"]["q"]["value"].as_f64().unwrap() - q).abs() < 1e-10, "{rest}");
    assert_eq!(rest["stability"], "marginally stable");
    let modes = folder.json(&["modes", "swing.mbs", "--at", "equilibrium"], 0);
    let omega = (9.81 * q.cos() / 0.6).sqrt();
    assert!((modes["modes"][0]["eigenvalue"][1].as_f64().unwrap() - omega).abs() < 1e-9);
    let linear = folder.json(&["linearize", "swing.mbs", "--at", "equilibrium", "--input", "drive"], 0);
    assert!((linear["B"][1][0].as_f64().unwrap() - 1.0 / 0.6).abs() < 1e-12);
    assert!((linear["A"][1][0].as_f64().unwrap() + omega * omega).abs() < 1e-9);
    assert_eq!(linear["point"], "equilibrium");
    let later = folder.json(&["linearize", "swing.mbs", "--at", "0.5"], 0);
    assert_eq!(later["point"], "a moving state");
    for name in [
        "equilibrium.json",
        "equilibrium.csv",
        "equilibrium.html",
        "modes.csv",
        "modes.html",
        "A.csv",
        "B.csv",
    ] {
        assert!(folder.0.join("results/swing").join(name).exists(), "{name}");
    }
    // The torque that was there is the torque that is missing.
    folder.cardan(&["run", "swing.mbs", "--quiet"], 0);
    let csv = "results/swing/results.csv";
    let forces =
        folder.json(&["inverse", "swing.mbs", "--set", "drive=0", "--along", csv, "--actuate", "q"], 0);
    assert_eq!(forces["samples"], 201);
    let table = folder.read("results/swing/inverse.csv");
    let worst = table.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse::<f64>().unwrap() - 3.0);
    let worst = worst.fold(0.0, |m: f64, x| x.abs().max(m));
    assert!(worst < 1e-5, "{worst:e}");
    // A stiffer spring, a faster swing.
    let locus = folder.json(&["modes", "swing.mbs", "--at", "equilibrium", "--over", "k=0:10:5"], 0);
    let im = |k: usize| {
        locus["eigenvalues"][k].as_array().unwrap().iter().map(|z| z[1].as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(im(0) < im(1) && im(1) < im(2), "{locus}");
    assert!((im(0) - omega).abs() < 1e-9);
}

#[test]
fn a_four_bar_is_driven_held_and_posed() {
    let folder = Folder::new("ask-four-bar");
    let file = format!("{MODELS}/four-bar.mbs");
    let driven = folder.json(&["kinematics", &file, "--motion", "phi=6 [rad/s]*t", "--to", "1"], 0);
    let back = folder.json(&["inverse", &file, "--motion", "phi=6 [rad/s]*t", "--to", "1"], 0);
    let force = |v: &Value, name: &str| v["final"][name]["value"].as_f64().unwrap();
    assert!(
        (force(&driven, "force of phi") - force(&back, "force along phi")).abs() < 1e-9,
        "{driven} {back}"
    );
    assert_eq!(driven["final"]["force of phi"]["unit"], "N*m");
    // At rest the drive of a slow motion is the force that holds.
    let held = folder.json(&["equilibrium", &file, "--hold", "phi=60[deg]"], 0);
    let still = folder.json(&["kinematics", &file, "--motion", "phi=60 [deg]", "--to", "0"], 0);
    assert!((held["holding"]["phi"].as_f64().unwrap() - force(&still, "force of phi")).abs() < 1e-9);
    let kept = folder.json(&["linearize", &file, "--keep", "theta"], 0);
    assert_eq!(kept["states"][0]["name"], "theta");
    let along = folder.json(&["linearize", &file, "--to", "0.2", "--every", "0.1"], 0);
    assert_eq!(along["along"].as_array().unwrap().len(), 3);
}

/// Motions of the text are motions, too.
#[test]
fn inverse_dynamics_follows_the_motions_of_the_text() {
    let crank = "model crank
body crank on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2] }
motion turn on a = 2 [rad/s^2]*t^2
";
    let folder = Folder::with("ask-motions", "crank.mbs", crank);
    let found = folder.json(&["inverse", "crank.mbs", "--to", "1"], 0);
    let force = found["final"]["force along a"]["value"].as_f64().unwrap();
    assert!((force - 0.4).abs() < 1e-12, "{found}");
    assert_eq!(found["released"][0], "turn");
}

/// Along a run whose force jumps no difference goes across the jump, and the time is told.
#[test]
fn inverse_dynamics_along_a_run_tells_where_forces_jump() {
    let cart = "model cart
parameter F = 3 [N]
particle cart on N by translate(x = x) { mass = 1 [kg] }
force push on cart.o = F*(if t < 0.503 [s] then 1 else -1)*N.x
simulate { to = 1 [s], every = 0.01 [s] }
";
    let folder = Folder::with("ask-jumps", "cart.mbs", cart);
    folder.cardan(&["run", "cart.mbs", "--quiet"], 0);
    let csv = "results/cart/results.csv";
    let said = folder.cardan(&["inverse", "cart.mbs", "--set", "F=0", "--along", csv, "--actuate", "x"], 0);
    assert!(said.err.contains("forces jump near t = 0.51 s"), "{}", said.err);
    let table = folder.read("results/cart/inverse.csv");
    for line in table.lines().skip(1) {
        let force: f64 = line.rsplit(',').next().unwrap().parse().unwrap();
        assert!((force.abs() - 3.0).abs() < 1e-6, "{line}");
    }
}

#[test]
fn mistakes_are_named_and_end_with_their_code() {
    let folder = Folder::with("ask-wrong", "swing.mbs", SWING);
    for (arguments, code, said) in [
        (&["modes", "swing.mbs", "--over", "k=0:10"][..], 2, "`0:10` is no range"),
        (
            &["modes", "swing.mbs", "--over", "k=0:10:1e-5"],
            2,
            "has 1000001 values, and a locus at most 100000",
        ),
        (&["modes", "swing.mbs", "--over", "k=1:2:1 [kg]"], 1, "[kg]"),
        (&["equilibrium", "swing.mbs", "--hold", "q=30[kg]"], 1, "[kg]"),
        (&["kinematics", "swing.mbs", "--motion", "q=t/(1 [s])", "--every", "1e-9"], 2, "1000000000 samples"),
        (&["modes", "swing.mbs", "--over", "kk=0:10:1"], 1, "the model has no parameter `kk`"),
        (&["linearize", "swing.mbs", "--at", "noon"], 2, "`--at noon` is no state"),
        (&["linearize", "swing.mbs", "--input", "F"], 1, "the model has no parameter `F`"),
        (&["linearize", "swing.mbs", "--keep", "p"], 1, "the model has no coordinate, speed or state `p`"),
        (&["equilibrium", "swing.mbs", "--hold", "p"], 1, "the model has no coordinate `p`"),
        (&["equilibrium", "swing.mbs", "--set", "drive=20"], 3, "no equilibrium was found"),
        (&["equilibrium", "swing.mbs", "--tolerance", "0"], 2, "a tolerance of 0 makes no sense"),
        (&["kinematics", "swing.mbs"], 1, "the motion is not determined"),
        (&["kinematics", "swing.mbs", "--motion", "q"], 2, "`q` is no motion"),
        (&["kinematics", "swing.mbs", "--motion", "q=2 [m]"], 1, "error[M"),
        (&["kinematics", "swing.mbs", "--target", "rod.o"], 2, "`rod.o` is no target"),
        (&["inverse", "swing.mbs"], 2, "no motion is given"),
        (&["inverse", "swing.mbs", "--along", "nowhere.csv"], 1, "nowhere.csv could not be read"),
    ] {
        let err = folder.cardan(arguments, code).err;
        assert!(err.contains(said), "{arguments:?}\n{err}");
    }
}

/// Branches are listed, chosen by number and by a guess; a run tells what became of each value.
#[test]
fn a_four_bar_linkage_closes_in_two_ways() {
    let folder = Folder::new("ask-branches");
    let model = format!("{MODELS}/four-bar.mbs");
    let listed = folder.json(&["kinematics", &model, "--branches"], 0);
    let branches = listed["branches"].as_array().unwrap();
    let theta = |k: usize| branches[k]["coordinates"]["theta"]["value"].as_f64().unwrap();
    assert_eq!((branches.len(), &listed["held"][0]), (2, &Value::from("phi")), "{listed}");
    assert_eq!(branches[0]["elbows"][0], "pin: elbow down");
    for (k, branch) in ["1", "2"].iter().enumerate() {
        let run = folder.json(&["run", &model, "--to", "0.01", "--branch", branch], 0);
        let start = &run["start"]["assembly"]["values"];
        assert_eq!((&start[0]["how"], &start[2]["how"]), (&"given".into(), &"kept".into()), "{start}");
        assert_eq!(start[2]["value"].as_f64().unwrap(), theta(k));
        assert!(run["start"]["accelerations"]["der(der(phi))"]["value"].as_f64().is_some(), "{run}");
        let guess = format!("theta~{}", theta(k) + 0.2);
        let run = folder.json(&["run", &model, "--to", "0.01", "--set", &guess], 0);
        let start = &run["start"]["assembly"]["values"][2];
        assert_eq!(start["how"], "moved");
        assert!((start["value"].as_f64().unwrap() - theta(k)).abs() < 1e-9, "{start}");
    }
    let said = folder.cardan(&["run", &model, "--branch", "3"], 2).err;
    assert!(said.contains("there are 1 to 2"), "{said}");
    let said = folder.cardan(&["run", &model, "--set", "theta=0.3"], 1).err;
    assert!(said.contains("error[K003]") && said.contains("would have to be"), "{said}");
    let said = folder.cardan(&["kinematics", &format!("{MODELS}/six-axis-arm.mbs"), "--branches"], 2).err;
    assert!(said.contains("no loops"), "{said}");
}
