//! Every command but `add-body`.

use cardan_base::{Diagnostic, Diagnostics, Span};
use cardan_units::{Dimension, Unit};

use super::codes;
use super::command::{Command, Word};
use super::infix::{self, Expr, Term};
use super::lisp::{Form, FormKind};
use super::scene::{Item, Role, SETTINGS, Scene, native};

/// Types of Fortran that variables may have.
const TYPES: [&str; 6] = ["REAL", "REAL*8", "DOUBLE", "DOUBLE-PRECISION", "INTEGER", "LOGICAL"];

impl Scene {
    /// Carries a command out; nothing if it is wrong, which has been said.
    pub fn carry_out(&mut self, command: &Command<'_>) -> Option<()> {
        match command.word.name {
            "ADD-BODY" => self.add_body(command),
            "ADD-POINT" => self.add_point(command),
            "ADD-LINE-FORCE" | "ADD-MOMENT" | "ADD-STRUT" => self.add_load(command),
            "ADD-GRAVITY" => self.add_gravity(command),
            "ADD-VARIABLES" => self.add_variables(command),
            "ADD-SUBROUTINE" => self.add_subroutine(command),
            "ADD-EQUATION" | "SETSYM" => self.add_equation(command),
            "ADD-STATE-VARIABLE" => self.add_state(command),
            "ADD-POSITION-CONSTRAINT" | "ADD-SPEED-CONSTRAINT" => self.add_constraint(command),
            "ADD-OUT" => self.add_out(command),
            "SET-DEFAULTS" | "SET-NAMES" | "SET-UNITS" => self.set(command),
            "SMALL" => self.small(command),
            "LINEAR" => {
                self.items.push((Item::Linearize, command.span));
                Some(())
            }
            "WRITE-SIM" | "WRITE-TO-FILE" => {
                let message = format!("`{}` writes nothing by itself", command.word.name.to_lowercase());
                let d = Diagnostic::note(codes::LEFT_OUT, message).at(command.span, "");
                let d =
                    d.because("a text alone never writes files; `cardan run` needs no program in between");
                let file =
                    if self.path.contains(' ') { format!("'{}'", self.path) } else { self.path.clone() };
                self.findings.push(d.hint(format!(
                    "`cardan emit {file} --target fortran77 --program --out program` writes the program"
                )));
                Some(())
            }
            _ => Some(()),
        }
    }

    /// A positional argument as an expression.
    fn argument(&mut self, command: &Command<'_>, k: usize) -> Option<Expr> {
        match command.positional.get(k) {
            Some(form) => infix::expression(form, &mut self.findings),
            None => {
                self.incomplete(command);
                None
            }
        }
    }

    fn incomplete(&mut self, command: &Command<'_>) {
        let message = format!("`{}` needs more", command.word.name.to_lowercase());
        self.refuse(codes::MISSING, message, command.span, format!("write `{}`", command.word.example));
    }

    fn add_point(&mut self, command: &Command<'_>) -> Option<()> {
        let (name, span) = command.subject(self)?;
        let form = command.need("body", self)?;
        let body = self.body(form.symbol().unwrap_or(""), form.span)?;
        let coordinates = command.need("coordinates", self)?;
        let coordinates = self.place(coordinates)?;
        if self.declare(&name, span) {
            self.points.insert(name.clone(), native(&name));
            let description = command.words("name", self);
            let item = Item::Point { name: native(&name), description, body: native(&body), coordinates };
            self.items.push((item, command.span));
        }
        Some(())
    }

    /// The point that a keyword names.
    fn point_of(&mut self, form: &Form) -> Option<Expr> {
        let name = form.symbol().unwrap_or("");
        self.point(name, form.span)?;
        Some(Expr::name(name, form.span))
    }

    fn add_load(&mut self, command: &Command<'_>) -> Option<()> {
        let (name, span) = command.subject(self)?;
        let is_force = command.word.name != "ADD-MOMENT";
        let keywords = if is_force { ["point1", "point2"] } else { ["body1", "body2"] };
        let mut ends = vec![];
        for (k, keyword) in keywords.into_iter().enumerate() {
            let form = if k == 0 { Some(command.need(keyword, self)?) } else { command.get(keyword) };
            let Some(form) = form else { continue };
            ends.push(if is_force {
                self.point_of(form)?
            } else {
                let body = self.body(form.symbol().unwrap_or(""), form.span)?;
                Expr::name(body, form.span)
            });
        }
        let mut magnitude = command.need_expression("magnitude", self)?;
        let mut ends = ends.into_iter();
        let (on, from) = (ends.next()?, ends.next());
        let direction = if command.word.name == "ADD-STRUT" {
            let Some(from) = from.clone() else {
                command.need("point2", self)?;
                return None;
            };
            let both = vec![on.clone(), from];
            let reach = Expr::call("POS", both.clone(), span);
            let direction = Expr::call("DIR", vec![reach.clone()], span);
            let length = Expr::call("MAG", vec![reach], span);
            let rate = Expr::call("DOT", vec![Expr::call("VEL", both, span), direction.clone()], span);
            magnitude = magnitude.rewrite(&mut |e| match &e.term {
                Term::Name(n) if n == "X" => Some(length.clone()),
                Term::Name(n) if n == "V" => Some(rate.clone()),
                _ => None,
            });
            direction
        } else {
            command.need_expression("direction", self)?
        };
        if self.declare(&name, span) {
            let description = command.words("name", self);
            let item =
                Item::Load { name: native(&name), description, is_force, on, from, direction, magnitude };
            self.items.push((item, command.span));
        }
        Some(())
    }

    fn add_gravity(&mut self, command: &Command<'_>) -> Option<()> {
        let direction = match command.get("direction") {
            Some(form) => infix::expression(form, &mut self.findings)?,
            None => Expr::new(Term::Direction("N3".into()), command.span),
        };
        if let (Some(magnitude), Some(_)) = (command.get("magnitude"), command.get("gees")) {
            let message = "gravity has a magnitude and a number of gees";
            self.refuse(codes::VALUE, message, magnitude.span, "leave out `:magnitude` or `:gees`");
            return None;
        }
        let standard = || Expr::new(Term::Number("9.80665".into()), command.span);
        let magnitude = match (command.get("magnitude"), command.get("gees")) {
            (Some(form), _) => infix::expression(form, &mut self.findings)?,
            (None, Some(form)) => {
                let gees = infix::expression(form, &mut self.findings)?;
                Expr::new(Term::Product(vec![(false, standard()), (false, gees)]), command.span)
            }
            (None, None) => standard(),
        };
        self.items.push((Item::Gravity { direction, magnitude }, command.span));
        Some(())
    }

    /// `(add-variables difeqn real x y)`: where and of which type is for the program that is not written.
    fn add_variables(&mut self, command: &Command<'_>) -> Option<()> {
        if let Some(form) =
            command.positional.get(1).filter(|f| !f.symbol().is_some_and(|s| TYPES.contains(&s)))
        {
            let help = format!("write where and of which type before the names: `{}`", command.word.example);
            self.refuse(codes::VALUE, "this is not a type", form.span, help);
            return None;
        }
        for form in command.positional.iter().skip(2) {
            let Some(name) = form.symbol() else {
                self.refuse(
                    codes::VALUE,
                    "a variable is a symbol",
                    form.span,
                    format!("write `{}`", command.word.example),
                );
                continue;
            };
            if self.declare(name, form.span) {
                self.symbol(name, form.span).role = Role::External;
            }
        }
        if command.positional.len() < 3 {
            self.incomplete(command);
        }
        Some(())
    }

    fn add_subroutine(&mut self, command: &Command<'_>) -> Option<()> {
        let [_, name, arguments] = command.positional.as_slice() else {
            self.incomplete(command);
            return None;
        };
        let (Some(name), FormKind::List(arguments)) = (name.symbol(), &arguments.kind) else {
            self.incomplete(command);
            return None;
        };
        let results = arguments.iter().filter_map(|f| f.symbol().map(str::to_string)).collect();
        self.subroutines.push((name.to_string(), results, command.span));
        Some(())
    }

    fn add_equation(&mut self, command: &Command<'_>) -> Option<()> {
        let is_equation = command.word.name == "ADD-EQUATION";
        let k = usize::from(is_equation);
        let Some(form) = command.positional.get(k) else {
            self.incomplete(command);
            return None;
        };
        let Some(name) = form.symbol().map(str::to_string) else {
            self.refuse(
                codes::VALUE,
                "an equation gives a symbol its value",
                form.span,
                format!("write `{}`", command.word.example),
            );
            return None;
        };
        if name == "*MULTIBODY-SYSTEM-NAME*" {
            let Some(title) = command.positional.get(k + 1) else {
                self.incomplete(command);
                return None;
            };
            self.title = self.words(title);
            return Some(());
        }
        if name.starts_with('*') {
            // A switch of the program that wrote programs.
            return Some(());
        }
        let value = self.argument(command, k + 1)?;
        let span = form.span;
        let given = self.items.iter().any(|(i, _)| matches!(i, Item::Equation { name: n, .. } if *n == name));
        let declared = self.symbols.get(&name).map(|s| s.role.clone());
        match declared {
            _ if given => {
                self.refuse(
                    codes::DUPLICATE,
                    format!("`{name}` has two equations"),
                    span,
                    "remove one of them",
                );
                return None;
            }
            Some(Role::Rate(_)) => {}
            Some(Role::External) => self.symbol(&name, span).role = Role::Variable,
            _ => {
                if !self.declare(&name, span) {
                    return None;
                }
                self.symbol(&name, span).role = Role::Variable;
            }
        }
        self.items.push((Item::Equation { name, value }, command.span));
        Some(())
    }

    /// `(add-state-variable x xd "m")`
    fn add_state(&mut self, command: &Command<'_>) -> Option<()> {
        let (name, span) = command.subject(self)?;
        let Some(rate) = command.positional.get(1).and_then(|f| f.symbol()).map(str::to_string) else {
            self.incomplete(command);
            return None;
        };
        let dimension = match command.positional.get(2).map(|f| (f.words().unwrap_or(""), f.span)) {
            Some((text, place)) => Some(self.unit(text, place)?.dimension()),
            None => None,
        };
        let description = command.words("name", self);
        if self.declare(&name, span) && self.declare(&rate, span) {
            let symbol = self.symbol(&name, span);
            (symbol.role, symbol.description) = (Role::State, description);
            symbol.dimension = dimension;
            self.symbol(&rate, span).role = Role::Rate(name);
        }
        Some(())
    }

    fn add_constraint(&mut self, command: &Command<'_>) -> Option<()> {
        let value = self.argument(command, 0)?;
        let n = self.items.iter().filter(|(i, _)| matches!(i, Item::Constraint { .. })).count();
        self.items.push((Item::Constraint { name: format!("constraint{}", n + 1), value }, command.span));
        Some(())
    }

    fn add_out(&mut self, command: &Command<'_>) -> Option<()> {
        let value = self.argument(command, 0)?;
        let Some(name) = command.positional.get(1).and_then(|f| f.words()) else {
            self.incomplete(command);
            return None;
        };
        let (name, place) = (native(name), command.positional[1].span);
        let unit = match command.get("units") {
            Some(form) => Some(self.unit(form.words().unwrap_or(""), form.span)?.text().to_string()),
            None => None,
        };
        if self.declare(&name, place) {
            let description = command.words("long-name", self);
            self.items.push((Item::Output { name, description, unit, value }, command.span));
        }
        Some(())
    }

    /// `(set-defaults a 1 b 2)` and its kin; pairs may stand in lists of their own.
    fn set(&mut self, command: &Command<'_>) -> Option<()> {
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
            if what == "SET-DEFAULTS" {
                let value = infix::expression(value, &mut self.findings)?;
                self.settings.insert(name.to_string(), value);
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

    /// The number of a coordinate, from zero, for `q(1)` and `u(1)`.
    fn indexed(&mut self, name: &str, index: &[Form], span: Span) -> Option<usize> {
        let number = match index {
            [Form { kind: FormKind::Number(n), .. }] => n.parse::<usize>().ok(),
            _ => None,
        };
        let n = self.coordinates.len();
        match number.filter(|k| matches!(name, "Q" | "U") && (1..=n).contains(k)) {
            Some(k) => Some(k - 1),
            None => {
                let message = "there is no such coordinate";
                self.refuse(
                    codes::UNKNOWN_NAME,
                    message,
                    span,
                    format!("coordinates go from q(1) to q({n})"),
                );
                None
            }
        }
    }

    fn small(&mut self, command: &Command<'_>) -> Option<()> {
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
    fn unit(&mut self, text: &str, span: Span) -> Option<Unit> {
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

/// The unit of a dimension, as a factor in brackets.
pub(super) fn bracket(dimension: Dimension) -> String {
    format!("[{dimension}]")
}
