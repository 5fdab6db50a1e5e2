//! Statements that a complete text lacks as a rule: gravity where there is mass, a joint where nothing moves, an axis across gravity.
//!
//! All are allowed, so each is a note, said once. `gravity = 0` says that none is meant.

use cardan_base::Diagnostic;
use cardan_expr::Derivation;
use cardan_model::Coordinate;
use cardan_units::Dimension;

use crate::codes;
use crate::context::Resolver;

impl Resolver<'_> {
    /// Notes that a model with mass has no gravity, or that it has no degree of freedom.
    pub fn check_omissions(&mut self, has_gravity: bool) {
        let model = self.builder.model();
        let is_still = model.coordinates.is_empty() && self.motions.is_empty() && self.kinked.is_empty();
        if is_still && !model.bodies.is_empty() {
            self.note_stillness();
            return;
        }
        if has_gravity {
            self.note_idle_gravity();
            return;
        }
        let heavy = model.bodies.iter().map(|(_, b)| b).find(|b| !self.pool().is_zero(b.mass));
        let Some(body) = heavy else { return };
        let message = format!("`{}` has mass, and there is no gravity", body.name);
        let d = Diagnostic::note(codes::OMISSION, message);
        let d = body.span.map_or(d.clone(), |span| d.at(span, ""));
        let d = d.because("nothing weighs anything in this model");
        let help = format!(
            "write `gravity = -9.81 [m/s^2] * {}.z`, or `gravity = 0` if none is meant",
            self.ground()
        );
        self.report(d.hint(help));
    }

    /// Notes that gravity moves nothing: no coordinate changes the height of a mass, and nothing else acts. So it is where a hinge
    /// turns about the vertical by mistake.
    fn note_idle_gravity(&mut self) {
        let model = self.builder.model();
        let is_alone = model.loads.is_empty() && model.elements.is_empty() && model.constraints.is_empty();
        let is_pushed = model.speeds.iter().any(|(_, u)| !self.pool().is_zero(u.start));
        if model.gravity.is_zero() || !is_alone || is_pushed || !self.motions.is_empty() {
            return;
        }
        let (pool, space) = (self.pool(), &model.space);
        let ground = space.origin(space.newtonian());
        let falls = model.bodies.iter().any(|(_, b)| {
            let height = space.dot(&model.gravity, &space.position(&ground, &b.center_point()));
            let falls = |q: &Coordinate| {
                !pool.is_zero(pool.define(Derivation::partial(pool, q.symbol).apply(pool, height)))
            };
            !pool.is_zero(b.mass) && model.coordinates.iter().any(|(_, q)| falls(q))
        });
        let hinge = model.coordinates.iter().find(|(_, q)| q.quantity.dimension == Dimension::ANGLE);
        let Some((_, hinge)) = hinge.filter(|_| !falls) else { return };
        let name = &hinge.quantity.name;
        let message = format!("gravity does not move `{name}`, and nothing else acts");
        let d = Diagnostic::note(codes::OMISSION, message);
        let d = hinge.quantity.span.map_or(d.clone(), |span| d.at(span, "no mass rises or falls with it"));
        let d = d.because("an axis along gravity, or through the mass centre, feels no weight");
        self.report(d.hint("turn the axis, `revolute(y, q = …)`, or move the mass centre off it: `center = (0, 0, -0.5) [m]`"));
    }

    fn note_stillness(&mut self) {
        let d = Diagnostic::note(codes::OMISSION, "this model has no degree of freedom");
        let welded = self.names.bodies.iter().find(|b| b.tree.joints.is_empty() && b.tree.parent.is_some());
        let Some(body) = welded.map(|b| b.tree) else {
            self.report(d.because("every coordinate is locked").hint("free one: remove its `lock`"));
            return;
        };
        let parent = body.parent.as_ref().map_or_else(String::new, |p| self.text(p.span));
        let d = d.at(body.name.span, format!("has no joint, so it is fixed to `{parent}`"));
        let name = &body.name.text;
        self.report(
            d.hint(format!("say how it moves: `{} {name} on {parent} by revolute(y)`", body.kind.word())),
        );
    }
}
