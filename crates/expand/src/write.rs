//! Expressions of the flat tree: names replaced by flat names, counting numbers by their values, sums written out.

use cardan_base::{Diagnostic, Span};
use cardan_syntax::{Argument, Call, ChainOp, Expr, ExprKind, Name, Path, Segment, UnaryOp};

use crate::codes;
use crate::constants::Constant;
use crate::definition::entries;
use crate::names::Meaning;
use crate::plan::Expander;
use crate::ports::number;
use crate::scope::Place;

/// Words of joints that are not names: they make a coordinate small or lock it.
const MARKS: &[&str] = &["small", "lock", "locked"];
/// Arguments whose values are words.
const WORDED: &[&str] = &["rotate", "speeds"];
/// Arguments whose values may be axes.
const AXES: &[&str] = &["axis", "axes", "second", "normal", "axis1", "axis2"];

impl<'t> Expander<'t, '_> {
    /// An expression of the flat tree.
    pub fn expr(&mut self, e: &Expr, place: &Place) -> Expr {
        let span = self.span(e.span, place.scope);
        let boxed = |this: &mut Self, e: &Expr| Box::new(this.expr(e, place));
        let kind = match &e.kind {
            ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Missing => e.kind.clone(),
            ExprKind::Name(path) => return self.name(path, span, place),
            ExprKind::Call(call) => match self.call(call, place) {
                Some(call) => ExprKind::Call(call),
                None => ExprKind::Missing,
            },
            ExprKind::Tuple(parts) => ExprKind::Tuple(parts.iter().map(|p| self.expr(p, place)).collect()),
            ExprKind::Quantity { value, unit } => {
                let mut unit = unit.clone();
                unit.span = self.span(unit.span, place.scope);
                ExprKind::Quantity { value: boxed(self, value), unit }
            }
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: boxed(self, operand) },
            ExprKind::Chain { first, rest } => ExprKind::Chain {
                first: boxed(self, first),
                rest: rest.iter().map(|(op, e)| (*op, self.expr(e, place))).collect(),
            },
            ExprKind::Power { base, exponent } => {
                ExprKind::Power { base: boxed(self, base), exponent: boxed(self, exponent) }
            }
            ExprKind::Compare { op, left, right } => {
                ExprKind::Compare { op: *op, left: boxed(self, left), right: boxed(self, right) }
            }
            ExprKind::If { arms, otherwise } => return self.branches(arms, otherwise, span, place),
            ExprKind::Range { low, high } => {
                ExprKind::Range { low: boxed(self, low), high: boxed(self, high) }
            }
            ExprKind::Part { of, name } => {
                let mut name = name.clone();
                name.span = self.span(name.span, place.scope);
                ExprKind::Part { of: boxed(self, of), name }
            }
            ExprKind::Sum { name, range, term } => return self.sum(name, range, term, span, place),
        };
        Expr { kind, span }
    }

    /// A choice: what structure decides is decided here.
    fn branches(&mut self, arms: &[(Expr, Expr)], otherwise: &Expr, span: Span, place: &Place) -> Expr {
        let mut kept = vec![];
        for (condition, value) in arms {
            let decided = match self.mentions_structure(condition, place) {
                true => self.try_structural(condition, place).ok(),
                false => None,
            };
            match decided {
                Some(Constant::Truth(false)) => {}
                Some(Constant::Truth(true)) => return self.choice_of(kept, value, span, place),
                _ => kept.push((self.expr(condition, place), self.expr(value, place))),
            }
        }
        self.choice_of(kept, otherwise, span, place)
    }

    fn choice_of(&mut self, arms: Vec<(Expr, Expr)>, otherwise: &Expr, span: Span, place: &Place) -> Expr {
        let otherwise = self.expr(otherwise, place);
        match arms.is_empty() {
            true => otherwise,
            false => Expr { kind: ExprKind::If { arms, otherwise: Box::new(otherwise) }, span },
        }
    }

    /// A choice that must be decided by structure: which frame, which point.
    pub(crate) fn choice(&mut self, e: &Expr, place: &Place) -> Option<Expr> {
        if let ExprKind::If { arms, otherwise } = &e.kind {
            for (condition, value) in arms {
                if !self.mentions_structure(condition, place) {
                    break;
                }
                if self.truth(condition, place)? {
                    return self.choice(value, place);
                }
            }
            if arms.iter().all(|(c, _)| self.mentions_structure(c, place)) {
                return self.choice(otherwise, place);
            }
        }
        Some(self.expr(e, place))
    }

    /// The name of a frame or point.
    pub(crate) fn frame(&mut self, e: &Expr, place: &Place) -> Option<Expr> {
        let frame = self.choice(e, place)?;
        if matches!(frame.kind, ExprKind::Name(_) | ExprKind::Missing) {
            return Some(frame);
        }
        let d = Diagnostic::error(codes::MISMATCH, "a body, a frame or a point is needed here");
        self.report(d.at(frame.span, "").hint("name it: `chassis -> body1`"));
        None
    }

    fn sum(&mut self, name: &Name, range: &Expr, term: &Expr, span: Span, place: &Place) -> Expr {
        let missing = Expr { kind: ExprKind::Missing, span };
        let Some((low, high)) = self.range(range, place) else { return missing };
        let mut terms = vec![];
        for k in low..=high {
            let term = substituted(term, &name.text, k);
            terms.push(self.expr(&term, place));
        }
        let mut terms = terms.into_iter();
        let Some(first) = terms.next() else { return number(0, span) };
        let rest: Vec<(ChainOp, Expr)> = terms.map(|e| (ChainOp::Add, e)).collect();
        if rest.is_empty() {
            return first;
        }
        Expr { kind: ExprKind::Chain { first: Box::new(first), rest }, span }
    }

    /// A name of the flat tree, or what a port stands for.
    fn name(&mut self, path: &Path, span: Span, place: &Place) -> Expr {
        let missing = Expr { kind: ExprKind::Missing, span };
        let (head, taken) = match self.meaning(path, place) {
            Meaning::Count(value) => return number(value, span),
            Meaning::Wrong => return missing,
            Meaning::Instance(scope) => {
                let name = self.scopes[scope].prefix.trim_end_matches('.').to_owned();
                let d = Diagnostic::error(
                    codes::UNKNOWN_PART,
                    format!("`{name}` is an instance and has no value"),
                );
                let ports: Vec<String> = self.definitions[self.scopes[scope].definition]
                    .ports
                    .iter()
                    .map(|p| format!("`{name}.{}`", p.name.text))
                    .collect();
                let help = match ports.is_empty() {
                    true => "name one of its parts".to_owned(),
                    false => format!("write {}", ports.join(" or ")),
                };
                self.report(d.at(span, "").hint(help));
                return missing;
            }
            Meaning::Foreign => {
                return match self.foreign(path, place) {
                    Some(path) => Expr { kind: ExprKind::Name(path), span },
                    None => missing,
                };
            }
            Meaning::Flat { name, taken } => {
                self.wanted.push(name.clone());
                let first = path.segments.first().map_or(span, |s| self.span(s.name.span, place.scope));
                let name = Name::new(name, first);
                (
                    Expr {
                        kind: ExprKind::Name(Path { segments: vec![Segment { name, index: vec![] }], span }),
                        span,
                    },
                    taken,
                )
            }
            Meaning::Port { scope, port, index, taken } => {
                let Some(mut value) = self.port_value(scope, port, &index, span) else { return missing };
                value.span = span;
                (value, taken)
            }
        };
        if taken == path.segments.len() {
            return head;
        }
        let Expr { kind: ExprKind::Name(mut flat), .. } = head else {
            let d = Diagnostic::error(codes::MISMATCH, "this signal has no parts").at(span, "");
            self.report(d.hint("name the whole, or an element: `v[1]`"));
            return missing;
        };
        for segment in &path.segments[taken..] {
            let Some(segment) = self.segment(segment, place) else { return missing };
            flat.segments.push(segment);
        }
        flat.span = span;
        Expr { kind: ExprKind::Name(flat), span }
    }

    /// A part of a path with its index made part of its name.
    fn segment(&mut self, segment: &Segment, place: &Place) -> Option<Segment> {
        let index = self.indices(&segment.index, place)?;
        let span = self.span(segment.name.span, place.scope);
        Some(Segment { name: Name::new(format!("{}{index}", segment.name.text), span), index: vec![] })
    }

    /// A path that nothing here declares.
    fn foreign(&mut self, path: &Path, place: &Place) -> Option<Path> {
        let segments: Option<Vec<Segment>> = path.segments.iter().map(|s| self.segment(s, place)).collect();
        let mut segments = segments?;
        // Imported texts do not know what the model calls its ground.
        if let Some(first) = segments.first_mut().filter(|s| s.name.text == "N")
            && self.module_of(place.scope) > 0
        {
            self.ground.clone_into(&mut first.name.text);
        }
        Some(Path { segments, span: self.span(path.span, place.scope) })
    }

    /// A path of the flat tree where only a path may stand.
    pub(crate) fn path(&mut self, path: &Path, place: &Place) -> Path {
        let span = self.span(path.span, place.scope);
        match self.name(path, span, place).kind {
            ExprKind::Name(path) => path,
            ExprKind::Missing => Path { segments: vec![], span },
            _ => {
                let d = Diagnostic::error(codes::MISMATCH, "a name is needed here, and this is a value");
                self.report(d.at(span, "").hint("name a part of the model"));
                Path { segments: vec![], span }
            }
        }
    }

    fn call(&mut self, call: &Call, place: &Place) -> Option<Call> {
        let span = self.span(call.function.span, place.scope);
        let function = match self.name(&call.function, span, place).kind {
            ExprKind::Name(path) => path,
            _ => return None,
        };
        let arguments = call.arguments.iter().map(|a| self.argument(a, place)).collect();
        Some(Call { function, arguments, span: self.span(call.span, place.scope) })
    }

    fn argument(&mut self, argument: &Argument, place: &Place) -> Argument {
        let name = argument.name.as_ref().map(|n| self.plain(n, place));
        Argument { name, value: self.expr(&argument.value, place) }
    }

    /// A name that is no reference, in its place.
    pub(crate) fn plain(&self, name: &Name, place: &Place) -> Name {
        Name::new(name.text.clone(), self.span(name.span, place.scope))
    }

    /// A joint, a shape or what closes a loop: words stay, coordinates are declared.
    pub(crate) fn joint_call(&mut self, call: &Call, place: &Place) -> Call {
        let steps = call.function.is("translate") || call.function.is("rotate");
        let composed = call.function.is("union") || call.function.is("difference");
        let mut arguments = vec![];
        for (k, argument) in call.arguments.iter().enumerate() {
            let name = argument.name.as_ref().map(|n| self.plain(n, place));
            let value = match argument.name.as_ref().map(|n| n.text.as_str()) {
                None if is_word(&argument.value, MARKS) || (is_axis(&argument.value) && k != 0) => {
                    self.verbatim(&argument.value, place)
                }
                None if is_axis(&argument.value) => self.axis_or_value(call, &argument.value, place),
                Some(name) if WORDED.contains(&name) => self.verbatim(&argument.value, place),
                Some(name) if AXES.contains(&name) && is_axis(&argument.value) => {
                    self.verbatim(&argument.value, place)
                }
                None if composed => match &argument.value.kind {
                    ExprKind::Call(inner) => {
                        let span = self.span(argument.value.span, place.scope);
                        Expr { kind: ExprKind::Call(self.joint_call(inner, place)), span }
                    }
                    _ => self.expr(&argument.value, place),
                },
                Some("q" | "speed") => self.coordinates(&argument.value, place),
                Some("x" | "y" | "z") if steps => self.coordinates(&argument.value, place),
                _ => self.expr(&argument.value, place),
            };
            arguments.push(Argument { name, value });
        }
        let function = self.verbatim_path(&call.function, place);
        Call { function, arguments, span: self.span(call.span, place.scope) }
    }

    /// The first argument of a joint between points is a point even if it is called `x`.
    fn axis_or_value(&mut self, call: &Call, e: &Expr, place: &Place) -> Expr {
        match call.positional().count() > 1 && !is_axis_only(call) {
            true => self.expr(e, place),
            false => self.verbatim(e, place),
        }
    }

    fn coordinates(&mut self, e: &Expr, place: &Place) -> Expr {
        let span = self.span(e.span, place.scope);
        let named = |this: &mut Self, e: &Expr| match &e.kind {
            ExprKind::Name(path) => {
                let span = this.span(e.span, place.scope);
                let text = this.flat_path(path, place).unwrap_or_default();
                Expr { kind: ExprKind::Name(Path::of(Name::new(text, span))), span }
            }
            _ => this.verbatim(e, place),
        };
        match &e.kind {
            ExprKind::Tuple(_) => {
                let parts = entries(e).into_iter().map(|e| named(self, e)).collect();
                Expr { kind: ExprKind::Tuple(parts), span }
            }
            _ => named(self, e),
        }
    }

    /// Words as they are, in their place.
    pub(crate) fn verbatim(&self, e: &Expr, place: &Place) -> Expr {
        let mut e = e.clone();
        e.span = self.span(e.span, place.scope);
        match &mut e.kind {
            ExprKind::Name(path) => *path = self.verbatim_path(path, place),
            ExprKind::Unary { operand, .. } => **operand = self.verbatim(operand, place),
            ExprKind::Tuple(parts) => parts.iter_mut().for_each(|p| *p = self.verbatim(p, place)),
            _ => {}
        }
        e
    }

    pub(crate) fn verbatim_path(&self, path: &Path, place: &Place) -> Path {
        let mut path = path.clone();
        path.span = self.span(path.span, place.scope);
        for segment in &mut path.segments {
            segment.name.span = self.span(segment.name.span, place.scope);
        }
        path
    }
}

/// Whether an expression is one of some words.
fn is_word(e: &Expr, words: &[&str]) -> bool {
    e.as_name().is_some_and(|n| words.contains(&n.text.as_str()))
}

/// Whether an expression names axes: `x`, `-z`, `xy`.
pub(crate) fn is_axis(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Unary { op: UnaryOp::Minus, operand } => is_axis(operand),
        ExprKind::Name(path) => path
            .as_name()
            .is_some_and(|n| n.text.len() <= 3 && n.text.chars().all(|c| matches!(c, 'x' | 'y' | 'z'))),
        ExprKind::Tuple(parts) => parts.iter().all(is_axis),
        _ => false,
    }
}

/// Whether all arguments by position are axes.
fn is_axis_only(call: &Call) -> bool {
    call.positional().all(|e| is_axis(e) || is_word(e, MARKS))
}

/// A term of a sum for one value of its counting number.
fn substituted(e: &Expr, name: &str, k: i64) -> Expr {
    let inner = |e: &Expr| substituted(e, name, k);
    let boxed = |e: &Expr| Box::new(substituted(e, name, k));
    let indexed = |path: &Path| {
        let mut path = path.clone();
        for segment in &mut path.segments {
            segment.index = segment.index.iter().map(inner).collect();
        }
        path
    };
    let kind = match &e.kind {
        ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Missing => e.kind.clone(),
        ExprKind::Name(path) if path.is(name) => return number(k, e.span),
        ExprKind::Name(path) => ExprKind::Name(indexed(path)),
        ExprKind::Call(call) => ExprKind::Call(Call {
            function: indexed(&call.function),
            arguments: call
                .arguments
                .iter()
                .map(|a| Argument { name: a.name.clone(), value: inner(&a.value) })
                .collect(),
            span: call.span,
        }),
        ExprKind::Tuple(parts) => ExprKind::Tuple(parts.iter().map(inner).collect()),
        ExprKind::Quantity { value, unit } => ExprKind::Quantity { value: boxed(value), unit: unit.clone() },
        ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: boxed(operand) },
        ExprKind::Chain { first, rest } => ExprKind::Chain {
            first: boxed(first),
            rest: rest.iter().map(|(op, e)| (*op, inner(e))).collect(),
        },
        ExprKind::Power { base, exponent } => {
            ExprKind::Power { base: boxed(base), exponent: boxed(exponent) }
        }
        ExprKind::Compare { op, left, right } => {
            ExprKind::Compare { op: *op, left: boxed(left), right: boxed(right) }
        }
        ExprKind::If { arms, otherwise } => ExprKind::If {
            arms: arms.iter().map(|(c, v)| (inner(c), inner(v))).collect(),
            otherwise: boxed(otherwise),
        },
        ExprKind::Range { low, high } => ExprKind::Range { low: boxed(low), high: boxed(high) },
        ExprKind::Sum { name: other, range, term } => ExprKind::Sum {
            name: other.clone(),
            range: boxed(range),
            term: if other.text == name { term.clone() } else { boxed(term) },
        },
        ExprKind::Part { of, name } => ExprKind::Part { of: boxed(of), name: name.clone() },
    };
    Expr { kind, span: e.span }
}
