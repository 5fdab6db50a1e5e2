//! Derivatives of functions of the host that declare none: central differences of the function itself.
//!
//! The derivative of a program stays exact around them; only the slope of the foreign function is taken by differences.
//!
//! ```text
//! [difference]   ∂f/∂x ≈ (f(x + h) - f(x - h)) / 2h,   h = ∛ε max(|x|, 0.01)
//! ```

use crate::execute::Host;
use crate::op::FunctionId;
use crate::program::{Function, Program};

/// The name of the derivative of a function by one of its arguments.
fn name(function: &Function, argument: usize) -> String {
    format!("{}__slope{}", function.name, argument + 1)
}

impl Program {
    /// The same program, in which every function has a derivative by each of its arguments; [`Host::with_differences`] provides those that were added.
    #[must_use]
    pub fn with_derivatives(&self) -> Program {
        let mut program = self.clone();
        let own: Vec<FunctionId> = self.functions.ids().collect();
        for id in own {
            for argument in 0..self.functions[id].arity as usize {
                if self.functions[id].derivatives[argument].is_some() {
                    continue;
                }
                let (name, arity) = (name(&self.functions[id], argument), self.functions[id].arity);
                let slope = Function { name, arity, derivatives: vec![None; arity as usize] };
                let slope = program.functions.push(slope);
                program.functions[id].derivatives[argument] = Some(slope);
            }
        }
        program
    }
}

impl Host {
    /// The same functions, and central differences for the derivatives that a program's functions do not declare. [difference]
    #[must_use]
    pub fn with_differences(&self, program: &Program) -> Host {
        let mut host = self.clone();
        for (_, function) in program.functions.iter() {
            let Some(f) = self.get(&function.name).cloned() else { continue };
            for argument in (0..function.arity as usize).filter(|k| function.derivatives[*k].is_none()) {
                let f = f.clone();
                host.bind(name(function, argument), move |x: &[f64]| {
                    let h = f64::EPSILON.cbrt() * x[argument].abs().max(0.01);
                    let mut moved = x.to_vec();
                    let mut at = |x: f64| {
                        moved[argument] = x;
                        (f(&moved), x)
                    };
                    let ((above, right), (below, left)) = (at(x[argument] + h), at(x[argument] - h));
                    (above - below) / (right - left)
                });
            }
        }
        host
    }
}
