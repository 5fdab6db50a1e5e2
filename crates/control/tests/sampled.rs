//! Sampled-data systems against closed forms and against textbook formulas.

use std::f64::consts::TAU;

use cardan_control::discretisation::Sampling;
use cardan_control::margins::margins;
use cardan_control::matrix::of_rows;
use cardan_control::sampled_data::{Jump, SampledData};
use cardan_control::{Complex, ControlError, FrequencyResponse, StateSpace};

use crate::samples::Numbers;

fn near(found: Complex, known: Complex, tolerance: f64) {
    assert!((found - known).norm() <= tolerance * known.norm().max(1.0), "{found} is not {known}");
}

fn sorted(mut list: Vec<Complex>) -> Vec<Complex> {
    list.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
    list
}

/// x' = u + w with u := −K x every T seconds; states x, u.
fn integrator(gain: f64, period: f64, offset: f64) -> SampledData {
    let flow = StateSpace::new(
        of_rows(&[&[0.0, 1.0], &[0.0, 0.0]]),
        of_rows(&[&[1.0], &[0.0]]),
        of_rows(&[&[1.0, 0.0]]),
        of_rows(&[&[0.0]]),
    );
    let state = of_rows(&[&[1.0, 0.0], &[-gain, 0.0]]);
    let jump = Jump { period, offset, state, input: of_rows(&[&[0.0], &[0.0]]) };
    SampledData::new(flow.unwrap(), vec![jump]).unwrap()
}

/// By hand: x(k+1) = (1 − K T) x(k), so that z is 1 − K T, and 0 of the held value.
#[test]
fn an_integrator_under_a_sampled_gain() {
    let (gain, period) = (3.0, 0.2);
    let system = integrator(gain, period, 0.0);
    let z = sorted(system.multipliers().unwrap());
    near(z[0], Complex::new(0.0, 0.0), 1e-14);
    near(z[1], Complex::new(1.0 - gain * period, 0.0), 1e-13);
    near(system.poles().unwrap()[0], Complex::new((1.0 - gain * period).ln() / period, 0.0), 1e-12);
    // H = 1/s − 1/s · (1 − e^{−sT})/(sT) · K S · 1/s sampled. The samples of x under w = e^{iωt}:
    // (z − 1 + K T) X = (z − 1)/(iω).
    for w in [0.1, 1.0, 7.0, 20.0, 40.0] {
        let s = Complex::new(0.0, w);
        let z = (s * period).exp();
        let sample = (z - 1.0) / s / (z - 1.0 + gain * period);
        let hold = (1.0 - z.inv()) / (s * period);
        let known = (1.0 - hold * gain * sample) / s;
        for offset in [0.0, 0.05, 1.37] {
            near(integrator(gain, period, offset).at(w).unwrap()[(0, 0)], known, 1e-12);
        }
    }
    // At rest x = w/K.
    near(system.at(0.0).unwrap()[(0, 0)], Complex::new(1.0 / gain, 0.0), 1e-12);
}

/// The double integrator under u := −p x − d v: z² + (d T + p T²/2 − 2) z + (1 − d T + p T²/2) = 0.
#[test]
fn a_double_integrator_under_a_sampled_pd_law() {
    let (p, d, period) = (20.0, 6.0, 0.05);
    let flow = StateSpace::new(
        of_rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0]]),
        of_rows(&[&[0.0], &[1.0], &[0.0]]),
        of_rows(&[&[1.0, 0.0, 0.0]]),
        of_rows(&[&[0.0]]),
    );
    let state = of_rows(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[-p, -d, 0.0]]);
    let jump = Jump { period, offset: 0.0, state, input: of_rows(&[&[0.0], &[0.0], &[0.0]]) };
    let system = SampledData::new(flow.unwrap(), vec![jump]).unwrap();
    let (sum, product) =
        (2.0 - d * period - p * period * period / 2.0, 1.0 - d * period + p * period * period / 2.0);
    let root = Complex::new(sum * sum / 4.0 - product, 0.0).sqrt();
    let known = sorted(vec![sum / 2.0 - root, sum / 2.0 + root, Complex::new(0.0, 0.0)]);
    for (found, known) in sorted(system.multipliers().unwrap()).iter().zip(known) {
        near(*found, known, 1e-12);
    }
    near(system.at(0.0).unwrap()[(0, 0)], Complex::new(1.0 / p, 0.0), 1e-11);
}

/// A random plant under a random sampled controller against the formula of the textbook, with the
/// sampled equivalent of the plant by the hold.
#[test]
fn random_loops_obey_the_formula_of_sampled_data_systems() {
    let mut numbers = Numbers(7);
    for case in 0..20 {
        let (n, k, period) = (4, 2, 0.1 + 0.02 * f64::from(case));
        // Inputs w, u; outputs y, e. e has no direct path.
        let mut plant = numbers.system(n, 2, 2);
        (0..2).for_each(|j| plant.d[(1, j)] = 0.0);
        let (ak, bk) = (numbers.matrix(k, k), numbers.matrix(k, 1));
        let (ck, dk) = (numbers.matrix(1, k), numbers.matrix(1, 1));
        let total = n + k + 1;
        // States: the plant's, the controller's, u.
        let zero = |i: usize, j: usize| faer::Mat::<f64>::zeros(i, j);
        let (mut a, mut b, mut c, mut d) = (zero(total, total), zero(total, 1), zero(1, total), zero(1, 1));
        for i in 0..n {
            (0..n).for_each(|j| a[(i, j)] = plant.a[(i, j)]);
            a[(i, n + k)] = plant.b[(i, 1)];
            b[(i, 0)] = plant.b[(i, 0)];
            c[(0, i)] = plant.c[(0, i)];
        }
        c[(0, n + k)] = plant.d[(0, 1)];
        d[(0, 0)] = plant.d[(0, 0)];
        let mut state = cardan_control::matrix::identity(total);
        for i in 0..k {
            (0..k).for_each(|j| state[(n + i, n + j)] = 0.3 * ak[(i, j)]);
            (0..n).for_each(|j| state[(n + i, j)] = bk[(i, 0)] * plant.c[(1, j)]);
            state[(n + k, n + i)] = ck[(0, i)];
        }
        (0..n).for_each(|j| state[(n + k, j)] = dk[(0, 0)] * plant.c[(1, j)]);
        state[(n + k, n + k)] = 0.0;
        let jump = Jump { period, offset: 0.0, state, input: zero(total, 1) };
        let system = SampledData::new(StateSpace::new(a, b, c, d).unwrap(), vec![jump]).unwrap();
        let response = FrequencyResponse::new(&plant).unwrap();
        let sampled = plant.discretise(period, Sampling::ZeroOrderHold).unwrap();
        let held = FrequencyResponse::new(&sampled).unwrap();
        let law = StateSpace {
            clock: sampled.clock,
            ..StateSpace::new(cardan_control::matrix::scaled(&ak, 0.3), bk, ck, dk).unwrap()
        };
        let law = FrequencyResponse::new(&law).unwrap();
        for w in [0.3, 1.1, 4.0, 9.0] {
            let g = response.at(w).unwrap();
            let (l, kd) = (held.at(w).unwrap()[(1, 1)], law.at(w).unwrap()[(0, 0)]);
            let s = Complex::new(0.0, w);
            let hold = (1.0 - (-s * period).exp()) / (s * period);
            let u = kd / (1.0 - l * kd) * g[(1, 0)];
            near(system.at(w).unwrap()[(0, 0)], g[(0, 0)] + g[(0, 1)] * hold * u, 1e-11);
        }
    }
}

/// Two rates whose blocks do nothing new every second time are one rate; and rates without a common
/// multiple are refused.
#[test]
fn several_rates_have_a_common_period() {
    let fast = integrator(3.0, 0.2, 0.0);
    let idle = Jump {
        period: 0.3,
        offset: 0.1,
        state: cardan_control::matrix::identity(2),
        ..fast.jumps()[0].clone()
    };
    let both = SampledData::new(fast.flow().clone(), vec![fast.jumps()[0].clone(), idle.clone()]).unwrap();
    assert!((both.period() - 0.6).abs() < 1e-15);
    near(both.at(2.0).unwrap()[(0, 0)], fast.at(2.0).unwrap()[(0, 0)], 1e-12);
    let z = both.multipliers().unwrap().iter().map(|z| z.norm()).fold(0.0, f64::max);
    assert!((z - 0.4_f64.powi(3)).abs() < 1e-13, "{z}");
    let odd = Jump { period: 0.2 * 2.0_f64.sqrt(), ..idle };
    let refused = SampledData::new(fast.flow().clone(), vec![fast.jumps()[0].clone(), odd]);
    assert!(matches!(refused, Err(ControlError::Incommensurate { .. })), "{refused:?}");
}

/// The loop of the integrator opened at the held value: L = K T/(z − 1), whose phase crossover is at
/// half of the rate with the gain margin 2/(K T), and whose gain is 1 at |z − 1| = K T.
#[test]
fn the_loop_opened_at_a_held_value_has_exact_margins() {
    let (gain, period) = (3.0, 0.2);
    // v = u + d drives the plant, −u comes back; the loop is opened by d = r + y.
    let mut flow = integrator(gain, period, 0.0).flow().clone();
    flow.c = of_rows(&[&[0.0, -1.0]]);
    let closed = SampledData::new(flow, integrator(gain, period, 0.0).jumps().to_vec()).unwrap();
    let open = closed.with_feedback(&of_rows(&[&[-1.0]])).unwrap();
    let discrete = open.in_z().unwrap().unwrap();
    let response = FrequencyResponse::new(&discrete).unwrap();
    for w in [0.5, 3.0, 11.0] {
        let z = Complex::new(0.0, w * period).exp();
        near(response.at(w).unwrap()[(0, 0)], gain * period / (z - 1.0), 1e-12);
    }
    let found = margins(&discrete).unwrap();
    let crossover = 2.0 * (gain * period / 2.0).asin() / period;
    let margin = found.phase_margin().unwrap();
    assert!((margin.frequency - crossover).abs() < 1e-9, "{margin:?}");
    assert!((margin.value - (TAU / 4.0 - crossover * period / 2.0)).abs() < 1e-9, "{margin:?}");
}

/// The double integrator behind a hold with a delay f below the step h, by hand (Åström & Wittenmark,
/// Computer-Controlled Systems, 3rd ed., section 2.3): B₁ = (f (h − f/2), f), B₀ = ((h − f)²/2, h − f).
#[test]
fn a_delay_of_part_of_a_step_is_exact() {
    let (h, f) = (0.2, 0.07);
    let plant = StateSpace::new(
        of_rows(&[&[0.0, 1.0], &[0.0, 0.0]]),
        of_rows(&[&[0.0], &[1.0]]),
        of_rows(&[&[1.0, 0.0]]),
        of_rows(&[&[0.0]]),
    );
    let plant = plant.unwrap();
    let by_hand = |z: Complex| {
        let rest = h - f;
        let (b0, b1) = ([rest * rest / 2.0, rest], [f * (h - f / 2.0), f]);
        let push = |k: usize| b0[k] + b1[k] / z;
        let v = push(1) / (z - 1.0);
        (push(0) + v * h) / (z - 1.0)
    };
    for whole in [0.0, 2.0] {
        let late = plant.clone().with_delays(&[whole * h + f]).unwrap();
        let sampled = late.discretise(h, Sampling::ZeroOrderHold).unwrap();
        let response = FrequencyResponse::new(&sampled).unwrap();
        for w in [0.3, 2.0, 9.0] {
            let z = Complex::from_polar(1.0, w * h);
            let known = by_hand(z) * Complex::from_polar(1.0, -w * h * whole);
            near(response.at(w).unwrap()[(0, 0)], known, 1e-12 * known.norm());
        }
    }
    // Whole steps add no state.
    let late = plant.with_delays(&[3.0 * h]).unwrap().discretise(h, Sampling::ZeroOrderHold).unwrap();
    assert_eq!((late.n_states(), late.delays.clone()), (2, vec![3.0 * h]));

    // The same plant in a loop under u := −p x − d v. Opened at the held command its signal is late by
    // f, opened at the reading of x (d = 0) the reading is.
    let (p, d) = (3.0, 0.8);
    let (none, command) = (of_rows(&[&[0.0], &[0.0], &[0.0]]), of_rows(&[&[0.0], &[1.0], &[0.0]]));
    let free = of_rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 0.0], &[0.0, 0.0, 0.0]]);
    let law = of_rows(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[-p, -d, 0.0]]);
    let flow = StateSpace::new(free, command, of_rows(&[&[0.0, 0.0, -1.0]]), of_rows(&[&[0.0]])).unwrap();
    let jump = Jump { period: h, offset: 0.0, state: law, input: none.clone() };
    let held = SampledData::new(flow.with_delays(&[f]).unwrap(), vec![jump]).unwrap();
    let held = FrequencyResponse::new(&held.in_z().unwrap().unwrap()).unwrap();
    let driven = of_rows(&[&[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0]]);
    let reading = of_rows(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 0.0]]);
    let flow = StateSpace::new(driven, none, of_rows(&[&[1.0, 0.0, 0.0]]), of_rows(&[&[0.0]])).unwrap();
    let jump = Jump { period: h, offset: 0.0, state: reading, input: of_rows(&[&[0.0], &[0.0], &[p]]) };
    let read = SampledData::new(flow.with_delays(&[h + f]).unwrap(), vec![jump]).unwrap();
    let read = FrequencyResponse::new(&read.in_z().unwrap().unwrap()).unwrap();
    for w in [0.3, 2.0, 9.0] {
        let z = Complex::from_polar(1.0, w * h);
        let v = (h - f + f / z) / (z - 1.0);
        let known = by_hand(z) * p + v * d;
        near(held.at(w).unwrap()[(0, 0)], known, 1e-12 * known.norm());
        // x(t − f) = x + (h − f) v + (h − f)²/2 u, a step later, and one more.
        let rest = h - f;
        let x = h * h / 2.0 * (z + 1.0) / ((z - 1.0) * (z - 1.0));
        let known = p * (x + rest * h / (z - 1.0) + rest * rest / 2.0) / (z * z);
        near(read.at(w).unwrap()[(0, 0)], known, 1e-12 * known.norm());
    }
}
