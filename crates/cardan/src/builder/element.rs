//! Elements between two points of a model that is built in a program.

use super::ModelBuilder;
use super::body::PointRef;
use super::expression::ScalarExpr;

/// An element under construction.
#[derive(Debug)]
#[must_use = "`add` completes the element"]
pub struct ElementBuilder<'m> {
    model: &'m mut ModelBuilder,
    head: String,
    settings: Vec<String>,
}

impl<'m> ElementBuilder<'m> {
    pub(super) fn between(
        model: &'m mut ModelBuilder,
        kind: &str,
        name: &str,
        first: &PointRef,
        second: &PointRef,
    ) -> Self {
        let name = model.checked_name(name);
        ElementBuilder {
            model,
            head: format!("{kind} {name} between {first} and {second}"),
            settings: vec![],
        }
    }
    fn setting(mut self, name: &str, value: impl Into<ScalarExpr>) -> Self {
        self.settings.push(format!("{name} = {}", value.into()));
        self
    }
    /// Force per length.
    pub fn stiffness(self, value: impl Into<ScalarExpr>) -> Self {
        self.setting("stiffness", value)
    }
    /// Force per speed.
    pub fn damping(self, value: impl Into<ScalarExpr>) -> Self {
        self.setting("damping", value)
    }
    /// The length without force.
    pub fn length(self, value: impl Into<ScalarExpr>) -> Self {
        self.setting("length", value)
    }
    /// Adds the element to the model.
    pub fn add(self) {
        self.model.statements.push(format!("{} {{ {} }}", self.head, self.settings.join(", ")));
    }
}
