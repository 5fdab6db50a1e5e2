//! Driven linkages in closed form against iteration, along a full revolution and on both branches.

use crate::common;

use cardan_analysis::{Study, kinematics};

fn library(name: &str) -> String {
    let path = format!("{}/../../models/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a model of the library")
}

/// A model of the library with another start and a drive.
fn changed(name: &str, start: &str, more: &str) -> String {
    let text = library(name);
    let (before, rest) = text.split_once("start {").expect("a start");
    let (_, after) = rest.split_once('}').expect("the end of the start");
    format!("{before}start {{ {start} }}{after}\n{more}\n")
}

fn along(text: &str, turn: f64, closed: bool) -> (Study, Vec<Vec<f64>>) {
    let mut study = common::study(text, &[]);
    assert!(study.has_closed_form());
    if !closed {
        study.iterate();
    }
    let times: Vec<f64> = (0..=360).map(|k| turn * f64::from(k) / 360.0).collect();
    let motion = kinematics(&mut study, &times, &[]).expect("a driven mechanism");
    assert_eq!(motion.stopped, None);
    (study, motion.samples.into_iter().map(|s| s.state).collect())
}

/// The largest difference of coordinates and speeds, speeds in units of the drive.
fn difference(text: &str, turn: f64) -> f64 {
    let ((study, a), (_, b)) = (along(text, turn, true), along(text, turn, false));
    let (n_q, n_u, _) = study.sizes();
    let scale = |k: usize| if k < n_q { 1.0 } else { std::f64::consts::TAU / turn };
    let pairs = a.iter().zip(&b);
    pairs.flat_map(|(x, y)| (0..n_q + n_u).map(move |k| (x[k] - y[k]).abs() / scale(k))).fold(0.0, f64::max)
}

const FOUR_BAR_DRIVE: &str = "motion motor on phi = 1.0471975511965976 + 2*pi*t/(1 [s])";

#[test]
fn a_four_bar_closes_without_iteration_on_both_branches() {
    let mut heights = vec![];
    for start in [
        "phi = 60 [deg]; psi ~ -30 [deg]; theta ~ 80 [deg]",
        "phi = 60 [deg]; psi ~ -110 [deg]; theta ~ -100 [deg]",
    ] {
        let text = changed("four-bar.mbs", start, FOUR_BAR_DRIVE);
        let off = difference(&text, 1.0);
        assert!(off < 1e-13, "{start}: {off:e}");
        let (study, states) = along(&text, 1.0, true);
        heights.push(states[0][study.place("theta").expect("a coordinate")].sin());
    }
    assert!(heights[0] > 0.1 && heights[1] < -0.1, "{heights:?}");
}

/// x = r cos φ ± √(l² - r² sin² φ)
#[test]
fn a_slider_crank_closes_without_iteration_on_both_branches() {
    let (r, l) = (0.05_f64, 0.15_f64);
    for (start, sign) in [("phi = 0; s = r + l", 1.0), ("phi = 0; psi = 180 [deg]; s = r - l", -1.0)] {
        let text = changed("slider-crank.mbs", start, "");
        let turn = std::f64::consts::TAU / 100.0;
        let off = difference(&text, turn);
        assert!(off < 1e-13, "{start}: {off:e}");
        let (study, states) = along(&text, turn, true);
        let (phi, s) = (study.place("phi").expect("φ"), study.place("s").expect("s"));
        for y in &states {
            let expected = r * y[phi].cos() + sign * (l * l - (r * y[phi].sin()).powi(2)).sqrt();
            assert!((y[s] - expected).abs() < 1e-15, "{} {expected}", y[s]);
        }
    }
}

/// Three dyads that share a pin, found one after the other.
#[test]
fn the_seven_body_mechanism_is_three_dyads() {
    let start = library("squeezer.mbs");
    let (_, rest) = start.split_once("start {").expect("a start");
    let (start, _) = rest.split_once('}').expect("its end");
    let beta: f64 = start
        .split(['\n', ';'])
        .find_map(|s| s.trim().strip_prefix("beta = "))
        .and_then(|s| s.split_whitespace().next()?.parse().ok())
        .expect("the angle of the crank");
    let drive = format!("motion turning on beta = {beta:?} + 2*pi*t/(1 [s])");
    let text = changed("squeezer.mbs", start, &drive);
    let off = difference(&text, 1.0);
    assert!(off < 1e-12, "{off:e}");
}

/// A parallelogram passes through positions in which all bars lie in one line: there iteration takes over, and says what it finds.
#[test]
fn near_a_dead_point_iteration_takes_over() {
    let text = changed("four-bar.mbs", "phi = 90 [deg]; psi ~ -90 [deg]; theta ~ 90 [deg]", FOUR_BAR_DRIVE)
        .replace("b = 0.35", "b = 0.3")
        .replace("c = 0.25", "c = 0.1");
    let mut study = common::study(&text, &[]);
    // The last angle of the crank is 179.988 degrees.
    let times: Vec<f64> = (0..=30).map(|k| 0.01111 * f64::from(k)).collect();
    let motion = kinematics(&mut study, &times, &[]).expect("a driven mechanism");
    let theta = study.place("theta").expect("a coordinate");
    let phi = study.place("phi").expect("a coordinate");
    for sample in &motion.samples {
        assert!((sample.state[theta] - sample.state[phi]).abs() < 1e-7, "t = {}", sample.time);
    }
    assert_eq!(motion.samples.len(), times.len());
}
