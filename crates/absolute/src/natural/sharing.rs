//! Points and unit vectors of parts, and which of them neighbours share.
//!
//! ```text
//! [share]   a point of one part and a point of another that a joint keeps together are one point;
//!           two directions that a joint keeps parallel are one unit vector, up to its sign
//! ```

use cardan_base::Map;

use crate::geometry::{self as g, Vec3};
use crate::parts::GROUND;

/// Closer than this, relative to their distance from the origin, two points of a part are one.
const SAME: f64 = 1e-9;

/// A place or a direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A place.
    Point,
    /// A direction.
    Vector,
}

/// A point or unit vector that is fixed in a part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Node {
    /// Which part; [`GROUND`] for what does not move.
    pub part: usize,
    /// What it is.
    pub kind: Kind,
    /// Components in the frame of the part.
    pub local: Vec3,
}

/// A node, or its opposite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Signed {
    /// Which node.
    pub node: usize,
    /// 1 or -1.
    pub sign: f64,
}

/// All nodes and what they share.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// In the order in which they were asked for.
    pub nodes: Vec<Node>,
    /// A node of the same class that is nearer to its root, and the sign towards it.
    towards: Vec<(usize, f64)>,
    by_part: Map<(usize, Kind), Vec<usize>>,
}

impl Sharing {
    /// The node of a part at a place or along a direction; a new one where there is none.
    pub fn ask(&mut self, part: usize, kind: Kind, local: Vec3) -> Signed {
        let own = self.by_part.entry((part, kind)).or_default();
        for node in own.iter() {
            let known = self.nodes[*node].local;
            match kind {
                Kind::Point if g::norm(g::sub(known, local)) <= SAME * (1.0 + g::norm(local)) => {
                    return Signed { node: *node, sign: 1.0 };
                }
                Kind::Vector if g::norm(g::cross(known, local)) <= SAME => {
                    return Signed { node: *node, sign: g::dot(known, local).signum() };
                }
                _ => {}
            }
        }
        let node = self.nodes.len();
        own.push(node);
        self.nodes.push(Node { part, kind, local });
        self.towards.push((node, 1.0));
        Signed { node, sign: 1.0 }
    }

    /// Makes one of two. [share]
    pub fn join(&mut self, a: Signed, b: Signed) {
        let (ra, rb) = (self.root(a.node), self.root(b.node));
        if ra.node != rb.node {
            self.towards[ra.node] = (rb.node, a.sign * ra.sign * b.sign * rb.sign);
        }
    }

    /// The root of a node's class: node = sign × root.
    pub fn root(&self, node: usize) -> Signed {
        let mut at = Signed { node, sign: 1.0 };
        loop {
            let (next, sign) = self.towards[at.node];
            if next == at.node {
                return at;
            }
            at = Signed { node: next, sign: at.sign * sign };
        }
    }

    /// The nodes of a part, points first.
    pub fn of_part(&self, part: usize) -> impl Iterator<Item = usize> + '_ {
        [Kind::Point, Kind::Vector]
            .into_iter()
            .flat_map(move |kind| self.by_part.get(&(part, kind)).into_iter().flatten().copied())
    }

    /// The classes by root: whether several parts share it, and its value where it does not move.
    pub fn classes(&self) -> Map<usize, Class> {
        let mut found: Map<usize, Class> = Map::default();
        for (k, node) in self.nodes.iter().enumerate() {
            let root = self.root(k);
            let class = found.entry(root.node).or_default();
            if node.part == GROUND {
                class.fixed = Some(g::scale(root.sign, node.local));
            }
            class.is_shared |= class.part.is_some_and(|p| p != node.part);
            class.part = Some(node.part);
        }
        found
    }
}

/// What is known about the nodes that are one.
#[derive(Clone, Copy, Default, Debug)]
pub struct Class {
    /// The part of one of them.
    part: Option<usize>,
    /// Whether they are of several parts.
    pub is_shared: bool,
    /// The value of the root, where it is fixed in the ground.
    pub fixed: Option<Vec3>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_directions_of_a_part_are_one_and_signs_are_kept() {
        let mut sharing = Sharing::default();
        let up = sharing.ask(0, Kind::Vector, [0.0, 0.0, 1.0]);
        let down = sharing.ask(0, Kind::Vector, [0.0, 0.0, -1.0]);
        assert_eq!((up.node, up.sign, down.sign), (down.node, 1.0, -1.0));
        let other = sharing.ask(1, Kind::Vector, [1.0, 0.0, 0.0]);
        let ground = sharing.ask(GROUND, Kind::Vector, [0.0, 1.0, 0.0]);
        sharing.join(down, other);
        sharing.join(other, ground);
        let classes = sharing.classes();
        let root = sharing.root(up.node);
        // up = -down = -other = -ground
        let fixed = classes[&root.node].fixed.unwrap();
        assert_eq!(g::scale(root.sign, fixed), [0.0, -1.0, 0.0]);
        assert!(classes[&root.node].is_shared);
    }
}
