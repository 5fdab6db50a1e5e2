//! Angles that are measured between directions leap by a turn where these are opposite. A constraint on one counts without whole turns, so that it
//! goes on there.

use cardan_expr::{Depends, Expr, Function, Node, Pool, Rational};

/// Whether an angle is measured between directions, so that it leaps by a turn somewhere.
pub(crate) fn is_measured(pool: &Pool, angle: Expr) -> bool {
    let moves = |e: Expr| pool.depends_on(e, Depends::COORDINATES);
    let measures = |e: Expr| matches!(pool.node(e), Node::Call(Function::Atan2, _)) && moves(e);
    pool.reachable([angle]).into_iter().any(measures)
}

/// An angle without whole turns, between half a turn to either side: x - 2π ⌊x/2π + 1/2⌋.
pub(crate) fn without(pool: &Pool, x: Expr) -> Expr {
    let turn = pool.mul(pool.int(2), pool.pi());
    let half = pool.number(Rational::Small(1, 2));
    let turns = pool.call(Function::Floor, &[pool.add(pool.div(x, turn), half)]);
    pool.sub(x, pool.mul(turn, turns))
}
