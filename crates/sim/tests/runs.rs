//! What a run promises whatever the model: nothing lost, names in messages, parameters by name.

use crate::common;

use cardan_compile::choose;
use cardan_equations::Formalism;
use cardan_jit::EngineKind;
use cardan_sim::{Column, Ending, Observer, Settings, StartError, Verdict};
use cardan_testkit::{TreeOptions, random_tree};
use common::{Pendulum, compile, run};

#[test]
fn missing_values_are_listed_and_can_be_given() {
    let mut model = Pendulum::new(None).finish();
    let mut simulation = compile(&model, EngineKind::Native);
    let settings = Settings { to: 1.0, ..Settings::default() };
    let error = simulation.run(&settings, &mut ()).unwrap_err();
    assert_eq!(error, StartError::Missing(vec!["L".into()]));
    assert_eq!(error.to_string(), "the parameter `L` has no value");
    simulation.set("L", 2.0).unwrap();
    let by_slot = simulation.run(&settings, &mut ()).unwrap();
    model.set_value("L", 2.0, None).unwrap();
    assert_eq!(by_slot, run(&model, &settings));
    assert!(simulation.set("length", 2.0).is_err());
}

#[test]
fn a_start_that_is_not_finite_is_named() {
    let mut simulation = compile(&Pendulum::new(Some(1)).start(1, 3).finish(), EngineKind::Native);
    simulation.set("L", 0.0).unwrap();
    let error = simulation.run(&Settings::default(), &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "the time derivative of `der(q)` at the start is not a finite number");
}

/// Counts rows, and stops at a fraction of the interval.
struct Stopper {
    rows: usize,
    columns: usize,
    stop_at: f64,
}

impl Observer for Stopper {
    fn begin(&mut self, columns: &[Column]) {
        self.columns = columns.len();
    }
    fn row(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.columns);
        self.rows += 1;
    }
    fn progress(&mut self, fraction: f64) -> bool {
        fraction < self.stop_at
    }
}

#[test]
fn an_interrupted_run_keeps_what_was_computed() {
    let simulation = compile(&Pendulum::new(Some(1)).start(1, 3).finish(), EngineKind::Native);
    let mut stopper = Stopper { rows: 0, columns: 0, stop_at: 0.5 };
    let trajectory = simulation.run(&Settings::default(), &mut stopper).unwrap();
    assert_eq!(trajectory.ending, Ending::Interrupted);
    assert!(trajectory.reached >= 5.0 && trajectory.reached < 7.0, "{}", trajectory.reached);
    assert_eq!(trajectory.rows.len(), stopper.rows);
    assert_eq!(trajectory.times().last(), Some(&trajectory.reached));
}

#[test]
fn samples_and_frames_are_as_asked() {
    let model = Pendulum::new(Some(1)).start(1, 3).finish();
    let settings = Settings { to: 1.0, every: Some(0.25), max_frames: 3, ..Settings::default() };
    let trajectory = run(&model, &settings);
    assert_eq!(trajectory.times(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(trajectory.frames.times, [0.0, 0.5, 1.0]);
    assert_eq!(trajectory.frames.bodies[0].len(), 3);
    let q = trajectory.last("q").unwrap();
    let pose = trajectory.frames.bodies[0][2];
    assert!((pose.rotation[0][0] - q.cos()).abs() < 1e-15);
    assert!((pose.rotation[0][2] - q.sin()).abs() < 1e-15);
    let still = run(&model, &Settings { to: 0.0, ..Settings::default() });
    assert_eq!((still.times(), still.ending), (vec![0.0], Ending::Finished));
}

#[test]
fn the_choice_says_what_it_compared() {
    let model = Pendulum::new(Some(1)).finish();
    let choice = choose(&model, None).unwrap();
    assert_eq!(choice.considered.len(), Formalism::ALL.len());
    let cheapest = choice.considered.iter().filter_map(|c| c.result.as_ref().ok()).map(|c| c.total()).min();
    let taken = choice.considered.iter().find(|c| c.formalism == choice.equations.formalism).unwrap();
    assert_eq!(taken.result.as_ref().ok().map(|c| c.total()), cheapest);
    assert!(choice.to_string().starts_with("kane "), "{choice}");
    assert!(choice.to_string().ends_with(&format!("→ {}", choice.equations.formalism.name())));
}

#[test]
fn what_cannot_win_is_not_derived() {
    // A chain of pendulums: deep, so that the mass matrix is full.
    let choice = choose(&common::chain(14), None).unwrap();
    let said = choice.to_string();
    assert!(said.starts_with("kane (not derived: the tree is deep), recursive "), "{said}");
    let long = choose(&common::chain(40), None).unwrap().to_string();
    assert!(long.contains("kane (not derived: 40 speeds are more than 25)"), "{long}");
    assert!(
        long.contains("recursive (not derived: eliminating its mass matrix alone takes 10660 mul)"),
        "{long}"
    );
    assert!(long.ends_with("→ articulated"), "{long}");
}

/// Random trees with springs, dampers and forces: the energy balance closes, so that equations, loads, powers and integrals
/// all agree with one another.
#[test]
fn random_trees_balance_their_energy() {
    let mut judged = 0;
    for seed in 0..24 {
        let options = TreeOptions { bodies: 1 + seed as usize % 4, loads: true, user_speeds: seed % 3 == 0 };
        let model = random_tree(seed, options);
        let settings = Settings { to: 0.2, max_steps: 20_000, ..Settings::default() };
        let Ok(trajectory) = compile(&model, EngineKind::Native).run(&settings, &mut ()) else { continue };
        if trajectory.ending != Ending::Finished {
            continue;
        }
        assert_ne!(trajectory.audit.verdict(), Verdict::Open);
        judged += 1;
        assert!(trajectory.audit.relative() < 1e-7, "seed {seed}: {}", trajectory.audit);
    }
    assert!(judged >= 16, "only {judged} trees could be judged");
}
