//! Distances that follow a function of time: a boom on a cylinder against its closed form, and a winch against the equation written out.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn motion(text: &str) -> Trajectory {
    let model = resolve(parse("driven.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.rtol, settings.atol) = (1e-12, 1e-13);
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn boom(cylinder: &str) -> String {
    format!(
        "
model boom
gravity = -9.81 [m/s^2] * N.z
body boom on N by revolute(-y, q = th) {{ mass = 100 [kg]; inertia = (1, 30, 30) [kg*m^2]; center = (1.5, 0, 0) [m]; point P = (1, 0, 0) [m] }}
{cylinder}
output f = cyl.force, back = cyl.counterforce, effort = cyl.effort, power = cyl.power, pin = boom.force, moment = boom.torque
start {{ th ~ -0.1 }}
simulate {{ to = 3 [s], every = 0.1 [s] }}
"
    )
}

/// sin θ = (L² - 1.64)/1.6 by the law of cosines, its rates, then Euler for the boom about its pin and Newton for its mass centre. The pin bears no
/// moment about its axis: the cylinder's force is the cylinder's alone.
#[test]
fn a_cylinder_lifts_a_boom() {
    let length = "1.2 [m] + 0.1 [m]*sin(2 [rad/s]*t)";
    let joint = format!("joint cyl = distance(boom.P, N(0, 0, -0.8) [m], length = {length})");
    let drive = format!("motion cyl on mag(position(boom.P, N(0, 0, -0.8) [m])) = {length}");
    for text in [joint, drive] {
        let run = motion(&boom(&text));
        let column = |name: &str| run.series(name).unwrap_or_else(|| panic!("no column {name}")).to_vec();
        let times = column("t");
        assert_eq!(times.len(), 31);
        for (k, t) in times.iter().enumerate() {
            let near = |name: &str, known: f64, off: f64| {
                let found = column(name)[k];
                assert!((found - known).abs() < off, "{name} is {found}, not {known}, at t = {t}\n{text}");
            };
            let (s, c) = (2.0 * t).sin_cos();
            let [l, dl, ddl] = [1.2 + 0.1 * s, 0.2 * c, -0.4 * s];
            let (y, dy, ddy) = ((l * l - 1.64) / 1.6, l * dl / 0.8, (dl * dl + l * ddl) / 0.8);
            let cosine = (1.0 - y * y).sqrt();
            let rate = dy / cosine;
            let acceleration = (ddy + y * rate * rate) / cosine;
            near("th", y.asin(), 1e-9);
            let moment = (30.0 + 100.0 * 2.25) * acceleration + 100.0 * 9.81 * 1.5 * cosine;
            let effort = moment * l / (0.8 * cosine);
            near("effort", effort, 1e-5);
            near("power", effort * dl, 1e-5);
            let (fx, fz) = (effort * cosine / l, effort * (y + 0.8) / l);
            near("f.x", fx, 1e-5);
            near("f.z", fz, 1e-5);
            near("back.x", -fx, 1e-5);
            let ax = 1.5 * (-acceleration * y - rate * rate * cosine);
            let az = 1.5 * (acceleration * cosine - rate * rate * y);
            near("pin.x", 100.0 * ax - fx, 1e-5);
            near("pin.z", 100.0 * (az + 9.81) - fz, 1e-5);
            near("moment.y", 0.0, 1e-7);
        }
        assert!(run.audit.to_string().contains("holds"), "{}", run.audit);
    }
}

/// A load on a rope that is wound up: the motion of a distance, the same distance as a joint and the equation written out move alike, and the rope pulls.
#[test]
fn a_winch_is_one_motion_in_three_spellings() {
    let winch = |how: &str, force: &str| {
        motion(&format!(
            "
model winch
gravity = -9.81 [m/s^2] * N.y
particle p on N by translate(x = x, y = y) {{ mass = 2 [kg] }}
{how}
start {{ x = 0.5 [m]; y ~ -1.9 [m]; der(x) = 0.7 [m/s] }}
output F = {force}
simulate {{ to = 3 [s], every = 0.25 [s] }}
"
        ))
    };
    let runs = [
        winch("motion wind on mag(position(N.o, p.o)) = 2 [m] - 0.1 [m/s]*t", "wind.effort"),
        winch(
            "motion wind on mag(position(p.o)) = 2 [m] - 0.1 [m/s]*t",
            "dot(wind.counterforce, dir(position(p.o)))",
        ),
        winch("joint wind = distance(N.o, p.o, length = 2 [m] - 0.1 [m/s]*t)", "wind.effort"),
        winch("constraint wind = mag(position(N.o, p.o)) - 2 [m] + 0.1 [m/s]*t", "wind.multiplier"),
    ];
    let column = |run: &Trajectory, name: &str| run.series(name).expect("a column").to_vec();
    for name in ["x", "y", "F"] {
        let first = column(&runs[0], name);
        for run in &runs[1..] {
            let gap = first.iter().zip(column(run, name)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-7, "{name} differs by {gap:e}");
        }
    }
    assert!(column(&runs[0], "F").iter().all(|f| *f < 0.0), "a rope pulls");
}

/// A length that moves with the mechanism is no length of a rod.
#[test]
fn a_length_follows_time_alone() {
    let text = "
body a on N by translate(x = x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body b on N by translate(x = y) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
joint rod = distance(a.o, b.o, length = 1 [m] + x)
";
    let said = resolve(parse("driven.mbs", text)).into_model().expect_err("it is refused").to_string();
    assert!(said.contains("the length of a rod depends on time only"), "{said}");
}
