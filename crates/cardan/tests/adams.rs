//! ADAMS data sets: motions and reactions against ADAMS itself and against closed forms.

use std::path::Path;

use cardan::prelude::*;
use cardan::resolve_adams;

fn model(name: &str, text: &str) -> Model {
    let (resolved, _) = resolve_adams(name, text);
    let said: Vec<&str> = resolved.diagnostics.iter().map(|d| d.message.as_str()).collect();
    resolved.model.unwrap_or_else(|| panic!("{said:?}"))
}

/// A pendulum of two parts welded together, in millimetres, hung by a universal joint and started with a speed: the
/// frequency of small motion of a compound pendulum, ω² = m g L/(I + m L²).
#[test]
fn a_compound_pendulum_swings_as_its_closed_form() {
    let text = "Pendulum
UNITS/, FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND
PART/1, GROUND
MARKER/10, PART = 1
PART/2, MASS = 2, CM = 20, IP = 4E4, 4E4, 1E3, WX = 1E-3
MARKER/20, PART = 2, QP = 0, 0, -300
MARKER/21, PART = 2
JOINT/1, HOOKE, I = 21, J = 10
ACCGRAV/, KGRAV = -9806.65
REQUEST/1, D, I = 20, J = 10
END
";
    let model = model("pendulum.adm", text);
    let compiled = compile_model(&model, Options::default()).unwrap();
    let results = compiled.simulate(&Settings::until(2.0)).unwrap();
    let y = &results["request_1_y"];
    // Inertia about the pin 0.04 + 2*0.09 = 0.22 kg m², and the mass centre begins with 0.3 m * 1e-3 rad/s.
    let omega = (2.0 * 9.80665 * 0.3 / 0.22f64).sqrt();
    for (t, y) in results["t"].iter().zip(y) {
        let expected = 0.3 * 1e-3 / omega * (omega * t).sin();
        assert!((y - expected).abs() < 1e-9, "{y} at {t}, expected {expected}");
    }
}

/// Results that ADAMS printed for three models of one joint each, with six digits. The pendulum on a universal joint moves as the one
/// on a pin does; ADAMS' two tables of this one motion part by 8.3e-4 m, so the second is taken for no more than that.
/// The data are read where they are present.
#[test]
fn joints_move_and_bear_as_in_adams() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adams_joint_tests");
    for (kind, tolerance) in [("Revolute", 2e-5), ("Universal", 1e-3), ("Prismatic", 2e-5)] {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("test_{kind}_Case01.adm"))) else {
            continue;
        };
        let table =
            std::fs::read_to_string(folder.join(format!("{kind}_Case01_ADAMS_every10th.csv"))).unwrap();
        let mut rows = table.lines();
        let names: Vec<&str> = rows.next().unwrap().split(',').collect();
        let column = |name: &str| names.iter().position(|n| *n == name).unwrap();
        let rows: Vec<Vec<f64>> =
            rows.map(|r| r.split(',').map(|x| x.trim().parse().unwrap()).collect()).collect();
        let end = rows.last().unwrap()[0];
        let model = model(&format!("{kind}.adm"), &text);
        let compiled = compile_model(&model, Options::default()).unwrap();
        let results = compiled.simulate(&Settings { every: Some(0.1), ..Settings::until(end) }).unwrap();
        let mut compared = 0;
        for row in &rows {
            let Some(k) = results["t"].iter().position(|t| (t - row[0]).abs() < 1e-9) else { continue };
            for axis in ["X", "Y", "Z"] {
                let name = format!("request_1_{}", axis.to_lowercase());
                let (ours, theirs) = (results[name.as_str()][k], row[column(&format!("Pos.{axis}_Pos"))]);
                assert!(
                    (ours - theirs).abs() < f64::max(tolerance, 5e-6 * theirs.abs()),
                    "{kind} {axis} at {}: {ours}, {theirs}",
                    row[0]
                );
            }
            for (n, axis) in [(2, "X"), (3, "Y"), (4, "Z")] {
                let name = format!("request_5_{n}");
                let (ours, theirs) =
                    (results[name.as_str()][k], row[column(&format!("Rforce.{axis}_Force"))]);
                assert!(
                    (ours - theirs).abs() < 1e-3_f64.max(3.0 * tolerance) * (1.0 + theirs.abs()),
                    "{kind} {axis}: {ours}, {theirs}"
                );
            }
            compared += 1;
        }
        assert!(compared > 10, "{compared} rows");
    }
}
