//! Steady motions and sensitivities against closed forms.

use crate::common;

use cardan_analysis::{sensitivity, trim};

/// A conical pendulum circles at the angle θ with ω² = g/(L cos θ).
#[test]
fn a_conical_pendulum_circles_at_its_rate() {
    let text = "
        gravity = -9.81 [m/s^2] * N.z
        particle bob on N by rotate(z = psi) rotate(y = theta) { mass = 1 [kg]; center = (0, 0, -0.8) [m] }
        start { theta = 0.3; der(psi) = 2 [rad/s] }
    ";
    let mut study = common::study(text, &[]);
    let found = trim(&mut study, 0.0, &[("theta".into(), 0.6)]).unwrap();
    assert!(found.balanced, "{found:?}");
    let rate = found.state[study.place("der(psi)").unwrap()];
    assert!((rate - (9.81 / (0.8 * 0.6_f64.cos())).sqrt()).abs() < 1e-9, "{rate}");
}

/// The thrust that a drag asks for at a wanted speed: F = c v².
#[test]
fn a_thrust_keeps_up_a_speed() {
    let text = "
        parameter F = 0 [N], c = 0.4 [kg/m]
        particle ship on N by translate(x = x) { mass = 3 [kg] }
        force thrust on ship.o from N = (F - c * der(x)^2) * N.x
        start { der(x) = 1 [m/s] }
        output speed = der(x)
    ";
    let mut study = common::study(text, &["F"]);
    let found = trim(&mut study, 0.0, &[("speed".into(), 5.0)]).unwrap();
    assert!(found.balanced && (found.inputs[0] - 10.0).abs() < 1e-8, "{found:?}");
}

/// x = x₀ cos(ω t), ω² = k/m: the derivative by k is −x₀ t sin(ω t)/(2 m ω), by x₀ cos(ω t).
#[test]
fn an_oscillation_changes_with_its_stiffness() {
    let text = "
        parameter k = 4 [N/m], x0 = 0.5 [m]
        particle p on N by translate(x = x) { mass = 1 [kg] }
        force coil on p.o from N = -k * x * N.x
        start { x = x0 }
        output pull = k * x
    ";
    let mut study = common::study(text, &["k", "x0"]);
    let times: Vec<f64> = (0..=10).map(|i| 0.5 * f64::from(i)).collect();
    let found = sensitivity(&mut study, &times).unwrap();
    for s in &found.samples {
        let (t, w) = (s.time, 2.0_f64);
        let by_k = -0.5 * t * (w * t).sin() / (2.0 * w);
        assert!((s.states_by[0][0] - by_k).abs() < 1e-7, "{t}: {} {by_k}", s.states_by[0][0]);
        assert!((s.states_by[1][0] - (w * t).cos()).abs() < 1e-7);
        let pull = 0.5 * (w * t).cos() + 4.0 * by_k;
        assert!((s.outputs_by[0][0] - pull).abs() < 1e-6, "{t}");
    }
}

/// A loop: the derivative of a Cartesian pendulum on a rod by the length of the rod, against
/// differences of two motions.
#[test]
fn a_constrained_motion_changes_with_a_length() {
    let text = |length: f64| {
        format!(
            "
            parameter L = {length:?} [m]
            gravity = -9.81 [m/s^2] * N.z
            particle bob on N by translate(x = x, z = z) {{ mass = 1 [kg] }}
            constraint rod = mag(position(N.o, bob.o)) - L
            start {{ x = 0.3 [m]; z ~ -0.6 [m] }}
        "
        )
    };
    let times = [0.0, 0.4, 0.9];
    let at = |length: f64| sensitivity(&mut common::study(&text(length), &["L"]), &times).unwrap();
    let (here, more, less) = (at(0.7), at(0.7 + 1e-4), at(0.7 - 1e-4));
    for k in 0..times.len() {
        for i in 0..4 {
            let difference = (more.samples[k].state[i] - less.samples[k].state[i]) / 2e-4;
            let exact = here.samples[k].states_by[0][i];
            assert!((difference - exact).abs() < 1e-5 * (1.0 + exact.abs()), "{k} {i}: {exact} {difference}");
        }
    }
}

/// A single-track vehicle in a steady turn: δ = l r/u + K a with the understeer gradient K = m/l (l_r/C_f − l_f/C_r)
/// (Gillespie, Fundamentals of Vehicle Dynamics, 6.15), here exact because the tyres are linear in (v ± l r)/u.
#[test]
fn a_vehicle_is_trimmed_in_a_steady_turn() {
    let text = "
        gravity = 0
        parameter m = 1500 [kg], J = 2500 [kg*m^2], lf = 1.2 [m], lr = 1.6 [m], Cf = 80000 [N/rad], Cr = 95000 [N/rad]
        input delta [rad], F [N]
        body car on N by translate(x = x, y = y) rotate(z = psi) {
          mass = m; inertia = (0, 0, J); point front = (lf, 0, 0); point rear = (-lr, 0, 0)
        }
        speed u = dot(velocity(car.o), car.x), v = dot(velocity(car.o), car.y)
        force front on car.front from N = -Cf * ((v + lf * der(psi)) / u - delta) * car.y
        force rear on car.rear from N = -Cr * (v - lr * der(psi)) / u * car.y
        force drive on car.o from N = F * car.x
        output lateral = u * der(psi)
        start { u = 20 [m/s]; der(psi) = 0.1 [rad/s] }
    ";
    let mut study = common::study(text, &["delta", "F"]);
    let wanted = [("u".to_string(), 20.0), ("lateral".to_string(), 4.0)];
    let found = trim(&mut study, 0.0, &wanted).unwrap();
    let (m, lf, lr, cf, cr) = (1500.0, 1.2, 1.6, 80000.0, 95000.0);
    let (l, r) = (lf + lr, 4.0 / 20.0);
    let v = lr * r - m * 4.0 * lf / l / cr * 20.0;
    assert!(found.balanced, "{found:?}");
    assert!(
        (found.inputs[0] - (l * r / 20.0 + m / l * (lr / cf - lf / cr) * 4.0)).abs() < 1e-10,
        "{found:?}"
    );
    assert!((found.inputs[1] + m * v * r).abs() < 1e-6, "{found:?}");
}
