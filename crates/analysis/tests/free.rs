//! What does not depend on how a system is written: free motions in other coordinates, equilibria carried by drives.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{
    EquilibriumOptions, LinearOptions, Modes, Point, Stability, equilibrium, linearize, modes,
};

fn modes_of(text: &str) -> Modes {
    let mut study = common::study(text, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    assert_eq!(linear.point, Point::Equilibrium);
    modes(&study, &linear).unwrap()
}

/// How many motions are free, and the frequencies of the others in hertz.
fn free_and_felt(found: &Modes) -> (usize, Vec<f64>) {
    let is_free = |m: &&cardan_analysis::Mode| m.eigenvalue == (0.0, 0.0);
    let felt = found.modes.iter().filter(|m| !is_free(m)).map(|m| m.frequency).collect();
    (found.modes.iter().filter(is_free).count(), felt)
}

/// Two masses on a spring that float along a line: one free motion and ω² = k/m₁ + k/m₂, whether the second place is counted from the ground, from the
/// first mass, or both are mixed with factors.
#[test]
fn a_floating_pair_has_one_free_motion_in_any_coordinates() {
    let data = [
        "{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }",
        "{ mass = 2 [kg]; inertia = (1, 1, 1) [kg*m^2] }",
    ];
    let spring = "spring s between a.o and b.o { stiffness = 100 [N/m]; length = 1 [m] }";
    let written = [("N", "start { x2 = 1 [m] }", 1), ("a", "start { x2 = 1 [m] }", 0)];
    for (carrier, start, together) in written {
        let text = format!(
            "model pair\nbody a on N by translate(x = x1) {}\nbody b on {carrier} by translate(x = x2) {}\n{spring}\n{start}\n",
            data[0], data[1]
        );
        let found = modes_of(&text);
        let (free, felt) = free_and_felt(&found);
        assert_eq!(free, 1, "{carrier}: {found:?}");
        let known = (100.0_f64 / 1.0 + 100.0 / 2.0).sqrt() / std::f64::consts::TAU;
        assert!(felt.len() == 1 && (felt[0] - known).abs() < 1e-10, "{carrier}: {felt:?}");
        assert_eq!(found.together.len(), together, "{carrier}");
        assert_eq!(found.stability, Stability::Marginal);
        // Both masses go the same way in the free motion.
        let shape = &found.modes[0].shape;
        let second = if carrier == "N" { 1.0 } else { 0.0 };
        assert!(
            (shape[0].0 - 1.0).abs() < 1e-9 && (shape[1].0 - second).abs() < 1e-9,
            "{carrier}: {shape:?}"
        );
    }
}

/// Three discs on two torsion springs that turn freely on one shaft, by absolute angles, by relative ones, and by a chain that starts in the
/// middle: the frequencies are the roots of the textbook's quadratic (Den Hartog, Mechanical Vibrations, section 5.3).
#[test]
fn three_floating_discs_have_one_free_motion_in_any_coordinates() {
    let disc = |name: &str, on: &str, j: f64| {
        format!(
            "body {name} on {on} by revolute(z) {{ mass = 1 [kg]; inertia = ({j}, {j}, {j}) [kg*m^2] }}\n"
        )
    };
    let springs = |one: &str, two: &str| {
        format!(
            "torque s1 on b from a = -20 [N*m] * ({one}) * N.z\ntorque s2 on c from b = -30 [N*m] * ({two}) * N.z\n"
        )
    };
    let absolute = disc("a", "N", 1.0)
        + &disc("b", "N", 2.0)
        + &disc("c", "N", 3.0)
        + &springs("b.q - a.q", "c.q - b.q");
    let relative = disc("a", "N", 1.0) + &disc("b", "a", 2.0) + &disc("c", "b", 3.0) + &springs("b.q", "c.q");
    let middle = disc("b", "N", 2.0) + &disc("a", "b", 1.0) + &disc("c", "b", 3.0) + &springs("-a.q", "c.q");
    let (j, k): ([f64; 3], [f64; 2]) = ([1.0, 2.0, 3.0], [20.0, 30.0]);
    let sum = k[0] / j[0] + k[0] / j[1] + k[1] / j[1] + k[1] / j[2];
    let product = k[0] * k[1] * (j[0] + j[1] + j[2]) / (j[0] * j[1] * j[2]);
    let root =
        |sign: f64| ((sum + sign * (sum * sum - 4.0 * product).sqrt()) / 2.0).sqrt() / std::f64::consts::TAU;
    for (text, how) in [(absolute, "absolute"), (relative, "relative"), (middle, "from the middle")] {
        let (free, felt) = free_and_felt(&modes_of(&format!("model discs\n{text}")));
        assert_eq!(free, 1, "{how}");
        assert!(felt.len() == 2, "{how}: {felt:?}");
        assert!((felt[0] - root(-1.0)).abs() < 1e-9 && (felt[1] - root(1.0)).abs() < 1e-9, "{how}: {felt:?}");
    }
}

/// A rod let go at 30 degrees is at rest and no equilibrium: m g (L/2) sin q is not balanced.
#[test]
fn a_state_at_rest_out_of_balance_is_called_so() {
    let text = "
        model rod
        gravity = -9.81 [m/s^2] * N.z
        body rod on N by rotate(y = q) { mass = 2 [kg]; inertia = (1/6, 1/6, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
        start { q = 30 [deg] }
    ";
    let mut study = common::study(text, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    assert_eq!(linear.point, Point::Unbalanced);
    let found = linear.imbalance.unwrap();
    let moment = -2.0 * 9.81 * 0.5 * 0.5;
    assert!((found.force.unwrap() - moment).abs() < 1e-12, "{found:?}");
    assert!((found.rate - moment / (1.0 / 6.0 + 2.0 * 0.25)).abs() < 1e-12, "{found:?}");
    assert_eq!(study.state(found.place).0.name, "der(q)");
    // Moving, it is neither.
    let y = [y[0], 1.0];
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    assert_eq!((linear.point, linear.imbalance), (Point::Moving, None));
}

/// Porter's governor: the arms stand at cos β = (m + M) g / (m ω² l), whether the shaft's joint prescribes its turn or a motion drives its coordinate.
#[test]
fn a_governor_turned_by_a_motion_stands_as_one_whose_joint_turns() {
    let governor = |joint: &str, drive: &str| {
        format!(
            "
        model governor
        parameter W = 8 [rad/s], l = 0.4 [m], m = 2 [kg], M = 3 [kg]
        gravity = -9.81 [m/s^2] * N.z
        body shaft on N by revolute(z, {joint}) {{ mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2] }}
        body a1 on shaft by revolute(y, q = b1) {{ mass = m; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -l); point e = (0, 0, -l) }}
        body a2 on shaft by revolute(-y, q = b2) {{ mass = m; inertia = (0, 0, 0) [kg*m^2]; center = (0, 0, -l); point e = (0, 0, -l) }}
        body sleeve on shaft by prismatic(z, q = h) {{ mass = M; inertia = (0, 0, 0) [kg*m^2] }}
        frame l1 on a1 by revolute(y) at a1.e {{ point e = (0, 0, -l) }}
        frame l2 on a2 by revolute(-y) at a2.e {{ point e = (0, 0, -l) }}
        joint p1 = spherical(l1.e, sleeve.o)
        joint p2 = spherical(l2.e, sleeve.o)
        {drive}
        start {{ b1 = -60 [deg]; b2 ~ -60 [deg]; h ~ -0.3 [m] }}
    "
        )
    };
    let mut found = vec![];
    for (joint, drive) in [("motion = W*t", ""), ("q = psi", "motion turn on psi = W*t")] {
        let mut study = common::study(&governor(joint, drive), &[]);
        let rest = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap();
        assert!(rest.balanced, "{drive}: {rest:?}");
        let place = (0..study.sizes().0).find(|k| study.state(*k).0.name == "b1").unwrap();
        let known = 5.0 * 9.81 / (2.0 * 64.0 * 0.4);
        assert!((rest.state[place].cos() - known).abs() < 1e-9, "{drive}: {}", rest.state[place]);
        assert_eq!(rest.carried.len(), usize::from(!drive.is_empty()));
        assert!(
            rest.carried
                .iter()
                .all(|(k, rate)| study.state(*k).0.name == "der(psi)" && (rate - 8.0).abs() < 1e-12)
        );
        found.push(rest);
    }
    let [own, driven] = &found[..] else { panic!("two of them") };
    assert_eq!(own.stability, driven.stability);
    let sizes = |list: &[(f64, f64)]| {
        let mut sizes: Vec<f64> = list.iter().map(|z| z.0.hypot(z.1)).collect();
        sizes.sort_by(f64::total_cmp);
        sizes
    };
    let (a, b) = (sizes(&own.eigenvalues), sizes(&driven.eigenvalues));
    assert!(
        a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| (x - y).abs() < 1e-6 * (1.0 + x)),
        "{a:?} {b:?}"
    );
}

/// A crank that a motion turns takes the other links with it: that is no rest, and the drive is named.
#[test]
fn a_driven_linkage_is_not_at_rest() {
    let text = "
        model linkage
        gravity = -9.81 [m/s^2] * N.y
        body crank on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0, 0, 0.01) [kg*m^2]; point tip = (0.2, 0, 0) [m] }
        body rod on crank by revolute(z, q = b) at crank.tip { mass = 1 [kg]; inertia = (0, 0, 0.01) [kg*m^2]; point tip = (0.6, 0, 0) [m] }
        body slider on N by translate(x = x) { mass = 1 [kg]; inertia = (0, 0, 0) [kg*m^2] }
        joint pin = revolute(rod.tip, slider.o, axis = z)
        motion turn on a = 5 [rad/s] * t
        start { x ~ 0.8 [m] }
    ";
    let mut study = common::study(text, &[]);
    let rest = equilibrium(&mut study, 0.1, &EquilibriumOptions::default()).unwrap();
    assert!(!rest.balanced && rest.carried.is_empty());
    assert!(
        matches!(&rest.obstacle, Some(cardan_analysis::Obstacle::Moves { row, .. }) if row.constraint == "turn")
    );
}
