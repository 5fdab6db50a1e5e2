//! A table of one argument.

use super::segments::{Beyond, Cubic, Kind, cubic, locate, segments};
use super::{TableError, check_finite, check_knots};

/// A function of one argument through given points.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    name: String,
    kind: Kind,
    beyond: Beyond,
    knots: Vec<f64>,
    values: Vec<f64>,
    segments: Vec<Cubic>,
}

impl Curve {
    /// The curve through the points (knot, value); knots must increase, everything must be finite.
    pub fn new(
        name: impl Into<String>,
        kind: Kind,
        beyond: Beyond,
        knots: Vec<f64>,
        values: Vec<f64>,
    ) -> Result<Self, TableError> {
        check_knots(&knots, kind.min_points())?;
        if values.len() != knots.len() {
            return Err(TableError::WrongShape { needed: knots.len(), found: values.len() });
        }
        check_finite(&values)?;
        let segments = segments(kind, beyond, &knots, &values);
        Ok(Curve { name: name.into(), kind, beyond, knots, values, segments })
    }
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// How it runs between its points.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// What it says beyond its ends.
    pub fn beyond(&self) -> Beyond {
        self.beyond
    }
    /// The arguments of the points.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }
    /// The values of the points.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// The cubics: before the first knot, between knots, from the last knot on.
    pub fn segments(&self) -> &[Cubic] {
        &self.segments
    }
    /// The value (order 0) or a derivative at x. A derivative that jumps at a knot is taken from the right.
    pub fn eval(&self, x: f64, order: u8) -> f64 {
        let (segment, t) = locate(&self.knots, self.beyond, x);
        cubic(&self.segments[segment], t, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(kind: Kind, beyond: Beyond, points: &[(f64, f64)]) -> Curve {
        let (x, y) = points.iter().copied().unzip();
        Curve::new("t", kind, beyond, x, y).expect("sound points")
    }

    const HILL: [(f64, f64); 5] = [(0.0, 1.0), (1.0, 3.0), (2.5, 3.0), (3.0, -1.0), (6.0, 0.5)];

    #[test]
    fn steps_hold_the_value_of_the_point_before() {
        let c = curve(Kind::Steps, Beyond::Clamp, &HILL);
        let seen: Vec<f64> = [-1.0, 0.0, 0.9, 1.0, 2.9, 3.0, 5.9, 6.0, 1e300].map(|x| c.eval(x, 0)).into();
        assert_eq!(seen, [1.0, 1.0, 1.0, 3.0, 3.0, -1.0, -1.0, 0.5, 0.5]);
    }

    #[test]
    fn beyond_the_ends() {
        let c = curve(Kind::Linear, Beyond::Clamp, &HILL);
        assert_eq!((c.eval(f64::NEG_INFINITY, 0), c.eval(f64::INFINITY, 0)), (1.0, 0.5));
        assert_eq!((c.eval(-1.0, 1), c.eval(7.0, 1)), (0.0, 0.0));
        assert!(c.eval(f64::NAN, 0).is_nan());
        let c = curve(Kind::Linear, Beyond::Extend, &HILL);
        assert_eq!((c.eval(-2.0, 0), c.eval(8.0, 0)), (-3.0, 1.5));
        assert_eq!((c.eval(-2.0, 1), c.eval(8.0, 1)), (2.0, 0.5));
    }

    #[test]
    fn a_spline_is_twice_smooth_and_straight_at_its_ends() {
        let c = curve(Kind::Spline, Beyond::Extend, &HILL);
        assert!(c.eval(0.0, 2).abs() < 1e-13 && c.eval(6.0 - 1e-9, 2).abs() < 1e-6);
        for (x, _) in &HILL[1..4] {
            for order in 0..=2 {
                let (left, right) = (c.eval(x - 1e-10, order), c.eval(*x, order));
                assert!((left - right).abs() < 1e-7, "order {order} at {x}: {left} and {right}");
            }
        }
    }

    #[test]
    fn a_spline_reproduces_a_cubic_with_natural_ends() {
        // y = x (x − 1)(x + 1) is odd; on [-1, 1] refined towards its natural point 0 the middle slope is -1.
        let points: Vec<(f64, f64)> =
            (-200..=200).map(|i| (f64::from(i) * 0.05, (f64::from(i) * 0.05).powi(3))).collect();
        let c = curve(Kind::Spline, Beyond::Clamp, &points);
        assert!((c.eval(0.33, 0) - 0.33f64.powi(3)).abs() < 1e-9);
        assert!((c.eval(0.33, 1) - 3.0 * 0.33f64.powi(2)).abs() < 1e-8);
        assert!((c.eval(0.33, 2) - 6.0 * 0.33).abs() < 1e-6);
        assert!((c.eval(0.33, 3) - 6.0).abs() < 1e-4);
    }

    #[test]
    fn wrong_points_are_refused() {
        let new = |x: &[f64], y: &[f64]| Curve::new("t", Kind::Linear, Beyond::Clamp, x.into(), y.into());
        assert_eq!(new(&[0.0], &[1.0]), Err(TableError::TooFewPoints { needed: 2, found: 1 }));
        assert_eq!(
            new(&[0.0, 0.0], &[1.0, 2.0]),
            Err(TableError::NotIncreasing { index: 1, before: 0.0, here: 0.0 })
        );
        assert_eq!(new(&[0.0, 1.0], &[1.0]), Err(TableError::WrongShape { needed: 2, found: 1 }));
        assert_eq!(new(&[0.0, f64::NAN], &[1.0, 1.0]), Err(TableError::NotFinite { index: 1 }));
        assert_eq!(new(&[0.0, 1.0], &[f64::INFINITY, 1.0]), Err(TableError::NotFinite { index: 0 }));
    }

    proptest! {
        #[test]
        fn points_are_met_and_derivatives_agree_with_differences(
            steps in prop::collection::vec((0.1f64..2.0, -3.0f64..3.0), 2..9), at in 0.01f64..0.99, kind in 1usize..4
        ) {
            let mut x = 0.0;
            let points: Vec<(f64, f64)> = steps.iter().map(|(h, y)| { x += h; (x, *y) }).collect();
            let c = curve(Kind::ALL[kind], Beyond::Extend, &points);
            for (x, y) in &points {
                prop_assert_eq!(c.eval(*x, 0), *y);
            }
            let x = points[0].0 + at * (points[points.len() - 1].0 - points[0].0);
            let near = points.iter().any(|(k, _)| (k - x).abs() < 1e-4);
            let step = 1e-5;
            for order in 0..3 {
                let slope = (c.eval(x + step, order) - c.eval(x - step, order)) / (2.0 * step);
                let scale = 1.0 + c.eval(x, order + 1).abs();
                prop_assert!(near || (slope - c.eval(x, order + 1)).abs() < 1e-3 * scale);
            }
        }

        #[test]
        fn a_monotone_curve_never_leaves_its_points(
            steps in prop::collection::vec((0.1f64..2.0, -3.0f64..3.0), 2..9), at in 0.0f64..1.0
        ) {
            let mut x = 0.0;
            let points: Vec<(f64, f64)> = steps.iter().map(|(h, y)| { x += h; (x, *y) }).collect();
            let c = curve(Kind::Monotone, Beyond::Clamp, &points);
            for pair in points.windows(2) {
                let y = c.eval(pair[0].0 + at * (pair[1].0 - pair[0].0), 0);
                let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
                prop_assert!(low - 1e-12 <= y && y <= high + 1e-12);
            }
        }
    }
}
