//! Places in the design position: hard points of a mechanism, all given in the ground's axes.
//!
//! In the design position every coordinate is zero (Euler parameters are those of no rotation), so that all frames
//! without a fixed turn are parallel to the ground's. A drawing dimensions a mechanism in one position; the design
//! position is that one, and `start { … }` may begin anywhere else.
//!
//! ```text
//! [design]   c = R_NB(q = 0)^T (p - p_Bo(q = 0))      of a place p in the ground, fixed in the body B
//! ```

use cardan_base::Map;
use cardan_expr::{Expr, SymbolId};
use cardan_kinematics::{FrameId, Point};

use crate::context::Resolver;

impl<'t> Resolver<'t> {
    /// The components in a frame of a place that is given in another one, where a fixed place is needed: that of the
    /// design position if it is given in the ground, else that of any time.
    pub fn fixed_place(&self, p: &Point, frame: FrameId) -> [Expr; 3] {
        let space = self.space();
        if p.frame == frame {
            return p.coordinates;
        }
        let place = space.components(&space.position(&space.origin(frame), p), frame);
        if p.frame == space.newtonian() { self.in_design_position(place) } else { place }
    }

    /// Components in the design position. `[design]`
    pub fn in_design_position(&self, components: [Expr; 3]) -> [Expr; 3] {
        let (pool, model) = (self.pool(), self.builder.model());
        let mut with: Map<SymbolId, Expr> = Map::default();
        for (_, q) in model.coordinates.iter() {
            with.extend(pool.as_symbol(q.symbol).map(|s| (s, pool.zero())));
        }
        for [scalar, ..] in &model.unit_quadruples {
            with.extend(pool.as_symbol(model.coordinates[*scalar].symbol).map(|s| (s, pool.one())));
        }
        let mut known = Map::default();
        components.map(|c| pool.substitute(c, &with, &mut known))
    }
}
