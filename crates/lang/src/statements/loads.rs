//! Gravity, forces and torques.

use cardan_base::Span;
use cardan_kinematics::{FrameId, Vector};
use cardan_model::{Load, LoadKind, Reaction};
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
        let kind = match load.kind {
            syntax::LoadKind::Force => {
                let at = self.point(&load.on, &env, "");
                let reaction = match &load.from {
                    None => Some(None),
                    Some(e) => self.reaction(e, &env),
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
                let vector = self.vector(&load.value, Dimension::TORQUE, "this torque", &env);
                LoadKind::Torque { vector: vector?, on: on?, reaction: from? }
            }
        };
        let value = match &kind {
            LoadKind::Force { vector, .. } => Value::vector(vector.clone(), Dimension::FORCE),
            LoadKind::Torque { vector, .. } => Value::vector(vector.clone(), Dimension::TORQUE),
        };
        let name = format!("{}{}", self.names.scopes[self.root].prefix, load.name.text);
        let description = load.description.as_ref().map_or(String::new(), |t| t.text.clone());
        self.builder.add_load(Load {
            name,
            description,
            kind,
            potential: None,
            conservative: false,
            span: Some(span),
        });
        Some(value)
    }

    /// The frame, unless it is the ground, which feels nothing.
    pub fn moving_frame(&self, frame: FrameId) -> Option<FrameId> {
        (frame != self.space().newtonian()).then_some(frame)
    }

    /// Where the opposite force acts: a body takes it at the same place, a point at the point.
    fn reaction(&mut self, e: &'t syntax::Expr, env: &Env<'t>) -> Option<Option<Reaction>> {
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
        Some(self.moving_frame(reaction.frame).map(|_| reaction))
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
