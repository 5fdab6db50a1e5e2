//! The system of a model: tree, coordinates, cut joints and their loops.
//!
//! Tree formalisms work on this: every body has one path to the ground, each joint of the tree has its
//! coordinates, and each cut joint closes a loop through the bodies of two paths.
//!
//! ```text
//! [loop]   bodies from the first end of a cut joint up to the nearest common ancestor of both ends,
//!          and down to the second end
//! ```

use std::fmt;

use cardan_kinematics::FrameId;
use cardan_model::{BodyId, ConstraintId, CoordinateId, Edge, JointId, Marker, Model};

/// A body of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeBody {
    /// The body, or a massless frame.
    pub body: BodyId,
    /// The body that carries it, by its place in the list; nothing for the ground.
    pub parent: Option<usize>,
    /// The joint of the tree that carries it; nothing where it is fixed on its parent.
    pub joint: Option<JointId>,
    /// The joint of the graph that this is; nothing for a place of contact.
    pub edge: Option<usize>,
    /// The coordinates of the joint.
    pub coordinates: Vec<CoordinateId>,
    /// Number of bodies on the way to the ground.
    pub depth: usize,
}

/// A cut joint and the loop that it closes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutLoop {
    /// The joint, by its place among the edges.
    pub edge: usize,
    /// Bodies of the loop from the first end of the joint to the second; nothing stands for the ground.
    /// [loop]
    pub bodies: Vec<Option<BodyId>>,
    /// Number of constraint rows.
    pub n_rows: usize,
}

/// A model as a tree with cut joints.
#[derive(Clone, Debug)]
pub struct System<'m> {
    /// The model.
    pub model: &'m Model,
    /// The joint graph, in order of declaration.
    pub edges: Vec<Edge>,
    /// Parents before children.
    pub bodies: Vec<TreeBody>,
    /// In order of declaration.
    pub loops: Vec<CutLoop>,
    /// Constraints that are no joints: couplings, prescribed motions, equations.
    pub other_constraints: Vec<ConstraintId>,
}

impl<'m> System<'m> {
    /// The system of a model.
    pub fn of(model: &'m Model) -> System<'m> {
        let edges = model.graph();
        let mut system = System { model, edges, bodies: vec![], loops: vec![], other_constraints: vec![] };
        for (id, body) in model.bodies.iter() {
            let joint = body.joint;
            let above = match joint {
                Some(joint) => Some(model.joints[joint].parent),
                None => model.space.frame(body.frame).parent,
            };
            let parent = above.and_then(|frame| system.carrier(frame));
            system.bodies.push(TreeBody {
                body: id,
                parent,
                joint,
                edge: system.edges.iter().position(|e| joint.is_some() && e.joint == joint),
                coordinates: joint.map_or(vec![], |j| model.joints[j].coordinates.clone()),
                depth: parent.map_or(1, |p| system.bodies[p].depth + 1),
            });
        }
        system.loops = (0..system.edges.len()).filter_map(|k| system.closed_by(k)).collect();
        let in_joints = |id: &ConstraintId| system.edges.iter().any(|e| e.constraints.contains(id));
        system.other_constraints = model.constraints.ids().filter(|id| !in_joints(id)).collect();
        system
    }

    /// Number of constraint rows of the cut joints and all other constraints.
    pub fn n_rows(&self) -> usize {
        let others = self.other_constraints.iter().map(|c| self.model.constraints[*c].rows.len());
        self.loops.iter().map(|l| l.n_rows).chain(others).sum()
    }

    /// The body in which a frame is fixed, or that carries it; nothing for the ground.
    fn carrier(&self, frame: FrameId) -> Option<usize> {
        let mut way = std::iter::successors(Some(frame), |f| self.model.space.frame(*f).parent);
        way.find_map(|f| self.bodies.iter().position(|b| self.model.bodies[b.body].frame == f))
    }

    /// The bodies from one up to the ground.
    fn way_to_ground(&self, frame: FrameId) -> Vec<usize> {
        std::iter::successors(self.carrier(frame), |b| self.bodies[*b].parent).collect()
    }

    fn closed_by(&self, edge: usize) -> Option<CutLoop> {
        let joint = &self.edges[edge];
        if !joint.is_cut() {
            return None;
        }
        let [mut up, mut down] = joint.frames().map(|f| self.way_to_ground(f));
        // What both ways share is no part of the loop, but for the nearest common ancestor.
        let mut top = None;
        while let (Some(a), Some(b)) = (up.last(), down.last())
            && a == b
        {
            top = up.pop();
            down.pop();
        }
        let frames = up.into_iter().map(Some).chain([top]).chain(down.into_iter().rev().map(Some));
        let bodies = frames.map(|b| b.map(|b| self.bodies[b].body)).collect();
        let n_rows = joint.constraints.iter().map(|c| self.model.constraints[*c].rows.len()).sum();
        Some(CutLoop { edge, bodies, n_rows })
    }

    fn ground(&self) -> &str {
        &self.model.space.frame(self.model.space.newtonian()).name
    }

    /// A point by its body and components: `crank (L, 0, 0)`.
    fn place(&self, marker: &Marker) -> String {
        let (space, pool) = (&self.model.space, self.model.space.pool());
        let [x, y, z] = marker.point.coordinates.map(|c| pool.text(c));
        format!("{} ({x}, {y}, {z})", space.frame(marker.frame()).name)
    }

    fn draw(&self, f: &mut fmt::Formatter<'_>, parent: Option<usize>, indent: &str) -> fmt::Result {
        let below: Vec<usize> = (0..self.bodies.len()).filter(|b| self.bodies[*b].parent == parent).collect();
        for (k, b) in below.iter().enumerate() {
            let last = k + 1 == below.len();
            let branch = if last { "└─" } else { "├─" };
            writeln!(f, "{indent}{branch} {}", self.line(&self.bodies[*b]))?;
            self.draw(f, Some(*b), &format!("{indent}{}", if last { "   " } else { "│  " }))?;
        }
        Ok(())
    }

    fn line(&self, body: &TreeBody) -> String {
        let model = self.model;
        let mut line = model.bodies[body.body].name.clone();
        let Some(joint) = body.joint else { return line + ": fixed" };
        line += &format!(": {}", model.joints[joint].kind_name());
        if let Some(edge) = body.edge.map(|e| &self.edges[e]) {
            let declared = model.joints[joint].declared.as_ref();
            declared.iter().for_each(|d| line += &format!(" {}", d.name));
            let reversed = declared.is_some_and(|d| d.reversed);
            line += &format!(" at {}", self.place(&edge.ends[usize::from(reversed)]));
        }
        let names: Vec<&str> =
            body.coordinates.iter().map(|q| model.coordinates[*q].quantity.name.as_str()).collect();
        if !names.is_empty() {
            line += &format!(", q = {}", names.join(", "));
        }
        line
    }
}

fn counted(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// The text form: the tree, the coordinates, the cut joints with their loops, other constraints.
impl fmt::Display for System<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model;
        let joints = self.bodies.iter().filter(|b| b.joint.is_some()).count();
        let parts = [
            counted(self.bodies.len(), "body").replace("bodys", "bodies"),
            counted(joints, "tree joint"),
            counted(self.loops.len(), "cut joint"),
            counted(self.n_rows(), "constraint row"),
        ];
        writeln!(f, "system {}: {}", model.name, parts.join(", "))?;
        writeln!(f, "tree\n  {}", self.ground())?;
        self.draw(f, None, "  ")?;
        let named = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let q = model.coordinates.iter().map(|(_, q)| q.quantity.name.as_str());
        let u = model.speeds.iter().map(|(_, u)| u.quantity.name.as_str());
        writeln!(f, "coordinates q\n  {}\nspeeds u\n  {}", named(q.collect()), named(u.collect()))?;
        if !self.loops.is_empty() {
            writeln!(f, "cut joints")?;
        }
        for closed in &self.loops {
            let edge = &self.edges[closed.edge];
            let body = |b: &Option<BodyId>| b.map_or(self.ground(), |b| &model.bodies[b].name);
            let way: Vec<&str> = closed.bodies.iter().map(body).collect();
            let [a, b] = [0, 1].map(|k| self.place(&edge.ends[k]));
            let rows = counted(closed.n_rows, "constraint row");
            writeln!(f, "  {}: {}, {a} to {b}, {rows}", edge.name, model.edge_kind(edge))?;
            writeln!(f, "    loop {}", way.join(" – "))?;
        }
        if !self.other_constraints.is_empty() {
            writeln!(f, "other constraints")?;
        }
        for id in &self.other_constraints {
            let constraint = &model.constraints[*id];
            writeln!(
                f,
                "  {}: {}, {}",
                constraint.name,
                constraint.kind,
                counted(constraint.rows.len(), "constraint row")
            )?;
        }
        Ok(())
    }
}
