//! Gravity, forces and torques.

use cardan_base::{Id, Span};
use cardan_expr::{Depends, Expr};
use cardan_kinematics::{FrameId, Vector};
use cardan_model::{CoordinateId, Load, LoadKind, Reaction};
use cardan_syntax as syntax;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::types::value::Value;

impl<'t> Resolver<'t> {
    /// `gravity = VECTOR`
    pub fn gravity(&mut self, statements: &[(&'t syntax::Expr, Span)]) {
        for (k, (e, span)) in statements.iter().enumerate() {
            if k > 0 {
                let d = cardan_base::Diagnostic::error(codes::DUPLICATE, "gravity is given twice")
                    .at(*span, "here again");
                self.report(d.also(statements[0].1, "first here").hint("remove one of them"));
                continue;
            }
            self.settle_expression(e, self.root);
            let env = Env { frame: Some(self.space().newtonian()), ..Env::default() };
            let Some(value) = self.evaluate(e, &env) else { continue };
            if matches!(&value, Value::Scalar(s) if !self.pool().is_zero(s.expr)) {
                let text = self.text(e.span);
                let help = format!(
                    "say where it points: `gravity = -{} * {}.z`",
                    text.trim_start_matches('-'),
                    self.ground()
                );
                self.error(codes::KIND, "gravity is a vector, and this is a number", e.span, help);
                continue;
            }
            let arrow = self.as_arrow(value, e.span, &env);
            let vector =
                arrow.and_then(|a| self.expect_arrow(&a, e, Dimension::ACCELERATION, "gravity", &env));
            let Some(vector) = vector else { continue };
            if let [(_, c)] = vector.terms()
                && self.pool().as_number(*c).is_some_and(|n| n.to_f64().abs() == 1.0)
                && !self.text(e.span).contains(|c: char| c.is_ascii_digit())
            {
                let d = cardan_base::Diagnostic::warning(codes::BARE, "this gravity is 1 m/s^2")
                    .at(e.span, "a direction alone has the size 1");
                let text = self.text(e.span);
                let (sign, axis) = match text.strip_prefix('-') {
                    Some(axis) => ("-", axis.trim()),
                    None => ("", text.as_str()),
                };
                self.report(d.hint(format!("write `gravity = {sign}9.81 [m/s^2] * {axis}`")));
                self.bare = None;
            }
            let constant = vector.terms().iter().all(|(_, c)| self.pool().depends(*c).is_constant());
            let newtonian = self.space().newtonian();
            let fixed = vector.terms().iter().all(|(u, _)| self.space().unit_vector(*u).frame == newtonian);
            if !constant || !fixed {
                let name = self.space().frame(newtonian).name.clone();
                let help = format!("write it in the ground's axes: `-9.81 [m/s^2] * {name}.z`");
                self.error(codes::VARIES, "gravity must not vary", e.span, help);
                continue;
            }
            self.builder.set_gravity(vector);
        }
    }

    /// `force` and `torque`: the value is the vector.
    pub fn load(&mut self, load: &'t syntax::Load, span: Span) -> Option<Value> {
        let env = Env::default();
        if let Some(coordinate) = self.loaded_coordinate(&load.on) {
            let (kind, effort) = self.effort_on(load, coordinate)?;
            self.add_written_load(load, kind, span);
            return Some(effort);
        }
        let kind = match load.kind {
            syntax::LoadKind::Force => {
                let at = self.point(&load.on, &env, "");
                let reaction = match &load.from {
                    None => Some(None),
                    Some(e) => self.reaction(e, &env, load.energy.is_some()),
                };
                let vector = self.vector(&load.value, Dimension::FORCE, "this force", &env);
                LoadKind::Force { vector: vector?, at: at?, reaction: reaction? }
            }
            syntax::LoadKind::Torque => {
                let on = self.frame(&load.on, &env);
                let from = match &load.from {
                    None => Some(None),
                    Some(e) => self.frame(e, &env).map(|f| self.moving_frame(f)),
                };
                if on.is_some_and(|frame| self.is_effort_of_hinge(load, frame)) {
                    return None;
                }
                let vector = self.vector(&load.value, Dimension::TORQUE, "this torque", &env);
                LoadKind::Torque { vector: vector?, on: on?, reaction: from? }
            }
        };
        let value = match &kind {
            LoadKind::Force { vector, .. } => Value::vector(vector.clone(), Dimension::FORCE),
            LoadKind::Torque { vector, .. } => Value::vector(vector.clone(), Dimension::TORQUE),
        };
        self.add_written_load(load, kind, span);
        Some(value)
    }

    fn add_written_load(&mut self, load: &'t syntax::Load, kind: LoadKind, span: Span) {
        let name = format!("{}{}", self.names.scopes[self.root].prefix, load.name.text);
        let description = load.description.as_ref().map_or(String::new(), |t| t.text.clone());
        let potential = load.energy.as_ref().and_then(|e| self.potential_of(&kind, e));
        let conservative = potential.is_some();
        self.builder.add_load(Load { name, description, kind, potential, conservative, span: Some(span) });
    }

    /// Whether a torque on a body is a number, as one on the coordinate of its hinge would be; says so.
    fn is_effort_of_hinge(&mut self, load: &'t syntax::Load, frame: FrameId) -> bool {
        let (value, _) = self.quietly(|r| r.evaluate(&load.value, &Env::default()));
        let model = self.builder.model();
        let hinge = match model.joint_of(frame).map(|j| &model.joints[j].coordinates[..]) {
            Some([only]) if model.coordinates[*only].quantity.dimension == Dimension::ANGLE => *only,
            _ => return false,
        };
        let coordinate = model.coordinates[hinge].quantity.name.clone();
        if !matches!(value, Some(Value::Scalar(_))) {
            return false;
        }
        let (name, text) = (&load.name.text, self.text(load.value.span));
        let help = format!(
            "let it act on the coordinate of the joint: `torque {name} on {coordinate} = {text}`, or multiply it by a direction"
        );
        self.error(codes::KIND, "this is a number, and a vector is needed", load.value.span, help);
        true
    }

    /// The coordinate on which a load acts: `torque motor on arm.q = 3 [N*m]`.
    fn loaded_coordinate(&mut self, e: &'t syntax::Expr) -> Option<CoordinateId> {
        let (value, _) = self.quietly(|r| r.evaluate(e, &Env::default()));
        let Some(Value::Scalar(position)) = value else { return None };
        let coordinates = &self.builder.model().coordinates;
        coordinates.iter().find(|(_, c)| c.symbol == position.expr).map(|(id, _)| id)
    }

    /// The effort along a coordinate: a number, felt by what the coordinate moves and, reversed, by what carries it.
    fn effort_on(&mut self, load: &'t syntax::Load, coordinate: CoordinateId) -> Option<(LoadKind, Value)> {
        let dimension = self.builder.model().coordinates[coordinate].quantity.dimension;
        let (word, expected, of) = match dimension {
            Dimension::ANGLE => (syntax::LoadKind::Torque, Dimension::TORQUE, "an angle"),
            _ => (syntax::LoadKind::Force, Dimension::FORCE, "a length"),
        };
        if load.kind != word {
            let message = format!("this coordinate is {of}");
            let coordinate = self.text(load.on.span);
            let name = format!("{} ", load.name.text);
            let help = match word {
                syntax::LoadKind::Torque => format!("write `torque {name}on {coordinate} = 2 [N*m]`"),
                syntax::LoadKind::Force => format!("write `force {name}on {coordinate} = 2 [N]`"),
            };
            self.error(codes::KIND, message, load.on.span, help);
            return None;
        }
        if let Some(from) = &load.from {
            let help = "leave `from` out: what carries the coordinate takes the reaction";
            self.error(codes::MISPLACED, "a load on a coordinate needs no other end", from.span, help);
            return None;
        }
        let effort = self.scalar(&load.value, expected, "this load along a coordinate", &Env::default())?;
        let model = self.builder.model();
        let kind = model.freedom_of(coordinate).and_then(|f| model.effort_along(f, effort));
        let Some(kind) = kind else {
            let help = "write `rotate = xyz, speeds = rates` in the joint";
            self.error(codes::ARGUMENT, "no load can act along this coordinate", load.on.span, help);
            return None;
        };
        Some((kind, Value::quantity(effort, expected)))
    }

    /// The energy that a load is said to store, if its loss is the work of the load: dV/dt = -P at random states.
    ///
    /// With a stiffness that varies in time, or with a point that moves on its body, the energy changes by more than the
    /// work of the load on bodies. Then there is no potential, and the balance counts the work.
    fn potential_of(&mut self, kind: &LoadKind, e: &'t syntax::Expr) -> Option<Expr> {
        let energy = self.scalar(e, Dimension::ENERGY, "this energy", &Env::default())?;
        let (space, pool) = (self.space(), self.pool());
        let (power, is_fixed) = match kind {
            LoadKind::Force { vector, at, reaction } => {
                let opposite = match reaction {
                    None => Vector::ZERO,
                    Some(Reaction { at: Some(q), .. }) => space.velocity(q),
                    Some(Reaction { frame, at: None }) => {
                        let origin = space.origin(*frame);
                        let arm = space.position(&origin, at);
                        space.velocity(&origin).add(pool, &space.cross(&space.w(*frame), &arm))
                    }
                };
                let ends = std::iter::once(at).chain(reaction.iter().filter_map(|r| r.at.as_ref()));
                let mut places = ends.flat_map(|p| p.coordinates);
                let is_fixed = places.all(|c| pool.depends(c).is_constant());
                (space.dot(vector, &space.velocity(at).sub(pool, &opposite)), is_fixed)
            }
            LoadKind::Torque { vector, on, reaction } => {
                let from = reaction.unwrap_or(space.newtonian());
                (space.dot(vector, &space.w_in(*on, from)), true)
            }
        };
        let rate = space.dt(energy);
        for seed in 1..=4_u32 {
            // States between 0.3 and 1.3 that look random and are the same in every run.
            let state = |symbol: cardan_expr::SymbolId| {
                let k = symbol.index() as f64 + 1.0;
                0.3 + (k * f64::from(seed) * 0.618_033_988_749_895).fract()
            };
            let values = pool.evaluate_all(&[rate, power], &state);
            let (gained, done) = (values[0], values[1]);
            let size = gained.abs() + done.abs();
            if (gained + done).abs() > 1e-9 * size && size.is_finite() {
                let varying = [Depends::TIME, Depends::STATES, Depends::SPEEDS, Depends::UNKNOWNS];
                if is_fixed && !varying.iter().any(|d| pool.depends_on(energy, *d)) {
                    let message = "the work of this load is not the loss of this energy";
                    let help = "give the energy whose negative gradient is the load, or leave it out";
                    self.error(codes::ARGUMENT, message, e.span, help);
                }
                return None;
            }
        }
        Some(energy)
    }

    /// The frame, unless it is the ground, which feels nothing.
    pub fn moving_frame(&self, frame: FrameId) -> Option<FrameId> {
        (frame != self.space().newtonian()).then_some(frame)
    }

    /// Where the opposite force acts: a body takes it at the same place, a point at the point. The ground feels nothing, but
    /// where the other end of a spring is fixed in it is kept for drawing.
    fn reaction(&mut self, e: &'t syntax::Expr, env: &Env<'t>, is_spring: bool) -> Option<Option<Reaction>> {
        let reaction = match self.evaluate(e, env)? {
            Value::Frame(frame) => Reaction { frame, at: None },
            Value::Point(p) => Reaction { frame: p.frame, at: Some(p) },
            Value::Vector(_) => {
                let p = self.point(e, env, "")?;
                Reaction { frame: p.frame, at: Some(p) }
            }
            other => {
                self.wrong_kind(&other, e.span, "a point");
                return None;
            }
        };
        let is_kept = self.moving_frame(reaction.frame).is_some() || (is_spring && reaction.at.is_some());
        Some(is_kept.then_some(reaction))
    }

    /// A force between two points: on the first, and its opposite on the second. The ground feels nothing, but where the
    /// other end is fixed in it is kept for drawing.
    pub fn force_between(
        &self,
        vector: Vector,
        p: &cardan_kinematics::Point,
        q: &cardan_kinematics::Point,
    ) -> LoadKind {
        let reaction = Reaction { frame: q.frame, at: Some(q.clone()) };
        LoadKind::Force { vector, at: p.clone(), reaction: Some(reaction) }
    }
}
