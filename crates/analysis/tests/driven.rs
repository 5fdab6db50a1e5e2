//! Driven mechanisms and inverse dynamics: closed forms, and one way of computing forces against the other.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{EquilibriumOptions, equilibrium};
use cardan_analysis::{Study, actuator, coordinate_named, differences, held_at, inverse, kinematics};
use cardan_compile::choose;
use cardan_model::Model;

/// A coordinate driven by a polynomial and a sine: c₀ + c₁ t + a sin(w t).
fn drive_by(model: &mut Model, name: &str, [c0, c1, a, w]: [f64; 4]) -> usize {
    let pool = model.space.pool();
    let number = |x: f64| pool.number(cardan_expr::Rational::from_f64(x).unwrap());
    let t = model.space.time();
    let sine = pool.mul(number(a), pool.call(cardan_expr::Function::Sin, &[pool.mul(number(w), t)]));
    let motion = pool.sum(vec![number(c0), pool.mul(number(c1), t), sine]);
    cardan_base::Id::index(model.drive(coordinate_named(model, name).unwrap(), motion))
}

const SLIDER_CRANK: &str = "
    model slider_crank
    gravity = -9.81 [m/s^2] * N.y
    body crank on N by rotate(z = phi) { mass = 1 [kg]; inertia = (0, 0, 0.01) [kg*m^2]; center = (0.05, 0, 0) [m]; point end = (0.1, 0, 0) [m] }
    body rod on crank by rotate(z = psi) at crank.end { mass = 0.5 [kg]; inertia = (0, 0, 0.02) [kg*m^2]; center = (0.15, 0, 0) [m]; point end = (0.3, 0, 0) [m] }
    body piston on N by translate(x = s) { mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2] }
    constraint along = dot(position(piston.o, rod.end), N.x)
    constraint across = dot(position(piston.o, rod.end), N.y)
    start { phi = 0; psi = 0; s = 0.4 [m] }
";

/// s = r cos φ + √(l² - r² sin² φ) over a full turn, through both dead centres.
#[test]
fn a_slider_crank_follows_its_crank() {
    let mut model = common::model(SLIDER_CRANK);
    let w = 7.0;
    let place = drive_by(&mut model, "phi", [0.0, w, 0.0, 1.0]);
    let mut study = Study::of(&choose(&model, None).unwrap(), &[]).unwrap();
    let times: Vec<f64> = (0..=40).map(|k| k as f64 * 0.025).collect();
    let motion = kinematics(&mut study, &times, &[place]).unwrap();
    assert_eq!((motion.samples.len(), &motion.stopped), (41, &None));
    let s = study.place("s").unwrap();
    let v = study.place("der(s)").unwrap();
    let (r, l) = (0.1_f64, 0.3_f64);
    for sample in &motion.samples {
        let phi = w * sample.time;
        let root = (l * l - (r * phi.sin()).powi(2)).sqrt();
        assert!((sample.state[s] - (r * phi.cos() + root)).abs() < 1e-12, "t = {}", sample.time);
        let speed = -r * phi.sin() * w - r * r * phi.sin() * phi.cos() * w / root;
        assert!((sample.state[v] - speed).abs() < 1e-11);
    }
    // Power of the drive: the rate of kinetic and potential energy, seen from the other side by inverse dynamics.
    let mut free = Study::of(&choose(&common::model(SLIDER_CRANK), None).unwrap(), &[]).unwrap();
    let crank = actuator(&free, "phi").unwrap();
    for sample in &motion.samples {
        let found = inverse(&mut free, sample.time, &sample.state, &sample.accelerations, &[crank]).unwrap();
        let scale = 1.0 + found.forces[0].abs();
        assert!((found.forces[0] - sample.forces[0]).abs() < 1e-9 * scale, "{found:?} {:?}", sample.forces);
        assert!(found.left < 1e-10);
    }
}

#[test]
fn an_undriven_mechanism_says_what_is_missing() {
    let mut study = Study::of(&choose(&common::model(SLIDER_CRANK), None).unwrap(), &[]).unwrap();
    let refused = kinematics(&mut study, &[0.0], &[]).unwrap_err().to_string();
    assert!(refused.starts_with("the motion is not determined: 1 more must be prescribed"), "{refused}");
}

/// A piston that is driven beyond the stretched crank locks, however the numbers are rounded and however large it is: the stretched
/// position itself closes, but no speed follows the drive there.
#[test]
fn a_mechanism_that_locks_says_when() {
    for (offset, size) in
        [(0.0, 1.0), (1e-16, 1.0), (-1e-14, 1.0), (1e-11, 1.0), (-1e-11, 1.0), (0.0, 1e-3), (0.0, 1e3)]
    {
        let start = format!("phi = 0.5; psi = -0.6; s = {} [m]", 0.38 * size);
        let text = SLIDER_CRANK
            .replace("phi = 0; psi = 0; s = 0.4 [m]", &start)
            .replace("point end = (0.1,", &format!("point end = ({},", 0.1 * size))
            .replace("point end = (0.3,", &format!("point end = ({},", 0.3 * size));
        let mut model = common::model(&text);
        let place = drive_by(&mut model, "s", [(0.38 + offset) * size, 0.1 * size, 0.0, 1.0]);
        let mut study = Study::of(&choose(&model, None).unwrap(), &[]).unwrap();
        let times: Vec<f64> = (0..=40).map(|k| k as f64 * 0.01).collect();
        let motion = kinematics(&mut study, &times, &[place]).unwrap();
        let reason = motion.stopped.unwrap();
        assert!(
            reason.contains("the loops cannot be closed beyond t = 0.19999"),
            "{offset:e} {size}: {reason}"
        );
        assert_eq!(motion.samples.last().unwrap().time, times[19], "{offset:e} {size}");
    }
}

/// τ = (I + m l²) q̈ + m g l sin q for a pendulum.
#[test]
fn the_torque_of_a_driven_pendulum_is_known() {
    let text = "
        model pendulum
        gravity = -9.81 [m/s^2] * N.z
        body rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
    ";
    let mut model = common::model(text);
    let place = drive_by(&mut model, "q", [0.2, 0.0, 0.7, 3.0]);
    let mut study = Study::of(&choose(&model, None).unwrap(), &[]).unwrap();
    let motion = kinematics(&mut study, &[0.0, 0.1, 0.5, 1.3], &[place]).unwrap();
    for sample in &motion.samples {
        let t = sample.time;
        let q = 0.2 + 0.7 * (3.0 * t).sin();
        let acceleration = -0.7 * 9.0 * (3.0 * t).sin();
        let torque = (0.1 + 0.5) * acceleration + 2.0 * 9.81 * 0.5 * q.sin();
        assert!(
            (sample.state[0] - q).abs() < 1e-14 && (sample.accelerations[0] - acceleration).abs() < 1e-12
        );
        assert!((sample.forces[0] - torque).abs() < 1e-12);
    }
}

/// Of two actuators on one motion each takes its share in the least-norm sense; none is too few.
#[test]
fn actuators_share_or_say_what_is_left() {
    let mut study = Study::of(&choose(&common::model(SLIDER_CRANK), None).unwrap(), &[]).unwrap();
    let y = study.start(0.0).unwrap();
    let rates = study.rates(0.0, &y).unwrap();
    let (n_q, n_u, _) = study.sizes();
    let mut wanted = rates[n_q..n_q + n_u].to_vec();
    // More crank acceleration; the others follow G u̇ = 0 at the stretched position: psi by -4/3, s not at all.
    wanted[0] += 1.0;
    wanted[1] -= 4.0 / 3.0;
    let none = inverse(&mut study, 0.0, &y, &wanted, &[]).unwrap();
    let one = inverse(&mut study, 0.0, &y, &wanted, &[0]).unwrap();
    let two = inverse(&mut study, 0.0, &y, &wanted, &[0, 1]).unwrap();
    assert!(none.left > 1e-3 && one.left < 1e-12 && two.left < 1e-12);
    // One motion: τ_φ - 4/3 τ_ψ is the same.
    assert!((two.forces[0] - 4.0 / 3.0 * two.forces[1] - one.forces[0]).abs() < 1e-12);
}

#[test]
fn a_held_coordinate_needs_its_force() {
    let text = "
        model two
        gravity = -10 [m/s^2] * N.z
        body a on N by rotate(y = q) { mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -1) [m] }
        body b on a by rotate(y = p) at (0, 0, -1) [m] { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -1) [m] }
        start { q = 0.3 }
    ";
    let mut model = common::model(text);
    let place = {
        let (q, at) = held_at(&model, "q", Some(0.5)).unwrap();
        cardan_base::Id::index(model.hold(q, at))
    };
    let mut study = Study::of(&choose(&model, None).unwrap(), &[]).unwrap();
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(found.balanced && (found.state[0] - 0.5).abs() < 1e-12 && (found.state[1] + 0.5).abs() < 1e-9);
    // All three masses hang at a lever of sin 0.5.
    let force = study.holding_forces(0.0, &found.state, &[place]).unwrap()[0];
    assert!((force - 30.0 * 0.5_f64.sin()).abs() < 1e-8, "{force}");
    assert!(held_at(&model, "r", None).is_err());
}

#[test]
fn differences_are_exact_for_quartics() {
    let times = [0.0, 0.1, 0.25, 0.3, 0.5, 0.7];
    let f = |t: f64| 1.0 - t + 2.0 * t * t * t - 0.5 * t.powi(4);
    let values: Vec<f64> = times.iter().map(|t| f(*t)).collect();
    for (t, slope) in times.iter().zip(differences(&times, &values)) {
        assert!((slope - (-1.0 + 6.0 * t * t - 2.0 * t.powi(3))).abs() < 1e-12);
    }
}

fn driven_to(text: &str, times: &[f64]) -> (Study, cardan_analysis::DrivenMotion) {
    let mut study = common::study(text, &[]);
    let motion = kinematics(&mut study, times, &[]).unwrap();
    assert_eq!((motion.samples.len(), &motion.stopped), (times.len(), &None));
    (study, motion)
}

/// A blade that is steered and pushed along x: y(1) = ∫₀¹ tan(0.3 + sin t) dt, however far apart the samples are.
#[test]
fn what_holds_velocities_only_is_integrated() {
    let text = "
        model blade
        body s on N by planar(z, q = (x, y, psi)) { mass = 2 [kg]; inertia = (1, 1, 0.3) [kg*m^2] }
        constraint edge = dot(velocity(s.o), s.y)
        motion steer on psi = 0.3 + sin(t * 1 [rad/s])
        motion push on x = 1 [m/s] * t
    ";
    // Simpson's rule with 2000 intervals.
    let f = |k: usize| (0.3 + (k as f64 / 2000.0).sin()).tan();
    let sum: f64 =
        (0..=2000).map(|k| f(k) * [1.0, 2.0, 4.0][if k % 2000 == 0 { 0 } else { 1 + k % 2 }]).sum();
    let y_end = sum / 6000.0;
    for times in [vec![0.0, 1.0], (0..=10).map(|k| k as f64 / 10.0).collect()] {
        let (study, motion) = driven_to(text, &times);
        let y = motion.samples.last().unwrap().state[study.place("y").unwrap()];
        assert!((y - y_end).abs() < 1e-9, "{y} instead of {y_end}");
    }
}

/// A wheel that yaws and rolls at even pace goes round a circle of 1.5 m: after half of it x = 0, y = 3 m.
#[test]
fn a_driven_wheel_rolls_round_its_circle() {
    let text = "
        model circle
        body w on N by translate(x = x, y = y, z = z) rotate(z = yaw) rotate(x = lean) rotate(y = turn) { mass = 2 [kg]; inertia = (0.05, 0.1, 0.05) [kg*m^2] }
        joint ground = rolling(w.o, N.o, axis = y, radius = 0.3 [m])
        motion m1 on yaw = 1 [rad/s] * t
        motion m2 on turn = 5 [rad/s] * t
        motion m3 on lean = 0
        start { z ~ 0.3 [m] }
    ";
    let times: Vec<f64> = (0..=4).map(|k| k as f64 / 4.0 * std::f64::consts::PI).collect();
    let (study, motion) = driven_to(text, &times);
    let end = &motion.samples.last().unwrap().state;
    let [x, y] = ["x", "y"].map(|n| end[study.place(n).unwrap()]);
    assert!(x.abs() < 1e-9 && (y - 3.0).abs() < 1e-9, "{x} {y}");
}

/// A lag behind a steadily turned shaft: i(1) = 1 - T (1 - e^(-1/T)), and a torque of 3 i holds it back.
#[test]
fn auxiliary_states_follow_a_driven_motion() {
    let text = "
        model lag
        body a on N by revolute(z, q = q) { mass = 1 [kg]; inertia = (0, 0, 0.2) [kg*m^2] }
        state i = 0 { der = (q - i) / (0.2 [s]) }
        torque back on a from N = -3 [N*m] * i * N.z
        motion m on q = 1 [rad/s] * t
        output e = m.effort
    ";
    let (study, motion) = driven_to(text, &[0.0, 0.5, 1.0]);
    let end = motion.samples.last().unwrap();
    let i = 1.0 - 0.2 * (1.0 - (-5.0_f64).exp());
    assert!((end.state[study.place("i").unwrap()] - i).abs() < 1e-9);
    assert!((end.outputs[0] - 3.0 * i).abs() < 1e-8, "{:?}", end.outputs);
}
