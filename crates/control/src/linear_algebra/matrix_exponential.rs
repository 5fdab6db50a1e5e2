//! Exponential of a matrix by Padé's approximant with scaling and squaring.

use crate::error::ControlError;
use crate::matrix::{Matrix, identity, is_finite, scaled, solve};

/// Coefficients of Padé's approximant of order 13.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];
/// The 1-norm up to which the approximant is exact to rounding.
const RADIUS: f64 = 5.371920351148152;

/// exp A.
///
/// With ‖2⁻ˢ A‖₁ below 5.37, r(X) = (V − U)⁻¹ (V + U) with the odd part U and the even part V of
/// the polynomial, then s squarings. Source: Higham, SIAM J. Matrix Anal. 26 (2005) 1179.
pub fn matrix_exponential(a: &Matrix) -> Result<Matrix, ControlError> {
    let n = a.nrows();
    if !is_finite(a) {
        return Err(ControlError::NotFinite);
    }
    let column = |j: usize| (0..n).map(|i| a[(i, j)].abs()).sum::<f64>();
    let size = (0..n).map(column).fold(0.0, f64::max);
    let squarings = if size > RADIUS { (size / RADIUS).log2().ceil() as i32 } else { 0 };
    let x = scaled(a, 0.5_f64.powi(squarings));
    let x2 = &x * &x;
    let x4 = &x2 * &x2;
    let x6 = &x4 * &x2;
    let polynomial = |k6: f64, k4: f64, k2: f64| &(&scaled(&x6, k6) + &scaled(&x4, k4)) + &scaled(&x2, k2);
    let one = identity(n);
    let odd = &(&x6 * &polynomial(PADE[13], PADE[11], PADE[9])) + &polynomial(PADE[7], PADE[5], PADE[3]);
    let u = &x * &(&odd + &scaled(&one, PADE[1]));
    let even = &(&x6 * &polynomial(PADE[12], PADE[10], PADE[8])) + &polynomial(PADE[6], PADE[4], PADE[2]);
    let v = &even + &scaled(&one, PADE[0]);
    let mut e = solve(&(&v - &u), &(&v + &u), "the denominator of Padé's approximant")?;
    for _ in 0..squarings {
        e = &e * &e;
    }
    if is_finite(&e) { Ok(e) } else { Err(ControlError::NotFinite) }
}
