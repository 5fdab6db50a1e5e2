//! Statements that happen in order, followed with letters instead of numbers.
//!
//! After a run of statements each changed quantity is one expression of what held before it: branches become `if … then …
//! else …`, loops are written out. So a block of an event is a list of assignments, and a procedure is a function.
//!
//! ```text
//! [insert]   x := f(x, y);  y := g(x, y)      y⁺ = g(f(x, y), y)
//! [branch]   if c { x := a } else { }         x⁺ = if c then a else x
//! [stop-statement]     if c { stop }                    the run ends after the block where c holds
//! ```

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, Map, Span};
use cardan_expr::{Expr, Function, Kind, SymbolId};
use cardan_kinematics::Vector;
use cardan_model::Target;
use cardan_syntax::{self as syntax, ExprKind, Statement, StatementKind};
use cardan_units::Dimension;

use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::names::scope::{ItemKind, Status};
use crate::types::value::{Arrow, Scalar, Value};
use crate::{codes, resource_limits};

/// Where statements stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In a procedure, which changes nothing outside.
    Procedure,
    /// In the braces of `when` or `every`.
    Event,
}

/// A local variable, an argument or a result.
#[derive(Clone)]
struct Local<'t> {
    name: &'t str,
    value: Value,
    /// The letter that stands for the value in expressions, so that what changes later does not change it.
    letter: Option<Expr>,
}

/// How a target is set.
#[derive(Clone, Copy, Default)]
struct Setting {
    /// `der(q) := …`
    is_rate: bool,
    /// `overwrite u := …`
    overwrites: bool,
}

/// What has happened so far.
#[derive(Clone)]
pub struct Progress<'t> {
    place: Place,
    env: Env<'t>,
    locals: Vec<Local<'t>>,
    /// What has changed: its letter and its new value.
    pub changed: BTreeMap<Target, (Expr, Expr)>,
    /// Where the run ends, and why. [stop-statement]
    pub stops: Vec<(Expr, Option<String>)>,
    /// Which locks have been closed.
    pub locking: Vec<usize>,
}

impl<'t> Progress<'t> {
    /// Nothing yet.
    pub fn new(place: Place, env: Env<'t>) -> Self {
        Progress { place, env, locals: vec![], changed: BTreeMap::new(), stops: vec![], locking: vec![] }
    }
    /// Adds a variable.
    pub fn declare(&mut self, name: &'t str, value: Value) {
        self.locals.push(Local { name, value, letter: None });
    }
    /// The value of a variable.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.locals.iter().rev().find(|l| l.name == name).map(|l| &l.value)
    }
    fn environment(&self) -> Env<'t> {
        let mut env = self.env.clone();
        for local in &self.locals {
            let value = match (local.letter, &local.value) {
                (Some(letter), Value::Scalar(s)) => Value::Scalar(Scalar { expr: letter, ..s.clone() }),
                (Some(letter), Value::Boolean(_)) => Value::Boolean(letter),
                (_, value) => value.clone(),
            };
            env.locals.push((local.name, value));
        }
        env
    }
}

impl<'t> Resolver<'t> {
    /// Follows statements one after the other.
    pub fn follow(&mut self, statements: &'t [Statement], progress: &mut Progress<'t>) -> Option<()> {
        let depth = progress.locals.len();
        let sound = self.follow_open(statements, progress);
        progress.locals.truncate(depth);
        sound
    }

    /// The same, and their local variables stay.
    pub fn follow_open(&mut self, statements: &'t [Statement], progress: &mut Progress<'t>) -> Option<()> {
        let mut sound = true;
        for statement in statements {
            sound &= self.follow_one(statement, progress).is_some();
        }
        sound.then_some(())
    }

    fn follow_one(&mut self, statement: &'t Statement, progress: &mut Progress<'t>) -> Option<()> {
        if self.steps < resource_limits::STEPS {
            self.steps = (self.steps + resource_limits::STATEMENT).min(resource_limits::STEPS - 1);
        }
        self.step(statement.span)?;
        match &statement.kind {
            StatementKind::Local(list) => {
                for d in list {
                    let value = self.local_value(d, progress)?;
                    let letter = self.letter(progress.place, &d.name.text, &value);
                    progress.locals.push(Local { name: &d.name.text, value, letter });
                }
                Some(())
            }
            StatementKind::Update(u) => {
                self.known_target(&u.target, progress)?;
                let value = self.now(&u.value, progress)?;
                let how = Setting { is_rate: u.is_rate, overwrites: u.overwrites };
                self.assign(&u.target, how, value, &u.value, progress)
            }
            StatementKind::Stop(stop) if progress.place == Place::Event => {
                let reason = stop.reason.as_ref().map(|t| t.text.clone());
                progress.stops.push((self.pool().one(), reason));
                Some(())
            }
            StatementKind::Lock(paths) | StatementKind::Release(paths) if progress.place == Place::Event => {
                let locks = matches!(statement.kind, StatementKind::Lock(_));
                let mut sound = true;
                for path in paths {
                    sound &= self.lock(path, locks, progress).is_some();
                }
                sound.then_some(())
            }
            StatementKind::Attach(a) if progress.place == Place::Event => self.attach(a, progress),
            StatementKind::Detach(d) if progress.place == Place::Event => self.detach(d, progress),
            StatementKind::Stop(_) => {
                let help = "write it into the braces of `when` or `every`";
                let message = "a procedure computes values and cannot end a run";
                self.error(codes::MISPLACED, message, statement.span, help);
                None
            }
            StatementKind::Several(s) => {
                let value = self.now(&s.value, progress)?;
                let parts = match value {
                    Value::Tuple(parts) if parts.len() == s.targets.len() => parts,
                    other => {
                        let found = match other {
                            Value::Tuple(parts) => format!("{} values", parts.len()),
                            other => other.kind().to_owned(),
                        };
                        let message =
                            format!("{} values are needed here, and this is {found}", s.targets.len());
                        self.error(
                            codes::KIND,
                            message,
                            s.value.span,
                            "call a procedure with as many results",
                        );
                        return None;
                    }
                };
                let mut sound = true;
                for (target, (value, _)) in s.targets.iter().zip(parts) {
                    sound &= self.assign(target, Setting::default(), value, &s.value, progress).is_some();
                }
                sound.then_some(())
            }
            StatementKind::If(branches) => self.follow_branches(branches, statement.span, progress),
            StatementKind::For(repeated) => self.follow_loop(repeated, progress),
            StatementKind::Return(_) => {
                let help = match progress.place {
                    Place::Procedure => {
                        "write it as the last line of the procedure, or assign to the result with `:=`"
                    }
                    Place::Event => "remove it: a block of an event gives nothing back",
                };
                self.error(
                    codes::PROCEDURE,
                    "`return` stands at the end of a procedure only",
                    statement.span,
                    help,
                );
                None
            }
            StatementKind::Assign(a) => {
                let (target, value) = (self.text(a.target.span), self.text(a.value.span));
                let message = "`=` gives no new value at an instant";
                let help = format!("write `{target} := {value}`");
                self.error(codes::MISPLACED, message, statement.span, help);
                None
            }
            StatementKind::Equation { left, right } => {
                let (target, value) = (self.text(left.span), self.text(right.span));
                let message = "`=` gives no new value at an instant";
                let help = format!("write `{target} := {value}`");
                self.error(codes::MISPLACED, message, statement.span, help);
                None
            }
            _ => {
                let help =
                    "inside stand `x := …`, `local`, `if … { }`, `for … { }`, `lock`, `release`, `stop`";
                self.error(codes::MISPLACED, "this statement means nothing here", statement.span, help);
                None
            }
        }
    }

    /// The value of an expression as things stand. [insert]
    pub fn now(&mut self, e: &'t syntax::Expr, progress: &Progress<'t>) -> Option<Value> {
        let value = self.evaluate(e, &progress.environment())?;
        Some(self.inserted(value, progress))
    }

    /// A number in terms of what held before the block. [insert]
    pub fn as_of_now(&self, e: Expr, progress: &Progress<'t>) -> Expr {
        match self.inserted(Value::quantity(e, Dimension::ONE), progress) {
            Value::Scalar(s) => s.expr,
            _ => e,
        }
    }

    fn inserted(&self, value: Value, progress: &Progress<'t>) -> Value {
        let pool = self.pool();
        if matches!(&value, Value::Scalar(s) if pool.depends(s.expr).is_constant()) {
            return value;
        }
        let mut with: Map<SymbolId, Expr> = Map::default();
        for (letter, new) in progress.changed.values() {
            with.extend(pool.as_symbol(*letter).map(|s| (s, *new)));
        }
        for local in &progress.locals {
            let (Some(letter), Value::Scalar(Scalar { expr, .. }) | Value::Boolean(expr)) =
                (local.letter, &local.value)
            else {
                continue;
            };
            with.extend(pool.as_symbol(letter).map(|s| (s, *expr)));
        }
        if with.is_empty() {
            return value;
        }
        let mut known = Map::default();
        let mut put = |e: Expr| pool.substitute(e, &with, &mut known);
        replaced(value, &mut put, &|terms| Vector::new(pool, terms))
    }

    /// A name for a long expression, so that what is built on it does not grow with it.
    fn short(&self, e: Expr) -> Expr {
        if self.pool().cost(e) > resource_limits::LONG { self.pool().define(e) } else { e }
    }

    /// A letter for a value that later changes must not reach.
    fn letter(&self, place: Place, name: &str, value: &Value) -> Option<Expr> {
        let (Value::Scalar(Scalar { expr, .. }) | Value::Boolean(expr)) = value else { return None };
        let fixed = place == Place::Procedure || self.pool().depends(*expr).is_constant();
        (!fixed).then(|| self.pool().symbol(name, Kind::State))
    }

    fn local_value(&mut self, d: &'t syntax::Declaration, progress: &Progress<'t>) -> Option<Value> {
        let unit = match &d.unit {
            Some(unit) => Some(self.unit(unit)?),
            None => None,
        };
        let Some(e) = &d.value else {
            let zero = self.pool().zero();
            return Some(match unit {
                Some(unit) => Value::quantity(zero, unit.dimension()),
                None => Value::Scalar(Scalar::new(zero, Dimension::ONE, true)),
            });
        };
        match (self.now(e, progress)?, unit) {
            (Value::Scalar(s), Some(unit)) if s.bare => {
                Some(Value::quantity(self.pool().mul(self.factor(unit.scale()), s.expr), unit.dimension()))
            }
            (Value::Scalar(s), Some(unit)) => {
                let expr = self.expect(&s, e, unit.dimension(), "this value", &progress.environment())?;
                Some(Value::quantity(expr, unit.dimension()))
            }
            (value @ (Value::Scalar(_) | Value::Boolean(_)), None) => Some(value),
            (other, _) => {
                self.wrong_kind(&other, e.span, "a number");
                None
            }
        }
    }

    /// `target := value`
    fn assign(
        &mut self,
        target: &'t syntax::Path,
        how: Setting,
        value: Value,
        e: &'t syntax::Expr,
        progress: &mut Progress<'t>,
    ) -> Option<()> {
        let own = target.as_name().filter(|_| !how.is_rate && !how.overwrites);
        let local = own.and_then(|n| progress.locals.iter().rposition(|l| l.name == n.text));
        if let Some(k) = local {
            let value = match (value, &progress.locals[k].value) {
                (Value::Scalar(new), Value::Scalar(old)) if old.bare => {
                    Value::Scalar(Scalar { expr: self.short(new.expr), ..new })
                }
                (Value::Scalar(new), Value::Scalar(old)) => {
                    let dimension = old.dimension;
                    let expr = self.expect(&new, e, dimension, "this value", &progress.environment())?;
                    Value::quantity(self.short(expr), dimension)
                }
                (value @ Value::Boolean(_), Value::Boolean(_)) => value,
                (value, old) => {
                    let needed = old.kind();
                    self.wrong_kind(&value, e.span, needed);
                    return None;
                }
            };
            let letter = self.letter(progress.place, progress.locals[k].name, &value);
            progress.locals[k] = Local { name: progress.locals[k].name, value, letter };
            return Some(());
        }
        if progress.place == Place::Procedure {
            let text = self.text(target.span);
            let d = Diagnostic::error(codes::TARGET, format!("`{text}` is neither a result nor local here"));
            let d = d.at(target.span, "").because("a procedure changes nothing outside its braces");
            let name = target.as_name().map_or("y", |n| n.text.as_str());
            self.report(d.hint(format!("write `local {name} = 0` before it, or give it as a result")));
            return None;
        }
        let span = target.span;
        let (target, letter, dimension) =
            if how.is_rate { self.rate_target(target)? } else { self.target(target)? };
        let target = match (target, how.overwrites) {
            (Target::Speed(id), true) => Target::Overwrite(id),
            (_, true) => {
                let d = Diagnostic::error(codes::TARGET, format!("`{}` is no speed", self.text(span)));
                let d = d.at(span, "").because("only a speed has momentum that an assignment could keep");
                self.report(d.hint("remove the word `overwrite`"));
                return None;
            }
            (target, false) => target,
        };
        let rivals = match target {
            Target::Speed(id) => vec![Target::Overwrite(id), Target::Struck(id)],
            Target::Overwrite(id) => vec![Target::Speed(id), Target::Struck(id)],
            _ => vec![],
        };
        if let Some(rival) = rivals.into_iter().find(|rival| progress.changed.contains_key(rival)) {
            if let Target::Struck(_) = rival {
                let message = format!("`{}` is set in a block whose lock changes it", self.text(span));
                self.error(codes::TARGET, message, span, "set it before the `lock`, or in another block");
                return None;
            }
            let message = format!("`{}` is overwritten and set by an impulse in one block", self.text(span));
            self.error(codes::TARGET, message, span, "set it once");
            return None;
        }
        let Value::Scalar(s) = value else {
            self.wrong_kind(&value, e.span, "a number");
            return None;
        };
        let value = self.expect(&s, e, dimension, "this value", &progress.environment())?;
        progress.changed.insert(target, (letter, self.short(value)));
        Some(())
    }

    /// Refuses a target that nothing declares before its value is looked at, which often names it too.
    fn known_target(&mut self, path: &syntax::Path, progress: &Progress<'t>) -> Option<()> {
        let name = path.segments.first().map_or("", |s| s.name.text.as_str());
        let is_local = progress.locals.iter().any(|l| l.name == name);
        if is_local || self.names.find(self.root, name).is_some() {
            return Some(());
        }
        self.unknown(self.root, path, &format!("declare it: `discrete {name} = 0`"), &[]);
        None
    }

    /// What an event may change: its letter and dimension.
    fn target(&mut self, path: &'t syntax::Path) -> Option<(Target, Expr, Dimension)> {
        let found = self.names.find_path(self.root, path).filter(|(_, n)| *n == path.segments.len());
        let Some((item, _)) = found else {
            let name = path.segments.first().map_or("", |s| s.name.text.as_str());
            match self.names.find(self.root, name) {
                None => self.unknown(self.root, path, &format!("declare it: `discrete {name} = 0`"), &[]),
                Some(_) => {
                    self.path(path, &Env::default());
                }
            }
            return None;
        };
        self.settle([item]);
        let kind = self.names.items[item].kind;
        let Status::Done(Value::Scalar(s)) = self.names.items[item].status.clone() else {
            if !matches!(self.names.items[item].status, Status::Failed) {
                self.no_target(path, crate::names::scope::noun(&kind));
            }
            return None;
        };
        let model = self.builder.model();
        let target = match kind {
            ItemKind::Discrete(_) => {
                let found = model.hybrid.discretes.iter().find(|(_, d)| d.symbol == s.expr);
                found.map(|(id, _)| Target::Discrete(id))
            }
            ItemKind::State(_) => self.state_ids.get(&item).map(|id| Target::State(*id)),
            ItemKind::Coordinate(b, k) => match self.built[b].get(k) {
                Some(BuiltCoordinate::Free(id)) => Some(Target::Coordinate(*id)),
                _ => None,
            },
            ItemKind::JointSpeed(..) | ItemKind::Speed(_) => {
                let found = model.speeds.iter().find(|(_, u)| u.symbol == s.expr);
                found.map(|(id, _)| Target::Speed(id))
            }
            _ => None,
        };
        match target {
            Some(target) => Some((target, s.expr, s.dimension)),
            None => {
                self.no_target(path, crate::names::scope::noun(&kind));
                None
            }
        }
    }

    /// The speed that is the rate of a coordinate: `der(q) := …`.
    fn rate_target(&mut self, path: &'t syntax::Path) -> Option<(Target, Expr, Dimension)> {
        let (target, _, dimension) = self.target(path)?;
        let model = self.builder.model();
        let Target::Coordinate(id) = target else {
            let text = self.text(path.span);
            let d = Diagnostic::error(codes::TARGET, format!("the rate of `{text}` is no speed"));
            let d = d.at(path.span, "").because("events set rates of coordinates only");
            self.report(d.hint("name a coordinate: `der(q) := value`"));
            return None;
        };
        let rate = model.coordinates[id].rate;
        if let Some((id, _)) = model.speeds.iter().find(|(_, u)| u.symbol == rate) {
            return Some((Target::Speed(id), rate, dimension / Dimension::TIME));
        }
        let speeds = self.speeds_in(rate);
        let text = self.text(path.span);
        let message = format!("`der({text})` is a combination of speeds");
        let d = Diagnostic::error(codes::TARGET, message).at(path.span, "");
        let d = d.because(format!("the speeds of the model are {}", speeds.join(", ")));
        self.report(d.hint(match speeds.first() {
            Some(u) => format!("set these instead: `{u} := value`"),
            None => "set a speed instead".into(),
        }));
        None
    }

    fn no_target(&mut self, path: &syntax::Path, noun: &str) {
        let text = self.text(path.span);
        let d = Diagnostic::error(codes::TARGET, format!("`{text}` is {noun}, which no event can change"));
        let d = d.at(path.span, "").because("events change discrete states, states, coordinates and speeds");
        self.report(d.hint(match noun {
            "a parameter" | "a constant" => {
                format!(
                    "declare it by `discrete {text} = …`: a discrete state keeps its value between events"
                )
            }
            _ => "declare what is to change: `discrete x = 0`".to_owned(),
        }));
    }

    /// A condition as things stand.
    fn condition_now(&mut self, e: &'t syntax::Expr, progress: &Progress<'t>) -> Option<Expr> {
        match self.now(e, progress)? {
            Value::Boolean(b) => Some(b),
            other => {
                self.wrong_kind(&other, e.span, "true or false");
                None
            }
        }
    }

    /// Every branch is followed; conditions choose between what they made. [branch]
    fn follow_branches(
        &mut self,
        branches: &'t syntax::Branches,
        span: Span,
        progress: &mut Progress<'t>,
    ) -> Option<()> {
        let before = progress.stops.len();
        let mut made = vec![];
        for (condition, content) in &branches.arms {
            let mut arm = progress.clone();
            let condition = self.condition_now(condition, progress);
            let sound = self.follow(content, &mut arm);
            made.push((condition, sound.map(|()| arm)));
        }
        let mut result = progress.clone();
        self.follow(&branches.otherwise, &mut result)?;
        for (condition, arm) in made.into_iter().rev() {
            result = self.merge(condition?, arm?, result, (span, before))?;
        }
        *progress = result;
        Some(())
    }

    fn merge(
        &mut self,
        c: Expr,
        mut a: Progress<'t>,
        mut b: Progress<'t>,
        (span, before): (Span, usize),
    ) -> Option<Progress<'t>> {
        let targets: Vec<Target> = a.changed.keys().chain(b.changed.keys()).copied().collect();
        for target in targets {
            let letter = a.changed.get(&target).or(b.changed.get(&target))?.0;
            let value = |p: &Progress<'t>| p.changed.get(&target).map_or(letter, |(_, v)| *v);
            let chosen = self.short(self.pool().call(Function::Select, &[c, value(&a), value(&b)]));
            b.changed.insert(target, (letter, chosen));
        }
        let shared = before.min(a.stops.len()).min(b.stops.len());
        for (when, _) in &mut b.stops[shared..] {
            let not = self.pool().call(Function::Not, &[c]);
            *when = self.pool().call(Function::And, &[not, *when]);
        }
        for (when, reason) in a.stops.drain(shared..) {
            b.stops.push((self.pool().call(Function::And, &[c, when]), reason));
        }
        for k in 0..b.locals.len().min(a.locals.len()) {
            if a.locals[k].value == b.locals[k].value {
                continue;
            }
            let value = match (&a.locals[k].value, &b.locals[k].value) {
                (Value::Scalar(x), Value::Scalar(y)) => {
                    let (dimension, bare) =
                        self.agree(&[(x.clone(), span), (y.clone(), span)], "alternatives")?;
                    let expr = self.pool().call(Function::Select, &[c, x.expr, y.expr]);
                    Value::Scalar(Scalar::new(expr, dimension, bare))
                }
                (Value::Boolean(x), Value::Boolean(y)) => {
                    Value::Boolean(self.pool().call(Function::Select, &[c, *x, *y]))
                }
                (other, _) => {
                    let other = other.clone();
                    self.wrong_kind(&other, span, "a number");
                    return None;
                }
            };
            let letter = self.letter(b.place, b.locals[k].name, &value);
            b.locals[k] = Local { name: b.locals[k].name, value, letter };
        }
        Some(b)
    }

    /// A loop is written out: its bounds are whole numbers.
    fn follow_loop(&mut self, repeated: &'t syntax::For, progress: &mut Progress<'t>) -> Option<()> {
        let ExprKind::Range { low, high } = &repeated.range.kind else { return None };
        let low = self.whole_number(low, progress)?;
        let high = self.whole_number(high, progress)?;
        if high.saturating_sub(low) >= resource_limits::REPETITIONS {
            let message = format!("this is repeated more than {} times", resource_limits::REPETITIONS);
            self.error(codes::TOO_LARGE, message, repeated.range.span, "repeat it less often");
            return None;
        }
        for k in low..=high {
            let number = Scalar::new(self.pool().int(k), Dimension::ONE, true);
            progress.declare(&repeated.name.text, Value::Scalar(number));
            let sound = self.follow(&repeated.content, progress);
            progress.locals.pop();
            sound?;
        }
        Some(())
    }

    fn whole_number(&mut self, e: &'t syntax::Expr, progress: &Progress<'t>) -> Option<i64> {
        let value = self.now(e, progress)?;
        let Value::Scalar(s) = value else {
            self.wrong_kind(&value, e.span, "a number");
            return None;
        };
        let number = self.pool().as_number(s.expr).and_then(|n| n.to_int());
        if number.is_none() {
            let d =
                Diagnostic::error(codes::PROCEDURE, "the bounds of a loop are whole numbers").at(e.span, "");
            let d = d.because("a loop is written out before anything is computed");
            self.report(d.hint("write numbers, such as `for k in 1 .. 5`; choose inside with `if … { }`"));
        }
        number
    }
}

/// A value with its numbers replaced.
fn replaced(
    value: Value,
    put: &mut dyn FnMut(Expr) -> Expr,
    vector: &dyn Fn(Vec<(cardan_kinematics::UnitVectorId, Expr)>) -> Vector,
) -> Value {
    match value {
        Value::Scalar(s) => Value::Scalar(Scalar { expr: put(s.expr), ..s }),
        Value::Boolean(b) => Value::Boolean(put(b)),
        Value::Vector(a) => {
            let terms = a.vector.terms().iter().map(|(u, e)| (*u, put(*e))).collect();
            Value::Vector(Arrow { vector: vector(terms), ..a })
        }
        Value::Tuple(parts) => {
            Value::Tuple(parts.into_iter().map(|(v, span)| (replaced(v, put, vector), span)).collect())
        }
        other => other,
    }
}
