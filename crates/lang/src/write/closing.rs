//! Constraints: joints between two points where the model remembers them, equations otherwise.
//!
//! A joint written as a joint gives the same rows again. Where an output looks at a single multiplier, the
//! rows are written one by one, and `NAME.multiplier` stands for it.

use std::fmt::Write as _;

use cardan_expr::{Expr, Pool};
use cardan_model::closing::Closing;
use cardan_model::{Constraint, Row};
use cardan_units::Dimension;

use super::Writer;
use super::names::described;

impl Writer<'_> {
    /// Words for constraints, and for their multipliers where they are written row by row.
    pub fn name_constraints(&mut self) {
        let model = self.model;
        let pool = model.space.pool();
        let outputs = model.outputs.iter().map(|o| o.value);
        let seen = pool.reachable(outputs.chain(model.variables.iter().map(|v| v.value)));
        for (_, c) in model.constraints.iter() {
            let is_asked = c.multipliers.iter().any(|m| seen.binary_search(m).is_ok());
            let whole = c.markers.is_some() && Closing::named(&c.kind).is_some() && !is_asked;
            let mut words = vec![];
            for (row, multiplier) in c.rows.iter().zip(&c.multipliers) {
                // A joint needs one word, and an equation none where it says nothing.
                let needless = if whole { !words.is_empty() } else { says_nothing(pool, row) };
                if needless {
                    continue;
                }
                let word = self.names.word(&c.name);
                if !whole {
                    let rate =
                        if row.position.is_some() { row.dimension / Dimension::TIME } else { row.dimension };
                    let dimension = (Dimension::POWER / rate).without_angle();
                    self.set_symbol(*multiplier, format!("{word}.multiplier"), dimension);
                }
                words.push(word);
            }
            self.constraints.push((whole, words));
        }
    }

    /// All constraints.
    pub fn all_constraints(&mut self) -> String {
        let named = std::mem::take(&mut self.constraints);
        let all = self.model.constraints.iter().zip(named);
        all.map(|((_, c), (whole, words))| if whole { self.closing(c, &words) } else { self.rows(c, &words) })
            .collect()
    }

    /// `joint NAME = KIND(P, Q, axis = z)`
    fn closing(&mut self, c: &Constraint, words: &[String]) -> String {
        let (Some(markers), Some(word)) = (&c.markers, words.first()) else { return String::new() };
        let [a, b] = &**markers;
        let points = format!("{}, {}", self.point(&a.point), self.point(&b.point));
        let axes = match Closing::named(&c.kind) {
            Some(Closing::Fixed | Closing::Spherical) => String::new(),
            kind => {
                // The axis of the second body of a universal joint is its marker's x.
                let other = if kind == Some(Closing::Universal) { b.axes[0] } else { b.axes[2] };
                let axis = self.axis(a.axes[2]);
                let second = match other == a.axes[2] {
                    true => String::new(),
                    false => format!(", second = {}", self.axis(other)),
                };
                format!(", axis = {axis}{second}")
            }
        };
        format!("joint {word} = {}({points}{axes}){}\n", c.kind, described(&c.description))
    }

    /// `constraint NAME = …` for each row that says something.
    fn rows(&mut self, c: &Constraint, words: &[String]) -> String {
        let mut out = String::new();
        let pool = self.model.space.pool();
        let rows = c.rows.iter().filter(|r| !says_nothing(pool, r));
        for (row, word) in rows.zip(words) {
            let value: Expr = row.position.unwrap_or(row.velocity);
            let value = self.scalar(value, row.dimension);
            let _ = writeln!(out, "constraint {word} = {value}{}", described(&row.what));
        }
        out
    }
}

/// Whether a row vanishes by itself.
fn says_nothing(pool: &Pool, row: &Row) -> bool {
    pool.is_zero(row.position.unwrap_or(row.velocity))
}
