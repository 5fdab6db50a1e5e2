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
    for (h, e, at_rest) in [(1.0, 0.8, 4.063712768872), (10.0, 0.5, 4.283529368781)] {
        let motion = run(&format!(
            "gravity = -9.81 [m/s^2] * N.z
            particle ball on N by translate(z = z) {{ mass = 2 [kg] }}
            contact floor between ball.o and N.o {{ normal = N.z; restitution = {e} }}
            output floor.normal
            start {{ z = {h} [m] }}
            simulate {{ to = 5 [s], every = 0.1 [s] }}"
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

/// Random blocks and balls on rough floors: friction never brings energy in, gaps and forces do not act at once and are not
/// negative.
#[test]
fn random_contacts_dissipate_and_complement() {
    let mut random = cardan_testkit::Random::new(7);
    for _ in 0..12 {
        let mut between = |a: f64, b: f64| random.between(a, b);
        let (e, mu, m, spin, v, h) = (
            between(0.0, 0.9),
            between(0.05, 0.6),
            between(0.5, 3.0),
            between(-20.0, 20.0),
            between(-3.0, 3.0),
            between(0.11, 0.6),
        );
        let motion = run(&format!(
            "parameter R = 0.1 [m]
            gravity = -9.81 [m/s^2] * N.z
            body ball on N by planar(y, q = (z, x, psi)) {{ mass = {m} [kg]; inertia = (0.4, 0.4, 0.4) * {m} [kg] * R^2 }}
            contact floor between ball.o and N.o {{ normal = N.z; radius = R; restitution = {e}; friction = {mu}; rest = 1e-6 [m/s] }}
            contact wall between ball.o and N(1, 0, 0) [m] {{ normal = -N.x; tangent = N.z; radius = R; restitution = {e}; friction = {mu}; rest = 1e-6 [m/s] }}
            output floor.gap, floor.normal, wall.gap, wall.normal
            start {{ z = {h} [m]; der(x) = {v} [m/s]; der(psi) = {spin} [rad/s] }}
            simulate {{ to = 2 [s], every = 0.01 [s], rtol = 1e-9 }}"
        ));
        reaches_the_end(&motion);
        let series = |name: &str| motion.series(name).expect("a column");
        for contact in ["floor", "wall"] {
            let (gap, force) = (series(&format!("{contact}.gap")), series(&format!("{contact}.normal")));
            for (g, n) in gap.iter().zip(&force) {
                assert!(*g > -1e-9 && *n > -1e-9 && (g * n).abs() < 1e-9, "{contact}: {g} {n}");
            }
        }
        for name in ["work.floor.friction", "work.wall.friction", "events.work"] {
            let work = series(name);
            assert!(work.windows(2).all(|w| w[1] <= w[0] + 1e-9), "{name}");
        }
    }
}
