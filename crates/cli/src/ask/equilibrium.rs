//! `cardan equilibrium`: where nothing wants to move.

use cardan::analysis::{EquilibriumOptions, Found, Obstacle, equilibrium as find, hold};
use cardan::base::Id;
use cardan::sim::Frames;
use serde_json::{Value, json};

use super::arguments::Equilibrium;
use super::page::{Answer, page, table};
use super::{
    Asked, assignment, cell, flat_words, force_unit, number, or_list, prepare, scale, unbalanced,
    warn_of_kinks,
};
use crate::files::digits;
use crate::outcome::{Outcome, Problem};
use crate::terminal::{Terminal, columns};

pub fn run(terminal: &Terminal, arguments: &Equilibrium) -> Result<Outcome, Problem> {
    let terminal = &terminal.quieter(arguments.common.quiet);
    let mut held: Vec<(String, usize)> = vec![];
    let mut asked = prepare(terminal, "equilibrium", &arguments.common, &[], &[], |model| {
        let block = model.experiments.iter().find(|e| e.kind == "equilibrium").cloned();
        for text in or_list(&arguments.hold, block.as_ref(), "hold") {
            let (name, value) = assignment(&text)?;
            let id = hold(model, &name, value).map_err(Problem::wrong)?;
            held.push((name, id.index()));
        }
        Ok(())
    })?;
    let t = match &arguments.time {
        Some(text) => crate::run::request::time("--time", text)?,
        None => asked.number("at").unwrap_or(0.0),
    };
    asked.say_discretes(terminal);
    let tolerance = arguments.tolerance.or(asked.number("tolerance"));
    let tolerance = tolerance.unwrap_or(EquilibriumOptions::default().tolerance);
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err(Problem::usage(format!("a tolerance of {tolerance} makes no sense")));
    }
    let options = EquilibriumOptions { tolerance, stable: arguments.stable };
    let found = find(&mut asked.study, t, &options).map_err(Problem::failed)?;
    warn_of_kinks(terminal, &found.kinks);
    let places: Vec<usize> = held.iter().map(|(_, k)| *k).collect();
    let forces = asked.study.holding_forces(t, &found.state, &places).map_err(Problem::failed)?;

    let (n_q, n_u, _) = asked.study.sizes();
    let shown = asked.shown(&found.state);
    let positions: Vec<&(String, f64, String)> = shown[..n_q].iter().chain(&shown[n_q + n_u..]).collect();
    let outputs = asked.study.outputs(t, &found.state).map_err(Problem::failed)?;
    let outputs: Vec<(String, f64, String)> = asked
        .study
        .model()
        .outputs
        .iter()
        .zip(outputs)
        .enumerate()
        .map(|(k, (output, value))| {
            let (factor, unit) = scale(&output.quantity);
            let value = if found.undetermined.contains(&k) { f64::NAN } else { value };
            (output.quantity.name.clone(), value * factor, unit)
        })
        .collect();
    let words = match (&found.stability, found.singular.join(", ")) {
        (Some(stability), _) => stability.verdict(found.decided),
        (None, names) if found.balanced => format!(
            "a singular position, in which the equations of {names} say nothing new: neither stability nor what it bears is determined"
        ),
        _ => "not in balance".to_string(),
    };
    let carried = found.carried.iter().map(|(k, _)| {
        let (name, value, unit) = &shown[*k];
        format!("{name} = {} [{unit}]", number(*value))
    });
    let carried = carried.collect::<Vec<_>>().join(", ");
    let how = match found.found {
        Found::Newton => format!("Newton's method, {} iterations", found.iterations),
        Found::Relaxation => format!("relaxation and Newton's method, {} iterations", found.iterations),
    };
    let facts = json!({
        "ok": found.balanced,
        "model": asked.study.model().name,
        "time": t,
        "stability": found.stability.map(|s| s.name()),
        "decided": found.decided,
        "singular": found.singular,
        "iterations": found.iterations,
        "residual": found.residual,
        "potential": found.potential,
        "discrete": asked.discretes(),
        "state": named(positions.iter().copied()),
        "carried": named(found.carried.iter().map(|(k, _)| &shown[*k])),
        "outputs": named(outputs.iter()),
        "not_unique": asked.not_unique(),
        "ignorable": found.ignorable.iter().map(|n| n.name.clone()).collect::<Vec<_>>(),
        "flat": found.flat.iter().map(|n| n.name.clone()).collect::<Vec<_>>(),
        "kinks": found.kinks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "holding": held.iter().zip(&forces).map(|((n, _), f)| (n.clone(), json!(f))).collect::<serde_json::Map<_, _>>(),
        "eigenvalues": found.eigenvalues.iter().map(|z| json!([z.0, z.1])).collect::<Vec<_>>(),
        "left": (0..n_u).map(|k| (asked.study.state(n_q + k).0.name, json!(found.left[k]))).collect::<serde_json::Map<_, _>>(),
    });
    let csv: String =
        positions.iter().map(|(n, v, u)| format!("{},{},{}\n", cell(n), digits(*v), cell(u))).collect();
    let mut paths = vec![
        asked.write("equilibrium.json", &format!("{facts:#}\n"))?,
        asked.write("equilibrium.csv", &format!("name,value,unit\n{csv}"))?,
    ];
    let mut frames = Frames::default();
    asked.study.picture(t, &found.state, &mut frames).map_err(Problem::failed)?;
    let output_rows: Vec<Vec<String>> = outputs
        .iter()
        .map(|(n, v, u)| {
            let value = if v.is_nan() { "not determined".to_string() } else { number(*v) };
            vec![n.clone(), value, format!("[{u}]"), asked.mark(n).to_string()]
        })
        .collect();
    let position_rows: Vec<Vec<String>> =
        positions.iter().map(|(n, v, u)| vec![n.clone(), number(*v), format!("[{u}]")]).collect();
    let holding: Vec<Vec<String>> = held
        .iter()
        .zip(&forces)
        .map(|((name, _), f)| {
            vec![format!("force along {name}"), number(*f), format!("[{}]", unit_along(&asked, name))]
        })
        .collect();
    let mut tables = vec![table("Position", "", &["name", "value", "unit"], position_rows.clone())];
    if !output_rows.is_empty() {
        tables.push(table("Outputs", "", &["name", "value", "unit", ""], output_rows.clone()));
    }
    if !holding.is_empty() {
        tables.push(table("Held coordinates", "", &["name", "value", "unit"], holding.clone()));
    }
    let summary =
        [("stability", words.to_string()), ("found by", how.clone()), ("residual", number(found.residual))];
    let summary = summary.into_iter().chain((!carried.is_empty()).then(|| ("relative to", carried.clone())));
    let answer = Answer {
        title: "equilibrium".into(),
        warnings: found.kinks.iter().map(ToString::to_string).collect(),
        held: asked.held_words(),
        summary: summary.map(|(k, v)| (k.to_string(), v)).collect(),
        tables,
        ..Answer::default()
    };
    paths.push(asked.write("equilibrium.html", &page(&asked, &frames, answer))?);
    if terminal.json {
        terminal.print_json(&facts);
    } else if !arguments.common.quiet {
        let what = match found.balanced {
            true => format!("equilibrium by {how}, residual {}", number(found.residual)),
            false => format!("no equilibrium; the search ({how}) ended at"),
        };
        let mut out = asked.heading(terminal, &what);
        out += &columns(&position_rows, &[1]);
        if !outputs.is_empty() {
            out += &columns(&output_rows, &[1]);
        }
        out += &columns(&holding, &[1]);
        out += &format!("  {words}\n");
        if !carried.is_empty() {
            out += &format!("  at rest relative to the motion that drives keep up: {carried}\n");
        }
        if !found.ignorable.is_empty() {
            let names: Vec<String> = found.ignorable.iter().map(|n| format!("`{}`", n.name)).collect();
            out += &format!("  nothing feels {}: any value will do\n", names.join(", "));
        }
        out += &flat_words(&found.flat);
        paths.iter().for_each(|p| out += &format!("  {}\n", p.display()));
        terminal.print(&out);
    }
    if found.balanced {
        return Ok(Outcome::Done);
    }
    let problem = unbalanced(&asked.study, &found, t);
    terminal.problem(&match &found.obstacle {
        Some(Obstacle::Moves { .. }) => {
            problem.hint("--time TIME looks at another instant; `cardan kinematics` follows a driven motion")
        }
        _ => problem.hint(
            "start nearer to it with --set, hold a coordinate with --hold, or roll downhill with --stable",
        ),
    });
    Ok(Outcome::Failed)
}

/// The unit of the force that holds a coordinate.
fn unit_along(asked: &Asked, name: &str) -> String {
    let found = asked.study.model().coordinates.iter().find(|(_, q)| q.quantity.name == name);
    found.map_or(String::new(), |(_, q)| force_unit(q.quantity.dimension))
}

fn named<'a>(list: impl Iterator<Item = &'a (String, f64, String)>) -> Value {
    Value::Object(list.map(|(n, v, u)| (n.clone(), json!({ "value": v, "unit": u }))).collect())
}
