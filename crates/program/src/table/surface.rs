//! A table of two arguments on a rectangular grid.
//!
//! The interpolation along x and the one along y are linear operators on values; the surface is their tensor
//! product. First every grid line along x becomes segments, then each of their coefficients is carried along
//! y the same way. So bilinear and bicubic surfaces, and all regions beyond the grid, come out of one
//! construction, and mixed derivatives are continuous wherever the factors' are. Slopes without overshoot are not linear
//! in the values; those surfaces have a construction of their own.

use super::segments::{Beyond, Cubic, Kind, cubic, locate, segments};
use super::{TableError, check_finite, check_knots, monotone};

/// A function of two arguments through the points of a grid.
#[derive(Clone, PartialEq, Debug)]
pub struct Surface {
    name: String,
    kind: Kind,
    beyond: Beyond,
    x: Vec<f64>,
    y: Vec<f64>,
    values: Vec<f64>,
    patches: Vec<[Cubic; 4]>,
}

impl Surface {
    /// The surface through the grid x × y; `values` runs through y for each x in turn. The kind is
    /// [`Kind::Steps`], [`Kind::Linear`] (bilinear), [`Kind::Spline`] (bicubic, natural at the edges) or [`Kind::Monotone`]
    /// (bicubic, rising and falling with the values).
    pub fn new(
        name: impl Into<String>,
        kind: Kind,
        beyond: Beyond,
        x: Vec<f64>,
        y: Vec<f64>,
        values: Vec<f64>,
    ) -> Result<Self, TableError> {
        check_knots(&x, kind.min_points())?;
        check_knots(&y, kind.min_points())?;
        if x.len().checked_mul(y.len()) != Some(values.len()) {
            return Err(TableError::WrongShape {
                needed: x.len().saturating_mul(y.len()),
                found: values.len(),
            });
        }
        check_finite(&values)?;
        let patches = match kind {
            Kind::Monotone => monotone::patches(beyond, &x, &y, &values),
            _ => patches(kind, beyond, &x, &y, &values),
        };
        Ok(Surface { name: name.into(), kind, beyond, x, y, values, patches })
    }
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// How it runs between its points.
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// What it says beyond the grid.
    pub fn beyond(&self) -> Beyond {
        self.beyond
    }
    /// Grid coordinates of the first argument.
    pub fn x(&self) -> &[f64] {
        &self.x
    }
    /// Grid coordinates of the second argument.
    pub fn y(&self) -> &[f64] {
        &self.y
    }
    /// Values, running through y for each x in turn.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
    /// Coefficients of each patch, first by powers of x, then of y; patches run through the y segments for
    /// each x segment.
    pub fn patches(&self) -> &[[Cubic; 4]] {
        &self.patches
    }
    /// The value or a partial derivative at (x, y).
    pub fn eval(&self, x: f64, y: f64, dx: u8, dy: u8) -> f64 {
        let (i, s) = locate(&self.x, self.beyond, x);
        let (j, t) = locate(&self.y, self.beyond, y);
        let patch = &self.patches[i * (self.y.len() + 1) + j];
        let along_y = [0, 1, 2, 3].map(|k| cubic(&patch[k], t, dy));
        cubic(&along_y, s, dx)
    }
}

fn patches(kind: Kind, beyond: Beyond, x: &[f64], y: &[f64], values: &[f64]) -> Vec<[Cubic; 4]> {
    let lines: Vec<Vec<Cubic>> = (0..y.len())
        .map(|j| {
            let line: Vec<f64> = (0..x.len()).map(|i| values[i * y.len() + j]).collect();
            segments(kind, beyond, x, &line)
        })
        .collect();
    let width = y.len() + 1;
    let mut patches = vec![[[0.0; 4]; 4]; (x.len() + 1) * width];
    for i in 0..=x.len() {
        for power in 0..4 {
            let column: Vec<f64> = lines.iter().map(|line| line[i][power]).collect();
            for (j, c) in segments(kind, beyond, y, &column).into_iter().enumerate() {
                patches[i * width + j][power] = c;
            }
        }
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(kind: Kind, beyond: Beyond, f: impl Fn(f64, f64) -> f64) -> Surface {
        let x = vec![-1.0, 0.0, 0.5, 2.0];
        let y = vec![0.0, 1.0, 3.0];
        let values = x.iter().flat_map(|x| y.iter().map(|y| f(*x, *y)).collect::<Vec<_>>()).collect();
        Surface::new("s", kind, beyond, x, y, values).expect("sound grid")
    }

    #[test]
    fn bilinear_functions_are_reproduced_everywhere() {
        for kind in [Kind::Linear, Kind::Spline] {
            let s = surface(kind, Beyond::Extend, |x, y| 1.0 + 2.0 * x - y + 0.5 * x * y);
            for (x, y) in [(0.3, 0.2), (-4.0, 7.0), (1.9, -2.0), (0.0, 1.0), (5.0, 5.0)] {
                assert!((s.eval(x, y, 0, 0) - (1.0 + 2.0 * x - y + 0.5 * x * y)).abs() < 1e-12);
                assert!((s.eval(x, y, 1, 0) - (2.0 + 0.5 * y)).abs() < 1e-12);
                assert!((s.eval(x, y, 0, 1) - (-1.0 + 0.5 * x)).abs() < 1e-12);
                assert!((s.eval(x, y, 1, 1) - 0.5).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn clamped_regions_are_flat_outwards() {
        let s = surface(Kind::Spline, Beyond::Clamp, |x, y| x * x + y);
        assert_eq!(s.eval(9.0, f64::INFINITY, 0, 0), s.eval(2.0, 3.0, 0, 0));
        assert_eq!((s.eval(9.0, 0.5, 1, 0), s.eval(0.2, -9.0, 0, 1)), (0.0, 0.0));
        assert!(s.eval(f64::NAN, 0.0, 0, 0).is_nan());
    }

    #[test]
    fn the_bicubic_surface_is_smooth_across_grid_lines() {
        let s = surface(Kind::Spline, Beyond::Extend, |x, y| (x * 1.3).sin() * (y * 0.7).cos());
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 2)] {
            let (a, b) = (s.eval(0.5 - 1e-9, 0.4, dx, dy), s.eval(0.5, 0.4, dx, dy));
            let (c, d) = (s.eval(0.2, 1.0 - 1e-9, dx, dy), s.eval(0.2, 1.0, dx, dy));
            assert!((a - b).abs() < 1e-6 && (c - d).abs() < 1e-6, "derivative {dx} {dy}");
        }
        let h = 1e-5;
        let slope = (s.eval(0.7 + h, 0.4, 0, 1) - s.eval(0.7 - h, 0.4, 0, 1)) / (2.0 * h);
        assert!((slope - s.eval(0.7, 0.4, 1, 1)).abs() < 1e-8);
    }

    /// Random tables that rise along both axes rise everywhere; flat parts stay flat; what is bilinear is met.
    #[test]
    fn monotone_surfaces_do_not_overshoot() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for _ in 0..50 {
            let grid = |random: &mut dyn FnMut() -> f64| {
                (0..5)
                    .scan(0.0, |at, _| {
                        *at += 0.1 + random();
                        Some(*at)
                    })
                    .collect::<Vec<f64>>()
            };
            let (x, y) = (grid(&mut random), grid(&mut random));
            // Sums of nonnegative steps: rising in both directions, with flat parts and cliffs.
            let mut values = vec![0.0f64; 25];
            for i in 0..5usize {
                for j in 0..5usize {
                    let below = |a: usize, b: usize| if a < 5 && b < 5 { values[a * 5 + b] } else { 0.0 };
                    let base = below(i.wrapping_sub(1), j).max(below(i, j.wrapping_sub(1)));
                    values[i * 5 + j] = base + (random() - 0.5).max(0.0).powi(3) * 8.0;
                }
            }
            let s = Surface::new("s", Kind::Monotone, Beyond::Extend, x.clone(), y.clone(), values.clone())
                .expect("sound");
            for i in 0..5 {
                for j in 0..5 {
                    assert!((s.eval(x[i], y[j], 0, 0) - values[i * 5 + j]).abs() < 1e-12);
                }
            }
            for a in 0..60 {
                for b in 0..60 {
                    let p = x[0] + (x[4] - x[0]) * a as f64 / 59.0;
                    let q = y[0] + (y[4] - y[0]) * b as f64 / 59.0;
                    let slopes = (s.eval(p, q, 1, 0), s.eval(p, q, 0, 1));
                    assert!(slopes.0 > -1e-9 && slopes.1 > -1e-9, "{slopes:?} at {p}, {q}");
                }
            }
        }
        let s = surface(Kind::Monotone, Beyond::Extend, |x, y| 1.0 + 2.0 * x - y + 0.5 * x * y);
        assert!((s.eval(0.3, 0.2, 0, 0) - (1.0 + 0.6 - 0.2 + 0.03)).abs() < 1e-12);
        // Slopes and twist are continuous across grid lines.
        let s = surface(Kind::Monotone, Beyond::Clamp, |x, y| (1.5 * x).exp() + y * y);
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (a, b) = (s.eval(0.5 - 1e-9, 0.4, dx, dy), s.eval(0.5, 0.4, dx, dy));
            assert!((a - b).abs() < 1e-6, "derivative {dx} {dy}: {a} {b}");
        }
    }

    #[test]
    fn wrong_grids_are_refused() {
        let new =
            |kind, values| Surface::new("s", kind, Beyond::Clamp, vec![0.0, 1.0], vec![0.0, 1.0], values);
        assert_eq!(new(Kind::Linear, vec![0.0; 3]), Err(TableError::WrongShape { needed: 4, found: 3 }));
    }
}
