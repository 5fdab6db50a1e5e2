//! External functions from C in every question: `--bind`.

use serde_json::Value;

use super::folder::Folder;

const MODEL: &str = "model bound
external function pull(x [m], v [m/s]) [N]
parameter k = 3 [N/m]
particle p on N by translate(x = x) { mass = 2 [kg] }
force f on p.cm = (k * (1 [m] - x) - pull(x, p.u)) * N.x
simulate { to = 1 [s], every = 0.1 [s] }
";

/// 5 sinh(x) + 0.5 v
const SOURCE: &str = "#include <math.h>\ndouble pull(double x, double v) { return 5 * sinh(x) + 0.5 * v; }\n";

fn ask(verb: &str, more: &[&str]) -> Value {
    let folder = Folder::with(&format!("bound-{verb}"), "bound.mbs", MODEL);
    folder.write("pull.c", SOURCE);
    let words = [verb, "bound.mbs", "--bind", "pull=pull.c", "--out", "out"];
    folder.json(&[&words[..], more].concat(), 0)
}

/// Where 3 (1 - x) = 5 sinh x, by bisection.
fn rest() -> f64 {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    for _ in 0..100 {
        let x = 0.5 * (low + high);
        if 3.0 * (1.0 - x) > 5.0 * x.sinh() { low = x } else { high = x }
    }
    low
}

#[test]
fn equilibrium_and_linear_equations_feel_the_function() {
    let found = ask("equilibrium", &[]);
    let x = found["state"]["x"]["value"].as_f64().unwrap_or_else(|| panic!("{found}"));
    assert!((x - rest()).abs() < 1e-9, "{x}");
    // 2 x'' = -3 x - 5 cosh(x0) x - 0.5 x'
    let found = ask("linearize", &["--at", "equilibrium"]);
    let a = &found["A"];
    let stiffness = -(3.0 + 5.0 * rest().cosh()) / 2.0;
    let row = [a[1][0].as_f64().unwrap_or_else(|| panic!("{found}")), a[1][1].as_f64().unwrap()];
    assert!((row[0] - stiffness).abs() < 1e-7 && (row[1] + 0.25).abs() < 1e-7, "{row:?}, {stiffness}");
    let found = ask("modes", &["--at", "equilibrium"]);
    assert!(found.to_string().contains("freq"), "{found}");
}

#[test]
fn inverse_kinematics_and_sweep_take_functions_too() {
    let found = ask("inverse", &["--motion", "x=0.2 [m]*t/(1 [s])", "--to", "1"]);
    assert!(found["ok"].as_bool().unwrap_or(false), "{found}");
    ask("kinematics", &["--motion", "x=0.2 [m]*t/(1 [s])", "--to", "1"]);
    let swept = ask("sweep", &["--vary", "k=1,2,3", "--fresh"]);
    let ran = ask("run", &["--set", "k=3"]);
    assert_eq!(swept["failed"], 0, "{swept}");
    let last = ran["final"]["x"]["value"].as_f64().unwrap();
    assert!(last > 0.1 && swept.to_string().contains("\"x\""), "{ran} {swept}");
}
