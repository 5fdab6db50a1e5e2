//! The native text of everything that was declared, statement by statement, with the commands that each comes from.

use cardan_base::{Diagnostic, Span};
use cardan_units::Dimension;

use crate::native::{Native, Place as Origin};
use crate::autosim::algebra::nearest_function;
use crate::autosim::codes;
use crate::autosim::reader::infix::Expr;
use crate::autosim::scene::{Axis, Body, Item, Orient, Place, Role, Scene, native};

const AXES: [&str; 3] = ["x", "y", "z"];

/// A string of the native language.
pub(super) fn quoted(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A description after a blank; nothing if there is none.
fn described(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {}", quoted(text)) }
}

impl Scene {
    /// Writes the whole text. `routines` are texts in the native language, with their places.
    pub fn write_all(&mut self, name: &str, routines: &[(String, Span)]) -> Native {
        let top = Span::new(self.file, 0, 0);
        let mut out = Native { text: String::new(), places: vec![], alike: vec![] };
        out.push(&format!("model {}{}", native(name), described(&self.title)), top);
        out.text.push('\n');
        self.write_parameters(&mut out);
        let items = std::mem::take(&mut self.items);
        self.write_states(&items, &mut out);
        let mut last = None;
        for (item, span) in &items {
            let kind = std::mem::discriminant(item);
            if last.is_some_and(|l| l != kind) {
                out.text.push('\n');
            }
            last = Some(kind);
            if let Some(statement) = self.statement(item) {
                out.push(&statement, *span);
            }
        }
        self.items = items;
        for (text, span) in routines {
            out.text.push('\n');
            let start = out.text.len();
            out.text.push_str(text);
            out.places.push(Origin { start, end: out.text.len(), span: *span, exact: true });
            if !text.ends_with('\n') {
                out.text.push('\n');
            }
        }
        self.write_start(&mut out, top);
        self.complain(top);
        out
    }

    fn write_parameters(&mut self, out: &mut Native) {
        let mut symbols: Vec<(String, crate::autosim::scene::Symbol)> =
            self.symbols.iter().map(|(n, s)| (n.clone(), s.clone())).collect();
        symbols.sort_by_key(|(_, s)| s.order);
        let mut any = false;
        for (name, symbol) in symbols {
            let external = symbol.role == Role::External;
            if self.routines.contains_key(&name) || !(symbol.role == Role::Parameter || external) {
                continue;
            }
            let dimension = symbol.dimension.unwrap_or(Dimension::ONE);
            let unit = symbol.unit.clone().unwrap_or_else(|| dimension.to_string());
            let bracket = if unit == "1" { String::new() } else { format!(" [{unit}]") };
            let value = match &symbol.default {
                Some(e) => {
                    let text = self.plain(e);
                    let is_number = e.number().is_some_and(|n| n >= 0.0);
                    let text = if is_number || bracket.is_empty() { text } else { format!("({text})") };
                    format!(" = {text}{bracket}")
                }
                None if external => format!(" = 0{bracket}"),
                None => bracket,
            };
            out.push(
                &format!("parameter {}{value}{}", native(&name), described(&symbol.description)),
                symbol.span,
            );
            if symbol.small {
                out.push(&format!("small {}", native(&name)), symbol.span);
            }
            any = true;
        }
        if any {
            out.text.push('\n');
        }
    }

    fn write_states(&mut self, items: &[(Item, Span)], out: &mut Native) {
        let states: Vec<(String, crate::autosim::scene::Symbol)> = self
            .symbols
            .iter()
            .filter(|(_, s)| s.role == Role::State)
            .map(|(n, s)| (n.clone(), s.clone()))
            .collect();
        for (name, symbol) in states {
            let rate =
                self.symbols.iter().find(|(_, s)| s.role == Role::Rate(name.clone())).map(|(n, _)| n.clone());
            let has = |i: &Item| matches!(i, Item::Equation { name, .. } if Some(name) == rate.as_ref());
            if !items.iter().any(|(i, _)| has(i)) {
                let rate = rate.unwrap_or_default().to_lowercase();
                let message = format!("the rate of `{}` has no equation", name.to_lowercase());
                self.refuse(
                    codes::MISSING,
                    message,
                    symbol.span,
                    format!("write `(add-equation difeqn {rate} \"…\")`"),
                );
            }
            let dimension = symbol.dimension.unwrap_or(Dimension::ONE);
            let value = match &symbol.default {
                Some(e) => self.given(e, symbol.unit.as_deref(), dimension),
                None => format!("0 [{}]", symbol.unit.clone().unwrap_or_else(|| dimension.to_string())),
            };
            out.push(
                &format!("state {} = {value}{}", native(&name), described(&symbol.description)),
                symbol.span,
            );
            if symbol.small {
                out.push(&format!("small {}", native(&name)), symbol.span);
            }
        }
    }

    fn statement(&mut self, item: &Item) -> Option<String> {
        Some(match item {
            Item::Body(b) => self.body_statement(b),
            Item::Point { name, description, body, coordinates } => {
                let c = self.tuple(coordinates);
                format!("point {name} on {body} = {c}{}", described(description))
            }
            Item::Load { name, description, is_force, on, from, direction, magnitude } => {
                let end = |scene: &mut Scene, e: &Expr| {
                    let words = match &e.term {
                        crate::autosim::reader::infix::Term::Name(n) => n.clone(),
                        _ => String::new(),
                    };
                    if *is_force { scene.find_point(&words).unwrap_or_default() } else { native(&words) }
                };
                let on = end(self, on);
                let from = from.as_ref().map_or(String::new(), |f| format!(" from {}", end(self, f)));
                let (word, dimension) =
                    if *is_force { ("force", Dimension::FORCE) } else { ("torque", Dimension::TORQUE) };
                let magnitude = self.factor(magnitude, Some(dimension));
                let direction = self.factor(direction, None);
                format!("{word} {name}{} on {on}{from} = {magnitude} * {direction}", described(description))
            }
            Item::Gravity { direction, magnitude } => {
                let magnitude = self.factor(magnitude, Some(Dimension::ACCELERATION));
                let direction = self.factor(direction, None);
                format!("gravity = {magnitude} * {direction}")
            }
            Item::Equation { name, value } => {
                let symbol = self.symbols.get(name).cloned()?;
                match &symbol.role {
                    Role::Rate(state) => {
                        let dimension =
                            self.symbols.get(state).and_then(|s| s.dimension).unwrap_or(Dimension::ONE);
                        let value = self.text(value, dimension / Dimension::TIME);
                        format!("der({}) = {value}", native(state))
                    }
                    _ => {
                        let value = self.text(value, symbol.dimension.unwrap_or(Dimension::ONE));
                        let (name, about) = (native(name), described(&symbol.description));
                        // A factor of one carries the smallness that the value itself does not have.
                        match symbol.small {
                            true => format!(
                                "parameter {name}_small = 1\nsmall {name}_small\nvariable {name} = {name}_small * ({value}){about}"
                            ),
                            false => format!("variable {name} = {value}{about}"),
                        }
                    }
                }
            }
            Item::Constraint { name, description, value, .. } => {
                format!("constraint {name} = {}{}", self.plain(value), described(description))
            }
            Item::Output { name, description, unit, value } => {
                let wanted = unit.as_deref().and_then(|u| cardan_units::Unit::parse(u).ok());
                let value = match wanted {
                    Some(u) => self.text(value, u.dimension()),
                    None => self.plain(value),
                };
                let unit = unit.as_ref().map_or(String::new(), |u| format!(" in [{u}]"));
                format!("output {name} = {value}{unit}{}", described(description))
            }
            Item::Linearize => "linearize { at = start }".into(),
        })
    }

    /// Three components, or a vector.
    fn tuple(&mut self, Place(parts): &Place) -> String {
        let texts: Vec<String> = parts.iter().map(|e| self.text(e, Dimension::LENGTH)).collect();
        if texts.len() == 1 { texts.concat() } else { format!("({})", texts.join(", ")) }
    }

    /// A direction after `translate` or in `axes`.
    fn axis(&mut self, axis: &Axis) -> String {
        match axis {
            Axis::Index(k, negative) => format!("{}{}", if *negative { "-" } else { "" }, AXES[*k]),
            Axis::Components(c) => {
                let parts: Vec<String> = c.iter().map(|e| self.plain(e)).collect();
                format!("({})", parts.join(", "))
            }
            Axis::Vector(v) => self.plain(v),
        }
    }

    fn body_statement(&mut self, b: &Body) -> String {
        let massless = b.is_massless();
        let word = if massless { "frame" } else { "body" };
        let mut text = format!("{word} {}{} on {}", b.name, described(&b.description), b.parent);
        let joint = self.joint(b);
        if !joint.is_empty() {
            text += &format!(" by {joint}");
        }
        if !b.joint.is_zero() {
            text += &format!(" at {}", self.tuple(&b.joint));
        }
        if massless {
            return text;
        }
        let mass = self.text(&b.mass, Dimension::MASS);
        let entries = if b.is_diagonal() { &b.inertia[..3] } else { &b.inertia[..] };
        let inertia: Vec<String> = entries.iter().map(|e| self.text(e, Dimension::INERTIA)).collect();
        text += &format!(" {{\n  mass = {mass}; inertia = ({})", inertia.join(", "));
        if !b.center.is_zero() {
            text += &format!("; center = {}", self.tuple(&b.center));
        }
        text + "\n}"
    }

    /// The calls after `by`.
    fn joint(&mut self, b: &Body) -> String {
        let n = b.translate.len();
        let orient = self.orient(b);
        let sequence: String = b.rotate.iter().map(|k| AXES[*k]).collect();
        let straight = |k: usize| matches!(b.translate.get(k), Some(Axis::Index(i, false)) if *i == k);
        if n == 3 && b.rotate.len() == 3 && (0..3).all(straight) && b.orient.is_none() {
            return format!("free(rotate = {sequence}{})", self.names(b.first, 6));
        }
        let mut calls = vec![];
        if n > 0 {
            let axes: Vec<String> = b.translate.iter().map(|a| self.axis(a)).collect();
            calls.push(format!("translate({}{})", axes.join(", "), self.names(b.first, n)));
        }
        match b.rotate.as_slice() {
            [] if b.orient.is_some() => {
                calls.push(format!("fixed({})", orient.trim_start_matches(", ").replace("orient", "angles")));
            }
            [] => {}
            [k] => calls.push(format!("revolute({}{}{orient})", AXES[*k], self.names(b.first + n, 1))),
            _ => calls.push(format!("spherical(rotate = {sequence}{}{orient})", self.names(b.first + n, 3))),
        }
        calls.join(" ")
    }

    /// How the joint is turned first: an argument with a comma before it, or nothing.
    fn orient(&mut self, b: &Body) -> String {
        match &b.orient {
            None => String::new(),
            Some(Orient::Degrees(angles)) => {
                let list: Vec<String> = angles.iter().map(f64::to_string).collect();
                format!(", orient = ({}) [deg]", list.join(", "))
            }
            Some(Orient::Axes(k, along, i, towards)) => {
                let (along, towards) = (self.signless(along), self.signless(towards));
                format!(", orient = axes({} = {along}, {} = {towards})", AXES[*k], AXES[*i])
            }
        }
    }

    /// A direction as an axis or components, for a sign needs components.
    fn signless(&mut self, axis: &Axis) -> String {
        match axis {
            Axis::Index(k, true) => {
                let list: Vec<&str> = (0..3).map(|i| if i == *k { "-1" } else { "0" }).collect();
                format!("({})", list.join(", "))
            }
            other => self.axis(other),
        }
    }

    /// Names and smallness of coordinates and speeds.
    fn names(&self, first: usize, n: usize) -> String {
        let list = |letter: &str| {
            let names: Vec<String> = (first..first + n).map(|k| format!("{letter}{}", k + 1)).collect();
            if n == 1 { names.concat() } else { format!("({})", names.join(", ")) }
        };
        let small: Vec<bool> = self.coordinates[first..first + n].iter().map(|c| c.small).collect();
        let smallness = match (small.iter().all(|s| *s), small.iter().any(|s| *s)) {
            (true, _) => ", small".to_string(),
            (false, true) => {
                let orders: Vec<&str> = small.iter().map(|s| if *s { "1" } else { "0" }).collect();
                format!(", small = ({})", orders.join(", "))
            }
            _ => String::new(),
        };
        format!(", q = {}, speed = {}{smallness}", list("q"), list("u"))
    }

    fn write_start(&mut self, out: &mut Native, top: Span) {
        out.text.push('\n');
        let coordinates = self.coordinates.clone();
        // Under constraints the values are where the search for a position begins, unless the text says what follows from each of them.
        let found = |which: usize| {
            self.items
                .iter()
                .any(|(item, _)| matches!(item, Item::Constraint { resolved, .. } if !resolved[which]))
        };
        let searched = [found(0), found(1)];
        let mut starts = vec![];
        for (k, c) in coordinates.iter().enumerate() {
            let speed = c.dimension / Dimension::TIME;
            for (which, letter, dimension) in [(0, "q", c.dimension), (1, "u", speed)] {
                let about = &c.of[which];
                let sign = if searched[which] || about.follows { "~" } else { "=" };
                let name = format!("{letter}{}", k + 1);
                if let Some(e) = &about.start {
                    let text = self.given(e, about.unit.as_deref(), dimension);
                    starts.push((format!("{name} {sign} {text}"), e.span));
                }
                let unit = about.unit.as_ref().map_or(String::new(), |unit| format!(" in [{unit}]"));
                if !unit.is_empty() || !about.description.is_empty() {
                    let statement = format!("show {name}{unit}{}", described(&about.description));
                    out.push(&statement, about.span.unwrap_or(top));
                }
            }
        }
        if let Some((_, span)) = starts.first() {
            let list: Vec<&str> = starts.iter().map(|(t, _)| t.as_str()).collect();
            let statement = format!("start {{\n  {}\n}}", list.join("\n  "));
            out.push(&statement, *span);
        }
        self.write_run(out, top);
    }

    /// A value in the unit in which it is given, or in the SI's.
    fn given(&mut self, e: &Expr, unit: Option<&str>, dimension: Dimension) -> String {
        match unit {
            Some(unit) if e.number().is_some_and(|n| n >= 0.0) => format!("{} [{unit}]", self.plain(e)),
            Some(unit) => format!("({}) [{unit}]", self.plain(e)),
            None => self.text(e, dimension),
        }
    }

    fn write_run(&mut self, out: &mut Native, top: Span) {
        let (settings, units) = (self.settings.clone(), self.setting_units.clone());
        let unit = |name: &str| units.get(name).map(String::as_str);
        let Some(stop) = settings.get("STOPT") else {
            if let Some((name, value)) = settings.first_key_value() {
                let message = format!("`{}` has no effect without `stopt`", name.to_lowercase());
                let d = Diagnostic::warning(codes::LEFT_OUT, message).at(value.span, "");
                self.findings.push(d.hint("write when the run ends: `(set-defaults stopt 10)`"));
            }
            return;
        };
        let mut parts = vec![format!("to = {}", self.given(stop, unit("STOPT"), Dimension::TIME))];
        if let Some(start) = settings.get("STARTT") {
            parts.push(format!("from = {}", self.given(start, unit("STARTT"), Dimension::TIME)));
        }
        if let Some(step) = settings.get("STEP") {
            let step = match unit("STEP") {
                Some(unit) => format!("({}) [{unit}]", self.plain(step)),
                None => self.factor(step, Some(Dimension::TIME)),
            };
            let times =
                settings.get("IPRINT").map_or(String::new(), |n| format!("{} * ", self.factor(n, None)));
            parts.push(format!("every = {times}{step}"));
        }
        out.push(&format!("simulate {{ {} }}", parts.join(", ")), top);
    }

    /// Says which routines nothing provides.
    fn complain(&mut self, top: Span) {
        for (name, results, span) in self.subroutines.clone() {
            let is_open = |r: &&String| {
                self.symbols.get(*r).is_some_and(|s| s.role == Role::External)
                    && !self.routines.contains_key(*r)
            };
            let open: Vec<String> = results.iter().filter(is_open).map(|r| r.to_lowercase()).collect();
            if let Some(first) = open.first() {
                let message = format!("nothing says what the subroutine `{}` computes", name.to_lowercase());
                let d = Diagnostic::warning(codes::ROUTINE, message).at(span, "");
                let d = d.because(format!("{} stay at their default values, 0 unless set", open.join(", ")));
                self.findings.push(d.hint(format!(
                    "write `variable {first} = …` in a text beside this one, and `(load \"routines.mbs\")` here"
                )));
            }
        }
        for (name, (n, span)) in self.missing.clone() {
            let message = format!("nothing says what the function `{}` computes", name.to_lowercase());
            let d = Diagnostic::warning(codes::ROUTINE, message).at(span, "taken as 0");
            let letters: Vec<&str> = ["a", "b", "c", "d", "e", "f"].into_iter().take(n).collect();
            let head = format!("{}({})", name.to_lowercase(), letters.join(", "));
            let d = match nearest_function(&name) {
                Some(near) => d.hint(format!("write `{near}` if that is meant")),
                None => d,
            };
            self.findings.push(d.hint(format!(
                "write `function {head} = …` in a text beside this one, and `(load \"routines.mbs\")` here"
            )));
        }
        if self.bodies.len() == 1 && self.findings.is_empty() {
            self.refuse(
                codes::MISSING,
                "this text has no bodies",
                top,
                "write `(add-body b :translate (1 2 3))`",
            );
        }
    }
}
