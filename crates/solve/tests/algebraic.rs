//! Differential and algebraic equations, and projected ones: pendulums, events and breakpoints.

use crate::common;

use cardan_solve::{
    Control, Crossing, Failure, Kind, Matrix, Method, Options, Output, Problem, Reaction, Role, StopReason,
    System, integrate,
};
use common::{Ode, run};

const IMPLICIT: [Method; 2] = [Method::Bdf, Method::Radau5];

/// A bob of mass 1 on a rod of length 1 in Cartesian coordinates, in the form of Gear, Gupta and Leimkuhler:
/// y = (x, z, u, w, λ, μ), gravity 9.81 along −z.
struct Pendulum {
    project: bool,
    /// Thrust along x while t < 1.
    thrust: f64,
    /// Counts passages through x = 0.
    passages: Vec<f64>,
}

const G: f64 = 9.81;

impl Pendulum {
    fn new() -> Self {
        Pendulum { project: false, thrust: 0.0, passages: vec![] }
    }
}

impl System for Pendulum {
    fn dim(&self) -> usize {
        6
    }

    fn role(&self, component: usize) -> Role {
        if component < 4 { Role::Differential } else { Role::Algebraic { index: 2 } }
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        let [x, z, u, w, lambda, mu] = [y[0], y[1], y[2], y[3], y[4], y[5]];
        let thrust = if t < 1.0 { self.thrust } else { 0.0 };
        dy[0] = u + x * mu;
        dy[1] = w + z * mu;
        dy[2] = x * lambda + thrust;
        dy[3] = z * lambda - G;
        dy[4] = x * u + z * w;
        dy[5] = 0.5 * (x * x + z * z - 1.0);
        Ok(())
    }

    fn jacobian(&mut self, _: f64, y: &[f64], j: &mut Matrix) -> Result<bool, Failure> {
        let [x, z, u, w, lambda, mu] = [y[0], y[1], y[2], y[3], y[4], y[5]];
        j.clear();
        for (row, column, value) in [
            (0, 0, mu),
            (0, 2, 1.0),
            (0, 5, x),
            (1, 1, mu),
            (1, 3, 1.0),
            (1, 5, z),
            (2, 0, lambda),
            (2, 4, x),
            (3, 1, lambda),
            (3, 4, z),
            (4, 0, u),
            (4, 1, w),
            (4, 2, x),
            (4, 3, z),
            (5, 0, x),
            (5, 1, z),
        ] {
            j[(row, column)] = value;
        }
        Ok(true)
    }

    fn settle(&mut self, t: f64, y: &mut [f64]) -> Result<(), Failure> {
        // d²g/dt² = 0: u² + w² + x (x λ + thrust) + z (z λ − g) = 0.
        let thrust = if t < 1.0 { self.thrust } else { 0.0 };
        y[4] = (G * y[1] - thrust * y[0] - y[2] * y[2] - y[3] * y[3]) / (y[0] * y[0] + y[1] * y[1]);
        y[5] = 0.0;
        Ok(())
    }

    fn project(&mut self, _: f64, y: &mut [f64]) -> Result<bool, Failure> {
        if self.project {
            let r = y[0].hypot(y[1]);
            (y[0], y[1]) = (y[0] / r, y[1] / r);
            let along = y[0] * y[2] + y[1] * y[3];
            (y[2], y[3]) = (y[2] - along * y[0], y[3] - along * y[1]);
        }
        Ok(self.project)
    }

    fn n_events(&self) -> usize {
        1
    }

    fn crossing(&self, _: usize) -> Crossing {
        Crossing::Both
    }

    fn events(&mut self, _: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = y[0];
        Ok(())
    }

    fn react(&mut self, _: usize, _: bool, t: f64, _: &mut [f64]) -> Result<Reaction, Failure> {
        self.passages.push(t);
        Ok(if self.passages.len() == 2 { Reaction::Restart } else { Reaction::Continue })
    }
}

/// The period of a pendulum of length 1 that starts at rest at 90 degrees: 4 K(sin 45°)/√g by the arithmetic-geometric mean.
fn period() -> f64 {
    let (mut a, mut b) = (1.0f64, std::f64::consts::FRAC_PI_4.cos());
    while (a - b).abs() > 1e-15 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    2.0 * std::f64::consts::PI / (a * G.sqrt())
}

#[test]
fn the_stabilised_pendulum_returns_after_its_period() {
    for method in IMPLICIT {
        for project in [false, true] {
            let mut pendulum = Pendulum { project, ..Pendulum::new() };
            let options = Options::with_method(method).tolerances(1e-10, 1e-10);
            let problem = Problem::new(0.0, 2.0 * period(), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            let (outcome, samples) = run(&mut pendulum, &problem, &options);
            assert_eq!(outcome.stop, StopReason::ReachedEnd, "{method}");
            let y = &outcome.y_reached;
            assert!(
                (y[0] - 1.0).abs() < 1e-7 && y[1].abs() < 1e-6,
                "{method} {project} {y:?} {:?}",
                outcome.stats
            );
            // Passages through the lowest point at a quarter, three quarters, … of the period.
            assert_eq!(pendulum.passages.len(), 4);
            for (k, t) in pendulum.passages.iter().enumerate() {
                let known = (0.25 + 0.5 * k as f64) * period();
                assert!((t - known).abs() < 1e-7, "{method} {k}: {t} {known}");
            }
            let drift = if project { 1e-15 } else { 1e-8 };
            for (t, y) in samples {
                let (length, along) = (0.5 * (y[0] * y[0] + y[1] * y[1] - 1.0), y[0] * y[2] + y[1] * y[3]);
                assert!(
                    length.abs() < drift && along.abs() < 6.0 * drift,
                    "{method} {t} {length:e} {along:e}"
                );
                let energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) + G * y[1];
                assert!(energy.abs() < 1e-6, "{method} {t} {energy:e}");
            }
        }
    }
}

#[test]
fn multipliers_jump_with_the_load_at_a_breakpoint() {
    for method in IMPLICIT {
        let mut pendulum = Pendulum { thrust: 3.0, project: true, ..Pendulum::new() };
        let options = Options::with_method(method).tolerances(1e-9, 1e-9);
        let mut problem = Problem::new(0.0, 2.0, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        problem.breakpoints = vec![1.0];
        let (outcome, samples) = run(&mut pendulum, &problem, &options);
        assert_eq!(outcome.stop, StopReason::ReachedEnd, "{method}");
        for (t, y) in samples {
            // λ from the accelerations, and energy that the thrust no longer changes after t = 1.
            let thrust = if t <= 1.0 { 3.0 } else { 0.0 };
            let lambda = G * y[1] - thrust * y[0] - y[2] * y[2] - y[3] * y[3];
            assert!((y[4] - lambda).abs() < 1e-4, "{method} {t}: {} {lambda}", y[4]);
            let work = if t <= 1.0 { 3.0 * y[0] } else { f64::NAN };
            let energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) + G * (y[1] + 1.0);
            assert!(work.is_nan() || (energy - work).abs() < 1e-6, "{method} {t}: {energy} {work}");
        }
    }
}

#[test]
fn robertson_with_the_sum_of_masses_as_an_equation() {
    // The third rate replaced by 0 = y1 + y2 + y3 − 1: index 1.
    struct Robertson;
    impl System for Robertson {
        fn dim(&self) -> usize {
            3
        }
        fn role(&self, component: usize) -> Role {
            if component < 2 { Role::Differential } else { Role::Algebraic { index: 1 } }
        }
        fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
            let (slow, fast, pair) = (0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]);
            dy.copy_from_slice(&[pair - slow, slow - fast - pair, y[0] + y[1] + y[2] - 1.0]);
            Ok(())
        }
    }
    // Values at t = 40 of the ordinary differential equations by Radau at 1e-13.
    let mut ode = Ode::new(3, |_, y, dy| {
        let (slow, fast, pair) = (0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]);
        dy.copy_from_slice(&[pair - slow, slow - fast - pair, fast]);
    });
    let problem = Problem::new(0.0, 40.0, [1.0, 0.0, 0.0]);
    let (known, _) = run(&mut ode, &problem, &Options::with_method(Method::Radau5).tolerances(1e-12, 1e-18));
    for method in IMPLICIT {
        let options = Options::with_method(method).tolerances(1e-9, 1e-14);
        let (found, _) = run(&mut Robertson, &problem, &options);
        assert_eq!(found.stop, StopReason::ReachedEnd, "{method}");
        for (y, k) in found.y_reached.iter().zip(&known.y_reached) {
            assert!((y / k - 1.0).abs() < 1e-6, "{method}: {y} {k}");
        }
    }
}

/// A circle traversed with unit speed; the projection must not spoil the order of a multistep method.
#[test]
fn projection_keeps_the_order_of_backward_differentiation() {
    struct Circle {
        project: bool,
    }
    impl System for Circle {
        fn dim(&self) -> usize {
            2
        }
        fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
            dy.copy_from_slice(&[-y[1], y[0]]);
            Ok(())
        }
        fn project(&mut self, _: f64, y: &mut [f64]) -> Result<bool, Failure> {
            if self.project {
                let r = y[0].hypot(y[1]);
                y.iter_mut().for_each(|y| *y /= r);
            }
            Ok(self.project)
        }
    }
    let cost = |project: bool| {
        let options = Options::with_method(Method::Bdf).tolerances(1e-10, 1e-10);
        let (outcome, _) = run(&mut Circle { project }, &Problem::new(0.0, 20.0, [1.0, 0.0]), &options);
        let y = &outcome.y_reached;
        assert!((y[0] - 20f64.cos()).hypot(y[1] - 20f64.sin()) < 1e-7, "{project} {y:?}");
        (outcome.stats.accepted, (y[0].hypot(y[1]) - 1.0).abs())
    };
    let (free, drift) = cost(false);
    let (projected, left) = cost(true);
    assert!(left < 1e-15 && drift > 1e-12, "{left:e} {drift:e}");
    assert!(projected as f64 <= 1.2 * free as f64, "{projected} steps after {free}");
}

#[test]
fn explicit_methods_refuse_algebraic_unknowns_and_auto_takes_radau() {
    let problem = Problem::new(0.0, 0.1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let options = Options::with_method(Method::Dop853);
    let (outcome, _) = run(&mut Pendulum::new(), &problem, &options);
    let expected = "unknown 4 is algebraic: the explicit method dop853 does not apply; radau5 and bdf do";
    assert_eq!(outcome.stop, StopReason::Refused { reason: expected.into() });
    let mut methods = vec![];
    let outcome = integrate(&mut Pendulum::new(), &problem, &Options::default(), &mut |sample| {
        if let Kind::Step { method, .. } = sample.kind {
            methods.push(method);
        }
        Control::Continue
    });
    assert_eq!(outcome.stop, StopReason::ReachedEnd);
    assert_eq!(outcome.switches.len(), 1);
    assert_eq!(outcome.switches[0].reason, "unknowns without derivative need an implicit method");
    assert!(!methods.is_empty() && methods.iter().all(|m| *m == Method::Radau5));
}

#[test]
fn a_stop_is_found_on_the_polynomial_of_the_step() {
    // Free fall with a stop at the ground, t = √(2 h/g); the state is in closed form everywhere.
    struct Fall;
    impl System for Fall {
        fn dim(&self) -> usize {
            2
        }
        fn derivative(&mut self, _: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
            dy.copy_from_slice(&[y[1], -G]);
            Ok(())
        }
        fn n_events(&self) -> usize {
            1
        }
        fn events(&mut self, _: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
            g[0] = y[0];
            Ok(())
        }
        fn react(&mut self, _: usize, _: bool, _: f64, _: &mut [f64]) -> Result<Reaction, Failure> {
            Ok(Reaction::Stop)
        }
    }
    let options = Options::with_method(Method::Bdf).tolerances(1e-10, 1e-10);
    let mut problem = Problem::new(0.0, 10.0, [5.0, 0.0]);
    problem.output = Output::every(0.0, 10.0, 0.1);
    let (outcome, samples) = run(&mut Fall, &problem, &options);
    assert!((outcome.t_reached - (10.0 / G).sqrt()).abs() < 1e-9, "{outcome:?}");
    for (t, y) in samples {
        assert!((y[0] - (5.0 - 0.5 * G * t * t)).abs() < 1e-9, "{t} {y:?}");
    }
}
