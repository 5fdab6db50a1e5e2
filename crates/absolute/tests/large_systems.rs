//! References for large systems: chains, scissor lifts, lattices (computed with relative tolerances of 1e-12 and by exact kinematics).

use crate::comparison::{gap, library, model};
use cardan::prelude::*;
use cardan_absolute::AbsoluteMotion;

fn run(text: &str, to: f64, tolerance: f64) -> Trajectory {
    let model = model(text);
    let settings = Settings { to, every: Some(to), rtol: tolerance, atol: tolerance, ..Settings::default() };
    let motion = AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
    assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
    motion
}

/// Uniform rods of 1 m and 1 kg, released from the horizontal.
fn chain(n: usize) -> String {
    format!(
        "
        constant n = {n}
        gravity = -9.81 [m/s^2] * N.y
        for k in 1 .. n {{
          body rod[k] on if k == 1 then N else rod[k - 1] by rotate(z = q[k]) at (if k == 1 then 0 else 1, 0, 0) [m] {{
            mass = 1 [kg]; inertia = (0, 1 / 12, 1 / 12) [kg*m^2]; center = (0.5, 0, 0) [m]
          }}
        }}
        point tip on rod[n] = (1, 0, 0) [m]
        output tip = position(N.o, tip)
        "
    )
}

#[test]
fn chains_fall_as_computed() {
    for (n, tip) in [
        (2, [-1.6621151358, -1.0414666372]),
        (10, [7.5272290156, -4.9062623197]),
        (50, [48.760913411, -4.905]),
    ] {
        let motion = run(&chain(n), 1.0, 1e-10);
        let found = ["tip.x", "tip.y"].map(|name| motion.last(name).expect("a column"));
        let gap = (found[0] - tip[0]).hypot(found[1] - tip[1]);
        assert!(gap < 2e-7, "n = {n}: {found:?}");
        assert!(motion.audit.relative() < 1e-8, "{}", motion.audit);
    }
}

/// A model of the library with another number of its elements.
fn of_size(name: &str, n: usize) -> String {
    let text = library(&format!("large/{name}"));
    let line = text.lines().find(|l| l.starts_with("constant n = ")).expect("a number").to_owned();
    text.replace(&line, &format!("constant n = {n}"))
}

#[test]
fn scissor_lifts_sink_as_computed() {
    for (n, theta, rate) in [(1, 1.01001941951, -0.7513737312102), (5, 1.02138628317, -0.5072697088262)] {
        let motion = run(&of_size("scissor-lift", n), 0.1, 1e-10);
        let [angle, speed, height] =
            ["a[1]", "der(a[1])", "height"].map(|name| motion.last(name).expect("a column"));
        assert!((angle - theta).abs() < 1e-8, "n = {n}: {angle}");
        assert!((speed - rate).abs() < 1e-7, "n = {n}: {speed}");
        assert!((height - n as f64 * theta.sin()).abs() < 1e-7, "n = {n}: {height}");
    }
}

/// Masses of 10 g on a grid of 0.1 m, springs of 10 kN/m along sides and both diagonals, the left column fixed.
fn lattice(nx: usize, ny: usize) -> String {
    let name = |i: usize, j: usize| format!("m{i}x{j}");
    let place = |i: usize, j: usize| format!("({}, {}, 0) [m]", i as f64 / 10.0, j as f64 / 10.0);
    let mut text = String::from("gravity = -9.81 [m/s^2] * N.y\n");
    for i in 0..=nx {
        for j in 0..=ny {
            let (n, p) = (name(i, j), place(i, j));
            text += &match i {
                0 => format!("point {n} on N = {p}\n"),
                _ => format!("particle {n} on N by translate(x, y) at {p} {{ mass = 10 [g] }}\n"),
            };
        }
    }
    let mut k = 0;
    for i in 0..=nx {
        for j in 0..=ny {
            for (di, dj, length) in
                [(1i64, 0i64, 0.1), (0, 1, 0.1), (1, 1, 0.02f64.sqrt()), (1, -1, 0.02f64.sqrt())]
            {
                let (p, q) = (i as i64 + di, j as i64 + dj);
                if p > nx as i64 || q < 0 || q > ny as i64 || (i == 0 && p == 0) {
                    continue;
                }
                let end = |i: usize, j: usize| if i == 0 { name(i, j) } else { format!("{}.o", name(i, j)) };
                k += 1;
                text += &format!(
                    "spring s{k} between {} and {} {{ stiffness = 1e4 [N/m]; length = {length:.17} [m] }}\n",
                    end(i, j),
                    end(p as usize, q as usize)
                );
            }
        }
    }
    text + &format!("output corner = position(N.o, {}.o)\n", name(nx, ny))
}

#[test]
fn a_lattice_swings_as_computed() {
    let motion = run(&lattice(10, 4), 0.1, 1e-9);
    let found = ["corner.x", "corner.y"].map(|name| motion.last(name).expect("a column"));
    let gap = (found[0] - 1.001593495).hypot(found[1] - 0.3934118935);
    assert!(gap < 1e-8, "{found:?}");
}

/// Generalised-α is of order 2: a hundredth of the tolerance on h³ makes the error smaller by about 20.
#[test]
fn generalised_alpha_converges() {
    let error = |tolerance: f64| {
        let model = model(&chain(2));
        let settings = Settings {
            to: 1.0,
            every: Some(1.0),
            rtol: tolerance,
            atol: tolerance,
            method: Method::Alpha,
            ..Settings::default()
        };
        let motion =
            AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
        assert_eq!(motion.ending, Ending::Finished, "{}", motion.reason);
        let found = ["tip.x", "tip.y"].map(|name| motion.last(name).expect("a column"));
        (found[0] + 1.6621151358).hypot(found[1] + 1.0414666372)
    };
    let (coarse, fine) = (error(1e-5), error(1e-7));
    assert!(fine < 1e-2 && fine < coarse / 6.0, "{coarse:.1e}, {fine:.1e}");
}

/// Loops that feel one another through springs move as by the tree.
#[test]
fn slider_cranks_side_by_side() {
    let gap = gap("slider-cranks", &model(&of_size("slider-crank-array", 3)), 0.3);
    assert!(gap < 1e-7, "{gap:.1e}");
}

/// x = F/k (1 - e^(-δt) (cos ωt + δ/ω sin ωt)) from rest, δ = c/2m, ω² = k/m - δ²; the floor bears the weight.
#[test]
fn a_mass_on_a_spring_is_pushed() {
    let mut model = model(&library("large/mass-spring"));
    model.ask_for_reactions();
    let settings = Settings { to: 2.0, every: Some(0.5), ..Settings::default() };
    for method in [Method::Auto, Method::Bdf] {
        let settings = Settings { method, ..settings.clone() };
        let motion =
            AbsoluteMotion::of(&model, 0.0).expect("parts").run(&settings, &mut ()).expect("a motion");
        let (delta, omega): (f64, f64) = (1.0, 99f64.sqrt());
        for row in motion.rows.iter() {
            let t = row[0];
            let exact =
                0.1 * (1.0 - (-delta * t).exp() * ((omega * t).cos() + delta / omega * (omega * t).sin()));
            let found = row[motion.index_of("s").expect("a column")];
            assert!((found - exact).abs() < 1e-8, "{method}, t = {t}: {found}, {exact}");
        }
    }
}

/// A chain of four-bars goes through its flat positions, where all of its loops are singular at once.
#[test]
fn a_long_chain_of_four_bars_passes_flat_positions() {
    let text = library("four-bar-chain").replace("constant n = 2", "constant n = 20");
    let motion = run(&text, 3.0, Settings::default().rtol);
    assert_eq!(motion.passages.len(), 3, "{:?}", motion.passages);
    assert!(motion.passages[0].constraints.iter().any(|c| c.starts_with("pin[")));
    assert!(motion.audit.relative() < 1e-8, "{}", motion.audit);
    let tilt = motion.last("tilt[20]").expect("a column");
    assert!(tilt.abs() < 1e-6, "the branch of the parallelograms: {tilt}");
}
