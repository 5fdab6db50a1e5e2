//! A complete program: parameters from a file, an integrator, results into a table.
//!
//! The program consists of a library with the functions `setup`, `derivatives` and `outputs` (`correct` and
//! `regular` where there are constraints, `watch` and `happen` where there are events), and of a
//! main file. The main file is a template of its language; this module fills in what the templates share.
//!
//! What belongs to events is data in [`events`]; their logic is part of the program, so that main files only ask.

mod defaults;
pub mod events;
mod fill;

pub(crate) use crate::simulation::defaults::defaults;
pub use crate::simulation::events::{Events, Memory, Watched};
pub(crate) use crate::simulation::fill::{Filling, fill};

use cardan_base::Id;
use cardan_program::{InputId, OutputId, Program, StageId, Stages};

use crate::externals::Provided;
use crate::languages::{c, fortran, fortran77, matlab, python, rust};
use crate::library::{Argument, EmitError, FunctionSpec, Library, Results};
use crate::source::SourceFile;
use crate::target::Target;

/// What to simulate, from when to when, and what to report.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulation {
    /// Name of the library; the main file is called after it.
    pub name: String,
    /// The model's version, for the header; may be empty.
    pub version: String,
    /// Paragraphs for the header.
    pub doc: String,
    /// What the model says of functions that the user provides.
    pub provided: Vec<Provided>,
    /// The last stage that depends on parameters alone; it and the stages before are run once.
    pub setup: StageId,
    /// Parameters with their default values.
    pub parameters: Vec<Parameter>,
    /// Time, if the program reads it.
    pub time: Option<InputId>,
    /// States in order.
    pub states: Vec<State>,
    /// What is written to the table, after time.
    pub reports: Vec<OutputId>,
    /// Whether the last report is shown less its first value.
    pub audited: bool,
    /// When the simulation begins.
    pub t_start: f64,
    /// When it ends.
    pub t_end: f64,
    /// Interval between the lines of the table; must be positive.
    pub every: f64,
    /// The integrator.
    pub method: Method,
    /// What keeps the state on constraints; nothing if there are none.
    pub correction: Option<Correction>,
    /// What happens at instants; nothing if the motion has no jumps.
    pub events: Option<Events>,
}

/// One step of Newton's method towards a state that satisfies constraints. It is repeated at the start and after each step of the
/// integrator.
#[derive(Clone, PartialEq, Debug)]
pub struct Correction {
    /// The corrected state, in the order of the states.
    pub states: Vec<OutputId>,
    /// What vanishes where the constraints hold.
    pub residuals: Vec<OutputId>,
    /// Positive numbers that become small beside themselves where constraints repeat one another for an instant. An integrator with
    /// error test does not end a step there, and passes the place by extrapolation; if there are none it does not look.
    pub pivots: Vec<OutputId>,
}

/// A parameter and its default value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parameter {
    /// The input.
    pub input: InputId,
    /// Its value unless the parameter file says otherwise.
    pub default: f64,
}

/// A state, its derivative and its first value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State {
    /// The state as an input.
    pub input: InputId,
    /// Its time derivative.
    pub derivative: OutputId,
    /// Its value at the beginning, unless the parameter file says otherwise.
    pub start: Start,
}

/// Where a state begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Start {
    /// At a number.
    Value(f64),
    /// At an output of the setup stages.
    Output(OutputId),
}

/// How the generated program integrates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Method {
    /// The classical method of Runge and Kutta, fourth order, with a fixed step.
    RungeKutta4 {
        /// Longest step.
        step: f64,
    },
    /// Dormand and Prince 1980, order 5 with an error estimate of order 4 and adaptive steps.
    DormandPrince {
        /// Relative tolerance.
        relative: f64,
        /// Absolute tolerance.
        absolute: f64,
    },
}

impl Simulation {
    /// The functions that the main file calls.
    pub fn library(&self, program: &Program) -> Library {
        let last = StageId::from_index(program.stages().len().saturating_sub(1));
        let first = StageId::from_index((self.setup.index() + 1).min(last.index()));
        let latest = |outputs: &[OutputId]| {
            let stages = outputs.iter().filter_map(|o| program.outputs().get(*o));
            stages.map(|o| program.stage_of(o.value)).max().unwrap_or(first).max(first)
        };
        let derivatives: Vec<OutputId> = self.states.iter().map(|s| s.derivative).collect();
        let mut arguments = Vec::new();
        arguments.extend(self.time.map(|t| Argument::scalar("t", t, "time")));
        arguments.push(Argument::array("x", self.states.iter().map(|s| s.input).collect(), "state"));
        arguments.extend(self.events.as_ref().map(Events::argument));
        let parameters = self.parameters.iter().map(|p| p.input).collect();
        let mut functions = vec![
            FunctionSpec {
                name: "setup".into(),
                doc: "Computes what depends on parameters alone.".into(),
                stages: Stages { first: StageId::from_index(0), last: self.setup },
                arguments: vec![Argument::array("p", parameters, "parameters")],
                results: vec![Results::new("start", self.start_outputs(), "values at the beginning")],
            },
            FunctionSpec {
                name: "derivatives".into(),
                doc: "Computes the time derivatives of the state.".into(),
                stages: Stages { first, last: latest(&derivatives) },
                arguments: arguments.clone(),
                results: vec![Results::new("dx", derivatives, "time derivatives of the state")],
            },
            FunctionSpec {
                name: "outputs".into(),
                doc: "Computes what is reported.".into(),
                stages: Stages { first, last: latest(&self.reports) },
                arguments: arguments.clone(),
                results: vec![Results::new("y", self.reports.clone(), "reported quantities")],
            },
        ];
        functions.extend(self.correction.as_ref().map(|correction| {
            let outputs: Vec<OutputId> =
                correction.states.iter().chain(&correction.residuals).copied().collect();
            let contents = "the corrected state, then what vanishes where the constraints hold";
            FunctionSpec {
                name: "correct".into(),
                doc: "Computes a state that is closer to the constraints, and how far the given one is."
                    .into(),
                stages: Stages { first, last: latest(&outputs) },
                arguments: arguments.clone(),
                results: vec![Results::new("c", outputs, contents)],
            }
        }));
        for correction in self.correction.iter().filter(|_| self.passes()) {
            let contents = "what each constraint says that those before it do not say, as squares";
            functions.push(FunctionSpec {
                name: "regular".into(),
                doc: "Computes numbers that become small where constraints repeat one another.".into(),
                stages: Stages { first, last: latest(&correction.pivots) },
                arguments: arguments.clone(),
                results: vec![Results::new("r", correction.pivots.clone(), contents)],
            });
        }
        for (name, doc, results) in self.events.iter().flat_map(Events::functions) {
            functions.push(FunctionSpec {
                name: name.into(),
                doc: doc.into(),
                stages: Stages { first, last: latest(&results.outputs) },
                arguments: arguments.clone(),
                results: vec![results],
            });
        }
        Library {
            name: self.name.clone(),
            version: self.version.clone(),
            doc: self.doc.clone(),
            functions,
            provided: self.provided.clone(),
        }
    }

    /// Whether the main file looks for positions in which constraints repeat one another.
    pub(crate) fn passes(&self) -> bool {
        let adaptive = matches!(self.method, Method::DormandPrince { .. });
        adaptive && self.correction.as_ref().is_some_and(|c| !c.pivots.is_empty())
    }

    /// Refuses numbers that no file can hold.
    fn check(&self, program: &Program) -> Result<(), EmitError> {
        let label = |i: InputId| program.inputs().get(i).map_or(String::new(), |i| i.label.name.clone());
        let mut numbers = vec![
            ("the begin of the simulation".to_owned(), self.t_start),
            ("the end of the simulation".to_owned(), self.t_end),
            ("the interval between lines".to_owned(), self.every),
        ];
        for p in &self.parameters {
            numbers.push((format!("the default of `{}`", label(p.input)), p.default));
        }
        for s in &self.states {
            if let Start::Value(x) = s.start {
                numbers.push((format!("the first value of `{}`", label(s.input)), x));
            }
        }
        match self.method {
            Method::RungeKutta4 { step } => numbers.push(("the step".into(), step)),
            Method::DormandPrince { relative, absolute } => {
                numbers.push(("the relative tolerance".into(), relative));
                numbers.push(("the absolute tolerance".into(), absolute));
            }
        }
        match numbers.into_iter().find(|(_, x)| !x.is_finite()) {
            Some((what, _)) => Err(EmitError::NotFinite(what)),
            None => Ok(()),
        }
    }

    /// The discrete states.
    pub(crate) fn discretes(&self) -> &[Memory] {
        self.events.as_ref().map_or(&[], |e| &e.memory[..e.n_discretes])
    }

    /// The outputs at which states begin, then those at which memory does.
    pub(crate) fn start_outputs(&self) -> Vec<OutputId> {
        let output = |s: &State| match s.start {
            Start::Output(o) => Some(o),
            Start::Value(_) => None,
        };
        let memory = self.events.iter().flat_map(|e| e.memory.iter().map(|m| m.start));
        self.states.iter().filter_map(output).chain(memory).collect()
    }
}

/// Writes a complete program: the files of the library, and a main file.
///
/// The program reads `name = value` lines from a parameter file and writes a table of comma-separated values.
/// Both file names can be given as arguments (not in Fortran 77); the defaults are the library's name with the
/// endings `.par` and `.csv`. A further file, `NAME_defaults.par`, lists what can be given. Names in the parameter file are those of parameters, states and discrete states
/// (whose first values they set), and `t_start`, `t_end`, `every`, `step`, `relative`, `absolute`.
pub fn emit_simulation(
    program: &Program,
    simulation: &Simulation,
    target: Target,
) -> Result<Vec<SourceFile>, EmitError> {
    simulation.check(program)?;
    match target {
        Target::Rust => rust::simulation(program, simulation),
        Target::C => c::simulation(program, simulation, c::Flavour::C99),
        Target::Cpp => c::simulation(program, simulation, c::Flavour::Cpp17),
        Target::Fortran => fortran::simulation(program, simulation),
        Target::Fortran77 => fortran77::simulation(program, simulation),
        Target::Python => python::simulation(program, simulation),
        Target::Matlab => matlab::simulation(program, simulation),
        Target::Wasm => Err(EmitError::Unsupported { target: "WebAssembly", what: "a complete program" }),
    }
}
