//! Bodies: frames from joints, then mass, inertia, mass centre and shapes.

use cardan_base::{Diagnostic, Span, nearest};
use cardan_expr::{Depends, Expr};
use cardan_kinematics::{FrameId, Matrix3, Point, Sequence, rotation};
use cardan_model::{Body, CoordinateSpec, Orientation, Quantity, Shape, ShapeKind, SpeedChoice, Step};
use cardan_syntax::{self as syntax, BodyKind, StatementKind};
use cardan_units::Dimension;

use crate::joints::{AxisPlan, PlannedStep, word_of};
use crate::resolver::{BuiltCoordinate, Env, Resolver};
use crate::scope::{ItemKind, Status};
use crate::value::Value;
use crate::{codes, limits};

impl<'t> Resolver<'t> {
    /// The frame of a body: its joint on its parent.
    pub fn body_frame(&mut self, b: usize) -> Option<Value> {
        let tree = self.names.bodies[b].tree;
        let item = self.names.bodies[b].frame;
        let (scope, name) = (self.names.items[item].scope, self.names.items[item].name.clone());
        let env = Env { scope: Some(scope), ..Env::default() };
        let parent_path = tree.parent.as_ref()?;
        let (parent, seat) = match self.path(parent_path, &env)? {
            Value::Frame(frame) => (frame, None),
            Value::Point(p) => (p.frame, Some(p)),
            other => {
                self.wrong_kind(&other, parent_path.span, "a body or frame");
                return None;
            }
        };
        let mut steps = vec![];
        let offset = match (&tree.at, seat) {
            (Some(e), _) => Some((self.offset(e, parent, scope)?, e.span)),
            (None, Some(p)) => Some((p.coordinates, parent_path.span)),
            (None, None) => None,
        };
        if let Some((offset, span)) = offset {
            for c in offset {
                self.constant(c, span, "the place of a joint")?;
            }
            if offset.iter().any(|c| !self.pool().is_zero(*c)) {
                steps.push(Step::Shift(offset));
            }
        }
        self.planned_steps(b, parent, &mut steps)?;
        let level = self.space().frame(parent).level;
        if level + 2 * steps.len() > limits::FRAME_DEPTH {
            self.error(
                codes::TOO_LARGE,
                "too many bodies hang on one another",
                tree.name.span,
                "use fewer joints in a row",
            );
            return None;
        }
        let first_parameter = self.builder.model().parameters.len();
        let kind = self.plans[b].kind.clone();
        let joint = self.builder.add_joint(&name, &kind, parent, steps, Some(tree.name.span));
        self.note_coordinates(b, joint, first_parameter);
        let frame = *self.builder.model().joints[joint].frames.last()?;
        let zero = self.pool().zero();
        self.builder.add_body(Body {
            name,
            description: tree.description.as_ref().map_or(String::new(), |t| t.text.clone()),
            frame,
            joint: Some(joint),
            mass: zero,
            inertia: [[zero; 3]; 3],
            center: [zero; 3],
            shapes: vec![],
            span: Some(tree.name.span),
        });
        Some(Value::Frame(frame))
    }

    /// Where a joint sits, components in the parent.
    fn offset(
        &mut self,
        e: &'t syntax::Expr,
        parent: FrameId,
        scope: crate::scope::ScopeId,
    ) -> Option<[Expr; 3]> {
        let env = Env { scope: Some(scope), frame: Some(parent), ..Env::default() };
        let p = self.point(e, &env, "")?;
        if p.frame == parent {
            return Some(p.coordinates);
        }
        let position = self.space().position(&self.space().origin(parent), &p);
        Some(self.space().components(&position, parent))
    }

    fn note_coordinates(&mut self, b: usize, joint: cardan_model::JointId, first_parameter: usize) {
        let model = self.builder.model();
        let mut free = model.joints[joint].coordinates.iter();
        let mut locked = model.parameters.ids().skip(first_parameter);
        let mut built = vec![];
        for (k, degree) in self.plans[b].degrees.iter().enumerate() {
            let next = match (degree.locked, self.motions.get(&(b, k))) {
                (true, _) => locked.next().map(BuiltCoordinate::Locked),
                (false, Some(motion)) => Some(BuiltCoordinate::Prescribed(*motion)),
                (false, None) => free.next().copied().map(BuiltCoordinate::Free),
            };
            built.extend(next);
        }
        self.built[b] = built;
        // The first of four Euler parameters starts at one.
        let one = self.pool().one();
        for step in &self.plans[b].steps {
            let first = match step {
                PlannedStep::Ball(Orientation::EulerParameters, _, first, _) => *first,
                PlannedStep::Free(Orientation::EulerParameters, first, _) => *first + 3,
                _ => continue,
            };
            if let Some(BuiltCoordinate::Free(id)) = self.built[b].get(first) {
                self.builder.start_coordinate(*id, one);
            }
        }
    }

    fn planned_steps(&mut self, b: usize, parent: FrameId, steps: &mut Vec<Step>) -> Option<()> {
        let scope = self.names.items[self.names.bodies[b].frame].scope;
        let env = Env { scope: Some(scope), frame: Some(parent), ..Env::default() };
        let mut specs = vec![];
        for k in 0..self.plans[b].degrees.len() {
            specs.push(self.coordinate_spec(b, k, &env)?);
        }
        let speeds: Vec<Quantity> = (0..self.plans[b].speeds.len())
            .map(|k| {
                let mut q = Quantity::new(self.speed_name(b, k), self.plans[b].speeds[k].dimension);
                q.span = Some(self.names.bodies[b].tree.name.span);
                q
            })
            .collect();
        let plan = std::mem::take(&mut self.plans[b]);
        let result = self.make_steps(&plan.steps, &specs, &speeds, &env, steps);
        self.plans[b] = plan;
        result
    }

    fn make_steps(
        &mut self,
        planned: &[PlannedStep<'t>],
        specs: &[CoordinateSpec],
        speeds: &[Quantity],
        env: &Env<'t>,
        steps: &mut Vec<Step>,
    ) -> Option<()> {
        let mut turned = false;
        for step in planned {
            steps.push(match step {
                PlannedStep::Turn(sequence, e) => {
                    let R = self.fixed_turn(*sequence, e, env)?;
                    turned = true;
                    Step::Turn(R)
                }
                PlannedStep::Translate(axis, k) => {
                    Step::Translate(self.direction(axis, turned, env)?, specs[*k].clone())
                }
                PlannedStep::Rotate(axis, k) => {
                    let direction = self.direction(axis, turned, env)?;
                    turned = true;
                    Step::Rotate(direction, specs[*k].clone())
                }
                PlannedStep::Screw(axis, lead, k) => {
                    let direction = self.direction(axis, turned, env)?;
                    turned = true;
                    let value = self.scalar(lead, Dimension::LENGTH, "the lead of a screw", env)?;
                    let value = self.constant(value, lead.span, "the lead of a screw")?;
                    Step::Screw(direction, value, specs[*k].clone())
                }
                PlannedStep::Ball(orientation, choice, k, u) => {
                    turned = true;
                    let n = if *orientation == Orientation::EulerParameters { 4 } else { 3 };
                    let names = match choice {
                        SpeedChoice::BodyFixed => speeds[*u..u + 3].to_vec(),
                        SpeedChoice::CoordinateRates => vec![],
                    };
                    Step::Ball(*orientation, *choice, specs[*k..k + n].to_vec(), names)
                }
                PlannedStep::Free(orientation, k, u) => {
                    turned = true;
                    let n = if *orientation == Orientation::EulerParameters { 7 } else { 6 };
                    Step::Free(*orientation, specs[*k..k + n].to_vec(), speeds[*u..u + 6].to_vec())
                }
            });
        }
        Some(())
    }

    /// The name of a speed: as given, or `der(X)` of a named coordinate, or by number.
    pub fn speed_name(&self, b: usize, k: usize) -> String {
        let plan = &self.plans[b];
        let prefix = &self.names.scopes[self.root].prefix;
        let inner = &self.names.scopes[self.names.bodies[b].inner].prefix;
        match (plan.speeds[k].name, plan.speeds[k].rate_of.and_then(|d| plan.degrees[d].name)) {
            (Some(name), _) => format!("{prefix}{}", name.text),
            (None, Some(coordinate)) => format!("der({prefix}{})", coordinate.text),
            (None, None) if plan.speeds.len() == 1 => format!("{inner}u"),
            (None, None) => format!("{inner}u{}", k + 1),
        }
    }

    fn coordinate_spec(&mut self, b: usize, k: usize, env: &Env<'t>) -> Option<CoordinateSpec> {
        let degree = &self.plans[b].degrees[k];
        let inner = &self.names.scopes[self.names.bodies[b].inner].prefix;
        let name = match degree.name {
            Some(name) => format!("{}{}", self.names.scopes[self.root].prefix, name.text),
            None if self.plans[b].degrees.len() == 1 => format!("{inner}q"),
            None => format!("{inner}q{}", k + 1),
        };
        let mut quantity = Quantity::new(name, degree.dimension);
        quantity.span = Some(degree.span);
        let of_degree = |s: &crate::joints::PlannedSpeed<'_>| s.rate_of == Some(k);
        let speed =
            self.plans[b].speeds.iter().position(of_degree).map_or(String::new(), |s| self.speed_name(b, s));
        let mut spec = CoordinateSpec::new(quantity, speed);
        spec.small = degree.small;
        spec.locked = degree.locked;
        if let (Some(e), false) = (degree.motion, degree.locked) {
            let dimension = degree.dimension;
            let motion = self.scalar(e, dimension, "this motion", env)?;
            let moving = Depends::COORDINATES | Depends::SPEEDS | Depends::STATES | Depends::UNKNOWNS;
            if self.pool().depends_on(motion, moving) {
                let d = Diagnostic::error(codes::VARIES, "a prescribed motion depends on time only")
                    .at(e.span, "");
                self.report(d.hint("use time and parameters"));
                return None;
            }
            self.motions.insert((b, k), motion);
            spec.prescribed = Some(motion);
        }
        Some(spec)
    }

    /// Three constant rotations in sequence.
    fn fixed_turn(&mut self, sequence: Sequence, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Matrix3> {
        let Value::Tuple(parts) = self.evaluate(e, env)? else {
            self.error(codes::KIND, "a turn needs three angles", e.span, "write `(0, 0, 90) [deg]`");
            return None;
        };
        let (angles, dimension, _) = self.components(parts, 3, e.span)?;
        if !dimension.is_dimensionless() {
            let d = Diagnostic::error(codes::DIMENSION, "these angles have a dimension");
            self.report(
                d.at(e.span, format!("[{dimension}], expected [rad]")).hint("write `(0, 0, 90) [deg]`"),
            );
            return None;
        }
        for angle in &angles {
            self.constant(*angle, e.span, "a fixed turn")?;
        }
        let pool = self.pool();
        let turns =
            sequence.0.iter().zip(angles).map(|(axis, angle)| rotation::about_axis(pool, *axis, angle));
        Some(turns.fold(rotation::identity(pool), |R, turn| rotation::compose(pool, &turn, &R)))
    }

    /// The unit vector of an axis, components in the frame reached so far.
    fn direction(&mut self, axis: &AxisPlan<'t>, turned: bool, env: &Env<'t>) -> Option<[Expr; 3]> {
        let e = match axis {
            AxisPlan::Axis(axis, negative) => {
                let unit = rotation::identity(self.pool())[axis.index()];
                return Some(if *negative { unit.map(|c| self.pool().neg(c)) } else { unit });
            }
            AxisPlan::Direction(e) => e,
        };
        let components = match self.evaluate(e, env)? {
            Value::Tuple(parts) => {
                let (c, _, _) = self.components(parts, 3, e.span)?;
                [c[0], c[1], c[2]]
            }
            value => {
                let arrow = self.as_arrow(value, e.span, env)?;
                if turned {
                    let message = "after a rotation an axis is given by components";
                    self.error(
                        codes::AXIS,
                        message,
                        e.span,
                        "write a tuple in the frame turned so far, such as `(1, 1, 0)`",
                    );
                    return None;
                }
                let parent = env.frame.unwrap_or(self.space().newtonian());
                self.space().components(&arrow.vector, parent)
            }
        };
        for c in components {
            self.constant(c, e.span, "an axis")?;
        }
        let pool = self.pool();
        let square = rotation::inner(pool, components, components);
        if pool.is_zero(square) {
            self.error(
                codes::AXIS,
                "this axis has no length",
                e.span,
                "give a direction, such as `(1, 1, 0)`",
            );
            return None;
        }
        let size = pool.sqrt(square);
        Some(components.map(|c| pool.div(c, size)))
    }

    /// Mass, inertia, mass centre and shapes. The value is the mass centre.
    pub fn body_data(&mut self, b: usize) -> Option<Value> {
        let entry = &self.names.bodies[b];
        let (tree, inner) = (entry.tree, entry.inner);
        let Status::Done(Value::Frame(frame)) = self.names.items[entry.frame].status.clone() else {
            return None;
        };
        let id = self.builder.model().body_in(frame)?;
        let env = Env { scope: Some(inner), frame: Some(frame), ..Env::default() };
        let zero = self.pool().zero();
        let mut mass = zero;
        let mut inertia = [[zero; 3]; 3];
        let mut center = [zero; 3];
        let defaults = self.default_names(b);
        for (name, dimension) in &defaults {
            let item = self.names.find(self.root, name)?;
            let Some(Value::Scalar(s)) = self.item_value(item, tree.name.span) else { continue };
            if !s.dimension.compatible(dimension) {
                let known = matches!(self.names.items[item].kind, ItemKind::Parameter(_));
                let span = self.names.items[item].span.filter(|_| known).unwrap_or(tree.name.span);
                let message =
                    format!("`{name}` stands for data of `{}`, and has another dimension", tree.name.text);
                let d = Diagnostic::error(codes::DIMENSION, message);
                let d = d.at(span, format!("[{}], expected [{dimension}]", s.dimension));
                self.report(d.hint("give it the right unit, or another name"));
                continue;
            }
            match name.chars().last() {
                _ if *dimension == Dimension::MASS => mass = s.expr,
                Some(digit) => {
                    let k = (digit as usize).wrapping_sub('1' as usize).min(2);
                    inertia[k][k] = s.expr;
                }
                None => {}
            }
        }
        let mut seen: Vec<(String, Span)> = vec![];
        let mut failed = false;
        for statement in &tree.content {
            let done = match &statement.kind {
                StatementKind::Assign(a) => {
                    let target = self.text(a.target.span);
                    if let Some((_, first)) = seen.iter().find(|(t, _)| *t == target) {
                        let d = Diagnostic::error(codes::DUPLICATE, format!("`{target}` is given twice"));
                        self.report(
                            d.at(a.target.span, "here again")
                                .also(*first, "first here")
                                .hint("remove one of them"),
                        );
                        continue;
                    }
                    seen.push((target, a.target.span));
                    self.body_property(tree, a, &env, &mut mass, &mut inertia, &mut center)
                }
                StatementKind::Shape(shape) => {
                    let shape = self.shape(&shape.form, &env);
                    shape.map(|s| self.builder.body_mut(id).shapes.push(s))
                }
                _ => Some(()),
            };
            failed |= done.is_none();
        }
        let body = self.builder.body_mut(id);
        (body.mass, body.inertia, body.center) = (mass, inertia, center);
        let name = format!("{}cm", self.names.scopes[inner].prefix);
        (!failed).then_some(Value::Point(Point { name, frame, coordinates: center }))
    }

    fn body_property(
        &mut self,
        tree: &'t syntax::Body,
        a: &'t syntax::Assign,
        env: &Env<'t>,
        mass: &mut Expr,
        inertia: &mut [[Expr; 3]; 3],
        center: &mut [Expr; 3],
    ) -> Option<()> {
        let parts: Vec<&str> = a.target.segments.iter().map(|s| s.name.text.as_str()).collect();
        let allowed: &[&str] = match tree.kind {
            BodyKind::Body => &["mass", "inertia", "center"],
            BodyKind::Particle => &["mass", "center"],
            BodyKind::Frame => &[],
        };
        match (parts.as_slice(), allowed.contains(parts.first().unwrap_or(&""))) {
            (["mass"], true) => {
                let value = self.scalar(&a.value, Dimension::MASS, "this mass", env)?;
                *mass = self.constant(value, a.value.span, "a mass")?;
            }
            (["center"], true) => {
                let p = self.point(&a.value, env, "")?;
                let frame = env.frame?;
                let c = match p.frame == frame {
                    true => p.coordinates,
                    false => {
                        let position = self.space().position(&self.space().origin(frame), &p);
                        self.space().components(&position, frame)
                    }
                };
                for x in c {
                    self.constant(x, a.value.span, "a mass centre")?;
                }
                *center = c;
            }
            (["inertia"], true) => {
                let parts = match self.evaluate(&a.value, env)? {
                    Value::Tuple(parts) if parts.len() == 3 || parts.len() == 6 => parts,
                    _ => {
                        let help = "write `(xx, yy, zz) [kg*m^2]` or `(xx, yy, zz, xy, xz, yz) [kg*m^2]`";
                        self.error(codes::KIND, "an inertia is three or six numbers", a.value.span, help);
                        return None;
                    }
                };
                let n = parts.len();
                let (values, dimension, bare) = self.components(parts, n, a.value.span)?;
                self.expect_components(
                    &values,
                    dimension,
                    bare,
                    Dimension::INERTIA,
                    a.value.span,
                    "this inertia",
                )?;
                for value in &values {
                    self.constant(*value, a.value.span, "an inertia")?;
                }
                for (value, (i, j)) in values.iter().zip([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]) {
                    (inertia[i][j], inertia[j][i]) = (*value, *value);
                }
            }
            (["inertia", component], true) => {
                let axes: Vec<usize> = component.chars().filter_map(|c| "xyz".find(c)).collect();
                let (&[i, j], 2) = (axes.as_slice(), component.len()) else {
                    self.error(
                        codes::UNKNOWN_WORD,
                        format!("there is no inertia `{component}`"),
                        a.target.span,
                        "components are xx, yy, zz, xy, xz, yz",
                    );
                    return None;
                };
                let value = self.scalar(&a.value, Dimension::INERTIA, "this inertia", env)?;
                let value = self.constant(value, a.value.span, "an inertia")?;
                (inertia[i][j], inertia[j][i]) = (value, value);
            }
            _ => {
                let target = self.text(a.target.span);
                let what = match tree.kind {
                    BodyKind::Body => "a body",
                    BodyKind::Particle => "a particle",
                    BodyKind::Frame => "a frame",
                };
                let d = Diagnostic::error(codes::UNKNOWN_WORD, format!("{what} has no `{target}`"))
                    .at(a.target.span, "");
                self.report(match nearest(parts.first().unwrap_or(&""), allowed.iter().copied()) {
                    Some(near) => d.hint(format!("write `{near}`")),
                    None if allowed.is_empty() => d.hint("write `body` instead of `frame` if it has mass"),
                    None => d.hint(format!("there is {}", allowed.join(", "))),
                });
                return None;
            }
        }
        Some(())
    }

    /// Checks the dimension of several numbers at once.
    pub fn expect_components(
        &mut self,
        values: &[Expr],
        found: Dimension,
        bare: bool,
        expected: Dimension,
        span: Span,
        what: &str,
    ) -> Option<()> {
        let all_zero = values.iter().all(|v| self.pool().is_zero(*v));
        if found.compatible(&expected) || all_zero {
            return Some(());
        }
        if bare {
            return self.adopt(span, &expected);
        }
        let message = match crate::dimension::noun(&found) {
            Some("a plain number") | None => format!("{what} has the wrong dimension"),
            Some(noun) => format!("{what} has the dimension of {noun}"),
        };
        let d = Diagnostic::error(codes::DIMENSION, message)
            .at(span, format!("[{found}], expected [{expected}]"));
        self.report(d.hint(format!("write the unit after the bracket: `(1, 2, 3) [{expected}]`")));
        None
    }

    fn shape(&mut self, form: &'t syntax::Call, env: &Env<'t>) -> Option<Shape> {
        #[rustfmt::skip]
        const SHAPES: &[(&str, &[&str])] = &[
            ("box", &["size"]), ("sphere", &["radius"]), ("ellipsoid", &["size"]), ("cylinder", &["radius", "length"]),
            ("capsule", &["radius", "length"]), ("cone", &["radius", "length"]), ("rod", &["to", "radius"]),
        ];
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
        let color = match find("color").map(|e| &e.kind) {
            Some(syntax::ExprKind::Text(text)) => Some(text.clone()),
            Some(_) => find("color").and_then(word_of).map(str::to_owned),
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
            "ellipsoid" => ShapeKind::Ellipsoid(place(self, find("size")?)?),
            "sphere" => ShapeKind::Sphere(length(self, "radius")?),
            "cylinder" => ShapeKind::Cylinder(length(self, "radius")?, length(self, "length")?),
            "capsule" => ShapeKind::Capsule(length(self, "radius")?, length(self, "length")?),
            "cone" => ShapeKind::Cone(length(self, "radius")?, length(self, "length")?),
            _ => ShapeKind::Rod(place(self, find("to")?)?, length(self, "radius")?),
        };
        Some(Shape { kind, at, axis, color })
    }

    fn shape_axis(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<[Expr; 3]> {
        if let Some(k) = word_of(e).and_then(|w| ["x", "y", "z"].iter().position(|a| *a == w)) {
            return Some(rotation::identity(self.pool())[k]);
        }
        self.direction(&AxisPlan::Direction(e), false, env)
    }
}
