//! Dense linear systems by elimination with partial pivoting: the meaning of `Solve`.
//!
//! The pivot of a column is its first entry of greatest magnitude. Every product is rounded before it is
//! subtracted, and updates run in index order, so the result has one value on every machine.

/// Solves A X = B in place: `matrix` (n × n by rows) is destroyed, `columns` (one right-hand side after
/// another) becomes X. Returns false, with every unknown NaN, if a pivot is zero or not a number.
#[must_use]
pub fn solve(n: usize, matrix: &mut [f64], columns: &mut [f64]) -> bool {
    for k in 0..n {
        let mut pivot_row = k;
        let mut largest = matrix[k * n + k].abs();
        for i in k + 1..n {
            let size = matrix[i * n + k].abs();
            if size > largest {
                (pivot_row, largest) = (i, size);
            }
        }
        if largest.is_nan() || largest <= 0.0 {
            columns.fill(f64::NAN);
            return false;
        }
        if pivot_row != k {
            for j in k..n {
                matrix.swap(k * n + j, pivot_row * n + j);
            }
            for column in columns.chunks_exact_mut(n) {
                column.swap(k, pivot_row);
            }
        }
        let (above, below) = matrix.split_at_mut((k + 1) * n);
        let pivot = &above[k * n..];
        for (row, i) in below.chunks_exact_mut(n).zip(k + 1..n) {
            let factor = row[k] / pivot[k];
            if factor != 0.0 {
                for j in k + 1..n {
                    row[j] -= factor * pivot[j];
                }
                for column in columns.chunks_exact_mut(n) {
                    column[i] -= factor * column[k];
                }
            }
        }
    }
    for column in columns.chunks_exact_mut(n) {
        for i in (0..n).rev() {
            let mut sum = column[i];
            for j in i + 1..n {
                sum -= matrix[i * n + j] * column[j];
            }
            column[i] = sum / matrix[i * n + i];
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::solve;
    use proptest::prelude::*;

    #[test]
    fn a_zero_on_the_diagonal_is_pivoted_away() {
        let mut x = [3.0, 5.0, 0.0, 1.0];
        assert!(solve(2, &mut [0.0, 1.0, 2.0, 0.0], &mut x));
        assert_eq!(x, [2.5, 3.0, 0.5, 0.0]);
    }

    #[test]
    fn singular_systems_are_reported() {
        let mut x = [1.0, 2.0];
        assert!(!solve(2, &mut [1.0, 2.0, 2.0, 4.0], &mut x));
        assert!(x.iter().all(|v| v.is_nan()));
        assert!(!solve(1, &mut [f64::NAN], &mut [1.0]));
    }

    proptest! {
        #[test]
        fn the_residual_is_small(n in 1usize..7, entries in prop::collection::vec(-1.0f64..1.0, 56)) {
            let matrix: Vec<f64> = entries[..n * n].to_vec();
            let b = &entries[49..49 + n];
            let mut x = b.to_vec();
            if solve(n, &mut matrix.clone(), &mut x) {
                let size = x.iter().fold(1.0f64, |m, v| m.max(v.abs()));
                for i in 0..n {
                    let ax: f64 = (0..n).map(|j| matrix[i * n + j] * x[j]).sum();
                    prop_assert!((ax - b[i]).abs() < 1e-12 * size);
                }
            }
        }
    }
}
