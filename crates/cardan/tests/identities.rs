//! Constraints that hold by themselves: they are no equations, whatever rounding leaves of them.

use cardan::assembly::{ParameterValues, mobility};
use cardan::prelude::*;
use cardan_testkit::Random;

fn model(text: &str) -> Model {
    resolve(parse("identities.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn motion(text: &str) -> Trajectory {
    let model = model(text);
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(run.ending, Ending::Finished, "{}\n{text}", run.reason);
    run
}

fn last(run: &Trajectory, name: &str) -> f64 {
    let k = run.columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("{name}"));
    run.rows.row(run.rows.len() - 1)[k]
}

/// A disc by its point of contact, or by its centre.
fn disc(tilt: f64, by_contact: bool) -> String {
    let (shift, at, guess) = match by_contact {
        true => ("translate(x = x, y = y)", "at (0, 0, 0.3) [m]", String::new()),
        false => ("translate(x = x, y = y, z = z)", "", format!("z ~ {} [m]; ", 0.3 * tilt.cos())),
    };
    format!(
        "gravity = -9.81 [m/s^2] * N.z
frame lean on N by {shift} rotate(z = yaw) rotate(x = tilt)
body wheel on lean by rotate(y = spin) {at} {{ mass = 2 [kg]; inertia = (0.02, 0.04, 0.02) [kg*m^2] }}
joint ground = rolling(wheel.o, N.o, axis = y, radius = 0.3 [m])
start {{ {guess}tilt = {tilt}; der(spin) = 5 [rad/s]; der(yaw) = 0; der(tilt) = 0 }}
simulate {{ to = 1 [s], every = 0.5 [s] }}
"
    )
}

#[test]
fn a_disc_moves_as_one_whether_its_contact_or_its_centre_is_described() {
    assert!((last(&motion(&disc(0.1, true)), "tilt") - 0.125773013).abs() < 1e-9);
    for k in 0..26 {
        let tilt = 0.03 + 0.05 * f64::from(k);
        let [contact, centre] = [true, false].map(|by_contact| motion(&disc(tilt, by_contact)));
        for name in ["tilt", "yaw", "spin"] {
            let [a, b] = [&contact, &centre].map(|run| last(run, name));
            assert!((a - b).abs() <= 1e-8 * (1.0 + b.abs()), "{name} from tilt {tilt}: {a} and {b}");
        }
    }
}

/// The bicycle of Meijaard and others (2007) by the point of contact of its rear wheel.
#[test]
fn a_bicycle_by_its_contact_point_rolls_on() {
    let text = "parameter rr = 0.3 [m], rf = 0.35 [m], d1 = 0.95 [m], d2 = 0.27 [m], d3 = 0.032 [m]
gravity = 9.81 [m/s^2] * N.z
frame roll on N by translate(x = q1, y = q2) rotate(z = q3) rotate(x = q4)
body rear on roll by rotate(y = q5) at (0, 0, -rr) { mass = 85 [kg]; center = (0.47, 0, -0.48) [m]; inertia = (7.2, 11, 4.8, 0, 3.8, 0) [kg*m^2] }
body rear_wheel on rear by revolute(y, q = q6) { mass = 2 [kg]; inertia = (0.0603, 0.12, 0.0603) [kg*m^2] }
body fork on rear by revolute(z, q = q7) at (d1, 0, 0) { mass = 4 [kg]; center = (0.026, 0, -0.1) [m]; inertia = (0.0584, 0.06, 0.0076, 0, 0.0091, 0) [kg*m^2] }
body front_wheel on fork by revolute(y, q = q8) at (d3, 0, d2) { mass = 3 [kg]; inertia = (0.1405, 0.28, 0.1405) [kg*m^2] }
joint rear_contact = rolling(rear_wheel.o, N.o, axis = y, radius = rr, normal = -z)
joint front_contact = rolling(front_wheel.o, N.o, axis = y, radius = rf, normal = -z)
start { q4 = 0.3; q7 = 0.2; q5 ~ 0.3; der(q6) = -8.9 [rad/s]; der(q4) = 0; der(q7) = 0 }
simulate { to = 1 [s], every = 0.1 [s] }
";
    let run = motion(text);
    assert!(run.statistics.accepted < 2000, "{} steps", run.statistics.accepted);
    assert!(run.audit.relative() < 1e-9, "{}", run.audit.relative());
    assert!((last(&run, "q3")).abs() > 0.1, "it turns");
}

/// A mechanism, an identity in its coordinates, and what is no identity.
struct Case {
    mechanism: String,
    identity: String,
    equation: String,
}

fn case(random: &mut Random) -> Case {
    let digits = |x: f64| (x * 1000.0).round() / 1000.0;
    let c = digits(random.between(0.3, 2.0));
    // Somewhat more: another function.
    let more = digits(c * 1.07);
    let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
    let points = |start: &str| {
        format!(
            "gravity = -9.81 [m/s^2] * N.z
particle p on N by translate(x = x, y = y) rotate(z = q) {{ mass = 1 [kg] }}
body b on p by rotate(x = w) at (0.2, 0, 0) [m] {{ mass = 2 [kg]; inertia = (0.1, 0.2, 0.3) [kg*m^2] }}
spring s between p.o and N(0, 0, 1) [m] {{ stiffness = 9 [N/m]; length = 0.3 [m] }}
start {{ {start} }}
"
        )
    };
    let [x, y] = [0, 0].map(|_| digits(random.between(0.5, 1.5)));
    let coordinates =
        format!("x = {} [m]; y = {} [m]; q = {}", sign * x, sign * y, digits(random.between(-1.0, 1.0)));
    match random.below(6) {
        0 => {
            let (ring, tyre) = (c, digits(random.between(0.0, 0.2)));
            let tilt = digits(random.between(-1.2, 1.2));
            let joint = |ring: f64| {
                format!(
                    "joint ground = rolling(wheel.o, N.o, axis = y, radius = {} [m], tyre = {tyre} [m])\n",
                    ring + tyre
                )
            };
            Case {
                mechanism: format!(
                    "gravity = -9.81 [m/s^2] * N.z
frame contact on N by translate(x = x, y = y)
frame lean on contact by rotate(z = yaw) rotate(x = tilt) at (0, 0, {tyre}) [m]
body wheel on lean by rotate(y = spin) at (0, 0, {ring}) [m] {{ mass = 2 [kg]; inertia = (0.02, 0.04, 0.02) [kg*m^2] }}
start {{ tilt = {tilt}; der(spin) = 3 [rad/s]; der(yaw) = 0; der(tilt) = 0 }}
"
                ),
                identity: joint(ring),
                equation: joint(more),
            }
        }
        1 => {
            let axes = ["x", "y", "z"];
            let first = random.below(3);
            let second = (first + 1 + random.below(2)) % 3;
            let p = [0, 0, 0].map(|_| digits(random.between(-1.0, 1.0)));
            let rod = |scale: f64| {
                format!(
                    "parameter L = {scale} * sqrt(({})^2 + ({})^2 + ({})^2) [m]\njoint rod = distance(N.o, arm.P, length = L)\n",
                    p[0], p[1], p[2]
                )
            };
            Case {
                mechanism: format!(
                    "gravity = -9.81 [m/s^2] * N.z
body arm on N by rotate({} = q1) rotate({} = q2) {{ mass = 1 [kg]; inertia = (0.1, 0.2, 0.15) [kg*m^2]; center = (0.1, 0.2, 0.3) [m]; point P = ({}, {}, {}) [m] }}
start {{ q1 = 0.4; q2 = {} }}
",
                    axes[first], axes[second], p[0], p[1], p[2], digits(random.between(0.2, 1.0))
                ),
                identity: rod(1.0),
                equation: rod(1.07),
            }
        }
        2 => {
            let root = |c: f64, d: f64| {
                let minus = if sign < 0.0 { "+" } else { "-" };
                format!(
                    "constraint k = sqrt(x^2 + {}*x*y + {}*y^2) {minus} (x + {d}*y)\n",
                    (2e3 * c).round() / 1e3,
                    (1e6 * c * c).round() / 1e6
                )
            };
            Case { mechanism: points(&coordinates), identity: root(c, c), equation: root(c, more) }
        }
        3 => {
            let size = |d: f64| {
                let minus = if sign < 0.0 { "+" } else { "-" };
                format!("constraint k = abs(x + {c}*y) {minus} (x + {d}*y)\n")
            };
            Case { mechanism: points(&coordinates), identity: size(c), equation: size(more) }
        }
        4 => {
            let half = |d: f64| format!("constraint k = {c}*sqrt((1 + cos(q))/2) - {d}*cos(q/2)\n");
            Case { mechanism: points(&coordinates), identity: half(c), equation: half(more) }
        }
        _ => {
            let same = |d: f64| {
                format!(
                    "parameter k1 = {c}, k2 = {d}\nconstraint k = k1*sqrt(x^2 + y^2) - k2*sqrt(x^2 + 2*y^2 - y*y)\n"
                )
            };
            Case { mechanism: points(&coordinates), identity: same(c), equation: same(more) }
        }
    }
}

#[test]
fn identities_in_random_coordinates_hold_nothing() {
    let mut random = Random::new(17);
    for n in 0..300 {
        let Case { mechanism, identity, equation } = case(&mut random);
        let text = format!("{mechanism}{identity}");
        let own = model(&text);
        // A wheel that rolls has two equations more, of its speeds.
        let slips = if text.contains("rolling") { 2 } else { 0 };
        let found =
            mobility(&own).unwrap_or_else(|e| panic!("{n}: {e}\n{text}")).expect("it has a constraint");
        assert_eq!(found.freedom + slips, own.speeds.len(), "{n}: {found:?}\n{text}");
        let other = format!("{mechanism}{equation}");
        // What can never hold is refused with its text.
        let says = resolve(parse("other.mbs", &other)).into_model().is_ok_and(|model| {
            let found = mobility(&model).ok().flatten();
            found.is_some_and(|m| m.freedom + slips == own.speeds.len())
        });
        assert!(!says, "{n}: an equation was taken for an identity\n{other}");
        if n % 20 == 0 && slips == 0 {
            let simulate = "simulate { to = 0.2 [s], every = 0.2 [s] }\n";
            let [with, without] = [&text, &mechanism].map(|text| motion(&format!("{text}{simulate}")));
            for (_, q) in own.coordinates.iter() {
                let [a, b] = [&with, &without].map(|run| last(run, &q.quantity.name));
                assert!(
                    (a - b).abs() <= 1e-9 * (1.0 + b.abs()),
                    "{n}: {} is {a} and {b}\n{text}",
                    q.quantity.name
                );
            }
        }
    }
}
