//! Forces at points that move on their bodies: they act on the particle that is there, and their work is in the balance.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn run(text: &str) -> Trajectory {
    let model = resolve(parse("moving.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{text}\n{e:?}"))
}

const ARM: &str = "gravity = -9.81 [m/s^2]*N.y
body arm on N by revolute(z, q = phi) { mass = 1 [kg]; inertia = (0,0,0.1) [kg*m^2]; center = (0.5,0,0) [m] }
simulate { to = 0.3 [s], every = 0.1 [s] }
";

#[test]
fn the_balance_holds_where_ends_of_springs_move_on_their_bodies() {
    for element in [
        "point P on arm = (0.5 [m] + 0.2 [m]*phi)*arm.x\nspring k between P and N(1,1,0) [m] { stiffness = 50 [N/m]; length = 0.2 [m] }",
        "point P on arm = (0.5 [m] + 0.2 [m]*phi)*arm.x\nspring_damper k between P and N(1,1,0) [m] { stiffness = 50 [N/m]; damping = 3 [N*s/m]; length = 0.2 [m] }",
        "point P on arm = (0.5 [m] + 2 [m/s]*t)*arm.x\nspring k between P and N(1,1,0) [m] { stiffness = 50 [N/m]; length = 0.2 [m] }",
        "point P on N = (1 [m] + 0.3 [m]*sin(9 [rad/s]*t))*N.x\nspring k between arm.cm and P { stiffness = 50 [N/m]; length = 0.2 [m] }",
        "point P on arm = (0.5 [m] + 0.2 [m]*phi)*arm.x\nbushing k between P and N(1,1,0) [m] { stiffness = (50, 20, 10) [N/m] }",
        "point P on arm = (0.5 [m] + 0.2 [m]*phi)*arm.x\nforce f on P = 3 [N]*N.y",
    ] {
        let motion = run(&format!("{ARM}{element}\n"));
        assert_eq!(motion.audit.verdict(), Verdict::Holds, "{element}\n{}", motion.audit);
    }
}

/// The spring acts on the particle of the arm at its end: the generalised force is F·(z × r), whatever the point does next.
#[test]
fn a_force_acts_on_the_particle_at_its_point() {
    let motion = run(&format!(
        "{ARM}point P on arm = (0.5 [m] + 0.2 [m]*phi)*arm.x
         force f on P = 3 [N]*N.y
         output a = der(arm.u)"
    ));
    let a = motion.series("a").expect("a")[0];
    assert!((a - (3.0 * 0.5 - 9.81 * 0.5) / 0.35).abs() < 1e-12, "{a}");
}
