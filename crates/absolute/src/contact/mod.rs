//! Contacts between the shapes of bodies.
//!
//! ```text
//! [pair]     a contact between A and B goes before one between A and all, and that before one between all and all
//! [joined]   bodies that a joint connects do not touch unless a contact names both
//! ```
//!
//! - here: solids of all parts, the law of each pair; `compliant`: forces that grow with the depth;
//! - `cone`: impulses of rigid contacts, one at a time; `newton`: all at once, by `sparse_cholesky`; `heap`: very many contacts;
//! - `time_stepping`: Moreau's method.

mod compliant;
mod cone;
mod heap;
mod newton;
mod sparse_cholesky;
pub(crate) mod time_stepping;

use cardan_base::{Id, Map};
use cardan_collision::{Collider, ContactPoint, ContactSolid, Placement, World};
use cardan_expr::Expr;
use cardan_model::{Element, ElementEnds, Model, PropertyValue, Shape, ShapeKind};

use crate::error::Unsupported;
use crate::geometry::{self as g, Pose, Vec3};
use crate::parts::{Constants, GROUND, Structure};
use crate::template::STATE;

/// Faces that stand for a turn where the hull of a body of revolution is taken.
const FACES: usize = 32;

/// The law of a contact between shapes.
#[derive(Clone, PartialEq, Debug)]
pub struct ContactLaw {
    /// Of the element.
    pub name: String,
    /// Coefficient of friction.
    pub friction: f64,
    /// Of the normal speed.
    pub restitution: f64,
    /// Impacts that leave less than this speed have no restitution.
    pub rest: f64,
    /// Nothing for a rigid contact.
    pub compliance: Option<Compliance>,
    /// Whether the pair touches at all.
    collides: bool,
}

/// k δ^p (1 + d δ̇), and the sliding speed below which friction is smooth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Compliance {
    /// k
    pub stiffness: f64,
    /// p
    pub exponent: f64,
    /// d
    pub damping: f64,
    /// Sliding speed of regularised friction.
    pub regularisation: f64,
}

/// What the contacts of a law do at a time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ContactSums {
    /// Points that press.
    pub points: f64,
    /// Sum of the normal forces.
    pub normal: f64,
    /// The deepest overlap.
    pub depth: f64,
    /// Power of the forces of compliant contacts.
    pub power: f64,
}

/// Which law two colliders touch by.
#[derive(Clone, Debug, Default)]
pub struct PairLaws {
    /// In order of declaration.
    pub laws: Vec<ContactLaw>,
    /// Body and part of each collider.
    bodies: Vec<usize>,
    parts: Vec<usize>,
    specific: Map<(usize, usize), usize>,
    partial: Map<usize, usize>,
    general: Option<usize>,
    /// Pairs of parts that a joint connects.
    joined: Map<(usize, usize), ()>,
}

impl PairLaws {
    /// The law of a pair of colliders. [pair], [joined]
    fn of(&self, a: usize, b: usize) -> Option<usize> {
        let (one, two) = (self.bodies[a], self.bodies[b]);
        let joined = || self.joined.contains_key(&ordered(self.parts[a], self.parts[b]));
        let specific = self.specific.get(&ordered(one, two)).copied();
        let law = specific.or_else(|| {
            let wide = self.partial.get(&one).or_else(|| self.partial.get(&two)).copied();
            wide.or(self.general).filter(|_| !joined())
        })?;
        self.laws[law].collides.then_some(law)
    }
}

/// The solids of all parts, and how they touch.
#[derive(Clone, Debug)]
pub struct Contacts {
    world: World,
    /// Laws of pairs.
    pub pairs: PairLaws,
    /// Names of bodies.
    names: Vec<String>,
    /// What the contacts of each law do.
    pub sums: Vec<ContactSums>,
    /// Points of the last detection.
    found: Vec<ContactPoint>,
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    if a < b { (a, b) } else { (b, a) }
}

impl Contacts {
    /// The contacts of a model; nothing where shapes do not touch.
    pub fn of(
        model: &Model,
        constants: &Constants<'_>,
        structure: &Structure,
    ) -> Result<Option<Contacts>, Unsupported> {
        let elements: Vec<&Element> = model.shape_contacts().map(|(_, e)| e).collect();
        if elements.is_empty() {
            return Ok(None);
        }
        let mut pairs = PairLaws::default();
        for (k, element) in elements.iter().enumerate() {
            pairs.laws.push(law(constants, element));
            let ElementEnds::Shapes(a, b) = element.ends else { continue };
            let body = |frame| {
                let id = model.body_in(frame).filter(|id| !model.bodies[*id].shapes.is_empty());
                let name = || model.space.frame(frame).name.clone();
                id.map(|id| id.index()).ok_or_else(|| Unsupported::Shapeless(name()))
            };
            match (a.map(body).transpose()?, b.map(body).transpose()?) {
                (Some(a), Some(b)) => _ = pairs.specific.insert(ordered(a, b), k),
                (Some(one), None) | (None, Some(one)) => _ = pairs.partial.insert(one, k),
                (None, None) => pairs.general = Some(k),
            }
        }
        for chain in structure.chains.iter().filter(|c| c.freedoms() < 6) {
            pairs.joined.insert(ordered(chain.a, chain.b), ());
        }
        let mut colliders = vec![];
        for (id, body) in model.bodies.iter() {
            let Some(at) = structure.frames[body.frame.index()] else { continue };
            let center = structure.parts.get(at.part).map_or([0.0; 3], |p| p.center);
            for shape in &body.shapes {
                let (solid, own) = solid(constants, shape).ok_or_else(|| {
                    Unsupported::Shape(body.name.clone(), "there is no collision of ellipsoids".into())
                })?;
                let pose = at.pose.then(&own);
                let turn = g::euler_parameters(&pose.r);
                let place = Placement { origin: g::sub(pose.p, center), turn };
                let made = Collider::new(at.part, &solid, place);
                colliders.push(made.map_err(|e| Unsupported::Shape(body.name.clone(), e.to_string()))?);
                pairs.bodies.push(id.index());
                pairs.parts.push(at.part);
            }
        }
        Ok(Some(Contacts {
            world: World::new(colliders),
            sums: vec![ContactSums::default(); pairs.laws.len()],
            pairs,
            names: model.bodies.iter().map(|(_, b)| b.name.clone()).collect(),
            found: vec![],
        }))
    }

    /// Whether some contacts are rigid.
    pub fn has_rigid(&self) -> bool {
        self.pairs.laws.iter().any(|l| l.collides && l.compliance.is_none())
    }

    /// Finds the points at which solids come within a margin.
    pub fn detect(&mut self, y: &[f64], margin: f64) {
        let pairs = &self.pairs;
        let counts = |a: usize, b: usize| pairs.of(a, b).is_some();
        self.world.contacts(|part| placement(y, part), margin, counts, &mut self.found);
    }

    /// The deepest overlap of rigid solids at a state: its depth and the two bodies.
    pub fn deepest(&mut self, y: &[f64]) -> Option<(f64, [String; 2])> {
        self.detect(y, 0.0);
        let rigid = |p: &&ContactPoint| {
            let law = self.pairs.of(p.colliders[0], p.colliders[1]);
            law.is_some_and(|k| self.pairs.laws[k].compliance.is_none())
        };
        let point = self.found.iter().filter(rigid).min_by(|a, b| a.gap.total_cmp(&b.gap))?;
        Some((-point.gap, point.colliders.map(|c| self.names[self.pairs.bodies[c]].clone())))
    }
}

/// The mass centre and the axes of a part.
fn placement(y: &[f64], part: usize) -> Placement {
    if part == GROUND {
        return Placement::IDENTITY;
    }
    let s = &y[STATE * part..][..STATE];
    Placement { origin: [s[0], s[1], s[2]], turn: [s[3], s[4], s[5], s[6]] }
}

fn law(constants: &Constants<'_>, element: &Element) -> ContactLaw {
    let value = |name: &str| {
        let found = element.properties.iter().find(|p| p.name == name)?;
        match found.value {
            PropertyValue::Scalar(e) => Some(constants.number(e)),
            _ => None,
        }
    };
    ContactLaw {
        name: element.name.clone(),
        friction: value("friction").unwrap_or(0.0),
        restitution: value("restitution").unwrap_or(0.0),
        rest: value("rest").unwrap_or(0.0),
        compliance: value("stiffness").map(|stiffness| Compliance {
            stiffness,
            exponent: value("exponent").unwrap_or(1.5),
            damping: value("damping").unwrap_or(0.0),
            regularisation: value("regularisation").unwrap_or(1e-3),
        }),
        collides: value("collide").is_none_or(|c| c != 0.0),
    }
}

/// A shape as a solid in its own axes, and where these stand in the body. Shapes that are not convex are taken as their hulls.
fn solid(constants: &Constants<'_>, shape: &Shape) -> Option<(ContactSolid, Pose)> {
    let number = |e: Expr| constants.number(e);
    let at = constants.numbers(shape.at);
    let axis = shape.axis.map_or([0.0, 0.0, 1.0], |a| constants.numbers(a));
    let along = |p: Vec3, axis: Vec3| {
        let axis = g::scale(1.0 / g::norm(axis), axis);
        let (u, v) = g::normals(axis);
        Pose { p, r: g::transpose(&[u, v, axis]) }
    };
    let straight = Pose { p: at, r: g::IDENTITY };
    let turned = along(at, axis);
    Some(match &shape.kind {
        ShapeKind::Sphere(r) => (ContactSolid::Sphere(number(*r)), straight),
        ShapeKind::Box(size) => (ContactSolid::Box(constants.numbers(*size)), straight),
        ShapeKind::Cylinder(r, l) | ShapeKind::Tube(r, _, l) => {
            (ContactSolid::Cylinder(number(*r), number(*l)), turned)
        }
        ShapeKind::Capsule(r, l) => (ContactSolid::Capsule(number(*r), number(*l)), turned),
        ShapeKind::Cone(r, l) => (ContactSolid::Cone(number(*r), number(*l)), turned),
        ShapeKind::Plane => (ContactSolid::HalfSpace, turned),
        ShapeKind::Rod(to, r) => {
            let span = g::sub(constants.numbers(*to), at);
            let middle = g::add(at, g::scale(0.5, span));
            (ContactSolid::Capsule(number(*r), g::norm(span)), along(middle, span))
        }
        ShapeKind::Mesh(vertices, _) => (ContactSolid::Hull(vertices.clone()), straight),
        ShapeKind::Extrusion(corners, l) => {
            let half = 0.5 * number(*l);
            let corner = |c: &[Expr; 2]| constants.numbers(*c);
            let points = corners.iter().map(corner).flat_map(|[x, y]| [[x, y, -half], [x, y, half]]);
            (ContactSolid::Hull(points.collect()), straight)
        }
        ShapeKind::Revolution(profile) => {
            let turns = (0..FACES).map(|k| std::f64::consts::TAU * k as f64 / FACES as f64);
            let points = turns.flat_map(|angle| {
                let (s, c) = angle.sin_cos();
                profile.iter().map(move |p| constants.numbers(*p)).map(move |[r, z]| [r * c, r * s, z])
            });
            (ContactSolid::Hull(points.collect()), turned)
        }
        ShapeKind::Ellipsoid(_) => return None,
    })
}
