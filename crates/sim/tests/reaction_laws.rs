//! Loads and rates that depend on reactions, multipliers and accelerations.

use cardan_assembly::ParameterValues;
use cardan_base::render;
use cardan_compile::choose;
use cardan_equations::Formalism;
use cardan_jit::EngineKind;
use cardan_lang::{Compiled, compile_text};
use cardan_model::Model;
use cardan_program::Host;
use cardan_sim::{Ending, Settings, Simulation, Trajectory, Verdict};

pub(crate) fn model(text: &str) -> Model {
    let Compiled { model, sources, diagnostics } = compile_text("law.mbs", text);
    let said: String = diagnostics.iter().map(|d| render(d, &sources, false)).collect();
    model.unwrap_or_else(|| panic!("{said}"))
}

pub(crate) fn run_by(text: &str, formalism: Option<Formalism>) -> Trajectory {
    let model = model(text);
    let choice = choose(&model, formalism).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let simulation = Simulation::of(&choice, EngineKind::Native, Host::new()).expect("no external functions");
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

pub(crate) fn run(text: &str) -> Trajectory {
    run_by(text, None)
}

pub(crate) fn last(motion: &Trajectory, name: &str) -> f64 {
    motion.last(name).unwrap_or_else(|| panic!("no {name}"))
}

pub(crate) fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

pub(crate) fn reaches_the_end(motion: &Trajectory) {
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
}

/// m ẍ = F - c ẍ: an added mass, written as a force by the acceleration.
#[test]
fn a_force_by_the_acceleration_is_an_added_mass() {
    let motion = run("particle p on N by translate(x = x) { mass = 2 [kg] }
        force push on p.o = 3 [N] * N.x
        force water on p.o = -4 [kg] * acceleration(p.o)
        simulate { to = 2 [s] }");
    reaches_the_end(&motion);
    close(last(&motion, "x"), 1.0, 1e-12);
}

/// The rate of a state may be a reaction: the impulse of a pin.
#[test]
fn a_state_integrates_a_reaction() {
    let motion = run("gravity = -9.81 [m/s^2] * N.z
        body rod on N by revolute(y, q = q) { mass = 2 [kg]; inertia = (0, 0.1, 0) [kg*m^2]; center = (0, 0, -1) [m] }
        state impulse = 0 [N*s] { der = rod.force.z }
        output p = 2 [kg] * velocity(rod.cm).z
        start { q = 1 [rad] }
        simulate { to = 3 [s] }");
    reaches_the_end(&motion);
    // The momentum changes by the impulses of the pin and of the weight.
    close(last(&motion, "p"), last(&motion, "impulse") - 2.0 * 9.81 * 3.0, 1e-8);
}

const PENDULUM: &str =
    "parameter m = 2 [kg], L = 0.5 [m], J = 0.1 [kg*m^2], mu = 0.2, R = 0.05 [m], g = 9.81 [m/s^2]
    gravity = -g * N.z
    body rod on N by revolute(y, q = phi) { mass = m; inertia = (J, J, J); center = (0, 0, -L) }
    torque friction on rod from N = -mu*R*mag(rod.force)*sign(der(phi)) * rod.y
    output F = mag(rod.force), T = friction.y, w2 = der(phi)^2
    start { phi = 60 [deg] }
";

/// dE/dφ of a pendulum whose pin rubs with μ R F: with x = φ̇² as a function of φ while it swings to one side,
/// (J + m L²) φ̈ = -m g L sin φ - s μ R F, F² = m² ((L φ̈ + g sin φ)² + (L x + g cos φ)²), s the sign of φ̇.
fn next_turn(from: f64) -> f64 {
    let (m, l, j, mu, r, g) = (2.0, 0.5, 0.1, 0.2, 0.05, 9.81);
    let inertia = j + m * l * l;
    let s = -from.signum();
    let slope = |phi: f64, x: f64| {
        let mut a = 0.0;
        for _ in 0..60 {
            let force = m * ((l * a + g * f64::sin(phi)).hypot(l * x + g * phi.cos()));
            a = (-m * g * l * phi.sin() - s * mu * r * force) / inertia;
        }
        2.0 * a
    };
    // x rises from 0 and comes back to 0: classical Runge-Kutta in φ, the last step shortened by the secant rule.
    let (mut phi, mut x, h) = (from, 0.0, s * 1e-4);
    let step = |phi: f64, x: f64, h: f64| {
        let k1 = slope(phi, x);
        let k2 = slope(phi + 0.5 * h, x + 0.5 * h * k1);
        let k3 = slope(phi + 0.5 * h, x + 0.5 * h * k2);
        let k4 = slope(phi + h, x + h * k3);
        x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    };
    loop {
        let next = step(phi, x, h);
        if next < 0.0 {
            let mut part = h * x / (x - next);
            for _ in 0..20 {
                let there = step(phi, x, part);
                part -= there / slope(phi + part, there.max(0.0));
            }
            return phi + part;
        }
        (phi, x) = (phi + h, next);
    }
}

/// A pendulum whose pin rubs by its true reaction turns round where quadrature says, in all formalisms.
#[test]
fn a_pendulum_turns_round_where_quadrature_says() {
    for formalism in Formalism::ALL {
        let text = format!("{PENDULUM} simulate {{ to = 3 [s], every = 1 [ms] }}");
        let motion = run_by(&text, Some(formalism));
        reaches_the_end(&motion);
        let (phi, w) = (motion.series("phi").expect("phi"), motion.series("der(phi)").expect("rate"));
        let mut expected = 60f64.to_radians();
        let mut turns = 0;
        for k in 1..phi.len() {
            if w[k - 1] * w[k] >= 0.0 || k < 3 {
                continue;
            }
            // The vertex of the parabola through the rates around the turn.
            let at = w[k - 1] / (w[k - 1] - w[k]);
            let found = phi[k - 1] + 0.5 * at * 1e-3 * w[k - 1];
            expected = next_turn(expected);
            close(found, expected, 1e-6);
            turns += 1;
        }
        assert!(turns >= 3, "{turns}");
    }
}

/// At rest the pin holds what the weight asks, and it lets go where that exceeds μ R F.
#[test]
fn a_pin_holds_what_it_has_to() {
    let motion = run(&format!("{PENDULUM} simulate {{ to = 20 [s], every = 0.1 [s] }}"));
    reaches_the_end(&motion);
    let phi = last(&motion, "phi");
    close(last(&motion, "der(phi)"), 0.0, 0.0);
    close(last(&motion, "T"), 2.0 * 9.81 * 0.5 * phi.sin(), 1e-12);
    assert!(motion.slides.iter().any(|s| s.sticks && s.to == 20.0), "{:?}", motion.slides);
}

/// A level of friction at rest above that of sliding: the limit cycle of Den Hartog, with its closed form.
#[test]
fn a_mass_on_a_belt_sticks_and_slips_in_closed_form() {
    for (m, k, v, rest, slides) in
        [(1.0, 1.0, 0.2, 1.0, 0.5), (1.0, 100.0, 0.1, 3.0, 2.0), (2.0, 50.0, 0.5, 4.0, 3.0)]
    {
        let w = f64::sqrt(k / m);
        let (x0, xs) = (rest / k, slides / k);
        let slip = (std::f64::consts::PI + 2.0 * (v / (w * (x0 - xs))).atan()) / w;
        let stick = 2.0 * (x0 - xs) / v;
        let to = 3.5 * (slip + stick);
        let motion = run(&format!(
            "particle block on N by prismatic(x, q = x) {{ mass = {m} [kg] }}
            force tie on block.o = -{k} [N/m]*x * N.x
            variable slip = der(x) - {v} [m/s]
            force friction on block.o = -sign(slip) * (if slip == 0 [m/s] then {rest} [N] else {slides} [N]) * N.x
            start {{ x = {} [m]; der(x) = {v} [m/s] }}
            simulate {{ to = {to} [s] }}",
            2.0 * xs - x0
        ));
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        let sticks: Vec<_> = motion.slides.iter().filter(|s| s.sticks).collect();
        assert!(sticks.len() >= 3, "{:?}", motion.slides);
        close(sticks[0].to, stick, 1e-9);
        close(sticks[1].from - sticks[0].to, slip, 1e-9);
        close(sticks[1].to - sticks[1].from, stick, 1e-9);
        close(sticks[2].to - sticks[1].to, slip + stick, 1e-9);
    }
}

/// A spring and a mass with dry friction: each half swing loses 2 F/k, and it rests at the first turn within F/k.
#[test]
fn an_oscillator_with_dry_friction_comes_to_rest_in_closed_form() {
    for (m, k, f, x0, stop, rest) in
        [(1.0, 100.0, 2.0, 0.15, 1.256637061436, -0.01), (2.0, 50.0, 1.0, 0.33, 5.026548245744, 0.01)]
    {
        let motion = run(&format!(
            "particle block on N by prismatic(x, q = x) {{ mass = {m} [kg] }}
            force tie on block.o = -{k} [N/m]*x * N.x
            force friction on block.o = -{f} [N]*sign(der(x)) * N.x
            start {{ x = {x0} [m] }}
            simulate {{ to = 6 [s] }}"
        ));
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        let held = motion.slides.iter().rfind(|s| s.sticks).expect("it rests");
        close(held.from, stop, 1e-8);
        close(last(&motion, "x"), rest, 1e-9);
    }
}

/// NEWEUL's seven-body mechanism with dry friction in all ten pins, by their true forces.
fn squeezer(friction: &str) -> String {
    let text = include_str!("../../../models/squeezer.mbs");
    let (before, after) = text.split_once("start {").expect("a start");
    let mut laws = String::from("parameter mu = 0.1, R = 1 [mm], vs = 1 [rad/s]\n");
    let tree = [("K1", "N"), ("K2", "K1"), ("K3", "N"), ("K5", "N"), ("K4", "K5"), ("K7", "N"), ("K6", "K7")];
    for (body, parent) in tree {
        let w = format!("dot(omega({body}, in = {parent}), N.z)");
        laws += &format!(
            "torque rub{body} on {body} from {parent} = -mu*R*mag({body}.force)*{} * N.z\n",
            friction.replace("w", &w)
        );
    }
    for (pin, a, b) in [("pin23", "K2", "K3"), ("pin24", "K2", "K4"), ("pin26", "K2", "K6")] {
        let w = format!("dot(omega({a}, in = {b}), N.z)");
        laws += &format!(
            "torque rub{pin} on {a} from {b} = -mu*R*mag({pin}.force)*{} * N.z\n",
            friction.replace("w", &w)
        );
    }
    let start = after.replace("theta = 0;", "theta = 0; der(beta) = 300 [rad/s];");
    let start = start.replace(
        "to = 0.03 [s], every = 0.0001 [s], rtol = 1e-12, atol = 1e-15",
        "to = 0.01 [s], rtol = 1e-11, atol = 1e-14",
    );
    format!("{before}{laws}start {{{start}")
}

#[test]
fn a_mechanism_whose_pins_rub_by_their_true_forces() {
    let exact = run_by(&squeezer("sign(w)"), Some(Formalism::Recursive));
    reaches_the_end(&exact);
    let other = run_by(&squeezer("sign(w)"), Some(Formalism::Kane));
    close(last(&exact, "beta"), last(&other, "beta"), 1e-7);
    // Friction takes energy out: its work is negative from row to row.
    for name in ["work.rubK1", "work.rubK4", "work.rubpin24"] {
        let work = exact.series(name).expect("a work");
        assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-12), "{name}");
    }
    // Laws that are steep near zero instead of jumping tend to it.
    let error = |vs: &str| {
        let smooth = run(&squeezer("tanh(w/vs)").replace("vs = 1 [rad/s]", &format!("vs = {vs} [rad/s]")));
        (last(&smooth, "beta") - last(&exact, "beta")).abs()
    };
    let (coarse, fine) = (error("10"), error("1"));
    assert!(fine < 0.3 * coarse && fine < 1e-3, "{coarse} {fine}");
}

/// Balls in sockets and pads on planes that rub by their true loads: laws that are steep near rest instead of jumping tend to the library's,
/// which stick, and the energy balance holds with the heat of friction.
#[test]
fn joints_that_rub_in_space_are_the_limit_of_steep_laws() {
    let text = |ball: &str, pad: &str| {
        format!(
            "parameter mu = 0.3, R = 0.1 [m], vs = 1 [mm/s], ws = 0.01 [rad/s]
            gravity = -9.81 [m/s^2] * N.z
            body bob on N by spherical {{ mass = 2 [kg]; inertia = (0.1, 0.2, 0.15) [kg*m^2]; center = (0, 0, -0.4) [m] }}
            {ball}
            body plate on N by planar(z, q = (x, y, psi)) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }}
            {pad}
            force pull on plate.o = 2 [N]*sin(3 [rad/s]*t)*(0.6*N.x + 0.8*N.y)
            output tilt = acos(dot(bob.z, N.z))
            start {{ bob.u1 = 2 [rad/s]; bob.u2 = 3 [rad/s]; bob.u3 = 1 [rad/s]; der(x) = 1 [m/s]; der(psi) = 4 [rad/s] }}
            simulate {{ to = 4 [s], every = 0.02 [s] }}"
        )
    };
    let exact = run(&text(
        "std.socket_friction f(mu = mu, radius = R) { a -> bob; b -> N }",
        "std.pad_friction g(mu = mu, radius = R) { a -> plate; b -> N }",
    ));
    reaches_the_end(&exact);
    assert!(exact.slides.iter().any(|s| s.sticks), "{:?}", exact.slides);
    for name in ["work.f.friction", "work.g.friction", "work.g.twist"] {
        let work = exact.series(name).unwrap_or_else(|| panic!("no {name}"));
        assert!(work.last() < Some(&-0.01) && work.windows(2).all(|w| w[1] <= w[0] + 1e-12), "{name}");
    }
    let off = |steep: f64| {
        let smooth = run(&text(
            "torque f on bob from N = -mu*R*mag(bob.force)/sqrt(dot(omega(bob), omega(bob)) + ws^2) * omega(bob)",
            "variable load = mu*abs(dot(plate.force, N.z))/sqrt(der(x)^2 + der(y)^2 + (R*der(psi))^2 + vs^2)
            force g on plate.o = -load*velocity(plate.o)
            torque h on plate = -load*R^2*der(psi) * N.z",
        )
        .replace("vs = 1 [mm/s], ws = 0.01", &format!("vs = {} [mm/s], ws = {}", 10.0 * steep, 0.1 * steep)));
        let apart = |name: &str| (last(&smooth, name) - last(&exact, name)).abs();
        apart("tilt").max(apart("x")).max(apart("psi"))
    };
    let (coarse, fine) = (off(1.0), off(0.1));
    assert!(fine < 0.3 * coarse && fine < 2e-3, "{coarse} {fine}");
}
