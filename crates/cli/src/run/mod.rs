//! `cardan run`: the main job. What was understood, the motion, and a folder with the results.

pub mod absolute;
pub mod artifacts;
pub(crate) mod c_engine;
pub mod event_log;
pub mod externals;
pub(crate) mod initial_state;
pub mod progress;
pub(crate) mod warnings;

mod coupled_unit;
mod input_tables;
pub mod reactions;
pub(crate) mod request;
pub(crate) mod restart;
pub mod summary;
mod watch;

pub(crate) use crate::run::warnings::{contact, limits, mobility, tables};
pub(crate) use crate::run::watch::browser;

use std::path::PathBuf;
use std::time::Instant;

use cardan::Options;
use cardan::assembly::ParameterValues;
use cardan::base::Diagnostics;
use cardan::jit::EngineKind;
use cardan::model::{ExperimentKind, Model};
use cardan::sim::{Ending, Settings, Trajectory, examine_settings};
use serde_json::Value;

use crate::analyze::branches;
use crate::arguments::{EngineName, Run};
use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{Loaded, load, not_begun, refused, show_findings};
use crate::report;
use crate::terminal::Terminal;
use crate::transaction::Transaction;

use crate::run::absolute::Derived;
use crate::run::artifacts::Saved;
use crate::run::progress::Watcher;
use crate::run::restart::{RESTART, Restart};

/// The samples of a run.
const TABLE: &str = "results.csv";
/// A run for programs.
const SUMMARY: &str = "summary.json";
/// A run for people.
const PAGE: &str = "report.html";

/// All that is known after a run.
pub struct Story {
    pub file: PathBuf,
    pub folder: PathBuf,
    pub text: String,
    pub derived: Derived,
    pub settings: Settings,
    pub trajectory: Trajectory,
    pub findings: Vec<Value>,
    pub notices: Vec<report::Finding>,
    /// What is doubtful about the data.
    pub doubts: Vec<String>,
    /// The reactions that were asked for: `arm.force`, …
    pub reactions: Vec<String>,
    /// Phases and their times in milliseconds.
    pub phases: Vec<(&'static str, f64)>,
}

impl Story {
    /// Outputs that depend on how joints share what they bear.
    pub fn not_unique(&self) -> &[String] {
        let loops = self.derived.compiled().and_then(|c| c.choice.loops.as_ref());
        loops.map_or(&[], |found| &found.not_unique)
    }
    /// The model.
    pub fn model(&self) -> &Model {
        self.derived.model()
    }
}

/// Measures phases.
struct Clock {
    last: Instant,
    phases: Vec<(&'static str, f64)>,
}

impl Clock {
    fn lap(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.phases.push((phase, now.duration_since(self.last).as_secs_f64() * 1e3));
        self.last = now;
    }
}

pub fn run(terminal: &Terminal, arguments: &Run) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.quiet);
    if arguments.watch {
        return watch::watch(terminal, arguments);
    }
    let Finished { outcome, page } = once(terminal, arguments)?;
    if arguments.open {
        browser::open(terminal, page.as_os_str());
    }
    Ok(outcome)
}

/// What is left of a run: how it ended, and its page.
struct Finished {
    outcome: Outcome,
    page: PathBuf,
}

/// Runs the model once.
fn once(terminal: &Terminal, arguments: &Run) -> Result<Finished, Problem> {
    let mut clock = Clock { last: Instant::now(), phases: vec![] };
    let Prepared { loaded, settings, reactions, mut doubts } = prepare(terminal, arguments)?;
    clock.lap("read");
    if let Some(reason) = absolute::reason(&loaded.model, &settings) {
        let prepared =
            absolute::Ready { loaded: &loaded, settings: &settings, reactions: &reactions, doubts: &doubts };
        if let Some(finished) = absolute::once(terminal, arguments, &mut clock, prepared, reason)? {
            return Ok(finished);
        }
    }
    let Loaded { model, sources, mut diagnostics, text, .. } = loaded;

    let options = Options { formalism: settings.formalism, engine: engine_kind(arguments) };
    let mut compiled = cardan::compile_with(&model, options, externals::host(&model, &arguments.bind)?)
        .and_then(|compiled| compiled.for_constraints(settings.constraints))
        .map_err(|e| refused(terminal, &model, &sources, e))?;
    if arguments.engine == EngineName::Native {
        match c_engine::engine(compiled.simulation.program()) {
            Ok(engine) => compiled.simulation = compiled.simulation.with_engine(engine),
            Err(reason) => {
                let sentence = format!("cardan's own machine code runs instead of compiled C: {reason}");
                terminal.warning(&sentence);
                doubts.push(sentence);
            }
        }
    }
    clock.lap("derive and compile");
    let speaks = !terminal.json && !arguments.quiet;
    if speaks {
        terminal.print(&summary::understood(terminal, &compiled, &settings));
    }

    let folder =
        arguments.out.clone().unwrap_or_else(|| files::default_folder("results", &compiled.model().name));
    let mut results = Transaction::begin(&folder)?;
    // What stands in the way is said before the motion is followed.
    let csv = results.claim(TABLE)?;
    [SUMMARY, PAGE].into_iter().try_for_each(|name| results.claim(name).map(drop))?;
    if arguments.figures.is_some() {
        results.claim(&format!("{}/any", report::FIGURES))?;
    }
    let mut watcher = Watcher::new(&csv, speaks);
    let motion = compiled.simulate_observed(&settings, &mut watcher);
    let written = watcher.finish();
    let mut motion = motion.map_err(|error| match error {
        cardan::Error::Start(error) => not_begun(terminal, &model, &sources, error),
        error => refused(terminal, &model, &sources, error),
    })?;
    if let Some((kept, parting)) = motion.recompiled.take() {
        terminal.note(&format!("{parting}; it is kept beside them from the start on"));
        compiled = *kept;
    }
    let mut trajectory = motion.into_trajectory();
    if let Some(parting) = &trajectory.parting {
        let mut parted = Diagnostics::new();
        parted.push(cardan::sim::diagnose_parting(&model, parting));
        terminal.diagnostics(&parted, &sources);
        diagnostics.append(parted);
    }
    if let Some(sentence) = initial_state::undecided(compiled.model(), &trajectory) {
        terminal.note(&sentence);
    }
    let saved = Saved::new(results, &csv, written);
    trajectory.warnings.extend(mobility::told(&compiled, &trajectory));
    trajectory.warnings.extend(limits::passed(compiled.model(), &trajectory));
    trajectory.warnings.extend(contact::pulls(compiled.model(), &trajectory));
    clock.lap("run");

    let notices = report::findings(&diagnostics, &sources);
    let findings = crate::load::findings(&diagnostics, &sources);
    let story = Story {
        file: arguments.file.clone(),
        folder: folder.clone(),
        text,
        derived: Derived::Equations(Box::new(compiled)),
        settings,
        trajectory,
        findings,
        notices,
        doubts,
        reactions,
        phases: clock.phases.clone(),
    };
    tell(terminal, arguments, clock, story, saved)
}

/// What a run begins with.
struct Prepared {
    loaded: Loaded,
    settings: Settings,
    /// The reactions that were asked for.
    reactions: Vec<String>,
    /// What is doubtful about the data.
    doubts: Vec<String>,
}

/// Reads the model and what is asked of it, and says what is wrong or doubtful about either.
fn prepare(terminal: &Terminal, arguments: &Run) -> Result<Prepared, Problem> {
    let loaded = load(terminal, &arguments.file, &arguments.reading.setting(&arguments.set))?;
    let set = loaded.remaining(&arguments.set);
    let Loaded { mut model, sources, mut diagnostics, text, .. } = loaded;
    if model.bodies.is_empty() && model.states.is_empty() && model.outputs.is_empty() {
        let problem = Problem::wrong(format!("there is nothing to move in {}", arguments.file.display()));
        return Err(problem.hint("`cardan new swing` writes a model to start from"));
    }
    let restart = arguments.restart.as_deref().map(Restart::read).transpose()?;
    if let Some(restart) = &restart {
        model = restart.applied(model)?;
    }
    model = request::set_values(terminal, model, &set)?;
    model = input_tables::bind(model, &arguments.input)?;
    let reactions = if arguments.reactions { model.ask_for_reactions() } else { vec![] };
    let values = ParameterValues::of(&model);
    let mut settings = match &arguments.experiment {
        Some(name) => Settings::named(&model, &values, name).map_err(Problem::usage)?,
        None => Settings::of(&model, &values).map_err(|error| match examine_settings(&model) {
            found if found.has_errors() => show_findings(terminal, &found, &sources),
            _ => Problem::wrong(error),
        })?,
    };
    if let Some(restart) = &restart {
        settings.to += restart.time - settings.from;
        settings.from = restart.time;
    }
    request::override_settings(&mut settings, arguments)?;
    settings.check().map_err(Problem::usage)?;
    if arguments.method.is_none() {
        let idle = examine_settings(&model);
        if !idle.has_errors() {
            terminal.diagnostics(&idle, &sources);
            diagnostics.append(idle);
        }
    }
    if arguments.to.is_none() && model.experiments.iter().all(|e| e.kind != ExperimentKind::Simulate) {
        terminal.note(
            "the model has no `simulate` block; it runs for 10 s. Write `simulate { to = 10 [s] }` or `--to`",
        );
    }
    if !values.missing.is_empty() {
        let example = format!("give them a value: --set {}=1", values.missing[0]);
        return Err(Problem::wrong(cardan::sim::StartError::Missing(values.missing)).hint(example));
    }
    let matter = cardan::sim::examine_matter(&model);
    if matter.has_errors() {
        return Err(show_findings(terminal, &matter, &sources));
    }
    terminal.diagnostics(&matter, &sources);
    let doubts = matter.iter().map(|d| d.message.clone()).collect();
    diagnostics.append(matter);
    if let Some(n) = arguments.branch {
        model = branches::take(model, n)?;
    }
    if restart.is_none() && starts_at_equilibrium(&model, arguments)? {
        let host = externals::host(&model, &arguments.bind)?;
        model = cardan::start_at_equilibrium(&model, settings.from, host).map_err(|error| {
            Problem::failed(error).hint("`cardan equilibrium` looks for it and says what is left")
        })?;
    }
    if let Some(file) = &arguments.fmu {
        model = coupled_unit::couple(model, &settings, file, arguments.fmu_step)?;
    }
    let loaded = Loaded { model, sources, diagnostics, text, taken: vec![] };
    Ok(Prepared { loaded, settings, reactions, doubts })
}

/// Whether the block or the command line asks for a start at an equilibrium.
fn starts_at_equilibrium(model: &Model, arguments: &Run) -> Result<bool, Problem> {
    let mut blocks = model.experiments.iter().filter(|e| e.kind == ExperimentKind::Simulate);
    let block = match &arguments.experiment {
        Some(name) => blocks.find(|e| e.name.as_ref() == Some(name)),
        None => blocks.clone().find(|e| e.name.is_none()).or_else(|| blocks.next()),
    };
    match arguments.start.as_deref() {
        None => Ok(block.is_some_and(cardan::starts_at_equilibrium)),
        Some("given") => Ok(false),
        Some("equilibrium") => Ok(true),
        Some(other) => Err(Problem::usage(format!("a motion does not start at `{other}`"))
            .hint("it starts at `given` or at `equilibrium`")),
    }
}

fn engine_kind(arguments: &Run) -> EngineKind {
    match arguments.engine {
        _ if arguments.interpret => EngineKind::Interpreter,
        EngineName::Interpreter => EngineKind::Interpreter,
        EngineName::Baseline => EngineKind::Baseline,
        EngineName::Machine | EngineName::Native => EngineKind::Native,
    }
}

/// Writes the page and the summary, and says how the run ended.
fn tell(
    terminal: &Terminal,
    arguments: &Run,
    mut clock: Clock,
    mut story: Story,
    mut saved: Saved,
) -> Result<Finished, Problem> {
    saved.write(PAGE, report::page(&story, &arguments.reading.setting(&arguments.set).texts).as_bytes());
    if let Some(end) = Restart::at_end(story.model(), &story.trajectory) {
        saved.write(RESTART, end.text().as_bytes());
    }
    if let Some(format) = arguments.figures {
        report::figures(&story, format, &mut saved);
    }
    clock.lap("report");
    story.phases = clock.phases;
    // The summary lists itself.
    saved.write(SUMMARY, b"");
    let mut facts = summary::for_programs(&story, &saved);
    saved.write(SUMMARY, format!("{facts:#}\n").as_bytes());
    saved.deliver();
    if !saved.problems.is_empty() {
        facts = summary::for_programs(&story, &saved);
    }
    for warning in &story.trajectory.warnings {
        terminal.warning(warning);
    }
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.quiet {
        terminal.print(&summary::results(terminal, &story, &saved.paths));
    }
    for problem in &saved.problems {
        terminal.problem(problem);
    }
    let outcome = conclude(terminal, &story, &saved)?;
    let page = story.folder.join(PAGE);
    Ok(Finished { outcome: if saved.problems.is_empty() { outcome } else { Outcome::Failed }, page })
}

fn conclude(terminal: &Terminal, story: &Story, saved: &Saved) -> Result<Outcome, Problem> {
    let t = &story.trajectory;
    let reached = cardan::base::without_noise(t.reached);
    let kept = match saved.paths.is_empty() {
        true => "its results could not be written".into(),
        false => format!("results up to t = {reached} s are in {}", story.folder.display()),
    };
    let problem = match t.ending {
        Ending::Finished | Ending::Stopped => return Ok(Outcome::Done),
        Ending::Interrupted => Problem::failed(format!("stopped on request at t = {reached} s; {kept}")),
        Ending::Failed => {
            let model = story.model();
            let why = tables::explain(model, t).or_else(|| contact::explain(model, &t.reason));
            let why = why.map_or(String::new(), |words| format!("; {words}"));
            Problem::failed(format!("the motion could not be followed: {}{why}; {kept}", t.reason))
        }
    };
    terminal.problem(&problem);
    Ok(Outcome::Failed)
}
