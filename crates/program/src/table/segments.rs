//! Piecewise cubics through points in one direction.
//!
//! n points give n + 1 segments: one before the first point, n − 1 between, one from the last point on. A
//! segment is `c₀ + c₁ t + c₂ t² + c₃ t³` with t measured from its left point (the first segment from the
//! first point), so that the points are met exactly, and a segment contains its left end: derivatives that
//! jump are taken from the right.
//!
//! All kinds but the monotone one are linear in the values; two-dimensional tables rely on that.

/// How a table runs between its points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Constant from each point to the next.
    Steps,
    /// Straight lines.
    Linear,
    /// Cubic without overshoot: slopes limited as by Fritsch and Carlson 1980 (SIAM J. Numer. Anal. 17).
    Monotone,
    /// Twice continuously differentiable cubic whose curvature vanishes at the ends.
    Spline,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Steps, Kind::Linear, Kind::Monotone, Kind::Spline];
    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Steps => "steps",
            Kind::Linear => "linear",
            Kind::Monotone => "monotone",
            Kind::Spline => "spline",
        }
    }
    /// Fewest points.
    pub fn min_points(self) -> usize {
        if self == Kind::Steps { 1 } else { 2 }
    }
}

/// What a table says beyond its first and last point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Beyond {
    /// The value at the end; derivatives vanish.
    Clamp,
    /// A straight line with the slope at the end.
    Extend,
}

impl Beyond {
    /// All policies.
    pub const ALL: [Beyond; 2] = [Beyond::Clamp, Beyond::Extend];
    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Beyond::Clamp => "clamp",
            Beyond::Extend => "extend",
        }
    }
}

/// Coefficients of one segment, lowest power first.
pub type Cubic = [f64; 4];

/// The n + 1 segments through n checked points.
pub(super) fn segments(kind: Kind, beyond: Beyond, x: &[f64], y: &[f64]) -> Vec<Cubic> {
    let last = x.len() - 1;
    let slopes = match kind {
        Kind::Steps => vec![0.0; x.len()],
        Kind::Linear => linear_slopes(x, y),
        Kind::Monotone => monotone_slopes(x, y),
        Kind::Spline => spline_slopes(x, y),
    };
    let end = |i: usize, slope: f64| [y[i], if beyond == Beyond::Extend { slope } else { 0.0 }, 0.0, 0.0];
    let mut list = Vec::with_capacity(x.len() + 1);
    list.push(end(0, slopes[0]));
    for i in 0..last {
        list.push(match kind {
            Kind::Steps => [y[i], 0.0, 0.0, 0.0],
            Kind::Linear => [y[i], slopes[i], 0.0, 0.0],
            Kind::Monotone | Kind::Spline => {
                hermite(x[i + 1] - x[i], y[i], y[i + 1], slopes[i], slopes[i + 1])
            }
        });
    }
    list.push(end(last, slopes[last]));
    list
}

/// The cubic on [0, h] with these end values and end slopes.
pub(super) fn hermite(h: f64, y0: f64, y1: f64, m0: f64, m1: f64) -> Cubic {
    let secant = (y1 - y0) / h;
    [y0, m0, (3.0 * secant - 2.0 * m0 - m1) / h, (m0 + m1 - 2.0 * secant) / (h * h)]
}

fn secants(x: &[f64], y: &[f64]) -> Vec<f64> {
    (1..x.len()).map(|i| (y[i] - y[i - 1]) / (x[i] - x[i - 1])).collect()
}

/// Slope of the interval that begins at each point; the last point repeats the last interval's.
fn linear_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let mut slopes = secants(x, y);
    slopes.extend(slopes.last().copied());
    slopes
}

/// Means of neighbouring secants, zero at extrema, then drawn into the circle α² + β² ≤ 9 of monotone cubics.
pub(super) fn monotone_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let d = secants(x, y);
    let n = x.len();
    let mut m = vec![0.0; n];
    m[0] = d[0];
    m[n - 1] = d[n - 2];
    for i in 1..n - 1 {
        m[i] = if d[i - 1] * d[i] <= 0.0 { 0.0 } else { 0.5 * (d[i - 1] + d[i]) };
    }
    for i in 0..n - 1 {
        if d[i] == 0.0 {
            m[i] = 0.0;
            m[i + 1] = 0.0;
            continue;
        }
        let (a, b) = (m[i] / d[i], m[i + 1] / d[i]);
        let radius = a * a + b * b;
        if radius > 9.0 {
            let shrink = 3.0 / radius.sqrt();
            m[i] = shrink * a * d[i];
            m[i + 1] = shrink * b * d[i];
        }
    }
    m
}

/// Slopes of the natural cubic spline.
///
/// Continuity of curvature at inner points and zero curvature at the ends give, with hᵢ = xᵢ₊₁ − xᵢ and
/// secants dᵢ,
///
/// ```text
/// [natural-end]      2 m₀ + m₁ = 3 d₀,        mₙ₋₂ + 2 mₙ₋₁ = 3 dₙ₋₂
/// [equal-curvature]  hᵢ mᵢ₋₁ + 2 (hᵢ₋₁ + hᵢ) mᵢ + hᵢ₋₁ mᵢ₊₁ = 3 (hᵢ dᵢ₋₁ + hᵢ₋₁ dᵢ)
/// ```
///
/// a diagonally dominant tridiagonal system, solved by elimination without pivoting.
fn spline_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let d = secants(x, y);
    let h = |i: usize| x[i + 1] - x[i];
    let mut upper = vec![0.0; n];
    let mut m = vec![0.0; n];
    upper[0] = 0.5;
    m[0] = 1.5 * d[0];
    for i in 1..n {
        let (low, diagonal, up, right) = if i == n - 1 {
            (1.0, 2.0, 0.0, 3.0 * d[n - 2]) // [natural-end]
        } else {
            let (before, after) = (h(i - 1), h(i));
            (after, 2.0 * (before + after), before, 3.0 * (after * d[i - 1] + before * d[i])) // [equal-curvature]
        };
        let pivot = diagonal - low * upper[i - 1];
        upper[i] = up / pivot;
        m[i] = (right - low * m[i - 1]) / pivot;
    }
    for i in (0..n - 1).rev() {
        m[i] -= upper[i] * m[i + 1];
    }
    m
}

/// Which segment holds `x`, and `x` measured from its base point. Under [`Beyond::Clamp`] the distance is
/// kept at zero outside, so that infinite arguments are harmless.
pub(super) fn locate(knots: &[f64], beyond: Beyond, x: f64) -> (usize, f64) {
    let segment = knots.partition_point(|k| *k <= x);
    let t = x - knots[segment.saturating_sub(1)];
    let outside = segment == 0 || segment == knots.len();
    if outside && beyond == Beyond::Clamp && !x.is_nan() { (segment, 0.0) } else { (segment, t) }
}

/// The derivative of the given order of a cubic at t.
pub(super) fn cubic(c: &Cubic, t: f64, order: u8) -> f64 {
    match order {
        0 => c[0] + t * (c[1] + t * (c[2] + t * c[3])),
        1 => c[1] + t * (2.0 * c[2] + t * (3.0 * c[3])),
        2 => 2.0 * c[2] + t * (6.0 * c[3]),
        3 => 6.0 * c[3],
        _ => 0.0,
    }
}
