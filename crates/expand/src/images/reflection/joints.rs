//! Reflected joints, shapes and joints that close loops.

use cardan_base::Span;
use cardan_syntax::{Argument, Call, Expr, ExprKind, Name, Path};

use super::{Mirror, negated};
use crate::mirror::{Parity, axis};
use crate::write::is_axis;

impl Mirror<'_, '_, '_> {
    /// A joint of a body. Turns keep their coordinates by eq. [mirror-axial], slides by [mirror-polar].
    pub(super) fn joint(&self, call: &Call) -> Vec<Call> {
        let kind = call.function.as_name().map_or("", |n| n.text.as_str());
        match kind {
            "translate" => self.steps(call, Parity::Polar, "prismatic"),
            "rotate" => self.steps(call, Parity::Axial, "revolute"),
            "prismatic" => vec![self.with_axes(call, Parity::Polar)],
            "revolute" | "universal" => vec![self.with_axes(call, Parity::Axial)],
            "screw" => vec![self.screw(call)],
            "cylindrical" => self.cylindrical(call),
            "planar" => self.planar(call),
            "fixed" => vec![self.turned(call)],
            _ => vec![call.clone()],
        }
    }

    /// `rotate(x = a, z = b)`: each axis is a joint of its own, so that its direction can be written.
    pub(super) fn steps(&self, call: &Call, parity: Parity, single: &str) -> Vec<Call> {
        let is_step = |a: &&Argument| match &a.name {
            None => is_axis(&a.value),
            Some(name) => axis(&name.text).is_some(),
        };
        let others: Vec<Argument> = call.arguments.iter().filter(|a| !is_step(a)).cloned().collect();
        let step = |a: &Argument| {
            let mut arguments = vec![];
            match &a.name {
                None => arguments.push(plain(self.vector(&a.value, parity))),
                Some(name) => {
                    let word = Expr { kind: ExprKind::Name(Path::of(name.clone())), span: name.span };
                    arguments.push(plain(self.vector(&word, parity)));
                    let q = Some(Name::new("q", name.span));
                    arguments.push(Argument { name: q, value: a.value.clone() });
                }
            }
            arguments.extend(others.iter().map(|a| self.joint_argument(a)));
            Call { function: word(single, call.function.span), arguments, span: call.span }
        };
        call.arguments.iter().filter(is_step).map(step).collect()
    }

    pub(super) fn with_axes(&self, call: &Call, parity: Parity) -> Call {
        let mut out = call.clone();
        let letters = call.positional().next().and_then(Expr::as_name).map(|n| n.text.clone());
        if let Some(letters) = letters.filter(|l| l.len() == 2 && is_letters(l)) {
            // `universal(xy)` names two axes at once.
            let span = call.span;
            let axes = letters.chars().map(|c| {
                let e = Expr { kind: ExprKind::Name(word(&c.to_string(), span)), span };
                plain(self.vector(&e, parity))
            });
            let rest = call.arguments.iter().skip(1).map(|a| self.joint_argument(a));
            out.arguments = axes.chain(rest).collect();
            return out;
        }
        for argument in &mut out.arguments {
            let named = argument.name.as_ref().map(|n| n.text.as_str());
            let mark =
                argument.value.as_name().is_some_and(|n| matches!(&*n.text, "small" | "lock" | "locked"));
            match named {
                None if mark => {}
                None | Some("axis" | "axes" | "second" | "normal") => {
                    argument.value = match &argument.value.kind {
                        ExprKind::Tuple(parts) if parts.iter().all(is_axis) => Expr {
                            kind: ExprKind::Tuple(parts.iter().map(|e| self.vector(e, parity)).collect()),
                            span: argument.value.span,
                        },
                        _ => self.vector(&argument.value, parity),
                    };
                }
                _ => *argument = self.joint_argument(argument),
            }
        }
        out
    }

    /// `orient = (…)` turns by three angles about x, y and z.
    pub(super) fn joint_argument(&self, argument: &Argument) -> Argument {
        let mut argument = argument.clone();
        match argument.name.as_ref().map(|n| n.text.as_str()) {
            Some("orient") => argument.value = self.angles(&argument.value, "xyz"),
            Some("motion") => argument.value = self.any(&argument.value),
            _ => {}
        }
        argument
    }

    /// Eq. [mirror-screw].
    pub(super) fn screw(&self, call: &Call) -> Call {
        let mut out = self.with_axes(call, Parity::Axial);
        let mut position = 0;
        for (k, argument) in call.arguments.iter().enumerate() {
            let lead = match &argument.name {
                Some(name) => name.text == "lead",
                None => {
                    position += 1;
                    position == 2
                }
            };
            if lead && self.signs.is_improper() {
                out.arguments[k].value = negated(&argument.value);
            } else if lead {
                out.arguments[k] = argument.clone();
            }
        }
        out
    }

    /// The slide is polar and the turn axial, so that they need two joints.
    pub(super) fn cylindrical(&self, call: &Call) -> Vec<Call> {
        let split = |name: &str, k: usize| {
            call.named(name).map(|e| match &e.kind {
                ExprKind::Tuple(parts) => parts.get(k).cloned().unwrap_or(e.clone()),
                _ => e.clone(),
            })
        };
        let part = |kind: &str, k: usize, parity: Parity| {
            let mut one = call.clone();
            one.function = word(kind, call.function.span);
            one.arguments.retain(|a| {
                let name = a.name.as_ref().map(|n| n.text.as_str());
                !matches!(name, Some("q" | "speed" | "orient")) || (name == Some("orient") && k == 0)
            });
            for name in ["q", "speed"] {
                if let Some(value) = split(name, k) {
                    let name = Some(Name::new(name, value.span));
                    one.arguments.push(Argument { name, value });
                }
            }
            self.with_axes(&one, parity)
        };
        vec![part("prismatic", 0, Parity::Polar), part("revolute", 1, Parity::Axial)]
    }

    /// Two slides in the plane and the turn about its normal.
    pub(super) fn planar(&self, call: &Call) -> Vec<Call> {
        let normal = call.named("normal").or(call.positional().next());
        let negative = normal.is_some_and(|e| matches!(e.kind, ExprKind::Unary { .. }));
        let letter = normal.and_then(|e| match &e.kind {
            ExprKind::Unary { operand, .. } => operand.as_name(),
            _ => e.as_name(),
        });
        let Some(k) = letter.and_then(|n| axis(&n.text)) else { return vec![call.clone()] };
        let letters = ["x", "y", "z"];
        let names: Vec<Expr> = match call.named("q").map(|e| &e.kind) {
            Some(ExprKind::Tuple(parts)) => parts.clone(),
            _ => vec![],
        };
        let others: Vec<Argument> = call
            .arguments
            .iter()
            .filter(|a| {
                let name = a.name.as_ref().map(|n| n.text.as_str());
                match name {
                    None => !is_axis(&a.value),
                    Some(name) => !matches!(name, "q" | "normal" | "orient"),
                }
            })
            .cloned()
            .collect();
        let orient = call.arguments.iter().find(|a| a.name.as_ref().is_some_and(|n| n.text == "orient"));
        let one = |i: usize, kind: &str, letter: &str, parity: Parity, minus: bool| {
            let span = call.span;
            let e = Expr { kind: ExprKind::Name(word(letter, span)), span };
            let direction = self.vector(&e, parity);
            let mut arguments = vec![plain(if minus { negated(&direction) } else { direction })];
            if let Some(value) = names.get(i) {
                arguments.push(Argument { name: Some(Name::new("q", value.span)), value: value.clone() });
            }
            arguments.extend(others.iter().cloned());
            arguments.extend(orient.filter(|_| i == 0).map(|a| self.joint_argument(a)));
            Call { function: word(kind, call.function.span), arguments, span }
        };
        vec![
            one(0, "prismatic", letters[(k + 1) % 3], Parity::Polar, false),
            one(1, "prismatic", letters[(k + 2) % 3], Parity::Polar, false),
            one(2, "revolute", letters[k], Parity::Axial, negative),
        ]
    }

    /// `fixed(rotate = zyx, angles = (a, b, c))`.
    pub(super) fn turned(&self, call: &Call) -> Call {
        let sequence =
            call.named("rotate").and_then(Expr::as_name).map_or("xyz".to_owned(), |n| n.text.clone());
        let mut out = call.clone();
        for argument in &mut out.arguments {
            if argument.name.as_ref().is_some_and(|n| n.text == "angles") {
                argument.value = self.angles(&argument.value, &sequence);
            }
        }
        out
    }

    /// Angles about the axes of a sequence, each with the sign of its axis.
    pub(super) fn angles(&self, e: &Expr, sequence: &str) -> Expr {
        let kind = match &e.kind {
            ExprKind::Quantity { value, unit } => {
                ExprKind::Quantity { value: Box::new(self.angles(value, sequence)), unit: unit.clone() }
            }
            ExprKind::Tuple(parts) => {
                let axes: Vec<usize> = sequence.chars().filter_map(|c| axis(&c.to_string())).collect();
                let part = |(k, e): (usize, &Expr)| {
                    let flips = axes.get(k).is_some_and(|a| self.signs.flips(*a, Parity::Axial));
                    if flips { negated(e) } else { e.clone() }
                };
                ExprKind::Tuple(parts.iter().enumerate().map(part).collect())
            }
            other => other.clone(),
        };
        Expr { kind, span: e.span }
    }

    /// A joint that closes a loop: points and directions reflect, a lead changes its sign.
    pub(super) fn closing(&self, call: &Call) -> Call {
        let mut out = call.clone();
        let screw = call.function.is("screw");
        for argument in &mut out.arguments {
            match argument.name.as_ref().map(|n| n.text.as_str()) {
                None if is_axis(&argument.value) => {
                    argument.value = self.vector(&argument.value, Parity::Axial);
                }
                None => argument.value = self.point(&argument.value),
                Some("lead") if screw && self.signs.is_improper() => {
                    argument.value = negated(&argument.value);
                }
                Some("q" | "speed") => {}
                Some(name) if name.starts_with("axis") => {
                    argument.value = self.vector(&argument.value, Parity::Axial);
                }
                Some(_) => argument.value = self.any(&argument.value),
            }
        }
        out
    }

    pub(super) fn shape(&self, call: &Call) -> Call {
        let mut out = call.clone();
        for argument in &mut out.arguments {
            match (argument.name.as_ref().map(|n| n.text.as_str()), &argument.value.kind) {
                (None, ExprKind::Call(inner)) => argument.value.kind = ExprKind::Call(self.shape(inner)),
                (Some("polygon" | "vertices"), _) => argument.value = self.polygon(&argument.value),
                (name, _) => self.shape_argument(name.map(str::to_owned).as_deref(), &mut argument.value),
            }
        }
        out
    }

    fn shape_argument(&self, name: Option<&str>, value: &mut Expr) {
        match name {
            Some(
                "size" | "radii" | "color" | "colour" | "radius" | "inner" | "length" | "profile" | "density"
                | "triangles",
            ) => {}
            Some("angles" | "orient") => *value = self.angles(value, "xyz"),
            _ => *value = self.any(value),
        }
    }

    /// The corners of a polygon in the plane x, y.
    fn polygon(&self, e: &Expr) -> Expr {
        let mut out = e.clone();
        match &mut out.kind {
            ExprKind::Quantity { value, .. } => **value = self.polygon(value),
            ExprKind::Tuple(corners) => {
                for corner in corners {
                    let ExprKind::Tuple(pair) = &mut corner.kind else { continue };
                    for (axis, x) in pair.iter_mut().enumerate() {
                        if axis < 3 && self.signs.flips(axis, Parity::Polar) {
                            *x = negated(x);
                        }
                    }
                }
            }
            _ => {}
        }
        out
    }
}

fn is_letters(word: &str) -> bool {
    word.chars().all(|c| matches!(c, 'x' | 'y' | 'z'))
}

fn word(text: &str, span: Span) -> Path {
    Path::of(Name::new(text, span))
}

fn plain(value: Expr) -> Argument {
    Argument { name: None, value }
}
