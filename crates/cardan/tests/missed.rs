//! No event is missed that a closed form knows of, however long the steps and however short the condition holds: every method at
//! every tolerance.

use cardan::prelude::*;
use cardan_testkit::Random;

const METHODS: [Method; 5] = [Method::Auto, Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];
const TOLERANCES: [f64; 3] = [1e-4, 1e-8, 1e-11];

/// A particle with the equation of motion ẍ = `force`, and a condition that is counted each time it becomes true.
fn counted(condition: &str, force: &str) -> Compiled {
    let text = format!(
        "particle p on N by translate(x = x) {{ mass = 1 [kg] }}
         discrete n = 0, armed = 1
         when {condition} and armed > 0 \"on\" {{ n := n + 1; armed := 0 }}
         when not ({condition}) and armed < 1 \"off\" {{ armed := 1 }}
         force f on p.cm = {force} * N.x
         start {{ der(x) = 1 [m/s] }}"
    );
    let model = resolve(parse("test.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

fn settings(method: Method, tolerance: f64) -> Settings {
    Settings { to: 3.0, every: Some(0.5), method, rtol: tolerance, atol: tolerance, ..Settings::default() }
}

/// The times at which the condition became true.
fn times(compiled: &Compiled, settings: &Settings) -> Vec<f64> {
    let motion = compiled.simulation.run(settings, &mut ()).expect("a good start");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    let h = &motion.happenings;
    h.list.iter().filter(|e| h.name(e) == "on").map(|e| e.t).collect()
}

/// Checks a condition on x = t with every method at every tolerance.
fn check(condition: &str, expected: &[f64]) {
    let compiled = counted(condition, "0 [N]");
    for method in METHODS {
        for tolerance in TOLERANCES {
            let found = times(&compiled, &settings(method, tolerance));
            assert_eq!(found.len(), expected.len(), "{condition}, {method}, {tolerance:e}: {found:?}");
            for (a, b) in found.iter().zip(expected) {
                assert!((a - b).abs() < 1e-9, "{condition}, {method}, {tolerance:e}: {a} and {b}");
            }
        }
    }
}

/// Where sin(ω t) rises above a level, in 0 < t < 3.
fn rises(omega: f64, level: f64) -> Vec<f64> {
    let times = (0..).map(|k| (level.asin() + std::f64::consts::TAU * f64::from(k)) / omega);
    times.take_while(|t| *t < 3.0).collect()
}

#[test]
fn windows_much_shorter_than_a_step_are_seen() {
    for width in [1e-2, 1e-3, 1e-4, 1e-6] {
        let inside = [1.2345 - width];
        check(&format!("abs(x - 1.2345 [m]) < {width:?} [m]"), &inside);
        check(&format!("abs(t - 1.2345 [s]) < {width:?} [s]"), &inside);
        check(&format!("x > {:?} [m] and x < {:?} [m]", 1.2345 - width, 1.2345 + width), &inside);
        check(&format!("max(x - 1.2345 [m], 1.2345 [m] - x) < {width:?} [m]"), &inside);
    }
    for width in [1e-2, 1e-3, 1e-5] {
        check(&format!("(x - 1.2345 [m])^2 < {:?} [m^2]", width * width), &[1.2345 - width]);
    }
}

#[test]
fn conditions_that_oscillate_within_a_step_are_followed() {
    for (omega, level) in [(20.0, 0.9), (200.0, 0.99), (77.0, 0.0), (20.0, 0.99999)] {
        let expected = rises(omega, level);
        check(&format!("sin({omega:?} [rad/s]*t) > {level:?}"), &expected);
        check(&format!("sin({omega:?} [rad/m]*x) > {level:?}"), &expected);
    }
    assert_eq!(rises(200.0, 0.99).len(), 96);
    // Waves whose periods divide the step.
    check(
        "cos(6.283185307179586 [rad/s]*8*t) < -0.5",
        &(0..24).map(|k| (k as f64 + 1.0 / 3.0) / 8.0).collect::<Vec<_>>(),
    );
}

/// A hundred windows and waves at random places, against the closed form.
#[test]
fn random_conditions_against_closed_forms() {
    let mut random = Random::new(11);
    for case in 0..100 {
        let method = METHODS[case % METHODS.len()];
        let tolerance = TOLERANCES[case / METHODS.len() % TOLERANCES.len()];
        let (condition, expected) = if case % 2 == 0 {
            let (centre, width) = (random.between(0.1, 2.9), 10f64.powf(random.between(-6.0, -2.0)));
            (format!("abs(x - {centre:?} [m]) < {width:?} [m]"), vec![centre - width])
        } else {
            let (omega, level) = (10f64.powf(random.between(0.5, 2.4)), random.between(0.0, 0.9999));
            (format!("sin({omega:?} [rad/m]*x) > {level:?}"), rises(omega, level))
        };
        let found = times(&counted(&condition, "0 [N]"), &settings(method, tolerance));
        assert_eq!(found.len(), expected.len(), "{condition}, {method}, {tolerance:e}: {found:?}");
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-9, "{condition}, {method}, {tolerance:e}: {a} and {b}");
        }
    }
}

/// A swing x = sin(10 t)/10 that only just passes a mark at its turning points, every 2π/10 s.
#[test]
fn marks_that_are_only_just_passed_are_seen() {
    for part in [0.9999, 0.99999, 0.999999] {
        let compiled = counted(&format!("x > {:?} [m]", 0.1 * part), "-100 [N/m] * x");
        for method in METHODS {
            let found = times(&compiled, &settings(method, 1e-11));
            assert_eq!(found.len(), 5, "{part}, {method}: {found:?}");
        }
    }
}

/// A relay without hysteresis on a damped particle switches ever faster: this is told, with the names of the blocks, and what was
/// computed is kept.
#[test]
fn a_relay_that_chatters_is_told() {
    let text = "particle p on N by translate(x = x) { mass = 1 [kg] }
        discrete s = 1
        when x > 0 [m] and s > 0 \"back\" { s := -1 }
        when x < 0 [m] and s < 0 \"forth\" { s := 1 }
        force f on p.cm = (5 [N] * s - 30 [N*s/m]*p.u) * N.x
        start { x = 0.1 [m] }";
    let model = resolve(parse("test.mbs", text)).into_model().expect("a model");
    let compiled = compile_model(&model, Options::default()).expect("it compiles");
    let settings = Settings { to: 5.0, ..Settings::default() };
    let motion = compiled.simulation.run(&settings, &mut ()).expect("a good start");
    assert_eq!(motion.ending, Ending::Failed);
    for words in ["ever faster", "`back`", "`forth`", "hysteresis"] {
        assert!(motion.reason.contains(words), "{}", motion.reason);
    }
    assert!(motion.rows.len() > 10 && motion.happenings.n_events() < 200_000, "{}", motion.reason);
    // Whoever looks on can end it earlier, though every step ends at an event.
    struct Impatient(usize);
    impl cardan::sim::Observer for Impatient {
        fn progress(&mut self, _: f64) -> bool {
            self.0 += 1;
            self.0 < 3000
        }
    }
    let motion = compiled.simulation.run(&settings, &mut Impatient(0)).expect("a good start");
    assert_eq!(motion.ending, Ending::Interrupted);
}

/// A smooth push of 10 ms on a mass at rest: nothing tells a long step of it, but no step need be longer than it is. ∫ F dt = √π w F₀.
#[test]
fn a_short_push_is_felt_where_steps_are_as_short() {
    let text = "
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force push on p.cm = 100 [N] * exp(-((t - 5 [s]) / (10 [ms]))^2) * N.x
        simulate { to = 10 [s], every = 0.1 [s], max_step = 20 [ms] }
    ";
    let impulse = std::f64::consts::PI.sqrt();
    let run = run("push.mbs", text).expect("a good model");
    assert!((run.trajectory.last("der(x)").expect("a speed") - impulse).abs() < 1e-9);
    let motion = run.compiled.simulation.run(&Settings { max_step: None, ..run.settings }, &mut ());
    assert!(motion.expect("a good start").statistics.accepted < run.trajectory.statistics.accepted);
}
