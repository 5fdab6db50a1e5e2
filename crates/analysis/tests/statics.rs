//! Equilibria against closed forms.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{
    EquilibriumOptions, Found, LinearOptions, Point, Stability, Study, equilibrium, held_at, linearize,
};
use cardan_compile::choose;

const PENDULUM: &str = "
    model pendulum
    gravity = -9.81 [m/s^2] * N.z
    body rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
    start { q = START }
";

#[test]
fn a_pendulum_rests_where_newton_or_gravity_takes_it() {
    let pi = std::f64::consts::PI;
    for (start, options, rest, stability) in [
        ("0.4", EquilibriumOptions::default(), 0.0, Stability::Marginal),
        ("3", EquilibriumOptions::default(), pi, Stability::Unstable),
        ("3", EquilibriumOptions { stable: true, ..Default::default() }, 0.0, Stability::Marginal),
        // Where the moment is largest, Newton's method has no direction; relaxation has.
        ("90 [deg]", EquilibriumOptions::default(), 0.0, Stability::Marginal),
    ] {
        let mut study = common::study(&PENDULUM.replace("START", start), &[]);
        let found = equilibrium(&mut study, 0.0, &options).unwrap();
        assert!(found.balanced && (found.state[0] - rest).abs() < 1e-9, "{start}: {found:?}");
        assert_eq!(found.stability, Some(stability), "{start}");
    }
}

/// A rod on two springs: the deflections follow from two balances.
#[test]
fn springs_carry_their_share() {
    let text = "
        model table
        gravity = -10 [m/s^2] * N.z
        body top on N by translate(z = z) rotate(y = tilt) { mass = 6 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0.1, 0, 0) [m] }
        force left on top.o from N = -300 [N/m] * z * N.z
        torque bend on top from N = -40 [N*m] * tilt * N.y
    ";
    let mut study = common::study(text, &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert_eq!((found.found, found.stability), (Found::Newton, Some(Stability::Marginal)));
    assert!((found.state[0] + 0.2).abs() < 1e-12);
    // 60 N at a lever of 0.1 m cos(tilt) against 40 N m per radian.
    let tilt = found.state[1];
    assert!((40.0 * tilt - 6.0 * tilt.cos()).abs() < 1e-9, "{tilt}");
}

/// A four-bar hangs with its mass centre as low as it can: the potential is stationary along the loop.
#[test]
fn a_loop_hangs_in_balance() {
    let text = include_str!("../../../models/four-bar.mbs");
    let mut study = common::study(text, &[]);
    let found =
        equilibrium(&mut study, 0.0, &EquilibriumOptions { stable: true, ..Default::default() }).unwrap();
    assert!(found.balanced && found.stability == Some(Stability::Marginal), "{found:?}");
    for by in [1e-3, -1e-3] {
        let mut beside = found.state.clone();
        beside[0] += by;
        study.close(0.0, &mut beside).unwrap();
        let near = study.potential(0.0, &beside).unwrap();
        assert!(near > found.potential, "{near} is not above {}", found.potential);
    }
}

/// Two equal bars under one another on a wall, joined by a third: all hang in one line, where the pin bears nothing that could be known.
#[test]
fn what_a_singular_position_bears_is_not_told() {
    let text = "
        model hanging
        gravity = -9.81 [m/s^2] * N.y
        body upper on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point end = (1, 0, 0) [m] }
        body lower on N by revolute(z, q = b) at (0, -2, 0) [m] { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point end = (1, 0, 0) [m] }
        body link on upper by revolute(z, q = c) at upper.end { mass = 1 [kg]; inertia = (0, 0.1, 0.1) [kg*m^2]; center = (1, 0, 0) [m]; point end = (2, 0, 0) [m] }
        joint pin = revolute(link.end, lower.end, axis = z)
        start { a = -60 [deg]; b ~ -60 [deg]; c ~ -30 [deg] }
        output height = dot(position(N.o, link.end), N.y)
        output pull = pin.force
    ";
    let mut study = common::study(text, &[]);
    let found =
        equilibrium(&mut study, 0.0, &EquilibriumOptions { stable: true, ..Default::default() }).unwrap();
    let down = -std::f64::consts::FRAC_PI_2;
    assert!((found.state[0] - down).abs() < 1e-4 && (found.state[1] - down).abs() < 1e-4, "{found:?}");
    assert_eq!(found.singular, ["pin"]);
    let names: Vec<&str> =
        found.undetermined.iter().map(|k| study.model().outputs[*k].quantity.name.as_str()).collect();
    assert_eq!(names, ["pull.x", "pull.y", "pull.z"]);
}

/// A parallelogram in one line, which may go on crossed: there are no linear equations, no way to an equilibrium, and no force that holds it.
#[test]
fn a_start_in_a_singular_position_is_told() {
    let text = "
        gravity = -9.81 [m/s^2] * N.y
        body a on N by revolute(z, q = p) { mass = 1 [kg]; inertia = (0, 0, 0.02) [kg*m^2]; center = (0, -0.25, 0) [m]; point e = (0, -0.5, 0) [m] }
        body c on N by revolute(z, q = s) at (1, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0, 0.02) [kg*m^2]; center = (0, -0.25, 0) [m]; point e = (0, -0.5, 0) [m] }
        body b on a by revolute(z, q = r) at a.e { mass = 2 [kg]; inertia = (0, 0, 0.5) [kg*m^2]; center = (0.5, 0.1, 0) [m]; point e = (1, 0, 0) [m] }
        joint pin = revolute(b.e, c.e, axis = z)
    ";
    let flat = format!("{text}\nstart {{ p = 90 [deg]; s = 90 [deg] }}\n");
    let mut study = common::study(&flat, &[]);
    let start = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &start, &LinearOptions::default());
    assert!(linear.as_ref().is_err_and(|e| e.to_string().contains("singular position")), "{linear:?}");
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default());
    let said = found.as_ref().err().map(|e| e.to_string()).unwrap_or_default();
    assert!(said.contains("singular position") && said.contains("start { p = 91 [deg] }"), "{found:?}");
    let mut model = common::model(&format!("{text}\nstart {{ p = 80 [deg] }}\n"));
    let (p, at) = held_at(&model, "p", Some(std::f64::consts::FRAC_PI_2)).unwrap();
    model.hold(p, at);
    let mut held = Study::of(&choose(&model, None).unwrap(), &[]).unwrap();
    let found = equilibrium(&mut held, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(found.stability.is_none() && found.singular.contains(&"pin".to_string()), "{found:?}");
}

/// Accelerations grow on the way down, by the thousand, because the cart weighs next to nothing; loads do not.
#[test]
fn a_pole_on_a_light_cart_comes_to_rest() {
    let mut study = common::study(include_str!("../../../models/light-cart-pole.mbs"), &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(found.balanced && found.state[study.place("theta").unwrap()].abs() < 1e-9, "{found:?}");
    assert_eq!(found.stability, Some(Stability::Marginal));
}

#[test]
fn a_ball_in_free_fall_has_no_equilibrium_and_says_what_pulls() {
    let text = "
        model ball
        gravity = -10 [m/s^2] * N.z
        body b on N by translate(z = z) { mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2] }
    ";
    let mut study = common::study(text, &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(!found.balanced && found.stability.is_none());
    assert!((found.left[0] + 20.0).abs() < 1e-12);
}

#[test]
fn a_cart_on_rails_is_indifferent() {
    let text = "
        model cart
        gravity = -10 [m/s^2] * N.z
        body b on N by translate(x = x) { mass = 2 [kg]; inertia = (0, 0, 0) [kg*m^2] }
    ";
    let mut study = common::study(text, &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert_eq!(found.stability, Some(Stability::Marginal));
    assert_eq!(found.ignorable[0].name, "x");
}

/// Dry friction of up to 5 N holds a block against 3 N where it is, and not against 7 N; a pendulum with friction in its pin that cannot hold it hangs down.
#[test]
fn dry_friction_holds_what_it_can() {
    let block = |pull: f64| {
        format!(
            "model block
             particle b on N by translate(x = x) {{ mass = 2 [kg] }}
             force fr on b.o = -5 [N]*sign(der(x))*N.x
             force pull on b.o = {pull} [N]*N.x
             output friction = dot(fr, N.x)
             start {{ x = 0.3 [m]; der(x) = 1 [m/s] }}"
        )
    };
    let mut study = common::study(&block(3.0), &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(found.balanced && found.found == Found::Held, "{found:?}");
    assert_eq!(
        (found.held.as_slice(), found.state.as_slice()),
        (&["der(x) = 0".to_string()][..], &[0.3, 0.0][..])
    );
    assert_eq!(found.stability, None);
    let linear = linearize(&mut study, 0.0, &found.state, &LinearOptions::default()).unwrap();
    assert_eq!((linear.point, linear.imbalance), (Point::Held, None));
    let hold = study.held(0.0, &found.state).unwrap().unwrap();
    assert!((hold.outputs[0] + 3.0).abs() < 1e-12 && hold.rates.iter().all(|x| x.abs() < 1e-12), "{hold:?}");
    let mut study = common::study(&block(7.0), &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(!found.balanced && found.held.is_empty(), "{found:?}");
    let text = PENDULUM.replace("START", "0.4") + "torque pin on rod from N = -0.1 [N*m]*sign(der(q))*N.y\n";
    let mut study = common::study(&text, &[]);
    let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
    assert!(found.balanced && found.state[0].abs() < 1e-9 && found.held.is_empty(), "{found:?}");
}

/// A crate on a rigid floor rests where it touches at the start, pressed by its weight; under a ceiling it does not hang. One that does not
/// touch falls.
#[test]
fn a_crate_rests_on_the_contact_that_it_touches() {
    let crate_at = |z: &str, normal: &str| {
        let text = format!(
            "
            model crates
            gravity = -9.81 [m/s^2] * N.z
            body crate on N by translate(z = z) {{ mass = 10 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
            body flap on crate by revolute(y, q = a) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0) [kg*m^2]; center = (0, 0, -0.2) [m] }}
            contact floor between crate.o and N.o {{ normal = {normal}; friction = 0.3 }}
            start {{ z = {z}; a = 0.1 }}
        "
        );
        let mut study = common::study(&text, &[]);
        let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default());
        (study.resting_contacts().to_vec(), found)
    };
    let (resting, found) = crate_at("0 [m]", "N.z");
    let found = found.unwrap();
    assert_eq!(resting, ["floor"]);
    assert!(found.balanced && found.state[0].abs() < 1e-9 && found.state[1].abs() < 1e-9, "{found:?}");
    for (z, normal) in [("0.1 [m]", "N.z"), ("0 [m]", "-N.z")] {
        let (resting, found) = crate_at(z, normal);
        assert!(resting.is_empty() && found.is_ok_and(|found| !found.balanced), "{z}");
    }
}

/// A weight under a position controller whose force saturates: on both sides of the equilibrium the
/// load has no slope. z = 0.1 m - m g / k.
#[test]
fn equilibrium_is_found_through_a_saturation() {
    let text = |start: f64| {
        format!(
            "
            gravity = -9.81 [m/s^2] * N.z
            particle m on N by translate(z = z) {{ mass = 1 [kg] }}
            variable wanted = 300 [N/m] * (0.1 [m] - z) - 20 [N*s/m] * der(z)
            force drive on m.o from N = max(-20 [N], min(20 [N], wanted)) * N.z
            start {{ z = {start} [m] }}
        "
        )
    };
    for start in [0.0, 0.5, -3.0, 7.0] {
        let mut study = common::study(&text(start), &[]);
        let found = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
        assert!(found.balanced, "from {start}: {found:?}");
        assert!((found.state[0] - (0.1 - 9.81 / 300.0)).abs() < 1e-12, "from {start}: {:?}", found.state);
    }
}
