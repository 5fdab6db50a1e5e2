//! Constraint elements against closed forms, conservation laws and one another.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn compiled(text: &str) -> (Model, Compiled) {
    let model =
        resolve(parse("constraints.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (model, compiled)
}

/// The motion of a text until a time, by samples of a fiftieth of it.
fn motion(text: &str, to: f64) -> Trajectory {
    let (model, compiled) = compiled(text);
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.to, settings.every) = (to, Some(to / 50.0));
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
    if let Some((position, velocity)) = run.left_open {
        assert!(position < 1e-12 && velocity < 1e-10, "left open: {position:e} {velocity:e}\n{text}");
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

fn balanced(run: &Trajectory, limit: f64) {
    assert!(
        run.audit.verdict() == cardan::sim::Verdict::Holds && run.audit.relative() < limit,
        "{}",
        run.audit
    );
}

const WHEELS: &str = "
body a on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 2) [kg*m^2] }
body b on N by revolute(z) at (1, 0, 0) [m] { mass = 1 [kg]; inertia = (1, 1, 6) [kg*m^2] }
torque push on a = 3 [N*m] * N.z
simulate { to = 1 [s] }
output told = j.effort
";

/// b = i a: the wheel on the motor's side feels i² times the inertia of the other.
#[test]
fn gears_and_belts_reflect_inertia() {
    let gear = motion(&format!("joint j = gear(b, a, ratio = -1/4)\n{WHEELS}"), 2.0);
    let rate = 3.0 / (2.0 + 6.0 / 16.0);
    follows(&gear, "a.q", 1e-9, |t| rate * t * t / 2.0);
    follows(&gear, "b.q", 1e-9, |t| -rate * t * t / 8.0);
    // What the teeth do to b is what turns b.
    follows(&gear, "told", 1e-9, |_| -6.0 * rate / 4.0);
    balanced(&gear, 1e-9);
    for (crossed, sign) in [("", 1.0), (", crossed", -1.0)] {
        let text = format!("joint j = belt(a, b, radii = (20, 80) [mm]{crossed})\n{WHEELS}");
        let belt = motion(&text.replace("output told = j.effort", ""), 2.0);
        follows(&belt, "b.q", 1e-9, |t| sign * rate * t * t / 8.0);
    }
}

#[test]
fn a_rack_falls_against_its_pinion() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.y
body bar on N by prismatic(y) { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body pinion on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 0.05) [kg*m^2] }
joint teeth = rack(bar, pinion, radius = 0.1 [m])
output told = teeth.effort
simulate { to = 1 [s] }",
        1.0,
    );
    let a = 9.81 * 2.0 / (2.0 + 0.05 / 0.01);
    follows(&run, "bar.q", 1e-10, |t| -a * t * t / 2.0);
    follows(&run, "pinion.q", 1e-9, |t| -10.0 * a * t * t / 2.0);
    follows(&run, "told", 1e-9, |_| 2.0 * (9.81 - a));
}

/// left + right = 2 cage: a torque on the cage moves the lighter side more, in the ratio of the inertias.
#[test]
fn a_differential_shares_torque_equally() {
    let run = motion(
        "body left on N by revolute(x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body right on N by revolute(x) { mass = 1 [kg]; inertia = (3, 1, 1) [kg*m^2] }
body cage on N by revolute(x) { mass = 1 [kg]; inertia = (2, 1, 1) [kg*m^2] }
torque engine on cage = 5 [N*m] * N.x
joint differential = coupler(left, right, cage, factors = (1, 1, -2))
simulate { to = 1 [s] }",
        1.0,
    );
    let (l, r) = (series(&run, "left.u"), series(&run, "right.u"));
    l.iter().zip(&r).for_each(|(l, r)| assert!((l - 3.0 * r).abs() < 1e-10));
    // λ = half the engine's torque less what the cage keeps: 5 - 2λ = 2 (λ + λ/3)/2.
    let lambda = 5.0 / (2.0 + 4.0 / 3.0);
    follows(&run, "left.u", 1e-10, |t| lambda * t);
}

/// f1 q1 + f2 q2 + f3 q3 = 0 with a factor that a parameter makes small: no division by it. The reference solves Newton's law with the
/// multiplier as an unknown, by another program.
#[test]
fn a_coupler_may_have_a_factor_that_vanishes() {
    for (f3, q1) in [("1e-5", 0.472656216965), ("1e-14", 0.472654012012), ("0", 0.472654012012)] {
        let run = motion(
            &format!(
                "parameter f1 = 1, f2 = 1, f3 = {f3}
gravity = -9.81 [m/s^2] * N.y
body a on N by revolute(z, q = q1) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
body b on N by revolute(z, q = q2) {{ mass = 1 [kg]; inertia = (1, 1, 2) [kg*m^2]; center = (0.3, 0, 0) [m] }}
body c on N by revolute(z, q = q3) {{ mass = 1 [kg]; inertia = (1, 1, 1.5) [kg*m^2]; center = (0.1, 0, 0) [m] }}
joint j = coupler(a, b, c, factors = (f1, f2, f3))
"
            ),
            1.0,
        );
        let found = series(&run, "q1").last().copied().expect("a sample");
        assert!((found - q1).abs() < 1e-9, "{f3}: {found} against {q1}");
    }
}

/// A nut that falls down its thread through many turns.
#[test]
fn a_thread_couples_turn_and_advance() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.z
body nut on N by cylindrical(z, q = (s, turn)) { mass = 0.5 [kg]; inertia = (1e-3, 1e-3, 1e-3) [kg*m^2] }
joint thread = screw(N.o, nut.o, axis = z, lead = 40 [mm])
output told = thread.force, twist = thread.torque
simulate { to = 1 [s] }",
        2.0,
    );
    let pitch = 0.04 / std::f64::consts::TAU;
    let a = 9.81 * 0.5 / (0.5 + 1e-3 / (pitch * pitch));
    follows(&run, "s", 1e-9, |t| -a * t * t / 2.0);
    follows(&run, "turn", 1e-7, |t| -a * t * t / 2.0 / pitch);
    assert!(series(&run, "turn").last().is_some_and(|x| x.abs() > 40.0), "several turns");
    // On the ground the thread pulls down with what it takes from the nut's weight.
    follows(&run, "told.z", 1e-9, |_| -0.5 * (9.81 - a));
    follows(&run, "twist.z", 1e-10, |_| 1e-3 * a / pitch);
    balanced(&run, 1e-9);
}

#[test]
fn directions_keep_their_angle() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.z
body top on N by spherical(rotate = zxz, speeds = rates, q = (p, n, s)) {
  mass = 1 [kg]; inertia = (0.2, 0.2, 0.1) [kg*m^2]; center = (0, 0, 0.5) [m]
}
joint cone = angle(N.o, top.o, axis = z, angle = 30 [deg])
start { n = 30 [deg]; der(p) = 2 [rad/s]; der(s) = 5 [rad/s] }
output c = dot(top.z, N.z)
simulate { to = 1 [s] }",
        3.0,
    );
    follows(&run, "c", 1e-12, |_| 30f64.to_radians().cos());
    // Nothing turns the top about the vertical or about its own axis: both rates stay.
    follows(&run, "der(p)", 1e-9, |_| 2.0);
    follows(&run, "der(s)", 1e-9, |_| 5.0);
}

const BEAD: &str = "
gravity = -9.81 [m/s^2] * N.y
particle bead on N by translate(x = x, y = y) { mass = 1 [kg] }
start { x = 0.3 [m]; y = 0 }
simulate { to = 1 [s] }
";

/// One wire described in three ways: as a curve in polar coordinates, as an equation, as a rod.
#[test]
fn a_bead_does_not_know_how_its_wire_is_described() {
    let ellipse = "function r(phi [rad]) [m] = 0.06 / sqrt((0.2*cos(phi))^2 + (0.3*sin(phi))^2)";
    let curve =
        motion(&format!("{ellipse}\njoint wire = on_curve(N.o, bead.o, axis = z, radius = r)\n{BEAD}"), 1.5);
    let equation = motion(&format!("constraint wire = (x / 0.3 [m])^2 + (y / 0.2 [m])^2 - 1\n{BEAD}"), 1.5);
    for (a, b) in series(&curve, "y").iter().zip(series(&equation, "y")) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
    let circle =
        motion(&format!("joint wire = on_curve(N.o, bead.o, axis = z, radius = 0.3 [m])\n{BEAD}"), 1.5);
    let rod = motion(&format!("joint wire = distance(N.o, bead.o, length = 0.3 [m])\n{BEAD}"), 1.5);
    for (a, b) in series(&circle, "x").iter().zip(series(&rod, "x")) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
    balanced(&curve, 1e-9);
}

/// A bead in a slot that turns steadily flies outward: r = r0 cosh ωt. The slot is seen from a turning body.
#[test]
fn a_bead_in_a_turning_slot() {
    let run = motion(
        "body bar on N by revolute(z) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
particle bead on N by translate(x = x, y = y) { mass = 2 [kg] }
joint slot = on_line(bar.o, bead.o, axis = x)
motion motor on bar = 2 [rad/s] * t
start { x = 0.1 [m]; y = 0; der(x) = 0 }
output r = mag(position(N.o, bead.o))
output told = motor.effort
simulate { to = 1 [s] }",
        1.5,
    );
    follows(&run, "r", 1e-9, |t| 0.1 * (2.0 * t).cosh());
    // Coriolis: τ = 2 m ω r ṙ
    follows(&run, "told", 1e-8, |t| 2.0 * 2.0 * 2.0 * 0.1 * (2.0 * t).cosh() * 0.2 * (2.0 * t).sinh());
    balanced(&run, 1e-9);
}

/// A blade on a slope that turns steadily wanders across the slope along a cycloid and does not go down (Neimark and Fufaev, ch. II).
#[test]
fn a_blade_on_a_slope_goes_across_it() {
    let run = motion(
        "gravity = 3 [m/s^2] * N.x
body blade on N by translate(x = x, y = y) rotate(z = heading) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
constraint edge = dot(velocity(blade.o), blade.y)
start { der(heading) = 2 [rad/s] }
output side = edge.multiplier
simulate { to = 1 [s] }",
        6.0,
    );
    let (g, w) = (3.0, 2.0);
    follows(&run, "x", 1e-9, |t| g / (2.0 * w * w) * (w * t).sin().powi(2));
    follows(&run, "y", 1e-9, |t| g / (2.0 * w * w) * (w * t - (2.0 * w * t).sin() / 2.0));
    // Across the blade: the slope's pull and the turning of the velocity (g/ω) sin ωt.
    follows(&run, "side", 1e-9, |t| 2.0 * g * (w * t).sin());
    balanced(&run, 1e-9);
}

/// A constraint that moves with time does work, and the balance knows it.
#[test]
fn a_shaken_pendulum_balances_its_energy() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.y
body slide on N by prismatic(x) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body bob on slide by revolute(z) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, -0.5, 0) [m] }
constraint shake = dot(position(N.o, slide.o), N.x) == 0.2 [m] * sin(3 [rad/s] * t)
start { bob.q = 0.4 [rad] }
simulate { to = 1 [s] }",
        5.0,
    );
    follows(&run, "slide.q", 1e-12, |t| 0.2 * (3.0 * t).sin());
    balanced(&run, 1e-9);
}

/// Down a slope without slip: a ball by 5/7, a disc by 2/3 of what a slide would do; a tyre as thick as the wheel makes a ball of it.
#[test]
fn what_rolls_is_slower_than_what_slides() {
    let rolls = |inertia: f64, joint: &str| {
        format!(
            "gravity = 2 [m/s^2] * N.x - 9 [m/s^2] * N.z
body r on N by free(rotate = xyz, speeds = rates, q = (x, y, z, p, q, s)) {{
  mass = 3 [kg]; inertia = ({0}, {0}, {0}) [kg*m^2]
}}
joint j = rolling(r.o, N.o, {joint})
start {{ z = 0.2 [m]; der(y) = 0; der(p) = 0 }}
output place = j.point, force = j.force
simulate {{ to = 1 [s] }}",
            inertia * 3.0 * 0.04
        )
    };
    for (part, inertia, joint) in [
        (5.0 / 7.0, 0.4, "radius = 0.2 [m]"),
        (5.0 / 7.0, 0.4, "radius = 0.2 [m], axis = y, tyre = 0.2 [m]"),
        (2.0 / 3.0, 0.5, "radius = 0.2 [m], axis = y, tyre = 0.05 [m]"),
        (2.0 / 3.0, 0.5, "radius = 0.2 [m], axis = y"),
    ] {
        let run = motion(&rolls(inertia, joint), 1.0);
        follows(&run, "x", 1e-10, |t| part * t * t);
        follows(&run, "place.x", 1e-10, |t| part * t * t);
        follows(&run, "z", 1e-12, |_| 0.2);
        follows(&run, "force.z", 1e-9, |_| 27.0);
        follows(&run, "force.x", 1e-9, |_| 6.0 * (part - 1.0));
        balanced(&run, 1e-9);
    }
}

/// A ball on a turntable goes round in a circle at 2/7 of the table's rate, wherever it is put.
#[test]
fn a_ball_on_a_turntable() {
    let run = motion(
        "gravity = -9.81 [m/s^2] * N.z
frame table on N by revolute(z, motion = 7 [rad/s] * t)
body ball on N by free { mass = 2 [kg]; inertia = (0.008, 0.008, 0.008) [kg*m^2] }
joint contact = rolling(ball.o, table.o, radius = 0.1 [m])
start { ball.q1 = 1 [m]; ball.q3 = 0.1 [m]; ball.u1 = 0; ball.u2 = 0.5 [m/s] }
output p = position(N.o, ball.o), v = velocity(ball.o), a = acceleration(ball.o)
simulate { to = 1 [s] }",
        3.0,
    );
    let (vx, vy) = (series(&run, "v.x"), series(&run, "v.y"));
    let (ax, ay) = (series(&run, "a.x"), series(&run, "a.y"));
    for k in 0..vx.len() {
        assert!((ax[k] + 2.0 * vy[k]).abs() < 1e-9 && (ay[k] - 2.0 * vx[k]).abs() < 1e-9, "sample {k}");
    }
    let turn = |t: f64| (0.5 * (2.0 * t).sin() / 2.0, 0.5 * (1.0 - (2.0 * t).cos()) / 2.0);
    follows(&run, "p.y", 1e-9, |t| turn(t).0);
    follows(&run, "p.x", 1e-9, |t| 1.0 - turn(t).1);
    balanced(&run, 1e-8);
}

/// An upright disc is stable above ω² = g/3R; small motions are known on both sides (I = mR²/4 and mR²/2):
/// lean'' = (4/5 g/R - 12/5 ω²) lean.
#[test]
fn a_fast_disc_stays_upright() {
    for factor in [0.9, 1.1, 2.0] {
        let (r, g, push) = (0.25, 9.81, 1e-5);
        let spin = factor * f64::sqrt(g / (3.0 * r));
        let run = motion(
            &format!(
                "gravity = -9.81 [m/s^2] * N.z
body disc on N by translate(x = x, y = y, z = z) rotate(z = yaw) rotate(x = lean) rotate(y = turn) {{
  mass = 1 [kg]; inertia = (0.015625, 0.03125, 0.015625) [kg*m^2]
}}
joint floor = rolling(disc.o, N.o, axis = y, radius = 0.25 [m])
start {{ z = 0.25 [m]; der(turn) = {spin} [rad/s]; der(lean) = {push} [rad/s]; der(yaw) = 0 }}
simulate {{ to = 1 [s] }}"
            ),
            2.0,
        );
        let square: f64 = 2.4 * spin * spin - 0.8 * g / r;
        let n = square.abs().sqrt();
        let law = |t: f64| if square > 0.0 { (n * t).sin() } else { (n * t).sinh() };
        follows(&run, "lean", 1e-5 * push, |t| push / n * law(t));
    }
}

/// In a bowl a ball whose centre moves on a sphere of radius L is a pendulum of length 7/5 L, however far it swings.
#[test]
fn a_ball_in_a_bowl_is_a_pendulum() {
    let ball = motion(
        "gravity = -9.81 [m/s^2] * N.z
function bowl(x [m], y [m]) [m] = 0.5 - sqrt(0.25 - x^2 - y^2)
body ball on N by free { mass = 2 [kg]; inertia = (0.008, 0.008, 0.008) [kg*m^2] }
joint contact = rolling(ball.o, N.o, radius = 0.1 [m], surface = bowl)
start { ball.q1 = 0.3 [m]; ball.q3 = 0.1 [m] }
output place = contact.point
simulate { to = 1 [s] }",
        2.0,
    );
    let pendulum = motion(
        "gravity = -9.81 [m/s^2] * N.z
particle bob on N by revolute(-y) { mass = 1 [kg]; center = (0, 0, -0.7) [m] }
start { bob.q = asin(0.6) }
simulate { to = 1 [s] }",
        2.0,
    );
    let turn = series(&pendulum, "bob.q");
    for (x, turn) in series(&ball, "ball.q1").iter().zip(&turn) {
        assert!((x - 0.5 * turn.sin()).abs() < 1e-8, "{x} {turn}");
    }
    // The bowl itself has the radius 0.6 m.
    for (x, turn) in series(&ball, "place.x").iter().zip(&turn) {
        assert!((x - 0.6 * turn.sin()).abs() < 1e-8, "{x} {turn}");
    }
    balanced(&ball, 1e-9);
}
