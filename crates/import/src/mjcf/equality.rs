//! Equality constraints: points held together, bodies held together, coupled coordinates.
//!
//! ```text
//! [connect]   the anchor of body 1 stays where it was in body 2 in the pose as written
//! [weld]      body 2 keeps its place in body 1
//! [sites]     two sites have one place (connect), or one place and the same axes (weld)
//! [couple]    y - y0 = a0 + a1 (x - x0) + a2 (x - x0)² + …      for joints or tendons
//! ```
//!
//! MuJoCo lets its constraints yield a little; here they are rigid.

use std::collections::{BTreeMap, BTreeSet};

use cardan_base::{Diagnostic, Span};
use cardan_expr::{Pool, Rational};
use cardan_kinematics::rotation::{apply, identity, transpose};
use cardan_kinematics::{FrameId, Point};
use cardan_model::{Closing, Constraint, ConstraintKind, Marker, Row, closing};
use cardan_units::Dimension;

use super::body::{BodyText, Site};
use super::build::Mechanism;
use super::defaults::{Defaults, Resolved};
use super::tendon::{Tendon, no_joint};
use crate::assembly::Assembly;
use crate::codes;
use crate::findings::missing;
use crate::mjcf::pose::Place;
use crate::number::array;
use crate::orientation::quaternion;
use crate::xml::Element;

/// What constraints refer to.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a, 'x> {
    pub bodies: &'a [BodyText<'x>],
    pub sites: &'a [Site],
    pub mechanism: &'a Mechanism,
}

/// The names of the sites that constraints refer to.
pub(super) fn sites(root: &Element) -> BTreeSet<&str> {
    let all = root.named("equality").flat_map(|s| &s.children);
    all.flat_map(|e| [e.value("site1"), e.value("site2")]).flatten().collect()
}

/// Adds the constraints. In a mechanism with loops the pose as written is a guess: MuJoCo too moves it until they close.
pub(super) fn add(
    root: &Element,
    defaults: &Defaults,
    scene: &Scene<'_, '_>,
    tendons: &BTreeMap<String, Tendon>,
    assembly: &mut Assembly<'_>,
) {
    for (k, e) in root.named("equality").flat_map(|s| &s.children).enumerate() {
        // All kinds of constraint share the defaults of `equality`.
        let attributes = defaults.resolve(e, None, &mut assembly.findings).of_kind(defaults, "equality", e);
        if attributes.value("active").is_some_and(|v| v.trim() == "false") {
            continue;
        }
        if !assembly.options.loops {
            let one = Diagnostic::error(codes::NOT_IMPORTED, "a constraint closes a loop")
                .at(e.span, "closed loops are not imported")
                .hint("import with loops, or remove the constraint");
            assembly.findings.tally(one, "{n} constraints close loops");
            continue;
        }
        let name = e.value("name").map_or_else(|| format!("equality{}", k + 1), str::to_string);
        let constraint = match e.name.as_str() {
            "connect" | "weld" => hold(&name, &attributes, scene, assembly),
            "joint" | "tendon" => couple(&name, &attributes, scene.mechanism, tendons, assembly),
            _ => {
                refuse(e, "closes a loop in a way that cannot be imported", assembly);
                None
            }
        };
        if let Some(constraint) = constraint {
            assembly.builder.add_constraint(constraint);
            assembly.builder.guess_starts();
            let one = Diagnostic::note(codes::RIGID, "a constraint that yields a little is taken as rigid")
                .at(e.span, "`solref` and `solimp` are left out")
                .hint("model a spring and a damper if the compliance matters");
            assembly.findings.tally(one, "{n} constraints that yield a little are taken as rigid");
        }
    }
}

fn refuse(e: &Element, why: &str, assembly: &mut Assembly<'_>) {
    let found =
        Diagnostic::error(codes::NOT_IMPORTED, format!("the constraint `{}` cannot be imported", e.name));
    assembly.findings.push(found.at(e.span, why).hint("name two bodies, two joints or two tendons"));
}

/// A body with its place in the world in the pose as written; the world itself if nothing is named.
fn body(
    e: &Resolved<'_>,
    attribute: &str,
    Scene { bodies, mechanism, .. }: &Scene<'_, '_>,
    assembly: &mut Assembly<'_>,
) -> Option<(FrameId, Place)> {
    let pool = assembly.builder.space().pool();
    let origin = Place::origin(pool);
    let name = e.attribute(attribute).filter(|a| a.value != "world");
    let Some(a) = name else { return Some((assembly.builder.space().newtonian(), origin)) };
    let Some(k) = bodies.iter().position(|b| b.name == a.value) else {
        let found = Diagnostic::error(codes::UNKNOWN_NAME, format!("no body is called `{}`", a.value))
            .at(a.span, "not found");
        assembly.findings.push(
            match cardan_base::nearest(&a.value, bodies.iter().map(|b| b.name.as_str())) {
                Some(near) => found.hint(format!("write `{near}`")),
                None => found.hint("name a body of this text"),
            },
        );
        return None;
    };
    let mut at = bodies[k].place;
    let mut outer = bodies[k].parent;
    while let Some(p) = outer {
        at = bodies[p].place.then(pool, &at);
        outer = bodies[p].parent;
    }
    Some((mechanism.frames[k], at))
}

/// [connect] and [weld]
fn hold(
    name: &str,
    e: &Resolved<'_>,
    scene: &Scene<'_, '_>,
    assembly: &mut Assembly<'_>,
) -> Option<Constraint> {
    let span = e.element.span;
    if e.attribute("body1").is_none() {
        let (first, second) = (site(e, "site1", scene, assembly)?, site(e, "site2", scene, assembly)?);
        return Some(join(name, e.element, [first, second], assembly));
    }
    let (frame1, place1) = body(e, "body1", scene, assembly)?;
    let (frame2, place2) = body(e, "body2", scene, assembly)?;
    let weld = e.element.name == "weld";
    let given = e.attribute("anchor").and_then(|a| array::<3>(a, &mut assembly.findings));
    if given.is_none() && !weld {
        assembly.findings.push(missing(
            span,
            "`anchor`",
            "write `anchor=\"x y z\"`, a point of the first body",
        ));
        return None;
    }
    let relative =
        e.attribute("relpose").and_then(|a| Some((array::<7>(a, &mut assembly.findings)?, a.span)));
    let Assembly { builder, findings, options, .. } = &mut *assembly;
    let space = builder.space();
    let pool = space.pool();
    let given = given.map_or([pool.zero(); 3], |v| v.map(|c| pool.number(c)));
    // The place of body 2 in body 1: as given, or as it is in the pose as written.
    let told = relative.and_then(|(v, span)| {
        let [x, y, z, q0, q1, q2, q3] = v;
        let R = quaternion(pool, &[q0, q1, q2, q3], options, findings, span)?;
        Some(Place { R, p: [x, y, z].map(|c| pool.number(c)) })
    });
    let place = told.unwrap_or_else(|| inverse(pool, &place1).then(pool, &place2));
    let back = inverse(pool, &place);
    let (a, b, axes) = if weld {
        // The anchor of a weld is a point of body 2.
        (place.point(pool, given), given, back.R)
    } else {
        (given, back.point(pool, given), identity(pool))
    };
    let first = (frame1, Place { R: identity(pool), p: a });
    Some(join(name, e.element, [first, (frame2, Place { R: axes, p: b })], assembly))
}

/// Two places in frames held together: the points alone, or the axes as well for a weld.
fn join(name: &str, e: &Element, places: [(FrameId, Place); 2], assembly: &Assembly<'_>) -> Constraint {
    let space = assembly.builder.space();
    let pool = space.pool();
    let marker = |k: usize| {
        let (frame, place) = &places[k];
        let coordinates = place.p.map(|c| pool.define(c));
        let point = Point { name: format!("{name}.{}", k + 1), frame: *frame, coordinates };
        Marker { point, axes: place.R.map(|row| row.map(|c| pool.define(c))) }
    };
    let kind = if e.name == "weld" { Closing::Fixed } else { Closing::Spherical };
    closing::close(space, name, kind, &marker(0), &marker(1), Some(e.span))
}

/// [sites] A site: the frame of its body, and its place there.
fn site(
    e: &Resolved<'_>,
    attribute: &str,
    scene: &Scene<'_, '_>,
    assembly: &mut Assembly<'_>,
) -> Option<(FrameId, Place)> {
    let Some(a) = e.attribute(attribute) else {
        let help = "write `body1` and `body2`, or `site1` and `site2`";
        assembly.findings.push(missing(e.element.span, &format!("`{attribute}`"), help));
        return None;
    };
    let Some(site) = scene.sites.iter().find(|s| s.name == a.value) else {
        let found = Diagnostic::error(codes::UNKNOWN_NAME, format!("no site is called `{}`", a.value));
        assembly.findings.push(found.at(a.span, "not found").hint("name a site of this text"));
        return None;
    };
    let ground = assembly.builder.space().newtonian();
    Some((site.body.map_or(ground, |k| scene.mechanism.frames[k]), site.place))
}

/// The parent in the place.
fn inverse(pool: &Pool, place: &Place) -> Place {
    let R = transpose(&place.R);
    let p = apply(pool, &place.R, place.p).map(|c| pool.neg(c));
    Place { R, p }
}

/// [couple]
fn couple(
    name: &str,
    e: &Resolved<'_>,
    mechanism: &Mechanism,
    tendons: &BTreeMap<String, Tendon>,
    assembly: &mut Assembly<'_>,
) -> Option<Constraint> {
    let joints = e.element.name == "joint";
    let span = e.element.span;
    let find = |attribute: &str, assembly: &mut Assembly<'_>| -> Result<Option<Tendon>, ()> {
        let Some(a) = e.attribute(attribute) else { return Ok(None) };
        if joints {
            let found = Tendon::of_joint(mechanism, &a.value, assembly);
            if found.is_none() {
                assembly.findings.push(no_joint(&a.value, a.span, mechanism));
            }
            return found.map(Some).ok_or(());
        }
        let one = assembly.pool().one();
        match tendons.get(&a.value) {
            Some(tendon) => Ok(Some(tendon.scaled(one, assembly))),
            None => {
                refuse(e.element, "its tendon is not a sum of coordinates", assembly);
                Err(())
            }
        }
    };
    let which = if joints { ["joint1", "joint2"] } else { ["tendon1", "tendon2"] };
    let (Ok(first), Ok(second)) = (find(which[0], assembly), find(which[1], assembly)) else { return None };
    let Some(first) = first else {
        let help = format!("write `{}=\"…\"`", which[0]);
        assembly.findings.push(missing(span, &format!("`{}`", which[0]), help));
        return None;
    };
    let coefficients =
        e.list("polycoef", &mut assembly.findings).unwrap_or_else(|| vec![Rational::ZERO, Rational::ONE]);
    let space = assembly.builder.space();
    let pool = space.pool();
    let x = second.as_ref().map_or(pool.zero(), |s| pool.sub(s.length, s.start));
    let y = pool.sub(first.length, first.start);
    let polynomial =
        coefficients.iter().take(5).enumerate().map(|(k, a)| pool.scale(a.clone(), pool.powi(x, k as i64)));
    let position = pool.sub(y, pool.sum(polynomial.collect::<Vec<_>>()));
    let row = Row {
        position: Some(position),
        velocity: space.dt(position),
        dimension: Dimension::ONE,
        what: format!("coupling of {}", which_names(e, &which)),
        action: None,
    };
    Some(constraint(name, row, span))
}

fn which_names(e: &Resolved<'_>, which: &[&str]) -> String {
    let names: Vec<&str> = which.iter().filter_map(|w| e.value(w)).collect();
    names.join(" and ")
}

fn constraint(name: &str, row: Row, span: Span) -> Constraint {
    Constraint::new(name, ConstraintKind::Gear, vec![row], Some(span))
}
