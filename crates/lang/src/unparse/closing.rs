//! Constraints: joints between two points where the model remembers them, equations otherwise.
//!
//! A coupling of coordinates is found again from its equation, c_1 x_1 + … = f(t).
//!
//! A joint written as a joint gives the same rows again. Where an output looks at a single multiplier, a part of the joint's force
//! or torque stands for it; where none is perpendicular to the others, the rows are written one by one, with `NAME.multiplier`.

use std::fmt::Write as _;

use cardan_base::Map;
use cardan_expr::{Depends, Derivation, Expr, Pool};
use cardan_kinematics::rotation;
use cardan_model::closing::Closing;
use cardan_model::{Constraint, ConstraintId, ConstraintKind, Figure, Row};
use cardan_units::Dimension;

use crate::unparse::Writer;
use crate::unparse::names::described;
use crate::unparse::pairs::Form;

impl Writer<'_> {
    /// Words for constraints, and for their multipliers where they are written row by row.
    pub fn name_constraints(&mut self) {
        let model = self.model;
        let pool = model.space.pool();
        let outputs = model.outputs.iter().map(|o| o.value);
        let seen = pool.reachable(outputs.chain(model.variables.iter().map(|v| v.value)));
        for (id, c) in model.constraints.iter() {
            let is_asked = c.multipliers.iter().any(|m| seen.binary_search(m).is_ok());
            let mut form = self.form(c);
            let mut words = vec![];
            if !matches!(form, Form::Rows) && is_asked {
                let word = self.names.word(&c.name);
                match self.multipliers(c, &word) {
                    Some(texts) => {
                        for (multiplier, (text, dimension)) in c.multipliers.iter().zip(texts) {
                            self.set_symbol(*multiplier, text, dimension);
                        }
                        words.push(word);
                    }
                    // The direction of a curve or surface holds its slope, which no output can name either.
                    None if c.figure.as_ref().is_some_and(|f| !matches!(**f, Figure::Plane(..))) => {
                        words.push(word);
                    }
                    None => form = Form::Rows,
                }
            }
            let whole = !matches!(form, Form::Rows);
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
                    let is_drive = model.element_of_constraint(id).is_some();
                    let told = if is_drive || self.coupled(c).is_some() { "effort" } else { "multiplier" };
                    self.set_symbol(*multiplier, format!("{word}.{told}"), dimension);
                }
                words.push(word);
            }
            self.constraints.push((form, words));
        }
    }

    /// All constraints.
    pub fn all_constraints(&mut self) -> String {
        let named = std::mem::take(&mut self.constraints);
        let all = self.model.constraints.iter().zip(named);
        let text = |((id, c), (form, words)): ((ConstraintId, &Constraint), (Form, Vec<String>))| {
            let word = words.first().map_or("", String::as_str);
            match form {
                Form::Rows => match self.model.element_of_constraint(id) {
                    Some(motion) => self.motion(&self.model.elements[motion], word),
                    None => self.rows(c, &words),
                },
                Form::Closing => self.closing(c, &words),
                Form::Figure => {
                    c.figure.as_ref().map_or(String::new(), |figure| self.figure(c, word, figure))
                }
            }
        };
        all.map(text).collect()
    }

    /// `joint NAME = KIND(P, Q, axis = z)`
    fn closing(&mut self, c: &Constraint, words: &[String]) -> String {
        let (Some(markers), Some(word)) = (&c.markers, words.first()) else { return String::new() };
        let [a, b] = &**markers;
        let points = format!("{}, {}", self.point(&a.point), self.point(&b.point));
        let axes = match c.kind {
            ConstraintKind::Closing(Closing::Spherical) => String::new(),
            ConstraintKind::Closing(Closing::Fixed) => {
                let pool = self.model.space.pool();
                let turn = rotation::compose(pool, &rotation::transpose(&b.axes), &a.axes);
                match turn == rotation::identity(pool) {
                    true => String::new(),
                    false => format!(", angles = {}", self.angles(&turn)),
                }
            }
            kind => {
                // The axis of the second body of a universal joint is its marker's x.
                let other =
                    if kind == ConstraintKind::Closing(Closing::Universal) { b.axes[0] } else { b.axes[2] };
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

    /// Coordinates with their factors, and what their sum equals, of a coupling.
    fn coupled(&self, c: &Constraint) -> Option<(Vec<(Expr, Expr)>, Expr)> {
        let pool = self.model.space.pool();
        let [Row { position: Some(position), .. }] = c.rows.as_slice() else { return None };
        if !c.kind.is_coupling() {
            return None;
        }
        let position = pool.definition(*position).unwrap_or(*position);
        let all = self.model.coordinates.iter().map(|(_, q)| q.symbol);
        let terms: Vec<(Expr, Expr)> = all
            .map(|q| (Derivation::partial(pool, q).apply(pool, position), q))
            .filter(|(factor, _)| !pool.is_zero(*factor))
            .collect();
        // Linear as the position is, what is left where these coordinates vanish is the other side.
        let gone: Map<_, _> =
            terms.iter().filter_map(|(_, q)| Some((pool.as_symbol(*q)?, pool.zero()))).collect();
        let value = pool.neg(pool.substitute(position, &gone, &mut Map::default()));
        let moving = Depends::COORDINATES | Depends::SPEEDS | Depends::STATES | Depends::UNKNOWNS;
        let constant = terms.iter().all(|(f, _)| pool.is_constant(*f));
        (terms.len() >= 2 && constant && !pool.depends_on(value, moving)).then_some((terms, value))
    }

    /// `joint NAME = coupler(q1, q2, factors = (1, 3))`
    fn coupling(&mut self, c: &Constraint, word: &str) -> Option<String> {
        let (terms, value) = self.coupled(c)?;
        let pool = self.model.space.pool();
        let word_of =
            |q: Expr| pool.as_symbol(q).and_then(|s| self.symbols.get(&s)).map(|(text, _)| text.clone());
        let names: Vec<String> = terms.iter().map(|(_, q)| word_of(*q)).collect::<Option<_>>()?;
        let dimension = c.rows.first()?.dimension;
        let right = self.scalar(value, dimension);
        let about = described(&c.description);
        let own = |w: &Self, q: Expr| pool.as_symbol(q).and_then(|s| w.symbols.get(&s)).map(|(_, d)| *d);
        let mut factors = vec![];
        for (factor, q) in &terms {
            let wanted = dimension / own(self, *q)?;
            factors.push(self.scalar(*factor, wanted.without_angle()));
        }
        let value = if pool.is_zero(value) { String::new() } else { format!(", value = {right}") };
        let (names, factors) = (names.join(", "), factors.join(", "));
        Some(format!("joint {word} = coupler({names}, factors = ({factors}){value}){about}\n"))
    }

    /// `constraint NAME = …` for each row that says something.
    fn rows(&mut self, c: &Constraint, words: &[String]) -> String {
        if let Some(text) = words.first().and_then(|word| self.coupling(c, word)) {
            return text;
        }
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
