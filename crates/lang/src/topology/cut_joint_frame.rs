//! A joint that is cut and keeps its coordinates.
//!
//! A sequence of motions that has no equations of its own, or a joint whose coordinates somebody speaks of, closes its loop through a frame
//! without mass: the first body carries the frame by the joint, and a weld ties it to the second body.
//!
//! ```text
//! joint J between A.P and B.Q by translate(x) rotate(z) translate(y)
//!
//! frame J_end on A by translate(x) rotate(z) translate(y) at A.P       its coordinates are those of J
//! joint J_weld = fixed(J_end.o, B.Q)
//! ```
//!
//! The frame weighs nothing, so what the joint does to the first body is what the weld does to the second.

use std::collections::BTreeSet;

use cardan_base::Span;
use cardan_syntax::{
    Argument, Body, BodyKind, Call, Expr, ExprKind, Joint, Name, Path, Segment, Statement, StatementKind,
    Text,
};

use crate::topology::joint_graph::Mount;

/// The joint that is cut: what the text says of it.
pub struct CutJoint<'a> {
    /// Its name.
    pub name: &'a Name,
    /// In words.
    pub description: &'a Option<Text>,
    /// Where it stands.
    pub span: Span,
    /// Its points.
    pub points: [Expr; 2],
    /// Its motions.
    pub calls: &'a [Call],
    /// Whether somebody asks for its force or torque.
    pub tells: bool,
}

/// The frame and the weld in place of a joint, and how the frame is held; `taken` are names that bodies have.
pub fn carried(joint: &CutJoint<'_>, taken: &BTreeSet<&str>) -> (Vec<Statement>, String, Mount) {
    let span = joint.name.span;
    let mut frame = format!("{}_end", joint.name.text);
    while taken.contains(frame.as_str()) {
        frame.push('_');
    }
    let name = |text: &str| Name::new(text.to_owned(), span);
    let path = |names: &[&str]| Path {
        segments: names.iter().map(|n| Segment { name: name(n), index: vec![] }).collect(),
        span,
    };
    let body = Body {
        kind: BodyKind::Frame,
        name: name(&frame),
        description: joint.description.clone(),
        parent: None,
        joints: vec![],
        at: None,
        content: vec![],
    };
    let end = Expr { kind: ExprKind::Name(path(&[&frame, "o"])), span };
    let [base, other] = joint.points.clone();
    let form = Call {
        function: path(&["fixed"]),
        arguments: [end, other].into_iter().map(|value| Argument { name: None, value }).collect(),
        span: joint.span,
    };
    let weld = Joint {
        name: name(&format!("{}_weld", joint.name.text)),
        form,
        description: joint.description.clone(),
    };
    let statements = vec![
        Statement { kind: StatementKind::Body(body), span: joint.span },
        Statement { kind: StatementKind::Joint(weld), span: joint.span },
    ];
    let mount = Mount {
        joint: joint.name.clone(),
        span: joint.span,
        base,
        own: None,
        inside: false,
        reversed: false,
        calls: joint.calls.to_vec(),
        tells: joint.tells,
    };
    (statements, frame, mount)
}
