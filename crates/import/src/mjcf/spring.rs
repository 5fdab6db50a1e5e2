//! Springs in joints; those of hinges and slides stand in `Assembly::add_spring`.
//!
//! ```text
//! [ball]     T = -k θ a,   turn from the reference: angle θ, axis a      V = k θ²/2
//!            e = (cos θ/2, a sin θ/2):  θ a = f v,  v = (e1, e2, e3),  f = θ / |v|,  θ = 2 atan2(|v|, e0), less 2π where e0 < 0
//! [free]     the ball, and F = -k (p - p0) on the origin           V = k (p - p0)²/2 besides
//! ```
//!
//! |v| is taken as √(v² + 1e-40), so that f is 2 where the body is not turned, and its derivatives are finite.

use cardan_expr::{Expr, Function, Pool, Rational};
use cardan_kinematics::Point;
use cardan_kinematics::rotation::identity;
use cardan_model::{
    Element, ElementEnds, ElementKind, ElementPart, Load, LoadId, LoadKind, PropertyValue, Reaction,
};
use cardan_units::Dimension;

use super::body::{BodyText, JointKind, JointText};
use super::build::{Built, coefficient, left_out};
use super::settings::Settings;
use crate::assembly::Assembly;
use crate::orientation::quaternion_of;

/// Adds the spring of a joint, if it has one.
pub(super) fn add(
    joint: &JointText<'_>,
    built: &Built,
    body: &BodyText<'_>,
    settings: &Settings,
    assembly: &mut Assembly<'_>,
) {
    let stiffness = match &built.settled {
        Some([stiffness, _]) => stiffness.clone(),
        None => match coefficient(joint, "stiffness", assembly) {
            Some(stiffness) => stiffness,
            None => return,
        },
    };
    if settings.is_disabled("spring") || settings.is_disabled("passive") {
        return;
    }
    let name = format!("{}.stiffness", joint.name);
    let number = |name: String, dimension, assembly: &mut Assembly<'_>| {
        assembly.number_datum(name, dimension, &stiffness, joint.span)
    };
    let Some(freedom) = built.freedoms.first().copied() else { return };
    let symbols: Vec<Expr> =
        built.coordinates.iter().map(|c| assembly.builder.model().coordinates[*c].symbol).collect();
    match (joint.kind, built.q, &symbols[..]) {
        (JointKind::Hinge | JointKind::Slide, Some(q), _) => {
            let turns = joint.kind == JointKind::Hinge;
            let dimension = if turns { Dimension::ANGULAR_STIFFNESS } else { Dimension::STIFFNESS };
            let k = number(name, dimension, assembly);
            let label = format!("{}.spring", joint.name);
            assembly.add_spring(label, freedom, k, [q.symbol, q.rest], Some(joint.span));
        }
        (JointKind::Ball, _, &[e0, e1, e2, e3]) => {
            let k = number(name, Dimension::ANGULAR_STIFFNESS, assembly);
            add_turning(joint, freedom.frame, [e0, e1, e2, e3], k, assembly);
        }
        (JointKind::Free, _, &[x, y, z, e0, e1, e2, e3]) => {
            let k = number(name.clone(), Dimension::STIFFNESS, assembly);
            let space = assembly.builder.space();
            let pool = space.pool();
            let d: [Expr; 3] = std::array::from_fn(|i| pool.sub([x, y, z][i], body.place.p[i]));
            let pull = d.map(|c| pool.neg(pool.mul(k, c))); // [free]
            let kind = LoadKind::Force {
                vector: space.vector(space.newtonian(), pull),
                at: space.origin(freedom.frame),
                reaction: None::<Reaction>,
            };
            let square = pool.sum(d.map(|c| pool.powi(c, 2)));
            let potential = half(pool, k, square);
            let load = push(joint, "spring", kind, potential, assembly);
            let space = assembly.builder.space();
            let relaxed = Point { name: String::new(), frame: space.newtonian(), coordinates: body.place.p };
            let ends = ElementEnds::Points(space.origin(freedom.frame), relaxed);
            let made = Element::new(&*joint.name, ElementKind::Bushing, ends, Some(joint.span));
            let made = made.with("stiffness", Dimension::STIFFNESS, PropertyValue::Triple([k; 3]));
            assembly.builder.add_element(Element { loads: vec![(ElementPart::Spring, load)], ..made });
            let relative = match body.place.R == identity(assembly.pool()) {
                true => [e0, e1, e2, e3],
                false => {
                    since(assembly.pool(), quaternion_of(assembly.pool(), &body.place.R), [e0, e1, e2, e3])
                }
            };
            let k = number(format!("{name}.turning"), Dimension::ANGULAR_STIFFNESS, assembly);
            add_turning(joint, freedom.frame, relative, k, assembly);
        }
        _ => left_out(joint, "the stiffness", assembly),
    }
}

/// The torque that turns a frame back.
fn add_turning(
    joint: &JointText<'_>,
    frame: cardan_kinematics::FrameId,
    [e0, e1, e2, e3]: [Expr; 4],
    k: Expr,
    assembly: &mut Assembly<'_>,
) {
    let space = assembly.builder.space();
    let pool = space.pool();
    let v = [e1, e2, e3];
    let tiny = Rational::from_f64(1e-40).unwrap_or(Rational::ZERO);
    let square = pool.add(pool.sum(v.map(|c| pool.powi(c, 2))), pool.number(tiny));
    let s = pool.define(pool.sqrt(square));
    let two = pool.int(2);
    let behind = pool.call(Function::Less, &[e0, pool.zero()]);
    let turn = pool.call(Function::Select, &[behind, pool.mul(two, pool.pi()), pool.zero()]);
    let angle = pool.sub(pool.mul(two, pool.call(Function::Atan2, &[s, e0])), turn);
    let angle = pool.define(angle);
    let factor = pool.define(pool.div(angle, s));
    let torque = v.map(|c| pool.neg(pool.product([k, factor, c]))); // [ball]
    let reaction = space.frame(frame).parent.filter(|p| *p != space.newtonian());
    let kind = LoadKind::Torque { vector: space.vector(frame, torque), on: frame, reaction };
    let potential = half(pool, k, pool.powi(angle, 2));
    push(joint, "spring.turning", kind, potential, assembly);
}

fn half(pool: &Pool, k: Expr, square: Expr) -> Expr {
    pool.scale(Rational::Small(1, 2), pool.mul(k, square))
}

fn push(
    joint: &JointText<'_>,
    part: &str,
    kind: LoadKind,
    potential: Expr,
    assembly: &mut Assembly<'_>,
) -> LoadId {
    assembly.builder.add_load(Load {
        name: format!("{}.{part}", joint.name),
        description: String::new(),
        kind,
        potential: Some(potential),
        conservative: true,
        span: Some(joint.span),
    })
}

/// The turn from one attitude to another, both given by Euler parameters: a* ∘ b.
fn since(pool: &Pool, a: [Expr; 4], b: [Expr; 4]) -> [Expr; 4] {
    let sum = |terms: [(i64, usize, usize); 4]| {
        pool.sum(terms.map(|(sign, i, j)| pool.scale(Rational::int(sign), pool.mul(a[i], b[j]))))
    };
    [
        sum([(1, 0, 0), (1, 1, 1), (1, 2, 2), (1, 3, 3)]),
        sum([(1, 0, 1), (-1, 1, 0), (-1, 2, 3), (1, 3, 2)]),
        sum([(1, 0, 2), (-1, 2, 0), (-1, 3, 1), (1, 1, 3)]),
        sum([(1, 0, 3), (-1, 3, 0), (-1, 1, 2), (1, 2, 1)]),
    ]
}
