//! Linear equations of small departures from a nominal motion, as expressions.
//!
//! ```text
//! [nominal]    q₀, u₀, s₀ with u̇₀ = 0: an equilibrium or a steady motion
//! [departure]  M δu̇ + P δu + Q δq + R δs = H δp + Gᵀ δλ
//! [load]       P = -∂f/∂u,   R = -∂f/∂s,   H = ∂f/∂p
//! [preload]    Q = -∂(f + Gᵀ λ₀)/∂q          nominal loads and reactions make geometric stiffness
//! [split]      P = D + G,   Q = K + N          symmetric and skew-symmetric parts, where q̇ = u
//! ```
//!
//! The matrices that NEWEUL and MEDYNA print: inertia M, damping D, gyroscopic terms G, stiffness
//! K, circulatory terms N (Schiehlen ed., Multibody Systems Handbook, 1990; Müller & Schiehlen,
//! Lineare Schwingungen, 1976, ch. 2). λ₀ is a symbol, since nominal reactions follow from the
//! nominal state.

use cardan_base::Map;
use cardan_expr::{Derivation, Expr, Kind, Pool, Rational, SymbolId};
use cardan_model::Model;

use crate::equations::Equations;

/// The matrices of the linear equations. Expressions belong to the model's pool.
#[derive(Clone, PartialEq, Debug)]
pub struct LinearForm {
    /// M.
    pub mass: Vec<Vec<Expr>>,
    /// P: rows and columns are speeds. [load]
    pub by_speed: Vec<Vec<Expr>>,
    /// Q: rows are speeds, columns coordinates. [preload]
    pub by_coordinate: Vec<Vec<Expr>>,
    /// R: columns are auxiliary states. [load]
    pub by_state: Vec<Vec<Expr>>,
    /// H: columns are the run-time inputs. [load]
    pub by_input: Vec<Vec<Expr>>,
    /// G: rows are those of the constraints, columns speeds.
    pub constraints: Vec<Vec<Expr>>,
    /// λ₀, one symbol per row of the constraints.
    pub reactions: Vec<Expr>,
    /// Whether each speed is the rate of the coordinate at its place.
    pub is_second_order: bool,
}

/// The matrices apart by their symmetry. [split]
#[derive(Clone, PartialEq, Debug)]
pub struct SymbolicSplit {
    /// D.
    pub damping: Vec<Vec<Expr>>,
    /// G.
    pub gyroscopic: Vec<Vec<Expr>>,
    /// K.
    pub stiffness: Vec<Vec<Expr>>,
    /// N.
    pub circulatory: Vec<Vec<Expr>>,
}

/// The linear equations with nominal values in the place of some states; the others keep their
/// symbols, which then stand for their nominal values. Nothing where no mass matrix is formed, or
/// where loads follow reactions.
pub fn linear_form(model: &Model, equations: &Equations, nominal: &[(SymbolId, Expr)]) -> Option<LinearForm> {
    let (mass, forcing) = (equations.mass.as_ref()?, equations.forcing.as_ref()?);
    let pool = model.space.pool();
    let rows = &equations.constraints.rows;
    let reaction = |r: usize| pool.symbol(format!("lambda0_{}", r + 1), Kind::Parameter);
    let reactions: Vec<Expr> = (0..rows.len()).map(reaction).collect();
    let mut loads = forcing.clone();
    for (row, lambda) in rows.iter().zip(&reactions) {
        for (k, g) in &row.jacobian {
            loads[*k] = pool.add(loads[*k], pool.mul(*g, *lambda)); // [preload]
        }
    }
    let with: Map<SymbolId, Expr> = nominal.iter().copied().collect();
    let mut known = Map::default();
    let mut at = |e: Expr| pool.substitute(e, &with, &mut known);
    let mut slopes = |list: &[Expr], by: &mut dyn Iterator<Item = Expr>, negative: bool| -> Vec<Vec<Expr>> {
        let mut partials: Vec<Derivation> = by.map(|x| Derivation::partial(pool, x)).collect();
        let sign = |e: Expr| if negative { pool.neg(e) } else { e };
        let row = |f: &Expr| partials.iter_mut().map(|d| at(sign(d.apply(pool, *f)))).collect();
        list.iter().map(row).collect()
    };
    let by_speed = slopes(forcing, &mut model.speeds.iter().map(|(_, u)| u.symbol), true);
    let by_coordinate = slopes(&loads, &mut model.coordinates.iter().map(|(_, q)| q.symbol), true);
    let by_state = slopes(forcing, &mut model.states.iter().map(|(_, s)| s.symbol), true);
    let inputs = model.parameters.iter().map(|(_, p)| p).filter(|p| p.is_input());
    let by_input = slopes(forcing, &mut inputs.map(|p| p.symbol), false);
    let width = model.speeds.len();
    let dense = |list: &[(usize, Expr)]| {
        let mut row = vec![pool.zero(); width];
        list.iter().for_each(|(k, g)| row[*k] = *g);
        row
    };
    let mut all = |m: Vec<Vec<Expr>>| -> Vec<Vec<Expr>> {
        m.into_iter().map(|row| row.into_iter().map(&mut at).collect()).collect()
    };
    let pairs = model.coordinates.iter().zip(model.speeds.iter());
    let is_second_order =
        model.coordinates.len() == width && pairs.into_iter().all(|((_, q), (_, u))| q.rate == u.symbol);
    Some(LinearForm {
        mass: all(mass.clone()),
        by_speed,
        by_coordinate,
        by_state,
        by_input,
        constraints: all(rows.iter().map(|r| dense(&r.jacobian)).collect()),
        reactions,
        is_second_order,
    })
}

impl LinearForm {
    /// D, G, K and N; nothing unless each speed is the rate of the coordinate at its place. [split]
    pub fn split(&self, pool: &Pool) -> Option<SymbolicSplit> {
        let half = |m: &[Vec<Expr>], sign: i64| -> Option<Vec<Vec<Expr>>> {
            let half = Rational::new(1, 2)?;
            let entry = |i: usize, j: usize| {
                let other = pool.scale(Rational::int(sign), m[j][i]);
                pool.scale(half.clone(), pool.add(m[i][j], other))
            };
            Some((0..m.len()).map(|i| (0..m.len()).map(|j| entry(i, j)).collect()).collect())
        };
        if !self.is_second_order {
            return None;
        }
        Some(SymbolicSplit {
            damping: half(&self.by_speed, 1)?,
            gyroscopic: half(&self.by_speed, -1)?,
            stiffness: half(&self.by_coordinate, 1)?,
            circulatory: half(&self.by_coordinate, -1)?,
        })
    }
}
