//! Effective modal masses: how much of the mass a mode takes along when the base is shaken.
//!
//! ```text
//! [momentum]       P_d = Σ m_b v_b · d = p_dᵀ u + …        p_d: what a shaken base does to the speeds, M r_d
//! [participation]  Γ_d = p_dᵀ φ_u / (φ_uᴴ M φ_u)
//! [effective]      m_d = |p_dᵀ φ_u|² / (φ_uᴴ M φ_u)
//! ```
//!
//! φ_u are the speeds of a mode. The effective masses of all modes of an undamped tree sum up to
//! the mass that moves. Source: Clough & Penzien, Dynamics of Structures, 26-2; Girard & Roy,
//! Structural Dynamics in Industry, 4.

use cardan_compile::Choice;
use cardan_lower::expressions_program;
use cardan_program::Label;

use crate::AnalysisError;
use crate::linear::linearize::Linearization;
use crate::linear::modes::{Complex, Modes};
use crate::numeric_model::{Evaluator, Study};

/// What a mode answers to a base that is shaken along x, y and z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EffectiveMass {
    /// Γ, for the shape as it is scaled. [participation]
    pub participation: [Complex; 3],
    /// In kg. [effective]
    pub mass: [f64; 3],
}

/// The effective masses of modes about a state.
pub fn effective_masses(
    choice: &Choice,
    study: &mut Study,
    linear: &Linearization,
    modes: &Modes,
) -> Result<Vec<EffectiveMass>, AnalysisError> {
    let copy = choice.model.clone();
    let (space, pool) = (&copy.space, copy.space.pool());
    let mut momentum = [pool.zero(); 3];
    for (_, body) in copy.bodies.iter() {
        let velocity = space.components(&space.velocity(&body.center_point()), space.newtonian());
        for (sum, v) in momentum.iter_mut().zip(velocity) {
            *sum = pool.add(*sum, pool.mul(body.mass, v));
        }
    }
    let named = momentum.map(|e| (Label::named("momentum"), e));
    let program = expressions_program(&copy, "momentum", named)?;
    let mut evaluator = Evaluator::new(&program.program, study.host())?;
    let (n_q, n_u, _) = study.sizes();
    let mut state = linear.state.clone();
    state[n_q..n_q + n_u].fill(0.0);
    let mut of = |state: &[f64], study: &Study| -> Result<[f64; 3], AnalysisError> {
        let out = evaluator.run(&study.placed(linear.time, state))?;
        Ok([out[0], out[1], out[2]])
    };
    // [momentum]
    let still = of(&state, study)?;
    let mut slopes = vec![];
    for k in n_q..n_q + n_u {
        state[k] = 1.0;
        let moving = of(&state, study)?;
        state[k] = 0.0;
        slopes.push([0, 1, 2].map(|d| moving[d] - still[d]));
    }
    let mass = study.mass(linear.time, &linear.state)?;
    let answer = |shape: &[Complex]| {
        let speeds = &shape[n_q..n_q + n_u];
        let along = |f: fn(&Complex) -> f64| -> f64 {
            let x: Vec<f64> = speeds.iter().map(f).collect();
            let mut m_x = vec![0.0; n_u];
            mass.multiply(&x, &mut m_x);
            x.iter().zip(&m_x).map(|(a, b)| a * b).sum()
        };
        let size = along(|z| z.0) + along(|z| z.1);
        let product = |d: usize| -> Complex {
            let sum = |f: fn(&Complex) -> f64| speeds.iter().zip(&slopes).map(|(z, p)| p[d] * f(z)).sum();
            (sum(|z| z.0), sum(|z| z.1))
        };
        let over = |x: f64| if size > 0.0 { x / size } else { 0.0 };
        EffectiveMass {
            participation: [0, 1, 2].map(|d| (over(product(d).0), over(product(d).1))),
            mass: [0, 1, 2].map(|d| over(product(d).0.powi(2) + product(d).1.powi(2))),
        }
    };
    Ok(modes.modes.iter().map(|m| answer(&m.shape)).collect())
}
