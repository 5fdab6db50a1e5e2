//! `cardan equilibrium`: where nothing wants to move.

use std::path::PathBuf;

use cardan::absolute::statics::Search;
use cardan::analysis::{
    Equilibrium as Balance, EquilibriumOptions, Found, Obstacle, TIME_PARAMETER, equilibrium as find, held_at,
};
use cardan::base::Id;
use cardan::model::ExperimentKind;
use cardan::sim::Frames;
use serde_json::{Value, json};

use crate::analyze::arguments::Equilibrium;
use crate::analyze::locus::parameter_grid::Over;
use crate::analyze::page::{Answer, page, table};
use crate::analyze::statics::series;
use crate::analyze::{
    Asked, absolute, assignment, derive, flat_words, force_unit, number, or_list, read, scale, unbalanced,
    warn_of_kinks,
};
use crate::exit::{Outcome, Problem};
use crate::files::{csv_cell, digits};
use crate::run::request::bare_angle;
use crate::terminal::{Terminal, columns};

pub fn run(terminal: &Terminal, arguments: &Equilibrium) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let mut held: Vec<(String, usize)> = vec![];
    let over: Vec<Over> = arguments.over.iter().map(|text| Over::read(text)).collect::<Result<_, _>>()?;
    // Time is no parameter of the model.
    let inputs: Vec<String> =
        over.iter().map(|o| o.name.clone()).filter(|name| name != TIME_PARAMETER).collect();
    let posed = read(terminal, &arguments.common, &[], |mut model| {
        let block = model.experiments.iter().find(|e| e.kind == ExperimentKind::Equilibrium).cloned();
        for text in or_list(&arguments.hold, block.as_ref(), "hold") {
            let (name, value) = assignment(&model, &text)?;
            if let Some(doubt) =
                text.split_once('=').and_then(|(_, written)| bare_angle(&model, &name, written))
            {
                terminal.warning(&doubt);
            }
            let (coordinate, at) = held_at(&model, &name, value).map_err(Problem::wrong)?;
            held.push((name, model.hold(coordinate, at).index()));
        }
        Ok(model)
    })?;
    let given =
        arguments.time.as_deref().map(|text| crate::run::request::time("--time", text)).transpose()?;
    if let Some(reason) = absolute::reason(&posed.model, &arguments.common).filter(|_| over.is_empty()) {
        let search = if arguments.stable { Search::Downhill } else { Search::Nearest };
        let asked = (given.unwrap_or(0.0), search);
        return absolute::equilibrium(terminal, &posed, &arguments.common, reason, asked);
    }
    let mut asked = derive(terminal, ExperimentKind::Equilibrium, &arguments.common, &inputs, posed)?;
    let t = given.or(asked.number("at")).unwrap_or(0.0);
    asked.say_discretes(terminal);
    if !over.is_empty() || !asked.ranges().is_empty() {
        return series::answer(terminal, &mut asked, &over, t, arguments.common.quiet);
    }
    let tolerance = arguments.tolerance.or(asked.number("tolerance"));
    let tolerance = tolerance.unwrap_or(EquilibriumOptions::default().tolerance);
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Problem::usage(format!("a tolerance of {tolerance} makes no sense")));
    }
    let options = EquilibriumOptions { tolerance, stable: arguments.stable };
    let found = Answered::find(&mut asked, t, &options, &held)?;
    warn_of_kinks(terminal, &found.at.kinks);

    let facts = found.facts(&asked);
    let csv: String = found
        .positions
        .iter()
        .map(|(n, v, u)| format!("{},{},{}\n", csv_cell(n), digits(*v), csv_cell(u)))
        .collect();
    let tables = found.tables(&asked);
    let mut paths = vec![
        asked.write("equilibrium.json", &format!("{facts:#}\n"))?,
        asked.write("equilibrium.csv", &format!("name,value,unit\n{csv}"))?,
    ];
    let mut frames = Frames::default();
    asked.study.picture(t, &found.at.state, &mut frames).map_err(Problem::failed)?;
    paths.push(asked.write("equilibrium.html", &page(&asked, &frames, found.on_page(&asked, &tables)))?);
    asked.deliver()?;
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        terminal.print(&found.said(terminal, &asked, &tables, &paths));
    }
    if found.at.balanced {
        return Ok(Outcome::Done);
    }
    let problem = unbalanced(&asked.study, &found.at, t);
    terminal.problem(&match &found.at.obstacle {
        Some(Obstacle::Moves { .. }) => {
            problem.hint("--time TIME looks at another instant; `cardan kinematics` follows a driven motion")
        }
        _ => problem.hint(
            "start nearer to it with --set, hold a coordinate with --hold, or roll downhill with --stable",
        ),
    });
    Ok(Outcome::Failed)
}

/// A name, a value and its unit, as people see them.
type Shown = (String, f64, String);

/// Where nothing wants to move, or where the search for it ended.
struct Answered {
    t: f64,
    at: Balance,
    /// Coordinates and auxiliary states.
    positions: Vec<Shown>,
    /// What drives carry on: speeds that are not zero.
    carried: Vec<Shown>,
    outputs: Vec<Shown>,
    /// The coordinates that were held, and the force along each.
    holding: Vec<(String, f64)>,
}

/// The same in rows of text.
struct Tables {
    positions: Vec<Vec<String>>,
    outputs: Vec<Vec<String>>,
    holding: Vec<Vec<String>>,
}

impl Answered {
    fn find(
        asked: &mut Asked,
        t: f64,
        options: &EquilibriumOptions,
        held: &[(String, usize)],
    ) -> Result<Answered, Problem> {
        let at = find(&mut asked.study, t, options).map_err(Problem::failed)?;
        let places: Vec<usize> = held.iter().map(|(_, k)| *k).collect();
        let mut forces = asked.study.holding_forces(t, &at.state, &places).map_err(Problem::failed)?;
        if !at.singular.is_empty() {
            forces.fill(f64::NAN);
        }
        let (n_q, n_u, _) = asked.study.sizes();
        let shown = asked.shown(&at.state);
        let hold = match at.held.is_empty() {
            true => None,
            false => asked.study.held(t, &at.state).map_err(Problem::failed)?,
        };
        let outputs = match hold {
            Some(hold) => hold.outputs,
            None => asked.study.outputs(t, &at.state).map_err(Problem::failed)?,
        };
        let named = asked.study.model().outputs.iter().zip(outputs).enumerate();
        let outputs = named.map(|(k, (output, value))| {
            let (factor, unit) = scale(&output.quantity);
            let value = if at.undetermined.contains(&k) { f64::NAN } else { value };
            (output.quantity.name.clone(), value * factor, unit)
        });
        Ok(Answered {
            t,
            outputs: outputs.collect(),
            positions: shown[..n_q].iter().chain(&shown[n_q + n_u..]).cloned().collect(),
            carried: at.carried.iter().map(|(k, _)| shown[*k].clone()).collect(),
            holding: held.iter().map(|(name, _)| name.clone()).zip(forces).collect(),
            at,
        })
    }

    /// Whether it is stable, in words.
    fn stability(&self) -> String {
        match (&self.at.stability, self.at.singular.join(", ")) {
            (Some(_), _) => self.at.verdict.clone(),
            _ if !self.at.held.is_empty() => {
                let speeds = self.at.held.join(", ");
                format!("held by dry friction, {speeds}: any place nearby is an equilibrium, too")
            }
            (None, names) if self.at.balanced => format!(
                "a singular position, in which the equations of {names} say nothing new: neither stability nor what it bears is determined"
            ),
            _ => "not in balance".to_string(),
        }
    }

    /// How it was found.
    fn how(&self) -> String {
        match self.at.found {
            Found::Newton => format!("Newton's method, {} iterations", self.at.iterations),
            Found::Relaxation => format!("relaxation and Newton's method, {} iterations", self.at.iterations),
            Found::Held => "dry friction, which holds the start".to_string(),
        }
    }

    /// The motion relative to which it rests; empty where that is none.
    fn carried(&self) -> String {
        let carried =
            self.carried.iter().map(|(name, value, unit)| format!("{name} = {} [{unit}]", number(*value)));
        carried.collect::<Vec<_>>().join(", ")
    }

    /// For programs.
    fn facts(&self, asked: &Asked) -> Value {
        let at = &self.at;
        let (n_q, n_u, _) = asked.study.sizes();
        json!({
            "ok": at.balanced,
            "model": asked.study.model().name,
            "time": self.t,
            "stability": at.stability.map(|s| s.name()),
            "held_by_friction": at.held,
            "decided": at.decided,
            "singular": at.singular,
            "iterations": at.iterations,
            "residual": at.residual,
            "potential": at.potential,
            "discrete": asked.discretes(),
            "state": named(&self.positions),
            "carried": named(&self.carried),
            "outputs": named(&self.outputs),
            "not_unique": asked.not_unique(),
            "ignorable": at.ignorable.iter().map(|n| n.name.clone()).collect::<Vec<_>>(),
            "flat": at.flat.iter().map(|n| n.name.clone()).collect::<Vec<_>>(),
            "kinks": at.kinks.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "holding": self.holding.iter().map(|(n, f)| (n.clone(), json!(f))).collect::<serde_json::Map<_, _>>(),
            "eigenvalues": at.eigenvalues.iter().map(|z| json!([z.0, z.1])).collect::<Vec<_>>(),
            "left": (0..n_u).map(|k| (asked.study.state(n_q + k).0.name, json!(at.left[k]))).collect::<serde_json::Map<_, _>>(),
        })
    }

    fn tables(&self, asked: &Asked) -> Tables {
        let output =
            |(n, v, u): &Shown| vec![n.clone(), determined(*v), format!("[{u}]"), asked.mark(n).to_string()];
        let holding = |(name, f): &(String, f64)| {
            vec![format!("force along {name}"), determined(*f), format!("[{}]", unit_along(asked, name))]
        };
        let position = |(n, v, u): &Shown| vec![n.clone(), number(*v), format!("[{u}]")];
        Tables {
            positions: self.positions.iter().map(position).collect(),
            outputs: self.outputs.iter().map(output).collect(),
            holding: self.holding.iter().map(holding).collect(),
        }
    }

    /// For the page.
    fn on_page(&self, asked: &Asked, rows: &Tables) -> Answer {
        let mut tables = vec![table("Position", "", &["name", "value", "unit"], rows.positions.clone())];
        if !rows.outputs.is_empty() {
            tables.push(table("Outputs", "", &["name", "value", "unit", ""], rows.outputs.clone()));
        }
        if !rows.holding.is_empty() {
            tables.push(table("Held coordinates", "", &["name", "value", "unit"], rows.holding.clone()));
        }
        let mut summary = vec![
            ("stability", self.stability()),
            ("found by", self.how()),
            ("residual", number(self.at.residual)),
        ];
        let carried = self.carried();
        if !carried.is_empty() {
            summary.push(("relative to", carried));
        }
        Answer {
            title: "equilibrium".into(),
            warnings: self.at.kinks.iter().map(ToString::to_string).collect(),
            held: asked.held_words(),
            summary: summary.into_iter().map(|(k, v)| (k.to_string(), v)).collect(),
            tables,
            ..Answer::default()
        }
    }

    /// For the terminal.
    fn said(&self, terminal: &Terminal, asked: &Asked, rows: &Tables, paths: &[PathBuf]) -> String {
        let how = self.how();
        let what = match self.at.balanced {
            true => format!("equilibrium by {how}, residual {}", number(self.at.residual)),
            false => format!("no equilibrium; the search ({how}) ended at"),
        };
        let mut out = asked.heading(terminal, &what);
        out += &columns(&rows.positions, &[1]);
        if !rows.outputs.is_empty() {
            out += &columns(&rows.outputs, &[1]);
        }
        out += &columns(&rows.holding, &[1]);
        out += &format!("  {}\n", self.stability());
        let carried = self.carried();
        if !carried.is_empty() {
            out += &format!("  at rest relative to the motion that drives keep up: {carried}\n");
        }
        out += &flat_words(&self.at.flat);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        out
    }
}

/// What a singular position leaves open is not a number.
fn determined(value: f64) -> String {
    if value.is_nan() { "not determined".to_string() } else { number(value) }
}

/// The unit of the force that holds a coordinate.
fn unit_along(asked: &Asked, name: &str) -> String {
    let found = asked.study.model().coordinates.iter().find(|(_, q)| q.quantity.name == name);
    found.map_or(String::new(), |(_, q)| force_unit(q.quantity.dimension))
}

fn named(list: &[Shown]) -> Value {
    Value::Object(list.iter().map(|(n, v, u)| (n.clone(), json!({ "value": v, "unit": u }))).collect())
}
