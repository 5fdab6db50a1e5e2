//! Discrete states, events and sampled blocks.

use cardan_base::{Diagnostic, Set};
use cardan_expr::{Expr, Function, Kind, Node};
use cardan_model::{Event, Trigger};
use cardan_syntax::{self as syntax, Declaration, Statement, StatementKind};
use cardan_units::{Dimension, Unit};

use crate::codes;
use crate::context::{Env, Resolver};
use crate::eval::execute::{Place, Progress};
use crate::names::scope::ItemId;
use crate::types::value::Value;

/// A name is cut after so many characters.
const NAME: usize = 100;

impl<'t> Resolver<'t> {
    /// `discrete x = 0 [s]`
    pub fn discrete(&mut self, item: ItemId, d: &'t Declaration, env: &Env<'t>) -> Option<Value> {
        let (start, dimension, unit) =
            self.start_value(item, d, env, "the start value of a discrete state")?;
        let unit = unit.as_ref().map(Unit::text);
        let quantity = self.quantity(item, dimension, unit, d.description.as_ref());
        let id = self.builder.add_discrete(quantity, start);
        Some(Value::quantity(self.builder.model().hybrid.discretes[id].symbol, dimension))
    }

    /// `when … { … }` and `every … { … }`
    pub fn event(&mut self, statement: &'t Statement) -> Option<Event> {
        self.settle_statements(std::slice::from_ref(statement), self.root);
        let env = Env::default();
        let head = |r: &Self, word: &str, span| {
            let text: String = format!("{word} {}", r.text(span)).chars().take(NAME).collect();
            text
        };
        let (trigger, name, content) = match &statement.kind {
            StatementKind::When(when) => {
                let trigger = self.condition(&when.condition).map(Trigger::When);
                let name = when.description.as_ref().map(|t| t.text.clone());
                (trigger, name.unwrap_or_else(|| head(self, "when", when.condition.span)), &when.content)
            }
            StatementKind::Every(every) => {
                let trigger = self.sampling(every, &env);
                let name = every.description.as_ref().map(|t| t.text.clone());
                (trigger, name.unwrap_or_else(|| head(self, "every", every.period.span)), &every.content)
            }
            _ => return None,
        };
        let mut progress = Progress::new(Place::Event, env);
        self.follow(content, &mut progress)?;
        let assignments = progress.changed.into_iter().map(|(target, (_, value))| (target, value)).collect();
        let stops = progress.stops.into_iter();
        let stops = stops.map(|(when, reason)| (when, reason.unwrap_or_else(|| name.clone()))).collect();
        let span = Some(statement.span);
        Some(Event { name, trigger: trigger?, assignments, stops, of_element: false, span })
    }

    /// Whether a block waits for a contact to meet: `when floor.meets { … }`.
    pub fn asks_for_meeting(&self, event: &Event) -> bool {
        let Trigger::When(condition) = event.trigger else { return false };
        let parts = self.pool().reachable([condition]);
        self.meetings.iter().any(|meets| parts.binary_search(meets).is_ok())
    }

    fn condition(&mut self, e: &'t syntax::Expr) -> Option<Expr> {
        let condition = match self.evaluate(e, &Env::default())? {
            Value::Boolean(b) => b,
            other => {
                self.wrong_kind(&other, e.span, "true or false");
                return None;
            }
        };
        if self.equates_motion(condition) {
            let d = Diagnostic::error(codes::NEVER, "quantities that move are equal for no time at all");
            let d = d
                .at(e.span, "")
                .because("an event happens when its condition becomes true, and stays so for a while");
            self.report(d.hint("write `>=` or `<=` for the side from which it comes"));
            return None;
        }
        Some(condition)
    }

    /// Whether a condition asks for the equality of what moves.
    fn equates_motion(&self, condition: Expr) -> bool {
        let pool = self.pool();
        let discretes: Set<Expr> =
            self.builder.model().hybrid.discretes.iter().map(|(_, d)| d.symbol).collect();
        let moves = |e: &Expr| match pool.as_symbol(*e).map(|s| pool.symbol_data(s).kind) {
            Some(Kind::Time | Kind::Coordinate | Kind::Speed | Kind::Unknown) => true,
            Some(Kind::State) => !discretes.contains(e),
            _ => false,
        };
        let mut open = vec![condition];
        while let Some(e) = open.pop() {
            match pool.node(e) {
                Node::Call(Function::Equal, arguments)
                    if pool.reachable(arguments.to_vec()).iter().any(moves) =>
                {
                    return true;
                }
                Node::Call(Function::And | Function::Or | Function::Not | Function::Select, arguments) => {
                    open.extend(arguments.iter().copied());
                }
                _ => {}
            }
        }
        false
    }

    fn sampling(&mut self, every: &'t syntax::Every, env: &Env<'t>) -> Option<Trigger> {
        let period = self.scalar(&every.period, Dimension::TIME, "this period", env)?;
        let period = self.constant(period, every.period.span, "a period")?;
        if self.pool().as_number(period).is_some_and(|n| n.is_zero() || n.is_negative()) {
            let help = "write a time, such as `every 0.01 [s] { … }`";
            self.error(codes::NEVER, "a period is positive", every.period.span, help);
            return None;
        }
        let offset = match &every.offset {
            None => self.pool().zero(),
            Some(e) => {
                let offset = self.scalar(e, Dimension::TIME, "this first time", env)?;
                self.constant(offset, e.span, "the first time")?
            }
        };
        Some(Trigger::Every { period, offset })
    }
}
