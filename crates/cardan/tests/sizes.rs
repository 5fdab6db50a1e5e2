//! Mechanisms of every size move alike, and rows that say nothing hold nothing.

use cardan::prelude::*;
use cardan::sim::ConstraintForm;
use cardan_testkit::{Loops, random_mechanism};

/// A four-bar linkage whose lengths and gravity grow together: its angles do not depend on the size.
fn last_angle(size: &str) -> f64 {
    let text = format!(
        "model linkage
        parameter L = {size} [m]
        parameter m = 1 [kg]
        gravity = -9.81 [1/s^2] * L * N.y
        body a on N by rotate(z = qa) {{ mass = m; inertia = (0, 0, m*L^2/12); center = (L/2, 0, 0); point e = (L, 0, 0) }}
        body c on N by rotate(z = qc) at (3*L, 0, 0) {{ mass = m; inertia = (0, 0, m*L^2/3); center = (L, 0, 0); point e = (2*L, 0, 0) }}
        body k on a by rotate(z = qk) at a.e {{ mass = m; inertia = (0, 0, 0.6*m*L^2); center = (1.25*L, 0, 0); point e = (2.5*L, 0, 0) }}
        joint j = revolute(k.e, c.e, axis = z)
        start {{ qa = 1; qc ~ 1.8; qk ~ -0.5; der(qa) = 5 [rad/s] }}
        simulate {{ to = 3 [s] }}"
    );
    let compiled = compile("linkage.mbs", &text).unwrap_or_else(|e| panic!("{size}: {e}"));
    let settings = Settings { to: 3.0, ..Settings::default() };
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{size}: {e}"));
    assert_eq!(run.ending, Ending::Finished, "{size}: {}", run.reason);
    *run.series("qa").expect("a coordinate").last().expect("a sample")
}

#[test]
fn a_linkage_of_a_picometre_and_one_of_a_million_kilometres_move_alike() {
    let usual = last_angle("1");
    for size in ["1e-12", "1e-9", "1e-6", "1e-3", "1e3", "1e6", "1e9"] {
        let found = last_angle(size);
        assert!((found - usual).abs() < 1e-8, "{size}: {found} against {usual}");
    }
}

/// Two of this mechanism's rows vanish wherever the others hold; what rounding leaves of them must not stop the second angle.
#[test]
fn rows_of_rounding_hold_nothing() {
    let model = random_mechanism(534, Loops::Spatial);
    let compiled = compile_model(&model, Options::default()).expect("a mechanism");
    assert_eq!(compiled.choice.loops.as_ref().expect("loops").redundant.len(), 2);
    let motion = |compiled: &Compiled, constraints: ConstraintForm| {
        let settings = Settings { to: 0.3, constraints, ..Settings::default() };
        compiled.simulation.run(&settings, &mut ()).expect("a start")
    };
    let speed =
        |run: &Trajectory| run.series("der(B0.q2)").expect("a speed").last().copied().expect("a sample");
    let projected = motion(&compiled, ConstraintForm::Projected);
    assert!(projected.audit.relative() < 1e-9, "{}", projected.audit);
    // The partitioned form finds its rows by pivots of its own.
    let other = compiled.for_constraints(ConstraintForm::Partitioned).expect("another form");
    let partitioned = motion(&other, ConstraintForm::Partitioned);
    let (a, b) = (speed(&projected), speed(&partitioned));
    assert!(b.abs() > 0.1 && (a - b).abs() < 1e-8, "projected {a}, partitioned {b}");
}
