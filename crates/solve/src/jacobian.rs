//! ∂f/∂y by forward differences.
//!
//! ```text
//! [difference]   J_·j = (f(y + δ_j e_j) − f(y)) / δ_j,    δ_j = √ε max(|y_j|, s_j)
//! ```
//!
//! s_j is a magnitude typical of state j, so that a state at zero is still moved by something that counts. Curtis, Powell & Reid 1974; Hairer & Wanner, Solving ODEs II, IV.8.

use crate::linear::Matrix;
use crate::system::Failure;

/// Writes the forward difference Jacobian of `f` at `y` into `j`; `f0` = f(y), `floor` as described above.
pub fn forward_difference(
    f: &mut impl FnMut(&[f64], &mut [f64]) -> Result<(), Failure>,
    y: &[f64],
    f0: &[f64],
    floor: &[f64],
    j: &mut Matrix,
) -> Result<(), Failure> {
    let mut moved = y.to_vec();
    let mut dy = vec![0.0; f0.len()];
    for col in 0..y.len() {
        let wanted = f64::EPSILON.sqrt() * y[col].abs().max(floor[col]).max(f64::MIN_POSITIVE.sqrt());
        moved[col] = y[col] + wanted;
        let delta = moved[col] - y[col];
        f(&moved, &mut dy)?;
        for (a, (d, d0)) in j.column_mut(col).iter_mut().zip(dy.iter().zip(f0)) {
            *a = (d - d0) / delta;
        }
        moved[col] = y[col];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_agree_with_the_exact_jacobian() {
        let mut f = |y: &[f64], dy: &mut [f64]| {
            dy[0] = y[0] * y[1];
            dy[1] = y[1].sin() + y[0].powi(3);
            Ok(())
        };
        let y = [0.7, -1.3];
        let mut f0 = [0.0; 2];
        f(&y, &mut f0).unwrap();
        let mut j = Matrix::zeros(2, 2);
        forward_difference(&mut f, &y, &f0, &[1e-6; 2], &mut j).unwrap();
        let exact = [y[1], 3.0 * y[0] * y[0], y[0], y[1].cos()];
        for (found, known) in j.as_slice().iter().zip(exact) {
            assert!((found - known).abs() < 1e-7, "{found} {known}");
        }
    }
}
