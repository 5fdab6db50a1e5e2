//! What an operation can give for all arguments between bounds.
//!
//! ```text
//! [monotone]   f([a, b]) = [f(a), f(b)]       rounding keeps order, so this holds of rounded results as well
//! [corners]    a ∘ b for a product, a quotient, a power: the extremes are at the corners of the box
//! [turn]       sin has 1 inside where a whole turn of x - π/2 lies, and -1 where one of x + π/2 does
//! [hull]       `if c then x else y` with c undecided: from the least to the greatest of both
//! ```
//!
//! Where an operation has a pole inside, everything is possible. Smooth tables are sampled at their knots and between, with a margin.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use cardan_program::{Binary, Compare, Kind, Logic, Op, Program, Unary, ValueId, semantics};

use super::form::evaluate;

/// All numbers from `low` to `high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
}

const EVERYTHING: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
/// How far a smooth table may leave its samples, as a part of their range.
const MARGIN: f64 = 0.25;
/// Samples of a smooth table between two knots.
const BETWEEN: usize = 4;

impl Interval {
    /// One number.
    pub fn point(x: f64) -> Interval {
        Interval { low: x, high: x }
    }

    fn is_point(self) -> bool {
        self.low == self.high || self.low.is_nan()
    }

    fn hull(values: impl IntoIterator<Item = f64>) -> Interval {
        let mut hull = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        for x in values {
            if x.is_nan() {
                return EVERYTHING;
            }
            hull = Interval { low: hull.low.min(x), high: hull.high.max(x) };
        }
        hull
    }

    fn has(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }

    fn widened(self) -> Interval {
        let margin = MARGIN * (self.high - self.low);
        Interval { low: self.low - margin, high: self.high + margin }
    }
}

/// The result of an operation; nothing for what is not looked into.
pub(super) fn over(program: &Program, op: &Op, at: &dyn Fn(ValueId) -> Interval) -> Option<Interval> {
    if op.operands().into_iter().all(|v| at(v).is_point()) {
        return evaluate(program, op, &|v| at(v).low).map(Interval::point);
    }
    let truth =
        |low: bool, high: bool| Interval { low: f64::from(u8::from(low)), high: f64::from(u8::from(high)) };
    Some(match op {
        Op::Unary(operation, x) => unary(*operation, at(*x)),
        Op::Binary(operation, a, b) => binary(*operation, at(*a), at(*b)),
        Op::Fma(a, b, c) => {
            let (a, b, c) = (at(*a), at(*b), at(*c));
            let corners = a.ends().into_iter().flat_map(|x| b.ends().map(|y| (x, y)));
            Interval::hull(corners.flat_map(|(x, y)| c.ends().map(|z| x.mul_add(y, z))))
        }
        Op::Powi(x, n) => {
            let x = at(*x);
            if *n < 0 && x.has(0.0) {
                EVERYTHING
            } else {
                let least = (x.has(0.0) && n % 2 == 0).then_some(0.0);
                Interval::hull(x.ends().map(|x| x.powi(*n)).into_iter().chain(least))
            }
        }
        Op::Compare(comparison, a, b) => {
            let (a, b) = (at(*a), at(*b));
            let apart = a.high < b.low || b.high < a.low;
            match comparison {
                Compare::Lt => truth(a.high < b.low, a.low < b.high),
                Compare::Le => truth(a.high <= b.low, a.low <= b.high),
                Compare::Eq => truth(false, !apart),
                Compare::Ne => truth(apart, true),
            }
        }
        Op::Logic(logic, a, b) => {
            let (a, b) = (at(*a), at(*b));
            match logic {
                Logic::And => Interval { low: a.low.min(b.low), high: a.high.min(b.high) },
                Logic::Or => Interval { low: a.low.max(b.low), high: a.high.max(b.high) },
            }
        }
        Op::Not(a) => Interval { low: 1.0 - at(*a).high, high: 1.0 - at(*a).low },
        Op::Select(c, a, b) => match (at(*c).low != 0.0, at(*c).high != 0.0) {
            (true, _) => at(*a),
            (false, false) => at(*b),
            _ => Interval::hull(at(*a).ends().into_iter().chain(at(*b).ends())), // [hull]
        },
        Op::Lookup1 { table, x, order } => {
            let curve = &program.curves()[*table];
            let x = at(*x);
            if !(x.low.is_finite() && x.high.is_finite()) {
                return Some(EVERYTHING);
            }
            let places = places(curve.knots(), x);
            let found = Interval::hull(places.into_iter().map(|x| curve.eval(x, *order)));
            let exact = *order == 0 && matches!(curve.kind(), Kind::Steps | Kind::Linear);
            if exact { found } else { found.widened() }
        }
        Op::Lookup2 { table, x, y, dx, dy } => {
            let surface = &program.surfaces()[*table];
            let (x, y) = (at(*x), at(*y));
            if ![x.low, x.high, y.low, y.high].iter().all(|v| v.is_finite()) {
                return Some(EVERYTHING);
            }
            let (columns, rows) = (places(surface.x(), x), places(surface.y(), y));
            let corners = columns.iter().flat_map(|x| rows.iter().map(move |y| (*x, *y)));
            Interval::hull(corners.map(|(x, y)| surface.eval(x, y, *dx, *dy))).widened()
        }
        Op::Const(_) | Op::Truth(_) | Op::Input(_) | Op::Call { .. } | Op::Solve(_) | Op::Extract { .. } => {
            return None;
        }
    })
}

/// The ends, the knots inside, and some places between.
fn places(knots: &[f64], x: Interval) -> Vec<f64> {
    let inside = knots.iter().copied().filter(|k| x.low < *k && *k < x.high);
    let main: Vec<f64> = [x.low].into_iter().chain(inside).chain([x.high]).collect();
    let mut places = main.clone();
    for pair in main.windows(2) {
        let part = |k: usize| pair[0] + (pair[1] - pair[0]) * k as f64 / BETWEEN as f64;
        places.extend((1..BETWEEN).map(part));
    }
    // Steps hold the value of the knot before: just before a knot it is another than at it.
    places.extend(main[1..].iter().map(|x| x.next_down()));
    places
}

fn unary(operation: Unary, x: Interval) -> Interval {
    let f = |x: f64| semantics::unary(operation, x);
    match operation {
        Unary::Neg
        | Unary::Sign
        | Unary::Floor
        | Unary::Atan
        | Unary::Sinh
        | Unary::Tanh
        | Unary::Exp
        | Unary::Sqrt
        | Unary::Asin
        | Unary::Acos
        | Unary::Ln => Interval::hull(x.ends().map(f)), // [monotone]
        Unary::Abs | Unary::Cosh => {
            Interval::hull(x.ends().map(f).into_iter().chain(x.has(0.0).then(|| f(0.0))))
        }
        Unary::Sin => wave(x, f, FRAC_PI_2),
        Unary::Cos => wave(x, f, 0.0),
        Unary::Tan => {
            let pole = ((x.low + FRAC_PI_2) / PI).floor() != ((x.high + FRAC_PI_2) / PI).floor();
            if pole { EVERYTHING } else { Interval::hull(x.ends().map(f)) }
        }
    }
}

/// A wave whose crests are at `crest` and whole turns from it. [turn]
fn wave(x: Interval, f: impl Fn(f64) -> f64, crest: f64) -> Interval {
    let whole = |from: f64| ((x.high - from) / TAU).floor() != ((x.low - from) / TAU).floor();
    let crest_inside = whole(crest).then_some(1.0);
    let trough_inside = whole(crest + PI).then_some(-1.0);
    if !(x.low.is_finite() && x.high.is_finite()) {
        return Interval { low: -1.0, high: 1.0 };
    }
    Interval::hull(x.ends().map(f).into_iter().chain(crest_inside).chain(trough_inside))
}

fn binary(operation: Binary, a: Interval, b: Interval) -> Interval {
    let f = |x: f64, y: f64| semantics::binary(operation, x, y);
    let corners = || {
        let all = a.ends().into_iter().flat_map(|x| b.ends().map(|y| f(x, y)));
        Interval::hull(all.collect::<Vec<_>>()) // [corners]
    };
    match operation {
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max => corners(),
        Binary::Div if b.has(0.0) => EVERYTHING,
        Binary::Div => corners(),
        Binary::Atan2 if b.low <= 0.0 && a.has(0.0) => Interval { low: -PI, high: PI },
        Binary::Atan2 => corners(),
        Binary::Pow if a.low > 0.0 => corners(),
        Binary::Pow => EVERYTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether random numbers between bounds stay between the bounds of the results.
    #[test]
    fn no_result_is_outside() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        for _ in 0..2000 {
            let mut some = || {
                let low = 8.0 * random() - 4.0;
                let wide = 3.0 * random();
                (Interval { low, high: low + wide }, low + wide * random())
            };
            let ((a, x), (b, y)) = (some(), some());
            for (operation, name) in Unary::ALL {
                let (value, bounds) = (semantics::unary(operation, x), unary(operation, a));
                let slack = 1e-14 * (1.0 + value.abs());
                let inside = bounds.low - slack <= value && value <= bounds.high + slack;
                assert!(value.is_nan() || inside, "{name} {x} {a:?} {bounds:?}");
            }
            for (operation, name) in Binary::ALL {
                let (value, bounds) = (semantics::binary(operation, x, y), binary(operation, a, b));
                let slack = 1e-14 * (1.0 + value.abs());
                let inside = bounds.low - slack <= value && value <= bounds.high + slack;
                assert!(value.is_nan() || inside, "{name} {x} {y} {a:?} {b:?} {bounds:?}");
            }
        }
    }
}
