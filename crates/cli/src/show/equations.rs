//! The equations of motion in sections.

use cardan::equations::{ConstraintRow, Equations, Formalism, StateRole, ggl_form};
use cardan::expr::print::text;
use cardan::expr::{Expr, Layout, Listing, Pool};
use cardan::model::Model;
use serde_json::json;

use crate::arguments::EquationForm;
use crate::exit::Problem;
use crate::load::{Loaded, refused};
use crate::terminal::Terminal;

/// A titled group of equations.
pub struct Section {
    pub title: String,
    pub equations: Vec<(String, Layout)>,
}

/// Kinematic and dynamic equations, constraints and auxiliary equations, then the definitions of the names in them.
pub fn sections(model: &Model, equations: &Equations) -> Vec<Section> {
    let mut titles: Vec<(String, usize)> = Vec::new();
    let mut asked: Vec<(String, Expr)> = Vec::new();
    let mut group = |title: String, list: Vec<(String, Expr)>| {
        titles.push((title, list.len()));
        asked.extend(list);
    };
    let pool = model.space.pool();
    // A coordinate whose rate is the speed of the same meaning needs no equation.
    let plain = |rate: Expr| model.speeds.iter().any(|(_, u)| u.symbol == rate);
    let kinematic = model.coordinates.iter().zip(&equations.q_dot);
    let kinematic = kinematic.filter(|((_, q), rate)| {
        let obvious = format!("der({})", q.quantity.name);
        !(plain(**rate) && pool.text(**rate) == obvious)
    });
    let kinematic: Vec<_> =
        kinematic.map(|((_, q), rate)| (format!("der({})", q.quantity.name), *rate)).collect();
    group("Kinematic equations".into(), kinematic);
    match (&equations.mass, &equations.forcing) {
        (Some(mass), Some(forcing)) => {
            let mut rows = Vec::new();
            for (r, row) in mass.iter().enumerate() {
                let entries = row.iter().take(r + 1).enumerate().filter(|(_, e)| !pool.is_zero(**e));
                rows.extend(entries.map(|(s, e)| (format!("M({},{})", r + 1, s + 1), *e)));
            }
            group("Mass matrix M (symmetric; what is not listed is zero)".into(), rows);
            let names: Vec<String> = model.speeds.iter().map(|(_, u)| u.quantity.name.clone()).collect();
            let form =
                if equations.constraints.rows.is_empty() { "M u̇ = f" } else { "M u̇ = f + Gᵀ λ" };
            let title = format!("Right-hand side f of {form}, with u = ({})", names.join(", "));
            let rows = forcing.iter().enumerate().map(|(r, e)| (format!("f({})", r + 1), *e));
            group(title, rows.collect());
        }
        _ => {
            let rows = model.speeds.iter().zip(&equations.u_dot);
            let rows = rows.map(|((_, u), e)| (format!("der({})", u.quantity.name), *e));
            group("Dynamic equations".into(), rows.collect());
        }
    }
    for (title, list) in constraints(model, equations) {
        group(title, list);
    }
    let rows = model.states.iter().zip(&equations.s_dot);
    let rows: Vec<_> = rows.map(|((_, s), e)| (format!("der({})", s.quantity.name), *e)).collect();
    group("Auxiliary equations".into(), rows);

    listed(pool, titles, &asked)
}

/// Groups of equations, then the definitions of the names in them.
fn listed(pool: &Pool, titles: Vec<(String, usize)>, asked: &[(String, Expr)]) -> Vec<Section> {
    let listing = Listing::of(pool, asked);
    let definitions = listing.definitions().cloned().collect();
    let mut results = listing.results.into_iter();
    let mut sections: Vec<Section> = titles
        .into_iter()
        .map(|(title, n)| Section { title, equations: results.by_ref().take(n).collect() })
        .collect();
    sections.push(Section { title: "where".into(), equations: definitions });
    sections.retain(|s| !s.equations.is_empty());
    sections
}

/// The rows of the stabilised differential and algebraic equations, each with the variables that occur in it; nothing for
/// a tree.
fn residual_sections(model: &Model, equations: &Equations) -> Option<Vec<Section>> {
    let form = ggl_form(model, equations)?;
    let pool = model.space.pool();
    let names: Vec<String> = form.variables.iter().map(|v| v.name(model)).collect();
    let n = form.n_differential();
    let is_index = |v: usize| form.variables[v].role == StateRole::Algebraic { index: 2 };
    debug_assert!((n..names.len()).all(is_index), "accelerations and multipliers have index 2");
    let rates = names[..n].iter().map(|name| format!("der({name})"));
    let residuals = (n..names.len()).map(|k| format!("0 (row {})", k + 1));
    let rows: Vec<(String, Expr)> = rates.chain(residuals).zip(form.rows.iter().copied()).collect();
    let titles = vec![
        (format!("Differential rows, y = ({})", names[..n].join(", ")), n),
        (format!("Algebraic rows, unknowns of index 2: {}", names[n..].join(", ")), rows.len() - n),
    ];
    let mut sections = listed(pool, titles, &rows);
    let pattern: usize = form.pattern(pool).iter().map(Vec::len).sum();
    let first = &mut sections[0].title;
    *first += &format!("; {pattern} of {} entries of the Jacobian are not zero", names.len() * names.len());
    Some(sections)
}

/// What is zero in every position and in every motion, and the matrix of the constraints.
fn constraints(model: &Model, equations: &Equations) -> [(String, Vec<(String, Expr)>); 3] {
    let rows = &equations.constraints.rows;
    let name = |r: &ConstraintRow| format!("{}.{}", model.constraints[r.constraint].name, r.row + 1);
    let positions = rows.iter().filter_map(|r| Some((format!("g({})", name(r)), r.position?)));
    let rates = rows.iter().map(|r| (format!("v({})", name(r)), r.velocity));
    let entries = rows
        .iter()
        .enumerate()
        .flat_map(|(i, r)| r.jacobian.iter().map(move |(k, e)| (format!("G({},{})", i + 1, k + 1), *e)));
    [
        ("Constraints: g is zero in every position".into(), positions.collect()),
        ("Constraints: v = G u + b is zero in every motion".into(), rates.collect()),
        ("Matrix G, rows in this order (what is not listed is zero)".into(), entries.collect()),
    ]
}

pub fn show(
    terminal: &Terminal,
    loaded: &Loaded,
    formalism: Option<Formalism>,
    form: Option<EquationForm>,
) -> Result<(), Problem> {
    let choice = cardan::derive(&loaded.model, formalism)
        .map_err(|e| refused(terminal, &loaded.model, &loaded.sources, e))?;
    let sections = match form {
        Some(EquationForm::Residual) => {
            residual_sections(&choice.model, &choice.equations).ok_or_else(|| {
                let said = format!("`{}` has no loops, and so no residual form", choice.model.name);
                Problem::usage(said).hint("write `cardan show equations FILE`")
            })?
        }
        Some(EquationForm::Implicit) | None => sections(&choice.model, &choice.equations),
    };
    if terminal.json {
        let sections: Vec<_> = sections
            .iter()
            .map(|s| {
                let equations: Vec<_> =
                    s.equations.iter().map(|(l, r)| json!({ "left": l, "right": text::render(r) })).collect();
                json!({ "title": s.title, "equations": equations })
            })
            .collect();
        terminal.print_json(&json!({
            "ok": true,
            "model": choice.model.name,
            "formalism": choice.equations.formalism.name(),
            "choice": choice.to_string(),
            "sections": sections,
        }));
        return Ok(());
    }
    let mut out = format!("{}\n", terminal.dim(&choice.to_string()));
    for section in &sections {
        out += &format!("\n{}\n", terminal.bold(&section.title));
        let width = section.equations.iter().map(|(l, _)| l.chars().count()).max().unwrap_or(0);
        for (left, right) in &section.equations {
            let pad = " ".repeat(width - left.chars().count());
            let indent = " ".repeat(width + 5);
            out += &format!("  {left}{pad} = {}\n", text::lines(right).join(&format!("\n{indent}")));
        }
    }
    terminal.print(&out);
    Ok(())
}
