//! Joint-space terms: against one another, the mass matrix, finite differences and closed forms.

use cardan_analysis::dynamics::joint_space::JointSpace;
use cardan_analysis::{
    ManyArguments, Named, Regressor, StateArguments, StateFunction, StateQuestion, Study, coriolis_at_many,
    point_jacobian_at_many,
};
use cardan_base::Id;
use cardan_model::BodyId;
use cardan_program::Host;

use crate::common::choice;

const ARM: &str = "
    gravity = -9.81 [m/s^2] * N.z
    parameter c = 0.3 [N*m*s/rad]
    body base on N by revolute(z, q = a) { mass = 3 [kg]; inertia = (0.1, 0.2, 0.3) [kg*m^2]; center = (0.1, 0, 0.2) [m] }
    body upper on base by revolute(y, q = b) at (0, 0, 0.4) [m] {
      mass = 2 [kg]; inertia = (0.05, 0.06, 0.02) [kg*m^2]; center = (0.3, 0, 0) [m]
    }
    body lower on upper by revolute(y, q = g) at (0.6, 0, 0) [m] {
      mass = 1 [kg]; inertia = (0.01, 0.03, 0.04) [kg*m^2]; center = (0.2, 0.05, 0) [m]
    }
    torque friction on lower from upper = -c * der(g) * upper.y
";
const STATE: [f64; 6] = [0.3, -0.7, 1.1, 0.9, -1.3, 0.6];

fn made() -> (Study, JointSpace) {
    let choice = choice(ARM, &[]);
    (Study::of(&choice, &[]).unwrap(), JointSpace::of(&choice, &Host::new()).unwrap())
}

#[test]
fn inverse_dynamics_undoes_the_motion() {
    let (mut study, mut space) = made();
    let names: Vec<Named> = (0..6).map(|k| study.state(k).0).collect();
    assert_eq!(names[3].name, "der(a)");
    // Nothing is added in a free motion.
    let rates = study.rates(0.0, &STATE).unwrap();
    for tau in space.inverse(&study, (0.0, &STATE), &rates[3..]).unwrap() {
        assert!(tau.abs() < 1e-12, "{tau}");
    }
    // M u̇ + h = τ.
    let mass = study.mass(0.0, &STATE).unwrap();
    let bias = space.bias(&study, 0.0, &STATE).unwrap();
    let wanted = [0.4, -2.0, 1.5];
    let tau = space.inverse(&study, (0.0, &STATE), &wanted).unwrap();
    let mut moved = vec![0.0; 3];
    mass.multiply(&wanted, &mut moved);
    for i in 0..3 {
        assert!((moved[i] + bias[i] - tau[i]).abs() < 1e-12);
    }
}

/// C u + g and the friction are the bias, and Ṁ - 2C is skew-symmetric, with Ṁ by central differences.
#[test]
fn the_coriolis_matrix_is_that_of_the_christoffel_symbols() {
    let (mut study, mut space) = made();
    let (c, bias) = (space.coriolis(&study, 0.0, &STATE).unwrap(), space.bias(&study, 0.0, &STATE).unwrap());
    let gravity = space.gravity(&study, 0.0, &STATE).unwrap();
    let u = &STATE[3..];
    for i in 0..3 {
        let cu: f64 = (0..3).map(|j| c[(i, j)] * u[j]).sum();
        let friction = if i == 2 { 0.3 * u[2] } else { 0.0 };
        assert!((cu + gravity[i] + friction - bias[i]).abs() < 1e-12, "{i}");
    }
    let h = 1e-5;
    let moved = |sign: f64| -> Vec<f64> {
        let mut y = STATE.to_vec();
        (0..3).for_each(|k| y[k] += sign * h * u[k]);
        y
    };
    let (after, before) = (study.mass(0.0, &moved(1.0)).unwrap(), study.mass(0.0, &moved(-1.0)).unwrap());
    for i in 0..3 {
        for j in 0..3 {
            let skew = |i: usize, j: usize| (after[(i, j)] - before[(i, j)]) / (2.0 * h) - 2.0 * c[(i, j)];
            assert!((skew(i, j) + skew(j, i)).abs() < 1e-8, "{i} {j}");
        }
    }
}

/// Gravity of the two outer bodies, by hand at a straight arm: moments of weights about the joints.
#[test]
fn gravity_of_the_straight_arm_is_the_moment_of_its_weights() {
    let (study, mut space) = made();
    let straight = [0.0; 6];
    let g = space.gravity(&study, 0.0, &straight).unwrap();
    // A turn about y lowers what is in front: the motor adds the opposite of m g x.
    let expected = [0.0, -9.81 * (2.0 * 0.3 + 1.0 * (0.6 + 0.2)), -9.81 * 0.2];
    for (found, wanted) in g.iter().zip(expected) {
        assert!((found - wanted).abs() < 1e-12, "{g:?}");
    }
}

/// The Jacobian of a point is the derivative of its place, and that of the attitude the angular velocity.
#[test]
fn jacobians_are_derivatives_of_poses() {
    let (study, mut space) = made();
    let (body, point) = (BodyId::from_index(2), [0.25, -0.1, 0.3]);
    let jacobian = space.jacobian(&study, (0.0, &STATE), body, point).unwrap();
    let mut place = |y: &[f64]| -> [f64; 3] {
        let pose = space.poses(&study, 0.0, y).unwrap()[2];
        std::array::from_fn(|i| pose.origin[i] + (0..3).map(|k| pose.rotation[i][k] * point[k]).sum::<f64>())
    };
    let h = 1e-6;
    for j in 0..3 {
        let (mut after, mut before) = (STATE.to_vec(), STATE.to_vec());
        after[j] += h;
        before[j] -= h;
        let (a, b) = (place(&after), place(&before));
        for i in 0..3 {
            assert!(((a[i] - b[i]) / (2.0 * h) - jacobian[(i, j)]).abs() < 1e-9);
        }
    }
    // The first joint turns about z, the others about the y axis that it has turned.
    let (s, c) = STATE[0].sin_cos();
    let axes = [[0.0, 0.0, 1.0], [-s, c, 0.0], [-s, c, 0.0]];
    for (j, axis) in axes.iter().enumerate() {
        for i in 0..3 {
            assert!((jacobian[(3 + i, j)] - axis[i]).abs() < 1e-12);
        }
    }
}

/// One state at a time, and many in lanes and threads, are the same numbers; they are those of the study.
#[test]
fn functions_of_the_state_agree_at_one_and_at_many_states() {
    let choice = choice(ARM, &[]);
    let mut study = Study::of(&choice, &[]).unwrap();
    let n = 21;
    let x: Vec<f64> = (0..6 * n).map(|k| (1.3 * k as f64).sin()).collect();
    let a: Vec<f64> = (0..3 * n).map(|k| (0.7 * k as f64).cos()).collect();
    for question in StateQuestion::ALL {
        let mut function = StateFunction::of(&choice, &study, question).unwrap();
        assert_eq!(function.len(), function.shape().iter().product::<usize>());
        let accelerations: &[f64] = if function.sizes().2 == 0 { &[] } else { &a };
        let mut all = vec![f64::NAN; n * function.len()];
        let many = ManyArguments { t: &[0.0], x: &x, u: None, accelerations };
        function.at_many(&many, &mut all, 2).unwrap();
        for (k, row) in x.chunks(6).enumerate() {
            let accelerations = accelerations.get(3 * k..3 * k + 3).unwrap_or(&[]);
            let one = StateArguments { t: 0.0, x: row, u: None, accelerations };
            let mut alone = vec![f64::NAN; function.len()];
            function.at(&one, &mut alone).unwrap();
            assert_eq!(alone, all[k * function.len()..][..function.len()], "{question:?}");
            if question == StateQuestion::Rates {
                assert_eq!(alone, study.rates(0.0, row).unwrap());
            }
            if question == StateQuestion::Mass {
                let mass = study.mass(0.0, row).unwrap();
                assert!((0..9).all(|e| alone[e] == mass[(e / 3, e % 3)]));
            }
        }
    }
}

/// What takes several evaluations at each state, in lanes, is what it is at one.
#[test]
fn coriolis_matrices_and_jacobians_at_many_states_are_those_at_each() {
    let choice = choice(ARM, &[]);
    let study = Study::of(&choice, &[]).unwrap();
    let mut space = JointSpace::of(&choice, &Host::new()).unwrap();
    let function = |question| StateFunction::of(&choice, &study, question).unwrap();
    let mut inverse = function(StateQuestion::Inverse);
    let (mut twists, mut poses) = (function(StateQuestion::Twists), function(StateQuestion::Poses));
    let n = 700;
    let x: Vec<f64> = (0..6 * n).map(|k| (1.3 * k as f64).sin()).collect();
    let mut all = vec![f64::NAN; 9 * n];
    coriolis_at_many(&mut inverse, (&[0.0], &x), &mut all, 2).unwrap();
    let mut slopes = vec![f64::NAN; 18 * n];
    let (body, point) = (2, [0.2, -0.1, 0.05]);
    let both = (&mut twists, &mut poses);
    point_jacobian_at_many(both, (&[0.0], &x), (body, point), &mut slopes, 2).unwrap();
    for (k, row) in x.chunks(6).enumerate().step_by(37) {
        let c = space.coriolis(&study, 0.0, row).unwrap();
        let j = space.jacobian(&study, (0.0, row), BodyId::from_index(body), point).unwrap();
        for (e, found) in all[9 * k..9 * (k + 1)].iter().enumerate() {
            assert!((found - c[(e / 3, e % 3)]).abs() < 1e-13, "state {k}: {found}");
        }
        for (e, found) in slopes[18 * k..18 * (k + 1)].iter().enumerate() {
            assert!((found - j[(e / 3, e % 3)]).abs() < 1e-13, "state {k}: {found}");
        }
    }
    let both = (&mut twists, &mut poses);
    assert!(point_jacobian_at_many(both, (&[0.0], &x), (3, point), &mut slopes, 1).is_err());
}

const SWING: &str = "
    gravity = -9.81 [m/s^2] * N.z
    parameter m = 2 [kg], J = 0.3 [kg*m^2], c = 0.3 [N*m*s/rad], L = 0.4 [m]
    body rod on N by revolute(y, q = a) { mass = m; inertia = (0.1 [kg*m^2], J, 0.1 [kg*m^2]); center = (0, 0, -L) }
    torque friction on rod from N = -c * der(a) * N.y
";

/// τ = (J + m L²) a'' + m g L sin a + c a': the regressor by m, J and c, and none where a length is among them.
#[test]
fn the_regressor_of_a_pendulum_has_its_closed_form() {
    let choice = choice(SWING, &[]);
    let study = Study::of(&choice, &[]).unwrap();
    let names = |list: &[&str]| list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let (a, rate, acceleration): (f64, f64, f64) = (0.7, -1.2, 2.5);
    let mut whole = Regressor::of(&choice, &study, &names(&["m", "J", "c"])).unwrap();
    let (y, rest) = whole.at(&study, (0.0, &[a, rate]), &[acceleration]).unwrap();
    let by_mass = 0.16 * acceleration + 9.81 * 0.4 * a.sin();
    for (j, wanted) in [by_mass, acceleration, rate].into_iter().enumerate() {
        assert!((y[(0, j)] - wanted).abs() < 1e-13, "{j}: {} {wanted}", y[(0, j)]);
    }
    assert!(rest[0].abs() < 1e-13);
    // What is not chosen stays in the rest.
    let mut part = Regressor::of(&choice, &study, &names(&["J"])).unwrap();
    let (_, rest) = part.at(&study, (0.0, &[a, rate]), &[acceleration]).unwrap();
    assert!((rest[0] - 2.0 * by_mass - 0.3 * rate).abs() < 1e-13);
    for refused in [&["L"][..], &["m", "L"], &["g"]] {
        assert!(Regressor::of(&choice, &study, &names(refused)).is_err(), "{refused:?}");
    }
}
