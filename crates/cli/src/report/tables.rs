//! Tables of the page: what the motion started from and ended at, what an evaluation costs, what the integration took.

use cardan::program::Counts;
use cardan::sim::ColumnKind;
use cardan_viewer::Table;

use crate::run::{Story, event_log, reactions};
use crate::terminal::{exact_number, short_number};

/// All tables in the order of the page.
pub fn tables(story: &Story) -> Vec<Table> {
    let t = &story.trajectory;
    let made = [
        Some(parameters(story)),
        starts(story),
        Some(finals(story)),
        reactions::table(t, &story.reactions, story.not_unique()),
        event_log::table(&t.happenings),
        Some(operations(story)),
        Some(statistics(story)),
    ];
    made.into_iter().flatten().collect()
}

fn headings<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(String::from).to_vec()
}

fn parameters(story: &Story) -> Table {
    let model = story.compiled.model();
    let values = cardan::assembly::ParameterValues::of(model);
    let row = |p: &cardan::model::Parameter| {
        let value = values.evaluate(model, p.symbol);
        let q = &p.quantity;
        let input = p.is_input().then_some("input");
        let meaning = [input, Some(q.description.as_str())].into_iter().flatten().filter(|w| !w.is_empty());
        let meaning = meaning.collect::<Vec<_>>().join(": ");
        vec![q.name.clone(), exact_number(value), q.dimension.to_string(), meaning]
    };
    Table {
        title: "Parameters".into(),
        note: "In SI units.".into(),
        columns: headings(["name", "value", "unit", "meaning"]),
        rows: model.parameters.iter().map(|(_, p)| row(p)).collect(),
    }
}

/// Columns of some kinds in one row of the results.
fn values(story: &Story, row: &[f64], shown: impl Fn(ColumnKind) -> bool) -> Vec<Vec<String>> {
    let cells = story.trajectory.columns.iter().zip(row).filter(|(c, _)| shown(c.kind));
    cells
        .map(|(c, v)| vec![c.name.clone(), exact_number(v * c.scale), c.unit.clone(), c.description.clone()])
        .collect()
}

/// What the motion started from; loops are closed by then.
fn starts(story: &Story) -> Option<Table> {
    let first = story.trajectory.rows.iter().next()?;
    let shown = |kind| {
        matches!(kind, ColumnKind::Coordinate | ColumnKind::Speed | ColumnKind::State | ColumnKind::Discrete)
    };
    let rows = values(story, first, shown);
    (!rows.is_empty()).then(|| Table {
        title: "Start values".into(),
        note: format!("At t = {} s.", short_number(story.settings.from)),
        columns: headings(["name", "value", "unit", "meaning"]),
        rows,
    })
}

fn finals(story: &Story) -> Table {
    let last = story.trajectory.rows.iter().next_back();
    Table {
        title: "Final values".into(),
        note: format!("At t = {} s.", short_number(story.trajectory.reached)),
        columns: headings(["name", "value", "unit", "meaning"]),
        rows: last.map_or_else(Vec::new, |row| values(story, row, |_| true)),
    }
}

/// Operations by every formalism that was considered, and of the closed form of loops.
fn operations(story: &Story) -> Table {
    let choice = &story.compiled.choice;
    let cells = |way: &str, c: &Counts, remark: &str| {
        let numbers = [c.mul, c.add, c.div, c.sqrt, c.trig, c.compare, c.other, c.total()];
        let mut row = vec![way.to_string()];
        row.extend(numbers.map(|n| n.to_string()));
        row.push(remark.to_string());
        row
    };
    let mut rows: Vec<Vec<String>> = (choice.considered.iter())
        .map(|c| match &c.result {
            Ok(counts) if c.formalism == choice.equations.formalism => {
                cells(c.formalism.name(), counts, "taken")
            }
            Ok(counts) => cells(c.formalism.name(), counts, ""),
            Err(reason) => {
                let mut row = vec![String::new(); 10];
                (row[0], row[9]) = (c.formalism.name().into(), reason.clone());
                row
            }
        })
        .collect();
    rows.extend(story.compiled.closed.as_ref().map(|c| cells("closed form of the loops", &c.counts, "")));
    Table {
        title: "Operations".into(),
        note: "Of one evaluation of the state's derivative.".into(),
        columns: headings([
            "formalism",
            "mul",
            "add",
            "div",
            "sqrt",
            "trig",
            "compare",
            "other",
            "total",
            "remark",
        ]),
        rows,
    }
}

/// What the integration took. Times are left out: the page of a run is the same whenever it is made.
fn statistics(story: &Story) -> Table {
    let t = &story.trajectory;
    let s = &t.statistics;
    let rows = [
        ("samples", t.rows.len() as u64),
        ("steps accepted", s.accepted),
        ("steps rejected", s.rejected),
        ("evaluations of the derivative", s.evaluations),
        ("Jacobians", s.jacobians),
        ("factorisations", s.factorisations),
        ("Newton iterations", s.newton_iterations),
        ("evaluations of events", s.event_evaluations),
        ("projections onto constraints", s.projections),
    ];
    Table {
        title: "Statistics".into(),
        note: format!("Of the method {}.", story.settings.method),
        columns: headings(["what", "number"]),
        rows: rows.map(|(what, n)| vec![what.to_string(), n.to_string()]).to_vec(),
    }
}
