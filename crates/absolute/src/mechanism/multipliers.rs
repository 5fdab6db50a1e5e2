//! Multipliers and reactions that outputs and events name.

use cardan_base::{Id, Map};
use cardan_expr::{Depends, Expr};
use cardan_model::Model;

use crate::geometry as g;
use crate::mechanism::Mechanism;

/// An unknown of an expression.
#[derive(Clone, Copy, Debug)]
enum Unknown {
    /// A multiplier: constraint and row.
    Multiplier(usize, usize),
    /// A component of the force or torque of a joint of the tree: reaction, torque, axis.
    Reaction(usize, bool, usize),
}

/// The unknowns that expressions may name besides the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unknowns {
    /// Their symbols.
    pub symbols: Vec<Expr>,
    sources: Vec<Unknown>,
}

impl Unknowns {
    /// All of a model, if any of these expressions names one.
    pub fn of(model: &Model, expressions: impl IntoIterator<Item = Expr>) -> Unknowns {
        let pool = model.space.pool();
        let mut found = Unknowns::default();
        if !expressions.into_iter().any(|e| pool.depends(e).intersects(Depends::UNKNOWNS)) {
            return found;
        }
        for (id, c) in model.constraints.iter() {
            for (row, symbol) in c.multipliers.iter().enumerate() {
                found.symbols.push(*symbol);
                found.sources.push(Unknown::Multiplier(id.index(), row));
            }
        }
        for (k, r) in model.reactions.iter().enumerate() {
            for (torque, list) in [(false, r.force), (true, r.torque)] {
                for (axis, symbol) in list.into_iter().enumerate() {
                    found.symbols.push(symbol);
                    found.sources.push(Unknown::Reaction(k, torque, axis));
                }
            }
        }
        found
    }

    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Their values at the last evaluation of accelerations.
    pub fn values(&self, m: &Mechanism<'_>, y: &[f64]) -> Vec<f64> {
        let mut by_constraint: Map<usize, Vec<f64>> = Map::default();
        let mut by_reaction: Map<usize, [g::Vec3; 2]> = Map::default();
        let mut found = vec![];
        for unknown in &self.sources {
            found.push(match *unknown {
                Unknown::Multiplier(c, row) => {
                    let list = by_constraint.entry(c).or_insert_with(|| m.multipliers(c).unwrap_or_default());
                    list.get(row).copied().unwrap_or(f64::NAN)
                }
                Unknown::Reaction(k, torque, axis) => {
                    let both = by_reaction.entry(k).or_insert_with(|| m.reaction(y, k));
                    both[usize::from(torque)][axis]
                }
            });
        }
        found
    }
}

impl Mechanism<'_> {
    /// Force and torque of a joint of the tree on its body, at the origin of its frame and in its axes.
    fn reaction(&self, y: &[f64], k: usize) -> [g::Vec3; 2] {
        let asked = &self.model.reactions[k];
        let chain = self.structure.chains.iter().position(|c| c.joint == asked.joint);
        let (Some(chain), Some(at)) = (chain, self.structure.frames[asked.frame.index()]) else {
            return [[f64::NAN; 3]; 2];
        };
        let pose = self.pose(y, at.part).then(&at.pose);
        let (force, torque) = self.chain_reaction(y, chain, pose.p);
        [g::apply_transposed(&pose.r, force), g::apply_transposed(&pose.r, torque)]
    }
}
