//! Drives that analyses add to a finished model, and take from it.
//!
//! ```text
//! [drive]    g = q - m(t),   v = q̇ - ṁ(t)
//! ```
//!
//! The multiplier of such a row is the generalised force along q that brings the motion about.

use cardan_expr::Expr;

use crate::constraint::{Constraint, ConstraintId, Row};
use crate::constraint_kind::{ConstraintKind, Drive};
use crate::model::Model;
use crate::quantity::{CoordinateId, Given, Output};

impl Model {
    /// Makes a coordinate follow `motion`, an expression of time and parameters in the model's pool.
    pub fn drive(&mut self, coordinate: CoordinateId, motion: Expr) -> ConstraintId {
        let q = &self.coordinates[coordinate];
        let pool = self.space.pool();
        let row = Row {
            position: Some(pool.sub(q.symbol, motion)),
            velocity: pool.sub(q.rate, self.space.dt(motion)), // [drive]
            dimension: q.quantity.dimension,
            what: format!("motion of {}", q.quantity.name),
            action: None,
        };
        let name = format!("drive of {}", q.quantity.name);
        // A start that contradicts the drive is no start, and others may have to follow.
        self.guess_starts();
        self.coordinates[coordinate].given = Given::Nothing;
        let kind = ConstraintKind::Drive(Drive::Analysis);
        self.add_constraint(Constraint::new(&name, kind, vec![row], None))
    }

    /// Holds a coordinate at a value.
    pub fn hold(&mut self, coordinate: CoordinateId, at: Expr) -> ConstraintId {
        let id = self.drive(coordinate, at);
        let name = format!("hold of {}", self.coordinates[coordinate].quantity.name);
        let c = &mut self.constraints[id];
        (c.name, c.kind) = (name, ConstraintKind::Drive(Drive::Hold));
        self.coordinates[coordinate].start = at;
        id
    }

    /// Adds a place or attitude that a body is to reach, and lets go of given starts: all coordinates move equally willingly.
    pub fn add_target(&mut self, target: Constraint) -> ConstraintId {
        self.release_starts();
        self.add_constraint(target)
    }

    /// Lets go of all motions, of the outputs, which may hold their forces, and of given starts.
    pub fn release_motions(&mut self) {
        self.release_starts();
        for (_, c) in self.constraints.iter_mut().filter(|(_, c)| c.kind.is_motion()) {
            c.rows.clear();
            c.multipliers.clear();
        }
        self.outputs.clear();
    }

    fn release_starts(&mut self) {
        self.coordinates.iter_mut().for_each(|(_, q)| q.given = Given::Nothing);
    }

    /// Lets constraints go, and the outputs that hold their forces; the names of these outputs.
    pub fn release(&mut self, gone: &[ConstraintId]) -> Vec<String> {
        let mut forces = vec![];
        for id in gone {
            let c = &mut self.constraints[*id];
            c.rows.clear();
            forces.append(&mut c.multipliers);
        }
        let pool = self.space.pool();
        let forces: Vec<_> = forces.into_iter().filter_map(|f| pool.as_symbol(f)).collect();
        let holds = |value| forces.iter().any(|f| pool.contains(value, *f));
        let (told, kept) = std::mem::take(&mut self.outputs).into_iter().partition(|o| holds(o.value));
        self.outputs = kept;
        let told: Vec<Output> = told;
        told.into_iter().map(|o| o.quantity.name).collect()
    }
}
