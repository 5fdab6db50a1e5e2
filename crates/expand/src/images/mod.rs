//! Instances that are mirror images of others.

pub mod mirror;
pub(crate) mod reflection;

use cardan_base::{Diagnostic, Span};
use cardan_syntax::{Expr, Instance};

use crate::codes;
use crate::plan::Expander;
use crate::scope::Place;

impl<'t> Expander<'t, '_> {
    /// Makes a mirror image; false if what it shows is not known yet.
    pub(crate) fn image(&mut self, instance: &'t Instance, span: Span, place: &Place, last: bool) -> bool {
        let Some(origin) = &instance.origin else { return true };
        let refuse = |this: &mut Self, span: Span, message: &str| {
            let d = Diagnostic::error(codes::MIRROR, message).at(this.span(span, place.scope), "");
            let shown = origin.positional().next().and_then(Expr::as_path);
            let shown = shown.and_then(|path| this.instance_at(path, place));
            let d = match shown.and_then(|scope| this.scopes[scope].span) {
                Some(span) => d.also(span, "the instance that is mirrored"),
                None => d,
            };
            this.report(d.hint(format!(
                "write `{} {} = mirror(left, plane = xz)`",
                instance.kind.text, instance.name.text
            )));
        };
        let Some(original) = origin.positional().next().and_then(Expr::as_path) else {
            refuse(self, origin.span, "the instance to be mirrored is missing");
            return true;
        };
        let Some(plane) = origin.named("plane") else {
            refuse(self, origin.span, "the plane of the mirror is missing");
            return true;
        };
        let Some(signs) = plane.as_name().and_then(|n| mirror::plane(&n.text)) else {
            refuse(self, plane.span, "a plane is `xy`, `yz` or `xz`");
            return true;
        };
        let Some(source) = self.instance_at(original, place) else {
            if last {
                let at = self.span(original.span, place.scope);
                let d = Diagnostic::error(codes::MIRROR, "there is no such instance to be mirrored");
                self.report(d.at(at, "").hint("name an instance that stands beside this one"));
            }
            return false;
        };
        let definition = self.scopes[source].definition;
        if self.subsystem(&instance.kind, place) != Some(definition) {
            let message = format!("this is the image of a `{}`", self.definitions[definition].name);
            let at = self.span(instance.kind.span, place.scope);
            let d = Diagnostic::error(codes::MIRROR, message).at(at, "another kind");
            let d = match self.scopes[source].span {
                Some(first) => d.also(first, "the original"),
                None => d,
            };
            self.report(d.hint(format!("write `{}`", self.definitions[definition].name)));
            return true;
        }
        let own: Vec<_> = origin
            .arguments
            .iter()
            .filter(|a| a.name.as_ref().is_some_and(|n| n.text != "plane"))
            .map(|a| (a, place.clone()))
            .collect();
        let Some(mut given) = self.given(definition, own, &instance.content, place) else { return true };
        let inherited = self.scopes[source].given.clone();
        given.extend(
            inherited.into_iter().filter(|g| given.iter().all(|own| own.name != g.name)).collect::<Vec<_>>(),
        );
        let Some(path) = self.flat_name(&instance.name, place) else { return true };
        let Some(scope) = self.open(definition, path, given, instance.name.span, place) else { return true };
        self.scopes[scope].signs = self.scopes[source].signs.then(signs);
        self.scopes[scope].image_of = Some(source);
        self.wire(scope, &instance.content, &[], span, place);
        self.fill(scope, span);
        true
    }
}

pub(crate) fn is_image(instance: &Instance) -> bool {
    instance.origin.as_ref().is_some_and(|call| call.function.is("mirror"))
}
