//! Bodies: frames from joints.

use cardan_base::Diagnostic;
use cardan_expr::{Depends, Expr};
use cardan_kinematics::{FrameId, Matrix3, Sequence, rotation};
use cardan_model::{Body, CoordinateSpec, Declared, Orientation, Quantity, SpeedChoice, Step};
use cardan_syntax as syntax;

use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::joints::axes::axes_call;
use crate::joints::nonsmooth_motion::Kinked;
use crate::joints::plan::{AxisPlan, PlannedStep, word_of};
use crate::topology::attachment;
use crate::types::value::Value;
use crate::{codes, resource_limits};

impl<'t> Resolver<'t> {
    /// The frame of a body: its joint on its parent.
    pub fn body_frame(&mut self, b: usize) -> Option<Value> {
        let tree = self.names.bodies[b].tree;
        let item = self.names.bodies[b].frame;
        let (scope, name) = (self.names.items[item].scope, self.names.items[item].name.clone());
        let env = Env { scope: Some(scope), ..Env::default() };
        let mount = self.mount(b);
        let (parent, offset) = match mount {
            Some(mount) => self.seat(mount)?,
            None => self.parent(tree, &env)?,
        };
        let shifted =
            |r: &Self, p: [Expr; 3]| p.iter().any(|c| !r.pool().is_zero(*c)).then_some(Step::Shift(p));
        let mut steps = vec![];
        self.planned_steps(b, parent, &mut steps)?;
        if let Some(mount) = mount {
            if mount.reversed {
                steps = attachment::undone(self.pool(), steps);
            }
            let own = self.own_place(b, mount, parent)?;
            let back = own.map(|c| self.pool().neg(c));
            steps.extend(shifted(self, back)); // [mount]
        }
        steps.splice(0..0, shifted(self, offset));
        let level = self.space().frame(parent).level;
        if level + 2 * steps.len() > resource_limits::FRAME_DEPTH {
            self.error(
                codes::TOO_LARGE,
                "too many bodies hang on one another",
                tree.name.span,
                "use fewer joints in a row",
            );
            return None;
        }
        let first_parameter = self.builder.model().parameters.len();
        let kinds = self.plans[b].kinds.clone();
        let joint = self.builder.add_joint(&name, kinds, parent, steps, Some(tree.name.span));
        if let Some(mount) = mount {
            let name = format!("{}{}", self.names.scopes[self.root].prefix, mount.joint.text);
            self.builder.declare_joint(joint, Declared { name, span: mount.span, reversed: mount.reversed });
        }
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

    /// The frame that a body names as its parent, and the place of its joint in it.
    fn parent(&mut self, tree: &'t syntax::Body, env: &Env<'t>) -> Option<(FrameId, [Expr; 3])> {
        let path = tree.parent.as_ref()?;
        let (parent, seat) = match self.evaluate(path, env)? {
            Value::Frame(frame) => (frame, None),
            Value::Point(p) => (p.frame, Some(p)),
            other => {
                self.wrong_kind(&other, path.span, "a body or frame");
                return None;
            }
        };
        let (offset, span) = match (&tree.at, seat) {
            (Some(e), _) => (self.offset(e, parent, env.scope.unwrap_or(self.root))?, e.span),
            (None, Some(p)) => (p.coordinates, path.span),
            (None, None) => return Some((parent, [self.pool().zero(); 3])),
        };
        for c in offset {
            self.constant(c, span, "the place of a joint")?;
        }
        Some((parent, offset))
    }

    /// Where a joint sits, components in the parent.
    fn offset(
        &mut self,
        e: &'t syntax::Expr,
        parent: FrameId,
        scope: crate::names::scope::ScopeId,
    ) -> Option<[Expr; 3]> {
        let env = Env { scope: Some(scope), frame: Some(parent), ..Env::default() };
        let p = self.point(e, &env, "")?;
        Some(self.fixed_place(&p, parent))
    }

    fn note_coordinates(&mut self, b: usize, joint: cardan_model::JointId, first_parameter: usize) {
        let model = self.builder.model();
        let mut free = model.joints[joint].coordinates.iter();
        let mut locked = model.parameters.ids().skip(first_parameter);
        let reversed = self.mount(b).is_some_and(|m| m.reversed);
        let mut built = vec![None; self.plans[b].degrees.len()];
        for k in attachment::making_order(&self.plans[b], reversed) {
            let degree = &self.plans[b].degrees[k];
            let next = match (degree.locked, self.motions.get(&(b, k))) {
                (true, _) => locked.next().map(BuiltCoordinate::Locked),
                (false, Some(motion)) => Some(BuiltCoordinate::Prescribed(*motion)),
                (false, None) => free.next().copied().map(BuiltCoordinate::Free),
            };
            built[k] = next;
        }
        self.built[b] = built.into_iter().flatten().collect();
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
                    let R = match axes_call(e) {
                        Some(call) => self.fixed_axes(call, turned, env)?,
                        None => self.fixed_turn(*sequence, e, env)?,
                    };
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
                    let value = self.lead(lead, "the lead of a screw", env)?;
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
        let inner = &self.names.scopes[self.names.bodies[b].motion].prefix;
        match (plan.speeds[k].name, plan.speeds[k].rate_of.and_then(|d| plan.degrees[d].name)) {
            (Some(name), _) => format!("{prefix}{}", name.text),
            (None, Some(coordinate)) => format!("der({prefix}{})", coordinate.text),
            (None, None) if plan.speeds.len() == 1 => format!("{inner}u"),
            (None, None) => format!("{inner}u{}", k + 1),
        }
    }

    fn coordinate_spec(&mut self, b: usize, k: usize, env: &Env<'t>) -> Option<CoordinateSpec> {
        let degree = &self.plans[b].degrees[k];
        let inner = &self.names.scopes[self.names.bodies[b].motion].prefix;
        let name = match degree.name {
            Some(name) => format!("{}{}", self.names.scopes[self.root].prefix, name.text),
            None if self.plans[b].degrees.len() == 1 => format!("{inner}q"),
            None => format!("{inner}q{}", k + 1),
        };
        let mut quantity = Quantity::new(name, degree.dimension);
        quantity.span = Some(degree.span);
        let of_degree = |s: &crate::joints::plan::PlannedSpeed<'_>| s.rate_of == Some(k);
        let speed =
            self.plans[b].speeds.iter().position(of_degree).map_or(String::new(), |s| self.speed_name(b, s));
        let mut spec = CoordinateSpec::new(quantity, speed);
        spec.small = degree.small;
        spec.locked = degree.locked;
        if let (Some(e), false) = (degree.motion, degree.locked) {
            let dimension = degree.dimension;
            let motion = self.scalar(e, dimension, "this motion", env)?;
            let moving = Depends::SPEEDS | Depends::STATES | Depends::UNKNOWNS;
            if self.pool().depends_on(motion, moving) {
                let message = "a prescribed motion depends on time and on other coordinates only";
                let d = Diagnostic::error(codes::VARIES, message).at(e.span, "");
                self.report(d.hint("use time, parameters and coordinates of other joints"));
                return None;
            }
            if self.may_kink(motion) {
                self.kinked.push(Kinked { degree: (b, k), motion, span: e.span });
            } else {
                self.motions.insert((b, k), motion);
                spec.prescribed = Some(motion);
            }
        }
        Some(spec)
    }

    /// Three constant rotations in sequence.
    pub fn fixed_turn(&mut self, sequence: Sequence, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Matrix3> {
        let Value::Tuple(parts) = self.evaluate(e, env)? else {
            self.error(codes::KIND, "a turn needs three angles", e.span, "write `(0, 0, 90) [deg]`");
            return None;
        };
        self.bare_angles(&parts)?;
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
    pub fn direction(&mut self, axis: &AxisPlan<'t>, turned: bool, env: &Env<'t>) -> Option<[Expr; 3]> {
        let e = match axis {
            AxisPlan::Axis(axis, negative) => {
                let unit = rotation::identity(self.pool())[axis.index()];
                return Some(if *negative { unit.map(|c| self.pool().neg(c)) } else { unit });
            }
            AxisPlan::Direction(e) => e,
        };
        if let Some(word) = word_of(e)
            && self.names.find(env.scope.unwrap_or(self.root), word).is_none()
        {
            let message = format!("there is no axis `{word}`");
            self.error(codes::AXIS, message, e.span, "axes are x, y, z, or a direction such as `(1, 1, 0)`");
            return None;
        }
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
        if pool.is_zero(pool.sub(square, pool.one())) {
            return Some(components);
        }
        if self.at_defaults(square) == Some(0.0) {
            let message = "this axis has no length at the values of its parameters";
            self.error(codes::AXIS, message, e.span, "give one of them a value that is not zero");
            return None;
        }
        let pool = self.pool();
        let size = pool.sqrt(square);
        Some(components.map(|c| pool.div(c, size)))
    }
}
