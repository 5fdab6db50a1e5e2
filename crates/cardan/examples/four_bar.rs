//! A four-bar linkage as a graph of bodies and joints: the loop is found, cut and closed by cardan.

use cardan::builder::*;
use cardan::prelude::*;

pub(crate) fn main() -> Result<(), Error> {
    let mut m = ModelBuilder::new("four_bar");
    let ground = m.ground();
    m.gravity(quantity(-9.81, "m/s^2") * ground.y());
    let metre = |x: f64| quantity(x, "m");
    let mut link = |name: &str, length: f64, mass: f64| {
        let moment = quantity(mass * length * length / 12.0, "kg*m^2");
        let body = m.body(name).mass(quantity(mass, "kg")).inertia((0, &moment, &moment));
        body.center((metre(length / 2.0), 0, 0)).with_point("end", (metre(length), 0, 0)).add()
    };
    let crank = link("crank", 0.1, 0.5);
    let coupler = link("coupler", 0.35, 0.8);
    let rocker = link("rocker", 0.25, 0.6);
    let hinge = |coordinate: &str| JointType::revolute(Z).coordinate(coordinate);
    m.joint("a", ground.origin(), crank.origin(), hinge("phi"));
    m.joint("b", crank.point("end"), coupler.origin(), hinge("psi"));
    m.joint("c", ground.at(metre(0.3), 0, 0), rocker.origin(), hinge("theta"));
    m.joint("d", coupler.point("end"), rocker.point("end"), JointType::revolute(Z));
    m.start("phi", quantity(60.0, "deg"));
    m.start("der(phi)", quantity(20.0, "rad/s"));

    let results = m.build()?.compile(Options::default())?.simulate(&Settings::until(2.0))?;
    let (open, _) = results.left_open.unwrap_or_default();
    println!("the loop stays closed to {open:.1e} m; energy drift {:.1e}", results.audit.relative());
    assert!(open < 1e-9 && results.audit.relative() < 1e-7);
    Ok(())
}
