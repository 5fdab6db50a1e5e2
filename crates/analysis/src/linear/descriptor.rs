//! Descriptor form of the linear equations, in all coordinates, speeds and multipliers.
//!
//! ```text
//! [descriptor]   E ẋ = A x + B δp,   w = C x + D δp            x = (δq, δu, δs, δλ)
//! [dynamic]      M δu̇ = M u̇_y δy + M u̇_p δp + Gᵀ δλ             G = v_u of the independent rows
//! [held-rows]      0 = g_y δy + g_p δp,  or 0 = v_y δy + v_p δp where no position is held
//! ```
//!
//! E is diag(1, M, 1, 0). The accelerations u̇ already obey the constraints, so that δλ is what the
//! multipliers change beyond that: it vanishes in every motion, and the finite eigenvalues are
//! those of the minimal form. Each group of Euler parameters adds an eigenvalue zero, since its
//! norm is kept by the kinematic equations and not by a row.

use cardan_control::StateSpace;
use cardan_solve::Matrix;

use crate::AnalysisError;
use crate::linear::linearize::{part, product};
use crate::numeric_model::{Named, RANK_TOLERANCE, Study};

/// A linear system in descriptor form.
#[derive(Clone, Debug)]
pub struct DescriptorForm {
    /// E, A, B, C, D. [descriptor]
    pub system: StateSpace,
    /// x: all states, then the multipliers of the independent rows.
    pub states: Vec<Named>,
}

/// The descriptor form about a state that satisfies the constraints.
pub fn descriptor_form(study: &mut Study, t: f64, y: &[f64]) -> Result<DescriptorForm, AnalysisError> {
    let local = study.local(t, y)?;
    let (n_q, n_u, _) = study.sizes();
    let n = study.n_states();
    let (inputs, outputs) = (study.input_names(), study.output_names());
    let mass = study.mass(t, y)?;
    let speeds: Vec<usize> = (n_q..n_q + n_u).collect();
    let width = n + inputs.len();
    let every: Vec<usize> = (0..width).collect();
    let gradient = part(&local.velocities, &(0..local.velocities.n_rows()).collect::<Vec<_>>(), &speeds);
    let kept = independent_rows(&gradient);
    let loads = product(&mass, &part(&local.field, &speeds, &every));
    let holonomic = study.holonomic_rows();
    let size = n + kept.len();
    let mut e = Matrix::zeros(size, size);
    let mut all = Matrix::zeros(size, width);
    for i in 0..n {
        let speed = i.checked_sub(n_q).filter(|k| *k < n_u);
        for j in 0..width {
            all[(i, j)] = speed.map_or(local.field[(i, j)], |k| loads[(k, j)]);
        }
        match speed {
            None => e[(i, i)] = 1.0,
            Some(k) => (0..n_u).for_each(|j| e[(i, n_q + j)] = mass[(k, j)]),
        }
    }
    for (k, row) in kept.iter().enumerate() {
        let position = holonomic.iter().position(|h| h == row);
        for j in 0..width {
            let entry = position.map_or(local.velocities[(*row, j)], |p| local.positions[(p, j)]);
            all[(n + k, j)] = entry; // [held-rows]
        }
    }
    let mut a = Matrix::zeros(size, size);
    for i in 0..size {
        (0..n).for_each(|j| a[(i, j)] = all[(i, j)]);
    }
    for (k, row) in kept.iter().enumerate() {
        (0..n_u).for_each(|j| a[(n_q + j, n + k)] = gradient[(*row, j)]); // [dynamic]
    }
    let rows: Vec<usize> = (0..size).collect();
    let b = part(&all, &rows, &(n..width).collect::<Vec<_>>());
    let seen: Vec<usize> = (n..n + outputs.len()).collect();
    let seen = part(&local.field, &seen, &every);
    let c =
        cardan_control::Matrix::from_fn(outputs.len(), size, |i, j| if j < n { seen[(i, j)] } else { 0.0 });
    let d = cardan_control::Matrix::from_fn(outputs.len(), inputs.len(), |i, j| seen[(i, n + j)]);
    let of = cardan_control::matrix::of_slices;
    let mut system = StateSpace::new(of(&a), of(&b), c, d)?.with_descriptor(of(&e))?;
    let names = |list: &[Named]| list.iter().map(|q| q.name.clone()).collect::<Vec<_>>();
    (system.inputs, system.outputs) = (names(&inputs), names(&outputs));
    let multiplier = |row: &usize| {
        let name = format!("multiplier of {}", study.row_names()[*row].constraint);
        Named { name, unit: "1".into(), description: String::new() }
    };
    let states = (0..n).map(|k| study.state(k).0).chain(kept.iter().map(multiplier)).collect();
    Ok(DescriptorForm { system, states })
}

/// The rows that do not depend on those before them, by Gram and Schmidt's process, twice for
/// rounding.
fn independent_rows(rows: &Matrix) -> Vec<usize> {
    let (mut kept, mut basis): (Vec<usize>, Vec<Vec<f64>>) = (vec![], vec![]);
    for i in 0..rows.n_rows() {
        let mut rest: Vec<f64> = (0..rows.n_cols()).map(|j| rows[(i, j)]).collect();
        let length = |x: &[f64]| x.iter().map(|a| a * a).sum::<f64>().sqrt();
        let whole = length(&rest);
        for known in basis.iter().chain(&basis) {
            let along: f64 = known.iter().zip(&rest).map(|(a, b)| a * b).sum();
            rest.iter_mut().zip(known).for_each(|(x, a)| *x -= along * a);
        }
        let left = length(&rest);
        if left > RANK_TOLERANCE * whole {
            kept.push(i);
            basis.push(rest.iter().map(|x| x / left).collect());
        }
    }
    kept
}
