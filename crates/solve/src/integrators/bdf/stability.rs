//! Which formulas are stable for a problem at a step size.
//!
//! The formula of order k applied to ẏ = λ y with equal steps multiplies its errors by the roots ζ of
//!
//! ```text
//! [roots]      Σ_{j=1…k} (1 − w)^j / j = hλ,    w = 1/ζ
//! [stable]     every root |ζ| ≤ 1: no w inside the unit circle
//! [spectrum]   λ = c − 1/ν,  ν the eigenvalues of (c B − J)⁻¹ B;  ν = 0 for an algebraic unknown
//! ```
//!
//! Orders 1 and 2 are stable wherever Re λ ≤ 0. From 3 on a lobe of instability leans over the imaginary axis: up to 86°, 73°, 52° and 18°
//! off the negative axis every λ is safe for orders 3 to 6, and near the imaginary axis those with a small or a large |hλ| only. A growing
//! solution (Re λ > 0) is followed, not damped: only its size matters, and accuracy cares for that. Roots are counted
//! by the recursion of Schur and Cohn. Hairer & Wanner, Solving ODEs II, V.1 and V.2.

use super::history::MAX_ORDER;
use crate::linear::{Lu, Matrix, eigenvalues};

/// Roots that exceed the unit circle by less than this are harmless for the length of a smooth motion.
const MARGIN: f64 = 1e-3;

/// The finite eigenvalues of B ẏ = J y from the factors of c B − J; nothing where they cannot be found. [spectrum]
pub(crate) fn spectrum(
    lu: &Lu,
    c: f64,
    is_differential: impl Fn(usize) -> bool,
    n: usize,
) -> Option<Vec<(f64, f64)>> {
    let matrix = lu.inverse();
    let kept: Vec<usize> = (0..n).filter(|j| is_differential(*j)).collect();
    let mut reduced = Matrix::zeros(kept.len(), kept.len());
    for (a, &i) in kept.iter().enumerate() {
        for (b, &j) in kept.iter().enumerate() {
            reduced[(a, b)] = matrix[(i, j)];
        }
    }
    let found = eigenvalues(&reduced).ok()?;
    let finite = found.into_iter().filter(|(re, im)| re.hypot(*im) * c.abs() > 1e-9);
    let lambda = finite.map(|(re, im)| {
        let square = re * re + im * im;
        (c - re / square, im / square)
    });
    Some(lambda.collect())
}

/// The highest order up to which every formula is stable for all `lambda` at step size `h`.
pub(crate) fn highest_stable_order(lambda: &[(f64, f64)], h: f64) -> usize {
    let damped = lambda.iter().map(|(re, im)| (re * h, im * h)).filter(|z| z.0 <= 0.0);
    let damped: Vec<(f64, f64)> = damped.filter(|z| z.1 >= 0.0).collect();
    (3..=MAX_ORDER).take_while(|k| damped.iter().all(|z| is_stable(*k, *z))).last().unwrap_or(2)
}

/// Whether the formula of order `k` damps at hλ = `z`. [stable]
pub(crate) fn is_stable(k: usize, z: (f64, f64)) -> bool {
    // In powers of w: Σ (1 − w)^j / j − z. Root condition in ζ: the polynomial with reversed coefficients.
    let mut coefficients = vec![(0.0, 0.0); k + 1];
    let mut power = vec![1.0];
    for j in 1..=k {
        let mut next = vec![0.0; j + 1];
        for (m, p) in power.iter().enumerate() {
            next[m] += p;
            next[m + 1] -= p;
        }
        power = next;
        for (m, p) in power.iter().enumerate() {
            coefficients[m].0 += p / j as f64;
        }
    }
    coefficients[0].0 -= z.0;
    coefficients[0].1 -= z.1;
    // Leading coefficient of ζ^k first; a circle of radius 1 + MARGIN.
    let mut scale = 1.0;
    let mut p: Vec<(f64, f64)> = Vec::with_capacity(k + 1);
    for (re, im) in coefficients {
        p.push((re * scale, im * scale));
        scale /= 1.0 + MARGIN;
    }
    roots_inside(p)
}

/// Whether all roots of p₀ ζ^k + p₁ ζ^(k−1) + … lie inside the unit circle (Schur and Cohn).
fn roots_inside(mut p: Vec<(f64, f64)>) -> bool {
    while p.len() > 1 {
        let (first, last) = (p[0], p[p.len() - 1]);
        if last.0.hypot(last.1) >= first.0.hypot(first.1) {
            return false;
        }
        // q = conj(p₀) p − p_k p*, whose last coefficient vanishes; p* has the conjugates in reverse.
        let n = p.len();
        let q = (0..n - 1).map(|i| {
            let (a, b) = (p[i], p[n - 1 - i]);
            let left = (first.0 * a.0 + first.1 * a.1, first.0 * a.1 - first.1 * a.0);
            let right = (last.0 * b.0 + last.1 * b.1, last.1 * b.0 - last.0 * b.1);
            (left.0 - right.0, left.1 - right.1)
        });
        let q: Vec<(f64, f64)> = q.collect();
        let size = q[0].0.hypot(q[0].1);
        p = q.into_iter().map(|(re, im)| (re / size, im / size)).collect();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The angle from the negative real axis up to which `k` is stable for every |hλ|, in degrees.
    fn sector(k: usize) -> f64 {
        let stable = |degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            (1..4000).all(|m| {
                let r = 0.005 * f64::from(m);
                is_stable(k, (-r * cos, r * sin))
            })
        };
        let (mut low, mut high) = (0.0, 91.0);
        while high - low > 0.01 {
            let middle = 0.5 * (low + high);
            if stable(middle) { low = middle } else { high = middle }
        }
        low
    }

    #[test]
    fn the_angles_of_stability_are_the_published_ones() {
        // Hairer & Wanner II, Table V.2.1; the margin opens each by a little.
        for (k, published) in [(2, 90.0), (3, 86.03), (4, 73.35), (5, 51.84), (6, 17.84)] {
            let found = sector(k);
            assert!(found >= published - 0.02 && found < published + 1.1, "{k}: {found}");
        }
    }

    #[test]
    fn order_six_is_left_for_oscillation_and_kept_for_decay() {
        assert_eq!(highest_stable_order(&[(-1e6, 0.0), (-3.0, 0.0)], 1.0), 6);
        assert_eq!(highest_stable_order(&[(-2.0, 2.0), (-2.0, -2.0)], 1.0), 5);
        assert_eq!(highest_stable_order(&[(0.0, 1.0)], 1.0), 2);
        assert_eq!(highest_stable_order(&[(0.0, 1e3), (1.0, 0.0)], 1e-5), 6);
    }

    #[test]
    fn the_spectrum_passes_over_algebraic_unknowns() {
        // ẋ = −2x + z, 0 = z − x: λ = −1.
        let mut j = Matrix::zeros(2, 2);
        j.as_mut_slice().copy_from_slice(&[-2.0, -1.0, 1.0, 1.0]);
        let differential = |i: usize| i == 0;
        let lu = Lu::pencil(&j, 7.0, differential).expect("the matrix is regular");
        let found = spectrum(&lu, 7.0, differential, 2).expect("it converges");
        assert!(found.len() == 1 && (found[0].0 + 1.0).abs() < 1e-13 && found[0].1 == 0.0, "{found:?}");
    }
}
