//! Random mechanisms with closed loops, consistent by construction.
//!
//! A random tree whose frames are all parallel when its coordinates vanish; loops are closed by joints between markers that then
//! coincide. Whatever joint closes a loop, the position with vanishing coordinates is thus assembled exactly.
//!
//! Light mechanisms also have loops closed by general joints, sequences of turns and shifts in any directions that a frame without mass
//! carries to a weld, and bodies without mass or inertia.

use cardan_base::Id;
use cardan_expr::{Expr, Rational};
use cardan_kinematics::{FrameId, Matrix3, Point, Sequence};
use cardan_model::closing::{Closing, Marker, close};
use cardan_model::{
    Body, Builder, Constraint, ConstraintKind, CoordinateId, CoordinateSpec, Given, JointKind, Model,
    Orientation, Quantity, Row, SpeedChoice, SpeedId, Step,
};
use cardan_units::Dimension;

use crate::Random;

/// What kind of mechanism.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// All axes along z, all points in one plane.
    Planar,
    /// Axes and points anywhere.
    Spatial,
}

struct Maker {
    builder: Builder,
    random: Random,
    kind: Loops,
    /// Frames with the places of their origins when all coordinates vanish, in thousandths.
    frames: Vec<(FrameId, [i64; 3])>,
    /// Per frame the index of the one that carries it.
    parents: Vec<usize>,
    /// Frames without mass at the ends of general joints.
    ends: Vec<End>,
    /// Freedoms that are left, by count.
    left: usize,
}

/// The end of a general joint.
#[derive(Clone, Copy)]
struct End {
    frame: FrameId,
    /// Where it is when all coordinates vanish.
    place: [i64; 3],
    /// The index of what carries it.
    carrier: usize,
}

/// A mechanism fixed by its seed: two to six bodies, one to three closing constraints, at least one degree of freedom by count.
/// Only gravity acts, so energy is conserved.
pub fn random_mechanism(seed: u64, kind: Loops) -> Model {
    make(seed, kind, false)
}

/// The same with general joints and with bodies without mass or inertia. Some motion may be free and without mass.
pub fn random_light_mechanism(seed: u64, kind: Loops) -> Model {
    let mut model = make(seed, kind, true);
    let mut random = Random::new(seed ^ 0x5eed);
    let zero = model.space.pool().zero();
    let n = model.bodies.len();
    for (k, (_, body)) in model.bodies.iter_mut().enumerate() {
        // Something must weigh.
        if k == 0 || (n > 1 && !random.chance(0.4)) {
            continue;
        }
        body.inertia = [[zero; 3]; 3];
        if random.chance(0.7) {
            body.mass = zero;
        }
    }
    model
}

fn make(seed: u64, kind: Loops, general: bool) -> Model {
    let builder = Builder::new(format!("mechanism{seed}"), "N");
    let random = Random::new(seed);
    let mut maker = Maker { builder, random, kind, frames: vec![], parents: vec![0], ends: vec![], left: 0 };
    let ground = maker.builder.space().newtonian();
    maker.frames.push((ground, [0; 3]));
    let down = [0, -9810, if kind == Loops::Planar { 0 } else { -2000 }];
    let gravity = maker.exact(down);
    let gravity = maker.builder.space().vector(ground, gravity);
    maker.builder.set_gravity(gravity);
    let bodies = 2 + maker.random.below(5);
    for k in 0..bodies {
        maker.add_body(&format!("B{k}"));
    }
    if general {
        (0..1 + maker.random.below(2)).for_each(|k| maker.add_end(&format!("E{k}")));
    }
    maker.builder.fix_speeds(vec![]).expect("rates of joints are regular speeds");
    for (k, end) in maker.ends.clone().into_iter().enumerate() {
        let constraint = maker.weld(&format!("W{k}"), end);
        maker.builder.add_constraint(constraint);
    }
    for k in 0..1 + maker.random.below(3) {
        let constraint = maker.closing(&format!("C{k}"));
        // Rows across a plane hold by themselves; counting them too errs on the side of freedom only in space.
        let cost = if kind == Loops::Planar { constraint.rows.len().min(2) } else { constraint.rows.len() };
        if maker.left > cost {
            maker.left -= cost;
            maker.builder.add_constraint(constraint);
        }
    }
    maker.start();
    let mut model = maker.builder.finish().expect("a whole mechanism");
    // All but the first are guesses, which assembly may change.
    model.guess_starts();
    model.coordinates.iter_mut().skip(1).for_each(|(_, q)| q.given = Given::Nothing);
    model
}

impl Maker {
    fn exact(&self, thousandths: [i64; 3]) -> [Expr; 3] {
        let pool = self.builder.space().pool();
        thousandths.map(|n| pool.number(Rational::new(n, 1000).unwrap_or(Rational::ZERO)))
    }
    fn between(&mut self, low: f64, high: f64) -> i64 {
        (self.random.between(low, high) * 1000.0).round() as i64
    }
    fn place(&mut self) -> [i64; 3] {
        let z = if self.kind == Loops::Planar { 0 } else { self.between(-0.8, 0.8) };
        [self.between(-0.8, 0.8), self.between(-0.8, 0.8), z]
    }
    fn spec(name: String) -> CoordinateSpec {
        let speed = format!("der({name})");
        CoordinateSpec::new(Quantity::new(name, Dimension::ONE), speed)
    }
    /// A unit vector with exact components; in a planar mechanism across the plane or in it.
    fn axis(&mut self, across: bool) -> [Expr; 3] {
        let pool = self.builder.space().pool();
        let choice = match (self.kind, across) {
            (Loops::Planar, true) => [0, 0, 13],
            (Loops::Planar, false) => [[13, 0, 0], [0, 13, 0], [5, 12, 0]][self.random.below(3)],
            (Loops::Spatial, _) => {
                [[13, 0, 0], [0, 13, 0], [0, 0, 13], [3, 4, 12], [12, 3, -4]][self.random.below(5)]
            }
        };
        choice.map(|n| pool.number(Rational::Small(n, 13)))
    }

    fn joint(&mut self, name: &str) -> (JointKind, Vec<Step>) {
        let choices = if self.kind == Loops::Planar { 5 } else { 9 };
        match self.random.below(choices) {
            0 => (
                JointKind::Prismatic,
                vec![Step::Translate(self.axis(false), Self::spec(format!("{name}.q")))],
            ),
            1..=4 => {
                (JointKind::Revolute, vec![Step::Rotate(self.axis(true), Self::spec(format!("{name}.q")))])
            }
            5 => {
                let axis = self.axis(true);
                let slide = Step::Translate(axis, Self::spec(format!("{name}.q1")));
                (JointKind::Cylindrical, vec![slide, Step::Rotate(axis, Self::spec(format!("{name}.q2")))])
            }
            6 => {
                let axes = cardan_kinematics::rotation::identity(self.builder.space().pool());
                let k = self.random.below(3);
                let first = Step::Rotate(axes[k], Self::spec(format!("{name}.q1")));
                (
                    JointKind::Universal,
                    vec![first, Step::Rotate(axes[(k + 1) % 3], Self::spec(format!("{name}.q2")))],
                )
            }
            _ => {
                let speeds = (1..=3).map(|i| Quantity::new(format!("{name}.u{i}"), Dimension::ONE)).collect();
                // Angles that do not meet their singular position at zero.
                let angles = Sequence::named("xyz").filter(|_| self.random.chance(0.5));
                let (orientation, n) = match angles {
                    Some(sequence) => (Orientation::Angles(sequence), 3),
                    None => (Orientation::EulerParameters, 4),
                };
                let specs = (1..=n).map(|i| Self::spec(format!("{name}.q{i}"))).collect();
                (JointKind::Spherical, vec![Step::Ball(orientation, SpeedChoice::BodyFixed, specs, speeds)])
            }
        }
    }

    fn add_body(&mut self, name: &str) {
        let carrier = self.random.below(self.frames.len());
        let (parent, origin) = self.frames[carrier];
        let place = self.place();
        let shift = std::array::from_fn(|i| place[i] - origin[i]);
        let mut steps = vec![Step::Shift(self.exact(shift))];
        let (kind, joint) = self.joint(name);
        let freedoms = |s: &Step| if matches!(s, Step::Ball(..)) { 3 } else { 1 };
        self.left += joint.iter().map(freedoms).sum::<usize>();
        steps.extend(joint);
        let joint = self.builder.add_joint(name, kind, parent, steps, None);
        let frame = self.builder.model().joints[joint].frames.last().copied().unwrap_or(parent);
        let mass = self.between(0.5, 3.0);
        let diagonal = [self.between(0.5, 0.7), self.between(0.5, 0.7), self.between(0.5, 0.7)];
        let center = self.place();
        let pool = self.builder.space().pool();
        let number = |n: i64| pool.number(Rational::new(n, 1000).unwrap_or(Rational::ONE));
        let mut inertia: Matrix3 = [[pool.zero(); 3]; 3];
        (0..3).for_each(|i| inertia[i][i] = number(diagonal[i]));
        let body = Body {
            name: name.into(),
            description: String::new(),
            frame,
            joint: Some(joint),
            mass: number(mass),
            inertia,
            center: self.exact(center),
            shapes: vec![],
            span: None,
        };
        self.builder.add_body(body);
        self.frames.push((frame, place));
        self.parents.push(carrier);
    }

    /// A frame without mass at the end of a sequence of turns and shifts, if freedoms are left after its weld.
    fn add_end(&mut self, name: &str) {
        let (held, freedoms) = match self.kind {
            Loops::Planar => (3, 2),
            Loops::Spatial => (6, 3 + self.random.below(2)),
        };
        if self.left + freedoms <= held {
            return;
        }
        self.left = self.left + freedoms - held;
        let carrier = self.random.below(self.frames.len());
        let (parent, origin) = self.frames[carrier];
        let place = self.place();
        let shift = std::array::from_fn(|i| place[i] - origin[i]);
        let mut steps = vec![Step::Shift(self.exact(shift))];
        let first = self.random.below(2);
        let mut kinds = vec![];
        for k in 0..freedoms {
            let turns = (first + k).is_multiple_of(2);
            kinds.push(if turns { JointKind::Rotate } else { JointKind::Translate });
            let spec = Self::spec(format!("{name}.q{}", k + 1));
            steps.push(match turns {
                true => Step::Rotate(self.axis(true), spec),
                false => Step::Translate(self.axis(false), spec),
            });
        }
        let joint = self.builder.add_joint(name, kinds, parent, steps, None);
        let frame = self.builder.model().joints[joint].frames.last().copied().unwrap_or(parent);
        self.ends.push(End { frame, place, carrier });
    }

    /// Ties the end of a general joint to another frame than the one that carries it.
    fn weld(&mut self, name: &str, End { frame, place, carrier }: End) -> Constraint {
        let n = self.frames.len();
        let mut other = (carrier + 1) % n;
        for _ in 0..20 {
            other = (carrier + 1 + self.random.below(n - 1)) % n;
            if self.parents[carrier] != other && self.parents[other] != carrier {
                break;
            }
        }
        let (id, origin) = self.frames[other];
        let at = |frame: FrameId, from: [i64; 3]| {
            let coordinates = self.exact(std::array::from_fn(|i| place[i] - from[i]));
            Marker::plain(self.builder.space(), Point { name: name.to_owned(), frame, coordinates })
        };
        let (a, b) = (at(frame, place), at(id, origin));
        close(self.builder.space(), name, Closing::Fixed, &a, &b, None)
    }

    /// Axes of a marker, the same seen from every frame at the start.
    fn axes(&mut self) -> Matrix3 {
        let pool = self.builder.space().pool();
        let fifths: [[i64; 3]; 3] = match (self.kind, self.random.below(3)) {
            (Loops::Planar, 0) => [[5, 0, 0], [0, 5, 0], [0, 0, 5]],
            (Loops::Planar, _) => [[3, 4, 0], [-4, 3, 0], [0, 0, 5]],
            (Loops::Spatial, 0) => [[0, 3, 4], [0, -4, 3], [5, 0, 0]],
            (Loops::Spatial, 1) => [[0, 5, 0], [0, 0, 5], [5, 0, 0]],
            (Loops::Spatial, _) => [[3, 0, 4], [0, 5, 0], [-4, 0, 3]],
        };
        fifths.map(|row| row.map(|n| pool.number(Rational::Small(n, 5))))
    }

    fn closing(&mut self, name: &str) -> Constraint {
        let n = self.builder.model().speeds.len();
        if n >= 2 && self.random.chance(0.2) {
            return self.coupling(name, n);
        }
        let (first, second) = self.distant_pair();
        let (place, axes) = (self.place(), self.axes());
        let marker = |frame: usize| {
            let (id, origin) = self.frames[frame];
            let coordinates = self.exact(std::array::from_fn(|i| place[i] - origin[i]));
            Marker { point: Point { name: format!("{name}{frame}"), frame: id, coordinates }, axes }
        };
        let (a, mut b) = (marker(first), marker(second));
        let planar = [Closing::Revolute, Closing::Spherical, Closing::OnLine, Closing::InPlane];
        let closing = match self.kind {
            Loops::Planar => planar[self.random.below(planar.len())],
            Loops::Spatial => Closing::ALL[self.random.below(Closing::ALL.len())],
        };
        if closing == Closing::Perpendicular {
            b.axes.rotate_left(1);
        }
        // Nothing but its rows is known of it: neither a closed form nor a sense of its axes.
        let closed = close(self.builder.space(), name, closing, &a, &b, None);
        Constraint { kind: ConstraintKind::Equation, ..closed }
    }

    /// Two frames that no joint of the tree connects, if there are such: neighbours would be held twice.
    fn distant_pair(&mut self) -> (usize, usize) {
        let n = self.frames.len();
        let mut pair = (1, 0);
        for _ in 0..20 {
            let first = 1 + self.random.below(n - 1);
            pair = (first, (first + 1 + self.random.below(n - 1)) % n);
            if self.parents[pair.0] != pair.1 && self.parents[pair.1] != pair.0 {
                break;
            }
        }
        pair
    }

    /// q1 = r q2 for two coordinates that are themselves integrated speeds: a gear, or a rack and its pinion.
    fn coupling(&mut self, name: &str, n: usize) -> Constraint {
        let model = self.builder.model();
        let pool = self.builder.space().pool();
        let pairs: Vec<(Expr, Expr)> = model
            .coordinates
            .iter()
            .filter_map(|(_, q)| {
                let speed =
                    (0..n).map(|k| model.speeds[SpeedId::from_index(k)].symbol).find(|u| *u == q.rate)?;
                Some((q.symbol, speed))
            })
            .collect();
        if pairs.len() < 2 {
            return Constraint::new(name, ConstraintKind::Equation, vec![], None);
        }
        let first = self.random.below(pairs.len());
        let second = (first + 1 + self.random.below(pairs.len() - 1)) % pairs.len();
        let ratio = [(1, 2), (-3, 1), (2, 3)][self.random.below(3)];
        let ratio = Rational::Small(ratio.0, ratio.1);
        let difference = |a: Expr, b: Expr| pool.sub(a, pool.scale(ratio.clone(), b));
        let row = Row {
            position: Some(difference(pairs[first].0, pairs[second].0)),
            velocity: difference(pairs[first].1, pairs[second].1),
            dimension: Dimension::ONE,
            what: "ratio".into(),
            action: None,
        };
        Constraint::new(name, ConstraintKind::Equation, vec![row], None)
    }

    /// A push for the first speed and displacements of the coordinates; assembly does the rest. All coordinates at zero would often be a
    /// singular position, because all frames are parallel there.
    fn start(&mut self) {
        let quaternions: Vec<usize> =
            self.builder.model().unit_quadruples.iter().flatten().map(|q| q.index()).collect();
        for k in 0..self.builder.model().coordinates.len() {
            let thousandths = self.between(-0.25, 0.25);
            if !quaternions.contains(&k) {
                let shift = self.exact([thousandths, 0, 0])[0];
                self.builder.start_coordinate(CoordinateId::from_index(k), shift);
            }
        }
        let push = self.builder.space().pool().number(Rational::Small(7, 10));
        self.builder.start_speed(SpeedId::from_index(0), push);
    }
}
