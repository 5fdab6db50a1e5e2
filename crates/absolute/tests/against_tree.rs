//! Models of the library in absolute coordinates against the tree.

use crate::comparison::{gap, library, model};
use cardan::prelude::*;
use cardan_absolute::AbsoluteMotion;

#[test]
fn models_of_the_library_move_alike() {
    for (name, to) in [
        ("pendulum", 2.0),
        ("heavy-top", 0.5),
        ("four-bar", 1.0),
        ("slider-crank", 0.05),
        ("spatial-slider-crank", 0.2),
        ("squeezer", 0.01),
        ("cam-gear", 0.05),
        ("flat-cam", 0.05),
        ("door", 0.2),
        ("handbook-robot", 0.2),
        ("light-cart-pole", 0.3),
        ("n-pendulum", 0.2),
        ("rolling-disc", 0.5),
        ("six-axis-arm", 0.2),
        ("whipple-bicycle", 0.2),
    ] {
        let gap = gap(name, &model(&library(name)), to);
        assert!(gap < 1e-8, "{name}: {gap:.1e}");
    }
}

/// Fig. 10 of Koh and Park (1994), 1.8 s of motion: equal to the tree to 1e-8, energy kept to 1e-7 at the default tolerance and to 1e-10
/// at a tight one. The lower bar whips round once, as their Fig. 11 shows: its centre is above the ceiling on the way.
#[test]
fn double_pendulum_of_koh_and_park() {
    let model = model(&library("large/double-pendulum"));
    let gap = gap("double pendulum", &model, 1.8);
    assert!(gap < 1e-8, "{gap:.1e}");
    for (tolerance, bound) in [(Settings::default().rtol, 1e-7), (1e-12, 1e-10)] {
        let settings =
            Settings { to: 1.8, every: Some(0.01), rtol: tolerance, atol: tolerance, ..Settings::default() };
        let motion =
            AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
        assert!(motion.audit.relative() < bound, "{}", motion.audit);
        let column = motion.index_of("y2").expect("a column");
        let (low, high) = motion
            .rows
            .iter()
            .map(|row| row[column])
            .fold((0.0f64, -2.0f64), |(a, b), y| (a.min(y), b.max(y)));
        assert!((low + 1.5).abs() < 1e-12 && high > 0.5, "{low} to {high}");
    }
}
