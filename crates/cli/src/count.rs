//! `cardan count`: operations by formalism, question and stage.

use cardan::equations::{Equations, Formalism, derive};
use cardan::lower::{LowerError, inverse_program, mass_program, simulation_program_with};
use cardan::model::Model;
use cardan::program::{Counts, Program, count};
use cardan::sim::choice::MAX_SPEEDS_FOR_KANE;
use serde_json::{Value, json};

use crate::arguments::OneFile;
use crate::loading::load;
use crate::outcome::{Outcome, Problem};
use crate::terminal::{Terminal, columns};

/// The counts of one question by one formalism.
struct Row {
    formalism: Formalism,
    question: &'static str,
    /// Per stage, or why there are none.
    stages: Result<Vec<(String, Counts)>, String>,
}

pub fn run(terminal: &Terminal, arguments: &OneFile) -> Result<Outcome, Problem> {
    let loaded = load(terminal, &arguments.file)?;
    let mut rows = Vec::new();
    for formalism in Formalism::ALL {
        let model = loaded.remake();
        let n = model.speeds.len();
        let equations = if formalism == Formalism::Kane && n > MAX_SPEEDS_FOR_KANE {
            Err(format!("not derived: {n} speeds are more than {MAX_SPEEDS_FOR_KANE}"))
        } else {
            derive(&model, formalism).map_err(|f| f.message(&model))
        };
        rows.extend(questions(&model, formalism, equations));
    }
    if terminal.json {
        let rows: Vec<Value> = rows.iter().map(for_programs).collect();
        terminal.print_json(&json!({ "ok": true, "model": loaded.model.name, "counts": rows }));
        return Ok(Outcome::Done);
    }
    let heads =
        ["question", "formalism", "stage", "mul", "add", "div", "sqrt", "trig", "compare", "other", "total"];
    let mut table: Vec<Vec<String>> = vec![heads.map(String::from).to_vec()];
    for row in &rows {
        let mut head = vec![row.question.to_string(), row.formalism.name().to_string()];
        match &row.stages {
            Err(reason) => {
                head.push(format!("({reason})"));
                table.push(head);
            }
            Ok(stages) => {
                for (stage, c) in stages {
                    let mut cells = head.clone();
                    cells.push(stage.clone());
                    let numbers = [c.mul, c.add, c.div, c.sqrt, c.trig, c.compare, c.other, c.total()];
                    cells.extend(numbers.map(|n| n.to_string()));
                    table.push(cells);
                    head = vec![String::new(), String::new()];
                }
            }
        }
    }
    let note = "`setup` runs once per set of parameters; the others at every evaluation.\n";
    terminal.print(&format!("{}{}", columns(&table, &[3, 4, 5, 6, 7, 8, 9, 10]), terminal.dim(note)));
    Ok(Outcome::Done)
}

/// Each question on a model of its own: what was derived for another would be found again and spoil the count.
fn questions(model: &Model, formalism: Formalism, equations: Result<Equations, String>) -> Vec<Row> {
    let ask = |question: &'static str, program: Result<Program, String>| Row {
        formalism,
        question,
        stages: program.map(|p| by_stage(&p)),
    };
    let equations = match equations {
        Ok(equations) => equations,
        Err(reason) => return vec![ask("forward dynamics", Err(reason))],
    };
    let words = |e: LowerError| e.to_string();
    let bare = cardan::lower::Options { works: false, pictures: false, ..cardan::lower::Options::default() };
    let forward = simulation_program_with(model, &equations, &bare).map(|s| s.program).map_err(words);
    let own = model.clone();
    let inverse = cardan::equations::inverse(&own, formalism)
        .map_err(|e| e.message(&own))
        .and_then(|forces| inverse_program(&own, &forces).map(|p| p.program).map_err(words));
    let own = model.clone();
    let mass = cardan::equations::mass_matrix(&own, formalism)
        .map_err(|e| e.message(&own))
        .and_then(|mass| mass_program(&own, &mass, None).map(|p| p.program).map_err(words));
    vec![ask("forward dynamics", forward), ask("inverse dynamics", inverse), ask("mass matrix", mass)]
}

/// Stages that have operations; what only results need is left out.
fn by_stage(program: &Program) -> Vec<(String, Counts)> {
    let stages = program.stages().iter().filter(|(_, s)| s.name != "report");
    let mut counts: Vec<(String, Counts)> =
        stages.map(|(id, s)| (s.name.clone(), count(program, id.into()))).collect();
    let step =
        counts.iter().filter(|(name, _)| name != "setup").fold(Counts::default(), |sum, (_, c)| Counts {
            add: sum.add + c.add,
            mul: sum.mul + c.mul,
            div: sum.div + c.div,
            sqrt: sum.sqrt + c.sqrt,
            trig: sum.trig + c.trig,
            compare: sum.compare + c.compare,
            other: sum.other + c.other,
        });
    counts.retain(|(_, c)| c.total() > 0);
    counts.push(("evaluation".into(), step));
    counts
}

fn for_programs(row: &Row) -> Value {
    let counts = |c: &Counts| {
        json!({
            "mul": c.mul, "add": c.add, "div": c.div, "sqrt": c.sqrt, "trig": c.trig,
            "compare": c.compare, "other": c.other, "total": c.total(),
        })
    };
    let stages = row.stages.as_ref().ok().map(|stages| {
        stages.iter().map(|(name, c)| (name.clone(), counts(c))).collect::<serde_json::Map<_, _>>()
    });
    json!({
        "formalism": row.formalism.name(),
        "question": row.question,
        "stages": stages,
        "reason": row.stages.as_ref().err(),
    })
}
