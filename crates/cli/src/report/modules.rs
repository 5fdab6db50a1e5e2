//! The hierarchy of a model for the page: its subsystems with their ports, and the bodies inside each.

use std::path::Path;

use cardan::expand::hierarchy::{Node, Passes, in_order};
use cardan::model::{Joint, Model};
use cardan_viewer::{Module, ModulePart, ModulePort, PortPasses};

use crate::arguments::Texts;
use crate::load::{Language, hierarchy};

/// More subsystems than this are not drawn.
const MAX_MODULES: usize = 200;

/// The model as a module; without modules where its text has none, or more than a drawing has room for.
pub fn modules(file: &Path, text: &str, texts: &Texts, model: &Model) -> Module {
    let is_text = file.extension().is_some_and(|e| e == "mbs") && Language::of(file).is_none();
    let Some((nodes, diagnostics, _)) = hierarchy(file, text, texts).ok().filter(|_| is_text) else {
        return Module::default();
    };
    if diagnostics.has_errors() || nodes.len() > MAX_MODULES {
        return Module::default();
    }
    Module { modules: inside(&nodes, None, model), parts: parts(&nodes, None, model), ..Module::default() }
}

fn inside(nodes: &[Node], parent: Option<usize>, model: &Model) -> Vec<Module> {
    let module = |k: usize| {
        let node = &nodes[k];
        let port = |c: &cardan::expand::hierarchy::Coupling| ModulePort {
            name: c.port.clone(),
            passes: match c.passes {
                Passes::Mechanics => PortPasses::Mechanics,
                Passes::In => PortPasses::In,
                Passes::Out => PortPasses::Out,
            },
            with: c.with.clone(),
        };
        let names = |other: &usize| {
            let name = nodes[*other].name(nodes);
            node.couplings.iter().any(|c| c.passes == Passes::In && c.with.contains(name))
        };
        let (signals, frames): (Vec<usize>, Vec<usize>) = node.needs.iter().partition(|k| names(k));
        let paths = |list: Vec<usize>| list.into_iter().map(|k| nodes[k].path.clone()).collect();
        Module {
            name: node.name(nodes).to_owned(),
            kind: node.kind.clone(),
            path: node.path.clone(),
            ports: node.couplings.iter().map(port).collect(),
            signals_from: paths(signals),
            frames_from: paths(frames),
            parts: parts(nodes, Some(k), model),
            modules: inside(nodes, Some(k), model),
        }
    };
    in_order(nodes, parent).into_iter().map(module).collect()
}

/// The innermost instance in which a body stands.
fn owner(nodes: &[Node], path: &str) -> Option<usize> {
    let holds = |node: &Node| path.strip_prefix(node.path.as_str()).is_some_and(|rest| rest.starts_with('.'));
    (0..nodes.len()).filter(|k| holds(&nodes[*k])).max_by_key(|k| nodes[*k].path.len())
}

fn parts(nodes: &[Node], module: Option<usize>, model: &Model) -> Vec<ModulePart> {
    let mut parts = vec![];
    for (_, body) in model.bodies.iter() {
        let joint = body.joint.map(|j| &model.joints[j]);
        if owner(nodes, &body.name) != module || joint.is_some_and(Joint::is_contact) {
            continue;
        }
        let around = module.map_or(0, |k| nodes[k].path.len() + 1);
        let on = joint.and_then(|j| model.body_in(j.parent)).map(|id| model.bodies[id].name.clone());
        parts.push(ModulePart {
            name: body.name.get(around..).unwrap_or(&body.name).to_owned(),
            path: body.name.clone(),
            on: on.unwrap_or_default(),
            joint: joint.map_or(String::new(), Joint::kind_name),
        });
    }
    parts
}
