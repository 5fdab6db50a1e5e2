//! The plan of a body's joint as far as it can be seen in the text alone.
//!
//! A joint is a sequence of calls; each call is one or more steps. The plan knows how many coordinates and speeds
//! there are and how they are called, so that names can be collected before anything is computed.

use cardan_base::{Diagnostic, Diagnostics, Span};
use cardan_kinematics::{Axis, Sequence};
use cardan_model::{JointKind, Orientation, SpeedChoice};
use cardan_syntax::{Expr, ExprKind, Name};
use cardan_units::Dimension;

use crate::codes;

/// An axis as written.
#[derive(Clone, Copy)]
pub enum AxisPlan<'t> {
    /// `x`, `-x`, …
    Axis(Axis, bool),
    /// Components in the frame reached so far, or a vector.
    Direction(&'t Expr),
}

/// One step of the joint; numbers count the coordinates or speeds of the whole joint.
pub enum PlannedStep<'t> {
    /// A constant turn by three angles.
    Turn(Sequence, &'t Expr),
    /// Along an axis.
    Translate(AxisPlan<'t>, usize),
    /// About an axis.
    Rotate(AxisPlan<'t>, usize),
    /// Both, coupled by a lead.
    Screw(AxisPlan<'t>, &'t Expr, usize),
    /// Any orientation: first coordinate and first speed.
    Ball(Orientation, SpeedChoice, usize, usize),
    /// Any orientation and position, with body-fixed speeds: first coordinate and first speed.
    Free(Orientation, usize, usize),
}

/// A coordinate as planned.
pub struct Degree<'t> {
    /// The name given in the joint.
    pub name: Option<&'t Name>,
    /// Length or angle; Euler parameters are plain numbers.
    pub dimension: Dimension,
    /// Order of smallness.
    pub small: u8,
    /// Held at its start value.
    pub locked: bool,
    /// Follows this.
    pub motion: Option<&'t Expr>,
    /// Is meant to stay between these.
    pub limit: Option<&'t Expr>,
    /// Has a speed of its own.
    pub single: bool,
    /// Where it comes from.
    pub span: Span,
}

/// A speed as planned.
pub struct PlannedSpeed<'t> {
    /// The name given in the joint.
    pub name: Option<&'t Name>,
    /// The coordinate whose rate it is, unless it is a component in the body.
    pub rate_of: Option<usize>,
    /// What kind of quantity.
    pub dimension: Dimension,
    /// An inertia that it alone moves: one entry, by its number, of what is written.
    pub armature: Option<(&'t Expr, usize)>,
}

/// The joint of a body as planned.
#[derive(Default)]
pub struct JointPlan<'t> {
    /// The kinds of its calls.
    pub kinds: Vec<JointKind>,
    /// The steps.
    pub steps: Vec<PlannedStep<'t>>,
    /// The coordinates.
    pub degrees: Vec<Degree<'t>>,
    /// The speeds.
    pub speeds: Vec<PlannedSpeed<'t>>,
}

impl<'t> JointPlan<'t> {
    /// Holds a coordinate at its start value.
    pub fn lock(&mut self, k: usize, span: Span, diagnostics: &mut Diagnostics) {
        if self.degrees[k].single {
            self.degrees[k].locked = true;
            return;
        }
        let d = Diagnostic::error(codes::ARGUMENT, "this coordinate cannot be locked");
        let d = d.at(span, "").because("its joint has speeds in the body's axes, which mix the coordinates");
        diagnostics.push(d.hint(match self.degrees[k].dimension == Dimension::ONE {
            true => {
                "take angles instead of Euler parameters: write `rotate = xyz, speeds = rates` in the joint"
            }
            false => "write `speeds = rates` in the joint",
        }));
    }
    /// The expressions in it whose names must be known before the joint can be built.
    pub fn expressions(&self) -> Vec<&'t Expr> {
        let axis = |a: &AxisPlan<'t>| match a {
            AxisPlan::Axis(..) => None,
            AxisPlan::Direction(e) => Some(*e),
        };
        let mut found: Vec<&'t Expr> = self.degrees.iter().filter_map(|d| d.motion).collect();
        for step in &self.steps {
            match step {
                PlannedStep::Turn(_, e) => found.push(e),
                PlannedStep::Translate(a, _) | PlannedStep::Rotate(a, _) => found.extend(axis(a)),
                PlannedStep::Screw(a, lead, _) => {
                    found.extend(axis(a));
                    found.push(lead);
                }
                PlannedStep::Ball(..) | PlannedStep::Free(..) => {}
            }
        }
        found
    }
}

/// The plain word that an expression is.
pub fn word_of(e: &Expr) -> Option<&str> {
    match &e.kind {
        ExprKind::Name(path) => path.as_name().map(|n| n.text.as_str()),
        _ => None,
    }
}

/// How many values an expression gives, as far as the text tells.
pub fn n_entries(e: &Expr) -> usize {
    match &e.kind {
        ExprKind::Tuple(parts) => parts.len(),
        ExprKind::Quantity { value, .. } => n_entries(value),
        _ => 1,
    }
}

/// The entries of a tuple, or the expression itself.
pub fn parts_of(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Tuple(parts) => parts.iter().collect(),
        _ => vec![e],
    }
}
