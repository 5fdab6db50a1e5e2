//! Multistep formulas on constrained motions near rounding, near singular positions and through many switches.

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

const FORMS: [ConstraintForm; 3] =
    [ConstraintForm::Projected, ConstraintForm::Stabilised, ConstraintForm::Partitioned];

/// A model and its settings, compiled for all forms.
fn prepared(text: &str) -> (Compiled, Settings) {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let compiled = compile_model(&model, Options::default())
        .and_then(|c| c.for_constraints(ConstraintForm::Stabilised))
        .and_then(|c| c.for_constraints(ConstraintForm::Partitioned))
        .unwrap_or_else(|e| panic!("{e}"));
    (compiled, Settings::of(&model, &ParameterValues::of(&model)).expect("good settings"))
}

/// A Delta robot falls; near 0.63 s an arm and its rods are nearly in line, and the arm is thrown back within a hundredth of a second. The platform does not turn, so that
/// its angular speeds are nothing but rounding.
const DELTA: &str = "
model delta
parameter f = 0.2 [m] \"base\", L = 0.3 [m] \"arm\", R = 0.8 [m] \"rod\", e = 0.05 [m] \"platform\", w = 0.06 [m] \"half width of a parallelogram\"
gravity = -9.81 [m/s^2] * N.z
frame b1 on N by fixed(rotate = xyz, angles = (0, 0, 0) [deg])
frame b2 on N by fixed(rotate = xyz, angles = (0, 0, 120) [deg])
frame b3 on N by fixed(rotate = xyz, angles = (0, 0, 240) [deg])
body a1 on b1 by revolute(y, q = q1) at (f, 0, 0) { mass = 0.5 [kg]; inertia = (0, 5e-3, 5e-3) [kg*m^2]; center = (L/2, 0, 0); point p = (L, w, 0); point n = (L, -w, 0) }
body a2 on b2 by revolute(y, q = q2) at (f, 0, 0) { mass = 0.5 [kg]; inertia = (0, 5e-3, 5e-3) [kg*m^2]; center = (L/2, 0, 0); point p = (L, w, 0); point n = (L, -w, 0) }
body a3 on b3 by revolute(y, q = q3) at (f, 0, 0) { mass = 0.5 [kg]; inertia = (0, 5e-3, 5e-3) [kg*m^2]; center = (L/2, 0, 0); point p = (L, w, 0); point n = (L, -w, 0) }
body P on N by free(rotate = xyz, q = (x, y, z, r1, r2, r3)) { mass = 1.5 [kg]; inertia = (4e-3, 4e-3, 8e-3) [kg*m^2] }
frame c2 on P by fixed(rotate = xyz, angles = (0, 0, 120) [deg])
frame c3 on P by fixed(rotate = xyz, angles = (0, 0, 240) [deg])
joint d1p = distance(a1.p, P(e, w, 0), length = R)
joint d1n = distance(a1.n, P(e, -w, 0), length = R)
joint d2p = distance(a2.p, c2(e, w, 0), length = R)
joint d2n = distance(a2.n, c2(e, -w, 0), length = R)
joint d3p = distance(a3.p, c3(e, w, 0), length = R)
joint d3n = distance(a3.n, c3(e, -w, 0), length = R)
start { z ~ -0.8 [m]; q1 = 0.2; q2 = 0.3; q3 = 0.1 }
simulate { to = 0.9 [s], every = 0.01 [s] }
";

#[test]
fn a_delta_robot_is_followed_past_a_position_in_line() {
    let (compiled, settings) = prepared(DELTA);
    let run = |method: Method, constraints: ConstraintForm| {
        let settings = Settings { method, constraints, max_steps: 100_000, ..settings.clone() };
        compiled.simulation.run(&settings, &mut ()).expect("it starts")
    };
    let reference = run(Method::Dop853, ConstraintForm::Projected);
    for form in [ConstraintForm::Projected, ConstraintForm::Partitioned] {
        let run = run(Method::Bdf, form);
        let what = format!("{}: {} at {} s", form.name(), run.reason, run.reached);
        assert!(
            run.ending == Ending::Finished && run.statistics.accepted < 10_000,
            "{what} {:?}",
            run.statistics
        );
        assert!(run.audit.relative() < 1e-6, "{what}: {}", run.audit);
        for name in ["q1", "q2", "q3", "z"] {
            let gap = run.last(name).expect("a coordinate") - reference.last(name).expect("a coordinate");
            assert!(gap.abs() < 1e-4, "{what}, {name}: {gap:e}");
        }
    }
}

/// Ten seconds of a Geneva drive: the pin enters and leaves a slot some thirty times, and the angle of the crank grows to 200 rad while what counts of it is the
/// rest beyond whole turns.
#[test]
fn a_geneva_drive_keeps_its_pace() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/geneva.mbs");
    let (compiled, settings) = prepared(&std::fs::read_to_string(path).expect("a model of the library"));
    for constraints in FORMS {
        let settings =
            Settings { to: 10.0, every: Some(0.01), method: Method::Bdf, constraints, ..settings.clone() };
        let run = compiled.simulation.run(&settings, &mut ()).expect("it starts");
        let what = format!("{}: {} at {} s", constraints.name(), run.reason, run.reached);
        assert!(
            run.ending == Ending::Finished && run.statistics.accepted < 50_000,
            "{what} {:?}",
            run.statistics
        );
        assert!(run.audit.relative() < 1e-7, "{what}: {}", run.audit);
        let (position, velocity) = run.left_open.expect("a loop");
        assert!(position < 1e-13 && velocity < 1e-13, "{what}: {position:e} {velocity:e}");
    }
}
