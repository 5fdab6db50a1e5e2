//! Samples, sampled blocks and the clock at one instant: a row shows what holds after all that happens then.

use cardan::prelude::*;
use cardan_testkit::Random;

fn run(text: &str, settings: &Settings) -> Trajectory {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let motion = compiled.simulation.run(settings, &mut ()).expect("a good start");
    assert_eq!(motion.ending, Ending::Finished, "{text}\n{}", motion.reason);
    motion
}

/// A cart that drifts, with a block `every` this period.
fn counting(period: f64) -> String {
    format!(
        "particle p on N by translate(x = x) {{ mass = 1 [kg] }}
         discrete n = 0, seen = 0 [m]
         every {period:?} [s] {{ n := n + 1; seen := x }}
         start {{ der(x) = 1 [m/s] }}"
    )
}

fn periods() -> Vec<f64> {
    let mut random = Random::new(7);
    let named =
        [0.1, 0.05, 0.3, 0.7, 0.15, 0.07, 0.06, 0.21, 0.011, 1.0 / 3.0, 1.0 / 7.0, 0.025, 0.1 + 1e-12];
    named.into_iter().chain((0..12).map(|_| random.between(0.01, 0.4))).collect()
}

#[test]
fn a_row_at_a_sample_shows_what_the_block_has_left() {
    for period in periods() {
        let text = counting(period);
        for to in [3.0, 30.0 * period] {
            let settings = Settings { to, every: Some(period), ..Settings::default() };
            let motion = run(&text, &settings);
            let n = motion.series("n").expect("a column");
            let seen = motion.series("seen").expect("a column");
            for (k, t) in motion.series("t").expect("a column").iter().enumerate() {
                // The last row may be at an end that is no sample.
                let whole = (t / period * (1.0 + 1e-12)).floor();
                assert_eq!(n[k], whole + 1.0, "every {period} s, row {k} at t = {t} s");
                assert!((seen[k] - whole * period).abs() < 1e-9, "every {period} s, row {k} at t = {t} s");
            }
        }
    }
}

/// Rows a third, a half and a whole multiple of the period apart; a start that is no zero.
#[test]
fn rows_between_samples_show_the_last_one() {
    for period in periods() {
        for (part, from) in [(1.0 / 3.0, 0.0), (0.5, 0.0), (2.0, 0.0), (1.0, 3.0 * period)] {
            let text = counting(period);
            let every = Some(period * part);
            let settings = Settings { from, to: from + 20.0 * period, every, ..Settings::default() };
            let motion = run(&text, &settings);
            let n = motion.series("n").expect("a column");
            let first = (from / period).round();
            for (k, t) in motion.series("t").expect("a column").iter().enumerate() {
                let expected = (t / period * (1.0 + 1e-12)).floor() + 1.0 - first;
                assert_eq!(n[k], expected, "every {period} s, rows every {every:?} s, row {k} at t = {t} s");
            }
        }
    }
}
