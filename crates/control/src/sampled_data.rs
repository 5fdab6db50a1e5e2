//! Sampled-data systems: a continuous linear system whose state jumps at multiples of sampling periods.
//!
//! ```text
//! [flow]        ξ' = F ξ + G w,  y = C ξ + D w        between instants; held signals are states with ξ' = 0
//! [jump]        ξ⁺ = J ξ⁻ + K w                       at offset + k period, in the order of the jumps
//! [monodromy]   ξ(t + T)⁺ = Ψ ξ(t)⁺                   T: the least common multiple of the periods
//! [steady]      w = e^{iωt}  ⇒  ξ(t + T) = e^{iωT} ξ(t)
//! [fundamental] H(ω) = 1/T ∫₀ᵀ y e^{−iωt} dt          what comes out at the frequency that goes in
//! ```
//!
//! For one period T, a plant G_yu, G_yw behind a hold and a controller K_d(z), [fundamental] is the
//! textbook's H = G_yw + G_yu (1 − e^{−iωT})/(iωT) K_d(e^{iωT}) S(e^{iωT}) G_ew. The output also has
//! the aliases ω + 2πk/T; they are no part of H. The flow over a step is exact (Van Loan, IEEE Trans.
//! Autom. Control 23 (1978) 395), with the swing of the input and the integral of [fundamental] as
//! further rows of one exponential:
//!
//! ```text
//! [exponential] exp h [Ω C 0; 0 F G; 0 0 Ω],  Ω = [0 −ω; ω 0] per input and per output
//! ```
//!
//! Source: Chen & Francis, Optimal Sampled-Data Control Systems, chapters 3 and 10; Araki, Ito &
//! Hagiwara, Automatica 32 (1996) 483.

use crate::discretisation::{HeldInput, with_values_before};
use crate::error::ControlError;
use crate::matrix::{
    Complex, ComplexMatrix, Matrix, complex, eigenvalues_with_zeros, identity, is_finite, part, scaled,
    solve, solve_complex,
};
use crate::matrix_exponential::matrix_exponential;
use crate::state_space::{Clock, StateSpace};
use faer::Mat;

/// What happens to the state again and again. [jump]
#[derive(Clone, Debug)]
pub struct Jump {
    /// The time between two, s.
    pub period: f64,
    /// The time of the first, s.
    pub offset: f64,
    /// J.
    pub state: Matrix,
    /// K.
    pub input: Matrix,
}

/// A continuous system with jumps.
#[derive(Clone, Debug)]
pub struct SampledData {
    flow: StateSpace,
    jumps: Vec<Jump>,
    /// T.
    period: f64,
    /// Times in [0, T) from the first instant on, each with the jumps that are due.
    instants: Vec<(f64, Vec<usize>)>,
    /// The time of the first instant.
    first: f64,
}

/// No common period has more instants than this.
const MAX_INSTANTS: f64 = 2000.0;
/// Ratios of periods and instants that differ by less, relative to the period, are the same.
const SAME: f64 = 1e-9;

impl SampledData {
    /// A system of a continuous flow and of jumps in the order in which they happen at one instant.
    ///
    /// Periods without a common multiple are refused: nothing about such a system is periodic.
    pub fn new(flow: StateSpace, jumps: Vec<Jump>) -> Result<SampledData, ControlError> {
        let flow = flow.explicit()?;
        if flow.clock != Clock::Continuous {
            return Err(ControlError::Size { what: "a sampled system is sampled again".to_string() });
        }
        let (n, m) = (flow.n_states(), flow.n_inputs());
        for jump in &jumps {
            let fits = (jump.state.nrows(), jump.state.ncols()) == (n, n)
                && (jump.input.nrows(), jump.input.ncols()) == (n, m);
            if !fits {
                return Err(ControlError::Size { what: format!("a jump of {n} states and {m} inputs") });
            }
            if !(is_finite(&jump.state) && is_finite(&jump.input) && jump.offset.is_finite()) {
                return Err(ControlError::NotFinite);
            }
            if !(jump.period.is_finite() && jump.period > 0.0) {
                return Err(ControlError::Value { what: "a period is positive", value: jump.period });
            }
        }
        let Some(shortest) = jumps.iter().map(|j| j.period).reduce(f64::min) else {
            return Err(ControlError::Size { what: "a sampled system without jumps".to_string() });
        };
        let period = common_period(shortest, &jumps)?;
        let first = jumps.iter().map(|j| j.offset.rem_euclid(j.period)).fold(f64::INFINITY, f64::min);
        let mut due: Vec<(f64, usize)> = vec![];
        for (k, jump) in jumps.iter().enumerate() {
            let beats = (period / jump.period).round() as usize;
            let begin = (jump.offset - first).rem_euclid(jump.period);
            let begin = if jump.period - begin <= SAME * jump.period { 0.0 } else { begin };
            due.extend((0..beats).map(|i| (begin + i as f64 * jump.period, k)));
        }
        due.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut instants: Vec<(f64, Vec<usize>)> = vec![];
        for (t, k) in due {
            match instants.last_mut() {
                Some((at, list)) if t - *at <= SAME * shortest => list.push(k),
                _ => instants.push((t, vec![k])),
            }
        }
        instants.iter_mut().for_each(|(_, list)| list.sort_unstable());
        Ok(SampledData { flow, jumps, period, instants, first })
    }

    /// The flow between instants.
    pub fn flow(&self) -> &StateSpace {
        &self.flow
    }

    /// The jumps.
    pub fn jumps(&self) -> &[Jump] {
        &self.jumps
    }

    /// The time after which everything repeats, s.
    pub fn period(&self) -> f64 {
        self.period
    }

    /// How many instants there are in a period.
    pub fn n_instants(&self) -> usize {
        self.instants.len()
    }

    /// The system with delayed inputs.
    pub fn with_delays(mut self, delays: &[f64]) -> Result<SampledData, ControlError> {
        self.flow = self.flow.with_delays(delays)?;
        Ok(self)
    }

    /// The system with u = r − K y closed around it, at instants too.
    ///
    /// With Φ = (1 + K D)⁻¹ the input is u = Φ (r − K C ξ).
    pub fn with_feedback(&self, gain: &Matrix) -> Result<SampledData, ControlError> {
        self.flow.assert_undelayed()?;
        let (m, p) = (self.flow.n_inputs(), self.flow.n_outputs());
        if gain.nrows() != m || gain.ncols() != p {
            return Err(ControlError::Size { what: format!("a feedback of {p} outputs to {m} inputs") });
        }
        let loop_gain = &identity(m) + &(gain * &self.flow.d);
        let phi = solve(&loop_gain, &identity(m), "the algebraic loop 1 + K D")?;
        let back = scaled(&(&phi * &(gain * &self.flow.c)), -1.0);
        let flow = StateSpace {
            a: &self.flow.a + &(&self.flow.b * &back),
            b: &self.flow.b * &phi,
            c: &self.flow.c + &(&self.flow.d * &back),
            d: &self.flow.d * &phi,
            ..self.flow.clone()
        };
        let jump =
            |j: &Jump| Jump { state: &j.state + &(&j.input * &back), input: &j.input * &phi, ..j.clone() };
        Ok(SampledData { flow, jumps: self.jumps.iter().map(jump).collect(), ..self.clone() })
    }

    /// J and K of all that is due at an instant, one after the other.
    fn jump_at(&self, due: &[usize]) -> (Matrix, Matrix) {
        let (n, m) = (self.flow.n_states(), self.flow.n_inputs());
        due.iter().fold((identity(n), Mat::zeros(n, m)), |(state, input), k| {
            let jump = &self.jumps[*k];
            (&jump.state * &state, &(&jump.state * &input) + &jump.input)
        })
    }

    /// The time from an instant to the next.
    fn step_after(&self, k: usize) -> f64 {
        self.instants.get(k + 1).map_or(self.period, |(t, _)| *t) - self.instants[k].0
    }

    /// Ψ: what a period makes of the state just after its first instant.
    pub fn monodromy(&self) -> Result<Matrix, ControlError> {
        let n = self.flow.n_states();
        let mut all = identity(n);
        for k in 0..self.instants.len() {
            let moved = matrix_exponential(&scaled(&self.flow.a, self.step_after(k)))?;
            let (_, due) = &self.instants[(k + 1) % self.instants.len()];
            all = &self.jump_at(due).0 * &(&moved * &all);
        }
        Ok(all)
    }

    /// The eigenvalues of the monodromy matrix: poles in z.
    pub fn multipliers(&self) -> Result<Vec<Complex>, ControlError> {
        eigenvalues_with_zeros(&self.monodromy()?)
    }

    /// The multipliers as poles in s, s = ln z / T; a multiplier zero decays at once and has none.
    pub fn poles(&self) -> Result<Vec<Complex>, ControlError> {
        let z = self.multipliers()?;
        Ok(z.iter().filter(|z| z.norm() > 1e-14).map(|z| z.ln() / self.period).collect())
    }

    /// The response at the frequency that goes in; ω in rad/s. [fundamental]
    pub fn at(&self, frequency: f64) -> Result<ComplexMatrix, ControlError> {
        let (n, m, p) = (self.flow.n_states(), self.flow.n_inputs(), self.flow.n_outputs());
        let turn = |t: f64| Complex::from_polar(1.0, frequency * t);
        let mut spans: Vec<Span> = vec![];
        let mut lengths: Vec<(f64, usize)> = vec![];
        let mut span_of = vec![];
        for k in 0..self.instants.len() {
            let h = self.step_after(k);
            let known = lengths.iter().find(|(l, _)| (l - h).abs() <= 1e-14 * h).map(|(_, i)| *i);
            span_of.push(match known {
                Some(i) => i,
                None => {
                    spans.push(Span::new(&self.flow, frequency, h)?);
                    lengths.push((h, spans.len() - 1));
                    spans.len() - 1
                }
            });
        }
        // One period from a state x: ξ⁺ = P x + r.
        let mut transition = complex(&identity(n));
        let mut forced: ComplexMatrix = Mat::zeros(n, m);
        let mut jumps = vec![];
        for (k, (t, _)) in self.instants.iter().enumerate() {
            let span = &spans[span_of[k]];
            let next = t + self.step_after(k);
            let (state, input) = self.jump_at(&self.instants[(k + 1) % self.instants.len()].1);
            let (state, input) = (complex(&state), complex(&input));
            transition = &state * &(&span.state * &transition);
            let moved = &(&span.state * &forced) + &times(&span.input, turn(*t));
            forced = &(&state * &moved) + &times(&input, turn(next));
            jumps.push((state, input));
        }
        let whole = turn(self.period);
        let left = Mat::from_fn(n, n, |i, j| {
            let one = if i == j { whole } else { Complex::new(0.0, 0.0) };
            one - transition[(i, j)]
        });
        let on_axis = |_| ControlError::PoleOnAxis { frequency };
        let mut x = solve_complex(&left, &forced, "1 − Ψ").map_err(on_axis)?;
        let mut sum: ComplexMatrix = Mat::zeros(p, m);
        for (k, (t, _)) in self.instants.iter().enumerate() {
            let span = &spans[span_of[k]];
            let next = t + self.step_after(k);
            let seen = &(&span.seen * &x) + &times(&span.seen_input, turn(*t));
            sum = &sum + &times(&seen, turn(-next));
            let (state, input) = &jumps[k];
            let moved = &(&span.state * &x) + &times(&span.input, turn(*t));
            x = &(state * &moved) + &times(input, turn(next));
        }
        let g = Mat::from_fn(p, m, |i, j| {
            (sum[(i, j)] / self.period + self.flow.d[(i, j)]) * turn(-self.flow.delays[j])
        });
        let finite = (0..m).all(|j| (0..p).all(|i| g[(i, j)].is_finite()));
        if finite { Ok(g) } else { Err(ControlError::PoleOnAxis { frequency }) }
    }

    /// The path from one input to one output.
    pub fn channel(&self, input: usize, output: usize) -> Result<SampledData, ControlError> {
        let n = self.flow.n_states();
        let flow = self.flow.channel(input, output)?;
        let jump = |j: &Jump| Jump { input: part(&j.input, 0, n, input, 1), ..j.clone() };
        Ok(SampledData { flow, jumps: self.jumps.iter().map(jump).collect(), ..self.clone() })
    }

    /// The exact system in z, where the signals that go in and come out change with the samples only:
    ///
    /// ```text
    /// [held]  y = C ξ of held states: the input is held as well    ξ⁺(k+1) = J (Φ ξ⁺ + Γ w) + K w,  y = C ξ⁺
    /// [read]  w acts through jumps only, so that it is sampled     ξ⁻(k+1) = Φ (J ξ⁻ + K w),        y = C ξ⁻
    /// ```
    ///
    /// Such is a loop that is opened at the output or at the measurement of a sampled controller.
    /// Nothing where there are several instants in a period, or where signals are continuous.
    ///
    /// A delay d T + f, 0 ≤ f < T, is exact: that of a held input as in
    /// [`StateSpace::discretise`], that of the signal which is read by what it was f before:
    ///
    /// ```text
    /// [late reading]  y(k+1) = C e^(F (T − f)) (J ξ⁻(k) + K w(k))      one input; y is a state
    /// ```
    pub fn in_z(&self) -> Result<Option<StateSpace>, ControlError> {
        let flow = &self.flow;
        let n = flow.n_states();
        let has_direct_path = (0..flow.d.ncols()).any(|j| (0..flow.d.nrows()).any(|i| flow.d[(i, j)] != 0.0));
        if self.instants.len() != 1 || has_direct_path {
            return Ok(None);
        }
        let row_is_zero = |a: &Matrix, i: usize| (0..a.ncols()).all(|j| a[(i, j)] == 0.0);
        let is_held = |i: usize| row_is_zero(&flow.a, i) && row_is_zero(&flow.b, i);
        let sees = |i: usize| (0..flow.n_outputs()).any(|k| flow.c[(k, i)] != 0.0);
        let (state, input) = self.jump_at(&self.instants[0].1);
        let clock = Clock::Sampled(self.period);
        if (0..n).all(|i| !sees(i) || is_held(i)) {
            let HeldInput { transition, now, before, whole, parted } = HeldInput::new(flow, self.period)?;
            // What the jump reads of the input has been held since the instant before.
            let now = &(&state * &now) + &input;
            let (a, b) = with_values_before(&(&state * &transition), &(&state * &before), &now, &parted);
            let (late, p) = (parted.len(), flow.n_outputs());
            let c = Mat::from_fn(p, n + late, |i, k| if k < n { flow.c[(i, k)] } else { 0.0 });
            return Ok(Some(StateSpace { a, b, c, clock, delays: whole, ..flow.clone() }));
        }
        let is_read = (0..n).all(|i| row_is_zero(&flow.b, i));
        let is_one_jump = self.instants[0].1.len() == 1;
        if is_read && (is_one_jump || (0..n).all(|i| !sees(i) || !is_held(i))) {
            let phi = matrix_exponential(&scaled(&flow.a, self.period))?;
            let HeldInput { whole, parted, .. } = HeldInput::new(flow, self.period)?;
            let (a, b) = (&phi * &state, &phi * &input);
            if parted.is_empty() {
                return Ok(Some(StateSpace { a, b, clock, delays: whole, ..flow.clone() }));
            }
            if flow.n_inputs() != 1 {
                return Ok(None);
            }
            let rest = flow.delays[0] - whole[0];
            let earlier = matrix_exponential(&scaled(&flow.a, self.period - rest))?;
            let seen = &flow.c * &earlier;
            let p = flow.n_outputs();
            let zero = |i: usize, j: usize| -> Matrix { Mat::zeros(i, j) };
            let below = (&seen * &state, &seen * &input);
            let late = crate::matrix::blocks(&a, &zero(n, p), &below.0, &zero(p, p));
            let b = Mat::from_fn(n + p, 1, |i, _| match i.checked_sub(n) {
                None => b[(i, 0)],
                Some(k) => below.1[(k, 0)],
            });
            let c = Mat::from_fn(p, n + p, |i, k| f64::from(u8::from(k == n + i)));
            return Ok(Some(StateSpace { a: late, b, c, clock, delays: whole, ..flow.clone() }));
        }
        Ok(None)
    }

    /// The time of the first instant, s.
    pub fn first_instant(&self) -> f64 {
        self.first
    }
}

/// The flow over a step with a swinging input, and the integral of the output. [exponential]
struct Span {
    /// exp(h F).
    state: ComplexMatrix,
    /// What the input e^{iωs}, s from the beginning of the step, adds to the state.
    input: ComplexMatrix,
    /// ∫ e^{iω(h − s)} C ξ ds, by the state and by the input.
    seen: ComplexMatrix,
    seen_input: ComplexMatrix,
}

impl Span {
    fn new(flow: &StateSpace, omega: f64, h: f64) -> Result<Span, ControlError> {
        let (n, m, p) = (flow.n_states(), flow.n_inputs(), flow.n_outputs());
        let (first, last) = (2 * p, 2 * p + n);
        let mut all: Matrix = Mat::zeros(last + 2 * m, last + 2 * m);
        let swing = |all: &mut Matrix, at: usize, count: usize| {
            for k in 0..count {
                all[(at + k, at + count + k)] = -omega;
                all[(at + count + k, at + k)] = omega;
            }
        };
        swing(&mut all, 0, p);
        swing(&mut all, last, m);
        for j in 0..n {
            (0..p).for_each(|i| all[(i, first + j)] = flow.c[(i, j)]);
            (0..n).for_each(|i| all[(first + i, first + j)] = flow.a[(i, j)]);
        }
        for j in 0..m {
            (0..n).for_each(|i| all[(first + i, last + j)] = flow.b[(i, j)]);
        }
        let e = matrix_exponential(&scaled(&all, h))?;
        // e^{iωs} is the first part of a swing that begins at (1, −i).
        let swung = |i: usize, j: usize| Complex::new(e[(i, last + j)], -e[(i, last + m + j)]);
        let i = Complex::new(0.0, 1.0);
        Ok(Span {
            state: complex(&part(&e, first, n, first, n)),
            input: Mat::from_fn(n, m, |r, j| swung(first + r, j)),
            seen: Mat::from_fn(p, n, |r, j| Complex::new(e[(r, first + j)], e[(p + r, first + j)])),
            seen_input: Mat::from_fn(p, m, |r, j| swung(r, j) + i * swung(p + r, j)),
        })
    }
}

fn times(a: &ComplexMatrix, s: Complex) -> ComplexMatrix {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * s)
}

/// The least common multiple of periods whose ratios are fractions of small numbers.
fn common_period(shortest: f64, jumps: &[Jump]) -> Result<f64, ControlError> {
    let mut multiple = 1.0_f64;
    for jump in jumps {
        // shortest · a = period · b with the smallest a.
        let ratio = jump.period / shortest;
        let found = (1..=1000).map(f64::from).find(|b| {
            let a = ratio * b;
            (a - a.round()).abs() <= SAME * a
        });
        let refused = || ControlError::Incommensurate { first: shortest, second: jump.period };
        let a = (ratio * found.ok_or_else(refused)?).round();
        multiple = multiple * a / greatest_common_divisor(multiple, a);
        let instants: f64 = jumps.iter().map(|j| (multiple * shortest / j.period).ceil()).sum();
        if instants > MAX_INSTANTS {
            return Err(refused());
        }
    }
    Ok(multiple * shortest)
}

fn greatest_common_divisor(a: f64, b: f64) -> f64 {
    let (mut a, mut b) = (a, b);
    while b > 0.5 {
        (a, b) = (b, a % b);
    }
    a
}
