//! Prescribed motions of joints whose rate may jump: straight pieces of a table, `if`, `abs`, `min`.
//!
//! A jump of the rate is an impulse, and everything that hangs on the joint feels it. A coordinate that was replaced by its course cannot pass
//! that on, so it stays a coordinate, and a drive moves it: `revolute(z, motion = ramp(t))` means the same as `motion m on q = ramp(t)`.

use cardan_base::Span;
use cardan_expr::{Depends, Expr, Function, Node};
use cardan_model::coupling::combination;
use cardan_model::table::Interpolation;
use cardan_model::{ConstraintKind, Drive, Element, ElementEnds, ElementKind};

use crate::context::{BuiltCoordinate, Resolver};

/// A prescribed motion that a drive follows.
pub struct Kinked {
    /// The body and which of its coordinates.
    pub degree: (usize, usize),
    /// The course.
    pub motion: Expr,
    /// Where it is written.
    pub span: Span,
}

impl Resolver<'_> {
    /// Whether the rate of a course may jump.
    pub fn may_kink(&self, motion: Expr) -> bool {
        let pool = self.pool();
        let moving = Depends::TIME | Depends::COORDINATES;
        let tables = &self.builder.model().tables;
        let kinks = |f: Function| match f {
            Function::Abs
            | Function::Sign
            | Function::Min
            | Function::Max
            | Function::Floor
            | Function::Select => true,
            Function::Table(id, _) => {
                matches!(tables[id].interpolation, Interpolation::Steps | Interpolation::Linear)
            }
            _ => false,
        };
        let is_kink =
            |e: Expr| matches!(pool.node(e), Node::Call(f, _) if kinks(f)) && pool.depends_on(e, moving);
        pool.reachable([motion]).into_iter().any(is_kink)
    }

    /// Adds the drives of such motions.
    pub fn drive_kinked(&mut self) {
        for Kinked { degree: (b, k), motion, span } in std::mem::take(&mut self.kinked) {
            let Some(BuiltCoordinate::Free(id)) = self.built[b].get(k).copied() else { continue };
            let coordinate = &self.builder.model().coordinates[id];
            let (symbol, dimension) = (coordinate.symbol, coordinate.quantity.dimension);
            let of = coordinate.quantity.name.clone();
            let mut name = format!("{}_motion", of.replace('.', "_"));
            while self.builder.model().constraints.iter().any(|(_, c)| c.name == name) {
                name.push('_');
            }
            let in_time = !self.pool().depends_on(motion, Depends::COORDINATES);
            let kind = if in_time { ConstraintKind::Drive(Drive::Motion) } else { ConstraintKind::Coupler };
            let what = (dimension, format!("motion of {of}"));
            let terms = [(self.pool().one(), symbol)];
            let constraint = combination(self.space(), (&name, kind), &terms, motion, what, Some(span));
            let id = self.builder.add_constraint(constraint);
            if in_time {
                let ends = ElementEnds::Position(symbol, dimension);
                let made = Element::new(name, ElementKind::Motion, ends, Some(span));
                let made = made.with_scalar("motion", dimension, motion);
                self.builder.add_element(Element { constraint: Some(id), ..made });
            }
        }
    }
}
