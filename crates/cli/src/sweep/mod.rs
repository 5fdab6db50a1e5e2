//! `cardan sweep`: many motions of one model, on all cores, in a folder that survives interruption.

pub(crate) mod checks;
pub(crate) mod failed_runs;
pub(crate) mod workers;

pub mod arguments;
mod axes;
mod fingerprint;
mod journal;
mod page;
mod shards;
mod table;

use std::path::Path;
use std::time::Instant;

use cardan::assembly::ParameterValues;
use cardan::base::without_noise;
use cardan::compile::Varied;
use cardan::model::Model;
use cardan::sim::settings::{METHODS, method_named};
use cardan::sim::{Ensemble, Settings};
use cardan::sweep::{Design, SweepPlan};
use cardan::{Compiled, Options};
use serde_json::{Value, json};

use crate::exit::{Outcome, Problem};
use crate::files;
use crate::load::{load, underived};
use crate::parquet::parquet;
use crate::run::request;
use crate::terminal::{Terminal, columns, counted};
use crate::transaction::Transaction;

use crate::sweep::arguments::Sweep;
use crate::sweep::failed_runs::Lost;
use crate::sweep::journal::Journal;
use crate::sweep::shards::Shard;
use crate::sweep::table::Table;

/// The motions that are finished.
const JOURNAL: &str = "sweep.journal";
/// What a sweep leaves in its folder besides the journal.
const RESULTS: [&str; 3] = ["results.parquet", "summary.json", "report.html"];

/// All that is known of a sweep.
pub struct Study {
    pub name: String,
    pub description: String,
    pub varied: Vec<Varied>,
    pub plan: SweepPlan,
    pub design: Design,
    pub settings: Settings,
    /// Whether they differ from motion to motion.
    settings_vary: bool,
    pub table: Table,
    pub lost: Option<Lost>,
}

impl Study {
    /// When the motions end.
    pub fn when(&self) -> String {
        let reached = &self.table.reached;
        let (first, last) = reached.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), t| (a.min(*t), b.max(*t)));
        match first < last || (!self.settings_vary && first < self.settings.to) {
            true => format!(
                "at the end of each motion, t = {} to {} s",
                without_noise(first),
                without_noise(last)
            ),
            false => format!("at t = {} s", without_noise(last)),
        }
    }
}

pub fn run(terminal: &Terminal, arguments: &Sweep) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.quiet);
    let speaks = !terminal.json && !arguments.quiet;
    let loaded = load(terminal, &arguments.file, &arguments.reading.setting(&arguments.set))?;
    let set = loaded.remaining(&arguments.set);
    let model = request::set_values(terminal, loaded.model, &set)?;
    let (model, (varied, plan, design)) = axes::plan(model, arguments)?;
    for doubt in checks::doubts(&model, &varied, &plan) {
        terminal.warning(&doubt);
    }
    let values = ParameterValues::of(&model);
    let at_rest = model.experiments.iter().any(cardan::starts_at_equilibrium);
    let settings = asked_settings(arguments, Settings::of(&model, &values).map_err(Problem::wrong)?)?;
    let missing: Vec<String> =
        values.missing.into_iter().filter(|name| varied.iter().all(|v| v.parameter != *name)).collect();
    if !missing.is_empty() {
        let example = format!("give them a value: --set {}=1", missing[0]);
        return Err(Problem::wrong(cardan::sim::StartError::Missing(missing)).hint(example));
    }
    let host = crate::run::externals::host(&model, &arguments.bind)?;
    let options = Options { formalism: settings.formalism, ..Options::default() };
    let (form, from, functions) = (settings.constraints, settings.from, host.clone());
    let compiled = move |model: &Model| {
        cardan::compile_with(model, options, host.clone()).and_then(|compiled| compiled.for_constraints(form))
    };
    let Compiled { choice, simulation, .. } = compiled(&model).map_err(underived)?;
    let names: Vec<String> = varied.iter().map(|v| v.parameter.clone()).collect();
    let mut ensemble = Ensemble::new(simulation, &names)
        .ok_or_else(|| Problem::wrong("what varies is no independent parameter of the program"))?;
    let settings_vary = Settings::depend_on(&model, &names);
    if settings_vary {
        let (names, model, asked) = (names.clone(), model.clone(), arguments.clone());
        let of_member = move |values: &[f64]| {
            let mut model = model.clone();
            for (name, value) in names.iter().zip(values) {
                model.set_value(name, *value, None).map_err(Problem::wrong)?;
            }
            asked_settings(
                &asked,
                Settings::of(&model, &ParameterValues::of(&model)).map_err(Problem::wrong)?,
            )
        };
        for k in 0..plan.len() {
            of_member(&plan.member(k))?;
        }
        ensemble = ensemble.with_settings(move |values| of_member(values).ok());
    }
    let derive = move |values: &[f64]| {
        let mut model = model.clone();
        for (name, value) in names.iter().zip(values) {
            model.set_value(name, *value, None).ok()?;
        }
        if at_rest {
            model = cardan::start_at_equilibrium(&model, from, functions.clone()).ok()?;
        }
        compiled(&model).ok().map(|c| c.simulation)
    };
    let ensemble = if at_rest { ensemble.deriving_each(derive) } else { ensemble.deriving(derive) };

    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| files::default_folder("results", &format!("{}-sweep", choice.model.name)));
    let shard = arguments.shard.as_deref().map(Shard::parse).transpose()?;
    if let Some(shard) = shard {
        let folder = shard.folder(&folder);
        files::make_folder(&folder)?;
        let header = fingerprint::header(&choice.model.name, plan.len(), arguments);
        let mut journal = Journal::open(&folder.join(JOURNAL), &header, arguments.fresh)?;
        let complete =
            workers::work(&ensemble, &plan, &settings, &mut journal, threads(arguments), speaks, Some(shard));
        let complete = complete.map_err(|e| unwritten(&folder, &e))?;
        return conclude_shard(terminal, shard, &folder, journal.entries.len(), complete, speaks);
    }
    let mut results = Transaction::begin(&folder)?;
    RESULTS.into_iter().try_for_each(|name| results.claim(name).map(drop))?;
    let header = fingerprint::header(&choice.model.name, plan.len(), arguments);
    files::spare(&folder.join(JOURNAL))?;
    let mut journal = Journal::open(&folder.join(JOURNAL), &header, arguments.fresh)?;
    if arguments.merge {
        let n = shards::merge(&folder, &header, &mut journal)?;
        let missing = plan.len() - journal.entries.len();
        if missing > 0 {
            let there = format!("{n} {}", if n == 1 { "shard" } else { "shards" });
            let message = format!("{} of {} motions are missing in {there}", missing, plan.len());
            return Err(Problem::failed(message).hint("run the missing shards again, then --merge"));
        }
    }
    let before = journal.entries.len();
    if speaks {
        let rows = facts(&varied, &plan, &design, &settings, &ensemble, before);
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(a, b)| vec![a, b]).collect();
        terminal.print(&format!("{}\n{}", terminal.bold(&choice.model.name), columns(&rows, &[])));
    }
    let start = Instant::now();
    let complete = workers::work(&ensemble, &plan, &settings, &mut journal, threads(arguments), speaks, None)
        .map_err(|e| unwritten(&folder, &e))?;
    let seconds = start.elapsed().as_secs_f64();
    if !complete {
        let kept = counted(journal.entries.len(), "motion is", "motions are");
        let problem =
            Problem::failed(format!("stopped on request; {kept} finished and kept in {}", folder.display()));
        return Err(problem.hint("the same command goes on from there"));
    }
    let mut table = Table::new(&journal.entries, &varied, &plan, ensemble.columns());
    table.outputs = choice.model.outputs.iter().map(|o| o.quantity.name.clone()).collect();
    let lost = Lost::among(&table, &ensemble, &plan, &settings);
    let study = Study {
        name: choice.model.name.clone(),
        description: choice.model.description.clone(),
        varied,
        plan,
        design,
        settings,
        settings_vary,
        table,
        lost,
    };
    let computed = journal.entries.len() - before;
    conclude(terminal, &study, (results, &folder), computed, seconds, speaks)
}

/// On how many cores motions are followed.
fn threads(arguments: &Sweep) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    arguments.threads.map_or_else(all, usize::from)
}

fn unwritten(folder: &Path, error: &std::io::Error) -> Problem {
    Problem::failed(format!("{} could not be written: {error}", folder.join(JOURNAL).display()))
}

/// What is said of a shard; its numbers wait in its journal.
fn conclude_shard(
    terminal: &Terminal,
    shard: Shard,
    folder: &Path,
    finished: usize,
    complete: bool,
    speaks: bool,
) -> Result<Outcome, Problem> {
    if !complete {
        let kept = counted(finished, "motion is", "motions are");
        let problem =
            Problem::failed(format!("stopped on request; {kept} finished and kept in {}", folder.display()));
        return Err(problem.hint("the same command goes on from there"));
    }
    if terminal.json {
        terminal.print_json(&json!({
            "ok": true, "shard": shard.number, "of": shard.of, "motions": finished,
            "folder": folder.to_string_lossy(),
        }));
    } else if speaks {
        let motions = counted(finished, "motion", "motions");
        terminal.print(&format!(
            "shard {} of {}: {motions} in {}\n",
            shard.number,
            shard.of,
            folder.display()
        ));
    }
    Ok(Outcome::Done)
}

/// What is asked of every motion.
fn asked_settings(arguments: &Sweep, mut settings: Settings) -> Result<Settings, Problem> {
    let given =
        |option: &str, text: &Option<String>| text.as_deref().map(|t| request::time(option, t)).transpose();
    settings.to = given("--to", &arguments.to)?.unwrap_or(settings.to);
    let hundredth = (settings.to - settings.from).abs() / 100.0;
    settings.every = Some(given("--every", &arguments.every)?.unwrap_or(hundredth));
    settings.step = given("--step", &arguments.step)?.or(settings.step);
    if let Some(rtol) = arguments.rtol {
        (settings.rtol, settings.atol) = (rtol, 0.01 * rtol);
    }
    if let Some(name) = &arguments.method {
        settings.method = method_named(name).ok_or_else(|| {
            let known = METHODS.map(|m| m.to_string()).join(", ");
            Problem::usage(format!("there is no method `{name}`")).hint(format!("there are {known}"))
        })?;
    }
    if arguments.step.is_some() {
        request::takes_step(&settings)?;
    }
    // Nobody looks at the poses of single motions.
    settings.max_frames = 1;
    settings.check().map_err(Problem::usage)?;
    Ok(settings)
}

fn facts(
    varied: &[Varied],
    plan: &SweepPlan,
    design: &Design,
    settings: &Settings,
    ensemble: &Ensemble,
    before: usize,
) -> Vec<(String, String)> {
    let names: Vec<&str> = varied.iter().map(|v| v.name.as_str()).collect();
    let motions = format!("{}, {}", counted(plan.len(), "motion", "motions"), axes::design_text(design));
    let integrator = format!(
        "{}, rtol {:e}, atol {:e}, from {} to {} s",
        settings.method,
        without_noise(settings.rtol),
        without_noise(settings.atol),
        settings.from,
        settings.to
    );
    let lanes = match ensemble.at_a_time(settings) {
        8 => "eight at a time",
        4 => "four at a time",
        2 => "two at a time",
        _ => "one at a time",
    };
    let mut facts = vec![
        ("varied".to_string(), names.join(", ")),
        ("plan".to_string(), motions),
        ("integrator".to_string(), integrator),
        ("motions".to_string(), format!("{lanes} on each core")),
    ];
    if before > 0 {
        facts.push(("kept".into(), format!("{} from before", counted(before, "motion", "motions"))));
    }
    facts
}

fn conclude(
    terminal: &Terminal,
    study: &Study,
    (mut results, folder): (Transaction, &Path),
    computed: usize,
    seconds: f64,
    speaks: bool,
) -> Result<Outcome, Problem> {
    let failed = study.lost.as_ref().map_or(0, |lost| lost.count);
    let nothing_left = failed > 0 && failed == study.plan.len();
    let paths = RESULTS.map(|name| folder.join(name));
    results.write(RESULTS[0], &parquet(&study.table.parquet_columns()))?;
    let mut facts = study.table.for_programs(study);
    facts["ok"] = json!(!nothing_left);
    facts["failed"] = json!(failed);
    facts["first_failure"] = study.lost.as_ref().map_or(Value::Null, Lost::for_programs);
    facts["files"] = json!(paths.each_ref().map(|p| p.to_string_lossy()));
    results.write(RESULTS[1], format!("{facts:#}\n").as_bytes())?;
    results.write(RESULTS[2], page::page(study).as_bytes())?;
    results.commit()?;
    if let Some(lost) = &study.lost {
        let all = study.plan.len();
        let many = counted(failed, "motion", "motions");
        terminal.warning(&format!("{many} of {all} could not be followed to the end; {lost}"));
    }
    for gap in study.table.gaps() {
        terminal.warning(&gap);
    }
    if terminal.json {
        facts["computed"] = json!(computed);
        facts["seconds"] = json!(seconds);
        terminal.print_json(&facts);
    } else if speaks {
        let mut out = terminal.bold(&format!("{}\n", study.when()));
        out += &columns(&study.table.spread_rows(12), &[1, 2, 3, 4, 5, 7]);
        let rate = computed as f64 / seconds.max(1e-9);
        out += &format!(
            "  {}\n",
            terminal.dim(&format!("{computed} computed in {seconds:.2} s, {rate:.0} per second"))
        );
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    Ok(if nothing_left { Outcome::Failed } else { Outcome::Done })
}
