//! The satellite with its bus and boom declared small, against the full equations (Sayers 1991, Figs. 6 and 9).

use std::fs;
use std::path::Path;

use cardan::prelude::*;
use cardan::sim::ParameterValues;
use cardan::sim::choice::motion_counts;

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

/// Attitude angles for a slew of the given size.
fn attitude(s: &mut Satellite, size: f64) -> Vec<f64> {
    s.compiled.simulation.set("size", size).expect("a parameter of both models");
    let settings = Settings::of(&s.model, &ParameterValues::of(&s.model)).expect("good settings");
    let motion = s.compiled.simulation.run(&settings, &mut ()).expect("a good start");
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
