//! `show B.q4 in [deg] "roll of the bus"`: the unit and the words with which results show what they hold anyway.
//!
//! Coordinates, speeds and states are columns of results without being asked for, and so are energies and works. Everything else is an output, which
//! says its unit itself.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_expr::Expr;
use cardan_syntax::{self as syntax, ExprKind, Path, Shown, UnitText};
use cardan_units::{Dimension, Unit};

use crate::codes;
use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::names::scope::{ItemId, ItemKind, Status, noun};
use crate::types::value::{Scalar, Value};

/// A column of results.
struct Held {
    name: String,
    /// Its value.
    scalar: Scalar,
}

impl<'t> Resolver<'t> {
    /// `show PATH in [unit] "words"`
    pub fn show(&mut self, shown: &'t Shown) -> Option<()> {
        let span = shown.target.span;
        let held = self.held(&shown.target)?;
        if let Some(first) = self.shown.get(&held.name) {
            let d = Diagnostic::error(codes::DUPLICATE, format!("`{}` is shown in two ways", held.name));
            let d = d.at(span, "here again").also(*first, "first here");
            self.report(d.hint("remove one of them"));
            return None;
        }
        self.shown.insert(held.name.clone(), span);
        let unit = match &shown.display {
            Some(text) => {
                let unit = self.unit_to_show(text, held.scalar.dimension, span)?;
                self.cycles_in_unit(&held.scalar, span, &unit, text.span);
                Some(unit)
            }
            None => None,
        };
        let words = shown.description.as_ref().map(|t| t.text.as_str());
        if !self.builder.show(&held.name, unit.as_ref().map(Unit::text), words) {
            self.no_column(&shown.target, "this is in no column of results");
        }
        Some(())
    }

    /// The unit in which a quantity of this dimension is to be shown, if it has that dimension.
    pub fn unit_to_show(&mut self, text: &UnitText, found: Dimension, span: Span) -> Option<Unit> {
        let unit = self.unit(text)?;
        if unit.dimension().compatible(&found) {
            return Some(unit);
        }
        let message = match crate::types::dimension::noun(&found) {
            Some(noun) => format!("{noun} cannot be shown in [{}]", unit.text()),
            None => format!("this cannot be shown in [{}]", unit.text()),
        };
        let d = Diagnostic::error(codes::DIMENSION, message).at(text.span, "");
        self.report(d.also(span, format!("[{found}]")).hint(format!("write `in [{found}]`")));
        None
    }

    /// The column that a name or a rate stands for, or a finding.
    fn held(&mut self, target: &'t syntax::Expr) -> Option<Held> {
        let (path, rate) = match &target.kind {
            ExprKind::Name(path) => (path, false),
            ExprKind::Call(call) if call.function.is("der") && call.arguments.len() == 1 => {
                match &call.arguments[0].value.kind {
                    ExprKind::Name(path) => (path, true),
                    _ => return self.no_column(target, "results hold no column of this rate"),
                }
            }
            _ => return self.no_column(target, "results hold no column of this expression"),
        };
        let found = self.names.find_path(self.root, path).filter(|(_, n)| *n == path.segments.len());
        match found {
            Some((item, _)) => self.held_item(item, rate, target),
            None => self.held_energy(path, rate),
        }
    }

    /// The column of something that the text names.
    fn held_item(&mut self, item: ItemId, rate: bool, target: &'t syntax::Expr) -> Option<Held> {
        self.settle([item]);
        let kind = self.names.items[item].kind;
        let value = match self.names.items[item].status.clone() {
            Status::Done(Value::Scalar(s)) => s,
            // What failed has been told.
            Status::Failed | Status::Pending => return None,
            _ => return self.no_column(target, &format!("results hold no column of {}", noun(&kind))),
        };
        match (kind, rate) {
            (ItemKind::Coordinate(b, k), rate) => match (*self.built[b].get(k)?, rate) {
                (BuiltCoordinate::Free(id), false) => {
                    let name = self.builder.model().coordinates[id].quantity.name.clone();
                    Some(Held { name, scalar: value })
                }
                (BuiltCoordinate::Free(id), true) => {
                    let expr = self.builder.model().coordinates[id].rate;
                    let dimension = value.dimension / Dimension::TIME;
                    self.held_speed(Scalar::new(expr, dimension, false), target)
                }
                (BuiltCoordinate::Locked(id), false) => {
                    let name = self.builder.model().parameters[id].quantity.name.clone();
                    Some(Held { name, scalar: value })
                }
                _ => {
                    self.no_column(target, "this coordinate is prescribed, and results hold no column of it")
                }
            },
            (ItemKind::JointSpeed(..) | ItemKind::Speed(_), false) => self.held_speed(value, target),
            (ItemKind::State(_) | ItemKind::Discrete(_), false) => {
                Some(Held { name: self.names.items[item].name.clone(), scalar: value })
            }
            (ItemKind::Time, false) => {
                let help = "write the step of the samples in any unit: `simulate { every = 1 [h] }`";
                self.error(codes::SHOWN, "time is shown in seconds", target.span, help);
                None
            }
            (kind, _) => self.no_column(target, &format!("results hold no column of {}", noun(&kind))),
        }
    }

    /// The column of a speed of the model; others follow from these.
    fn held_speed(&mut self, speed: Scalar, target: &'t syntax::Expr) -> Option<Held> {
        let speeds = &self.builder.model().speeds;
        let own =
            |expr: Expr| speeds.iter().find(|(_, u)| u.symbol == expr).map(|(_, u)| u.quantity.name.clone());
        match own(speed.expr) {
            Some(name) => Some(Held { name, scalar: speed }),
            None => {
                self.no_column(target, "this speed follows from others, and results hold no column of it")
            }
        }
    }

    /// The column of an energy or a work.
    fn held_energy(&mut self, path: &'t Path, rate: bool) -> Option<Held> {
        let name = self.text(path.span);
        let energies = self.builder.model().energies();
        if !rate && energies.contains(&name) {
            let scalar = Scalar::new(self.pool().zero(), Dimension::ENERGY, false);
            return Some(Held { name, scalar });
        }
        if let Some(output) = self.output_names.get(&name) {
            let d =
                Diagnostic::error(codes::SHOWN, format!("the output `{name}` says itself how it is shown"));
            let d = d.at(path.span, "").also(*output, "here");
            self.report(d.hint(format!("write the unit and the words there: `output {name} = … in [unit]`")));
            return None;
        }
        let first = path.segments.first().map_or("", |s| s.name.text.as_str());
        if matches!(first, "energy" | "work") && self.names.find(self.root, first).is_none() {
            let message = format!("results hold no `{name}`");
            let help = match nearest(&name, energies.iter().map(String::as_str)) {
                Some(near) => format!("write `{near}`"),
                None => format!("energies and works are {}", energies.join(", ")),
            };
            self.error(codes::SHOWN, message, path.span, help);
            return None;
        }
        match self.names.find(self.root, first) {
            None => self.unknown(self.root, path, "name a coordinate, a speed or a state", &[]),
            // What stands before the dot exists; its members are listed by the usual complaint.
            Some(_) => {
                let value = self.path(path, &Env::default());
                if value.is_some() {
                    self.error(codes::SHOWN, "results hold no column of this", path.span, AS_OUTPUT);
                }
            }
        }
        None
    }

    /// Refuses what results do not hold by themselves.
    fn no_column(&mut self, target: &'t syntax::Expr, message: &str) -> Option<Held> {
        let help = match self.text(target.span) {
            text if text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
                format!("make it an output: `output {text} in [unit]`")
            }
            text => format!("make it an output: `output x = {text} in [unit]`"),
        };
        self.error(codes::SHOWN, message, target.span, help);
        None
    }
}

/// What to write where results hold no column.
const AS_OUTPUT: &str = "make it an output: `output x = … in [unit]`";
