//! The stages as methods of a model: `Model::from_text(…)?.compile(…)?.simulate(…)?`.

use cardan_model::Model;

use crate::{Compiled, Error, Options, compile_model, parse, resolve};

/// Stages of a [`Model`] as methods.
///
/// ```
/// use cardan::prelude::*;
///
/// let text = "
///     parameter L = 1 [m]
///     gravity = -9.81 [m/s^2] * N.z
///     particle bob on N by revolute(y, q = phi) { mass = 1 [kg]; center = (0, 0, -L) }
///     start { phi = 30 [deg] }
/// ";
/// let results = Model::from_text("swing.mbs", text)?
///     .compile(Options::default())?
///     .set("L", 2.0)?
///     .simulate(&Settings::until(10.0))?;
/// assert!(results["phi"].iter().all(|phi| phi.abs() < 0.53));
/// # Ok::<(), cardan::Error>(())
/// ```
pub trait ModelPipeline: Sized {
    /// The model of a text; `name` is how messages call the text.
    fn from_text(name: &str, text: &str) -> Result<Self, Error>;
    /// Equations, program and machine code.
    fn compile(&self, options: Options) -> Result<Compiled, Error>;
}

impl ModelPipeline for Model {
    fn from_text(name: &str, text: &str) -> Result<Model, Error> {
        resolve(parse(name, text)).into_model()
    }
    fn compile(&self, options: Options) -> Result<Compiled, Error> {
        compile_model(self, options)
    }
}
