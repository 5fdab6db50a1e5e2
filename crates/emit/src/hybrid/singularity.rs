//! Numbers by which a complete program sees a singular position: where constraints that are usually independent repeat one another
//! for an instant, all bars of a parallelogram in one line, say.
//!
//! ```text
//! [rows]      G u = …                                the Jacobian of the constraints, rows g_i
//! [pivot]     d_i = |g_i|² - Σ_j<i l_ij² d_j           the square of what g_i says that the rows before it do not say
//!             l_ij d_j = g_i · g_j - Σ_k<j l_ik l_jk d_k    G Gᵀ = L D Lᵀ (Golub, Van Loan: Matrix Computations, 4.1)
//! ```
//!
//! The product of all d_i is that of the squares of the singular values of G; so where one of these vanishes some d_i does. The program compares each d_i
//! with the largest that it has seen. Rounding may make d_i larger than |g_i|², which it never is; the smaller of both is given.

use std::collections::BTreeMap;

use cardan_compile::Choice;
use cardan_lower::expressions_program;
use cardan_program::{Binary, Label, OutputId, ProgramBuilder, ValueId};

use crate::error::Error;
use crate::functions::time;
use crate::link::Composer;

/// Values by column.
type Row = BTreeMap<usize, ValueId>;

/// The pivots of G Gᵀ for the rows that say something; none without constraints. [pivot]
pub(crate) fn pivots(choice: &Choice, composer: &mut Composer) -> Result<Vec<OutputId>, Error> {
    let rows = jacobian(choice, composer)?;
    let mut products: BTreeMap<(usize, usize), ValueId> = BTreeMap::new();
    let mut factors: BTreeMap<(usize, usize), ValueId> = BTreeMap::new();
    let mut outputs = vec![];
    let mut pivots: Vec<ValueId> = vec![];
    for i in 0..rows.len() {
        for j in 0..i {
            let b = &mut composer.builder;
            let mut sum = dot(b, &rows[i], &rows[j]);
            for k in 0..j {
                let (Some(x), Some(y)) = (products.get(&(i, k)), factors.get(&(j, k))) else { continue };
                let known = b.mul(*x, *y);
                sum = Some(match sum {
                    Some(sum) => b.sub(sum, known),
                    None => b.neg(known),
                });
            }
            if let Some(product) = sum {
                products.insert((i, j), product);
                factors.insert((i, j), b.div(product, pivots[j]));
            }
        }
        let b = &mut composer.builder;
        let square = dot(b, &rows[i], &rows[i]).unwrap_or_else(|| b.constant(0.0));
        let mut pivot = square;
        for k in 0..i {
            if let (Some(x), Some(y)) = (products.get(&(i, k)), factors.get(&(i, k))) {
                let known = b.mul(*x, *y);
                pivot = b.sub(pivot, known);
            }
        }
        pivots.push(pivot);
        let least = b.binary(Binary::Min, pivot, square);
        let label = Label::new(format!("independence of row {}", i + 1), "", "squared length");
        outputs.push(composer.output(label, least, time()));
    }
    Ok(outputs)
}

/// The product of two rows; nothing where they have no column in common.
fn dot(b: &mut ProgramBuilder, x: &Row, y: &Row) -> Option<ValueId> {
    let common: Vec<(ValueId, ValueId)> = x.iter().filter_map(|(k, x)| Some((*x, *y.get(k)?))).collect();
    let products: Vec<ValueId> = common.into_iter().map(|(x, y)| b.mul(x, y)).collect();
    products.into_iter().reduce(|sum, product| b.add(sum, product))
}

/// The entries of G that are not zero, row by row. [rows]
fn jacobian(choice: &Choice, composer: &mut Composer) -> Result<Vec<Row>, Error> {
    let model = &choice.model;
    let rows = &choice.equations.constraints.rows;
    let entries = rows.iter().flat_map(|r| &r.jacobian);
    let named = entries.enumerate().map(|(k, (_, e))| (Label::named(format!("entry {}", k + 1)), *e));
    let name = format!("constraints of {}", model.name);
    let part = expressions_program(model, &name, named.collect::<Vec<_>>())?;
    let values = composer.add_still(&part, "the rows of the constraints")?;
    let mut values = values.into_iter();
    let row = |r: &cardan_equations::ConstraintRow| {
        r.jacobian.iter().map(|(column, _)| *column).zip(values.by_ref()).collect()
    };
    Ok(rows.iter().map(row).collect())
}
