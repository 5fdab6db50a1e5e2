//! Statements that a complete text lacks as a rule: gravity where there is mass, a joint where nothing moves.
//!
//! Both are allowed, so each is a note, said once. `gravity = 0` says that none is meant.

use cardan_base::Diagnostic;

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
        let heavy = model.bodies.iter().map(|(_, b)| b).find(|b| !self.pool().is_zero(b.mass));
        let Some(body) = heavy.filter(|_| !has_gravity) else { return };
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
