//! Every reaction of every model against Newton and Euler for each body by itself, along the motion of the model.

use crate::bodies;

use std::fs;
use std::path::{Path, PathBuf};

use bodies::Bodies;
use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan_testkit::{Loops, random_mechanism};

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = fs::read_dir(folder).expect("the folder of models").map(|e| e.expect("readable").path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "mbs")).collect();
    files.sort();
    files
}

fn read(file: &Path) -> Model {
    let text = fs::read_to_string(file).expect("readable");
    let name = file.file_name().expect("a name").to_string_lossy().into_owned();
    resolve(parse(&name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Reactions at several instants, and whether those that are not unique are marked. Says the worst difference, by the largest force about;
/// nothing if the system is worse conditioned than `least` somewhere.
fn check(model: &Model, settings: &Settings, least: f64) -> Option<f64> {
    let bodies = Bodies::of(model);
    let compiled =
        compile_model(&bodies.model, Options::default()).unwrap_or_else(|e| panic!("{}: {e}", model.name));
    let run = compiled.simulation.run(settings, &mut ()).unwrap_or_else(|e| panic!("{}: {e}", model.name));
    assert_eq!(run.ending, Ending::Finished, "{}: {}", model.name, run.reason);
    let n_speeds = model.speeds.len();
    let n_samples = run.rows.len();
    let mut worst = 0.0_f64;
    for sample in 0..n_samples {
        let system = bodies.system(&run, sample).scaled(n_speeds);
        let (x, rank, conditioned) = system.solve();
        if conditioned < least {
            return None;
        }
        let scale = x[n_speeds..].iter().fold(system.largest_force.max(1e-300), |m, v| m.max(v.abs()));
        for component in &system.components {
            let known: f64 = component.of.iter().map(|(k, factor)| x[*k] * factor).sum();
            // A vector that is nothing is not told.
            let told = run.series(&component.name).map_or(0.0, |s| s[sample]);
            let off = (told - known).abs() / scale;
            assert!(
                off <= 1e-10,
                "{}: {} is {told}, balances say {known}, off by {off:e} of {scale} at sample {sample}, {conditioned:e}",
                model.name,
                component.name
            );
            worst = worst.max(off);
        }
        if sample != n_samples / 2 {
            continue;
        }
        let loops = compiled.choice.loops.as_ref();
        let marked = loops.map_or(&[][..], |l| &l.not_unique);
        let n_open = x.len() - rank;
        let n_repeated = loops.map_or(0, |l| l.implied.len() + l.redundant.len());
        assert_eq!(n_open, n_repeated, "{}: one stress per row that says nothing new", model.name);
        for component in system.components.iter().filter(|c| run.series(&c.name).is_some()) {
            let is_unique = n_open == 0 || system.is_unique(component);
            assert_eq!(!is_unique, marked.contains(&component.name), "{}: {}", model.name, component.name);
        }
    }
    Some(worst)
}

#[test]
fn reactions_of_all_models_balance_every_body() {
    let mut n_checked = 0;
    for file in models() {
        let model = read(&file);
        let pool = model.space.pool();
        // Where terms are dropped because they are small, bodies are not in balance to the last digit.
        if model.coordinates.iter().any(|(_, q)| pool.small_order(q.symbol) > 0) {
            continue;
        }
        let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        settings.every = Some(settings.to / 6.0);
        let worst = check(&model, &settings, 0.0).expect("every state counts");
        println!("{}: {worst:.1e}", model.name);
        n_checked += 1;
    }
    assert!(n_checked >= 18, "{n_checked}");
}

/// Random loops in the plane, which repeat constraints, and in space, in random states.
#[test]
fn reactions_of_random_mechanisms_balance_every_body() {
    let settings = Settings { to: 0.2, every: Some(0.1), ..Settings::default() };
    let (mut n_checked, mut n_shared) = (0, 0);
    for seed in 0..80 {
        let kind = if seed % 2 == 0 { Loops::Planar } else { Loops::Spatial };
        let mut model = random_mechanism(seed, kind);
        model.name = format!("{kind:?} {seed}");
        // Near a singular position reactions are large and have few digits.
        if check(&model, &settings, 1e-4).is_some() {
            n_checked += 1;
            n_shared += usize::from(kind == Loops::Planar);
        }
    }
    assert!(n_checked > 40 && n_shared > 20, "{n_checked} {n_shared}");
}

/// The door of the library against one on a single hinge: what is unique is the same, the shares are those of least norm.
#[test]
fn a_door_hangs_on_three_hinges_as_on_one() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/door.mbs");
    let text = fs::read_to_string(folder).expect("readable");
    let together = "
output f = leaf.force - middle_hinge.force - top_hinge.force
output m = leaf.torque - middle_hinge.torque - top_hinge.torque - cross(1 [m] * N.z, middle_hinge.force) - cross(2 [m] * N.z, top_hinge.force)
output low = leaf.force, low_torque = leaf.torque, mid = -middle_hinge.force, high = -top_hinge.force
";
    let alone: String = text.lines().filter(|l| !l.starts_with("joint ")).map(|l| format!("{l}\n")).collect();
    let moved = |text: String| {
        let model = resolve(parse("door.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{e}"));
        let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
        let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}"));
        let marked = compiled.choice.loops.map_or(vec![], |l| l.not_unique);
        (run, marked)
    };
    let (three, marked) = moved(text + together);
    let (one, none) = moved(alone + "output f = leaf.force, m = leaf.torque\n");
    assert!(none.is_empty());
    let series = |run: &Trajectory, name: &str| run.series(name).unwrap_or_else(|| panic!("{name}")).to_vec();
    for name in ["f.x", "f.y", "f.z", "m.x", "m.y", "m.z"] {
        assert!(!marked.contains(&name.to_string()), "{name} is unique");
        for (a, b) in series(&three, name).iter().zip(series(&one, name)) {
            assert!((a - b).abs() < 1e-10 * 250.0, "{name}: {a} {b}");
        }
    }
    for name in ["low", "mid", "high"] {
        assert!(marked.contains(&format!("{name}.z")), "{name} is shared");
        assert!(series(&three, &format!("{name}.z")).iter().all(|f| (f - 25.0 * 9.81 / 3.0).abs() < 1e-10));
    }
    // Hinges at 0, 1, 2 m bear a moment M about y by forces (1, 0, -1) F and torques T each: 2 F + 3 T = M with the least 2 F² + 3 T².
    let last = |name: &str| *series(&three, name).last().expect("samples");
    let (force, torque) = ((last("high.x") - last("low.x")) / 2.0, last("low_torque.y"));
    assert!(force.abs() > 1.0 && (force.abs() - torque.abs()).abs() < 1e-10, "{force} {torque}");
}
