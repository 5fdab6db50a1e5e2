//! Constraints under load in models that drop small quantities: their forces multiply what is of second order in their positions, which
//! must not be dropped.

use cardan::analysis::verify::against_whole;
use cardan::analysis::{Check, Finding, LinearOptions, Study, linearize, modes};
use cardan::model::Model;
use cardan::prelude::*;
use cardan_testkit::Random;

fn study(model: Model) -> Study {
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    Study::of(&compiled.choice, &[]).expect("it can be asked")
}

/// A text with `small`, and the whole model of the same text.
fn both(text: &str) -> [Study; 2] {
    let model = |r: Resolved| r.into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (small, whole) =
        (model(resolve(parse("stiff.mbs", text))), model(cardan::resolve_whole(parse("stiff.mbs", text))));
    [study(small), study(whole)]
}

fn compared(text: &str) -> Check {
    let [mut small, mut whole] = both(text);
    against_whole(&mut small, &mut whole, 0.0).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn frequencies(study: &mut Study) -> Vec<f64> {
    let y = study.start(0.0).expect("it starts");
    let linear = linearize(study, 0.0, &y, &LinearOptions::default()).expect("it is linearised");
    let mut found: Vec<f64> =
        modes(study, &linear).expect("it has modes").modes.iter().map(|m| m.eigenvalue.1).collect();
    found.sort_by(f64::total_cmp);
    found
}

/// A plate on three upright rods at the corners of an equilateral triangle: it sways as a pendulum does, ω² = g/L, and turns with
/// ω² = m g r²/(J L).
#[test]
fn a_trifilar_pendulum_sways_and_turns() {
    let text = "gravity = -9.81 [m/s^2]*N.z
parameter h = 0.15*sqrt(3) [m]
body plate on N by free(rotate = xyz, speeds = rates, q = (x, y, z, a, b, c)) { mass = 3 [kg]; inertia = (0.1, 0.1, 0.2) [kg*m^2]; point P1 = (0.3, 0, 0) [m]; point P2 = (-0.15 [m], h, 0 [m]); point P3 = (-0.15 [m], -h, 0 [m]) }
joint r1 = distance(plate.P1, N(0.3, 0, 1) [m], length = 1 [m])
joint r2 = distance(plate.P2, N(-0.15 [m], h, 1 [m]), length = 1 [m])
joint r3 = distance(plate.P3, N(-0.15 [m], -h, 1 [m]), length = 1 [m])
small x, y, z, a, b, c
simulate { to = 1 [s] }
";
    let (sway, turn) = (9.81f64.sqrt(), (3.0 * 9.81 * 0.09 / 0.2f64).sqrt());
    for study in &mut both(text) {
        let found = frequencies(study);
        for (found, expected) in found.iter().zip([sway, sway, turn]) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
        assert_eq!(found.len(), 3);
    }
    assert_eq!(compared(text).finding, Finding::Holds);
}

/// What a joint that closes a loop can bear, and the words for it.
fn joint(random: &mut Random, k: usize, p: [f64; 3]) -> (String, [f64; 3], [f64; 3]) {
    let digits = |x: f64| (x * 100.0).round() / 100.0;
    let mut size = || digits(random.between(-60.0, 60.0));
    let here = format!("({}, {}, {}) [m]", p[0], p[1], p[2]);
    let zero = [0.0; 3];
    let force = [size(), size(), size()];
    match k % 5 {
        0 => {
            // Lengths that are exact numbers: 3, 4 and 5 in any order and of any sign.
            let steps = [[0.3, 0.4, 0.0], [0.0, -0.4, 0.3], [-0.4, 0.0, -0.3], [0.0, 0.3, 0.4]];
            let d = steps[random.below(4)];
            let q = [0, 1, 2].map(|i| digits(p[i] + d[i]));
            let rod = format!(
                "joint j{k} = distance(plate.P{k}, N({}, {}, {}) [m], length = 0.5 [m])",
                q[0], q[1], q[2]
            );
            (rod, d.map(|x| x / 0.5 * force[0]), zero)
        }
        1 => (format!("joint j{k} = in_plane(N{here}, plate.P{k}, axis = z)"), [0.0, 0.0, force[2]], zero),
        2 => {
            (format!("joint j{k} = on_line(N{here}, plate.P{k}, axis = z)"), [force[0], force[1], 0.0], zero)
        }
        3 => (format!("joint j{k} = spherical(N{here}, plate.P{k})"), force, zero),
        _ => (
            format!("joint j{k} = universal(N{here}, plate.P{k}, axis = z, second = x)"),
            force,
            [0.0, force[1] / 10.0, 0.0],
        ),
    }
}

/// A body on joints that bear random forces; loads that are fixed in space balance them, so that nothing moves.
fn loaded_body(random: &mut Random) -> String {
    let digits = |x: f64| (x * 100.0).round() / 100.0;
    let n = 1 + random.below(3);
    let (mut joints, mut points, mut force, mut torque) = (String::new(), String::new(), [0.0; 3], [0.0; 3]);
    for k in 0..n {
        let p = [0, 0, 0].map(|_| digits(random.between(-0.8, 0.8)));
        // The first joint may be of any kind, others leave much free.
        let number = 5 * k + random.below(if k == 0 { 5 } else { 2 });
        let (words, f, t) = joint(random, number, p);
        points += &format!("point P{number} = ({}, {}, {}) [m]; ", p[0], p[1], p[2]);
        joints += &format!("{words}\n");
        let moment = [p[1] * f[2] - p[2] * f[1], p[2] * f[0] - p[0] * f[2], p[0] * f[1] - p[1] * f[0]];
        (0..3).for_each(|i| {
            force[i] -= f[i];
            torque[i] -= moment[i] + t[i];
        });
    }
    let sequence = ["xyz", "zyx", "yxz"][random.below(3)];
    let speeds = if random.chance(0.5) { ", speeds = rates" } else { "" };
    format!(
        "body plate on N by free(rotate = {sequence}{speeds}, q = (x, y, z, a, b, c)) {{ mass = 2 [kg]; inertia = (0.3, 0.2, 0.4) [kg*m^2]; {points}}}
{joints}force pull on plate.cm = N({}, {}, {}) [N]
torque twist on plate = N({}, {}, {}) [N*m]
small x, y, z, a, b, c
simulate {{ to = 1 [s] }}
",
        force[0], force[1], force[2], torque[0], torque[1], torque[2]
    )
}

#[test]
fn small_models_with_loaded_constraints_have_the_linear_equations_of_whole_ones() {
    let mut random = Random::new(23);
    let mut compared_models = 0;
    for n in 0..100 {
        let text = loaded_body(&mut random);
        let check = compared(&text);
        assert_eq!(check.finding, Finding::Holds, "{n}: {check:?}\n{text}");
        compared_models += usize::from(check.difference.is_some());
    }
    assert_eq!(compared_models, 100);
}

/// What is dropped is told: a model in which the second order of a position is left out by hand is not the whole one.
#[test]
fn verification_sees_lost_stiffness() {
    let rod = "particle p on N by translate(x = x, z = z) { mass = 1 [kg] }
gravity = -9.81 [m/s^2] * N.z
small x, z
simulate { to = 1 [s] }
";
    let model =
        |joint: &str| resolve(parse("rod.mbs", &format!("{rod}{joint}"))).into_model().expect("a model");
    let hung = "joint rod = distance(N(0, 0, 1) [m], p.o, length = 1 [m])";
    let [mut small, mut whole, mut flat] = [
        study(model(hung)),
        study(
            cardan::resolve_whole(parse("rod.mbs", &format!("{rod}{hung}"))).into_model().expect("a model"),
        ),
        study(model("constraint flat = z")),
    ];
    assert_eq!(against_whole(&mut small, &mut whole, 0.0).expect("compared").finding, Finding::Holds);
    assert_eq!(against_whole(&mut flat, &mut whole, 0.0).expect("compared").finding, Finding::Fails);
}
