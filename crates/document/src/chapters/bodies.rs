//! What the bodies are: mass, mass centre, inertia, rotors; and what acts on them.

use cardan_expr::Expr;
use cardan_expr::print::{Layout, Names};
use cardan_kinematics::FrameId;
use cardan_model::{Body, LoadKind, Model};

use crate::chapters::symbols::shown;
use crate::document::{Cell, Formula, Section};
use crate::number_format::{rounded, tidy};

/// The body that a frame belongs to; nothing for the ground.
pub(crate) fn body_of(model: &Model, frame: FrameId) -> Option<&Body> {
    let mut ways = std::iter::successors(Some(frame), |f| model.space.frame(*f).parent);
    ways.find_map(|f| model.bodies.iter().map(|(_, b)| b).find(|b| b.frame == f))
}

/// Mass, mass centre and central inertia of each body; rotors.
pub(crate) fn section(model: &Model) -> Section {
    let mut section = Section::new("Bodies");
    let massive = || model.bodies.iter().map(|(_, b)| b).filter(|b| !b.is_massless(&model.space));
    if massive().next().is_none() {
        return section;
    }
    section.text(
        "Mass centres are measured from the origin of the body, inertias about the mass centre; both in the axes of the body, in SI units.",
    );
    let rows = massive().map(|b| {
        vec![
            Cell::Words(b.name.clone()),
            Cell::Words(b.description.clone()),
            shown(model, b.mass),
            Cell::Formula(center(model, b)),
            Cell::Formula(inertia(model, b)),
        ]
    });
    section.table(["body", "meaning", "mass", "mass centre", "central inertia dyadic"], rows.collect());
    if !model.rotors.is_empty() {
        section.heading("Rotors");
        section.text("A rotor adds its inertia to the diagonal entry of `M` that belongs to its speed, and nothing else.");
        let row = |r: &cardan_model::Rotor| vec![Cell::Words(r.name.clone()), shown(model, r.inertia)];
        section.table(["rotor", "inertia"], model.rotors.iter().map(row).collect());
    }
    section
}

fn coefficients(model: &Model, terms: impl Iterator<Item = (Expr, String)>) -> Formula {
    let pool = model.space.pool();
    let shown = |e: Expr| rounded(tidy(Layout::of(pool, e, &Names::default())));
    Formula::Vector(terms.filter(|(e, _)| !pool.is_zero(*e)).map(|(e, unit)| (shown(e), unit)).collect())
}

const AXES: [&str; 3] = ["x", "y", "z"];

fn center(model: &Model, body: &Body) -> Formula {
    coefficients(model, (0..3).map(|k| (body.center[k], AXES[k].to_owned())))
}

fn inertia(model: &Model, body: &Body) -> Formula {
    let pair = |j: usize, k: usize| format!("{} {}", AXES[j], AXES[k]);
    let all = (0..3).flat_map(|j| (0..3).map(move |k| (j, k)));
    coefficients(model, all.map(|(j, k)| (body.inertia[j][k], pair(j, k))))
}

/// Where loads act and what bears their opposites.
pub(crate) fn loads(model: &Model, section: &mut Section) {
    let ground = || model.space.frame(model.space.newtonian()).name.clone();
    let named = |frame: FrameId| body_of(model, frame).map_or_else(ground, |b| b.name.clone());
    let rows = model.loads.iter().map(|(_, load)| {
        let (what, on, from) = match &load.kind {
            LoadKind::Force { at, reaction, .. } => {
                let from = reaction.as_ref().map_or_else(ground, |r| named(r.frame));
                let place = if at.name.is_empty() { named(at.frame) } else { at.name.clone() };
                ("force", place, from)
            }
            LoadKind::Torque { on, reaction, .. } => {
                ("torque", named(*on), reaction.map_or_else(ground, named))
            }
        };
        let words = [load.name.clone(), load.description.clone(), what.to_owned(), on, from];
        words.into_iter().map(Cell::Words).collect()
    });
    section.table(["load", "meaning", "kind", "acts on", "its opposite on"], rows.collect());
}
