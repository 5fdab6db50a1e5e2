//! Models built in a program: typed bodies, joints, elements and expressions.
//!
//! A builder writes the model in cardan's own language and elaborates it, so that names, units and
//! geometry are checked as in a text, messages point into [`ModelBuilder::text`], and every model
//! that is built can be saved and read again.
//!
//! ```
//! use cardan::builder::*;
//! use cardan::prelude::*;
//!
//! let mut m = ModelBuilder::new("pendulum");
//! let (length, mass) = (m.parameter("L", 1.0, "m"), m.parameter("m", 2.0, "kg"));
//! let ground = m.ground();
//! m.gravity(quantity(-9.81, "m/s^2") * ground.z());
//! let rod = m.body("rod").mass(&mass).center((0, 0, -&length / 2.0)).add();
//! m.joint("pin", ground.origin(), rod.origin(), JointType::revolute(Y).coordinate("phi"));
//! m.start("phi", quantity(30.0, "deg"));
//! let results = m.build()?.compile(Options::default())?.simulate(&Settings::until(10.0))?;
//! assert!(results["phi"].iter().all(|phi| phi.abs() < 0.53));
//! # Ok::<(), cardan::Error>(())
//! ```
//!
//! - `expression`: scalars and vectors with operators; `joint`: types of joints;
//! - `body`: frames, points and bodies; `element`: springs, forces, drives.

mod body;
mod element;
mod expression;
mod joint;

pub use Direction::{X, Y, Z};
pub use body::{BodyBuilder, FrameRef, PointRef};
pub use element::ElementBuilder;
pub use expression::{ScalarExpr, VectorExpr, quantity};
pub use joint::{Direction, JointType};

use cardan_model::Model;

use crate::{Error, ModelPipeline};

/// A model under construction.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    name: String,
    statements: Vec<String>,
    problems: Vec<String>,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(name: &str) -> ModelBuilder {
        let mut builder = ModelBuilder { name: name.to_string(), statements: vec![], problems: vec![] };
        let name = builder.checked_name(name);
        builder.statements.push(format!("model {name}"));
        builder
    }

    /// The inertial frame.
    pub fn ground(&self) -> FrameRef {
        FrameRef::new("N")
    }

    /// The time.
    pub fn time(&self) -> ScalarExpr {
        ScalarExpr::named("t")
    }

    /// A parameter with its default value.
    pub fn parameter(&mut self, name: &str, value: f64, unit: &str) -> ScalarExpr {
        let (name, value) = (self.checked_name(name), self.checked_quantity(value, unit));
        self.statements.push(format!("parameter {name} = {value}"));
        ScalarExpr::named(&name)
    }

    /// A run-time input with its default value: given at every evaluation, not before the motion.
    pub fn input(&mut self, name: &str, value: f64, unit: &str) -> ScalarExpr {
        let (name, value) = (self.checked_name(name), self.checked_quantity(value, unit));
        self.statements.push(format!("input {name} = {value}"));
        ScalarExpr::named(&name)
    }

    /// A named expression.
    pub fn variable(&mut self, name: &str, value: impl Into<ScalarExpr>) -> ScalarExpr {
        let name = self.checked_name(name);
        self.statements.push(format!("variable {name} = {}", value.into()));
        ScalarExpr::named(&name)
    }

    /// An auxiliary state: initial value and time derivative.
    pub fn state(
        &mut self,
        name: &str,
        initial: impl Into<ScalarExpr>,
        rate: impl FnOnce(&ScalarExpr) -> ScalarExpr,
    ) -> ScalarExpr {
        let name = self.checked_name(name);
        let state = ScalarExpr::named(&name);
        self.statements.push(format!("state {name} = {} {{ der = {} }}", initial.into(), rate(&state)));
        state
    }

    /// A column of the results.
    pub fn output(&mut self, name: &str, value: impl Into<ScalarExpr>) {
        let name = self.checked_name(name);
        self.statements.push(format!("output {name} = {}", value.into()));
    }

    /// The acceleration of free fall.
    pub fn gravity(&mut self, acceleration: VectorExpr) {
        self.statements.push(format!("gravity = {acceleration}"));
    }

    /// A rigid body; [`BodyBuilder::add`] completes it.
    pub fn body(&mut self, name: &str) -> BodyBuilder<'_> {
        BodyBuilder::new(self, name)
    }

    /// A joint between two points. Joints that hold bodies and joints that close loops are written
    /// alike; the spanning tree is chosen later.
    pub fn joint(&mut self, name: &str, first: PointRef, second: PointRef, joint: JointType) {
        let name = self.checked_name(name);
        for coordinate in joint.names() {
            self.checked_name(coordinate);
        }
        self.statements.push(format!("joint {name} between {first} and {second} by {}", joint.text()));
    }

    /// A coordinate or another quantity by its name.
    pub fn quantity(&mut self, name: &str) -> ScalarExpr {
        let name = self.checked_path(name);
        ScalarExpr::named(&name)
    }

    /// A spring between two points; [`ElementBuilder::add`] completes it.
    pub fn spring(&mut self, name: &str, first: PointRef, second: PointRef) -> ElementBuilder<'_> {
        ElementBuilder::between(self, "spring", name, &first, &second)
    }

    /// A damper between two points.
    pub fn damper(&mut self, name: &str, first: PointRef, second: PointRef) -> ElementBuilder<'_> {
        ElementBuilder::between(self, "damper", name, &first, &second)
    }

    /// A force on a point, with its reaction on the ground.
    pub fn force(&mut self, name: &str, on: PointRef, force: VectorExpr) {
        let name = self.checked_name(name);
        self.statements.push(format!("force {name} on {on} = {force}"));
    }

    /// A torque on a body, with its reaction on another one.
    pub fn torque(&mut self, name: &str, on: &FrameRef, from: &FrameRef, torque: VectorExpr) {
        let name = self.checked_name(name);
        self.statements.push(format!("torque {name} on {on} from {from} = {torque}"));
    }

    /// A prescribed motion: `quantity` follows `law`.
    pub fn motion(&mut self, name: &str, quantity: &ScalarExpr, law: impl Into<ScalarExpr>) {
        let name = self.checked_name(name);
        self.statements.push(format!("motion {name} on {quantity} = {}", law.into()));
    }

    /// A constraint: the expression is zero.
    pub fn constraint(&mut self, name: &str, residual: ScalarExpr) {
        let name = self.checked_name(name);
        self.statements.push(format!("constraint {name} = {residual}"));
    }

    /// The initial value of a coordinate, or of its rate as `der(q)`.
    pub fn start(&mut self, quantity: &str, value: impl Into<ScalarExpr>) {
        let quantity = self.checked_quantity_or_rate(quantity);
        self.statements.push(format!("start {{ {quantity} = {} }}", value.into()));
    }

    /// A guess of an initial value, which assembly may change.
    pub fn guess(&mut self, quantity: &str, value: impl Into<ScalarExpr>) {
        let quantity = self.checked_quantity_or_rate(quantity);
        self.statements.push(format!("start {{ {quantity} ~ {} }}", value.into()));
    }

    /// A statement in the model language, for what has no method here.
    pub fn statement(&mut self, text: &str) {
        self.statements.push(text.to_string());
    }

    /// The model in the model language.
    pub fn text(&self) -> String {
        self.statements.join("\n") + "\n"
    }

    /// The model, if nothing is wrong with it.
    pub fn build(&self) -> Result<Model, Error> {
        if !self.problems.is_empty() {
            return Err(Error::Builder(self.problems.clone()));
        }
        Model::from_text(&format!("{}.mbs", self.name), &self.text())
    }

    /// A name that is one word of the language; else the problem is noted.
    fn checked_name(&mut self, name: &str) -> String {
        let mut letters = name.chars();
        let is_name = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            let rule = "a name has letters, digits and `_`, and begins with a letter";
            self.problems.push(format!("`{}` is not a name: {rule}", name.escape_debug()));
        }
        name.to_string()
    }

    /// A dotted name.
    fn checked_path(&mut self, path: &str) -> String {
        path.split('.').for_each(|name| drop(self.checked_name(name)));
        path.to_string()
    }

    fn checked_quantity_or_rate(&mut self, text: &str) -> String {
        match text.strip_prefix("der(").and_then(|t| t.strip_suffix(')')) {
            Some(path) => format!("der({})", self.checked_path(path)),
            None => self.checked_path(text),
        }
    }

    /// A number with a unit; else the problem is noted.
    fn checked_quantity(&mut self, value: f64, unit: &str) -> ScalarExpr {
        if !value.is_finite() {
            self.problems.push(format!("{value} is not a finite number"));
        }
        if !unit.is_empty() && cardan_units::Unit::parse(unit).is_err() {
            self.problems.push(format!("there is no unit `{}`", unit.escape_debug()));
        }
        quantity(value, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_units_and_numbers_are_checked() {
        let mut m = ModelBuilder::new("a b");
        m.parameter("k\nforce", f64::NAN, "N/m] = 2");
        let Err(Error::Builder(problems)) = m.build() else { panic!("nothing was found") };
        assert_eq!(problems.len(), 4, "{problems:?}");
    }

    #[test]
    fn wrong_dimensions_point_into_the_text() {
        let mut m = ModelBuilder::new("wrong");
        let k = m.parameter("k", 3.0, "N/m");
        let ground = m.ground();
        m.gravity(k * ground.z());
        let error = m.build().expect_err("a stiffness is no acceleration").to_string();
        assert!(error.contains("wrong.mbs:3:"), "{error}");
    }
}
