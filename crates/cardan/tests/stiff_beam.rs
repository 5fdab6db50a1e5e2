//! `auto` on a stiff beam: a chain of links with torsion springs and dampers, whose highest
//! frequencies nobody wants to see.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::solve::Method;

/// A cantilever of 1 m and 1 kg made of `n` links.
fn beam(n: usize, stiffness: f64, damping: f64) -> String {
    let (length, mass) = (1.0 / n as f64, 1.0 / n as f64);
    let inertia = mass * length * length / 12.0;
    let mut text = String::from("model beam\ngravity = -9.81 [m/s^2]*N.z\n");
    for k in 1..=n {
        let (on, before) = match k {
            1 => ("N".to_string(), "N".to_string()),
            k => (format!("l{}.tip", k - 1), format!("l{}", k - 1)),
        };
        text += &format!(
            "body l{k} on {on} by revolute(y, q = q{k}) {{ mass = {mass} [kg]; inertia = (0, {inertia}, {inertia}) [kg*m^2]; center = ({}, 0, 0) [m]; point tip = ({length}, 0, 0) [m] }}\n\
             torsion_spring_damper d{k} between l{k} and {before} {{ stiffness = {stiffness} [N*m/rad]; damping = {damping} [N*m*s/rad]; rest = 0 [rad] }}\n",
            length / 2.0
        );
    }
    text + "simulate { to = 0.2 [s], every = 0.02 [s] }\n"
}

/// Evaluations, with factorisations of n × n matrices, one real and one complex, counted as
/// evaluations of 75 operations for each link.
fn cost(run: &Trajectory, links: usize) -> f64 {
    let n = 2.0 * links as f64;
    let factorisation = 10.0 / 3.0 * n.powi(3) / 4.0;
    run.statistics.evaluations as f64
        + run.statistics.factorisations as f64 * factorisation / (75.0 * links as f64)
}

#[test]
fn auto_costs_at_most_twice_the_best_method() {
    const LINKS: usize = 12;
    for (stiffness, damping) in [(40.0, 0.05), (2.0, 0.0005)] {
        let model = resolve(parse("beam.mbs", &beam(LINKS, stiffness, damping))).into_model().unwrap();
        let compiled = compile_model(&model, Options::default()).unwrap();
        for digits in [3, 5, 7, 10] {
            let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
            let with = |method| {
                let settings = Settings { method, rtol: 10f64.powi(-digits), ..settings.clone() };
                cost(&compiled.simulation.run(&settings, &mut ()).unwrap(), LINKS)
            };
            let auto = with(Method::Auto);
            let others = [Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf].map(with);
            let best = others.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(auto <= 2.0 * best, "{stiffness} N·m, 1e-{digits}: auto {auto}, others {others:?}");
        }
    }
}

/// The Jacobian of a long chain takes seconds to derive, and as many evaluations as there are
/// states by differences: none is derived.
#[test]
fn a_long_beam_is_followed_with_differences() {
    let model = resolve(parse("beam.mbs", &beam(40, 400.0, 0.4))).into_model().unwrap();
    let compiled = compile_model(&model, Options::default()).unwrap();
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let with = |method| {
        let settings = Settings { method, rtol: 1e-3, ..settings.clone() };
        compiled.simulation.run(&settings, &mut ()).unwrap()
    };
    let (auto, explicit) = (with(Method::Auto), with(Method::Dopri5));
    assert!(auto.statistics.jacobians > 0, "{:?}", auto.statistics);
    assert_eq!(compiled.simulation.jacobian_way(), None);
    let (n, most) = (auto.statistics.evaluations, explicit.statistics.evaluations / 4);
    assert!(n < most, "{n} evaluations, a quarter of the explicit method's are {most}");
}
