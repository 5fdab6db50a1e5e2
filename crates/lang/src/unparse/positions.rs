//! Outputs that are positions of points, found again from their components.
//!
//! If three outputs are the components in the ground of the position of a point P fixed in a body B, then
//!
//! ```text
//! [point]   r^{Bo P} = R_NB (r^{No P} - r^{No Bo})
//! ```
//!
//! does not change with the coordinates; its value where they all vanish is tried, and believed only if it gives the outputs back.

use cardan_base::Map;
use cardan_expr::{Depends, Expr, Kind};
use cardan_kinematics::{FrameId, Point};

use crate::unparse::Writer;

impl Writer<'_> {
    /// `position(N.o, P)` for components in the ground.
    pub fn as_position(&mut self, components: [Expr; 3]) -> Option<String> {
        let model = self.model;
        let pool = model.space.pool();
        if components.iter().all(|c| !pool.depends_on(*c, Depends::COORDINATES)) {
            return None;
        }
        let bodies: Vec<FrameId> = model.bodies.iter().map(|(_, b)| b.frame).collect();
        let point = bodies.into_iter().find_map(|frame| self.point_in(frame, components))?;
        let ground = self.frames[&model.space.newtonian()].clone();
        Some(format!("position({ground}.o, {})", self.point(&point)))
    }

    /// The point of a frame whose position has these components, if there is one.
    fn point_in(&self, frame: FrameId, components: [Expr; 3]) -> Option<Point> {
        let space = &self.model.space;
        let pool = space.pool();
        let newtonian = space.newtonian();
        let position = |p: &Point| space.components(&space.position_from(newtonian, p), newtonian);
        let origin = space.origin(frame);
        let to_origin = position(&origin);
        let arm = [0, 1, 2].map(|k| pool.sub(components[k], to_origin[k]));
        let arm = space.components(&space.vector(newtonian, arm), frame); // [point]
        let parts = pool.reachable(arm);
        let symbols = parts.iter().filter_map(|p| pool.as_symbol(*p));
        let zeros: Map<_, _> = symbols
            .filter(|s| pool.symbol_data(*s).kind == Kind::Coordinate)
            .map(|s| (s, pool.zero()))
            .collect();
        let mut known = Map::default();
        let coordinates = arm.map(|c| pool.substitute(c, &zeros, &mut known));
        if coordinates.iter().any(|c| !pool.is_constant(*c) || pool.is_undefined(*c)) {
            return None;
        }
        let point = Point { coordinates, ..origin };
        let found = position(&point);
        (0..3).all(|k| pool.is_zero(pool.sub(found[k], components[k]))).then_some(point)
    }
}
