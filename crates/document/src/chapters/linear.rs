//! The linear equations of small departures: M, D, G, K, N as NEWEUL and MEDYNA print them.

use cardan_equations::{Equations, linear_form};
use cardan_expr::{Expr, SymbolId};
use cardan_model::Model;

use crate::chapters::scalars::Asked;
use crate::document::{Formula, Section};

/// The matrices about the start; nothing where no mass matrix is formed.
///
/// The start of a tree stands in the text. That of a mechanism with loops is found by assembly, so
/// that its coordinates keep their names there, as nominal values.
pub(crate) fn section(model: &Model, equations: &Equations) -> Option<Section> {
    let pool = model.space.pool();
    let is_tree = equations.constraints.rows.is_empty();
    let symbol = |e: Expr| pool.as_symbol(e);
    let coordinates = model.coordinates.iter().map(|(_, q)| (q.symbol, q.start)).filter(|_| is_tree);
    let speeds = model.speeds.iter().map(|(_, u)| (u.symbol, u.start));
    let states = model.states.iter().map(|(_, s)| (s.symbol, s.start));
    let nominal: Vec<(SymbolId, Expr)> =
        coordinates.chain(speeds).chain(states).filter_map(|(x, start)| Some((symbol(x)?, start))).collect();
    let form = linear_form(model, equations, &nominal)?;
    let split = form.split(pool);
    let mut section = Section::new("Linear equations");
    let whole = match (&split, is_tree) {
        (Some(_), true) => "`M ÿ` + (`D` + `G`) `ẏ` + (`K` + `N`) `y` = `H p`",
        (Some(_), false) => "`M ÿ` + (`D` + `G`) `ẏ` + (`K` + `N`) `y` = `H p` + `Jᵀ λ`, `J ẏ` = 0",
        (None, true) => "`M u̇` + `P u` + `Q q` = `H p`",
        (None, false) => "`M u̇` + `P u` + `Q q` = `H p` + `Jᵀ λ`, `J u` = 0",
    };
    let about = match is_tree {
        true => "the start, which is taken to be an equilibrium or a steady motion",
        false => {
            "a nominal position that is an equilibrium; coordinates in the matrices are nominal values, and `lambda0` are nominal \
             reactions, which add geometric stiffness"
        }
    };
    section.text(format!(
        "Small departures from {about}: {whole}. Inertia `M`, damping `D` and stiffness `K` are symmetric, gyroscopic terms `G` and \
         circulatory terms `N` skew-symmetric. Entries below the diagonal are listed; entries that are not listed are zero."
    ));
    if !model.states.is_empty() {
        section.text("On the right, - `R s` is added for the auxiliary states `s`.");
    }
    let mut asked = Asked::default();
    let mut matrix = |title: &str, letter: char, m: &[Vec<Expr>], lower: bool| {
        let mut entries = vec![];
        for (i, row) in m.iter().enumerate() {
            let wanted = row.iter().enumerate().filter(|(j, e)| (!lower || *j <= i) && !pool.is_zero(**e));
            entries.extend(wanted.map(|(j, e)| (Formula::Entry(letter, vec![i + 1, j + 1]), *e)));
        }
        asked.group(title, entries);
    };
    matrix("Inertia", 'M', &form.mass, true);
    match &split {
        Some(parts) => {
            matrix("Damping", 'D', &parts.damping, true);
            matrix("Gyroscopic terms", 'G', &parts.gyroscopic, true);
            matrix("Stiffness", 'K', &parts.stiffness, true);
            matrix("Circulatory terms", 'N', &parts.circulatory, true);
        }
        None => {
            matrix("By the speeds", 'P', &form.by_speed, false);
            matrix("By the coordinates", 'Q', &form.by_coordinate, false);
        }
    }
    matrix("By the auxiliary states", 'R', &form.by_state, false);
    matrix("Inputs", 'H', &form.by_input, false);
    matrix("Constraints", 'J', &form.constraints, false);
    asked.write(model, &mut section);
    Some(section)
}
