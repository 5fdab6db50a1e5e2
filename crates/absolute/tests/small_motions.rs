//! Equilibria and modes by the sparse matrix: closed forms and the formalisms of the tree.

use crate::comparison::{library, model};
use cardan::analysis::{LinearOptions, Study, linearize, modes as modes_of_tree};
use cardan::prelude::*;
use cardan_absolute::AbsoluteMotion;
use cardan_absolute::statics::{Search, equilibrium};
use cardan_absolute::vibration::modes;

/// Frequencies in rad/s of the lowest modes about the equilibrium nearest to the start.
fn frequencies(text: &str, n: usize) -> Vec<(f64, f64)> {
    let model = model(text);
    let mut motion = AbsoluteMotion::of(&model, 0.0).expect("parts");
    let start = motion.start.clone();
    let at = equilibrium(&mut motion.mechanism, 0.0, &start, Search::Nearest).expect("an equilibrium");
    assert!(at.is_balanced, "{:.1e} after {:?} steps", at.residual, at.steps);
    modes(&mut motion.mechanism, 0.0, &at.state, n, None)
        .expect("modes")
        .iter()
        .map(|m| m.eigenvalue)
        .collect()
}

/// A string of n equal masses between two walls: ω_k = 2 √(k/m) sin(k π / (2 (n + 1))) along it.
#[test]
fn a_string_of_masses() {
    let n = 300;
    let text = format!(
        "
        constant n = {n}
        for k in 1 .. n {{
          particle p[k] on N by translate(x) at (k, 0, 0) [m] {{ mass = 1 [kg] }}
        }}
        point e[0] on N = (0, 0, 0) [m]
        point e[n + 1] on N = (n + 1, 0, 0) [m]
        for k in 1 .. n {{ point e[k] on p[k] = (0, 0, 0) [m] }}
        for k in 0 .. n {{
          spring s[k] between e[k] and e[k + 1] {{ stiffness = 400 [N/m]; length = 1 [m] }}
        }}
        "
    );
    for (k, s) in frequencies(&text, 8).iter().enumerate() {
        let exact = 40.0 * ((k + 1) as f64 * std::f64::consts::FRAC_PI_2 / (n + 1) as f64).sin();
        assert!((s.1 - exact).abs() < 1e-7 * exact && s.0.abs() < 1e-7 * exact, "{k}: {s:?}, {exact}");
    }
}

/// Loops, springs, bushings, dampers, loads by expressions: the eigenvalues of the tree.
#[test]
fn modes_are_those_of_the_tree() {
    let damped = "
        gravity = -9.81 [m/s^2] * N.z
        body one on N by revolute(y, q = a) {
          mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; center = (0.3, 0, -0.4) [m]
        }
        body two on one by revolute(x, q = b) at (0, 0, -1) [m] {
          mass = 1 [kg]; inertia = (0.1, 0.2, 0.1) [kg*m^2]; center = (0, 0.1, -0.5) [m]
          point eye = (0, 0, -0.8) [m]
        }
        point wall on N = (1, 0.4, -1) [m]
        spring_damper s between wall and two.eye { stiffness = 60 [N/m]; damping = 3 [N*s/m]; length = 0.7 [m] }
        torsion_spring coil on two from one { stiffness = 5 [N*m/rad] }
        torque drag on one = -0.6 [N*m*s/rad] * der(a) * N.y
    ";
    for (name, text) in [("two bodies", damped.to_owned()), ("four-bar", library("four-bar"))] {
        let model = model(&text);
        let compiled = compile_model(&model, Options::default()).expect("equations");
        let mut study = Study::of(&compiled.choice, &[]).expect("a study");
        let found =
            cardan::analysis::equilibrium(&mut study, 0.0, &Default::default()).expect("an equilibrium");
        let linear = linearize(&mut study, 0.0, &found.state, &LinearOptions::default()).expect("linear");
        let tree = modes_of_tree(&study, &linear).expect("modes");
        let own = frequencies(&text, 2 * tree.modes.len());
        for mode in &tree.modes {
            let (re, im) = mode.eigenvalue;
            let size = re.hypot(im).max(1e-3);
            let gap = own.iter().map(|s| (s.0 - re).hypot(s.1 - im)).fold(f64::INFINITY, f64::min);
            assert!(gap < 1e-6 * size, "{name}: {re} {im} not among {own:?}");
        }
    }
}

/// A chain of rods between two pins hangs as the discrete catenary: the horizontal force is the same in all joints.
#[test]
fn a_chain_hangs() {
    let n = 40;
    let text = format!(
        "
        constant n = {n}
        gravity = -9.81 [m/s^2] * N.y
        for k in 1 .. n {{
          body rod[k] on if k == 1 then N else rod[k - 1] by revolute(z, q = a[k]) at (if k == 1 then 0 else 1, 0, 0) [m] {{
            mass = 1 [kg]; inertia = (0, 1 / 12, 1 / 12) [kg*m^2]; center = (0.5, 0, 0) [m]
            point end = (1, 0, 0) [m]
          }}
        }}
        point pin on N = (0.8 * n, 0, 0) [m]
        joint last = spherical(pin, rod[n].end)
        start {{ for k in 1 .. n {{ a[k] ~ if k == 1 then -30 [deg] else 1.5 [deg] }} }}
        "
    );
    let model = model(&text);
    let mut motion = AbsoluteMotion::of(&model, 0.0).expect("parts");
    let start = motion.start.clone();
    let at = equilibrium(&mut motion.mechanism, 0.0, &start, Search::Downhill).expect("an equilibrium");
    assert!(at.is_balanced, "{:.1e} after {:?} steps", at.residual, at.steps);
    let m = &mut motion.mechanism;
    m.accelerate(0.0, &at.state).expect("reactions");
    // Slopes of the rods: tan φ_k = (n/2 - k + 1/2) w / H for the k-th of n rods of weight w.
    let angle = |k: usize| {
        let r = m.pose(&at.state, k).r;
        (r[1][0] / r[0][0], k as f64)
    };
    let step = angle(1).0 - angle(0).0;
    for k in 0..n {
        let exact = step * (k as f64 - 0.5 * (n as f64 - 1.0));
        assert!((angle(k).0 - exact).abs() < 1e-8, "rod {k}: {} {exact}", angle(k).0);
    }
}
