//! Feedback u = −K x that gives A − B K the wanted eigenvalues.

use crate::controllability::staircase;
use crate::error::ControlError;
use crate::hessenberg::controller_hessenberg;
use crate::matrix::{
    Complex, ComplexMatrix, Matrix, SingularValues, complex, part, real_part, solve_complex, transposed,
};
use faer::Mat;

/// Sweeps over the eigenvectors that improve their condition.
const SWEEPS: usize = 30;

/// The feedback K of A − B K with the given eigenvalues, which come in conjugate pairs.
///
/// One input leaves no choice; several are used to make the eigenvectors as independent as they can
/// be, so that small changes of A move the eigenvalues little.
pub fn place_poles(a: &Matrix, b: &Matrix, poles: &[Complex]) -> Result<Matrix, ControlError> {
    let n = a.nrows();
    if a.ncols() != n || b.nrows() != n || poles.len() != n {
        let what = format!("{} poles for {n} states, B has {} rows", poles.len(), b.nrows());
        return Err(ControlError::Size { what });
    }
    if n == 0 {
        return Ok(Mat::zeros(b.ncols(), 0));
    }
    let poles = paired(poles)?;
    let rank = staircase(a, b)?.rank;
    if rank < n {
        return Err(ControlError::NotControllable { rank, n_states: n });
    }
    if b.ncols() == 1 { single_input(a, b, &poles) } else { robust(a, b, &poles) }
}

/// The gain L of an observer A − L C with the given eigenvalues: the dual problem.
pub fn place_observer_poles(a: &Matrix, c: &Matrix, poles: &[Complex]) -> Result<Matrix, ControlError> {
    Ok(transposed(&place_poles(&transposed(a), &transposed(c), poles)?))
}

/// The poles with each complex one followed by its exact conjugate.
fn paired(poles: &[Complex]) -> Result<Vec<Complex>, ControlError> {
    let mut real: Vec<Complex> = poles.iter().copied().filter(|z| z.im == 0.0).collect();
    let upper: Vec<Complex> = poles.iter().copied().filter(|z| z.im > 0.0).collect();
    let mut lower: Vec<Complex> = poles.iter().copied().filter(|z| z.im < 0.0).collect();
    for z in upper {
        let near = |w: &Complex| (w.conj() - z).norm() <= 1e-9 * z.norm();
        let Some(at) = lower.iter().position(near) else {
            return Err(ControlError::Value { what: "a complex pole needs its conjugate", value: z.im });
        };
        lower.remove(at);
        real.extend([z, z.conj()]);
    }
    match lower.first() {
        None if real.iter().all(|z| z.is_finite()) => Ok(real),
        None => Err(ControlError::NotFinite),
        Some(z) => Err(ControlError::Value { what: "a complex pole needs its conjugate", value: z.im }),
    }
}

/// Ackermann's formula on the controller Hessenberg form.
///
/// ```text
/// [ackermann]  k = e_nᵀ p(H) / (β h₂₁ h₃₂ … ),   Qᵀ A Q = H,  Qᵀ b = β e₁,   K = k Qᵀ
/// ```
///
/// In this form the inverse of the controllability matrix has the last row e_nᵀ over its corner;
/// p(H) acts on a row, factor by factor, each divided by its subdiagonal element so that nothing
/// grows. Source: Datta, Numerical Methods for Linear Control Systems, chapter 11.
fn single_input(a: &Matrix, b: &Matrix, poles: &[Complex]) -> Result<Matrix, ControlError> {
    let n = a.nrows();
    let (form, beta) = controller_hessenberg(a, b)?;
    let h = complex(&form.h);
    let mut row = vec![Complex::new(0.0, 0.0); n];
    row[n - 1] = Complex::new(1.0, 0.0);
    for (k, pole) in poles.iter().enumerate() {
        let divisor = if k + 1 < n { form.h[(n - 1 - k, n - 2 - k)] } else { beta };
        let step = |j: usize| {
            let sum = (0..n).map(|i| row[i] * h[(i, j)]).fold(Complex::new(0.0, 0.0), |s, z| s + z);
            (sum - row[j] * pole) / divisor
        };
        row = (0..n).map(step).collect();
    }
    let k = Mat::from_fn(1, n, |_, j| row[j].re);
    Ok(&k * form.q.transpose())
}

/// Kautsky, Nichols & Van Dooren's method 0 (Int. J. Control 41 (1985) 1129).
///
/// ```text
/// [subspace]  x_j ∈ S_j = ker U₁ᵀ (A − λ_j 1),   B = [U₀ U₁] [Z; 0]
/// [sweep]     x_j ← projection on S_j of the vector orthogonal to all other x
/// [feedback]  K = Z⁻¹ U₀ᵀ (A − X Λ X⁻¹)
/// ```
///
/// Complex vectors are kept in conjugate pairs, so that K is real.
fn robust(a: &Matrix, b: &Matrix, poles: &[Complex]) -> Result<Matrix, ControlError> {
    let (n, m) = (a.nrows(), b.ncols());
    let split = SingularValues::new(b)?;
    let rank = split.rank(split.values.first().copied().unwrap_or(0.0) * 1e-13);
    let u1 = part(&split.u, 0, n, rank, n - rank);
    let spaces: Vec<ComplexMatrix> =
        poles.iter().map(|pole| kernel(&u1, a, *pole, rank)).collect::<Result<_, _>>()?;
    let mut x: ComplexMatrix = Mat::zeros(n, n);
    for (j, space) in spaces.iter().enumerate() {
        // Irregular mixtures keep the first vectors independent, also of their conjugates.
        let mix = |k: usize| {
            let (size, angle) =
                ((1.0 + 2.3 * j as f64 + 1.7 * (k * (j + 1)) as f64).cos(), 0.3 + 0.9 * k as f64);
            Complex::from_polar(size, if poles[j].im == 0.0 { 0.0 } else { angle })
        };
        let start: Vec<Complex> = (0..n)
            .map(|i| (0..rank).map(|k| space[(i, k)] * mix(k)).fold(Complex::new(0.0, 0.0), |s, z| s + z))
            .collect();
        set_column(&mut x, j, poles, start);
    }
    for _ in 0..SWEEPS {
        for j in (0..n).filter(|j| poles[*j].im >= 0.0) {
            // Row j of X⁻¹ is orthogonal to all other columns.
            let unit = Mat::from_fn(n, 1, |i, _| Complex::new(if i == j { 1.0 } else { 0.0 }, 0.0));
            let adjoint = x.adjoint().to_owned();
            let Ok(orthogonal) = solve_complex(&adjoint, &unit, "the eigenvectors") else { continue };
            let projected = &spaces[j] * &(spaces[j].adjoint() * &orthogonal);
            set_column(&mut x, j, poles, (0..n).map(|i| projected[(i, 0)]).collect());
        }
    }
    // A − X Λ X⁻¹ by (X⁻ᵀ (X Λ)ᵀ)ᵀ.
    let moved = Mat::from_fn(n, n, |i, j| x[(j, i)] * poles[i]);
    let closed = solve_complex(&x.transpose().to_owned(), &moved, "the matrix of eigenvectors")?;
    let change = a - &transposed(&real_part(&closed));
    let along = split.u.transpose() * &change;
    let scaled = Mat::from_fn(m, n, |i, j| if i < rank { along[(i, j)] / split.values[i] } else { 0.0 });
    Ok(&split.v * &scaled)
}

/// An orthonormal basis of ker U₁ᵀ (A − λ 1), of dimension `rank`. [subspace]
fn kernel(u1: &Matrix, a: &Matrix, pole: Complex, rank: usize) -> Result<ComplexMatrix, ControlError> {
    let n = a.nrows();
    if u1.ncols() == 0 {
        return Ok(complex(&crate::matrix::identity(n)));
    }
    let shifted = Mat::from_fn(n, n, |i, j| {
        Complex::new(a[(i, j)], 0.0) - if i == j { pole } else { Complex::new(0.0, 0.0) }
    });
    if pole.im == 0.0 {
        let v = SingularValues::new(&(u1.transpose() * &real_part(&shifted)))?.v;
        return Ok(complex(&part(&v, 0, n, n - rank, rank)));
    }
    let rows = &complex(&transposed(u1)) * &shifted;
    let found =
        rows.svd().map_err(|_| ControlError::NoConvergence { what: "the singular value iteration" })?;
    let v = found.V();
    Ok(Mat::from_fn(n, rank, |i, k| v[(i, n - rank + k)]))
}

/// Writes a normalised eigenvector, and its conjugate beside it for a complex pole.
fn set_column(x: &mut ComplexMatrix, j: usize, poles: &[Complex], vector: Vec<Complex>) {
    let length = vector.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt();
    if length.is_nan() || length == 0.0 || poles[j].im < 0.0 {
        return;
    }
    for (i, z) in vector.into_iter().enumerate() {
        x[(i, j)] = z / length;
        if poles[j].im > 0.0 {
            x[(i, j + 1)] = z.conj() / length;
        }
    }
}
