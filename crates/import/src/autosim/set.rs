//! What is said of symbols, coordinates and the run after they are there: values, names, units, smallness.

use cardan_base::{Diagnostics, Span};
use cardan_units::{Dimension, Unit};

use crate::autosim::codes;
use crate::autosim::command::{Command, Word};
use crate::autosim::reader::infix::{self, Expr, Term};
use crate::autosim::reader::lisp::{Form, FormKind};
use crate::autosim::scene::{SETTINGS, Scene};

impl Scene {
    /// `(set-defaults a 1 b 2)` and its kin; pairs may stand in lists of their own.
    pub fn set(&mut self, command: &Command<'_>) -> Option<()> {
        let mut forms: Vec<&Form> = vec![];
        for form in &command.positional {
            match &form.kind {
                FormKind::List(pair) if forms.len().is_multiple_of(2) => forms.extend(pair),
                _ => forms.push(form),
            }
        }
        if let (1, Some(last)) = (forms.len() % 2, forms.last()) {
            let message =
                format!("`{}` takes pairs, and this one is alone", command.word.name.to_lowercase());
            self.refuse(codes::MISSING, message, last.span, format!("write `{}`", command.word.example));
            return None;
        }
        if forms.is_empty() {
            self.incomplete(command);
            return None;
        }
        for pair in forms.chunks(2) {
            self.set_one(command.word, pair[0], pair[1], false);
        }
        Some(())
    }

    /// Carries out what was said of coordinates before their bodies were there.
    pub fn carry_out_later(&mut self) {
        for (word, target, value) in std::mem::take(&mut self.later) {
            match value {
                Some(value) => {
                    let _ = self.set_one(word, &target, &value, true);
                }
                None => self.small_one(&target, word, true),
            }
        }
    }

    /// Whether a coordinate may still come.
    fn is_ahead(&self, name: &str, index: &[Form]) -> bool {
        let number = match index {
            [Form { kind: FormKind::Number(n), .. }] => n.parse::<usize>().ok(),
            _ => None,
        };
        matches!(name, "Q" | "U") && number.is_some_and(|k| k > self.coordinates.len())
    }

    fn set_one(&mut self, word: &'static Word, target: &Form, value: &Form, last: bool) -> Option<()> {
        let what = word.name;
        let state = match &target.kind {
            FormKind::Indexed(name, index) => Some((name.clone(), index.clone())),
            FormKind::Text(_) => match infix::expression(target, &mut Diagnostics::new()).map(|e| e.term) {
                Some(Term::Call(name, index)) => {
                    let number = |e: &Expr| match &e.term {
                        Term::Number(n) => {
                            Some(Form { kind: FormKind::Number(n.clone()), span: target.span })
                        }
                        _ => None,
                    };
                    Some((name, index.iter().map(number).collect::<Option<_>>().unwrap_or_default()))
                }
                _ => None,
            },
            _ => None,
        };
        if let Some((name, index)) = state {
            if !last && self.is_ahead(&name, &index) {
                self.later.push((word, target.clone(), Some(value.clone())));
                return Some(());
            }
            let k = self.indexed(&name, &index, target.span)?;
            let which = usize::from(name != "Q");
            match what {
                "SET-DEFAULTS" => {
                    self.coordinates[k].of[which].start = Some(infix::expression(value, &mut self.findings)?);
                }
                "SET-NAMES" => {
                    let description = self.words(value);
                    let about = &mut self.coordinates[k].of[which];
                    (about.description, about.span) = (description, Some(value.span));
                }
                _ => {
                    let unit = self.unit(value.words().unwrap_or(""), value.span)?;
                    let length = self.coordinates[k].dimension;
                    let own = if which == 0 { length } else { length / Dimension::TIME };
                    if !unit.dimension().compatible(&own) {
                        let message = format!("[{}] is no unit of what has [{own}]", unit.text());
                        let help = format!("write a unit such as \"{own}\"");
                        self.refuse(codes::VALUE, message, value.span, help);
                        return None;
                    }
                    let about = &mut self.coordinates[k].of[which];
                    (about.unit, about.span) = (Some(unit.text().to_string()), Some(value.span));
                }
            }
            return Some(());
        }
        let Some(name) = target.symbol() else {
            self.refuse(
                codes::VALUE,
                "this is not a symbol",
                target.span,
                format!("write `{}`", word.example),
            );
            return None;
        };
        if SETTINGS.contains(&name) {
            match what {
                "SET-DEFAULTS" => {
                    let value = infix::expression(value, &mut self.findings)?;
                    self.settings.insert(name.to_string(), value);
                }
                "SET-UNITS" => self.set_setting_unit(name, value)?,
                _ => {}
            }
            return Some(());
        }
        match what {
            "SET-DEFAULTS" => {
                let value = infix::expression(value, &mut self.findings)?;
                self.symbol(name, target.span).default = Some(value);
            }
            "SET-NAMES" => {
                self.symbol(name, target.span).description = self.words(value);
            }
            _ => {
                let unit = self.unit(value.words().unwrap_or(""), value.span)?;
                let symbol = self.symbol(name, target.span);
                symbol.dimension = Some(unit.dimension());
                symbol.unit = Some(unit.text().to_string());
            }
        }
        Some(())
    }

    /// The unit in which a time of the run is given.
    fn set_setting_unit(&mut self, name: &str, value: &Form) -> Option<()> {
        let unit = self.unit(value.words().unwrap_or(""), value.span)?;
        let own = if name == "IPRINT" { Dimension::ONE } else { Dimension::TIME };
        if unit.dimension() != own {
            let message = format!("[{}] is no unit of what has [{own}]", unit.text());
            self.refuse(codes::VALUE, message, value.span, format!("write a unit such as \"{own}\""));
            return None;
        }
        self.setting_units.insert(name.to_string(), unit.text().to_string());
        Some(())
    }

    /// Refuses `q(k)` or `u(k)` beyond the coordinates there are.
    pub fn no_such_coordinate(&mut self, span: Span) {
        let range = format!("coordinates go from q(1) to q({})", self.coordinates.len());
        self.refuse(codes::UNKNOWN_NAME, "there is no such coordinate", span, range);
    }

    /// The number of a coordinate, from zero, for `q(1)` and `u(1)`.
    pub fn indexed(&mut self, name: &str, index: &[Form], span: Span) -> Option<usize> {
        let number = match index {
            [Form { kind: FormKind::Number(n), .. }] => n.parse::<usize>().ok(),
            _ => None,
        };
        let n = self.coordinates.len();
        match number.filter(|k| matches!(name, "Q" | "U") && (1..=n).contains(k)) {
            Some(k) => Some(k - 1),
            None => {
                self.no_such_coordinate(span);
                None
            }
        }
    }

    pub fn small(&mut self, command: &Command<'_>) -> Option<()> {
        if command.positional.is_empty() {
            self.incomplete(command);
        }
        command.positional.iter().for_each(|form| self.small_one(form, command.word, false));
        Some(())
    }

    fn small_one(&mut self, form: &Form, word: &'static Word, last: bool) {
        match (&form.kind, form.symbol()) {
            (FormKind::Indexed(name, index), _) if !last && self.is_ahead(name, index) => {
                self.later.push((word, form.clone(), None));
            }
            (FormKind::Indexed(name, index), _) => {
                if let Some(k) = self.indexed(name, index, form.span) {
                    self.coordinates[k].small = true;
                }
            }
            (_, Some(name)) => self.symbol(name, form.span).small = true,
            _ => {
                let message = "only a coordinate, a speed or a symbol can be small";
                self.refuse(codes::VALUE, message, form.span, "write `(small q(1) u(1) x)`");
            }
        }
    }

    /// A unit as AUTOSIM spells it: `N-m/rad`, `kg-m2`.
    pub fn unit(&mut self, text: &str, span: Span) -> Option<Unit> {
        let mut spelt = String::new();
        let mut last = ' ';
        for c in text.trim().chars() {
            match c {
                '-' => spelt.push('*'),
                c if c.is_ascii_digit() && last.is_ascii_alphabetic() => spelt.extend(['^', c]),
                c => spelt.push(c),
            }
            last = c;
        }
        let spelt = if spelt == "*" { "1".to_string() } else { spelt };
        match Unit::parse(&spelt) {
            Ok(unit) => Some(unit),
            Err(error) => {
                let message = format!("`{text}` is not a unit: {error}");
                self.refuse(codes::VALUE, message, span, "write units like \"N-m/rad\", \"kg-m2\", \"deg\"");
                None
            }
        }
    }
}
