//! The response to a motion that is given: a parameter that moves constraints or drives.
//!
//! The text is read once more with p + p₀ + p₁ (t − t₀) + p₂ (t − t₀)²/2 in the place of the
//! parameter p, so that its value, rate and acceleration are independent inputs at the time t₀ of
//! the question.

use cardan::analysis::{GivenInput, MotionInput, Named};
use cardan::lang::with_redefinition;
use cardan::model::ExperimentKind;
use cardan::units::Dimension;

use crate::analyze::arguments::{About, Common};
use crate::analyze::frequency::linear_system::{Ports, Prepared, linear_system};
use crate::analyze::frequency::loop_opening::dimension;
use crate::analyze::prepare_loaded;
use crate::exit::Problem;
use crate::files;
use crate::load::{first_error, load_text};
use crate::terminal::Terminal;

/// An input as it is asked for: a name, or its first or second derivative.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedInput {
    pub name: String,
    pub input: MotionInput,
}

impl AskedInput {
    /// `base`, `der(base)` or `der(der(base))`.
    pub fn read(text: &str) -> AskedInput {
        let inner =
            |text: &str| Some(text.trim().strip_prefix("der(")?.strip_suffix(')')?.trim().to_string());
        let (name, input) = match inner(text) {
            None => (text.trim().to_string(), MotionInput::Position),
            Some(once) => match inner(&once) {
                None => (once, MotionInput::Rate),
                Some(twice) => (twice, MotionInput::Acceleration),
            },
        };
        AskedInput { name, input }
    }

    fn named(&self, dimension: Dimension) -> Named {
        let (name, unit) = match self.input {
            MotionInput::Position => (self.name.clone(), dimension),
            MotionInput::Rate => (format!("der({})", self.name), dimension / Dimension::TIME),
            MotionInput::Acceleration => {
                (format!("der(der({}))", self.name), dimension / Dimension::TIME / Dimension::TIME)
            }
        };
        Named { name, unit: unit.to_string(), description: String::new() }
    }
}

/// The linear system with the rates of the inputs that move constraints; the system as it is where
/// none does.
pub fn with_rates(
    terminal: &Terminal,
    verb: ExperimentKind,
    common: &Common,
    (about, ports): (&About, &Ports),
    (prepared, inputs): (Prepared, &[AskedInput]),
) -> Result<Prepared, Problem> {
    let (n_q, n_u, _) = prepared.asked.study.sizes();
    let shift = &prepared.linear.shift;
    let moves = |j: usize| (0..n_q + n_u).any(|i| shift[(i, j)] != 0.0);
    let is_given = |j: usize| moves(j) || inputs.get(j).is_some_and(|i| i.input != MotionInput::Position);
    let all: Vec<AskedInput> = match inputs {
        [] => prepared.system.inputs.iter().map(|n| AskedInput::read(&n.name)).collect(),
        inputs => inputs.to_vec(),
    };
    let (given, plain): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|j| is_given(*j));
    if given.is_empty() {
        return Ok(prepared);
    }
    let quiet = &terminal.quieter(true);
    let mut text = files::read(&common.file)?;
    let mut names: Vec<String> = plain.iter().map(|j| all[*j].name.clone()).collect();
    let mut dimensions = vec![];
    for j in &given {
        let name = &all[*j].name;
        let of = dimension(quiet, common, name)?;
        let parts = coefficients(name);
        let declared = parts.iter().enumerate().map(|(k, part)| {
            let unit = (0..k).fold(of, |d, _| d / Dimension::TIME);
            if unit == Dimension::ONE { format!("{part} = 0") } else { format!("{part} = 0 [{unit}]") }
        });
        let declared = declared.collect::<Vec<_>>().join(", ");
        let since = format!("(t - {name}_when)");
        let [p0, p1, p2] = &parts;
        let redefined = with_redefinition(&text, name, |inner| {
            format!(
                "parameter {declared}, {name}_when = 0 [s]\n\
                 variable {name} = {inner} + {p0} + {p1} * {since} + {p2} * {since}^2 / 2"
            )
        });
        text = redefined.map_err(|why| {
            Problem::wrong(format!("`{name}` moves constraints, and its rates cannot be had: {why}"))
        })?;
        names.extend(parts);
        dimensions.push(of);
    }
    let renamed = |set: &String| {
        let name = set.split('=').next().unwrap_or_default().trim();
        let is_moved = given.iter().any(|j| all[*j].name == name);
        if is_moved { set.replacen(name, &format!("{name}_defined"), 1) } else { set.clone() }
    };
    let common = &Common { set: common.set.iter().map(renamed).collect(), ..common.clone() };
    let reading = common.reading.setting(&common.set);
    if let Some(error) = first_error(&common.file, &reading, &text)? {
        let names: Vec<String> = given.iter().map(|j| format!("`{}`", all[*j].name)).collect();
        let words = format!("{} cannot vary in time ({error})", names.join(", "));
        if given.iter().any(|j| all[*j].input != MotionInput::Position) {
            return Err(Problem::wrong(words));
        }
        terminal.warning(&format!("{words}: the response is that to a slow change"));
        return Ok(prepared);
    }
    let loaded = load_text(quiet, &common.file, &reading, text)?;
    let mut asked = prepare_loaded(quiet, verb, common, loaded, &names, Ok)?;
    let when = prepared.linear.time;
    for j in &given {
        asked.study.set(&format!("{}_when", all[*j].name), when).map_err(Problem::failed)?;
    }
    let mut found = linear_system(quiet, verb, asked, about, ports)?;
    found.about = prepared.about;
    for (j, of) in given.iter().zip(dimensions) {
        // Those before have become one column each, behind all that are left.
        let first = plain.len();
        let input = GivenInput {
            places: [first, first + 1, first + 2],
            named: all[*j].named(of),
            input: all[*j].input,
        };
        found.system = found.system.with_given_motion(&input).map_err(|error| {
            let name = &all[*j].name;
            Problem::wrong(error)
                .hint(format!("ask for the response to its acceleration: --input 'der(der({name}))'"))
        })?;
    }
    let words: Vec<String> = given.iter().map(|j| format!("`{}`", all[*j].name)).collect();
    found.about += &format!(", with the rates of {}", words.join(", "));
    found.is_moved = true;
    Ok(found)
}

/// The names of the coefficients by which a motion departs.
fn coefficients(name: &str) -> [String; 3] {
    ["departure", "rate", "acceleration"].map(|part| format!("{name}_{part}"))
}
