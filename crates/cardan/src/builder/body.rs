//! Frames, points and bodies of a model that is built in a program.

use std::fmt;

use super::ModelBuilder;
use super::expression::{ScalarExpr, VectorExpr};

/// A frame of the model: the ground or a body.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameRef(String);

/// A point of the model.
#[derive(Clone, PartialEq, Debug)]
pub struct PointRef(String);

impl FrameRef {
    pub(super) fn new(name: &str) -> FrameRef {
        FrameRef(name.to_string())
    }
    /// Its first unit vector.
    pub fn x(&self) -> VectorExpr {
        VectorExpr::named(format!("{self}.x"))
    }
    /// Its second unit vector.
    pub fn y(&self) -> VectorExpr {
        VectorExpr::named(format!("{self}.y"))
    }
    /// Its third unit vector.
    pub fn z(&self) -> VectorExpr {
        VectorExpr::named(format!("{self}.z"))
    }
    /// A vector by its components in this frame.
    pub fn vector<A: Into<ScalarExpr>, B: Into<ScalarExpr>, C: Into<ScalarExpr>>(
        &self,
        a: A,
        b: B,
        c: C,
    ) -> VectorExpr {
        VectorExpr::named(format!("{self}({}, {}, {})", a.into(), b.into(), c.into()))
    }
    /// Its origin.
    pub fn origin(&self) -> PointRef {
        PointRef(format!("{self}.o"))
    }
    /// Its mass centre.
    pub fn center(&self) -> PointRef {
        PointRef(format!("{self}.cm"))
    }
    /// A point that was named when the body was made.
    pub fn point(&self, name: &str) -> PointRef {
        PointRef(format!("{self}.{name}"))
    }
    /// A point by its components in this frame.
    pub fn at<A: Into<ScalarExpr>, B: Into<ScalarExpr>, C: Into<ScalarExpr>>(
        &self,
        a: A,
        b: B,
        c: C,
    ) -> PointRef {
        PointRef(self.vector(a, b, c).to_string())
    }
    /// Its angular velocity in the inertial frame.
    pub fn angular_velocity(&self) -> VectorExpr {
        VectorExpr::named(format!("omega({self})"))
    }
}

impl PointRef {
    /// The position of another point relative to this one.
    pub fn position_of(&self, other: &PointRef) -> VectorExpr {
        VectorExpr::named(format!("position({self}, {other})"))
    }
    /// Its velocity in the inertial frame.
    pub fn velocity(&self) -> VectorExpr {
        VectorExpr::named(format!("velocity({self})"))
    }
}

impl fmt::Display for FrameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PointRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A body under construction.
#[derive(Debug)]
#[must_use = "`add` completes the body"]
pub struct BodyBuilder<'m> {
    model: &'m mut ModelBuilder,
    name: String,
    properties: Vec<String>,
}

impl<'m> BodyBuilder<'m> {
    pub(super) fn new(model: &'m mut ModelBuilder, name: &str) -> Self {
        let name = model.checked_name(name);
        BodyBuilder { model, name, properties: vec!["inertia = (0, 0, 0) [kg*m^2]".into()] }
    }
    /// Its mass.
    pub fn mass(mut self, mass: impl Into<ScalarExpr>) -> Self {
        self.properties.push(format!("mass = {}", mass.into()));
        self
    }
    /// Its central moments of inertia about its own axes; zero if never given.
    pub fn inertia(mut self, moments: impl Into<VectorExpr>) -> Self {
        self.properties[0] = format!("inertia = {}", moments.into());
        self
    }
    /// Its mass centre, by components in the body.
    pub fn center(mut self, center: impl Into<VectorExpr>) -> Self {
        self.properties.push(format!("center = {}", center.into()));
        self
    }
    /// A point of the body, by components in the body.
    pub fn with_point(mut self, name: &str, place: impl Into<VectorExpr>) -> Self {
        let name = self.model.checked_name(name);
        self.properties.push(format!("point {name} = {}", place.into()));
        self
    }
    /// Adds the body to the model.
    pub fn add(self) -> FrameRef {
        let BodyBuilder { model, name, properties } = self;
        model.statements.push(format!("body {name} {{ {} }}", properties.join("; ")));
        FrameRef(name)
    }
}
