//! Bodies that are attached to one another and detached during a motion.

use cardan_sim::{Ending, Trajectory};

use crate::reaction_laws::{close, last, run};

type V = [f64; 3];

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn finished(motion: &Trajectory) {
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
}

fn stays(motion: &Trajectory, name: &str, tolerance: f64) {
    let series = motion.series(name).unwrap_or_else(|| panic!("no {name}"));
    for value in &series {
        close(*value, series[0], tolerance * (1.0 + series[0].abs()));
    }
}

/// Two balls in space, of 3 and 2 kg with J = 0.5 and 0.4 kg m², that are held together at 0.5 s.
const DOCKING: &str = "parameter m1 = 3 [kg], m2 = 2 [kg], J1 = 0.5 [kg*m^2], J2 = 0.4 [kg*m^2]
    body station on N by free { mass = m1; inertia = (J1, J1, J1); point port = (0.3, 0.1, 0) [m] }
    body probe on N by free { mass = m2; inertia = (J2, J2, J2) }
    output p = m1*velocity(station.cm) + m2*velocity(probe.cm)
    output H = J1*omega(station) + J2*omega(probe) + cross(m1*position(N.o, station.cm), velocity(station.cm))
      + cross(m2*position(N.o, probe.cm), velocity(probe.cm))
    output apart = mag(position(station.o, probe.o)), turning = mag(omega(probe, in = station)), probe.attached
    start {
      station.u1 = 0.2 [m/s]; station.u2 = 0.1 [m/s]; station.u4 = 0.3 [rad/s]; station.u6 = -0.2 [rad/s]
      probe.q1 = 1 [m]; probe.q2 = 0.2 [m]; probe.q3 = -0.1 [m]
      probe.u1 = -0.5 [m/s]; probe.u3 = 0.3 [m/s]; probe.u5 = 0.6 [rad/s]; probe.u6 = 0.4 [rad/s]
    }
";

/// Momentum and its moment stay, and the energy that is left is ½ M V² + ½ Hᵀ I⁻¹ H about the common mass centre, with
/// I = (J1 + J2 + μ d²) E - μ d dᵀ and H = J1 ω1 + J2 ω2 + μ d × (v2 - v1), μ = m1 m2/M.
#[test]
fn docking_keeps_the_momenta_and_loses_the_energy_of_the_closed_form() {
    for at in ["", " at station.port"] {
        let motion = run(&format!(
            "{DOCKING} when t >= 0.5 [s] \"dock\" {{ attach probe to station{at} }}
            simulate {{ to = 2 [s], every = 0.05 [s], rtol = 1e-13, atol = 1e-14 }}"
        ));
        finished(&motion);
        for name in ["p.x", "p.y", "p.z", "H.x", "H.y", "H.z"] {
            stays(&motion, name, 1e-12);
        }
        let (m1, m2, j1, j2) = (3.0, 2.0, 0.5, 0.4);
        let (v1, v2) = ([0.2, 0.1, 0.0], [-0.5, 0.0, 0.3]);
        let (w1, w2) = ([0.3, 0.0, -0.2], [0.0, 0.6, 0.4]);
        let reduced = m1 * m2 / (m1 + m2);
        let d: V = std::array::from_fn(|k| [1.0, 0.2, -0.1][k] + 0.5 * (v2[k] - v1[k]));
        let v: V = std::array::from_fn(|k| v2[k] - v1[k]);
        let spin = cross(d, v);
        let h: V = std::array::from_fn(|k| j1 * w1[k] + j2 * w2[k] + reduced * spin[k]);
        // I⁻¹ h by parts along d and across it.
        let (along, across) = (j1 + j2, j1 + j2 + reduced * dot(d, d));
        let part = dot(h, d) * dot(h, d) / dot(d, d);
        let after = 0.5 * (part / along + (dot(h, h) - part) / across);
        let before = 0.5 * (j1 * dot(w1, w1) + j2 * dot(w2, w2) + reduced * dot(v, v));
        close(last(&motion, "events.work"), after - before, 1e-12);
        let kinetic = motion.series("energy.kinetic").expect("energy");
        close(kinetic.last().expect("a row") - kinetic[0], after - before, 1e-11);
        close(last(&motion, "apart"), dot(d, d).sqrt(), 1e-11);
        close(last(&motion, "turning"), 0.0, 1e-12);
        close(last(&motion, "probe.attached"), 1.0, 0.0);
    }
}

/// Attached, detached and attached again: the momenta stay through the whole chain, no change brings energy in, and bodies that
/// are apart move as free ones do.
#[test]
fn a_chain_of_attaching_and_detaching() {
    let motion = run(&format!(
        "{DOCKING} when t >= 0.5 [s] \"dock\" {{ attach probe to station }}
        when t >= 1 [s] \"undock\" {{ detach probe }}
        when t >= 1.5 [s] \"dock again\" {{ attach probe to station }}
        force kick on probe.o from station = (if t > 1.1 [s] and t < 1.2 [s] then 2 [N] else 0 [N]) * station.x
        simulate {{ to = 2 [s], every = 0.05 [s], rtol = 1e-13, atol = 1e-14 }}"
    ));
    finished(&motion);
    for name in ["p.x", "p.y", "p.z", "H.x", "H.y", "H.z"] {
        stays(&motion, name, 1e-11);
    }
    let (t, state) = (motion.series("t").expect("t"), motion.series("probe.attached").expect("state"));
    for (t, state) in t.iter().zip(state) {
        let within = |a: f64, b: f64| *t > a + 1e-9 && *t < b - 1e-9;
        let held = within(0.5, 1.0) || within(1.5, 2.1);
        let at_once = [0.5, 1.0, 1.5].iter().any(|at| (t - at).abs() < 1e-9);
        assert!(at_once || state == f64::from(u8::from(held)), "{t}: {state}");
    }
    let work = motion.series("events.work").expect("work");
    assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-13), "{work:?}");
    assert!(work.last().expect("a row") < &-0.1, "{work:?}");
    close(last(&motion, "turning"), 0.0, 1e-12);
}

/// A launcher that turns freely with its payload, which is attached at the start, and lets it go: it flies on with ω × r, and what is left
/// turns on as before.
#[test]
fn a_launcher_lets_its_payload_go() {
    let motion = run("parameter m = 1 [kg], J = 0.5 [kg*m^2], w = 3 [rad/s], r = 0.8 [m]
        body arm on N by revolute(z, q = phi) { mass = 4 [kg]; inertia = (J, J, J) }
        body payload on N by planar(z, q = (x, y, psi)) { mass = m; inertia = (0.1, 0.1, 0.1) [kg*m^2] }
        output pull = mag(payload.attachment_force)
        when t >= 0.7 [s] \"launch\" { detach payload from arm }
        start { der(phi) = w; x = r; der(y) = w*r; der(psi) = w }
        simulate { to = 1.5 [s], every = 0.05 [s], rtol = 1e-13, atol = 1e-14 }");
    finished(&motion);
    let turned = 2.1f64;
    close(last(&motion, "der(x)"), -2.4 * turned.sin(), 1e-10);
    close(last(&motion, "der(y)"), 2.4 * turned.cos(), 1e-10);
    close(last(&motion, "x"), 0.8 * turned.cos() - 2.4 * turned.sin() * 0.8, 1e-10);
    close(last(&motion, "der(psi)"), 3.0, 1e-11);
    close(last(&motion, "der(phi)"), 3.0, 1e-11);
    let (t, pull) = (motion.series("t").expect("t"), motion.series("pull").expect("pull"));
    for (t, pull) in t.iter().zip(pull).filter(|(t, _)| (**t - 0.7).abs() > 1e-9) {
        close(pull, if *t < 0.7 { 9.0 * 0.8 } else { 0.0 }, 1e-9);
    }
}

/// A turntable catches a particle: J ω + m r v stays, and ½ J m r²/(J + m r²) (v/r - ω)² is lost; the particle bears no torque.
#[test]
fn a_turntable_catches_a_particle() {
    let motion =
        run("body table on N by revolute(z, q = phi) { mass = 4 [kg]; inertia = (1, 1, 0.5) [kg*m^2] }
        particle p on N by translate(x = x, y = y) { mass = 2 [kg] }
        discrete caught = 0 [s]
        when y >= 0 [m] \"catch\" { attach p to table; caught := t }
        start { der(phi) = 1 [rad/s]; x = 0.5 [m]; y = -0.3 [m]; der(y) = 3 [m/s] }
        simulate { to = 1 [s], every = 0.02 [s], rtol = 1e-12 }");
    finished(&motion);
    close(last(&motion, "caught"), 0.1, 1e-10);
    let rate = (0.5 + 2.0 * 0.5 * 3.0) / (0.5 + 0.5);
    close(last(&motion, "der(phi)"), rate, 1e-9);
    let way = rate * 0.9;
    close(last(&motion, "x"), 0.5 * f64::cos(way), 1e-9);
    close(
        last(&motion, "events.work"),
        -0.5 * (0.5 * 0.5 / (0.5 + 0.5)) * (3.0f64 / 0.5 - 1.0).powi(2),
        1e-9,
    );
}

/// A coupling breaks where its force exceeds what it bears: m a with a = k t/(M + m) reaches 2 N at 2 (M + m)/(m k) s.
#[test]
fn a_coupling_breaks_at_its_limit() {
    let motion = run("body engine on N by prismatic(x, q = a) { mass = 3 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        body wagon on N by prismatic(x, q = b) at (-1, 0, 0) [m] { mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        force drive on engine.o = 4 [N/s]*t * N.x
        discrete broken = 0 [s]
        when mag(wagon.attachment_force) > 2 [N] \"breaks\" { detach wagon from engine; broken := t }
        simulate { to = 2 [s] }");
    finished(&motion);
    close(last(&motion, "broken"), 2.0 * 5.0 / (2.0 * 4.0), 1e-9);
    close(last(&motion, "der(b)"), 2.0 * 1.25 * 1.25 / 5.0, 1e-9);
}
