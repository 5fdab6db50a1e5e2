//! Every joint and element alone, in the tree and as a closing joint, with its reactions.

use crate::comparison::{gap_of_both, model};

/// Two bodies, the second held by the joint.
fn held_by(joint: &str, more: &str) -> String {
    format!(
        "
        gravity = 1.5 [m/s^2] * N.x - 2.5 [m/s^2] * N.y - 9.81 [m/s^2] * N.z
        body base on N by rotate(x = a, y = b) {{
          mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; center = (0.1, -0.2, 0.3) [m]
        }}
        body load on base by {joint} at (0.4, 0.1, -0.3) [m] {{
          mass = 1.2 [kg]; inertia = (0.12, 0.15, 0.2) [kg*m^2]; center = (0.2, 0.1, -0.15) [m]
          point eye = (0.3, -0.1, 0.2) [m]
        }}
        start {{ a = 20 [deg]; b = -15 [deg]; der(a) = 0.7 [rad/s]; der(b) = -0.4 [rad/s] }}
        {more}
        "
    )
}

#[test]
fn joints_of_the_tree() {
    for joint in [
        "revolute(z)",
        "revolute((0.6, 0, 0.8))",
        "prismatic(x)",
        "cylindrical(y)",
        "screw(z, lead = 50 [mm])",
        "planar(z)",
        "universal(xy)",
        "spherical",
        "spherical(rotate = zxz, speeds = rates)",
        "spherical(rotate = xyz)",
        "free",
        "free(rotate = zyx)",
        "translate(x, y, z)",
        "translate(x) rotate(y)",
        "rotate(z) translate(x)",
        "translate(x, y) rotate(z, x)",
        "rotate(x, y, z)",
    ] {
        let mut model = model(&held_by(joint, ""));
        // Reactions of the joints, as far as they say something.
        if !joint.contains("zxz") {
            model.ask_for_reactions();
            let gap = gap_of_both(joint, &model, 0.4);
            assert!(gap < 1e-7, "{joint}: {gap:.1e}");
        }
    }
}

#[test]
fn elements() {
    for element in [
        "spring s between load.eye and N.o { stiffness = 300 [N/m]; length = 0.5 [m] }",
        "damper d between load.eye and N.o { damping = 8 [N*s/m] }",
        "spring_damper s between load.eye and N.o { stiffness = 300 [N/m]; damping = 4 [N*s/m]; length = 0.5 [m] }",
        "torsion_spring coil on load from base { stiffness = 20 [N*m/rad] }",
        "torsion_spring_damper coil on load from base { stiffness = 20 [N*m/rad]; damping = 0.3 [N*m*s/rad] }",
        "bushing g between load.eye and base.o { stiffness = (200, 300, 400) [N/m]; damping = (1, 2, 3) [N*s/m]; \
         torsion_stiffness = (4, 5, 6) [N*m/rad]; torsion_damping = (0.1, 0.2, 0.3) [N*m*s/rad] }",
        "force f on load.eye = 3 [N] * base.x + 2 [N] * sin(3 [rad/s] * t) * N.y",
        "torque m on load from base = -0.5 [N*m*s/rad] * der(h) * base.z",
        "motion m on h = 0.4 [rad] * sin(2 [rad/s] * t)",
        "motion m on h = 0.4 [rad] * sin(2 [rad/s] * t)\noutput effort = m.effort",
    ] {
        let gap = gap_of_both(element, &model(&held_by("revolute(z, q = h)", element)), 0.4);
        assert!(gap < 1e-8, "{element}: {gap:.1e}");
    }
}

/// Two free bodies, the second tied to the first.
fn tied_by(joint: &str) -> String {
    format!(
        "
        gravity = 1.5 [m/s^2] * N.x - 9.81 [m/s^2] * N.z
        body one on N by free {{
          mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; point P = (0.3, 0, 0.1) [m]
        }}
        body two on N by free at (0.3, 0, 0.1) [m] {{
          mass = 1.2 [kg]; inertia = (0.12, 0.15, 0.2) [kg*m^2]; center = (0.2, 0.1, -0.15) [m]
          point Q = (0, 0, 0) [m]
          point R = (0, 0.2, 0.1) [m]
        }}
        spring s between one.P and N.o {{ stiffness = 300 [N/m]; length = 0.2 [m] }}
        joint j = {joint}
        "
    )
}

#[test]
fn closing_joints() {
    for joint in [
        "fixed(one.P, two.Q)",
        "revolute(one.P, two.Q, axis = z)",
        "prismatic(one.P, two.Q, axis = x)",
        "cylindrical(one.P, two.Q, axis = y)",
        "planar(one.P, two.Q, axis = z)",
        "universal(one.P, two.Q, axis = z, second = x)",
        "spherical(one.P, two.Q)",
        "in_plane(one.P, two.Q, axis = z)",
        "on_line(one.P, two.Q, axis = x)",
        "parallel(one.P, two.Q, axis = z)",
        "perpendicular(one.P, two.Q, axis = x, second = y)",
        "distance(one.o, two.R, length = 0.412310562561766 [m])",
        "screw(one.P, two.Q, axis = z, lead = 40 [mm])",
    ] {
        let mut model = model(&tied_by(joint));
        model.ask_for_reactions();
        let gap = gap_of_both(joint, &model, 0.3);
        assert!(gap < 1e-7, "{joint}: {gap:.1e}");
    }
}

/// Three bodies on the ground, two of which a joint between coordinates ties.
#[test]
fn joints_between_coordinates() {
    for joint in [
        "gear(two, one, ratio = -1/3)",
        "belt(two, one, radii = (60, 20) [mm])",
        "rack(bar, one, radius = 20 [mm])",
        "coupler(one, two, factors = (1, 2))",
        "angle(one.o, hand.o, axis = x, angle = 90 [deg])",
    ] {
        let text = format!(
            "
            gravity = 2 [m/s^2] * N.x - 9.81 [m/s^2] * N.y
            body one on N by revolute(z, q = a) {{
              mass = 2 [kg]; inertia = (0.3, 0.4, 0.5) [kg*m^2]; center = (0.1, -0.2, 0) [m]
            }}
            body two on N by revolute(z, q = b) at (1, 0, 0) [m] {{
              mass = 1 [kg]; inertia = (0.1, 0.1, 0.2) [kg*m^2]; center = (-0.1, 0.1, 0) [m]
            }}
            body bar on N by prismatic(x, q = s) {{ mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2] }}
            body hand on two by revolute(y, q = c) at (0, 0, 0.3) [m] {{
              mass = 0.5 [kg]; inertia = (0.02, 0.03, 0.04) [kg*m^2]; center = (0.1, 0, 0.1) [m]
            }}
            torsion_spring coil on one {{ stiffness = 4 [N*m/rad] }}
            joint j = {joint}
            start {{ b ~ 90 [deg] }}
            "
        );
        // A gear counts from where its coordinates vanish.
        let text = if joint.starts_with("angle") { text } else { text.replace("start { b ~ 90 [deg] }", "") };
        let gap = gap_of_both(joint, &model(&text), 0.3);
        assert!(gap < 1e-7, "{joint}: {gap:.1e}");
    }
}

/// A disc that rolls: a row of velocities alone, which implicit methods impose as well.
#[test]
fn rolling_by_backward_differences() {
    use cardan::prelude::*;
    use cardan::sim::ConstraintForm;
    let model = model(&crate::comparison::library("rolling-disc"));
    let settings = Settings { to: 0.3, every: Some(0.3), ..Settings::default() };
    let last = |method: Method, constraints: ConstraintForm| {
        let settings = Settings { method, constraints, rtol: 1e-9, atol: 1e-9, ..settings.clone() };
        let mut motion = cardan_absolute::AbsoluteMotion::of(&model, 0.0).expect("parts");
        let found = motion.run(&settings, &mut ()).expect("a motion");
        assert_eq!(found.ending, Ending::Finished, "{}", found.reason);
        found.rows.row(found.rows.len() - 1).to_vec()
    };
    let exact = last(Method::Dop853, ConstraintForm::Projected);
    for form in [ConstraintForm::Positions, ConstraintForm::Stabilised, ConstraintForm::Projected] {
        let found = last(Method::Bdf, form);
        let n = model.coordinates.len();
        let gap = exact[1..=n].iter().zip(&found[1..=n]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 2e-6, "{form:?}: {gap:.1e}");
    }
}
