//! Equations as residuals: rows of B ẏ = F(t, y) with their sparsity.
//!
//! ```text
//! [differential]   ẏ_i = F_i(t, y)
//! [algebraic]      0 = F_i(t, y)
//! [pattern]        ∂F_i/∂y_j ≠ 0 only where y_j occurs in F_i
//! ```
//!
//! The differential variables come first. The exact Jacobian is derived from the program of the rows.

use cardan_expr::{Expr, Pool};

use crate::forms::variables::{StateRole, StateVariable};

/// Differential and algebraic equations. Expressions belong to the model's pool.
#[derive(Clone, PartialEq, Debug)]
pub struct ResidualForm {
    /// y, differential variables first.
    pub variables: Vec<StateVariable>,
    /// F, one row per variable.
    pub rows: Vec<Expr>,
    /// Values of the algebraic variables that belong to a state; zero for those beyond this list.
    pub consistent: Vec<Expr>,
}

impl ResidualForm {
    /// Number of differential variables.
    pub fn n_differential(&self) -> usize {
        self.variables.iter().take_while(|v| v.role == StateRole::Differential).count()
    }
    /// The variables without a derivative.
    pub fn algebraic(&self) -> &[StateVariable] {
        &self.variables[self.n_differential()..]
    }
    /// Per row the variables that occur in it. [pattern]
    pub fn pattern(&self, pool: &Pool) -> Vec<Vec<usize>> {
        let columns = |row: &Expr| {
            let occurs = |(_, v): &(usize, &StateVariable)| v.occurs_in(pool, *row);
            self.variables.iter().enumerate().filter(occurs).map(|(k, _)| k).collect()
        };
        self.rows.iter().map(columns).collect()
    }
}
