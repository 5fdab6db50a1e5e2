//! Controllability and observability: Gramians, ranks, minimal realisations, balanced reduction.
//!
//! ```text
//! [gramians]  A P + P Aᵀ + B Bᵀ = 0,   Aᵀ Q + Q A + Cᵀ C = 0
//! [hankel]    σ_i = √λ_i(P Q) = singular values of L_Qᵀ L_P,   P = L_P L_Pᵀ, Q = L_Q L_Qᵀ
//! [balanced]  T = L_P V Σ^(−1/2),  T⁻¹ = Σ^(−1/2) Uᵀ L_Qᵀ,   L_Qᵀ L_P = U Σ Vᵀ
//! ```
//!
//! Sources: Moore, IEEE Trans. Autom. Control 26 (1981) 17; Laub, Heath, Paige & Ward, ibid. 32
//! (1987) 115; staircase: Van Dooren, ibid. 26 (1981) 111.

use crate::error::ControlError;
use crate::lyapunov::{discrete_lyapunov, lyapunov};
use crate::matrix::{Matrix, SingularValues, blocks, identity, norm, part, scaled, transposed};
use crate::state_space::{Clock, StateSpace};
use faer::{Mat, Side};

/// The controllability Gramian P of a stable system. [gramians]
pub fn controllability_gramian(system: &StateSpace) -> Result<Matrix, ControlError> {
    let system = system.explicit()?;
    system.assert_stable()?;
    gramian(&system.a, &system.b, system.clock)
}

/// The observability Gramian Q of a stable system. [gramians]
pub fn observability_gramian(system: &StateSpace) -> Result<Matrix, ControlError> {
    let system = system.explicit()?;
    system.assert_stable()?;
    gramian(&transposed(&system.a), &transposed(&system.c), system.clock)
}

fn gramian(a: &Matrix, b: &Matrix, clock: Clock) -> Result<Matrix, ControlError> {
    let q = b * b.transpose();
    match clock {
        Clock::Continuous => lyapunov(a, &q),
        Clock::Sampled(_) => discrete_lyapunov(a, &q),
    }
}

/// An orthogonal basis whose first columns span what the inputs reach.
pub struct Staircase {
    /// The basis.
    pub basis: Matrix,
    /// The dimension of the controllable subspace.
    pub rank: usize,
}

/// The controllable subspace of (A, B), grown step by step with ranks by singular values.
///
/// Each step compresses the rows of what the newest states pass on to the rest; the rank decision
/// compares with the size of A and B.
pub fn staircase(a: &Matrix, b: &Matrix) -> Result<Staircase, ControlError> {
    let n = a.nrows();
    let (mut a, mut basis) = (a.clone(), identity(n));
    let mut coupling = b.clone();
    let mut tolerance = 100.0 * f64::EPSILON * norm(b);
    let mut rank = 0;
    while rank < n && coupling.ncols() > 0 {
        let found = SingularValues::new(&coupling)?;
        let step = found.rank(tolerance.max(f64::MIN_POSITIVE));
        if step == 0 {
            break;
        }
        let rest = n - rank;
        let turn = blocks(&identity(rank), &Mat::zeros(rank, rest), &Mat::zeros(rest, rank), &found.u);
        a = &(turn.transpose() * &a) * &turn;
        basis = &basis * &turn;
        let newest = rank;
        rank += step;
        coupling = part(&a, rank, n - rank, newest, step);
        tolerance = 100.0 * f64::EPSILON * norm(&a);
    }
    Ok(Staircase { basis, rank })
}

/// The dimension of the subspace that the inputs reach.
pub fn controllable_rank(system: &StateSpace) -> Result<usize, ControlError> {
    let system = system.explicit()?;
    Ok(staircase(&system.a, &system.b)?.rank)
}

/// The dimension of what the outputs show.
pub fn observable_rank(system: &StateSpace) -> Result<usize, ControlError> {
    let system = system.explicit()?;
    Ok(staircase(&transposed(&system.a), &transposed(&system.c))?.rank)
}

/// The system without states that no input reaches or no output shows.
pub fn minimal_realisation(system: &StateSpace) -> Result<StateSpace, ControlError> {
    let system = system.explicit()?;
    let reached = staircase(&system.a, &system.b)?;
    let system = restricted(&system, &reached);
    let shown = staircase(&transposed(&system.a), &transposed(&system.c))?;
    Ok(restricted(&system, &shown))
}

fn restricted(system: &StateSpace, found: &Staircase) -> StateSpace {
    let v = part(&found.basis, 0, system.n_states(), 0, found.rank);
    let a = &(v.transpose() * &system.a) * &v;
    StateSpace { a, b: v.transpose() * &system.b, c: &system.c * &v, ..system.clone() }
}

/// The Hankel singular values of a stable system, largest first. [hankel]
pub fn hankel_values(system: &StateSpace) -> Result<Vec<f64>, ControlError> {
    let l_p = factor(&controllability_gramian(system)?)?;
    let l_q = factor(&observability_gramian(system)?)?;
    Ok(SingularValues::new(&(l_q.transpose() * &l_p))?.values)
}

/// A reduced system and the bound of its error.
pub struct Reduction {
    /// The reduced system.
    pub system: StateSpace,
    /// Twice the sum of the Hankel values left out: no gain of the error exceeds it.
    pub error_bound: f64,
}

/// The balanced system cut to the states with the largest Hankel values. [balanced]
///
/// Error bound: Glover, Int. J. Control 39 (1984) 1115; Enns, CDC 1984, 127.
pub fn balanced_reduction(system: &StateSpace, n_states: usize) -> Result<Reduction, ControlError> {
    let system = system.explicit()?;
    let l_p = factor(&controllability_gramian(&system)?)?;
    let l_q = factor(&observability_gramian(&system)?)?;
    let found = SingularValues::new(&(l_q.transpose() * &l_p))?;
    let largest = found.values.first().copied().unwrap_or(0.0);
    let n = n_states.min(found.rank(largest * f64::EPSILON));
    let size = Mat::from_fn(n, n, |i, j| if i == j { found.values[i].sqrt().recip() } else { 0.0 });
    let states = system.n_states();
    let t = &(&l_p * &part(&found.v, 0, states, 0, n)) * &size;
    let t_inverse = &(&size * part(&found.u, 0, states, 0, n).transpose()) * l_q.transpose();
    let a = &(&t_inverse * &system.a) * &t;
    let (b, c) = (&t_inverse * &system.b, &system.c * &t);
    let error_bound = 2.0 * found.values[n..].iter().sum::<f64>();
    Ok(Reduction { system: StateSpace { a, b, c, ..system }, error_bound })
}

/// A factor L of a positive semidefinite L Lᵀ, by its eigenvectors.
fn factor(x: &Matrix) -> Result<Matrix, ControlError> {
    if x.nrows() == 0 {
        return Ok(scaled(x, 1.0));
    }
    let found = x
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| ControlError::NoConvergence { what: "the eigenvalue iteration" })?;
    let (u, s) = (found.U(), found.S().column_vector());
    Ok(Mat::from_fn(x.nrows(), x.nrows(), |i, j| u[(i, j)] * s[j].max(0.0).sqrt()))
}
