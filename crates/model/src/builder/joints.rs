//! Joints in the making: each step of a joint becomes a segment between two frames, with the coordinates that move it.

use cardan_base::Span;
use cardan_expr::{Expr, Kind};
use cardan_kinematics::rotation;
use cardan_kinematics::{FrameId, Matrix3, RateId, Segment, Sequence};
use cardan_units::Dimension;

use super::Builder;
use super::speeds::Group;
use crate::joint::{CoordinateSpec, Declared, Joint, JointId, Orientation, SpeedChoice, Step};
use crate::joint_kind::JointKind;
use crate::quantity::*;
use crate::symbolic_solve::solve_linear;

/// What drives the rates of a segment.
enum Drive {
    Nothing,
    Given { motion: Expr, factor: Expr },
    Single { coordinate: CoordinateId, speed: Option<Quantity>, small: u8, factor: Expr },
    BodyFixed { coordinates: Vec<CoordinateId>, speeds: Vec<Quantity>, small: u8, matrix: Vec<Vec<Expr>> },
}

impl Drive {
    /// The drive of a second segment that follows the first in a fixed ratio.
    fn scaled(&self, pool: &cardan_expr::Pool, ratio: Expr) -> Drive {
        match self {
            Drive::Single { coordinate, small, factor, .. } => Drive::Single {
                coordinate: *coordinate,
                speed: None,
                small: *small,
                factor: pool.mul(*factor, ratio),
            },
            Drive::Given { motion, factor } => {
                Drive::Given { motion: *motion, factor: pool.mul(*factor, ratio) }
            }
            _ => Drive::Nothing,
        }
    }
}

impl Builder {
    /// Adds a joint: a chain of frames from `parent`; the last one is called `name`.
    pub fn add_joint(
        &mut self,
        name: &str,
        kinds: impl Into<Vec<JointKind>>,
        parent: FrameId,
        steps: Vec<Step>,
        span: Option<Span>,
    ) -> JointId {
        let first_coordinate = self.model.coordinates.len();
        let mut frames = vec![];
        let mut segments = vec![];
        for step in steps {
            self.open_step(step, &mut segments);
        }
        if segments.is_empty() {
            let zero = self.space().pool().zero();
            segments.push((Segment::Shift([zero; 3]), Drive::Nothing));
        }
        let n = segments.len();
        let mut frame = parent;
        for (k, (segment, drive)) in segments.into_iter().enumerate() {
            let frame_name =
                if k + 1 == n { name.to_string() } else { format!("{name}{}", "'".repeat(n - 1 - k)) };
            frame = self.model.space.add_segment(frame_name, frame, segment);
            frames.push(frame);
            let rates = self.space().frame(frame).motion.rates();
            self.note_drive(drive, rates);
        }
        let coordinates = self.model.coordinates.ids().skip(first_coordinate).collect();
        self.model.joints.push(Joint {
            name: name.into(),
            kinds: kinds.into(),
            parent,
            frames,
            coordinates,
            span,
            declared: None,
        })
    }

    /// Says which joint between two bodies a joint of the tree is.
    pub fn declare_joint(&mut self, joint: JointId, declared: Declared) {
        self.model.joints[joint].declared = Some(declared);
    }

    fn open_step(&mut self, step: Step, out: &mut Vec<(Segment, Drive)>) {
        match step {
            Step::Shift(p) => out.push((Segment::Shift(p), Drive::Nothing)),
            Step::Turn(R) => out.push((Segment::Turn(R), Drive::Nothing)),
            Step::Translate(direction, spec) => {
                let (q, drive) = self.add_single(spec);
                out.push((Segment::Translation { direction, q }, drive));
            }
            Step::Rotate(direction, spec) => {
                let (q, drive) = self.add_single(spec);
                out.push((Segment::Rotation { direction, q }, drive));
            }
            Step::Screw(direction, lead, spec) => {
                let (q, drive) = self.add_single(spec);
                let pool = self.space().pool();
                let pitch = pool.define(pool.div(lead, pool.mul(pool.int(2), pool.pi())));
                let along = pool.mul(pitch, q);
                let coupled = drive.scaled(pool, pitch);
                out.push((Segment::Rotation { direction, q }, drive));
                out.push((Segment::Translation { direction, q: along }, coupled));
            }
            Step::Ball(Orientation::Angles(Sequence(axes)), SpeedChoice::CoordinateRates, specs, _) => {
                for (axis, spec) in axes.into_iter().zip(specs) {
                    let direction = self.axis_direction(axis.index());
                    let (q, drive) = self.add_single(spec);
                    out.push((Segment::Rotation { direction, q }, drive));
                }
            }
            Step::Ball(orientation, _, specs, speeds) => {
                let small = specs.iter().map(|s| s.small).min().unwrap_or(0);
                let (R, coordinates, matrix) = self.add_orientation(orientation, specs);
                out.push((Segment::Ball(R), Drive::BodyFixed { coordinates, speeds, small, matrix }));
            }
            Step::Free(orientation, mut specs, speeds) => {
                let small = specs.iter().map(|s| s.small).min().unwrap_or(0);
                let rest = specs.split_off(3.min(specs.len()));
                let mut coordinates: Vec<CoordinateId> =
                    specs.into_iter().map(|s| self.add_coordinate(s)).collect();
                let (R, angles, turning) = self.add_orientation(orientation, rest);
                let pool = self.space().pool();
                let zero = pool.zero();
                let p = std::array::from_fn(|i| {
                    coordinates.get(i).map_or(zero, |c| self.model.coordinates[*c].symbol)
                });
                // dp/dt in the parent: Σ_i v_i b_i.
                let mut matrix: Vec<Vec<Expr>> =
                    (0..3).map(|j| (0..3).map(|i| R[i][j]).chain([zero; 3]).collect()).collect();
                matrix.extend(turning.into_iter().map(|row| [zero; 3].into_iter().chain(row).collect()));
                coordinates.extend(angles);
                out.push((Segment::Free(R, p), Drive::BodyFixed { coordinates, speeds, small, matrix }));
            }
        }
    }

    fn axis_direction(&self, k: usize) -> [Expr; 3] {
        rotation::identity(self.space().pool())[k]
    }

    fn add_coordinate(&mut self, spec: CoordinateSpec) -> CoordinateId {
        let pool = self.space().pool();
        let symbol = pool.small_symbol(&spec.quantity.name, Kind::Coordinate, spec.small);
        let placeholder =
            pool.small_symbol(format!("der({})", spec.quantity.name), Kind::Unknown, spec.small);
        let start = pool.zero();
        self.model.space.set_derivative(symbol, placeholder);
        self.placeholders.push(placeholder);
        self.model.coordinates.push(Coordinate {
            quantity: spec.quantity,
            symbol,
            rate: placeholder,
            start,
            given: Given::Nothing,
        })
    }

    /// A coordinate with a speed of its own, or the fixed or prescribed value that stands in its place.
    fn add_single(&mut self, spec: CoordinateSpec) -> (Expr, Drive) {
        if spec.locked {
            let zero = self.space().pool().zero();
            let id = self.add_parameter(spec.quantity, Some(zero));
            return (self.model.parameters[id].symbol, Drive::Nothing);
        }
        if let Some(motion) = spec.prescribed {
            let factor = self.space().pool().one();
            return (motion, Drive::Given { motion, factor });
        }
        let dimension = spec.quantity.dimension / Dimension::TIME;
        let mut speed = Quantity::new(spec.speed_name.clone(), dimension);
        speed.span = spec.quantity.span;
        let small = spec.small;
        let id = self.add_coordinate(spec);
        let one = self.space().pool().one();
        (
            self.model.coordinates[id].symbol,
            Drive::Single { coordinate: id, speed: Some(speed), small, factor: one },
        )
    }

    /// The direction cosines, the coordinates, and dq/dt as a matrix on the body-fixed angular velocity.
    fn add_orientation(
        &mut self,
        orientation: Orientation,
        specs: Vec<CoordinateSpec>,
    ) -> (Matrix3, Vec<CoordinateId>, Vec<Vec<Expr>>) {
        let coordinates: Vec<CoordinateId> = specs.into_iter().map(|s| self.add_coordinate(s)).collect();
        let q: Vec<Expr> = coordinates.iter().map(|c| self.model.coordinates[*c].symbol).collect();
        let space = &self.model.space;
        let pool = space.pool();
        match orientation {
            Orientation::Angles(Sequence(axes)) => {
                let turns: Vec<Matrix3> =
                    axes.iter().zip(&q).map(|(a, q)| rotation::about_axis(pool, *a, *q)).collect();
                // Axis m in B: the turns after it applied to its own axis.
                let unit = |k: usize| rotation::identity(pool)[k];
                let third = unit(axes[2].index());
                let second = rotation::apply(pool, &turns[2], unit(axes[1].index()));
                let first =
                    rotation::apply(pool, &turns[2], rotation::apply(pool, &turns[1], unit(axes[0].index())));
                let columns = [first, second, third];
                let a = (0..3).map(|i| (0..3).map(|m| columns[m][i]).collect()).collect();
                let identity = rotation::identity(pool).iter().map(|r| r.to_vec()).collect();
                let R = rotation::compose(pool, &turns[2], &rotation::compose(pool, &turns[1], &turns[0]));
                let matrix = solve_linear(pool, a, identity).unwrap_or_default();
                (R, coordinates, matrix)
            }
            Orientation::EulerParameters => {
                let e = [q[0], q[1], q[2], q[3]];
                let R = rotation::from_euler_parameters(pool, e);
                // ė0 = -e·w/2, ė = (e0 w + e × w)/2
                let half = |x: Expr| pool.scale(cardan_expr::Rational::Small(1, 2), x);
                let minus = |x: Expr| pool.neg(half(x));
                let matrix = vec![
                    vec![minus(e[1]), minus(e[2]), minus(e[3])],
                    vec![half(e[0]), minus(e[3]), half(e[2])],
                    vec![half(e[3]), half(e[0]), minus(e[1])],
                    vec![minus(e[2]), half(e[1]), half(e[0])],
                ];
                let one = pool.one();
                self.model.coordinates[coordinates[0]].start = one;
                self.model.unit_quadruples.push([
                    coordinates[0],
                    coordinates[1],
                    coordinates[2],
                    coordinates[3],
                ]);
                (R, coordinates, matrix)
            }
        }
    }

    fn note_drive(&mut self, drive: Drive, rates: Vec<RateId>) {
        match drive {
            Drive::Nothing => {}
            Drive::Given { motion, factor } => {
                self.follow(motion, factor, &rates);
                self.groups.push(Group::Follower { motion, factor, rates });
            }
            Drive::Single { coordinate, speed, small, factor } => {
                let placeholder = self.model.coordinates[coordinate].rate;
                let value = self.space().pool().mul(factor, placeholder);
                rates.iter().for_each(|r| self.model.space.set_rate(*r, value));
                match speed {
                    Some(speed) => {
                        let drives = rates.into_iter().map(|r| (r, factor)).collect();
                        self.groups.push(Group::Single { coordinate, speed, small, drives });
                    }
                    None => {
                        if let Some(Group::Single { drives, .. }) = self.groups.last_mut() {
                            drives.extend(rates.into_iter().map(|r| (r, factor)));
                        }
                    }
                }
            }
            Drive::BodyFixed { coordinates, speeds, small, matrix } => {
                self.groups.push(Group::BodyFixed { coordinates, speeds, small, rates, matrix });
            }
        }
    }

    pub(super) fn follow(&mut self, motion: Expr, factor: Expr, rates: &[RateId]) {
        let value = self.space().pool().mul(factor, self.space().dt(motion));
        rates.iter().for_each(|r| self.model.space.set_rate(*r, value));
    }
}
