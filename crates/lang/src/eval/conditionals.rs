//! Conditions: comparisons, logic, and `if`.

use cardan_base::Span;
use cardan_expr::{Expr, Function};
use cardan_kinematics::Vector;
use cardan_syntax::{self as syntax, ChainOp, CompareOp};

use crate::context::{Env, Resolver};
use crate::types::angle_units;
use crate::types::value::{Arrow, Scalar, Value};

impl<'t> Resolver<'t> {
    pub fn logic(&mut self, values: Vec<(ChainOp, Value, Span)>) -> Option<Value> {
        let mut result: Option<Expr> = None;
        for (op, value, span) in values {
            let Value::Boolean(b) = value else {
                self.wrong_kind(&value, span, "true or false");
                return None;
            };
            let function = if op == ChainOp::Or { Function::Or } else { Function::And };
            result = Some(result.map_or(b, |a| self.pool().call(function, &[a, b])));
        }
        result.map(Value::Boolean)
    }

    pub fn compare(&self, op: CompareOp, a: Expr, b: Expr) -> Expr {
        let pool = self.pool();
        match op {
            CompareOp::Less => pool.call(Function::Less, &[a, b]),
            CompareOp::LessEqual => pool.call(Function::LessEqual, &[a, b]),
            CompareOp::Greater => pool.call(Function::Less, &[b, a]),
            CompareOp::GreaterEqual => pool.call(Function::LessEqual, &[b, a]),
            CompareOp::Equal => pool.call(Function::Equal, &[a, b]),
            CompareOp::NotEqual => {
                let equal = pool.call(Function::Equal, &[a, b]);
                pool.call(Function::Not, &[equal])
            }
        }
    }

    pub fn choose(
        &mut self,
        arms: &[(syntax::Expr, syntax::Expr)],
        otherwise: &syntax::Expr,
        span: Span,
        env: &Env<'t>,
    ) -> Option<Value> {
        self.bounded(arms.len(), span)?;
        let mut conditions = vec![];
        let mut values = vec![];
        for (condition, value) in arms {
            let (c, v) = (self.evaluate(condition, env), self.evaluate(value, env));
            match c {
                Some(Value::Boolean(c)) => conditions.push(Some(c)),
                Some(other) => {
                    self.wrong_kind(&other, condition.span, "true or false");
                    conditions.push(None);
                }
                None => conditions.push(None),
            }
            values.push(v.map(|v| (v, value.span)));
        }
        values.push(self.evaluate(otherwise, env).map(|v| (v, otherwise.span)));
        let conditions: Vec<Expr> = conditions.into_iter().collect::<Option<_>>()?;
        let values: Vec<(Value, Span)> = values.into_iter().collect::<Option<_>>()?;
        if values.iter().all(|(v, _)| matches!(v, Value::Boolean(_))) {
            let booleans: Vec<Expr> = values
                .iter()
                .filter_map(|(v, _)| if let Value::Boolean(b) = v { Some(*b) } else { None })
                .collect();
            return Some(Value::Boolean(self.select(&conditions, &booleans)));
        }
        if values.iter().all(|(v, _)| matches!(v, Value::Scalar(_))) {
            let mut scalars = vec![];
            for (value, place) in values {
                scalars.push((self.need_scalar(value, place)?, place));
            }
            let (dimension, bare) = self.agree(&scalars, "alternatives")?;
            let exprs: Vec<Expr> = scalars.iter().map(|(s, _)| s.expr).collect();
            let (expr, written) = (self.select(&conditions, &exprs), angle_units::of_sum(&scalars));
            return Some(Value::Scalar(Scalar { expr, dimension, bare, written }));
        }
        let mut arrows = vec![];
        for (value, place) in values {
            arrows.push((self.as_arrow(value, place, env)?, place));
        }
        let parts: Vec<_> =
            arrows.iter().map(|(a, s)| (a.dimension, a.bare, a.vector.is_zero(), *s)).collect();
        let (dimension, bare) = self.agree_on(&parts, "alternatives")?;
        let pool = self.pool();
        let mut units: Vec<_> =
            arrows.iter().flat_map(|(a, _)| a.vector.terms().iter().map(|(u, _)| *u)).collect();
        units.sort_unstable();
        units.dedup();
        let coefficient =
            |a: &Arrow, u| a.vector.terms().iter().find(|(v, _)| *v == u).map_or(pool.zero(), |(_, c)| *c);
        let terms: Vec<_> = units
            .into_iter()
            .map(|u| {
                (
                    u,
                    self.select(
                        &conditions,
                        &arrows.iter().map(|(a, _)| coefficient(a, u)).collect::<Vec<_>>(),
                    ),
                )
            })
            .collect();
        let vector = Vector::new(pool, terms);
        Some(Value::Vector(Arrow { vector, dimension, bare, frame: None }))
    }

    /// The value of the first condition that holds; there is one value more than conditions.
    fn select(&self, conditions: &[Expr], values: &[Expr]) -> Expr {
        let pool = self.pool();
        let last = values.last().copied().unwrap_or(pool.zero());
        let pairs = conditions.iter().zip(values).rev();
        pairs.fold(last, |rest, (c, v)| pool.call(Function::Select, &[*c, *v, rest]))
    }
}
