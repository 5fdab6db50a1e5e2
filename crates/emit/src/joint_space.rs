//! Functions in joint space: places of bodies and their Jacobians, gravity, Coriolis matrix.
//!
//! ```text
//! [still]      g(q) = τ at u = 0, u̇ = 0                    gravity and springs
//! [coriolis]   C(q, u) = ½ (∂τ/∂u (q, u) - ∂τ/∂u (q, 0))   at u̇ = 0
//! [jacobian]   ∂v/∂u, ∂ω/∂u                                 v of the origin, ω of the frame
//! ```
//!
//! τ is at most quadratic in the speeds where loads are linear in them; its quadratic part Σ Γ_kij u_i u_j has the Christoffel
//! symbols of the mass matrix (R. Featherstone, Rigid Body Dynamics Algorithms, sec. 3.2), so that half of the change of its slope
//! is C, and loads that are linear in the speeds cancel.

use cardan_base::Id;
use cardan_codegen::Results;
use cardan_lower::{ModelProgram, expressions_program};
use cardan_model::Model;
use cardan_program::derive::{self, Jacobian};
use cardan_program::{InputId, Label, OutputId, Program, ValueId};

use crate::error::Error;
use crate::functions::Writer;
use crate::programs;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Places of the bodies: per body three rows of direction cosines, each with a component of the origin behind it.
fn places(model: &Model) -> Result<ModelProgram, Error> {
    let (space, ground) = (&model.space, model.space.newtonian());
    let mut named = vec![];
    for (_, body) in model.bodies.iter() {
        let axes: [[_; 3]; 3] = std::array::from_fn(|k| space.components(&space.axis(body.frame, k), ground));
        let origin = space.place(&space.origin(body.frame));
        for (i, along) in AXES.iter().enumerate() {
            for (k, axis) in AXES.iter().enumerate() {
                let what = format!("axis {axis} of {} along {along} of the ground", body.name);
                named.push((Label::new(format!("{}.{axis}.{along}", body.name), "", what), axes[k][i]));
            }
            let what = format!("origin of {} along {along} of the ground", body.name);
            named.push((Label::new(format!("{}.o.{along}", body.name), "m", what), origin[i]));
        }
    }
    Ok(expressions_program(model, &format!("places of {}", model.name), named)?)
}

/// Per body the velocity of its origin and its angular velocity, in the axes of the ground.
fn twists(model: &Model) -> Result<ModelProgram, Error> {
    let (space, ground) = (&model.space, model.space.newtonian());
    let mut named = vec![];
    for (_, body) in model.bodies.iter() {
        let velocity = space.components(&space.velocity(&space.origin(body.frame)), ground);
        let spin = space.components(&space.w(body.frame), ground);
        for (letter, unit, vector) in [("v", "m/s", velocity), ("w", "rad/s", spin)] {
            for (axis, value) in AXES.iter().zip(vector) {
                named.push((Label::new(format!("{}.{letter}.{axis}", body.name), unit, ""), value));
            }
        }
    }
    Ok(expressions_program(model, &format!("velocities of {}", model.name), named)?)
}

/// The derivatives of all outputs of a program by the speeds.
fn by_speeds(part: &ModelProgram) -> Result<Jacobian, Error> {
    let outputs: Vec<OutputId> = part.program.outputs().iter().map(|(id, _)| id).collect();
    let speeds: Vec<InputId> = part.inputs.speeds.clone().map(InputId::from_index).collect();
    derive::jacobian(&part.program, &outputs, &speeds).map_err(|e| Error::Equations(e.to_string()))
}

impl Writer<'_> {
    /// Twelve numbers per body.
    pub(crate) fn poses(&mut self) -> Result<(), Error> {
        let part = places(&self.choice.model)?;
        let values = self.composer.add_still(&part, "poses")?;
        let all = self.deliver_all(programs::labels(&part.program).into_iter().zip(values));
        let contents = "12 numbers per body: three rows of direction cosines, each followed by the origin";
        let arguments = self.arguments();
        let doc = "Computes where the bodies are, in the axes of the ground.";
        self.function("poses", doc, arguments, vec![Results::new("pose", all, contents)]);
        Ok(())
    }

    /// [jacobian]
    pub(crate) fn body_jacobians(&mut self) -> Result<(), Error> {
        let part = twists(&self.choice.model)?;
        let found = by_speeds(&part)?;
        let zero = self.composer.builder.constant(0.0);
        let still = vec![zero; part.accelerations.len()];
        let values = self.composer.add_with(&found.program, &[], &still, "Jacobians of bodies")?;
        let entries = values.into_iter().skip(found.first.index()).zip(&found.pattern);
        let named: Vec<(Label, ValueId)> =
            entries.map(|(value, (row, column))| (entry("J", *row, *column), value)).collect();
        let all = self.deliver_all(named);
        let contents = "entries by rows (v of the origin, then w, body after body) and speeds; those always zero are left out";
        let arguments = self.arguments();
        let doc = "Computes the Jacobians of the bodies: velocities and angular velocities by the speeds.";
        self.function("body_jacobians", doc, arguments, vec![Results::new("jb", all, contents)]);
        Ok(())
    }

    /// [still]
    pub(crate) fn gravity(&mut self) -> Result<(), Error> {
        let part = programs::inverse_dynamics(&self.choice.model)?;
        let values = self.at_rest(&part, &part.program, "gravity")?;
        let name = |label: Label| Label { name: label.name.replacen("tau", "g", 1), ..label };
        let named: Vec<(Label, ValueId)> =
            programs::labels(&part.program).into_iter().map(name).zip(values).collect();
        let all = self.deliver_all(named);
        let arguments = self.arguments();
        let contents = "generalised forces that hold the mechanism at rest: gravity and springs";
        let doc = "Computes the generalised forces at rest.";
        self.function("gravity", doc, arguments, vec![Results::new("g", all, contents)]);
        Ok(())
    }

    /// [coriolis]
    pub(crate) fn coriolis(&mut self) -> Result<(), Error> {
        let part = programs::inverse_dynamics(&self.choice.model)?;
        let found = by_speeds(&part)?;
        let zero = self.composer.builder.constant(0.0);
        let still = vec![zero; part.accelerations.len()];
        let moving = self.composer.add_with(&found.program, &[], &still, "Coriolis matrix")?;
        let rest = self.at_rest(&part, &found.program, "Coriolis matrix")?;
        let half = self.composer.builder.constant(0.5);
        let n = self.choice.model.speeds.len();
        let mut entries = vec![zero; n * n];
        for (k, (row, column)) in found.pattern.iter().enumerate() {
            let place = found.first.index() + k;
            let change = self.composer.builder.sub(moving[place], rest[place]);
            entries[row * n + column] = self.composer.builder.mul(half, change);
        }
        let named: Vec<(Label, ValueId)> =
            entries.into_iter().enumerate().map(|(k, value)| (entry("C", k / n, k % n), value)).collect();
        let all = self.deliver_all(named);
        let arguments = self.arguments();
        let contents = "C by rows; C u is the part of M du/dt + h = tau that is quadratic in the speeds";
        let doc = "Computes the Coriolis matrix of the Christoffel symbols.";
        self.function("coriolis", doc, arguments, vec![Results::new("c", all, contents)]);
        Ok(())
    }

    /// A program like that of inverse dynamics where nothing moves.
    fn at_rest(
        &mut self,
        part: &ModelProgram,
        program: &Program,
        what: &'static str,
    ) -> Result<Vec<ValueId>, Error> {
        let zero = self.composer.builder.constant(0.0);
        let instead: Vec<(usize, ValueId)> = part.inputs.speeds.clone().map(|k| (k, zero)).collect();
        let still = vec![zero; part.accelerations.len()];
        self.composer.add_with(program, &instead, &still, what)
    }
}

fn entry(letter: &str, row: usize, column: usize) -> Label {
    Label::new(format!("{letter}({},{})", row + 1, column + 1), "", "")
}
