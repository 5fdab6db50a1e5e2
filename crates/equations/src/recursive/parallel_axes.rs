//! Joints with parallel axes, one after the other: their frames stand still beside one another.
//!
//! A link turns relative to the one before by its own angle q, and relative to what carries all the parallel joints by the sum θ of their
//! angles. Each such joint therefore gets two nodes: a carrier at its origin, which moves as the link does but keeps the axes of what
//! carries the first joint, and the link, fixed on the carrier and turned by θ. Vectors and inertias then go from joint to joint without being
//! turned, and an axis before the parallel ones has constant components in all carriers. Sines and cosines of θ take the place of
//! those of q, so there are no more of them.
//!
//! ```text
//! [carrier]          R = 1,   p = R_P^T p,   the direction is ± that of the first joint
//! [sum-of-angles]    R(θ) = R(q) R(θ_P),   θ = q ± θ_P     for the link on its carrier; P is the link before
//! ```
//!
//! Recursions are equations between vectors: it does not matter whether the axes of their components move with the body.

use cardan_expr::{Expr, Function, Node as Shape, Pool};
use cardan_kinematics::rotation::{apply_transposed, compose, identity};
use cardan_kinematics::{Matrix3, Motion, RateId};
use cardan_model::Model;

use crate::recursive::axis_rotation::Turn;
use crate::recursive::inertia::Inertia;
use crate::recursive::tree::{Node, Tree};

type V3 = [Expr; 3];

/// Which parallel joints get carriers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Carriers {
    /// All: mass matrices are cheaper so.
    Everywhere,
    /// Those that are carried by something that turns. In a plane accelerations gain little, and each depends on the sums of all angles then, which
    /// makes their derivatives dear.
    BehindTurns,
    /// Those behind a single turn, such as the waist of an arm. There the recursion of Newton and Euler is cheaper, because velocities have few
    /// components; elsewhere it loses by the arms, which are not constant in carriers, what it gains by turning less.
    BehindOneTurn,
}

/// In a plane the equations depend on the angles between links. It takes rows of so many joints before they need all sums of these, too.
const LONG: usize = 6;

/// A link on its carrier.
#[derive(Clone)]
struct Carried {
    /// The node of the carrier.
    carrier: usize,
    /// The attitude of the link, and the angle by which it is turned.
    R: Matrix3,
    turn: Option<Turn>,
    angle: Expr,
    /// Of the joint's axis.
    direction: V3,
}

impl Tree {
    /// The tree with carriers for joints whose axes are parallel.
    pub fn aligned(self, model: &Model, which: Carriers) -> Tree {
        let pool = model.space.pool();
        let heads = self.heads(pool, which);
        // Small angles are not for sines of sums.
        if !heads.contains(&true) || pool.has_small_symbols() {
            return self;
        }
        let Tree { nodes: former, base_acceleration, mut wrenches } = self;
        let mut nodes: Vec<Node> = vec![];
        // Per former node the one that has its axes now, and what is known of it if it is on a carrier.
        let mut places: Vec<(usize, Option<Carried>)> = vec![];
        for (node, is_head) in former.into_iter().zip(heads) {
            let parent = node.parent.map(|k| places[k].0);
            let before = node.parent.and_then(|k| places[k].1.as_ref());
            let placed = match before.and_then(|before| follow(pool, before, &node)) {
                Some(placed) => Some(placed),
                None if is_head => begin(pool, parent, &node),
                None => None,
            };
            let Some((rate, on, p, mut carried)) = placed else {
                nodes.push(Node { parent, ..node });
                places.push((nodes.len() - 1, None));
                continue;
            };
            let o = [pool.zero(); 3];
            carried.carrier = nodes.len();
            nodes.push(Node {
                parent: on,
                R: identity(pool),
                turn: None,
                p,
                motion: Motion::Rotation { direction: carried.direction, rate },
                inertia: Inertia::zero(pool),
                force: o,
                moment: o,
            });
            let parent = Some(carried.carrier);
            let (R, turn) = (carried.R, carried.turn);
            nodes.push(Node { parent, R, turn, p: o, motion: Motion::Fixed, ..node });
            places.push((nodes.len() - 1, Some(carried)));
        }
        wrenches.iter_mut().for_each(|w| w.node = places[w.node].0);
        Tree { nodes, base_acceleration, wrenches }
    }

    /// The first joints of the rows of parallel ones that are worth it.
    fn heads(&self, pool: &Pool, which: Carriers) -> Vec<bool> {
        let n = self.nodes.len();
        // Per node the first of its row and its place in the row; per first node the length of its row.
        let mut rows: Vec<(usize, usize)> = (0..n).map(|k| (k, 1)).collect();
        let mut lengths = vec![1; n];
        for (c, child) in self.nodes.iter().enumerate() {
            if let Some(k) = child.parent.filter(|k| is_parallel(pool, &self.nodes[*k], child)) {
                let (head, place) = rows[k];
                rows[c] = (head, place + 1);
                lengths[head] = lengths[head].max(place + 1);
            }
        }
        let is_worth_it = |k: usize| match (self.n_turns_before(k), which) {
            (0, Carriers::Everywhere) => lengths[k] >= LONG,
            (turns, Carriers::Everywhere | Carriers::BehindTurns) => turns > 0,
            (turns, Carriers::BehindOneTurn) => turns == 1,
        };
        (0..n).map(|k| lengths[k] > 1 && is_worth_it(k)).collect()
    }

    fn n_turns_before(&self, k: usize) -> usize {
        let before = std::iter::successors(self.nodes[k].parent, |p| self.nodes[*p].parent);
        let is_turn =
            |p: &usize| !matches!(self.nodes[*p].motion, Motion::Fixed | Motion::Translation { .. });
        before.filter(is_turn).count()
    }
}

/// The angle by which a node turns, if it is one angle.
fn angle(pool: &Pool, node: &Node) -> Option<Expr> {
    let parts = pool.reachable(node.R.into_iter().flatten());
    let mut angles = parts.into_iter().filter_map(|e| match pool.node(e) {
        Shape::Call(Function::Sin | Function::Cos, x) if !pool.is_constant(x[0]) => Some(x[0]),
        _ => None,
    });
    let first = angles.next()?;
    angles.all(|x| x == first).then_some(first)
}

/// Whether one direction is the other or its opposite: the sign between them.
fn sign(pool: &Pool, a: &V3, b: &V3) -> Option<bool> {
    let is_opposite = (0..3).all(|i| b[i] == pool.neg(a[i]));
    (a == b || is_opposite).then_some(is_opposite)
}

fn is_parallel(pool: &Pool, parent: &Node, child: &Node) -> bool {
    let (Motion::Rotation { direction: a, .. }, Motion::Rotation { direction: b, .. }) =
        (&parent.motion, &child.motion)
    else {
        return false;
    };
    sign(pool, a, &apply_transposed(pool, &child.R, *b)).is_some()
        && [parent, child].into_iter().all(|node| angle(pool, node).is_some())
}

/// What is known of a carrier before it has a number: rate of its turn, node that it stands on, place there, its link.
type Placed = (RateId, Option<usize>, V3, Carried);

/// The first carrier of a row, on the parent of its joint.
fn begin(pool: &Pool, parent: Option<usize>, node: &Node) -> Option<Placed> {
    let Motion::Rotation { direction, rate } = node.motion else { return None };
    let direction = apply_transposed(pool, &node.R, direction);
    let (R, turn, angle) = (node.R, node.turn, angle(pool, node)?);
    Some((rate, parent, node.p, Carried { carrier: 0, R, turn, angle, direction }))
}

/// The carrier of a joint that is parallel to the one before, on the carrier of that. [carrier]
fn follow(pool: &Pool, before: &Carried, node: &Node) -> Option<Placed> {
    let Motion::Rotation { direction, rate } = node.motion else { return None };
    let direction = apply_transposed(pool, &before.R, apply_transposed(pool, &node.R, direction));
    let is_opposite = sign(pool, &before.direction, &direction)?;
    let q = angle(pool, node)?;
    let angle = if is_opposite { pool.sub(q, before.angle) } else { pool.add(q, before.angle) };
    // [sum-of-angles]: once they have names, the pool finds sine and cosine of the sum in the products of both.
    pool.define(pool.sin(angle));
    pool.define(pool.cos(angle));
    let R = compose(pool, &node.R, &before.R).map(|row| row.map(|e| pool.define(e)));
    let p = apply_transposed(pool, &before.R, node.p).map(|e| pool.define(e));
    let turn = node.turn.zip(before.turn).and_then(|(own, before)| own.after(pool, &before, angle, &R));
    Some((rate, Some(before.carrier), p, Carried { carrier: 0, R, turn, angle, direction }))
}
