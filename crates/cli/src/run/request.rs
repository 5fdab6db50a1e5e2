//! What the command line asks for, over what the model asks for.

use cardan::assembly::SetError;
use cardan::model::Model;
use cardan::prelude::Method;
use cardan::sim::settings::{ABSOLUTE, METHODS, NATURAL, method_named};
use cardan::sim::{ConstraintForm, Settings};
use cardan::units::{Dimension, Unit};

use crate::arguments::Run;
use crate::exit::Problem;
use crate::show;
use crate::terminal::Terminal;

/// Gives parameters and starts their values, `k=12[N/m]`, or starts their guesses, `q~0.5`.
pub fn set_values(terminal: &Terminal, mut model: Model, assignments: &[String]) -> Result<Model, Problem> {
    for assignment in assignments {
        let guessed = assignment.find('~').filter(|k| assignment.find('=').is_none_or(|e| *k < e));
        let parts = guessed
            .map_or_else(|| assignment.split_once('='), |k| Some((&assignment[..k], &assignment[k + 1..])));
        let put = if guessed.is_some() { Model::guess_value } else { Model::set_value };
        let Some((name, value)) = parts else {
            return Err(Problem::usage(format!("`{assignment}` is no assignment"))
                .hint("write --set NAME=VALUE, such as --set 'k=12[N/m]'"));
        };
        let bracketed = with_brackets(value);
        let value = bracketed.as_deref().unwrap_or(value);
        let (number, dimension) = quantity(value)?;
        if let Some(doubt) = doubtful(&model, name.trim(), value.trim(), number, dimension) {
            terminal.warning(&doubt);
        }
        put(&mut model, name.trim(), number, dimension).map_err(unset)?;
    }
    Ok(model)
}

/// What is doubtful about the value of an angle without a unit that is more than a turn in radians.
pub fn bare_angle(model: &Model, name: &str, value: &str) -> Option<String> {
    let number: f64 = value.trim().parse().ok()?;
    let mut coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
    coordinates.find(|q| q.name == name && q.dimension == Dimension::ANGLE)?;
    let value = value.trim();
    (number.abs() > std::f64::consts::TAU).then(|| {
        format!("`{name}` = {value} is in radians; write `{name}={value}[deg]` if degrees are meant")
    })
}

/// What is doubtful about the value of an angle or of its rate: more than a turn without a unit, or cycles for radians.
fn doubtful(
    model: &Model,
    name: &str,
    value: &str,
    number: f64,
    dimension: Option<Dimension>,
) -> Option<String> {
    if dimension.is_none()
        && number.abs() > std::f64::consts::TAU
        && let Some(doubt) = bare_angle(model, name, value)
    {
        return Some(doubt);
    }
    let speeds = model.speeds.iter().map(|(_, u)| &u.quantity);
    let mut rates = speeds.chain(model.parameters.iter().map(|(_, p)| &p.quantity));
    rates.find(|q| q.name == name && q.dimension == Dimension::ANGULAR_VELOCITY)?;
    let unit = Unit::parse(value.strip_suffix(']')?.rsplit_once('[')?.1).ok()?;
    cardan::lang::counts_cycles(&unit).then(|| {
        format!("`{name}` = {value} is in cycles and taken as {number} rad/s; write [rev/s] or [rpm] if turns are meant")
    })
}

/// Why a value cannot be set or varied; where no name is near, the hint tells where names are found.
pub fn unset(error: SetError) -> Problem {
    match &error {
        SetError::Unknown { nearest: None, .. } => {
            Problem::wrong(error).hint("`cardan show model FILE` lists what can be set")
        }
        SetError::Unknown { nearest: Some(name), .. } => {
            let hint = format!("write {name}=VALUE");
            Problem::wrong(error).hint(hint)
        }
        _ => Problem::wrong(error),
    }
}

/// A range of another program as one of ours: `0.5:2:4` has the number of values last, `0.5:0.1:2` the step in the middle.
fn range_of_another_program(written: &str) -> Option<String> {
    let words: Vec<&str> = written.split(':').map(str::trim).collect();
    let numbers: Vec<f64> = words.iter().map(|w| w.parse().ok()).collect::<Option<_>>()?;
    let [from, second, third] = numbers[..] else { return None };
    if second > from && third >= 2.0 && third.fract() == 0.0 {
        return Some(format!("{}..{}:{}", words[0], words[1], words[2]));
    }
    let steps = ((third - from) / second + 1e-9).floor();
    (1.0..1e6).contains(&steps).then(|| format!("{}..{}:{}", words[0], words[2], steps + 1.0))
}

/// The value of a text in SI units.
pub fn quantity(written: &str) -> Result<(f64, Option<Dimension>), Problem> {
    let bracketed = with_brackets(written);
    let text = bracketed.as_deref().unwrap_or(written);
    let problem = || Problem::usage(format!("`{}` is no value", text.trim()));
    match cardan::quantity(text) {
        Ok((number, dimension)) if number.is_finite() => Ok((number, dimension)),
        Ok(_) => Err(problem().hint("the number is too large")),
        Err(cardan::Error::Text(text)) => {
            let (_, findings) = text.as_ref();
            let reason = findings.iter().map(|d| d.message.clone()).next().unwrap_or_default();
            match range_of_another_program(written) {
                Some(range) => Err(problem().hint(format!(
                    "a range is written `{range}`: first value, last value, number of values"
                ))),
                None => Err(problem().hint(reason)),
            }
        }
        Err(error) => Err(problem().hint(error)),
    }
}

/// A value in SI units of something whose dimension is known; a number without a unit is in SI units.
pub fn quantity_of(text: &str, name: &str, expected: Dimension) -> Result<f64, Problem> {
    match quantity(text)? {
        (_, Some(found)) if !found.compatible(&expected) => Err(Problem::wrong(SetError::Dimension {
            name: name.to_string(),
            found: found.to_string(),
            expected: expected.to_string(),
        })),
        (number, _) => Ok(number),
    }
}

/// Values of one kind: a unit that only the last one has is meant for all, as in `10..80 [deg]`.
pub fn with_unit(parts: &[&str]) -> Vec<String> {
    let parts: Vec<String> =
        parts.iter().map(|p| with_brackets(p).unwrap_or_else(|| p.to_string())).collect();
    let unit = parts.last().and_then(|last| last.find('[').map(|at| &last[at..])).unwrap_or("");
    let lone = parts.iter().rev().skip(1).all(|part| !part.contains('['));
    parts
        .iter()
        .map(|part| if lone && !part.contains('[') { format!("{part} {unit}") } else { part.to_string() })
        .collect()
}

/// A number with its unit put into brackets, where it has none: `2m` and `90 deg` are `2 [m]` and `90 [deg]`. A shell
/// may take brackets for a pattern of file names, so that units without them are easier to type.
fn with_brackets(text: &str) -> Option<String> {
    let text = text.trim();
    let ends = text.char_indices().skip(1).filter(|(_, c)| c.is_alphabetic() || *c == '°').map(|(k, _)| k);
    let is_quantity = |(n, unit): &(&str, &str)| n.trim().parse::<f64>().is_ok() && Unit::parse(unit).is_ok();
    let (number, unit) = ends.map(|k| text.split_at(k)).find(is_quantity)?;
    Some(format!("{} [{unit}]", number.trim()))
}

/// A time in seconds.
pub fn time(option: &str, text: &str) -> Result<f64, Problem> {
    match quantity(text)? {
        (number, None) => Ok(number),
        (number, Some(dimension)) if dimension.compatible(&Dimension::TIME) => Ok(number),
        (_, Some(dimension)) => {
            Err(Problem::usage(format!("`{option}` is a time in [s], and `{text}` is in [{dimension}]")))
        }
    }
}

/// Refuses `--step` for a method that chooses its steps itself.
pub fn takes_step(settings: &Settings) -> Result<(), Problem> {
    match settings.method {
        Method::Rk4 | Method::Moreau => Ok(()),
        method => Err(Problem::usage(format!(
            "`--step` is for fixed steps, and `{method}` chooses its own by tolerances"
        ))
        .hint("add --method rk4 (moreau for rigid contacts), or give --rtol, --atol and --max-step instead")),
    }
}

/// Refuses tolerances for the method with fixed steps.
fn takes_tolerances(settings: &Settings, arguments: &Run) -> Result<(), Problem> {
    let given = [
        ("--rtol", arguments.rtol.is_some()),
        ("--atol", arguments.atol.is_some()),
        ("--max-step", arguments.max_step.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given && settings.method == Method::Rk4) {
        None => Ok(()),
        Some((option, _)) => {
            let said = format!("`{option}` is for steps that follow the error, and those of `rk4` are fixed");
            Err(Problem::usage(said).hint("give --step 0.001, or another method"))
        }
    }
}

/// Replaces the settings that the command line gives.
pub fn override_settings(settings: &mut Settings, arguments: &Run) -> Result<(), Problem> {
    let given = |option: &str, text: &Option<String>| text.as_deref().map(|t| time(option, t)).transpose();
    if let Some(from) = given("--from", &arguments.from)? {
        settings.from = from;
    }
    if let Some(to) = given("--to", &arguments.to)? {
        settings.to = to;
    }
    if let Some(every) = given("--every", &arguments.every)? {
        settings.every = Some(every);
    }
    if let Some(step) = given("--step", &arguments.step)? {
        settings.step = Some(step);
    }
    if let Some(longest) = given("--max-step", &arguments.max_step)? {
        settings.max_step = Some(longest);
    }
    settings.rtol = arguments.rtol.unwrap_or(settings.rtol);
    settings.atol = arguments.atol.unwrap_or(settings.atol);
    if let Some(name) = &arguments.method {
        settings.method = method_named(name).ok_or_else(|| {
            let known = METHODS.map(|m| m.to_string()).join(", ");
            Problem::usage(format!("there is no method `{name}`")).hint(format!("there are {known}"))
        })?;
    }
    if arguments.step.is_some() {
        takes_step(settings)?;
    }
    takes_tolerances(settings, arguments)?;
    if let Some(name) = &arguments.constraints {
        settings.constraints = ConstraintForm::named(name).ok_or_else(|| {
            let known = ConstraintForm::ALL.map(ConstraintForm::name).join(", ");
            Problem::usage(format!("constraints cannot be `{name}`")).hint(format!("they are {known}"))
        })?;
    }
    if let Some(name) = &arguments.formalism {
        settings.natural = name == NATURAL;
        settings.absolute = settings.natural || name == ABSOLUTE;
        settings.formalism = if settings.absolute { None } else { Some(show::formalism(name)?) };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{quantity, with_unit};

    #[test]
    fn units_need_no_brackets_behind_a_number() {
        let value = |text: &str| quantity(text).ok().map(|(x, _)| x);
        for (bare, bracketed) in
            [("2m", "2[m]"), ("90 deg", "90 [deg]"), ("1e-3 kg", "1e-3 [kg]"), ("2e3mm", "2e3 [mm]")]
        {
            assert!(value(bare).is_some() && value(bare) == value(bracketed), "{bare}");
        }
        assert_eq!(value("2e3"), Some(2000.0));
        assert_eq!(value("2 furlong"), None);
        assert_eq!(with_unit(&["10", "80deg"]), ["10 [deg]", "80 [deg]"]);
    }
}
