//! What joints do to their bodies: closed forms, Newton and Euler by differences, and each joint in the tree against the same joint
//! as one that closes a loop, whose reaction comes from multipliers.

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn motion(text: &str, to: f64, samples: usize) -> Trajectory {
    let model = resolve(parse("reactions.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}\n{text}"));
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut settings = Settings::of(&model, &ParameterValues::of(&model)).expect("good settings");
    (settings.to, settings.every) = (to, Some(to / samples as f64));
    // Two motions are compared at the same times: what they lose on the way must not be taken for a difference of reactions.
    (settings.rtol, settings.atol) = (1e-13, 1e-15);
    compiled.simulation.run(&settings, &mut ()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn series(run: &Trajectory, name: &str) -> Vec<f64> {
    run.series(name).unwrap_or_else(|| panic!("no column `{name}`")).to_vec()
}

/// Two columns are the same up to a factor.
fn same(a: (&Trajectory, &str), b: (&Trajectory, &str), factor: f64, tolerance: f64) {
    let pairs = series(a.0, a.1).into_iter().zip(series(b.0, b.1));
    for (k, (x, y)) in pairs.enumerate() {
        let off = x - factor * y;
        assert!(off.abs() <= tolerance, "{} {x}, {} {} at sample {k}: off by {off:e}", a.1, b.1, factor * y);
    }
}

/// The largest size of a column.
fn largest(run: &Trajectory, name: &str) -> f64 {
    series(run, name).into_iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

fn axes(what: &str) -> [String; 3] {
    ["x", "y", "z"].map(|i| format!("{what}.{i}"))
}

/// Along the rod m g cos q + m L w²/2; across it what is left of the weight; about the pin nothing.
#[test]
fn a_pendulum_pulls_on_its_pin() {
    let text = "
gravity = -9.81 [m/s^2] * N.z
body rod on N by revolute(y, q = q) { mass = 2 [kg]; inertia = (1/6, 1/6, 0) [kg*m^2]; center = (0, 0, -0.5) [m] }
start { q = 30 [deg]; der(q) = 3 [rad/s] }
output along = dot(rod.force, rod.z), pull = 2 [kg] * (9.81 [m/s^2] * cos(q) + 0.5 [m] * der(q)^2)
output across = dot(rod.force, rod.x), rest = -2 [kg] * 9.81 [m/s^2] * sin(q) / 4
output rod.torque
simulate { to = 1 [s] }
";
    let run = motion(text, 2.0, 40);
    same((&run, "along"), (&run, "pull"), 1.0, 1e-10);
    same((&run, "across"), (&run, "rest"), 1.0, 1e-10);
    axes("rod.torque").iter().for_each(|c| assert!(largest(&run, c) < 1e-12, "{c}"));
}

/// The root of a spatial chain bears the rate of all momentum and angular momentum less the weights and what else acts; a weld bears
/// what is welded on.
#[test]
fn the_root_of_a_chain_obeys_newton_and_euler_by_differences() {
    let text = "
gravity = N(1, -2, -9) [m/s^2]
body a on N by universal(xy) { mass = 2 [kg]; inertia = (0.3, 0.2, 0.1) [kg*m^2]; center = (0.1, 0.2, -0.3) [m] }
body b on a by cylindrical((1, 2, 2)) at (0.2, 0.1, -0.5) [m] { mass = 1.5 [kg]; inertia = (0.1, 0.2, 0.15) [kg*m^2]; center = (0.2, -0.1, 0.1) [m] }
body c on b at (0.1, 0.3, 0) [m] { mass = 0.7 [kg]; inertia = (0.05, 0.04, 0.06) [kg*m^2]; center = (0, 0.1, 0.1) [m] }
spring hold between a.o and b.cm { stiffness = 200 [N/m], length = 0.4 [m] }
force wind on c.cm = 3 [N] * N.x
torque twist on b from a = 0.4 [N*m] * b.y
start { a.q1 = 0.3; a.u1 = 1 [rad/s]; a.u2 = -2 [rad/s] }
variable ha = 0.3*dot(omega(a), a.x)*a.x + 0.2*dot(omega(a), a.y)*a.y + 0.1*dot(omega(a), a.z)*a.z
variable hb = 0.1*dot(omega(b), b.x)*b.x + 0.2*dot(omega(b), b.y)*b.y + 0.15*dot(omega(b), b.z)*b.z
variable hc = 0.05*dot(omega(c), c.x)*c.x + 0.04*dot(omega(c), c.y)*c.y + 0.06*dot(omega(c), c.z)*c.z
output P = 2 [kg]*velocity(a.cm) + 1.5 [kg]*velocity(b.cm) + 0.7 [kg]*velocity(c.cm)
output H = 1 [kg*m^2]*(ha + hb + hc) + 2 [kg]*cross(position(N.o, a.cm), velocity(a.cm)) + 1.5 [kg]*cross(position(N.o, b.cm), velocity(b.cm)) + 0.7 [kg]*cross(position(N.o, c.cm), velocity(c.cm))
output F = a.force + 4.2 [kg]*g + 3 [N]*N.x
output M = a.torque + cross(position(N.o, a.cm), 2 [kg]*g) + cross(position(N.o, b.cm), 1.5 [kg]*g) + cross(position(N.o, c.cm), 0.7 [kg]*g + 3 [N]*N.x)
variable g = N(1, -2, -9) [m/s^2]
output weld = c.force
output welded = 0.7 [kg]*(acceleration(c.cm) - g) - 3 [N]*N.x
simulate { to = 1 [s] }
";
    let run = motion(text, 1.0, 4000);
    let step = 1.0 / 4000.0;
    for (momentum, force) in [("P", "F"), ("H", "M")] {
        for (p, f) in axes(momentum).iter().zip(axes(force)) {
            let (p, f) = (series(&run, p), series(&run, &f));
            let mut worst = 0.0_f64;
            for k in 2..p.len() - 2 {
                let rate = (8.0 * (p[k + 1] - p[k - 1]) - (p[k + 2] - p[k - 2])) / (12.0 * step);
                worst = worst.max((rate - f[k]).abs());
            }
            assert!(worst < 1e-6, "{momentum} {force}: off by {worst:e}");
        }
    }
    for (a, b) in axes("weld").iter().zip(axes("welded")) {
        same((&run, a), (&run, &b), 1.0, 1e-11);
    }
}

/// Every kind of joint that can stand in the tree, there and as one that closes a loop with a free body. What the
/// root bears shows that multipliers act in the right place.
#[test]
fn joints_of_the_tree_do_what_closing_joints_do() {
    let kinds = [
        ("fixed()", "fixed(a.P, b.o)"),
        ("revolute(z)", "revolute(a.P, b.o, axis = z)"),
        ("prismatic(z)", "prismatic(a.P, b.o, axis = z)"),
        ("cylindrical(z)", "cylindrical(a.P, b.o, axis = z)"),
        ("screw(z, lead = 0.3 [m])", "screw(a.P, b.o, axis = z, lead = 0.3 [m])"),
        ("planar(z)", "planar(a.P, b.o, axis = z)"),
        ("universal(zx)", "universal(a.P, b.o, axis = z, second = x)"),
        ("spherical()", "spherical(a.P, b.o)"),
    ];
    let common = "
gravity = N(3, -5, -7) [m/s^2]
body a on N by revolute((0, 0.6, 0.8)) { mass = 2 [kg]; inertia = (0.3, 0.2, 0.1) [kg*m^2]; center = (0.1, 0.2, -0.3) [m]; point P = (0.3, 0.1, 0.2) [m] }
torque push on a = 2 [N*m] * a.z
torque twist on b = 0.3 [N*m] * N.x
output af = a.force, am = a.torque
simulate { to = 1 [s] }
";
    let data = "{ mass = 1.5 [kg]; inertia = (0.1, 0.2, 0.15) [kg*m^2]; center = (0.2, -0.1, 0.1) [m] }";
    for (tree, cut) in kinds {
        let tree = format!("{common}body b on a by {tree} at a.P {data}\noutput f = b.force, m = b.torque\n");
        let cut = format!(
            "{common}body b on N by free(rotate = xyz) at (0.3, 0.1, 0.2) [m] {data}\njoint j = {cut}\noutput f = -j.force, m = -j.torque\n"
        );
        let (x, y) = (motion(&tree, 0.5, 20), motion(&cut, 0.5, 20));
        assert!(largest(&x, "f.x") > 0.5, "something happens");
        for what in ["f", "m", "af", "am"] {
            for c in axes(what) {
                same((&x, &c), (&y, &c), 1.0, 1e-10 * (1.0 + largest(&x, &c)));
            }
        }
    }
}

/// A four-bar cut at the rocker's head, and the same cut at its foot.
#[test]
fn a_four_bar_may_be_cut_anywhere() {
    let bars = "
gravity = -9.81 [m/s^2] * N.y
body crank on N by revolute(z, q = phi) { mass = 0.5 [kg]; inertia = (0, 4e-4, 4e-4) [kg*m^2]; center = (0.05, 0, 0) [m]; point end = (0.1, 0, 0) [m] }
body coupler on crank by revolute(z, q = psi) at crank.end { mass = 0.8 [kg]; inertia = (0, 8e-3, 8e-3) [kg*m^2]; center = (0.175, 0, 0) [m]; point end = (0.35, 0, 0) [m] }
simulate { to = 1 [s] }
output crank.force
output coupler.force
";
    let head = format!(
        "{bars}
body rocker on N by revolute(z, q = theta) at (0.3, 0, 0) [m] {{ mass = 0.6 [kg]; inertia = (0, 3e-3, 3e-3) [kg*m^2]; center = (0.125, 0, 0) [m]; point end = (0.25, 0, 0) [m] }}
joint pin = revolute(coupler.end, rocker.end, axis = z)
start {{ phi = 60 [deg]; der(phi) = 20 [rad/s]; psi = -0.5879836721539745; theta = 1.312988228135458 }}
output foot = rocker.force, pin_on_coupler = pin.force
"
    );
    let foot = format!(
        "{bars}
body rocker on coupler by revolute(z, q = theta) at coupler.end {{ mass = 0.6 [kg]; inertia = (0, 3e-3, 3e-3) [kg*m^2]; center = (-0.125, 0, 0) [m]; point end = (-0.25, 0, 0) [m] }}
joint hinge = revolute(rocker.end, N(0.3, 0, 0) [m], axis = z)
start {{ phi = 60 [deg]; der(phi) = 20 [rad/s]; psi = -0.5879836721539745; theta = 0.8537743490928348 }}
output foot = hinge.force, pin_on_coupler = -rocker.force
"
    );
    let (a, b) = (motion(&head, 0.2, 40), motion(&foot, 0.2, 40));
    same((&a, "psi"), (&b, "psi"), 1.0, 1e-9);
    for what in ["crank.force", "coupler.force", "foot", "pin_on_coupler"] {
        assert!(largest(&a, &format!("{what}.x")) > 1.0, "{what}");
        for i in ["x", "y"] {
            let c = format!("{what}.{i}");
            same((&a, &c), (&b, &c), 1.0, 1e-10 * (1.0 + largest(&a, &c)));
        }
    }
}

/// The crank's bearing bears what accelerates all three bodies, less what the cylinder does; the drive's effort is part of what it does.
#[test]
fn a_slider_crank_shakes_its_frame() {
    let text = include_str!("../../../models/slider-crank.mbs");
    let text = format!(
        "{text}
output shake = crank.force + piston.force
output moved = 1.2 [kg]*acceleration(crank.cm) + 0.6 [kg]*acceleration(rod.cm) + 0.8 [kg]*acceleration(piston.cm)
output wall = piston.force.y, along = piston.force.x, turned = crank.torque.z
"
    );
    let run = motion(&text, 0.1, 100);
    for (a, b) in axes("shake").iter().zip(axes("moved")) {
        same((&run, a), (&run, &b), 1.0, 1e-10 * (1.0 + largest(&run, &b)));
    }
    same((&run, "wall"), (&run, "side"), 1.0, 1e-10 * largest(&run, "side"));
    same((&run, "turned"), (&run, "torque"), 1.0, 1e-10 * largest(&run, "torque"));
    assert!(largest(&run, "along") < 1e-7 && largest(&run, "wall") > 10.0);
}

/// The ground's grip at the contact turns the wheel, so that its axle bears no torque about itself.
#[test]
fn a_rolling_wheel_needs_no_torque_at_its_axle() {
    let text = "
gravity = -10 [m/s^2] * N.z
body cart on N by prismatic(x) at (0, 0, 0.5) [m] { mass = 3 [kg]; inertia = (1, 1, 1) [kg*m^2] }
body wheel on cart by revolute(y) { mass = 2 [kg]; inertia = (0.1, 0.25, 0.1) [kg*m^2] }
joint road = rolling(wheel.o, N.o, axis = y, radius = 0.5 [m])
force pull on cart.cm = 12 [N] * N.x
output road.force
output wheel.force
output wheel.torque
output cart.force
simulate { to = 1 [s] }
";
    let run = motion(text, 1.0, 10);
    // a = 12 / (3 + 2 + 0.25/0.5²) = 2
    // The cart's guide holds the wheel on the road already. The weights of 50 N and 20 N are shared with the least norm: N² + (20 - N)² + (50 - N)².
    let expected = [
        ("road.force.x", -2.0),
        ("wheel.force.x", 6.0),
        ("cart.force.x", 0.0),
        ("road.force.z", 70.0 / 3.0),
        ("wheel.force.z", -10.0 / 3.0),
        ("cart.force.z", 80.0 / 3.0),
    ];
    for (name, value) in expected {
        assert!(
            series(&run, name).iter().all(|x| (x - value).abs() < 1e-10),
            "{name}: {:?}",
            series(&run, name)[0]
        );
    }
    assert!(largest(&run, "wheel.torque.y") < 1e-11);
}

/// Three hinges in one line, all of them closing: what they do together is what the one hinge of a tree does, and the weight is shared.
#[test]
fn hinges_that_repeat_one_another_share_the_load() {
    let data = "{ mass = 25 [kg]; inertia = (8.5, 1.4, 9.9) [kg*m^2]; center = (0.4, 0, 1) [m]; point middle = (0, 0, 1) [m]; point top = (0, 0, 2) [m] }
gravity = -9.81 [m/s^2] * N.z
torque closer on leaf = 20 [N*m] * N.z
simulate { to = 1 [s] }
";
    let one = motion(
        &format!("body leaf on N by revolute(z) {data}output f = leaf.force, m = leaf.torque\n"),
        1.0,
        20,
    );
    let text = format!(
        "body leaf on N by free(rotate = zxy) {data}
joint low = revolute(leaf.o, N.o, axis = z)
joint middle = revolute(leaf.middle, N(0, 0, 1) [m], axis = z)
joint high = revolute(leaf.top, N(0, 0, 2) [m], axis = z)
output f = low.force + middle.force + high.force
output m = low.torque + middle.torque + high.torque + cross(1 [m]*N.z, middle.force) + cross(2 [m]*N.z, high.force)
output low = low.force.z, mid = middle.force.z, high = high.force.z
"
    );
    let three = motion(&text, 1.0, 20);
    for c in axes("f").iter().chain(&axes("m")) {
        same((&three, c), (&one, c), 1.0, 1e-10 * (1.0 + largest(&one, c)));
    }
    for name in ["low", "mid", "high"] {
        assert!(series(&three, name).iter().all(|x| (x - 25.0 * 9.81 / 3.0).abs() < 1e-10), "{name}");
    }
}

/// A planar loop counts to less than nothing and moves all the same; what says so names the loop.
#[test]
fn loops_that_repeat_constraints_are_named() {
    let text = include_str!("../../../models/four-bar.mbs");
    let model = resolve(parse("four-bar.mbs", text)).into_model().expect("the model is right");
    let found = cardan::assembly::mobility(&model).expect("it can be assembled").expect("it has a loop");
    assert_eq!((found.counted, found.freedom), (-2, 1));
    let [pin] = &found.repetitions[..] else { panic!("{found:?}") };
    assert_eq!(pin.through, ["crank", "coupler", "rocker"]);
    let words = pin.to_string();
    let start = "pin repeats 3 constraints of the loop through crank, coupler, rocker: translation along z of coupler; ";
    assert!(words.starts_with(start), "{words}");
}

/// Directions are told in the axes of the bodies, whatever the joint's own axis is.
#[test]
fn repeated_directions_are_those_of_the_bodies() {
    let solid = "mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]";
    let said = |text: String| {
        let model = resolve(parse("t.mbs", &text)).into_model().expect("the model is right");
        let found = cardan::assembly::mobility(&model).expect("it can be assembled").expect("it has a loop");
        found.repetitions.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    // A parallelogram in the plane of x and z.
    let bars = said(format!(
        "body crank on N by revolute(y) {{ {solid} }}\nbody coupler on crank by revolute(y) at (0, 0, 1) [m] {{ {solid} }}\n\
         body rocker on N by revolute(y) at (2, 0, 0) [m] {{ {solid} }}\njoint knee = revolute(coupler(2 [m], 0, 0), rocker(0, 0, 1 [m]), axis = y)"
    ));
    assert!(
        bars.contains("translation along y of coupler; rotation of y of rocker towards z of coupler"),
        "{bars}"
    );
    assert!(bars.contains("rotation of y of rocker towards x of coupler"), "{bars}");
    let rail = said(format!(
        "body car on N by translate(x) translate(y) translate(z) {{ {solid} }}\njoint floor = in_plane(car.o, N.o, axis = z)\njoint rail = on_line(N.o, car.o, axis = x)"
    ));
    assert!(rail.contains("translation along z of N"), "{rail}");
}

/// The ground has no joint, hence no reaction.
#[test]
fn the_ground_has_no_reaction() {
    let found = resolve(parse("t.mbs", "output N.force")).diagnostics;
    assert!(found.iter().any(|d| d.message == "`N` has nothing called `force`"), "{found:?}");
}

/// Of a planar loop the pins' forces in the plane follow from the motion; what is not unique is across it.
#[test]
fn forces_in_the_plane_of_a_loop_are_unique() {
    let data = "mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; center = (0.1, 0, 0) [m]";
    let text = format!(
        "gravity = -9.81 [m/s^2]*N.y
body crank on N by revolute(z, q = a) {{ {data}; point tip = (0.2, 0, 0) [m] }}
body coupler on crank.tip by revolute(z, q = b) {{ {data}; point tip = (0.5, 0, 0) [m] }}
body rocker on N by revolute(z, q = c) at (0.5, 0, 0) [m] {{ {data}; point tip = (0.3, 0, 0) [m] }}
joint pin = revolute(coupler.tip, rocker.tip, axis = z)
start {{ a = 60 [deg] }}
simulate {{ to = 0.1 [s] }}
"
    );
    let mut model = resolve(parse("pins.mbs", &text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let vectors = model.ask_for_reactions();
    assert!(vectors.iter().any(|v| v == "pin.force"), "{vectors:?}");
    let compiled = compile_model(&model, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let open = compiled.choice.loops.expect("it has a loop").not_unique;
    for vector in vectors {
        for axis in ["x", "y", "z"] {
            let across = vector.ends_with("force") == (axis == "z");
            assert_eq!(open.contains(&format!("{vector}.{axis}")), across, "{vector}.{axis} of {open:?}");
        }
    }
}
