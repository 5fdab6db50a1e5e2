//! Dense matrices and their factorisations: with `sparse` the only module that knows the linear algebra library.

use crate::system::Failure;
use faer::linalg::solvers::{DenseSolveCore as _, Eigen, PartialPivLu, Solve as _};
use faer::{Mat, MatMut, MatRef, c64};
use std::ops::{Index, IndexMut};

/// A dense real matrix, stored by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    n_rows: usize,
    n_cols: usize,
    data: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Matrix { n_rows, n_cols, data: vec![0.0; n_rows * n_cols] }
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    pub fn n_cols(&self) -> usize {
        self.n_cols
    }

    /// Sets every element to zero.
    pub fn clear(&mut self) {
        self.data.fill(0.0);
    }

    /// Column `j`.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.data[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// Column `j`, to write.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.n_rows..(j + 1) * self.n_rows]
    }

    /// All elements, column after column.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// All elements, column after column, to write.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Writes A x into `out`.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (j, x_j) in x.iter().enumerate() {
            for (o, a) in out.iter_mut().zip(self.column(j)) {
                *o += a * x_j;
            }
        }
    }

    /// Writes Aᵀ x into `out`.
    pub fn multiply_transposed(&self, x: &[f64], out: &mut [f64]) {
        for (j, o) in out.iter_mut().enumerate() {
            *o = self.column(j).iter().zip(x).map(|(a, x)| a * x).sum();
        }
    }

    /// Whether every element is finite.
    pub fn is_finite(&self) -> bool {
        self.data.iter().all(|a| a.is_finite())
    }

    fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.n_rows, self.n_cols)
    }
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.data[j * self.n_rows + i]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.data[j * self.n_rows + i]
    }
}

/// A real matrix factorised with partial pivoting: P A = L U.
#[derive(Clone)]
pub struct Lu {
    factors: PartialPivLu<f64>,
}

impl Lu {
    /// Factorises a square matrix; `None` when a pivot is zero or not finite.
    pub fn new(a: &Matrix) -> Option<Lu> {
        let factors = PartialPivLu::new(a.view());
        let u = factors.U();
        (0..a.n_rows).all(|i| u[(i, i)].is_finite() && u[(i, i)] != 0.0).then_some(Lu { factors })
    }

    /// The factorisation of `shift`·1 − A.
    pub fn shifted(a: &Matrix, shift: f64) -> Option<Lu> {
        Lu::pencil(a, shift, |_| true)
    }

    /// The factorisation of `shift`·B − A, B diagonal with ones where `is_differential` and zeros elsewhere.
    pub fn pencil(a: &Matrix, shift: f64, is_differential: impl Fn(usize) -> bool) -> Option<Lu> {
        let mut m = a.clone();
        for a in m.as_mut_slice() {
            *a = -*a;
        }
        for i in (0..m.n_rows).filter(|i| is_differential(*i)) {
            m[(i, i)] += shift;
        }
        Lu::new(&m)
    }

    /// Replaces `b` by A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        let n = b.len();
        self.factors.solve_in_place(MatMut::from_column_major_slice_mut(b, n, 1));
    }

    /// A⁻¹.
    pub fn inverse(&self) -> Matrix {
        let inverse = self.factors.inverse();
        let mut out = Matrix::zeros(inverse.nrows(), inverse.ncols());
        for j in 0..inverse.ncols() {
            for i in 0..inverse.nrows() {
                out[(i, j)] = inverse[(i, j)];
            }
        }
        out
    }
}

/// A complex matrix factorised with partial pivoting.
#[derive(Clone)]
pub struct ComplexLu {
    factors: PartialPivLu<c64>,
    rhs: Vec<c64>,
}

impl ComplexLu {
    /// The factorisation of (`re` + i `im`)·1 − A for a real square A; `None` when a pivot is zero.
    pub fn shifted(a: &Matrix, re: f64, im: f64) -> Option<ComplexLu> {
        ComplexLu::pencil(a, re, im, |_| true)
    }

    /// The factorisation of (`re` + i `im`)·B − A, B diagonal with ones where `is_differential` and zeros elsewhere.
    pub fn pencil(
        a: &Matrix,
        re: f64,
        im: f64,
        is_differential: impl Fn(usize) -> bool,
    ) -> Option<ComplexLu> {
        let n = a.n_rows;
        let m = Mat::from_fn(n, n, |i, j| {
            let diagonal = if i == j && is_differential(i) { c64::new(re, im) } else { c64::new(0.0, 0.0) };
            diagonal - c64::new(a[(i, j)], 0.0)
        });
        let factors = PartialPivLu::new(m.as_ref());
        let u = factors.U();
        let regular = (0..n).all(|i| {
            let p = u[(i, i)];
            p.re.is_finite() && p.im.is_finite() && (p.re != 0.0 || p.im != 0.0)
        });
        regular.then_some(ComplexLu { factors, rhs: vec![c64::new(0.0, 0.0); n] })
    }

    /// Replaces `b_re + i b_im` by A⁻¹ times itself.
    pub fn solve(&mut self, b_re: &mut [f64], b_im: &mut [f64]) {
        let n = b_re.len();
        for i in 0..n {
            self.rhs[i] = c64::new(b_re[i], b_im[i]);
        }
        self.factors.solve_in_place(MatMut::from_column_major_slice_mut(&mut self.rhs, n, 1));
        for i in 0..n {
            b_re[i] = self.rhs[i].re;
            b_im[i] = self.rhs[i].im;
        }
    }
}

/// The answer of [`least_norm`].
#[derive(Clone, Debug, PartialEq)]
pub struct LeastNorm {
    /// The shortest of the vectors that make |A x − b| smallest.
    pub x: Vec<f64>,
    /// The numerical rank of A.
    pub rank: usize,
    /// The singular values of A, largest first.
    pub singular_values: Vec<f64>,
}

/// The shortest x that makes |A x − b| smallest, by singular value decomposition.
///
/// Singular values below `rank_tolerance` times the largest count as zero.
pub fn least_norm(a: &Matrix, b: &[f64], rank_tolerance: f64) -> Result<LeastNorm, Failure> {
    let (m, n) = (a.n_rows, a.n_cols);
    if m == 0 || n == 0 {
        return Ok(LeastNorm { x: vec![0.0; n], rank: 0, singular_values: Vec::new() });
    }
    if !a.is_finite() {
        return Err(Failure::recoverable("the matrix has elements that are not finite"));
    }
    let svd = a
        .view()
        .thin_svd()
        .map_err(|_| Failure::recoverable("the singular value decomposition does not converge"))?;
    let (u, s, v) = (svd.U(), svd.S().column_vector(), svd.V());
    let k = m.min(n);
    let threshold = s[0] * rank_tolerance;
    let mut x = vec![0.0; n];
    let mut rank = 0;
    for i in 0..k {
        if s[i] <= threshold {
            break;
        }
        rank += 1;
        let along: f64 = (0..m).map(|r| u[(r, i)] * b[r]).sum();
        for c in 0..n {
            x[c] += v[(c, i)] * along / s[i];
        }
    }
    Ok(LeastNorm { x, rank, singular_values: (0..k).map(|i| s[i]).collect() })
}

/// The eigenvalues of a square matrix as (real, imaginary) pairs, in the order of the factorisation.
pub fn eigenvalues(a: &Matrix) -> Result<Vec<(f64, f64)>, Failure> {
    if a.n_rows == 0 {
        return Ok(Vec::new());
    }
    if !a.is_finite() {
        return Err(Failure::recoverable("the matrix has elements that are not finite"));
    }
    let values = a
        .view()
        .eigenvalues()
        .map_err(|_| Failure::recoverable("the eigenvalue iteration does not converge"))?;
    Ok(values.into_iter().map(|z| (z.re, z.im)).collect())
}

/// An eigenvalue and its vector, each number as (real, imaginary).
pub type Eigenpair = ((f64, f64), Vec<(f64, f64)>);

/// The eigenvalues of a square matrix with their vectors, in the order of the factorisation.
pub fn eigenpairs(a: &Matrix) -> Result<Vec<Eigenpair>, Failure> {
    if a.n_rows == 0 {
        return Ok(Vec::new());
    }
    if !a.is_finite() {
        return Err(Failure::recoverable("the matrix has elements that are not finite"));
    }
    let found = Eigen::new_from_real(a.view())
        .map_err(|_| Failure::recoverable("the eigenvalue iteration does not converge"))?;
    let (vectors, values) = (found.U(), found.S().column_vector());
    let pair = |k: usize| {
        let vector = (0..a.n_rows).map(|i| (vectors[(i, k)].re, vectors[(i, k)].im)).collect();
        ((values[k].re, values[k].im), vector)
    };
    Ok((0..a.n_rows).map(pair).collect())
}

/// The rows of the inverse of a complex matrix that is given by columns; nothing where it is
/// singular.
pub(crate) fn inverse_of_columns(columns: &[Vec<(f64, f64)>]) -> Option<Vec<Vec<(f64, f64)>>> {
    let n = columns.len();
    let m = Mat::from_fn(n, n, |i, j| c64::new(columns[j][i].0, columns[j][i].1));
    let inverse = PartialPivLu::new(m.as_ref()).inverse();
    let entry = |i: usize, j: usize| (inverse[(i, j)].re, inverse[(i, j)].im);
    let rows: Vec<Vec<_>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    rows.iter().flatten().all(|z| z.0.is_finite() && z.1.is_finite()).then_some(rows)
}

/// The largest magnitude among the eigenvalues.
pub fn spectral_radius(a: &Matrix) -> Result<f64, Failure> {
    Ok(eigenvalues(a)?.into_iter().map(|(re, im)| re.hypot(im)).fold(0.0, f64::max))
}

/// A number that the largest magnitude among the eigenvalues is never below: |tr A|/n and √(|tr A²|/n), since the traces are the
/// sums of the eigenvalues and of their squares.
pub fn spectral_radius_bound(a: &Matrix) -> f64 {
    let n = a.n_rows();
    let trace: f64 = (0..n).map(|i| a[(i, i)]).sum();
    let squares: f64 = (0..n).map(|i| (0..n).map(|j| a[(i, j)] * a[(j, i)]).sum::<f64>()).sum();
    let n = n.max(1) as f64;
    (trace.abs() / n).max((squares.abs() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn square(n: usize, elements: &[f64]) -> Matrix {
        let mut a = Matrix::zeros(n, n);
        a.as_mut_slice().copy_from_slice(&elements[..n * n]);
        a
    }

    proptest! {
        #[test]
        fn solving_undoes_multiplying(n in 1usize..7, e in prop::collection::vec(-1.0..1.0f64, 49), x in prop::collection::vec(-1.0..1.0f64, 7)) {
            let a = square(n, &e);
            let mut b = vec![0.0; n];
            let shift = 9.0;
            a.multiply(&x[..n], &mut b);
            let mut rhs: Vec<f64> = (0..n).map(|i| shift * x[i] - b[i]).collect();
            Lu::shifted(&a, shift).unwrap().solve(&mut rhs);
            for i in 0..n {
                prop_assert!((rhs[i] - x[i]).abs() < 1e-13);
            }
            let (mut re, mut im): (Vec<f64>, Vec<f64>) =
                ((0..n).map(|i| shift * x[i] - b[i]).collect(), (0..n).map(|i| 2.0 * x[i]).collect());
            ComplexLu::shifted(&a, shift, 2.0).unwrap().solve(&mut re, &mut im);
            for i in 0..n {
                prop_assert!((re[i] - x[i]).abs() < 1e-13 && im[i].abs() < 1e-13);
            }
        }

        #[test]
        fn least_norm_is_orthogonal_to_the_kernel(e in prop::collection::vec(-1.0..1.0f64, 12), b in prop::collection::vec(-1.0..1.0f64, 4)) {
            let mut a = Matrix::zeros(4, 3);
            a.as_mut_slice().copy_from_slice(&e);
            // The third column is the sum of the others: the kernel is (1, 1, -1).
            for i in 0..4 {
                a[(i, 2)] = a[(i, 0)] + a[(i, 1)];
            }
            let answer = least_norm(&a, &b, 1e-12).unwrap();
            prop_assume!(answer.singular_values[1] > 1e-3);
            prop_assert_eq!(answer.rank, 2);
            prop_assert!((answer.x[0] + answer.x[1] - answer.x[2]).abs() < 1e-10);
            let mut r = vec![0.0; 4];
            a.multiply(&answer.x, &mut r);
            for i in 0..4 {
                r[i] -= b[i];
            }
            let mut normal = vec![0.0; 3];
            a.multiply_transposed(&r, &mut normal);
            prop_assert!(normal.iter().all(|g| g.abs() < 1e-10));
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factorisation() {
        assert!(Lu::new(&square(2, &[1.0, 2.0, 2.0, 4.0])).is_none());
        assert!(Lu::new(&square(2, &[1.0, 2.0, f64::NAN, 4.0])).is_none());
    }

    #[test]
    fn inverse_of_a_known_matrix() {
        let inverse = Lu::new(&square(2, &[2.0, 1.0, 1.0, 1.0])).unwrap().inverse();
        for (found, known) in inverse.as_slice().iter().zip([1.0, -1.0, -1.0, 2.0]) {
            assert!((found - known).abs() < 1e-15);
        }
    }

    #[test]
    fn an_eigenvector_is_stretched_by_its_eigenvalue() {
        // Columns: rotation scaled by 5 beside a simple stretch by 2, coupled one way.
        let a = square(3, &[3.0, 4.0, 0.5, -4.0, 3.0, -1.0, 0.0, 0.0, 2.0]);
        let pairs = eigenpairs(&a).unwrap();
        assert_eq!(pairs.len(), 3);
        for ((re, im), v) in pairs {
            for i in 0..3 {
                let image: (f64, f64) =
                    (0..3).fold((0.0, 0.0), |s, j| (s.0 + a[(i, j)] * v[j].0, s.1 + a[(i, j)] * v[j].1));
                assert!((image.0 - (re * v[i].0 - im * v[i].1)).abs() < 1e-13);
                assert!((image.1 - (re * v[i].1 + im * v[i].0)).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn the_spectral_radius_sees_complex_pairs() {
        // Rotation scaled by 5: eigenvalues 3 ± 4i.
        assert!((spectral_radius(&square(2, &[3.0, 4.0, -4.0, 3.0])).unwrap() - 5.0).abs() < 1e-14);
        assert_eq!(spectral_radius(&Matrix::zeros(0, 0)).unwrap(), 0.0);
        // The trace says 3, that of the square √7.
        let bound = spectral_radius_bound(&square(2, &[3.0, 4.0, -4.0, 3.0]));
        assert!((bound - 3.0).abs() < 1e-14);
        assert_eq!(spectral_radius_bound(&square(2, &[0.0, 4.0, 4.0, 0.0])), 4.0);
        assert_eq!(spectral_radius_bound(&Matrix::zeros(0, 0)), 0.0);
    }
}
