//! One compiled model, many values: the largest spring force over the stiffness.

use cardan::prelude::*;

const TEXT: &str = "
parameter k = 100 [N/m], c = 2 [N*s/m]
particle block on N by prismatic(x, q = x) { mass = 1 [kg] }
force coil on block.cm = (-k*x - c*der(x)) * N.x
start { x = 0.1 [m] }
output pull = k*x
";

pub(crate) fn main() -> Result<(), Error> {
    let mut oscillator = Model::from_text("oscillator.mbs", TEXT)?.compile(Options::default())?;
    for k in [50.0, 100.0, 200.0, 400.0] {
        let results = oscillator.set("k", k)?.simulate(&Settings::until(2.0))?;
        let least = results["pull"].iter().fold(0.0f64, |a, b| a.min(*b));
        println!("k = {k} N/m: from {:.3} N to {least:.3} N", results["pull"][0]);
        let (omega, decay) = (k.sqrt(), 1.0);
        let exact = -0.1 * k * (-decay * std::f64::consts::PI / (omega * omega - decay * decay).sqrt()).exp();
        assert!((least - exact).abs() < 2e-4 * exact.abs());
    }
    Ok(())
}
