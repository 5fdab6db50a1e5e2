//! Conditions and loads of the clock: every instant at which they switch is met, however short they hold and whatever else happens.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan_testkit::Random;

fn run_by(text: &str, method: Method) -> Trajectory {
    let text = format!("particle p on N by translate(x = x) {{ mass = 1 [kg] }}\n{text}");
    let model = resolve(parse("test.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let motion = compiled.simulation.run(&Settings { method, ..settings }, &mut ()).expect("a good start");
    assert_eq!(motion.ending, Ending::Finished, "{text}\n{}", motion.reason);
    motion
}

fn run(text: &str) -> Trajectory {
    run_by(text, Method::Auto)
}

const SPRING: &str = "force spring on p.cm = -1 [N/m]*x*N.x
start { x = 0.1 [m] }
simulate { to = 6 [s], every = 0.1 [s] }
";

/// Each clock alone, and beside each of the others: none hides another.
#[test]
fn clocks_do_not_hide_one_another() {
    let clocks = [
        ("a", "when mod(t, 0.1 [s]) > 0.0999 [s] { a := a + 1 }", 60.0),
        ("b", "when mod(t, 0.1 [s]) > 0.05 [s] { b := b + 1 }", 60.0),
        ("c", "when sin((20*pi) [rad/s]*t) > 0.999 { c := c + 1 }", 60.0),
        ("d", "when floor(t/(0.1 [s])) > d { d := d + 1 }", 60.0),
        ("e", "when mod(t, 0.125 [s]) > 0.1249 [s] { e := e + 1 }", 48.0),
        ("f", "when sin(300 [rad/s]*t) > 0.99999999 { f := f + 1 }", 287.0),
        ("g", "when x < 0 [m] { g := g + 1 }", 1.0),
        ("h", "every 0.03 [s] { h := h + 1 }", 201.0),
        ("i", "when abs(mod(t, 0.1 [s]) - 0.02 [s]) < 1e-7 [s] { i := i + 1 }", 60.0),
        ("j", "when mod(t, 0.1 [s]) > 0.0999 [s] and x > -1 [m] { j := j + 1 }", 60.0),
    ];
    for (k, (name, text, count)) in clocks.iter().enumerate() {
        assert_eq!(run(&format!("{SPRING}discrete {name} = 0\n{text}")).last(name), Some(*count), "{text}");
        for (other, beside, other_count) in &clocks[k + 1..] {
            let both = run(&format!("{SPRING}discrete {name} = 0, {other} = 0\n{text}\n{beside}"));
            assert_eq!(both.last(name), Some(*count), "{text}\n{beside}");
            assert_eq!(both.last(other), Some(*other_count), "{text}\n{beside}");
        }
    }
}

/// The times are those of the closed form to the last digits, by every method.
#[test]
fn pulses_come_when_they_should() {
    let text = format!("{SPRING}discrete n = 0\nwhen mod(t, 0.1 [s]) > 0.0999 [s] {{ n := n + 1 }}");
    for method in [Method::Auto, Method::Dopri5, Method::Radau5, Method::Bdf, Method::Rk4] {
        let motion = run_by(&text, method);
        let times: Vec<f64> = motion.happenings.list.iter().map(|h| h.t).collect();
        assert_eq!(times.len(), 60, "{method}: {times:?}");
        for (k, t) in times.iter().enumerate() {
            assert!((t - 0.1 * k as f64 - 0.0999).abs() < 1e-14, "{method}: {t}");
        }
    }
}

/// The period and the width of a clock are discrete states, which other blocks change at random.
#[test]
fn discrete_states_set_clocks() {
    let mut random = Random::new(11);
    for _ in 0..20 {
        let (period, width) = (random.between(0.05, 0.2), random.between(1e-6, 1e-3));
        let motion = run(&format!(
            "{SPRING}discrete T = {period} [s], w = {width} [s], n = 0, since = 0 [s]
             when mod(t - since, T) > T - w {{ n := n + 1 }}
             when t >= 3 [s] {{ T := 1.5*T; since := 3 [s] }}"
        ));
        let before = ((3.0 + width) / period).floor();
        let after = ((3.0 + width) / (1.5 * period)).floor();
        assert_eq!(motion.last("n"), Some(before + after), "{period} {width}");
    }
}

/// A force that acts for short times by the clock has the impulse of the closed form, its width being a discrete state.
#[test]
fn short_forces_have_their_impulse() {
    for (width, fixed) in [("w", false), ("0.0001 [s]", true)] {
        let motion = run(&format!(
            "discrete w = 0.0001 [s]
             force push on p.cm = (if mod(t, 0.1 [s]) < {width} then 1 [N] else 0 [N])*N.x
             {}
             simulate {{ to = 6.05 [s], every = 0.55 [s] }}",
            if fixed { "" } else { "when t >= 3.05 [s] { w := 0.0002 [s] }" }
        ));
        let expected = if fixed { 61.0 * 1e-4 } else { 31.0 * 1e-4 + 30.0 * 2e-4 };
        let speed = motion.last("der(x)").expect("a column");
        assert!((speed - expected).abs() < 1e-12, "{speed} is not {expected}");
    }
}
