//! The scalar equations: kinematic, dynamic and auxiliary equations, constraints, outputs, with named intermediate quantities.

use cardan_equations::Equations;
use cardan_expr::Expr;
use cardan_expr::print::Listing;
use cardan_model::{Model, Quantity};

use crate::default_descriptions::{shown_unit, spaced};
use crate::document::{Cell, Formula, Section};
use crate::number_format::tidy;

/// Formulas to be listed together, so that names are shared and defined once.
#[derive(Default)]
pub(crate) struct Asked {
    list: Vec<(Option<String>, Formula, &'static str, Expr)>,
}

impl Asked {
    /// Formulas under a title; no title if it is empty.
    pub fn group(&mut self, title: &str, rows: impl IntoIterator<Item = (Formula, Expr)>) {
        self.relations(title, rows.into_iter().map(|(left, e)| (left, "=", e)));
    }

    /// The same with signs between the sides.
    pub fn relations(&mut self, title: &str, rows: impl IntoIterator<Item = (Formula, &'static str, Expr)>) {
        let mut title = Some(title.to_owned()).filter(|t| !t.is_empty());
        self.list.extend(rows.into_iter().map(|(left, sign, e)| (title.take(), left, sign, e)));
    }

    pub fn write(self, model: &Model, section: &mut Section) {
        let named: Vec<(String, Expr)> =
            self.list.iter().map(|(_, left, sign, e)| (defines(left, sign), *e)).collect();
        let listing = Listing::of_quantities(model.space.pool(), &named);
        for ((heading, left, sign, _), (_, layout)) in self.list.into_iter().zip(listing.results) {
            heading.into_iter().for_each(|h| section.heading(h));
            let right = Formula::Scalar(tidy(layout));
            if sign == "=" { section.equation(left, right) } else { section.relation(left, sign, right) }
        }
        let groups = [("Constants", listing.constants), ("Intermediate quantities", listing.variables)];
        for (title, definitions) in groups {
            if !definitions.is_empty() {
                section.heading(title);
            }
            for (name, layout) in definitions {
                section.equation(Formula::Name(name), Formula::Scalar(tidy(layout)));
            }
        }
    }
}

/// The name that an equation defines; nothing for what only is new after an event.
fn defines(left: &Formula, sign: &str) -> String {
    match left {
        _ if sign != "=" => String::new(),
        Formula::Name(name) => name.clone(),
        Formula::Entry(letter, indices) => {
            let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
            format!("{letter}({})", indices.join(","))
        }
        _ => String::new(),
    }
}

fn rate(name: &str) -> Formula {
    Formula::Name(format!("der({name})"))
}

/// M u̇ = f, or the solved accelerations where no mass matrix is formed.
pub(crate) fn motion(model: &Model, equations: &Equations) -> Section {
    let mut section = Section::new("Equations of motion in scalar form");
    let pool = model.space.pool();
    let mut asked = Asked::default();
    let obvious = |name: &str, e: Expr| pool.text(e) == format!("der({name})");
    let kinematic = model.coordinates.iter().zip(&equations.q_dot);
    let kinematic = kinematic.filter(|((_, q), e)| !obvious(&q.quantity.name, **e));
    asked.group("Kinematic equations", kinematic.map(|((_, q), e)| (rate(&q.quantity.name), *e)));
    match (&equations.mass, &equations.forcing) {
        (Some(mass), Some(forcing)) => {
            let form = if equations.constraints.rows.is_empty() { "`f`" } else { "`f` + `Gᵀ λ`" };
            section.text(format!(
                "`M u̇` = {form}, where `u` holds the speeds in the order of their table. The mass matrix `M` is symmetric; entries of `M` and \
                 `f` that are not listed are zero."
            ));
            let mut entries = vec![];
            for (r, row) in mass.iter().enumerate() {
                let lower = row.iter().take(r + 1).enumerate().filter(|(_, e)| !pool.is_zero(**e));
                entries.extend(lower.map(|(s, e)| (Formula::Entry('M', vec![r + 1, s + 1]), *e)));
            }
            asked.group("Mass matrix", entries);
            let rows = forcing.iter().enumerate().filter(|(_, e)| !pool.is_zero(**e));
            asked.group("Right-hand side", rows.map(|(r, e)| (Formula::Entry('f', vec![r + 1]), *e)));
        }
        _ => {
            section.text("The accelerations are solved for body by body; no mass matrix is formed.");
            let rows = model.speeds.iter().zip(&equations.u_dot);
            asked.group("Accelerations", rows.map(|((_, u), e)| (rate(&u.quantity.name), *e)));
        }
    }
    let rows = model.states.iter().zip(&equations.s_dot);
    asked.group("Auxiliary equations", rows.map(|((_, s), e)| (rate(&s.quantity.name), *e)));
    asked.write(model, &mut section);
    section
}

/// What vanishes; nothing for a tree.
pub(crate) fn constraints(model: &Model, equations: &Equations) -> Option<Section> {
    let rows = &equations.constraints.rows;
    if rows.is_empty() {
        return None;
    }
    let mut section = Section::new("Constraints");
    section.text(
        "In every admissible position `g` vanishes, in every admissible motion its rate `v`, which is linear in the speeds: `v` = `G u` + `b`. With \
         the multipliers `λ`, one for each row, `M u̇` = `f` + `Gᵀ λ`.",
    );
    let table = rows.iter().enumerate().map(|(k, r)| {
        let c = &model.constraints[r.constraint];
        let words = [(k + 1).to_string(), c.name.clone(), spaced(c.kind.name()), c.rows[r.row].what.clone()];
        let meaning = if r.row == 0 { c.description.clone() } else { String::new() };
        words.into_iter().chain([meaning]).map(Cell::Words).collect()
    });
    section.table(["row", "constraint", "kind", "what vanishes", "meaning"], table.collect());
    let mut asked = Asked::default();
    let numbered = |letter: char, k: usize| Formula::Entry(letter, vec![k + 1]);
    let positions = rows.iter().enumerate().filter_map(|(k, r)| Some((numbered('g', k), r.position?)));
    asked.group("Positions", positions.collect::<Vec<_>>());
    asked.group("Velocities", rows.iter().enumerate().map(|(k, r)| (numbered('v', k), r.velocity)));
    asked.write(model, &mut section);
    Some(section)
}

/// What the model reports; nothing if it has no outputs.
pub(crate) fn outputs(model: &Model) -> Option<Section> {
    if model.outputs.is_empty() {
        return None;
    }
    let mut section = Section::new("Outputs");
    let row = |q: &Quantity| {
        let unit = Cell::Words(shown_unit(q));
        vec![Cell::Symbol(component(model, &q.name)), Cell::Words(q.description.clone()), unit]
    };
    let rows = model.outputs.iter().map(|o| row(&o.quantity)).collect();
    section.table(["symbol", "meaning", "shown in"], rows);
    let mut asked = Asked::default();
    let name = |name: &str| Formula::Name(component(model, name));
    asked.group("", model.outputs.iter().map(|o| (name(&o.quantity.name), o.value)));
    asked.write(model, &mut section);
    Some(section)
}

/// The name of an output; the component of a vector has its axis as an index: `v.x`, beside `v.y` and `v.z`, is v with the index x.
fn component(model: &Model, name: &str) -> String {
    let Some((vector, axis @ ("x" | "y" | "z"))) = name.rsplit_once('.') else { return name.into() };
    let is_there = |axis: &str| model.outputs.iter().any(|o| o.quantity.name == format!("{vector}.{axis}"));
    if ["x", "y", "z"].into_iter().all(is_there) { format!("{vector}_{axis}") } else { name.into() }
}
