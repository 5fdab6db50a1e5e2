//! Contacts between shapes: time stepping and compliant laws against closed forms, balances and the laws of contact themselves.

use cardan::prelude::*;
use cardan_absolute::AbsoluteMotion;
use cardan_testkit::Random;

use crate::comparison::{library, model};

const GROUND: &str = "gravity = -9.81 [m/s^2] * N.z\nframe floor on N by fixed { shape plane() }\n";

/// A body that is free in space, with Euler parameters.
fn free(name: &str, mass: f64, moment: f64, shape: &str) -> String {
    let q = ["x", "y", "z", "e0", "e1", "e2", "e3"].map(|c| format!("{name}_{c}")).join(", ");
    let u = ["vx", "vy", "vz", "wx", "wy", "wz"].map(|c| format!("{name}_{c}")).join(", ");
    format!(
        "body {name} on N by free(q = ({q}), speed = ({u})) {{
          mass = {mass} [kg]; inertia = ({moment}, {moment}, {moment}) [kg*m^2]; shape {shape}
        }}\n"
    )
}

fn run(text: &str) -> Trajectory {
    let model = model(text);
    let values = cardan::assembly::ParameterValues::of(&model);
    let settings = Settings::of(&model, &values).expect("settings");
    let mut found = AbsoluteMotion::of(&model, 0.0).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let motion = found.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    motion
}

fn last(motion: &Trajectory, name: &str) -> f64 {
    motion.last(name).unwrap_or_else(|| panic!("no {name}"))
}

/// A ball that slides on a floor rolls after t = s/(μ g (1 + 1/b)) with (v + b R ω)/(1 + b). The impulse of the step in which it begins
/// to roll is the one that is needed, so the speed is exact; the way is so to first order in the step.
#[test]
fn a_ball_slides_until_it_rolls() {
    for (v, spin, mu, speed, way, rolls) in [
        (5.0, 0.0, 0.2, 3.571428571429, 3.12051426075, 0.728119994175),
        (5.0, -6.0, 0.2, 1.857142857143, 5.49210509892, 1.601863987185),
        (2.0, 8.0, 0.15, 3.714285714286, 3.3285485448, 1.16499199068),
    ] {
        let error = |step: f64| {
            let motion = run(&format!(
                "{GROUND}{}contact lane between all and all {{ friction = {mu} }}
                output v = dot(velocity(ball.o), N.x)
                start {{ ball_z = 0.1 [m]; ball_vx = {v} [m/s]; ball_wy = {} [rad/s] }}
                simulate {{ to = 2 [s], every = 0.5 [s], step = {step} [s] }}",
                free("ball", 7.0, 0.4 * 7.0 * 0.01, "sphere(radius = 0.1 [m])"),
                spin / 0.1
            ));
            assert!((last(&motion, "v") - speed).abs() < 1e-9, "{}", last(&motion, "v"));
            assert!((last(&motion, "ball_z") - 0.1).abs() < 1e-12);
            assert!((last(&motion, "lane.normal") - 7.0 * 9.81).abs() < 1e-6);
            (last(&motion, "ball_x") - way - speed * (2.0 - rolls)).abs()
        };
        let (coarse, fine) = (error(2e-3), error(1e-3));
        assert!(fine < 0.6 * coarse && fine < 3e-3, "{coarse} {fine}");
    }
}

/// A block on a slope stays where μ ≥ tan α, and slides with g (sin α - μ cos α) otherwise, without turning over.
#[test]
fn a_box_holds_or_slides_on_a_slope() {
    for (mu, acceleration) in [(0.6, 0.0), (0.3, 2.356287236662)] {
        let motion = run(&format!(
            "gravity = -9.81 [m/s^2] * (cos(30 [deg]) * N.z - sin(30 [deg]) * N.x)
            frame floor on N by fixed {{ shape plane() }}
            {}contact slope between block and floor {{ friction = {mu} }}
            start {{ block_z = 0.1 [m] }}
            simulate {{ to = 1 [s], every = 0.25 [s], step = 1 [ms] }}",
            free("block", 3.0, 0.05, "box(size = (0.4, 0.3, 0.2) [m])")
        ));
        assert!((last(&motion, "block_vx") - acceleration).abs() < 1e-8, "{}", last(&motion, "block_vx"));
        assert!((last(&motion, "block_z") - 0.1).abs() < 1e-9);
        assert!(last(&motion, "block_wy").abs() < 1e-8 && last(&motion, "slope.points") >= 2.0);
    }
}

/// Twenty boxes stand on each other for ten seconds.
#[test]
fn a_tower_of_boxes_stands() {
    let motion = run(&library("large/tower"));
    let n = 20;
    for k in 1..=n {
        for (axis, place) in [("x", 0.0), ("y", 0.0), ("z", 0.1 * (f64::from(k) - 0.5))] {
            let drift = (last(&motion, &format!("{axis}[{k}]")) - place).abs();
            assert!(drift < 1e-6, "{axis}[{k}]: {drift}");
        }
    }
    let report = motion.contacts.as_ref().expect("time stepping");
    assert!(report.momentum < 1e-9 && report.residual < 1e-8 && report.unsettled == 0, "{report}");
    assert!((last(&motion, "touch.normal") - 9.81 * f64::from(n * (n + 1) / 2)).abs() < 1e-3);
}

/// A heap of more contacts than Newton's method is for: momentum is balanced to rounding, contacts take energy and never give it, and
/// next to nothing sinks in.
#[test]
fn a_large_heap_obeys_the_laws_of_contact() {
    let text = library("large/pile-of-spheres")
        .replace("n = 10 ", "n = 7 ")
        .replace("layers = 10", "layers = 6")
        .replace("to = 3 [s]", "to = 0.4 [s]");
    let motion = run(&text);
    let report = motion.contacts.as_ref().expect("time stepping");
    assert!(report.points > 600, "{report}");
    assert!(report.momentum < 1e-9 && report.depth < 1e-4 && report.residual < 0.03, "{report}");
    let work = motion.series("work.touch").expect("work");
    assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-6), "{work:?}");
}

/// A ball that bounces: the times of its impacts and its heights to first order in the step; at the end it is on the ground but for
/// bounces of the size of a step.
#[test]
fn a_ball_bounces_to_first_order() {
    let error = |step: f64| {
        let motion = run(&format!(
            "{GROUND}{}contact floor_contact between ball and floor {{ restitution = 0.8 }}
            start {{ ball_z = 1.1 [m] }}
            simulate {{ to = 5 [s], every = {step} [s], step = {step} [s] }}",
            free("ball", 2.0, 0.01, "sphere(radius = 0.1 [m])")
        ));
        let (t, z) = (motion.times(), motion.series("ball_z").expect("z"));
        assert!((motion.last("ball_z").expect("z") - 0.1).abs() < 1e-3);
        // The first top after the first impact: h e² at √(2h/g) (1 + e).
        let top = (0..t.len()).filter(|k| t[*k] > 0.5 && t[*k] < 1.1).map(|k| z[k]).fold(0.0, f64::max);
        (top - 0.1 - 0.64).abs()
    };
    let (coarse, fine) = (error(4e-3), error(1e-3));
    assert!(fine < 0.5 * coarse && fine < 5e-3, "{coarse} {fine}");
}

/// A rod on a hinge falls onto a floor: the impulse acts through the hinge, and the speed of the tip is reversed by e.
#[test]
fn an_impact_acts_through_joints() {
    let motion = run("gravity = -9.81 [m/s^2] * N.z
        frame floor on N by fixed { shape plane(at = (0, 0, -0.05) [m]) }
        body rod on N by revolute(y, q = phi) {
          mass = 2 [kg]; inertia = (0.01, 0.2, 0.2) [kg*m^2]; center = (0.5, 0, 0) [m]
          shape sphere(radius = 0.05 [m], at = (1, 0, 0) [m])
        }
        contact hit between rod and floor { restitution = 0.5 }
        start { phi = -30 [deg] }
        simulate { to = 0.7 [s], every = 0.5 [ms], step = 0.5 [ms] }");
    let w = motion.series("der(phi)").expect("rate");
    let hit = (1..w.len()).find(|k| w[*k] < 0.0).expect("an impact");
    // ½ (J + m l²) ω² = m g l sin 30°, and ω⁺ = -e ω⁻.
    let before = f64::sqrt(2.0 * 2.0 * 9.81 * 0.5 * 0.5 / 0.7);
    assert!((w[hit - 1] - before).abs() < 0.02, "{} {before}", w[hit - 1]);
    assert!((w[hit] + 0.5 * w[hit - 1]).abs() < 0.02, "{} {}", w[hit], w[hit - 1]);
    // Contacts take energy and never give it.
    let work = motion.series("work.hit").expect("a work");
    assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-12));
    let lost = 0.5 * 0.7 * (w[hit] * w[hit] - w[hit - 1] * w[hit - 1]);
    assert!((work[hit] - lost).abs() < 0.02 * lost.abs(), "{} {lost}", work[hit]);
}

/// Hertz: δ_max = (5 m v²/(4k))^(2/5), and the ball leaves as fast as it came.
#[test]
fn a_compliant_ball_rebounds_as_hertz_says() {
    let (m, k, v, depth) = (0.03288200310757, 15384615384.62, 1.0, 2.348078728732e-5);
    let time = 6.911041853118e-5;
    let motion = run(&format!(
        "frame floor on N by fixed {{ shape plane() }}
        {}contact hit between ball and floor {{ stiffness = {k} [N/m^(3/2)] }}
        start {{ ball_z = 0.01 [m]; ball_vz = -{v} [m/s] }}
        simulate {{ to = {} [s], every = {} [s] }}",
        free("ball", m, 1e-6, "sphere(radius = 0.01 [m])"),
        1.5 * time,
        time / 200.0
    ));
    let deepest = motion.series("hit.depth").expect("depth").into_iter().fold(0.0, f64::max);
    assert!((deepest / depth - 1.0).abs() < 1e-4, "{deepest}");
    assert!((last(&motion, "ball_vz") - v).abs() < 1e-8, "{}", last(&motion, "ball_vz"));
    assert_eq!(motion.audit.verdict(), cardan::sim::Verdict::Holds, "{}", motion.audit);
}

/// Random heaps of spheres, boxes and capsules in a pit: nothing sinks in, contacts take energy and never give it, and momentum is
/// balanced to rounding.
#[test]
fn random_heaps_obey_the_laws_of_contact() {
    heaps(6, 6, 0.6);
}

/// The same for many more, and larger ones.
#[test]
#[ignore = "a minute"]
fn many_random_heaps_obey_the_laws_of_contact() {
    heaps(300, 8, 1.0);
}

fn heaps(count: u64, bodies: usize, to: f64) {
    for seed in 0..count {
        let mut random = Random::new(seed + 11);
        let mut text = GROUND.to_owned();
        for (k, (axis, at)) in
            [("x", "(-0.4, 0, 0)"), ("-x", "(0.4, 0, 0)"), ("y", "(0, -0.4, 0)"), ("-y", "(0, 0.4, 0)")]
                .into_iter()
                .enumerate()
        {
            text += &format!("frame wall{k} on N by fixed {{ shape plane(at = {at} [m], axis = {axis}) }}\n");
        }
        let mut start = String::new();
        for k in 0..bodies {
            let size = random.between(0.05, 0.1);
            let mass = random.between(0.5, 2.0);
            let shape = match k % 3 {
                0 => format!("sphere(radius = {size} [m])"),
                1 => format!("box(size = ({size}, {}, {size}) [m])", 1.3 * size),
                _ => format!("capsule(radius = {} [m], length = {size} [m])", 0.6 * size),
            };
            text += &free(&format!("b{k}"), mass, 0.3 * mass * size * size, &shape);
            let mut spread = |w: f64| random.between(-w, w);
            start += &format!(
                "b{k}_x = {} [m]; b{k}_y = {} [m]; b{k}_z = {} [m]; b{k}_vx = {} [m/s]; b{k}_wy = {} [rad/s]; ",
                spread(0.15),
                spread(0.15),
                0.2 + 0.25 * k as f64,
                spread(1.0),
                spread(5.0)
            );
        }
        let (mu, e) = (random.between(0.0, 0.8), random.between(0.0, 0.6));
        text += &format!(
            "contact pit between all and all {{ friction = {mu}; restitution = {e} }}
            start {{ {start} }}
            simulate {{ to = {to} [s], every = 0.02 [s], step = 2 [ms] }}"
        );
        let motion = run(&text);
        let report = motion.contacts.as_ref().expect("time stepping");
        assert!(report.momentum < 1e-9, "seed {seed}: {report}");
        assert!(report.depth < 2e-2, "seed {seed}: {report}");
        let work = motion.series("work.pit").expect("work");
        // To a millionth of all that they take.
        let taken = work.last().map_or(0.0, |w| w.abs());
        let rounding = 1e-6 * (1.0 + taken);
        assert!(work.windows(2).all(|w| w[1] <= w[0] + rounding), "seed {seed}: {work:?}");
        let normal = motion.series("pit.normal").expect("force");
        assert!(normal.iter().all(|n| *n >= 0.0));
    }
}

/// Pairs are told apart, joined bodies do not touch, and what cannot begin is said with its depth.
#[test]
fn pairs_and_starts_are_examined() {
    let two = |contact: &str, z: f64| {
        format!(
            "{GROUND}{}{}contact pile between all and all {{ friction = 0.5 }}
            {contact}
            start {{ a_z = 0.1 [m]; b_z = {z} [m] }}
            simulate {{ to = 0.5 [s], every = 0.1 [s] }}",
            free("a", 1.0, 0.004, "sphere(radius = 0.1 [m])"),
            free("b", 1.0, 0.004, "sphere(radius = 0.1 [m])")
        )
    };
    // Stacked exactly, the upper ball stands on the lower one; a pair that does not collide falls through.
    assert!((last(&run(&two("", 0.3)), "b_z") - 0.3).abs() < 1e-6);
    let through = run(&two("contact none between a and b { collide = 0 }", 0.3));
    assert!((last(&through, "b_z") - 0.1).abs() < 1e-3, "{}", last(&through, "b_z"));
    let model = model(&two("", 0.29));
    let said = match AbsoluteMotion::of(&model, 0.0).expect("parts").run(&Settings::until(1.0), &mut ()) {
        Err(e) => e.to_string(),
        Ok(_) => String::new(),
    };
    assert!(said.contains("`a` and `b` overlap by 0.01 m"), "{said}");
}
