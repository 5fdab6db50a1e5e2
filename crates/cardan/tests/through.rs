//! Mechanisms through singular positions, in every form and by every method, against trees that have no such position.
//!
//! The models are in `through/`. Where there is no tree to compare with, forms and descriptions of the same mechanism are compared with
//! one another, and the energy is audited.

use std::fs;
use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

use ConstraintForm::{Auto, Baumgarte, Closed, Partitioned, Projected, Stabilised};

/// A motion through singular positions.
struct Case {
    model: &'static str,
    /// What tells where it should end: another model.
    like: &'static str,
    /// What is compared, and how much it may differ.
    names: &'static [&'static str],
    within: f64,
    /// Energy that may be missing, as a part of what moved.
    energy: f64,
    /// How many singular positions are told, and of which constraints.
    passages: usize,
    constraints: &'static [&'static str],
    /// Which ways are tried.
    ways: &'static [(ConstraintForm, Method)],
}

const EVERY: &[(ConstraintForm, Method)] = &[
    (Auto, Method::Auto),
    (Projected, Method::Dopri5),
    (Projected, Method::Dop853),
    (Projected, Method::Radau5),
    (Projected, Method::Bdf),
    (Partitioned, Method::Auto),
    (Partitioned, Method::Radau5),
    (Baumgarte, Method::Auto),
    (Stabilised, Method::Radau5),
    (Stabilised, Method::Bdf),
];

const CASES: &[Case] = &[
    Case {
        model: "plate",
        like: "plate_tree",
        names: &["rx", "ry", "der(rx)", "der(ry)"],
        within: 1e-8,
        energy: 1e-8,
        passages: 2,
        constraints: &["ja"],
        ways: EVERY,
    },
    Case {
        model: "table",
        like: "plate_tree",
        names: &["rx", "ry", "der(rx)", "der(ry)"],
        within: 1e-8,
        energy: 1e-8,
        passages: 2,
        constraints: &["ja"],
        ways: EVERY,
    },
    Case {
        model: "equal_crank",
        like: "equal_crank_tree",
        names: &["phi", "der(phi)"],
        within: 1e-5,
        energy: 1e-6,
        passages: 9,
        constraints: &["k"],
        ways: EVERY,
    },
    Case {
        model: "equal_crank",
        like: "equal_crank_tree",
        names: &["phi", "der(phi)"],
        within: 1e-5,
        energy: 1e-6,
        passages: 9,
        constraints: &["k"],
        ways: &[(Closed, Method::Auto), (Projected, Method::Rk4)],
    },
    // Rows that are kept repeat one another, but others do not: no singular position.
    Case {
        model: "bennett",
        like: "bennett_graph",
        names: &["q1", "q2", "q3", "der(q1)"],
        within: 1e-5,
        energy: 1e-6,
        passages: 0,
        constraints: &[],
        ways: EVERY,
    },
    Case {
        model: "delta",
        like: "delta",
        names: &["q1", "q2", "q3", "z", "der(q3)"],
        within: 1e-4,
        energy: 1e-6,
        passages: 1,
        constraints: &["d1p", "d1n", "d2p", "d2n", "d3p", "d3n"],
        ways: &[
            (Auto, Method::Auto),
            (Projected, Method::Dopri5),
            (Projected, Method::Radau5),
            (Partitioned, Method::Auto),
        ],
    },
];

fn motion(name: &str, form: ConstraintForm, method: Method) -> Trajectory {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/through").join(format!("{name}.mbs"));
    let text = fs::read_to_string(path).expect("a model beside this test");
    let model = resolve(parse(name, &text)).into_model().unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.constraints, settings.method) = (form, method);
    let compiled = compile_model(&model, Options::default()).and_then(|c| c.for_constraints(form));
    let compiled = compiled.unwrap_or_else(|e| panic!("{name}: {e}"));
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn check(model: &str) {
    for case in CASES.iter().filter(|c| c.model == model) {
        let expected = motion(case.like, Auto, Method::Dop853);
        for (form, method) in case.ways {
            let run = motion(case.model, *form, *method);
            let way = format!("{model}, {}, {method}", form.name());
            assert_eq!(run.ending, Ending::Finished, "{way}: {}", run.reason);
            for name in case.names {
                let (found, wanted) =
                    (run.last(name).expect("a column"), expected.last(name).expect("a column"));
                let error = (found - wanted).abs();
                assert!(error <= case.within, "{way}: {name} is off by {error:e}");
            }
            assert!(run.audit.relative() < case.energy, "{way}: {}", run.audit);
            let told: Vec<String> = run.passages.iter().map(|p| p.to_string()).collect();
            assert_eq!(told.len(), case.passages, "{way}: {told:#?}");
            for passage in &run.passages {
                assert_eq!(passage.constraints, case.constraints, "{way}: {passage}");
            }
        }
    }
}

/// A row that vanishes for an instant leaves all motions open; the one before it goes on.
#[test]
fn an_equation_that_says_nothing_for_an_instant_changes_no_branch() {
    check("plate");
    check("table");
    let run = motion("plate", Auto, Method::Auto);
    let height = run.series("z").expect("a coordinate").iter().fold(0.0, |m: f64, z| m.max(z.abs()));
    assert!(height < 1e-12, "the plate leaves its point by {height}");
    assert!(run.passages[0].to_string().contains("says nothing"), "{}", run.passages[0]);
}

#[test]
fn a_rod_as_long_as_its_crank_goes_round() {
    check("equal_crank");
    // The slider stands over the shaft where phi = 90°, 270°, …: the times that are told are those.
    let run = motion("equal_crank", Auto, Method::Auto);
    let (times, angles) = (run.times(), run.series("phi").expect("a coordinate"));
    for (k, passage) in run.passages.iter().enumerate() {
        let at = times.partition_point(|t| *t < passage.t);
        let (before, after) = (at - 1, at);
        let part = (passage.t - times[before]) / (times[after] - times[before]);
        let angle = angles[before] + part * (angles[after] - angles[before]);
        let wanted = (k as f64 + 0.5) * std::f64::consts::PI;
        // Straight between samples 10 ms apart.
        assert!((angle - wanted).abs() < 2e-3, "{passage}: {angle}, not {wanted}");
    }
}

#[test]
fn rows_that_were_chosen_at_the_start_may_repeat_one_another_later() {
    check("bennett");
}

#[test]
fn a_delta_robot_falls_through_parallel_rods() {
    check("delta");
    let run = motion("delta", Auto, Method::Auto);
    assert!((run.passages[0].t - 0.974_758).abs() < 1e-4, "{}", run.passages[0]);
}
