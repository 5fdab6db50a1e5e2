//! Poles, zeros and gain of systems and of their channels.
//!
//! ```text
//! [rosenbrock]  zeros: the s at which [A − s 1, B; C, D] loses rank
//! [reduction]   Uᵀ D = [D̄; 0], Uᵀ C = [C̄; C̃], C̃ V = [0 S]  ⇒  x₂ = 0, so that
//!               A ← A₁₁,  B ← B₁,  C ← [C̄₁; A₂₁],  D ← [D̄; B₂]
//! ```
//!
//! The reduction removes the infinite zeros. It ends with a D of full row rank; done again on the
//! dual system it ends with a regular D, and the finite zeros are the eigenvalues of A − B D⁻¹ C.
//! Source: Emami-Naeini & Van Dooren, Automatica 18 (1982) 415.

use crate::controllability::minimal_realisation;
use crate::error::ControlError;
use crate::frequency_response::FrequencyResponse;
use crate::matrix::{
    Complex, Matrix, SingularValues, blocks, eigenvalues_with_zeros, norm, part, scaled, solve, transposed,
};
use crate::state_space::StateSpace;
use cardan_solve::spectrum::balance;
use faer::Mat;

/// A transfer function k Π (s − z) / Π (s − p).
#[derive(Clone, Debug)]
pub struct TransferFunction {
    /// The zeros.
    pub zeros: Vec<Complex>,
    /// The poles.
    pub poles: Vec<Complex>,
    /// The factor k.
    pub gain: f64,
}

impl TransferFunction {
    /// The transfer function of a minimal realisation of one channel, without delays.
    pub fn of_channel(
        system: &StateSpace,
        input: usize,
        output: usize,
    ) -> Result<TransferFunction, ControlError> {
        // Rounding of the minimal realisation is small against states of like sizes only: the zeros are
        // looked for in the same ones.
        let channel = minimal_realisation(&balanced(&system.channel(input, output)?.explicit()?))?;
        let (poles, zeros) = (channel.eigenvalues()?, Quadruple::of(&channel).zeros()?);
        let response = FrequencyResponse::new(&channel)?;
        // A point off the axis of every pole and zero, of their size, gives the factor.
        let sizes: Vec<f64> = poles.iter().chain(&zeros).map(|z| z.norm()).filter(|s| *s > 0.0).collect();
        let size = sizes.iter().copied().fold(0.0, f64::max);
        let point = Complex::new(if size > 0.0 { 2.0 * size } else { 1.0 }, 0.0);
        let value = response.at_point(point)?[(0, 0)];
        let over = |roots: &[Complex]| roots.iter().fold(Complex::new(1.0, 0.0), |p, z| p * (point - z));
        let gain = (value * over(&poles) / over(&zeros)).re;
        Ok(TransferFunction { zeros, poles, gain })
    }

    /// The value at a point.
    pub fn at(&self, s: Complex) -> Complex {
        let over = |roots: &[Complex]| roots.iter().fold(Complex::new(1.0, 0.0), |p, z| p * (s - z));
        over(&self.zeros) * self.gain / over(&self.poles)
    }

    /// The coefficients of the numerator, highest power first.
    pub fn numerator(&self) -> Vec<f64> {
        polynomial(&self.zeros).into_iter().map(|c| c * self.gain).collect()
    }

    /// The coefficients of the denominator, highest power first; the first one is 1.
    pub fn denominator(&self) -> Vec<f64> {
        polynomial(&self.poles)
    }
}

/// The coefficients of Π (s − r), highest power first, for roots in conjugate pairs.
pub fn polynomial(roots: &[Complex]) -> Vec<f64> {
    let mut p = vec![Complex::new(1.0, 0.0)];
    for root in roots {
        p.push(Complex::new(0.0, 0.0));
        for i in (1..p.len()).rev() {
            let before = p[i - 1];
            p[i] -= before * root;
        }
    }
    p.into_iter().map(|c| c.re).collect()
}

/// The finite invariant zeros of a system. [rosenbrock]
pub fn zeros(system: &StateSpace) -> Result<Vec<Complex>, ControlError> {
    Quadruple::of(&balanced(&system.explicit()?)).zeros()
}

/// The same system in states of like sizes.
fn balanced(system: &StateSpace) -> StateSpace {
    let n = system.n_states();
    let mut a = cardan_solve::Matrix::zeros(n, n);
    for j in 0..n {
        (0..n).for_each(|i| a[(i, j)] = system.a[(i, j)]);
    }
    let scale = balance(&a);
    let a = Mat::from_fn(n, n, |i, j| system.a[(i, j)] * scale[j] / scale[i]);
    let b = Mat::from_fn(n, system.n_inputs(), |i, j| system.b[(i, j)] / scale[i]);
    let c = Mat::from_fn(system.n_outputs(), n, |i, j| system.c[(i, j)] * scale[j]);
    StateSpace { a, b, c, ..system.clone() }
}

/// Singular values below this part of the size of the system are zero.
const RANK: f64 = 1e-10;

struct Quadruple {
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
}

impl Quadruple {
    /// The system with inputs and outputs of like sizes, which have the same zeros.
    fn of(system: &StateSpace) -> Quadruple {
        let like = |x: &Matrix| {
            let ratio = norm(&system.a) / norm(x);
            if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 }
        };
        let (input, output) = (like(&system.b), like(&system.c));
        let d = scaled(&system.d, input * output);
        Quadruple { b: scaled(&system.b, input), c: scaled(&system.c, output), a: system.a.clone(), d }
    }

    /// The finite zeros. [rosenbrock]
    fn zeros(self) -> Result<Vec<Complex>, ControlError> {
        let size = norm(&self.a) + norm(&self.b) + norm(&self.c) + norm(&self.d);
        // Chains of infinite zeros carry rounding from step to step; where all outputs see the inputs
        // through one path, ranks below full ones are decided at their end.
        let first = self.reduced(RANK * size)?;
        let second = first.dual().reduced(RANK * size)?;
        if second.a.nrows() == 0 {
            return Ok(vec![]);
        }
        let inner = solve(&second.d, &second.c, "the reduced direct path")?;
        let found = eigenvalues_with_zeros(&(&second.a - &(&second.b * &inner)))?;
        let told =
            |z: Complex| if z.norm() <= 100.0 * f64::EPSILON * size { Complex::new(0.0, 0.0) } else { z };
        Ok(found.into_iter().map(told).collect())
    }

    fn dual(&self) -> Quadruple {
        Quadruple {
            a: transposed(&self.a),
            b: transposed(&self.c),
            c: transposed(&self.b),
            d: transposed(&self.d),
        }
    }

    /// An equivalent system whose direct path has full row rank. [reduction]
    fn reduced(mut self, tolerance: f64) -> Result<Quadruple, ControlError> {
        loop {
            let (n, m, p) = (self.a.nrows(), self.b.ncols(), self.c.nrows());
            let direct = SingularValues::new(&self.d)?;
            let rank = direct.rank(tolerance);
            if rank == p {
                return Ok(self);
            }
            let c = direct.u.transpose() * &self.c;
            let d = part(&(direct.u.transpose() * &self.d), 0, rank, 0, m);
            let (c_direct, c_free) = (part(&c, 0, rank, 0, n), part(&c, rank, p - rank, 0, n));
            let free = SingularValues::new(&c_free)?;
            let bound = free.rank(tolerance);
            if bound == 0 {
                return Ok(Quadruple { c: c_direct, d, ..self });
            }
            // The states that the outputs bind come last.
            let v = Mat::from_fn(n, n, |i, j| free.v[(i, (j + bound) % n)]);
            let kept = n - bound;
            let a = &(v.transpose() * &self.a) * &v;
            let b = v.transpose() * &self.b;
            let c_direct = &c_direct * &v;
            let none = |rows: usize| Mat::zeros(rows, 0);
            self = Quadruple {
                a: part(&a, 0, kept, 0, kept),
                b: part(&b, 0, kept, 0, m),
                c: blocks(
                    &part(&c_direct, 0, rank, 0, kept),
                    &none(rank),
                    &part(&a, kept, bound, 0, kept),
                    &none(bound),
                ),
                d: blocks(&d, &none(rank), &part(&b, kept, bound, 0, m), &none(bound)),
            };
        }
    }
}
