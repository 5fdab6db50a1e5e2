//! Topology of a mechanism: which joints carry the bodies, which close loops, which coordinates
//! describe it.
//!
//! ```text
//! JointGraph ─choose▶ Topology        before a model is built: spanning tree and cut joints
//! Model ─System::of▶ System           of a finished model: tree, coordinates, cut joints, loops
//! ```
//!
//! Both are pure functions of typed graphs. A formalism that works on a tree reads a [`System`]; one
//! with absolute coordinates starts from [`Model::graph`](cardan_model::Model::graph) and needs none.
//!
//! Absent by design: text, equations, numbers. Positions and ranks are found by `assembly`.
//!
//! In reading order:
//! - [`joint_graph`]: bodies, and joints as edges with two ends and a sequence of motions;
//! - [`joint_forms`]: constraints that replace a joint whose loop is cut there;
//! - [`spanning_tree`]: the cheapest tree; [`choice`]: what each joint becomes;
//! - [`system`]: the tree, the coordinates and the loops of a model.

pub mod choice;
pub mod joint_forms;
pub mod joint_graph;
pub mod spanning_tree;
pub mod system;

pub use crate::choice::{Attachment, CutForm, CutJoint, Topology, choose};
pub use crate::joint_forms::{ClosingPart, closing_form};
pub use crate::joint_graph::{BodyNode, Direction, EdgeId, JointEdge, JointGraph, NodeId, RelativeMotion};
pub use crate::system::{CutLoop, System, TreeBody};
