//! Joints that are locked and released during a motion.

use cardan_sim::Ending;

use crate::reaction_laws::{close, last, run};

const BUS: &str = "parameter M = 10 [kg], m = 1 [kg], I = 0.1 [kg*m^2], J = 2 [kg*m^2], l = 0.5 [m], b = 0.8 [m]
    body bus on N by planar(z, q = (px, py, phi)) { mass = M; inertia = (J, J, J); point hinge = (b, 0, 0) }
    body panel on bus at bus.hinge by revolute(z, q = d) { mass = m; inertia = (I, I, I); center = (l, 0, 0) }
    output p = M*velocity(bus.cm) + m*velocity(panel.cm)
    output H = (J + I)*der(phi) + I*der(d) + dot(cross(M*position(N.o, bus.cm), velocity(bus.cm)) + cross(m*position(N.o, panel.cm), velocity(panel.cm)), N.z)
";

/// A panel that swings on a floating bus and latches: momentum and its moment stay, the energy that is lost is ½ v²/W, with v the
/// rate of the hinge and 1/W its reduced inertia.
#[test]
fn a_panel_that_latches_keeps_the_momenta() {
    let motion = run(&format!(
        "{BUS}
        discrete before = 0 [J], after = 0 [J]
        when d >= 90 [deg] \"latch\" {{ lock panel }}
        start {{ der(d) = 1 [rad/s]; der(px) = 0.3 [m/s]; der(phi) = -0.1 [rad/s] }}
        simulate {{ to = 4 [s], every = 0.01 [s], rtol = 1e-13, atol = 1e-14 }}"
    ));
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    for name in ["p.x", "p.y", "H"] {
        let series = motion.series(name).expect("an output");
        for value in &series {
            close(*value, series[0], 1e-12 * (1.0 + series[0].abs()));
        }
    }
    close(last(&motion, "der(d)"), 0.0, 1e-14);
    close(last(&motion, "d"), std::f64::consts::FRAC_PI_2, 1e-12);
    // In the frame of the centre of mass both turn as one: T⁺ = ½ H²/C + ½ p²/(M + m).
    let kinetic = motion.series("energy.kinetic").expect("energy");
    let works = motion.series("events.work").expect("work of events");
    let lost = works.last().expect("a row");
    close(kinetic.last().expect("a row") - kinetic[0], *lost, 1e-9);
    // Momentum about the common centre, before and after: the closed form of what is lost.
    let (mass, m, i, j, l, b) = (10.0, 1.0, 0.1, 2.0, 0.5, 0.8);
    let reduced = mass * m / (mass + m);
    let energy = |c: f64, w: f64, v: f64| {
        let whole = j + i + reduced * (b * b + l * l + 2.0 * b * l * c);
        let panel = i + reduced * (l * l + b * l * c);
        let own = i + reduced * l * l;
        (whole * w + panel * v, 0.5 * whole * w * w + panel * w * v + 0.5 * own * v * v, whole)
    };
    let (spin, start, _) = energy(1.0, -0.1, 1.0);
    let whole = energy(0.0, 0.0, 0.0).2;
    close(*lost, 0.5 * spin * spin / whole - start, 1e-9);
}

/// A lock that is released goes on from rest, and the lock bears what the motion asks for.
#[test]
fn an_arm_is_held_and_let_go() {
    let motion = run("gravity = -9.81 [m/s^2] * N.z
        body arm on N by revolute(y, q = q) { mass = 2 [kg]; inertia = (0, 0.5, 0) [kg*m^2]; center = (1, 0, 0) [m] }
        output arm.holding
        discrete held = 0 [N*m]
        when t >= 0.5 [s] { held := arm.holding }
        when t >= 1 [s] { release arm }
        simulate { to = 1.2 [s], every = 0.1 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    close(last(&motion, "held").abs(), 2.0 * 9.81, 1e-9);
    // φ̈ = m g l/(I + m l²) at first.
    let rate = last(&motion, "der(q)");
    close(rate, 0.2 * 2.0 * 9.81 / 2.5, 2e-2);
    assert!(rate > 0.1);
}

/// A joint breaks where its load exceeds what it bears: F = k t reaches 7 N at 7/k s.
#[test]
fn a_joint_breaks_at_its_limit() {
    let motion = run("particle p on N by prismatic(x, q = x) { mass = 3 [kg] }
        force pull on p.o = 2 [N/s^2]*t^2 * N.x
        discrete broken = 0 [s]
        when abs(p.holding) > 7 [N] \"breaks\" { release p; broken := t }
        simulate { to = 2.5 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    let at = f64::sqrt(3.5);
    close(last(&motion, "broken"), at, 1e-9);
    close(last(&motion, "der(x)"), 2.0 / 9.0 * (2.5f64.powi(3) - at.powi(3)), 1e-9);
}

const FOUR_BAR: &str = "gravity = -9.81 [m/s^2] * N.y
    body crank on N by revolute(z, q = alpha) { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0.2, 0, 0) [m] }
    body coupler on crank by revolute(z, q = beta) at crank.pin {
      mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0.5, 0, 0) [m]
    }
    body rocker on N by revolute(z, q = gamma) at (0.5, 0, 0) [m] {
      mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0, 0.4, 0) [m]
    }
    joint knee = revolute(coupler.pin, rocker.pin, axis = z)
    discrete locks = 0
    start { alpha = 60 [deg]; der(alpha) = 10 [rad/s] }
    simulate { to = 0.3 [s], every = 0.01 [s] }
";

/// A loop with one freedom stands still when any of its joints is locked, and all of its energy of motion is lost. The block happens
/// once: what is locked does not move by rounding.
#[test]
fn any_joint_of_a_loop_can_be_locked() {
    for bodies in ["crank", "coupler", "rocker", "crank, rocker", "rocker, coupler, crank"] {
        let motion = run(&format!(
            "{FOUR_BAR} when alpha >= 90 [deg] \"latch\" {{ lock {bodies}; locks := locks + 1 }}"
        ));
        assert_eq!(motion.ending, Ending::Finished, "{bodies}: {}", motion.reason);
        close(last(&motion, "alpha"), std::f64::consts::FRAC_PI_2, 1e-10);
        for speed in ["der(alpha)", "der(beta)", "der(gamma)"] {
            close(last(&motion, speed), 0.0, 1e-12);
        }
        close(last(&motion, "locks"), 1.0, 0.0);
        let kinetic = motion.series("energy.kinetic").expect("energy");
        let (before, after) = (kinetic[3], *kinetic.last().expect("a row"));
        assert!(before > 0.1 && after < 1e-20, "{bodies}: {before} {after}");
    }
}

/// A loop that is locked and let go, and a second lock beside the first: what is at rest already takes no impulse.
#[test]
fn locks_of_a_loop_are_released_and_repeated() {
    let motion = run(&format!(
        "{FOUR_BAR} when t >= 0.02 [s] {{ lock crank }}
        when t >= 0.1 [s] {{ lock rocker }}
        when t >= 0.15 [s] {{ release crank }}
        when t >= 0.2 [s] {{ release rocker }}
        output both = crank.locked + rocker.locked"
    ));
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    let (t, rate, both) = (
        motion.series("t").expect("t"),
        motion.series("der(alpha)").expect("rate"),
        motion.series("both").expect("both"),
    );
    for (k, t) in t.iter().enumerate() {
        let within = |a: f64, b: f64| *t > a + 1e-9 && *t < b - 1e-9;
        assert!(!within(0.02, 0.2) || rate[k].abs() < 1e-10, "{t}: {}", rate[k]);
        let locked = f64::from(u8::from(within(0.02, 0.15))) + f64::from(u8::from(within(0.1, 0.2)));
        let at_once = [0.02, 0.1, 0.15, 0.2].iter().any(|at| (t - at).abs() < 1e-9);
        assert!(at_once || both[k] == locked, "{t}: {}", both[k]);
    }
    assert!(rate.last().expect("a row").abs() > 0.1);
}

/// The piston of a slider-crank at its dead point cannot be stopped by its own joint, and the run says so.
#[test]
fn a_lock_at_a_dead_point_is_refused_in_words() {
    let engine = |at: f64| {
        run(&format!(
            "body crank on N by revolute(z, q = phi) {{ mass = 3 [kg]; inertia = (0, 0, 1)*0.05 [kg*m^2]; point pin = (0.05, 0, 0) [m] }}
            body piston on N by prismatic(x, q = s) {{ mass = 0.6 [kg]; inertia = (0, 0, 0) [kg*m^2] }}
            body rod on crank by revolute(z, q = psi) at crank.pin {{
              mass = 0.4 [kg]; inertia = (0, 1, 1)*1e-3 [kg*m^2]; center = (0.08, 0, 0) [m]; point end = (0.16, 0, 0) [m]
            }}
            joint gudgeon = revolute(rod.end, piston.o, axis = z)
            when phi >= {at} [deg] \"brake\" {{ lock piston }}
            start {{ phi = 10 [deg]; der(phi) = 100 [rad/s]; s ~ 0.2 [m] }}
            simulate {{ to = 0.2 [s] }}"
        ))
    };
    let beside = engine(700.0);
    assert_eq!(beside.ending, Ending::Finished, "{}", beside.reason);
    close(last(&beside, "der(phi)"), 0.0, 1e-9);
    let dead = engine(720.0);
    let stopped = dead.ending == Ending::Finished && last(&dead, "der(phi)").abs() < 1e-9;
    assert!(stopped || dead.reason.contains("dead point"), "{}", dead.reason);
}

/// Two joints of a tree that one block locks are both at rest afterwards.
#[test]
fn joints_that_are_locked_together_rest_together() {
    let motion = run("body upper on N by revolute(y, q = a) { mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
        body lower on upper by revolute(y, q = b) at (0, 0, -1) [m] { mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
        when t >= 0.5 [s] { lock upper, lower }
        start { der(a) = 1 [rad/s]; der(b) = -3 [rad/s] }
        simulate { to = 1 [s], every = 0.1 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    for speed in ["der(a)", "der(b)"] {
        close(last(&motion, speed), 0.0, 0.0);
    }
}

/// `start { arm.locked = 1 }` holds from the start on; a latch on what it holds happens once.
#[test]
fn an_arm_that_starts_locked_swings_and_latches_once() {
    let arm = |start: &str| {
        run(&format!(
            "gravity = -9.81 [m/s^2] * N.z
            body arm on N by revolute(y, q = q) {{ mass = 1 [kg]; inertia = (1, 1, 0)*(1/12) [kg*m^2]; center = (0, 0, -0.5) [m] }}
            discrete latches = 0
            when t >= 1 [s] \"go\" {{ release arm }}
            when q <= 0 \"latch\" {{ lock arm; latches := latches + 1 }}
            start {{ q = 90 [deg]; {start} }}
            simulate {{ to = 6 [s], every = 0.05 [s] }}"
        ))
    };
    let motion = arm("arm.locked = 1");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    let at = |t: f64| motion.series("q").expect("q")[(t / 0.05).round() as usize];
    close(at(0.95), std::f64::consts::FRAC_PI_2, 0.0);
    // A quarter of the period of a rod of 1 m from 90°: 0.4833337 s after it is let go.
    close(last(&motion, "q"), 0.0, 1e-12);
    close(last(&motion, "latches"), 1.0, 0.0);
    assert!(at(1.45) > 0.1, "{}", at(1.45));
    let free = arm("");
    close(free.series("q").expect("q")[12], 0.0, 1e-12);
}

/// Four panels that springs unfold, two on each side of a bus, one on the other, and that latch one after the other: momentum and its moment
/// stay through all four changes, each takes energy, and at last everything turns as one body.
#[test]
fn four_panels_unfold_and_latch() {
    let mut text = String::from(
        "parameter c = 0.2 [N*m/rad]
        body bus on N by planar(z, q = (px, py, phi)) { mass = 10 [kg]; inertia = (2, 2, 2) [kg*m^2] }\n",
    );
    let mut h =
        String::from("2 [kg*m^2]*omega(bus) + cross(10 [kg]*position(N.o, bus.cm), velocity(bus.cm))");
    let mut p = String::from("10 [kg]*velocity(bus.cm)");
    let panels = [
        ("a1", "bus", 0.5, 1.0, 0.7),
        ("a2", "a1", 1.0, -1.0, 1.4),
        ("b1", "bus", -0.5, -1.0, 0.9),
        ("b2", "b1", 1.0, 1.0, 1.2),
    ];
    for (name, on, hinge, way, fold) in panels {
        text += &format!(
            "body {name} on {on} by revolute(z, q = q{name}) at ({hinge}, 0, 0) [m] {{
              mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]
            }}
            torque coil{name} on q{name} = -c*(q{name} - {way}*2 [rad])
            when {way}*q{name} >= {fold} [rad] and {name}.locked < 1 \"latch {name}\" {{ lock {name} }}\n"
        );
        p += &format!(" + 1 [kg]*velocity({name}.cm)");
        h += &format!(
            " + 0.1 [kg*m^2]*omega({name}) + cross(1 [kg]*position(N.o, {name}.cm), velocity({name}.cm))"
        );
    }
    text += &format!("output p = {p}, H = {h}\nstart {{ der(phi) = 0.2 [rad/s]; der(px) = 0.1 [m/s] }}\n");
    let motion =
        run(&format!("{text}simulate {{ to = 6 [s], every = 0.1 [s], rtol = 1e-13, atol = 1e-14 }}"));
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    assert_eq!(motion.happenings.list.len(), 4);
    for name in ["p.x", "p.y", "H.z"] {
        let series = motion.series(name).expect("an output");
        for value in &series {
            close(*value, series[0], 1e-12 * (1.0 + series[0].abs()));
        }
    }
    let work = motion.series("events.work").expect("work");
    assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-14) && work.last() < Some(&-0.01), "{work:?}");
    for (name, _, _, way, fold) in panels {
        close(last(&motion, &format!("der(q{name})")), 0.0, 1e-14);
        close(last(&motion, &format!("q{name}")), way * fold, 1e-10);
    }
}
