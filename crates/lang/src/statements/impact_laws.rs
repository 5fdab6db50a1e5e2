//! Poisson's law of impact: compression until nothing approaches any more, then expansion with a part of its impulse.
//!
//! With W and the velocities (ġ, v) before the impact as in `contacts`,
//!
//! ```text
//! [compression]  ġ_C = 0,            |p_tC| ≤ μ p_nC, against v_C
//! [expansion]    p_nE = e p_nC,      |p_tE| ≤ μ p_nE, against v_E;   more where it takes more to part: ġ_E ≥ 0
//! [poisson]      p = p_C + p_E
//! [dissipates]   ΔT ≤ -½ (1 - e²) p_Cᵀ W p_C
//! ```
//!
//! It never brings energy in where e ≤ 1. Coulomb's law says that p_tE is the least of φ(p_t) = v_C p_t + ½ pᵀ W p for p = (p_nE, p_t)
//! among |p_t| ≤ μ p_nE, and e p_tC is one of these. Hence ΔT_E = φ(p_tE) ≤ e v_C p_tC + ½ e² p_Cᵀ W p_C, where v_C p_tC ≤ 0; and
//! ΔT_C = v_C p_tC - ½ p_Cᵀ W p_C. Together they are [dissipates]. More than e p_nC is taken where ∂φ/∂p_n = ġ_E < 0, and
//! makes it less. Newton's law has no such bound: [loses] in `contacts` reduces its e.
//!
//! Both agree where the bodies slide one way throughout. Where they stick, Newton says ġ⁺ = -e ġ⁻ and Poisson
//! ġ⁺ = e (-ġ⁻ + W_nt v⁻/W_tt). Pfeiffer, Glocker: Multibody Dynamics with Unilateral Contacts, chapter 8.

use cardan_expr::{Expr, Function, Pool};
use cardan_syntax::{self as syntax, ExprKind};

use crate::codes;
use crate::context::{Env, Resolver};
use crate::statements::elements::Given;
use cardan_units::Dimension;

/// Velocities before an impact, and what impulses along the normal and along the sliding velocity do to them.
pub(crate) struct Approach {
    pub rate: Expr,
    pub slip: Expr,
    pub wnn: Expr,
    pub wnt: Expr,
    pub wtn: Expr,
    pub wtt: Expr,
}

/// The impulses p_n and p_t for a coefficient e, with friction where bodies can slide. [poisson]
pub(crate) fn poisson(pool: &Pool, a: &Approach, e: Expr, friction: Option<Expr>) -> (Expr, Expr) {
    let call = |f: Function, x: &[Expr]| pool.call(f, x);
    let Some(mu) = friction else {
        let compression = pool.neg(pool.div(a.rate, a.wnn));
        return (pool.define(pool.mul(pool.add(pool.one(), e), compression)), pool.zero());
    };
    // [compression]
    let det = pool.define(pool.sub(pool.mul(a.wnn, a.wtt), pool.mul(a.wnt, a.wtn)));
    let first = pool.sub(pool.mul(a.wnt, a.slip), pool.mul(a.rate, a.wtt));
    let second = pool.sub(pool.mul(a.wtn, a.rate), pool.mul(a.wnn, a.slip));
    let sticking = [pool.define(pool.div(first, det)), pool.define(pool.div(second, det))];
    let way = pool.mul(mu, call(Function::Sign, &[sticking[1]]));
    let slipping = pool.define(pool.neg(pool.div(a.rate, pool.add(a.wnn, pool.mul(way, a.wnt)))));
    let needed = call(Function::Abs, &[sticking[1]]);
    let sticks = call(Function::LessEqual, &[needed, pool.mul(mu, sticking[0])]);
    let n_c = pool.define(call(Function::Select, &[sticks, sticking[0], slipping]));
    let t_c = pool.define(call(Function::Select, &[sticks, sticking[1], pool.mul(way, slipping)]));
    // [expansion]
    let left = pool.sum([a.slip, pool.mul(a.wtn, n_c), pool.mul(a.wtt, t_c)]);
    let n_e = pool.define(pool.mul(e, n_c));
    let holds = pool.neg(pool.div(pool.add(left, pool.mul(a.wtn, n_e)), a.wtt));
    let bound = pool.define(pool.mul(mu, n_e));
    let within = call(Function::Min, &[bound, holds]);
    let t_e = pool.define(call(Function::Max, &[pool.neg(bound), within]));
    let parts = pool.neg(pool.div(pool.mul(a.wnt, t_e), a.wnn));
    let n_e = call(Function::Max, &[n_e, parts]);
    (pool.define(pool.add(n_c, n_e)), pool.define(pool.add(t_c, t_e)))
}

impl<'t> Resolver<'t> {
    /// `restitution = e`, `restitution = poisson(e)`: the coefficient, and whether it is Poisson's.
    pub(crate) fn restitution(&mut self, given: &Given<'t>) -> Option<(Expr, bool)> {
        let Some(value) = given.get("restitution") else { return Some((self.pool().zero(), false)) };
        let (e, is_poisson) = of_law(value);
        if is_poisson && let Some(other) = given.get("tangential_restitution") {
            let message = "a `tangential_restitution` belongs to Newton's law";
            self.error(codes::ARGUMENT, message, other.span, "write `restitution = …` without `poisson`");
            return None;
        }
        let e = self.scalar(e, Dimension::ONE, "this restitution", &Env::default())?;
        Some((e, is_poisson))
    }
}

/// The coefficient of a restitution, and whether it is Poisson's.
pub(crate) fn of_law(value: &syntax::Expr) -> (&syntax::Expr, bool) {
    let (function, argument) = match &value.kind {
        ExprKind::Call(call) if call.arguments.len() == 1 => (&call.function, &call.arguments[0].value),
        _ => return (value, false),
    };
    match (function.is("poisson"), function.is("newton")) {
        (false, false) => (value, false),
        (is_poisson, _) => (argument, is_poisson),
    }
}
