//! Positions: vectors between points.

use cardan_expr::Expr;

use crate::{FrameId, Point, Space, Vector};

impl Space {
    /// From the origin of the parent to the origin of the frame.
    pub fn offset(&self, frame: FrameId) -> Vector {
        match self.frames[frame].parent {
            None => Vector::ZERO,
            Some(parent) => self.vector(parent, self.frames[frame].p_PoBo_P),
        }
    }
    /// The nearest frame that both stem from.
    pub fn common_ancestor(&self, mut a: FrameId, mut b: FrameId) -> FrameId {
        let climb = |f: FrameId| self.frames[f].parent.unwrap_or(f);
        while self.frames[a].level > self.frames[b].level {
            a = climb(a);
        }
        while self.frames[b].level > self.frames[a].level {
            b = climb(b);
        }
        while a != b {
            a = climb(a);
            b = climb(b);
        }
        a
    }
    /// From the origin of `ancestor` to the point.
    pub fn position_from(&self, ancestor: FrameId, point: &Point) -> Vector {
        let pool = self.pool();
        let mut terms = self.vector(point.frame, point.coordinates).0;
        let mut frame = point.frame;
        while frame != ancestor {
            terms.extend(self.offset(frame).0);
            match self.frames[frame].parent {
                Some(parent) => frame = parent,
                None => break,
            }
        }
        Vector::new(pool, terms)
    }
    /// The vector from one point to another: Sayers' `pos`.
    pub fn position(&self, from: &Point, to: &Point) -> Vector {
        let common = self.common_ancestor(from.frame, to.frame);
        self.position_from(common, to).sub(self.pool(), &self.position_from(common, from))
    }

    /// Where a frame's origin is: components from the Newtonian origin in the Newtonian frame, each under a name of its own.
    /// Along a chain every frame adds its offset to the place of its parent, so n frames take O(n) operations.
    pub fn origin_place(&self, frame: FrameId) -> [Expr; 3] {
        let pool = self.pool();
        let Some(parent) = self.frames[frame].parent else {
            return [pool.zero(); 3];
        };
        if let Some(known) = self.caches.borrow().origin.get(&frame) {
            return *known;
        }
        let (from, offset) =
            (self.origin_place(parent), self.components(&self.offset(frame), self.newtonian()));
        let place = std::array::from_fn(|i| pool.define(pool.add(from[i], offset[i])));
        self.caches.borrow_mut().origin.insert(frame, place);
        place
    }
    /// Where a point is: components from the Newtonian origin in the Newtonian frame.
    pub fn place(&self, point: &Point) -> [Expr; 3] {
        let pool = self.pool();
        let from = self.origin_place(point.frame);
        let r = self.components(&self.vector(point.frame, point.coordinates), self.newtonian());
        std::array::from_fn(|i| pool.add(from[i], r[i]))
    }
}
