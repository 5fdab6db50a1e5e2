//! Random trees of bodies: random joints, branching, speeds, loads.

use cardan_base::Id;
use cardan_expr::{Expr, Rational};
use cardan_kinematics::{FrameId, Point, Sequence, Vector, rotation};
use cardan_model::{
    Body, Builder, CoordinateId, CoordinateSpec, JointKind, Load, LoadKind, Model, Orientation, Quantity,
    Reaction, SpeedChoice, Step,
};
use cardan_units::Dimension;

use crate::Random;

/// What a random tree may contain.
#[derive(Clone, Copy, Debug)]
pub struct TreeOptions {
    /// Number of bodies.
    pub bodies: usize,
    /// Springs, dampers, forces and torques.
    pub loads: bool,
    /// Speeds defined as linear combinations of coordinate rates.
    pub user_speeds: bool,
}

struct Maker {
    builder: Builder,
    random: Random,
    n_parameters: usize,
}

/// A tree fixed by its seed. Every number is a parameter with a default value.
pub fn random_tree(seed: u64, options: TreeOptions) -> Model {
    let (mut maker, ground) = Maker::begin("tree", seed);
    let mut frames: Vec<FrameId> = vec![ground];
    for k in 0..options.bodies {
        let parent = if maker.random.chance(0.5) {
            frames[frames.len() - 1]
        } else {
            frames[maker.random.below(frames.len())]
        };
        let frame = maker.add_body(&format!("B{k}"), parent);
        frames.push(frame);
    }
    let user = if options.user_speeds { maker.user_speeds() } else { vec![] };
    maker.builder.fix_speeds(user).expect("the definitions made by user_speeds are regular");
    if options.loads {
        for k in 0..options.bodies {
            maker.add_load(k, &frames);
        }
    }
    maker.builder.finish().expect("a whole tree")
}

/// An arm fixed by its seed: a waist or none, then revolute joints whose axes are parallel as a rule, some of them the other way round. Some bodies are
/// round about the axes of their joints.
pub fn random_arm(seed: u64, bodies: usize) -> Model {
    let (mut maker, ground) = Maker::begin("arm", seed);
    let mut frames: Vec<FrameId> = vec![ground];
    for k in 0..bodies {
        let is_waist = k == 0 && maker.random.chance(0.7);
        let parent = if maker.random.chance(0.8) { k } else { maker.random.below(frames.len()) };
        let name = format!("B{k}");
        let (axis, steps) = maker.hinge(&name, is_waist);
        let round = maker.random.chance(0.3).then_some(axis);
        let frame = maker.add_body_by(&name, frames[parent], JointKind::Revolute, steps, round);
        frames.push(frame);
    }
    maker.builder.fix_speeds(vec![]).expect("rates of coordinates are regular speeds");
    for k in 0..bodies {
        maker.add_load(k, &frames);
    }
    maker.builder.finish().expect("a whole tree")
}

impl Maker {
    /// Nothing but gravity, and the ground.
    fn begin(kind: &str, seed: u64) -> (Maker, FrameId) {
        let mut maker = Maker {
            builder: Builder::new(format!("{kind}{seed}"), "N"),
            random: Random::new(seed),
            n_parameters: 0,
        };
        let gravity = maker.vector3(3.0, 10.0);
        let ground = maker.builder.space().newtonian();
        let g = maker.builder.space().vector(ground, gravity);
        maker.builder.set_gravity(g);
        (maker, ground)
    }

    /// A joint of an arm and its axis: z if it is a waist, else mostly y.
    fn hinge(&mut self, name: &str, is_waist: bool) -> (usize, Vec<Step>) {
        let mut steps = vec![Step::Shift(self.vector3(-1.0, 1.0))];
        let axes = rotation::identity(self.builder.space().pool());
        if self.random.chance(0.3) {
            let angle = self.parameter(-2.0, 2.0);
            let pool = self.builder.space().pool();
            steps.push(Step::Turn(rotation::about_axis(pool, cardan_kinematics::Axis::Y, angle)));
        }
        let pool = self.builder.space().pool();
        let (axis, direction) = match self.random.below(10) {
            _ if is_waist => (2, axes[2]),
            0 | 1 => (0, axes[0]),
            2..=4 => (1, axes[1].map(|e| pool.neg(e))),
            _ => (1, axes[1]),
        };
        steps.push(Step::Rotate(direction, self.spec(format!("{name}.q"))));
        (axis, steps)
    }

    /// A parameter with a random default.
    fn parameter(&mut self, low: f64, high: f64) -> Expr {
        let thousandths = (self.random.between(low, high) * 1000.0).round() as i64;
        let pool = self.builder.space().pool();
        let value = pool.number(Rational::new(thousandths, 1000).unwrap_or(Rational::ONE));
        self.n_parameters += 1;
        let id = self
            .builder
            .add_parameter(Quantity::new(format!("c{}", self.n_parameters), Dimension::ONE), Some(value));
        self.builder.model().parameters[id].symbol
    }
    fn zero(&self) -> Expr {
        self.builder.space().pool().zero()
    }
    /// Components, some of them zero.
    fn vector3(&mut self, low: f64, high: f64) -> [Expr; 3] {
        std::array::from_fn(|_| if self.random.chance(0.5) { self.parameter(low, high) } else { self.zero() })
    }
    fn direction(&mut self) -> [Expr; 3] {
        let k = self.random.below(3);
        let axis = rotation::identity(self.builder.space().pool())[k];
        match self.random.below(5) {
            0 => axis.map(|e| self.builder.space().pool().neg(e)),
            1 => {
                // (3, 4, 12)/13 is a unit vector with exact components.
                let pool = self.builder.space().pool();
                [3, 4, 12].map(|n| pool.number(Rational::Small(n, 13)))
            }
            _ => axis,
        }
    }
    fn spec(&mut self, name: String) -> CoordinateSpec {
        let speed = format!("der({name})");
        CoordinateSpec::new(Quantity::new(name, Dimension::ONE), speed)
    }
    fn specs(&mut self, name: &str, n: usize) -> Vec<CoordinateSpec> {
        (1..=n).map(|i| self.spec(format!("{name}.q{i}"))).collect()
    }
    fn speeds(name: &str, n: usize) -> Vec<Quantity> {
        (1..=n).map(|i| Quantity::new(format!("{name}.u{i}"), Dimension::ONE)).collect()
    }
    fn orientation(&mut self) -> Orientation {
        let names = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"];
        match Sequence::named(names[self.random.below(12)]) {
            Some(sequence) if self.random.chance(0.6) => Orientation::Angles(sequence),
            _ => Orientation::EulerParameters,
        }
    }

    fn joint(&mut self, name: &str) -> (JointKind, Vec<Step>) {
        let mut steps = vec![Step::Shift(self.vector3(-1.0, 1.0))];
        if self.random.chance(0.3) {
            let angle = self.parameter(-2.0, 2.0);
            let turn = rotation::about_axis(
                self.builder.space().pool(),
                cardan_kinematics::Axis::ALL[self.random.below(3)],
                angle,
            );
            steps.push(Step::Turn(turn));
        }
        let kind = match self.random.below(10) {
            0..=3 => {
                steps.push(Step::Rotate(self.direction(), self.spec(format!("{name}.q"))));
                JointKind::Revolute
            }
            4 => {
                steps.push(Step::Translate(self.direction(), self.spec(format!("{name}.q"))));
                JointKind::Prismatic
            }
            5 => {
                let d = self.direction();
                steps.push(Step::Translate(d, self.spec(format!("{name}.q1"))));
                steps.push(Step::Rotate(d, self.spec(format!("{name}.q2"))));
                JointKind::Cylindrical
            }
            6 => {
                // Two parallel axes would leave one turn without inertia.
                let k = self.random.below(3);
                let axes = rotation::identity(self.builder.space().pool());
                steps.push(Step::Rotate(axes[k], self.spec(format!("{name}.q1"))));
                steps.push(Step::Rotate(axes[(k + 1) % 3], self.spec(format!("{name}.q2"))));
                JointKind::Universal
            }
            7 => {
                let lead = self.parameter(0.1, 1.0);
                steps.push(Step::Screw(self.direction(), lead, self.spec(format!("{name}.q"))));
                JointKind::Screw
            }
            8 => {
                let orientation = self.orientation();
                let n = if orientation == Orientation::EulerParameters { 4 } else { 3 };
                let choice = if self.random.chance(0.5) {
                    SpeedChoice::BodyFixed
                } else {
                    SpeedChoice::CoordinateRates
                };
                steps.push(Step::Ball(orientation, choice, self.specs(name, n), Self::speeds(name, 3)));
                JointKind::Spherical
            }
            _ => {
                let orientation = self.orientation();
                let n = if orientation == Orientation::EulerParameters { 7 } else { 6 };
                steps.push(Step::Free(orientation, self.specs(name, n), Self::speeds(name, 6)));
                JointKind::Free
            }
        };
        (kind, steps)
    }

    fn add_body(&mut self, name: &str, parent: FrameId) -> FrameId {
        let (kind, steps) = self.joint(name);
        self.add_body_by(name, parent, kind, steps, None)
    }

    /// A body on a joint of these steps, perhaps round about an axis.
    fn add_body_by(
        &mut self,
        name: &str,
        parent: FrameId,
        kind: JointKind,
        steps: Vec<Step>,
        round: Option<usize>,
    ) -> FrameId {
        let joint = self.builder.add_joint(name, kind, parent, steps, None);
        let frames = &self.builder.model().joints[joint].frames;
        let frame = *frames.last().unwrap_or(&parent);
        let mass = self.parameter(0.5, 3.0);
        let mut center = self.vector3(-0.5, 0.5);
        let mut inertia = [[self.zero(); 3]; 3];
        for i in 0..3 {
            inertia[i][i] = self.parameter(1.0, 1.4);
            for j in 0..i {
                if self.random.chance(0.4) {
                    inertia[i][j] = self.parameter(-0.2, 0.2);
                    inertia[j][i] = inertia[i][j];
                }
            }
        }
        if let Some(k) = round {
            let (i, j, zero) = ((k + 1) % 3, (k + 2) % 3, self.zero());
            (center[i], center[j]) = (zero, zero);
            let (about, across) = (inertia[k][k], inertia[i][i]);
            inertia = [[zero; 3]; 3];
            (inertia[i][i], inertia[j][j], inertia[k][k]) = (across, across, about);
        }
        let body = Body {
            name: name.into(),
            description: String::new(),
            frame,
            joint: Some(joint),
            mass,
            inertia,
            center,
            shapes: vec![],
            span: None,
        };
        self.builder.add_body(body);
        frame
    }

    /// For some neighbouring pairs of coordinates: u = a·q̇1 + q̇2 and w = q̇1 - sin(q2)·q̇2/3 + t.
    fn user_speeds(&mut self) -> Vec<(Quantity, Expr)> {
        let mut out = vec![];
        let n = self.builder.model().coordinates.len();
        let is_rate = |b: &Builder, k: usize| {
            let id = CoordinateId::from_index(k);
            let joint = b.model().joints.iter().find(|(_, j)| j.coordinates.contains(&id));
            joint.is_some_and(|(_, j)| {
                matches!(
                    j.kinds[..],
                    [JointKind::Revolute
                        | JointKind::Prismatic
                        | JointKind::Cylindrical
                        | JointKind::Universal
                        | JointKind::Screw]
                )
            })
        };
        let mut k = 0;
        while k + 1 < n {
            if is_rate(&self.builder, k) && is_rate(&self.builder, k + 1) && self.random.chance(0.6) {
                let a = self.parameter(0.2, 0.8);
                let pool = self.builder.space().pool();
                let q = |i: usize| self.builder.model().coordinates[CoordinateId::from_index(i)].symbol;
                let rate = |i: usize| self.builder.coordinate_rate(CoordinateId::from_index(i));
                let first = pool.add(pool.mul(a, rate(k)), rate(k + 1));
                let third = pool.scale(Rational::Small(-1, 3), pool.mul(pool.sin(q(k + 1)), rate(k + 1)));
                let second = pool.sum([rate(k), third, self.builder.space().time()]);
                out.push((Quantity::new(format!("v{k}"), Dimension::ONE), first));
                if self.random.chance(0.5) {
                    out.push((Quantity::new(format!("w{k}"), Dimension::ONE), second));
                }
                k += 2;
            } else {
                k += 1;
            }
        }
        out
    }

    fn point(&mut self, frame: FrameId) -> Point {
        Point { name: "P".into(), frame, coordinates: self.vector3(-1.0, 1.0) }
    }

    fn add_load(&mut self, k: usize, frames: &[FrameId]) {
        let a = frames[1 + self.random.below(frames.len() - 1)];
        let b = frames[self.random.below(frames.len())];
        let (p, q) = (self.point(a), self.point(b));
        let stiffness = self.parameter(1.0, 5.0);
        let space = self.builder.space();
        let pool = space.pool();
        let kind = match k % 3 {
            0 => {
                let stretch = space.position(&p, &q);
                LoadKind::Force {
                    vector: stretch.scale(pool, stiffness),
                    at: p,
                    reaction: Some(Reaction { frame: b, at: Some(q) }),
                }
            }
            1 => {
                let slip = space.velocity(&p).sub(pool, &space.velocity(&q));
                let vector = slip.scale(pool, pool.neg(stiffness));
                LoadKind::Force { vector, at: p, reaction: Some(Reaction { frame: b, at: None }) }
            }
            _ => {
                let axis = space.axis(b, 1).add(pool, &space.axis(a, 0));
                let vector: Vector = axis.scale(pool, pool.mul(stiffness, pool.sin(space.time())));
                LoadKind::Torque { vector, on: a, reaction: Some(b) }
            }
        };
        self.builder.add_load(Load {
            name: format!("load{k}"),
            description: String::new(),
            kind,
            potential: None,
            conservative: false,
            span: None,
        });
    }
}
