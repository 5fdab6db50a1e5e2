//! Attributes that a format has, for the elements that decide the mechanics.
//!
//! An attribute that is misspelt would be left at its default without a word: `axs="0 1 0"` turns a
//! hinge about z.

use cardan_base::{Diagnostic, nearest};

use crate::codes;
use crate::findings::Findings;
use crate::xml::Element;

/// An element and its attributes.
type Entry = (&'static str, &'static [&'static str]);

/// Elements of URDF below `robot`.
pub(crate) const URDF: &[Entry] = &[
    ("axis", &["xyz"]),
    ("child", &["link"]),
    ("dynamics", &["damping", "friction"]),
    ("inertia", &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"]),
    ("joint", &["name", "type"]),
    ("limit", &["effort", "lower", "upper", "velocity"]),
    ("link", &["name", "type"]),
    ("mass", &["value"]),
    ("mimic", &["joint", "multiplier", "offset"]),
    ("origin", &["rpy", "xyz"]),
    ("parent", &["link"]),
];

/// Elements of MJCF in `worldbody` and `default`.
pub(crate) const MJCF: &[Entry] = &[
    (
        "body",
        &[
            "axisangle",
            "childclass",
            "euler",
            "gravcomp",
            "mocap",
            "name",
            "pos",
            "quat",
            "sleep",
            "user",
            "xyaxes",
            "zaxis",
        ],
    ),
    ("freejoint", &["align", "group", "name"]),
    (
        "geom",
        &[
            "axisangle",
            "class",
            "conaffinity",
            "condim",
            "contype",
            "density",
            "euler",
            "fitscale",
            "fluidcoef",
            "fluidshape",
            "friction",
            "fromto",
            "gap",
            "group",
            "hfield",
            "margin",
            "mass",
            "material",
            "mesh",
            "name",
            "pos",
            "priority",
            "quat",
            "rgba",
            "shellinertia",
            "size",
            "solimp",
            "solmix",
            "solref",
            "type",
            "user",
            "xyaxes",
            "zaxis",
        ],
    ),
    (
        "inertial",
        &["axisangle", "diaginertia", "euler", "fullinertia", "mass", "pos", "quat", "xyaxes", "zaxis"],
    ),
    (
        "joint",
        &[
            "actuatorfrclimited",
            "actuatorfrcrange",
            "actuatorgravcomp",
            "armature",
            "axis",
            "class",
            "damping",
            "frictionloss",
            "group",
            "limited",
            "margin",
            "name",
            "pos",
            "range",
            "ref",
            "solimpfriction",
            "solimplimit",
            "solreffriction",
            "solreflimit",
            "springdamper",
            "springref",
            "stiffness",
            "type",
            "user",
        ],
    ),
];

/// Looks, solids for contact and additions of other programs, which have attributes of their own.
const OTHERS: &[&str] = &["collision", "gazebo", "plugin", "sensor", "transmission", "visual"];

/// Tells of attributes that elements here and below do not have.
pub(crate) fn check(e: &Element, format: &[Entry], findings: &mut Findings) {
    for child in e.children.iter().filter(|child| !OTHERS.contains(&child.name.as_str())) {
        if let Some((_, known)) = format.iter().find(|(name, _)| *name == child.name) {
            let unknown = |name: &str| !known.contains(&name) && !name.contains(':');
            for attribute in child.attributes.iter().filter(|a| unknown(&a.name)) {
                let message = format!("`{}` has no attribute `{}`", child.name, attribute.name);
                // What looks like a slip is a warning; programs also add attributes of their own.
                let one = match nearest(&attribute.name, known.iter().copied()) {
                    Some(near) => Diagnostic::warning(codes::UNKNOWN_ELEMENT, message.clone())
                        .hint(format!("write `{near}=\"{}\"`", attribute.value)),
                    None => Diagnostic::note(codes::UNKNOWN_ELEMENT, message.clone())
                        .hint("remove it, or correct its name"),
                };
                let one = one.at(attribute.span, "its value is not used");
                findings.tally(one, &format!("{message} (found {{n}} times)"));
            }
        }
        check(child, format, findings);
    }
}
