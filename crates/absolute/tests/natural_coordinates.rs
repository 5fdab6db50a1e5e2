//! Natural coordinates: the counts of COMPAMM, a constant mass matrix, motions as by the tree.

use crate::comparison::{difference_of, library, model};
use cardan_absolute::AbsoluteMotion;
use cardan_testkit::mechanism::{Loops, random_mechanism};

/// A spatial four-bar: crank on a pin, coupler on a ball, sleeve on the coupler's rod, rocker on a
/// pin (Jiménez and others, COMPAMM, Fig. 1).
/// The mass of the coupler lies in the plane of its rod and ball.
const RSCR: &str = "
gravity = -9.81 [m/s^2] * N.z
body crank on N by revolute((0.1, 0.2, 1), q = alpha) at (0.05, -0.1, 0.02) [m] {
  mass = 1 [kg]; inertia = (0.02, 0.03, 0.04) [kg*m^2]; center = (0.1, 0.05, 0.02) [m]
}
body coupler on crank by spherical at (0.2, 0.05, 0.03) [m] {
  mass = 2 [kg]; inertia = (0.04, 0.06, 0.1) [kg*m^2]; center = (0.25, 0.1, 0) [m]
  point rod = (0.5, 0.1, 0) [m]
}
body rocker on N by revolute((1, 0.2, 0.3), q = beta) at (0.7, 0.4, -0.3) [m] {
  mass = 1.5 [kg]; inertia = (0.05, 0.04, 0.03) [kg*m^2]; center = (0.02, 0.1, 0.1) [m]
  point sleeve = (0.1, 0.05, 0.35) [m]
}
joint slide = cylindrical(coupler.rod, rocker.sleeve, axis = y, second = z)
start { alpha = 10 [deg]; der(alpha) = 2 [rad/s] }
";

/// A robot of five freedoms with six movable points and three movable unit vectors, as the handbook
/// counts for its own.
const ROBOT: &str = "
gravity = -9.81 [m/s^2] * N.z
body column on N by revolute(z, q = q1) {
  mass = 20 [kg]; inertia = (1, 1.1, 0.5) [kg*m^2]; center = (0.05, 0.01, 0.4) [m]
}
body arm on column by revolute(y, q = q2) at (0.2, 0, 0.8) [m] {
  mass = 8 [kg]; inertia = (0.1, 0.4, 0.45) [kg*m^2]; center = (0.3, 0.02, 0.03) [m]
}
body boom on arm by prismatic(x, q = q3) at (0.4, 0, 0.1) [m] {
  mass = 5 [kg]; inertia = (0.05, 0.3, 0.31) [kg*m^2]; center = (0.2, 0, 0.02) [m]
}
body wrist on boom by revolute(y, q = q4) at (0.5, 0, 0.1) [m] {
  mass = 2 [kg]; inertia = (0.01, 0.02, 0.02) [kg*m^2]; center = (0.05, 0.01, 0.01) [m]
}
body hand on wrist by revolute(x, q = q5) at (0.1, 0, 0.05) [m] {
  mass = 1 [kg]; inertia = (0.004, 0.009, 0.005) [kg*m^2]; center = (0.1, 0, 0.04) [m]
}
torque hold on q2 = -60 [N*m/rad] * q2 - 5 [N*m*s] * der(q2)
force push on q3 = -400 [N/m] * q3
torque turn on q1 = 3 [N*m] * sin(4 [rad/s] * t)
start { q1 = 20 [deg]; q2 = -30 [deg]; q3 = 0.1 [m]; q4 = 15 [deg]; q5 = 40 [deg]; der(q5) = 3 [rad/s]; der(q1) = 1 [rad/s] }
";

#[test]
fn spatial_four_bar_has_the_counts_of_compamm() {
    let model = model(RSCR);
    let natural = AbsoluteMotion::of(&model, 0.0).expect("parts").natural().expect("coordinates");
    let counts = (natural.n_coordinates(), natural.n_nonzeros(), natural.n_operations());
    assert_eq!(counts, (12, 57, 12), "{} points, {} vectors", natural.n_points(), natural.n_vectors());
}

#[test]
fn robot_of_five_freedoms_has_six_points_and_three_vectors() {
    let model = model(ROBOT);
    let natural = AbsoluteMotion::of(&model, 0.0).expect("parts").natural().expect("coordinates");
    assert_eq!((natural.n_points(), natural.n_vectors()), (6, 3));
    let gap = difference_of(&model, 0.5, true).expect("a motion");
    assert!(gap < 1e-7, "{gap:.1e}");
}

/// Twice the kinetic energy is v·M v with the same M at all times.
#[test]
fn the_mass_matrix_is_constant() {
    for text in [RSCR, ROBOT] {
        let model = model(text);
        let mut motion = AbsoluteMotion::of(&model, 0.0).expect("parts");
        let natural = motion.natural().expect("coordinates");
        let start = motion.start.clone();
        let mut y = start.clone();
        // Another state on the constraints.
        let mut dy = vec![0.0; y.len()];
        motion.mechanism.derivative(0.0, &y, &mut dy).expect("a slope");
        y.iter_mut().zip(&dy).for_each(|(y, d)| *y += 0.02 * d);
        motion.mechanism.project(0.02, &mut y).expect("a projection");
        for state in [start, y] {
            let (kinetic, _) = motion.mechanism.energies(&state);
            let own = natural.state_of(&motion.mechanism, &state);
            let v = &own[natural.n_coordinates()..];
            let twice: f64 = natural.mass().iter().map(|(i, j, m)| m * v[*i] * v[*j]).sum();
            assert!((0.5 * twice - kinetic).abs() < 1e-9 * kinetic, "{twice}, {kinetic}");
        }
    }
}

#[test]
fn spatial_four_bar_moves_as_by_the_tree() {
    let mut model = model(RSCR);
    model.ask_for_reactions();
    let gap = difference_of(&model, 0.3, true).expect("a motion");
    assert!(gap < 1e-7, "{gap:.1e}");
}

#[test]
fn models_of_the_library_move_alike() {
    for (name, to) in [
        ("pendulum", 2.0),
        ("heavy-top", 0.5),
        ("four-bar", 1.0),
        ("slider-crank", 0.05),
        ("spatial-slider-crank", 0.2),
        ("squeezer", 0.01),
        ("door", 0.2),
        ("handbook-robot", 0.2),
        ("n-pendulum", 0.2),
        ("six-axis-arm", 0.2),
        ("large/double-pendulum", 1.8),
        ("large/mass-spring", 1.0),
    ] {
        let gap = difference_of(&model(&library(name)), to, true).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(gap < 1e-8, "{name}: {gap:.1e}");
    }
}

#[test]
fn random_mechanisms_move_alike() {
    let (mut compared, mut refused) = (0, vec![]);
    for seed in 0..25 {
        for kind in [Loops::Planar, Loops::Spatial] {
            match difference_of(&random_mechanism(seed, kind), 0.1, true) {
                Ok(gap) => {
                    assert!(gap < 1e-7, "seed {seed}, {kind:?}: {gap:.1e}");
                    compared += 1;
                }
                Err(why) => refused.push(format!("seed {seed}, {kind:?}: {why}")),
            }
        }
    }
    let wrong: Vec<&String> =
        refused.iter().filter(|w| !w.contains("do not apply") && !w.contains("tree:")).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 25, "{compared} compared, {refused:#?}");
}
