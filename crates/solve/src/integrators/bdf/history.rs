//! The past of a multistep method as modified divided differences, and what follows from it.
//!
//! With steps of any size behind t_n and a trial step h = t_{n+1} − t_n, let y[n, …, n−i] be divided differences. Then
//!
//! ```text
//! [psi]         ψ_i(n+1) = t_{n+1} − t_{n−i}                                          i = 0 … k
//! [phi]         φ_i(n)   = ψ_0(n) ⋯ ψ_{i−1}(n) · y[n, n−1, …, n−i],   φ_0(n) = y_n
//! [star]        φ*_i     = β_i φ_i(n),   β_i = (ψ_0 ⋯ ψ_{i−1})(n+1) / (ψ_0 ⋯ ψ_{i−1})(n)
//! [predict]     y⁰ = Σ φ*_i,   ẏ⁰ = Σ γ_i φ*_i,   γ_i = γ_{i−1} + α_{i−1}/h,   α_i = h/ψ_i(n+1)
//! [corrector]   ẏ_{n+1} = ẏ⁰ + c (y_{n+1} − y⁰),   c = −α_s/h,   α_s = −(1 + 1/2 + ⋯ + 1/k)
//! [update]      φ_k(n+1) = φ*_k + e,   φ_i(n+1) = φ*_i + φ_{i+1}(n+1),   e = y_{n+1} − y⁰
//! [bdf-error]   max(α_k, |α_k + α_s − α_0|) e,   α_0 = −(α_0 + ⋯ + α_{k−1})
//! [carried]     φ_0 ← φ_0 + δ, when a projection moves y_n ← y_n + δ and the past with it
//! [moved]       φ_i ← φ_i + δ for every i, when it moves y_n alone
//! ```
//!
//! The leading coefficient c depends on h and k alone, so the Newton matrix keeps while the step does: the fixed leading
//! coefficient form of Brenan, Campbell & Petzold, Numerical Solution of Initial-Value Problems in DAEs (1996), 5.2.
//!
//! Both ways keep the order under coordinate projection. [moved] is Eich's (1993): the newest value enters every divided difference with the
//! reciprocal of the product before it, and the older values were moved in their own time. [carried] displaces all values behind t_n
//! alike: the formula uses values only, and the solution through the displaced past differs from the displaced solution by (t − t_n) ∂f/∂y δ,
//! with δ itself of the size of a local error, O(h^(k+1)).
//!
//! They differ in what is in the differences. Of a differential equation the solution is smooth and the projection has an error of rounding: [moved] would put
//! that into every difference, where it does not become smaller with the step, and ends an integration whose tolerance is near it. With
//! algebraic unknowns the constraints are met within what Newton's iteration leaves, which is more, and the projection takes that out.

/// The highest order; formulas from 7 on are unstable for every step size.
pub(crate) const MAX_ORDER: usize = 6;

/// Coefficients of one trial step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coefficients {
    /// The order k.
    pub(crate) order: usize,
    /// c of [corrector].
    pub(crate) leading: f64,
    /// The factor of e in [bdf-error].
    pub(crate) error: f64,
    /// σ_i = i! α_1 ⋯ α_i: σ_i |φ_{i+1}| measures the error of order i.
    pub(crate) sigma: [f64; MAX_ORDER + 1],
    gamma: [f64; MAX_ORDER + 1],
    psi: [f64; MAX_ORDER + 1],
}

/// The differences behind the current time.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// φ_0 … φ_{k+1}: the one beyond the order serves the estimate of the next order.
    phi: Vec<Vec<f64>>,
    star: Vec<Vec<f64>>,
    psi: [f64; MAX_ORDER + 1],
    /// The order of the last accepted step: the degree of the interpolating polynomial.
    degree: usize,
}

impl History {
    pub(crate) fn new(n: usize) -> Self {
        let differences = || vec![vec![0.0; n]; MAX_ORDER + 2];
        History { phi: differences(), star: differences(), psi: [1.0; MAX_ORDER + 1], degree: 1 }
    }

    /// Only the value and the slope at the beginning are known.
    pub(crate) fn start(&mut self, y: &[f64], slope: &[f64], h: f64) {
        self.phi.iter_mut().skip(2).for_each(|phi| phi.fill(0.0));
        self.phi[0].copy_from_slice(y);
        for (phi, slope) in self.phi[1].iter_mut().zip(slope) {
            *phi = h * slope;
        }
        self.psi = [h; MAX_ORDER + 1];
        self.degree = 1;
    }

    /// The current value becomes `y`, and the past moves along. [carried]
    pub(crate) fn carry_to(&mut self, y: &[f64]) {
        self.phi[0].copy_from_slice(y);
    }

    /// The current value becomes `y`, and the past stays. [moved]
    pub(crate) fn move_to(&mut self, y: &[f64]) {
        let (newest, older) = self.phi.split_at_mut(1);
        for (i, y) in y.iter().enumerate() {
            let delta = y - newest[0][i];
            if delta != 0.0 {
                newest[0][i] = *y;
                older.iter_mut().take(self.degree + 1).for_each(|phi| phi[i] += delta);
            }
        }
    }

    /// Prepares a step of size `h` and order `k`: φ* and the coefficients.
    pub(crate) fn prepare(&mut self, h: f64, k: usize) -> Coefficients {
        let mut c = Coefficients { order: k, ..Coefficients::default() };
        let (mut alpha, mut beta) = ([1.0; MAX_ORDER + 1], [1.0; MAX_ORDER + 1]);
        c.sigma[0] = 1.0;
        let mut reach = h;
        for i in 1..=k {
            let before = self.psi[i - 1];
            c.psi[i - 1] = reach; // [psi]
            beta[i] = beta[i - 1] * reach / before; // [star]
            reach = before + h;
            alpha[i] = h / reach;
            c.sigma[i] = i as f64 * c.sigma[i - 1] * alpha[i];
            c.gamma[i] = c.gamma[i - 1] + alpha[i - 1] / h;
        }
        c.psi[k] = reach;
        let alpha_s = -(1..=k).map(|i| 1.0 / i as f64).sum::<f64>();
        let alpha_0 = -alpha[..k].iter().sum::<f64>();
        c.leading = -alpha_s / h; // [corrector]
        c.error = (alpha[k] + alpha_s - alpha_0).abs().max(alpha[k]); // [bdf-error]
        for ((star, phi), beta) in self.star.iter_mut().zip(&self.phi).zip(&beta[..=k]) {
            for (star, phi) in star.iter_mut().zip(phi) {
                *star = beta * phi;
            }
        }
        c
    }

    /// The predicted state and slope. [predict]
    pub(crate) fn predict(&self, c: &Coefficients, y: &mut [f64], slope: &mut [f64]) {
        for i in 0..y.len() {
            y[i] = (0..=c.order).map(|j| self.star[j][i]).sum();
            slope[i] = (1..=c.order).map(|j| c.gamma[j] * self.star[j][i]).sum();
        }
    }

    /// φ_{k−down+1}(n+1) as the correction `e` makes it, for the error of order k − down.
    pub(crate) fn lower_difference(&self, c: &Coefficients, e: &[f64], down: usize, out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = e[i] + (0..down).map(|j| self.star[c.order - j][i]).sum::<f64>();
        }
    }

    /// φ_{k+2}(n+1) for the error of order k + 1; makes sense after k + 2 equal steps.
    pub(crate) fn higher_difference(&self, c: &Coefficients, e: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = e[i] - self.phi[c.order + 1][i];
        }
    }

    /// Takes the step with the correction `e`. [update]
    pub(crate) fn accept(&mut self, c: &Coefficients, e: &[f64]) {
        let k = c.order;
        self.phi[k + 1].copy_from_slice(e);
        for j in (0..=k).rev() {
            let (lower, higher) = self.phi.split_at_mut(j + 1);
            for ((phi, star), next) in lower[j].iter_mut().zip(&self.star[j]).zip(&higher[0]) {
                *phi = star + next;
            }
        }
        self.psi = c.psi;
        self.degree = k;
    }

    /// The polynomial through the last k + 1 values, at a time `after` the newest (negative: before it).
    pub(crate) fn interpolate(&self, after: f64, out: &mut [f64]) {
        out.copy_from_slice(&self.phi[0]);
        let mut weight = 1.0;
        let mut reach = after;
        for j in 1..=self.degree {
            weight *= reach / self.psi[j - 1];
            reach = after + self.psi[j - 1];
            for (out, phi) in out.iter_mut().zip(&self.phi[j]) {
                *out += weight * phi;
            }
        }
    }

    /// The state at the newest time.
    pub(crate) fn newest(&self) -> &[f64] {
        &self.phi[0]
    }

    /// The history of `values` at equal distances `h`, the newest first.
    #[cfg(test)]
    pub(crate) fn of(values: &[Vec<f64>], h: f64) -> Self {
        let mut history = History::new(values[0].len());
        let mut differences = values.to_vec();
        for j in 0..values.len() {
            history.phi[j].copy_from_slice(&differences[0]);
            for m in 0..differences.len() - 1 {
                let next = differences[m + 1].clone();
                differences[m].iter_mut().zip(next).for_each(|(a, b)| *a -= b);
            }
            differences.pop();
        }
        for (j, psi) in history.psi.iter_mut().enumerate() {
            *psi = (j + 1) as f64 * h;
        }
        history.degree = values.len() - 1;
        history
    }
}
