//! Every command that declares something, but `add-body`.

use cardan_base::Diagnostic;
use cardan_units::Dimension;

use crate::autosim::codes;
use crate::autosim::command::Command;
use crate::autosim::reader::infix::{self, Expr, Term};
use crate::autosim::reader::lisp::{Form, FormKind};
use crate::autosim::scene::{Item, Role, Scene, native};

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
            "RESET" => {
                self.reset();
                Some(())
            }
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

    pub fn incomplete(&mut self, command: &Command<'_>) {
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
            let message = format!("the switch `{}` has no effect", name.to_lowercase());
            let d = Diagnostic::note(codes::LEFT_OUT, message).at(form.span, "");
            let d = d.because("it belongs to the program that wrote programs");
            self.findings.push(d.hint("remove the command"));
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
        let unit = match command.positional.get(2).map(|f| (f.words().unwrap_or(""), f.span)) {
            Some((text, place)) => Some(self.unit(text, place)?),
            None => None,
        };
        let description = command.words("name", self);
        if self.declare(&name, span) && self.declare(&rate, span) {
            let symbol = self.symbol(&name, span);
            (symbol.role, symbol.description) = (Role::State, description);
            if let Some(unit) = unit {
                symbol.dimension = Some(unit.dimension());
                symbol.unit = Some(unit.text().to_string());
            }
            self.symbol(&rate, span).role = Role::Rate(name);
        }
        Some(())
    }

    fn add_constraint(&mut self, command: &Command<'_>) -> Option<()> {
        let value = self.argument(command, 0)?;
        let [of_position, of_speed] = [self.follows(command, "q")?, self.follows(command, "u")?];
        // A coordinate that follows from a constraint takes its speed along.
        let of_speed = of_speed.or(of_position);
        for (which, k) in [of_position, of_speed].into_iter().enumerate() {
            if let Some(k) = k {
                self.coordinates[k].of[which].follows = true;
            }
        }
        let position = command.word.name == "ADD-POSITION-CONSTRAINT";
        let n = self.items.iter().filter(|(i, _)| matches!(i, Item::Constraint { .. })).count();
        let item = Item::Constraint {
            name: format!("constraint{}", n + 1),
            description: command.words("name", self),
            value,
            resolved: [of_position.is_some() || !position, of_speed.is_some()],
        };
        self.items.push((item, command.span));
        Some(())
    }

    /// The number of the coordinate or speed for which a constraint is to be solved, if `:q q(3)` or `:u u(3)` names one.
    fn follows(&mut self, command: &Command<'_>, keyword: &str) -> Option<Option<usize>> {
        let Some(form) = command.get(keyword) else { return Some(None) };
        match &form.kind {
            FormKind::Indexed(name, index) if name.eq_ignore_ascii_case(keyword) => {
                self.indexed(name, index, form.span).map(Some)
            }
            _ => {
                let what = if keyword == "q" { "a coordinate" } else { "a speed" };
                let message = format!("`:{keyword}` names {what} that follows from the constraint");
                self.refuse(codes::VALUE, message, form.span, format!("write `:{keyword} {keyword}(1)`"));
                None
            }
        }
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
        let body = match command.get("body") {
            Some(form) => Some(self.body(form.symbol().unwrap_or(""), form.span)?),
            None => None,
        };
        if self.declare(&name, place) {
            let long = command.words("long-name", self);
            let general = command.words("gen-name", self);
            let description = match body.filter(|_| long.is_empty() && !general.is_empty()) {
                Some(body) => format!("{general} of {}", self.called(&body)),
                None if long.is_empty() => general,
                None => long,
            };
            self.items.push((Item::Output { name, description, unit, value }, command.span));
        }
        Some(())
    }

    /// What people call a body: its name, or else its symbol.
    fn called(&self, body: &str) -> String {
        let own = native(body);
        let mut names = self.items.iter().filter_map(|(item, _)| match item {
            Item::Body(b) if b.name == own && !b.description.is_empty() => Some(b.description.clone()),
            _ => None,
        });
        names.next().unwrap_or_else(|| body.to_string())
    }
}

/// The unit of a dimension, as a factor in brackets.
pub(super) fn bracket(dimension: Dimension) -> String {
    format!("[{dimension}]")
}
