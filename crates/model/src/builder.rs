//! The way to a model: structure, speeds, what uses velocities, finish.

use cardan_base::{Arena, Set, Span};
use cardan_expr::{Expr, Function, Kind, TableId};
use cardan_kinematics::rotation;
use cardan_kinematics::{FrameId, Matrix3, Motion, RateId, Segment, Sequence, Space, Vector};
use cardan_units::Dimension;

use crate::joint::{CoordinateSpec, Joint, JointId, Orientation, SpeedChoice, Step};
use crate::quantity::*;
use crate::speeds::{linear_parts, solve_linear};
use crate::turns;
use crate::{
    Body, BodyId, Constraint, ConstraintId, Experiment, Hybrid, JointReaction, Limit, Load, LoadId, LoadKind,
    Rotor, Stop, Table,
};

/// A complete mechanical system.
#[derive(Clone, Debug)]
pub struct Model {
    /// For people and files.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Frames, points and all scalars.
    pub space: Space,
    /// In order of declaration.
    pub parameters: Arena<ParameterId, Parameter>,
    /// In order of joints.
    pub coordinates: Arena<CoordinateId, Coordinate>,
    /// In order of joints.
    pub speeds: Arena<SpeedId, Speed>,
    /// In order of declaration.
    pub states: Arena<StateId, State>,
    /// Parents before children.
    pub joints: Arena<JointId, Joint>,
    /// Parents before children.
    pub bodies: Arena<BodyId, Body>,
    /// In order of declaration.
    pub loads: Arena<LoadId, Load>,
    /// In order of declaration.
    pub constraints: Arena<ConstraintId, Constraint>,
    /// Tables that expressions look values up in.
    pub tables: Arena<TableId, Table>,
    /// Named intermediate quantities.
    pub variables: Vec<Variable>,
    /// What results contain besides the states.
    pub outputs: Vec<Output>,
    /// The acceleration of free fall.
    pub gravity: Vector,
    /// Groups of Euler parameters, whose squares sum to one.
    pub unit_quadruples: Vec<[CoordinateId; 4]>,
    /// Inertias that turn or slide with a single natural rate and nothing else.
    pub rotors: Vec<Rotor>,
    /// How far, how fast and how hard joints may go.
    pub limits: Vec<Limit>,
    /// What joints of the tree do to their bodies, where somebody asked.
    pub reactions: Vec<JointReaction>,
    /// Questions asked in the text.
    pub experiments: Vec<Experiment>,
    /// What changes in jumps.
    pub hybrid: Hybrid,
}

/// Coordinates whose speeds are decided together.
enum Group {
    /// One coordinate with one speed, driving these natural rates by these factors.
    Single { coordinate: CoordinateId, speed: Quantity, small: u8, drives: Vec<(RateId, Expr)> },
    /// Rates that are speeds themselves; dq/dt = matrix × speeds.
    BodyFixed {
        coordinates: Vec<CoordinateId>,
        speeds: Vec<Quantity>,
        small: u8,
        rates: Vec<RateId>,
        matrix: Vec<Vec<Expr>>,
    },
    /// No coordinate of its own: the rates follow d/dt of this expression, times a factor.
    Follower { motion: Expr, factor: Expr, rates: Vec<RateId> },
}

/// Why speeds could not be fixed.
#[derive(Clone, PartialEq, Debug)]
pub enum SpeedError {
    /// This user-defined speed is not linear in the rates of the coordinates.
    NotLinear(usize),
    /// The definitions do not determine the rates of the coordinates: these of them follow from one another.
    Singular(Vec<usize>),
}

/// A model in the making.
pub struct Builder {
    model: Model,
    groups: Vec<Group>,
    /// Per coordinate: the symbol that stands for its rate until speeds are fixed.
    placeholders: Vec<Expr>,
}

impl Builder {
    /// An empty model.
    pub fn new(name: impl Into<String>, newtonian: &str) -> Builder {
        let model = Model {
            name: name.into(),
            description: String::new(),
            space: Space::new(newtonian),
            parameters: Arena::new(),
            coordinates: Arena::new(),
            speeds: Arena::new(),
            states: Arena::new(),
            joints: Arena::new(),
            bodies: Arena::new(),
            loads: Arena::new(),
            constraints: Arena::new(),
            tables: Arena::new(),
            variables: vec![],
            outputs: vec![],
            gravity: Vector::ZERO,
            unit_quadruples: vec![],
            rotors: vec![],
            limits: vec![],
            reactions: vec![],
            experiments: vec![],
            hybrid: Hybrid::default(),
        };
        Builder { model, groups: vec![], placeholders: vec![] }
    }
    /// What has been built so far.
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// The frames and scalars.
    pub fn space(&self) -> &Space {
        &self.model.space
    }
    /// The frames and scalars, to add points.
    pub fn space_mut(&mut self) -> &mut Space {
        &mut self.model.space
    }
    /// The part that changes in jumps.
    pub(crate) fn hybrid_mut(&mut self) -> &mut Hybrid {
        &mut self.model.hybrid
    }
    /// Says what the model is.
    pub fn describe(&mut self, description: impl Into<String>) {
        self.model.description = description.into();
    }
    /// Sets the acceleration of free fall.
    pub fn set_gravity(&mut self, gravity: Vector) {
        self.model.gravity = gravity;
    }
    /// Adds a parameter.
    pub fn add_parameter(&mut self, quantity: Quantity, default: Option<Expr>) -> ParameterId {
        self.add_small_parameter(quantity, default, 0)
    }
    /// Adds a parameter of this order of smallness, 0 for an ordinary one.
    pub fn add_small_parameter(
        &mut self,
        quantity: Quantity,
        default: Option<Expr>,
        small: u8,
    ) -> ParameterId {
        let symbol = self.space().pool().small_symbol(&quantity.name, Kind::Parameter, small);
        self.model.parameters.push(Parameter { quantity, symbol, default, range: None })
    }
    /// Says between which values a parameter is meant to lie.
    pub fn set_range(&mut self, parameter: ParameterId, range: [Expr; 2]) {
        self.model.parameters[parameter].range = Some(range);
    }
    /// Gives a parameter its value.
    pub fn set_default(&mut self, parameter: ParameterId, default: Expr) {
        self.model.parameters[parameter].default = Some(default);
    }
    /// Adds a table.
    pub fn add_table(&mut self, table: Table) -> TableId {
        let name = table.name.clone();
        let id = self.model.tables.push(table);
        self.space().pool().call_function(Function::Table(id, [0, 0]), &name);
        id
    }
    /// Adds a body in the frame that a joint ends with.
    pub fn add_body(&mut self, body: Body) -> BodyId {
        self.model.bodies.push(body)
    }
    /// A body, to complete its data.
    pub fn body_mut(&mut self, body: BodyId) -> &mut Body {
        &mut self.model.bodies[body]
    }

    /// Adds a joint: a chain of frames from `parent`; the last one is called `name`.
    pub fn add_joint(
        &mut self,
        name: &str,
        kind: &str,
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
            kind: kind.into(),
            parent,
            frames,
            coordinates,
            span,
        })
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

    fn follow(&mut self, motion: Expr, factor: Expr, rates: &[RateId]) {
        let value = self.space().pool().mul(factor, self.space().dt(motion));
        rates.iter().for_each(|r| self.model.space.set_rate(*r, value));
    }

    /// The rate of a coordinate, as user-defined speeds may use it before speeds are fixed.
    pub fn coordinate_rate(&self, coordinate: CoordinateId) -> Expr {
        self.model.coordinates[coordinate].rate
    }

    /// Ends the structure: makes the generalised speeds. `user` gives speeds as linear expressions of the
    /// coordinates' rates; every other degree of freedom gets the speed that its joint chose.
    pub fn fix_speeds(&mut self, user: Vec<(Quantity, Expr)>) -> Result<(), SpeedError> {
        let groups = std::mem::take(&mut self.groups);
        let singles: Vec<CoordinateId> = groups
            .iter()
            .filter_map(|g| match g {
                Group::Single { coordinate, .. } => Some(*coordinate),
                Group::BodyFixed { .. } | Group::Follower { .. } => None,
            })
            .collect();
        let replaced = self.rates_from_user(&user, &singles)?;
        // Followers last: what they follow must have its rate by then.
        let (followers, leaders): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|g| matches!(g, Group::Follower { .. }));
        for group in leaders.into_iter().chain(followers) {
            match group {
                Group::Single { coordinate, speed, small, drives } => {
                    let rate = match replaced.iter().find(|(c, _)| *c == coordinate) {
                        Some((_, rate)) => *rate,
                        None => self.add_speed(speed, small),
                    };
                    self.set_coordinate_rate(coordinate, rate);
                    for (slot, factor) in drives {
                        let value = self.space().pool().mul(factor, rate);
                        self.model.space.set_rate(slot, value);
                    }
                }
                Group::Follower { motion, factor, rates } => self.follow(motion, factor, &rates),
                Group::BodyFixed { coordinates, speeds, small, rates, matrix } => {
                    let symbols: Vec<Expr> = speeds.into_iter().map(|s| self.add_speed(s, small)).collect();
                    for (slot, u) in rates.into_iter().zip(&symbols) {
                        self.model.space.set_rate(slot, *u);
                    }
                    for (c, row) in coordinates.into_iter().zip(matrix) {
                        let pool = self.space().pool();
                        let terms: Vec<Expr> =
                            row.into_iter().zip(&symbols).map(|(m, u)| pool.mul(m, *u)).collect();
                        let rate = pool.define(pool.sum(terms));
                        self.set_coordinate_rate(c, rate);
                    }
                }
            }
        }
        Ok(())
    }

    fn set_coordinate_rate(&mut self, coordinate: CoordinateId, rate: Expr) {
        let c = &mut self.model.coordinates[coordinate];
        c.rate = rate;
        let symbol = c.symbol;
        self.model.space.set_derivative(symbol, rate);
    }

    fn add_speed(&mut self, quantity: Quantity, small: u8) -> Expr {
        let pool = self.space().pool();
        let symbol = pool.small_symbol(&quantity.name, Kind::Speed, small);
        let rate = pool.small_symbol(format!("der({})", quantity.name), Kind::Unknown, small);
        let start = pool.zero();
        self.model.space.set_derivative(symbol, rate);
        self.model.speeds.push(Speed { quantity, symbol, rate, start, given: Given::Nothing });
        symbol
    }

    /// Solves the user's definitions for the rates of the coordinates in them. Where they hold more
    /// coordinates than definitions, the surplus keeps the coordinate's own rate as its speed.
    fn rates_from_user(
        &mut self,
        user: &[(Quantity, Expr)],
        singles: &[CoordinateId],
    ) -> Result<Vec<(CoordinateId, Expr)>, SpeedError> {
        if user.is_empty() {
            return Ok(vec![]);
        }
        let placeholders: Vec<Expr> = singles.iter().map(|c| self.model.coordinates[*c].rate).collect();
        let mut rows = vec![];
        let mut offsets = vec![];
        for (k, (_, definition)) in user.iter().enumerate() {
            let pool = self.space().pool();
            let (row, rest) =
                linear_parts(pool, *definition, &placeholders).ok_or(SpeedError::NotLinear(k))?;
            rows.push(row);
            offsets.push(rest);
        }
        let zero = self.space().pool().zero();
        let one = self.space().pool().one();
        let involved: Vec<usize> =
            (0..singles.len()).filter(|j| rows.iter().any(|r| r[*j] != zero)).collect();
        let surplus = self
            .surplus_columns(&rows, &involved)
            .ok_or_else(|| SpeedError::Singular(self.dependent(&rows, &involved)))?;
        let mut a: Vec<Vec<Expr>> = rows.iter().map(|r| involved.iter().map(|j| r[*j]).collect()).collect();
        let mut b: Vec<Vec<Expr>> = vec![];
        for ((quantity, _), offset) in user.iter().zip(offsets) {
            let u = self.add_speed(quantity.clone(), 0);
            b.push(vec![self.space().pool().sub(u, offset)]);
        }
        for j in surplus {
            let coordinate = &self.model.coordinates[singles[j]];
            let dimension = coordinate.quantity.dimension / Dimension::TIME;
            let quantity = Quantity::new(format!("der({})", coordinate.quantity.name), dimension);
            let u = self.add_speed(quantity, 0);
            a.push(involved.iter().map(|i| if *i == j { one } else { zero }).collect());
            b.push(vec![u]);
        }
        let pool = self.space().pool();
        let x = solve_linear(pool, a, b).ok_or_else(|| SpeedError::Singular((0..rows.len()).collect()))?;
        Ok(involved.iter().zip(x).map(|(j, v)| (singles[*j], pool.define(v[0]))).collect())
    }

    /// The fewest of dependent rows that depend on one another already.
    fn dependent(&self, rows: &[Vec<Expr>], involved: &[usize]) -> Vec<usize> {
        let mut some: Vec<usize> = (0..rows.len()).collect();
        for k in 0..rows.len() {
            let others: Vec<usize> = some.iter().copied().filter(|i| *i != k).collect();
            let chosen: Vec<Vec<Expr>> = others.iter().map(|i| rows[*i].clone()).collect();
            if self.surplus_columns(&chosen, involved).is_none() {
                some = others;
            }
        }
        some
    }

    /// The columns without a pivot when the rows are eliminated; nothing if a row has none.
    fn surplus_columns(&self, rows: &[Vec<Expr>], involved: &[usize]) -> Option<Vec<usize>> {
        let pool = self.space().pool();
        let mut rows: Vec<Vec<Expr>> = rows.to_vec();
        let mut free: Vec<usize> = involved.to_vec();
        for k in 0..rows.len() {
            let candidates = (k..rows.len()).flat_map(|i| free.iter().map(move |j| (i, *j)));
            let (i, j) = candidates.filter(|(i, j)| !pool.is_zero(rows[*i][*j])).min_by_key(|(i, j)| {
                let e = rows[*i][*j];
                (pool.is_zero(pool.constant_part(e)), pool.cost(e), *i, *j)
            })?;
            rows.swap(k, i);
            free.retain(|f| *f != j);
            for r in k + 1..rows.len() {
                let factor = pool.div(rows[r][j], rows[k][j]);
                for c in involved {
                    rows[r][*c] = pool.sub(rows[r][*c], pool.mul(factor, rows[k][*c]));
                }
            }
        }
        Some(free)
    }

    /// Adds an auxiliary state; its time derivative is given later by [`set_state_rate`](Self::set_state_rate).
    pub fn add_state(&mut self, quantity: Quantity, start: Expr) -> StateId {
        self.add_small_state(quantity, start, 0)
    }
    /// Adds an auxiliary state of this order of smallness, 0 for an ordinary one.
    pub fn add_small_state(&mut self, quantity: Quantity, start: Expr, small: u8) -> StateId {
        let pool = self.space().pool();
        let symbol = pool.small_symbol(&quantity.name, Kind::State, small);
        let rate = pool.small_symbol(format!("der({})", quantity.name), Kind::Unknown, small);
        self.model.space.set_derivative(symbol, rate);
        self.model.states.push(State { quantity, symbol, rate, start })
    }
    /// Says how an auxiliary state changes.
    pub fn set_state_rate(&mut self, state: StateId, rate: Expr) {
        self.model.states[state].rate = rate;
        let symbol = self.model.states[state].symbol;
        self.model.space.set_derivative(symbol, rate);
    }
    /// Adds a load.
    pub fn add_load(&mut self, load: Load) -> LoadId {
        self.model.loads.push(load)
    }
    /// Adds a constraint; speeds must be fixed before. Where quantities are small, products of them are left out of positions and of rates: the
    /// rate of a position that was shortened is taken from what is left of it, so that one is the derivative of the other.
    pub fn add_constraint(&mut self, mut constraint: Constraint) -> ConstraintId {
        let (space, pool) = (self.space(), self.space().pool());
        for row in &mut constraint.rows {
            let Some(position) = row.position else { continue };
            if pool.has_small_symbols() {
                row.velocity = pool.define(space.dt(position));
            }
            if row.dimension == Dimension::ANGLE && turns::is_measured(pool, position) {
                row.position = Some(pool.define(turns::without(pool, position)));
            }
        }
        let symbol = |k: usize| pool.symbol(format!("lambda({}, {})", constraint.name, k + 1), Kind::Unknown);
        constraint.multipliers = (0..constraint.rows.len()).map(symbol).collect();
        self.model.constraints.push(constraint)
    }
    /// Adds an inertia to a natural rate.
    pub fn add_rotor(&mut self, rotor: Rotor) {
        self.model.rotors.push(rotor);
    }
    /// Says how far, how fast and how hard a joint may go.
    pub fn add_limit(&mut self, limit: Limit) {
        self.model.limits.push(limit);
    }
    /// Puts a stop at the ends of limits that have none; false if the coordinate has no such limits.
    pub fn stop_at_limits(&mut self, coordinate: CoordinateId, stop: Stop) -> bool {
        let mut open =
            self.model.limits.iter_mut().filter(|l| l.coordinate == coordinate && l.stop.is_none());
        match open.find(|l| l.lower.is_some() || l.upper.is_some()) {
            Some(limit) => {
                limit.stop = Some(stop);
                true
            }
            None => false,
        }
    }
    /// What a joint of the tree does to its body; speeds must be fixed before.
    pub fn reaction_of(&mut self, joint: JointId) -> &JointReaction {
        self.model.reaction_of(joint)
    }
    /// Adds a named intermediate quantity.
    pub fn add_variable(&mut self, variable: Variable) {
        self.model.variables.push(variable);
    }
    /// Adds an output.
    pub fn add_output(&mut self, output: Output) {
        self.model.outputs.push(output);
    }
    /// Adds an experiment.
    pub fn add_experiment(&mut self, experiment: Experiment) {
        self.model.experiments.push(experiment);
    }
    /// Where a coordinate starts, exactly.
    pub fn start_coordinate(&mut self, coordinate: CoordinateId, value: Expr) {
        self.model.coordinates[coordinate].start = value;
        self.model.coordinates[coordinate].given = Given::Exactly;
    }
    /// Near which value a coordinate starts.
    pub fn guess_coordinate(&mut self, coordinate: CoordinateId, value: Expr) {
        self.model.coordinates[coordinate].start = value;
        self.model.coordinates[coordinate].given = Given::Approximately;
    }
    /// Makes guesses of all values given so far for the start.
    pub fn guess_starts(&mut self) {
        self.model.guess_starts();
    }
    /// Where a speed starts, exactly.
    pub fn start_speed(&mut self, speed: SpeedId, value: Expr) {
        self.model.speeds[speed].start = value;
        self.model.speeds[speed].given = Given::Exactly;
    }
    /// Near which value a speed starts.
    pub fn guess_speed(&mut self, speed: SpeedId, value: Expr) {
        self.model.speeds[speed].start = value;
        self.model.speeds[speed].given = Given::Approximately;
    }
    /// The finished model.
    pub fn finish(self) -> Model {
        self.model
    }
}

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

impl Model {
    /// Whether a frame moves relative to its parent.
    pub fn is_moving(&self, frame: FrameId) -> bool {
        self.space.frame(frame).motion != Motion::Fixed
    }
    /// The body fixed in a frame.
    pub fn body_in(&self, frame: FrameId) -> Option<BodyId> {
        self.bodies.iter().find(|(_, b)| b.frame == frame).map(|(id, _)| id)
    }
    /// Frames that carry mass or feel a load, themselves or by what hangs on them.
    pub fn loaded_frames(&self) -> Set<FrameId> {
        let bodies = self.bodies.iter().filter(|(_, b)| !b.is_massless(&self.space)).map(|(_, b)| b.frame);
        let mut open: Vec<FrameId> = bodies.collect();
        for (_, load) in self.loads.iter() {
            match &load.kind {
                LoadKind::Force { at, reaction, .. } => {
                    open.push(at.frame);
                    open.extend(reaction.iter().map(|r| r.frame));
                }
                LoadKind::Torque { on, reaction, .. } => {
                    open.push(*on);
                    open.extend(reaction);
                }
            }
        }
        let mut found = Set::default();
        while let Some(frame) = open.pop() {
            if found.insert(frame) {
                open.extend(self.space.frame(frame).parent);
            }
        }
        found
    }
}
