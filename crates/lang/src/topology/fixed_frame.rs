//! Frames that are fixed on a body, as ends of joints that hold the body.
//!
//! ```text
//! [turned]   marker = body, turned by R, at p:    a joint that carries the marker carries the body, its motions, then Rᵀ, then -p
//! [undone]   R = R_i(a) R_j(b) R_k(c)    ⇒    Rᵀ = R_k(-c) R_j(-b) R_i(-a)
//! ```

use cardan_syntax::{Argument, Call, Expr, ExprKind, Name, Path, Segment, UnaryOp};

/// The origin of what stands there by its name alone.
pub(crate) fn with_origin(e: &Expr) -> Expr {
    match &e.kind {
        ExprKind::Name(path) if path.segments.len() == 1 => {
            let mut path = path.clone();
            path.segments.push(segment("o", &path));
            Expr { kind: ExprKind::Name(path), span: e.span }
        }
        _ => e.clone(),
    }
}

fn segment(text: &str, beside: &Path) -> Segment {
    Segment { name: Name::new(text, beside.span), index: vec![] }
}

/// The fixed turn that undoes another; nothing where the angles are not written one by one. [undone]
pub(crate) fn undone(turn: &Call) -> Option<Call> {
    let argument = |wanted: &str| {
        turn.arguments.iter().find(|a| a.name.as_ref().is_some_and(|n| n.text == wanted)).map(|a| &a.value)
    };
    let angles = argument("angles")?;
    let sequence = match argument("rotate").map(|e| &e.kind) {
        None => "xyz",
        Some(ExprKind::Name(path)) => path.as_name()?.text.as_str(),
        Some(_) => return None,
    };
    let mut path = turn.function.clone();
    path.segments = vec![segment(&sequence.chars().rev().collect::<String>(), &turn.function)];
    let rotate = Expr { kind: ExprKind::Name(path), span: turn.span };
    let named = |text: &str, value: Expr| Argument { name: Some(Name::new(text, turn.span)), value };
    let arguments = vec![named("rotate", rotate), named("angles", backwards(angles)?)];
    Some(Call { arguments, ..turn.clone() })
}

/// Three angles in the opposite order, each the other way.
fn backwards(angles: &Expr) -> Option<Expr> {
    let kind = match &angles.kind {
        ExprKind::Tuple(parts) => {
            let minus = |e: &Expr| Expr {
                kind: ExprKind::Unary { op: UnaryOp::Minus, operand: Box::new(e.clone()) },
                span: e.span,
            };
            ExprKind::Tuple(parts.iter().rev().map(minus).collect())
        }
        ExprKind::Quantity { value, unit } => {
            ExprKind::Quantity { value: Box::new(backwards(value)?), unit: unit.clone() }
        }
        _ => return None,
    };
    Some(Expr { kind, span: angles.span })
}
