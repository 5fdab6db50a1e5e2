//! Loads that depend on what is solved for: reactions, multipliers and accelerations.
//!
//! The component of such a load is an unknown of its own, and its law one more equation beside those of motion:
//!
//! ```text
//! [law]        w = L(q, u, s, t; z),    z accelerations, multipliers, reactions, other efforts
//! ```
//!
//! Everything that a mechanism does is affine in the efforts w, whatever L is; see `reaction_laws` of the crate `equations`.

use cardan_expr::{Depends, Expr, Kind};
use cardan_kinematics::Vector;

use crate::builder::Builder;
use crate::{Load, LoadKind, Model};

/// An effort that depends on reactions or accelerations. [law]
#[derive(Clone, PartialEq, Debug)]
pub struct ReactionLaw {
    /// The load that it is a component of.
    pub load: String,
    /// The unknown that stands for it in the load.
    pub symbol: Expr,
    /// What it is, in terms of unknowns.
    pub value: Expr,
}

impl Builder {
    /// Gives the components of a load that depend on unknowns names of their own.
    pub(crate) fn separate_laws(&mut self, load: &mut Load) {
        let mut laws = vec![];
        let pool = self.space().pool();
        let (LoadKind::Force { vector, .. } | LoadKind::Torque { vector, .. }) = &mut load.kind;
        let named = |e: Expr| {
            let symbol = pool.symbol(format!("effort of {}", load.name), Kind::Unknown);
            laws.push(ReactionLaw { load: load.name.clone(), symbol, value: e });
            symbol
        };
        *vector = separated(self, vector, named);
        self.add_laws(laws);
    }
}

/// The vector with components that depend on unknowns replaced; the same component has the same name.
fn separated(builder: &Builder, vector: &Vector, mut named: impl FnMut(Expr) -> Expr) -> Vector {
    let pool = builder.space().pool();
    let mut known: Vec<(Expr, Expr)> = vec![];
    let mut terms = vec![];
    for (unit, e) in vector.terms() {
        if !pool.depends(*e).intersects(Depends::UNKNOWNS) {
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

impl Model {
    /// The vector of a load with its laws written out.
    pub fn written_out(&self, vector: &Vector) -> Vector {
        let pool = self.space.pool();
        let with = |e: Expr| self.laws.iter().find(|l| l.symbol == e).map_or(e, |l| l.value);
        vector.map(pool, with)
    }
}
