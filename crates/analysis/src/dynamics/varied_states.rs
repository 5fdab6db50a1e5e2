//! Terms in joint space at many states that take several evaluations of a function at each: Coriolis matrices from inverse
//! dynamics, Jacobians of points from the velocities of bodies. All evaluations go through vector lanes and threads.
//!
//! ```text
//! [coriolis-rows]    C(q, u) e_j = ½ (h(u + e_j) - h(u) - h(e_j) + h(0)),     h = τ at u̇ = 0
//! [point-rows]     J e_j = v(e_j) - v(0),  v = v_o + ω × r
//! ```

use crate::AnalysisError;
use crate::dynamics::state_function::{ManyArguments, StateFunction};

/// So many evaluations at a time keep what stands between them in the cache.
const AT_A_TIME: usize = 4096;

/// Values at variations of each state: `vary` makes the k-th of `count` states of one, `use_values` gets the row and the values at
/// all of them.
fn varied(
    function: &mut StateFunction,
    (times, states): (&[f64], &[f64]),
    count: usize,
    threads: usize,
    vary: impl Fn(usize, &mut [f64]),
    mut use_values: impl FnMut(usize, &[f64]),
) -> Result<(), AnalysisError> {
    let (n, length) = (function.sizes().0.max(1), function.len());
    let rows = states.len() / n;
    let group = (AT_A_TIME / count.max(1)).max(1);
    let still = vec![0.0; function.sizes().2];
    for first in (0..rows).step_by(group) {
        let chosen = first..(first + group).min(rows);
        let mut x = Vec::with_capacity(chosen.len() * count * n);
        let mut t = Vec::with_capacity(chosen.len() * count);
        for row in chosen.clone() {
            for k in 0..count {
                let from = x.len();
                x.extend_from_slice(&states[row * n..(row + 1) * n]);
                vary(k, &mut x[from..]);
                t.push(times[if times.len() == 1 { 0 } else { row }]);
            }
        }
        let mut values = vec![0.0; t.len() * length];
        let arguments = ManyArguments { t: &t, x: &x, u: None, accelerations: &still };
        function.at_many(&arguments, &mut values, threads)?;
        let each = values.chunks(count * length.max(1));
        chosen.zip(each).for_each(|(row, values)| use_values(row, values));
    }
    Ok(())
}

/// Coriolis matrices by rows at many states, from a function of [`Inverse`](crate::StateQuestion::Inverse) dynamics. One time holds
/// for all. [coriolis-rows]
pub fn coriolis_at_many(
    inverse: &mut StateFunction,
    at: (&[f64], &[f64]),
    out: &mut [f64],
    threads: usize,
) -> Result<(), AnalysisError> {
    let speeds = inverse.speeds();
    let k = speeds.len();
    // The state, at rest, then for each speed alone and added.
    let vary = |which: usize, x: &mut [f64]| {
        let u = &mut x[speeds.clone()];
        match which {
            0 => {}
            1 => u.fill(0.0),
            _ => {
                let (j, is_added) = ((which - 2) / 2, which % 2 == 1);
                if !is_added {
                    u.fill(0.0);
                }
                u[j] += 1.0;
            }
        }
    };
    varied(inverse, at, 2 + 2 * k, threads, vary, |row, h| {
        for i in 0..k {
            for j in 0..k {
                let of = |which: usize| h[which * k + i];
                let c = 0.5 * (of(3 + 2 * j) - of(0) - of(2 + 2 * j) + of(1));
                out[(row * k + i) * k + j] = c;
            }
        }
    })
}

/// Jacobians of a point at many states: three rows of the velocity of the point, three of the angular velocity, by the speeds. The
/// functions are those of [`Twists`](crate::StateQuestion::Twists) and [`Poses`](crate::StateQuestion::Poses). [point-rows]
pub fn point_jacobian_at_many(
    (twists, poses): (&mut StateFunction, &mut StateFunction),
    at: (&[f64], &[f64]),
    (body, point): (usize, [f64; 3]),
    out: &mut [f64],
    threads: usize,
) -> Result<(), AnalysisError> {
    let (speeds, n_bodies) = (twists.speeds(), twists.shape()[0]);
    if body >= n_bodies {
        return Err(AnalysisError::Evaluation("there is no such body".to_owned()));
    }
    let k = speeds.len();
    let mut arms = vec![[0.0; 3]; at.1.len() / twists.sizes().0.max(1)];
    varied(
        poses,
        at,
        1,
        threads,
        |_, _| {},
        |row, values| {
            let pose = &values[12 * body..12 * (body + 1)];
            arms[row] = std::array::from_fn(|i| (0..3).map(|j| pose[4 * i + j] * point[j]).sum());
        },
    )?;
    let vary = |which: usize, x: &mut [f64]| {
        let u = &mut x[speeds.clone()];
        u.fill(0.0);
        if which > 0 {
            u[which - 1] = 1.0;
        }
    };
    varied(twists, at, 1 + k, threads, vary, |row, values| {
        let twist = |which: usize| {
            let from = (which * n_bodies + body) * 6;
            let (v, w, r) = (&values[from..from + 3], &values[from + 3..from + 6], &arms[row]);
            let at = |i: usize, j: usize| w[i] * r[j] - w[j] * r[i];
            [v[0] + at(1, 2), v[1] + at(2, 0), v[2] + at(0, 1), w[0], w[1], w[2]]
        };
        let still = twist(0);
        for j in 0..k {
            let moving = twist(1 + j);
            (0..6).for_each(|i| out[(row * 6 + i) * k + j] = moving[i] - still[i]);
        }
    })
}
