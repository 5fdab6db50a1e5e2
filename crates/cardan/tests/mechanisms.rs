//! Mechanisms of the library against closed forms and published values.

use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn library(name: &str) -> (Model, Compiled) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let text = fs::read_to_string(path).expect("a model of the library");
    let model = resolve(parse(name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    (model, compiled)
}

/// The motion that the text asks for, with some parameters set.
fn run(name: &str, set: &[(&str, f64)], to: Option<f64>) -> Trajectory {
    let (model, compiled) = library(name);
    moved(&model, &compiled, set, to)
}

fn moved(model: &Model, compiled: &Compiled, set: &[(&str, f64)], to: Option<f64>) -> Trajectory {
    let mut settings = Settings::of(model, &ParameterValues::of(model)).expect("good settings");
    settings.to = to.unwrap_or(settings.to);
    let mut simulation = compiled.simulation.clone();
    set.iter().for_each(|(name, value)| simulation.set(name, *value).unwrap_or_else(|e| panic!("{e}")));
    let run = simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    run
}

fn series(run: &Trajectory, name: &str) -> Vec<f64> {
    run.series(name).unwrap_or_else(|| panic!("no column `{name}`")).to_vec()
}

fn follows(run: &Trajectory, name: &str, tolerance: f64, expected: impl Fn(f64) -> f64) {
    for (t, x) in series(run, "t").iter().zip(series(run, name)) {
        let e = expected(*t);
        assert!((x - e).abs() <= tolerance, "{name} at t = {t}: {x}, expected {e}, off by {:e}", x - e);
    }
}

fn balanced(run: &Trajectory, limit: f64) {
    assert!(run.audit.verdict() == Verdict::Holds && run.audit.relative() < limit, "{}", run.audit);
}

#[test]
fn the_disc_circles_at_the_rate_of_the_closed_form() {
    for (alpha, rho) in [(20f64, 1.0f64), (45.0, 0.4), (5.0, 3.0)] {
        let set = [("alpha", alpha.to_radians()), ("rho", rho)];
        let run = run("rolling-disc.mbs", &set, None);
        let (a, radius) = (alpha.to_radians(), 0.25);
        let rate = (9.81 * a.tan() / (1.5 * rho + radius * a.sin() / 4.0)).sqrt();
        follows(&run, "yaw", 1e-7, |t| rate * t);
        follows(&run, "lean", 1e-7, |_| -a);
        follows(&run, "x", 1e-6, |t| rho * (rate * t).sin());
        follows(&run, "contact.z", 1e-12, |_| 0.0);
        follows(&run, "normal", 1e-6, |_| 9.81);
        follows(&run, "grip", 1e-6, |_| rate * rate * rho / 9.81);
        balanced(&run, 1e-9);
    }
}

#[test]
fn the_piston_moves_as_in_the_textbook() {
    let run = run("slider-crank.mbs", &[], None);
    let (r, l, w) = (0.05f64, 0.15f64, 100.0);
    let reach = |p: f64| (l * l - (r * p.sin()).powi(2)).sqrt();
    follows(&run, "s", 1e-12, |t| r * (w * t).cos() + reach(w * t));
    follows(&run, "acceleration", 1e-7, |t| {
        let p = w * t;
        let (d, c2) = (reach(p), (2.0 * p).cos());
        // x'' of r cos φ + sqrt(l² - r² sin² φ) at a steady rate.
        -w * w * (r * p.cos() + r * r * c2 / d + (r * r * (2.0 * p).sin()).powi(2) / (4.0 * d.powi(3)))
    });
    balanced(&run, 1e-8);
    let work: Vec<f64> = series(&run, "power");
    assert!(
        work.iter().any(|p| *p > 100.0) && work.iter().any(|p| *p < -100.0),
        "the motor drives and brakes"
    );
}

#[test]
fn the_rod_in_space_keeps_its_length() {
    let run = run("spatial-slider-crank.mbs", &[], None);
    let theta = series(&run, "theta");
    for (theta, s) in theta.iter().zip(series(&run, "s")) {
        let (y, z) = (0.1 - 0.08 * theta.sin(), 0.12 + 0.08 * theta.cos());
        assert!((s - (0.09 - y * y - z * z).sqrt()).abs() < 1e-12);
    }
    assert!((series(&run, "s")[0] - 0.2).abs() < 1e-12);
    assert!(theta.last().is_some_and(|x| *x > 10.0), "the crank goes round");
    balanced(&run, 1e-9);
}

/// Legs as long as the goal asks for leave the platform nowhere else to be.
#[test]
fn the_platform_is_where_its_legs_put_it() {
    let run = run("stewart-platform.mbs", &[], None);
    let w = std::f64::consts::PI;
    follows(&run, "px", 1e-9, |t| 0.15 * (w * t).sin());
    follows(&run, "py", 1e-9, |_| 0.0);
    follows(&run, "pz", 1e-9, |t| 1.4 + 0.1 * (2.0 * w * t).sin());
    follows(&run, "r1", 1e-9, |t| 8f64.to_radians() * (1.0 - (w * t).cos()) / 2.0);
    follows(&run, "r2", 1e-9, |_| 0.0);
    balanced(&run, 1e-8);
}

/// At the points of the table the follower is where the table says, turn after turn; during rests it hardly moves.
#[test]
fn the_follower_follows_the_table() {
    let run = run("cam-gear.mbs", &[], None);
    let t = series(&run, "t");
    let lift = series(&run, "lift");
    follows(&run, "cam.q", 1e-12, |t| -20.0 * t);
    let mut met = 0;
    for (t, lift) in t.iter().zip(&lift) {
        // The follower is at 90° in the room, at 90° - q on the cam.
        let angle = (90.0 + (20.0 * t).to_degrees()).rem_euclid(360.0);
        let rest = if (0.0..=90.0).contains(&angle) { Some(0.0) } else { None };
        let rest = if (195.0..=225.0).contains(&angle) { Some(20e-3) } else { rest };
        if let Some(expected) = rest {
            met += 1;
            assert!((lift - expected).abs() < 6e-5, "{angle}: {lift}");
        }
    }
    assert!(met > 200, "{met} samples at rest");
    balanced(&run, 1e-8);
}

/// Meijaard, Papadopoulos, Ruina and Schwab (2007), Table 2: v, capsize, castering, weave (real and imaginary part).
const PUBLISHED: [[f64; 5]; 5] = [
    [1.0, -3.13423125066578, -7.11008014637442, 3.52696170990070, 0.8077402751993],
    [3.0, -2.63366137253667, -10.3510146724592, 1.70675605663975, 2.31582447384325],
    [5.0, -0.32286642900409, -14.0783896927982, -0.77534188219585, 4.46486771378823],
    [7.0, 0.10268170574766, -18.15788466125262, -2.13875644258362, 7.19525913329805],
    [10.0, 0.16105338653172, -24.62459635017404, -3.72016840437287, 10.90681139476287],
];

/// The accelerations of lean and steer at the start.
fn accelerations(model: &Model, compiled: &Compiled, v: f64, name: &str, value: f64) -> [f64; 2] {
    let mut set = vec![("v", v), ("push", 0.0)];
    set.retain(|(n, _)| *n != name);
    set.push((name, value));
    let run = moved(model, compiled, &set, Some(1e-3));
    [series(&run, "leaning")[0], series(&run, "steering")[0]]
}

/// One column of the linear system by differences that cancel all but the fourth order: the motions are odd in lean and steer.
fn column(model: &Model, compiled: &Compiled, v: f64, name: &str) -> [f64; 2] {
    let slope = |h: f64| accelerations(model, compiled, v, name, h).map(|a| a / h);
    let (wide, close) = (slope(2e-3), slope(1e-3));
    std::array::from_fn(|i| (4.0 * close[i] - wide[i]) / 3.0)
}

#[test]
fn the_bicycle_has_the_published_eigenvalues() {
    let (model, compiled) = library("whipple-bicycle.mbs");
    for [v, capsize, castering, re, im] in PUBLISHED {
        let [k1, k2, c1, c2] =
            ["lean0", "steer0", "push", "turn"].map(|name| column(&model, &compiled, v, name));
        // p(s) = det(s² - C s - K), its derivative by s, and the distance to the nearest root to first order.
        let p = |s: (f64, f64)| {
            let times = |a: (f64, f64), b: (f64, f64)| (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0);
            let square = times(s, s);
            let entry = |own: f64, c: f64, k: f64| (own * square.0 - c * s.0 - k, own * square.1 - c * s.1);
            let main = times(entry(1.0, c1[0], k1[0]), entry(1.0, c2[1], k2[1]));
            let side = times(entry(0.0, c2[0], k2[0]), entry(0.0, c1[1], k1[1]));
            (main.0 - side.0, main.1 - side.1)
        };
        for root in [(capsize, 0.0), (castering, 0.0), (re, im)] {
            let h = 1e-4;
            let (a, b) = (p((root.0 + h, root.1)), p((root.0 - h, root.1)));
            let slope = (a.0 - b.0).hypot(a.1 - b.1) / (2.0 * h);
            let value = p(root);
            let off = value.0.hypot(value.1) / slope;
            assert!(off < 1e-6, "v = {v}, root {root:?}: off by {off:e}");
        }
    }
}

/// The second manoeuvre of the uncontrolled bicycle in the IFToMM library of benchmark problems: 4.6 m/s, pushed by 0.5 rad/s.
#[test]
fn the_bicycle_wobbles_and_recovers_without_losing_energy() {
    let run = run("whipple-bicycle.mbs", &[], None);
    balanced(&run, 1e-9);
    let lean = series(&run, "lean");
    let speed = series(&run, "speed");
    let largest = lean.iter().fold(0f64, |m, x| m.max(x.abs()));
    assert!(largest > 0.1 && lean.last().is_some_and(|x| x.abs() < 0.1 * largest), "{largest}");
    assert!(speed.last() > speed.first(), "what the lean loses goes into speed");
    let (position, velocity) = run.left_open.expect("a bicycle has constraints");
    assert!(position < 1e-14 && velocity < 1e-12, "{position:e} {velocity:e}");
}
