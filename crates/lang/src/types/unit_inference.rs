//! What a place asks for: the unit of a name that nothing has yet, and values at the defaults of parameters.

use cardan_base::Map;
use cardan_expr::{Expr, SymbolId};
use cardan_syntax::{self as syntax, ChainOp, ExprKind, UnaryOp};
use cardan_units::Dimension;

use crate::context::{Env, Resolver};
use crate::types::value::Value;

impl<'t> Resolver<'t> {
    /// Remembers the unit of the one unknown name among the factors of a product that must have a dimension: in a force `-k*x*N.x`
    /// it is that of a stiffness.
    pub fn want(&mut self, e: &syntax::Expr, dimension: Dimension, env: &Env<'t>) {
        let factors = factors(e);
        let unknown = factors.iter().position(|(_, f)| self.unknown_name(f, env).is_some());
        let Some((k, name)) = unknown.and_then(|k| Some((k, self.unknown_name(factors[k].1, env)?))) else {
            return;
        };
        let mut wanted = dimension;
        for (_, (divides, factor)) in factors.iter().enumerate().filter(|(i, _)| *i != k) {
            let found = match self.quietly(|r| r.evaluate(factor, env)).0 {
                Some(Value::Scalar(s)) => s.dimension,
                Some(Value::Vector(a)) => a.dimension,
                _ => return,
            };
            wanted = if *divides { wanted * found } else { wanted / found };
        }
        let wanted = if factors[k].0 { wanted.recip() } else { wanted };
        self.wanted = Some((name, wanted.to_string()));
    }

    /// The single word that an expression is, if nothing has this name.
    fn unknown_name(&self, e: &syntax::Expr, env: &Env<'t>) -> Option<String> {
        let ExprKind::Name(path) = &e.kind else { return None };
        let name = path.as_name()?.text.as_str();
        let known = self.names.find(env.scope.unwrap_or(self.root), name).is_some()
            || env.locals.iter().any(|(local, _)| *local == name);
        (!known).then(|| name.to_owned())
    }

    /// The value of an expression of numbers and parameters, if all of them have values.
    pub fn at_defaults(&self, e: Expr) -> Option<f64> {
        let mut known: Map<SymbolId, f64> = Map::default();
        // What a parameter depends on has been declared before it.
        for (_, parameter) in self.builder.model().parameters.iter() {
            if let (Some(symbol), Some(default)) =
                (self.pool().as_symbol(parameter.symbol), parameter.default)
            {
                let value = self.value_with(default, &known);
                known.insert(symbol, value);
            }
        }
        Some(self.value_with(e, &known)).filter(|v| v.is_finite())
    }

    fn value_with(&self, e: Expr, known: &Map<SymbolId, f64>) -> f64 {
        self.pool().evaluate(e, &|symbol| known.get(&symbol).copied().unwrap_or(f64::NAN))
    }
}

/// The factors of a product without their signs, and whether they divide.
fn factors(e: &syntax::Expr) -> Vec<(bool, &syntax::Expr)> {
    match &e.kind {
        ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus, operand } => factors(operand),
        ExprKind::Chain { first, rest }
            if rest.iter().all(|(op, _)| matches!(op, ChainOp::Multiply | ChainOp::Divide)) =>
        {
            let rest = rest.iter().flat_map(|(op, e)| {
                factors(e).into_iter().map(move |(divides, f)| (divides != (*op == ChainOp::Divide), f))
            });
            factors(first).into_iter().chain(rest).collect()
        }
        _ => vec![(false, e)],
    }
}
