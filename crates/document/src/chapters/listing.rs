//! Listings as older programs print them.
//!
//! ```text
//! [neweul]     M(y, t) ÿ + k(y, ẏ, t) = q(y, ẏ, t)      k: what inertia alone demands; q: what loads and gravity do
//! [robotran]   recursive assignments in the order of evaluation
//! ```

use cardan_equations::{Formalism, derive};
use cardan_expr::Expr;
use cardan_expr::print::{Listing, text};
use cardan_kinematics::Vector;
use cardan_model::Model;

use crate::document::{Block, Section};
use crate::number_format::tidy;

/// M, k and q. [neweul]
pub fn neweul(model: &Model) -> Section {
    let model = model.clone();
    let with_loads = derive(&model, Formalism::Kane);
    // Without loads and gravity f is -k; in the same pool, so that equal terms cancel.
    let mut bare = model;
    bare.loads = cardan_base::Arena::new();
    bare.gravity = Vector::new(bare.space.pool(), []);
    let without = derive(&bare, Formalism::Kane);
    let (Ok(all), Ok(inertial)) = (with_loads, without) else {
        return unavailable("The mass matrix and its right-hand side");
    };
    let (Some(mass), Some(f), Some(f0)) = (all.mass, all.forcing, inertial.forcing) else {
        return unavailable("The mass matrix and its right-hand side");
    };
    let pool = bare.space.pool();
    let mut asked: Vec<(String, Expr)> = vec![];
    for (r, row) in mass.iter().enumerate() {
        let entries = row.iter().take(r + 1).enumerate().filter(|(_, e)| !pool.is_zero(**e));
        asked.extend(entries.map(|(s, e)| (format!("M({},{})", r + 1, s + 1), *e)));
    }
    for (r, e) in f0.iter().enumerate() {
        asked.push((format!("K({})", r + 1), pool.neg(*e)));
    }
    for (r, (a, b)) in f.iter().zip(&f0).enumerate() {
        asked.push((format!("Q({})", r + 1), pool.sub(*a, *b)));
    }
    let mut section = Section::new("Equations of motion: M, k, q");
    let names: Vec<String> = bare.speeds.iter().map(|(_, u)| u.quantity.name.clone()).collect();
    let form = if bare.constraints.is_empty() { "`q`" } else { "`q` + `Gᵀ λ`" };
    section.text(format!(
        "`M ÿ` + `k` = {form} with `ẏ` = ({}). Entries of the symmetric matrix `M` that are not listed are zero. Names that begin with p or z are those \
         of this listing.",
        names.join(", ")
    ));
    section.blocks.push(Block::Listing(lines(&Listing::of_quantities(pool, &asked), false)));
    section
}

/// Assignments of the recursive formalism. [robotran]
pub fn robotran(model: &Model) -> Section {
    let model = model.clone();
    let (Ok(mass), Ok(forces)) = (
        cardan_equations::mass_matrix(&model, Formalism::Recursive),
        cardan_equations::inverse(&model, Formalism::Recursive),
    ) else {
        return unavailable("The recursive equations");
    };
    let mut asked: Vec<(String, Expr)> = vec![];
    for (r, row) in mass.iter().enumerate() {
        let entries = row.iter().take(r + 1).enumerate().filter(|(_, e)| !model.space.pool().is_zero(**e));
        asked.extend(entries.map(|(s, e)| (format!("M{}_{}", r + 1, s + 1), *e)));
    }
    asked.extend(forces.iter().enumerate().map(|(r, e)| (format!("Phi{}", r + 1), *e)));
    let mut section = Section::new("Recursive equations: M and Phi = M u̇ + c");
    section.text(
        "Assignments in the order of evaluation; Phi is zero along a motion without motors. Entries of the symmetric matrix M that are not listed are \
         zero. Names that begin with p or z are those of this listing.",
    );
    section.blocks.push(Block::Listing(lines(&Listing::of(model.space.pool(), &asked), true)));
    section
}

fn unavailable(what: &str) -> Section {
    let mut section = Section::new("Equations of motion");
    section.text(format!("{what} cannot be formed for this model."));
    section
}

/// Definitions before or after results.
fn lines(listing: &Listing, definitions_first: bool) -> Vec<String> {
    let line = |(name, layout): &(String, cardan_expr::print::Layout)| {
        format!("{name} = {}", text::render(&tidy(layout.clone())))
    };
    let definitions: Vec<String> = listing.constants.iter().chain(&listing.variables).map(line).collect();
    let results: Vec<String> = listing.results.iter().map(line).collect();
    if definitions_first {
        definitions.into_iter().chain(results).collect()
    } else {
        results.into_iter().chain(definitions).collect()
    }
}
