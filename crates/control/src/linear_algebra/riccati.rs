//! Algebraic Riccati equations, continuous and discrete, and their stabilising solutions.
//!
//! ```text
//! [care]         AᵀX + X A − (X B + S) R⁻¹ (BᵀX + Sᵀ) + Q = 0
//! [hamiltonian]  [A −G; −Q −Aᵀ] [U₁; U₂] = [U₁; U₂] T,  T stable  ⇒  X = U₂ U₁⁻¹,   G = B R⁻¹ Bᵀ
//! [kleinman]     (A − B K)ᵀ Δ + Δ (A − B K) + residual(X) = 0,   X ← X + Δ,   K = R⁻¹ (BᵀX + Sᵀ)
//! [dare]         AᵀX A − X − (AᵀX B + S) (R + BᵀX B)⁻¹ (BᵀX A + Sᵀ) + Q = 0
//! [doubling]     A ← A W A,  G ← G + A W G Aᵀ,  H ← H + AᵀH W A,  W = (1 + G H)⁻¹;  H → X
//! ```
//!
//! The cross term S is first removed: A − B R⁻¹Sᵀ, Q − S R⁻¹Sᵀ. Sources: Laub, IEEE Trans. Autom.
//! Control 24 (1979) 913; Kleinman, ibid. 13 (1968) 114; Hewer, ibid. 16 (1971) 382; Chu, Fan, Lin
//! & Wang, Int. J. Control 77 (2004) 767: doubling works on the symplectic pencil without its
//! inverse, so A may be singular.

use crate::error::ControlError;
use crate::lyapunov::{discrete_lyapunov, lyapunov};
use crate::matrix::{
    Matrix, blocks, eigenvalues, identity, is_finite, norm, part, real_part, scaled, solve, solve_complex,
    symmetric_part, transposed,
};
use crate::schur::Schur;
use faer::Mat;

/// The data of a quadratic problem: x' = A x + B u and the cost xᵀQ x + 2 xᵀS u + uᵀR u.
#[derive(Clone, Debug)]
pub struct Quadratic {
    /// The system matrix.
    pub a: Matrix,
    /// The input matrix.
    pub b: Matrix,
    /// The weight of the states, symmetric.
    pub q: Matrix,
    /// The weight of the inputs, symmetric and positive definite.
    pub r: Matrix,
    /// The weight of products of states and inputs.
    pub s: Matrix,
}

/// A stabilising solution.
#[derive(Clone, Debug)]
pub struct Riccati {
    /// The symmetric solution X.
    pub x: Matrix,
    /// The feedback K of u = −K x.
    pub gain: Matrix,
    /// The norm of the equation's left-hand side, relative to the sum of the norms of its terms.
    pub residual: f64,
}

/// Steps of Newton's iteration at most.
const MAX_REFINEMENTS: usize = 8;
/// Steps of doubling at most: 2⁶⁰ steps of the system.
const MAX_DOUBLINGS: usize = 60;

impl Quadratic {
    /// The problem without cross term.
    pub fn new(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Result<Quadratic, ControlError> {
        let s = Mat::zeros(a.nrows(), b.ncols());
        Quadratic { a: a.clone(), b: b.clone(), q: q.clone(), r: r.clone(), s }.checked()
    }

    /// The problem with the cross term xᵀS u.
    pub fn with_cross_term(mut self, s: &Matrix) -> Result<Quadratic, ControlError> {
        self.s = s.clone();
        self.checked()
    }

    fn checked(self) -> Result<Quadratic, ControlError> {
        let (n, m) = (self.a.nrows(), self.b.ncols());
        let fits = |x: &Matrix, r: usize, c: usize| x.nrows() == r && x.ncols() == c;
        let all = fits(&self.a, n, n)
            && fits(&self.b, n, m)
            && fits(&self.q, n, n)
            && fits(&self.r, m, m)
            && fits(&self.s, n, m);
        if !all {
            let what = format!("a quadratic problem of {n} states and {m} inputs");
            return Err(ControlError::Size { what });
        }
        if ![&self.a, &self.b, &self.q, &self.r, &self.s].into_iter().all(is_finite) {
            return Err(ControlError::NotFinite);
        }
        Ok(self)
    }

    /// A − B R⁻¹Sᵀ, Q − S R⁻¹Sᵀ and G = B R⁻¹Bᵀ.
    fn without_cross_term(&self) -> Result<(Matrix, Matrix, Matrix), ControlError> {
        let what = "the weight of the inputs";
        let r_s = solve(&self.r, &transposed(&self.s), what)?;
        let r_b = solve(&self.r, &transposed(&self.b), what)?;
        let a = &self.a - &(&self.b * &r_s);
        let q = symmetric_part(&(&self.q - &(&self.s * &r_s)));
        Ok((a, q, symmetric_part(&(&self.b * &r_b))))
    }

    /// The stabilising solution of the continuous equation. [care] [hamiltonian]
    pub fn continuous(&self) -> Result<Riccati, ControlError> {
        let n = self.a.nrows();
        let (a, q, g) = self.without_cross_term()?;
        // X = ρ X̃ brings Q and G to the same size.
        let ratio = if norm(&g) > 0.0 && norm(&q) > 0.0 { (norm(&q) / norm(&g)).sqrt() } else { 1.0 };
        let hamiltonian =
            blocks(&a, &scaled(&g, -ratio), &scaled(&q, -1.0 / ratio), &scaled(&transposed(&a), -1.0));
        let mut form = Schur::new(&hamiltonian)?;
        if form.order(|z| z.re < 0.0) != n {
            return Err(ControlError::NotStabilisable);
        }
        let u1 = Mat::from_fn(n, n, |i, j| form.u[(i, j)]);
        let u2 = Mat::from_fn(n, n, |i, j| form.u[(n + i, j)]);
        let (u1, u2) = (u1.transpose().to_owned(), u2.transpose().to_owned());
        let x = solve_complex(&u1, &u2, "the stable subspace").map_err(|_| ControlError::NotStabilisable)?;
        let mut x = symmetric_part(&scaled(&transposed(&real_part(&x)), ratio));
        let (mut left, mut size) = self.continuous_residual(&x)?;
        for _ in 0..MAX_REFINEMENTS {
            let closed = &self.a - &(&self.b * &self.continuous_gain(&x)?);
            let Ok(change) = lyapunov(&transposed(&closed), &left) else { break };
            let better = &x + &change;
            let (after, after_size) = self.continuous_residual(&better)?;
            if norm(&after) >= norm(&left) {
                break;
            }
            (x, left, size) = (better, after, after_size);
        }
        let gain = self.continuous_gain(&x)?;
        let closed = eigenvalues(&(&self.a - &(&self.b * &gain)))?;
        if closed.iter().any(|z| z.re >= 0.0) {
            return Err(ControlError::NotStabilisable);
        }
        Ok(Riccati { x, gain, residual: relative(&left, size) })
    }

    /// The stabilising solution of the discrete equation. [dare] [doubling]
    pub fn discrete(&self) -> Result<Riccati, ControlError> {
        let n = self.a.nrows();
        let (mut a, mut h, mut g) = self.without_cross_term()?;
        let mut converged = false;
        for _ in 0..MAX_DOUBLINGS {
            let w = solve(&(&identity(n) + &(&g * &h)), &blocks_beside(&a, &g), "1 + G H")
                .map_err(|_| ControlError::NotStabilisable)?;
            let (w_a, w_g) = (part(&w, 0, n, 0, n), part(&w, 0, n, n, n));
            let more = symmetric_part(&(&(a.transpose() * &h) * &w_a));
            g = symmetric_part(&(&g + &(&(&a * &w_g) * a.transpose())));
            a = &a * &w_a;
            h = &h + &more;
            if !is_finite(&h) || !is_finite(&g) || !is_finite(&a) {
                return Err(ControlError::NotStabilisable);
            }
            if norm(&more) <= f64::EPSILON * norm(&h) {
                converged = true;
                break;
            }
        }
        if !converged {
            return Err(ControlError::NotStabilisable);
        }
        let mut x = h;
        let (mut left, mut size) = self.discrete_residual(&x)?;
        for _ in 0..MAX_REFINEMENTS {
            let closed = &self.a - &(&self.b * &self.discrete_gain(&x)?);
            let Ok(change) = discrete_lyapunov(&transposed(&closed), &left) else { break };
            let better = &x + &change;
            let (after, after_size) = self.discrete_residual(&better)?;
            if norm(&after) >= norm(&left) {
                break;
            }
            (x, left, size) = (better, after, after_size);
        }
        let gain = self.discrete_gain(&x)?;
        let closed = eigenvalues(&(&self.a - &(&self.b * &gain)))?;
        if closed.iter().any(|z| z.norm() >= 1.0) {
            return Err(ControlError::NotStabilisable);
        }
        Ok(Riccati { x, gain, residual: relative(&left, size) })
    }

    fn continuous_gain(&self, x: &Matrix) -> Result<Matrix, ControlError> {
        let rhs = &(self.b.transpose() * x) + self.s.transpose();
        solve(&self.r, &rhs, "the weight of the inputs")
    }

    fn continuous_residual(&self, x: &Matrix) -> Result<(Matrix, f64), ControlError> {
        let gain = self.continuous_gain(x)?;
        let ax = self.a.transpose() * x;
        let quadratic = &(gain.transpose() * &self.r) * &gain;
        let left = symmetric_part(&(&(&(&ax + ax.transpose()) - &quadratic) + &self.q));
        Ok((left, 2.0 * norm(&ax) + norm(&quadratic) + norm(&self.q)))
    }

    fn discrete_gain(&self, x: &Matrix) -> Result<Matrix, ControlError> {
        let bx = self.b.transpose() * x;
        let weight = &self.r + &(&bx * &self.b);
        solve(&weight, &(&(&bx * &self.a) + self.s.transpose()), "R + BᵀX B")
    }

    fn discrete_residual(&self, x: &Matrix) -> Result<(Matrix, f64), ControlError> {
        let gain = self.discrete_gain(x)?;
        let weight = &self.r + &(&(self.b.transpose() * x) * &self.b);
        let quadratic = &(gain.transpose() * &weight) * &gain;
        let axa = &(self.a.transpose() * x) * &self.a;
        let left = symmetric_part(&(&(&(&axa - x) - &quadratic) + &self.q));
        Ok((left, norm(&axa) + norm(x) + norm(&quadratic) + norm(&self.q)))
    }
}

fn blocks_beside(a: &Matrix, b: &Matrix) -> Matrix {
    blocks(a, b, &Mat::zeros(0, a.ncols()), &Mat::zeros(0, b.ncols()))
}

fn relative(left: &Matrix, size: f64) -> f64 {
    if size > 0.0 { norm(left) / size } else { 0.0 }
}
