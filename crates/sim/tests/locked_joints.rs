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
