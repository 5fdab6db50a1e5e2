//! Tables of what joints are meant to keep: limits, stops, rotor inertias.

use cardan_expr::Expr;
use cardan_expr::print::{Layout, Names};
use cardan_model::{Limit, Model};

use crate::document::{Block, Cell};
use crate::tidy::tidy;

/// The tables, with a line before each; none where there is nothing to tell.
pub(crate) fn tables(model: &Model) -> Vec<Block> {
    let pool = model.space.pool();
    let shown = |e: Option<Expr>| match e {
        Some(e) => Cell::Formula(tidy(Layout::of(pool, e, &Names::default()))),
        None => Cell::Words(String::new()),
    };
    let limit = |l: &Limit| {
        let stop = match &l.stop {
            Some(stop) => format!("stopped by {}", stop.name),
            None => "watched, not enforced".to_owned(),
        };
        let name = model.coordinates[l.coordinate].quantity.name.clone();
        vec![Cell::Symbol(name), shown(l.lower), shown(l.upper), shown(l.speed), Cell::Words(stop)]
    };
    let rotors = model.rotors.iter().map(|r| vec![Cell::Words(r.name.clone()), shown(Some(r.inertia))]);
    let mut blocks = vec![];
    let mut push = |title: &str, heads: &[&str], rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            blocks.push(Block::Heading(title.into()));
            blocks.push(Block::Table(heads.iter().map(|h| (*h).to_owned()).collect(), rows));
        }
    };
    let limits: Vec<Vec<Cell>> = model.limits.iter().map(limit).collect();
    push("Limits", &["coordinate", "lower", "upper", "largest speed", "meaning"], limits);
    push("Rotor inertias", &["rotor", "inertia"], rotors.collect());
    blocks
}
