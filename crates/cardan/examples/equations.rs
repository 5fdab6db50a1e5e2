//! The stages one by one: tree, model, equations, program.

use cardan::compile::formalism_selection::motion_counts;
use cardan::equations::Formalism;
use cardan::prelude::*;

const TEXT: &str = "
parameter L = 1 [m], m = 1 [kg], g = 9.81 [m/s^2]
gravity = -g * N.z
particle bob on N by revolute(y, q = phi) { mass = m; center = (0, 0, -L) }
";

pub(crate) fn main() -> Result<(), Error> {
    let tree = parse("pendulum.mbs", TEXT);
    println!("{} statements", tree.tree.statements.len());
    let model = resolve(tree).into_model()?;
    println!("{} body, {} coordinate", model.bodies.len(), model.coordinates.len());
    let mut costs = Vec::new();
    for formalism in [Formalism::Kane, Formalism::Recursive] {
        let derived = cardan::derive(&model, Some(formalism))?;
        let counts = motion_counts(&derived.lowered);
        println!("{formalism:?}: {} multiplications per evaluation", counts.mul);
        costs.push(counts.mul);
    }
    assert!(costs.iter().all(|c| *c < 10));
    Ok(())
}
