//! What the main files of all languages have in common, and putting it into their templates.
//!
//! A template has placeholders `@NAME@`, and parts that begin with a line of the language's mark and the words (all of) which the
//! program must have: `always`, `rk4` or `dopri5`, `correct` where there are constraints, `pass` where
//! the integrator looks for singular positions, `events` or `plain`, `blocks` where some of them are blocks, `discretes` where there are discrete states, `refuse` where constraints may not allow what one assigns, `audit`. A line that holds
//! nothing but placeholders that are empty is left out.

use cardan_program::{Label, Program};

use crate::externals::{called, described};
use crate::plan::Plan;
use crate::simulation::{Method, Simulation, Start};
use crate::writer::expression::unit_suffix;
use crate::writer::layout::{filled, plain};
use crate::writer::name_table::Vocabulary;

/// The contents of a main file, before they are spelled in a language.
pub(crate) struct Filling {
    /// Names in the parameter file: parameters, states, discrete states, settings.
    pub names: Vec<String>,
    /// Their default values; a state's is zero if it begins at an output, as discrete states do.
    pub values: Vec<f64>,
    /// For each state, which of the start outputs it begins at, if any.
    pub starts: Vec<Option<usize>>,
    /// Headings of the table.
    pub columns: Vec<String>,
    pub n_parameters: usize,
    pub n_states: usize,
    pub n_starts: usize,
    pub n_discretes: usize,
    pub n_reports: usize,
    pub n_work: usize,
    pub method: Method,
    /// Numbers that vanish where the constraints hold.
    pub n_residuals: usize,
    /// Whether the state is pulled back onto constraints.
    pub corrects: bool,
    /// Numbers that tell of singular positions; nothing where nobody looks for them.
    pub n_pivots: usize,
    /// Whether the last column is shown less its first value.
    pub audited: bool,
    /// What happens at instants, by name.
    pub blocks: Vec<String>,
    /// Whether constraints may not allow what a block assigns.
    pub may_refuse: bool,
    /// Numbers that only events change, and comparisons that are watched; nothing without events.
    pub events: Option<(usize, usize)>,
    /// The functions that the user provides, as the files of the library describe them.
    pub provided: Vec<String>,
    /// Arguments of the functions in the order of the library, with the names that templates use.
    pub calls: Vec<Vec<&'static str>>,
}

impl Filling {
    /// The number of bytes that hold any name.
    pub fn longest_name(&self) -> usize {
        let all = self.names.iter().chain(&self.columns).chain(&self.blocks);
        all.map(String::len).max().unwrap_or(1)
    }

    pub fn new(program: &Program, simulation: &Simulation, plan: &Plan) -> Self {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for p in &simulation.parameters {
            names.push(plain(&program.inputs()[p.input].label.name));
            values.push(p.default);
        }
        let mut starts = Vec::new();
        let mut n_starts = 0;
        for s in &simulation.states {
            names.push(plain(&program.inputs()[s.input].label.name));
            match s.start {
                Start::Value(x) => {
                    values.push(x);
                    starts.push(None);
                }
                Start::Output(_) => {
                    values.push(0.0);
                    starts.push(Some(n_starts));
                    n_starts += 1;
                }
            }
        }
        let discretes = simulation.discretes();
        names.extend(discretes.iter().map(|m| plain(&program.inputs()[m.input].label.name)));
        values.extend(discretes.iter().map(|_| 0.0));
        let mut settings =
            vec![("t_start", simulation.t_start), ("t_end", simulation.t_end), ("every", simulation.every)];
        match simulation.method {
            Method::RungeKutta4 { step } => settings.push(("step", step)),
            Method::DormandPrince { relative, absolute } => {
                settings.extend([("relative", relative), ("absolute", absolute)]);
            }
        }
        for (name, value) in settings {
            names.push(name.into());
            values.push(value);
        }
        let mut columns = vec![heading(
            &simulation.time.map_or(Label::new("t", "s", ""), |t| program.inputs()[t].label.clone()),
        )];
        columns.extend(simulation.reports.iter().map(|o| heading(&program.outputs()[*o].label)));
        let call = |k: usize, arguments: &[&'static str], result: &'static str| {
            let f = &plan.functions[k];
            let mut list = arguments.to_vec();
            if f.takes_work {
                list.push("w");
            }
            list.push(result);
            list
        };
        let mut motion = if simulation.time.is_some() { vec!["t", "x"] } else { vec!["x"] };
        motion.extend(simulation.events.as_ref().map(|_| "d"));
        let mut calls = vec![call(0, &["p"], "start"), call(1, &motion, "dx"), call(2, &motion, "y")];
        let mut results = vec![];
        results.extend(simulation.correction.as_ref().map(|_| "c"));
        results.extend(simulation.passes().then_some("r"));
        results.extend(simulation.events.iter().flat_map(|_| ["g", "e"]));
        for result in results {
            calls.push(call(calls.len(), &motion, result));
        }
        Filling {
            names,
            values,
            starts,
            columns,
            n_parameters: simulation.parameters.len(),
            n_states: simulation.states.len(),
            n_starts,
            n_discretes: discretes.len(),
            n_reports: simulation.reports.len(),
            n_work: plan.n_work,
            method: simulation.method,
            n_residuals: simulation.correction.as_ref().map_or(0, |c| c.residuals.len()),
            corrects: simulation.correction.is_some(),
            n_pivots: match &simulation.correction {
                Some(correction) if simulation.passes() => correction.pivots.len(),
                _ => 0,
            },
            audited: simulation.audited,
            blocks: simulation.events.iter().flat_map(|e| e.blocks.iter().map(|n| plain(n))).collect(),
            may_refuse: simulation.events.as_ref().is_some_and(|e| e.may_refuse),
            events: simulation.events.as_ref().map(|e| (e.memory.len(), e.watched.len())),
            provided: vec![],
            calls,
        }
    }

    /// With what the main file says of functions that the user provides.
    pub fn providing(mut self, plan: &Plan, words: &Vocabulary) -> Self {
        self.provided = called(plan).into_iter().map(|(id, _)| described(plan, words, id)).collect();
        self
    }

    /// What the command that builds the program names besides the written files, and lines of comments that say what it is.
    pub fn of_the_user(&self, ending: &str, comment: &str) -> (String, String) {
        if self.provided.is_empty() {
            return (String::new(), String::new());
        }
        let file = format!("external.{ending}");
        let what = match ending {
            "rs" => {
                format!("The file {file} is the user's: a type Functions with the trait External, that is")
            }
            "m" => "The user provides, each in a file of its own,".to_owned(),
            _ => format!("The file {file} is the user's; it defines"),
        };
        let mut text = String::new();
        for line in [what].iter().chain(self.provided.iter()) {
            let indent = if text.is_empty() { "" } else { "  " };
            let width = if ending == "f" { 60 } else { 90 };
            for part in filled(line, width) {
                text += format!("\n{comment} {indent}{part}").trim_end_matches([' ', '\\']);
            }
        }
        (format!(" {file}"), text)
    }

    /// The calls of functions that not every program has, spelled by the language.
    pub fn rare_calls(&self, call: impl Fn(usize) -> String) -> [(&'static str, String); 4] {
        let n = self.calls.len();
        let optional = |wanted: bool, k: usize| if wanted { call(k) } else { String::new() };
        [
            ("CORRECT", optional(self.corrects, 3)),
            ("REGULAR", optional(self.n_pivots > 0, 4)),
            ("WATCH", optional(self.events.is_some(), n.saturating_sub(2))),
            ("HAPPEN", optional(self.events.is_some(), n - 1)),
        ]
    }

    /// The numbers that every template needs.
    pub fn sizes(&self) -> Vec<(&'static str, String)> {
        let (n_memory, n_watched) = self.events.unwrap_or((0, 0));
        [
            ("ND", n_memory),
            ("NG", n_watched),
            ("NH", n_memory + n_watched),
            ("NH1", (n_memory + n_watched).max(1)),
            ("NI", n_memory + n_watched.max(1)),
            ("NJ", self.n_starts + n_memory.max(1)),
            ("NG1", n_watched + 1),
            ("NE", self.n_states + n_memory + 1),
            ("NP", self.n_parameters),
            ("NX", self.n_states),
            ("NF", self.n_parameters + self.n_states + self.n_discretes),
            ("NS", self.n_starts),
            ("NY", self.n_reports),
            ("NW", self.n_work),
            ("NR", self.n_residuals),
            ("NV", self.n_pivots),
            ("NQ", self.blocks.len()),
            ("NN", self.names.len()),
            ("NC", self.columns.len()),
            ("NX1", self.n_states.max(1)),
            ("NB", self.n_starts + n_memory),
            ("NS1", (self.n_starts + n_memory).max(1)),
            ("NY1", self.n_reports.max(1)),
            ("NW1", self.n_work.max(1)),
            ("NP1", self.n_parameters.max(1)),
        ]
        .map(|(name, n)| (name, n.to_string()))
        .into()
    }
}

/// Name and unit as the heading of a column of comma-separated values.
fn heading(label: &Label) -> String {
    let text = format!("{}{}", plain(&label.name), unit_suffix(&plain(&label.unit)));
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// The template with the parts of the chosen method, and placeholders replaced.
pub(crate) fn fill(template: &str, mark: &str, filling: &Filling, replacements: &[(&str, String)]) -> String {
    let method = match filling.method {
        Method::RungeKutta4 { .. } => "rk4",
        Method::DormandPrince { .. } => "dopri5",
    };
    let has = |word: &str| match word {
        "always" => true,
        "correct" => filling.corrects,
        "pass" => filling.n_pivots > 0,
        "events" => filling.events.is_some(),
        "plain" => filling.events.is_none(),
        "blocks" => !filling.blocks.is_empty(),
        "discretes" => filling.n_discretes > 0,
        "refuse" => filling.may_refuse,
        "audit" => filling.audited,
        word => word == method,
    };
    let template = parts(template, mark, has);
    let sizes = filling.sizes();
    let known: Vec<(&str, &str)> =
        sizes.iter().chain(replacements).map(|(name, value)| (*name, value.as_str())).collect();
    // One pass: what is filled in is not searched again.
    let mut text = String::new();
    let mut rest = template.as_str();
    while let Some((before, after)) = rest.split_once('@') {
        text.push_str(before);
        let found = known.iter().find_map(|(name, value)| {
            let rest = after.strip_prefix(name)?.strip_prefix('@')?;
            Some((*value, rest))
        });
        let (value, after) = found.unwrap_or(("@", after));
        let line_start = text.rfind('\n').map_or(0, |i| i + 1);
        if value.is_empty() && after.starts_with('\n') && text[line_start..].trim().is_empty() {
            text.truncate(line_start);
            rest = &after[1..];
            continue;
        }
        text.push_str(value);
        rest = after;
    }
    text.push_str(rest);
    text.trim_end().to_owned() + "\n"
}

/// The parts of a template that a program with these properties has.
fn parts(template: &str, mark: &str, has: impl Fn(&str) -> bool) -> String {
    let mut result = String::new();
    let mut taken = false;
    for line in template.lines() {
        if let Some(words) = line.strip_prefix(mark) {
            taken = words.split_whitespace().all(&has);
        } else if taken {
            result.push_str(line);
            result.push('\n');
        }
    }
    result
}
