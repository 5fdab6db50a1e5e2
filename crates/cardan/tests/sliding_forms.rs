//! Motions that switches hold, under constraints: in every form of these, by every method.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use std::path::Path;

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

const METHODS: [Method; 5] = [Method::Auto, Method::Dop853, Method::Dopri5, Method::Radau5, Method::Bdf];
const FORMS: [ConstraintForm; 4] = [
    ConstraintForm::Projected,
    ConstraintForm::Stabilised,
    ConstraintForm::Partitioned,
    ConstraintForm::Baumgarte,
];

/// The runs of a model in every form and by every method that the form admits, with their names.
fn runs(text: &str) -> Vec<(String, Trajectory)> {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let mut found = vec![];
    for constraints in FORMS {
        let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let compiled = compiled.for_constraints(constraints).unwrap_or_else(|e| panic!("{e}"));
        for method in METHODS {
            let is_explicit = matches!(method, Method::Dop853 | Method::Dopri5);
            if constraints == ConstraintForm::Stabilised && is_explicit {
                continue;
            }
            let settings = Settings { method, constraints, ..settings.clone() };
            let run = compiled.simulation.run(&settings, &mut ()).unwrap();
            let what = format!("{} by {method}", constraints.name());
            // Baumgarte's terms are stiff beside a motion at rest, which explicit methods say.
            let is_stiff = |w: &&String| constraints == ConstraintForm::Baumgarte && w.contains("is stiff");
            let warnings = run.warnings.iter().filter(|w| !is_stiff(w)).count();
            assert!(
                run.ending == Ending::Finished && warnings == 0,
                "{what}: {} {:?}",
                run.reason,
                run.warnings
            );
            found.push((what, run));
        }
    }
    assert_eq!(found.len(), 18);
    found
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} is not {expected}");
}

/// A block on an inclined plane, which a constraint makes: it slides up, comes to rest and stays.
#[test]
fn a_block_sticks_to_a_plane_that_is_a_constraint() {
    let (g, mu, slope) = (9.81, 0.5, 0.4_f64);
    let text = format!(
        "parameter g = {g} [m/s^2], mu = {mu}, m = 3 [kg], s = {slope}
         gravity = -g * N.z
         particle block on N by translate(x = x, z = z) {{ mass = m }}
         constraint plane = z + tan(s) * x
         variable friction = -mu * m * g * cos(s) * sign(der(x))
         force f on block.o = friction * (cos(s) * N.x - sin(s) * N.z)
         output friction
         start {{ der(x) = -cos({slope}) [m/s] }}
         simulate {{ to = 2 [s], every = 0.1 [s] }}"
    );
    // N.x points downhill; the block begins uphill with 1 m/s along the plane.
    let (pull, most) = (g * slope.sin(), mu * g * slope.cos());
    let rest = 1.0 / (pull + most);
    for (what, run) in runs(&text) {
        assert_eq!(run.slides.len(), 1, "{what}: {:?}", run.slides);
        assert!(run.slides[0].sticks, "{what}");
        close(run.slides[0].from, rest, 1e-8, &what);
        close(run.slides[0].to, 2.0, 0.0, &what);
        assert_eq!(run.last("der(x)").unwrap(), 0.0, "{what}");
        close(run.last("x").unwrap(), -0.5 * rest * slope.cos(), 1e-8, &what);
        close(run.last("friction").unwrap(), -3.0 * pull, 1e-8, &what);
        assert_eq!(run.crossings, 1, "{what}");
    }
}

/// A relay on a rail: both sides push the state onto v + 2 x = 0, on which x decays as exp(-2 t).
#[test]
fn a_relay_slides_along_a_rail() {
    let text = "particle p on N by translate(x = x, y = y) { mass = 0.5 [kg] }
         constraint rail = y - x
         force f on p.o = -8 [N] * sign(der(x) + 2 [1/s] * x) * N.x
         start { x = 1 [m] }
         simulate { to = 5 [s], every = 0.1 [s] }";
    // As 1 kg along x: full push until v + 2 x = 2 - 8 t - 8 t² = 0.
    let t1 = (-8.0 + (64.0_f64 + 64.0).sqrt()) / 16.0;
    let x1 = 1.0 - 4.0 * t1 * t1;
    for (what, run) in runs(text) {
        for (t, x) in run.times().iter().zip(run.series("x").unwrap()).filter(|(t, _)| **t > t1) {
            close(x, x1 * (-2.0 * (t - t1)).exp(), 1e-7, &what);
        }
        assert_eq!((run.crossings, run.slides.len()), (1, 1), "{what}");
        close(run.slides[0].from, t1, 1e-8, &what);
    }
}

/// A block on a rail that a belt rubs, to and fro: it sticks and slips. All forms and methods find the same stretches.
#[test]
fn a_block_on_a_rail_sticks_and_slips_alike_in_every_form() {
    // Five times the mass 2 kg is what a rail of slope 2 makes of it: friction gives 3 m/s².
    let text = "particle block on N by translate(x = x, y = y) { mass = 2 [kg] }
         constraint rail = y - 2 * x
         variable belt = 1 [m/s] * sin(4 [rad/s] * t)
         force friction on block.o = -10 [kg] * 3 [m/s^2] * sign(der(x) - belt) * N.x
         simulate { to = 6 [s], every = 0.01 [s] }";
    // It sticks while 4 |cos 4t| < 3: each stretch ends where that no longer holds.
    let ends = |k: f64| ((-0.75_f64).acos() + std::f64::consts::PI * k) / 4.0;
    let all = runs(text);
    let first: Vec<(f64, f64)> = all[0].1.slides.iter().map(|s| (s.from, s.to)).collect();
    assert!(first.len() >= 5, "{first:?}");
    for (what, run) in all {
        assert_eq!(run.slides.len(), first.len(), "{what}: {:?}", run.slides);
        for (slide, (from, to)) in run.slides.iter().zip(&first) {
            close(slide.from, *from, 1e-7, &what);
            close(slide.to, *to, 1e-7, &what);
            let off = (0..10).map(|k| (ends(f64::from(k)) - slide.to).abs()).fold(6.0 - slide.to, f64::min);
            assert!(off < 1e-7, "{what}: {slide} ends {off:e} s off");
        }
        for (t, v) in run.times().iter().zip(run.series("der(x)").unwrap()) {
            if first.iter().any(|(from, to)| from + 1e-6 < *t && *t < to - 1e-6) {
                close(v, (4.0 * t).sin(), 1e-10, &format!("{what} at {t}"));
            }
        }
    }
}

/// A four-bar with dry friction in a bearing comes to rest in the same position, and stays there without any speed.
#[test]
fn a_four_bar_with_dry_friction_comes_to_rest_alike_in_every_form() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/four-bar.mbs");
    let text = std::fs::read_to_string(path).unwrap()
        + "torque friction on crank from N = -3 [N*m] * sign(der(phi)) * N.z\n";
    let all = runs(&text);
    let (phi, work) = (all[0].1.last("phi").unwrap(), all[0].1.last("work.friction").unwrap());
    // All that was there at first and more or less of the height is gone.
    assert!(work < -0.1, "{work}");
    for (what, run) in &all {
        assert_eq!(run.slides.len(), 1, "{what}: {:?}", run.slides);
        assert!(run.slides[0].sticks && run.slides[0].to == 2.0, "{what}: {}", run.slides[0]);
        close(run.last("phi").unwrap(), phi, 1e-6, what);
        close(run.last("work.friction").unwrap(), work, 1e-6, what);
        assert_eq!(run.last("der(phi)").unwrap(), 0.0, "{what}");
        close(run.last("der(theta)").unwrap(), 0.0, 1e-9, what);
        assert!(run.audit.relative() < 1e-6, "{what}: {}", run.audit);
    }
}
