//! The elastic part of a bushing, found again from its force and the energy that it stores.
//!
//! In the axes of Q's frame the place of P is x, and F_i = -k_i (x_i - x0_i):
//!
//! ```text
//! [slope]    k_i = -(∂F_i/∂q) / (∂x_i/∂q)      by any coordinate q that moves x_i
//! [rest]     x0_i = x_i + F_i / k_i            the point Q
//! ```
//!
//! What is found is believed only if it is constant and gives the energy back.

use cardan_expr::{Derivation, Expr, Rational};
use cardan_kinematics::Point;
use cardan_model::{Load, LoadKind};
use cardan_units::Dimension;

use super::Writer;
use super::names::described;

impl Writer<'_> {
    /// `bushing NAME between P and Q { stiffness = (k1, k2, k3) }`
    pub fn bushing(&mut self, load: &Load) -> Option<String> {
        let potential = load.potential?;
        let LoadKind::Force { vector, at, reaction } = &load.kind else { return None };
        if reaction.as_ref().is_some_and(|r| r.at.is_some()) {
            return None;
        }
        let space = &self.model.space;
        // The axes of a bushing are those of a frame that the text can name.
        let frame = self.carrier(reaction.as_ref().map_or_else(|| space.newtonian(), |r| r.frame))?;
        let pool = space.pool();
        let force = space.components(vector, frame);
        let place = space.components(&space.position(&space.origin(frame), at), frame);
        let mut stiffness = [pool.zero(); 3];
        let mut rest = [pool.zero(); 3];
        for i in 0..3 {
            if pool.is_zero(force[i]) {
                continue;
            }
            stiffness[i] = self.slope(force[i], place[i])?; // [slope]
            rest[i] = pool.add(place[i], pool.div(force[i], stiffness[i])); // [rest]
        }
        let fixed = |e: &Expr| pool.is_constant(*e);
        if !(stiffness.iter().all(fixed) && rest.iter().all(fixed)) {
            return None;
        }
        let half = Rational::new(1, 2)?;
        let energy = (0..3).map(|i| {
            let stretch = pool.sub(place[i], rest[i]);
            pool.scale(half.clone(), pool.mul(stiffness[i], pool.powi(stretch, 2)))
        });
        if !pool.is_zero(pool.sub(pool.sum(energy.collect::<Vec<_>>()), potential)) {
            return None;
        }
        let other = Point { name: String::new(), frame, coordinates: rest };
        let (p, q) = (self.point(at), self.point(&other));
        let list = stiffness.map(|k| self.scalar(k, Dimension::STIFFNESS)).join(", ");
        let name = self.names.word(load.name.trim_end_matches(".spring"));
        let about = described(&load.description);
        Some(format!("bushing {name}{about} between {p} and {q} {{ stiffness = ({list}) }}\n"))
    }

    fn slope(&self, force: Expr, place: Expr) -> Option<Expr> {
        let pool = self.model.space.pool();
        self.model.coordinates.iter().find_map(|(_, q)| {
            let mut by = Derivation::partial(pool, q.symbol);
            let (above, below) = (by.apply(pool, force), by.apply(pool, place));
            (!pool.is_zero(below)).then(|| pool.neg(pool.div(above, below)))
        })
    }
}
