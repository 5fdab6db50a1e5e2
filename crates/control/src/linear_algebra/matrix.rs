//! Real and complex matrices of the linear algebra library, with what this crate asks of them.

use crate::error::ControlError;
use faer::linalg::solvers::{PartialPivLu, Solve as _};
use faer::{Mat, c64};

/// A dense real matrix.
pub type Matrix = Mat<f64>;
/// A dense complex matrix.
pub type ComplexMatrix = Mat<c64>;
/// A complex number.
pub type Complex = c64;

/// The matrix with the given rows; missing elements are zero.
pub fn of_rows(rows: &[&[f64]]) -> Matrix {
    let n_cols = rows.iter().map(|r| r.len()).max().unwrap_or(0);
    Mat::from_fn(rows.len(), n_cols, |i, j| rows[i].get(j).copied().unwrap_or(0.0))
}

/// The matrix of an integrator's interface.
pub fn of_slices(a: &cardan_solve::Matrix) -> Matrix {
    Mat::from_fn(a.n_rows(), a.n_cols(), |i, j| a[(i, j)])
}

/// The unit matrix.
pub fn identity(n: usize) -> Matrix {
    Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 })
}

/// The diagonal matrix of the given elements.
pub fn diagonal(elements: &[f64]) -> Matrix {
    Mat::from_fn(elements.len(), elements.len(), |i, j| if i == j { elements[i] } else { 0.0 })
}

/// s A.
pub fn scaled(a: &Matrix, s: f64) -> Matrix {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| s * a[(i, j)])
}

/// (A + Aᵀ)/2.
pub fn symmetric_part(a: &Matrix) -> Matrix {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

/// Aᵀ.
pub fn transposed(a: &Matrix) -> Matrix {
    a.transpose().to_owned()
}

/// The matrix of four blocks [a b; c d].
pub fn blocks(a: &Matrix, b: &Matrix, c: &Matrix, d: &Matrix) -> Matrix {
    let (n, m) = (a.nrows(), a.ncols());
    Mat::from_fn(n + c.nrows(), m + b.ncols(), |i, j| match (i < n, j < m) {
        (true, true) => a[(i, j)],
        (true, false) => b[(i, j - m)],
        (false, true) => c[(i - n, j)],
        (false, false) => d[(i - n, j - m)],
    })
}

/// Rows `i..i + n` and columns `j..j + m` of a matrix.
pub fn part(a: &Matrix, i: usize, n: usize, j: usize, m: usize) -> Matrix {
    Mat::from_fn(n, m, |r, c| a[(i + r, j + c)])
}

/// The complex matrix with the given real part.
pub fn complex(a: &Matrix) -> ComplexMatrix {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| c64::new(a[(i, j)], 0.0))
}

/// The real part of a complex matrix.
pub fn real_part(a: &ComplexMatrix) -> Matrix {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)].re)
}

/// Whether every element is finite.
pub fn is_finite(a: &Matrix) -> bool {
    (0..a.ncols()).all(|j| (0..a.nrows()).all(|i| a[(i, j)].is_finite()))
}

/// Frobenius' norm.
pub fn norm(a: &Matrix) -> f64 {
    if a.nrows() == 0 || a.ncols() == 0 { 0.0 } else { a.norm_l2() }
}

/// A⁻¹ B; `what` names A in the error.
pub fn solve(a: &Matrix, b: &Matrix, what: &'static str) -> Result<Matrix, ControlError> {
    let n = a.nrows();
    if n == 0 {
        return Ok(Mat::zeros(0, b.ncols()));
    }
    if !is_finite(a) || !is_finite(b) {
        return Err(ControlError::NotFinite);
    }
    let factors = PartialPivLu::new(a.as_ref());
    let u = factors.U();
    let pivots: Vec<f64> = (0..n).map(|i| u[(i, i)].abs()).collect();
    let largest = pivots.iter().copied().fold(0.0, f64::max);
    if pivots.iter().any(|p| !p.is_finite() || *p <= largest * f64::MIN_POSITIVE || *p == 0.0) {
        return Err(ControlError::Singular { what });
    }
    let x = factors.solve(b);
    if is_finite(&x) { Ok(x) } else { Err(ControlError::Singular { what }) }
}

/// A⁻¹; `what` names A in the error.
pub fn inverse(a: &Matrix, what: &'static str) -> Result<Matrix, ControlError> {
    solve(a, &identity(a.nrows()), what)
}

/// A⁻¹ B of complex matrices; `what` names A in the error.
pub fn solve_complex(
    a: &ComplexMatrix,
    b: &ComplexMatrix,
    what: &'static str,
) -> Result<ComplexMatrix, ControlError> {
    if a.nrows() == 0 {
        return Ok(Mat::zeros(0, b.ncols()));
    }
    let x = PartialPivLu::new(a.as_ref()).solve(b);
    let finite = (0..x.ncols()).all(|j| (0..x.nrows()).all(|i| x[(i, j)].is_finite()));
    if finite { Ok(x) } else { Err(ControlError::Singular { what }) }
}

/// The eigenvalues of a square matrix.
pub fn eigenvalues(a: &Matrix) -> Result<Vec<Complex>, ControlError> {
    if a.nrows() != a.ncols() {
        return Err(ControlError::Size { what: format!("A is {} x {}", a.nrows(), a.ncols()) });
    }
    if a.nrows() == 0 {
        return Ok(vec![]);
    }
    if !is_finite(a) {
        return Err(ControlError::NotFinite);
    }
    a.eigenvalues().map_err(|_| ControlError::NoConvergence { what: "the eigenvalue iteration" })
}

/// The eigenvalues of a square matrix, with those exactly zero that its rank tells to be zero.
///
/// ```text
/// [deflation]  A V₁ = 0  ⇒  [V₀ V₁]ᵀ A [V₀ V₁] = [A₀₀ 0; A₁₀ 0]:  zeros, and the eigenvalues of A₀₀
/// ```
///
/// A double eigenvalue zero of one vector, such as that of a body that floats, is computed to the
/// root of the rounding only; the rank of A, and then of A₀₀, is known to rounding itself.
pub fn eigenvalues_with_zeros(a: &Matrix) -> Result<Vec<Complex>, ControlError> {
    if a.nrows() != a.ncols() || !is_finite(a) {
        return eigenvalues(a);
    }
    let mut rest = balanced(a);
    let threshold = 16.0 * a.nrows() as f64 * f64::EPSILON * norm(&rest);
    let mut n_zeros = 0;
    while rest.nrows() > 0 {
        let n = rest.nrows();
        let found = SingularValues::new(&rest)?;
        let rank = found.rank(threshold);
        if rank == n {
            break;
        }
        let kept = part(&found.v, 0, n, 0, rank);
        rest = &(kept.transpose() * &rest) * &kept;
        n_zeros += n - rank;
    }
    let mut all = eigenvalues(&rest)?;
    all.extend(std::iter::repeat_n(Complex::new(0.0, 0.0), n_zeros));
    Ok(all)
}

/// D⁻¹ A D with powers of two in D, so that rows and columns have like sums.
fn balanced(a: &Matrix) -> Matrix {
    let n = a.nrows();
    let mut plain = cardan_solve::Matrix::zeros(n, n);
    (0..n).for_each(|j| (0..n).for_each(|i| plain[(i, j)] = a[(i, j)]));
    let d = cardan_solve::spectrum::balance(&plain);
    Mat::from_fn(n, n, |i, j| a[(i, j)] * d[j] / d[i])
}

/// The singular value decomposition A = U Σ Vᵀ with square U and V.
pub struct SingularValues {
    /// The left vectors, as columns.
    pub u: Matrix,
    /// The singular values, largest first.
    pub values: Vec<f64>,
    /// The right vectors, as columns.
    pub v: Matrix,
}

impl SingularValues {
    /// The decomposition of a matrix of any shape.
    pub fn new(a: &Matrix) -> Result<SingularValues, ControlError> {
        let (m, n) = (a.nrows(), a.ncols());
        if m == 0 || n == 0 {
            return Ok(SingularValues { u: identity(m), values: vec![], v: identity(n) });
        }
        if !is_finite(a) {
            return Err(ControlError::NotFinite);
        }
        let found =
            a.svd().map_err(|_| ControlError::NoConvergence { what: "the singular value iteration" })?;
        let s = found.S().column_vector();
        let values = (0..m.min(n)).map(|i| s[i]).collect();
        Ok(SingularValues { u: found.U().to_owned(), values, v: found.V().to_owned() })
    }

    /// The number of singular values above a threshold.
    pub fn rank(&self, threshold: f64) -> usize {
        self.values.iter().filter(|s| **s > threshold).count()
    }
}
