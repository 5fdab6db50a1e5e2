//! The program of a simulation: derivatives of the state, and what results show.
//!
//! ```text
//! setup      start values, dependent parameters
//! motion     d/dt [q; u; s], and the powers of loads where works are integrated along
//! report     outputs of the model, energies, powers, poses of bodies, places of loads
//! ```

use std::ops::Range;

use cardan_base::Id;
use cardan_equations::Equations;
use cardan_expr::Expr;
use cardan_kinematics::{Point, Vector};
use cardan_model::{BodyId, ConstraintId, Load, LoadId, LoadKind, Model, ParameterId, Quantity};
use cardan_program::{Counts, Label, OutputId, Program};
use cardan_units::Dimension;

use crate::inputs::{InputLayout, add_inputs, label};
use crate::{Draft, Effort, LowerError, Phase, Request};

/// What a simulation program contains.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Whether the powers of non-conservative loads are computed at every step, to be integrated along.
    pub works: bool,
    /// Whether poses of bodies and places of loads are computed.
    pub pictures: bool,
    /// Dependent parameters that are to be inputs nevertheless.
    pub free: Vec<ParameterId>,
}

impl Default for Options {
    fn default() -> Self {
        Options { works: true, pictures: true, free: vec![] }
    }
}

/// Where a load acts, for drawing. Each is the first of three consecutive outputs, components in the Newtonian frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadPlace {
    /// Which load.
    pub load: LoadId,
    /// The point of the action; of a torque, the origin of the frame that feels it.
    pub at: OutputId,
    /// The point of the reaction, where it is another.
    pub reaction: Option<OutputId>,
    /// The force or torque.
    pub vector: OutputId,
}

/// Where everything is in the vectors of a simulation program.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The inputs.
    pub inputs: InputLayout,
    /// d/dt of the state, as positions in the output vector.
    pub derivatives: Range<usize>,
    /// The powers of non-conservative loads, then those of drives.
    pub powers: Range<usize>,
    /// The loads that they belong to.
    pub powered: Vec<LoadId>,
    /// The constraints that they belong to.
    pub driven: Vec<ConstraintId>,
    /// The state at the start.
    pub start: Range<usize>,
    /// The values of the dependent parameters.
    pub dependent: Range<usize>,
    /// The outputs of the model.
    pub outputs: Range<usize>,
    /// Kinetic energy.
    pub kinetic: OutputId,
    /// Potential energy of gravity.
    pub gravity: OutputId,
    /// Potential energies of loads.
    pub potentials: Vec<(LoadId, OutputId)>,
    /// Per body the first of twelve outputs: the origin of its frame in the Newtonian frame, then the matrix whose
    /// columns are its unit vectors, row by row.
    pub poses: Vec<(BodyId, OutputId)>,
    /// Where loads act.
    pub loads: Vec<LoadPlace>,
}

/// A simulation program and its layout.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulation {
    /// The program; its stages are those of [`Phase`].
    pub program: Program,
    /// Where everything is.
    pub layout: Layout,
}

/// The program that simulates a model.
pub fn simulation_program(model: &Model, equations: &Equations) -> Result<Simulation, LowerError> {
    simulation_program_with(model, equations, &Options::default())
}

/// The same with options.
pub fn simulation_program_with(
    model: &Model,
    equations: &Equations,
    options: &Options,
) -> Result<Simulation, LowerError> {
    let mut draft = SimulationDraft::with(model, equations, options)?;
    draft.pursue(Effort::Full)?;
    draft.finish(equations)
}

/// A simulation program in the making: the derivatives of the state, before anything that results show.
pub struct SimulationDraft<'m> {
    asked: Asked<'m>,
    pictures: bool,
    inputs: InputLayout,
    derivatives: Range<usize>,
    powers: Range<usize>,
    start: Range<usize>,
    dependent: Range<usize>,
    draft: Draft<'m>,
}

impl<'m> SimulationDraft<'m> {
    /// The derivatives as they are written.
    pub fn new(model: &'m Model, equations: &Equations) -> Result<Self, LowerError> {
        Self::with(model, equations, &Options::default())
    }

    fn with(model: &'m Model, equations: &Equations, options: &Options) -> Result<Self, LowerError> {
        let mut request = Request::new(&model.name, model.space.pool(), &model.tables);
        let inputs = add_inputs(&mut request, model, &options.free);
        request.given.extend(equations.solved(model));
        let mut asked = Asked { model, request };
        let derivatives = asked.derivatives(equations);
        let power_phase = if options.works { Phase::Motion } else { Phase::Report };
        let powers = asked.powers(equations, power_phase);
        let start = asked.start(equations);
        let dependent = asked.dependent(&inputs);
        let draft = Draft::new(&asked.request)?;
        let pictures = options.pictures;
        Ok(SimulationDraft { asked, pictures, inputs, derivatives, powers, start, dependent, draft })
    }

    /// Looks for fewer operations; see [`Draft::pursue`].
    pub fn pursue(&mut self, effort: Effort) -> Result<u64, LowerError> {
        self.draft.pursue(effort)
    }

    /// The operations of one evaluation of the state's derivative.
    pub fn counts(&self) -> Counts {
        self.draft.counts()
    }

    /// The program, with what results show.
    pub fn finish(self, equations: &Equations) -> Result<Simulation, LowerError> {
        let SimulationDraft { mut asked, pictures, inputs, derivatives, powers, start, dependent, draft } =
            self;
        let model = asked.model;
        let outputs = asked.outputs();
        let energy = &equations.energy;
        let kinetic = asked.energy("kinetic energy", energy.kinetic);
        let gravity = asked.energy("potential energy of gravity", energy.gravity);
        let potential = |(load, e): &(LoadId, Expr)| {
            let name = format!("potential energy of {}", model.loads[*load].name);
            (*load, asked.energy(&name, *e))
        };
        let potentials = energy.potentials.iter().map(potential).collect();
        let (poses, loads) = if pictures { (asked.poses(), asked.loads()) } else { (vec![], vec![]) };
        let powered = energy.powers.iter().map(|(load, _)| *load).collect();
        let driven = energy.drives.iter().map(|(constraint, _)| *constraint).collect();
        let layout = Layout {
            inputs,
            derivatives,
            powers,
            powered,
            driven,
            start,
            dependent,
            outputs,
            kinetic,
            gravity,
            potentials,
            poses,
            loads,
        };
        Ok(Simulation { program: draft.finish(&asked.request)?, layout })
    }
}

/// What has been asked for so far.
struct Asked<'m> {
    model: &'m Model,
    request: Request<'m>,
}

impl Asked<'_> {
    fn range(&mut self, add: impl FnOnce(&mut Self)) -> Range<usize> {
        let first = self.request.outputs.len();
        add(self);
        first..self.request.outputs.len()
    }

    /// A quantity and its time derivative, as labels.
    fn rate_label(quantity: &Quantity) -> Label {
        let unit = (quantity.dimension / Dimension::TIME).to_string();
        Label::new(format!("der({})", quantity.name), unit, format!("rate of {}", quantity.name))
    }

    fn derivatives(&mut self, equations: &Equations) -> Range<usize> {
        let model = self.model;
        let quantities = equations.states.iter().filter_map(|state| state.quantity(model));
        self.range(|asked| {
            for (quantity, rate) in quantities.zip(equations.rates()) {
                asked.request.output(Self::rate_label(quantity), rate, Phase::Motion);
            }
        })
    }

    fn powers(&mut self, equations: &Equations, phase: Phase) -> Range<usize> {
        let model = self.model;
        self.range(|asked| {
            let loads = equations.energy.powers.iter().map(|(l, p)| (&model.loads[*l].name, p));
            let drives = equations.energy.drives.iter().map(|(c, p)| (&model.constraints[*c].name, p));
            for (name, power) in loads.chain(drives) {
                let label = Label::new(format!("power of {name}"), "W", "");
                asked.request.output(label, *power, phase);
            }
        })
    }

    fn start(&mut self, equations: &Equations) -> Range<usize> {
        let model = self.model;
        let states = equations.states.iter();
        let values = states.filter_map(|state| state.quantity(model).zip(state.start(model)));
        self.range(|asked| {
            for (quantity, start) in values {
                let mut label = label(quantity);
                label.name = format!("start of {}", quantity.name);
                asked.request.output(label, start, Phase::Setup);
            }
        })
    }

    fn dependent(&mut self, inputs: &InputLayout) -> Range<usize> {
        let model = self.model;
        self.range(|asked| {
            for id in &inputs.dependent {
                let parameter = &model.parameters[*id];
                asked.request.output(label(&parameter.quantity), parameter.symbol, Phase::Setup);
            }
        })
    }

    fn outputs(&mut self) -> Range<usize> {
        let model = self.model;
        self.range(|asked| {
            for output in &model.outputs {
                asked.request.output(label(&output.quantity), output.value, Phase::Report);
            }
        })
    }

    fn energy(&mut self, name: &str, e: Expr) -> OutputId {
        OutputId::from_index(self.request.output(Label::new(name, "J", ""), e, Phase::Report))
    }

    /// Twelve numbers per body.
    fn poses(&mut self) -> Vec<(BodyId, OutputId)> {
        let space = &self.model.space;
        let ground = space.newtonian();
        let mut poses = vec![];
        for (id, body) in self.model.bodies.iter() {
            let name = &body.name;
            let first = self.point(&format!("{name}.o"), &space.origin(body.frame));
            for i in 0..3 {
                for j in 0..3 {
                    let cosine = space.dot(&space.axis(ground, i), &space.axis(body.frame, j));
                    let label = Label::named(format!("{name}.R{}{}", i + 1, j + 1));
                    self.request.output(label, cosine, Phase::Report);
                }
            }
            poses.push((id, first));
        }
        poses
    }

    fn loads(&mut self) -> Vec<LoadPlace> {
        let places = self.model.loads.iter().map(|(id, load)| self.load(id, load));
        places.collect()
    }

    fn load(&mut self, id: LoadId, load: &Load) -> LoadPlace {
        let space = &self.model.space;
        let name = &load.name;
        let (at, other, vector, unit) = match &load.kind {
            LoadKind::Force { vector, at, reaction } => {
                (at.clone(), reaction.as_ref().and_then(|r| r.at.clone()), vector, "N")
            }
            LoadKind::Torque { vector, on, .. } => (space.origin(*on), None, vector, "N*m"),
        };
        LoadPlace {
            load: id,
            at: self.point(&format!("{name}.at"), &at),
            reaction: other.map(|point| self.point(&format!("{name}.reaction"), &point)),
            vector: self.vector(name, unit, vector),
        }
    }

    fn point(&mut self, name: &str, point: &Point) -> OutputId {
        let place = self.model.space.place(point);
        self.components(name, "m", place)
    }

    /// Three components in the Newtonian frame.
    fn vector(&mut self, name: &str, unit: &str, v: &Vector) -> OutputId {
        let space = &self.model.space;
        self.components(name, unit, space.components(v, space.newtonian()))
    }

    fn components(&mut self, name: &str, unit: &str, components: [Expr; 3]) -> OutputId {
        let first = self.request.outputs.len();
        for (axis, e) in ["x", "y", "z"].into_iter().zip(components) {
            self.request.output(Label::new(format!("{name}.{axis}"), unit, ""), e, Phase::Report);
        }
        OutputId::from_index(first)
    }
}
