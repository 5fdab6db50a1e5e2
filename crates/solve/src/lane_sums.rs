//! The sums of a step in lanes, compiled for several kinds of vector registers and chosen when the program runs.
//!
//! Between two evaluations of a small model these sums are most of the work. Every lane is summed in the order of the tableau,
//! whatever the registers, so the choice changes no digit.

use pulp::Arch;

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

    /// Σ a_j k_j of one component.
    #[inline(always)]
    fn sum(&self, row: Row, i: usize) -> [f64; L] {
        let mut sum = [0.0; L];
        for &(j, a) in row {
            let k = &self.k[j * self.n + i];
            for l in 0..L {
                sum[l] += a * k[l];
            }
        }
        sum
    }

    /// y + h Σ a_j k_j into `end`. `[lane-step]`
    pub(crate) fn advance(&self, y: &[[f64; L]], h: &[f64; L], row: Row, end: &mut [[f64; L]]) {
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (i, (end, y)) in end.iter_mut().zip(y).enumerate() {
                    let sum = self.sum(row, i);
                    for l in 0..L {
                        end[l] = y[l] + h[l] * sum[l];
                    }
                }
            },
        );
    }

    /// The scaled error of each lane of a step from `y` to `end`, as `dop853` has it.
    pub(crate) fn errors(
        &self,
        tolerance: &Tolerance,
        h: &[f64; L],
        y: &[[f64; L]],
        end: &[[f64; L]],
    ) -> [f64; L] {
        let (mut e5, mut e3) = ([0.0; L], [0.0; L]);
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (i, (y, end)) in y.iter().zip(end).enumerate() {
                    let (five, eight, three) = (self.sum(ERROR_5, i), self.sum(B, i), self.sum(B_3, i));
                    let atol = tolerance.atol.at(i);
                    for l in 0..L {
                        // The smallest positive number keeps 0/0 away, as in `Tolerance::scale`.
                        let scale = atol + tolerance.rtol * y[l].abs().max(end[l].abs()) + f64::MIN_POSITIVE;
                        let (a, b) = (five[l] / scale, (eight[l] - three[l]) / scale);
                        e5[l] += a * a;
                        e3[l] += b * b;
                    }
                }
            },
        );
        std::array::from_fn(|l| {
            let joined = e5[l] + 0.01 * e3[l];
            if joined == 0.0 { 0.0 } else { h[l] * e5[l] / (joined * y.len() as f64).sqrt() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
