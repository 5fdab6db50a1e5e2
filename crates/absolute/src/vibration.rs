//! Small motions about a state at rest: the modes nearest to a frequency, by sparse shift and inversion.
//!
//! ```text
//! [pencil]    ḋ = v,   M v̇ + C v + K d = Gᵀλ,   G d = 0               x = (d; v) ~ exp(s t)
//! [invert]    (σ² M + σ C + K) d - Gᵀλ = -M v₀ - (C + σ M) d₀,   G d = 0,   v = d₀ + σ d
//! [arnoldi]   x ← [invert] x:  A V_m = V_m H_m + h v eᵀ,   H_m y = θ y,   s = σ + 1/θ
//! ```
//!
//! K holds the stiffness of springs and what reactions add to it, so that a pendulum swings. (Arnoldi 1951; Saad, Numerical Methods for
//! Large Eigenvalue Problems, ch. 6 and 8.)

use cardan_solve::linear::{Matrix, eigenpairs};

use crate::error::AbsoluteError;
use crate::geometry as g;
use crate::implicit::iteration_matrix::{IterationMatrix, Weights};
use crate::mechanism::Mechanism;
use crate::template::FREEDOMS;

type Complex = (f64, f64);

/// Residuals of Ritz values below this part of them are none.
const CONVERGED: f64 = 1e-9;
/// The most vectors of a Krylov space.
const MOST_VECTORS: usize = 600;
/// Ritz values below this part of the largest belong to motions that constraints forbid.
const FORBIDDEN: f64 = 1e-9;
/// The shift, as a part of the highest frequency that a part alone has.
const SHIFT: f64 = 1e-3;

/// A mode.
#[derive(Clone, Debug)]
pub struct SparseMode {
    /// s; of a pair the one with positive imaginary part.
    pub eigenvalue: Complex,
    /// Displacements: six numbers for each part, translation in the ground and turn in the part.
    pub shape: Vec<Complex>,
}

/// The operator of [invert].
struct Inverted<'s, 'm> {
    m: &'s Mechanism<'m>,
    matrix: IterationMatrix,
    shift: f64,
    n: usize,
}

impl Inverted<'_, '_> {
    fn apply(&self, x: &[f64]) -> Option<Vec<f64>> {
        let (d0, v0) = x.split_at(self.n);
        let mut rhs = vec![0.0; self.n + self.m.n_rows()];
        let none = Weights { mass: 0.0, damping: 0.0, stiffness: 0.0 };
        self.matrix.times(Weights { mass: -1.0, ..none }, v0, &mut rhs[..self.n]);
        self.matrix.times(Weights { mass: -self.shift, damping: -1.0, ..none }, d0, &mut rhs[..self.n]);
        if !self.matrix.solve(&mut rhs) {
            return None;
        }
        rhs.truncate(self.n);
        let v: Vec<f64> = rhs.iter().zip(d0).map(|(d, d0)| d0 + self.shift * d).collect();
        rhs.extend(v);
        Some(rhs)
    }

    /// The product by masses, displacements weighted as speeds at the shift.
    fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (half, factor) in [(0, self.shift * self.shift), (self.n, 1.0)] {
            for (k, part) in self.m.structure.parts.iter().enumerate() {
                let at = half + FREEDOMS * k;
                let (x, y) = (&a[at..at + FREEDOMS], &b[at..at + FREEDOMS]);
                let turned = g::apply(&part.inertia, [y[3], y[4], y[5]]);
                let linear = part.mass * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
                sum += factor * (linear + g::dot([x[3], x[4], x[5]], turned));
            }
        }
        sum
    }
}

/// The modes whose eigenvalues are nearest to a real number (nearly zero if not given), about a state at rest.
pub fn modes(
    m: &mut Mechanism<'_>,
    t: f64,
    y: &[f64],
    wanted: usize,
    near: Option<f64>,
) -> Result<Vec<SparseMode>, AbsoluteError> {
    let words = AbsoluteError::NotFinite;
    let n = FREEDOMS * m.n_parts();
    if n == 0 || wanted == 0 {
        return Ok(vec![]);
    }
    m.accelerate(t, y).map_err(words)?;
    let lambda = m.lambda.clone();
    let mut matrix = IterationMatrix::new(m, true)?;
    matrix.update(m, t, y, &lambda).map_err(words)?;
    let shift = near.unwrap_or_else(|| (SHIFT * matrix.stiffest().sqrt()).max(1e-3));
    let weights = Weights { mass: shift * shift, damping: shift, stiffness: 1.0 };
    if !matrix.factorise(m, weights) {
        return Err(AbsoluteError::NotFinite("the matrix of small motions".into()));
    }
    let operator = Inverted { m, matrix, shift, n };
    let lost = || AbsoluteError::NotFinite("a direction of small motions".into());
    // Twice inverted, displacements and speeds are such as the constraints allow.
    let mut first: Vec<f64> = (0..2 * n).map(|k| (1.0 + 2.399_963 * k as f64).sin()).collect();
    for _ in 0..2 {
        first = operator.apply(&first).ok_or_else(lost)?;
    }
    let size = operator.product(&first, &first).sqrt();
    if size == 0.0 || !size.is_finite() {
        return Ok(vec![]);
    }
    let mut basis: Vec<Vec<f64>> = vec![first.iter().map(|x| x / size).collect()];
    let mut h: Vec<Vec<f64>> = vec![];
    let limit = MOST_VECTORS.min(2 * n);
    let mut target = (4 * wanted + 20).min(limit);
    loop {
        let mut is_invariant = false;
        while h.len() < target {
            let mut x = operator.apply(&basis[h.len()]).ok_or_else(lost)?;
            let before = operator.product(&x, &x).sqrt();
            let mut column = vec![0.0; basis.len() + 1];
            // Twice is enough.
            for _ in 0..2 {
                for (c, v) in column.iter_mut().zip(&basis) {
                    let part = operator.product(&x, v);
                    *c += part;
                    x.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
                }
            }
            let rest = operator.product(&x, &x).sqrt();
            if let Some(last) = column.last_mut() {
                *last = rest;
            }
            h.push(column);
            is_invariant = rest <= 1e-12 * before;
            if is_invariant {
                break;
            }
            basis.push(x.iter().map(|x| x / rest).collect());
        }
        let (found, is_done) = ritz(&operator, &basis, &h, is_invariant, wanted)?;
        if is_done || is_invariant || target >= limit {
            return Ok(found);
        }
        target = (2 * target).min(limit);
    }
}

/// Modes that have converged, and whether enough have.
fn ritz(
    operator: &Inverted<'_, '_>,
    basis: &[Vec<f64>],
    h: &[Vec<f64>],
    is_invariant: bool,
    wanted: usize,
) -> Result<(Vec<SparseMode>, bool), AbsoluteError> {
    let size = h.len();
    let mut small = Matrix::zeros(size, size);
    for (j, column) in h.iter().enumerate() {
        column.iter().take(size).enumerate().for_each(|(i, x)| small[(i, j)] = *x);
    }
    let pairs = eigenpairs(&small).map_err(|e| AbsoluteError::NotFinite(e.to_string()))?;
    let rest = if is_invariant { 0.0 } else { h[size - 1].last().copied().unwrap_or(0.0) };
    let magnitude = |z: Complex| z.0.hypot(z.1);
    let most = pairs.iter().map(|(theta, _)| magnitude(*theta)).fold(0.0, f64::max);
    let mut list: Vec<(Complex, &Vec<Complex>, bool)> = vec![];
    for (theta, vector) in &pairs {
        let square = theta.0 * theta.0 + theta.1 * theta.1;
        if square.sqrt() <= FORBIDDEN * most {
            continue;
        }
        let s = (operator.shift + theta.0 / square, -theta.1 / square);
        if s.1 < 0.0 {
            continue;
        }
        let length = vector.iter().map(|z| z.0 * z.0 + z.1 * z.1).sum::<f64>().sqrt();
        let last = vector.last().map_or(0.0, |z| magnitude(*z)) / length;
        list.push((s, vector, rest * last <= CONVERGED * square.sqrt()));
    }
    let distance = |s: Complex| (s.0 - operator.shift).hypot(s.1);
    list.sort_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
    let near = list.iter().take(wanted);
    let is_done = list.len() >= wanted && near.clone().all(|l| l.2);
    let mut found = vec![];
    for (s, vector, _) in near.filter(|l| l.2) {
        let mut shape = vec![(0.0, 0.0); operator.n];
        for (z, v) in vector.iter().zip(basis) {
            for (out, x) in shape.iter_mut().zip(v) {
                out.0 += z.0 * x;
                out.1 += z.1 * x;
            }
        }
        found.push(SparseMode { eigenvalue: *s, shape });
    }
    found.sort_by(|a, b| magnitude(a.eigenvalue).total_cmp(&magnitude(b.eigenvalue)));
    Ok((found, is_done))
}

impl SparseMode {
    /// How the coordinates of the joints move, by speed; the largest is real and one.
    pub fn by_speeds(&self, m: &Mechanism<'_>, y: &[f64]) -> Vec<Complex> {
        let part = |pick: &dyn Fn(&Complex) -> f64| -> Vec<f64> {
            let d: Vec<f64> = self.shape.iter().map(pick).collect();
            m.rates_of_displacements(y, &d)
        };
        let (re, im) = (part(&|z| z.0), part(&|z| z.1));
        let sizes = re.iter().zip(&im).map(|(a, b)| (*a, *b));
        let largest = sizes.max_by(|a, b| a.0.hypot(a.1).total_cmp(&b.0.hypot(b.1))).unwrap_or((1.0, 0.0));
        let square = (largest.0.powi(2) + largest.1.powi(2)).max(f64::MIN_POSITIVE);
        let over = |a: f64, b: f64| {
            ((a * largest.0 + b * largest.1) / square, (b * largest.0 - a * largest.1) / square)
        };
        re.iter().zip(&im).map(|(a, b)| over(*a, *b)).collect()
    }

    /// The state displaced by the mode at a phase, so that the farthest part moves by `size`.
    pub fn displaced(&self, m: &Mechanism<'_>, y: &[f64], phase: f64, size: f64) -> Vec<f64> {
        let most = self.shape.iter().map(|z| z.0.hypot(z.1)).fold(f64::MIN_POSITIVE, f64::max);
        let (s, c) = phase.sin_cos();
        let d: Vec<f64> = self.shape.iter().map(|z| size / most * (z.0 * c - z.1 * s)).collect();
        let mut moved = y.to_vec();
        m.shift(&mut moved, &d, 1.0);
        moved
    }
}
