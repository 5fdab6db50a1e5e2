//! How large the candidates for pivots of a constraint are, at the values that parameters have.
//!
//! ```text
//! [alike]     |g_d| ≥ ALIKE |g_k|      for the other speeds k of the same dimension as speed d
//! [others]    |g_d| ≥ OTHERS |g_k|     for all others: a length in metres beside a plain number
//! ```
//!
//! A constant that the algebra knows not to be zero may have a value that is, or nearly: the ratio of a gear that a parameter opens. What is
//! divided by it loses twice as many digits as it is small.

use cardan_base::{Id, Map};
use cardan_expr::{Expr, SymbolId};
use cardan_model::{Model, SpeedId};

/// [alike] Four digits of sixteen may be lost.
const ALIKE: f64 = 1e-2;
/// [others]
const OTHERS: f64 = 1e-6;

/// The values of parameters, by which coefficients are compared.
pub(crate) struct Sizes<'a> {
    model: &'a Model,
    /// Not a number where a parameter must be given.
    values: Map<SymbolId, f64>,
}

impl<'a> Sizes<'a> {
    /// At the defaults of a model.
    pub fn of(model: &'a Model) -> Sizes<'a> {
        let pool = model.space.pool();
        let mut values: Map<SymbolId, f64> = Map::default();
        // Each round settles at least one more parameter, or nothing is left to be settled.
        loop {
            let before = values.len();
            for (_, p) in model.parameters.iter() {
                let (Some(symbol), Some(default)) = (pool.as_symbol(p.symbol), p.default) else { continue };
                let value = pool.evaluate(default, &|s| values.get(&s).copied().unwrap_or(f64::NAN));
                if value.is_finite() {
                    values.insert(symbol, value);
                }
            }
            if values.len() == before {
                break;
            }
        }
        for (_, p) in model.parameters.iter() {
            pool.as_symbol(p.symbol).map(|s| values.entry(s).or_insert(f64::NAN));
        }
        Sizes { model, values }
    }

    /// Whether the coefficient of a speed is large enough among all those of its row. What has no value is not judged.
    pub fn is_large(&self, row: &[Expr], speed: usize) -> bool {
        let dimension = |k: usize| self.model.speeds[SpeedId::from_index(k)].quantity.dimension;
        let own = self.size(row[speed]);
        let is_too_small = |(k, e): (usize, &Expr)| {
            let part = if dimension(k) == dimension(speed) { ALIKE } else { OTHERS };
            own < part * self.size(*e)
        };
        own != 0.0 && !row.iter().enumerate().any(is_too_small)
    }

    /// What is no parameter is taken as zero: it is small, or makes no pivot.
    fn size(&self, e: Expr) -> f64 {
        let pool = self.model.space.pool();
        pool.evaluate(e, &|s| self.values.get(&s).copied().unwrap_or(0.0)).abs()
    }
}
