//! Wheels on roads, points on curves in space, rollers and faces on cams: against closed forms, conservation laws and one another.

use std::f64::consts::TAU;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

/// The motion of a text until a time, by samples of a fiftieth of it.
fn motion(text: &str, to: f64) -> Trajectory {
    let model = resolve(parse("contacts.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.to, settings.every) = (to, Some(to / 50.0));
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    if let Some((position, velocity)) = run.left_open {
        assert!(position < 1e-11 && velocity < 1e-9, "left open: {position:e} {velocity:e}\n{text}");
    }
    run
}

fn series(run: &Trajectory, name: &str) -> Vec<f64> {
    run.series(name).unwrap_or_else(|| panic!("no column `{name}`")).to_vec()
}

/// Compares a column with a function of time.
fn follows(run: &Trajectory, name: &str, tolerance: f64, expected: impl Fn(f64) -> f64) {
    for (t, x) in series(run, "t").iter().zip(series(run, name)) {
        let e = expected(*t);
        assert!((x - e).abs() <= tolerance, "{name} at t = {t}: {x}, expected {e}, off by {:e}", x - e);
    }
}

/// Compares columns of two motions.
fn same(a: &Trajectory, b: &Trajectory, names: &[&str], tolerance: f64) {
    for name in names {
        for (k, (x, y)) in series(a, name).iter().zip(series(b, name)).enumerate() {
            assert!((x - y).abs() <= tolerance, "{name}, sample {k}: {x} and {y}, off by {:e}", x - y);
        }
    }
}

fn balanced(run: &Trajectory, limit: f64) {
    let held = run.audit.verdict() == cardan::sim::Verdict::Holds;
    assert!(held && run.audit.relative() < limit, "{}", run.audit);
}

/// A disc of 1 kg and 0.25 m on what the joint says, with its slip as an output.
fn disc(before: &str, joint: &str, start: &str) -> String {
    format!(
        "gravity = -9.81 [m/s^2] * N.z
{before}
body disc on N by translate(x = x, y = y, z = z) rotate(z = yaw) rotate(x = lean) rotate(y = turn) {{
  mass = 1 [kg]; inertia = (0.015625, 0.03125, 0.015625) [kg*m^2]
}}
joint floor = rolling(disc.o, {joint})
start {{ {start} }}
output place = floor.point, force = floor.force, press = floor.press
output slip = velocity(disc.o) + cross(omega(disc), position(disc.o, floor.point))
output off = mag(position(disc.o, floor.point)), along = dot(position(disc.o, floor.point), disc.y)
simulate {{ to = 1 [s] }}"
    )
}

const PUSHED: &str = "x = 0.1 [m]; y = 0.3 [m]; yaw = 0.3; lean = 0.1; turn = 0; der(turn) = 6 [rad/s]; der(lean) = 0.5 [rad/s]; der(yaw) = 0.2 [rad/s]";
const MOTION: &[&str] =
    &["x", "y", "z", "yaw", "lean", "turn", "place.x", "place.y", "place.z", "force.x", "force.z"];

/// A road that is a slope is the plane across its normal, for a disc, a tyre and a ball, on the ground and on a table that turns.
#[test]
fn a_straight_road_is_a_plane() {
    let slope = "function slope(x [m], y [m]) [m] = 0.2*x - 0.1*y";
    for shape in
        ["axis = y, radius = 0.25 [m]", "axis = y, radius = 0.25 [m], tyre = 0.06 [m]", "radius = 0.25 [m]"]
    {
        for (before, ground) in
            [("", "N.o"), ("frame table on N by revolute(z, motion = 0.7 [rad/s] * t)", "table.o")]
        {
            let before = format!("{slope}\n{before}");
            let road = motion(&disc(&before, &format!("{ground}, {shape}, road = slope"), PUSHED), 0.8);
            let plane =
                motion(&disc(&before, &format!("{ground}, {shape}, normal = (-0.2, 0.1, 1)"), PUSHED), 0.8);
            same(&road, &plane, MOTION, 2e-8);
        }
    }
}

const BOWL: &str = "function bowl(x [m], y [m]) [m] = 0.1*x^2 + 0.2*y^2 + 0.05*x*y";

/// In a bowl energy stays, nothing slips, and the contact is on the rim and on the bowl.
#[test]
fn a_disc_in_a_bowl_touches_and_holds() {
    let run = motion(&disc(BOWL, "N.o, axis = y, radius = 0.25 [m], road = bowl", PUSHED), 2.0);
    balanced(&run, 1e-9);
    ["slip.x", "slip.y", "slip.z"].iter().for_each(|name| follows(&run, name, 1e-10, |_| 0.0));
    follows(&run, "off", 1e-12, |_| 0.25);
    follows(&run, "along", 1e-12, |_| 0.0);
    let (x, y, z) = (series(&run, "place.x"), series(&run, "place.y"), series(&run, "place.z"));
    for k in 0..x.len() {
        let height = 0.1 * x[k] * x[k] + 0.2 * y[k] * y[k] + 0.05 * x[k] * y[k];
        assert!((z[k] - height).abs() < 1e-12, "sample {k}");
    }
    assert!(series(&run, "floor.q").iter().any(|q| q.abs() > 0.05), "the contact leaves the lowest point");
    let tyre =
        motion(&disc(BOWL, "N.o, axis = y, radius = 0.25 [m], tyre = 0.08 [m], road = bowl", PUSHED), 2.0);
    balanced(&tyre, 1e-9);
    ["slip.x", "slip.y", "slip.z"].iter().for_each(|name| follows(&tyre, name, 1e-10, |_| 0.0));
}

/// A thin tyre tends to the disc; a tyre as thick as the wheel is a ball; a road at a distance from a surface is that surface.
#[test]
fn tyres_lie_between_discs_and_balls() {
    let sharp = motion(&disc(BOWL, "N.o, axis = y, radius = 0.25 [m], road = bowl", PUSHED), 1.0);
    let path = motion(&disc(BOWL, "N.o, axis = y, radius = 0.25 [m], surface = bowl", PUSHED), 1.0);
    same(&sharp, &path, MOTION, 1e-9);
    let off = |tyre: f64| {
        let joint = format!("N.o, axis = y, radius = 0.25 [m], tyre = {tyre} [m], road = bowl");
        let run = motion(&disc(BOWL, &joint, PUSHED), 1.0);
        let gaps = series(&run, "x").into_iter().zip(series(&sharp, "x")).map(|(a, b)| (a - b).abs());
        gaps.fold(0.0, f64::max)
    };
    let (far, near) = (off(1e-3), off(1e-4));
    assert!(far < 1e-2 && (8.0..12.0).contains(&(far / near)), "{far:e} {near:e}");
    // Bowls of radius 0.6 m, and the path of a centre 0.1 m inside it.
    let bowls = "function inner(x [m], y [m]) [m] = 0.6 - sqrt(0.25 - x^2 - y^2)
function outer(x [m], y [m]) [m] = 0.6 - sqrt(0.36 - x^2 - y^2)";
    let start = "x = 0.2 [m]; y = 0.1; yaw = 0; lean = 0.3; turn = 0; der(turn) = 3 [rad/s]; der(lean) = 1 [rad/s]; der(yaw) = 2 [rad/s]";
    let ball = motion(&disc(bowls, "N.o, radius = 0.1 [m], surface = inner", start), 1.0);
    let on_road = motion(&disc(bowls, "N.o, radius = 0.1 [m], road = outer", start), 1.0);
    let round =
        motion(&disc(bowls, "N.o, axis = y, radius = 0.1 [m], tyre = 0.1 [m], road = outer", start), 1.0);
    same(&ball, &on_road, MOTION, 1e-8);
    same(&ball, &round, MOTION, 1e-8);
    // The same for a tyre: the path of its middle, or what it touches.
    let tyre = "N.o, axis = y, radius = 0.15 [m], tyre = 0.1 [m]";
    let middle = motion(&disc(bowls, &format!("{tyre}, surface = inner"), start), 0.8);
    let touched = motion(&disc(bowls, &format!("{tyre}, road = outer"), start), 0.8);
    same(&middle, &touched, MOTION, 1e-8);
}

/// Upright in a trough of radius L a disc of radius R is a pendulum of length 3/2 (L - R): its centre moves on a circle of radius L - R with
/// speed (L - R) θ' = R ω, and T = m v²/2 + (m R²/2) ω²/2 = 3/4 m v².
#[test]
fn a_disc_in_a_trough_is_a_pendulum() {
    let trough = "function trough(x [m], y [m]) [m] = 1 - sqrt(1 - x^2) + 0*y";
    let start =
        "x = 0.45 [m]; y = 0; lean = 0; yaw = 0; turn = 0; der(lean) = 0; der(yaw) = 0; der(turn) = 0";
    let run = motion(&disc(trough, "N.o, axis = y, radius = 0.25 [m], road = trough", start), 2.0);
    let pendulum = motion(
        "gravity = -9.81 [m/s^2] * N.z
particle bob on N by revolute(-y) { mass = 1 [kg]; center = (0, 0, -1.125) [m] }
start { bob.q = asin(0.6) }
simulate { to = 1 [s] }",
        2.0,
    );
    for (x, turn) in series(&run, "x").iter().zip(series(&pendulum, "bob.q")) {
        assert!((x - 0.75 * turn.sin()).abs() < 1e-8, "{x} {turn}");
    }
    balanced(&run, 1e-9);
}

/// Round a cone in steady circling. With the contact at ρ from the cone's axis, the lean α of the disc to the inside and the rate Ω, the centre is at
/// ρ - R sin α, the disc turns by -Ω ρ/R about its axis a = e_ρ cos α + e_z sin α in its circling frame, so that the contact is at rest. Along
/// the circle the moment of the contact's force m g e_z - m Ω² (ρ - R sin α) e_ρ about the centre is m R (Ω² (ρ - R sin α) cos α - g sin α), and the
/// rate of angular momentum Ω² cos α (-(m R²/4) sin α + (m R²/2) (sin α - ρ/R)). Hence
///   Ω² = g tan α / (3/2 ρ - 5/4 R sin α),
/// whatever the slope β of the cone, which presses by m (g cos β + Ω² (ρ - R sin α) sin β).
#[test]
fn a_disc_circles_in_a_cone() {
    for (slope, lean) in [(0.5_f64, 35.0_f64), (1.5, 70.0)] {
        let (g, r, rho) = (9.81, 0.25, 1.2);
        let (sin, cos) = lean.to_radians().sin_cos();
        let rate = (g * sin / cos / (1.5 * rho - 1.25 * r * sin)).sqrt();
        let centre = rho - r * sin;
        let cone = format!("function cone(x [m], y [m]) [m] = {slope}*sqrt(x^2 + y^2)");
        let start = format!(
            "x = 0; y = {}; z = {}; yaw = 0; lean = -{lean} [deg]; turn = 0; der(yaw) = {rate}; der(lean) = 0; der(turn) = {}",
            -centre,
            slope * rho + r * cos,
            rate * rho / r
        );
        let run = motion(&disc(&cone, "N.o, axis = y, radius = 0.25 [m], road = cone", &start), 3.0);
        follows(&run, "x", 1e-7, |t| centre * (rate * t).sin());
        follows(&run, "z", 1e-7, |_| slope * rho + r * cos);
        follows(&run, "force.z", 1e-6, |_| g);
        let pull = rate * rate * centre;
        let steep = slope.hypot(1.0);
        follows(&run, "press", 1e-6, |_| (g + pull * slope) / steep);
        let (x, y) = (series(&run, "place.x"), series(&run, "place.y"));
        let (fx, fy) = (series(&run, "force.x"), series(&run, "force.y"));
        for k in 0..x.len() {
            let inward = -(fx[k] * x[k] + fy[k] * y[k]) / rho;
            assert!((inward - pull).abs() < 1e-6, "{inward} {pull}");
        }
    }
}

/// The library's wheel in a bowl circles steadily if nothing pushes it, by the closed form that stands in its text.
#[test]
fn a_tyre_circles_in_a_bowl() {
    let text =
        include_str!("../../../models/wheel-in-bowl.mbs").replace("push = 2 [rad/s]", "push = 0 [rad/s]");
    let run = motion(&text, 6.0);
    follows(&run, "radius", 1e-9, |_| 1.6);
    follows(&run, "lean", 1e-9, |_| -35_f64.to_radians());
    let rate = series(&run, "der(yaw)")[0];
    let arm = 0.25 * 35_f64.to_radians().sin() + 0.05 * 0.384_f64.atan().sin();
    follows(&run, "load", 1e-7, |_| 4.0 * 9.81_f64.hypot(rate * rate * (1.6 - arm)));
    balanced(&run, 1e-9);
}

/// Down a helix of radius R that falls by h in a radian: s'' = -g h / (R² + h²).
#[test]
fn a_bead_on_a_helix() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.z
function hx(s [rad]) [m] = 0.5*cos(s)
function hy(s [rad]) [m] = 0.5*sin(s)
function hz(s [rad]) [m] = 0.2*s
particle bead on N by translate(x = x, y = y, z = z) { mass = 2 [kg] }
joint wire = on_curve(N.o, bead.o, x = hx, y = hy, z = hz, q = s)
start { s = 0; der(s) = 0 }
output f = wire.counterforce, along = dot(wire.force, velocity(bead.o))
simulate { to = 1 [s] }",
        3.0,
    );
    let a = 9.81 * 0.2 / (0.25 + 0.04);
    follows(&run, "s", 1e-8, |t| -a * t * t / 2.0);
    follows(&run, "x", 1e-8, |t| 0.5 * (a * t * t / 2.0).cos());
    follows(&run, "along", 1e-8, |_| 0.0);
    // Upward the wire carries the weight less what falls.
    follows(&run, "f.z", 1e-8, |_| 2.0 * (9.81 - 0.2 * a));
    balanced(&run, 1e-9);
}

const RING: &str = "gravity = -9.81 [m/s^2] * N.y
particle bead on N by translate(x = x, y = y, z = z) { mass = 1 [kg] }
simulate { to = 1 [s] }
";

/// One ellipse by its polar radius, by a parameter, by a table; once round and many times.
#[test]
fn a_wire_by_angle_by_parameter_and_by_table() {
    let parameter = "function ex(s) [m] = 0.3*cos(s)
function ey(s) [m] = 0.2*sin(s)
joint wire = on_curve(N.o, bead.o, x = ex, y = ey)";
    let polar = "function r(phi [rad]) [m] = 0.06 / sqrt((0.2*cos(phi))^2 + (0.3*sin(phi))^2)
joint wire = on_curve(N.o, bead.o, axis = z, radius = r)
joint flat = in_plane(N.o, bead.o, axis = z)";
    for speed in [0.0, 6.0] {
        let start = format!("start {{ x = 0.3 [m]; y = 0; z = 0; der(y) = {speed} [m/s] }}");
        let a = motion(&format!("{RING}{parameter}\n{start}"), 1.5);
        let b = motion(&format!("{RING}{polar}\n{start}"), 1.5);
        same(&a, &b, &["x", "y"], 1e-7);
        balanced(&a, 1e-9);
        let laps = series(&a, "wire.q").last().map_or(0.0, |s| s / TAU);
        assert!((speed > 0.0) == (laps > 4.0), "{laps} laps");
    }
    let points = |f: fn(f64) -> f64| -> String {
        (0..=72)
            .map(|k| {
                format!("{}: {}, ", 5 * k, if k % 72 == 0 { f(0.0) } else { f(f64::from(k) * TAU / 72.0) })
            })
            .collect()
    };
    let table = format!(
        "table ex(s [deg]) [m] = periodic {{ {} }}\ntable ey(s [deg]) [m] = periodic {{ {} }}
joint wire = on_curve(N.o, bead.o, x = ex, y = ey)",
        points(|s| 0.3 * s.cos()).trim_end_matches(", "),
        points(|s| 0.2 * s.sin()).trim_end_matches(", ")
    );
    let start = "start { x = 0.3 [m]; y = 0; z = 0; der(y) = 6 [m/s] }";
    let a = motion(&format!("{RING}{parameter}\n{start}"), 1.0);
    let b = motion(&format!("{RING}{table}\n{start}"), 1.0);
    same(&a, &b, &["x", "y"], 2e-5);
    balanced(&b, 1e-8);
    assert!(series(&b, "wire.q").last().is_some_and(|s| *s > 2.0 * TAU), "several laps");
}

/// On a bar that turns steadily a bead in a straight tube flies outward, r = r0 cosh ωt; the tube is a curve of the bar, by its length.
#[test]
fn a_curve_moves_with_its_body() {
    let run = motion(
        "frame bar on N by revolute(z, motion = 2 [rad/s] * t)
function out(s [m]) [m] = s
particle bead on N by translate(x = x, y = y, z = z) { mass = 2 [kg] }
joint tube = on_curve(bar.o, bead.o, x = out)
start { tube.q = 0.1 [m]; tube.u = 0 }
simulate { to = 1 [s] }",
        1.5,
    );
    follows(&run, "tube.q", 1e-9, |t| 0.1 * (2.0 * t).cosh());
    follows(&run, "y", 1e-9, |t| 0.1 * (2.0 * t).cosh() * (2.0 * t).sin());
}

/// Driven along a helix, a bead takes the force m c·a with the acceleration a of what goes round at a steady rate.
#[test]
fn a_bead_is_driven_along_its_curve() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.z
function hx(s [rad]) [m] = 0.5*cos(s)
function hy(s [rad]) [m] = 0.5*sin(s)
function hz(s [rad]) [m] = 0.2*s
particle bead on N by translate(x = x, y = y, z = z) { mass = 2 [kg] }
joint wire = on_curve(N.o, bead.o, x = hx, y = hy, z = hz)
motion winch on wire.q = 3 [rad/s] * t
output effort = winch.effort, hold = wire.counterforce
simulate { to = 1 [s] }",
        2.0,
    );
    // Along the parameter the winch lifts m g h in a radian; towards the axis the wire holds m R ω².
    follows(&run, "effort", 1e-9, |_| 2.0 * 9.81 * 0.2);
    follows(&run, "hold.z", 1e-9, |_| 2.0 * 9.81);
    follows(&run, "hold.x", 1e-9, |t| -2.0 * 0.5 * 9.0 * (3.0 * t).cos());
    follows(&run, "y", 1e-10, |t| 0.5 * (3.0 * t).sin());
    follows(&run, "z", 1e-10, |t| 0.6 * t);
}

/// The polar radius of a disc of 30 mm whose centre is 12 mm from the shaft along x.
const ECCENTRIC: &str = "function profile(phi [rad]) [mm] = 12*cos(phi) + sqrt(900 - 144*sin(phi)^2)";

/// The same as a table of every third degree or so.
fn eccentric_table() -> String {
    let radius = |k: u32| {
        let phi = f64::from(k % 120) * TAU / 120.0;
        12.0 * phi.cos() + (900.0 - 144.0 * phi.sin().powi(2)).sqrt()
    };
    let points: Vec<String> = (0..=120).map(|k| format!("{}: {}", 3 * k, radius(k))).collect();
    format!("table profile(phi [deg]) [mm] = periodic {{ {} }}", points.join(", "))
}

fn cam(profile: &str, rest: &str) -> String {
    format!(
        "gravity = -9.81 [m/s^2] * N.y
{profile}
body cam on N by revolute(z, q = theta) {{ mass = 1 [kg]; inertia = (1e-3, 1e-3, 1e-3) [kg*m^2]; point middle = (12, 0, 0) [mm] }}
{rest}
simulate {{ to = 1 [s] }}"
    )
}

/// An eccentric disc under a roller beside its axis: y = e sin θ + sqrt((a + R)² - (d - e cos θ)²), and the force along the line of centres lifts.
#[test]
fn a_roller_on_an_eccentric_disc() {
    let (e, d, reach, w, m) = (0.012, 0.005, 0.038, 20.0_f64, 0.2);
    let rest = "body follower on N by prismatic(y, q = h) at (5, 0, 0) [mm] { mass = 0.2 [kg]; inertia = (1e-4, 1e-4, 1e-4) [kg*m^2] }
joint contact = on_curve(cam.o, follower.o, axis = z, radius = profile, roller = 8 [mm])
motion motor on theta = 20 [rad/s] * t
start { h ~ 40 [mm] }
output lift = contact.counterforce, place = contact.point";
    let lift = |t: f64| {
        let (sin, cos) = (w * t).sin_cos();
        e * sin + (reach * reach - (d - e * cos).powi(2)).sqrt()
    };
    let weight = |t: f64| {
        let step = 1e-5;
        m * (9.81 + (lift(t + step) - 2.0 * lift(t) + lift(t - step)) / (step * step))
    };
    for (profile, fine) in [(ECCENTRIC.to_owned(), 1.0), (eccentric_table(), 1e4)] {
        let run = motion(&cam(&profile, rest), 0.7);
        follows(&run, "h", 1e-11 * fine, lift);
        follows(&run, "der(h)", 1e-8 * fine, |t| (lift(t + 1e-6) - lift(t - 1e-6)) / 2e-6);
        follows(&run, "lift.y", 1e-5 * fine.sqrt(), weight);
    }
}

/// The disc under a flat face: h = a + e sin θ, touched beside the shaft by e cos θ, with the force m (g - e ω² sin θ).
#[test]
fn a_face_on_an_eccentric_disc() {
    let rest = "body follower on N by prismatic(y, q = h) { mass = 0.2 [kg]; inertia = (1e-4, 1e-4, 1e-4) [kg*m^2] }
joint contact = on_curve(cam.o, follower.o, axis = z, radius = profile, face = y)
motion motor on theta = 20 [rad/s] * t + 0.3 [rad]
start { h ~ 40 [mm] }
output lift = contact.counterforce, press = contact.press, place = position(N.o, contact.point), tilt = follower.torque, drive = motor.effort";
    // A spline is less true in its second derivative, which makes the force.
    for (profile, fine, hard) in [(ECCENTRIC.to_owned(), 1.0, 1e-8), (eccentric_table(), 1e4, 5e-4)] {
        let run = motion(&cam(&profile, rest), 0.7);
        let force = |t: f64| 0.2 * (9.81 - 0.012 * 400.0 * (20.0 * t + 0.3).sin());
        follows(&run, "h", 1e-11 * fine, |t| 0.03 + 0.012 * (20.0 * t + 0.3).sin());
        follows(&run, "lift.y", hard, force);
        follows(&run, "press", hard, force);
        follows(&run, "place.x", 1e-9 * fine, |t| 0.012 * (20.0 * t + 0.3).cos());
        // The guide holds against the moment of the contact, and the motor feels it too.
        follows(&run, "tilt.z", hard, |t| -force(t) * 0.012 * (20.0 * t + 0.3).cos());
        follows(&run, "drive", hard, |t| force(t) * 0.012 * (20.0 * t + 0.3).cos());
    }
}

/// Arms that swing on the disc, which turns freely: a roller keeps its distance from the disc's centre, a face stays beside it.
#[test]
fn arms_on_an_eccentric_disc() {
    let arm = |joint: &str| {
        cam(
            ECCENTRIC,
            &format!(
                "body arm on N by revolute(z, q = swing) at (-60, 40, 0) [mm] {{
  mass = 0.3 [kg]; inertia = (1e-4, 1e-4, 2e-4) [kg*m^2]; center = (40, 0, 0) [mm]
  point tip = (62, 0, 0) [mm]; point track = (0, -30, 0) [mm]
}}
{joint}
start {{ theta = 0.3; der(theta) = 25 [rad/s]; swing ~ 0.1 }}
output push = contact.force"
            ),
        )
    };
    for (one, other) in [
        (
            "joint contact = on_curve(cam.o, arm.tip, axis = z, radius = profile, roller = 9 [mm])",
            "joint contact = distance(cam.middle, arm.tip, length = 39 [mm])",
        ),
        (
            "joint contact = on_curve(cam.o, arm.o, axis = z, radius = profile, face = y)",
            "joint contact = in_plane(arm.track, cam.middle, axis = y)",
        ),
    ] {
        let (a, b) = (motion(&arm(one), 0.6), motion(&arm(other), 0.6));
        same(&a, &b, &["theta", "swing"], 1e-7);
        balanced(&a, 1e-9);
    }
}

/// A roller inside a ring has a negative radius: in a ring of 50 mm that of 10 mm keeps 40 mm from the middle.
#[test]
fn a_roller_inside_a_ring() {
    let text = |joint: &str| {
        format!(
            "gravity = -9.81 [m/s^2] * N.y
particle pin on N by translate(x = x, y = y) {{ mass = 1 [kg] }}
{joint}
start {{ x = 40 [mm]; y ~ 0; der(y) = 0.2 [m/s] }}
output push = track.force
simulate {{ to = 1 [s] }}"
        )
    };
    let ring = motion(
        &text("joint track = on_curve(N.o, pin.o, axis = z, radius = 50 [mm], roller = -10 [mm])"),
        1.0,
    );
    let rod = motion(&text("joint track = distance(N.o, pin.o, length = 40 [mm])"), 1.0);
    same(&ring, &rod, &["x", "y", "push.x", "push.y"], 1e-7);
}
