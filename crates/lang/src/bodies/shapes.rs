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
];

impl<'t> Resolver<'t> {
    pub fn shape(&mut self, form: &'t syntax::Call, env: &Env<'t>) -> Option<Shape> {
        let name = form.function.as_name().map_or("", |n| n.text.as_str());
        let Some((_, slots)) = SHAPES.iter().find(|(n, _)| *n == name) else {
            let names: Vec<&str> = SHAPES.iter().map(|(n, _)| *n).collect();
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
                Some(n) => slots.iter().chain(&["at", "axis", "color"]).find(|s| **s == n.text).copied(),
            };
            let Some(slot) = slot else {
                let help = format!("`{name}` takes {}, at, axis, color", slots.join(", "));
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
            Some(e) => Some(self.shape_axis(e, env)?),
            None => None,
        };
        let color = match find("color") {
            Some(e) => Some(self.color(e)?),
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
            _ => ShapeKind::Rod(place(self, find("to")?)?, length(self, "radius")?),
        };
        Some(Shape { kind, at, axis, color })
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
