//! What bodies look like.

use cardan_base::nearest;
use cardan_expr::Expr;
use cardan_kinematics::Axis;
use cardan_model::{Shape, ShapeKind};
use cardan_syntax as syntax;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::plan::{AxisPlan, word_of};

/// Every shape with its arguments.
#[rustfmt::skip]
pub const SHAPES: &[(&str, &[&str])] = &[
    ("box", &["size"]), ("sphere", &["radius"]), ("ellipsoid", &["radii"]), ("cylinder", &["radius", "length"]),
    ("capsule", &["radius", "length"]), ("cone", &["radius", "length"]), ("rod", &["to", "radius"]),
    ("tube", &["radius", "inner", "length"]), ("extrusion", &["polygon", "length"]), ("revolution", &["profile"]),
    ("mesh", &["vertices", "triangles"]), ("plane", &[]),
];

/// Arguments of every shape.
const COMMON: [&str; 4] = ["at", "axis", "color", "density"];

/// Words that join solids.
pub const COMPOSITIONS: [&str; 2] = ["union", "difference"];

/// A solid of a body: what is drawn and weighed, or a hole.
pub struct Part {
    /// The solid.
    pub shape: Shape,
    /// Whether it is taken away.
    pub is_hole: bool,
    /// Its own density.
    pub density: Option<Expr>,
}

impl<'t> Resolver<'t> {
    /// The solids of a shape: one, or those of `union(…)` and `difference(…)`.
    pub fn solids_of(&mut self, form: &'t syntax::Call, env: &Env<'t>) -> Option<Vec<Part>> {
        let name = form.function.as_name().map_or("", |n| n.text.as_str());
        if !COMPOSITIONS.contains(&name) {
            return Some(vec![self.solid_of(form, env)?]);
        }
        let mut parts = vec![];
        for (k, argument) in form.arguments.iter().enumerate() {
            let (None, syntax::ExprKind::Call(call)) = (&argument.name, &argument.value.kind) else {
                let help = format!("write `{name}(box(size = (1, 1, 1) [m]), sphere(radius = 0.4 [m]))`");
                self.error(codes::ARGUMENT, "this is not a solid", argument.value.span, help);
                return None;
            };
            let taken = name == "difference" && k > 0;
            let inner = self.solids_of(call, env)?;
            parts.extend(inner.into_iter().map(|p| Part { is_hole: p.is_hole != taken, ..p }));
        }
        Some(parts)
    }

    fn solid_of(&mut self, form: &'t syntax::Call, env: &Env<'t>) -> Option<Part> {
        let name = form.function.as_name().map_or("", |n| n.text.as_str());
        let Some((_, slots)) = SHAPES.iter().find(|(n, _)| *n == name) else {
            let names: Vec<&str> = SHAPES.iter().map(|(n, _)| *n).chain(COMPOSITIONS).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("write `{near}`"),
                None => format!("shapes are {}", names.join(", ")),
            };
            self.error(
                codes::UNKNOWN_WORD,
                format!("there is no shape called `{name}`"),
                form.function.span,
                help,
            );
            return None;
        };
        let mut given: Vec<(&str, &'t syntax::Expr)> = vec![];
        let mut positional = slots.iter();
        for argument in &form.arguments {
            let slot = match &argument.name {
                None => positional.next().copied(),
                Some(n) => slots.iter().chain(&COMMON).find(|s| **s == n.text).copied(),
            };
            let Some(slot) = slot else {
                let help = format!("`{name}` takes {}, {}", slots.join(", "), COMMON.join(", "));
                self.error(codes::ARGUMENT, "this argument does not fit", argument.value.span, help);
                return None;
            };
            given.push((slot, &argument.value));
        }
        let find = |slot: &str| given.iter().find(|(s, _)| *s == slot).map(|(_, e)| *e);
        let zero = self.pool().zero();
        let place = |r: &mut Self, e: &'t syntax::Expr| r.point(e, env, "").map(|p| p.coordinates);
        let at = match find("at") {
            Some(e) => place(self, e)?,
            None => [zero; 3],
        };
        let axis = match find("axis") {
            Some(e) if matches!(name, "extrusion" | "mesh") => {
                let help = "draw the polygon in the plane x, y; or let a frame of its own carry the shape";
                self.error(codes::ARGUMENT, "this solid stands in the axes of the body", e.span, help);
                return None;
            }
            Some(e) => Some(self.shape_axis(e, env)?),
            None => None,
        };
        let color = match find("color") {
            Some(e) => Some(self.color(e)?),
            None => None,
        };
        let density = match find("density") {
            Some(e) => Some(self.density(e, env)?),
            None => None,
        };
        let missing = slots.iter().find(|s| find(s).is_none() && !(name == "rod" && **s == "radius"));
        if let Some(slot) = missing {
            self.error(
                codes::ARGUMENT,
                format!("this {name} needs its {slot}"),
                form.span,
                format!("write `{slot} = …`"),
            );
            return None;
        }
        let length = |r: &mut Self, slot: &str| match find(slot) {
            Some(e) => r.scalar(e, Dimension::LENGTH, "this size", env),
            None => Some(r.pool().number(cardan_expr::Rational::Small(1, 100))),
        };
        let kind = match name {
            "box" => ShapeKind::Box(place(self, find("size")?)?),
            "ellipsoid" => ShapeKind::Ellipsoid(place(self, find("radii")?)?),
            "sphere" => ShapeKind::Sphere(length(self, "radius")?),
            "cylinder" => ShapeKind::Cylinder(length(self, "radius")?, length(self, "length")?),
            "capsule" => ShapeKind::Capsule(length(self, "radius")?, length(self, "length")?),
            "cone" => ShapeKind::Cone(length(self, "radius")?, length(self, "length")?),
            "tube" => {
                ShapeKind::Tube(length(self, "radius")?, length(self, "inner")?, length(self, "length")?)
            }
            "extrusion" => {
                ShapeKind::Extrusion(self.corners(find("polygon")?, env)?, length(self, "length")?)
            }
            "mesh" => self.surface(find("vertices")?, find("triangles")?, env)?,
            "plane" => ShapeKind::Plane,
            "revolution" => ShapeKind::Revolution(self.corners(find("profile")?, env)?),
            _ => ShapeKind::Rod(place(self, find("to")?)?, length(self, "radius")?),
        };
        Some(Part { shape: Shape { kind, at, axis, color }, is_hole: false, density })
    }

    /// A density, which does not vary.
    pub fn density(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Expr> {
        let dimension = Dimension::MASS / Dimension::LENGTH.powi(3);
        let value = self.scalar(e, dimension, "this density", env)?;
        self.constant(value, e.span, "a density")
    }

    /// A closed surface of triangles: `vertices = ((0, 0, 0), …) [mm], triangles = ((1, 2, 3), …)`.
    fn surface(
        &mut self,
        vertices: &'t syntax::Expr,
        triangles: &'t syntax::Expr,
        env: &Env<'t>,
    ) -> Option<ShapeKind> {
        let (list, unit) = match &vertices.kind {
            syntax::ExprKind::Quantity { value, unit } => (&**value, self.unit(unit)?),
            _ => (vertices, cardan_units::Unit::si(Dimension::LENGTH)),
        };
        if !unit.dimension().compatible(&Dimension::LENGTH) {
            let message = "the unit of a surface is a length";
            self.error(codes::DIMENSION, message, vertices.span, "write `unit = \"mm\"`");
            return None;
        }
        let scale = self.number_of(self.factor(unit.scale()));
        let corners = self.triples(list, env)?;
        let corners: Vec<[f64; 3]> = corners.into_iter().map(|c| c.map(|x| scale * x)).collect();
        let faces = self.triples(triangles, env)?;
        let n = corners.len();
        let index = |x: f64| (1.0 <= x && x <= n as f64 && x.fract() == 0.0).then_some(x as u32 - 1);
        let faces: Option<Vec<[u32; 3]>> =
            faces.into_iter().map(|[a, b, c]| Some([index(a)?, index(b)?, index(c)?])).collect();
        let Some(faces) = faces else {
            let help = format!("corners are counted from 1 to {n}");
            self.error(codes::UNDEFINED, "a triangle names a corner that is not there", triangles.span, help);
            return None;
        };
        Some(ShapeKind::Mesh(corners, faces))
    }

    /// A list of triples of plain numbers.
    fn triples(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Vec<[f64; 3]>> {
        let syntax::ExprKind::Tuple(parts) = &e.kind else {
            self.error(
                codes::KIND,
                "this is no list of triples",
                e.span,
                "write `((0, 0, 0), (1, 0, 0), (0, 1, 0))`",
            );
            return None;
        };
        let mut triples = vec![];
        for part in parts {
            let syntax::ExprKind::Tuple(three) = &part.kind else {
                self.error(codes::KIND, "this is no triple", part.span, "write `(1, 0, 0)`");
                return None;
            };
            let mut triple = [f64::NAN; 3];
            for (x, e) in triple.iter_mut().zip(three) {
                let s = self.any_scalar(e, env)?;
                *x = self.number_of(s.expr);
            }
            if three.len() != 3 || triple.iter().any(|x| !x.is_finite()) {
                self.error(codes::KIND, "this is no triple of numbers", part.span, "write `(1, 0, 0)`");
                return None;
            }
            triples.push(triple);
        }
        Some(triples)
    }

    /// The corners of a polygon, `((0, 0), (1, 0), (0, 1)) [m]`, against the clock.
    fn corners(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Vec<[Expr; 2]>> {
        let (list, unit) = match &e.kind {
            syntax::ExprKind::Quantity { value, unit } => (&value.kind, Some(unit)),
            kind => (kind, None),
        };
        let unit = match unit {
            Some(unit) => Some(self.unit(unit)?),
            None => None,
        };
        let help = "write `((0, 0), (1, 0), (0, 1)) [m]`, at least three corners against the clock";
        let pair = |e: &'t syntax::Expr| match &e.kind {
            syntax::ExprKind::Tuple(pair) => <&[syntax::Expr; 2]>::try_from(pair.as_slice()).ok(),
            _ => None,
        };
        let pairs: Option<Vec<&[syntax::Expr; 2]>> = match list {
            syntax::ExprKind::Tuple(parts) if parts.len() >= 3 => parts.iter().map(pair).collect(),
            _ => None,
        };
        let Some(pairs) = pairs else {
            self.error(codes::KIND, "a polygon is a list of pairs of lengths", e.span, help);
            return None;
        };
        let mut corners = vec![];
        for pair in pairs {
            let mut corner = [self.pool().zero(); 2];
            for (x, part) in corner.iter_mut().zip(pair) {
                let s = self.any_scalar(part, env)?;
                let value = match (&unit, s.bare) {
                    (Some(unit), true) if unit.dimension().compatible(&Dimension::LENGTH) => {
                        self.pool().mul(self.factor(unit.scale()), s.expr)
                    }
                    _ => self.expect(&s, part, Dimension::LENGTH, "this corner", env)?,
                };
                *x = self.constant(value, part.span, "the corner of a solid")?;
            }
            corners.push(corner);
        }
        let n = corners.len();
        let pool = self.pool();
        let twice = pool.sum(
            (0..n)
                .map(|k| {
                    let (p, q): ([Expr; 2], [Expr; 2]) = (corners[k], corners[(k + 1) % n]);
                    pool.sub(pool.mul(p[0], q[1]), pool.mul(q[0], p[1]))
                })
                .collect::<Vec<_>>(),
        );
        match self.at_defaults(twice) {
            Some(area) if area < 0.0 => corners.reverse(),
            Some(0.0) => {
                self.error(codes::UNDEFINED, "this polygon has no area", e.span, help);
                return None;
            }
            _ => {}
        }
        Some(corners)
    }

    /// `x`, `-x` or a direction: what may stand as the axis of a joint.
    fn shape_axis(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<[Expr; 3]> {
        let (inner, negative) = match &e.kind {
            syntax::ExprKind::Unary { op: syntax::UnaryOp::Minus, operand } => (&**operand, true),
            _ => (e, false),
        };
        let letter = word_of(inner).and_then(|w| ["x", "y", "z"].iter().position(|a| *a == w));
        let plan = match letter {
            Some(k) => AxisPlan::Axis(Axis::ALL[k], negative),
            None => AxisPlan::Direction(e),
        };
        self.direction(&plan, false, env)
    }
}
