//! The tables of symbols: name, meaning, unit, value; and how far coordinates may go.

use cardan_expr::Expr;
use cardan_expr::print::{Layout, Names};
use cardan_model::{Model, Parameter, Quantity};

use crate::chapters::hybrid::{external, with_unit};
use crate::default_descriptions;
use crate::default_descriptions::{shown_unit, unit};
use crate::document::{Cell, Formula, Section};
use crate::number_format::{rounded, tidy};

/// A value as it stands in a table.
pub(crate) fn shown(model: &Model, e: Expr) -> Cell {
    let layout = Layout::of(model.space.pool(), e, &Names::default());
    Cell::Formula(Formula::Scalar(rounded(tidy(layout))))
}

pub(crate) fn section(model: &Model) -> Section {
    let mut section = Section::new("Symbols");
    section.text(
        "Numbers are in SI units here and in all formulas; those with many digits are rounded to seven.",
    );
    let cells = |q: &Quantity, unit: String, value: Option<Expr>, else_means: String| {
        let meaning = if q.description.is_empty() { else_means } else { q.description.clone() };
        vec![
            Cell::Symbol(q.name.clone()),
            Cell::Words(meaning),
            Cell::Words(unit),
            value.map_or(Cell::Words("to be given".into()), |e| shown(model, e)),
        ]
    };
    // Columns of results may have another unit than formulas.
    let row = |q: &Quantity, value: Option<Expr>, else_means: String| {
        let (own, results) = (unit(&q.dimension), shown_unit(q));
        let both = if own == results { own } else { format!("{own}, in results {results}") };
        cells(q, both, value, else_means)
    };
    let mut table = |title: &str, value: &str, rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            section.heading(title);
            section.table(["symbol", "meaning", "unit", value], rows);
        }
    };
    let given = |p: &Parameter| cells(&p.quantity, unit(&p.quantity.dimension), p.default, String::new());
    let parameters = model.parameters.iter().filter(|(_, p)| !p.is_input());
    table("Parameters", "default", parameters.map(|(_, p)| given(p)).collect());
    table("Inputs", "default", model.inputs().map(|(_, p)| given(p)).collect());
    let coordinates = model
        .coordinates
        .iter()
        .map(|(_, q)| row(&q.quantity, Some(q.start), default_descriptions::coordinate(model, q)));
    table("Coordinates", "start", coordinates.collect());
    let speeds = model
        .speeds
        .iter()
        .map(|(_, u)| row(&u.quantity, Some(u.start), default_descriptions::speed(model, u)));
    table("Speeds", "start", speeds.collect());
    let states = model.states.iter().map(|(_, s)| row(&s.quantity, Some(s.start), String::new()));
    table("Auxiliary states", "start", states.collect());
    let discretes =
        model.hybrid.discretes.iter().map(|(_, d)| row(&d.quantity, Some(d.start), String::new()));
    table("Discrete states", "start", discretes.collect());
    let tables = model.tables.iter().map(|(_, t)| {
        let arguments: Vec<String> = t.arguments.iter().map(|(name, d)| with_unit(name, d)).collect();
        vec![
            Cell::Symbol(t.name.clone()),
            Cell::Words(t.description.clone()),
            Cell::Words(unit(&t.dimension)),
            Cell::Words(arguments.join(", ")),
        ]
    });
    table("Tables", "of", tables.collect());
    let externals = model.hybrid.externals.iter().map(|(_, e)| external(e));
    table("Functions that are written elsewhere", "of", externals.collect());
    limits(model, &mut section);
    section
}

/// How far, how fast and how hard joints may go.
fn limits(model: &Model, section: &mut Section) {
    if model.limits.is_empty() {
        return;
    }
    let cell = |e: Option<Expr>| e.map_or(Cell::Words(String::new()), |e| shown(model, e));
    let rows = model.limits.iter().map(|l| {
        let name = Cell::Symbol(model.coordinates[l.coordinate].quantity.name.clone());
        let meaning = match &l.stop {
            Some(stop) => format!("stopped by {}", stop.name),
            None => "watched, not enforced".to_owned(),
        };
        vec![name, cell(l.lower), cell(l.upper), cell(l.speed), cell(l.effort), Cell::Words(meaning)]
    });
    let rows = rows.collect();
    section.heading("Limits");
    section.table(["coordinate", "from", "to", "largest speed", "largest effort", "meaning"], rows);
}
