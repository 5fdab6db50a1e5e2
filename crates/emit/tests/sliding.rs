//! Complete programs hold motions where a run does: dry friction sticks and lets go, relays slide on their lines.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use cardan_assembly::ParameterValues;
use cardan_codegen::{Target, emit_simulation};
use cardan_compile::choose;
use cardan_emit::{Complete, Fix, complete};
use cardan_jit::EngineKind;
use cardan_program::Host;
use cardan_sim::{Settings, Simulation, Trajectory};
use cardan_solve::Method;
use common::toolchains::{LANGUAGES, built, ready, run_built};
use common::tools::{folder, write};

/// One language with arrays from zero, one from one, one that is interpreted.
const SOME: [Target; 3] = [Target::C, Target::Fortran, Target::Python];

/// Sticks where the belt accelerates by less than 3 m/s².
const BELT: &str = "model belt \"A block on a belt that moves to and fro\"
particle block on N by translate(x = x) { mass = 2 [kg] }
variable belt = 1 [m/s] * sin(4 [rad/s] * t)
force friction on block.o = -6 [N] * sign(der(x) - belt) * N.x
output slip = der(x) - belt, friction = -6 [N] * sign(der(x) - belt)
simulate { to = 2 [s], every = 0.047 [s] }";

/// Parameters decide when it sticks, and it does so on the way up and on the way down.
const INCLINE: &str = "model incline \"A block thrown up an inclined plane, tugged along it\"
parameter mu = 0.5, slope = 22 [deg], m = 1 [kg], g = 9.81 [m/s^2]
particle a on N by translate(x = x) { mass = m }
force weight on a.cm = -m*g*sin(slope) * N.x
force tug on a.cm = 3 [N]*sin(3 [rad/s]*t) * N.x
force dry on a.cm = -mu*m*g*cos(slope)*sign(a.u) * N.x
output slip = a.u
start { a.u = 3 [m/s] }
simulate { to = 4 [s], every = 0.083 [s] }";

/// Each joint sticks by itself; their accelerations are coupled.
const ARM: &str = "model arm \"An arm of two links with dry friction in its joints\"
gravity = -9.81 [m/s^2]*N.z
body first on N by rotate(y = a) { mass = 2 [kg]; inertia = (0.02, 0.02, 0.01) [kg*m^2]; center = (0, 0, -0.2) [m]; point tip = (0, 0, -0.4) [m] }
body second on first by rotate(y = b) at first.tip { mass = 1 [kg]; inertia = (0.01, 0.01, 0.005) [kg*m^2]; center = (0, 0, -0.15) [m] }
torque f1 on first from N = -0.8 [N*m]*sign(der(a))*N.y
torque f2 on second from first = -0.5 [N*m]*sign(der(b))*N.y
torque motor on first from N = 3 [N*m]*sin(3 [rad/s]*t)*N.y
output slip = der(b), held = -0.5 [N*m]*sign(der(b))
start { a = 60 [deg]; b = -30 [deg] }
simulate { to = 1.1 [s], every = 0.047 [s] }";

/// Begins at rest; then both stick, one, or none.
const STACKED: &str = "model stacked \"Two stacked blocks, pulled to and fro\"
particle lower on N by translate(x = x) { mass = 2 [kg] }
particle upper on N by translate(x = y) { mass = 1 [kg] }
variable rub = 2 [N]*sign(upper.u - lower.u)
force load on lower.cm = (12 [N]*sin(2 [rad/s]*t) - 4 [N]*sign(lower.u) + rub)*N.x
force drag on upper.cm = -rub*N.x
output slip = upper.u - lower.u, slip_below = lower.u, rub = rub
simulate { to = 2 [s], every = 0.047 [s] }";

/// The switch is a comparison, and the surface is made of two states.
const RELAY: &str = "model relay \"A relay that slides on its line\"
particle cart on N by translate(x = x) { mass = 1 [kg] }
force push on cart.cm = (if cart.u + 2 [1/s]*x > 0 [m/s] then -5 [N] else 5 [N])*N.x
output slip = cart.u + 2 [1/s]*x
start { x = 1 [m]; cart.u = 0.5 [m/s] }
simulate { to = 3 [s], every = 0.083 [s] }";

/// One speed follows from the other: both come to rest at once, share what holds them, and let go when both are spent.
const GEAR: &str = "model gear \"Two shafts with friction, geared\"
body a on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body b on N by revolute(z, q = r) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
joint wheels = gear(b, a, ratio = -0.5)
torque f1 on a from N = -0.5 [N*m]*sign(der(p))*N.z
torque f2 on b from N = -0.5 [N*m]*sign(der(r))*N.z
torque pull on a from N = 1 [N*m]*sin(2 [rad/s]*t)*N.z
output slip = der(p), slip_other = der(r)
start { der(p) = 0.1 [rad/s] }
simulate { to = 2.5 [s], every = 0.047 [s] }";

/// Blocks of the model move it while it sticks, and it bounces off a wall.
const BOUNCE: &str = "model bounce \"A block on a rough floor before a wall, pushed and kicked\"
particle a on N by translate(x = x) { mass = 1 [kg] }
discrete push = 0 [N], hits = 0
force dry on a.cm = -2 [N] * sign(a.u) * N.x
force drive on a.cm = push * N.x
when x > 0.3 [m] and a.u > 0 [m/s] \"wall\" { a.u := -0.6*a.u; hits := hits + 1 }
every 1.31 [s] \"push\" { push := if push < -1 [N] then 0 [N] else -3 [N] }
every 2.5 [s] \"kick\" { a.u := 2 [m/s] }
output slip = a.u
start { a.u = 1 [m/s] }
simulate { to = 8 [s], every = 0.0857 [s] }";

fn reference(text: &str, method: Method) -> (Complete, Trajectory) {
    let model = cardan_lang::compile_text("model", text).model.unwrap();
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let choice = choose(&model, settings.formalism).unwrap();
    let simulation = Simulation::of(&choice, EngineKind::Native, Host::new()).unwrap();
    let trajectory = simulation.run(&settings, &mut ()).unwrap();
    assert_eq!(trajectory.reached, settings.to, "{}", trajectory.reason);
    assert!(!trajectory.slides.is_empty(), "the run holds nothing");
    (settings.rtol, settings.atol) = (1e-9, 1e-9);
    (settings.method, settings.step) = (method, Some(0.01));
    (complete(&choice, &settings, &Fix::Nothing).unwrap(), trajectory)
}

/// The table of a program: its headings without units, and its rows.
fn table(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let name = |heading: &str| heading.split(" [").next().unwrap_or_default().to_owned();
    let names = lines.next().unwrap().split(',').map(name).collect();
    (names, lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect())
}

/// Programs in some languages have the rows of the run, and stick in the same ones.
fn check(name: &str, text: &str, languages: &[Target], method: Method, tolerance: f64) {
    let (complete, run) = reference(text, method);
    for target in languages.iter().copied().filter(|t| ready(*t)) {
        let path = folder(&format!("sliding-{}-{name}-{method}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        run_built(&path, &built(target, &path, &complete.simulation.name, None));
        let text = std::fs::read_to_string(path.join(format!("{}.csv", complete.simulation.name))).unwrap();
        let (names, rows) = table(&text);
        assert_eq!(rows.len(), run.rows.iter().count(), "{target:?}");
        let mut stuck = 0;
        for (k, column) in run.columns.iter().enumerate() {
            let place = names.iter().position(|n| *n == column.name).unwrap();
            // At the very start a run shows a friction that has not begun.
            for (expected, found) in run.rows.iter().zip(&rows).skip(1) {
                let (x, y) = (expected[k], found[place]);
                let about = format!("{target:?}: {} at t = {}: {y}, the run {x}", column.name, found[0]);
                assert!((x - y).abs() <= tolerance * x.abs().max(1.0), "{about}");
                if column.name.starts_with("slip") {
                    assert_eq!(x.abs() < 1e-12, y.abs() < 1e-12, "{about}");
                    stuck += usize::from(y.abs() < 1e-12);
                }
            }
        }
        assert!(stuck > 2, "{target:?}: {stuck} rows in which something sticks");
    }
}

#[test]
fn a_block_on_a_belt() {
    check("belt", BELT, &SOME, Method::Dopri5, 1e-7);
    check("belt", BELT, &[Target::C], Method::Rk4, 1e-7);
}

#[test]
fn a_block_on_an_inclined_plane() {
    check("incline", INCLINE, &SOME, Method::Dopri5, 1e-7);
}

#[test]
fn joints_of_an_arm() {
    check("arm", ARM, &SOME, Method::Dopri5, 1e-6);
}

#[test]
fn stacked_blocks_in_every_language() {
    check("stacked", STACKED, &LANGUAGES, Method::Dopri5, 1e-7);
}

#[test]
fn a_relay_on_its_line() {
    check("relay", RELAY, &SOME, Method::Dopri5, 1e-7);
}

#[test]
fn shafts_that_a_gear_ties_together() {
    check("gear", GEAR, &SOME, Method::Dopri5, 1e-7);
}

#[test]
fn a_block_that_events_move() {
    check("bounce", BOUNCE, &SOME, Method::Dopri5, 1e-7);
}
