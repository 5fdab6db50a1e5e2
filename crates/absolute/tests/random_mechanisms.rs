//! Random mechanisms and trees: all engines move them alike.

use crate::comparison::difference;
use cardan_testkit::mechanism::{Loops, random_mechanism};
use cardan_testkit::tree::{TreeOptions, random_tree};

/// 200 mechanisms: motion to 1e-7.
#[test]
fn random_loops_move_alike() {
    let (mut compared, mut refused) = (0, vec![]);
    for seed in 0..100 {
        for kind in [Loops::Planar, Loops::Spatial] {
            let model = random_mechanism(seed, kind);
            match difference(&model, 0.1) {
                Ok(gap) => {
                    assert!(gap < 1e-7, "seed {seed}, {kind:?}: {gap:.1e}");
                    compared += 1;
                }
                Err(why) => refused.push(format!("seed {seed}, {kind:?}: {why}")),
            }
        }
    }
    let wrong: Vec<&String> =
        refused.iter().filter(|w| !w.contains("do not apply") && !w.contains("tree:")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 100, "{compared} compared, {refused:#?}");
}

#[test]
fn random_trees_move_alike() {
    let (mut compared, mut refused) = (0, vec![]);
    for seed in 0..16 {
        let options = TreeOptions { bodies: 2 + seed as usize % 5, loads: true, user_speeds: false };
        let model = random_tree(seed, options);
        match difference(&model, 0.1) {
            Ok(gap) => {
                assert!(gap < 1e-7, "seed {seed}: {gap:.1e}");
                compared += 1;
            }
            Err(why) => refused.push(format!("seed {seed}: {why}")),
        }
    }
    let wrong: Vec<&String> =
        refused.iter().filter(|w| !w.contains("do not apply") && !w.contains("tree:")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 4, "{compared} compared, {refused:#?}");
}
