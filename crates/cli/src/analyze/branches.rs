//! `cardan kinematics --branches`: the ways in which the loops of a mechanism close; `--branch N` takes one of them.

use cardan::assembly::{Branch, Branches, ParameterValues, branches as find};
use cardan::compile::ChoiceError;
use cardan::model::Model;
use cardan::sim::StartError;
use serde_json::{Value, json};

use crate::analyze::arguments::Kinematics;
use crate::analyze::{number, scale};
use crate::exit::{Outcome, Problem};
use crate::load::{load_with, refused, underived};
use crate::run::request::set_values;
use crate::terminal::{Terminal, columns, counted};

/// Starts from which closed positions are looked for.
const STARTS: usize = 600;

/// More coordinates than this are not shown side by side.
const MAX_COLUMNS: usize = 7;

/// Lets a model start on the branch of this number, counted from one.
pub fn take(mut model: Model, n: usize) -> Result<Model, Problem> {
    let found = find(&model, STARTS).map_err(|e| underived(ChoiceError::from(e)))?;
    let Some(found) = found else {
        return Err(Problem::usage("this mechanism has no loops, and hence no branches"));
    };
    if !(1..=found.list.len()).contains(&n) {
        let problem = Problem::usage(format!("there is no branch {n}"));
        return Err(problem.hint(format!("there are 1 to {}: --branches lists them", found.list.len())));
    }
    let starts = found.starts(&model, n - 1);
    model.guess_coordinates(starts);
    Ok(model)
}

/// `+` and `-` for the two senses of a loop.
fn sense(branch: &Branch) -> &'static str {
    match branch.sign {
        1 => "+",
        -1 => "-",
        _ => "",
    }
}

pub fn run(terminal: &Terminal, arguments: &Kinematics) -> Result<Outcome, Problem> {
    let common = &arguments.common;
    let loaded = load_with(terminal, &common.file, &common.reading.setting(&common.set), &[])?;
    let set = loaded.remaining(&common.set);
    let model = &set_values(terminal, loaded.model, &set)?;
    let missing = ParameterValues::of(model).missing;
    if let Some(first) = missing.first() {
        let example = format!("give them a value: --set {first}=1");
        return Err(Problem::wrong(StartError::Missing(missing)).hint(example));
    }
    let found = find(model, STARTS)
        .map_err(|e| refused(terminal, model, &loaded.sources, cardan::Error::Choice(e.into())))?;
    let Some(found) = found else {
        return Err(Problem::usage("this mechanism has no loops, and hence no branches"));
    };
    if terminal.json {
        terminal.print_json(&for_programs(model, &found));
    } else if !common.quiet {
        terminal.print(&lines(terminal, model, &found));
    }
    Ok(Outcome::Done)
}

fn lines(terminal: &Terminal, model: &Model, found: &Branches) -> String {
    let quantities: Vec<_> = model.coordinates.iter().map(|(_, q)| &q.quantity).collect();
    let shown = |k: usize, value: f64| {
        let (factor, unit) = scale(quantities[k]);
        // Rounding of a position that is zero in truth.
        let value = if value.abs() < 1e-12 { 0.0 } else { value };
        (number(value * factor), unit)
    };
    let held: Vec<String> = found
        .held
        .iter()
        .filter_map(|k| {
            let (value, unit) = shown(*k, found.list.first()?.coordinates[*k]);
            Some(format!("{} = {value} [{unit}]", quantities[*k].name))
        })
        .collect();
    let n = counted(found.list.len(), "assembly branch", "assembly branches");
    let at = if held.is_empty() { String::new() } else { format!(" at {}", held.join(", ")) };
    let mut out = format!("{}  {n}{at}\n", terminal.bold(&model.name));
    let dependent = &found.dependent[..found.dependent.len().min(MAX_COLUMNS)];
    let mut rows = vec![vec![String::new(), "sense".to_string()]];
    rows[0].extend(dependent.iter().map(|k| format!("{} [{}]", quantities[*k].name, shown(*k, 0.0).1)));
    rows[0].push(String::new());
    for (n, branch) in found.list.iter().enumerate() {
        let mut row = vec![(n + 1).to_string(), sense(branch).to_string()];
        row.extend(dependent.iter().map(|k| shown(*k, branch.coordinates[*k]).0));
        let mut words = branch.elbows.clone();
        if !branch.further.is_empty() {
            let names: Vec<&str> = branch.further.iter().map(|k| quantities[*k].name.as_str()).collect();
            words.push(format!("a further freedom: {} can still move; listed once", names.join(", ")));
        }
        words.extend((n == found.start).then(|| "the start".to_string()));
        row.push(words.join(", "));
        rows.push(row);
    }
    let right: Vec<usize> = (2..2 + dependent.len()).collect();
    out += &columns(&rows, &right);
    if found.dependent.len() > MAX_COLUMNS {
        out += &format!("  … and {} more coordinates with --json\n", found.dependent.len() - MAX_COLUMNS);
    }
    out
}

fn for_programs(model: &Model, found: &Branches) -> Value {
    let name = |k: &usize| found.coordinates[*k].name.clone();
    let list: Vec<Value> = found
        .list
        .iter()
        .map(|b| {
            let values = found.coordinates.iter().zip(&b.coordinates);
            let values: serde_json::Map<_, _> =
                values.map(|(q, v)| (q.name.clone(), json!({ "value": v, "unit": q.unit }))).collect();
            let further: Vec<_> = b.further.iter().map(name).collect();
            json!({ "coordinates": values, "sign": b.sign, "elbows": b.elbows, "further": further, "residual": b.residual })
        })
        .collect();
    json!({
        "ok": true,
        "model": model.name,
        "held": found.held.iter().map(name).collect::<Vec<_>>(),
        "dependent": found.dependent.iter().map(name).collect::<Vec<_>>(),
        "branches": list,
        "start": found.start + 1,
    })
}
