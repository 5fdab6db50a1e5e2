//! The bicycle of Whipple (1899): linear equations and eigenvalues of J. P. Meijaard, J. M. Papadopoulos, A. Ruina and A. L. Schwab,
//! Linearized dynamics equations for the balance and steer of a bicycle, Proc. R. Soc. A 463 (2007), eqs. (A 1)-(A 4), table 2.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{LinearOptions, Linearization, Point, linearize};
use cardan_solve::linear::eigenvalues;

const G: f64 = 9.81;
const M: [[f64; 2]; 2] = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]];
const C1: [[f64; 2]; 2] = [[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]];
const K0: [[f64; 2]; 2] = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]];
const K2: [[f64; 2]; 2] = [[0.0, 76.59734589573222], [0.0, 2.65431523794604]];

fn at_speed(study: &mut cardan_analysis::Study, v: f64) -> Linearization {
    study.set("v", v).unwrap();
    let y = study.start(0.0).unwrap();
    linearize(study, 0.0, &y, &LinearOptions::default()).unwrap()
}

/// Where lean and steer are among named quantities.
fn places(list: &[cardan_analysis::Named], names: [&str; 2]) -> [usize; 2] {
    names.map(|n| list.iter().position(|q| q.name == n).unwrap())
}

fn close(found: impl Fn(usize, usize) -> f64, known: impl Fn(usize, usize) -> f64, scale: f64, what: &str) {
    for i in 0..2 {
        for j in 0..2 {
            let (f, k) = (found(i, j), known(i, j));
            assert!((f - k).abs() <= 1e-12 * scale.max(k.abs()), "{what}{i}{j}: {f} is not {k}");
        }
    }
}

#[test]
fn the_second_order_form_is_the_published_one() {
    let mut study = common::study(common::BICYCLE, &[]);
    for v in [0.0, 1.0, 5.0, 10.0] {
        let linear = at_speed(&mut study, v);
        let second = &linear.second_order;
        let q = places(&second.coordinates, ["phi", "delta"]);
        let u = places(&second.speeds, ["der(phi)", "der(delta)"]);
        assert_eq!((second.coordinates.len(), second.speeds.len()), (2, 3));
        assert_eq!(linear.point, if v == 0.0 { Point::Equilibrium } else { Point::Steady });
        close(|i, j| second.mass[(u[i], u[j])], |i, j| M[i][j], 80.0, "M");
        close(|i, j| second.damping[(u[i], u[j])], |i, j| v * C1[i][j], 34.0 * v.max(1.0), "C");
        let stiffness = |i: usize, j: usize| G * K0[i][j] + v * v * K2[i][j];
        close(|i, j| second.stiffness[(u[i], q[j])], stiffness, 800.0 + 77.0 * v * v, "K");
        // Forward motion is free and coupled to nothing.
        let forward = (0..3).find(|k| !u.contains(k)).unwrap();
        assert!((0..2).all(|k| second.mass[(forward, u[k])].abs() < 1e-12));
        assert!((0..2).all(|k| second.stiffness[(forward, q[k])].abs() < 1e-10));
    }
}

/// The eigenvalues without the zero of forward motion, by real part.
fn spectrum(study: &mut cardan_analysis::Study, v: f64) -> Vec<(f64, f64)> {
    let linear = at_speed(study, v).without_ignorable();
    assert_eq!(linear.a.n_rows(), 5);
    let mut all = eigenvalues(&linear.a).unwrap();
    let zero =
        (0..5).min_by(|i, j| all[*i].0.hypot(all[*i].1).total_cmp(&all[*j].0.hypot(all[*j].1))).unwrap();
    assert!(all[zero].0.hypot(all[zero].1) < 1e-10);
    all.remove(zero);
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    all
}

#[test]
fn eigenvalues_are_those_of_table_2() {
    // v, capsize, castering, weave (real and imaginary).
    let rows: [[f64; 5]; 10] = [
        [1.0, -3.13423125066578, -7.11008014637442, 3.5269617099007, 0.8077402751993],
        [2.0, -3.07158645641514, -8.67387984831735, 2.68234517512745, 1.68066296590675],
        [3.0, -2.63366137253667, -10.3510146724592, 1.70675605663975, 2.31582447384325],
        [4.0, -1.42944427361326, -12.1586142657645, 0.41325331521125, 3.07910818603206],
        [5.0, -0.32286642900409, -14.0783896927982, -0.77534188219585, 4.46486771378823],
        [6.0, -0.0040669007697, -16.0853712309803, -1.52644486584142, 5.87673060598709],
        [7.0, 0.10268170574766, -18.15788466125262, -2.13875644258362, 7.19525913329805],
        [8.0, 0.14327879765713, -20.27940894394569, -2.69348683581097, 8.46037971396931],
        [9.0, 0.15790184030917, -22.43788559040858, -3.21675402252485, 9.69377351531791],
        [10.0, 0.16105338653172, -24.62459635017404, -3.72016840437287, 10.90681139476287],
    ];
    let mut study = common::study(common::BICYCLE, &[]);
    for [v, capsize, castering, re, im] in rows {
        let mut known = vec![(capsize, 0.0), (castering, 0.0), (re, im), (re, -im)];
        known.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        for (found, known) in spectrum(&mut study, v).iter().zip(known) {
            let apart = (found.0 - known.0).hypot(found.1 - known.1);
            assert!(apart < 1e-10, "at {v} m/s {found:?} is not {known:?}: {apart:e}");
        }
    }
    let standing: Vec<f64> = spectrum(&mut study, 0.0).iter().map(|z| z.0).collect();
    for (found, known) in
        standing.iter().zip([-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393])
    {
        assert!((found - known).abs() < 1e-10);
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
fn the_bicycle_balances_itself_between_weave_and_capsize() {
    let mut study = common::study(common::BICYCLE, &[]);
    let mut weave = |v: f64| spectrum(&mut study, v).iter().find(|z| z.1 != 0.0).unwrap().0;
    assert!((crossing(&mut weave, 4.0, 5.0) - 4.292_382_536_341_11).abs() < 1e-10);
    let mut capsize = |v: f64| {
        spectrum(&mut study, v).iter().filter(|z| z.1 == 0.0).map(|z| z.0).fold(f64::NEG_INFINITY, f64::max)
    };
    assert!((crossing(&mut capsize, 5.5, 6.5) - 6.024_262_015_388_37).abs() < 1e-9);
}
