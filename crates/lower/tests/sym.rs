//! The optimised inverse dynamics that SYM printed for the handbook's robot, beside the robot's real inverse dynamics.
//!
//! Multibody Systems Handbook (Schiehlen ed., 1990), chapter of SYM, Tables 1 to 3. Table 2 claims 50 products and 25 sums for it,
//! and the listing of Table 3 has them. Written out, its five results have the terms of [`LISTED`]. They are not the
//! forces of the robot: the acceleration of the last joint occurs nowhere, the hand acts on none of the first three joints, and no
//! square of the last two speeds is left. Both facts are tests here: the same terms cost no more than that when we compute
//! them, and they are short of the robot's forces.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use crate::robot;

use cardan_base::{Arena, Map};
use cardan_equations::{Formalism, inverse};
use cardan_expr::{Expr, Kind, Pool, SymbolId};
use cardan_lower::{Phase, Request, counts_per_step, lower};
use cardan_program::Label;
use cardan_testkit::Random;

/// Constants of the off-line part with their values: sums and products of Table 1's masses, lengths and inertias. Two
/// of them are equal by chance, `M` and twice `m35`, and the listing makes use of that.
const CONSTANTS: [(&str, f64); 13] = [
    ("M", 500.0),
    ("Mg", 4905.0),
    ("m35", 250.0),
    ("mc", 5.0),
    ("mcg", 49.05),
    ("mc2", 10.0),
    ("ml2", -150.0),
    ("ml", 75.0),
    ("J2", 140.5),
    ("Jx", 4.25),
    ("Jz", 4.55),
    ("Jd", 3.55),
    ("K16", 3.0),
];
const MORE_CONSTANTS: [(&str, f64); 2] = [("K10", 7.8), ("K17", 3.25)];
/// Positions, speeds and accelerations; `r` is the distance of the last two axes from the post, and the angles of joints 4 and 5 are a quarter
/// turn ahead of ours.
const STATES: [&str; 12] = ["r", "q4", "q5", "v2", "v3", "v4", "v5", "a1", "a2", "a3", "a4", "a5"];

/// The results of the listing: forces along joints 1 to 5.
const LISTED: [&str; 5] = [
    "M*a1 + Mg",
    "(ml2*r + m35*r^2 + J2)*a2 + (ml2 + M*r)*v2*v3",
    "m35*a3 + (ml - m35*r)*v2^2",
    "K16*sin(q5)^2*cos(q4)*sin(q4)*v2^2 + Jz*a4*cos(q5)^2 - (mcg + mc*a1)*cos(q4)*cos(q5) \
     + (mc*r + Jd*sin(q5))*sin(q4)*cos(q5)*a2 \
     + cos(q5)*sin(q4)*v2*(mc2*v3 + cos(q5)*(K17*cos(q4)*v2 + K10*v5))",
    "(mc2*v3*sin(q5)*cos(q4) - cos(q5)*v2*mc*r)*v2 + (mc*r*sin(q5) + Jx)*a2*cos(q4) + (mcg + mc*a1)*sin(q4)*sin(q5) \
     + mc*cos(q5)*a3 + (Jd*sin(q5)^2 - Jx)*sin(q4)*v2*v4 \
     - Jd*cos(q5)*sin(q4)*v2*(sin(q4)*sin(q5)*v2 + v4*cos(q5))",
];

struct Listing {
    pool: Pool,
    symbols: Vec<(&'static str, Expr, Phase)>,
    results: Vec<Expr>,
}

fn listing() -> Listing {
    let pool = Pool::new();
    let constant = |(n, _): (&'static str, f64)| (n, pool.symbol(n, Kind::Parameter), Phase::Setup);
    let constants = CONSTANTS.into_iter().chain(MORE_CONSTANTS).map(constant);
    let states = STATES.map(|n| {
        let is_position = ["r", "q4", "q5"].contains(&n);
        (n, pool.symbol(n, Kind::Coordinate), if is_position { Phase::Position } else { Phase::Motion })
    });
    let symbols: Vec<_> = constants.chain(states).collect();
    let known = |name: &str| symbols.iter().find(|(n, _, _)| *n == name).map(|(_, e, _)| *e);
    let results = LISTED.iter().map(|text| pool.parse(text, &known).unwrap()).collect();
    Listing { pool, symbols, results }
}

#[test]
fn the_terms_that_sym_listed_cost_no_more_than_its_listing() {
    let listing = listing();
    let tables = Arena::new();
    let mut request = Request::new("listing", &listing.pool, &tables);
    for (name, symbol, phase) in &listing.symbols {
        request.input(*symbol, Label::named(*name), *phase);
    }
    for (k, e) in listing.results.iter().enumerate() {
        request.output(Label::named(format!("P{}", k + 1)), *e, Phase::Setup);
    }
    let program = lower(&request).unwrap();
    let cost = counts_per_step(&program);
    assert!(cost.mul <= 50 && cost.add <= 25, "{cost:?}\n{program}");
}

/// The listing's five results at a position (r, BE2, AL3), with speeds and accelerations of all five joints.
fn listed([r, be, al]: [f64; 3], v: [f64; 5], a: [f64; 5]) -> Vec<f64> {
    let listing = listing();
    let quarter = std::f64::consts::FRAC_PI_2;
    let states = [r, be + quarter, al + quarter, v[1], v[2], v[3], v[4], a[0], a[1], a[2], a[3], a[4]];
    let constants = CONSTANTS.into_iter().chain(MORE_CONSTANTS).map(|(_, value)| value);
    let symbols = listing.symbols.iter().map(|(_, e, _)| listing.pool.as_symbol(*e).unwrap());
    let values: Map<SymbolId, f64> = symbols.zip(constants.chain(states)).collect();
    listing.pool.evaluate_all(&listing.results, &|s| values[&s])
}

/// The robot's forces there, from our equations.
fn true_forces([r, be, al]: [f64; 3], v: [f64; 5], a: [f64; 5]) -> Vec<f64> {
    let model = robot::robot();
    let pool = model.space.pool();
    let mut values: Map<SymbolId, f64> = Map::default();
    for (_, p) in model.parameters.iter() {
        let value = pool.evaluate_all(&[p.default.unwrap()], &|_| f64::NAN)[0];
        values.insert(pool.as_symbol(p.symbol).unwrap(), value);
    }
    for ((_, q), x) in model.coordinates.iter().zip([0.0, 0.0, r - 0.5, be, al]) {
        values.insert(pool.as_symbol(q.symbol).unwrap(), x);
    }
    for (k, (_, u)) in model.speeds.iter().enumerate() {
        values.insert(pool.as_symbol(u.symbol).unwrap(), v[k]);
        values.insert(pool.as_symbol(u.rate).unwrap(), a[k]);
    }
    let forces = inverse(&model, Formalism::Recursive).unwrap();
    pool.evaluate_all(&forces, &|s| values[&s])
}

/// What the forces owe to one acceleration, or to the product of two speeds.
fn parts(forces: &dyn Fn([f64; 5], [f64; 5]) -> Vec<f64>) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let zero = [0.0; 5];
    let minus = |a: Vec<f64>, b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let unit = |i: usize| std::array::from_fn(|k| f64::from(u8::from(k == i)));
    let rest = forces(zero, zero);
    let linear = (0..5).map(|i| minus(forces(zero, unit(i)), &rest)).collect();
    let square = |i: usize| minus(forces(unit(i), zero), &rest);
    let mut products = vec![];
    for i in 0..5 {
        products.push(square(i));
        for j in 0..i {
            let both = minus(forces(std::array::from_fn(|k| unit(i)[k] + unit(j)[k]), zero), &rest);
            products.push(minus(minus(both, &square(i)), &square(j)));
        }
    }
    (linear, products)
}

#[test]
fn the_terms_that_sym_listed_are_not_all_that_the_robot_needs() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let at: [f64; 3] = std::array::from_fn(|_| random.between(0.3, 1.2));
        let close = |a: f64, b: f64| (a - b).abs() < 1e-10 * (1.0 + b.abs());
        let (listed_at_rest, forces_at_rest) =
            (listed(at, [0.0; 5], [0.0; 5]), true_forces(at, [0.0; 5], [0.0; 5]));
        // Gravity and the forces along the last joint from the first three accelerations are right: no slip of the pen here.
        listed_at_rest.iter().zip(&forces_at_rest).for_each(|(l, f)| assert!(close(*l, *f), "{l} {f}"));
        let (mass_listed, squares_listed) = parts(&|v, a| listed(at, v, a));
        let (mass, squares) = parts(&|v, a| true_forces(at, v, a));
        (0..3).for_each(|i| assert!(close(mass_listed[i][4], mass[i][4])));
        // A mass matrix is symmetric; the listing's last column is zero where its last row is not.
        for i in 0..5 {
            (0..5).for_each(|j| assert!(close(mass[i][j], mass[j][i])));
            assert_eq!(mass_listed[4][i], 0.0, "acceleration of the last joint, force along joint {i}");
        }
        assert!(close(mass[4][4], 4.25) && (0..3).all(|i| mass_listed[i][4].abs() > 0.1));
        // Of the terms that the robot has, the listing has so many, and so many of these right.
        let count = |rows: &[Vec<f64>]| rows.iter().flatten().filter(|x| x.abs() > 1e-9).count();
        assert_eq!((count(&mass), count(&mass_listed)), (17, 9));
        assert_eq!((count(&squares), count(&squares_listed)), (21, 8));
        let right = |listed: &[Vec<f64>], rows: &[Vec<f64>]| {
            let pairs = listed.iter().flatten().zip(rows.iter().flatten());
            pairs.filter(|(l, f)| l.abs() > 1e-9 && close(**l, **f)).count()
        };
        assert_eq!((right(&mass_listed, &mass), right(&squares_listed, &squares)), (7, 4));
    }
}
