//! What the command line asks for, over what the model asks for.

use cardan::model::Model;
use cardan::prelude::Method;
use cardan::sim::settings::{METHODS, method_named};
use cardan::sim::{ConstraintForm, SetError, Settings, guess_value, set_value};
use cardan::units::Dimension;

use crate::arguments::Run;
use crate::outcome::Problem;
use crate::show;

/// Gives parameters and starts their values, `k=12[N/m]`, or starts their guesses, `q~0.5`.
pub fn set_values(model: &mut Model, assignments: &[String]) -> Result<(), Problem> {
    for assignment in assignments {
        let guessed = assignment.find('~').filter(|k| assignment.find('=').is_none_or(|e| *k < e));
        let parts = guessed
            .map_or_else(|| assignment.split_once('='), |k| Some((&assignment[..k], &assignment[k + 1..])));
        let put = if guessed.is_some() { guess_value } else { set_value };
        let Some((name, value)) = parts else {
            return Err(Problem::usage(format!("`{assignment}` is no assignment"))
                .hint("write --set NAME=VALUE, such as --set k=12[N/m]"));
        };
        let (number, dimension) = quantity(value)?;
        put(model, name.trim(), number, dimension).map_err(unset)?;
    }
    Ok(())
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

/// The value of a text in SI units.
pub fn quantity(text: &str) -> Result<(f64, Option<Dimension>), Problem> {
    let problem = || Problem::usage(format!("`{}` is no value", text.trim()));
    match cardan::quantity(text) {
        Ok((number, dimension)) if number.is_finite() => Ok((number, dimension)),
        Ok(_) => Err(problem().hint("the number is too large")),
        Err(cardan::Error::Text(text)) => {
            let (_, findings) = text.as_ref();
            let reason = findings.iter().map(|d| d.message.clone()).next().unwrap_or_default();
            Err(problem().hint(reason))
        }
        Err(error) => Err(problem().hint(error)),
    }
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
        Method::Rk4 => Ok(()),
        method => Err(Problem::usage(format!(
            "`--step` is for fixed steps, and `{method}` chooses its own by tolerances"
        ))
        .hint("add --method rk4, or give --rtol and --atol instead of --step")),
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
    if let Some(name) = &arguments.constraints {
        settings.constraints = ConstraintForm::named(name).ok_or_else(|| {
            let known = ConstraintForm::ALL.map(ConstraintForm::name).join(", ");
            Problem::usage(format!("constraints cannot be `{name}`")).hint(format!("they are {known}"))
        })?;
    }
    if let Some(name) = &arguments.formalism {
        settings.formalism = Some(show::formalism(name)?);
    }
    Ok(())
}
