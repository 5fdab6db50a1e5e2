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
//! mechanism has A = -J M⁻¹ Jᵀ F, F the diagonal of friction forces: -A is then similar to a matrix that is definite, or semidefinite where a
//! loop or a gear makes some sliding speeds follow from others. The motion is one in either case. In the second the weights are not:
//! three joints of a four-bar linkage at rest share what one of them could bear. Then a vertex of what is possible is taken:
//!
//! ```text
//! [vertex]     α + s ν,  A ν = 0,  until a weight meets its bound: that surface rests there, and those that slide are independent
//! ```
//!
//! Friction whose force vanishes, of a contact that opens or a clutch without pressure, holds nothing:
//!
//! ```text
//! [powerless]  A_i· = A_·i = 0:   α_i is anything where b_i = 0, and beyond the bound to which b_i draws it otherwise, as for A_ii → 0
//! ```
//!
//! Where a weight that slides meets its bound, others that rest take over, so that a motion begins when all are exhausted and not before.
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
/// A surface of whose A_ii less is left after elimination follows from the others.
const FOLLOWS: f64 = 1e-9;

/// Where a motion on a surface goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goes {
    Below,
    Slides,
    /// On the surface because others hold it there, its own weight at a bound: 1 if `above`, else 0. [vertex]
    Rests {
        above: bool,
    },
    Above,
}

impl Goes {
    /// Whether the motion stays on the surface.
    pub fn stays(self) -> bool {
        matches!(self, Goes::Slides | Goes::Rests { .. })
    }

    /// The weight of a surface that does not slide.
    fn bound(self) -> f64 {
        f64::from(u8::from(matches!(self, Goes::Above | Goes::Rests { above: true })))
    }
}

/// Rates on surfaces. [rates]
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    /// A.
    pub a: Matrix,
    /// b.
    pub b: Vec<f64>,
}

impl Rates {
    /// A among some surfaces.
    pub fn among(&self, some: &[usize]) -> Matrix {
        let mut matrix = Matrix::zeros(some.len(), some.len());
        for (r, i) in some.iter().enumerate() {
            some.iter().enumerate().for_each(|(c, j)| matrix[(r, c)] = self.a[(*i, *j)]);
        }
        matrix
    }

    /// The weights for which the surfaces that slide are kept and the others are as `goes` says; nothing where that is not determined.
    pub fn weights(&self, goes: &[Goes]) -> Option<Vec<f64>> {
        let slides = |i: &usize| goes[*i] == Goes::Slides;
        let mut alpha: Vec<f64> = goes.iter().map(|g| g.bound()).collect();
        for i in (0..goes.len()).filter(slides).filter(|i| self.is_powerless(*i)) {
            alpha[i] = if self.b[i] == 0.0 { 0.5 } else { 0.5 + self.b[i].signum() }; // [powerless]
        }
        let sliding: Vec<usize> = (0..goes.len()).filter(slides).filter(|i| !self.is_powerless(*i)).collect();
        let x =
            self.hold(&sliding, &sliding.iter().map(|i| -self.surface_rate(*i, &alpha)).collect::<Vec<_>>())?;
        sliding.iter().zip(x).for_each(|(i, x)| alpha[*i] = x);
        alpha.iter().all(|x| x.is_finite()).then_some(alpha)
    }

    /// The solution x of A x = r among some surfaces.
    pub fn hold(&self, some: &[usize], r: &[f64]) -> Option<Vec<f64>> {
        let mut x = r.to_vec();
        if !some.is_empty() {
            Lu::new(&self.among(some))?.solve(&mut x);
        }
        Some(x)
    }

    /// σ̇ with these weights.
    pub fn surface_rate(&self, i: usize, alpha: &[f64]) -> f64 {
        self.b[i] + alpha.iter().enumerate().map(|(j, x)| self.a[(i, j)] * x).sum::<f64>()
    }

    /// What σ̇ is measured by.
    pub fn scale(&self, i: usize) -> f64 {
        self.b[i].abs() + (0..self.b.len()).map(|j| self.a[(i, j)].abs()).sum::<f64>()
    }

    /// Whether a surface neither acts on any nor is acted upon. [powerless]
    pub fn is_powerless(&self, i: usize) -> bool {
        (0..self.b.len()).all(|j| self.a[(i, j)] == 0.0 && self.a[(j, i)] == 0.0)
    }

    /// Whether a surface draws the motion from both sides, all else as it is.
    pub fn attracts(&self, i: usize) -> bool {
        self.a[(i, i)] < -ROUNDING * self.scale(i)
    }

    /// Those of some surfaces that do not follow from the ones before, by elimination with the largest relative pivot first.
    fn independent(&self, some: &[usize]) -> Vec<usize> {
        let n = some.len();
        let mut rest = self.among(some);
        let mut order: Vec<usize> = (0..n).collect();
        let mut found = vec![];
        for k in 0..n {
            let left = |i: usize| (rest[(i, i)] / self.a[(some[i], some[i])]).abs();
            let Some(best) = (k..n).max_by(|a, b| left(order[*a]).total_cmp(&left(order[*b]))) else { break };
            order.swap(k, best);
            let p = order[k];
            if left(p) <= FOLLOWS {
                break;
            }
            found.push(some[p]);
            for &i in &order[k + 1..] {
                let factor = rest[(i, p)] / rest[(p, p)];
                order[k + 1..].iter().for_each(|&j| rest[(i, j)] -= factor * rest[(p, j)]);
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether what is said of the surfaces is so. [side]
    fn is_so(&self, goes: &[Goes]) -> bool {
        let sliding: Vec<usize> = (0..goes.len()).filter(|i| goes[*i] == Goes::Slides).collect();
        if self.independent(&sliding).len() < sliding.len() {
            return false;
        }
        let Some(alpha) = self.weights(goes) else { return false };
        (0..goes.len()).all(|i| {
            let slack = ROUNDING * self.a[(i, i)].abs();
            match goes[i] {
                Goes::Below => self.surface_rate(i, &alpha) <= slack,
                Goes::Above => self.surface_rate(i, &alpha) >= -slack,
                Goes::Rests { .. } => self.surface_rate(i, &alpha).abs() <= slack,
                Goes::Slides => (-ROUNDING..=1.0 + ROUNDING).contains(&alpha[i]),
            }
        })
    }

    /// Where the motion goes on with respect to each surface, all of which attract; nothing where no answer was found.
    pub fn resolve(&self) -> Option<Vec<Goes>> {
        let n = self.b.len();
        let iterated = self.vertex(self.iterate());
        if self.is_so(&iterated) {
            return Some(self.resting(iterated));
        }
        if n > ENUMERATED {
            return None;
        }
        let digits = [Goes::Slides, Goes::Below, Goes::Above];
        let mut combinations = (0..3usize.pow(n as u32))
            .map(|k| (0..n as u32).map(|i| digits[k / 3usize.pow(i) % 3]).collect::<Vec<_>>());
        combinations.find(|goes| self.is_so(goes)).map(|goes| self.resting(goes))
    }

    /// Surfaces at a bound whose rate vanishes because those that slide keep it at zero rest there.
    fn resting(&self, mut goes: Vec<Goes>) -> Vec<Goes> {
        let sliding: Vec<usize> = (0..goes.len()).filter(|i| goes[*i] == Goes::Slides).collect();
        for (i, goes) in goes.iter_mut().enumerate().filter(|(_, g)| **g != Goes::Slides) {
            if self.follows(i, &sliding) {
                *goes = Goes::Rests { above: *goes == Goes::Above };
            }
        }
        goes
    }

    /// Whether a surface is kept by those that slide, which are independent.
    pub fn follows(&self, i: usize, sliding: &[usize]) -> bool {
        let more: Vec<usize> = sliding.iter().copied().chain([i]).collect();
        self.independent(&more).len() == sliding.len()
    }

    /// Each weight in turn so that its surface is kept, within its bounds, again and again.
    fn iterate(&self) -> Vec<f64> {
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
        alpha
    }

    /// Moves weights that are not unique until those within their bounds are. [vertex]
    fn vertex(&self, mut alpha: Vec<f64>) -> Vec<Goes> {
        let inside = |x: f64| x > 0.0 && x < 1.0;
        for _ in 0..alpha.len() {
            let sliding: Vec<usize> = (0..alpha.len()).filter(|i| inside(alpha[*i])).collect();
            let firm = self.independent(&sliding);
            let Some(&loose) = sliding.iter().find(|i| !firm.contains(i)) else { break };
            // ν: one of what follows from the others, less what the others do instead.
            let column: Vec<f64> = firm.iter().map(|i| -self.a[(*i, loose)]).collect();
            let Some(nu) = self.hold(&firm, &column) else { break };
            let moves: Vec<(usize, f64)> = firm.iter().copied().zip(nu).chain([(loose, 1.0)]).collect();
            let room = |(i, v): &(usize, f64), to: f64| (to - alpha[*i]) / v;
            let reach = |forward: bool| {
                let ends = moves.iter().filter(|(_, v)| v.abs() > FOLLOWS);
                let ends = ends.map(|m| (room(m, if (m.1 > 0.0) == forward { 1.0 } else { 0.0 }), m.0));
                ends.min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
            };
            let (Some(ahead), Some(back)) = (reach(true), reach(false)) else { break };
            let (s, first) = if ahead.0.abs() <= back.0.abs() { ahead } else { back };
            for (i, v) in &moves {
                alpha[*i] = (alpha[*i] + s * v).clamp(0.0, 1.0);
            }
            alpha[first] = alpha[first].round();
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
    use crate::nonsmooth::filippov::*;
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
    fn a_clutch_without_pressure_holds_nothing() {
        // The second surface has lost its force: it is left where something draws away from it, and is kept where nothing does.
        let a = [&[-4.0, 0.0][..], &[0.0, 0.0][..]];
        let both = [Goes::Slides, Goes::Slides];
        assert_eq!(rates(&a, &[1.0, 0.0]).weights(&both), Some(vec![0.25, 0.5]));
        assert_eq!(rates(&a, &[1.0, 3.0]).weights(&both), Some(vec![0.25, 1.5]));
        assert_eq!(rates(&a, &[1.0, -3.0]).weights(&both), Some(vec![0.25, -0.5]));
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

    /// n sliding speeds of which r are independent: σ̇ is unique although the weights are not, so that sweeps of the iteration from
    /// other weights end at the same rates.
    #[test]
    fn speeds_that_follow_from_others_have_one_motion() {
        let mut random = Random::new(11);
        for (n, r) in [(2, 1), (3, 1), (4, 2), (6, 3), (9, 4)] {
            for _ in 0..50 {
                let j: Vec<Vec<f64>> =
                    (0..n).map(|_| (0..r).map(|_| random.between(-1.0, 1.0)).collect()).collect();
                let force: Vec<f64> = (0..n).map(|_| random.between(0.5, 2.0)).collect();
                let load: Vec<f64> = (0..r).map(|_| random.between(-2.0, 2.0)).collect();
                let mut a = Matrix::zeros(n, n);
                for i in 0..n {
                    for k in 0..n {
                        a[(i, k)] = -2.0 * force[k] * j[i].iter().zip(&j[k]).map(|(x, y)| x * y).sum::<f64>();
                    }
                }
                // All below pushes each speed up by its friction; the load acts on what is independent.
                let along = |i: usize| j[i].iter().zip(&load).map(|(x, y)| x * y).sum::<f64>();
                let b = (0..n).map(|i| along(i) - 0.5 * (0..n).map(|k| a[(i, k)]).sum::<f64>()).collect();
                let rates = Rates { a, b };
                let goes = rates.resolve().expect("there is one");
                assert!(rates.is_so(&goes), "{n} {r}: {goes:?}");
                let sliding = goes.iter().filter(|g| **g == Goes::Slides).count();
                assert!(sliding <= r, "{goes:?}");
                let alpha = rates.weights(&goes).unwrap();
                let other = rates.iterate();
                for i in 0..n {
                    let (x, y) = (rates.surface_rate(i, &alpha), rates.surface_rate(i, &other));
                    assert!((x - y).abs() < 1e-6 * rates.scale(i), "{n} {r} {i}: {x} and {y}");
                    assert!(!goes[i].stays() || x.abs() < 1e-9 * rates.scale(i), "{goes:?}: {x}");
                }
            }
        }
    }
}
