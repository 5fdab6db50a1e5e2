//! Periodic tables: `table r(phi [deg]) [mm] = periodic { 0: 30, 90: 35, 180: 30, 270: 28, 360: 30 }`.
//!
//! ```text
//! [wrap]     x - P floor((x - x_0) / P)        P = x_n - x_0, the period
//! ```
//!
//! The points are repeated beyond both ends and joined by a natural spline. What its ends do is felt less with each point, by a factor of
//! 2 + √3 where points are equally far apart, so the curve between x_0 and x_n closes on itself with slope and curvature to rounding.

use cardan_expr::{Expr, Function};
use cardan_syntax as syntax;
use cardan_units::Unit;

use crate::codes;
use crate::context::{Env, Resolver};

/// How many points are repeated beyond each end: (2 + √3)^-32 < 1e-18.
const BEYOND: i64 = 32;

/// The word for it.
pub const METHOD: &str = "periodic";

impl<'t> Resolver<'t> {
    /// The points of a periodic table, repeated beyond both ends; the last repeats the first.
    pub fn repeated(
        &mut self,
        table: &'t syntax::Table,
        x: &[f64],
        values: &[f64],
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let help = "let it have one argument, and let the last value be the first again";
        let (Some((first, last)), 1) = (values.first().zip(values.last()), table.inputs.len()) else {
            self.error(codes::TABLE, "this table cannot be periodic", table.name.span, help);
            return None;
        };
        if first != last || x.len() != values.len() || x.len() < 3 {
            let place = table.rows.last().map_or(table.name.span, |r| r.at.span);
            self.error(codes::TABLE, "a periodic table ends with the value that it began with", place, help);
            return None;
        }
        let n = x.len() - 1;
        let period = x[n] - x[0];
        let turns = i64::try_from(n).unwrap_or(i64::MAX);
        let point = |k: i64| {
            let i = usize::try_from(k.rem_euclid(turns)).unwrap_or(0);
            (x[i] + k.div_euclid(turns) as f64 * period, values[i])
        };
        Some((-BEYOND..=turns + BEYOND).map(point).unzip())
    }

    /// The argument of a periodic table, moved into its period. [wrap]
    pub fn wrapped(&mut self, table: &'t syntax::Table, x: Expr, unit: &Unit) -> Option<Expr> {
        let env = Env::default();
        let (first, last) = (table.rows.first()?, table.rows.last()?);
        let start = self.table_expression(&first.at, unit, &env)?;
        let end = self.table_expression(&last.at, unit, &env)?;
        let pool = self.pool();
        let period = pool.sub(end, start);
        let turns = pool.call(Function::Floor, &[pool.div(pool.sub(x, start), period)]);
        Some(pool.sub(x, pool.mul(period, turns)))
    }
}
