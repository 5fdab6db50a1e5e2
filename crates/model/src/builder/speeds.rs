//! Speeds in the making: every degree of freedom gets one, its joint's own or the user's.

use cardan_expr::{Expr, Kind};
use cardan_kinematics::RateId;
use cardan_units::Dimension;

use super::Builder;
use crate::quantity::*;
use crate::speeds::linear_parts;
use crate::symbolic_solve::solve_linear;

/// Coordinates whose speeds are decided together.
pub(super) enum Group {
    /// One coordinate with one speed, driving these natural rates by these factors.
    Single { coordinate: CoordinateId, speed: Quantity, small: u8, drives: Vec<(RateId, Expr)> },
    /// Rates that are speeds themselves; dq/dt = matrix × speeds.
    BodyFixed {
        coordinates: Vec<CoordinateId>,
        speeds: Vec<Quantity>,
        small: u8,
        rates: Vec<RateId>,
        matrix: Vec<Vec<Expr>>,
    },
    /// No coordinate of its own: the rates follow d/dt of this expression, times a factor.
    Follower { motion: Expr, factor: Expr, rates: Vec<RateId> },
}

/// Why speeds could not be fixed.
#[derive(Clone, PartialEq, Debug)]
pub enum SpeedError {
    /// This user-defined speed is not linear in the rates of the coordinates.
    NotLinear(usize),
    /// The definitions do not determine the rates of the coordinates: these of them follow from one another.
    Singular(Vec<usize>),
}

impl Builder {
    /// The rate of a coordinate, as user-defined speeds may use it before speeds are fixed.
    pub fn coordinate_rate(&self, coordinate: CoordinateId) -> Expr {
        self.model.coordinates[coordinate].rate
    }

    /// Ends the structure: makes the generalised speeds. `user` gives speeds as linear expressions of the
    /// coordinates' rates; every other degree of freedom gets the speed that its joint chose.
    pub fn fix_speeds(&mut self, user: Vec<(Quantity, Expr)>) -> Result<(), SpeedError> {
        let groups = std::mem::take(&mut self.groups);
        let singles: Vec<CoordinateId> = groups
            .iter()
            .filter_map(|g| match g {
                Group::Single { coordinate, .. } => Some(*coordinate),
                Group::BodyFixed { .. } | Group::Follower { .. } => None,
            })
            .collect();
        let replaced = self.rates_from_user(&user, &singles)?;
        // Followers last: what they follow must have its rate by then.
        let (followers, leaders): (Vec<Group>, Vec<Group>) =
            groups.into_iter().partition(|g| matches!(g, Group::Follower { .. }));
        for group in leaders.into_iter().chain(followers) {
            match group {
                Group::Single { coordinate, speed, small, drives } => {
                    let rate = match replaced.iter().find(|(c, _)| *c == coordinate) {
                        Some((_, rate)) => *rate,
                        None => self.add_speed(speed, small),
                    };
                    self.set_coordinate_rate(coordinate, rate);
                    for (slot, factor) in drives {
                        let value = self.space().pool().mul(factor, rate);
                        self.model.space.set_rate(slot, value);
                    }
                }
                Group::Follower { motion, factor, rates } => self.follow(motion, factor, &rates),
                Group::BodyFixed { coordinates, speeds, small, rates, matrix } => {
                    let symbols: Vec<Expr> = speeds.into_iter().map(|s| self.add_speed(s, small)).collect();
                    for (slot, u) in rates.into_iter().zip(&symbols) {
                        self.model.space.set_rate(slot, *u);
                    }
                    for (c, row) in coordinates.into_iter().zip(matrix) {
                        let pool = self.space().pool();
                        let terms: Vec<Expr> =
                            row.into_iter().zip(&symbols).map(|(m, u)| pool.mul(m, *u)).collect();
                        let rate = pool.define(pool.sum(terms));
                        self.set_coordinate_rate(c, rate);
                    }
                }
            }
        }
        Ok(())
    }

    fn set_coordinate_rate(&mut self, coordinate: CoordinateId, rate: Expr) {
        let c = &mut self.model.coordinates[coordinate];
        c.rate = rate;
        let symbol = c.symbol;
        self.model.space.set_derivative(symbol, rate);
    }

    fn add_speed(&mut self, quantity: Quantity, small: u8) -> Expr {
        let pool = self.space().pool();
        let symbol = pool.small_symbol(&quantity.name, Kind::Speed, small);
        let rate = pool.small_symbol(format!("der({})", quantity.name), Kind::Unknown, small);
        let start = pool.zero();
        self.model.space.set_derivative(symbol, rate);
        self.model.speeds.push(Speed { quantity, symbol, rate, start, given: Given::Nothing });
        symbol
    }

    /// Solves the user's definitions for the rates of the coordinates in them. Where they hold more
    /// coordinates than definitions, the surplus keeps the coordinate's own rate as its speed.
    fn rates_from_user(
        &mut self,
        user: &[(Quantity, Expr)],
        singles: &[CoordinateId],
    ) -> Result<Vec<(CoordinateId, Expr)>, SpeedError> {
        if user.is_empty() {
            return Ok(vec![]);
        }
        let placeholders: Vec<Expr> = singles.iter().map(|c| self.model.coordinates[*c].rate).collect();
        let mut rows = vec![];
        let mut offsets = vec![];
        for (k, (_, definition)) in user.iter().enumerate() {
            let pool = self.space().pool();
            let (row, rest) =
                linear_parts(pool, *definition, &placeholders).ok_or(SpeedError::NotLinear(k))?;
            rows.push(row);
            offsets.push(rest);
        }
        let zero = self.space().pool().zero();
        let one = self.space().pool().one();
        let involved: Vec<usize> =
            (0..singles.len()).filter(|j| rows.iter().any(|r| r[*j] != zero)).collect();
        let surplus = self
            .surplus_columns(&rows, &involved)
            .ok_or_else(|| SpeedError::Singular(self.dependent(&rows, &involved)))?;
        let mut a: Vec<Vec<Expr>> = rows.iter().map(|r| involved.iter().map(|j| r[*j]).collect()).collect();
        let mut b: Vec<Vec<Expr>> = vec![];
        for ((quantity, _), offset) in user.iter().zip(offsets) {
            let u = self.add_speed(quantity.clone(), 0);
            b.push(vec![self.space().pool().sub(u, offset)]);
        }
        for j in surplus {
            let coordinate = &self.model.coordinates[singles[j]];
            let dimension = coordinate.quantity.dimension / Dimension::TIME;
            let quantity = Quantity::new(format!("der({})", coordinate.quantity.name), dimension);
            let u = self.add_speed(quantity, 0);
            a.push(involved.iter().map(|i| if *i == j { one } else { zero }).collect());
            b.push(vec![u]);
        }
        let pool = self.space().pool();
        let x = solve_linear(pool, a, b).ok_or_else(|| SpeedError::Singular((0..rows.len()).collect()))?;
        Ok(involved.iter().zip(x).map(|(j, v)| (singles[*j], pool.define(v[0]))).collect())
    }

    /// The fewest of dependent rows that depend on one another already.
    fn dependent(&self, rows: &[Vec<Expr>], involved: &[usize]) -> Vec<usize> {
        let mut some: Vec<usize> = (0..rows.len()).collect();
        for k in 0..rows.len() {
            let others: Vec<usize> = some.iter().copied().filter(|i| *i != k).collect();
            let chosen: Vec<Vec<Expr>> = others.iter().map(|i| rows[*i].clone()).collect();
            if self.surplus_columns(&chosen, involved).is_none() {
                some = others;
            }
        }
        some
    }

    /// The columns without a pivot when the rows are eliminated; nothing if a row has none.
    fn surplus_columns(&self, rows: &[Vec<Expr>], involved: &[usize]) -> Option<Vec<usize>> {
        let pool = self.space().pool();
        let mut rows: Vec<Vec<Expr>> = rows.to_vec();
        let mut free: Vec<usize> = involved.to_vec();
        for k in 0..rows.len() {
            let candidates = (k..rows.len()).flat_map(|i| free.iter().map(move |j| (i, *j)));
            let (i, j) = candidates.filter(|(i, j)| !pool.is_zero(rows[*i][*j])).min_by_key(|(i, j)| {
                let e = rows[*i][*j];
                (pool.is_zero(pool.constant_part(e)), pool.cost(e), *i, *j)
            })?;
            rows.swap(k, i);
            free.retain(|f| *f != j);
            for r in k + 1..rows.len() {
                let factor = pool.div(rows[r][j], rows[k][j]);
                for c in involved {
                    rows[r][*c] = pool.sub(rows[r][*c], pool.mul(factor, rows[k][*c]));
                }
            }
        }
        Some(free)
    }
}
