//! The scalar equations: kinematic, dynamic and auxiliary equations, constraints, events, outputs, with named intermediate quantities.

use cardan_equations::Equations;
use cardan_expr::Expr;
use cardan_expr::print::Listing;
use cardan_model::{Model, Quantity, Target, Trigger};

use crate::document::{Block, Cell, Formula, Section};
use crate::meaning::unit;
use crate::tidy::tidy;

/// Formulas to be listed together, so that names are shared and defined once.
#[derive(Default)]
struct Asked {
    list: Vec<(Option<String>, Formula, Expr)>,
}

impl Asked {
    fn group(&mut self, title: &str, rows: impl IntoIterator<Item = (Formula, Expr)>) {
        let mut title = Some(title.to_owned());
        self.list.extend(rows.into_iter().map(|(left, e)| (title.take(), left, e)));
    }

    fn write(self, model: &Model, section: &mut Section) {
        let named: Vec<(String, Expr)> = self.list.iter().map(|(_, _, e)| (String::new(), *e)).collect();
        let listing = Listing::of(model.space.pool(), &named);
        for ((heading, left, _), (_, layout)) in self.list.into_iter().zip(listing.results) {
            heading.into_iter().for_each(|h| section.heading(h));
            section.equation(left, Formula::Scalar(tidy(layout)));
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
            section.text(
                "`M u̇` = `f`, where `u` holds the speeds in the order of their table. The mass matrix `M` is symmetric; entries that are not listed \
                 are zero.",
            );
            let mut entries = vec![];
            for (r, row) in mass.iter().enumerate() {
                let lower = row.iter().take(r + 1).enumerate().filter(|(_, e)| !pool.is_zero(**e));
                entries.extend(lower.map(|(s, e)| (Formula::Entry('M', vec![r + 1, s + 1]), *e)));
            }
            asked.group("Mass matrix", entries);
            let rows = forcing.iter().enumerate().map(|(r, e)| (Formula::Entry('f', vec![r + 1]), *e));
            asked.group("Right-hand side", rows);
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
    section.text("In every admissible position `g` vanishes, in every admissible motion its rate `v`. With them `M u̇` = `f` + `Gᵀ λ`.");
    for (k, r) in rows.iter().enumerate() {
        let c = &model.constraints[r.constraint];
        section.text(format!("Row {}: {} ({}), {}.", k + 1, c.name, c.kind, c.rows[r.row].what));
    }
    let mut asked = Asked::default();
    let numbered = |letter: char, k: usize| Formula::Entry(letter, vec![k + 1]);
    let positions = rows.iter().enumerate().filter_map(|(k, r)| Some((numbered('g', k), r.position?)));
    asked.group("Positions", positions.collect::<Vec<_>>());
    asked.group("Velocities", rows.iter().enumerate().map(|(k, r)| (numbered('v', k), r.velocity)));
    asked.write(model, &mut section);
    Some(section)
}

/// When what jumps; nothing if nothing does.
pub(crate) fn events(model: &Model) -> Option<Section> {
    let hybrid = &model.hybrid;
    if hybrid.events.is_empty() {
        return None;
    }
    let mut section = Section::new("Events");
    section.text(
        "Event `k` happens when its condition `c` becomes true, or again and again with the period `T`. The values listed with it hold \
         afterwards, in terms of those before.",
    );
    let mut asked = Asked::default();
    for (k, (_, event)) in hybrid.events.iter().enumerate() {
        let head = match &event.trigger {
            Trigger::When(condition) => (Formula::Entry('c', vec![k + 1]), *condition),
            Trigger::Every { period, .. } => (Formula::Entry('T', vec![k + 1]), *period),
        };
        let new = event.assignments.iter().map(|(target, value)| {
            let quantity = match target {
                Target::Discrete(id) => &hybrid.discretes[*id].quantity,
                Target::Coordinate(id) => &model.coordinates[*id].quantity,
                Target::Speed(id) => &model.speeds[*id].quantity,
                Target::State(id) => &model.states[*id].quantity,
            };
            (Formula::Name(quantity.name.clone()), *value)
        });
        asked.group(&format!("{}: {}", k + 1, event.name), std::iter::once(head).chain(new));
    }
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
        let unit = q.display_unit.clone().map_or_else(|| unit(&q.dimension), |u| u.replace('*', "·"));
        vec![Cell::Symbol(q.name.clone()), Cell::Words(q.description.clone()), Cell::Words(unit)]
    };
    let rows = model.outputs.iter().map(|o| row(&o.quantity)).collect();
    section.blocks.push(Block::Table(["symbol", "meaning", "shown in"].map(String::from).to_vec(), rows));
    let mut asked = Asked::default();
    asked.group("", model.outputs.iter().map(|o| (Formula::Name(o.quantity.name.clone()), o.value)));
    asked.list.iter_mut().for_each(|(heading, _, _)| *heading = None);
    asked.write(model, &mut section);
    Some(section)
}
