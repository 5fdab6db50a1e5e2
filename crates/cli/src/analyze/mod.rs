//! Questions asked of a model: `equilibrium`, `linearize`, `modes`, `kinematics`, `inverse`, `verify`, and in `frequency` those about
//! inputs and outputs. Each is a verb, and a block in the text that gives its defaults.

mod absolute;
pub(crate) mod drive_override;
pub(crate) mod frequency;
pub(crate) mod inverse_kinematics;
pub(crate) mod locus;
pub(crate) mod statics;

pub mod arguments;

mod page;

pub mod branches;
pub mod equilibrium;
pub mod inverse;
pub mod kinematics;
pub mod linearize;
pub mod modes;
pub mod sensitivity;
pub mod verify;

use std::cell::RefCell;
use std::path::PathBuf;

use cardan::Compiled;
use cardan::analysis::{
    EquilibriumOptions, Kink, LinearOptions, Linearization, Named, Obstacle, Point, Study, free_parameters,
    linearize as linear_at,
};
use cardan::assembly::rank::redundancy::NOT_UNIQUE;
use cardan::assembly::{ParameterValues, RowName};
use cardan::model::{Experiment, ExperimentKind, Model, Quantity, Setting};
use cardan::sim::Settings;
use cardan::sim::settings::{ABSOLUTE, NATURAL};
use cardan::solve::Matrix;
use cardan::units::{Dimension, Unit};
use serde_json::{Value, json};

use crate::analyze::arguments::{About, Common};
use crate::exit::Problem;
use crate::files;
use crate::load::{Loaded, load_with, refused};
use crate::run::request::{quantity, quantity_of, set_values, time};
use crate::show;
use crate::terminal::Terminal;
use crate::transaction::Transaction;

/// No question is asked at more states along a motion than this.
const MAX_MOMENTS: f64 = 10_000.0;

/// The state that a question is about.
pub struct Chosen {
    pub t: f64,
    pub y: Vec<f64>,
    /// Whether it is the equilibrium near the start because the start moves.
    pub instead: bool,
}

/// A state of a motion.
pub struct Moment {
    pub t: f64,
    pub y: Vec<f64>,
    pub discretes: Vec<f64>,
}

/// A model ready for a question.
pub struct Asked {
    /// As it was before anything was derived from it.
    pub model: Model,
    pub compiled: Compiled,
    pub study: Study,
    pub text: String,
    pub folder: PathBuf,
    /// The files of the answer until they are delivered.
    results: RefCell<Option<Transaction>>,
    file: PathBuf,
    /// The block of the question in the text.
    block: Option<Experiment>,
    values: ParameterValues,
}

/// A model with its values, before equations are derived.
pub struct Posed {
    pub model: Model,
    pub text: String,
    loaded: Loaded,
}

/// Reads a model, gives it its values and lets `change` change it.
pub fn read(
    terminal: &Terminal,
    common: &Common,
    statements: &[String],
    change: impl FnOnce(Model) -> Result<Model, Problem>,
) -> Result<Posed, Problem> {
    let loaded = load_with(terminal, &common.file, &common.reading.setting(&common.set), statements)?;
    // What is asked for beyond the text may contradict given starts: they are guesses then.
    pose(terminal, common, loaded, |mut model| {
        if !statements.is_empty() {
            model.guess_starts();
        }
        change(model)
    })
}

/// The same for a model that has been read.
pub fn prepare_loaded(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    loaded: Loaded,
    inputs: &[String],
    change: impl FnOnce(Model) -> Result<Model, Problem>,
) -> Result<Asked, Problem> {
    derive(terminal, verb, common, inputs, pose(terminal, common, loaded, change)?)
}

/// Gives a model its values and lets `change` change it.
fn pose(
    terminal: &Terminal,
    common: &Common,
    mut loaded: Loaded,
    change: impl FnOnce(Model) -> Result<Model, Problem>,
) -> Result<Posed, Problem> {
    let set = loaded.remaining(&common.set);
    let mut model = set_values(terminal, loaded.model.clone(), &set)?;
    let missing = ParameterValues::of(&model).missing;
    if let Some(first) = missing.first() {
        let example = format!("give them a value: --set {first}=1");
        return Err(Problem::wrong(cardan::sim::StartError::Missing(missing)).hint(example));
    }
    model = change(model)?;
    if let Some(n) = common.branch {
        model = branches::take(model, n)?;
    }
    let text = std::mem::take(&mut loaded.text);
    Ok(Posed { model, text, loaded })
}

/// Reads a model, gives it its values, lets `change` change it, and derives its equations.
pub fn prepare(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    statements: &[String],
    inputs: &[String],
    change: impl FnOnce(Model) -> Result<Model, Problem>,
) -> Result<Asked, Problem> {
    derive(terminal, verb, common, inputs, read(terminal, common, statements, change)?)
}

/// Derives the equations of a model for a question.
pub fn derive(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    inputs: &[String],
    posed: Posed,
) -> Result<Asked, Problem> {
    let Posed { mut model, text, loaded } = posed;
    let block = model.experiments.iter().find(|e| e.kind == verb).cloned();
    let ranges = block.iter().flat_map(|b| &b.settings).filter(|(_, s, _)| matches!(s, Setting::Range(..)));
    let ranged: Vec<String> = ranges.map(|(name, ..)| name.clone()).collect();
    let inputs = &match (inputs, &ranged[..]) {
        ([], []) => or_list(inputs, block.as_ref(), "input"),
        ([], _) => ranged,
        (given, _) => given.to_vec(),
    };
    let free = free_parameters(&model, inputs).map_err(Problem::wrong)?;
    model.set_parameters(free);
    let values = ParameterValues::of(&model);
    let word = block.as_ref().and_then(|b| word(b, "formalism"));
    let named = common.formalism.as_deref().or(word.as_deref());
    let formalism = match named {
        // The motion in absolute coordinates is compared with that of the tree.
        Some(ABSOLUTE | NATURAL) if verb == ExperimentKind::Verify => None,
        Some(NATURAL) => {
            let message = "natural coordinates answer `run` and `verify`, no other question";
            let hint = "take `--formalism absolute`, or none for the formalisms of the tree";
            return Err(Problem::usage(message).hint(hint));
        }
        Some(ABSOLUTE) => {
            let message =
                "absolute coordinates answer `run`, `equilibrium`, `modes` and `verify`, no other question";
            return Err(
                Problem::usage(message).hint("leave `--formalism` out for the formalisms of the tree")
            );
        }
        named => named.map(show::formalism).transpose()?,
    };
    let options = cardan::Options { formalism, ..cardan::Options::default() };
    let host = crate::run::externals::host(&model, &common.bind)?;
    let compiled = cardan::compile_with(&model, options, host.clone())
        .map_err(|e| refused(terminal, &model, &loaded.sources, e))?;
    let mut study = Study::with_host(&compiled.choice, inputs, host).map_err(Problem::wrong)?;
    // Contacts that touch at the start are closed from here on; a start that is not sound is told where it is asked for.
    let _ = study.start(0.0);
    let folder =
        common.out.clone().unwrap_or_else(|| files::default_folder("results", &compiled.model().name));
    let results = RefCell::new(None);
    let file = common.file.clone();
    Ok(Asked { model, compiled, study, text, folder, results, file, block, values })
}

/// A word among the settings of a block.
pub fn word(block: &Experiment, name: &str) -> Option<String> {
    match block.get(name)? {
        Setting::Word(word) | Setting::Text(word) => Some(word.clone()),
        Setting::Scalar(..) | Setting::Range(..) => None,
    }
}

/// Names that the command line gives, or else a setting of the block: a word, or several in quotes.
pub fn or_list(given: &[String], block: Option<&Experiment>, name: &str) -> Vec<String> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let text = block.and_then(|b| word(b, name)).unwrap_or_default();
    text.split(',').map(str::trim).filter(|n| !n.is_empty()).map(str::to_string).collect()
}

impl Asked {
    /// Names that the command line gives, or else the block.
    pub fn list(&self, given: &[String], name: &str) -> Vec<String> {
        or_list(given, self.block.as_ref(), name)
    }
    /// A word among the settings of the block.
    pub fn word(&self, name: &str) -> Option<String> {
        word(self.block.as_ref()?, name)
    }
    /// A number among the settings of the block.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.block.as_ref()?.get(name)? {
            Setting::Scalar(e, _) => Some(self.values.evaluate(self.study.model(), *e)),
            _ => None,
        }
    }
    /// The block of the question in the text.
    pub fn block(&self) -> Option<&Experiment> {
        self.block.as_ref()
    }
    /// The values of the parameters.
    pub fn parameter_values(&self) -> &ParameterValues {
        &self.values
    }
    /// The value of an expression of parameters.
    pub fn value(&self, e: cardan::expr::Expr) -> f64 {
        self.values.evaluate(self.study.model(), e)
    }
    /// The ranges among the settings of the block, in SI units.
    pub fn ranges(&self) -> Vec<(String, [f64; 2])> {
        let settings = self.block.iter().flat_map(|b| &b.settings);
        let ends = |ends: &[cardan::expr::Expr; 2]| ends.map(|e| self.values.evaluate(self.study.model(), e));
        let range = |(name, setting, _): &(String, Setting, _)| match setting {
            Setting::Range(e, _) => Some((name.clone(), ends(e))),
            _ => None,
        };
        settings.filter_map(range).collect()
    }
    /// A time that the command line gives, or the block does, or neither.
    pub fn time(&self, option: &str, given: &Option<String>) -> Result<Option<f64>, Problem> {
        match given {
            Some(text) => time(&format!("--{option}"), text).map(Some),
            None => Ok(self.number(option)),
        }
    }

    /// The state that is asked about, and its time. Where nothing is said, it is the start, or the
    /// equilibrium near it if the start is neither at rest nor in steady motion: one rule for all
    /// questions about small departures.
    pub fn state(&mut self, terminal: &Terminal, about: &About) -> Result<Chosen, Problem> {
        let said = about.at.clone().or_else(|| self.word("at"));
        let t = self.number("time").unwrap_or(0.0);
        match said.as_deref() {
            None if self.number("time").is_some() => self.reached(t),
            None => {
                let y = self.study.start(t).map_err(Problem::wrong)?;
                let unrest = self.unrest(t, &y)?;
                if (self.is_unsettled(t, &y) || (unrest.is_some() && self.has_sampled_blocks()))
                    && let Some(chosen) = self.settled(t, &y)
                {
                    terminal.note(
                        "the start is no rest of the mechanism with its sampled blocks; the rest near it is used. `--at start` insists",
                    );
                    return Ok(chosen);
                }
                if let Some(start) = unrest {
                    terminal.note(&format!("{start}; the equilibrium near it is used. `--at start` insists"));
                    return Ok(Chosen { instead: true, ..self.at_rest(t)? });
                }
                Ok(Chosen { t, y, instead: false })
            }
            Some("start") => {
                Ok(Chosen { t, y: self.study.start(t).map_err(Problem::wrong)?, instead: false })
            }
            Some("equilibrium") => {
                let y = self.study.start(t).map_err(Problem::wrong)?;
                match self.settled(t, &y) {
                    Some(chosen) => Ok(Chosen { instead: false, ..chosen }),
                    None => self.at_rest(t),
                }
            }
            Some(text) => {
                let problem = || Problem::usage(format!("`--at {text}` is no state"));
                let t =
                    time("--at", text).map_err(|_| problem().hint("write start, equilibrium or a time"))?;
                self.reached(t)
            }
        }
    }

    /// Why a start is neither at rest nor in steady motion, in words; nothing where it is.
    pub fn unrest(&mut self, t: f64, y: &[f64]) -> Result<Option<String>, Problem> {
        let linear = linear_at(&mut self.study, t, y, &LinearOptions::default()).map_err(Problem::failed)?;
        if !matches!(linear.point, Point::Moving | Point::Unbalanced) {
            return Ok(None);
        }
        Ok(Some(match self.out_of_balance(&linear) {
            Some(words) => format!("at the start {words}"),
            None => "the start is neither at rest nor in steady motion".into(),
        }))
    }

    /// What is not balanced at a state in which nothing moves yet: `nothing moves, but …`.
    fn out_of_balance(&self, linear: &Linearization) -> Option<String> {
        let found = linear.imbalance.as_ref()?;
        let (n_q, ..) = self.study.sizes();
        let (named, _) = self.study.state(found.place);
        let (name, rate) = (&named.name, number(found.rate));
        let per_second = match named.unit.strip_suffix("/s") {
            Some(unit) => format!("{unit}/s^2"),
            None => format!("{}/s", named.unit),
        };
        let Some(force) = found.force else {
            return Some(format!("nothing moves, but `{name}` changes with {rate} {per_second}"));
        };
        let speed = self.study.model().speeds.iter().nth(found.place - n_q);
        let unit = speed.map_or(String::new(), |(_, u)| force_unit(u.quantity.dimension * Dimension::TIME));
        let force = number(force);
        Some(format!(
            "nothing moves, but a generalised force of {force} {unit} along `{name}` is not balanced and accelerates it with {rate} {per_second}"
        ))
    }

    /// Warns where a question is about a state that friction holds, or about one at rest that is not an equilibrium.
    pub fn warn_of_imbalance(&self, terminal: &Terminal, linear: &Linearization) {
        if let Ok(Some(hold)) = self.study.held(linear.time, &linear.state) {
            terminal.warning(&format!(
                "dry friction holds this state: {}. It has no linear equations while it sticks; these are those of the model with sign(0) = 0, in which that friction is absent",
                hold.surfaces.join(", ")
            ));
            return;
        }
        if let Some(words) = self.out_of_balance(linear) {
            terminal.warning(&format!(
                "this state is not an equilibrium: {words}. The linear equations hold for this instant; `--at equilibrium` takes the equilibrium near it"
            ));
        }
    }

    fn at_rest(&mut self, t: f64) -> Result<Chosen, Problem> {
        let options = EquilibriumOptions::default();
        let found = cardan::analysis::equilibrium(&mut self.study, t, &options).map_err(Problem::failed)?;
        if !found.balanced {
            let file = self.file.display();
            return Err(unbalanced(&self.study, &found, t).hint(format!(
                "`--at start` takes the start as it is, --set NAME=VALUE starts elsewhere; `cardan equilibrium {file} --stable` looks further"
            )));
        }
        Ok(Chosen { t, y: found.state, instead: false })
    }

    /// The state that the motion from the start has at a time.
    fn reached(&mut self, to: f64) -> Result<Chosen, Problem> {
        let states = self.along(to, None)?;
        let last = states.into_iter().next_back();
        let Moment { t, y, discretes } = last.ok_or_else(|| Problem::failed("the motion has no samples"))?;
        self.study.hold_discretes(&discretes);
        Ok(Chosen { t, y, instead: false })
    }

    /// States of the motion from the start.
    pub fn along(&mut self, to: f64, every: Option<f64>) -> Result<Vec<Moment>, Problem> {
        let mut settings = Settings::of(self.study.model(), &self.values).map_err(Problem::wrong)?;
        settings.to = to;
        settings.every = Some(every.unwrap_or(((to - settings.from) / 10.0).abs()));
        if to == settings.from {
            let y = self.study.start(to).map_err(Problem::wrong)?;
            return Ok(vec![Moment { t: to, y, discretes: self.study.discretes().to_vec() }]);
        }
        settings.check().map_err(Problem::usage)?;
        let moments = (to - settings.from).abs() / settings.interval();
        if moments > MAX_MOMENTS {
            let said =
                format!("{moments:.1e} states along the motion are asked for; at most {MAX_MOMENTS} are");
            return Err(Problem::usage(said).hint("give --every a longer time, or --to an earlier one"));
        }
        let run = self.compiled.simulation.run(&settings, &mut ()).map_err(Problem::wrong)?;
        if !run.ending.is_complete() {
            return Err(Problem::failed(format!("the motion could not be followed: {}", run.reason)));
        }
        let n = self.study.n_states();
        let mut states = vec![];
        for row in run.rows.iter() {
            let mut y = row[1..=n].to_vec();
            // Discrete states stand behind the others.
            let discretes = row[n + 1..=n + self.study.discretes().len()].to_vec();
            self.study.hold_discretes(&discretes);
            self.study.close(row[0], &mut y).map_err(Problem::failed)?;
            states.push(Moment { t: row[0], y, discretes });
        }
        Ok(states)
    }

    /// Name, value and unit of each discrete state as people want to see it.
    fn held(&self) -> Vec<(String, f64, String)> {
        let shown = |(d, x): (&Quantity, &f64)| {
            let (factor, unit) = scale(d);
            (d.name.clone(), x * factor, unit)
        };
        let all = self.study.model().hybrid.discretes.iter().map(|(_, d)| &d.quantity);
        all.zip(self.study.discretes()).map(shown).collect()
    }
    /// The discrete states, for programs.
    pub fn discretes(&self) -> Value {
        let cells = self.held().into_iter().map(|(n, v, u)| (n, json!({ "value": v, "unit": u })));
        Value::Object(cells.collect())
    }
    /// Says at which values discrete states are held, if there are any.
    pub fn say_discretes(&self, terminal: &Terminal) {
        let held = self.held();
        let (Some((first, ..)), Some(list)) = (held.first(), self.held_words()) else { return };
        terminal.note(&format!(
            "no event happens here: discrete states stay at {list}; --set {first}=VALUE starts elsewhere"
        ));
        let resting = self.study.resting_contacts();
        if !resting.is_empty() {
            let names = resting.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
            terminal.note(&format!(
                "{names} touches at the start and counts as closed, as a constraint; what is left of its gap decays at 20/s, \
                 which eigenvalues show"
            ));
        }
    }
    /// The discrete states in words; nothing if there are none.
    pub fn held_words(&self) -> Option<String> {
        let value = |(name, value, unit): &(String, f64, String)| {
            let unit = if unit == "1" { String::new() } else { format!(" [{unit}]") };
            format!("{name} = {}{unit}", number(*value))
        };
        let list: Vec<String> = self.held().iter().map(value).collect();
        (!list.is_empty()).then(|| list.join(", "))
    }

    /// The model's name and description, as a heading.
    pub fn heading(&self, terminal: &Terminal, what: &str) -> String {
        let m = self.study.model();
        let description =
            if m.description.is_empty() { String::new() } else { format!("  {}", m.description) };
        format!("{}{description}\n  {what}\n", terminal.bold(&m.name))
    }

    /// Outputs that depend on how joints share what they bear.
    pub fn not_unique(&self) -> &[String] {
        self.compiled.choice.loops.as_ref().map_or(&[], |found| &found.not_unique)
    }
    /// What is said of an output that the constraints leave open; nothing of others.
    pub fn mark(&self, output: &str) -> &'static str {
        if self.not_unique().iter().any(|name| name == output) { NOT_UNIQUE } else { "" }
    }

    /// Name, value, unit of each state as people want to see them.
    pub fn shown(&self, y: &[f64]) -> Vec<(String, f64, String)> {
        let m = self.study.model();
        let quantities = m.coordinates.iter().map(|(_, q)| &q.quantity);
        let quantities = quantities.chain(m.speeds.iter().map(|(_, u)| &u.quantity));
        let quantities = quantities.chain(m.states.iter().map(|(_, s)| &s.quantity));
        quantities
            .zip(y)
            .map(|(q, y)| {
                let (scale, unit) = scale(q);
                (q.name.clone(), y * scale, unit)
            })
            .collect()
    }

    /// Writes a file of the answer; where it will be after [`Asked::deliver`].
    pub fn write(&self, name: &str, content: &str) -> Result<PathBuf, Problem> {
        let mut results = self.results.borrow_mut();
        let mut begun = match results.take() {
            Some(begun) => begun,
            None => Transaction::begin(&self.folder)?,
        };
        let written = begun.write(name, content.as_bytes());
        *results = Some(begun);
        written
    }

    /// Puts all files of the answer into the folder.
    pub fn deliver(&self) -> Result<(), Problem> {
        self.results.take().map_or(Ok(()), Transaction::commit)
    }
}

/// Factor from SI to the unit in which a quantity is shown.
pub fn scale(quantity: &Quantity) -> (f64, String) {
    let unit = quantity.unit();
    (Unit::parse(&unit).map_or(1.0, |u| u.from_si(1.0)), unit)
}

/// The unit of the generalised force that works along a quantity of this dimension.
pub fn force_unit(dimension: Dimension) -> String {
    let force = Dimension::ENERGY / dimension;
    if force == Dimension::TORQUE { "N*m".into() } else { force.to_string() }
}

/// Nothing balances: why.
pub fn unbalanced(study: &Study, found: &cardan::analysis::Equilibrium, t: f64) -> Problem {
    let (n_q, ..) = study.sizes();
    let after = format!("after {} iterations", found.iterations);
    let per = |unit: &str, time: &str| match unit {
        "1" => format!("1/{time}"),
        unit => format!("{unit}/{time}"),
    };
    let place = |row: &RowName| format!("`{}` ({})", row.constraint, row.what);
    let reason = match &found.obstacle {
        Some(Obstacle::Moves { row, rate, acceleration }) => {
            let moves = match rate.abs() {
                0.0 => {
                    let time = if row.of_rates { "s" } else { "s^2" };
                    format!("begins to move with {} {}", number(acceleration.abs()), per(&row.unit, time))
                }
                rate => format!("moves with {}", row.size_of_rate(rate)),
            };
            return Problem::failed(format!(
                "there is no rest at t = {} s: the drive {} {moves}",
                number(t),
                place(row)
            ));
        }
        _ if !found.singular.is_empty() => format!(
            "the search ended in a singular position {after}, in which the equations of {} say nothing new",
            found.singular.join(", ")
        ),
        Some(Obstacle::Open { row: Some(row), gap }) => {
            let unit = if row.unit == "1" { String::new() } else { format!(" {}", row.unit) };
            format!("the constraint {} is left open by {}{unit} {after}", place(row), number(gap.abs()))
        }
        Some(Obstacle::Open { row: None, gap }) => {
            format!("Euler parameters miss their norm by {} {after}", number(gap.abs()))
        }
        Some(Obstacle::Load { speed, force }) => {
            let dimension = study.model().speeds.iter().nth(*speed).map(|(_, u)| u.quantity.dimension);
            let unit = dimension.map_or(String::new(), |d| force_unit(d * Dimension::TIME));
            let name = study.state(n_q + speed).0.name;
            format!("a generalised force of {} {unit} along `{name}` is left {after}", number(*force))
        }
        Some(Obstacle::Drifts { state, rate }) => {
            let named = study.state(*state).0;
            format!(
                "`{}` goes on changing with {} {} {after}",
                named.name,
                number(*rate),
                per(&named.unit, "s")
            )
        }
        None => format!("loads and constraints disagree by {} in SI units {after}", number(found.residual)),
    };
    Problem::failed(format!("no equilibrium was found: {reason}"))
}

/// Warns where a question about small departures is asked in a corner of the equations.
pub fn warn_of_kinks(terminal: &Terminal, kinks: &[Kink]) {
    kinks.iter().for_each(|kink| terminal.warning(&kink.to_string()));
}

/// What linear equations leave open about coordinates, as a line; nothing where there are none.
pub fn flat_words(flat: &[Named]) -> String {
    let names: Vec<String> = flat.iter().map(|n| format!("`{}`", n.name)).collect();
    match names.is_empty() {
        true => String::new(),
        false => {
            format!("  ignorable to first order: {}; terms beyond the linear ones decide\n", names.join(", "))
        }
    }
}

/// A number for people: seven digits that matter.
pub fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if (1e-4..1e7).contains(&a) => {
            let digits = (6 - a.log10().floor() as i32).clamp(0, 10) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
        }
        _ => format!("{x:.6e}"),
    }
}

/// A matrix for programs, row by row.
pub fn rows(m: &Matrix) -> Value {
    let row = |i: usize| (0..m.n_cols()).map(|j| json!(m[(i, j)])).collect::<Vec<_>>();
    Value::Array((0..m.n_rows()).map(|i| Value::Array(row(i))).collect())
}

/// `NAME=VALUE` with or without the value, for a coordinate.
pub fn assignment(model: &Model, text: &str) -> Result<(String, Option<f64>), Problem> {
    let Some((name, value)) = text.split_once('=') else { return Ok((text.trim().to_string(), None)) };
    let name = name.trim();
    let mut coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
    let value = match coordinates.find(|q| q.name == name) {
        Some(q) => quantity_of(value, name, q.dimension)?,
        None => quantity(value)?.0,
    };
    Ok((name.to_string(), Some(value)))
}

/// Statements of the text that make coordinates follow motions: `NAME=EXPRESSION`.
pub fn motion_statements(motions: &[String]) -> Result<Vec<String>, Problem> {
    let mut statements = vec![];
    for (k, motion) in motions.iter().enumerate() {
        let Some((name, expression)) = motion.split_once('=') else {
            return Err(Problem::usage(format!("`{motion}` is no motion"))
                .hint("write --motion 'NAME=EXPRESSION', such as --motion 'phi=6 [rad/s]*t'"));
        };
        let (name, expression) = (name.trim(), expression.trim());
        if expression.contains(['\n', '#', '"', ';', '{', '}']) {
            return Err(Problem::usage(format!("`{expression}` is no expression of one line")));
        }
        statements.push(format!("constraint drive_{} = {name} - ({expression})", k + 1));
    }
    Ok(statements)
}
