//! `modelDescription.xml`: what a unit is, for the program that loads it.
//!
//! Names are flat, units are SI units by name, and a value reference is the place of a variable in the list. All units have both
//! kinds. In Model Exchange blocks and switches happen in event mode, found by indicators or at times that are told, and the
//! constraints of loops are restored in event mode where the integrator has left them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use cardan::compile::Plan;
use cardan::model::{Causality, Model};
use cardan::sim::{Session, Settings};

use crate::variables::{Variable, name, variables};

/// The version of the standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Version {
    /// FMI 2.0.
    Two,
    /// FMI 3.0.
    Three,
}

/// What is needed to describe a unit.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'u> {
    /// The model.
    pub model: &'u Model,
    /// The motion at its start.
    pub session: &'u Session,
    /// The experiment of its text.
    pub settings: &'u Settings,
    /// The name of the library inside the unit.
    pub identifier: &'u str,
    /// How many event indicators it has.
    pub n_indicators: usize,
    /// What tells this unit from others.
    pub token: &'u str,
}

/// A text as XML.
fn escaped(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    clean.fold(String::new(), |mut out, c| {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
        out
    })
}

/// A variable as both versions describe it.
struct Row {
    name: String,
    unit: String,
    description: String,
    causality: &'static str,
    variability: &'static str,
    initial: Option<&'static str>,
    start: Option<f64>,
    range: Option<[f64; 2]>,
    /// The value reference of the state that this is the derivative of.
    derivative: Option<usize>,
}

fn rows(unit: &Unit<'_>) -> Vec<Row> {
    let (plan, model) = (unit.session.simulation().plan(), unit.model);
    let values = cardan::assembly::ParameterValues::of(model);
    let si = |name: &str| {
        let all = model.parameters.iter().map(|(_, p)| &p.quantity);
        let all = all.chain(model.coordinates.iter().map(|(_, q)| &q.quantity));
        let all = all.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
        let all = all.chain(model.states.iter().map(|(_, s)| &s.quantity));
        let all = all.chain(model.hybrid.discretes.iter().map(|(_, d)| &d.quantity));
        let mut all = all.chain(model.outputs.iter().map(|o| &o.quantity));
        all.find(|q| q.name == name).map_or(String::new(), |q| q.dimension.to_string())
    };
    let row = |variable: Variable| {
        let name = name(plan, variable);
        let plain = |label: &cardan::program::Label, causality, variability, initial| Row {
            name: name.clone(),
            unit: si(&label.name),
            description: label.description.clone(),
            causality,
            variability,
            initial,
            start: None,
            range: None,
            derivative: None,
        };
        match variable {
            Variable::Time => Row {
                name: name.clone(),
                unit: "s".to_owned(),
                description: "time".to_owned(),
                causality: "independent",
                variability: "continuous",
                initial: None,
                start: None,
                range: None,
                derivative: None,
            },
            Variable::State(k) => Row {
                start: Some(unit.session.state()[k]),
                ..plain(&plan.states[k].label, "output", "continuous", Some("exact"))
            },
            Variable::Derivative(k) => {
                let label = &plan.states[k].label;
                let si = si(&label.name);
                let unit = if si == "1" { "1/s".to_owned() } else { format!("({si})/s") };
                let description = format!("time derivative of {}", label.name);
                let plain = plain(label, "local", "continuous", Some("calculated"));
                Row { unit, description, derivative: Some(1 + k), ..plain }
            }
            Variable::Given(k, causality) => {
                let slot = &plan.parameters[k];
                let found = model.parameters.iter().find(|(_, p)| p.quantity.name == slot.label.name);
                let range = found.and_then(|(_, p)| p.range).map(|r| r.map(|e| values.evaluate(model, e)));
                let (causality, variability, initial) = match causality {
                    Causality::Parameter => ("parameter", "fixed", Some("exact")),
                    Causality::Input => ("input", "continuous", None),
                };
                let plain = plain(&slot.label, causality, variability, initial);
                let range = range.filter(|r| r.iter().all(|x| x.is_finite()));
                Row { start: Some(unit.session.value_at(k)), range, ..plain }
            }
            Variable::Output(k) => plain(&plan.outputs[k].0, "output", "continuous", Some("calculated")),
            Variable::Discrete(k) => plain(&plan.discretes[k].0, "local", "discrete", Some("calculated")),
            Variable::Indicator(_) => Row {
                name: name.clone(),
                unit: String::new(),
                description: "its sign changes at an event".to_owned(),
                causality: "local",
                variability: "continuous",
                initial: Some("calculated"),
                start: None,
                range: None,
                derivative: None,
            },
        }
    };
    let mut seen = BTreeSet::new();
    let unique = |mut row: Row| {
        while !seen.insert(row.name.clone()) {
            row.name += "'";
        }
        row
    };
    variables(plan, unit.n_indicators).into_iter().map(row).map(unique).collect()
}

fn units(rows: &[Row]) -> String {
    let names: BTreeSet<&str> = rows.iter().map(|r| r.unit.as_str()).filter(|u| !u.is_empty()).collect();
    let mut out = "  <UnitDefinitions>\n".to_owned();
    for name in names {
        let _ = writeln!(out, "    <Unit name=\"{}\"/>", escaped(name));
    }
    out + "  </UnitDefinitions>\n"
}

/// Value references by kind of variable.
fn places((plan, n_indicators): (&Plan, usize), wanted: impl Fn(Variable) -> bool) -> Vec<usize> {
    let all = variables(plan, n_indicators).into_iter().enumerate();
    all.filter(|(_, v)| wanted(*v)).map(|(k, _)| k).collect()
}

/// The description of a unit.
pub fn describe(unit: &Unit<'_>, version: Version) -> String {
    let simulation = unit.session.simulation();
    let (plan, rows) = ((simulation.plan(), unit.n_indicators), rows(unit));
    let n_indicators = unit.n_indicators;
    let (name, identifier, token) =
        (escaped(&unit.model.name), escaped(unit.identifier), escaped(unit.token));
    let description = match unit.model.description.as_str() {
        "" => String::new(),
        text => format!(" description=\"{}\"", escaped(text)),
    };
    let tool = concat!("cardan ", env!("CARGO_PKG_VERSION"));
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let (from, to, every) = (unit.settings.from, unit.settings.to, unit.settings.interval());
    let is_output = |v: Variable| matches!(v, Variable::State(_) | Variable::Output(_));
    let is_derivative = |v: Variable| matches!(v, Variable::Derivative(_));
    let is_computed = |v: Variable| matches!(v, Variable::Derivative(_) | Variable::Output(_));
    // The integrator tells each of its steps, where constraints are to be looked after.
    let exchange = match (simulation.has_loops(), version) {
        (true, Version::Two) => "completedIntegratorStepNotNeeded=\"false\" ",
        (false, Version::Two) => "completedIntegratorStepNotNeeded=\"true\" ",
        (true, Version::Three) => "needsCompletedIntegratorStep=\"true\" ",
        (false, Version::Three) => "needsCompletedIntegratorStep=\"false\" ",
    };
    let is_indicator = |v: Variable| matches!(v, Variable::Indicator(_));
    match version {
        Version::Two => {
            let _ = writeln!(
                out,
                "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"{name}\" guid=\"{token}\"{description} \
                 generationTool=\"{tool}\" variableNamingConvention=\"flat\" numberOfEventIndicators=\"{n_indicators}\">"
            );
            let abilities = "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" \
                             canNotUseMemoryManagementFunctions=\"true\" providesDirectionalDerivative=\"true\"";
            let _ =
                writeln!(out, "  <ModelExchange modelIdentifier=\"{identifier}\" {exchange}{abilities}/>");
            let _ = writeln!(
                out,
                "  <CoSimulation modelIdentifier=\"{identifier}\" canHandleVariableCommunicationStepSize=\"true\" {abilities}/>"
            );
            out += &units(&rows);
            let _ = writeln!(
                out,
                "  <DefaultExperiment startTime=\"{from:?}\" stopTime=\"{to:?}\" stepSize=\"{every:?}\"/>"
            );
            out += "  <ModelVariables>\n";
            for (reference, row) in rows.iter().enumerate() {
                let attributes = common(row, reference);
                let start = row.start.map_or(String::new(), |x| format!(" start=\"{x:?}\""));
                let derivative =
                    row.derivative.map_or(String::new(), |k| format!(" derivative=\"{}\"", k + 1));
                let _ = writeln!(
                    out,
                    "    <ScalarVariable {attributes}><Real{}{start}{derivative}/></ScalarVariable>",
                    about(row)
                );
            }
            out += "  </ModelVariables>\n  <ModelStructure>\n";
            let lists = [
                ("Outputs", places(plan, is_output)),
                ("Derivatives", places(plan, is_derivative)),
                ("InitialUnknowns", places(plan, is_computed)),
            ];
            for (title, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
                let _ = writeln!(out, "    <{title}>");
                list.iter().for_each(|k| {
                    let _ = writeln!(out, "      <Unknown index=\"{}\"/>", k + 1);
                });
                let _ = writeln!(out, "    </{title}>");
            }
        }
        Version::Three => {
            let _ = writeln!(
                out,
                "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"{name}\" instantiationToken=\"{token}\"{description} \
                 generationTool=\"{tool}\" variableNamingConvention=\"flat\">"
            );
            let abilities = "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" \
                             providesDirectionalDerivatives=\"true\"";
            let _ =
                writeln!(out, "  <ModelExchange modelIdentifier=\"{identifier}\" {exchange}{abilities}/>");
            let _ = writeln!(
                out,
                "  <CoSimulation modelIdentifier=\"{identifier}\" canHandleVariableCommunicationStepSize=\"true\" {abilities}/>"
            );
            out += &units(&rows);
            let _ = writeln!(
                out,
                "  <DefaultExperiment startTime=\"{from:?}\" stopTime=\"{to:?}\" stepSize=\"{every:?}\"/>"
            );
            out += "  <ModelVariables>\n";
            for (reference, row) in rows.iter().enumerate() {
                let attributes = common(row, reference);
                let start = row.start.map_or(String::new(), |x| format!(" start=\"{x:?}\""));
                let derivative = row.derivative.map_or(String::new(), |k| format!(" derivative=\"{k}\""));
                let _ = writeln!(out, "    <Float64 {attributes}{}{start}{derivative}/>", about(row));
            }
            out += "  </ModelVariables>\n  <ModelStructure>\n";
            let lists = [
                ("Output", places(plan, is_output)),
                ("ContinuousStateDerivative", places(plan, is_derivative)),
                ("InitialUnknown", places(plan, is_computed)),
                ("EventIndicator", places(plan, is_indicator)),
            ];
            for (title, list) in &lists {
                list.iter().for_each(|k| {
                    let _ = writeln!(out, "    <{title} valueReference=\"{k}\"/>");
                });
            }
        }
    }
    out + "  </ModelStructure>\n</fmiModelDescription>\n"
}

/// Name, reference and kind of a variable.
fn common(row: &Row, reference: usize) -> String {
    let mut out = format!("name=\"{}\" valueReference=\"{reference}\"", escaped(&row.name));
    if !row.description.is_empty() {
        let _ = write!(out, " description=\"{}\"", escaped(&row.description));
    }
    let _ = write!(out, " causality=\"{}\" variability=\"{}\"", row.causality, row.variability);
    if let Some(initial) = row.initial {
        let _ = write!(out, " initial=\"{initial}\"");
    }
    out
}

/// Unit and range of a variable.
fn about(row: &Row) -> String {
    let mut out = String::new();
    if !row.unit.is_empty() {
        let _ = write!(out, " unit=\"{}\"", escaped(&row.unit));
    }
    if let Some([low, high]) = row.range {
        let _ = write!(out, " min=\"{low:?}\" max=\"{high:?}\"");
    }
    out
}
