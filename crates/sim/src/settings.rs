//! What is asked of a simulation: the interval, the samples, the method and its tolerances.

use std::fmt;

use cardan_base::Set;
use cardan_equations::Formalism;
use cardan_expr::Expr;
use cardan_model::{Experiment, ExperimentKind, Model, Setting};
use cardan_solve::{Absolute, Method, Options};

use cardan_assembly::ParameterValues;

/// The interval when neither the model nor the caller gives one, in seconds.
pub const DEFAULT_DURATION: f64 = 10.0;
/// The word for the formalism of absolute coordinates, which has no equations in closed form.
pub const ABSOLUTE: &str = "absolute";
/// The word for points and unit vectors that parts share.
pub const NATURAL: &str = "natural";
/// The number of intervals between samples when nothing else is said.
pub const DEFAULT_INTERVALS: f64 = 1000.0;
/// No more samples than this.
pub const MAX_SAMPLES: f64 = 2e7;
/// No more numbers than this in the samples of one motion. With the page, each of them takes about 60 bytes.
pub const MAX_NUMBERS: f64 = 2e7;

/// Settings of a simulation; the defaults are those of the integrator, which keep the energy of a chaotic double pendulum to nine digits
/// over ten seconds.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The time at the start.
    pub from: f64,
    /// The time at the end; before `from` to go backward.
    pub to: f64,
    /// Time between samples; a thousandth of the interval if nothing.
    pub every: Option<f64>,
    /// How to integrate.
    pub method: Method,
    /// Relative tolerance of the local error.
    pub rtol: f64,
    /// Absolute tolerance of the local error, in SI units.
    pub atol: f64,
    /// The step of a method with fixed steps; the time between samples, at most a millisecond, if nothing.
    pub step: Option<f64>,
    /// No step of the other methods is longer than this; as long as the error allows if nothing.
    pub max_step: Option<f64>,
    /// Give up after so many steps.
    pub max_steps: u64,
    /// Poses of bodies are kept at no more than about this many samples.
    pub max_frames: usize,
    /// How a motion is kept on its constraints.
    pub constraints: ConstraintForm,
    /// Both coefficients of Baumgarte's terms, 1/s.
    pub baumgarte: f64,
    /// How equations are derived; what costs least on machine code if nothing.
    pub formalism: Option<Formalism>,
    /// Whether absolute coordinates are asked for; where nothing is, they are taken for large and looped systems.
    pub absolute: bool,
    /// Whether these are points and unit vectors instead of mass centres and Euler parameters.
    pub natural: bool,
}

impl Settings {
    /// From zero to this time, in seconds, with the defaults of everything else.
    pub fn until(to: f64) -> Settings {
        Settings { to, ..Settings::default() }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let options = Options::default();
        let atol = match options.atol {
            Absolute::Uniform(atol) => atol,
            Absolute::Each(list) => list.into_iter().fold(f64::INFINITY, f64::min),
        };
        Settings {
            from: 0.0,
            to: DEFAULT_DURATION,
            every: None,
            method: options.method,
            rtol: options.rtol,
            atol,
            step: None,
            max_step: None,
            max_steps: options.max_steps,
            max_frames: 2000,
            constraints: ConstraintForm::default(),
            baumgarte: 50.0,
            formalism: None,
            absolute: false,
            natural: false,
        }
    }
}

/// How a motion is kept on its constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ConstraintForm {
    /// Closed form where there is one that takes fewer operations and meets no dead points, else projected.
    /// Finding out takes as long as a short run, so it is for those who ask.
    Auto,
    /// Dependent coordinates and speeds follow from the independent ones in closed form, one dyad of a planar linkage after the other: a
    /// state of minimal size, and nothing to project. Near dead points the motion goes on projected.
    Closed,
    /// Multipliers are solved for at every evaluation, and each step is projected onto the constraints: every method applies.
    #[default]
    Projected,
    /// Multipliers are unknowns beside the state, and the constraints equations beside Newton's law (Gear, Gupta and Leimkuhler): implicit
    /// methods only.
    Stabilised,
    /// Positions alone are imposed, and multipliers are unknowns (index 3): backward differences and generalised-α in absolute coordinates.
    Positions,
    /// Independent speeds are chosen by their pivots, and anew where those become poor; the others follow (Wehage and Haug): explicit
    /// methods, and implicit ones with differences.
    Partitioned,
    /// Nothing is projected; departures are pulled back by terms in the accelerations (Baumgarte), for comparison.
    Baumgarte,
}

impl ConstraintForm {
    /// All of them.
    pub const ALL: [ConstraintForm; 7] = [
        ConstraintForm::Auto,
        ConstraintForm::Closed,
        ConstraintForm::Projected,
        ConstraintForm::Stabilised,
        ConstraintForm::Positions,
        ConstraintForm::Partitioned,
        ConstraintForm::Baumgarte,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ConstraintForm::Auto => "auto",
            ConstraintForm::Closed => "closed",
            ConstraintForm::Projected => "projected",
            ConstraintForm::Stabilised => "stabilised",
            ConstraintForm::Positions => "positions",
            ConstraintForm::Partitioned => "partitioned",
            ConstraintForm::Baumgarte => "baumgarte",
        }
    }

    /// The form of this name.
    pub fn named(name: &str) -> Option<ConstraintForm> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// Why settings make no sense.
#[derive(Clone, PartialEq, Debug)]
pub struct SettingsError {
    /// Which one.
    pub name: String,
    /// What is wrong, as a sentence without full stop.
    pub message: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SettingsError {}

fn wrong(name: &str, message: String) -> SettingsError {
    SettingsError { name: name.to_string(), message }
}

/// The method of this name.
pub fn method_named(name: &str) -> Option<Method> {
    METHODS.into_iter().find(|m| m.to_string() == name)
}

/// Where a motion may start: at the start that is given, or at the equilibrium near it.
const STARTS: [&str; 2] = ["given", "equilibrium"];

/// All methods.
pub const METHODS: [Method; 8] = [
    Method::Auto,
    Method::Dop853,
    Method::Dopri5,
    Method::Radau5,
    Method::Bdf,
    Method::Alpha,
    Method::Moreau,
    Method::Rk4,
];

impl Settings {
    /// What the model asks for, over the defaults: its `simulate` block without a name, or else the first.
    pub fn of(model: &Model, values: &ParameterValues) -> Result<Settings, SettingsError> {
        let mut settings = Settings::default();
        let mut blocks = model.experiments.iter().filter(|e| e.kind == ExperimentKind::Simulate);
        let first = blocks.clone().next();
        if let Some(experiment) = blocks.find(|e| e.name.is_none()).or(first) {
            settings.read(model, values, experiment)?;
        }
        Ok(settings)
    }

    /// Whether what the model asks for depends on some of its parameters, directly or by way of others.
    pub fn depend_on(model: &Model, parameters: &[String]) -> bool {
        let pool = model.space.pool();
        let scalar = |(_, setting, _): &(_, Setting, _)| match setting {
            Setting::Scalar(e, _) => Some(*e),
            _ => None,
        };
        let blocks = model.experiments.iter().filter(|e| e.kind == ExperimentKind::Simulate);
        let mut open: Vec<Expr> = blocks.flat_map(|b| b.settings.iter().filter_map(scalar)).collect();
        let mut seen: Set<Expr> = open.iter().copied().collect();
        while let Some(e) = open.pop() {
            for part in pool.reachable([e]) {
                let Some((_, p)) = model.parameters.iter().find(|(_, p)| p.symbol == part) else { continue };
                if parameters.contains(&p.quantity.name) {
                    return true;
                }
                open.extend(p.default.filter(|default| seen.insert(*default)));
            }
        }
        false
    }

    /// What the `simulate` block of this name asks for, over the defaults.
    pub fn named(model: &Model, values: &ParameterValues, name: &str) -> Result<Settings, SettingsError> {
        let mut settings = Settings::default();
        let mut blocks = model.experiments.iter().filter(|e| e.kind == ExperimentKind::Simulate);
        let Some(experiment) = blocks.clone().find(|e| e.name.as_deref() == Some(name)) else {
            let names: Vec<&str> = blocks.by_ref().filter_map(|e| e.name.as_deref()).collect();
            let known = match names.as_slice() {
                [] => format!("none has a name; write `simulate {name} {{ … }}`"),
                names => format!("the names are {}", names.join(", ")),
            };
            return Err(wrong("experiment", format!("the model has no block `simulate {name}`; {known}")));
        };
        settings.read(model, values, experiment)?;
        Ok(settings)
    }

    /// Takes over what a block asks for.
    pub(crate) fn read(
        &mut self,
        model: &Model,
        values: &ParameterValues,
        experiment: &Experiment,
    ) -> Result<(), SettingsError> {
        let mut intervals = None;
        for (name, setting, _) in &experiment.settings {
            match (name.as_str(), setting) {
                ("method", Setting::Word(word) | Setting::Text(word)) => {
                    let known = METHODS.map(|m| m.to_string()).join(", ");
                    self.method = method_named(word).ok_or_else(|| {
                        wrong(name, format!("there is no method `{word}`; there are {known}"))
                    })?;
                }
                ("constraints", Setting::Word(word) | Setting::Text(word)) => {
                    let known = ConstraintForm::ALL.map(ConstraintForm::name).join(", ");
                    self.constraints = ConstraintForm::named(word).ok_or_else(|| {
                        wrong(name, format!("constraints cannot be `{word}`; they are {known}"))
                    })?;
                }
                ("formalism", Setting::Word(word) | Setting::Text(word))
                    if word == ABSOLUTE || word == NATURAL =>
                {
                    (self.absolute, self.formalism) = (true, None);
                    self.natural = word == NATURAL;
                }
                ("formalism", Setting::Word(word) | Setting::Text(word)) => {
                    let known = Formalism::ALL.map(Formalism::name).join(", ");
                    let formalism = Formalism::named(word).ok_or_else(|| {
                        wrong(
                            name,
                            format!(
                                "there is no formalism `{word}`; there are {known}, {ABSOLUTE}, {NATURAL}"
                            ),
                        )
                    })?;
                    (self.absolute, self.natural, self.formalism) = (false, false, Some(formalism));
                }
                // Where the motion starts is settled before it is asked for.
                ("start", Setting::Word(word) | Setting::Text(word)) if !STARTS.contains(&word.as_str()) => {
                    let known = STARTS.join(" or at ");
                    return Err(wrong(
                        name,
                        format!("a motion does not start at `{word}`; it starts at {known}"),
                    ));
                }
                (_, Setting::Scalar(e, _)) => {
                    let number = values.evaluate(model, *e);
                    match name.as_str() {
                        "from" => self.from = number,
                        "baumgarte" => self.baumgarte = number,
                        "to" => self.to = number,
                        "every" => self.every = Some(number),
                        "steps" => intervals = Some(number),
                        "rtol" => self.rtol = number,
                        "atol" => self.atol = number,
                        "step" => self.step = Some(number),
                        "max_step" => self.max_step = Some(number),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        if let Some(n) = intervals {
            if !(n >= 1.0 && n.is_finite()) {
                return Err(wrong("steps", format!("the number of steps {n} is not positive")));
            }
            self.every.get_or_insert((self.to - self.from).abs() / n);
        }
        Ok(())
    }

    /// Time between samples.
    pub fn interval(&self) -> f64 {
        self.every.unwrap_or((self.to - self.from).abs() / DEFAULT_INTERVALS)
    }

    /// The times at which results are wanted: both ends, and between them `from + k every`, each the number nearest to
    /// the decimal that a person would write (138 × 0.01 is 1.38 and not 1.3800000000000001).
    pub fn sample_times(&self) -> Vec<f64> {
        let (span, dt) = (self.to - self.from, self.interval());
        if span == 0.0 || dt <= 0.0 {
            return vec![self.from];
        }
        let n = span.abs() / dt;
        let per_second = 1.0 / dt;
        // By rounding only: a period that is nearly 0.1 s is not meant to be 0.1 s.
        let is_whole = |x: f64| (x - x.round()).abs() <= 4.0 * f64::EPSILON * x;
        let place = |k: f64| {
            if is_whole(per_second) {
                k / per_second.round()
            } else if is_whole(n) {
                span.abs() * k / n.round()
            } else {
                k * dt
            }
        };
        let steps = (n - 1e-9 * n.max(1.0)).ceil();
        let mut times = vec![self.from];
        let mut k = 1.0;
        while k < steps {
            times.push(self.from + place(k).copysign(span));
            k += 1.0;
        }
        times.push(self.to);
        times
    }

    /// The step of a method with fixed steps.
    pub fn fixed_step(&self) -> f64 {
        let interval = self.interval();
        self.step.unwrap_or(if interval > 0.0 { interval.min(1e-3) } else { 1e-3 })
    }

    /// Whether the settings make sense together.
    pub fn check(&self) -> Result<(), SettingsError> {
        for (name, value) in [("from", self.from), ("to", self.to)] {
            if !value.is_finite() {
                return Err(wrong(name, format!("the time `{name}` = {value} s is not finite")));
            }
        }
        let sizes = [
            ("every", self.every),
            ("step", self.step),
            ("max_step", self.max_step),
            ("rtol", Some(self.rtol)),
        ];
        for (name, value) in sizes {
            if let Some(value) = value
                && !(value > 0.0 && value.is_finite())
            {
                return Err(wrong(name, format!("`{name}` = {value} is not a positive number")));
            }
        }
        if !(self.atol >= 0.0 && self.atol.is_finite()) {
            return Err(wrong("atol", format!("`atol` = {} is not a number from 0 on", self.atol)));
        }
        let least = 10.0 * f64::EPSILON;
        if self.rtol < least || self.rtol >= 1.0 {
            return Err(wrong("rtol", format!("`rtol` = {} is outside {least:.1e} to 1", self.rtol)));
        }
        if !(self.baumgarte.is_finite() && self.baumgarte >= 0.0) {
            return Err(wrong(
                "baumgarte",
                format!("`baumgarte` = {} is not a positive rate", self.baumgarte),
            ));
        }
        let implicit = self.method == Method::Auto || self.method.is_implicit();
        if self.constraints == ConstraintForm::Stabilised && !implicit {
            let message = format!(
                "`constraints = stabilised` needs an implicit method (radau5 or bdf), and {} is explicit",
                self.method
            );
            return Err(wrong("method", message));
        }
        let samples = (self.to - self.from).abs() / self.interval();
        if samples > MAX_SAMPLES {
            let message = format!(
                "`every` = {:?} s asks for {samples:.1e} samples; at most 2e7 are kept",
                self.interval()
            );
            return Err(wrong("every", message));
        }
        Ok(())
    }

    /// Whether the samples of so many columns can be kept.
    pub fn check_size(&self, n_columns: usize) -> Result<(), SettingsError> {
        let numbers = (self.to - self.from).abs() / self.interval() * n_columns as f64;
        // A motion of no length has one sample.
        if self.to == self.from || numbers <= MAX_NUMBERS {
            return Ok(());
        }
        let message = format!(
            "{n_columns} columns every {:?} s are {numbers:.1e} numbers; at most {MAX_NUMBERS:e} are kept. \
             Give `every` a longer time, or ask for fewer outputs",
            self.interval()
        );
        Err(wrong("every", message))
    }

    /// The integrator's options for `n` states, `n_works` integrals of power beside them and `n_unknowns` without derivative. The integrals
    /// follow from the motion and should not slow it down, so their tolerance is what the audit needs: a small part of the `energy` at the start.
    pub(crate) fn options(&self, n: usize, n_works: usize, n_unknowns: usize, energy: f64) -> Options {
        let mut atol = vec![self.atol; n];
        let work = if energy > 0.0 { WORK_PART * energy } else { WORK_OF_NOTHING * self.atol };
        atol.resize(n + n_works, work.max(self.atol));
        atol.resize(n + n_works + n_unknowns, self.atol.max(LEAST_FOR_UNKNOWNS));
        Options {
            method: self.method,
            rtol: self.rtol,
            atol: Absolute::Each(atol),
            fixed_step: self.fixed_step(),
            max_step: self.max_step.unwrap_or(f64::INFINITY),
            max_steps: self.max_steps,
            ..Options::default()
        }
    }
}

/// An error of works in one step that is this part of the energy at the start does not make the audit doubtful.
const WORK_PART: f64 = 1e-9;

/// Where there is no energy at the start, works have so many times the absolute tolerance of states.
const WORK_OF_NOTHING: f64 = 1e4;

/// Accelerations and multipliers come from differences of positions over short steps: less than this of them is rounding, in SI units.
const LEAST_FOR_UNKNOWNS: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use cardan_model::Builder;
    use cardan_units::Dimension;

    use super::*;

    fn asked(settings: &[(&str, Setting)]) -> Result<Settings, SettingsError> {
        let mut b = Builder::new("m", "N");
        let settings = settings.iter().map(|(n, s)| (n.to_string(), s.clone(), None)).collect();
        b.add_experiment(Experiment { kind: ExperimentKind::Simulate, name: None, settings, span: None });
        let model = b.finish().expect("a whole model");
        Settings::of(&model, &ParameterValues::of(&model))
    }

    fn number(n: i64) -> Setting {
        // Every pool numbers its integers alike only for 0 and 1, so those are used here.
        let pool = cardan_expr::Pool::new();
        Setting::Scalar(if n == 0 { pool.zero() } else { pool.one() }, Dimension::TIME)
    }

    #[test]
    fn a_block_overrides_the_defaults() {
        let s = asked(&[("to", number(1)), ("method", Setting::Word("radau5".into()))]).unwrap();
        assert_eq!((s.to, s.method, s.rtol), (1.0, Method::Radau5, Settings::default().rtol));
        assert_eq!(s.interval(), 1e-3);
        assert_eq!(s.check(), Ok(()));
    }

    #[test]
    fn sample_times_are_the_decimals_that_are_meant() {
        let times =
            |from, to, every| Settings { from, to, every: Some(every), ..Settings::default() }.sample_times();
        assert_eq!(times(0.0, 2.0, 0.01)[138], 1.38);
        assert_eq!(times(0.0, 0.9, 0.3), [0.0, 0.3, 0.6, 0.9]);
        assert_eq!(times(0.0, 1.0, 0.4), [0.0, 0.4, 0.8, 1.0]);
        assert_eq!(times(1.0, 0.0, 0.5), [1.0, 0.5, 0.0]);
        assert_eq!(times(2.0, 2.0, 0.5), [2.0]);
        assert_eq!(times(0.0, 1.0, 5.0), [0.0, 1.0]);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let unknown = asked(&[("method", Setting::Word("euler".into()))]).unwrap_err();
        assert_eq!(
            unknown.message,
            "there is no method `euler`; there are auto, dop853, dopri5, radau5, bdf, alpha, moreau, rk4"
        );
        let every = asked(&[("every", number(0))]).unwrap().check().unwrap_err();
        assert_eq!(every.name, "every");
        let endless = Settings { to: f64::INFINITY, ..Settings::default() };
        assert_eq!(endless.check().unwrap_err().name, "to");
        let dense = Settings { every: Some(1e-9), ..Settings::default() };
        assert_eq!(dense.check().unwrap_err().name, "every");
    }
}
