//! The sums of a step in lanes, compiled for several kinds of vector registers and chosen when the program runs.
//!
//! Between two evaluations of a small model these sums are most of the work. Every lane is summed in the order of the tableau,
//! whatever the registers, so the choice changes no digit. Several components are summed side by side, so that finding the slopes of a stage
//! costs little. What is dispatched are types of ours rather than closures, whose calls are left outside the code that knows the registers.

use pulp::{Arch, Simd, WithSimd};

use crate::control::Tolerance;
use crate::dop853::tableau::{B, B_3, ERROR_5};
use crate::tableau::Row;

/// The slopes of all stages, one stage after the other.
pub(crate) struct Slopes<const L: usize> {
    n: usize,
    k: Vec<[f64; L]>,
}

impl<const L: usize> Slopes<L> {
    /// Zeros, for so many stages of `n` components.
    pub(crate) fn new(stages: usize, n: usize) -> Self {
        Slopes { n, k: vec![[0.0; L]; stages * n] }
    }

    /// The slopes of a stage.
    pub(crate) fn stage(&self, j: usize) -> &[[f64; L]] {
        &self.k[j * self.n..][..self.n]
    }

    /// The slopes of a stage, to be written.
    pub(crate) fn stage_mut(&mut self, j: usize) -> &mut [[f64; L]] {
        &mut self.k[j * self.n..][..self.n]
    }

    /// Σ a_j k_j of `N` components from `i` on.
    #[inline(always)]
    fn sums<const N: usize>(&self, row: Row, i: usize) -> [[f64; L]; N] {
        let mut sums = [[0.0; L]; N];
        for &(j, a) in row {
            let k = &self.k[j * self.n + i..][..N];
            for m in 0..N {
                for l in 0..L {
                    sums[m][l] += a * k[m][l];
                }
            }
        }
        sums
    }

    /// y + h Σ a_j k_j into `end`. `[lane-step]`
    pub(crate) fn advance(&self, y: &[[f64; L]], h: &[f64; L], row: Row, end: &mut [[f64; L]]) {
        Arch::new().dispatch(Advance { slopes: self, y, h, row, end });
    }

    /// The scaled error of each lane of a step from `y` to `end`, as `dop853` has it.
    pub(crate) fn errors(
        &self,
        tolerance: &Tolerance,
        h: &[f64; L],
        y: &[[f64; L]],
        end: &[[f64; L]],
    ) -> [f64; L] {
        let (e5, e3) = Arch::new().dispatch(Errors { slopes: self, tolerance, y, end });
        std::array::from_fn(|l| {
            let joined = e5[l] + 0.01 * e3[l];
            if joined == 0.0 { 0.0 } else { h[l] * e5[l] / (joined * y.len() as f64).sqrt() }
        })
    }
}

/// Components that are summed side by side.
const BLOCK: usize = 4;

/// [`Slopes::advance`].
struct Advance<'a, const L: usize> {
    slopes: &'a Slopes<L>,
    y: &'a [[f64; L]],
    h: &'a [f64; L],
    row: Row,
    end: &'a mut [[f64; L]],
}

impl<const L: usize> Advance<'_, L> {
    #[inline(always)]
    fn some<const N: usize>(&mut self, i: usize) {
        let sums = self.slopes.sums::<N>(self.row, i);
        let (end, y) = (&mut self.end[i..][..N], &self.y[i..][..N]);
        for m in 0..N {
            for l in 0..L {
                end[m][l] = y[m][l] + self.h[l] * sums[m][l];
            }
        }
    }
}

impl<const L: usize> WithSimd for Advance<'_, L> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _simd: S) {
        let (n, mut i) = (self.end.len(), 0);
        while i + BLOCK <= n {
            self.some::<BLOCK>(i);
            i += BLOCK;
        }
        while i < n {
            self.some::<1>(i);
            i += 1;
        }
    }
}

/// Sums of squares of the scaled errors of order 5 and 3.
struct Errors<'a, const L: usize> {
    slopes: &'a Slopes<L>,
    tolerance: &'a Tolerance,
    y: &'a [[f64; L]],
    end: &'a [[f64; L]],
}

impl<const L: usize> WithSimd for Errors<'_, L> {
    type Output = ([f64; L], [f64; L]);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Self::Output {
        let (mut e5, mut e3) = ([0.0; L], [0.0; L]);
        for (i, (y, end)) in self.y.iter().zip(self.end).enumerate() {
            let [five] = self.slopes.sums(ERROR_5, i);
            let [eight] = self.slopes.sums(B, i);
            let [three] = self.slopes.sums(B_3, i);
            let (atol, rtol) = (self.tolerance.atol.at(i), self.tolerance.rtol);
            for l in 0..L {
                // The smallest positive number keeps 0/0 away, as in `Tolerance::scale`.
                let scale = atol + rtol * y[l].abs().max(end[l].abs()) + f64::MIN_POSITIVE;
                let (a, b) = (five[l] / scale, (eight[l] - three[l]) / scale);
                e5[l] += a * a;
                e3[l] += b * b;
            }
        }
        (e5, e3)
    }
}

#[cfg(test)]
mod tests {
    use crate::lanes::kernels::*;
    use crate::options::Absolute;

    /// Against the plain sums of the scalar method, to the last bit.
    #[test]
    fn lanes_are_summed_as_the_scalar_method_sums() {
        const L: usize = 8;
        let (n, mut seed) = (5, 1u64);
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let mut slopes = Slopes::<L>::new(13, n);
        let mut row = || -> [f64; L] { std::array::from_fn(|_| next()) };
        slopes.k.iter_mut().for_each(|k| *k = row());
        let y: Vec<[f64; L]> = (0..n).map(|_| row()).collect();
        let h = row().map(f64::abs);
        let mut end = vec![[0.0; L]; n];
        slopes.advance(&y, &h, B, &mut end);
        let tolerance = Tolerance { rtol: 1e-6, atol: Absolute::Uniform(1e-8) };
        let errors = slopes.errors(&tolerance, &h, &y, &end);
        for l in 0..L {
            let k: Vec<Vec<f64>> = (0..13).map(|j| slopes.stage(j).iter().map(|k| k[l]).collect()).collect();
            let alone: Vec<f64> = y.iter().map(|y| y[l]).collect();
            let mut expected = vec![0.0; n];
            crate::tableau::stage(&alone, h[l], B, &k, &mut expected);
            let found: Vec<f64> = end.iter().map(|y| y[l]).collect();
            assert_eq!(found, expected, "lane {l}");
            let (mut e5, mut e3) = (0.0, 0.0);
            for i in 0..n {
                let scale = tolerance.scale(i, alone[i], expected[i]);
                let of = |row: Row| row.iter().fold(0.0, |s, &(j, a)| s + a * k[j][i]);
                e5 += (of(ERROR_5) / scale).powi(2);
                e3 += ((of(B) - of(B_3)) / scale).powi(2);
            }
            let expected = h[l] * e5 / ((e5 + 0.01 * e3) * n as f64).sqrt();
            assert!((errors[l] - expected).abs() <= 1e-15 * expected, "lane {l}");
        }
    }
}
