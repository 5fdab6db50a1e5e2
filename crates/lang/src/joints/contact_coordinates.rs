//! Places of contact that have coordinates of their own.
//!
//! Where a wheel touches a surface, a roller a cam, or how far along a curve a point is, has no closed form. Such a joint has coordinates that
//! weigh nothing, and as many more equations. They are those of a frame without mass on the ground, made before anything is resolved,
//! and bear the joint's name: `wire.q`, or `road.q1`, `road.q2`, …, or the names that the joint gives them.
//!
//! ```text
//! on_curve(P, Q, x = f, y = g, z = h)                   the parameter, a length or an angle as the functions say
//! on_curve(P, Q, …, roller = R), (…, face = y)          an angle
//! rolling(P, Q, axis = y, …, surface = H)               an angle
//! rolling(P, Q, axis = y, radius = R, road = H)         an angle
//! rolling(P, Q, radius = R, road = H)                   two lengths
//! rolling(P, Q, axis = y, tyre = r, …, road = H)        two lengths and an angle
//! ```

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_model::ConstraintKind;
use cardan_syntax::{
    self as syntax, Argument, Body, BodyKind, Call, ExprKind, Input, Joint, Name, Path, Segment, Statement,
    StatementKind,
};
use cardan_units::{Dimension, Unit};

use crate::context::{BuiltCoordinate, Resolver};
use crate::joints::plan::parts_of;

/// A coordinate of a contact.
#[derive(Clone, Copy, PartialEq)]
enum Coordinate {
    Length,
    Angle,
}

/// The coordinates that a joint needs.
fn coordinates(joint: &Joint, inputs: &BTreeMap<&str, &Input>) -> Vec<Coordinate> {
    use Coordinate::{Angle, Length};
    let get = |name: &str| {
        let is_it = |a: &&Argument| a.name.as_ref().is_some_and(|n| n.text == name);
        joint.form.arguments.iter().find(is_it).map(|a| &a.value)
    };
    let has = |name: &str| get(name).is_some();
    match joint.form.function.as_name().and_then(|n| ConstraintKind::named(&n.text)) {
        Some(ConstraintKind::OnCurve) if has("roller") || has("face") => vec![Angle],
        Some(ConstraintKind::OnCurve) => {
            let named = ["x", "y", "z"].into_iter().filter_map(get);
            let parameters: Vec<Dimension> = named.map(|e| parameter(e, inputs)).collect();
            match parameters.iter().find(|d| **d != Dimension::ONE) {
                Some(d) if *d == Dimension::LENGTH => vec![Length],
                _ if parameters.is_empty() => vec![],
                _ => vec![Angle],
            }
        }
        Some(ConstraintKind::Rolling) if has("road") => match (has("axis"), has("tyre")) {
            (true, true) => vec![Length, Length, Angle],
            (true, false) => vec![Angle],
            (false, _) => vec![Length, Length],
        },
        Some(ConstraintKind::Rolling) if has("surface") && has("axis") => vec![Angle],
        _ => vec![],
    }
}

/// What the function or table that this names is a function of.
fn parameter(e: &syntax::Expr, inputs: &BTreeMap<&str, &Input>) -> Dimension {
    let ExprKind::Name(path) = &e.kind else { return Dimension::ONE };
    let input = path.as_name().and_then(|n| inputs.get(n.text.as_str()));
    let unit = input.and_then(|i| i.unit.as_ref()).and_then(|u| Unit::parse(&u.text).ok());
    unit.map_or(Dimension::ONE, |u| u.dimension())
}

/// The frames of all contacts, by the names of their joints.
pub fn frames(all: &[&Statement], ground: &str) -> BTreeMap<String, Body> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut inputs: BTreeMap<&str, &Input> = BTreeMap::new();
    for statement in all {
        let (name, first) = match &statement.kind {
            StatementKind::Body(b) => (&b.name, None),
            StatementKind::Joint(j) => (&j.name, None),
            StatementKind::Function(f) => (&f.name, f.inputs.first()),
            StatementKind::Table(t) => (&t.name, t.inputs.first()),
            _ => continue,
        };
        taken.insert(name.text.clone());
        if let Some(input) = first {
            inputs.insert(&name.text, input);
        }
    }
    let mut found = BTreeMap::new();
    for statement in all {
        let StatementKind::Joint(joint) = &statement.kind else { continue };
        let coordinates = coordinates(joint, &inputs);
        if coordinates.is_empty() {
            continue;
        }
        let mut name = format!("{}_contact", joint.name.text);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        found.insert(joint.name.text.clone(), frame(joint, &name, ground, &coordinates));
    }
    found
}

fn frame(joint: &Joint, name: &str, ground: &str, coordinates: &[Coordinate]) -> Body {
    let span = joint.name.span;
    let word = |text: &str, span: Span| syntax::Expr { kind: ExprKind::Name(path(text, span)), span };
    let is_q = |a: &&Argument| a.name.as_ref().is_some_and(|n| n.text == "q");
    let given = joint.form.arguments.iter().find(is_q);
    let names = given.map_or(vec![], |a| parts_of(&a.value));
    let call = |(k, coordinate): (usize, &Coordinate)| {
        let function = match coordinate {
            Coordinate::Length => "translate",
            Coordinate::Angle => "rotate",
        };
        let axis = ["x", "y", "z"][k % 3];
        let mut arguments = vec![Argument { name: None, value: word(axis, span) }];
        if let Some(value) = names.get(k) {
            let name = Some(Name::new("q", value.span));
            arguments.push(Argument { name, value: (*value).clone() });
        }
        Call { function: path(function, span), arguments, span: joint.form.span }
    };
    Body {
        kind: BodyKind::Frame,
        name: Name::new(name.to_owned(), span),
        description: joint.description.clone(),
        parent: Some(word(ground, span)),
        joints: coordinates.iter().enumerate().map(call).collect(),
        at: None,
        content: vec![],
    }
}

fn path(text: &str, span: Span) -> Path {
    Path { segments: vec![Segment { name: Name::new(text.to_owned(), span), index: vec![] }], span }
}

impl Resolver<'_> {
    /// The coordinates of the contact of a joint; fewer than it needs only where their names are wrong, which has been told.
    pub fn contact(&self, joint: &str) -> Vec<Expr> {
        let Some(body) = self.contacts.and_then(|c| c.get(joint)) else { return vec![] };
        let Some(b) = self.names.bodies.iter().position(|b| std::ptr::eq(b.tree, body)) else {
            return vec![];
        };
        let coordinates = &self.builder.model().coordinates;
        let value = |c: &BuiltCoordinate| match *c {
            BuiltCoordinate::Free(id) => coordinates[id].symbol,
            BuiltCoordinate::Locked(id) => self.builder.model().parameters[id].symbol,
            BuiltCoordinate::Prescribed(motion) => motion,
        };
        self.built[b].iter().map(value).collect()
    }
}
