//! Reflected expressions and statements of a definition, by the law of [`mirror`](crate::mirror).
//!
//! Whether a direction such as `B.y` or a tuple is polar or axial depends on its place: a force is polar, a torque
//! axial. Vectors with a parity of their own (`velocity(P)`, `omega(B)`) reflect by themselves, since what they
//! speak of is reflected; where their parity is not the one that the place asks for, their sign changes.

use cardan_base::Diagnostic;
use cardan_syntax::{
    Assign, Call, Declaration, Element, Ends, Expr, ExprKind, LoadKind, Statement, StatementKind, UnaryOp,
    UnitText,
};
use cardan_units::{Dimension, Unit};

use crate::codes;
use crate::mirror::{Parity, Signs, axis};
use crate::plan::Expander;
use crate::scope::{Given, Place};

mod joints;
mod vectors;

/// The signs of one reflection and the scope whose names it meets.
#[derive(Clone, Copy)]
struct Mirror<'a, 't, 's> {
    signs: Signs,
    scope: usize,
    expander: &'a Expander<'t, 's>,
}

impl<'t> Expander<'t, '_> {
    /// A statement of a definition as its mirror image has it; nothing if nothing is mirrored.
    pub(crate) fn reflected(&mut self, statement: &Statement, place: &Place) -> Option<Statement> {
        let signs = self.scopes[place.scope].signs;
        if signs.is_none() {
            return None;
        }
        if let StatementKind::Body(body) = &statement.kind {
            for call in &body.joints {
                self.refuse_joint(call, place);
            }
        }
        let mirror = Mirror { signs, scope: place.scope, expander: self };
        Some(Statement { kind: mirror.statement(&statement.kind), span: statement.span })
    }

    /// A scalar expression of a definition as its mirror image has it.
    pub(crate) fn reflected_scalar(&self, e: &Expr, place: &Place) -> Expr {
        let signs = self.scopes[place.scope].signs;
        match signs.is_none() {
            true => e.clone(),
            false => Mirror { signs, scope: place.scope, expander: self }.any(e),
        }
    }

    /// The joint and place of a frame port.
    pub(crate) fn reflected_mount(
        &mut self,
        signs: Signs,
        joints: &[Call],
        at: Option<&Expr>,
        scope: usize,
    ) -> Option<(Vec<Call>, Option<Expr>)> {
        if signs.is_none() {
            return Some((joints.to_vec(), at.cloned()));
        }
        for call in joints {
            self.refuse_joint(call, &Place::new(scope));
        }
        let mirror = Mirror { signs, scope, expander: self };
        let calls = joints.iter().flat_map(|call| mirror.joint(call)).collect();
        Some((calls, at.map(|e| mirror.vector(e, Parity::Polar))))
    }

    /// A value that the maker of an image gives to a constant: a place reflects. Components alone can be reflected;
    /// a name stands for a place of the maker's own side.
    pub(crate) fn reflected_given(
        &mut self,
        d: &Declaration,
        e: Expr,
        given: &Given<'t>,
        place: &Place,
    ) -> Expr {
        let signs = self.scopes[place.scope].signs;
        if signs.is_none() || !is_place(d) {
            return e;
        }
        let scope = given.place.scope;
        if is_tuple(&e) {
            return Mirror { signs, scope, expander: self }.vector(&e, Parity::Polar);
        }
        if signs != self.scopes[scope].signs {
            let message = format!("the place `{}` of an image is given by a name", d.name.text);
            let d = Diagnostic::error(codes::MIRROR, message).at(given.span, "");
            let d = d.because("only components can be mirrored");
            self.report(d.hint("write the components: `(1, 0.5, 0) [m]`"));
        }
        e
    }

    fn refuse_joint(&mut self, call: &Call, place: &Place) {
        if !(call.function.is("spherical") || call.function.is("free")) {
            return;
        }
        let kind = self.sources.slice(call.function.span).to_owned();
        let message = format!("a joint `{kind}` with coordinates cannot be mirrored");
        let d = Diagnostic::error(codes::MIRROR, message).at(self.span(call.span, place.scope), "");
        let d =
            d.because("its three angles or Euler parameters have no axes that could be turned one by one");
        self.report(d.hint("write its turns one by one: `rotate(x = a, y = b, z = c)`"));
    }
}

impl Mirror<'_, '_, '_> {
    fn statement(&self, kind: &StatementKind) -> StatementKind {
        let mut kind = kind.clone();
        match &mut kind {
            StatementKind::Body(body) => {
                body.joints = body.joints.iter().flat_map(|call| self.joint(call)).collect();
                body.at = body.at.as_ref().map(|e| self.vector(e, Parity::Polar));
                body.content.iter_mut().for_each(|s| self.body_part(s));
            }
            StatementKind::Point(point) => point.value = self.vector(&point.value, Parity::Polar),
            StatementKind::Load(load) => {
                let parity = if load.kind == LoadKind::Force { Parity::Polar } else { Parity::Axial };
                load.value = self.vector(&load.value, parity);
                load.energy = load.energy.as_ref().map(|e| self.any(e));
                load.on = self.point(&load.on);
                load.from = load.from.as_ref().map(|e| self.point(e));
            }
            StatementKind::Joint(joint) => joint.form = self.closing(&joint.form),
            StatementKind::Link(link) => {
                link.first = self.point(&link.first);
                link.second = self.point(&link.second);
                link.joints = link.joints.iter().flat_map(|call| self.joint(call)).collect();
            }
            StatementKind::Element(element) => self.element(element),
            StatementKind::Constraint(c) => c.relation = self.any(&c.relation),
            StatementKind::Variable(list) | StatementKind::Speed(list) => {
                list.iter_mut().for_each(|d| d.value = d.value.as_ref().map(|e| self.any(e)));
            }
            StatementKind::Constant(list) => {
                for d in list.iter_mut().filter(|d| is_place(d)) {
                    d.value = d.value.as_ref().map(|e| self.vector(e, Parity::Polar));
                }
            }
            StatementKind::State(list) => {
                list.iter_mut().for_each(|s| s.derivative = s.derivative.as_ref().map(|e| self.any(e)));
            }
            StatementKind::Output(list) => list.iter_mut().for_each(|o| o.value = self.any(&o.value)),
            StatementKind::Equation { right, .. } => *right = self.any(right),
            StatementKind::When(when) => {
                when.condition = self.any(&when.condition);
                when.content.iter_mut().for_each(|s| s.kind = self.statement(&s.kind));
            }
            StatementKind::Every(every) => {
                every.content.iter_mut().for_each(|s| s.kind = self.statement(&s.kind));
            }
            StatementKind::Update(a) => a.value = self.any(&a.value),
            StatementKind::Several(s) => s.value = self.any(&s.value),
            StatementKind::Local(list) => {
                list.iter_mut().for_each(|d| d.value = d.value.as_ref().map(|e| self.any(e)));
            }
            StatementKind::If(branches) => {
                for (condition, content) in &mut branches.arms {
                    *condition = self.any(condition);
                    content.iter_mut().for_each(|s| s.kind = self.statement(&s.kind));
                }
                branches.otherwise.iter_mut().for_each(|s| s.kind = self.statement(&s.kind));
            }
            _ => {}
        }
        kind
    }

    /// Mass, centre, inertia, points and shapes of a body.
    fn body_part(&self, statement: &mut Statement) {
        match &mut statement.kind {
            StatementKind::Point(point) => point.value = self.vector(&point.value, Parity::Polar),
            StatementKind::Shape(shape) => shape.form = self.shape(&shape.form),
            StatementKind::Assign(a) => self.property(a),
            StatementKind::For(repeated) => repeated.content.iter_mut().for_each(|s| self.body_part(s)),
            StatementKind::If(branches) => {
                let arms = branches.arms.iter_mut().flat_map(|(_, content)| content);
                arms.chain(&mut branches.otherwise).for_each(|s| self.body_part(s));
            }
            _ => {}
        }
    }

    /// Eq. [mirror-inertia]: `inertia.xy` changes its sign if `x` and `y` do not reflect alike; of six entries in
    /// brackets the last three are the products xy, xz and yz.
    fn property(&self, a: &mut Assign) {
        let names: Vec<&str> = a.target.segments.iter().map(|s| s.name.text.as_str()).collect();
        let flips = |pair: &str| {
            let axes: Vec<usize> = pair.chars().filter_map(|c| axis(&c.to_string())).collect();
            let flip = |k: usize| self.signs.flips(k, Parity::Polar);
            matches!(axes.as_slice(), [a, b] if flip(*a) != flip(*b))
        };
        match names.as_slice() {
            ["center" | "centre" | "cm"] => a.value = self.vector(&a.value, Parity::Polar),
            ["inertia", pair] if flips(pair) => a.value = negated(&a.value),
            ["inertia"] => a.value = self.inertia(&a.value, &flips),
            _ => {}
        }
    }

    fn inertia(&self, e: &Expr, flips: &dyn Fn(&str) -> bool) -> Expr {
        let kind = match &e.kind {
            ExprKind::Quantity { value, unit } => {
                ExprKind::Quantity { value: Box::new(self.inertia(value, flips)), unit: unit.clone() }
            }
            ExprKind::Tuple(parts) if parts.len() == 6 => {
                let pairs = ["xx", "yy", "zz", "xy", "xz", "yz"];
                let part = |(k, e): (usize, &Expr)| if flips(pairs[k]) { negated(e) } else { e.clone() };
                ExprKind::Tuple(parts.iter().enumerate().map(part).collect())
            }
            other => other.clone(),
        };
        Expr { kind, span: e.span }
    }

    fn element(&self, element: &mut Element) {
        match &mut element.ends {
            Ends::Between(first, second) => {
                *first = self.point(first);
                *second = self.point(second);
            }
            Ends::On { on, from } => {
                *on = self.point(on);
                *from = from.as_ref().map(|e| self.point(e));
            }
        }
        element.value = element.value.as_ref().map(|e| self.any(e));
        for statement in &mut element.content {
            if let StatementKind::Assign(a) = &mut statement.kind {
                let axis = a.target.segments.first().is_some_and(|s| s.name.text.starts_with("axis"));
                a.value = if axis { self.vector(&a.value, Parity::Axial) } else { self.any(&a.value) };
            }
        }
    }
}

/// Three components in brackets.
fn is_tuple(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Tuple(parts) => parts.len() == 3,
        ExprKind::Quantity { value, .. } => is_tuple(value),
        _ => false,
    }
}

/// Whether a constant is a place or a direction: three components that are lengths or plain numbers.
fn is_place(d: &Declaration) -> bool {
    let Some(value) = &d.value else { return false };
    let written = match &value.kind {
        ExprKind::Quantity { unit, .. } => Some(unit),
        _ => None,
    };
    let fits = |unit: &UnitText| {
        let found = Unit::parse(&unit.text).map(|u| u.dimension());
        found.is_ok_and(|d| d == Dimension::LENGTH || d == Dimension::ONE)
    };
    is_tuple(value) && d.unit.as_ref().or(written).is_none_or(fits)
}

fn is_zero(e: &Expr) -> bool {
    matches!(&e.kind, ExprKind::Number(digits) if digits.parse() == Ok(0.0))
}

/// The same with the other sign.
fn negated(e: &Expr) -> Expr {
    match &e.kind {
        ExprKind::Unary { op: UnaryOp::Minus, operand } => (**operand).clone(),
        _ if is_zero(e) => e.clone(),
        ExprKind::Quantity { value, .. } if is_zero(value) => e.clone(),
        _ => {
            Expr { kind: ExprKind::Unary { op: UnaryOp::Minus, operand: Box::new(e.clone()) }, span: e.span }
        }
    }
}
