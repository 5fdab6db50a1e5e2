//! Default classes: attributes that elements have unless they say otherwise.
//!
//! Classes nest; an inner one inherits all of the outer one. An element takes its class from its own `class`, else from the
//! nearest `childclass` around it, else from the outermost class.

use std::collections::BTreeMap;

use cardan_base::{Diagnostic, nearest};

use crate::codes;
use crate::findings::Findings;
use crate::xml::{Attribute, Element};

/// All kinds of actuator share their defaults.
pub(super) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

type ByName = BTreeMap<String, Attribute>;

/// Attributes by kind of element.
type Class = BTreeMap<String, ByName>;

/// All classes by name.
pub(super) struct Defaults {
    classes: BTreeMap<String, Class>,
}

const MAIN: &str = "main";

impl Defaults {
    pub fn of(root: &Element, findings: &mut Findings) -> Defaults {
        let mut defaults = Defaults { classes: BTreeMap::from([(MAIN.to_string(), Class::new())]) };
        for section in root.named("default") {
            let outer = defaults.classes.get(MAIN).cloned().unwrap_or_default();
            let main = defaults.read(section, outer.clone(), true, findings);
            // Attributes may be spread over several sections.
            let mut merged = outer;
            merged.extend(main);
            defaults.classes.insert(MAIN.into(), merged);
        }
        defaults
    }

    /// Reads one class and those inside it; returns what it says.
    fn read(&mut self, e: &Element, mut class: Class, outermost: bool, findings: &mut Findings) -> Class {
        for child in e.children.iter().filter(|c| c.name != "default") {
            let entry = class.entry(key(&child.name).to_string()).or_default();
            for a in &child.attributes {
                entry.insert(a.name.clone(), a.clone());
            }
            // A shortcut fixes how its actuator acts; what an outer class says about that no longer holds.
            if ACTUATORS.contains(&child.name.as_str()) {
                let kind = Attribute { name: KIND.into(), value: child.name.clone(), span: child.span };
                entry.insert(KIND.into(), kind);
            }
        }
        match e.value("class") {
            Some(name) => {
                self.classes.insert(name.to_string(), class.clone());
            }
            None if outermost => {}
            None => {
                let help = "write `<default class=\"…\">`";
                findings.push(crate::findings::missing(e.span, "the name of this class", help));
            }
        }
        for child in e.named("default") {
            self.read(child, class.clone(), false, findings);
        }
        class
    }

    /// An element with what its class says.
    pub fn resolve<'a>(
        &'a self,
        e: &'a Element,
        child_class: Option<&str>,
        findings: &mut Findings,
    ) -> Resolved<'a> {
        let own = e.attribute("class");
        let name = own.map(|a| a.value.as_str()).or(child_class).unwrap_or(MAIN);
        let class = self.classes.get(name);
        if let (None, Some(a)) = (class, own) {
            let found =
                Diagnostic::error(codes::UNKNOWN_NAME, format!("no default class is called `{name}`"))
                    .at(a.span, "not found");
            findings.push(match nearest(name, self.classes.keys().map(String::as_str)) {
                Some(near) => found.hint(format!("write `{near}`")),
                None => found.hint(format!("add `<default class=\"{name}\">`")),
            });
        }
        Resolved { element: e, class: class.and_then(|c| c.get(key(&e.name))) }
    }
}

/// The name under which an actuator class remembers which shortcut it was written with.
pub(super) const KIND: &str = "\u{1}kind";

fn key(name: &str) -> &str {
    if ACTUATORS.contains(&name) { "actuator" } else { name }
}

/// An element with the attributes that its class adds.
#[derive(Clone, Copy)]
pub(super) struct Resolved<'a> {
    pub element: &'a Element,
    class: Option<&'a ByName>,
}

impl<'a> Resolved<'a> {
    /// An attribute, the element's own first.
    pub fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        self.element.attribute(name).or_else(|| self.class.and_then(|c| c.get(name)))
    }
    pub fn value(&self, name: &str) -> Option<&'a str> {
        self.attribute(name).map(|a| a.value.as_str())
    }
    /// The first of several attributes that exclude one another: the element's own before the class's.
    pub fn first_of(&self, names: &[&str]) -> Option<&'a Attribute> {
        let own = names.iter().find_map(|n| self.element.attribute(n));
        own.or_else(|| names.iter().find_map(|n| self.class.and_then(|c| c.get(*n))))
    }
    /// One number; nothing if the attribute is absent or cannot be read.
    pub fn scalar(&self, name: &str, findings: &mut Findings) -> Option<cardan_expr::Rational> {
        let [value] = crate::number::array::<1>(self.attribute(name)?, findings)?;
        Some(value)
    }
    /// All numbers of an attribute.
    pub fn list(&self, name: &str, findings: &mut Findings) -> Option<Vec<cardan_expr::Rational>> {
        crate::number::list(self.attribute(name)?, findings)
    }
}

impl<'a> Resolved<'a> {
    /// The element with what its class says about elements of another kind: all tendons share `tendon`.
    pub fn of_kind(self, defaults: &'a Defaults, kind: &str, e: &Element) -> Resolved<'a> {
        let name = e.value("class").unwrap_or(MAIN);
        Resolved { element: self.element, class: defaults.classes.get(name).and_then(|c| c.get(kind)) }
    }
    /// An element of a kind that has no defaults.
    pub fn plain(element: &'a Element) -> Resolved<'a> {
        Resolved { element, class: None }
    }
}
