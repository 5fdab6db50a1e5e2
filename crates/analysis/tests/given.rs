//! Outputs in a given motion, and accelerations between jumps.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use crate::common;

use cardan_analysis::{GivenMotion, Study, differences_in_pieces, inverse, kinematics};

/// An eccentric in the slot of a plate.
const ECCENTRIC: &str = "
model eccentric
parameter r = 40 [mm], J = 0.03 [kg*m^2], m = 2 [kg]
body disc on N by revolute(z, q = a) { mass = 1 [kg]; inertia = (0.02 [kg*m^2], 0.02 [kg*m^2], J); point pin = (r, 0, 0) }
body plate on N by prismatic(x, q = s) { mass = m; inertia = (0.01, 0.01, 0.01) [kg*m^2] }
joint slot = in_plane(plate.o, disc.pin, axis = x)
output push = slot.force.x, turn = der(der(a)), foot = plate.force.y, hub = disc.force.x
start { a = 1 }
";
const DRIVE: &str = "constraint drive = a - (1 + 3 [1/s]*t + 2 [1/s^2]*t^2)\n";

/// What drives give as constraints, the same forces give as actuators; an actuator elsewhere leaves other work to the slot.
#[test]
fn actuators_and_drives_load_the_constraints_alike() {
    let mut driven = common::study(&format!("{ECCENTRIC}{DRIVE}"), &[]);
    let choice = common::choice(ECCENTRIC, &[]);
    let mut free = Study::of(&choice, &[]).unwrap();
    let mut given = GivenMotion::of(&choice).unwrap();
    let motion = kinematics(&mut driven, &[0.0, 0.2, 0.4], &[]).unwrap();
    assert_eq!(motion.samples.len(), 3);
    for s in &motion.samples {
        let mut outputs = |actuated: &[usize]| {
            let found = inverse(&mut free, s.time, &s.state, &s.accelerations, actuated).unwrap();
            assert!(found.left < 1e-9);
            given.outputs(&mut free, s.time, &s.state, &s.accelerations, actuated, &found.forces).unwrap()
        };
        let by_disc = outputs(&[0]);
        for (a, b) in by_disc.iter().zip(&s.outputs) {
            assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{by_disc:?} {:?}", s.outputs);
        }
        assert!((by_disc[1] - 4.0).abs() < 1e-9, "the acceleration is the prescribed one");
        // The slot accelerates the plate: m s̈. With the actuator on the plate it accelerates the disc: J ä over its arm.
        let plate = 2.0 * s.accelerations[1];
        assert!((by_disc[0].abs() - plate.abs()).abs() < 1e-9, "{by_disc:?} {plate}");
        let by_plate = outputs(&[1]);
        let arm = 0.04 * s.state[0].sin().abs();
        assert!((by_plate[0].abs() * arm - 0.03 * 4.0).abs() < 1e-9, "{by_plate:?}");
    }
}

#[test]
fn slopes_do_not_reach_across_jumps() {
    let t: Vec<f64> = (0..9).map(|k| k as f64 * 0.5).collect();
    // Slopes 2, then -1 from the fourth place on, then 5 for one sample, then 0.
    let v = [0.0, 1.0, 2.0, 3.0, 2.5, 2.0, 1.5, 4.0, 4.0];
    let slopes = differences_in_pieces(&t, &v, &[3, 6, 7]);
    let expected = [2.0, 2.0, 2.0, -1.0, -1.0, -1.0, 5.0, 0.0, 0.0];
    assert_eq!(slopes.len(), 9);
    for (a, b) in slopes.iter().zip(expected) {
        assert!((a - b).abs() < 1e-12, "{slopes:?}");
    }
    assert_eq!(differences_in_pieces(&t[..2], &v[..2], &[1]), [2.0, 2.0]);
}
