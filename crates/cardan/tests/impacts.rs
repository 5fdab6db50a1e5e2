//! Impacts under constraints: assigned speeds are had, what follows is the least change in the metric of the masses, wherever loops are cut.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;
use cardan::sim::Verdict;

fn run(text: &str) -> Trajectory {
    let model = match resolve(parse("test.mbs", text)).into_model() {
        Ok(model) => model,
        Err(error) => panic!("{text}\n{error}"),
    };
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    compiled.simulation.run(&settings, &mut ()).expect("a good start")
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
}

fn last(motion: &Trajectory, name: &str) -> f64 {
    let names: Vec<&str> = motion.columns.iter().map(|c| c.name.as_str()).collect();
    motion.last(name).unwrap_or_else(|| panic!("no {name} among {names:?}"))
}

fn n_events(motion: &Trajectory) -> usize {
    motion.happenings.list.len()
}

/// One freedom: a component of the velocity that is halved halves the speed, wherever on the circle that happens.
#[test]
fn a_particle_on_a_circle_keeps_the_part_that_its_wall_says() {
    let motion = run("particle p on N by translate(x = x, y = y) { mass = 2 [kg] }
         constraint rod = x^2 + y^2 - 1 [m^2]
         when x >= 0.5 [m] and p.u1 > 0 [m/s] \"wall\" { p.u1 := -0.5*p.u1 }
         start { x = 0 [m]; y ~ -1 [m]; p.u1 = 1 [m/s] }
         simulate { to = 1 [s], every = 0.01 [s] }");
    assert_eq!(motion.reached, 1.0, "{}", motion.reason);
    assert_eq!(n_events(&motion), 1);
    close(motion.happenings.list[0].t, std::f64::consts::FRAC_PI_6, 1e-9);
    close(last(&motion, "der(x)").hypot(last(&motion, "der(y)")), 0.5, 1e-8);
    close(last(&motion, "events.work"), -0.75, 1e-8);
    assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
}

const MASSES: &str = "parameter r = 0.2 [m], l = 0.5 [m], m = 1.3 [kg], I = 0.05 [kg*m^2]
discrete hits = 0
";
const CUT_AT_SLIDER: &str = "
body crank on N by revolute(z, q = th) { mass = 1 [kg]; inertia = (0,0,I); point P = (r,0,0) }
body rod on crank at crank.P by revolute(z, q = ph) { mass = 0.4 [kg]; inertia = (0,0,0.01) [kg*m^2]; center = (l/2,0,0); point Q = (l,0,0) }
body slider on N by prismatic(x, q = s) { mass = m; inertia = (0,0,0) [kg*m^2] }
joint pin = revolute(rod.Q, slider.o, axis = z)
start { th = 80 [deg]; ph ~ -100 [deg]; s ~ 0.5 [m]; der(th) = -4 [rad/s] }
";
const CUT_AT_CRANK: &str = "
body slider on N by prismatic(x, q = s) { mass = m; inertia = (0,0,0) [kg*m^2] }
body rod on slider by revolute(z, q = ps) { mass = 0.4 [kg]; inertia = (0,0,0.01) [kg*m^2]; center = (-l/2,0,0); point Q = (-l,0,0) }
body crank on N by revolute(z, q = th) { mass = 1 [kg]; inertia = (0,0,I); point P = (r,0,0) }
joint pin = revolute(rod.Q, crank.P, axis = z)
start { th = 80 [deg]; ps ~ -23 [deg]; s ~ 0.5 [m]; der(th) = -4 [rad/s] }
";

/// One freedom: all speeds change by the same factor, so the energy keeps the part e², and the cut does not matter.
#[test]
fn a_slider_crank_bounces_off_its_wall_wherever_it_is_cut() {
    let wall =
        "when s >= 0.6 [m] and slider.u > 0 [m/s] \"wall\" { slider.u := -0.6*slider.u; hits := hits + 1 }
         simulate { to = 0.4 [s], every = 0.001 [s] }";
    let motions = [CUT_AT_SLIDER, CUT_AT_CRANK].map(|cut| run(&format!("{MASSES}{cut}{wall}")));
    for motion in &motions {
        assert_eq!(motion.reached, 0.4, "{}", motion.reason);
        assert_eq!(last(motion, "hits"), 1.0);
        assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
        let kinetic = motion.series("energy.kinetic").expect("a column");
        close(last(motion, "events.work") / kinetic[0], 0.36 - 1.0, 1e-8);
        let s = motion.series("s").expect("a column");
        assert!(s.iter().all(|s| *s < 0.6 + 1e-9), "the slider stays before its wall");
    }
    for name in ["s", "th", "der(s)", "der(th)", "events.work"] {
        close(last(&motions[0], name), last(&motions[1], name), 1e-9);
    }
}

/// Two freedoms: a pendulum on the end of another, closed by a pin, and the same as a tree in which the block says what the impulse does.
#[test]
fn a_double_pendulum_gets_the_impulse_of_the_closed_form() {
    let (length, c, m, i) = (0.7f64, 0.3f64, 1.5f64, 0.04f64);
    let (a, b, ua, ub, e) = (0.4f64, 1.1f64, 2.0f64, -1.0f64, 0.5f64);
    let outer = format!("mass = {m} [kg]; inertia = (0,0,{i}) [kg*m^2]; center = ({c},0,0)");
    let inner = format!(
        "body A on N by revolute(z, q = a) {{ mass = 2 [kg]; inertia = (0,0,0.1) [kg*m^2]; point P = ({length},0,0) }}"
    );
    let looped = run(&format!(
        "{inner}
         body B on N by translate(x = x, y = y) rotate(z = b) {{ {outer} }}
         joint pin = revolute(A.P, B.o, axis = z)
         when t >= 0 [s] \"hit\" {{ B.u1 := -{e}*B.u1 }}
         start {{ a = {a} [rad]; b = {b} [rad]; x ~ 0.6 [m]; y ~ 0.3 [m]; der(a) = {ua} [rad/s]; der(b) = {ub} [rad/s] }}
         simulate {{ to = 0.3 [s], every = 0.1 [s] }}"
    ));
    assert_eq!(looped.reached, 0.3, "{}", looped.reason);
    // An impulse along x at the pin: the row of b has none, so M_ab Δa + M_bb Δb = 0, in absolute angles.
    let (m_ab, m_bb) = (m * length * c * (b - a).cos(), i + m * c * c);
    let new_a = -e * ua;
    let new_b = ub - m_ab / m_bb * (new_a - ua);
    let first = |name: &str| looped.series(name).unwrap_or_else(|| panic!("no {name}"))[0];
    close(first("der(a)"), new_a, 1e-10);
    close(first("der(b)"), new_b, 1e-10);
    let tree = run(&format!(
        "{inner}
         body B on A at A.P by revolute(z, q = g) {{ {outer} }}
         when t >= 0 [s] \"hit\" {{ A.u := {new_a:?} [rad/s]; B.u := {:?} [rad/s] }}
         start {{ a = {a} [rad]; g = {:?} [rad]; der(a) = {ua} [rad/s]; der(g) = {:?} [rad/s] }}
         simulate {{ to = 0.3 [s], every = 0.1 [s] }}",
        new_b - new_a,
        b - a,
        ub - ua
    ));
    close(last(&looped, "a"), last(&tree, "a"), 1e-8);
    close(last(&looped, "b"), last(&tree, "a") + last(&tree, "g"), 1e-8);
    close(last(&looped, "events.work"), last(&tree, "events.work"), 1e-9);
    assert_eq!(looped.audit.verdict(), Verdict::Holds, "{}", looped.audit);
}

/// Several assignments of one block are one jump; those that say the same twice do no harm.
#[test]
fn assignments_of_one_block_are_one_jump() {
    let simulate = "simulate { to = 0.05 [s], every = 0.01 [s] }";
    let one = run(&format!(
        "{MASSES}{CUT_AT_SLIDER} when t >= 0 [s] \"stop\" {{ slider.u := 0.5*slider.u }}\n{simulate}"
    ));
    let two = run(&format!(
        "{MASSES}{CUT_AT_SLIDER} when t >= 0 [s] \"stop\" {{ slider.u := 0.5*slider.u; crank.u := 0.5*crank.u }}\n{simulate}"
    ));
    assert_eq!((one.reached, two.reached), (0.05, 0.05), "{} {}", one.reason, two.reason);
    for name in ["s", "th", "der(s)", "der(th)"] {
        close(last(&one, name), last(&two, name), 1e-10);
    }
}

/// Branches that are not taken assign nothing.
#[test]
fn branches_assign_what_they_assign() {
    let motion = run(&format!(
        "{MASSES}{CUT_AT_SLIDER}
         when t >= 0 [s] \"hit\" {{ if hits > 0 {{ slider.u := 0 [m/s] }} else {{ crank.u := -2 [rad/s] }} }}
         simulate {{ to = 0.05 [s], every = 0.01 [s] }}"
    ));
    assert_eq!(motion.reached, 0.05, "{}", motion.reason);
    close(motion.series("der(th)").expect("a column")[0], -2.0, 1e-12);
}

#[test]
fn speeds_that_the_constraints_cannot_have_are_refused_by_name() {
    let refused = run(&format!(
        "{MASSES}{CUT_AT_SLIDER} when t > 0.01 [s] \"both\" {{ slider.u := 0 [m/s]; crank.u := 1 [rad/s] }}
         simulate {{ to = 0.05 [s], every = 0.01 [s] }}"
    ));
    assert!(refused.reached < 0.011);
    assert_eq!(refused.audit.verdict(), Verdict::Holds, "{}", refused.audit);
    for word in ["`both`", "`der(s)` := 0", "`der(th)` := 1", "constraints"] {
        assert!(refused.reason.contains(word), "{word}: {}", refused.reason);
    }
    let driven = run(&format!(
        "{MASSES}{CUT_AT_SLIDER} motion drive on th = 80 [deg] - 4 [rad/s]*t
         when t > 0.01 [s] \"brake\" {{ crank.u := 0 [rad/s] }}
         simulate {{ to = 0.05 [s], every = 0.01 [s] }}"
    ));
    assert!(driven.reason.contains("`brake`") && driven.reason.contains("`der(th)`"), "{}", driven.reason);
    assert!(driven.reason.contains("`der(th)` is -4"), "{}", driven.reason);
}

#[test]
fn an_assigned_coordinate_is_kept_and_the_loop_closes_around_it() {
    for cut in [CUT_AT_SLIDER, CUT_AT_CRANK] {
        let moved = run(&format!(
            "{MASSES}{cut} when t >= 0 [s] \"move\" {{ s := 0.55 [m]; slider.u := 0.1 [m/s] }}
             simulate {{ to = 0.01 [s], every = 0.01 [s] }}"
        ));
        assert_eq!(moved.reached, 0.01, "{}", moved.reason);
        let first = |name: &str| moved.series(name).expect("a column")[0];
        close(first("s"), 0.55, 1e-14);
        close(first("der(s)"), 0.1, 1e-14);
        // l² = r² + s² - 2 r s cos θ
        let cosine: f64 = (0.04 + 0.55 * 0.55 - 0.25) / (2.0 * 0.2 * 0.55);
        close(first("th").cos(), cosine, 1e-12);
        // 0 = s ṡ - r ṡ cos θ + r s θ̇ sin θ
        let rate = -0.1 * (0.55 - 0.2 * cosine) / (0.2 * 0.55 * first("th").sin());
        close(first("der(th)"), rate, 1e-10);
        assert_eq!(moved.audit.verdict(), Verdict::Holds, "{}", moved.audit);
    }
    let beyond = run(&format!(
        "{MASSES}{CUT_AT_SLIDER} when t >= 0 [s] \"tear\" {{ s := 2 [m] }}
         simulate {{ to = 0.01 [s], every = 0.01 [s] }}"
    ));
    for word in ["`tear`", "`s` := 2", "the loops do not close there"] {
        assert!(beyond.reason.contains(word), "{word}: {}", beyond.reason);
    }
}

const LOCK: &str = "body bus on N by prismatic(x, q = p) { mass = 10 [kg]; inertia = (1,1,1) [kg*m^2] }
body panel on bus by revolute(z, q = d) { mass = 1 [kg]; inertia = (0.1,0.1,0.1) [kg*m^2]; center = (0.5,0,0) [m] }
start { d = 1.2 [rad]; der(d) = 2 [rad/s]; bus.u = 0.3 [m/s] }
simulate { to = 0.1 [s], every = 0.05 [s] }
";
/// An unrelated mechanism with a constraint.
const RING: &str = "particle e on N by translate(x = ex, y = ey) { mass = 1 [kg] }
constraint ring = mag(position(N(5,0,0) [m], e.o)) - 1 [m]
start { ex = 6 [m]; ey = 0 [m] }
";

/// The momentum of bus and panel along x.
fn momentum(motion: &Trajectory, row: usize) -> f64 {
    let at = |name: &str| motion.series(name).unwrap_or_else(|| panic!("no {name}"))[row];
    let (v, d, w) = (at("der(p)"), at("d"), at("der(d)"));
    11.0 * v - 0.5 * w * d.sin()
}

/// A lock is an impulse between two bodies: the momentum of the whole stays, with and without constraints elsewhere.
#[test]
fn a_lock_conserves_the_momentum_of_the_rest() {
    let before = 11.0 * 0.3 - 0.5 * 2.0 * 1.2f64.sin();
    for block in [
        "panel.u := 0 [rad/s]",
        "der(d) := 0 [rad/s]",
        "if d > 0 { panel.u := 0 [rad/s] } else { bus.u := 0 [m/s] }",
    ] {
        let lock = format!("{LOCK}when t >= 0 [s] \"lock\" {{ {block} }}\n");
        let (tree, constrained) = (run(&lock), run(&format!("{lock}{RING}")));
        for motion in [&tree, &constrained] {
            close(last(motion, "der(d)"), 0.0, 1e-12);
            close(momentum(motion, 0), before, 1e-12);
            close(last(motion, "der(p)"), before / 11.0, 1e-12);
            assert_eq!(motion.audit.verdict(), Verdict::Holds, "{}", motion.audit);
        }
        close(last(&tree, "events.work"), last(&constrained, "events.work"), 1e-12);
    }
}

/// An impulse along the speed of the bus leaves the momentum of the panel about its hinge as it is.
#[test]
fn momenta_conjugate_to_free_speeds_stay() {
    let motion = run(&format!("{LOCK}when t >= 0 [s] \"hit\" {{ bus.u := -1 [m/s] }}\n"));
    let at = |name: &str| motion.series(name).unwrap_or_else(|| panic!("no {name}"))[0];
    close(at("der(p)"), -1.0, 0.0);
    let about = |v: f64, w: f64| -0.5 * 1.2f64.sin() * v + 0.35 * w;
    close(about(-1.0, at("der(d)")), about(0.3, 2.0), 1e-12);
}

/// `overwrite` replaces a speed and touches nothing else, unless constraints tie it to others.
#[test]
fn what_is_overwritten_gives_no_impulse() {
    for further in ["", RING] {
        let motion =
            run(&format!("{LOCK}{further}when t >= 0 [s] \"set\" {{ overwrite panel.u := 0 [rad/s] }}\n"));
        let at = |name: &str| motion.series(name).unwrap_or_else(|| panic!("no {name}"))[0];
        assert_eq!((at("der(d)"), at("der(p)")), (0.0, 0.3), "{further}");
    }
    let tied = run("particle p on N by translate(x = x, y = y) { mass = 1 [kg] }
         constraint line = x - 2*y
         when t >= 0 [s] { overwrite p.u1 := 2 [m/s] }
         simulate { to = 1 [s] }");
    close(last(&tied, "der(y)"), 1.0, 1e-12);
}

/// The tree of any formalism, in any coordinates, gets the same impulse as the same mechanism closed by a joint.
#[test]
fn trees_and_loops_have_one_rule() {
    let outer = "mass = 1.5 [kg]; inertia = (0,0,0.04) [kg*m^2]; center = (0.3,0,0) [m]";
    let inner = "body A on N by revolute(z, q = a) { mass = 2 [kg]; inertia = (0,0,0.1) [kg*m^2]; point P = (0.7,0,0) [m] }";
    let simulate =
        "when t >= 0 [s] \"hit\" { A.u := -1 [rad/s] }\nsimulate { to = 0.3 [s], every = 0.1 [s] }";
    let looped = run(&format!(
        "{inner}\nbody B on N by translate(x = x, y = y) rotate(z = b) {{ {outer} }}
         joint pin = revolute(A.P, B.o, axis = z)
         start {{ a = 0.4 [rad]; b = 1.1 [rad]; x ~ 0.6 [m]; y ~ 0.3 [m]; der(a) = 2 [rad/s]; der(b) = -1 [rad/s] }}
         {simulate}"
    ));
    let tree = run(&format!(
        "{inner}\nbody B on A at A.P by revolute(z, q = g) {{ {outer} }}
         speed wb = der(a) + der(g), wa = der(a)
         start {{ a = 0.4 [rad]; g = 0.7 [rad]; wa = 2 [rad/s]; wb = -1 [rad/s] }}
         {}",
        simulate.replace("A.u", "wa")
    ));
    close(last(&looped, "a"), last(&tree, "a"), 1e-8);
    close(last(&looped, "b"), last(&tree, "a") + last(&tree, "g"), 1e-8);
    close(last(&looped, "events.work"), last(&tree, "events.work"), 1e-9);
}

/// `stop` ends the run after its block, with the reason that it gives and a row of results.
#[test]
fn an_event_ends_the_run() {
    let motion = run("gravity = -9.81 [m/s^2]*N.z
         particle ball on N by translate(z = h) { mass = 1 [kg] }
         discrete hits = 0
         when h <= 0 [m] { hits := hits + 1; if hits > 1 { stop \"bounced twice\" }; ball.u := -0.5*ball.u }
         start { h = 1 [m] }
         simulate { to = 5 [s], every = 0.5 [s] }");
    let fall = (2.0f64 / 9.81).sqrt();
    assert_eq!(motion.ending, Ending::Stopped);
    assert_eq!(motion.reason, "bounced twice");
    close(motion.reached, 2.0 * fall, 1e-9);
    close(*motion.times().last().expect("rows"), 2.0 * fall, 1e-9);
    assert_eq!(last(&motion, "hits"), 2.0);
}
