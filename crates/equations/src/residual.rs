//! Equations of motion before they are solved: M u̇ = f and the rows G u̇ = γ that constrain u̇. [unsolved]
//!
//! For who solves them by other means: no speed is eliminated, and nothing is factored. The accelerations themselves, reactions and energies are
//! what [`derive`](crate::derive) goes on to.

use cardan_expr::Expr;
use cardan_model::Model;

use crate::constrained::rows::ConstraintRows;
use crate::equations::{Dynamics, Equations, Failure, Formalism, assemble};
use crate::{kane, lagrange, recursive};

/// See [unsolved]. Expressions belong to the model's pool.
#[derive(Clone, PartialEq, Debug)]
pub struct Unsolved {
    /// The full symmetric mass matrix.
    pub mass: Vec<Vec<Expr>>,
    /// The right-hand side.
    pub forcing: Vec<Expr>,
    /// The rows of the constraints; empty for a tree.
    pub constraints: ConstraintRows,
}

/// The mass matrix and right-hand side of a model by a formalism, those of articulated bodies by composite bodies; and the constraint rows
/// as they were given.
pub fn unsolved(
    model: &Model,
    formalism: Formalism,
    constraints: ConstraintRows,
) -> Result<Unsolved, Failure> {
    let (mass, forcing) = match formalism {
        Formalism::Kane => kane::mass_and_forcing(model)?,
        Formalism::Lagrange => lagrange::mass_and_forcing(model)?,
        Formalism::Recursive | Formalism::Articulated => recursive::mass_and_forcing(model)?,
    };
    Ok(Unsolved { mass, forcing, constraints })
}

impl Unsolved {
    /// The equations that follow from these rows, whoever changed them meanwhile; they are said to be by `formalism`.
    pub fn solved(self, model: &Model, formalism: Formalism) -> Result<Equations, Failure> {
        let dynamics = Dynamics::Implicit { mass: self.mass, forcing: self.forcing };
        assemble(model, formalism, dynamics, self.constraints, true)?.balanced(model)
    }
}
