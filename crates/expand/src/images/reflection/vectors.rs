//! Reflected expressions: scalars keep their values, vectors reflect by the parity that their place asks for.

use cardan_syntax::{Argument, Call, ChainOp, Expr, ExprKind, Path, UnaryOp};

use super::{Mirror, is_place, negated};
use crate::definition::{Flow, SymbolKind};
use crate::mirror::{Parity, axis};

/// How deep definitions of variables are followed.
const DEPTH: usize = 8;

/// What an expression is, as far as its text tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    Scalar,
    /// A vector whose parity its place decides.
    Direction,
    Vector(Parity),
}

impl Mirror<'_, '_, '_> {
    /// A point, or an end of an element: components and offsets reflect, names stand for reflected things.
    pub(super) fn point(&self, e: &Expr) -> Expr {
        match self.nature(e, 0) {
            Nature::Scalar => e.clone(),
            _ => self.vector(e, Parity::Polar),
        }
    }

    /// An expression by its own nature; tuples and directions without one are polar.
    pub(super) fn any(&self, e: &Expr) -> Expr {
        match self.nature(e, 0) {
            Nature::Scalar => self.scalar(e),
            Nature::Direction => self.vector(e, Parity::Polar),
            Nature::Vector(parity) => self.vector(e, parity),
        }
    }

    pub(super) fn own_parity(&self, e: &Expr) -> Option<Parity> {
        match self.nature(e, 0) {
            Nature::Vector(parity) => Some(parity),
            _ => None,
        }
    }

    fn nature(&self, e: &Expr, depth: usize) -> Nature {
        let inner = |e: &Expr| self.nature(e, depth + 1);
        if depth > DEPTH * 4 {
            return Nature::Scalar;
        }
        match &e.kind {
            ExprKind::Tuple(parts) if parts.len() == 3 => Nature::Direction,
            ExprKind::Quantity { value, .. } => inner(value),
            ExprKind::Unary { op: UnaryOp::Minus | UnaryOp::Plus, operand } => inner(operand),
            ExprKind::Chain { first, rest } => {
                let all = std::iter::once(&**first).chain(rest.iter().map(|(_, e)| e));
                let natures: Vec<Nature> = all.map(inner).collect();
                let vector = natures.iter().find(|n| matches!(n, Nature::Vector(_)));
                vector.or(natures.iter().find(|n| **n != Nature::Scalar)).copied().unwrap_or(Nature::Scalar)
            }
            ExprKind::If { arms, otherwise } => {
                arms.first().map_or_else(|| inner(otherwise), |(_, v)| inner(v))
            }
            ExprKind::Call(call) => self.nature_of_call(call, depth),
            ExprKind::Name(path) => self.nature_of_name(path, depth),
            _ => Nature::Scalar,
        }
    }

    fn nature_of_call(&self, call: &Call, depth: usize) -> Nature {
        let argument = |k: usize| call.positional().nth(k).map(|e| self.nature(e, depth + 1));
        let polar = |n: Option<Nature>| !matches!(n, Some(Nature::Vector(Parity::Axial)));
        match call.function.as_name().map_or("", |n| n.text.as_str()) {
            "position" | "velocity" | "acceleration" => Nature::Vector(Parity::Polar),
            "omega" | "alpha" => Nature::Vector(Parity::Axial),
            "cross" if polar(argument(0)) == polar(argument(1)) => Nature::Vector(Parity::Axial),
            "cross" => Nature::Vector(Parity::Polar),
            "dir" | "der" => argument(0).unwrap_or(Nature::Scalar),
            _ if self.is_frame(&call.function) && call.arguments.len() == 3 => Nature::Direction,
            _ => Nature::Scalar,
        }
    }

    /// Whether a path names a frame: a body, a frame port, or the ground, which nothing here declares.
    pub(super) fn is_frame(&self, path: &Path) -> bool {
        let Some(name) = path.as_name() else { return false };
        match self.expander.find(self.scope, &name.text) {
            None => name.text == self.expander.ground,
            Some((scope, symbol)) => match symbol.kind {
                SymbolKind::Body => true,
                SymbolKind::Port(port) => self.expander.port(scope, port).flow == Flow::Frame,
                _ => false,
            },
        }
    }

    fn nature_of_name(&self, path: &Path, depth: usize) -> Nature {
        let names: Vec<&str> = path.segments.iter().map(|s| s.name.text.as_str()).collect();
        let head = Path { segments: path.segments[..1].to_vec(), span: path.span };
        match names.as_slice() {
            [letters] if is_axis_word(letters) => Nature::Direction,
            [_, letter] if axis(letter).is_some() && self.is_frame(&head) => Nature::Direction,
            [.., "force" | "counterforce"] if self.is_frame(&head) => Nature::Vector(Parity::Polar),
            [.., "torque" | "countertorque"] if self.is_frame(&head) => Nature::Vector(Parity::Axial),
            [name] if depth < DEPTH => match self.expander.find(self.scope, name).map(|(_, s)| s.kind) {
                Some(SymbolKind::Quantity(d)) => {
                    let value = d.value.as_ref();
                    match value.map_or(Nature::Scalar, |e| self.nature(e, depth + 1)) {
                        Nature::Direction => Nature::Vector(Parity::Polar),
                        nature => nature,
                    }
                }
                Some(SymbolKind::Constant(d)) if is_place(d) => Nature::Vector(Parity::Polar),
                _ => Nature::Scalar,
            },
            _ => Nature::Scalar,
        }
    }

    /// A vector as the image has it where a place asks for a parity.
    pub(super) fn vector(&self, e: &Expr, want: Parity) -> Expr {
        let boxed = |e: &Expr| Box::new(self.vector(e, want));
        let kind = match &e.kind {
            ExprKind::Tuple(parts) if parts.len() == 3 => {
                let part = |(k, e): (usize, &Expr)| {
                    let e = self.scalar(e);
                    if self.signs.flips(k, want) { negated(&e) } else { e }
                };
                ExprKind::Tuple(parts.iter().enumerate().map(part).collect())
            }
            ExprKind::Quantity { value, unit } => {
                ExprKind::Quantity { value: boxed(value), unit: unit.clone() }
            }
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: boxed(operand) },
            ExprKind::Chain { first, rest } => {
                let sums = matches!(rest.first(), Some((ChainOp::Add | ChainOp::Subtract, _)));
                let part = |e: &Expr| match sums || self.nature(e, 0) != Nature::Scalar {
                    true => self.vector(e, want),
                    false => self.scalar(e),
                };
                ExprKind::Chain {
                    first: Box::new(part(first)),
                    rest: rest.iter().map(|(op, e)| (*op, part(e))).collect(),
                }
            }
            ExprKind::If { arms, otherwise } => ExprKind::If {
                arms: arms.iter().map(|(c, v)| (self.scalar(c), self.vector(v, want))).collect(),
                otherwise: boxed(otherwise),
            },
            ExprKind::Name(path) => {
                let letter = path.segments.last().map_or("", |s| s.name.text.as_str());
                let flips = match (self.nature(e, 0), axis(letter)) {
                    (Nature::Direction, Some(k)) => self.signs.flips(k, want),
                    (Nature::Vector(parity), _) => parity != want,
                    _ => false,
                };
                return if flips { negated(e) } else { e.clone() };
            }
            ExprKind::Call(call) => return self.vector_call(e, call, want),
            other => other.clone(),
        };
        Expr { kind, span: e.span }
    }

    pub(super) fn vector_call(&self, e: &Expr, call: &Call, want: Parity) -> Expr {
        let rebuilt = |arguments: Vec<Argument>| {
            let call = Call { arguments, ..call.clone() };
            Expr { kind: ExprKind::Call(call), span: e.span }
        };
        let name = call.function.as_name().map_or("", |n| n.text.as_str());
        match name {
            "cross" => {
                let parity = |e: &Expr| self.own_parity(e).unwrap_or(Parity::Polar);
                let parities: Vec<Parity> = call.positional().map(parity).collect();
                let arguments = call
                    .arguments
                    .iter()
                    .map(|a| Argument {
                        name: a.name.clone(),
                        value: self.vector(&a.value, parity(&a.value)),
                    })
                    .collect();
                // Eq. [mirror-cross].
                let natural = match parities.as_slice() {
                    [a, b] if a != b => Parity::Polar,
                    _ => Parity::Axial,
                };
                let product = rebuilt(arguments);
                if natural == want { product } else { negated(&product) }
            }
            "dir" | "der" => rebuilt(
                call.arguments
                    .iter()
                    .map(|a| Argument { name: a.name.clone(), value: self.vector(&a.value, want) })
                    .collect(),
            ),
            "position" | "velocity" | "acceleration" | "omega" | "alpha" => {
                let arguments = call
                    .arguments
                    .iter()
                    .map(|a| Argument { name: a.name.clone(), value: self.point(&a.value) })
                    .collect();
                let own = if matches!(name, "omega" | "alpha") { Parity::Axial } else { Parity::Polar };
                let vector = rebuilt(arguments);
                if own == want { vector } else { negated(&vector) }
            }
            _ if call.arguments.len() == 3 => rebuilt(
                call.arguments
                    .iter()
                    .enumerate()
                    .map(|(k, a)| {
                        let e = self.scalar(&a.value);
                        let value = if self.signs.flips(k, want) { negated(&e) } else { e };
                        Argument { name: a.name.clone(), value }
                    })
                    .collect(),
            ),
            _ => e.clone(),
        }
    }

    /// A scalar: it has the value of the original, so components along flipped axes change their sign.
    pub(super) fn scalar(&self, e: &Expr) -> Expr {
        let boxed = |e: &Expr| Box::new(self.scalar(e));
        let kind = match &e.kind {
            ExprKind::Name(path) => {
                let names: Vec<&str> = path.segments.iter().map(|s| s.name.text.as_str()).collect();
                let flips = match names.as_slice() {
                    [.., letter] if names.len() > 1 => axis(letter).is_some_and(|k| {
                        let head =
                            Path { segments: path.segments[..names.len() - 1].to_vec(), span: path.span };
                        let parity = match self.nature_of_name(&head, 0) {
                            Nature::Vector(parity) => parity,
                            _ => Parity::Polar,
                        };
                        self.signs.flips(k, parity)
                    }),
                    _ => false,
                };
                return if flips { negated(e) } else { e.clone() };
            }
            ExprKind::Part { of, name } => {
                let parity = self.own_parity(of);
                let Some((k, parity)) = axis(&name.text).zip(parity) else { return e.clone() };
                let part = ExprKind::Part { of: Box::new(self.vector(of, parity)), name: name.clone() };
                let part = Expr { kind: part, span: e.span };
                return if self.signs.flips(k, parity) { negated(&part) } else { part };
            }
            ExprKind::Call(call) => return self.scalar_call(e, call),
            ExprKind::Tuple(parts) => ExprKind::Tuple(parts.iter().map(|e| self.any(e)).collect()),
            ExprKind::Quantity { value, unit } => {
                ExprKind::Quantity { value: boxed(value), unit: unit.clone() }
            }
            ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: boxed(operand) },
            ExprKind::Chain { first, rest } => ExprKind::Chain {
                first: Box::new(self.any(first)),
                rest: rest.iter().map(|(op, e)| (*op, self.any(e))).collect(),
            },
            ExprKind::Power { base, exponent } => {
                ExprKind::Power { base: boxed(base), exponent: boxed(exponent) }
            }
            ExprKind::Compare { op, left, right } => ExprKind::Compare {
                op: *op,
                left: Box::new(self.any(left)),
                right: Box::new(self.any(right)),
            },
            ExprKind::If { arms, otherwise } => ExprKind::If {
                arms: arms.iter().map(|(c, v)| (self.scalar(c), self.scalar(v))).collect(),
                otherwise: boxed(otherwise),
            },
            ExprKind::Range { low, high } => ExprKind::Range { low: boxed(low), high: boxed(high) },
            ExprKind::Sum { name, range, term } => {
                ExprKind::Sum { name: name.clone(), range: range.clone(), term: Box::new(self.any(term)) }
            }
            other => other.clone(),
        };
        Expr { kind, span: e.span }
    }

    pub(super) fn scalar_call(&self, e: &Expr, call: &Call) -> Expr {
        let with = |parity: &dyn Fn(usize, &Expr) -> Option<Parity>| {
            let mut k = 0;
            let mut call = call.clone();
            for argument in &mut call.arguments {
                argument.value = match parity(k, &argument.value) {
                    Some(parity) => self.vector(&argument.value, parity),
                    None => self.any(&argument.value),
                };
                k += usize::from(argument.name.is_none());
            }
            Expr { kind: ExprKind::Call(call), span: e.span }
        };
        match call.function.as_name().map_or("", |n| n.text.as_str()) {
            "dot" => {
                let own: Vec<Option<Parity>> = call.positional().map(|e| self.own_parity(e)).collect();
                let common = own.iter().flatten().next().copied().unwrap_or(Parity::Polar);
                let product = with(&|_, e| Some(self.own_parity(e).unwrap_or(common)));
                // The product of a polar and an axial vector changes its sign.
                match own.as_slice() {
                    [Some(a), Some(b)] if a != b && self.signs.is_improper() => negated(&product),
                    _ => product,
                }
            }
            "mag" => with(&|_, e| Some(self.own_parity(e).unwrap_or(Parity::Polar))),
            // An angle is counted about an axis, which is axial.
            "angle" => with(&|k, e| match (k, e) {
                (0 | 1, e) => Some(self.own_parity(e).unwrap_or(Parity::Polar)),
                _ => Some(Parity::Axial),
            }),
            _ => with(&|_, _| None),
        }
    }
}

fn is_axis_word(word: &str) -> bool {
    matches!(word, "x" | "y" | "z")
}
