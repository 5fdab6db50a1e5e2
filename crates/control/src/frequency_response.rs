//! Frequency response G(iω) at many frequencies, by the Hessenberg form.
//!
//! ```text
//! [laub]        c (s 1 − A)⁻¹ b = β (c Q) (s 1 − H)⁻¹ e₁           A = Q H Qᵀ,  Qᵀ b = β e₁
//! [columns]     (s 1 − H) Z = T upper triangular  ⇒  (s 1 − H)⁻¹ e₁ = Z e₁/t₁₁
//! [descriptor]  c (s E − A)⁻¹ b = μ c (μ 1 + M)⁻¹ b̃,   M = (σ E − A)⁻¹ E,  b̃ = (σ E − A)⁻¹ b,
//!               μ = 1/(s − σ)
//! ```
//!
//! The reduction costs O(n³) once. At each frequency the columns remove the subdiagonal from the
//! last row upwards, and no substitution follows, since only the first column of Z is asked for:
//! one complex column runs against the real columns of H, n²/2 multiplications. Each input has its
//! own form; where outputs are fewer, the dual system is taken. The descriptor form holds for a
//! singular E as well. Sources: Laub, IEEE Trans. Autom. Control 26 (1981) 407; Misra & Patel, SIAM
//! J. Matrix Anal. 9 (1988) for the form with b along e₁.

use crate::error::ControlError;
use crate::hessenberg::controller_hessenberg;
use crate::matrix::{Complex, ComplexMatrix, Matrix, norm, part, scaled, solve, transposed};
use crate::state_space::{Clock, StateSpace};
use faer::Mat;
use pulp::{Arch, Simd, WithSimd};

/// A system prepared for evaluation at many frequencies.
pub struct FrequencyResponse {
    n_inputs: usize,
    n_outputs: usize,
    paths: Vec<Path>,
    /// Whether the paths start at the outputs, by the dual system.
    is_dual: bool,
    d: Matrix,
    /// The shift σ of a descriptor system.
    shift: Option<f64>,
    delays: Vec<f64>,
    clock: Clock,
}

/// What one input reaches: β C Q and the columns of H, the latter with the sign of μ 1 − H.
struct Path {
    n: usize,
    h: Vec<f64>,
    /// Rows β c Q of all outputs.
    c: Vec<Vec<f64>>,
}

impl FrequencyResponse {
    /// Reduces the system to Hessenberg forms.
    pub fn new(system: &StateSpace) -> Result<FrequencyResponse, ControlError> {
        let (a, b, shift) = match &system.e {
            None => (system.a.clone(), system.b.clone(), None),
            Some(e) => {
                let (shift, m, b) = shifted(e, &system.a, &system.b)?;
                (scaled(&m, -1.0), b, Some(shift))
            }
        };
        let (n, n_inputs, n_outputs) = (system.n_states(), system.n_inputs(), system.n_outputs());
        let is_dual = n_outputs < n_inputs;
        let paths = if is_dual {
            let (a, c) = (transposed(&a), transposed(&b));
            let sources = transposed(&system.c);
            (0..n_outputs)
                .map(|i| Path::new(&a, &part(&sources, 0, n, i, 1), &c))
                .collect::<Result<_, _>>()?
        } else {
            (0..n_inputs)
                .map(|j| Path::new(&a, &part(&b, 0, n, j, 1), &system.c))
                .collect::<Result<_, _>>()?
        };
        Ok(FrequencyResponse {
            n_inputs,
            n_outputs,
            paths,
            is_dual,
            d: system.d.clone(),
            shift,
            delays: system.delays.clone(),
            clock: system.clock,
        })
    }

    /// G at iω, or at exp(iωh) for a sampled system: the matrix of outputs by inputs.
    pub fn at(&self, frequency: f64) -> Result<ComplexMatrix, ControlError> {
        self.evaluate(frequency, &mut Running::default())
    }

    /// G at each of the frequencies, in rad/s.
    pub fn over(&self, frequencies: &[f64]) -> Result<Vec<ComplexMatrix>, ControlError> {
        let mut running = Running::default();
        frequencies.iter().map(|w| self.evaluate(*w, &mut running)).collect()
    }

    /// G at a point of the plane of s (or z), without delays.
    pub fn at_point(&self, s: Complex) -> Result<ComplexMatrix, ControlError> {
        self.transfer(s, &mut Running::default()).ok_or(ControlError::PoleOnAxis { frequency: s.im })
    }

    fn evaluate(&self, frequency: f64, running: &mut Running) -> Result<ComplexMatrix, ControlError> {
        let s = match self.clock {
            Clock::Continuous => Complex::new(0.0, frequency),
            Clock::Sampled(step) => Complex::from_polar(1.0, frequency * step),
        };
        let mut g = self.transfer(s, running).ok_or(ControlError::PoleOnAxis { frequency })?;
        for (j, delay) in self.delays.iter().enumerate().filter(|(_, t)| **t != 0.0) {
            let turn = Complex::from_polar(1.0, -frequency * delay);
            for i in 0..self.n_outputs {
                g[(i, j)] *= turn;
            }
        }
        Ok(g)
    }

    /// The response at s; nothing at a pole. [laub] [descriptor]
    fn transfer(&self, s: Complex, running: &mut Running) -> Option<ComplexMatrix> {
        let (mu, factor) = match self.shift {
            None => (s, Complex::new(1.0, 0.0)),
            Some(shift) => ((s - shift).inv(), (s - shift).inv()),
        };
        let mut g = Mat::from_fn(self.n_outputs, self.n_inputs, |i, j| Complex::new(self.d[(i, j)], 0.0));
        for (k, path) in self.paths.iter().enumerate() {
            running.run(path, mu)?;
            for (l, value) in running.ends.iter().enumerate() {
                let at = if self.is_dual { (k, l) } else { (l, k) };
                g[at] += value * factor;
            }
        }
        let finite = (0..self.n_inputs).all(|j| (0..self.n_outputs).all(|i| g[(i, j)].is_finite()));
        finite.then_some(g)
    }
}

impl Path {
    fn new(a: &Matrix, b: &Matrix, c: &Matrix) -> Result<Path, ControlError> {
        let n = a.nrows();
        let (form, beta) = controller_hessenberg(a, b)?;
        let c = scaled(&(c * &form.q), beta);
        let h = (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|k| -form.h[k]).collect();
        Ok(Path { n, h, c: (0..c.nrows()).map(|i| (0..n).map(|j| c[(i, j)]).collect()).collect() })
    }
}

/// The magnitudes of the principal gains at each frequency, largest first.
pub fn principal_gains(responses: &[ComplexMatrix]) -> Result<Vec<Vec<f64>>, ControlError> {
    let gains = |g: &ComplexMatrix| {
        if g.nrows() == 0 || g.ncols() == 0 {
            return Ok(vec![]);
        }
        g.singular_values().map_err(|_| ControlError::NoConvergence { what: "the singular value iteration" })
    };
    responses.iter().map(gains).collect()
}

/// `n` frequencies with equal differences.
pub fn linear_grid(from: f64, to: f64, n: usize) -> Vec<f64> {
    let last = n.saturating_sub(1).max(1) as f64;
    (0..n).map(|i| from + (to - from) * i as f64 / last).collect()
}

/// `n` frequencies with equal ratios.
pub fn logarithmic_grid(from: f64, to: f64, n: usize) -> Vec<f64> {
    linear_grid(from.ln(), to.ln(), n).into_iter().map(f64::exp).collect()
}

/// The shift σ, (σ E − A)⁻¹ E and (σ E − A)⁻¹ B, at the first of a few shifts that is no
/// eigenvalue.
fn shifted(e: &Matrix, a: &Matrix, b: &Matrix) -> Result<(f64, Matrix, Matrix), ControlError> {
    let size = if norm(e) > 0.0 { norm(a) / norm(e) } else { 1.0 };
    let size = if size > 0.0 { size } else { 1.0 };
    for factor in [1.0, 0.37, -0.61, 2.3] {
        let shift = factor * size;
        let pencil = &scaled(e, shift) - a;
        if let (Ok(m), Ok(b)) = (solve(&pencil, e, "σ E − A"), solve(&pencil, b, "σ E − A")) {
            return Ok((shift, m, b));
        }
    }
    Err(ControlError::Singular { what: "the pencil s E − A" })
}

/// The column that runs against H, real and imaginary parts apart, and the outputs' rows after Z.
#[derive(Default)]
struct Running {
    re: Vec<f64>,
    im: Vec<f64>,
    ends: Vec<Complex>,
}

impl Running {
    /// Makes `ends` the rows c (μ 1 − H)⁻¹ e₁ of a path; nothing where the matrix is singular.
    fn run(&mut self, path: &Path, mu: Complex) -> Option<()> {
        let n = path.n;
        self.ends.clear();
        if n == 0 {
            self.ends.resize(path.c.len(), Complex::new(0.0, 0.0));
            return Some(());
        }
        self.re.clear();
        self.re.extend_from_slice(&path.h[(n - 1) * n..]);
        self.im.clear();
        self.im.resize(n, 0.0);
        self.re[n - 1] += mu.re;
        self.im[n - 1] = mu.im;
        self.ends.extend(path.c.iter().map(|c| Complex::new(c[n - 1], 0.0)));
        let corner = Arch::new().dispatch(Elimination { running: self, path, mu });
        if corner.re == 0.0 && corner.im == 0.0 {
            return None;
        }
        self.ends.iter_mut().for_each(|end| *end /= corner);
        Some(())
    }
}

/// The elimination of the subdiagonal, compiled for the widest registers of the machine.
struct Elimination<'a> {
    running: &'a mut Running,
    path: &'a Path,
    mu: Complex,
}

impl WithSimd for Elimination<'_> {
    type Output = Complex;

    /// The corner t₁₁ of the triangular form.
    ///
    /// At row k the running column and column k − 1 of μ 1 − H are combined so that row k vanishes;
    /// the one with the larger element there is subtracted from the other. [columns]
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Complex {
        let Elimination { running: Running { re, im, ends }, path, mu } = self;
        let n = path.n;
        for k in (1..n).rev() {
            let column = &path.h[(k - 1) * n..(k - 1) * n + k];
            let below = path.h[(k - 1) * n + k];
            let (p, q) = (re[k], im[k]);
            let (re, im) = (&mut re[..k], &mut im[..k]);
            if below == 0.0 || p.abs() + q.abs() >= below.abs() {
                let scale = if below == 0.0 { 0.0 } else { below / (p * p + q * q) };
                let (l, m) = (p * scale, -q * scale);
                for ((x, y), h) in re.iter_mut().zip(im.iter_mut()).zip(column) {
                    let (a, b) = (*x, *y);
                    *x = h - (l * a - m * b);
                    *y = -(l * b + m * a);
                }
                re[k - 1] += mu.re;
                im[k - 1] += mu.im;
                for (end, c) in ends.iter_mut().zip(&path.c) {
                    *end = Complex::new(c[k - 1], 0.0) - *end * Complex::new(l, m);
                }
            } else {
                let (l, m) = (p / below, q / below);
                for ((x, y), h) in re.iter_mut().zip(im.iter_mut()).zip(column) {
                    *x -= l * h;
                    *y -= m * h;
                }
                re[k - 1] -= l * mu.re - m * mu.im;
                im[k - 1] -= l * mu.im + m * mu.re;
                for (end, c) in ends.iter_mut().zip(&path.c) {
                    *end -= Complex::new(l, m) * c[k - 1];
                }
            }
        }
        Complex::new(re[0], im[0])
    }
}
