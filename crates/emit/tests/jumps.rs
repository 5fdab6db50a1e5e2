//! Complete programs in every language: impacts under constraints are those of a run, and no condition of the clock is missed.

#![allow(clippy::unwrap_used)] // in tests, a panic is the report

use crate::common;

use cardan_assembly::ParameterValues;
use cardan_codegen::emit_simulation;
use cardan_compile::choose;
use cardan_emit::{Complete, Fix, complete};
use cardan_jit::EngineKind;
use cardan_program::Host;
use cardan_sim::{Settings, Simulation};
use cardan_solve::Method;
use common::toolchains::{LANGUAGES, built, ready, run_built};
use common::tools::{folder, numbers, write};

const CRANK: &str = "parameter r = 0.2 [m], l = 0.5 [m]
body crank on N by revolute(z, q = th) { mass = 1 [kg]; inertia = (0,0,0.05) [kg*m^2]; point P = (r,0,0) }
body rod on crank at crank.P by revolute(z, q = ph) { mass = 0.4 [kg]; inertia = (0,0,0.01) [kg*m^2]; center = (l/2,0,0); point Q = (l,0,0) }
body slider on N by prismatic(x, q = s) { mass = 1.3 [kg]; inertia = (0, 0, 0) [kg*m^2] }
joint pin = revolute(rod.Q, slider.o, axis = z)
discrete hits = 0
start { th = 80 [deg]; ph ~ -100 [deg]; s ~ 0.5 [m]; der(th) = -4 [rad/s] }
";

/// A particle on a spring beside clocks of all kinds, each counted.
const CLOCKS: &str = "parameter T = 0.1 [s]
particle p on N by translate(x = x) { mass = 1 [kg] }
force f on p.cm = -1 [N/m]*x*N.x
discrete mods = 0, halves = 0, sines = 0, floors = 0, waves = 0, samples = 0, nested = 0
when mod(t, T) > 0.0999 [s] { mods := mods + 1 }
when mod(t, T) > 0.05 [s] { halves := halves + 1 }
when sin((20*pi) [rad/s]*t) > 0.999 { sines := sines + 1 }
when floor(t/T) > floors { floors := floors + 1 }
when cos(300 [rad/s]*t) < -0.99999999 { waves := waves + 1 }
when abs(mod(t, T) - 0.03 [s]) < 1e-5 [s] { nested := nested + 1 }
every 0.03 [s] { samples := samples + 1 }
start { x = 0.1 [m] }
simulate { to = 2.08 [s], every = 0.52 [s] }";

struct Reference {
    complete: Complete,
    /// Time, state, discrete states at the end.
    last: Vec<f64>,
    /// The whole row at the end.
    row: Vec<f64>,
}

fn reference(name: &str, text: &str, method: Method) -> Reference {
    let model = cardan_lang::compile_text(name, text).model.unwrap_or_else(|| panic!("{name} is a model"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    (settings.rtol, settings.atol) = (1e-12, 1e-12);
    let choice = choose(&model, None).unwrap();
    let simulation = Simulation::of(&choice, EngineKind::Native, Host::new()).unwrap();
    let trajectory = simulation.run(&settings, &mut ()).unwrap();
    (settings.rtol, settings.atol) = (1e-10, 1e-10);
    (settings.method, settings.step) = (method, Some(0.002));
    let mut complete = complete(&choice, &settings, &Fix::Nothing).unwrap();
    complete.simulation.name = name.into();
    let n = 1 + model.coordinates.len() + model.speeds.len() + model.states.len();
    let place = |id: &str| trajectory.columns.iter().position(|c| c.name == id).unwrap();
    let discretes = model.hybrid.discretes.iter().map(|(_, d)| place(&d.quantity.name));
    let end = trajectory.rows.iter().last().unwrap();
    Reference { complete, last: (0..n).chain(discretes).map(|k| end[k]).collect(), row: end.to_vec() }
}

/// Compares the last row of a program in every language with that of the run.
fn compare(name: &str, reference: &Reference, tolerance: f64) {
    let Reference { complete, last, .. } = reference;
    for target in LANGUAGES {
        if !ready(target) {
            continue;
        }
        let path = folder(&format!("jumps-{}-{name}", target.name()));
        write(&path, &emit_simulation(&complete.program, &complete.simulation, target).unwrap());
        run_built(&path, &built(target, &path, name, None));
        let table = std::fs::read_to_string(path.join(format!("{name}.csv"))).unwrap();
        let found = numbers(&table.lines().last().unwrap().replace(',', "\n"));
        for (a, b) in found.iter().zip(last) {
            let close = (a - b).abs() <= tolerance * (1.0 + b.abs());
            assert!(close, "{target:?} {name}: {a} and {b} in\n{found:?}\n{last:?}");
        }
    }
}

#[test]
fn a_slider_crank_bounces_off_its_wall_in_every_language() {
    let wall = "when s >= 0.6 [m] and slider.u > 0 [m/s] { slider.u := -0.6*slider.u; hits := hits + 1 }
        simulate { to = 0.4 [s], every = 0.1 [s] }";
    let bounced = reference("bounced", &format!("{CRANK}{wall}"), Method::Dopri5);
    assert_eq!(bounced.last.last(), Some(&1.0));
    compare("bounced", &bounced, 1e-8);
}

/// In a tree an assigned speed is an impulse, too, and an overwritten one is not.
#[test]
fn impulses_and_overwritten_speeds_of_a_tree_are_those_of_a_run_in_every_language() {
    let text = "body bus on N by prismatic(x, q = p) { mass = 10 [kg]; inertia = (1,1,1) [kg*m^2] }
        body panel on bus by revolute(z, q = d) { mass = 1 [kg]; inertia = (0.1,0.1,0.1) [kg*m^2]; center = (0.5,0,0) [m] }
        discrete locks = 0
        when t > 0.05 [s] { if locks < 1 { panel.u := 0.5 [rad/s] } else { bus.u := 0 [m/s] }; locks := locks + 1 }
        when t > 0.1 [s] { bus.u := 0.2 [m/s]; panel.u := -0.5*panel.u; locks := locks + 1 }
        when t > 0.15 [s] { overwrite panel.u := 1 [rad/s]; locks := locks + 1 }
        start { d = 1.2 [rad]; der(d) = 2 [rad/s]; bus.u = 0.3 [m/s] }
        simulate { to = 0.2 [s], every = 0.05 [s] }";
    let locked = reference("locked", text, Method::Dopri5);
    assert_eq!(locked.last.last(), Some(&3.0));
    compare("locked", &locked, 1e-8);
}

/// A reaction is a signal like any other.
#[test]
fn events_on_reactions_are_those_of_a_run_in_every_language() {
    let text = "gravity = -9.81 [m/s^2]*N.z
        body b on N by revolute(y, q = a) { mass = 1 [kg]; inertia = (0.1,0.1,0.1) [kg*m^2]; center = (0,0,-0.5) [m] }
        discrete n = 0, last = 0 [s]
        when mag(b.force) > 12 [N] { n := n + 1; last := t }
        start { a = 1.5 [rad] }
        simulate { to = 2 [s], every = 0.5 [s] }";
    let overload = reference("overload", text, Method::Dopri5);
    let [.., n, at] = overload.last[..] else { panic!("two discrete states") };
    assert!(n == 2.0 && (at - 1.242911).abs() < 1e-5, "{n} {at}");
    compare("overload", &overload, 1e-7);
}

#[test]
fn an_assigned_coordinate_is_kept_in_every_language() {
    let moved = "when t > 0.05 [s] { s := 0.55 [m]; slider.u := 0.1 [m/s]; hits := hits + 1 }
        simulate { to = 0.1 [s], every = 0.025 [s] }";
    let moved = reference("moved", &format!("{CRANK}{moved}"), Method::Dopri5);
    compare("moved", &moved, 1e-8);
}

#[test]
fn clocks_are_counted_in_every_language() {
    let clocks = reference("clocks", CLOCKS, Method::Dopri5);
    // Crests of sin 20πt at 0.025 s + k/10 s, troughs of cos 300t at (2k + 1)π/300, the rest once per period.
    assert_eq!(clocks.last[3..], [20.0, 21.0, 21.0, 20.0, 99.0, 70.0, 21.0]);
    compare("clocks", &clocks, 1e-7);
}

#[test]
fn steps_of_fixed_length_count_clocks_as_well() {
    let clocks = reference("clocks_fixed", CLOCKS, Method::Rk4);
    compare("clocks_fixed", &clocks, 1e-7);
}

/// A drive along a linear table: what its corners take or give at once is its work.
#[test]
fn corners_of_a_drive_have_their_work_in_every_language() {
    let text = "table along(t [s]) [rad] = linear { 0: 0, 0.42: 1, 0.8: 0.5, 2: 0.5 }
        body flap on N by revolute(z, q = fl) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.1, 0, 0) [m] }
        particle tip on flap by revolute(z, q = tq) at (0.3, 0, 0) [m] { mass = 0.2 [kg]; center = (0.1, 0, 0) [m] }
        motion drive on fl = along(t)
        start { tq = 0.5 [rad] }
        simulate { to = 1 [s], every = 0.1 [s] }";
    let driven = reference("flap", text, Method::Dopri5);
    let residual = driven.row.last().unwrap();
    assert!(residual.abs() < 1e-9, "{residual}");
    compare("flap", &Reference { last: driven.row.clone(), ..driven }, 1e-7);
}

/// Two drives, each with corners, some at rows: nothing tells how they share what corners take, but the balance counts it. Rows at corners show the speeds after
/// them, as those of a run do.
#[test]
fn corners_of_several_drives_are_in_the_balance_in_every_language() {
    let text = "table along(t [s]) [rad] = linear { 0: 0, 0.42: 1, 0.8: 0.5, 2: 0.5 }
        table aside(t [s]) [m] = linear { 0: 0, 0.33: 0.1, 0.8: -0.2, 2: 0.5 }
        body base on N by prismatic(x, q = bx) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
        body flap on base by revolute(z, q = fl) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.1, 0, 0) [m] }
        particle tip on flap by revolute(z, q = tq) at (0.3, 0, 0) [m] { mass = 0.2 [kg]; center = (0.1, 0, 0) [m] }
        motion turn on fl = along(t)
        motion push on bx = aside(t)
        start { tq = 0.5 [rad] }
        simulate { to = 1 [s], every = 0.1 [s] }";
    // The last row is at a corner; a block happens at another one, and remembers the speed after it.
    let short = text.replace("to = 1 [s]", "to = 0.8 [s]");
    let sampled = format!("discrete seen = 0 [rad/s]\n every 0.42 [s] {{ seen := flap.u }}\n{text}");
    for (name, text) in [("two_drives", text), ("at_a_corner", &short), ("sampled_corner", &sampled)] {
        let driven = reference(name, text, Method::Dopri5);
        let residual = driven.row.last().unwrap();
        assert!(residual.abs() < 1e-8, "{residual}");
        compare(name, &Reference { last: driven.row.clone(), ..driven }, 1e-7);
    }
}

/// A force that acts in a narrow stretch of the way: the step to where it begins would be spoiled by slopes from behind that place.
#[test]
fn a_narrow_stretch_gives_its_work_in_every_language() {
    let text = "particle cart on N by translate(x = x) { mass = 1 [kg] }
        force push on cart.cm = (if x > 1 [m] and x < 1.02 [m] then 10 [N] else 0 [N]) * N.x
        start { x = 0 [m]; der(x) = 1 [m/s] }
        simulate { to = 4 [s], every = 4 [s] }";
    for (name, method) in [("stretch", Method::Dopri5), ("stretch_fixed", Method::Rk4)] {
        let pushed = reference(name, text, method);
        // v² = 1 + 2 · 10 · 0.02
        assert!((pushed.last[2] - 1.4f64.sqrt()).abs() < 1e-9, "{:?}", pushed.last);
        compare(name, &pushed, 1e-7);
    }
}

/// Whole numbers of whole numbers, and their comparisons: where the inner one switches, the outer ones jump to the very end of their sides.
#[test]
fn floors_of_floors_switch_in_every_language() {
    let text = "particle p on N by translate(x = x) { mass = 1 [kg] }
        variable place = floor(x / (1 [m]))
        force f on p.cm = (mod(place, 2) + (if place < 3 then 0 else 2)) * 1 [N] * N.x
        start { x = 0.5 [m]; der(x) = 1 [m/s] }
        simulate { to = 2.4 [s], every = 0.6 [s] }";
    let pushed = reference("floors", text, Method::Dopri5);
    // 1 N from 1 m to 2 m, 3 N from 3 m to 4 m, then 2 N.
    let (x, v) = (pushed.last[1], pushed.last[2]);
    assert!(x > 4.0 && x < 5.0, "{x}");
    assert!((v * v - (1.0 + 2.0 + 6.0 + 4.0 * (x - 4.0))).abs() < 1e-9, "{x} {v}");
    compare("floors", &pushed, 1e-8);
}

/// A body that only slides needs no moments of inertia, in a run and in its program alike.
#[test]
fn parameters_that_nothing_reads_need_no_value() {
    let text = "body cart on N by prismatic(x, q = x) { mass = 2 [kg] }
        force f on cart.cm = 1 [N] * N.x
        simulate { to = 2 [s], every = 1 [s] }";
    let pushed = reference("pushed", text, Method::Dopri5);
    assert!((pushed.last[1] - 1.0).abs() < 1e-12, "{:?}", pushed.last);
    assert!(pushed.complete.simulation.parameters.is_empty());
    compare("pushed", &pushed, 1e-9);
}

/// The parameter file sets where discrete states begin; what it does not name follows the parameters.
#[test]
fn discrete_states_begin_as_the_parameter_file_says_in_every_language() {
    let text = |fire: &str| {
        format!(
            "parameter first = 2
            particle p on N by translate(x = x) {{ mass = 1 [kg] }}
            discrete relative = 0, fire = {fire}, count = 3 * first
            force f on p.cm = fire * 1 [N] * N.x
            when x > 0.5 [m] {{ fire := -fire; count := count + 1 }}
            simulate {{ to = 2 [s], every = 1 [s] }}"
        )
    };
    let usual = reference("discrete_start", &text("1"), Method::Dopri5);
    let expected = reference("discrete_start", &text("4"), Method::Dopri5);
    assert_eq!(expected.last[3..], [0.0, -4.0, 7.0]);
    for target in LANGUAGES {
        if !ready(target) {
            continue;
        }
        let path = folder(&format!("jumps-{}-discrete", target.name()));
        let Complete { program, simulation } = &usual.complete;
        write(&path, &emit_simulation(program, simulation, target).unwrap());
        let known = std::fs::read_to_string(path.join("discrete_start_defaults.par")).unwrap();
        assert!(known.contains("\n#fire = 1.0\n") && known.contains("\n#count = 6.0\n"), "{known}");
        std::fs::write(path.join("discrete_start.par"), "fire = 4\n").unwrap();
        run_built(&path, &built(target, &path, "discrete_start", None));
        let table = std::fs::read_to_string(path.join("discrete_start.csv")).unwrap();
        let found = numbers(&table.lines().last().unwrap().replace(',', "\n"));
        for (a, b) in found.iter().zip(&expected.last) {
            assert!((a - b).abs() <= 1e-8 * (1.0 + b.abs()), "{target:?}: {found:?} and {:?}", expected.last);
        }
    }
}

/// Rigid contacts, locks and attachments switch between finitely many structures, which one program holds.
#[test]
fn contacts_locks_and_attachments_are_those_of_a_run_in_every_language() {
    let bounces = "gravity = -9.81 [m/s^2]*N.z
        body rod on N by planar(y, q = (z, x, th)) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]/3; point tip = (-1, 0, 0) [m] }
        contact floor between rod.tip and N.o { normal = N.z; restitution = poisson(0.6) }
        discrete hits = 0
        when floor.meets { hits := hits + 1 }
        start { th = -60 [deg]; z = 1 [m] }
        simulate { to = 0.5 [s], every = 0.1 [s] }";
    let tip = reference("tip", bounces, Method::Dopri5);
    // Two hits, and the contact is open again.
    assert_eq!(tip.last[7..], [2.0, 0.0]);
    compare("tip", &tip, 1e-7);
    let docks = "body station on N by planar(z, q = (px, py, phi)) { mass = 3 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        body probe on N by planar(z, q = (x, y, psi)) { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        body arm on station by revolute(z, q = d) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m] }
        when t >= 0.2 [s] { attach probe to station }
        when d >= 0.5 [rad] { lock arm }
        when t >= 0.7 [s] { detach probe; release arm }
        start { x = 2 [m]; der(x) = -1 [m/s]; der(psi) = 0.5 [rad/s]; der(d) = 1 [rad/s] }
        simulate { to = 1 [s], every = 0.1 [s] }";
    compare("docks", &reference("docks", docks, Method::Dopri5), 1e-7);
}

/// What the constraints cannot have ends the program, which names the block.
#[test]
fn a_contradiction_ends_the_program() {
    let name = "the crank's own jam, 100 %";
    let jam = format!(
        "when t > 0.01 [s] \"{name}\" {{ slider.u := 0 [m/s]; crank.u := 1 [rad/s] }}
        simulate {{ to = 0.4 [s], every = 0.1 [s] }}"
    );
    let jammed = reference("jammed", &format!("{CRANK}{jam}"), Method::Dopri5).complete;
    for target in LANGUAGES {
        if !ready(target) {
            continue;
        }
        let path = folder(&format!("jumps-refused-{}", target.name()));
        write(&path, &emit_simulation(&jammed.program, &jammed.simulation, target).unwrap());
        let command = built(target, &path, "jammed", None);
        let output =
            std::process::Command::new(&command[0]).args(&command[1..]).current_dir(&path).output().unwrap();
        assert!(!output.status.success(), "{target:?}");
        let words = String::from_utf8_lossy(&output.stderr);
        let expected = format!("the constraints do not allow what this block assigns: {name}, at t = ");
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let after = words.split_once(&expected).map(|(_, after)| after.split(' ').next().unwrap());
        let t: Option<f64> = after.and_then(|t| t.parse().ok());
        assert!(t.is_some_and(|t| (t - 0.01).abs() < 1e-12), "{target:?}: {words}");
    }
}

/// A winch that stops at once, at the end of a step: the instant belongs to neither side of `min`.
#[test]
fn a_winch_that_stops_at_once_strikes_at_that_instant() {
    let text = "parameter M = 5 [kg], m = 2 [kg]
        body trolley on N by prismatic(x, q = x) { mass = M; inertia = (0, 0, 0) [kg*m^2] }
        particle hook on N by translate(x = hx, z = hz) { mass = m }
        motion winch on mag(position(trolley.o, hook.o)) = 5 [m] - 1 [m/s]*min(t, 1 [s])
        start { x = 0 [m]; hx = 3 [m]; hz ~ -4 [m]; der(x) = 0 [m/s]; der(hx) = 0 [m/s] }
        simulate { to = 2 [s], every = 0.25 [s] }";
    compare("winch", &reference("winch", text, Method::Auto), 1e-7);
}
