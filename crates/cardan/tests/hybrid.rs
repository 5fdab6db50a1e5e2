//! Events, sampled blocks and procedures: closed forms, brute force, and random controllers.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn model(text: &str) -> Model {
    match resolve(parse("test.mbs", text)).into_model() {
        Ok(model) => model,
        Err(error) => panic!("{text}\n{error}"),
    }
}

struct Subject {
    model: Model,
    compiled: Compiled,
}

fn subject(text: &str) -> Subject {
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    Subject { model, compiled }
}

impl Subject {
    fn settings(&self) -> Settings {
        Settings::of(&self.model, &ParameterValues::of(&self.model)).expect("good settings")
    }
    fn run(&self) -> Trajectory {
        self.run_with(&self.settings())
    }
    fn run_with(&self, settings: &Settings) -> Trajectory {
        self.compiled.simulation.run(settings, &mut ()).expect("a good start")
    }
}

fn run(text: &str) -> Trajectory {
    subject(text).run()
}

/// Times of the event called `name`.
fn times(motion: &Trajectory, name: &str) -> Vec<f64> {
    let h = &motion.happenings;
    h.list.iter().filter(|e| h.name(e) == name).map(|e| e.t).collect()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

const BALL: &str = "
parameter e = 0.8
gravity = -9.81 [m/s^2] * N.z
particle ball on N by translate(z = h) { mass = 2 [kg] }
discrete hits = 0
when h <= 0 [m] and ball.u < 0 [m/s] \"bounce\" { ball.u := -e*ball.u; hits := hits + 1 }
start { h = 1 [m] }
";

/// The k-th impact of a ball dropped from h: t_k = t_0 (1 + 2 e + 2 e² + … + 2 e^k), t_0 = sqrt(2 h/g).
#[test]
fn a_ball_bounces_at_the_times_of_the_closed_form() {
    let motion = run(&format!("{BALL} simulate {{ to = 3.5 [s] }}"));
    let found = times(&motion, "bounce");
    let (t0, e) = ((2.0f64 / 9.81).sqrt(), 0.8f64);
    let mut expected = t0;
    assert!(found.len() > 8, "{found:?}");
    for (k, t) in found.iter().enumerate() {
        close(*t, expected, 1e-11);
        expected += 2.0 * t0 * e.powi(k as i32 + 1);
    }
    assert_eq!(motion.last("hits"), Some(found.len() as f64));
    // Each bounce takes (1 - e²) of the kinetic energy, 2 kg · 9.81 m/s² · 1 m at first.
    let lost = 2.0 * 9.81 * (1.0 - e.powi(2 * found.len() as i32));
    close(motion.last("events.work").expect("a column"), -lost, 1e-9);
    assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
}

#[test]
fn bounces_without_end_are_reported_and_what_was_computed_is_kept() {
    let motion = run(&format!("{BALL} simulate {{ to = 5 [s], every = 0.1 [s] }}"));
    assert_eq!(motion.ending, Ending::Failed);
    assert!(
        motion.reason.contains("crowd together") && motion.reason.contains("`bounce`"),
        "{}",
        motion.reason
    );
    // All bounces are over at t_0 (1 + e)/(1 - e).
    close(motion.reached, 9.0 * (2.0f64 / 9.81).sqrt(), 1e-6);
    assert!(motion.rows.len() >= 41);
    assert!(motion.reason.contains("4.0637"), "{}", motion.reason);
}

/// A ball that comes to rest: the text says when.
#[test]
fn a_state_of_rest_ends_the_bounces() {
    let text = "
        gravity = -9.81 [m/s^2] * N.z
        particle ball on N by translate(z = h) { mass = 2 [kg] }
        discrete rests = 0
        when h <= 0 [m] and ball.u < 0 [m/s] and rests < 1 {
          if ball.u > -0.01 [m/s] { rests := 1; ball.u := 0; h := 0 } else { ball.u := -0.5*ball.u }
        }
        force floor on ball.cm = (if rests > 0 then 2 [kg] * 9.81 [m/s^2] else 0 [N]) * N.z
        start { h = 1 [m] }
        simulate { to = 5 [s] }";
    let motion = run(text);
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    assert_eq!((motion.last("h"), motion.last("rests")), (Some(0.0), Some(1.0)));
    assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
}

/// Heating and cooling between two limits: x' = (a - x)/T, a = 1 or 0, switched at 0.3 and 0.7.
#[test]
fn a_relay_with_hysteresis_switches_at_the_times_of_the_closed_form() {
    let text = "
        parameter T = 0.5 [s]
        discrete heat = 0
        state x = 0.5
        der(x) = (heat - x)/T
        when x < 0.3 { heat := 1 }
        when x > 0.7 { heat := 0 }
        simulate { to = 6 [s] }";
    let motion = run(text);
    let found: Vec<f64> = motion.happenings.list.iter().map(|e| e.t).collect();
    // From 0.5 to 0.3, then up from 0.3 to 0.7 and down from 0.7 to 0.3 by turns, both in T ln(7/3).
    let mut expected = 0.5 * (5.0f64 / 3.0).ln();
    let period = 0.5 * (7.0f64 / 3.0).ln();
    assert_eq!(found.len(), 1 + ((6.0 - expected) / period) as usize);
    for t in found {
        close(t, expected, 1e-10);
        expected += period;
    }
}

#[test]
fn what_is_true_at_the_start_happens_once_and_only_an_edge_counts() {
    let text = "
        discrete a = 0, b = 0, c = 0
        state x = 1
        der(x) = -1 [1/s]
        when x > 0.5 { a := a + 1 }
        when x < 0.5 { b := b + 1 }
        when t >= 0.25 [s] { c := c + 1 }
        when t < 0.25 [s] { c := c + 10 }
        simulate { to = 1 [s] }";
    let motion = run(text);
    assert_eq!((motion.last("a"), motion.last("b"), motion.last("c")), (Some(1.0), Some(1.0), Some(11.0)));
    assert_eq!(motion.happenings.list[0].t, 0.0);
}

/// A start exactly on the limit is on the side that the comparison says.
#[test]
fn a_strict_comparison_is_left_from_its_limit() {
    for (relation, at_start) in [("<", false), ("<=", true)] {
        let text = format!(
            "discrete n = 0
             state x = 0 [m]
             der(x) = -1 [m/s]
             when x {relation} 0 [m] {{ n := n + 1 }}
             simulate {{ to = 1 [s] }}"
        );
        let motion = run(&text);
        assert_eq!(motion.last("n"), Some(1.0), "{relation}");
        let t = motion.happenings.list[0].t;
        assert!(if at_start { t == 0.0 } else { t > 0.0 && t < 1e-6 }, "{relation} at {t}");
    }
}

/// A block sees what earlier lines of it have changed, and variables follow; local variables do not.
#[test]
fn lines_of_a_block_happen_in_order() {
    let text = "
        discrete a = 1, b = 2, c = 0, d = 0, e = 0
        variable twice = 2*a
        when t >= 0.5 [s] {
          local old = twice
          (a, b) := (b, a)
          c := twice
          d := old
          for k in 1 .. 4 { e := e + k*a }
          if e > 10 { e := e + 100 } else if e > 5 { e := 0 } else { c := -1 }
        }
        state x = 0 { der = 1 [1/s] }
        simulate { to = 1 [s] }";
    let motion = run(text);
    let last = |name: &str| motion.last(name).expect("a column");
    // a and b are exchanged; c = 2·2; d = 2·1; e = (1 + 2 + 3 + 4)·2 + 100.
    assert_eq!(["a", "b", "c", "d", "e"].map(last), [2.0, 1.0, 4.0, 2.0, 120.0]);
}

/// One event makes another true at the same instant; the first of the text goes first.
#[test]
fn events_of_one_instant_happen_one_after_the_other() {
    let text = "
        discrete n = 0, order = 0
        when n >= 1 and n < 3 \"third\" { order := 10*order + 3; n := n + 10 }
        when t >= 0.5 [s] \"first\" { order := 10*order + 1; n := n + 1 }
        when t >= 0.5 [s] and n < 5 \"second\" { order := 10*order + 2 }
        state x = 0 { der = 1 [1/s] }
        simulate { to = 1 [s] }";
    let motion = run(text);
    // After the first, the third is true and stands before the second, which it makes false.
    assert_eq!(motion.last("order"), Some(13.0));
    assert!(motion.happenings.list.iter().all(|e| e.t == 0.5), "{:?}", motion.happenings);
}

#[test]
fn blocks_that_set_one_another_off_are_named() {
    let text = "
        discrete n = 0
        when n < 1 and t >= 0.5 [s] \"up\" { n := 2 }
        when n > 1 \"down\" { n := 0 }
        state x = 0 { der = 1 [1/s] }
        simulate { to = 1 [s], every = 0.1 [s] }";
    let motion = run(text);
    assert_eq!(motion.ending, Ending::Failed);
    assert!(motion.reason.contains("`up`") && motion.reason.contains("`down`"), "{}", motion.reason);
    assert!(motion.reason.contains("t = 0.5 s"), "{}", motion.reason);
    assert!(motion.rows.len() >= 5);
}

/// A relay without a dead zone slides along its switching line: found, not followed for ever.
#[test]
fn a_sliding_relay_is_reported() {
    let text = "
        discrete push = 1
        state x = 1
        der(x) = push*1 [1/s]
        when x > 1.5 { push := -1 }
        when x <= 1.5 { push := 1 }
        simulate { to = 2 [s] }";
    let motion = run(text);
    assert_eq!(motion.ending, Ending::Failed);
    assert!(motion.reason.contains("crowd together"), "{}", motion.reason);
    close(motion.reached, 0.5, 1e-6);
}

/// Samples at k T, computed, and held in between: y' = u_k gives y exactly.
#[test]
fn sampled_blocks_run_at_exact_multiples() {
    let text = "
        parameter period = 0.01 [s]
        discrete k = 0, last = 0 [s], held = 1
        state x = 1
        der(x) = -held*3 [1/s]
        every period { k := k + 1; last := t; held := x }
        every 3*period from 0.005 [s] \"slow\" { last := last }
        simulate { to = 1.234 [s], every = 0.1 [s] }";
    let motion = run(text);
    assert_eq!(motion.last("k"), Some(124.0));
    assert_eq!(motion.last("last"), Some(0.01 * 123.0));
    // x_{k+1} = x_k (1 - 3 T).
    let expected = 0.97f64.powi(123) * (1.0 - 3.0 * 0.004);
    close(motion.last("x").expect("a column"), expected, 1e-12);
    let counts = &motion.happenings.counts;
    assert_eq!(counts[..], [124, 41]);
    assert_eq!(motion.happenings.n_samples(), 165);
}

/// The clock of a shortest on-time is met exactly, without a search.
#[test]
fn a_time_known_in_advance_is_met_exactly() {
    let text = "
        discrete fire = 0, off = 0 [s], n = 0
        state x = 0
        der(x) = 1 [1/s]
        when x > 0.3 and fire < 1 \"on\" { fire := 1; off := t + 0.25 [s] }
        when fire > 0 and t >= off \"off\" { fire := 0; n := n + 1; x := 0 }
        simulate { to = 2 [s] }";
    let motion = run(text);
    let (on, off) = (times(&motion, "on"), times(&motion, "off"));
    assert_eq!((on.len(), off.len()), (4, 3));
    for (on, off) in on.iter().zip(&off) {
        assert_eq!(*off, on + 0.25);
    }
}

/// A load that switches at a time which a discrete state holds is met exactly, by a method of high order.
#[test]
fn a_load_that_waits_for_a_held_time_is_met_exactly() {
    let text = "
        discrete off = 0.7 [s]
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force drive on p.cm = (if t < off then 3 [N] else -1 [N]) * N.x
        when x >= 0.5 [m] { off := t + 0.125 [s] }
        simulate { to = 2 [s] }";
    let motion = run(text);
    // x = 3/2 t² reaches 0.5 at 1/sqrt(3).
    let off = (1.0f64 / 3.0).sqrt() + 0.125;
    close(motion.last("off").expect("a column"), off, 1e-11);
    close(motion.last("der(x)").expect("a column"), 3.0 * off - (2.0 - off), 1e-10);
    assert_eq!(motion.statistics.rejected, 0);
}

/// A procedure gives the same numbers as the expression that it stands for.
#[test]
fn procedures_are_functions() {
    let text = "
        procedure power(x, n) -> y { y := 1; for k in 1 .. 5 { if k <= n { y := y*x } } }
        procedure limits(x [m]) -> (low [m], high [m]) {
          local half = x/2
          if x < 0 [m] { half := -half }
          return x - half, x + half
        }
        state s = -3 [m] { der = 2 [m/s] }
        output p = power(s/(1 [m]), 3), low = limits(s).low, high = limits(s).high
        output low_again = s - abs(s)/2, cube = (s/(1 [m]))^3
        simulate { to = 3 [s] }";
    let motion = run(text);
    let series = |name: &str| motion.series(name).expect("a column");
    for (a, b) in [("p", "cube"), ("low", "low_again")] {
        let worst = series(a).iter().zip(series(b)).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(worst < 1e-12, "{a} and {b} differ by {worst}");
    }
    assert!(series("high").iter().zip(series("low")).all(|(h, l)| *h >= l));
}

/// An impact on a closed loop stays on the constraints: the speeds are projected in the metric of the masses.
#[test]
fn an_impact_keeps_a_loop_closed() {
    let text = "
        gravity = -9.81 [m/s^2] * N.z
        body a on N by rotate(y = q1) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point E = (1, 0, 0) [m] }
        body b on N by rotate(y = q2) at (2, 0, 0) [m] { mass = 2 [kg]; inertia = (0.2, 0.2, 0.2) [kg*m^2]; center = (0.5, 0, 0) [m]; point E = (1, 0, 0) [m] }
        joint rod = distance(a.E, b.E, length = 2 [m])
        discrete n = 0
        when q1 > 0.5 and a.u > 0 [rad/s] { a.u := -0.5*a.u; n := n + 1 }
        start { q1 = 0.2; q2 = 0.2 }
        simulate { to = 1 [s] }";
    let motion = run(text);
    assert!(motion.last("n").is_some_and(|n| n >= 1.0), "{}", motion.reason);
    let (position, velocity) = motion.left_open.expect("a loop");
    assert!(position < 1e-10 && velocity < 1e-9, "{position} {velocity}");
    assert!(motion.audit.relative() < 1e-8, "{}", motion.audit);
}
