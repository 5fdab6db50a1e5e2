//! Excitation by given motions and by unbalance; descriptor form; matrices by their symmetry, as
//! numbers and as expressions.

use crate::common;

use cardan_analysis::{
    EquilibriumOptions, GivenInput, LinearOptions, LinearSystem, MotionInput, Named, Study, descriptor_form,
    equilibrium, linearize,
};
use cardan_base::Map;
use cardan_control::frequency_response::FrequencyResponse;
use cardan_control::matrix::eigenvalues;
use cardan_control::{Complex, ControlError};
use cardan_equations::{Formalism, derive, linear_form};
use cardan_expr::{Expr, SymbolId};

/// A mass on a spring on a table that is moved: p + p₀ + p₁ t + p₂ t²/2.
const SHAKEN: &str = "
    parameter p0 = 0 [m], p1 = 0 [m/s], p2 = 0 [m/s^2]
    gravity = 0
    particle table on N by translate(x = xb) { mass = 3 [kg] }
    particle load on table by translate(x = x) { mass = 2 [kg] }
    force spring on load.o from table = (-100 [N/m] * x - 1 [N*s/m] * der(x)) * N.x
    constraint drive = xb - p0 - p1 * t - p2 * t^2 / 2
    output place = x + xb, stretch = x, acceleration = der(der(x)) + der(der(xb))
";

fn system(study: &mut Study, outputs: &[&str]) -> LinearSystem {
    let y = study.start(0.0).unwrap();
    let linear = linearize(study, 0.0, &y, &LinearOptions::default()).unwrap();
    LinearSystem::of(study, &linear, &outputs.iter().map(|n| n.to_string()).collect::<Vec<_>>()).unwrap()
}

fn given(input: MotionInput) -> GivenInput {
    let named = Named { name: "p".into(), unit: "m".into(), description: String::new() };
    GivenInput { places: [0, 1, 2], named, input }
}

/// x/p = -m s²/(m s² + c s + k), and the place of the load over that of the table is the
/// transmissibility (c s + k)/(m s² + c s + k).
#[test]
fn a_shaken_table_has_its_transmissibility() {
    let mut study = common::study(SHAKEN, &["p0", "p1", "p2"]);
    let all = system(&mut study, &["place", "stretch"]);
    let s = |w: f64| Complex::new(0.0, w);
    let under = |w: f64| s(w) * s(w) * 2.0 + s(w) + 100.0;
    let at = |system: &LinearSystem, w: f64| FrequencyResponse::new(&system.system).unwrap().at(w).unwrap();
    let close = |found: Complex, known: Complex| {
        assert!((found - known).norm() < 1e-11 * known.norm().max(1e-3), "{found} {known}");
    };
    let by_place = all.with_given_motion(&given(MotionInput::Position)).unwrap();
    let by_rate = all.with_given_motion(&given(MotionInput::Rate)).unwrap();
    assert_eq!((by_place.states.len(), by_rate.states.len()), (2, 3));
    for w in [0.3, 2.0, 7.1, 30.0] {
        close(at(&by_place, w)[(0, 0)], (s(w) + 100.0) / under(w));
        close(at(&by_place, w)[(1, 0)], s(w) * s(w) * -2.0 / under(w));
        close(at(&by_rate, w)[(1, 0)], s(w) * -2.0 / under(w));
    }
    // The force of the damper follows the rate of the table at once, and so does the acceleration.
    let whole = system(&mut study, &["acceleration", "stretch"]);
    let refused = whole.with_given_motion(&given(MotionInput::Position)).unwrap_err();
    assert!(refused.to_string().contains("`acceleration` follows the rate of `p`"), "{refused}");
    let rate = whole.with_given_motion(&given(MotionInput::Rate)).unwrap();
    close(at(&rate, 3.0)[(0, 0)], s(3.0) * (s(3.0) + 100.0) / under(3.0));
    let by_acceleration = whole.with_given_motion(&given(MotionInput::Acceleration)).unwrap();
    for w in [0.3, 2.0, 7.1, 30.0] {
        close(at(&by_acceleration, w)[(0, 0)], (s(w) + 100.0) / under(w));
        close(at(&by_acceleration, w)[(1, 0)], Complex::new(-2.0, 0.0) / under(w));
    }
}

/// Deflection per unbalance m e of a rotor of mass M: ω²/(k - M ω² + i c ω), which tends to -1/M.
#[test]
fn an_unbalance_grows_with_the_square_of_the_speed() {
    let text = "
        parameter F = 0 [N], T = 0 [N]
        gravity = 0
        particle rotor on N by translate(x = x, y = y) { mass = 5 [kg] }
        force bearing on rotor.o from N = (F - 2000 [N/m] * x - 8 [N*s/m] * der(x)) * N.x + (T - 500 [N/m] * y - 3 [N*s/m] * der(y)) * N.y
        output across = x, up = y, speed = der(x)
    ";
    let mut study = common::study(text, &["F", "T"]);
    let turned = system(&mut study, &["across", "up"]).by_unbalance().unwrap();
    let names: Vec<&str> = turned.inputs.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["F", "T"]);
    for w in [1.0, 19.0, 21.0, 400.0] {
        let g = FrequencyResponse::new(&turned.system).unwrap().at(w).unwrap();
        let known = Complex::new(w * w, 0.0) / Complex::new(2000.0 - 5.0 * w * w, 8.0 * w);
        let other = Complex::new(w * w, 0.0) / Complex::new(500.0 - 5.0 * w * w, 3.0 * w);
        assert!((g[(0, 0)] - known).norm() < 1e-11 * known.norm(), "{w}: {} {known}", g[(0, 0)]);
        assert!((g[(1, 1)] - other).norm() < 1e-11 * other.norm(), "{w}: {} {other}", g[(1, 1)]);
        assert!(g[(0, 1)].norm() < 1e-12 && g[(1, 0)].norm() < 1e-12);
    }
    assert!(system(&mut study, &["speed"]).by_unbalance().is_err());
}

/// A four-bar with a spring and a pendulum on a rod respond alike in descriptor form and in minimal
/// coordinates.
#[test]
fn the_descriptor_form_responds_as_the_minimal_one() {
    let four_bar = "
        input F [N*m]
        gravity = -9.81 [m/s^2] * N.y
        body crank on N by revolute(z, q = phi) { mass = 1 [kg]; inertia = (0, 0, 0.1) [kg*m^2]; center = (0.05, 0, 0) [m]; point end = (0.1, 0, 0) [m] }
        body coupler on crank by revolute(z, q = psi) at crank.end { mass = 1 [kg]; inertia = (0, 0, 0.2) [kg*m^2]; point end = (0.35, 0, 0) [m] }
        body rocker on N by revolute(z, q = theta) at (0.3, 0, 0) [m] { mass = 1 [kg]; inertia = (0, 0, 0.3) [kg*m^2]; point end = (0.25, 0, 0) [m] }
        joint pin = revolute(coupler.end, rocker.end, axis = z)
        torque drive on crank from N = (F - 3 [N*m*s] * der(phi) - 40 [N*m] * phi) * N.z
        output turn = theta, rate = der(theta)
        start { psi ~ 60 [deg]; theta ~ 100 [deg] }
    ";
    let rod = "
        input F [N]
        gravity = -9.81 [m/s^2] * N.z
        particle bob on N by translate(x = x, z = z) { mass = 2 [kg] }
        constraint rod = mag(position(N.o, bob.o)) - 0.7 [m]
        force push on bob.o from N = (F - 0.3 [N*s/m] * der(x)) * N.x
        output place = x, height = z
        start { x = 0; z = -0.7 [m] }
    ";
    for text in [four_bar, rod] {
        let mut study = common::study(text, &[]);
        let y = equilibrium(&mut study, 0.0, &EquilibriumOptions::default()).unwrap().state;
        let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
        let minimal = LinearSystem::of(&study, &linear, &[]).unwrap();
        let form = descriptor_form(&mut study, 0.0, &y).unwrap();
        assert!(form.states.len() > minimal.states.len());
        assert!(form.states.iter().any(|s| s.name.starts_with("multiplier of ")));
        let (one, other) = (FrequencyResponse::new(&minimal.system), FrequencyResponse::new(&form.system));
        let (one, other) = (one.unwrap(), other.unwrap());
        for w in [0.2, 1.0, 4.0, 15.0] {
            let (a, b) = (one.at(w).unwrap(), other.at(w).unwrap());
            let largest = (0..2).map(|i| a[(i, 0)].norm()).fold(0.0, f64::max);
            for i in 0..2 {
                let apart = (a[(i, 0)] - b[(i, 0)]).norm();
                assert!(apart < 1e-9 * largest, "{w}: {} {}", a[(i, 0)], b[(i, 0)]);
            }
        }
    }
}

/// A rotor with damping, gyroscopic and circulatory forces.
const ROTOR: &str = "
    parameter m = 3 [kg], k = 50 [N/m], n = 7 [N/m], c = 2 [N*s/m], g = 0.6 [N*s/m]
    gravity = 0
    particle p on N by translate(x = x, y = y) { mass = m }
    force all on p.o from N = (-k * x - n * y - c * der(x) - g * der(y)) * N.x + (-2 * k * y + n * x - c * der(y) + g * der(x)) * N.y
";

#[test]
fn matrices_are_apart_by_their_symmetry() {
    let mut study = common::study(ROTOR, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    let split = linear.split().unwrap();
    let close = |m: &cardan_solve::Matrix, known: [[f64; 2]; 2]| {
        for (i, row) in known.iter().enumerate() {
            for (j, x) in row.iter().enumerate() {
                assert!((m[(i, j)] - x).abs() < 1e-12, "{i} {j}: {} {x}", m[(i, j)]);
            }
        }
    };
    close(&split.damping, [[2.0, 0.0], [0.0, 2.0]]);
    close(&split.gyroscopic, [[0.0, 0.6], [-0.6, 0.0]]);
    close(&split.stiffness, [[50.0, 0.0], [0.0, 100.0]]);
    close(&split.circulatory, [[0.0, 7.0], [-7.0, 0.0]]);
}

/// The expressions of M, P and Q, evaluated, are the matrices that exact derivatives of the solved
/// accelerations give.
#[test]
fn symbolic_matrices_are_the_numeric_ones() {
    // A rotor in gimbals spins steadily; its angle is ignorable.
    let gimbals = "
        parameter k = 9 [N*m]
        gravity = 0
        frame outer on N by rotate(x = a)
        frame inner on outer by rotate(y = b)
        body rotor on inner by rotate(z = spin) { mass = 1 [kg]; inertia = (0.2, 0.2, 0.3) [kg*m^2] }
        torque spring on rotor from N = -k * (a * N.x + b * outer.y)
        start { der(spin) = 30 [rad/s] }
    ";
    let double = "
        parameter L = 0.8 [m]
        gravity = -9.81 [m/s^2] * N.z
        body a on N by revolute(y, q = q1) { mass = 2 [kg]; inertia = (0, 0.1, 0) [kg*m^2]; center = (0, 0, -L/2); point end = (0, 0, -L) }
        body b on a by revolute(y, q = q2) at a.end { mass = 1 [kg]; inertia = (0, 0.05, 0) [kg*m^2]; center = (0, 0, -L/3) }
        torque hinge on b from a = (-4 [N*m] * q2 - 0.3 [N*m*s] * der(q2)) * N.y
    ";
    for text in [ROTOR, gimbals, double] {
        let model = common::model(text);
        let equations = derive(&model, Formalism::Kane).unwrap();
        let pool = model.space.pool();
        let symbol = |e: Expr| pool.as_symbol(e).unwrap();
        let nominal: Vec<(SymbolId, Expr)> =
            (model.coordinates.iter().map(|(_, q)| (symbol(q.symbol), q.start)))
                .chain(model.speeds.iter().map(|(_, u)| (symbol(u.symbol), u.start)))
                .collect();
        let form = linear_form(&model, &equations, &nominal).unwrap();
        let mut values: Map<SymbolId, f64> = Map::default();
        for (_, p) in model.parameters.iter() {
            values.insert(symbol(p.symbol), p.default.map_or(f64::NAN, |e| pool.evaluate(e, &|_| f64::NAN)));
        }
        values.insert(symbol(model.space.time()), 0.0);
        let value = |e: Expr| pool.evaluate(e, &|s| values.get(&s).copied().unwrap_or(f64::NAN));
        let mut study = common::study(text, &[]);
        let y = study.start(0.0).unwrap();
        let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
        let second = &linear.second_order;
        let n = second.speeds.len();
        assert_eq!(form.mass.len(), n);
        let close = |found: Expr, known: f64| {
            assert!((value(found) - known).abs() < 1e-11, "{text}: {} {known}", value(found));
        };
        let names: Vec<&str> = model.coordinates.iter().map(|(_, q)| q.quantity.name.as_str()).collect();
        let place = |name: &str| names.iter().position(|n| *n == name).unwrap();
        for i in 0..n {
            for j in 0..n {
                close(form.mass[i][j], second.mass[(i, j)]);
                close(form.by_speed[i][j], second.damping[(i, j)]);
            }
            for (j, q) in second.coordinates.iter().enumerate() {
                close(form.by_coordinate[i][place(&q.name)], second.stiffness[(i, j)]);
            }
        }
        let split = form.split(pool).unwrap();
        if let Some(numeric) = linear.split() {
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                close(split.gyroscopic[i][j], numeric.gyroscopic[(i, j)]);
                close(split.circulatory[i][j], numeric.circulatory[(i, j)]);
            }
        }
        if names.contains(&"spin") {
            assert!((value(split.gyroscopic[0][1]).abs() - 0.3 * 30.0).abs() < 1e-12);
        }
    }
}

/// A pendulum of Cartesian coordinates has no stiffness but that of the rod's force: m g/L across
/// it.
#[test]
fn nominal_reactions_make_geometric_stiffness() {
    let text = "
        parameter m = 2 [kg], L = 0.7 [m]
        gravity = -9.81 [m/s^2] * N.z
        particle bob on N by translate(x = x, z = z) { mass = m }
        constraint rod = mag(position(N.o, bob.o)) - L
        start { x = 0; z = -L }
    ";
    let model = common::model(text);
    let equations = derive(&model, Formalism::Kane).unwrap();
    let pool = model.space.pool();
    let form = linear_form(&model, &equations, &[]).unwrap();
    let value = |e: Expr| {
        pool.evaluate(e, &|s| match pool.symbol_data(s).name.as_str() {
            "m" => 2.0,
            "L" => 0.7,
            "x" => 0.0,
            "z" => -0.7,
            // -m g + λ ∂g/∂z = 0 with ∂g/∂z = -1.
            "lambda0_1" => -2.0 * 9.81,
            other => panic!("{other} is unknown"),
        })
    };
    assert!((value(form.by_coordinate[0][0]) - 2.0 * 9.81 / 0.7).abs() < 1e-12);
    assert!(value(form.by_coordinate[1][1]).abs() < 1e-12);
    assert!((value(form.constraints[0][1]) + 1.0).abs() < 1e-15);
    // The same by the minimal form of the numbers: ω² = g/L.
    let mut study = common::study(text, &[]);
    let y = study.start(0.0).unwrap();
    let linear = linearize(&mut study, 0.0, &y, &LinearOptions::default()).unwrap();
    let found: Result<Vec<Complex>, ControlError> =
        eigenvalues(&cardan_control::matrix::of_slices(&linear.a));
    assert!(found.unwrap().iter().all(|z| (z.norm_sqr() - 9.81 / 0.7).abs() < 1e-10));
}
