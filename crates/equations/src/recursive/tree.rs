//! The tree of moving frames. What is fixed in a frame, bodies and loads alike, is brought into its axes.

use cardan_base::Id;
use cardan_expr::{Expr, Pool};
use cardan_kinematics::rotation::{apply, apply_transposed, compose, cross, identity, inner};
use cardan_kinematics::{FrameId, Matrix3, Motion, Vector};
use cardan_model::{LoadId, Model};

use super::inertia::Inertia;
use crate::Failure;
use crate::applied_forces::{Action, actions};
use crate::recursive::axis_rotation::{Turn, matrix_back};

/// A frame that moves relative to its parent.
pub(crate) struct Node {
    /// Index of the parent node; nothing for the ground.
    pub parent: Option<usize>,
    /// `b_i · a_j` with A the parent node's frame.
    pub R: Matrix3,
    /// The same as a turn about one of its axes, where it is one.
    pub turn: Option<Turn>,
    /// From the parent node's origin, components in the parent.
    pub p: [Expr; 3],
    pub motion: Motion,
    /// Of all that is fixed in this frame, about its origin.
    pub inertia: Inertia,
    /// Applied forces, components in this frame.
    pub force: [Expr; 3],
    /// Applied moment about the origin, components in this frame.
    pub moment: [Expr; 3],
}

/// What one load does to one node: force and moment about the origin, components in the node.
pub(crate) struct Wrench {
    pub load: LoadId,
    pub node: usize,
    pub force: [Expr; 3],
    pub moment: [Expr; 3],
}

pub(crate) struct Tree {
    /// Parents before children.
    pub nodes: Vec<Node>,
    /// -g, components in the Newtonian frame.
    pub base_acceleration: [Expr; 3],
    /// Every load apart; their sums are in the nodes.
    pub wrenches: Vec<Wrench>,
}

/// Where a frame is fixed: a node (nothing for the ground) and its pose in that node's frame.
#[derive(Clone, Copy)]
struct Place {
    node: Option<usize>,
    R: Matrix3,
    p: [Expr; 3],
}

impl Tree {
    /// The tree with base parameters: as few inertial parameters as possible.
    pub fn of(model: &Model) -> Result<Tree, Failure> {
        let mut tree = Tree::as_given(model)?;
        tree.relocate(model);
        tree.regroup(model);
        tree.settle(model);
        Ok(tree)
    }

    /// The tree with the inertial parameters of the bodies themselves.
    pub fn as_given(model: &Model) -> Result<Tree, Failure> {
        Tree::gather(model, false)
    }

    /// The same with a node for every frame but the ground, welded ones too, in the order of the frames.
    pub fn of_frames(model: &Model) -> Result<Tree, Failure> {
        Tree::gather(model, true)
    }

    fn gather(model: &Model, apart: bool) -> Result<Tree, Failure> {
        let space = &model.space;
        let pool = space.pool();
        let zero = pool.zero();
        let mut places: Vec<Place> = vec![];
        let mut nodes: Vec<Node> = vec![];
        for (_, frame) in space.frames().iter() {
            let Some(parent) = frame.parent else {
                places.push(Place { node: None, R: identity(pool), p: [zero; 3] });
                continue;
            };
            let at: Place = places[parent.index()];
            let offset = apply_transposed(pool, &at.R, frame.p_PoBo_P);
            let p = std::array::from_fn(|i| pool.define(pool.add(at.p[i], offset[i])));
            let R = compose(pool, &frame.R_PB, &at.R).map(|row| row.map(|e| pool.define(e)));
            if frame.motion == Motion::Fixed && !apart {
                places.push(Place { node: at.node, R, p });
                continue;
            }
            // The direction of motion is given in the parent frame; the turn before it is part of R.
            nodes.push(Node {
                parent: at.node,
                R,
                turn: Turn::of(pool, frame, at.R),
                p,
                motion: frame.motion.clone(),
                inertia: Inertia::zero(pool),
                force: [zero; 3],
                moment: [zero; 3],
            });
            places.push(Place { node: Some(nodes.len() - 1), R: identity(pool), p: [zero; 3] });
        }
        for (_, body) in model.bodies.iter() {
            let place = places[body.frame.index()];
            if let Some(k) = place.node {
                let own = Inertia::of_body(pool, body.mass, body.center, &body.inertia);
                let moved = own.seen_from(pool, &place.R, place.p);
                nodes[k].inertia = nodes[k].inertia.add(pool, &moved);
            }
        }
        let g = space.components(&model.gravity, space.newtonian());
        let mut tree = Tree { nodes, base_acceleration: g.map(|e| pool.neg(e)), wrenches: vec![] };
        tree.apply_loads(model, &places)?;
        Ok(tree)
    }

    fn apply_loads(&mut self, model: &Model, places: &[Place]) -> Result<(), Failure> {
        let space = &model.space;
        let pool = space.pool();
        let components = |v: &Vector, f: FrameId| space.components(v, f).map(|e| pool.define(e));
        for action in actions(model)? {
            let (frame, force, moment) = match &action {
                Action::Force { frame, force, arm, .. } => {
                    let f = components(force, *frame);
                    (*frame, f, cross(pool, components(arm, *frame), f))
                }
                Action::Torque { frame, torque, .. } => {
                    (*frame, [pool.zero(); 3], components(torque, *frame))
                }
            };
            let place = places[frame.index()];
            let Some(node) = place.node else { continue };
            let f = apply_transposed(pool, &place.R, force).map(|e| pool.define(e));
            let n = apply_transposed(pool, &place.R, moment);
            let arm = cross(pool, place.p, f);
            let n = std::array::from_fn(|i| pool.define(pool.add(n[i], arm[i])));
            self.wrenches.push(Wrench { load: action.load(), node, force: f, moment: n });
        }
        for (k, node) in self.nodes.iter_mut().enumerate() {
            let own: Vec<&Wrench> = self.wrenches.iter().filter(|w| w.node == k).collect();
            let total = |part: &dyn Fn(&Wrench) -> Expr| {
                pool.define(pool.sum(own.iter().map(|w| part(w)).collect::<Vec<_>>()))
            };
            node.force = std::array::from_fn(|i| total(&|w| w.force[i]));
            node.moment = std::array::from_fn(|i| total(&|w| w.moment[i]));
        }
        Ok(())
    }

    /// Slides origins along joint axes, leaves first, so that offsets between joints vanish or join a
    /// translation's own displacement: the origin of a frame that turns about a (or moves along it) may lie anywhere
    /// on a line along a.
    ///
    /// ```text
    /// [relocate]   p += s a (in the parent),  p_child -= s a,  inertia and moment about the new origin
    /// ```
    fn relocate(&mut self, model: &Model) {
        let pool = model.space.pool();
        for k in (0..self.nodes.len()).rev() {
            let (Motion::Rotation { direction: a, .. } | Motion::Translation { direction: a, .. }) =
                self.nodes[k].motion
            else {
                continue;
            };
            let children: Vec<usize> =
                (k + 1..self.nodes.len()).filter(|c| self.nodes[*c].parent == Some(k)).collect();
            let along = children.iter().map(|c| inner(pool, self.nodes[*c].p, a)).find(|s| {
                // A child that itself moves along the axis keeps its displacement.
                !pool.is_zero(*s) && pool.is_constant(*s)
            });
            let Some(s) = along else { continue };
            let r = a.map(|c| pool.define(pool.mul(s, c)));
            let back = r.map(|e| pool.neg(e));
            let node = &mut self.nodes[k];
            let in_parent = apply_transposed(pool, &node.R, r);
            node.p = std::array::from_fn(|i| pool.define(pool.add(node.p[i], in_parent[i])));
            node.inertia = node.inertia.shifted(pool, back).define(pool);
            let lever = cross(pool, r, node.force);
            node.moment = std::array::from_fn(|i| pool.define(pool.sub(node.moment[i], lever[i])));
            for c in children {
                let child = &mut self.nodes[c];
                child.p = std::array::from_fn(|i| pool.define(pool.sub(child.p[i], r[i])));
            }
        }
    }

    /// Moves what can be moved from each node's inertia to its parent, leaves first, so that fewer
    /// parameters are left: the base parameters of the tree. See [`Inertia::split`].
    fn regroup(&mut self, model: &Model) {
        let pool = model.space.pool();
        for k in (0..self.nodes.len()).rev() {
            let (kept, moved) = self.nodes[k].inertia.split(pool, &self.nodes[k].motion);
            self.nodes[k].inertia = kept.define(pool);
            if let Some(parent) = self.nodes[k].parent {
                // The moved part looks the same for every value of the joint's coordinate, except for
                // the displacement of a translation, which split leaves behind.
                let node = &self.nodes[k];
                let seen = moved.in_parent(pool, node);
                self.nodes[parent].inertia = self.nodes[parent].inertia.add(pool, &seen);
            }
        }
    }
}

/// A vector of the node in the axes of its parent.
pub(crate) fn to_parent(pool: &Pool, node: &Node, v: [Expr; 3]) -> [Expr; 3] {
    apply_transposed(pool, &node.R, v).map(|e| pool.define(e))
}

/// A matrix of the node in the axes of its parent.
pub(crate) fn matrix_to_parent(pool: &Pool, node: &Node, M: &Matrix3) -> Matrix3 {
    match &node.turn {
        Some(turn) => turn.matrix_back(pool, M),
        None => matrix_back(pool, M, &node.R),
    }
}

/// A vector of the parent in the axes of the node.
pub(crate) fn to_node(pool: &Pool, node: &Node, v: [Expr; 3]) -> [Expr; 3] {
    apply(pool, &node.R, v).map(|e| pool.define(e))
}
