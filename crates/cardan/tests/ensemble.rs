//! Ensembles against single runs, which know nothing of lanes.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::compile::vary;
use cardan::prelude::*;
use cardan::sim::{Ensemble, Followed};

/// An ensemble of the model in a text, with these values varied.
fn ensemble(text: &str, names: &[&str]) -> (Ensemble, Simulation, Vec<String>) {
    let mut model = resolve(parse("model", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let mut parameters: Vec<String> = vec![];
    for name in names {
        let varied;
        (model, varied) = vary(model, name).unwrap();
        parameters.push(varied.parameter);
    }
    let varied = parameters;
    let simulation = compile_model(&model, Options::default()).unwrap().simulation;
    (Ensemble::new(simulation.clone(), &varied).unwrap(), simulation, varied)
}

fn follow(ensemble: &Ensemble, members: &[Vec<f64>], settings: &Settings) -> Vec<Followed> {
    let mut found: Vec<Option<Followed>> = vec![None; members.len()];
    ensemble.follow(&mut members.iter().cloned().enumerate(), settings, &mut |k, followed| {
        assert!(found[k].is_none(), "{k} ends once");
        found[k] = Some(followed);
        true
    });
    found.into_iter().map(|f| f.unwrap()).collect()
}

/// Every member against a run of its own.
fn agrees(text: &str, names: &[&str], members: &[Vec<f64>], lanes: bool, tolerance: f64) {
    let (ensemble, mut simulation, varied) = ensemble(text, names);
    let settings = Settings { to: 2.0, every: Some(0.5), ..Settings::default() };
    let expected = if lanes { cardan::jit::lanes() } else { 1 };
    assert_eq!(ensemble.at_a_time(&settings), expected);
    let width = ensemble.columns().len();
    for (member, followed) in members.iter().zip(follow(&ensemble, members, &settings)) {
        for (name, value) in varied.iter().zip(member) {
            simulation.set(name, *value).unwrap();
        }
        let alone = simulation.run(&settings, &mut ()).unwrap();
        assert_eq!((followed.ending, followed.reached), (alone.ending, alone.reached));
        assert_eq!(followed.samples.len(), alone.rows.len() * width);
        for (row, expected) in followed.samples.chunks(width).zip(alone.rows.iter()) {
            for (column, x) in ensemble.columns().iter().zip(row) {
                let k = alone.columns.iter().position(|c| c.name == column.name).unwrap();
                let scale = expected[k].abs().max(1.0);
                assert!(
                    (x - expected[k]).abs() < tolerance * scale,
                    "{} of {member:?}: {x} against {}",
                    column.name,
                    expected[k]
                );
            }
        }
    }
}

const PENDULUM: &str = "
    model pendulum
    parameter L = 1 [m], m = 2 [kg], area = L^2
    gravity = -9.81 [m/s^2] * N.z
    body rod on N by rotate(y = q) { mass = m; inertia = (0, m*area/12, 0 [kg*m^2]); center = (0, 0, -L/2) }
    start { q = 90 [deg] * L / (1 [m]) }
    output height = dot(position(N.o, rod.cm), N.z)
    simulate { to = 2 [s] }
";

#[test]
fn lanes_give_what_single_runs_give() {
    let members: Vec<Vec<f64>> = (0..13)
        .map(|k| vec![0.5 + 0.1 * f64::from(k), 0.2 * f64::from(k), 1.0 - 0.3 * f64::from(k)])
        .collect();
    agrees(PENDULUM, &["L", "q", "der(q)"], &members, true, 1e-8);
}

#[test]
fn a_parameter_that_follows_from_others_can_be_set_free() {
    agrees(PENDULUM, &["area"], &[vec![0.5], vec![2.0], vec![1.0]], true, 1e-8);
}

#[test]
fn loops_and_switches_are_followed_one_by_one() {
    let switched =
        format!("{PENDULUM}\n    torque push on rod from N = (if t < 1 [s] then 1 else 0) * 1 [N*m] * N.y");
    agrees(&switched, &["L"], &[vec![0.7], vec![1.1]], false, 1e-12);
    for law in ["max(0, sin(q) - 0.9)", "abs(q)", "floor(q)", "stop(q)"] {
        let switched = format!(
            "{PENDULUM}\n    table stop(q) = spline {{ -1: -1, 0: 0, 0.2: 3, 1: 1 }}\n    torque push on rod from N = {law} * 1 [N*m] * N.y"
        );
        agrees(&switched, &["L"], &[vec![0.7], vec![1.1]], false, 1e-12);
    }
}

/// The step of fixed methods is the same for all, and the motion that of a single run to rounding.
#[test]
fn fixed_steps() {
    let (ensemble, mut simulation, varied) = ensemble(PENDULUM, &["L"]);
    let settings =
        Settings { to: 1.0, every: Some(0.25), method: Method::Rk4, step: Some(1e-3), ..Settings::default() };
    let members: Vec<Vec<f64>> = (1..8).map(|k| vec![0.3 * f64::from(k)]).collect();
    for (member, followed) in members.iter().zip(follow(&ensemble, &members, &settings)) {
        simulation.set(&varied[0], member[0]).unwrap();
        let alone = simulation.run(&settings, &mut ()).unwrap();
        assert_eq!(followed.ending, Ending::Finished);
        let (last, expected) = (
            &followed.samples[followed.samples.len() - ensemble.columns().len()..],
            alone.rows.iter().next_back().unwrap(),
        );
        assert!((last[1] - expected[1]).abs() < 1e-11, "{} against {}", last[1], expected[1]);
    }
}

/// However many motions are followed at a time, each comes out the same to the last bit: results do not depend on the processor's
/// vector instructions.
#[test]
fn every_width_gives_the_same() {
    let (ensemble, ..) = ensemble(PENDULUM, &["L", "q"]);
    let settings = Settings { to: 1.0, every: Some(0.25), ..Settings::default() };
    let members: Vec<Vec<f64>> =
        (0..21).map(|k| vec![0.4 + 0.07 * f64::from(k), 0.1 * f64::from(k)]).collect();
    let expected = follow(&ensemble, &members, &settings);
    for lanes in [2, 4, 8] {
        let other = ensemble.clone().in_lanes(lanes);
        assert_eq!(follow(&other, &members, &settings), expected, "{lanes} lanes");
    }
}

/// A clutch that is open or closed: whether its constraint says anything depends on the member. The torque of 4 N m turns the first shaft alone, or
/// both, of 1 and 3 kg m²; either way round it is derived with.
#[test]
fn constraints_that_say_something_for_some_members_hold_for_them() {
    for nominal in [0, 1] {
        let text = format!(
            "model clutch
             parameter closed = {nominal}
             body a on N by revolute(z, q = p) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
             body b on N by revolute(z, q = r) {{ mass = 1 [kg]; inertia = (3, 3, 3) [kg*m^2] }}
             constraint grip = closed*(der(p) - der(r))
             torque T on a from N = 4 [N*m]*N.z
             output first = der(p), second = der(r)"
        );
        let (ensemble, _, varied) = ensemble(&text, &["closed"]);
        let model = resolve(parse("model", &text)).into_model().unwrap();
        let ensemble = ensemble.deriving(move |values| {
            let mut model = model.clone();
            model.set_value(&varied[0], values[0], None).unwrap();
            Some(compile_model(&model, Options::default()).unwrap().simulation)
        });
        let settings = Settings { to: 1.0, every: Some(1.0), ..Settings::default() };
        assert_eq!(ensemble.at_a_time(&settings), 1, "lanes know nothing of constraints");
        let place = |name: &str| ensemble.columns().iter().position(|c| c.name == name).unwrap();
        let members = [vec![0.0], vec![1.0], vec![2.0], vec![0.0]];
        for (member, followed) in members.iter().zip(follow(&ensemble, &members, &settings)) {
            let last = followed.samples.chunks(ensemble.columns().len()).next_back().unwrap();
            let expected = if member[0] == 0.0 { (4.0, 0.0) } else { (1.0, 1.0) };
            let (first, second) = (last[place("first")], last[place("second")]);
            let close = (first - expected.0).abs() < 1e-12 && (second - expected.1).abs() < 1e-12;
            assert!(close, "derived with {nominal}, closed = {}: {first} and {second}", member[0]);
        }
    }
}
