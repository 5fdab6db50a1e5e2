//! The table of symbols: name, meaning, unit, value.

use cardan_expr::Expr;
use cardan_expr::print::{Layout, Names};
use cardan_model::{Model, Quantity};

use crate::bounds;
use crate::document::{Block, Cell, Section};
use crate::meaning::{self, unit};
use crate::tidy::tidy;

pub(crate) fn section(model: &Model) -> Section {
    let mut section = Section::new("Symbols");
    let pool = model.space.pool();
    let shown = |e: Expr| Cell::Formula(tidy(Layout::of(pool, e, &Names::default())));
    section.text("Numbers are in SI units here and in all formulas.");
    let row = |q: &Quantity, value: Option<Expr>, else_means: String| {
        let meaning = if q.description.is_empty() { else_means } else { q.description.clone() };
        vec![
            Cell::Symbol(q.name.clone()),
            Cell::Words(meaning),
            Cell::Words(unit(&q.dimension)),
            value.map_or(Cell::Words("to be given".into()), shown),
        ]
    };
    let mut table = |title: &str, value: &str, rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            section.heading(title);
            let heads = ["symbol", "meaning", "unit", value].map(String::from).to_vec();
            section.blocks.push(Block::Table(heads, rows));
        }
    };
    let parameters = model.parameters.iter().map(|(_, p)| row(&p.quantity, p.default, String::new()));
    table("Parameters", "default (SI)", parameters.collect());
    let coordinates =
        model.coordinates.iter().map(|(_, q)| row(&q.quantity, Some(q.start), meaning::coordinate(model, q)));
    table("Coordinates", "start (SI)", coordinates.collect());
    let speeds = model.speeds.iter().map(|(_, u)| row(&u.quantity, Some(u.start), meaning::speed(model, u)));
    table("Speeds", "start (SI)", speeds.collect());
    let states = model.states.iter().map(|(_, s)| row(&s.quantity, Some(s.start), String::new()));
    table("Auxiliary states", "start (SI)", states.collect());
    let discretes =
        model.hybrid.discretes.iter().map(|(_, d)| row(&d.quantity, Some(d.start), String::new()));
    table("Discrete states", "start (SI)", discretes.collect());
    section.blocks.extend(bounds::tables(model));
    section
}
