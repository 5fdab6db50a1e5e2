//! Springs, found again from the forces that they exert and the energy that they store.
//!
//! The potential V = ½ k s² tells stretch and stiffness:
//!
//! ```text
//! [stretch]     s, up to its sign, is the factor of V that varies and is squared; between points s = length - rest
//! [stiffness]   k = 2V / s²
//! ```
//!
//! What is found is believed only if it gives the load back.

use cardan_expr::{Expr, Node, Rational};
use cardan_model::{Load, LoadKind};
use cardan_units::Dimension;

use super::Writer;
use super::names::described;

impl Writer<'_> {
    /// `spring NAME between P and Q { … }` or `torsion_spring NAME on B from A { … }`
    pub fn spring(&mut self, load: &Load) -> Option<String> {
        let potential = load.potential?;
        let space = &self.model.space;
        let pool = space.pool();
        let (k, stretch) = self.stiffness(potential)?;
        let signs = [stretch, pool.neg(stretch)];
        match &load.kind {
            LoadKind::Force { vector, at, reaction } => {
                let other = reaction.as_ref().and_then(|r| r.at.clone())?;
                let offset = space.position(at, &other);
                let length = space.magnitude(&offset);
                let rest = signs.iter().map(|s| pool.sub(length, *s)).find(|rest| pool.is_constant(*rest))?;
                let pull = pool.mul(k, pool.sub(length, rest));
                let again = space.direction(&offset).scale(pool, pull);
                if again.sub(pool, vector).terms().iter().any(|(_, c)| !pool.is_zero(*c)) {
                    return None;
                }
                let (p, q) = (self.point(at), self.point(&other));
                let k = self.scalar(k, Dimension::STIFFNESS);
                let rest = self.scalar(rest, Dimension::LENGTH);
                let (name, about) = (self.names.word(&load.name), described(&load.description));
                Some(format!(
                    "spring {name}{about} between {p} and {q} {{ stiffness = {k}, length = {rest} }}\n"
                ))
            }
            LoadKind::Torque { vector, on, reaction } => {
                let [(u, pull)] = vector.terms() else { return None };
                let twist = signs.into_iter().find(|s| pool.is_zero(pool.add(*pull, pool.mul(k, *s))))?;
                let axis = self.named_axis(*u)?;
                let bodies =
                    [Some(*on), *reaction].map(|f| f.map(|f| self.frames[&self.nameable(f)].clone()));
                let [Some(on), from] = bodies else { return None };
                let from = from.unwrap_or_else(|| self.frames[&self.model.space.newtonian()].clone());
                let k = self.scalar(k, Dimension::ANGULAR_STIFFNESS);
                let twist = self.scalar(twist, Dimension::ANGLE);
                let (name, about) = (self.names.word(&load.name), described(&load.description));
                Some(format!(
                    "torsion_spring {name}{about} between {on} and {from} {{ stiffness = {k}, angle = {twist}, axis = {axis} }}\n"
                ))
            }
        }
    }

    /// Stiffness and stretch, up to its sign, of a potential.
    fn stiffness(&self, potential: Expr) -> Option<(Expr, Expr)> {
        let pool = self.model.space.pool();
        let whole = pool.definition(potential).unwrap_or(potential);
        let Node::Product(_, factors) = pool.node(whole) else { return None };
        let squared = |(base, n): &&(Expr, Rational)| *n == Rational::int(2) && !pool.is_constant(*base);
        let (stretch, _) = factors.iter().find(squared)?; // [stretch]
        let k = pool.div(pool.scale(Rational::int(2), whole), pool.powi(*stretch, 2)); // [stiffness]
        pool.is_constant(k).then_some((k, *stretch))
    }
}
