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

#[cfg(test)]
mod tests {
    use cardan_kinematics::Axis;
    use cardan_model::{Closing, ConstraintKind};

    use super::*;
    use crate::joint_graph::{Direction, NodeId, RelativeMotion};

    fn hinge(name: &str, ends: [NodeId; 2]) -> JointEdge {
        JointEdge {
            name: name.into(),
            ends,
            motions: vec![RelativeMotion::Rotation(Direction::Axis(Axis::Z, false))],
            n_freedoms: 1,
            needs_coordinates: false,
            needs_reaction: false,
            cut: false,
        }
    }

    /// N – crank – coupler – rocker – N, with the last but one hinge changed.
    fn four_bar(change: impl Fn(&mut JointEdge)) -> (Topology, [NodeId; 4]) {
        let mut graph = JointGraph::new("N");
        let ground = NodeId::from_index(0);
        let [crank, coupler, rocker] = ["crank", "coupler", "rocker"].map(|name| graph.add_body(name, None));
        graph.add_joint(hinge("A", [ground, crank]));
        graph.add_joint(hinge("B", [crank, coupler]));
        let mut pin = hinge("C", [rocker, coupler]);
        change(&mut pin);
        graph.add_joint(pin);
        graph.add_joint(hinge("D", [ground, rocker]));
        (choose(&graph), [ground, crank, coupler, rocker])
    }

    fn cut(topology: &Topology) -> (usize, &CutForm) {
        let [cut] = topology.cut_joints.as_slice() else { panic!("{topology:?}") };
        (cut.joint.index(), &cut.form)
    }

    #[test]
    fn a_loop_is_cut_into_the_constraints_of_its_joint() {
        let (topology, _) = four_bar(|_| {});
        let (joint, form) = cut(&topology);
        let CutForm::Constraints(parts) = form else { panic!("{form:?}") };
        assert_eq!((joint, parts.len()), (2, 1));
        assert_eq!(parts[0].kind, ConstraintKind::Closing(Closing::Revolute));
    }

    #[test]
    fn a_joint_whose_coordinates_are_needed_stays_in_the_tree() {
        let (topology, [_, _, coupler, rocker]) = four_bar(|pin| pin.needs_coordinates = true);
        assert_ne!(cut(&topology).0, 2);
        let held = [coupler, rocker].map(|body| topology.attachments[body.index()]);
        let by_pin = |a: &Attachment| matches!(a, Attachment::Joint { joint, .. } if joint.index() == 2);
        assert_eq!(held.iter().filter(|a| by_pin(a)).count(), 1, "{held:?}");
    }

    #[test]
    fn a_cut_joint_whose_coordinates_are_needed_is_carried_by_a_frame() {
        let (topology, _) = four_bar(|pin| {
            pin.needs_coordinates = true;
            pin.cut = true;
        });
        assert_eq!(cut(&topology), (2, &CutForm::Frame));
    }

    #[test]
    fn a_joint_seen_from_its_second_body_is_reversed() {
        let mut graph = JointGraph::new("N");
        let body = graph.add_body("body", None);
        let loose = graph.add_body("loose", None);
        graph.add_joint(hinge("A", [body, NodeId::from_index(0)]));
        let Topology { attachments, cut_joints } = choose(&graph);
        assert_eq!(attachments[0], Attachment::Given);
        let joint = EdgeId::from_index(0);
        assert_eq!(attachments[body.index()], Attachment::Joint { joint, reversed: true });
        assert_eq!(attachments[loose.index()], Attachment::Loose);
        assert!(cut_joints.is_empty());
    }
}
