//! Where a simulation program takes its inputs and leaves its outputs.

use cardan_program::{InputId, Label, Stages};

/// Positions in the flat vectors of a program, by meaning.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The stage of everything that depends on parameters only.
    pub setup: Stages,
    /// The stages of the state's derivative.
    pub motion: Stages,
    /// The stages of everything, setup excepted.
    pub report: Stages,
    /// The independent parameters and their default values.
    pub parameters: Vec<ParameterSlot>,
    /// The input that is the time.
    pub time: InputId,
    /// The states: coordinates, speeds, auxiliary states.
    pub states: Vec<StateSlot>,
    /// How many of the states are coordinates.
    pub n_coordinates: usize,
    /// How many of the states are speeds.
    pub n_speeds: usize,
    /// Groups of states whose squares sum to one.
    pub unit_quadruples: Vec<[usize; 4]>,
    /// Outputs of the model.
    pub outputs: Vec<(Label, usize)>,
    /// Kinetic energy.
    pub kinetic: usize,
    /// Potential energy of gravity.
    pub gravity: usize,
    /// Potential energies of loads, by name.
    pub potentials: Vec<(String, usize)>,
    /// Powers of loads whose work is in no potential, by name.
    pub powers: Vec<(String, usize)>,
    /// Whether everything that does work is in the balance.
    pub is_closed: bool,
    /// Per body: its name, three components of its origin, nine direction cosines by rows.
    pub poses: Vec<(String, [usize; 12])>,
    /// Per load that can be drawn: its name and its two ends.
    pub links: Vec<(String, [usize; 6])>,
}

/// An independent parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterSlot {
    /// Name, unit, description.
    pub label: Label,
    /// Its place among the inputs.
    pub input: usize,
    /// Its value unless set otherwise; nothing if it must be given.
    pub value: Option<f64>,
}

/// A state.
#[derive(Clone, PartialEq, Debug)]
pub struct StateSlot {
    /// Name, unit, description.
    pub label: Label,
    /// Its place among the inputs.
    pub input: usize,
    /// Its time derivative among the outputs.
    pub derivative: usize,
    /// Its start among the outputs.
    pub start: usize,
}
