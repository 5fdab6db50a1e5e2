//! Elements to links and joints.

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, Span};
use cardan_expr::Rational;

use crate::codes;
use crate::findings::{Findings, missing};
use crate::number::{scalar, triple, word};
use crate::orientation::Triple;
use crate::xml::Element;

/// All that is read from a text.
pub(super) struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub joints: Vec<Joint>,
    pub span: Span,
}

pub(super) struct Link {
    pub name: String,
    pub inertial: Option<Inertial>,
    pub shapes: Vec<Geometry>,
    pub span: Span,
}

/// A place in a parent: components, then roll, pitch and yaw.
#[derive(Clone)]
pub(super) struct Pose {
    pub xyz: Triple,
    pub rpy: Triple,
    pub span: Span,
}

pub(super) struct Inertial {
    pub origin: Pose,
    pub mass: Rational,
    /// xx, yy, zz, xy, xz, yz.
    pub moments: [Rational; 6],
    pub span: Span,
}

pub(super) struct Geometry {
    pub origin: Pose,
    pub solid: Solid,
    /// `#rrggbb`.
    pub color: Option<String>,
}

pub(super) enum Solid {
    Box(Triple),
    Sphere(Rational),
    Cylinder(Rational, Rational),
    Capsule(Rational, Rational),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JointKind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

impl JointKind {
    const ALL: [(&'static str, JointKind); 6] = [
        ("revolute", JointKind::Revolute),
        ("continuous", JointKind::Continuous),
        ("prismatic", JointKind::Prismatic),
        ("fixed", JointKind::Fixed),
        ("floating", JointKind::Floating),
        ("planar", JointKind::Planar),
    ];
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, k)| *k == self).map_or("fixed", |(n, _)| n)
    }
    /// The kind of the joint of the model.
    pub fn in_model(self) -> cardan_model::JointKind {
        match self {
            JointKind::Revolute | JointKind::Continuous => cardan_model::JointKind::Revolute,
            JointKind::Prismatic => cardan_model::JointKind::Prismatic,
            JointKind::Fixed => cardan_model::JointKind::Fixed,
            JointKind::Floating => cardan_model::JointKind::Free,
            JointKind::Planar => cardan_model::JointKind::Planar,
        }
    }
    /// Whether one coordinate describes it.
    pub fn is_single(self) -> bool {
        matches!(self, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic)
    }
}

pub(super) struct Joint {
    pub name: String,
    pub kind: JointKind,
    pub parent: (String, Span),
    pub child: (String, Span),
    pub origin: Pose,
    pub axis: Triple,
    pub axis_span: Span,
    pub damping: Option<Rational>,
    pub friction: Option<Rational>,
    pub limit: Option<Limits>,
    pub mimic: Option<Mimic>,
    pub span: Span,
}

#[derive(Default)]
pub(super) struct Limits {
    pub lower: Option<Rational>,
    pub upper: Option<Rational>,
    pub velocity: Option<Rational>,
    pub effort: Option<Rational>,
}

/// q = multiplier × the leader's q + offset.
pub(super) struct Mimic {
    pub leader: (String, Span),
    pub multiplier: Rational,
    pub offset: Rational,
}

pub(super) fn robot(root: &Element, findings: &mut Findings) -> Robot {
    let mut colors: BTreeMap<&str, String> = BTreeMap::new();
    for material in root
        .named("material")
        .chain(root.named("link").flat_map(|l| l.named("visual").flat_map(|v| v.named("material"))))
    {
        if let (Some(name), Some(color)) = (material.value("name"), color(material, findings)) {
            colors.insert(name, color);
        }
    }
    let mut robot = Robot {
        name: root.value("name").unwrap_or("").into(),
        links: vec![],
        joints: vec![],
        span: root.span,
    };
    for child in &root.children {
        match child.name.as_str() {
            "link" => robot.links.extend(link(child, &colors, findings)),
            "joint" => robot.joints.extend(joint(child, findings)),
            "material" => {}
            "transmission" | "gazebo" | "sensor" | "ros2_control" => left_out(child, findings),
            _ => unknown(child, root, findings),
        }
    }
    robot
}

/// Something that other programs use.
fn left_out(e: &Element, findings: &mut Findings) {
    let one = Diagnostic::note(codes::LEFT_OUT, format!("the element `{}` is left out", e.name))
        .at(e.span, "not part of the mechanics")
        .hint("nothing needs to be done; what it says about forces can be added to the model as loads");
    findings.tally(one, &format!("{{n}} elements `{}` are left out", e.name));
}

fn unknown(e: &Element, within: &Element, findings: &mut Findings) {
    let message = format!("`{}` is not an element of `{}`", e.name, within.name);
    let one = Diagnostic::note(codes::UNKNOWN_ELEMENT, message)
        .at(e.span, "left out")
        .hint("remove it, or correct its name");
    findings.tally(one, &format!("`{}` is not an element of `{}` (found {{n}} times)", e.name, within.name));
}

fn check_children(e: &Element, known: &[&str], findings: &mut Findings) {
    for child in e.children.iter().filter(|c| !known.contains(&c.name.as_str())) {
        unknown(child, e, findings);
    }
}

fn check_attributes(e: &Element, known: &[&str], findings: &mut Findings) {
    for a in e.attributes.iter().filter(|a| !known.contains(&a.name.as_str())) {
        let message = format!("`{}` is not an attribute of `{}`", a.name, e.name);
        let one = Diagnostic::note(codes::UNKNOWN_ELEMENT, message)
            .at(a.span, "left out")
            .hint("remove it, or correct its name");
        findings.tally(one, &format!("`{}` is not an attribute of `{}` (found {{n}} times)", a.name, e.name));
    }
}

fn name_of(e: &Element, findings: &mut Findings) -> Option<String> {
    match e.value("name").filter(|n| !n.trim().is_empty()) {
        Some(name) => Some(name.to_string()),
        None => {
            let what = format!("the name of this {}", e.name);
            findings.push(missing(e.span, &what, format!("write `<{} name=\"…\">`", e.name)));
            None
        }
    }
}

fn link(e: &Element, colors: &BTreeMap<&str, String>, findings: &mut Findings) -> Option<Link> {
    check_children(e, &["inertial", "visual", "collision", "contact", "self_collision_checking"], findings);
    check_attributes(e, &["name", "type"], findings);
    let name = name_of(e, findings)?;
    let inertial = e.child("inertial").and_then(|i| inertial(i, findings));
    let draw = |kind: &str, findings: &mut Findings| -> Vec<Geometry> {
        e.named(kind).filter_map(|v| geometry(v, kind, colors, findings)).collect()
    };
    let mut shapes = draw("visual", findings);
    if shapes.is_empty() {
        shapes = draw("collision", findings);
    }
    Some(Link { name, inertial, shapes, span: e.span })
}

fn pose(e: &Element, findings: &mut Findings) -> Pose {
    match e.child("origin") {
        None => Pose { xyz: [0; 3].map(Rational::int), rpy: [0; 3].map(Rational::int), span: e.span },
        Some(origin) => {
            check_attributes(origin, &["xyz", "rpy"], findings);
            let span = origin.span;
            Pose {
                xyz: triple(origin, "xyz", [0; 3], findings),
                rpy: triple(origin, "rpy", [0; 3], findings),
                span,
            }
        }
    }
}

fn inertial(e: &Element, findings: &mut Findings) -> Option<Inertial> {
    check_children(e, &["origin", "mass", "inertia"], findings);
    let origin = pose(e, findings);
    let needed = |child: &str, name: &str, findings: &mut Findings| -> Option<Rational> {
        let Some(part) = e.child(child) else {
            findings.push(missing(
                e.span,
                &format!("the element `{child}`"),
                format!("write `<{child} {name}=\"…\"/>`"),
            ));
            return None;
        };
        if part.attribute(name).is_none() {
            findings.push(missing(part.span, &format!("`{name}`"), format!("write `{name}=\"…\"`")));
        }
        scalar(part, name, findings)
    };
    let mass = needed("mass", "value", findings)?;
    let mut moments = [const { Rational::ZERO }; 6];
    let inertia = e.child("inertia");
    for (k, name) in ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].into_iter().enumerate() {
        // Products that are not written vanish; moments must be there.
        let absent = inertia.is_some_and(|i| i.attribute(name).is_none());
        moments[k] = if k >= 3 && absent { Rational::ZERO } else { needed("inertia", name, findings)? };
    }
    if let Some(i) = inertia {
        check_attributes(i, &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"], findings);
    }
    Some(Inertial { origin, mass, moments, span: e.span })
}

fn geometry(
    e: &Element,
    kind: &str,
    colors: &BTreeMap<&str, String>,
    findings: &mut Findings,
) -> Option<Geometry> {
    check_children(e, &["origin", "geometry", "material", "verbose", "contact_coefficients"], findings);
    let origin = pose(e, findings);
    let material = e.child("material");
    let named = material.and_then(|m| m.value("name")).and_then(|n| colors.get(n).cloned());
    let color = material.and_then(|m| color(m, findings)).or(named);
    let shape = e.child("geometry")?.children.first()?;
    let need = |name: &str, findings: &mut Findings| {
        let value = scalar(shape, name, findings);
        if shape.attribute(name).is_none() {
            findings.push(missing(shape.span, &format!("`{name}`"), format!("write `{name}=\"…\"`")));
        }
        value
    };
    let solid = match shape.name.as_str() {
        "box" => Solid::Box(triple(shape, "size", [1; 3], findings)),
        "sphere" => Solid::Sphere(need("radius", findings)?),
        "cylinder" => Solid::Cylinder(need("radius", findings)?, need("length", findings)?),
        "capsule" => Solid::Capsule(need("radius", findings)?, need("length", findings)?),
        "mesh" => {
            if kind == "visual" {
                let one = Diagnostic::note(codes::LEFT_OUT, "a mesh is not drawn")
                    .at(shape.span, "only simple solids are drawn")
                    .hint("give the link a box, cylinder or sphere as `collision`; it is drawn instead");
                findings.tally(one, "{n} meshes are not drawn");
            }
            return None;
        }
        _ => {
            unknown(shape, e, findings);
            return None;
        }
    };
    Some(Geometry { origin, solid, color })
}

/// The colour of a material as `#rrggbb`.
fn color(material: &Element, findings: &mut Findings) -> Option<String> {
    let rgba = material.child("color")?.attribute("rgba")?;
    let values = crate::number::list(rgba, findings)?;
    let byte = |k: usize| values.get(k).map(|v| (v.to_f64().clamp(0.0, 1.0) * 255.0).round() as u8);
    Some(format!("#{:02x}{:02x}{:02x}", byte(0)?, byte(1)?, byte(2)?))
}

fn joint(e: &Element, findings: &mut Findings) -> Option<Joint> {
    let known = [
        "origin",
        "parent",
        "child",
        "axis",
        "calibration",
        "dynamics",
        "limit",
        "safety_controller",
        "mimic",
    ];
    check_children(e, &known, findings);
    check_attributes(e, &["name", "type"], findings);
    let name = name_of(e, findings)?;
    let Some(kind) = e.attribute("type") else {
        findings.push(missing(e.span, "the type of this joint", "write `type=\"revolute\"` or another type"));
        return None;
    };
    let kind = word(kind, &JointKind::ALL.map(|(n, _)| n), findings)?;
    let kind = JointKind::ALL.iter().find(|(n, _)| *n == kind).map(|(_, k)| *k)?;
    let mut end = |part: &str| -> Option<(String, Span)> {
        let found = e.child(part).and_then(|p| p.attribute("link"));
        if found.is_none() {
            let help = format!("write `<{part} link=\"…\"/>` inside the joint");
            findings.push(missing(e.span, &format!("the {part} link of joint `{name}`"), help));
        }
        found.map(|a| (a.value.clone(), a.span))
    };
    let (parent, child) = (end("parent"), end("child"));
    let axis = e.child("axis");
    let dynamics = e.child("dynamics");
    let friction = dynamics.and_then(|d| scalar(d, "friction", findings)).filter(|f| !f.is_zero());
    Some(Joint {
        kind,
        parent: parent?,
        child: child?,
        origin: pose(e, findings),
        axis: axis.map_or_else(|| [1, 0, 0].map(Rational::int), |a| triple(a, "xyz", [1, 0, 0], findings)),
        axis_span: axis.map_or(e.span, |a| a.span),
        damping: dynamics.and_then(|d| scalar(d, "damping", findings)).filter(|d| !d.is_zero()),
        friction,
        limit: e.child("limit").map(|l| limits(l, findings)),
        mimic: e.child("mimic").and_then(|m| mimic(m, findings)),
        span: e.span,
        name,
    })
}

/// Limits; a bound that is infinite or too large to matter is none.
fn limits(e: &Element, findings: &mut Findings) -> Limits {
    check_attributes(e, &["lower", "upper", "velocity", "effort"], findings);
    let mut bound = |name: &str| {
        let endless =
            e.value(name).is_some_and(|v| v.trim().trim_start_matches(['-', '+']).starts_with("inf"));
        let value = if endless { None } else { scalar(e, name, findings) };
        value.filter(|v| v.to_f64().abs() < 1e12)
    };
    let (lower, upper) = (bound("lower"), bound("upper"));
    let (velocity, effort) = (bound("velocity"), bound("effort"));
    if let (Some(low), Some(high)) = (&lower, &upper)
        && low > high
    {
        let message = format!("the lower limit {low} is above the upper limit {high}");
        let found = Diagnostic::warning(codes::VALUE, message).at(e.span, "no position satisfies both");
        findings.doubtful(found.hint("exchange `lower` and `upper`"));
    }
    Limits { lower, upper, velocity, effort }
}

fn mimic(e: &Element, findings: &mut Findings) -> Option<Mimic> {
    check_attributes(e, &["joint", "multiplier", "offset"], findings);
    let Some(leader) = e.attribute("joint") else {
        findings.push(missing(e.span, "the joint to follow", "write `<mimic joint=\"…\"/>`"));
        return None;
    };
    Some(Mimic {
        leader: (leader.value.clone(), leader.span),
        multiplier: scalar(e, "multiplier", findings).unwrap_or(Rational::ONE),
        offset: scalar(e, "offset", findings).unwrap_or(Rational::ZERO),
    })
}
