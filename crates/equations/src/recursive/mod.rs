//! Recursions along the tree, in body-fixed components.
//!
//! - [`tree`]: moving frames with what is fixed in them;
//! - [`axis_rotation`]: turns about one axis;
//! - [`inertia`]: mass, first moment and inertia, and their regrouping into base parameters;
//! - [`axisymmetric`]: wheels and their like, without their angles;
//! - [`parallel_axes`]: joints with parallel axes, without turns between them;
//! - [`joint_rates`]: natural rates in terms of speeds;
//! - [`newton_euler`]: inverse dynamics and bias, root to leaves and back;
//! - [`composite`]: the mass matrix from composite bodies;
//! - [`articulated`]: accelerations from articulated bodies;
//! - [`derivatives`]: derivatives of the accelerations.

pub(crate) mod axis_rotation;
pub(crate) mod axisymmetric;
pub(crate) mod derivatives;
pub(crate) mod joint_rates;
pub(crate) mod parallel_axes;

pub(crate) mod articulated;
pub(crate) mod composite;
pub(crate) mod inertia;
pub(crate) mod newton_euler;
pub(crate) mod tree;

use cardan_expr::Expr;
use cardan_model::Model;

use crate::Failure;
use crate::equations::Dynamics;
use crate::recursive::parallel_axes::Carriers;
use crate::small;

pub(crate) fn derive(model: &Model) -> Result<Dynamics, Failure> {
    let (mass, forcing) = mass_and_forcing(model)?;
    Ok(Dynamics::Implicit { mass, forcing })
}

pub(crate) fn mass_and_forcing(model: &Model) -> Result<(Vec<Vec<Expr>>, Vec<Expr>), Failure> {
    let pool = model.space.pool();
    let mut tree = tree::Tree::of(model)?;
    // Rows of constraints are written with the angles of the joints: there sums of angles would be more functions.
    if model.constraints.is_empty() {
        tree = tree.aligned(model, Carriers::BehindTurns);
    }
    let rates = joint_rates::Rates::of(model);
    let zeros = vec![pool.zero(); model.speeds.len()];
    let at_rest = rates.accelerations(model, &zeros);
    let bias = rates.to_speeds(model, newton_euler::inverse_dynamics(model, &tree, &at_rest));
    let mut forcing: Vec<Expr> = bias.iter().map(|b| pool.neg(*b)).collect();
    let mut mass = rates.reduce(model, composite::mass_matrix(model, &tree));
    small::truncate(model, &mut mass, &mut forcing);
    Ok((mass, forcing))
}

/// O(n): no mass matrix is formed.
pub(crate) fn derive_articulated(model: &Model) -> Result<Dynamics, Failure> {
    let pool = model.space.pool();
    let tree = tree::Tree::of(model)?.aligned(model, Carriers::BehindTurns);
    let rates = joint_rates::Rates::of(model);
    let order = rates.speed_of_each(model).ok_or(Failure::SpeedsAreNotRates)?;
    let given: Vec<Option<Expr>> =
        order.iter().zip(&rates.drift).map(|(speed, drift)| speed.is_none().then_some(*drift)).collect();
    let natural = articulated::accelerations(model, &tree, &given)?;
    let mut u_dot = vec![pool.zero(); model.speeds.len()];
    for (rate, speed) in order.into_iter().enumerate() {
        if let Some(r) = speed {
            u_dot[r] = pool.sub(natural[rate], rates.drift[rate]); // [natural]
        }
    }
    Ok(Dynamics::Solved { u_dot })
}

/// Newton-Euler with the unknown accelerations.
pub(crate) fn inverse(model: &Model) -> Result<Vec<Expr>, Failure> {
    let tree = tree::Tree::of(model)?.aligned(model, Carriers::BehindOneTurn);
    let rates = joint_rates::Rates::of(model);
    let unknowns: Vec<Expr> = model.speeds.iter().map(|(_, u)| u.rate).collect();
    let natural = newton_euler::inverse_dynamics(model, &tree, &rates.accelerations(model, &unknowns));
    Ok(rates.to_speeds(model, natural))
}

/// Composite bodies alone.
pub(crate) fn mass_matrix(model: &Model) -> Result<Vec<Vec<Expr>>, Failure> {
    let tree = tree::Tree::of(model)?.aligned(model, Carriers::Everywhere);
    Ok(joint_rates::Rates::of(model).reduce(model, composite::mass_matrix(model, &tree)))
}
