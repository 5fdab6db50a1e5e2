//! The stages as functions: `parse`, `resolve`, `derive`, `compile_model`, and `compile` and `run` for all of them.

use cardan_analysis::{AnalysisError, EquilibriumOptions, Study, equilibrium, free_parameters};
use cardan_assembly::ParameterValues;
use cardan_base::{Diagnostics, FileId, Sources};
use cardan_compile::{Choice, ChoiceError, choose, choose_keeping};
use cardan_equations::Formalism;
use cardan_expand::Read;
use cardan_jit::EngineKind;
use cardan_model::{Experiment, ExperimentKind, Model, Setting};
use cardan_program::Host;
use cardan_sim::{Settings, Simulation, Trajectory};
use cardan_syntax::Tree;
use cardan_units::Dimension;

use crate::{Compiled, Error};

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
    /// Whether the tree is flat.
    pub flat: bool,
    /// Whether parts of the tree are missing because they could not be read.
    pub incomplete: bool,
    /// Which of the settings for its expansion were constants of the model.
    pub taken: Vec<String>,
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
    /// Which of the settings for its expansion were constants of the model.
    pub taken: Vec<String>,
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

/// text ▶ tree. Any text has one.
pub fn parse(name: &str, text: &str) -> Parsed {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (tree, diagnostics) = cardan_syntax::parse(file, text);
    let incomplete = diagnostics.has_errors();
    Parsed { sources, file, tree, diagnostics, flat: false, incomplete, taken: vec![] }
}

/// tree ▶ flat tree: imports, subsystems, instances, loops. Imported texts come from `read`.
///
/// ```
/// use cardan::expand::{Found, Refusal, Settings};
/// let text = "import rod from \"rod.mbs\"\nrod left { base -> N }\nrod right { base -> N at (1, 0, 0) [m] }";
/// let mut read = |wanted: &str, _from: &str| match wanted {
///     "rod.mbs" => Ok(Found {
///         name: wanted.to_owned(),
///         text: "subsystem rod { port base: frame; particle tip on base by revolute(y) { mass = 1 [kg] } }".to_owned(),
///     }),
///     _ => Err(Refusal::Missing),
/// };
/// let flat = cardan::expand_with(cardan::parse("two.mbs", text), &Settings::default(), &mut read);
/// let model = cardan::resolve(flat).into_model()?;
/// assert_eq!(model.coordinates.iter().map(|(_, q)| &*q.quantity.name).collect::<Vec<_>>(), ["left.tip.q", "right.tip.q"]);
/// # Ok::<(), cardan::Error>(())
/// ```
pub fn expand_with(parsed: Parsed, settings: &cardan_expand::Settings, read: &mut Read<'_>) -> Parsed {
    let Parsed { mut sources, file, tree, mut diagnostics, incomplete, .. } = parsed;
    let mut read = |wanted: &str, from: &str| read(wanted, from);
    let expanded = cardan_expand::expand(tree, &mut sources, settings, &mut read);
    // What is missing because it could not be read is no news.
    let unread = incomplete || expanded.incomplete;
    let incomplete = unread || expanded.diagnostics.has_errors();
    if !unread || !diagnostics.has_errors() {
        diagnostics.append(expanded.diagnostics);
    }
    Parsed { sources, file, tree: expanded.tree, diagnostics, flat: true, incomplete, taken: expanded.taken }
}

/// tree ▶ model. A tree that is not flat is expanded first; it imports nothing.
pub fn resolve(parsed: Parsed) -> Resolved {
    resolve_by(parsed, cardan_lang::resolve)
}

/// tree ▶ model, with nothing taken as small whatever the text says: the model that one with small quantities stands for.
pub fn resolve_whole(parsed: Parsed) -> Resolved {
    resolve_by(parsed, cardan_lang::resolve_whole)
}

fn resolve_by(parsed: Parsed, resolve: fn(&Tree, &Sources) -> (Option<Model>, Diagnostics)) -> Resolved {
    let parsed = match parsed.flat {
        true => parsed,
        false => {
            let nothing = &mut |_: &str, _: &str| Err(cardan_expand::Refusal::Missing);
            expand_with(parsed, &cardan_expand::Settings::default(), nothing)
        }
    };
    let Parsed { sources, tree, mut diagnostics, incomplete, taken, .. } = parsed;
    if incomplete {
        diagnostics.append(cardan_lang::resolve_incomplete(&tree, &sources));
        return Resolved { sources, tree, model: None, diagnostics, taken };
    }
    let (model, findings) = resolve(&tree, &sources);
    diagnostics.append(findings);
    Resolved { sources, tree, model, diagnostics, taken }
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
    let simulation = Simulation::of(&choice, options.engine, host)?;
    Ok(Compiled { simulation, choice, options, closed: None })
}

/// text ▶ machine code. `name` is how messages call the text.
pub fn compile(name: &str, text: &str) -> Result<Compiled, Error> {
    compile_model(&resolve(parse(name, text)).into_model()?, Options::default())
}

/// A motion and the compiled model that it comes from.
#[derive(Debug)]
pub struct Run {
    /// What was run.
    pub compiled: Compiled,
    /// How.
    pub settings: Settings,
    /// The motion.
    pub trajectory: Trajectory,
}

/// text ▶ motion, as its `simulate` block asks.
pub fn run(name: &str, text: &str) -> Result<Run, Error> {
    let mut model = resolve(parse(name, text)).into_model()?;
    let settings = Settings::of(&model, &ParameterValues::of(&model))?;
    let mut blocks = model.experiments.iter().filter(|e| e.kind == ExperimentKind::Simulate);
    let block = blocks.clone().find(|e| e.name.is_none()).or_else(|| blocks.next());
    if block.is_some_and(starts_at_equilibrium) {
        model = start_at_equilibrium(&model, settings.from, Host::new())?;
    }
    let options = Options { formalism: settings.formalism, ..Options::default() };
    let compiled = compile_model(&model, options)?.for_constraints(settings.constraints)?;
    let mut results = compiled.simulate(&settings)?;
    let compiled = results.recompiled.take().map_or(compiled, |(kept, _)| *kept);
    Ok(Run { compiled, settings, trajectory: results.into_trajectory() })
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
    model.set_parameters(free_parameters(&model, inputs)?);
    Ok(Study::of(&derive(&model, None)?, inputs)?)
}

/// Whether a `simulate` block asks for a start at an equilibrium: `start = equilibrium`.
pub fn starts_at_equilibrium(block: &Experiment) -> bool {
    matches!(block.get("start"), Some(Setting::Word(word) | Setting::Text(word)) if word == "equilibrium")
}

/// model ▶ the same model with its equilibrium near the start as its start.
///
/// ```
/// # use cardan::prelude::*;
/// let text = "
///     gravity = -9.81 [m/s^2] * N.z
///     particle bob on N by translate(z = z) { mass = 2 [kg] }
///     force coil on bob.cm = -100 [N/m] * z * N.z
/// ";
/// let model = resolve(parse("hanging.mbs", text)).into_model()?;
/// let resting = cardan::start_at_equilibrium(&model, 0.0, Host::new())?;
/// let motion = compile_model(&resting, Options::default())?.simulation.run(&Settings::until(1.0), &mut ())?;
/// assert!((motion.last("z").unwrap() + 0.1962).abs() < 1e-12);
/// # Ok::<(), cardan::Error>(())
/// ```
pub fn start_at_equilibrium(model: &Model, t: f64, host: Host) -> Result<Model, Error> {
    let mut study = Study::with_host(&derive(model, None)?, &[], host)?;
    let found = equilibrium(&mut study, t, &EquilibriumOptions::default())?;
    if !found.balanced {
        let left = found.residual;
        let message = format!("no equilibrium was found near the start: {left:e} is left, in SI units");
        return Err(AnalysisError::Evaluation(message).into());
    }
    let mut model = model.clone();
    for (k, value) in found.state.iter().enumerate() {
        let set = model.set_value(&study.state(k).0.name, *value, None);
        set.map_err(|error| AnalysisError::Evaluation(error.to_string()))?;
    }
    Ok(model)
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
