//! What texts mean, in numbers: each against an independent computation.

use cardan_base::{Severity, render};
use cardan_expr::Expr;
use cardan_lang::compile_text;
use cardan_model::{Load, LoadKind, Model};

fn model(text: &str) -> Model {
    let compiled = compile_text("test.mbs", text);
    let said: String = compiled.diagnostics.iter().map(|d| render(d, &compiled.sources, false)).collect();
    assert!(compiled.diagnostics.iter().all(|d| d.severity == Severity::Note), "{said}");
    compiled.model.expect("no errors, hence a model")
}

fn codes(text: &str) -> Vec<&'static str> {
    compile_text("test.mbs", text).diagnostics.iter().map(|d| d.code.0).collect()
}

/// A repeatable number between -1 and 1 for each name.
fn arbitrary(name: &str) -> f64 {
    let hash =
        name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    let mixed = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = mixed ^ (mixed >> 32);
    (((mixed.wrapping_mul(0x94D0_49BB_1331_11EB)) >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
}

/// The value of an expression, parameters at their defaults, everything else as given or arbitrary.
fn value(model: &Model, e: Expr, given: &[(&str, f64)]) -> f64 {
    let pool = model.space.pool();
    let parameter = |s| {
        model
            .parameters
            .iter()
            .find(|(_, p)| pool.as_symbol(p.symbol) == Some(s))
            .and_then(|(_, p)| p.default)
    };
    pool.evaluate(e, &|s| {
        let name = pool.symbol_data(s).name;
        match (given.iter().find(|(n, _)| *n == name), name.as_str(), parameter(s)) {
            (Some((_, v)), _, _) => *v,
            (None, "pi", _) => std::f64::consts::PI,
            (None, _, Some(default)) => value(model, default, given),
            (None, _, None) => arbitrary(&name),
        }
    })
}

fn output(model: &Model, name: &str, given: &[(&str, f64)]) -> f64 {
    let found = model.outputs.iter().find(|o| o.quantity.name == name);
    value(model, found.unwrap_or_else(|| panic!("no output {name}")).value, given)
}

#[track_caller]
fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs())), "{a} is not {b}");
}

#[test]
fn axes_are_brought_to_unit_length() {
    let m = model(
        "frame B on N by revolute((0, 3, 4), q = a)\noutput c = dot(B.x, N.x), d = components(omega(B))",
    );
    near(output(&m, "c", &[("a", 0.7)]), 0.7f64.cos());
    near(output(&m, "d.y", &[("der(a)", 2.0)]), 1.2);
    near(output(&m, "d.z", &[("der(a)", 2.0)]), 1.6);
    let m = model("frame B on N by revolute(-z, q = a)\noutput c = dot(B.x, N.y)");
    near(output(&m, "c", &[("a", 0.3)]), -(0.3f64.sin()));
}

#[test]
fn a_screw_advances_by_its_lead_each_turn() {
    let m = model("frame B on N by screw(z, lead = 5 [mm], q = a)\noutput z = B.o.z, v = velocity(B.o)");
    near(output(&m, "z", &[("a", 4.0 * std::f64::consts::PI)]), 0.010);
    near(output(&m, "v.z", &[("der(a)", 2.0 * std::f64::consts::PI)]), 0.005);
}

#[test]
fn offset_then_turn_then_motion() {
    let text = "frame A on N by fixed(rotate = zxy, angles = (90, 0, 0) [deg]) at (1, 2, 3) [m]
        frame B on A by translate(x = s) rotate(z = a) at (0, 1, 0) [m]
        frame C on N by prismatic(x, q = w, orient = (0, 0, 90) [deg])
        output b = B.o, c = C.o";
    let m = model(text);
    // A.x is N.y and A.y is -N.x.
    near(output(&m, "b.x", &[("s", 0.5)]), 0.0);
    near(output(&m, "b.y", &[("s", 0.5)]), 2.5);
    near(output(&m, "b.z", &[("s", 0.5)]), 3.0);
    near(output(&m, "c.y", &[("w", 0.5)]), 0.5);
}

#[test]
fn the_places_of_joints_can_be_tuples_points_vectors_or_points_of_the_parent() {
    let at = ["at (1, 2, 0) [m]", "at A.P", "at N(1, 2, 0) [m]", "at 1 [m]*A.x + 2 [m]*N.y"];
    for at in at {
        let m = model(&format!(
            "frame A on N by fixed {{ point P = (1, 2, 0) [m] }}\nframe B on A by revolute(z) {at}\noutput p = B.o"
        ));
        near(output(&m, "p.x", &[]), 1.0);
        near(output(&m, "p.y", &[]), 2.0);
    }
    let m = model(
        "frame A on N by fixed { point P = (1, 2, 0) [m] }\nframe B on A.P by revolute(z)\noutput p = B.o",
    );
    near(output(&m, "p.y", &[]), 2.0);
}

#[test]
fn euler_parameters_start_upright_and_angles_turn_in_sequence() {
    let m = model("frame B on N by free()\noutput x = dot(B.x, N.x)");
    let start: Vec<f64> = m.coordinates.iter().map(|(_, c)| value(&m, c.start, &[])).collect();
    assert_eq!(start, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    for speeds in ["body", "rates"] {
        let m = model(&format!(
            "frame B on N by spherical(rotate = zxz, speeds = {speeds}, q = (a, b, c))\noutput z = components(B.z)"
        ));
        let given = [("a", 0.3), ("b", 0.8), ("c", 1.1)];
        near(output(&m, "z.x", &given), 0.3f64.sin() * 0.8f64.sin());
        near(output(&m, "z.y", &given), -0.3f64.cos() * 0.8f64.sin());
        near(output(&m, "z.z", &given), 0.8f64.cos());
    }
}

#[test]
fn locked_and_prescribed_coordinates() {
    let m = model(
        "frame B on N by planar(z, q = (x, y, a))\nlock x, a\nstart { x = 3 [mm]; y = 1 [m] }\noutput x, y, v = velocity(B.o)",
    );
    assert_eq!((m.coordinates.len(), m.speeds.len()), (1, 1));
    near(output(&m, "x", &[]), 0.003);
    near(output(&m, "v.x", &[]), 0.0);
    let m = model(
        "frame B on N by prismatic(x, q = s, motion = 2 [m] * sin(3 [1/s] * t))\noutput v = velocity(B.o)",
    );
    assert_eq!(m.coordinates.len(), 0);
    near(output(&m, "v.x", &[("t", 0.4)]), 6.0 * 1.2f64.cos());
}

#[test]
fn user_speeds_give_back_their_definition() {
    let text = "frame A on N by prismatic(x, q = s)\nframe B on A by revolute(z, q = a)
        parameter r = 0.3 [m]
        speed slip = der(s) - r*der(a)*cos(a), spin = 2*der(a)
        output back = der(s) - r*der(a)*cos(a) - slip, twice = 2*der(a) - spin";
    let m = model(text);
    let names: Vec<&str> = m.speeds.iter().map(|(_, s)| s.quantity.name.as_str()).collect();
    assert_eq!(names, ["slip", "spin"]);
    near(output(&m, "back", &[]), 0.0);
    near(output(&m, "twice", &[]), 0.0);
}

/// The power of a load: what it does to the first body and to the second.
fn power(m: &Model, load: &Load) -> Expr {
    let (space, pool) = (&m.space, m.space.pool());
    match &load.kind {
        LoadKind::Force { vector, at, reaction } => {
            let other = match reaction {
                None => pool.zero(),
                Some(r) => {
                    let point = r.at.clone().unwrap_or_else(|| {
                        let place = space.position(&space.origin(r.frame), at);
                        let coordinates = space.components(&place, r.frame);
                        cardan_kinematics::Point { name: String::new(), frame: r.frame, coordinates }
                    });
                    // The material point of the other body at that place.
                    let arm = space.vector(point.frame, point.coordinates);
                    let v = space.v_origin(point.frame).add(pool, &space.cross(&space.w(point.frame), &arm));
                    space.dot(vector, &v)
                }
            };
            pool.sub(space.dot(vector, &space.velocity(at)), other)
        }
        LoadKind::Torque { vector, on, reaction } => {
            let w = reaction.map_or(space.w(*on), |r| space.w(*on).sub(pool, &space.w(r)));
            space.dot(vector, &w)
        }
    }
}

#[test]
fn springs_lose_what_their_potentials_gain_and_dampers_only_lose() {
    let text = "body A on N by free(rotate = xyz) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = (0.1, 0.2, 0.3) [m] }
        body B on A by revolute((1, 2, 2), q = b) at (0.5, 0, 0) [m] { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point Q = (0, 0.4, 0.1) [m] }
        spring s between A.P and N(1, 2, 3) [m] { stiffness = 7 [N/m]; length = 0.2 [m] }
        spring_damper sd between A.P and B.Q { stiffness = 5 [N/m]; damping = 2 [N*s/m]; length = 0.1 [m] }
        damper d on B.Q from N.o { damping = 3 [N*s/m] }
        torsion_spring ts between B and A { stiffness = 2 [N*m/rad]; rest = 10 [deg] }
        torsion_spring back between A and B { stiffness = 3 [N*m/rad]; rest = 10 [deg] }
        torsion_damper td on B from A { damping = 4 [N*m*s/rad] }
        bushing bu on B.Q from A.P { stiffness = (1, 2, 3) [N/m]; damping = 4 [N*s/m]; torsion_damping = (1, 2, 3) [N*m*s/rad] }";
    let m = model(text);
    let mut seen = (0, 0);
    for (_, load) in m.loads.iter() {
        let p = value(&m, power(&m, load), &[]);
        match load.potential {
            Some(potential) => {
                near(p, -value(&m, m.space.dt(potential), &[]));
                assert!(p.abs() > 1e-3, "{} does no work here: the test is blind", load.name);
                assert!(load.conservative);
                seen.0 += 1;
            }
            None => {
                assert!(p < -1e-6, "{} gains {p}", load.name);
                seen.1 += 1;
            }
        }
    }
    assert_eq!(seen, (5, 5));
}

#[test]
fn a_bushing_turns_back_what_is_turned() {
    let m = model(
        "frame B on N by revolute(z, q = a)\nbushing b on B.o from N.o { torsion_stiffness = (1, 1, 2) [N*m/rad] }",
    );
    let LoadKind::Torque { vector, .. } = &m.loads.as_slice()[0].kind else { panic!("a torque") };
    let along = m.space.dot(vector, &m.space.axis(m.space.newtonian(), 2));
    near(value(&m, along, &[("a", 0.3)]), -2.0 * 0.3f64.sin());
}

#[test]
fn functions_with_units_are_read_as_numbers_or_as_quantities() {
    let text = "parameter k = 2 [N/m]
        function plain(x [mm]) [kN] = 3*x + 1
        function full(x [mm]) [kN] = k*x + 0.5 [N]
        function generic(x, y) = if x > y then x else 2*y
        variable a = plain(2 [m]), b = full(2 [m]), c = generic(1 [m], 3 [m]), d = generic(5, 3)
        output a, b, c, d, e = plain(1 [in])";
    let m = model(text);
    near(output(&m, "a", &[]), 6_001_000.0);
    near(output(&m, "b", &[]), 4.5);
    near(output(&m, "c", &[]), 6.0);
    near(output(&m, "d", &[]), 5.0);
    near(output(&m, "e", &[]), 77_200.0);
}

#[test]
fn tables_are_stored_in_si_units_column_by_column() {
    let m = model(
        "table G(x [mm], v [km/h]) [kN] = linear { v: (0, 3.6); 0: (1, 2), 10: (3, 4), 20 [mm]: (5, 6 [N]) }",
    );
    let (_, table) = m.tables.iter().next().expect("one table");
    assert_eq!(table.x, [0.0, 0.01, 0.02]);
    assert_eq!(table.y, [0.0, 1.0]);
    assert_eq!(table.values, [1000.0, 3000.0, 5000.0, 2000.0, 4000.0, 6.0]);
}

#[test]
fn states_see_one_another_and_their_rates() {
    let text = "state x = 1 [m] { der = -x/tau }\nstate y = 0 [m]\nder(y) = der(x) + z\nvariable z = 2*der(x)
        parameter tau = 4 [s]\nstart { y = 2*L }\nparameter L = 3 [m]\noutput r = der(y)";
    let m = model(text);
    near(output(&m, "r", &[("x", 2.0)]), -1.5);
    let starts: Vec<f64> = m.states.iter().map(|(_, s)| value(&m, s.start, &[])).collect();
    assert_eq!(starts, [1.0, 6.0]);
}

#[test]
fn partial_and_time_derivatives() {
    let text = "frame B on N by revolute(z, q = a)\nvariable e = sin(a)^2*3 [m]
        output p = partial(e, a), d = der(e), w = partial(omega(B), B.u), r = der(2 [m]*B.x), s = der(2 [m]*B.x, in = B)";
    let m = model(text);
    let given = [("a", 0.4), ("der(a)", 2.0)];
    near(output(&m, "p", &given), 3.0 * 0.8f64.sin());
    near(output(&m, "d", &given), 6.0 * 0.8f64.sin());
    near(output(&m, "w.z", &given), 1.0);
    near(output(&m, "r.x", &given), -4.0 * 0.4f64.sin());
    near(output(&m, "s.x", &given), 0.0);
}

#[test]
fn bare_numbers_are_noted_once_or_refused() {
    let text = "body B on N by revolute(z) { mass = 2; inertia = (1, 1, 1); center = (0, 0.1, 0) }";
    assert_eq!(codes(text), ["M006"]);
    assert_eq!(codes(&format!("strict units\n{text}")), ["M006", "M006", "M006"]);
    let m = model(text);
    near(value(&m, m.bodies.as_slice()[0].mass, &[]), 2.0);
    // Zero and plain numbers need no unit.
    assert!(
        codes("strict units\nframe B on N by revolute(z) at (0, 0, 0)\noutput c = 2*B.q + 0 [s]/3 [s]")
            .is_empty()
    );
}

#[test]
fn many_findings_in_one_run() {
    let text = "parameter a = 1 [m] + 1 [s], b = c, d = 1 [foo]\nbody B on M by revolute(z)\nbody C on N by revolut(z) { mas = 1 }
        force f on N.o = 1 [N]\ntorque g on Q = 1 [N*m]*N.z\nsimulate { to = 1 [m] }";
    let found = codes(text);
    for code in ["M013", "M001", "U001", "M008", "M005", "M012"] {
        assert!(found.contains(&code), "{code} is missing in {found:?}");
    }
    assert!(found.len() >= 9, "{found:?}");
}

#[test]
fn any_order_of_statements_gives_the_same_model() {
    let statements = [
        "body lower on upper by rotate(z = q2) at upper.elbow { mass = m; inertia.zz = J; center = (0, -c, 0) }",
        "body upper on N by rotate(z = q1) { point elbow = (0, -2*c, 0); mass = m; inertia.zz = J; center = (0, -c, 0) }",
        "parameter J = m*c^2/3",
        "parameter c = 0.25 [m]",
        "parameter m = 2 [kg]",
        "function f(x) = g(x) + x",
        "function g(x) = 2*x",
        "variable far = mag(position(N.o, lower.cm))",
        "output p = lower.cm, v = velocity(lower.cm), f = f(far), s",
        "state s = c { der = -far/1 [s] }",
        "speed w = der(q1) + der(q2)",
        "start { q1 = J/1 [kg*m^2] }",
    ];
    let mut order: Vec<usize> = (0..statements.len()).collect();
    let given = [("q1", 0.3), ("q2", -0.4), ("w", 0.7), ("der(q1)", 0.2), ("der(q2)", 0.5), ("s", 1.0)];
    let mut reference: Option<Vec<(String, f64)>> = None;
    for round in 0..200 {
        let n = order.len();
        order.swap(round % n, (round * 7 + round / n * 5 + 3) % n);
        let text: String = order.iter().map(|k| format!("{}\n", statements[*k])).collect();
        let m = model(&text);
        let mut values: Vec<_> =
            m.outputs.iter().map(|o| (o.quantity.name.clone(), value(&m, o.value, &given))).collect();
        values.sort_by(|a, b| a.0.cmp(&b.0));
        match &reference {
            None => reference = Some(values),
            Some(known) => {
                for (a, b) in known.iter().zip(&values) {
                    assert_eq!(a.0, b.0);
                    near(a.1, b.1);
                }
            }
        }
    }
}

#[test]
fn loads_and_elements_can_be_asked_for_their_values() {
    let text = "body A on N by prismatic(x, q = s) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }
        output tension = e.force, e.length, e.rate, p = dot(push, velocity(A.o))
        force push on A.o from N = (3 [N] + e.force/2)*N.x
        spring_damper e between A.o and N(5, 0, 0) [m] { stiffness = 2 [N/m]; damping = 3 [N*s/m]; length = 1 [m] }";
    let m = model(text);
    assert_eq!(m.loads.len(), 3);
    let given = [("s", 2.0), ("der(s)", 0.5)];
    near(output(&m, "e.length", &given), 3.0);
    near(output(&m, "e.rate", &given), -0.5);
    near(output(&m, "tension", &given), 2.0 * 2.0 - 3.0 * 0.5);
    near(output(&m, "p", &given), (3.0 + 1.25) * 0.5);
    assert_eq!(
        codes("frame A on N by prismatic(x)\nspring e between A.o and N.o { stiffness = 1 [N/m] }\noutput e"),
        ["M005"]
    );
}

#[test]
fn functions_that_nothing_calls_are_looked_at_too() {
    assert_eq!(codes("function f(x) = x*kk"), ["M001"]);
    assert_eq!(codes("function f(x [m]) [N] = x + 2 [s]"), ["M013"]);
    assert_eq!(codes("function f(x [furlong_]) = x"), ["U001"]);
    // Without units in the head nothing can be said about dimensions.
    assert!(codes("function f(x) = x + 2 [s]\nfunction g(x [m]) [N] = 3*x").is_empty());
    assert_eq!(codes("newtonian G\nnewtonian H"), ["M002"]);
}

/// Two arms that meet at (1, 0, 0) when both coordinates are zero.
fn loop_closed_by(joint: &str) -> Model {
    model(&format!(
        "frame A on N by revolute((1, 2, 2), q = a) {{ point P = (1, 0, 0) [m] }}
         frame B on N by free(rotate = xyz) {{ point Q = (0, -1, 0) [m] }}
         start {{ B.q1 = 1 [m]; B.q2 = 1 [m] }}
         joint close = {joint}"
    ))
}

#[test]
fn joints_that_close_loops_hold_where_they_are_assembled() {
    let cases = [
        ("fixed(A.P, B.Q)", 6),
        ("revolute(A.P, B.Q, axis = z)", 5),
        ("revolute(A.P, B.Q, axis = (1, 2, 3))", 5),
        ("revolute(A.P, B.Q, axis = -y)", 5),
        ("prismatic(A.P, B.Q, axis = x)", 5),
        ("cylindrical(A.P, B.Q, (0, 1, 1))", 4),
        ("planar(A.P, B.Q, axis = z)", 3),
        ("universal(A.P, B.Q, axis = z, second = x)", 4),
        ("universal(A.P, B.Q, axis = (0, 1, 1), second = x)", 4),
        ("spherical(A.P, B.Q)", 3),
        ("in_plane(A.P, B.Q, axis = y)", 1),
        ("on_line(A.P, B.Q, axis = y)", 2),
        ("parallel(A.o, B.o, axis = z)", 2),
        ("perpendicular(A.o, B.o, axis = z, second = y)", 1),
    ];
    for (joint, n_rows) in cases {
        let m = loop_closed_by(joint);
        let rows = &m.constraints.as_slice()[0].rows;
        assert_eq!(rows.len(), n_rows, "{joint}");
        let names = ["a", "B.q1", "B.q2", "B.q3", "B.q4", "B.q5", "B.q6"];
        let assembled: Vec<(&str, f64)> =
            names.iter().map(|n| (*n, if matches!(*n, "B.q1" | "B.q2") { 1.0 } else { 0.0 })).collect();
        for row in rows {
            let position = row.position.expect("positions are held");
            near(value(&m, position, &assembled), 0.0);
            near(value(&m, m.space.dt(position), &assembled), value(&m, row.velocity, &assembled));
            assert!(value(&m, row.velocity, &assembled).abs() > 1e-6, "{joint}: {} is blind", row.what);
        }
    }
}

#[test]
fn rods_and_equations() {
    let text = "frame A on N by revolute(z, q = a) { point P = (1, 0, 0) [m] }
        frame B on N by prismatic(x, q = s)
        parameter r = 0.5 [m]
        joint rod = distance(A.P, B.o, length = 3 [m])
        constraint roll = der(s) == r*der(a)
        constraint mag(position(A.P, B.o)) - 3 [m]
        constraint meet = position(A.P, B.o) == r*N.x \"where they meet\"";
    let m = model(text);
    let names: Vec<&str> = m.constraints.iter().map(|(_, c)| c.name.as_str()).collect();
    assert_eq!(names, ["rod", "roll", "constraint2", "meet"]);
    let rows: Vec<usize> = m.constraints.iter().map(|(_, c)| c.rows.len()).collect();
    assert_eq!(rows, [1, 1, 1, 2]);
    let given = [("a", 0.0), ("s", 4.0), ("der(a)", 0.7), ("der(s)", 0.9)];
    let row = |k: usize| &m.constraints.as_slice()[k].rows[0];
    near(value(&m, row(0).position.expect("holonomic"), &given), 0.0);
    near(value(&m, row(2).position.expect("holonomic"), &given), 0.0);
    near(value(&m, row(0).velocity, &given), value(&m, row(2).velocity, &given));
    assert_eq!(row(1).position, None);
    near(value(&m, row(1).velocity, &given), 0.9 - 0.35);
    near(value(&m, row(3).position.expect("holonomic"), &given), 2.5);
}

#[test]
fn constraints_that_hold_nothing_are_refused() {
    let arm = "frame A on N by revolute(z, q = a)\nframe B on N by prismatic(x, q = s)
function f(p [rad]) [m] = 0.3 + 0.1 * cos(p)
function v(p [s]) [m] = 0.3 + 0.1 * p
function w(p [m]) [m] = 0.3 + 0.1 * p
function h(x [m], y [m]) [m] = x / 3 + y / 4\n";
    let cases = [
        ("constraint 1 == 2", "M005"),
        ("constraint a < 2", "M005"),
        ("constraint a == s", "M013"),
        ("constraint der(a)^2 == 1 [1/s^2]", "M029"),
        ("constraint der(der(a)) == 1 [1/s^2]", "M014"),
        ("joint j = revolute(A.o, B.o)", "M007"),
        ("joint j = revolute(A.o, N.o, axis = (0, 0, 0))", "M016"),
        ("joint j = revolute(A.o, A(1, 0, 0) [m], axis = z)", "M027"),
        ("joint j = revolut(A.o, B.o, axis = z)", "M008"),
        ("joint j = distance(A.o, B.o)", "M007"),
        ("joint j = distance(A.o, B.o, length = 0)", "M011"),
        ("joint j = spherical(A.o, B.o, N.o, N.o)", "M007"),
        ("joint j = gear(A, B)", "M007"),
        ("joint j = gear(A, B, ratio = 2)", "M013"),
        ("joint j = gear(A, N, ratio = 2)", "M005"),
        ("joint j = gear(a, t, ratio = 2)", "M005"),
        ("joint j = gear(A, ratio = 2, ratio = 3)", "M007"),
        ("joint j = belt(a, a, radii = 2 [m])", "M007"),
        ("joint j = coupler(a, a, factors = (1, 2, 3))", "M007"),
        ("joint j = rack(s, a, radius = s)", "M014"),
        ("joint j = rolling(A.o, A(1, 0, 0) [m], radius = 1 [m])", "M027"),
        ("joint j = rolling(A.o, N.o)", "M007"),
        ("joint j = rolling(A.o, N.o, radius = 1 [m], tyre = 1 [m])", "M007"),
        ("joint j = rolling(A.o, N.o, radius = 1 [m], lead = 1 [m])", "M007"),
        ("joint j = screw(A.o, B.o, axis = z, lead = 0)", "M011"),
        ("joint j = on_curve(A.o, B.o, axis = z, radius = a)", "M012"),
        ("joint j = on_curve(A.o, B.o, x = 1 [m])", "M007"),
        ("joint j = on_curve(A.o, B.o, x = f, radius = 1 [m])", "M007"),
        ("joint j = on_curve(A.o, B.o, x = f, q = (b, c))", "M007"),
        ("joint j = on_curve(A.o, B.o, x = h)", "M007"),
        ("joint j = on_curve(A.o, B.o, x = v)", "M007"),
        ("joint j = on_curve(A.o, B.o, x = f, y = w)", "M007"),
        ("joint j = on_curve(A.o, B.o, axis = z, radius = f, roller = 1 [m], face = y)", "M007"),
        ("joint j = on_curve(A.o, B.o, axis = z, radius = f, roller = 1 [rad])", "M012"),
        ("joint j = rolling(A.o, N.o, radius = 1 [m], q = b)", "M007"),
        ("joint j = rolling(A.o, N.o, radius = 1 [m], axis = y, road = f)", "M007"),
        ("joint j = rolling(A.o, N.o, radius = 1 [m], axis = y, road = h, surface = h)", "M007"),
        ("joint j = rolling(A.o, N.o, radius = 1 [m], axis = y, road = h, q = s)", "M002"),
        ("joint j = rollin(A.o, N.o, radius = 1 [m])", "M008"),
        ("motion m on a = a", "M014"),
        ("motion m on der(a) = t * 1 [1/s^2]", "M005"),
        ("motion m on a from s = 1 [rad]", "M007"),
        ("motion m on a = 1 [m]", "M012"),
        ("table r(x) = periodic { 0: 1, 1: 2, 2: 3 }", "M020"),
        ("joint j = in_plane(N.o, A(0, 0, 1) [m], axis = z)", "M028"),
    ];
    for (text, code) in cases {
        assert_eq!(codes(&format!("{arm}{text}")), [code], "{text}");
    }
}

#[test]
fn the_axis_of_a_shape_is_written_like_that_of_a_joint() {
    let axis = |written: &str| {
        let text = format!("frame a on N {{ shape cone(radius = 1 [m], length = 1 [m], axis = {written}) }}");
        let model = model(&text);
        let (_, body) = model.bodies.iter().next().expect("one body");
        body.shapes[0].axis.expect("an axis is given").map(|c| value(&model, c, &[]))
    };
    assert_eq!(axis("x"), [1.0, 0.0, 0.0]);
    assert_eq!(axis("-z"), [0.0, 0.0, -1.0]);
    assert_eq!(axis("(0, 3, 4)"), [0.0, 0.6, 0.8]);
}

#[test]
fn a_spring_to_the_ground_knows_both_its_ends() {
    let model = model(
        "particle a on N by translate(x) { mass = 1 [kg] }\nspring s between a.o and N(3, 0, 0) [m] { stiffness = 1 [N/m] }",
    );
    let (_, load) = model.loads.iter().next().expect("one load");
    let LoadKind::Force { reaction: Some(reaction), .. } = &load.kind else { panic!("no reaction") };
    assert_eq!(reaction.frame, model.space.newtonian());
    let place = reaction.at.as_ref().expect("a place").coordinates.map(|c| value(&model, c, &[]));
    assert_eq!(place, [3.0, 0.0, 0.0]);
}

#[test]
fn a_coordinate_that_hides_a_parameter_is_told() {
    let text = |inside: &str| {
        format!(
            "parameter q = 2 [m]\nbody B on N by revolute(y) {{ mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2]; point P = ({inside}, 0, 0) }}"
        )
    };
    assert_eq!(codes(&text("q*1 [m]")), ["M002"]);
    let told = compile_text("m.mbs", &text("q*1 [m]")).diagnostics;
    assert_eq!(told.iter().next().unwrap().message, "`q` is a coordinate here and not a parameter");
    assert!(codes(&text("1 [m]")).is_empty(), "nothing is said where it does not matter");
}

#[test]
fn two_questions_of_one_kind_need_names() {
    let model = "gravity = 0\nbody B on N by revolute(y) { mass = 1 [kg]; inertia = (1, 1, 1) [kg*m^2] }\nsimulate { to = 1 [s] }\n";
    assert!(codes(&format!("{model}simulate slow {{ to = 2 [s] }}")).is_empty());
    assert_eq!(codes(&format!("{model}simulate {{ to = 2 [s] }}")), ["M002"]);
}
