//! Discrete states, events, sampled blocks and functions from elsewhere.
//!
//! The assignments of a block happen at once in the model and one after the other in a text. Where one of them would see what an
//! earlier one has changed, all new values are computed first, as variables of the block.

use std::fmt::Write as _;

use cardan_expr::Expr;
use cardan_model::{Event, External, Quantity, Target, Trigger};
use cardan_units::Dimension;

use crate::unparse::Writer;
use crate::unparse::names::{described, quoted};

impl Writer<'_> {
    /// Words for discrete states and functions from elsewhere.
    pub fn name_hybrid(&mut self) {
        let hybrid = &self.model.hybrid;
        for (_, d) in hybrid.discretes.iter() {
            let text = self.names.give(&d.quantity.name);
            self.set_symbol(d.symbol, text, d.quantity.dimension);
        }
        for (id, external) in hybrid.externals.iter() {
            let text = self.names.give(&external.name);
            self.externals.insert(id, text);
        }
    }

    /// The declarations of discrete states and functions from elsewhere.
    pub fn discretes(&mut self) -> String {
        let mut out = String::new();
        for (id, external) in self.model.hybrid.externals.iter() {
            let word = self.externals.get(&id).cloned().unwrap_or_default();
            out += &declaration(&word, external);
        }
        // Those of elements come with them.
        let events = self.model.hybrid.events.iter().filter(|(_, e)| e.of_element);
        let own: Vec<Target> = events.flat_map(|(_, e)| e.assignments.iter().map(|(t, _)| *t)).collect();
        let others =
            self.model.hybrid.discretes.iter().filter(|(id, _)| !own.contains(&Target::Discrete(*id)));
        for (_, d) in others {
            let q = &d.quantity;
            let word = self.names.get(&q.name).unwrap_or("").to_string();
            let unit = crate::unparse::parts::unit_suffix(q.dimension);
            let start = self.scalar(d.start, q.dimension);
            let _ = writeln!(out, "discrete {word}{unit} = {start}{}", described(&q.description));
        }
        out
    }

    /// The blocks, in the order in which they happen.
    pub fn events(&mut self) -> String {
        let events = self.model.hybrid.events.iter().filter(|(_, e)| !e.of_element);
        events.map(|(_, e)| self.event(e)).collect()
    }

    fn event(&mut self, event: &Event) -> String {
        let head = match &event.trigger {
            Trigger::When(condition) => format!("when {}", self.scalar(*condition, Dimension::ONE)),
            Trigger::Every { period, offset } => {
                let period = self.scalar(*period, Dimension::TIME);
                let from = match self.model.space.pool().is_zero(*offset) {
                    true => String::new(),
                    false => format!(" from {}", self.scalar(*offset, Dimension::TIME)),
                };
                format!("every {period}{from}")
            }
        };
        let model = self.model;
        let pool = model.space.pool();
        let targets: Vec<(Expr, &Quantity)> =
            event.assignments.iter().map(|(target, _)| symbol(model, *target)).collect();
        // Whether a later value sees what an earlier line has changed, directly or through a variable.
        let crossed = event.assignments.iter().enumerate().any(|(k, (_, value))| {
            let parts = pool.reachable([*value]);
            targets[..k].iter().any(|(s, _)| parts.binary_search(s).is_ok())
        });
        let mut lines = vec![];
        let mut last = vec![];
        for ((target, value), (_, quantity)) in event.assignments.iter().zip(&targets) {
            let word = self.names.get(&quantity.name).unwrap_or("").to_string();
            let text = self.scalar(*value, quantity.dimension);
            let how =
                if matches!(target, Target::Overwrite(_) | Target::Struck(_)) { "overwrite " } else { "" };
            if crossed {
                let local = self.names.word(&format!("new_{word}"));
                lines.push(format!("local {local} = {text}"));
                last.push(format!("{how}{word} := {local}"));
            } else {
                lines.push(format!("{how}{word} := {text}"));
            }
        }
        // Conditions of a stop are about the state before the block.
        for (k, (when, reason)) in event.stops.iter().enumerate() {
            let stop = format!("stop {}", quoted(reason));
            if pool.as_number(*when).is_some() {
                last.push(stop);
                continue;
            }
            let text = self.scalar(*when, Dimension::ONE);
            let local = self.names.word(&format!("stops_{}", k + 1));
            lines.insert(0, format!("local {local} = {text}"));
            last.push(format!("if {local} {{ {stop} }}"));
        }
        lines.extend(last);
        format!("{head} {} {{ {} }}\n", quoted(&event.name), lines.join("; "))
    }
}

/// The scalar that an assignment changes.
fn symbol(model: &cardan_model::Model, target: Target) -> (Expr, &Quantity) {
    match target {
        Target::Discrete(id) => (model.hybrid.discretes[id].symbol, &model.hybrid.discretes[id].quantity),
        Target::Coordinate(id) => (model.coordinates[id].symbol, &model.coordinates[id].quantity),
        Target::Speed(id) | Target::Overwrite(id) | Target::Struck(id) => {
            (model.speeds[id].symbol, &model.speeds[id].quantity)
        }
        Target::State(id) => (model.states[id].symbol, &model.states[id].quantity),
    }
}

/// A function from elsewhere takes and gives plain numbers; units stand around its calls.
fn declaration(word: &str, external: &External) -> String {
    let arguments: Vec<String> = (1..=external.arity()).map(|k| format!("a{k}")).collect();
    format!("external function {word}({}){}\n", arguments.join(", "), described(&external.description))
}
