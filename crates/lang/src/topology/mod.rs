//! The joint graph of a text, and its spanning tree as statements. The choice itself is made by
//! [`cardan_topology`].
//!
//! - `joint_graph`: bodies and joints as a typed graph;
//! - `fixed_frame`: frames fixed on a body as ends of its joints;
//! - `joint_forms`: a joint as a tree joint or as a loop joint; `attachment`: joints between two points;
//! - `cut_joint_frame`: cut joints that keep their coordinates, by a massless frame.

pub(crate) mod attachment;
pub(crate) mod cut_joint_frame;
pub(crate) mod fixed_frame;
pub(crate) mod joint_forms;
pub(crate) mod joint_graph;
