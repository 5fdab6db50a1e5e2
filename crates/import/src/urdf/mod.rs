//! The Unified Robot Description Format: links and joints by name.
//!
//! - `read`: elements to links and joints;
//! - `tree`: the order in which joints can be built, parents and leaders first;
//! - `build`: links and joints to bodies, coordinates and loads.
//!
//! What the format says: a joint's frame sits in the parent link at `origin` (`xyz`, then `rpy` about fixed axes) and
//! moves relative to it along or about `axis`; the child link's frame is the joint's frame. Inertias are about the mass
//! centre, in the axes of the inertial's own `origin`.

mod build;
mod read;
mod tree;

use cardan_base::{Diagnostic, Diagnostics, FileId, Sources};
use cardan_model::Model;

use crate::findings::Findings;
use crate::options::ImportOptions;
use crate::{attributes, codes, xml};

/// A model from a URDF text. Coordinates are called `joint.q`, speeds `joint.u`, parameters `link.mass`,
/// `link.ixx`, `joint.damping` and so on; the body of a link has its name.
pub fn import(file: FileId, sources: &Sources, options: &ImportOptions) -> (Option<Model>, Diagnostics) {
    let text = sources.get(file).map_or("", |s| s.text.as_str());
    let mut findings = Findings::new(options.strict);
    let root = match xml::parse(file, text) {
        Ok(root) => root,
        Err(found) => {
            findings.push(*found);
            return (None, findings.finish());
        }
    };
    if root.name != "robot" {
        let found = Diagnostic::error(codes::FORMAT, format!("the outermost element is `{}`", root.name))
            .at(root.span, "a URDF text begins with `<robot>`");
        findings.push(match root.name.as_str() {
            "mujoco" => found.hint("import it as MJCF"),
            _ => found.hint("write `<robot name=\"…\">` around links and joints"),
        });
        return (None, findings.finish());
    }
    attributes::check(&root, attributes::URDF, &mut findings);
    let robot = read::robot(&root, &mut findings);
    let order = tree::order(&robot, &mut findings);
    match order {
        Some(order) if !findings.has_errors() => build::model(&robot, &order, findings, options),
        _ => (None, findings.finish()),
    }
}
