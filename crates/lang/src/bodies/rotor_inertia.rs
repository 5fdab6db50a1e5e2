//! Rotor inertias of joints: `revolute(z, armature = 0.01 [kg*m^2])`, one value for each freedom.
//!
//! An armature is what the rotor of a geared motor adds to its freedom: its own inertia times the square of the ratio (`cardan_model::Rotor`). A
//! freedom that is locked or follows a motion is moved by nobody's effort in the model, so that its armature means nothing there.

use cardan_base::Diagnostic;
use cardan_model::Rotor;
use cardan_units::Dimension;

use crate::codes;
use crate::context::{BuiltCoordinate, Env, Resolver};
use crate::names::scope::Status;
use crate::types::value::Value;

impl Resolver<'_> {
    /// Adds the armatures of all joints of bodies; speeds are fixed by then.
    pub fn armatures(&mut self) {
        for b in 0..self.plans.len() {
            for k in 0..self.plans[b].speeds.len() {
                let _ = self.armature(b, k);
            }
        }
    }

    /// Nothing if there is none, or if it does not fit, which is said.
    fn armature(&mut self, b: usize, k: usize) -> Option<()> {
        let (e, entry) = self.plans[b].speeds[k].armature?;
        let item = self.names.bodies[b].frame;
        let Status::Done(Value::Frame(frame)) = self.names.items[item].status else { return None };
        let scope = self.names.items[item].scope;
        self.settle_expression(e, scope);
        let slides = self.plans[b].speeds[k].dimension == Dimension::VELOCITY;
        let dimension = if slides { Dimension::MASS } else { Dimension::INERTIA };
        let env = Env { scope: Some(scope), ..Env::default() };
        let value = match self.evaluate(e, &env)? {
            Value::Tuple(parts) => parts.into_iter().nth(entry)?.0,
            whole => whole,
        };
        let Value::Scalar(inertia) = value else {
            self.wrong_kind(&value, e.span, "a number");
            return None;
        };
        let inertia = self.expect(&inertia, e, dimension, "this armature", &env)?;
        let inertia = self.constant(inertia, e.span, "an armature")?;
        if self.value_now(inertia, 0).is_some_and(|value| value < 0.0) {
            let d = Diagnostic::error(codes::ARGUMENT, "an armature is not negative").at(e.span, "");
            let d = d.because("it is the inertia of a rotor times the square of the ratio of its gear");
            self.report(d.hint("write a positive value, or leave it out"));
            return None;
        }
        let model = self.builder.model();
        let rate = match self.plans[b].speeds[k].rate_of {
            Some(degree) => match *self.built[b].get(degree)? {
                BuiltCoordinate::Free(id) => model.coordinates[id].rate,
                BuiltCoordinate::Locked(_) | BuiltCoordinate::Prescribed(_) => return None,
            },
            None => {
                let name = self.speed_name(b, k);
                model.speeds.iter().find(|(_, s)| s.quantity.name == name)?.1.symbol
            }
        };
        let freedom = model.freedom_at(model.joint_of(frame)?, rate)?;
        let body = &self.names.items[item].name;
        let number = if self.plans[b].speeds.len() == 1 { String::new() } else { (k + 1).to_string() };
        let name = format!("{body}.rotor{number}");
        self.builder.add_rotor(Rotor { name, rate: freedom.rate, inertia });
        Some(())
    }
}
