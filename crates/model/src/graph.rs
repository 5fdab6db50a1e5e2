//! The graph of joints: bodies are its nodes, joints its edges, whatever spanning tree was chosen.
//!
//! A joint of the text is one edge. It may be a joint of the tree, be cut into constraints, or be cut and keep its coordinates; then a
//! massless frame carries them and a weld closes the loop.

use cardan_base::Span;
use cardan_kinematics::{FrameId, rotation};

use crate::closing::Marker;
use crate::constraint::{Constraint, ConstraintId};
use crate::constraint_kind::ConstraintKind;
use crate::joint::{Joint, JointId};
use crate::model::Model;
use crate::quantity::CoordinateId;

/// A joint between two bodies.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Path of the joint; that of its body where the joint has no name.
    pub name: String,
    /// The joint of the tree that has its coordinates.
    pub joint: Option<JointId>,
    /// The constraints that close its loop; none if it is part of the tree.
    pub constraints: Vec<ConstraintId>,
    /// The markers of the joint in its two bodies, in the order of the text. Before the joint moves they coincide.
    pub ends: [Marker; 2],
    /// Where it was declared.
    pub span: Option<Span>,
}

impl Edge {
    /// Whether it closes a loop.
    pub fn is_cut(&self) -> bool {
        !self.constraints.is_empty()
    }
    /// The frames of its bodies.
    pub fn frames(&self) -> [FrameId; 2] {
        [self.ends[0].frame(), self.ends[1].frame()]
    }
}

impl Model {
    /// The joints between bodies in order of declaration. Places of contact are none.
    ///
    /// The points and axes of the ends are expressions, which may be new in the pool.
    pub fn graph(&self) -> Vec<Edge> {
        let seen = self.joints.iter().filter(|(_, j)| !j.is_contact());
        let mut edges: Vec<Edge> = seen.map(|(id, joint)| self.tree_edge(id, joint)).collect();
        for (id, constraint) in self.constraints.iter().filter(|(_, c)| is_joint(c)) {
            let Some(ends) = self.constraint_ends(constraint) else { continue };
            match edges.iter_mut().find(|e| e.is_part(constraint, &ends)) {
                Some(edge) => {
                    // The frame that carries the coordinates is no body: the joint reaches to where the weld ties it.
                    if !edge.is_cut() && edge.joint.is_some() {
                        edge.ends[1] = ends[1].clone();
                    }
                    edge.constraints.push(id);
                }
                None => edges.push(Edge {
                    name: constraint.name.clone(),
                    joint: None,
                    constraints: vec![id],
                    ends,
                    span: constraint.span,
                }),
            }
        }
        edges.sort_by_key(|e| (e.span.is_none(), e.span));
        edges
    }

    /// The names of the kinds of a joint, separated by spaces.
    pub fn edge_kind(&self, edge: &Edge) -> String {
        match edge.joint {
            Some(joint) => self.joints[joint].kind_name(),
            None => {
                let names = edge.constraints.iter().map(|c| self.constraints[*c].kind.name());
                names.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// The coordinates of a joint; none where it is cut without them.
    pub fn edge_coordinates(&self, edge: &Edge) -> &[CoordinateId] {
        edge.joint.map_or(&[], |j| &self.joints[j].coordinates)
    }

    fn tree_edge(&self, id: JointId, joint: &Joint) -> Edge {
        let mut ends = [self.parent_marker(joint), self.child_marker(joint)];
        let declared = joint.declared.as_ref();
        if declared.is_some_and(|d| d.reversed) {
            ends.reverse();
        }
        let name = declared.map_or(&joint.name, |d| &d.name).clone();
        let span = declared.map_or(joint.span, |d| Some(d.span));
        Edge { name, joint: Some(id), constraints: vec![], ends, span }
    }

    /// The frame that the fixed steps before the first motion reach, as a marker of the parent.
    fn parent_marker(&self, joint: &Joint) -> Marker {
        let space = &self.space;
        let pool = space.pool();
        let mut axes = rotation::identity(pool);
        let mut reached = joint.parent;
        for frame in joint.frames.iter().take_while(|f| !self.is_moving(**f)) {
            axes = rotation::compose(pool, &space.frame(*frame).R_PB, &axes);
            reached = *frame;
        }
        self.marker(joint.parent, reached, axes)
    }

    /// The frame that the last motion moves, as a marker of the body.
    fn child_marker(&self, joint: &Joint) -> Marker {
        let space = &self.space;
        let pool = space.pool();
        let body = joint.frames.last().copied().unwrap_or(joint.parent);
        let moving = joint.frames.iter().rposition(|f| self.is_moving(*f));
        let Some(moving) = moving else { return Marker::plain(space, space.origin(body)) };
        let mut turn = rotation::identity(pool);
        for frame in &joint.frames[moving + 1..] {
            turn = rotation::compose(pool, &space.frame(*frame).R_PB, &turn);
        }
        self.marker(body, joint.frames[moving], rotation::transpose(&turn))
    }

    /// The origin of one frame as a point of another, with axes.
    fn marker(&self, host: FrameId, frame: FrameId, axes: cardan_kinematics::Matrix3) -> Marker {
        let space = &self.space;
        let mut point = space.origin(host);
        if host != frame {
            let offset = space.position(&point, &space.origin(frame));
            point.coordinates = space.components(&offset, host);
            point.name.clone_from(&space.frame(frame).name);
        }
        Marker { point, axes }
    }

    fn constraint_ends(&self, constraint: &Constraint) -> Option<[Marker; 2]> {
        if let Some(markers) = &constraint.markers {
            return Some((**markers).clone());
        }
        let ends = constraint.ends.as_ref()?;
        let point = |frame: FrameId| match ends.at.frame == frame {
            true => ends.at.clone(),
            false => self.space.origin(frame),
        };
        Some([ends.first, ends.second].map(|frame| Marker::plain(&self.space, point(frame))))
    }
}

impl Edge {
    /// Whether a constraint closes the loop of this joint: both come from one statement and meet in a body.
    fn is_part(&self, constraint: &Constraint, ends: &[Marker; 2]) -> bool {
        let [first, second] = [ends[0].frame(), ends[1].frame()];
        let [a, b] = self.frames();
        let meets = match self.joint {
            Some(_) => b == first,
            None => [first, second] == [a, b] || [second, first] == [a, b],
        };
        constraint.span.is_some() && constraint.span == self.span && meets
    }
}

/// Whether a constraint is a joint between two bodies.
fn is_joint(constraint: &Constraint) -> bool {
    let kind = constraint.kind;
    !(kind.is_coupling() || kind.is_drive() || kind == ConstraintKind::Equation)
}
