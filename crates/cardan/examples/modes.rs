//! Small oscillations about an equilibrium: eigenvalues of a double pendulum from text.

use cardan::analysis::{LinearOptions, linearize, modes};
use cardan::prelude::*;

const TEXT: &str = "
gravity = -9.81 [m/s^2] * N.z
particle upper on N by revolute(y, q = a) { mass = 1 [kg]; center = (0, 0, -1) [m] }
particle lower on upper by revolute(y, q = b) at upper.cm { mass = 1 [kg]; center = (0, 0, -1) [m] }
";

pub(crate) fn main() -> Result<(), Error> {
    let model = Model::from_text("double.mbs", TEXT)?;
    let mut numbers = cardan::study(&model, &[])?;
    let hanging = numbers.start(0.0)?;
    let linear = linearize(&mut numbers, 0.0, &hanging, &LinearOptions::default())?;
    let mut found: Vec<f64> = modes(&numbers, &linear)?.modes.iter().map(|m| m.eigenvalue.1).collect();
    found.sort_by(f64::total_cmp);
    for (omega, sign) in found.iter().zip([-1.0, 1.0]) {
        let exact = (9.81 * (2.0 + sign * 2f64.sqrt())).sqrt();
        println!("{omega:.9} rad/s, in closed form {exact:.9} rad/s");
        assert!((omega - exact).abs() < 1e-9);
    }
    Ok(())
}
