//! Mechanical problems written by hand: energy errors, crossing times, cost at given tolerances.

use crate::common;

use cardan_solve::{Crossing, Failure, Method, Options, Problem, Reaction, StopReason, System};
use common::{Ode, run};

const G: f64 = 9.81;

/// A cart of mass m on a rail with a massless pole of length 1 and a tip of mass 1, angle θ from the horizontal downward.
///
/// ```text
/// (m + 1) ẍ − sin θ θ̈ = cos θ θ̇²
/// −sin θ ẍ + θ̈ = G cos θ
/// ```
///
/// The determinant of the mass matrix is m + cos² θ: nearly singular when the pole is vertical.
struct LightCartPole {
    m: f64,
    crossings: Vec<f64>,
}

impl LightCartPole {
    fn energy(&self, y: &[f64]) -> f64 {
        let (sin, cos) = y[1].sin_cos();
        let (vx, vy) = (y[2] - sin * y[3], cos * y[3]);
        0.5 * self.m * y[2] * y[2] + 0.5 * (vx * vx + vy * vy) - G * sin
    }
}

impl System for LightCartPole {
    fn dim(&self) -> usize {
        4
    }
    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        let (sin, cos) = y[1].sin_cos();
        let (a, b) = (cos * y[3] * y[3], G * cos);
        let determinant = self.m + cos * cos;
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = (a + sin * b) / determinant;
        dy[3] = (sin * a + (self.m + 1.0) * b) / determinant;
        Ok(())
    }
    fn n_events(&self) -> usize {
        1
    }
    fn crossing(&self, _: usize) -> Crossing {
        Crossing::Both
    }
    fn events(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = y[1].cos();
        Ok(())
    }
    fn react(&mut self, _: usize, _: bool, t: f64, _y: &mut [f64]) -> Result<Reaction, Failure> {
        self.crossings.push(t);
        Ok(Reaction::Continue)
    }
}

/// Crossing times of the vertical by quadrature: (2k + 1) quarter periods.
const CROSSINGS: [f64; 11] = [
    0.451524535681659,
    1.35457360704498,
    2.25762267840829,
    3.16067174977161,
    4.06372082113493,
    4.96676989249825,
    5.86981896386157,
    6.77286803522488,
    7.6759171065882,
    8.57896617795152,
    9.48201524931484,
];

/// Largest error of the crossing times, largest energy error relative to G (the depth of the swing), and the outcome.
fn light_cart_pole(options: &Options) -> (f64, f64, cardan_solve::Outcome) {
    let mut system = LightCartPole { m: 1e-6, crossings: Vec::new() };
    let (outcome, samples) = run(&mut system, &Problem::new(0.0, 10.0, [0.0; 4]), options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    assert_eq!(system.crossings.len(), CROSSINGS.len(), "{:?}", system.crossings);
    let time = system.crossings.iter().zip(CROSSINGS).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let energy = samples.iter().map(|(_, y)| system.energy(y).abs() / G).fold(0.0, f64::max);
    (time, energy, outcome)
}

#[test]
fn the_light_cart_pole_crosses_the_vertical_on_time() {
    let options = Options::with_method(Method::Dop853).tolerances(1e-10, 1e-10);
    let (time, energy, outcome) = light_cart_pole(&options);
    assert!(time < 1e-8 && energy < 1e-8, "{time:e} {energy:e} {:?}", outcome.stats);
}

/// Two pendulums of unit mass and length, angles from the downward vertical.
fn double_pendulum() -> Ode {
    Ode::new(4, |_, y, dy| {
        let (sin, cos) = (y[0] - y[1]).sin_cos();
        let (a, b) = (-sin * y[3] * y[3] - 2.0 * G * y[0].sin(), sin * y[2] * y[2] - G * y[1].sin());
        let determinant = 2.0 - cos * cos;
        dy[0] = y[2];
        dy[1] = y[3];
        dy[2] = (a - cos * b) / determinant;
        dy[3] = (2.0 * b - cos * a) / determinant;
    })
}

fn double_pendulum_energy(y: &[f64]) -> f64 {
    y[2] * y[2] + 0.5 * y[3] * y[3] + y[2] * y[3] * (y[0] - y[1]).cos() - G * (2.0 * y[0].cos() + y[1].cos())
}

/// Largest energy error relative to the largest kinetic energy possible, and the outcome.
fn chaotic_double_pendulum(options: &Options) -> (f64, cardan_solve::Outcome) {
    let start = [2.5, 2.0, 0.0, 0.0];
    let (outcome, samples) = run(&mut double_pendulum(), &Problem::new(0.0, 10.0, start), options);
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    let energy0 = double_pendulum_energy(&start);
    let depth = energy0 + 3.0 * G;
    let energy =
        samples.iter().map(|(_, y)| (double_pendulum_energy(y) - energy0).abs() / depth).fold(0.0, f64::max);
    (energy, outcome)
}

#[test]
fn the_default_tolerances_keep_the_energy() {
    for method in [Method::Dop853, Method::Auto] {
        let options = Options::with_method(method);
        let (time, energy, outcome) = light_cart_pole(&options);
        assert!(time < 1e-9 && energy < 1e-10, "{method} {time:e} {energy:e}");
        assert!(
            outcome.stats.evaluations < 70_000 && outcome.switches.is_empty(),
            "{method} {:?}",
            outcome.stats
        );
        let (energy, outcome) = chaotic_double_pendulum(&options);
        assert!(energy < 1e-10, "{method} {energy:e}");
        assert!(
            outcome.stats.evaluations < 10_000 && outcome.switches.is_empty(),
            "{method} {:?}",
            outcome.stats
        );
    }
}

#[test]
fn every_method_agrees_on_the_double_pendulum() {
    let start = [2.5, 2.0, 0.0, 0.0];
    let ends: Vec<Vec<f64>> = [Method::Dopri5, Method::Dop853, Method::Radau5, Method::Rk4]
        .into_iter()
        .map(|method| {
            let options =
                Options { fixed_step: 1e-4, ..Options::with_method(method).tolerances(1e-12, 1e-13) };
            run(&mut double_pendulum(), &Problem::new(0.0, 3.0, start), &options).0.y_reached
        })
        .collect();
    for end in &ends[1..] {
        for (a, b) in end.iter().zip(&ends[0]) {
            assert!((a - b).abs() < 1e-8, "{ends:?}");
        }
    }
}
