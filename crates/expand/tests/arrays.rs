//! Loops, arrays, conditions, sums.

use cardan_expand::Settings;

use crate::common::{assert_expands, flat, flat_with};

#[test]
fn a_chain_is_a_loop() {
    assert_expands(
        "constant n = 3
         for k in 1 .. n {
           body rod[k] on if k == 1 then N else rod[k - 1] by rotate(y = q[k]) at (0, 0, if k == 1 then 0 [m] else -1 [m]) { mass = k * 2 [kg] }
         }
         start { for k in 1 .. n { q[k] = k * 1 [deg] } }
         output all = sum(k in 1 .. n: rod[k].q)
         lock q[2]",
        "constant n = 3
         body rod[1] on N by rotate(y = q[1]) at (0, 0, 0 [m]) { mass = 1 * 2 [kg] }
         body rod[2] on rod[1] by rotate(y = q[2]) at (0, 0, -1 [m]) { mass = 2 * 2 [kg] }
         body rod[3] on rod[2] by rotate(y = q[3]) at (0, 0, -1 [m]) { mass = 3 * 2 [kg] }
         start { q[1] = 1 * 1 [deg]; q[2] = 2 * 1 [deg]; q[3] = 3 * 1 [deg] }
         output all = rod[1].q + rod[2].q + rod[3].q
         lock q[2]",
    );
}

#[test]
fn a_structural_constant_is_set_for_the_run() {
    let text = "constant n = 2 \"number\"\nfor k in 1 .. n { parameter a[k] = k / n }";
    let settings = Settings {
        constants: vec![("n".into(), "4".into()), ("a[1]".into(), "7".into())],
        ..Settings::default()
    };
    let flat = flat_with(text, &settings, &[]);
    assert!(flat.contains("constant n = 4 \"number\""), "{flat}");
    assert!(flat.contains("parameter a[4] = 4 / n"), "{flat}");
    let (expanded, _) = crate::common::expanded(text, &settings, &[]);
    // A parameter is set when the model runs, not here.
    assert_eq!(expanded.taken, ["n"]);
}

#[test]
fn conditions_on_constants_choose_statements() {
    let text = "constant wheels = 2\nif wheels == 4 { parameter four = 1 } else if wheels == 2 { parameter two = 1 } else { parameter none = 1 }";
    assert_eq!(flat(text), "constant wheels = 2\nparameter two = 1\n");
}

#[test]
fn arrays_of_instances_have_elements_from_one() {
    assert_expands(
        "subsystem c { port f: frame; body b on f by revolute(z); parameter k = 1 }
         c wheel[3] { f -> N }
         c grid[2, 2] { f -> wheel[2].b }
         output s = sum(i in 1 .. 2: sum(j in 1 .. 2: grid[i, j].b.q)), wheel[3].k",
        "body wheel[1].b on N by revolute(z)
         parameter wheel[1].k = 1
         body wheel[2].b on N by revolute(z)
         parameter wheel[2].k = 1
         body wheel[3].b on N by revolute(z)
         parameter wheel[3].k = 1
         body grid[1,1].b on wheel[2].b by revolute(z)
         parameter grid[1,1].k = 1
         body grid[1,2].b on wheel[2].b by revolute(z)
         parameter grid[1,2].k = 1
         body grid[2,1].b on wheel[2].b by revolute(z)
         parameter grid[2,1].k = 1
         body grid[2,2].b on wheel[2].b by revolute(z)
         parameter grid[2,2].k = 1
         output s = (grid[1,1].b.q + grid[1,2].b.q) + (grid[2,1].b.q + grid[2,2].b.q), wheel[3].k",
    );
}

#[test]
fn constants_of_an_instance_decide_its_structure() {
    assert_expands(
        "subsystem chain { constant n = 1; port f: frame; for k in 1 .. n { body b[k] on if k == 1 then f else b[k - 1] by revolute(z) } }
         chain a(n = 2) { f -> N }
         chain b(n = 1) { f -> a.b[2] }",
        "constant a.n = 2
         body a.b[1] on N by revolute(z)
         body a.b[2] on a.b[1] by revolute(z)
         constant b.n = 1
         body b.b[1] on a.b[2] by revolute(z)",
    );
}

#[test]
fn vector_ports_are_connected_whole_or_by_element() {
    assert_expands(
        "subsystem turn { port A[2, 2]: in; port v[2]: in [m]; port w[2]: out [m]
           for i in 1 .. 2 { w[i] = sum(j in 1 .. 2: A[i, j] * v[j]) } }
         parameter u[1] = 1 [m], u[2] = 2 [m]
         turn one { A[1, 1] -> 1; A[1, 2] -> 2; A[2, 1] -> 3; A[2, 2] -> 4; v -> u }
         turn two { A -> M; v -> one.w }
         for i in 1 .. 2 { for j in 1 .. 2 { parameter M[i, j] = i + j } }",
        "parameter u[1] = 1 [m], u[2] = 2 [m]
         variable one.w[1] [m] = 1 * u[1] + 2 * u[2]
         variable one.w[2] [m] = 3 * u[1] + 4 * u[2]
         variable two.w[1] [m] = M[1,1] * one.w[1] + M[1,2] * one.w[2]
         variable two.w[2] [m] = M[2,1] * one.w[1] + M[2,2] * one.w[2]
         parameter M[1,1] = 1 + 1
         parameter M[1,2] = 1 + 2
         parameter M[2,1] = 2 + 1
         parameter M[2,2] = 2 + 2",
    );
}

#[test]
fn points_of_a_body_may_be_an_array() {
    assert_expands(
        "body plate on N by free { for k in 1 .. 2 { point p[k] = (k, 0, 0) [m] } }
         for k in 1 .. 2 { particle m[k] on plate at plate.p[k] by fixed }",
        "body plate on N by free() { point p[1] = (1, 0, 0) [m]; point p[2] = (2, 0, 0) [m] }
         particle m[1] on plate by fixed() at plate.p[1]
         particle m[2] on plate by fixed() at plate.p[2]",
    );
}
