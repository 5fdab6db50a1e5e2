//! A pendulum built in a program, simulated with two lengths.

use cardan::builder::*;
use cardan::prelude::*;

pub(crate) fn main() -> Result<(), Error> {
    let mut m = ModelBuilder::new("pendulum");
    let (length, mass) = (m.parameter("L", 1.0, "m"), m.parameter("m", 2.0, "kg"));
    let ground = m.ground();
    m.gravity(quantity(-9.81, "m/s^2") * ground.z());
    let rod = m.body("rod").mass(&mass).center((0, 0, -&length)).add();
    m.joint("pin", ground.origin(), rod.origin(), JointType::revolute(Y).coordinate("phi"));
    m.start("phi", quantity(1.0, "deg"));

    let mut pendulum = m.build()?.compile(Options::default())?;
    for length in [1.0, 4.0] {
        let results = pendulum.set("L", length)?.simulate(&Settings::until(10.0))?;
        let crossings = results["phi"].windows(2).filter(|w| w[0] > 0.0 && w[1] <= 0.0).count();
        println!(
            "L = {length} m: {crossings} periods in 10 s, energy drift {:.1e}",
            results.audit.relative()
        );
        let period = std::f64::consts::TAU * (length / 9.81f64).sqrt();
        assert_eq!(crossings, (10.0 / period + 0.75) as usize);
    }
    Ok(())
}
