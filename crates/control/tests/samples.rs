//! Systems that several tests ask about.

use cardan_control::matrix::of_rows;
use cardan_control::{Complex, Matrix, StateSpace};

/// Numbers in (−1, 1) from a seed (the generator of Park & Miller).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0 * 48271 % 0x7fff_ffff;
        2.0 * self.0 as f64 / 2_147_483_647.0 - 1.0
    }

    pub fn matrix(&mut self, n: usize, m: usize) -> Matrix {
        Matrix::from_fn(n, m, |_, _| self.next())
    }

    /// A stable matrix: eigenvalues of a random one lie within its norm.
    pub fn stable(&mut self, n: usize) -> Matrix {
        let a = self.matrix(n, n);
        let shift = 1.2 * (n as f64 / 3.0).sqrt();
        Matrix::from_fn(n, n, |i, j| a[(i, j)] - if i == j { shift } else { 0.0 })
    }

    pub fn system(&mut self, n: usize, m: usize, p: usize) -> StateSpace {
        let a = self.stable(n);
        StateSpace::new(a, self.matrix(n, m), self.matrix(p, n), self.matrix(p, m)).unwrap()
    }
}

/// The channel with one input, one output and no direct path.
pub fn single(a: &[&[f64]], b: &[f64], c: &[f64]) -> StateSpace {
    let b = Matrix::from_fn(b.len(), 1, |i, _| b[i]);
    StateSpace::new(of_rows(a), b, of_rows(&[c]), of_rows(&[&[0.0]])).unwrap()
}

/// 1/((s + 1)(s + 2)(s + 3)) times a gain, in controller form.
pub fn three_lags(gain: f64) -> StateSpace {
    single(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[-6.0, -11.0, -6.0]], &[0.0, 0.0, 1.0], &[gain, 0.0, 0.0])
}

/// The pendulum on a cart of the Control Tutorials for Matlab and Simulink; force to angle.
pub fn cart_pendulum() -> StateSpace {
    let p = 0.5 * 0.2 * 0.3_f64.powi(2) + 0.7 * 0.006;
    let inertia = 0.006 + 0.2 * 0.3_f64.powi(2);
    let coupling = 0.2 * 0.3;
    single(
        &[
            &[0.0, 1.0, 0.0, 0.0],
            &[0.0, -inertia * 0.1 / p, coupling * coupling * 9.8 / p, 0.0],
            &[0.0, 0.0, 0.0, 1.0],
            &[0.0, -coupling * 0.1 / p, coupling * 9.8 * 0.7 / p, 0.0],
        ],
        &[0.0, inertia / p, 0.0, coupling / p],
        &[0.0, 0.0, 1.0, 0.0],
    )
}

/// Two masses and a spring (Wie & Bernstein, J. Guidance 15 (1992) 1057) with some damping; the
/// force acts on the first mass, the output is the position of mass `shown`.
pub fn two_masses(shown: usize) -> StateSpace {
    let mut c = [0.0; 4];
    c[shown] = 1.0;
    single(
        &[&[0.0, 0.0, 1.0, 0.0], &[0.0, 0.0, 0.0, 1.0], &[-1.0, 1.0, -0.02, 0.02], &[1.0, -1.0, 0.02, -0.02]],
        &[0.0, 0.0, 1.0, 0.0],
        &c,
    )
}

/// A quarter car on the slope of its road: states are the travel of spring and tyre and the speeds
/// of body and wheel; outputs are body acceleration, spring travel and tyre travel.
pub fn quarter_car() -> StateSpace {
    let (ms, mu, ks, cs, kt) = (250.0, 35.0, 16000.0, 1000.0, 160000.0);
    let a = of_rows(&[
        &[0.0, 0.0, 1.0, -1.0],
        &[0.0, 0.0, 0.0, 1.0],
        &[-ks / ms, 0.0, -cs / ms, cs / ms],
        &[ks / mu, -kt / mu, cs / mu, -cs / mu],
    ]);
    let b = of_rows(&[&[0.0], &[-1.0], &[0.0], &[0.0]]);
    let c = of_rows(&[&[-ks / ms, 0.0, -cs / ms, cs / ms], &[1.0, 0.0, 0.0, 0.0], &[0.0, 1.0, 0.0, 0.0]]);
    StateSpace::new(a, b, c, Matrix::zeros(3, 1)).unwrap()
}

/// Whether two sets of complex numbers agree to an absolute tolerance, in any order.
pub fn assert_same_set(found: &[Complex], expected: &[Complex], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} and {expected:?}");
    let mut left = found.to_vec();
    for z in expected {
        let nearest = (0..left.len()).min_by(|i, j| (left[*i] - z).norm().total_cmp(&(left[*j] - z).norm()));
        let w = left.remove(nearest.unwrap());
        assert!((w - z).norm() <= tolerance, "{w} instead of {z}: {}", (w - z).norm());
    }
}

/// Follows a sampled system with one input from rest; `tell` hears its outputs step by step.
pub fn follow(system: &StateSpace, input: &[f64], mut tell: impl FnMut(&[f64])) {
    let (n, p) = (system.n_states(), system.n_outputs());
    // One row per new state and per output: the old states, then the input.
    let row = |m: &Matrix, by: &Matrix, i: usize| -> Vec<f64> {
        (0..n).map(|j| m[(i, j)]).chain([by[(i, 0)]]).collect()
    };
    let states: Vec<Vec<f64>> = (0..n).map(|i| row(&system.a, &system.b, i)).collect();
    let outputs: Vec<Vec<f64>> = (0..p).map(|i| row(&system.c, &system.d, i)).collect();
    let (mut x, mut next, mut y) = (vec![0.0; n + 1], vec![0.0; n + 1], vec![0.0; p]);
    let product = |row: &[f64], x: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
    for u in input {
        x[n] = *u;
        y.iter_mut().zip(&outputs).for_each(|(y, row)| *y = product(row, &x));
        next.iter_mut().zip(&states).for_each(|(z, row)| *z = product(row, &x));
        std::mem::swap(&mut x, &mut next);
        tell(&y);
    }
}
