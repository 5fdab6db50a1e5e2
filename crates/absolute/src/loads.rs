//! Forces and torques: springs, dampers and bushings by kernels, everything else by the expressions of the model.

use cardan_base::Id;
use cardan_expr::Depends;
use cardan_kinematics::{Point, Vector};
use cardan_model::{Element, ElementEnds, ElementKind, ElementPart, LoadId, LoadKind, Model, PropertyValue};

use crate::error::Unsupported;
use crate::geometry::{self as g, Vec3};
use crate::kernel::Kernel;
use crate::parts::{Attached, Constants, GROUND, Structure};
use crate::scalar_rows::Scalars;
use crate::template::{FREEDOMS, STATE, bushing_program, spring_program};

/// Elements of one kernel.
#[derive(Clone, Debug)]
pub struct ForceGroup {
    /// The kernel.
    pub kernel: Kernel,
    /// Parts and loads of each instance.
    pub instances: Vec<ForceInstance>,
    kind: ForceKind,
}

/// A kind of element with a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ForceKind {
    Spring,
    Bushing,
}

impl ForceGroup {
    /// The kernel of derivatives of the forces of the same instances.
    pub fn slopes(&self) -> Result<Kernel, Unsupported> {
        kernel(self.kind, &self.instances, true)
    }
}

fn kernel(kind: ForceKind, instances: &[ForceInstance], slopes: bool) -> Result<Kernel, Unsupported> {
    let program = match kind {
        ForceKind::Spring => spring_program(slopes),
        ForceKind::Bushing => bushing_program(slopes),
    };
    let program = program.map_err(|e| Unsupported::Program(e.to_string()))?;
    let mut kernel = Kernel::new(&program, instances.len())?;
    for (k, instance) in instances.iter().enumerate() {
        kernel.set(k, 2 * STATE, &instance.data);
    }
    Ok(kernel)
}

/// An element of a kernel.
#[derive(Clone, Debug, Default)]
pub struct ForceInstance {
    /// The two parts.
    pub parts: [usize; 2],
    /// The load whose potential the first value after the forces is.
    pub potential: Option<usize>,
    /// The loads whose powers the following values are.
    pub powers: Vec<(usize, usize)>,
    data: Vec<f64>,
}

/// A force or torque by expressions.
#[derive(Clone, Debug)]
pub struct StatedLoad {
    /// Which load.
    pub load: usize,
    /// Part, direction in the part, place of the coefficient.
    pub terms: Vec<(usize, Vec3, usize)>,
    /// Where it acts; nothing for a torque.
    pub at: Option<MovingPoint>,
    /// On which part.
    pub on: usize,
    /// The part that feels the opposite, and where if elsewhere.
    pub reaction: Option<(usize, Option<MovingPoint>)>,
}

/// A point whose coordinates may vary.
#[derive(Clone, Copy, Debug)]
pub struct MovingPoint {
    /// The frame.
    pub frame: Attached,
    /// Places of its coordinates.
    pub coordinates: [usize; 3],
}

/// All loads of a mechanism.
#[derive(Clone, Debug, Default)]
pub struct Loads {
    /// Springs and dampers; bushings.
    pub groups: Vec<ForceGroup>,
    /// The others.
    pub stated: Vec<StatedLoad>,
    /// Potentials of stated loads: the load and the place of its potential.
    pub potentials: Vec<(usize, usize)>,
}

impl Loads {
    /// The loads of a model.
    pub fn of(
        model: &Model,
        constants: &Constants<'_>,
        structure: &Structure,
        scalars: &mut Scalars,
    ) -> Result<Loads, Unsupported> {
        let mut taken = vec![false; model.loads.len()];
        let (mut springs, mut bushings) = (vec![], vec![]);
        for (_, element) in model.elements.iter() {
            let Some(instance) = by_kernel(model, constants, structure, element) else { continue };
            element.loads.iter().for_each(|(_, l)| taken[l.index()] = true);
            match element.kind {
                ElementKind::Bushing => bushings.push(instance),
                _ => springs.push(instance),
            }
        }
        let mut loads = Loads::default();
        for (kind, instances) in [(ForceKind::Spring, springs), (ForceKind::Bushing, bushings)] {
            if !instances.is_empty() {
                let kernel = kernel(kind, &instances, false)?;
                loads.groups.push(ForceGroup { kernel, instances, kind });
            }
        }
        for (id, load) in model.loads.iter().filter(|(id, _)| !taken[id.index()]) {
            let refused = || Unsupported::Load(load.name.clone());
            loads.stated.push(stated(model, structure, scalars, id.index()).ok_or_else(refused)?);
            if let Some(potential) = load.potential {
                loads.potentials.push((id.index(), scalars.ask(potential)));
            }
        }
        Ok(loads)
    }
}

/// A spring, damper or bushing with fixed data between fixed points.
fn by_kernel(
    model: &Model,
    constants: &Constants<'_>,
    structure: &Structure,
    element: &Element,
) -> Option<ForceInstance> {
    let ElementEnds::Points(p, q) = &element.ends else { return None };
    let is_bushing = element.kind == ElementKind::Bushing;
    let is_spring =
        matches!(element.kind, ElementKind::Spring | ElementKind::Damper | ElementKind::SpringDamper);
    if !is_bushing && !is_spring {
        return None;
    }
    let pool = model.space.pool();
    let fixed = |e: &cardan_expr::Expr| pool.is_constant(*e);
    if ![p, q].iter().all(|p| p.coordinates.iter().all(fixed)) {
        return None;
    }
    let ends =
        [p, q].map(|p: &Point| Some((structure.frames[p.frame.index()]?, constants.numbers(p.coordinates))));
    let [Some(a), Some(b)] = ends else { return None };
    let place = |(at, point): (Attached, Vec3)| {
        let center = structure.parts.get(at.part).map_or([0.0; 3], |p| p.center);
        g::sub(at.pose.at(point), center)
    };
    let axes =
        |(at, _): (Attached, Vec3)| g::transpose(&at.pose.r).into_iter().flatten().collect::<Vec<f64>>();
    let mut data: Vec<f64> = vec![];
    if is_spring {
        data.extend(place(a));
        data.extend(place(b));
        for name in ["stiffness", "damping", "length"] {
            let value = element.properties.iter().find(|p| p.name == name).map(|p| &p.value);
            data.push(match value {
                None => 0.0,
                Some(PropertyValue::Scalar(e)) if fixed(e) => constants.number(*e),
                _ => return None,
            });
        }
    } else {
        for end in [a, b] {
            data.extend(place(end));
            data.extend(axes(end));
        }
        for name in ["stiffness", "damping", "torsion_stiffness", "torsion_damping"] {
            let value = element.properties.iter().find(|p| p.name == name).map(|p| &p.value);
            match value {
                None => data.extend([0.0; 3]),
                Some(PropertyValue::Triple(e)) if e.iter().all(fixed) => data.extend(constants.numbers(*e)),
                _ => return None,
            }
        }
    }
    let find = |part: ElementPart| element.loads.iter().find(|(p, _)| *p == part).map(|(_, l)| l.index());
    let potential = find(ElementPart::Spring);
    if potential.is_some_and(|l| model.loads[LoadId::from_index(l)].potential.is_none()) {
        return None;
    }
    let mut powers = vec![];
    powers.extend(find(ElementPart::Damper).map(|l| (l, 2 * FREEDOMS + 1)));
    powers.extend(find(ElementPart::Whole).map(|l| (l, 2 * FREEDOMS + 2)));
    data.iter().all(|x| x.is_finite()).then_some(ForceInstance {
        parts: [a.0.part, b.0.part],
        potential,
        powers,
        data,
    })
}

fn stated(model: &Model, structure: &Structure, scalars: &mut Scalars, index: usize) -> Option<StatedLoad> {
    let load = &model.loads[LoadId::from_index(index)];
    let attached = |frame: cardan_kinematics::FrameId| structure.frames[frame.index()];
    let mut point = |p: &Point| {
        Some(MovingPoint { frame: attached(p.frame)?, coordinates: p.coordinates.map(|e| scalars.ask(e)) })
    };
    let (vector, on, at, reaction) = match &load.kind {
        LoadKind::Force { vector, at, reaction } => {
            let place = point(at)?;
            let back = match reaction {
                None => None,
                Some(r) => {
                    let elsewhere = match &r.at {
                        None => None,
                        Some(p) => Some(point(p)?),
                    };
                    Some((attached(r.frame)?.part, elsewhere))
                }
            };
            (vector, attached(at.frame)?.part, Some(place), back)
        }
        LoadKind::Torque { vector, on, reaction } => {
            let back = match reaction {
                None => None,
                Some(frame) => Some((attached(*frame)?.part, None)),
            };
            (vector, attached(*on)?.part, None, back)
        }
    };
    let terms = directions(model, structure, scalars, vector)?;
    Some(StatedLoad { load: index, terms, at, on, reaction })
}

/// A vector as coefficients along directions that are fixed in parts.
fn directions(
    model: &Model,
    structure: &Structure,
    scalars: &mut Scalars,
    vector: &Vector,
) -> Option<Vec<(usize, Vec3, usize)>> {
    let space = &model.space;
    let pool = space.pool();
    let mut terms = vec![];
    for (unit, c) in vector.terms() {
        if pool.depends(*c).intersects(Depends::UNKNOWNS) {
            return None;
        }
        let unit = space.unit_vector(*unit);
        // Axes of a frame inside a joint are written in the inertial frame.
        match structure.frames[unit.frame.index()] {
            Some(at) => {
                let axis = g::apply(&at.pose.r, g::IDENTITY[unit.axis]);
                terms.push((at.part, axis, scalars.ask(*c)));
            }
            None => {
                let e = space.axis(unit.frame, unit.axis).scale(pool, *c);
                for (i, component) in space.components(&e, space.newtonian()).into_iter().enumerate() {
                    if !pool.is_zero(component) {
                        terms.push((GROUND, g::IDENTITY[i], scalars.ask(component)));
                    }
                }
            }
        }
    }
    Some(terms)
}
