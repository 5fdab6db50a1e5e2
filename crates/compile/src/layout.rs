//! Where a simulation program takes its inputs and leaves its outputs, with the names and units that results show.

use std::ops::Range;

use cardan_base::Id;
use cardan_equations::Equations;
use cardan_expr::Depends;
use cardan_lower::{Phase, SimulationProgram as Lowered, stage, stages};
use cardan_model::{Causality, LoadId, Model, Quantity};
use cardan_program::{InputId, Label, OutputId, Stages};

use crate::small_coordinates::{self, Small};
use cardan_assembly::gimbal_lock;
use cardan_assembly::gimbal_lock::Turns;

/// Positions in the flat vectors of a program, by meaning.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The stage of everything that depends on parameters only.
    pub setup: Stages,
    /// The stages of the state's derivative.
    pub motion: Stages,
    /// The stages of everything, setup excepted.
    pub report: Stages,
    /// The independent parameters and the inputs, with their default values.
    pub parameters: Vec<ParameterSlot>,
    /// Names of the parameters that follow from others.
    pub dependent: Vec<String>,
    /// The input that is the time.
    pub time: InputId,
    /// The states: coordinates, speeds, auxiliary states.
    pub states: Vec<StateSlot>,
    /// The discrete states: label and place among the inputs.
    pub discretes: Vec<(Label, usize)>,
    /// Whether events can change the energy.
    pub jumps: bool,
    /// How many of the states are coordinates.
    pub n_coordinates: usize,
    /// How many of the states are speeds.
    pub n_speeds: usize,
    /// The coordinates that are declared small.
    pub small: Vec<Small>,
    /// Groups of states whose squares sum to one.
    pub unit_quadruples: Vec<[usize; 4]>,
    /// Joints that turn by three angles, which may lock.
    pub turns: Vec<Turns>,
    /// Outputs of the model.
    pub outputs: Vec<(Label, usize)>,
    /// Kinetic energy.
    pub kinetic: usize,
    /// Potential energy of gravity.
    pub gravity: usize,
    /// Potential energies of loads, by name.
    pub potentials: Vec<(String, usize)>,
    /// Powers of loads whose work is in no potential and of drives, by name.
    pub powers: Vec<(String, usize)>,
    /// How many of these are of drives: the last ones.
    pub n_drives: usize,
    /// Whether the energy balance closes.
    pub closure: Closure,
    /// Energies and works that are shown otherwise than by themselves.
    pub shown: Vec<Label>,
    /// Per body: the first of three components of its origin and nine direction cosines by rows.
    pub poses: Vec<usize>,
    /// Where loads act.
    pub loads: Vec<LoadSlot>,
    /// Per load whose law contains unknowns: its name, the output that is positive where its effort is unique, and the one that is
    /// so where it is found.
    pub laws: Vec<(String, usize, Option<usize>)>,
}

/// An independent parameter or an input.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterSlot {
    /// Name, unit, description.
    pub label: Label,
    /// Its place among the inputs.
    pub input: usize,
    /// Its value unless set otherwise, in SI units; nothing if it must be given.
    pub value: Option<f64>,
    /// Whether it is fixed during a motion.
    pub causality: Causality,
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

/// A load: each place is the first of three components in the inertial frame.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadSlot {
    /// Which load.
    pub load: LoadId,
    /// Where it acts.
    pub at: usize,
    /// Where the reaction acts, if elsewhere.
    pub reaction: Option<usize>,
    /// The force or torque.
    pub vector: usize,
}

impl Plan {
    /// The inputs, as places among the parameters, in order of declaration.
    pub fn inputs(&self) -> Vec<usize> {
        let places = 0..self.parameters.len();
        places.filter(|k| self.parameters[*k].causality == Causality::Input).collect()
    }
    /// The plan of a lowered simulation of `model`.
    pub fn of(model: &Model, equations: &Equations, lowered: &Lowered) -> Plan {
        let layout = &lowered.layout;
        let shown = |q: &Quantity| Label::new(&q.name, q.unit(), &q.description);
        let load = |id: &LoadId| model.loads[*id].name.clone();
        let drives = layout.driven.iter().map(|id| model.constraints[*id].name.clone());
        let quantities = equations.states.iter().filter_map(|state| state.quantity(model));
        let places = zip3(layout.inputs.state(), layout.derivatives.clone(), layout.start.clone());
        let states = quantities.zip(places).map(|(q, (input, derivative, start))| StateSlot {
            label: shown(q),
            input,
            derivative,
            start,
        });
        let parameters = layout.inputs.parameters.iter().map(|slot| ParameterSlot {
            label: shown(&model.parameters[slot.id].quantity),
            input: slot.input.index(),
            value: slot.default,
            causality: slot.causality,
        });
        let dependent = layout.inputs.dependent.iter().map(|p| model.parameters[*p].quantity.name.clone());
        let states: Vec<StateSlot> = states.collect();
        let discretes = model.hybrid.discretes.iter().map(|(_, d)| shown(&d.quantity));
        let discretes = discretes.zip(layout.inputs.discretes.clone());
        let outputs = model.outputs.iter().map(|o| shown(&o.quantity)).zip(layout.outputs.clone());
        // A state that is asked for in its own unit is there already.
        let is_state =
            |label: &Label| states.iter().any(|s| s.label.name == label.name && s.label.unit == label.unit);
        let is_discrete = |label: &Label| {
            model
                .hybrid
                .discretes
                .iter()
                .any(|(_, d)| d.quantity.name == label.name && d.quantity.unit() == label.unit)
        };
        let outputs = outputs.filter(|(label, _)| !is_state(label) && !is_discrete(label)).collect();
        let loads = layout.loads.iter().map(|place| LoadSlot {
            load: place.load,
            at: place.at.index(),
            reaction: place.reaction.map(OutputId::index),
            vector: place.vector.index(),
        });
        let solved = layout.solved.clone().map(Some).chain(std::iter::repeat(None));
        let laws = model.laws.iter().zip(layout.pivots.clone()).zip(solved);
        let laws = laws.map(|((law, pivot), solved)| (law.load.clone(), pivot, solved));
        Plan {
            setup: stage(&lowered.program, Phase::Setup).into(),
            motion: stages(&lowered.program, Phase::Time, Phase::Motion),
            report: stages(&lowered.program, Phase::Time, Phase::Report),
            parameters: parameters.collect(),
            dependent: dependent.collect(),
            time: layout.inputs.time,
            states,
            discretes: discretes.collect(),
            jumps: false,
            n_drives: layout.driven.len(),
            n_coordinates: equations.states.iter().filter(|s| s.is_coordinate()).count(),
            n_speeds: equations.states.iter().filter(|s| s.is_speed()).count(),
            small: small_coordinates::declared(model),
            unit_quadruples: model.unit_quadruples.iter().map(|q| q.map(Id::index)).collect(),
            turns: gimbal_lock::turns(model),
            outputs,
            kinetic: layout.kinetic.index(),
            gravity: layout.gravity.index(),
            potentials: layout.potentials.iter().map(|(l, o)| (load(l), o.index())).collect(),
            powers: layout.powered.iter().map(load).chain(drives).zip(layout.powers.clone()).collect(),
            closure: closure(model),
            shown: model.shown.iter().map(shown).collect(),
            poses: layout.poses.iter().map(|(_, first)| first.index()).collect(),
            loads: loads.collect(),
            laws: laws.collect(),
        }
    }
}

/// Closure of the energy balance of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Closure {
    /// Everything that does work is in it.
    #[default]
    Closed,
    /// A prescribed motion, or gravity or a potential that changes by itself, does work that is not recorded.
    Driven,
    /// Time stepping over contacts: the balance holds to the order of the step.
    Stepped,
    /// Quantities are declared small, and products of them are dropped: the balance holds to their order only.
    Small,
}

/// Whether the energy balance of a model closes.
fn closure(model: &Model) -> Closure {
    let pool = model.space.pool();
    // A frame on which nothing sits may move as it likes: no force acts there.
    let loaded = model.loaded_frames();
    let frames = model.space.frames().iter().filter(|(id, _)| loaded.contains(id));
    let rates = frames.flat_map(|(_, frame)| frame.motion.rates());
    let mut rates = rates.map(|rate| model.space.rate(rate));
    let prescribed = rates.any(|e| !pool.is_zero(e) && !pool.depends(e).intersects(Depends::SPEEDS));
    let mut potentials = model.loads.iter().filter_map(|(_, load)| load.potential);
    let inputs: Vec<_> = model.inputs().map(|(_, p)| p.symbol).collect();
    let is_given = |e| !inputs.is_empty() && pool.reachable([e]).iter().any(|part| inputs.contains(part));
    let restless = potentials.any(|e| pool.depends(e).intersects(Depends::TIME) || is_given(e))
        || model.gravity.terms().iter().any(|(_, e)| !pool.is_constant(*e));
    if prescribed || restless {
        Closure::Driven
    } else if model.coordinates.iter().any(|(_, q)| pool.small_order(q.symbol) > 0) {
        Closure::Small
    } else {
        Closure::Closed
    }
}

fn zip3(a: Range<usize>, b: Range<usize>, c: Range<usize>) -> impl Iterator<Item = (usize, usize, usize)> {
    a.zip(b).zip(c).map(|((a, b), c)| (a, b, c))
}
