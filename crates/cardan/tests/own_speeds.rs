//! Speeds of the user's own: wherever they determine the rates of the coordinates, the motion is that of the coordinates' own rates.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use cardan::assembly::ParameterValues;
use cardan::prelude::*;

fn run(text: &str) -> Trajectory {
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{text}\n{e}"));
    let settings = Settings::of(&model, &ParameterValues::of(&model)).unwrap();
    let run = compile_model(&model, Options::default()).unwrap().simulation.run(&settings, &mut ()).unwrap();
    assert_eq!(run.ending, Ending::Finished, "{text}\n{}", run.reason);
    run
}

/// The puck of the book, looking along y: forward is y, sideways is -x.
#[test]
fn a_puck_that_looks_across_moves_across() {
    for (angle, x, y) in
        [("90 [deg]", -0.5, 1.0), ("0", 1.0, 0.5), ("-90 [deg]", 0.5, -1.0), ("180 [deg]", -1.0, -0.5)]
    {
        let found = run(&format!(
            "model puck
             body puck on N by planar(z, q = (x, y, psi)) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }}
             speed forward = dot(velocity(puck.o), puck.x), sideways = dot(velocity(puck.o), puck.y)
             start {{ forward = 1 [m/s]; sideways = 0.5 [m/s]; psi = {angle} }}
             simulate {{ to = 1 [s] }}"
        ));
        for (name, expected) in [("x", x), ("y", y)] {
            let value = found.last(name).unwrap();
            assert!((value - expected).abs() < 1e-12, "{angle}: {name} = {value}, expected {expected}");
        }
    }
}

/// Combinations whose first factor is a parameter that is zero.
#[test]
fn a_factor_may_be_zero() {
    let found = run("model two
         parameter a = 0
         body P on N by prismatic(x, q = x) { mass = 1 [kg] }
         body Q on N by prismatic(y, q = y) { mass = 1 [kg] }
         speed v = a*der(x) + der(y)*2, w = der(x)*3 + a*der(y)
         start { v = 2 [m/s]; w = 6 [m/s] }
         simulate { to = 1 [s] }");
    assert!((found.last("x").unwrap() - 2.0).abs() < 1e-12, "{:?}", found.last("x"));
    assert!((found.last("y").unwrap() - 1.0).abs() < 1e-12, "{:?}", found.last("y"));
}

/// Two bodies, the second on the first, each with speeds along its own axes: a tumbling motion through all quarters, by these speeds and by
/// the rates of the coordinates.
#[test]
fn speeds_along_axes_of_a_chain_move_it_as_the_rates_do() {
    let chain = |speeds: &str, start: &str| {
        format!(
            "model chain
             gravity = -9.81 [m/s^2]*N.y
             body A on N by planar(z, q = (x, y, phi)) {{ mass = 2 [kg]; inertia = (1, 1, 0.3) [kg*m^2]; center = (0.1, 0, 0) [m]; point tip = (1, 0, 0) [m] }}
             body B on A by planar(z, q = (r, s, psi)) at A.tip {{ mass = 1 [kg]; inertia = (1, 1, 0.1) [kg*m^2]; center = (0.2, 0.1, 0) [m] }}
             spring hold between A.tip and B.o {{ stiffness = 50 [N/m] }}
             {speeds}
             start {{ psi = 90 [deg]; r = 0.1 [m]; {start} }}
             simulate {{ to = 2 [s] }}"
        )
    };
    let own = "speed a1 = dot(velocity(A.o), A.x), a2 = dot(velocity(A.o), A.y)
               speed b1 = dot(velocity(B.o), B.x), b2 = dot(velocity(B.o), B.y)
               speed wA = dot(omega(A), N.z), wB = dot(omega(B), N.z)";
    // All at phi = 0, psi = 90°: B.x = N.y, B.y = -N.x; the tip moves by (1, 2 + 3).
    let expected =
        run(&chain("", "der(x) = 1 [m/s]; der(y) = 2 [m/s]; der(phi) = 3 [rad/s]; der(psi) = 4 [rad/s]"));
    let found = run(&chain(
        own,
        "a1 = 1 [m/s]; a2 = 2 [m/s]; wA = 3 [rad/s]; wB = 7 [rad/s]; b1 = 5.3 [m/s]; b2 = -1 [m/s]",
    ));
    for name in ["x", "y", "phi", "r", "s", "psi"] {
        let (x, y) = (found.last(name).unwrap(), expected.last(name).unwrap());
        assert!((x - y).abs() < 1e-6, "{name} = {x}, by rates {y}");
    }
}

/// Terms that are alike in the speeds are gathered, so that nothing of the turning axes is left in the right-hand side.
#[test]
fn the_right_hand_side_is_plain_in_speeds_along_turning_axes() {
    let text = "model puck
         parameter m [kg], a [m], I [kg*m^2], F [N], g [m/s^2]
         gravity = -g*N.z
         body puck on N by planar(z, q = (x, y, psi)) { mass = m; inertia = (I, I, I); center = (a, 0, 0) }
         speed v = dot(velocity(puck.o), puck.x), s = dot(velocity(puck.o), puck.y), w = der(psi)
         force push on puck.o = F*puck.x";
    let model = resolve(parse("test.mbs", text)).into_model().unwrap_or_else(|e| panic!("{e}"));
    let choice = cardan::derive(&model, Some(Formalism::Kane)).unwrap();
    let pool = choice.model.space.pool();
    let rows = choice.equations.forcing.as_ref().unwrap();
    let texts: Vec<String> = rows.iter().map(|e| pool.text(pool.definition(*e).unwrap_or(*e))).collect();
    let psi = choice.model.coordinates.iter().find(|(_, q)| q.quantity.name == "psi").unwrap().1.symbol;
    let psi = pool.as_symbol(psi).unwrap();
    assert!(rows.iter().all(|e| !pool.contains(*e, psi)), "{texts:?}");
    // m (v̇ - s w - a w²) = F, m (ṡ + v w + a ẇ) = 0, and the moment about the origin of the frame.
    let names = ["m", "a", "F", "v", "s", "w"];
    let value = |name: &str| names.iter().position(|n| *n == name).map_or(0.7, |k| 1.3 + 0.4 * k as f64);
    let [m, a, push, v, s, w] = names.map(value);
    for (row, wanted) in rows.iter().zip([push + m * s * w + m * a * w * w, -m * v * w, -m * a * v * w]) {
        let found = pool.evaluate(*row, &|symbol| value(&pool.symbol_data(symbol).name));
        assert!((found - wanted).abs() < 1e-12 * wanted.abs(), "{found}, not {wanted}: {texts:?}");
    }
}
