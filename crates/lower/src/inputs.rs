//! The inputs that programs about a model share: parameters, time, coordinates, speeds, states, discrete states.
//!
//! A parameter whose default is an expression of other parameters is dependent: it is no input but computed in the
//! first stage, unless it is set free. An input whose default is a function of time is dependent likewise, and
//! computed with the time.

use std::ops::Range;

use cardan_base::Id;
use cardan_expr::{Depends, Expr};
use cardan_model::{Causality, Model, ParameterId, Quantity};
use cardan_program::{InputId, Label};

use crate::{Phase, Request};

/// An independent parameter or an input.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterSlot {
    /// Which one.
    pub id: ParameterId,
    /// Where its value goes.
    pub input: InputId,
    /// Its value unless set otherwise; nothing if it must be given.
    pub default: Option<f64>,
    /// Whether it is fixed during a motion.
    pub causality: Causality,
}

/// Where the inputs of a program about a model are.
#[derive(Clone, PartialEq, Debug)]
pub struct InputLayout {
    /// The independent parameters, in order of declaration.
    pub parameters: Vec<ParameterSlot>,
    /// The parameters that are computed from others.
    pub dependent: Vec<ParameterId>,
    /// Time.
    pub time: InputId,
    /// Coordinates, as positions in the input vector.
    pub coordinates: Range<usize>,
    /// Speeds.
    pub speeds: Range<usize>,
    /// Auxiliary states.
    pub states: Range<usize>,
    /// Discrete states; they change only between evaluations, so they are known with the time.
    pub discretes: Range<usize>,
}

impl InputLayout {
    /// The whole state [q; u; s].
    pub fn state(&self) -> Range<usize> {
        self.coordinates.start..self.states.end
    }
    /// The inputs that make up the state.
    pub fn state_inputs(&self) -> Vec<InputId> {
        self.state().map(InputId::from_index).collect()
    }
    /// A full input vector with the default parameters (NaN where there is none) and zeros for the rest.
    pub fn defaults(&self, n_inputs: usize) -> Vec<f64> {
        let mut inputs = vec![0.0; n_inputs];
        for slot in &self.parameters {
            if let Some(place) = inputs.get_mut(slot.input.index()) {
                *place = slot.default.unwrap_or(f64::NAN);
            }
        }
        inputs
    }
}

/// What people call a quantity, in SI units.
pub(crate) fn label(quantity: &Quantity) -> Label {
    Label::new(&quantity.name, quantity.dimension.to_string(), &quantity.description)
}

/// Whether the default of a parameter is computed from others, or that of an input from the time.
fn is_dependent(model: &Model, default: Option<Expr>) -> bool {
    default.is_some_and(|e| model.space.pool().depends(e).intersects(Depends::PARAMETERS | Depends::TIME))
}

/// Adds the inputs of a model to a request. Dependent parameters in `free` become inputs, too.
pub(crate) fn add_inputs(request: &mut Request<'_>, model: &Model, free: &[ParameterId]) -> InputLayout {
    let pool = model.space.pool();
    request.externals = model.hybrid.externals.iter().map(|(_, e)| (e.name.clone(), e.arity())).collect();
    let mut parameters = vec![];
    let mut dependent = vec![];
    for (id, parameter) in model.parameters.iter() {
        if is_dependent(model, parameter.default) && !free.contains(&id) {
            dependent.push(id);
            request.given.extend(parameter.default.map(|e| (parameter.symbol, e)));
            continue;
        }
        // An input changes between two evaluations: nothing of it belongs into the setup.
        let phase = if parameter.is_input() { Phase::Time } else { Phase::Setup };
        let input = request.input(parameter.symbol, label(&parameter.quantity), phase);
        let default = parameter.default.filter(|e| !pool.depends(*e).intersects(Depends::PARAMETERS));
        let default = default.map(|e| match pool.as_number(e) {
            Some(r) => r.to_f64(),
            None => pool.evaluate(e, &|_| f64::NAN),
        });
        let causality = parameter.causality;
        parameters.push(ParameterSlot { id, input: InputId::from_index(input), default, causality });
    }
    let second = Label::new("t", "s", "time");
    let time = InputId::from_index(request.input(model.space.time(), second, Phase::Time));
    let first = request.inputs.len();
    let all = cardan_equations::states(model);
    for state in &all {
        let phase = if state.is_coordinate() { Phase::Position } else { Phase::Motion };
        if let Some((symbol, quantity)) = state.symbol.zip(state.quantity(model)) {
            request.input(symbol, label(quantity), phase);
        }
    }
    let n_coordinates = all.iter().filter(|s| s.is_coordinate()).count();
    let n_speeds = all.iter().filter(|s| s.is_speed()).count();
    let coordinates = first..first + n_coordinates;
    let speeds = coordinates.end..coordinates.end + n_speeds;
    let states = speeds.end..request.inputs.len();
    for (_, d) in model.hybrid.discretes.iter() {
        request.input(d.symbol, label(&d.quantity), Phase::Time);
    }
    let discretes = states.end..request.inputs.len();
    InputLayout { parameters, dependent, time, coordinates, speeds, states, discretes }
}
