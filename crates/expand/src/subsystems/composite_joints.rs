//! Composite joints: a subsystem that stands after `by`, as a joint of the language does.
//!
//! ```text
//! joint j between P and Q by cross(k = 3 [N/m])        an instance `j` between P and Q
//! body arm on base by cross(k = 3 [N/m]) at P { … }    an instance `arm.joint` between base at P and arm
//! ```
//!
//! Its first two mechanical ports are the ends. Inside, joints lead from the first to the second:
//! `joint second between spider and b by revolute(y)`. The body itself has no other joint.

use cardan_base::{Diagnostic, Span};
use cardan_syntax::{Body, Call, Ends, Expr, Joint, Link, Name};

use crate::codes;
use crate::definition::Flow;
use crate::instances::Filling;
use crate::plan::Expander;
use crate::scope::{Drive, Place, Source};

impl<'t> Expander<'t, '_> {
    /// The composite joint among the joints of a body or a link.
    pub(crate) fn composite<'c>(&self, joints: &'c [Call], place: &Place) -> Option<&'c Call> {
        joints.iter().find(|call| self.subsystem(&call.function.joined(), place).is_some())
    }

    /// A composite joint stands alone: its own definition is the place for more.
    fn is_alone(&mut self, joints: &'t [Call], place: &Place) -> bool {
        let [_, .., last] = joints else { return true };
        let d = Diagnostic::error(codes::MISMATCH, "a composite joint stands alone");
        let d = d.at(self.span(last.span, place.scope), "");
        self.report(d.hint("put this motion into the definition of the joint"));
        false
    }

    /// `joint j between P and Q by NAME(…)`
    pub(crate) fn composite_link(&mut self, link: &'t Link, call: &'t Call, span: Span, place: &Place) {
        if self.is_alone(&link.joints, place) {
            let filling = self.joint_filling(call, 0, place);
            self.make(&link.name, filling, &[], &[&link.first, &link.second], span, place);
        }
    }

    /// `joint j = NAME(P, Q, …)`
    pub(crate) fn composite_form(&mut self, joint: &'t Joint, span: Span, place: &Place) {
        let ends: Vec<&'t Expr> = joint.form.positional().take(2).collect();
        let filling = self.joint_filling(&joint.form, ends.len(), place);
        self.make(&joint.name, filling, &[], &ends, span, place);
    }

    fn joint_filling(&self, call: &'t Call, skipped: usize, place: &Place) -> Filling<'t> {
        let mut positional = 0;
        let named = call.arguments.iter().filter(|a| {
            positional += usize::from(a.name.is_none());
            a.name.is_some() || positional > skipped
        });
        let arguments = named.map(|a| (a, place.clone())).collect();
        Filling { kind: call.function.joined(), arguments }
    }

    /// `body NAME on PARENT by NAME(…) at P`: the joint of the body is the instance `NAME.joint`.
    pub(crate) fn composite_body(&mut self, body: &'t Body, call: &'t Call, span: Span, place: &Place) {
        let (Some(parent), true) = (&body.parent, self.is_alone(&body.joints, place)) else { return };
        let filling = self.joint_filling(call, 0, place);
        let Some(definition) = self.subsystem(&filling.kind, place) else { return };
        let Some(given) = self.given(definition, filling.arguments, &[], place) else { return };
        let Some(carried) = self.flat_name(&body.name, place) else { return };
        let path = format!("{carried}.joint");
        let Some(scope) = self.open(definition, path, given, call.span, place) else { return };
        self.drive_inputs(scope);
        let ports = self.mechanical_ports(scope);
        let [first, second, ..] = ports.as_slice() else {
            return self.too_few_ends(scope, ports.len(), span, place);
        };
        let at = self.span(span, place.scope);
        let place = place.clone();
        let base = Drive {
            source: Source::Value(parent),
            place: place.clone(),
            joints: &[],
            at: body.at.as_ref(),
            span: at,
        };
        let tip = Drive { source: Source::Part(carried), place, joints: &[], at: None, span: at };
        self.drives.insert((scope, first.text.clone()), base);
        self.drives.insert((scope, second.text.clone()), tip);
        self.fill(scope, span);
    }

    /// The frame and point ports of an instance, in the order of their declaration.
    pub(crate) fn mechanical_ports(&self, scope: usize) -> Vec<&'t Name> {
        let definition = &self.definitions[self.scopes[scope].definition];
        let mechanical = |f: &Flow<'_>| matches!(f, Flow::Frame | Flow::Point);
        definition.ports.iter().filter(|p| mechanical(&p.flow)).map(|p| p.name).collect()
    }

    pub(crate) fn too_few_ends(&mut self, scope: usize, n: usize, span: Span, place: &Place) {
        let definition = &self.definitions[self.scopes[scope].definition];
        let message = format!("`{}` has {n} ends", definition.name);
        let d = Diagnostic::error(codes::NO_PORT, message).at(self.span(span, place.scope), "");
        self.report(d.hint("connect its ports in braces: `{ a -> P }`"));
    }

    /// The ends of an element in the order of its ports.
    pub(crate) fn ends_of(ends: &'t Ends) -> Vec<&'t Expr> {
        match ends {
            Ends::Between(first, second) => vec![first, second],
            Ends::On { on, from } => std::iter::once(on).chain(from).collect(),
        }
    }
}
