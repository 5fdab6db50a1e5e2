//! Library elements, written as they were given: `KIND NAME between P and Q { property = … }`.

use cardan_kinematics::Vector;
use cardan_model::{Element, ElementEnds, ElementKind, ElementProperty, Load, LoadId, PropertyValue};
use cardan_units::Dimension;

use crate::statements::shape_contacts::ALL_BODIES;
use crate::unparse::Writer;
use crate::unparse::names::described;

impl Writer<'_> {
    /// All loads, each where its element or its statement stands. Stops stand with the limits.
    pub fn loads(&mut self) -> String {
        let model = self.model;
        let text = |(id, load): (LoadId, &Load)| match model.element_of_load(id) {
            None => self.load(load),
            Some((element, _)) => {
                let element = &model.elements[element];
                let first = element.loads.first().is_some_and(|(_, l)| *l == id);
                let skipped = !first || element.kind == ElementKind::Stop;
                if skipped { String::new() } else { self.element(element) }
            }
        };
        let loads: String = model.loads.iter().map(text).collect();
        let contacts: Vec<&Element> = model.shape_contacts().map(|(_, e)| e).collect();
        loads + &contacts.into_iter().map(|e| self.element(e)).collect::<String>()
    }

    /// An element with its properties in braces.
    fn element(&mut self, element: &Element) -> String {
        let ends = self.ends(&element.ends);
        let list: Vec<String> =
            element.properties.iter().map(|p| format!("{} = {}", p.name, self.property(p))).collect();
        let (kind, about) = (element.kind, described(&element.description));
        let name = self.names.word(&element.name);
        format!("{kind} {name}{about} {ends} {{ {} }}\n", list.join(", "))
    }

    /// `motion NAME on q = f(t)`
    pub fn motion(&mut self, element: &Element, word: &str) -> String {
        let ends = self.ends(&element.ends);
        let value: Vec<String> = element.properties.iter().map(|p| self.property(p)).collect();
        let about = described(&element.description);
        format!("{} {word} {ends} = {}{about}\n", element.kind, value.concat())
    }

    fn ends(&mut self, ends: &ElementEnds) -> String {
        match ends {
            ElementEnds::Points(p, q) => format!("between {} and {}", self.point(p), self.point(q)),
            ElementEnds::Frames(on, from) => {
                let [on, from] = [on, from].map(|f| self.frames[&self.nameable(*f)].clone());
                format!("between {on} and {from}")
            }
            ElementEnds::Distance(p, q) => {
                format!("on mag(position({}, {}))", self.point(p), self.point(q))
            }
            ElementEnds::Shapes(a, b) => {
                let [a, b] = [a, b].map(|f| match f {
                    Some(f) => self.frames[&self.nameable(*f)].clone(),
                    None => ALL_BODIES.to_owned(),
                });
                format!("between {a} and {b}")
            }
            ElementEnds::Position(x, dimension) => format!("on {}", self.scalar(*x, *dimension)),
            ElementEnds::Coordinate(id) => {
                let name = &self.model.coordinates[*id].quantity.name;
                format!("on {}", self.names.get(name).unwrap_or(name))
            }
        }
    }

    fn property(&mut self, property: &ElementProperty) -> String {
        let dimension = property.dimension;
        match &property.value {
            PropertyValue::Scalar(e) => self.scalar(*e, dimension),
            PropertyValue::Triple(all) => {
                format!("({})", all.map(|e| self.scalar(e, dimension)).join(", "))
            }
            PropertyValue::Axis(axis) => self.direction(axis),
        }
    }

    /// A direction; an axis of a frame by its name.
    fn direction(&mut self, axis: &Vector) -> String {
        if let [(u, one)] = axis.terms()
            && *one == self.model.space.pool().one()
            && let Some(name) = self.named_axis(*u)
        {
            return name;
        }
        self.vector(axis, Dimension::ONE)
    }
}
