//! The kernels against the program's own functions.

use cardan_program::math;
use cardan_program::testing::Dice;

#[allow(clippy::all, unused_assignments)]
#[rustfmt::skip]
mod ours {
    include!("functions.rs");

    pub(super) const ONE: [(&str, fn(f64) -> f64, fn(f64) -> f64, f64); 14] = [
        ("floor", floor, f64::floor, 0.0),
        ("sqrt", sqrt, f64::sqrt, 1.0),
        ("sin", sin, super::math::sin, 4.0),
        ("cos", cos, super::math::cos, 4.0),
        ("tan", tan, super::math::tan, 8.0),
        ("atan", atan, super::math::atan, 4.0),
        ("asin", asin, super::math::asin, 6.0),
        ("acos", acos, super::math::acos, 6.0),
        ("exp", exp, super::math::exp, 4.0),
        ("ln", ln, super::math::ln, 4.0),
        ("sinh", sinh, super::math::sinh, 8.0),
        ("cosh", cosh, super::math::cosh, 8.0),
        ("tanh", tanh, super::math::tanh, 8.0),
        ("abs", f64::abs, f64::abs, 0.0),
    ];
    pub(super) const TWO: [(&str, fn(f64, f64) -> f64, fn(f64, f64) -> f64, f64); 2] = [
        ("atan2", atan2, super::math::atan2, 6.0),
        ("pow", pow, super::math::pow, 2000.0),
    ];
    pub(super) const FMA: fn(f64, f64, f64) -> f64 = fused;
}

/// Equal up to so many units in the last place; the sign of zero counts where it is exact.
fn close(a: f64, b: f64, ulps: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= ulps * f64::EPSILON * b.abs() + 1e-320
}

#[test]
fn functions_of_one_number() {
    let mut dice = Dice::new(7);
    for (name, our, reference, ulps) in ours::ONE {
        for i in 0..200_000 {
            let x = match i % 5 {
                0 => dice.unit(),
                1 => dice.unit() * 40.0,
                2 => dice.unit() * 1e7,
                3 => dice.unit() * 800.0,
                _ => dice.wild(),
            };
            let (a, b) = (our(x), reference(x));
            assert!(close(a, b, ulps), "{name}({x:e}) is {a:e}, should be {b:e}");
        }
    }
}

#[test]
fn functions_of_two_numbers() {
    let mut dice = Dice::new(8);
    for (name, our, reference, ulps) in ours::TWO {
        for i in 0..200_000 {
            let (x, y) = match i % 4 {
                0 => (dice.unit().abs() * 10.0, dice.unit() * 20.0),
                1 => (dice.unit() * 3.0, (dice.unit() * 30.0).floor()),
                _ => (dice.wild(), dice.wild()),
            };
            let (a, b) = (our(x, y), reference(x, y));
            assert!(close(a, b, ulps), "{name}({x:e}, {y:e}) is {a:e}, should be {b:e}");
        }
    }
}

#[test]
fn sine_and_cosine_have_the_bits_of_the_interpreter_in_the_main_range() {
    let mut dice = Dice::new(9);
    for _ in 0..200_000 {
        let x = dice.unit() * 300_000.0;
        for (name, our, reference, _) in &ours::ONE[2..4] {
            assert_eq!(our(x).to_bits(), reference(x).to_bits(), "{name}({x:e})");
        }
    }
}

#[test]
fn fused_products_keep_what_cancels() {
    let mut dice = Dice::new(10);
    for _ in 0..200_000 {
        let (a, b) = (dice.unit() * 3.0, dice.unit() * 3.0);
        let c = if dice.one_in(2) { -a * b } else { dice.wild() };
        assert!(close((ours::FMA)(a, b, c), a.mul_add(b, c), 2.0), "{a:e} {b:e} {c:e}");
    }
}
