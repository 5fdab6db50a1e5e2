//! The way to a model: structure, speeds, what uses velocities, finish.

mod joints;
mod speeds;

use cardan_base::Arena;
use cardan_expr::{Expr, Function, Kind, TableId};
use cardan_kinematics::{Space, Vector};
use cardan_units::Dimension;

use crate::angle_wrapping;
use crate::builder::speeds::Group;
use crate::joint::JointId;
use crate::quantity::*;
use crate::validity::InvalidModel;
use crate::{
    Body, BodyId, Constraint, ConstraintId, Element, ElementId, Experiment, Hybrid, JointReaction, Limit,
    Load, LoadId, Model, ReactionLaw, Rotor, Row, Stop, Table,
};

pub use crate::builder::speeds::SpeedError;

/// A model in the making.
pub struct Builder {
    model: Model,
    groups: Vec<Group>,
    /// Per coordinate: the symbol that stands for its rate until speeds are fixed.
    placeholders: Vec<Expr>,
    /// Auxiliary states without a time derivative.
    open_states: Vec<StateId>,
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
            elements: Arena::new(),
            constraints: Arena::new(),
            tables: Arena::new(),
            variables: vec![],
            outputs: vec![],
            shown: vec![],
            gravity: Vector::ZERO,
            unit_quadruples: vec![],
            rotors: vec![],
            limits: vec![],
            reactions: vec![],
            laws: vec![],
            experiments: vec![],
            hybrid: Hybrid::default(),
        };
        Builder { model, groups: vec![], placeholders: vec![], open_states: vec![] }
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
    /// Takes in laws of loads that depend on unknowns.
    pub(crate) fn add_laws(&mut self, laws: Vec<ReactionLaw>) {
        self.model.laws.extend(laws);
    }
    /// A law, to complete its data.
    pub(crate) fn law_mut(&mut self, law: usize) -> &mut ReactionLaw {
        &mut self.model.laws[law]
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
        let causality = Causality::Parameter;
        self.model.parameters.push(Parameter { quantity, symbol, default, range: None, causality })
    }
    /// Adds an input. Its symbol varies like a state: nothing that contains it is fixed during a motion.
    pub fn add_input(&mut self, quantity: Quantity, default: Expr) -> ParameterId {
        let symbol = self.space().pool().symbol(&quantity.name, Kind::State);
        let (default, causality) = (Some(default), Causality::Input);
        self.model.parameters.push(Parameter { quantity, symbol, default, range: None, causality })
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
        let state = self.model.states.push(State { quantity, symbol, rate, start });
        self.open_states.push(state);
        state
    }
    /// Says how an auxiliary state changes.
    pub fn set_state_rate(&mut self, state: StateId, rate: Expr) {
        self.open_states.retain(|open| *open != state);
        self.model.states[state].rate = rate;
        let symbol = self.model.states[state].symbol;
        self.model.space.set_derivative(symbol, rate);
    }
    /// Adds a load.
    pub fn add_load(&mut self, mut load: Load) -> LoadId {
        self.separate_laws(&mut load);
        self.model.loads.push(load)
    }
    /// Records an element whose loads or constraint were added before.
    pub fn add_element(&mut self, element: Element) -> ElementId {
        self.model.elements.push(element)
    }
    /// Says, before anything is built, that constraints follow. Their forces are as large as loads, and multiply what is of second order in a
    /// position (geometric stiffness): places must be known to one order more of what is small than without.
    pub fn expect_constraints(&mut self) {
        self.space().pool().set_smallness_threshold(FINER);
    }
    /// Adds a constraint; speeds must be fixed before. Where quantities are small, its rows become polynomials of them: of second order, so that
    /// what multiplies its forces, the derivative of a position, is of first order like all the rest.
    pub fn add_constraint(&mut self, mut constraint: Constraint) -> ConstraintId {
        let (space, pool) = (self.space(), self.space().pool());
        for row in &mut constraint.rows {
            if pool.has_small_symbols() {
                shorten(space, row);
            }
            let Some(position) = row.position else { continue };
            if row.dimension == Dimension::ANGLE && angle_wrapping::is_measured(pool, position) {
                row.position = Some(pool.define(angle_wrapping::without(pool, position)));
            }
        }
        self.model.add_constraint(constraint)
    }
    /// Adds an inertia to a natural rate.
    pub fn add_rotor(&mut self, rotor: Rotor) {
        self.model.rotors.push(rotor);
    }
    /// Says how far, how fast and how hard a joint may go.
    pub fn add_limit(&mut self, limit: Limit) {
        let element = limit.element(&self.model);
        self.model.elements.push(element);
        self.model.limits.push(limit);
    }
    /// Puts a stop at the ends of limits that have none; false if the coordinate has no such limits.
    pub fn stop_at_limits(&mut self, coordinate: CoordinateId, stop: Stop) -> bool {
        let mut open =
            self.model.limits.iter_mut().filter(|l| l.coordinate == coordinate && l.stop.is_none());
        match open.find(|l| l.lower.is_some() || l.upper.is_some()) {
            Some(limit) => {
                limit.stop = Some(stop);
                let limit = limit.clone();
                let element = limit.element(&self.model);
                self.model.elements.push(element);
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
    /// Says how results show what they hold under this name; false if they hold nothing so.
    pub fn show(&mut self, name: &str, unit: Option<&str>, description: Option<&str>) -> bool {
        self.model.show(name, unit, description)
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
    /// With which value a discrete state starts.
    pub fn start_discrete(&mut self, discrete: crate::DiscreteId, value: Expr) {
        self.model.hybrid.discretes[discrete].start = value;
    }
    /// Near which value a speed starts.
    pub fn guess_speed(&mut self, speed: SpeedId, value: Expr) {
        self.model.speeds[speed].start = value;
        self.model.speeds[speed].given = Given::Approximately;
    }
    /// The finished model, or what is missing from it.
    pub fn finish(mut self) -> Result<Model, InvalidModel> {
        self.space().pool().set_smallness_threshold(USUAL);
        if !self.groups.is_empty() {
            return Err(InvalidModel::SpeedsNotFixed);
        }
        if let Some(state) = self.open_states.first() {
            return Err(InvalidModel::StateWithoutRate(self.model.states[*state].quantity.name.clone()));
        }
        self.model.validate()?;
        self.model.space.freeze();
        Ok(self.model)
    }
}

/// Equations of motion become linear in what is small: order 2 and beyond is dropped.
const USUAL: u8 = 2;
/// Positions of constraints keep order 2.
const FINER: u8 = USUAL + 1;

/// Leaves out of a row what is negligible. Its rate is the derivative of the position that is left.
fn shorten(space: &Space, row: &mut Row) {
    let pool = space.pool();
    let shorter = |e: Expr| {
        let found = pool.small_polynomial(e, FINER.into());
        // What is of higher order alone stays as it is.
        found.filter(|p| !pool.is_zero(*p) && !pool.is_undefined(*p)).map_or(e, |p| pool.define(p))
    };
    match row.position {
        Some(position) => {
            let position = shorter(position);
            row.position = Some(position);
            row.velocity = shorter(pool.define(space.dt(position)));
        }
        None => row.velocity = shorter(row.velocity),
    }
}
