//! Upper Hessenberg form: A = Q H Qᵀ with zeros below the first subdiagonal of H.

use crate::error::ControlError;
use crate::matrix::{Matrix, identity, is_finite};

/// A = Q H Qᵀ with orthogonal Q and upper Hessenberg H.
pub struct Hessenberg {
    /// The Hessenberg matrix.
    pub h: Matrix,
    /// The orthogonal matrix.
    pub q: Matrix,
}

/// The Hessenberg form of a square matrix, by Householder's reflections.
///
/// Reflection k maps the part of column k below the subdiagonal to zero. Source: Golub & Van Loan,
/// Matrix Computations, 4th ed., algorithm 7.4.2.
pub fn hessenberg(a: &Matrix) -> Result<Hessenberg, ControlError> {
    let n = a.nrows();
    if a.ncols() != n {
        return Err(ControlError::Size { what: format!("A is {n} x {}", a.ncols()) });
    }
    if !is_finite(a) {
        return Err(ControlError::NotFinite);
    }
    let (mut h, mut q) = (a.clone(), identity(n));
    for k in 0..n.saturating_sub(2) {
        let Some((v, beta)) = reflection((k + 1..n).map(|i| h[(i, k)]).collect()) else { continue };
        reflect_rows(&mut h, k + 1, &v, beta);
        reflect_columns(&mut h, k + 1, &v, beta);
        reflect_columns(&mut q, k + 1, &v, beta);
        for i in k + 2..n {
            h[(i, k)] = 0.0;
        }
    }
    Ok(Hessenberg { h, q })
}

/// The Hessenberg form in which Qᵀ b = β e₁; returns β too.
///
/// The first reflection acts on b, the others leave e₁ alone (Paige, IEEE Trans. Autom. Control 26
/// (1981) 130: the controller Hessenberg form).
pub fn controller_hessenberg(a: &Matrix, b: &Matrix) -> Result<(Hessenberg, f64), ControlError> {
    let n = a.nrows();
    if a.ncols() != n || b.nrows() != n || b.ncols() != 1 {
        let what = format!("A is {n} x {}, b is {} x {}", a.ncols(), b.nrows(), b.ncols());
        return Err(ControlError::Size { what });
    }
    let (mut h, mut q) = (a.clone(), identity(n));
    let mut beta_b = if n > 0 { b[(0, 0)] } else { 0.0 };
    if let Some((v, beta)) = reflection((0..n).map(|i| b[(i, 0)]).collect()) {
        let along: f64 = (0..n).map(|i| v[i] * b[(i, 0)]).sum();
        beta_b = b[(0, 0)] - beta * along * v[0];
        reflect_rows(&mut h, 0, &v, beta);
        reflect_columns(&mut h, 0, &v, beta);
        reflect_columns(&mut q, 0, &v, beta);
    }
    let rest = hessenberg(&h)?;
    Ok((Hessenberg { h: rest.h, q: &q * &rest.q }, beta_b))
}

/// The vector v and factor β of the reflection 1 − β v vᵀ that maps x to a multiple of e₁; nothing
/// where x is one already.
fn reflection(mut x: Vec<f64>) -> Option<(Vec<f64>, f64)> {
    let tail = x.iter().skip(1).fold(0.0_f64, |m, a| m.max(a.abs()));
    if tail == 0.0 {
        return None;
    }
    let largest = tail.max(x[0].abs());
    x.iter_mut().for_each(|a| *a /= largest);
    let length = x.iter().map(|a| a * a).sum::<f64>().sqrt();
    x[0] += length.copysign(x[0]);
    let beta = 2.0 / x.iter().map(|a| a * a).sum::<f64>();
    Some((x, beta))
}

fn reflect_rows(a: &mut Matrix, first: usize, v: &[f64], beta: f64) {
    for j in 0..a.ncols() {
        let along = beta * v.iter().enumerate().map(|(i, v)| v * a[(first + i, j)]).sum::<f64>();
        for (i, v) in v.iter().enumerate() {
            a[(first + i, j)] -= along * v;
        }
    }
}

fn reflect_columns(a: &mut Matrix, first: usize, v: &[f64], beta: f64) {
    for i in 0..a.nrows() {
        let along = beta * v.iter().enumerate().map(|(j, v)| v * a[(i, first + j)]).sum::<f64>();
        for (j, v) in v.iter().enumerate() {
            a[(i, first + j)] -= along * v;
        }
    }
}
