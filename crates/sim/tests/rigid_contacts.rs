//! Contacts that open and close: impacts, rest, sliding and rolling, chains of impacts, inequalities.

use cardan_sim::{Ending, Trajectory};

use crate::reaction_laws::{close, last, reaches_the_end, run};

/// Times at which a contact was struck.
fn impacts(motion: &Trajectory, name: &str) -> Vec<f64> {
    let list = motion.happenings.list.iter().filter(|h| motion.happenings.name(h) == name);
    list.map(|h| h.t).collect()
}

/// A ball dropped from h: t_n = √(2h/g) (1 + 2 Σ e^k), at rest after √(2h/g) (1 + e)/(1 - e).
#[test]
fn a_ball_bounces_and_comes_to_rest_after_a_finite_time() {
    for (h, e, at_rest) in
        [(1.0, 0.8, 4.063712768872), (10.0, 0.5, 4.283529368781), (2.0, 0.95, 24.90348341575)]
    {
        let motion = run(&format!(
            "gravity = -9.81 [m/s^2] * N.z
            particle ball on N by translate(z = z) {{ mass = 2 [kg] }}
            contact floor between ball.o and N.o {{ normal = N.z; restitution = {e} }}
            output floor.normal
            start {{ z = {h} [m] }}
            simulate {{ to = {} [s], every = 0.1 [s] }}",
            at_rest + 1.0
        ));
        reaches_the_end(&motion);
        let times = impacts(&motion, "floor meets");
        let fall = f64::sqrt(2.0 * h / 9.81);
        let mut expected = fall;
        for (n, t) in times.iter().take(20).enumerate() {
            close(*t, expected, 1e-11);
            expected += 2.0 * fall * f64::powi(e, n as i32 + 1);
        }
        close(*times.last().expect("impacts"), at_rest, 1e-8);
        close(last(&motion, "floor.closed"), 1.0, 0.0);
        close(last(&motion, "z"), 0.0, 1e-12);
        close(last(&motion, "floor.normal"), 2.0 * 9.81, 1e-9);
    }
}

/// A ball, cylinder or hoop that slides on a rough floor until it rolls.
#[test]
fn what_slides_on_a_rough_floor_begins_to_roll() {
    let g = 9.81;
    for b in [0.4, 0.5, 1.0] {
        for (v0, spin, mu) in [(5.0, 0.0, 0.2), (5.0, -6.0, 0.2), (2.0, 8.0, 0.15)] {
            let motion = run(&format!(
                "parameter R = 0.1 [m]
                gravity = -{g} [m/s^2] * N.z
                body ball on N by planar(y, q = (z, x, psi)) {{ mass = 1 [kg]; inertia = ({b}, {b}, {b}) [kg] * R^2 }}
                contact floor between ball.o and N.o {{ normal = N.z; radius = R; friction = {mu} }}
                output floor.slip, floor.normal
                start {{ z = R; der(x) = {v0} [m/s]; der(psi) = {} [rad/s] }}
                simulate {{ to = 3 [s], every = 0.05 [s] }}",
                spin / 0.1
            ));
            reaches_the_end(&motion);
            let slip: f64 = v0 - spin;
            let rolls = slip.abs() / (mu * g * (1.0 + 1.0 / b));
            let speed = (v0 + b * spin) / (1.0 + b);
            let held = motion.slides.iter().rfind(|s| s.sticks).expect("it rolls");
            close(held.from, rolls, 1e-8);
            close(last(&motion, "der(x)"), speed, 1e-9);
            let way = v0 * rolls - 0.5 * slip.signum() * mu * g * rolls * rolls;
            close(last(&motion, "x"), way + speed * (3.0 - rolls), 1e-8);
        }
    }
}

/// Chains of balls, struck one after the other from the left (Newton's cradle, and unequal masses).
#[test]
fn chains_of_balls_part_as_binary_impacts_say() {
    /// Masses, speeds before, restitution, speeds after, number of impacts.
    type Row<'a> = (&'a [f64], &'a [f64], f64, &'a [f64], usize);
    let rows: [Row<'_>; 6] = [
        (&[1.0; 5], &[1.0, 0.0, 0.0, 0.0, 0.0], 1.0, &[0.0, 0.0, 0.0, 0.0, 1.0], 4),
        (&[1.0; 5], &[1.0, 1.0, 0.0, 0.0, 0.0], 1.0, &[0.0, 0.0, 0.0, 1.0, 1.0], 6),
        (&[1.0; 3], &[1.0, 0.0, 0.0], 0.9, &[0.047625, 0.049875, 0.9025], 3),
        (&[2.0, 1.0, 1.0], &[1.0, 0.0, 0.0], 1.0, &[1.0 / 9.0, 4.0 / 9.0, 4.0 / 3.0], 3),
        (&[1.0, 2.0, 4.0], &[3.0, 0.0, 0.0], 1.0, &[-1.0, -2.0 / 3.0, 4.0 / 3.0], 2),
        (&[3.0, 2.0, 1.0], &[1.0, 0.0, -1.0], 0.8, &[-0.04256, 0.31584, 1.496], 3),
    ];
    for (masses, speeds, e, after, n_impacts) in rows {
        let n = masses.len();
        let mut text = String::new();
        for (k, m) in masses.iter().enumerate() {
            text += &format!("particle b{k} on N by translate(x = x{k}) {{ mass = {m} [kg] }}\n");
        }
        for k in 1..n {
            text += &format!(
                "contact c{k} between b{k}.o and b{}.o {{ normal = N.x; restitution = {e} }}\n",
                k - 1
            );
        }
        // A hair apart, so that impacts come one after the other from the left.
        let start: Vec<String> = (0..n)
            .map(|k| {
                format!(
                    "x{k} = {} [m]; der(x{k}) = {} [m/s]",
                    1e-8 * f64::from(3u32.pow(k as u32)),
                    speeds[k]
                )
            })
            .collect();
        text += &format!("start {{ {} }}\nsimulate {{ to = 1 [s] }}", start.join("; "));
        let motion = run(&text);
        reaches_the_end(&motion);
        for (k, v) in after.iter().enumerate() {
            close(last(&motion, &format!("der(x{k})")), *v, 1e-12);
        }
        assert_eq!(motion.happenings.list.len(), n_impacts, "{text}");
    }
}

/// A ball with spin whose slip is reversed: v⁺ = v - 4/7 s, (R ω)⁺ = R ω + 10/7 s.
#[test]
fn a_superball_reverses_its_slip() {
    for (v, spin, v1, spin1) in [
        (1.0, 0.0, 0.4285714285714, 1.428571428571),
        (2.0, -3.0, -0.8571428571429, 4.142857142857),
        (0.0, 5.0, 2.857142857143, -2.142857142857),
    ] {
        let motion = run(&format!(
            "parameter R = 0.1 [m]
            body ball on N by planar(y, q = (z, x, psi)) {{ mass = 1 [kg]; inertia = (2/5, 2/5, 2/5) [kg] * R^2 }}
            contact floor between ball.o and N.o {{
              normal = N.z; radius = R; restitution = 1; tangential_restitution = 1; friction = 100
            }}
            start {{ z = 2*R; der(z) = -1 [m/s]; der(x) = {v} [m/s]; der(psi) = {} [rad/s] }}
            simulate {{ to = 0.2 [s] }}",
            spin / 0.1
        ));
        reaches_the_end(&motion);
        assert!((last(&motion, "der(x)") - v1).abs() < 1e-12, "{}", last(&motion, "der(x)"));
        close(0.1 * last(&motion, "der(psi)"), spin1, 1e-12);
    }
}

/// A Hertz contact: δ_max = (5 m v²/(4k))^(2/5), a contact time of 2.9432751843247 δ_max/v.
#[test]
fn a_compliant_impact_lasts_as_hertz_says() {
    for (m, k, v, depth, time, force) in [
        (0.03288200310757, 15384615384.62, 1.0, 2.348078728732e-5, 6.911041853118e-5, 1750.473839804),
        (1.413716694115, 11710227690.49, 0.1, 1.868455779893e-5, 0.0005499379529967, 945.7788012225),
    ] {
        let motion = run(&format!(
            "particle ball on N by translate(z = z) {{ mass = {m} [kg] }}
            contact floor between ball.o and N.o {{ normal = N.z; stiffness = {k} [N/m^(3/2)] }}
            discrete opened = 0 [s], deepest = 0 [m], hardest = 0 [N]
            when floor.rate > 0 [m/s] {{ deepest := -floor.gap; hardest := floor.normal }}
            when floor.gap > 0 [m] {{ opened := t }}
            start {{ der(z) = -{v} [m/s] }}
            simulate {{ to = {} [s], rtol = 1e-12 }}",
            2.0 * time
        ));
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        close(last(&motion, "opened"), time, 1e-9 * time);
        close(last(&motion, "deepest"), depth, 1e-9 * depth);
        close(last(&motion, "hardest"), force, 1e-9 * force);
        close(last(&motion, "der(z)"), v, 1e-9 * v);
    }
}

/// Hunt and Crossley: the restitution e of F = k δ^1.5 (1 + 1.5 a δ̇) solves (1 + 1.5 a v)/(1 - 1.5 a e v) = exp(1.5 a v (1 + e)).
#[test]
fn a_damped_impact_keeps_what_hunt_and_crossley_say() {
    for (av, e) in
        [(0.05, 0.9523701528204), (0.1, 0.9090157413492), (0.2, 0.8328697922656), (0.4, 0.7119501795779)]
    {
        let motion = run(&format!(
            "particle ball on N by translate(z = z) {{ mass = 1 [kg] }}
            contact floor between ball.o and N.o {{
              normal = N.z; stiffness = 1e6 [N/m^(3/2)]; damping = 1.5*{av} [s/m]
            }}
            start {{ der(z) = -1 [m/s] }}
            simulate {{ to = 0.1 [s] }}"
        ));
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        close(last(&motion, "der(z)"), e, 1e-9);
    }
}

/// A block on a slope: down with g (sin α - μ cos α), up to a stop at v²/(2 g (sin α + μ cos α)).
#[test]
fn a_block_slides_on_a_slope_as_the_closed_form_says() {
    let text = |v: f64, to: f64| {
        format!(
            "gravity = -9.81 [m/s^2] * N.z
            frame slope on N by fixed(rotate = xyz, angles = (0, -30, 0) [deg])
            particle block on slope by translate(x = x) translate(z = z) {{ mass = 3 [kg] }}
            contact floor between block.o and N.o {{ normal = slope.z; tangent = slope.x; friction = 0.3 }}
            start {{ der(x) = {v} [m/s] }}
            simulate {{ to = {to} [s] }}"
        )
    };
    let down = run(&text(-1.0, 1.0));
    reaches_the_end(&down);
    close(last(&down, "der(x)"), -1.0 - 2.356287236662, 1e-9);
    let up = run(&text(4.0, 0.5366453104652));
    reaches_the_end(&up);
    close(last(&up, "x"), 1.07329062093, 1e-9);
    assert!(last(&up, "der(x)").abs() < 1e-7, "{}", last(&up, "der(x)"));
}

/// A string is an inequality: a mass falls freely until it is taut, loses the speed along it, and swings.
#[test]
fn a_string_goes_taut_and_slack() {
    let motion = run("gravity = -9.81 [m/s^2] * N.z
        particle p on N by translate(x = x) translate(z = z) { mass = 1 [kg] }
        constraint string = 1 [m] - mag(position(N.o, p.o)) >= 0 [m]
        output string.multiplier, length = mag(position(N.o, p.o))
        start { x = 0.6 [m] }
        simulate { to = 2 [s], every = 0.01 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    let taut = impacts(&motion, "string meets");
    // Free fall from (0.6, 0) reaches the circle at z = -0.8.
    close(taut[0], f64::sqrt(1.6 / 9.81), 1e-10);
    let speed = f64::sqrt(2.0 * 9.81 * 0.8) * 0.6;
    let rows = motion.series("der(x)").expect("x").into_iter().zip(motion.series("der(z)").expect("z"));
    let (t, z) = (motion.series("t").expect("t"), motion.series("z").expect("z"));
    for (k, (vx, vz)) in rows.enumerate().filter(|(k, _)| t[*k] > taut[0]) {
        close(0.5 * (vx * vx + vz * vz) + 9.81 * (z[k] + 0.8), 0.5 * speed * speed, 1e-7);
    }
    for length in motion.series("length").expect("length") {
        assert!(length <= 1.0 + 1e-9, "{length}");
    }
}

/// Painlevé's rod: where friction is strong, no motion or several fit; the run says so.
#[test]
fn a_rod_that_friction_locks_is_told() {
    let rod = |mu: f64| {
        format!(
            "parameter m = 1 [kg], l = 1 [m]
            gravity = -9.81 [m/s^2] * N.z
            body rod on N by planar(y, q = (z, x, th)) {{
              mass = m; inertia = (m*l^2/3, m*l^2/3, m*l^2/3); point tip = (-l, 0, 0)
            }}
            contact floor between rod.tip and N.o {{ normal = N.z; tangent = N.x; friction = {mu} }}
            output floor.normal, floor.gap
            start {{ th = -60 [deg]; z = l*sin(60 [deg]); der(x) = 3 [m/s] }}
            simulate {{ to = 0.05 [s], every = 1 [ms] }}"
        )
    };
    let gentle = run(&rod(0.3));
    assert_eq!(gentle.ending, Ending::Finished, "{}", gentle.reason);
    // W_nn = (1 + 3 cos² θ)/m and W_nt = 3 sin θ cos θ/m: critical is μ = (1 + 3 cos² θ)/(3 sin θ cos θ) = 1.347.
    let locked = run(&rod(1.6)).reason;
    let other = run(&rod(1.6).replace("der(x) = 3", "der(x) = -3")).reason;
    assert!(locked.contains("Painlevé") || other.contains("Painlevé"), "{locked} / {other}");
}

/// A small ball on top of a big one: it rebounds to ((3 M - m)/(M + m))² of the height.
#[test]
fn a_small_ball_leaps_from_a_big_one() {
    for (mass, height) in [(2.0, 2.777777777778), (5.0, 5.444444444444), (1e9, 8.999999976)] {
        let motion = run(&format!(
            "gravity = -9.81 [m/s^2] * N.z
            particle big on N by translate(z = a) {{ mass = {mass} [kg] }}
            particle small on N by translate(z = b) {{ mass = 1 [kg] }}
            contact floor between big.o and N.o {{ normal = N.z; restitution = 1 }}
            contact pair between small.o and big.o {{ normal = N.z; restitution = 1 }}
            discrete top = 0 [m]
            when der(b) < 0 [m/s] and t > 0.452 [s] and top == 0 [m] {{ top := b }}
            start {{ a = 1 [m]; b = 1.000000000001 [m] }}
            simulate {{ to = 2.5 [s], every = 0.1 [s] }}"
        ));
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        close(last(&motion, "top"), height, 1e-9);
    }
}

/// A rod on two rollers that turn towards each other: friction by the normal loads makes it swing, with T = 2π √(l/(μ g)).
#[test]
fn a_rod_swings_on_two_rollers() {
    let motion = run("parameter l = 0.5 [m], w = 100 [rad/s], r = 0.1 [m]
        gravity = -9.81 [m/s^2] * N.z
        body rod on N by planar(y, q = (z, x, th)) { mass = 3 [kg]; inertia = (0.1, 0.25, 0.25) [kg*m^2] }
        frame left on N by revolute(y, motion = w*t) at (-l, 0, -r)
        frame right on N by revolute(y, motion = -w*t) at (l, 0, -r)
        contact a between left.o and rod.o { normal = -rod.z; radius = r; friction = 0.25 }
        contact b between right.o and rod.o { normal = -rod.z; radius = r; friction = 0.25 }
        discrete first = 0 [s], second = 0 [s]
        when x < 0 [m] { first := t }
        when x > 0 [m] { second := t }
        output weight = a.normal + b.normal
        start { x = 0.1 [m] }
        simulate { to = 2.5 [s], every = 0.1 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    close(2.0 * (last(&motion, "second") - last(&motion, "first")), 2.837006706886, 1e-9);
    // The first row stands before the bodies meet, which they do at the start.
    for weight in motion.series("weight").expect("weight").into_iter().skip(1) {
        close(weight, 3.0 * 9.81, 1e-9);
    }
}

/// A ball on a table that shakes by little, struck once in each period: cos φ = π g (1 - e)/(A ω² (1 + e)) at the impacts, from
/// A ω²/g = 0.3490658503989 on for e = 0.8.
#[test]
fn a_ball_bounces_in_step_with_a_table() {
    let threshold = std::f64::consts::PI * 0.2 / 1.8;
    close(threshold, 0.3490658503989, 1e-13);
    let motion = run("parameter A = 1 [mm], e = 0.8, ratio = 0.4, g = 9.81 [m/s^2]
        variable w = sqrt(ratio*g/A), phi0 = acos(pi*(1 - e)/(ratio*(1 + e)))
        gravity = -g * N.z
        particle ball on N by translate(z = z) { mass = 1 [kg] }
        discrete hit = 0 [s], n = 0
        when z <= 0 [m] and der(z) < 0 [m/s] {
          overwrite der(z) := (1 + e)*A*w*cos(w*t + phi0) - e*der(z); hit := t; n := n + 1
        }
        output phase = cos(w*hit + phi0)
        start { z = 0 [m]; der(z) = pi*g/w }
        simulate { to = 2 [s], every = 0.01 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    close(last(&motion, "phase"), threshold / 0.4, 1e-9);
    assert!(last(&motion, "n") > 15.0);
}

/// The plane belongs to the body with which its normal turns, whichever is named first: a pendulum
/// strikes a block with a face along z, and a block strikes a face of the pendulum. The impulse is
/// p = (1 + e) c ω/W, W = 1/m + c²/I, with c the lever along the normal; both momenta change by it.
#[test]
fn a_plane_turns_with_the_body_that_has_it() {
    let (e, m, inertia, w) = (0.6, 2.0, 0.9, 3.0f64);
    let strike = |contact: &str, friction: &str| {
        let motion = run(&format!(
            "body arm on N by revolute(y, q = q) {{
              mass = 1 [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -sqrt(0.8)) [m]; point tip = (0, 0, -1) [m]
            }}
            particle block on N by translate(x = x, z = z) {{ mass = {m} [kg] }}
            contact strike between {contact}; restitution = {e}{friction} }}
            output strike.gap, p = {m} [kg] * der(x)
            start {{ q = 0.5 [rad]; der(q) = -{w} [rad/s]; x = 0.5 [m]; z = -0.8 [m] }}
            simulate {{ to = 0.5 [s], every = 0.01 [s] }}"
        ));
        reaches_the_end(&motion);
        assert_eq!(impacts(&motion, "strike meets").len(), 1);
        let works = motion.series("events.work").expect("work");
        assert!(works.windows(2).all(|w| w[1] <= w[0]), "{works:?}");
        (last(&motion, "der(x)"), last(&motion, "der(z)"), last(&motion, "der(q)"))
    };
    // The face of the block: at the impact q = -30°, the tip has the lever cos 30° along x.
    let c = f64::cos(30f64.to_radians());
    let p = (1.0 + e) * c * w / (1.0 / m + c * c / inertia);
    for contact in [
        "block.o and arm.tip { normal = N.x",
        "arm.tip and block.o { normal = -N.x",
        "block.o and arm.tip { normal = block.x",
    ] {
        let (x, z, q) = strike(contact, "");
        close(x, p / m, 1e-9);
        close(z, 0.0, 0.0);
        close(q, c * p / inertia - w, 1e-9);
    }
    // A face of the arm, x = 0 in its axes, meets the block at the lever r = |(0.5, -0.8)|.
    let r = f64::hypot(0.5, 0.8);
    let p = (1.0 + e) * r * w / (1.0 / m + r * r / inertia);
    for contact in ["block.o and arm.tip { normal = arm.x", "arm.tip and block.o { normal = -arm.x"] {
        let (x, z, q) = strike(contact, "");
        close(x.hypot(z), p / m, 1e-9);
        close(x / z, 0.8 / 0.5, 1e-9);
        close(q, r * p / inertia - w, 1e-9);
    }
    // Friction sees the particles that touch, whichever body is named first.
    for (one, other) in [
        ("block.o and arm.tip { normal = N.x", "arm.tip and block.o { normal = -N.x"),
        ("block.o and arm.tip { normal = arm.x", "arm.tip and block.o { normal = -arm.x"),
    ] {
        let (a, b) = (strike(one, "; friction = 0.3"), strike(other, "; friction = 0.3"));
        close(a.0, b.0, 1e-12);
        close(a.1, b.1, 1e-12);
        close(a.2, b.2, 1e-12);
    }
}

/// A normal that turns with neither body is the plane of none.
#[test]
fn a_normal_of_neither_body_is_refused() {
    let text = "body arm on N by revolute(y, q = q) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point tip = (0, 0, -1) [m] }
        particle block on N by translate(x = x) { mass = 1 [kg] }
        body vane on N by revolute(y, q = v) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        contact strike between block.o and arm.tip { normal = vane.x }";
    let said = cardan_lang::compile_text("vane.mbs", text);
    assert!(said.model.is_none());
    assert!(said.diagnostics.iter().any(|d| d.message.contains("turns with neither body")));
}

/// A random mechanism with friction and unilateral contacts, and the names of its contacts.
fn random_system(seed: u64) -> (String, Vec<&'static str>) {
    let mut random = cardan_testkit::Random::new(seed + 7);
    let mut between = |a: f64, b: f64| random.between(a, b);
    let (e, mu, m) = (between(0.0, 0.9), between(0.05, 0.4), between(0.5, 3.0));
    let law = format!("restitution = {e}; friction = {mu}; rest = 1e-6 [m/s]");
    match seed % 3 {
        // A ball with spin between a floor and a wall.
        0 => {
            let (spin, v, h) = (between(-20.0, 20.0), between(-3.0, 3.0), between(0.11, 0.6));
            let text = format!(
                "parameter R = 0.1 [m]
                gravity = -9.81 [m/s^2] * N.z
                body ball on N by planar(y, q = (z, x, psi)) {{ mass = {m} [kg]; inertia = (0.4, 0.4, 0.4) * {m} [kg] * R^2 }}
                contact floor between ball.o and N.o {{ normal = N.z; radius = R; {law} }}
                contact wall between ball.o and N(1, 0, 0) [m] {{ normal = -N.x; tangent = N.z; radius = R; {law} }}
                start {{ z = {h} [m]; der(x) = {v} [m/s]; der(psi) = {spin} [rad/s] }}"
            );
            (text, vec!["floor", "wall"])
        }
        // A rod that falls on its ends.
        1 => {
            let (v, w, h, th) =
                (between(-1.0, 1.0), between(-2.0, 2.0), between(0.6, 0.9), between(-0.5, 0.5));
            let text = format!(
                "parameter l = 0.5 [m]
                gravity = -9.81 [m/s^2] * N.z
                body rod on N by planar(y, q = (z, x, th)) {{
                  mass = {m} [kg]; inertia = (1, 1, 1) * {m} [kg] * l^2/3; point a = (-l, 0, 0); point b = (l, 0, 0)
                }}
                contact left between rod.a and N.o {{ normal = N.z; tangent = N.x; {law} }}
                contact right between rod.b and N.o {{ normal = N.z; tangent = N.x; {law} }}
                start {{ z = {h} [m]; th = {th} [rad]; der(x) = {v} [m/s]; der(th) = {w} [rad/s] }}"
            );
            (text, vec!["left", "right"])
        }
        // A pendulum that strikes a block on a rough floor.
        _ => {
            let (q, k) = (between(0.4, 1.2), between(1.0, 5.0));
            let text = format!(
                "gravity = -9.81 [m/s^2] * N.z
                body arm on N by revolute(y, q = q) {{ mass = {m} [kg]; inertia = (0.1, 0.1, 0.1) [kg*m^2]; center = (0, 0, -0.8) [m]; point tip = (0, 0, -1) [m] }}
                particle block on N by translate(x = x) {{ mass = {k} [kg] }}
                force rub on block.o = -{mu}*{k} [kg]*9.81 [m/s^2]*sign(der(x)) * N.x
                contact strike between arm.tip and block.o {{ normal = -N.x; restitution = {e}; rest = 1e-6 [m/s] }}
                start {{ q = {q} [rad]; x = 0.05 [m] }}"
            );
            (text, vec!["strike"])
        }
    }
}

/// A block that slides up a slope of 30° and stops: after v/(g (sin β + μ cos β)), at v²/(2 g (sin β + μ cos β)). With μ = 0.3 it
/// slides back, with μ = 0.7 it stays. The slope may be a frame, a tilted normal or a body; no tangent is given.
#[test]
fn a_block_on_a_slope_stops_and_slides_back() {
    let ramp = "frame ramp on N by fixed(rotate = xyz, angles = (0, beta, 0))
        particle block on ramp by translate(x = s, z = n) { mass = 2 [kg] }
        contact face between block.o and ramp.o { normal = ramp.z; friction = mu }
        start { der(s) = -2 [m/s] }";
    let tilted = "frame ramp on N by fixed(rotate = xyz, angles = (0, beta, 0))
        particle block on ramp by translate(x = s, z = n) { mass = 2 [kg] }
        contact face between block.o and N.o { normal = sin(beta)*N.x + cos(beta)*N.z; friction = mu }
        start { der(s) = -2 [m/s] }";
    // Along a line on a flat floor, askew to its axes, pushed by the part of gravity along the slope.
    let askew = "frame line on N by fixed(rotate = xyz, angles = (0, 0, 0.7 [rad]))
        particle block on line by translate(x = s) translate(z = n) { mass = 2 [kg] }
        contact face between block.o and N.o { normal = N.z; friction = mu }
        start { der(s) = -2 [m/s] }";
    let (g, beta) = (9.81f64, 30f64.to_radians());
    for (text, down, press) in [
        (ramp, g * beta.sin(), g * beta.cos()),
        (tilted, g * beta.sin(), g * beta.cos()),
        (askew, g * beta.sin(), g),
    ] {
        for mu in [0.3, 0.7] {
            let push = if text == askew {
                "force hill on block.o = 2 [kg] * 9.81 [m/s^2] * sin(beta) * line.x"
            } else {
                ""
            };
            let motion = run(&format!(
                "parameter beta = 30 [deg], mu = {mu}
                gravity = -9.81 [m/s^2] * N.z
                {text}
                {push}
                output face.slip, face.normal
                simulate {{ to = 2 [s], every = 0.01 [s] }}"
            ));
            reaches_the_end(&motion);
            let stop = 2.0 / (down + mu * press);
            let reached = -0.5 * 2.0 * stop;
            let back = (down - mu * press).max(0.0);
            close(last(&motion, "s"), reached + 0.5 * back * (2.0 - stop).powi(2), 1e-8);
            close(last(&motion, "face.normal"), 2.0 * press, 1e-8);
            let s = motion.series("s").expect("s");
            close(s.iter().copied().fold(0.0, f64::min), reached, 1e-3);
        }
    }
}

/// A puck on a compliant floor sticks while it is pressed and lifts off: sticking ends where the normal force vanishes.
#[test]
fn what_sticks_on_a_compliant_floor_lifts_off() {
    for (v, h, mu) in [(1.0, 0.1, 0.3), (0.0, 0.1, 0.3), (0.2, 0.01, 0.8)] {
        let motion = run(&format!(
            "gravity = -9.81 [m/s^2] * N.z
            particle puck on N by translate(x = x, z = z) {{ mass = 10 [kg] }}
            contact floor between puck.o and N.o {{
              normal = N.z; stiffness = 1e6 [N/m^(3/2)]; damping = 0.5 [s/m]; friction = {mu}
            }}
            output floor.normal, floor.closed
            start {{ z = {h} [m]; der(x) = {v} [m/s] }}
            simulate {{ to = 1.5 [s], every = 5 [ms] }}"
        ));
        reaches_the_end(&motion);
        let (normal, closed) =
            (motion.series("floor.normal").expect("N"), motion.series("floor.closed").expect("closed"));
        let lifted = closed.windows(2).filter(|w| w[0] > w[1]).count();
        assert!(lifted > 3, "{lifted}");
        assert!(normal.iter().zip(&closed).all(|(n, c)| *n >= 0.0 && (*n == 0.0 || *c == 1.0)));
        // The work of friction is the energy of sliding: it has come to rest.
        close(last(&motion, "der(x)"), 0.0, 1e-12);
        close(last(&motion, "work.floor.friction"), -0.5 * 10.0 * v * v, 1e-6);
    }
}

/// A clutch that is opened slowly, without load and with it: what rests together rests on, and what is pulled slips where the
/// capacity falls below the load.
#[test]
fn a_clutch_that_loses_its_capacity_lets_go() {
    for (load, slips) in [(0.0, None), (0.5, Some(0.75))] {
        let motion = run(&format!(
            "parameter J = 0.2 [kg*m^2]
            body disc on N by revolute(z, q = q) {{ mass = 1 [kg]; inertia = (J, J, J) }}
            variable capacity = 2 [N*m/s] * max(0 [s], 1 [s] - t)
            torque grip on disc = -capacity * sign(der(q)) * N.z
            torque pull on disc = {load} [N*m] * N.z
            simulate {{ to = 2 [s], every = 0.05 [s] }}"
        ));
        assert_eq!(motion.ending, Ending::Finished, "{load}: {}", motion.reason);
        let Some(from) = slips else {
            close(last(&motion, "der(q)"), 0.0, 0.0);
            continue;
        };
        let held = motion.slides.iter().find(|s| s.sticks).expect("it sticks at first");
        close(held.to, from, 1e-9);
        // J ω = 0.5 (2 - 0.75) - ∫ 2 (1 - t) dt from 0.75 to 1 s.
        close(last(&motion, "der(q)"), (0.5 * 1.25 - 0.0625) / 0.2, 1e-8);
    }
}

/// A block of the text on a contact happens once at each meeting, before the impact, and never while the contact rests.
#[test]
fn blocks_on_a_meeting_happen_once_per_meeting() {
    let motion = run("gravity = -9.81 [m/s^2] * N.z
        particle puck on N by translate(x = x, z = z) { mass = 10 [kg] }
        contact floor between puck.o and N.o { normal = N.z; restitution = 0.4; friction = 0.3 }
        discrete hits = 0, rested = 0, fastest = 0 [m/s]
        when floor.meets { hits := hits + 1; fastest := max(fastest, -floor.rate) }
        when floor.closed > 0 { rested := rested + 1 }
        start { z = 0.5 [m]; der(x) = 4 [m/s] }
        simulate { to = 4 [s], every = 5 [ms] }");
    reaches_the_end(&motion);
    let times = impacts(&motion, "floor meets").len() as f64;
    assert!(times > 20.0, "{times}");
    close(last(&motion, "hits"), times, 0.0);
    close(last(&motion, "rested"), 1.0, 0.0);
    close(last(&motion, "fastest"), f64::sqrt(2.0 * 9.81 * 0.5), 1e-9);
}

/// A crank of a loop that falls onto a stop: the impact keeps the loop closed, and the energy it takes is that of the whole motion.
#[test]
fn a_loop_meets_a_stop() {
    let motion = run("gravity = 0
        body crank on N by revolute(z, q = alpha) { mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0.2, 0, 0) [m] }
        body coupler on crank by revolute(z, q = beta) at crank.pin {
          mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0.5, 0, 0) [m]
        }
        body rocker on N by revolute(z, q = gamma) at (0.5, 0, 0) [m] {
          mass = 1 [kg]; inertia = (0.01, 0.01, 0.01) [kg*m^2]; point pin = (0, 0.4, 0) [m]
        }
        joint knee = revolute(coupler.pin, rocker.pin, axis = z)
        constraint stop = 80 [deg] - alpha >= 0
        output stop.closed
        start { alpha = 60 [deg]; der(alpha) = 10 [rad/s] }
        simulate { to = 0.5 [s], every = 0.01 [s] }");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    assert!(!impacts(&motion, "stop meets").is_empty());
    let kinetic = motion.series("energy.kinetic").expect("T");
    assert!(kinetic[0] > 0.1 && *kinetic.last().expect("a row") < 1e-12, "{kinetic:?}");
    close(last(&motion, "alpha"), 80f64.to_radians(), 1e-9);
}

/// Friction and impacts never bring energy in, gaps and forces do not act at once and are not negative, and two integrators agree on
/// the order of events.
fn random_systems(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        let (text, contacts) = random_system(seed);
        let outputs: Vec<String> = contacts.iter().map(|c| format!("{c}.gap, {c}.normal")).collect();
        let by = |method: &str| {
            run(&format!(
                "{text}\noutput {}\nsimulate {{ to = 1.5 [s], every = 0.01 [s], rtol = 1e-10, method = {method} }}",
                outputs.join(", ")
            ))
        };
        let motion = by("dop853");
        reaches_the_end(&motion);
        let series = |name: &str| motion.series(name).unwrap_or_else(|| panic!("no {name}"));
        for contact in contacts {
            let (gap, force) = (series(&format!("{contact}.gap")), series(&format!("{contact}.normal")));
            for (g, n) in gap.iter().zip(&force) {
                assert!(*g > -1e-9 && *n > -1e-9 && (g * n).abs() < 1e-9, "{seed} {contact}: {g} {n}");
            }
        }
        let works = motion.columns.iter().filter(|c| c.name.contains("friction") || c.name == "events.work");
        for name in works.map(|c| c.name.as_str()).filter(|n| n.starts_with("work.") || *n == "events.work") {
            let work = series(name);
            assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-9), "{seed}: {name}");
        }
        let other = by("dopri5");
        let order = |m: &Trajectory| -> Vec<(String, f64)> {
            m.happenings.list.iter().take(12).map(|h| (m.happenings.name(h).to_owned(), h.t)).collect()
        };
        for ((one, t), (two, s)) in order(&motion).into_iter().zip(order(&other)) {
            assert!(one == two && (t - s).abs() < 1e-6, "{seed}: {one} at {t}, {two} at {s}");
        }
    }
}

#[test]
fn random_contacts_dissipate_and_complement() {
    random_systems((0..18).filter(|seed| seed % 3 != 1));
}

/// With rods on both ends.
#[test]
#[ignore = "three minutes"]
fn three_hundred_random_contacts_dissipate_and_complement() {
    random_systems(0..300);
}
