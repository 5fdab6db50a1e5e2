//! The bicycle of the library, linearised, against the published matrices, eigenvalues and critical speeds of
//! `tests/benchmarks/linear/whipple-bicycle.json`.
//!
//! The model steers positive to the left, the paper to the right: a sign of the second coordinate.

use std::fs;
use std::path::{Path, PathBuf};

use cardan::analysis::{LinearOptions, Linearization, Named, Point, Study, linearize};
use cardan::compile::choose;
use cardan::prelude::*;
use cardan::solve::linear::eigenvalues;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn published() -> Value {
    let file = root().join("tests/benchmarks/linear/whipple-bicycle.json");
    serde_json::from_str(&fs::read_to_string(file).expect("readable")).expect("valid JSON")
}

fn number(v: &Value) -> f64 {
    v.as_f64().expect("a number")
}

/// A matrix of the paper in the signs of the model.
fn matrix(v: &Value, name: &str) -> [[f64; 2]; 2] {
    let sign = [1.0, -1.0];
    std::array::from_fn(|i| std::array::from_fn(|j| sign[i] * sign[j] * number(&v[name][i][j])))
}

fn study() -> Study {
    let name = "whipple-bicycle.mbs";
    let text = fs::read_to_string(root().join("models").join(name)).expect("a model of the library");
    let model = resolve(parse(name, &text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let mut study =
        Study::of(&choose(&model, None).expect("it can be derived"), &[]).expect("it can be asked");
    study.set("push", 0.0).expect("a parameter");
    study
}

fn at_speed(study: &mut Study, v: f64) -> Linearization {
    study.set("v", v).expect("a parameter");
    let y = study.start(0.0).expect("it can be assembled");
    linearize(study, 0.0, &y, &LinearOptions::default()).expect("it can be linearised").without_ignorable()
}

fn places(list: &[Named], names: [&str; 2]) -> [usize; 2] {
    names.map(|n| list.iter().position(|q| q.name == n).unwrap_or_else(|| panic!("no {n}")))
}

#[test]
fn matrices_are_those_of_the_paper() {
    let known = published();
    let [m, c1, k0, k2] = ["M", "C1", "K0", "K2"].map(|name| matrix(&known, name));
    let largest = |a: &[[f64; 2]; 2]| a.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut study = study();
    for v in 0..=10 {
        let v = f64::from(v);
        let linear = at_speed(&mut study, v);
        assert_eq!(linear.point, if v == 0.0 { Point::Equilibrium } else { Point::Steady });
        let second = &linear.second_order;
        let q = places(&second.coordinates, ["lean", "steer"]);
        let u = places(&second.speeds, ["der(lean)", "der(steer)"]);
        // Relative to the entry, or to the terms that make it.
        let close = |what: &str, i: usize, j: usize, found: f64, terms: [f64; 2], largest: f64| {
            let (known, size) = (terms[0] + terms[1], terms[0].abs() + terms[1].abs());
            let allowed = 1e-12 * size + 1e-14 * largest;
            assert!((found - known).abs() <= allowed, "{what}{i}{j} at {v} m/s: {found} is not {known}");
        };
        for i in 0..2 {
            for j in 0..2 {
                close("M", i, j, second.mass[(u[i], u[j])], [m[i][j], 0.0], largest(&m));
                close("C", i, j, second.damping[(u[i], u[j])], [v * c1[i][j], 0.0], largest(&c1) * v);
                let k = [9.81 * k0[i][j], v * v * k2[i][j]];
                close(
                    "K",
                    i,
                    j,
                    second.stiffness[(u[i], q[j])],
                    k,
                    9.81 * largest(&k0) + v * v * largest(&k2),
                );
            }
        }
    }
}

/// The eigenvalues without the zero of forward motion, by real part.
fn spectrum(study: &mut Study, v: f64) -> Vec<(f64, f64)> {
    let mut all = eigenvalues(&at_speed(study, v).a).expect("they converge");
    assert_eq!(all.len(), 5);
    let size = |z: &(f64, f64)| z.0.hypot(z.1);
    let zero = (0..5).min_by(|i, j| size(&all[*i]).total_cmp(&size(&all[*j]))).expect("five of them");
    assert!(size(&all[zero]) < 1e-10);
    all.remove(zero);
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all
}

#[test]
fn eigenvalues_are_those_of_the_paper() {
    let known = published();
    let mut study = study();
    let standing: Vec<(f64, f64)> =
        known["standing"].as_array().expect("a list").iter().map(|x| (number(x), 0.0)).collect();
    let mut cases = vec![(0.0, standing)];
    for row in known["eigenvalues"].as_array().expect("a list") {
        let [v, capsize, castering, re, im] = [0, 1, 2, 3, 4].map(|i| number(&row[i]));
        cases.push((v, vec![(capsize, 0.0), (castering, 0.0), (re, im), (re, -im)]));
    }
    assert_eq!(cases.len(), 11);
    for (v, mut roots) in cases {
        roots.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for (found, known) in spectrum(&mut study, v).iter().zip(roots) {
            let apart = (found.0 - known.0).hypot(found.1 - known.1);
            assert!(apart < 1e-10, "at {v} m/s {found:?} is not {known:?}: {apart:e}");
        }
    }
}

/// The speed between `low` and `high` at which `f` changes its sign.
fn crossing(mut f: impl FnMut(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let sign = f(low).signum();
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *(if f(middle).signum() == sign { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

#[test]
fn it_balances_itself_between_the_published_speeds() {
    let known = published();
    let mut study = study();
    let weave =
        crossing(|v| spectrum(&mut study, v).iter().find(|z| z.1 != 0.0).expect("a pair").0, 4.0, 5.0);
    assert!((weave - number(&known["weave_speed"])).abs() < 1e-11, "{weave}");
    // The capsize root passes zero where the stiffness is singular.
    let capsize = crossing(
        |v| {
            let linear = at_speed(&mut study, v);
            let second = &linear.second_order;
            let q = places(&second.coordinates, ["lean", "steer"]);
            let u = places(&second.speeds, ["der(lean)", "der(steer)"]);
            let k = |i: usize, j: usize| second.stiffness[(u[i], q[j])];
            k(0, 0) * k(1, 1) - k(0, 1) * k(1, 0)
        },
        5.5,
        6.5,
    );
    assert!((capsize - number(&known["capsize_speed"])).abs() < 1e-11, "{capsize}");
    // Below the speed of the double root nothing oscillates.
    let speed = number(&known["double_root"]["speed"]);
    let oscillates = |study: &mut Study, v: f64| spectrum(study, v).iter().any(|z| z.1 != 0.0);
    assert!(!oscillates(&mut study, speed - 1e-6) && oscillates(&mut study, speed + 1e-6));
}
