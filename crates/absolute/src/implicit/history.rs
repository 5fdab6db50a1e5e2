//! Values of past steps: derivatives and extrapolations by the polynomial through them.
//!
//! ```text
//! [lagrange]   y(t) ≈ Σ ℓ_i(t) y_i,      ẏ(t) ≈ Σ ℓ̇_i(t) y_i          ℓ_i(t) = Π_{j≠i} (t - t_j)/(t_i - t_j)
//! ```
//!
//! With equal steps and t the newest time these are the backward differentiation formulas; with other steps their coefficients follow
//! the steps as they were, so that no order is lost where a step changes.

/// ℓ_i(t) of points in time. [lagrange]
pub fn values(times: &[f64], t: f64) -> Vec<f64> {
    let factor = |i: usize, j: usize| if i == j { 1.0 } else { (t - times[j]) / (times[i] - times[j]) };
    (0..times.len()).map(|i| (0..times.len()).map(|j| factor(i, j)).product()).collect()
}

/// ℓ̇_i(t) of points in time, where t is the first of them. [lagrange]
pub fn slopes_at_first(times: &[f64]) -> Vec<f64> {
    let t = times[0];
    let n = times.len();
    let first: f64 = (1..n).map(|j| 1.0 / (t - times[j])).sum();
    let rest = (1..n).map(|i| {
        let others = (1..n).filter(|j| *j != i).map(|j| (t - times[j]) / (times[i] - times[j]));
        others.product::<f64>() / (times[i] - t)
    });
    std::iter::once(first).chain(rest).collect()
}

/// Past states, the newest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Their times.
    pub times: Vec<f64>,
    /// The states.
    pub states: Vec<Vec<f64>>,
}

impl History {
    /// Adds a state and forgets those beyond `room`.
    pub fn push(&mut self, t: f64, state: Vec<f64>, room: usize) {
        self.times.insert(0, t);
        self.states.insert(0, state);
        self.times.truncate(room);
        self.states.truncate(room);
    }

    /// The polynomial through the newest `n` states at a time.
    pub fn at(&self, n: usize, t: f64) -> Vec<f64> {
        let weights = values(&self.times[..n], t);
        let mut sum = vec![0.0; self.states[0].len()];
        for (w, state) in weights.iter().zip(&self.states) {
            sum.iter_mut().zip(state).for_each(|(s, x)| *s += w * x);
        }
        sum
    }

    /// α and the rest of ẏ(t) ≈ α y + rest, by the newest `order` states and the one sought.
    pub fn backward(&self, order: usize, t: f64) -> (f64, Vec<f64>) {
        let mut times = vec![t];
        times.extend(&self.times[..order]);
        let weights = slopes_at_first(&times);
        let mut rest = vec![0.0; self.states[0].len()];
        for (w, state) in weights[1..].iter().zip(&self.states) {
            rest.iter_mut().zip(state).for_each(|(s, x)| *s += w * x);
        }
        (weights[0], rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gear's coefficients of order 3: (11/6, -3, 3/2, -1/3)/h.
    #[test]
    fn equal_steps_give_the_backward_formulas() {
        let found = slopes_at_first(&[3.0, 2.0, 1.0, 0.0]);
        for (a, b) in found.iter().zip([11.0 / 6.0, -3.0, 1.5, -1.0 / 3.0]) {
            assert!((a - b).abs() < 1e-14, "{found:?}");
        }
    }

    #[test]
    fn polynomials_are_met_exactly() {
        let f = |t: f64| 1.0 - 2.0 * t + 0.5 * t * t * t;
        let mut h = History::default();
        for t in [0.0, 0.3, 0.4, 0.9] {
            h.push(t, vec![f(t)], 8);
        }
        assert!((h.at(4, 1.5)[0] - f(1.5)).abs() < 1e-13);
        let (alpha, rest) = h.backward(3, 1.5);
        assert!((alpha * f(1.5) + rest[0] - (1.5 * 1.5 * 1.5 - 2.0)).abs() < 1e-12);
    }
}
