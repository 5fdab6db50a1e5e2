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
//! Any translations followed by any rotations close in two parts: what the translations leave of coincidence, and what the rotations
//! leave of parallel axes. Rotations followed by translations are the same from the other body. An axis must mean the same in
//! both bodies: a letter, or components. What has no closing form here is [`cut_joint_frame`](crate::topology::cut_joint_frame) by a frame.

use cardan_base::{Diagnostics, Span};
use cardan_kinematics::Axis;
use cardan_syntax::{Argument, Call, Expr, ExprKind, Joint, Name, Path, Segment, UnaryOp};

use crate::joints::catalogue;
use crate::joints::plan::{AxisPlan, PlannedStep, word_of};

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
    let again = closed(std::slice::from_ref(&call))?;
    again.first().is_some_and(|p| p.call.function.is(kind)).then_some((first, second, call))
}

/// One part of what closes a loop: a joint without its points, which may stand in the opposite order.
pub struct Part {
    /// The joint.
    pub call: Call,
    /// Whether the second body comes first.
    pub swapped: bool,
}

/// The forms that close a loop, or nothing if the joint has none.
pub fn closed(calls: &[Call]) -> Option<Vec<Part>> {
    let mut unheard = Diagnostics::new();
    let plan = catalogue::plan(calls, &mut unheard);
    let form = Form { span: calls.first()?.span };
    if unheard.has_errors() || plan.degrees.iter().any(|d| d.motion.is_some() || d.locked) {
        return None;
    }
    if let [PlannedStep::Free(..)] = plan.steps[..] {
        return Some(vec![]);
    }
    if let Some(call) = form.single(&plan.steps) {
        return Some(vec![Part { call, swapped: false }]);
    }
    let turns = |s: &PlannedStep<'_>| matches!(s, PlannedStep::Rotate(..) | PlannedStep::Ball(..));
    let n = plan.steps.len();
    let first_turn = plan.steps.iter().position(turns).unwrap_or(n);
    let first_shift = plan.steps.iter().position(|s| !turns(s)).unwrap_or(n);
    let (shifts, turned, swapped) = match (first_turn, first_shift) {
        (k, 0) if plan.steps[k..].iter().all(turns) => (&plan.steps[..k], &plan.steps[k..], false),
        (0, k) if !plan.steps[k..].iter().any(turns) => (&plan.steps[k..], &plan.steps[..k], true),
        _ => return None,
    };
    let mut parts = form.coincidence(shifts)?;
    parts.extend(form.parallelism(turned, swapped)?);
    Some(parts.into_iter().map(|call| Part { call, swapped }).collect())
}

fn letter(axis: &AxisPlan<'_>) -> Option<Axis> {
    match axis {
        AxisPlan::Axis(axis, _) => Some(*axis),
        AxisPlan::Direction(_) => None,
    }
}

/// The same axis, or the same backwards.
fn same(a: &AxisPlan<'_>, b: &AxisPlan<'_>) -> bool {
    match (a, b) {
        (AxisPlan::Direction(a), AxisPlan::Direction(b)) => a.kind == b.kind,
        _ => letter(a).is_some() && letter(a) == letter(b),
    }
}

/// Two different letters.
fn across(a: &AxisPlan<'_>, b: &AxisPlan<'_>) -> bool {
    letter(a).zip(letter(b)).is_some_and(|(a, b)| a != b)
}

/// Makes parts of a text that stand in the place of a joint.
struct Form {
    span: Span,
}

impl Form {
    fn path(&self, text: &str) -> Path {
        let name = Name::new(text.to_owned(), self.span);
        Path { segments: vec![Segment { name, index: vec![] }], span: self.span }
    }

    fn call(&self, kind: &str, arguments: Vec<(&str, Expr)>) -> Call {
        let argument = |(name, value): (&str, Expr)| Argument {
            name: Some(Name::new(name.to_owned(), self.span)),
            value,
        };
        Call {
            function: self.path(kind),
            arguments: arguments.into_iter().map(argument).collect(),
            span: self.span,
        }
    }

    /// A joint that has a closing form of its own.
    fn single(&self, steps: &[PlannedStep<'_>]) -> Option<Call> {
        use PlannedStep::{Ball, Rotate, Screw, Translate};
        Some(match steps {
            [] => self.call("fixed", vec![]),
            [Rotate(a, _)] => self.call("revolute", vec![("axis", self.axis(a)?)]),
            [Translate(a, _)] => self.call("prismatic", vec![("axis", self.axis(a)?)]),
            [Translate(a, _), Rotate(b, _)] | [Rotate(a, _), Translate(b, _)] if same(a, b) => {
                self.call("cylindrical", vec![("axis", self.axis(a)?)])
            }
            [Screw(a, lead, _)] => {
                self.call("screw", vec![("axis", self.axis(a)?), ("lead", (*lead).clone())])
            }
            [Rotate(a, _), Rotate(b, _)] if across(a, b) => {
                self.call("universal", vec![("axis", self.axis(a)?), ("second", self.axis(b)?)])
            }
            [Translate(a, _), Translate(b, _), Rotate(c, _)]
                if across(a, b) && across(b, c) && across(a, c) =>
            {
                self.call("planar", vec![("axis", self.axis(c)?)])
            }
            [Ball(..)] => self.call("spherical", vec![]),
            _ => return None,
        })
    }

    /// What some translations leave of the coincidence of two points.
    fn coincidence(&self, shifts: &[PlannedStep<'_>]) -> Option<Vec<Call>> {
        let mut left = Axis::ALL.to_vec();
        for shift in shifts {
            let PlannedStep::Translate(axis, _) = shift else { return None };
            let axis = letter(axis)?;
            let before = left.len();
            left.retain(|a| *a != axis);
            if left.len() == before {
                return None;
            }
        }
        let along = |axis: Axis| vec![("axis", self.letter(axis))];
        Some(match left.as_slice() {
            [] => vec![],
            [normal] => vec![self.call("in_plane", along(*normal))],
            [a, b] => {
                let free = Axis::ALL.into_iter().find(|c| c != a && c != b)?;
                vec![self.call("on_line", along(free))]
            }
            _ => vec![self.call("spherical", vec![])],
        })
    }

    /// What some rotations leave of the parallelism of two bodies.
    fn parallelism(&self, turns: &[PlannedStep<'_>], swapped: bool) -> Option<Vec<Call>> {
        use PlannedStep::{Ball, Rotate};
        Some(match turns {
            [] => {
                let across = vec![("axis", self.letter(Axis::X)), ("second", self.letter(Axis::Y))];
                vec![
                    self.call("parallel", vec![("axis", self.letter(Axis::Z))]),
                    self.call("perpendicular", across),
                ]
            }
            [Rotate(a, _)] => vec![self.call("parallel", vec![("axis", self.axis(a)?)])],
            [Rotate(a, _), Rotate(b, _)] if across(a, b) => {
                let (a, b) = if swapped { (b, a) } else { (a, b) };
                vec![self.call("perpendicular", vec![("axis", self.axis(a)?), ("second", self.axis(b)?)])]
            }
            [Ball(..)] => vec![],
            [Rotate(a, _), Rotate(b, _), Rotate(c, _)] if across(a, b) && across(b, c) => vec![],
            _ => return None,
        })
    }

    fn letter(&self, axis: Axis) -> Expr {
        Expr { kind: ExprKind::Name(self.path(axis.name())), span: self.span }
    }

    fn axis(&self, axis: &AxisPlan<'_>) -> Option<Expr> {
        match axis {
            AxisPlan::Axis(axis, negative) => {
                let plain = self.letter(*axis);
                let operand = Box::new(plain.clone());
                Some(match negative {
                    false => plain,
                    true => Expr { kind: ExprKind::Unary { op: UnaryOp::Minus, operand }, span: self.span },
                })
            }
            AxisPlan::Direction(e) => {
                let inner = match &e.kind {
                    ExprKind::Unary { op: UnaryOp::Minus, operand } => operand,
                    _ => *e,
                };
                let components = matches!(inner.kind, ExprKind::Tuple(_)) && word_of(inner).is_none();
                components.then(|| (*e).clone())
            }
        }
    }
}
