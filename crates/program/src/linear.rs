//! Symmetric positive semidefinite systems by LDL^T: the meaning of `Solve`.
//!
//! ```text
//! [row]      t_kj = a_kj - Σ_i t_ki l_ji,   l_kj = t_kj / d_j,   d_k = a_kk - Σ_j t_kj l_kj
//! [rank]     d_k ≤ RANK a_kk: row k depends on the rows before it; its unknown is zero
//! ```
//!
//! For a compliance matrix A = G M^-1 G^T, d_k / a_kk is sin² of the angle between a constraint and the span of those before
//! it, whatever their units. A consistent system of dependent rows therefore has a solution here, in a singular
//! position as well as under redundant constraints. Positive definite matrices need no exchange of rows. Only the lower
//! triangle is read. Every product is rounded before it is subtracted, and updates run in index order, so the result has
//! one value on every machine.

/// What remains of a diagonal below this part of it is rounding.
pub const RANK: f64 = 1e-12;

/// Solves A X = B in place: `matrix` (n × n by rows) is destroyed, `columns` (one right-hand side after
/// another) becomes X. Returns false, with every unknown NaN, if the matrix is not made of finite numbers.
#[must_use]
pub fn solve(n: usize, matrix: &mut [f64], columns: &mut [f64]) -> bool {
    let a = matrix;
    for k in 0..n {
        for j in 0..k {
            for i in 0..j {
                a[k * n + j] -= a[k * n + i] * a[j * n + i]; // [row]
            }
        }
        let mut rest = a[k * n + k];
        for j in 0..k {
            let (t, d) = (a[k * n + j], a[j * n + j]);
            a[k * n + j] = if d > 0.0 { t / d } else { 0.0 };
            rest -= t * a[k * n + j];
        }
        if !rest.is_finite() {
            columns.fill(f64::NAN);
            return false;
        }
        a[k * n + k] = if rest > RANK * a[k * n + k] { rest } else { 0.0 }; // [rank]
    }
    for column in columns.chunks_exact_mut(n) {
        for i in 0..n {
            for j in 0..i {
                column[i] -= a[i * n + j] * column[j];
            }
        }
        for i in (0..n).rev() {
            let d = a[i * n + i];
            column[i] = if d > 0.0 { column[i] / d } else { 0.0 };
            for j in i + 1..n {
                column[i] -= a[j * n + i] * column[j];
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::solve;
    use proptest::prelude::*;

    #[test]
    fn a_small_system_has_its_solution() {
        let mut x = [5.0, 4.0, 1.0, 0.0];
        assert!(solve(2, &mut [2.0, f64::NAN, 1.0, 3.0], &mut x));
        let expected = [2.2, 0.6, 0.6, -0.2];
        assert!(x.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-15), "{x:?}");
    }

    #[test]
    fn rows_that_repeat_others_get_zeros() {
        let mut x = [1.0, 2.0];
        assert!(solve(2, &mut [1.0, 2.0, 2.0, 4.0], &mut x));
        assert_eq!(x, [1.0, 0.0]);
        let mut x = [3.0];
        assert!(solve(1, &mut [0.0], &mut x));
        assert_eq!(x, [0.0]);
        assert!(!solve(1, &mut [f64::NAN], &mut [1.0]));
    }

    /// B B^T for an n × r matrix B, by rows.
    fn gram(n: usize, r: usize, b: &[f64]) -> Vec<f64> {
        let entry = |i: usize, j: usize| (0..r).map(|k| b[i * r + k] * b[j * r + k]).sum();
        (0..n * n).map(|p| entry(p / n, p % n)).collect()
    }

    proptest! {
        #[test]
        fn consistent_systems_are_solved_whatever_their_rank(
            n in 1usize..7,
            r in 1usize..7,
            entries in prop::collection::vec(-1.0f64..1.0, 42),
            scales in prop::collection::vec(-3.0f64..3.0, 6),
        ) {
            let mut b: Vec<f64> = entries[..n * r].to_vec();
            for i in 0..n {
                b[i * r..(i + 1) * r].iter_mut().for_each(|x| *x *= 10f64.powf(scales[i]));
            }
            let matrix = gram(n, r, &b);
            let some = &entries[36..36 + r.min(6)];
            let right: Vec<f64> = (0..n).map(|i| (0..r).map(|k| b[i * r + k] * some[k]).sum()).collect();
            let mut x = right.clone();
            prop_assert!(solve(n, &mut matrix.clone(), &mut x));
            for i in 0..n {
                let size: f64 = (0..n).map(|j| (matrix[i * n + j] * x[j]).abs()).sum();
                let ax: f64 = (0..n).map(|j| matrix[i * n + j] * x[j]).sum();
                // sin of the angle below which a row counts as dependent: 1e-6.
                let own = matrix[i * n + i].sqrt() * some.iter().map(|s| s * s).sum::<f64>().sqrt();
                prop_assert!((ax - right[i]).abs() < 1e-12 * size + 3e-6 * own, "{} against {}", ax, right[i]);
            }
        }
    }
}
