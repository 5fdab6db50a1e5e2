//! Constraints: what joints that close loops, rods, gears, rolling wheels and drives demand.
//!
//! ```text
//! [holonomic]      g(q, t) = 0,  with its rate  ġ = v(q, u, t) = 0
//! [nonholonomic]   v(q, u, t) = 0,  linear in u
//! ```
//!
//! A row may give its rate in a form that equals ġ only where the constraint holds; terms that vanish there are
//! left out, because they would cost operations and change nothing.

use cardan_base::{Span, define_id};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Space, Vector};
use cardan_units::Dimension;

use crate::closing::Marker;
use crate::constraint_kind::ConstraintKind;
use crate::contact_geometry::Figure;

define_id!(ConstraintId, "constraint", "A constraint.");

/// One scalar equation.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What vanishes in every admissible position; nothing for a nonholonomic row.
    pub position: Option<Expr>,
    /// What vanishes in every admissible motion.
    pub velocity: Expr,
    /// Of the position (of the velocity, for a nonholonomic row).
    pub dimension: Dimension,
    /// In mechanical words: `translation along N.z`, `rotation about crank.x`.
    pub what: String,
    /// How the row's multiplier acts: on the second body as a force (or torque) along this vector, on the first as its
    /// opposite. Nothing for rows between scalars.
    pub action: Option<RowAction>,
}

/// The direction in which a multiplier acts.
#[derive(Clone, PartialEq, Debug)]
pub enum RowAction {
    /// A force along this unit vector at the constraint's points.
    Force(Vector),
    /// A torque along this vector.
    Torque(Vector),
    /// A force along the first vector with a torque along the second: the thread of a screw.
    Wrench(Vector, Vector),
}

/// What a constraint lies between, and where it acts.
#[derive(Clone, PartialEq, Debug)]
pub struct Ends {
    /// The first body's frame.
    pub first: FrameId,
    /// The second body's frame.
    pub second: FrameId,
    /// The place through which the forces of all rows go, action and reaction alike.
    pub at: Point,
}

/// A constraint with its rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Constraint {
    /// Path.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Its kind.
    pub kind: ConstraintKind,
    /// Its scalar equations.
    pub rows: Vec<Row>,
    /// The two markers of a joint that closes a loop, or the ends of a rod.
    pub markers: Option<Box<[Marker; 2]>>,
    /// The length of a rod, the angle between two axes, the lead of a thread.
    pub size: Option<Expr>,
    /// The multipliers of the rows, unknowns like the accelerations; made when a model takes the constraint in.
    pub multipliers: Vec<Expr>,
    /// What it lies between; nothing where it couples numbers instead of bodies.
    pub ends: Option<Ends>,
    /// The curve or surface that it is about.
    pub figure: Option<Box<Figure>>,
    /// Where it was declared.
    pub span: Option<Span>,
}

impl Constraint {
    /// A constraint that no model has taken in yet.
    pub fn new(name: &str, kind: ConstraintKind, rows: Vec<Row>, span: Option<Span>) -> Constraint {
        Constraint {
            name: name.into(),
            description: String::new(),
            kind,
            rows,
            markers: None,
            size: None,
            multipliers: vec![],
            ends: None,
            figure: None,
            span,
        }
    }
    /// The same between two bodies, with forces through a place.
    pub fn between(self, first: FrameId, second: FrameId, at: &Point) -> Constraint {
        Constraint { ends: Some(Ends { first, second, at: at.clone() }), ..self }
    }
    /// The same with the curve or surface that it is about.
    pub fn about(self, figure: Figure) -> Constraint {
        Constraint { figure: Some(Box::new(figure)), ..self }
    }
    /// The force that presses a contact together, negative where it pulls; on a curve in space, how hard the curve bears on the point.
    pub fn press(&self, space: &Space) -> Option<Expr> {
        let (RowAction::Force(normal), force) =
            (self.rows.first()?.action.as_ref()?, self.multipliers.first()?)
        else {
            return None;
        };
        let pool = space.pool();
        let sized = |e: Expr| pool.mul(e, space.magnitude(normal));
        match (self.kind, self.figure.as_deref()) {
            (_, Some(Figure::Track(_))) => Some(space.magnitude(&self.reaction(space).0)),
            // The normal points out of the cam, and the follower is the second body; out of the ground, and the wheel is the first.
            (ConstraintKind::OnCurve, _) => Some(sized(*force)),
            (ConstraintKind::Rolling, _) => Some(sized(pool.neg(*force))),
            _ => None,
        }
    }
    /// The force and the torque on the first body: the opposite of what the multipliers do to the second.
    pub fn reaction(&self, space: &Space) -> (Vector, Vector) {
        self.reaction_of(space, &self.multipliers)
    }
    /// The same for multipliers of these sizes.
    pub fn reaction_of(&self, space: &Space, multipliers: &[Expr]) -> (Vector, Vector) {
        let pool = space.pool();
        let (mut force, mut torque) = (Vector::ZERO, Vector::ZERO);
        for (row, multiplier) in self.rows.iter().zip(multipliers) {
            let minus = pool.neg(*multiplier);
            let add = |sum: &mut Vector, v: &Vector| *sum = sum.add(pool, &v.scale(pool, minus));
            match &row.action {
                None => {}
                Some(RowAction::Force(e)) => add(&mut force, e),
                Some(RowAction::Torque(e)) => add(&mut torque, e),
                Some(RowAction::Wrench(e, m)) => {
                    add(&mut force, e);
                    add(&mut torque, m);
                }
            }
        }
        (force, torque)
    }
}
