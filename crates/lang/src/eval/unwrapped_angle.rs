//! The angle between two directions about an axis, with its turns counted.
//!
//! atan2 is a principal value and jumps at ±π. The angle goes on if it is counted from a direction that half turns bring
//! near, and half turns are counted by events far from the jump:
//!
//! ```text
//! [angle]      θ = n π + φ,   φ = atan2(c y, c x),   c = (-1)^n        y, x: sine and cosine of the angle, times a length
//! [count]      φ > 2π/3:  n ← n + 1, φ = -π/3          φ < -2π/3:  n ← n - 1, φ = π/3
//! ```
//!
//! θ is the same before and after a count, and a motion to and fro counts once: between a count and the next one back lies a third of
//! a turn.

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Expr, Function, Rational};
use cardan_kinematics::Vector;
use cardan_model::{Event, LoadKind, Quantity, Target, Trigger};
use cardan_units::Dimension;

use crate::codes;
use crate::context::Resolver;

impl Resolver<'_> {
    /// The angle from `a` to `b` about `n`; equal angles share one count.
    pub fn unwrapped_angle(&mut self, a: &Vector, b: &Vector, n: &Vector) -> Expr {
        let space = self.space();
        let n = space.direction(n);
        let (a, b) = (space.dot_plane(a, &n), space.dot_plane(b, &n));
        let (y, x) = (space.dot(&space.cross(&a, &b), &n), space.dot(&a, &b));
        if let Some((_, known)) = self.unwrapped.iter().find(|(sides, _)| *sides == (y, x)) {
            return *known;
        }
        let name = self.free_name("half_turns");
        let zero = self.pool().zero();
        let mut quantity = Quantity::new(name, Dimension::ONE);
        quantity.description = "half turns of an angle".into();
        let id = self.builder.add_discrete(quantity, zero);
        let count = self.builder.model().hybrid.discretes[id].symbol;
        let pool = self.pool();
        let pairs = pool.call(Function::Floor, &[pool.scale(Rational::Small(1, 2), count)]);
        let odd = pool.sub(count, pool.scale(Rational::int(2), pairs));
        let c = pool.sub(pool.one(), pool.scale(Rational::int(2), odd));
        let local = pool.define(pool.call(Function::Atan2, &[pool.mul(c, y), pool.mul(c, x)]));
        let angle = pool.add(pool.mul(count, pool.pi()), local); // [angle]
        let limit = pool.scale(Rational::Small(2, 3), pool.pi());
        let forward = pool.call(Function::Less, &[limit, local]);
        let back = pool.call(Function::Less, &[local, pool.neg(limit)]);
        let steps = [(forward, pool.add(count, pool.one())), (back, pool.sub(count, pool.one()))];
        for (condition, value) in steps {
            self.builder.add_event(Event {
                name: "half turn".into(),
                trigger: Trigger::When(condition), // [count]
                assignments: vec![(Target::Discrete(id), value)],
                stops: vec![],
                of_element: false,
                span: None,
            });
        }
        self.unwrapped.push(((y, x), angle));
        angle
    }

    /// A name that nothing has yet.
    fn free_name(&self, stem: &str) -> String {
        let taken = |name: &str| {
            let discretes = &self.builder.model().hybrid.discretes;
            self.names.find(self.root, name).is_some()
                || discretes.iter().any(|(_, d)| d.quantity.name == name)
        };
        let numbered = (2..).map(|k| format!("{stem}_{k}"));
        std::iter::once(stem.to_owned()).chain(numbered).find(|n| !taken(n)).unwrap_or_default()
    }

    /// Warns where a load depends on a principal value, which jumps.
    pub fn check_principal_values(&mut self) {
        let pool = self.pool();
        let mut found: Vec<(String, Span)> = vec![];
        for (_, load) in self.builder.model().loads.iter() {
            let (LoadKind::Force { vector, .. } | LoadKind::Torque { vector, .. }) = &load.kind;
            let parts = pool.reachable(vector.terms().iter().map(|(_, e)| *e));
            let seen = |e: &Expr| !pool.depends(*e).is_constant() && parts.binary_search(e).is_ok();
            let angles = self.principal.iter().enumerate().filter(|(_, (e, _))| seen(e));
            for (k, (e, span)) in angles {
                // Equal angles are one expression: the first place is that of the load, an output may follow.
                let is_first = !self.principal[..k].iter().any(|(other, _)| other == e);
                if is_first && !found.iter().any(|(_, known)| known == span) {
                    found.push((load.name.clone(), *span));
                }
            }
        }
        for (load, span) in found {
            let message = format!("the load `{load}` jumps where this angle passes 180°");
            let d = Diagnostic::warning(codes::PRINCIPAL_VALUE, message).at(span, "");
            let d = d.because("`angle` is the principal value, between -180° and 180°");
            self.report(d.hint("write `unwrapped_angle(…)`, which counts turns"));
        }
    }
}
