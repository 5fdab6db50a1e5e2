//! `cardan run`: the main job. What was understood, the motion, and a folder with the results.

mod beginning;
pub mod bind;
mod contact;
pub mod happenings;
mod limits;
mod native;
mod parted;
pub mod reactions;
pub(crate) mod request;
pub mod saving;
pub mod summary;
mod tables;
pub mod watcher;

use std::path::PathBuf;
use std::time::Instant;

use cardan::base::Diagnostics;
use cardan::sim::{Ending, EngineKind, ParameterValues, Settings, Trajectory, examine_settings};
use cardan::{Compiled, Options};
use serde_json::Value;

use crate::arguments::{EngineName, Run};
use crate::ask::branches;
use crate::files;
use crate::loading::{Loaded, load, not_begun, refused, show_findings};
use crate::outcome::{Outcome, Problem};
use crate::report;
use crate::terminal::Terminal;

use saving::Saved;
use watcher::Watcher;

/// All that is known after a run.
pub struct Story {
    pub file: PathBuf,
    pub folder: PathBuf,
    pub text: String,
    pub compiled: Compiled,
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
        self.compiled.choice.loops.as_ref().map_or(&[], |found| &found.not_unique)
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
    let mut clock = Clock { last: Instant::now(), phases: vec![] };
    let Prepared { loaded, settings, reactions, mut doubts } = prepare(terminal, arguments)?;
    let Loaded { model, sources, mut diagnostics, text } = loaded;
    clock.lap("read");

    let options = Options { formalism: settings.formalism, engine: engine_kind(arguments) };
    let mut compiled = cardan::compile_with(&model, options, bind::host(&model, &arguments.bind)?)
        .and_then(|compiled| compiled.for_constraints(settings.constraints))
        .map_err(|e| refused(terminal, &model, &sources, e))?;
    if arguments.engine == EngineName::Native {
        match native::engine(compiled.simulation.program()) {
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
        arguments.out.clone().unwrap_or_else(|| PathBuf::from("results").join(&compiled.model().name));
    let [csv, summary, page] = ["results.csv", "summary.json", "report.html"].map(|name| folder.join(name));
    [&csv, &summary, &page].into_iter().try_for_each(|path| files::spare(path))?;
    let missing = files::missing_folders(&folder);
    files::make_folder(&folder)?;
    let mut watcher = Watcher::new(&csv, speaks);
    let trajectory = compiled.simulation.run(&settings, &mut watcher);
    let mut written = watcher.finish();
    let mut trajectory = trajectory.map_err(|e| {
        files::unmake_folders(&missing);
        not_begun(terminal, &model, &sources, e)
    })?;
    if let Some(parting) = trajectory.parting.clone()
        && let Ok(host) = bind::host(&model, &arguments.bind)
        && let Some(found) = parted::go_on(&model, options, host, &settings, &parting, &csv)
    {
        terminal.note(&format!("{parting}; it is kept beside them from the start on"));
        (compiled, trajectory) = found;
        written = Ok(());
    }
    if let Some(parting) = &trajectory.parting {
        let mut parted = Diagnostics::new();
        parted.push(cardan::sim::diagnose_parting(&model, parting));
        terminal.diagnostics(&parted, &sources);
        diagnostics.append(parted);
    }
    if let Some(sentence) = beginning::undecided(compiled.model(), &trajectory) {
        terminal.note(&sentence);
    }
    let mut saved = Saved::default();
    saved.table(&csv, written, &trajectory);
    trajectory.warnings.extend(limits::passed(compiled.model(), &trajectory));
    trajectory.warnings.extend(contact::pulls(compiled.model(), &trajectory));
    clock.lap("run");

    let notices = report::findings(&diagnostics, &sources);
    let findings = crate::loading::findings(&diagnostics, &sources);
    let story = Story {
        file: arguments.file.clone(),
        folder: folder.clone(),
        text,
        compiled,
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
    let Loaded { mut model, sources, mut diagnostics, text } =
        load(terminal, &arguments.file, &arguments.reading)?;
    if model.bodies.is_empty() && model.states.is_empty() && model.outputs.is_empty() {
        let problem = Problem::wrong(format!("there is nothing to move in {}", arguments.file.display()));
        return Err(problem.hint("`cardan new swing` writes a model to start from"));
    }
    request::set_values(terminal, &mut model, &arguments.set)?;
    let reactions = if arguments.reactions { model.ask_for_reactions() } else { vec![] };
    let values = ParameterValues::of(&model);
    let mut settings = match &arguments.experiment {
        Some(name) => Settings::named(&model, &values, name).map_err(Problem::usage)?,
        None => Settings::of(&model, &values).map_err(|error| match examine_settings(&model) {
            found if found.has_errors() => show_findings(terminal, &found, &sources),
            _ => Problem::wrong(error),
        })?,
    };
    request::override_settings(&mut settings, arguments)?;
    settings.check().map_err(Problem::usage)?;
    if arguments.method.is_none() {
        let idle = examine_settings(&model);
        if !idle.has_errors() {
            terminal.diagnostics(&idle, &sources);
            diagnostics.append(idle);
        }
    }
    if arguments.to.is_none() && model.experiments.iter().all(|e| e.kind != "simulate") {
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
        branches::take(&mut model, n)?;
    }
    let loaded = Loaded { model, sources, diagnostics, text };
    Ok(Prepared { loaded, settings, reactions, doubts })
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
) -> Result<Outcome, Problem> {
    let [summary, page] = ["summary.json", "report.html"].map(|name| story.folder.join(name));
    saved.paths.push(summary.clone());
    saved.write(&page, report::page(&story).as_bytes());
    if let Some(format) = arguments.figures {
        report::figures(&story, format, &mut saved);
    }
    clock.lap("report");
    story.phases = clock.phases;
    let mut facts = summary::for_programs(&story, &saved);
    if let Err(problem) = files::write(&summary, format!("{facts:#}\n").as_bytes()) {
        saved.problems.push(problem);
        saved.paths.retain(|path| *path != summary);
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
    let outcome = conclude(terminal, &story)?;
    Ok(if saved.problems.is_empty() { outcome } else { Outcome::Failed })
}

fn conclude(terminal: &Terminal, story: &Story) -> Result<Outcome, Problem> {
    let t = &story.trajectory;
    let reached = cardan::sim::audit::tidy(t.reached);
    let kept = format!("results up to t = {reached} s are in {}", story.folder.display());
    let problem = match t.ending {
        Ending::Finished => return Ok(Outcome::Done),
        Ending::Interrupted => Problem::failed(format!("stopped on request at t = {reached} s; {kept}")),
        Ending::Failed => {
            let model = story.compiled.model();
            let why = tables::explain(model, t).or_else(|| contact::explain(model, &t.reason));
            let why = why.map_or(String::new(), |words| format!("; {words}"));
            Problem::failed(format!("the motion could not be followed: {}{why}; {kept}", t.reason))
        }
    };
    terminal.problem(&problem);
    Ok(Outcome::Failed)
}
