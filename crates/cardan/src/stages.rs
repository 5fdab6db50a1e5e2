//! The stages as functions: `parse`, `resolve`, `derive`, `compile_model`, and `compile` and `run` for all of them.

use cardan_analysis::{Study, free_parameters};
use cardan_base::{Diagnostics, FileId, Sources};
use cardan_equations::Formalism;
use cardan_lower::{partition_program, stabilised_program};
use cardan_model::{ConstraintId, Model};
use cardan_program::Host;
use cardan_sim::{
    Choice, ChoiceError, ClosedForm, ConstraintForm, EngineKind, ParameterValues, Settings, Simulation,
    Trajectory, choose, choose_keeping, closed_form,
};
use cardan_syntax::Tree;
use cardan_units::Dimension;

use crate::Error;

/// A text that has been read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The text, for messages that point into it.
    pub sources: Sources,
    /// Which of the texts.
    pub file: FileId,
    /// Its statements.
    pub tree: Tree,
    /// What is wrong with its form.
    pub diagnostics: Diagnostics,
}

/// A text that has been understood, as far as that was possible.
#[derive(Debug)]
pub struct Resolved {
    /// The text, for messages that point into it.
    pub sources: Sources,
    /// Its statements.
    pub tree: Tree,
    /// The model; nothing if the text describes none.
    pub model: Option<Model>,
    /// All findings.
    pub diagnostics: Diagnostics,
}

impl Resolved {
    /// The model, if nothing is wrong with the text; notes and warnings are no hindrance.
    pub fn into_model(self) -> Result<Model, Error> {
        match self.model {
            Some(model) if !self.diagnostics.has_errors() => Ok(model),
            _ => Err(Error::Text(Box::new((self.sources, self.diagnostics)))),
        }
    }
}

/// How a model is compiled.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    /// How equations are derived; what costs least on machine code if nothing.
    pub formalism: Option<Formalism>,
    /// What runs the program.
    pub engine: EngineKind,
}

/// A model with its equations, ready to run.
#[derive(Debug)]
pub struct Compiled {
    /// The model, its equations, their program, and the formalisms that were compared.
    pub choice: Choice,
    /// The program in an engine.
    pub simulation: Simulation,
    /// The closed form of its loops, where it was looked for and there is one.
    pub closed: Option<ClosedForm>,
}

/// A motion and what it came from.
#[derive(Debug)]
pub struct Run {
    /// What was run.
    pub compiled: Compiled,
    /// How.
    pub settings: Settings,
    /// The motion.
    pub trajectory: Trajectory,
}

/// text ▶ tree. Any text has one.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tree, diagnostics) = cardan_syntax::parse(file, text);
    Parsed { sources, file, tree, diagnostics }
}

/// tree ▶ model.
pub fn resolve(parsed: Parsed) -> Resolved {
    let Parsed { sources, file, tree, mut diagnostics } = parsed;
    if diagnostics.has_errors() {
        // Statements are missing from the tree, which `lang` must know lest it complain of missing names.
        let (name, text) = sources.get(file).map_or(("", ""), |s| (s.name.as_str(), s.text.as_str()));
        let compiled = cardan_lang::compile_text(name, text);
        return Resolved { sources: compiled.sources, tree, model: None, diagnostics: compiled.diagnostics };
    }
    let (model, findings) = cardan_lang::resolve(&tree, &sources);
    diagnostics.append(findings);
    Resolved { sources, tree, model, diagnostics }
}

impl Compiled {
    /// The model.
    pub fn model(&self) -> &Model {
        &self.choice.model
    }

    /// The same, ready for a form of the constraints that a run asks for.
    pub fn for_constraints(mut self, form: ConstraintForm) -> Result<Compiled, Error> {
        let (model, equations) = (&self.choice.model, &self.choice.equations);
        match form {
            ConstraintForm::Projected => {}
            ConstraintForm::Auto | ConstraintForm::Closed => {
                self.closed = closed_form(&self.choice)?;
                let taken = |c: &&ClosedForm| form == ConstraintForm::Closed || c.is_better();
                if let Some(found) = self.closed.as_ref().filter(taken) {
                    let name = |id: &ConstraintId| model.constraints[*id].name.clone();
                    let dyads = found.program.dyads.iter().map(name).collect();
                    self.simulation = self.simulation.with_closed(found.program.clone(), dyads)?;
                }
            }
            ConstraintForm::Stabilised => {
                let program = stabilised_program(model, equations).map_err(ChoiceError::Lower)?;
                self.simulation = self.simulation.with_stabilised(program)?;
            }
            ConstraintForm::Partitioned | ConstraintForm::Baumgarte => {
                let program = partition_program(model, equations).map_err(ChoiceError::Lower)?;
                self.simulation = self.simulation.with_partition(program)?;
            }
        }
        Ok(self)
    }
}

/// model ▶ equations ▶ program, by one formalism or by the cheapest.
pub fn derive(model: &Model, formalism: Option<Formalism>) -> Result<Choice, ChoiceError> {
    choose(model, formalism)
}

/// model ▶ machine code. The model calls no external functions.
pub fn compile_model(model: &Model, options: Options) -> Result<Compiled, Error> {
    compile_with(model, options, Host::new())
}

/// model ▶ machine code, with external functions from `host`.
///
/// ```
/// # use cardan::prelude::*;
/// let text = "
///     external function drag(v [m/s]) [N]
///     particle p on N by translate(x = x) { mass = 1 [kg] }
///     force air on p.cm = -drag(p.u) * N.x
///     start { p.u = 1 [m/s] }
///     simulate { to = 1 [s] }
/// ";
/// let model = resolve(parse("drag.mbs", text)).into_model()?;
/// let mut host = Host::new();
/// host.bind("drag", |v| 2.0 * v[0]);
/// let compiled = cardan::compile_with(&model, Options::default(), host)?;
/// let motion = compiled.simulation.run(&Settings { to: 1.0, ..Settings::default() }, &mut ())?;
/// assert!((motion.last("der(x)").unwrap() - (-2.0f64).exp()).abs() < 1e-10);
/// # Ok::<(), cardan::Error>(())
/// ```
pub fn compile_with(model: &Model, options: Options, host: Host) -> Result<Compiled, Error> {
    compile_keeping(model, options, host, &[])
}

/// The same with some of the constraint rows kept that repeat others at the start, by their places among all: where a motion ended because
/// one of them [parted](cardan_sim::Parting) from the others, it may go on with it.
pub fn compile_keeping(
    model: &Model,
    options: Options,
    host: Host,
    also: &[usize],
) -> Result<Compiled, Error> {
    let choice = choose_keeping(model, options.formalism, also)?;
    let simulation = Simulation::of(&choice, options.engine, host)?.with_events(choice.events.as_ref())?;
    Ok(Compiled { simulation: simulation.with_structure(&choice), choice, closed: None })
}

/// text ▶ machine code. `name` is how messages call the text.
pub fn compile(name: &str, text: &str) -> Result<Compiled, Error> {
    compile_model(&resolve(parse(name, text)).into_model()?, Options::default())
}

/// text ▶ motion, as its `simulate` block asks.
pub fn run(name: &str, text: &str) -> Result<Run, Error> {
    let model = resolve(parse(name, text)).into_model()?;
    let settings = Settings::of(&model, &ParameterValues::of(&model))?;
    let options = Options { formalism: settings.formalism, ..Options::default() };
    let compiled = compile_model(&model, options)?.for_constraints(settings.constraints)?;
    let trajectory = compiled.simulation.run(&settings, &mut ())?;
    Ok(Run { compiled, settings, trajectory })
}

/// model ▶ questions: equations, linear equations, modes, statics. The parameters named by `inputs` are the inputs of linearisations.
///
/// ```
/// # use cardan::prelude::*;
/// use cardan::analysis::{LinearOptions, linearize, modes};
///
/// let text = "
///     gravity = -9.81 [m/s^2] * N.z
///     particle bob on N by revolute(y, q = phi) { mass = 1 [kg]; center = (0, 0, -1) [m] }
/// ";
/// let model = resolve(parse("pendulum.mbs", text)).into_model()?;
/// let mut study = cardan::study(&model, &[])?;
/// let hanging = study.start(0.0)?;
/// let linear = linearize(&mut study, 0.0, &hanging, &LinearOptions::default())?;
/// let swing = &modes(&study, &linear)?.modes[0];
/// assert!((swing.eigenvalue.1 - 9.81f64.sqrt()).abs() < 1e-9);
/// # Ok::<(), cardan::Error>(())
/// ```
pub fn study(model: &Model, inputs: &[String]) -> Result<Study, Error> {
    let mut model = model.clone();
    free_parameters(&mut model, inputs)?;
    Ok(Study::of(&derive(&model, None)?, inputs)?)
}

/// The value of a text such as `12 [N/m]` or `2*30 [deg]` in SI units, and its dimension; nothing for the dimension of a
/// number without a unit.
///
/// ```
/// # use cardan::units::Dimension;
/// let (value, dimension) = cardan::quantity("1.5 [km]")?;
/// assert_eq!((value, dimension), (1500.0, Some(Dimension::LENGTH)));
/// # Ok::<(), cardan::Error>(())
/// ```
pub fn quantity(text: &str) -> Result<(f64, Option<Dimension>), Error> {
    let line: String = text.split(['\n', '\r', ';', '#', '"']).next().unwrap_or("").to_string();
    let resolved = resolve(parse("value", &format!("parameter value = {line}")));
    let model = resolved.into_model()?;
    let values = ParameterValues::of(&model);
    let (symbol, dimension) = model
        .parameters
        .iter()
        .next()
        .map_or((model.space.pool().zero(), Dimension::ONE), |(_, p)| (p.symbol, p.quantity.dimension));
    let number = values.evaluate(&model, symbol);
    Ok((number, (dimension != Dimension::ONE).then_some(dimension)))
}
