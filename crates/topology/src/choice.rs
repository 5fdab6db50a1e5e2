//! Choice of the spanning tree: what each joint of the graph becomes.
//!
//! The tree keeps the joints that cost least, in this order:
//!
//! ```text
//! 0   something refers to its coordinates, or it has no closing form: cut, it takes a frame to carry them
//! 1   neither; the fewest freedoms first
//! 2   something refers to its force, which a cut joint gives without further equations
//! 3   the description asks for the cut
//! ```
//!
//! A cut joint becomes constraints, or a massless frame that carries its coordinates and is welded to
//! the other body.

use cardan_base::Id;

use crate::joint_forms::{ClosingPart, closing_form};
use crate::joint_graph::{EdgeId, JointEdge, JointGraph};
use crate::spanning_tree::{Edge, Hold, span};

/// How a body is carried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attachment {
    /// The ground, or a body whose parent was given.
    Given,
    /// By this joint; reversed if the body is the first of the joint.
    Joint {
        /// The joint.
        joint: EdgeId,
        /// Whether the motions are those of the parent in the body.
        reversed: bool,
    },
    /// No joint connects it to the ground.
    Loose,
}

/// How a cut joint closes its loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CutForm {
    /// By constraints between its bodies.
    Constraints(Vec<ClosingPart>),
    /// By a massless frame, carried by the first body with the joint's coordinates, and a weld.
    Frame,
}

/// A joint that closes a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutJoint {
    /// The joint.
    pub joint: EdgeId,
    /// How it closes.
    pub form: CutForm,
}

/// The spanning tree and the cut joints of a joint graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Topology {
    /// Per node.
    pub attachments: Vec<Attachment>,
    /// In order of declaration.
    pub cut_joints: Vec<CutJoint>,
}

/// Chooses the spanning tree of a joint graph.
pub fn choose(graph: &JointGraph) -> Topology {
    let forms: Vec<Option<Vec<ClosingPart>>> =
        graph.joints.iter().map(|(_, joint)| closing_form(&joint.motions)).collect();
    let edge = |((_, joint), form): ((EdgeId, &JointEdge), &Option<Vec<ClosingPart>>)| Edge {
        first: joint.ends[0].index(),
        second: joint.ends[1].index(),
        rank: (class(joint, form.is_some()), joint.n_freedoms),
    };
    let edges: Vec<Edge> = graph.joints.iter().zip(&forms).map(edge).collect();
    let parents: Vec<Option<usize>> =
        graph.nodes.iter().map(|(_, node)| node.parent.map(Id::index)).collect();
    let mut in_tree = vec![false; forms.len()];
    let mut attach = |k: usize, reversed: bool| {
        in_tree[k] = true;
        Attachment::Joint { joint: EdgeId::from_index(k), reversed }
    };
    let attachments = span(&parents, &edges)
        .into_iter()
        .map(|hold| match hold {
            Hold::Given => Attachment::Given,
            Hold::Forward(k) => attach(k, false),
            Hold::Backward(k) => attach(k, true),
            Hold::Loose => Attachment::Loose,
        })
        .collect();
    let cut = |((id, joint), form): ((EdgeId, &JointEdge), Option<Vec<ClosingPart>>)| {
        let form = form.filter(|_| !joint.needs_coordinates);
        CutJoint { joint: id, form: form.map_or(CutForm::Frame, CutForm::Constraints) }
    };
    let all = graph.joints.iter().zip(forms).zip(in_tree);
    let cut_joints = all.filter(|(_, kept)| !kept).map(|(joint, _)| cut(joint)).collect();
    Topology { attachments, cut_joints }
}

/// The class of cost of a joint.
fn class(joint: &JointEdge, has_closing_form: bool) -> u8 {
    match joint {
        joint if joint.cut => 3,
        joint if joint.needs_coordinates || !has_closing_form => 0,
        joint if joint.needs_reaction => 2,
        _ => 1,
    }
}
