//! Dry friction at instants: where a motion begins, where loads and drives switch by the clock, where blocks change the state. Closed forms.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

const METHODS: [Method; 5] = [Method::Auto, Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];

/// A run that must end well, without a warning.
fn run(text: &str, method: Method) -> Trajectory {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings { method, ..Settings::of(&model, &ParameterValues::of(&model)).unwrap() };
    let run = compiled.simulation.run(&settings, &mut ()).unwrap();
    let what = (&run.reason, &run.warnings);
    assert!(run.ending == Ending::Finished && run.warnings.is_empty(), "{method}: {what:?}");
    run
}

/// All rows of a column, to so many digits.
fn column(run: &Trajectory, name: &str, expected: &[f64]) {
    let found = run.series(name).unwrap();
    let same = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(same, "{name}: {found:?} is not {expected:?}");
}

const BLOCK: &str = "
    particle b on N by translate(x = x) { mass = 2 [kg] }
    force fr on b.o = -5 [N]*sign(der(x))*N.x
    output acc = acceleration(b.o).x, friction = dot(fr, N.x)";

/// A pull of 3 N is held by 5 N, one of 7 N is not: from the first row on.
#[test]
fn the_first_row_shows_what_friction_holds_and_what_it_does_not() {
    for method in METHODS {
        let text = |pull: f64| {
            format!("{BLOCK}\nforce pull on b.o = {pull} [N]*N.x\nsimulate {{ to = 1 [s], every = 0.5 [s] }}")
        };
        let held = run(&text(3.0), method);
        column(&held, "acc", &[0.0; 3]);
        column(&held, "friction", &[-3.0; 3]);
        assert!(held.beginning.accelerations.iter().all(|a| a.abs() < 1e-12), "{:?}", held.beginning);
        let slide = held.slides[0].to_string();
        assert!(held.slides.len() == 1 && slide.ends_with("from t = 0 s to 1 s"), "{slide}");
        let moves = run(&text(-7.0), method);
        column(&moves, "acc", &[-1.0; 3]);
        column(&moves, "friction", &[5.0; 3]);
        assert!((moves.beginning.accelerations[0] + 1.0).abs() < 1e-12, "{:?}", moves.beginning);
    }
}

/// Kicked at 0.5 s, caught at 1 s: the rows of both instants show what comes after.
#[test]
fn a_block_that_is_kicked_and_caught_shows_the_friction_after_it() {
    let text = format!(
        "{BLOCK}
         force pull on b.o = 3 [N]*N.x
         when t >= 0.5 [s] \"kick\" {{ b.u := 1 [m/s] }}
         when t >= 1 [s] \"catch\" {{ b.u := 0 [m/s] }}
         simulate {{ to = 1.5 [s], every = 0.25 [s] }}"
    );
    for method in METHODS {
        let found = run(&text, method);
        column(&found, "der(x)", &[0.0, 0.0, 1.0, 0.75, 0.0, 0.0, 0.0]);
        column(&found, "acc", &[0.0, 0.0, -1.0, -1.0, 0.0, 0.0, 0.0]);
        column(&found, "friction", &[-3.0, -3.0, -5.0, -5.0, -3.0, -3.0, -3.0]);
    }
}

/// A block of 2 kg with one of 1 kg on it, friction 5.886 N below and 2.943 N between, pulled by 3 N, 12 N, 30 N: at rest, both together, each by itself.
/// Whether the load at its switch is that before or that after, each row is a motion by the laws.
#[test]
fn friction_that_lets_go_by_the_clock_keeps_its_bound() {
    let text = |less: &str| {
        format!(
            "particle a on N by translate(x = xa) {{ mass = 2 [kg] }}
             particle b on N by translate(x = xb) {{ mass = 1 [kg] }}
             variable fab = 2.943 [N]*sign(der(xb) - der(xa))
             variable pull = if t {less} 1 [s] then 3 [N] else if t {less} 2 [s] then 12 [N] else 30 [N]
             force f1 on a.o from b.o = fab*N.x
             force f2 on a.o from N = -5.886 [N]*sign(der(xa))*N.x
             force f3 on a.o = pull*N.x
             output fab, aa = acceleration(a.o).x, ab = acceleration(b.o).x
             simulate {{ to = 3 [s], every = 0.5 [s] }}"
        )
    };
    for method in METHODS {
        let after = run(&text("<"), method);
        column(&after, "fab", &[0.0, 0.0, -2.038, -2.038, -2.943, -2.943, -2.943]);
        column(&after, "aa", &[0.0, 0.0, 2.038, 2.038, 10.5855, 10.5855, 10.5855]);
        column(&after, "ab", &[0.0, 0.0, 2.038, 2.038, 2.943, 2.943, 2.943]);
        let before = run(&text("<="), method);
        column(&before, "fab", &[0.0, 0.0, 0.0, -2.038, -2.038, -2.943, -2.943]);
        column(&before, "aa", &[0.0, 0.0, 0.0, 2.038, 2.038, 10.5855, 10.5855]);
    }
}

/// One block is caught while another sticks: what holds the first is decided although what is shown of the second goes on.
#[test]
fn a_block_is_caught_beside_one_that_sticks() {
    let text = format!(
        "{BLOCK}
         force pull on b.o = 3 [N]*N.x
         particle c on N by translate(y = y) {{ mass = 1 [kg] }}
         force below on c.o = -2 [N]*sign(der(y))*N.y
         force along on c.o = 1 [N]*N.y
         output held = acceleration(c.o).y
         when t >= 0.5 [s] \"catch\" {{ b.u := 0 [m/s] }}
         start {{ der(x) = 1 [m/s] }}
         simulate {{ to = 1 [s], every = 0.25 [s] }}"
    );
    for method in METHODS {
        let found = run(&text, method);
        column(&found, "acc", &[-1.0, -1.0, 0.0, 0.0, 0.0]);
        column(&found, "held", &[0.0; 5]);
    }
}

/// A cart that stops at once, or a pusher that comes to a kink of its cam, under a pendulum that dry friction holds: friction bears no impulse. The pendulum
/// of I + m l² = 0.6 kg m² takes m l v = 0.5 N m s with it, and friction and gravity brake it from there.
const PENDULUM: &str = "
    body pend on cart by revolute(y, q = q) { mass = 2 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -0.5) [m] }
    torque fr on pend from cart = -0.2 [N*m]*sign(der(q))*N.y";

#[test]
fn a_corner_of_a_drive_sets_moving_what_friction_holds() {
    let cart = "body cart on N by prismatic(x, q = s) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2] }
        table drive(t [s]) [m] = linear { 0: 0, 1: 0.5, 2: 0.5 }
        motion pull on s = drive(t)
        simulate { to = 1.25 [s], every = 0.05 [s] }";
    for method in METHODS {
        let found = run(&format!("{cart}{PENDULUM}"), method);
        let speeds = found.series("der(q)").unwrap();
        assert!(speeds[..20].iter().all(|u| u.abs() < 1e-12), "{method}: {speeds:?}");
        // Without gravity friction alone brakes: 0.2 N m on 0.6 kg m².
        for (k, u) in speeds.iter().enumerate().skip(20) {
            let expected = 0.5 / 0.6 - 0.2 / 0.6 * (0.05 * k as f64 - 1.0);
            assert!((u.abs() - expected).abs() < 1e-8, "{method}: {u} is not {expected} in row {k}");
        }
        assert_eq!(found.slides.len(), 1, "{method}: {:?}", found.slides);
        assert_eq!((found.slides[0].from, found.slides[0].to), (0.0, 1.0), "{method}: {:?}", found.slides);
    }
}

/// The same where the rate of a constraint jumps with the state: a slide that follows another one up to 0.5 m and stays there.
#[test]
fn a_kink_of_a_constraint_sets_moving_what_friction_holds() {
    let cart = "
        particle push on N by translate(y = p) { mass = 1 [kg] }
        body cart on N by prismatic(x, q = s) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2] }
        table cam(p [m]) [m] = linear { -1: -0.5, 1: 0.5, 3: 0.5 }
        constraint follow = s - cam(p)
        motion even on p = 1 [1/s]*t*1 [m]
        simulate { to = 1.25 [s], every = 0.25 [s] }";
    for method in METHODS {
        let found = run(&format!("{cart}{PENDULUM}"), method);
        let speeds = found.series("der(q)").unwrap();
        let expected = 0.5 / 0.6 - 0.2 / 0.6 * 0.25;
        let last = speeds.last().unwrap();
        assert!((last.abs() - expected).abs() < 1e-8, "{method}: {speeds:?}, not {expected}");
    }
}
