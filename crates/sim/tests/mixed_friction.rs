//! Friction along the direction of a velocity beside friction by the sign of a speed: both stop and
//! hold in one motion, at one instant or one after the other.

use crate::reaction_laws::{close, last, reaches_the_end, run};

/// Two bodies that do not touch come to rest at t = 1 s, one by each law, and stay.
#[test]
fn both_laws_stop_at_one_instant() {
    let motion = run("gravity = 0
        particle p on N by translate(x = x, y = y) { mass = 1 [kg] }
        particle r on N by translate(x = s) { mass = 1 [kg] }
        force f1 on p.cm = -1 [N] * dir(velocity(p.cm))
        force f2 on r.cm = -1 [N] * sign(der(s)) * N.x
        start { der(x) = 1 [m/s]; der(s) = 1 [m/s] }
        simulate { to = 3 [s], every = 0.1 [s] }");
    reaches_the_end(&motion);
    close(last(&motion, "x"), 0.5, 1e-9);
    close(last(&motion, "s"), 0.5, 1e-9);
    assert_eq!(motion.slides.iter().filter(|s| s.sticks && s.to == 3.0).count(), 2, "{:?}", motion.slides);
}

/// Two pucks come to rest at one instant, and a third later.
#[test]
fn several_velocities_vanish_at_one_instant() {
    let puck = |name: &str, v: f64| {
        format!(
            "particle {name} on N by translate(x = x_{name}, y = y_{name}) {{ mass = 1 [kg] }}
             force f_{name} on {name}.cm = -1 [N] * dir(velocity({name}.cm))
             start {{ der(x_{name}) = {v} [m/s] }}\n"
        )
    };
    let text = ["a", "b"].map(|name| puck(name, 1.0)).concat() + &puck("c", 1.5);
    let motion = run(&format!("gravity = 0\n{text}simulate {{ to = 3 [s], every = 0.5 [s] }}"));
    reaches_the_end(&motion);
    assert_eq!(motion.slides.iter().filter(|s| s.sticks && s.to == 3.0).count(), 3, "{:?}", motion.slides);
    for (name, way) in [("x_a", 0.5), ("x_b", 0.5), ("x_c", 1.125)] {
        close(last(&motion, name), way, 1e-8);
    }
}

/// ẍ = -2 sign(ẋ) - ẋ/|v|, ÿ = -ẏ/|v| until ẋ = 0, by classical Runge-Kutta steps; then ÿ = -1 until rest.
fn by_hand() -> [f64; 3] {
    let rate = |u: [f64; 4]| {
        let v = u[2].hypot(u[3]);
        [u[2], u[3], -2.0 - u[2] / v, -u[3] / v]
    };
    let step = |u: [f64; 4], h: f64| {
        let moved = |k: [f64; 4], h: f64| std::array::from_fn(|i| u[i] + h * k[i]);
        let a = rate(u);
        let b = rate(moved(a, h / 2.0));
        let c = rate(moved(b, h / 2.0));
        let d = rate(moved(c, h));
        std::array::from_fn::<f64, 4, _>(|i| u[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    };
    let (mut u, mut t, mut h) = ([0.0, 0.0, 3.0, 1.0], 0.0, 1e-4);
    while h > 1e-15 {
        let next = step(u, h);
        if next[2] > 0.0 {
            (u, t) = (next, t + h);
        } else {
            h /= 2.0;
        }
    }
    [u[0], u[1] + 0.5 * u[3] * u[3], t + u[3]]
}

/// A body that rubs in the plane and, more, along one axis: that axis stops first, the other later.
#[test]
fn one_body_stops_along_one_axis_first() {
    let motion = run("gravity = 0
        particle p on N by translate(x = x, y = y) { mass = 1 [kg] }
        force f1 on p.cm = -1 [N] * dir(velocity(p.cm))
        force f2 on p.cm = -2 [N] * sign(der(x)) * N.x
        start { der(x) = 3 [m/s]; der(y) = 1 [m/s] }
        simulate { to = 3 [s], every = 0.1 [s] }");
    reaches_the_end(&motion);
    let [x, y, rests] = by_hand();
    close(last(&motion, "x"), x, 1e-7);
    close(last(&motion, "y"), y, 1e-7);
    let from = motion.slides.iter().map(|s| s.from).fold(0.0, f64::max);
    assert!((from - rests).abs() < 1e-6, "{from} is not {rests}");
}

/// From rest both hold a pull that grows by 1 N/s, until it exceeds the 3 N that they can bear together.
#[test]
fn both_laws_hold_from_the_start() {
    let motion = run("gravity = 0
        particle p on N by translate(x = x, y = y) { mass = 1 [kg] }
        force f1 on p.cm = -1 [N] * dir(velocity(p.cm))
        force f2 on p.cm = -2 [N] * sign(der(x)) * N.x
        force pull on p.cm = 1 [N/s] * t * N.x
        output held = f1.force.x + f2.force.x
        simulate { to = 4 [s], every = 0.5 [s], rtol = 1e-10 }");
    reaches_the_end(&motion);
    close(last(&motion, "x"), 1.0 / 6.0, 1e-6);
    let (times, held) = (motion.times(), motion.series("held").expect("a column"));
    for (t, held) in times.iter().zip(&held).filter(|(t, _)| **t < 2.9) {
        close(*held, -t, 1e-9);
    }
}

/// A block rubs on a carriage that rubs on its rail: the carriage stops, the block after it.
#[test]
fn a_block_on_a_carriage_comes_to_rest() {
    let motion = run("gravity = 0
        particle a on N by translate(x = x) { mass = 1 [kg] }
        particle b on a by translate(x = s, y = y) { mass = 1 [kg] }
        force f1 on b.cm from a.cm = -0.7 [N] * dir(velocity(b.cm, in = a))
        force f2 on a.cm = -2 [N] * sign(der(x)) * N.x
        start { der(x) = 1 [m/s]; der(s) = 0.5 [m/s]; der(y) = 0.3 [m/s] }
        simulate { to = 4 [s], every = 0.1 [s] }");
    reaches_the_end(&motion);
    for speed in ["der(x)", "der(s)", "der(y)"] {
        let left = last(&motion, speed);
        assert!(left.abs() < 1e-12, "{speed} is {left}");
    }
}
