//! Which surfaces a motion slides on, and with which weights: Filippov's convex combination on the intersection of several surfaces.
//!
//! At a state on surfaces σ_i = 0 let f⁻ be the rates with all switches below, and d_i what changes when switch i goes above:
//!
//! ```text
//! [filippov]   ẏ = f⁻ + Σ α_i d_i,   0 ≤ α_i ≤ 1
//! [rates]      σ̇ = b + A α,   b_i = ∂σ_i/∂t + ∇σ_i · f⁻,   A_ij = ∇σ_i · d_j
//! [side]       α_i = 0 and σ̇_i ≤ 0:  goes on below;    α_i = 1 and σ̇_i ≥ 0:  goes on above;    otherwise σ̇_i = 0: slides
//! ```
//!
//! [side] is a complementarity problem with bounds. A surface can hold a motion only if each side points towards it, A_ii < 0. Dry friction in a
//! mechanism has A = -J M⁻¹ Jᵀ F, F the diagonal of friction forces: -A is then similar to a definite matrix, and there is one solution.
//! Filippov, Differential Equations with Discontinuous Righthand Sides (1988), §4; Acary & Brogliato, Numerical Methods for Nonsmooth
//! Dynamical Systems (2008), 2.3 and 3.

use cardan_solve::Matrix;
use cardan_solve::linear::Lu;

/// How far α may be beyond its bounds, and σ̇ beyond zero as a part of A_ii, by rounding.
const ROUNDING: f64 = 1e-10;
/// Up to so many surfaces all combinations of sides are tried; beyond, only what an iteration finds.
const ENUMERATED: usize = 6;
/// Sweeps of the iteration.
const SWEEPS: usize = 1000;

/// Where a motion on a surface goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goes {
    Below,
    Slides,
    Above,
}

/// Rates on surfaces. [rates]
#[derive(Clone, Debug)]
pub(super) struct Rates {
    /// A.
    pub a: Matrix,
    /// b.
    pub b: Vec<f64>,
}

impl Rates {
    /// The weights for which the surfaces in `slides` are kept and the others are as `goes` says; nothing where that is not determined.
    pub fn weights(&self, goes: &[Goes]) -> Option<Vec<f64>> {
        let sliding: Vec<usize> = (0..goes.len()).filter(|i| goes[*i] == Goes::Slides).collect();
        let above = |j: usize| f64::from(u8::from(goes[j] == Goes::Above));
        let mut alpha: Vec<f64> = (0..goes.len()).map(above).collect();
        if !sliding.is_empty() {
            let n = sliding.len();
            let mut matrix = Matrix::zeros(n, n);
            for (r, i) in sliding.iter().enumerate() {
                sliding.iter().enumerate().for_each(|(c, j)| matrix[(r, c)] = self.a[(*i, *j)]);
            }
            let rest = |i: usize| (0..goes.len()).map(|j| self.a[(i, j)] * above(j)).sum::<f64>();
            let mut x: Vec<f64> = sliding.iter().map(|i| -self.b[*i] - rest(*i)).collect();
            Lu::new(&matrix)?.solve(&mut x);
            sliding.iter().zip(x).for_each(|(i, x)| alpha[*i] = x);
        }
        alpha.iter().all(|x| x.is_finite()).then_some(alpha)
    }

    /// σ̇ with these weights.
    fn surface_rate(&self, i: usize, alpha: &[f64]) -> f64 {
        self.b[i] + alpha.iter().enumerate().map(|(j, x)| self.a[(i, j)] * x).sum::<f64>()
    }

    /// Whether a surface draws the motion from both sides, all else as it is.
    pub fn attracts(&self, i: usize) -> bool {
        let scale = self.b[i].abs() + (0..self.b.len()).map(|j| self.a[(i, j)].abs()).sum::<f64>();
        self.a[(i, i)] < -ROUNDING * scale
    }

    /// Whether what is said of the surfaces is so. [side]
    fn is_so(&self, goes: &[Goes]) -> bool {
        let Some(alpha) = self.weights(goes) else { return false };
        (0..goes.len()).all(|i| {
            let slack = ROUNDING * self.a[(i, i)].abs();
            match goes[i] {
                Goes::Below => self.surface_rate(i, &alpha) <= slack,
                Goes::Above => self.surface_rate(i, &alpha) >= -slack,
                Goes::Slides => (-ROUNDING..=1.0 + ROUNDING).contains(&alpha[i]),
            }
        })
    }

    /// Where the motion goes on with respect to each surface, all of which attract; nothing where no answer was found.
    pub fn resolve(&self) -> Option<Vec<Goes>> {
        let n = self.b.len();
        let iterated = self.iterate();
        if self.is_so(&iterated) {
            return Some(iterated);
        }
        if n > ENUMERATED {
            return None;
        }
        let digits = [Goes::Slides, Goes::Below, Goes::Above];
        let mut combinations = (0..3usize.pow(n as u32))
            .map(|k| (0..n as u32).map(|i| digits[k / 3usize.pow(i) % 3]).collect::<Vec<_>>());
        combinations.find(|goes| self.is_so(goes))
    }

    /// Each weight in turn so that its surface is kept, within its bounds, again and again.
    fn iterate(&self) -> Vec<Goes> {
        let n = self.b.len();
        let mut alpha = vec![0.5; n];
        for _ in 0..SWEEPS {
            let mut most = 0.0f64;
            for i in 0..n {
                let next = (alpha[i] - self.surface_rate(i, &alpha) / self.a[(i, i)]).clamp(0.0, 1.0);
                most = most.max((next - alpha[i]).abs());
                alpha[i] = next;
            }
            if most < f64::EPSILON {
                break;
            }
        }
        let goes = |x: &f64| match *x {
            x if x <= 0.0 => Goes::Below,
            x if x >= 1.0 => Goes::Above,
            _ => Goes::Slides,
        };
        alpha.iter().map(goes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cardan_testkit::Random;

    fn rates(a: &[&[f64]], b: &[f64]) -> Rates {
        let mut matrix = Matrix::zeros(b.len(), b.len());
        for (i, row) in a.iter().enumerate() {
            row.iter().enumerate().for_each(|(j, x)| matrix[(i, j)] = *x);
        }
        Rates { a: matrix, b: b.to_vec() }
    }

    #[test]
    fn one_surface_holds_what_friction_can_hold() {
        // v̇ = load - 2 sign(v): b = load + 2, A = -4.
        for (load, goes) in
            [(1.0, Goes::Slides), (-1.9, Goes::Slides), (3.0, Goes::Above), (-2.1, Goes::Below)]
        {
            let found = rates(&[&[-4.0]], &[load + 2.0]);
            assert!(found.attracts(0));
            assert_eq!(found.resolve(), Some(vec![goes]), "{load}");
        }
        let found = rates(&[&[-4.0]], &[3.0]);
        assert_eq!(found.weights(&[Goes::Slides]), Some(vec![0.75]));
        assert!(!rates(&[&[4.0]], &[3.0]).attracts(0));
    }

    #[test]
    fn two_stacked_blocks_stick_or_slip_each_by_itself() {
        // Upper block u on lower block l of 1 kg each, friction 1 N between them, 4 N below, a load on the lower one: σ = (u - l, l).
        let a = [&[-4.0, 8.0][..], &[2.0, -8.0][..]];
        let with_load = |load: f64| rates(&a, &[-load + 2.0 - 4.0, load + 4.0 - 1.0]);
        assert_eq!(with_load(2.0).resolve(), Some(vec![Goes::Slides, Goes::Slides]));
        assert_eq!(with_load(5.5).resolve(), Some(vec![Goes::Slides, Goes::Above]));
        assert_eq!(with_load(9.0).resolve(), Some(vec![Goes::Below, Goes::Above]));
    }

    #[test]
    fn friction_of_random_mechanisms_has_an_answer() {
        let mut random = Random::new(5);
        for n in [1, 2, 3, 5, 8] {
            for _ in 0..50 {
                let j: Vec<Vec<f64>> =
                    (0..n).map(|_| (0..n + 1).map(|_| random.between(-1.0, 1.0)).collect()).collect();
                let force: Vec<f64> = (0..n).map(|_| random.between(0.5, 2.0)).collect();
                let mut a = Matrix::zeros(n, n);
                for i in 0..n {
                    for k in 0..n {
                        a[(i, k)] = -2.0 * force[k] * j[i].iter().zip(&j[k]).map(|(x, y)| x * y).sum::<f64>();
                    }
                }
                let b = (0..n).map(|_| random.between(-3.0, 3.0)).collect();
                let rates = Rates { a, b };
                let goes = rates.resolve().expect("there is one");
                assert!(rates.is_so(&goes), "{goes:?}");
            }
        }
    }
}
