//! Joints of a data set: kinds, the spanning tree, coordinates at the start.
//!
//! ADAMS measures the motion of marker I in marker J about J's z axis, so a joint is written `between J and I`. All parts have a
//! place in the ground; the coordinates of the joints that hold the parts follow from these. Joints that close loops are cut.

use std::collections::BTreeSet;

use crate::adams::codes;
use crate::adams::pose::{self, Pose, Rotation, Vector};
use crate::adams::scene::{Scene, decimal, numeric_angles};
use crate::adams::statement::Statement;
use cardan_base::Diagnostic;

/// The kind of a joint.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Fixed,
    Revolute,
    Translational,
    Cylindrical,
    /// The z axes stay perpendicular.
    Universal,
    /// The x axis of I and the y axis of J stay perpendicular.
    Hooke,
    Spherical,
    Planar,
    /// The advance in a turn.
    Screw(String),
    /// Two shafts that turn alike at any angle between them.
    ConstantVelocity,
    /// A primitive, by the word of its closing joint.
    Primitive(Primitive),
}

/// Joint primitives.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Primitive {
    AtPoint,
    InLine,
    InPlane,
    Orientation,
    Parallel,
    Perpendicular,
}

/// What a coordinate measures.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Measure {
    Length,
    Angle,
}

/// One joint.
pub struct Joint {
    pub id: u64,
    pub name: String,
    pub kind: Kind,
    pub i: u64,
    pub j: u64,
    pub statement: Statement,
    /// Whether it holds a part, rather than closing a loop.
    pub in_tree: bool,
    /// Whether the part of I is held by it, rather than the part of J.
    pub holds_i: bool,
    /// Whether a motion or a coupler speaks of its coordinates.
    pub is_used: bool,
}

impl Kind {
    /// Kind of a JOINT or JPRIM statement.
    fn of(scene: &mut Scene, statement: &Statement) -> Option<Kind> {
        let words: &[(&str, Kind)] = match statement.keyword.as_str() {
            "JPRIM" => &[
                ("ATPOINT", Kind::Primitive(Primitive::AtPoint)),
                ("INLINE", Kind::Primitive(Primitive::InLine)),
                ("INPLANE", Kind::Primitive(Primitive::InPlane)),
                ("ORIENTATION", Kind::Primitive(Primitive::Orientation)),
                ("PARALLEL_AXES", Kind::Primitive(Primitive::Parallel)),
                ("PERPENDICULAR", Kind::Primitive(Primitive::Perpendicular)),
            ],
            _ => &[
                ("FIXED", Kind::Fixed),
                ("REVOLUTE", Kind::Revolute),
                ("TRANSLATIONAL", Kind::Translational),
                ("CYLINDRICAL", Kind::Cylindrical),
                ("UNIVERSAL", Kind::Universal),
                ("HOOKE", Kind::Hooke),
                ("SPHERICAL", Kind::Spherical),
                ("PLANAR", Kind::Planar),
                ("CONVEL", Kind::ConstantVelocity),
                ("SCREW", Kind::Screw(String::new())),
            ],
        };
        let kind = words.iter().find(|(word, _)| statement.has(word)).map(|(_, kind)| kind.clone());
        match kind {
            Some(Kind::Screw(_)) => {
                let pitch = scene.written(statement, "PITCH");
                if pitch.is_none() {
                    let help = "write `, PITCH = 5`";
                    scene.findings.push(super::scene::lacking(statement.span, "`PITCH`", help));
                }
                pitch.map(Kind::Screw)
            }
            Some(kind) => Some(kind),
            None => {
                let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                let found = Diagnostic::error(codes::UNSUPPORTED, "a joint of this kind cannot be imported")
                    .at(statement.span, "this joint")
                    .hint(format!("one of {}", known.join(", ")));
                scene.findings.push(found);
                None
            }
        }
    }

    fn freedoms(&self) -> usize {
        match self {
            Kind::Fixed => 0,
            Kind::Revolute | Kind::Translational | Kind::Screw(_) => 1,
            Kind::Cylindrical | Kind::Universal | Kind::Hooke => 2,
            Kind::Spherical | Kind::Planar => 3,
            Kind::ConstantVelocity | Kind::Primitive(_) => usize::MAX,
        }
    }

    /// What its coordinates measure, in their order.
    pub fn measures(&self) -> &'static [Measure] {
        use Measure::{Angle, Length};
        match self {
            Kind::Revolute | Kind::Screw(_) => &[Angle],
            Kind::Translational => &[Length],
            Kind::Cylindrical => &[Length, Angle],
            Kind::Universal | Kind::Hooke => &[Angle, Angle],
            Kind::Planar => &[Length, Length, Angle],
            _ => &[],
        }
    }

    /// The words after `by`.
    fn motions(&self, length: &str) -> String {
        match self {
            Kind::Fixed => "fixed".into(),
            Kind::Revolute => "revolute(z)".into(),
            Kind::Translational => "prismatic(z)".into(),
            Kind::Cylindrical => "cylindrical(z)".into(),
            Kind::Universal => "universal(zy)".into(),
            Kind::Hooke => "universal(yx)".into(),
            Kind::Planar => "planar(z)".into(),
            Kind::Screw(pitch) => format!("screw(z, lead = {pitch} [{length}])"),
            Kind::Spherical | Kind::ConstantVelocity | Kind::Primitive(_) => "spherical".into(),
        }
    }

    /// The statement that closes a loop.
    fn closing(&self, j: &str, i: &str, length: &str) -> String {
        match self {
            Kind::Fixed => format!("fixed({j}, {i})"),
            Kind::Revolute => format!("revolute({j}, {i}, axis = z)"),
            Kind::Translational => format!("prismatic({j}, {i}, axis = z)"),
            Kind::Cylindrical => format!("cylindrical({j}, {i}, axis = z)"),
            Kind::Universal => format!("universal({j}, {i}, axis = z, second = z)"),
            Kind::Hooke => format!("universal({j}, {i}, axis = y, second = x)"),
            Kind::Planar => format!("planar({j}, {i}, axis = z)"),
            Kind::Screw(pitch) => format!("screw({j}, {i}, axis = z, lead = {pitch} [{length}])"),
            Kind::Spherical | Kind::ConstantVelocity | Kind::Primitive(Primitive::AtPoint) => {
                format!("spherical({j}, {i})")
            }
            Kind::Primitive(Primitive::InLine) => format!("on_line({j}, {i}, axis = z)"),
            Kind::Primitive(Primitive::InPlane) => format!("in_plane({j}, {i}, axis = z)"),
            Kind::Primitive(Primitive::Parallel) => format!("parallel({j}, {i}, axis = z)"),
            Kind::Primitive(Primitive::Perpendicular) => {
                format!("perpendicular({j}, {i}, axis = z, second = z)")
            }
            Kind::Primitive(Primitive::Orientation) => String::new(),
        }
    }
}

/// All joints, those that hold parts first chosen: grown from the ground, driven joints and few freedoms first. Also the parts
/// that nothing holds.
pub fn joints(scene: &mut Scene) -> (Vec<Joint>, BTreeSet<u64>) {
    let statements: Vec<Statement> =
        scene.others.iter().filter(|s| matches!(s.keyword.as_str(), "JOINT" | "JPRIM")).cloned().collect();
    let mut joints = vec![];
    for statement in statements {
        let kind = Kind::of(scene, &statement);
        let (i, j) = (scene.end(&statement, "I"), scene.end(&statement, "J"));
        let (Some(kind), Some(i), Some(j)) = (kind, i, j) else { continue };
        let name = scene.name(&statement, "joint");
        let id = statement.id.unwrap_or(0);
        let speaks = |s: &Statement| match s.keyword.as_str() {
            "MOTION" => {
                s.argument("JOINT").and_then(|a| a.values.first()).is_some_and(|v| names(&v.text, id))
            }
            "COUPLER" => {
                let listed = s.argument("JOINTS").map_or(&[][..], |a| &a.values);
                listed.iter().any(|v| names(&v.text, id))
            }
            _ => false,
        };
        let is_used = statement.keyword == "JOINT" && scene.others.iter().any(speaks);
        joints.push(Joint { id, name, kind, i, j, statement, in_tree: false, holds_i: true, is_used });
    }
    let mut reached: BTreeSet<u64> =
        scene.parts.iter().filter(|(_, p)| p.is_ground).map(|(id, _)| *id).collect();
    let mut free = BTreeSet::new();
    let part = |scene: &Scene, marker: u64| scene.markers.get(&marker).map_or(0, |m| m.part);
    loop {
        let mut best: Option<(bool, usize, usize)> = None;
        for (k, joint) in joints.iter().enumerate() {
            let ends = [joint.i, joint.j].map(|m| reached.contains(&part(scene, m)));
            let freedoms = joint.kind.freedoms();
            if !joint.in_tree && ends[0] != ends[1] && freedoms < usize::MAX {
                let bid = (!joint.is_used, freedoms, k);
                best = Some(best.map_or(bid, |b| b.min(bid)));
            }
        }
        if let Some((_, _, k)) = best {
            let joint = &mut joints[k];
            joint.in_tree = true;
            joint.holds_i = !reached.contains(&part(scene, joint.i));
            reached.extend([part(scene, joint.i), part(scene, joint.j)]);
            continue;
        }
        match scene.parts.keys().find(|id| !reached.contains(id)) {
            Some(id) => {
                free.insert(*id);
                reached.insert(*id);
            }
            None => return (joints, free),
        }
    }
}

fn names(text: &str, id: u64) -> bool {
    text.trim().parse() == Ok(id)
}

/// The frame that a joint moves, and start values of its coordinates and speeds as native settings.
pub struct Written {
    /// Statements, in order.
    pub statements: Vec<String>,
    pub start: Vec<String>,
}

impl Joint {
    /// A coordinate by what it measures: `(name, measure)`.
    pub fn coordinate(&self, wanted: Measure) -> Option<String> {
        let measures = self.kind.measures();
        let k = measures.iter().position(|m| *m == wanted)?;
        Some(match measures.len() {
            1 => format!("{}.q", self.name),
            _ => format!("{}.q{}", self.name, k + 1),
        })
    }

    /// Native statements of the joint. Guesses stand where the text has loops or drives, which move them.
    pub fn write(&self, scene: &Scene, is_guess: bool) -> Written {
        let length = &scene.units.length;
        let (i, j) = (&scene.markers[&self.i], &scene.markers[&self.j]);
        let (mut first, mut second) = (j.name.clone(), i.name.clone());
        let mut statements = vec![];
        let mut seen = scene.global(self.j).seen(&scene.global(self.i));
        let title = self.statement.label.as_deref().map_or(String::new(), |l| {
            let clean: String = l.chars().filter(|c| !c.is_control() && !matches!(c, '"' | '\\')).collect();
            format!(" \"{clean}\"")
        });
        let name = &self.name;
        if !self.in_tree && !self.is_used {
            let (a, b) = (&first, &second);
            match &self.kind {
                Kind::Primitive(Primitive::Orientation) => {
                    for (k, (x, y)) in [("x", "y"), ("y", "z"), ("z", "x")].iter().enumerate() {
                        statements.push(format!("constraint {name}_{} = dot({a}.{x}, {b}.{y})", k + 1));
                    }
                }
                kind => {
                    statements.push(format!("joint {name} = {}{title}", kind.closing(a, b, length)));
                    // A tree has no joint that keeps less than a point.
                    let is_primitive = matches!(kind, Kind::Primitive(p) if *p != Primitive::AtPoint);
                    statements.extend((!is_primitive).then(|| format!("cut {name}")));
                }
            }
            if self.kind == Kind::ConstantVelocity {
                // Both shafts turn alike: the difference or the sum vanishes, by how the axes point.
                let sign = if (seen.R[1][0] - seen.R[0][1]).abs() < 1e-6 { "-" } else { "+" };
                let law = format!("dot({b}.x, {a}.y) {sign} dot({b}.y, {a}.x)");
                statements.push(format!("constraint {name}_spin = {law}"));
            }
            return Written { statements, start: vec![] };
        }
        if self.kind == Kind::Universal {
            // Seen from a frame whose y axis is the z axis of I, the joint is a turn about z and one about y.
            let turned: Rotation = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];
            let inner = Pose { R: pose::times(&i.pose.R, &turned), r: i.pose.r };
            second = format!("{name}_cross");
            statements.push(frame(&second, &scene.parts[&i.part].name, &inner, length));
            seen.R = pose::times(&seen.R, &turned);
        }
        if self.kind == Kind::Spherical {
            // A seat that stands as the ball does at the start.
            let part = &scene.parts[&j.part];
            let seat = part.pose.seen(&Pose { R: scene.global(self.i).R, r: scene.global(self.j).r });
            first = format!("{name}_seat");
            statements.push(frame(&first, &part.name, &Pose { R: seat.R, r: j.pose.r }, length));
        }
        let motions = self.kind.motions(length);
        statements.push(format!("joint {name} between {first} and {second} by {motions}{title}"));
        if !self.in_tree {
            statements.push(format!("cut {name}"));
        }
        let start = self.start(scene, &seen, is_guess);
        Written { statements, start }
    }

    fn start(&self, scene: &Scene, seen: &Pose, is_guess: bool) -> Vec<String> {
        let sign = if is_guess { "~" } else { "=" };
        let R = &seen.R;
        let values: Vec<f64> = match self.kind {
            Kind::Revolute | Kind::Screw(_) => vec![R[1][0].atan2(R[0][0])],
            Kind::Translational => vec![seen.r[2]],
            Kind::Cylindrical => vec![seen.r[2], R[1][0].atan2(R[0][0])],
            Kind::Planar => vec![seen.r[0], seen.r[1], R[1][0].atan2(R[0][0])],
            Kind::Hooke => vec![(-R[2][0]).atan2(R[0][0]), (-R[1][2]).atan2(R[1][1])],
            Kind::Universal => vec![(-R[0][1]).atan2(R[1][1]), (-R[2][0]).atan2(R[2][2])],
            _ => vec![],
        };
        let Scene { units, .. } = scene;
        let measures = self.kind.measures();
        let named = |k: usize| match measures.len() {
            1 => format!("{}.q", self.name),
            _ => format!("{}.q{}", self.name, k + 1),
        };
        let mut out = vec![];
        for (k, (value, measure)) in values.iter().zip(measures).enumerate() {
            let unit = if *measure == Measure::Length { &units.length } else { "rad" };
            if value.abs() > 1e-15 {
                out.push(format!("{} {sign} {} [{unit}]", named(k), decimal(*value)));
            }
        }
        for (k, rate) in self.rates(scene, &values).iter().enumerate() {
            let unit = match measures.get(k) {
                Some(Measure::Length) => &units.length,
                _ => "rad",
            };
            if rate.abs() > 1e-15 {
                let name = match measures.is_empty() {
                    true => format!("{}.u{}", self.name, k + 1),
                    false => format!("der({})", named(k)),
                };
                out.push(format!("{name} = {} [{unit}/{}]", decimal(*rate), units.time));
            }
        }
        out
    }

    /// Rates of the coordinates, from the velocities that the parts are given; angular velocity of a ball.
    fn rates(&self, scene: &Scene, values: &[f64]) -> Vec<f64> {
        let (ri, rj) = (scene.global(self.i), scene.global(self.j));
        let motion = |marker: u64, at: Vector| -> (Vector, Vector) {
            let Some(part) = scene.markers.get(&marker).and_then(|m| scene.parts.get(&m.part)) else {
                return ([0.0; 3], [0.0; 3]);
            };
            let centre = super::centre(scene, part);
            (pose::add(part.velocity, pose::cross(part.omega, pose::subtract(at, centre))), part.omega)
        };
        let ((vi, wi), (vj, wj)) = (motion(self.i, ri.r), motion(self.j, ri.r));
        let back = pose::transposed(&rj.R);
        let v = pose::apply(&back, pose::subtract(vi, vj));
        let w = pose::apply(&back, pose::subtract(wi, wj));
        match self.kind {
            Kind::Revolute | Kind::Screw(_) => vec![w[2]],
            Kind::Translational => vec![v[2]],
            Kind::Cylindrical => vec![v[2], w[2]],
            Kind::Planar => vec![v[0], v[1], w[2]],
            // w = a' y + b' (x turned about y by a)
            Kind::Hooke => vec![w[1], w[0] * values[0].cos() - w[2] * values[0].sin()],
            // w = a' z + b' (y turned about z by a)
            Kind::Universal => vec![w[2], w[1] * values[0].cos() - w[0] * values[0].sin()],
            Kind::Spherical => {
                let sign = if self.holds_i { 1.0 } else { -1.0 };
                let axes = pose::transposed(&ri.R);
                pose::apply(&axes, pose::subtract(wi, wj)).map(|x| sign * x).to_vec()
            }
            _ => vec![],
        }
    }
}

/// A frame fixed on a body.
pub fn frame(name: &str, body: &str, pose: &Pose, length: &str) -> String {
    let by = match pose.R == pose::IDENTITY {
        true => String::new(),
        false => format!(" by fixed(rotate = zxz, angles = {})", numeric_angles(&pose.R)),
    };
    let at = match pose.r == [0.0; 3] {
        true => String::new(),
        false => format!(" at ({}) [{length}]", pose.r.map(decimal).join(", ")),
    };
    format!("frame {name} on {body}{by}{at}")
}
