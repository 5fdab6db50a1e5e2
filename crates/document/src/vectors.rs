//! Kinematics and the equations of motion in vectors of mixed frames: no basis is chosen.

use cardan_expr::print::Listing;
use cardan_expr::{Derivation, Expr};
use cardan_kinematics::Vector;
use cardan_model::{Body, LoadKind, Model};

use crate::document::{Block, Formula, Law, Section};
use crate::tidy::tidy;

/// Vectors with their left sides, their coefficients in one listing so that names are shared and defined once.
struct Vectors<'m> {
    model: &'m Model,
    list: Vec<(Option<String>, Formula, Vector)>,
}

impl Vectors<'_> {
    fn write(self, section: &mut Section) {
        let space = &self.model.space;
        let coefficients: Vec<(String, Expr)> = self
            .list
            .iter()
            .flat_map(|(_, _, v)| v.terms().iter().map(|(unit, e)| (space.unit_vector_name(*unit), *e)))
            .collect();
        let listing = Listing::of(space.pool(), &coefficients);
        let mut next = listing.results.into_iter();
        for (heading, left, vector) in self.list {
            heading.into_iter().for_each(|h| section.heading(h));
            let terms = next.by_ref().take(vector.terms().len());
            let right = Formula::Vector(terms.map(|(unit, layout)| (tidy(layout), unit)).collect());
            section.equation(left, right);
        }
        let definitions: Vec<_> = listing.constants.into_iter().chain(listing.variables).collect();
        if !definitions.is_empty() {
            section.heading("where");
        }
        for (name, layout) in definitions {
            section.equation(Formula::Name(name), Formula::Scalar(tidy(layout)));
        }
    }
}

/// Positions, angular velocities, velocities.
pub(crate) fn kinematics(model: &Model) -> Section {
    let mut section = Section::new("Kinematics");
    section.text(
        "For each body: position `p` of the mass centre from the origin of the inertial frame, angular velocity `ω`, velocity `v` of the mass \
         centre. Vectors are sums over unit vectors of several frames.",
    );
    let space = &model.space;
    let mut list = vec![];
    // A frame that is fixed to the ground or to its parent moves with it.
    let fixed = |b: &Body| b.joint.is_none_or(|j| model.joints[j].coordinates.is_empty());
    for (_, body) in model.bodies.iter().filter(|(_, b)| !(b.is_massless(space) && fixed(b))) {
        let center = body.center_point();
        let words =
            if body.description.is_empty() { String::new() } else { format!(": {}", body.description) };
        let heading = Some(format!("{}{words}", body.name));
        let quantity = |letter: char| Formula::Quantity(letter, body.name.clone(), None);
        list.push((heading, quantity('p'), space.position_from(space.newtonian(), &center)));
        list.push((None, quantity('ω'), space.w(body.frame)));
        list.push((None, quantity('v'), space.velocity(&center)));
    }
    Vectors { model, list }.write(&mut section);
    section
}

/// Kane's equations: one law, and the vectors that a model puts into it.
pub(crate) fn motion(model: &Model) -> Section {
    let mut section = Section::new("Equations of motion in vector form");
    section.text(
        "One equation per speed, the one with the number `r`. The sum goes over all bodies: mass `m`, central inertia dyadic `I`, acceleration `a` \
         of the mass centre, angular acceleration `α`; `F` and `T` are the resultant of the loads on the body at its mass centre, weight included.",
    );
    section.blocks.push(Block::Law(KANE));
    let space = &model.space;
    let pool = space.pool();
    let mut list = vec![];
    if !model.gravity.is_zero() {
        let heading = Some("Gravity".to_owned());
        list.push((heading, Formula::Quantity('g', String::new(), None), model.gravity.clone()));
    }
    let mut heading = Some("Loads".to_owned());
    for (_, load) in model.loads.iter() {
        let (letter, vector) = match &load.kind {
            LoadKind::Force { vector, .. } => ('F', vector),
            LoadKind::Torque { vector, .. } => ('T', vector),
        };
        list.push((heading.take(), Formula::Quantity(letter, load.name.clone(), None), vector.clone()));
    }
    let mut heading = Some("Partial velocities that are not zero".to_owned());
    let mut by_speed: Vec<Derivation> =
        model.speeds.iter().map(|(_, u)| Derivation::partial(pool, u.symbol)).collect();
    for (_, body) in model.bodies.iter().filter(|(_, b)| !b.is_massless(space)) {
        for (letter, vector) in [('ω', space.w(body.frame)), ('v', space.velocity(&body.center_point()))] {
            for (r, by) in by_speed.iter_mut().enumerate() {
                let partial = space.partial(&vector, by);
                if !partial.is_zero() {
                    let left = Formula::Quantity(letter, body.name.clone(), Some(r + 1));
                    list.push((heading.take(), left, partial));
                }
            }
        }
    }
    Vectors { model, list }.write(&mut section);
    section
}

const KANE: Law = Law {
    latex: r"\sum_{B} \Bigl[ \boldsymbol{v}^{B}_{r}\cdot\bigl(\boldsymbol{F}^{B} - m_{B}\,\boldsymbol{a}^{B}\bigr)
  + \boldsymbol{\omega}^{B}_{r}\cdot\bigl(\boldsymbol{T}^{B} - \mathbf{I}^{B}\cdot\boldsymbol{\alpha}^{B}
  - \boldsymbol{\omega}^{B}\times\mathbf{I}^{B}\cdot\boldsymbol{\omega}^{B}\bigr)\Bigr] = 0,\qquad r = 1,\dots,n",
    mathml: "<mrow><munder><mo>∑</mo><mi>B</mi></munder><mo>[</mo><msubsup><mi>𝐯</mi><mi>r</mi><mi>B</mi></msubsup><mo>·</mo><mo>(</mo><msup><mi>𝐅</mi><mi>B</mi></msup><mo>−</mo><msub><mi>m</mi><mi>B</mi></msub><msup><mi>𝐚</mi><mi>B</mi></msup><mo>)</mo><mo>+</mo><msubsup><mi>𝛚</mi><mi>r</mi><mi>B</mi></msubsup><mo>·</mo><mo>(</mo><msup><mi>𝐓</mi><mi>B</mi></msup><mo>−</mo><msup><mi>𝐈</mi><mi>B</mi></msup><mo>·</mo><msup><mi>𝛂</mi><mi>B</mi></msup><mo>−</mo><msup><mi>𝛚</mi><mi>B</mi></msup><mo>×</mo><msup><mi>𝐈</mi><mi>B</mi></msup><mo>·</mo><msup><mi>𝛚</mi><mi>B</mi></msup><mo>)</mo><mo>]</mo><mo>=</mo><mn>0</mn></mrow>",
    text: "Σ_B [ v_r·(F - m a) + ω_r·(T - I·α - ω × I·ω) ] = 0,  r = 1 … n",
};
