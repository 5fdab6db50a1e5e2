//! Units and words with which results show what they hold anyway.

use cardan_model::Quantity;

use crate::unparse::Writer;
use crate::unparse::names::described;

impl Writer<'_> {
    /// The `show` statements: coordinates, speeds, states of any kind, energies.
    pub fn shown(&mut self) -> String {
        let model = self.model;
        let word = |q: &Quantity| self.names.get(&q.name).map(str::to_string);
        let coordinates = model.coordinates.iter().map(|(_, q)| &q.quantity);
        let moving = coordinates.chain(model.speeds.iter().map(|(_, u)| &u.quantity));
        let mut lines: Vec<String> =
            moving.filter_map(|q| statement(&word(q)?, q, &described(&q.description))).collect();
        // States have their words where they are declared.
        let states = model.states.iter().map(|(_, s)| &s.quantity);
        let states = states.chain(model.hybrid.discretes.iter().map(|(_, d)| &d.quantity));
        lines.extend(states.filter_map(|q| statement(&word(q)?, q, "")));
        lines.extend(model.shown.iter().filter_map(|q| statement(&q.name, q, &described(&q.description))));
        if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join("\n")) }
    }
}

/// How a quantity is shown, if it is shown otherwise than by itself.
fn statement(word: &str, q: &Quantity, description: &str) -> Option<String> {
    let unit = q.display_unit.as_ref().filter(|unit| **unit != q.dimension.to_string());
    let unit = unit.map_or(String::new(), |unit| format!(" in [{unit}]"));
    (!unit.is_empty() || !description.is_empty()).then(|| format!("show {word}{unit}{description}"))
}
