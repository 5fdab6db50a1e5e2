//! Motions that switches hold where their sides meet: relays that slide, dry friction that sticks. Closed forms, and counts of switches.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

const METHODS: [Method; 5] = [Method::Auto, Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];

struct Subject {
    compiled: Compiled,
    settings: Settings,
}

fn subject(text: &str) -> Subject {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    Subject { settings: Settings::of(&model, &ParameterValues::of(&model)).unwrap(), compiled }
}

impl Subject {
    /// A run that must end well, without a warning.
    fn run(&self, method: Method) -> Trajectory {
        let settings = Settings { method, ..self.settings.clone() };
        let run = self.compiled.simulation.run(&settings, &mut ()).unwrap();
        let what = (&run.reason, &run.warnings);
        assert!(run.ending == Ending::Finished && run.warnings.is_empty(), "{method}: {what:?}");
        run
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} is not {expected}");
}

/// A stretch of sliding, and when it begins and ends.
fn slid(run: &Trajectory, n: usize, (from, to): (f64, f64), what: &str) {
    let slide = run.slides.get(n).unwrap_or_else(|| panic!("{what}: {:?}", run.slides));
    close(slide.from, from, 1e-8, &format!("{what}, beginning of {slide}"));
    close(slide.to, to, 1e-8, &format!("{what}, end of {slide}"));
}

fn bisected(f: impl Fn(f64) -> f64, mut a: f64, mut b: f64) -> f64 {
    let rises = f(b) > 0.0;
    for _ in 0..200 {
        let middle = 0.5 * (a + b);
        if (f(middle) > 0.0) == rises { b = middle } else { a = middle }
    }
    a
}

/// x'' = -F sign(v + c x) reaches v + c x = 0 and slides on it: x decays as exp(-c t). However it is written.
#[test]
fn a_relay_slides_on_its_line() {
    let spellings = [
        "-8 * sign(der(x) + 2 [1/s] * x)",
        "(if der(x) + 2 [1/s] * x > 0 [m/s] then -8 else 8)",
        "(if der(x) < -2 [1/s] * x then 8 else if der(x) > -2 [1/s] * x then -8 else 0)",
        "(if der(x) >= 0 [m/s] - 2 [1/s] * x then -8 else 8)",
    ];
    // Full push against v = 0, x = 1 until 1 - 4 t² · 2 - 8 t = 0.
    let t1 = (-8.0 + (64.0_f64 + 32.0 * 2.0 / 2.0 * 2.0).sqrt()) / 16.0;
    let x1 = 1.0 - 4.0 * t1 * t1;
    close(-8.0 * t1 + 2.0 * x1, 0.0, 1e-12, "where the line is reached");
    for spelling in spellings {
        let subject = subject(&format!(
            "particle p on N by translate(x = x) {{ mass = 1 [kg] }}
             force f on p.o = {spelling} [N] * N.x
             start {{ x = 1 [m] }}
             simulate {{ to = 5 [s], every = 0.1 [s] }}"
        ));
        for method in METHODS {
            let run = subject.run(method);
            let what = format!("{spelling} by {method}");
            for (t, x) in run.times().iter().zip(run.series("x").unwrap()).filter(|(t, _)| **t > t1) {
                close(x, x1 * (-2.0 * (t - t1)).exp(), 1e-8, &what);
            }
            assert_eq!((run.crossings, run.slides.len()), (1, 1), "{what}");
            slid(&run, 0, (t1, 5.0), &what);
            assert!(!run.slides[0].sticks, "{what}");
            assert!(run.audit.relative() < 1e-7, "{what}: {}", run.audit);
        }
    }
}

/// Dry friction ends at rest and stays there, with speed zero exactly; its work is what was there.
#[test]
fn dry_friction_sticks() {
    for law in ["-2 [N] * sign(der(x))", "(if der(x) > 0 [m/s] then -2 [N] else 2 [N])"] {
        let subject = subject(&format!(
            "particle p on N by translate(x = x) {{ mass = 1 [kg] }}
             force friction on p.o = {law} * N.x
             start {{ der(x) = 1 [m/s] }}
             simulate {{ to = 1 [s], every = 0.1 [s] }}"
        ));
        for method in METHODS {
            let run = subject.run(method);
            let what = format!("{law} by {method}");
            close(run.last("x").unwrap(), 0.25, 1e-9, &what);
            assert_eq!(run.last("der(x)").unwrap(), 0.0, "{what}");
            close(run.last("work.friction").unwrap(), -0.5, 1e-9, &what);
            assert_eq!((run.crossings, run.slides.len()), (1, 1), "{what}");
            slid(&run, 0, (0.5, 1.0), &what);
            assert_eq!(run.slides[0].to_string(), "sticks at der(x) = 0 from t = 0.5 s to 1 s", "{what}");
        }
    }
}

/// An event that gives a block at rest a speed is no disturbance that friction could take back: it slides v²/(2a) = 0.25 m in 0.5 s each time. One that
/// leaves the speed alone changes nothing.
#[test]
fn a_block_at_rest_is_kicked() {
    let subject = subject(
        "particle a on N by translate(x = x) { mass = 1 [kg] }
         discrete n = 0
         force dry on a.cm = -2 [N] * sign(a.u) * N.x
         every 1 [s] \"kick\" { a.u := 1 [m/s] }
         when t > 0.75 [s] \"count\" { n := n + 1 }
         simulate { to = 2.9 [s], every = 0.1 [s] }",
    );
    for method in METHODS {
        let run = subject.run(method);
        close(run.last("x").unwrap(), 0.75, 1e-8, &format!("{method}"));
        assert_eq!(run.slides.len(), 3, "{method}: {:?}", run.slides);
        for (n, stretch) in [(0.5, 1.0), (1.5, 2.0), (2.5, 2.9)].into_iter().enumerate() {
            slid(&run, n, stretch, &format!("{method}"));
        }
    }
}

/// On a plane less steep than the friction angle a block stays, with the force that it needs; on a steeper one it goes.
#[test]
fn a_block_on_an_inclined_plane_stays_up_to_the_friction_angle() {
    let (mu, g) = (0.5_f64, 9.81);
    for (slope, speed) in [(0.4_f64, 0.0), (0.5, 0.0), (0.4, -1.0), (0.4, 1.0), (0.44, -2.0)] {
        let subject = subject(&format!(
            "parameter g = {g} [m/s^2], mu = {mu}, m = 3 [kg]
             gravity = g * (sin({slope}) * N.x - cos({slope}) * N.z)
             particle block on N by translate(x = x) {{ mass = m }}
             variable friction = -mu * m * g * cos({slope}) * sign(der(x))
             force f on block.o = friction * N.x
             output friction
             output a = der(der(x))
             start {{ der(x) = {speed} [m/s] }}
             simulate {{ to = 2 [s], every = 0.1 [s] }}"
        ));
        let (pull, most) = (g * slope.sin(), mu * g * slope.cos());
        for method in METHODS {
            let run = subject.run(method);
            let what = format!("slope {slope}, speed {speed} by {method}");
            if pull > most && speed >= 0.0 {
                close(run.last("der(x)").unwrap(), speed + (pull - most) * 2.0, 1e-9, &what);
                close(run.last("friction").unwrap(), -3.0 * most, 1e-9, &what);
                assert!(run.slides.is_empty(), "{what}: {:?}", run.slides);
                continue;
            }
            // N.x points downhill.
            let brake = if speed < 0.0 { pull + most } else { pull - most };
            let rest = if speed == 0.0 { 0.0 } else { -speed / brake };
            slid(&run, 0, (rest, 2.0), &what);
            assert_eq!(run.last("der(x)").unwrap(), 0.0, "{what}");
            close(run.last("x").unwrap(), 0.5 * speed * rest, 1e-9, &what);
            close(run.last("friction").unwrap(), -3.0 * pull, 1e-9, &what);
            close(run.last("a").unwrap(), 0.0, 1e-12, &what);
        }
    }
}

/// A block on a belt that moves to and fro: it sticks until the belt is too fast for friction, then slides at a constant rate until it has the belt's speed again.
#[test]
fn a_block_on_an_oscillating_belt_sticks_and_slips() {
    let (speed, omega, most) = (1.0_f64, 4.0_f64, 3.0_f64);
    let subject = subject(&format!(
        "particle block on N by translate(x = x) {{ mass = 2 [kg] }}
         variable belt = {speed} [m/s] * sin({omega} [rad/s] * t)
         force friction on block.o = -2 [kg] * {most} [m/s^2] * sign(der(x) - belt) * N.x
         start {{ x = 0 [m] }}
         simulate {{ to = 6 [s], every = 0.01 [s] }}"
    ));
    let belt = |t: f64| speed * (omega * t).sin();
    // At the start the belt is too fast already: the block follows at full friction.
    let mut expected = vec![];
    let (mut t, mut v, mut push) = (0.0, 0.0, most);
    while t < 6.0 {
        let gap = |s: f64| v + push * s - belt(t + s);
        let mut s = 1e-6;
        while (gap(s) > 0.0) == (gap(1e-6) > 0.0) && t + s < 7.0 {
            s += 1e-3;
        }
        let stick = t + bisected(gap, (s - 1e-3).max(1e-6), s);
        if stick >= 6.0 {
            break;
        }
        // It sticks while |V Ω cos Ωt| is less than friction allows.
        let pull = |t: f64| speed * omega * (omega * t).cos();
        let mut slip = stick;
        while pull(slip).abs() <= most {
            slip += 1e-4;
        }
        let slip = bisected(|t| pull(t).abs() - most, slip - 1e-4, slip);
        expected.push((stick, slip.min(6.0)));
        (t, v, push) = (slip, belt(slip), most * pull(slip).signum());
    }
    assert!(expected.len() >= 5, "{expected:?}");
    for method in METHODS {
        let run = subject.run(method);
        assert_eq!(run.slides.len(), expected.len(), "{method}: {:?} {expected:?}", run.slides);
        for (n, ends) in expected.iter().enumerate() {
            slid(&run, n, *ends, &method.to_string());
            assert!(run.slides[n].sticks);
        }
        assert!(run.crossings <= 2 * expected.len() + 1, "{method}: {}", run.crossings);
        let speeds = run.series("der(x)").unwrap();
        for (t, v) in run.times().iter().zip(speeds) {
            if expected.iter().any(|(from, to)| from < t && t < to) {
                close(v, belt(*t), 1e-12, &format!("{method} at {t}"));
            }
        }
    }
}

/// Two stacked blocks, pulled ever harder below: first both stick, then the lower one carries the upper one, then all slips.
#[test]
fn two_stacked_blocks_break_away_one_after_the_other() {
    let subject = subject(
        "parameter g = 10 [m/s^2]
         particle lower on N by translate(x = x) { mass = 3 [kg] }
         particle upper on N by translate(x = y) { mass = 1 [kg] }
         variable rub = 0.2 * 1 [kg] * g * sign(der(y) - der(x))
         force rubs on upper.o = -rub * N.x
         force back on lower.o = rub * N.x
         force ground on lower.o = -0.3 * 4 [kg] * g * sign(der(x)) * N.x
         force pull on lower.o = 4 [N/s] * t * N.x
         output rub
         simulate { to = 6 [s], every = 0.05 [s] }",
    );
    // Both slip below from 4 t = 12 N on; with a = (4 t - 12)/4 the upper one needs a = 2 m/s² at t = 5 s.
    for method in METHODS {
        let run = subject.run(method);
        let what = method.to_string();
        assert_eq!(run.slides.len(), 2, "{what}: {:?}", run.slides);
        let order = if run.slides[0].surface.contains("der(y)") { [0, 1] } else { [1, 0] };
        slid(&run, order[0], (0.0, 5.0), &what);
        slid(&run, order[1], (0.0, 3.0), &what);
        // v = (t - 3)²/2 until 5 s, then 3 x'' = 4 t - 12 - 2.
        let lower = 2.0 + (2.0 * (36.0 - 25.0) - 14.0) / 3.0;
        close(run.last("der(x)").unwrap(), lower, 1e-8, &what);
        close(run.last("der(y)").unwrap(), 4.0, 1e-8, &what);
        close(run.last("rub").unwrap(), -2.0, 1e-9, &what);
        let rub = run.series("rub").unwrap();
        for (t, rub) in run.times().iter().zip(rub).filter(|(t, _)| **t < 4.99) {
            close(rub, -(t - 3.0).max(0.0), 1e-8, &format!("{what} at {t}"));
        }
        assert!(run.crossings <= 4, "{what}: {}", run.crossings);
    }
}
