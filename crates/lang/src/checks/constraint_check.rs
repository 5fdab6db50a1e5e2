//! Constraints that no motion can meet: nothing moves what they hold, and it is not where they want it.

use cardan_base::Diagnostic;
use cardan_expr::Expr;
use cardan_units::Dimension;

use crate::codes;
use crate::context::Resolver;

/// A gap below this is rounding, in SI units.
const CLOSED: f64 = 1e-9;

impl Resolver<'_> {
    /// Reports rows that never change and do not hold at the values of the parameters.
    pub fn check_constraints(&mut self) {
        let model = self.builder.model();
        let mut found = vec![];
        for (_, constraint) in model.constraints.iter() {
            let stuck = constraint.rows.iter().find_map(|row| {
                let gap = row.position.filter(|_| self.pool().is_zero(row.velocity))?;
                let gap = self.value_now(gap, 0)?;
                (gap.abs() > CLOSED).then(|| (row.what.clone(), row.dimension, gap.abs()))
            });
            if let (Some((what, dimension, gap)), Some(span)) = (stuck, constraint.span) {
                found.push((constraint.name.clone(), what, dimension, gap, span));
            }
        }
        for (name, what, dimension, gap, span) in found {
            let message = format!("`{name}` can never hold");
            let unit = if dimension == Dimension::ANGLE { "rad".to_owned() } else { dimension.to_string() };
            let d = Diagnostic::error(codes::CONTRADICTION, message).at(span, "");
            let d = d.because(format!("{what} is off by {} {unit}, and no joint moves it", short(gap)));
            self.report(d.hint("move one of its ends, or give a body a joint that moves that way"));
        }
    }

    /// The value of a fixed expression at the defaults of the parameters; nothing if one has none.
    pub fn value_now(&self, e: Expr, depth: usize) -> Option<f64> {
        let parameters = &self.builder.model().parameters;
        let value = self.pool().evaluate(e, &|symbol| {
            let is_it = |p: &cardan_model::Parameter| self.pool().as_symbol(p.symbol) == Some(symbol);
            if self.pool().as_symbol(self.pool().pi()) == Some(symbol) {
                return std::f64::consts::PI;
            }
            let default = parameters.iter().find(|(_, p)| is_it(p)).and_then(|(_, p)| p.default);
            match default {
                Some(d) if depth < 20 => self.value_now(d, depth + 1).unwrap_or(f64::NAN),
                _ => f64::NAN,
            }
        });
        Some(value).filter(|v| v.is_finite())
    }
}

/// A number of a few digits.
pub fn short(x: f64) -> String {
    format!("{x:.4e}").parse::<f64>().map_or_else(|_| x.to_string(), |x| x.to_string())
}
