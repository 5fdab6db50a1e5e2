//! Angles with counted turns: continuous through any number of turns, both ways.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn run(text: &str) -> Trajectory {
    let model = resolve(parse("turns.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    let motion = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{text}\n{e:?}"));
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    motion
}

const ROTOR: &str = "mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]";

#[test]
fn an_unwrapped_angle_is_the_angle_of_the_pin() {
    let motion = run(&format!(
        "body rotor on N by revolute(z, q = phi) {{ {ROTOR} }}
         torque drive on rotor from N = 40 [N*m]*cos(2 [rad/s]*t)*N.z
         output turned = unwrapped_angle(N.x, rotor.x, N.z), again = unwrapped_angle(N.x, rotor.x, N.z)
         start {{ phi = 170 [deg]; der(phi) = 2 [rad/s] }}
         simulate {{ to = 6 [s], every = 0.01 [s] }}"
    ));
    let (phi, turned) = (motion.series("phi").expect("phi"), motion.series("turned").expect("turned"));
    let spread = phi.iter().fold(f64::MIN, |m, x| m.max(*x)) - phi.iter().fold(f64::MAX, |m, x| m.min(*x));
    assert!(spread > 12.0, "the rotor turns twice and back: {spread}");
    for (a, b) in phi.iter().zip(&turned) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

/// A torsion spring on a body without a pin winds up over several turns, with the energy of the one on a pin.
#[test]
fn a_torsion_spring_winds_up_over_turns() {
    let spring = "torsion_spring s between rotor and N { stiffness = 0.5 [N*m/rad]; axis = N.z }";
    let simulate = "simulate { to = 20 [s], every = 0.05 [s], rtol = 1e-10, atol = 1e-10 }";
    let free = run(&format!(
        "body rotor on N by free(rotate = euler_parameters) {{ {ROTOR} }}
         {spring}
         output turned = s.angle
         start {{ rotor.u6 = 10 [rad/s] }}
         {simulate}"
    ));
    let pinned = run(&format!(
        "body rotor on N by revolute(z, q = phi) {{ {ROTOR} }}
         torsion_spring s between rotor and N {{ stiffness = 0.5 [N*m/rad] }}
         start {{ der(phi) = 10 [rad/s] }}
         {simulate}"
    ));
    let (turned, phi) = (free.series("turned").expect("turned"), pinned.series("phi").expect("phi"));
    let most = phi.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!(most > 14.0, "it winds up by more than two turns: {most}");
    for (a, b) in phi.iter().zip(&turned) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    assert_eq!(free.audit.verdict(), Verdict::Holds, "{}", free.audit);
}

/// A principal value in a load is told; in an output it is not.
#[test]
fn a_principal_value_in_a_load_is_warned_of() {
    let told = |line: &str| {
        let text = format!("body rotor on N by spherical() {{ {ROTOR} }}\n{line}");
        let resolved = resolve(parse("turns.mbs", &text));
        resolved.diagnostics.iter().filter(|d| d.code.0 == "M040").count()
    };
    assert_eq!(told("torque s on rotor from N = -1 [N*m/rad]*angle(N.x, rotor.x, N.z)*N.z"), 1);
    assert_eq!(told("torque s on rotor from N = -1 [N*m/rad]*unwrapped_angle(N.x, rotor.x, N.z)*N.z"), 0);
    assert_eq!(told("output a = angle(N.x, rotor.x, N.z)"), 0);
}
