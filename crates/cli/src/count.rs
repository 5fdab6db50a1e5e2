//! `cardan count`: operations by formalism, question and stage.

mod solver;

use cardan::compile::formalism_selection::not_worth_it;
use cardan::compile::{choose, closed_form};
use cardan::equations::lagrange::{PartialCounts, Partials, partial_counts};
use cardan::equations::{Formalism, derive, inverse, mass_matrix};
use cardan::lower::{
    self, LowerError, ModelProgram, counts_per_step, inverse_program, mass_program, simulation_program_with,
    state_jacobian, structured_jacobian,
};
use cardan::model::Model;
use cardan::program::{Counts, Program, count};
use serde_json::{Value, json};

use crate::arguments::Count;
use crate::exit::{Outcome, Problem};
use crate::load::{Loaded, load_set};
use crate::terminal::{Terminal, columns};

/// The counts of one question by one formalism.
struct Row {
    /// The name of a formalism, `structure` for derivatives that follow the tree, `closed` for loops in closed form.
    way: &'static str,
    question: &'static str,
    /// Per stage, or why there are none.
    stages: Result<Vec<(String, Counts)>, String>,
}

pub fn run(terminal: &Terminal, arguments: &Count) -> Result<Outcome, Problem> {
    let Count { one, set, solver } = arguments;
    let Loaded { model, sources, .. } = load_set(terminal, &one.file, &one.reading, set)?;
    // On a copy, as the questions: what is known beforehand would lower their counts.
    terminal.diagnostics(&cardan::sim::examine(&model), &sources);
    if *solver {
        return solver::run(terminal, &model);
    }
    let mut rows = Vec::new();
    for formalism in Formalism::ALL {
        rows.extend(questions(&model, formalism));
    }
    let structured = structured_jacobian(&model, &[], false);
    rows.push(Row {
        way: "structure",
        question: "derivatives",
        stages: structured.map(|(j, _)| by_stage(&j.program)).map_err(|e| e.to_string()),
    });
    // The closed form that a run would look at, of the formalism that it would choose.
    if let Ok(choice) = choose(&model, None)
        && let Ok(Some(found)) = closed_form(&choice)
    {
        let stages = Ok(by_stage(&found.program.motion));
        rows.push(Row { way: "closed", question: "forward dynamics", stages });
    }
    let partials = partial_counts(&model);
    if terminal.json {
        let rows: Vec<Value> = rows.iter().map(for_programs).collect();
        let partials = partials.as_ref().ok().map(|found| {
            let pair = |p: &Partials| json!({ "formed": p.formed, "full": p.full });
            json!({
                "rates": pair(&found.rates), "coordinates": pair(&found.coordinates),
                "mixed": pair(&found.mixed), "first_order": pair(&found.first_order()),
            })
        });
        terminal
            .print_json(&json!({ "ok": true, "model": model.name, "counts": rows, "partials": partials }));
        return Ok(Outcome::Done);
    }
    let heads =
        ["question", "formalism", "stage", "mul", "add", "div", "sqrt", "trig", "compare", "other", "total"];
    let mut table: Vec<Vec<String>> = vec![heads.map(String::from).to_vec()];
    for row in &rows {
        let mut head = vec![row.question.to_string(), row.way.to_string()];
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
    let mut text = format!("{}{}", columns(&table, &[3, 4, 5, 6, 7, 8, 9, 10]), terminal.dim(note));
    if let Ok(found) = partials {
        text += &terminal.dim(&in_words(&found));
    }
    terminal.print(&text);
    Ok(Outcome::Done)
}

/// The partials of Lagrange's equations.
fn in_words(found: &PartialCounts) -> String {
    let pair = |p: &Partials| format!("{} of {}", p.formed, p.full);
    format!(
        "Partials of velocities that `lagrange` forms: {} by rates, {} by coordinates, {} by both.\n",
        pair(&found.rates),
        pair(&found.coordinates),
        pair(&found.mixed)
    )
}

/// Each question on a copy of the model, so that none borrows intermediate results of another.
fn questions(model: &Model, formalism: Formalism) -> Vec<Row> {
    let ask = |question: &'static str, answer: &dyn Fn(&Model) -> Result<Program, String>| Row {
        way: formalism.name(),
        question,
        stages: answer(&model.clone()).map(|program| by_stage(&program)),
    };
    if let Some(reason) = not_worth_it(model, formalism, true) {
        return vec![ask("forward dynamics", &|_| Err(reason.clone()))];
    }
    let lowered = |p: Result<ModelProgram, LowerError>| p.map(|p| p.program).map_err(|e| e.to_string());
    let bare =
        lower::SimulationOptions { works: false, pictures: false, ..lower::SimulationOptions::default() };
    let simulation = |m: &Model| {
        let equations = derive(m, formalism).map_err(|f| f.message(m))?;
        simulation_program_with(m, &equations, &bare).map_err(|e| e.to_string())
    };
    let mut rows = vec![
        ask("forward dynamics", &|m| Ok(simulation(m)?.program)),
        ask("derivatives", &|m| Ok(state_jacobian(&simulation(m)?).map_err(|e| e.to_string())?.program)),
    ];
    // Articulated bodies answer these two as the recursive formalism does.
    if formalism != Formalism::Articulated {
        rows.push(ask("inverse dynamics", &|m| {
            lowered(inverse_program(m, &inverse(m, formalism).map_err(|f| f.message(m))?))
        }));
        rows.push(ask("mass matrix", &|m| {
            lowered(mass_program(m, &mass_matrix(m, formalism).map_err(|f| f.message(m))?, None))
        }));
    }
    rows
}

/// Stages that have operations; what only results need is left out.
fn by_stage(program: &Program) -> Vec<(String, Counts)> {
    let stages = program.stages().iter().filter(|(_, s)| s.name != "report");
    let mut counts: Vec<(String, Counts)> =
        stages.map(|(id, s)| (s.name.clone(), count(program, id.into()))).collect();
    let step = counts_per_step(program);
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
        "formalism": row.way,
        "question": row.question,
        "stages": stages,
        "reason": row.stages.as_ref().err(),
    })
}
