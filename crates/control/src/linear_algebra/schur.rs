//! Ordered Schur form: A = U T Uᴴ with chosen eigenvalues first.
//!
//! The form is complex: T is triangular, an exchange of neighbours is one rotation, and the
//! equations of Lyapunov and Riccati become substitutions without blocks of two. Real answers are
//! real parts; what rounding leaves in the imaginary part is removed by a step of refinement.

use crate::error::ControlError;
use crate::hessenberg::hessenberg;
use crate::matrix::{Complex, ComplexMatrix, Matrix, complex};

/// A = U T Uᴴ with unitary U and upper triangular T.
#[derive(Clone, Debug)]
pub struct Schur {
    /// The triangular matrix.
    pub t: ComplexMatrix,
    /// The unitary matrix.
    pub u: ComplexMatrix,
}

/// Steps per eigenvalue before the iteration is given up.
const MAX_STEPS: usize = 60;

impl Schur {
    /// The Schur form of a real square matrix, by the shifted QR iteration on its Hessenberg form.
    ///
    /// The shift is the eigenvalue of the last block of two that is nearest to the last element
    /// (Wilkinson); every tenth step takes an exceptional one. Source: Golub & Van Loan, Matrix
    /// Computations, 4th ed., 7.5; Stewart, Matrix Algorithms II, 2.3.
    pub fn new(a: &Matrix) -> Result<Schur, ControlError> {
        let form = hessenberg(a)?;
        let mut s = Schur { t: complex(&form.h), u: complex(&form.q) };
        let n = a.nrows();
        let (mut end, mut steps) = (n, 0);
        let scale: f64 = (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|k| form.h[k].abs()).sum();
        while end > 1 {
            let last = end - 1;
            let mut start = last;
            while start > 0 {
                let neighbours = s.t[(start - 1, start - 1)].norm() + s.t[(start, start)].norm();
                let size = if neighbours == 0.0 { scale } else { neighbours };
                if s.t[(start, start - 1)].norm() <= f64::EPSILON * size {
                    s.t[(start, start - 1)] = Complex::new(0.0, 0.0);
                    break;
                }
                start -= 1;
            }
            if start == last {
                (end, steps) = (last, 0);
                continue;
            }
            steps += 1;
            if steps > MAX_STEPS {
                return Err(ControlError::NoConvergence { what: "the QR iteration" });
            }
            let shift = if steps % 10 == 0 {
                s.t[(last, last)] + Complex::new(s.t[(last, last - 1)].norm(), s.t[(last, last - 1)].norm())
            } else {
                s.wilkinson_shift(last)
            };
            s.qr_step(start, last, shift);
        }
        Ok(s)
    }

    /// The eigenvalues in the order of the diagonal.
    pub fn eigenvalues(&self) -> Vec<Complex> {
        (0..self.t.nrows()).map(|i| self.t[(i, i)]).collect()
    }

    /// Moves the chosen eigenvalues to the front, in their order, and returns their number.
    pub fn order(&mut self, is_first: impl Fn(Complex) -> bool) -> usize {
        let mut n_first = 0;
        for i in 0..self.t.nrows() {
            if is_first(self.t[(i, i)]) {
                for k in (n_first..i).rev() {
                    self.exchange(k);
                }
                n_first += 1;
            }
        }
        n_first
    }

    /// Exchanges the eigenvalues k and k + 1.
    ///
    /// In the plane of both, (t₁₂, t₂₂ − t₁₁) is the eigenvector of t₂₂; the rotation makes it the
    /// first basis vector. Source: Golub & Van Loan, Matrix Computations, 4th ed., 7.6.2.
    fn exchange(&mut self, k: usize) {
        let (first, second) = (self.t[(k, k)], self.t[(k + 1, k + 1)]);
        let (x, y) = (self.t[(k, k + 1)], second - first);
        let length = x.norm().hypot(y.norm());
        if length == 0.0 {
            return;
        }
        let (c, s) = (x / length, y / length);
        rotate_columns(&mut self.t, k, c, s, k + 2);
        rotate_rows(&mut self.t, k, c, s, k);
        let n = self.u.nrows();
        rotate_columns(&mut self.u, k, c, s, n);
        self.t[(k, k)] = second;
        self.t[(k + 1, k + 1)] = first;
        self.t[(k + 1, k)] = Complex::new(0.0, 0.0);
    }

    fn wilkinson_shift(&self, last: usize) -> Complex {
        let t = &self.t;
        let (a, b) = (t[(last - 1, last - 1)], t[(last - 1, last)]);
        let (c, d) = (t[(last, last - 1)], t[(last, last)]);
        let half = (a - d) * 0.5;
        let root = (half * half + b * c).sqrt();
        let denominator = if (half + root).norm() > (half - root).norm() { half + root } else { half - root };
        if denominator.norm() == 0.0 { d } else { d - b * c / denominator }
    }

    fn qr_step(&mut self, start: usize, last: usize, shift: Complex) {
        let n = self.t.nrows();
        for i in start..=last {
            self.t[(i, i)] -= shift;
        }
        let mut rotations = Vec::with_capacity(last - start);
        for k in start..last {
            let (x, y) = (self.t[(k, k)], self.t[(k + 1, k)]);
            let length = x.norm().hypot(y.norm());
            let one = (Complex::new(1.0, 0.0), Complex::new(0.0, 0.0));
            let (c, s) = if length == 0.0 { one } else { (x / length, y / length) };
            rotate_rows(&mut self.t, k, c, s, k);
            self.t[(k + 1, k)] = Complex::new(0.0, 0.0);
            rotations.push((c, s));
        }
        for (i, (c, s)) in rotations.into_iter().enumerate() {
            let k = start + i;
            rotate_columns(&mut self.t, k, c, s, (k + 2).min(last + 1));
            rotate_columns(&mut self.u, k, c, s, n);
        }
        for i in start..=last {
            self.t[(i, i)] += shift;
        }
    }
}

/// Columns k and k + 1 times the unitary [c −s̄; s c̄], in the first `n_rows` rows.
fn rotate_columns(a: &mut ComplexMatrix, k: usize, c: Complex, s: Complex, n_rows: usize) {
    for i in 0..n_rows {
        let (x, y) = (a[(i, k)], a[(i, k + 1)]);
        a[(i, k)] = x * c + y * s;
        a[(i, k + 1)] = y * c.conj() - x * s.conj();
    }
}

/// The adjoint of [c −s̄; s c̄] times rows k and k + 1, from column `first` on.
fn rotate_rows(a: &mut ComplexMatrix, k: usize, c: Complex, s: Complex, first: usize) {
    for j in first..a.ncols() {
        let (x, y) = (a[(k, j)], a[(k + 1, j)]);
        a[(k, j)] = c.conj() * x + s.conj() * y;
        a[(k + 1, j)] = c * y - s * x;
    }
}
