//! Joint-space terms of a mechanism at a state: poses and Jacobians of bodies, mass matrix, bias, gravity,
//! Coriolis matrix, inverse dynamics.
//!
//! ```text
//! [inverse]      τ = M(q) u̇ + h(q, u),          h = -f: all loads, gravity and velocity terms
//! [bias]         h(q, u) = τ at u̇ = 0
//! [rest]         g(q) = h(q, 0)                  gravity and springs
//! [polarised]    B(u, v) = ½ (h(u + v) - h(u) - h(v) + h(0))      bilinear and symmetric
//! [coriolis]     C(q, u) e_j = B(u, e_j)
//! [jacobian]     v = J(q) u + v₀,  J e_j = v(e_j) - v(0)
//! ```
//!
//! The part of h that is quadratic in the speeds is Σ Γ_kij u_i u_j with the Christoffel symbols Γ of the mass matrix, which
//! are symmetric in i and j (J. J. Craig, Introduction to Robotics, ch. 6; R. Featherstone, Rigid Body Dynamics
//! Algorithms, sec. 3.2). So the polar form of h gives C = Σ_i Γ_kij u_i exactly, without derivatives of M: loads that are
//! constant or linear in the speeds cancel. Where speeds are the rates of coordinates, Ṁ - 2C is skew-symmetric.

use cardan_compile::Choice;
use cardan_equations::{Formalism, inverse};
use cardan_lower::{expressions_program, inverse_program};
use cardan_model::BodyId;
use cardan_program::{Host, Label, Program};
use cardan_solve::Matrix;

use crate::numeric_model::Evaluator;
use crate::{AnalysisError, Study};

/// Origin and orientation of a body.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BodyPose {
    /// The origin, in the inertial frame.
    pub origin: [f64; 3],
    /// The direction cosines: columns are the axes of the body in the inertial frame.
    pub rotation: [[f64; 3]; 3],
}

/// Joint-space terms of a model. Constraints add no forces here: they are those of the spanning tree.
#[derive(Clone, Debug)]
pub struct JointSpace {
    n_speeds: usize,
    n_bodies: usize,
    /// Inverse dynamics, and where it has the accelerations.
    inverse: Evaluator,
    accelerations: std::ops::Range<usize>,
    /// Per body the origin, the direction cosines by rows, the velocity of the origin and the angular velocity.
    bodies: Evaluator,
}

/// Numbers per body: origin, direction cosines, velocity, angular velocity.
const PER_BODY: usize = 18;

/// The program of all bodies, and how many numbers it gives per body: origin, direction cosines by rows, velocity of the
/// origin, angular velocity.
pub(crate) fn bodies_program(choice: &Choice) -> Result<(Program, usize), AnalysisError> {
    let copy = choice.model.clone();
    let (space, ground) = (&copy.space, copy.space.newtonian());
    let mut named = vec![];
    for (_, body) in copy.bodies.iter() {
        let origin = space.origin(body.frame);
        let axes: [[_; 3]; 3] = std::array::from_fn(|k| space.components(&space.axis(body.frame, k), ground));
        let rows = (0..3).flat_map(|i| (0..3).map(move |k| axes[k][i]));
        let velocity = space.components(&space.velocity(&origin), ground);
        let spin = space.components(&space.w(body.frame), ground);
        let all = space.place(&origin).into_iter().chain(rows).chain(velocity).chain(spin);
        named.extend(all.map(|e| (Label::named(&body.name), e)));
    }
    let made = expressions_program(&copy, &format!("bodies of {}", copy.name), named)?;
    Ok((made.program, PER_BODY))
}

impl JointSpace {
    /// The terms of a model whose equations have been derived; external functions come from `host`.
    pub fn of(choice: &Choice, host: &Host) -> Result<JointSpace, AnalysisError> {
        // A model of its own: expressions in their cheapest form.
        let model = choice.model.clone();
        let program = inverse_program(&model, &inverse(&model, Formalism::Recursive)?)?;
        let (bodies, _) = bodies_program(choice)?;
        Ok(JointSpace {
            n_speeds: choice.model.speeds.len(),
            n_bodies: choice.model.bodies.len(),
            inverse: Evaluator::new(&program.program, host)?,
            accelerations: program.accelerations,
            bodies: Evaluator::new(&bodies, host)?,
        })
    }

    /// The generalised forces that motors in place of the speeds would have to add. [inverse]
    pub fn inverse(
        &mut self,
        study: &Study,
        (t, y): (f64, &[f64]),
        accelerations: &[f64],
    ) -> Result<Vec<f64>, AnalysisError> {
        let mut inputs = study.placed(t, y);
        inputs.resize(self.accelerations.end.max(inputs.len()), 0.0);
        inputs[self.accelerations.clone()].copy_from_slice(accelerations);
        Ok(self.inverse.run(&inputs)?.to_vec())
    }

    /// h at other speeds than those of the state.
    fn bias_at(&mut self, study: &Study, t: f64, y: &[f64], u: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let mut state = y.to_vec();
        let first = study.sizes().0;
        state[first..first + u.len()].copy_from_slice(u);
        let still = vec![0.0; self.n_speeds];
        self.inverse(study, (t, &state), &still)
    }

    /// All loads and velocity terms as one vector: M u̇ + h = τ. [bias]
    pub fn bias(&mut self, study: &Study, t: f64, y: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let (first, n) = (study.sizes().0, self.n_speeds);
        self.bias_at(study, t, y, &y[first..first + n])
    }

    /// The same at rest: gravity and springs. [rest]
    pub fn gravity(&mut self, study: &Study, t: f64, y: &[f64]) -> Result<Vec<f64>, AnalysisError> {
        let still = vec![0.0; self.n_speeds];
        self.bias_at(study, t, y, &still)
    }

    /// The Coriolis matrix of the Christoffel symbols. [coriolis]
    pub fn coriolis(&mut self, study: &Study, t: f64, y: &[f64]) -> Result<Matrix, AnalysisError> {
        let (first, n) = (study.sizes().0, self.n_speeds);
        let u = y[first..first + n].to_vec();
        let (moving, rest) = (self.bias_at(study, t, y, &u)?, self.gravity(study, t, y)?);
        let mut c = Matrix::zeros(n, n);
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let alone = self.bias_at(study, t, y, &unit)?;
            unit.iter_mut().zip(&u).for_each(|(e, u)| *e += u);
            let both = self.bias_at(study, t, y, &unit)?;
            for (i, place) in c.column_mut(j).iter_mut().enumerate() {
                *place = 0.5 * (both[i] - moving[i] - alone[i] + rest[i]); // [polarised]
            }
        }
        Ok(c)
    }

    /// The poses of all bodies.
    pub fn poses(&mut self, study: &Study, t: f64, y: &[f64]) -> Result<Vec<BodyPose>, AnalysisError> {
        let out = self.bodies.run(&study.placed(t, y))?;
        let pose = |numbers: &[f64]| BodyPose {
            origin: [numbers[0], numbers[1], numbers[2]],
            rotation: std::array::from_fn(|i| std::array::from_fn(|k| numbers[3 + 3 * i + k])),
        };
        Ok(out.chunks_exact(PER_BODY).map(pose).collect())
    }

    /// The Jacobian of a point of a body, given in the axes of the body: three rows of the velocity of the point, three of
    /// the angular velocity, in the inertial frame, by the speeds. [jacobian]
    pub fn jacobian(
        &mut self,
        study: &Study,
        (t, y): (f64, &[f64]),
        body: BodyId,
        point: [f64; 3],
    ) -> Result<Matrix, AnalysisError> {
        use cardan_base::Id;
        let k = body.index();
        if k >= self.n_bodies {
            return Err(AnalysisError::Evaluation("there is no such body".to_owned()));
        }
        let (first, n) = (study.sizes().0, self.n_speeds);
        let mut state = y.to_vec();
        state[first..first + n].fill(0.0);
        let mut twist = |state: &[f64]| -> Result<[f64; 6], AnalysisError> {
            let out = &self.bodies.run(&study.placed(t, state))?[PER_BODY * k..PER_BODY * (k + 1)];
            let arm: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| out[3 + 3 * i + j] * point[j]).sum());
            let (v, w) = (&out[12..15], &out[15..18]);
            let at = |i: usize, j: usize| w[i] * arm[j] - w[j] * arm[i];
            Ok([v[0] + at(1, 2), v[1] + at(2, 0), v[2] + at(0, 1), w[0], w[1], w[2]])
        };
        let still = twist(&state)?;
        let mut jacobian = Matrix::zeros(6, n);
        for j in 0..n {
            state[first + j] = 1.0;
            let moving = twist(&state)?;
            state[first + j] = 0.0;
            for i in 0..6 {
                jacobian[(i, j)] = moving[i] - still[i];
            }
        }
        Ok(jacobian)
    }
}
