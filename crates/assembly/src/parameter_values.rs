//! Numbers for parameters, and for whatever depends on parameters alone.
//!
//! A parameter has a number, an expression of other parameters, or nothing. Values are given by name before a run: a parameter's,
//! or where a coordinate, speed or auxiliary state starts.

use cardan_base::Map;
use cardan_expr::{Expr, SymbolId};
use cardan_model::Model;

/// The numbers of a model's parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct ParameterValues {
    values: Map<SymbolId, f64>,
    /// Parameters that have no number, nor an expression of parameters that have one; in order of declaration. Moments of inertia
    /// about axes about which a body never turns are not missed.
    pub missing: Vec<String>,
}

impl ParameterValues {
    /// Follows dependent parameters to their numbers.
    pub fn of(model: &Model) -> Self {
        let pool = model.space.pool();
        // Inputs that follow the time have the value with which they begin.
        let time = pool.as_symbol(model.space.time());
        let mut values: Map<SymbolId, f64> = Map::default();
        let symbols: Vec<Option<SymbolId>> =
            model.parameters.iter().map(|(_, p)| pool.as_symbol(p.symbol)).collect();
        let all: cardan_base::Set<SymbolId> = symbols.iter().flatten().copied().collect();
        // Each round settles at least one more parameter, or nothing is left to be settled.
        loop {
            let before = values.len();
            for ((_, p), symbol) in model.parameters.iter().zip(&symbols) {
                let (Some(symbol), Some(default)) = (*symbol, p.default) else { continue };
                if values.contains_key(&symbol) {
                    continue;
                }
                let ready = pool.reachable([default]).into_iter().all(|part| {
                    pool.as_symbol(part).is_none_or(|s| !all.contains(&s) || values.contains_key(&s))
                });
                if ready {
                    let number = pool.evaluate(default, &|s| match Some(s) == time {
                        true => 0.0,
                        false => values.get(&s).copied().unwrap_or(f64::NAN),
                    });
                    values.insert(symbol, number);
                }
            }
            if values.len() == before {
                break;
            }
        }
        // Only where it is needed: it makes expressions, and their order decides between programs that cost the same.
        let complete = symbols.iter().flatten().all(|s| values.contains_key(s));
        let idle = if complete { vec![] } else { idle_moments(model) };
        let missing = model
            .parameters
            .iter()
            .zip(&symbols)
            .filter(|((_, p), s)| s.is_none_or(|s| !values.contains_key(&s)) && !idle.contains(&p.symbol))
            .map(|((_, p), _)| p.quantity.name.clone())
            .collect();
        ParameterValues { values, missing }
    }

    /// The number of an expression of parameters; NaN where it depends on anything else or on a missing parameter.
    pub fn evaluate(&self, model: &Model, e: Expr) -> f64 {
        model.space.pool().evaluate(e, &|s| self.values.get(&s).copied().unwrap_or(f64::NAN))
    }
}

/// Moments of inertia about axes about which their bodies never turn: a sliding block has three.
fn idle_moments(model: &Model) -> Vec<Expr> {
    let (space, pool) = (&model.space, model.space.pool());
    let mut idle = vec![];
    for (_, body) in model.bodies.iter() {
        let w = space.components(&space.w(body.frame), body.frame);
        let still = (0..3).filter(|k| pool.is_zero(w[*k]));
        idle.extend(still.map(|k| body.inertia[k][k]).filter(|e| pool.as_symbol(*e).is_some()));
    }
    idle
}

#[cfg(test)]
mod tests {
    use cardan_model::{Builder, Quantity, SetError};
    use cardan_units::Dimension;

    use crate::parameter_values::*;

    /// a = 2, b = 3 a, c without a value, d = c + 1.
    fn model() -> Model {
        let mut b = Builder::new("m", "N");
        let plain = |name: &str| Quantity::new(name, Dimension::ONE);
        let two = b.space().pool().int(2);
        let a = b.add_parameter(plain("a"), Some(two));
        let a = b.model().parameters[a].symbol;
        let triple = b.space().pool().mul(b.space().pool().int(3), a);
        b.add_parameter(plain("b"), Some(triple));
        let c = b.add_parameter(plain("c"), None);
        let c = b.model().parameters[c].symbol;
        let more = b.space().pool().add(c, b.space().pool().one());
        b.add_parameter(plain("d"), Some(more));
        b.finish().expect("a whole model")
    }

    #[test]
    fn dependent_parameters_follow_and_missing_ones_are_listed() {
        let mut m = model();
        let values = ParameterValues::of(&m);
        assert_eq!(values.missing, ["c", "d"]);
        let b = m.parameters.iter().nth(1).map(|(_, p)| p.symbol).unwrap();
        assert_eq!(values.evaluate(&m, b), 6.0);
        m.set_value("a", 5.0, None).unwrap();
        m.set_value("c", 1.0, Some(Dimension::ONE)).unwrap();
        let values = ParameterValues::of(&m);
        assert!(values.missing.is_empty());
        assert_eq!(values.evaluate(&m, b), 15.0);
    }

    #[test]
    fn unknown_names_and_wrong_units_are_refused() {
        let mut m = model();
        let wrong = m.set_value("a", 1.0, Some(Dimension::TIME)).unwrap_err();
        assert_eq!(wrong.to_string(), "the value for `a` is in [s], expected [1]");
        let unknown = m.set_value("stiffness", 1.0, None).unwrap_err();
        assert!(matches!(unknown, SetError::Unknown { nearest: None, .. }));
        assert!(m.set_value("a", f64::NAN, None).is_err());
    }
}
