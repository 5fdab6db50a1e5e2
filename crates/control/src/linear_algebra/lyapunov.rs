//! Lyapunov equations, continuous and discrete, by Schur's form.
//!
//! ```text
//! [continuous]  A X + X Aᵀ + Q = 0     T Y + Y Tᴴ + F = 0       A = U T Uᴴ, Y = Uᴴ X U, F = Uᴴ Q U
//! [discrete]    A X Aᵀ − X + Q = 0     T Y Tᴴ − Y + F = 0
//! [column]      (T + t̄_jj 1) y_j = −f_j − Σ_{k>j} y_k t̄_jk
//! ```
//!
//! Columns follow from the last to the first, each by substitution. Source: Bartels & Stewart,
//! Comm. ACM 15 (1972) 820; Kitagawa, Int. J. Control 25 (1977) 745. The residual of the real
//! answer is solved for once more with the same form.

use crate::error::ControlError;
use crate::matrix::{Complex, ComplexMatrix, Matrix, complex, is_finite, norm, real_part, symmetric_part};
use crate::schur::Schur;
use faer::Mat;

/// The X of A X + X Aᵀ + Q = 0; symmetric where Q is. [continuous]
pub fn lyapunov(a: &Matrix, q: &Matrix) -> Result<Matrix, ControlError> {
    refined(a, q, |t, f| substitute(t, f, Kind::Continuous), lyapunov_residual)
}

/// The X of A X Aᵀ − X + Q = 0; symmetric where Q is. [discrete]
pub fn discrete_lyapunov(a: &Matrix, q: &Matrix) -> Result<Matrix, ControlError> {
    refined(a, q, |t, f| substitute(t, f, Kind::Discrete), discrete_lyapunov_residual)
}

/// A X + X Aᵀ + Q.
pub fn lyapunov_residual(a: &Matrix, x: &Matrix, q: &Matrix) -> Matrix {
    &(&(a * x) + &(x * a.transpose())) + q
}

/// A X Aᵀ − X + Q.
pub fn discrete_lyapunov_residual(a: &Matrix, x: &Matrix, q: &Matrix) -> Matrix {
    let axa = &(a * x) * a.transpose();
    &(&axa - x) + q
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Continuous,
    Discrete,
}

fn refined(
    a: &Matrix,
    q: &Matrix,
    substitute: impl Fn(&ComplexMatrix, &ComplexMatrix) -> Result<ComplexMatrix, ControlError>,
    residual: impl Fn(&Matrix, &Matrix, &Matrix) -> Matrix,
) -> Result<Matrix, ControlError> {
    let n = a.nrows();
    if a.ncols() != n || q.nrows() != n || q.ncols() != n {
        let what = format!("A is {n} x {}, Q is {} x {}", a.ncols(), q.nrows(), q.ncols());
        return Err(ControlError::Size { what });
    }
    if !is_finite(q) {
        return Err(ControlError::NotFinite);
    }
    let is_symmetric = (0..n).all(|j| (0..j).all(|i| q[(i, j)] == q[(j, i)]));
    let Schur { t, u } = Schur::new(a)?;
    let solve = |q: &Matrix| -> Result<Matrix, ControlError> {
        let f = &(u.adjoint() * &complex(q)) * &u;
        let y = substitute(&t, &f)?;
        let x = real_part(&(&(&u * &y) * u.adjoint()));
        Ok(if is_symmetric { symmetric_part(&x) } else { x })
    };
    let mut x = solve(q)?;
    let mut left = residual(a, &x, q);
    for _ in 0..2 {
        let better = &x + &solve(&left)?;
        let after = residual(a, &better, q);
        if norm(&after) >= norm(&left) {
            break;
        }
        (x, left) = (better, after);
    }
    if is_finite(&x) { Ok(x) } else { Err(ControlError::Singular { what: "the Lyapunov equation" }) }
}

/// The Y of the triangular equation. [column]
fn substitute(t: &ComplexMatrix, f: &ComplexMatrix, kind: Kind) -> Result<ComplexMatrix, ControlError> {
    let n = t.nrows();
    let zero = Complex::new(0.0, 0.0);
    let mut y: ComplexMatrix = Mat::zeros(n, n);
    let mut rhs = vec![zero; n];
    let mut known = vec![zero; n];
    for j in (0..n).rev() {
        known.fill(zero);
        for k in j + 1..n {
            let weight = t[(j, k)].conj();
            for i in 0..n {
                known[i] += y[(i, k)] * weight;
            }
        }
        for i in 0..n {
            let carried = match kind {
                Kind::Continuous => known[i],
                Kind::Discrete => (i..n).map(|k| t[(i, k)] * known[k]).fold(zero, |s, z| s + z),
            };
            rhs[i] = -f[(i, j)] - carried;
        }
        let t_jj = t[(j, j)].conj();
        for i in (0..n).rev() {
            let (factor, pivot, size) = match kind {
                Kind::Continuous => {
                    (Complex::new(1.0, 0.0), t[(i, i)] + t_jj, t[(i, i)].norm() + t_jj.norm())
                }
                Kind::Discrete => (t_jj, t_jj * t[(i, i)] - 1.0, 1.0),
            };
            if pivot.norm() <= f64::EPSILON * size {
                return Err(ControlError::Singular { what: "the Lyapunov equation" });
            }
            let sum = (i + 1..n).map(|k| t[(i, k)] * y[(k, j)]).fold(zero, |s, z| s + z);
            y[(i, j)] = (rhs[i] - factor * sum) / pivot;
        }
    }
    Ok(y)
}
