//! Parts: bodies that are rigidly connected are one part, with the mass of all of them.
//!
//! ```text
//! [lump]   m = Σ m_b,   m c = Σ m_b c_b,   J = Σ R_b J_b R_bᵀ + m_b (|d_b|² 1 - d_b d_bᵀ),   d_b = c_b - c
//! ```

use cardan_base::Id;
use cardan_expr::{Expr, SymbolId};
use cardan_kinematics::{FrameId, Motion};
use cardan_model::closing::Closing;
use cardan_model::{ConstraintKind, JointId, Model};

use crate::error::Unsupported;
use crate::geometry::{self as g, Mat3, Pose, Vec3};
use crate::joint_chain::{Chain, Lookup, Segment, Travel};

/// The place of the ground in lists of parts.
pub const GROUND: usize = usize::MAX;

/// A rigid part.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Of the first of its bodies.
    pub name: String,
    /// Mass.
    pub mass: f64,
    /// About the mass centre, in the part's frame.
    pub inertia: Mat3,
    /// What it is lent while equations are solved. [lent]
    pub lent: Mat3,
    /// The inverse of both together.
    pub inverse: Mat3,
    /// The mass centre in the part's frame.
    pub center: Vec3,
}

/// A frame as a fixed place of a part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Attached {
    /// Which part; [`GROUND`] for the inertial frame.
    pub part: usize,
    /// In the frame of the part.
    pub pose: Pose,
}

/// The parts of a model and the chains of joints between them.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// In order of the tree.
    pub parts: Vec<Part>,
    /// By frame; nothing for a frame that moves inside a joint.
    pub frames: Vec<Option<Attached>>,
    /// The joints that leave freedom.
    pub chains: Vec<Chain>,
    /// Constraints that became part of a chain.
    pub absorbed: Vec<usize>,
}

/// Values of symbols that are fixed in a motion.
pub struct Constants<'m> {
    model: &'m Model,
    values: cardan_base::Map<SymbolId, f64>,
}

impl<'m> Constants<'m> {
    /// The parameters of a model.
    pub fn of(model: &'m Model) -> Constants<'m> {
        let pool = model.space.pool();
        let known = cardan_assembly::ParameterValues::of(model);
        let symbols: Vec<Expr> = model.parameters.iter().map(|(_, p)| p.symbol).collect();
        let values =
            symbols.iter().filter_map(|e| Some((pool.as_symbol(*e)?, known.evaluate(model, *e)))).collect();
        Constants { model, values }
    }
    /// The value of a parameter; NaN where it has none.
    pub fn parameter(&self, symbol: SymbolId) -> f64 {
        self.values.get(&symbol).copied().unwrap_or(f64::NAN)
    }
    /// The number of an expression of parameters.
    pub fn number(&self, e: Expr) -> f64 {
        self.model.space.pool().evaluate(e, &|s| self.parameter(s))
    }
    /// The numbers of several.
    pub fn numbers<const N: usize>(&self, e: [Expr; N]) -> [f64; N] {
        e.map(|e| self.number(e))
    }
    /// A direction cosine matrix of the model, components in the child to components in the parent.
    fn turn(&self, R_PB: &cardan_kinematics::Matrix3) -> Mat3 {
        g::transpose(&R_PB.map(|row| self.numbers(row)))
    }
}

impl Structure {
    /// Finds the parts and the chains between them.
    pub fn of(model: &Model, constants: &Constants<'_>, lookup: &Lookup) -> Result<Structure, Unsupported> {
        let space = &model.space;
        let mut found = Structure { frames: vec![None; space.frames().len()], ..Structure::default() };
        found.frames[space.newtonian().index()] = Some(Attached { part: GROUND, pose: Pose::IDENTITY });
        let mut welds = Welds::of(model);
        for (id, joint) in model.joints.iter() {
            if joint.is_contact() {
                return Err(Unsupported::Contact(joint.name.clone()));
            }
            let mut at = found.frames[joint.parent.index()];
            let Some(first) = at else {
                return Err(Unsupported::Inside(joint.name.clone()));
            };
            let mut segments = vec![Segment::Fixed(first.pose)];
            let mut inner: Vec<(FrameId, Option<Pose>)> = vec![];
            for frame in &joint.frames {
                let segment = found.segment(model, constants, lookup, (id, *frame))?;
                let fixed = segment.fixed();
                match (fixed, segments.last_mut()) {
                    (Some(pose), Some(Segment::Fixed(so_far))) => {
                        *so_far = so_far.then(&pose);
                        let so_far = *so_far;
                        at.iter_mut().for_each(|at| at.pose = so_far);
                    }
                    (Some(_), _) => segments.push(segment),
                    (None, _) => {
                        at = None;
                        segments.push(segment);
                    }
                }
                found.frames[frame.index()] = at;
                inner.push((*frame, fixed));
            }
            if at.is_none() {
                found.hang(model, (id, first.part), segments, inner, &mut welds)?;
            }
        }
        found.weigh(model, constants)?;
        found.tie(constants)?;
        let mut first = 0;
        for chain in &mut found.chains {
            chain.first = first;
            first += chain.freedoms();
        }
        Ok(found)
    }

    /// The segment that a frame is in its parent.
    fn segment(
        &self,
        model: &Model,
        constants: &Constants<'_>,
        lookup: &Lookup,
        (joint, id): (JointId, FrameId),
    ) -> Result<Segment, Unsupported> {
        let space = &model.space;
        let pool = space.pool();
        let frame = space.frame(id);
        let still = frame.motion.rates().iter().all(|r| pool.is_zero(space.rate(*r)));
        if still {
            return Ok(Segment::Fixed(Pose {
                p: constants.numbers(frame.p_PoBo_P),
                r: constants.turn(&frame.R_PB),
            }));
        }
        Ok(match &frame.motion {
            Motion::Translation { direction, rate } => {
                let d = constants.numbers(*direction);
                let travel = Travel::of(model, lookup, (joint, id), *rate)?;
                Segment::Translation { direction: d, travel }
            }
            Motion::Rotation { direction, rate } => {
                let d = constants.numbers(*direction);
                let travel = Travel::of(model, lookup, (joint, id), *rate)?;
                Segment::Rotation { direction: d, travel }
            }
            Motion::Ball { rates } => Segment::Ball { frame: id, rates: *rates },
            Motion::Free { rates } => Segment::Free { frame: id, rates: *rates },
            Motion::Fixed => Segment::Fixed(Pose::IDENTITY),
        })
    }

    /// Adds the part that a joint carries, or ties its chain to the part to which a massless frame is welded.
    fn hang(
        &mut self,
        model: &Model,
        (id, parent): (JointId, usize),
        mut segments: Vec<Segment>,
        inner: Vec<(FrameId, Option<Pose>)>,
        welds: &mut Welds,
    ) -> Result<(), Unsupported> {
        let joint = &model.joints[id];
        let last = joint.frames.last().copied().unwrap_or(joint.parent);
        let weld = welds.take(model, last);
        if weld.is_none() {
            let part = self.parts.len();
            self.parts.push(Part {
                name: joint.name.clone(),
                mass: 0.0,
                inertia: [[0.0; 3]; 3],
                lent: [[0.0; 3]; 3],
                inverse: [[0.0; 3]; 3],
                center: [0.0; 3],
            });
            // Frames after the last motion are fixed in the part.
            let mut pose = Pose::IDENTITY;
            for (frame, fixed) in inner.iter().rev() {
                self.frames[frame.index()] = Some(Attached { part, pose });
                let Some(fixed) = fixed else { break };
                pose = pose.then(&fixed.inverse());
            }
            self.chains.push(Chain::new(model, id, parent, part, segments));
            return Ok(());
        }
        // A massless frame that carries the coordinates of a cut joint.
        let Some((constraint, markers)) = weld else { return Ok(()) };
        self.absorbed.push(constraint.index());
        segments.push(Segment::Weld(Box::new(markers)));
        self.chains.push(Chain::new(model, id, parent, GROUND, segments));
        Ok(())
    }

    /// Masses of bodies to their parts. [lump]
    fn weigh(&mut self, model: &Model, constants: &Constants<'_>) -> Result<(), Unsupported> {
        let pool = model.space.pool();
        let mut sums = vec![(0.0, [0.0; 3]); self.parts.len()];
        let mut placed = vec![];
        for (_, body) in model.bodies.iter() {
            if body.is_massless(&model.space) {
                continue;
            }
            if !pool.is_constant(body.mass) {
                return Err(Unsupported::Massless(body.name.clone()));
            }
            let Some(at) = self.frames[body.frame.index()] else {
                return Err(Unsupported::Massless(body.name.clone()));
            };
            if at.part == GROUND {
                continue;
            }
            let mass = constants.number(body.mass);
            let center = at.pose.at(constants.numbers(body.center));
            let inertia = body.inertia.map(|row| constants.numbers(row));
            // A moment that no motion feels may have no value.
            let inertia = inertia.map(|row| row.map(|x| if x.is_nan() { 0.0 } else { x }));
            let inertia = g::compose(&g::compose(&at.pose.r, &inertia), &g::transpose(&at.pose.r));
            let (m, c) = &mut sums[at.part];
            *m += mass;
            *c = g::add(*c, g::scale(mass, center));
            placed.push((at.part, mass, center, inertia));
        }
        for (part, (m, c)) in self.parts.iter_mut().zip(&sums) {
            part.mass = *m;
            part.center = if *m > 0.0 { g::scale(1.0 / m, *c) } else { [0.0; 3] };
        }
        for (part, mass, center, inertia) in placed {
            let part = &mut self.parts[part];
            let d = g::sub(center, part.center);
            for i in 0..3 {
                for j in 0..3 {
                    let square = if i == j { g::dot(d, d) } else { 0.0 };
                    part.inertia[i][j] += inertia[i][j] + mass * (square - d[i] * d[j]);
                }
            }
        }
        for part in &mut self.parts {
            if part.mass <= 0.0 || !part.mass.is_finite() {
                return Err(Unsupported::Massless(part.name.clone()));
            }
            part.inertia = regular(part.mass, &part.center, &part.inertia);
            part.inverse =
                g::inverse(&part.inertia).ok_or_else(|| Unsupported::Massless(part.name.clone()))?;
        }
        Ok(())
    }

    /// The joints whose end is welded to another part get it, once all parts are known.
    fn tie(&mut self, constants: &Constants<'_>) -> Result<(), Unsupported> {
        let frames = &self.frames;
        for chain in &mut self.chains {
            let Some(Segment::Weld(markers)) = chain.segments.last().cloned() else { continue };
            let [own, other] = *markers;
            let Some(at) = frames[other.frame().index()] else {
                return Err(Unsupported::Inside(chain.name.clone()));
            };
            let pose = |m: &cardan_model::Marker| Pose {
                p: constants.numbers(m.point.coordinates),
                r: g::transpose(&m.axes.map(|row| constants.numbers(row))),
            };
            // own frame → own marker = other marker → other frame → part
            let end = pose(&own).then(&at.pose.then(&pose(&other)).inverse());
            chain.segments.pop();
            chain.segments.push(Segment::Fixed(end));
            chain.b = at.part;
        }
        Ok(())
    }
}

/// Thin rods have no inertia about their axis and particles none at all. There they get a small one, which the motion of
/// rods and particles that nothing turns about that axis does not feel.
fn regular(mass: f64, center: &Vec3, inertia: &Mat3) -> Mat3 {
    const PART: f64 = 1e-9;
    let size = (0..3).map(|i| inertia[i][i]).fold(0.0, f64::max);
    let least = PART * if size > 0.0 { size } else { mass * (g::dot(*center, *center) + 1e-4) };
    let mut raised = *inertia;
    for (moment, axis) in g::principal(inertia) {
        if moment < least {
            for i in 0..3 {
                (0..3).for_each(|j| raised[i][j] += (least - moment) * axis[i] * axis[j]);
            }
        }
    }
    raised
}

/// A moment of inertia below this part of what joints make of the mass blurs the equations, …
const BLURS: f64 = 1e-8;
/// … and is raised to this part while they are solved.
const LENT: f64 = 1e-4;

impl Part {
    /// Lends inertia about axes about which there is next to none, if joints at a distance `reach` from the mass centre tie turns
    /// to displacements:
    ///
    /// ```text
    /// [lent]     (M + E) a' = Q - h + E a + Gᵀ λ,   G a' + γ = 0,    again with a = a'
    /// ```
    ///
    /// A bob on a massless rod has J = 0 and turns with its hinge. 1/J in G M⁻¹ Gᵀ, beside 1/m, leaves no digits of the angular
    /// acceleration: a multiplier of 10 N, rounded at 1e-15 N, acts on 1e-9 kg m². With E of order 1e-4 m r² four more digits
    /// come with each repetition and about twelve are left, since the error shrinks by E/(m r²); the limit has no E in it.
    pub(crate) fn lend(&mut self, reach: f64) {
        let size = (0..3).map(|i| self.inertia[i][i]).fold(self.mass * reach * reach, f64::max);
        self.lent = [[0.0; 3]; 3];
        for (moment, axis) in g::principal(&self.inertia).into_iter().filter(|(j, _)| *j < BLURS * size) {
            for i in 0..3 {
                (0..3).for_each(|j| self.lent[i][j] += (LENT * size - moment) * axis[i] * axis[j]);
            }
        }
        self.invert();
    }

    /// Takes back what was lent.
    pub(crate) fn take_back(&mut self) {
        self.lent = [[0.0; 3]; 3];
        self.invert();
    }

    /// Whether anything is lent.
    pub(crate) fn is_lent(&self) -> bool {
        self.lent.iter().flatten().any(|x| *x != 0.0)
    }

    fn invert(&mut self) {
        let sum = std::array::from_fn(|i| std::array::from_fn(|j| self.inertia[i][j] + self.lent[i][j]));
        if let Some(inverse) = g::inverse(&sum) {
            self.inverse = inverse;
        }
    }
}

/// Welds of massless frames, by frame.
struct Welds {
    list: Vec<(cardan_model::ConstraintId, FrameId)>,
}

impl Welds {
    fn of(model: &Model) -> Welds {
        let fixed = ConstraintKind::Closing(Closing::Fixed);
        let list = model
            .constraints
            .iter()
            .filter(|(_, c)| c.kind == fixed)
            .filter_map(|(id, c)| Some((id, c.markers.as_ref()?[0].frame())))
            .collect();
        Welds { list }
    }

    /// The weld of a frame without mass on which nothing hangs.
    fn take(
        &mut self,
        model: &Model,
        frame: FrameId,
    ) -> Option<(cardan_model::ConstraintId, [cardan_model::Marker; 2])> {
        let carried = |b: &cardan_model::Body| b.frame == frame && !b.is_massless(&model.space);
        let k = self.list.iter().position(|(_, f)| *f == frame)?;
        let hangs = model.joints.iter().any(|(_, j)| j.parent == frame);
        if hangs || model.bodies.iter().any(|(_, b)| carried(b)) {
            return None;
        }
        let (id, _) = self.list.swap_remove(k);
        Some((id, (**model.constraints[id].markers.as_ref()?).clone()))
    }
}
