//! Kinematics and the equations of motion in vectors of mixed frames: no basis is chosen.
//!
//! ```text
//! [kane]        Σ_B [v_r·(F - m a) + ω_r·(T - I·α - ω × I·ω)] = 0      Kane and Levinson, Dynamics, 1985, section 6.1
//! [remainder]   a = Σ_r v_r u̇_r + a_0                                  what is left when all u̇ are zero
//! ```

use cardan_base::Map;
use cardan_expr::print::Listing;
use cardan_expr::{Derivation, Expr, SymbolId};
use cardan_kinematics::Vector;
use cardan_model::{Body, LoadKind, Model};

use crate::chapters::bodies::{body_of, loads};
use crate::document::{Block, Formula, Law, Section};
use crate::number_format::tidy;

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
    // A place of contact is a number, not a thing that moves.
    let contact = |b: &Body| b.joint.is_some_and(|j| model.joints[j].is_contact());
    let dull = |b: &Body| contact(b) || b.is_massless(space) && fixed(b);
    for (_, body) in model.bodies.iter().filter(|(_, b)| !dull(b)) {
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
         of the mass centre, angular acceleration `α`. `F` is the sum of the forces on the body, its weight included; `T` is the sum of the torques on \
         it and of the moments of those forces about its mass centre. What a load does to one body, its opposite does to the other.",
    );
    section.blocks.push(Block::Law(if model.constraints.is_empty() { KANE } else { KANE_WITH_MULTIPLIERS }));
    section.text("Accelerations follow from partial velocities and from remainders, which are listed below:");
    section.blocks.push(Block::Law(ACCELERATIONS));
    let space = &model.space;
    let pool = space.pool();
    let mut list = vec![];
    if !model.gravity.is_zero() {
        let heading = Some("Gravity".to_owned());
        list.push((heading, Formula::Quantity('g', String::new(), None), model.gravity.clone()));
    }
    if !model.loads.is_empty() {
        section.heading("Where loads act");
        loads(model, &mut section);
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
    let bears = |b: &Body| model.loads.iter().any(|(_, l)| feels(model, &l.kind, b));
    for (_, body) in model.bodies.iter().filter(|(_, b)| !b.is_massless(space) || bears(b)) {
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
    let mut remainder = Remainder::new(model);
    let mut heading = Some("Remainders of accelerations that are not zero".to_owned());
    for (_, body) in model.bodies.iter().filter(|(_, b)| !b.is_massless(space)) {
        let accelerations = [('α', space.alpha(body.frame)), ('a', space.acceleration(&body.center_point()))];
        for (letter, vector) in accelerations {
            let rest = remainder.of(&vector);
            if !rest.is_zero() {
                list.push((heading.take(), Formula::Quantity(letter, body.name.clone(), Some(0)), rest));
            }
        }
    }
    Vectors { model, list }.write(&mut section);
    section
}

/// What is left of accelerations when all rates of speeds are zero. [remainder]
struct Remainder<'m> {
    model: &'m Model,
    still: Map<SymbolId, Expr>,
    known: Map<Expr, Expr>,
}

impl<'m> Remainder<'m> {
    fn new(model: &'m Model) -> Self {
        let pool = model.space.pool();
        let rates = model.speeds.iter().filter_map(|(_, u)| pool.as_symbol(u.rate));
        Remainder { model, still: rates.map(|s| (s, pool.zero())).collect(), known: Map::default() }
    }

    fn of(&mut self, vector: &Vector) -> Vector {
        let pool = self.model.space.pool();
        let still = |e: Expr, known: &mut Map<Expr, Expr>| pool.substitute(e, &self.still, known);
        let terms: Vec<_> =
            vector.terms().iter().map(|(unit, e)| (*unit, still(*e, &mut self.known))).collect();
        Vector::new(pool, terms)
    }
}

/// Whether a load or its opposite acts on a body.
fn feels(model: &Model, load: &LoadKind, body: &Body) -> bool {
    let on = |frame| body_of(model, frame).is_some_and(|b| b.frame == body.frame);
    match load {
        LoadKind::Force { at, reaction, .. } => {
            on(at.frame) || reaction.as_ref().is_some_and(|r| on(r.frame))
        }
        LoadKind::Torque { on: first, reaction, .. } => on(*first) || reaction.is_some_and(on),
    }
}

const KANE: Law = Law {
    latex: r"\sum_{B} \Bigl[ \boldsymbol{v}^{B}_{r}\cdot\bigl(\boldsymbol{F}^{B} - m_{B}\,\boldsymbol{a}^{B}\bigr)
  + \boldsymbol{\omega}^{B}_{r}\cdot\bigl(\boldsymbol{T}^{B} - \mathbf{I}^{B}\cdot\boldsymbol{\alpha}^{B}
  - \boldsymbol{\omega}^{B}\times\mathbf{I}^{B}\cdot\boldsymbol{\omega}^{B}\bigr)\Bigr] = 0,\qquad r = 1,\dots,n",
    mathml: "<mrow><munder><mo>∑</mo><mi>B</mi></munder><mo>[</mo><msubsup><mi>𝐯</mi><mi>r</mi><mi>B</mi></msubsup><mo>·</mo><mo>(</mo><msup><mi>𝐅</mi><mi>B</mi></msup><mo>−</mo><msub><mi>m</mi><mi>B</mi></msub><msup><mi>𝐚</mi><mi>B</mi></msup><mo>)</mo><mo>+</mo><msubsup><mi>𝛚</mi><mi>r</mi><mi>B</mi></msubsup><mo>·</mo><mo>(</mo><msup><mi>𝐓</mi><mi>B</mi></msup><mo>−</mo><msup><mi>𝐈</mi><mi>B</mi></msup><mo>·</mo><msup><mi>𝛂</mi><mi>B</mi></msup><mo>−</mo><msup><mi>𝛚</mi><mi>B</mi></msup><mo>×</mo><msup><mi>𝐈</mi><mi>B</mi></msup><mo>·</mo><msup><mi>𝛚</mi><mi>B</mi></msup><mo>)</mo><mo>]</mo><mo>=</mo><mn>0</mn></mrow>",
    text: "Σ_B [ v_r·(F - m a) + ω_r·(T - I·α - ω × I·ω) ] = 0,  r = 1 … n",
};

/// The same with the multipliers of constraints.
const KANE_WITH_MULTIPLIERS: Law = Law {
    latex: r"\sum_{B} \Bigl[ \boldsymbol{v}^{B}_{r}\cdot\bigl(\boldsymbol{F}^{B} - m_{B}\,\boldsymbol{a}^{B}\bigr)
  + \boldsymbol{\omega}^{B}_{r}\cdot\bigl(\boldsymbol{T}^{B} - \mathbf{I}^{B}\cdot\boldsymbol{\alpha}^{B}
  - \boldsymbol{\omega}^{B}\times\mathbf{I}^{B}\cdot\boldsymbol{\omega}^{B}\bigr)\Bigr] + \sum_{k} G_{kr}\,\lambda_{k} = 0,\quad r = 1,\dots,n",
    mathml: "<mrow><munder><mo>∑</mo><mi>B</mi></munder><mo>[</mo><msubsup><mi>𝐯</mi><mi>r</mi><mi>B</mi></msubsup><mo>·</mo><mo>(</mo><msup><mi>𝐅</mi><mi>B</mi></msup><mo>−</mo><msub><mi>m</mi><mi>B</mi></msub><msup><mi>𝐚</mi><mi>B</mi></msup><mo>)</mo><mo>+</mo><msubsup><mi>𝛚</mi><mi>r</mi><mi>B</mi></msubsup><mo>·</mo><mo>(</mo><msup><mi>𝐓</mi><mi>B</mi></msup><mo>−</mo><msup><mi>𝐈</mi><mi>B</mi></msup><mo>·</mo><msup><mi>𝛂</mi><mi>B</mi></msup><mo>−</mo><msup><mi>𝛚</mi><mi>B</mi></msup><mo>×</mo><msup><mi>𝐈</mi><mi>B</mi></msup><mo>·</mo><msup><mi>𝛚</mi><mi>B</mi></msup><mo>)</mo><mo>]</mo><mo>+</mo><munder><mo>∑</mo><mi>k</mi></munder><msub><mi>G</mi><mrow><mi>k</mi><mi>r</mi></mrow></msub><msub><mi>λ</mi><mi>k</mi></msub><mo>=</mo><mn>0</mn></mrow>",
    text: "Σ_B [ v_r·(F - m a) + ω_r·(T - I·α - ω × I·ω) ] + Σ_k G_kr λ_k = 0,  r = 1 … n",
};

const ACCELERATIONS: Law = Law {
    latex: r"\boldsymbol{a}^{B} = \sum_{r} \boldsymbol{v}^{B}_{r}\,\dot{u}_{r} + \boldsymbol{a}^{B}_{0},\qquad
  \boldsymbol{\alpha}^{B} = \sum_{r} \boldsymbol{\omega}^{B}_{r}\,\dot{u}_{r} + \boldsymbol{\alpha}^{B}_{0}",
    mathml: "<mrow><msup><mi>𝐚</mi><mi>B</mi></msup><mo>=</mo><munder><mo>∑</mo><mi>r</mi></munder><msubsup><mi>𝐯</mi><mi>r</mi><mi>B</mi></msubsup><msub><mover><mi>u</mi><mo>˙</mo></mover><mi>r</mi></msub><mo>+</mo><msubsup><mi>𝐚</mi><mn>0</mn><mi>B</mi></msubsup><mo>,</mo><mspace width=\"2em\"></mspace><msup><mi>𝛂</mi><mi>B</mi></msup><mo>=</mo><munder><mo>∑</mo><mi>r</mi></munder><msubsup><mi>𝛚</mi><mi>r</mi><mi>B</mi></msubsup><msub><mover><mi>u</mi><mo>˙</mo></mover><mi>r</mi></msub><mo>+</mo><msubsup><mi>𝛂</mi><mn>0</mn><mi>B</mi></msubsup></mrow>",
    text: "a = Σ_r v_r u̇_r + a_0,   α = Σ_r ω_r u̇_r + α_0",
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // in tests, a panic is the report

    use super::*;

    /// Accelerations by differentiation against partial velocities and remainders: the same functions of q, u and u̇.
    #[test]
    fn partial_velocities_and_remainders_give_accelerations() {
        let text = "model arm\nparameter L = 2 [m]\n\
            body a on N by free(rotate = xyz) { mass = 3 [kg]; inertia = (1, 2, 3) [kg*m^2]; center = (0, L, 0) }\n\
            body b on a by rotate(x = p) translate(y = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; center = (0, 0, L) }\n";
        let model = cardan_lang::compile_text("arm", text).model.unwrap();
        let (space, pool) = (&model.space, model.space.pool());
        let mut remainder = Remainder::new(&model);
        let mut compared = 0;
        for (_, body) in model.bodies.iter() {
            let center = body.center_point();
            let pairs = [
                (space.w(body.frame), space.alpha(body.frame)),
                (space.velocity(&center), space.acceleration(&center)),
            ];
            for (velocity, acceleration) in pairs {
                let mut sum = remainder.of(&acceleration);
                assert!(!acceleration.is_zero() && sum != acceleration);
                for (_, u) in model.speeds.iter() {
                    let part = space.partial(&velocity, &mut Derivation::partial(pool, u.symbol));
                    sum = sum.add(pool, &part.scale(pool, u.rate));
                }
                // Component by component in the inertial frame, since unit vectors of several frames are mixed.
                for axis in 0..3 {
                    let along = |v: &Vector| space.dot(v, &space.axis(space.newtonian(), axis));
                    assert!(
                        pool.is_zero(pool.sub(along(&sum), along(&acceleration))),
                        "{} {axis}",
                        body.name
                    );
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 12);
    }
}
