//! Speeds that were defined by the analyst: `speed w = der(q1) + 2*der(q2)`.
//!
//! The model holds the rates of the coordinates; the text needs what the speeds are made of.
//!
//! ```text
//! [inverse]   q̇ = W u + X   gives   u = W⁻¹ (q̇ - X)
//! ```

use std::fmt::Write as _;

use cardan_expr::{Expr, Kind};
use cardan_model::speeds::linear_parts;
use cardan_model::symbolic_solve::solve_linear;

use crate::unparse::Writer;
use crate::unparse::names::described;

impl Writer<'_> {
    /// The definitions of the speeds on which the rates of `self.driven` depend.
    pub fn speeds(&mut self) -> String {
        let model = self.model;
        let pool = model.space.pool();
        let mut coordinates = std::mem::take(&mut self.driven);
        if coordinates.is_empty() {
            return String::new();
        }
        let parts = pool.reachable(coordinates.iter().map(|id| model.coordinates[*id].rate));
        let speeds: Vec<_> =
            model.speeds.iter().filter(|(_, u)| parts.binary_search(&u.symbol).is_ok()).collect();
        let is_own = |u: Expr| model.coordinates.iter().find(|(_, c)| c.rate == u).map(|(id, _)| id);
        coordinates.extend(speeds.iter().filter_map(|(_, u)| is_own(u.symbol)));
        let symbols: Vec<Expr> = speeds.iter().map(|(_, u)| u.symbol).collect();
        let (mut matrix, mut rates) = (vec![], vec![]);
        for id in &coordinates {
            let c = &model.coordinates[*id];
            let Some((row, rest)) = linear_parts(pool, c.rate, &symbols) else { continue };
            let word = self.names.get(&c.quantity.name).unwrap_or("").to_string();
            let rate = pool.symbol(format!("der({word})"), Kind::Unknown);
            self.set_symbol(
                rate,
                format!("der({word})"),
                c.quantity.dimension / cardan_units::Dimension::TIME,
            );
            matrix.push(row);
            rates.push(pool.sub(rate, rest));
        }
        let n = matrix.len();
        let unit = |i: usize| (0..n).map(|j| if i == j { pool.one() } else { pool.zero() }).collect();
        let unit: Vec<Vec<Expr>> = (0..n).map(unit).collect();
        let solved = (n == symbols.len()).then(|| solve_linear(pool, matrix, unit)).flatten(); // [inverse]
        let Some(solved) = solved else {
            self.leave_out("the definitions of the speeds cannot be written".into());
            return String::new();
        };
        let mut out = String::new();
        for ((_, u), value) in speeds.iter().zip(solved).filter(|((_, u), _)| is_own(u.symbol).is_none()) {
            let word = self.names.get(&u.quantity.name).unwrap_or("").to_string();
            let terms: Vec<Expr> = value.iter().zip(&rates).map(|(c, rate)| pool.mul(*c, *rate)).collect();
            let value = self.scalar(pool.sum(terms), u.quantity.dimension);
            let _ = writeln!(out, "speed {word} = {value}{}", described(&u.quantity.description));
        }
        out
    }
}
