//! What is wrong with the settings that a text asks for: those that no run can have, and those that do nothing.

use cardan_base::{Diagnostic, Diagnostics, Span};
use cardan_model::{Experiment, ExperimentKind, Model};
use cardan_solve::Method;

use crate::diagnostics::{IDLE_SETTING, SETTING};
use crate::settings::Settings;
use cardan_assembly::parameter_values::ParameterValues;

/// A line that can be typed, for each setting.
const EXAMPLES: &[(&str, &str)] = &[
    ("to", "to = 10 [s]"),
    ("from", "from = 0 [s]"),
    ("every", "every = 0.01 [s]"),
    ("step", "step = 0.001 [s]"),
    ("max_step", "max_step = 0.01 [s]"),
    ("steps", "steps = 1000"),
    ("rtol", "rtol = 1e-8"),
    ("atol", "atol = 1e-8"),
    ("method", "method = auto"),
    ("constraints", "constraints = projected"),
    ("formalism", "formalism = kane"),
    ("start", "start = equilibrium"),
    ("baumgarte", "baumgarte = 50 [1/s]"),
];

/// What is wrong with the settings of each `simulate` block, as far as all parameters have values.
pub fn examine_settings(model: &Model) -> Diagnostics {
    let mut found = Diagnostics::new();
    let values = ParameterValues::of(model);
    if !values.missing.is_empty() {
        return found;
    }
    for experiment in model.experiments.iter().filter(|e| e.kind == ExperimentKind::Simulate) {
        let mut settings = Settings::default();
        let read = settings.read(model, &values, experiment).and_then(|()| settings.check());
        match read {
            Ok(()) => {
                let touches = model.shape_contacts().next().is_some();
                idle(experiment, &settings, touches).for_each(|d| found.push(d));
            }
            Err(error) => {
                let example = EXAMPLES.iter().find(|(name, _)| *name == error.name);
                let d = Diagnostic::error(SETTING, error.message);
                let d = match place(experiment, &error.name) {
                    Some(span) => d.at(span, ""),
                    None => d,
                };
                found.push(match example {
                    Some((_, line)) => d.hint(format!("write `{line}`")),
                    None => d,
                });
            }
        }
    }
    found
}

/// Steps of a method that chooses its own, and tolerances of a method that does not.
fn idle<'a>(
    experiment: &'a Experiment,
    settings: &'a Settings,
    touches: bool,
) -> impl Iterator<Item = Diagnostic> + use<'a> {
    // Rigid contacts between shapes are followed with fixed steps.
    let stepped = settings.method == Method::Moreau || (touches && settings.method == Method::Auto);
    let fixed = settings.method == Method::Rk4 || stepped;
    let names: &[&str] = if fixed { &["rtol", "atol", "max_step"] } else { &["step"] };
    names.iter().filter_map(move |name| {
        let span = experiment.settings.iter().find(|(n, _, _)| n == name)?.2?;
        let method = settings.method;
        let (why, help) = match fixed {
            true => (
                format!("the steps of `{method}` are fixed"),
                "give `step = 0.001 [s]` instead, or remove it",
            ),
            false => (
                format!("`{method}` chooses its steps by `rtol` and `atol`"),
                "write `max_step` for the longest step, add `method = rk4`, or remove it",
            ),
        };
        let d = Diagnostic::warning(IDLE_SETTING, format!("`{name}` does nothing here"));
        Some(d.at(span, "").because(why).hint(help))
    })
}

/// Where a setting is given, or else the block.
fn place(experiment: &Experiment, name: &str) -> Option<Span> {
    let given = experiment.settings.iter().find(|(n, _, _)| n == name).and_then(|(_, _, span)| *span);
    given.or(experiment.span)
}
