//! The hierarchy of a model: which instances there are, inside one another, with their ports and what these are
//! connected to. It is the augmented spanning tree of Bae, Kim and Jhang (APSYS): modules, ports, coupling scheme.

use std::cell::RefCell;

use cardan_syntax::{Call, Expr, Path, Segment, print_expression};

use crate::definition::Flow;
use crate::names::{bracketed, mentions};
use crate::plan::Expander;
use crate::scope::{Drive, Place, Source};

/// What passes through a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passes {
    /// A frame or a point: motion and force.
    Mechanics,
    /// A signal that comes in.
    In,
    /// A signal that goes out.
    Out,
}

/// A port of an instance.
#[derive(Clone, PartialEq, Debug)]
pub struct Coupling {
    /// The name of the port.
    pub port: String,
    /// What passes through.
    pub passes: Passes,
    /// What it is connected to, or what gives an outgoing signal its value, as written.
    pub with: String,
}

/// An instance of a subsystem.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// Its path.
    pub path: String,
    /// The name of its definition.
    pub kind: String,
    /// The instance in which it stands; the model if nothing.
    pub parent: Option<usize>,
    /// Its ports.
    pub couplings: Vec<Coupling>,
    /// Those beside it whose parts its ports are connected to.
    pub needs: Vec<usize>,
}

impl Node {
    /// The name of an instance in the one around it.
    pub fn name<'n>(&'n self, nodes: &'n [Node]) -> &'n str {
        let around = self.parent.and_then(|p| self.path.strip_prefix(nodes[p].path.as_str()));
        around.and_then(|rest| rest.strip_prefix('.')).unwrap_or(&self.path)
    }
}

/// The instances inside one, or of the model, in an order in which each comes after those that it needs; where they need one
/// another, in the order of the text.
pub fn in_order(nodes: &[Node], parent: Option<usize>) -> Vec<usize> {
    let mut waiting: Vec<usize> = (0..nodes.len()).filter(|k| nodes[*k].parent == parent).collect();
    let mut order: Vec<usize> = vec![];
    while !waiting.is_empty() {
        let is_ready = |k: &usize| nodes[*k].needs.iter().all(|n| !waiting.contains(n) || n == k);
        let next = waiting.iter().position(is_ready).unwrap_or(0);
        order.push(waiting.remove(next));
    }
    order
}

impl<'t> Expander<'t, '_> {
    /// Every instance, those around it first.
    pub(crate) fn hierarchy(&mut self) -> Vec<Node> {
        let first = self.modules.len();
        let mut nodes = vec![];
        for scope in first..self.scopes.len() {
            let path = self.scopes[scope].prefix.trim_end_matches('.').to_owned();
            let kind = self.definitions[self.scopes[scope].definition].name.clone();
            let parent = self.scopes[scope].outer.and_then(|s| s.checked_sub(first));
            let mut node = Node { path, kind, parent, couplings: vec![], needs: vec![] };
            for port in 0..self.definitions[self.scopes[scope].definition].ports.len() {
                self.coupling(scope, port, &mut node);
            }
            node.needs.sort_unstable();
            node.needs.dedup();
            nodes.push(node);
        }
        nodes
    }

    fn coupling(&mut self, scope: usize, port: usize, node: &mut Node) {
        let symbol = self.port(scope, port);
        let passes = match symbol.flow {
            Flow::Frame | Flow::Point => Passes::Mechanics,
            Flow::In(_) => Passes::In,
            Flow::Out(_) => Passes::Out,
        };
        let Some(sizes) = self.port_sizes(scope, port) else { return };
        let whole = symbol.name.text.clone();
        let elements = self.elements_of(&sizes);
        let keys = elements.iter().map(|k| format!("{whole}{}", bracketed(k)));
        for key in std::iter::once(whole.clone()).filter(|_| !sizes.is_empty()).chain(keys) {
            let Some(drive) = self.drives.get(&(scope, key.clone())).cloned() else { continue };
            node.couplings.push(Coupling { port: key, passes, with: self.written(&drive) });
            if passes != Passes::Out {
                node.needs.extend(self.instances_in(&drive).iter().filter_map(|s| {
                    let near = self.scopes[*s].outer == self.scopes[scope].outer;
                    s.checked_sub(self.modules.len()).filter(|_| near)
                }));
            }
        }
    }

    /// The other end of a connection as it stands in the text.
    fn written(&self, drive: &Drive<'t>) -> String {
        let mut text = match &drive.source {
            Source::Value(e) => print_expression(e),
            Source::Part(name) => name.clone(),
            Source::Port { scope, port, index } => {
                let name = &self.port(*scope, *port).name.text;
                format!("{}{name}{}", self.scopes[*scope].prefix, bracketed(index))
            }
        };
        if !drive.joints.is_empty() {
            let joints: Vec<String> = drive.joints.iter().map(Call::to_string).collect();
            text += &format!(" by {}", joints.join(" "));
        }
        if let Some(at) = drive.at {
            text += &format!(" at {}", print_expression(at));
        }
        text
    }

    /// The instances whose parts a connection names.
    fn instances_in(&mut self, drive: &Drive<'t>) -> Vec<usize> {
        let e = match &drive.source {
            Source::Port { scope, .. } => return vec![*scope],
            Source::Part(_) => return vec![],
            Source::Value(e) => *e,
        };
        self.first_instances(e, &drive.place)
    }

    fn first_instances(&mut self, e: &Expr, place: &Place) -> Vec<usize> {
        let seen: RefCell<Vec<Segment>> = RefCell::default();
        mentions(e, &|path| {
            seen.borrow_mut().extend(path.segments.first().cloned());
            false
        });
        let mut found = vec![];
        for segment in seen.into_inner() {
            let span = segment.name.span;
            found.extend(self.instance_at(&Path { segments: vec![segment], span }, place));
        }
        found
    }
}
