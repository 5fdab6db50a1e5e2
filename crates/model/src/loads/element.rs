//! Library elements: springs, dampers, bushings, limits, stops and motions, with the loads or the constraint that they expand to.
//!
//! Equations see the loads and constraints alone. Texts and drawings see the elements.

use cardan_base::{Span, define_id};
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_units::Dimension;

use crate::constraint::ConstraintId;
use crate::element_kind::ElementKind;
use crate::load::LoadId;
use crate::model::Model;
use crate::quantity::CoordinateId;

define_id!(ElementId, "element", "A library element.");

/// The place of an element.
#[derive(Clone, PartialEq, Debug)]
pub enum ElementEnds {
    /// Between two points.
    Points(Point, Point),
    /// Between two bodies, seen from the second.
    Frames(FrameId, FrameId),
    /// On a coordinate.
    Coordinate(CoordinateId),
    /// On a position: any expression of coordinates.
    Position(Expr, Dimension),
    /// On the distance of two points.
    Distance(Point, Point),
    /// Between the shapes of two bodies; of all bodies where there is nothing.
    Shapes(Option<FrameId>, Option<FrameId>),
}

/// The value of a property.
#[derive(Clone, PartialEq, Debug)]
pub enum PropertyValue {
    /// A number.
    Scalar(Expr),
    /// A number for each axis.
    Triple([Expr; 3]),
    /// A direction.
    Axis(Vector),
}

/// A property of an element.
#[derive(Clone, PartialEq, Debug)]
pub struct ElementProperty {
    /// The word for it.
    pub name: &'static str,
    /// Of the value.
    pub dimension: Dimension,
    /// The value.
    pub value: PropertyValue,
}

/// The part of an element that exerts a load.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ElementPart {
    /// Its spring.
    Spring,
    /// Its damper.
    Damper,
    /// Both in one load.
    Whole,
}

/// A library element.
#[derive(Clone, PartialEq, Debug)]
pub struct Element {
    /// Path.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Its kind.
    pub kind: ElementKind,
    /// Its place.
    pub ends: ElementEnds,
    /// Its properties, in the order of its kind; what was not given may be missing.
    pub properties: Vec<ElementProperty>,
    /// The loads that it exerts.
    pub loads: Vec<(ElementPart, LoadId)>,
    /// The constraint of a motion.
    pub constraint: Option<ConstraintId>,
    /// Where it was declared.
    pub span: Option<Span>,
}

impl Element {
    /// An element that exerts nothing yet.
    pub fn new(name: impl Into<String>, kind: ElementKind, ends: ElementEnds, span: Option<Span>) -> Element {
        Element {
            name: name.into(),
            description: String::new(),
            kind,
            ends,
            properties: vec![],
            loads: vec![],
            constraint: None,
            span,
        }
    }
    /// The same with one more property.
    pub fn with(mut self, name: &'static str, dimension: Dimension, value: PropertyValue) -> Element {
        self.properties.push(ElementProperty { name, dimension, value });
        self
    }
    /// The same with one more property that is a number.
    pub fn with_scalar(self, name: &'static str, dimension: Dimension, value: Expr) -> Element {
        self.with(name, dimension, PropertyValue::Scalar(value))
    }
}

impl Model {
    /// The element that exerts a load, and the part of it that does.
    pub fn element_of_load(&self, load: LoadId) -> Option<(ElementId, ElementPart)> {
        let part = |e: &Element| e.loads.iter().find(|(_, l)| *l == load).map(|(part, _)| *part);
        self.elements.iter().find_map(|(id, e)| part(e).map(|part| (id, part)))
    }
    /// The contacts between shapes of bodies.
    pub fn shape_contacts(&self) -> impl Iterator<Item = (ElementId, &Element)> {
        self.elements.iter().filter(|(_, e)| matches!(e.ends, ElementEnds::Shapes(..)))
    }
    /// The motion that a constraint belongs to.
    pub fn element_of_constraint(&self, constraint: ConstraintId) -> Option<ElementId> {
        self.elements.iter().find(|(_, e)| e.constraint == Some(constraint)).map(|(id, _)| id)
    }
}
