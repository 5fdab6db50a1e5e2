//! `cardan count --solver`: what the solution of the linear equations takes, sparse and dense.

use cardan::compile::{choose, formalism_selection::not_worth_it};
use cardan::equations::ldl::operations::{Operations, SolverCounts, solver_counts};
use cardan::equations::{Formalism, unsolved};
use cardan::model::Model;
use serde_json::{Value, json};

use crate::exit::{Outcome, Problem};
use crate::terminal::{Terminal, columns};

pub fn run(terminal: &Terminal, model: &Model) -> Result<Outcome, Problem> {
    // The rows that a run would keep.
    let choice = choose(model, None).map_err(Problem::wrong)?;
    let kept = &choice.equations.constraints;
    let mut found: Vec<(&'static str, SolverCounts)> = vec![];
    for formalism in [Formalism::Kane, Formalism::Recursive, Formalism::Lagrange] {
        if not_worth_it(model, formalism, formalism != Formalism::Recursive).is_some() {
            continue;
        }
        // On a copy of the model to which the rows belong: the pool of another does not know them.
        let own = choice.model.clone();
        let Ok(equations) = unsolved(&own, formalism, kept.clone()) else { continue };
        found.push((formalism.name(), solver_counts(&own, &equations)));
    }
    if terminal.json {
        let all: Vec<Value> = found.iter().map(|(name, c)| for_programs(name, c)).collect();
        terminal.print_json(&json!({ "ok": true, "model": model.name, "solver": all }));
        return Ok(Outcome::Done);
    }
    let heads = ["formalism", "solution", "mul", "add", "div", "total", "of dense"];
    let mut table: Vec<Vec<String>> = vec![heads.map(String::from).to_vec()];
    for (name, c) in &found {
        let whole = c.dense.total().max(1) as f64;
        for (k, (way, o)) in ways(c).into_iter().enumerate() {
            let mut cells = vec![if k == 0 { name.to_string() } else { String::new() }, way.to_string()];
            cells.extend([o.mul, o.add, o.div, o.total()].map(|n| n.to_string()));
            cells.push(format!("{:.3}", o.total() as f64 / whole));
            table.push(cells);
        }
    }
    let mut text = columns(&table, &[2, 3, 4, 5, 6]);
    if let Some((_, c)) = found.first() {
        let note = format!(
            "{} accelerations and {} multipliers; {} entries in the lower triangle, {} filled in.\n",
            c.speeds, c.rows, c.entries, c.fill
        );
        text += &terminal.dim(&note);
    }
    terminal.print(&text);
    Ok(Outcome::Done)
}

fn ways(c: &SolverCounts) -> [(&'static str, Operations); 3] {
    [("sparse LDLᵀ", c.sparse), ("dense LDLᵀ", c.dense), ("LU", c.lu)]
}

fn for_programs(name: &str, c: &SolverCounts) -> Value {
    let of = |o: &Operations| json!({ "mul": o.mul, "add": o.add, "div": o.div, "total": o.total() });
    json!({
        "formalism": name, "speeds": c.speeds, "rows": c.rows, "entries": c.entries, "fill": c.fill,
        "sparse": of(&c.sparse), "dense": of(&c.dense), "lu": of(&c.lu),
    })
}
