//! A root of one function of one variable inside a bracket: Brent's method.
//!
//! Inverse quadratic interpolation or the secant where they behave, bisection where they do not; never slower than
//! bisection by more than a constant. Brent, Algorithms for Minimization without Derivatives (1973), ch. 4.

/// Why no root was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RootFailure<E> {
    /// The ends of the interval have the same sign (their values are given) or a value is undefined.
    NoSignChange {
        /// f(a).
        at_a: f64,
        /// f(b).
        at_b: f64,
    },
    /// The function itself failed.
    Function(E),
}

/// A root of `f` between `a` and `b`, where `f` must change sign, to within `tolerance` plus 4 ε times its magnitude.
///
/// ```
/// let root = cardan_solve::roots::brent(&mut |x| Ok::<f64, ()>(x * x - 2.0), 0.0, 2.0, 0.0).unwrap();
/// assert!((root - 2f64.sqrt()).abs() < 1e-15);
/// ```
pub fn brent<E>(
    f: &mut dyn FnMut(f64) -> Result<f64, E>,
    a: f64,
    b: f64,
    tolerance: f64,
) -> Result<f64, RootFailure<E>> {
    let at_a = f(a).map_err(RootFailure::Function)?;
    let at_b = f(b).map_err(RootFailure::Function)?;
    brent_from(f, (a, at_a), (b, at_b), tolerance)
}

/// As [`brent`], with the values at both ends already known.
pub fn brent_from<E>(
    f: &mut dyn FnMut(f64) -> Result<f64, E>,
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    tolerance: f64,
) -> Result<f64, RootFailure<E>> {
    if fa == 0.0 {
        return Ok(a);
    }
    if fb == 0.0 {
        return Ok(b);
    }
    if fa.is_nan() || fb.is_nan() || (fa > 0.0) == (fb > 0.0) {
        return Err(RootFailure::NoSignChange { at_a: fa, at_b: fb });
    }
    // b is the best estimate, a the one before, c the end of the bracket on the other side of the root.
    let (mut c, mut fc) = (a, fa);
    let mut width = b - a;
    let mut width_before = width;
    loop {
        if (fb > 0.0) == (fc > 0.0) {
            (c, fc) = (a, fa);
            width = b - a;
            width_before = width;
        }
        if fc.abs() < fb.abs() {
            (a, b, c) = (b, c, b);
            (fa, fb, fc) = (fb, fc, fb);
        }
        let enough = 2.0 * f64::EPSILON * b.abs() + 0.5 * tolerance;
        let half = 0.5 * (c - b);
        if half.abs() <= enough || fb == 0.0 {
            return Ok(b);
        }
        match interpolated((a, fa), (b, fb), (c, fc)) {
            Some(step)
                if width_before.abs() >= enough
                    && fa.abs() > fb.abs()
                    && 2.0 * step.abs() < (3.0 * half.abs() - enough).min(width_before.abs())
                    && (step > 0.0) == (half > 0.0) =>
            {
                (width_before, width) = (width, step);
            }
            _ => (width_before, width) = (half, half),
        }
        (a, fa) = (b, fb);
        b += if width.abs() > enough { width } else { enough.copysign(half) };
        fb = f(b).map_err(RootFailure::Function)?;
        if fb.is_nan() {
            return Err(RootFailure::NoSignChange { at_a: fa, at_b: fb });
        }
    }
}

/// The step from b to the root of the inverse parabola through three points, or of the secant through two.
fn interpolated((a, fa): (f64, f64), (b, fb): (f64, f64), (c, fc): (f64, f64)) -> Option<f64> {
    let s = fb / fa;
    let (p, q) = if a == c {
        ((c - b) * s, 1.0 - s)
    } else {
        let (q, r) = (fa / fc, fb / fc);
        (s * ((c - b) * q * (q - r) - (b - a) * (r - 1.0)), (q - 1.0) * (r - 1.0) * (s - 1.0))
    };
    let step = -p / q;
    step.is_finite().then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(f: impl Fn(f64) -> f64, a: f64, b: f64) -> (f64, u32) {
        let mut n = 0;
        let root = brent(
            &mut |x| {
                n += 1;
                Ok::<f64, ()>(f(x))
            },
            a,
            b,
            0.0,
        );
        (root.unwrap(), n)
    }

    #[test]
    fn known_roots_with_few_evaluations() {
        let (root, n) = count(|x| x.cos() - x, 0.0, 1.0);
        assert!((root - 0.739_085_133_215_160_6).abs() < 1e-15, "{root}");
        assert!(n <= 9, "{n}");
        let (root, n) = count(|x| x.powi(9), -1.0, 1.5);
        assert!(root.abs() < 1e-9, "{root}");
        assert!(n <= 400, "{n}");
        let (root, n) = count(|x| if x < 0.3 { -1.0 } else { 1.0 }, 0.0, 1.0);
        assert!((root - 0.3).abs() < 1e-15, "{root}");
        assert!(n <= 120, "{n}");
    }

    #[test]
    fn no_sign_change_is_refused_with_both_values() {
        let answer = brent(&mut |x| Ok::<f64, ()>(x * x + 1.0), -1.0, 2.0, 0.0);
        assert_eq!(answer, Err(RootFailure::NoSignChange { at_a: 2.0, at_b: 5.0 }));
        let answer = brent(&mut |_| Err::<f64, _>("no"), -1.0, 2.0, 0.0);
        assert_eq!(answer, Err(RootFailure::Function("no")));
    }

    proptest! {
        #[test]
        fn finds_the_root_of_any_cubic_with_one_real_root(r in -5.0..5.0f64, p in 0.1..3.0f64) {
            let (root, n) = count(|x| (x - r) * ((x + r).powi(2) + p), -7.0, 8.0);
            prop_assert!((root - r).abs() < 1e-12);
            prop_assert!(n < 80);
        }
    }
}
