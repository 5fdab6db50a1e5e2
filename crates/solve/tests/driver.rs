//! The driver: breakpoints, events, directions, limits, reasons for stopping.

use crate::common;

use cardan_solve::{
    Control, Crossing, Failure, Kind, Method, Options, Output, Problem, Reaction, Sample, Segment,
    StopReason, System, integrate,
};
use common::{Ode, run};
use proptest::prelude::*;

const ADAPTIVE: [Method; 4] = [Method::Dopri5, Method::Dop853, Method::Radau5, Method::Auto];

#[test]
fn a_jump_of_the_right_hand_side_is_integrated_exactly() {
    // f = cos t before 0.3, −7 t² from 0.3 to 0.9, exp t after; breakpoints also at the ends and given out of order.
    let slope = |t: f64| {
        if t < 0.3 {
            t.cos()
        } else if t <= 0.9 {
            -7.0 * t * t
        } else {
            t.exp()
        }
    };
    let part = |t: f64| 7.0 / 3.0 * t.powi(3);
    let known = 0.3f64.sin() - (part(0.9) - part(0.3)) + (2f64.exp() - 0.9f64.exp());
    for method in ADAPTIVE {
        for (t0, t1) in [(0.0, 2.0), (2.0, 0.0)] {
            let mut ode = Ode::new(1, move |t, _, dy| dy[0] = slope(t));
            let mut problem = Problem::new(t0, t1, [0.0]);
            problem.breakpoints = vec![0.9, 0.3, 5.0, 0.0, 2.0, 0.9];
            let options = Options::with_method(method).tolerances(1e-13, 1e-13);
            let (outcome, samples) = run(&mut ode, &problem, &options);
            assert_eq!(outcome.stop, StopReason::ReachedEnd);
            let error = outcome.y_reached[0].abs() - known.abs();
            assert!(error.abs() < 1e-12, "{method} {t0}: {error:e}");
            assert!(samples.iter().any(|s| s.0 == 0.3) && samples.iter().any(|s| s.0 == 0.9));
            assert!(method == Method::Radau5 || outcome.stats.rejected == 0, "{method}");
        }
    }
}

#[test]
fn rk4_keeps_its_order_across_a_breakpoint() {
    let mut ode = Ode::new(1, |t, _, dy| dy[0] = if t < 0.37 { t.powi(3) } else { 1.0 - t });
    let mut problem = Problem::new(0.0, 1.0, [0.0]);
    problem.breakpoints = vec![0.37];
    let options = Options { fixed_step: 0.1, ..Options::with_method(Method::Rk4) };
    let (outcome, _) = run(&mut ode, &problem, &options);
    // Simpson's rule is exact for cubic polynomials.
    let known = 0.37f64.powi(4) / 4.0 + 0.63f64.powi(2) / 2.0;
    assert!((outcome.y_reached[0] - known).abs() < 1e-15, "{}", outcome.y_reached[0] - known);
    assert_eq!(outcome.stats.accepted, 4 + 7);
}

/// A controller that samples the state every tenth of a second and holds its answer; a kick at the third sample.
struct Sampled {
    held: f64,
    segments: Vec<Segment>,
}

impl System for Sampled {
    fn dim(&self) -> usize {
        1
    }
    fn derivative(&mut self, _t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy[0] = self.held;
        Ok(())
    }
    fn enter(&mut self, segment: Segment, y: &mut [f64]) -> Result<(), Failure> {
        self.segments.push(segment);
        if self.segments.len() == 3 {
            y[0] += 1.0;
        }
        self.held = -5.0 * y[0];
        Ok(())
    }
}

#[test]
fn what_happens_at_known_times_happens_at_breakpoints() {
    for method in ADAPTIVE {
        let mut problem = Problem::new(0.0, 0.4, [1.0]);
        problem.breakpoints = vec![0.1, 0.2, 0.3];
        let mut system = Sampled { held: 0.0, segments: Vec::new() };
        let (outcome, _) = run(&mut system, &problem, &Options::with_method(method));
        // Each tenth halves the state: 1, 1/2, 1/4 + 1, 5/8, 5/16.
        assert!((outcome.y_reached[0] - 5.0 / 16.0).abs() < 1e-12, "{method} {}", outcome.y_reached[0]);
        assert_eq!(system.segments.len(), 4);
        assert_eq!(system.segments[1], Segment { from: 0.1, to: 0.2 });
    }
}

#[test]
fn a_sample_at_a_breakpoint_shows_what_the_system_makes_of_the_state_there() {
    for method in ADAPTIVE {
        let mut problem = Problem::new(0.0, 0.4, [1.0]);
        problem.breakpoints = vec![0.1, 0.2, 0.3];
        // By rounding, a sample may come a little before its breakpoint.
        let times = vec![0.0, 0.1, 0.15, 0.2f64.next_down(), 0.4];
        problem.output = Output::Times(times.clone());
        let mut system = Sampled { held: 0.0, segments: Vec::new() };
        let (_, rows) = run(&mut system, &problem, &Options::with_method(method));
        let expected = [1.0, 0.5, 0.375, 1.25, 5.0 / 16.0];
        assert_eq!(rows.iter().map(|(t, _)| *t).collect::<Vec<_>>(), times);
        for ((t, y), expected) in rows.iter().zip(expected) {
            assert!((y[0] - expected).abs() < 1e-12, "{method} at {t}: {y:?}");
        }
    }
}

/// A ball above a floor at height 0, with restitution e.
struct Ball {
    restitution: f64,
    bounces: Vec<f64>,
    rest_below: f64,
    crossing: Crossing,
}

impl System for Ball {
    fn dim(&self) -> usize {
        2
    }
    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy[0] = y[1];
        dy[1] = -9.81;
        Ok(())
    }
    fn n_events(&self) -> usize {
        1
    }
    fn crossing(&self, _: usize) -> Crossing {
        self.crossing
    }
    fn events(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = y[0];
        Ok(())
    }
    fn react(&mut self, _: usize, rising: bool, t: f64, y: &mut [f64]) -> Result<Reaction, Failure> {
        if rising {
            return Ok(Reaction::Continue);
        }
        self.bounces.push(t);
        y[1] *= -self.restitution;
        Ok(if y[1] < self.rest_below { Reaction::Stop } else { Reaction::Restart })
    }
}

#[test]
fn a_bouncing_ball_meets_the_floor_at_the_known_times() {
    let (g, e, height): (f64, f64, f64) = (9.81, 0.8, 1.0);
    for method in [Method::Rk4, Method::Dopri5, Method::Dop853, Method::Radau5] {
        for crossing in [Crossing::Down, Crossing::Both] {
            let mut ball = Ball { restitution: e, bounces: Vec::new(), rest_below: 1e-6, crossing };
            let options = Options { fixed_step: 0.01, ..Options::with_method(method) };
            let (outcome, _) = run(&mut ball, &Problem::new(0.0, 10.0, [height, 0.0]), &options);
            let mut speed = (2.0 * g * height).sqrt();
            let mut known = vec![speed / g];
            while speed * e >= 1e-6 {
                speed *= e;
                known.push(known[known.len() - 1] + 2.0 * speed / g);
            }
            assert!(
                matches!(outcome.stop, StopReason::Event { event: 0, .. }),
                "{method} {:?}",
                outcome.stop
            );
            assert_eq!(ball.bounces.len(), known.len(), "{method}");
            for (found, known) in ball.bounces.iter().zip(&known) {
                assert!((found - known).abs() < 1e-10, "{method} {found} {known}");
            }
            assert_eq!(outcome.t_reached, ball.bounces[known.len() - 1]);
        }
    }
}

/// ẏ = −s with s flipping at every crossing of y = 0: it cannot leave zero.
struct Chatter {
    s: f64,
}

impl System for Chatter {
    fn dim(&self) -> usize {
        1
    }
    fn derivative(&mut self, _t: f64, _y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy[0] = -self.s;
        Ok(())
    }
    fn n_events(&self) -> usize {
        1
    }
    fn events(&mut self, _t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        g[0] = y[0];
        Ok(())
    }
    fn react(&mut self, _: usize, rising: bool, _t: f64, _y: &mut [f64]) -> Result<Reaction, Failure> {
        self.s = if rising { 1.0 } else { -1.0 };
        Ok(Reaction::Restart)
    }
}

#[test]
fn events_without_end_are_reported() {
    for method in ADAPTIVE {
        let problem = Problem::new(0.0, 10.0, [1.0]);
        let (outcome, _) = run(&mut Chatter { s: 1.0 }, &problem, &Options::with_method(method));
        assert!((outcome.t_reached - 1.0).abs() < 1e-8 && outcome.y_reached[0].abs() < 1e-8, "{outcome:?}");
        let told = outcome.stop.to_string();
        assert!(
            told.ends_with(": events follow one another without end; the last is event 0"),
            "{outcome:?}"
        );
    }
}

/// An oscillator with event functions given by a closure; collects the crossings.
struct Watched<G> {
    n_events: usize,
    g: G,
    crossing: Crossing,
    found: Vec<(usize, f64)>,
}

impl<G: FnMut(f64, &[f64], &mut [f64])> System for Watched<G> {
    fn dim(&self) -> usize {
        2
    }
    fn derivative(&mut self, _t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        dy[0] = y[1];
        dy[1] = -y[0];
        Ok(())
    }
    fn n_events(&self) -> usize {
        self.n_events
    }
    fn crossing(&self, _: usize) -> Crossing {
        self.crossing
    }
    fn events(&mut self, t: f64, y: &[f64], g: &mut [f64]) -> Result<(), Failure> {
        (self.g)(t, y, g);
        Ok(())
    }
    fn react(&mut self, event: usize, _rising: bool, t: f64, _y: &mut [f64]) -> Result<Reaction, Failure> {
        self.found.push((event, t));
        Ok(Reaction::Continue)
    }
}

#[test]
fn crossings_count_by_direction_forward_and_backward() {
    let pi = std::f64::consts::PI;
    for (crossing, t1, known) in [
        (Crossing::Both, 10.0, vec![pi, 2.0 * pi, 3.0 * pi]),
        (Crossing::Down, 10.0, vec![pi, 3.0 * pi]),
        (Crossing::Up, 10.0, vec![2.0 * pi]),
        // Seen backward in time, sin t rises through −2π … as it falls through −π.
        (Crossing::Up, -10.0, vec![-pi, -3.0 * pi]),
    ] {
        let mut system = Watched {
            n_events: 1,
            g: |_: f64, y: &[f64], g: &mut [f64]| g[0] = y[0],
            crossing,
            found: Vec::new(),
        };
        let options = Options::with_method(Method::Dop853).tolerances(1e-12, 1e-13);
        let (outcome, _) = run(&mut system, &Problem::new(0.0, t1, [0.0, 1.0]), &options);
        assert_eq!(outcome.stop, StopReason::ReachedEnd);
        assert_eq!(system.found.len(), known.len(), "{crossing:?} {:?}", system.found);
        for ((_, found), known) in system.found.iter().zip(known) {
            assert!((found - known).abs() < 1e-10, "{found} {known}");
        }
    }
}

#[test]
fn a_double_crossing_within_a_step_is_seen() {
    // sin t exceeds 0.9999 for 28 ms around π/2; the steps are about half a second long.
    let mut system = Watched {
        n_events: 2,
        g: |t: f64, y: &[f64], g: &mut [f64]| {
            g[0] = y[0] - 0.9999;
            g[1] = (t - 2.0) * (t - 2.001);
        },
        crossing: Crossing::Both,
        found: Vec::new(),
    };
    let options = Options::with_method(Method::Dop853).tolerances(1e-9, 1e-9);
    let (outcome, _) = run(&mut system, &Problem::new(0.0, 6.0, [0.0, 1.0]), &options);
    assert!(outcome.stats.accepted < 20, "{:?}", outcome.stats);
    let edge = 0.9999f64.asin();
    let known = [(0, edge), (0, std::f64::consts::PI - edge), (1, 2.0), (1, 2.001)];
    assert_eq!(system.found.len(), known.len(), "{:?}", system.found);
    for ((event, t), known) in system.found.iter().zip(known) {
        assert!(*event == known.0 && (t - known.1).abs() < 1e-6, "{t} {known:?}");
    }
}

#[test]
fn events_at_one_time_come_together_in_order() {
    let mut system = Watched {
        n_events: 3,
        g: |t: f64, y: &[f64], g: &mut [f64]| g.copy_from_slice(&[1.0 - t, y[0] - 10.0, t - 1.0]),
        crossing: Crossing::Both,
        found: Vec::new(),
    };
    run(&mut system, &Problem::new(0.0, 2.0, [0.0, 1.0]), &Options::default());
    let events: Vec<usize> = system.found.iter().map(|f| f.0).collect();
    assert_eq!(events, [0, 2]);
    assert!(system.found.iter().all(|f| (f.1 - 1.0).abs() < 1e-14), "{:?}", system.found);
}

#[test]
fn time_reversed_returns_to_the_start() {
    let start = [1.0, 0.3, -0.2, 0.4];
    for method in ADAPTIVE {
        let ode = || {
            Ode::new(4, |t, y, dy| {
                dy.copy_from_slice(&[
                    y[2],
                    y[3],
                    -y[0] - y[1] * y[1] + 0.1 * t.sin(),
                    -y[1] - 2.0 * y[0] * y[1],
                ]);
            })
        };
        let options = Options::with_method(method).tolerances(1e-11, 1e-12);
        let (there, _) = run(&mut ode(), &Problem::new(0.0, 0.8, start), &options);
        let (back, _) = run(&mut ode(), &Problem::new(0.8, 0.0, there.y_reached), &options);
        for (found, known) in back.y_reached.iter().zip(start) {
            assert!((found - known).abs() < 1e-9, "{method} {found} {known}");
        }
    }
}

#[test]
fn samples_follow_the_grid_without_steering_the_steps() {
    for method in ADAPTIVE {
        let ode = || Ode::new(2, |_, y, dy| dy.copy_from_slice(&[y[1], -y[0]]));
        let options = Options::with_method(method).tolerances(1e-9, 1e-9);
        let mut problem = Problem::new(0.0, 5.0, [0.0, 1.0]);
        let (free, _) = run(&mut ode(), &problem, &options);
        problem.output = Output::every(0.0, 5.0, 0.01);
        let (sampled, samples) = run(&mut ode(), &problem, &options);
        assert_eq!(free.stats.accepted, sampled.stats.accepted);
        assert_eq!(free.y_reached, sampled.y_reached);
        assert_eq!(samples.len(), 501);
        for (i, (t, y)) in samples.iter().enumerate() {
            assert!((t - 0.01 * i as f64).abs() < 1e-12);
            assert!((y[0] - t.sin()).abs() < 1e-7, "{method} {t} {}", y[0] - t.sin());
        }
    }
}

#[test]
fn nothing_to_do_is_done() {
    for method in ADAPTIVE {
        let options = Options::with_method(method);
        let mut nothing = Ode::new(0, |_, _, _| {});
        let (outcome, samples) = run(&mut nothing, &Problem::new(0.0, 7.0, []), &options);
        assert_eq!((outcome.stop, outcome.t_reached), (StopReason::ReachedEnd, 7.0));
        assert!(samples.len() >= 2);
        let mut ode = Ode::new(1, |_, _, _| panic!("no evaluation is needed"));
        let (outcome, samples) = run(&mut ode, &Problem::new(3.0, 3.0, [2.0]), &options);
        assert_eq!((outcome.stop, outcome.y_reached, samples.len()), (StopReason::ReachedEnd, vec![2.0], 1));
    }
}

#[test]
fn the_reasons_for_stopping_are_told() {
    let options = Options::with_method(Method::Dop853);
    let stop = |ode: &mut Ode, options: &Options| run(ode, &Problem::new(0.0, 2.0, [1.0]), options).0;

    // ẏ = y² blows up at t = 1.
    let outcome = stop(&mut Ode::new(1, |_, y, dy| dy[0] = y[0] * y[0]), &options);
    assert!((outcome.t_reached - 1.0).abs() < 1e-9, "{outcome:?}");
    assert!(
        matches!(
            outcome.stop,
            StopReason::StepTooSmall { component: Some(0), .. } | StopReason::NonFinite { .. }
        ),
        "{outcome:?}"
    );
    // √(1 − t) is undefined after t = 1.
    let outcome = stop(&mut Ode::new(1, |t, _, dy| dy[0] = (1.0 - t).sqrt()), &options);
    assert!(
        matches!(outcome.stop, StopReason::NonFinite { t, component: 0 } if (t - 1.0).abs() < 1e-6),
        "{outcome:?}"
    );

    let limited = Options { max_steps: 5, ..options.clone() };
    let outcome = stop(&mut Ode::new(1, |t, _, dy| dy[0] = (100.0 * t).sin()), &limited);
    assert!(matches!(outcome.stop, StopReason::TooManySteps { limit: 5, .. }), "{outcome:?}");

    let coarse = Options { min_step: 0.1, ..options.clone() };
    let outcome = stop(&mut Ode::new(1, |t, _, dy| dy[0] = (1000.0 * t).sin()), &coarse);
    assert!(matches!(outcome.stop, StopReason::StepTooSmall { .. }), "{outcome:?}");

    let mut outcomes = [
        Options { rtol: 1e-17, ..options.clone() },
        Options { rtol: 0.0, ..options.clone() }.tolerances(0.0, 0.0),
        Options { max_step: 0.0, ..options.clone() },
        options.clone().tolerances(1e-6, f64::NAN),
    ]
    .into_iter()
    .map(|options| stop(&mut Ode::new(1, |_, _, dy| dy[0] = 0.0), &options).stop.to_string());
    assert_eq!(
        outcomes.next().unwrap(),
        "the relative tolerance 0.00000000000000001 is outside 2.3e-15 to 1"
    );
    assert_eq!(outcomes.next().unwrap(), "both tolerances of state 0 are zero");
    assert_eq!(outcomes.next().unwrap(), "the maximal step size 0 is not positive");
    assert_eq!(outcomes.next().unwrap(), "the absolute tolerance NaN of state 0 is negative or not finite");

    let mut problem = Problem::new(0.0, 2.0, [1.0]);
    problem.output = Output::Times(vec![1.0, 0.5]);
    let outcome = run(&mut Ode::new(1, |_, _, dy| dy[0] = 0.0), &problem, &options).0;
    assert_eq!(outcome.stop.to_string(), "the output times are not in the order of integration");
}

#[test]
fn the_observer_can_stop_and_keeps_what_it_saw() {
    let mut ode = Ode::new(1, |_, _, dy| dy[0] = 1.0);
    let mut problem = Problem::new(0.0, 10.0, [0.0]);
    problem.output = Output::every(0.0, 10.0, 1.0);
    let mut seen = Vec::new();
    let outcome = integrate(&mut ode, &problem, &Options::default(), &mut |sample: Sample<'_>| {
        if sample.kind == Kind::Output {
            seen.push(sample.t);
        }
        if seen.len() == 4 { Control::Stop } else { Control::Continue }
    });
    assert_eq!(outcome.stop, StopReason::StoppedByObserver);
    assert_eq!(seen, [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(outcome.t_reached, 3.0);
}

/// A point on the unit circle in Cartesian coordinates; f pushes it off a little, `project` pulls it back.
struct Circle {
    refuses_beyond: f64,
}

impl System for Circle {
    fn dim(&self) -> usize {
        2
    }
    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), Failure> {
        if t > self.refuses_beyond {
            return Err(Failure::recoverable("the wheel has left the road"));
        }
        dy[0] = -y[1];
        dy[1] = y[0];
        Ok(())
    }
    fn project(&mut self, _t: f64, y: &mut [f64]) -> Result<bool, Failure> {
        let r = y[0].hypot(y[1]);
        y[0] /= r;
        y[1] /= r;
        Ok(true)
    }
}

#[test]
fn projection_holds_the_invariant_at_steps_and_samples() {
    for method in [Method::Rk4, Method::Dopri5, Method::Dop853, Method::Radau5] {
        let mut problem = Problem::new(0.0, 20.0, [1.0, 0.0]);
        problem.output = Output::every(0.0, 20.0, 0.1);
        let options = Options { fixed_step: 0.01, ..Options::with_method(method).tolerances(1e-7, 1e-7) };
        let (outcome, samples) = run(&mut Circle { refuses_beyond: 1e9 }, &problem, &options);
        assert_eq!(outcome.stop, StopReason::ReachedEnd);
        assert!(outcome.stats.projections >= 201);
        for (t, y) in samples {
            assert!((y[0].hypot(y[1]) - 1.0).abs() < 1e-15);
            assert!((y[0] - t.cos()).abs() < 1e-5, "{method} {t} {:e}", y[0] - t.cos());
        }
    }
}

#[test]
fn a_failure_at_trial_states_is_approached_and_then_told() {
    for method in ADAPTIVE {
        let options = Options::with_method(method);
        let (outcome, samples) =
            run(&mut Circle { refuses_beyond: 1.5 }, &Problem::new(0.0, 3.0, [1.0, 0.0]), &options);
        let StopReason::SystemFailed { t, failure } = outcome.stop else { panic!("{outcome:?}") };
        assert_eq!(failure.message, "the wheel has left the road");
        assert!((t - 1.5).abs() < 1e-9 && outcome.t_reached <= 1.5 && outcome.t_reached > 1.5 - 1e-9);
        assert!(samples.len() > 3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_staircase_is_integrated_exactly(
        stairs in prop::collection::vec((0.01..1.0f64, -5.0..5.0f64), 1..8),
        backward in any::<bool>(),
        method in prop::sample::select(&ADAPTIVE[..]),
    ) {
        // The slope is level · (1 + t²) with another level on each tread.
        let mut edges = vec![0.0];
        for (width, _) in &stairs {
            edges.push(edges[edges.len() - 1] + width);
        }
        let primitive = |t: f64| t + t.powi(3) / 3.0;
        let known: f64 = stairs
            .iter()
            .enumerate()
            .map(|(i, (_, level))| level * (primitive(edges[i + 1]) - primitive(edges[i])))
            .sum();
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        let (t0, t1) = if backward { (last, first) } else { (first, last) };
        let mut problem = Problem::new(t0, t1, [0.0]);
        problem.breakpoints = edges.clone();
        let mut ode = Ode::new(1, move |t, _, dy| {
            let tread = edges.iter().rposition(|&edge| t >= edge).unwrap_or(0).min(stairs.len() - 1);
            dy[0] = stairs[tread].1 * (1.0 + t * t);
        });
        let options = Options::with_method(method).tolerances(1e-12, 1e-13);
        let (outcome, _) = run(&mut ode, &problem, &options);
        prop_assert_eq!(outcome.stop, StopReason::ReachedEnd);
        let found = if backward { -outcome.y_reached[0] } else { outcome.y_reached[0] };
        prop_assert!((found - known).abs() < 1e-11 * (1.0 + known.abs()), "{} {}", found, known);
    }

    #[test]
    fn a_damped_oscillator_follows_its_closed_form(
        frequency in 0.2..20.0f64,
        damping in 0.0..0.9f64,
        t1 in -3.0..3.0f64,
        method in prop::sample::select(&ADAPTIVE[..]),
    ) {
        let mut ode = Ode::new(2, move |_, y, dy| {
            dy[0] = y[1];
            dy[1] = -frequency * frequency * y[0] - 2.0 * damping * frequency * y[1];
        });
        let mut problem = Problem::new(0.0, t1, [1.0, -damping * frequency]);
        problem.output = Output::every(0.0, t1, 0.05);
        let options = Options::with_method(method).tolerances(1e-10, 1e-10);
        let (outcome, samples) = run(&mut ode, &problem, &options);
        prop_assert_eq!(outcome.stop, StopReason::ReachedEnd);
        let shaken = frequency * (1.0 - damping * damping).sqrt();
        for (t, y) in samples {
            let known = (-damping * frequency * t).exp() * (shaken * t).cos();
            let size = (-damping * frequency * t).exp().max(1.0);
            prop_assert!((y[0] - known).abs() < 1e-6 * size, "{} {} {}", t, y[0], known);
        }
    }
}

/// Dry friction without stiction: once at rest, the slope points to the other side on either side.
#[test]
fn a_motion_that_switches_without_end_stops_and_says_so() {
    let mut ode = Ode::new(1, |_, y, dy| dy[0] = if y[0] > 0.0 { -1.0 } else { 1.0 });
    let (outcome, _) = run(&mut ode, &Problem::new(0.0, 3.0, [1.0]), &Options::with_method(Method::Dop853));
    assert!(
        matches!(outcome.stop, StopReason::Creeps { t, .. } if (1.0..1.001).contains(&t)),
        "{}",
        outcome.stop
    );
    assert!((outcome.t_reached - 1.0).abs() < 1e-3 && outcome.y_reached[0].abs() < 1e-9);
}

/// A swing without end is no creeping: its steps are as long as ever.
#[test]
fn an_end_that_is_too_far_away_is_called_so() {
    let mut ode = Ode::new(2, |_, y, dy| (dy[0], dy[1]) = (y[1], -y[0]));
    let options = Options { max_steps: 2_000_000, ..Options::with_method(Method::Dopri5) };
    let (outcome, _) = run(&mut ode, &Problem::new(0.0, 1e12, [1.0, 0.0]), &options);
    let StopReason::OutOfReach { needed, limit, .. } = outcome.stop else { panic!("{}", outcome.stop) };
    assert!(needed > 1e11 && limit == 2_000_000, "{needed}");
    assert!(!outcome.stop.to_string().contains("switches"), "{}", outcome.stop);
}
