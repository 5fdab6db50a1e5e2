//! Bodies without mass inside closed loops: against the same mechanism without them, against the limit of small masses, against closed forms.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::ConstraintForm;

fn model(text: &str) -> Model {
    resolve(parse("massless.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn motion_by(text: &str, form: ConstraintForm) -> Trajectory {
    let model = model(text);
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let compiled = compiled.for_constraints(form).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.rtol, settings.atol, settings.constraints) = (1e-11, 1e-13, form);
    let run = compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(run.ending, Ending::Finished, "{}", run.reason);
    run
}

fn motion(text: &str) -> Trajectory {
    motion_by(text, ConstraintForm::Projected)
}

/// The largest difference of two motions, and how far the first goes.
fn apart(a: &Trajectory, b: &Trajectory, names: &[&str]) -> (f64, f64) {
    let (mut difference, mut way) = (0.0_f64, 0.0_f64);
    for name in names {
        let (x, y) = (a.series(name).expect("an output"), b.series(name).expect("an output"));
        assert_eq!(x.len(), y.len());
        for (p, q) in x.iter().zip(&y) {
            difference = difference.max((p - q).abs());
            way = way.max((p - x[0]).abs());
        }
    }
    (difference, way)
}

#[track_caller]
fn same(a: &Trajectory, b: &Trajectory, names: &[&str], within: f64) {
    let (difference, way) = apart(a, b, names);
    assert!(difference <= within && way > 0.01, "apart by {difference:e}, moved by {way:e}");
}

const CRANK: f64 = 0.2;
const ROD: f64 = 0.5;

/// A slider-crank whose rod is what `rod` says.
fn slider_crank(rod: &str) -> String {
    format!(
        "gravity = -9.81 [m/s^2] * N.y
body crank on N by revolute(z, q = alpha) {{ mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; center = (0.1, 0, 0) [m]; point pin = ({CRANK}, 0, 0) [m] }}
body slider on N by prismatic(x, q = s) {{ mass = 2 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2] }}
{rod}
start {{ alpha = 60 [deg]; der(alpha) = 10 [rad/s]; s ~ 0.5 [m] }}
simulate {{ to = 0.6 [s], every = 0.01 [s] }}\n"
    )
}

fn pinned_rod(matter: &str) -> String {
    let kind = if matter.is_empty() { "frame" } else { "body" };
    slider_crank(&format!(
        "{kind} rod on crank by revolute(z, q = beta) at crank.pin {{ {matter}point pin = ({ROD}, 0, 0) [m] }}
joint knee = revolute(rod.pin, slider.o, axis = z)
output pull = dot(knee.force, rod.x), across = dot(knee.force, rod.y)"
    ))
}

const STATES: &[&str] = &["alpha", "s", "der(alpha)", "der(s)"];

#[test]
fn a_rod_without_mass_is_a_distance() {
    let distance = slider_crank(&format!(
        "joint rod = distance(crank.pin, slider.o, length = {ROD} [m])
output pull = dot(rod.force, dir(position(crank.pin, slider.o)))"
    ));
    let expected = motion(&distance);
    for form in [ConstraintForm::Projected, ConstraintForm::Partitioned, ConstraintForm::Stabilised] {
        let found = motion_by(&pinned_rod(""), form);
        same(&expected, &found, STATES, 1e-6);
        assert!(found.audit.relative() < 1e-7, "{form:?}: {:e}", found.audit.relative());
    }
    let found = motion(&pinned_rod(""));
    same(&expected, &found, STATES, 1e-8);
    // A rod without mass bears along itself alone, and as much as the distance does.
    let across = found.series("across").expect("an output");
    assert!(across.iter().all(|f| f.abs() < 1e-9), "{across:?}");
    let (pulls, others) = (found.series("pull").expect("one"), expected.series("pull").expect("one"));
    assert!(
        pulls.iter().zip(&others).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + b.abs())),
        "{pulls:?} {others:?}"
    );
}

/// T = J α̇²/2 + m ṡ²/2 with s = r cos α + √(l² - r² sin² α), and V = m_c g r_c sin α: the speed follows from the angle.
#[test]
fn a_rod_without_mass_follows_the_closed_form() {
    let run = motion(&pinned_rod(""));
    let (inertia, slider, weight) = (0.01 + 1.0 * 0.1 * 0.1, 2.0, 1.0 * 9.81 * 0.1);
    let slope = |a: f64| {
        let root = (ROD * ROD - CRANK * CRANK * a.sin().powi(2)).sqrt();
        -CRANK * a.sin() - CRANK * CRANK * a.sin() * a.cos() / root
    };
    let energy = |a: f64, u: f64| 0.5 * (inertia + slider * slope(a).powi(2)) * u * u + weight * a.sin();
    let (angle, speed) = (run.series("alpha").expect("one"), run.series("der(alpha)").expect("one"));
    let all = energy(angle[0], speed[0]);
    for (a, u) in angle.iter().zip(&speed) {
        let mass = inertia + slider * slope(*a).powi(2);
        let expected = (2.0 * (all - weight * a.sin()) / mass).sqrt();
        assert!((u.abs() - expected).abs() < 1e-8 * expected, "{u} against {expected}");
    }
    let place = |a: f64| CRANK * a.cos() + (ROD * ROD - CRANK * CRANK * a.sin().powi(2)).sqrt();
    let places = run.series("s").expect("one");
    assert!(angle.iter().zip(&places).all(|(a, s)| (place(*a) - s).abs() < 1e-12));
}

/// A light rod comes to the rod without mass as fast as its mass goes.
#[test]
fn small_masses_lead_to_none_linearly() {
    let none = motion(&pinned_rod(""));
    let gap = |m: f64| {
        let matter = format!(
            "mass = {m:?} [kg]; inertia = ({:?}, {:?}, {:?}) [kg*m^2]; center = (0.25, 0, 0) [m]; ",
            1e-3 * m,
            0.02 * m,
            0.02 * m
        );
        apart(&none, &motion(&pinned_rod(&matter)), &["alpha", "s"]).0
    };
    let gaps = [1e-2, 1e-3, 1e-4].map(gap);
    for pair in gaps.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((9.0..11.0).contains(&ratio), "{gaps:?}");
    }
}

/// A mass that is zero by the value of a parameter is as good as none.
#[test]
fn a_parameter_may_be_zero() {
    let rod = "mass = m; inertia = (m*L*L, m*L*L, m*L*L); center = (L, 0, 0); ";
    let text = format!("parameter m = 0 [kg], L = 0.1 [m]\n{}", pinned_rod(rod));
    same(&motion(&pinned_rod("")), &motion(&text), STATES, 1e-8);
}

/// A four-bar whose coupler weighs nothing, whichever joint is cut.
#[test]
fn a_coupler_without_mass_is_a_distance_whichever_joint_is_cut() {
    let bars = "gravity = -9.81 [m/s^2] * N.y
body crank { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; center = (0.1, 0, 0) [m]; point pin = (0.2, 0, 0) [m] }
body rocker { mass = 1 [kg]; inertia = (0.01, 0.01, 0.03) [kg*m^2]; point pin = (0, 0.4, 0) [m] }
joint A between N.o and crank.o by revolute(z, q = alpha)
joint D between N(0.5, 0, 0) [m] and rocker.o by revolute(z, q = gamma)
output crank_x = dot(crank.x, N.x), rocker_y = dot(rocker.y, N.y), turn = dot(omega(rocker), N.z)
simulate { to = 1 [s], every = 0.01 [s] }
start { alpha = 60 [deg]; der(alpha) = 10 [rad/s]; gamma ~ 0.1 }\n";
    let names = &["crank_x", "rocker_y", "turn"];
    let distance = motion(&format!("{bars}joint rod = distance(crank.pin, rocker.pin, length = 0.5 [m])\n"));
    for cut in ["B", "C"] {
        let coupler = format!(
            "{bars}frame coupler {{ point pin = (0.5, 0, 0) [m] }}
joint B between crank.pin and coupler.o by revolute(z)
joint C between coupler.pin and rocker.pin by revolute(z)
cut {cut}\n"
        );
        same(&distance, &motion(&coupler), names, 1e-7);
    }
}

/// Two shafts at an angle, a cross without mass between them.
fn shafts(joint: &str) -> String {
    format!(
        "body first on N by revolute(x, q = a) {{ mass = 1 [kg]; inertia = (0.02, 0.01, 0.01) [kg*m^2] }}
frame seat on N by fixed(rotate = xyz, angles = (0, 0, 30) [deg])
body second on seat by revolute(x, q = b) {{ mass = 2 [kg]; inertia = (0.05, 0.01, 0.01) [kg*m^2] }}
{joint}
torque drive on first from N = 0.3 [N*m] * N.x
start {{ a = 0.2; der(a) = 6 [rad/s]; b ~ 0.2 }}
simulate {{ to = 1 [s], every = 0.01 [s] }}\n"
    )
}

/// tan b = tan a · cos β for a Cardan joint whose first pin turns with the first shaft across the plane of the shafts.
#[test]
fn a_cross_without_mass_makes_a_cardan_joint() {
    let names = &["a", "b", "der(a)", "der(b)"];
    let plain = motion(&shafts("joint j = universal(first.o, second.o, axis = z, second = y)"));
    let cross = "frame cross on first by revolute(z)
joint j = revolute(cross.o, second.o, axis = y)";
    let run = motion(&shafts(cross));
    same(&plain, &run, names, 1e-7);
    let (a, b) = (run.series("a").expect("one"), run.series("b").expect("one"));
    let cosine = 30_f64.to_radians().cos();
    for (a, b) in a.iter().zip(&b) {
        // The pins z of the first and y of the second shaft are normal to each other.
        let lack = a.sin() * b.cos() * cosine - a.cos() * b.sin();
        let other = a.sin() * b.cos() - a.cos() * b.sin() * cosine;
        assert!(lack.abs() < 1e-9 || other.abs() < 1e-9, "{a} {b}: {lack:e} {other:e}");
    }
}

/// Two crosses and a middle shaft at half the angle: the outer shafts turn alike.
#[test]
fn a_double_cardan_shaft_with_crosses_without_mass_turns_evenly() {
    let text =
        "body first on N by revolute(x, q = a) { mass = 1 [kg]; inertia = (0.02, 0.01, 0.01) [kg*m^2] }
frame half on N by fixed(rotate = xyz, angles = (0, 0, 20) [deg])
frame seat on N by fixed(rotate = xyz, angles = (0, 0, 40) [deg])
body middle on half by revolute(x, q = m) { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2] }
body second on seat by revolute(x, q = b) { mass = 2 [kg]; inertia = (0.05, 0.01, 0.01) [kg*m^2] }
frame cross1 on first by revolute(z)
frame cross2 on second by revolute(z)
joint j1 = revolute(cross1.o, middle.o, axis = y)
joint j2 = revolute(cross2.o, middle.o, axis = y)
start { a = 0.2; der(a) = 6 [rad/s]; b ~ 0.2; m ~ 0.2 }
simulate { to = 2 [s], every = 0.02 [s] }\n";
    let run = motion(text);
    let (a, b) = (run.series("a").expect("one"), run.series("b").expect("one"));
    let phase = b[0] - a[0];
    assert!(a.iter().zip(&b).all(|(a, b)| (b - a - phase).abs() < 1e-8), "{a:?} {b:?}");
    let speeds = run.series("der(a)").expect("one");
    assert!(speeds.iter().any(|u| (u - 6.0).abs() > 1e-3), "the middle shaft turns unevenly");
    assert!(run.audit.relative() < 1e-8);
}

/// The platform of a tripod on legs without mass, each with a universal joint below and a ball above: three distances.
#[test]
fn legs_without_mass_are_distances() {
    let platform = "gravity = -9.81 [m/s^2] * N.z
body top on N by free(rotate = xyz) { mass = 3 [kg]; inertia = (0.1, 0.12, 0.2) [kg*m^2]; point P = (0.3, 0, 0) [m]; point Q = (-0.2, 0.25, 0) [m]; point R = (-0.2, -0.25, 0) [m] }
output h = position(N.o, top.o), tilt = dot(top.z, N.x)
simulate { to = 0.3 [s], every = 0.01 [s] }
start { top.q1 = 0.05 [m]; top.q2 = 0.02 [m]; top.q6 = 0.1; top.q3 ~ 1 [m] }\n";
    let feet = [("P", 0.4, 0.0), ("Q", -0.3, 0.3), ("R", -0.3, -0.3)];
    let (mut rods, mut legs) = (String::from(platform), String::from(platform));
    for (p, x, y) in feet {
        rods += &format!("joint j{p} = distance(N({x:?}, {y:?}, 0) [m], top.{p}, length = 1 [m])\n");
        legs += &format!(
            "frame leg{p} on N by universal(xy) at ({x:?}, {y:?}, 0) [m] {{ point end = (0, 0, 1) [m] }}
joint j{p} = spherical(leg{p}.end, top.{p})\n"
        );
    }
    let names = &["h.x", "h.y", "h.z", "tilt"];
    let (a, b) = (motion(&rods), motion(&legs));
    same(&a, &b, names, 1e-6);
    assert!(b.audit.relative() < 1e-8);
}

/// A rod between two balls spins about itself, and nothing resists that.
#[test]
fn a_free_motion_without_mass_is_named() {
    let text = slider_crank(
        "frame rod on crank by spherical(rotate = xyz) at crank.pin { point pin = (0.5, 0, 0) [m] }
joint knee = spherical(rod.pin, slider.o)",
    );
    let model = model(&text);
    let findings = cardan::sim::examine(&model);
    let found: Vec<String> = findings.iter().map(|d| format!("{}: {}", d.code.0, d.message)).collect();
    assert!(found.len() == 1 && found[0].starts_with("K004") && found[0].contains("`rod`"), "{found:?}");
    let error = compile_model(&model, Options::default()).expect_err("nothing resists the spin");
    assert!(error.to_string().contains("no mass or inertia resists"), "{error}");
}

/// Each formalism, with elimination and without, gives one acceleration.
#[test]
fn formalisms_agree_without_mass() {
    for formalism in [Formalism::Kane, Formalism::Recursive] {
        let model = model(&pinned_rod(""));
        let options = Options { formalism: Some(formalism), ..Options::default() };
        let compiled = compile_model(&model, options).expect("a mechanism");
        let start = [1.0_f64, 0.0, 0.0, 4.0, 0.0, 0.0];
        // A state on the constraints: alpha, s, beta and their rates by the closed form.
        let (a, u) = (start[0], start[3]);
        let b = -(CRANK * a.sin() / ROD).asin() - a;
        let s = CRANK * a.cos() + ROD * (a + b).cos();
        let turn = -CRANK * a.cos() * u / (ROD * (a + b).cos());
        let rate = -CRANK * a.sin() * u - ROD * (a + b).sin() * turn;
        let state = [a, s, b, u, rate, turn - u];
        let direct = compiled.simulation.derivative(ConstraintForm::Projected, 0.0, &state).expect("finite");
        // α̈ of the closed form: M(α) α̈ + M'(α) α̇²/2 = -V'.
        let place = |a: f64| CRANK * a.cos() + (ROD * ROD - CRANK * CRANK * a.sin().powi(2)).sqrt();
        let h = 1e-4;
        let first = (place(a + h) - place(a - h)) / (2.0 * h);
        let second = (place(a + h) - 2.0 * place(a) + place(a - h)) / (h * h);
        let expected = (-0.981 * a.cos() - 2.0 * first * second * u * u) / (0.02 + 2.0 * first * first);
        assert!((direct[3] - expected).abs() < 1e-5 * expected.abs(), "{} against {expected}", direct[3]);
    }
}

/// A free body behind a massless hinge undoes whatever the hinge does: no run begins, whatever else has mass.
#[test]
fn a_massless_hinge_below_a_free_body_is_refused_by_every_question() {
    let text = "frame a on N by revolute((0.6, 0, 0.8), q = p) at (0.3, 0.1, 0) [m]
        body b on a by free { mass = 1 [kg]; inertia = (1, 2, 2.5) [kg*m^2]; center = (0.1, 0.2, 0) [m] }";
    let model = resolve(parse("hinge.mbs", text)).into_model().expect("the text is right");
    let error = compile_model(&model, Options::default()).expect_err("nothing resists the hinge");
    assert!(error.to_string().contains("no mass or inertia resists"), "{error}");
}

/// A particle that slides and swings: both move it sideways where it hangs straight down, and its mass resists their sum only.
#[test]
fn what_nothing_resists_where_it_starts_is_named() {
    let model = model(
        "gravity = -9.81 [m/s^2]*N.z
         particle cart on N by prismatic(x, q = s) { mass = 5 [kg] }
         particle load on cart by translate(x = slide) rotate(y = swing) { mass = 2 [kg]; center = (0, 0, -6) [m] }",
    );
    let compiled = compile_model(&model, Options::default()).expect("mass resists it elsewhere");
    let error = compiled.simulation.run(&Settings::default(), &mut ()).expect_err("no start");
    let said = cardan::sim::diagnose_start(&model, &error).expect("a finding").message;
    assert!(said.contains("no mass or inertia resists") && said.contains("`load`"), "{said}");
}
