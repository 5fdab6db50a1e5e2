//! Contacts between the shapes of bodies: `contact c between A and B { … }`, where an end is a body or `all`.
//!
//! The element exerts no load of its own in the model. Where the shapes touch is found by collision detection during a motion.

use cardan_base::{Diagnostic, Span};
use cardan_kinematics::FrameId;
use cardan_model::{Element, ElementEnds, ElementKind, PropertyValue};
use cardan_syntax as syntax;

use crate::codes;
use crate::context::{Env, Resolver};
use crate::joints::plan::word_of;
use crate::statements::contacts::CONTACT;
use crate::statements::elements::{Given, Told, element_description};
use crate::types::value::Value;

/// The word for all bodies that have shapes.
pub const ALL_BODIES: &str = "all";

/// What makes a contact one between a ball and a plane through points.
const OF_POINTS: [&str; 4] = ["normal", "tangent", "radius", "counter_radius"];

/// What contacts between points have alone.
const OF_EVENTS: [&str; 2] = ["static_friction", "tangential_restitution"];

/// The two ends as written.
type Ends<'t> = (&'t syntax::Expr, Option<&'t syntax::Expr>);

impl<'t> Resolver<'t> {
    /// The bodies between whose shapes a contact lies, nothing standing for all of them; nothing at all where its ends are points.
    pub fn shape_ends(
        &mut self,
        (first, second): Ends<'t>,
        given: &Given<'t>,
    ) -> Option<[Option<FrameId>; 2]> {
        if OF_POINTS.iter().any(|p| given.get(p).is_some()) {
            return None;
        }
        let second = second?;
        let mut found = [None; 2];
        for (end, e) in found.iter_mut().zip([first, second]) {
            if word_of(e) == Some(ALL_BODIES) {
                continue;
            }
            match self.evaluate(e, &Env::default())? {
                Value::Frame(frame) => *end = Some(frame),
                _ => return None,
            }
        }
        Some(found)
    }

    /// `contact NAME between A and B { … }` of shapes.
    pub fn shape_contact(
        &mut self,
        element: &'t syntax::Element,
        given: &Given<'t>,
        [a, b]: [Option<FrameId>; 2],
        span: Span,
    ) -> Option<Told> {
        if let Some(e) = OF_EVENTS.iter().find_map(|p| given.get(p)) {
            let help = "remove it, or write the contact between points: `between A.o and B.o { normal = … }`";
            self.error(codes::ARGUMENT, "contacts between shapes do not have this", e.span, help);
            return None;
        }
        let compliant = given.get("stiffness").is_some();
        let idle: &[&str] =
            if compliant { &["restitution", "rest"] } else { &["exponent", "damping", "regularisation"] };
        if let Some(e) = idle.iter().find_map(|p| given.get(p)) {
            let (message, help) = match compliant {
                true => {
                    ("a compliant contact has no restitution", "give it `damping`, or remove `stiffness`")
                }
                false => {
                    ("a rigid contact has no such property", "give the contact a `stiffness`, or remove this")
                }
            };
            self.error(codes::ARGUMENT, message, e.span, help);
            return None;
        }
        let name = self.element_name(element);
        let ends = ElementEnds::Shapes(a, b);
        let mut made = Element::new(name, ElementKind::Contact, ends, Some(span));
        made.description = element_description(element);
        for (name, dimension, _) in CONTACT {
            let Some(e) = given.get(name) else { continue };
            let value = match *name {
                "stiffness" | "damping" => self.raw(given, name)?.0,
                _ => self.property(given, name)?,
            };
            let value = self.constant(value, e.span, "a property of a contact between shapes")?;
            made = made.with(name, *dimension, PropertyValue::Scalar(value));
        }
        self.builder.add_element(made);
        Some(vec![])
    }

    /// Refuses contacts of bodies that have no shape: nothing of them could touch.
    pub fn check_contact_shapes(&mut self) {
        let model = self.builder.model();
        let mut found = vec![];
        for (_, contact) in model.shape_contacts() {
            let ElementEnds::Shapes(a, b) = contact.ends else { continue };
            for frame in [a, b].into_iter().flatten() {
                let body = model.body_in(frame).map(|id| &model.bodies[id]);
                if body.is_none_or(|body| body.shapes.is_empty()) {
                    let name = model.space.frame(frame).name.clone();
                    found.push((name, contact.name.clone(), contact.span, body.and_then(|b| b.span)));
                }
            }
        }
        for (body, contact, place, declared) in found {
            let message = format!("`{body}` has no shape, so nothing of it can touch");
            let d = Diagnostic::error(codes::ARGUMENT, message);
            let d = place.map_or(d.clone(), |span| d.at(span, format!("`{contact}` lies between shapes")));
            let help = match declared {
                Some(_) => {
                    format!("give it one: `shape box(size = (0.1, 0.1, 0.1) [m])` in the braces of `{body}`")
                }
                None => format!(
                    "give it one: `body floor on {body} {{ shape box(size = (5, 5, 0.1) [m]) }}`, and let the contact be with `floor`"
                ),
            };
            let d = declared.map_or(d.clone(), |span| d.also(span, "without a shape"));
            self.report(d.hint(help));
        }
    }
}
