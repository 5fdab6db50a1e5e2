//! Loads that depend on what is solved for: reactions, multipliers and accelerations.
//!
//! The component of such a load is an unknown of its own, and its law one more equation beside those of motion:
//!
//! ```text
//! [law]        w = L(q, u, s, t; z),    z accelerations, multipliers, reactions, other efforts
//! ```
//!
//! Everything that a mechanism does is affine in the efforts w, whatever L is; see `reaction_laws` of the crate `equations`.
//!
//! A constraint that is switched on and off during a motion is such a law too. A contact that is closed and a joint that is locked
//! exert what keeps a rate v at zero, and nothing when they are open:
//!
//! ```text
//! [held]       0 = a (v̇ + 2 κ v + κ² g) + (1 - a) w,    a = 1 where it is active, else 0;  g the gap, where there is one
//! [response]   R = ∂u̇/∂w: what a unit of impulse along the effort adds to the speeds, all other efforts that are held held
//! ```

use cardan_expr::{Depends, Expr, Kind, Node, Pool, Rational};
use cardan_kinematics::Vector;

use crate::builder::Builder;
use crate::{Load, LoadKind, Model};

/// An effort that depends on reactions or accelerations.
#[derive(Clone, PartialEq, Debug)]
pub struct ReactionLaw {
    /// The load that it is a component of.
    pub load: String,
    /// The unknown that stands for it in the load.
    pub symbol: Expr,
    /// What it obeys.
    pub law: Law,
    /// Unknowns that stand for what a unit of impulse adds to each speed; empty where nobody asked. [response]
    pub responses: Vec<Expr>,
}

/// What an effort obeys.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Law {
    /// It is this, in terms of unknowns. [law]
    Is(Expr),
    /// It keeps a rate at zero. [held]
    Holds {
        /// 1 where it is active, else 0; fixed between events.
        active: Expr,
        /// What vanishes then, as an acceleration.
        lack: Expr,
        /// What the rate is the rate of, where the text says so.
        gap: Option<Expr>,
        /// Whether it pushes one way only, and an impulse may leave it.
        one_sided: bool,
    },
}

impl ReactionLaw {
    /// What vanishes where the law holds.
    pub fn residual(&self, pool: &Pool) -> Expr {
        match self.law {
            Law::Is(value) => pool.sub(self.symbol, value),
            Law::Holds { active, lack, .. } => {
                let open = pool.mul(pool.sub(pool.one(), active), self.symbol);
                pool.add(pool.mul(active, lack), open)
            }
        }
    }
}

/// The rate at which what is left open in a held constraint decays, in 1/s. [held]
pub const DECAY: i64 = 20;

impl Builder {
    /// Gives the components of a load that depend on unknowns names of their own.
    pub(crate) fn separate_laws(&mut self, load: &mut Load) {
        let mut laws = vec![];
        let own: Vec<Expr> = self.model().laws.iter().map(|l| l.symbol).collect();
        let pool = self.space().pool();
        let (LoadKind::Force { vector, .. } | LoadKind::Torque { vector, .. }) = &mut load.kind;
        let named = |e: Expr| {
            let symbol = pool.symbol(format!("effort of {}", load.name), Kind::Unknown);
            laws.push(ReactionLaw { load: load.name.clone(), symbol, law: Law::Is(e), responses: vec![] });
            symbol
        };
        *vector = separated(self, vector, &own, named);
        self.add_laws(laws);
    }

    /// A new effort that keeps a rate at zero while `active`; the loads by which it acts are added with its symbol. `gap` is what the
    /// rate is the rate of. [held]
    pub fn hold(
        &mut self,
        name: &str,
        (gap, rate): (Option<Expr>, Expr),
        active: Expr,
        one_sided: bool,
    ) -> usize {
        self.hold_with(name, (gap, rate, DECAY), active, one_sided)
    }

    /// The same where nothing is left open, so that nothing has to decay: errors of a rate of bodies that fly freely, in steps far longer
    /// than 1/κ, would grow. [held] with κ = 0
    pub fn hold_still(&mut self, name: &str, rate: Expr, active: Expr) -> usize {
        self.hold_with(name, (None, rate, 0), active, false)
    }

    fn hold_with(
        &mut self,
        name: &str,
        (gap, rate, decay): (Option<Expr>, Expr, i64),
        active: Expr,
        one_sided: bool,
    ) -> usize {
        let space = self.space();
        let pool = space.pool();
        let decay = pool.int(decay);
        let slow = pool.product([pool.int(2), decay, rate]);
        let back = gap.map_or(pool.zero(), |g| pool.mul(pool.powi(decay, 2), g));
        let lack = pool.define(pool.sum([space.dt(rate), slow, back]));
        let symbol = pool.symbol(format!("effort of {name}"), Kind::Unknown);
        let law = Law::Holds { active, lack, gap, one_sided };
        self.add_laws(vec![ReactionLaw { load: name.into(), symbol, law, responses: vec![] }]);
        self.model().laws.len() - 1
    }

    /// An effort that has a law of its own.
    pub fn effort(&mut self, name: &str, value: Expr) -> usize {
        let symbol = self.space().pool().symbol(format!("effort of {name}"), Kind::Unknown);
        let law = Law::Is(value);
        self.add_laws(vec![ReactionLaw { load: name.into(), symbol, law, responses: vec![] }]);
        self.model().laws.len() - 1
    }

    /// What a unit of impulse along an effort adds to each speed. [response]
    pub fn responses(&mut self, law: usize) -> Vec<Expr> {
        if self.model().laws[law].responses.is_empty() {
            let pool = self.space().pool();
            let model = self.model();
            let name = |u: &str| format!("response of {u} to {}", model.laws[law].load);
            let symbols = model
                .speeds
                .iter()
                .map(|(_, u)| pool.symbol(name(&u.quantity.name), Kind::Unknown))
                .collect();
            self.law_mut(law).responses = symbols;
        }
        self.model().laws[law].responses.clone()
    }
}

/// The vector with components that depend on unknowns replaced; the same component has the same name.
fn separated(
    builder: &Builder,
    vector: &Vector,
    own: &[Expr],
    mut named: impl FnMut(Expr) -> Expr,
) -> Vector {
    let pool = builder.space().pool();
    let mut known: Vec<(Expr, Expr)> = vec![];
    let mut terms = vec![];
    for (unit, e) in vector.terms() {
        if !pool.depends(*e).intersects(Depends::UNKNOWNS) || is_multiple(pool, *e, own) {
            terms.push((*unit, *e));
            continue;
        }
        let found = known.iter().find(|(value, _)| value == e).map(|(_, symbol)| *symbol);
        let symbol = found.unwrap_or_else(|| named(*e));
        known.push((*e, symbol));
        terms.push((*unit, symbol));
    }
    Vector::new(pool, terms)
}

/// Whether an expression is an effort that is known already, times what is free of unknowns.
fn is_multiple(pool: &Pool, e: Expr, own: &[Expr]) -> bool {
    let unknown = |x: &Expr| pool.depends(*x).intersects(Depends::UNKNOWNS);
    match pool.node(e) {
        Node::Symbol(_) => own.contains(&e),
        Node::Product(_, factors) => {
            let moving: Vec<&(Expr, Rational)> = factors.iter().filter(|(base, _)| unknown(base)).collect();
            matches!(moving[..], [(base, n)] if n.is_one() && own.contains(base))
        }
        _ => false,
    }
}

impl Model {
    /// The vector of a load with its laws written out.
    pub fn written_out(&self, vector: &Vector) -> Vector {
        let pool = self.space.pool();
        let with = |e: Expr| match self.laws.iter().find(|l| l.symbol == e).map(|l| l.law) {
            Some(Law::Is(value)) => value,
            _ => e,
        };
        vector.map(pool, with)
    }
}
