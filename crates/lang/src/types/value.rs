//! What an expression of the text stands for.

use cardan_base::Span;
use cardan_expr::Expr;
use cardan_kinematics::{FrameId, Point, Vector};
use cardan_units::Dimension;

use crate::types::angle_units::Written;

/// A number with its dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct Scalar {
    /// In SI units.
    pub expr: Expr,
    /// What kind of quantity.
    pub dimension: Dimension,
    /// Made of plain numbers alone: it takes the SI unit that its place needs.
    pub bare: bool,
    /// What its written unit says about turns.
    pub written: Written,
}

impl Scalar {
    /// A number whose written unit says nothing about turns.
    pub fn new(expr: Expr, dimension: Dimension, bare: bool) -> Scalar {
        Scalar { expr, dimension, bare, written: Written::Nothing }
    }
}

/// A vector with its dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct Arrow {
    /// In SI units.
    pub vector: Vector,
    /// What kind of quantity.
    pub dimension: Dimension,
    /// Made of plain numbers alone.
    pub bare: bool,
    /// The frame of `B(1, 2, 3)`: where a point is meant, this is the point of B with these coordinates.
    pub frame: Option<FrameId>,
}

/// The value of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A number with its dimension.
    Scalar(Scalar),
    /// A vector with its dimension.
    Vector(Arrow),
    /// A place on a body.
    Point(Point),
    /// A body or frame.
    Frame(FrameId),
    /// True or false, as 1 or 0.
    Boolean(Expr),
    /// A quoted text.
    Text(String),
    /// Several values in brackets, with their places.
    Tuple(Vec<(Value, Span)>),
}

impl Value {
    /// A number that is not bare.
    pub fn quantity(expr: Expr, dimension: Dimension) -> Value {
        Value::Scalar(Scalar::new(expr, dimension, false))
    }
    /// A vector that is not bare.
    pub fn vector(vector: Vector, dimension: Dimension) -> Value {
        Value::Vector(Arrow { vector, dimension, bare: false, frame: None })
    }
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Scalar(_) => "a number",
            Value::Vector(_) => "a vector",
            Value::Point(_) => "a point",
            Value::Frame(_) => "a body or frame",
            Value::Boolean(_) => "true or false",
            Value::Text(_) => "a text",
            Value::Tuple(_) => "a tuple",
        }
    }
}
