//! Closed loops by every implicit method and in both forms of the constraints.

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::{ConstraintForm, Verdict};
use cardan::solve::Method;

fn library(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    std::fs::read_to_string(path).expect("a model of the library")
}

fn prepared(text: &str) -> (Compiled, Settings) {
    let model = resolve(parse("loops.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let compiled = compile_model(&model, Options::default())
        .and_then(|c| c.for_constraints(ConstraintForm::Stabilised))
        .unwrap_or_else(|e| panic!("{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (compiled, settings)
}

const WAYS: [(Method, ConstraintForm); 4] = [
    (Method::Radau5, ConstraintForm::Projected),
    (Method::Bdf, ConstraintForm::Projected),
    (Method::Radau5, ConstraintForm::Stabilised),
    (Method::Bdf, ConstraintForm::Stabilised),
];

/// What rounding allows of the squeezer's residuals. Positions are sums of lengths up to 80 mm: 80 mm · ε = 2e-17 m, a few times. A velocity
/// residual Σ G_ij u_j has terms up to 28 mm · 1300 rad/s = 36 m/s, which cancel: crank against coupler, and two more links of each loop. Each
/// speed is a rounded number, so that a term is known to 36 m/s · ε/2, and a row of four to 36 m/s · 4 · ε = 3.2e-14 m/s with the rounding of the sum.
fn assert_closed(run: &Trajectory, way: &str) {
    let (position, velocity) = run.left_open.expect("a model with loops");
    let (lengths, speeds) = (0.08 * f64::EPSILON, 0.028 * 1300.0 * f64::EPSILON);
    assert!(position < 16.0 * lengths && velocity < 4.0 * speeds, "{way}: {position:e} {velocity:e}");
    assert!(position < 1e-13 && velocity < 1e-13);
}

/// The squeezer as its own text asks for it, rtol 1e-12 and atol 1e-15: speeds of some links vanish while the crank does 1000 rad/s and are not known to that
/// then, which is said once. All forms and methods come to the end, where it is known.
#[test]
fn the_squeezer_is_followed_to_rounding() {
    let (compiled, settings) = prepared(&library("squeezer.mbs"));
    let compiled = compiled.for_constraints(ConstraintForm::Partitioned).unwrap_or_else(|e| panic!("{e}"));
    for constraints in [ConstraintForm::Projected, ConstraintForm::Stabilised, ConstraintForm::Partitioned] {
        for method in [Method::Dop853, Method::Radau5, Method::Bdf] {
            if constraints == ConstraintForm::Stabilised && method == Method::Dop853 {
                continue;
            }
            let settings = Settings { method, constraints, ..settings.clone() };
            let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
            let way = format!("{method} {}", constraints.name());
            let beta = run.last("beta").expect("a coordinate");
            assert!((beta - 15.810771195153707).abs() < 1e-8, "{way}: {beta} {}", run.reason);
            assert_closed(&run, &way);
            let said = run.warnings.iter().filter(|w| w.contains("less than numbers can tell")).count();
            assert_eq!(said, usize::from(method == Method::Bdf), "{way}: {:?}", run.warnings);
        }
    }
}

/// β at 0.03 s in quadruple precision; rounding of the handbook's data is not in it.
#[test]
fn the_squeezer_arrives_where_it_is_known_to() {
    let (compiled, settings) = prepared(&library("squeezer.mbs"));
    for (method, constraints) in WAYS {
        let settings = Settings { method, constraints, rtol: 1e-9, atol: 1e-9, ..settings.clone() };
        let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
        let beta = run.last("beta").expect("a coordinate");
        let way = format!("{method} {}", constraints.name());
        assert!((beta - 15.810771195153707).abs() < 1e-6, "{way}: {beta} {}", run.reason);
        assert_closed(&run, &way);
        assert!(run.audit.relative() < 1e-6, "{way}: {}", run.audit);
    }
}

/// Runs that agree in value although they share neither method nor unknowns.
fn assert_agree(text: &str, names: &[&str], tolerance: f64, settings: Settings) {
    let (compiled, _) = prepared(text);
    let reference = Settings { method: Method::Auto, rtol: 1e-11, atol: 1e-13, ..settings.clone() };
    let reference = compiled.simulation.run(&reference, &mut ()).expect("it starts");
    for (method, constraints) in WAYS {
        let run = Settings { method, constraints, ..settings.clone() };
        let run = compiled.simulation.run(&run, &mut ()).expect("it starts");
        for name in names {
            let (a, b) = (run.series(name), reference.series(name));
            let (a, b) = (a.expect("a result"), b.expect("a result"));
            assert_eq!(a.len(), b.len(), "{method} {}: {}", constraints.name(), run.reason);
            let gap = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < tolerance, "{method} {} {name}: {gap:e}", constraints.name());
        }
        assert!(!matches!(run.audit.verdict(), Verdict::Fails), "{method}: {}", run.audit);
    }
}

/// A pin that is nearly rigid against sliding along the crank, and a torque that jumps: stiff, closed, with a breakpoint.
#[test]
fn a_stiff_four_bar_with_a_jump_agrees_in_all_forms() {
    let text = library("four-bar.mbs")
        + "
torsion_damper bearing between rocker and N { damping = 20 [N*m*s/rad] }
torque push on crank from N = if t < 0.25 [s] then 200 [N*m] * N.z else -100 [N*m] * N.z
";
    let settings = Settings { to: 0.5, rtol: 1e-9, atol: 1e-10, every: Some(0.01), ..Settings::default() };
    assert_agree(&text, &["phi", "theta", "der(phi)"], 1e-4, settings);
}

/// Three coordinates on a sphere through Euler parameters and a loop: q̇ is not u, and quadruples are scaled.
#[test]
fn a_ball_joint_in_a_loop_agrees_in_all_forms() {
    let text = "
model tethered
gravity = -9.81 [m/s^2] * N.z
body arm on N by spherical(rotate = euler_parameters) { mass = 1 [kg]; inertia = (0.02, 0.1, 0.1) [kg*m^2]; center = (0.5, 0, 0) [m]; point end = (1, 0, 0) [m] }
body link on N by revolute(y, q = p) at (0, 0.5, 0) [m] { mass = 0.5 [kg]; inertia = (0.01, 0.05, 0.05) [kg*m^2]; center = (0.4, 0, 0) [m]; point end = (0.8, 0, 0) [m] }
joint tie = distance(arm.end, link.end, length = 0.6 [m])
start { p = 20 [deg] }
output height = dot(position(N.o, arm.end), N.z)
";
    let settings = Settings { to: 1.0, rtol: 1e-8, atol: 1e-9, every: Some(0.02), ..Settings::default() };
    assert_agree(text, &["p", "height"], 1e-4, settings);
}

/// Watt's governor with springs for coupler rods (IFToMM library, A05): shaft and rods of 1 m x 1 cm x 1 cm and a slider of 10 cm, all of
/// 3000 kg/m^3; balls of 5 kg; springs of 8e5 N/m with 4e4 N s/m from the middle of the rods to the slider. A tree, and very stiff.
const GOVERNOR: &str = "
model governor
gravity = -9.81 [m/s^2] * N.z
body shaft on N by rotate(z = psi) { mass = 0.3 [kg]; inertia = (0.025, 0.025, 5e-6) [kg*m^2]; center = (0, 0, -0.5) [m] }
body left on shaft by rotate(y = alpha) {
  mass = 5.3 [kg]; inertia = (5e-6, 0.0957547, 0.0957547) [kg*m^2]; center = (0.971698113, 0, 0) [m]
  point middle = (0.5, 0, 0) [m]
}
body right on shaft by rotate(y = beta) {
  mass = 5.3 [kg]; inertia = (5e-6, 0.0957547, 0.0957547) [kg*m^2]; center = (-0.971698113, 0, 0) [m]
  point middle = (-0.5, 0, 0) [m]
}
body slider on shaft by translate(z = s) { mass = 3 [kg]; inertia = (0.005, 0.005, 0.005) [kg*m^2] }
spring_damper one between left.middle and slider.o { stiffness = 8e5 [N/m]; damping = 4e4 [N*s/m]; length = 0.5 [m] }
spring_damper two between right.middle and slider.o { stiffness = 8e5 [N/m]; damping = 4e4 [N*s/m]; length = 0.5 [m] }
start { der(psi) = 6.283185307179586 [rad/s]; alpha = 30 [deg]; beta = -30 [deg]; s = -0.5 [m] }
";

#[test]
fn the_stiff_governor_turns_alike_by_all_methods() {
    let (compiled, _) = prepared(GOVERNOR);
    let settings = Settings { to: 2.0, every: Some(0.02), ..Settings::default() };
    let run = |method: Method, rtol: f64| {
        let settings = Settings { method, rtol, atol: 0.1 * rtol, ..settings.clone() };
        compiled.simulation.run(&settings, &mut ()).expect("it starts")
    };
    let reference = run(Method::Radau5, 1e-11);
    let slider = reference.series("s").expect("a coordinate");
    // The balls fly out and lift the slider by a fifth of a metre.
    let highest = slider.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!((-0.3..-0.28).contains(&highest), "{highest}");
    let (bdf, auto) = (run(Method::Bdf, 1e-9), run(Method::Auto, 1e-9));
    for other in [&bdf, &auto] {
        let s = other.series("s").expect("a coordinate");
        assert_eq!(s.len(), slider.len(), "{}", other.reason);
        let gap = s.iter().zip(&slider).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-5, "{gap:e}");
        // No moment about the axis: the angular momentum stays, and the energy audit sees what the dampers take.
        assert!(other.audit.relative() < 1e-5, "{}", other.audit);
    }
    // The automatic choice finds the stiffness and gives its reason.
    assert!(auto.switches.iter().any(|w| w.to == Method::Radau5), "{:?}", auto.switches);
    assert!(
        bdf.statistics.evaluations < auto.statistics.evaluations,
        "{:?} {:?}",
        bdf.statistics,
        auto.statistics
    );
}

#[test]
fn an_explicit_method_and_stabilised_constraints_exclude_one_another() {
    let (compiled, settings) = prepared(&library("four-bar.mbs"));
    let settings = Settings { method: Method::Dop853, constraints: ConstraintForm::Stabilised, ..settings };
    let error = compiled.simulation.run(&settings, &mut ()).map(|_| ()).expect_err("an explicit method");
    assert!(
        error.to_string().contains("needs an implicit method (radau5 or bdf), and dop853 is explicit"),
        "{error}"
    );
    // Settled by itself: the automatic choice is implicit, with its reason.
    let settings = Settings { method: Method::Auto, to: 0.1, ..settings };
    let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
    assert_eq!(run.switches[0].to, Method::Radau5);
    assert_eq!(run.switches[0].reason, "unknowns without derivative need an implicit method");
}
