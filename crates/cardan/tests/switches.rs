//! What switches with the state: closed forms, the same motion with known switching times, and brute force piece by piece.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan_testkit::Random;

const METHODS: [Method; 4] = [Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];

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
    fn run(&self, method: Method) -> Trajectory {
        let settings = Settings { method, ..self.settings.clone() };
        self.compiled.simulation.run(&settings, &mut ()).unwrap()
    }
    fn run_to(&self, method: Method, to: f64) -> Trajectory {
        let settings = Settings { method, to, ..self.settings.clone() };
        self.compiled.simulation.run(&settings, &mut ()).unwrap()
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} is not {expected}");
}

fn finished(run: &Trajectory, what: &str) {
    assert!(
        run.ending == Ending::Finished && run.warnings.is_empty(),
        "{what}: {} {:?}",
        run.reason,
        run.warnings
    );
}

/// A particle of 1 kg at 1 m/s is pushed with 10 N over a stretch that is narrow beside a step: v² = 1 + 20 w.
#[test]
fn a_narrow_push_is_not_stepped_over() {
    for width in [0.1_f64, 0.01, 1e-3] {
        let end = 5.0 + width;
        let middle = 5.0 + 0.5 * width;
        let spellings = [
            format!("if x > 5 and x < {end} then 10 else 0"),
            format!("if abs(x - {middle}) < {} then 10 else 0", 0.5 * width),
            format!("if (x - {middle})^2 < {} then 10 else 0", 0.25 * width * width),
            format!("5 * (sign(x - 5) - sign(x - {end}))"),
            format!("10 * (min(max(floor(x - 4), 0), 1) - min(max(floor(x - {end} + 1), 0), 1))"),
        ];
        let speed = (1.0 + 20.0 * width).sqrt();
        let place = end + speed * (5.0 - (speed - 1.0) / 10.0);
        for spelling in spellings {
            let subject = subject(&format!(
                "particle a on N by translate(x = x) {{ mass = 1 [kg] }}
                 function w(x [m]) [N] = {spelling}
                 force f on a.o = w(x) * N.x
                 start {{ der(x) = 1 [m/s] }}
                 simulate {{ to = 10 [s], every = 0.1 [s] }}"
            ));
            for method in METHODS {
                let run = subject.run(method);
                let what = format!("{method}, {spelling}");
                finished(&run, &what);
                close(run.last("der(x)").unwrap(), speed, 1e-8, &what);
                close(run.last("x").unwrap(), place, 1e-7, &what);
                assert!(run.crossings >= 2, "{what}: {}", run.crossings);
                assert!(run.audit.relative() < 1e-8, "{what}: {}", run.audit);
            }
        }
    }
}

/// A car over a bump that a table gives by the place, and by the time at which it is there: then the switching times are known beforehand.
#[test]
fn a_bump_in_the_road_is_felt() {
    let text = |table: &str, argument: &str| {
        format!(
            "parameter m = 300 [kg], k = 2e4 [N/m], c = 1500 [N*s/m], g = 9.81 [m/s^2]
             gravity = -g * N.z
             {table}
             particle car on N by translate(x = x, z = z) {{ mass = m }}
             force lift on car.o = (m*g - k*(z - h({argument})) - c*der(z)) * N.z
             start {{ der(x) = 10 [m/s] }}
             simulate {{ to = 4 [s], every = 0.01 [s] }}"
        )
    };
    for kind in ["linear", "monotone", "spline"] {
        let table = format!("table h(x [m]) [m] = {kind} {{ 0: 0, 20: 0, 20.5: 0.05, 21: 0, 100: 0 }}");
        let expected = subject(&text(&table, "10 [m/s] * t")).run(Method::Dop853);
        let expected = expected.series("z").unwrap();
        let subject = subject(&text(&table, "x"));
        for method in METHODS {
            let run = subject.run(method);
            finished(&run, kind);
            for (k, (found, expected)) in run.series("z").unwrap().iter().zip(&expected).enumerate() {
                close(*found, *expected, 1e-8, &format!("{kind} by {method} at sample {k}"));
            }
        }
        let highest = expected.iter().fold(0.0_f64, |m, z| m.max(*z));
        assert!(kind != "linear" || (highest - 13.42e-3).abs() < 1e-5, "{highest}");
    }
}

/// A smooth table of a thousand points costs no new starts, and no more steps than it has pieces.
#[test]
fn a_smooth_table_of_many_points_costs_no_new_starts() {
    let points: Vec<String> = (0..=1000).map(|k| format!("{k}: {}", (f64::from(k) * 0.01).sin())).collect();
    let subject = subject(&format!(
        "particle a on N by translate(x = x, y = y) {{ mass = 1 [kg] }}
         table h(x [m]) [N] = spline {{ {} }}
         force f on a.o = h(x) * N.y
         start {{ x = 10 [m]; der(x) = 90 [m/s] }}
         simulate {{ to = 10 [s] }}",
        points.join(", ")
    ));
    let run = subject.run(Method::Auto);
    finished(&run, "spline");
    assert_eq!(run.crossings, 0);
    assert!(run.statistics.accepted < 1500, "{:?}", run.statistics);
    // y'' = sin(0.1 + 0.9 t)
    let speed = ((0.1_f64).cos() - (9.1_f64).cos()) / 0.9;
    close(run.last("der(y)").unwrap(), speed, 1e-5, "spline through a sine");
}

/// The time at which a coasting Geneva drive has turned its crank to θ: ∫ dθ / ω, ω from the energy, in pieces between entries and exits of the pin.
fn geneva_time(theta: f64) -> f64 {
    let slowness = |alpha: f64| {
        let ratio = (SQRT_2 * alpha.cos() - 1.0) / (3.0 - 2.0 * SQRT_2 * alpha.cos());
        (1.0 + 0.1 * ratio * ratio).sqrt() / 20.0
    };
    let simpson = |a: f64, b: f64| {
        let n = 2000;
        let h = (b - a) / f64::from(n);
        let weight = |k: i32| {
            if k == 0 || k == n {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        (0..=n).map(|k| weight(k) * slowness(a + f64::from(k) * h)).sum::<f64>() * h / 3.0
    };
    let engaged = simpson(-FRAC_PI_4, FRAC_PI_4);
    let mut time = 0.0;
    let mut centre = 0.0;
    let mut at = -FRAC_PI_2;
    loop {
        let entry = centre - FRAC_PI_4;
        if theta <= entry {
            return time + (theta - at) / 20.0;
        }
        time += (entry - at) / 20.0;
        if theta <= centre + FRAC_PI_4 {
            return time + simpson(-FRAC_PI_4, theta - centre);
        }
        time += engaged;
        at = centre + FRAC_PI_4;
        centre += 2.0 * PI;
    }
}

#[test]
fn a_geneva_drive_keeps_its_time() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/geneva.mbs");
    let mut subject = subject(&fs::read_to_string(path).unwrap());
    subject.settings.every = Some(0.05);
    let agrees = |method: Method, to: f64, tolerance: f64| {
        let run = subject.run_to(method, to);
        finished(&run, &format!("{method} to {to} s"));
        for (t, theta) in run.times().iter().zip(run.series("theta").unwrap()) {
            close(geneva_time(theta), *t, tolerance, &format!("{method} to {to} s"));
        }
        assert!(run.crossings > 10, "{}", run.crossings);
    };
    for to in [2.0, 3.0, 5.0, 10.0] {
        agrees(Method::Auto, to, 1e-9);
    }
    for method in METHODS {
        agrees(method, 2.0, 1e-8);
    }
    agrees(Method::Dopri5, 10.0, 1e-8);
    close(geneva_time(37.66895), 2.0, 1e-6, "known before");
}

/// A ball that a spring catches returns to where it was dropped: flight 2 √(2h/g), contact (2/ω) (π - atan(v ω/g)).
#[test]
fn a_ball_on_a_spring_bounces_for_ever() {
    let contact = |law: &str| {
        subject(&format!(
            "parameter k = 1e5 [N/m]
             gravity = -9.81 [m/s^2] * N.z
             particle ball on N by translate(z = z) {{ mass = 1 [kg] }}
             force push on ball.o = {law} * N.z
             start {{ z = 1 [m] }}
             simulate {{ to = 10 [s], every = 0.1 [s] }}"
        ))
    };
    let (omega, speed) = (1e5_f64.sqrt(), (2.0 * 9.81_f64).sqrt());
    let period = 2.0 * speed / 9.81 + 2.0 / omega * (PI - (speed * omega / 9.81).atan());
    for law in ["k * max(0 [m], -z)", "(if z < 0 [m] then -k*z else 0 [N])", "k * (abs(z) - z) / 2"] {
        let subject = contact(law);
        for method in METHODS {
            let run = subject.run_to(method, 10.0 * period);
            let what = format!("{law} by {method}");
            finished(&run, &what);
            close(run.last("z").unwrap(), 1.0, 1e-7, &what);
            close(run.last("der(z)").unwrap(), 0.0, 1e-5, &what);
            assert_eq!(run.crossings, 20, "{what}");
            assert!(run.audit.relative() < 1e-7, "{what}: {}", run.audit);
        }
    }
    // Beyond the surface a root of a negative number has no value.
    let hertz = contact("1e6 [N/m^1.5] * max(0 [m], -z)^1.5");
    for method in [Method::Dop853, Method::Dopri5, Method::Radau5] {
        let run = hertz.run(method);
        finished(&run, &format!("Hertz by {method}"));
        let most = run.series("z").unwrap().iter().fold(0.0_f64, |m, z| m.max(*z));
        assert!(
            most > 0.99 && most < 1.0 + 1e-9 && run.audit.relative() < 1e-7,
            "{method}: {most} {}",
            run.audit
        );
    }
}

/// A spring along the polar angle, which jumps by a turn behind the origin, where a `floor` takes the jump back: nothing is to be felt of it. The
/// same force without jumps is the expected one.
#[test]
fn an_angle_that_jumps_and_is_brought_back_is_smooth() {
    let text = |law: &str| {
        format!(
            "particle p on N by translate(x = x, y = y) {{ mass = 1 [kg] }}
             variable phi = atan2(y, x)
             force f on p.o = ({law}) * 1 [N] * N.x - 4 [N/m] * (x * N.x + y * N.y)
             start {{ x = 1 [m]; der(y) = 2 [m/s] }}
             simulate {{ to = 10 [s], every = 0.1 [s] }}"
        )
    };
    let expected = subject(&text("0.3 * (x^2 - y^2) / (x^2 + y^2)")).run(Method::Dop853);
    let subject = subject(&text("0.3 * cos(2 * (phi - 2 * pi * floor(phi / (2 * pi))))"));
    for method in METHODS {
        let run = subject.run(method);
        finished(&run, &method.to_string());
        close(run.last("x").unwrap(), expected.last("x").unwrap(), 1e-7, &method.to_string());
        close(run.last("y").unwrap(), expected.last("y").unwrap(), 1e-7, &method.to_string());
    }
}

/// A spring that yields at ±a: sines inside, parabolas outside.
#[test]
fn a_spring_that_saturates_keeps_its_period() {
    let (omega, a, v) = (3.0_f64, 0.2_f64, 2.0_f64);
    let v1 = (v * v - omega * omega * a * a).sqrt();
    let period = 4.0 * ((a * omega / v).asin() / omega + v1 / (omega * omega * a));
    let law = "if x > a then a else if x < -a then -a else x";
    for law in [law, "min(max(x, -a), a)"] {
        let subject = subject(&format!(
            "parameter a = 0.2 [m], k = 9 [N/m]
             particle p on N by translate(x = x) {{ mass = 1 [kg] }}
             force f on p.o = -k * ({law}) * N.x
             start {{ der(x) = 2 [m/s] }}
             simulate {{ to = 1 [s], every = 0.1 [s] }}"
        ));
        for method in METHODS {
            let run = subject.run_to(method, 5.0 * period);
            finished(&run, law);
            close(run.last("x").unwrap(), 0.0, 5e-8, law);
            close(run.last("der(x)").unwrap(), v, 5e-8, law);
            assert_eq!(run.crossings, 20, "{law}");
        }
    }
}

/// A relay by the sign of the place, with a little damping, switches ever faster, and on no surface: the run says so, names it and comes to an end.
#[test]
fn a_relay_that_switches_ever_faster_does_not_hang() {
    let subject = subject(
        "particle p on N by translate(x = x) { mass = 1 [kg] }
         force f on p.o = (-2 [N] * sign(x) - 1 [N*s/m] * der(x)) * N.x
         start { der(x) = 1 [m/s] }
         simulate { to = 30 [s], every = 0.1 [s] }",
    );
    for method in [Method::Auto, Method::Dopri5] {
        let mut settings = Settings { method, ..subject.settings.clone() };
        settings.max_steps = 200_000;
        let run = subject.compiled.simulation.run(&settings, &mut ()).unwrap();
        let said: Vec<&String> = run.warnings.iter().filter(|w| w.contains("ever faster")).collect();
        assert!(said.len() == 1 && said[0].contains("`sign(x)`"), "{method}: {:?}", run.warnings);
        assert!(run.slides.is_empty() && run.reached >= 5.0, "{} {:?}", run.reached, run.slides);
        close(run.last("x").unwrap(), 0.0, 1e-4, "where it comes to");
    }
}

/// x'' = c₀ + c₁ (x - x₀) - d x' over a time, exactly: the exponential of a matrix by scaling and squaring.
fn piece(state: [f64; 2], [from, value, slope]: [f64; 3], damping: f64, time: f64) -> [f64; 2] {
    type Rows = [[f64; 3]; 3];
    let product = |a: &Rows, b: &Rows| -> Rows {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    };
    let a = [[0.0, 1.0, 0.0], [slope, -damping, value - slope * from], [0.0; 3]];
    let small: Rows = a.map(|row| row.map(|x| x * time / 64.0));
    let mut term: Rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut sum = term;
    for n in 1..18 {
        term = product(&term, &small).map(|row| row.map(|x| x / f64::from(n)));
        sum = std::array::from_fn(|i| std::array::from_fn(|j| sum[i][j] + term[i][j]));
    }
    for _ in 0..6 {
        sum = product(&sum, &sum);
    }
    [0, 1].map(|i| sum[i][0] * state[0] + sum[i][1] * state[1] + sum[i][2])
}

/// The motion under a force of straight pieces, from knot to knot.
fn by_pieces(knots: &[f64], lines: &[[f64; 3]], damping: f64, mut state: [f64; 2], to: f64) -> [f64; 2] {
    let mut t = 0.0;
    let mut side = knots.partition_point(|k| *k <= state[0]);
    while t < to {
        let step = (to - t).min(1.0 / 256.0);
        let inside =
            |x: f64| (side == 0 || x >= knots[side - 1]) && (side == knots.len() || x <= knots[side]);
        let end = piece(state, lines[side], damping, step);
        if inside(end[0]) {
            (t, state) = (t + step, end);
            continue;
        }
        let (mut low, mut high) = (0.0, step);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if inside(piece(state, lines[side], damping, middle)[0]) { low = middle } else { high = middle }
        }
        (t, state) = (t + high, piece(state, lines[side], damping, high));
        side = if state[1] > 0.0 { side + 1 } else { side - 1 };
    }
    state
}

#[test]
fn random_oscillators_of_straight_pieces() {
    let mut random = Random::new(20);
    let mut between = |low: f64, high: f64| random.between(low, high);
    for number in 0..100 {
        let n = 2 + number % 5;
        let mut knots = vec![between(-1.0, -0.3)];
        (1..n).for_each(|k| knots.push(knots[k - 1] + between(0.05, 0.8)));
        let slopes: Vec<f64> = (0..=n).map(|_| -between(1.0, 40.0)).collect();
        let jumps: Vec<f64> =
            (0..n).map(|_| if number % 2 == 0 { 0.0 } else { -between(0.0, 2.0) }).collect();
        // From the left knot of each piece, the first from its right knot: place, value, slope.
        let mut lines = vec![[knots[0], between(3.0, 10.0), slopes[0]]];
        for k in 0..n {
            let before = lines[k][1] + lines[k][2] * (knots[k] - lines[k][0]);
            lines.push([knots[k], before + jumps[k], slopes[k + 1]]);
        }
        let damping = between(0.0, 0.3);
        let start = [between(-1.0, 1.0), between(-3.0, 3.0)];
        let line = |[from, value, slope]: &[f64; 3]| format!("({value} + ({slope}) * (x - ({from})))");
        let mut law = line(&lines[n]);
        for k in (0..n).rev() {
            law = format!("if x < {} then {} else ({law})", knots[k], line(&lines[k]));
        }
        let text = format!(
            "particle p on N by translate(x = x) {{ mass = 1 [kg] }}
             function law(x [m]) [N] = {law}
             force f on p.o = (law(x) - {damping} [N*s/m] * der(x)) * N.x
             start {{ x = {} [m]; der(x) = {} [m/s] }}
             simulate {{ to = 4 [s], every = 1 [s] }}",
            start[0], start[1]
        );
        let expected = by_pieces(&knots, &lines, damping, start, 4.0);
        let run = subject(&text).run(METHODS[number / 2 % 4]);
        finished(&run, &text);
        close(run.last("x").unwrap(), expected[0], 2e-8, &text);
        close(run.last("der(x)").unwrap(), expected[1], 2e-7, &text);
    }
}
