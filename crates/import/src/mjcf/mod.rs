//! MuJoCo's format: nested bodies, default classes, mass properties from geoms.
//!
//! - [`include`]: files in files;
//! - `settings`: units and conventions;
//! - `defaults`: classes of attributes;
//! - `pose`: positions and orientations;
//! - `geom`: solids and what they weigh;
//! - `body`: the tree as written; `bounds`: mass properties that `compiler` mends;
//! - `build`: the tree as frames, coordinates, dampers and rotors; `spring`: springs in joints; `joint_space_inertia`: the inertia that joints feel;
//! - `tendon`: lengths that are sums of coordinates;
//! - `actuator`: inputs and the forces they make;
//! - `equality`: closed loops and coupled coordinates.
//!
//! What the format says: a body's frame sits in its parent at `pos` and its orientation while its joints rest at their
//! reference; joints then move it one after the other, each about or along an axis fixed in the body so far.

pub(crate) mod joint_space_inertia;
pub(crate) mod pose;

mod actuator;
mod body;
mod bounds;
mod build;
mod defaults;
mod equality;
mod geom;
pub mod include;
mod settings;
mod spring;
mod tendon;

use std::collections::BTreeSet;

use cardan_base::{Diagnostic, Diagnostics, FileId, Sources};
use cardan_model::Model;

use crate::assembly::Assembly;
use crate::findings::Findings;
use crate::options::ImportOptions;
use crate::xml::Element;
use crate::{attributes, codes, xml};

pub use crate::mjcf::include::Reader;

/// A model from an MJCF text. Included files come through `read` and are added to the sources. Coordinates are called
/// `joint.q`, speeds `joint.u`, parameters `body.mass`, `joint.damping` and so on, inputs `actuator.ctrl`.
pub fn import(
    file: FileId,
    sources: &mut Sources,
    read: &mut Reader<'_>,
    options: &ImportOptions,
) -> (Option<Model>, Diagnostics) {
    let text = sources.get(file).map_or(String::new(), |s| s.text.clone());
    let mut findings = Findings::new(options.strict);
    let mut root = match xml::parse(file, &text) {
        Ok(root) => root,
        Err(found) => {
            findings.push(*found);
            return (None, findings.finish());
        }
    };
    if root.name != "mujoco" && root.name != "mujocoinclude" {
        let found = Diagnostic::error(codes::FORMAT, format!("the outermost element is `{}`", root.name))
            .at(root.span, "an MJCF text begins with `<mujoco>`");
        findings.push(match root.name.as_str() {
            "robot" => found.hint("import it as URDF"),
            _ => found.hint("write `<mujoco model=\"…\">` around its sections"),
        });
        return (None, findings.finish());
    }
    include::expand(&mut root, sources, read, &mut findings);
    model(&root, findings, options)
}

fn model(root: &Element, findings: Findings, options: &ImportOptions) -> (Option<Model>, Diagnostics) {
    let mut taken = BTreeSet::new();
    root.named("worldbody").for_each(|e| names(e, &mut taken));
    let mut assembly = Assembly::new(root.value("model").unwrap_or(""), &taken, options);
    assembly.findings = findings;
    check_sections(root, &mut assembly.findings);
    for section in root.children.iter().filter(|e| matches!(e.name.as_str(), "worldbody" | "default")) {
        attributes::check(section, attributes::MJCF, &mut assembly.findings);
    }
    let settings = settings::Settings::of(root, &mut assembly.findings);
    let defaults = defaults::Defaults::of(root, &mut assembly.findings);
    assembly.set_gravity(options.gravity.as_ref().unwrap_or(&settings.gravity));

    let mut reader = body::Reader::new(&defaults, &settings, equality::sites(root), &mut assembly);
    root.named("worldbody").for_each(|e| reader.read_world(e));
    let body::Reader { bodies, ground, sites, .. } = reader;
    report_contacts(&bodies, &ground, &settings, &mut assembly.findings);
    let mut mechanism = build::build(&bodies, &ground, &settings, &mut assembly);
    build::add_passive(&bodies, &mut mechanism, &settings, &mut assembly);
    let tendons = tendon::read(root, &defaults, &mechanism, &settings, &mut assembly);
    if !settings.is_disabled("actuation") {
        actuator::add(root, &defaults, &mechanism, &tendons, &settings, &mut assembly);
    }
    if !settings.is_disabled("constraint") && !settings.is_disabled("equality") {
        let scene = equality::Scene { bodies: &bodies, sites: &sites, mechanism: &mechanism };
        equality::add(root, &defaults, &scene, &tendons, &mut assembly);
    }
    assembly.finish()
}

/// The names of all bodies below an element.
fn names<'a>(e: &'a Element, out: &mut BTreeSet<&'a str>) {
    for child in &e.children {
        if child.name == "body" {
            out.extend(child.value("name"));
        }
        names(child, out);
    }
}

/// An element that the format does not have at this place.
fn unknown(e: &Element, within: &Element, findings: &mut Findings) {
    let message = format!("`{}` is not an element of `{}`", e.name, within.name);
    let one = Diagnostic::note(codes::UNKNOWN_ELEMENT, message)
        .at(e.span, "left out")
        .hint("remove it, or correct its name");
    findings.tally(one, &format!("`{}` is not an element of `{}` (found {{n}} times)", e.name, within.name));
}

fn check_sections(root: &Element, findings: &mut Findings) {
    for e in &root.children {
        match e.name.as_str() {
            "compiler" | "option" | "default" | "worldbody" | "tendon" | "actuator" | "equality"
            | "contact" => {}
            // Looks, storage and numbers for other programs.
            "size" | "visual" | "statistic" | "asset" | "custom" => {}
            "sensor" | "keyframe" => {
                let one = Diagnostic::note(codes::LEFT_OUT, format!("the section `{}` is left out", e.name))
                    .at(e.span, "not part of the mechanics")
                    .hint("add outputs or start values to the model");
                findings.tally(one, &format!("{{n}} sections `{}` are left out", e.name));
            }
            // Skins follow the bodies and weigh nothing.
            "deformable" if e.children.iter().all(|c| c.name == "skin") => {}
            "deformable" | "extension" => {
                let found =
                    Diagnostic::error(codes::NOT_IMPORTED, format!("`{}` cannot be imported", e.name));
                findings.push(found.at(e.span, "only rigid bodies are").hint("remove the section"));
            }
            _ => unknown(e, root, findings),
        }
    }
}

/// Says once that bodies do not touch.
fn report_contacts(
    bodies: &[body::BodyText<'_>],
    ground: &[geom::Geom],
    settings: &settings::Settings,
    findings: &mut Findings,
) {
    if settings.is_disabled("contact") || settings.is_disabled("constraint") {
        return;
    }
    let moving = bodies.iter().flat_map(|b| &b.geoms).filter(|g| g.collides);
    let all: Vec<&geom::Geom> = ground.iter().filter(|g| g.collides).chain(moving).collect();
    if let [_, second, ..] = all[..] {
        let message = format!("contacts between {} geoms are left out", all.len());
        let found = Diagnostic::warning(codes::LEFT_OUT, message)
            .at(second.span, "one of them")
            .because("imported bodies pass through one another and through the ground");
        findings
            .doubtful(found.hint("add contact forces to the model, or write `<flag contact=\"disable\"/>`"));
    }
}
