//! The satellite with its bus and boom declared small, against the full equations (Sayers 1991, Figs. 6, 8 and 9).

use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::compile::formalism_selection::motion_counts;
use cardan::prelude::*;

struct Satellite {
    operations: u64,
    model: Model,
    compiled: Compiled,
}

fn satellite(name: &str) -> Satellite {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    let text = fs::read_to_string(path).expect("a model of the library");
    let model = resolve(parse(name, &text)).into_model().expect("models are right");
    let compiled = compile_model(&model, Options::default()).expect("models compile");
    let operations = motion_counts(&compiled.choice.lowered).total();
    Satellite { operations, model, compiled }
}

fn motion(s: &Satellite) -> Trajectory {
    let settings = Settings::of(&s.model, &ParameterValues::of(&s.model)).expect("good settings");
    s.compiled.simulation.run(&settings, &mut ()).expect("a good start")
}

/// Attitude angles for a slew of the given size without thrusters.
fn attitude(s: &mut Satellite, size: f64) -> Vec<f64> {
    s.compiled.simulation.set("size", size).expect("a parameter of both models");
    s.compiled.simulation.set("thrust", 0.0).expect("a parameter of both models");
    let motion = motion(s);
    ["roll", "pitch", "yaw"]
        .iter()
        .flat_map(|n| motion.series(n).expect("an output of both models"))
        .collect()
}

#[test]
fn small_quantities_halve_the_operations() {
    let (full, small) = (satellite("spacecraft.mbs"), satellite("spacecraft-small.mbs"));
    assert!(2 * small.operations <= full.operations, "{} against {}", small.operations, full.operations);
}

/// What is dropped is of second order: half the slew, a quarter of the difference.
#[test]
fn the_difference_shrinks_with_the_square_of_the_slew() {
    let (mut full, mut small) = (satellite("spacecraft.mbs"), satellite("spacecraft-small.mbs"));
    let mut worst = |size: f64| {
        let (a, b) = (attitude(&mut full, size), attitude(&mut small, size));
        let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let difference = a.iter().zip(&b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
        (difference, largest)
    };
    let (whole, motion) = worst(1.0);
    // Less than the thickness of a line in a figure of the motion.
    assert!(whole < 0.005 * motion, "{whole} of {motion}");
    let (half, _) = worst(0.5);
    let (quarter, _) = worst(0.25);
    for ratio in [whole / half, half / quarter] {
        assert!((3.6..4.4).contains(&ratio), "{ratio}");
    }
}

/// Fig. 9: with thrusters the attitude of both models is one line, and stays in the dead zone.
#[test]
fn thrusters_keep_the_attitude_and_both_models_agree() {
    let (full, small) = (motion(&satellite("spacecraft.mbs")), motion(&satellite("spacecraft-small.mbs")));
    let band = 0.0025;
    for name in ["roll", "pitch", "yaw"] {
        let [a, b] = [&full, &small].map(|m| m.series(name).expect("an output of both models"));
        let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let difference = a.iter().zip(&b).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(largest < band, "{name} reaches {largest}");
        // The figure is two dead zones high: this is a fiftieth of an inch in four.
        assert!(difference < 0.015 * 2.0 * band, "{name} differs by {difference}");
    }
    for name in ["B.q1", "B.q2", "B.q3"] {
        let largest = full.series(name).expect("a coordinate").iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(largest < 0.01, "{name} reaches {largest}");
    }
}

/// When the thrusters switch, and which.
fn firings(m: &Trajectory) -> Vec<(f64, String)> {
    let h = &m.happenings;
    h.list.iter().map(|e| (e.t, h.name(e).to_string())).collect()
}

/// The thrusters fire in the same order, each at the same time, until two of them fire within two milliseconds: the first 92 switchings. From
/// then on each thruster by itself does the same in both models.
#[test]
fn thrusters_fire_in_the_same_order() {
    let (full, small) = (motion(&satellite("spacecraft.mbs")), motion(&satellite("spacecraft-small.mbs")));
    let (a, b) = (firings(&full), firings(&small));
    let same = a.iter().zip(&b).take_while(|(x, y)| x.1 == y.1).count();
    assert_eq!(same, 92, "of {} and {}", a.len(), b.len());
    for (x, y) in a[..same].iter().zip(&b) {
        assert!((x.0 - y.0).abs() < 3e-3, "{} at {} and {}", x.1, x.0, y.0);
    }
    // Pair by pair, every switching of this model is one of the full model at nearly the same time; the full one has a pulse more, about 1.
    for (axis, spared) in [("thruster 1", vec![10.65, 10.67]), ("thruster 2", vec![]), ("thruster 3", vec![])]
    {
        let own = |list: &[(f64, String)]| -> Vec<(f64, String)> {
            list.iter().filter(|(_, n)| n.starts_with(axis)).cloned().collect()
        };
        let (mut x, y) = (own(&a), own(&b));
        for at in &spared {
            let k = x.iter().position(|(t, _)| (t - at).abs() < 0.01).expect("the pulse that is spared");
            x.remove(k);
        }
        assert_eq!(x.len(), y.len(), "{axis}");
        for ((t, name), (s, other)) in x.iter().zip(&y) {
            assert_eq!(name, other, "{axis} at {t} and {s}");
            assert!((t - s).abs() < 0.02, "{name} at {t} and {s}");
        }
    }
    // A thruster fires for 0.02 s at least.
    for axis in ["thruster 1", "thruster 2", "thruster 3"] {
        let own: Vec<&(f64, String)> = a.iter().filter(|(_, n)| n.starts_with(axis)).collect();
        for pair in own.windows(2).filter(|p| p[0].1.contains("on") && p[1].1.contains("off")) {
            assert!(pair[1].0 - pair[0].0 >= 0.02 - 1e-12, "{} from {} to {}", axis, pair[0].0, pair[1].0);
        }
    }
}

/// Which of the two that change places at 6.81 s is first no tolerance decides: in the full model it is thruster 1, in the other one thruster 2,
/// and both tolerances put them equally far apart, by much more than they differ. What the small model drops has moved them against each other.
#[test]
fn what_is_dropped_decides_which_of_two_fires_first() {
    for (name, first, second) in [
        ("spacecraft.mbs", "thruster 1 on, backward", "thruster 2 on, forward"),
        ("spacecraft-small.mbs", "thruster 2 on, forward", "thruster 1 on, backward"),
    ] {
        let s = satellite(name);
        let [coarse, fine] = [1e-10, 1e-12].map(|tolerance| {
            let mut settings = Settings::of(&s.model, &ParameterValues::of(&s.model)).expect("good settings");
            (settings.rtol, settings.atol, settings.to) = (tolerance, 1e-14, 7.0);
            let list = firings(&s.compiled.simulation.run(&settings, &mut ()).expect("a good start"));
            let [x, y] = [&list[92], &list[93]];
            assert_eq!((x.1.as_str(), y.1.as_str()), (first, second), "{name} at {} and {}", x.0, y.0);
            y.0 - x.0
        });
        assert!(fine > 1e-4 && (coarse - fine).abs() < 2e-6, "{name}: {coarse} and {fine} apart");
    }
}

/// What tells the models apart is what one of them drops, not the integration: coarser steps give the same firings.
#[test]
fn firings_do_not_depend_on_the_tolerance() {
    for name in ["spacecraft.mbs", "spacecraft-small.mbs"] {
        let s = satellite(name);
        let [coarse, fine] = [1e-6, 1e-11].map(|rtol| {
            let mut settings = Settings::of(&s.model, &ParameterValues::of(&s.model)).expect("good settings");
            settings.rtol = rtol;
            firings(&s.compiled.simulation.run(&settings, &mut ()).expect("a good start"))
        });
        assert_eq!(coarse.len(), fine.len(), "{name}");
        for (x, y) in coarse.iter().zip(&fine) {
            assert_eq!(x.1, y.1, "{name}: at {} and {}", x.0, y.0);
            assert!((x.0 - y.0).abs() < 2e-4, "{name}: {} at {} and {}", x.1, x.0, y.0);
        }
    }
}
