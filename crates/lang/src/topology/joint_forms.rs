//! A joint in its two forms: as motions that hold a body, and as what closes a loop.
//!
//! ```text
//! by revolute(z, q = phi)        revolute(P, Q, axis = z)
//! by rotate(z = phi)             revolute(P, Q, axis = z)
//! by translate(x, y) rotate(z)   planar(P, Q, axis = z)
//! by universal(xy)               universal(P, Q, axis = x, second = y)
//! by translate(x) rotate(y)      on_line(P, Q, axis = x), parallel(P, Q, axis = y)
//! by free                        nothing
//! ```
//!
//! The constraints that replace a joint are found by [`closing_form`] from its motions alone; here they are read from the text and
//! written as statements. A joint without a closing form is [`cut_joint_frame`](crate::topology::cut_joint_frame) by a frame.

use cardan_base::{Diagnostics, Span};
use cardan_syntax::{Argument, Call, Expr, ExprKind, Joint, Name, Path, Segment, UnaryOp};
use cardan_topology::{ClosingPart, Direction, RelativeMotion, closing_form};

use crate::joints::catalogue;
use crate::joints::plan::{AxisPlan, JointPlan, PlannedStep, word_of};

/// The motions of a joint that is written as what closes a loop, with its two points.
pub fn opened(joint: &Joint) -> Option<(&Expr, &Expr, Call)> {
    let kind = joint.form.function.as_name()?.text.as_str();
    let mut points = vec![];
    let mut arguments = vec![];
    for a in &joint.form.arguments {
        match &a.name {
            None if points.len() < 2 => points.push(&a.value),
            None => arguments.push(a.clone()),
            Some(name) => {
                let slot = match (kind, name.text.as_str()) {
                    ("planar", "axis") => "normal",
                    ("universal", "axis") => "axes",
                    ("universal", "second") => "second",
                    (_, "second") => return None,
                    (_, other) => other,
                };
                let name = Name::new(slot.to_owned(), name.span);
                arguments.push(Argument { name: Some(name), value: a.value.clone() });
            }
        }
    }
    let &[first, second] = points.as_slice() else { return None };
    let call = Call { function: joint.form.function.clone(), arguments, span: joint.form.span };
    // Only what would be closed again by the same joint may be opened.
    let again = closing_form(&Motions::of(std::slice::from_ref(&call)).list)?;
    again.first().is_some_and(|part| part.kind.name() == kind).then_some((first, second, call))
}

/// The motions of a joint, with the texts of its directions.
pub struct Motions<'t> {
    /// From the first body to the second.
    pub list: Vec<RelativeMotion>,
    /// The directions that are no axes, by the numbers that stand for them.
    directions: Vec<&'t Expr>,
    /// The lead of a screw.
    lead: Option<&'t Expr>,
    span: Option<Span>,
}

impl<'t> Motions<'t> {
    /// The motions of calls after `by`.
    pub fn of(calls: &'t [Call]) -> Motions<'t> {
        let mut unheard = Diagnostics::new();
        let plan = catalogue::plan(calls, &mut unheard);
        Motions::planned(&plan, calls.first().map(|c| c.span), unheard.has_errors())
    }

    /// The motions of a plan; unknown where it has mistakes.
    pub fn planned(plan: &JointPlan<'t>, span: Option<Span>, mistaken: bool) -> Motions<'t> {
        let mut motions = Motions { list: vec![], directions: vec![], lead: None, span };
        if mistaken || plan.degrees.iter().any(|d| d.motion.is_some() || d.locked) {
            motions.list.push(RelativeMotion::Prescribed);
        }
        for step in &plan.steps {
            let motion = match step {
                PlannedStep::Turn(..) => RelativeMotion::FixedRotation,
                PlannedStep::Translate(axis, _) => RelativeMotion::Translation(motions.direction(axis)),
                PlannedStep::Rotate(axis, _) => RelativeMotion::Rotation(motions.direction(axis)),
                PlannedStep::Screw(axis, lead, _) => {
                    motions.lead = Some(*lead);
                    RelativeMotion::Screw(motions.direction(axis))
                }
                PlannedStep::Ball(..) => RelativeMotion::Spherical,
                PlannedStep::Free(..) => RelativeMotion::Free,
            };
            motions.list.push(motion);
        }
        motions
    }

    /// A direction; those that are written alike get the same number.
    fn direction(&mut self, axis: &AxisPlan<'t>) -> Direction {
        let e = match axis {
            AxisPlan::Axis(axis, negative) => return Direction::Axis(*axis, *negative),
            AxisPlan::Direction(e) => *e,
        };
        let known = self.directions.iter().position(|d| d.kind == e.kind);
        let number = known.unwrap_or_else(|| {
            self.directions.push(e);
            self.directions.len() - 1
        });
        let inner = match &e.kind {
            ExprKind::Unary { op: UnaryOp::Minus, operand } => operand,
            _ => e,
        };
        let components = matches!(inner.kind, ExprKind::Tuple(_)) && word_of(inner).is_none();
        if components { Direction::Components(number) } else { Direction::Vector(number) }
    }

    /// A part of the constraints that replace the joint as a call, without its points.
    pub fn call(&self, part: &ClosingPart) -> Option<Call> {
        let span = self.span?;
        let axes = [("axis", part.axis), ("second", part.second)];
        let axes = axes.into_iter().filter_map(|(name, d)| Some((name, self.axis(d?, span)?)));
        let lead = self.lead.map(|e| ("lead", e.clone()));
        let argument =
            |(name, value): (&str, Expr)| Argument { name: Some(Name::new(name.to_owned(), span)), value };
        let arguments = axes.chain(lead).map(argument).collect();
        Some(Call { function: path(part.kind.name(), span), arguments, span })
    }

    fn axis(&self, direction: Direction, span: Span) -> Option<Expr> {
        match direction {
            Direction::Axis(axis, negative) => {
                let plain = Expr { kind: ExprKind::Name(path(axis.name(), span)), span };
                let operand = Box::new(plain.clone());
                Some(match negative {
                    false => plain,
                    true => Expr { kind: ExprKind::Unary { op: UnaryOp::Minus, operand }, span },
                })
            }
            Direction::Components(number) | Direction::Vector(number) => {
                self.directions.get(number).map(|e| (*e).clone())
            }
        }
    }
}

fn path(text: &str, span: Span) -> Path {
    let name = Name::new(text.to_owned(), span);
    Path { segments: vec![Segment { name, index: vec![] }], span }
}
