//! Conditions and loads of the clock: every instant at which they switch is met, however short they hold and whatever else happens.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan_testkit::Random;

fn run(text: &str) -> Trajectory {
    let text = format!("particle p on N by translate(x = x) {{ mass = 1 [kg] }}\n{text}");
    let model = resolve(parse("test.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let motion = compiled.simulation.run(&settings, &mut ()).expect("a good start");
    assert_eq!(motion.ending, Ending::Finished, "{text}\n{}", motion.reason);
    motion
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
