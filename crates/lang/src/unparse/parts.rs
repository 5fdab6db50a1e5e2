//! The statements of a text, in the order in which an analyst would write them.

use std::fmt::Write as _;

use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Motion, Point, UnitVectorId, Vector};
use cardan_model::{
    Body, ElementEnds, ElementKind, Experiment, Given, Interpolation, Load, LoadKind, Output, Parameter,
    Setting, Shape, ShapeKind, Table,
};
use cardan_units::{Dimension, Scale, Unit};

use crate::unparse::Writer;
use crate::unparse::names::{described, spelt};

impl Writer<'_> {
    /// The whole text, before it is laid out.
    pub fn text(&mut self) -> String {
        let model = self.model;
        let space = &model.space;
        let mut out = format!("model {}{}\n", spelt(&model.name), described(&model.description));
        let ground = self.frames[&space.newtonian()].clone();
        if ground != "N" {
            let _ = writeln!(out, "newtonian {ground}");
        }
        out.push('\n');
        // The frames of contacts come with their joints.
        let seen = model.joints.ids().filter(|j| !model.joints[*j].is_contact());
        let bodies: String = seen.map(|j| self.body_of(j)).collect();
        for (_, p) in model.parameters.iter() {
            if !self.is_locked(p) {
                out += &self.parameter(p);
            }
        }
        for (id, table) in model.tables.iter() {
            out += &self.table(&self.tables[&id].clone(), table);
        }
        if !model.gravity.is_zero() {
            let gravity = self.vector(&model.gravity, Dimension::ACCELERATION);
            let _ = writeln!(out, "\ngravity = {gravity}");
        }
        out.push('\n');
        out += &bodies;
        out.push('\n');
        out += &self.speeds();
        for (_, s) in model.states.iter() {
            let q = &s.quantity;
            let word = self.names.get(&q.name).unwrap_or("").to_string();
            let start = self.scalar(s.start, q.dimension);
            let unit = unit_suffix(q.dimension);
            let _ = writeln!(out, "state {word}{unit} = {start}{}", described(&q.description));
            let rate = self.scalar(s.rate, q.dimension / Dimension::TIME);
            let _ = writeln!(out, "der({word}) = {rate}");
        }
        let symbols = model.parameters.iter().map(|(_, p)| (p.symbol, &p.quantity));
        for (symbol, q) in symbols.chain(model.states.iter().map(|(_, s)| (s.symbol, &s.quantity))) {
            if space.pool().small_order(symbol) > 0 {
                let _ = writeln!(out, "small {}", self.names.get(&q.name).unwrap_or(""));
            }
        }
        out += &self.discretes();
        out += &self.loads();
        out += &self.limits();
        out += &self.all_constraints();
        out.push('\n');
        for v in &model.variables {
            let word = self.names.word(&v.quantity.name);
            let value = self.scalar(v.value, v.quantity.dimension);
            let _ = writeln!(out, "variable {word} = {value}{}", described(&v.quantity.description));
        }
        for group in model.outputs.chunk_by(of_one_vector) {
            out += &self.output(group);
        }
        out += &self.events();
        out += &std::mem::take(&mut self.variables);
        out += &self.shown();
        out += &self.starts();
        for e in &model.experiments {
            out += &self.experiment(e);
        }
        out
    }

    /// An output, or the components of a vector; nothing if a part of it has no form, since half of it would be wrong.
    fn output(&mut self, group: &[Output]) -> String {
        let Some(o) = group.first() else { return String::new() };
        let q = &o.quantity;
        let is_vector = group.len() == 3;
        if !is_vector && group.len() > 1 {
            return group.iter().map(|o| self.output(std::slice::from_ref(o))).collect();
        }
        let path = if is_vector { q.name.trim_end_matches(".x") } else { q.name.as_str() };
        let triple = group.iter().map(|o| o.value).collect::<Vec<Expr>>();
        let position = <[Expr; 3]>::try_from(triple).ok().and_then(|c| self.as_position(c));
        let Some(value) = position.or_else(|| self.output_value(group)) else { return String::new() };
        let word = self.names.word(path);
        let shown = q.display_unit.as_ref().map_or(String::new(), |u| format!(" in [{u}]"));
        format!("output {word} = {value}{shown}{}\n", described(&q.description))
    }

    /// The value of an output or of three, as they are; a note instead where a part has no form.
    fn output_value(&mut self, group: &[Output]) -> Option<String> {
        let before = (self.variables.clone(), self.shared.clone(), std::mem::take(&mut self.left_out));
        let wanted = group.iter().map(|o| o.quantity.dimension).find(|d| *d != Dimension::ONE);
        let wanted = wanted.unwrap_or(Dimension::ONE);
        let mut values: Vec<String> = group.iter().map(|o| self.scalar(o.value, wanted)).collect();
        // Zeros alone have no dimension: that of a locked speed is written.
        let pool = self.model.space.pool();
        if wanted != Dimension::ONE && group.iter().all(|o| pool.is_zero(o.value)) {
            values[0] += &format!(" [{wanted}]");
        }
        let reasons = std::mem::replace(&mut self.left_out, before.2);
        if !reasons.is_empty() {
            (self.variables, self.shared) = (before.0, before.1);
            let name = group.first().map_or("", |o| o.quantity.name.as_str());
            self.leave_out(format!("the output `{name}`: {}", reasons.join(", ")));
            return None;
        }
        let ground = &self.frames[&self.model.space.newtonian()];
        Some(if values.len() == 3 { format!("{ground}({})", values.join(", ")) } else { values.concat() })
    }

    /// A locked coordinate is a parameter in the model and part of its joint in the text.
    pub fn is_locked(&self, p: &Parameter) -> bool {
        let pool = self.model.space.pool();
        let name = self.names.get(&p.quantity.name).unwrap_or("");
        pool.as_symbol(p.symbol).is_some() && self.starts.iter().any(|s| s.split(" = ").next() == Some(name))
    }

    fn parameter(&mut self, p: &Parameter) -> String {
        let q = &p.quantity;
        let word = self.names.get(&q.name).unwrap_or("").to_string();
        let unit =
            q.display_unit.as_deref().and_then(|u| Unit::parse(u).ok()).filter(|u| u.scale() == Scale::ONE);
        let unit = unit.map_or_else(|| q.dimension.to_string(), |u| u.text().to_string());
        let bracket = if unit == "1" { String::new() } else { format!(" [{unit}]") };
        let value = match p.default {
            None => String::new(),
            Some(e) => format!(" = {}", self.scalar(e, q.dimension)),
        };
        let kind = if p.is_input() { "input" } else { "parameter" };
        let range = p.range.map_or(String::new(), |[low, high]| {
            format!(" in {} .. {}", self.scalar(low, q.dimension), self.scalar(high, q.dimension))
        });
        // The unit stands behind a plain number, in front of anything else.
        match p.default.map(|e| self.model.space.pool().as_number(e)) {
            Some(Some(_)) => {
                let number = self.scalar(p.default.unwrap_or(self.model.space.pool().zero()), Dimension::ONE);
                let number = if number.contains(' ') { format!("({number})") } else { number };
                format!("{kind} {word} = {number}{bracket}{range}{}\n", described(&q.description))
            }
            _ => format!("{kind} {word}{bracket}{value}{range}{}\n", described(&q.description)),
        }
    }

    fn table(&mut self, name: &str, table: &Table) -> String {
        let method = match table.interpolation {
            Interpolation::Steps => "steps",
            Interpolation::Linear => "linear",
            Interpolation::Monotone => "monotone",
            Interpolation::Spline => "spline",
        };
        let mut out =
            format!("table {name}({}) = {method} {{\n", if table.y.is_empty() { "x" } else { "x, y" });
        if !table.y.is_empty() {
            let list: Vec<String> = table.y.iter().map(|y| format!("{y:?}")).collect();
            let _ = writeln!(out, "  y: ({})", list.join(", "));
        }
        for (i, x) in table.x.iter().enumerate() {
            let row: Vec<String> = (0..table.y.len().max(1))
                .map(|j| format!("{:?}", table.values.get(j * table.x.len() + i).copied().unwrap_or(0.0)))
                .collect();
            let row = if row.len() == 1 { row.concat() } else { format!("({})", row.join(", ")) };
            let _ = writeln!(out, "  {x:?}: {row}");
        }
        format!("{out}}}{}\n", described(&table.description))
    }

    /// Components with lengths.
    pub fn triple(&mut self, p: [Expr; 3]) -> String {
        let list: Vec<String> = p.iter().map(|c| self.scalar(*c, Dimension::LENGTH)).collect();
        format!("({})", list.join(", "))
    }

    fn body_of(&mut self, id: cardan_model::JointId) -> String {
        let model = self.model;
        let joint = &model.joints[id];
        let pool = model.space.pool();
        let zero = pool.zero();
        let frame = *joint.frames.last().unwrap_or(&joint.parent);
        let body = model.bodies.iter().find(|(_, b)| b.frame == frame).map(|(_, b)| b.clone());
        let body = body.unwrap_or(Body {
            name: joint.name.clone(),
            description: String::new(),
            frame,
            joint: Some(id),
            mass: zero,
            inertia: [[zero; 3]; 3],
            center: [zero; 3],
            shapes: vec![],
            span: None,
        });
        let word = self.frames.get(&frame).cloned().unwrap_or_default();
        let parent = match self.frames.get(&joint.parent) {
            Some(parent) => parent.clone(),
            None => {
                self.leave_out(format!("the parent of `{}`", joint.name));
                String::new()
            }
        };
        let form = self.joint(&body, joint, parent);
        let massless = body.is_massless(&model.space);
        let no_inertia = body.inertia.iter().flatten().all(|e| pool.is_zero(*e));
        let kind = match (massless, no_inertia) {
            (true, _) => "frame",
            (false, true) => "particle",
            _ => "body",
        };
        let by = if form.calls.is_empty() { String::new() } else { format!(" by {}", form.calls.join(" ")) };
        let at = form.at.map_or(String::new(), |p| format!(" at {}", self.triple(p)));
        let mut out = format!(
            "{}{kind} {word}{} on {}{by}{at}",
            form.before,
            described(&body.description),
            form.parent
        );
        let mut lines = vec![];
        if !massless {
            let mut line = format!("mass = {}", self.scalar(body.mass, Dimension::MASS));
            if !no_inertia {
                let i = &body.inertia;
                let mut entries = vec![i[0][0], i[1][1], i[2][2]];
                let products = [i[0][1], i[0][2], i[1][2]];
                if products.iter().any(|e| !pool.is_zero(*e)) {
                    entries.extend(products);
                }
                let list: Vec<String> = entries.iter().map(|e| self.scalar(*e, Dimension::INERTIA)).collect();
                line += &format!("; inertia = ({})", list.join(", "));
            }
            if body.center.iter().any(|e| !pool.is_zero(*e)) {
                line += &format!("; center = {}", self.triple(body.center));
            }
            lines.push(line);
        }
        for shape in &body.shapes {
            lines.push(self.shape(shape));
        }
        if !lines.is_empty() {
            out += &format!(" {{\n  {}\n}}", lines.join("\n  "));
        }
        out + "\n"
    }

    fn shape(&mut self, shape: &Shape) -> String {
        let pool = self.model.space.pool();
        let length = |w: &mut Self, e: Expr| w.scalar(e, Dimension::LENGTH);
        let mut list = match &shape.kind {
            ShapeKind::Box(size) => format!("box(size = {}", self.triple(*size)),
            ShapeKind::Ellipsoid(size) => format!("ellipsoid(radii = {}", self.triple(*size)),
            ShapeKind::Sphere(r) => format!("sphere(radius = {}", length(self, *r)),
            ShapeKind::Cylinder(r, l) => {
                format!("cylinder(radius = {}, length = {}", length(self, *r), length(self, *l))
            }
            ShapeKind::Capsule(r, l) => {
                format!("capsule(radius = {}, length = {}", length(self, *r), length(self, *l))
            }
            ShapeKind::Cone(r, l) => {
                format!("cone(radius = {}, length = {}", length(self, *r), length(self, *l))
            }
            ShapeKind::Rod(to, r) => format!("rod(to = {}, radius = {}", self.triple(*to), length(self, *r)),
            ShapeKind::Tube(r, inner, l) => {
                let (r, inner) = (length(self, *r), length(self, *inner));
                format!("tube(radius = {r}, inner = {inner}, length = {}", length(self, *l))
            }
            ShapeKind::Extrusion(corners, l) => {
                format!("extrusion(polygon = {}, length = {}", self.corners(corners), length(self, *l))
            }
            ShapeKind::Mesh(vertices, triangles) => {
                let corner = |[x, y, z]: &[f64; 3]| format!("({x:?}, {y:?}, {z:?})");
                let face = |t: &[u32; 3]| format!("({}, {}, {})", t[0] + 1, t[1] + 1, t[2] + 1);
                let corners: Vec<String> = vertices.iter().map(corner).collect();
                let faces: Vec<String> = triangles.iter().map(face).collect();
                format!("mesh(vertices = ({}) [m], triangles = ({})", corners.join(", "), faces.join(", "))
            }
            ShapeKind::Revolution(profile) => format!("revolution(profile = {}", self.corners(profile)),
            ShapeKind::Plane => "plane(".to_owned(),
        };
        if shape.at.iter().any(|e| !pool.is_zero(*e)) {
            list += &format!(", at = {}", self.triple(shape.at));
        }
        if let Some(axis) = shape.axis {
            list += &format!(", axis = {}", self.axis(axis));
        }
        if let Some(color) = &shape.color {
            list += &format!(", color = {}", crate::unparse::names::quoted(color));
        }
        format!("shape {})", list.replacen("(, ", "(", 1))
    }

    fn corners(&mut self, corners: &[[Expr; 2]]) -> String {
        let pair = |w: &mut Self, c: &[Expr; 2]| {
            format!("({}, {})", w.scalar(c[0], Dimension::LENGTH), w.scalar(c[1], Dimension::LENGTH))
        };
        let pairs: Vec<String> = corners.iter().map(|c| pair(self, c)).collect();
        format!("({})", pairs.join(", "))
    }

    /// The frame with a name to which a frame is rigidly attached.
    pub fn carrier(&self, frame: FrameId) -> Option<FrameId> {
        let space = &self.model.space;
        let mut up = frame;
        while !self.frames.contains_key(&up) {
            if space.frame(up).motion != Motion::Fixed {
                return self.carrier_below(frame);
            }
            up = space.frame(up).parent?;
        }
        Some(up)
    }

    fn carrier_below(&self, frame: FrameId) -> Option<FrameId> {
        let (_, joint) = self.model.joints.iter().find(|(_, j)| j.frames.contains(&frame))?;
        let k = joint.frames.iter().position(|f| *f == frame)?;
        let fixed = joint.frames[k + 1..].iter().all(|f| self.model.space.frame(*f).motion == Motion::Fixed);
        joint.frames.last().copied().filter(|f| fixed && self.frames.contains_key(f))
    }

    /// A frame that the text can name for a frame of a joint: one rigidly attached to it, or the one at the end of its joint.
    pub fn nameable(&self, frame: FrameId) -> FrameId {
        let joint = || self.model.joints.iter().find(|(_, j)| j.frames.contains(&frame));
        let end = || joint().and_then(|(_, j)| j.frames.last().copied());
        self.carrier(frame).or_else(end).unwrap_or(self.model.space.newtonian())
    }

    /// Frames between the motions of one joint must get names where loads act on them, and where springs lie along their axes.
    pub fn find_loads_inside_joints(&mut self) {
        let mut frames = vec![];
        for (_, load) in self.model.loads.iter() {
            match &load.kind {
                LoadKind::Force { at, reaction, .. } => {
                    frames.push(at.frame);
                    frames.extend(reaction.as_ref().map(|r| r.at.as_ref().map_or(r.frame, |p| p.frame)));
                }
                LoadKind::Torque { on, reaction, .. } => {
                    frames.push(*on);
                    frames.extend(*reaction);
                }
            }
        }
        // The axes of a bushing are those of its frames.
        let bushings = self.model.elements.iter().filter(|(_, e)| e.kind == ElementKind::Bushing);
        let mut laid: Vec<FrameId> = bushings
            .flat_map(|(_, e)| match &e.ends {
                ElementEnds::Points(p, q) => vec![p.frame, q.frame],
                _ => vec![],
            })
            .collect();
        let axes = |f: FrameId| self.model.space.frame(f).axes;
        let is_turned = |f: &FrameId| self.carrier(*f).is_some_and(|named| axes(named) != axes(*f));
        laid.retain(is_turned);
        frames.retain(|f| self.carrier(*f).is_none());
        self.needed = frames.into_iter().chain(laid).collect();
    }

    /// A unit vector as an axis of a frame that the text can name.
    pub fn named_axis(&self, u: UnitVectorId) -> Option<String> {
        let space = &self.model.space;
        let own = space.unit_vector(u).frame;
        let frames = std::iter::once(own).chain(space.frames().ids());
        frames.filter(|f| self.frames.contains_key(f)).find_map(|f| {
            let k = space.frame(f).axes.iter().position(|a| *a == u)?;
            Some(format!("{}.{}", self.frames[&f], ["x", "y", "z"][k]))
        })
    }

    /// A vector as a sum of factors times axes.
    pub fn vector(&mut self, v: &Vector, dimension: Dimension) -> String {
        let space = &self.model.space;
        let pool = space.pool();
        // Axes inside a joint are expressed in the frame at its end.
        let mut terms: Vec<(UnitVectorId, Expr)> = vec![];
        for (u, c) in v.terms() {
            if self.named_axis(*u).is_some() {
                terms.push((*u, *c));
                continue;
            }
            let frame = self.nameable(space.unit_vector(*u).frame);
            let one = Vector::new(pool, [(*u, *c)]);
            let components = space.components(&one, frame);
            terms.extend(space.frame(frame).axes.iter().copied().zip(components));
        }
        let v = Vector::new(pool, terms);
        let mut parts = vec![];
        for (u, c) in v.terms() {
            let axis = self.named_axis(*u).unwrap_or_default();
            // A sign in front of the whole needs no brackets.
            let plain = parts.is_empty() && pool.as_number(*c).is_some();
            let factor = if plain { self.scalar(*c, dimension) } else { self.factor(*c, dimension) };
            parts.push(format!("{factor} * {axis}"));
        }
        if parts.is_empty() {
            let ground = self.frames[&space.newtonian()].clone();
            return format!("0 [{dimension}] * {ground}.x");
        }
        parts.join(" + ")
    }

    /// A point as a frame with coordinates.
    pub fn point(&mut self, p: &Point) -> String {
        let space = &self.model.space;
        let frame = self.nameable(p.frame);
        let coordinates = if frame == p.frame {
            p.coordinates
        } else {
            space.components(&space.position(&space.origin(frame), p), frame)
        };
        let word = self.frames[&frame].clone();
        if coordinates.iter().all(|c| space.pool().is_zero(*c)) {
            return format!("{word}.o");
        }
        let body = self.model.body_in(frame).map(|b| &self.model.bodies[b]);
        if body.is_some_and(|b| b.center == coordinates) {
            return format!("{word}.cm");
        }
        format!("{word}{}", self.triple(coordinates))
    }

    /// A force or torque that is no part of an element.
    pub fn load(&mut self, load: &Load) -> String {
        // A potential that several loads share is not the energy of one of them.
        let pool = self.model.space.pool();
        let elsewhere = |l: &Load| l.potential.map_or(l.conservative, |energy| pool.is_zero(energy));
        let shared = self.model.loads.iter().any(|(_, l)| elsewhere(l));
        let energy = match load.potential {
            Some(_) if shared => {
                self.leave_out(format!(
                    "the potential of `{}`, whose work the energy audit then counts as done",
                    load.name
                ));
                String::new()
            }
            Some(energy) => format!(" {{ energy = {} }}", self.scalar(energy, Dimension::ENERGY)),
            None => String::new(),
        };
        let name = self.names.word(&load.name);
        let about = described(&load.description);
        match &load.kind {
            LoadKind::Force { vector, at, reaction } => {
                let on = self.point(at);
                let from = reaction.as_ref().map_or(String::new(), |r| match &r.at {
                    Some(p) => format!(" from {}", self.point(p)),
                    None => format!(" from {}", self.frames[&self.nameable(r.frame)]),
                });
                let value = self.vector(&self.model.written_out(vector), Dimension::FORCE);
                format!("force {name}{about} on {on}{from} = {value}{energy}\n")
            }
            LoadKind::Torque { vector, on, reaction } => {
                let on = self.end_of(*on, &load.name);
                let from =
                    reaction.map_or(String::new(), |f| format!(" from {}", self.end_of(f, &load.name)));
                let value = self.vector(&self.model.written_out(vector), Dimension::TORQUE);
                format!("torque {name}{about} on {on}{from} = {value}{energy}\n")
            }
        }
    }

    /// The name of the frame that a torque acts on; inside a joint there is none.
    fn end_of(&mut self, frame: FrameId, load: &str) -> String {
        if self.carrier(frame).is_none() {
            self.leave_out(format!("`{load}` acts inside a joint"));
        }
        self.frames[&self.nameable(frame)].clone()
    }

    fn starts(&mut self) -> String {
        let model = self.model;
        let mut lines = std::mem::take(&mut self.starts);
        let sign = |given: Given| if given == Given::Approximately { "~" } else { "=" };
        for (_, c) in model.coordinates.iter().filter(|(_, c)| c.given != Given::Nothing) {
            let word = self.names.get(&c.quantity.name).unwrap_or("").to_string();
            let value = self.scalar(c.start, c.quantity.dimension);
            lines.push(format!("{word} {} {value}", sign(c.given)));
        }
        for (_, u) in model.speeds.iter().filter(|(_, u)| u.given != Given::Nothing) {
            let word = self.names.get(&u.quantity.name).unwrap_or("").to_string();
            let value = self.scalar(u.start, u.quantity.dimension);
            lines.push(format!("{word} {} {value}", sign(u.given)));
        }
        if lines.is_empty() { String::new() } else { format!("\nstart {{\n  {}\n}}\n", lines.join("\n  ")) }
    }

    fn experiment(&mut self, e: &Experiment) -> String {
        let name = e.name.as_ref().map_or(String::new(), |n| format!(" {n}"));
        let settings: Vec<String> = e
            .settings
            .iter()
            .map(|(name, setting, _)| match setting {
                Setting::Scalar(value, dimension) => format!("{name} = {}", self.scalar(*value, *dimension)),
                Setting::Range([low, high], dimension) => {
                    let (low, high) = (self.scalar(*low, *dimension), self.scalar(*high, *dimension));
                    format!("{name} = {low} .. {high}")
                }
                Setting::Word(word) => format!("{name} = {word}"),
                Setting::Text(text) => format!("{name} = {}", crate::unparse::names::quoted(text)),
            })
            .collect();
        format!("\n{}{name} {{ {} }}\n", e.kind, settings.join(", "))
    }
}

/// Whether an output is the next component of the vector that the one before it belongs to.
fn of_one_vector(a: &Output, b: &Output) -> bool {
    let (a, b) = (&a.quantity, &b.quantity);
    let follows = |x: &str, y: &str| {
        a.name.strip_suffix(x).is_some_and(|vector| b.name.strip_suffix(y) == Some(vector))
    };
    (follows(".x", ".y") || follows(".y", ".z"))
        && a.description == b.description
        && a.display_unit == b.display_unit
}

/// A unit in brackets after a blank; nothing for plain numbers.
pub(crate) fn unit_suffix(dimension: Dimension) -> String {
    if dimension == Dimension::ONE { String::new() } else { format!(" [{dimension}]") }
}
