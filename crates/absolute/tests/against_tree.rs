//! Models of the library in absolute coordinates against the tree.

use crate::comparison::{gap, library, model};

#[test]
fn models_of_the_library_move_alike() {
    for (name, to) in [
        ("pendulum", 2.0),
        ("heavy-top", 0.5),
        ("four-bar", 1.0),
        ("slider-crank", 0.05),
        ("spatial-slider-crank", 0.2),
        ("squeezer", 0.01),
        ("cam-gear", 0.05),
        ("flat-cam", 0.05),
        ("door", 0.2),
        ("handbook-robot", 0.2),
        ("light-cart-pole", 0.3),
        ("n-pendulum", 0.2),
        ("rolling-disc", 0.5),
        ("six-axis-arm", 0.2),
        ("whipple-bicycle", 0.2),
    ] {
        let gap = gap(name, &model(&library(name)), to);
        assert!(gap < 1e-8, "{name}: {gap:.1e}");
    }
}

/// Fig. 10 of Koh and Park, with the angular velocity that their text gives.
#[test]
fn double_pendulum_of_koh_and_park() {
    let text = "
        gravity = -9.81 [m/s^2] * N.y
        body bar on N by rotate(z = q1) {
          mass = 1 [kg]; inertia = (8.33e-2, 5e-5, 8.33e-2) [kg*m^2]; center = (0, -0.5, 0) [m]
        }
        body bar2 on bar by rotate(z = q2) at (0, -1, 0) [m] {
          mass = 1 [kg]; inertia = (8.33e-2, 5e-5, 8.33e-2) [kg*m^2]; center = (0, -0.5, 0) [m]
        }
        torsion_spring spring on bar { stiffness = 10 [N*m/rad] }
        start { der(q1) = 10 [rad/s] }
    ";
    let gap = gap("double pendulum", &model(text), 1.8);
    assert!(gap < 1e-8, "{gap:.1e}");
}
