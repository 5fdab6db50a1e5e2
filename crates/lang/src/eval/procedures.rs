//! Procedures: statements in order that give one value or several. A procedure is unfolded where it is called.

use cardan_base::{Diagnostic, Span};
use cardan_expr::Kind;
use cardan_syntax::{self as syntax, Call, ExprKind, Statement, StatementKind};
use cardan_units::{Dimension, Unit};

use crate::context::{Env, Resolver};
use crate::eval::execute::{Place, Progress};
use crate::names::scope::{ItemId, ItemKind, Status};
use crate::types::value::{Scalar, Value};
use crate::{codes, resource_limits};

impl<'t> Resolver<'t> {
    /// The results of a procedure: one value, or a tuple.
    pub fn perform(
        &mut self,
        item: ItemId,
        p: &'t syntax::Procedure,
        call: &Call,
        env: &Env<'t>,
    ) -> Option<Value> {
        if matches!(self.names.items[item].status, Status::Failed) {
            return None;
        }
        let letters: Vec<&str> = p.inputs.iter().map(|i| i.name.text.as_str()).collect();
        let form = format!("{}({})", p.name.text, letters.join(", "));
        let values = self.arguments_of(&p.inputs, &form, call, env)?;
        if env.depth >= resource_limits::CALL_DEPTH {
            let help = "use fewer procedures";
            self.error(codes::TOO_LARGE, "procedures call one another too deeply", call.span, help);
            return None;
        }
        self.called.insert(item);
        self.perform_with(item, p, values, env, call.span)
    }

    fn perform_with(
        &mut self,
        item: ItemId,
        p: &'t syntax::Procedure,
        values: Vec<Value>,
        env: &Env<'t>,
        span: Span,
    ) -> Option<Value> {
        let scope = self.names.items[item].scope;
        let inner = Env { scope: Some(scope), frame: env.frame, locals: vec![], depth: env.depth + 1 };
        let mut progress = Progress::new(Place::Procedure, inner.clone());
        for (input, value) in p.inputs.iter().zip(values) {
            progress.declare(&input.name.text, value);
        }
        let mut units = vec![];
        for result in &p.results {
            let unit = match &result.unit {
                Some(unit) => Some(self.unit(unit)?),
                None => None,
            };
            let zero = self.pool().zero();
            progress.declare(
                &result.name.text,
                match &unit {
                    Some(unit) => Value::quantity(zero, unit.dimension()),
                    None => Value::Scalar(Scalar::new(zero, Dimension::ONE, true)),
                },
            );
            units.push(unit);
        }
        let (last, before) = match p.content.split_last() {
            Some((Statement { kind: StatementKind::Return(values), span }, before)) => {
                (Some((values, *span)), before)
            }
            _ => (None, &p.content[..]),
        };
        let Some((values, place)) = last else {
            self.follow(&p.content, &mut progress)?;
            let result = |r: &syntax::Input| progress.value(&r.name.text).cloned().map(|v| (v, span));
            return single(p.results.iter().map(result).collect::<Option<_>>()?);
        };
        if values.len() != p.results.len() {
            let n = p.results.len();
            let message = format!("`{}` gives {n} values, and {} are returned", p.name.text, values.len());
            let names: Vec<&str> = p.results.iter().map(|r| r.name.text.as_str()).collect();
            self.error(codes::PROCEDURE, message, place, format!("write `return {}`", names.join(", ")));
            return None;
        }
        // The values of the last line are read where the lines before it have left their local variables.
        let mut results = vec![];
        self.follow_open(before, &mut progress)?;
        for (e, unit) in values.iter().zip(&units) {
            let value = self.now(e, &progress)?;
            results.push((self.returned(value, e, unit.as_ref(), &inner)?, span));
        }
        single(results)
    }

    fn returned(
        &mut self,
        value: Value,
        e: &syntax::Expr,
        unit: Option<&Unit>,
        env: &Env<'t>,
    ) -> Option<Value> {
        match (value, unit) {
            (Value::Scalar(s), Some(unit)) => {
                let expr = self.expect(&s, e, unit.dimension(), "this result", env)?;
                Some(Value::quantity(expr, unit.dimension()))
            }
            (value @ (Value::Scalar(_) | Value::Boolean(_)), None) => Some(value),
            (other, _) => {
                self.wrong_kind(&other, e.span, "a number");
                None
            }
        }
    }

    /// `command(t).clock`
    pub fn part(&mut self, of: &syntax::Expr, name: &syntax::Name, env: &Env<'t>) -> Option<Value> {
        let ExprKind::Call(call) = &of.kind else { return None };
        let scope = env.scope.unwrap_or(self.root);
        let found = self.names.find_path(scope, &call.function);
        let procedure = found.and_then(|(item, n)| match self.names.items[item].kind {
            ItemKind::Procedure(p) if n == call.function.segments.len() => Some(p),
            _ => None,
        });
        let value = self.evaluate(of, env)?;
        let Some(p) = procedure else { return self.member(value, None, &self.text(of.span), name) };
        let place = p.results.iter().position(|r| r.name.text == name.text);
        match (place, value) {
            (Some(k), Value::Tuple(parts)) => parts.into_iter().nth(k).map(|(v, _)| v),
            (Some(_), value) => Some(value),
            (None, _) => {
                let results: Vec<String> = p.results.iter().map(|r| format!("`{}`", r.name.text)).collect();
                let d = Diagnostic::error(
                    codes::UNKNOWN_NAME,
                    format!("`{}` has no result called `{}`", p.name.text, name.text),
                );
                self.report(d.at(name.span, "").hint(format!("its results are {}", results.join(", "))));
                None
            }
        }
    }

    /// Looks at a procedure that nothing calls: its names, and its dimensions if its head gives them all.
    pub fn check_procedure(&mut self, item: ItemId) {
        let ItemKind::Procedure(p) = self.names.items[item].kind else { return };
        if self.called.contains(&item) || matches!(self.names.items[item].status, Status::Failed) {
            return;
        }
        let letter = |r: &Self, input: &syntax::Input| {
            let unit = input.unit.as_ref().and_then(|u| Unit::parse(&u.text).ok());
            let expr = r.pool().symbol(&input.name.text, Kind::State);
            Value::quantity(expr, unit.map_or(Dimension::ONE, |u| u.dimension()))
        };
        let values = p.inputs.iter().map(|i| letter(self, i)).collect();
        let (_, findings) = self.quietly(|r| r.perform_with(item, p, values, &Env::default(), p.name.span));
        let complete = p.inputs.iter().all(|i| i.unit.is_some());
        for finding in findings {
            let dimensions = [codes::DIMENSION, codes::MIXED_DIMENSIONS, codes::BARE, codes::EXPONENT];
            if complete || !dimensions.contains(&finding.code) {
                self.report(finding);
            }
        }
    }
}

/// One value by itself, several as a tuple.
fn single(mut results: Vec<(Value, Span)>) -> Option<Value> {
    if results.len() == 1 { results.pop().map(|(v, _)| v) } else { Some(Value::Tuple(results)) }
}
