//! Sessions: a motion in pieces is the motion in one, whatever it is made of; copies, saved states, inputs that change.

use std::sync::Arc;

use cardan::prelude::*;
use cardan::sim::{Session, SessionError};

const TREE: &str = "
    input T [N*m] = 0.3
    gravity = -9.81 [m/s^2] * N.z
    particle upper on N by revolute(y, q = a) { mass = 1 [kg]; center = (0, 0, -1) [m] }
    particle lower on upper by revolute(y, q = b) at (0, 0, -1) [m] { mass = 0.5 [kg]; center = (0, 0, -0.7) [m] }
    torque motor on upper from N = T * N.y
    output height = 1 [m] - cos(a) * 1 [m]
    start { a = 1 [rad]; b = 0.4 [rad] }
";

/// A crank with a slider, closed by a rod of fixed length.
const LOOP: &str = "
    input T [N*m] = 1
    gravity = -9.81 [m/s^2] * N.z
    body crank on N by revolute(y, q = phi) { mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; point tip = (0.3, 0, 0) [m] }
    particle slider on N by translate(x = x) { mass = 2 [kg] }
    torque motor on crank from N = T * N.y
    constraint rod = mag(position(crank.tip, slider.o)) - 1 [m]
    start { phi = 0.5 [rad]; x ~ 1.2 [m] }
";

/// A ball that bounces in the air, with a sampled block that counts and pushes.
const EVENTS: &str = "
    gravity = -9.81 [m/s^2] * N.z
    input lift [N] = 0.5
    discrete hits = 0, push = 0 [N]
    particle ball on N by translate(z = z) { mass = 1 [kg] }
    force f on ball.cm = (push + lift) * N.z
    force drag on ball.cm = -0.1 [N*s^2/m^2] * der(z) * sqrt(1 [m^2/s^2] + der(z)^2) * N.z
    when z < 0 [m] { der(z) := -0.8 * der(z); hits := hits + 1 }
    every 0.05 [s] { push := -0.3 [N*s/m] * der(z) }
    start { z = 1 [m] }
";

/// A block on rough ground that is pulled by a swinging force: it sticks and slides.
const FRICTION: &str = "
    input bias [N] = 0.2
    particle block on N by translate(x = x) { mass = 1 [kg] }
    force pull on block.cm = (3 [N] * sin(4 [rad/s] * t) + bias) * N.x
    force friction on block.cm = -2 [N] * sign(der(x)) * N.x
    start { x = 0 [m] }
";

/// A pendulum whose hinge holds a small rotor by a stiff, damped spring: an implicit method takes over.
const STIFF: &str = "
    input T [N*m] = 0.3
    gravity = -9.81 [m/s^2] * N.z
    particle bob on N by revolute(y, q = a) { mass = 1 [kg]; center = (0, 0, -1) [m] }
    body rotor on N by revolute(y, q = b) { mass = 0.1 [kg]; inertia = (1e-3, 1e-3, 1e-3) [kg*m^2] }
    torque coupling on rotor from bob = (-1e4 [N*m/rad] * (b - a) - 1e3 [N*m*s/rad] * (der(b) - der(a)) + T) * N.y
    start { a = 1 [rad]; b = 1 [rad] }
";

fn session(text: &str) -> Session {
    let compiled = compile("session.mbs", text).unwrap();
    Session::begin(Arc::new(compiled.simulation), &Settings { to: 2.0, ..Settings::default() }).unwrap()
}

fn largest_difference(a: &Session, b: &Session) -> f64 {
    assert_eq!((a.time(), a.discretes().len()), (b.time(), b.discretes().len()));
    let pairs = a.state().iter().zip(b.state()).chain(a.discretes().iter().zip(b.discretes()));
    pairs.fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

#[test]
fn a_motion_in_a_thousand_pieces_is_the_motion_in_one() {
    let cases =
        [("tree", TREE), ("loop", LOOP), ("events", EVENTS), ("friction", FRICTION), ("stiff", STIFF)];
    for (name, text) in cases {
        let (mut whole, mut pieces) = (session(text), session(text));
        whole.advance(2.0).unwrap();
        for k in 1..=1000 {
            pieces.advance(f64::from(k) * 0.002).unwrap();
        }
        let difference = largest_difference(&whole, &pieces);
        assert!(difference <= 1e-12, "{name}: {difference:e}");
    }
}

/// What a method remembers from step to step survives a pause: Jacobians, the past of a multistep formula, the error before.
#[test]
fn pauses_leave_no_trace_in_any_method() {
    for method in [Method::Dopri5, Method::Dop853, Method::Radau5, Method::Bdf] {
        for (name, text) in [("tree", TREE), ("events", EVENTS), ("friction", FRICTION), ("stiff", STIFF)] {
            let settings = Settings { to: 2.0, rtol: 1e-6, atol: 1e-8, method, ..Settings::default() };
            let begin = || {
                let compiled = compile("session.mbs", text).unwrap();
                Session::begin(Arc::new(compiled.simulation), &settings).unwrap()
            };
            let (mut whole, mut pieces) = (begin(), begin());
            whole.advance(1.0).unwrap();
            for k in 1..=250 {
                pieces.advance(f64::from(k) * 0.004).unwrap();
            }
            let difference = largest_difference(&whole, &pieces);
            assert!(difference <= 1e-12, "{name} by {method}: {difference:e}");
        }
    }
}

#[test]
fn a_session_is_the_run_of_the_same_model() {
    for (name, text) in [("tree", TREE), ("loop", LOOP), ("events", EVENTS), ("friction", FRICTION)] {
        let compiled = compile("session.mbs", text).unwrap();
        let settings = Settings { to: 2.0, ..Settings::default() };
        let motion = compiled.simulation.run(&settings, &mut ()).unwrap();
        let last = motion.rows.iter().next_back().unwrap();
        let mut session = Session::begin(Arc::new(compiled.simulation), &settings).unwrap();
        for k in 1..=20 {
            session.advance(f64::from(k) * 0.1).unwrap();
        }
        for (k, x) in session.state().iter().enumerate() {
            assert!((x - last[k + 1]).abs() < 1e-8, "{name}, state {k}: {x} {}", last[k + 1]);
        }
    }
}

/// Copies, and states saved in the middle of a step and restored elsewhere, go on as the motion itself.
#[test]
fn copies_and_saved_sessions_go_on_as_the_motion_itself() {
    for (name, text) in [("tree", TREE), ("loop", LOOP), ("events", EVENTS), ("friction", FRICTION)] {
        let mut first = session(text);
        first.advance(0.777).unwrap();
        let (mut copy, saved) = (first.clone(), first.save());
        let mut other = session(text);
        other.restore(&saved).unwrap();
        for session in [&mut first, &mut copy, &mut other] {
            session.advance(2.0).unwrap();
        }
        assert!(largest_difference(&first, &copy) == 0.0, "{name}");
        assert!(largest_difference(&first, &other) == 0.0, "{name}");
        let foreign = if name == "tree" { LOOP } else { TREE };
        assert_eq!(session(foreign).restore(&saved), Err(SessionError::Foreign), "{name}");
        assert_eq!(other.restore(&saved[..saved.len() - 3]), Err(SessionError::Foreign), "{name}");
    }
}

/// A constant force in each piece: u and x of piecewise constant acceleration.
#[test]
fn inputs_hold_from_pause_to_pause() {
    let text = "
        input F [N] = 0
        particle block on N by translate(x = x) { mass = 2 [kg] }
        force push on block.cm = F * N.x
        output twice = 2*F
    ";
    let mut session = session(text);
    let (mut x, mut u) = (0.0, 0.0);
    for k in 0..50 {
        let force = f64::from(k % 7) - 3.0;
        session.set("F", force).unwrap();
        assert_eq!(session.outputs().unwrap(), [2.0 * force]);
        assert_eq!(session.derivatives().unwrap()[1], force / 2.0);
        session.advance(f64::from(k + 1) * 0.1).unwrap();
        let h = session.time() - f64::from(k) * 0.1;
        x += h * u + 0.25 * force * h * h;
        u += 0.5 * force * h;
        assert!((session.state()[0] - x).abs() < 1e-12 && (session.state()[1] - u).abs() < 1e-12);
    }
}

#[test]
fn a_condition_on_an_input_happens_when_the_input_changes() {
    let text = "
        input lever = 0
        discrete pulled = 0
        particle block on N by translate(x = x) { mass = 1 [kg] }
        when lever > 0.5 { pulled := pulled + 1; der(x) := 1 [m/s] }
    ";
    let mut session = session(text);
    session.advance(1.0).unwrap();
    assert_eq!(session.discretes(), [0.0]);
    session.set("lever", 1.0).unwrap();
    session.advance(2.0).unwrap();
    assert_eq!(session.discretes(), [1.0]);
    assert!((session.state()[0] - 1.0).abs() < 1e-12);
}

#[test]
fn a_set_state_is_moved_onto_the_constraints() {
    let mut session = session(LOOP);
    let mut state = session.state().to_vec();
    state[0] += 0.01;
    session.set_state(&state).unwrap();
    let [phi, x] = [session.state()[0], session.state()[1]];
    let (px, pz) = (0.3 * phi.cos(), -0.3 * phi.sin());
    assert!(((x - px).hypot(pz) - 1.0).abs() < 1e-12);
    session.advance(0.5).unwrap();
}

#[test]
fn misuse_is_an_error_and_leaves_the_session_as_it_was() {
    let mut session = session(TREE);
    session.advance(0.5).unwrap();
    let before = session.state().to_vec();
    assert!(matches!(session.advance(0.2), Err(SessionError::Backward { .. })));
    assert!(matches!(session.advance(f64::NAN), Err(SessionError::NotFinite(_))));
    assert!(
        matches!(session.set("TT", 1.0), Err(SessionError::Unknown { nearest: Some(n), .. }) if n == "T")
    );
    assert!(matches!(session.set("T", f64::INFINITY), Err(SessionError::NotFinite(_))));
    assert!(matches!(session.set_state(&[1.0]), Err(SessionError::Length(1, 4))));
    assert!(matches!(session.set_state(&[f64::NAN; 4]), Err(SessionError::NotFinite(_))));
    assert!(matches!(session.set_discretes(&[1.0]), Err(SessionError::Length(1, 0))));
    assert_eq!(session.state(), before);
    let ends = "discrete n = 0\nparticle p on N by translate(x = x) { mass = 1 [kg] }\n\
                start { der(x) = 1 [m/s] }\nwhen x > 1 [m] { n := 1; stop \"far enough\" }";
    let mut session = self::session(ends);
    assert_eq!(session.advance(3.0), Err(SessionError::Ended("far enough".into())));
    assert!((session.time() - 1.0).abs() < 1e-9);
    assert_eq!(session.advance(3.0), Err(SessionError::Ended("far enough".into())));
}

/// An integrator outside: between events the equations go on beyond a switch, its indicator changes its sign, and the event is settled once.
#[test]
fn events_are_told_to_an_integrator_outside() {
    let text = "
        gravity = -9.81 [m/s^2] * N.z
        discrete hits = 0
        particle ball on N by translate(z = z) { mass = 1 [kg] }
        when z < 0 [m] { der(z) := -0.8 * der(z); hits := hits + 1 }
        every 0.25 [s] { hits := hits + 100 }
        start { z = 1 [m] }
    ";
    let mut session = session(text);
    let begun = session.settle().unwrap();
    assert_eq!((begun.moved, begun.next, begun.is_over), (false, Some(0.25), false));
    assert!(session.indicators().unwrap().iter().all(|g| *g > 0.0));
    session.place_at(0.2, Some(&[-1e-9, -4.0])).unwrap();
    assert!(session.indicators().unwrap().iter().any(|g| *g < 0.0));
    let settled = session.settle().unwrap();
    assert!(settled.moved && settled.next == Some(0.25));
    assert!((session.state()[1] - 3.2).abs() < 1e-12 && session.discretes()[0] % 100.0 == 1.0);
    // Nothing more happens at the same instant.
    assert!(!session.settle().unwrap().moved);
    session.place_at(0.25, None).unwrap();
    assert_eq!(session.settle().unwrap().next, Some(0.5));
    assert!(session.discretes()[0] >= 201.0);
}

/// Friction in the hands of an integrator outside: the mode stays until the event is settled.
#[test]
fn friction_sticks_by_an_event() {
    let mut session = session(FRICTION);
    session.settle().unwrap();
    let n = session.n_indicators().unwrap();
    assert!(n > 0 && session.indicators().unwrap().len() == n);
    let x = session.state()[0];
    session.place_at(0.5, Some(&[x, 0.3])).unwrap();
    session.settle().unwrap();
    let sliding = session.derivatives().unwrap()[1];
    // Beyond the switch the friction of the sliding mode goes on.
    session.place_at(0.5, Some(&[x, -1e-9])).unwrap();
    assert!((session.derivatives().unwrap()[1] - sliding).abs() < 1e-6);
    assert!(session.indicators().unwrap().iter().any(|g| *g <= 0.0));
    session.settle().unwrap();
    assert!((session.derivatives().unwrap()[1] - sliding).abs() > 1e-3);
}

/// Copies in lanes move as a session does.
#[test]
fn copies_that_advance_together_move_as_one() {
    let mut one = session(TREE);
    let stepper = cardan::sim::Stepper::new(one.simulation(), &one.simulation().plan().inputs()).unwrap();
    let (n, m, copies) = (stepper.n_states(), stepper.n_controls(), 13);
    let mut states = one.state().repeat(copies);
    let mut times = vec![0.0; copies];
    let u: Vec<f64> = one.simulation().plan().inputs().iter().map(|k| one.value_at(*k)).collect();
    assert_eq!(u.len(), m);
    stepper.advance(&mut times, &mut states, &u.repeat(copies), (1e-3, 500), 2);
    one.advance(0.5).unwrap();
    for copy in states.chunks(n) {
        assert!(
            copy.iter().zip(one.state()).all(|(a, b)| (a - b).abs() < 1e-8),
            "{copy:?} {:?}",
            one.state()
        );
    }
    assert!(cardan::sim::Stepper::new(session(EVENTS).simulation(), &[]).is_none());
}
