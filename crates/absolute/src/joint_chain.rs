//! Joints as chains of translations and rotations between two parts, and their coordinates measured from poses.
//!
//! ```text
//! [chain]     T_AB = T_0 T_1(s_1) T_2(s_2) …                     fixed poses, translations, rotations, balls
//! [twist]     (v; w)_rel = Σ S_k ṡ_k,  S_k = (d; 0) or (a × (p - o); a)     in the axes of A, at the origin of B
//! [measure]   Δs = S⁺ (δp; δφ)                                    Newton's method from the last values
//! [rates]     ṡ = S⁺ (v; w)_rel,    s̈ = S⁺ ((v; w)_rel˙ - Ṡ ṡ)
//! ```
//!
//! Angles are counted on from the last value, so that whole turns are not lost.

use cardan_base::{Id, Map};
use cardan_expr::{Expr, Function, Node};
use cardan_kinematics::{FrameId, Motion, RateId};
use cardan_model::{JointId, Marker, Model};

use crate::error::Unsupported;
use crate::geometry::{self as g, Pose, Vec3};

/// One step of a chain.
#[derive(Clone, PartialEq, Debug)]
pub enum Segment {
    /// No motion.
    Fixed(Pose),
    /// Along a unit vector.
    Translation {
        /// In the frame so far.
        direction: Vec3,
        /// How far.
        travel: Travel,
    },
    /// About a unit vector.
    Rotation {
        /// In the frame so far.
        direction: Vec3,
        /// How far.
        travel: Travel,
    },
    /// Any turn; rates are components in the turned frame.
    Ball {
        /// The turned frame.
        frame: FrameId,
        /// Its rates.
        rates: [RateId; 3],
    },
    /// Any displacement; rates are components in the moved frame.
    Free {
        /// The moved frame.
        frame: FrameId,
        /// Its rates.
        rates: [RateId; 6],
    },
    /// The markers of a weld to another part that is not known yet.
    Weld(Box<[Marker; 2]>),
}

/// How far a segment goes.
#[derive(Clone, PartialEq, Debug)]
pub struct Travel {
    /// The displacement, in terms of coordinates and time.
    pub value: Expr,
    /// Its rate.
    pub rate: Expr,
    /// The coordinate that it is, unless it follows something else.
    pub coordinate: Option<usize>,
    /// The speed that its rate is.
    pub speed: Option<usize>,
}

/// Places of coordinates and speeds by their symbols.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// Of coordinates.
    pub coordinates: Map<Expr, usize>,
    /// Of speeds.
    pub speeds: Map<Expr, usize>,
}

impl Lookup {
    /// Of a model.
    pub fn of(model: &Model) -> Lookup {
        Lookup {
            coordinates: model.coordinates.iter().map(|(id, q)| (q.symbol, id.index())).collect(),
            speeds: model.speeds.iter().map(|(id, u)| (u.symbol, id.index())).collect(),
        }
    }
}

impl Travel {
    /// The travel of a frame of a joint that moves by one rate.
    pub fn of(
        model: &Model,
        lookup: &Lookup,
        (joint, frame): (JointId, FrameId),
        rate: RateId,
    ) -> Result<Travel, Unsupported> {
        let rate = model.space.rate(rate);
        let own = &model.joints[joint].coordinates;
        let value = match own.iter().find(|q| model.coordinates[**q].rate == rate) {
            Some(q) => model.coordinates[*q].symbol,
            None => displacement(model, frame, rate)
                .ok_or_else(|| Unsupported::Chain(model.joints[joint].name.clone()))?,
        };
        let coordinate = lookup.coordinates.get(&value).copied();
        Ok(Travel { value, rate, coordinate, speed: lookup.speeds.get(&rate).copied() })
    }
}

/// The displacement of a frame that follows an expression: along its direction, or the angle whose sine stands in its
/// matrix and whose rate is that of the frame.
fn displacement(model: &Model, frame: FrameId, rate: Expr) -> Option<Expr> {
    let space = &model.space;
    let pool = space.pool();
    let data = space.frame(frame);
    if let Motion::Translation { direction, .. } = &data.motion {
        let p = data.p_PoBo_P;
        return Some(pool.sum((0..3).map(|i| pool.mul(p[i], direction[i])).collect::<Vec<_>>()));
    }
    for part in pool.reachable(data.R_PB.iter().flatten().copied()) {
        let Node::Call(Function::Sin | Function::Cos, arguments) = pool.node(part) else { continue };
        let turned = space.dt(arguments[0]);
        if turned == rate {
            return Some(arguments[0]);
        }
        if pool.neg(turned) == rate {
            return Some(pool.neg(arguments[0]));
        }
    }
    None
}

impl Segment {
    /// The pose of a segment that does not move.
    pub fn fixed(&self) -> Option<Pose> {
        match self {
            Segment::Fixed(pose) => Some(*pose),
            _ => None,
        }
    }
    /// The number of its freedoms.
    pub fn freedoms(&self) -> usize {
        match self {
            Segment::Fixed(_) | Segment::Weld(_) => 0,
            Segment::Translation { .. } | Segment::Rotation { .. } => 1,
            Segment::Ball { .. } => 3,
            Segment::Free { .. } => 6,
        }
    }
}

/// A joint between two parts.
#[derive(Clone, PartialEq, Debug)]
pub struct Chain {
    /// Path of the joint.
    pub name: String,
    /// The joint of the model.
    pub joint: JointId,
    /// The first part, from which the chain starts.
    pub a: usize,
    /// The second part, in whose frame it ends.
    pub b: usize,
    /// From the frame of the first part to that of the second.
    pub segments: Vec<Segment>,
    /// The place of its first freedom among those of all chains.
    pub first: usize,
}

/// The motion of one part relative to another, in the axes of the first.
#[derive(Clone, Copy, Debug)]
pub struct Relative {
    /// Of the second part's frame.
    pub pose: Pose,
    /// The velocity of its origin and its angular velocity.
    pub twist: [f64; 6],
    /// Their derivatives without what accelerations of the parts bring.
    pub bias: [f64; 6],
}

/// What a chain tells about a relative motion.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Rates of all freedoms.
    pub rates: Vec<f64>,
    /// Their derivatives without what accelerations of the parts bring.
    pub bias: Vec<f64>,
    /// S⁺, by rows of six.
    pub inverse: Vec<[f64; 6]>,
}

impl Chain {
    /// A chain of segments.
    pub fn new(model: &Model, joint: JointId, a: usize, b: usize, segments: Vec<Segment>) -> Chain {
        let data = &model.joints[joint];
        let name = data.declared.as_ref().map_or(&data.name, |d| &d.name).clone();
        Chain { name, joint, a, b, segments, first: 0 }
    }
    /// The number of its freedoms.
    pub fn freedoms(&self) -> usize {
        self.segments.iter().map(Segment::freedoms).sum()
    }

    /// The displacement that travels give, and the columns of [twist] with their derivatives for `rates`.
    ///
    /// `balls` holds the turns of balls and the displacements of free segments, one after the other.
    pub fn columns(
        &self,
        travels: &[f64],
        balls: &[Pose],
        rates: Option<&[f64]>,
    ) -> (Pose, Vec<[f64; 6]>, [f64; 6]) {
        struct Column {
            axis: Vec3,
            origin: Vec3,
            turns: bool,
            /// Of the frame in which it is fixed: angular velocity and velocity of the origin.
            spin: Vec3,
            drift: Vec3,
        }
        let mut at = Pose::IDENTITY;
        let mut columns: Vec<Column> = vec![];
        let (mut spin, mut drift) = ([0.0; 3], [0.0; 3]);
        let (mut k, mut ball) = (0, 0);
        let rate = |k: usize| rates.map_or(0.0, |r| r[k]);
        // The velocity of the point reached: origins of later segments move with earlier ones.
        let carried =
            |from: Vec3, to: Vec3, spin: Vec3, drift: Vec3| g::add(drift, g::cross(spin, g::sub(to, from)));
        for segment in &self.segments {
            match segment {
                Segment::Fixed(pose) => {
                    let next = at.then(pose);
                    drift = carried(at.p, next.p, spin, drift);
                    at = next;
                }
                Segment::Translation { direction, .. } => {
                    let d = g::apply(&at.r, *direction);
                    columns.push(Column { axis: d, origin: at.p, turns: false, spin, drift });
                    let next = g::add(at.p, g::scale(travels[k], d));
                    drift = g::add(carried(at.p, next, spin, drift), g::scale(rate(k), d));
                    at.p = next;
                    k += 1;
                }
                Segment::Rotation { direction, .. } => {
                    let axis = g::apply(&at.r, *direction);
                    columns.push(Column { axis, origin: at.p, turns: true, spin, drift });
                    at.r = g::compose(&at.r, &g::turn(*direction, travels[k]));
                    spin = g::add(spin, g::scale(rate(k), axis));
                    k += 1;
                }
                Segment::Ball { .. } | Segment::Free { .. } => {
                    let free = matches!(segment, Segment::Free { .. });
                    let next = at.then(&balls[ball]);
                    // Rates are components in the moved frame, whose axes turn with it.
                    let axes = |i: usize| g::apply(&next.r, g::IDENTITY[i]);
                    let turn = |first: usize| {
                        (0..3).fold([0.0; 3], |sum, i| g::add(sum, g::scale(rate(first + i), axes(i))))
                    };
                    let first_turn = if free { k + 3 } else { k };
                    let (moved, swept) = (g::add(spin, turn(first_turn)), carried(at.p, next.p, spin, drift));
                    let slid = if free { g::add(swept, turn(k)) } else { swept };
                    if free {
                        columns.extend((0..3).map(|i| Column {
                            axis: axes(i),
                            origin: next.p,
                            turns: false,
                            spin: moved,
                            drift: slid,
                        }));
                    }
                    columns.extend((0..3).map(|i| Column {
                        axis: axes(i),
                        origin: next.p,
                        turns: true,
                        spin: moved,
                        drift: slid,
                    }));
                    (spin, drift, at) = (moved, slid, next);
                    k += segment.freedoms();
                    ball += 1;
                }
                Segment::Weld(_) => {}
            }
        }
        let mut bias = [0.0; 6];
        let mut out = Vec::with_capacity(columns.len());
        for (k, c) in columns.iter().enumerate() {
            let lever = g::sub(at.p, c.origin);
            let (linear, angular) =
                if c.turns { (g::cross(c.axis, lever), c.axis) } else { (c.axis, [0.0; 3]) };
            out.push([linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]);
            let turned = g::cross(c.spin, c.axis);
            let (dl, da) = match c.turns {
                true => {
                    let lever_rate = g::sub(drift, c.drift);
                    (g::add(g::cross(turned, lever), g::cross(c.axis, lever_rate)), turned)
                }
                false => (turned, [0.0; 3]),
            };
            for i in 0..3 {
                bias[i] += dl[i] * rate(k);
                bias[i + 3] += da[i] * rate(k);
            }
        }
        (at, out, bias)
    }

    /// Travels and balls of a relative pose, from the last ones. [measure]
    pub fn locate(&self, pose: &Pose, travels: &mut [f64], balls: &mut [Pose]) -> Vec<[f64; 6]> {
        if let [Segment::Fixed(before), Segment::Free { .. } | Segment::Ball { .. }, rest @ ..] =
            &self.segments[..]
            && let [] | [Segment::Fixed(_)] = rest
        {
            let after = rest.first().and_then(Segment::fixed).unwrap_or(Pose::IDENTITY);
            let mut inner = before.inverse().then(pose).then(&after.inverse());
            if let Segment::Ball { .. } = &self.segments[1] {
                inner.p = [0.0; 3];
            }
            balls[0] = inner;
            return self.columns(travels, balls, None).1;
        }
        for _ in 0..12 {
            let (reached, columns, _) = self.columns(travels, balls, None);
            let dp = g::sub(pose.p, reached.p);
            let dr = g::turn_vector(&g::compose(&pose.r, &g::transpose(&reached.r)));
            let error = [dp[0], dp[1], dp[2], dr[0], dr[1], dr[2]];
            let steps = solve(&columns, &error);
            self.step(travels, balls, &steps);
            let length = 1.0 + g::norm(pose.p);
            if steps.iter().all(|s| s.abs() < 1e-13 * length) {
                return columns;
            }
        }
        self.columns(travels, balls, None).1
    }

    fn step(&self, travels: &mut [f64], balls: &mut [Pose], steps: &[f64]) {
        let (mut k, mut ball) = (0, 0);
        for segment in &self.segments {
            match segment {
                Segment::Translation { .. } | Segment::Rotation { .. } => travels[k] += steps[k],
                Segment::Ball { .. } | Segment::Free { .. } => {
                    let first = if let Segment::Free { .. } = segment { k + 3 } else { k };
                    let by = [steps[first], steps[first + 1], steps[first + 2]];
                    let e = g::turned(g::euler_parameters(&balls[ball].r), by);
                    if let Segment::Free { .. } = segment {
                        let d = g::apply(&balls[ball].r, [steps[k], steps[k + 1], steps[k + 2]]);
                        balls[ball].p = g::add(balls[ball].p, d);
                    }
                    balls[ball].r = g::matrix(e);
                    ball += 1;
                }
                Segment::Fixed(_) | Segment::Weld(_) => {}
            }
            k += segment.freedoms();
        }
    }

    /// Rates and their bias for a relative motion. [rates]
    pub fn rates(&self, relative: &Relative, travels: &[f64], balls: &[Pose]) -> Measured {
        let (_, columns, _) = self.columns(travels, balls, None);
        let inverse = pseudo_inverse(&columns);
        let times = |rows: &[[f64; 6]], x: &[f64; 6]| -> Vec<f64> {
            rows.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
        };
        let rates = times(&inverse, &relative.twist);
        let (_, _, carried) = self.columns(travels, balls, Some(&rates));
        let rest = std::array::from_fn(|i| relative.bias[i] - carried[i]);
        let bias = times(&inverse, &rest);
        Measured { rates, bias, inverse }
    }

    /// The twist of the second part relative to the first that rates give, in the axes of the first.
    pub fn twist(&self, travels: &[f64], balls: &[Pose], rates: &[f64]) -> [f64; 6] {
        let (_, columns, _) = self.columns(travels, balls, None);
        let mut twist = [0.0; 6];
        for (c, r) in columns.iter().zip(rates) {
            (0..6).for_each(|i| twist[i] += c[i] * r);
        }
        twist
    }

    /// The number of balls and free segments.
    pub fn n_balls(&self) -> usize {
        self.segments.iter().filter(|s| s.freedoms() > 1).count()
    }
}

/// Least-squares solution of Σ column_k x_k = b by modified Gram-Schmidt.
fn solve(columns: &[[f64; 6]], b: &[f64; 6]) -> Vec<f64> {
    pseudo_inverse(columns).iter().map(|row| row.iter().zip(b).map(|(a, b)| a * b).sum()).collect()
}

/// Rows of the pseudo-inverse of independent columns: (SᵀS)⁻¹ Sᵀ. Dependent columns, as at a gimbal lock, give zero.
fn pseudo_inverse(columns: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let n = columns.len();
    let mut q: Vec<[f64; 6]> = vec![];
    let mut r = vec![vec![0.0; n]; n];
    for (k, c) in columns.iter().enumerate() {
        let mut v = *c;
        for (j, e) in q.iter().enumerate() {
            let along: f64 = e.iter().zip(&v).map(|(a, b)| a * b).sum();
            r[j][k] = along;
            (0..6).for_each(|i| v[i] -= along * e[i]);
        }
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let whole = c.iter().map(|x| x * x).sum::<f64>().sqrt();
        r[k][k] = size;
        let factor = if size > 1e-9 * whole { 1.0 / size } else { 0.0 };
        q.push(v.map(|x| x * factor));
    }
    let mut rows = vec![[0.0; 6]; n];
    for k in (0..n).rev() {
        let mut row = q[k];
        for j in k + 1..n {
            let (r, later) = (r[k][j], rows[j]);
            (0..6).for_each(|i| row[i] -= r * later[i]);
        }
        let factor = if q[k].iter().all(|x| *x == 0.0) { 0.0 } else { 1.0 / r[k][k] };
        rows[k] = row.map(|x| x * factor);
    }
    rows
}

/// The coordinates of a ball or free segment: those of its joint that stand in the matrix of its frame.
pub fn coordinates_of(model: &Model, joint: JointId, frame: FrameId) -> Vec<usize> {
    let pool = model.space.pool();
    let data = model.space.frame(frame);
    let roots: Vec<Expr> = data.R_PB.iter().flatten().chain(&data.p_PoBo_P).copied().collect();
    let parts = pool.reachable(roots);
    let own = model.joints[joint].coordinates.iter();
    own.filter(|q| parts.binary_search(&model.coordinates[**q].symbol).is_ok()).map(|q| q.index()).collect()
}
